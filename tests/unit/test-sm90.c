/*
 * sm_75 instructions in the encoding of sm_90. The words are what NVIDIA's
 * assemblers make of a line for each, or follow by hand from the fields that
 * nvdisasm shows.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include <stdio.h>
#include <string.h>
#include "translate/sm90.h"

typedef struct Vector {
    const char *line;
    uint64_t hi, lo;            /* sm_75 */
    uint64_t new_hi, new_lo;    /* sm_90 */
} Vector;

static const Vector vectors[] = {
    { "FFMA R0, R2, R3, R4",
      0x000fc80000000004, 0x0000000302007223,
      0x000fc80000000004, 0x0000000302007223 },
    { "EXIT", 0x000fea0003800000, 0x000000000000794d,
      0x000fea0003800000, 0x000000000000794d },
    { "BRA to itself", 0x000fc0000383ffff, 0xfffffff000007947,
      0x000fc0000383ffff, 0xfffffffc00fc7947 },
    { "BRA +0x100", 0x000fc00003800000, 0x0000010000007947,
      0x000fc00003800000, 0x0000000000407947 },
    { "BRA +0x1000", 0x000fc00003800000, 0x0000100000007947,
      0x000fc00003800000, 0x0000001000007947 },
    { "BRA.DIV keeps its flag", 0x000fc00003800000, 0x0000010200007947,
      0x000fc00003800000, 0x0000000200407947 },
    { "@!P0 BRA -0x110", 0x000fc0000383ffff, 0xfffffef000008947,
      0x000fc0000383ffff, 0xfffffffc00bc8947 },
    { "BSSY B3, +0x100", 0x000fc00003800000, 0x0000010000037945,
      0x000fc00003800000, 0x0000010000037945 },
    { "CALL.ABS 0x12340", 0x000fc00003800000, 0x0001234000007943,
      0x000fc00003800000, 0x0000012000d07943 },
    { "RET.ABS.NODEC R4 0x100", 0x000fc00003a00000, 0x0000010004007950,
      0x000fc00003a00000, 0x0000000004407950 },
    { "LDG.E.SYS: weak", 0x001ea400001ee900, 0x00000000020c7381,
      0x001ea400001e0900, 0x00000000020c7381 },
    { "LDG.E.CONSTANT.SYS", 0x001ea400001e6900, 0x00000000020c7381,
      0x001ea400001e8900, 0x00000000020c7381 },
    { "LDG.E.STRONG.GPU", 0x001ea400001f4900, 0x00000000020c7381,
      0x001ea400001ee900, 0x00000000020c7381 },
    { "LDG.E.STRONG.SYS", 0x001ea400001f6900, 0x00000000020c7381,
      0x001ea400001f4900, 0x00000000020c7381 },
    { "LDG.E.STRONG.CTA", 0x001ea400001f0900, 0x00000000020c7381,
      0x001ea400001ea900, 0x00000000020c7381 },
    { "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R4], R6", 0x000fc20000114700,
      0x000000060400798e, 0x000fc2000010f300, 0x00000006040079a6 },
    { "ATOMG.E.MAX.S64.STRONG.GPU", 0x000fc200011f4bff, 0x00000006040273a8,
      0x000fc200011ee7ff, 0x00000006040273a8 },
    { "STG.E.SYS", 0x0001e2000010e900, 0x0000000402007386,
      0x0001e20000100900, 0x0000000402007386 },
    { "ATOMG.E.ADD.STRONG.GPU", 0x0001e200001f41ff, 0x00000004020073a8,
      0x0001e200001ee1ff, 0x00000004020073a8 },
    { "R2UR UR5, R9 has a latency instead of barrier 0",
      0x001e1800000e0000, 0x00000000090573c2,
      0x001fde00000e0000, 0x00000000090572ca },
    { "DADD R2, R4, R6 has a latency instead of barrier 0",
      0x001e0c0000000006, 0x0000000004027229,
      0x001fde0000000006, 0x0000000004027229 },
    { "ISETP.GE.U32.AND P0, PT, R3, R2, PT takes a cycle more",
      0x000fd80003f06070, 0x000000020300720c,
      0x000fda0003f06070, 0x000000020300720c },
    { "MUFU.COS.F16 R2, R3", 0x000fc20000000200, 0x0000000300027308,
      0x000fc20000000100, 0x0000000300027308 },
    { "I2IP.U8.S32.SAT R2, R3, R4, R5",
      0x000fc20000000005, 0x0000000403027239,
      0x000fc20000000405, 0x0000000403027239 },
    { "WARPSYNC R9", 0x000fc20003800000, 0x0000000900007348,
      0x000fc20003800000, 0x0000000009007348 },
    { "WARPSYNC 0xffffffff", 0x000fc20003800000, 0xffffffff00007948,
      0x000fc20003800000, 0x0000000000007948 },
    { "LDS.U R2, [R4]", 0x000fc20000001800, 0x0000000004027984,
      0x000fc20000000800, 0x0000000004027984 },
    { "FMNMX, bits without meaning", 0x000fc2000384001e, 0x0000000302017209,
      0x000fc20003800000, 0x0000000302017209 },
    /* GH100 silicon: what has no use must hold none. As ptxas has it. */
    { "IMAD R0, R2, R3, R4 with a predicate", 0x000fc80007800004,
      0x0000000302007224, 0x000fc800078e0004, 0x0000000302007224 },
    { "UIMAD UR4, UR4, UR5, UR6", 0x000fe2000f800006, 0x00000005040472a4,
      0x000fe2000f8e0006, 0x00000005040472a4 },
    { "LEA R2, R0, R3, 0x2 with a third register", 0x000fc800078e1009,
      0x0000000300027211, 0x000fc800078e10ff, 0x0000000300027211 },
    { "LEA.HI R2, R0, R3, R9, 0x2 has one", 0x000fc800078f1009,
      0x0000000300027211, 0x000fc800078f1009, 0x0000000300027211 },
    { "F2FP.F16.F32.PACK_AB R7, RZ, R4", 0x002fc60000000006,
      0x00000004ff07723e, 0x002fc600000000ff, 0x00000004ff07723e },
    { "HADD2.F32 R13, -RZ, R0.H0_H0", 0x020fe200000041ff,
      0x20000000ff0d7230, 0x020fe20000004100, 0x20000000ff0d7230 },
    { "MOV R1, R2 with all of them", 0x000fc20007fe0fff, 0x00000002ff017202,
      0x000fc20000000f00, 0x0000000200017202 },
    { "monitor triggers of sm_90", 0x000fc2c000000004, 0x0000000302007223,
      0x000fc20000000004, 0x0000000302007223 },
    { "BAR.SYNC 0 waits for six cycles",
      0x000fca0000010000, 0x0000000000007b1d,
      0x000fcc0000010000, 0x0000000000007b1d },
};

