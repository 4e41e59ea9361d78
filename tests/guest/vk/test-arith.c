/*
 * Arithmetic of every type, against the CPU's. Bounds for floats are those
 * of the Vulkan specification, "Precision and Operation of SPIR-V
 * Instructions".
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders.h"

enum { N = 1024 };

/* ---- Integers: exact ---- */

/* Small, large and random values, in every combination. */
static uint64_t operand(uint32_t i, uint32_t *state)
{
    static const uint64_t edges[] = {
        0, 1, 2, 7, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x10000,
        0x7fffffff, 0x80000000, 0xffffffff, 0x100000000,
        0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff,
    };
    uint64_t high = rnd(state);

    if (i < ARRAY_SIZE(edges)) {
        return edges[i];
    }
    return (high << 32 | rnd(state)) >> rnd(state) % 64;
}

#define INT_TEST(bits, S, U) \
    static void int##bits##_want(U *o, U x, U y) \
    { \
        S sx = (S)x, sy = (S)y; \
        U amount = y & (bits - 1); \
        bool bad = sy == 0 || sy == -1; \
    \
        o[0] = x + y; \
        o[1] = x - y; \
        o[2] = (uint64_t)x * y; \
        o[3] = y ? x / y : 1; \
        o[4] = y ? x % y : 2; \
        o[5] = bad ? 3 : sx / sy; \
        o[6] = bad || sx < 0 || sy < 0 ? 4 : sx % sy; \
        o[7] = x & y; \
        o[8] = x | ~y; \
        o[9] = x ^ y; \
        o[10] = (uint64_t)x << amount; \
        o[11] = x >> amount; \
        o[12] = sx >> amount; \
        o[13] = x < y ? x : y; \
        o[14] = x > y ? x : y; \
        o[15] = sx < sy ? sx : sy; \
        o[16] = sx > sy ? sx : sy; \
        o[17] = -(uint64_t)x; \
        o[18] = sx < 0 ? -(uint64_t)x : x; \
        o[19] = (x < y) | (sx < sy) << 1 | (x == y) << 2 | (sx >= sy) << 3; \
    } \
    \
    static void int##bits##_run(T *t) \
    { \
        Buf a = buf_new(t, N * sizeof(U)), b = buf_new(t, N * sizeof(U)); \
        Buf out = buf_new(t, N * 20 * sizeof(U)); \
        U *want = malloc(N * 20 * sizeof(U)); \
        uint32_t state = bits; \
    \
        for (uint32_t i = 0; i < N; i++) { \
            U x = operand(i % 18, &state), y = operand(i / 18, &state); \
    \
            ((U *)a.map)[i] = x; \
            ((U *)b.map)[i] = y; \
            int##bits##_want(want + i * 20, x, y); \
        } \
        dispatch(t, sh_int##bits, (Bind[]) { SSBO(a), SSBO(b), SSBO(out) }, \
                 3, NULL, 0, NULL, N / 64, 1, 1); \
        check_u##bits(t, "results", out.map, want, N * 20); \
        free(want); \
    }

INT_TEST(8, int8_t, uint8_t)
INT_TEST(16, int16_t, uint16_t)
INT_TEST(32, int32_t, uint32_t)
INT_TEST(64, int64_t, uint64_t)

static void int8(T *t)
{
    NEED(t, f12.shaderInt8);
    NEED(t, f12.storageBuffer8BitAccess);
    int8_run(t);
}

static void int16(T *t)
{
    NEED(t, features.features.shaderInt16);
    NEED(t, f11.storageBuffer16BitAccess);
    int16_run(t);
}

static void int64(T *t)
{
    NEED(t, features.features.shaderInt64);
    int64_run(t);
}

static int find_msb(uint32_t v)
{
    return v ? 31 - __builtin_clz(v) : -1;
}

