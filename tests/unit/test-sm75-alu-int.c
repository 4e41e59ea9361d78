/*
 * sm_75 integer instructions. Words are built from the fields that
 * exec-facts 8.3 and nvdisasm give; results are worked out by hand.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sm75-alu-rig.h"

static void test_iadd3(void)
{
    rig_reset();
    SET(A, 1, 0xffffffff, 0x80000000, 0);
    SET(B, 2, 1, 0x80000000, 0);
    SET(C, 3, 0, 0xffffffff, 0);
    run(0x210, NO_PDST | PT_SRC | NOT_PSRC);
    EXPECT(DST, 6, 0, 0xffffffff, 0);
    /* Carries: of 2^32, and of 2 * 2^32. */
    SET(A, 0xffffffff, 0xffffffff, 0xffffffff, 1);
    SET(B, 0xffffffff, 0xffffffff, 0, 2);
    SET(C, 0xffffffff, 0, 1, 3);
    run(0x210, FIELD(81, 0) | FIELD(84, 1));
    EXPECT(DST, 0xfffffffd, 0xfffffffe, 0, 6);
    EXPECT_PRED(0, 0x7, 4);
    EXPECT_PRED(1, 0x1, 4);
    /* a - b: the carry says that there was no borrow. */
    SET(A, 5, 5, 0, 0x80000000);
    SET(B, 3, 7, 0, 1);
    SET(C, 0);
    rig_exec(rig_lo(0x210) | NEG_B, C | FIELD(81, 2) | FIELD(84, 7));
    EXPECT(DST, 2, 0xfffffffe, 0, 0x7fffffff);
    EXPECT_PRED(2, 0xd, 4);
    /* -a and -c. */
    SET(A, 1, 5);
    SET(B, 10, 0);
    SET(C, 2, 0xffffffff);
    run(0x210, BIT(72) | BIT(75) | NO_PDST);
    EXPECT(DST, 7, 0xfffffffc);
}

static void test_iadd3_x(void)
{
    rig_reset();
    /* Both carries in, P1 and P2; sources inverted, not negated. */
    warp.p[1] = 0x55555555;
    warp.p[2] = 0x33333333;
    SET(A, 10, 10, 10, 0xffffffff);
    SET(B, 1);
    SET(C, 0);
    run(0x210, BIT(74) | PSRC(1) | FIELD(77, 2) | FIELD(81, 0) |
        FIELD(84, 7));
    EXPECT(DST, 13, 12, 12, 0);
    EXPECT_PRED(0, 0x8, 4);
    /* a + ~b + carry: the upper word of a subtraction. */
    SET(A, 7, 7);
    SET(B, 3, 7);
    rig_exec(rig_lo(0x210) | NEG_B,
             C | BIT(74) | PSRC(1) | FIELD(77, 7) | BIT(80) | NO_PDST);
    EXPECT(DST, 4, 0xffffffff);
}

static void test_imad(void)
{
    rig_reset();
    SET(A, 3, 0xffffffff, 0x10000, 0x80000000);
    SET(B, 5, 0xffffffff, 0x10000, 2);
    SET(C, 7, 0, 1, 0xffffffff);
    run(0x224, 0);
    EXPECT(DST, 22, 1, 1, 0xffffffff);
    run(0x224, BIT(73));
    EXPECT(DST, 22, 1, 1, 0xffffffff);
    run(0x224, BIT(75));
    EXPECT(DST, 8, 1, 0xffffffff, 1);
    warp.p[3] = 0x1;
    run(0x224, BIT(74) | PSRC(3));
    g_assert_cmphex(warp.r[DST][0], ==, 23);
    g_assert_cmphex(warp.r[DST][1], ==, 1);
    /* .X with ~c */
    run(0x224, BIT(74) | BIT(75) | PSRC(3));
    g_assert_cmphex(warp.r[DST][0], ==, 15 + 0xfffffff8u + 1);
}

