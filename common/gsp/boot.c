/*
 * The GSP client's boot and unload.  Specified by nouveau's
 * nvkm/subdev/gsp/tu102.c and rm/r535/gsp.c, and NVIDIA's kernel_gsp_tu102.c
 * and kernel_gsp_booter_tu102.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "client-priv.h"
#include "vgsp/nv/dev_boot.h"
#include "vgsp/nv/dev_disp.h"
#include "vgsp/nv/dev_falcon.h"
#include "vgsp/nv/dev_fb.h"
#include "vgsp/nv/dev_fuse.h"
#include "vgsp/nv/dev_gc6_island.h"
#include "vgsp/nv/rm.h"

#define GFW_TIMEOUT_US      4000000u
#define INIT_DONE_TIMEOUT_US 10000000u
#define SUSPEND_TIMEOUT_US  2000000u

#define NV_PMC_BOOT_0_CHIP  VGSP_BITS(28, 20)
#define CHIP_TU102          0x162u
#define CHIP_TU106          0x166u

#define NV_PDISP_VGA_WORKSPACE_BASE_VALID VGSP_BIT(3)
#define NV_PDISP_VGA_WORKSPACE_BASE_ADDR  VGSP_BITS(31, 8)
#define NV_PDISP_VGA_WORKSPACE_BASE_ADDR_SHIFT 16

#define KIB(n) ((uint64_t)(n) << 10)
#define MIB(n) ((uint64_t)(n) << 20)
#define GIB(n) ((uint64_t)(n) << 30)

/* GSP-RM's heap on Turing (gsp_fw_heap.h) and its neighbours in VRAM. */
#define HEAP_BASE           MIB(8)
#define HEAP_PER_GIB        KIB(96)
#define HEAP_CLIENTS        (KIB(48) * 2048)
#define HEAP_MIN            MIB(64)
#define FRTS_SIZE           MIB(1)
#define NONWPR_HEAP_SIZE    MIB(1)
#define WPR_ALIGN           KIB(128)
#define VGA_SIZE            MIB(1)
#define VGA_SIZE_MIN        KIB(128)

/* ---- Memory and waiting ---- */

int gsp_wait(VgspGspClient *c, uint32_t reg, uint32_t mask, uint32_t val,
             uint32_t timeout_us)
{
    for (uint32_t us = 0, step; ; us += step) {
        step = gsp_poll_step(us);
        if ((gsp_rd(c, reg) & mask) == val) {
            return 0;
        }
        if (us >= timeout_us) {
            c->ops->log(c->opaque, "timeout waiting for register", reg);
            return VGSP_GSP_ETIMEDOUT;
        }
        c->ops->delay_us(c->opaque, step);
    }
}

int gsp_mem_new(VgspGspClient *c, uint64_t size, bool contiguous,
                VgspGspMem *mem)
{
    if (mem->size) {
        return VGSP_GSP_EBUSY;
    }
    if (c->ops->dma_alloc(c->opaque, size, contiguous, mem)) {
        mem->size = 0;
        return VGSP_GSP_ENOMEM;
    }
    mem->size = size;
    return 0;
}

void gsp_mem_free(VgspGspClient *c, VgspGspMem *mem)
{
    if (mem->size) {
        c->ops->dma_free(c->opaque, mem);
        *mem = (VgspGspMem) { 0 };
    }
}

uint64_t gsp_mem_addr(VgspGspClient *c, const VgspGspMem *mem)
{
    return c->ops->dma_addr(c->opaque, mem, 0);
}

int gsp_mem_write(VgspGspClient *c, const VgspGspMem *mem, uint64_t offset,
                  const void *buf, uint32_t len)
{
    if (!vgsp_range_ok(offset, len, mem->size)) {
        return VGSP_GSP_EINVAL;
    }
    return c->ops->dma_write(c->opaque, mem, offset, buf, len)
        ? VGSP_GSP_EFAULT : 0;
}

int gsp_mem_blob(VgspGspClient *c, const VgspGspBlob *blob, VgspGspMem *mem)
{
    int ret;

    if (!blob->size) {
        return VGSP_GSP_EINVAL;
    }
    ret = gsp_mem_new(c, VGSP_ALIGN_UP((uint64_t)blob->size, GSP_PAGE), true,
                      mem);
    return ret ? ret : gsp_mem_write(c, mem, 0, blob->data, blob->size);
}

