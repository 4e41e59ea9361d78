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
#include "vgsp/nv/compute.h"
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

/* ---- The host engine's translations ---- */

/* What an invalidation names is translated anew, the hub's alone as well. */
static void test_translations(void)
{
    Fixture *f = fixture_new();
    uint64_t page = vgsp_qos_ram(f->q, 4 * PAGE);

    for (uint32_t i = 0; i < 4; i++) {
        map(f, VA, page + i * PAGE, 12, VGSP_PTE_SYS);
        vgsp_vm_commit(f->vm);
        vgsp_wr32(f->q, INVALIDATE,
                  NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_TRIGGER |
                  NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_ALL_VA |
                  NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_ALL_PDB |
                  (i & 1 ?
                   NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_HUBTLB_ONLY : 0));
        vgsp_ch_sem(&f->ch, VA + 8, 0x100 + i,
                    NVC46F_SEM_EXECUTE_OPERATION_RELEASE);
        vgsp_ch_sync(&f->ch);
        g_assert_cmphex(qtest_readl(f->q->qts, page + i * PAGE + 8), ==,
                        0x100 + i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmphex(qtest_readl(f->q->qts, page + i * PAGE + 8), ==,
                        0x100 + i);
    }
    fixture_free(f);
}

/* A privileged page is for privileged channels. */
static void test_privilege(void)
{
    Fixture *f = fixture_new();
    uint64_t page = vgsp_qos_ram(f->q, PAGE);
    VgspCh kernel;

    vgsp_ch_new(&f->b->s, &kernel, 4, NV2080_ENGINE_TYPE_GR0, 512, true);
    map(f, VA, page, 12, VGSP_PTE_SYS | NV_MMU_VER2_PTE_PRIVILEGE);
    vgsp_vm_commit(f->vm);
    vgsp_invalidate(f->q, f->vm->base);
    vgsp_ch_sem(&kernel, VA, 0x11, NVC46F_SEM_EXECUTE_OPERATION_RELEASE);
    vgsp_ch_sync(&kernel);
    g_assert_cmphex(qtest_readl(f->q->qts, page), ==, 0x11);
    vgsp_ch_sem(&f->ch, VA, 0x22, NVC46F_SEM_EXECUTE_OPERATION_RELEASE);
    vgsp_ch_kick(&f->ch);
    g_assert_true(vgsp_ch_wait_rc(f->q, &f->b->rc, 1));
    g_assert_cmpuint(f->b->rc.chid, ==, 3);
    g_assert_cmpuint(f->b->rc.except_type, ==,
                     ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT);
    g_assert_cmphex(qtest_readl(f->q->qts, page), ==, 0x11);
    vgsp_ch_free(&kernel);
    fixture_free(f);
}

/* ---- While work runs ---- */

/* In the memory of the space: behind both VGSP_CH_VA_RAM and s->ram. */
#define CODE        0x20000u
#define QMD         0x21000u
#define COUNTER     0x22000u

#define SUBC_COMPUTE 1

/* R2:R3 = address of COUNTER; then for ever: R6 += 1, [R2] = R6. */
static const uint64_t endless[] = {
    (VGSP_CH_VA_RAM + COUNTER) << 32 | 0x27802, 0x0000000000000f00,
    0x0000000000037802, 0x0000000000000f00,     /* MOV R3, 0 */
    0x0000000000067802, 0x0000000000000f00,     /* MOV R6, 0 */
    0x0000000106067810, 0x0000000007ffe0ff,     /* IADD3 R6, R6, 1, RZ */
    0x0000000602007386, 0x0000000000010900,     /* STG [R2], R6 */
    0xffffffd000007947, 0x000000000383ffff,     /* BRA -0x30 */
};

static void qmd_set(uint32_t *qmd, unsigned hi, unsigned lo, uint64_t v)
{
    for (unsigned i = lo; i <= hi; i++) {
        qmd[i / 32] &= ~(1u << i % 32);
        qmd[i / 32] |= (uint32_t)(v >> (i - lo) & 1) << i % 32;
    }
}

static uint32_t counter(Fixture *f, uint64_t ram)
{
    return qtest_readl(f->q->qts, ram + COUNTER);
}

static void wait_counter(Fixture *f, uint32_t more_than)
{
    for (int i = 0; i < 20000; i++) {
        if (counter(f, f->b->s.ram) > more_than) {
            return;
        }
        g_usleep(500);
    }
    g_assert_not_reached();
}

/* One thread that counts in guest memory. */
static void start_endless(Fixture *f)
{
    const uint64_t program = VGSP_CH_VA_RAM + CODE;
    uint64_t ram = f->b->s.ram;
    uint32_t qmd[64] = { 0 };

    qtest_memwrite(f->q->qts, ram + CODE, endless, sizeof(endless));
    qmd_set(qmd, 378, 378, 1);          /* API_VISIBLE_CALL_LIMIT */
    qmd_set(qmd, 415, 384, 1);          /* CTA_RASTER_WIDTH, HEIGHT, DEPTH */
    qmd_set(qmd, 431, 416, 1);
    qmd_set(qmd, 463, 448, 1);
    qmd_set(qmd, 579, 576, 2);          /* QMD_VERSION, MAJOR_VERSION */
    qmd_set(qmd, 583, 580, 2);
    qmd_set(qmd, 607, 592, 1);          /* CTA_THREAD_DIMENSION 0 to 2 */
    qmd_set(qmd, 623, 608, 1);
    qmd_set(qmd, 639, 624, 1);
    qmd_set(qmd, 575, 569, 9);          /* MAX_SM_CONFIG_SHARED_MEM_SIZE */
    qmd_set(qmd, 568, 562, 3);
    qmd_set(qmd, 663, 657, 3);
    qmd_set(qmd, 656, 648, 16);         /* REGISTER_COUNT_V */
    qmd_set(qmd, 1567, 1536, program);  /* PROGRAM_ADDRESS */
    qmd_set(qmd, 1584, 1568, program >> 32);
    qtest_memwrite(f->q->qts, ram + QMD, qmd, sizeof(qmd));
    vgsp_ch_method(&f->ch, SUBC_COMPUTE, NVC46F_SET_OBJECT, TURING_COMPUTE_A);
    vgsp_ch_method(&f->ch, SUBC_COMPUTE, NVC5C0_SEND_PCAS_A,
                   (VGSP_CH_VA_RAM + QMD) >> 8);
    vgsp_ch_method(&f->ch, SUBC_COMPUTE, NVC5C0_SEND_SIGNALING_PCAS_B,
                   NVC5C0_SEND_SIGNALING_PCAS_B_SCHEDULE |
                   NVC5C0_SEND_SIGNALING_PCAS_B_INVALIDATE);
    vgsp_ch_kick(&f->ch);
    wait_counter(f, 0);
}

/* Nothing of it changes any more. */
static void assert_quiet(Fixture *f, uint64_t ram)
{
    uint32_t before = counter(f, ram);

    g_assert_cmpuint(before, !=, 0);
    g_usleep(30000);
    g_assert_cmpuint(counter(f, ram), ==, before);
}

/* No byte of it while the function is no bus master; then it goes on. */
static void test_running_bus_master(void)
{
    Fixture *f = fixture_new();
    const uint16_t on = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;

    start_endless(f);
    for (int i = 0; i < 3; i++) {
        qpci_config_writew(f->q->dev, PCI_COMMAND, on & ~PCI_COMMAND_MASTER);
        assert_quiet(f, f->b->s.ram);
        qpci_config_writew(f->q->dev, PCI_COMMAND, on);
        wait_counter(f, counter(f, f->b->s.ram));
    }
    g_assert_cmpuint(f->b->rc.events, ==, 0);
    fixture_free(f);
}

static void test_running_stop(void)
{
    Fixture *f = fixture_new();

    start_endless(f);
    for (int i = 0; i < 3; i++) {
        qtest_qmp_assert_success(f->q->qts, "{'execute': 'stop'}");
        assert_quiet(f, f->b->s.ram);
        qtest_qmp_assert_success(f->q->qts, "{'execute': 'cont'}");
        wait_counter(f, counter(f, f->b->s.ram));
    }
    fixture_free(f);
}

/* Its page goes: the work ends in a fault of the channel, nothing else. */
static void test_running_unmap(void)
{
    Fixture *f = fixture_new();

    start_endless(f);
    map(f, VGSP_CH_VA_RAM + COUNTER, 0, 12, 0);
    vgsp_vm_commit(f->vm);
    vgsp_invalidate(f->q, f->vm->base);
    assert_quiet(f, f->b->s.ram);
    g_assert_true(vgsp_ch_wait_rc(f->q, &f->b->rc, 1));
    g_assert_cmpuint(f->b->rc.except_type, ==,
                     ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT);
    fixture_free(f);
}

static void test_running_reset(void)
{
    Fixture *f = fixture_new();
    uint64_t ram = f->b->s.ram;

    start_endless(f);
    vgsp_qos_flr(f->q);
    assert_quiet(f, ram);
    vgsp_gsp_forget(&f->q->gsp);
    vgsp_vm_free(f->vm);
    vgsp_qos_free(f->q);
    g_free(f->b);
    g_free(f);
}

static void test_running_unplug(void)
{
    Fixture *f = g_new0(Fixture, 1);
    uint64_t ram;

    f->b = g_new0(VgspChBench, 1);
    f->q = f->b->q = vgsp_qos_new_port();
    vgsp_gsp_up(f->q, vgsp_profiles[0]);
    vgsp_ch_space_new(f->q, &f->b->s, 0);
    ram = f->b->s.ram;
    vgsp_ch_new(&f->b->s, &f->ch, 3, NV2080_ENGINE_TYPE_GR0, 512, false);
    compute_object(&f->ch);
    start_endless(f);
    vgsp_qos_unplug(f->q);
    assert_quiet(f, ram);
    vgsp_gsp_forget(&f->q->gsp);
    vgsp_vm_free(f->b->s.vm);
    vgsp_qos_free(f->q);
    g_free(f->b);
    g_free(f);
}

/* ---- Behind intel-iommu ---- */

/* VT-d, legacy mode: registers, and the bits used of its structures. */
#define VTD_BASE            0xfed90000ull
#define VTD_GCMD            0x18
#define VTD_GCMD_TE         (1u << 31)
#define VTD_GCMD_SRTP       (1u << 30)
#define VTD_GSTS            0x1c
#define VTD_RTADDR          0x20
#define VTD_CCMD            0x28
#define VTD_CCMD_GLOBAL     (1ull << 63 | 1ull << 61)
#define VTD_FSTS            0x34
#define VTD_IVA             0xf0
#define VTD_IOTLB           0xf8
#define VTD_IOTLB_PAGE      (1ull << 63 | 3ull << 60)
#define VTD_IOTLB_DID(n)    ((uint64_t)(n) << 32)
#define VTD_IOTLB_GLOBAL    (1ull << 63 | 1ull << 60)
#define VTD_PRESENT         1ull
#define VTD_CONTEXT_AW39    1ull
#define VTD_CONTEXT_DID(n)  ((uint64_t)(n) << 8)
#define VTD_READ            1ull
#define VTD_WRITE           2ull
#define VTD_SUPERPAGE       (1ull << 7)

#define IOVA                0xc0000000ull   /* no RAM of the machine */

typedef struct Vtd {
    VgspQos *q;
    uint64_t pages;             /* table of the 2 MiB at IOVA */
} Vtd;

static uint64_t vtd_table(VgspQos *q)
{
    return vgsp_qos_ram(q, PAGE);
}

static void vtd_command(VgspQos *q, uint32_t command)
{
    qtest_writel(q->qts, VTD_BASE + VTD_GCMD, command);
    g_assert_cmphex(qtest_readl(q->qts, VTD_BASE + VTD_GSTS) & command, ==,
                    command);
}

static void vtd_flush(Vtd *v)
{
    qtest_writeq(v->q->qts, VTD_BASE + VTD_CCMD, VTD_CCMD_GLOBAL);
    qtest_writeq(v->q->qts, VTD_BASE + VTD_IOTLB, VTD_IOTLB_GLOBAL);
}

/* The machine's memory at its own addresses, and one table at IOVA. */
static void vtd_enable(Vtd *v, VgspQos *q)
{
    uint64_t root = vtd_table(q), context = vtd_table(q);
    uint64_t top = vtd_table(q), low = vtd_table(q), high = vtd_table(q);
    const uint64_t rw = VTD_READ | VTD_WRITE;

    v->q = q;
    v->pages = vtd_table(q);
    qtest_writeq(q->qts, root, context | VTD_PRESENT);
    qtest_writeq(q->qts, context + 16 * q->dev->devfn, top | VTD_PRESENT);
    qtest_writeq(q->qts, context + 16 * q->dev->devfn + 8,
                 VTD_CONTEXT_AW39 | VTD_CONTEXT_DID(1));
    qtest_writeq(q->qts, top, low | rw);
    for (uint64_t i = 0; i < 512; i++) {
        qtest_writeq(q->qts, low + 8 * i, i * 2 * MiB | VTD_SUPERPAGE | rw);
    }
    qtest_writeq(q->qts, top + 8 * (IOVA >> 30), high | rw);
    qtest_writeq(q->qts, high, v->pages | rw);
    qtest_writeq(q->qts, VTD_BASE + VTD_RTADDR, root);
    vtd_command(q, VTD_GCMD_SRTP);
    vtd_flush(v);
    vtd_command(q, VTD_GCMD_TE);
}

static void vtd_map(Vtd *v, unsigned page, uint64_t ram, uint64_t bits)
{
    qtest_writeq(v->q->qts, v->pages + 8 * page, ram | bits);
    vtd_flush(v);
}

static void vtd_flush_page(Vtd *v, uint64_t iova)
{
    qtest_writeq(v->q->qts, VTD_BASE + VTD_IVA, iova);
    qtest_writeq(v->q->qts, VTD_BASE + VTD_IOTLB,
                 VTD_IOTLB_PAGE | VTD_IOTLB_DID(1));
}

/* The same, saying only which page it was. */
static void vtd_map_page(Vtd *v, unsigned page, uint64_t ram, uint64_t bits)
{
    qtest_writeq(v->q->qts, v->pages + 8 * page, ram | bits);
    vtd_flush_page(v, IOVA + page * PAGE);
}

static void release(Fixture *f, uint64_t va, uint32_t payload)
{
    vgsp_ch_sem(&f->ch, va, payload, NVC46F_SEM_EXECUTE_OPERATION_RELEASE);
}

static Fixture *fixture_new_iommu(Vtd *v)
{
    Fixture *f = g_new0(Fixture, 1);

    f->b = g_new0(VgspChBench, 1);
    f->q = vgsp_qos_new("", "-device intel-iommu");
    f->b->q = f->q;
    vtd_enable(v, f->q);
    vgsp_gsp_up(f->q, vgsp_profiles[0]);
    vgsp_ch_watch(f->q, &f->b->rc);
    vgsp_ch_space_new(f->q, &f->b->s, 0);
    f->vm = f->b->s.vm;
    vgsp_ch_new(&f->b->s, &f->ch, 3, NV2080_ENGINE_TYPE_GR0, 512, false);
    compute_object(&f->ch);
    return f;
}

/*
 * GSP-RM, host engine and shadow spaces reach memory through the vIOMMU, also
 * after its driver moved a page, and not when it took it away.
 */
static void test_iommu(void)
{
    const uint64_t rw = VTD_READ | VTD_WRITE;
    Vtd v;
    Fixture *f = fixture_new_iommu(&v);
    uint64_t a = vgsp_qos_ram(f->q, PAGE), b = vgsp_qos_ram(f->q, PAGE);

    vtd_map(&v, 0, a, rw);
    map(f, VA, IOVA, 12, VGSP_PTE_SYS);
    count(f);
    changed(f, 1);
    release(f, VA, 0x11);
    vgsp_ch_sync(&f->ch);
    g_assert_cmphex(qtest_readl(f->q->qts, a), ==, 0x11);
    g_assert_cmphex(qtest_readl(f->q->qts, VTD_BASE + VTD_FSTS), ==, 0);

    /* The page moves: nothing of the GPU's changed, and yet it follows. */
    vtd_map(&v, 0, b, rw);
    g_assert_cmpint(vgsp_qos_stat(f->q, "stats-shadow-ops"), >, f->ops);
    release(f, VA, 0x22);
    vgsp_ch_sync(&f->ch);
    g_assert_cmphex(qtest_readl(f->q->qts, a), ==, 0x11);
    g_assert_cmphex(qtest_readl(f->q->qts, b), ==, 0x22);

    /* Read-only to the device, then gone: an error of the channel. */
    vtd_map(&v, 0, b, VTD_READ);
    release(f, VA, 0x33);
    vgsp_ch_kick(&f->ch);
    g_assert_true(vgsp_ch_wait_rc(f->q, &f->b->rc, 1));
    g_assert_cmphex(qtest_readl(f->q->qts, a), ==, 0x11);
    g_assert_cmphex(qtest_readl(f->q->qts, b), ==, 0x22);
    g_assert_cmphex(qtest_readl(f->q->qts, VTD_BASE + VTD_FSTS), !=, 0);
    vtd_map(&v, 0, 0, 0);
    fixture_free(f);
}

/* An unmap of some pages touches what maps them, and nothing else. */
static void test_iommu_range(void)
{
    const uint64_t rw = VTD_READ | VTD_WRITE;
    Vtd v;
    Fixture *f = fixture_new_iommu(&v);
    uint64_t ram = vgsp_qos_ram(f->q, 32 * PAGE);

    for (unsigned i = 0; i < 32; i++) {
        vtd_map(&v, i, ram + i * PAGE, rw);
    }
    /* Sixteen pages that do not adjoin; one of them twice. */
    for (unsigned i = 0; i < 16; i++) {
        map(f, VA + i * PAGE, IOVA + 2 * i * PAGE, 12, VGSP_PTE_SYS);
    }
    map(f, VA + 32 * PAGE, IOVA + 6 * PAGE, 12, VGSP_PTE_SYS);
    count(f);
    changed(f, 17);
    /* A page that no space maps. */
    vtd_map_page(&v, 1, ram, rw);
    expect(f, 0, 0);
    vtd_map_page(&v, 4, ram + 5 * PAGE, rw);
    expect(f, 0, 1);
    vtd_map_page(&v, 6, ram + 7 * PAGE, rw);
    expect(f, 0, 2);
    /* The last page of all addresses: one that nobody maps. */
    vtd_flush_page(&v, -(uint64_t)PAGE);
    expect(f, 0, 0);
    /* It is where it was moved. */
    release(f, VA + 3 * PAGE, 0x44);
    vgsp_ch_sync(&f->ch);
    g_assert_cmphex(qtest_readl(f->q->qts, ram + 7 * PAGE), ==, 0x44);
    fixture_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    qtest_add_func("/vgsp/owner/shadow/small", test_small);
    qtest_add_func("/vgsp/owner/shadow/big", test_big);
    qtest_add_func("/vgsp/owner/shadow/entries", test_entries);
    qtest_add_func("/vgsp/owner/shadow/scope", test_scope);
    qtest_add_func("/vgsp/owner/shadow/circle", test_circle);
    qtest_add_func("/vgsp/owner/translations", test_translations);
    qtest_add_func("/vgsp/owner/privilege", test_privilege);
    qtest_add_func("/vgsp/owner/bus-master", test_bus_master);
    qtest_add_func("/vgsp/owner/reset", test_reset);
    qtest_add_func("/vgsp/owner/hotplug-memory", test_hotplug_memory);
    qtest_add_func("/vgsp/owner/iommu", test_iommu);
    qtest_add_func("/vgsp/owner/iommu-range", test_iommu_range);
    qtest_add_func("/vgsp/owner/running/bus-master", test_running_bus_master);
    qtest_add_func("/vgsp/owner/running/stop", test_running_stop);
    qtest_add_func("/vgsp/owner/running/unmap", test_running_unmap);
    qtest_add_func("/vgsp/owner/running/reset", test_running_reset);
    qtest_add_func("/vgsp/owner/running/unplug", test_running_unplug);
    return g_test_run();
}
