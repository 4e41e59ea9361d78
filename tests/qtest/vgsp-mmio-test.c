/*
 * BAR 0 outside of the falcons: identity, time, ROM, windows, mirror, the
 * width of accesses, and registers that nobody models.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "standard-headers/linux/pci_regs.h"
#include "vgsp/nv/dev_boot.h"
#include "vgsp/nv/dev_bus.h"
#include "vgsp/nv/dev_disp.h"
#include "vgsp/nv/dev_ext_devices.h"
#include "vgsp/nv/dev_fb.h"
#include "vgsp/nv/dev_fuse.h"
#include "vgsp/nv/dev_gc6_island.h"
#include "vgsp/nv/dev_nv_xve.h"
#include "vgsp/nv/dev_timer.h"
#include "vgsp/nv/dev_vm.h"

typedef struct Word {
    const char *name;
    uint32_t reg, value;
} Word;

/* What a driver reads before it has written anything. */
static const Word reset_words[] = {
    { "NV_PMC_BOOT_0", 0x000000, 0x164000a1 },
    { "NV_PMC_BOOT_1", 0x000004, 0 },
    { "NV_PMC_BOOT_42", 0x000a00, 0x164a1000 },
    { "strap: 27 MHz crystal", 0x101000, 0x00400000 },
    { "fuse: production signatures", 0x02174c, 1 },
    { "fuse: no display", 0x021c04, 1 },
    { "GFW: progress readable", 0x118128, 1 },
    { "GFW: completed", 0x118234, 0xff },
    { "256 MiB of VRAM", 0x100ce0, 0x104 },
    { "no WPR2", 0x1fa824, 0 },
    { "no WPR2", 0x1fa828, 0 },
    { "interrupt tree", 0xb81600, 0 },
    { "interrupt tree", 0xb81608, 0 },
    { "TLB invalidation idle", 0xb830b0, 0 },
};

static uint64_t vram_range(uint32_t word)
{
    return VGSP_GET(NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_MAG, word) <<
        (VGSP_GET(NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_SCALE, word) + 20);
}

static void test_reset_words(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    for (size_t i = 0; i < G_N_ELEMENTS(reset_words); i++) {
        uint32_t got = vgsp_rd32(q, reset_words[i].reg);

        if (reset_words[i].reg == NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE) {
            /* One size has several spellings. */
            g_assert_cmphex(vram_range(got), ==, VGSP_QOS_VRAM_SIZE);
        } else if (reset_words[i].reg == 0x118234 ||
                   reset_words[i].reg == 0x118128) {
            g_assert_cmphex(got & reset_words[i].value, ==,
                            reset_words[i].value);
        } else {
            g_assert_cmphex(got, ==, reset_words[i].value);
        }
    }
    vgsp_qos_free(q);
}

static void test_vram_sizes(void)
{
    static const unsigned mib[] = { 256, 384, 1024, 2048, 6144, 8192 };

    for (size_t i = 0; i < G_N_ELEMENTS(mib); i++) {
        QTestState *qts = qtest_initf("-M q35 -nodefaults -device vgsp-gpu,"
                                      "addr=4.0,vram-size=%uM", mib[i]);
        QPCIBus *bus = qpci_new_pc(qts, NULL);
        QPCIDevice *dev = qpci_device_find(bus, QPCI_DEVFN(4, 0));
        QPCIBar bar = qpci_iomap(dev, 0, NULL);

        qpci_device_enable(dev);
        g_assert_cmphex(
            vram_range(qpci_io_readl(dev, bar,
                                     NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE)),
            ==, (uint64_t)mib[i] << 20);
        g_free(dev);
        qpci_free_pc(bus);
        qtest_quit(qts);
    }
}

static uint64_t ptimer(VgspQos *q)
{
    uint32_t hi, lo;

    do {
        hi = vgsp_rd32(q, NV_PTIMER_TIME_1);
        lo = vgsp_rd32(q, NV_PTIMER_TIME_0);
    } while (hi != vgsp_rd32(q, NV_PTIMER_TIME_1));
    return (uint64_t)hi << 32 | lo;
}

