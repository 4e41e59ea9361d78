/*
 * The macro engine, instruction by instruction: operations, registers,
 * outputs, predicates and control flow. Results were worked out by hand.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mme-rig.h"

/* ---- Operations ---- */

static uint32_t eval(unsigned op, uint32_t x, uint32_t y, uint16_t imm)
{
    uint32_t r;

    setup();
    LOAD(7, alu1(a0(ADD, 1, LOAD0, ZERO, 0), ADD, 2, LOAD1, ZERO, 0),
         a0(op, 3, 1, 2, imm), end_next(nop()), emit(3));
    g_assert_cmpint(call_macro(7, PARAMS(x, y)), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 1);
    assert_call(0, 0x100, ctx->call[0].data);
    r = ctx->call[0].data;
    teardown();
    return r;
}

static void test_ops(void)
{
    static const struct { unsigned op; uint32_t x, y; uint32_t r; } v[] = {
        { ADD, 0xffffffff, 2, 1 },
        { SUB, 1, 2, 0xffffffff },
        { MUL, 0xfffffffe, 3, 0xfffffffa },
        { MULU, 0x10001, 0x10001, 0x00020001 },
        { MULH, 7, 9, 0 },          /* no multiplication before it */
        { CLZ, 1, 0, 31 }, { CLZ, 0x80000000, 0, 0 }, { CLZ, 0, 0, 32 },
        { SLL, 3, 31, 0x80000000 }, { SLL, 3, 33, 6 },
        { SRL, 0x80000000, 31, 1 }, { SRL, 0x80000000, 32, 0x80000000 },
        { SRA, 0x80000000, 31, 0xffffffff }, { SRA, 0x40000000, 30, 1 },
        { AND, 0xff00ff00, 0x0ff00ff0, 0x0f000f00 },
        { NAND, 0xff00ff00, 0x0ff00ff0, 0xf0fff0ff },
        { OR, 0xff00ff00, 0x0ff00ff0, 0xfff0fff0 },
        { XOR, 0xff00ff00, 0x0ff00ff0, 0xf0f0f0f0 },
        { SLT, 0xffffffff, 0, 0xffffffff }, { SLT, 0, 0xffffffff, 0 },
        { SLT, 5, 5, 0 },
        { SLTU, 0xffffffff, 0, 0 }, { SLTU, 0, 0xffffffff, 0xffffffff },
        { SLE, 5, 5, 0xffffffff }, { SLE, 6, 5, 0 },
        { SLE, 0x80000000, 0x7fffffff, 0xffffffff },
        { SLEU, 0x80000000, 0x7fffffff, 0 }, { SLEU, 5, 5, 0xffffffff },
        { SEQ, 5, 5, 0xffffffff }, { SEQ, 5, 6, 0 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        g_test_message("op %u, 0x%x, 0x%x", v[i].op, v[i].x, v[i].y);
        g_assert_cmphex(eval(v[i].op, v[i].x, v[i].y, 0), ==, v[i].r);
    }
}

static void test_merge(void)
{
    /* dst_pos 15:10, bits 9:5, src_pos 4:0 */
    g_assert_cmphex(eval(MERGE, 0xaaaaaaaa, 0x12345678, 8 << 10 | 8 << 5 | 4),
                    ==, 0xaaaa67aa);
    /* No bits: x as it is. */
    g_assert_cmphex(eval(MERGE, 0xaaaaaaaa, 0xffffffff, 0), ==, 0xaaaaaaaa);
    /* 31 bits of y, from bit 1. */
    g_assert_cmphex(eval(MERGE, 0x80000000, 0xfffffffe, 31 << 5 | 1), ==,
                    0xffffffff);
    /* What lies beyond bit 31 is lost. */
    g_assert_cmphex(eval(MERGE, 0, 0xff, 28 << 10 | 8 << 5), ==, 0xf0000000);
    g_assert_cmphex(eval(MERGE, 5, 0xff, 40 << 10 | 8 << 5), ==, 5);
}

/* Both ALUs: the low and the high word of x op y, 64 bits each. */
static uint64_t eval64(unsigned op0, unsigned op1, uint64_t x, uint64_t y)
{
    uint64_t r;

    setup();
    LOAD(0, alu1(a0(ADD, 0, LOAD0, ZERO, 0), ADD, 1, LOAD1, ZERO, 0),
         alu1(a0(ADD, 2, LOAD0, ZERO, 0), ADD, 3, LOAD1, ZERO, 0),
         alu1(a0(op0, 4, 0, 2, 0), op1, 5, 1, 3, 0), emit(4),
         end_next(emit(5)), nop());
    call_macro(0, PARAMS((uint32_t)x, (uint32_t)(x >> 32), (uint32_t)y,
                         (uint32_t)(y >> 32)));
    g_assert_cmpuint(ctx->calls, ==, 2);
    r = (uint64_t)ctx->call[1].data << 32 | ctx->call[0].data;
    teardown();
    return r;
}

static void test_carry(void)
{
    g_assert_cmphex(eval64(ADD, ADDC, 0x1ffffffff, 0x200000001), ==,
                    0x400000000);
    g_assert_cmphex(eval64(ADD, ADDC, 0x1fffffffe, 0x200000001), ==,
                    0x3ffffffff);
    g_assert_cmphex(eval64(SUB, SUBB, 0x300000000, 0x100000001), ==,
                    0x1ffffffff);
    g_assert_cmphex(eval64(SUB, SUBB, 0x300000001, 0x100000001), ==,
                    0x200000000);
    /* The upper words of the operands do not matter to MULH. */
    g_assert_cmphex(eval64(MUL, MULH, 0xffffffff, 5), ==,
                    UINT64_C(0xfffffffffffffffb));
    g_assert_cmphex(eval64(MULU, MULH, 0xffffffff, 0xffffffff), ==,
                    UINT64_C(0xfffffffe00000001));
}

static void test_no_carry_between_groups(void)
{
    setup();
    LOAD(0, a0(ADD, 1, IMM, IMM, 0xffff), a0(ADDC, 2, ZERO, ZERO, 0),
         end_next(emit(2)), nop());
    call_macro(0, NULL, 0);
    assert_call(0, 0x100, 0);
    teardown();
}

static void test_registers(void)
{
    setup();
    /* Immediates of ALUs are signed, those of outputs are not. */
    LOAD(0, alu1(a0(ADD, 23, IMM, ZERO, 0x8000), ADD, 22, IMMPAIR, ZERO, 3),
         out0(a0(ADD, ZERO, 23, ZERO, 0x1040), OUT_IMM0, OUT_ALU0),
         out0(a0(ADD, ZERO, 22, ZERO, 0), NONE, OUT_ALU0),
         /* ZERO takes no value. */
         a0(ADD, ZERO, IMM, ZERO, 9), out0(a0(ADD, 1, ZERO, ZERO, 0), NONE,
                                           OUT_ALU0),
         out0(alu1(a0(ADD, 2, IMM32, ZERO, 0x8765), ADD, ZERO, ZERO, ZERO,
                   0x4321), NONE, OUT_ALU0),
         /* IMMPAIR of ALU0 is ALU1's. */
         out0(alu1(a0(ADD, 2, IMMPAIR, IMM, 1), ADD, ZERO, ZERO, ZERO,
                   0xfffe), NONE, OUT_ALU0),
         end_next(nop()), nop());
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 5);
    assert_call(0, 0x100, 0xffff8000);
    assert_call(1, 0x104, 0xffff8000);
    assert_call(2, 0x108, 0);
    assert_call(3, 0x10c, 0x87654321);
    assert_call(4, 0x110, 0xffffffff);
    teardown();
}

