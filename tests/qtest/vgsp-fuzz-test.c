/*
 * Random accesses of every BAR, with GSP-RM down and up, and random pushes on
 * channels: nothing crashes or hangs, others work, and after a reset the card
 * boots.
 *
 * VGSP_FUZZ_OPS sets the number of accesses (default 20000), VGSP_FUZZ_SEED
 * the seed; both are printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-channel.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/i2m.h"
#include "vgsp/nv/mme.h"
#include "vgsp/nv/threed.h"

#define DEFAULT_OPS 20000

/* Register ranges that hold more than their share of logic. */
static const struct {
    uint32_t base, size;
} hot[] = {
    { 0x000000, 0x1000 }, { 0x001000, 0x1000 }, { 0x009000, 0x1000 },
    { 0x088000, 0x1000 }, { 0x100000, 0x1000 }, { 0x10a000, 0x1000 },
    { 0x110000, 0x4000 }, { 0x118000, 0x1000 }, { 0x1fa000, 0x1000 },
    { 0x300000, 0x1000 }, { 0x611000, 0x1000 }, { 0x700000, 0x100000 },
    { 0x840000, 0x4000 }, { 0xb80000, 0x30000 }, { 0xbb0000, 0x1000 },
};

static uint64_t fuzz_number(const char *name, uint64_t fallback)
{
    const char *s = g_getenv(name);

    return s ? g_ascii_strtoull(s, NULL, 0) : fallback;
}

static uint32_t fuzz_value(GRand *r)
{
    switch (g_rand_int_range(r, 0, 6)) {
    case 0:
        return 0;
    case 1:
        return 0xffffffff;
    case 2:
        return 1u << g_rand_int_range(r, 0, 32);
    case 3:
        return g_rand_int_range(r, 0, 256);
    case 4:
        return 0x1000000 + g_rand_int_range(r, 0, 0x100000);
    default:
        return g_rand_int(r);
    }
}

static uint64_t fuzz_address(GRand *r, VgspQos *q)
{
    int pick = g_rand_int_range(r, 0, 20);

    if (pick < 16) {
        int i = g_rand_int_range(r, 0, G_N_ELEMENTS(hot));

        return q->bar0 + hot[i].base + g_rand_int_range(r, 0, hot[i].size);
    }
    if (pick < 18) {
        return q->bar0 + g_rand_int_range(r, 0, 0x1000000);
    }
    return pick == 18 ? q->bar1 + g_rand_int_range(r, 0, 0x10000000)
                      : q->bar3 + g_rand_int_range(r, 0, 0x2000000);
}

static void fuzz_one(GRand *r, VgspQos *q)
{
    uint64_t addr = fuzz_address(r, q);
    bool write = g_rand_boolean(r);
    uint32_t val = fuzz_value(r);

    if (g_rand_int_range(r, 0, 4)) {
        addr &= ~3ull;
        if (write) {
            qtest_writel(q->qts, addr, val);
        } else {
            qtest_readl(q->qts, addr);
        }
        return;
    }
    switch (g_rand_int_range(r, 0, 3)) {
    case 0:
        if (write) {
            qtest_writeb(q->qts, addr, val);
        } else {
            qtest_readb(q->qts, addr);
        }
        break;
    case 1:
        if (write) {
            qtest_writew(q->qts, addr, val);
        } else {
            qtest_readw(q->qts, addr);
        }
        break;
    default:
        if (write) {
            qtest_writeq(q->qts, addr, (uint64_t)val << 32 | val);
        } else {
            qtest_readq(q->qts, addr);
        }
    }
}

static void fuzz_run(VgspQos *q, GRand *r, uint64_t ops)
{
    for (uint64_t i = 0; i < ops; i++) {
        fuzz_one(r, q);
        if (i % 1024 == 1023) {
            vgsp_qos_step_us(q, 1000);
        }
        if (i % 4096 == 4095) {
            /* The configuration mirror can have moved the BARs. */
            vgsp_qos_enable(q);
        }
    }
}

static void check_recovers(VgspQos *q)
{
    qtest_system_reset(q->qts);
    vgsp_qos_enable(q);
    vgsp_gsp_forget(&q->gsp);
    vgsp_gsp_up(q, vgsp_profiles[0]);
    vgsp_gsp_down(q);
}

