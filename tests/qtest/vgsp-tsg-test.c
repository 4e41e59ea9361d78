/*
 * TSGs and runlists: whose turn it is, for how long, and who is stopped.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-channel.h"

#define TSG             0x7500u
#define ENGINE          NV2080_ENGINE_TYPE_COPY(2)
#define SEM_EXECUTE(op) NVC46F_SEM_EXECUTE_OPERATION_##op
#define SEM_SWITCH      NVC46F_SEM_EXECUTE_ACQUIRE_SWITCH_TSG

static uint32_t rd(VgspChBench *b, uint32_t offset)
{
    return qtest_readl(b->q->qts, b->s.ram + offset);
}

static void wr(VgspChBench *b, uint32_t offset, uint32_t v)
{
    qtest_writel(b->q->qts, b->s.ram + offset, v);
}

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

static void tsg_free(VgspChBench *b, uint32_t handle)
{
    g_assert_cmpint(vgsp_gsp_rm_free(&b->q->gsp, b->s.rm.client, handle), ==,
                    VGSP_GSP_OK);
}

static int control(VgspChBench *b, uint32_t object, uint32_t cmd,
                   uint8_t *params, size_t len)
{
    return vgsp_gsp_rm_control(&b->q->gsp, b->s.rm.client, object, cmd, params,
                               len);
}

static int set_timeslice(VgspChBench *b, uint32_t tsg, uint64_t us)
{
    uint8_t p[8];

    vgsp_put_le64(p, us);
    return control(b, tsg, NVA06C_CTRL_CMD_SET_TIMESLICE, p, sizeof(p));
}

static void test_timeslice(void)
{
    static const uint64_t good[] = { 1, 1048, 2000, 255ull << 15 };
    VgspChBench *b = vgsp_ch_bench_new();
    uint8_t p[8] = { 0 };

    tsg_new(b, TSG);
    g_assert_cmpint(control(b, TSG, NVA06C_CTRL_CMD_GET_TIMESLICE, p,
                            sizeof(p)), ==, VGSP_GSP_OK);
    g_assert_cmpuint(vgsp_le64(p), ==, 1048);
    for (unsigned i = 0; i < ARRAY_SIZE(good); i++) {
        g_assert_cmpint(set_timeslice(b, TSG, good[i]), ==, VGSP_GSP_OK);
        g_assert_cmpint(control(b, TSG, NVA06C_CTRL_CMD_GET_TIMESLICE, p,
                                sizeof(p)), ==, VGSP_GSP_OK);
        g_assert_cmpuint(vgsp_le64(p), ==, good[i]);
    }
    g_assert_cmpint(set_timeslice(b, TSG, 0), !=, VGSP_GSP_OK);
    g_assert_cmpint(set_timeslice(b, TSG, (255ull << 15) + 1), !=,
                    VGSP_GSP_OK);
    g_assert_cmpint(set_timeslice(b, TSG, UINT64_MAX), !=, VGSP_GSP_OK);
    tsg_free(b, TSG);
    vgsp_ch_bench_free(b);
}

/* A TSG that is freed takes its channels with it; others stay. */
static void test_free(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c[2], other;

    vgsp_ch_new(&b->s, &other, 2, ENGINE, 64, false);
    tsg_new(b, TSG);
    for (int i = 0; i < 2; i++) {
        vgsp_ch_new_tsg(&b->s, &c[i], 3 + i, ENGINE, 64, TSG);
        vgsp_ch_sync(&c[i]);
    }
    tsg_free(b, TSG);
    vgsp_ch_sem(&c[0], VGSP_CH_VA_RAM, 1, SEM_EXECUTE(RELEASE));
    vgsp_ch_kick(&c[0]);
    vgsp_ch_sync(&other);
    g_assert_cmphex(rd(b, 0), ==, 0);
    /* A channel of another runlist cannot join. */
    tsg_new(b, TSG);
    c[0].ch.engine_type = NV2080_ENGINE_TYPE_COPY(3);
    g_assert_cmpint(vgsp_gsp_channel_new(&b->q->gsp, &c[0].ch), !=,
                    VGSP_GSP_OK);
    tsg_free(b, TSG);
    vgsp_ch_free(&other);
    vgsp_ch_bench_free(b);
}

