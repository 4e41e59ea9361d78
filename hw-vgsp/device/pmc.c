/*
 * PMC: the chip's identity, and the enables of its engines (dev_boot.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/regs.h"

static uint32_t pmc_read(VgspState *s, uint32_t reg)
{
    VgspRegFile *f = vgsp_reg_file(s);

    switch (reg) {
    case NV_PMC_BOOT_0:
        return s->chip.boot0;
    case NV_PMC_BOOT_1:
        return VGSP_SET(NV_PMC_BOOT_1_VGPU, NV_PMC_BOOT_1_VGPU_REAL);
    case NV_PMC_BOOT_42:
        return s->chip.boot42;
    case NV_PMC_INTR(0):
    case NV_PMC_INTR(1):
        return 0;
    case NV_PMC_INTR_EN(0):
    case NV_PMC_INTR_EN_SET(0):
        return f->pmc_intr_en[0];
    case NV_PMC_INTR_EN(1):
    case NV_PMC_INTR_EN_SET(1):
        return f->pmc_intr_en[1];
    case NV_PMC_ENABLE:
        return f->pmc_enable;
    default:
        return vgsp_reg_unknown_read(s, reg);
    }
}

static void pmc_write(VgspState *s, uint32_t reg, uint32_t val)
{
    VgspRegFile *f = vgsp_reg_file(s);

    switch (reg) {
    case NV_PMC_BOOT_0:
    case NV_PMC_BOOT_1:
    case NV_PMC_BOOT_42:
    case NV_PMC_INTR(0):
    case NV_PMC_INTR(1):
    case NV_PMC_INTR_EN(0):
    case NV_PMC_INTR_EN(1):
        break;                  /* read only */
    case NV_PMC_INTR_EN_SET(0):
        f->pmc_intr_en[0] |= val;
        break;
    case NV_PMC_INTR_EN_SET(1):
        f->pmc_intr_en[1] |= val;
        break;
    case NV_PMC_INTR_EN_CLEAR(0):
        f->pmc_intr_en[0] &= ~val;
        break;
    case NV_PMC_INTR_EN_CLEAR(1):
        f->pmc_intr_en[1] &= ~val;
        break;
    case NV_PMC_ENABLE:
        /* Engines hold no state that this would reset: RM does it by RPC. */
        f->pmc_enable = val;
        break;
    default:
        vgsp_reg_unknown_write(s, reg, val);
    }
}

static void pmc_reset(VgspState *s)
{
    vgsp_reg_file(s)->pmc_enable = NV_PMC_ENABLE_PDISP;
}

const VgspRegBlock vgsp_regs_pmc = {
    .name = "pmc",
    .base = NV_PMC_BASE,
    .size = NV_PMC_SIZE,
    .read = pmc_read,
    .write = pmc_write,
    .reset = pmc_reset,
};