static void bits_want(uint32_t *o, uint32_t x, uint32_t y)
{
    uint32_t offset = y & 31, bits = (int)(y >> 8) % (33 - (int)offset);
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    uint32_t field = x >> offset & mask, reversed = 0;
    uint64_t product = (uint64_t)x * y;

    for (int i = 0; i < 32; i++) {
        reversed |= (x >> i & 1) << (31 - i);
    }
    o[0] = field;
    o[1] = bits ? (uint32_t)((int32_t)(field << (32 - bits)) >> (32 - bits))
                : 0;
    o[2] = (x & ~(mask << offset)) | (y & mask) << offset;
    o[3] = reversed;
    o[4] = __builtin_popcount(x);
    o[5] = x ? __builtin_ctz(x) : -1;
    o[6] = find_msb(x);
    o[7] = find_msb((int32_t)x < 0 ? ~x : x);
    o[8] = product >> 32;
    o[9] = product;
    o[10] = (uint64_t)((int64_t)(int32_t)x * (int32_t)y) >> 32;
    o[11] = x + y;
    o[12] = x + y < x;
    o[13] = x - y;
    o[14] = x < y;
    o[15] = x * y + (x >> 3) * 5 - y;
}

static void bits(T *t)
{
    uint32_t *want = malloc(N * 64), state = 21;
    Buf a = buf_new(t, N * 4), b = buf_new(t, N * 4);
    Buf out = buf_new(t, N * 64);

    for (uint32_t i = 0; i < N; i++) {
        uint32_t x = operand(i % 18, &state), y = operand(i / 18, &state);

        ((uint32_t *)a.map)[i] = x;
        ((uint32_t *)b.map)[i] = y;
        bits_want(want + i * 16, x, y);
    }
    dispatch(t, sh_bits, (Bind[]) { SSBO(a), SSBO(b), SSBO(out) }, 3, NULL, 0,
             NULL, N / 64, 1, 1);
    check_u32(t, "results", out.map, want, N * 16);
    free(want);
}

/* ---- Floats ---- */

/* Normal numbers of moderate size: what denormals become is the device's. */
static double number(uint32_t *state, int range, int digits)
{
    double m = 1 + (rnd(state) >> (32 - digits)) * ldexp(1, -digits);

    m = ldexp(m, (int)(rnd(state) % (2 * range + 1)) - range);
    return rnd(state) & 1 ? -m : m;
}

/*
 * Results 0 to 11 of floats.comp are correctly rounded. fma may round
 * between (12). Division: 2.5 ulp. sqrt: as 1.0 / inversesqrt(), 2 and 2.5.
 */
static const Tol div_tol = { 2.5, 0 }, sqrt_tol = { 4.5, 0 },
    rsqrt_tol = { 2, 0 };

/* Takes every 16th result, from the first on. */
static void pick(void *to, const void *from, int first, size_t size)
{
    for (int i = 0; i < N; i++) {
        memcpy((char *)to + i * size,
               (const char *)from + (i * 16 + first) * size, size);
    }
}

static const char *const op_names[] = {
    "add", "sub", "mul", "min", "max", "abs", "neg", "floor", "ceil",
    "trunc", "roundEven", "select", "fma", "div", "sqrt", "inversesqrt",
};

static long double exact_op(int op, long double x, long double y)
{
    switch (op) {
    case 0:
        return x + y;
    case 1:
        return x - y;
    case 2:
        return x * y;
    case 3:
    case 11:
        return x < y ? x : y;
    case 4:
        return x > y ? x : y;
    case 5:
        return fabsl(x);
    case 6:
        return -y;
    case 7:
        return floorl(x);
    case 8:
        return ceill(x);
    case 9:
        return truncl(x);
    case 10:
        return nearbyintl(x);
    case 12:
        return x * y + 1.5L;
    case 13:
        return x / y;
    case 14:
        return sqrtl(fabsl(x));
    default:
        return 1 / sqrtl(fabsl(y));
    }
}