/* ---- Stopping ---- */

static void schedule(VgspChBench *b, uint32_t object, uint32_t cmd,
                     bool enable)
{
    uint8_t p[sizeof(NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS)] = { enable };

    g_assert_cmpint(control(b, object, cmd, p, sizeof(p)), ==, VGSP_GSP_OK);
}

static int disable(VgspChBench *b, VgspCh *c, bool disable, bool rewind)
{
    typedef NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS P;
    uint8_t p[sizeof(P)] = { 0 };

    p[offsetof(P, bDisable)] = disable;
    p[offsetof(P, bRewindGpPut)] = rewind;
    vgsp_put_le32(p + offsetof(P, numChannels), 1);
    vgsp_put_le32(p + offsetof(P, hClientList), b->s.rm.client);
    vgsp_put_le32(p + offsetof(P, hChannelList), c->ch.handle);
    return vgsp_gsp_rm_control(&b->q->gsp, b->q->gsp.info.client,
                               b->q->gsp.info.subdevice,
                               NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS, p,
                               sizeof(p));
}

/* Counts in memory word @offset: as often as the ring takes. */
static void busy(VgspCh *c, uint32_t offset)
{
    for (int i = 0; i < 2000; i++) {
        vgsp_ch_sem(c, VGSP_CH_VA_RAM + offset, 1,
                    SEM_EXECUTE(REDUCTION) |
                    VGSP_SET(NVC46F_SEM_EXECUTE_REDUCTION,
                             NVC46F_SEM_EXECUTE_REDUCTION_IADD) |
                    NVC46F_SEM_EXECUTE_REDUCTION_FORMAT);
    }
    for (int i = 0; i < 500; i++) {
        c->start = 0;
        vgsp_ch_entry(c, 0);
    }
}

/* Disabled, unscheduled, enabled again; and preempted, which stops no one. */
static void test_stop(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    uint8_t preempt[sizeof(NVA06C_CTRL_PREEMPT_PARAMS)] = { 1 };
    VgspCh c;
    uint32_t seen;

    tsg_new(b, TSG);
    vgsp_ch_new_tsg(&b->s, &c, 3, ENGINE, 512, TSG);
    busy(&c, 0);
    vgsp_ch_ring(&c);
    for (int how = 0; how < 3; how++) {
        seen = rd(b, 0);
        while (rd(b, 0) == seen) {
            g_usleep(100);
        }
        switch (how) {
        case 0:
            g_assert_cmpint(disable(b, &c, true, false), ==, VGSP_GSP_OK);
            break;
        case 1:
            schedule(b, TSG, NVA06C_CTRL_CMD_GPFIFO_SCHEDULE, false);
            break;
        case 2:
            g_assert_cmpint(control(b, TSG, NVA06C_CTRL_CMD_PREEMPT, preempt,
                                    sizeof(preempt)), ==, VGSP_GSP_OK);
            break;
        }
        if (how < 2) {
            seen = rd(b, 0);
            g_usleep(10000);
            g_assert_cmpuint(rd(b, 0), ==, seen);
        }
        if (how == 0) {
            g_assert_cmpint(disable(b, &c, false, false), ==, VGSP_GSP_OK);
        } else if (how == 1) {
            schedule(b, TSG, NVA06C_CTRL_CMD_INTERNAL_GPFIFO_SCHEDULE, true);
        }
    }
    /* Rewound: what was queued is dropped, what comes is done. */
    g_assert_cmpint(disable(b, &c, true, true), ==, VGSP_GSP_OK);
    g_assert_cmpint(disable(b, &c, false, false), ==, VGSP_GSP_OK);
    do {
        seen = rd(b, 0);
        g_usleep(5000);
    } while (rd(b, 0) != seen);
    g_assert_cmpuint(seen, <, 500 * 2000);
    g_assert_cmpuint(seen % 2000, ==, 0);
    vgsp_ch_free(&c);
    tsg_free(b, TSG);
    vgsp_ch_bench_free(b);
}

/* ---- Turns ---- */

