/*
 * The GSP client's suspend and resume.  Specified by nouveau's
 * nvkm/subdev/gsp/rm/{r570,r535}/fbsr.c and rm/r535/gsp.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "client-priv.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/dev_mmu.h"
#include "vgsp/nv/rm.h"

#define HANDLE_FBSR         0xcaf00003u
/* 535: a client of its own for the two memory lists. */
#define HANDLE_FBSR_CLIENT  0xc1d0fb50u
#define HANDLE_FBSR_DEVICE  0xde1d0000u
#define HANDLE_FBSR_VRAM    (HANDLE_FBSR + 1)
#define FBSR_TYPE_DMA       2u

#define SUSPEND_DELAY_US    50000u
#define INIT_DONE_TIMEOUT_US 10000000u

/* NVOS02_FLAGS: PHYSICALITY_NONCONTIGUOUS, LOCATION_VIDMEM, MAPPING_NO_MAP */
#define NVOS02_NONCONTIGUOUS (1u << 4)
#define NVOS02_VIDMEM        (2u << 8)
#define NVOS02_NO_MAP        (1u << 30)

static bool power_is_570(VgspGspClient *c)
{
    return c->profile->system_info_size == GSP_SYSTEM_INFO_SIZE_570_144;
}

/* 570 stops the channels by itself when told to; 535 never does. */
static int power_toggle(VgspGspClient *c, uint8_t disable)
{
    if (!power_is_570(c)) {
        return 0;
    }
    return vgsp_gsp_rm_control(c, c->info.client, c->info.subdevice,
        NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING,
        &disable, sizeof(disable));
}

/* Name memory to RM by its pages: those of mem, or of VRAM at vram. */
static int power_memory_list(VgspGspClient *c, NvHandle client,
                             NvHandle device, NvHandle handle,
                             const VgspGspMem *mem, uint64_t vram,
                             uint64_t size)
{
    typedef rpc_alloc_memory_v13_01 Msg;
    uint32_t pages = (uint32_t)(size / GSP_PAGE);
    uint32_t len = (uint32_t)sizeof(Msg) + pages * 8;
    uint8_t *p = c->tx;

    if (len > c->tx_size) {
        return VGSP_GSP_EMSGSIZE;
    }
    memset(p, 0, sizeof(Msg));
    vgsp_put_le32(p + offsetof(Msg, hClient), client);
    vgsp_put_le32(p + offsetof(Msg, hDevice), device);
    vgsp_put_le32(p + offsetof(Msg, hMemory), handle);
    vgsp_put_le32(p + offsetof(Msg, hClass),
                  mem ? NV01_MEMORY_LIST_SYSTEM : NV01_MEMORY_LIST_FBMEM);
    vgsp_put_le32(p + offsetof(Msg, flags),
                  NVOS02_NO_MAP | (mem ? NVOS02_NONCONTIGUOUS
                                       : NVOS02_VIDMEM));
    vgsp_put_le32(p + offsetof(Msg, format),
                  mem ? 0 : NV_MMU_PTE_KIND_GENERIC_MEMORY);
    vgsp_put_le64(p + offsetof(Msg, length), size);
    vgsp_put_le32(p + offsetof(Msg, pageCount), pages);
    vgsp_put_le32(p + offsetof(Msg, pteDesc),
                  (uint32_t)VGSP_SET(NV_VGPU_PTE_DESC_LENGTH, pages));
    for (uint32_t i = 0; i < pages; i++) {
        uint64_t offset = i * (uint64_t)GSP_PAGE;
        uint64_t addr = mem ? c->ops->dma_addr(c->opaque, mem, offset)
                            : vram + offset;

        vgsp_put_le64(p + sizeof(Msg) + i * 8, addr / GSP_PAGE);
    }
    return vgsp_gsp_rpc(c, NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY, p, len, NULL,
                        NULL);
}

/* VRAM of firmware outside of WPR2: what RM saves into c->fbsr. */
static uint64_t power_reserved_size(VgspGspClient *c)
{
    const VgspGspLayout *l = &c->layout;

    return l->wpr - (c->info.usable_limit + 1) +
        (l->fb_size - l->vga_workspace);
}

