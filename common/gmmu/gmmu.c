/*
 * GMMU page-table walker, format VER2: five levels, pages of 4 KiB, 64 KiB and
 * 2 MiB.  Specified by NVIDIA's dev_mmu.h; which half of a dual entry wins is
 * as the UVM driver relies on it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/gmmu.h"

#define PD3_ENTRIES      4
#define PT_SMALL_PER_BIG 16

/* Bytes of a table that a range walk reads at a time. */
#define DIR_RUN      256
#define PT_RUN       512
#define PT_BIG_BYTES 256

/* Keeps the buffers of the lower levels out of the recursion's frame. */
#define NOINLINE __attribute__((__noinline__))

/* Short names for this file. */
typedef VgspGmmuEntry EntryState;
typedef VgspGmmuTable Table;

#define ENTRY_FAULT VGSP_GMMU_ENTRY_FAULT
#define ENTRY_TABLE VGSP_GMMU_ENTRY_TABLE
#define ENTRY_PAGE  VGSP_GMMU_ENTRY_PAGE
#define ENTRY_SMALL VGSP_GMMU_ENTRY_SMALL
#define LEVEL_PD3   VGSP_GMMU_PD3
#define LEVEL_PD0   VGSP_GMMU_PD0

typedef struct Walk {
    const VgspGmmuOps *ops;
    void *opaque;
    VgspGmmuVisit *visit;
    void *visit_opaque;
    uint64_t first, last; /* the range, both inclusive */
    uint64_t reads_left;
    VgspGmmuWalkEnd end;
} Walk;

/* log2 of the span of an entry and the size of an entry, PD3 downwards */
static const uint8_t level_shift[] = {
    NV_MMU_VER2_PD3_SHIFT,
    NV_MMU_VER2_PD2_SHIFT,
    NV_MMU_VER2_PD1_SHIFT,
    NV_MMU_VER2_PD0_SHIFT,
};

VgspPdb vgsp_pdb_from_instance(uint32_t lo, uint32_t hi)
{
    uint32_t target = VGSP_GET(NV_RAMIN_PAGE_DIR_BASE_TARGET, lo);
    VgspPdb pdb = {
        .addr = (uint64_t)hi << 32 | (lo & NV_RAMIN_PAGE_DIR_BASE_LO),
        .aperture = (VgspAperture)target,
        .valid = target != NV_RAMIN_PAGE_DIR_BASE_TARGET_INVALID &&
                 (lo & NV_RAMIN_USE_VER2_PT_FORMAT),
    };

    return pdb;
}

VgspPdb vgsp_pdb_from_address(VgspAperture ap, uint64_t addr)
{
    VgspPdb pdb = {
        .addr = VGSP_ALIGN_DOWN(addr, VGSP_BIT(NV_MMU_VER2_PDE_ADDRESS_SHIFT)),
        .aperture = ap,
        .valid = ap != VGSP_APERTURE_PEER,
    };

    return pdb;
}

VgspPdb vgsp_pdb_from_pde(VgspAperture ap, uint64_t addr, uint64_t pde0)
{
    VgspPdb pdb = vgsp_pdb_from_address(ap, addr);

    pdb.inline_pde = true;
    pdb.pde0 = pde0;
    return pdb;
}

/*
 * A directory's aperture field has 0 for "invalid" and 1 for video memory; the
 * other two values agree with VgspAperture.
 */
static Table decode_table(uint64_t aperture, uint64_t vid, uint64_t sys,
                          unsigned int shift)
{
    Table t = {
        .valid = aperture != NV_MMU_VER2_PDE_APERTURE_INVALID,
    };

    if (aperture == NV_MMU_VER2_PDE_APERTURE_VIDEO_MEMORY) {
        t.aperture = VGSP_APERTURE_VIDEO;
        t.addr = vid << shift;
    } else {
        t.aperture = (VgspAperture)aperture;
        t.addr = sys << shift;
    }
    return t;
}

