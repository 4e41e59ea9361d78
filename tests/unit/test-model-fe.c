/*
 * The model's front end: methods of the compute and the 3D class as sections
 * carry them (NVIDIA's clc5c0.h, clc597.h), launches and what they end with.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model-rig.h"

#define REPORT_REDUCTION(op)    (1u << 3 | (op) << 9)
#define REPORT_SIGNED           (1u << 17)
#define REPORT_AWAKEN           (1u << 20)
#define REPORT_ONLY             2u

static void assert_exception(Rig *rig, unsigned subchannel, uint32_t method,
                             uint32_t data, VgspException exc)
{
    struct vgsp_owner_fault f;
    Push p = { .count = 0 };
    uint32_t ctx;

    g_assert_cmpint(vgsp_model_context_new(rig->m, rig->space, &ctx), ==, 0);
    push(&p, subchannel, method, data);
    f = rig_run_fault(rig, ctx, &p, 5);
    g_assert_cmpint(f.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmphex(f.valid, ==, VGSP_OWNER_FAULT_HAS_TYPE |
                                 VGSP_OWNER_FAULT_HAS_METHOD);
    g_assert_cmpint(f.type, ==, exc);
    g_assert_cmphex(f.method, ==, subchannel << 16 | method);
    g_assert_cmphex(f.data, ==, data);
    g_assert_cmpuint(f.seq, ==, 5);
    g_assert_cmpint(vgsp_model_context_del(rig->m, ctx), ==, 0);
}

/* ---- Reports ---- */

static void test_release(void)
{
    uint64_t before, after;
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    memset(rig.mem + RIG_DATA, 0xee, 0x100);
    before = rig_clock(&rig);
    push_report(&p, VGSP_SUBC_COMPUTE, RIG_VA + RIG_DATA + 4, 0x12345678,
                REPORT_ONE_WORD);
    push_report(&p, VGSP_SUBC_COMPUTE, RIG_VA + RIG_DATA + 0x20, 0x9abcdef0,
                0);
    push_report(&p, VGSP_SUBC_3D, RIG_VA + RIG_DATA + 0x40, 0x11, 0);
    push_report(&p, VGSP_SUBC_3D, RIG_VA + RIG_DATA + 0x60, 0x22, REPORT_ONLY);
    push_report(&p, VGSP_SUBC_3D, RIG_VA + RIG_DATA + 0x80, 0x22,
                REPORT_ONLY | REPORT_ONE_WORD | 0x15 << 23);
    rig_run(&rig, rig.ctx, &p, 1);
    after = rig_clock(&rig);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 0xeeeeeeee);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 4), ==, 0x12345678);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 8), ==, 0xeeeeeeee);
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 0x20), ==, 0x9abcdef0);
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 0x28), >, before);
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 0x40), ==, 0x11);
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 0x48), >,
                    rig_peek64(&rig, RIG_DATA + 0x28));
    /* A timestamp query: report NONE is 0. */
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 0x60), ==, 0);
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 0x68), >,
                    rig_peek64(&rig, RIG_DATA + 0x48));
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 0x68), <, after);
    /* ZPASS_PIXEL_CNT64: no samples passed. */
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x80), ==, 0);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x84), ==, 0xeeeeeeee);
    g_assert_cmpuint(rig_count(&rig, RIG_INTERRUPT, rig.ctx), ==, 0);
    rig_exit(&rig);
}

static void test_reduction(void)
{
    static const struct {
        uint32_t op, flags, old, payload, result;
    } t[] = {
        { 0, 0, 0xffffffff, 3, 2 },                     /* ADD */
        { 1, 0, 0x80000000, 5, 5 },                     /* MIN */
        { 1, REPORT_SIGNED, 0x80000000, 5, 0x80000000 },
        { 2, 0, 0x80000000, 5, 0x80000000 },            /* MAX */
        { 2, REPORT_SIGNED, 0x80000000, 5, 5 },
        { 3, 0, 4, 5, 5 }, { 3, 0, 5, 5, 0 },           /* INC */
        { 4, 0, 0, 5, 5 }, { 4, 0, 6, 5, 5 }, { 4, 0, 5, 5, 4 }, /* DEC */
        { 5, 0, 0xff00ff00, 0x0ff00ff0, 0x0f000f00 },   /* AND */
        { 6, 0, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0 },   /* OR */
        { 7, 0, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0 },   /* XOR */
    };
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(t); i++) {
        rig_poke(&rig, RIG_DATA + i * 16, t[i].old);
        push_report(&p, VGSP_SUBC_COMPUTE, RIG_VA + RIG_DATA + i * 16,
                    t[i].payload, REPORT_REDUCTION(t[i].op) | t[i].flags |
                                  REPORT_ONE_WORD);
    }
    rig_run(&rig, rig.ctx, &p, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(t); i++) {
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + i * 16), ==, t[i].result);
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + i * 16 + 4), ==, 0);
    }
    rig_exit(&rig);
}

