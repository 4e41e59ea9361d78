/*
 * sm_75 single precision: rounding, denormals, NaNs, saturation, comparisons
 * and MUFU. Bit patterns are worked out by hand.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "sm75-alu-rig.h"

#define ONE 0x3f800000u
#define TWO 0x40000000u
#define HALF 0x3f000000u
#define INF 0x7f800000u
#define MINUS 0x80000000u
#define NAN32 0x7fffffffu       /* the one that the hardware gives */
#define SNAN 0x7f800001u
#define ULP 0x33800000u         /* 2^-24: half an ulp of 1 */
#define SAT BIT(77)
#define RM BIT(78)
#define RP BIT(79)
#define RZ_MODE (BIT(78) | BIT(79))
#define FTZ BIT(80)
#define FMZ BIT(76)
#define MUL FIELD(84, 4)        /* FMUL without a factor */

static void test_fadd(void)
{
    rig_reset();
    SET(A, ONE, INF, SNAN, MINUS, 0x00000001, ONE, 0x7f7fffff);
    SET(B, TWO, INF | MINUS, ONE, MINUS, 0x00000001, ULP, 0x7f7fffff);
    run(0x221, 0);
    EXPECT(DST, 0x40400000, NAN32, NAN32, MINUS, 2, ONE, INF);
    run(0x221, RP);
    EXPECT(DST, 0x40400000, NAN32, NAN32, MINUS, 2, ONE + 1, INF);
    run(0x221, RM);
    EXPECT(DST, 0x40400000, NAN32, NAN32, MINUS, 2, ONE, 0x7f7fffff);
    run(0x221, RZ_MODE);
    EXPECT(DST, 0x40400000, NAN32, NAN32, MINUS, 2, ONE, 0x7f7fffff);
    /* And back to nearest. */
    run(0x221, FTZ);
    EXPECT(DST, 0x40400000, NAN32, NAN32, MINUS, 0, ONE, INF);
    run(0x221, SAT);
    EXPECT(DST, ONE, 0, 0, 0, 2, ONE, ONE);
    /* x - x: +0, but -0 downwards. Denormal results flush to their sign. */
    SET(A, ONE, 0x80800001);
    SET(B, ONE, 0x80800000);
    rig_exec(rig_lo(0x221) | NEG_B, 0);
    EXPECT(DST, 0, 0x80000001);
    rig_exec(rig_lo(0x221) | NEG_B, FTZ);
    EXPECT(DST, 0, MINUS);
    rig_exec(rig_lo(0x221) | NEG_B, RM);
    EXPECT(DST, MINUS, 0x80000001);
    /* |a| + -|b| */
    SET(A, TWO | MINUS);
    SET(B, ONE, ONE | MINUS);
    rig_exec(rig_lo(0x221) | NEG_B | ABS_B, BIT(73));
    EXPECT(DST, ONE);
    rig_exec(rig_lo(0x221) | ABS_B, BIT(72) | BIT(73));
    EXPECT(DST, ONE | MINUS);
    /* A second source that is no register lies in C's place: 4xx. */
    rig_exec((uint64_t)DST << 16 | (uint64_t)A << 24 | (uint64_t)ONE << 32 |
             0x421, 0);
    EXPECT(DST, ONE | MINUS);
}

static void test_fmul(void)
{
    rig_reset();
    SET(A, TWO, 0, 0, 0x00800000, SNAN, MINUS);
    SET(B, 0x40400000, INF, ONE | MINUS, HALF, 0, ONE);
    run(0x220, MUL);
    EXPECT(DST, 0x40c00000, NAN32, MINUS, 0x00400000, NAN32, MINUS);
    run(0x220, MUL | FTZ);
    EXPECT(DST, 0x40c00000, NAN32, MINUS, 0, NAN32, MINUS);
    /* .FMZ: zero times anything is +0. */
    run(0x220, MUL | FMZ);
    EXPECT(DST, 0x40c00000, 0, 0, 0, 0, 0);
    /* .D2 and .M8 */
    run(0x220, FIELD(84, 3));
    EXPECT(DST, 0x40400000, NAN32, MINUS, 0x00200000, NAN32, MINUS);
    run(0x220, FIELD(84, 7));
    EXPECT(DST, 0x42400000, NAN32, MINUS, 0x01800000, NAN32, MINUS);
    /* The product is rounded once, with its factor: 1.5 * 2^-149 halves. */
    SET(A, 0x00000003);
    SET(B, ONE);
    run(0x220, FIELD(84, 3));
    EXPECT(DST, 2);
    run(0x220, FIELD(84, 3) | RM);
    EXPECT(DST, 1);
}