/*
 * The time that two channels are both busy: from when both have begun until
 * the first has counted enough. *@a and *@b become what each counted.
 */
static void share(VgspChBench *b, VgspCh *x, VgspCh *y, double *a, double *c)
{
    uint32_t x0, y0, x1, y1;

    busy(x, 0x100);
    busy(y, 0x200);
    vgsp_ch_ring(x);
    vgsp_ch_ring(y);
    do {
        x0 = rd(b, 0x100);
        y0 = rd(b, 0x200);
    } while (!x0 || !y0);
    do {
        g_usleep(1000);
        x1 = rd(b, 0x100);
        y1 = rd(b, 0x200);
    } while (MAX(x1, y1) < 900000);
    *a = x1 - x0;
    *c = y1 - y0;
    g_test_message("%.0f to %.0f", *a, *c);
}

static void test_fairness(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    double a, c;
    VgspCh x, y;

    vgsp_ch_new(&b->s, &x, 3, ENGINE, 512, false);
    vgsp_ch_new(&b->s, &y, 4, ENGINE, 512, false);
    share(b, &x, &y, &a, &c);
    g_assert_cmpfloat(a / c, >, 0.9);
    g_assert_cmpfloat(a / c, <, 1 / 0.9);
    vgsp_ch_free(&x);
    vgsp_ch_free(&y);
    vgsp_ch_bench_free(b);
}

/* A channel that is never idle leaves turns to the others of its TSG. */
static void test_siblings(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh endless, mate;

    tsg_new(b, TSG);
    vgsp_ch_new_tsg(&b->s, &endless, 3, ENGINE, 512, TSG);
    vgsp_ch_new_tsg(&b->s, &mate, 4, ENGINE, 64, TSG);
    busy(&endless, 0);
    vgsp_ch_ring(&endless);
    while (!rd(b, 0)) {
        g_usleep(100);
    }
    for (int i = 0; i < 10; i++) {
        vgsp_ch_sync(&mate);
    }
    g_assert_cmpuint(rd(b, 0), <, 500 * 2000);
    vgsp_ch_free(&endless);
    vgsp_ch_free(&mate);
    tsg_free(b, TSG);
    vgsp_ch_bench_free(b);
}

/* Shares follow the time slices. */
static void test_weights(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    double a, c;
    VgspCh x, y;

    tsg_new(b, TSG);
    tsg_new(b, TSG + 1);
    g_assert_cmpint(set_timeslice(b, TSG, 4000), ==, VGSP_GSP_OK);
    g_assert_cmpint(set_timeslice(b, TSG + 1, 1000), ==, VGSP_GSP_OK);
    vgsp_ch_new_tsg(&b->s, &x, 3, ENGINE, 512, TSG);
    vgsp_ch_new_tsg(&b->s, &y, 4, ENGINE, 512, TSG + 1);
    share(b, &x, &y, &a, &c);
    g_assert_cmpfloat(a / c, >, 3);
    g_assert_cmpfloat(a / c, <, 5);
    vgsp_ch_free(&x);
    vgsp_ch_free(&y);
    tsg_free(b, TSG);
    tsg_free(b, TSG + 1);
    vgsp_ch_bench_free(b);
}

/* Channels that yield, in both ways, all come to their end. */
static void test_yield(void)
{
    static const uint32_t ops[] = {
        NVC46F_YIELD_OP_NOP, NVC46F_YIELD_OP_TSG,
        NVC46F_YIELD_OP_RUNLIST_TIMESLICE,
    };
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c[3];

    tsg_new(b, TSG);
    g_assert_cmpint(set_timeslice(b, TSG, 1000000), ==, VGSP_GSP_OK);
    for (int i = 0; i < 3; i++) {
        vgsp_ch_new_tsg(&b->s, &c[i], 3 + i, ENGINE, 64, TSG);
        /* All begin when word 0 is set, by which time all are parked. */
        vgsp_ch_sem(&c[i], VGSP_CH_VA_RAM, 1, SEM_EXECUTE(ACQUIRE) |
                    SEM_SWITCH);
        for (int n = 0; n < 30; n++) {
            vgsp_ch_sem(&c[i], VGSP_CH_VA_RAM + 8, i + 1,
                        SEM_EXECUTE(REDUCTION) |
                        VGSP_SET(NVC46F_SEM_EXECUTE_REDUCTION,
                                 NVC46F_SEM_EXECUTE_REDUCTION_IADD) |
                        NVC46F_SEM_EXECUTE_REDUCTION_FORMAT);
            vgsp_ch_method(&c[i], 0, NVC46F_YIELD, ops[n % 3]);
        }
        vgsp_ch_kick(&c[i]);
    }
    g_assert_cmpuint(rd(b, 8), ==, 0);
    wr(b, 0, 1);
    for (int i = 0; i < 3; i++) {
        vgsp_ch_sync(&c[i]);
    }
    g_assert_cmpuint(rd(b, 8), ==, 30 * (1 + 2 + 3));
    for (int i = 0; i < 3; i++) {
        vgsp_ch_free(&c[i]);
    }
    tsg_free(b, TSG);
    vgsp_ch_bench_free(b);
}

