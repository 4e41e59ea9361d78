/*
 * Fuses and straps: what the factory and the board say (dev_fuse.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/regs.h"
#include "vgsp/nv/dev_fuse.h"

static uint32_t fuse_read(VgspState *s, uint32_t reg)
{
    switch (reg) {
    case NV_FUSE_OPT_SECURE_GSP_DEBUG_DIS:
        /* A production card: NVIDIA's driver takes the FWSEC for it. */
        return NV_FUSE_OPT_SECURE_GSP_DEBUG_DIS_DATA_YES;
    case NV_FUSE_STATUS_OPT_DISPLAY:
        return s->display ? 0 : NV_FUSE_STATUS_OPT_DISPLAY_DATA_DISABLE;
    case NV_FUSE_STATUS_OPT_MISC:
    case NV_FUSE_OPT_NVDEC_DISABLE:
        return 0;
    default:
        return vgsp_reg_unknown_read(s, reg);
    }
}

const VgspRegBlock vgsp_regs_fuse = {
    .name = "fuse",
    .base = NV_FUSE_BASE,
    .size = NV_FUSE_SIZE,
    .read = fuse_read,
};

static uint32_t strap_read(VgspState *s, uint32_t reg)
{
    return reg == NV_PEXTDEV_BOOT_0 ? NV_PEXTDEV_BOOT_0_STRAP_CRYSTAL_27M
                                    : vgsp_reg_unknown_read(s, reg);
}

const VgspRegBlock vgsp_regs_strap = {
    .name = "strap",
    .base = NV_PEXTDEV_BASE,
    .size = NV_PEXTDEV_SIZE,
    .read = strap_read,
};
