/*
 * Shadow address spaces: what the executor is told after an invalidation, by
 * count of map operations, and what it keeps after a reset, without bus
 * mastering and when memory is plugged.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "standard-headers/linux/pci_regs.h"
#include "vgsp-qos-channel.h"
#include "vgsp/nv/dev_vm.h"

#define VA          0x40000000ull   /* nothing of the fixture is near */
#define PAGE        4096u
#define HOLE        0x3000000000ull /* no RAM there */

#define INVALIDATE  (NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET + \
                     NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE)

#define PTE_KIND(k) VGSP_SET(NV_MMU_VER2_PTE_KIND, k)
#define PTE_PEER    (NV_MMU_VER2_PTE_VALID | \
    VGSP_SET(NV_MMU_VER2_PTE_APERTURE, NV_MMU_VER2_PTE_APERTURE_PEER_MEMORY))

typedef struct Fixture {
    VgspChBench *b;
    VgspQos *q;
    VgspQosVm *vm;
    VgspCh ch;
    int64_t syncs, ops;
} Fixture;

static void count(Fixture *f)
{
    f->syncs = vgsp_qos_stat(f->q, "stats-shadow-syncs");
    f->ops = vgsp_qos_stat(f->q, "stats-shadow-ops");
}

/* So many comparisons and operations since the last count. */
static void expect(Fixture *f, int syncs, int ops)
{
    int64_t s = f->syncs, o = f->ops;

    count(f);
    g_assert_cmpint(f->syncs - s, ==, syncs);
    g_assert_cmpint(f->ops - o, ==, ops);
}

/* The guest changed its tables and says so. */
static void changed(Fixture *f, int ops)
{
    vgsp_vm_commit(f->vm);
    vgsp_invalidate(f->q, f->vm->base);
    expect(f, 1, ops);
}

static void map(Fixture *f, uint64_t va, uint64_t pa, unsigned shift,
                uint64_t pte)
{
    vgsp_vm_map(f->vm, va, pa, shift, pte);
}

static void compute_object(VgspCh *c)
{
    g_assert_cmpint(vgsp_gsp_rm_alloc(&c->s->q->gsp, c->s->rm.client,
                                      c->ch.handle, 0xc5c00000 + c->ch.chid,
                                      TURING_COMPUTE_A, NULL, 0), ==,
                    VGSP_GSP_OK);
}

static Fixture *fixture_new(void)
{
    Fixture *f = g_new0(Fixture, 1);

    f->b = vgsp_ch_bench_new();
    f->q = f->b->q;
    f->vm = f->b->s.vm;
    count(f);
    vgsp_ch_new(&f->b->s, &f->ch, 3, NV2080_ENGINE_TYPE_GR0, 512, false);
    /* A channel without a GR object needs no space of the executor's. */
    vgsp_invalidate(f->q, f->vm->base);
    expect(f, 0, 0);
    compute_object(&f->ch);
    /* Guest memory is one run, VRAM another. */
    expect(f, 1, 2);
    return f;
}

static void fixture_free(Fixture *f)
{
    vgsp_ch_free(&f->ch);
    /* Nobody uses the space any more. */
    count(f);
    vgsp_invalidate_all(f->q);
    expect(f, 0, 0);
    vgsp_ch_bench_free(f->b);
    g_free(f);
}

/* Small pages: only what changed, merged where it adjoins. */
static void test_small(void)
{
    Fixture *f = fixture_new();

    map(f, VA, 0x2000000, 12, VGSP_PTE_VRAM);
    changed(f, 1);
    changed(f, 0);
    for (int i = 1; i < 17; i++) {
        map(f, VA + i * PAGE, 0x2000000 + i * PAGE, 12, VGSP_PTE_VRAM);
    }
    changed(f, 1);
    for (int i = 32; i < 40; i++) {
        map(f, VA + i * PAGE, 0x3000000 - i * PAGE, 12, VGSP_PTE_VRAM);
    }
    changed(f, 8);
    for (int i = 32; i < 40; i++) {
        map(f, VA + i * PAGE, 0, 12, 0);
    }
    changed(f, 1);
    map(f, VA, 0x2000000, 12, VGSP_PTE_VRAM | NV_MMU_VER2_PTE_READ_ONLY);
    changed(f, 1);
    map(f, VA + 64 * PAGE, 0, 12, VGSP_PTE_SPARSE);
    map(f, VA + 65 * PAGE, 0, 12, VGSP_PTE_SPARSE);
    changed(f, 1);
    fixture_free(f);
}

