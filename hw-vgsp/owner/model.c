/*
 * The model executor: the chip of an RTX 2080 SUPER and the virtual clock.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "owner/executor.h"

static VgspExecutor *model_open(VgspState *s, const char *arg, VgspChip *chip,
                                Error **errp)
{
    VgspExecutor *ex = g_new0(VgspExecutor, 1);

    ex->ops = &vgsp_executor_model;
    *chip = vgsp_chip_tu104;
    return ex;
}

static void model_close(VgspExecutor *ex)
{
    g_free(ex);
}

static uint64_t model_clock_ns(VgspExecutor *ex)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

const VgspExecutorOps vgsp_executor_model = {
    .name = "model",
    .open = model_open,
    .close = model_close,
    .clock_ns = model_clock_ns,
};