static void test_ptimer(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    uint64_t t0 = ptimer(q), t1, t2;

    g_assert_cmphex(t0 & 31, ==, 0);
    qtest_clock_step(q->qts, 1000000);
    t1 = ptimer(q);
    g_assert_cmpint(t1 - t0, >=, 1000000 - 32);
    g_assert_cmpint(t1 - t0, <=, 1000000 + 32);
    /* Beyond 32 bits. */
    qtest_clock_step(q->qts, 5000000000LL);
    t2 = ptimer(q);
    g_assert_cmpint(t2 - t1, >=, 5000000000LL - 32);
    g_assert_cmphex(t2 >> 32, !=, 0);
    /* The usermode page has the same time. */
    g_assert_cmphex(vgsp_rd32(q, 0xbb0080), ==, (uint32_t)t2);
    g_assert_cmphex(vgsp_rd32(q, 0xbb0084), ==, t2 >> 32);
    /* Setting it is accepted and has no effect: engines share the clock. */
    vgsp_wr32(q, NV_PTIMER_TIME_1, 0);
    vgsp_wr32(q, NV_PTIMER_TIME_0, 0);
    g_assert_cmphex(ptimer(q), ==, t2);
    vgsp_qos_free(q);
}

static void test_prom(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    g_autofree uint8_t *prom = g_malloc(VGSP_VBIOS_MAX_SIZE);
    g_autofree uint8_t *rom = NULL;
    VgspVbiosInfo info;
    uint8_t sum = 0;

    for (uint32_t i = 0; i < 0x4000; i += 4) {
        vgsp_put_le32(prom + i, vgsp_rd32(q, NV_PROM_BASE + i));
    }
    g_assert_cmpint(vgsp_vbios_parse(prom, 0x4000, &info), ==, VGSP_VBIOS_OK);
    g_assert_cmphex(info.base, ==, 0);
    g_assert_cmphex(info.device_id, ==, 0x1e81);
    g_assert_true(info.checksum_ok);
    for (uint32_t i = 0; i < info.image0_size; i++) {
        sum += prom[i];
    }
    g_assert_cmphex(sum, ==, 0);
    /* FWSEC: code and data within the image, a 2-entry interface table. */
    g_assert_cmphex(info.fwsec.imem_load_size, !=, 0);
    g_assert_cmphex(info.fwsec.image_offset + info.fwsec.image_size, <=,
                    info.size);
    g_assert_cmpint(prom[info.fwsec.image_offset + info.fwsec.dmem_offset +
                         info.fwsec.interface_offset + 3], >=, 2);
    /* The expansion ROM is the same bytes; PROM reads at any width. */
    rom = g_malloc(info.size);
    qpci_config_writel(q->dev, PCI_ROM_ADDRESS,
                       q->rom | PCI_ROM_ADDRESS_ENABLE);
    qtest_bufread(q->qts, q->rom, rom, info.size);
    g_assert_cmpmem(rom, info.size, prom, info.size);
    g_assert_cmphex(qtest_readb(q->qts, q->bar0 + NV_PROM_BASE), ==, 0x55);
    g_assert_cmphex(qtest_readb(q->qts, q->bar0 + NV_PROM_BASE + 1), ==, 0xaa);
    g_assert_cmphex(qtest_readw(q->qts, q->bar0 + NV_PROM_BASE), ==, 0xaa55);
    /* Not writable; erased at the end of the window. */
    vgsp_wr32(q, NV_PROM_BASE, 0);
    g_assert_cmphex(qtest_readw(q->qts, q->bar0 + NV_PROM_BASE), ==, 0xaa55);
    g_assert_cmphex(vgsp_rd32(q, NV_PROM_BASE + NV_PROM_SIZE - 4), ==,
                    0xffffffff);
    vgsp_qos_free(q);
}

