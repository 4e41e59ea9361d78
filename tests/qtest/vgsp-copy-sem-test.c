/*
 * What a launch of the copy engine does beside its transfer: semaphores,
 * reductions, interrupts; and the order of launches. Expected words are by
 * hand, from NVIDIA's clc5b5.h and dev_pbdma (SEM_EXECUTE).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-channel.h"
#include "vgsp/chip.h"
#include "vgsp/nv/dev_vm.h"

#define LAUNCH(field, value) VGSP_SET(NVC5B5_LAUNCH_DMA_##field, \
                                      NVC5B5_LAUNCH_DMA_##field##_##value)
#define ONE_WORD    LAUNCH(SEMAPHORE_TYPE, RELEASE_ONE_WORD_SEMAPHORE)
#define FOUR_WORD   LAUNCH(SEMAPHORE_TYPE, RELEASE_FOUR_WORD_SEMAPHORE)
#define COPY        (LAUNCH(DATA_TRANSFER_TYPE, NON_PIPELINED) | \
                     NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT | \
                     NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT)
#define ENGINE      NV2080_ENGINE_TYPE_COPY(2)

#define SEM         0x1000u         /* in the space's guest memory */
#define SRC         0x10000u
#define DST         0x100000u

static void channel(VgspChBench *b, VgspCh *c, uint32_t chid)
{
    vgsp_ch_new(&b->s, c, chid, ENGINE, 64, false);
    vgsp_ch_copy_object(c);
}

static void semaphore(VgspCh *c, uint32_t offset, uint32_t payload)
{
    uint64_t va = VGSP_CH_VA_RAM + offset;

    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_INC_METHOD, 4, NVC5B5_SET_SEMAPHORE_A,
                   3);
    vgsp_ch_word(c, va >> 32);
    vgsp_ch_word(c, va);
    vgsp_ch_word(c, payload);
}

static void launch(VgspCh *c, uint32_t data)
{
    vgsp_ch_method(c, 4, NVC5B5_LAUNCH_DMA, data);
}

static uint32_t reduction(uint32_t op, bool is_unsigned)
{
    return NVC5B5_LAUNCH_DMA_SEMAPHORE_REDUCTION_ENABLE |
           VGSP_SET(NVC5B5_LAUNCH_DMA_SEMAPHORE_REDUCTION, op) |
           VGSP_SET(NVC5B5_LAUNCH_DMA_SEMAPHORE_REDUCTION_SIGN, is_unsigned);
}

