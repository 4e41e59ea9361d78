/*
 * The ABI of a vgsp owner, driven from user space: every ioctl, every error,
 * every limit; sections that write memory; faults; two sessions; what is left
 * behind. TAP. Needs root, /dev/vgsp-owner0 and debugfs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "owner-rig.h"

#define PARAMETERS "/sys/module/vgsp_owner/parameters/"

/* A limit of sessions that are opened from now on; what it was. */
static long parameter(const char *name, long value)
{
    char path[128];
    long was = -1;
    FILE *f;

    snprintf(path, sizeof(path), PARAMETERS "%s", name);
    f = fopen(path, "r+");
    if (!f || fscanf(f, "%ld", &was) != 1) {
        bail("%s", path);
    }
    rewind(f);
    fprintf(f, "%ld\n", value);
    fclose(f);
    return was;
}

static long locked_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *f = fopen("/proc/self/status", "r");

    while (f && fgets(line, sizeof(line), f)) {
        sscanf(line, "VmLck: %ld", &kib);
    }
    if (f) {
        fclose(f);
    }
    return kib;
}

/* ---- Structures and their sizes ---- */

static void test_calls(void)
{
    struct {
        struct vgsp_owner_clock clock;
        uint64_t tail[2];
    } c = { .clock.size = sizeof(c.clock) };
    int fd = owner_open();

    if (fd < 0) {
        bail("/dev/vgsp-owner0");
    }
    expect(0, fd, VGSP_OWNER_CLOCK, &c, "a structure of its size");
    c.clock.size = sizeof(c);
    expect(0, fd, VGSP_OWNER_CLOCK, &c, "a longer one that ends in zeros");
    c.tail[1] = 1;
    expect(E2BIG, fd, VGSP_OWNER_CLOCK, &c, "one that does not");
    c.clock.size = sizeof(c.clock) - 8;
    expect(EINVAL, fd, VGSP_OWNER_CLOCK, &c, "a shorter one");
    c.clock.size = 0;
    expect(EINVAL, fd, VGSP_OWNER_CLOCK, &c, "size 0");
    c.clock = (struct vgsp_owner_clock) { .size = sizeof(c.clock),
                                          .reserved = 1 };
    expect(EINVAL, fd, VGSP_OWNER_CLOCK, &c, "a reserved field");
    expect(EFAULT, fd, VGSP_OWNER_CLOCK, (void *)8, "no memory there");
    c.clock.reserved = 0;
    expect(ENOTTY, fd, _IO(VGSP_OWNER_TYPE, 0x7f), &c, "an unknown number");
    expect(ENOTTY, fd, _IO(VGSP_OWNER_TYPE, 0xff), &c, "the last number");
    expect(ENOTTY, fd, _IO(VGSP_OWNER_TYPE, 0x05), &c, "a number in a gap");
    expect(ENOTTY, fd, _IO('V', VGSP_OWNER_CMD_CLOCK), &c, "another type");
    expect(ENOTTY, fd, _IOW(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_CLOCK, int), &c,
           "another direction");
    expect(ENOTTY, fd, _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_FAULT), &c,
           "replayable faults are not there yet");
    close(fd);
}

static void test_info(void)
{
    int fd = owner_open();
    struct vgsp_owner_info info = owner_info(fd);
    struct vgsp_owner_clock a = { .size = sizeof(a) }, b = a;
    struct timespec ts;

    ok(info.abi_version == VGSP_OWNER_ABI_VERSION, "the version of this ABI");
    ok(info.memory_types == 1 << VGSP_OWNER_MEMORY_HOST, "types of memory");
    ok(info.engines == 1 << VGSP_OWNER_ENGINE_GR, "engines");
    ok(info.va_bits == 49, "width of a space");
    ok(info.limits.contexts && info.limits.contexts < 256 &&
       info.limits.spaces && info.limits.memories && info.limits.table_pages &&
       info.limits.section_words == 65536, "limits");
    ok(info.limits.ring_entries &&
       !(info.limits.ring_entries & (info.limits.ring_entries - 1)),
       "entries of the ring are a power of two");
    ok(info.chip.boot0 >> 20 == 0x164 && info.chip.device_id,
       "the chip is a TU104: 0x%x, %s", info.chip.boot0, info.chip.name);
    ok(!strcmp(info.chip.firmware, "570.144"), "firmware %.16s",
       info.chip.firmware);

    if (ioctl(fd, VGSP_OWNER_CLOCK, &a)) {
        bail("VGSP_OWNER_CLOCK");
    }
    usleep(20000);
    if (ioctl(fd, VGSP_OWNER_CLOCK, &b)) {
        bail("VGSP_OWNER_CLOCK");
    }
    clock_gettime(CLOCK_MONOTONIC, &ts);
    ok(b.monotonic_ns > a.monotonic_ns + 10000000 &&
       b.monotonic_ns <= ts.tv_sec * 1000000000ull + ts.tv_nsec,
       "the monotonic clock is ours");
    ok(b.ptimer_ns > a.ptimer_ns + 10000000, "PTIMER goes on");
    ok(b.span_ns && b.span_ns < 100000000, "both were read within %llu ns",
       (unsigned long long)b.span_ns);
    close(fd);
}

/* ---- Memory ---- */

static int try_memory(int fd, uint32_t type, uint64_t address, uint64_t length)
{
    struct vgsp_owner_memory_new m = {
        .size = sizeof(m), .type = type, .address = address, .length = length,
    };

    return call(fd, VGSP_OWNER_MEMORY_NEW, &m);
}

