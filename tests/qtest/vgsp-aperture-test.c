/*
 * BAR1 and BAR2 (PCI BAR 3): translation through the guest's page tables, with
 * every page size and aperture, unmapped and sparse pages, invalidation, and
 * guests that map as badly as they can.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"

#define MIB(n)      ((uint64_t)(n) << 20)

/* VRAM: tables here, pages to map from there. */
#define TABLES      MIB(4)
#define TABLES_SIZE (4u << 20)
#define PAGES       MIB(16)

typedef struct Window {
    const char *name;
    uint64_t size;
    /* Make vm the window's space; invalidate it. */
    void (*bind)(VgspQos *q, VgspQosVm *vm);
    void (*flush)(VgspQos *q);
    uint64_t (*base)(VgspQos *q);
} Window;

/* BAR1: RM chose the directory, the driver writes its entry there. */
static void bar1_bind(VgspQos *q, VgspQosVm *vm)
{
    uint64_t pde = vgsp_vm_pde0(vm);

    vgsp_vram_write(q, q->gsp.info.bar1_pde_base, &pde, sizeof(pde));
    vgsp_invalidate(q, q->gsp.info.bar1_pde_base);
}

static void bar1_flush(VgspQos *q)
{
    vgsp_invalidate(q, q->gsp.info.bar1_pde_base);
}

static uint64_t bar1_base(VgspQos *q)
{
    return q->bar1;
}

/* BAR2: the driver sends its entry; invalidations name RM's directory. */
static void bar2_bind(VgspQos *q, VgspQosVm *vm)
{
    g_assert_cmpint(vgsp_gsp_update_bar_pde(&q->gsp, NV_RPC_UPDATE_PDE_BAR_2,
                                            vgsp_vm_pde0(vm)), ==,
                    VGSP_GSP_OK);
}

static void bar2_flush(VgspQos *q)
{
    vgsp_invalidate(q, q->gsp.info.bar2_pde_base);
}

static uint64_t bar2_base(VgspQos *q)
{
    return q->bar3;
}

static const Window windows[] = {
    { "bar1", MIB(256), bar1_bind, bar1_flush, bar1_base },
    { "bar2", MIB(32), bar2_bind, bar2_flush, bar2_base },
};

static VgspQos *aperture_up(VgspQosVm **vm)
{
    VgspQos *q = vgsp_qos_new("", "");

    vgsp_gsp_up(q, vgsp_profiles[0]);
    *vm = vgsp_vm_new(q, TABLES, TABLES_SIZE);
    return q;
}

