/*
 * A channel's engine context: its queue of sections, and the front end's state
 * that persists from one to the next.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_CONTEXT_H
#define HW_VGSP_MODEL_CONTEXT_H

#include "model/space.h"

#define VGSP_CONTEXT_SECTIONS_MAX   1024
#define VGSP_CONTEXT_WORDS_MAX      (4 << 20)   /* of queued sections */

/* Words of a class's method space. */
#define VGSP_CLASS_WORDS            (0x4000 / 4)
#define VGSP_SUBCHANNELS            4

/* Registers of GR that firmware writes on request (SET_FALCON04). */
#define VGSP_PRIV_REGS_MAX          16

typedef struct VgspQueuedSection {
    uint64_t seq;
    uint32_t count;
    uint32_t words[];
} VgspQueuedSection;

typedef struct VgspInjection {
    uint64_t seq;
    uint32_t kind;              /* enum vgsp_owner_fault_kind */
} VgspInjection;

/* Whether launches and draws are performed; of 3D and of compute. */
typedef struct VgspRenderEnable {
    bool enable;                /* as of SET_RENDER_ENABLE_C ... */
    bool global;                /* ... and SET_GLOBAL_RENDER_ENABLE_C */
} VgspRenderEnable;

struct VgspContext {
    uint32_t id;
    VgspModel *model;
    VgspSpace *space;

    /* ---- Scheduling: under the model's lock (model.c) ---- */
    GQueue sections;            /* VgspQueuedSection */
    size_t queued_words;
    GArray *injections;         /* VgspInjection */
    bool queued;                /* in the run queue */
    unsigned active;            /* workers in a slice of it */
    bool front_end;             /* ... one, and it is the front end's */
    bool grid_full;             /* no work for one more worker */
    int64_t not_before;         /* monotonic us: polls memory */
    bool held;                  /* off the engine, but for its end */
    uint32_t kill_kind;
    bool failed;                /* a fault is to be reported */
    bool dead;

    /*
     * ---- The front end: the one worker that runs it. Read by a grid's
     * workers while it waits for them. ----
     */
    VgspGrid *grid;             /* under way */
    VgspQmd qmd;                /* of it */
    VgspQueuedSection *section;
    uint32_t pos;               /* of its next word */
    VgspPushbuf pb;
    bool polls;                 /* an acquire waits for memory */
    int64_t deadline;           /* monotonic us: the end of the slice */
    uint32_t cost;              /* since the last look at the time */

    bool has_fault;
    struct vgsp_owner_fault fault;

    unsigned subchannel;        /* of the method that is performed */
    uint32_t method, data;

    VgspRenderEnable render[2]; /* by subchannel: 3D, compute */
    VgspMme *mme;
    VgspI2m *i2m[3];            /* by subchannel: 3D, compute, I2M */
    VgspTwod *twod;
    uint32_t clear_rows;        /* done of a CLEAR_SURFACE under way ... */
    uint64_t clear_bytes;       /* ... and of the row that follows */
    unsigned num_priv;
    struct {
        uint32_t addr, value;
    } priv[VGSP_PRIV_REGS_MAX];
    uint32_t state[VGSP_SUBCHANNELS][VGSP_CLASS_WORDS];
};

VgspContext *vgsp_context_new(VgspModel *m, VgspSpace *space, uint32_t id);
void vgsp_context_free(VgspContext *ctx);
/* Drops what is queued, the section that runs and its grid. */
void vgsp_context_drop(VgspContext *ctx);

/* Value of a register that firmware wrote on request, or 0. */
uint32_t vgsp_context_priv(const VgspContext *ctx, uint32_t addr);

/* How a slice of a front end ended. */
typedef enum VgspFeSlice {
    VGSP_FE_SLICE_MORE,         /* there is more of the section to do */
    VGSP_FE_SLICE_GRID,         /* ctx->grid is to be run */
    VGSP_FE_SLICE_POLL,         /* again a little later */
    VGSP_FE_SLICE_RETIRED,      /* the section is complete */
    VGSP_FE_SLICE_FAILED,       /* ctx->fault says why */
} VgspFeSlice;

/* Ends a grid that is done, then performs methods of ctx->section. fe.c. */
VgspFeSlice vgsp_fe_slice(VgspContext *ctx, VgspWorker *w);

/* Classes, and what they share. */
VgspFeEnd vgsp_threed_method(VgspContext *ctx, VgspWorker *w, uint32_t method,
                             uint32_t data);
/* CLEAR_SURFACE. clear.c */
VgspFeEnd vgsp_threed_clear(VgspContext *ctx, VgspWorker *w, uint32_t data);
VgspFeEnd vgsp_compute_method(VgspContext *ctx, VgspWorker *w, uint32_t method,
                              uint32_t data);
/* The grid is done: its releases, and the launch that depends on it. */
VgspFeEnd vgsp_compute_grid_end(VgspContext *ctx, VgspWorker *w);

/* FE order of reductions, as in vgsp_fe_reduce(). */
enum {
    VGSP_RED_ADD, VGSP_RED_MIN, VGSP_RED_MAX, VGSP_RED_INC, VGSP_RED_DEC,
    VGSP_RED_AND, VGSP_RED_OR, VGSP_RED_XOR,
};

/* As vgsp_fe_release(), with a value of 64 bits in the large structure. */
VgspFeEnd vgsp_fe_release64(VgspContext *ctx, VgspWorker *w, uint64_t va,
                            uint64_t value, bool one_word);

/* report.c, for 3D and compute alike. */
VgspFeEnd vgsp_fe_report_semaphore(VgspContext *ctx, VgspWorker *w,
                                   unsigned subchannel, uint32_t data);
VgspFeEnd vgsp_fe_render_enable(VgspContext *ctx, VgspWorker *w,
                                unsigned subchannel, uint32_t method,
                                uint32_t data);
bool vgsp_fe_renders(VgspContext *ctx, unsigned subchannel);
/* SET_FALCON(i): what the front end's firmware does. */
VgspFeEnd vgsp_fe_falcon(VgspContext *ctx, unsigned subchannel,
                         uint32_t method, unsigned i, uint32_t data);

/* The address that method_a and the one behind it hold. */
static inline uint64_t vgsp_fe_address(VgspContext *ctx, unsigned subchannel,
                                       uint32_t method_a, uint64_t upper_mask)
{
    const uint32_t *s = &ctx->state[subchannel][method_a / 4];

    return (uint64_t)(s[0] & upper_mask) << 32 | s[1];
}

#endif
