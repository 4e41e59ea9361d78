/*
 * GMMU walker: every page size and aperture, what wins in a dual entry, faults,
 * ranges. test-gmmu-random.c compares it with a reference.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "gmmu-rig.h"

#define MEM_PAGES (MEM_SIZE / (4 * KiB))

/* PDE apertures and flag bits as written by a driver */
#define PDE_VID        (UINT64_C(1) << 1)
#define PDE_COH        (UINT64_C(2) << 1)
#define PDE_NCOH       (UINT64_C(3) << 1)
#define PTE_VALID      (UINT64_C(1) << 0)
#define PTE_VID        (UINT64_C(0) << 1)
#define PTE_PEER       (UINT64_C(1) << 1)
#define PTE_COH        (UINT64_C(2) << 1)
#define PTE_NCOH       (UINT64_C(3) << 1)
#define VOL            (UINT64_C(1) << 3)
#define PRIV           (UINT64_C(1) << 5)
#define RO             (UINT64_C(1) << 6)
#define ATOMIC_DISABLE (UINT64_C(1) << 7)
#define KIND(k)        ((uint64_t)(k) << 56)
#define ADDR(pa)       ((uint64_t)(pa) >> 4)

static uint64_t page(Mem *m)
{
    g_assert_cmpuint(m->next_page, <, MEM_PAGES);
    return m->next_page++ * 4 * KiB;
}

/*
 * One chain of tables to the slot of 2 MiB that holds va, each level in the
 * aperture that the test asks for.
 */
typedef struct Chain {
    VgspPdb pdb;
    uint64_t pd3, pd2, pd1, pd0, big, small;
    VgspAperture ap;
    uint64_t slot; /* address of the dual entry */
} Chain;

static const uint64_t pde_of[] = {
    [VGSP_APERTURE_VIDEO] = PDE_VID,
    [VGSP_APERTURE_SYS_COHERENT] = PDE_COH,
    [VGSP_APERTURE_SYS_NONCOHERENT] = PDE_NCOH,
};

static void slot_set(Mem *m, const Chain *c, uint64_t low, uint64_t high)
{
    put(m, c->ap, c->slot, low);
    put(m, c->ap, c->slot + 8, high);
}

static uint64_t slot_big(const Chain *c)
{
    return pde_of[c->ap] | c->big >> 4;
}

static uint64_t slot_small(const Chain *c)
{
    return pde_of[c->ap] | c->small >> 4;
}

static Chain chain_new(Mem *m, VgspAperture ap, uint64_t va)
{
    Chain c = { .ap = ap };
    uint64_t link = pde_of[ap];

    c.pd3 = page(m);
    c.pd2 = page(m);
    c.pd1 = page(m);
    c.pd0 = page(m);
    c.small = page(m);
    c.big = page(m) + 0x300; /* big tables are 256-byte aligned */
    put(m, ap, c.pd3 + 8 * (va >> 47 & 3), link | c.pd2 >> 4);
    put(m, ap, c.pd2 + 8 * (va >> 38 & 511), link | c.pd1 >> 4);
    put(m, ap, c.pd1 + 8 * (va >> 29 & 511), link | c.pd0 >> 4);
    c.slot = c.pd0 + 16 * (va >> 21 & 255);
    c.pdb = vgsp_pdb_from_address(ap, c.pd3);
    return c;
}

static void put_small(Mem *m, const Chain *c, uint64_t va, uint64_t pte)
{
    put(m, c->ap, c->small + 8 * (va >> 12 & 511), pte);
}

static void put_big(Mem *m, const Chain *c, uint64_t va, uint64_t pte)
{
    put(m, c->ap, c->big + 8 * (va >> 16 & 31), pte);
}

static const uint64_t va0 = (UINT64_C(2) << 47) | (UINT64_C(301) << 38) |
                            (UINT64_C(77) << 29) | (UINT64_C(200) << 21) |
                            (UINT64_C(19) << 16) | (UINT64_C(5) << 12) | 0x678;