static void test_imad_wide(void)
{
    rig_reset();
    SET(A, 0xffffffff, 2, 0x80000000, 0);
    SET(B, 0xffffffff, 3, 2, 5);
    SET(C, 1, 0xfffffffa, 0, 9);
    SET(C + 1, 0, 0, 1, 0xffffffff);
    run(0x225, NO_PDST);
    EXPECT(DST, 2, 0, 0, 9);
    EXPECT(DST + 1, 0xfffffffe, 1, 2, 0xffffffff);
    run(0x225, NO_PDST | BIT(73));
    EXPECT(DST, 2, 0, 0, 9);
    EXPECT(DST + 1, 0, 1, 0, 0xffffffff);
    /* The carry out of 64 bits. */
    SET(A, 0xffffffff, 1);
    SET(B, 0xffffffff, 1);
    SET(C, 0xffffffff, 0);
    SET(C + 1, 0xffffffff, 0);
    run(0x225, FIELD(81, 0));
    EXPECT(DST, 0, 1);
    EXPECT(DST + 1, 0xfffffffe, 0);
    EXPECT_PRED(0, 1, 2);
    /* HI keeps the upper word of the same sum. */
    SET(DST + 1, PADDING);
    SET(A, 0x80000000, 0xffffffff);
    SET(B, 4, 1);
    SET(C, 0, 1);
    SET(C + 1, 7, 0);
    run(0x227, NO_PDST);
    EXPECT(DST, 9, 1);
    EXPECT(DST + 1, PADDING);
    run(0x227, NO_PDST | BIT(73));
    EXPECT(DST, 5, 0);
    /* - c */
    SET(A, 3);
    SET(B, 5);
    SET(C, 16);
    SET(C + 1, 0);
    run(0x225, NO_PDST | BIT(75));
    EXPECT(DST, 0xffffffff);
    EXPECT(DST + 1, 0xffffffff);
}

static void test_idp(void)
{
    rig_reset();
    SET(A, 0x01020304, 0xff000000, 0xffff0002, 0x80ff7f01);
    SET(B, 0x01010101, 0x02000000, 0x00000403, 0xffffffff);
    SET(C, 100, 1, 0, 0);
    run(0x226, 0);
    EXPECT(DST, 110, 511, 6, (0x80 + 0xff + 0x7f + 1) * 255);
    run(0x226, BIT(73) | BIT(74));
    /* -128 - 1 + 127 + 1 = -1, times -1 */
    EXPECT(DST, 110, (uint32_t)-1, 6, 1);
    run(0x226, BIT(75));
    EXPECT(DST, (uint32_t)-90, 509, 6, 511 * 255);
    /* 2A.LO: halves of a with the lower bytes of b, HI: with the upper ones */
    SET(A, 0x00020003);
    SET(B, 0x07060504);
    run(0x226, BIT(76));
    EXPECT(DST, 122, 23, 22, 22);
    run(0x226, BIT(76) | BIT(77));
    EXPECT(DST, 132, 33, 32, 32);
}

static void test_isetp(void)
{
    /* a < b, ==, >; signed and unsigned differ in the last. */
    static const struct {
        unsigned op;
        uint32_t is_signed, is_unsigned;
    } cases[] = {
        { 0, 0x0, 0x0 }, { 1, 0x9, 0x1 }, { 2, 0x2, 0x2 }, { 3, 0xb, 0x3 },
        { 4, 0x4, 0xc }, { 5, 0xd, 0xd }, { 6, 0x6, 0xe }, { 7, 0xf, 0xf },
    };

    rig_reset();
    SET(A, 1, 5, 9, 0x80000000);
    SET(B, 2, 5, 3, 1);
    for (unsigned n = 0; n < G_N_ELEMENTS(cases); n++) {
        uint64_t hi = FIELD(76, cases[n].op) | FIELD(81, 0) | FIELD(84, 1) |
                      PT_SRC;

        run(0x20c, hi | BIT(73));
        EXPECT_PRED(0, cases[n].is_signed, 4);
        EXPECT_PRED(1, ~cases[n].is_signed, 4);
        run(0x20c, hi);
        EXPECT_PRED(0, cases[n].is_unsigned, 4);
    }
    /* Combined with P2: AND, OR, XOR; the complement is combined as well. */
    warp.p[2] = 0x33333333;
    run(0x20c, FIELD(76, 2) | FIELD(84, 1) | PSRC(2));
    EXPECT_PRED(0, 0x2, 4);
    EXPECT_PRED(1, 0x1, 4);
    run(0x20c, FIELD(76, 2) | FIELD(74, 1) | FIELD(84, 1) | PSRC(2));
    EXPECT_PRED(0, 0x3, 4);
    EXPECT_PRED(1, 0xf, 4);
    run(0x20c, FIELD(76, 2) | FIELD(74, 2) | FIELD(84, 1) | PSRC(2) |
        NOT_PSRC);
    EXPECT_PRED(0, 0xe, 4);
    /* .EX: equal upper words take the lower comparison, P2. */
    SET(A, 5, 5, 6, 4);
    SET(B, 5, 5, 5, 5);
    warp.p[2] = 0x11111111;
    run(0x20c, FIELD(76, 1) | BIT(72) | FIELD(68, 2) | FIELD(84, 7) | PT_SRC);
    EXPECT_PRED(0, 0x9, 4);
}