static void test_mmio(const void *data)
{
    uint64_t ops = fuzz_number("VGSP_FUZZ_OPS", DEFAULT_OPS);
    uint32_t seed = fuzz_number("VGSP_FUZZ_SEED", 1) + GPOINTER_TO_UINT(data);
    VgspQos *q = vgsp_qos_new("", "");
    GRand *r = g_rand_new_with_seed(seed);

    g_test_message("seed %u, %" PRIu64 " accesses", seed, ops);
    fuzz_run(q, r, ops / 2);
    check_recovers(q);
    /* With GSP-RM up there is more to hit. */
    vgsp_gsp_up(q, vgsp_profiles[0]);
    fuzz_run(q, r, ops / 2);
    check_recovers(q);
    g_rand_free(r);
    vgsp_qos_free(q);
}

/* Garbage in the shared region while GSP-RM serves it. */
static void test_queue(void)
{
    uint64_t ops = fuzz_number("VGSP_FUZZ_OPS", DEFAULT_OPS) / 20;
    GRand *r = g_rand_new_with_seed(fuzz_number("VGSP_FUZZ_SEED", 1));
    VgspQos *q = vgsp_qos_new("", "");

    vgsp_gsp_up(q, vgsp_profiles[0]);
    for (uint64_t i = 0; i < ops; i++) {
        uint32_t page = g_rand_int_range(r, 1, 8);
        uint32_t off = page * 0x1000 + g_rand_int_range(r, 0, 0x30) * 4;

        if (g_rand_int_range(r, 0, 4) == 0) {
            off = 0x1010;       /* the write pointer */
        }
        qtest_writel(q->qts, q->gsp.ops->dma_addr(q, &q->gsp.shared, off),
                     off == 0x1010 ? g_rand_int_range(r, 0, 64)
                                   : fuzz_value(r));
        vgsp_wr32(q, 0x110c00, 0);
    }
    check_recovers(q);
    g_rand_free(r);
    vgsp_qos_free(q);
}

/* ---- Channels ---- */

/* A method that starts or steers something, and what it may be given. */
static const struct {
    uint8_t subch;
    uint16_t method;
    uint8_t count;
} pushes[] = {
    { 0, NVC46F_SET_OBJECT, 1 }, { 0, NVC46F_SEM_ADDR_LO, 5 },
    { 0, NVC46F_SEMAPHOREA, 4 }, { 0, NVC46F_MEM_OP_A, 4 },
    { 0, NVC46F_SET_REFERENCE, 1 }, { 0, NVC46F_WFI, 1 },
    { 0, NVC46F_YIELD, 1 }, { 0, NVC46F_NON_STALL_INTERRUPT, 1 },
    { 0, NVC597_SET_REPORT_SEMAPHORE_A, 4 },
    { 0, NVC597_LOAD_MME_INSTRUCTION_RAM_POINTER, 8 },
    { 0, NVC597_CALL_MME_MACRO(0), 3 }, { 0, NVC597_CALL_MME_MACRO(1), 2 },
    { 0, NVC597_SET_RENDER_ENABLE_A, 3 },
    { 0, NVA140_LINE_LENGTH_IN, 12 }, { 0, NVA140_LAUNCH_DMA, 3 },
    { 1, NVC5C0_SEND_PCAS_A, 3 }, { 1, NVC5C0_SET_REPORT_SEMAPHORE_A, 4 },
    { 1, NVC5C0_SET_INLINE_QMD_ADDRESS_A, 12 },
    { 1, NVA140_LINE_LENGTH_IN, 12 }, { 1, NVA140_LAUNCH_DMA, 3 },
    { 2, NVA140_LINE_LENGTH_IN, 12 }, { 2, NVA140_LAUNCH_DMA, 3 },
    { 3, 0x200, 10 }, { 3, 0x230, 10 }, { 3, 0x8b0, 12 }, { 3, 0x580, 8 },
    { 4, NVC5B5_OFFSET_IN_UPPER, 8 }, { 4, NVC5B5_LAUNCH_DMA, 1 },
    { 4, NVC5B5_SET_REMAP_COMPONENTS, 6 }, { 4, NVC5B5_SET_SEMAPHORE_A, 3 },
    { 4, NVC5B5_SET_SRC_BLOCK_SIZE, 6 },
};

