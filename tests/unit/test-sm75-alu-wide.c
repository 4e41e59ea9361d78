/*
 * sm_75 half precision, double precision and conversions. Bit patterns are
 * worked out by hand.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sm75-alu-rig.h"
#include "model/sm75-fp16.h"

#define NAN16 0x7fffu
#define NAN32 0x7fffffffu
#define NAN64_HIGH 0xfff80000u
#define ONE 0x3f800000u
#define MINUS 0x80000000u
#define MINUS16 0x8000u
#define FTZ BIT(80)
#define SAT BIT(77)
#define FMZ BIT(76)
#define F32 BIT(78)

/* ---- Half precision; halves are written high, low. ---- */

static void test_hadd2(void)
{
    rig_reset();
    /* 1 + 2, inf - inf; 2048 + 1 is a tie; denormals add */
    SET(A, 0x7c003c00, 0x00016800, 0x7bff8000);
    SET(B, 0xfc004000, 0x00013c00, 0x7bff8000);
    run(0x230, 0);
    EXPECT(DST, NAN16 << 16 | 0x4200, 0x00026800, 0x7c008000);
    run(0x230, FTZ);
    EXPECT(DST, NAN16 << 16 | 0x4200, 0x00006800, 0x7c008000);
    run(0x230, SAT);
    EXPECT(DST, 0x00003c00, 0x00023c00, 0x3c000000);
    /* a.H0_H0 + -|b.H1_H1|: 1 - inf, 2048 - 2^-24 (a tie breaks down) */
    rig_exec(rig_lo(0x230) | NEG_B | ABS_B | UINT64_C(3) << 60, FIELD(74, 2));
    EXPECT(DST, 0xfc00fc00, 0x68006800, 0xfbfffbff);
    /* .F32: the low half's sum as one word: PTX cvt.f32.f16 adds -0 */
    run(0x230, F32);
    EXPECT(DST, 0x40400000, 0x45001000, MINUS);
    /* As compilers have that: -RZ + b.H0_H0, -RZ + b.H1_H1 */
    SET(B, 0x3c014200, 0x00018000, 0xfc0003ff);
    rig_exec(rig_lo(0x230) | (uint64_t)RZ << 24 | UINT64_C(2) << 60,
             F32 | BIT(72));
    EXPECT(DST, 0x40400000, MINUS, 0x387fc000);
    rig_exec(rig_lo(0x230) | (uint64_t)RZ << 24 | UINT64_C(3) << 60,
             F32 | BIT(72));
    EXPECT(DST, 0x3f802000, 0x33800000, 0xff800000);
    /* b.F32 is one number for both halves: 1 + 2^-12 + 1 rounds up */
    SET(A, 0x3c003c00);
    SET(B, 0x3a800001);         /* 2^-10 + 2^-33 */
    rig_exec(rig_lo(0x230) | UINT64_C(1) << 60, 0);
    EXPECT(DST, 0x3c013c01);
    SET(B, 0x3a000000, 0x3a000001);     /* 2^-11: a tie, and above it */
    rig_exec(rig_lo(0x230) | UINT64_C(1) << 60, 0);
    EXPECT(DST, 0x3c003c00, 0x3c013c01);
}

static void test_hmul2_hfma2(void)
{
    rig_reset();
    SET(A, 0x40003c00, 0x00007c00, 0x04003555);
    SET(B, 0x42004400, 0x7c000000, 0x38004200);
    run(0x232, 0);
    EXPECT(DST, 0x46004400, NAN16 << 16 | NAN16, 0x02003c00);
    run(0x232, FMZ);
    EXPECT(DST, 0x46004400, 0, 0x00003c00);
    run(0x232, FTZ);
    EXPECT(DST, 0x46004400, NAN16 << 16 | NAN16, 0x00003c00);
    /* One rounding: (1 + 2^-10)(1 - 2^-10) - 1 = -2^-20 */
    SET(A, 0x3c013c01);
    SET(B, 0x3bfe3bfe);
    SET(C, 0xbc00bc00);
    run(0x231, 0);
    EXPECT(DST, 0x80108010);
    /* C's own signs and halves: bits 84, 83 and 82:81 */
    SET(A, 0x40003c00);
    SET(B, 0x40003c00);
    SET(C, 0xc4004200);
    run(0x231, BIT(84));
    EXPECT(DST, 0x4800c000);
    run(0x231, BIT(83));
    EXPECT(DST, 0x48004400);
    run(0x231, FIELD(81, 3));
    EXPECT(DST, 0x0000c200);
    /* 0.5 * 2^-24 + 1: the product is not a half, the sum rounds to 1 */
    SET(A, 0x38003800);
    SET(B, 0x00010001);
    SET(C, 0x3c003c00);
    run(0x231, 0);
    EXPECT(DST, 0x3c003c00);
}

