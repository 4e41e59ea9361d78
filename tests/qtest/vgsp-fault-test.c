/*
 * MMU faults of channels: the record in the fault buffer, its interrupt, and
 * the channel's error, for each kind of fault and of who met it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-channel.h"
#include "vgsp/chip.h"
#include "vgsp/gmmu.h"
#include "vgsp/nv/dev_fault.h"
#include "vgsp/nv/dev_vm.h"
#include "vgsp/nv/i2m.h"

#define VF(name)    (NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET + \
                     NV_VIRTUAL_FUNCTION_PRIV_##name)
#define FB(name)    NV_VIRTUAL_FUNCTION_PRIV_MMU_FAULT_BUFFER_##name
#define ENTRY(name) NV_MMU_FAULT_BUF_ENTRY_##name
#define ENTRIES     32u
#define COPY        NV2080_ENGINE_TYPE_COPY(2)
#define GR          NV2080_ENGINE_TYPE_GR0

#define SEM_EXECUTE(op) NVC46F_SEM_EXECUTE_OPERATION_##op

/* Pages with something wrong about them. */
#define VA_READ_ONLY    0x30000000u
#define VA_PRIVILEGED   0x30001000u
#define VA_NO_ATOMICS   0x30002000u
#define VA_PEER         0x30003000u
#define VA_NO_RAM       0x30004000u
#define VA_NO_PTE       0x30005000u
#define VA_NO_PDE       VGSP_CH_VA_NONE

typedef void Push(VgspCh *c, uint64_t va);

static void push_release(VgspCh *c, uint64_t va)
{
    vgsp_ch_sem(c, va, 1, SEM_EXECUTE(RELEASE));
}

static void push_acquire(VgspCh *c, uint64_t va)
{
    vgsp_ch_sem(c, va, 1, SEM_EXECUTE(ACQUIRE));
}

static void push_reduce(VgspCh *c, uint64_t va)
{
    vgsp_ch_sem(c, va, 1, SEM_EXECUTE(REDUCTION) |
                VGSP_SET(NVC46F_SEM_EXECUTE_REDUCTION,
                         NVC46F_SEM_EXECUTE_REDUCTION_IADD) |
                NVC46F_SEM_EXECUTE_REDUCTION_FORMAT);
}

static void copy(VgspCh *c, uint64_t from, uint64_t to)
{
    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_INC_METHOD, 4, NVC5B5_OFFSET_IN_UPPER,
                   4);
    vgsp_ch_word(c, from >> 32);
    vgsp_ch_word(c, from);
    vgsp_ch_word(c, to >> 32);
    vgsp_ch_word(c, to);
    vgsp_ch_method(c, 4, NVC5B5_LINE_LENGTH_IN, 64);
    vgsp_ch_method(c, 4, NVC5B5_LAUNCH_DMA,
                   NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED |
                   NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT |
                   NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT);
}

static void push_copy_from(VgspCh *c, uint64_t va)
{
    copy(c, va, VGSP_CH_VA_RAM);
}

static void push_copy_to(VgspCh *c, uint64_t va)
{
    copy(c, VGSP_CH_VA_RAM, va);
}

static void push_segment(VgspCh *c, uint64_t va)
{
    vgsp_ch_raw_entry(c, (uint32_t)va, (uint32_t)(va >> 32) |
                      VGSP_SET(NVC46F_GP_ENTRY1_LENGTH, 1));
}

static void push_upload(VgspCh *c, uint64_t va)
{
    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_INC_METHOD, 2, NVA140_LINE_LENGTH_IN,
                   4);
    vgsp_ch_word(c, 4);
    vgsp_ch_word(c, 1);
    vgsp_ch_word(c, va >> 32);
    vgsp_ch_word(c, va);
    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_ONE_INC, 2, NVA140_LAUNCH_DMA, 2);
    vgsp_ch_word(c, NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT);
    vgsp_ch_word(c, 1);
}

enum { READ, WRITE, ATOMIC };
enum { HOST, CE, FE };

