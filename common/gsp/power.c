/*
 * The GSP client's suspend and resume (release 570).  Specified by nouveau's
 * nvkm/subdev/gsp/rm/r570/fbsr.c and rm/r535/gsp.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "client-priv.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/rm.h"

#define HANDLE_FBSR         0xcaf00003u
#define SUSPEND_DELAY_US    50000u
#define INIT_DONE_TIMEOUT_US 10000000u

/* NVOS02_FLAGS: non-contiguous, in PCI memory, not mapped */
#define FBSR_FLAGS          (1u << 4 | 0u << 8 | 1u << 30)

static int power_toggle(VgspGspClient *c, uint8_t disable)
{
    return vgsp_gsp_rm_control(c, c->info.client, c->info.subdevice,
        NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING,
        &disable, sizeof(disable));
}

/* Tell RM of the system memory that takes its reserved VRAM. */
static int power_memory_list(VgspGspClient *c, const VgspGspMem *mem)
{
    typedef rpc_alloc_memory_v13_01 Msg;
    uint32_t pages = (uint32_t)(mem->size / GSP_PAGE);
    uint32_t len = (uint32_t)sizeof(Msg) + pages * 8;
    uint8_t *p = c->tx;

    if (len > c->tx_size) {
        return VGSP_GSP_EMSGSIZE;
    }
    memset(p, 0, sizeof(Msg));
    vgsp_put_le32(p + offsetof(Msg, hClient), c->info.client);
    vgsp_put_le32(p + offsetof(Msg, hDevice), c->info.device);
    vgsp_put_le32(p + offsetof(Msg, hMemory), HANDLE_FBSR);
    vgsp_put_le32(p + offsetof(Msg, hClass), NV01_MEMORY_LIST_SYSTEM);
    vgsp_put_le32(p + offsetof(Msg, flags), FBSR_FLAGS);
    vgsp_put_le64(p + offsetof(Msg, length), mem->size);
    vgsp_put_le32(p + offsetof(Msg, pageCount), pages);
    vgsp_put_le32(p + offsetof(Msg, pteDesc),
                  (uint32_t)VGSP_SET(NV_VGPU_PTE_DESC_LENGTH, pages));
    for (uint32_t i = 0; i < pages; i++) {
        uint64_t addr = c->ops->dma_addr(c->opaque, mem, i * (uint64_t)GSP_PAGE);

        vgsp_put_le64(p + sizeof(Msg) + i * 8, addr / GSP_PAGE);
    }
    return vgsp_gsp_rpc(c, NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY, p, len, NULL,
                        NULL);
}

static int power_fbsr(VgspGspClient *c)
{
    typedef NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS Init;
    const VgspGspLayout *l = &c->layout;
    uint8_t init[sizeof(Init)] = { 0 };
    uint8_t store[sizeof(NV0080_CTRL_FB_GET_COMPBIT_STORE_INFO_PARAMS)] = { 0 };
    uint64_t size;
    int ret;

    ret = vgsp_gsp_rm_control(c, c->info.client, c->info.device,
                              NV0080_CTRL_CMD_FB_GET_COMPBIT_STORE_INFO, store,
                              sizeof(store));
    if (ret) {
        return ret;
    }
    /* Non-WPR heap, what lies below it to the usable region, VGA, comptags. */
    size = l->wpr - (c->info.usable_limit + 1) +
        (l->fb_size - l->vga_workspace) +
        vgsp_le64(store +
                  offsetof(NV0080_CTRL_FB_GET_COMPBIT_STORE_INFO_PARAMS, Size));
    ret = gsp_mem_new(c, VGSP_ALIGN_UP(size, GSP_PAGE), false, &c->fbsr);
    if (!ret) {
        ret = power_memory_list(c, &c->fbsr);
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
    if (c->profile->system_info_size != GSP_SYSTEM_INFO_SIZE_570_144) {
        return VGSP_GSP_EINVAL;
    }
    ret = power_sr_meta(c);
    if (!ret) {
        ret = power_toggle(c, 1);
    }
    if (!ret) {
        ret = power_fbsr(c);
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
        vgsp_gsp_forget(c);
        return ret;
    }
    c->phase = VGSP_GSP_RUNNING;
    power_free(c);
    return power_toggle(c, 0);
}
