/*
 * PTIMER: the executor's clock as TIME_0 and TIME_1 (dev_timer.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/regs.h"
#include "owner/executor.h"
#include "trace.h"
#include "vgsp/nv/dev_timer.h"

uint64_t vgsp_ptimer_ns(VgspState *s)
{
    return s->executor->ops->clock_ns(s->executor);
}

static uint32_t ptimer_read(VgspState *s, uint32_t reg)
{
    VgspRegFile *f = vgsp_reg_file(s);

    switch (reg) {
    case NV_PTIMER_TIME_0:
        return vgsp_ptimer_ns(s) & NV_PTIMER_TIME_0_NSEC;
    case NV_PTIMER_TIME_1:
        return (vgsp_ptimer_ns(s) >> 32) & NV_PTIMER_TIME_1_NSEC;
    case NV_PTIMER_INTR_0:
        return 0;
    case NV_PTIMER_INTR_EN_0:
        return f->ptimer_intr_en;
    case NV_PTIMER_NUMERATOR:
        return f->ptimer_numerator;
    case NV_PTIMER_DENOMINATOR:
        return f->ptimer_denominator;
    case NV_PTIMER_ALARM_0:
        return f->ptimer_alarm;
    default:
        return vgsp_reg_unknown_read(s, reg);
    }
}

static void ptimer_write(VgspState *s, uint32_t reg, uint32_t val)
{
    VgspRegFile *f = vgsp_reg_file(s);

    switch (reg) {
    case NV_PTIMER_TIME_0:
    case NV_PTIMER_TIME_1:
        /*
         * Engines write timestamps of the executor's clock to memory; a guest
         * that set another time would see the two disagree.
         */
        if (!f->ptimer_set_traced) {
            f->ptimer_set_traced = true;
            trace_vgsp_ptimer_set_ignored(reg, val);
        }
        break;
    case NV_PTIMER_INTR_0:
        break;                  /* nothing pending that could be cleared */
    case NV_PTIMER_INTR_EN_0:
        f->ptimer_intr_en = val;
        break;
    case NV_PTIMER_NUMERATOR:
        f->ptimer_numerator = val;
        break;
    case NV_PTIMER_DENOMINATOR:
        f->ptimer_denominator = val;
        break;
    case NV_PTIMER_ALARM_0:
        f->ptimer_alarm = val;
        break;
    default:
        vgsp_reg_unknown_write(s, reg, val);
    }
}

const VgspRegBlock vgsp_regs_ptimer = {
    .name = "ptimer",
    .base = NV_PTIMER_BASE,
    .size = NV_PTIMER_SIZE,
    .read = ptimer_read,
    .write = ptimer_write,
};
