/*
 * Booting GSP-RM: success in both profiles, unload, reload, suspend, and each
 * way in which FWSEC and Booter refuse (docs/gsp.md lists the codes).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "vgsp/boot-codes.h"
#include "vgsp/nv/dev_bus.h"
#include "vgsp/nv/dev_falcon.h"
#include "vgsp/nv/dev_fb.h"
#include "vgsp/nv/dev_vm.h"

#define GSP         NV_PGSP_FALCON_BASE
#define WPR2_LO     NV_PFB_PRI_MMU_WPR2_ADDR_LO
#define WPR2_HI     NV_PFB_PRI_MMU_WPR2_ADDR_HI
#define FRTS_RESULT NV_PBUS_SW_SCRATCH(0x0e)
#define SB_RESULT   NV_PBUS_SW_SCRATCH(0x15)

static uint32_t wpr_word(uint64_t addr)
{
    return addr >> 12 << 4;
}

static uint32_t riscv_active(VgspQos *q)
{
    return vgsp_rd32(q, GSP + NV_PRISCV_RISCV_CORE_SWITCH_RISCV_STATUS) & 1;
}

/* Every stage with the registers that a driver looks at in between. */
static void test_stages(const void *profile)
{
    VgspQos *q = vgsp_qos_new("", "");
    VgspGspClient *c = &q->gsp;
    uint64_t libos;

    vgsp_gsp_init(q, profile);
    g_assert_cmpint(vgsp_gsp_prepare(c), ==, VGSP_GSP_OK);
    g_assert_cmphex(c->boot0, ==, 0x164000a1);
    g_assert_cmphex(c->layout.fb_size, ==, VGSP_QOS_VRAM_SIZE);
    g_assert_cmphex(c->layout.vga_workspace, ==,
                    VGSP_QOS_VRAM_SIZE - 0x100000);
    g_assert_cmphex(c->layout.frts, ==, VGSP_QOS_VRAM_SIZE - 0x200000);
    g_assert_cmphex(vgsp_rd32(q, WPR2_LO), ==, wpr_word(c->layout.frts));
    g_assert_cmphex(vgsp_rd32(q, WPR2_HI), !=, 0);
    g_assert_cmphex(vgsp_rd32(q, FRTS_RESULT) >> 16, ==, 0);
    g_assert_cmphex(riscv_active(q), ==, 0);
    libos = qos_dma_addr_of(q, &c->libos);
    g_assert_cmphex(vgsp_rd32(q, GSP + 0x40), ==, (uint32_t)libos);
    g_assert_cmphex(vgsp_rd32(q, GSP + 0x44), ==, libos >> 32);

    g_assert_cmpint(vgsp_gsp_start(c), ==, VGSP_GSP_OK);
    g_assert_cmphex(riscv_active(q), ==, 1);
    g_assert_cmphex(vgsp_rd32(q, WPR2_LO), ==, wpr_word(c->layout.wpr));
    g_assert_cmphex(vgsp_rd32(q, GSP + 0x40), ==, (uint32_t)libos);
    g_assert_cmphex(vgsp_rd32(q, GSP + 0x80), ==, 1);
    /* SWGEN0 reaches the host. */
    g_assert_cmphex(vgsp_rd32(q, GSP + 0x12b4) & 0x40, ==, 0x40);
    g_assert_cmphex(vgsp_rd32(q, GSP + 0x008) & 0x40, ==, 0x40);
    vgsp_wr32(q, GSP + 0x004, 0x40);
    g_assert_cmphex(vgsp_rd32(q, GSP + 0x008) & 0x40, ==, 0);
    /* The page directories lie outside of what is usable, below WPR2. */
    g_assert_cmphex(c->info.usable_base, ==, 0);
    g_assert_cmphex(c->info.bar1_pde_base & 0xfff, ==, 0);
    g_assert_cmphex(c->info.bar2_pde_base & 0xfff, ==, 0);
    g_assert_cmphex(c->info.bar1_pde_base, >, c->info.usable_limit);
    g_assert_cmphex(c->info.bar2_pde_base, >, c->info.usable_limit);
    g_assert_cmphex(c->info.bar1_pde_base, <, c->layout.nonwpr_heap);
    g_assert_cmphex(c->info.bar2_pde_base, <, c->layout.nonwpr_heap);
    g_assert_cmphex(c->layout.nonwpr_heap - c->info.usable_limit, <=,
                    16 << 20);
    g_assert_cmphex(c->info.client & 0xffff0000, !=, 0xc1d00000);

    vgsp_gsp_down(q);
    g_assert_cmphex(vgsp_rd32(q, SB_RESULT) & 0xffff, ==, 0);
    g_assert_cmphex(vgsp_rd32(q, WPR2_LO), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, WPR2_HI), ==, 0);
    g_assert_cmphex(riscv_active(q), ==, 0);
    vgsp_qos_free(q);
}

