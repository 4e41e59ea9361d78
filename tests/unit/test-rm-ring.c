/*
 * The executor over NVIDIA's driver, over a driver that is not there
 * (fake-rm.h): sections, their completion and their ends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "rm-rig.h"

/* ---- Sections ---- */

static void test_sections(void)
{
    Rig *rig = rig_ready("580.159.04");
    unsigned again = 0;
    uint64_t seq = 0;

    while (seq < 5000) {
        int ret = submit(rig, rig->context, (uint32_t)seq, seq + 1);

        if (ret == -EAGAIN) {
            again++;
            g_usleep(100);
            continue;
        }
        g_assert_cmpint(ret, ==, 0);
        seq++;
    }
    wait_for(rig, &rig->completed, 5000);
    g_assert_cmpuint(rig->fake->seen->len, ==, 5000);
    for (unsigned i = 0; i < 5000; i++) {
        g_assert_cmpuint(g_array_index(rig->fake->seen, uint32_t, i), ==, i);
    }
    rig_free(rig);
}

/* The push buffer wraps: sections of any length, also the longest. */
static void test_sections_long(void)
{
    Rig *rig = rig_ready("580.159.04");
    uint32_t *words = g_new0(uint32_t, VGSP_SECTION_WORDS_MAX);
    uint64_t sum = 0, seen = 0;

    for (uint64_t seq = 1; seq <= 200; seq++) {
        uint32_t n = (uint32_t)(seq * 7919 % (VGSP_SECTION_WORDS_MAX / 2)) + 1;
        int ret;

        n = seq % 50 ? n : VGSP_SECTION_WORDS_MAX / 2;
        for (uint32_t i = 0; i < n; i++) {
            words[2 * i] = 0x20010000 | 0x100 / 4;
            words[2 * i + 1] = (uint32_t)(seq << 16) ^ i;
            sum += words[2 * i + 1];
        }
        while ((ret = vgsp_rm_submit(rig->rm, rig->context, words, 2 * n,
                                     seq)) == -EAGAIN) {
            g_usleep(100);
        }
        g_assert_cmpint(ret, ==, 0);
    }
    wait_for(rig, &rig->completed, 200);
    for (guint i = 0; i < rig->fake->seen->len; i++) {
        seen += g_array_index(rig->fake->seen, uint32_t, i);
    }
    g_assert_cmpuint(seen, ==, sum);
    g_free(words);
    rig_free(rig);
}

static void test_interrupt(void)
{
    Rig *rig = rig_ready("580.159.04");
    /* A report without and with AWAKEN, by 3D. */
    uint32_t words[] = { 0x20010000 | 0x1b0c / 4, 1u << 28 };

    g_assert_cmpint(vgsp_rm_submit(rig->rm, rig->context, words, 2, 1), ==, 0);
    wait_for(rig, &rig->completed, 1);
    words[1] |= 1u << 20;
    g_assert_cmpint(vgsp_rm_submit(rig->rm, rig->context, words, 2, 2), ==, 0);
    wait_for(rig, &rig->completed, 2);
    vgsp_rm_pause(rig->rm);
    g_assert_cmpuint(rig->interrupts, ==, 1);
    vgsp_rm_unpause(rig->rm);
    rig_free(rig);
}

static void test_pause(void)
{
    Rig *rig = rig_ready("580.159.04");

    vgsp_rm_pause(rig->rm);
    vgsp_rm_pause(rig->rm);
    for (unsigned i = 1; i <= 10; i++) {
        g_assert_cmpint(submit(rig, rig->context, i, i), ==, 0);
    }
    vgsp_rm_unpause(rig->rm);
    g_usleep(5000);
    g_assert_cmpuint(rig->completions, ==, 0);
    vgsp_rm_unpause(rig->rm);
    wait_for(rig, &rig->completed, 10);
    rig_free(rig);
}

/* ---- Held ---- */

static void set_go(Rig *rig, bool go)
{
    g_mutex_lock(&rig->fake->lock);
    rig->fake->go = go;
    g_mutex_unlock(&rig->fake->lock);
}

