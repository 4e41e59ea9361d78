/*
 * The "owner" and "record" properties: which executor runs the guest's work,
 * and whether a recorder sits between it and the device.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "exec/memory.h"
#include "owner/executor.h"
#include "trace.h"

static const VgspExecutorOps *executor_ops(const char *owner, const char **arg,
                                           Error **errp)
{
    if (!owner || !strcmp(owner, "model")) {
        return &vgsp_executor_model;
    }
    if (!strcmp(owner, "null") || strstart(owner, "null:", arg)) {
        return &vgsp_executor_null;
    }
    if (strstart(owner, "rm:", arg)) {
        return &vgsp_executor_rm;
    }
    if (*owner == '/') {
        if (access(owner, R_OK | W_OK) < 0) {
            error_setg_errno(errp, errno, "cannot open owner '%s'", owner);
        } else {
            error_setg(errp, "owner '%s' is not supported yet; use 'model' or "
                       "'rm:'", owner);
        }
        return NULL;
    }
    error_setg(errp, "owner '%s' is not known; use 'model', 'null', 'rm:' and "
               "a device of NVIDIA's driver, or the path of a vgsp owner",
               owner);
    return NULL;
}

VgspExecutor *vgsp_executor_open(VgspState *s, const VgspExecutorEvents *events,
                                 Error **errp)
{
    const char *arg = "";
    const VgspExecutorOps *ops = executor_ops(s->owner, &arg, errp);
    VgspExecutor *ex;

    int ret;

    if (!ops) {
        return NULL;
    }
    ret = ops->pins_memory ? ram_block_discard_disable(true) : 0;
    if (ret < 0) {
        error_setg_errno(errp, -ret, "owner '%s' pins the guest's memory, "
                         "which another device discards", ops->name);
        return NULL;
    }
    if (s->record) {
        ex = vgsp_record_open(s, ops, arg, events, &s->chip, errp);
    } else {
        ex = ops->open(s, arg, events, &s->chip, errp);
    }
    if (ex) {
        ex->pins_memory = ops->pins_memory;
        trace_vgsp_executor_open(ops->name, s->chip.name);
    } else if (ops->pins_memory) {
        ram_block_discard_disable(false);
    }
    return ex;
}

void vgsp_executor_announce(VgspState *s)
{
    const char *arg;
    const VgspExecutorOps *ops = executor_ops(s->owner, &arg, &error_abort);

    if (ops->caveat) {
        info_report("vgsp-gpu: owner=%s: %s", ops->name, ops->caveat);
    }
}

void vgsp_executor_close(VgspExecutor *ex)
{
    if (ex) {
        bool pins_memory = ex->pins_memory;

        ex->ops->close(ex);
        if (pins_memory) {
            ram_block_discard_disable(false);
        }
    }
}