static Table decode_pde(uint64_t pde)
{
    return decode_table(VGSP_GET(NV_MMU_VER2_PDE_APERTURE, pde),
                        VGSP_GET(NV_MMU_VER2_PDE_ADDRESS_VID, pde),
                        VGSP_GET(NV_MMU_VER2_PDE_ADDRESS_SYS, pde),
                        NV_MMU_VER2_PDE_ADDRESS_SHIFT);
}

static Table decode_pd0_big(uint64_t low)
{
    return decode_table(VGSP_GET(NV_MMU_VER2_DUAL_PDE_APERTURE_BIG, low),
                        VGSP_GET(NV_MMU_VER2_DUAL_PDE_ADDRESS_BIG_VID, low),
                        VGSP_GET(NV_MMU_VER2_DUAL_PDE_ADDRESS_BIG_SYS, low),
                        NV_MMU_VER2_DUAL_PDE_ADDRESS_BIG_SHIFT);
}

static Table decode_pd0_small(uint64_t high)
{
    return decode_table(VGSP_GET(NV_MMU_VER2_DUAL_PDE_APERTURE_SMALL, high),
                        VGSP_GET(NV_MMU_VER2_DUAL_PDE_ADDRESS_SMALL_VID, high),
                        VGSP_GET(NV_MMU_VER2_DUAL_PDE_ADDRESS_SMALL_SYS, high),
                        NV_MMU_VER2_DUAL_PDE_ADDRESS_SHIFT);
}

static void set_sparse(uint64_t va, unsigned int shift, VgspMapping *out)
{
    memset(out, 0, sizeof(*out));
    out->va = VGSP_ALIGN_DOWN(va, VGSP_BIT(shift));
    out->size = VGSP_BIT(shift);
    out->page_shift = shift;
    out->sparse = true;
}

static VgspGmmuFault decode_page(uint64_t pte, uint64_t va, unsigned int shift,
                                 VgspMapping *out)
{
    uint32_t aperture = VGSP_GET(NV_MMU_VER2_PTE_APERTURE, pte);
    uint8_t kind = VGSP_GET(NV_MMU_VER2_PTE_KIND, pte);
    uint64_t pa;

    if (aperture == NV_MMU_VER2_PTE_APERTURE_PEER_MEMORY) {
        return VGSP_GMMU_FAULT_UNSUPPORTED_APERTURE;
    }
    if (kind == NV_MMU_PTE_KIND_INVALID) {
        return VGSP_GMMU_FAULT_UNSUPPORTED_KIND;
    }

    /*
     * Above the address of a page in video memory lies its compression tag
     * line, which drivers do fill in.
     */
    if (aperture == NV_MMU_VER2_PTE_APERTURE_VIDEO_MEMORY) {
        pa = VGSP_GET(NV_MMU_VER2_PTE_ADDRESS_VID, pte);
    } else {
        pa = VGSP_GET(NV_MMU_VER2_PTE_ADDRESS_SYS, pte);
    }
    pa <<= NV_MMU_VER2_PTE_ADDRESS_SHIFT;

    out->va = VGSP_ALIGN_DOWN(va, VGSP_BIT(shift));
    out->size = VGSP_BIT(shift);
    out->pa = VGSP_ALIGN_DOWN(pa, VGSP_BIT(shift));
    out->aperture = (VgspAperture)aperture;
    out->page_shift = shift;
    out->kind = kind;
    out->read_only = pte & NV_MMU_VER2_PTE_READ_ONLY;
    out->privileged = pte & NV_MMU_VER2_PTE_PRIVILEGE;
    out->atomic_disable = pte & NV_MMU_VER2_PTE_ATOMIC_DISABLE;
    out->volatile_ = pte & NV_MMU_VER2_PTE_VOL;
    out->sparse = false;
    return VGSP_GMMU_OK;
}

