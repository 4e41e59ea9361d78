/*
 * What the client's thread does while a section takes long, and a context that
 * is held. A section that takes as long as is wanted is an acquire of Host's,
 * of a word that this program writes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <sys/resource.h>

#include "probe.h"
#include "vgsp/nv/host.h"

#define WORD            0x40ull         /* of memory: what is waited for */
#define LONG_US         50000
#define TIMES           9u

static uint32_t waited_for;

static void let_go(void)
{
    __atomic_store_n((uint32_t *)(host + WORD), waited_for, __ATOMIC_RELEASE);
}

/* A section that ends when let_go() is called. */
static void long_section(void)
{
    begin();
    words[count++] = 0x20050000 | NVC46F_SEM_ADDR_LO / 4;
    words[count++] = (uint32_t)(VA + WORD);
    words[count++] = (uint32_t)((VA + WORD) >> 32);
    words[count++] = ++waited_for;
    words[count++] = 0;
    words[count++] = NVC46F_SEM_EXECUTE_OPERATION_ACQUIRE;
    must(vgsp_rm_submit_raw(rm, context, words, count, ++seq), "submit");
}

static bool has_completed(void)
{
    return __atomic_load_n(&completed, __ATOMIC_ACQUIRE) >= seq;
}

static gpointer let_go_later(gpointer unused)
{
    (void)unused;
    g_usleep(20000);
    let_go();
    return NULL;
}

void test_hold(void)
{
    double t, ended;
    GThread *thread;

    /* What is submitted waits, whatever it is. */
    must(vgsp_rm_context_hold(rm, context, true), "hold");
    begin();
    report(VA + 0x30, 0x401d);
    run(context);
    g_usleep(20000);
    if (has_completed() || word(0x30) == 0x401d) {
        stop("hold: it ran");
    }
    t = now_us();
    must(vgsp_rm_context_hold(rm, context, false), "let go on");
    must_complete("after it was let go on");
    step("held: nothing ran; let go on, done after %.0f us", now_us() - t);

    /* What runs is waited for. */
    long_section();
    thread = g_thread_new("let-go", let_go_later, NULL);
    t = now_us();
    must(vgsp_rm_context_hold(rm, context, true), "hold while it runs");
    ended = now_us() - t;
    if (!has_completed()) {
        stop("hold: it had not ended");
    }
    g_thread_join(thread);
    must(vgsp_rm_context_hold(rm, context, false), "let go on");
    step("held while a section took 20 ms: off the engine after %.1f ms",
         ended / 1e3);
}

static double cpu_us(void)
{
    struct rusage u;

    getrusage(RUSAGE_SELF, &u);
    return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 + u.ru_utime.tv_usec +
           u.ru_stime.tv_usec;
}

static void long_sections(const char *how)
{
    RmContext *ctx = g_hash_table_lookup(rm->contexts,
                                         GUINT_TO_POINTER(context));
    unsigned sleeps = rm->sleeps, events = rm->interrupts;
    double cpu = 0, latency[TIMES], sum = 0, worst = 0;

    for (unsigned i = 0; i < TIMES; i++) {
        double at, released;

        long_section();
        g_usleep(1000);
        at = cpu_us();
        g_usleep(LONG_US);
        cpu += cpu_us() - at;
        if (has_completed()) {
            stop("a section that waits has ended");
        }
        let_go();
        at = now_us();
        /* This section's word is the first that is released now. */
        while (rm_ring_released(ctx) ==
               __atomic_load_n(&ctx->get, __ATOMIC_RELAXED) &&
               !has_completed()) {
            if (now_us() - at > WAIT_US) {
                stop("a section does not end");
            }
        }
        released = now_us();
        must_complete("a section that took long");
        latency[i] = MAX(completed_at - released, 0);
        sum += latency[i];
        worst = MAX(worst, latency[i]);
    }
    step("%s: from a long section's end to its callback %.0f us, at most %.0f; "
         "%.2f %% of a processor while it ran; %u sleeps, %u events", how,
         sum / TIMES, worst, cpu / TIMES / LONG_US * 100, rm->sleeps - sleeps,
         rm->interrupts - events);
}

void test_sleep(void)
{
    bool event = rm->event;
    unsigned sleeps;
    double cpu;

    g_usleep(10000);
    cpu = cpu_us();
    sleeps = rm->sleeps;
    g_usleep(100000);
    step("idle for 100 ms: %.0f us of a processor, %u sleeps", cpu_us() - cpu,
         rm->sleeps - sleeps);
    if (event) {
        long_sections("the driver's event");
    } else {
        step("the driver's event: refused");
    }
    step("  it is %s used afterwards", rm->event ? "still" : "not");
    __atomic_store_n(&rm->event, false, __ATOMIC_RELAXED);
    long_sections("without it");
    __atomic_store_n(&rm->event, event, __ATOMIC_RELAXED);
}
