/*
 * Atomics in memory and shared memory, a lock, subgroup operations.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders.h"

enum { N = 4096, GROUP = 128, GROUPS = N / GROUP };

#define ATOMIC_TEST(bits, S, U) \
    static void atomic##bits(T *t) \
    { \
        U in[N], r[16] = { 0 }, want[16] = { 0 }, all = 0, lcg = 0; \
        U groups[GROUPS * 9]; \
        S s[4] = { 0 }; \
        uint32_t state = bits, once[N]; \
        Buf inb = buf_new(t, sizeof(in)), rb, sb = buf_new(t, sizeof(s)); \
        Buf seen = buf_new(t, sizeof(once)); \
        Buf gb = buf_new(t, sizeof(groups)); \
        Bind binds[5]; \
    \
        r[2] = r[4] = ~(U)0; \
        rb = buf_of(t, r, sizeof(r)); \
        memcpy(binds, ((Bind[]) { SSBO(inb), SSBO(rb), SSBO(sb), \
                                  SSBO(seen), SSBO(gb) }), sizeof(binds)); \
        want[2] = want[4] = ~(U)0; \
        for (int i = 0; i < N; i++) { \
            U x = (uint64_t)rnd(&state) << 32 | rnd(&state); \
            U *g = groups + i / GROUP * 9; \
            bool first = i % GROUP == 0; \
    \
            x = i % 3 ? x : x >> 7; \
            in[i] = x; \
            once[i] = 1; \
            all += x; \
            lcg = lcg * 3 + 1; \
            want[1] += x; \
            want[2] = x < want[2] ? x : want[2]; \
            want[3] = x > want[3] ? x : want[3]; \
            want[4] &= x | 0xff00ff; \
            want[5] |= x & ~(U)0xff; \
            want[6] ^= x; \
            s[0] = (S)x < s[0] ? (S)x : s[0]; \
            s[1] = (S)x > s[1] ? (S)x : s[1]; \
            s[2] = (U)s[2] - x; \
            g[0] = first ? x : g[0] + x; \
            g[1] = first || x > g[1] ? x : g[1]; \
            g[2] = first || x < g[2] ? x : g[2]; \
            g[3] = first ? x : g[3] | x; \
            g[4] = first ? x : g[4] ^ x; \
            g[5] = GROUP; \
            g[6] = first ? x : g[6] & x; \
            g[7] = first ? 0 : g[7]; \
            g[8] = first ? 0 : g[8]; \
            g[7] = (S)x < (S)g[7] ? x : g[7]; \
            g[8] = (S)x > (S)g[8] ? x : g[8]; \
        } \
        memcpy(inb.map, in, sizeof(in)); \
        dispatch(t, sh_atomics##bits, binds, 5, NULL, 0, NULL, GROUPS, 1, \
                 1); \
        memcpy(r, rb.map, sizeof(r)); \
        check_that(t, (U)(r[7] + r[8]) == all, \
                   "exchanges lose or repeat a value"); \
        r[7] = r[8] = 0; \
        want[0] = N; \
        want[9] = lcg; \
        check_u##bits(t, "memory", r, want, 10); \
        check_u##bits(t, "signed", sb.map, s, 3); \
        check_u32(t, "tickets", seen.map, once, N); \
        check_u##bits(t, "shared", gb.map, groups, GROUPS * 9); \
    }

ATOMIC_TEST(32, int32_t, uint32_t)
ATOMIC_TEST(64, int64_t, uint64_t)

static void atomics64(T *t)
{
    NEED(t, features.features.shaderInt64);
    NEED(t, f12.shaderBufferInt64Atomics);
    NEED(t, f12.shaderSharedInt64Atomics);
    atomic64(t);
}

static void atomic_float(T *t)
{
    float in[N];
    double want[2] = { 0, 42 };
    uint32_t state = 51;
    Buf inb, out = buf_new(t, 8);

    NEED(t, atomic_float.shaderBufferFloat32AtomicAdd);
    for (int i = 0; i < N; i++) {
        in[i] = (int32_t)(rnd(&state) % 2001) - 1000;
        want[0] += in[i];
    }
    inb = buf_of(t, in, sizeof(in));
    dispatch(t, sh_atomicf, (Bind[]) { SSBO(inb), SSBO(out) }, 2, NULL, 0,
             NULL, GROUPS, 1, 1);
    check_f32(t, "sum", out.map, want, 2, EXACT);
}

/* Groups wait for each other: none may be kept from running. */
static void ticket_lock(T *t)
{
    enum { LOCK_GROUPS = 16 };
    uint32_t want[4] = { LOCK_GROUPS, LOCK_GROUPS, 0, 0 };
    Buf b = buf_new(t, 16);

    NEED(t, f12.vulkanMemoryModel);
    NEED(t, f12.vulkanMemoryModelDeviceScope);
    for (int i = 0; i < LOCK_GROUPS; i++) {
        want[2] = want[2] * 5 + 1;
        want[3] += i;
    }
    dispatch(t, sh_lock, (Bind[]) { SSBO(b) }, 1, NULL, 0, NULL, LOCK_GROUPS,
             1, 1);
    check_u32(t, "lock", b.map, want, 4);
}