/* The bus addresses of from's pages, as u64, into to. */
static int mem_write_pages(VgspGspClient *c, const VgspGspMem *to,
                           const VgspGspMem *from)
{
    uint8_t batch[64 * sizeof(uint64_t)];
    uint64_t pages = from->size / GSP_PAGE;
    uint32_t n = 0;
    int ret = 0;

    for (uint64_t i = 0; !ret && i < pages; i++) {
        vgsp_put_le64(batch + n,
                      c->ops->dma_addr(c->opaque, from, i * GSP_PAGE));
        n += sizeof(uint64_t);
        if (n == sizeof(batch) || i + 1 == pages) {
            ret = gsp_mem_write(c, to, (i + 1) * sizeof(uint64_t) - n, batch,
                                n);
            n = 0;
        }
    }
    return ret;
}

int gsp_mem_radix3(VgspGspClient *c, const VgspGspMem *mem, VgspGspMem rx[3])
{
    uint64_t pages = mem->size / GSP_PAGE;
    uint64_t lists = (pages + LIBOS_MEMORY_REGION_RADIX_ENTRIES - 1) /
        LIBOS_MEMORY_REGION_RADIX_ENTRIES;
    int ret;

    if (!pages || lists > LIBOS_MEMORY_REGION_RADIX_ENTRIES) {
        return VGSP_GSP_EINVAL;
    }
    ret = gsp_mem_new(c, GSP_PAGE, true, &rx[0]);
    if (!ret) {
        ret = gsp_mem_new(c, GSP_PAGE, true, &rx[1]);
    }
    if (!ret) {
        ret = gsp_mem_new(c, lists * GSP_PAGE, false, &rx[2]);
    }
    if (!ret) {
        ret = mem_write_pages(c, &rx[0], &rx[1]);
    }
    if (!ret) {
        ret = mem_write_pages(c, &rx[1], &rx[2]);
    }
    return ret ? ret : mem_write_pages(c, &rx[2], mem);
}

void vgsp_gsp_forget(VgspGspClient *c)
{
    VgspGspMem *all[] = {
        &c->shared, &c->libos, &c->log[0], &c->log[1], &c->log[2], &c->rmargs,
        &c->fwsec, &c->bootloader, &c->signature, &c->image, &c->radix[0],
        &c->radix[1], &c->radix[2], &c->wpr_meta, &c->sr_meta, &c->sr_data,
        &c->sr_radix[0], &c->sr_radix[1], &c->sr_radix[2], &c->fbsr,
    };

    for (size_t i = 0; i < VGSP_ARRAY_SIZE(all); i++) {
        gsp_mem_free(c, all[i]);
    }
    c->phase = VGSP_GSP_OFF;
}

/* ---- The chip ---- */

int vgsp_gsp_identify(VgspGspClient *c)
{
    uint64_t chip;

    c->boot0 = gsp_rd(c, NV_PMC_BOOT_0);
    chip = VGSP_GET(NV_PMC_BOOT_0_CHIP, c->boot0);
    if (chip < CHIP_TU102 || chip > CHIP_TU106 ||
        VGSP_GET(NV_PMC_BOOT_1_VGPU, gsp_rd(c, NV_PMC_BOOT_1)) !=
            NV_PMC_BOOT_1_VGPU_REAL) {
        c->ops->log(c->opaque, "not a TU10x, BOOT_0", c->boot0);
        return VGSP_GSP_ENODEV;
    }
    return 0;
}

int vgsp_gsp_wait_gfw(VgspGspClient *c)
{
    uint32_t level0 =
        NV_PGC6_AON_SECURE_SCRATCH_GROUP_05_PRIV_LEVEL_MASK_READ_PROTECTION_LEVEL0;
    uint32_t done =
        NV_PGC6_AON_SECURE_SCRATCH_GROUP_05_0_GFW_BOOT_PROGRESS_COMPLETED;
    int ret;

    /* The progress can be read only once GFW has lowered its protection. */
    ret = gsp_wait(c, NV_PGC6_AON_SECURE_SCRATCH_GROUP_05_PRIV_LEVEL_MASK,
                   level0, level0, GFW_TIMEOUT_US);
    return ret ? ret : gsp_wait(c, NV_PGC6_AON_SECURE_SCRATCH_GROUP_05(0),
                                done, done, GFW_TIMEOUT_US);
}