/*
 * Many halves against double precision, in which sums and products of halves
 * are exact, and a product plus a half is nearer to the truth than any tie.
 */
static void test_half_random(void)
{
    uint32_t seed = 1;

    rig_reset();
    for (unsigned round = 0; round < 2000; round++) {
        for (unsigned n = 0; n < SM75_LANES; n++) {
            for (unsigned r = A; r <= C; r += 2) {
                seed = seed * 1664525 + 1013904223;
                warp.r[r][n] = seed >> 16;
                seed = seed * 1664525 + 1013904223;
                warp.r[r][n] |= seed & 0xffff0000;
                if (round & 1) {
                    /* Exponents near each other: ties and cancellation. */
                    warp.r[r][n] = (warp.r[r][n] & 0x87ff87ff) | 0x38003800;
                }
            }
        }
        for (unsigned op = 0; op < 3; op++) {
            run(0x230 + op, 0);
            for (unsigned n = 0; n < 2 * SM75_LANES; n++) {
                unsigned shift = n & 1 ? 16 : 0;
                volatile double a, b, c, p; /* never fused */

                a = sm75_half_to_double(warp.r[A][n / 2] >> shift);
                b = sm75_half_to_double(warp.r[B][n / 2] >> shift);
                c = sm75_half_to_double(warp.r[C][n / 2] >> shift);
                p = a * b;
                p = op == 0 ? a + b : op == 1 ? p + c : p;
                g_assert_cmphex(warp.r[DST][n / 2] >> shift & 0xffff, ==,
                                sm75_double_to_half(p, 0));
            }
        }
    }
}

static void test_hset2(void)
{
    rig_reset();
    SET(A, 0x3c004000, NAN16 << 16 | 0x3c00, 0x80000001);
    SET(B, 0x40004000, 0x3c003c00, 0x00000000);
    run(0x233, FIELD(76, 1) | PT_SRC | BIT(71));        /* LT, as 1.0 */
    EXPECT(DST, 0x3c000000, 0, 0);
    run(0x233, FIELD(76, 10) | PT_SRC);                 /* EQU, as a mask */
    EXPECT(DST, 0x0000ffff, 0xffffffff, 0xffff0000);
    run(0x233, FIELD(76, 10) | PT_SRC | FTZ);
    EXPECT(DST, 0x0000ffff, 0xffffffff, 0xffffffff);
    /* P0 for the low half, P1 for the high one */
    run(0x234, FIELD(76, 3) | FIELD(84, 1) | PT_SRC);   /* LE */
    EXPECT_PRED(0, 0x3, 3);
    EXPECT_PRED(1, 0x5, 3);
    run(0x234, FIELD(76, 3) | FIELD(84, 1) | PT_SRC | BIT(71));
    EXPECT_PRED(0, 0x1, 3);
    EXPECT_PRED(1, 0x6, 3);
}

/* ---- Double precision; the high words. ---- */

static void set64(unsigned r, uint64_t v)
{
    SET(r, (uint32_t)v);
    SET(r + 1, (uint32_t)(v >> 32));
}

#define EXPECT64(v) \
    do { \
        EXPECT(DST, (uint32_t)(v)); \
        EXPECT(DST + 1, (uint32_t)((uint64_t)(v) >> 32)); \
    } while (0)