static void test_awaken(void)
{
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    push_report(&p, VGSP_SUBC_COMPUTE, RIG_VA + RIG_DATA, 1,
                REPORT_ONE_WORD | REPORT_AWAKEN);
    push_report(&p, VGSP_SUBC_3D, RIG_VA + RIG_DATA, 2, REPORT_AWAKEN);
    rig_run(&rig, rig.ctx, &p, 1);
    g_assert_cmpuint(rig_count(&rig, RIG_INTERRUPT, rig.ctx), ==, 2);
    rig_exit(&rig);
}

/* An acquire that a macro may emit: waits, and lets others run. */
static void test_acquire(void)
{
    Push p = { .count = 0 }, q = { .count = 0 };
    uint32_t other;
    Rig rig;

    rig_init(&rig, 1);
    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &other), ==, 0);
    push_report(&p, VGSP_SUBC_3D, RIG_VA + RIG_DATA, 7, 1);
    push_release(&p, RIG_DATA + 4, 1);
    push_report(&p, VGSP_SUBC_3D, RIG_VA + RIG_DATA, 5, 1 | 1 << 16);
    push_release(&p, RIG_DATA + 4, 2);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &p, 1), ==, 0);
    push_release(&q, RIG_DATA + 8, 1);
    rig_run(&rig, other, &q, 1);
    rig_poke(&rig, RIG_DATA, 8);
    g_usleep(2000);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 4), ==, 0);
    rig_poke(&rig, RIG_DATA, 7);
    rig_wait(&rig, RIG_COMPLETED, rig.ctx, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 4), ==, 2);
    rig_exit(&rig);
}

/* ---- Launches ---- */

static void test_launch(void)
{
    Push p = { .count = 0 };
    uint32_t qmd[64];
    Rig rig;

    rig_init(&rig, 2);
    rig_code_store(&rig, RIG_CODE, RIG_VA + RIG_DATA, 0x1234);
    qmd_init(qmd, RIG_VA + RIG_CODE);
    qmd_set(qmd, 138, 138, 1);          /* RELEASE0: four words */
    qmd_set(qmd, 767, 736, (uint32_t)(RIG_VA + RIG_DATA + 0x40));
    qmd_set(qmd, 775, 768, (RIG_VA + RIG_DATA + 0x40) >> 32);
    qmd_set(qmd, 831, 800, 0x5678);
    qmd_set(qmd, 139, 139, 1);          /* RELEASE1: one word, OR */
    qmd_set(qmd, 863, 832, (uint32_t)(RIG_VA + RIG_DATA + 0x40));
    qmd_set(qmd, 871, 864, (RIG_VA + RIG_DATA + 0x40) >> 32);
    qmd_set(qmd, 886, 884, 6);
    qmd_set(qmd, 890, 890, 1);
    qmd_set(qmd, 895, 895, 1);
    qmd_set(qmd, 927, 896, 0x80000000);
    rig_qmd(&rig, RIG_QMD, qmd);
    push_launch(&p, RIG_VA + RIG_QMD);
    /* The next method finds the grid complete. */
    push_report(&p, VGSP_SUBC_COMPUTE, RIG_VA + RIG_DATA, 1,
                REPORT_REDUCTION(0) | REPORT_ONE_WORD);
    rig_run(&rig, rig.ctx, &p, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 0x1235);
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 0x40), ==, 0x80005678);
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 0x48), >, 0x123456789a00);

    /* INVALIDATE alone does not launch; nor does an empty grid run. */
    rig_poke(&rig, RIG_DATA, 0);
    rig_poke(&rig, RIG_DATA + 0x40, 0);
    p.count = 0;
    push(&p, VGSP_SUBC_COMPUTE, NVC5C0_SEND_PCAS_A,
         (RIG_VA + RIG_QMD) >> 8);
    push(&p, VGSP_SUBC_COMPUTE, NVC5C0_SEND_SIGNALING_PCAS_B, 1);
    qmd_set(qmd, 415, 384, 0);
    qmd_set(qmd, 139, 139, 0);
    rig_qmd(&rig, RIG_QMD + 0x100, qmd);
    push_launch(&p, RIG_VA + RIG_QMD + 0x100);
    rig_run(&rig, rig.ctx, &p, 2);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 0);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x40), ==, 0x5678);
    rig_exit(&rig);
}