static const struct {
    Push *push;
    uint64_t va;
    uint8_t type, access, unit;
} cases[] = {
    { push_release, VA_NO_PDE, VGSP_GMMU_FAULT_PDE, WRITE, HOST },
    { push_release, VA_NO_PTE, VGSP_GMMU_FAULT_PTE, WRITE, HOST },
    { push_acquire, VA_NO_PTE, VGSP_GMMU_FAULT_PTE, READ, HOST },
    { push_segment, VA_NO_PDE, VGSP_GMMU_FAULT_PDE, READ, HOST },
    { push_reduce, VA_NO_PTE, VGSP_GMMU_FAULT_PTE, ATOMIC, HOST },
    { push_release, VA_READ_ONLY, VGSP_GMMU_FAULT_RO_VIOLATION, WRITE, HOST },
    { push_reduce, VA_READ_ONLY, VGSP_GMMU_FAULT_RO_VIOLATION, ATOMIC, HOST },
    { push_acquire, VA_PRIVILEGED, VGSP_GMMU_FAULT_PRIV_VIOLATION, READ,
      HOST },
    { push_reduce, VA_NO_ATOMICS, VGSP_GMMU_FAULT_ATOMIC_VIOLATION, ATOMIC,
      HOST },
    { push_acquire, VA_PEER, VGSP_GMMU_FAULT_UNSUPPORTED_APERTURE, READ,
      HOST },
    { push_acquire, VA_NO_RAM, VGSP_GMMU_FAULT_REGION_VIOLATION, READ, HOST },
    { push_copy_from, VA_NO_PTE, VGSP_GMMU_FAULT_PTE, READ, CE },
    { push_copy_to, VA_NO_PDE, VGSP_GMMU_FAULT_PDE, WRITE, CE },
    { push_copy_to, VA_READ_ONLY, VGSP_GMMU_FAULT_RO_VIOLATION, WRITE, CE },
    { push_copy_from, VA_PRIVILEGED, VGSP_GMMU_FAULT_PRIV_VIOLATION, READ,
      CE },
    { push_upload, VA_NO_PDE, VGSP_GMMU_FAULT_PDE, WRITE, FE },
    { push_upload, VA_READ_ONLY, VGSP_GMMU_FAULT_RO_VIOLATION, WRITE, FE },
};

static void map_pages(VgspChSpace *s)
{
    const uint64_t pte = VGSP_PTE_SYS;

    vgsp_vm_map(s->vm, VA_READ_ONLY, s->ram, 12,
                pte | NV_MMU_VER2_PTE_READ_ONLY);
    vgsp_vm_map(s->vm, VA_PRIVILEGED, s->ram, 12,
                pte | NV_MMU_VER2_PTE_PRIVILEGE);
    vgsp_vm_map(s->vm, VA_NO_ATOMICS, s->ram, 12,
                pte | NV_MMU_VER2_PTE_ATOMIC_DISABLE);
    vgsp_vm_map(s->vm, VA_PEER, 0, 12, NV_MMU_VER2_PTE_VALID |
                VGSP_SET(NV_MMU_VER2_PTE_APERTURE, 1));
    vgsp_vm_map(s->vm, VA_NO_RAM, 0xffff00000000ull, 12, pte);
    vgsp_vm_commit(s->vm);
    vgsp_invalidate(s->q, s->vm->base);
}

static uint64_t buffer_new(VgspQos *q, unsigned i, uint32_t entries)
{
    uint64_t at = vgsp_qos_ram(q, ENTRIES * NV_MMU_FAULT_BUF_SIZE);

    vgsp_wr32(q, VF(MMU_FAULT_BUFFER_LO(i)), (uint32_t)at |
              FB(LO_ADDR_MODE) |
              VGSP_SET(FB(LO_PHYS_APERTURE), VGSP_APERTURE_SYS_COHERENT));
    vgsp_wr32(q, VF(MMU_FAULT_BUFFER_HI(i)), at >> 32);
    vgsp_wr32(q, VF(MMU_FAULT_BUFFER_SIZE(i)), entries | FB(SIZE_ENABLE) |
              FB(SIZE_OVERFLOW_INTR));
    return at;
}