#define assert_fault(m, pdb, va, f)                                            \
    do {                                                                       \
        VgspMapping out_, zero_ = { 0 };                                       \
        memset(&out_, 0xff, sizeof(out_));                                     \
        g_assert_cmpstr(                                                       \
            vgsp_gmmu_fault_name(vgsp_gmmu_walk(&ops, m, pdb, va, &out_)), ==, \
            vgsp_gmmu_fault_name(VGSP_GMMU_FAULT_##f));                        \
        g_assert_cmpmem(&out_, sizeof(out_), &zero_, sizeof(zero_));           \
    } while (0)

static VgspMapping walk_ok(Mem *m, const VgspPdb *pdb, uint64_t va)
{
    VgspMapping out;

    memset(&out, 0xff, sizeof(out));
    g_assert_cmpstr(
        vgsp_gmmu_fault_name(vgsp_gmmu_walk(&ops, m, pdb, va, &out)), ==, "OK");
    return out;
}

static void assert_page(const VgspMapping *o, uint64_t va, unsigned int shift,
                        VgspAperture ap, uint64_t pa)
{
    g_assert_cmphex(o->va, ==, va);
    g_assert_cmpuint(o->page_shift, ==, shift);
    g_assert_cmphex(o->size, ==, UINT64_C(1) << shift);
    g_assert_cmpint(o->aperture, ==, ap);
    g_assert_cmphex(o->pa, ==, pa);
    g_assert_false(o->sparse);
}

static void assert_sparse(const VgspMapping *o, uint64_t va, unsigned int shift)
{
    g_assert_true(o->sparse);
    g_assert_cmphex(o->va, ==, va);
    g_assert_cmpuint(o->page_shift, ==, shift);
    g_assert_cmphex(o->size, ==, UINT64_C(1) << shift);
    g_assert_cmphex(o->pa, ==, 0);
}

/* Tables in each aperture, pages of each size in each aperture. */
static void test_page_sizes(void)
{
    static const VgspAperture aps[] = { VGSP_APERTURE_VIDEO,
                                        VGSP_APERTURE_SYS_COHERENT,
                                        VGSP_APERTURE_SYS_NONCOHERENT };
    static const uint64_t pte_ap[] = { PTE_VID, PTE_COH, PTE_NCOH };
    /* the largest addresses that the fields hold */
    static const uint64_t pas[] = { 0x1fffe00000, 0x3fffffffe00000,
                                    0x123456789a00000 };

    for (unsigned int t = 0; t < 3; t++) {
        for (unsigned int p = 0; p < 3; p++) {
            Mem *m = mem_new();
            Chain c = chain_new(m, aps[t], va0);
            uint64_t pte = PTE_VALID | pte_ap[p] | KIND(6);
            VgspMapping o;

            slot_set(m, &c, 0, slot_small(&c));
            put_small(m, &c, va0, pte | ADDR(pas[p] + 0x1a5000));
            o = walk_ok(m, &c.pdb, va0);
            assert_page(&o, va0 & ~0xfffull, 12, aps[p], pas[p] + 0x1a5000);
            g_assert_cmpuint(o.kind, ==, 6);

            slot_set(m, &c, slot_big(&c), 0);
            put_big(m, &c, va0, pte | ADDR(pas[p] + 0x1a0000));
            o = walk_ok(m, &c.pdb, va0);
            assert_page(&o, va0 & ~0xffffull, 16, aps[p], pas[p] + 0x1a0000);

            slot_set(m, &c, pte | ADDR(pas[p]), slot_small(&c));
            o = walk_ok(m, &c.pdb, va0);
            assert_page(&o, va0 & ~0x1fffffull, 21, aps[p], pas[p]);

            g_assert_cmpuint(m->reads, ==, 5 + 5 + 4);
            mem_free(m);
        }
    }
}

/* A large page has no address bits below its size. */
static void test_unaligned_page(void)
{
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_VIDEO, va0);
    VgspMapping o;

    slot_set(m, &c, PTE_VALID | ADDR(0x7ff000), 0);
    o = walk_ok(m, &c.pdb, va0);
    g_assert_cmphex(o.pa, ==, 0x600000);
    slot_set(m, &c, slot_big(&c), 0);
    put_big(m, &c, va0, PTE_VALID | ADDR(0x7ff000));
    o = walk_ok(m, &c.pdb, va0);
    g_assert_cmphex(o.pa, ==, 0x7f0000);
    mem_free(m);
}

/* Compression tags share a quadword with a video address. */
static void test_comptags(void)
{
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_VIDEO, va0);
    VgspMapping o;

    slot_set(m, &c, 0, slot_small(&c));
    put_small(m, &c, va0,
              PTE_VALID | UINT64_C(0x3ffff) << 36 | UINT64_C(7) << 33 |
                  ADDR(0x345000) | KIND(8));
    o = walk_ok(m, &c.pdb, va0);
    assert_page(&o, va0 & ~0xfffull, 12, VGSP_APERTURE_VIDEO, 0x345000);
    g_assert_cmpuint(o.kind, ==, 8);
    mem_free(m);
}

