/*
 * The executor behind "owner=": what runs GR sections, and whose chip and
 * clock the guest sees. Here: identity, clock and lifetime; submission comes
 * with the execution plane.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_OWNER_EXECUTOR_H
#define HW_VGSP_OWNER_EXECUTOR_H

#include "device/vgsp.h"

typedef struct VgspExecutorOps {
    const char *name;           /* "model" */
    /* Opens @arg (what follows "name:" or the path) and fills @chip. */
    VgspExecutor *(*open)(VgspState *s, const char *arg, VgspChip *chip,
                          Error **errp);
    void (*close)(VgspExecutor *ex);
    /* PTIMER's time, ns. Any thread. */
    uint64_t (*clock_ns)(VgspExecutor *ex);
} VgspExecutorOps;

struct VgspExecutor {
    const VgspExecutorOps *ops;
};

/* Parses s->owner and opens its executor; NULL with *errp on failure. */
VgspExecutor *vgsp_executor_open(VgspState *s, Error **errp);
void vgsp_executor_close(VgspExecutor *ex);

extern const VgspExecutorOps vgsp_executor_model;

#endif