/* Whether @vector is pending; clears it. */
static bool vector_taken(VgspQos *q, unsigned vector)
{
    uint32_t leaf = VF(CPU_INTR_LEAF(vector / 32));
    uint32_t bit = 1u << vector % 32;
    bool pending = vgsp_rd32(q, leaf) & bit;

    vgsp_wr32(q, leaf, bit);
    return pending;
}

static void i2m_object(VgspCh *c)
{
    g_assert_cmpint(vgsp_gsp_rm_alloc(&c->s->q->gsp, c->s->rm.client,
                                      c->ch.handle, 0x900000 + c->ch.chid,
                                      KEPLER_INLINE_TO_MEMORY_B, NULL, 0), ==,
                    VGSP_GSP_OK);
}

static void check_record(VgspChBench *b, VgspCh *c, uint64_t at, unsigned i)
{
    static const uint8_t client[] = {
        [HOST] = NV_PFAULT_CLIENT_HUB_HOST,
        [CE] = NV_PFAULT_CLIENT_HUB_CE2,
        [FE] = NV_PFAULT_CLIENT_HUB_FE,
    };
    /* Each on the runlist of its engine: PBDMA 2 is LCE 2's. */
    static const uint8_t engine[] = {
        [HOST] = NV_PFAULT_MMU_ENG_ID_HOST0 + 2,
        [CE] = NV_PFAULT_MMU_ENG_ID_CE0 + 2,
        [FE] = NV_PFAULT_MMU_ENG_ID_GRAPHICS,
    };
    uint32_t w[NV_MMU_FAULT_BUF_SIZE / 4];
    unsigned unit = cases[i].unit;

    for (unsigned n = 0; n < ARRAY_SIZE(w); n++) {
        w[n] = qtest_readl(b->q->qts, at + 4 * n);
    }
    g_assert_cmphex(w[0], ==, (uint32_t)c->ch.inst); /* in video memory */
    g_assert_cmphex(w[1], ==, c->ch.inst >> 32);
    g_assert_cmphex(w[2], ==, (uint32_t)cases[i].va & ~0xfffu);
    g_assert_cmphex(w[3], ==, cases[i].va >> 32);
    g_assert_cmphex(w[6], ==, engine[unit]);
    g_assert_cmphex(w[7], ==, 1u << 31 | 1u << 20 | cases[i].access << 16 |
                    client[unit] << 8 | cases[i].type);
}

/* One record a fault, and the channel's error; nobody else notices. */
static void test_records(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    uint64_t at = buffer_new(b->q, 0, ENTRIES);
    VgspCh good;

    map_pages(&b->s);
    vgsp_ch_new(&b->s, &good, 2, COPY, 64, false);
    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        VgspCh c;

        vgsp_ch_new(&b->s, &c, 3 + i, cases[i].unit == FE ? GR : COPY, 64,
                    false);
        if (cases[i].unit == FE) {
            i2m_object(&c);
        } else {
            vgsp_ch_copy_object(&c);
        }
        cases[i].push(&c, cases[i].va);
        if (c.words) {
            vgsp_ch_entry(&c, 0);
        }
        vgsp_ch_ring(&c);
        g_test_message("case %u", i);
        g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, i + 1));
        g_assert_cmpuint(b->rc.chid, ==, c.ch.chid);
        g_assert_cmpuint(b->rc.except_type, ==,
                         ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT);
        g_assert_cmphex(b->rc.fault_addr, ==, cases[i].va);
        g_assert_cmpuint(vgsp_rd32(b->q, VF(MMU_FAULT_BUFFER_PUT(0))), ==,
                         i + 1);
        check_record(b, &c, at + i * NV_MMU_FAULT_BUF_SIZE, i);
        g_assert_true(vector_taken(
            b->q, NV_PFB_PRI_MMU_INT_VECTOR_FAULT_NOTIFY_NON_REPLAYABLE));
        vgsp_wr32(b->q, VF(MMU_FAULT_BUFFER_GET(0)), i + 1);
        vgsp_ch_sync(&good);
        vgsp_ch_free(&c);
    }
    g_assert_cmpuint(vgsp_rd32(b->q, VF(MMU_FAULT_BUFFER_PUT(1))), ==, 0);
    vgsp_ch_free(&good);
    vgsp_ch_bench_free(b);
}