/* Without privileges and with n bytes that may be locked. */
static int try_rlimit(int fd, uint64_t limit, uintptr_t p, uint64_t length)
{
    struct rlimit r = { limit, limit };
    int status;
    pid_t pid = fork();

    if (!pid) {
        void *mine = pages(length);

        (void)p;
        if (setrlimit(RLIMIT_MEMLOCK, &r) || setresuid(65534, 65534, 65534)) {
            _exit(255);
        }
        _exit(try_memory(fd, 0, (uintptr_t)mine, length));
    }
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}

static void test_memory(void)
{
    int fd = owner_open();
    uint64_t size = 4 * MiB;
    char *p = pages(size);
    uintptr_t a = (uintptr_t)p;
    struct vgsp_owner_memory_del del = { .size = sizeof(del) };
    struct vgsp_owner_memory_new flags = {
        .size = sizeof(flags), .flags = 1, .address = a, .length = PAGE,
    };
    char *ro = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    long locked = locked_kib();
    long long pinned = stat_of("pinned_pages");
    int shm = memfd_create("test", 0);
    uint32_t id[3];
    char *shared;
    int got;

    ok(try_memory(fd, VGSP_OWNER_MEMORY_LOCAL, a, PAGE) == EOPNOTSUPP,
       "memory of the card is not there yet");
    ok(try_memory(fd, 7, a, PAGE) == EINVAL, "an unknown type");
    expect(EOPNOTSUPP, fd, VGSP_OWNER_MEMORY_NEW, &flags, "an unknown flag");
    ok(try_memory(fd, 0, a + 1, PAGE) == EINVAL, "an unaligned address");
    ok(try_memory(fd, 0, a, PAGE + 8) == EINVAL, "an unaligned length");
    ok(try_memory(fd, 0, a, 0) == EINVAL, "no length");
    ok(try_memory(fd, 0, a, -PAGE) == EOVERFLOW, "a length that wraps");
    ok(try_memory(fd, 0, 1ull << 63, PAGE) == EOVERFLOW,
       "an address of the kernel");
    ok(try_memory(fd, 0, a, 1ull << 45) == ENOSPC, "more than a session may");
    ok(try_memory(fd, 0, PAGE, PAGE) == EFAULT, "nothing is there");
    munmap(p + 2 * MiB, PAGE);
    ok(try_memory(fd, 0, a, size) == EFAULT, "a hole");
    ok(try_memory(fd, 0, (uintptr_t)ro, PAGE) == EFAULT, "read-only pages");
    ok(stat_of("pinned_pages") == pinned && locked_kib() == locked,
       "what failed left nothing pinned");

    id[0] = memory_new(fd, p, MiB);
    ok(locked_kib() == locked + 1024, "counts as locked memory");
    ok(stat_of("pinned_pages") == pinned + 256, "counts as pinned");
    id[1] = memory_new(fd, p, MiB);
    ok(id[0] && id[1] && id[0] != id[1], "the same pages a second time");
    if (ftruncate(shm, MiB)) {
        bail("ftruncate");
    }
    shared = mmap(NULL, MiB, PROT_READ | PROT_WRITE, MAP_SHARED, shm, 0);
    id[2] = memory_new(fd, shared, MiB);
    ok(id[2], "shared memory");
    del.id = id[1];
    expect(0, fd, VGSP_OWNER_MEMORY_DEL, &del, "goes");
    expect(ENOENT, fd, VGSP_OWNER_MEMORY_DEL, &del, "is gone");
    del.id = 0;
    expect(ENOENT, fd, VGSP_OWNER_MEMORY_DEL, &del, "id 0");
    del.id = UINT32_MAX;
    expect(ENOENT, fd, VGSP_OWNER_MEMORY_DEL, &del, "the highest id");
    close(fd);
    ok(stat_of("pinned_pages") == pinned && locked_kib() == locked,
       "close frees the rest");

    fd = owner_open();
    got = try_rlimit(fd, MiB, a, 2 * MiB);
    ok(got == ENOMEM, "more than RLIMIT_MEMLOCK: %s", strerror(got));
    got = try_rlimit(fd, 2 * MiB, a, MiB);
    ok(got == 0, "less than that: %s", strerror(got));
    close(fd);
    munmap(shared, MiB);
    close(shm);
    munmap(ro, PAGE);
    munmap(p, size);
}

