/*
 * Memory whose bytes the executor's chip keeps in another order, by page kind:
 * copies and BAR1 show what the guest's engines see, and memory has the order.
 * owner=null:reversed claims such a chip: each 16 bytes in reverse.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-channel.h"
#include "vgsp/blocklinear.h"

#define LAUNCH(field, value) VGSP_SET(NVC5B5_LAUNCH_DMA_##field, \
                                      NVC5B5_LAUNCH_DMA_##field##_##value)
#define NON_PIPELINED   LAUNCH(DATA_TRANSFER_TYPE, NON_PIPELINED)
#define SRC_PITCH       NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT
#define DST_PITCH       NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT
#define PITCH_COPY      (NON_PIPELINED | SRC_PITCH | DST_PITCH | \
                         NVC5B5_LAUNCH_DMA_FLUSH_ENABLE)
#define PTE_KIND(k)     VGSP_SET(NV_MMU_VER2_PTE_KIND, k)

/* Bytes looked at of SRC and of what lies behind VA_KIND. */
#define LEN     0x3000u
#define SRC     0x10000u
#define KIND    0x20000u
#define DST     0x40000u
#define VA(x)   (VGSP_CH_VA_RAM + (x))
/* The same memory as VA(KIND), page k apart for kind k. */
#define VA_KIND(k)  (0x30000000ull + (k) * 0x10000)

typedef struct Bench {
    VgspQos *q;
    VgspChSpace s;
    VgspChRc rc;
    VgspCh c;
    char *file;
    uint8_t src[LEN], kind[LEN], dst[LEN], want[LEN];
} Bench;

static Bench *bench_new(const char *owner)
{
    Bench *b = g_new0(Bench, 1);
    g_autofree char *args = NULL;

    b->file = g_strdup_printf("%s/vgsp-kind-%d", g_get_tmp_dir(), getpid());
    args = g_strdup_printf(",owner=%s,record=%s", owner, b->file);
    b->q = vgsp_qos_new(args, "");
    vgsp_gsp_up(b->q, vgsp_profiles[0]);
    vgsp_ch_watch(b->q, &b->rc);
    vgsp_ch_space_new(b->q, &b->s, 0);
    for (unsigned k = 0; k < 16; k++) {
        for (uint32_t off = 0; k != NV_MMU_PTE_KIND_INVALID && off < LEN;
             off += VGSP_QOS_PAGE) {
            vgsp_vm_map(b->s.vm, VA_KIND(k) + off, b->s.ram + KIND + off, 12,
                        VGSP_PTE_SYS | PTE_KIND(k));
        }
    }
    vgsp_vm_commit(b->s.vm);
    vgsp_ch_new(&b->s, &b->c, 5, NV2080_ENGINE_TYPE_COPY(2), 64, false);
    vgsp_ch_copy_object(&b->c);
    vgsp_ch_method(&b->c, 4, NVC46F_SET_OBJECT, TURING_DMA_COPY_A);
    for (uint32_t i = 0; i < LEN; i++) {
        b->src[i] = i * 37 + (i >> 8) * 11;
    }
    qtest_bufwrite(b->q->qts, b->s.ram + SRC, b->src, LEN);
    return b;
}

static void bench_free(Bench *b)
{
    vgsp_ch_free(&b->c);
    vgsp_ch_space_free(&b->s);
    vgsp_gsp_down(b->q);
    vgsp_qos_free(b->q);
    unlink(b->file);
    g_free(b->file);
    g_free(b);
}

static void copy(Bench *b, uint64_t dst, uint64_t src, uint32_t len,
                 uint32_t launch)
{
    vgsp_ch_header(&b->c, NVC46F_DMA_SEC_OP_INC_METHOD, 4,
                   NVC5B5_OFFSET_IN_UPPER, 8);
    vgsp_ch_word(&b->c, src >> 32);
    vgsp_ch_word(&b->c, src);
    vgsp_ch_word(&b->c, dst >> 32);
    vgsp_ch_word(&b->c, dst);
    vgsp_ch_word(&b->c, 64);
    vgsp_ch_word(&b->c, 64);
    vgsp_ch_word(&b->c, len);
    vgsp_ch_word(&b->c, launch & NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE ? 16 : 1);
    vgsp_ch_method(&b->c, 4, NVC5B5_LAUNCH_DMA, launch);
    vgsp_ch_sync(&b->c);
    g_assert_cmpuint(b->rc.events, ==, 0);
}