static void aperture_end(VgspQos *q, VgspQosVm *vm)
{
    vgsp_vm_free(vm);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

/* The same word through the window and where it should lie. */
static void check_vram(VgspQos *q, uint64_t at, uint64_t vram)
{
    uint32_t word = 0xa5000000 ^ (uint32_t)at ^ (uint32_t)(vram >> 8);

    qtest_writel(q->qts, at, word);
    g_assert_cmphex(vgsp_vram_rd32(q, vram), ==, word);
    vgsp_vram_wr32(q, vram, ~word);
    g_assert_cmphex(qtest_readl(q->qts, at), ==, ~word);
}

static void check_sys(VgspQos *q, uint64_t at, uint64_t ram)
{
    uint32_t word = 0x5a000000 ^ (uint32_t)at ^ (uint32_t)(ram >> 8);

    qtest_writel(q->qts, at, word);
    g_assert_cmphex(qtest_readl(q->qts, ram), ==, word);
    qtest_writel(q->qts, ram, ~word);
    g_assert_cmphex(qtest_readl(q->qts, at), ==, ~word);
}

static const unsigned shifts[] = { 12, 16, 21 };

static void test_pages(const void *data)
{
    const Window *w = data;
    VgspQosVm *vm;
    VgspQos *q = aperture_up(&vm);
    uint64_t base = w->base(q), ram, va;

    /* Twice each size in a slot of 4 MiB of its own: not in order. */
    for (size_t i = 0; i < G_N_ELEMENTS(shifts); i++) {
        uint64_t size = 1ull << shifts[i];

        va = MIB(4) * i;
        vgsp_vm_map(vm, va, PAGES + MIB(4) * i + size, shifts[i],
                    VGSP_PTE_VRAM);
        vgsp_vm_map(vm, va + size, PAGES + MIB(4) * i, shifts[i],
                    VGSP_PTE_VRAM);
    }
    /* System memory, coherent and not, in 4 KiB and 64 KiB. */
    ram = QEMU_ALIGN_UP(vgsp_qos_ram(q, 0x50000), 0x10000);
    vgsp_vm_map(vm, MIB(12), ram, 12, VGSP_PTE_SYS);
    vgsp_vm_map(vm, MIB(12) + 0x1000, ram + 0x3000, 12, VGSP_PTE_SYS_NC);
    vgsp_vm_map(vm, MIB(14), ram + 0x10000, 16, VGSP_PTE_SYS);
    vgsp_vm_map(vm, MIB(14) + 0x10000, ram + 0x30000, 16, VGSP_PTE_SYS_NC);
    /* The window's last page. */
    vgsp_vm_map(vm, w->size - 0x1000, PAGES + MIB(20), 12, VGSP_PTE_VRAM);
    vgsp_vm_commit(vm);
    w->bind(q, vm);

    for (size_t i = 0; i < G_N_ELEMENTS(shifts); i++) {
        uint64_t size = 1ull << shifts[i];
        uint64_t pa = PAGES + MIB(4) * i;

        va = base + MIB(4) * i;
        check_vram(q, va, pa + size);
        check_vram(q, va + size - 4, pa + 2 * size - 4);
        check_vram(q, va + size, pa);
        check_vram(q, va + size + size / 2, pa + size / 2);
    }
    check_sys(q, base + MIB(12), ram);
    check_sys(q, base + MIB(12) + 0xffc, ram + 0xffc);
    check_sys(q, base + MIB(12) + 0x1000, ram + 0x3000);
    check_sys(q, base + MIB(14) + 0x8000, ram + 0x18000);
    check_sys(q, base + MIB(14) + 0x1fffc, ram + 0x3fffc);
    check_vram(q, base + w->size - 4, PAGES + MIB(20) + 0xffc);
    /* Across the border of two pages that do not adjoin. */
    qtest_writeq(q->qts, base + 0x1000 - 4, 0x1122334455667788ull);
    g_assert_cmphex(vgsp_vram_rd32(q, PAGES + 0x1ffc), ==, 0x55667788);
    g_assert_cmphex(vgsp_vram_rd32(q, PAGES), ==, 0x11223344);
    aperture_end(q, vm);
}

static void test_holes(const void *data)
{
    const Window *w = data;
    VgspQosVm *vm;
    VgspQos *q = aperture_up(&vm);
    uint64_t base = w->base(q);

    vgsp_vm_map(vm, 0, PAGES, 12, VGSP_PTE_VRAM);
    vgsp_vm_map(vm, 0x1000, 0, 12, VGSP_PTE_SPARSE);
    vgsp_vm_map(vm, 0x3000, PAGES + 0x3000, 12,
                VGSP_PTE_VRAM | NV_MMU_VER2_PTE_READ_ONLY);
    /* Beyond VRAM, and system memory that is none. */
    vgsp_vm_map(vm, 0x4000, VGSP_QOS_VRAM_SIZE, 12, VGSP_PTE_VRAM);
    vgsp_vm_map(vm, 0x5000, 1ull << 45, 12, VGSP_PTE_SYS);
    /* A device's registers are not memory: our own BAR 0. */
    vgsp_vm_map(vm, 0x6000, q->bar0 + 0x1000, 12, VGSP_PTE_SYS);
    /* The peer aperture does not exist here. */
    vgsp_vm_map(vm, 0x7000, PAGES, 12, NV_MMU_VER2_PTE_VALID |
                VGSP_SET(NV_MMU_VER2_PTE_APERTURE,
                         NV_MMU_VER2_PTE_APERTURE_PEER_MEMORY));
    vgsp_vm_commit(vm);
    vgsp_vram_wr32(q, PAGES + 0x3000, 0x600d);
    vgsp_wr32(q, 0x001400, 0x5c5c5c5c);
    w->bind(q, vm);

    check_vram(q, base, PAGES);
    /* Sparse: reads zero, writes vanish. */
    qtest_writel(q->qts, base + 0x1000, 0xffffffff);
    g_assert_cmphex(qtest_readl(q->qts, base + 0x1000), ==, 0);
    /* Read only. */
    g_assert_cmphex(qtest_readl(q->qts, base + 0x3000), ==, 0x600d);
    qtest_writel(q->qts, base + 0x3000, 0xbad);
    g_assert_cmphex(vgsp_vram_rd32(q, PAGES + 0x3000), ==, 0x600d);
    /* Whatever these read, they end and harm nothing. */
    for (uint32_t off = 0x2000; off < 0x9000; off += 0x1000) {
        qtest_readl(q->qts, base + off);
        if (off != 0x3000) {
            qtest_writel(q->qts, base + off, 0xbad);
        }
    }
    g_assert_cmphex(vgsp_rd32(q, 0x001400), ==, 0x5c5c5c5c);
    check_vram(q, base, PAGES);
    qtest_readl(q->qts, base + w->size - 4);
    aperture_end(q, vm);
}

/* A change shows after the invalidation at the latest. */
static void test_invalidate(const void *data)
{
    const Window *w = data;
    VgspQosVm *vm;
    VgspQos *q = aperture_up(&vm);
    uint64_t base = w->base(q);
    int64_t before;

    vgsp_vm_map(vm, 0, PAGES, 12, VGSP_PTE_VRAM);
    vgsp_vm_commit(vm);
    w->bind(q, vm);
    check_vram(q, base, PAGES);
    before = vgsp_qos_stat(q, "stats-invalidates");
    for (int i = 1; i <= 8; i++) {
        vgsp_vm_map(vm, 0, PAGES + i * 0x1000, 12, VGSP_PTE_VRAM);
        vgsp_vm_commit(vm);
        if (i & 1) {
            w->flush(q);
        } else {
            vgsp_invalidate_all(q);
        }
        check_vram(q, base, PAGES + i * 0x1000);
    }
    g_assert_cmpint(vgsp_qos_stat(q, "stats-invalidates") - before, ==, 8);
    /* Unmapped: what is written goes nowhere. */
    vgsp_vram_wr32(q, PAGES + 0x8000, 0x11);
    vgsp_vm_map(vm, 0, 0, 12, 0);
    vgsp_vm_commit(vm);
    w->flush(q);
    qtest_writel(q->qts, base, 0x22);
    g_assert_cmphex(vgsp_vram_rd32(q, PAGES + 0x8000), ==, 0x11);
    /* A larger page in the place of smaller ones. */
    vgsp_vm_map(vm, MIB(2), PAGES + MIB(2), 21, VGSP_PTE_VRAM);
    vgsp_vm_commit(vm);
    w->flush(q);
    check_vram(q, base + MIB(3), PAGES + MIB(3));
    aperture_end(q, vm);
}

/* Every page of both windows, scattered: no two adjoin. */
static void test_scattered(void)
{
    VgspQosVm *vm;
    VgspQos *q = aperture_up(&vm);
    uint32_t pages1 = MIB(256) >> 12, pages2 = MIB(32) >> 12;
    VgspQosVm *vm2 = vgsp_vm_new(q, TABLES + TABLES_SIZE, TABLES_SIZE);
    int64_t start = g_get_monotonic_time();

    for (uint32_t i = 0; i < pages1; i++) {
        vgsp_vm_map(vm, i * 0x1000ull,
                    PAGES + (pages1 - 1 - i) % 0x4000 * 0x1000ull, 12,
                    VGSP_PTE_VRAM);
    }
    for (uint32_t i = 0; i < pages2; i++) {
        vgsp_vm_map(vm2, i * 0x1000ull, PAGES + (pages2 - 1 - i) * 0x1000ull,
                    12, VGSP_PTE_VRAM);
    }
    vgsp_vm_commit(vm);
    vgsp_vm_commit(vm2);
    bar1_bind(q, vm);
    bar2_bind(q, vm2);
    for (uint32_t i = 0; i < pages1; i += 4099) {
        check_vram(q, q->bar1 + i * 0x1000ull + 8,
                   PAGES + (pages1 - 1 - i) % 0x4000 * 0x1000ull + 8);
    }
    for (uint32_t i = 0; i < pages2; i += 509) {
        check_vram(q, q->bar3 + i * 0x1000ull + 8,
                   PAGES + (pages2 - 1 - i) * 0x1000ull + 8);
    }
    for (int i = 0; i < 10; i++) {
        vgsp_invalidate_all(q);
    }
    g_test_message("%" PRId64 " ms", (g_get_monotonic_time() - start) / 1000);
    vgsp_vm_free(vm2);
    aperture_end(q, vm);
}

/* Contiguous, then scattered, then contiguous ...: the cost stays bounded. */
static void test_remap_loop(void)
{
    enum { LOOPS = 50, SPAN = 2048 };
    VgspQosVm *vm;
    VgspQos *q = aperture_up(&vm);
    int64_t start;

    vgsp_vm_map(vm, 0, PAGES, 12, VGSP_PTE_VRAM);
    vgsp_vm_commit(vm);
    bar1_bind(q, vm);
    start = g_get_monotonic_time();
    for (int loop = 0; loop < LOOPS; loop++) {
        for (uint32_t i = 0; i < SPAN; i++) {
            uint32_t page = loop & 1 ? SPAN - 1 - i : i;

            vgsp_vm_map(vm, i * 0x1000ull, PAGES + page * 0x1000ull, 12,
                        VGSP_PTE_VRAM);
        }
        vgsp_vm_commit(vm);
        bar1_flush(q);
        check_vram(q, q->bar1 + 5 * 0x1000,
                   PAGES + (loop & 1 ? SPAN - 6 : 5) * 0x1000ull);
    }
    g_test_message("%" PRId64 " us a loop",
                   (g_get_monotonic_time() - start) / LOOPS);
    aperture_end(q, vm);
}

/* Tables that are no tables: loops, garbage, beyond VRAM. */
static void test_hostile_tables(void)
{
    static const uint64_t entries[] = {
        0xffffffffffffffffull, 0x2ull | (TABLES >> 4),   /* the table itself */
        0x2ull | VGSP_QOS_VRAM_SIZE >> 4, 0x4ull, 0x6ull | 0xfffffffff0ull,
        0x1ull, 0x8ull, 0x0001000000000002ull, 0xaaaaaaaaaaaaaaaaull,
    };
    VgspQosVm *vm;
    VgspQos *q = aperture_up(&vm);
    g_autofree uint64_t *junk = g_new(uint64_t, 0x10000 / 8);

    for (size_t i = 0; i < G_N_ELEMENTS(entries); i++) {
        for (size_t j = 0; j < 0x10000 / 8; j++) {
            junk[j] = entries[(i + j * (i & 1)) % G_N_ELEMENTS(entries)];
        }
        vgsp_vram_write(q, TABLES, junk, 0x10000);
        vgsp_vram_write(q, q->gsp.info.bar1_pde_base, &entries[i], 8);
        vgsp_invalidate_all(q);
        for (uint64_t va = 0; va < MIB(256); va += MIB(37)) {
            qtest_readl(q->qts, q->bar1 + va);
            qtest_writel(q->qts, q->bar1 + va, 0xbad);
        }
        g_assert_cmpint(vgsp_gsp_update_bar_pde(&q->gsp, 1, entries[i]), ==,
                        VGSP_GSP_OK);
        qtest_readl(q->qts, q->bar3 + MIB(5));
    }
    aperture_end(q, vm);
}

/* Before the directories exist, and after they are withdrawn. */
static void test_unbound(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    VgspQosVm *vm;

    qtest_readl(q->qts, q->bar1);
    qtest_writel(q->qts, q->bar3, 1);
    qtest_readl(q->qts, q->bar3 + MIB(32) - 4);
    vgsp_gsp_up(q, vgsp_profiles[0]);
    vm = vgsp_vm_new(q, TABLES, TABLES_SIZE);
    vgsp_vm_map(vm, 0, PAGES, 12, VGSP_PTE_VRAM);
    vgsp_vm_commit(vm);
    bar1_bind(q, vm);
    bar2_bind(q, vm);
    check_vram(q, q->bar1, PAGES);
    check_vram(q, q->bar3, PAGES);
    vgsp_vram_wr32(q, PAGES, 0x77);
    g_assert_cmpint(vgsp_gsp_update_bar_pde(&q->gsp, 1, 0), ==, VGSP_GSP_OK);
    qtest_writel(q->qts, q->bar3, 0x88);
    g_assert_cmphex(vgsp_vram_rd32(q, PAGES), ==, 0x77);
    vgsp_gsp_down(q);
    qtest_writel(q->qts, q->bar1, 0x99);
    g_assert_cmphex(vgsp_vram_rd32(q, PAGES), ==, 0x77);
    vgsp_vm_free(vm);
    vgsp_qos_free(q);
}

/* Suspend sends nothing about BAR2, and resume uses it at once. */
static void test_suspend(void)
{
    VgspQosVm *vm;
    VgspQos *q = aperture_up(&vm);

    vgsp_vm_map(vm, 0, PAGES, 12, VGSP_PTE_VRAM);
    vgsp_vm_map(vm, 0x1000, PAGES + 0x5000, 12, VGSP_PTE_VRAM);
    vgsp_vm_commit(vm);
    bar1_bind(q, vm);
    bar2_bind(q, vm);
    for (int reset = 0; reset < 2; reset++) {
        g_assert_cmpint(vgsp_gsp_suspend(&q->gsp), ==, VGSP_GSP_OK);
        if (reset) {
            qtest_system_reset(q->qts);
            vgsp_qos_enable(q);
        }
        g_assert_cmpint(vgsp_gsp_resume(&q->gsp), ==, VGSP_GSP_OK);
        bar2_flush(q);
        check_vram(q, q->bar3 + 0x1004, PAGES + 0x5004);
        bar1_flush(q);
        check_vram(q, q->bar1 + 0x1008, PAGES + 0x5008);
    }
    aperture_end(q, vm);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(windows); i++) {
        g_autofree char *pages = g_strdup_printf("/vgsp/aperture/pages/%s",
                                                 windows[i].name);
        g_autofree char *holes = g_strdup_printf("/vgsp/aperture/holes/%s",
                                                 windows[i].name);
        g_autofree char *inval = g_strdup_printf("/vgsp/aperture/invalidate/%s",
                                                 windows[i].name);

        qtest_add_data_func(pages, &windows[i], test_pages);
        qtest_add_data_func(holes, &windows[i], test_holes);
        qtest_add_data_func(inval, &windows[i], test_invalidate);
    }
    qtest_add_func("/vgsp/aperture/scattered", test_scattered);
    qtest_add_func("/vgsp/aperture/remap-loop", test_remap_loop);
    qtest_add_func("/vgsp/aperture/hostile-tables", test_hostile_tables);
    qtest_add_func("/vgsp/aperture/unbound", test_unbound);
    qtest_add_func("/vgsp/aperture/suspend", test_suspend);
    return g_test_run();
}