/* A runs B, B runs C; D waits for its own PCAS. */
static void test_dependent(void)
{
    uint32_t qmd[64];
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 2);
    for (unsigned i = 0; i < 4; i++) {
        rig_code_store(&rig, RIG_CODE + i * 0x100,
                       RIG_VA + RIG_DATA + i * 4, 1 + i);
        qmd_init(qmd, RIG_VA + RIG_CODE + i * 0x100);
        if (i < 3) {
            qmd_set(qmd, 141, 141, 1);
            qmd_set(qmd, 142, 142, 1);
            qmd_set(qmd, 511, 480, (RIG_VA + RIG_QMD + (i + 1) * 0x100) >> 8);
        } else {
            qmd_set(qmd, 140, 140, 1);
        }
        rig_qmd(&rig, RIG_QMD + i * 0x100, qmd);
    }
    push_launch(&p, RIG_VA + RIG_QMD);
    rig_run(&rig, rig.ctx, &p, 1);
    for (unsigned i = 0; i < 4; i++) {
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + i * 4), ==,
                        i < 3 ? 1 + i : 0);
    }
    p.count = 0;
    push_launch(&p, RIG_VA + RIG_QMD + 0x300);
    rig_run(&rig, rig.ctx, &p, 2);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 12), ==, 4);

    /* One that launches itself for ever is ended like a program. */
    qmd_init(qmd, RIG_VA + RIG_CODE);
    qmd_set(qmd, 141, 141, 1);
    qmd_set(qmd, 142, 142, 1);
    qmd_set(qmd, 511, 480, (RIG_VA + RIG_QMD) >> 8);
    rig_qmd(&rig, RIG_QMD, qmd);
    p.count = 0;
    push_launch(&p, RIG_VA + RIG_QMD);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &p, 3), ==, 0);
    g_usleep(5000);
    g_assert_cmpint(vgsp_model_context_kill(rig.m, rig.ctx,
                                            VGSP_OWNER_FAULT_TIMEOUT), ==, 0);
    g_assert_cmpuint(rig_wait(&rig, RIG_FAULT, rig.ctx, 0).fault.seq, ==, 3);
    rig_exit(&rig);
}

/*
 * A dependent grid that requires its own PCAS runs once for one, whichever
 * comes first.
 */
static void test_dependent_pcas(void)
{
    const uint64_t first = RIG_VA + RIG_QMD, second = first + 0x100;
    uint32_t qmd[64];
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    rig_code_store(&rig, RIG_CODE, RIG_VA + RIG_DATA, 1);
    qmd_init(qmd, RIG_VA + RIG_CODE);
    qmd_set(qmd, 141, 141, 1);
    qmd_set(qmd, 142, 142, 1);
    qmd_set(qmd, 511, 480, second >> 8);
    rig_qmd(&rig, RIG_QMD, qmd);
    qmd_init(qmd, RIG_VA + RIG_CODE);
    qmd_set(qmd, 140, 140, 1);
    /* It counts its runs: one word, plus 1. */
    qmd_set(qmd, 138, 138, 1);
    qmd_set(qmd, 767, 736, RIG_VA + RIG_DATA + 4);
    qmd_set(qmd, 775, 768, (RIG_VA + RIG_DATA + 4) >> 32);
    qmd_set(qmd, 794, 794, 1);
    qmd_set(qmd, 799, 799, 1);
    qmd_set(qmd, 831, 800, 1);
    rig_qmd(&rig, RIG_QMD + 0x100, qmd);

    push_launch(&p, first);
    rig_run(&rig, rig.ctx, &p, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 4), ==, 0);
    p.count = 0;
    push_launch(&p, second);
    rig_run(&rig, rig.ctx, &p, 2);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 4), ==, 1);

    p.count = 0;
    push_launch(&p, second);
    push_launch(&p, first);
    rig_run(&rig, rig.ctx, &p, 3);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 4), ==, 2);
    rig_exit(&rig);
}