static void test_hugetlb(void)
{
    FILE *f = fopen("/proc/sys/vm/nr_hugepages", "w");
    int fd = owner_open();
    uint32_t memory, space;
    long long tables;
    void *p;

    if (f) {
        fputs("4\n", f);
        fclose(f);
    }
    p = mmap(NULL, 4 * MiB, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    if (p == MAP_FAILED) {
        ok(true, "pages of 2 MiB # SKIP this machine has none");
        close(fd);
        return;
    }
    memory = memory_new(fd, p, 4 * MiB);
    space = space_new(fd);
    tables = stat_of("table_pages");
    map(fd, space, 2 * MiB, 4 * MiB, memory, 0);
    ok(stat_of("table_pages") == tables + 3,
       "pages of 2 MiB need no table of small pages");
    map(fd, space, 16 * MiB + PAGE, 2 * MiB, memory, 0);
    ok(stat_of("table_pages") == tables + 5, "where they are not aligned");
    close(fd);
    munmap(p, 4 * MiB);
}

/* ---- Spaces ---- */

static void test_space(void)
{
    int fd = owner_open();
    struct vgsp_owner_space_new s = { .size = sizeof(s) };
    struct vgsp_owner_space_del del = { .size = sizeof(del) };
    long long tables = stat_of("table_pages");
    uint32_t first;

    expect(0, fd, VGSP_OWNER_SPACE_NEW, &s, "a space");
    first = s.id;
    ok(s.window_va == 4 * GiB && s.window_size == 512 * MiB,
       "its window is where RM has one");
    ok(stat_of("table_pages") == tables + 1, "one table");
    s = (struct vgsp_owner_space_new) { .size = sizeof(s),
                                        .window_va = 64 * GiB };
    expect(0, fd, VGSP_OWNER_SPACE_NEW, &s, "a window elsewhere");
    ok(s.window_va == 64 * GiB && s.id != first, "it is there");
    s.window_va = 64 * GiB + PAGE;
    expect(EINVAL, fd, VGSP_OWNER_SPACE_NEW, &s, "an unaligned window");
    s.window_va = 1ull << 40;
    expect(EOVERFLOW, fd, VGSP_OWNER_SPACE_NEW, &s, "a window beyond 2^40");
    s.window_va = 0;
    s.flags = 1;
    expect(EOPNOTSUPP, fd, VGSP_OWNER_SPACE_NEW, &s, "an unknown flag");
    s.flags = 0;
    s.reserved = 1;
    expect(EINVAL, fd, VGSP_OWNER_SPACE_NEW, &s, "a reserved field");
    del.id = first;
    expect(0, fd, VGSP_OWNER_SPACE_DEL, &del, "a space goes");
    expect(ENOENT, fd, VGSP_OWNER_SPACE_DEL, &del, "it is gone");
    close(fd);
    ok(stat_of("table_pages") == tables, "close frees the others");
}

#define OP(o, ...) (struct vgsp_owner_map_op) { .op = VGSP_OWNER_##o, ##__VA_ARGS__ }

static void test_map(void)
{
    int fd = owner_open(), other = owner_open();
    char *p = pages(4 * MiB);
    uint32_t memory = memory_new(fd, p, 4 * MiB);
    uint32_t space = space_new(fd), done = 77, foreign;
    long long tables = stat_of("table_pages");
    struct vgsp_owner_memory_del del = { .size = sizeof(del), .id = memory };
    struct vgsp_owner_map_op ops[4];
    static const struct {
        const char *name;
        struct vgsp_owner_map_op op;
        int want;
    } bad[] = {
        { "an unknown operation", { .op = 3, .size = PAGE }, EOPNOTSUPP },
        { "an unknown flag", { .size = PAGE, .memory = 1, .flags = 8 },
          EOPNOTSUPP },
        { "an unaligned address", { .va = 1, .size = PAGE, .memory = 1 },
          EINVAL },
        { "an unaligned size", { .size = 5, .memory = 1 }, EINVAL },
        { "an unaligned offset", { .size = PAGE, .offset = 8, .memory = 1 },
          EINVAL },
        { "no size", { .memory = 1 }, EINVAL },
        { "a compressible kind", { .size = PAGE, .kind = 8, .memory = 1 },
          EINVAL },
        { "no kind of memory", { .size = PAGE, .kind = 7, .memory = 1 },
          EINVAL },
        { "beyond the space", { .va = 1ull << 49, .size = PAGE, .memory = 1 },
          EOVERFLOW },
        { "an address that wraps",
          { .va = PAGE, .size = -PAGE, .memory = 1 }, EOVERFLOW },
        { "beyond the memory", { .size = 8 * MiB, .memory = 1 }, EOVERFLOW },
        { "an offset beyond it",
          { .size = PAGE, .offset = 4 * MiB, .memory = 1 }, EOVERFLOW },
        { "an offset that wraps",
          { .size = PAGE, .offset = -PAGE, .memory = 1 }, EOVERFLOW },
        { "no memory", { .size = PAGE }, ENOENT },
        { "unknown memory", { .size = PAGE, .memory = 99 }, ENOENT },
        { "into the window", { .va = 4 * GiB, .size = PAGE, .memory = 1 },
          EBUSY },
        { "sparse in the window",
          { .op = VGSP_OWNER_SPARSE, .size = 1ull << 49 }, EBUSY },
        { "unmap with memory",
          { .op = VGSP_OWNER_UNMAP, .size = PAGE, .memory = 1 }, EINVAL },
        { "sparse with a kind",
          { .op = VGSP_OWNER_SPARSE, .size = PAGE, .kind = 6 }, EINVAL },
    };

    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int got = map_ops(fd, space, &bad[i].op, 1, &done);

        if (!ok(got == bad[i].want && !done, "map: %s", bad[i].name)) {
            printf("# %s\n", strerror(got));
        }
    }
    ok(stat_of("table_pages") == tables, "map: what failed made no table");
    ok(map_ops(fd, space, NULL, 0, &done) == 0 && !done, "map: nothing");
    ok(map_ops(fd, space, NULL, 65537, &done) == ENOSPC, "map: too much");
    ok(map_ops(fd, space, (void *)8, 1, &done) == EFAULT,
       "map: operations that cannot be read");
    ok(map_ops(fd, 99, ops, 0, &done) == ENOENT, "map: no such space");

    ops[0] = OP(MAP, .va = 1 * GiB, .size = 4 * MiB, .memory = memory);
    ops[1] = OP(UNMAP, .va = 1 * GiB + MiB, .size = MiB);
    ops[2] = OP(MAP, .va = 5, .size = PAGE, .memory = memory);
    ops[3] = OP(UNMAP, .va = 1 * GiB, .size = GiB);
    ok(map_ops(fd, space, ops, 4, &done) == EINVAL && done == 2,
       "map: a batch ends where one fails");
    expect(EBUSY, fd, VGSP_OWNER_MEMORY_DEL, &del, "memory that is mapped");
    ok(!unmap(fd, space, 1 * GiB, 3 * MiB), "unmap: a part, over a hole");
    expect(EBUSY, fd, VGSP_OWNER_MEMORY_DEL, &del, "what is left keeps it");
    ops[0] = OP(SPARSE, .va = 1 * GiB, .size = 8 * MiB);
    ok(!map_ops(fd, space, ops, 1, &done), "sparse instead");
    expect(0, fd, VGSP_OWNER_MEMORY_DEL, &del, "nothing keeps it");
    ok(!unmap(fd, space, 0, 1ull << 49), "unmap: everything");
    ok(stat_of("table_pages") == tables, "unmap: no table is left");

    foreign = memory_new(other, p, MiB);
    del.id = foreign;
    ok(map(fd, space, 0, PAGE, foreign, 0) == ENOENT,
       "memory of another session cannot be mapped");
    expect(ENOENT, fd, VGSP_OWNER_MEMORY_DEL, &del, "nor deleted");
    ok(map(other, space, 0, PAGE, foreign, 0) == ENOENT,
       "nor into another session's space");
    close(other);
    close(fd);
    munmap(p, 4 * MiB);
}

