/*
 * A TLB in front of the GMMU walker: translations of many address spaces, until
 * the driver invalidates them (dev_vm.h, MMU_INVALIDATE; clc46f.h, MEM_OP).
 *
 * A TLB is not thread safe: whoever uses it holds a lock that its invalidation
 * takes as well, for as long as he uses what he translated. Then no access
 * uses an older mapping once an invalidation has returned.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_TLB_H
#define VGSP_TLB_H

#include "vgsp/gmmu.h"

#define VGSP_TLB_LINES  512 /* a power of two */
#define VGSP_TLB_SPACES 16
/* Mappings of so many bytes and more have lines of their own. */
#define VGSP_TLB_LARGE  (1ull << NV_MMU_VER2_PD0_SHIFT)
#define VGSP_TLB_LARGE_LINES 128 /* a power of two */

typedef struct VgspTlbLine {
    uint64_t tag; /* the space's id and the page of va; 0: empty */
    VgspMapping m;
} VgspTlbLine;

typedef struct VgspTlbSpace {
    VgspPdb pdb;
    uint64_t id; /* 0: not in use */
} VgspTlbSpace;

/* About 31 KiB. All zero is an empty TLB. */
typedef struct VgspTlb {
    VgspTlbLine line[VGSP_TLB_LINES];
    VgspTlbLine large[VGSP_TLB_LARGE_LINES];
    VgspTlbSpace space[VGSP_TLB_SPACES];
    unsigned int last; /* space used last */
    unsigned int next; /* space to be replaced next */
    uint64_t last_id;  /* ids are not used again: what has none is stale */
    uint64_t misses;
} VgspTlb;

/*
 * Translates va as vgsp_gmmu_walk() does, or remembers what it said. NULL with
 * *fault where it faults; faults are not remembered. The mapping is valid until
 * the next call for that TLB. Access rights are not checked.
 */
const VgspMapping *vgsp_tlb_translate(VgspTlb *tlb, const VgspGmmuOps *ops,
                                      void *opaque, const VgspPdb *pdb,
                                      uint64_t va, VgspGmmuFault *fault);

/*
 * Whether an invalidation of the space a concerns b: the same directory, of
 * which an invalidation says only whether it lies in video memory.
 */
bool vgsp_pdb_same(const VgspPdb *a, const VgspPdb *b);

/* Forgets everything, all of one space, or its pages in va..va+len-1. */
void vgsp_tlb_flush(VgspTlb *tlb);
void vgsp_tlb_flush_space(VgspTlb *tlb, const VgspPdb *pdb);
void vgsp_tlb_flush_range(VgspTlb *tlb, const VgspPdb *pdb, uint64_t va,
                          uint64_t len);

#endif
