/*
 * The macro engine, instruction by instruction: programs are assembled here
 * bit by bit as NVIDIA's MME64 notes state them, results were worked out by
 * hand.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model-double.h"
#include "model/mme.c"

/* ---- An assembler ---- */

enum {
    ADD, ADDC, SUB, SUBB, MUL, MULH, MULU, EXTENDED, CLZ, SLL, SRL, SRA, AND,
    NAND, OR, XOR, MERGE, SLT, SLTU, SLE, SLEU, SEQ, STATE, LOOP, JAL, BLT,
    BLTU, BLE, BLEU, BEQ, DREAD, DWRITE,
};
enum { ZERO = 24, IMM, IMMPAIR, IMM32, LOAD0, LOAD1 };
enum {
    NONE, OUT_ALU0, OUT_ALU1, OUT_LOAD0, OUT_LOAD1, OUT_IMM0, OUT_IMM1,
    OUT_IMMHIGH0 = 8, OUT_IMMHIGH1, OUT_IMM32,
};

typedef struct Group {
    uint32_t b[3];              /* b[0] is bits 31:0 */
} Group;

static Group put(Group g, unsigned hi, unsigned lo, uint32_t value)
{
    for (unsigned i = lo; i <= hi; i++) {
        g.b[i / 32] &= ~(1u << (i % 32));
        g.b[i / 32] |= (value >> (i - lo) & 1) << (i % 32);
    }
    return g;
}

static Group alu0(Group g, unsigned op, unsigned dst, unsigned x, unsigned y,
                  uint16_t imm)
{
    g = put(put(g, 14, 10, op), 19, 15, dst);
    return put(put(put(g, 24, 20, x), 29, 25, y), 45, 30, imm);
}

static Group alu1(Group g, unsigned op, unsigned dst, unsigned x, unsigned y,
                  uint16_t imm)
{
    g = put(put(g, 50, 46, op), 55, 51, dst);
    return put(put(put(g, 60, 56, x), 65, 61, y), 81, 66, imm);
}

static Group nop(void)
{
    Group g = { { 0 } };

    g = put(g, 9, 5, ZERO);
    return alu1(alu0(g, ADD, ZERO, ZERO, ZERO, 0), ADD, ZERO, ZERO, ZERO, 0);
}

static Group a0(unsigned op, unsigned dst, unsigned x, unsigned y,
                uint16_t imm)
{
    return alu0(nop(), op, dst, x, y, imm);
}

static Group out0(Group g, unsigned method, unsigned emit)
{
    return put(put(g, 84, 82, method), 88, 85, emit);
}

static Group out1(Group g, unsigned method, unsigned emit)
{
    return put(put(g, 91, 89, method), 95, 92, emit);
}

static Group predicate(Group g, unsigned mode, unsigned reg)
{
    return put(put(g, 4, 1, mode), 9, 5, reg);
}

static Group end_next(Group g)
{
    return put(g, 0, 0, 1);
}

/* Emits register reg to method 0x100 (word 0x40, no increment). */
static Group emit(unsigned reg)
{
    return out0(alu1(a0(ADD, ZERO, reg, ZERO, 0), ADD, ZERO, ZERO, ZERO, 0x40),
                OUT_IMM1, OUT_ALU0);
}

/* Selects a method by its byte address, in ALU0's immediate. */
static Group select_method(uint32_t method, unsigned increment)
{
    return out0(a0(ADD, ZERO, ZERO, ZERO,
                   (uint16_t)(increment << 12 | method / 4)), OUT_IMM0, NONE);
}

/* ---- Calling it ---- */

static VgspMme *mme;
static VgspContext *ctx;
static uint32_t ram_end;        /* words */

static VgspFeEnd method(uint32_t address, uint32_t data)
{
    return vgsp_mme_method(mme, ctx, &ctx->worker, address, data);
}

static void setup(void)
{
    ctx = double_new();
    mme = vgsp_mme_new();
    ctx->mme = mme;
    ram_end = 0;
}

static void teardown(void)
{
    vgsp_mme_free(mme);
    double_free(ctx);
}

