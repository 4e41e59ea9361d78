/*
 * Channels beside each other: scheduling, errors that stay with their channel,
 * stop and reset in the middle of work, and pushes of anything.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-channel.h"

#define SEM_EXECUTE(op)     NVC46F_SEM_EXECUTE_OPERATION_##op
#define SEM_64BIT           NVC46F_SEM_EXECUTE_PAYLOAD_SIZE
#define SEM_TIMESTAMP       NVC46F_SEM_EXECUTE_RELEASE_TIMESTAMP

/* Free GPU addresses below 4 GiB, and GP_ENTRY1_LENGTH's largest value. */
#define VA_SPARSE           0x40000000u
#define ENTRY_WORDS_MAX     0x1fffffu

typedef VgspChBench Bench;

static void bench_channel(Bench *b, VgspCh *c, uint32_t chid)
{
    vgsp_ch_new(&b->s, c, chid, NV2080_ENGINE_TYPE_COPY(2), 64, false);
}

static uint32_t rd(Bench *b, uint32_t offset)
{
    return qtest_readl(b->q->qts, b->s.ram + offset);
}

static void wr(Bench *b, uint32_t offset, uint32_t v)
{
    qtest_writel(b->q->qts, b->s.ram + offset, v);
}

/* ---- Scheduling ---- */

/* A channel that never ends does not keep another from running. */
static void test_fairness(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh busy, other;

    vgsp_ch_new(&b->s, &busy, 3, NV2080_ENGINE_TYPE_COPY(2), 512, false);
    bench_channel(b, &other, 4);
    /*
     * 500 entries of all the words that an entry can have, from sparse pages:
     * those read as NOPs. A thousand million of them outlast this test.
     */
    for (uint32_t at = 0; at < 4 * ENTRY_WORDS_MAX; at += 0x10000) {
        vgsp_vm_map(b->s.vm, VA_SPARSE + at, 0, 16, VGSP_PTE_SPARSE);
    }
    vgsp_vm_commit(b->s.vm);
    for (int i = 0; i < 500; i++) {
        vgsp_ch_raw_entry(&busy, VA_SPARSE,
                          VGSP_SET(NVC46F_GP_ENTRY1_LENGTH, ENTRY_WORDS_MAX));
    }
    vgsp_ch_ring(&busy);
    for (int i = 0; i < 10; i++) {
        vgsp_ch_sync(&other);
        g_assert_cmpuint(vgsp_ch_userd(&busy, NV_RAMUSERD_GP_GET), !=,
                         busy.put);
    }
    vgsp_ch_free(&other);
    /* Freed in the middle of it. */
    vgsp_ch_free(&busy);
    vgsp_ch_bench_free(b);
}