/* Entry of PD3, PD2 or PD1.  Sets *next, *out or *fault as the state says. */
static EntryState eval_pde(uint64_t pde, uint64_t va, unsigned int level,
                           Table *next, VgspMapping *out, VgspGmmuFault *fault)
{
    if (pde & NV_MMU_VER2_PDE_IS_PTE) {
        *fault = VGSP_GMMU_FAULT_PDE_SIZE;
        return ENTRY_FAULT;
    }
    *next = decode_pde(pde);
    if (next->valid) {
        return ENTRY_TABLE;
    }
    if (pde & NV_MMU_VER2_PDE_VOL) {
        set_sparse(va, level_shift[level], out);
        return ENTRY_PAGE;
    }
    *fault = VGSP_GMMU_FAULT_PDE;
    return ENTRY_FAULT;
}

/* Entry of PD0.  If a table decides, either or both of the two are valid. */
static EntryState eval_pd0(uint64_t low, uint64_t high, uint64_t va, Table *big,
                           Table *small, VgspMapping *out, VgspGmmuFault *fault)
{
    if (low & NV_MMU_VER2_DUAL_PDE_IS_PTE) {
        *fault = decode_page(low, va, NV_MMU_VER2_PD0_SHIFT, out);
        return *fault == VGSP_GMMU_OK ? ENTRY_PAGE : ENTRY_FAULT;
    }
    *big = decode_pd0_big(low);
    *small = decode_pd0_small(high);
    if (big->valid || small->valid) {
        return ENTRY_TABLE;
    }
    if (low & NV_MMU_VER2_DUAL_PDE_VOL_BIG) {
        set_sparse(va, NV_MMU_VER2_PD0_SHIFT, out);
        return ENTRY_PAGE;
    }
    *fault = VGSP_GMMU_FAULT_PDE;
    return ENTRY_FAULT;
}

static EntryState eval_pte(uint64_t pte, uint64_t va, unsigned int shift,
                           VgspMapping *out, VgspGmmuFault *fault)
{
    if (pte & NV_MMU_VER2_PTE_VALID) {
        *fault = decode_page(pte, va, shift, out);
        return *fault == VGSP_GMMU_OK ? ENTRY_PAGE : ENTRY_FAULT;
    }
    if (pte & NV_MMU_VER2_PTE_VOL) {
        set_sparse(va, shift, out);
        return ENTRY_PAGE;
    }
    *fault = VGSP_GMMU_FAULT_PTE;
    return ENTRY_FAULT;
}

/*
 * An invalid big PTE leaves its range to the small PTEs, unless PRIVILEGE
 * marks that none of them counts: they may hold stale entries then.
 */
static EntryState eval_big_pte(uint64_t pte, uint64_t va, VgspMapping *out,
                               VgspGmmuFault *fault)
{
    EntryState state = eval_pte(pte, va, NV_MMU_VER2_PT_BIG_SHIFT, out, fault);

    if (state == ENTRY_FAULT &&
        !(pte & (NV_MMU_VER2_PTE_VALID | NV_MMU_VER2_PTE_PRIVILEGE))) {
        return ENTRY_SMALL;
    }
    return state;
}

VgspGmmuEntry vgsp_gmmu_pde(uint64_t pde, uint64_t va, VgspGmmuLevel level,
                            VgspGmmuTable *next, VgspMapping *out)
{
    VgspGmmuFault fault;

    return eval_pde(pde, va, level, next, out, &fault);
}

VgspGmmuEntry vgsp_gmmu_pd0(uint64_t low, uint64_t high, uint64_t va,
                            VgspGmmuTable *big, VgspGmmuTable *small,
                            VgspMapping *out)
{
    VgspGmmuFault fault;

    return eval_pd0(low, high, va, big, small, out, &fault);
}

VgspGmmuEntry vgsp_gmmu_big_pte(uint64_t pte, uint64_t va, VgspMapping *out)
{
    VgspGmmuFault fault;

    return eval_big_pte(pte, va, out, &fault);
}

