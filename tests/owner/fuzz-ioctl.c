/*
 * Random calls of the ABI of a vgsp owner, from several processes and threads,
 * against sessions of their own and of each other. It knows the structures:
 * most calls are such that something comes of them, and what is around them is
 * wrong now and then (sizes, pointers, ids, the memory below, the ring).
 *
 *   fuzz-ioctl [-n CALLS] [-t SECONDS] [-s SEED] [-p PROCESSES] [-j THREADS]
 *
 * What must hold: no call gives an errno that the ABI does not name, no process
 * dies of it, and when all are gone, so is all that they made. TAP; needs
 * root, /dev/vgsp-owner0 and debugfs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "owner-rig.h"

int tap_tests, tap_failed;

#define SHARED_SESSIONS 2
#define OWN_SESSIONS    2
#define SESSIONS        (SHARED_SESSIONS + OWN_SESSIONS)
#define PROCESSES_MAX   16
#define THREADS_MAX     8
/* A process is killed after that, wherever it is, ms; and shared sessions. */
#define LIFE_MS         30000
#define GENERATION_MS   30000

/* Memory for objects and sections, of which parts come and go. */
#define ARENA           ((char *)0x100000000000)
#define ARENA_SIZE      (16 * MiB)
#define ARENA_PRIVATE   (8 * MiB)       /* the rest is shared by all */
#define KNOWN           4
/* Where it is mapped, as a rule. */
#define VA              GiB

enum { ERRNOS = 134 };

/* What all processes share. */
typedef struct Common {
    uint64_t calls, good, others, forks, goal;
    uint64_t by_cmd[256], good_by_cmd[256], ns_by_cmd[256];
    uint64_t by_errno[ERRNOS];
    uint32_t bad_cmd, bad_errno;        /* one that is not of the ABI */
    struct {
        uint32_t tail;
        uint64_t seq;
    } ring[SHARED_SESSIONS];
} Common;

static Common *common;

#define ADD(field, n)   __atomic_fetch_add(&common->field, n, __ATOMIC_RELAXED)
#define GET(field)      __atomic_load_n(&common->field, __ATOMIC_RELAXED)

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static uint64_t now_ms(void)
{
    return now_ns() / 1000000;
}

/* ---- Chance ---- */

static __thread uint64_t state = 1;

static uint64_t rnd64(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1d;
}

static uint32_t rnd(uint32_t below)
{
    return (rnd64() >> 32) % below;
}

/* One in n. */
static bool rare(uint32_t n)
{
    return !rnd(n);
}

static void seed_with(uint64_t seed, uint64_t a, uint64_t b)
{
    state = (seed + 1) * 0x9e3779b97f4a7c15 + a * 0xbf58476d1ce4e5b9 +
            b * 0x94d049bb133111eb;
    state += !state;
    rnd64();
}

/* Mostly small; those that exist, existed, or never will. */
static uint32_t any_id(void)
{
    switch (rnd(40)) {
    case 0:
        return 0;
    case 1:
        return UINT32_MAX;
    case 2:
        return rnd64();
    case 3:
    case 4:
        return 1 + rnd(300);
    default:
        return 1 + rnd(rare(4) ? 16 : 3);
    }
}

static uint64_t odd_number(void)
{
    static const uint64_t some[] = {
        0, 1, 4, 8, 4095, 4096, 4097, 0x1fffff, 0x200000, 0xffffffff,
        1ull << 32, 1ull << 40, 1ull << 47, 1ull << 48, 1ull << 49,
        0x7fffffffffffffff, 1ull << 63, -1ull, -4096ull, -8ull,
    };

    return rare(4) ? rnd64() : some[rnd(sizeof(some) / sizeof(some[0]))];
}

/* ---- Memory that may be gone ---- */

static __thread sigjmp_buf fault_jump;
static __thread volatile bool fault_expected;

static void on_fault(int sig)
{
    if (!fault_expected) {
        signal(sig, SIG_DFL);
        raise(sig);
        return;
    }
    siglongjmp(fault_jump, 1);
}

static void on_signal(int sig)
{
    (void)sig;                  /* calls are interrupted by it */
}

/* Copies from or to what may not be there; whether all of it went. */
__attribute__((noinline))
static bool carefully(volatile void *to, const volatile void *from,
                      size_t size)
{
    bool whole = false;

    fault_expected = true;
    if (!sigsetjmp(fault_jump, 0)) {
        memcpy((void *)to, (const void *)from, size);
        whole = true;
    }
    fault_expected = false;
    return whole;
}

static void set32(volatile uint32_t *to, uint32_t value)
{
    carefully(to, &value, sizeof(value));
}

