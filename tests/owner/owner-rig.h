/*
 * A session with a vgsp owner, for test programs: files, ioctls, memory, the
 * ring, and TAP. Everything that is not being tested must work, or the program
 * ends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_OWNER_RIG_H
#define TESTS_OWNER_RIG_H

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vgsp/uapi/vgsp_owner.h"

#define PAGE    4096ull
#define MiB     (1024 * 1024ull)
#define GiB     (1024 * MiB)

extern int tap_tests, tap_failed;

__attribute__((format(printf, 2, 3)))
static inline bool ok(bool good, const char *name, ...)
{
    va_list ap;

    tap_failed += !good;
    printf("%sok %d - ", good ? "" : "not ", ++tap_tests);
    va_start(ap, name);
    vprintf(name, ap);
    va_end(ap);
    putchar('\n');
    fflush(stdout);
    return good;
}

__attribute__((format(printf, 1, 2), noreturn))
static inline void bail(const char *why, ...)
{
    va_list ap;

    printf("Bail out! ");
    va_start(ap, why);
    vprintf(why, ap);
    va_end(ap);
    printf(": %s\n", strerror(errno));
    exit(1);
}

/* 0 or an errno. */
static inline int call(int fd, unsigned long cmd, void *arg)
{
    return ioctl(fd, cmd, arg) < 0 ? errno : 0;
}

/* One ioctl whose result is an errno that is known. */
#define expect(want, fd, cmd, arg, name)                                \
    do {                                                                \
        int got_ = call(fd, cmd, arg);                                  \
        if (!ok(got_ == (want), "%s", name)) {                          \
            printf("# %s, not %s\n", strerror(got_), strerror(want));   \
        }                                                               \
    } while (0)

typedef struct Session {
    int fd;
    struct vgsp_owner_ring *ring;
    const volatile struct vgsp_owner_completion *done;
    uint32_t entries;
} Session;

static inline int owner_open(void)
{
    return open("/dev/vgsp-owner0", O_RDWR | O_CLOEXEC | O_NONBLOCK);
}

static inline struct vgsp_owner_info owner_info(int fd)
{
    struct vgsp_owner_info info = { .size = sizeof(info) };

    if (ioctl(fd, VGSP_OWNER_INFO, &info)) {
        bail("VGSP_OWNER_INFO");
    }
    return info;
}

static inline Session session_open(void)
{
    Session s = { .fd = owner_open() };
    void *p;

    if (s.fd < 0) {
        bail("/dev/vgsp-owner0");
    }
    s.entries = owner_info(s.fd).limits.ring_entries;
    p = mmap(NULL, VGSP_OWNER_RING_OFFSET + s.entries *
             sizeof(struct vgsp_owner_submit_entry), PROT_READ | PROT_WRITE,
             MAP_SHARED, s.fd, VGSP_OWNER_MMAP_RING);
    if (p == MAP_FAILED) {
        bail("mmap of the ring");
    }
    s.ring = p;
    p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, s.fd,
             VGSP_OWNER_MMAP_COMPLETIONS);
    if (p == MAP_FAILED) {
        bail("mmap of completions");
    }
    s.done = p;
    return s;
}

static inline void session_close(Session *s)
{
    munmap(s->ring, VGSP_OWNER_RING_OFFSET + s->entries *
           sizeof(struct vgsp_owner_submit_entry));
    munmap((void *)s->done, PAGE);
    close(s->fd);
    s->fd = -1;
}

static inline void *pages(uint64_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        bail("mmap");
    }
    return p;
}

static inline uint32_t memory_new(int fd, void *p, uint64_t size)
{
    struct vgsp_owner_memory_new m = {
        .size = sizeof(m), .address = (uintptr_t)p, .length = size,
    };

    if (ioctl(fd, VGSP_OWNER_MEMORY_NEW, &m)) {
        bail("VGSP_OWNER_MEMORY_NEW");
    }
    return m.id;
}

static inline uint32_t space_new(int fd)
{
    struct vgsp_owner_space_new s = { .size = sizeof(s) };

    if (ioctl(fd, VGSP_OWNER_SPACE_NEW, &s)) {
        bail("VGSP_OWNER_SPACE_NEW");
    }
    return s.id;
}