/* The descriptor comes by methods, over what memory held. */
static void test_inline_qmd(void)
{
    const uint64_t at = RIG_VA + RIG_QMD;
    uint32_t qmd[64];
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    rig_code_store(&rig, RIG_CODE, RIG_VA + RIG_DATA, 0x77);
    memset(rig.mem + RIG_QMD, 0xff, 0x100);
    qmd_init(qmd, RIG_VA + RIG_CODE);
    push(&p, VGSP_SUBC_COMPUTE, NVC5C0_SET_INLINE_QMD_ADDRESS_A, at >> 40);
    push(&p, VGSP_SUBC_COMPUTE, NVC5C0_SET_INLINE_QMD_ADDRESS_B,
         (uint32_t)(at >> 8));
    for (unsigned i = 0; i < 64; i++) {
        push(&p, VGSP_SUBC_COMPUTE, NVC5C0_LOAD_INLINE_QMD_DATA(i), qmd[i]);
    }
    push_launch(&p, at);
    rig_run(&rig, rig.ctx, &p, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 0x77);
    g_assert_cmpmem(rig.mem + RIG_QMD, 256, qmd, sizeof(qmd));
    rig_exit(&rig);
}

/* A program in the first page of the space, and one that is not there. */
static void test_low_program(void)
{
    struct vgsp_owner_fault f;
    uint32_t qmd[64], ctx;
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &ctx), ==, 0);
    qmd_init(qmd, 0x300);
    rig_qmd(&rig, RIG_QMD, qmd);
    push_launch(&p, RIG_VA + RIG_QMD);
    f = rig_run_fault(&rig, ctx, &p, 1);
    g_assert_cmpint(f.kind, ==, VGSP_OWNER_FAULT_MMU);
    g_assert_cmphex(f.address, ==, 0x300);
    g_assert_cmphex(f.pc, ==, 0x300);

    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP, 0, 0x1000, 0, 0),
                    ==, 0);
    rig_code_store(&rig, 0x300, RIG_VA + RIG_DATA, 3);
    rig_run(&rig, rig.ctx, &p, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 3);
    rig_exit(&rig);
}

/* A descriptor is read at its launch: after what precedes it. */
static void test_qmd_patched(void)
{
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    rig_code_store(&rig, RIG_CODE, RIG_VA + RIG_DATA, 1);
    rig_code_store(&rig, RIG_CODE + 0x100, RIG_VA + RIG_DATA, 2);
    rig_launch(&rig, &p, RIG_QMD, RIG_CODE);
    p.count = 0;
    push_release(&p, RIG_QMD + 1536 / 8, (uint32_t)RIG_VA + RIG_CODE + 0x100);
    push_launch(&p, RIG_VA + RIG_QMD);
    rig_run(&rig, rig.ctx, &p, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 2);
    rig_exit(&rig);
}

/* ---- Render enable ---- */

static void push_render_enable(Push *p, unsigned subchannel, uint64_t offset,
                               uint32_t mode)
{
    push(p, subchannel, NVC597_SET_RENDER_ENABLE_A,
         (RIG_VA + offset) >> 32);
    push(p, subchannel, NVC597_SET_RENDER_ENABLE_B,
         (uint32_t)(RIG_VA + offset));
    push(p, subchannel, NVC597_SET_RENDER_ENABLE_C, mode);
}

