/*
 * The order in which a card keeps the bytes of system memory, by page kind.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_OWNER_RM_KINDS_H
#define HW_VGSP_OWNER_RM_KINDS_H

#include "owner/rm/rm.h"
#include "vgsp/kind.h"

/*
 * Asks the card at @path ("/dev/nvidia0"), as a client of its own that ends
 * with the call: about 0.1 s. False: *@error is one line that says why (free
 * with g_free), and *@kinds has no order.
 */
bool vgsp_rm_kinds(const char *path, VgspKinds *kinds, char **error);

/* The same with another operating system below it: rm-int.h. */
struct RmOs;
bool vgsp_rm_kinds_os(const char *path, const struct RmOs *os, void *os_opaque,
                      VgspKinds *kinds, char **error);

#endif
