/*
 * The direct mappings of BAR1 and BAR2: what is mapped does not trap, how many
 * ranges are mapped and which, and what becomes of system memory when the bus
 * changes under it. The windows are bound by register, without GSP-RM.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "qobject/qdict.h"
#include "standard-headers/linux/pci_regs.h"
#include "vgsp/nv/dev_bus.h"
#include "vgsp/nv/dev_vm.h"

#define PAGE        VGSP_QOS_PAGE
#define MIB(n)      ((uint64_t)(n) << 20)

/* VRAM: an instance block, tables, and pages to map from there. */
#define INSTANCE    MIB(1)
#define TABLES      MIB(4)
#define TABLES_SIZE (4u << 20)
#define PAGES       MIB(16)

/* The limits of hw-vgsp/device/aperture.h. */
#define MAX_RANGES      1024u
#define MAX_RANGES_ALL  1536u

#define BAR_BLOCK(bar) \
    (NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET + \
     ((bar) == 1 ? NV_VIRTUAL_FUNCTION_PRIV_BAR1_BLOCK \
                 : NV_VIRTUAL_FUNCTION_PRIV_BAR2_BLOCK))

static void bind_bar(VgspQos *q, VgspQosVm *vm, int bar)
{
    uint32_t block = NV_PBUS_BAR_BLOCK_MODE |
        VGSP_SET(NV_PBUS_BAR_BLOCK_PTR,
                 INSTANCE >> NV_PBUS_BAR_BLOCK_PTR_SHIFT);
    uint64_t dir = vm->base | NV_RAMIN_USE_VER2_PT_FORMAT;

    vgsp_vm_commit(vm);
    vgsp_vram_write(q, INSTANCE + NV_RAMIN_PAGE_DIR_BASE, &dir, sizeof(dir));
    vgsp_wr32(q, BAR_BLOCK(bar), block);
    g_assert_cmphex(vgsp_rd32(q, BAR_BLOCK(bar)), ==, block);
}

/* How many traps the access costs: 0 or 1. */
static int64_t traps(VgspQos *q, uint64_t addr)
{
    int64_t before = vgsp_qos_stat(q, "stats-bar-traps");

    qtest_readl(q->qts, addr);
    return vgsp_qos_stat(q, "stats-bar-traps") - before;
}

/* count pages from va, of which no two adjoin in VRAM. */
static void map_scattered(VgspQosVm *vm, uint64_t va, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        vgsp_vm_map(vm, va + i * PAGE, PAGES + (count - 1 - i) * PAGE, 12,
                    VGSP_PTE_VRAM);
    }
}

/* After reset the windows show VRAM as it lies. */
static void test_physical(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    vgsp_vram_wr32(q, PAGES, 0x12345678);
    g_assert_cmphex(qtest_readl(q->qts, q->bar1 + PAGES), ==, 0x12345678);
    g_assert_cmphex(qtest_readl(q->qts, q->bar3 + PAGES), ==, 0x12345678);
    g_assert_cmpint(vgsp_qos_stat(q, "stats-bar-traps"), ==, 0);
    vgsp_qos_free(q);
}

static void test_traps(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    VgspQosVm *vm = vgsp_vm_new(q, TABLES, TABLES_SIZE);
    uint64_t ram = vgsp_qos_ram(q, PAGE);

    vgsp_vm_map(vm, 0, PAGES, 12, VGSP_PTE_VRAM);
    vgsp_vm_map(vm, PAGE, ram, 12, VGSP_PTE_SYS);
    vgsp_vm_map(vm, 2 * PAGE, PAGES, 12,
                VGSP_PTE_VRAM | NV_MMU_VER2_PTE_READ_ONLY);
    vgsp_vm_map(vm, 3 * PAGE, 0, 12, VGSP_PTE_SPARSE);
    for (int bar = 1; bar <= 2; bar++) {
        uint64_t base = bar == 1 ? q->bar1 : q->bar3;

        bind_bar(q, vm, bar);
        g_assert_cmpint(traps(q, base), ==, 0);
        g_assert_cmpint(traps(q, base + PAGE), ==, 0);
        /* Read only, sparse and unmapped pages trap. */
        g_assert_cmpint(traps(q, base + 2 * PAGE), ==, 1);
        g_assert_cmpint(traps(q, base + 3 * PAGE), ==, 1);
        g_assert_cmpint(traps(q, base + 4 * PAGE), ==, 1);
    }
    vgsp_vm_free(vm);
    vgsp_qos_free(q);
}

/* More ranges than are mapped: the largest are, then those that come first. */
static void test_largest_first(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    VgspQosVm *vm = vgsp_vm_new(q, TABLES, TABLES_SIZE);

    map_scattered(vm, 0, 2 * MAX_RANGES);
    for (unsigned i = 0; i < 3; i++) {
        vgsp_vm_map(vm, MIB(64) + i * PAGE, PAGES + MIB(16) + i * PAGE, 12,
                    VGSP_PTE_VRAM);
    }
    vgsp_vm_map(vm, MIB(128), PAGES, 21, VGSP_PTE_VRAM);
    bind_bar(q, vm, 1);
    g_assert_cmpint(traps(q, q->bar1 + MIB(128) + MIB(1)), ==, 0);
    g_assert_cmpint(traps(q, q->bar1 + MIB(64) + 2 * PAGE), ==, 0);
    /* Beside these two, and BAR2 as one range. */
    g_assert_cmpint(traps(q, q->bar1 + (MAX_RANGES - 4) * PAGE), ==, 0);
    g_assert_cmpint(traps(q, q->bar1 + (MAX_RANGES - 3) * PAGE), ==, 1);
    /* What traps is as right as what does not. */
    qtest_writel(q->qts, q->bar1 + (2 * MAX_RANGES - 1) * PAGE, 0x900d);
    g_assert_cmphex(vgsp_vram_rd32(q, PAGES), ==, 0x900d);
    vgsp_vm_free(vm);
    vgsp_qos_free(q);
}

