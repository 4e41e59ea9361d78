/*
 * The executor over NVIDIA's driver on a real card, step by step: prints what
 * each step found and how long it took, and ends at the first one that is not
 * as it should be. Runs nothing random and nothing endless; one step makes one
 * MMU fault, of one channel of its own.
 *
 * Usage: rm-probe [/dev/nvidia0]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "owner/rm/rm-int.h"
#include "vgsp/blocklinear.h"
#include "vgsp/nv/copy.h"
#include "vgsp/nv/dev_mmu.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/i2m.h"
#include "vgsp/nv/threed.h"

#define GIB             (1ull << 30)
#define MIB             (1ull << 20)
#define WAIT_US         (3 * G_USEC_PER_SEC)
#define LIMIT_S         100

/*
 * Where the guest's memory is mapped: above 4 GiB, and above 2^40, where a
 * report's address of 40 bits does not reach.
 */
#define VA              0x1234500000ull
#define VA_OTHER        0x4400000000ull
#define VA_HIGH         0x1765400000000ull

#define ROUNDS          2000u
#define BATCH           64u

static VgspRm *rm;
static uint8_t *host;
static uint32_t memory, space, context;
static uint64_t seq;

static uint64_t completed;              /* atomic: of any context */
static unsigned faults;                 /* atomic */
static struct vgsp_owner_fault fault;

static void on_completed(void *opaque, uint32_t id, uint64_t upto)
{
    (void)opaque;
    (void)id;
    __atomic_store_n(&completed, upto, __ATOMIC_RELEASE);
}

static void on_fault(void *opaque, const struct vgsp_owner_fault *f)
{
    (void)opaque;
    fault = *f;
    __atomic_add_fetch(&faults, 1, __ATOMIC_RELEASE);
}

static bool silent;

static void on_log(void *opaque, const char *line)
{
    (void)opaque;
    if (!silent) {
        printf("  (%s)\n", line);
    }
}

static const VgspRmOps ops = {
    .completed = on_completed,
    .fault = on_fault,
    .log = on_log,
};

/* ---- Steps ---- */

static int64_t started;

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void step(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    printf(" [%.1f ms]\n", (g_get_monotonic_time() - started) / 1e3);
    fflush(stdout);
    started = g_get_monotonic_time();
}

static void G_GNUC_NORETURN stop(const char *format, ...)
{
    va_list ap;

    printf("STOPPED: ");
    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    printf("\n");
    fflush(stdout);
    vgsp_rm_close(rm);
    exit(1);
}

static void must(int ret, const char *what)
{
    if (ret < 0) {
        stop("%s: %s", what, g_strerror(-ret));
    }
}

/* ---- Sections ---- */

static uint32_t words[4096];
static uint32_t count;

static void begin(void)
{
    count = 0;
}

/* One method of a subchannel. */
static void method(unsigned subchannel, uint32_t address, uint32_t datum)
{
    words[count++] = 0x20010000 | subchannel << 13 | address / 4;
    words[count++] = datum;
}

static void run(uint32_t id)
{
    must(vgsp_rm_submit(rm, id, words, count, ++seq), "submit");
}

static bool wait(uint64_t upto)
{
    int64_t end = g_get_monotonic_time() + WAIT_US;

    while (__atomic_load_n(&completed, __ATOMIC_ACQUIRE) < upto) {
        if (__atomic_load_n(&faults, __ATOMIC_ACQUIRE) ||
            g_get_monotonic_time() > end) {
            return false;
        }
        rm_cpu_relax();
    }
    return true;
}

static void must_complete(const char *what)
{
    if (!wait(seq)) {
        stop("%s: %s, kind %u, type %u, address 0x%llx", what,
             faults ? "fault" : "no completion", fault.kind, fault.type,
             (unsigned long long)fault.address);
    }
}

static void report(uint64_t va, uint32_t payload)
{
    method(0, NVC597_SET_REPORT_SEMAPHORE_A, (uint32_t)(va >> 32));
    method(0, NVC597_SET_REPORT_SEMAPHORE_B, (uint32_t)va);
    method(0, NVC597_SET_REPORT_SEMAPHORE_C, payload);
    method(0, NVC597_SET_REPORT_SEMAPHORE_D,
           (uint32_t)(NVC597_SET_REPORT_SEMAPHORE_D_RELEASE |
                      NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE));
}