/* ---- Limits ---- */

static void test_limits(void)
{
    long was[4] = {
        parameter("memories", 3), parameter("spaces", 2),
        parameter("table_pages", 12), parameter("memory_gib", 1),
    };
    int fd = owner_open();
    char *p = pages(MiB);
    struct vgsp_owner_space_new s = { .size = sizeof(s) };
    uint32_t space, memory = 0, mapped = 0;
    int ret;

    parameter("memories", was[0]);
    parameter("spaces", was[1]);
    parameter("table_pages", was[2]);
    parameter("memory_gib", was[3]);
    ok(owner_info(fd).limits.memories == 3 &&
       owner_info(fd).limits.table_pages == 12, "limits hold from open on");
    for (int i = 0; i < 3; i++) {
        memory = memory_new(fd, p, PAGE);
    }
    ok(try_memory(fd, 0, (uintptr_t)p, PAGE) == ENOSPC, "memory objects");
    ok(try_memory(fd, 0, (uintptr_t)p, GiB) == ENOSPC, "bytes of memory");
    space = space_new(fd);
    space_new(fd);
    expect(ENOSPC, fd, VGSP_OWNER_SPACE_NEW, &s, "spaces");
    do {                        /* three tables, then one each */
        ret = map(fd, space, mapped * 2 * MiB, PAGE, memory, 0);
    } while (!ret && ++mapped < 100);
    ok(ret == ENOSPC && mapped == 7, "pages of page tables");
    ok(!unmap(fd, space, 0, 1ull << 40) &&
       !map(fd, space, 0, PAGE, memory, 0), "unmap makes room");
    close(fd);
    munmap(p, MiB);
}

/* ---- Contexts and sections ---- */

#define VA      (1 * GiB)

typedef struct Work {
    Session s;
    volatile uint32_t *p;       /* 1 MiB at VA */
    uint32_t memory, space, context;
    uint64_t seq;
} Work;

static Work work_new(void)
{
    Work w = { .s = session_open(), .p = pages(MiB) };
    int ret;

    w.memory = memory_new(w.s.fd, (void *)w.p, MiB);
    w.space = space_new(w.s.fd);
    if (map(w.s.fd, w.space, VA, MiB, w.memory, 0)) {
        bail("map");
    }
    ret = context_new(w.s.fd, w.space, &w.context);
    if (ret) {
        errno = ret;
        bail("VGSP_OWNER_CONTEXT_NEW");
    }
    return w;
}

static void work_free(Work *w)
{
    session_close(&w->s);
    munmap((void *)w->p, MiB);
}

/* The context writes a value to its page and is done; 0 or an errno. */
static int work_write(Work *w, uint64_t offset, uint32_t value)
{
    uint32_t words[RELEASE_WORDS];
    int ret = submit(&w->s, w->context, release_words(words, VA + offset,
                                                      value),
                     RELEASE_WORDS, ++w->seq);

    return ret ? ret : wait_seq(&w->s, w->context, w->seq, 5000);
}

static void test_context(void)
{
    Work w = work_new();
    struct vgsp_owner_context_new c = { .size = sizeof(c),
                                        .space = w.space };
    struct vgsp_owner_context_del del = { .size = sizeof(del) };
    struct vgsp_owner_space_del space = { .size = sizeof(space),
                                          .id = w.space };
    struct vgsp_owner_context_kill kill = { .size = sizeof(kill) };

    c.engine = VGSP_OWNER_ENGINE_COPY;
    expect(EOPNOTSUPP, w.s.fd, VGSP_OWNER_CONTEXT_NEW, &c,
           "a copy engine is not there yet");
    c.engine = 9;
    expect(EINVAL, w.s.fd, VGSP_OWNER_CONTEXT_NEW, &c, "an unknown engine");
    c.engine = 0;
    c.flags = 1;
    expect(EOPNOTSUPP, w.s.fd, VGSP_OWNER_CONTEXT_NEW, &c, "an unknown flag");
    c.flags = 0;
    c.space = 99;
    expect(ENOENT, w.s.fd, VGSP_OWNER_CONTEXT_NEW, &c, "no such space");
    expect(EBUSY, w.s.fd, VGSP_OWNER_SPACE_DEL, &space,
           "a space with a context");
    del.id = 99;
    expect(ENOENT, w.s.fd, VGSP_OWNER_CONTEXT_DEL, &del, "no such context");
    kill.id = 99;
    expect(ENOENT, w.s.fd, VGSP_OWNER_CONTEXT_KILL, &kill, "nor to kill");
    kill.kind = 4;
    expect(EINVAL, w.s.fd, VGSP_OWNER_CONTEXT_KILL, &kill, "no such death");
    ok(w.s.done[w.context].state == VGSP_OWNER_CONTEXT_ALIVE, "it lives");
    del.id = w.context;
    expect(0, w.s.fd, VGSP_OWNER_CONTEXT_DEL, &del, "a context goes");
    ok(w.s.done[w.context].state == VGSP_OWNER_CONTEXT_NONE, "it is gone");
    expect(0, w.s.fd, VGSP_OWNER_SPACE_DEL, &space, "so may its space");
    work_free(&w);
}