static void test_minmax(void)
{
    rig_reset();
    warp.p[1] = 0x0f0f0f0f;
    SET(A, 1, 0xffffffff);
    SET(B, 2, 3);
    run(0x217, BIT(73) | PT_SRC);
    EXPECT(DST, 1, 0xffffffff);
    run(0x217, PT_SRC);
    EXPECT(DST, 1, 3);
    run(0x217, PT_SRC | NOT_PSRC | BIT(73));
    EXPECT(DST, 2, 3);
    run(0x217, PSRC(1));
    EXPECT(DST, 1, 3, 1, 3, 2, 0xffffffff, 2, 0xffffffff);
    run(0x207, PSRC(1));
    EXPECT(DST, 1, 0xffffffff, 1, 0xffffffff, 2, 3, 2, 3);
    SET(B, 5, (uint32_t)-5, 0x80000000, 0);
    run(0x213, 0);
    EXPECT(DST, 5, 5, 0x80000000, 0);
    SET(A, 5, 0x80000000);
    SET(B, 7, 1);
    SET(C, 100, 0);
    run(0x214, NO_PDST);
    EXPECT(DST, 102, 0x7fffffff);
    run(0x214, NO_PDST | BIT(73));
    EXPECT(DST, 102, 0x80000001);
    SET(A, 0x01ff8005);
    SET(B, 0x02010205);
    run(0x215, NO_PDST | BIT(75));
    EXPECT(DST, 100 + 1 + 254 + 126, 1 + 254 + 126);
    run(0x215, NO_PDST | BIT(75) | BIT(73));
    EXPECT(DST, 100 + 1 + 2 + 130, 1 + 2 + 130);
    run(0x215, NO_PDST);
    EXPECT(DST, 0x01fe7e00);
    run(0x215, NO_PDST | BIT(73));
    EXPECT(DST, 0x01028200);
}

static void test_lop3(void)
{
    /* Every table: lanes hold every combination of bits of a, b and c. */
    rig_reset();
    SET(A, 0xf0f0f0f0);
    SET(B, 0xcccccccc);
    SET(C, 0xaaaaaaaa);
    for (unsigned lut = 0; lut < 256; lut++) {
        run(0x212, FIELD(72, lut) | FIELD(81, 7) | PT_SRC | NOT_PSRC);
        EXPECT(DST, lut * 0x01010101);
    }
    /* The predicate: not zero OR P2, AND with .PAND. */
    warp.p[2] = 0x33333333;
    SET(A, 1, 0);
    SET(B, 3);
    run(0x212, FIELD(72, 0xc0) | PSRC(2));
    EXPECT(DST, 1, 0);
    EXPECT_PRED(0, 0x7, 4);
    run(0x212, FIELD(72, 0xc0) | PSRC(2) | BIT(80));
    EXPECT_PRED(0, 0x1, 4);
}