static void upload(uint64_t va, uint32_t n, uint32_t first)
{
    method(2, NVA140_LINE_LENGTH_IN, n * 4);
    method(2, NVA140_LINE_COUNT, 1);
    method(2, NVA140_OFFSET_OUT_UPPER, (uint32_t)(va >> 32));
    method(2, NVA140_OFFSET_OUT, (uint32_t)va);
    method(2, NVA140_LAUNCH_DMA,
           (uint32_t)(VGSP_SET(NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT,
                               NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT_PITCH) |
                      VGSP_SET(NVA140_LAUNCH_DMA_COMPLETION_TYPE,
                               NVA140_LAUNCH_DMA_COMPLETION_TYPE_FLUSH_ONLY)));
    words[count++] = 0x60000000 | n << 16 | 2 << 13 |
                     NVA140_LOAD_INLINE_DATA / 4;
    for (uint32_t i = 0; i < n; i++) {
        words[count++] = first + i;
    }
}

static void objects(void)
{
    method(0, NVC46F_SET_OBJECT, TURING_A);
    method(1, NVC46F_SET_OBJECT, TURING_COMPUTE_A);
    method(2, NVC46F_SET_OBJECT, KEPLER_INLINE_TO_MEMORY_B);
    method(3, NVC46F_SET_OBJECT, FERMI_TWOD_A);
}

static void map(uint64_t va, uint64_t size, uint64_t offset, uint32_t kind)
{
    const struct vgsp_owner_map_op op = {
        .va = va, .size = size, .memory = memory, .offset = offset,
        .kind = kind,
    };

    must(vgsp_rm_map(rm, space, &op, 1), "map");
}

static void unmap(uint64_t va, uint64_t size)
{
    const struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_UNMAP, .va = va, .size = size,
    };

    must(vgsp_rm_map(rm, space, &op, 1), "unmap");
}

static uint32_t word(uint64_t offset)
{
    return __atomic_load_n((uint32_t *)(host + offset), __ATOMIC_ACQUIRE);
}

/* ---- Timing ---- */

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
    uint32_t *ring, *push, *release;
    volatile uint32_t *put, *doorbell;

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
        *put = n % RM_RING_ENTRIES;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        *doorbell = ctx->token;
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
        *(volatile uint32_t *)((uint8_t *)ctx->userd.ptr +
                               NVC46F_USERD_GP_PUT) = n % RM_RING_ENTRIES;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        *(volatile uint32_t *)((uint8_t *)rm->doorbell.ptr +
                               NVC361_NOTIFY_CHANNEL_PENDING) = ctx->token;
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

static void time_submits(void)
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
static void find_driver(void)
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

static void time_maps(void)
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

/* ---- What is executed ---- */

static void test_upload(uint64_t va, uint64_t offset, const char *what)
{
    begin();
    upload(va, 1024, 0xc0de0000);
    run(context);
    must_complete(what);
    for (uint32_t i = 0; i < 1024; i++) {
        if (word(offset + i * 4) != 0xc0de0000 + i) {
            stop("%s: word %u is 0x%x", what, i, word(offset + i * 4));
        }
    }
}

/* Through the copy engine of the channel: what the GPU sees at from. */
static void copy(uint64_t from, uint64_t to, uint32_t bytes, const char *what)
{
    begin();
    method(4, NVC46F_SET_OBJECT, rm->chip->architecture == 0x180 ? 0xc8b5
                                                                 : 0xc5b5);
    method(4, NVC5B5_OFFSET_IN_UPPER, (uint32_t)(from >> 32));
    method(4, NVC5B5_OFFSET_IN_LOWER, (uint32_t)from);
    method(4, NVC5B5_OFFSET_OUT_UPPER, (uint32_t)(to >> 32));
    method(4, NVC5B5_OFFSET_OUT_LOWER, (uint32_t)to);
    method(4, NVC5B5_LINE_LENGTH_IN, bytes);
    method(4, NVC5B5_LINE_COUNT, 1);
    method(4, NVC5B5_LAUNCH_DMA,
           (uint32_t)(NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED |
                      NVC5B5_LAUNCH_DMA_FLUSH_ENABLE |
                      NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT |
                      NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT));
    must(vgsp_rm_submit_raw(rm, context, words, count, ++seq), "submit");
    must_complete(what);
}