#define D_ONE UINT64_C(0x3ff0000000000000)
#define D_TWO UINT64_C(0x4000000000000000)
#define D_INF UINT64_C(0x7ff0000000000000)
#define D_NAN UINT64_C(0xfff8000000000000)
#define D_MINUS (UINT64_C(1) << 63)

static void test_double(void)
{
    rig_reset();
    set64(A, D_ONE);
    set64(B, D_TWO);
    set64(C, UINT64_C(0x3ca0000000000000));     /* 2^-53: half an ulp */
    run(0x229, 0);              /* DADD's second source lies in C's place */
    EXPECT64(D_ONE);
    run(0x229, FIELD(78, 2));
    EXPECT64(D_ONE + 1);
    run(0x229, FIELD(78, 1));
    EXPECT64(D_ONE);
    run(0x229, FIELD(78, 3) | BIT(75));
    EXPECT64(D_ONE - 1);
    run(0x229, BIT(72));        /* -1 + 2^-53 */
    EXPECT64(UINT64_C(0xbfefffffffffffff));
    run(0x228, 0);
    EXPECT64(D_TWO);
    /* (1 + 2^-52)^2 - (1 + 2^-51) = 2^-104 */
    set64(A, D_ONE + 1);
    set64(B, D_ONE + 1);
    set64(C, D_ONE + 2);
    run(0x22b, BIT(75));
    EXPECT64(UINT64_C(0x3970000000000000));
    /* inf - inf */
    set64(A, D_INF);
    set64(C, D_INF);
    run(0x229, BIT(75));
    EXPECT64(D_NAN);
    /*
     * A NaN stays what it was, but quiet, and its sign is not negated; of two
     * it is the second's (GH100 silicon).
     */
    set64(A, UINT64_C(0x7ff0000000000001));
    run(0x229, 0);
    EXPECT64(UINT64_C(0x7ff8000000000001));
    run(0x229, BIT(72));
    EXPECT64(UINT64_C(0x7ff8000000000001));
    set64(C, UINT64_C(0xfff8000000000002));
    run(0x229, 0);
    EXPECT64(UINT64_C(0xfff8000000000002));
    set64(A, D_ONE);
    run(0x229, 0);
    EXPECT64(UINT64_C(0xfff8000000000002));
    set64(B, UINT64_C(0x7ff4000000000003));
    run(0x228, 0);
    EXPECT64(UINT64_C(0x7ffc000000000003));
    run(0x22b, 0);
    EXPECT64(UINT64_C(0x7ffc000000000003));
    /* By the same order: the first's is the last choice. */
    set64(A, UINT64_C(0xfff8000000000004));
    run(0x228, BIT(72));
    EXPECT64(UINT64_C(0x7ffc000000000003));
    run(0x22b, BIT(75));
    EXPECT64(UINT64_C(0x7ffc000000000003));
    set64(B, D_ONE);
    run(0x228, BIT(72));
    EXPECT64(UINT64_C(0xfff8000000000004));
    run(0x22b, BIT(75));
    EXPECT64(UINT64_C(0xfff8000000000002));
    set64(A, D_ONE);
    run(0x228, 0);
    EXPECT64(D_ONE);
    run(0x22b, 0);
    EXPECT64(UINT64_C(0xfff8000000000002));
    set64(B, D_INF);
    set64(A, 0);
    run(0x228, 0);
    EXPECT64(D_NAN);
    /* Denormals are kept. */
    set64(A, 1);
    set64(C, 1);
    run(0x229, 0);
    EXPECT64(2);
    /* RZ is the pair of zeros: DADD R, A, -RZ */
    rig_exec(rig_lo(0x229), RZ | BIT(75));
    EXPECT64(1);
    /* A pair that ends beyond the registers. */
    rig_exec((rig_lo(0x229) & ~UINT64_C(0xff0000)) | 254 << 16, C);
    g_assert_cmphex(warp.r[254][0], ==, 2);
    g_assert_cmphex(warp.r[RZ][0], ==, 0);
}

