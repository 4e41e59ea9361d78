/*
 * How long a submission takes, from the call to the callback, against a bare
 * ring and doorbell in the same process; and what either consists of. The two
 * take turns, since the clocks of the card and of the processor change.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>

#include "probe.h"
#include "vgsp/nv/host.h"

#define RUNS            9u          /* of each, in turn */
#define ROUNDS          400u        /* of one run */
#define BATCH           64u
#define BATCHES         40u

/* How a bare ring is driven. */
#define BARE_NO_WFI     1u          /* the engine need not be idle */
#define BARE_ASKS       2u          /* for the interrupt, behind the release */
#define BARE_FENCE      4u          /* behind the doorbell */

typedef struct Samples {
    double v[ROUNDS];
    unsigned n;
} Samples;

typedef struct Bare {
    RmContext *ctx;
    uint32_t id, n;
    uint32_t *ring, *push, *release, *put, *doorbell;
} Bare;

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void add(Samples *s, double v)
{
    s->v[s->n++] = v;
}

/* Of those after the first eighth, which wake and warm what slept. */
static double median(Samples *s)
{
    unsigned skip = s->n / 8;

    qsort(s->v + skip, s->n - skip, sizeof(s->v[0]), order);
    return s->v[skip + (s->n - skip) / 2];
}

static double median_of(double *v, unsigned n)
{
    qsort(v, n, sizeof(v[0]), order);
    return v[n / 2];
}

/* ---- A bare ring ---- */

static void bare_open(Bare *b)
{
    *b = (Bare) { 0 };
    must(vgsp_rm_context_new(rm, space, 0, &b->id), "second context");
    b->ctx = g_hash_table_lookup(rm->contexts, GUINT_TO_POINTER(b->id));
    b->ring = b->ctx->ring.ptr;
    b->push = (uint32_t *)((uint8_t *)b->ctx->ring.ptr + RM_PUSH_OFFSET);
    b->release = (uint32_t *)((uint8_t *)b->ctx->ring.ptr + RM_RELEASE_OFFSET);
    b->put = (uint32_t *)((uint8_t *)b->ctx->userd.ptr + NVC46F_USERD_GP_PUT);
    b->doorbell = (uint32_t *)((uint8_t *)rm->doorbell.ptr +
                               NVC361_NOTIFY_CHANNEL_PENDING);
}

static void bare_close(Bare *b)
{
    must(vgsp_rm_context_del(rm, b->id), "second context's end");
}

/* A release, at word k of the push buffer, and its entry. */
static void bare_put(Bare *b, uint32_t k, unsigned how)
{
    uint32_t entry = b->n++ % RM_RING_ENTRIES, *p = b->push + k;
    uint64_t va = b->ctx->va + RM_RELEASE_OFFSET;
    uint32_t count = how & BARE_ASKS ? 8 : 6;

    p[0] = 0x20050000 | NVC46F_SEM_ADDR_LO / 4;
    p[1] = (uint32_t)va;
    p[2] = (uint32_t)(va >> 32);
    p[3] = b->n;
    p[4] = 0;
    p[5] = NVC46F_SEM_EXECUTE_OPERATION_RELEASE |
           (uint32_t)VGSP_SET(NVC46F_SEM_EXECUTE_RELEASE_WFI,
                              !(how & BARE_NO_WFI));
    p[6] = 0x20010000 | NVC46F_NON_STALL_INTERRUPT / 4;
    p[7] = 0;
    va = b->ctx->va + RM_PUSH_OFFSET + k * 4;
    b->ring[entry * 2] = (uint32_t)va;
    b->ring[entry * 2 + 1] = (uint32_t)(va >> 32) | count << 10;
}

static void bare_ring(Bare *b, unsigned how)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(b->put, b->n % RM_RING_ENTRIES, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(b->doorbell, b->ctx->token, __ATOMIC_RELAXED);
    if (how & BARE_FENCE) {
        rm_store_fence();
    }
}

static void bare_wait(Bare *b)
{
    double t = now_us();

    while (__atomic_load_n(b->release, __ATOMIC_ACQUIRE) != b->n) {
        if (now_us() - t > WAIT_US) {
            stop("bare ring: no release of entry %u", b->n);
        }
    }
}

