/*
 * What tests of the SM share: instructions built from the bit positions of
 * exec-facts section 8, a small address space, and a launch without a front
 * end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_SM75_FIXTURE_H
#define TESTS_UNIT_SM75_FIXTURE_H

#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include "model/grid.h"
#include "model/space.h"

/* ---- Instructions ---- */

typedef struct Word {
    uint64_t w[2];
} Word;

static inline Word put(Word i, unsigned lo, unsigned width, uint64_t v)
{
    for (unsigned n = 0; n < width; n++) {
        i.w[(lo + n) / 64] &= ~(UINT64_C(1) << (lo + n) % 64);
        i.w[(lo + n) / 64] |= (v >> n & 1) << (lo + n) % 64;
    }
    return i;
}

enum { RZ = 255, PT = 7, NOT = 8 /* a predicate, inverted */ };

/* An instruction whose guard and condition (89:87) are PT. */
static inline Word op(unsigned code)
{
    Word i = { { 0, 0 } };

    return put(put(put(i, 0, 12, code), 12, 4, PT), 87, 4, PT);
}

/* The same without a condition there. */
static inline Word op0(unsigned code)
{
    return put(op(code), 87, 4, 0);
}

/* @p instruction */
static inline Word at(unsigned p, Word i)
{
    return put(i, 12, 4, p);
}

/* instruction p, ...: the condition of control flow */
static inline Word when(unsigned p, Word i)
{
    return put(i, 87, 4, p);
}

static inline Word mov(unsigned d, uint32_t imm)
{
    return put(put(put(op0(0x802), 16, 8, d), 32, 32, imm), 72, 4, 0xf);
}

static inline Word mov_r(unsigned d, unsigned r)
{
    return put(put(put(op0(0x202), 16, 8, d), 32, 8, r), 72, 4, 0xf);
}

static inline Word mov_c(unsigned d, unsigned bank, unsigned offset)
{
    return put(put(put(put(op0(0xa02), 16, 8, d), 38, 16, offset),
                   54, 5, bank), 72, 4, 0xf);
}

enum {
    SR_LANEID = 0x00, SR_TID_X = 0x21, SR_TID_Y = 0x22, SR_TID_Z = 0x23,
    SR_CTAID_X = 0x25, SR_CTAID_Y = 0x26, SR_CTAID_Z = 0x27,
};

static inline Word s2r(unsigned d, unsigned sr)
{
    return put(put(op0(0x919), 16, 8, d), 72, 8, sr);
}

/* d = a + b + c: no carries */
static inline Word iadd3(unsigned d, unsigned a, unsigned b, unsigned c)
{
    return put(put(put(put(put(put(put(op(0x210), 16, 8, d), 24, 8, a),
                                   32, 8, b), 64, 8, c), 81, 6, 0x3f),
                   87, 4, PT | NOT), 77, 4, PT | NOT);
}

static inline Word iadd_i(unsigned d, unsigned a, uint32_t imm)
{
    return put(put(iadd3(d, a, 0, RZ), 9, 3, 4), 32, 32, imm);
}

/* d = a * b + c, 32 bits */
static inline Word imad_i(unsigned d, unsigned a, uint32_t b, unsigned c)
{
    return put(put(put(put(put(op0(0x824), 16, 8, d), 24, 8, a), 32, 32, b),
                   64, 8, c), 81, 3, PT);
}

/* d:d+1 = a * b + c:c+1 */
static inline Word imad_wide_i(unsigned d, unsigned a, uint32_t b, unsigned c)
{
    return put(imad_i(d, a, b, c), 0, 9, 0x25);
}

enum { LT = 1, EQ, LE, GT, NE, GE };

/* p = a <cmp> imm, unsigned */
static inline Word isetp_i(unsigned p, unsigned a, unsigned cmp, uint32_t imm)
{
    return put(put(put(put(put(put(op(0x80c), 24, 8, a), 32, 32, imm),
                           76, 3, cmp), 81, 3, p), 84, 3, PT), 68, 4, PT);
}

static inline Word fadd(unsigned d, unsigned a, unsigned b)
{
    return put(put(put(op0(0x221), 16, 8, d), 24, 8, a), 32, 8, b);
}

/* The byte offset from the next instruction to one n further. */
static inline Word jump(Word i, int n)
{
    return put(i, 32, 50, (uint64_t)((int64_t)n * 16 - 16));
}

static inline Word bra(int n)
{
    return jump(put(op(0x947), 82, 5, 0), n);
}

static inline Word bssy(unsigned b, int n)
{
    return put(put(op(0x945), 32, 32, (uint32_t)(n * 16 - 16)), 16, 4, b);
}

static inline Word bsync(unsigned b)
{
    return put(op(0x941), 16, 4, b);
}

static inline Word brk(unsigned b)
{
    return put(op(0x942), 16, 4, b);
}

