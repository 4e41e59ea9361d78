/*
 * How long it takes: submissions against a bare ring, and maps.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "probe.h"
#include "vgsp/nv/host.h"

#define ROUNDS          2000u
#define BATCH           64u

static int order(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double samples[ROUNDS];

static double median(unsigned n)
{
    qsort(samples, n, sizeof(samples[0]), order);
    return samples[n / 2];
}

/* The same release through the same kind of ring, with nothing around it. */
static double bare_loop(void)
{
    uint32_t id;
    RmContext *ctx;
    uint32_t *ring, *push, *release, *put, *doorbell;

    must(vgsp_rm_context_new(rm, space, 0, &id), "second context");
    ctx = g_hash_table_lookup(rm->contexts, GUINT_TO_POINTER(id));
    ring = ctx->ring.ptr;
    push = (uint32_t *)((uint8_t *)ctx->ring.ptr + RM_PUSH_OFFSET);
    release = (uint32_t *)((uint8_t *)ctx->ring.ptr + RM_RELEASE_OFFSET);
    put = (uint32_t *)((uint8_t *)ctx->userd.ptr + NVC46F_USERD_GP_PUT);
    doorbell = (uint32_t *)((uint8_t *)rm->doorbell.ptr +
                            NVC361_NOTIFY_CHANNEL_PENDING);
    for (uint32_t n = 1; n <= ROUNDS; n++) {
        uint32_t entry = (n - 1) % RM_RING_ENTRIES;
        uint64_t va = ctx->va + RM_RELEASE_OFFSET;
        double t = now_us();

        push[0] = 0x20050000 | NVC46F_SEM_ADDR_LO / 4;
        push[1] = (uint32_t)va;
        push[2] = (uint32_t)(va >> 32);
        push[3] = n;
        push[4] = 0;
        push[5] = NVC46F_SEM_EXECUTE_OPERATION_RELEASE |
                  (uint32_t)VGSP_SET(NVC46F_SEM_EXECUTE_RELEASE_WFI,
                                     NVC46F_SEM_EXECUTE_RELEASE_WFI_EN);
        va = ctx->va + RM_PUSH_OFFSET;
        ring[entry * 2] = (uint32_t)va;
        ring[entry * 2 + 1] = (uint32_t)(va >> 32) | 6 << 10;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        __atomic_store_n(put, n % RM_RING_ENTRIES, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        __atomic_store_n(doorbell, ctx->token, __ATOMIC_RELAXED);
        while (__atomic_load_n(release, __ATOMIC_ACQUIRE) != n) {
            if (now_us() - t > WAIT_US) {
                stop("bare loop: no release in round %u", n);
            }
        }
        samples[n - 1] = now_us() - t;
    }
    must(vgsp_rm_context_del(rm, id), "second context's end");
    return median(ROUNDS);
}

/* 64 at a time behind one doorbell, idle between them or not. */
static double bare_batch(bool wfi)
{
    uint32_t id, n = 0;
    RmContext *ctx;
    uint32_t *ring, *push, *release;

    must(vgsp_rm_context_new(rm, space, 0, &id), "second context");
    ctx = g_hash_table_lookup(rm->contexts, GUINT_TO_POINTER(id));
    ring = ctx->ring.ptr;
    push = (uint32_t *)((uint8_t *)ctx->ring.ptr + RM_PUSH_OFFSET);
    release = (uint32_t *)((uint8_t *)ctx->ring.ptr + RM_RELEASE_OFFSET);
    for (unsigned i = 0; i < 200; i++) {
        double t = now_us();

        for (unsigned k = 0; k < BATCH; k++) {
            uint32_t entry = n++ % RM_RING_ENTRIES;
            uint64_t va = ctx->va + RM_RELEASE_OFFSET;
            uint32_t *p = push + k * 8;

            p[0] = 0x20050000 | NVC46F_SEM_ADDR_LO / 4;
            p[1] = (uint32_t)va;
            p[2] = (uint32_t)(va >> 32);
            p[3] = n;
            p[4] = 0;
            p[5] = NVC46F_SEM_EXECUTE_OPERATION_RELEASE |
                   (uint32_t)VGSP_SET(NVC46F_SEM_EXECUTE_RELEASE_WFI, wfi);
            va = ctx->va + RM_PUSH_OFFSET + k * 32;
            ring[entry * 2] = (uint32_t)va;
            ring[entry * 2 + 1] = (uint32_t)(va >> 32) | 6 << 10;
        }
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        __atomic_store_n((uint32_t *)((uint8_t *)ctx->userd.ptr +
                                      NVC46F_USERD_GP_PUT),
                         n % RM_RING_ENTRIES, __ATOMIC_RELAXED);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        __atomic_store_n((uint32_t *)((uint8_t *)rm->doorbell.ptr +
                                      NVC361_NOTIFY_CHANNEL_PENDING),
                         ctx->token, __ATOMIC_RELAXED);
        while (__atomic_load_n(release, __ATOMIC_ACQUIRE) != n) {
            if (now_us() - t > WAIT_US) {
                stop("bare batch: no release");
            }
        }
        samples[i] = (now_us() - t) / BATCH;
    }
    must(vgsp_rm_context_del(rm, id), "second context's end");
    return median(200);
}

void time_submits(void)
{
    double bare = bare_loop(), wfi = bare_batch(true), no = bare_batch(false);
    double ours, t, lot, only = 0;

    begin();
    for (unsigned i = 0; i < ROUNDS; i++) {
        t = now_us();
        run(context);
        must_complete("empty section");
        samples[i] = now_us() - t;
    }
    ours = median(ROUNDS);
    step("rm.submit_vs_probe %.2f (section %.2f us, p90 %.2f; bare %.2f us)",
         ours / bare, ours, samples[ROUNDS * 9 / 10], bare);
    for (unsigned i = 0; i < 200; i++) {
        t = now_us();
        for (unsigned k = 0; k < BATCH; k++) {
            run(context);
        }
        only += (now_us() - t) / BATCH / 200;
        must_complete("batch");
        samples[i] = (now_us() - t) / BATCH;
    }
    lot = median(200);
    step("rm.submit_batched_us %.2f of %u (the calls alone %.2f; bare %.2f, "
         "without idling %.2f)", lot, BATCH, only, wfi, no);
}

/* Where the driver put what it needs for a context: what cannot be taken. */
void find_driver(void)
{
    RmSpace *s = g_hash_table_lookup(rm->spaces, GUINT_TO_POINTER(space));
    const struct {
        uint64_t start, size;
    } parts[] = {
        { s->start, (4ull << 30) - s->start }, { 0x120000000, 2ull << 30 },
        { s->own, 1ull << 30 },
    };
    const uint64_t unit = 2 * MIB;

    printf("  the space begins at 0x%llx, the executor's own at 0x%llx\n",
           (unsigned long long)s->start, (unsigned long long)s->own);
    silent = true;
    for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
        uint64_t first = 0, n = 0, last = 0;

        /* Each refusal is a line in the driver's log: not too many. */
        for (uint64_t at = 0; at + unit <= parts[i].size && n < 40;
             at += unit) {
            NvHandle h;

            if (rm_space_take(s, parts[i].start + at, unit,
                              NVOS32_ALLOC_FLAGS_LAZY, &h) == 0) {
                rm_free(rm, rm->device, &h);
            } else {
                last = parts[i].start + at;
                first = n++ ? first : last;
            }
        }
        printf("  of 0x%llx bytes at 0x%llx: %llu times 2 MiB taken, 0x%llx "
               "to 0x%llx\n", (unsigned long long)parts[i].size,
               (unsigned long long)parts[i].start, (unsigned long long)n,
               (unsigned long long)first, (unsigned long long)last);
    }
    silent = false;
    step("the driver's own buffers");
}