static void see(Bench *b)
{
    qtest_bufread(b->q->qts, b->s.ram + KIND, b->kind, LEN);
    qtest_bufread(b->q->qts, b->s.ram + DST, b->dst, LEN);
}

static void clear(Bench *b)
{
    qtest_memset(b->q->qts, b->s.ram + KIND, 0xee, LEN);
    qtest_memset(b->q->qts, b->s.ram + DST, 0xdd, LEN);
}

/* Depth kinds, compressed or not. */
static bool reversed(unsigned k)
{
    return (k >= NV_MMU_PTE_KIND_Z16 && k <= NV_MMU_PTE_KIND_Z24S8) ||
           (k >= NV_MMU_PTE_KIND_S8_COMPRESSIBLE_DISABLE_PLC &&
            k <= NV_MMU_PTE_KIND_Z24S8_COMPRESSIBLE_DISABLE_PLC);
}

static bool kept(unsigned k, uint32_t i)
{
    return (k != NV_MMU_PTE_KIND_ZF32_X24S8 &&
            k != NV_MMU_PTE_KIND_ZF32_X24S8_COMPRESSIBLE_DISABLE_PLC) ||
           i % 8 < 5;
}

/* Into a kind and out of it again, from and to odd places. */
static void test_copy(void)
{
    Bench *b = bench_new("null:reversed");

    for (unsigned k = 0; k < 16; k++) {
        if (k == NV_MMU_PTE_KIND_INVALID) {
            continue;
        }
        clear(b);
        copy(b, VA_KIND(k) + 3, VA(SRC) + 3, LEN - 5, PITCH_COPY);
        copy(b, VA(DST) + 1, VA_KIND(k) + 1, LEN - 2, PITCH_COPY);
        see(b);
        for (uint32_t i = 0; i < LEN; i++) {
            bool written = i >= 3 && i < LEN - 2;
            uint32_t at = reversed(k) ? i ^ 15 : i;

            if (kept(k, i)) {
                g_assert_cmphex(b->kind[at], ==, written ? b->src[i] : 0xee);
            }
            if (i >= 1 && i < LEN - 1) {
                g_assert_cmphex(b->dst[i], ==, !kept(k, i) ? 0 :
                                written ? b->src[i] : 0xee);
            }
        }
    }
    bench_free(b);
}

/* Between two kinds, and within one where nothing is to be put in order. */
static void test_between(void)
{
    Bench *b = bench_new("null:reversed");

    clear(b);
    copy(b, VA_KIND(NV_MMU_PTE_KIND_Z16), VA(SRC), 0x1000, PITCH_COPY);
    copy(b, VA_KIND(NV_MMU_PTE_KIND_GENERIC_MEMORY) + 0x1000,
         VA_KIND(NV_MMU_PTE_KIND_Z16), 0x1000, PITCH_COPY);
    copy(b, VA_KIND(NV_MMU_PTE_KIND_S8) + 0x2000,
         VA_KIND(NV_MMU_PTE_KIND_Z16), 0x1000, PITCH_COPY);
    see(b);
    for (uint32_t i = 0; i < 0x1000; i++) {
        g_assert_cmphex(b->kind[i ^ 15], ==, b->src[i]);
        g_assert_cmphex(b->kind[0x1000 + i], ==, b->src[i]);
        g_assert_cmphex(b->kind[0x2000 + (i ^ 15)], ==, b->src[i]);
    }
    bench_free(b);
}