static void *arena_at(uint32_t align)
{
    return ARENA + rnd(ARENA_SIZE / align) * align;
}

/* Some of the arena goes, comes again, or becomes another kind of memory. */
static void arena_change(void)
{
    uint64_t size = (1 + rnd(rare(8) ? 512 : 16)) * PAGE;
    char *p = arena_at(PAGE);
    bool shared = p >= ARENA + ARENA_PRIVATE;
    int prot = rare(4) ? PROT_READ : rare(8) ? PROT_NONE
                                             : PROT_READ | PROT_WRITE;

    if (p + size > ARENA + ARENA_SIZE || (!shared && p + size > ARENA +
                                          ARENA_PRIVATE)) {
        return;
    }
    if (shared) {
        mprotect(p, size, prot);
    } else if (rare(3)) {
        munmap(p, size);
    } else {
        mmap(p, size, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    }
    if (rare(8)) {
        madvise(p, size, rare(2) ? MADV_DONTNEED : MADV_HUGEPAGE);
    }
}

/* All of it is there and writable. */
static void arena_heal(void)
{
    mmap(ARENA, ARENA_PRIVATE, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    mprotect(ARENA + ARENA_PRIVATE, ARENA_SIZE - ARENA_PRIVATE,
             PROT_READ | PROT_WRITE);
}

/* ---- Sessions ---- */

typedef struct Target {
    Session s;
    uint32_t *tail;             /* entries made, of whoever made them */
    uint64_t *seq;
    uint32_t own_tail;
    uint64_t own_seq;
    /* Some of what this process made; it may be gone. */
    uint32_t memory[KNOWN], space[KNOWN], context[KNOWN];
} Target;

static Target targets[SESSIONS];

static uint32_t known(const uint32_t *ids)
{
    uint32_t id = ids[rnd(KNOWN)];

    return !id || rare(8) ? any_id() : id;
}

static void fuzz_story(Target *t);

/* One that lives, as a rule; where there is none, one is made sometimes. */
static uint32_t any_context(Target *t)
{
    uint32_t first = rnd(16);

    for (uint32_t i = 0; i < 16 && !rare(100); i++) {
        uint32_t id = 1 + (first + i) % 16;

        if (t->s.done[id].state == VGSP_OWNER_CONTEXT_ALIVE) {
            return id;
        }
    }
    if (rare(100)) {
        fuzz_story(t);
    }
    return known(t->context);
}

static uint32_t learn(uint32_t *ids, uint32_t id)
{
    ids[rnd(KNOWN)] = id;
    return id;
}

static void target_map(Target *t)
{
    t->s.entries = 1024;
    t->s.ring = mmap(NULL, VGSP_OWNER_RING_OFFSET + t->s.entries *
                     sizeof(struct vgsp_owner_submit_entry),
                     PROT_READ | PROT_WRITE, MAP_SHARED, t->s.fd,
                     VGSP_OWNER_MMAP_RING);
    t->s.done = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, t->s.fd,
                     VGSP_OWNER_MMAP_COMPLETIONS);
    if (t->s.ring == MAP_FAILED || t->s.done == MAP_FAILED) {
        bail("mmap of a session");
    }
}

static void target_open(Target *t, int shared)
{
    *t = (Target) { .s.fd = open("/dev/vgsp-owner0", O_RDWR | O_CLOEXEC |
                                 (rare(8) ? 0 : O_NONBLOCK)) };
    if (t->s.fd < 0) {
        bail("/dev/vgsp-owner0");
    }
    target_map(t);
    t->tail = &t->own_tail;
    t->seq = &t->own_seq;
    if (shared >= 0) {
        t->tail = &common->ring[shared].tail;
        t->seq = &common->ring[shared].seq;
        *t->tail = 0;
        *t->seq = 0;
    }
}

/* Another one in its place, while other threads use it. */
static void target_renew(Target *t)
{
    Target fresh;

    target_open(&fresh, -1);
    if (dup2(fresh.s.fd, t->s.fd) < 0) {
        bail("dup2");
    }
    close(fresh.s.fd);
    /* Other threads may still write into the old ring: it stays. */
    t->s.ring = fresh.s.ring;
    t->s.done = fresh.s.done;
    t->own_tail = 0;
    t->own_seq = 0;
}

/* ---- Calls ---- */

static const struct {
    uint32_t nr;
    uint32_t size;
    const char *name;
} commands[] = {
#define CMD(name, type) { VGSP_OWNER_CMD_##name, sizeof(struct type), #name }
    CMD(INFO, vgsp_owner_info), CMD(CLOCK, vgsp_owner_clock),
    CMD(REVOKE, vgsp_owner_revoke), CMD(PAUSE, vgsp_owner_pause),
    CMD(EVENTFD, vgsp_owner_eventfd), CMD(MEMORY_NEW, vgsp_owner_memory_new),
    CMD(MEMORY_DEL, vgsp_owner_memory_del),
    CMD(SPACE_NEW, vgsp_owner_space_new), CMD(SPACE_DEL, vgsp_owner_space_del),
    CMD(MAP, vgsp_owner_map_batch), CMD(CONTEXT_NEW, vgsp_owner_context_new),
    CMD(CONTEXT_DEL, vgsp_owner_context_del),
    CMD(CONTEXT_KILL, vgsp_owner_context_kill),
    CMD(SUBMIT, vgsp_owner_submit), CMD(WAIT, vgsp_owner_wait),
};

static bool known_errno(int e)
{
    static const int known[] = {
        ENOTTY, E2BIG, EOPNOTSUPP, EINVAL, ENOENT, ENOMEM, ENOSPC, EBUSY,
        EOVERFLOW, EFAULT, EIO, ENODEV, ETIMEDOUT,      /* the ABI's */
        EINTR, EAGAIN, EBADF,
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (known[i] == e) {
            return true;
        }
    }
    return false;
}

/* Counts what came of a call; true if it succeeded. */
static bool count_call(uint32_t nr, int ret)
{
    int e = ret < 0 ? errno : 0;

    ADD(calls, 1);
    ADD(by_cmd[nr & 0xff], 1);
    if (!e) {
        ADD(good, 1);
        ADD(good_by_cmd[nr & 0xff], 1);
        return true;
    }
    ADD(by_errno[e < ERRNOS ? e : 0], 1);
    if (!known_errno(e)) {
        common->bad_cmd = nr;
        __atomic_store_n(&common->bad_errno, e, __ATOMIC_RELEASE);
    }
    return false;
}

/*
 * Where the structure of a call is, of two pages that are there: mostly
 * there, else nowhere, read-only, or partly.
 */
static char *place(char *two_pages, uint32_t size)
{
    switch (rnd(120)) {
    case 0:
        return NULL;
    case 1:
        return (char *)8;
    case 2:
        return (char *)(uintptr_t)odd_number();
    case 3:
        return two_pages + 3 * PAGE - size / 2;         /* then nothing */
    case 4:
        return two_pages + 3 * PAGE - size;
    case 5:
        return two_pages + 2 * PAGE;                    /* read-only */
    case 6:
        return two_pages + 2 * PAGE - size / 2;
    case 7:
        return arena_at(8);
    default:
        return two_pages;
    }
}

static __thread char *room;     /* two pages, one read-only, a hole */

static void room_new(void)
{
    room = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED) {
        bail("mmap");
    }
    mprotect(room + 2 * PAGE, PAGE, PROT_READ);
    mprotect(room + 3 * PAGE, PAGE, PROT_NONE);
}