VgspGmmuEntry vgsp_gmmu_small_pte(uint64_t pte, uint64_t va, VgspMapping *out)
{
    VgspGmmuFault fault;

    return eval_pte(pte, va, NV_MMU_VER2_PT_SMALL_SHIFT, out, &fault);
}

static bool read_qwords(const VgspGmmuOps *ops, void *opaque, const Table *t,
                        uint64_t offset, uint64_t *q, unsigned int count)
{
    uint8_t raw[2 * sizeof(uint64_t)];
    unsigned int i;

    if (!ops->read(opaque, t->aperture, t->addr + offset, raw,
                   count * sizeof(uint64_t))) {
        return false;
    }
    for (i = 0; i < count; i++) {
        q[i] = vgsp_le64(raw + i * sizeof(uint64_t));
    }
    return true;
}

static uint64_t va_index(uint64_t va, unsigned int shift, unsigned int top)
{
    return (va & (VGSP_BIT(top) - 1)) >> shift;
}

/* The part below PD0: one 2 MiB slot that tables decide. */
static VgspGmmuFault walk_slot(const VgspGmmuOps *ops, void *opaque,
                               const Table *big, const Table *small,
                               uint64_t va, VgspMapping *out)
{
    VgspGmmuFault fault = VGSP_GMMU_FAULT_PTE;
    uint64_t index, pte;

    if (big->valid) {
        index = va_index(va, NV_MMU_VER2_PT_BIG_SHIFT, NV_MMU_VER2_PD0_SHIFT);
        if (!read_qwords(ops, opaque, big, index * NV_MMU_VER2_PTE__SIZE, &pte,
                         1)) {
            return VGSP_GMMU_FAULT_REGION_VIOLATION;
        }
        switch (eval_big_pte(pte, va, out, &fault)) {
        case ENTRY_PAGE:
            return VGSP_GMMU_OK;
        case ENTRY_SMALL:
            break;
        default:
            return fault;
        }
    }
    if (!small->valid) {
        /* The big table is there, and its entry is the one that is invalid. */
        return VGSP_GMMU_FAULT_PTE;
    }
    index = va_index(va, NV_MMU_VER2_PT_SMALL_SHIFT, NV_MMU_VER2_PD0_SHIFT);
    if (!read_qwords(ops, opaque, small, index * NV_MMU_VER2_PTE__SIZE, &pte,
                     1)) {
        return VGSP_GMMU_FAULT_REGION_VIOLATION;
    }
    if (eval_pte(pte, va, NV_MMU_VER2_PT_SMALL_SHIFT, out, &fault) !=
        ENTRY_PAGE) {
        return fault;
    }
    return VGSP_GMMU_OK;
}

static VgspGmmuFault do_walk(const VgspGmmuOps *ops, void *opaque,
                             const VgspPdb *pdb, uint64_t va, VgspMapping *out)
{
    VgspGmmuFault fault = VGSP_GMMU_FAULT_PDE;
    Table t = { .addr = pdb->addr, .aperture = pdb->aperture, .valid = true };
    Table big, small;
    unsigned int level, top = NV_MMU_VER2_VA_BITS;
    uint64_t index, q[2];

    if (!pdb->valid) {
        return VGSP_GMMU_FAULT_UNBOUND_INST_BLOCK;
    }
    if (va >> NV_MMU_VER2_VA_BITS) {
        return VGSP_GMMU_FAULT_VA_LIMIT_VIOLATION;
    }

    for (level = LEVEL_PD3; level < LEVEL_PD0; level++) {
        index = va_index(va, level_shift[level], top);
        top = level_shift[level];
        if (level == LEVEL_PD3 && pdb->inline_pde) {
            q[0] = index ? 0 : pdb->pde0;
        } else if (!read_qwords(ops, opaque, &t, index * NV_MMU_VER2_PDE__SIZE,
                                q, 1)) {
            return VGSP_GMMU_FAULT_REGION_VIOLATION;
        }
        switch (eval_pde(q[0], va, level, &t, out, &fault)) {
        case ENTRY_TABLE:
            break;
        case ENTRY_PAGE:
            return VGSP_GMMU_OK;
        default:
            return fault;
        }
    }

    index = va_index(va, NV_MMU_VER2_PD0_SHIFT, top);
    if (!read_qwords(ops, opaque, &t, index * NV_MMU_VER2_DUAL_PDE__SIZE, q,
                     2)) {
        return VGSP_GMMU_FAULT_REGION_VIOLATION;
    }
    switch (eval_pd0(q[0], q[1], va, &big, &small, out, &fault)) {
    case ENTRY_TABLE:
        return walk_slot(ops, opaque, &big, &small, va, out);
    case ENTRY_PAGE:
        return VGSP_GMMU_OK;
    default:
        return fault;
    }
}

