/*
 * The model's inside: what front end, macro engine, SMs and texture units
 * share.
 *
 * Threads. Workers (VgspWorker) run slices: of a context's front end, or of a
 * grid. A slice is bounded (about a millisecond) and holds the address space
 * for reading, so a map operation waits for slices and nothing else. A
 * context's front end is run by one worker at a time; a grid by several. While
 * a grid runs, its context's front end waits: a launch is complete before the
 * next method is performed, so everything after it sees an idle engine.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_MODEL_INT_H
#define HW_VGSP_MODEL_MODEL_INT_H

#include <glib.h>
#include "model/model.h"
#include "model/pool.h"
#include "vgsp/gmmu.h"
#include "vgsp/nv/class.h"

typedef struct VgspSpace VgspSpace;     /* model/space.h */
typedef struct VgspContext VgspContext; /* model/context.h */
typedef struct VgspGrid VgspGrid;       /* model/grid.h */

/* ---- Memory, model/mmu.c ---- */

typedef struct VgspModelFault {
    bool raised;
    VgspGmmuFault type;
    VgspGmmuAccess access;
    uint64_t va;
} VgspModelFault;

#define VGSP_TLB_ENTRIES 256

/* A page as a worker sees it. */
typedef struct VgspTlbEntry {
    uint64_t tag;               /* va >> 12, or UINT64_MAX */
    uint8_t *host;              /* of the page's first byte; NULL: sparse */
    uint32_t memory;            /* and where it lies: for wrote() */
    bool writable;
    bool atomic;
    bool dirty;                 /* written, not yet reported */
    uint64_t offset;
} VgspTlbEntry;

/*
 * A worker's view of the space it works in. Valid within a slice. Not thread
 * safe: each worker has its own.
 */
typedef struct VgspMmu {
    VgspSpace *space;
    uint64_t generation;        /* of the space, when the TLB was empty */
    VgspTlbEntry tlb[VGSP_TLB_ENTRIES];
    VgspModelFault fault;       /* the last failed access */
} VgspMmu;

void vgsp_mmu_init(VgspMmu *mmu);
/* Begins a slice in space. vgsp_mmu_flush() comes before its end. */
void vgsp_mmu_enter(VgspMmu *mmu, VgspSpace *space);

/*
 * Where the page of va may be. Arrays that a program uses together often lie
 * a power of two apart: such pages must not share an entry.
 */
static inline VgspTlbEntry *vgsp_mmu_slot(VgspMmu *mmu, uint64_t va)
{
    uint64_t page = va >> 12;

    return &mmu->tlb[(page ^ page >> 5 ^ page >> 8) % VGSP_TLB_ENTRIES];
}

/* The page of va for that access, or NULL with mmu->fault. */
VgspTlbEntry *vgsp_mmu_fill(VgspMmu *mmu, uint64_t va, VgspGmmuAccess access);

/*
 * The entry of the page of va if the access is permitted, or NULL with
 * mmu->fault. entry->host is NULL for a sparse page. A write marks it dirty.
 */
static inline VgspTlbEntry *vgsp_mmu_page(VgspMmu *mmu, uint64_t va,
                                          VgspGmmuAccess access)
{
    VgspTlbEntry *e = vgsp_mmu_slot(mmu, va);

    if (e->tag == va >> 12) {
        if (access == VGSP_GMMU_ACCESS_READ) {
            return e;
        }
        if (e->dirty && e->writable &&
            (access == VGSP_GMMU_ACCESS_WRITE || e->atomic)) {
            return e;
        }
    }
    return vgsp_mmu_fill(mmu, va, access);
}

/*
 * Any length and alignment, page by page; sparse reads 0. Aligned words of 4
 * and 8 bytes are read and written whole. False: mmu->fault; what came before
 * the faulting page was transferred.
 */
bool vgsp_mmu_read(VgspMmu *mmu, uint64_t va, void *buf, uint64_t len);
bool vgsp_mmu_write(VgspMmu *mmu, uint64_t va, const void *buf, uint64_t len);
/* Reports dirty pages: before anything that tells others of the writes. */
void vgsp_mmu_flush(VgspMmu *mmu);

/* ---- Workers, model/model.c ---- */

typedef struct VgspWorker {
    VgspModel *model;
    VgspMmu mmu;                /* of the slice's space */
    void *sm;                   /* the SM's own, model/grid.c */
} VgspWorker;

const VgspChip *vgsp_model_chip(VgspModel *m);
uint64_t vgsp_model_clock(VgspModel *m);    /* PTIMER, ns */
/* Of the CTAs of all grids. */
VgspPool *vgsp_model_pool(VgspModel *m);