static void test_ring(void)
{
    Work w = work_new();
    uint32_t words[RELEASE_WORDS];
    struct vgsp_owner_submit cmd = { .size = sizeof(cmd) };
    struct vgsp_owner_submit_entry good = {
        .context = w.context, .count = RELEASE_WORDS, .seq = 10,
        .words = (uintptr_t)release_words(words, VA, 0x1234),
    }, e;
    void *p;

    expect(0, w.s.fd, VGSP_OWNER_SUBMIT, &cmd, "an empty ring");
    ok(!cmd.taken, "nothing taken");
    w.s.ring->tail = 1025;
    expect(EINVAL, w.s.fd, VGSP_OWNER_SUBMIT, &cmd, "a tail out of reach");
    w.s.ring->tail = -1;
    expect(EINVAL, w.s.fd, VGSP_OWNER_SUBMIT, &cmd, "a tail behind the head");
    w.s.ring->tail = 0;
#define TRY(want, name, ...)                                            \
    do {                                                                \
        int got_;                                                       \
        e = good;                                                       \
        __VA_ARGS__;                                                    \
        got_ = submit_entry(&w.s, &e);                                  \
        if (!ok(got_ == (want), "ring: %s", name)) {                    \
            printf("# %s\n", strerror(got_));                           \
        }                                                               \
    } while (0)
    TRY(EOPNOTSUPP, "an unknown flag", e.flags = 1);
    TRY(EINVAL, "a reserved field", e.reserved = 1);
    TRY(EINVAL, "the last reserved field", e.reserved2[1] = 1);
    TRY(EINVAL, "unaligned words", e.words += 2);
    TRY(EINVAL, "more words than a section has", e.count = 65537);
    TRY(EFAULT, "words that cannot be read", e.words = 4096);
    TRY(EOVERFLOW, "words that wrap", e.words = -8ull);
    TRY(ENOENT, "no such context", e.context = 99);
    TRY(ENOENT, "context 0", e.context = 0);
    TRY(ERANGE, "seq 0", e.seq = 0);
    TRY(EINVAL, "waits for itself", e.wait_context = w.context, e.wait_seq = 1);
    TRY(EINVAL, "waits for no seq", e.wait_context = 2);
    words[2] = INC(4, 1, 0x1b04);   /* one of them has no name */
    TRY(EPERM, "a method that is none", (void)e);
    words[2] = INC(4, 5, 0x1b00);
    TRY(EPERM, "a subchannel that is not GR's", (void)e);
    words[2] = INC(4, 1, 0x0010);
    TRY(EPERM, "a method of Host", (void)e);
    words[2] = INC(5, 1, 0x1b00);
    TRY(EPERM, "a header that claims too much", (void)e);
    release_words(words, VA, 0x1234);
    words[1] = 0xc597;
    TRY(EPERM, "another class", (void)e);
    release_words(words, VA, 0x1234);
    words[6] |= 1;
    TRY(EPERM, "an acquire", (void)e);
    release_words(words, VA, 0x1234);
    ok(w.s.done[w.context].seq == 0 && *w.p == 0,
       "nothing of that has run");
    TRY(0, "a good one after all that", (void)e);
    ok(!wait_seq(&w.s, w.context, 10, 5000) && *w.p == 0x1234 &&
       w.s.done[w.context].seq == 10, "it has written what it should");
    TRY(ERANGE, "the same seq again", (void)e);
    ok(wait_seq(&w.s, w.context, 11, 20) == ETIMEDOUT, "a wait that ends");
    ok(wait_seq(&w.s, 99, 11, 20) == ENOENT, "a wait for no context");

    p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, w.s.fd,
             VGSP_OWNER_MMAP_COMPLETIONS);
    ok(p == MAP_FAILED, "completions cannot be mapped to write");
    ok(mprotect((void *)w.s.done, PAGE, PROT_READ | PROT_WRITE) != 0,
       "nor made so");
    p = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, w.s.fd, 0);
    ok(p == MAP_FAILED, "no private map of the ring");
    p = mmap(NULL, MiB, PROT_READ, MAP_SHARED, w.s.fd, 0);
    ok(p == MAP_FAILED, "no more than the ring");
    p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, w.s.fd, 0x20000000);
    ok(p == MAP_FAILED, "nothing elsewhere");
    work_free(&w);
}