/* GPFIFO_SCHEDULE off: the doorbell is kept for later. */
static void test_schedule(void)
{
    Bench *b = vgsp_ch_bench_new();
    uint8_t params[sizeof(NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS)] = { 0 };
    VgspCh c;

    bench_channel(b, &c, 3);
    g_assert_cmpint(vgsp_gsp_rm_control(&b->q->gsp, b->s.rm.client,
                                        c.ch.handle,
                                        NVA06F_CTRL_CMD_GPFIFO_SCHEDULE,
                                        params, sizeof(params)), ==,
                    VGSP_GSP_OK);
    vgsp_ch_sem(&c, VGSP_CH_VA_RAM, 1, SEM_EXECUTE(RELEASE));
    vgsp_ch_kick(&c);
    g_usleep(20000);
    g_assert_cmphex(rd(b, 0), ==, 0);
    params[0] = 1;
    g_assert_cmpint(vgsp_gsp_rm_control(&b->q->gsp, b->s.rm.client,
                                        c.ch.handle,
                                        NVA06F_CTRL_CMD_GPFIFO_SCHEDULE,
                                        params, sizeof(params)), ==,
                    VGSP_GSP_OK);
    g_assert_true(vgsp_ch_wait(b->q, b->s.ram, 1));
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* The memory of a stopped VM does not change; its channels go on later. */
static void test_stop(void)
{
    Bench *b = vgsp_ch_bench_new();
    uint32_t seen;
    VgspCh c;

    vgsp_ch_new(&b->s, &c, 3, NV2080_ENGINE_TYPE_COPY(2), 512, false);
    for (int i = 0; i < 1000; i++) {
        vgsp_ch_sem(&c, VGSP_CH_VA_RAM, 1,
                    SEM_EXECUTE(REDUCTION) |
                    VGSP_SET(NVC46F_SEM_EXECUTE_REDUCTION,
                             NVC46F_SEM_EXECUTE_REDUCTION_IADD) |
                    NVC46F_SEM_EXECUTE_REDUCTION_FORMAT);
    }
    for (int i = 0; i < 500; i++) {
        c.start = 0;
        vgsp_ch_entry(&c, 0);
    }
    vgsp_ch_ring(&c);
    while (!rd(b, 0)) {
        g_usleep(100);
    }
    qtest_qmp_assert_success(b->q->qts, "{ 'execute': 'stop' }");
    seen = rd(b, 0);
    g_usleep(20000);
    g_assert_cmpuint(rd(b, 0), ==, seen);
    g_assert_cmpuint(seen, <, 500000);
    qtest_qmp_assert_success(b->q->qts, "{ 'execute': 'cont' }");
    g_assert_true(vgsp_ch_wait(b->q, b->s.ram, 500000));
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* ---- The copy engine of the graphics runlist ---- */

static void test_grce(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh c;

    vgsp_ch_new(&b->s, &c, 3, NV2080_ENGINE_TYPE_GR0, 64, false);
    vgsp_ch_copy_object(&c);
    wr(b, 0, 0xfeedf00d);
    vgsp_ch_method(&c, 4, NVC46F_SET_OBJECT, TURING_DMA_COPY_A);
    vgsp_ch_header(&c, NVC46F_DMA_SEC_OP_INC_METHOD, 4, NVC5B5_OFFSET_IN_UPPER,
                   4);
    vgsp_ch_word(&c, VGSP_CH_VA_RAM >> 32);
    vgsp_ch_word(&c, VGSP_CH_VA_RAM);
    vgsp_ch_word(&c, VGSP_CH_VA_RAM >> 32);
    vgsp_ch_word(&c, VGSP_CH_VA_RAM + 4);
    vgsp_ch_method(&c, 4, NVC5B5_LINE_LENGTH_IN, 4);
    vgsp_ch_method(&c, 4, NVC5B5_LAUNCH_DMA,
                   NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED |
                   NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT |
                   NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT);
    vgsp_ch_sync(&c);
    g_assert_cmphex(rd(b, 4), ==, 0xfeedf00d);
    /* Subchannel 4 takes no other class. */
    vgsp_ch_method(&c, 4, NVC46F_SET_OBJECT, TURING_A);
    vgsp_ch_kick(&c);
    g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, 1));
    g_assert_cmpuint(b->rc.except_type, ==, ROBUST_CHANNEL_PBDMA_ERROR);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* ---- Anything ---- */

/* A word that is likely to mean something. */
static uint32_t random_word(GRand *r)
{
    static const uint16_t methods[] = {
        NVC46F_SEM_ADDR_LO, NVC46F_SEM_EXECUTE, NVC46F_SEMAPHOREA,
        NVC46F_MEM_OP_A, NVC46F_SET_REFERENCE, NVC46F_YIELD, NVC5B5_LAUNCH_DMA,
        NVC5B5_OFFSET_IN_UPPER, NVC5B5_PITCH_IN, NVC5B5_LINE_LENGTH_IN,
        NVC5B5_SET_REMAP_COMPONENTS, NVC5B5_SET_DST_BLOCK_SIZE,
        NVC5B5_SET_SEMAPHORE_A,
    };
    static const uint8_t ops[] = { 1, 1, 1, 3, 4, 5 };

    switch (g_rand_int_range(r, 0, 8)) {
    case 0:
        return g_rand_int(r);
    case 1:
        return g_rand_int_range(r, 0, 0x2000);
    case 2:
        return VGSP_CH_VA_RAM + g_rand_int_range(r, 0, 0x100000);
    case 3:
        return 0;
    default:
        return VGSP_SET(NVC46F_DMA_SEC_OP,
                        ops[g_rand_int_range(r, 0, ARRAY_SIZE(ops))]) |
               VGSP_SET(NVC46F_DMA_METHOD_COUNT, g_rand_int_range(r, 0, 6)) |
               VGSP_SET(NVC46F_DMA_METHOD_SUBCHANNEL, 4) |
               VGSP_SET(NVC46F_DMA_METHOD_ADDRESS,
                        methods[g_rand_int_range(r, 0,
                                                 ARRAY_SIZE(methods))] >> 2);
    }
}

/* Random pushes of a privileged channel: the device and others survive. */
static void test_random(void)
{
    Bench *b = vgsp_ch_bench_new();
    GRand *r = g_rand_new_with_seed(20201);
    VgspCh good;

    bench_channel(b, &good, 2);
    for (uint32_t i = 0; i < 300; i++) {
        VgspCh c;

        vgsp_ch_new(&b->s, &c, 3, NV2080_ENGINE_TYPE_COPY(2), 64, i & 1);
        b->s.channels--;        /* its memory is free for the next */
        vgsp_ch_copy_object(&c);
        for (int word = 0; word < 64; word++) {
            vgsp_ch_word(&c, random_word(r));
        }
        vgsp_ch_kick(&c);
        if (i % 16 == 0) {
            vgsp_ch_sync(&good);
        }
        g_assert_cmpint(vgsp_gsp_poll(&b->q->gsp), ==, VGSP_GSP_OK);
        vgsp_ch_free(&c);
    }
    vgsp_ch_free(&good);
    g_rand_free(r);
    vgsp_ch_bench_free(b);
}

/* ---- Errors ---- */

typedef void PushError(VgspCh *c);

static void error_bad_header(VgspCh *c)
{
    vgsp_ch_word(c, 0xc0000000);
}

static void error_gp_illegal(VgspCh *c)
{
    vgsp_ch_raw_entry(c, 0, NVC46F_GP_ENTRY1_OPCODE_ILLEGAL);
}

static void error_illegal(VgspCh *c)
{
    vgsp_ch_method(c, 0, NVC46F_ILLEGAL, 0);
}

static void error_reserved(VgspCh *c)
{
    vgsp_ch_method(c, 0, 0x54, 0);
}

static void error_yield(VgspCh *c)
{
    vgsp_ch_method(c, 0, NVC46F_YIELD, 1);
}

static void error_privileged_mem_op(VgspCh *c)
{
    vgsp_ch_method(c, 0, NVC46F_MEM_OP_D,
                   VGSP_SET(NVC46F_MEM_OP_D_OPERATION,
                            NVC46F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE));
}

static void error_mem_op(VgspCh *c)
{
    vgsp_ch_method(c, 0, NVC46F_MEM_OP_D,
                   VGSP_SET(NVC46F_MEM_OP_D_OPERATION, 0x1f));
}

static void error_sem_op(VgspCh *c)
{
    vgsp_ch_sem(c, VGSP_CH_VA_RAM, 0, 7);
}

static void error_sem_align(VgspCh *c)
{
    vgsp_ch_sem(c, VGSP_CH_VA_RAM + 8, 0,
                SEM_EXECUTE(RELEASE) | SEM_TIMESTAMP);
}

static void error_sem_align_64(VgspCh *c)
{
    vgsp_ch_sem(c, VGSP_CH_VA_RAM + 4, 0, SEM_EXECUTE(ACQUIRE) | SEM_64BIT);
}

static void error_reduction(VgspCh *c)
{
    vgsp_ch_sem(c, VGSP_CH_VA_RAM, 0, SEM_EXECUTE(REDUCTION) | SEM_64BIT |
                VGSP_SET(NVC46F_SEM_EXECUTE_REDUCTION,
                         NVC46F_SEM_EXECUTE_REDUCTION_INC) |
                NVC46F_SEM_EXECUTE_REDUCTION_FORMAT);
}

static void error_software(VgspCh *c)
{
    vgsp_ch_method(c, 5, 0x100, 0);
}

static void error_no_object(VgspCh *c)
{
    vgsp_ch_method(c, 4, NVC5B5_NOP, 0);
}

static void error_clear_faulted(VgspCh *c)
{
    vgsp_ch_method(c, 0, NVC46F_CLEAR_FAULTED, 0);
}

static void error_release_fault(VgspCh *c)
{
    vgsp_ch_sem(c, VGSP_CH_VA_NONE, 0, SEM_EXECUTE(RELEASE));
}

static void error_acquire_fault(VgspCh *c)
{
    vgsp_ch_sem(c, VGSP_CH_VA_NONE, 0, SEM_EXECUTE(ACQUIRE));
}

static void error_segment_fault(VgspCh *c)
{
    vgsp_ch_raw_entry(c, (uint32_t)VGSP_CH_VA_NONE,
                      (uint32_t)(VGSP_CH_VA_NONE >> 32) | 1 << 10);
}

static void error_method_crc(VgspCh *c)
{
    vgsp_ch_method(c, 0, NVC46F_CRC_CHECK, 1);
}

/* Of the segment before it, which is not empty. */
static void error_pb_crc(VgspCh *c)
{
    vgsp_ch_raw_entry(c, 0, NVC46F_GP_ENTRY1_OPCODE_PB_CRC);
}

static void error_gp_crc(VgspCh *c)
{
    vgsp_ch_raw_entry(c, 0, NVC46F_GP_ENTRY1_OPCODE_GP_CRC);
}

static const struct {
    PushError *push;
    uint32_t except_type;
} errors[] = {
    { error_bad_header, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_gp_illegal, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_illegal, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_reserved, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_yield, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_privileged_mem_op, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_mem_op, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_sem_op, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_sem_align, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_sem_align_64, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_reduction, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_software, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_no_object, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_clear_faulted, ROBUST_CHANNEL_PBDMA_ERROR },
    { error_method_crc, PBDMA_PUSHBUFFER_CRC_MISMATCH },
    { error_pb_crc, PBDMA_PUSHBUFFER_CRC_MISMATCH },
    { error_gp_crc, PBDMA_PUSHBUFFER_CRC_MISMATCH },
    { error_release_fault, ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT },
    { error_acquire_fault, ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT },
    { error_segment_fault, ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT },
};

/* Each stops its channel with the right code, once, and no other. */
static void test_errors(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh good;

    bench_channel(b, &good, 2);
    for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
        VgspCh c;

        bench_channel(b, &c, 3 + i);
        vgsp_ch_sem(&c, VGSP_CH_VA_RAM + 0x10, i + 1, SEM_EXECUTE(RELEASE));
        vgsp_ch_entry(&c, 0);
        errors[i].push(&c);
        if (c.words != c.start) {
            vgsp_ch_entry(&c, 0);
        }
        vgsp_ch_sem(&c, VGSP_CH_VA_RAM + 0x20, i + 1, SEM_EXECUTE(RELEASE));
        vgsp_ch_kick(&c);
        g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, i + 1));
        g_assert_cmpuint(b->rc.events, ==, i + 1);
        g_assert_cmpuint(b->rc.chid, ==, c.ch.chid);
        g_assert_cmpuint(b->rc.except_type, ==, errors[i].except_type);
        if (b->rc.except_type == ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT) {
            g_assert_cmphex(b->rc.fault_addr, ==, VGSP_CH_VA_NONE);
        }
        vgsp_ch_ring(&c);
        vgsp_ch_sync(&good);
        /* What came before it was done, what came behind it was not. */
        g_assert_cmphex(rd(b, 0x10), ==, i + 1);
        g_assert_cmphex(rd(b, 0x20), ==, 0);
        vgsp_ch_free(&c);
    }
    vgsp_ch_free(&good);
    vgsp_ch_bench_free(b);
}