/* ---- Front end, model/fe.c ---- */

/* Classes of a GR channel by subchannel. */
enum { VGSP_SUBC_3D, VGSP_SUBC_COMPUTE, VGSP_SUBC_I2M, VGSP_SUBC_2D };

typedef enum VgspFeEnd {
    VGSP_FE_DONE,               /* performed */
    VGSP_FE_WAIT,               /* performed; a grid runs: stop here */
    VGSP_FE_AGAIN,              /* not performed: the same method again */
    VGSP_FE_ERROR,              /* vgsp_fe_error() or _fault() was called */
} VgspFeEnd;

/*
 * Performs one method (byte address) on a subchannel. Also for methods that
 * macros emit. Runs in the worker that has the context.
 */
VgspFeEnd vgsp_fe_method(VgspContext *ctx, VgspWorker *w, unsigned subchannel,
                         uint32_t method, uint32_t data);

/* Exceptions that a context dies of: vgsp_owner_fault.type. */
typedef enum VgspException {
    VGSP_EXC_ILLEGAL_CLASS = 1,
    VGSP_EXC_ILLEGAL_METHOD,
    VGSP_EXC_ILLEGAL_DATA,
    VGSP_EXC_MACRO,             /* data: pri_mme code, exec-facts 7.1 */
    VGSP_EXC_MEMFMT,            /* I2M; data: bit of pri_memfmt's HWW_ESR */
    VGSP_EXC_SKED,              /* QMD check; data: which */
    VGSP_EXC_ILLEGAL_INSTRUCTION,
    VGSP_EXC_MISALIGNED_ADDRESS,
    VGSP_EXC_OUT_OF_RANGE_ADDRESS, /* local, shared */
    VGSP_EXC_SM_OTHER,
    VGSP_EXC_NOT_MODELLED,      /* draws: the model has no 3D pipeline yet */
    VGSP_EXC_INJECTED,
    VGSP_EXC_OUT_OF_RANGE_REGISTER, /* beyond those of the launch */
} VgspException;

/*
 * Counts what a method or a macro costs, in units of some 50 ns. True: the time
 * of the slice is over, and what can go on later should say VGSP_FE_AGAIN.
 */
bool vgsp_fe_spent(VgspContext *ctx, uint32_t cost);

/* Records why the context dies (the first counts); returns VGSP_FE_ERROR. */
VgspFeEnd vgsp_fe_error(VgspContext *ctx, VgspException exc,
                        unsigned subchannel, uint32_t method, uint32_t data);
/* The same for a failed access; hub clients are FE, host; GPC: SMs. */
VgspFeEnd vgsp_fe_fault(VgspContext *ctx, const VgspModelFault *fault,
                        uint32_t client, bool client_is_hub);

/*
 * Report semaphore releases and every other memory write that the front end
 * authors: 4 bytes, or 16 {payload, 0, ns} / {value u64, ns}. Flushes first.
 */
VgspFeEnd vgsp_fe_release(VgspContext *ctx, VgspWorker *w, uint64_t va,
                          uint32_t payload, bool one_word);

/* FE order of reduction operations: ADD MIN MAX INC DEC AND OR XOR. */
VgspFeEnd vgsp_fe_reduce(VgspContext *ctx, VgspWorker *w, uint64_t va,
                         unsigned op, bool is_signed, uint32_t payload);
/* Likewise; the structure of 16 bytes gets its time as well. */
VgspFeEnd vgsp_fe_reduce_timed(VgspContext *ctx, VgspWorker *w, uint64_t va,
                               unsigned op, bool is_signed, uint32_t payload,
                               bool one_word);

/* The engine's non-stall interrupt, model/model.c. */
void vgsp_model_interrupt(VgspContext *ctx);

/* ---- Macro engine, model/mme.c ---- */

typedef struct VgspMme VgspMme;

VgspMme *vgsp_mme_new(void);
void vgsp_mme_free(VgspMme *mme);
/*
 * Whether @method of the 3D class is the macro engine's own (0x114..0x124,
 * 0x550..0x574, 0x3400.., 0x3800..).
 */
bool vgsp_mme_owns(uint32_t method);
/*
 * Performs such a method. Emits through vgsp_fe_method(). VGSP_FE_AGAIN: a
 * macro has used up its slice, or an emitted method asked for it or for a
 * grid; it goes on when the same method and datum are given again.
 */
VgspFeEnd vgsp_mme_method(VgspMme *mme, VgspContext *ctx, VgspWorker *w,
                          uint32_t method, uint32_t data);