static unsigned seen(Rig *rig)
{
    unsigned n;

    g_mutex_lock(&rig->fake->lock);
    n = rig->fake->seen->len;
    g_mutex_unlock(&rig->fake->lock);
    return n;
}

static gpointer let_go(gpointer fake)
{
    g_usleep(20000);
    g_mutex_lock(&((FakeRm *)fake)->lock);
    ((FakeRm *)fake)->go = true;
    g_mutex_unlock(&((FakeRm *)fake)->lock);
    return NULL;
}

static void test_hold(void)
{
    Rig *rig = rig_ready("580.159.04");
    uint32_t other;

    g_assert_cmpint(vgsp_rm_context_new(rig->rm, rig->space, 0, &other), ==,
                    0);
    g_assert_cmpint(vgsp_rm_context_hold(rig->rm, 99, true), ==, -ENOENT);
    g_assert_cmpint(vgsp_rm_context_hold(rig->rm, rig->context, true), ==, 0);
    for (unsigned i = 1; i <= 3; i++) {
        g_assert_cmpint(submit(rig, rig->context, i, i), ==, 0);
    }
    g_assert_cmpint(submit(rig, other, 100, 1), ==, 0);
    while (seen(rig) < 1) {
        g_usleep(100);
    }
    g_usleep(5000);
    g_assert_cmpuint(seen(rig), ==, 1);
    g_assert_cmpuint(rig->completed, ==, 0);
    /* A pause in between does not let it go on. */
    vgsp_rm_pause(rig->rm);
    vgsp_rm_unpause(rig->rm);
    g_usleep(2000);
    g_assert_cmpuint(seen(rig), ==, 1);
    g_assert_cmpint(vgsp_rm_context_hold(rig->rm, rig->context, false), ==, 0);
    wait_for(rig, &rig->completed, 3);
    g_assert_cmpuint(seen(rig), ==, 4);
    rig_free(rig);
}

/* What runs already has ended, and its end was told, when it is held. */
static void test_hold_running(void)
{
    Rig *rig = rig_ready("580.159.04");
    GThread *t;

    g_assert_cmpint(submit(rig, rig->context, FAKE_HANG, 1), ==, 0);
    t = g_thread_new("let-go", let_go, rig->fake);
    g_assert_cmpint(vgsp_rm_context_hold(rig->rm, rig->context, true), ==, 0);
    g_assert_cmpuint(rig->completed, ==, 1);
    g_assert_cmpint(submit(rig, rig->context, 2, 2), ==, 0);
    g_thread_join(t);
    /* Killed while it is held: what waits is gone. */
    g_assert_cmpint(vgsp_rm_context_kill(rig->rm, rig->context,
                                         VGSP_OWNER_FAULT_TIMEOUT), ==, 0);
    wait_fault(rig, 1);
    g_assert_cmpint(vgsp_rm_context_hold(rig->rm, rig->context, false), ==, 0);
    g_usleep(2000);
    g_assert_cmpuint(seen(rig), ==, 1);
    rig_free(rig);
}

static void test_hold_endless(void)
{
    Rig *rig = rig_ready("580.159.04");

    g_assert_cmpint(submit(rig, rig->context, FAKE_HANG, 1), ==, 0);
    g_assert_cmpint(vgsp_rm_context_hold(rig->rm, rig->context, true), ==,
                    -EBUSY);
    g_assert_nonnull(strstr(rig->line, "goes on to its end"));
    g_assert_cmpint(vgsp_rm_context_hold(rig->rm, rig->context, false), ==, 0);
    set_go(rig, true);
    wait_for(rig, &rig->completed, 1);
    rig_free(rig);
}

/* ---- The thread's sleep ---- */

static unsigned asks(Rig *rig)
{
    unsigned n;

    g_mutex_lock(&rig->fake->lock);
    n = rig->fake->asked;
    g_mutex_unlock(&rig->fake->lock);
    return n;
}