static void test_shf(void)
{
    enum { S64, U64, S32, U32 };
#define SHF(type, more) run(0x219, FIELD(73, type) | (more))
#define WRAP BIT(75)
#define RIGHT BIT(76)
#define HI BIT(80)
    rig_reset();
    SET(A, 0x80000001);
    SET(C, 0xc0000003);
    SET(B, 0, 1, 31, 32, 33, 63, 64, 0xffffffff);
    SHF(U32, 0);
    EXPECT(DST, 0x80000001, 2, 0x80000000, 0, 0, 0, 0, 0);
    SHF(U32, WRAP);
    EXPECT(DST, 0x80000001, 2, 0x80000000, 0x80000001, 2, 0x80000000,
           0x80000001, 0x80000000);
    SHF(U32, HI);
    EXPECT(DST, 0xc0000003, 0x80000007, 0xc0000000, 0x80000001, 0x80000001,
           0x80000001, 0x80000001, 0x80000001);
    SHF(U32, RIGHT | HI);
    EXPECT(DST, 0xc0000003, 0x60000001, 1, 0, 0, 0, 0, 0);
    SHF(S32, RIGHT | HI);
    EXPECT(DST, 0xc0000003, 0xe0000001, 0xffffffff, 0xffffffff, 0xffffffff,
           0xffffffff, 0xffffffff, 0xffffffff);
    SHF(S32, RIGHT | HI | WRAP);
    EXPECT(DST, 0xc0000003, 0xe0000001, 0xffffffff, 0xc0000003, 0xe0000001,
           0xffffffff, 0xc0000003, 0xffffffff);
    SHF(U32, RIGHT);
    EXPECT(DST, 0x80000001, 0xc0000000, 0x80000007, 0xc0000003, 0xc0000003,
           0xc0000003, 0xc0000003, 0xc0000003);
    SHF(U64, RIGHT);
    EXPECT(DST, 0x80000001, 0xc0000000, 0x80000007, 0xc0000003, 0x60000001, 1,
           0, 0);
    SHF(S64, RIGHT);
    EXPECT(DST, 0x80000001, 0xc0000000, 0x80000007, 0xc0000003, 0xe0000001,
           0xffffffff, 0xffffffff, 0xffffffff);
    SHF(U64, HI);
    EXPECT(DST, 0xc0000003, 0x80000007, 0xc0000000, 0x80000001, 2, 0x80000000,
           0, 0);
    SHF(U64, HI | WRAP);
    EXPECT(DST, 0xc0000003, 0x80000007, 0xc0000000, 0x80000001, 2, 0x80000000,
           0xc0000003, 0x80000000);
    SHF(U64, WRAP);
    EXPECT(DST, 0x80000001, 2, 0x80000000, 0, 0, 0, 0x80000001, 0);
    SHF(U64, RIGHT | HI);
    EXPECT(DST, 0xc0000003, 0x60000001, 1, 0, 0, 0, 0, 0);
#undef SHF
}

static void test_bits(void)
{
    rig_reset();
    /* BMSK: position a, width b */
    SET(A, 0, 4, 31, 32, 0, 40);
    SET(B, 8, 4, 2, 1, 32, 36);
    run(0x21b, 0);
    EXPECT(DST, 0xff, 0xf0, 0x80000000, 0, 0xffffffff, 0);
    run(0x21b, BIT(75));
    EXPECT(DST, 0xff, 0xf0, 0x80000000, 1, 0, 0xf00);
    /* SGXT */
    SET(A, 0x000000f8, 0x000000f8, 0x12345678, 0x80000000);
    SET(B, 4, 8, 0, 32);
    run(0x21a, BIT(73));
    EXPECT(DST, 0xfffffff8, 0xfffffff8, 0, 0x80000000);
    run(0x21a, 0);
    EXPECT(DST, 8, 0xf8, 0, 0x80000000);
    /* FLO: the bit's number; .SH: how far to shift it up; none: all ones */
    SET(B, 1, 0x80000000, 0, 0xffffff0f);
    run(0x300, NO_PDST);
    EXPECT(DST, 0, 31, 0xffffffff, 31);
    run(0x300, NO_PDST | BIT(74));
    EXPECT(DST, 31, 0, 0xffffffff, 0);
    run(0x300, NO_PDST | BIT(73));
    EXPECT(DST, 0, 30, 0xffffffff, 7);
    rig_exec(rig_lo(0x300) | NEG_B, NO_PDST);
    EXPECT(DST, 31, 30, 31, 7);
    run(0x309, 0);
    EXPECT(DST, 1, 1, 0, 28);
    rig_exec(rig_lo(0x309) | NEG_B, 0);
    EXPECT(DST, 31, 31, 32, 4);
    SET(B, 1, 0x80000000, 0x12345678, 0xf0);
    run(0x301, 0);
    EXPECT(DST, 0x80000000, 1, 0x1e6a2c48, 0x0f000000);
}