/* The words at va are first, first + 1, ... */
static void expect(uint64_t va, uint32_t first, const char *what)
{
    memset(host + 0x600000, 0, 4096);
    copy(va, VA + 0x600000, 4096, what);
    for (uint32_t i = 0; i < 1024; i++) {
        if (word(0x600000 + i * 4) != first + i) {
            stop("%s: word %u is 0x%x", what, i, word(0x600000 + i * 4));
        }
    }
}

static void fill(uint64_t offset, uint64_t size, uint32_t first)
{
    for (uint64_t i = 0; i < size / 4; i++) {
        ((uint32_t *)(host + offset))[i] = first + (uint32_t)i;
    }
}

static void test_copies(void)
{
    const struct vgsp_owner_map_op hole = {
        .op = VGSP_OWNER_UNMAP, .va = VA_HIGH + 0x3000, .size = 4096,
    };
    const struct vgsp_owner_map_op other = {
        .va = VA_HIGH + 0x8000, .size = 4096, .memory = memory,
        .offset = 0x420000, .flags = VGSP_OWNER_MAP_READ_ONLY,
    };
    RmSpace *s = g_hash_table_lookup(rm->spaces, GUINT_TO_POINTER(space));
    uint32_t page[1024];
    uint64_t va;
    void *ptr;

    fill(0x400000, 0x30000, 0x10000000);
    expect(VA + 0x400000, 0x10000000, "copy engine");
    step("a copy by the copy engine");

    map(VA_HIGH, 0x10000, 0x400000, 0);
    must(vgsp_rm_map(rm, space, &hole, 1), "hole");
    expect(VA_HIGH + 0x2000, 0x10000800, "before the hole");
    expect(VA_HIGH + 0x4000, 0x10001000, "behind the hole");
    must(vgsp_rm_map(rm, space, &other, 1), "replaced");
    expect(VA_HIGH + 0x8000, 0x10008000, "the page that was replaced");
    expect(VA_HIGH + 0x7000, 0x10001c00, "the page before it");
    expect(VA_HIGH + 0x9000, 0x10002400, "the page behind it");
    step("a mapping with a hole and a replaced page");

    for (unsigned i = 0; i < 1024; i++) {
        page[i] = 0x20000000 + i;
    }
    g_mutex_lock(&s->lock);
    must(rm_translate_ops.shadow(s, VA_HIGH + 0x5000, page), "shadow");
    g_mutex_unlock(&s->lock);
    expect(VA_HIGH + 0x5000, 0x20000000, "the shadow");
    expect(VA_HIGH + 0x6000, 0x10001800, "the page behind the shadow");
    g_mutex_lock(&s->lock);
    must(rm_translate_ops.shadow(s, VA_HIGH + 0x5000, NULL), "shadow's end");
    g_mutex_unlock(&s->lock);
    expect(VA_HIGH + 0x5000, 0x10001400, "the guest's page again");
    unmap(VA_HIGH, 0x10000);
    step("a page shadowed, and not");

    g_mutex_lock(&s->lock);
    must(rm_translate_ops.reserve(s, MIB, true, &va, &ptr), "reserve");
    g_mutex_unlock(&s->lock);
    memcpy((uint8_t *)ptr + 0x10000, page, sizeof(page));
    expect(va + 0x10000, 0x20000000, "reserved memory");
    step("reserved memory at 0x%llx", (unsigned long long)va);
}

