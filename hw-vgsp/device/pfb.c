/*
 * PFB: size of local memory, flushes, TLB invalidation by its old name, and
 * the write-protected region (dev_fb.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "device/regs.h"
#include "gsp/gsp.h"
#include "vgsp/nv/dev_fb.h"

/* MAG has six bits, and vram-size is a multiple of what they can count. */
static uint32_t local_memory_range(uint64_t size)
{
    uint64_t mag = size / MiB;
    unsigned scale = 0;

    while (mag > VGSP_GET(NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_MAG,
                          UINT64_MAX)) {
        mag >>= 1;
        scale++;
    }
    return VGSP_SET(NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_MAG, mag) |
           VGSP_SET(NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_SCALE, scale);
}

static uint32_t pfb_read(VgspState *s, uint32_t reg)
{
    VgspRegFile *f = vgsp_reg_file(s);

    switch (reg) {
    case NV_PFB_NISO_FLUSH_SYSMEM_ADDR:
        return f->pfb_flush_addr;
    case NV_PFB_NISO_FLUSH_SYSMEM_ADDR_HI:
        return f->pfb_flush_addr_hi;
    case NV_PFB_PRI_MMU_CTRL:
        return f->pfb_ctrl;
    case NV_PFB_PRI_MMU_INVALIDATE_PDB:
        return f->invalidate_pdb;
    case NV_PFB_PRI_MMU_INVALIDATE_UPPER_PDB:
        return f->invalidate_upper_pdb;
    case NV_PFB_PRI_MMU_INVALIDATE:
        return 0;               /* complete when its write is */
    case NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE:
        return local_memory_range(s->vram_size);
    case NV_PFB_PRI_MMU_L2TLB_ECC_UNCORRECTED_ERR_COUNT:
    case NV_PFB_PRI_MMU_HUBTLB_ECC_UNCORRECTED_ERR_COUNT:
    case NV_PFB_PRI_MMU_FILLUNIT_ECC_UNCORRECTED_ERR_COUNT:
        return 0;
    default:
        return vgsp_reg_unknown_read(s, reg);
    }
}

static void pfb_write(VgspState *s, uint32_t reg, uint32_t val)
{
    VgspRegFile *f = vgsp_reg_file(s);

    switch (reg) {
    case NV_PFB_NISO_FLUSH_SYSMEM_ADDR:
        f->pfb_flush_addr = val;
        break;
    case NV_PFB_NISO_FLUSH_SYSMEM_ADDR_HI:
        f->pfb_flush_addr_hi = val;
        break;
    case NV_PFB_PRI_MMU_CTRL:
        f->pfb_ctrl = val;
        break;
    case NV_PFB_PRI_MMU_INVALIDATE_PDB:
        f->invalidate_pdb = val;
        break;
    case NV_PFB_PRI_MMU_INVALIDATE_UPPER_PDB:
        f->invalidate_upper_pdb = val;
        break;
    case NV_PFB_PRI_MMU_INVALIDATE:
        vgsp_invalidate_write(s, val);
        break;
    case NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE:
    case NV_PFB_PRI_MMU_L2TLB_ECC_UNCORRECTED_ERR_COUNT:
    case NV_PFB_PRI_MMU_HUBTLB_ECC_UNCORRECTED_ERR_COUNT:
    case NV_PFB_PRI_MMU_FILLUNIT_ECC_UNCORRECTED_ERR_COUNT:
        break;                  /* protected; counters are cleared so */
    default:
        vgsp_reg_unknown_write(s, reg, val);
    }
}

const VgspRegBlock vgsp_regs_pfb = {
    .name = "pfb",
    .base = NV_PFB_BASE,
    .size = NV_PFB_SIZE,
    .read = pfb_read,
    .write = pfb_write,
};

static uint32_t pfb_gap_read(VgspState *s, uint32_t reg)
{
    switch (reg) {
    case NV_PFB_PRI_MMU_WPR2_ADDR_LO:
        return vgsp_gsp_wpr2_lo(s);
    case NV_PFB_PRI_MMU_WPR2_ADDR_HI:
        return vgsp_gsp_wpr2_hi(s);
    default:
        return vgsp_reg_unknown_read(s, reg);
    }
}

static void pfb_gap_write(VgspState *s, uint32_t reg, uint32_t val)
{
    switch (reg) {
    case NV_PFB_PRI_MMU_WPR2_ADDR_LO:
    case NV_PFB_PRI_MMU_WPR2_ADDR_HI:
        break;                  /* only firmware may */
    default:
        vgsp_reg_unknown_write(s, reg, val);
    }
}

const VgspRegBlock vgsp_regs_pfb_gap = {
    .name = "pfb-gap",
    .base = NV_PFB_GAP_BASE,
    .size = NV_PFB_GAP_SIZE,
    .read = pfb_gap_read,
    .write = pfb_gap_write,
};
