/*
 * A rig for tests of the model: one memory object, mapped in one space, and a
 * record of everything that the model says. Programs are words of sm_75 as
 * NVIDIA's assembler writes them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_MODEL_RIG_H
#define TESTS_UNIT_MODEL_RIG_H

#include <errno.h>
#include <glib.h>
#include "model/model.h"
#include "model/model-int.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/threed.h"

#define RIG_VA          UINT64_C(0x7000000000)
#define RIG_SIZE        (4 << 20)
#define RIG_TIMEOUT_US  (30 * G_USEC_PER_SEC)

/* Where the helpers put things, offsets into the memory. */
#define RIG_CODE        0x1000
#define RIG_QMD         0x8000
#define RIG_DATA        0x10000

typedef enum RigWhat {
    RIG_WROTE, RIG_COMPLETED, RIG_INTERRUPT, RIG_FAULT,
} RigWhat;

typedef struct RigEvent {
    RigWhat what;
    uint32_t id;                /* context or memory */
    uint64_t a, b;              /* offset, size; or seq */
    struct vgsp_owner_fault fault;
} RigEvent;

typedef struct Rig {
    VgspModel *m;
    uint8_t *mem;
    uint32_t memory, space, ctx;
    GMutex lock;
    GCond cond;
    GArray *events;
    uint64_t clock;
} Rig;

static inline void rig_event(Rig *rig, RigEvent e)
{
    g_mutex_lock(&rig->lock);
    g_array_append_val(rig->events, e);
    g_cond_broadcast(&rig->cond);
    g_mutex_unlock(&rig->lock);
}

static inline uint64_t rig_clock(void *opaque)
{
    Rig *rig = opaque;

    return __atomic_add_fetch(&rig->clock, 32, __ATOMIC_RELAXED);
}

static inline void rig_wrote(void *opaque, uint32_t memory, uint64_t offset,
                             uint64_t size)
{
    rig_event(opaque, (RigEvent) { RIG_WROTE, memory, offset, size, { 0 } });
}

static inline void rig_completed(void *opaque, uint32_t context, uint64_t seq)
{
    rig_event(opaque, (RigEvent) { RIG_COMPLETED, context, seq, 0, { 0 } });
}

static inline void rig_interrupt(void *opaque, uint32_t context)
{
    rig_event(opaque, (RigEvent) { RIG_INTERRUPT, context, 0, 0, { 0 } });
}

static inline void rig_fault(void *opaque, const struct vgsp_owner_fault *fault)
{
    rig_event(opaque, (RigEvent) { RIG_FAULT, fault->context, fault->seq, 0,
                                   *fault });
}

static const VgspModelOps rig_ops = {
    .clock_ns = rig_clock,
    .wrote = rig_wrote,
    .completed = rig_completed,
    .interrupt = rig_interrupt,
    .fault = rig_fault,
};

static inline int rig_map(Rig *rig, uint32_t space, uint32_t op, uint64_t va,
                          uint64_t size, uint64_t offset, uint32_t flags)
{
    struct vgsp_owner_map_op o = {
        .op = op, .flags = flags, .va = va, .size = size,
        .memory = rig->memory, .offset = offset,
    };

    return vgsp_model_map(rig->m, space, &o, 1);
}

static inline void rig_init(Rig *rig, unsigned threads)
{
    VgspModelConfig config = {
        .chip = &vgsp_chip_tu104, .threads = threads, .ops = &rig_ops,
        .opaque = rig,
    };

    memset(rig, 0, sizeof(*rig));
    g_mutex_init(&rig->lock);
    g_cond_init(&rig->cond);
    rig->events = g_array_new(false, false, sizeof(RigEvent));
    rig->clock = UINT64_C(0x123456789a00);
    rig->mem = g_aligned_alloc0(RIG_SIZE, 1, 4096);
    rig->m = vgsp_model_new(&config);
    g_assert_nonnull(rig->m);
    g_assert_cmpint(vgsp_model_memory_add(rig->m, rig->mem, RIG_SIZE,
                                          &rig->memory), ==, 0);
    g_assert_cmpint(vgsp_model_space_new(rig->m, &rig->space), ==, 0);
    g_assert_cmpint(rig_map(rig, rig->space, VGSP_OWNER_MAP, RIG_VA, RIG_SIZE,
                            0, 0), ==, 0);
    g_assert_cmpint(vgsp_model_context_new(rig->m, rig->space, &rig->ctx), ==,
                    0);
}

static inline void rig_exit(Rig *rig)
{
    vgsp_model_free(rig->m);
    g_aligned_free(rig->mem);
    g_array_free(rig->events, true);
    g_cond_clear(&rig->cond);
    g_mutex_clear(&rig->lock);
}

/* Guest memory as a processor sees it. */
static inline uint32_t rig_peek(Rig *rig, uint64_t offset)
{
    return __atomic_load_n((uint32_t *)(rig->mem + offset), __ATOMIC_ACQUIRE);
}