/* ---- Subgroups ---- */

static uint32_t low_bits(uint32_t n)
{
    return n < 32 ? (1u << n) - 1 : ~0u;
}

static void subgroup_want(uint32_t *o, const uint32_t *x, uint32_t l,
                          uint32_t size, uint32_t first_of_all)
{
    uint32_t odd = 0, odd_sum = 0, quad = l & ~3u;
    bool all = true, any = false, equal = true;

    memset(o, 0, 32 * 4);
    o[3] = ~0u;
    o[4] = 0x80000000;
    o[5] = ~0u;
    o[11] = 1;
    for (uint32_t i = 0; i < size; i++) {
        odd |= (x[i] & 1) << i;
        odd_sum += x[i] & 1 ? x[i] : 0;
        all &= x[i] != 0;
        any |= x[i] == 0;
        equal &= x[i] == x[0];
        o[2] += x[i];
        o[3] = x[i] < o[3] ? x[i] : o[3];
        o[4] = (int32_t)x[i] > (int32_t)o[4] ? x[i] : o[4];
        o[5] &= x[i] | 0xf0f0;
        o[6] |= x[i] & 0xf0f0f0f0;
        o[7] ^= x[i];
        o[11] *= x[i] | 1;
        if (i <= l) {
            o[8] += x[i];
            o[9] = o[8] - x[i];
            o[10] = x[i] > o[10] ? x[i] : o[10];
        }
        if (i / 4 == l / 4) {
            o[23] += x[i];
        }
    }
    o[0] = l;
    o[1] = first_of_all;
    o[12] = odd;
    o[13] = __builtin_popcount(odd);
    o[14] = __builtin_popcount(odd & low_bits(l));
    o[15] = odd ? __builtin_ctz(odd) : -1;
    o[16] = all | any << 1 | equal << 2 | 8;
    o[17] = x[3];
    o[18] = x[0];
    o[19] = x[(l * 5 + 1) % size];
    o[20] = x[l ^ 3];
    o[21] = l > 0 ? x[l - 1] : 0;
    o[22] = l + 2 < size ? x[l + 2] : 0;
    o[24] = x[quad | 2];
    o[25] = x[l ^ 1];
    o[26] = x[l ^ 2];
    o[27] = x[l ^ 3];
    o[28] = l == 0;
    o[29] = x[l] & 1 ? odd_sum : 0;
    o[30] = low_bits(l);
    o[31] = low_bits(size) & ~low_bits(l);
}

static void subgroups(T *t)
{
    enum { COUNT = 512 };
    const VkSubgroupFeatureFlags need = VK_SUBGROUP_FEATURE_BASIC_BIT |
        VK_SUBGROUP_FEATURE_VOTE_BIT | VK_SUBGROUP_FEATURE_ARITHMETIC_BIT |
        VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT |
        VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT |
        VK_SUBGROUP_FEATURE_CLUSTERED_BIT | VK_SUBGROUP_FEATURE_QUAD_BIT;
    uint32_t size = t->g->props11.subgroupSize, state = 53;
    uint32_t in[COUNT], *want = malloc(COUNT * 32 * 4);
    Buf inb, out = buf_new(t, COUNT * 32 * 4);

    if (~t->g->props11.subgroupSupportedOperations & need) {
        skip(t, "subgroup operations %#x are missing",
             need & ~t->g->props11.subgroupSupportedOperations);
    }
    if (size < 4 || size > 32) {
        skip(t, "subgroups of %u are not what the test knows", size);
    }
    for (int i = 0; i < COUNT; i++) {
        in[i] = rnd(&state);
        /* Two subgroups that agree, one with a zero. */
        in[i] = i < 64 ? 77 : i == 100 ? 0 : in[i];
    }
    inb = buf_of(t, in, sizeof(in));
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t l = i % size, in_group = i % GROUP;

        subgroup_want(want + i * 32, in + i - l, l, size,
                      size | GROUP / size << 8 | in_group / size << 16);
    }
    dispatch(t, sh_subgroup, (Bind[]) { SSBO(inb), SSBO(out) }, 2, NULL, 0,
             NULL, COUNT / GROUP, 1, 1);
    check_u32(t, "results", out.map, want, COUNT * 32);
    free(want);
}

const Test atomic_tests[] = {
    { "atomics32", atomic32 },
    { "atomics64", atomics64 },
    { "atomic-float", atomic_float },
    { "ticket-lock", ticket_lock },
    /* Subgroups have the device's size. */
    { "subgroups", subgroups, .unlike = true },
    { 0 }
};
