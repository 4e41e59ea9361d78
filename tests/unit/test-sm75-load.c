/*
 * Loads: of lanes that a predicate picks, and from the upper half of constant
 * banks. Encodings as nvdisasm reads them (tests/sm75/lines.inc).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sm75-fixture.h"

/* LDG ..., p or !p: the predicate's index is inverted, in 66:64. */
static Word load_if(unsigned p, Word i)
{
    return put(put(i, 64, 3, PT - (p & 7)), 67, 1, p >> 3);
}

/*
 * Lanes whose predicate is false get 0 and access nothing: theirs would be
 * outside of memory.
 */
static void test_load_if(void)
{
    Fixture *f = fixture_new(1);

    for (unsigned i = 0; i < 64; i++) {
        words(f, MEM + 0x10000)[i] = 100 + i;
    }
    LOAD(f, PROLOGUE, mov(4, (uint32_t)MEM + 0x10000), mov(5, MEM >> 32),
         imad_wide_i(4, 0, 8, 4), isetp_i(0, 0, LT, 20), isetp_i(1, 0, GE, 8),
         at(0 | NOT, mov(5, 0x7fff)),
         mov(6, 0xaa), mov(7, 0xbb), mov(8, 0xcc), mov(9, 0xdd),
         load_if(0, ldg(6, 4, 0, B64)),
         stg(2, 0, 6, B32), stg(2, 0x80, 7, B32),
         /* Of those lanes that the guard lets execute it. */
         at(0, load_if(1 | NOT, ldg(8, 4, 0, B32))), stg(2, 0x100, 8, B32),
         /* No lane's is true: no access, and RZ swallows what it gives. */
         load_if(PT | NOT, ldg(9, 4, 0, B32)), stg(2, 0x180, 9, B32),
         load_if(PT | NOT, ldg(RZ, 4, 0, B128)), iadd3(9, RZ, RZ, RZ),
         stg(2, 0x200, 9, B32), exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        bool in = i < 20;

        g_assert_cmpuint(words(f, MEM)[i], ==, in ? 100 + 2 * i : 0);
        g_assert_cmpuint(words(f, MEM + 0x80)[i], ==, in ? 101 + 2 * i : 0);
        g_assert_cmpuint(words(f, MEM + 0x100)[i], ==,
                         i < 8 ? 100 + 2 * i : in ? 0 : 0xcc);
        g_assert_cmpuint(words(f, MEM + 0x180)[i], ==, 0);
        g_assert_cmpuint(words(f, MEM + 0x200)[i], ==, 0);
    }
    /* A lane that does load is as any other. */
    LOAD(f, PROLOGUE, mov(4, 0), mov(5, 0x7fff), isetp_i(0, 0, EQ, 31),
         load_if(0, ldg(6, 4, 0, B32)), exit_());
    g_assert_false(launch(f));
    g_assert_cmpuint(f->fault.kind, ==, VGSP_OWNER_FAULT_MMU);
    g_assert_cmphex(f->fault.address, ==, UINT64_C(0x7fff) << 32);
    fixture_free(f);
}

static Word ldc(unsigned d, unsigned bank, unsigned a, unsigned offset)
{
    return put(put(put(put(put(op0(0xb82), 16, 8, d), 24, 8, a),
                       38, 16, offset), 54, 5, bank), 73, 3, B32);
}

/* UR d = c[bank][offset], or c[bank][UR a + offset] */
static Word uldc(unsigned d, unsigned bank, unsigned offset)
{
    return put(put(put(put(op0(0xab9), 16, 6, d), 38, 16, offset),
                   54, 5, bank), 73, 3, B32);
}

static Word uldc_ur(unsigned d, unsigned bank, unsigned a, unsigned offset)
{
    return put(put(put(uldc(d, bank, offset), 0, 12, 0xabb), 24, 6, a),
               91, 1, 1);
}

/* R d = UR u */
static Word mov_ur(unsigned d, unsigned u)
{
    return put(put(put(put(op0(0xc02), 16, 8, d), 32, 6, u), 72, 4, 0xf),
               91, 1, 1);
}

/* Everything that reads constants finds all of a whole bank. */
static void test_bank_high(void)
{
    static const uint32_t want[] = {
        0x1234, 0x1234, 0x1234, 0x1234, 0x5678, 0x5678, 0x9abc, 0x9abc,
    };
    Fixture *f = fixture_new(1);

    f->qmd.cbuf[4] = (VgspCbuf) { .va = MEM, .size = 0x10000 };
    words(f, MEM + 0x9000)[0] = 0x1234;
    words(f, MEM + 0xb000)[0] = 0x5678;
    words(f, MEM + 0x1000)[0] = 0x9abc;
    LOAD(f, PROLOGUE, mov(4, 0x2000),
         umov(4, 0x2000), umov(5, 0),
         mov_c(20, 4, 0x9000), ldc(21, 4, RZ, 0x9000), uldc(6, 4, 0x9000),
         mov_ur(22, 6), uldc_ur(6, 4, 5, 0x9000), mov_ur(23, 6),
         ldc(24, 4, 4, 0x9000), uldc_ur(6, 4, 4, 0x9000), mov_ur(25, 6),
         /* What is 0 or more stays what it is. */
         ldc(26, 4, 4, 0xf000), uldc_ur(6, 4, 4, 0xf000), mov_ur(27, 6),
         stg(2, 0x20000, 20, B32), stg(2, 0x20080, 21, B32),
         stg(2, 0x20100, 22, B32), stg(2, 0x20180, 23, B32),
         stg(2, 0x20200, 24, B32), stg(2, 0x20280, 25, B32),
         stg(2, 0x20300, 26, B32), stg(2, 0x20380, 27, B32), exit_());
    launch_ok(f);
    for (unsigned n = 0; n < G_N_ELEMENTS(want); n++) {
        g_assert_cmphex(words(f, MEM + 0x20000 + n * 0x80)[0], ==, want[n]);
    }
    fixture_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sm75-load/if", test_load_if);
    g_test_add_func("/sm75-load/bank-high", test_bank_high);
    return g_test_run();
}