static void test_ffma(void)
{
    rig_reset();
    /* (1 + 2^-23)(1 - 2^-23) - 1 = -2^-46: rounding twice would give 0. */
    SET(A, 0x3f800001, INF, 0, TWO, 0);
    SET(B, 0x3f7ffffe, 0, INF, TWO, ONE);
    SET(C, ONE | MINUS, ONE, ONE, ONE, MINUS);
    run(0x223, 0);
    EXPECT(DST, 0xa8800000, NAN32, NAN32, 0x40a00000, 0);
    run(0x223, FMZ);
    EXPECT(DST, 0xa8800000, ONE, ONE, 0x40a00000, 0);
    run(0x223, SAT);
    EXPECT(DST, 0, 0, 0, ONE, 0);
    /* -a, |b|, -|c| with C's own bits */
    rig_exec(rig_lo(0x223) | ABS_B, C | BIT(72) | BIT(74) | BIT(75));
    EXPECT(DST, 0xc0000000, NAN32, NAN32, 0xc0a00000, MINUS);
    /* Ties and directions: 1 * 2^-24 + 1 */
    SET(A, ONE);
    SET(B, ULP);
    SET(C, ONE, ONE | MINUS);
    run(0x223, 0);
    EXPECT(DST, ONE, 0xbf7fffff);
    run(0x223, RP);
    EXPECT(DST, ONE + 1, 0xbf7fffff);
    run(0x223, RM);
    EXPECT(DST, ONE, 0xbf7fffff);
    run(0x223, RZ_MODE);
    EXPECT(DST, ONE, 0xbf7fffff);
    /* Denormal operands of every place. */
    SET(A, 0x00400000, ONE, ONE);
    SET(B, ONE, 0x80400000, ONE);
    SET(C, 0, 0, 0x00000001);
    run(0x223, 0);
    EXPECT(DST, 0x00400000, 0x80400000, ONE);
    run(0x223, FTZ);
    EXPECT(DST, 0, 0, ONE);
}

static void test_fmnmx(void)
{
    rig_reset();
    SET(A, ONE, NAN32, ONE, SNAN, MINUS, 0, 0x00000001, INF | MINUS);
    SET(B, TWO, ONE, SNAN, NAN32, 0, MINUS, 0, 0xff7fffff);
    run(0x209, PT_SRC);
    EXPECT(DST, ONE, ONE, ONE, NAN32, MINUS, MINUS, 0, INF | MINUS);
    run(0x209, PT_SRC | NOT_PSRC);
    EXPECT(DST, TWO, ONE, ONE, NAN32, 0, 0, 1, 0xff7fffff);
    run(0x209, PT_SRC | NOT_PSRC | FTZ);
    EXPECT(DST, TWO, ONE, ONE, NAN32, 0, 0, 0, 0xff7fffff);
    /* FSEL keeps bits, a NaN's too; .FTZ flushes. */
    warp.p[1] = 0x55555555;
    run(0x208, PSRC(1));
    EXPECT(DST, ONE, ONE, ONE, NAN32, MINUS, MINUS, 1, 0xff7fffff);
    run(0x208, PSRC(1) | FTZ);
    EXPECT(DST, ONE, ONE, ONE, NAN32, MINUS, MINUS, 0, 0xff7fffff);
    rig_exec(rig_lo(0x208) | NEG_B | ABS_B, PSRC(1) | BIT(72));
    EXPECT(DST, ONE | MINUS, ONE | MINUS, ONE | MINUS, 0xffffffff, 0, MINUS,
           0x80000001, 0xff7fffff);
}