/* Shadow scratch i, for SET_FALCON04's answer. */
void vgsp_mme_set_scratch(VgspMme *mme, unsigned i, uint32_t value);
/*
 * Every other 3D method, before it is performed: the shadow RAM tracks it, and
 * replaces *data while it replays. VGSP_FE_ERROR: a macro waits for a parameter
 * instead. Emitted methods come here too.
 */
VgspFeEnd vgsp_mme_track(VgspMme *mme, VgspContext *ctx, uint32_t method,
                         uint32_t *data);

/* ---- Inline-to-memory and 2D: model/i2m.c, model/twod.c ---- */

/* One a class that carries it: 3D, compute, 0xa140. */
typedef struct VgspI2m VgspI2m;

VgspI2m *vgsp_i2m_new(void);
void vgsp_i2m_free(VgspI2m *i2m);
/* Methods 0x180..0x1b4 and 0x1dc..0x1e4, the same in all three classes. */
bool vgsp_i2m_owns(uint32_t method);
VgspFeEnd vgsp_i2m_method(VgspI2m *i2m, VgspContext *ctx, VgspWorker *w,
                          unsigned subchannel, uint32_t method,
                          uint32_t data);

typedef struct VgspTwod VgspTwod;

VgspTwod *vgsp_twod_new(void);
void vgsp_twod_free(VgspTwod *twod);
VgspFeEnd vgsp_twod_method(VgspTwod *twod, VgspContext *ctx, VgspWorker *w,
                           uint32_t method, uint32_t data);

/* ---- Compute: model/compute.c (methods), model/qmd.c, model/grid.c ---- */

/* What a grid needs of its context; read once, at the launch. */
typedef struct VgspGridState {
    uint64_t shared_window;     /* base of 16 MiB, generic addressing */
    uint64_t local_window;
    uint64_t tex_header_pool, sampler_pool; /* virtual addresses */
    uint32_t tex_header_max, sampler_max;   /* largest index */
    bool ignore_out_of_range;   /* priv 0x419ea8 bit 14 was set */
} VgspGridState;

/* A constant buffer: bytes below size are readable, beyond read 0. */
typedef struct VgspCbuf {
    uint64_t va;
    uint32_t size;              /* 0: not bound */
} VgspCbuf;

/* A decoded launch descriptor; exec-facts 6.3. */
typedef struct VgspQmd {
    uint64_t va;                /* of the descriptor itself */
    uint32_t grid[3];           /* CTAs */
    uint16_t block[3];          /* threads */
    uint32_t shared_size;       /* bytes a CTA */
    uint32_t local_size;        /* bytes a thread, low + high ... */
    uint32_t local_high;        /* ... of which that many end the window */
    uint16_t registers;         /* a thread */
    uint8_t barriers;
    bool sampler_via_header;    /* SAMPLER_INDEX = VIA_HEADER_INDEX */
    VgspCbuf cbuf[8];
    uint64_t program;           /* address of the first instruction */
    struct {
        bool enable, one_word, reduce, is_signed;
        uint8_t op;             /* FE order */
        uint64_t va;
        uint32_t payload;
    } release[2];
    bool dependent;             /* schedule dependent_va after the grid */
    bool wait_for_pcas;         /* REQUIRE_SCHEDULING_PCAS */
    uint64_t dependent_va;
} VgspQmd;

/* 0, or which SKED check fails (vgsp_owner_fault.data). */
uint32_t vgsp_qmd_decode(const uint32_t words[64], uint64_t va, VgspQmd *out);

/*
 * A grid: CTAs in raster order, resumable. Created in the front end's worker;
 * run by any workers until vgsp_grid_done(). Registers, shared and local
 * memory come from bounded pools: a grid too large runs fewer CTAs at a time.
 */
VgspGrid *vgsp_grid_new(VgspModel *m, const VgspQmd *qmd,
                        const VgspGridState *state);
void vgsp_grid_free(VgspGrid *grid);
/*
 * One slice: some CTAs for a bounded number of instructions. Returns false if
 * there was nothing that this worker could do. Thread safe.
 */
bool vgsp_grid_run(VgspGrid *grid, VgspWorker *w);
/* Every CTA has exited, or the grid failed. */
bool vgsp_grid_done(VgspGrid *grid);
/* Why it failed: false if it did not. Fields of a fault, but for context. */
bool vgsp_grid_failed(VgspGrid *grid, struct vgsp_owner_fault *fault);
/* Bytes of the pool that it has. */
size_t vgsp_grid_memory(VgspGrid *grid);
/* Per-worker state of the SM. */
void *vgsp_sm_new(VgspModel *m);
void vgsp_sm_free(void *sm);

#endif