static uint64_t gsp_vga_workspace(VgspGspClient *c, uint64_t fb_size)
{
    uint64_t base = fb_size - VGA_SIZE, addr;
    uint32_t reg;

    if (gsp_rd(c, NV_FUSE_STATUS_OPT_DISPLAY) &
        NV_FUSE_STATUS_OPT_DISPLAY_DATA_DISABLE) {
        return base;
    }
    reg = gsp_rd(c, NV_PDISP_VGA_WORKSPACE_BASE);
    if (!(reg & NV_PDISP_VGA_WORKSPACE_BASE_VALID)) {
        return base;
    }
    addr = VGSP_GET(NV_PDISP_VGA_WORKSPACE_BASE_ADDR, reg) <<
        NV_PDISP_VGA_WORKSPACE_BASE_ADDR_SHIFT;
    return addr < base ? fb_size - VGA_SIZE_MIN : addr;
}

static int gsp_layout(VgspGspClient *c)
{
    VgspGspLayout *l = &c->layout;
    uint32_t range = gsp_rd(c, NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE);
    uint64_t heap, top;

    l->fb_size =
        VGSP_GET(NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_MAG, range) <<
        (VGSP_GET(NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_SCALE, range) + 20);
    if (range & NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_ECC_MODE) {
        l->fb_size = l->fb_size / 16 * 15;
    }
    if (l->fb_size < MIB(256)) {
        c->ops->log(c->opaque, "too little video memory", l->fb_size);
        return VGSP_GSP_ENODEV;
    }
    l->vga_workspace = gsp_vga_workspace(c, l->fb_size);
    top = VGSP_ALIGN_DOWN(l->vga_workspace, WPR_ALIGN);
    heap = HEAP_BASE +
        VGSP_ALIGN_UP(HEAP_PER_GIB * ((l->fb_size + GIB(1) - 1) / GIB(1)),
                      MIB(1)) +
        VGSP_ALIGN_UP(HEAP_CLIENTS, MIB(1));
    if (heap < HEAP_MIN) {
        heap = HEAP_MIN;
    }
    if (c->fw->image.size + c->fw->bootloader.size + heap + MIB(8) > top) {
        return VGSP_GSP_EINVAL;
    }
    l->frts = top - FRTS_SIZE;
    l->bootloader = VGSP_ALIGN_DOWN(l->frts - c->fw->bootloader.size,
                                    GSP_PAGE);
    l->elf = VGSP_ALIGN_DOWN(l->bootloader - c->fw->image.size, KIB(64));
    l->heap = VGSP_ALIGN_DOWN(l->elf - heap, MIB(1));
    l->heap_size = VGSP_ALIGN_DOWN(l->elf - l->heap, MIB(1));
    l->wpr = VGSP_ALIGN_DOWN(l->heap - sizeof(GspFwWprMeta), MIB(1));
    l->nonwpr_heap = l->wpr - NONWPR_HEAP_SIZE;
    return 0;
}

/* ---- Up to Booter ---- */

