/*
 * Dispatches: grids, parameters, shared memory, control flow, local memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders.h"

/* Correctly rounded additions: exact. */
static void vadd(T *t)
{
    enum { N = 32768 };
    Buf a = buf_new(t, N * 4), b = buf_new(t, N * 4), c = buf_new(t, N * 4);
    Bind binds[] = { SSBO(a), SSBO(b), SSBO(c) };
    double *want = malloc(N * sizeof(*want));
    uint32_t n = N, state = 3;

    for (uint32_t i = 0; i < N; i++) {
        float x = (int32_t)rnd(&state) * 1e-3f;
        float y = (int32_t)rnd(&state) * 1e-5f;

        ((float *)a.map)[i] = x;
        ((float *)b.map)[i] = y;
        want[i] = (float)(x + y);
    }
    dispatch(t, sh_vadd, binds, 3, &n, 4, NULL, N / 64, 1, 1);
    check_f32(t, "sums", c.map, want, N, EXACT);
    free(want);
}

static void one_grid(T *t, const uint32_t local[3], const uint32_t groups[3])
{
    static const VkSpecializationMapEntry entries[] = {
        { 0, 0, 4 }, { 1, 4, 4 }, { 2, 8, 4 },
    };
    VkSpecializationInfo spec = { 3, entries, 12, local };
    uint32_t size[3], total = 1, i = 0, *want;
    char what[64];
    Buf out;

    for (int d = 0; d < 3; d++) {
        size[d] = local[d] * groups[d];
        total *= size[d];
    }
    out = buf_new(t, total * 16 + 64);
    want = calloc(total * 4 + 16, 4);
    for (uint32_t z = 0; z < size[2]; z++) {
        for (uint32_t y = 0; y < size[1]; y++) {
            for (uint32_t x = 0; x < size[0]; x++, i++) {
                uint32_t w[3] = { x / local[0], y / local[1], z / local[2] };
                uint32_t l[3] = { x % local[0], y % local[1], z % local[2] };

                want[i * 4] = x | y << 10 | z << 20;
                want[i * 4 + 1] = w[0] | w[1] << 10 | w[2] << 20;
                want[i * 4 + 2] = l[0] | l[1] << 10 | l[2] << 20;
                want[i * 4 + 3] = (l[2] * local[1] + l[1]) * local[0] +
                    l[0] + 1;
            }
        }
    }
    dispatch(t, sh_grid, (Bind[]) { SSBO(out) }, 1, NULL, 0, &spec, groups[0],
             groups[1], groups[2]);
    snprintf(what, sizeof(what), "%ux%ux%u of %ux%ux%u", groups[0],
             groups[1], groups[2], local[0], local[1], local[2]);
    check_u32(t, what, out.map, want, total * 4 + 16);
    free(want);
}

static void grids(T *t)
{
    static const struct { uint32_t local[3], groups[3]; } cases[] = {
        { { 64, 1, 1 }, { 7, 1, 1 } }, { { 1, 1, 1 }, { 13, 1, 1 } },
        { { 33, 1, 1 }, { 5, 1, 1 } }, { { 8, 8, 1 }, { 3, 5, 1 } },
        { { 7, 3, 5 }, { 3, 2, 4 } }, { { 4, 4, 4 }, { 2, 3, 5 } },
        { { 1, 31, 2 }, { 2, 1, 3 } }, { { 1, 1, 64 }, { 1, 2, 3 } },
        { { 256, 1, 1 }, { 2, 1, 1 } }, { { 1024, 1, 1 }, { 1, 1, 1 } },
        { { 2, 1, 1 }, { 1, 1, 100 } },
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        const uint32_t *l = cases[i].local;

        if (l[0] * l[1] * l[2] >
            t->g->props.limits.maxComputeWorkGroupInvocations) {
            continue;
        }
        one_grid(t, l, cases[i].groups);
    }
}

static void no_groups(T *t)
{
    Buf out = buf_new(t, 16);
    uint32_t none[4] = { 0 };

    dispatch(t, sh_count, (Bind[]) { SSBO(out) }, 1, NULL, 0, NULL, 0, 5, 5);
    check_u32(t, "nothing ran", out.map, none, 4);
    dispatch(t, sh_count, (Bind[]) { SSBO(out) }, 1, NULL, 0, NULL, 5, 0, 1);
    check_u32(t, "nothing ran", out.map, none, 4);
}