static void fault_once(VgspChBench *b, uint32_t chid)
{
    VgspCh c;

    vgsp_ch_new(&b->s, &c, chid, COPY, 64, false);
    b->s.channels--;            /* its memory is free for the next */
    push_release(&c, VA_NO_PDE);
    vgsp_ch_kick(&c);
    g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, b->rc.events + 1));
    vgsp_ch_free(&c);
}

/* Full: the record is dropped, and all after it until the flag is cleared. */
static void test_overflow(void)
{
    const unsigned notify =
        NV_PFB_PRI_MMU_INT_VECTOR_FAULT_NOTIFY_NON_REPLAYABLE;
    const unsigned error =
        NV_PFB_PRI_MMU_INT_VECTOR_FAULT_ERROR_NON_REPLAYABLE;
    VgspChBench *b = vgsp_ch_bench_new();
    uint32_t get = VF(MMU_FAULT_BUFFER_GET(0));
    uint32_t put = VF(MMU_FAULT_BUFFER_PUT(0));

    buffer_new(b->q, 0, 4);
    for (int i = 0; i < 3; i++) {
        fault_once(b, 3);
        g_assert_true(vector_taken(b->q, notify));
    }
    g_assert_cmphex(vgsp_rd32(b->q, put), ==, 3);
    fault_once(b, 3);
    g_assert_false(vector_taken(b->q, notify));
    g_assert_true(vector_taken(b->q, error));
    g_assert_cmphex(vgsp_rd32(b->q, put), ==, FB(OVERFLOW) | 3);
    g_assert_cmphex(vgsp_rd32(b->q, get), ==, FB(OVERFLOW));
    vgsp_wr32(b->q, get, 3);
    fault_once(b, 3);
    g_assert_cmphex(vgsp_rd32(b->q, put), ==, FB(OVERFLOW) | 3);
    vgsp_wr32(b->q, get, FB(OVERFLOW) | 3);
    g_assert_cmphex(vgsp_rd32(b->q, put), ==, 3);
    fault_once(b, 3);
    g_assert_cmphex(vgsp_rd32(b->q, put), ==, 0); /* wrapped */
    g_assert_true(vector_taken(b->q, notify));
    vgsp_ch_bench_free(b);
}

/* Disabled, or where nothing is: the channel's error is all there is. */
static void test_no_buffer(void)
{
    VgspChBench *b = vgsp_ch_bench_new();

    fault_once(b, 3);
    g_assert_cmphex(vgsp_rd32(b->q, VF(MMU_FAULT_BUFFER_PUT(0))), ==, 0);
    vgsp_wr32(b->q, VF(MMU_FAULT_BUFFER_LO(0)), 0xfffff000u |
              FB(LO_ADDR_MODE) |
              VGSP_SET(FB(LO_PHYS_APERTURE), VGSP_APERTURE_SYS_COHERENT));
    vgsp_wr32(b->q, VF(MMU_FAULT_BUFFER_HI(0)), 0xffffffff);
    vgsp_wr32(b->q, VF(MMU_FAULT_BUFFER_SIZE(0)), ENTRIES | FB(SIZE_ENABLE));
    fault_once(b, 3);
    vgsp_wr32(b->q, VF(MMU_FAULT_BUFFER_SIZE(0)), FB(SIZE_ENABLE));
    fault_once(b, 3);
    g_assert_cmpuint(b->rc.events, ==, 3);
    vgsp_ch_bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    qtest_add_func("/vgsp/fault/records", test_records);
    qtest_add_func("/vgsp/fault/overflow", test_overflow);
    qtest_add_func("/vgsp/fault/no-buffer", test_no_buffer);
    return g_test_run();
}
