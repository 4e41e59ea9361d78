/*
 * The host engine, word by word: GPFIFO, both styles of semaphores, memory
 * operations. Expected values are dev_pbdma's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-channel.h"

#define SEM_EXECUTE(op)     NVC46F_SEM_EXECUTE_OPERATION_##op
#define SEM_64BIT           NVC46F_SEM_EXECUTE_PAYLOAD_SIZE
#define SEM_TIMESTAMP       NVC46F_SEM_EXECUTE_RELEASE_TIMESTAMP
#define SEM_WFI             NVC46F_SEM_EXECUTE_RELEASE_WFI

typedef VgspChBench Bench;

static void bench_channel(Bench *b, VgspCh *c, uint32_t chid)
{
    vgsp_ch_new(&b->s, c, chid, NV2080_ENGINE_TYPE_COPY(2), 64, false);
}

static uint32_t rd(Bench *b, uint32_t offset)
{
    return qtest_readl(b->q->qts, b->s.ram + offset);
}

static uint64_t rd64(Bench *b, uint32_t offset)
{
    return qtest_readq(b->q->qts, b->s.ram + offset);
}

static void wr(Bench *b, uint32_t offset, uint32_t v)
{
    qtest_writel(b->q->qts, b->s.ram + offset, v);
}

static void wr64(Bench *b, uint32_t offset, uint64_t v)
{
    qtest_writeq(b->q->qts, b->s.ram + offset, v);
}

/* ---- GPFIFO ---- */

