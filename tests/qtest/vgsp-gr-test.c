/*
 * Graphics and compute work of channels, on the model: uploads, reports, a
 * grid, their order with Host and with the copy engine, and what ends it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-gr.h"
#include "vgsp/chip.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/dev_vm.h"
#include "vgsp/nv/i2m.h"
#include "vgsp/nv/threed.h"

#define SEM_EXECUTE(op)     NVC46F_SEM_EXECUTE_OPERATION_##op
#define REPORT(op)          NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_##op
#define ONE_WORD            NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE

static void gr_channel(VgspChBench *b, VgspCh *c, uint32_t chid)
{
    vgsp_ch_new(&b->s, c, chid, NV2080_ENGINE_TYPE_GR0, 512, false);
    vgsp_gr_objects(c);
}

static uint32_t rd(VgspChBench *b, uint32_t offset)
{
    return qtest_readl(b->q->qts, b->s.ram + offset);
}

static void wr(VgspChBench *b, uint32_t offset, uint32_t v)
{
    qtest_writel(b->q->qts, b->s.ram + offset, v);
}

/* A report semaphore of 3D or compute. */
static void report(VgspCh *c, unsigned subch, uint64_t va, uint32_t payload,
                   uint32_t d)
{
    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_INC_METHOD, subch,
                   NVC597_SET_REPORT_SEMAPHORE_A, 4);
    vgsp_ch_word(c, va >> 32);
    vgsp_ch_word(c, va);
    vgsp_ch_word(c, payload);
    vgsp_ch_word(c, d);
}

/* ---- Work ---- */