/* A section that takes ms. */
static void long_section(Rig *rig, uint64_t seq, unsigned ms)
{
    set_go(rig, false);
    g_assert_cmpint(submit(rig, rig->context, FAKE_HANG, seq), ==, 0);
    g_usleep(ms * 1000);
    set_go(rig, true);
    wait_for(rig, &rig->completed, seq);
}

/*
 * It sleeps until the driver's event, and asks for that when it goes to sleep,
 * not with each section; and for ever when nothing is to be done.
 */
static void test_event(void)
{
    Rig *rig = rig_ready("580.159.04");
    unsigned waits, now, asked, blocks;
    int64_t t, end;

    set_go(rig, true);
    for (unsigned i = 1; i <= 20; i++) {
        g_assert_cmpint(submit(rig, rig->context, i, i), ==, 0);
    }
    wait_for(rig, &rig->completed, 20);
    vgsp_rm_pause(rig->rm);
    asked = asks(rig);
    blocks = __atomic_load_n(&rig->fake->blocks, __ATOMIC_RELAXED);
    vgsp_rm_unpause(rig->rm);
    for (unsigned i = 21; i <= 25; i++) {
        waits = __atomic_load_n(&rig->fake->waits, __ATOMIC_RELAXED);
        t = g_get_monotonic_time();
        long_section(rig, i, 60);
        t = g_get_monotonic_time() - t;
        now = __atomic_load_n(&rig->fake->waits, __ATOMIC_RELAXED);
        /* Every 20 ms, and some before and behind it. */
        g_assert_cmpuint(now - waits, <, t / 10000 + 20);
    }
    vgsp_rm_pause(rig->rm);
    vgsp_rm_unpause(rig->rm);
    g_assert_cmpuint(__atomic_load_n(&rig->rm->interrupts, __ATOMIC_RELAXED),
                     >, 0);
    blocks = __atomic_load_n(&rig->fake->blocks, __ATOMIC_RELAXED) - blocks;
    asked = asks(rig) - asked;
    g_assert_cmpuint(asked, >=, 5);
    g_assert_cmpuint(asked, <=, blocks + 5);
    end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;
    do {
        waits = __atomic_load_n(&rig->fake->waits, __ATOMIC_RELAXED);
        g_usleep(50000);
        now = __atomic_load_n(&rig->fake->waits, __ATOMIC_RELAXED);
    } while (now != waits && g_get_monotonic_time() < end);
    g_assert_cmpuint(now, ==, waits);
    rig_free(rig);
}

/* A section behind one that takes long asks for itself. */
static void test_event_queue(void)
{
    Rig *rig = rig_ready("580.159.04");
    RmContext *ctx = g_hash_table_lookup(rig->rm->contexts,
                                         GUINT_TO_POINTER(rig->context));
    bool asked = false;
    uint64_t seq = 1;

    g_assert_cmpint(submit(rig, rig->context, FAKE_HANG, seq), ==, 0);
    while (!asked) {
        const RmSlot *slot;

        g_assert_cmpuint(seq, <, 200);
        g_usleep(1000);         /* it may be about to look just now */
        g_assert_cmpint(submit(rig, rig->context, 1, ++seq), ==, 0);
        g_mutex_lock(&ctx->space->lock);
        slot = &ctx->slot[(ctx->put - 2) % RM_RING_ENTRIES];
        asked = slot->asks && slot->last;
        g_mutex_unlock(&ctx->space->lock);
    }
    set_go(rig, true);
    wait_for(rig, &rig->completed, seq);
    rig_free(rig);
}

static void test_event_refused(void)
{
    Rig *rig = rig_new("580.159.04", TU10X);

    rig->fake->hide = NV01_EVENT_OS_EVENT;
    g_assert_null(rig_open(rig));
    g_assert_nonnull(strstr(rig->line, "does not tell of interrupts"));
    g_assert_cmpint(rig_setup(rig), ==, 0);
    long_section(rig, 1, 10);
    long_section(rig, 2, 10);
    g_assert_cmpuint(rig->fake->blocks, ==, 0);
    g_assert_cmpuint(asks(rig), ==, 0);
    rig_free(rig);
}