static void test_outputs(void)
{
    Group g = alu1(a0(ADD, ZERO, IMM, ZERO, 0xa123), SUB, ZERO, ZERO, IMM,
                   0xb456);

    setup();
    LOAD(0, select_method(0x1b00, 1),
         out1(out0(g, NONE, OUT_ALU0), NONE, OUT_ALU1),
         out1(out0(g, NONE, OUT_IMM0), NONE, OUT_IMM1),
         out1(out0(g, NONE, OUT_IMMHIGH0), NONE, OUT_IMMHIGH1),
         out1(out0(g, NONE, OUT_IMM32), NONE, OUT_LOAD0),
         out1(out0(nop(), NONE, OUT_LOAD0), NONE, OUT_LOAD1),
         /* Method in one output, data in the other; increment 15. */
         out1(out0(alu0(g, ADD, ZERO, ZERO, ZERO, 0xf040), OUT_IMM0, NONE),
              NONE, OUT_IMM1),
         /* Addresses wrap behind the last method. */
         end_next(out0(select_method(0x3ffc, 2), OUT_IMM0, OUT_IMM1)),
         out0(nop(), NONE, OUT_IMM0));
    g_assert_cmpint(call_macro(0, PARAMS(1, 2, 3)), ==, VGSP_FE_ERROR);
    /* The last two cannot be: 0x3ffc is the macro engine's own. */
    g_assert_cmpuint(ctx->calls, ==, 11);
    assert_call(0, 0x1b00, 0xffffa123);
    assert_call(1, 0x1b04, 0x00004baa);
    assert_call(2, 0x1b08, 0xa123);
    assert_call(3, 0x1b0c, 0xb456);
    assert_call(4, 0x1b10, 0xa);
    assert_call(5, 0x1b14, 0xb);
    assert_call(6, 0x1b18, 0xa123b456);
    assert_call(7, 0x1b1c, 1);
    assert_call(8, 0x1b20, 2);
    assert_call(9, 0x1b24, 3);
    assert_call(10, 0x100, 0xb456);
    double_assert_error(ctx, VGSP_EXC_MACRO, 7);
    teardown();
}