static void test_pramin(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    uint64_t pramin = q->bar0 + NV_PRAMIN_BASE;
    uint32_t last = (VGSP_QOS_VRAM_SIZE >> 16) - 0x10;

    vgsp_wr32(q, NV_PBUS_BAR0_WINDOW, 0);
    qtest_writel(q->qts, pramin, 0x11111111);
    qtest_writel(q->qts, pramin + 0x10000, 0x22222222);
    vgsp_wr32(q, NV_PBUS_BAR0_WINDOW, last);
    g_assert_cmphex(vgsp_rd32(q, NV_PBUS_BAR0_WINDOW), ==, last);
    qtest_writel(q->qts, pramin + NV_PRAMIN_SIZE - 4, 0x33333333);
    /* The window counts in 64 KiB. */
    vgsp_wr32(q, NV_PBUS_BAR0_WINDOW, 1);
    g_assert_cmphex(qtest_readl(q->qts, pramin), ==, 0x22222222);
    vgsp_wr32(q, NV_PBUS_BAR0_WINDOW, 0);
    g_assert_cmphex(qtest_readl(q->qts, pramin), ==, 0x11111111);
    /* All widths. */
    qtest_writeq(q->qts, pramin + 8, 0x1122334455667788ull);
    g_assert_cmphex(qtest_readl(q->qts, pramin + 8), ==, 0x55667788);
    g_assert_cmphex(qtest_readw(q->qts, pramin + 10), ==, 0x5566);
    qtest_writeb(q->qts, pramin + 15, 0xee);
    g_assert_cmphex(qtest_readq(q->qts, pramin + 8), ==, 0xee22334455667788ull);
    vgsp_wr32(q, NV_PBUS_BAR0_WINDOW, last);
    g_assert_cmphex(qtest_readl(q->qts, pramin + NV_PRAMIN_SIZE - 4), ==,
                    0x33333333);
    /* Beyond VRAM: reads do not hang, writes go nowhere. */
    vgsp_wr32(q, NV_PBUS_BAR0_WINDOW, last + 0x10);
    qtest_writel(q->qts, pramin, 0x44444444);
    qtest_readl(q->qts, pramin);
    vgsp_wr32(q, NV_PBUS_BAR0_WINDOW, 0);
    g_assert_cmphex(qtest_readl(q->qts, pramin), ==, 0x11111111);
    vgsp_qos_free(q);
}

/* System memory through the window, where its target says so. */
static void test_pramin_sysmem(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    uint64_t ram = vgsp_qos_ram(q, 0x20000) + 0xffff;

    ram &= ~0xffffull;
    qtest_writel(q->qts, ram + 0x40, 0x5a5a1234);
    vgsp_wr32(q, NV_PBUS_BAR0_WINDOW, ram >> 16 |
              VGSP_SET(NV_PBUS_BAR0_WINDOW_TARGET,
                       NV_PBUS_BAR0_WINDOW_TARGET_SYS_MEM_COHERENT));
    g_assert_cmphex(vgsp_rd32(q, NV_PRAMIN_BASE + 0x40), ==, 0x5a5a1234);
    vgsp_wr32(q, NV_PRAMIN_BASE + 0x44, 0xc0ffee);
    g_assert_cmphex(qtest_readl(q->qts, ram + 0x44), ==, 0xc0ffee);
    vgsp_qos_free(q);
}

static void test_mirror(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    for (int reg = 0; reg < 0x40; reg += 4) {
        g_assert_cmphex(vgsp_rd32(q, NV_PCFG_BASE + reg), ==,
                        qpci_config_readl(q->dev, reg));
    }
    /* A write through the mirror is a configuration write. */
    vgsp_wr32(q, NV_PCFG_BASE + PCI_INTERRUPT_LINE, 0xb);
    g_assert_cmphex(qpci_config_readb(q->dev, PCI_INTERRUPT_LINE), ==, 0xb);
    g_assert_cmphex(vgsp_rd32(q, NV_PCFG_BASE + NV_XVE_ROM_CTRL) & 1, ==, 1);
    vgsp_wr32(q, NV_PCFG_BASE + NV_XVE_ROM_CTRL, 0);
    g_assert_cmphex(vgsp_rd32(q, NV_PCFG_BASE + NV_XVE_ROM_CTRL) & 1, ==, 0);
    vgsp_qos_free(q);
}