static void test_flags(void)
{
    static const struct {
        uint64_t bits;
        bool ro, priv, noatomic, vol;
    } t[] = {
        { 0, false, false, false, false },
        { RO, true, false, false, false },
        { PRIV, false, true, false, false },
        { ATOMIC_DISABLE, false, false, true, false },
        { VOL, false, false, false, true },
        { RO | PRIV | ATOMIC_DISABLE | VOL, true, true, true, true },
    };
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_SYS_COHERENT, va0);

    slot_set(m, &c, 0, slot_small(&c));
    for (unsigned int i = 0; i < G_N_ELEMENTS(t); i++) {
        VgspMapping o;

        put_small(m, &c, va0, PTE_VALID | PTE_COH | t[i].bits | ADDR(0x5000));
        o = walk_ok(m, &c.pdb, va0);
        g_assert_cmpint(o.read_only, ==, t[i].ro);
        g_assert_cmpint(o.privileged, ==, t[i].priv);
        g_assert_cmpint(o.atomic_disable, ==, t[i].noatomic);
        g_assert_cmpint(o.volatile_, ==, t[i].vol);
    }
    mem_free(m);
}

static void test_check(void)
{
    const VgspMapping plain = { .size = 1 };
    const VgspMapping ro = { .read_only = true };
    const VgspMapping priv = { .privileged = true, .read_only = true };
    const VgspMapping na = { .atomic_disable = true };
    const VgspMapping sparse = { .sparse = true, .read_only = true };

    g_assert_cmpint(vgsp_gmmu_check(&plain, VGSP_GMMU_ACCESS_ATOMIC, false), ==,
                    VGSP_GMMU_OK);
    g_assert_cmpint(vgsp_gmmu_check(&ro, VGSP_GMMU_ACCESS_READ, false), ==,
                    VGSP_GMMU_OK);
    g_assert_cmpint(vgsp_gmmu_check(&ro, VGSP_GMMU_ACCESS_WRITE, true), ==,
                    VGSP_GMMU_FAULT_RO_VIOLATION);
    g_assert_cmpint(vgsp_gmmu_check(&ro, VGSP_GMMU_ACCESS_ATOMIC, false), ==,
                    VGSP_GMMU_FAULT_RO_VIOLATION);
    g_assert_cmpint(vgsp_gmmu_check(&priv, VGSP_GMMU_ACCESS_WRITE, false), ==,
                    VGSP_GMMU_FAULT_PRIV_VIOLATION);
    g_assert_cmpint(vgsp_gmmu_check(&priv, VGSP_GMMU_ACCESS_READ, true), ==,
                    VGSP_GMMU_OK);
    g_assert_cmpint(vgsp_gmmu_check(&na, VGSP_GMMU_ACCESS_WRITE, false), ==,
                    VGSP_GMMU_OK);
    g_assert_cmpint(vgsp_gmmu_check(&na, VGSP_GMMU_ACCESS_ATOMIC, false), ==,
                    VGSP_GMMU_FAULT_ATOMIC_VIOLATION);
    g_assert_cmpint(vgsp_gmmu_check(&sparse, VGSP_GMMU_ACCESS_WRITE, false), ==,
                    VGSP_GMMU_OK);
}

static void test_sparse(void)
{
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_VIDEO, va0);
    VgspMapping o;

    slot_set(m, &c, 0, slot_small(&c));
    put_small(m, &c, va0, VOL);
    o = walk_ok(m, &c.pdb, va0);
    assert_sparse(&o, va0 & ~0xfffull, 12);

    slot_set(m, &c, slot_big(&c), slot_small(&c));
    put_big(m, &c, va0, VOL);
    o = walk_ok(m, &c.pdb, va0);
    assert_sparse(&o, va0 & ~0xffffull, 16);

    slot_set(m, &c, VOL, 0);
    o = walk_ok(m, &c.pdb, va0);
    assert_sparse(&o, va0 & ~0x1fffffull, 21);

    put(m, c.ap, c.pd1 + 8 * (va0 >> 29 & 511), VOL);
    o = walk_ok(m, &c.pdb, va0);
    assert_sparse(&o, va0 & ~((UINT64_C(1) << 29) - 1), 29);
    put(m, c.ap, c.pd2 + 8 * (va0 >> 38 & 511), VOL);
    o = walk_ok(m, &c.pdb, va0);
    assert_sparse(&o, va0 & ~((UINT64_C(1) << 38) - 1), 38);
    put(m, c.ap, c.pd3 + 8 * (va0 >> 47 & 3), VOL);
    o = walk_ok(m, &c.pdb, va0);
    assert_sparse(&o, va0 & ~((UINT64_C(1) << 47) - 1), 47);
    mem_free(m);
}

