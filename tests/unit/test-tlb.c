/*
 * The TLB in front of the GMMU walker: what it remembers, and what each
 * invalidation makes it forget.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>

#include "vgsp/tlb.h"

#define SIZE        (1u << 20)
#define PTE_VALID   UINT64_C(1)
#define PDE_VIDEO   UINT64_C(2) /* aperture 1 in bits 2:1 */
#define PTE_RO      (UINT64_C(1) << 6)
#define ADDR(a)     ((uint64_t)(a) >> 4)

/* Two spaces: tables of 4 KiB at root + 0 (PD3), 1 (PD2) ... 4 (PT4K). */
#define SPACE_A     0x10000
#define SPACE_B     0x20000

typedef struct Fixture {
    uint8_t mem[SIZE];
    unsigned int reads;
    VgspTlb tlb;
} Fixture;

static bool mem_read(void *opaque, VgspAperture ap, uint64_t addr, void *buf,
                     size_t len)
{
    Fixture *f = opaque;

    f->reads++;
    if (ap != VGSP_APERTURE_VIDEO || !vgsp_range_ok(addr, len, SIZE)) {
        return false;
    }
    memcpy(buf, f->mem + addr, len);
    return true;
}

static const VgspGmmuOps ops = { .read = mem_read };

static void set_small(Fixture *f, uint32_t root, uint64_t va, uint64_t pte)
{
    vgsp_put_le64(f->mem + root + 0x4000 + (va >> 12 & 511) * 8, pte);
}

/* A chain of tables for va 0..2M, nothing mapped. */
static void set_space(Fixture *f, uint32_t root)
{
    for (int i = 0; i < 3; i++) {
        vgsp_put_le64(f->mem + root + i * 0x1000,
                      PDE_VIDEO | ADDR(root + (i + 1) * 0x1000));
    }
    vgsp_put_le64(f->mem + root + 0x3000 + 8, PDE_VIDEO | ADDR(root + 0x4000));
}

static Fixture *fixture_new(void)
{
    Fixture *f = g_new0(Fixture, 1);

    set_space(f, SPACE_A);
    set_space(f, SPACE_B);
    return f;
}

static VgspPdb pdb_of(uint32_t root)
{
    return vgsp_pdb_from_address(VGSP_APERTURE_VIDEO, root);
}

/* The address that va maps to, or -1 - fault. */
static int64_t look(Fixture *f, uint32_t root, uint64_t va)
{
    VgspPdb pdb = pdb_of(root);
    VgspGmmuFault fault = VGSP_GMMU_FAULT_REGION_VIOLATION;
    const VgspMapping *m = vgsp_tlb_translate(&f->tlb, &ops, f, &pdb, va,
                                              &fault);

    if (!m) {
        return -1 - (int)fault;
    }
    g_assert_cmpint(fault, ==, VGSP_GMMU_OK);
    return m->pa + (va - m->va);
}

#define FAULT(type) (-1 - (int)VGSP_GMMU_FAULT_##type)

/* A hit reads no table; a change is not seen until it is invalidated. */
static void test_remembers(void)
{
    Fixture *f = fixture_new();
    VgspPdb a = pdb_of(SPACE_A);

    set_small(f, SPACE_A, 0x5000, PTE_VALID | ADDR(0x40000));
    g_assert_cmpint(look(f, SPACE_A, 0x5123), ==, 0x40123);
    g_assert_cmpuint(f->reads, ==, 5);
    set_small(f, SPACE_A, 0x5000, PTE_VALID | ADDR(0x50000));
    g_assert_cmpint(look(f, SPACE_A, 0x5ff8), ==, 0x40ff8);
    g_assert_cmpuint(f->reads, ==, 5);
    vgsp_tlb_flush_space(&f->tlb, &a);
    g_assert_cmpint(look(f, SPACE_A, 0x5ff8), ==, 0x50ff8);
    g_assert_cmpuint(f->reads, ==, 10);
    g_assert_cmpuint(f->tlb.misses, ==, 2);
    g_free(f);
}