/* Many at once: order, batches, a ring and a queue that are full. */
static void test_batch(void)
{
    Work w = work_new();
    uint32_t (*words)[RELEASE_WORDS] = calloc(4000, sizeof(*words));
    struct vgsp_owner_submit cmd = { .size = sizeof(cmd) };
    uint64_t sent = 0, accepted = 0;
    bool again = false;

    for (uint32_t i = 0; i < 64; i++) {
        struct vgsp_owner_submit_entry e = {
            .context = w.context, .count = RELEASE_WORDS, .seq = i + 1,
            .words = (uintptr_t)release_words(words[i], VA + 4 * i, i + 1),
        };

        push(&w.s, &e);
    }
    cmd.max = 10;
    ok(!call(w.s.fd, VGSP_OWNER_SUBMIT, &cmd) && cmd.taken == 10,
       "no more than asked for");
    cmd.max = 0;
    ok(!call(w.s.fd, VGSP_OWNER_SUBMIT, &cmd) && cmd.taken == 54 &&
       !cmd.failed, "then the rest of the batch");
    ok(!wait_seq(&w.s, w.context, 64, 10000), "all retire");
    for (uint32_t i = 0; i < 64; i++) {
        again |= w.p[i] != i + 1;
    }
    ok(!again, "each has written its word");

    /* Until the queue is full; what was refused is submitted again. */
    sent = accepted = 64;
    while (accepted < 4000) {
        uint32_t n = 0, first = w.s.ring->tail;

        sent = accepted;
        while (n < 1024 && sent < 4000) {
            struct vgsp_owner_submit_entry e = {
                .context = w.context, .count = RELEASE_WORDS,
                .seq = sent + 1,
                .words = (uintptr_t)release_words(words[sent], VA,
                                                  (uint32_t)sent + 1),
            };

            push(&w.s, &e);
            sent++;
            n++;
        }
        if (call(w.s.fd, VGSP_OWNER_SUBMIT, &cmd) || cmd.taken != n) {
            bail("VGSP_OWNER_SUBMIT");
        }
        for (uint32_t i = 0; i < n; i++) {
            int result = entry_at(&w.s, first + i)->result;

            if (!result) {
                accepted++;
            } else if (result == -EAGAIN) {
                again = true;
                usleep(1000);
                break;
            } else {
                errno = -result;
                bail("result");
            }
        }
    }
    ok(!wait_seq(&w.s, w.context, 4000, 60000), "4000 sections retire%s",
       again ? ", the queue was full meanwhile" : "");
    ok(*w.p == 4000, "in order: %u", *w.p);
    free(words);
    work_free(&w);
}

static void test_notify(void)
{
    Work w = work_new();
    int efd = eventfd(0, EFD_NONBLOCK);
    struct vgsp_owner_eventfd cmd = { .size = sizeof(cmd), .fd = efd };
    struct pollfd pfd = { .fd = efd, .events = POLLIN };
    struct pollfd own = { .fd = w.s.fd, .events = POLLIN };
    struct vgsp_owner_event event;
    uint64_t count;

    ok(poll(&own, 1, 0) == 0, "nothing to tell");
    ok(read(w.s.fd, &event, sizeof(event)) < 0 && errno == EAGAIN,
       "no event");
    ok(read(w.s.fd, &event, 8) < 0 && errno == EINVAL, "half an event");
    expect(0, w.s.fd, VGSP_OWNER_EVENTFD, &cmd, "an eventfd");
    submit(&w.s, w.context, NULL, 0, ++w.seq);
    ok(poll(&pfd, 1, 5000) == 1 && read(efd, &count, 8) == 8,
       "it is told of a completion");
    ok(w.s.done[w.context].seq == 1, "of an empty section");
    ok(poll(&own, 1, 5000) == 1 && own.revents == POLLIN, "so is poll()");
    w.s.ring->seen = (uint32_t)w.s.done[0].seq;
    ok(poll(&own, 1, 0) == 0, "until it is taken note of");
    cmd.fd = -1;
    expect(0, w.s.fd, VGSP_OWNER_EVENTFD, &cmd, "no eventfd any more");
    ok(!submit(&w.s, w.context, NULL, 0, ++w.seq) &&
       !wait_seq(&w.s, w.context, w.seq, 5000), "another section");
    ok(poll(&pfd, 1, 0) == 0, "it is told nothing");
    cmd.fd = 9999;
    expect(EBADF, w.s.fd, VGSP_OWNER_EVENTFD, &cmd, "no such file");
    cmd.fd = w.s.fd;
    expect(EINVAL, w.s.fd, VGSP_OWNER_EVENTFD, &cmd, "another file");
    close(efd);
    work_free(&w);
}

static void test_wait(void)
{
    Work w = work_new();
    struct vgsp_owner_pause pause = { .size = sizeof(pause), .pause = 1,
                                      .timeout_ns = 5000000000 };
    struct vgsp_owner_submit_entry e = { .seq = 1 };
    struct vgsp_owner_context_del del = { .size = sizeof(del) };
    uint32_t other;

    if (context_new(w.s.fd, w.space, &other)) {
        bail("VGSP_OWNER_CONTEXT_NEW");
    }
    e.context = other;
    e.wait_context = w.context;
    e.wait_seq = 5;
    ok(!submit_entry(&w.s, &e), "a section that waits for another context");
    ok(wait_seq(&w.s, other, 1, 50) == ETIMEDOUT, "it does not start");
    submit(&w.s, w.context, NULL, 0, 4);
    ok(wait_seq(&w.s, other, 1, 50) == ETIMEDOUT, "nor after a lesser one");
    submit(&w.s, w.context, NULL, 0, 5);
    ok(!wait_seq(&w.s, other, 1, 5000), "it starts when that has retired");
    e.seq = 2;
    e.wait_seq = 6;
    ok(!submit_entry(&w.s, &e), "another that waits");
    del.id = w.context;
    expect(0, w.s.fd, VGSP_OWNER_CONTEXT_DEL, &del, "for what goes");
    ok(!wait_seq(&w.s, other, 2, 5000), "it need not wait any more");

    expect(0, w.s.fd, VGSP_OWNER_PAUSE, &pause, "pause");
    submit(&w.s, other, NULL, 0, 3);
    ok(wait_seq(&w.s, other, 3, 50) == ETIMEDOUT, "nothing starts");
    pause.pause = 2;
    expect(EINVAL, w.s.fd, VGSP_OWNER_PAUSE, &pause, "pause: 2");
    pause.pause = 0;
    expect(0, w.s.fd, VGSP_OWNER_PAUSE, &pause, "go on");
    ok(!wait_seq(&w.s, other, 3, 5000), "it goes on");
    work_free(&w);
}