static void test_widths(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    uint64_t scratch = q->bar0 + NV_PBUS_SW_SCRATCH(5);

    qtest_writel(q->qts, scratch, 0x11223344);
    g_assert_cmphex(qtest_readb(q->qts, scratch + 1), ==, 0x33);
    g_assert_cmphex(qtest_readw(q->qts, scratch + 2), ==, 0x1122);
    qtest_writeb(q->qts, scratch + 3, 0xaa);
    qtest_writew(q->qts, scratch, 0xbbcc);
    g_assert_cmphex(qtest_readl(q->qts, scratch), ==, 0xaa22bbcc);
    /* 64 bits are two registers. */
    qtest_writeq(q->qts, scratch, 0x0123456789abcdefull);
    g_assert_cmphex(vgsp_rd32(q, NV_PBUS_SW_SCRATCH(5)), ==, 0x89abcdef);
    g_assert_cmphex(vgsp_rd32(q, NV_PBUS_SW_SCRATCH(6)), ==, 0x01234567);
    g_assert_cmphex(qtest_readq(q->qts, scratch), ==, 0x0123456789abcdefull);
    /* The VGA's CRTC registers are bytes. */
    qtest_writeb(q->qts, q->bar0 + NV_PRMCIO_CRTC_INDEX, 0x3f);
    qtest_writeb(q->qts, q->bar0 + NV_PRMCIO_CRTC_DATA, 0x57);
    qtest_writeb(q->qts, q->bar0 + NV_PRMCIO_CRTC_INDEX, 0x1f);
    qtest_writeb(q->qts, q->bar0 + NV_PRMCIO_CRTC_INDEX, 0x3f);
    g_assert_cmphex(qtest_readb(q->qts, q->bar0 + NV_PRMCIO_CRTC_DATA), ==,
                    0x57);
    vgsp_qos_free(q);
}

static void test_unknown(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    int64_t before = vgsp_qos_stat(q, "stats-mmio-unknown");
    g_autofree char *list = NULL;

    g_assert_cmphex(vgsp_rd32(q, 0x17e8f0), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, 0x17e8f0), ==, 0);
    vgsp_wr32(q, 0x17e8f0, 0xffffffff);
    g_assert_cmphex(vgsp_rd32(q, 0x17e8f0), ==, 0);
    vgsp_wr32(q, 0xfffffc, 1);
    g_assert_cmpint(vgsp_qos_stat(q, "stats-mmio-unknown") - before, ==, 5);
    list = vgsp_qos_property(q, "stats-unknown-registers");
    g_assert_nonnull(strstr(list, "0x17e8f0 reads=3 writes=1"));
    g_assert_nonnull(strstr(list, "0xfffffc reads=0 writes=1"));
    vgsp_qos_free(q);
}

static void test_flush(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    vgsp_wr32(q, NV_UFLUSH_FB_FLUSH, 1);
    g_assert_cmphex(vgsp_rd32(q, NV_UFLUSH_FB_FLUSH) &
                    NV_UFLUSH_FB_FLUSH_OUTSTANDING, ==, 0);
    vgsp_qos_free(q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/vgsp/mmio/reset-words", test_reset_words);
    qtest_add_func("/vgsp/mmio/vram-sizes", test_vram_sizes);
    if (!vgsp_qos_kvm()) {
        qtest_add_func("/vgsp/mmio/ptimer", test_ptimer);
    }
    qtest_add_func("/vgsp/mmio/prom", test_prom);
    qtest_add_func("/vgsp/mmio/pramin", test_pramin);
    qtest_add_func("/vgsp/mmio/pramin-sysmem", test_pramin_sysmem);
    qtest_add_func("/vgsp/mmio/mirror", test_mirror);
    qtest_add_func("/vgsp/mmio/widths", test_widths);
    qtest_add_func("/vgsp/mmio/unknown", test_unknown);
    qtest_add_func("/vgsp/mmio/flush", test_flush);
    return g_test_run();
}