/* A block-linear surface, as depth images are: 16 lines of 64 bytes. */
static void test_block_linear(void)
{
    static const uint32_t surface[] = { 1u << 12, 64, 16, 1, 0, 0 };
    Bench *b = bench_new("null:reversed");
    uint64_t kind = VA_KIND(NV_MMU_PTE_KIND_Z24S8);

    clear(b);
    for (unsigned side = 0; side < 2; side++) {
        for (unsigned i = 0; i < G_N_ELEMENTS(surface); i++) {
            vgsp_ch_method(&b->c, 4, (side ? NVC5B5_SET_DST_BLOCK_SIZE
                                           : NVC5B5_SET_SRC_BLOCK_SIZE) +
                           4 * i, surface[i]);
        }
    }
    copy(b, kind, VA(SRC), 64, NON_PIPELINED | SRC_PITCH |
         NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE);
    copy(b, VA(DST), kind, 64, NON_PIPELINED | DST_PITCH |
         NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE);
    see(b);
    for (uint32_t i = 0; i < 0x400; i++) {
        uint32_t at = i / 512 * 512 + vgsp_gob_offset(i % 64, i / 64 % 8);

        g_assert_cmphex(b->kind[at ^ 15], ==, b->src[i]);
        g_assert_cmphex(b->dst[i], ==, b->src[i]);
    }
    bench_free(b);
}

/* What has its bytes apart is no word that a semaphore could be. */
static void test_atomic(void)
{
    Bench *b = bench_new("null:reversed");

    vgsp_ch_sem(&b->c, VA_KIND(NV_MMU_PTE_KIND_GENERIC_MEMORY), 5,
                NVC46F_SEM_EXECUTE_OPERATION_REDUCTION);
    vgsp_ch_sync(&b->c);
    g_assert_cmpuint(b->rc.events, ==, 0);
    vgsp_ch_sem(&b->c, VA_KIND(NV_MMU_PTE_KIND_Z16), 5,
                NVC46F_SEM_EXECUTE_OPERATION_REDUCTION);
    vgsp_ch_kick(&b->c);
    g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, 1));
    bench_free(b);
}

/* A CPU that looks through BAR1 sees what the engines see. */
static void test_bar1(void)
{
    static const unsigned kinds[] = {
        NV_MMU_PTE_KIND_PITCH, NV_MMU_PTE_KIND_S8Z24,
        NV_MMU_PTE_KIND_Z16_COMPRESSIBLE_DISABLE_PLC,
    };
    Bench *b = bench_new("null:reversed");
    VgspQosVm *vm = vgsp_vm_new(b->q, 64u << 20, 1u << 20);
    uint64_t pde;

    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        vgsp_vm_map(vm, i * 0x1000, b->s.ram + KIND + i * 0x1000, 12,
                    VGSP_PTE_SYS | PTE_KIND(kinds[i]));
    }
    vgsp_vm_commit(vm);
    pde = vgsp_vm_pde0(vm);
    vgsp_vram_write(b->q, b->q->gsp.info.bar1_pde_base, &pde, sizeof(pde));
    vgsp_invalidate(b->q, b->q->gsp.info.bar1_pde_base);
    clear(b);
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        qtest_writel(b->q->qts, b->q->bar1 + i * 0x1000 + 8, 0x04030201);
        g_assert_cmphex(qtest_readl(b->q->qts, b->q->bar1 + i * 0x1000 + 8),
                        ==, 0x04030201);
    }
    see(b);
    for (unsigned i = 0; i < G_N_ELEMENTS(kinds); i++) {
        for (unsigned k = 0; k < 4; k++) {
            g_assert_cmphex(b->kind[i * 0x1000 +
                                    (reversed(kinds[i]) ? 7 - k : 8 + k)],
                            ==, k + 1);
        }
    }
    vgsp_vm_free(vm);
    bench_free(b);
}

/* Where no chip is behind the device, all kinds are alike. */
static void test_plain(void)
{
    Bench *b = bench_new("null");

    clear(b);
    copy(b, VA_KIND(NV_MMU_PTE_KIND_Z24S8), VA(SRC), LEN, PITCH_COPY);
    see(b);
    g_assert_cmpmem(b->kind, LEN, b->src, LEN);
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("vgsp/kind/copy", test_copy);
    qtest_add_func("vgsp/kind/between", test_between);
    qtest_add_func("vgsp/kind/block-linear", test_block_linear);
    qtest_add_func("vgsp/kind/atomic", test_atomic);
    qtest_add_func("vgsp/kind/bar1", test_bar1);
    qtest_add_func("vgsp/kind/plain", test_plain);
    return g_test_run();
}