static inline Word exit_(void)
{
    return op(0x94d);
}

static inline Word bar_sync(void)
{
    return op(0xb1d);
}

enum { U8, S8, U16, S16, B32, B64, B128 };

/* d = [a:a+1 + offset] */
static inline Word ldg(unsigned d, unsigned a, int offset, unsigned type)
{
    return put(put(put(put(put(put(put(op0(0x381), 16, 8, d), 24, 8, a),
                                   40, 24, (uint32_t)offset), 72, 1, 1),
                           73, 3, type), 79, 2, 2), 81, 3, PT);
}

static inline Word stg(unsigned a, int offset, unsigned v, unsigned type)
{
    return put(put(put(put(put(put(op0(0x386), 32, 8, v), 24, 8, a),
                           40, 24, (uint32_t)offset), 72, 1, 1),
                   73, 3, type), 79, 2, 2);
}

static inline Word lds(unsigned d, unsigned a, int offset, unsigned type)
{
    return put(put(put(put(op0(0x984), 16, 8, d), 24, 8, a),
                   40, 24, (uint32_t)offset), 73, 3, type);
}

static inline Word sts(unsigned a, int offset, unsigned v, unsigned type)
{
    return put(put(put(put(op0(0x388), 32, 8, v), 24, 8, a),
                   40, 24, (uint32_t)offset), 73, 3, type);
}

/* Ballot of the lanes that execute it with predicate p true. */
static inline Word ballot(unsigned d, unsigned p)
{
    return when(p, put(put(put(op(0x806), 16, 8, d), 72, 2, 1), 81, 3, PT));
}

/* UR d = imm */
static inline Word umov(unsigned d, uint32_t imm)
{
    return put(put(op0(0x882), 16, 6, d), 32, 32, imm);
}

enum { ADD, MIN, MAX, INC, DEC, AND, OR, XOR, EXCH };
enum { ATOM_U32, ATOM_S32, ATOM_U64, ATOM_F32, ATOM_F16X2, ATOM_S64,
       ATOM_F64 };

/* d = atomically [a:a+1] <op> v */
static inline Word atomg(unsigned d, unsigned a, unsigned v, unsigned what,
                         unsigned type)
{
    return put(put(put(put(put(put(put(put(op0(0x3a8), 16, 8, d), 24, 8, a),
                                       32, 8, v), 72, 1, 1), 73, 3, type),
                       79, 2, 2), 81, 3, PT), 87, 4, what);
}

/* d = [a:a+1], which becomes v if it was c */
static inline Word atomg_cas(unsigned d, unsigned a, unsigned c, unsigned v,
                             unsigned type)
{
    return put(put(put(put(put(put(put(put(op0(0x3a9), 16, 8, d), 24, 8, a),
                                       32, 8, c), 64, 8, v), 72, 1, 1),
                       73, 3, type), 79, 2, 2), 81, 3, PT);
}

/* ---- A space with 1 MiB of memory at MEM ---- */

#define MEM_SIZE        (1u << 20)
#define MEM             UINT64_C(0x120000000)
#define CODE            (MEM + 0x80000)         /* programs */
#define BANK            (MEM + 0xc0000)         /* constant bank 0 */
#define SPARSE          UINT64_C(0x200000000)   /* 64 KiB */
#define READ_ONLY       UINT64_C(0x210000000)   /* the first 64 KiB again */

typedef struct Fixture {
    VgspModel *model;
    VgspSpace *space;
    GHashTable *memories;
    VgspMemory memory;
    uint8_t *host;
    VgspWorker worker[8];
    unsigned num_workers;
    VgspQmd qmd;
    VgspGridState state;
    struct vgsp_owner_fault fault;
} Fixture;

static uint64_t fixture_clock(void *opaque)
{
    static uint64_t ns;

    (void)opaque;
    return __atomic_add_fetch(&ns, 32, __ATOMIC_RELAXED);
}

static void fixture_no_fault(void *opaque, const struct vgsp_owner_fault *f)
{
    (void)opaque;
    (void)f;
}

static const VgspModelOps fixture_ops = {
    .clock_ns = fixture_clock,
    .fault = fixture_no_fault,
};

static inline void map(Fixture *f, uint64_t va, uint64_t size, unsigned kind,
                       unsigned flags)
{
    struct vgsp_owner_map_op m = {
        .op = kind, .va = va, .size = size, .memory = 1, .flags = flags,
    };

    g_assert_cmpint(vgsp_space_check(f->memories, &m, 1), ==, 0);
    vgsp_space_apply(f->space, f->memories, &m, 1);
}