/* Loads groups as macro i; the words go upper first. */
static void load(unsigned i, const Group *groups, unsigned n)
{
    g_assert_cmpint(method(0x11c, i), ==, VGSP_FE_DONE);
    g_assert_cmpint(method(0x120, ram_end), ==, VGSP_FE_DONE);
    g_assert_cmpint(method(0x114, ram_end), ==, VGSP_FE_DONE);
    for (unsigned j = 0; j < n; j++) {
        for (int k = 2; k >= 0; k--) {
            g_assert_cmpint(method(0x118, groups[j].b[k]), ==, VGSP_FE_DONE);
        }
    }
    ram_end += 3 * n;
}

/* Calls macro i with parameters; the answer to the last of them. */
static VgspFeEnd call_macro(unsigned i, const uint32_t *params, unsigned n)
{
    VgspFeEnd end = method(0x3800 + 8 * i, n ? params[0] : 0);

    for (unsigned j = 1; j < n && end == VGSP_FE_DONE; j++) {
        end = method(0x3804 + 8 * i, params[j]);
    }
    return end;
}

#define PARAMS(...) \
    (const uint32_t[]){ __VA_ARGS__ }, \
    G_N_ELEMENTS(((const uint32_t[]){ __VA_ARGS__ }))
#define LOAD(i, ...) \
    load(i, (const Group[]){ __VA_ARGS__ }, \
         G_N_ELEMENTS(((const Group[]){ __VA_ARGS__ })))

static void assert_call(unsigned i, uint32_t address, uint32_t data)
{
    g_assert_cmpuint(i, <, ctx->calls);
    g_assert_cmpint(ctx->call[i].kind, ==, CALL_METHOD);
    g_assert_cmphex(ctx->call[i].method, ==, address);
    g_assert_cmphex(ctx->call[i].data, ==, data);
}

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
        g_test_message("op %u, %#x, %#x", v[i].op, v[i].x, v[i].y);
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

/* ---- Parameters ---- */

static void test_load_order(void)
{
    /* LOAD0 is the first of two, wherever they are named. */
    setup();
    LOAD(0, out1(out0(alu1(a0(SUB, ZERO, LOAD1, LOAD0, 0x1040), ADD, ZERO,
                           ZERO, ZERO, 0), OUT_IMM0, OUT_ALU0),
                 NONE, OUT_LOAD1),
         end_next(nop()), nop());
    g_assert_cmpint(call_macro(0, PARAMS(3, 10)), ==, VGSP_FE_DONE);
    assert_call(0, 0x100, 7);
    assert_call(1, 0x104, 10);
    teardown();
}

static void test_missing_parameter(void)
{
    /* The macro waits, and goes on when its parameter comes. */
    setup();
    LOAD(2, out0(a0(ADD, ZERO, LOAD0, ZERO, 0x40), OUT_IMM0, OUT_ALU0),
         out0(a0(ADD, ZERO, LOAD0, LOAD1, 0), NONE, OUT_ALU0),
         end_next(nop()), nop());
    g_assert_cmpint(method(0x3810, 5), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 1);
    assert_call(0, 0x100, 5);
    g_assert_cmpint(method(0x3814, 6), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 1);
    g_assert_cmpint(method(0x3814, 7), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 2);
    assert_call(1, 0x100, 13);
    /* Over: another one is too many. */
    g_assert_cmpint(method(0x3814, 8), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 1);
    g_assert_cmphex(ctx->method, ==, 0x3814);
    teardown();
}

static void wait_for_parameter(void)
{
    setup();
    LOAD(2, a0(ADD, 1, LOAD0, LOAD1, 0), end_next(nop()), nop());
    g_assert_cmpint(method(0x3810, 5), ==, VGSP_FE_DONE);
}

static void test_other_method_instead(void)
{
    uint32_t data = 1;

    wait_for_parameter();
    g_assert_cmpint(vgsp_mme_track(mme, ctx, 0x1b00, &data), ==,
                    VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 0);
    teardown();

    wait_for_parameter();
    g_assert_cmpint(method(0x3400, 5), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 0);
    teardown();

    wait_for_parameter();
    g_assert_cmpint(method(0x3810, 5), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 0);
    teardown();

    wait_for_parameter();
    g_assert_cmpint(method(0x381c, 5), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 0);
    teardown();
}