/* Which half of a dual entry decides. */
static void test_dual(void)
{
    const uint64_t small_pte = PTE_VALID | ADDR(0x11000);
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_SYS_COHERENT, va0);
    VgspMapping o;

    slot_set(m, &c, slot_big(&c), slot_small(&c));
    put_small(m, &c, va0, small_pte);

    /* a valid big PTE wins */
    put_big(m, &c, va0, PTE_VALID | ADDR(0x20000));
    o = walk_ok(m, &c.pdb, va0);
    assert_page(&o, va0 & ~0xffffull, 16, VGSP_APERTURE_VIDEO, 0x20000);
    /* an empty one leaves it to the small PTE */
    put_big(m, &c, va0, 0);
    o = walk_ok(m, &c.pdb, va0);
    assert_page(&o, va0 & ~0xfffull, 12, VGSP_APERTURE_VIDEO, 0x11000);
    /* a privileged invalid one hides a stale small PTE */
    put_big(m, &c, va0, PRIV);
    assert_fault(m, &c.pdb, va0, PTE);
    /* a volatile invalid one is sparse */
    put_big(m, &c, va0, VOL);
    o = walk_ok(m, &c.pdb, va0);
    assert_sparse(&o, va0 & ~0xffffull, 16);
    /* a faulting big PTE does not fall through */
    put_big(m, &c, va0, PTE_VALID | PTE_PEER);
    assert_fault(m, &c.pdb, va0, UNSUPPORTED_APERTURE);

    put_big(m, &c, va0, 0);
    slot_set(m, &c, slot_big(&c), 0);
    assert_fault(m, &c.pdb, va0, PTE);
    slot_set(m, &c, 0, slot_small(&c));
    o = walk_ok(m, &c.pdb, va0);
    assert_page(&o, va0 & ~0xfffull, 12, VGSP_APERTURE_VIDEO, 0x11000);
    /* sparse in the big half means nothing beside a small table */
    slot_set(m, &c, VOL, slot_small(&c));
    o = walk_ok(m, &c.pdb, va0);
    assert_page(&o, va0 & ~0xfffull, 12, VGSP_APERTURE_VIDEO, 0x11000);
    /* bit 0 of the small half is no valid bit */
    slot_set(m, &c, 0, slot_small(&c) | 1);
    o = walk_ok(m, &c.pdb, va0);
    assert_page(&o, va0 & ~0xfffull, 12, VGSP_APERTURE_VIDEO, 0x11000);
    mem_free(m);
}

static void test_faults(void)
{
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_VIDEO, va0);
    VgspPdb none = vgsp_pdb_from_instance(NV_RAMIN_USE_VER2_PT_FORMAT | 1, 0);

    assert_fault(m, &none, va0, UNBOUND_INST_BLOCK);
    assert_fault(m, &c.pdb, UINT64_C(1) << 49, VA_LIMIT_VIOLATION);
    assert_fault(m, &c.pdb, UINT64_MAX, VA_LIMIT_VIOLATION);
    g_assert_cmpuint(m->reads, ==, 0);

    assert_fault(m, &c.pdb, va0, PDE);
    assert_fault(m, &c.pdb, 0, PDE);
    slot_set(m, &c, 0, slot_small(&c));
    assert_fault(m, &c.pdb, va0, PTE);
    put_small(m, &c, va0, ADDR(0x5000) | RO); /* all but VALID */
    assert_fault(m, &c.pdb, va0, PTE);
    put_small(m, &c, va0, PTE_VALID | PTE_PEER | ADDR(0x5000));
    assert_fault(m, &c.pdb, va0, UNSUPPORTED_APERTURE);
    put_small(m, &c, va0, PTE_VALID | KIND(NV_MMU_PTE_KIND_INVALID));
    assert_fault(m, &c.pdb, va0, UNSUPPORTED_KIND);
    put_small(m, &c, va0, PTE_VALID | KIND(NV_MMU_PTE_KIND_SMSKED_MESSAGE));
    walk_ok(m, &c.pdb, va0);
    slot_set(m, &c, PTE_VALID | PTE_PEER, 0);
    assert_fault(m, &c.pdb, va0, UNSUPPORTED_APERTURE);
    slot_set(m, &c, 0, VOL); /* only the big half can say sparse */
    assert_fault(m, &c.pdb, va0, PDE);

    /* no pages above PD0 */
    put(m, c.ap, c.pd1 + 8 * (va0 >> 29 & 511), PTE_VALID | ADDR(0x200000));
    assert_fault(m, &c.pdb, va0, PDE_SIZE);
    mem_free(m);
}

