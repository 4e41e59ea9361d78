/*
 * Several processes, processes that end badly, and much allocation.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "shaders.h"

/* Says to the process that waits for it that this one's work has begun. */
#define READY "VK_SUITE_READY"
/* Seconds within which a device must tell that it is lost. */
#define LOST_S 60

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec + ts.tv_nsec * 1e-9;
}

/* Work with a result, to show that this process is unharmed. */
static void still_works(T *t, const char *when)
{
    enum { WORDS = 4096 };
    uint32_t push[2] = { 3, 5 }, want[WORDS];
    Buf b = buf_new(t, sizeof(want));

    for (int i = 0; i < WORDS; i++) {
        ((uint32_t *)b.map)[i] = i;
        want[i] = i * 3 + 5;
    }
    dispatch(t, sh_add1, (Bind[]) { SSBO(b) }, 1, push, 8, NULL, WORDS / 64,
             1, 1);
    check_u32(t, when, b.map, want, WORDS);
}

static void next_works(T *t, const char *when)
{
    int pid = child_start(t, (const char *[]) { "vadd", "reduce", NULL });

    check_that(t, child_wait(t, pid) == 0, "a new process works, %s", when);
}

static void two_processes(T *t)
{
    static const char *const work[] = {
        "--repeat", "3", "vadd", "reduce", "gemm", "copy-buffer",
        "atomics32", "in-flight", NULL
    };
    int one = child_start(t, work), two = child_start(t, work);

    still_works(t, "third process");
    check_that(t, child_wait(t, one) == 0, "the first process is right");
    check_that(t, child_wait(t, two) == 0, "the second process is right");
}

/* ---- Killed ---- */

static void tell_ready(void)
{
    const char *fd = getenv(READY);

    if (fd && write(atoi(fd), "!", 1) != 1) {
        _exit(3);
    }
}

/* Starts a child and waits until its work is under way. */
static int busy_child(T *t, const char *test)
{
    int fds[2], pid;
    char text[16], c;
    ssize_t n;

    if (pipe(fds)) {
        fail(t, "no pipe");
    }
    snprintf(text, sizeof(text), "%d", fds[1]);
    setenv(READY, text, 1);
    pid = child_start(t, (const char *[]) { test, NULL });
    unsetenv(READY);
    close(fds[1]);
    n = read(fds[0], &c, 1);
    close(fds[0]);
    if (n != 1) {
        child_wait(t, pid);
        fail(t, "the process for %s did not begin its work", test);
    }
    return pid;
}

/* Without an end: its process is killed. */
static void busy(T *t)
{
    uint32_t steps = 1000;
    Buf b = buf_new(t, 8192);
    Prog p = prog_new(t, sh_spin, (Bind[]) { SSBO(b) }, 1, 4, NULL);
    VkFence fences[4];

    for (uint32_t i = 0;; i++) {
        VkFence *fence = &fences[i % 4];
        VkCommandBuffer cmd = cmd_begin(t);

        if (i < 4) {
            *fence = fence_new(t);
        } else {
            fence_wait(t, *fence);
            VK(t, vkResetFences(t->g->dev, 1, fence));
        }
        cmd_bind(cmd, &p, &steps, 4);
        vkCmdDispatch(cmd, 16, 1, 1);
        cmd_submit(t, cmd, *fence);
        if (i == 4) {
            tell_ready();
        }
    }
}

static void killed(T *t)
{
    for (int turn = 0; turn < 3; turn++) {
        int pid = busy_child(t, "busy");

        usleep(turn * 30000);
        kill(pid, SIGKILL);
        check_that(t, child_wait(t, pid) == -1, "the process was killed");
        still_works(t, "after a kill");
    }
    next_works(t, "after the kills");
}

/* ---- Lost ---- */

/* Runs what cannot end well; true if the device says that it is lost. */
static void must_be_lost(T *t, VkCommandBuffer cmd)
{
    VkFence fence = fence_new(t);
    double start = now();
    VkResult r;

    cmd_submit(t, cmd, fence);
    tell_ready();
    r = vkWaitForFences(t->g->dev, 1, &fence, VK_TRUE,
                        LOST_S * 1000000000ull);
    /* Some drivers let the fence be signalled, and tell at the next call. */
    if (r == VK_SUCCESS) {
        r = vkQueueSubmit(t->g->queue, 0, NULL, NULL);
        r = r == VK_SUCCESS ? vkDeviceWaitIdle(t->g->dev) : r;
    }
    t->lost = true;
    fprintf(stderr, "# VkResult %d after %.1f s\n", r, now() - start);
    check_that(t, r == VK_ERROR_DEVICE_LOST,
               "VkResult %d, not VK_ERROR_DEVICE_LOST", r);
}