/* Big pages, and small ones behind them, that count only when those fall. */
static void test_big(void)
{
    Fixture *f = fixture_new();

    map(f, VA, 0x2000000, 16, VGSP_PTE_VRAM);
    changed(f, 1);
    /* The small half comes: all of the slot is told, the page and nothing. */
    map(f, VA, 0x3000000, 12, VGSP_PTE_VRAM);
    changed(f, 2);
    map(f, VA + PAGE, 0x4000000, 12, VGSP_PTE_VRAM);
    changed(f, 0);
    /* The big entry falls: two small pages, and nothing to the end of it. */
    map(f, VA, 0, 16, 0);
    changed(f, 3);
    /* Invalid, and it hides the small ones. */
    map(f, VA, 0, 16, NV_MMU_VER2_PTE_PRIVILEGE);
    changed(f, 1);
    map(f, VA + PAGE, 0x5000000, 12, VGSP_PTE_VRAM);
    changed(f, 0);
    /* Another slot: 2 MiB at once, then small pages instead. */
    map(f, VA + 2 * MiB, 0x6000000, 21, VGSP_PTE_VRAM);
    changed(f, 1);
    fixture_free(f);
}

/* What cannot be mapped is unmapped; kinds become plain ones. */
static void test_entries(void)
{
    Fixture *f = fixture_new();

    map(f, VA, 0x2000000, 12, VGSP_PTE_VRAM);
    changed(f, 1);
    map(f, VA, 0x2000000, 12, PTE_PEER);
    changed(f, 1);
    map(f, VA, HOLE, 12, VGSP_PTE_SYS);
    changed(f, 1);
    map(f, VA, VGSP_QOS_VRAM_SIZE, 12, VGSP_PTE_VRAM);
    changed(f, 1);
    map(f, VA, 0x2000000, 12,
        VGSP_PTE_VRAM | PTE_KIND(NV_MMU_PTE_KIND_INVALID));
    changed(f, 1);
    /* Compressible or not, they are one run of generic memory. */
    map(f, VA, 0x2000000, 12,
        VGSP_PTE_VRAM |
        PTE_KIND(NV_MMU_PTE_KIND_GENERIC_MEMORY_COMPRESSIBLE));
    map(f, VA + PAGE, 0x2001000, 12,
        VGSP_PTE_VRAM | PTE_KIND(NV_MMU_PTE_KIND_GENERIC_MEMORY));
    changed(f, 1);
    /* A page of 2 MiB whose end is no VRAM: some mapped, some not. */
    map(f, VA + 2 * MiB, VGSP_QOS_VRAM_SIZE - 2 * MiB, 21, VGSP_PTE_VRAM);
    changed(f, 1);
    map(f, VA + 4 * MiB, 1 * GiB - 2 * MiB, 21, VGSP_PTE_SYS);
    changed(f, 1);
    map(f, VA + 4 * MiB, HOLE, 21, VGSP_PTE_SYS);
    changed(f, 1);
    fixture_free(f);
}

/* Which spaces an invalidation visits. */
static void test_scope(void)
{
    Fixture *f = fixture_new();

    vgsp_invalidate(f->q, f->vm->base + 0x100000);
    expect(f, 0, 0);
    vgsp_invalidate_all(f->q);
    expect(f, 1, 0);
    /* The hub's TLB alone: nothing that GR uses. */
    map(f, VA, 0x2000000, 12, VGSP_PTE_VRAM);
    vgsp_vm_commit(f->vm);
    vgsp_wr32(f->q, INVALIDATE,
              NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_TRIGGER |
              NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_ALL_VA |
              NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_ALL_PDB |
              NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_HUBTLB_ONLY);
    expect(f, 0, 0);
    changed(f, 1);
    fixture_free(f);
}