VgspGmmuFault vgsp_gmmu_walk(const VgspGmmuOps *ops, void *opaque,
                             const VgspPdb *pdb, uint64_t va, VgspMapping *out)
{
    VgspGmmuFault fault = do_walk(ops, opaque, pdb, va, out);

    if (fault != VGSP_GMMU_OK) {
        memset(out, 0, sizeof(*out));
    }
    return fault;
}

VgspGmmuFault vgsp_gmmu_check(const VgspMapping *m, VgspGmmuAccess access,
                              bool privileged)
{
    if (m->sparse) {
        return VGSP_GMMU_OK;
    }
    if (m->privileged && !privileged) {
        return VGSP_GMMU_FAULT_PRIV_VIOLATION;
    }
    if (m->read_only && access != VGSP_GMMU_ACCESS_READ) {
        return VGSP_GMMU_FAULT_RO_VIOLATION;
    }
    if (m->atomic_disable && access == VGSP_GMMU_ACCESS_ATOMIC) {
        return VGSP_GMMU_FAULT_ATOMIC_VIOLATION;
    }
    return VGSP_GMMU_OK;
}

/* Report what of m lies in the range.  False if the walk is to end. */
static bool range_visit(Walk *w, VgspMapping *m)
{
    uint64_t last = m->va + m->size - 1;
    uint64_t skip = w->first > m->va ? w->first - m->va : 0;

    m->va += skip;
    m->size = (last < w->last ? last : w->last) - m->va + 1;
    if (!m->sparse) {
        m->pa += skip;
    }
    if (!w->visit(w->visit_opaque, m)) {
        w->end = VGSP_GMMU_WALK_STOPPED;
        return false;
    }
    return true;
}

/*
 * A run of a table, read as the loop over its entries reaches it.  A loop has
 * to end (range_entry() returns false with w->end set) when the reads are used
 * up; a run that cannot be read holds no mapping and is skipped.
 */
typedef struct Run {
    uint64_t start; /* byte offset in the table of the run's first byte */
    bool loaded;
    bool readable;
} Run;

static bool range_entry(Walk *w, const Table *t, Run *run, uint8_t *buf,
                        size_t run_bytes, uint64_t offset)
{
    uint64_t start = VGSP_ALIGN_DOWN(offset, run_bytes);

    if (run->loaded && run->start == start) {
        return true;
    }
    if (w->reads_left == 0) {
        w->end = VGSP_GMMU_WALK_LIMIT;
        return false;
    }
    w->reads_left--;
    run->start = start;
    run->loaded = true;
    run->readable =
        w->ops->read(w->opaque, t->aperture, t->addr + start, buf, run_bytes);
    return true;
}

/* Small PTEs of va..last, all within one 2 MiB slot. */
static bool range_small(Walk *w, const Table *t, Run *run, uint8_t *buf,
                        uint64_t va, uint64_t last)
{
    VgspGmmuFault fault;
    VgspMapping m;
    uint64_t offset;

    for (va = VGSP_ALIGN_DOWN(va, VGSP_BIT(NV_MMU_VER2_PT_SMALL_SHIFT));
         va <= last; va += VGSP_BIT(NV_MMU_VER2_PT_SMALL_SHIFT)) {
        offset =
            va_index(va, NV_MMU_VER2_PT_SMALL_SHIFT, NV_MMU_VER2_PD0_SHIFT) *
            NV_MMU_VER2_PTE__SIZE;
        if (!range_entry(w, t, run, buf, PT_RUN, offset)) {
            return false;
        }
        if (run->readable &&
            eval_pte(vgsp_le64(buf + (offset - run->start)), va,
                     NV_MMU_VER2_PT_SMALL_SHIFT, &m, &fault) == ENTRY_PAGE &&
            !range_visit(w, &m)) {
            return false;
        }
    }
    return true;
}