static int gsp_wpr_meta(VgspGspClient *c)
{
    const VgspGspLayout *l = &c->layout;
    const VgspGspFirmware *fw = c->fw;
    uint8_t m[sizeof(GspFwWprMeta)] = { 0 };
    int ret;

#define META(field, value) \
    vgsp_put_le64(m + offsetof(GspFwWprMeta, field), value)
    META(magic, GSP_FW_WPR_META_MAGIC);
    META(revision, GSP_FW_WPR_META_REVISION);
    META(sysmemAddrOfRadix3Elf, gsp_mem_addr(c, &c->radix[0]));
    META(sizeOfRadix3Elf, fw->image.size);
    META(sysmemAddrOfBootloader, gsp_mem_addr(c, &c->bootloader));
    META(sizeOfBootloader, fw->bootloader.size);
    META(bootloaderCodeOffset, fw->bootloader_code);
    META(bootloaderDataOffset, fw->bootloader_data);
    META(bootloaderManifestOffset, fw->bootloader_manifest);
    META(sysmemAddrOfSignature, gsp_mem_addr(c, &c->signature));
    META(sizeOfSignature, VGSP_ALIGN_UP((uint64_t)fw->signature.size, 256));
    META(gspFwRsvdStart, l->nonwpr_heap);
    META(nonWprHeapOffset, l->nonwpr_heap);
    META(nonWprHeapSize, NONWPR_HEAP_SIZE);
    META(gspFwWprStart, l->wpr);
    META(gspFwHeapOffset, l->heap);
    META(gspFwHeapSize, l->heap_size);
    META(gspFwOffset, l->elf);
    META(bootBinOffset, l->bootloader);
    META(frtsOffset, l->frts);
    META(frtsSize, FRTS_SIZE);
    META(gspFwWprEnd, VGSP_ALIGN_DOWN(l->vga_workspace, WPR_ALIGN));
    META(fbSize, l->fb_size);
    META(vgaWorkspaceOffset, l->vga_workspace);
    META(vgaWorkspaceSize, l->fb_size - l->vga_workspace);
#undef META
    ret = gsp_mem_new(c, GSP_PAGE, true, &c->wpr_meta);
    return ret ? ret : gsp_mem_write(c, &c->wpr_meta, 0, m, sizeof(m));
}

static int gsp_images(VgspGspClient *c)
{
    int ret;

    ret = gsp_mem_new(c, VGSP_ALIGN_UP((uint64_t)c->fw->image.size, GSP_PAGE),
                      false, &c->image);
    if (!ret) {
        ret = gsp_mem_write(c, &c->image, 0, c->fw->image.data,
                            c->fw->image.size);
    }
    if (!ret) {
        ret = gsp_mem_radix3(c, &c->image, c->radix);
    }
    if (!ret) {
        ret = gsp_mem_blob(c, &c->fw->signature, &c->signature);
    }
    if (!ret) {
        ret = gsp_mem_blob(c, &c->fw->bootloader, &c->bootloader);
    }
    return ret;
}

int gsp_arm(VgspGspClient *c)
{
    uint64_t addr = gsp_mem_addr(c, &c->libos);
    int ret = gsp_falcon_reset(c, NV_PGSP_FALCON_BASE);

    if (!ret) {
        gsp_wr(c, NV_PGSP_FALCON_BASE + NV_PFALCON_FALCON_MAILBOX0,
               (uint32_t)addr);
        gsp_wr(c, NV_PGSP_FALCON_BASE + NV_PFALCON_FALCON_MAILBOX1,
               (uint32_t)(addr >> 32));
    }
    return ret;
}

static int gsp_halt(VgspGspClient *c, uint32_t mailbox0, uint32_t mailbox1);

void gsp_abandon(VgspGspClient *c)
{
    uint32_t mailbox[2] = { c->mailbox[0], c->mailbox[1] };

    /* What was started must not reach memory that is about to be freed. */
    if (c->fwsec.size) {
        gsp_falcon_reset(c, NV_PSEC_FALCON_BASE);
        gsp_halt(c, BOOTER_UNLOAD_MAILBOX_NORMAL,
                 BOOTER_UNLOAD_MAILBOX_NORMAL);
        c->mailbox[0] = mailbox[0];
        c->mailbox[1] = mailbox[1];
    }
    vgsp_gsp_forget(c);
}

int vgsp_gsp_prepare(VgspGspClient *c)
{
    int (*const steps[])(VgspGspClient *) = {
        vgsp_gsp_identify, vgsp_gsp_wait_gfw, gsp_layout, gsp_images,
        gsp_queues_init, gsp_system_info_send, gsp_registry_send, gsp_wpr_meta,
        gsp_fwsec_init,
    };
    int ret = 0;

    if (c->phase != VGSP_GSP_OFF) {
        return VGSP_GSP_EBUSY;
    }
    for (size_t i = 0; !ret && i < VGSP_ARRAY_SIZE(steps); i++) {
        ret = steps[i](c);
    }
    if (!ret) {
        ret = vgsp_gsp_fwsec(c, VGSP_FWSEC_CMD_FRTS);
    }
    if (!ret) {
        ret = gsp_arm(c);
    }
    if (ret) {
        gsp_abandon(c);
    } else {
        c->phase = VGSP_GSP_PREPARED;
    }
    return ret;
}

