/*
 * Robust channels: how far the error of a channel reaches, what RM tells of
 * it and when, and what it does not reach.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-channel.h"
#include "vgsp/nv/dev_falcon.h"

#define TSG             0x7500u
#define ENGINE          NV2080_ENGINE_TYPE_COPY(2)
#define CHANNELS        24
#define SEM_EXECUTE(op) NVC46F_SEM_EXECUTE_OPERATION_##op
/* What drivers wait between the last request and the end of GSP-RM. */
#define SUSPEND_DELAY_US 50000u

static void tsg_new(VgspChBench *b, uint32_t handle)
{
    uint8_t p[sizeof(NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS)] = { 0 };

    vgsp_put_le32(p + offsetof(NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS,
                               engineType), ENGINE);
    g_assert_cmpint(vgsp_gsp_rm_alloc(&b->q->gsp, b->s.rm.client,
                                      b->s.rm.device, handle,
                                      KEPLER_CHANNEL_GROUP_A, p, sizeof(p)),
                    ==, VGSP_GSP_OK);
}

/* A method that no class of Host has. */
static void push_illegal(VgspCh *c)
{
    vgsp_ch_method(c, 0, NVC46F_ILLEGAL, 0);
    vgsp_ch_entry(c, 0);
}

/* ---- The scope ---- */

static uint64_t notifier_new(VgspChBench *b)
{
    uint64_t at = vgsp_qos_ram(b->q, VGSP_QOS_PAGE);

    qtest_memset(b->q->qts, at, 0, sizeof(NvNotification));
    return at;
}

static void check_notifier(VgspChBench *b, uint64_t at, bool error)
{
    typedef NvNotification N;
    uint8_t n[sizeof(N)];

    qtest_memread(b->q->qts, at, n, sizeof(n));
    g_assert_cmphex(vgsp_le16(n + offsetof(N, status)), ==,
                    error ? NV_NOTIFICATION_STATUS_ERROR : 0);
    g_assert_cmpuint(vgsp_le32(n + offsetof(N, info32)), ==,
                     error ? ROBUST_CHANNEL_PBDMA_ERROR : 0);
    g_assert_cmpuint(vgsp_le16(n + offsetof(N, info16)), ==,
                     error ? ENGINE : 0);
}

/*
 * The error of one channel ends its TSG: one event, which says so, a notifier
 * to each, and nothing of the others runs any more. Another TSG goes on, and
 * so does a channel that joins the dead one later.
 */
static void test_tsg(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c[3], other, late;
    uint64_t notifier[ARRAY_SIZE(c) + 2];

    tsg_new(b, TSG);
    for (unsigned i = 0; i < ARRAY_SIZE(notifier); i++) {
        notifier[i] = notifier_new(b);
    }
    for (unsigned i = 0; i < ARRAY_SIZE(c); i++) {
        vgsp_ch_new_notified(&b->s, &c[i], 3 + i, ENGINE, TSG, notifier[i]);
        vgsp_ch_sync(&c[i]);
    }
    vgsp_ch_new_notified(&b->s, &other, 10, ENGINE, 0, notifier[3]);
    /* One waits for a word, one is idle: neither comes back. */
    vgsp_ch_sem(&c[0], VGSP_CH_VA_RAM, 1, SEM_EXECUTE(ACQUIRE));
    vgsp_ch_sem(&c[0], VGSP_CH_VA_RAM + 8, 1, SEM_EXECUTE(RELEASE));
    vgsp_ch_kick(&c[0]);
    push_illegal(&c[1]);
    vgsp_ch_ring(&c[1]);
    g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, 1));
    g_assert_cmpuint(b->rc.chid, ==, c[1].ch.chid);
    g_assert_cmpuint(b->rc.scope, ==, RC_NOTIFIER_SCOPE_TSG);
    for (unsigned i = 0; i < ARRAY_SIZE(c); i++) {
        check_notifier(b, notifier[i], true);
    }
    check_notifier(b, notifier[3], false);

    vgsp_ch_sem(&c[2], VGSP_CH_VA_RAM + 16, 1, SEM_EXECUTE(RELEASE));
    vgsp_ch_kick(&c[2]);
    qtest_writel(b->q->qts, b->s.ram, 1);
    vgsp_ch_sync(&other);
    vgsp_ch_new_notified(&b->s, &late, 11, ENGINE, TSG, notifier[4]);
    vgsp_ch_sync(&late);
    g_assert_cmpuint(qtest_readl(b->q->qts, b->s.ram + 8), ==, 0);
    g_assert_cmpuint(qtest_readl(b->q->qts, b->s.ram + 16), ==, 0);
    check_notifier(b, notifier[4], false);
    g_assert_cmpuint(b->rc.events, ==, 1);

    vgsp_ch_free(&late);
    vgsp_ch_free(&other);
    for (unsigned i = 0; i < ARRAY_SIZE(c); i++) {
        vgsp_ch_free(&c[i]);
    }
    vgsp_ch_bench_free(b);
}