static void test_vectors(void)
{
    for (unsigned n = 0; n < G_N_ELEMENTS(vectors); n++) {
        const Vector *v = &vectors[n];
        Sm90Insn i = { v->lo, v->hi };
        const char *why = sm90_translate(&i);

        g_test_message("%s", v->line);
        g_assert_cmpstr(why, ==, NULL);
        g_assert_cmphex(i.hi, ==, v->new_hi);
        g_assert_cmphex(i.lo, ==, v->new_lo);
    }
}

static void cannot(uint64_t hi, uint64_t lo, const char *why)
{
    Sm90Insn i = { lo, hi };

    g_assert_cmpstr(sm90_translate(&i), ==, why);
    g_assert_cmphex(i.hi, ==, hi);
    g_assert_cmphex(i.lo, ==, lo);
}

static void test_cannot(void)
{
    cannot(0, 0, "an unknown instruction");
    cannot(0x000fc20000000000, 0x0000000302007fff, "an unknown instruction");
    cannot(0x000fc20000004000, 0x0000000302007232,
           "half-precision arithmetic with a 32-bit operand"); /* HMUL2.F32 */
    cannot(0x000fc20000004000, 0x0000000302007230,
           "HADD2.F32 but as a conversion");
    cannot(0x000fc20000000400, 0x0000000302007230,
           "half-precision arithmetic with a 32-bit operand");
    cannot(0x001ea400009ee900, 0x00000000020c7381, "a load with .ZD");
    cannot(0x0001e20000106900, 0x0000000402007386,
           "a store or atomic operation of constant order");
    cannot(0x000fc20003800000, 0x0000000f00007948,
           "WARPSYNC of lanes that are not in a register");
    cannot(0x000fc20000000000, 0x0000000302007237,
           "a matrix or surface instruction, or BPT"); /* IMMA */
}

static void test_flow(void)
{
    /* BRA -0x10 at 0x1000, always and not always. */
    Sm90Flow f = sm90_flow(0x1000, 0xfffffff000007947, 0x000fc0000383ffff);

    g_assert_true(f.target && !f.next && !f.indirect);
    g_assert_cmphex(f.to, ==, 0x1000);
    f = sm90_flow(0x1000, 0xfffffff000008947, 0x000fc0000383ffff);
    g_assert_true(f.target && f.next);
    f = sm90_flow(0x1000, 0x0000000000008947 | 0x20000000000,
                  0x000fc00003800000);
    g_assert_cmphex(f.to, ==, 0x1210);
    /* BSSY goes on; EXIT does not, unless it is guarded. */
    f = sm90_flow(0x1000, 0x0000010000037945, 0x000fc00003800000);
    g_assert_true(f.target && f.next);
    g_assert_cmphex(f.to, ==, 0x1110);
    f = sm90_flow(0x1000, 0x000000000000794d, 0x000fea0003800000);
    g_assert_true(!f.target && !f.next);
    f = sm90_flow(0x1000, 0x000000000000094d, 0x000fea0003800000);
    g_assert_true(!f.target && f.next);
    /* CALL.ABS comes back, BRX is anywhere, LD may read shared memory. */
    f = sm90_flow(0x1000, 0x0001234000007943, 0x000fc00003800000);
    g_assert_true(f.target && f.next && !f.indirect);
    g_assert_cmphex(f.to, ==, 0x12340);
    g_assert_true(sm90_flow(0, 0x0000000002007949, 0x0383ffff).indirect);
    g_assert_true(sm90_flow(0, 0x0000000002007980, 0x00100900).generic);
    g_assert_false(sm90_flow(0, 0x0000000002007381, 0x00100900).generic);
}

/* --words FILE: instructions to standard output; what cannot be is zeros. */
static int translate_words(const char *path)
{
    g_autofree char *data = NULL;
    gsize size;

    if (!g_file_get_contents(path, &data, &size, NULL)) {
        return 1;
    }
    for (gsize at = 0; at + sizeof(Sm90Insn) <= size; at += sizeof(Sm90Insn)) {
        Sm90Insn i;

        memcpy(&i, data + at, sizeof(i));
        if (sm90_translate(&i)) {
            memset(&i, 0, sizeof(i));
        }
        fwrite(&i, sizeof(i), 1, stdout);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "--words")) {
        return translate_words(argv[2]);
    }
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sm90/vectors", test_vectors);
    g_test_add_func("/sm90/cannot", test_cannot);
    g_test_add_func("/sm90/flow", test_flow);
    return g_test_run();
}