static uint32_t channel_word(GRand *r)
{
    switch (g_rand_int_range(r, 0, 6)) {
    case 0:
        return g_rand_int(r);
    case 1:
        return g_rand_int_range(r, 0, 0x40);
    case 2:
    case 3:
        return VGSP_CH_VA_RAM + g_rand_int_range(r, 0, 0x1000) * 64;
    case 4:
        return (VGSP_CH_VA_RAM >> 8) + g_rand_int_range(r, 0, 0x100);
    default:
        return 0;
    }
}

static void channel_push(VgspCh *c, GRand *r)
{
    static const uint8_t ops[] = { 1, 1, 1, 3, 5 };
    int i = g_rand_int_range(r, 0, G_N_ELEMENTS(pushes));
    unsigned count = g_rand_int_range(r, 1, pushes[i].count + 1);
    uint32_t method = pushes[i].method;

    if (g_rand_int_range(r, 0, 20) == 0) {
        vgsp_ch_word(c, g_rand_int(r));
        return;
    }
    if (g_rand_int_range(r, 0, 8) == 0) {
        method = g_rand_int_range(r, 0, 0x1000) * 4;
    }
    vgsp_ch_header(c, ops[g_rand_int_range(r, 0, G_N_ELEMENTS(ops))],
                   pushes[i].subch, method, count);
    for (unsigned n = 0; n < count; n++) {
        vgsp_ch_word(c, channel_word(r));
    }
}

static void channel_objects(VgspCh *c)
{
    static const uint32_t classes[] = {
        TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(classes); i++) {
        g_assert_cmpint(vgsp_gsp_rm_alloc(&c->s->q->gsp, c->s->rm.client,
                                          c->ch.handle, 0x900000 + i,
                                          classes[i], NULL, 0), ==,
                        VGSP_GSP_OK);
    }
    vgsp_ch_copy_object(c);
}

/* Whatever a channel sends, another works, and it can be freed. */
static void test_channel(void)
{
    uint64_t channels = fuzz_number("VGSP_FUZZ_OPS", DEFAULT_OPS) / 100;
    uint32_t seed = fuzz_number("VGSP_FUZZ_SEED", 1);
    VgspChBench *b = vgsp_ch_bench_new();
    GRand *r = g_rand_new_with_seed(seed);
    VgspChSpace space;
    VgspCh good;

    g_test_message("seed %u, %" PRIu64 " channels", seed, channels);
    /* In a space of its own: the others write all over theirs. */
    vgsp_ch_space_new(b->q, &space, 1);
    vgsp_ch_new(&space, &good, 2, NV2080_ENGINE_TYPE_COPY(3), 64, false);
    for (uint64_t i = 0; i < channels; i++) {
        VgspCh c;

        vgsp_ch_new(&b->s, &c, 3, NV2080_ENGINE_TYPE_GR0, 64, false);
        b->s.channels--;        /* its memory is free for the next */
        channel_objects(&c);
        for (int entry = 0; entry < 8; entry++) {
            for (int n = g_rand_int_range(r, 1, 12); n; n--) {
                channel_push(&c, r);
            }
            vgsp_ch_kick(&c);
        }
        if (i % 8 == 0) {
            vgsp_ch_sync(&good);
            vgsp_qos_step_us(b->q, 20000);
        }
        g_assert_cmpint(vgsp_gsp_poll(&b->q->gsp), ==, VGSP_GSP_OK);
        vgsp_ch_free(&c);
    }
    vgsp_ch_free(&good);
    vgsp_ch_space_free(&space);
    g_rand_free(r);
    vgsp_ch_bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_data_func("/vgsp/fuzz/mmio/0", GUINT_TO_POINTER(0), test_mmio);
    qtest_add_data_func("/vgsp/fuzz/mmio/1", GUINT_TO_POINTER(1), test_mmio);
    qtest_add_data_func("/vgsp/fuzz/mmio/2", GUINT_TO_POINTER(2), test_mmio);
    qtest_add_func("/vgsp/fuzz/queue", test_queue);
    qtest_add_func("/vgsp/fuzz/channel", test_channel);
    return g_test_run();
}