static void test_dsetp(void)
{
    rig_reset();
    SET(A, 0);
    SET(B, 0);
    SET(A + 1, 0x3ff00000, 0x40000000, 0x40080000, NAN64_HIGH, NAN64_HIGH);
    SET(B + 1, 0x40000000, 0x40000000, 0x40000000, 0, NAN64_HIGH);
    for (unsigned op = 1; op < 15; op++) {
        run(0x22a, FIELD(76, op) | FIELD(84, 1) | PT_SRC);
        EXPECT_PRED(0, (op & 7) | (op & 8 ? 0x18 : 0), 5);
        EXPECT_PRED(1, ~((op & 7) | (op & 8 ? 0x18 : 0)), 5);
    }
    /* MIN, MAX: take a; both are NaN. 2 and 2 as GH100 silicon has it. */
    run(0x22a, FIELD(84, 1) | PT_SRC);
    EXPECT_PRED(0, 0x03, 5);
    EXPECT_PRED(1, 0x10, 5);
    run(0x22a, FIELD(76, 15) | FIELD(84, 1) | PT_SRC);
    EXPECT_PRED(0, 0x04, 5);
    EXPECT_PRED(1, 0x10, 5);
    /* A NaN is never the one; -0 is below 0. */
    SET(A + 1, 0x3ff00000, NAN64_HIGH, 0, MINUS, 0, MINUS, 0xbff00000);
    SET(B + 1, NAN64_HIGH, 0x3ff00000, MINUS, 0, 0, MINUS, 0xc0000000);
    run(0x22a, FIELD(84, 1) | PT_SRC);
    EXPECT_PRED(0, 0x39, 7);
    EXPECT_PRED(1, 0, 7);
    run(0x22a, FIELD(76, 15) | FIELD(84, 1) | PT_SRC);
    EXPECT_PRED(0, 0x45, 7);
    EXPECT_PRED(1, 0, 7);
}

static void test_double_forms(void)
{
    rig_reset();
    SET(A, 0, 1);
    SET(A + 1, 0x3ff00000, 0x40000000);
    SET(C, 0);
    SET(C + 1, 0x3ff80000);
    rig_forms(0x228, FORMS_B, 0, 0, 0x40080000);
    rig_forms(0x22b, FORMS_B, BIT(72), 0, 0x40080000);
    rig_forms(0x22a, FORMS_C, FIELD(76, 1) | FIELD(84, 1) | PT_SRC, 0,
              0x40000000);
    warp.mask = 0x0000ffff;
    rig_forms(0x228, FORMS_B, 0, 0, 0x40080000);
}

/* ---- Conversions ---- */

enum { S8 = 0, S16 = 1, S32 = 2, S64 = 3 };
#define SIZES(dst, src) (FIELD(75, dst) | FIELD(84, src))
#define ROUND(n) FIELD(78, n)