static void wild(T *t)
{
    uint64_t where;
    Buf b = buf_new(t, 4096);
    Prog p = prog_new(t, sh_wild, (Bind[]) { SSBO(b) }, 1, 8, NULL);
    VkCommandBuffer cmd = cmd_begin(t);

    NEED(t, f12.bufferDeviceAddress);
    /* Far above what a driver gives out, within what addresses have. */
    where = b.addr ^ 1ull << 37;
    cmd_bind(cmd, &p, &where, 8);
    vkCmdDispatch(cmd, 1, 1, 1);
    must_be_lost(t, cmd);
}

static void hang(T *t)
{
    uint32_t steps = 0;
    Buf b = buf_new(t, 4096);
    Prog p = prog_new(t, sh_hang, (Bind[]) { SSBO(b) }, 1, 4, NULL);
    VkCommandBuffer cmd = cmd_begin(t);

    cmd_bind(cmd, &p, &steps, 4);
    vkCmdDispatch(cmd, 2, 1, 1);
    must_be_lost(t, cmd);
}

static void out_of_bounds(T *t)
{
    int pid = busy_child(t, "wild");

    still_works(t, "beside it");
    check_that(t, child_wait(t, pid) == 0, "the other's device is lost");
    still_works(t, "after it");
    next_works(t, "after a fault");
}

static void infinite_loop(T *t)
{
    int pid = busy_child(t, "hang");

    for (int i = 0; i < 3; i++) {
        still_works(t, "beside it");
        usleep(200000);
    }
    check_that(t, child_wait(t, pid) == 0, "the other's device is lost");
    still_works(t, "after it");
    next_works(t, "after an infinite loop");
}

/* ---- Allocation ---- */

/* Buffers of random sizes come and go while others are worked on. */
static void churn(T *t)
{
    enum { SLOTS = 16, WORDS = 1024 };
    VkDeviceSize before = gpu_memory_used(t->g), after;
    uint32_t state = 81;

    for (int turn = 0; turn < 12; turn++) {
        /* A run of its own, whose objects end with the turn. */
        T inner = { .g = t->g, .self = t->self };
        uint32_t push[2] = { 5, turn }, want[WORDS];

        if (setjmp(inner.out)) {
            t->lost |= inner.lost;
            run_release(&inner);
            fail(t, "turn %d: %s", turn, inner.why);
        }
        for (int i = 0; i < SLOTS; i++) {
            VkDeviceSize size = 4096 + rnd(&state) % (i % 4 ? 65536 : 4 << 20);
            Buf b = i % 2 ? buf_new(&inner, size) : buf_local(&inner, size);

            if (b.map && i % 4 == 1) {
                for (int j = 0; j < WORDS; j++) {
                    ((uint32_t *)b.map)[j] = j;
                    want[j] = j * 5 + turn;
                }
                dispatch(&inner, sh_add1, (Bind[]) { SSBO(b) }, 1, push, 8,
                         NULL, WORDS / 64, 1, 1);
                check_that(t, !memcmp(b.map, want, sizeof(want)),
                           "turn %d, buffer %d", turn, i);
            }
        }
        run_release(&inner);
    }
    after = gpu_memory_used(t->g);
    check_that(t, after <= before + (1 << 20),
               "%llu bytes of memory in use, %llu before",
               (unsigned long long)after, (unsigned long long)before);
}

const Test process_tests[] = {
    { "churn", churn },
    { "two-processes", two_processes, .unlike = true },
    { "killed", killed, .unlike = true },
    { "out-of-bounds", out_of_bounds, .hostile = true, .unlike = true },
    { "infinite-loop", infinite_loop, .hostile = true, .unlike = true },
    { "busy", busy, .part = true },
    { "wild", wild, .hostile = true, .part = true },
    { "hang", hang, .hostile = true, .part = true },
    { 0 }
};
