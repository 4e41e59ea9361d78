/*
 * PDISP of a card without heads, the VGA CRTC registers that devinit touches,
 * and the flush register (dev_disp.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/regs.h"
#include "vgsp/nv/dev_disp.h"

static uint32_t pdisp_read(VgspState *s, uint32_t reg)
{
    switch (reg) {
    case NV_PDISP_FE_RM_INTR_DISPATCH:
    case NV_PDISP_VGA_WORKSPACE_BASE:
        return 0;               /* nothing pending; VGA has no workspace */
    default:
        return vgsp_reg_unknown_read(s, reg);
    }
}

const VgspRegBlock vgsp_regs_pdisp = {
    .name = "pdisp",
    .base = NV_PDISP_BASE,
    .size = NV_PDISP_SIZE,
    .read = pdisp_read,
};

/* CRTC index and data are byte ports; both are plain storage. */
static bool vga_access(VgspState *s, uint32_t reg, void *buf, unsigned size,
                       bool is_write)
{
    VgspRegFile *f = vgsp_reg_file(s);
    uint8_t *b = buf;

    if (reg < NV_PRMCIO_CRTC_INDEX || reg + size > NV_PRMCIO_CRTC_DATA + 1) {
        return false;
    }
    for (unsigned i = 0; i < size; i++) {
        uint8_t *port = reg + i == NV_PRMCIO_CRTC_INDEX
                        ? &f->vga_crtc_index : &f->vga_crtc[f->vga_crtc_index];

        if (is_write) {
            *port = b[i];
        } else {
            b[i] = *port;
        }
    }
    return true;
}

const VgspRegBlock vgsp_regs_vga = {
    .name = "vga",
    .base = NV_PRMCIO_BASE,
    .size = NV_PRMCIO_SIZE,
    .access = vga_access,
};

/* Writes are in memory before the next instruction: never outstanding. */
static uint32_t uflush_read(VgspState *s, uint32_t reg)
{
    return reg == NV_UFLUSH_FB_FLUSH ? 0 : vgsp_reg_unknown_read(s, reg);
}

static void uflush_write(VgspState *s, uint32_t reg, uint32_t val)
{
    if (reg != NV_UFLUSH_FB_FLUSH) {
        vgsp_reg_unknown_write(s, reg, val);
    }
}

const VgspRegBlock vgsp_regs_uflush = {
    .name = "uflush",
    .base = NV_UFLUSH_BASE,
    .size = NV_UFLUSH_SIZE,
    .read = uflush_read,
    .write = uflush_write,
};