/* Each table in turn lies where there is no memory. */
static void test_unreadable(void)
{
    const uint64_t nowhere = PDE_COH | ADDR(MEM_SIZE);
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_VIDEO, va0);
    VgspPdb bad = vgsp_pdb_from_address(VGSP_APERTURE_VIDEO, MEM_SIZE);

    slot_set(m, &c, 0, nowhere);
    assert_fault(m, &c.pdb, va0, REGION_VIOLATION);
    slot_set(m, &c, nowhere, slot_small(&c));
    put_small(m, &c, va0, PTE_VALID);
    assert_fault(m, &c.pdb, va0, REGION_VIOLATION);
    put(m, c.ap, c.pd1 + 8 * (va0 >> 29 & 511), nowhere);
    assert_fault(m, &c.pdb, va0, REGION_VIOLATION);
    put(m, c.ap, c.pd2 + 8 * (va0 >> 38 & 511), nowhere);
    assert_fault(m, &c.pdb, va0, REGION_VIOLATION);
    put(m, c.ap, c.pd3 + 8 * (va0 >> 47 & 3), nowhere);
    assert_fault(m, &c.pdb, va0, REGION_VIOLATION);
    assert_fault(m, &bad, va0, REGION_VIOLATION);
    bad.addr = UINT64_MAX & ~0xfffull;
    assert_fault(m, &bad, va0, REGION_VIOLATION);
    mem_free(m);
}

static void test_instance(void)
{
    VgspPdb p = vgsp_pdb_from_instance(0x12345c00, 0x1);

    g_assert_true(p.valid);
    g_assert_false(p.inline_pde);
    g_assert_cmpint(p.aperture, ==, VGSP_APERTURE_VIDEO);
    g_assert_cmphex(p.addr, ==, 0x112345000);
    p = vgsp_pdb_from_instance(0xfffffc36, 0xffffffff);
    g_assert_true(p.valid);
    g_assert_cmpint(p.aperture, ==, VGSP_APERTURE_SYS_COHERENT);
    g_assert_cmphex(p.addr, ==, 0xfffffffffffff000);
    p = vgsp_pdb_from_instance(0xc03, 0);
    g_assert_true(p.valid);
    g_assert_cmpint(p.aperture, ==, VGSP_APERTURE_SYS_NONCOHERENT);
    /* nouveau's unused subcontexts, a zeroed block, and format VER1 */
    g_assert_false(vgsp_pdb_from_instance(1, 1).valid);
    g_assert_false(vgsp_pdb_from_instance(0, 0).valid);
    g_assert_false(vgsp_pdb_from_instance(0x800, 0).valid);
    g_assert_false(vgsp_pdb_from_address(VGSP_APERTURE_PEER, 0).valid);
    p = vgsp_pdb_from_address(VGSP_APERTURE_VIDEO, 0x12345678);
    g_assert_cmphex(p.addr, ==, 0x12345000);
}

/* UPDATE_BAR_PDE: entry 0 of PD3 comes by value and is the only one. */
static void test_inline_pde(void)
{
    const uint64_t va = va0 & ((UINT64_C(1) << 47) - 1);
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_VIDEO, va);
    VgspPdb p =
        vgsp_pdb_from_pde(VGSP_APERTURE_VIDEO, MEM_SIZE, PDE_VID | c.pd2 >> 4);
    VgspMapping o;

    slot_set(m, &c, PTE_VALID | ADDR(0x200000), 0);
    o = walk_ok(m, &p, va);
    assert_page(&o, va & ~0x1fffffull, 21, VGSP_APERTURE_VIDEO, 0x200000);
    g_assert_cmpuint(m->reads, ==, 3);
    assert_fault(m, &p, va0, PDE);
    p = vgsp_pdb_from_pde(VGSP_APERTURE_VIDEO, MEM_SIZE, 0);
    assert_fault(m, &p, va, PDE);
    p = vgsp_pdb_from_pde(VGSP_APERTURE_VIDEO, MEM_SIZE, VOL);
    o = walk_ok(m, &p, va);
    assert_sparse(&o, 0, 47);
    mem_free(m);
}

