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

#include "probe.h"
#include "vgsp/nv/copy.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/i2m.h"
#include "vgsp/nv/threed.h"

#define LIMIT_S         100

VgspRm *rm;
uint8_t *host;
uint32_t memory, space, context;
uint64_t seq, completed;
double completed_at;
unsigned faults;
bool silent;
uint32_t words[4096], count;

static struct vgsp_owner_fault fault;

static void on_completed(void *opaque, uint32_t id, uint64_t upto)
{
    (void)opaque;
    (void)id;
    completed_at = now_us();
    __atomic_store_n(&completed, upto, __ATOMIC_RELEASE);
}

static void on_fault(void *opaque, const struct vgsp_owner_fault *f)
{
    (void)opaque;
    fault = *f;
    __atomic_add_fetch(&faults, 1, __ATOMIC_RELEASE);
}

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

double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

void step(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    vprintf(format, ap);
    va_end(ap);
    printf(" [%.1f ms]\n", (g_get_monotonic_time() - started) / 1e3);
    fflush(stdout);
    started = g_get_monotonic_time();
}

void stop(const char *format, ...)
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

void must(int ret, const char *what)
{
    if (ret < 0) {
        stop("%s: %s", what, g_strerror(-ret));
    }
}

/* ---- Sections ---- */

void begin(void)
{
    count = 0;
}

/* One method of a subchannel. */
void method(unsigned subchannel, uint32_t address, uint32_t datum)
{
    words[count++] = 0x20010000 | subchannel << 13 | address / 4;
    words[count++] = datum;
}

void run(uint32_t id)
{
    must(vgsp_rm_submit(rm, id, words, count, ++seq), "submit");
}

bool wait(uint64_t upto)
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

void must_complete(const char *what)
{
    if (!wait(seq)) {
        stop("%s: %s, kind %u, type %u, address 0x%llx", what,
             faults ? "fault" : "no completion", fault.kind, fault.type,
             (unsigned long long)fault.address);
    }
}

void report(uint64_t va, uint32_t payload)
{
    method(0, NVC597_SET_REPORT_SEMAPHORE_A, (uint32_t)(va >> 32));
    method(0, NVC597_SET_REPORT_SEMAPHORE_B, (uint32_t)va);
    method(0, NVC597_SET_REPORT_SEMAPHORE_C, payload);
    method(0, NVC597_SET_REPORT_SEMAPHORE_D,
           (uint32_t)(NVC597_SET_REPORT_SEMAPHORE_D_RELEASE |
                      NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE));
}

void upload(uint64_t va, uint32_t n, uint32_t first)
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

void objects(void)
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

void unmap(uint64_t va, uint64_t size)
{
    const struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_UNMAP, .va = va, .size = size,
    };

    must(vgsp_rm_map(rm, space, &op, 1), "unmap");
}

uint32_t word(uint64_t offset)
{
    return __atomic_load_n((uint32_t *)(host + offset), __ATOMIC_ACQUIRE);
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
    test_sleep();
    test_two(&config);
    find_driver();
    time_maps();
    test_teardown();
    test_sparse();
    test_fault();
    test_depth();
    test_kinds();
    time_local();
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