static void base_group(T *t)
{
    Buf out = buf_new(t, 16);
    Prog p = prog_new(t, sh_count, (Bind[]) { SSBO(out) }, 1, 0, NULL);
    VkCommandBuffer cmd = cmd_begin(t);
    uint32_t want[4] = { 8 * 24, 24, 4 | 3 << 8 | 2 << 16, 0 };

    for (uint32_t z = 2; z < 4; z++) {
        for (uint32_t y = 5; y < 8; y++) {
            for (uint32_t x = 7; x < 11; x++) {
                want[3] += 8 * (x + 100 * y + 10000 * z);
            }
        }
    }
    cmd_bind(cmd, &p, NULL, 0);
    vkCmdDispatchBase(cmd, 7, 5, 2, 4, 3, 2);
    cmd_run(t, cmd);
    check_u32(t, "counts", out.map, want, 4);
}

static void push_constants(T *t)
{
    uint32_t push[32], want[64];
    Buf out = buf_new(t, 256);
    Prog p = prog_new(t, sh_push, (Bind[]) { SSBO(out) }, 1, 128, NULL);
    VkCommandBuffer cmd = cmd_begin(t);

    for (uint32_t i = 0; i < 32; i++) {
        push[i] = i * 0x01010101 + 7;
    }
    cmd_bind(cmd, &p, push, 128);
    /* Later values replace parts of the earlier. */
    push[5] = 0xaaaa;
    push[30] = 0xbbbb;
    push[31] = 0xcccc;
    vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_COMPUTE_BIT, 20, 4,
                       &push[5]);
    vkCmdPushConstants(cmd, p.layout, VK_SHADER_STAGE_COMPUTE_BIT, 120, 8,
                       &push[30]);
    vkCmdDispatch(cmd, 1, 1, 1);
    cmd_run(t, cmd);
    for (uint32_t i = 0; i < 32; i++) {
        want[i] = push[i];
        want[32 + i] = push[31 - i] ^ push[3] ^ push[29];
    }
    check_u32(t, "copied", out.map, want, 64);
}

typedef struct Params {
    uint8_t a;
    int16_t b;
    int32_t c;
    uint64_t d;
    float e;
    int8_t f;
    double g;
    float h[2];
    uint16_t i;
    float j;
    int32_t k[4];
    int64_t l;
    int64_t pad;
} Params;

static void mixed_params(T *t)
{
    static const Params in = {
        200, -12345, 0x7ffffff0, 0x123456789abcdef0, 1.5f, -100, 1e-200,
        { 2.25f, -0.5f }, 54321, 3e38f, { 1, -2, 3, -4 },
        -0x123456789abcdef,
    };
    Params want = in;
    Buf out = buf_new(t, sizeof(want)), ubo = buf_of(t, &in, sizeof(in));
    Bind binds[] = { SSBO(out), UBO(ubo) };

    NEED(t, features.features.shaderInt64);
    NEED(t, features.features.shaderInt16);
    NEED(t, features.features.shaderFloat64);
    NEED(t, f12.shaderInt8);
    NEED(t, f12.storagePushConstant8);
    NEED(t, f12.uniformAndStorageBuffer8BitAccess);
    NEED(t, f11.storagePushConstant16);
    NEED(t, f11.uniformAndStorageBuffer16BitAccess);
    want.c += 1;
    want.e *= 2;
    want.h[0] = in.h[1];
    want.h[1] = in.h[0];
    for (int i = 0; i < 4; i++) {
        want.k[i] = in.k[3 - i];
    }
    dispatch(t, sh_params_push, binds, 1, &in, sizeof(in), NULL, 1, 1, 1);
    check_u8(t, "push constants", out.map, &want, offsetof(Params, pad));
    memset(out.map, 0, sizeof(want));
    dispatch(t, sh_params_ubo, binds, 2, NULL, 0, NULL, 1, 1, 1);
    check_u8(t, "uniform buffer", out.map, &want, offsetof(Params, pad));
}

static void reduce(T *t)
{
    enum { N = 100003, GROUPS = 24 };
    Buf in = buf_new(t, N * 4), part = buf_new(t, GROUPS * 4);
    Buf out = buf_new(t, 4);
    uint32_t n[2] = { N, GROUPS }, state = 5, sum = 0;
    Prog p[2] = {
        prog_new(t, sh_reduce, (Bind[]) { SSBO(in), SSBO(part) }, 2, 4,
                 NULL),
        prog_new(t, sh_reduce, (Bind[]) { SSBO(part), SSBO(out) }, 2, 4,
                 NULL),
    };
    VkCommandBuffer cmd = cmd_begin(t);

    for (uint32_t i = 0; i < N; i++) {
        sum += ((uint32_t *)in.map)[i] = rnd(&state);
    }
    cmd_bind(cmd, &p[0], &n[0], 4);
    vkCmdDispatch(cmd, GROUPS, 1, 1);
    cmd_barrier(cmd);
    cmd_bind(cmd, &p[1], &n[1], 4);
    vkCmdDispatch(cmd, 1, 1, 1);
    cmd_run(t, cmd);
    check_u32(t, "sum", out.map, &sum, 1);
}

