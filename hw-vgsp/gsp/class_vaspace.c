/*
 * Address spaces (FERMI_VASPACE_A) and the page directories that a driver
 * publishes for them and for BAR1 and BAR2. Each publication counts as an
 * invalidation and reaches the channels of the space.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, ctrl/ctrl0080/ctrl0080dma.h,
 * ctrl/ctrl90f1.h, kernel/mem_mgr/gpu_vaspace.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/aperture.h"
#include "device/memory.h"
#include "gsp/rm-int.h"

/* Page directories are aligned to it; NV_RAMIN_PAGE_DIR_BASE_LO. */
#define PAGE_DIR_ALIGN  4096u

static void invalidate(VgspRm *rm, const VgspPdb *pdb)
{
    VgspInvalidate inv = { .pdb = *pdb, .all_va = true };

    if (pdb->valid) {
        vgsp_invalidate(rm->s, &inv);
    }
}

static void set_pdb(VgspRm *rm, VgspRmObject *vaspace, const VgspPdb *pdb)
{
    VgspPdb old = vaspace->u.vaspace.pdb;
    VgspRmObject *ch;

    vaspace->u.vaspace.pdb = *pdb;
    QTAILQ_FOREACH(ch, &vaspace->u.vaspace.channels, u.channel.in_vaspace) {
        if (ch->u.channel.host) {
            vgsp_host_channel_set_pdb(rm->s, ch->u.channel.host, pdb);
        }
    }
    invalidate(rm, &old);
    invalidate(rm, pdb);
}

static uint32_t vaspace_ctor(VgspRm *rm, VgspRmObject *obj,
                             const uint8_t *params)
{
    typedef NV_VASPACE_ALLOCATION_PARAMETERS P;

    /* The other indices name spaces that RM itself would share. */
    if (RM_LE32(params, P, index) != NV_VASPACE_ALLOCATION_INDEX_GPU_NEW) {
        return NV_ERR_NOT_SUPPORTED;
    }
    obj->u.vaspace.replayable = RM_LE32(params, P, flags) &
                                NV_VASPACE_ALLOCATION_FLAGS_ENABLE_PAGE_FAULTING;
    QTAILQ_INIT(&obj->u.vaspace.channels);
    return NV_OK;
}

/*
 * Channels depend on their space: RM frees them with it. The invalidation is
 * left to vgsp_rm_free_handle(): a client may have a great many spaces.
 */
static void vaspace_dtor(VgspRm *rm, VgspRmObject *obj)
{
    VgspRmObject *ch;

    while ((ch = QTAILQ_FIRST(&obj->u.vaspace.channels))) {
        vgsp_rm_object_free(rm, ch);
    }
    rm->stale |= obj->u.vaspace.pdb.valid;
}

static bool aperture_of_flags(uint32_t flags, VgspAperture *aperture)
{
    switch (VGSP_GET(NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE,
                     flags)) {
    case NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE_VIDMEM:
        *aperture = VGSP_APERTURE_VIDEO;
        return true;
    case NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE_SYSMEM_COH:
        *aperture = VGSP_APERTURE_SYS_COHERENT;
        return true;
    case NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE_SYSMEM_NONCOH:
        *aperture = VGSP_APERTURE_SYS_NONCOHERENT;
        return true;
    default:
        return false;
    }
}

static uint32_t dma_set_page_directory(VgspRm *rm, VgspRmObject *obj,
                                       uint8_t *params, size_t size)
{
    typedef NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_PARAMS P;
    uint64_t addr = RM_LE64(params, P, physAddress);
    VgspRmObject *vaspace = vgsp_rm_object_of(obj->client,
                                              RM_LE32(params, P, hVASpace),
                                              VGSP_RM_VASPACE);
    VgspAperture aperture;
    VgspPdb pdb;

    if (!vaspace) {
        return NV_ERR_OBJECT_NOT_FOUND;
    }
    if (!aperture_of_flags(RM_LE32(params, P, flags), &aperture)) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    if (addr % PAGE_DIR_ALIGN) {
        return NV_ERR_INVALID_ADDRESS;
    }
    pdb = vgsp_pdb_from_address(aperture, addr);
    set_pdb(rm, vaspace, &pdb);
    return NV_OK;
}

static uint32_t dma_unset_page_directory(VgspRm *rm, VgspRmObject *obj,
                                         uint8_t *params, size_t size)
{
    typedef NV0080_CTRL_DMA_UNSET_PAGE_DIRECTORY_PARAMS P;
    VgspRmObject *vaspace = vgsp_rm_object_of(obj->client,
                                              RM_LE32(params, P, hVASpace),
                                              VGSP_RM_VASPACE);
    VgspPdb none = { 0 };

    if (!vaspace) {
        return NV_ERR_OBJECT_NOT_FOUND;
    }
    set_pdb(rm, vaspace, &none);
    return NV_OK;
}

/*
 * A space that RM manages: the driver shows the tables above RM's reserved
 * range, from the root on. RM maps nothing there that could be seen.
 */