/* An event that never comes costs 20 ms, and is not waited for again. */
static void test_event_lost(void)
{
    Rig *rig = rig_ready("580.159.04");
    unsigned n = 0, blocks;

    rig->fake->deaf = true;
    while (__atomic_load_n(&rig->rm->event, __ATOMIC_RELAXED)) {
        long_section(rig, ++n, 5);
        g_assert_cmpuint(n, <, 50);
    }
    vgsp_rm_pause(rig->rm);
    vgsp_rm_unpause(rig->rm);
    g_assert_nonnull(strstr(rig->line, "no interrupt came"));
    blocks = __atomic_load_n(&rig->fake->blocks, __ATOMIC_RELAXED);
    long_section(rig, ++n, 5);
    g_assert_cmpuint(__atomic_load_n(&rig->fake->blocks, __ATOMIC_RELAXED), ==,
                     blocks);
    rig_free(rig);
}

/*
 * The end of a section, which needs its space's lock where programs are
 * shadowed, does not hold up those of other spaces while that is being mapped.
 */
static void test_spaces(void)
{
    Rig *rig = rig_ready("580.159.04");
    RmSpace *s = g_hash_table_lookup(rig->rm->spaces,
                                     GUINT_TO_POINTER(rig->space));
    int64_t end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;
    uint8_t page[4096] = { 0 };
    uint32_t space, other;

    g_assert_cmpint(vgsp_rm_space_new(rig->rm, &space), ==, 0);
    g_assert_cmpint(vgsp_rm_context_new(rig->rm, space, 0, &other), ==, 0);
    g_mutex_lock(&s->lock);
    g_assert_cmpint(rm_own_shadow(s), ==, 0);
    g_assert_cmpint(rm_translate_ops.shadow(s, VA + 4096, page), ==, 0);
    g_mutex_unlock(&s->lock);
    g_assert_cmpint(submit(rig, rig->context, FAKE_HANG, 1), ==, 0);
    g_mutex_lock(&s->lock);
    set_go(rig, true);
    g_assert_cmpint(submit(rig, other, 2, 1), ==, 0);
    g_mutex_lock(&rig->lock);
    while (rig->completions < 1) {
        g_assert_true(g_cond_wait_until(&rig->cond, &rig->lock, end));
    }
    g_assert_cmpuint(rig->completed, ==, 0);
    g_mutex_unlock(&rig->lock);
    g_mutex_unlock(&s->lock);
    wait_for(rig, &rig->completed, 1);
    rig_free(rig);
}

/* What the thread saw only when it had retired does not keep it awake. */
static void test_sleep(void)
{
    Rig *rig = rig_ready("580.159.04");
    RmContext *ctx = g_hash_table_lookup(rig->rm->contexts,
                                         GUINT_TO_POINTER(rig->context));
    int64_t end = g_get_monotonic_time() + 5 * G_USEC_PER_SEC;
    unsigned sleeps;

    g_assert_cmpint(submit(rig, rig->context, 1, 1), ==, 0);
    wait_for(rig, &rig->completed, 1);
    g_mutex_lock(&rig->rm->ring_lock);
    while (!__atomic_load_n(&rig->rm->sleeping, __ATOMIC_ACQUIRE)) {
        g_mutex_unlock(&rig->rm->ring_lock);
        g_usleep(1000);
        g_mutex_lock(&rig->rm->ring_lock);
    }
    ctx->noticed--;
    sleeps = __atomic_load_n(&rig->rm->sleeps, __ATOMIC_RELAXED);
    rm_ring_kick(rig->rm);
    g_mutex_unlock(&rig->rm->ring_lock);
    while (__atomic_load_n(&rig->rm->sleeps, __ATOMIC_RELAXED) == sleeps) {
        g_assert_cmpint(g_get_monotonic_time(), <, end);
        g_usleep(1000);
    }
    rig_free(rig);
}