/* Taken off the engine, and let go on, by the driver's controls. */
static void test_hold(void)
{
    RmContext *ctx = g_hash_table_lookup(rm->contexts,
                                         GUINT_TO_POINTER(context));
    NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS p = { 0 };
    double t = now_us(), off;
    int ret = rm_control(rm, ctx->group, NVA06C_CTRL_CMD_GPFIFO_SCHEDULE, &p,
                         sizeof(p));
    bool ran;

    off = now_us() - t;
    begin();
    report(VA + 0x30, 1);
    run(context);
    g_usleep(20000);
    ran = __atomic_load_n(&completed, __ATOMIC_ACQUIRE) >= seq;
    p.bEnable = 1;
    t = now_us();
    must(rm_control(rm, ctx->group, NVA06C_CTRL_CMD_GPFIFO_SCHEDULE, &p,
                    sizeof(p)), "schedule again");
    must_complete("after it was let go on");
    step("off the engine: %s in %.0f us, work %s; on again in %.0f us",
         ret < 0 ? g_strerror(-ret) : "ok", off, ran ? "ran" : "waited",
         now_us() - t);
}

/* A second client, as of another VM, beside this one. */
static void test_two(const VgspRmConfig *config)
{
    char *error = NULL;
    VgspRm *first = rm;
    uint32_t first_memory = memory, first_space = space, s, c;

    rm = vgsp_rm_open(config, &error);
    if (!rm) {
        rm = first;
        stop("a second client: %s", error);
    }
    must(vgsp_rm_memory_add(rm, host + 0x800000, MIB, &memory), "memory");
    must(vgsp_rm_space_new(rm, &s), "space");
    space = s;
    map(VA, MIB, 0, 0);
    must(vgsp_rm_context_new(rm, s, 0, &c), "context");
    begin();
    objects();
    upload(VA + 0x1000, 1024, 0x2c11e47);
    run(c);
    must_complete("the second client");
    if (word(0x801000) != 0x2c11e47) {
        stop("the second client: 0x%x", word(0x801000));
    }
    vgsp_rm_close(rm);
    rm = first;
    memory = first_memory;
    space = first_space;
    test_upload(VA + 0x3000, 0x3000, "the first client after the second");
    step("a second client beside it, at the same address");
}

static void test_clear(void)
{
    const uint64_t va = VA + 0x100000;

    memset(host + 0x100000, 0x33, 256 * 128 * 4 + 4096);
    begin();
    method(0, NVC597_SET_COLOR_TARGET_A(0), (uint32_t)(va >> 32));
    method(0, NVC597_SET_COLOR_TARGET_A(0) + 4, (uint32_t)va);
    method(0, NVC597_SET_COLOR_TARGET_WIDTH(0), 256 * 4);
    method(0, NVC597_SET_COLOR_TARGET_HEIGHT(0), 128);
    method(0, NVC597_SET_COLOR_TARGET_FORMAT(0), 0xd5);     /* A8B8G8R8 */
    method(0, NVC597_SET_COLOR_TARGET_MEMORY(0),
           (uint32_t)NVC597_SET_COLOR_TARGET_MEMORY_LAYOUT);
    method(0, NVC597_SET_COLOR_TARGET_MEMORY(0) + 4, 1);    /* layers */
    method(0, NVC597_SET_COLOR_TARGET_ARRAY_PITCH(0), 0);
    method(0, NVC597_SET_COLOR_TARGET_LAYER(0), 0);
    method(0, 0x121c, 1);                                   /* CT_SELECT */
    method(0, NVC597_SET_SURFACE_CLIP_HORIZONTAL, 256 << 16);
    method(0, NVC597_SET_SURFACE_CLIP_VERTICAL, 128 << 16);
    method(0, NVC597_SET_CLEAR_SURFACE_CONTROL, 0);
    method(0, NVC597_SET_COLOR_CLEAR_VALUE(0), 0x3f800000);
    method(0, NVC597_SET_COLOR_CLEAR_VALUE(1), 0);
    method(0, NVC597_SET_COLOR_CLEAR_VALUE(2), 0x3f000000);
    method(0, NVC597_SET_COLOR_CLEAR_VALUE(3), 0x3f800000);
    method(0, NVC597_CLEAR_SURFACE, 0x3c);                  /* RGBA */
    run(context);
    must_complete("clear");
    for (uint32_t i = 0; i < 256 * 128; i++) {
        /* 0.5 becomes 127 or 128. */
        if ((word(0x100000 + i * 4) & ~0xff0000u) != 0xff0000ff) {
            stop("clear: pixel %u is 0x%x", i, word(0x100000 + i * 4));
        }
    }
    if (word(0x100000 + 256 * 128 * 4) != 0x33333333) {
        stop("clear: wrote beyond the target");
    }
    step("clear: all of 256x128 are 0x%x", word(0x100000));
}