/* The part of the range in one 2 MiB slot that tables decide. */
static bool range_slot(Walk *w, const Table *big, const Table *small,
                       uint64_t va, uint64_t last)
{
    const uint64_t step = VGSP_BIT(NV_MMU_VER2_PT_BIG_SHIFT);
    uint8_t big_buf[PT_BIG_BYTES];
    uint8_t small_buf[PT_RUN];
    Run big_run = { 0 }, small_run = { 0 };
    VgspGmmuFault fault;
    VgspMapping m;
    uint64_t offset, end;
    EntryState state;

    if (!big->valid) {
        return range_small(w, small, &small_run, small_buf, va, last);
    }
    for (; va <= last; va = end + 1) {
        end = VGSP_ALIGN_DOWN(va, step) + step - 1;
        offset = va_index(va, NV_MMU_VER2_PT_BIG_SHIFT, NV_MMU_VER2_PD0_SHIFT) *
                 NV_MMU_VER2_PTE__SIZE;
        if (!range_entry(w, big, &big_run, big_buf, PT_BIG_BYTES, offset)) {
            return false;
        }
        if (!big_run.readable) {
            return true;
        }
        state = eval_big_pte(vgsp_le64(big_buf + offset), va, &m, &fault);
        if (state == ENTRY_PAGE && !range_visit(w, &m)) {
            return false;
        }
        if (state == ENTRY_SMALL && small->valid &&
            !range_small(w, small, &small_run, small_buf, va,
                         end < last ? end : last)) {
            return false;
        }
    }
    return true;
}

static NOINLINE bool range_pd0(Walk *w, const Table *t, uint64_t va,
                               uint64_t last)
{
    const uint64_t step = VGSP_BIT(NV_MMU_VER2_PD0_SHIFT);
    uint8_t buf[DIR_RUN];
    Run run = { 0 };
    VgspGmmuFault fault;
    VgspMapping m;
    Table big, small;
    uint64_t offset, end;
    const uint8_t *entry;

    for (; va <= last; va = end + 1) {
        end = VGSP_ALIGN_DOWN(va, step) + step - 1;
        offset = va_index(va, NV_MMU_VER2_PD0_SHIFT, NV_MMU_VER2_PD1_SHIFT) *
                 NV_MMU_VER2_DUAL_PDE__SIZE;
        if (!range_entry(w, t, &run, buf, DIR_RUN, offset)) {
            return false;
        }
        if (!run.readable) {
            continue;
        }
        entry = buf + (offset - run.start);
        switch (eval_pd0(vgsp_le64(entry), vgsp_le64(entry + 8), va, &big,
                         &small, &m, &fault)) {
        case ENTRY_TABLE:
            if (!range_slot(w, &big, &small, va, end < last ? end : last)) {
                return false;
            }
            break;
        case ENTRY_PAGE:
            if (!range_visit(w, &m)) {
                return false;
            }
            break;
        default:
            break;
        }
    }
    return true;
}

/*
 * PD3, PD2 and PD1; recursion is three deep.  last is at most the last address
 * that t spans.
 */