/* ---- Suspend ---- */

static struct {
    VgspChBench *b;
    VgspCh c[CHANNELS];
    const VgspGspOps *ops;
    bool armed;
} last;

/* A copy of many lines, less than a slice, whose last page is not there. */
static void push_fault(VgspCh *c)
{
    const uint32_t lines = 1900, pitch = 256;
    uint64_t to = VGSP_CH_VA_VRAM + VGSP_CH_MEM_SIZE - (lines - 1) * pitch;

    vgsp_ch_copy_object(c);
    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_INC_METHOD, 4, NVC5B5_OFFSET_IN_UPPER,
                   8);
    vgsp_ch_word(c, VGSP_CH_VA_RAM >> 32);
    vgsp_ch_word(c, VGSP_CH_VA_RAM);
    vgsp_ch_word(c, to >> 32);
    vgsp_ch_word(c, to);
    vgsp_ch_word(c, pitch);
    vgsp_ch_word(c, pitch);
    vgsp_ch_word(c, 8);
    vgsp_ch_word(c, lines);
    vgsp_ch_method(c, 4, NVC5B5_LAUNCH_DMA,
                   NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED |
                   NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE |
                   NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT |
                   NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT);
    vgsp_ch_entry(c, 0);
}

/* A driver that leaves its channels scheduled. */
static void delay_us(void *opaque, uint32_t us)
{
    VgspGspClient *gsp = &last.b->q->gsp;
    uint8_t on = 0;

    last.ops->delay_us(opaque, us);
    if (us == SUSPEND_DELAY_US) {
        g_assert_cmpint(vgsp_gsp_rm_control(
            gsp, gsp->info.client, gsp->info.subdevice,
            NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING,
            &on, sizeof(on)), ==, VGSP_GSP_OK);
        last.armed = true;
    }
}

/* They meet their errors while GSP-RM answers its last request. */
static void write32(void *opaque, uint32_t reg, uint32_t val)
{
    if (last.armed && reg == NV_PGSP_FALCON_BASE + NV_PFALCON_QUEUE_HEAD(0)) {
        last.armed = false;
        for (int i = 0; i < CHANNELS; i++) {
            vgsp_ch_ring(&last.c[i]);
        }
    }
    last.ops->write32(opaque, reg, val);
}

/* Each is told once, at the latest when GSP-RM runs again. */
static void test_suspend(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspGspOps ops = *b->q->gsp.ops;

    last.b = b;
    last.ops = b->q->gsp.ops;
    ops.delay_us = delay_us;
    ops.write32 = write32;
    for (int round = 0; round < 5; round++) {
        bool told[CHANNELS] = { 0 };

        b->rc.events = 0;
        for (int i = 0; i < CHANNELS; i++) {
            vgsp_ch_new(&b->s, &last.c[i], 3 + i, ENGINE, 64, false);
            push_fault(&last.c[i]);
        }
        b->q->gsp.ops = &ops;
        g_assert_cmpint(vgsp_gsp_suspend(&b->q->gsp), ==, VGSP_GSP_OK);
        b->q->gsp.ops = last.ops;
        g_test_message("%u of %u before", b->rc.events, CHANNELS);
        if (round == 4) {
            qtest_system_reset(b->q->qts);
            vgsp_qos_enable(b->q);
        }
        g_assert_cmpint(vgsp_gsp_resume(&b->q->gsp), ==, VGSP_GSP_OK);
        g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, CHANNELS));
        g_assert_cmpuint(b->rc.events, ==, CHANNELS);
        for (int i = 0; i < CHANNELS; i++) {
            told[b->rc.chids[i] - 3] = true;
        }
        for (int i = 0; i < CHANNELS; i++) {
            g_assert_true(told[i]);
            vgsp_ch_free(&last.c[i]);
        }
        b->s.channels = 0;      /* their memory is free for the next */
    }
    vgsp_ch_bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    qtest_add_func("/vgsp/rc/tsg", test_tsg);
    qtest_add_func("/vgsp/rc/suspend", test_suspend);
    return g_test_run();
}