static void test_f2f(void)
{
    rig_reset();
    SET(B, ONE, 0x477ff000, 0x33000000, 0x33000001, NAN32 | MINUS, 0xb3800000,
        0x00000001);
    run(0x304, SIZES(S16, S32));
    /* 65520 is a tie that rounds to infinity; 2^-25 is one that rounds to 0 */
    EXPECT(DST, 0x3c00, 0x7c00, 0, 1, NAN16, 0x8001, 0);
    run(0x304, SIZES(S16, S32) | ROUND(3));
    EXPECT(DST, 0x3c00, 0x7bff, 0, 0, NAN16, 0x8001, 0);
    run(0x304, SIZES(S16, S32) | ROUND(2));
    EXPECT(DST, 0x3c00, 0x7c00, 1, 1, NAN16, 0x8001, 1);
    run(0x304, SIZES(S16, S32) | ROUND(2) | FTZ);
    /* GH100 silicon: halves that are denormals are flushed too. */
    EXPECT(DST, 0x3c00, 0x7c00, 0, 0, NAN16, MINUS16, 0);
    SET(B, 0x387fc000, 0x38800000, 0xb87fe000, 0xb3000000, 0x33800000);
    run(0x304, SIZES(S16, S32) | FTZ);
    EXPECT(DST, 0, 0x0400, MINUS16 | 0x0400, MINUS16, 0);
    run(0x304, SIZES(S16, S32));
    EXPECT(DST, 0x03ff, 0x0400, MINUS16 | 0x0400, MINUS16, 1);
    SET(B, 0xfc003c00, 0x03ff0001);
    run(0x304, SIZES(S32, S16));
    EXPECT(DST, ONE, 0x33800000);
    rig_exec(rig_lo(0x304) | UINT64_C(1) << 60, SIZES(S32, S16));
    EXPECT(DST, 0xff800000, 0x387fc000);
    SET(B, ONE, 0x7f800001, 0x00000001);
    run(0x310, SIZES(S64, S32));
    /* A NaN keeps what it carries (GH100 silicon). */
    EXPECT(DST, 0, 0x20000000, 0);
    EXPECT(DST + 1, 0x3ff00000, 0x7ff80000, 0x36a00000);
    SET(B, 0xffffffff, 0x7fc00000, 0xff800007, 0xff800000);
    run(0x310, SIZES(S64, S32));
    EXPECT(DST, 0xe0000000, 0, 0xe0000000, 0);
    EXPECT(DST + 1, 0xffffffff, 0x7ff80000, 0xfff80000, 0xfff00000);
    SET(DST + 1, PADDING);
    /* 1 + 2^-24 + 2^-52: above the tie; the largest double overflows */
    SET(B, 1, 0xffffffff, 0);
    SET(B + 1, 0x3ff00000, 0x7fefffff, 0x36900000);
    run(0x310, SIZES(S32, S64));
    EXPECT(DST, ONE, 0x7f800000, 0);
    EXPECT(DST + 1, PADDING);
    run(0x310, SIZES(S32, S64) | ROUND(2));
    EXPECT(DST, ONE + 1, 0x7f800000, 1);
    run(0x310, SIZES(S32, S64) | ROUND(3));
    EXPECT(DST, ONE, 0x7f7fffff, 0);
}

static void test_f2i(void)
{
    const uint64_t is_signed = BIT(72), ntz = BIT(77);

    rig_reset();
    SET(B, 0x3fc00000, 0xc0200000, 0x4f000000, 0xcf800000, NAN32, 0x7f800000,
        0xbf000000, 0x4f7fffff);
    /* 1.5, -2.5, 2^31, -2^32, NaN, inf, -0.5, 2^32 - 256 */
    run(0x305, SIZES(S32, S32) | is_signed | ROUND(3));
    EXPECT(DST, 1, -2u, 0x7fffffff, MINUS, MINUS, 0x7fffffff, 0, 0x7fffffff);
    run(0x305, SIZES(S32, S32) | is_signed | ntz);
    EXPECT(DST, 2, -2u, 0x7fffffff, MINUS, 0, 0x7fffffff, 0, 0x7fffffff);
    run(0x305, SIZES(S32, S32) | is_signed | ROUND(1));
    EXPECT(DST, 1, -3u, 0x7fffffff, MINUS, MINUS, 0x7fffffff, -1u,
           0x7fffffff);
    run(0x305, SIZES(S32, S32) | ROUND(2));
    EXPECT(DST, 2, 0, MINUS, 0, MINUS, 0xffffffff, 0, 0xffffff00);
    run(0x305, SIZES(S8, S32) | is_signed | ntz);
    EXPECT(DST, 2, -2u, 127, -128u, 0, 127, 0, 127);
    run(0x305, SIZES(S16, S32));
    EXPECT(DST, 2, 0, 0xffff, 0, 0x8000, 0xffff, 0, 0xffff);
    run(0x311, SIZES(S64, S32) | is_signed | ROUND(3));
    EXPECT(DST, 1, -2u, MINUS, 0, 0, 0xffffffff, 0, 0xffffff00);
    EXPECT(DST + 1, 0, -1u, 0, -1u, MINUS, 0x7fffffff, 0, 0);
    /* Doubles */
    SET(DST + 1, PADDING);
    SET(B, 0, 0);
    SET(B + 1, 0x43e00000, 0xc0080000);         /* 2^63, -3 */
    run(0x311, SIZES(S32, S64) | is_signed | ROUND(3));
    EXPECT(DST, 0x7fffffff, -3u);
    run(0x311, SIZES(S64, S64) | ROUND(3));
    EXPECT(DST, 0, 0);
    EXPECT(DST + 1, MINUS, 0);
}