/* One entry stays free, also of what Host may not have fetched yet. */
static void test_ring_full(void)
{
    Rig *rig = rig_ready("580.159.04");
    RmContext *ctx = g_hash_table_lookup(rig->rm->contexts,
                                         GUINT_TO_POINTER(rig->context));
    uint64_t seq = 1;
    bool full = false;

    g_assert_cmpint(submit(rig, rig->context, FAKE_HANG, seq), ==, 0);
    g_usleep(5000);
    while (!full) {
        g_assert_cmpint(submit(rig, rig->context, 1, ++seq), ==, 0);
        g_mutex_lock(&ctx->space->lock);
        full = !g_queue_is_empty(&ctx->queue);
        g_assert_cmpuint(ctx->put - ctx->get + 1, <, RM_RING_ENTRIES);
        g_mutex_unlock(&ctx->space->lock);
    }
    set_go(rig, true);
    wait_for(rig, &rig->completed, seq);
    rig_free(rig);
}

/* ---- All at once ---- */

typedef struct Submitter {
    Rig *rig;
    uint32_t context;
} Submitter;

static gpointer submits(gpointer opaque)
{
    Submitter *s = opaque;

    for (uint64_t seq = 1; seq <= 3000;) {
        int ret = submit(s->rig, s->context, (uint32_t)seq, seq);

        g_assert_true(ret == 0 || ret == -EAGAIN);
        seq += ret == 0;
        if (ret || seq % 64 == 0) {
            g_usleep(seq % 640 ? 20 : 2000);
        }
    }
    return NULL;
}