/*
 * Random factors: each of K roundings is at most half a unit of the sum of
 * magnitudes so far, fused or not. Integers below 2^24: exact.
 */
static void gemm(T *t)
{
    struct { uint32_t m, n, k; } size = { 83, 61, 97 };
    uint32_t m = size.m, n = size.n, k = size.k, state = 7;
    Buf a = buf_new(t, m * k * 4), b = buf_new(t, k * n * 4);
    Buf c = buf_new(t, m * n * 4);
    Bind binds[] = { SSBO(a), SSBO(b), SSBO(c) };
    double *want = malloc(m * n * sizeof(*want)), worst = 0;
    float *pa = a.map, *pb = b.map;

    for (int whole = 0; whole < 2; whole++) {
        for (uint32_t i = 0; i < m * k; i++) {
            pa[i] = (int32_t)rnd(&state) % 97 * (whole ? 1 : 0.013f);
        }
        for (uint32_t i = 0; i < k * n; i++) {
            pb[i] = (int32_t)rnd(&state) % 89 * (whole ? 1 : 0.017f);
        }
        for (uint32_t y = 0; y < m; y++) {
            for (uint32_t x = 0; x < n; x++) {
                double sum = 0, magnitude = 0;

                for (uint32_t i = 0; i < k; i++) {
                    double product = (double)pa[y * k + i] * pb[i * n + x];

                    sum += product;
                    magnitude += fabs(product);
                }
                want[y * n + x] = sum;
                worst = fmax(worst, magnitude);
            }
        }
        dispatch(t, sh_gemm, binds, 3, &size, sizeof(size), NULL,
                 (n + 15) / 16, (m + 15) / 16, 1);
        check_f32(t, whole ? "integers" : "products", c.map, want, m * n,
                  whole ? EXACT : (Tol) { 0, worst * k * 0x1p-24 });
    }
    free(want);
}

static void specialisation(T *t)
{
    struct { uint32_t local, u; int32_t s; float f; uint32_t b, length; } data
        = { 48, 1000, -77, 1.25f, 1, 11 };
    static const VkSpecializationMapEntry entries[] = {
        { 0, 0, 4 }, { 1, 4, 4 }, { 2, 8, 4 }, { 3, 12, 4 }, { 4, 16, 4 },
        { 5, 20, 4 },
    };
    VkSpecializationInfo spec = { 6, entries, sizeof(data), &data };
    uint32_t want[48 * 8];
    Buf out = buf_new(t, sizeof(want));

    for (uint32_t i = 0; i < 48; i++) {
        uint32_t w[8] = { 1000 + i, (uint32_t)-154, 0x3fa00000, 1,
                          (i % 11 + 1) * 1000, 48, 99, 11 };

        memcpy(want + i * 8, w, sizeof(w));
    }
    dispatch(t, sh_spec, (Bind[]) { SSBO(out) }, 1, NULL, 0, &spec, 1, 1, 1);
    check_u32(t, "set", out.map, want, 48 * 8);
    spec.mapEntryCount = 1;
    dispatch(t, sh_spec, (Bind[]) { SSBO(out) }, 1, NULL, 0, &spec, 1, 1, 1);
    for (uint32_t i = 0; i < 48; i++) {
        uint32_t w[8] = { 7 + i, (uint32_t)-6, 0x3f000000, 2,
                          (i % 4 + 1) * 7, 48, 99, 4 };

        memcpy(want + i * 8, w, sizeof(w));
    }
    check_u32(t, "defaults", out.map, want, 48 * 8);
}

static uint32_t collatz(uint32_t n)
{
    uint32_t steps = 0;

    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        if (++steps > 500) {
            return 999;
        }
    }
    return steps;
}