/* GP_GET follows every entry; control entries and empty runs are entries. */
static void test_gpfifo(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh c;

    vgsp_ch_new(&b->s, &c, 3, NV2080_ENGINE_TYPE_COPY(2), 8, false);
    for (uint32_t round = 1; round <= 5; round++) {
        vgsp_ch_raw_entry(&c, 0, NVC46F_GP_ENTRY1_OPCODE_NOP);
        vgsp_ch_raw_entry(&c, 0xffffffff, NVC46F_GP_ENTRY1_SYNC);
        vgsp_ch_word(&c, NVC46F_DMA_NOP);
        vgsp_ch_entry(&c, NVC46F_GP_ENTRY1_LEVEL);
        vgsp_ch_sem(&c, VGSP_CH_VA_RAM, round, SEM_EXECUTE(RELEASE));
        vgsp_ch_entry(&c, NVC46F_GP_ENTRY1_SYNC);
        vgsp_ch_ring(&c);
        g_assert_true(vgsp_ch_wait(b->q, b->s.ram, round));
        vgsp_ch_sync(&c);
        for (int i = 0; i < 1000 &&
             vgsp_ch_userd(&c, NV_RAMUSERD_GP_GET) != c.put; i++) {
            g_usleep(1000);
        }
        g_assert_cmpuint(vgsp_ch_userd(&c, NV_RAMUSERD_GP_GET), ==, c.put);
        /* Software's word is not Host's to write. */
        g_assert_cmpuint(vgsp_ch_userd(&c, NV_RAMUSERD_GP_PUT), ==, c.put);
    }
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* A header ends one entry, its data are the next two; IMMD at the very end. */
static void test_split_header(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh c;

    bench_channel(b, &c, 3);
    vgsp_ch_header(&c, NVC46F_DMA_SEC_OP_INC_METHOD, 0, NVC46F_SEM_ADDR_LO, 3);
    vgsp_ch_entry(&c, 0);
    vgsp_ch_word(&c, (uint32_t)VGSP_CH_VA_RAM);
    vgsp_ch_entry(&c, 0);
    vgsp_ch_word(&c, 0);
    vgsp_ch_word(&c, 0x1234);
    /* SEM_EXECUTE's data is in its header, the last word of the segment. */
    vgsp_ch_header(&c, NVC46F_DMA_SEC_OP_IMMD_DATA_METHOD, 0,
                   NVC46F_SEM_EXECUTE, SEM_EXECUTE(RELEASE));
    vgsp_ch_kick(&c);
    g_assert_true(vgsp_ch_wait(b->q, b->s.ram, 0x1234));
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* An immediate acquire as the last word parks, and goes on, all the same. */
static void test_immediate_parks(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh c;

    bench_channel(b, &c, 3);
    vgsp_ch_method(&c, 0, NVC46F_SEM_ADDR_LO, (uint32_t)VGSP_CH_VA_RAM);
    vgsp_ch_method(&c, 0, NVC46F_SEM_PAYLOAD_LO, 5);
    vgsp_ch_header(&c, NVC46F_DMA_SEC_OP_IMMD_DATA_METHOD, 0,
                   NVC46F_SEM_EXECUTE, SEM_EXECUTE(ACQUIRE));
    vgsp_ch_entry(&c, 0);
    vgsp_ch_sem(&c, VGSP_CH_VA_RAM + 4, 6, SEM_EXECUTE(RELEASE));
    vgsp_ch_kick(&c);
    g_usleep(20000);
    g_assert_cmphex(rd(b, 4), ==, 0);
    /* The entry with the acquire has not been processed. */
    g_assert_cmpuint(vgsp_ch_userd(&c, NV_RAMUSERD_GP_GET), ==, 0);
    wr(b, 0, 5);
    g_assert_true(vgsp_ch_wait(b->q, b->s.ram + 4, 6));
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

static void test_subdevice_mask(void)
{
    Bench *b = vgsp_ch_bench_new();
    uint32_t op = VGSP_SET(NVC46F_DMA_TERT_OP,
                           NVC46F_DMA_TERT_OP_GRP0_SET_SUB_DEV_MASK);
    uint64_t skip;
    VgspCh c;

    bench_channel(b, &c, 3);
    vgsp_ch_word(&c, op);
    vgsp_ch_sem(&c, VGSP_CH_VA_RAM, 1, SEM_EXECUTE(RELEASE));
    vgsp_ch_entry(&c, 0);
    /* A conditional entry of an inactive subdevice is not even fetched. */
    skip = VGSP_CH_VA_NONE | NVC46F_GP_ENTRY0_FETCH;
    vgsp_ch_raw_entry(&c, skip, (uint32_t)(skip >> 32) | 1 << 10);
    vgsp_ch_word(&c, op | NVC46F_DMA_SUBDEVICE_MASK);
    vgsp_ch_sem(&c, VGSP_CH_VA_RAM + 4, 2, SEM_EXECUTE(RELEASE));
    vgsp_ch_sync(&c);
    g_assert_cmphex(rd(b, 0), ==, 0);
    g_assert_cmphex(rd(b, 4), ==, 2);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* ---- Semaphores ---- */

static void test_release(void)
{
    Bench *b = vgsp_ch_bench_new();
    uint64_t time[2];
    VgspCh c;

    bench_channel(b, &c, 3);
    for (int i = 0; i < 0x80; i += 8) {
        wr64(b, i, 0xaaaaaaaaaaaaaaaa);
    }
    vgsp_ch_sem(&c, VGSP_CH_VA_RAM, 0x1111111122222222, SEM_EXECUTE(RELEASE));
    vgsp_ch_sem(&c, VGSP_CH_VA_RAM + 0x10, 0x1111111122222222,
                SEM_EXECUTE(RELEASE) | SEM_64BIT);
    vgsp_ch_sem(&c, VGSP_CH_VA_RAM + 0x20, 0x1111111122222222,
                SEM_EXECUTE(RELEASE) | SEM_TIMESTAMP);
    vgsp_ch_sync(&c);
    qtest_clock_step(b->q->qts, 1000000);
    vgsp_ch_sem(&c, VGSP_CH_VA_RAM + 0x30, 0x1111111122222222,
                SEM_EXECUTE(RELEASE) | SEM_TIMESTAMP | SEM_64BIT);
    vgsp_ch_sync(&c);
    g_assert_cmphex(rd64(b, 0x00), ==, 0xaaaaaaaa22222222);
    g_assert_cmphex(rd64(b, 0x08), ==, 0xaaaaaaaaaaaaaaaa);
    g_assert_cmphex(rd64(b, 0x10), ==, 0x1111111122222222);
    g_assert_cmphex(rd64(b, 0x18), ==, 0xaaaaaaaaaaaaaaaa);
    /* With a time, a 32-bit payload is stored as 64 bits. */
    g_assert_cmphex(rd64(b, 0x20), ==, 0x22222222);
    g_assert_cmphex(rd64(b, 0x30), ==, 0x1111111122222222);
    time[0] = rd64(b, 0x28);
    time[1] = rd64(b, 0x38);
    g_assert_cmphex(time[0], !=, 0xaaaaaaaaaaaaaaaa);
    /* The clock is PTIMER's, which moved by that much. */
    g_assert_cmpuint(time[1] - time[0], ==, 1000000);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* The payload's upper half persists when a release does not set it. */
static void test_persistent_payload(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh c;

    bench_channel(b, &c, 3);
    vgsp_ch_sem(&c, VGSP_CH_VA_RAM, 0x9999999900000001, SEM_EXECUTE(RELEASE));
    vgsp_ch_method(&c, 0, NVC46F_SEM_PAYLOAD_LO, 2);
    vgsp_ch_method(&c, 0, NVC46F_SEM_EXECUTE,
                   SEM_EXECUTE(RELEASE) | SEM_64BIT);
    vgsp_ch_sync(&c);
    g_assert_cmphex(rd64(b, 0), ==, 0x9999999900000002);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

typedef struct Reduction {
    unsigned op;
    bool is_signed, is_64bit;
    uint64_t old, payload, result;
} Reduction;

#define NEG32(n) (0x100000000ull - (n))
#define NEG64(n) (0ull - (n))

static const Reduction reductions[] = {
    { NVC46F_SEM_EXECUTE_REDUCTION_IMIN, false, false, 5, NEG32(1), 5 },
    { NVC46F_SEM_EXECUTE_REDUCTION_IMIN, true, false, 5, NEG32(1), NEG32(1) },
    { NVC46F_SEM_EXECUTE_REDUCTION_IMIN, true, true, 5, NEG64(1), NEG64(1) },
    { NVC46F_SEM_EXECUTE_REDUCTION_IMAX, false, false, 5, NEG32(1),
      NEG32(1) },
    { NVC46F_SEM_EXECUTE_REDUCTION_IMAX, true, false, 5, NEG32(1), 5 },
    { NVC46F_SEM_EXECUTE_REDUCTION_IMAX, false, true, 1ull << 40, 7,
      1ull << 40 },
    { NVC46F_SEM_EXECUTE_REDUCTION_IXOR, true, false, 0xff00, 0x0ff0, 0xf0f0 },
    { NVC46F_SEM_EXECUTE_REDUCTION_IAND, false, true, 0xff000000ffull,
      0xf00000000full, 0xf00000000full },
    { NVC46F_SEM_EXECUTE_REDUCTION_IOR, false, false, 0xf0, 0x0f, 0xff },
    { NVC46F_SEM_EXECUTE_REDUCTION_IADD, false, false, NEG32(1), 3, 2 },
    { NVC46F_SEM_EXECUTE_REDUCTION_IADD, true, false, 7, NEG32(2), 5 },
    { NVC46F_SEM_EXECUTE_REDUCTION_IADD, false, true, 0xffffffff, 1,
      1ull << 32 },
    { NVC46F_SEM_EXECUTE_REDUCTION_INC, false, false, 3, 5, 4 },
    { NVC46F_SEM_EXECUTE_REDUCTION_INC, false, false, 5, 5, 0 },
    { NVC46F_SEM_EXECUTE_REDUCTION_DEC, false, false, 3, 5, 2 },
    { NVC46F_SEM_EXECUTE_REDUCTION_DEC, false, false, 0, 5, 5 },
    { NVC46F_SEM_EXECUTE_REDUCTION_DEC, false, false, 9, 5, 5 },
};

static uint32_t reduction_execute(const Reduction *r)
{
    return SEM_EXECUTE(REDUCTION) | (r->is_64bit ? SEM_64BIT : 0) |
           VGSP_SET(NVC46F_SEM_EXECUTE_REDUCTION, r->op) |
           (r->is_signed ? 0 : NVC46F_SEM_EXECUTE_REDUCTION_FORMAT);
}

static void test_reduction(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh c;

    bench_channel(b, &c, 3);
    for (size_t i = 0; i < ARRAY_SIZE(reductions); i++) {
        const Reduction *r = &reductions[i];
        uint64_t above = r->is_64bit ? 0 : 0xcccccccc00000000;

        wr64(b, 0x40, r->old | above);
        vgsp_ch_sem(&c, VGSP_CH_VA_RAM + 0x40, r->payload,
                    reduction_execute(r));
        vgsp_ch_sync(&c);
        g_assert_cmphex(rd64(b, 0x40), ==, r->result | above);
    }
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

typedef struct Acquire {
    uint32_t execute;
    uint64_t payload, fails, passes;
} Acquire;

static const Acquire acquires[] = {
    { SEM_EXECUTE(ACQUIRE), 5, 6, 5 },
    { SEM_EXECUTE(ACQUIRE), 0x700000005, 6, 0x900000005 },
    { SEM_EXECUTE(ACQUIRE) | SEM_64BIT, 0x700000005, 5, 0x700000005 },
    { SEM_EXECUTE(ACQ_STRICT_GEQ), 5, 4, 0x80000000 },
    { SEM_EXECUTE(ACQ_STRICT_GEQ) | SEM_64BIT, 1ull << 32, 0xffffffff,
      1ull << 63 },
    { SEM_EXECUTE(ACQ_CIRC_GEQ), 5, 4, 5 },
    { SEM_EXECUTE(ACQ_CIRC_GEQ), 0xfffffffe, 0xfffffffd, 1 },
    { SEM_EXECUTE(ACQ_CIRC_GEQ), 5, 0x80000005, 0x80000004 },
    { SEM_EXECUTE(ACQ_CIRC_GEQ) | SEM_64BIT, NEG64(2), NEG64(3), 1 },
    { SEM_EXECUTE(ACQ_AND), 0xf0, 0x0f, 0x10 },
    { SEM_EXECUTE(ACQ_AND) | SEM_64BIT, 1ull << 40, 1, 1ull << 40 },
    { SEM_EXECUTE(ACQ_NOR), 0xffff0000, 0x0000ffff, 0x00007fff },
};

/* A value that fails parks the channel; the CPU then writes one that passes. */
static void test_acquire(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh c;

    bench_channel(b, &c, 3);
    for (size_t i = 0; i < ARRAY_SIZE(acquires); i++) {
        const Acquire *a = &acquires[i];

        wr64(b, 0x40, a->fails);
        wr(b, 0x80, 0);
        vgsp_ch_sem(&c, VGSP_CH_VA_RAM + 0x40, a->payload, a->execute |
                    NVC46F_SEM_EXECUTE_ACQUIRE_SWITCH_TSG);
        vgsp_ch_sem(&c, VGSP_CH_VA_RAM + 0x80, 1, SEM_EXECUTE(RELEASE));
        vgsp_ch_kick(&c);
        g_usleep(5000);
        g_assert_cmphex(rd(b, 0x80), ==, 0);
        wr64(b, 0x40, a->passes);
        g_assert_true(vgsp_ch_wait(b->q, b->s.ram + 0x80, 1));
        /* And what passes at once does not park. */
        vgsp_ch_sem(&c, VGSP_CH_VA_RAM + 0x40, a->payload, a->execute);
        vgsp_ch_sync(&c);
    }
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

static void legacy_sem(VgspCh *c, uint64_t va, uint32_t payload,
                       uint32_t execute)
{
    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_INC_METHOD, 0, NVC46F_SEMAPHOREA, 4);
    vgsp_ch_word(c, va >> 32);
    vgsp_ch_word(c, va);
    vgsp_ch_word(c, payload);
    vgsp_ch_word(c, execute);
}

static void test_legacy_semaphores(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh c;

    bench_channel(b, &c, 3);
    for (int i = 0; i < 0x40; i += 8) {
        wr64(b, i, 0xaaaaaaaaaaaaaaaa);
    }
    /* Size 1 is the small one. */
    legacy_sem(&c, VGSP_CH_VA_RAM, 1, NVC46F_SEMAPHORED_OPERATION_RELEASE |
               NVC46F_SEMAPHORED_RELEASE_SIZE);
    legacy_sem(&c, VGSP_CH_VA_RAM + 0x10, 2,
               NVC46F_SEMAPHORED_OPERATION_RELEASE);
    legacy_sem(&c, VGSP_CH_VA_RAM, 4, NVC46F_SEMAPHORED_OPERATION_REDUCTION |
               VGSP_SET(NVC46F_SEMAPHORED_REDUCTION,
                        NVC46F_SEM_EXECUTE_REDUCTION_IADD) |
               NVC46F_SEMAPHORED_FORMAT);
    legacy_sem(&c, VGSP_CH_VA_RAM, 5, NVC46F_SEMAPHORED_OPERATION_ACQUIRE);
    legacy_sem(&c, VGSP_CH_VA_RAM, 4, NVC46F_SEMAPHORED_OPERATION_ACQ_GEQ);
    legacy_sem(&c, VGSP_CH_VA_RAM, 1, NVC46F_SEMAPHORED_OPERATION_ACQ_AND);
    vgsp_ch_sync(&c);
    g_assert_cmphex(rd64(b, 0x00), ==, 0xaaaaaaaa00000005);
    g_assert_cmphex(rd64(b, 0x10), ==, 2);
    g_assert_cmphex(rd64(b, 0x18), !=, 0xaaaaaaaaaaaaaaaa);
    /* One that must wait, for another channel's release. */
    legacy_sem(&c, VGSP_CH_VA_RAM, 6, NVC46F_SEMAPHORED_OPERATION_ACQ_GEQ |
               NVC46F_SEMAPHORED_ACQUIRE_SWITCH);
    legacy_sem(&c, VGSP_CH_VA_RAM + 0x20, 7,
               NVC46F_SEMAPHORED_OPERATION_RELEASE |
               NVC46F_SEMAPHORED_RELEASE_SIZE);
    vgsp_ch_kick(&c);
    g_usleep(5000);
    g_assert_cmphex(rd(b, 0x20), ==, 0xaaaaaaaa);
    wr(b, 0, 6);
    g_assert_true(vgsp_ch_wait(b->q, b->s.ram + 0x20, 7));
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* ---- Other host methods ---- */

static void test_reference(void)
{
    Bench *b = vgsp_ch_bench_new();
    VgspCh c;

    bench_channel(b, &c, 3);
    vgsp_ch_method(&c, 0, NVC46F_SET_REFERENCE, 0xbeef);
    vgsp_ch_method(&c, 0, NVC46F_NOP, 1);
    vgsp_ch_method(&c, 0, NVC46F_FB_FLUSH, 0);
    vgsp_ch_method(&c, 0, NVC46F_WFI, 0);
    vgsp_ch_method(&c, 0, NVC46F_YIELD, NVC46F_YIELD_OP_NOP);
    vgsp_ch_method(&c, 0, NVC46F_YIELD, NVC46F_YIELD_OP_RUNLIST_TIMESLICE);
    vgsp_ch_method(&c, 0, NVC46F_YIELD, NVC46F_YIELD_OP_TSG);
    vgsp_ch_method(&c, 0, NVC46F_MEM_OP_D,
                   VGSP_SET(NVC46F_MEM_OP_D_OPERATION,
                            NVC46F_MEM_OP_D_OPERATION_MEMBAR));
    vgsp_ch_sync(&c);
    for (int i = 0; i < 1000 &&
         vgsp_ch_userd(&c, NV_RAMUSERD_REF) != 0xbeef; i++) {
        g_usleep(1000);
    }
    g_assert_cmphex(vgsp_ch_userd(&c, NV_RAMUSERD_REF), ==, 0xbeef);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* The channel goes on after the main loop has performed the invalidation. */
static void test_tlb_invalidate(void)
{
    Bench *b = vgsp_ch_bench_new();
    int64_t before = vgsp_qos_stat(b->q, "stats-invalidates");
    uint64_t pdb = b->s.vm->base;
    VgspCh c;

    vgsp_ch_new(&b->s, &c, 3, NV2080_ENGINE_TYPE_COPY(2), 64, true);
    for (int i = 0; i < 2; i++) {
        vgsp_ch_header(&c, NVC46F_DMA_SEC_OP_INC_METHOD, 0, NVC46F_MEM_OP_A,
                       4);
        vgsp_ch_word(&c, i ? 0x123000 | 63 : 0);
        vgsp_ch_word(&c, 0);
        vgsp_ch_word(&c, pdb & NVC46F_MEM_OP_C_TLB_INVALIDATE_PDB_ADDR_LO);
        vgsp_ch_word(&c, VGSP_SET(NVC46F_MEM_OP_D_OPERATION, i ?
                     NVC46F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE_TARGETED :
                     NVC46F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE) |
                     pdb >> 32);
    }
    vgsp_ch_method(&c, 0, NVC46F_MEM_OP_D,
                   VGSP_SET(NVC46F_MEM_OP_D_OPERATION,
                            NVC46F_MEM_OP_D_OPERATION_ACCESS_COUNTER_CLR));
    vgsp_ch_sync(&c);
    g_assert_cmpint(vgsp_qos_stat(b->q, "stats-invalidates") - before, ==, 2);
    g_assert_cmpuint(b->rc.events, ==, 0);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* The firmware's ROM is no memory to write to: the channel faults. */
static void test_write_rom(void)
{
    const uint64_t rom = 0xfffff000, va = VGSP_CH_VA_NONE;
    Bench *b = vgsp_ch_bench_new();
    uint32_t execute = NVC46F_SEM_EXECUTE_OPERATION_RELEASE;
    uint32_t before = qtest_readl(b->q->qts, rom);
    VgspCh c;

    vgsp_vm_map(b->s.vm, va, rom, 12, VGSP_PTE_SYS);
    vgsp_vm_commit(b->s.vm);
    vgsp_ch_new(&b->s, &c, 3, NV2080_ENGINE_TYPE_COPY(2), 64, false);
    vgsp_ch_sem(&c, va, 0x1234, execute);
    vgsp_ch_kick(&c);
    g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, 1));
    g_assert_cmpuint(b->rc.except_type, ==,
                     ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT);
    g_assert_cmphex(b->rc.fault_addr, ==, va);
    g_assert_cmphex(qtest_readl(b->q->qts, rom), ==, before);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

static void no_doorbell(void *opaque, uint32_t reg, uint32_t val)
{
}

static void send_free(VgspQos *q, uint32_t client)
{
    uint8_t free[sizeof(rpc_free_v03_00)] = { 0 };

    vgsp_put_le32(free + offsetof(rpc_free_v03_00, hRoot), client);
    vgsp_put_le32(free + offsetof(rpc_free_v03_00, hObjectOld), client);
    g_assert_cmpint(vgsp_gsp_rpc_send(&q->gsp, NV_VGPU_MSG_FUNCTION_FREE, free,
                                      sizeof(free)), ==, VGSP_GSP_OK);
}

/*
 * Channels that are freed while they write to ROM: whoever frees them holds
 * the BQL and waits for them, so they must not wait for the BQL.
 */
static void test_free_writing_rom(void)
{
    typedef rpc_gsp_rm_control_v03_00 Control;
    const uint64_t va = VGSP_CH_VA_NONE;
    Bench *b = vgsp_ch_bench_new();
    VgspGspClient *gsp = &b->q->gsp;
    const VgspGspOps *real = gsp->ops;
    VgspGspOps quiet = *real;
    uint8_t control[sizeof(Control) + 1] = { 0 };
    uint8_t disable = 1;
    VgspCh c[32];

    vgsp_vm_map(b->s.vm, va, 0xfffff000, 12, VGSP_PTE_SYS);
    vgsp_vm_commit(b->s.vm);
    g_assert_cmpint(vgsp_gsp_rm_control(
        gsp, gsp->info.client, gsp->info.subdevice,
        NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING,
        &disable, 1), ==, VGSP_GSP_OK);
    for (unsigned i = 0; i < G_N_ELEMENTS(c); i++) {
        b->s.channels = i % 16;
        vgsp_ch_new(&b->s, &c[i], i, NV2080_ENGINE_TYPE_COPY(2), 64, false);
        vgsp_ch_sem(&c[i], va, i, NVC46F_SEM_EXECUTE_OPERATION_RELEASE);
        vgsp_ch_kick(&c[i]);
    }

    /* All go, and after a moment their client, by one doorbell of GSP-RM. */
    quiet.write32 = no_doorbell;
    gsp->ops = &quiet;
    vgsp_put_le32(control + offsetof(Control, hClient), gsp->info.client);
    vgsp_put_le32(control + offsetof(Control, hObject), gsp->info.subdevice);
    vgsp_put_le32(control + offsetof(Control, cmd),
        NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING);
    vgsp_put_le32(control + offsetof(Control, paramsSize), 1);
    g_assert_cmpint(vgsp_gsp_rpc_send(gsp, NV_VGPU_MSG_FUNCTION_GSP_RM_CONTROL,
                                      control, sizeof(control)), ==,
                    VGSP_GSP_OK);
    for (unsigned i = 0; i < 13; i++) {
        send_free(b->q, 0);
    }
    gsp->ops = real;
    send_free(b->q, b->s.rm.client);

    /* Who holds the BQL for ever answers no more. */
    g_assert_cmpint(vgsp_qos_stat(b->q, "stats-rpcs"), >, 0);
    vgsp_gsp_forget(gsp);
    vgsp_qos_flr(b->q);
    g_assert_cmphex(vgsp_rd32(b->q, 0), !=, 0xffffffff);
    vgsp_vm_free(b->s.vm);
    vgsp_qos_free(b->q);
    g_free(b);
}

/* ---- CRCs ---- */

/* As the manual's pseudocode, bit by bit; @bytes of @v, lowest first. */
static void crc(uint32_t *crc, uint64_t v, unsigned bytes)
{
    for (; bytes; bytes--, v >>= 8) {
        *crc ^= (uint32_t)(v & 0xff) << 24;
        for (int bit = 0; bit < 8; bit++) {
            *crc = *crc & 0x80000000 ? *crc << 1 ^ 0x04c11db7 : *crc << 1;
        }
    }
}

/* A method, and what it adds to the CRC of what the engine is sent. */
static void method_crc(VgspCh *c, uint32_t *sum, unsigned subch,
                       uint32_t method, uint32_t data)
{
    vgsp_ch_method(c, subch, method, data);
    crc(sum, (uint64_t)(subch << 12 | method >> 2) << 32 | data, 6);
}

/* An entry, and what it adds to the CRC of entries. */
static void entry_crc(VgspCh *c, uint32_t *sum, uint32_t e0, uint32_t e1)
{
    vgsp_ch_raw_entry(c, e0, e1);
    crc(sum, (uint64_t)e1 << 32 | e0, 8);
}

/*
 * Each of the three begins anew after it was checked; Host's own methods are
 * not sent to an engine.
 */
static void test_crc(void)
{
    const uint32_t words = 3000;    /* more than is fetched at a time */
    Bench *b = vgsp_ch_bench_new();
    uint32_t gp = 0, pb = 0, sent = 0, first;
    VgspCh c;

    bench_channel(b, &c, 3);
    vgsp_ch_copy_object(&c);
    for (int round = 0; round < 3; round++) {
        uint64_t va;

        first = c.words;
        method_crc(&c, &sent, 4, NVC46F_SET_OBJECT, TURING_DMA_COPY_A);
        vgsp_ch_method(&c, 4, NVC46F_NOP, 1);
        method_crc(&c, &sent, 4, NVC5B5_OFFSET_IN_UPPER, 0x5a + round);
        method_crc(&c, &sent, 4, NVC5B5_OFFSET_IN_LOWER, 0xa5a5a5a5);
        vgsp_ch_method(&c, 0, NVC46F_CRC_CHECK, sent);
        vgsp_ch_method(&c, 0, NVC46F_CRC_CHECK, 0);
        sent = 0;
        while (c.words - first < words) {
            vgsp_ch_word(&c, NVC46F_DMA_NOP);
        }
        pb = 0;
        for (uint32_t i = 0; i < words; i++) {
            crc(&pb, qtest_readl(b->q->qts, c.ram + VGSP_CH_PUSH +
                                 4 * (first + i)), 4);
        }
        va = c.ch.gpfifo_va + VGSP_CH_PUSH + 4 * first;
        entry_crc(&c, &gp, va, va >> 32 |
                  VGSP_SET(NVC46F_GP_ENTRY1_LENGTH, words));
        entry_crc(&c, &gp, 0, NVC46F_GP_ENTRY1_OPCODE_NOP);
        entry_crc(&c, &gp, pb, NVC46F_GP_ENTRY1_OPCODE_PB_CRC);
        vgsp_ch_raw_entry(&c, gp, NVC46F_GP_ENTRY1_OPCODE_GP_CRC);
        gp = 0;
        vgsp_ch_raw_entry(&c, gp, NVC46F_GP_ENTRY1_OPCODE_GP_CRC);
        c.start = c.words;
        vgsp_ch_ring(&c);
        for (int i = 0; vgsp_ch_userd(&c, NV_RAMUSERD_GP_GET) != c.put; i++) {
            g_assert_cmpint(i, <, 10000);
            g_usleep(100);
        }
    }
    vgsp_gsp_poll(&b->q->gsp);
    g_assert_cmpuint(b->rc.events, ==, 0);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    qtest_add_func("/vgsp/host/gpfifo", test_gpfifo);
    qtest_add_func("/vgsp/host/split-header", test_split_header);
    qtest_add_func("/vgsp/host/immediate-parks", test_immediate_parks);
    qtest_add_func("/vgsp/host/subdevice-mask", test_subdevice_mask);
    qtest_add_func("/vgsp/host/release", test_release);
    qtest_add_func("/vgsp/host/persistent-payload", test_persistent_payload);
    qtest_add_func("/vgsp/host/reduction", test_reduction);
    qtest_add_func("/vgsp/host/acquire", test_acquire);
    qtest_add_func("/vgsp/host/legacy-semaphores", test_legacy_semaphores);
    qtest_add_func("/vgsp/host/reference", test_reference);
    qtest_add_func("/vgsp/host/tlb-invalidate", test_tlb_invalidate);
    qtest_add_func("/vgsp/host/write-rom", test_write_rom);
    qtest_add_func("/vgsp/host/free-writing-rom", test_free_writing_rom);
    qtest_add_func("/vgsp/host/crc", test_crc);
    return g_test_run();
}