static void test_dummy_parameter(void)
{
    uint32_t data = 1;

    setup();
    LOAD(0, end_next(nop()), nop());
    g_assert_cmpint(method(0x3800, 0), ==, VGSP_FE_DONE);
    g_assert_cmpint(vgsp_mme_track(mme, ctx, 0x1b00, &data), ==, VGSP_FE_DONE);
    g_assert_cmpint(method(0x3800, 0), ==, VGSP_FE_DONE);
    g_assert_cmpint(method(0x3804, 0), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 1);
    teardown();
}

/* ---- State ---- */

static void test_state(void)
{
    setup();
    vgsp_mme_set_scratch(mme, 5, 0x55);
    LOAD(0,
         /* Scratch 5, as written from outside; 0x3414 is word 0xd05. */
         a0(STATE, 1, IMM, ZERO, 0x0d05), emit(1),
         /* A method that an earlier group emitted, address as a sum. */
         out0(alu1(a0(ADD, 2, IMM, ZERO, 0x06c0), ADD, ZERO, ZERO, ZERO,
                   0x1234), OUT_IMM0, OUT_IMM1),
         a0(STATE, 1, 2, ZERO, 0), emit(1),
         a0(STATE, 1, IMM, 2, 0xffff), emit(1),
         /* A scratch register that the macro writes itself. */
         out0(alu1(a0(ADD, ZERO, ZERO, ZERO, 0x0d06), ADD, ZERO, ZERO, ZERO,
                   0x77), OUT_IMM0, OUT_IMM1),
         a0(STATE, 1, IMM, ZERO, 0x0d06), end_next(emit(1)), nop());
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 5);
    assert_call(0, 0x100, 0x55);
    assert_call(1, 0x1b00, 0x1234);
    assert_call(2, 0x100, 0x1234);
    assert_call(3, 0x100, 0);
    assert_call(4, 0x100, 0x77);
    teardown();
}

static uint32_t shadow_of(uint32_t address)
{
    unsigned before = ctx->calls;

    LOAD(9, a0(STATE, 1, IMM, ZERO, (uint16_t)(address / 4)),
         out0(alu1(a0(ADD, ZERO, 1, ZERO, 0), ADD, ZERO, ZERO, ZERO, 0x41),
              OUT_IMM1, OUT_ALU0), end_next(nop()), nop());
    g_assert_cmpint(call_macro(9, NULL, 0), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, before + 1);
    return ctx->call[before].data;
}

static void track(uint32_t address, uint32_t data, uint32_t performed)
{
    g_assert_cmpint(vgsp_mme_track(mme, ctx, address, &data), ==,
                    VGSP_FE_DONE);
    g_assert_cmphex(data, ==, performed);
}

static void test_shadow_control(void)
{
    setup();
    track(0x1b00, 1, 1);
    g_assert_cmphex(shadow_of(0x1b00), ==, 1);
    method(0x124, 1);           /* TRACK_WITH_FILTER */
    track(0x1b00, 2, 2);
    g_assert_cmphex(shadow_of(0x1b00), ==, 2);
    method(0x124, 2);           /* PASSTHROUGH */
    track(0x1b00, 3, 3);
    g_assert_cmphex(shadow_of(0x1b00), ==, 2);
    g_assert_cmphex(shadow_of(0x124), ==, 1);
    method(0x124, 0);
    track(0x1b00, 4, 4);
    g_assert_cmphex(shadow_of(0x1b00), ==, 4);
    teardown();

    /* REPLAY: what is performed comes from the shadow RAM. */
    setup();
    track(0x1b00, 5, 5);
    method(0x3404, 6);
    method(0x124, 3);
    track(0x1b00, 7, 5);
    track(0x1b04, 7, 0);
    method(0x3404, 7);
    method(0x124, 0);
    g_assert_cmphex(shadow_of(0x1b00), ==, 5);
    g_assert_cmphex(shadow_of(0x3404), ==, 6);
    teardown();
}

/* ---- Data RAM, FIFO and DMA ---- */

static void set_address(uint64_t va)
{
    method(0x550, (uint32_t)(va >> 32));
    method(0x554, (uint32_t)va);
}

