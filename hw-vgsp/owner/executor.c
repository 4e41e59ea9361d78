/*
 * The "owner" property: which executor runs the guest's work.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "owner/executor.h"
#include "trace.h"

VgspExecutor *vgsp_executor_open(VgspState *s, Error **errp)
{
    const VgspExecutorOps *ops = NULL;
    const char *owner = s->owner, *arg = "";
    VgspExecutor *ex;

    if (!owner || !strcmp(owner, "model")) {
        ops = &vgsp_executor_model;
    } else if (strstart(owner, "rm:", &arg) || *owner == '/') {
        const char *path = *owner == '/' ? owner : arg;

        if (access(path, R_OK | W_OK) < 0) {
            error_setg_errno(errp, errno, "cannot open owner '%s'", owner);
        } else {
            error_setg(errp, "owner '%s' is not supported yet; use 'model'",
                       owner);
        }
        return NULL;
    } else {
        error_setg(errp, "owner '%s' is not known; use 'model', 'rm:' and a "
                   "device of NVIDIA's driver, or the path of a vgsp owner",
                   owner);
        return NULL;
    }

    ex = ops->open(s, arg, &s->chip, errp);
    if (ex) {
        trace_vgsp_executor_open(ops->name, s->chip.name);
    }
    return ex;
}

void vgsp_executor_close(VgspExecutor *ex)
{
    if (ex) {
        ex->ops->close(ex);
    }
}