static void test_release(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    QTestState *qts = b->q->qts;
    uint64_t at = b->s.ram + SEM;
    uint64_t time;
    VgspCh c;

    channel(b, &c, 5);
    qtest_memset(qts, at, 0xaa, 0x40);
    semaphore(&c, SEM + 4, 0x12345678);
    launch(&c, ONE_WORD);
    semaphore(&c, SEM + 0x10, 0xdeadbeef);
    launch(&c, FOUR_WORD | NVC5B5_LAUNCH_DMA_FLUSH_ENABLE);
    semaphore(&c, SEM + 0x20, 5);
    launch(&c, FOUR_WORD);
    vgsp_ch_sync(&c);
    g_assert_cmphex(qtest_readq(qts, at), ==, 0x12345678aaaaaaaa);
    g_assert_cmphex(qtest_readq(qts, at + 8), ==, 0xaaaaaaaaaaaaaaaa);
    g_assert_cmphex(qtest_readq(qts, at + 0x10), ==, 0xdeadbeef);
    time = qtest_readq(qts, at + 0x18);
    g_assert_cmphex(qtest_readq(qts, at + 0x20), ==, 5);
    g_assert_cmpuint(qtest_readq(qts, at + 0x28), >=, time);
    g_assert_cmphex(qtest_readq(qts, at + 0x30), ==, 0xaaaaaaaaaaaaaaaa);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

#define OP(name) NVC5B5_LAUNCH_DMA_SEMAPHORE_REDUCTION_##name
enum { SIGNED, UNSIGNED };

static void test_reductions(void)
{
    static const struct {
        uint32_t op, format, old, payload, want;
    } cases[] = {
        { OP(IMIN), SIGNED, 5, 0xfffffffd, 0xfffffffd },
        { OP(IMIN), UNSIGNED, 5, 0xfffffffd, 5 },
        { OP(IMIN), UNSIGNED, 7, 6, 6 },
        { OP(IMAX), SIGNED, 5, 0xfffffffd, 5 },
        { OP(IMAX), SIGNED, 0xfffffffe, 0xfffffffd, 0xfffffffe },
        { OP(IMAX), UNSIGNED, 5, 0xfffffffd, 0xfffffffd },
        { OP(IXOR), SIGNED, 0x0ff00ff0, 0xffff0000, 0xf00f0ff0 },
        { OP(IXOR), UNSIGNED, 0x0ff00ff0, 0xffff0000, 0xf00f0ff0 },
        { OP(IAND), SIGNED, 0x0ff00ff0, 0xffff0000, 0x0ff00000 },
        { OP(IAND), UNSIGNED, 0x0ff00ff0, 0xffff0000, 0x0ff00000 },
        { OP(IOR), SIGNED, 0x0ff00ff0, 0xffff0000, 0xffff0ff0 },
        { OP(IOR), UNSIGNED, 0x0ff00ff0, 0xffff0000, 0xffff0ff0 },
        { OP(IADD), SIGNED, 0x7fffffff, 1, 0x80000000 },
        { OP(IADD), UNSIGNED, 0xffffffff, 3, 2 },
        { OP(INC), UNSIGNED, 3, 7, 4 },
        { OP(INC), UNSIGNED, 7, 7, 0 },
        { OP(INC), UNSIGNED, 0x80000000, 7, 0 },
        { OP(DEC), UNSIGNED, 4, 7, 3 },
        { OP(DEC), UNSIGNED, 0, 7, 7 },
        { OP(DEC), UNSIGNED, 9, 7, 7 },
        { OP(FADD), SIGNED, 0x3fc00000, 0x40100000, 0x40700000 },
        { OP(FADD), UNSIGNED, 0x3fc00000, 0xc0100000, 0xbf400000 },
        /* 1 + 2^-24 and the next float + 2^-24: ties to even. */
        { OP(FADD), SIGNED, 0x3f800000, 0x33800000, 0x3f800000 },
        { OP(FADD), SIGNED, 0x3f800001, 0x33800000, 0x3f800002 },
        { OP(FADD), SIGNED, 0x7f7fffff, 0x7f7fffff, 0x7f800000 },
        { OP(FADD), SIGNED, 0x7f800000, 0xff800000, 0x7fffffff },
        { OP(FADD), SIGNED, 0x7f812345, 0x3f800000, 0x7fffffff },
        /* Subnormals are zeroes of their sign, in and out. */
        { OP(FADD), SIGNED, 0x007fffff, 0x00000001, 0x00000000 },
        { OP(FADD), SIGNED, 0x807fffff, 0x80000001, 0x80000000 },
        { OP(FADD), SIGNED, 0x00800001, 0x80800000, 0x00000000 },
        { OP(FADD), SIGNED, 0x3f800000, 0x007fffff, 0x3f800000 },
    };
    VgspChBench *b = vgsp_ch_bench_new();
    QTestState *qts = b->q->qts;
    VgspCh c;

    channel(b, &c, 5);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t at = b->s.ram + SEM + 0x20 * i;

        qtest_writel(qts, at, cases[i].old);
        qtest_writel(qts, at + 4, 0x5a5a5a5a);
        qtest_writeq(qts, at + 8, 0);
        semaphore(&c, SEM + 0x20 * i, cases[i].payload);
        launch(&c, (i & 1 ? FOUR_WORD : ONE_WORD) |
                   reduction(cases[i].op, cases[i].format));
    }
    vgsp_ch_sync(&c);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t at = b->s.ram + SEM + 0x20 * i;

        g_test_message("operation %u of 0x%08x and 0x%08x", cases[i].op,
                       cases[i].old, cases[i].payload);
        g_assert_cmphex(qtest_readl(qts, at), ==, cases[i].want);
        g_assert_cmphex(qtest_readl(qts, at + 4), ==, 0x5a5a5a5a);
        g_assert_cmpint(qtest_readq(qts, at + 8) != 0, ==, i & 1);
    }
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* What the engine has not: the channel ends, the word stays. */
static void test_errors(void)
{
    const uint32_t launches[] = {
        ONE_WORD | reduction(OP(INC), false),
        ONE_WORD | reduction(OP(DEC), false),
        ONE_WORD | reduction(8, true),
        ONE_WORD | reduction(9, true),
        ONE_WORD | reduction(11, true),
        ONE_WORD | reduction(15, true),
        /* No published source says what the condition is. */
        LAUNCH(SEMAPHORE_TYPE, RELEASE_CONDITIONAL_INTR_SEMAPHORE),
        ONE_WORD | NVC5B5_LAUNCH_DMA_INTERRUPT_TYPE,
    };
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    qtest_writel(b->q->qts, b->s.ram + SEM, 0x77);
    for (unsigned i = 0; i < ARRAY_SIZE(launches); i++) {
        channel(b, &c, 10 + i);
        semaphore(&c, SEM, 3);
        launch(&c, launches[i]);
        vgsp_ch_kick(&c);
        g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, i + 1));
        g_assert_cmpuint(b->rc.chid, ==, 10 + i);
        g_assert_cmpuint(b->rc.except_type, ==, ROBUST_CHANNEL_CE2_ERROR);
        g_assert_cmphex(qtest_readl(b->q->qts, b->s.ram + SEM), ==, 0x77);
        vgsp_ch_free(&c);
    }
    /* Without the enable the operation is nothing. */
    channel(b, &c, 9);
    semaphore(&c, SEM, 3);
    launch(&c, ONE_WORD | (reduction(8, true) &
                           ~NVC5B5_LAUNCH_DMA_SEMAPHORE_REDUCTION_ENABLE));
    vgsp_ch_sync(&c);
    g_assert_cmphex(qtest_readl(b->q->qts, b->s.ram + SEM), ==, 3);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* Whether the non-stall vector of the copy engine is pending; clears it. */