/* -- Ranges ------------------------------------------------------------ */

static void test_range_clip(void)
{
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_VIDEO, va0);
    uint64_t slot_va = va0 & ~0x1fffffull;
    GArray *a;

    /* two big pages, with small ones between */
    slot_set(m, &c, slot_big(&c), slot_small(&c));
    put_big(m, &c, slot_va, PTE_VALID | ADDR(0x40000));
    put_big(m, &c, slot_va + 0x20000, PTE_VALID | PTE_COH | ADDR(0x80000) | RO);
    put_small(m, &c, slot_va + 0x12000, PTE_VALID | ADDR(0x3000));
    put_small(m, &c, slot_va + 0x13000, VOL);
    put_small(m, &c, slot_va + 0x21000, PTE_VALID); /* behind a big page */

    a = walk_range(m, &c.pdb, slot_va + 0x4321, 0x20000);
    g_assert_cmpuint(a->len, ==, 4);
    g_assert_cmphex(MAP(a, 0)->va, ==, slot_va + 0x4321);
    g_assert_cmphex(MAP(a, 0)->size, ==, 0x10000 - 0x4321);
    g_assert_cmphex(MAP(a, 0)->pa, ==, 0x44321);
    g_assert_cmpuint(MAP(a, 0)->page_shift, ==, 16);
    assert_page(MAP(a, 1), slot_va + 0x12000, 12, VGSP_APERTURE_VIDEO, 0x3000);
    assert_sparse(MAP(a, 2), slot_va + 0x13000, 12);
    g_assert_cmphex(MAP(a, 3)->va, ==, slot_va + 0x20000);
    g_assert_cmphex(MAP(a, 3)->size, ==, 0x4321);
    g_assert_cmphex(MAP(a, 3)->pa, ==, 0x80000);
    g_assert_true(MAP(a, 3)->read_only);
    g_array_free(a, true);

    a = walk_range(m, &c.pdb, slot_va + 0x12ff0, 0x20);
    g_assert_cmpuint(a->len, ==, 2);
    g_assert_cmphex(MAP(a, 0)->pa, ==, 0x3ff0);
    g_assert_cmphex(MAP(a, 0)->size, ==, 0x10);
    g_assert_cmphex(MAP(a, 1)->va, ==, slot_va + 0x13000);
    g_assert_cmphex(MAP(a, 1)->size, ==, 0x10);
    g_array_free(a, true);

    /* a sparse span larger than the range, and the end of the space */
    put(m, c.ap, c.pd3 + 24, VOL);
    a = walk_range(m, &c.pdb, UINT64_C(0x1fffffffff000), UINT64_MAX);
    g_assert_cmpuint(a->len, ==, 1);
    g_assert_cmphex(MAP(a, 0)->va, ==, 0x1fffffffff000);
    g_assert_cmphex(MAP(a, 0)->size, ==, 0x1000);
    g_assert_cmpuint(MAP(a, 0)->page_shift, ==, 47);
    g_array_free(a, true);

    a = walk_range(m, &c.pdb, slot_va, 0);
    g_assert_cmpuint(a->len, ==, 0);
    g_array_free(a, true);
    a = walk_range(m, &c.pdb, UINT64_C(1) << 49, 0x1000);
    g_assert_cmpuint(a->len, ==, 0);
    g_array_free(a, true);
    c.pdb.valid = false;
    a = walk_range(m, &c.pdb, slot_va, 0x200000);
    g_assert_cmpuint(a->len, ==, 0);
    g_array_free(a, true);
    mem_free(m);
}

static void test_range_stop(void)
{
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_VIDEO, 0);
    Visits v = { .maps = g_array_new(false, false, sizeof(VgspMapping)),
                 .stop_after = 3 };

    slot_set(m, &c, 0, slot_small(&c));
    for (unsigned int i = 0; i < 512; i++) {
        put_small(m, &c, i * 0x1000, PTE_VALID);
    }
    g_assert_cmpint(vgsp_gmmu_walk_range(&ops, m, &c.pdb, 0, MiB,
                                         VGSP_GMMU_NO_LIMIT, visit, &v),
                    ==, VGSP_GMMU_WALK_STOPPED);
    g_assert_cmpuint(v.maps->len, ==, 3);
    g_array_free(v.maps, true);
    mem_free(m);
}