static uint32_t flow_want(uint32_t i)
{
    uint32_t v = 0;

    for (uint32_t a = 0; a < i % 7; a++) {
        for (uint32_t b = 0; b < 10; b++) {
            if (b == i % 5) {
                continue;
            }
            if (a * b > i % 23) {
                break;
            }
            v += a * 31 + b;
        }
        if (v > 300) {
            break;
        }
    }
    switch (i % 9) {
    case 0:
        v += 1;
        /* fall through */
    case 1:
        return v ^ 0x55;
    case 4:
        return v * 3 + collatz(i + 1);
    case 5:
        return 0xdead;
    case 7:
        do {
            v += 7;
        } while (v % 16 != 0);
        return v;
    default:
        return v + (collatz(i + 1) << 8);
    }
}

static void control_flow(T *t)
{
    enum { N = 4096 };
    uint32_t want[N];
    Buf out = buf_new(t, sizeof(want));

    for (uint32_t i = 0; i < N; i++) {
        want[i] = flow_want(i);
    }
    dispatch(t, sh_flow, (Bind[]) { SSBO(out) }, 1, NULL, 0, NULL, N / 64, 1,
             1);
    check_u32(t, "results", out.map, want, N);
}

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void local_memory(T *t)
{
    enum { N = 160 };
    uint32_t want[N * 64], state = 11;
    Buf in, out = buf_new(t, sizeof(want));

    for (uint32_t i = 0; i < N * 64; i++) {
        want[i] = rnd(&state);
    }
    in = buf_of(t, want, sizeof(want));
    for (uint32_t i = 0; i < N; i++) {
        qsort(want + i * 64, 64, 4, ascending);
    }
    dispatch(t, sh_scratch, (Bind[]) { SSBO(in), SSBO(out) }, 2, NULL, 0,
             NULL, N / 32, 1, 1);
    check_u32(t, "sorted", out.map, want, N * 64);
}

static void scan(T *t)
{
    enum { N = 512 * 5 };
    uint32_t want[N], state = 13, sum = 0;
    Buf b = buf_new(t, sizeof(want));

    if (t->g->props.limits.maxComputeWorkGroupInvocations < 512) {
        skip(t, "work groups are smaller than 512");
    }
    for (uint32_t i = 0; i < N; i++) {
        uint32_t v = rnd(&state);

        ((uint32_t *)b.map)[i] = v;
        sum = i % 512 ? sum + v : v;
        want[i] = sum;
    }
    dispatch(t, sh_scan, (Bind[]) { SSBO(b) }, 1, NULL, 0, NULL, 5, 1, 1);
    check_u32(t, "prefix sums", b.map, want, N);
}

static void addresses(T *t)
{
    enum { N = 100 };
    struct { uint64_t next; uint32_t value, pad; } *node;
    struct { uint64_t first, result; uint32_t steps, pad; } push;
    uint32_t want[32], at = 0;
    Buf nodes, out = buf_new(t, sizeof(want));

    NEED(t, f12.bufferDeviceAddress);
    NEED(t, features.features.shaderInt64);
    nodes = buf_new(t, N * sizeof(*node));
    node = nodes.map;
    for (uint32_t i = 0; i < N; i++) {
        node[i].next = nodes.addr + (i * 37 + 11) % N * sizeof(*node);
        node[i].value = i * 7919;
    }
    push.first = nodes.addr;
    push.result = out.addr;
    push.steps = 20;
    for (uint32_t i = 0; i < 32; i++) {
        want[i] = at = 0;
        for (uint32_t s = 0; s < 20 + i; s++) {
            want[i] = want[i] * 3 + node[at].value;
            at = (at * 37 + 11) % N;
        }
    }
    dispatch(t, sh_address, NULL, 0, &push, 20, NULL, 1, 1, 1);
    check_u32(t, "sums", out.map, want, 32);
}

/* Offsets into buffers at their least alignment, and what lies beside. */
static void buffer_ranges(T *t)
{
    uint32_t step = t->g->props.limits.minStorageBufferOffsetAlignment;
    uint32_t want[1024] = { 0 }, push[2] = { 1, 3 };
    uint32_t offset = step > 256 ? step : 256;
    Buf b = buf_new(t, sizeof(want));
    Bind bind = SSBO(b);

    bind.offset = offset;
    bind.range = 256;
    for (uint32_t i = 0; i < 64; i++) {
        want[offset / 4 + i] = 3;
    }
    dispatch(t, sh_add1, &bind, 1, push, 8, NULL, 1, 1, 1);
    check_u32(t, "range", b.map, want, 1024);
}

