/*
 * Controls of a subdevice (0x2080) that describe the chip: units, engines,
 * interrupts, GR context buffers. Each answer derives from VgspChip and from
 * the profile. Commands: NVIDIA/open-gpu-kernel-modules, ctrl/ctrl2080/.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "gsp/rm-int.h"

/* ---- Units ---- */

static uint32_t gpu_get_fermi_gpc_info(VgspRm *rm, VgspRmObject *obj,
                                       uint8_t *params, size_t size)
{
    vgsp_put_le32(params, rm->s->chip.gpc_mask);
    return NV_OK;
}

static uint32_t gpu_get_fermi_tpc_info(VgspRm *rm, VgspRmObject *obj,
                                       uint8_t *params, size_t size)
{
    typedef NV2080_CTRL_GPU_GET_FERMI_TPC_INFO_PARAMS P;
    uint32_t gpc = RM_LE32(params, P, gpcId);

    if (gpc >= VGSP_CHIP_MAX_GPC || !(rm->s->chip.gpc_mask & BIT(gpc))) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    RM_PUT_LE32(params, P, tpcMask, rm->s->chip.tpc_mask[gpc]);
    return NV_OK;
}

/* No engine of the chip is a falcon that takes channels. */
static uint32_t gpu_get_constructed_falcon_info(VgspRm *rm, VgspRmObject *obj,
                                                uint8_t *params, size_t size)
{
    typedef NV2080_CTRL_GPU_GET_CONSTRUCTED_FALCON_INFO_PARAMS P;

    memset(params, 0, size);
    RM_PUT_LE32(params, P, numConstructedFalcons, 0);
    return NV_OK;
}

static uint32_t memsys_get_static_config(VgspRm *rm, VgspRmObject *obj,
                                         uint8_t *params, size_t size)
{
    typedef NV2080_CTRL_INTERNAL_MEMSYS_GET_STATIC_CONFIG_PARAMS P;
    const uint32_t compr_page_shift = 16; /* a comptag covers 64 KiB */
    const uint32_t slices_per_ltc = 4;

    /* Compression is not modelled: nothing backs compression bits. */
    memset(params, 0, size);
    RM_PUT_U8(params, P, bDisableCompbitBacking, 1);
    RM_PUT_LE64(params, P, l2CacheSize, rm->s->chip.l2_size);
    RM_PUT_U8(params, P, bFbpaPresent, 1);
    RM_PUT_LE32(params, P, comprPageSize, 1u << compr_page_shift);
    RM_PUT_LE32(params, P, comprPageShift, compr_page_shift);
    RM_PUT_LE32(params, P, ramType, NV2080_CTRL_FB_INFO_RAM_TYPE_GDDR6);
    RM_PUT_LE32(params, P, ltcCount, rm->s->chip.fb_bus_width / 32);
    RM_PUT_LE32(params, P, ltsPerLtcCount, slices_per_ltc);
    return NV_OK;
}

/* ---- Interrupts ---- */

typedef NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS IntrTable;

static void intr_add(uint8_t *params, uint32_t idx, uint32_t stall,
                     uint32_t nonstall)
{
    typedef NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_ENTRY Entry;
    uint32_t n = RM_LE32(params, IntrTable, tableLen);
    uint8_t *e = params + offsetof(IntrTable, table) + n * sizeof(Entry);

    if (idx == VGSP_ABSENT || n == NV2080_CTRL_INTERNAL_INTR_MAX_TABLE_SIZE) {
        return;
    }
    RM_PUT_LE16(e, Entry, engineIdx, idx);
    RM_PUT_LE32(e, Entry, vectorStall, stall);
    RM_PUT_LE32(e, Entry, vectorNonStall, nonstall);
    RM_PUT_LE32(params, IntrTable, tableLen, n + 1);
}

static uint32_t intr_get_kernel_table(VgspRm *rm, VgspRmObject *obj,
                                      uint8_t *params, size_t size)
{
    /* Subtrees (pairs of leafs) of each category; TU10x has no others. */
    static const struct {
        uint8_t category, subtree;
    } map[] = {
        { NV2080_INTR_CATEGORY_ESCHED_DRIVEN_ENGINE, 3 },
        { NV2080_INTR_CATEGORY_ESCHED_DRIVEN_ENGINE_NOTIFICATION, 0 },
        { NV2080_INTR_CATEGORY_UVM_OWNED, 1 },
        { NV2080_INTR_CATEGORY_UVM_SHARED, 2 },
    };
    const VgspChip *chip = &rm->s->chip;
    uint8_t *subtree = params + offsetof(IntrTable, subtreeMap);

    memset(params, 0, size);
    intr_add(params, rm->profile->mc_engine->gsp, chip->vector_gsp,
             NV_INTR_VECTOR_INVALID);
    if (rm->s->display) {
        intr_add(params, rm->profile->mc_engine->disp, chip->vector_disp,
                 NV_INTR_VECTOR_INVALID);
    }
    for (uint32_t i = 0; i < chip->num_engines; i++) {
        const VgspChipEngine *e = &chip->engine[i];

        intr_add(params, vgsp_profile_mc_engine(rm->profile, e->nv2080_type),
                 e->vector_stall, e->vector_nonstall);
    }

    memset(subtree, NV_INTR_SUBTREE_INVALID,
           2 * NV2080_INTR_CATEGORY_ENUM_COUNT);
    for (unsigned i = 0; i < ARRAY_SIZE(map); i++) {
        subtree[2 * map[i].category] = map[i].subtree;
        subtree[2 * map[i].category + 1] = map[i].subtree;
    }
    return NV_OK;
}