static void test_lea(void)
{
    rig_reset();
    SET(A, 3, 0xc0000000, 0xffffffff);
    SET(B, 100, 1, 4);
    SET(C, 1, 2, 3);
    run(0x211, FIELD(75, 2) | FIELD(81, 0));
    g_assert_cmphex(warp.r[DST][0], ==, 112);
    g_assert_cmphex(warp.r[DST][1], ==, 1);
    g_assert_cmphex(warp.r[DST][2], ==, 0);
    EXPECT_PRED(0, 0x4, 3);
    /* The upper word: c:a shifted, plus b, plus the carry. */
    run(0x211, FIELD(75, 2) | BIT(80) | FIELD(81, 7));
    EXPECT(DST, 104, 12, 19);
    warp.p[1] = ~0u;
    run(0x211, FIELD(75, 2) | BIT(80) | BIT(74) | FIELD(81, 7) | PSRC(1));
    EXPECT(DST, 105, 13, 20);
    /* .SX32: a's sign is the upper word. */
    run(0x211, FIELD(75, 2) | BIT(80) | BIT(73) | FIELD(81, 7));
    EXPECT(DST, 100, 0, 3);
    /* -a */
    run(0x211, FIELD(75, 2) | BIT(72) | FIELD(81, 7));
    EXPECT(DST, 88, 1, 8);
}

/* B and C from everywhere, and only the lanes of the mask. */
static void test_forms(void)
{
    static const struct {
        unsigned code, forms;
        uint64_t hi;
    } rows[] = {
        { 0x210, FORMS_B, NO_PDST }, { 0x210, FORMS_B, BIT(72) | FIELD(84, 1) },
        { 0x211, FORMS_B, FIELD(81, 7) | FIELD(75, 3) },
        { 0x212, FORMS_B, FIELD(72, 0xea) | FIELD(81, 7) },
        { 0x212, FORMS_B, FIELD(72, 0x1e) }, { 0x213, FORMS_B, 0 },
        { 0x214, FORMS_B, NO_PDST }, { 0x217, FORMS_B, PT_SRC },
        { 0x219, FORMS_B, FIELD(73, 3) },
        { 0x219, FORMS_B, FIELD(73, 1) | BIT(80) },
        { 0x21a, FORMS_B, 0 }, { 0x21b, FORMS_B, 0 },
        { 0x224, FORMS_B, 0 }, { 0x224, FORMS_B, BIT(75) },
        { 0x225, FORMS_B, NO_PDST | BIT(73) }, { 0x227, FORMS_B, NO_PDST },
        { 0x226, FORMS_B & ~(1 << 4), 0 },
        { 0x20c, FORMS_B, FIELD(76, 1) | FIELD(84, 1) | PT_SRC },
        { 0x207, FORMS_B, PSRC(2) }, { 0x300, FORMS_B, NO_PDST },
        { 0x301, FORMS_B, 0 }, { 0x309, FORMS_B, 0 },
    };
    static const uint32_t masks[] = { ~0u, 0, 1, 0x80000000, 0x5a0ff00f };

    for (unsigned m = 0; m < G_N_ELEMENTS(masks); m++) {
        for (unsigned n = 0; n < G_N_ELEMENTS(rows); n++) {
            rig_reset();
            warp.mask = masks[m];
            warp.p[2] = 0xff00ff00;
            SET(A, 0, 1, 0x7fffffff, 0x80000000, 0xffffffff);
            SET(C, 3, 0x10000000);
            SET(C + 1, 0, 5);
            rig_forms(rows[n].code, rows[n].forms, rows[n].hi, 0x80000007, 0);
            rig_forms(rows[n].code, rows[n].forms, rows[n].hi, 5, 0);
        }
    }
}