/*
 * Of op 12: one rounding, or two. The product's may move the sum by half a
 * unit of the product, which cancellation makes large in units of the sum.
 */
static double fma_slack(double x, double y, int digits)
{
    int e;

    frexp(x * y, &e);
    return ldexp(1, e - 1 - digits);
}

static Tol op_tol(int op)
{
    return op == 13 ? div_tol : op == 14 ? sqrt_tol : op == 15 ? rsqrt_tol
                                                               : EXACT;
}

static void float32(T *t)
{
    Buf a = buf_new(t, N * 4), b = buf_new(t, N * 4);
    Buf out = buf_new(t, N * 64);
    float *x = a.map, *y = b.map, got[N];
    double want[N], slack = 0;
    uint32_t state = 31;

    for (int i = 0; i < N; i++) {
        x[i] = number(&state, i < N / 2 ? 8 : 40, 23);
        y[i] = number(&state, i < N / 2 ? 8 : 20, 23);
        slack = i < N / 2 ? fmax(slack, fma_slack(x[i], y[i], 23)) : slack;
    }
    dispatch(t, sh_float32, (Bind[]) { SSBO(a), SSBO(b), SSBO(out) }, 3, NULL,
             0, NULL, N / 64, 1, 1);
    for (int op = 0; op < 16; op++) {
        /* A product may lie where its error hides every sum. */
        int n = op == 12 ? N / 2 : N;

        for (int i = 0; i < N; i++) {
            long double v = exact_op(op, x[i], y[i]);

            want[i] = op < 12 ? (float)v : v;
        }
        pick(got, out.map, op, 4);
        check_f32(t, op_names[op], got, want, n,
                  op == 12 ? (Tol) { 1, slack } : op_tol(op));
    }
}

/* Bounds of 32-bit floats hold in units of the larger type. */
static void float64(T *t)
{
    Buf a, b, out;
    double *x, *y, got[N], slack = 0;
    long double want[N];
    uint32_t state = 33;

    NEED(t, features.features.shaderFloat64);
    a = buf_new(t, N * 8);
    b = buf_new(t, N * 8);
    out = buf_new(t, N * 128);
    x = a.map;
    y = b.map;
    for (int i = 0; i < N; i++) {
        x[i] = number(&state, i < N / 2 ? 8 : 200, 32) *
            (1 + rnd(&state) * 0x1p-52);
        y[i] = number(&state, i < N / 2 ? 8 : 100, 32) *
            (1 + rnd(&state) * 0x1p-52);
        slack = i < N / 2 ? fmax(slack, fma_slack(x[i], y[i], 52)) : slack;
    }
    dispatch(t, sh_float64, (Bind[]) { SSBO(a), SSBO(b), SSBO(out) }, 3, NULL,
             0, NULL, N / 64, 1, 1);
    for (int op = 0; op < 16; op++) {
        Tol tol = op == 12 ? (Tol) { 1, slack } : op_tol(op);
        int n = op == 12 ? N / 2 : N;

        /* Lavapipe on some processors leaves 2^24 and more as they are. */
        if (op >= 7 && op <= 10 && gpu_is_cpu(t->g)) {
            tol.abs = 1;
        }
        for (int i = 0; i < N; i++) {
            long double v = exact_op(op, x[i], y[i]);

            /* Not by way of long double, which would round twice. */
            want[i] = op == 0 ? x[i] + y[i] : op == 1 ? x[i] - y[i]
                : op == 2 ? x[i] * y[i] : op < 12 ? (double)v : v;
        }
        pick(got, out.map, op, 8);
        check_f64(t, op_names[op], got, want, n, tol);
    }
}