static void test_fsetp(void)
{
    /* Lanes: less, equal, greater, unordered, -0 and +0. */
    static const uint8_t want[16] = {
        0x00, 0x01, 0x12, 0x13, 0x04, 0x05, 0x16, 0x17,
        0x08, 0x09, 0x1a, 0x1b, 0x0c, 0x0d, 0x1e, 0x1f,
    };

    rig_reset();
    SET(A, ONE, TWO, INF, NAN32, MINUS);
    SET(B, TWO, TWO, TWO, ONE, 0);
    for (unsigned op = 0; op < 16; op++) {
        run(0x20b, FIELD(76, op) | FIELD(84, 1) | PT_SRC);
        EXPECT_PRED(0, want[op], 5);
        EXPECT_PRED(1, ~want[op], 5);
        run(0x20a, FIELD(76, op) | PT_SRC);
        EXPECT(DST, want[op] & 1 ? ONE : 0, want[op] & 2 ? ONE : 0,
               want[op] & 4 ? ONE : 0, want[op] & 8 ? ONE : 0,
               want[op] & 16 ? ONE : 0);
    }
    /* Denormals are equal to zero with .FTZ only. */
    SET(A, 1);
    SET(B, 0);
    run(0x20b, FIELD(76, 2) | FIELD(84, 7) | PT_SRC);
    EXPECT_PRED(0, 0, 1);
    run(0x20b, FIELD(76, 2) | FIELD(84, 7) | PT_SRC | FTZ);
    EXPECT_PRED(0, 1, 1);
    /* Combined with P2 */
    warp.p[2] = 0x55555555;
    SET(A, ONE, ONE, TWO, TWO);
    SET(B, TWO);
    run(0x20b, FIELD(76, 1) | FIELD(74, 1) | FIELD(84, 1) | PSRC(2));
    EXPECT_PRED(0, 0x7, 4);
    EXPECT_PRED(1, 0xd, 4);
    run(0x20b, FIELD(76, 1) | FIELD(74, 2) | FIELD(84, 1) | PSRC(2));
    EXPECT_PRED(0, 0x6, 4);
}

static void test_fswzadd(void)
{
    rig_reset();
    SET(A, 0x40a00000);         /* 5 */
    SET(B, 0);
    SET(C, TWO);
    /* Lane 0 PP, 1 PN, 2 NP, 3 ZP */
    rig_exec((rig_lo(0x822) & 0xffffffff) | UINT64_C(0x1b) << 32, C);
    EXPECT(DST, 0x40e00000, 0x40400000, 0xc0400000, TWO);
}

static void mufu(unsigned function)
{
    run(0x308, FIELD(74, function));
}

