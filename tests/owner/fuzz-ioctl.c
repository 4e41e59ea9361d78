/*
 * Random calls of the ABI of a vgsp owner, from several processes and threads,
 * against sessions of their own and of each other. What they call is in
 * fuzz-calls.c; here are the processes, and what must hold.
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
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "fuzz-calls.h"

int tap_tests, tap_failed;

#define PROCESSES_MAX   16
#define THREADS_MAX     8
/* A process is killed after that, wherever it is, ms; and shared sessions. */
#define LIFE_MS         30000
#define GENERATION_MS   30000

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
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
    fuzz_catch_signals();
    for (size_t i = 0; i < COUNTERS; i++) {
        before[i] = stat_of(counters[i]);
    }
    sections = stat_of("sections");
    completed = stat_of("completed");
    faults = stat_of("faults");

    fuzz(seed, processes, callers, seconds);

    for (size_t i = 0; i < num_fuzz_commands; i++) {
        uint32_t nr = fuzz_commands[i].nr;
        uint64_t n = GET(by_cmd[nr]);

        printf("# %s: %llu of %llu, %llu us each\n", fuzz_commands[i].name,
               (unsigned long long)GET(good_by_cmd[nr]),
               (unsigned long long)n,
               (unsigned long long)(n ? GET(ns_by_cmd[nr]) / 1000 / n : 0));
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