/* What faulted is looked up again, without an invalidation. */
static void test_faults(void)
{
    Fixture *f = fixture_new();
    VgspPdb none = { 0 };
    VgspGmmuFault fault;

    g_assert_cmpint(look(f, SPACE_A, 0x5000), ==, FAULT(PTE));
    set_small(f, SPACE_A, 0x5000, PTE_VALID | ADDR(0x40000));
    g_assert_cmpint(look(f, SPACE_A, 0x5000), ==, 0x40000);
    g_assert_cmpint(look(f, SPACE_A, UINT64_C(1) << 49), ==,
                    FAULT(VA_LIMIT_VIOLATION));
    g_assert_cmpint(look(f, SPACE_A, UINT64_MAX), ==,
                    FAULT(VA_LIMIT_VIOLATION));
    g_assert_null(vgsp_tlb_translate(&f->tlb, &ops, f, &none, 0, &fault));
    g_assert_cmpint(fault, ==, VGSP_GMMU_FAULT_UNBOUND_INST_BLOCK);
    g_free(f);
}

/* An invalidation of one space leaves the other's translations alone. */
static void test_spaces(void)
{
    Fixture *f = fixture_new();
    VgspPdb a = pdb_of(SPACE_A);
    VgspPdb elsewhere = vgsp_pdb_from_address(VGSP_APERTURE_SYS_COHERENT,
                                              SPACE_B);

    set_small(f, SPACE_A, 0x5000, PTE_VALID | ADDR(0x40000));
    set_small(f, SPACE_B, 0x5000, PTE_VALID | ADDR(0x50000));
    g_assert_cmpint(look(f, SPACE_A, 0x5000), ==, 0x40000);
    g_assert_cmpint(look(f, SPACE_B, 0x5000), ==, 0x50000);
    g_assert_cmpint(look(f, SPACE_A, 0x5000), ==, 0x40000);
    set_small(f, SPACE_A, 0x5000, 0);
    set_small(f, SPACE_B, 0x5000, 0);
    vgsp_tlb_flush_space(&f->tlb, &a);
    /* The same address in another aperture is another directory. */
    vgsp_tlb_flush_space(&f->tlb, &elsewhere);
    g_assert_cmpint(look(f, SPACE_A, 0x5000), ==, FAULT(PTE));
    g_assert_cmpint(look(f, SPACE_B, 0x5000), ==, 0x50000);
    vgsp_tlb_flush(&f->tlb);
    g_assert_cmpint(look(f, SPACE_B, 0x5000), ==, FAULT(PTE));
    g_free(f);
}

/* A range forgets its pages, and large pages that it only touches. */
static void test_range(void)
{
    Fixture *f = fixture_new();
    VgspPdb a = pdb_of(SPACE_A);

    for (uint64_t va = 0; va < 0x8000; va += 0x1000) {
        set_small(f, SPACE_A, va, PTE_VALID | ADDR(0x40000 + va));
        g_assert_cmpint(look(f, SPACE_A, va), ==, 0x40000 + va);
        set_small(f, SPACE_A, va, PTE_VALID | ADDR(0x80000 + va));
    }
    vgsp_tlb_flush_range(&f->tlb, &a, 0x2fff, 2);   /* pages 2 and 3 */
    vgsp_tlb_flush_range(&f->tlb, &a, 0x5000, 0);   /* nothing */
    vgsp_tlb_flush_range(&f->tlb, &a, 0x7000, UINT64_MAX);
    for (uint64_t va = 0; va < 0x8000; va += 0x1000) {
        bool fresh = va == 0x2000 || va == 0x3000 || va == 0x7000;

        g_assert_cmpint(look(f, SPACE_A, va), ==,
                        (fresh ? 0x80000 : 0x40000) + va);
    }

    /* 2 MiB page at va 2M, looked up in its first page. */
    vgsp_put_le64(f->mem + SPACE_A + 0x3000 + 16, PTE_VALID | ADDR(0x200000));
    g_assert_cmpint(look(f, SPACE_A, 0x200000), ==, 0x200000);
    vgsp_put_le64(f->mem + SPACE_A + 0x3000 + 16, PTE_VALID | ADDR(0x400000));
    vgsp_tlb_flush_range(&f->tlb, &a, 0x3ff000, 0x1000);
    g_assert_cmpint(look(f, SPACE_A, 0x200000), ==, 0x400000);
    g_free(f);
}