/* Each in a context of its own: a kind may be no good for this memory. */
static void test_kinds(void)
{
    for (uint32_t kind = 1; kind <= NV_MMU_PTE_KIND_GENERIC_MEMORY; kind++) {
        const struct vgsp_owner_map_op op = {
            .va = VA_HIGH, .size = 65536, .memory = memory,
            .offset = 0x400000, .kind = kind,
        };
        int ret = vgsp_rm_map(rm, space, &op, 1);
        unsigned same = 0;
        uint32_t other;

        if (ret < 0) {
            step("page kind %u: not mapped: %s", kind, g_strerror(-ret));
            continue;
        }
        must(vgsp_rm_context_new(rm, space, 0, &other), "context");
        memset(host + 0x400000, 0, 65536);
        begin();
        objects();
        upload(VA_HIGH, 1024, 0xc0de0000);
        run(other);
        if (!wait(seq)) {
            step("page kind %u: %s", kind, faults ? "fault" : "hangs");
            faults = 0;
        } else {
            for (uint32_t i = 0; i < 1024; i++) {
                same += word(0x400000 + i * 4) == 0xc0de0000 + i;
            }
            step("page kind %u: an upload by address gives %u of 1024 words "
                 "in place", kind, same);
        }
        must(vgsp_rm_context_del(rm, other), "its end");
        unmap(VA_HIGH, 65536);
    }
    completed = seq;
}

/*
 * A depth surface of 64x32, blocks of one GOB, cleared, then a rectangle of it
 * to something else: how many texels are where the layout says, for the CPU.
 */
static unsigned depth_texels(unsigned bytes)
{
    const VgspBlockLinear bl = { .width = 64 * bytes, .height = 32 };
    const uint8_t *base = host + 0x500000;
    const uint8_t *out = base + vgsp_blocklinear_offset(&bl, 0, 0, 0);
    const uint8_t *in = base + vgsp_blocklinear_offset(&bl, 10 * bytes, 10, 0);
    unsigned right = 0;

    if (!memcmp(out, in, bytes)) {
        return 0;
    }
    for (uint32_t y = 0; y < 32; y++) {
        for (uint32_t x = 0; x < 64; x++) {
            bool within = x >= 5 && x < 37 && y >= 3 && y < 21;

            right += !memcmp(base + vgsp_blocklinear_offset(&bl, x * bytes, y,
                                                            0),
                             within ? in : out, bytes);
        }
    }
    return right;
}