static void test_mufu(void)
{
    enum { COS, SIN, EX2, LG2, RCP, RSQ, RCP64H, RSQ64H, SQRT, TANH };
    rig_reset();
    /* Revolutions: 0, 1/4, 1/2, 3/4, 5, 1/12 */
    SET(B, 0, 0x3e800000, HALF, 0x3f400000, 0x40a00000, INF, NAN32);
    mufu(COS);
    /* GH100 silicon: -0 where the function falls through 0 */
    EXPECT(DST, ONE, MINUS, ONE | MINUS, 0, ONE, NAN32, NAN32);
    mufu(SIN);
    EXPECT(DST, 0, ONE, MINUS, ONE | MINUS, 0, NAN32, NAN32);
    /* The same: what is below 2^-25 is 0, and the way back a unit short. */
    SET(B, 0x32ffffff, 0x00800000, 0x3effffff, 0x3e7fffff, 0xb0000000);
    mufu(SIN);
    EXPECT(DST, 0, 0, 0, ONE, MINUS);
    SET(B, 0x3e7fffff, 0xbe7fffff, 0x00800000);
    mufu(COS);
    EXPECT(DST, 0, 0, ONE);
    SET(B, MINUS, 0xbe800000, HALF | MINUS, 0xbf400000);
    mufu(COS);
    EXPECT(DST, ONE, MINUS, ONE | MINUS, 0);
    mufu(SIN);
    EXPECT(DST, MINUS, ONE | MINUS, 0, ONE);
    SET(B, 0, ONE, 0xc1200000, 0x43000000, 0xc2fc0000, 0xc2fe0000, INF,
        INF | MINUS);
    mufu(EX2);          /* 0, 1, -10, 128, -126, -127 */
    EXPECT(DST, ONE, TWO, 0x3a800000, INF, 0x00800000, 0, INF, 0);
    SET(B, ONE, TWO, 0x3a800000, 0, MINUS, ONE | MINUS, INF, 0x00000001);
    mufu(LG2);
    EXPECT(DST, 0, ONE, 0xc1200000, INF | MINUS, INF | MINUS, NAN32, INF,
           INF | MINUS);
    SET(B, TWO, 0x40400000, 0, MINUS, INF, 0x7f000001, 0x00000001, NAN32);
    mufu(RCP);
    EXPECT(DST, HALF, 0x3eaaaaab, INF, INF | MINUS, 0, 0, INF, NAN32);
    SET(B, 0x40800000, TWO, 0, MINUS, INF, ONE | MINUS);
    mufu(RSQ);
    EXPECT(DST, HALF, 0x3f3504f3, INF, INF | MINUS, 0, NAN32);
    mufu(SQRT);
    EXPECT(DST, TWO, 0x3fb504f3, 0, MINUS, INF, NAN32);
    SET(B, 0, ONE, INF, INF | MINUS, 0xbf800000);
    mufu(TANH);
    EXPECT(DST, 0, 0x3f42f7d6, ONE, ONE | MINUS, 0xbf42f7d6);
    SET(B, 1, 0x007fffff, 0x80555555);  /* GH100 silicon: kept */
    mufu(TANH);
    EXPECT(DST, 1, 0x007fffff, 0x80555555);
    /* High words of doubles: 2, 4, 0 */
    SET(B, 0x40000000, 0x40100000, 0, 0x7ff00000);
    mufu(RCP64H);
    EXPECT(DST, 0x3fe00000, 0x3fd00000, 0x7ff00000, 0);
    mufu(RSQ64H);
    EXPECT(DST, 0x3fe6a09e, 0x3fe00000, 0x7ff00000, 0);
    /* -|b| */
    SET(B, TWO);
    rig_exec(rig_lo(0x308) | NEG_B | ABS_B, FIELD(74, RCP));
    EXPECT(DST, HALF | MINUS);
    /* .F16 of either half: 2^1, 2^2 */
    SET(B, 0x40003c00);
    rig_exec(rig_lo(0x308), FIELD(74, EX2) | BIT(73));
    EXPECT(DST, 0x4000);
    rig_exec(rig_lo(0x308) | UINT64_C(1) << 60, FIELD(74, EX2) | BIT(73));
    EXPECT(DST, 0x4400);
}

/* Against the host's libm, whose doubles are good to an ulp or so. */
static void test_mufu_accuracy(void)
{
    static const struct {
        unsigned function;
        double (*host)(double);
        double low, high;
    } cases[] = {
        { 2, exp2, -20, 20 }, { 3, log2, 0.01, 100 }, { 9, tanh, -8, 8 },
        { 9, tanh, -0.01, 0.01 },
    };

    rig_reset();
    for (unsigned n = 0; n < G_N_ELEMENTS(cases); n++) {
        for (unsigned step = 0; step < 64; step++) {
            union { float f; uint32_t u; } x, y;

            for (unsigned lane = 0; lane < SM75_LANES; lane++) {
                x.f = cases[n].low + (cases[n].high - cases[n].low) *
                      (step * SM75_LANES + lane + 0.37) / 2048;
                warp.r[B][lane] = x.u;
            }
            mufu(cases[n].function);
            for (unsigned lane = 0; lane < SM75_LANES; lane++) {
                x.u = warp.r[B][lane];
                y.f = cases[n].host(x.f);
                g_assert_cmpint(ABS((int32_t)(warp.r[DST][lane] - y.u)), <=,
                                1);
            }
        }
    }
}