static void test_i2f(void)
{
    const uint64_t is_signed = BIT(74);

    rig_reset();
    SET(B, 1, 0xffffffff, 0x01000001, MINUS);
    run(0x306, SIZES(S32, S32));
    EXPECT(DST, ONE, 0x4f800000, 0x4b800000, 0x4f000000);
    run(0x306, SIZES(S32, S32) | ROUND(2));
    EXPECT(DST, ONE, 0x4f800000, 0x4b800001, 0x4f000000);
    run(0x306, SIZES(S32, S32) | ROUND(3));
    EXPECT(DST, ONE, 0x4f7fffff, 0x4b800000, 0x4f000000);
    run(0x306, SIZES(S32, S32) | is_signed);
    EXPECT(DST, ONE, 0xbf800000, 0x4b800000, 0xcf000000);
    /* Directions are the number's: -16777217 downwards */
    SET(B, -0x01000001u);
    run(0x306, SIZES(S32, S32) | is_signed | ROUND(1));
    EXPECT(DST, 0xcb800001);
    run(0x306, SIZES(S32, S32) | is_signed | ROUND(2));
    EXPECT(DST, 0xcb800000);
    /* Bytes and halves of the source */
    SET(B, 0x80ff7f02);
    run(0x306, SIZES(S32, S8));
    EXPECT(DST, 0x40000000);
    rig_exec(rig_lo(0x306) | UINT64_C(3) << 60, SIZES(S32, S8) | is_signed);
    EXPECT(DST, 0xc3000000);
    rig_exec(rig_lo(0x306) | UINT64_C(1) << 60, SIZES(S32, S16));
    EXPECT(DST, 0x4700ff00);
    run(0x306, SIZES(S16, S32));
    EXPECT(DST, 0x7c00);
    /* 64 bits: 2^64 - 1 */
    SET(B, 0xffffffff);
    SET(B + 1, 0xffffffff);
    run(0x312, SIZES(S32, S64));
    EXPECT(DST, 0x5f800000);
    run(0x312, SIZES(S64, S64) | ROUND(3));
    EXPECT(DST, 0xffffffff);
    EXPECT(DST + 1, 0x43efffff);
    run(0x312, SIZES(S64, S64) | is_signed);
    EXPECT(DST, 0);
    EXPECT(DST + 1, 0xbff00000);
}

static void test_frnd(void)
{
    rig_reset();
    SET(B, 0x3f000000, 0x3fc00000, 0xbf000000, 0x4b000001, NAN32, 1);
    /* 0.5, 1.5, -0.5, 2^23 + 1, a denormal */
    run(0x307, SIZES(S32, S32));
    EXPECT(DST, 0, 0x40000000, MINUS, 0x4b000001, NAN32, 0);
    run(0x307, SIZES(S32, S32) | ROUND(1));
    EXPECT(DST, 0, ONE, 0xbf800000, 0x4b000001, NAN32, 0);
    run(0x307, SIZES(S32, S32) | ROUND(2));
    EXPECT(DST, ONE, 0x40000000, MINUS, 0x4b000001, NAN32, ONE);
    run(0x307, SIZES(S32, S32) | ROUND(2) | FTZ);
    EXPECT(DST, ONE, 0x40000000, MINUS, 0x4b000001, NAN32, 0);
    run(0x307, SIZES(S32, S32) | ROUND(3));
    EXPECT(DST, 0, ONE, MINUS, 0x4b000001, NAN32, 0);
    SET(B, 0);
    SET(B + 1, 0x3ff80000, 0xc0040000);         /* 1.5, -2.5 */
    run(0x313, SIZES(S64, S64));
    EXPECT(DST, 0);
    EXPECT(DST + 1, 0x40000000, 0xc0000000);
}

