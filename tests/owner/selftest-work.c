/*
 * The ABI of a vgsp owner, second half: contexts and sections that write
 * memory, faults, two sessions, ill will, and what is left behind.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "owner-rig.h"
#include "selftest.h"

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

void test_context(void)
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
    c.timeslice_us = UINT32_MAX;
    expect(EINVAL, w.s.fd, VGSP_OWNER_CONTEXT_NEW, &c,
           "a time slice that RM refuses");
    c.timeslice_us = 0;
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

void test_ring(void)
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
void test_batch(void)
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

void test_notify(void)
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

void test_wait(void)
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

void test_kill(void)
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

void test_fault(void)
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

void test_isolation(void)
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

void test_revoke(void)
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

void test_rewrite(void)
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

/* Children that work until they are killed: 20, or $VGSP_KILLS. */
void test_kill_process(void)
{
    static const char *const counters[] = {
        "sessions", "contexts", "pinned_pages", "table_pages",
    };
    const char *env = getenv("VGSP_KILLS");
    int count = env ? atoi(env) : 20;
    unsigned int seed = time(NULL);
    long long before[4];
    bool same = true;

    for (int i = 0; i < 4; i++) {
        before[i] = stat_of(counters[i]);
    }
    printf("# seed %u\n", seed);
    fflush(stdout);
    srand(seed);
    for (int i = 0; i < count; i++) {
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
        usleep(rand() % 600000);
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
    }
    for (int i = 0; i < 4; i++) {
        long long now = stat_of(counters[i]);

        same &= now == before[i];
        printf("# %s: %lld, was %lld\n", counters[i], now, before[i]);
    }
    ok(same, "%d processes killed at work leave nothing behind", count);
}

int hold(void)
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