/* ---- Host engines ---- */

/* NV_PFAULT_MMU_ENG_ID_HOST0: fault ids of PBDMAs follow it. */
#define MMU_ENG_ID_HOST0 32

static void put_device_entry(const VgspRm *rm, uint8_t *p, uint32_t i)
{
    typedef NV2080_CTRL_FIFO_DEVICE_ENTRY Entry;
    const VgspChipEngine *e = &rm->s->chip.engine[i];
    bool is_gr = e->nv2080_type == NV2080_ENGINE_TYPE_GR0;
    /* A unit's bit in PMC and its non-stalling vector are one number. */
    uint32_t pmc_bit = e->vector_nonstall;
    const uint32_t data[] = {
        [ENGINE_INFO_TYPE_ENG_DESC] = e->eng_desc,
        [ENGINE_INFO_TYPE_FIFO_TAG] = i,
        [ENGINE_INFO_TYPE_RM_ENGINE_TYPE] =
            vgsp_profile_rm_engine(rm->profile, e->nv2080_type),
        [ENGINE_INFO_TYPE_RUNLIST] = e->runlist,
        [ENGINE_INFO_TYPE_MMU_FAULT_ID] = e->fault_id,
        [ENGINE_INFO_TYPE_RC_MASK] = BIT(i),
        [ENGINE_INFO_TYPE_RESET] = pmc_bit,
        [ENGINE_INFO_TYPE_INTR] = pmc_bit,
        [ENGINE_INFO_TYPE_MC] =
            vgsp_profile_mc_engine(rm->profile, e->nv2080_type),
        [ENGINE_INFO_TYPE_DEV_TYPE_ENUM] =
            is_gr ? NV_PTOP_DEVICE_INFO_TYPE_ENUM_GRAPHICS :
                    NV_PTOP_DEVICE_INFO_TYPE_ENUM_LCE,
        [ENGINE_INFO_TYPE_INSTANCE_ID] =
            is_gr ? 0 : e->nv2080_type - NV2080_ENGINE_TYPE_COPY0,
        [ENGINE_INFO_TYPE_RUNLIST_PRI_BASE] = 0, /* Ampere and later */
        [ENGINE_INFO_TYPE_IS_HOST_DRIVEN_ENGINE] = 1,
        [ENGINE_INFO_TYPE_RUNLIST_ENGINE_ID] = e->runlist_engine_id,
        [ENGINE_INFO_TYPE_CHRAM_PRI_BASE] = 0, /* Ampere and later */
    };

    for (unsigned w = 0; w < ARRAY_SIZE(data); w++) {
        vgsp_put_le32(p + offsetof(Entry, engineData) + 4 * w, data[w]);
    }
    vgsp_put_le32(p + offsetof(Entry, pbdmaIds), e->pbdma_id);
    vgsp_put_le32(p + offsetof(Entry, pbdmaFaultIds),
                  MMU_ENG_ID_HOST0 + e->pbdma_id);
    RM_PUT_LE32(p, Entry, numPbdmas, 1);
    pstrcpy((char *)p + offsetof(Entry, engineName),
            NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_ENGINE_MAX_NAME_LEN,
            e->name);
}

static uint32_t fifo_get_device_info_table(VgspRm *rm, VgspRmObject *obj,
                                           uint8_t *params, size_t size)
{
    typedef NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_PARAMS P;
    const uint32_t max = NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_MAX_ENTRIES;
    uint32_t base = RM_LE32(params, P, baseIndex);
    uint32_t total = rm->s->chip.num_engines, n;

    if (base % max) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    memset(params, 0, size);
    RM_PUT_LE32(params, P, baseIndex, base);
    for (n = 0; n < max && base < total && n < total - base; n++) {
        put_device_entry(rm, params + offsetof(P, entries) +
                         n * sizeof(NV2080_CTRL_FIFO_DEVICE_ENTRY), base + n);
    }
    RM_PUT_LE32(params, P, numEntries, n);
    RM_PUT_U8(params, P, bMore, base < total && n < total - base);
    return NV_OK;
}

static uint32_t ce_get_fault_method_buffer_size(VgspRm *rm, VgspRmObject *obj,
                                                uint8_t *params, size_t size)
{
    vgsp_put_le32(params, rm->s->chip.ce_mthdbuf_size);
    return NV_OK;
}

/* ---- GR ---- */