/* One after the other; *write: until the doorbell has been rung. */
static double bare_run(Bare *b, unsigned how, double *write)
{
    Samples all = { .n = 0 }, part = { .n = 0 };

    for (unsigned i = 0; i < ROUNDS; i++) {
        double t = now_us(), rung;

        bare_put(b, 0, how);
        bare_ring(b, how);
        rung = now_us();
        bare_wait(b);
        add(&all, now_us() - t);
        add(&part, rung - t);
        if (how & BARE_ASKS) {
            g_usleep(20);       /* not to hold the processors up with them */
        }
    }
    *write = median(&part);
    return median(&all);
}

/* 64 at a time behind one doorbell, for each. */
static double bare_batch(Bare *b, unsigned how)
{
    Samples s = { .n = 0 };

    for (unsigned i = 0; i < BATCHES; i++) {
        double t = now_us();

        for (unsigned k = 0; k < BATCH; k++) {
            bare_put(b, k * 8, how);
        }
        bare_ring(b, how);
        bare_wait(b);
        add(&s, (now_us() - t) / BATCH);
    }
    return median(&s);
}

/* ---- Sections ---- */

typedef struct Parts {
    double all, call, chip, seen;
} Parts;

static void spin_until(uint64_t upto)
{
    while (__atomic_load_n(&completed, __ATOMIC_ACQUIRE) < upto) {
        if (faults) {
            must_complete("empty section");
        }
    }
}

/*
 * call: vgsp_rm_submit(); chip: from there to the callback; seen: from the
 * callback to here, which is another thread.
 */
static Parts section_run(void)
{
    Samples all = { .n = 0 }, call = { .n = 0 }, chip = { .n = 0 };
    Samples seen = { .n = 0 };

    begin();
    for (unsigned i = 0; i < ROUNDS; i++) {
        double t = now_us(), end, called;

        run(context);
        called = now_us();
        spin_until(seq);
        end = now_us();
        add(&all, end - t);
        add(&call, called - t);
        add(&chip, completed_at - called);
        add(&seen, end - completed_at);
    }
    return (Parts) {
        .all = median(&all), .call = median(&call), .chip = median(&chip),
        .seen = median(&seen),
    };
}

/* The same, but this thread looks at the release itself. */
static double direct_run(void)
{
    RmContext *ctx = g_hash_table_lookup(rm->contexts,
                                         GUINT_TO_POINTER(context));
    Samples s = { .n = 0 };

    begin();
    for (unsigned i = 0; i < ROUNDS; i++) {
        double t = now_us();

        run(context);
        while (rm_ring_released(ctx) !=
               __atomic_load_n(&ctx->put, __ATOMIC_RELAXED)) {
            if (now_us() - t > WAIT_US) {
                stop("a section's release does not come");
            }
        }
        add(&s, now_us() - t);
        spin_until(seq);
    }
    return median(&s);
}

static void time_batches(double bare, double no_wfi)
{
    Samples s = { .n = 0 }, only = { .n = 0 };

    begin();
    for (unsigned i = 0; i < 4 * BATCHES; i++) {
        double t = now_us(), called;

        for (unsigned k = 0; k < BATCH; k++) {
            run(context);
        }
        called = now_us();
        spin_until(seq);
        add(&s, (now_us() - t) / BATCH);
        add(&only, (called - t) / BATCH);
    }
    step("rm.submit_batched_us %.2f of %u (the calls alone %.2f; bare %.2f, "
         "without idling %.2f)", median(&s), BATCH, median(&only), bare,
         no_wfi);
}

/* ---- The ring in the card's memory ---- */

#define NV01_MEMORY_LOCAL_USER  0x40

static const uint32_t words_at = RM_RELEASE_OFFSET + RM_PAGE;

/* The ring, the page of the release, and words: there, back, and there. */
static int map_local(Bare *b, NvHandle h)
{
    RmSpace *s = b->ctx->space;
    const uint64_t va = b->ctx->va;
    NvHandle ring = b->ctx->ring_memory;
    int ret = rm_space_unmap_fixed(s, s->window, ring, va, false);

    if (ret == 0) {
        ret = rm_space_map_fixed(s, s->window, h, 0, RM_RELEASE_OFFSET, va, 0,
                                 0, false);
    }
    if (ret == 0) {
        ret = rm_space_map_fixed(s, s->window, ring, RM_RELEASE_OFFSET,
                                 RM_PAGE, va + RM_RELEASE_OFFSET, 0, 0, false);
    }
    if (ret == 0) {
        ret = rm_space_map_fixed(s, s->window, h, words_at, RM_PAGE,
                                 va + words_at, 0, 0, false);
    }
    return ret;
}

