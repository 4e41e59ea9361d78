/*
 * The chip of the model executor: the TU104 of a GeForce RTX 2080 SUPER.
 *
 * Identity, units and vectors are those of NVIDIA/open-gpu-doc
 * (manuals/turing/tu104: dev_master, dev_ctrl, dev_fifo) where it says them.
 * It does not say the sizes of the GR context buffers, the zcull figures, or
 * on which runlist an engine sits: those are ours, and drivers take them from
 * the answers that are made of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/chip.h"
#include "vgsp/nv/rm.h"

#define KIB 1024u
#define MIB (1024u * KIB)

/*
 * Vectors: a stalling one is 192 + the unit's bit of NV_PMC_INTR, the
 * notification's is the bit itself (NV_CTRL_LEGACY_ENGINE_*_INTR base).
 */
#define STALL(pmc_bit)      (192 + (pmc_bit))
#define NONSTALL(pmc_bit)   (pmc_bit)

/* NV_PFAULT_MMU_ENG_ID_* (dev_fault.h): of LCEs, and of GR's context 0. */
#define MMU_ENG_ID_GRAPHICS 64
#define MMU_ENG_ID_CE(i)    (15 + (i))

#define CE_ENGINE(i, rl, rl_engine, pbdma, pmc_bit) { \
    .name = "ce" #i, \
    .nv2080_type = NV2080_ENGINE_TYPE_COPY(i), \
    .eng_desc = VGSP_ENG_CE(i), \
    .runlist = (rl), \
    .runlist_engine_id = (rl_engine), \
    .fault_id = MMU_ENG_ID_CE(i), \
    .pbdma_id = (pbdma), \
    .vector_stall = STALL(pmc_bit), \
    .vector_nonstall = NONSTALL(pmc_bit), \
}

const VgspChip vgsp_chip_tu104 = {
    .name = "NVIDIA GeForce RTX 2080 SUPER",
    .short_name = "TU104-A",
    .boot0 = 0x164000a1,
    .boot42 = 0x164a1000,
    .device_id = 0x1e81,
    .subsystem_vendor_id = 0x10de,
    .subsystem_id = 0x13a0,
    .revision_id = 0xa1,
    .gpc_mask = 0x3f,
    .tpc_mask = { 0xf, 0xf, 0xf, 0xf, 0xf, 0xf },
    .l2_size = 4 * MIB,
    .fb_bus_width = 256,
    .num_runlists = 11,
    .num_channels = 4096,
    .ce_mthdbuf_size = 4 * KIB,
    .num_engines = 6,
    .engine = {
        {
            .name = "graphics",
            .nv2080_type = NV2080_ENGINE_TYPE_GR0,
            .eng_desc = VGSP_ENG_GR(0),
            .runlist = 0,
            .runlist_engine_id = 0,
            .fault_id = MMU_ENG_ID_GRAPHICS,
            .pbdma_id = 0,
            .vector_stall = STALL(12),
            .vector_nonstall = NONSTALL(12),
        },
        /* LCE 0 and 1 are the GRCEs: they share the runlist of GR. */
        CE_ENGINE(0, 0, 1, 0, 5),
        CE_ENGINE(1, 0, 2, 0, 6),
        CE_ENGINE(2, 1, 0, 2, 15),
        CE_ENGINE(3, 2, 0, 3, 16),
        CE_ENGINE(4, 3, 0, 4, 17),
    },
    .ctxbuf = {
        [ENGINE_ID_GRAPHICS] = { 1280 * KIB, 4 * KIB },
        [ENGINE_ID_GRAPHICS_ZCULL] = { 384 * KIB, 4 * KIB },
        [ENGINE_ID_GRAPHICS_PAGEPOOL] = { 128 * KIB, 4 * KIB },
        [ENGINE_ID_GRAPHICS_PATCH] = { 64 * KIB, 4 * KIB },
        [ENGINE_ID_GRAPHICS_BUNDLE_CB] = { 256 * KIB, 4 * KIB },
        [ENGINE_ID_GRAPHICS_ATTRIBUTE_CB] = { 8 * MIB, 4 * KIB },
        [ENGINE_ID_GRAPHICS_RTV_CB_GLOBAL] = { 384 * KIB, 4 * KIB },
        [ENGINE_ID_GRAPHICS_FECS_EVENT] = { 64 * KIB, 4 * KIB },
        [ENGINE_ID_GRAPHICS_PRIV_ACCESS_MAP] = { 512 * KIB, 4 * KIB },
    },
    /*
     * In order: width and height alignment, pixel squares by aliquots,
     * aliquots, region byte multiplier, region and subregion header sizes,
     * subregions, subregion width and height alignment. Each GPC covers
     * 32 by 32 pixels at a time, hence the widths' multiples of 6.
     */
    .zcull = { 192, 32, 1536, 12288, 32, 96, 192, 16, 384, 64 },
    .vector_gsp = 224,
    .vector_disp = STALL(26),
};

const VgspChipEngine *vgsp_chip_engine(const VgspChip *chip, uint32_t type)
{
    for (uint32_t i = 0; i < chip->num_engines; i++) {
        if (chip->engine[i].nv2080_type == type) {
            return &chip->engine[i];
        }
    }
    return NULL;
}