static int power_fbsr_570(VgspGspClient *c)
{
    typedef NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS Init;
    typedef NV0080_CTRL_FB_GET_COMPBIT_STORE_INFO_PARAMS Store;
    uint8_t init[sizeof(Init)] = { 0 };
    uint8_t store[sizeof(Store)] = { 0 };
    uint64_t size;
    int ret;

    ret = vgsp_gsp_rm_control(c, c->info.client, c->info.device,
                              NV0080_CTRL_CMD_FB_GET_COMPBIT_STORE_INFO, store,
                              sizeof(store));
    if (ret) {
        return ret;
    }
    size = VGSP_ALIGN_UP(power_reserved_size(c) +
                         vgsp_le64(store + offsetof(Store, Size)), GSP_PAGE);
    ret = gsp_mem_new(c, size, false, &c->fbsr);
    if (!ret) {
        ret = power_memory_list(c, c->info.client, c->info.device, HANDLE_FBSR,
                                &c->fbsr, 0, size);
    }
    if (ret) {
        return ret;
    }
    vgsp_put_le32(init + offsetof(Init, hClient), c->info.client);
    vgsp_put_le32(init + offsetof(Init, hSysMem), HANDLE_FBSR);
    init[offsetof(Init, bEnteringGcoffState)] = 1;
    vgsp_put_le64(init + offsetof(Init, sysmemAddrOfSuspendResumeData),
                  gsp_mem_addr(c, &c->sr_meta));
    ret = vgsp_gsp_rm_control(c, c->info.client, c->info.subdevice,
                              NV2080_CTRL_CMD_INTERNAL_FBSR_INIT, init,
                              sizeof(init));
    return ret ? ret : vgsp_gsp_rm_free(c, c->info.client, HANDLE_FBSR);
}

/* One region, the non-WPR heap, and RM's own behind it. */
static int power_fbsr_535_regions(VgspGspClient *c)
{
    typedef NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS_535 Init;
    typedef NV2080_CTRL_INTERNAL_FBSR_SEND_REGION_INFO_PARAMS Send;
    uint8_t init[sizeof(Init)] = { 0 };
    uint8_t send[sizeof(Send)] = { 0 };
    uint64_t heap = c->layout.wpr - c->layout.nonwpr_heap;
    int ret;

    ret = power_memory_list(c, HANDLE_FBSR_CLIENT, HANDLE_FBSR_DEVICE,
                            HANDLE_FBSR, &c->fbsr, 0, c->fbsr.size);
    if (ret) {
        return ret;
    }
    vgsp_put_le32(init + offsetof(Init, fbsrType), FBSR_TYPE_DMA);
    vgsp_put_le32(init + offsetof(Init, numRegions), 1);
    vgsp_put_le32(init + offsetof(Init, hClient), HANDLE_FBSR_CLIENT);
    vgsp_put_le32(init + offsetof(Init, hSysMem), HANDLE_FBSR);
    vgsp_put_le64(init + offsetof(Init, gspFbAllocsSysOffset), heap);
    ret = vgsp_gsp_rm_control(c, c->info.client, c->info.subdevice,
                              NV2080_CTRL_CMD_INTERNAL_FBSR_INIT, init,
                              sizeof(init));
    if (!ret) {
        ret = power_memory_list(c, HANDLE_FBSR_CLIENT, HANDLE_FBSR_DEVICE,
                                HANDLE_FBSR_VRAM, NULL, c->layout.nonwpr_heap,
                                heap);
    }
    if (ret) {
        return ret;
    }
    vgsp_put_le32(send + offsetof(Send, fbsrType), FBSR_TYPE_DMA);
    vgsp_put_le32(send + offsetof(Send, hClient), HANDLE_FBSR_CLIENT);
    vgsp_put_le32(send + offsetof(Send, hVidMem), HANDLE_FBSR_VRAM);
    vgsp_put_le64(send + offsetof(Send, size), heap);
    return vgsp_gsp_rm_control(c, c->info.client, c->info.subdevice,
                               NV2080_CTRL_CMD_INTERNAL_FBSR_SEND_REGION_INFO,
                               send, sizeof(send));
}