/* Reads one event within a while. */
static bool next_event(Work *w, struct vgsp_owner_event *event)
{
    struct pollfd pfd = { .fd = w->s.fd, .events = POLLIN };

    for (int i = 0; i < 100; i++) {
        w->s.ring->seen = (uint32_t)w->s.done[0].seq;
        if (poll(&pfd, 1, 100) == 1 &&
            read(w->s.fd, event, sizeof(*event)) == sizeof(*event)) {
            return true;
        }
    }
    return false;
}

static void test_kill(void)
{
    Work w = work_new();
    struct vgsp_owner_context_kill kill = {
        .size = sizeof(kill), .id = w.context,
        .kind = VGSP_OWNER_FAULT_TIMEOUT,
    };
    struct vgsp_owner_event event = { 0 };

    ok(!work_write(&w, 0, 1), "it works");
    expect(0, w.s.fd, VGSP_OWNER_CONTEXT_KILL, &kill, "it is ended");
    ok(next_event(&w, &event) && event.type == VGSP_OWNER_EVENT_FAULT &&
       event.size == sizeof(event) && event.fault.context == w.context &&
       event.fault.kind == VGSP_OWNER_FAULT_TIMEOUT, "its fault is told");
    ok(w.s.done[w.context].state == VGSP_OWNER_CONTEXT_DEAD, "it is dead");
    ok(submit(&w.s, w.context, NULL, 0, ++w.seq) == EIO, "takes nothing");
    ok(wait_seq(&w.s, w.context, w.seq, 5000) == EIO, "retires nothing");
    ok(read(w.s.fd, &event, sizeof(event)) < 0, "and that was all");
    work_free(&w);
}

static void test_fault(void)
{
    Work w = work_new(), v = work_new();
    struct vgsp_owner_event event = { 0 };
    uint32_t words[RELEASE_WORDS];
    uint64_t wild = 3 * GiB;

    ok(!submit(&w.s, w.context, release_words(words, wild, 1), RELEASE_WORDS,
               ++w.seq), "a section that writes where nothing is");
    ok(next_event(&w, &event) && event.fault.context == w.context,
       "its context has a fault");
    ok(event.fault.kind == VGSP_OWNER_FAULT_MMU, "of the MMU");
    ok(!(event.fault.valid & VGSP_OWNER_FAULT_HAS_ADDRESS) ||
       (event.fault.address & ~0xfffull) == wild, "address 0x%llx%s",
       (unsigned long long)event.fault.address,
       event.fault.valid & VGSP_OWNER_FAULT_HAS_ADDRESS ? "" : ", not known");
    ok(wait_seq(&w.s, w.context, w.seq, 5000) == EIO, "it never retires");
    ok(!work_write(&v, 0, 7) && *v.p == 7, "another session goes on");
    ok(read(v.s.fd, &event, sizeof(event)) < 0, "and hears nothing of it");
    if (context_new(w.s.fd, w.space, &w.context)) {
        bail("VGSP_OWNER_CONTEXT_NEW");
    }
    w.seq = 0;
    ok(!work_write(&w, 0, 8) && *w.p == 8, "so does a new context there");
    work_free(&w);
    work_free(&v);
}

static void test_isolation(void)
{
    Work a = work_new(), b = work_new();

    ok(!work_write(&a, 64, 0xaaaa) && !work_write(&b, 64, 0xbbbb),
       "two sessions write to the same address");
    ok(a.p[16] == 0xaaaa && b.p[16] == 0xbbbb, "each has its own bytes");
    ok(!unmap(a.s.fd, a.space, VA, MiB), "one unmaps");
    ok(!work_write(&b, 64, 0xcccc) && b.p[16] == 0xcccc && a.p[16] == 0xaaaa,
       "the other is as before");
    work_free(&a);
    work_free(&b);
}

static void test_revoke(void)
{
    Work w = work_new();
    struct vgsp_owner_revoke cmd = { .size = sizeof(cmd), .reserved = 1 };
    struct vgsp_owner_memory_del del = { .size = sizeof(del), .id = w.memory };
    uint32_t words[RELEASE_WORDS], before;

    expect(EINVAL, w.s.fd, VGSP_OWNER_REVOKE, &cmd, "a reserved field");
    cmd.reserved = 0;
    for (uint64_t i = 1; i <= 500; i++) {
        submit(&w.s, w.context, release_words(words, VA, (uint32_t)i),
               RELEASE_WORDS, i);
    }
    expect(0, w.s.fd, VGSP_OWNER_REVOKE, &cmd, "revoke while sections run");
    before = *w.p;
    expect(ENOENT, w.s.fd, VGSP_OWNER_MEMORY_DEL, &del, "memory is gone");
    ok(submit(&w.s, w.context, NULL, 0, 1000) == ENOENT, "so is the context");
    ok(w.s.done[w.context].state == VGSP_OWNER_CONTEXT_NONE, "it says so");
    usleep(200000);
    ok(*w.p == before, "no byte changes any more");
    w.memory = memory_new(w.s.fd, (void *)w.p, MiB);
    w.space = space_new(w.s.fd);
    if (map(w.s.fd, w.space, VA, MiB, w.memory, 0) ||
        context_new(w.s.fd, w.space, &w.context)) {
        bail("after revoke");
    }
    ok(!work_write(&w, 0, 5) && *w.p == 5, "the session starts anew");
    work_free(&w);
}

/* ---- Ill will ---- */

static volatile bool stop;

/* Rewrites entries and words as fast as it can. */
static void *rewrite(void *opaque)
{
    Work *w = opaque;
    uint32_t *words = (uint32_t *)w->p + 4096;
    uint32_t n = 0;

    while (!stop) {
        struct vgsp_owner_submit_entry *e = entry_at(&w->s, n++);

        e->count ^= 0xffff0000;
        e->words ^= 0x8000000000000000;
        e->flags ^= 1;
        words[2] ^= INC(4, 1, 0x1b00) ^ INC(4, 1, 0x0010);
        e->count ^= 0xffff0000;
        e->words ^= 0x8000000000000000;
        e->flags ^= 1;
        words[2] ^= INC(4, 1, 0x1b00) ^ INC(4, 1, 0x0010);
        w->s.ring->head = n * 77;
    }
    return NULL;
}

