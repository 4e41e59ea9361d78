/*
 * Work that does not end: the watchdog's time, siblings beside it, and what
 * takes it off the engine.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-gr.h"
#include "qemu/timer.h"
#include "vgsp/nv/rpc.h"
#include "hw/pci/pci_regs.h"

#define SEM_EXECUTE(op)     NVC46F_SEM_EXECUTE_OPERATION_##op
#define TSG         0x7500u
#define COUNTER     0x23000u

static uint32_t rd(VgspChBench *b, uint32_t offset)
{
    return qtest_readl(b->q->qts, b->s.ram + offset);
}

static void gr_channel(VgspChBench *b, VgspCh *c, uint32_t chid)
{
    vgsp_ch_new(&b->s, c, chid, NV2080_ENGINE_TYPE_GR0, 512, false);
    vgsp_gr_objects(c);
}

static void gr_tsg(VgspChBench *b)
{
    uint8_t p[sizeof(NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS)] = { 0 };

    vgsp_put_le32(p + offsetof(NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS,
                               engineType), NV2080_ENGINE_TYPE_GR0);
    g_assert_cmpint(vgsp_gsp_rm_alloc(&b->q->gsp, b->s.rm.client,
                                      b->s.rm.device, TSG,
                                      KEPLER_CHANNEL_GROUP_A, p, sizeof(p)),
                    ==, VGSP_GSP_OK);
}

static void gr_mate(VgspChBench *b, VgspCh *c, uint32_t chid)
{
    vgsp_ch_new_tsg(&b->s, c, chid, NV2080_ENGINE_TYPE_GR0, 512, TSG);
    vgsp_gr_objects(c);
}

/* Counts in COUNTER for ever. */
static void launch_counter(VgspChBench *b, VgspCh *c)
{
    static const uint64_t code[][2] = {
        { 0x0000000000027802 | VA(COUNTER) << 32,   /* MOV R2, lo */
          0x0000000000000f00 },
        { 0x0000000000037802 | VA(COUNTER) >> 32 << 32, /* MOV R3, hi */
          0x0000000000000f00 },
        { 0x0000000100057802, 0x0000000000000f00 }, /* MOV R5, 1 */
        { 0x0000000002047381, 0x00000000000f0900 }, /* LDG R4, [R2] */
        { 0x0000000504067210, 0x0000000007ffe0ff }, /* IADD3 R6, R4, R5, RZ */
        { 0x0000000602007386, 0x0000000000010900 }, /* STG [R2], R6 */
        { 0xffffffc000007947, 0x000000000383ffff }, /* BRA to the LDG */
    };

    vgsp_gr_launch(b, c, code, ARRAY_SIZE(code), 1);
    vgsp_ch_kick(c);
}

static bool counts(VgspChBench *b)
{
    uint32_t seen = rd(b, COUNTER);

    for (int i = 0; i < 100; i++) {
        g_usleep(1000);
        if (rd(b, COUNTER) != seen) {
            return true;
        }
    }
    return false;
}

/* Whether the watchdog has ended something, @ms of its time later. */
static bool ended_after(VgspChBench *b, VgspCh *good, int64_t ms)
{
    unsigned events = b->rc.events;

    qtest_clock_step(b->q->qts, ms * SCALE_MS);
    for (int i = 0; i < 3; i++) {
        vgsp_gr_upload(good, SUBC_COMPUTE, VA(DATA), i);
        vgsp_ch_sync(good);
        g_usleep(10000);
        vgsp_gsp_poll(&b->q->gsp);
    }
    return b->rc.events != events;
}