static void indirect(T *t)
{
    uint32_t want[4] = { 0 };
    Buf args = buf_new(t, 64), out = buf_new(t, 16);
    Prog sizes = prog_new(t, sh_sizes, (Bind[]) { SSBO(args) }, 1, 0, NULL);
    Prog count = prog_new(t, sh_count, (Bind[]) { SSBO(out) }, 1, 0, NULL);
    VkCommandBuffer cmd = cmd_begin(t);

    cmd_bind(cmd, &sizes, NULL, 0);
    vkCmdDispatch(cmd, 1, 1, 1);
    cmd_barrier(cmd);
    cmd_bind(cmd, &count, NULL, 0);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t size[3] = { i + 1, i == 2 ? 0 : i + 1, 1 + i % 2 };
        uint32_t groups = size[0] * size[1] * size[2];
        uint32_t packed = size[0] | size[1] << 8 | size[2] << 16;

        vkCmdDispatchIndirect(cmd, args.buf, i * 16);
        want[0] += groups * 8;
        want[1] += groups;
        want[2] = groups && packed > want[2] ? packed : want[2];
        for (uint32_t j = 0; j < groups; j++) {
            want[3] += 8 * (j % size[0] + 100 * (j / size[0] % size[1]) +
                            10000 * (j / size[0] / size[1]));
        }
    }
    cmd_run(t, cmd);
    check_u32(t, "counts", out.map, want, 4);
}

/* One command buffer with many dependent dispatches, run three times. */
static void many_dispatches(T *t)
{
    uint32_t want[256] = { 0 };
    Buf b = buf_new(t, sizeof(want));
    Prog p = prog_new(t, sh_add1, (Bind[]) { SSBO(b) }, 1, 8, NULL);
    VkCommandBuffer cmd = cmd_begin(t);
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &cmd,
    };

    for (uint32_t i = 0; i < 100; i++) {
        uint32_t push[2] = { 3 + i % 3, i };

        cmd_bind(cmd, &p, push, 8);
        vkCmdDispatch(cmd, 4, 1, 1);
        cmd_barrier(cmd);
    }
    VK(t, vkEndCommandBuffer(cmd));
    for (int turn = 0; turn < 3; turn++) {
        VkFence fence = fence_new(t);

        VK(t, vkQueueSubmit(t->g->queue, 1, &info, fence));
        fence_wait(t, fence);
        for (uint32_t i = 0; i < 100; i++) {
            for (uint32_t j = 0; j < 256; j++) {
                want[j] = want[j] * (3 + i % 3) + i;
            }
        }
    }
    check_u32(t, "results", b.map, want, 256);
}

/* Shown as well: the demo's. */
static void mandelbrot(T *t)
{
    enum { W = 76, H = 26, MOST = 200 };
    static const char shades[] = " .,:;=+ox*%#";
    uint32_t push[3] = { W, H, MOST }, want[W * H];
    Buf out = buf_new(t, sizeof(want));
    uint32_t *got = out.map;

    for (uint32_t i = 0; i < W * H; i++) {
        int cx = (int)(i % W * 24576 / W) - 17408;
        int cy = (int)(i / W * 18432 / H) - 9216;
        int x = 0, y = 0;

        for (want[i] = 0; want[i] < MOST && x * x + y * y < 4 << 26;
             want[i]++) {
            int next = ((x * x - y * y) >> 13) + cx;

            y = ((x * y) >> 12) + cy;
            x = next;
        }
    }
    dispatch(t, sh_mandelbrot, (Bind[]) { SSBO(out) }, 1, push, 12, NULL,
             (W + 7) / 8, (H + 7) / 8, 1);
    for (uint32_t y = 0; y < H; y++) {
        printf("#   ");
        for (uint32_t x = 0; x < W; x++) {
            uint32_t v = got[y * W + x];

            putchar(v >= MOST ? '@' : shades[v % (sizeof(shades) - 1)]);
        }
        putchar('\n');
    }
    check_u32(t, "iterations", got, want, W * H);
}

const Test compute_tests[] = {
    { "vadd", vadd },
    { "grids", grids },
    { "no-groups", no_groups },
    { "base-group", base_group },
    { "push-constants", push_constants },
    { "mixed-params", mixed_params },
    { "reduce", reduce },
    { "gemm", gemm },
    { "specialisation", specialisation },
    { "control-flow", control_flow },
    { "local-memory", local_memory },
    { "scan", scan },
    { "addresses", addresses },
    { "buffer-ranges", buffer_ranges },
    { "indirect", indirect },
    { "many-dispatches", many_dispatches },
    { "mandelbrot", mandelbrot },
    { 0 }
};