static void test_depth(void)
{
    static const struct {
        const char *name;
        uint32_t format, kind;
        unsigned bytes;
    } formats[] = {
        { "Z16", NVC597_SET_ZT_FORMAT_V_Z16, 1, 2 },
        { "S8", NVC597_SET_ZT_FORMAT_V_S8, 2, 1 },
        { "S8Z24", NVC597_SET_ZT_FORMAT_V_S8Z24, 3, 4 },
        { "ZF32_X24S8", NVC597_SET_ZT_FORMAT_V_ZF32_X24S8, 4, 8 },
        { "Z24S8", NVC597_SET_ZT_FORMAT_V_Z24S8, 5, 4 },
        { "ZF32", NVC597_SET_ZT_FORMAT_V_ZF32, 6, 4 },
    };

    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(formats); i++) {
        unsigned f = i / 2;
        uint32_t kind = i % 2 ? formats[f].kind : 6, other;
        const struct vgsp_owner_map_op op = {
            .va = VA_OTHER, .size = 65536, .memory = memory,
            .offset = 0x500000, .kind = kind,
        };

        if (i % 2 && kind == 6) {
            continue;
        }
        memset(host + 0x500000, 0x77, 65536);
        must(vgsp_rm_map(rm, space, &op, 1), "depth surface");
        must(vgsp_rm_context_new(rm, space, 0, &other), "context");
        begin();
        objects();
        method(0, NVC597_SET_ZT_A, (uint32_t)(VA_OTHER >> 32));
        method(0, NVC597_SET_ZT_A + 4, (uint32_t)VA_OTHER);
        method(0, NVC597_SET_ZT_FORMAT, formats[f].format);
        method(0, NVC597_SET_ZT_BLOCK_SIZE, 0);
        method(0, NVC597_SET_ZT_ARRAY_PITCH, 0x4000 / 4);
        method(0, NVC597_SET_ZT_SIZE_A, 64);
        method(0, NVC597_SET_ZT_SIZE_B, 32);
        method(0, NVC597_SET_ZT_SIZE_B + 4, 1);
        method(0, NVC597_SET_ZT_SELECT, 1);
        method(0, NVC597_SET_ZT_LAYER, 0);
        method(0, NVC597_SET_SURFACE_CLIP_HORIZONTAL, 64 << 16);
        method(0, NVC597_SET_SURFACE_CLIP_VERTICAL, 32 << 16);
        method(0, NVC597_SET_CLEAR_SURFACE_CONTROL, 0);
        method(0, NVC597_SET_Z_CLEAR_VALUE, 0x3e800000);
        method(0, NVC597_SET_STENCIL_CLEAR_VALUE, 0x11);
        method(0, NVC597_CLEAR_SURFACE, 3);
        method(0, NVC597_SET_CLEAR_RECT_HORIZONTAL, 37 << 16 | 5);
        method(0, NVC597_SET_CLEAR_RECT_VERTICAL, 21 << 16 | 3);
        method(0, NVC597_SET_CLEAR_SURFACE_CONTROL,
               (uint32_t)NVC597_SET_CLEAR_SURFACE_CONTROL_USE_CLEAR_RECT);
        method(0, NVC597_SET_Z_CLEAR_VALUE, 0x3f400000);
        method(0, NVC597_SET_STENCIL_CLEAR_VALUE, 0x22);
        method(0, NVC597_CLEAR_SURFACE, 3);
        run(other);
        if (!wait(seq)) {
            step("%s in kind %u: %s", formats[f].name, kind,
                 faults ? "fault" : "hangs");
            faults = 0;
        } else {
            step("%s in kind %u: %u of 2048 texels in place; 0x%08x 0x%08x",
                 formats[f].name, kind,
                 depth_texels(formats[f].bytes),
                 word(0x500000), word(0x500004));
        }
        must(vgsp_rm_context_del(rm, other), "its end");
        unmap(VA_OTHER, 65536);
    }
    completed = seq;
}

static void test_sparse(void)
{
    const struct vgsp_owner_map_op sparse[] = {
        { .op = VGSP_OWNER_SPARSE, .va = VA_OTHER, .size = 4 * MIB },
        { .va = VA_OTHER + MIB, .size = 4096, .memory = memory,
          .offset = 0x300000 },
    };
    int ret = vgsp_rm_map(rm, space, sparse, 1);

    if (ret < 0) {
        step("sparse: not mapped: %s", g_strerror(-ret));
        return;
    }
    begin();
    report(VA_OTHER + 0x2000, 0x11112222);
    run(context);
    must_complete("write to a sparse range");
    must(vgsp_rm_map(rm, space, &sparse[1], 1), "page within it");
    begin();
    report(VA_OTHER + 0x2000, 0x11112222);
    report(VA_OTHER + MIB + 16, 0x33334444);
    report(VA_OTHER + MIB + 0x2000, 0x11112222);
    run(context);
    must_complete("writes beside a page in it");
    if (word(0x300010) != 0x33334444) {
        stop("sparse: the page has 0x%x", word(0x300010));
    }
    unmap(VA_OTHER, 4 * MIB);
    step("sparse: writes are dropped, a page within it is written");
}