/* cmd is of size bytes, which begin with the size; what comes out goes in. */
static bool fuzz_call(int fd, uint32_t nr, void *cmd, uint32_t size)
{
    uint32_t given = size;
    char *at = place(room, size);
    uint64_t start;
    int ret;

    memset(room, 0, PAGE);
    switch (rnd(60)) {
    case 0:
        given = rnd(size);
        break;
    case 1:
        given = size + 8 + rnd(64);
        break;
    case 2:
        given = size + 1 + rnd(PAGE);
        room[size + rnd(given - size)] = 1 + rnd(255);
        break;
    case 3:
        given = odd_number();
        break;
    case 4:
        ((uint8_t *)cmd)[rnd(size)] ^= 1 << rnd(8);
        break;
    }
    if (rare(400)) {
        nr = rnd(256);
    }
    memcpy(cmd, &given, sizeof(given));
    carefully(at, cmd, size);
    start = now_ns();
    ret = ioctl(fd, rare(500) ? (unsigned long)rnd64()
                              : (unsigned long)_IO(VGSP_OWNER_TYPE, nr), at);
    ADD(ns_by_cmd[nr & 0xff], now_ns() - start);
    if (!count_call(nr, ret)) {
        return false;
    }
    carefully(cmd, at, size);
    return true;
}