static void float16(T *t)
{
    Buf a, b, out;
    uint16_t *x, *y, got[N];
    double want[N], slack = 0;
    uint32_t state = 35;

    NEED(t, f12.shaderFloat16);
    NEED(t, f11.storageBuffer16BitAccess);
    a = buf_new(t, N * 2);
    b = buf_new(t, N * 2);
    out = buf_new(t, N * 32);
    x = a.map;
    y = b.map;
    for (int i = 0; i < N; i++) {
        double p = number(&state, 5, 10), q = number(&state, 5, 10);

        x[i] = to_half(p);
        y[i] = to_half(q);
        slack = fmax(slack, fma_slack(p, q, 10));
    }
    dispatch(t, sh_float16, (Bind[]) { SSBO(a), SSBO(b), SSBO(out) }, 3, NULL,
             0, NULL, N / 64, 1, 1);
    for (int op = 0; op < 16; op++) {
        for (int i = 0; i < N; i++) {
            double v = exact_op(op, from_half(x[i]), from_half(y[i]));

            want[i] = op < 12 ? from_half(to_half(v)) : v;
        }
        pick(got, out.map, op, 2);
        /* Half precision: division 2.5 ulp, the roots through 32 bit. */
        check_f16(t, op_names[op], got, want, N,
                  op == 12 ? (Tol) { 1, slack } : op_tol(op));
    }
}

/*
 * sin, cos: 2^-11. exp2: 3 + 2|x| ulp. log2: 3 ulp away from 1. Quotient: 2.5
 * ulp. atan: 4096 ulp. fract: exact. pow: as exp2(y * log2(x)), which is here
 * the error of y * log2(x) <= 12, 4 ulp of it and 3 + 24 for exp2.
 */
static void special_functions(T *t)
{
    static const char *const names[] = { "sin", "cos", "exp2", "log2", "rcp",
                                         "atan", "fract", "pow" };
    static const Tol tol[] = { { 0, 0x1p-11 }, { 0, 0x1p-11 }, { 11, 0 },
                               { 3, 0 }, { 2.5, 0 }, { 4096, 0 }, { 0, 0 },
                               { 100, 0 } };
    Buf a = buf_new(t, N * 4), out = buf_new(t, N * 32);
    float *x = a.map, got[N], *o = out.map;
    double want[N];
    uint32_t state = 37;

    for (int i = 0; i < N; i++) {
        x[i] = ((int32_t)rnd(&state) | 1) * (float)(3.14159 / 0x80000000u);
    }
    dispatch(t, sh_special, (Bind[]) { SSBO(a), SSBO(out) }, 2, NULL, 0, NULL,
             N / 64, 1, 1);
    for (int op = 0; op < 8; op++) {
        for (int i = 0; i < N; i++) {
            double v = x[i], w = fabsf(x[i]) + 2.5f;
            double wants[] = { sin(v), cos(v), exp2(v), log2(w), 1 / v,
                               atan(v), x[i] - floorf(x[i]), pow(w, 1.75) };

            want[i] = wants[op];
            got[i] = o[i * 8 + op];
        }
        check_f32(t, names[op], got, want, N, tol[op]);
    }
}

static uint32_t float_bits(float f)
{
    uint32_t v;

    memcpy(&v, &f, 4);
    return v;
}

static uint32_t snorm8(float f)
{
    float c = f < -1 ? -1 : f > 1 ? 1 : f;

    return (uint8_t)(int)nearbyintf(c * 127);
}