/* A large page is walked once, and forgotten with any part of it. */
static void test_large(void)
{
    Fixture *f = fixture_new();
    VgspPdb a = pdb_of(SPACE_A);
    unsigned int reads;

    vgsp_put_le64(f->mem + SPACE_A + 0x3000 + 16, PTE_VALID | ADDR(0x200000));
    vgsp_put_le64(f->mem + SPACE_A + 0x3000 + 32, PTE_VALID | ADDR(0x600000));
    g_assert_cmpint(look(f, SPACE_A, 0x234567), ==, 0x234567);
    g_assert_cmpint(look(f, SPACE_A, 0x400000), ==, 0x600000);
    reads = f->reads;
    for (uint64_t va = 0x200000; va < 0x400000; va += 0x1000) {
        g_assert_cmpint(look(f, SPACE_A, va), ==, va);
        g_assert_cmpint(look(f, SPACE_A, va + 0x200fff), ==, va + 0x400fff);
    }
    g_assert_cmpuint(f->reads, ==, reads);
    g_assert_cmpint(look(f, SPACE_B, 0x200000), ==, FAULT(PDE));

    vgsp_put_le64(f->mem + SPACE_A + 0x3000 + 16, PTE_VALID | ADDR(0x800000));
    vgsp_put_le64(f->mem + SPACE_A + 0x3000 + 32, PTE_VALID | ADDR(0xa00000));
    vgsp_tlb_flush_range(&f->tlb, &a, 0x3ff000, 0x1000);
    g_assert_cmpint(look(f, SPACE_A, 0x200000), ==, 0x800000);
    g_assert_cmpint(look(f, SPACE_A, 0x5ff000), ==, 0x7ff000);
    f->tlb.last_id = (UINT64_C(1) << 27) - 1;
    vgsp_tlb_flush_space(&f->tlb, &a);
    g_assert_cmpint(look(f, SPACE_A, 0x5ff000), ==, 0xbff000);
    g_assert_cmpuint(f->tlb.last_id, ==, 1);
    g_free(f);
}

/* More spaces than the TLB knows, and ids that start again. */
static void test_many_spaces(void)
{
    Fixture *f = fixture_new();
    VgspPdb pdb;

    set_small(f, SPACE_A, 0x5000, PTE_VALID | ADDR(0x40000));
    g_assert_cmpint(look(f, SPACE_A, 0x5000), ==, 0x40000);
    for (uint32_t i = 0; i < 100; i++) {
        /* PD3 alone, whose entry leads to A's PD2. */
        vgsp_put_le64(f->mem + 0x30000 + i * 0x1000,
                      PDE_VIDEO | ADDR(SPACE_A + 0x1000));
        g_assert_cmpint(look(f, 0x30000 + i * 0x1000, 0x5000), ==, 0x40000);
    }
    set_small(f, SPACE_A, 0x5000, PTE_VALID | ADDR(0x50000));
    pdb = pdb_of(0x30000 + 99 * 0x1000);
    vgsp_tlb_flush_space(&f->tlb, &pdb);
    g_assert_cmpint(look(f, 0x30000 + 99 * 0x1000, 0x5000), ==, 0x50000);
    g_assert_cmpint(look(f, 0x30000 + 98 * 0x1000, 0x5000), ==, 0x40000);

    f->tlb.last_id = (UINT64_C(1) << 27) - 1;
    vgsp_tlb_flush_space(&f->tlb, &pdb);
    g_assert_cmpint(look(f, 0x30000 + 99 * 0x1000, 0x5000), ==, 0x50000);
    g_assert_cmpuint(f->tlb.last_id, ==, 1);
    g_assert_cmpint(look(f, 0x30000 + 98 * 0x1000, 0x5000), ==, 0x50000);
    g_free(f);
}

/* Rights are the caller's to check, sparse pages are remembered as such. */
static void test_attributes(void)
{
    Fixture *f = fixture_new();
    VgspPdb a = pdb_of(SPACE_A);
    VgspGmmuFault fault;
    const VgspMapping *m;

    set_small(f, SPACE_A, 0x5000, PTE_VALID | PTE_RO | ADDR(0x40000));
    set_small(f, SPACE_A, 0x6000, UINT64_C(8));
    for (int i = 0; i < 2; i++) {
        m = vgsp_tlb_translate(&f->tlb, &ops, f, &a, 0x5000, &fault);
        g_assert_true(m && m->read_only && !m->sparse);
        m = vgsp_tlb_translate(&f->tlb, &ops, f, &a, 0x6000, &fault);
        g_assert_true(m && m->sparse);
    }
    g_assert_cmpuint(f->tlb.misses, ==, 2);
    g_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tlb/remembers", test_remembers);
    g_test_add_func("/tlb/faults", test_faults);
    g_test_add_func("/tlb/spaces", test_spaces);
    g_test_add_func("/tlb/range", test_range);
    g_test_add_func("/tlb/large", test_large);
    g_test_add_func("/tlb/many-spaces", test_many_spaces);
    g_test_add_func("/tlb/attributes", test_attributes);
    return g_test_run();
}
