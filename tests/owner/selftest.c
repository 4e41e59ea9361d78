/*
 * The ABI of a vgsp owner, driven from user space: every ioctl, every error,
 * every limit. TAP. Needs root, /dev/vgsp-owner0 and debugfs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "owner-rig.h"
#include "selftest.h"

int tap_tests, tap_failed;

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

/* A long range of few pages: the same ones over and over. */
static char *repeated(uint64_t size, uint64_t of)
{
    int fd = memfd_create("repeated", MFD_CLOEXEC);
    char *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED || ftruncate(fd, of)) {
        bail("memory");
    }
    for (uint64_t at = 0; at < size; at += of) {
        if (mmap(p + at, of, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                 fd, 0) == MAP_FAILED) {
            bail("mmap");
        }
    }
    close(fd);
    return p;
}

/* Longer than what the driver pins in one go, 256 MiB. */
static void test_long_memory(void)
{
    int fd = owner_open();
    uint64_t size = 258 * MiB;
    char *p = repeated(size, 2 * MiB);
    long locked = locked_kib();
    long long pinned = stat_of("pinned_pages");
    int got = try_memory(fd, 0, (uintptr_t)p, size);

    ok(got == 0, "258 MiB: %s", strerror(got));
    ok(stat_of("pinned_pages") == pinned + (long long)(size / PAGE) &&
       locked_kib() == locked + (long)(size / 1024), "all of it is pinned");
    munmap(p + 257 * MiB, PAGE);
    got = try_memory(fd, 0, (uintptr_t)p, size);
    ok(got == EFAULT, "a hole near its end: %s", strerror(got));
    ok(stat_of("pinned_pages") == pinned + (long long)(size / PAGE) &&
       locked_kib() == locked + (long)(size / 1024),
       "what had been pinned is not any more");
    close(fd);
    ok(stat_of("pinned_pages") == pinned && locked_kib() == locked,
       "close frees it");
    munmap(p, size);
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

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } tests[] = {
        { "calls", test_calls }, { "info", test_info },
        { "memory", test_memory }, { "long-memory", test_long_memory },
        { "hugetlb", test_hugetlb },
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