static void test_render_enable(void)
{
    /* Values of two reports, mode, override; whether a launch happens. */
    static const struct {
        uint32_t lo, hi, next, mode, override;
        bool runs;
    } t[] = {
        { 0, 0, 0, NVC597_SET_RENDER_ENABLE_C_MODE_FALSE, 0, false },
        { 0, 0, 0, NVC597_SET_RENDER_ENABLE_C_MODE_TRUE, 0, true },
        { 0, 0, 0, NVC597_SET_RENDER_ENABLE_C_MODE_CONDITIONAL, 0, false },
        { 0, 1, 0, NVC597_SET_RENDER_ENABLE_C_MODE_CONDITIONAL, 0, true },
        { 5, 0, 5, NVC597_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL, 0, true },
        { 5, 1, 5, NVC597_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL, 0, false },
        { 5, 0, 5, NVC597_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL, 0,
          false },
        { 5, 1, 5, NVC597_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL, 0,
          true },
        { 0, 0, 0, NVC597_SET_RENDER_ENABLE_C_MODE_FALSE, 1, true },
        { 0, 0, 0, NVC597_SET_RENDER_ENABLE_C_MODE_TRUE, 2, false },
    };
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    rig_code_store(&rig, RIG_CODE, RIG_VA + RIG_DATA, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(t); i++) {
        rig_poke(&rig, RIG_DATA, 0);
        rig_poke(&rig, RIG_DATA + 0x100, t[i].lo);
        rig_poke(&rig, RIG_DATA + 0x104, t[i].hi);
        rig_poke(&rig, RIG_DATA + 0x110, t[i].next);
        p.count = 0;
        push_render_enable(&p, VGSP_SUBC_COMPUTE, RIG_DATA + 0x100, t[i].mode);
        push(&p, VGSP_SUBC_COMPUTE, NVC597_SET_RENDER_ENABLE_OVERRIDE,
             t[i].override);
        rig_launch(&rig, &p, RIG_QMD, RIG_CODE);
        rig_run(&rig, rig.ctx, &p, 1 + i);
        g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, t[i].runs);
    }
    rig_exit(&rig);
}

/* ---- 3D ---- */

static void test_constant_buffer(void)
{
    const uint64_t va = RIG_VA + RIG_DATA;
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    push(&p, VGSP_SUBC_3D, NVC597_SET_CONSTANT_BUFFER_SELECTOR_A, 0x100);
    push(&p, VGSP_SUBC_3D, NVC597_SET_CONSTANT_BUFFER_SELECTOR_B, va >> 32);
    push(&p, VGSP_SUBC_3D, NVC597_SET_CONSTANT_BUFFER_SELECTOR_C,
         (uint32_t)va);
    push(&p, VGSP_SUBC_3D, NVC597_LOAD_CONSTANT_BUFFER_OFFSET, 0xf4);
    for (unsigned i = 0; i < 4; i++) {
        push(&p, VGSP_SUBC_3D, NVC597_LOAD_CONSTANT_BUFFER(i), 0xa0 + i);
    }
    rig_run(&rig, rig.ctx, &p, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0xf0), ==, 0);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0xf4), ==, 0xa0);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0xf8), ==, 0xa1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0xfc), ==, 0xa2);
    /* Beyond the buffer. */
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x100), ==, 0);
    rig_exit(&rig);
}

/* ---- What both classes have besides ---- */

/* CUDA's way to patch constants: the compute class's own I2M block. */
static void test_inline_to_memory(void)
{
    const uint64_t va = RIG_VA + RIG_DATA;
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    rig_code_store(&rig, RIG_CODE, va + 0x100, 5);
    memset(rig.mem + RIG_DATA, 0xee, 16);
    push(&p, VGSP_SUBC_COMPUTE, 0x0180, 10);            /* LINE_LENGTH_IN */
    push(&p, VGSP_SUBC_COMPUTE, 0x0184, 1);             /* LINE_COUNT */
    push(&p, VGSP_SUBC_COMPUTE, 0x0188, va >> 32);      /* OFFSET_OUT */
    push(&p, VGSP_SUBC_COMPUTE, 0x018c, (uint32_t)va);
    push(&p, VGSP_SUBC_COMPUTE, 0x01b0, 0x1011);        /* LAUNCH_DMA */
    push(&p, VGSP_SUBC_COMPUTE, 0x01b4, 0x03020100);    /* LOAD_INLINE_DATA */
    push(&p, VGSP_SUBC_COMPUTE, 0x01b4, 0x07060504);
    push(&p, VGSP_SUBC_COMPUTE, 0x01b4, 0x0b0a0908);
    rig_launch(&rig, &p, RIG_QMD, RIG_CODE);
    rig_run(&rig, rig.ctx, &p, 1);
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA), ==, 0x0706050403020100);
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 8), ==, 0xeeeeeeeeeeee0908);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x100), ==, 5);
    rig_exit(&rig);
}

/*
 * SET_FALCON04 as NVK sends it: value and mask in scratch 1 and 2, the datum
 * is the register. Bit 14 of that one masks accesses out of range.
 */