static inline uint64_t rig_peek64(Rig *rig, uint64_t offset)
{
    return rig_peek(rig, offset) | (uint64_t)rig_peek(rig, offset + 4) << 32;
}

static inline void rig_poke(Rig *rig, uint64_t offset, uint32_t value)
{
    __atomic_store_n((uint32_t *)(rig->mem + offset), value, __ATOMIC_RELEASE);
}

/* ---- Sections ---- */

typedef struct Push {
    uint32_t words[4096];
    uint32_t count;
} Push;

static inline void push(Push *p, unsigned subchannel, uint32_t method,
                        uint32_t data)
{
    g_assert_cmpuint(p->count + 2, <=, G_N_ELEMENTS(p->words));
    p->words[p->count++] = 1u << 29 | 1u << 16 | subchannel << 13 | method / 4;
    p->words[p->count++] = data;
}

/* A report semaphore, D = operation and flags. */
static inline void push_report(Push *p, unsigned subchannel, uint64_t va,
                               uint32_t payload, uint32_t d)
{
    push(p, subchannel, NVC597_SET_REPORT_SEMAPHORE_A, (uint32_t)(va >> 32));
    push(p, subchannel, NVC597_SET_REPORT_SEMAPHORE_B, (uint32_t)va);
    push(p, subchannel, NVC597_SET_REPORT_SEMAPHORE_C, payload);
    push(p, subchannel, NVC597_SET_REPORT_SEMAPHORE_D, d);
}

#define REPORT_ONE_WORD     (1u << 28)

/* A word of @payload at @offset of the memory. */
static inline void push_release(Push *p, uint64_t offset, uint32_t payload)
{
    push_report(p, VGSP_SUBC_COMPUTE, RIG_VA + offset, payload,
                REPORT_ONE_WORD);
}

static inline int rig_submit(Rig *rig, uint32_t ctx, const Push *p,
                             uint64_t seq)
{
    return vgsp_model_submit(rig->m, ctx, p->words, p->count, seq);
}

/* ---- Events ---- */

/* Waits for the first such event and returns it; seq 0: any. */
static inline RigEvent rig_wait(Rig *rig, RigWhat what, uint32_t id,
                                uint64_t seq)
{
    int64_t until = g_get_monotonic_time() + RIG_TIMEOUT_US;
    RigEvent found;

    g_mutex_lock(&rig->lock);
    for (guint i = 0;; i++) {
        while (i == rig->events->len) {
            g_assert_true(g_cond_wait_until(&rig->cond, &rig->lock, until));
        }
        found = g_array_index(rig->events, RigEvent, i);
        if (found.what == what && found.id == id &&
            (!seq || found.a == seq)) {
            break;
        }
    }
    g_mutex_unlock(&rig->lock);
    return found;
}

static inline unsigned rig_count(Rig *rig, RigWhat what, uint32_t id)
{
    unsigned n = 0;

    g_mutex_lock(&rig->lock);
    for (guint i = 0; i < rig->events->len; i++) {
        const RigEvent *e = &g_array_index(rig->events, RigEvent, i);

        n += e->what == what && e->id == id;
    }
    g_mutex_unlock(&rig->lock);
    return n;
}

/* Submits and waits until it retires; a fault ends the test. */
static inline void rig_run(Rig *rig, uint32_t ctx, const Push *p, uint64_t seq)
{
    g_assert_cmpint(rig_submit(rig, ctx, p, seq), ==, 0);
    rig_wait(rig, RIG_COMPLETED, ctx, seq);
}

/* Submits and waits for the fault. */
static inline struct vgsp_owner_fault rig_run_fault(Rig *rig, uint32_t ctx,
                                                    const Push *p,
                                                    uint64_t seq)
{
    g_assert_cmpint(rig_submit(rig, ctx, p, seq), ==, 0);
    return rig_wait(rig, RIG_FAULT, ctx, 0).fault;
}

/* Waits until the word at offset is more than value. */
static inline uint32_t rig_wait_above(Rig *rig, uint64_t offset, uint32_t value)
{
    int64_t until = g_get_monotonic_time() + RIG_TIMEOUT_US;
    uint32_t now;

    while ((now = rig_peek(rig, offset)) <= value) {
        g_assert_cmpint(g_get_monotonic_time(), <, until);
        g_usleep(200);
    }
    return now;
}

/* ---- Programs and launches ---- */

typedef struct RigInsn {
    uint64_t lo, hi;
} RigInsn;

/*
 * MOV Rd, imm; IADD3 Rd, Rd, imm, RZ; STG.E.SYS [Ra], Rd;
 * RED.E.ADD.STRONG.GPU [Ra], Rd; BRA bytes; EXIT
 */
#define MOV_IMM(d, imm) \
    { (uint64_t)(uint32_t)(imm) << 32 | (d) << 16 | 0x7802, \
      UINT64_C(0x000fc80000000f00) }
