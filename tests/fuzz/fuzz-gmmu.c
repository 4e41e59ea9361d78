/*
 * Fuzz the GMMU walker and the TLB: the input is the memory that holds the
 * tables.  A walk of a range and walks of its pages must tell the same story,
 * and so must a TLB where it has been told of a change.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>

#include "vgsp/tlb.h"

#define HEADER    24
#define PAGE      4096
#define MAX_READS 2000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Mem {
    const uint8_t *data;
    size_t size;
    unsigned int reads;
} Mem;

typedef struct Visits {
    const VgspPdb *pdb;
    Mem *mem;
    uint64_t next, last;
    unsigned int count;
} Visits;

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

/*
 * Memory repeats every 64 KiB, so that most tables exist, and all apertures
 * are the same memory; what the input does not fill reads 0.
 */
static bool mem_read(void *opaque, VgspAperture ap, uint64_t addr, void *buf,
                     size_t len)
{
    Mem *m = opaque;
    uint64_t at = addr % 0x10000;
    size_t n = 0;

    check(ap != VGSP_APERTURE_PEER && addr % 8 == 0);
    check(addr / PAGE == (addr + len - 1) / PAGE);
    m->reads++;
    if (addr >> 44) {
        return false;
    }
    memset(buf, 0, len);
    if (at < m->size) {
        n = m->size - at < len ? m->size - at : len;
        memcpy(buf, m->data + at, n);
    }
    return true;
}

static const VgspGmmuOps ops = { .read = mem_read };

static bool visit(void *opaque, const VgspMapping *m)
{
    Visits *v = opaque;
    VgspMapping one;

    check(m->size && m->va >= v->next && m->va + m->size - 1 <= v->last);
    check(m->sparse || m->aperture != VGSP_APERTURE_PEER);
    check(vgsp_gmmu_walk(&ops, v->mem, v->pdb, m->va, &one) == VGSP_GMMU_OK);
    check(one.sparse == m->sparse && one.page_shift == m->page_shift);
    check(m->sparse || (one.kind == m->kind && one.aperture == m->aperture &&
                        one.pa + (m->va - one.va) == m->pa));
    v->next = m->va + m->size;
    return ++v->count < 4096;
}

static void check_tlb(VgspTlb *tlb, Mem *mem, const VgspPdb *pdb, uint64_t va)
{
    VgspGmmuFault fault, expected;
    const VgspMapping *m;
    VgspMapping one;

    m = vgsp_tlb_translate(tlb, &ops, mem, pdb, va, &fault);
    expected = vgsp_gmmu_walk(&ops, mem, pdb, va, &one);
    check(fault == expected && (m != NULL) == (expected == VGSP_GMMU_OK));
    if (m) {
        check(m->va == one.va && m->size == one.size && m->pa == one.pa);
        check(m->sparse == one.sparse && m->page_shift == one.page_shift);
        check(m->sparse ||
              (m->kind == one.kind && m->aperture == one.aperture &&
               m->read_only == one.read_only &&
               m->privileged == one.privileged &&
               m->atomic_disable == one.atomic_disable));
    }
}

/*
 * Translations of two spaces between changes of the tables, each told to the
 * TLB in one of its ways. Where it was told, it must agree with the tables.
 */
static void fuzz_tlb(Mem *mem, const VgspPdb *pdb, uint64_t va, uint64_t len)
{
    static VgspTlb tlb;
    uint8_t *copy = malloc(mem->size + 1);
    Mem m = { .data = copy, .size = mem->size };
    VgspPdb other = vgsp_pdb_from_address(VGSP_APERTURE_VIDEO, 0x3000);
    unsigned int i, k;

    check(copy != NULL);
    memcpy(copy, mem->data, mem->size);
    memset(&tlb, 0, sizeof(tlb));
    for (i = 0; i < 32; i++) {
        const VgspPdb *space = i & 1 ? &other : pdb;

        for (k = 0; k < 4; k++) {
            check_tlb(&tlb, &m, space, va + k * (len / 4));
        }
        if (m.size) {
            copy[(i * 2654435761u + (uint32_t)va) % m.size] ^= 1u << (i & 7);
        }
        switch (i % 3) {
        case 0:
            vgsp_tlb_flush(&tlb);
            break;
        case 1:
            vgsp_tlb_flush_space(&tlb, pdb);
            vgsp_tlb_flush_space(&tlb, &other);
            break;
        default:
            vgsp_tlb_flush_range(&tlb, pdb, va, len);
            vgsp_tlb_flush_range(&tlb, &other, va, len);
            break;
        }
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Mem mem = { 0 };
    Visits v = { .mem = &mem };
    VgspMapping m;
    VgspPdb pdb;
    uint64_t va, len;

    if (size < HEADER) {
        return 0;
    }
    pdb = vgsp_pdb_from_instance(vgsp_le32(data), vgsp_le32(data + 4));
    if (data[0] & 8) {
        pdb = vgsp_pdb_from_pde(VGSP_APERTURE_VIDEO, 0, vgsp_le64(data));
    }
    va = vgsp_le64(data + 8);
    len = vgsp_le64(data + 16);
    mem.data = data + HEADER;
    mem.size = size - HEADER;

    if (vgsp_gmmu_walk(&ops, &mem, &pdb, va, &m) == VGSP_GMMU_OK) {
        check(va >= m.va && va - m.va < m.size);
        vgsp_gmmu_check(&m, VGSP_GMMU_ACCESS_ATOMIC, false);
    }
    check(mem.reads <= 6);

    fuzz_tlb(&mem, &pdb, va % VGSP_BIT(50), len % VGSP_BIT(30) + 4);
    va &= VGSP_BIT(NV_MMU_VER2_VA_BITS) - 1;
    len %= VGSP_BIT(30);
    if (len) {
        v.pdb = &pdb;
        v.next = va;
        v.last = va + len - 1;
        vgsp_gmmu_walk_range(&ops, &mem, &pdb, va, len, MAX_READS, visit, &v);
    }
    return 0;
}