static void test_report(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    gr_channel(b, &c, 3);
    for (int i = 0; i < 16; i++) {
        wr(b, DATA + 4 * i, 0x55555555);
    }
    report(&c, SUBC_3D, VA(DATA), 0x11, REPORT(RELEASE) | ONE_WORD);
    report(&c, SUBC_COMPUTE, VA(DATA + 0x10), 0x22, REPORT(RELEASE));
    vgsp_ch_sync(&c);
    g_assert_cmphex(rd(b, DATA), ==, 0x11);
    g_assert_cmphex(rd(b, DATA + 4), ==, 0x55555555);
    g_assert_cmphex(rd(b, DATA + 0x10), ==, 0x22);
    g_assert_cmphex(rd(b, DATA + 0x14), ==, 0);
    g_assert_cmphex(rd(b, DATA + 0x18), !=, 0x55555555);
    g_assert_cmphex(rd(b, DATA + 0x20), ==, 0x55555555);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

static void test_upload(void)
{
    static const unsigned subch[] = { SUBC_3D, SUBC_COMPUTE, SUBC_I2M };
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    gr_channel(b, &c, 3);
    for (unsigned i = 0; i < ARRAY_SIZE(subch); i++) {
        vgsp_gr_upload(&c, subch[i], VA(DATA + 4 * i), 0xcafe0000 + i);
    }
    vgsp_ch_sync(&c);
    for (unsigned i = 0; i < ARRAY_SIZE(subch); i++) {
        g_assert_cmphex(rd(b, DATA + 4 * i), ==, 0xcafe0000 + i);
    }
    g_assert_cmpuint(b->rc.events, ==, 0);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* Assembled by hand: each word's fields are in exec-facts section 8. */
static void test_vector_add(void)
{
    const uint64_t code[][2] = {
        { 0x0000000000007919, 0x0000000000002100 }, /* S2R R0, SR_TID.X */
        { 0x0000000000027802 | VA(VECTORS) << 32,   /* MOV R2, lo */
          0x0000000000000f00 },
        { 0x0000000000037802 | VA(VECTORS) >> 32 << 32, /* MOV R3, hi */
          0x0000000000000f00 },
        /* IMAD.WIDE R2, R0, 4, R2 */
        { 0x0000000400027825, 0x00000000000e0002 },
        { 0x0000000002047381, 0x00000000000f0900 }, /* LDG R4, [R2] */
        { 0x0001000002057381, 0x00000000000f0900 }, /* LDG R5, [R2+0x100] */
        { 0x0000000504067210, 0x0000000007ffe0ff }, /* IADD3 R6, R4, R5, RZ */
        { 0x0002000602007386, 0x0000000000010900 }, /* STG [R2+0x200], R6 */
        { 0x000000000000794d, 0x0000000003800000 }, /* EXIT */
    };
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    gr_channel(b, &c, 3);
    for (uint32_t i = 0; i < 64; i++) {
        wr(b, VECTORS + 4 * i, 1000 * i);
        wr(b, VECTORS + 0x100 + 4 * i, 7 * i + 1);
        wr(b, VECTORS + 0x200 + 4 * i, 0x77777777);
    }
    vgsp_gr_launch(b, &c, code, ARRAY_SIZE(code), 48);
    vgsp_ch_sync(&c);
    g_assert_cmpuint(b->rc.events, ==, 0);
    for (uint32_t i = 0; i < 64; i++) {
        g_assert_cmphex(rd(b, VECTORS + 0x200 + 4 * i), ==,
                        i < 48 ? 1007 * i + 1 : 0x77777777);
    }
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* A run of one header that is longer than a section and than a segment. */
static void test_long_run(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    const uint32_t words = 6000;
    VgspCh c;

    gr_channel(b, &c, 3);
    vgsp_ch_header(&c, NVC46F_DMA_SEC_OP_INC_METHOD, SUBC_I2M,
                   NVA140_LINE_LENGTH_IN, 4);
    vgsp_ch_word(&c, 4 * words);
    vgsp_ch_word(&c, 1);
    vgsp_ch_word(&c, VA(DATA) >> 32);
    vgsp_ch_word(&c, VA(DATA));
    vgsp_ch_method(&c, SUBC_I2M, NVA140_LAUNCH_DMA,
                   NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT |
                   NVA140_LAUNCH_DMA_SEMAPHORE_STRUCT_SIZE);
    vgsp_ch_header(&c, NVC46F_DMA_SEC_OP_NON_INC_METHOD, SUBC_I2M,
                   NVA140_LOAD_INLINE_DATA, words);
    for (uint32_t i = 0; i < words; i++) {
        if (i % 1000 == 0) {
            vgsp_ch_entry(&c, 0);
        }
        vgsp_ch_word(&c, i * 3);
    }
    vgsp_ch_sync(&c);
    for (uint32_t i = 0; i < words; i += 61) {
        g_assert_cmphex(rd(b, DATA + 4 * i), ==, i * 3);
    }
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* ---- Order ---- */

/* GR, copy engine, GR, copy engine: no semaphore between them. */
static void test_copy_order(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    gr_channel(b, &c, 3);
    for (uint32_t i = 0; i < 200; i++) {
        vgsp_gr_upload(&c, SUBC_I2M, VA(DATA), i + 1);
        vgsp_gr_copy_word(&c, VA(DATA), VA(DATA + 0x1000 + 4 * i));
    }
    vgsp_ch_sync(&c);
    for (uint32_t i = 0; i < 200; i++) {
        g_assert_cmphex(rd(b, DATA + 0x1000 + 4 * i), ==, i + 1);
    }
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/*
 * Host's acquire of what GR releases before it, in one push; a release with
 * WFI and SET_REFERENCE come after the work before them.
 */
static void test_host_order(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    gr_channel(b, &c, 3);
    for (uint32_t i = 1; i <= 100; i++) {
        report(&c, SUBC_3D, VA(DATA), i, REPORT(RELEASE) | ONE_WORD);
        vgsp_ch_sem(&c, VA(DATA), i, SEM_EXECUTE(ACQUIRE));
        vgsp_gr_upload(&c, SUBC_COMPUTE, VA(DATA + 4), i);
        vgsp_ch_method(&c, 0, NVC46F_SET_REFERENCE, i);
    }
    vgsp_ch_sync(&c);
    g_assert_cmphex(rd(b, DATA + 4), ==, 100);
    g_assert_cmphex(vgsp_ch_userd(&c, NV_RAMUSERD_REF), ==, 100);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* FE's acquire parks its channel and no other; a CPU's write wakes it. */
static void test_acquire(void)
{
    static const struct {
        uint32_t d, before, after;
    } cases[] = {
        { 0, 6, 7 },
        { NVC597_SET_REPORT_SEMAPHORE_D_COMPARISON, 6, 9 },
    };
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c, other;

    gr_channel(b, &c, 3);
    gr_channel(b, &other, 4);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        wr(b, DATA, cases[i].before);
        wr(b, DATA + 4, 0);
        report(&c, SUBC_3D, VA(DATA), 7,
               REPORT(ACQUIRE) | ONE_WORD | cases[i].d);
        vgsp_gr_upload(&c, SUBC_3D, VA(DATA + 4), 1);
        vgsp_ch_kick(&c);
        vgsp_gr_upload(&other, SUBC_3D, VA(DATA + 8), i + 1);
        vgsp_ch_sync(&other);
        g_assert_cmphex(rd(b, DATA + 8), ==, i + 1);
        /* The watchdog's time passes: waiting is no work. */
        vgsp_qos_step_us(b->q, 30 * 1000 * 1000);
        g_assert_cmphex(rd(b, DATA + 4), ==, 0);
        wr(b, DATA, cases[i].after);
        vgsp_ch_sync(&c);
        g_assert_cmphex(rd(b, DATA + 4), ==, 1);
    }
    g_assert_cmpuint(b->rc.events, ==, 0);
    vgsp_ch_free(&other);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* Whether GR's non-stall vector is pending; clears it. */
static bool nonstall_taken(VgspChBench *b)
{
    uint32_t leaf = NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET +
                    NV_VIRTUAL_FUNCTION_PRIV_CPU_INTR_LEAF(0);
    uint32_t bit = 1u << vgsp_chip_engine(&vgsp_chip_tu104,
                                          NV2080_ENGINE_TYPE_GR0)
                             ->vector_nonstall;
    bool pending = vgsp_rd32(b->q, leaf) & bit;

    vgsp_wr32(b->q, leaf, bit);
    return pending;
}

static void test_interrupt(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    gr_channel(b, &c, 3);
    report(&c, SUBC_COMPUTE, VA(DATA), 1, REPORT(RELEASE) | ONE_WORD);
    vgsp_ch_sync(&c);
    g_assert_false(nonstall_taken(b));
    report(&c, SUBC_COMPUTE, VA(DATA), 1, REPORT(RELEASE) | ONE_WORD |
           NVC597_SET_REPORT_SEMAPHORE_D_AWAKEN_ENABLE);
    vgsp_ch_sync(&c);
    g_assert_true(nonstall_taken(b));
    report(&c, SUBC_COMPUTE, VA(DATA), 1, REPORT(TRAP));
    vgsp_ch_sync(&c);
    g_assert_true(nonstall_taken(b));
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* ---- Ends ---- */

/* BRA to itself. */
static const uint64_t endless[][2] = {
    { 0xfffffff000007947, 0x000000000383ffff },
};

typedef void PushError(VgspChBench *b, VgspCh *c);

static void error_method(VgspChBench *b, VgspCh *c)
{
    vgsp_ch_method(c, SUBC_3D, 0x3000, 0); /* no such method */
}

static void error_class(VgspChBench *b, VgspCh *c)
{
    vgsp_ch_method(c, SUBC_COMPUTE, NVC46F_SET_OBJECT, TURING_A);
}

/* BEGIN of a list of triangles, DRAW_VERTEX_ARRAY of three, END. */
static void error_draw(VgspChBench *b, VgspCh *c)
{
    vgsp_ch_method(c, SUBC_3D, 0x1618, 4);
    vgsp_ch_method(c, SUBC_3D, 0x0d74, 0);
    vgsp_ch_method(c, SUBC_3D, 0x0d78, 3);
    vgsp_ch_method(c, SUBC_3D, 0x1614, 0);
}

static void error_upload_fault(VgspChBench *b, VgspCh *c)
{
    vgsp_gr_upload(c, SUBC_I2M, VGSP_CH_VA_NONE, 1);
}

static void error_instruction(VgspChBench *b, VgspCh *c)
{
    static const uint64_t code[][2] = { { 0x0000000000007fff, 0 } };

    vgsp_gr_launch(b, c, code, 1, 32);
}

static void error_grid_fault(VgspChBench *b, VgspCh *c)
{
    static const uint64_t code[][2] = {
        { 0x0000000000027802 | (VGSP_CH_VA_NONE & UINT32_MAX) << 32,
          0x0000000000000f00 },                     /* MOV R2, lo */
        { 0x0000000000037802 | VGSP_CH_VA_NONE >> 32 << 32,
          0x0000000000000f00 },                     /* MOV R3, hi */
        { 0x0000000002047381, 0x00000000000f0900 }, /* LDG R4, [R2] */
        { 0x000000000000794d, 0x0000000003800000 }, /* EXIT */
    };

    vgsp_gr_launch(b, c, code, ARRAY_SIZE(code), 32);
}

static void error_endless(VgspChBench *b, VgspCh *c)
{
    vgsp_gr_launch(b, c, endless, ARRAY_SIZE(endless), 32);
}

static const struct {
    PushError *push;
    uint32_t except_type;
    bool step;
} errors[] = {
    { error_method, ROBUST_CHANNEL_GR_EXCEPTION },
    { error_class, ROBUST_CHANNEL_GR_EXCEPTION },
    { error_upload_fault, ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT },
    { error_instruction, ROBUST_CHANNEL_GR_EXCEPTION },
    { error_grid_fault, ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT },
    { error_endless, ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR, true },
};

/* Each ends its channel, with the right code, while two others work. */
static void test_errors(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh good[2];

    gr_channel(b, &good[0], 1);
    gr_channel(b, &good[1], 2);
    for (unsigned i = 0; i < ARRAY_SIZE(errors); i++) {
        VgspCh c;

        gr_channel(b, &c, 3 + i);
        vgsp_ch_sync(&c);
        vgsp_gr_upload(&c, SUBC_I2M, VA(DATA), i + 1);
        errors[i].push(b, &c);
        vgsp_gr_upload(&c, SUBC_I2M, VA(DATA + 4), i + 1);
        vgsp_ch_sem(&c, VA(DATA + 8), i + 1, SEM_EXECUTE(RELEASE) |
                    NVC46F_SEM_EXECUTE_RELEASE_WFI);
        vgsp_ch_kick(&c);
        for (int n = 0; errors[i].step && n < 60; n++) {
            /* Of the watchdog's clock alone: the good ones take real time. */
            qtest_clock_step(b->q->qts, 1000 * 1000 * 1000);
            vgsp_gr_upload(&good[n & 1], SUBC_COMPUTE, VA(DATA + 0x40), n);
            vgsp_ch_sync(&good[n & 1]);
        }
        g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, i + 1));
        g_assert_cmpuint(b->rc.events, ==, i + 1);
        g_assert_cmpuint(b->rc.chid, ==, c.ch.chid);
        g_assert_cmpuint(b->rc.except_type, ==, errors[i].except_type);
        if (b->rc.except_type == ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT) {
            g_assert_cmphex(b->rc.fault_addr, ==, VGSP_CH_VA_NONE);
        }
        for (unsigned n = 0; n < 2; n++) {
            vgsp_gr_upload(&good[n], SUBC_COMPUTE, VA(DATA + 0x10 + 4 * n), i + 1);
            vgsp_ch_sync(&good[n]);
            g_assert_cmphex(rd(b, DATA + 0x10 + 4 * n), ==, i + 1);
        }
        g_assert_cmphex(rd(b, DATA), ==, i + 1);
        g_assert_cmphex(rd(b, DATA + 4), ==, 0);
        g_assert_cmphex(rd(b, DATA + 8), ==, 0);
        vgsp_ch_free(&c);
    }
    vgsp_ch_free(&good[0]);
    vgsp_ch_free(&good[1]);
    vgsp_ch_bench_free(b);
}

/* Without a 3D pipeline a draw ends in an error, never in silence. */
static void test_draw(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    gr_channel(b, &c, 3);
    error_draw(b, &c);
    vgsp_ch_sem(&c, VA(DATA), 1, SEM_EXECUTE(RELEASE) |
                NVC46F_SEM_EXECUTE_RELEASE_WFI);
    vgsp_ch_kick(&c);
    g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, 1));
    g_assert_cmpuint(b->rc.except_type, ==, ROBUST_CHANNEL_GR_EXCEPTION);
    g_assert_cmphex(rd(b, DATA), ==, 0);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* A channel whose grid never ends is freed, and its space with it. */
static void test_free(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c, good;

    gr_channel(b, &good, 2);
    for (int i = 0; i < 4; i++) {
        gr_channel(b, &c, 3);
        vgsp_gr_launch(b, &c, endless, ARRAY_SIZE(endless), 64);
        vgsp_ch_kick(&c);
        g_usleep(2000);
        vgsp_ch_free(&c);
        vgsp_gr_upload(&good, SUBC_I2M, VA(DATA), i + 1);
        vgsp_ch_sync(&good);
        g_assert_cmphex(rd(b, DATA), ==, i + 1);
    }
    vgsp_ch_free(&good);
    g_assert_cmpuint(b->rc.events, ==, 0);
    vgsp_ch_bench_free(b);
}

/* Uploads of a counter, over and over: as many as the ring takes. */
static void busy(VgspCh *c)
{
    for (uint32_t i = 0; i < 1000; i++) {
        vgsp_gr_upload(c, SUBC_I2M, VA(DATA), i);
    }
    for (int i = 0; i < 500; i++) {
        c->start = 0;
        vgsp_ch_entry(c, 0);
    }
    vgsp_ch_ring(c);
}

static void quiet(VgspChBench *b, uint64_t ram)
{
    uint8_t before[64], after[64];

    qtest_memread(b->q->qts, ram + DATA, before, sizeof(before));
    g_usleep(20000);
    qtest_memread(b->q->qts, ram + DATA, after, sizeof(after));
    g_assert_cmpmem(before, sizeof(before), after, sizeof(after));
}

/* The memory of a stopped VM does not change while sections are under way. */
static void test_stop(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    gr_channel(b, &c, 3);
    vgsp_ch_sync(&c);
    busy(&c);
    while (!rd(b, DATA)) {
        g_usleep(100);
    }
    for (int i = 0; i < 3; i++) {
        qtest_qmp_assert_success(b->q->qts, "{ 'execute': 'stop' }");
        quiet(b, b->s.ram);
        qtest_qmp_assert_success(b->q->qts, "{ 'execute': 'cont' }");
        g_usleep(2000);
    }
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* After a reset nothing moves; the card boots and works again. */
static void test_reset(void)
{
    for (int how = 0; how < 2; how++) {
        VgspChBench *b = vgsp_ch_bench_new();
        uint64_t ram = b->s.ram;
        VgspCh c, grid;

        gr_channel(b, &c, 3);
        gr_channel(b, &grid, 4);
        vgsp_ch_sync(&c);
        vgsp_gr_launch(b, &grid, endless, ARRAY_SIZE(endless), 64);
        vgsp_ch_kick(&grid);
        busy(&c);
        while (!qtest_readl(b->q->qts, ram + DATA)) {
            g_usleep(100);
        }
        if (how) {
            qtest_system_reset(b->q->qts);
        } else {
            vgsp_qos_flr(b->q);
        }
        quiet(b, ram);
        vgsp_vm_free(b->s.vm);
        vgsp_gsp_forget(&b->q->gsp);
        if (how) {
            vgsp_qos_enable(b->q);
        }
        vgsp_gsp_up(b->q, vgsp_profiles[0]);
        vgsp_ch_space_new(b->q, &b->s, 0);
        gr_channel(b, &c, 3);
        vgsp_gr_upload(&c, SUBC_I2M, VA(DATA), 0x600d);
        vgsp_ch_sync(&c);
        g_assert_cmphex(rd(b, DATA), ==, 0x600d);
        vgsp_ch_free(&c);
        vgsp_ch_bench_free(b);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    qtest_add_func("/vgsp/gr/report", test_report);
    qtest_add_func("/vgsp/gr/upload", test_upload);
    qtest_add_func("/vgsp/gr/vector-add", test_vector_add);
    qtest_add_func("/vgsp/gr/long-run", test_long_run);
    qtest_add_func("/vgsp/gr/copy-order", test_copy_order);
    qtest_add_func("/vgsp/gr/host-order", test_host_order);
    qtest_add_func("/vgsp/gr/acquire", test_acquire);
    qtest_add_func("/vgsp/gr/interrupt", test_interrupt);
    qtest_add_func("/vgsp/gr/errors", test_errors);
    qtest_add_func("/vgsp/gr/draw", test_draw);
    qtest_add_func("/vgsp/gr/free", test_free);
    qtest_add_func("/vgsp/gr/stop", test_stop);
    qtest_add_func("/vgsp/gr/reset", test_reset);
    return g_test_run();
}