/* Directories that lead to themselves: bounded, and the device goes on. */
static void test_circle(void)
{
    Fixture *f = fixture_new();
    uint64_t entry;

    /* PD3 entry 1 leads to a page whose every entry leads to itself. */
    entry = VGSP_SET(NV_MMU_VER2_PDE_APERTURE,
                     NV_MMU_VER2_PDE_APERTURE_VIDEO_MEMORY) |
            VGSP_SET(NV_MMU_VER2_PDE_ADDRESS_VID, 0x2000000 >> 12);
    for (uint32_t i = 0; i < PAGE; i += 8) {
        vgsp_vram_write(f->q, 0x2000000 + i, &entry, sizeof(entry));
    }
    vgsp_vram_write(f->q, f->vm->base + 8, &entry, sizeof(entry));
    vgsp_invalidate(f->q, f->vm->base);
    count(f);
    entry = 0;
    vgsp_vram_write(f->q, f->vm->base + 8, &entry, sizeof(entry));
    vgsp_invalidate(f->q, f->vm->base);
    expect(f, 1, 1);
    map(f, VA, 0x2000000, 12, VGSP_PTE_VRAM);
    changed(f, 1);
    fixture_free(f);
}

/* Without bus mastering there is no system memory. */
static void test_bus_master(void)
{
    Fixture *f = fixture_new();
    const uint16_t on = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;

    for (int i = 0; i < 3; i++) {
        qpci_config_writew(f->q->dev, PCI_COMMAND, on & ~PCI_COMMAND_MASTER);
        expect(f, 1, 1);
        qpci_config_writew(f->q->dev, PCI_COMMAND, on);
        expect(f, 1, 1);
    }
    map(f, VA, 0x2000000, 12, VGSP_PTE_VRAM);
    changed(f, 1);
    fixture_free(f);
}

/* A reset leaves no space behind, and a new session begins. */
static void test_reset(void)
{
    Fixture *f = fixture_new();

    vgsp_qos_flr(f->q);
    vgsp_qos_enable(f->q);
    count(f);
    vgsp_invalidate_all(f->q);
    expect(f, 0, 0);
    vgsp_gsp_forget(&f->q->gsp);
    vgsp_gsp_up(f->q, vgsp_profiles[0]);
    vgsp_ch_space_new(f->q, &f->b->s, 1);
    count(f);
    vgsp_ch_new(&f->b->s, &f->ch, 3, NV2080_ENGINE_TYPE_GR0, 512, false);
    compute_object(&f->ch);
    expect(f, 1, 2);
    f->vm = f->b->s.vm;
    fixture_free(f);
}

/* Memory that is plugged is mapped where the tables already name it. */
static void test_hotplug_memory(void)
{
    Fixture *f = g_new0(Fixture, 1);

    f->b = g_new0(VgspChBench, 1);
    f->q = vgsp_qos_new("", "-m 1G,slots=1,maxmem=2G");
    f->b->q = f->q;
    vgsp_gsp_up(f->q, vgsp_profiles[0]);
    vgsp_ch_space_new(f->q, &f->b->s, 0);
    f->vm = f->b->s.vm;
    vgsp_ch_new(&f->b->s, &f->ch, 3, NV2080_ENGINE_TYPE_GR0, 512, false);
    compute_object(&f->ch);
    count(f);
    map(f, VA, 4 * GiB, 12, VGSP_PTE_SYS);
    changed(f, 1);              /* nothing there yet */
    qtest_qmp_assert_success(f->q->qts,
        "{'execute': 'object-add', 'arguments': {'qom-type': "
        "'memory-backend-ram', 'id': 'mem1', 'size': %" PRId64 "}}",
        (int64_t)(128 * MiB));
    qtest_qmp_assert_success(f->q->qts,
        "{'execute': 'device_add', 'arguments': {'driver': 'pc-dimm', "
        "'id': 'dimm1', 'memdev': 'mem1'}}");
    expect(f, 1, 2);            /* all of system memory is told again */
    fixture_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/vgsp/owner/shadow/small", test_small);
    qtest_add_func("/vgsp/owner/shadow/big", test_big);
    qtest_add_func("/vgsp/owner/shadow/entries", test_entries);
    qtest_add_func("/vgsp/owner/shadow/scope", test_scope);
    qtest_add_func("/vgsp/owner/shadow/circle", test_circle);
    qtest_add_func("/vgsp/owner/bus-master", test_bus_master);
    qtest_add_func("/vgsp/owner/reset", test_reset);
    qtest_add_func("/vgsp/owner/hotplug-memory", test_hotplug_memory);
    return g_test_run();
}