/* Again and again, with the shared region scattered over memory. */
static void test_reload(const void *profile)
{
    VgspQos *q = vgsp_qos_new("", "");

    for (int i = 0; i < 5; i++) {
        q->scatter = i & 1;
        vgsp_gsp_up(q, profile);
        vgsp_gsp_down(q);
    }
    vgsp_qos_free(q);
}

/* One release after the other on the same card. */
static void test_profiles_mixed(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    for (int i = 0; vgsp_profiles[i]; i++) {
        vgsp_gsp_up(q, vgsp_profiles[i]);
        vgsp_gsp_down(q);
    }
    vgsp_gsp_up(q, vgsp_profiles[0]);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

static void test_suspend(const void *profile)
{
    VgspQos *q = vgsp_qos_new("", "");
    VgspGspClient *c = &q->gsp;
    VgspGspVm vm;

    vgsp_gsp_up(q, profile);
    g_assert_cmpint(vgsp_gsp_vm_new(c, 7, 0x10000, &vm), ==, VGSP_GSP_OK);
    for (int i = 0; i < 2; i++) {
        uint32_t sequence = c->msgq.sequence;

        g_assert_cmpint(vgsp_gsp_suspend(c), ==, VGSP_GSP_OK);
        g_assert_cmphex(vgsp_rd32(q, WPR2_HI), ==, 0);
        g_assert_cmphex(riscv_active(q), ==, 0);
        g_assert_cmpint(vgsp_gsp_resume(c), ==, VGSP_GSP_OK);
        g_assert_cmphex(riscv_active(q), ==, 1);
        g_assert_cmphex(vgsp_rd32(q, WPR2_LO), ==, wpr_word(c->layout.wpr));
        /* The queues went on: no sequence number began anew. */
        g_assert_cmpuint(c->msgq.sequence, >, sequence);
    }
    /* RM's objects are still there. */
    g_assert_cmpint(vgsp_gsp_vm_free(c, &vm), ==, VGSP_GSP_OK);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

/* S3: every device is reset between suspend and resume. */
static void test_suspend_reset(const void *profile)
{
    VgspQos *q = vgsp_qos_new("", "");
    VgspGspClient *c = &q->gsp;

    vgsp_gsp_up(q, profile);
    g_assert_cmpint(vgsp_gsp_suspend(c), ==, VGSP_GSP_OK);
    qtest_system_reset(q->qts);
    vgsp_qos_enable(q);
    g_assert_cmpint(vgsp_gsp_resume(c), ==, VGSP_GSP_OK);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

/* Two levels down: DMA and BARs pass a root port. */
static void test_root_port(void)
{
    VgspQos *q = vgsp_qos_new_port();
    VgspQosMsi msi;

    vgsp_gsp_up(q, vgsp_profiles[0]);
    vgsp_qos_msi_enable(q, &msi);
    vgsp_wr32(q, 0xb81608, 0xf);
    vgsp_wr32(q, 0xb81200, 1);
    vgsp_wr32(q, 0xb81640, 0);
    g_assert_true(vgsp_qos_msi_taken(q, &msi));
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

/* ---- FWSEC ---- */

/* A word of the bootloader's descriptor at DMEM 0. */
static void desc_poke(VgspQos *q, uint32_t offset, uint32_t val)
{
    vgsp_wr32(q, GSP + NV_PFALCON_FALCON_DMEMC(0), offset);
    vgsp_wr32(q, GSP + NV_PFALCON_FALCON_DMEMD(0), val);
}

/* Guest memory of FWSEC's data, as loaded. */
static uint64_t fwsec_dmem(VgspQos *q, uint32_t offset)
{
    return qos_dma_addr_of(q, &q->gsp.fwsec) + q->gsp.vbios.fwsec.dmem_offset +
        offset;
}

/* Offset of the DMEM mapper in FWSEC's data: entry 4 of the table. */
static uint32_t fwsec_mapper(VgspQos *q)
{
    uint32_t table = q->gsp.vbios.fwsec.interface_offset;
    unsigned count = qtest_readb(q->qts, fwsec_dmem(q, table + 3));

    for (unsigned i = 0; i < count; i++) {
        uint32_t entry = table + 4 + 8 * i;

        if (qtest_readl(q->qts, fwsec_dmem(q, entry)) == 4) {
            return qtest_readl(q->qts, fwsec_dmem(q, entry + 4));
        }
    }
    g_assert_not_reached();
}

static uint32_t fwsec_cmd(VgspQos *q)
{
    return qtest_readl(q->qts, fwsec_dmem(q, fwsec_mapper(q) + 0x08));
}

static void break_ctx(VgspQos *q)
{
    desc_poke(q, offsetof(RM_FLCN_BL_DMEM_DESC, ctxDma), 8);
}

static void break_size(VgspQos *q)
{
    desc_poke(q, offsetof(RM_FLCN_BL_DMEM_DESC, dataSize), 16);
}

static void break_virtual(VgspQos *q)
{
    vgsp_wr32(q, GSP + NV_PFALCON_FBIF_TRANSCFG(4), 1);
}

static void break_fbif(VgspQos *q)
{
    vgsp_wr32(q, GSP + NV_PFALCON_FBIF_CTL, 0);
}

static void break_data_base(VgspQos *q)
{
    desc_poke(q, offsetof(RM_FLCN_BL_DMEM_DESC, dataDmaBase) + 4, 0x7000);
}

static void break_code(VgspQos *q)
{
    const VgspVbiosFwsecInfo *f = &q->gsp.vbios.fwsec;
    uint64_t code = qos_dma_addr_of(q, &q->gsp.fwsec) + f->imem_sec_base;

    qtest_writel(q->qts, code, ~qtest_readl(q->qts, code));
}

static void break_interface(VgspQos *q)
{
    qtest_writeb(q->qts,
                 fwsec_dmem(q, q->gsp.vbios.fwsec.interface_offset), 9);
}

static void break_no_mapper(VgspQos *q)
{
    qtest_writeb(q->qts,
                 fwsec_dmem(q, q->gsp.vbios.fwsec.interface_offset + 3), 0);
}

static void break_table_bounds(VgspQos *q)
{
    uint32_t table = q->gsp.vbios.fwsec.interface_offset;

    /* 255 entries of 255 bytes. */
    qtest_writeb(q->qts, fwsec_dmem(q, table + 2), 0xff);
    qtest_writeb(q->qts, fwsec_dmem(q, table + 3), 0xff);
}

static void break_mapper_bounds(VgspQos *q)
{
    uint32_t table = q->gsp.vbios.fwsec.interface_offset;
    unsigned count = qtest_readb(q->qts, fwsec_dmem(q, table + 3));

    for (unsigned i = 0; i < count; i++) {
        qtest_writel(q->qts, fwsec_dmem(q, table + 4 + 8 * i + 4),
                     q->gsp.vbios.fwsec.dmem_load_size - 8);
    }
}

static void break_init_cmd(VgspQos *q)
{
    qtest_writel(q->qts, fwsec_dmem(q, fwsec_mapper(q) + 0x2c), 0x16);
}

static void break_cmd_bounds(VgspQos *q)
{
    qtest_writel(q->qts, fwsec_dmem(q, fwsec_mapper(q) + 0x08), 0x7ffffff0);
}

static void break_cmd_size(VgspQos *q)
{
    qtest_writel(q->qts, fwsec_dmem(q, fwsec_mapper(q) + 0x0c), 0x2b);
}

static void break_read_vbios(VgspQos *q)
{
    qtest_writel(q->qts, fwsec_dmem(q, fwsec_cmd(q)), 2);
}

static void break_frts_desc(VgspQos *q)
{
    qtest_writel(q->qts, fwsec_dmem(q, fwsec_cmd(q) + 0x18), 2);
}

static void break_media(VgspQos *q)
{
    qtest_writel(q->qts, fwsec_dmem(q, fwsec_cmd(q) + 0x28), 1);
}

static void break_region_zero(VgspQos *q)
{
    qtest_writel(q->qts, fwsec_dmem(q, fwsec_cmd(q) + 0x24), 0);
}

static void break_region_size(VgspQos *q)
{
    qtest_writel(q->qts, fwsec_dmem(q, fwsec_cmd(q) + 0x24), 0x80);
}

static void break_region_align(VgspQos *q)
{
    uint64_t at = fwsec_dmem(q, fwsec_cmd(q) + 0x20);

    qtest_writel(q->qts, at, qtest_readl(q->qts, at) - 1);
}

static void break_region_range(VgspQos *q)
{
    qtest_writel(q->qts, fwsec_dmem(q, fwsec_cmd(q) + 0x20),
                 VGSP_QOS_VRAM_SIZE >> 12);
}

typedef struct FwsecCase {
    const char *name;
    void (*damage)(VgspQos *q);
    uint32_t code;
    bool scratch;           /* also where the driver looks first */
} FwsecCase;

static const FwsecCase fwsec_cases[] = {
    { "context", break_ctx, VGSP_FWSEC_CODE_DESC, false },
    { "data-size", break_size, VGSP_FWSEC_CODE_DESC, false },
    { "virtual-context", break_virtual, VGSP_FWSEC_CODE_DMA, false },
    { "fbif-closed", break_fbif, VGSP_FWSEC_CODE_DMA, false },
    { "data-address", break_data_base, VGSP_FWSEC_CODE_DMA, false },
    { "secure-code", break_code, VGSP_FWSEC_CODE_SIGNATURE, false },
    { "interface-version", break_interface, VGSP_FWSEC_ERR_INTERFACE_HEADER,
      true },
    { "interface-bounds", break_table_bounds, VGSP_FWSEC_ERR_INTERFACE_BOUNDS,
      true },
    { "mapper-bounds", break_mapper_bounds, VGSP_FWSEC_ERR_DMEM_MAPPER_BOUNDS,
      true },
    { "no-mapper", break_no_mapper, VGSP_FWSEC_ERR_NO_DMEM_MAPPER, true },
    { "init-cmd", break_init_cmd, VGSP_FWSEC_ERR_INIT_CMD, true },
    { "cmd-bounds", break_cmd_bounds, VGSP_FWSEC_ERR_CMD_IN_BOUNDS, true },
    { "cmd-size", break_cmd_size, VGSP_FWSEC_ERR_CMD_IN_SIZE, true },
    { "read-vbios", break_read_vbios, VGSP_FWSEC_ERR_READ_VBIOS_DESC, true },
    { "frts-desc", break_frts_desc, VGSP_FWSEC_ERR_FRTS_REGION_DESC, true },
    { "media", break_media, VGSP_FWSEC_ERR_FRTS_REGION_MEDIA, true },
    { "region-empty", break_region_zero, VGSP_FWSEC_ERR_FRTS_REGION_SIZE,
      true },
    { "region-size", break_region_size, VGSP_FWSEC_CODE_REGION_SIZE, true },
    { "region-align", break_region_align, VGSP_FWSEC_CODE_REGION_ALIGN, true },
    { "region-range", break_region_range, VGSP_FWSEC_CODE_REGION_RANGE, true },
};

/* As prepared, with WPR2 taken down again: FWSEC can be run by hand. */
static VgspQos *fwsec_ready(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    vgsp_gsp_init(q, vgsp_profiles[0]);
    g_assert_cmpint(vgsp_gsp_prepare(&q->gsp), ==, VGSP_GSP_OK);
    g_assert_cmpint(vgsp_gsp_booter(&q->gsp, &q->gsp.fw->booter_unload, 0xff,
                                    0xff), ==, VGSP_GSP_OK);
    g_assert_cmphex(vgsp_rd32(q, WPR2_HI), ==, 0);
    return q;
}

static void test_fwsec_failure(const void *data)
{
    const FwsecCase *k = data;
    VgspQos *q = fwsec_ready();
    VgspGspClient *c = &q->gsp;

    g_assert_cmpint(vgsp_gsp_fwsec_load(c, VGSP_FWSEC_CMD_FRTS), ==, 0);
    k->damage(q);
    g_assert_cmpint(vgsp_gsp_fwsec_run(c, VGSP_FWSEC_CMD_FRTS), ==,
                    VGSP_GSP_EIO);
    g_assert_cmphex(c->mailbox[0], ==, k->code);
    if (k->scratch) {
        g_assert_cmphex(vgsp_rd32(q, FRTS_RESULT) >> 16, ==, k->code);
    }
    g_assert_cmphex(vgsp_rd32(q, WPR2_HI), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, GSP + 0x100) & 0x10, ==, 0x10);
    /* And it works when it is done right. */
    g_assert_cmpint(vgsp_gsp_fwsec(c, VGSP_FWSEC_CMD_FRTS), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, FRTS_RESULT) >> 16, ==, 0);
    vgsp_qos_free(q);
}

static void test_fwsec_twice(void)
{
    VgspQos *q = fwsec_ready();
    VgspGspClient *c = &q->gsp;

    g_assert_cmpint(vgsp_gsp_fwsec(c, VGSP_FWSEC_CMD_FRTS), ==, 0);
    g_assert_cmpint(vgsp_gsp_fwsec(c, VGSP_FWSEC_CMD_FRTS), ==, VGSP_GSP_EIO);
    g_assert_cmphex(c->mailbox[0], ==, VGSP_FWSEC_CODE_WPR2_UP);
    g_assert_cmphex(vgsp_rd32(q, FRTS_RESULT) >> 16, ==,
                    VGSP_FWSEC_CODE_WPR2_UP);
    g_assert_cmphex(vgsp_rd32(q, WPR2_LO), ==, wpr_word(c->layout.frts));
    /* SB is no concern of WPR2's. */
    g_assert_cmpint(vgsp_gsp_fwsec(c, VGSP_FWSEC_CMD_SB), ==, 0);
    vgsp_qos_free(q);
}

/* ---- Booter ---- */

#define META(field) offsetof(GspFwWprMeta, field)

typedef struct BooterCase {
    const char *name;
    uint32_t offset;        /* in the metadata */
    uint64_t value;
    uint32_t code;
} BooterCase;

static const BooterCase booter_cases[] = {
    { "magic", META(magic), 1, VGSP_BOOTER_ERR_MAGIC },
    { "revision", META(revision), 2, VGSP_BOOTER_ERR_REVISION },
    { "fb-size", META(fbSize), 1ull << 40, VGSP_BOOTER_ERR_FB_SIZE },
    { "heap-overlaps", META(gspFwHeapSize), 255ull << 20,
      VGSP_BOOTER_ERR_LAYOUT },
    { "heap-huge", META(gspFwHeapSize), UINT64_MAX, VGSP_BOOTER_ERR_LAYOUT },
    { "vga-beyond-end", META(vgaWorkspaceSize), 2ull << 20,
      VGSP_BOOTER_ERR_LAYOUT },
    { "wpr-start-high", META(gspFwWprStart), 255ull << 20,
      VGSP_BOOTER_ERR_LAYOUT },
    { "frts-not-wpr2", META(frtsSize), 0, VGSP_BOOTER_ERR_FRTS },
    { "bootloader-empty", META(sizeOfBootloader), 0,
      VGSP_BOOTER_ERR_BOOTLOADER },
    { "bootloader-code", META(bootloaderCodeOffset), 0x2000,
      VGSP_BOOTER_ERR_BOOTLOADER },
    { "bootloader-no-memory", META(sysmemAddrOfBootloader), 1ull << 45,
      VGSP_BOOTER_ERR_BOOTLOADER },
    { "radix3-unaligned", META(sysmemAddrOfRadix3Elf), 0x10008,
      VGSP_BOOTER_ERR_RADIX3 },
    { "radix3-no-memory", META(sysmemAddrOfRadix3Elf), 1ull << 45,
      VGSP_BOOTER_ERR_RADIX3 },
    { "signature-absent", META(sizeOfSignature), 0,
      VGSP_BOOTER_ERR_SIGNATURE },
    { "signature-no-memory", META(sysmemAddrOfSignature), 1ull << 45,
      VGSP_BOOTER_ERR_SIGNATURE },
};

static VgspQos *booter_ready(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    vgsp_gsp_init(q, vgsp_profiles[0]);
    g_assert_cmpint(vgsp_gsp_prepare(&q->gsp), ==, VGSP_GSP_OK);
    return q;
}

static void booter_expect(VgspQos *q, uint64_t meta, uint32_t code)
{
    VgspGspClient *c = &q->gsp;

    g_assert_cmpint(vgsp_gsp_booter(c, &c->fw->booter_load, meta, meta >> 32),
                    ==, code ? VGSP_GSP_EIO : VGSP_GSP_OK);
    g_assert_cmphex(c->mailbox[0], ==, code);
    g_assert_cmphex(riscv_active(q), ==, code ? 0 : 1);
}

static void test_booter_failure(const void *data)
{
    const BooterCase *k = data;
    VgspQos *q = booter_ready();
    uint64_t meta = qos_dma_addr_of(q, &q->gsp.wpr_meta);
    uint64_t old = qtest_readq(q->qts, meta + k->offset);

    qtest_writeq(q->qts, meta + k->offset, k->value);
    booter_expect(q, meta, k->code);
    /* WPR2 is still what FRTS made, and a second try succeeds. */
    g_assert_cmphex(vgsp_rd32(q, WPR2_LO), ==, wpr_word(q->gsp.layout.frts));
    qtest_writeq(q->qts, meta + k->offset, old);
    g_assert_cmpint(vgsp_gsp_start(&q->gsp), ==, VGSP_GSP_OK);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

static void test_booter_args(void)
{
    VgspQos *q = booter_ready();
    uint64_t meta = qos_dma_addr_of(q, &q->gsp.wpr_meta);

    booter_expect(q, 0, VGSP_BOOTER_ERR_ARGS);
    booter_expect(q, meta + 8, VGSP_BOOTER_ERR_ARGS);
    booter_expect(q, 1ull << 45, VGSP_BOOTER_ERR_META_DMA);
    /* A memory address that is a device's: DMA reaches RAM only. */
    booter_expect(q, q->bar0, VGSP_BOOTER_ERR_META_DMA);
    vgsp_qos_free(q);
}

static void test_booter_align(void)
{
    VgspQos *q = booter_ready();
    uint64_t meta = qos_dma_addr_of(q, &q->gsp.wpr_meta);
    uint64_t at = meta + META(gspFwWprStart);

    qtest_writeq(q->qts, at, qtest_readq(q->qts, at) + 0x1000);
    booter_expect(q, meta, VGSP_BOOTER_ERR_WPR_ALIGN);
    vgsp_qos_free(q);
}

/* The page list: a level that is missing, and an image beyond its end. */
static void test_booter_radix3(void)
{
    VgspQos *q = booter_ready();
    uint64_t meta = qos_dma_addr_of(q, &q->gsp.wpr_meta);
    uint64_t old;

    for (int level = 0; level < 3; level++) {
        uint64_t list = qos_dma_addr_of(q, &q->gsp.radix[level]);

        old = qtest_readq(q->qts, list);
        qtest_writeq(q->qts, list, 0);
        booter_expect(q, meta, VGSP_BOOTER_ERR_RADIX3);
        qtest_writeq(q->qts, list, old | 4);
        booter_expect(q, meta, VGSP_BOOTER_ERR_RADIX3);
        qtest_writeq(q->qts, list, old);
    }
    /* Two pages more than the list has. */
    old = qtest_readq(q->qts, meta + META(sizeOfRadix3Elf));
    qtest_writeq(q->qts, meta + META(sizeOfRadix3Elf), old + 0x2000);
    booter_expect(q, meta, VGSP_BOOTER_ERR_RADIX3);
    qtest_writeq(q->qts, meta + META(sizeOfRadix3Elf), old);
    booter_expect(q, meta, 0);
    vgsp_qos_free(q);
}

static void test_booter_signature(void)
{
    VgspQos *q = booter_ready();
    uint64_t meta = qos_dma_addr_of(q, &q->gsp.wpr_meta);

    qtest_memset(q->qts, qos_dma_addr_of(q, &q->gsp.signature), 0, 0x1000);
    booter_expect(q, meta, VGSP_BOOTER_ERR_SIGNATURE);
    vgsp_qos_free(q);
}

/* A release that nobody knows, by the size of the first message. */
static void test_booter_release(void)
{
    VgspQos *q = booter_ready();
    uint64_t meta = qos_dma_addr_of(q, &q->gsp.wpr_meta);
    uint64_t elem = qos_dma_addr_of(q, &q->gsp.shared) + 0x2000;

    g_assert_cmphex(qtest_readl(q->qts, elem + 0x3c), ==, 72);
    qtest_writel(q->qts, elem + 0x38, 0x20 + 932);
    booter_expect(q, meta, VGSP_BOOTER_ERR_SIGNATURE);
    qtest_writel(q->qts, elem + 0x38, 0x20 + 928);
    booter_expect(q, meta, 0);
    vgsp_qos_free(q);
}

static void test_booter_libos(void)
{
    VgspQos *q = booter_ready();
    uint64_t meta = qos_dma_addr_of(q, &q->gsp.wpr_meta);
    uint64_t libos = qos_dma_addr_of(q, &q->gsp.libos);
    uint64_t rmargs = qos_dma_addr_of(q, &q->gsp.rmargs);
    uint64_t old;

    /* No RMARGS entry. */
    old = qtest_readq(q->qts, libos + 3 * 32);
    g_assert_cmphex(old, ==, VGSP_LIBOS_ID_RMARGS);
    qtest_writeq(q->qts, libos + 3 * 32, 0);
    booter_expect(q, meta, VGSP_BOOTER_ERR_LIBOS_ARGS);
    qtest_writeq(q->qts, libos + 3 * 32, old);
    /* Queues beyond the region. */
    old = qtest_readq(q->qts, rmargs + 0x10);
    qtest_writeq(q->qts, rmargs + 0x10, 0x81000);
    booter_expect(q, meta, VGSP_BOOTER_ERR_LIBOS_ARGS);
    qtest_writeq(q->qts, rmargs + 0x10, old);
    /* No pages at all, absurdly many, or none that are memory. */
    qtest_writel(q->qts, rmargs + 0x08, 0);
    booter_expect(q, meta, VGSP_BOOTER_ERR_LIBOS_ARGS);
    qtest_writel(q->qts, rmargs + 0x08, 0xffffffff);
    booter_expect(q, meta, VGSP_BOOTER_ERR_LIBOS_ARGS);
    qtest_writel(q->qts, rmargs + 0x08, 129);
    old = qtest_readq(q->qts, rmargs);
    qtest_writeq(q->qts, rmargs, 1ull << 45);
    booter_expect(q, meta, VGSP_BOOTER_ERR_LIBOS_ARGS);
    qtest_writeq(q->qts, rmargs, old);
    /* The mailboxes name no page. */
    vgsp_wr32(q, GSP + 0x44, 0x7000);
    booter_expect(q, meta, VGSP_BOOTER_ERR_LIBOS_ARGS);
    vgsp_wr32(q, GSP + 0x44, libos >> 32);
    booter_expect(q, meta, 0);
    vgsp_qos_free(q);
}

/* A boot that fails leaves a card that boots, without a reset between. */
static void test_retry(void)
{
    static const uint8_t zeros[0x1000];
    VgspQos *q = vgsp_qos_new("", "");
    VgspGspClient *c = &q->gsp;
    VgspGspFirmware bad;

    for (int i = 0; i < 3; i++) {
        vgsp_gsp_init(q, vgsp_profiles[i & 1]);
        bad = *c->fw;
        bad.signature.data = zeros;
        c->fw = &bad;
        g_assert_cmpint(vgsp_gsp_boot(c), ==, VGSP_GSP_EIO);
        g_assert_cmphex(c->mailbox[0], ==, VGSP_BOOTER_ERR_SIGNATURE);
        g_assert_cmphex(vgsp_rd32(q, WPR2_HI), ==, 0);
        g_assert_cmpuint(q->ram_live, ==, 0);
        vgsp_gsp_up(q, vgsp_profiles[i & 1]);
        vgsp_gsp_down(q);
    }
    vgsp_qos_free(q);
}

static void test_booter_state(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    VgspGspClient *c = &q->gsp;
    uint64_t meta;

    vgsp_gsp_up(q, vgsp_profiles[0]);
    meta = qos_dma_addr_of(q, &c->wpr_meta);
    g_assert_cmpint(vgsp_gsp_booter(c, &c->fw->booter_load, meta, meta >> 32),
                    ==, VGSP_GSP_EIO);
    g_assert_cmphex(c->mailbox[0], ==, VGSP_BOOTER_ERR_STATE);
    /* The one that runs is not disturbed. */
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

/* Resume with data that is not the last suspend's. */
static void test_booter_sr(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    VgspGspClient *c = &q->gsp;
    uint64_t sr, old;

    vgsp_gsp_up(q, vgsp_profiles[0]);
    g_assert_cmpint(vgsp_gsp_suspend(c), ==, VGSP_GSP_OK);
    sr = qos_dma_addr_of(q, &c->sr_meta);
    old = qtest_readq(q->qts, sr + offsetof(GspFwSRMeta, internal));
    qtest_writeq(q->qts, sr + offsetof(GspFwSRMeta, internal), old + 1);
    booter_expect(q, sr, VGSP_BOOTER_ERR_SR_DATA);
    qtest_writeq(q->qts, sr + offsetof(GspFwSRMeta, internal), old);
    qtest_writeq(q->qts, sr + offsetof(GspFwSRMeta, revision), 1);
    booter_expect(q, sr, VGSP_BOOTER_ERR_REVISION);
    qtest_writeq(q->qts, sr + offsetof(GspFwSRMeta, revision), 2);
    g_assert_cmpint(vgsp_gsp_resume(c), ==, VGSP_GSP_OK);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    vgsp_add_profiles("/vgsp/boot/stages", test_stages);
    vgsp_add_profiles("/vgsp/boot/reload", test_reload);
    qtest_add_func("/vgsp/boot/profiles-mixed", test_profiles_mixed);
    qtest_add_func("/vgsp/boot/root-port", test_root_port);
    vgsp_add_profiles("/vgsp/boot/suspend", test_suspend);
    vgsp_add_profiles("/vgsp/boot/suspend-reset", test_suspend_reset);
    for (size_t i = 0; i < G_N_ELEMENTS(fwsec_cases); i++) {
        g_autofree char *path = g_strdup_printf("/vgsp/boot/fwsec/%s",
                                                fwsec_cases[i].name);

        qtest_add_data_func(path, &fwsec_cases[i], test_fwsec_failure);
    }
    qtest_add_func("/vgsp/boot/fwsec/wpr2-up", test_fwsec_twice);
    for (size_t i = 0; i < G_N_ELEMENTS(booter_cases); i++) {
        g_autofree char *path = g_strdup_printf("/vgsp/boot/booter/%s",
                                                booter_cases[i].name);

        qtest_add_data_func(path, &booter_cases[i], test_booter_failure);
    }
    qtest_add_func("/vgsp/boot/booter/args", test_booter_args);
    qtest_add_func("/vgsp/boot/booter/wpr-align", test_booter_align);
    qtest_add_func("/vgsp/boot/booter/radix3-levels", test_booter_radix3);
    qtest_add_func("/vgsp/boot/booter/signature-zero", test_booter_signature);
    qtest_add_func("/vgsp/boot/booter/release", test_booter_release);
    qtest_add_func("/vgsp/boot/booter/libos-args", test_booter_libos);
    qtest_add_func("/vgsp/boot/booter/retry", test_retry);
    qtest_add_func("/vgsp/boot/booter/state", test_booter_state);
    qtest_add_func("/vgsp/boot/booter/sr-data", test_booter_sr);
    return g_test_run();
}