static void test_increment(void)
{
    setup();
    LOAD(0, select_method(0x100, 15), out0(nop(), NONE, OUT_IMM0),
         end_next(out0(nop(), NONE, OUT_IMM0)),
         out0(nop(), NONE, OUT_IMM0));
    call_macro(0, NULL, 0);
    g_assert_cmpuint(ctx->calls, ==, 3);
    assert_call(0, 0x100, 0);
    assert_call(1, 0x13c, 0);
    assert_call(2, 0x178, 0);
    teardown();
}

/* ---- Predicates ---- */

static void test_predicates(void)
{
    /* ALU0, ALU1, OUT0, OUT1: U, or what suppresses it. */
    static const char *const modes[16] = {
        "UUUU", "TTTT", "FFFF", "TTUU", "FFUU", "TFUU", "TUUU", "FUUU",
        "UUTT", "UUTF", "UUTU", "UUFT", "UUFF", "UUFU", "UUUT", "UUUF",
    };

    for (unsigned mode = 0; mode < 16; mode++) {
        for (uint32_t value = 0; value < 4; value += 2) {
            uint32_t run[4];
            unsigned n = 0;

            for (unsigned i = 0; i < 4; i++) {
                run[i] = modes[mode][i] != (value ? 'T' : 'F');
            }
            setup();
            LOAD(0, alu1(a0(ADD, 5, LOAD0, ZERO, 0x2040), ADD, ZERO, ZERO,
                         ZERO, 0),
                 select_method(0x100, 2),
                 predicate(out1(out0(alu1(a0(ADD, 1, IMM, ZERO, 11), ADD, 2,
                                          IMM, ZERO, 22), NONE, OUT_IMM0),
                                NONE, OUT_IMM1), mode, 5),
                 out1(out0(alu1(a0(ADD, ZERO, 1, ZERO, 0x80), ADD, ZERO, 2,
                                ZERO, 0x81), OUT_IMM0, OUT_ALU0), OUT_IMM1,
                      OUT_ALU1),
                 end_next(nop()), nop());
            g_assert_cmpint(call_macro(0, PARAMS(value)), ==, VGSP_FE_DONE);
            if (run[2]) {
                assert_call(n++, 0x100, 11);
            }
            if (run[3]) {
                assert_call(n, 0x100 + 8 * n, 22);
                n++;
            }
            assert_call(n++, 0x200, run[0] ? 11 : 0);
            assert_call(n++, 0x204, run[1] ? 22 : 0);
            g_assert_cmpuint(ctx->calls, ==, n);
            teardown();
        }
    }
}