static uint32_t kgr_get_context_buffers_info(VgspRm *rm, VgspRmObject *obj,
                                             uint8_t *params, size_t size)
{
    typedef NV2080_CTRL_INTERNAL_ENGINE_CONTEXT_BUFFER_INFO Info;

    /* Entries of GR engines that the chip does not have stay zero. */
    memset(params, 0, size);
    for (unsigned i = 0; i < rm->profile->ctx_buffer_count; i++) {
        const VgspChipCtxBuf *buf = &rm->s->chip.ctxbuf[i];

        RM_PUT_LE32(params + i * sizeof(Info), Info, size, buf->size);
        RM_PUT_LE32(params + i * sizeof(Info), Info, alignment, buf->align);
    }
    return NV_OK;
}

static uint32_t gr_get_zcull_info(VgspRm *rm, VgspRmObject *obj,
                                  uint8_t *params, size_t size)
{
    for (unsigned i = 0; i < NV2080_CTRL_GR_GET_ZCULL_INFO_WORDS; i++) {
        vgsp_put_le32(params + 4 * i, rm->s->chip.zcull[i]);
    }
    return NV_OK;
}

/*
 * The "scrubber" of TU10x: a 3D channel by which RM cleans local memory. The
 * driver has built it, in this subdevice's address space, at fixed handles.
 */
static uint32_t kgr_init_bug4208224_war(VgspRm *rm, VgspRmObject *obj,
                                        uint8_t *params, size_t size)
{
    typedef NV2080_CTRL_INTERNAL_GR_INIT_BUG4208224_WAR_PARAMS P;
    const uint32_t scrubber_channel = 0xdada0045;

    if (!RM_U8(params, P, bTeardown) &&
        !vgsp_rm_object_of(obj->client, scrubber_channel, VGSP_RM_CHANNEL)) {
        return NV_ERR_OBJECT_NOT_FOUND;
    }
    return NV_OK;
}

const VgspRmControl vgsp_rm_controls_subdevice[] = {
    { NV2080_CTRL_CMD_GPU_GET_FERMI_GPC_INFO, "GPU_GET_FERMI_GPC_INFO",
      VGSP_RM_SUBDEVICE, 4, gpu_get_fermi_gpc_info },
    { NV2080_CTRL_CMD_GPU_GET_FERMI_TPC_INFO, "GPU_GET_FERMI_TPC_INFO",
      VGSP_RM_SUBDEVICE, sizeof(NV2080_CTRL_GPU_GET_FERMI_TPC_INFO_PARAMS),
      gpu_get_fermi_tpc_info },
    { NV2080_CTRL_CMD_GPU_GET_CONSTRUCTED_FALCON_INFO,
      "GPU_GET_CONSTRUCTED_FALCON_INFO", VGSP_RM_SUBDEVICE,
      sizeof(NV2080_CTRL_GPU_GET_CONSTRUCTED_FALCON_INFO_PARAMS),
      gpu_get_constructed_falcon_info },
    { NV2080_CTRL_CMD_INTERNAL_MEMSYS_GET_STATIC_CONFIG,
      "INTERNAL_MEMSYS_GET_STATIC_CONFIG", VGSP_RM_SUBDEVICE,
      sizeof(NV2080_CTRL_INTERNAL_MEMSYS_GET_STATIC_CONFIG_PARAMS),
      memsys_get_static_config },
    { NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_CONTEXT_BUFFERS_INFO,
      "INTERNAL_STATIC_KGR_GET_CONTEXT_BUFFERS_INFO", VGSP_RM_SUBDEVICE,
      NV2080_CTRL_INTERNAL_GR_MAX_ENGINES * 26 *
      sizeof(NV2080_CTRL_INTERNAL_ENGINE_CONTEXT_BUFFER_INFO),
      kgr_get_context_buffers_info },
    { NV2080_CTRL_CMD_INTERNAL_KGR_INIT_BUG4208224_WAR,
      "INTERNAL_KGR_INIT_BUG4208224_WAR", VGSP_RM_SUBDEVICE,
      sizeof(NV2080_CTRL_INTERNAL_GR_INIT_BUG4208224_WAR_PARAMS),
      kgr_init_bug4208224_war },
    { NV2080_CTRL_CMD_INTERNAL_INTR_GET_KERNEL_TABLE,
      "INTERNAL_INTR_GET_KERNEL_TABLE", VGSP_RM_SUBDEVICE,
      sizeof(IntrTable), intr_get_kernel_table },
    { NV2080_CTRL_CMD_FIFO_GET_DEVICE_INFO_TABLE,
      "FIFO_GET_DEVICE_INFO_TABLE", VGSP_RM_SUBDEVICE,
      sizeof(NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_PARAMS),
      fifo_get_device_info_table },
    { NV2080_CTRL_CMD_GR_GET_ZCULL_INFO, "GR_GET_ZCULL_INFO",
      VGSP_RM_SUBDEVICE, 4 * NV2080_CTRL_GR_GET_ZCULL_INFO_WORDS,
      gr_get_zcull_info },
    { NV2080_CTRL_CMD_CE_GET_FAULT_METHOD_BUFFER_SIZE,
      "CE_GET_FAULT_METHOD_BUFFER_SIZE", VGSP_RM_SUBDEVICE, 4,
      ce_get_fault_method_buffer_size },
    { 0 }
};