/* Contexts that submit while they and others are held, paused and made. */
static void test_together(void)
{
    Rig *rig = rig_ready("580.159.04");
    Submitter s[3] = { { .rig = rig, .context = rig->context } };
    GThread *t[3];

    set_go(rig, true);
    for (unsigned i = 0; i < 3; i++) {
        s[i].rig = rig;
        if (i) {
            g_assert_cmpint(vgsp_rm_context_new(rig->rm, rig->space, 0,
                                                &s[i].context), ==, 0);
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        t[i] = g_thread_new("submits", submits, &s[i]);
    }
    for (unsigned n = 0; n < 20; n++) {
        uint32_t other;

        g_assert_cmpint(vgsp_rm_context_hold(rig->rm, s[n % 3].context, true),
                        ==, 0);
        g_assert_cmpint(vgsp_rm_context_new(rig->rm, rig->space, 0, &other),
                        ==, 0);
        g_assert_cmpint(submit(rig, other, n, 1), ==, 0);
        vgsp_rm_pause(rig->rm);
        vgsp_rm_unpause(rig->rm);
        g_assert_cmpint(vgsp_rm_context_hold(rig->rm, s[n % 3].context, false),
                        ==, 0);
        g_assert_cmpint(vgsp_rm_context_del(rig->rm, other), ==, 0);
    }
    for (unsigned i = 0; i < 3; i++) {
        g_thread_join(t[i]);
    }
    wait_for(rig, &rig->completed, 3000);
    vgsp_rm_pause(rig->rm);
    g_assert_cmpuint(seen(rig), ==, 9020);
    g_assert_cmpuint(rig->faults, ==, 0);
    vgsp_rm_unpause(rig->rm);
    rig_free(rig);
}

/*
 * The first end is told until another context is being deleted, and there is a
 * second one by then, which is told until that is gone.
 */
static void on_completed_beside(void *opaque, uint32_t context, uint64_t seq)
{
    int64_t end = g_get_monotonic_time() + 5 * G_USEC_PER_SEC;
    Rig *rig = opaque;
    RmContext *ctx = g_hash_table_lookup(rig->rm->contexts,
                                         GUINT_TO_POINTER(context));

    if (seq == 1) {
        __atomic_store_n(&rig->interrupts, 1, __ATOMIC_RELEASE);
        g_assert_cmpint(submit(rig, context, 2, 2), ==, 0);
        while (rm_ring_released(ctx) != ctx->put ||
               !__atomic_load_n(&rig->rm->waiters, __ATOMIC_ACQUIRE)) {
            g_assert_cmpint(g_get_monotonic_time(), <, end);
            g_usleep(100);
        }
    }
    while (seq == 2 && __atomic_load_n(&rig->rm->waiters, __ATOMIC_ACQUIRE)) {
        g_assert_cmpint(g_get_monotonic_time(), <, end);
        g_usleep(100);
    }
    on_completed(opaque, context, seq);
}

/* A context ends although another one gives the thread no rest. */
static void test_end_beside(void)
{
    static const VgspRmOps ops = { .completed = on_completed_beside };
    Rig *rig = rig_ready("580.159.04");
    uint32_t other;

    g_assert_cmpint(vgsp_rm_context_new(rig->rm, rig->space, 0, &other), ==,
                    0);
    rig->rm->ops = &ops;
    g_assert_cmpint(submit(rig, rig->context, 1, 1), ==, 0);
    while (!__atomic_load_n(&rig->interrupts, __ATOMIC_ACQUIRE)) {
        g_usleep(100);          /* it is being told */
    }
    g_assert_cmpint(vgsp_rm_context_del(rig->rm, other), ==, 0);
    wait_for(rig, &rig->completed, 2);
    rig_free(rig);
}

/* ---- Ends ---- */

static void test_fault(void)
{
    Rig *rig = rig_ready("580.159.04");
    uint32_t other;
    int ret;

    g_assert_cmpint(vgsp_rm_context_new(rig->rm, rig->space, 0, &other), ==,
                    0);
    g_assert_cmpint(submit(rig, rig->context, 1, 10), ==, 0);
    g_assert_cmpint(submit(rig, rig->context, FAKE_FAULT, 11), ==, 0);
    ret = submit(rig, rig->context, 2, 12);
    g_assert_true(ret == 0 || ret == -EIO);     /* it may be seen already */
    wait_fault(rig, 1);
    g_assert_cmpuint(rig->completed, ==, 10);
    g_assert_cmpuint(rig->fault.context, ==, rig->context);
    g_assert_cmpuint(rig->fault.kind, ==, VGSP_OWNER_FAULT_MMU);
    g_assert_cmpuint(rig->fault.seq, ==, 11);
    g_assert_cmpuint(rig->fault.valid, ==, VGSP_OWNER_FAULT_HAS_ADDRESS |
                     VGSP_OWNER_FAULT_HAS_TYPE);
    g_assert_cmpuint(rig->fault.address, ==, FAKE_FAULT_VA);
    g_assert_cmpuint(rig->fault.type, ==, 2);
    g_assert_nonnull(strstr(rig->line, "0x123456000"));
    g_assert_cmpint(submit(rig, rig->context, 1, 13), ==, -EIO);
    /* The other one goes on, and dies of something else. */
    g_assert_cmpint(submit(rig, other, 3, 1), ==, 0);
    g_assert_cmpint(submit(rig, other, FAKE_EXCEPTION, 2), ==, 0);
    wait_fault(rig, 2);
    g_assert_cmpuint(rig->completions, ==, 2);
    g_assert_cmpuint(rig->fault.context, ==, other);
    g_assert_cmpuint(rig->fault.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmpuint(rig->fault.type, ==, 13);
    g_assert_cmpint(vgsp_rm_context_del(rig->rm, other), ==, 0);
    g_assert_cmpint(vgsp_rm_context_del(rig->rm, other), ==, -ENOENT);
    rig_free(rig);
}

/* A method that the policy refuses ends the context behind what came first. */
static void test_policy(void)
{
    Rig *rig = rig_ready("580.159.04");
    const uint32_t words[] = { 0x20010000 | 0x44 / 4, 0x77 };

    g_assert_cmpint(submit(rig, rig->context, 1, 1), ==, 0);
    g_assert_cmpint(vgsp_rm_submit(rig->rm, rig->context, words, 2, 2), ==,
                    0);
    wait_fault(rig, 1);
    g_assert_cmpuint(rig->completed, ==, 1);
    g_assert_cmpuint(rig->fault.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmpuint(rig->fault.seq, ==, 2);
    g_assert_cmpuint(rig->fake->seen->len, ==, 1);
    rig_free(rig);
}

static void test_kill(void)
{
    Rig *rig = rig_ready("580.159.04");

    g_assert_cmpint(submit(rig, rig->context, FAKE_HANG, 7), ==, 0);
    g_assert_cmpint(submit(rig, rig->context, 1, 8), ==, 0);
    g_assert_cmpint(vgsp_rm_context_kill(rig->rm, rig->context,
                                         VGSP_OWNER_FAULT_TIMEOUT), ==, 0);
    wait_fault(rig, 1);
    g_assert_cmpuint(rig->fault.kind, ==, VGSP_OWNER_FAULT_TIMEOUT);
    g_assert_cmpuint(rig->fault.seq, ==, 7);
    g_assert_cmpint(submit(rig, rig->context, 1, 9), ==, -EIO);
    g_assert_cmpint(vgsp_rm_context_kill(rig->rm, rig->context,
                                         VGSP_OWNER_FAULT_TIMEOUT), ==, 0);
    g_usleep(2000);
    g_assert_cmpuint(rig->faults, ==, 1);
    g_assert_cmpuint(rig->completions, ==, 0);
    rig_free(rig);
}

/* Everything goes while work is queued; then it starts again. */
static void test_teardown(void)
{
    Rig *rig = rig_ready("580.159.04");

    for (unsigned i = 1; i <= 100; i++) {
        g_assert_cmpint(submit(rig, rig->context, i == 50 ? FAKE_HANG : i, i),
                        ==, 0);
    }
    vgsp_rm_revoke(rig->rm);
    g_assert_cmpint(submit(rig, rig->context, 1, 1), ==, -ENOENT);
    rig->completed = 0;
    g_assert_cmpint(rig_setup(rig), ==, 0);
    g_assert_cmpint(submit(rig, rig->context, 1, 3), ==, 0);
    wait_for(rig, &rig->completed, 3);
    g_assert_cmpuint(rig->faults, ==, 0);
    rig_free(rig);
}

/* A mapping that is replaced waits for what runs. */
static void test_quiesce(void)
{
    Rig *rig = rig_ready("580.159.04");
    struct vgsp_owner_map_op op = {
        .va = VA, .size = 4096, .memory = rig->memory, .offset = 8192,
    };
    GThread *t;

    g_assert_cmpint(submit(rig, rig->context, FAKE_HANG, 1), ==, 0);
    t = g_thread_new("let-go", let_go, rig->fake);
    g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, &op, 1), ==, 0);
    g_assert_true(rig->fake->go);
    g_assert_cmpuint(rig->fake->seen->len, ==, 1);
    g_thread_join(t);
    rig_free(rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rm/map/quiesce", test_quiesce);
    g_test_add_func("/rm/sections", test_sections);
    g_test_add_func("/rm/sections/long", test_sections_long);
    g_test_add_func("/rm/interrupt", test_interrupt);
    g_test_add_func("/rm/pause", test_pause);
    g_test_add_func("/rm/hold", test_hold);
    g_test_add_func("/rm/hold/running", test_hold_running);
    g_test_add_func("/rm/hold/endless", test_hold_endless);
    g_test_add_func("/rm/event", test_event);
    g_test_add_func("/rm/event/queue", test_event_queue);
    g_test_add_func("/rm/event/refused", test_event_refused);
    g_test_add_func("/rm/event/lost", test_event_lost);
    g_test_add_func("/rm/spaces", test_spaces);
    g_test_add_func("/rm/sleep", test_sleep);
    g_test_add_func("/rm/ring/full", test_ring_full);
    g_test_add_func("/rm/together", test_together);
    g_test_add_func("/rm/end/beside", test_end_beside);
    g_test_add_func("/rm/fault", test_fault);
    g_test_add_func("/rm/policy", test_policy);
    g_test_add_func("/rm/kill", test_kill);
    g_test_add_func("/rm/teardown", test_teardown);
    return g_test_run();
}