static void test_fault(void)
{
    uint32_t other;

    must(vgsp_rm_context_new(rm, space, 0, &other), "context that will fault");
    begin();
    objects();
    run(other);
    must_complete("its first section");
    begin();
    report(VA_OTHER + 0x1230, 0xdead);
    run(other);
    if (wait(seq)) {
        stop("a write to an unmapped address retired");
    }
    if (!faults) {
        stop("a write to an unmapped address: neither fault nor end");
    }
    step("fault: kind %u, type %u, address 0x%llx (written: 0x%llx), seq %s",
         fault.kind, fault.type, (unsigned long long)fault.address,
         VA_OTHER + 0x1230, fault.seq == seq ? "right" : "wrong");
    if (fault.kind != VGSP_OWNER_FAULT_MMU || fault.context != other) {
        stop("that is not the fault");
    }
    must(vgsp_rm_context_del(rm, other), "its end");
    faults = 0;
    seq++;
    test_upload(VA + 0x2000, 0x2000, "the other context after the fault");
    must(vgsp_rm_context_new(rm, space, 0, &other), "the next context");
    begin();
    objects();
    report(VA + 0x10, 0x600d);
    run(other);
    must_complete("the next context");
    must(vgsp_rm_context_del(rm, other), "its end");
    step("the other context, and a new one, work");
}

static void test_teardown(void)
{
    uint32_t other;

    for (unsigned i = 0; i < 3; i++) {
        must(vgsp_rm_context_new(rm, space, 0, &other), "context");
        begin();
        objects();
        run(other);
        for (unsigned k = 0; k < 500; k++) {
            begin();
            report(VA + 0x20, k);
            run(other);
        }
        must(vgsp_rm_context_del(rm, other), "end with work queued");
    }
    completed = seq;
    test_upload(VA + 0x4000, 0x4000, "after teardowns");
    step("3 contexts ended with work queued");
}

int main(int argc, char **argv)
{
    VgspRmConfig config = {
        .path = argc > 1 ? argv[1] : "/dev/nvidia0", .ops = &ops,
    };
    char *error = NULL;
    VgspChip chip;
    int fd;

    alarm(LIMIT_S);
    started = g_get_monotonic_time();
    rm = vgsp_rm_open(&config, &error);
    if (!rm) {
        printf("STOPPED: %s\n", error);
        return 1;
    }
    vgsp_rm_chip(rm, &chip);
    step("open: driver %s, %s, %u SMs, clock %llu ns", vgsp_rm_version(rm),
         vgsp_rm_chip_name(rm), rm->sm_count,
         (unsigned long long)vgsp_rm_clock_ns(rm));

    fd = memfd_create("guest", 0);
    if (fd < 0 || ftruncate(fd, 64 * MIB) < 0) {
        stop("no memfd");
    }
    host = mmap(NULL, 64 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    must(vgsp_rm_memory_add(rm, host, 64 * MIB, &memory), "memory");
    must(vgsp_rm_space_new(rm, &space), "space");
    step("space");
    map(VA, 48 * MIB, 0, 0);
    step("48 MiB of a memfd mapped at 0x%llx", VA);
    must(vgsp_rm_context_new(rm, space, 1000, &context), "context");
    step("context");
    begin();
    run(context);
    must_complete("first empty section");
    step("empty section");
    time_submits();
    begin();
    objects();
    run(context);
    must_complete("SET_OBJECT");
    begin();
    report(VA + 0x10, 0x600d600d);
    run(context);
    must_complete("report");
    if (word(0x10) != 0x600d600d) {
        stop("report: 0x%x", word(0x10));
    }
    step("a report of 3D");
    test_upload(VA + 0x1000, 0x1000, "upload");
    step("an upload of 4 KiB");
    map(VA_HIGH, 65536, 0x200000, 0);
    test_upload(VA_HIGH, 0x200000, "upload above 2^40");
    unmap(VA_HIGH, 65536);
    step("an upload above 2^40");
    test_clear();
    test_copies();
    test_hold();
    test_two(&config);
    find_driver();
    time_maps();
    test_teardown();
    test_sparse();
    test_fault();
    test_depth();
    test_kinds();
    vgsp_rm_close(rm);
    step("closed");
    rm = vgsp_rm_open(&config, &error);
    if (!rm) {
        printf("STOPPED: again: %s\n", error);
        return 1;
    }
    vgsp_rm_close(rm);
    step("opened and closed again");
    printf("all as it should be\n");
    return 0;
}
