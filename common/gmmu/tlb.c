/*
 * A TLB in front of the GMMU walker. A line is found by the page and the space,
 * a large page's by the 2 MiB and the space; a space that is invalidated gets a
 * new id, and its lines are stale at once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/tlb.h"

#define PAGE_SHIFT NV_MMU_VER2_PT_SMALL_SHIFT
#define PAGE_BITS  (NV_MMU_VER2_VA_BITS - PAGE_SHIFT)
#define ID_MAX     (VGSP_BIT(64 - PAGE_BITS) - 1)

/* Pages of 4 KiB in what a line of large ones is found by. */
#define LARGE_PAGES (VGSP_TLB_LARGE >> PAGE_SHIFT)

bool vgsp_pdb_same(const VgspPdb *a, const VgspPdb *b)
{
    return a->valid && b->valid && a->addr == b->addr &&
           (a->aperture == VGSP_APERTURE_VIDEO) ==
           (b->aperture == VGSP_APERTURE_VIDEO);
}

/* The very same tables, so that translations can be shared. */
static bool pdb_equal(const VgspPdb *a, const VgspPdb *b)
{
    return a->addr == b->addr && a->aperture == b->aperture &&
           a->valid == b->valid && a->inline_pde == b->inline_pde &&
           (!a->inline_pde || a->pde0 == b->pde0);
}

void vgsp_tlb_flush(VgspTlb *tlb)
{
    memset(tlb->space, 0, sizeof(tlb->space));
}

static uint64_t new_id(VgspTlb *tlb)
{
    if (tlb->last_id == ID_MAX) {
        memset(tlb->line, 0, sizeof(tlb->line));
        memset(tlb->large, 0, sizeof(tlb->large));
        vgsp_tlb_flush(tlb);
        tlb->last_id = 0;
    }
    return ++tlb->last_id;
}

static VgspTlbSpace *tlb_space(VgspTlb *tlb, const VgspPdb *pdb)
{
    VgspTlbSpace *s = &tlb->space[tlb->last];
    unsigned int i;
    uint64_t id;

    if (s->id && pdb_equal(&s->pdb, pdb)) {
        return s;
    }
    for (i = 0; i < VGSP_TLB_SPACES; i++) {
        s = &tlb->space[i];
        if (s->id && pdb_equal(&s->pdb, pdb)) {
            tlb->last = i;
            return s;
        }
    }
    id = new_id(tlb);
    tlb->last = tlb->next;
    tlb->next = (tlb->next + 1) % VGSP_TLB_SPACES;
    s = &tlb->space[tlb->last];
    s->pdb = *pdb;
    s->id = id;
    return s;
}

/* Pages of one space that are near each other never share a line. */
static VgspTlbLine *tlb_line(VgspTlb *tlb, uint64_t id, uint64_t page)
{
    return &tlb->line[(page + id * 61) % VGSP_TLB_LINES];
}

static VgspTlbLine *tlb_large(VgspTlb *tlb, uint64_t id, uint64_t page)
{
    return &tlb->large[(page / LARGE_PAGES + id * 7) % VGSP_TLB_LARGE_LINES];
}

const VgspMapping *vgsp_tlb_translate(VgspTlb *tlb, const VgspGmmuOps *ops,
                                      void *opaque, const VgspPdb *pdb,
                                      uint64_t va, VgspGmmuFault *fault)
{
    const VgspTlbSpace *s;
    VgspTlbLine *line, *large;
    uint64_t page, tag, large_tag;

    if (va >> NV_MMU_VER2_VA_BITS) {
        *fault = pdb->valid ? VGSP_GMMU_FAULT_VA_LIMIT_VIOLATION
                            : VGSP_GMMU_FAULT_UNBOUND_INST_BLOCK;
        return NULL;
    }
    s = tlb_space(tlb, pdb);
    page = va >> PAGE_SHIFT;
    tag = s->id << PAGE_BITS | page;
    line = tlb_line(tlb, s->id, page);
    *fault = VGSP_GMMU_OK;
    if (line->tag == tag) {
        return &line->m;
    }
    large = tlb_large(tlb, s->id, page);
    large_tag = tag - page % LARGE_PAGES;
    if (large->tag == large_tag) {
        return &large->m;
    }
    line->tag = 0;
    tlb->misses++;
    *fault = vgsp_gmmu_walk(ops, opaque, pdb, va, &line->m);
    if (*fault != VGSP_GMMU_OK) {
        return NULL;
    }
    if (line->m.size < VGSP_TLB_LARGE) {
        line->tag = tag;
        return &line->m;
    }
    large->m = line->m;
    large->tag = large_tag;
    return &large->m;
}

void vgsp_tlb_flush_space(VgspTlb *tlb, const VgspPdb *pdb)
{
    unsigned int i;

    for (i = 0; i < VGSP_TLB_SPACES; i++) {
        if (tlb->space[i].id && vgsp_pdb_same(&tlb->space[i].pdb, pdb)) {
            tlb->space[i].id = 0;
        }
    }
}

/* Lines of one space whose mapping, however large, touches the range. */
static void flush_lines(VgspTlbLine *line, unsigned int count, uint64_t id,
                        uint64_t va, uint64_t last)
{
    unsigned int i;

    for (i = 0; i < count; i++, line++) {
        if (line->tag >> PAGE_BITS == id && line->m.va <= last &&
            line->m.va + (line->m.size - 1) >= va) {
            line->tag = 0;
        }
    }
}

void vgsp_tlb_flush_range(VgspTlb *tlb, const VgspPdb *pdb, uint64_t va,
                          uint64_t len)
{
    uint64_t last = len - 1 > UINT64_MAX - va ? UINT64_MAX : va + (len - 1);
    unsigned int i;

    if (!len) {
        return;
    }
    for (i = 0; i < VGSP_TLB_SPACES; i++) {
        if (tlb->space[i].id && vgsp_pdb_same(&tlb->space[i].pdb, pdb)) {
            flush_lines(tlb->line, VGSP_TLB_LINES, tlb->space[i].id, va, last);
            flush_lines(tlb->large, VGSP_TLB_LARGE_LINES, tlb->space[i].id,
                        va, last);
        }
    }
}