static bool nonstall_taken(VgspChBench *b)
{
    uint32_t leaf = NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET +
                    NV_VIRTUAL_FUNCTION_PRIV_CPU_INTR_LEAF(0);
    uint32_t bit = 1u << vgsp_chip_engine(&vgsp_chip_tu104, ENGINE)
                             ->vector_nonstall;
    bool pending = vgsp_rd32(b->q, leaf) & bit;

    vgsp_wr32(b->q, leaf, bit);
    return pending;
}

/* A small launch, and one that takes the engine longer. */
static void test_interrupts(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    channel(b, &c, 5);
    semaphore(&c, SEM, 1);
    for (unsigned i = 0; i < 2; i++) {
        uint32_t data = COPY | ONE_WORD;

        vgsp_ch_header(&c, NVC46F_DMA_SEC_OP_INC_METHOD, 4,
                       NVC5B5_OFFSET_IN_UPPER, 4);
        vgsp_ch_word(&c, 0);
        vgsp_ch_word(&c, VGSP_CH_VA_RAM + SRC);
        vgsp_ch_word(&c, 0);
        vgsp_ch_word(&c, VGSP_CH_VA_RAM + DST);
        vgsp_ch_method(&c, 4, NVC5B5_LINE_LENGTH_IN, i ? 0x80000 : 4);
        launch(&c, data | LAUNCH(INTERRUPT_TYPE, NONE));
        vgsp_ch_sync(&c);
        g_assert_false(nonstall_taken(b));
        launch(&c, data | LAUNCH(INTERRUPT_TYPE, NON_BLOCKING));
        vgsp_ch_sync(&c);
        g_assert_true(nonstall_taken(b));
        /* GSP-RM takes it and lets the engine go on. */
        launch(&c, data | LAUNCH(INTERRUPT_TYPE, BLOCKING));
        vgsp_ch_sync(&c);
        g_assert_false(nonstall_taken(b));
    }
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

#define ROUNDS  100
#define FILL    0x4000u             /* words */

/* Each small copy sees the long fill before it, and not the one behind it. */
static void test_order(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    uint64_t src = VGSP_CH_VA_RAM + SRC;
    VgspCh c;

    channel(b, &c, 5);
    vgsp_ch_method(&c, 4, NVC5B5_SET_REMAP_COMPONENTS,
                   NVC5B5_SET_REMAP_COMPONENTS_DST_CONST_A |
                   VGSP_SET(NVC5B5_SET_REMAP_COMPONENTS_COMPONENT_SIZE, 3));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        vgsp_ch_header(&c, NVC46F_DMA_SEC_OP_INC_METHOD, 4,
                       NVC5B5_OFFSET_IN_UPPER, 4);
        vgsp_ch_word(&c, 0);
        vgsp_ch_word(&c, src + 4 * (FILL - 1));
        vgsp_ch_word(&c, 0);
        vgsp_ch_word(&c, src);
        vgsp_ch_method(&c, 4, NVC5B5_SET_REMAP_CONST_A, i + 1);
        vgsp_ch_method(&c, 4, NVC5B5_LINE_LENGTH_IN, FILL);
        launch(&c, COPY | NVC5B5_LAUNCH_DMA_REMAP_ENABLE);
        vgsp_ch_method(&c, 4, NVC5B5_OFFSET_OUT_LOWER,
                       VGSP_CH_VA_RAM + DST + 4 * i);
        vgsp_ch_method(&c, 4, NVC5B5_LINE_LENGTH_IN, 4);
        launch(&c, COPY);
    }
    vgsp_ch_sync(&c);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        g_assert_cmpuint(qtest_readl(b->q->qts, b->s.ram + DST + 4 * i), ==,
                         i + 1);
    }
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

