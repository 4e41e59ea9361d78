/*
 * sm_75 moves, predicates, special registers and the uniform datapath.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sm75-alu-rig.h"

static void test_mov(void)
{
    rig_reset();
    SET(B, 1, 2, 3, 4);
    run(0x202, FIELD(72, 15));
    EXPECT(DST, 1, 2, 3, 4);
    /* Lanes 0 and 2 of each quad. */
    run(0x202, FIELD(72, 15));
    SET(DST, 9);
    run(0x202, FIELD(72, 5));
    EXPECT(DST, 1, 9, 3, 9);
    g_assert_cmphex(warp.mask, ==, ~0u);
    rig_forms(0x202, FORMS_B, FIELD(72, 15), 0x12345678, 0);
    warp.mask = 0x80000001;
    rig_forms(0x202, FORMS_B, FIELD(72, 15), 0x12345678, 0);
}

static void test_prmt(void)
{
    /* Bytes of a: 44 33 22 11 (0..3), of b: 88 77 66 f5 (4..7). */
    static const struct {
        unsigned mode;
        uint32_t selector, result;
    } cases[] = {
        { 0, 0x3210, 0x11223344 }, { 0, 0x7654, 0xf5667788 },
        { 0, 0x0f7c, 0x44fff5ff }, { 0, 0x8888, 0 },
        { 1, 0, 0x11223344 }, { 1, 3, 0x66778811 }, { 1, 7, 0x66778811 },
        { 3, 2, 0x22222222 }, { 4, 0, 0x11223344 }, { 4, 1, 0x11223333 },
        { 4, 2, 0x11222222 }, { 4, 3, 0x11111111 }, { 5, 0, 0x44444444 },
        { 5, 1, 0x33333344 }, { 5, 2, 0x22223344 }, { 5, 3, 0x11223344 },
        { 6, 0, 0x33443344 }, { 6, 1, 0x11221122 },
    };
    Sm75Insn i;

    rig_reset();
    for (unsigned n = 0; n < G_N_ELEMENTS(cases); n++) {
        SET(A, 0x11223344);
        SET(B, cases[n].selector);
        SET(C, 0xf5667788);
        run(0x216, FIELD(72, cases[n].mode));
        EXPECT(DST, cases[n].result);
        rig_forms(0x216, FORMS_B, FIELD(72, cases[n].mode),
                  cases[n].selector, 0);
        EXPECT(DST, cases[n].result);
    }
    /* B4E: n, n - 1, n - 2, n - 3, of the bytes in a circle. */
    SET(A, 0x33221100);
    SET(C, 0x77665544);
    SET(B, 0, 1, 2, 3);
    run(0x216, FIELD(72, 2));
    EXPECT(DST, 0x55667700, 0x66770011, 0x77001122, 0x00112233);
    g_assert_false(rig_decode(rig_lo(0x216), FIELD(72, 7), &i));
}

static void test_plop3(void)
{
    rig_reset();
    warp.p[1] = 0xf0f0f0f0;
    warp.p[2] = 0xcccccccc;
    warp.p[3] = 0xaaaaaaaa;
    for (unsigned lut = 0; lut < 256; lut++) {
        /* Table 0 in two fields, the complement as table 1. */
        rig_exec(0x81c | (uint64_t)(~lut & 0xff) << 16,
                 FIELD(64, lut & 7) | FIELD(72, lut >> 3) | FIELD(81, 0) |
                 FIELD(84, 4) | PSRC(1) | FIELD(77, 2) | FIELD(68, 3));
        g_assert_cmphex(warp.p[0], ==, lut * 0x01010101);
        g_assert_cmphex(warp.p[4], ==, ~(lut * 0x01010101));
    }
    /* A uniform predicate as the last source; each may be inverted. */
    warp.up[3] = true;
    rig_exec(0x81c, FIELD(64, 0) | FIELD(72, 0x80 >> 3) | FIELD(81, 0) |
             FIELD(84, 7) | PSRC(1) | NOT_PSRC | FIELD(77, 2) | BIT(67) |
             FIELD(68, 3));
    g_assert_cmphex(warp.p[0], ==, 0x0f0f0f0fu & 0xcccccccc);
    /* Signs of registers. */
    SET(A, 0x80000000, 1);
    SET(B, 0xffffffff);
    SET(C, 0x80000000, 0x80000000, 0);
    rig_exec((rig_lo(0x21f) & ~UINT64_C(0xff0000)),
             C | FIELD(72, 0x80) | FIELD(81, 0) | FIELD(84, 7));
    EXPECT_PRED(0, 0x11, 6);
    /* Only the lanes of the mask. */
    warp.mask = 0xffff;
    warp.p[0] = 0;
    rig_exec(0x81c | 0xffu << 16, FIELD(64, 7) | FIELD(72, 31) |
             FIELD(84, 7) | PT_SRC | FIELD(77, 7) | FIELD(68, 7));
    g_assert_cmphex(warp.p[0], ==, 0xffff);
}