static void conversions(T *t)
{
    uint32_t *want = malloc(N * 48), state = 39;
    Buf a = buf_new(t, N * 4), out = buf_new(t, N * 48);
    uint32_t *got = out.map;

    for (int i = 0; i < N; i++) {
        uint32_t x = operand(i, &state), *o = want + i * 12;
        float f = (float)(int32_t)x / 65536, u = fabsf(f) / 32768;

        ((uint32_t *)a.map)[i] = x;
        o[0] = float_bits(x);
        o[1] = float_bits((int32_t)x);
        o[2] = (int32_t)f;
        o[3] = fabsf(f);
        o[4] = to_half(f) | (uint32_t)to_half(-f * 0.25) << 16;
        o[5] = float_bits(from_half(x & 0xbfff));
        o[6] = snorm8(f) | snorm8(f * 0.01f) << 8 | 32 << 16 | 0x81u << 24;
        o[7] = (uint32_t)nearbyintf((u > 1 ? 1 : u) * 65535) | 49151u << 16;
        o[8] = float_bits((x >> 8 & 255) / 255.0f);
        o[9] = f < 0;
        o[10] = (int32_t)nearbyintf(f);
        o[11] = 1;
    }
    dispatch(t, sh_convert, (Bind[]) { SSBO(a), SSBO(out) }, 2, NULL, 0, NULL,
             N / 64, 1, 1);
    for (int i = 0; i < N; i++) {
        uint32_t *o = want + i * 12, *g = got + i * 12;
        float f, w;

        /* The packing of ties, and 1 / 255, are the device's. */
        for (int b = 0; b < 16; b += 8) {
            int d = (int8_t)(g[6] >> b) - (int8_t)(o[6] >> b);

            g[6] = d == 1 || d == -1 ? (g[6] & ~(255u << b)) |
                (o[6] & 255u << b) : g[6];
        }
        if (abs((int)(g[7] & 0xffff) - (int)(o[7] & 0xffff)) <= 1) {
            g[7] = (g[7] & 0xffff0000) | (o[7] & 0xffff);
        }
        memcpy(&f, &g[8], 4);
        memcpy(&w, &o[8], 4);
        if (fabsf(f - w) <= w * 0x1p-22f) {
            g[8] = o[8];
        }
        /* Halves may be rounded toward zero ... */
        for (int b = 0; b < 32; b += 16) {
            if ((o[4] >> b & 0xffff) == (g[4] >> b & 0xffff) + 1) {
                g[4] += 1u << b;
            }
        }
        /* ... and denormal ones flushed. */
        if ((o[4] & 0x7c00) == 0 || (o[4] & 0x7c000000) == 0) {
            g[4] = o[4];
        }
        if ((((uint32_t *)a.map)[i] & 0x3c00) == 0) {
            g[5] = o[5];
        }
    }
    check_u32(t, "results", got, want, N * 12);
    free(want);
}

static uint64_t double_bits(double d)
{
    uint64_t v;

    memcpy(&v, &d, 8);
    return v;
}

static void wide_conversions(T *t)
{
    uint64_t *want = malloc(N * 64);
    uint32_t state = 41;
    Buf a, out;

    NEED(t, features.features.shaderInt64);
    NEED(t, features.features.shaderFloat64);
    a = buf_new(t, N * 8);
    out = buf_new(t, N * 64);
    for (int i = 0; i < N; i++) {
        int64_t x = operand(i, &state);
        uint64_t *o = want + i * 8;
        uint32_t bits = ((uint32_t)x & 0x807fffff) | 0x41000000;
        float f;

        ((int64_t *)a.map)[i] = x;
        o[0] = double_bits(x);
        o[1] = double_bits((uint64_t)x);
        o[2] = (int64_t)((double)x / 1024);
        o[3] = float_bits(x);
        memcpy(&f, &bits, 4);
        o[4] = double_bits(f);
        o[5] = (int64_t)(int32_t)x;
        o[6] = (uint32_t)x;
        o[7] = (int64_t)((float)(int32_t)x / 256);
    }
    dispatch(t, sh_wide, (Bind[]) { SSBO(a), SSBO(out) }, 2, NULL, 0, NULL,
             N / 64, 1, 1);
    check_u64(t, "results", out.map, want, N * 8);
    free(want);
}

const Test arith_tests[] = {
    { "int8", int8 },
    { "int16", int16 },
    { "int32", int32_run },
    { "int64", int64 },
    { "bits", bits },
    { "float32", float32 },
    { "float64", float64 },
    { "float16", float16 },
    { "special-functions", special_functions },
    { "conversions", conversions },
    { "wide-conversions", wide_conversions },
    { 0 }
};