/* 0 or an errno; *done may be NULL. */
static inline int map_ops(int fd, uint32_t space,
                          const struct vgsp_owner_map_op *ops, uint32_t count,
                          uint32_t *done)
{
    struct vgsp_owner_map_batch b = {
        .size = sizeof(b), .space = space, .count = count,
        .ops = (uintptr_t)ops,
    };
    int ret = call(fd, VGSP_OWNER_MAP_BATCH, &b);

    if (done) {
        *done = b.done;
    }
    return ret;
}

static inline int map(int fd, uint32_t space, uint64_t va, uint64_t size,
                      uint32_t memory, uint64_t offset)
{
    struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_MAP, .va = va, .size = size, .memory = memory,
        .offset = offset,
    };

    return map_ops(fd, space, &op, 1, NULL);
}

static inline int unmap(int fd, uint32_t space, uint64_t va, uint64_t size)
{
    struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_UNMAP, .va = va, .size = size,
    };

    return map_ops(fd, space, &op, 1, NULL);
}

/* 0 or an errno. */
static inline int context_new(int fd, uint32_t space, uint32_t *id)
{
    struct vgsp_owner_context_new c = { .size = sizeof(c), .space = space };
    int ret = call(fd, VGSP_OWNER_CONTEXT_NEW, &c);

    *id = c.id;
    return ret;
}

static inline struct vgsp_owner_submit_entry *entry_at(Session *s, uint32_t n)
{
    return (struct vgsp_owner_submit_entry *)
        ((char *)s->ring + VGSP_OWNER_RING_OFFSET) + n % s->entries;
}

/* Puts an entry into the ring; what VGSP_OWNER_SUBMIT takes. */
static inline void push(Session *s, const struct vgsp_owner_submit_entry *e)
{
    *entry_at(s, s->ring->tail) = *e;
    __atomic_store_n(&s->ring->tail, s->ring->tail + 1, __ATOMIC_RELEASE);
}

/* One entry, and its result as an errno. */
static inline int submit_entry(Session *s,
                               const struct vgsp_owner_submit_entry *e)
{
    struct vgsp_owner_submit cmd = { .size = sizeof(cmd) };
    uint32_t n = s->ring->tail;

    push(s, e);
    if (ioctl(s->fd, VGSP_OWNER_SUBMIT, &cmd)) {
        bail("VGSP_OWNER_SUBMIT");
    }
    if (cmd.taken != 1 || s->ring->head != n + 1) {
        bail("VGSP_OWNER_SUBMIT took %u", cmd.taken);
    }
    return -entry_at(s, n)->result;
}

static inline int submit(Session *s, uint32_t context, const uint32_t *words,
                         uint32_t count, uint64_t seq)
{
    struct vgsp_owner_submit_entry e = {
        .context = context, .words = (uintptr_t)words, .count = count,
        .seq = seq,
    };

    return submit_entry(s, &e);
}

/* 0 or an errno. */
static inline int wait_seq(Session *s, uint32_t context, uint64_t seq,
                           uint64_t ms)
{
    struct vgsp_owner_wait w = {
        .size = sizeof(w), .context = context, .seq = seq,
        .timeout_ns = ms * 1000000,
    };

    return call(s->fd, VGSP_OWNER_WAIT, &w);
}

/* A counter of debugfs, -1 where there is none. */
static inline long long stat_of(const char *name)
{
    char line[256], key[64];
    long long value, found = -1;
    FILE *f = popen("cat /sys/kernel/debug/vgsp-owner/*/stats", "r");

    while (f && fgets(line, sizeof(line), f)) {
        if (sscanf(line, "%63s %lld", key, &value) == 2 &&
            !strcmp(key, name)) {
            found = value;
        }
    }
    if (f) {
        pclose(f);
    }
    return found;
}

/* ---- Words of sections ---- */

#define INC(count, subchannel, method) \
    (1u << 29 | (count) << 16 | (subchannel) << 13 | (method) / 4)

/*
 * Subchannel 1 gets its class and writes value to va: SET_OBJECT, then
 * SET_REPORT_SEMAPHORE_A to _D of TURING_COMPUTE_A. 7 words.
 */
#define RELEASE_WORDS   7
static inline const uint32_t *release_words(uint32_t *w, uint64_t va,
                                            uint32_t value)
{
    w[0] = INC(1, 1, 0x0000);
    w[1] = 0xc5c0;
    w[2] = INC(4, 1, 0x1b00);
    w[3] = (uint32_t)(va >> 32);
    w[4] = (uint32_t)va;
    w[5] = value;
    w[6] = 1u << 28;            /* RELEASE, one word */
    return w;
}

#endif