static void test_falcon(void)
{
    /* STS [R0], R2 far beyond the CTA's shared memory. */
    const RigInsn code[] = {
        MOV_IMM(0, 0x10000), MOV_IMM(2, 1),
        { UINT64_C(0x0000000200007388), UINT64_C(0x000fe80000004800) },
        EXIT_INSN,
    };
    struct vgsp_owner_fault f;
    uint32_t ctx;
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    rig_code(&rig, RIG_CODE, code, G_N_ELEMENTS(code));
    rig_launch(&rig, &p, RIG_QMD, RIG_CODE);
    f = rig_run_fault(&rig, rig.ctx, &p, 1);
    g_assert_cmpint(f.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmpint(f.type, ==, VGSP_EXC_OUT_OF_RANGE_ADDRESS);
    g_assert_cmphex(f.pc, ==, RIG_VA + RIG_CODE + 0x20);

    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &ctx), ==, 0);
    p.count = 0;
    push(&p, VGSP_SUBC_3D, NVC597_SET_MME_SHADOW_SCRATCH(0), 0);
    push(&p, VGSP_SUBC_3D, NVC597_SET_MME_SHADOW_SCRATCH(1), 1 << 14);
    push(&p, VGSP_SUBC_3D, NVC597_SET_MME_SHADOW_SCRATCH(2), 1 << 14);
    push(&p, VGSP_SUBC_3D, NVC597_SET_FALCON(4), 0x419ea8);
    push_launch(&p, RIG_VA + RIG_QMD);
    rig_run(&rig, ctx, &p, 1);

    /* And back: a masked write of 0. */
    push(&p, VGSP_SUBC_3D, NVC597_SET_MME_SHADOW_SCRATCH(1), 0);
    push(&p, VGSP_SUBC_3D, NVC597_SET_FALCON(4), 0x419ea8);
    push_launch(&p, RIG_VA + RIG_QMD);
    f = rig_run_fault(&rig, ctx, &p, 2);
    g_assert_cmpint(f.type, ==, VGSP_EXC_OUT_OF_RANGE_ADDRESS);
    rig_exit(&rig);
}

/* ---- Errors ---- */

static void test_errors(void)
{
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    /* SET_OBJECT checks; the mapping itself is fixed. */
    push(&p, VGSP_SUBC_3D, 0, TURING_A);
    push(&p, VGSP_SUBC_COMPUTE, 0, TURING_COMPUTE_A | 1 << 16);
    push(&p, VGSP_SUBC_I2M, 0, KEPLER_INLINE_TO_MEMORY_B);
    push(&p, VGSP_SUBC_2D, 0, FERMI_TWOD_A);
    rig_run(&rig, rig.ctx, &p, 1);
    assert_exception(&rig, VGSP_SUBC_3D, 0, TURING_COMPUTE_A,
                     VGSP_EXC_ILLEGAL_CLASS);
    assert_exception(&rig, VGSP_SUBC_COMPUTE, 0, 0xc3c0,
                     VGSP_EXC_ILLEGAL_CLASS);
    assert_exception(&rig, VGSP_SUBC_COMPUTE, 0x0160, 3,
                     VGSP_EXC_ILLEGAL_METHOD);
    assert_exception(&rig, VGSP_SUBC_3D, 0x3ff8 - 0x1000, 3,
                     VGSP_EXC_ILLEGAL_METHOD);
    assert_exception(&rig, 4, 0x0100, 0, VGSP_EXC_ILLEGAL_METHOD);
    assert_exception(&rig, 7, 0x0100, 0, VGSP_EXC_ILLEGAL_METHOD);
    assert_exception(&rig, VGSP_SUBC_3D, NVC597_BEGIN, 4,
                     VGSP_EXC_NOT_MODELLED);
    assert_exception(&rig, VGSP_SUBC_3D, NVC597_SET_RENDER_ENABLE_C, 5,
                     VGSP_EXC_ILLEGAL_DATA);
    assert_exception(&rig, VGSP_SUBC_COMPUTE, NVC5C0_SET_REPORT_SEMAPHORE_D,
                     3, VGSP_EXC_NOT_MODELLED);
    assert_exception(&rig, VGSP_SUBC_COMPUTE, NVC5C0_SET_REPORT_SEMAPHORE_D,
                     2, VGSP_EXC_ILLEGAL_DATA);
    /* GH100 silicon: INC and DEC of signed numbers are class errors. */
    assert_exception(&rig, VGSP_SUBC_3D, NVC597_SET_REPORT_SEMAPHORE_D,
                     0x10020608, VGSP_EXC_ILLEGAL_DATA);
    assert_exception(&rig, VGSP_SUBC_COMPUTE, NVC5C0_SET_REPORT_SEMAPHORE_D,
                     0x10020808, VGSP_EXC_ILLEGAL_DATA);
    assert_exception(&rig, VGSP_SUBC_COMPUTE, NVC5C0_SEND_PCAS_B, 1,
                     VGSP_EXC_NOT_MODELLED);
    assert_exception(&rig, VGSP_SUBC_3D, NVC597_SET_FALCON(5), 1,
                     VGSP_EXC_NOT_MODELLED);
    assert_exception(&rig, VGSP_SUBC_COMPUTE, NVC5C0_SET_FALCON(31), 1,
                     VGSP_EXC_NOT_MODELLED);

    /* A draw that is not rendered draws nothing. */
    p.count = 0;
    push(&p, VGSP_SUBC_3D, NVC597_SET_RENDER_ENABLE_C, 0);
    push(&p, VGSP_SUBC_3D, NVC597_BEGIN, 4);
    rig_run(&rig, rig.ctx, &p, 2);
    rig_exit(&rig);
}

