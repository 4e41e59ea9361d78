/*
 * The classes above everything else (client, device, subdevice), events, and
 * memory lists, with the suspend controls that work on the latter.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, class/cl0000.h, cl0005.h, cl0080.h,
 * cl2080.h, kernel/rmapi/resource_list.h, ctrl/ctrl2080/ctrl2080internal.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "gsp/rm-int.h"

#define RM_PAGE_SIZE    4096u

/* ---- Events ---- */

static uint32_t event_ctor(VgspRm *rm, VgspRmObject *obj,
                           const uint8_t *params)
{
    typedef NV0005_ALLOC_PARAMETERS P;

    obj->u.event = (VgspRmEvent) {
        .source = RM_LE32(params, P, hSrcResource),
        .notify_index = RM_LE32(params, P, notifyIndex),
    };
    return NV_OK;
}

/* ---- Memory lists ---- */

static const VgspRmClass memory_classes[] = {
    {
        .cls = NV01_MEMORY_LIST_SYSTEM,
        .name = "NV01_MEMORY_LIST_SYSTEM",
        .kind = VGSP_RM_MEMORY,
        .parents = BIT(VGSP_RM_DEVICE),
    },
    {
        .cls = NV01_MEMORY_LIST_FBMEM,
        .name = "NV01_MEMORY_LIST_FBMEM",
        .kind = VGSP_RM_MEMORY,
        .parents = BIT(VGSP_RM_DEVICE),
    },
};

/*
 * RPC ALLOC_MEMORY: pages of guest memory or of VRAM by their frame numbers.
 * Only its extent is kept, as nothing is saved to it: see fbsr_init().
 */
uint32_t vgsp_rm_alloc_memory(VgspRm *rm, const uint8_t *payload, size_t len)
{
    typedef rpc_alloc_memory_v13_01 P;
    uint32_t hclient = RM_LE32(payload, P, hClient);
    uint32_t hdevice = RM_LE32(payload, P, hDevice);
    uint32_t hmemory = RM_LE32(payload, P, hMemory);
    uint32_t hclass = RM_LE32(payload, P, hClass);
    uint32_t desc = RM_LE32(payload, P, pteDesc);
    uint64_t pages = RM_LE32(payload, P, pageCount);
    uint64_t length = RM_LE64(payload, P, length);
    VgspRmClient *client = vgsp_rm_client(rm, hclient);
    VgspRmObject *device = vgsp_rm_object_of(client, hdevice, VGSP_RM_DEVICE);
    const VgspRmClass *cls = NULL;
    VgspRmObject *obj;
    uint32_t status;

    for (unsigned i = 0; i < ARRAY_SIZE(memory_classes); i++) {
        if (memory_classes[i].cls == hclass) {
            cls = &memory_classes[i];
        }
    }
    if (!cls) {
        return NV_ERR_INVALID_CLASS;
    }
    if (!client) {
        return NV_ERR_INVALID_CLIENT;
    }
    if (!device) {
        return NV_ERR_INVALID_OBJECT_PARENT;
    }
    /* The descriptor's own count has 16 bits: it says the low ones. */
    if (VGSP_GET(NV_VGPU_PTE_DESC_IDR, desc) != NV_VGPU_PTE_DESC_IDR_NONE ||
        VGSP_GET(NV_VGPU_PTE_DESC_LENGTH, desc) != (pages & 0xffff) ||
        length > pages * RM_PAGE_SIZE ||
        !vgsp_range_ok(sizeof(P), pages * sizeof(uint64_t), len)) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    status = vgsp_rm_object_new(rm, client, device, &hmemory, cls, NULL, &obj);
    if (status == NV_OK) {
        obj->u.memory.length = length;
    }
    return status;
}

/* ---- Suspend ---- */

static VgspRmObject *memory_of(VgspRm *rm, uint32_t hclient, uint32_t hmemory,
                               uint32_t cls)
{
    VgspRmObject *obj = vgsp_rm_object_of(vgsp_rm_client(rm, hclient), hmemory,
                                          VGSP_RM_MEMORY);

    return obj && obj->cls->cls == cls ? obj : NULL;
}

/*
 * The save area for what suspend would lose. VRAM and RM's objects are kept by
 * the device, so the area is checked and left alone.
 */
static uint32_t fbsr_init(VgspRm *rm, VgspRmObject *obj, uint8_t *params,
                          size_t size)
{
    typedef NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS P;
    typedef NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS_535 P535;
    bool old = size == sizeof(P535);
    uint32_t hclient = old ? RM_LE32(params, P535, hClient) :
                             RM_LE32(params, P, hClient);
    uint32_t hmemory = old ? RM_LE32(params, P535, hSysMem) :
                             RM_LE32(params, P, hSysMem);

    if (!memory_of(rm, hclient, hmemory, NV01_MEMORY_LIST_SYSTEM)) {
        return NV_ERR_OBJECT_NOT_FOUND;
    }
    return NV_OK;
}

/* 535: one region of VRAM to save. */
static uint32_t fbsr_send_region_info(VgspRm *rm, VgspRmObject *obj,
                                      uint8_t *params, size_t size)
{
    typedef NV2080_CTRL_INTERNAL_FBSR_SEND_REGION_INFO_PARAMS P;
    VgspRmObject *mem = memory_of(rm, RM_LE32(params, P, hClient),
                                  RM_LE32(params, P, hVidMem),
                                  NV01_MEMORY_LIST_FBMEM);

    if (!mem) {
        return NV_ERR_OBJECT_NOT_FOUND;
    }
    if (!vgsp_range_ok(RM_LE64(params, P, vidOffset), RM_LE64(params, P, size),
                       mem->u.memory.length)) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    return NV_OK;
}