static void test_suppressed_load(void)
{
    /* A parameter is consumed by a group that does nothing with it. */
    setup();
    LOAD(0, predicate(a0(ADD, 1, LOAD0, ZERO, 0), 2 /* FFFF */, ZERO),
         a0(ADD, 2, LOAD0, ZERO, 0), end_next(emit(2)), nop());
    g_assert_cmpint(call_macro(0, PARAMS(5, 6)), ==, VGSP_FE_DONE);
    assert_call(0, 0x100, 6);
    teardown();

    /* Also one that only the predicate names. */
    setup();
    LOAD(0, predicate(out0(a0(ADD, ZERO, ZERO, ZERO, 0x40), OUT_IMM0,
                           OUT_IMM0), 12 /* UUFF */, LOAD0),
         a0(ADD, 2, LOAD0, ZERO, 0), end_next(emit(2)), nop());
    g_assert_cmpint(call_macro(0, PARAMS(0, 6)), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 1);
    assert_call(0, 0x100, 6);
    teardown();
}

static void test_stale_result(void)
{
    /* A suppressed ALU leaves its last result to the outputs. */
    setup();
    LOAD(0, a0(ADD, ZERO, IMM, ZERO, 7),
         predicate(out0(alu1(a0(ADD, ZERO, IMM, ZERO, 8), ADD, ZERO, ZERO,
                             ZERO, 0x40), OUT_IMM1, OUT_ALU0),
                   4 /* FFUU */, ZERO),
         end_next(nop()), nop());
    call_macro(0, NULL, 0);
    assert_call(0, 0x100, 7);
    teardown();
}

/* ---- Control flow ---- */

static void test_loop(void)
{
    static const struct { uint32_t count, times; } v[] = {
        { 0, 1 }, { 1, 1 }, { 5, 5 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        setup();
        LOAD(0, a0(LOOP, ZERO, LOAD0, ZERO, 3), a0(ADD, 1, 1, IMM, 1),
             a0(ADD, 2, 2, IMM, 1), a0(ADD, 3, 3, IMM, 1), emit(1), emit(2),
             end_next(emit(3)), nop());
        g_assert_cmpint(call_macro(0, PARAMS(v[i].count)), ==, VGSP_FE_DONE);
        assert_call(0, 0x100, v[i].times);
        assert_call(1, 0x100, v[i].times);
        assert_call(2, 0x100, 1);
        teardown();
    }
}

static void test_loops_do_not_nest(void)
{
    setup();
    LOAD(0, a0(LOOP, ZERO, IMM, ZERO, 4), a0(LOOP, ZERO, IMM, ZERO, 2), nop(),
         nop(), end_next(nop()), nop());
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 2);
    teardown();

    /* One behind the other is well. */
    setup();
    LOAD(0, a0(LOOP, ZERO, IMM, ZERO, 2), a0(ADD, 1, 1, IMM, 1),
         a0(LOOP, ZERO, IMM, ZERO, 2), a0(ADD, 1, 1, IMM, 1),
         end_next(emit(1)), nop());
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_DONE);
    assert_call(0, 0x100, 4);
    teardown();
}

static void test_jal(void)
{
    setup();
    LOAD(0, a0(JAL, ZERO, ZERO, ZERO, 0x8003), a0(ADD, 1, 1, IMM, 1),
         a0(ADD, 1, 1, IMM, 2), a0(ADD, 1, 1, IMM, 4), end_next(emit(1)),
         nop());
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_DONE);
    assert_call(0, 0x100, 4);
    teardown();

    setup();
    LOAD(0, a0(JAL, ZERO, ZERO, ZERO, 3), nop());
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_ERROR);
    g_assert_cmpint(ctx->exception, ==, VGSP_EXC_NOT_MODELLED);
    teardown();
}

static void test_branches(void)
{
    static const struct {
        unsigned op;
        uint32_t x, y;
        bool holds;
    } v[] = {
        { BLT, 0xffffffff, 0, true }, { BLT, 0, 0, false },
        { BLTU, 0xffffffff, 0, false }, { BLTU, 0, 1, true },
        { BLE, 0, 0, true }, { BLE, 1, 0xffffffff, false },
        { BLEU, 1, 0xffffffff, true }, { BLEU, 2, 1, false },
        { BEQ, 3, 3, true }, { BEQ, 3, 4, false },
    };

    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(v); i++) {
        unsigned j = i / 2;
        bool if_true = i & 1;

        setup();
        LOAD(0, alu1(a0(ADD, 1, LOAD0, ZERO, 0), ADD, 2, LOAD1, ZERO, 0),
             a0(v[j].op, ZERO, 1, 2, (uint16_t)(if_true << 15 | 2)),
             a0(ADD, 3, IMM, ZERO, 1), end_next(emit(3)), nop());
        g_assert_cmpint(call_macro(0, PARAMS(v[j].x, v[j].y)), ==,
                        VGSP_FE_DONE);
        assert_call(0, 0x100, v[j].holds == if_true ? 0 : 1);
        teardown();
    }
}