static NOINLINE bool range_dir(Walk *w, const VgspPdb *pdb, const Table *t,
                               unsigned int level, uint64_t va, uint64_t last)
{
    const uint64_t step = VGSP_BIT(level_shift[level]);
    const unsigned int top =
        level == LEVEL_PD3 ? NV_MMU_VER2_VA_BITS : level_shift[level - 1];
    const size_t run_bytes =
        level == LEVEL_PD3 ? PD3_ENTRIES * NV_MMU_VER2_PDE__SIZE : DIR_RUN;
    uint8_t buf[DIR_RUN];
    Run run = { 0 };
    VgspGmmuFault fault;
    VgspMapping m;
    Table next;
    uint64_t index, offset, pde, end;
    bool go_on = true;

    for (; va <= last && go_on; va = end + 1) {
        end = VGSP_ALIGN_DOWN(va, step) + step - 1;
        index = va_index(va, level_shift[level], top);
        if (level == LEVEL_PD3 && pdb->inline_pde) {
            pde = index ? 0 : pdb->pde0;
        } else {
            offset = index * NV_MMU_VER2_PDE__SIZE;
            if (!range_entry(w, t, &run, buf, run_bytes, offset)) {
                return false;
            }
            if (!run.readable) {
                continue;
            }
            pde = vgsp_le64(buf + (offset - run.start));
        }
        switch (eval_pde(pde, va, level, &next, &m, &fault)) {
        case ENTRY_TABLE:
            if (level + 1 == LEVEL_PD0) {
                go_on = range_pd0(w, &next, va, end < last ? end : last);
            } else {
                go_on = range_dir(w, pdb, &next, level + 1, va,
                                  end < last ? end : last);
            }
            break;
        case ENTRY_PAGE:
            go_on = range_visit(w, &m);
            break;
        default:
            break;
        }
    }
    return go_on;
}

VgspGmmuWalkEnd vgsp_gmmu_walk_range(const VgspGmmuOps *ops, void *opaque,
                                     const VgspPdb *pdb, uint64_t va,
                                     uint64_t len, uint64_t max_reads,
                                     VgspGmmuVisit *visit, void *visit_opaque)
{
    const uint64_t limit = VGSP_BIT(NV_MMU_VER2_VA_BITS);
    const Table root = { pdb->addr, pdb->aperture, true };
    Walk w = {
        .ops = ops,
        .opaque = opaque,
        .visit = visit,
        .visit_opaque = visit_opaque,
        .first = va,
        .reads_left = max_reads,
        .end = VGSP_GMMU_WALK_DONE,
    };

    if (!pdb->valid || len == 0 || va >= limit) {
        return VGSP_GMMU_WALK_DONE;
    }
    w.last = len > limit - va ? limit - 1 : va + len - 1;
    range_dir(&w, pdb, &root, LEVEL_PD3, va, w.last);
    return w.end;
}

const char *vgsp_gmmu_fault_name(VgspGmmuFault fault)
{
    switch (fault) {
    case VGSP_GMMU_OK:
        return "OK";
    case VGSP_GMMU_FAULT_PDE:
        return "PDE";
    case VGSP_GMMU_FAULT_PDE_SIZE:
        return "PDE_SIZE";
    case VGSP_GMMU_FAULT_PTE:
        return "PTE";
    case VGSP_GMMU_FAULT_VA_LIMIT_VIOLATION:
        return "VA_LIMIT_VIOLATION";
    case VGSP_GMMU_FAULT_UNBOUND_INST_BLOCK:
        return "UNBOUND_INST_BLOCK";
    case VGSP_GMMU_FAULT_PRIV_VIOLATION:
        return "PRIV_VIOLATION";
    case VGSP_GMMU_FAULT_RO_VIOLATION:
        return "RO_VIOLATION";
    case VGSP_GMMU_FAULT_UNSUPPORTED_APERTURE:
        return "UNSUPPORTED_APERTURE";
    case VGSP_GMMU_FAULT_UNSUPPORTED_KIND:
        return "UNSUPPORTED_KIND";
    case VGSP_GMMU_FAULT_REGION_VIOLATION:
        return "REGION_VIOLATION";
    case VGSP_GMMU_FAULT_ATOMIC_VIOLATION:
        return "ATOMIC_VIOLATION";
    }
    return "?";
}
