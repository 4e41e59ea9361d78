/*
 * Random accesses of every BAR, with GSP-RM down and up: nothing crashes or
 * hangs, and after a reset the card boots.
 *
 * VGSP_FUZZ_OPS sets the number of accesses (default 20000), VGSP_FUZZ_SEED
 * the seed; both are printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"

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

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_data_func("/vgsp/fuzz/mmio/0", GUINT_TO_POINTER(0), test_mmio);
    qtest_add_data_func("/vgsp/fuzz/mmio/1", GUINT_TO_POINTER(1), test_mmio);
    qtest_add_data_func("/vgsp/fuzz/mmio/2", GUINT_TO_POINTER(2), test_mmio);
    qtest_add_func("/vgsp/fuzz/queue", test_queue);
    return g_test_run();
}