static void test_p2r(void)
{
    rig_reset();
    warp.p[0] = 0x55555555;
    warp.p[1] = 0x33333333;
    warp.p[6] = ~0u;
    SET(A, 0xffffffff);
    SET(B, 0x7f);
    run(0x203, 0);
    EXPECT(DST, 0xffffffc3, 0xffffffc2, 0xffffffc1, 0xffffffc0);
    SET(B, 0x41);
    run(0x203, FIELD(76, 2));
    EXPECT(DST, 0xffffffff, 0xfffeffff);
    SET(A, 0x0000ff00, 0);
    SET(B, 0x05);
    run(0x204, FIELD(76, 1));
    g_assert_cmphex(warp.p[0], ==, 0x55555555);
    g_assert_cmphex(warp.p[1], ==, 0x33333333);     /* not in the mask */
    g_assert_cmphex(warp.p[2], ==, 0x55555555);
    g_assert_cmphex(warp.p[6], ==, ~0u);
}

static void s2r(unsigned index)
{
    rig_exec(0x919 | (uint64_t)DST << 16, FIELD(72, index));
}

static void test_special(void)
{
    Sm75Insn i;

    rig_reset();
    qmd.block[0] = 6;
    qmd.block[1] = 3;
    qmd.block[2] = 4;
    qmd.shared_size = 0x1234;
    warp.index = 1;
    cta.id[0] = 7;
    cta.id[1] = 8;
    cta.id[2] = 9;
    /* Thread 32 is x 2, y 2, z 1; thread 63 is x 3, y 1, z 3. */
    s2r(0x21);
    g_assert_cmpuint(warp.r[DST][0], ==, 2);
    g_assert_cmpuint(warp.r[DST][31], ==, 3);
    s2r(0x22);
    g_assert_cmpuint(warp.r[DST][0], ==, 2);
    g_assert_cmpuint(warp.r[DST][31], ==, 1);
    s2r(0x23);
    g_assert_cmpuint(warp.r[DST][0], ==, 1);
    g_assert_cmpuint(warp.r[DST][31], ==, 3);
    s2r(0x20);
    g_assert_cmphex(warp.r[DST][31], ==, 3 | 1 << 16 | 3 << 26);
    for (unsigned n = 0; n < 3; n++) {
        s2r(0x25 + n);
        EXPECT(DST, 7 + n);
    }
    s2r(0x32);
    EXPECT(DST, 0x1234);
    s2r(0x00);
    g_assert_cmpuint(warp.r[DST][17], ==, 17);
    s2r(0x38);
    g_assert_cmphex(warp.r[DST][4], ==, 0x10);
    s2r(0x39);
    g_assert_cmphex(warp.r[DST][4], ==, 0x0f);
    s2r(0x3a);
    g_assert_cmphex(warp.r[DST][31], ==, 0xffffffff);
    s2r(0x3b);
    g_assert_cmphex(warp.r[DST][31], ==, 0);
    g_assert_cmphex(warp.r[DST][4], ==, 0xffffffe0);
    s2r(0x3c);
    g_assert_cmphex(warp.r[DST][4], ==, 0xfffffff0);
    s2r(0x03);                  /* VIRTID: warp 1 in 14:8 */
    EXPECT(DST, 0x100);
    /* CS2R of SRZ clears a pair. */
    SET(DST, 1);
    SET(DST + 1, 1);
    rig_exec(0x805 | DST << 16, FIELD(72, 0xff) | BIT(80));
    EXPECT(DST, 0);
    EXPECT(DST + 1, 0);
    /* What is not modelled is no instruction. */
    g_assert_false(rig_decode(0x919, FIELD(72, 0x10), &i));
    /* R2UR: the lowest lane. S2UR. */
    warp.mask = 0xf0;
    warp.r[A][4] = 0x77;
    rig_exec(0x3c2 | 5 << 16 | A << 24, FIELD(81, 7));
    g_assert_cmphex(warp.ur[5], ==, 0x77);
    rig_exec(0x9c3 | 6 << 16, FIELD(72, 0x26));
    g_assert_cmphex(warp.ur[6], ==, 8);
}

/* ---- Uniform ---- */

#define U BIT(91)

/* UR10 from UR2, UR4 and UR6. */
static void urun(unsigned code, uint64_t hi)
{
    rig_exec(rig_lo(code), hi | C | U);
}

static void uset(uint32_t a, uint32_t b, uint32_t c)
{
    warp.ur[A] = a;
    warp.ur[B] = b;
    warp.ur[C] = c;
}