/* BAR1 and BAR2 full of scattered 4 KiB pages: reads stay near the tables. */
static void test_range_cost(void)
{
    const uint64_t len = 288 * MiB, pages = len / (4 * KiB);
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_SYS_COHERENT, 0);
    GArray *a;

    for (uint64_t slot = 0; slot < len / (2 * MiB); slot++) {
        c.small = page(m);
        c.slot = c.pd0 + 16 * slot;
        slot_set(m, &c, 0, slot_small(&c));
        for (uint64_t i = 0; i < 512; i++) {
            uint64_t n = slot * 512 + i;

            put_small(m, &c, i * 0x1000,
                      PTE_VALID | ADDR((pages - 1 - n) * 0x1000));
        }
    }
    m->reads = m->bytes = 0;
    a = walk_range(m, &c.pdb, 0, len);
    g_assert_cmpuint(a->len, ==, pages);
    for (uint64_t n = 0; n < pages; n++) {
        assert_page(MAP(a, n), n * 0x1000, 12, VGSP_APERTURE_VIDEO,
                    (pages - 1 - n) * 0x1000);
    }
    g_assert_cmpuint(m->reads, <=, 144 * 8 + 16);
    g_assert_cmpuint(m->bytes, <=, 144 * 4096 + 4 * 4096);
    g_array_free(a, true);
    mem_free(m);
}

/* Every table is the same page, which points at itself. */
static void test_range_loop(void)
{
    Mem *m = mem_new();
    uint64_t t = page(m);
    VgspPdb pdb = vgsp_pdb_from_address(VGSP_APERTURE_VIDEO, t);
    Visits v = { .maps = g_array_new(false, false, sizeof(VgspMapping)) };
    VgspMapping o;

    for (unsigned int i = 0; i < 512; i++) {
        put(m, VGSP_APERTURE_VIDEO, t + 8 * i, PDE_VID | t >> 4);
    }
    /* as a PTE such an entry is not valid */
    g_assert_cmpint(vgsp_gmmu_walk(&ops, m, &pdb, va0, &o), ==,
                    VGSP_GMMU_FAULT_PTE);
    m->reads = 0;
    g_assert_cmpint(vgsp_gmmu_walk_range(&ops, m, &pdb, 0, 256 * MiB,
                                         VGSP_GMMU_NO_LIMIT, visit, &v),
                    ==, VGSP_GMMU_WALK_DONE);
    g_assert_cmpuint(v.maps->len, ==, 0);
    g_assert_cmpuint(m->reads, <=, 10 * 128 + 7);

    /* the whole space, within a budget */
    m->reads = 0;
    g_assert_cmpint(
        vgsp_gmmu_walk_range(&ops, m, &pdb, 0, UINT64_MAX, 5000, visit, &v), ==,
        VGSP_GMMU_WALK_LIMIT);
    g_assert_cmpuint(m->reads, ==, 5000);
    g_array_free(v.maps, true);
    mem_free(m);
}

/* Unmapped subtrees are not read. */
static void test_range_empty(void)
{
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_VIDEO, va0);
    GArray *a;

    slot_set(m, &c, PTE_VALID | ADDR(0x400000), 0);
    a = walk_range(m, &c.pdb, 0, UINT64_MAX);
    g_assert_cmpuint(a->len, ==, 1);
    assert_page(MAP(a, 0), va0 & ~0x1fffffull, 21, VGSP_APERTURE_VIDEO,
                0x400000);
    g_assert_cmpuint(m->reads, ==, 1 + 16 + 16 + 16);
    g_array_free(a, true);
    mem_free(m);
}