#define CALL(t, name, cmd) \
    fuzz_call((t)->s.fd, VGSP_OWNER_CMD_##name, &(cmd), sizeof(cmd))

static uint32_t fuzz_memory_new(Target *t)
{
    struct vgsp_owner_memory_new cmd = {
        .address = (uintptr_t)arena_at(PAGE),
        .length = (1 + rnd(rare(8) ? 1024 : 16)) * PAGE,
    };

    switch (rnd(50)) {
    case 0:
        cmd.address = (uintptr_t)t->s.ring;
        break;
    case 1:
        cmd.address = (uintptr_t)t->s.done;
        break;
    case 2:
        cmd.address = odd_number();
        break;
    case 3:
        cmd.length = odd_number() & ~0x7f00000000ull;   /* not GiBs */
        break;
    case 4:
        cmd.type = rnd(4);
        break;
    case 5:
        cmd.flags = odd_number();
        break;
    }
    return CALL(t, MEMORY_NEW, cmd) ? learn(t->memory, cmd.id) : any_id();
}

static uint32_t fuzz_space_new(Target *t)
{
    struct vgsp_owner_space_new cmd = { 0 };

    if (rare(8)) {
        cmd.window_va = rare(2) ? odd_number() : rnd(2048) * 512 * MiB;
    }
    if (rare(30)) {
        cmd.flags = odd_number();
        cmd.reserved = odd_number();
    }
    return CALL(t, SPACE_NEW, cmd) ? learn(t->space, cmd.id) : any_id();
}

static uint64_t any_va(void)
{
    switch (rnd(60)) {
    case 0:
        return 4 * GiB - rnd(8) * PAGE;         /* around the window */
    case 1:
        return 4 * GiB + 512 * MiB - rnd(8) * PAGE;
    case 2:
        return (1ull << 49) - rnd(8) * PAGE;
    case 3:
        return odd_number();
    case 4:
        return rnd64() & ((1ull << 49) - 1) & -PAGE;
    default:
        return VA + rnd(4096) * PAGE;
    }
}

static void fuzz_map(Target *t, uint32_t space, uint32_t memory)
{
    struct vgsp_owner_map_op *ops = (void *)(room + PAGE);
    uint32_t n = 1 + rnd(rare(8) ? 60 : 3);
    struct vgsp_owner_map_batch cmd = {
        .space = space, .count = n, .ops = (uintptr_t)ops,
    };

    for (uint32_t i = 0; i < n; i++) {
        ops[i] = (struct vgsp_owner_map_op) {
            .op = rare(3) ? 1 + rnd(2) : VGSP_OWNER_MAP,
            .va = any_va(), .size = (1 + rnd(rare(4) ? 2048 : 4)) * PAGE,
        };
        if (ops[i].op == VGSP_OWNER_MAP) {
            ops[i].memory = rare(16) ? any_id() : memory;
            ops[i].kind = rare(8) ? 6 : 0;
            ops[i].flags = rare(4) ? rnd(8) : 0;
            ops[i].size = (1 + rnd(rare(8) ? 16 : 2)) * PAGE;
            ops[i].offset = rare(4) ? rnd(8) * PAGE : 0;
        } else if (rare(8)) {
            ops[i].size = 1ull << (12 + rnd(38));
        }
        if (!i && rare(2)) {    /* what sections write to */
            ops[i] = (struct vgsp_owner_map_op) {
                .va = VA, .size = PAGE, .memory = memory,
            };
        }
        if (rare(100)) {
            ((uint64_t *)&ops[i])[rnd(sizeof(ops[i]) / 8)] = odd_number();
        }
    }
    switch (rnd(100)) {
    case 0:
        cmd.ops = odd_number();
        break;
    case 1:
        cmd.count = odd_number();
        break;
    case 2:
        cmd.ops = (uintptr_t)arena_at(8);
        cmd.count = rnd(65536);
        break;
    }
    CALL(t, MAP, cmd);
}

static uint32_t fuzz_context_new(Target *t, uint32_t space)
{
    struct vgsp_owner_context_new cmd = {
        .space = space, .timeslice_us = rare(4) ? rnd(5000) : 0,
    };

    if (rare(20)) {
        cmd.timeslice_us = odd_number();
    }
    if (rare(30)) {
        cmd.engine = rnd(4);
        cmd.flags = rare(2) ? 0 : odd_number();
    }
    return CALL(t, CONTEXT_NEW, cmd) ? learn(t->context, cmd.id) : any_id();
}

/* Words of a section, in the arena; how many. */
static uint32_t any_words(uint32_t *w)
{
    uint32_t n = 0;

    switch (rnd(12)) {
    case 0:
        return 0;
    case 1:                     /* methods with nothing to them */
        n = 1 + rnd(64);
        for (uint32_t i = 0; i < n; i++) {
            w[i] = rare(2) ? rnd64() : INC(rnd(4), rnd(8), rnd(0x2000) * 4);
        }
        return n;
    case 2:                     /* where nothing may be mapped */
        if (!rare(30)) {
            return 0;
        }
        release_words(w, any_va() & ~15ull, rnd64());
        return RELEASE_WORDS;
    case 3:
        release_words(w, VA + rnd(256) * 16, rnd64());
        /* Not the address: a fault is the end of the context. */
        w[(5 + rnd(5)) % RELEASE_WORDS] ^= 1u << rnd(32);
        return RELEASE_WORDS;
    default:
        do {
            release_words(w + n, VA + rnd(256) * 16, rnd64());
            n += RELEASE_WORDS;
        } while (n < 100 && !rare(3));
        return n;
    }
}

static void any_entry(Target *t, struct vgsp_owner_submit_entry *e,
                      uint32_t context)
{
    void *words = arena_at(4096);
    uint32_t w[160], count = any_words(w);

    carefully(words, w, count * sizeof(w[0]));
    *e = (struct vgsp_owner_submit_entry) {
        .context = rare(20) ? any_id() : context,
        .words = (uintptr_t)words, .count = count,
        .seq = __atomic_add_fetch(t->seq, 1, __ATOMIC_RELAXED),
    };
    if (rare(10)) {
        e->wait_context = any_id();
        e->wait_seq = rare(4) ? odd_number() : e->seq - rnd(8);
    }
    switch (rnd(100)) {
    case 0:
        ((uint64_t *)e)[rnd(sizeof(*e) / 8)] = odd_number();
        break;
    case 1:
        e->words = rare(2) ? odd_number() : (uintptr_t)t->s.ring;
        break;
    case 2:
        e->count = rnd(70000);
        break;
    case 3:
        e->seq = rare(8) ? odd_number() : e->seq - rnd(100);
        break;
    }
}

static void fuzz_submit(Target *t, uint32_t context)
{
    uint32_t n = rare(10) ? rnd(200) : rnd(4);
    struct vgsp_owner_submit cmd = { .max = rare(10) ? rnd(8) : 0 };
    uint32_t at = __atomic_fetch_add(t->tail, n, __ATOMIC_RELAXED);

    for (uint32_t i = 0; i < n; i++) {
        struct vgsp_owner_submit_entry e;

        any_entry(t, &e, context);
        carefully(entry_at(&t->s, at + i), &e, sizeof(e));
    }
    set32(&t->s.ring->tail, at + n);
    if (!CALL(t, SUBMIT, cmd) && errno == EINVAL) {
        /* Somebody had lied about the tail. */
        if (carefully(&at, &t->s.ring->head, sizeof(at))) {
            __atomic_store_n(t->tail, at, __ATOMIC_RELAXED);
        }
    }
}

static uint64_t any_timeout(void)
{
    return rare(200) ? odd_number() : rnd(2000) * 1000ull;
}

static void fuzz_wait(Target *t, uint32_t context)
{
    struct vgsp_owner_wait cmd = {
        .context = context, .timeout_ns = any_timeout(),
        .seq = __atomic_load_n(t->seq, __ATOMIC_RELAXED) - rnd(4),
    };

    if (!rare(3)) {
        cmd.seq = t->s.done[context % VGSP_OWNER_COMPLETIONS].seq + rnd(2);
    } else if (rare(8)) {
        cmd.seq = odd_number();
    }
    CALL(t, WAIT, cmd);
}

/* Everything that a VM does, in order, with what came of it. */
static void fuzz_story(Target *t)
{
    uint32_t memory = 0, space = fuzz_space_new(t), context;
    struct vgsp_owner_map_op op = { .va = VA, .size = PAGE };

    for (int i = 0; i < 4; i++) {
        memory = op.memory = fuzz_memory_new(t);
        errno = map_ops(t->s.fd, space, &op, 1, NULL);
        if (count_call(VGSP_OWNER_CMD_MAP, errno ? -1 : 0)) {
            break;
        }
    }
    context = fuzz_context_new(t, space);
    for (int i = 0; i < 8; i++) {
        fuzz_submit(t, context);
        if (rare(2)) {
            fuzz_wait(t, context);
        }
        if (rare(4)) {
            fuzz_map(t, space, memory);
        }
    }
}

static void fuzz_eventfd(Target *t)
{
    int efd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    struct vgsp_owner_eventfd cmd = { .fd = efd };

    if (rare(4)) {
        cmd.fd = rare(2) ? -1 : rare(2) ? t->s.fd : (int)odd_number();
    }
    CALL(t, EVENTFD, cmd);
    close(efd);
}

static void fuzz_other_calls(Target *t)
{
    struct pollfd pfd = { .fd = t->s.fd, .events = rnd64() };
    static const uint64_t offsets[] = {
        0, PAGE, VGSP_OWNER_RING_OFFSET + 16 * PAGE,
        VGSP_OWNER_MMAP_COMPLETIONS,
        VGSP_OWNER_MMAP_COMPLETIONS + PAGE, 0x20000000, -PAGE, 1ull << 40,
    };
    uint64_t size = (1 + rnd(rare(4) ? 100 : 18)) * PAGE;
    char *p, c = 0;

    ADD(others, 1);
    switch (rnd(8)) {
    case 0:
        poll(&pfd, 1, rnd(2));
        break;
    case 1:
        set32(&t->s.ring->seen, rare(4) ? rnd64() : t->s.done[0].seq);
        break;
    case 2:
        if (write(t->s.fd, room, 8) < 0 || lseek(t->s.fd, 8, SEEK_SET) < 0) {
            break;
        }
        break;
    case 3:
    case 4:
        p = mmap(NULL, size, rnd(8), rare(4) ? MAP_PRIVATE : MAP_SHARED,
                 t->s.fd, offsets[rnd(sizeof(offsets) / sizeof(offsets[0]))]);
        if (p == MAP_FAILED) {
            break;
        }
        carefully(&c, p, 1);
        mprotect(p, PAGE, rnd(4));
        carefully(p + rnd(64), &c, 1);
        carefully(&c, p + size - 1, 1);
        munmap(p, size);
        break;
    default:
        if (read(t->s.fd, place(room, 256), rare(4) ? odd_number() :
                 rnd(4) * sizeof(struct vgsp_owner_event)) < 0) {
            break;
        }
        break;
    }
}

/* A child with the same files ends somewhere. */
static void fuzz_fork(Target *t)
{
    pid_t pid = fork();

    if (!pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        seed_with(state, 1, 2);
        for (int i = rnd(40); i > 0; i--) {
            fuzz_memory_new(t);
            fuzz_submit(t, any_id());
            fuzz_wait(t, any_id());
        }
        _exit(0);
    }
    if (pid > 0) {
        usleep(rnd(5000));
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        ADD(forks, 1);
    }
}

static void fuzz_one(Target *t)
{
    struct vgsp_owner_info info = { 0 };
    struct vgsp_owner_clock clock = { 0 };
    struct vgsp_owner_revoke revoke = { 0 };
    struct vgsp_owner_pause pause = { .pause = rare(3),
                                      .timeout_ns = any_timeout() };
    struct vgsp_owner_memory_del memory = { .id = known(t->memory) };
    struct vgsp_owner_space_del space = { .id = known(t->space) };
    struct vgsp_owner_context_del context = { .id = known(t->context) };
    struct vgsp_owner_context_kill kill_it = { .id = known(t->context),
                                               .kind = rnd(5) };

    switch (rnd(100)) {
    case 0:
        CALL(t, INFO, info);
        break;
    case 1:
        CALL(t, CLOCK, clock);
        break;
    case 2:
        if (rare(60)) {
            CALL(t, REVOKE, revoke);
        }
        break;
    case 3:
        if (rare(4)) {
            CALL(t, PAUSE, pause);
        }
        break;
    case 4:
        fuzz_eventfd(t);
        break;
    case 5 ... 12:
        fuzz_memory_new(t);
        break;
    case 13 ... 19:
        CALL(t, MEMORY_DEL, memory);
        break;
    case 20:
        fuzz_space_new(t);
        break;
    case 21:
    case 22:
        CALL(t, SPACE_DEL, space);
        break;
    case 23 ... 40:
        fuzz_map(t, known(t->space), known(t->memory));
        break;
    case 41:
        if (rare(8)) {          /* the one that takes long */
            fuzz_context_new(t, known(t->space));
        }
        break;
    case 42:
        if (rare(8)) {
            CALL(t, CONTEXT_DEL, context);
        }
        break;
    case 43:
        if (rare(20)) {
            CALL(t, CONTEXT_KILL, kill_it);
        }
        break;
    case 44 ... 69:
        fuzz_submit(t, any_context(t));
        break;
    case 70 ... 85:
        fuzz_wait(t, any_context(t));
        break;
    case 86:
        if (rare(20)) {
            fuzz_story(t);
        }
        break;
    case 87:
        if (rare(30)) {
            fuzz_fork(t);
        }
        break;
    case 88:
        if (rare(4)) {
            arena_heal();
        }
        break;
    default:
        fuzz_other_calls(t);
        break;
    }
}

/* ---- Processes ---- */

static uint64_t process_seed;

static void *caller(void *opaque)
{
    seed_with(process_seed, (uintptr_t)opaque, 1);
    room_new();
    while (GET(calls) < GET(goal)) {
        Target *t = &targets[rnd(SESSIONS)];

        fuzz_one(t);
        if (rare(3000) && t - targets >= SHARED_SESSIONS) {
            target_renew(t);
        }
    }
    return NULL;
}

/* The head is wrong for a while, if the owner does not write it meanwhile. */
static void ring_lie(Target *t)
{
    uint32_t was = t->s.ring->head, lie = rnd64();

    t->s.ring->head = lie;
    usleep(rnd(500));
    __atomic_compare_exchange_n(&t->s.ring->head, &lie, was, false,
                                __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Rewrites rings and takes memory away, with pauses for the others. */
static void *vandal(void *opaque)
{
    seed_with(process_seed, (uintptr_t)opaque, 2);
    while (GET(calls) < GET(goal)) {
        Target *t = &targets[rnd(SESSIONS)];
        uint32_t n = rnd(100);

        while (n--) {
            struct vgsp_owner_submit_entry *e = entry_at(&t->s, rnd(1024));
            uint64_t v = 0, *word = (uint64_t *)e + rnd(sizeof(*e) / 8);

            carefully(&v, word, sizeof(v));
            v ^= 1ull << rnd(64);
            carefully(word, &v, sizeof(v));
        }
        if (rare(8)) {
            set32(&t->s.ring->tail, *t->tail + rnd(16));
        }
        if (rare(40)) {
            ring_lie(t);
        }
        if (rare(100)) {
            set32(&t->s.ring->tail, odd_number());
        }
        for (n = rnd(3); n > 0; n--) {
            arena_change();
        }
        usleep(rnd(20000));
    }
    return NULL;
}

static pid_t worker(uint64_t seed, int callers)
{
    pid_t pid = fork();
    pthread_t threads[THREADS_MAX + 1];
    sigset_t signals;

    if (pid) {
        return pid;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    seed_with(seed, 3, 3);
    process_seed = seed;
    arena_heal();
    for (int i = SHARED_SESSIONS; i < SESSIONS; i++) {
        target_open(&targets[i], -1);
        room_new();
        fuzz_story(&targets[i]);
    }
    for (int i = 0; i <= callers; i++) {
        if (pthread_create(&threads[i], NULL, i < callers ? caller : vandal,
                           (void *)(uintptr_t)i)) {
            bail("pthread_create");
        }
    }
    /* It is for those who may be in a call. */
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    for (int i = 0; i <= callers; i++) {
        pthread_join(threads[i], NULL);
    }
    _exit(0);
}

typedef struct Slot {
    pid_t pid;
    uint64_t end;               /* ms */
    bool killed;
} Slot;

static int died;                /* processes, by themselves */

static void reap(Slot *slot)
{
    int status;

    if (!slot->pid || waitpid(slot->pid, &status, WNOHANG) != slot->pid) {
        return;
    }
    if (!slot->killed && status) {
        printf("# a process ended with status 0x%x\n", status);
        fflush(stdout);
        died++;
    }
    *slot = (Slot) { 0 };
}

static void shared_renew(void)
{
    for (int i = 0; i < SHARED_SESSIONS; i++) {
        if (targets[i].s.fd > 0) {
            session_close(&targets[i].s);
        }
        target_open(&targets[i], i);
    }
}

static void fuzz(uint64_t seed, int processes, int callers, uint64_t seconds)
{
    uint64_t start = now_ms(), end = start + seconds * 1000;
    uint64_t generation = start + GENERATION_MS, told = start, forked = 0;
    Slot slots[PROCESSES_MAX] = { 0 };
    int alive = 0;

    seed_with(seed, 0, 0);
    shared_renew();
    do {
        uint64_t now = now_ms();

        if (seconds && now >= end) {
            __atomic_store_n(&common->goal, 0, __ATOMIC_RELAXED);
        }
        if (now >= generation) {
            shared_renew();
            generation = now + GENERATION_MS;
        }
        if (now >= told + 5000) {
            printf("# %llu s: %llu calls, %llu succeeded\n",
                   (unsigned long long)(now - start) / 1000,
                   (unsigned long long)GET(calls),
                   (unsigned long long)GET(good));
            fflush(stdout);
            told = now;
        }
        alive = 0;
        for (int i = 0; i < processes; i++) {
            Slot *slot = &slots[i];

            reap(slot);
            if (!slot->pid && GET(calls) < GET(goal)) {
                slot->pid = worker(seed + ++forked, callers);
                slot->end = now + 200 + rnd(LIFE_MS);
            }
            if (slot->pid && (now >= slot->end || GET(calls) >= GET(goal))) {
                slot->killed = true;
                kill(slot->pid, SIGKILL);
            } else if (slot->pid && rare(4)) {
                kill(slot->pid, SIGUSR1);
            }
            alive += !!slot->pid;
        }
        usleep(20000);
    } while (alive);
    for (int i = 0; i < SHARED_SESSIONS; i++) {
        session_close(&targets[i].s);
    }
    printf("# %llu processes, %llu more forked by them, %llu other calls\n",
           (unsigned long long)forked, (unsigned long long)GET(forks),
           (unsigned long long)GET(others));
}

/* ---- Afterwards ---- */

static const char *const counters[] = {
    "sessions", "contexts", "pinned_pages", "table_pages",
};
#define COUNTERS (sizeof(counters) / sizeof(counters[0]))

static bool nothing_left(const long long *before)
{
    bool same = false;

    /* Files of a process that was killed may close a little later. */
    for (int i = 0; i < 100 && !same; i++) {
        same = true;
        for (size_t k = 0; k < COUNTERS; k++) {
            same &= stat_of(counters[k]) == before[k];
        }
        usleep(same ? 0 : 100000);
    }
    for (size_t k = 0; k < COUNTERS && !same; k++) {
        printf("# %s: %lld, was %lld\n", counters[k], stat_of(counters[k]),
               before[k]);
    }
    return same;
}

static bool still_works(void)
{
    Session s = session_open();
    uint32_t context;
    int ret = context_new(s.fd, space_new(s.fd), &context);

    ret = ret ? ret : submit(&s, context, NULL, 0, 1);
    ret = ret ? ret : wait_seq(&s, context, 1, 10000);
    session_close(&s);
    return !ret;
}

int main(int argc, char **argv)
{
    uint64_t calls = 1000000, seconds = 0, seed = time(NULL) ^ getpid();
    struct sigaction fault = { .sa_handler = on_fault,
                               .sa_flags = SA_NODEFER },
                     note = { .sa_handler = on_signal };
    long long before[COUNTERS], sections, completed, faults;
    int processes = 3, callers = 2, option;

    while ((option = getopt(argc, argv, "n:t:s:p:j:")) != -1) {
        uint64_t n = optarg ? strtoull(optarg, NULL, 0) : 0;

        switch (option) {
        case 'n':
            calls = n;
            break;
        case 't':
            seconds = n;
            break;
        case 's':
            seed = n;
            break;
        case 'p':
            processes = n;
            break;
        case 'j':
            callers = n;
            break;
        default:
            return 2;
        }
    }
    if (processes < 1 || processes > PROCESSES_MAX || callers < 1 ||
        callers > THREADS_MAX) {
        fprintf(stderr, "fuzz-ioctl: too many or too few\n");
        return 2;
    }
    printf("# seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    common = mmap(NULL, sizeof(*common), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (common == MAP_FAILED ||
        mmap(ARENA, ARENA_SIZE, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
        ARENA) {
        bail("mmap");
    }
    common->goal = calls;
    sigaction(SIGSEGV, &fault, NULL);
    sigaction(SIGBUS, &fault, NULL);
    sigaction(SIGUSR1, &note, NULL);
    for (size_t i = 0; i < COUNTERS; i++) {
        before[i] = stat_of(counters[i]);
    }
    sections = stat_of("sections");
    completed = stat_of("completed");
    faults = stat_of("faults");

    fuzz(seed, processes, callers, seconds);

    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        uint64_t n = GET(by_cmd[commands[i].nr]);

        printf("# %s: %llu of %llu, %llu us each\n", commands[i].name,
               (unsigned long long)GET(good_by_cmd[commands[i].nr]),
               (unsigned long long)n, (unsigned long long)
               (n ? GET(ns_by_cmd[commands[i].nr]) / 1000 / n : 0));
    }
    for (int i = 0; i < ERRNOS; i++) {
        if (GET(by_errno[i])) {
            printf("# %s: %llu\n", strerror(i),
                   (unsigned long long)GET(by_errno[i]));
        }
    }
    printf("# sections %lld, completed %lld, faults %lld\n",
           stat_of("sections") - sections, stat_of("completed") - completed,
           stat_of("faults") - faults);
    if (common->bad_errno) {
        printf("# command 0x%x: %s\n", common->bad_cmd,
               strerror(common->bad_errno));
    }
    ok(!common->bad_errno && GET(calls), "%llu calls: only errors of the ABI",
       (unsigned long long)GET(calls));
    ok(!died, "no process died of it");
    ok(nothing_left(before), "nothing is left behind");
    ok(still_works(), "the card works");
    printf("1..%d\n", tap_tests);
    return tap_failed != 0;
}