static void test_pack(void)
{
    rig_reset();
    SET(A, 0x40000000, 0x7f800000);
    SET(B, ONE, 0xbf800000);
    run(0x23e, 0);
    EXPECT(DST, 0x40003c00, 0x7c00bc00);
    SET(A, 300, -1u);
    SET(B, 5, 70000);
    SET(C, 0x11223344);
    run(0x238, FIELD(76, 0));
    EXPECT(DST, 5, 255);
    run(0x238, FIELD(76, 1));
    EXPECT(DST, 5, 127);
    run(0x238, FIELD(76, 2));
    EXPECT(DST, 5, 65535);
    run(0x239, FIELD(76, 0));
    EXPECT(DST, 0x3344ff05, 0x334400ff);
    run(0x239, FIELD(76, 3));
    EXPECT(DST, 0x012c0005, 0xffff7fff);
}

static void test_forms(void)
{
    static const struct {
        unsigned code, forms;
        uint64_t hi;
    } rows[] = {
        { 0x230, FORMS_C, 0 }, { 0x232, FORMS_B, 0 }, { 0x231, FORMS_B, 0 },
        { 0x233, FORMS_C, FIELD(76, 1) | PT_SRC },
        { 0x234, FORMS_C, FIELD(76, 1) | FIELD(84, 1) | PT_SRC },
        { 0x304, FORMS_B, SIZES(S16, S32) },
        { 0x305, FORMS_B, SIZES(S32, S32) | BIT(72) },
        { 0x306, FORMS_B, SIZES(S32, S32) },
        { 0x307, FORMS_B, SIZES(S32, S32) }, { 0x238, FORMS_B, 0 },
        { 0x239, FORMS_B, 0 },
    };

    for (unsigned n = 0; n < G_N_ELEMENTS(rows); n++) {
        rig_reset();
        SET(A, 0x3c004000, 0x80007c01, 5);
        SET(C, 0x3c004000, 0);
        rig_forms(rows[n].code, rows[n].forms, rows[n].hi, 0x3c014200, 0);
        warp.mask = 0x00ff00f1;
        rig_forms(rows[n].code, rows[n].forms, rows[n].hi, 0x3c014200, 0);
    }
}

static void test_illegal(void)
{
    Sm75Insn i;

    g_assert_false(rig_decode(rig_lo(0x304), SIZES(S32, S32), &i));
    g_assert_false(rig_decode(rig_lo(0x305), SIZES(S64, S32), &i));
    g_assert_false(rig_decode(rig_lo(0x311), SIZES(S32, S32), &i));
    g_assert_false(rig_decode(rig_lo(0x306), SIZES(S8, S32), &i));
    g_assert_false(rig_decode(rig_lo(0x233), FIELD(69, 3), &i));
    g_assert_false(rig_decode(rig_lo(0x228) | 1 << 16, 0, &i));
    g_assert_false(rig_decode(rig_lo(0x231), FMZ | FTZ, &i));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sm75/half/hadd2", test_hadd2);
    g_test_add_func("/sm75/half/hmul2-hfma2", test_hmul2_hfma2);
    g_test_add_func("/sm75/half/random", test_half_random);
    g_test_add_func("/sm75/half/hset2", test_hset2);
    g_test_add_func("/sm75/double/arithmetic", test_double);
    g_test_add_func("/sm75/double/dsetp", test_dsetp);
    g_test_add_func("/sm75/double/forms", test_double_forms);
    g_test_add_func("/sm75/convert/f2f", test_f2f);
    g_test_add_func("/sm75/convert/f2i", test_f2i);
    g_test_add_func("/sm75/convert/i2f", test_i2f);
    g_test_add_func("/sm75/convert/frnd", test_frnd);
    g_test_add_func("/sm75/convert/pack", test_pack);
    g_test_add_func("/sm75/convert/forms", test_forms);
    g_test_add_func("/sm75/convert/illegal", test_illegal);
    return g_test_run();
}
