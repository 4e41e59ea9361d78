/*
 * Names of the methods of GR's classes, for traces and for people. They are
 * NVIDIA's (clc597.h, clc5c0.h, cla140.h, cl902d.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_METHOD_NAMES_H
#define VGSP_NV_METHOD_NAMES_H

#include "vgsp/types.h"

/*
 * The name of a method (byte address) of class cls, without the class's prefix
 * and without the index of an array; NULL for one that is not public.
 */
const char *vgsp_method_name(uint32_t cls, uint32_t method);
/* The index of a method that is of an array, or -1. */
int vgsp_method_index(uint32_t cls, uint32_t method);

#endif
