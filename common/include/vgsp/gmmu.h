/*
 * GMMU: translation of a GPU virtual address through page tables of format
 * VER2, which a driver keeps in video memory or in system memory.
 * Specified by NVIDIA's dev_mmu.h, dev_ram.h and dev_fault.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_GMMU_H
#define VGSP_GMMU_H

#include "vgsp/nv/dev_mmu.h"
#include "vgsp/types.h"

/*
 * Where a physical address lives.  The values are those of a page table entry
 * and of an instance block's target; a page directory entry's differ.
 */
typedef enum VgspAperture {
    VGSP_APERTURE_VIDEO = 0,
    VGSP_APERTURE_PEER = 1,
    VGSP_APERTURE_SYS_COHERENT = 2,
    VGSP_APERTURE_SYS_NONCOHERENT = 3,
} VgspAperture;

/* NV_PFAULT_FAULT_TYPE_*: the values that a fault record carries. */
typedef enum VgspGmmuFault {
    VGSP_GMMU_OK = -1,
    VGSP_GMMU_FAULT_PDE = 0x0,
    VGSP_GMMU_FAULT_PDE_SIZE = 0x1,
    VGSP_GMMU_FAULT_PTE = 0x2,
    VGSP_GMMU_FAULT_VA_LIMIT_VIOLATION = 0x3,
    VGSP_GMMU_FAULT_UNBOUND_INST_BLOCK = 0x4,
    VGSP_GMMU_FAULT_PRIV_VIOLATION = 0x5,
    VGSP_GMMU_FAULT_RO_VIOLATION = 0x6,
    VGSP_GMMU_FAULT_UNSUPPORTED_APERTURE = 0xa,
    VGSP_GMMU_FAULT_UNSUPPORTED_KIND = 0xc,
    VGSP_GMMU_FAULT_REGION_VIOLATION = 0xd,
    VGSP_GMMU_FAULT_ATOMIC_VIOLATION = 0xf,
} VgspGmmuFault;

/* NV_PFAULT_ACCESS_TYPE_VIRT_*. */
typedef enum VgspGmmuAccess {
    VGSP_GMMU_ACCESS_READ = 0,
    VGSP_GMMU_ACCESS_WRITE = 1,
    VGSP_GMMU_ACCESS_ATOMIC = 2,
} VgspGmmuAccess;

/* How the walker reads page tables. */
typedef struct VgspGmmuOps {
    /*
     * Copy len bytes at physical address addr of ap (never PEER) to buf.
     * addr is a multiple of 8 and a read does not cross a 4 KiB boundary.
     * Return false if any byte is not backed by memory: the translation then
     * faults.  Runs in the walker's thread and may be called with any address.
     */
    bool (*read)(void *opaque, VgspAperture ap, uint64_t addr, void *buf,
                 size_t len);
} VgspGmmuOps;

/* Root of an address space: its topmost page directory, PD3. */
typedef struct VgspPdb {
    uint64_t addr; /* physical address of PD3, in bytes, 4 KiB aligned */
    uint64_t pde0; /* PD3 entry 0 if inline_pde, else unused */
    VgspAperture aperture; /* where addr lives, never PEER if valid */
    bool valid;            /* false: every access is UNBOUND_INST_BLOCK */
    /*
     * PD3 consists of pde0 alone, given by value (RPC UPDATE_BAR_PDE); addr
     * is then the identity that invalidations name, and is not read.
     */
    bool inline_pde;
} VgspPdb;

/* One translation: VA va..va+size-1 maps to pa..pa+size-1. */
typedef struct VgspMapping {
    uint64_t va;   /* bytes */
    uint64_t size; /* bytes: the page, or its part within a walked range */
    uint64_t pa;   /* bytes; 0 if sparse */
    VgspAperture aperture; /* of pa: VIDEO or either SYS */
    uint8_t page_shift;    /* log2 of the page: 12, 16, 21; sparse up to 47 */
    uint8_t kind;          /* NV_MMU_PTE_KIND_*, never INVALID */
    bool read_only;
    bool privileged;
    bool atomic_disable;
    bool volatile_;
    bool sparse; /* reads return 0, writes are dropped; no other field counts */
} VgspMapping;

/*
 * Visit one mapping; return false to stop the walk.  m is valid during the
 * call only.
 */
typedef bool VgspGmmuVisit(void *opaque, const VgspMapping *m);

typedef enum VgspGmmuWalkEnd {
    VGSP_GMMU_WALK_DONE,    /* the whole range was visited */
    VGSP_GMMU_WALK_STOPPED, /* the callback asked to stop */
    VGSP_GMMU_WALK_LIMIT,   /* max_reads table reads did not suffice */
} VgspGmmuWalkEnd;

