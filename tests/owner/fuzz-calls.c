/*
 * Random calls of the owner's ABI; see fuzz-calls.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "fuzz-calls.h"

Common *common;

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* ---- Chance ---- */

static __thread uint64_t state = 1;

uint64_t rnd64(void)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 0x2545f4914f6cdd1d;
}

uint32_t rnd(uint32_t below)
{
    return (rnd64() >> 32) % below;
}

bool rare(uint32_t n)
{
    return !rnd(n);
}

void seed_with(uint64_t seed, uint64_t a, uint64_t b)
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

uint64_t odd_number(void)
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

void fuzz_catch_signals(void)
{
    struct sigaction fault = { .sa_handler = on_fault,
                               .sa_flags = SA_NODEFER },
                     note = { .sa_handler = on_signal };

    sigaction(SIGSEGV, &fault, NULL);
    sigaction(SIGBUS, &fault, NULL);
    sigaction(SIGUSR1, &note, NULL);
}

__attribute__((noinline))
bool carefully(volatile void *to, const volatile void *from, size_t size)
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

void set32(volatile uint32_t *to, uint32_t value)
{
    carefully(to, &value, sizeof(value));
}

static void *arena_at(uint32_t align)
{
    return ARENA + rnd(ARENA_SIZE / align) * align;
}

void arena_change(void)
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

void arena_heal(void)
{
    mmap(ARENA, ARENA_PRIVATE, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    mprotect(ARENA + ARENA_PRIVATE, ARENA_SIZE - ARENA_PRIVATE,
             PROT_READ | PROT_WRITE);
}

/* ---- Sessions ---- */

Target targets[SESSIONS];

static uint32_t known(const uint32_t *ids)
{
    uint32_t id = ids[rnd(KNOWN)];

    return !id || rare(8) ? any_id() : id;
}

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

void target_open(Target *t, int shared)
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

void target_renew(Target *t)
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

const FuzzCommand fuzz_commands[] = {
#define CMD(name) { VGSP_OWNER_CMD_##name, #name }
    CMD(INFO), CMD(CLOCK), CMD(REVOKE), CMD(PAUSE), CMD(EVENTFD),
    CMD(MEMORY_NEW), CMD(MEMORY_DEL), CMD(SPACE_NEW), CMD(SPACE_DEL), CMD(MAP),
    CMD(CONTEXT_NEW), CMD(CONTEXT_DEL), CMD(CONTEXT_KILL), CMD(SUBMIT),
    CMD(WAIT),
};
const size_t num_fuzz_commands = sizeof(fuzz_commands) /
                                 sizeof(fuzz_commands[0]);

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

void room_new(void)
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

void fuzz_story(Target *t)
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

void fuzz_one(Target *t)
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