/*
 * A failed acquire that does not switch keeps the slice of its TSG, and no
 * longer: another TSG of the runlist, and others of its own, go on.
 */
static void test_switch(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh waits, mate, other;

    for (int how = 0; how < 2; how++) {
        tsg_new(b, TSG);
        vgsp_ch_new_tsg(&b->s, &waits, 3, ENGINE, 64, TSG);
        vgsp_ch_new_tsg(&b->s, &mate, 4, ENGINE, 64, TSG);
        vgsp_ch_new(&b->s, &other, 5, ENGINE, 64, false);
        wr(b, 0, 0);
        vgsp_ch_sem(&waits, VGSP_CH_VA_RAM, 1,
                    SEM_EXECUTE(ACQUIRE) | (how ? SEM_SWITCH : 0));
        vgsp_ch_kick(&waits);
        for (int i = 0; i < 20; i++) {
            vgsp_ch_sync(&mate);
            vgsp_ch_sync(&other);
        }
        wr(b, 0, 1);
        vgsp_ch_sync(&waits);
        vgsp_ch_free(&waits);
        vgsp_ch_free(&mate);
        vgsp_ch_free(&other);
        tsg_free(b, TSG);
    }
    vgsp_ch_bench_free(b);
}

/*
 * What a TSG keeps for a failed acquire is the rest of one slice: a retry of
 * it, a thousand a second, does not start that anew.
 */
static void test_keep(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh waits, other;
    int64_t start;

    tsg_new(b, TSG);
    g_assert_cmpint(set_timeslice(b, TSG, 100 * 1000), ==, VGSP_GSP_OK);
    vgsp_ch_new_tsg(&b->s, &waits, 3, ENGINE, 64, TSG);
    vgsp_ch_new(&b->s, &other, 4, ENGINE, 64, false);
    wr(b, 0, 0);
    vgsp_ch_sem(&waits, VGSP_CH_VA_RAM, 1, SEM_EXECUTE(ACQUIRE));
    vgsp_ch_kick(&waits);
    start = g_get_monotonic_time();
    for (int i = 0; i < 3; i++) {
        vgsp_ch_sync(&other);
    }
    g_assert_cmpint(g_get_monotonic_time() - start, <, 5 * G_TIME_SPAN_SECOND);
    wr(b, 0, 1);
    vgsp_ch_sync(&waits);
    vgsp_ch_free(&waits);
    vgsp_ch_free(&other);
    tsg_free(b, TSG);
    vgsp_ch_bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    qtest_add_func("/vgsp/tsg/timeslice", test_timeslice);
    qtest_add_func("/vgsp/tsg/free", test_free);
    qtest_add_func("/vgsp/tsg/stop", test_stop);
    qtest_add_func("/vgsp/tsg/fairness", test_fairness);
    qtest_add_func("/vgsp/tsg/siblings", test_siblings);
    qtest_add_func("/vgsp/tsg/weights", test_weights);
    qtest_add_func("/vgsp/tsg/yield", test_yield);
    qtest_add_func("/vgsp/tsg/switch", test_switch);
    qtest_add_func("/vgsp/tsg/keep", test_keep);
    return g_test_run();
}