static int power_fbsr_535(VgspGspClient *c)
{
    uint8_t root[sizeof(NV0000_ALLOC_PARAMETERS_535)] = { 0 };
    uint8_t device[sizeof(NV0080_ALLOC_PARAMETERS)] = { 0 };
    NvHandle client = HANDLE_FBSR_CLIENT;
    int ret, err;

    ret = gsp_mem_new(c, VGSP_ALIGN_UP(power_reserved_size(c), GSP_PAGE),
                      false, &c->fbsr);
    if (ret) {
        return ret;
    }
    vgsp_put_le32(root + offsetof(NV0000_ALLOC_PARAMETERS_535, hClient),
                  client);
    ret = vgsp_gsp_rm_alloc(c, client, client, client, NV01_ROOT, root,
                            sizeof(root));
    if (ret) {
        return ret;
    }
    vgsp_put_le32(device + offsetof(NV0080_ALLOC_PARAMETERS, hClientShare),
                  client);
    ret = vgsp_gsp_rm_alloc(c, client, client, HANDLE_FBSR_DEVICE,
                            NV01_DEVICE_0, device, sizeof(device));
    if (!ret) {
        ret = power_fbsr_535_regions(c);
    }
    err = vgsp_gsp_rm_free(c, client, client);
    return ret ? ret : err;
}

static int power_sr_meta(VgspGspClient *c)
{
    const VgspGspLayout *l = &c->layout;
    uint8_t meta[sizeof(GspFwSRMeta)] = { 0 };
    uint64_t size = l->frts - l->wpr +
        (uint64_t)FWSECLIC_FRTS_REGION_SIZE_1MB_IN_4K * GSP_PAGE;
    int ret;

    ret = gsp_mem_new(c, size, false, &c->sr_data);
    if (!ret) {
        ret = gsp_mem_radix3(c, &c->sr_data, c->sr_radix);
    }
    if (!ret) {
        ret = gsp_mem_new(c, GSP_PAGE, true, &c->sr_meta);
    }
    if (ret) {
        return ret;
    }
    vgsp_put_le64(meta + offsetof(GspFwSRMeta, magic), GSP_FW_SR_META_MAGIC);
    vgsp_put_le64(meta + offsetof(GspFwSRMeta, revision),
                  GSP_FW_SR_META_REVISION);
    vgsp_put_le64(meta + offsetof(GspFwSRMeta, sysmemAddrOfSuspendResumeData),
                  gsp_mem_addr(c, &c->sr_radix[0]));
    vgsp_put_le64(meta + offsetof(GspFwSRMeta, sizeOfSuspendResumeData), size);
    return gsp_mem_write(c, &c->sr_meta, 0, meta, sizeof(meta));
}

static void power_free(VgspGspClient *c)
{
    gsp_mem_free(c, &c->sr_meta);
    gsp_mem_free(c, &c->sr_data);
    gsp_mem_free(c, &c->fbsr);
    for (int i = 0; i < 3; i++) {
        gsp_mem_free(c, &c->sr_radix[i]);
    }
}

int vgsp_gsp_suspend(VgspGspClient *c)
{
    uint64_t addr;
    int ret;

    if (c->phase != VGSP_GSP_RUNNING) {
        return VGSP_GSP_EBUSY;
    }
    ret = power_sr_meta(c);
    if (!ret) {
        ret = power_toggle(c, 1);
    }
    if (!ret) {
        ret = power_is_570(c) ? power_fbsr_570(c) : power_fbsr_535(c);
        if (!ret) {
            c->ops->delay_us(c->opaque, SUSPEND_DELAY_US);
            addr = gsp_mem_addr(c, &c->sr_meta);
            ret = gsp_stop(c, true, (uint32_t)addr, (uint32_t)(addr >> 32));
        } else {
            power_toggle(c, 0);
        }
    }
    if (ret) {
        power_free(c);
        return ret;
    }
    c->phase = VGSP_GSP_SUSPENDED;
    return 0;
}

int vgsp_gsp_resume(VgspGspClient *c)
{
    int ret;

    if (c->phase != VGSP_GSP_SUSPENDED) {
        return VGSP_GSP_EBUSY;
    }
    ret = vgsp_gsp_wait_gfw(c);
    if (!ret) {
        ret = gsp_rmargs_write(c, true);
    }
    if (!ret) {
        ret = gsp_booter_start(c, &c->sr_meta);
    }
    if (!ret) {
        /* The queues go on where they were: pointers and sequence alike. */
        ret = vgsp_gsp_rpc_recv(c, NV_VGPU_MSG_EVENT_GSP_INIT_DONE,
                                INIT_DONE_TIMEOUT_US, NULL, NULL);
    }
    if (ret) {
        gsp_abandon(c);
        return ret;
    }
    c->phase = VGSP_GSP_RUNNING;
    power_free(c);
    return power_toggle(c, 0);
}