/* 8 s of the time in which the work could run, and no more. */
static void test_watchdog(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh good, c;

    gr_channel(b, &good, 2);
    for (int how = 0; how < 3; how++) {
        gr_channel(b, &c, 3);
        vgsp_ch_sync(&c);
        launch_counter(b, &c);
        g_assert_true(counts(b));
        g_assert_false(ended_after(b, &good, 5000));
        if (how == 1) {
            qtest_qmp_assert_success(b->q->qts, "{ 'execute': 'stop' }");
            qtest_clock_step(b->q->qts, 60000 * (int64_t)SCALE_MS);
            qtest_qmp_assert_success(b->q->qts, "{ 'execute': 'cont' }");
        } else if (how == 2) {
            qpci_config_writew(b->q->dev, PCI_COMMAND, PCI_COMMAND_MEMORY);
            qtest_clock_step(b->q->qts, 60000 * (int64_t)SCALE_MS);
            qpci_config_writew(b->q->dev, PCI_COMMAND,
                               PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
        }
        g_assert_false(ended_after(b, &good, 2900));
        g_assert_true(ended_after(b, &good, 200));
        g_assert_cmpuint(b->rc.chid, ==, c.ch.chid);
        g_assert_cmpuint(b->rc.except_type, ==,
                         ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR);
        vgsp_ch_free(&c);
    }
    vgsp_ch_free(&good);
    vgsp_ch_bench_free(b);
}

/* Work without end, and a wait without end: the third of the TSG goes on. */
static void test_siblings(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh grid, waits, good;

    gr_tsg(b);
    gr_mate(b, &grid, 3);
    gr_mate(b, &waits, 4);
    gr_mate(b, &good, 5);
    vgsp_ch_sync(&waits);
    launch_counter(b, &grid);
    vgsp_ch_sem(&waits, VA(DATA + 0x80), 1, SEM_EXECUTE(ACQUIRE));
    vgsp_ch_kick(&waits);
    for (uint32_t i = 0; i < 50; i++) {
        vgsp_gr_upload(&good, SUBC_COMPUTE, VA(DATA), i);
        vgsp_gr_copy_word(&good, VA(DATA), VA(DATA + 4));
        vgsp_ch_sync(&good);
        g_assert_cmpuint(rd(b, DATA + 4), ==, i);
    }
    g_assert_true(counts(b));
    g_assert_cmpuint(b->rc.events, ==, 0);
    vgsp_ch_free(&grid);
    vgsp_ch_free(&waits);
    vgsp_ch_free(&good);
    vgsp_ch_bench_free(b);
}

static int control(VgspChBench *b, uint32_t object, uint32_t cmd, void *params,
                   size_t len)
{
    return vgsp_gsp_rm_control(&b->q->gsp, b->s.rm.client, object, cmd, params,
                               len);
}

static void disable(VgspChBench *b, VgspCh *c, bool disable, bool only)
{
    typedef NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS P;
    uint8_t p[sizeof(P)] = { 0 };

    p[offsetof(P, bDisable)] = disable;
    p[offsetof(P, bOnlyDisableScheduling)] = only;
    vgsp_put_le32(p + offsetof(P, numChannels), 1);
    vgsp_put_le32(p + offsetof(P, hClientList), b->s.rm.client);
    vgsp_put_le32(p + offsetof(P, hChannelList), c->ch.handle);
    g_assert_cmpint(vgsp_gsp_rm_control(&b->q->gsp, b->q->gsp.info.client,
                                        b->q->gsp.info.subdevice,
                                        NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS,
                                        p, sizeof(p)), ==, VGSP_GSP_OK);
}

static void schedule(VgspChBench *b, uint32_t object, uint32_t cmd, bool on)
{
    uint8_t p[sizeof(NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS)] = { on };

    g_assert_cmpint(control(b, object, cmd, p, sizeof(p)), ==, VGSP_GSP_OK);
}

/*
 * What is off the engine when the control answers stays off, its watchdog's
 * time stands still, others go on; and so does it, afterwards, where it was.
 */
static void test_preempt(void)
{
    typedef NVA06C_CTRL_PREEMPT_PARAMS P;
    VgspChBench *b = vgsp_ch_bench_new();
    uint8_t p[sizeof(P)] = { 1 };
    VgspCh c, good;

    gr_tsg(b);
    gr_channel(b, &good, 2);
    gr_mate(b, &c, 3);
    vgsp_ch_sync(&c);
    launch_counter(b, &c);
    for (int how = 0; how < 3; how++) {
        g_assert_true(counts(b));
        switch (how) {
        case 0:
            disable(b, &c, true, false);
            break;
        case 1:
            schedule(b, TSG, NVA06C_CTRL_CMD_GPFIFO_SCHEDULE, false);
            break;
        case 2:
            schedule(b, c.ch.handle, NVA06F_CTRL_CMD_GPFIFO_SCHEDULE, false);
            break;
        }
        g_assert_false(counts(b));
        g_assert_false(ended_after(b, &good, 30000));
        if (how == 0) {
            /* Of two reasons to be off one is left. */
            schedule(b, TSG, NVA06C_CTRL_CMD_GPFIFO_SCHEDULE, true);
            g_assert_false(counts(b));
            disable(b, &c, false, false);
        } else {
            schedule(b, TSG, NVA06C_CTRL_CMD_GPFIFO_SCHEDULE, true);
        }
    }
    g_assert_true(counts(b));
    disable(b, &c, true, true);
    g_assert_true(counts(b));
    disable(b, &c, false, false);

    g_assert_cmpint(control(b, TSG, NVA06C_CTRL_CMD_PREEMPT, p, sizeof(p)), ==,
                    VGSP_GSP_OK);
    g_assert_true(counts(b));
    p[offsetof(P, bManualTimeout)] = 1;
    vgsp_put_le32(p + offsetof(P, timeoutUs),
                  NVA06C_CTRL_CMD_PREEMPT_MAX_MANUAL_TIMEOUT_US + 1);
    g_assert_cmpint(control(b, TSG, NVA06C_CTRL_CMD_PREEMPT, p, sizeof(p)), !=,
                    VGSP_GSP_OK);
    memset(p, 0, sizeof(p));
    g_assert_cmpint(control(b, c.ch.handle, NVA06F_CTRL_CMD_STOP_CHANNEL, p,
                            sizeof(NVA06F_CTRL_STOP_CHANNEL_PARAMS)), ==,
                    VGSP_GSP_OK);
    g_assert_false(counts(b));
    g_assert_cmpuint(b->rc.events, ==, 0);
    vgsp_ch_free(&c);
    vgsp_ch_free(&good);
    vgsp_ch_bench_free(b);
}

/* The machine stops meanwhile, or has stopped before: no time counts twice. */
static void test_preempt_stopped(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh good, c;

    gr_channel(b, &good, 2);
    for (int how = 0; how < 4; how++) {
        const bool held_first = how & 1, held_last = how & 2;

        gr_channel(b, &c, 3);
        vgsp_ch_sync(&c);
        launch_counter(b, &c);
        g_assert_true(counts(b));
        g_assert_false(ended_after(b, &good, 5000));
        for (int i = 0; i < 2; i++) {
            if (held_first != i) {
                disable(b, &c, true, false);
            } else {
                qtest_qmp_assert_success(b->q->qts, "{ 'execute': 'stop' }");
            }
            qtest_clock_step(b->q->qts, 20000 * (int64_t)SCALE_MS);
        }
        for (int i = 0; i < 2; i++) {
            if (held_last == i) {
                disable(b, &c, false, false);
            } else {
                qtest_qmp_assert_success(b->q->qts, "{ 'execute': 'cont' }");
            }
            if (i == 0) {
                qtest_clock_step(b->q->qts, 20000 * (int64_t)SCALE_MS);
            }
        }
        g_assert_false(ended_after(b, &good, 2900));
        g_assert_true(ended_after(b, &good, 200));
        vgsp_ch_free(&c);
    }
    vgsp_ch_free(&good);
    vgsp_ch_bench_free(b);
}

/*
 * The recorder hands on one section at a time: that of a disabled channel is
 * not kept there, and the time that others wait for it is not theirs to die of.
 */
static void test_recorded(void)
{
    g_autofree char *file = g_strdup_printf("%s/vgsp-endless-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *record = g_strdup_printf(",record=%s", file);
    VgspChBench *b = vgsp_ch_bench_new_with(record);
    VgspCh c, good;

    gr_channel(b, &good, 2);
    gr_channel(b, &c, 3);
    vgsp_ch_sync(&good);
    vgsp_ch_sync(&c);
    launch_counter(b, &c);
    g_assert_true(counts(b));
    disable(b, &c, true, false);
    qtest_clock_step(b->q->qts, 4000 * (int64_t)SCALE_MS);
    vgsp_gr_upload(&good, SUBC_COMPUTE, VA(DATA), 0x1234);
    vgsp_ch_kick(&good);
    g_usleep(20000);
    qtest_clock_step(b->q->qts, 5000 * (int64_t)SCALE_MS);
    g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, 1));
    g_assert_cmpuint(b->rc.chid, ==, c.ch.chid);
    vgsp_ch_sync(&good);
    g_assert_cmphex(rd(b, DATA), ==, 0x1234);
    g_assert_cmpuint(b->rc.events, ==, 1);
    vgsp_ch_free(&c);
    vgsp_ch_free(&good);
    vgsp_ch_bench_free(b);
    unlink(file);
}