static void test_data_ram(void)
{
    setup();
    LOAD(0, alu1(a0(ADD, 1, LOAD0, ZERO, 0), ADD, 2, LOAD1, ZERO, 0),
         a0(DWRITE, ZERO, 1, 2, 0), a0(DREAD, 3, 1, ZERO, 0),
         end_next(emit(3)), nop());
    g_assert_cmpint(call_macro(0, PARAMS(0xfff, 0xcafe)), ==, VGSP_FE_DONE);
    assert_call(0, 0x100, 0xcafe);
    g_assert_cmpint(method(0x574, 1), ==, VGSP_FE_DONE);
    g_assert_cmpint(call_macro(0, PARAMS(0xbff, 0xbeef)), ==, VGSP_FE_DONE);
    assert_call(1, 0x100, 0xbeef);
    /* The FIFO's 4 KiB are no longer to be had. */
    g_assert_cmpint(call_macro(0, PARAMS(0xc00, 0xbeef)), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 6);
    teardown();
}

static void test_dma(void)
{
    setup();
    vgsp_put_le32(ctx->memory + 0x100, 0x11223344);
    vgsp_put_le32(ctx->memory + 0x104, 0x55667788);
    set_address(DOUBLE_VA + 0x100);
    method(0x558, 0xffe);
    g_assert_cmpint(method(0x55c, 2), ==, VGSP_FE_DONE);
    LOAD(0, a0(DREAD, 1, IMM, ZERO, 0xfff), emit(1),
         a0(ADD, 2, IMM, ZERO, 0xffe), a0(DWRITE, ZERO, 2, IMM, 7),
         end_next(nop()), nop());
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_DONE);
    assert_call(0, 0x100, 0x55667788);

    set_address(DOUBLE_VA + 0x200);
    g_assert_cmpint(method(0x564, 2), ==, VGSP_FE_DONE);
    g_assert_cmphex(vgsp_le32(ctx->memory + 0x200), ==, 7);
    g_assert_cmphex(vgsp_le32(ctx->memory + 0x204), ==, 0x55667788);
    g_assert_cmphex(vgsp_le32(ctx->memory + 0x208), ==, 0);

    /* RED_MAX, signed, of the word at the data RAM address. */
    g_assert_cmpint(method(0x568, 0x12), ==, VGSP_FE_DONE);
    g_assert_cmpint(ctx->call[1].kind, ==, CALL_REDUCE);
    g_assert_cmphex(ctx->call[1].va, ==, DOUBLE_VA + 0x200);
    g_assert_cmpuint(ctx->call[1].method, ==, 2);
    g_assert_true(ctx->call[1].is_signed);
    g_assert_cmphex(ctx->call[1].data, ==, 7);

    /* SYSMEMBAR makes writes known. */
    g_assert_cmpint(method(0x56c, 1), ==, VGSP_FE_DONE);
    g_assert_cmpint(ctx->call[2].kind, ==, CALL_FLUSH);

    /* One word beyond the data RAM. */
    g_assert_cmpint(method(0x564, 3), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 16);
    teardown();
}

static void test_dma_fault(void)
{
    setup();
    set_address(DOUBLE_VA + DOUBLE_SIZE - 4);
    g_assert_cmpint(method(0x55c, 2), ==, VGSP_FE_ERROR);
    g_assert_true(ctx->faulted);
    g_assert_cmphex(ctx->fault_va, ==, DOUBLE_VA + DOUBLE_SIZE);
    teardown();
}

/* Reads 2 words into the FIFO and waits for them. */
static Group fifo_read(void)
{
    return out0(alu1(a0(ADD, ZERO, ZERO, ZERO, 0x158), ADD, ZERO, ZERO, ZERO,
                     2), OUT_IMM0, OUT_IMM1);
}

static Group fifo_wait(void)
{
    return alu1(a0(EXTENDED, ZERO, IMM, IMMPAIR, 0x1000), ADD, ZERO, ZERO,
                ZERO, 1);
}