static void test_branch_backwards(void)
{
    /* do { r1 += 3; } while (r1 != 9) */
    setup();
    LOAD(0, a0(ADD, 1, 1, IMM, 3), nop(),
         alu1(a0(BEQ, ZERO, 1, IMMPAIR, 0x1ffe), ADD, ZERO, ZERO, ZERO, 9),
         end_next(emit(1)), nop());
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 1);
    assert_call(0, 0x100, 9);
    teardown();
}

static void test_exit(void)
{
    /* An exit takes effect at once; the group itself is completed. */
    setup();
    LOAD(0, select_method(0x100, 0),
         out0(a0(BEQ, ZERO, ZERO, ZERO, 0x9000), NONE, OUT_IMM1),
         out0(nop(), NONE, OUT_IMM1));
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 1);
    teardown();

    /* One that is not taken does nothing. */
    setup();
    LOAD(0, select_method(0x100, 0), a0(BEQ, ZERO, ZERO, ZERO, 0x1000),
         end_next(out0(nop(), NONE, OUT_IMM1)),
         out0(nop(), NONE, OUT_IMM1));
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 2);
    teardown();
}

static void test_end_next(void)
{
    /* The next group executed is the last, wherever it lies. */
    setup();
    LOAD(0, select_method(0x100, 0),
         end_next(a0(JAL, ZERO, ZERO, ZERO, 0x8002)),
         out0(a0(ADD, ZERO, ZERO, ZERO, 1), NONE, OUT_IMM0),
         out0(a0(ADD, ZERO, ZERO, ZERO, 2), NONE, OUT_IMM0),
         out0(a0(ADD, ZERO, ZERO, ZERO, 3), NONE, OUT_IMM0));
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 1);
    assert_call(0, 0x100, 2);
    teardown();
}

/*
 * GH100 silicon: macros whose starts are three units apart, of three groups
 * each, do not lie on each other; a driver that counts words leaves gaps.
 */
static void test_unit(void)
{
    static const uint32_t at[] = { 0x40, 0x43, 0x49 };

    setup();
    for (unsigned i = 0; i < G_N_ELEMENTS(at); i++) {
        const Group g[] = {
            out0(alu1(a0(ADD, ZERO, ZERO, ZERO, 0x1b08 / 4), ADD, ZERO, ZERO,
                      ZERO, (uint16_t)(0x11 * (i + 1))), OUT_IMM0, OUT_IMM1),
            end_next(nop()), nop(),
        };

        ram_end = at[i];
        load(i, g, G_N_ELEMENTS(g));
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(at); i++) {
        g_assert_cmpint(method(0x3800 + 8 * i, 0), ==, VGSP_FE_DONE);
        assert_call(i, 0x1b08, 0x11 * (i + 1));
    }
    g_assert_cmpuint(ctx->calls, ==, 3);
    teardown();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/mme/ops", test_ops);
    g_test_add_func("/mme/merge", test_merge);
    g_test_add_func("/mme/carry", test_carry);
    g_test_add_func("/mme/no-carry-between-groups",
                    test_no_carry_between_groups);
    g_test_add_func("/mme/registers", test_registers);
    g_test_add_func("/mme/outputs", test_outputs);
    g_test_add_func("/mme/increment", test_increment);
    g_test_add_func("/mme/predicates", test_predicates);
    g_test_add_func("/mme/suppressed-load", test_suppressed_load);
    g_test_add_func("/mme/stale-result", test_stale_result);
    g_test_add_func("/mme/loop", test_loop);
    g_test_add_func("/mme/loops-do-not-nest", test_loops_do_not_nest);
    g_test_add_func("/mme/jal", test_jal);
    g_test_add_func("/mme/branches", test_branches);
    g_test_add_func("/mme/branch-backwards", test_branch_backwards);
    g_test_add_func("/mme/exit", test_exit);
    g_test_add_func("/mme/end-next", test_end_next);
    g_test_add_func("/mme/unit", test_unit);
    return g_test_run();
}