/* How often any thread of the emulator went to sleep. */
static uint64_t sleeps(VgspChBench *b)
{
    static const char key[] = "\nvoluntary_ctxt_switches:";
    g_autofree char *tasks = g_strdup_printf("/proc/%d/task",
                                             qtest_pid(b->q->qts));
    GDir *dir = g_dir_open(tasks, 0, NULL);
    uint64_t n = 0;
    const char *task;

    g_assert_nonnull(dir);
    while ((task = g_dir_read_name(dir))) {
        g_autofree char *path = g_strdup_printf("%s/%s/status", tasks, task);
        g_autofree char *status = NULL;

        if (g_file_get_contents(path, &status, NULL, NULL)) {
            char *line = strstr(status, key);

            g_assert_nonnull(line);
            n += g_ascii_strtoull(line + strlen(key), NULL, 10);
        }
    }
    g_dir_close(dir);
    return n;
}

static void set_timeslice(VgspChBench *b, uint64_t us)
{
    uint8_t p[sizeof(NVA06C_CTRL_TIMESLICE_PARAMS)] = { 0 };

    vgsp_put_le64(p, us);
    g_assert_cmpint(control(b, TSG, NVA06C_CTRL_CMD_SET_TIMESLICE, p,
                            sizeof(p)), ==, VGSP_GSP_OK);
}

