/*
 * PBUS: scratch registers, the BAR0 window and the BAR blocks (dev_bus.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/aperture.h"
#include "device/memory.h"
#include "device/regs.h"
#include "gsp/gsp.h"
#include "trace.h"

/*
 * Binds a BAR as drivers do that run without GSP-RM. GSP-RM binds both BARs by
 * itself and its clients leave the register alone.
 */
void vgsp_bar_block_write(VgspState *s, unsigned bar, uint32_t val)
{
    static const VgspAperture apertures[] = {
        [NV_PBUS_BAR_BLOCK_TARGET_VID_MEM] = VGSP_APERTURE_VIDEO,
        [1] = VGSP_APERTURE_PEER,
        [NV_PBUS_BAR_BLOCK_TARGET_SYS_MEM_COHERENT] =
            VGSP_APERTURE_SYS_COHERENT,
        [NV_PBUS_BAR_BLOCK_TARGET_SYS_MEM_NONCOHERENT] =
            VGSP_APERTURE_SYS_NONCOHERENT,
    };
    VgspAperture aperture = apertures[VGSP_GET(NV_PBUS_BAR_BLOCK_TARGET, val)];
    uint64_t inst = VGSP_GET(NV_PBUS_BAR_BLOCK_PTR, val)
                    << NV_PBUS_BAR_BLOCK_PTR_SHIFT;
    uint8_t words[8];
    VgspPdb pdb = { 0 };

    vgsp_reg_file(s)->bar_block[bar] = val;
    trace_vgsp_bar_block(bar + 1, aperture, inst,
                         VGSP_GET(NV_PBUS_BAR_BLOCK_MODE, val));
    if (!(val & NV_PBUS_BAR_BLOCK_MODE)) {
        vgsp_bar_bind_physical(s, bar);
        return;
    }
    if (vgsp_mem_read(s, aperture, inst + NV_RAMIN_PAGE_DIR_BASE,
                      words, sizeof(words))) {
        pdb = vgsp_pdb_from_instance(vgsp_le32(words), vgsp_le32(words + 4));
    }
    vgsp_bar_bind(s, bar, &pdb, pdb.addr);
}

static bool is_scratch(uint32_t reg)
{
    return reg >= NV_PBUS_SW_SCRATCH(0) &&
           reg < NV_PBUS_SW_SCRATCH(NV_PBUS_SW_SCRATCH__SIZE_1);
}

static uint32_t pbus_read(VgspState *s, uint32_t reg)
{
    VgspRegFile *f = vgsp_reg_file(s);

    switch (reg) {
    case NV_PBUS_VBIOS_SCRATCH(NV_VBIOS_FWSECLIC_SCRATCH_INDEX_0E):
        return VGSP_REPLACE(
            NV_VBIOS_FWSECLIC_FRTS_ERR_CODE,
            f->pbus_scratch[NV_VBIOS_FWSECLIC_SCRATCH_INDEX_0E],
            vgsp_gsp_frts_err_code(s));
    case NV_PBUS_VBIOS_SCRATCH(NV_VBIOS_FWSECLIC_SCRATCH_INDEX_15):
        return VGSP_REPLACE(
            NV_VBIOS_FWSECLIC_SB_ERR_CODE,
            f->pbus_scratch[NV_VBIOS_FWSECLIC_SCRATCH_INDEX_15],
            vgsp_gsp_sb_err_code(s));
    case NV_PBUS_BAR0_WINDOW:
        return f->pbus_bar0_window;
    case NV_PBUS_BAR1_BLOCK:
        return f->bar_block[VGSP_BAR1];
    case NV_PBUS_BAR2_BLOCK:
        return f->bar_block[VGSP_BAR2];
    case NV_PBUS_BIND_STATUS:
        return 0;               /* a bind is complete when its write is */
    default:
        if (is_scratch(reg)) {
            return f->pbus_scratch[(reg - NV_PBUS_SW_SCRATCH(0)) / 4];
        }
        return vgsp_reg_unknown_read(s, reg);
    }
}

static void pbus_write(VgspState *s, uint32_t reg, uint32_t val)
{
    VgspRegFile *f = vgsp_reg_file(s);

    switch (reg) {
    case NV_PBUS_BAR0_WINDOW:
        f->pbus_bar0_window = val & (NV_PBUS_BAR0_WINDOW_BASE |
                                     NV_PBUS_BAR0_WINDOW_TARGET);
        break;
    case NV_PBUS_BAR1_BLOCK:
        vgsp_bar_block_write(s, VGSP_BAR1, val);
        break;
    case NV_PBUS_BAR2_BLOCK:
        vgsp_bar_block_write(s, VGSP_BAR2, val);
        break;
    case NV_PBUS_BIND_STATUS:
        break;                  /* read only */
    default:
        if (is_scratch(reg)) {
            f->pbus_scratch[(reg - NV_PBUS_SW_SCRATCH(0)) / 4] = val;
        } else {
            vgsp_reg_unknown_write(s, reg, val);
        }
    }
}

static void pbus_reset(VgspState *s)
{
    vgsp_reg_file(s)->bar_block[VGSP_BAR2] = NV_PBUS_BAR2_BLOCK_DEBUG_CYA;
}

const VgspRegBlock vgsp_regs_pbus = {
    .name = "pbus",
    .base = NV_PBUS_BASE,
    .size = NV_PBUS_SIZE,
    .read = pbus_read,
    .write = pbus_write,
    .reset = pbus_reset,
};