/* What is not a section: its words are named. */
static void test_malformed(void)
{
    static const uint32_t t[] = {
        0x20010040,                     /* INC, no data */
        0x00000001,                     /* legacy header */
        0xc0000000, 0xe0000000,         /* reserved, END_PB_SEGMENT */
    };
    Rig rig;

    rig_init(&rig, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(t); i++) {
        struct vgsp_owner_fault f;
        Push p = { .words = { 0, t[i] }, .count = 2 };
        uint32_t ctx;

        g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &ctx), ==, 0);
        f = rig_run_fault(&rig, ctx, &p, 1);
        g_assert_cmpint(f.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
        g_assert_cmpint(f.type, ==, VGSP_EXC_ILLEGAL_DATA);
        g_assert_cmphex(f.data, ==, t[i]);
    }
    rig_exit(&rig);
}

/* A descriptor that SKED refuses, and one that is not there. */
static void test_bad_launch(void)
{
    struct vgsp_owner_fault f;
    uint32_t qmd[64], ctx;
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    qmd_init(qmd, RIG_VA + RIG_CODE);
    qmd_set(qmd, 583, 580, 5);          /* QMD_MAJOR_VERSION */
    rig_qmd(&rig, RIG_QMD, qmd);
    push_launch(&p, RIG_VA + RIG_QMD);
    f = rig_run_fault(&rig, rig.ctx, &p, 1);
    g_assert_cmpint(f.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmpint(f.type, ==, VGSP_EXC_SKED);
    g_assert_cmphex(f.method, ==, VGSP_SUBC_COMPUTE << 16 |
                                  NVC5C0_SEND_SIGNALING_PCAS_B);

    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &ctx), ==, 0);
    p.count = 0;
    push_launch(&p, 0x1000);
    f = rig_run_fault(&rig, ctx, &p, 1);
    g_assert_cmpint(f.kind, ==, VGSP_OWNER_FAULT_MMU);
    g_assert_cmphex(f.address, ==, 0x1000);
    g_assert_cmphex(f.access, ==, VGSP_GMMU_ACCESS_READ);
    rig_exit(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/model/fe/release", test_release);
    g_test_add_func("/model/fe/reduction", test_reduction);
    g_test_add_func("/model/fe/awaken", test_awaken);
    g_test_add_func("/model/fe/acquire", test_acquire);
    g_test_add_func("/model/fe/launch", test_launch);
    g_test_add_func("/model/fe/dependent", test_dependent);
    g_test_add_func("/model/fe/dependent-pcas", test_dependent_pcas);
    g_test_add_func("/model/fe/inline-qmd", test_inline_qmd);
    g_test_add_func("/model/fe/qmd-patched", test_qmd_patched);
    g_test_add_func("/model/fe/low-program", test_low_program);
    g_test_add_func("/model/fe/render-enable", test_render_enable);
    g_test_add_func("/model/fe/constant-buffer", test_constant_buffer);
    g_test_add_func("/model/fe/inline-to-memory", test_inline_to_memory);
    g_test_add_func("/model/fe/falcon", test_falcon);
    g_test_add_func("/model/fe/errors", test_errors);
    g_test_add_func("/model/fe/malformed", test_malformed);
    g_test_add_func("/model/fe/bad-launch", test_bad_launch);
    return g_test_run();
}