static void test_uniform(void)
{
    Sm75Insn i;

    rig_reset();
    uset(0xffffffff, 2, 5);
    urun(0x290, FIELD(81, 0) | FIELD(84, 1));
    g_assert_cmphex(warp.ur[DST], ==, 6);
    g_assert_true(warp.up[0]);
    g_assert_false(warp.up[1]);
    urun(0x290, BIT(72) | NO_PDST);     /* 1 + 2 + 5 */
    g_assert_cmphex(warp.ur[DST], ==, 8);
    urun(0x290, BIT(74) | PSRC(0) | FIELD(77, 7) | BIT(80) | NO_PDST);
    g_assert_cmphex(warp.ur[DST], ==, 7);
    uset(0xffffffff, 3, 1);
    warp.ur[C + 1] = 2;
    urun(0x2a4, 0);
    g_assert_cmphex(warp.ur[DST], ==, -2u);
    urun(0x2a5, NO_PDST);
    g_assert_cmphex(warp.ur[DST], ==, -2u);
    g_assert_cmphex(warp.ur[DST + 1], ==, 4);
    urun(0x2a5, NO_PDST | BIT(73));
    g_assert_cmphex(warp.ur[DST + 1], ==, 1);
    /* -1 < 3, not unsigned */
    urun(0x28c, FIELD(76, 1) | BIT(73) | FIELD(84, 1) | PT_SRC);
    g_assert_true(warp.up[0]);
    g_assert_false(warp.up[1]);
    urun(0x28c, FIELD(76, 1) | FIELD(84, 1) | PT_SRC);
    g_assert_false(warp.up[0]);
    uset(0xf0, 0xcc, 0xaa);
    urun(0x292, FIELD(72, 0x1e) | FIELD(81, 0) | PT_SRC | NOT_PSRC);
    g_assert_cmphex(warp.ur[DST] & 0xff, ==, 0x1e);
    g_assert_true(warp.up[0]);
    uset(0x80000001, 1, 3);
    urun(0x299, FIELD(73, 3));
    g_assert_cmphex(warp.ur[DST], ==, 2);
    urun(0x299, FIELD(73, 3) | BIT(80));
    g_assert_cmphex(warp.ur[DST], ==, 7);
    uset(4, 8, 0);
    urun(0x29b, 0);
    g_assert_cmphex(warp.ur[DST], ==, 0xff0);
    uset(0x88, 4, 0);
    urun(0x29a, BIT(73));
    g_assert_cmphex(warp.ur[DST], ==, 0xfffffff8);
    urun(0x2bd, NO_PDST);
    g_assert_cmphex(warp.ur[DST], ==, 2);
    urun(0x2be, 0);
    g_assert_cmphex(warp.ur[DST], ==, 0x20000000);
    rig_exec(rig_lo(0x2bf) | NEG_B, U);
    g_assert_cmphex(warp.ur[DST], ==, 31);
    uset(3, 100, 1);
    urun(0x291, FIELD(75, 2) | FIELD(81, 7));
    g_assert_cmphex(warp.ur[DST], ==, 112);
    uset(0x33221100, 0x0246, 0x77665544);
    urun(0x296, 0);
    g_assert_cmphex(warp.ur[DST], ==, 0x00224466);
    warp.up[2] = true;
    urun(0x287, PSRC(2) | NOT_PSRC);
    g_assert_cmphex(warp.ur[DST], ==, 0x0246);
    /* Immediates: B's place, and C's with B's register in C's. */
    rig_exec((rig_lo(0x890) & 0xffffffff) | UINT64_C(7) << 32,
             C | U | NO_PDST);
    g_assert_cmphex(warp.ur[DST], ==, 0xaa88664bu);
    uset(5, 6, 0);
    rig_exec((rig_lo(0x4a4) & 0xffffffff) | UINT64_C(7) << 32, B | U);
    g_assert_cmphex(warp.ur[DST], ==, 37);
    rig_exec((rig_lo(0x882) & 0xffffffff) | UINT64_C(0x1234) << 32, 0);
    g_assert_cmphex(warp.ur[DST], ==, 0x1234);
    rig_exec(rig_lo(0xc82), U);
    g_assert_cmphex(warp.ur[DST], ==, 6);
    /* Guards of the uniform datapath are uniform, VOTEU's is not. */
    g_assert_true(rig_decode(rig_lo(0x290), U, &i) && i.guard_uniform);
    g_assert_true(rig_decode(rig_lo(0x886), 0, &i) && !i.guard_uniform);
    /* Without bit 91 there is no uniform datapath. */
    g_assert_false(rig_decode(rig_lo(0x290), 0, &i));
    /* URZ */
    rig_exec((rig_lo(0x290) & ~UINT64_C(0xff0000)) | 63 << 16,
             C | U | NO_PDST);
    g_assert_cmphex(warp.ur[63], ==, 0);
}