/* ---- Booter and after ---- */

int vgsp_gsp_booter(VgspGspClient *c, const VgspGspBooter *b,
                    uint32_t mailbox0, uint32_t mailbox1)
{
    uint32_t base = NV_PSEC_FALCON_BASE;
    int ret;

    if (!vgsp_range_ok(b->code_size, b->secure_size, b->image.size) ||
        !vgsp_range_ok(b->data_offset, b->data_size, b->image.size)) {
        return VGSP_GSP_EINVAL;
    }
    ret = gsp_falcon_prepare(c, base);
    if (ret) {
        return ret;
    }
    gsp_falcon_imem(c, base, b->code_imem, b->image.data, b->code_size,
                    b->code_imem / NV_PFALCON_IMEM_BLKSIZE, false);
    gsp_falcon_imem(c, base, b->secure_imem, b->image.data + b->code_size,
                    b->secure_size, b->secure_imem / NV_PFALCON_IMEM_BLKSIZE,
                    true);
    gsp_falcon_dmem(c, base, 0, b->image.data + b->data_offset, b->data_size);
    return gsp_falcon_run(c, base, b->code_imem, mailbox0, mailbox1);
}

int gsp_booter_start(VgspGspClient *c, const VgspGspMem *meta)
{
    uint64_t addr = gsp_mem_addr(c, meta);
    uint32_t base = NV_PGSP_FALCON_BASE;
    int ret;

    ret = vgsp_gsp_booter(c, &c->fw->booter_load, (uint32_t)addr,
                          (uint32_t)(addr >> 32));
    if (ret) {
        return ret;
    }
    gsp_wr(c, base + NV_PFALCON_FALCON_OS, c->fw->app_version);
    /* Booter returns when the core runs: there is nothing to wait for. */
    if (!(gsp_rd(c, base + NV_PRISCV_RISCV_CORE_SWITCH_RISCV_STATUS) &
          NV_PRISCV_RISCV_CORE_SWITCH_RISCV_STATUS_ACTIVE_STAT)) {
        c->ops->log(c->opaque, "GSP's RISC-V core is not active", 0);
        return VGSP_GSP_EIO;
    }
    return 0;
}

static int gsp_static_info(VgspGspClient *c)
{
    const VgspStaticInfoLayout *l = c->profile->static_info;
    const uint8_t *p;
    uint32_t len, regions;
    int ret;

    if (c->tx_size < l->size) {
        return VGSP_GSP_EMSGSIZE;
    }
    memset(c->tx, 0, l->size);
    ret = vgsp_gsp_rpc(c, NV_VGPU_MSG_FUNCTION_GET_GSP_STATIC_INFO, c->tx,
                       l->size, &p, &len);
    if (ret) {
        return ret;
    }
    if (len < l->size) {
        return VGSP_GSP_EPROTO;
    }
    c->info = (VgspGspInfo) {
        .client = vgsp_le32(p + l->internal_client),
        .device = vgsp_le32(p + l->internal_device),
        .subdevice = vgsp_le32(p + l->internal_subdevice),
        .bar1_pde_base = vgsp_le64(p + l->bar1_pde_base),
        .bar2_pde_base = vgsp_le64(p + l->bar2_pde_base),
    };
    c->info.l2_size = vgsp_le32(p + l->l2_cache_size);
    c->info.fb_bus_width = vgsp_le32(p + l->fb_bus_width);
    memcpy(c->info.name, p + l->name, sizeof(c->info.name) - 1);
    memcpy(c->info.short_name, p + l->short_name,
           sizeof(c->info.short_name) - 1);
    regions = vgsp_le32(p + l->fb_regions);
    p += l->fb_regions + NV2080_CTRL_CMD_FB_GET_FB_REGION_INFO_OFFSET;
    for (uint32_t i = 0; i < regions && i < 16; i++) {
        typedef NV2080_CTRL_CMD_FB_GET_FB_REGION_FB_REGION_INFO Region;

        if (!vgsp_le64(p + offsetof(Region, reserved)) &&
            !p[offsetof(Region, bProtected)]) {
            c->info.usable_base = vgsp_le64(p + offsetof(Region, base));
            c->info.usable_limit = vgsp_le64(p + offsetof(Region, limit));
            return 0;
        }
        p += sizeof(Region);
    }
    return VGSP_GSP_EPROTO;
}

