/*
 * PGC6: GFW, the card's own firmware, has finished before a driver can look
 * (dev_gc6_island.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/regs.h"
#include "vgsp/nv/dev_gc6_island.h"

static uint32_t gfw_read(VgspState *s, uint32_t reg)
{
    switch (reg) {
    case NV_PGC6_BSI_SECURE_SCRATCH_14:
        return NV_PGC6_BSI_SECURE_SCRATCH_14_BOOT_STAGE_3_HANDOFF;
    case NV_PGC6_AON_SECURE_SCRATCH_GROUP_05_PRIV_LEVEL_MASK:
        return NV_PGC6_AON_SECURE_SCRATCH_GROUP_05_PRIV_LEVEL_MASK_READ_PROTECTION_LEVEL0;
    case NV_PGC6_AON_SECURE_SCRATCH_GROUP_03(0):
        return NV_PGC6_AON_FRTS_INPUT_WPR_SIZE_1MB_IN_4K;
    case NV_PGC6_AON_SECURE_SCRATCH_GROUP_05(0):
        return NV_PGC6_AON_SECURE_SCRATCH_GROUP_05_0_GFW_BOOT_PROGRESS_COMPLETED;
    default:
        return vgsp_reg_unknown_read(s, reg);
    }
}

const VgspRegBlock vgsp_regs_gfw = {
    .name = "gfw",
    .base = NV_PGC6_BASE,
    .size = NV_PGC6_SIZE,
    .read = gfw_read,
};