static void test_upred(void)
{
    rig_reset();
    for (unsigned bits = 0; bits < 8; bits++) {
        warp.up[1] = bits & 4;
        warp.up[2] = bits & 2;
        warp.up[3] = bits & 1;
        rig_exec(0x89c | 0xca << 16, FIELD(64, 0x35 & 7) |
                 FIELD(72, 0x35 >> 3) | FIELD(84, 4) | PSRC(1) |
                 FIELD(77, 2) | FIELD(68, 3));
        g_assert_cmpint(warp.up[0], ==, 0x35 >> bits & 1);
        g_assert_cmpint(warp.up[4], ==, 0xca >> bits & 1);
    }
    memset(warp.up, 0, 7);
    warp.up[0] = warp.up[5] = true;
    uset(0xff00, 0, 0);
    rig_exec((rig_lo(0x883) & 0xffffffff) | UINT64_C(0x7f) << 32,
             U | FIELD(76, 1));
    g_assert_cmphex(warp.ur[DST], ==, 0xa100);
    uset(0x02, 0x03, 0);
    rig_exec(rig_lo(0xc84), U);
    g_assert_false(warp.up[0]);
    g_assert_true(warp.up[1] && warp.up[5]);
    /* VOTEU: lanes of the mask */
    warp.mask = 0xff;
    warp.p[2] = 0xffffff0f;
    rig_exec(0x886 | DST << 16, FIELD(72, 1) | FIELD(81, 0) | PSRC(2));
    g_assert_cmphex(warp.ur[DST], ==, 0x0f);
    g_assert_true(warp.up[0]);
    rig_exec(0x886 | DST << 16, FIELD(72, 0) | FIELD(81, 0) | PSRC(2));
    g_assert_false(warp.up[0]);
    rig_exec(0x886 | DST << 16, FIELD(72, 2) | FIELD(81, 0) | PT_SRC);
    g_assert_true(warp.up[0]);
}

static void uldc(unsigned type, uint32_t offset)
{
    rig_exec(0xab9 | DST << 16 | UINT64_C(3) << 54 | (uint64_t)offset << 38,
             FIELD(73, type));
}

static void test_uldc(void)
{
    static Sm75Insn i;

    rig_reset();
    memcpy(bank + 0x10, "\x81\x92\xa3\xb4\xc5\xd6\xe7\xf8", 8);
    uldc(4, 0x10);
    g_assert_cmphex(warp.ur[DST], ==, 0xb4a39281);
    uldc(0, 0x11);
    g_assert_cmphex(warp.ur[DST], ==, 0x92);
    uldc(1, 0x12);
    g_assert_cmphex(warp.ur[DST], ==, 0xffffffa3);
    uldc(2, 0x12);
    g_assert_cmphex(warp.ur[DST], ==, 0xb4a3);
    uldc(3, 0x16);
    g_assert_cmphex(warp.ur[DST], ==, 0xfffff8e7);
    uldc(5, 0x10);
    g_assert_cmphex(warp.ur[DST], ==, 0xb4a39281);
    g_assert_cmphex(warp.ur[DST + 1], ==, 0xf8e7d6c5);
    /* c[3][UR8 - 8] */
    warp.ur[8] = 0x18;
    rig_exec(0xabb | DST << 16 | 8 << 24 | UINT64_C(3) << 54 |
             UINT64_C(0xfff8) << 38, FIELD(73, 4) | U);
    g_assert_cmphex(warp.ur[DST], ==, 0xb4a39281);
    /* Misaligned. */
    g_assert_true(rig_decode(0xab9 | UINT64_C(3) << 54 | UINT64_C(2) << 38,
                             FIELD(73, 4), &i));
    g_assert_cmpint(i.exec(&warp, &i), ==, SM75_FAULT);
    g_assert_cmpint(warp.exception, ==, VGSP_EXC_MISALIGNED_ADDRESS);
    g_assert_false(rig_decode(0xab9, FIELD(73, 6), &i));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sm75/move/mov", test_mov);
    g_test_add_func("/sm75/move/prmt", test_prmt);
    g_test_add_func("/sm75/move/special", test_special);
    g_test_add_func("/sm75/pred/plop3", test_plop3);
    g_test_add_func("/sm75/pred/p2r", test_p2r);
    g_test_add_func("/sm75/uniform/alu", test_uniform);
    g_test_add_func("/sm75/uniform/pred", test_upred);
    g_test_add_func("/sm75/uniform/uldc", test_uldc);
    return g_test_run();
}