static void test_fchk(void)
{
    rig_reset();
    /* Only ordinary quotients may go the fast way. */
    SET(A, ONE, ONE, 0, INF, NAN32, ONE, 0x7f000000, 0x01000000);
    SET(B, 0x40400000, 0, ONE, ONE, ONE, 0x00000001, 0x3e000000, ONE);
    run(0x302, 0);
    EXPECT_PRED(0, 0xfe, 8);
}

static void test_forms(void)
{
    static const struct {
        unsigned code, forms;
        uint64_t hi;
    } rows[] = {
        { 0x220, FORMS_B, MUL }, { 0x220, FORMS_B, MUL | FTZ | RP },
        { 0x223, FORMS_B, 0 }, { 0x223, FORMS_B, FTZ },
        { 0x223, FORMS_B, SAT | BIT(72) }, { 0x209, FORMS_B, PT_SRC },
        { 0x208, FORMS_B, PSRC(2) },
        { 0x20b, FORMS_B, FIELD(76, 1) | FIELD(84, 1) | PT_SRC },
        { 0x20a, FORMS_B, FIELD(76, 4) | PT_SRC },
        { 0x308, FORMS_B, FIELD(74, 4) }, { 0x302, FORMS_B, 0 },
        { 0x221, FORMS_C, 0 }, { 0x221, FORMS_C, FTZ | SAT },
    };
    static const uint32_t masks[] = { ~0u, 0, 0x80000001, 0x5a0ff00f };

    for (unsigned m = 0; m < G_N_ELEMENTS(masks); m++) {
        for (unsigned n = 0; n < G_N_ELEMENTS(rows); n++) {
            rig_reset();
            warp.mask = masks[m];
            warp.p[2] = 0xff00ff00;
            SET(A, 0, ONE, INF, 0x40490fdb, SNAN, 1);
            SET(C, ONE, 0xc0000000);
            rig_forms(rows[n].code, rows[n].forms, rows[n].hi, 0x3fc00000, 0);
            rig_forms(rows[n].code, rows[n].forms, rows[n].hi, SNAN, 0);
        }
    }
}

static void test_illegal(void)
{
    Sm75Insn i;

    g_assert_false(rig_decode(rig_lo(0x220), 0, &i));       /* .INVALID0 */
    g_assert_false(rig_decode(rig_lo(0x223), FMZ | FTZ, &i));
    g_assert_false(rig_decode(rig_lo(0x308), FIELD(74, 10), &i));
    g_assert_false(rig_decode(rig_lo(0x20b), FIELD(74, 3), &i));
    g_assert_false(rig_decode(rig_lo(0x821), 0, &i));
    g_assert_false(rig_decode(rig_lo(0x308), FIELD(74, 6) | BIT(73), &i));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sm75/float/fadd", test_fadd);
    g_test_add_func("/sm75/float/fmul", test_fmul);
    g_test_add_func("/sm75/float/ffma", test_ffma);
    g_test_add_func("/sm75/float/fmnmx", test_fmnmx);
    g_test_add_func("/sm75/float/fsetp", test_fsetp);
    g_test_add_func("/sm75/float/fswzadd", test_fswzadd);
    g_test_add_func("/sm75/float/mufu", test_mufu);
    g_test_add_func("/sm75/float/mufu-accuracy", test_mufu_accuracy);
    g_test_add_func("/sm75/float/fchk", test_fchk);
    g_test_add_func("/sm75/float/forms", test_forms);
    g_test_add_func("/sm75/float/illegal", test_illegal);
    return g_test_run();
}