/* C from an immediate, a bank, a UR: then B's register lies in C's place. */
static void test_forms_c(void)
{
    uint64_t lo = (uint64_t)DST << 16 | (uint64_t)A << 24;
    uint32_t word = 0x1000;

    rig_reset();
    SET(A, 3, 4);
    SET(B, 5, 6);
    warp.ur[8] = word;
    memcpy(bank + 0x48, &word, 4);
    rig_exec(lo | 0x424 | UINT64_C(0x1000) << 32, B);
    EXPECT(DST, 0x100f, 0x1018);
    SET(DST, 0);
    rig_exec(lo | 0x624 | UINT64_C(3) << 54 | UINT64_C(0x48) << 38, B);
    EXPECT(DST, 0x100f, 0x1018);
    SET(DST, 0);
    rig_exec(lo | 0xe24 | UINT64_C(8) << 32, B | BIT(91));
    EXPECT(DST, 0x100f, 0x1018);
    /* Bindless: a descriptor of nothing reads 0. */
    rig_exec(lo | 0x624 | UINT64_C(20) << 32, B | BIT(91));
    EXPECT(DST, 15, 24);
    /* Beyond the bank's size, and a bank that is not bound: 0. */
    qmd.cbuf[3].size = 0x48;
    rig_exec(lo | 0x624 | UINT64_C(3) << 54 | UINT64_C(0x48) << 38, B);
    EXPECT(DST, 15, 24);
}

static void test_partial(void)
{
    rig_reset();
    SET(A, 1);
    SET(B, 2);
    SET(C, 3);
    warp.mask = 0x00ff0ff1;
    run(0x210, FIELD(84, 7));
    EXPECT(DST, 6);
    run(0x225, FIELD(81, 7));
    EXPECT(DST, 2 + 3);
    /* A predicate keeps the other lanes. */
    warp.p[0] = 0xaaaaaaaa;
    run(0x20c, FIELD(76, 7) | FIELD(84, 7) | PT_SRC);
    g_assert_cmphex(warp.p[0], ==, 0xaaffaffbu);
    /* Writes to RZ and PT leave no trace. */
    rig_exec((rig_lo(0x210) & ~UINT64_C(0xff0000)) | UINT64_C(0xff0000),
             C | NO_PDST);
    g_assert_cmphex(warp.r[RZ][0], ==, 0);
    g_assert_cmphex(warp.p[7], ==, ~0u);
}

static void test_illegal(void)
{
    Sm75Insn i;

    /* A form that IADD3 does not have; bit 91 without a UR; .INVALID3 */
    g_assert_false(rig_decode(rig_lo(0x410), 0, &i));
    g_assert_false(rig_decode(rig_lo(0x210), BIT(91), &i));
    g_assert_false(rig_decode(rig_lo(0xc10), 0, &i));
    g_assert_false(rig_decode(rig_lo(0x20c), FIELD(74, 3), &i));
    g_assert_false(rig_decode(rig_lo(0x226), BIT(77), &i));
    /* Odd pairs. */
    g_assert_false(rig_decode(rig_lo(0x225) | 1 << 16, C | NO_PDST, &i));
    g_assert_false(rig_decode(rig_lo(0x225), (C + 1) | NO_PDST, &i));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sm75/int/iadd3", test_iadd3);
    g_test_add_func("/sm75/int/iadd3.x", test_iadd3_x);
    g_test_add_func("/sm75/int/imad", test_imad);
    g_test_add_func("/sm75/int/imad.wide", test_imad_wide);
    g_test_add_func("/sm75/int/idp", test_idp);
    g_test_add_func("/sm75/int/isetp", test_isetp);
    g_test_add_func("/sm75/int/minmax", test_minmax);
    g_test_add_func("/sm75/int/lop3", test_lop3);
    g_test_add_func("/sm75/int/shf", test_shf);
    g_test_add_func("/sm75/int/bits", test_bits);
    g_test_add_func("/sm75/int/lea", test_lea);
    g_test_add_func("/sm75/int/forms", test_forms);
    g_test_add_func("/sm75/int/forms-c", test_forms_c);
    g_test_add_func("/sm75/int/partial", test_partial);
    g_test_add_func("/sm75/int/illegal", test_illegal);
    return g_test_run();
}