static void test_read_fifoed(void)
{
    setup();
    vgsp_put_le32(ctx->memory + 0x40, 0xaaaa);
    vgsp_put_le32(ctx->memory + 0x44, 0xbbbb);
    set_address(DOUBLE_VA + 0x40);
    method(0x574, 1);
    LOAD(0, a0(ADD, 1, LOAD0, ZERO, 0), fifo_read(),
         /* Before the wait, parameters are the push buffer's. */
         a0(ADD, 2, LOAD0, ZERO, 0), fifo_wait(),
         /* Then the FIFO's until it is empty. */
         a0(ADD, 3, LOAD0, ZERO, 0),
         alu1(a0(ADD, 4, LOAD0, ZERO, 0), ADD, 5, LOAD1, ZERO, 0),
         emit(1), emit(2), emit(3), emit(4), end_next(emit(5)), nop());
    g_assert_cmpint(call_macro(0, PARAMS(1, 2, 3)), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 5);
    assert_call(0, 0x100, 1);
    assert_call(1, 0x100, 2);
    assert_call(2, 0x100, 0xaaaa);
    assert_call(3, 0x100, 0xbbbb);
    assert_call(4, 0x100, 3);
    teardown();
}

static void test_fifo_errors(void)
{
    /* From the push buffer. */
    setup();
    method(0x574, 1);
    g_assert_cmpint(method(0x560, 2), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 17);
    teardown();

    /* Without room. */
    setup();
    set_address(DOUBLE_VA);
    LOAD(0, fifo_read(), end_next(nop()), nop());
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 19);
    teardown();

    setup();
    g_assert_cmpint(method(0x574, 5), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 18);
    teardown();

    /* Resized while words are in it. */
    setup();
    set_address(DOUBLE_VA);
    method(0x574, 4);
    LOAD(0, fifo_read(), end_next(nop()), nop());
    g_assert_cmpint(call_macro(0, NULL, 0), ==, VGSP_FE_DONE);
    g_assert_cmpint(method(0x574, 1), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 20);
    teardown();
}

/* ---- Errors and interruption ---- */

static void assert_error(Group g, VgspException exc, uint32_t data)
{
    setup();
    load(0, &g, 1);
    LOAD(1, end_next(nop()), nop());
    g_assert_cmpint(call_macro(0, PARAMS(0, 0)), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, exc, data);
    g_assert_cmphex(ctx->method, ==, 0x3800);
    teardown();
}

static void test_illegal_groups(void)
{
    assert_error(a0(ADD, IMM, ZERO, ZERO, 0), VGSP_EXC_MACRO, 2);
    assert_error(a0(ADD, ZERO, 30, ZERO, 0), VGSP_EXC_MACRO, 2);
    assert_error(a0(ADD, ZERO, ZERO, 31, 0), VGSP_EXC_MACRO, 2);
    assert_error(out0(nop(), 7, NONE), VGSP_EXC_MACRO, 2);
    assert_error(out1(nop(), NONE, 7), VGSP_EXC_MACRO, 2);
    assert_error(out1(nop(), NONE, 11), VGSP_EXC_MACRO, 2);
    /* LOAD1 without LOAD0; two STATEs; a predicate that is an immediate. */
    assert_error(a0(ADD, 1, LOAD1, ZERO, 0), VGSP_EXC_MACRO, 2);
    assert_error(alu1(a0(STATE, 1, ZERO, ZERO, 0), STATE, 2, ZERO, ZERO, 0),
                 VGSP_EXC_MACRO, 2);
    assert_error(predicate(nop(), 1, IMM), VGSP_EXC_MACRO, 2);
    /* A loop without a body. */
    assert_error(a0(LOOP, ZERO, ZERO, ZERO, 1), VGSP_EXC_MACRO, 2);
    /* Branches with bits that nobody explains, other extended methods. */
    assert_error(a0(BEQ, ZERO, ZERO, ZERO, 0xc002), VGSP_EXC_NOT_MODELLED, 0);
    assert_error(a0(EXTENDED, ZERO, ZERO, ZERO, 0), VGSP_EXC_NOT_MODELLED, 0);
    /* Out of the instruction RAM, either way. */
    assert_error(a0(JAL, ZERO, ZERO, ZERO, 0xffff), VGSP_EXC_MACRO, 5);
    assert_error(a0(BEQ, ZERO, ZERO, ZERO, 0x9fff), VGSP_EXC_MACRO, 5);
}