/* Any budget short of the need ends the walk there, at every level. */
static void test_range_limit(void)
{
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_VIDEO, va0);
    const uint64_t slot_va = va0 & ~0x1fffffull;
    Visits v = { .maps = g_array_new(false, false, sizeof(VgspMapping)) };

    slot_set(m, &c, slot_big(&c), slot_small(&c));
    put_big(m, &c, slot_va, PTE_VALID);
    put_small(m, &c, slot_va + 0x1ff000, PTE_VALID | ADDR(0x7000));
    for (unsigned int budget = 0; budget < 13; budget++) {
        g_array_set_size(v.maps, 0);
        m->reads = 0;
        g_assert_cmpint(vgsp_gmmu_walk_range(&ops, m, &c.pdb, slot_va, 2 * MiB,
                                             budget, visit, &v),
                        ==, VGSP_GMMU_WALK_LIMIT);
        g_assert_cmpuint(m->reads, ==, budget);
        g_assert_cmpuint(v.maps->len, ==, budget >= 5);
    }
    g_array_set_size(v.maps, 0);
    g_assert_cmpint(
        vgsp_gmmu_walk_range(&ops, m, &c.pdb, slot_va, 2 * MiB, 13, visit, &v),
        ==, VGSP_GMMU_WALK_DONE);
    g_assert_cmpuint(v.maps->len, ==, 2);

    /* stop at a big page and at a 2 MiB page */
    v.stop_after = 1;
    g_array_set_size(v.maps, 0);
    g_assert_cmpint(vgsp_gmmu_walk_range(&ops, m, &c.pdb, slot_va, 2 * MiB,
                                         VGSP_GMMU_NO_LIMIT, visit, &v),
                    ==, VGSP_GMMU_WALK_STOPPED);
    slot_set(m, &c, PTE_VALID, 0);
    g_array_set_size(v.maps, 0);
    g_assert_cmpint(vgsp_gmmu_walk_range(&ops, m, &c.pdb, slot_va, 4 * MiB,
                                         VGSP_GMMU_NO_LIMIT, visit, &v),
                    ==, VGSP_GMMU_WALK_STOPPED);
    g_array_free(v.maps, true);
    mem_free(m);
}

/* BAR2's space: PD3 is not read, and ends after its first entry. */
static void test_range_inline_pde(void)
{
    const uint64_t top = UINT64_C(1) << 47;
    Mem *m = mem_new();
    Chain c = chain_new(m, VGSP_APERTURE_VIDEO, top - 1);
    VgspPdb p =
        vgsp_pdb_from_pde(VGSP_APERTURE_VIDEO, MEM_SIZE, PDE_VID | c.pd2 >> 4);
    GArray *a;

    slot_set(m, &c, PTE_VALID | ADDR(0x200000), 0);
    a = walk_range(m, &p, top - 4 * MiB, 8 * MiB);
    g_assert_cmpuint(a->len, ==, 1);
    assert_page(MAP(a, 0), top - 2 * MiB, 21, VGSP_APERTURE_VIDEO, 0x200000);
    g_assert_cmpuint(m->reads, ==, 3);
    g_array_free(a, true);
    mem_free(m);
}

static void test_fault_names(void)
{
    g_assert_cmpint(VGSP_GMMU_FAULT_PTE, ==, 2);
    g_assert_cmpint(VGSP_GMMU_FAULT_ATOMIC_VIOLATION, ==, 15);
    g_assert_cmpstr(vgsp_gmmu_fault_name(VGSP_GMMU_FAULT_PRIV_VIOLATION), ==,
                    "PRIV_VIOLATION");
    g_assert_cmpstr(vgsp_gmmu_fault_name(VGSP_GMMU_FAULT_RO_VIOLATION), ==,
                    "RO_VIOLATION");
    g_assert_cmpstr(vgsp_gmmu_fault_name(VGSP_GMMU_FAULT_ATOMIC_VIOLATION), ==,
                    "ATOMIC_VIOLATION");
    g_assert_cmpstr(vgsp_gmmu_fault_name((VgspGmmuFault)77), ==, "?");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/gmmu/page-sizes", test_page_sizes);
    g_test_add_func("/gmmu/unaligned-page", test_unaligned_page);
    g_test_add_func("/gmmu/comptags", test_comptags);
    g_test_add_func("/gmmu/flags", test_flags);
    g_test_add_func("/gmmu/check", test_check);
    g_test_add_func("/gmmu/sparse", test_sparse);
    g_test_add_func("/gmmu/dual", test_dual);
    g_test_add_func("/gmmu/faults", test_faults);
    g_test_add_func("/gmmu/unreadable", test_unreadable);
    g_test_add_func("/gmmu/instance", test_instance);
    g_test_add_func("/gmmu/inline-pde", test_inline_pde);
    g_test_add_func("/gmmu/range/clip", test_range_clip);
    g_test_add_func("/gmmu/range/stop", test_range_stop);
    g_test_add_func("/gmmu/range/cost", test_range_cost);
    g_test_add_func("/gmmu/range/loop", test_range_loop);
    g_test_add_func("/gmmu/range/empty", test_range_empty);
    g_test_add_func("/gmmu/range/limit", test_range_limit);
    g_test_add_func("/gmmu/range/inline-pde", test_range_inline_pde);
    g_test_add_func("/gmmu/fault-names", test_fault_names);
    return g_test_run();
}