int vgsp_gsp_start(VgspGspClient *c)
{
    int ret;

    if (c->phase != VGSP_GSP_PREPARED) {
        return VGSP_GSP_EBUSY;
    }
    ret = gsp_booter_start(c, &c->wpr_meta);
    if (!ret) {
        ret = gsp_queues_link(c);
    }
    if (!ret) {
        ret = vgsp_gsp_rpc_recv(c, NV_VGPU_MSG_EVENT_GSP_INIT_DONE,
                                INIT_DONE_TIMEOUT_US, NULL, NULL);
    }
    if (!ret) {
        c->phase = VGSP_GSP_RUNNING;
        ret = gsp_static_info(c);
    }
    return ret;
}

int vgsp_gsp_boot(VgspGspClient *c)
{
    int ret = vgsp_gsp_prepare(c);

    if (!ret) {
        ret = vgsp_gsp_start(c);
        if (ret) {
            gsp_abandon(c);
        }
    }
    return ret;
}

/* ---- Stop ---- */

static int gsp_keep(int first, int next)
{
    return first ? first : next;
}

/* The core in reset, WPR2 gone; the first error. */
static int gsp_halt(VgspGspClient *c, uint32_t mailbox0, uint32_t mailbox1)
{
    int ret = gsp_falcon_reset(c, NV_PGSP_FALCON_BASE);

    if (!gsp_rd(c, NV_PFB_PRI_MMU_WPR2_ADDR_HI)) {
        return ret;
    }
    ret = gsp_keep(ret, vgsp_gsp_fwsec(c, VGSP_FWSEC_CMD_SB));
    ret = gsp_keep(ret, vgsp_gsp_booter(c, &c->fw->booter_unload, mailbox0,
                                        mailbox1));
    if (!ret && gsp_rd(c, NV_PFB_PRI_MMU_WPR2_ADDR_HI)) {
        c->ops->log(c->opaque, "WPR2 is still there after unload", 0);
        ret = VGSP_GSP_EIO;
    }
    return ret;
}

int gsp_stop(VgspGspClient *c, bool suspend, uint32_t mailbox0,
             uint32_t mailbox1)
{
    typedef rpc_unloading_guest_driver_v1F_07 Msg;
    uint8_t msg[sizeof(Msg)] = { 0 };
    int ret;

    if (suspend) {
        msg[offsetof(Msg, bInPMTransition)] = 1;
        vgsp_put_le32(msg + offsetof(Msg, newLevel),
                      NV2080_CTRL_GPU_SET_POWER_STATE_GPU_LEVEL_3);
    }
    ret = vgsp_gsp_rpc(c, NV_VGPU_MSG_FUNCTION_UNLOADING_GUEST_DRIVER, msg,
                       sizeof(msg), NULL, NULL);
    if (ret && suspend) {
        return ret;
    }
    if (!ret) {
        ret = gsp_wait(c, NV_PGSP_FALCON_BASE + NV_PFALCON_FALCON_MAILBOX0,
                       UINT32_MAX, LIBOS_INTERRUPT_PROCESSOR_SUSPENDED,
                       SUSPEND_TIMEOUT_US);
    }
    return gsp_keep(ret, gsp_halt(c, mailbox0, mailbox1));
}

int vgsp_gsp_unload(VgspGspClient *c)
{
    int ret;

    if (c->phase != VGSP_GSP_RUNNING) {
        return VGSP_GSP_EBUSY;
    }
    ret = gsp_stop(c, false, BOOTER_UNLOAD_MAILBOX_NORMAL,
                   BOOTER_UNLOAD_MAILBOX_NORMAL);
    vgsp_gsp_forget(c);
    return ret;
}