static void test_rams_end(void)
{
    setup();
    method(0x114, 12288);
    g_assert_cmpint(method(0x118, 0), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 5);
    teardown();

    setup();
    method(0x11c, 255);
    g_assert_cmpint(method(0x120, 12287), ==, VGSP_FE_DONE);
    g_assert_cmpint(method(0x3ff8, 0), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 5);
    teardown();

    setup();
    method(0x11c, 256);
    g_assert_cmpint(method(0x120, 0), ==, VGSP_FE_ERROR);
    g_assert_cmpint(ctx->exception, ==, VGSP_EXC_ILLEGAL_DATA);
    teardown();
}

static void test_endless(void)
{
    /* A macro that never ends gives its worker back, for ever. */
    setup();
    LOAD(0, a0(BEQ, ZERO, ZERO, ZERO, 0x8000));
    g_assert_cmpint(method(0x3800, 5), ==, VGSP_FE_AGAIN);
    g_assert_cmpint(method(0x3800, 5), ==, VGSP_FE_AGAIN);
    g_assert_false(ctx->failed);
    teardown();
}

static void test_emission_again(void)
{
    static const VgspFeEnd answers[] = {
        VGSP_FE_DONE, VGSP_FE_AGAIN, VGSP_FE_AGAIN, VGSP_FE_DONE,
        VGSP_FE_WAIT, VGSP_FE_DONE,
    };

    /* Nothing is done twice, and nothing is left out. */
    setup();
    ctx->answer = answers;
    ctx->answers = G_N_ELEMENTS(answers);
    LOAD(0, out1(out0(a0(ADD, 1, LOAD0, ZERO, 0x1040), OUT_IMM0, OUT_ALU0),
                 NONE, OUT_IMM0),
         out1(out0(alu1(a0(ADD, 1, 1, IMM, 1), ADD, ZERO, LOAD0, ZERO, 0),
                   NONE, OUT_ALU0), NONE, OUT_ALU1),
         end_next(nop()), nop());
    g_assert_cmpint(method(0x3800, 5), ==, VGSP_FE_AGAIN);
    g_assert_cmpint(method(0x3800, 5), ==, VGSP_FE_AGAIN);
    g_assert_cmpint(method(0x3800, 5), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 2);
    g_assert_cmpint(method(0x3804, 8), ==, VGSP_FE_AGAIN);
    g_assert_cmpuint(ctx->calls, ==, 3);
    g_assert_cmpint(method(0x3804, 8), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 4);
    assert_call(0, 0x100, 5);
    assert_call(1, 0x104, 0x1040);
    assert_call(2, 0x108, 6);
    assert_call(3, 0x10c, 8);
    teardown();
}

static void test_emission_error(void)
{
    static const VgspFeEnd answers[] = { VGSP_FE_ERROR };

    setup();
    ctx->answer = answers;
    ctx->answers = 1;
    LOAD(0, emit(ZERO), end_next(emit(ZERO)), nop());
    g_assert_cmpint(method(0x3800, 5), ==, VGSP_FE_ERROR);
    g_assert_cmpuint(ctx->calls, ==, 1);
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
    g_test_add_func("/mme/load-order", test_load_order);
    g_test_add_func("/mme/missing-parameter", test_missing_parameter);
    g_test_add_func("/mme/other-method-instead", test_other_method_instead);
    g_test_add_func("/mme/dummy-parameter", test_dummy_parameter);
    g_test_add_func("/mme/state", test_state);
    g_test_add_func("/mme/shadow-control", test_shadow_control);
    g_test_add_func("/mme/data-ram", test_data_ram);
    g_test_add_func("/mme/dma", test_dma);
    g_test_add_func("/mme/dma-fault", test_dma_fault);
    g_test_add_func("/mme/read-fifoed", test_read_fifoed);
    g_test_add_func("/mme/fifo-errors", test_fifo_errors);
    g_test_add_func("/mme/illegal-groups", test_illegal_groups);
    g_test_add_func("/mme/rams-end", test_rams_end);
    g_test_add_func("/mme/endless", test_endless);
    g_test_add_func("/mme/emission-again", test_emission_again);
    g_test_add_func("/mme/emission-error", test_emission_error);
    return g_test_run();
}