static uint32_t toggle_active_channel_scheduling(VgspRm *rm, VgspRmObject *obj,
                                                 uint8_t *params, size_t size)
{
    typedef
        NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING_PARAMS P;

    rm->channels_disabled = RM_U8(params, P, bDisableActiveChannels);
    vgsp_host_disable_all(rm->s, rm->channels_disabled);
    return NV_OK;
}

/* Compression bits have no backing store: see memsys_get_static_config(). */
static uint32_t fb_get_compbit_store_info(VgspRm *rm, VgspRmObject *obj,
                                          uint8_t *params, size_t size)
{
    typedef NV0080_CTRL_FB_GET_COMPBIT_STORE_INFO_PARAMS P;
    const uint32_t nowhere =
        NV0080_CTRL_CMD_FB_GET_COMPBIT_STORE_INFO_ADDRESS_SPACE_UNKNOWN;

    memset(params, 0, size);
    RM_PUT_LE64(params, P, Size, 0);
    RM_PUT_LE32(params, P, AddressSpace, nowhere);
    return NV_OK;
}

/* The board has neither GC6 nor GCOFF: no power rail can be cut. */
static uint32_t gcx_entry_prerequisite(VgspRm *rm, VgspRmObject *obj,
                                       uint8_t *params, size_t size)
{
    typedef NV2080_CTRL_INTERNAL_GCX_ENTRY_PREREQUISITE_PARAMS P;

    RM_PUT_U8(params, P, bIsGC6Satisfied, 0);
    RM_PUT_U8(params, P, bIsGCOFFSatisfied, 0);
    return NV_OK;
}

/* ---- Tables ---- */

#define ANY_PARENT (BIT(VGSP_RM_CLIENT) | BIT(VGSP_RM_DEVICE) | \
                    BIT(VGSP_RM_SUBDEVICE) | BIT(VGSP_RM_VASPACE) | \
                    BIT(VGSP_RM_CHANNEL) | BIT(VGSP_RM_ENGINE_OBJECT) | \
                    BIT(VGSP_RM_MEMORY))

#define EVENT(c) { \
    .cls = c, \
    .name = #c, \
    .kind = VGSP_RM_EVENT, \
    .parents = ANY_PARENT, \
    .size = sizeof(NV0005_ALLOC_PARAMETERS), \
    .ctor = event_ctor, \
}

const VgspRmClass vgsp_rm_classes_base[] = {
    {
        .cls = NV01_ROOT,
        .name = "NV01_ROOT",
        .kind = VGSP_RM_CLIENT,
        .size = VGSP_RM_SIZE_ROOT,
        .optional = true,
    },
    {
        .cls = NV01_DEVICE_0,
        .name = "NV01_DEVICE_0",
        .kind = VGSP_RM_DEVICE,
        .parents = BIT(VGSP_RM_CLIENT),
        .size = sizeof(NV0080_ALLOC_PARAMETERS),
        .optional = true,
    },
    {
        .cls = NV20_SUBDEVICE_0,
        .name = "NV20_SUBDEVICE_0",
        .kind = VGSP_RM_SUBDEVICE,
        .parents = BIT(VGSP_RM_DEVICE),
        .size = sizeof(NV2080_ALLOC_PARAMETERS),
        .optional = true,
    },
    EVENT(NV01_EVENT),
    EVENT(NV01_EVENT_KERNEL_CALLBACK),
    EVENT(NV01_EVENT_KERNEL_CALLBACK_EX),
    { 0 }
};

const VgspRmControl vgsp_rm_controls_power[] = {
    { NV2080_CTRL_CMD_INTERNAL_FBSR_INIT, "INTERNAL_FBSR_INIT",
      VGSP_RM_SUBDEVICE, sizeof(NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS),
      fbsr_init },
    { 0, "INTERNAL_FBSR_SEND_REGION_INFO", VGSP_RM_SUBDEVICE,
      sizeof(NV2080_CTRL_INTERNAL_FBSR_SEND_REGION_INFO_PARAMS),
      fbsr_send_region_info },
    { NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING,
      "INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING", VGSP_RM_SUBDEVICE,
      sizeof(
        NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING_PARAMS),
      toggle_active_channel_scheduling },
    { NV0080_CTRL_CMD_FB_GET_COMPBIT_STORE_INFO, "FB_GET_COMPBIT_STORE_INFO",
      VGSP_RM_DEVICE, sizeof(NV0080_CTRL_FB_GET_COMPBIT_STORE_INFO_PARAMS),
      fb_get_compbit_store_info },
    { NV2080_CTRL_CMD_INTERNAL_GCX_ENTRY_PREREQUISITE,
      "INTERNAL_GCX_ENTRY_PREREQUISITE", VGSP_RM_SUBDEVICE,
      sizeof(NV2080_CTRL_INTERNAL_GCX_ENTRY_PREREQUISITE_PARAMS),
      gcx_entry_prerequisite },
    { 0 }
};