static void test_rewrite(void)
{
    Work w = work_new(), v = work_new();
    uint32_t *words = (uint32_t *)w.p + 4096;
    struct vgsp_owner_submit cmd = { .size = sizeof(cmd) };
    long results[2] = { 0 }, odd = 0;
    struct vgsp_owner_event event;
    pthread_t thread;

    release_words(words, VA, 0x77);
    pthread_create(&thread, NULL, rewrite, &w);
    for (int i = 0; i < 5000; i++) {
        struct vgsp_owner_submit_entry e = {
            .context = w.context, .words = (uintptr_t)words,
            .count = RELEASE_WORDS, .seq = i + 1,
        };
        uint32_t n = w.s.ring->tail;
        int result;

        push(&w.s, &e);
        if (ioctl(w.s.fd, VGSP_OWNER_SUBMIT, &cmd)) {
            bail("VGSP_OWNER_SUBMIT");
        }
        result = entry_at(&w.s, n)->result;
        results[!!result]++;
        odd += result && result != -EPERM && result != -EINVAL &&
               result != -EFAULT && result != -EOPNOTSUPP &&
               result != -EOVERFLOW && result != -EAGAIN;
    }
    stop = true;
    pthread_join(thread, NULL);
    ok(!odd, "a ring that is rewritten meanwhile: %ld passed, %ld refused",
       results[0], results[1]);
    usleep(100000);
    ok(read(w.s.fd, &event, sizeof(event)) < 0,
       "what ran is what was checked: no fault");
    ok(!work_write(&v, 0, 9), "others go on");
    work_free(&w);
    work_free(&v);
}

/* A child that works until it is killed. */
static void test_kill_process(void)
{
    static const char *const counters[] = {
        "sessions", "contexts", "pinned_pages", "table_pages",
    };
    long long before[4];
    bool same = true;

    for (int i = 0; i < 4; i++) {
        before[i] = stat_of(counters[i]);
    }
    srand(1);
    for (int i = 0; i < 20; i++) {
        pid_t pid = fork();
        int status;

        if (!pid) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            for (;;) {
                Work w = work_new();

                for (int k = 0; k < 100; k++) {
                    uint32_t words[RELEASE_WORDS];

                    submit(&w.s, w.context,
                           release_words(words, VA + 4 * k, k),
                           RELEASE_WORDS, ++w.seq);
                    unmap(w.s.fd, w.space, VA + MiB / 2, PAGE);
                    map(w.s.fd, w.space, VA + MiB / 2, PAGE, w.memory, 0);
                }
                work_free(&w);
            }
        }
        usleep(rand() % 100000);
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    for (int i = 0; i < 4; i++) {
        long long now = stat_of(counters[i]);

        same &= now == before[i];
        printf("# %s: %lld, was %lld\n", counters[i], now, before[i]);
    }
    ok(same, "20 processes killed at work leave nothing behind");
}

/*
 * Works until the card is taken away, and says whether that came as it should:
 * for whoever unbinds the driver meanwhile. Not one of the tests.
 */
static int hold(void)
{
    Work w = work_new();
    struct vgsp_owner_submit cmd = { .size = sizeof(cmd) };
    struct vgsp_owner_clock clock = { .size = sizeof(clock) };
    struct pollfd pfd = { .fd = w.s.fd, .events = POLLIN };
    struct vgsp_owner_event event;
    int ret;

    printf("holding\n");
    fflush(stdout);
    do {
        uint32_t words[RELEASE_WORDS];
        struct vgsp_owner_submit_entry e = {
            .context = w.context, .seq = ++w.seq, .count = RELEASE_WORDS,
            .words = (uintptr_t)release_words(words, VA, 1),
        };

        push(&w.s, &e);
        ret = call(w.s.fd, VGSP_OWNER_SUBMIT, &cmd);
        usleep(2000);
    } while (!ret);
    if (ret != ENODEV || call(w.s.fd, VGSP_OWNER_CLOCK, &clock) != ENODEV ||
        poll(&pfd, 1, 0) != 1 || !(pfd.revents & POLLHUP) ||
        read(w.s.fd, &event, sizeof(event)) >= 0 || errno != ENODEV) {
        printf("not ENODEV: %s\n", strerror(ret));
        return 1;
    }
    w.s.ring->seen = w.s.done[0].seq;   /* what was mapped stays */
    work_free(&w);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        { "calls", test_calls }, { "info", test_info },
        { "memory", test_memory }, { "hugetlb", test_hugetlb },
        { "space", test_space }, { "map", test_map },
        { "limits", test_limits }, { "context", test_context },
        { "ring", test_ring }, { "batch", test_batch },
        { "notify", test_notify }, { "wait", test_wait },
        { "kill", test_kill }, { "fault", test_fault },
        { "isolation", test_isolation }, { "revoke", test_revoke },
        { "rewrite", test_rewrite }, { "killed", test_kill_process },
    };

    if (argc == 2 && !strcmp(argv[1], "hold")) {
        return hold();
    }
    for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        bool asked = argc < 2;

        for (int k = 1; k < argc; k++) {
            asked |= !strcmp(argv[k], tests[i].name);
        }
        if (asked) {
            printf("# %s\n", tests[i].name);
            tests[i].run();
        }
    }
    printf("1..%d\n", tap_tests);
    return tap_failed != 0;
}