void time_maps(void)
{
    struct vgsp_owner_map_op *many = g_new0(struct vgsp_owner_map_op, 4096);
    uint8_t *big = mmap(NULL, GIB, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct vgsp_owner_map_op op = { .va = VA_HIGH, .size = GIB };
    double t, up, down;
    uint32_t id;

    if (big == MAP_FAILED) {
        stop("no memory");
    }
    memset(big, 1, GIB);
    step("1 GiB made present");
    t = now_us();
    must(vgsp_rm_memory_add(rm, big, GIB, &id), "1 GiB registered");
    op.memory = id;
    must(vgsp_rm_map(rm, space, &op, 1), "1 GiB mapped");
    up = now_us() - t;
    t = now_us();
    op.op = VGSP_OWNER_UNMAP;
    must(vgsp_rm_map(rm, space, &op, 1), "1 GiB unmapped");
    down = now_us() - t;
    t = now_us();
    op.op = VGSP_OWNER_MAP;
    must(vgsp_rm_map(rm, space, &op, 1), "1 GiB mapped again");
    step("rm.map_gib_ms %.1f (unmapped %.1f, mapped again %.1f)", up / 1e3,
         down / 1e3, (now_us() - t) / 1e3);
    op.op = VGSP_OWNER_UNMAP;
    must(vgsp_rm_map(rm, space, &op, 1), "1 GiB unmapped");

    for (unsigned i = 0; i < 4096; i++) {
        many[i] = (struct vgsp_owner_map_op) {
            .va = VA_HIGH + i * 8192ull, .size = 4096, .memory = id,
            .offset = (i * 1027ull % 4096) * 8192,
        };
    }
    t = now_us();
    must(vgsp_rm_map(rm, space, many, 4096), "4096 pages");
    up = now_us() - t;
    op.size = 32 * MIB;
    t = now_us();
    must(vgsp_rm_map(rm, space, &op, 1), "4096 pages unmapped");
    down = now_us() - t;
    t = now_us();
    for (unsigned i = 0; i < 512; i++) {
        must(vgsp_rm_map(rm, space, &many[i], 1), "single pages");
    }
    step("rm.map_scattered_us %.2f in one batch, %.2f one at a time; "
         "unmapped %.2f", up / 4096, (now_us() - t) / 512, down / 4096);
    must(vgsp_rm_memory_del(rm, id), "1 GiB withdrawn");
    munmap(big, GIB);
    g_free(many);
    step("withdrawn with 512 mappings");
}