#define SMALL   0x4000u
#define COPIES  1000

/* More small copies than a slice may move; another channel has its turns. */
static void test_many(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    uint8_t data[SMALL], got[SMALL];
    VgspCh c, other;

    for (uint32_t i = 0; i < SMALL; i++) {
        data[i] = i * 7 + (i >> 8);
    }
    qtest_bufwrite(b->q->qts, b->s.ram + SRC, data, SMALL);
    channel(b, &c, 5);
    channel(b, &other, 6);
    for (uint32_t i = 0; i < COPIES; i++) {
        uint32_t to = DST + i % 8 * SMALL;

        vgsp_ch_header(&c, NVC46F_DMA_SEC_OP_INC_METHOD, 4,
                       NVC5B5_OFFSET_IN_UPPER, 4);
        vgsp_ch_word(&c, 0);
        vgsp_ch_word(&c, VGSP_CH_VA_RAM + SRC);
        vgsp_ch_word(&c, 0);
        vgsp_ch_word(&c, VGSP_CH_VA_RAM + to);
        vgsp_ch_method(&c, 4, NVC5B5_LINE_LENGTH_IN, SMALL);
        launch(&c, COPY);
    }
    vgsp_ch_kick(&c);
    semaphore(&other, SEM, 9);
    launch(&other, ONE_WORD);
    vgsp_ch_sync(&other);
    vgsp_ch_sync(&c);
    g_assert_cmphex(qtest_readl(b->q->qts, b->s.ram + SEM), ==, 9);
    for (uint32_t i = 0; i < 8; i++) {
        qtest_bufread(b->q->qts, b->s.ram + DST + i * SMALL, got, SMALL);
        g_assert_cmpmem(got, SMALL, data, SMALL);
    }
    vgsp_ch_free(&other);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    qtest_add_func("/vgsp/copy-sem/release", test_release);
    qtest_add_func("/vgsp/copy-sem/reductions", test_reductions);
    qtest_add_func("/vgsp/copy-sem/errors", test_errors);
    qtest_add_func("/vgsp/copy-sem/interrupts", test_interrupts);
    qtest_add_func("/vgsp/copy-sem/order", test_order);
    qtest_add_func("/vgsp/copy-sem/many", test_many);
    return g_test_run();
}