#define IADD_IMM(d, imm) \
    { (uint64_t)(uint32_t)(imm) << 32 | (d) << 24 | (d) << 16 | 0x7810, \
      UINT64_C(0x000fca0007ffe0ff) }
#define STG(a, d) \
    { (uint64_t)(d) << 32 | (uint64_t)(a) << 24 | 0x7386, \
      UINT64_C(0x000fe2000010e900) }
#define RED_ADD(a, d) \
    { (uint64_t)(d) << 32 | (uint64_t)(a) << 24 | 0x798e, \
      UINT64_C(0x000fe20000114100) }
#define BRA_BACK(bytes) \
    { (uint64_t)(uint32_t)-(bytes) << 32 | 0x7947, \
      UINT64_C(0x000fc0000383ffff) }
#define EXIT_INSN \
    { 0x794d, UINT64_C(0x000fea0003800000) }

static inline void rig_code(Rig *rig, uint64_t offset, const RigInsn *code,
                            unsigned count)
{
    memcpy(rig->mem + offset, code, count * sizeof(*code));
}

/* Stores value at va once. */
static inline void rig_code_store(Rig *rig, uint64_t offset, uint64_t va,
                                  uint32_t value)
{
    const RigInsn code[] = {
        MOV_IMM(2, va), MOV_IMM(3, va >> 32), MOV_IMM(0, value),
        STG(2, 0), EXIT_INSN,
    };

    rig_code(rig, offset, code, G_N_ELEMENTS(code));
}

/* Counts at va for ever. */
static inline void rig_code_endless(Rig *rig, uint64_t offset, uint64_t va)
{
    const RigInsn code[] = {
        MOV_IMM(2, va), MOV_IMM(3, va >> 32), MOV_IMM(0, 0),
        IADD_IMM(0, 1), STG(2, 0), BRA_BACK(0x30), EXIT_INSN,
    };

    rig_code(rig, offset, code, G_N_ELEMENTS(code));
}

static inline void qmd_set(uint32_t *qmd, unsigned hi, unsigned lo,
                           uint64_t value)
{
    for (unsigned bit = lo; bit <= hi; bit++) {
        uint32_t mask = 1u << (bit % 32);

        qmd[bit / 32] &= ~mask;
        qmd[bit / 32] |= value >> (bit - lo) & 1 ? mask : 0;
    }
}

/* A descriptor (exec-facts 6.3) of one thread at the program's address. */
static inline void qmd_init(uint32_t qmd[64], uint64_t program)
{
    memset(qmd, 0, 64 * sizeof(*qmd));
    qmd_set(qmd, 134, 134, 1);          /* SM_GLOBAL_CACHING_ENABLE */
    qmd_set(qmd, 378, 378, 1);          /* API_VISIBLE_CALL_LIMIT: NO_CHECK */
    qmd_set(qmd, 415, 384, 1);          /* CTA_RASTER_WIDTH, HEIGHT, DEPTH */
    qmd_set(qmd, 431, 416, 1);
    qmd_set(qmd, 463, 448, 1);
    qmd_set(qmd, 568, 562, 3);          /* SM_CONFIG_SHARED_MEM_SIZE */
    qmd_set(qmd, 575, 569, 17);
    qmd_set(qmd, 663, 657, 3);
    qmd_set(qmd, 579, 576, 2);          /* QMD_VERSION, MAJOR */
    qmd_set(qmd, 583, 580, 2);
    qmd_set(qmd, 607, 592, 1);          /* CTA_THREAD_DIMENSION */
    qmd_set(qmd, 623, 608, 1);
    qmd_set(qmd, 639, 624, 1);
    qmd_set(qmd, 656, 648, 16);         /* REGISTER_COUNT */
    qmd_set(qmd, 1567, 1536, program & UINT32_MAX);
    qmd_set(qmd, 1584, 1568, program >> 32);
}

static inline void rig_qmd(Rig *rig, uint64_t offset, const uint32_t qmd[64])
{
    memcpy(rig->mem + offset, qmd, 256);
}

static inline void push_launch(Push *p, uint64_t qmd_va)
{
    push(p, VGSP_SUBC_COMPUTE, NVC5C0_SEND_PCAS_A, (uint32_t)(qmd_va >> 8));
    push(p, VGSP_SUBC_COMPUTE, NVC5C0_SEND_SIGNALING_PCAS_B, 3);
}

/* A launch of a descriptor at qmd for the program at code. */
static inline void rig_launch(Rig *rig, Push *p, uint64_t qmd_offset,
                              uint64_t code_offset)
{
    uint32_t qmd[64];

    qmd_init(qmd, RIG_VA + code_offset);
    rig_qmd(rig, qmd_offset, qmd);
    push_launch(p, RIG_VA + qmd_offset);
}

#endif