static uint32_t copy_server_reserved_pdes(VgspRm *rm, VgspRmObject *obj,
                                          uint8_t *params, size_t size)
{
    typedef NV90F1_CTRL_VASPACE_COPY_SERVER_RESERVED_PDES_PARAMS P;
    uint32_t levels = RM_LE32(params, P, numLevelsToCopy);
    uint64_t root = RM_LE64(params, P, levels[0].physAddress);
    VgspAperture aperture;
    VgspPdb pdb;

    if (levels == 0 || levels > GMMU_FMT_MAX_LEVELS) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    switch (RM_LE32(params, P, levels[0].aperture)) {
    case GMMU_APERTURE_VIDEO:
        aperture = VGSP_APERTURE_VIDEO;
        break;
    case GMMU_APERTURE_SYS_COH:
        aperture = VGSP_APERTURE_SYS_COHERENT;
        break;
    case GMMU_APERTURE_SYS_NONCOH:
        aperture = VGSP_APERTURE_SYS_NONCOHERENT;
        break;
    default:
        return NV_ERR_INVALID_ARGUMENT;
    }
    if (root % PAGE_DIR_ALIGN) {
        return NV_ERR_INVALID_ADDRESS;
    }
    pdb = vgsp_pdb_from_address(aperture, root);
    set_pdb(rm, obj, &pdb);
    return NV_OK;
}

void vgsp_rm_bind_bars(VgspRm *rm)
{
    VgspPdb bar1 = vgsp_pdb_from_address(VGSP_APERTURE_VIDEO,
                                         rm->bar1_pde_base);

    vgsp_bar_bind(rm->s, VGSP_BAR1, &bar1, rm->bar1_pde_base);
    vgsp_bar_bind(rm->s, VGSP_BAR2, rm->bar2_pdb.valid ? &rm->bar2_pdb : NULL,
                  rm->bar2_pde_base);
}

/*
 * RPC UPDATE_BAR_PDE: entry 0 of RM's own directory of a BAR. BAR1's is
 * memory, which the driver may also write by itself; BAR2's is known to the
 * driver by its address only, so its one entry is kept here.
 */
uint32_t vgsp_rm_update_bar_pde(VgspRm *rm, const uint8_t *payload)
{
    typedef rpc_update_bar_pde_v15_00 P;
    uint64_t pde = RM_LE64(payload, P, entryValue);
    VgspPdb pdb;
    uint8_t le[8];

    if (RM_LE64(payload, P, entryLevelShift) != NV_MMU_VER2_PD3_SHIFT) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    switch (RM_LE32(payload, P, barType)) {
    case NV_RPC_UPDATE_PDE_BAR_1:
        vgsp_put_le64(le, pde);
        vgsp_vram_write(rm->s, rm->bar1_pde_base, le, sizeof(le));
        pdb = vgsp_pdb_from_address(VGSP_APERTURE_VIDEO, rm->bar1_pde_base);
        invalidate(rm, &pdb);
        return NV_OK;
    case NV_RPC_UPDATE_PDE_BAR_2:
        rm->bar2_pdb = pde ? vgsp_pdb_from_pde(VGSP_APERTURE_VIDEO,
                                               rm->bar2_pde_base, pde) :
                             (VgspPdb) { 0 };
        vgsp_rm_bind_bars(rm);
        return NV_OK;
    default:
        return NV_ERR_INVALID_ARGUMENT;
    }
}

const VgspRmClass vgsp_rm_classes_vaspace[] = {
    {
        .cls = FERMI_VASPACE_A,
        .name = "FERMI_VASPACE_A",
        .kind = VGSP_RM_VASPACE,
        .parents = BIT(VGSP_RM_DEVICE) | BIT(VGSP_RM_SUBDEVICE),
        .size = sizeof(NV_VASPACE_ALLOCATION_PARAMETERS),
        .ctor = vaspace_ctor,
        .dtor = vaspace_dtor,
    },
    { 0 }
};

const VgspRmControl vgsp_rm_controls_vaspace[] = {
    { NV0080_CTRL_CMD_DMA_SET_PAGE_DIRECTORY, "DMA_SET_PAGE_DIRECTORY",
      VGSP_RM_DEVICE, sizeof(NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_PARAMS),
      dma_set_page_directory },
    { NV0080_CTRL_CMD_DMA_UNSET_PAGE_DIRECTORY, "DMA_UNSET_PAGE_DIRECTORY",
      VGSP_RM_DEVICE, sizeof(NV0080_CTRL_DMA_UNSET_PAGE_DIRECTORY_PARAMS),
      dma_unset_page_directory },
    { NV90F1_CTRL_CMD_VASPACE_COPY_SERVER_RESERVED_PDES,
      "VASPACE_COPY_SERVER_RESERVED_PDES", VGSP_RM_VASPACE,
      sizeof(NV90F1_CTRL_VASPACE_COPY_SERVER_RESERVED_PDES_PARAMS),
      copy_server_reserved_pdes },
    { 0 }
};