#define VGSP_GMMU_NO_LIMIT UINT64_MAX

/*
 * Decode the page directory base of an instance block.  lo and hi are the
 * words at NV_RAMIN_PAGE_DIR_BASE, or at NV_RAMIN_SC_PAGE_DIR_BASE(i) for a
 * subcontext.  The result is not valid if the target is invalid or the format
 * is not VER2.
 */
VgspPdb vgsp_pdb_from_instance(uint32_t lo, uint32_t hi);

/*
 * An address space whose PD3 lies at addr of ap.  No directory base holds
 * address bits below 4 KiB: they are dropped.
 */
VgspPdb vgsp_pdb_from_address(VgspAperture ap, uint64_t addr);

/*
 * An address space whose PD3 holds only pde0, by value.  ap and addr are the
 * identity of the directory for invalidations.
 */
VgspPdb vgsp_pdb_from_pde(VgspAperture ap, uint64_t addr, uint64_t pde0);

/*
 * Translate va.  On VGSP_GMMU_OK *out is the whole page (or sparse span) that
 * contains va; otherwise the fault that the MMU reports, and *out is zero.  A
 * table that cannot be read is a REGION_VIOLATION.  Access rights are not
 * checked: see vgsp_gmmu_check().  At most six reads.
 */
VgspGmmuFault vgsp_gmmu_walk(const VgspGmmuOps *ops, void *opaque,
                             const VgspPdb *pdb, uint64_t va, VgspMapping *out);

/*
 * Whether an access through m is permitted: VGSP_GMMU_OK or the violation.
 * privileged says whether the requester is.  A sparse page permits everything.
 */
VgspGmmuFault vgsp_gmmu_check(const VgspMapping *m, VgspGmmuAccess access,
                              bool privileged);

/*
 * Visit all mappings of va..va+len-1 in ascending order, each clipped to the
 * range.  What would fault is skipped, a table that cannot be read included.
 *
 * Tables are read a run of entries at a time, unmapped subtrees are not read
 * at all.  Whatever the tables hold, the depth is fixed and a range that
 * touches n slots of 2 MiB costs at most 10 * n + 7 reads.  max_reads (or
 * VGSP_GMMU_NO_LIMIT) is for a range so long that this is no bound.
 * Needs about 3 KiB of stack and allocates nothing.
 */
VgspGmmuWalkEnd vgsp_gmmu_walk_range(const VgspGmmuOps *ops, void *opaque,
                                     const VgspPdb *pdb, uint64_t va,
                                     uint64_t len, uint64_t max_reads,
                                     VgspGmmuVisit *visit, void *visit_opaque);

/* ---- Entries one by one, for who keeps copies of the tables ---- */

typedef enum VgspGmmuLevel {
    VGSP_GMMU_PD3,
    VGSP_GMMU_PD2,
    VGSP_GMMU_PD1,
    VGSP_GMMU_PD0,
} VgspGmmuLevel;

/* What an entry says about the addresses that it spans. */
typedef enum VgspGmmuEntry {
    VGSP_GMMU_ENTRY_FAULT, /* unmapped */
    VGSP_GMMU_ENTRY_TABLE, /* another table decides */
    VGSP_GMMU_ENTRY_PAGE,  /* a page or a sparse span: *out */
    VGSP_GMMU_ENTRY_SMALL, /* big PTE without a say: the small PTEs decide */
} VgspGmmuEntry;

typedef struct VgspGmmuTable {
    uint64_t addr;
    VgspAperture aperture;
    bool valid;
} VgspGmmuTable;

/* Entry of PD3, PD2 or PD1 that spans va: FAULT, TABLE or a sparse PAGE. */
VgspGmmuEntry vgsp_gmmu_pde(uint64_t pde, uint64_t va, VgspGmmuLevel level,
                            VgspGmmuTable *next, VgspMapping *out);
/* Dual entry of PD0. If TABLE, either or both of *big and *small are valid. */
VgspGmmuEntry vgsp_gmmu_pd0(uint64_t low, uint64_t high, uint64_t va,
                            VgspGmmuTable *big, VgspGmmuTable *small,
                            VgspMapping *out);
/* PTE of a big page: FAULT, PAGE or SMALL. */
VgspGmmuEntry vgsp_gmmu_big_pte(uint64_t pte, uint64_t va, VgspMapping *out);
/* PTE of a small page: FAULT or PAGE. */
VgspGmmuEntry vgsp_gmmu_small_pte(uint64_t pte, uint64_t va, VgspMapping *out);

/* Name of a fault for a log, such as "PTE"; "OK" for none. Static string. */
const char *vgsp_gmmu_fault_name(VgspGmmuFault fault);

#endif