/*
 * Of its own context; or of all in the TSG, until the last has ended. What
 * waits so looks again at times, not always, and keeps the engine from nobody.
 */
static void test_wfi(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh grid, c, other;
    uint64_t slept;
    int64_t start;

    gr_tsg(b);
    set_timeslice(b, 8 * 1000 * 1000);
    gr_channel(b, &other, 2);
    gr_mate(b, &grid, 3);
    gr_mate(b, &c, 4);
    vgsp_ch_sync(&grid);
    launch_counter(b, &grid);
    g_assert_true(counts(b));
    vgsp_ch_method(&c, 0, NVC46F_WFI, NVC46F_WFI_SCOPE_CURRENT_VEID);
    vgsp_ch_sync(&c);
    vgsp_ch_method(&c, 0, NVC46F_WFI, NVC46F_WFI_SCOPE_ALL);
    vgsp_ch_sem(&c, VA(DATA), 1, SEM_EXECUTE(RELEASE));
    vgsp_ch_kick(&c);
    g_usleep(20000);
    g_assert_cmpuint(rd(b, DATA), ==, 0);
    slept = sleeps(b);
    g_usleep(200000);
    g_assert_cmpuint(sleeps(b) - slept, <, 600);
    start = g_get_monotonic_time();
    vgsp_ch_sync(&other);
    g_assert_cmpint(g_get_monotonic_time() - start, <, 4 * 1000 * 1000);
    vgsp_ch_free(&other);
    vgsp_ch_free(&grid);
    vgsp_ch_sync(&c);
    g_assert_cmpuint(rd(b, DATA), ==, 1);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* ---- IDLE_CHANNELS ---- */

static void idle_send(VgspChBench *b, VgspCh *const *c, unsigned n,
                      uint32_t flags, uint32_t timeout_us)
{
    uint8_t m[64] = { 0 };

    vgsp_put_le32(m, flags);
    vgsp_put_le32(m + 4, timeout_us);
    vgsp_put_le32(m + 8, n);
    for (unsigned i = 0; i < n; i++) {
        vgsp_put_le32(m + 12 + 12 * i, b->s.rm.client);
        vgsp_put_le32(m + 16 + 12 * i, b->s.rm.device);
        vgsp_put_le32(m + 20 + 12 * i, c[i]->ch.handle);
    }
    g_assert_cmpint(vgsp_gsp_rpc_send(&b->q->gsp,
                                      NV_VGPU_MSG_FUNCTION_IDLE_CHANNELS, m,
                                      12 + 12 * n), ==, VGSP_GSP_OK);
}

/* The answer, in virtual time that the client lets pass: NV_STATUS. */
static uint32_t idle_result(VgspChBench *b)
{
    int ret = vgsp_gsp_rpc_recv(&b->q->gsp, NV_VGPU_MSG_FUNCTION_IDLE_CHANNELS,
                                10 * 1000 * 1000, NULL, NULL);

    g_assert_true(ret == VGSP_GSP_OK || ret == VGSP_GSP_EREMOTEIO);
    return ret == VGSP_GSP_OK ? NV_OK : b->q->gsp.rpc_result;
}

/* Answered when the last of them is idle, or when the time is over. */
static void test_idle(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh grid, c, *both[2] = { &c, &grid };
    VgspGspClient *gsp = &b->q->gsp;

    gr_channel(b, &grid, 3);
    gr_channel(b, &c, 4);
    vgsp_ch_sync(&grid);
    vgsp_ch_sync(&c);
    idle_send(b, both, 2, NVOS30_FLAGS_BEHAVIOR_SLEEP, 1000000);
    g_assert_cmphex(idle_result(b), ==, NV_OK);

    launch_counter(b, &grid);
    g_assert_true(counts(b));
    idle_send(b, both, 2, NVOS30_FLAGS_BEHAVIOR_QUERY, 1000000);
    g_assert_cmphex(idle_result(b), ==, NV_ERR_MORE_PROCESSING_REQUIRED);
    idle_send(b, both, 1, NVOS30_FLAGS_BEHAVIOR_QUERY, 0);
    g_assert_cmphex(idle_result(b), ==, NV_OK);
    idle_send(b, both, 2, NVOS30_FLAGS_BEHAVIOR_SPIN, 300000);
    g_assert_cmphex(idle_result(b), ==, NV_ERR_TIMEOUT);

    /* The main loop goes on meanwhile; so do others, and their doorbells. */
    vgsp_ch_sem(&c, VA(DATA), 1, SEM_EXECUTE(ACQUIRE));
    vgsp_ch_kick(&c);
    idle_send(b, both, 1, NVOS30_FLAGS_BEHAVIOR_SLEEP, 5000000);
    qtest_clock_step(b->q->qts, 1000 * (int64_t)SCALE_MS);
    g_assert_true(counts(b));
    g_assert_cmpint(vgsp_gsp_rpc_recv(gsp, NV_VGPU_MSG_FUNCTION_IDLE_CHANNELS,
                                      100000, NULL, NULL), ==,
                    VGSP_GSP_ETIMEDOUT);
    qtest_writel(b->q->qts, b->s.ram + DATA, 1);
    g_assert_cmphex(idle_result(b), ==, NV_OK);

    /* One that is none. */
    c.ch.handle++;
    idle_send(b, both, 2, NVOS30_FLAGS_BEHAVIOR_SLEEP, 1000);
    g_assert_cmphex(idle_result(b), ==, NV_ERR_OBJECT_NOT_FOUND);
    c.ch.handle--;
    vgsp_ch_free(&grid);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* An event of GSP-RM, while the answer is not due yet, costs nothing of it. */
static void test_idle_event(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh grid, bad, *list[1] = { &grid };

    gr_channel(b, &grid, 3);
    gr_channel(b, &bad, 4);
    vgsp_ch_sync(&grid);
    vgsp_ch_sync(&bad);
    launch_counter(b, &grid);
    g_assert_true(counts(b));
    idle_send(b, list, 1, NVOS30_FLAGS_BEHAVIOR_SLEEP, 300000);
    vgsp_ch_method(&bad, 0, NVC46F_ILLEGAL, 0);
    vgsp_ch_kick(&bad);
    g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, 1));
    g_assert_cmphex(idle_result(b), ==, NV_ERR_TIMEOUT);
    vgsp_ch_free(&grid);
    vgsp_ch_free(&bad);
    vgsp_ch_bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    qtest_add_func("/vgsp/endless/watchdog", test_watchdog);
    qtest_add_func("/vgsp/endless/siblings", test_siblings);
    qtest_add_func("/vgsp/endless/preempt", test_preempt);
    qtest_add_func("/vgsp/endless/preempt-stopped", test_preempt_stopped);
    qtest_add_func("/vgsp/endless/recorded", test_recorded);
    qtest_add_func("/vgsp/endless/wfi", test_wfi);
    qtest_add_func("/vgsp/endless/idle", test_idle);
    qtest_add_func("/vgsp/endless/idle-event", test_idle_event);
    return g_test_run();
}
