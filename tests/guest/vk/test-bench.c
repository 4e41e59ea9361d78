/*
 * Jobs for measurements: each prints how long one submission of it takes,
 * from the call to the end, in microseconds, the median of several.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "shaders.h"

enum { TURNS = 7 };

static double now_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1e6 + ts.tv_nsec * 1e-3;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void measure(T *t, const char *name, Shader shader, const Bind *binds,
                    uint32_t n, const void *push, uint32_t push_size,
                    uint32_t x, uint32_t y)
{
    Prog p = prog_new(t, shader, binds, n, push_size, NULL);
    double us[TURNS];

    for (int turn = 0; turn < TURNS; turn++) {
        VkCommandBuffer cmd = cmd_begin(t);
        double start;

        cmd_bind(cmd, &p, push, push_size);
        vkCmdDispatch(cmd, x, y, 1);
        start = now_us();
        cmd_run(t, cmd);
        us[turn] = now_us() - start;
    }
    qsort(us, TURNS, sizeof(*us), ascending);
    printf("bench %s %.1f\n", name, us[TURNS / 2]);
}

static void bench_vadd(T *t)
{
    uint32_t n = 1 << 18;
    Buf a = buf_new(t, n * 4), b = buf_new(t, n * 4), c = buf_new(t, n * 4);

    measure(t, "vadd", sh_vadd, (Bind[]) { SSBO(a), SSBO(b), SSBO(c) }, 3, &n,
            4, n / 64, 1);
}

static void bench_reduce(T *t)
{
    uint32_t n = 1 << 18;
    Buf in = buf_new(t, n * 4), out = buf_new(t, 256);

    measure(t, "reduce", sh_reduce, (Bind[]) { SSBO(in), SSBO(out) }, 2, &n,
            4, 64, 1);
}

static void bench_gemm(T *t)
{
    uint32_t size[3] = { 128, 128, 128 }, n = size[0] * size[1];
    Buf a = buf_new(t, n * 4), b = buf_new(t, n * 4), c = buf_new(t, n * 4);

    measure(t, "gemm", sh_gemm, (Bind[]) { SSBO(a), SSBO(b), SSBO(c) }, 3,
            size, 12, size[0] / 16, size[1] / 16);
}

const Test bench_tests[] = {
    { "bench-vadd", bench_vadd, .part = true },
    { "bench-reduce", bench_reduce, .part = true },
    { "bench-gemm", bench_gemm, .part = true },
    { 0 }
};