/* GP_PUT beyond the ring. */
static void test_gp_put_range(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh c;

    bench_channel(b, &c, 3);
    c.put = 64;
    vgsp_ch_ring(&c);
    g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, 1));
    g_assert_cmpuint(b->rc.except_type, ==, ROBUST_CHANNEL_PBDMA_ERROR);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* Parked, busy and idle channels, and a reset: nothing moves afterwards. */
static void test_reset(void)
{
    for (int how = 0; how < 2; how++) {
        Bench *b = vgsp_ch_bench_new();
        uint8_t before[256], after[256];
        VgspCh parked, busy;
        uint64_t ram = b->s.ram;

        bench_channel(b, &parked, 3);
        vgsp_ch_new(&b->s, &busy, 4, NV2080_ENGINE_TYPE_COPY(2), 512, false);
        vgsp_ch_sem(&parked, VGSP_CH_VA_RAM + 0x40, 1, SEM_EXECUTE(ACQUIRE));
        vgsp_ch_sem(&parked, VGSP_CH_VA_RAM + 0x44, 1, SEM_EXECUTE(RELEASE));
        vgsp_ch_kick(&parked);
        for (uint32_t i = 0; i < 1000; i++) {
            vgsp_ch_sem(&busy, VGSP_CH_VA_RAM + 0x80, i,
                        SEM_EXECUTE(RELEASE));
        }
        for (int i = 0; i < 500; i++) {
            busy.start = 0;
            vgsp_ch_entry(&busy, 0);
        }
        vgsp_ch_ring(&busy);
        g_usleep(2000);
        if (how) {
            qtest_system_reset(b->q->qts);
        } else {
            vgsp_qos_flr(b->q);
        }
        qtest_memread(b->q->qts, ram, before, sizeof(before));
        qtest_writel(b->q->qts, ram + 0x40, 1);
        vgsp_put_le32(before + 0x40, 1);
        g_usleep(20000);
        qtest_memread(b->q->qts, ram, after, sizeof(after));
        g_assert_cmpmem(before, sizeof(before), after, sizeof(after));
        vgsp_vm_free(b->s.vm);
        vgsp_gsp_forget(&b->q->gsp);
        if (how) {
            vgsp_qos_enable(b->q);
        }
        vgsp_gsp_up(b->q, vgsp_profiles[0]);
        vgsp_ch_space_new(b->q, &b->s, 0);
        bench_channel(b, &busy, 4);
        vgsp_ch_sync(&busy);
        vgsp_ch_free(&busy);
        vgsp_ch_bench_free(b);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    qtest_add_func("/vgsp/sched/fairness", test_fairness);
    qtest_add_func("/vgsp/sched/schedule", test_schedule);
    qtest_add_func("/vgsp/sched/stop", test_stop);
    qtest_add_func("/vgsp/sched/grce", test_grce);
    qtest_add_func("/vgsp/sched/errors", test_errors);
    qtest_add_func("/vgsp/sched/gp-put-range", test_gp_put_range);
    qtest_add_func("/vgsp/sched/reset", test_reset);
    qtest_add_func("/vgsp/sched/random", test_random);
    return g_test_run();
}
