/*
 * What the owner's way of a section and its maps cost, each against something
 * of the same kernel, in turns: bench RUNS. Static; in a VM, as root.
 *
 * Prints "bench KEY VALUE" for each run, and in comments what was measured.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "owner-rig.h"

int tap_tests, tap_failed;

/* Of one slice; a run is made of several, in turns. */
#define TRIPS   50
#define SLICES  8
#define BATCH   64

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

/* ---- Sections ---- */

/* Two processes that wake each other. */
typedef struct Peer {
    int there, back;
    pid_t pid;
} Peer;

static Peer peer_new(void)
{
    Peer p = { .there = eventfd(0, EFD_CLOEXEC),
               .back = eventfd(0, EFD_CLOEXEC) };
    uint64_t n;

    p.pid = fork();
    if (p.there < 0 || p.back < 0 || p.pid < 0) {
        bail("eventfd, fork");
    }
    if (!p.pid) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        while (read(p.there, &n, 8) == 8 && write(p.back, &n, 8) == 8) {
        }
        _exit(1);
    }
    return p;
}

/* us a round trip. */
static double ping_pong(Peer *p)
{
    double start = now_us();
    uint64_t n = 1;

    for (int i = 0; i < TRIPS; i++) {
        if (write(p->there, &n, 8) != 8 || read(p->back, &n, 8) != 8) {
            bail("eventfd");
        }
    }
    return (now_us() - start) / TRIPS;
}

typedef struct Work {
    Session s;
    uint32_t context;
    uint64_t seq;
} Work;

/* us a section, count of them at once and a wait for the last. */
static double sections(Work *w, uint32_t count)
{
    struct vgsp_owner_submit cmd = { .size = sizeof(cmd) };
    double start = now_us();

    for (int i = 0; i < TRIPS; i++) {
        for (uint32_t k = 0; k < count; k++) {
            struct vgsp_owner_submit_entry e = {
                .context = w->context, .seq = ++w->seq,
            };

            push(&w->s, &e);
        }
        if (ioctl(w->s.fd, VGSP_OWNER_SUBMIT, &cmd) || cmd.failed ||
            wait_seq(&w->s, w->context, w->seq, 10000)) {
            bail("a section");
        }
    }
    return (now_us() - start) / TRIPS / count;
}

static void bench_sections(int runs)
{
    Work w = { .s = session_open() };
    Peer peer = peer_new();
    int ret = context_new(w.s.fd, space_new(w.s.fd), &w.context);

    if (ret) {
        errno = ret;
        bail("VGSP_OWNER_CONTEXT_NEW");
    }
    ping_pong(&peer);
    sections(&w, 1);
    sections(&w, BATCH);
    while (runs--) {
        long long spun = stat_of("waits_spun"), slept = stat_of("waits_slept");
        double trip = 0, one = 0, batch = 0;

        for (int i = 0; i < SLICES; i++) {
            trip += ping_pong(&peer) / SLICES;
            one += sections(&w, 1) / SLICES;
            batch += sections(&w, BATCH) / SLICES;
        }
        printf("# us: eventfd %.1f, a section %.1f, one of %u %.1f; "
               "%lld waits ended by looking, %lld by sleep\n", trip, one,
               BATCH, batch, stat_of("waits_spun") - spun,
               stat_of("waits_slept") - slept);
        printf("bench owner.submit_vs_eventfd %.4f\n", one / trip);
        printf("bench owner.batch64_vs_1 %.4f\n", batch / one);
        fflush(stdout);
    }
    kill(peer.pid, SIGKILL);
    waitpid(peer.pid, NULL, 0);
    session_close(&w.s);
}

/* ---- Maps ---- */

#define PIECES  512             /* of 2 MiB: 1 GiB */
#define PIECE   (2 * MiB)

/* ms of one batch that maps all of the memory at va. */
static double map_all(int fd, uint32_t space, uint64_t va, uint32_t memory)
{
    static struct vgsp_owner_map_op ops[PIECES];
    double start;

    for (uint32_t i = 0; i < PIECES; i++) {
        ops[i] = (struct vgsp_owner_map_op) {
            .op = VGSP_OWNER_MAP, .va = va + i * PIECE, .size = PIECE,
            .memory = memory, .offset = i * PIECE,
        };
    }
    start = now_us();
    if (map_ops(fd, space, ops, PIECES, NULL)) {
        bail("map");
    }
    start = now_us() - start;
    if (unmap(fd, space, va, PIECES * PIECE)) {
        bail("unmap");
    }
    return start / 1e3;
}

/* ms of mlock() of memory that is there, but not locked. */
static double lock_all(void *p)
{
    double start = now_us();

    if (mlock(p, PIECES * PIECE)) {
        bail("mlock");
    }
    start = now_us() - start;
    if (munlock(p, PIECES * PIECE)) {
        bail("munlock");
    }
    return start / 1e3;
}

static void bench_maps(int runs)
{
    int fd = owner_open();
    char *small = pages(PIECES * PIECE);
    char *huge = mmap(NULL, PIECES * PIECE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB, -1, 0);
    uint32_t small_id, huge_id = 0, space;

    if (fd < 0) {
        bail("/dev/vgsp-owner0");
    }
    madvise(small, PIECES * PIECE, MADV_NOHUGEPAGE);
    memset(small, 1, PIECES * PIECE);
    small_id = memory_new(fd, small, PIECES * PIECE);
    if (huge != MAP_FAILED) {
        huge_id = memory_new(fd, huge, PIECES * PIECE);
    } else {
        printf("# no pages of 2 MiB: hugepages=%u\n", PIECES);
    }
    space = space_new(fd);
    while (runs--) {
        double lock = lock_all(small);
        /* A page off: no entry of 2 MiB, whatever pages lie together. */
        double each = map_all(fd, space, 8 * GiB + PAGE, small_id);
        double whole = huge_id ? map_all(fd, space, 8 * GiB, huge_id) : 0;

        printf("# ms: mlock %.1f, map %.1f, of huge pages %.1f\n", lock, each,
               whole);
        printf("bench owner.map_vs_mlock %.4f\n", each / lock);
        if (huge_id) {
            printf("bench owner.map_huge_vs_mlock %.4f\n", whole / lock);
        }
        fflush(stdout);
    }
    close(fd);
}

int main(int argc, char **argv)
{
    int runs = argc == 2 ? atoi(argv[1]) : 0;

    if (runs < 1) {
        fprintf(stderr, "usage: bench RUNS\n");
        return 2;
    }
    bench_sections(runs);
    bench_maps(runs);
    return 0;
}