static void unmap_local(Bare *b, NvHandle h)
{
    RmSpace *s = b->ctx->space;
    const uint64_t va = b->ctx->va;
    NvHandle ring = b->ctx->ring_memory;

    /* Some of these may not be there. */
    rm_space_unmap_fixed(s, s->window, h, va, false);
    rm_space_unmap_fixed(s, s->window, ring, va + RM_RELEASE_OFFSET, false);
    rm_space_unmap_fixed(s, s->window, h, va + words_at, false);
    must(rm_space_map_fixed(s, s->window, ring, 0, RM_RING_SIZE, va, 0, 0,
                            false), "ring mapped again");
}

/*
 * What it would be if the chip found the ring and the push buffer in its own
 * memory, to which the processor then writes over PCIe. GP_PUT and the release
 * stay where they are.
 */
void time_local(void)
{
    RmAllocParams p = {
        .memory = {
            .owner = RM_OWNER, .attr = NVOS32_ATTR_PAGE_SIZE_4KB,
            .size = 1 << 16,
        },
    };
    double t[5], write = 0;
    RmMapping cpu = { 0 };
    NvHandle h = 0;
    Bare b;
    int ret;

    bare_open(&b);
    ret = rm_alloc(rm, rm->device, &h, NV01_MEMORY_LOCAL_USER, &p);
    if (ret == 0) {
        ret = rm_map_cpu(rm, rm->device, h, 1 << 16, 0, true, &cpu);
    }
    if (ret == 0) {
        g_mutex_lock(&b.ctx->space->lock);
        ret = map_local(&b, h);
        b.ring = cpu.ptr;
        b.push = (uint32_t *)((uint8_t *)cpu.ptr + words_at);
        for (unsigned i = 0; i < G_N_ELEMENTS(t) && ret == 0; i++) {
            t[i] = bare_run(&b, 0, &write);
        }
        unmap_local(&b, h);
        g_mutex_unlock(&b.ctx->space->lock);
        rm_unmap_cpu(rm, rm->device, &cpu);
    }
    rm_free(rm, rm->device, &h);
    bare_close(&b);
    if (ret < 0) {
        step("a ring in the card's memory: %s", g_strerror(-ret));
    } else {
        step("a bare ring and push buffer in the card's memory: %.2f us "
             "(written and rung in %.2f)", median_of(t, G_N_ELEMENTS(t)),
             write);
    }
}

/* ---- All ---- */

void time_submits(void)
{
    double bare[RUNS], ours[RUNS], ratio[RUNS], direct[RUNS], fence[RUNS];
    double call[RUNS], chip[RUNS], seen[RUNS], write[RUNS], no_wfi, x;
    Bare b;

    bare_open(&b);
    for (unsigned i = 0; i < RUNS; i++) {
        Parts p;

        bare[i] = bare_run(&b, 0, &write[i]);
        p = section_run();
        direct[i] = direct_run();
        fence[i] = bare_run(&b, BARE_FENCE, &x);
        ours[i] = p.all;
        ratio[i] = p.all / bare[i];
        call[i] = p.call;
        chip[i] = p.chip;
        seen[i] = p.seen;
    }
    no_wfi = bare_run(&b, BARE_NO_WFI, &x);
    x = median_of(ratio, RUNS);
    step("rm.submit_vs_probe %.2f (%.2f to %.2f in %u runs; section %.2f us, "
         "bare %.2f)", x, ratio[0], ratio[RUNS - 1], RUNS,
         median_of(ours, RUNS), median_of(bare, RUNS));
    step("  section: call %.2f, then until the callback %.2f, then seen here "
         "%.2f; without the thread %.2f", median_of(call, RUNS),
         median_of(chip, RUNS), median_of(seen, RUNS),
         median_of(direct, RUNS));
    step("  bare: written and rung in %.2f; with a fence behind the doorbell "
         "%.2f, without idling %.2f", median_of(write, RUNS),
         median_of(fence, RUNS), no_wfi);
    step("  bare, asking for an interrupt each time: %.2f",
         bare_run(&b, BARE_ASKS, &x));
    time_batches(bare_batch(&b, 0), bare_batch(&b, BARE_NO_WFI));
    bare_close(&b);
}