static inline Fixture *fixture_new(unsigned workers)
{
    Fixture *f = g_new0(Fixture, 1);
    VgspModelConfig config = {
        .chip = &vgsp_chip_tu104, .threads = 1, .ops = &fixture_ops,
    };

    f->model = vgsp_model_new(&config);
    f->host = aligned_alloc(4096, MEM_SIZE);
    memset(f->host, 0, MEM_SIZE);
    f->memory = (VgspMemory) { .id = 1, .host = f->host, .size = MEM_SIZE };
    f->memories = g_hash_table_new(NULL, NULL);
    g_hash_table_insert(f->memories, GUINT_TO_POINTER(1), &f->memory);
    f->space = vgsp_space_new(&fixture_ops, NULL);
    map(f, MEM, MEM_SIZE, VGSP_OWNER_MAP, 0);
    map(f, SPARSE, 0x10000, VGSP_OWNER_SPARSE, 0);
    map(f, READ_ONLY, 0x10000, VGSP_OWNER_MAP, VGSP_OWNER_MAP_READ_ONLY);
    f->num_workers = workers;
    for (unsigned i = 0; i < workers; i++) {
        f->worker[i].model = f->model;
        f->worker[i].sm = vgsp_sm_new(f->model);
        vgsp_mmu_init(&f->worker[i].mmu);
        vgsp_mmu_enter(&f->worker[i].mmu, f->space);
    }
    f->qmd = (VgspQmd) {
        .grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .registers = 64,
        .program = CODE, .cbuf[0] = { .va = BANK, .size = 0x1000 },
    };
    f->state = (VgspGridState) {
        .shared_window = 0xfe000000, .local_window = 0xff000000,
    };
    return f;
}

static inline void fixture_free(Fixture *f)
{
    for (unsigned i = 0; i < f->num_workers; i++) {
        vgsp_sm_free(f->worker[i].sm);
    }
    vgsp_space_free(f->space);
    g_hash_table_unref(f->memories);
    vgsp_model_free(f->model);
    free(f->host);
    g_free(f);
}

static inline uint32_t *words(Fixture *f, uint64_t va)
{
    return (uint32_t *)(f->host + (va - MEM));
}

static inline void load_code(Fixture *f, const Word *code, unsigned n)
{
    memcpy(words(f, CODE), code, n * sizeof(*code));
}

#define LOAD(f, ...)                                                        \
    do {                                                                    \
        const Word code_[] = { __VA_ARGS__ };                               \
        load_code(f, code_, G_N_ELEMENTS(code_));                                \
    } while (0)

/* Slices of one worker until the grid is done; at most max of them. */
static inline bool run_slices(VgspGrid *g, VgspWorker *w, unsigned max)
{
    while (max-- && !vgsp_grid_done(g)) {
        if (!vgsp_grid_run(g, w)) {
            g_usleep(50);
        }
    }
    return vgsp_grid_done(g);
}

typedef struct FixtureThread {
    VgspGrid *grid;
    VgspWorker *worker;
} FixtureThread;

static inline gpointer fixture_thread(gpointer opaque)
{
    FixtureThread *t = opaque;

    run_slices(t->grid, t->worker, UINT_MAX);
    return NULL;
}

/* Launches f->qmd and runs it on all workers. False: f->fault says why. */
static inline bool launch(Fixture *f)
{
    VgspGrid *g = vgsp_grid_new(f->model, &f->qmd, &f->state);
    FixtureThread t[G_N_ELEMENTS(f->worker)];
    GThread *threads[G_N_ELEMENTS(f->worker)];
    bool failed;

    for (unsigned i = 1; i < f->num_workers; i++) {
        t[i] = (FixtureThread) { g, &f->worker[i] };
        threads[i] = g_thread_new("worker", fixture_thread, &t[i]);
    }
    run_slices(g, &f->worker[0], UINT_MAX);
    for (unsigned i = 1; i < f->num_workers; i++) {
        g_thread_join(threads[i]);
    }
    g_assert_true(vgsp_grid_done(g));
    failed = vgsp_grid_failed(g, &f->fault);
    vgsp_grid_free(g);
    return !failed;
}

/* As above, and any failure is one of the test. */
static inline void launch_ok(Fixture *f)
{
    if (!launch(f)) {
        g_error("grid failed: kind %u type %u pc %" G_GINT64_MODIFIER "x insn "
                "%" G_GINT64_MODIFIER "x %" G_GINT64_MODIFIER "x address %"
                G_GINT64_MODIFIER "x", f->fault.kind, f->fault.type,
                (guint64)f->fault.pc, (guint64)f->fault.insn[1],
                (guint64)f->fault.insn[0], (guint64)f->fault.address);
    }
}

/* R0 = lane, R2:R3 = MEM + 4 * linear thread of the block (x only). */
#define PROLOGUE                                                            \
    s2r(0, SR_TID_X), mov(2, (uint32_t)MEM), mov(3, MEM >> 32),             \
    imad_wide_i(2, 0, 4, 2)

#endif