/* All cards together stay below what QEMU can map. */
static void test_all_devices(void)
{
    const unsigned expect[] = { MAX_RANGES, MAX_RANGES_ALL - MAX_RANGES, 0 };
    const char *names[] = { "gpu", "gpu2", "gpu3" };
    VgspQos *q = vgsp_qos_new("",
        "-device vgsp-gpu,id=gpu2,addr=5.0,vram-size=256M "
        "-device vgsp-gpu,id=gpu3,addr=6.0,vram-size=256M");

    for (unsigned i = 0; i < G_N_ELEMENTS(expect); i++) {
        g_autofree VgspQos *card = g_memdup2(q, sizeof(*q));
        g_autofree char *path =
            g_strdup_printf("/machine/peripheral/%s", names[i]);
        VgspQosVm *vm;
        unsigned mapped = 0;

        if (i) {
            card->dev = qpci_device_find(q->pci, QPCI_DEVFN(4 + i, 0));
            card->bar0 += MIB(64) * i;
            card->bar1 += MIB(512) * i;
            card->bar3 += MIB(512) * i;
            card->bar5 += 0x100 * i;
            vgsp_qos_enable(card);
        }
        vm = vgsp_vm_new(card, TABLES, TABLES_SIZE);
        map_scattered(vm, 0, 2 * MAX_RANGES);
        bind_bar(card, vm, 1);
        /* In steps of 64 pages; a card's BAR2 takes a range, too. */
        for (unsigned page = 32; page < 2 * MAX_RANGES; page += 64) {
            int64_t before, after;
            QDict *r;

            r = qtest_qmp(q->qts, "{'execute': 'qom-get', 'arguments': "
                          "{'path': %s, 'property': 'stats-bar-traps'}}", path);
            before = qdict_get_int(r, "return");
            qobject_unref(r);
            qtest_readl(q->qts, card->bar1 + page * PAGE);
            r = qtest_qmp(q->qts, "{'execute': 'qom-get', 'arguments': "
                          "{'path': %s, 'property': 'stats-bar-traps'}}", path);
            after = qdict_get_int(r, "return");
            qobject_unref(r);
            mapped += after == before ? 64 : 0;
        }
        g_assert_cmpuint(mapped, ==, expect[i]);
        vgsp_vm_free(vm);
        if (i) {
            g_free(card->dev);
        }
    }
    vgsp_qos_free(q);
}

/* System memory is there as long as the device's DMA finds it. */
static void test_bus_master(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    VgspQosVm *vm = vgsp_vm_new(q, TABLES, TABLES_SIZE);
    uint64_t ram = vgsp_qos_ram(q, PAGE);
    const uint16_t on = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;

    vgsp_vm_map(vm, 0, ram, 12, VGSP_PTE_SYS);
    bind_bar(q, vm, 1);
    for (int i = 0; i < 3; i++) {
        qtest_writel(q->qts, ram, 0xabc0 + i);
        g_assert_cmphex(qtest_readl(q->qts, q->bar1), ==, 0xabc0 + i);
        g_assert_cmpint(traps(q, q->bar1), ==, 0);

        qpci_config_writew(q->dev, PCI_COMMAND, on & ~PCI_COMMAND_MASTER);
        qtest_qmp_assert_success(q->qts, "{'execute': 'query-status'}");
        g_assert_cmphex(qtest_readl(q->qts, q->bar1), ==, 0);
        qtest_writel(q->qts, q->bar1, 0xbad);
        g_assert_cmphex(qtest_readl(q->qts, ram), ==, 0xabc0 + i);

        qpci_config_writew(q->dev, PCI_COMMAND, on);
        qtest_qmp_assert_success(q->qts, "{'execute': 'query-status'}");
    }
    vgsp_vm_free(vm);
    vgsp_qos_free(q);
}

/* Nor may a page of the own BARs become part of a window. */
static void test_own_bars(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    VgspQosVm *vm = vgsp_vm_new(q, TABLES, TABLES_SIZE);

    vgsp_vm_map(vm, 0, q->bar1, 12, VGSP_PTE_SYS);      /* itself */
    vgsp_vm_map(vm, PAGE, q->bar3 + PAGES, 12, VGSP_PTE_SYS);
    bind_bar(q, vm, 1);
    g_assert_cmphex(qtest_readl(q->qts, q->bar1), ==, 0);
    g_assert_cmpint(traps(q, q->bar1), ==, 1);
    /* BAR3 is memory there, so DMA reaches it, but by a trap. */
    vgsp_vram_wr32(q, PAGES, 0x77);
    g_assert_cmphex(qtest_readl(q->qts, q->bar1 + PAGE), ==, 0x77);
    g_assert_cmpint(traps(q, q->bar1 + PAGE), ==, 1);
    vgsp_vm_free(vm);
    vgsp_qos_free(q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/vgsp/window/physical", test_physical);
    qtest_add_func("/vgsp/window/traps", test_traps);
    qtest_add_func("/vgsp/window/largest-first", test_largest_first);
    qtest_add_func("/vgsp/window/all-devices", test_all_devices);
    qtest_add_func("/vgsp/window/bus-master", test_bus_master);
    qtest_add_func("/vgsp/window/own-bars", test_own_bars);
    return g_test_run();
}
