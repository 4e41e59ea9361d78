/*
 * The macro engine beyond its instructions: parameters, shadow and data RAM,
 * FIFO and DMA, errors, and being interrupted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "mme-rig.h"

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

/* The front end's firmware is asked for a register and answers in scratch 0. */
static void test_firmware_call(void)
{
    setup();
    LOAD(0, out0(a0(ADD, ZERO, ZERO, ZERO, 0x0d00), OUT_IMM0, OUT_ALU0),
         /* The register's address, a parameter, to SET_FALCON04. */
         out0(alu1(a0(ADD, ZERO, LOAD0, ZERO, 0), ADD, ZERO, ZERO, ZERO,
                   0x2310 / 4), OUT_IMM1, OUT_ALU0),
         /* do { r1 = scratch 0; NO_OPERATION } while (r1 != 1) */
         out0(alu1(a0(STATE, 1, IMM, ZERO, 0x0d00), ADD, ZERO, ZERO, ZERO,
                   0x40), OUT_IMM1, OUT_ALU0),
         alu1(a0(BEQ, ZERO, 1, IMMPAIR, 0x1fff), ADD, ZERO, ZERO, ZERO, 1),
         end_next(nop()), nop());
    g_assert_cmpint(method(0x3800, 0x419ea8), ==, VGSP_FE_AGAIN);
    assert_call(0, 0x2310, 0x419ea8);
    assert_call(1, 0x100, 0);
    ctx->calls = 0;
    g_assert_cmpint(method(0x3800, 0x419ea8), ==, VGSP_FE_AGAIN);
    vgsp_mme_set_scratch(mme, 0, 1);
    ctx->calls = 0;
    g_assert_cmpint(method(0x3800, 0x419ea8), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, <=, 2);
    assert_call(ctx->calls - 1, 0x100, 1);
    vgsp_mme_set_scratch(mme, 256, 1);  /* there is none */
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
    method(0x114, 4096);
    g_assert_cmpint(method(0x118, 0), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MACRO, 5);
    teardown();

    setup();
    method(0x11c, 255);
    g_assert_cmpint(method(0x120, 4096), ==, VGSP_FE_DONE);
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

/* So does one whose slice is over, after the group that spent it. */
static void test_spent(void)
{
    setup();
    LOAD(0, emit(ZERO), emit(ZERO), emit(ZERO), end_next(emit(ZERO)), nop());
    ctx->slice = 2;
    g_assert_cmpint(method(0x3800, 5), ==, VGSP_FE_AGAIN);
    g_assert_cmpuint(ctx->calls, ==, 2);
    ctx->slice = 3;
    g_assert_cmpint(method(0x3800, 5), ==, VGSP_FE_AGAIN);
    g_assert_cmpuint(ctx->calls, ==, 3);
    ctx->slice = 0;
    g_assert_cmpint(method(0x3800, 5), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->calls, ==, 4);
    teardown();

    /* DMA costs by its length. */
    setup();
    set_address(DOUBLE_VA);
    method(0x558, 0);
    g_assert_cmpint(method(0x55c, 1000), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->spent, ==, 500);
    g_assert_cmpint(method(0x564, 100), ==, VGSP_FE_DONE);
    g_assert_cmpuint(ctx->spent, ==, 550);
    teardown();
}

/*
 * A group that is interrupted and rewritten meanwhile ends as it began; what
 * was written counts when it is next reached. The group has an output that
 * does not exist then, of which nothing must be looked up.
 */
static void test_rewritten_group(void)
{
    static const VgspFeEnd answers[] = { VGSP_FE_DONE, VGSP_FE_AGAIN };
    Group emits = out1(out0(alu1(a0(ADD, 1, IMM, ZERO, 0x40), ADD, 2, IMM,
                                 ZERO, 7),
                            OUT_ALU0, OUT_ALU0), NONE, OUT_ALU1);
    Group broken = put(put(emits, 95, 92, 15), 88, 85, 15);
    Group other = put(emits, 81, 66, 9);

    for (unsigned legal = 0; legal < 2; legal++) {
        Group now = legal ? other : broken;

        setup();
        ctx->answer = answers;
        ctx->answers = G_N_ELEMENTS(answers);
        LOAD(0, a0(ADD, 3, IMM, ZERO, 2), a0(LOOP, ZERO, 3, ZERO, 2), emits,
             end_next(nop()), nop());
        g_assert_cmpint(method(0x3800, 5), ==, VGSP_FE_AGAIN);
        g_assert_cmpuint(ctx->calls, ==, 1);
        /* As its first output would do. */
        mme->emitting = true;
        method(0x114, 2);
        for (int k = 2; k >= 0; k--) {
            method(0x118, now.b[k]);
        }
        mme->emitting = false;
        g_assert_cmpint(method(0x3800, 5), ==,
                        legal ? VGSP_FE_DONE : VGSP_FE_ERROR);
        g_assert_cmpuint(ctx->calls, ==, legal ? 4 : 2);
        assert_call(0, 0x100, 0x40);
        assert_call(1, 0x100, 7);
        if (legal) {
            assert_call(2, 0x100, 0x40);
            assert_call(3, 0x100, 9);
        } else {
            double_assert_error(ctx, VGSP_EXC_MACRO, 2);
        }
        teardown();
    }
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
    g_test_add_func("/mme/load-order", test_load_order);
    g_test_add_func("/mme/missing-parameter", test_missing_parameter);
    g_test_add_func("/mme/other-method-instead", test_other_method_instead);
    g_test_add_func("/mme/dummy-parameter", test_dummy_parameter);
    g_test_add_func("/mme/state", test_state);
    g_test_add_func("/mme/firmware-call", test_firmware_call);
    g_test_add_func("/mme/shadow-control", test_shadow_control);
    g_test_add_func("/mme/data-ram", test_data_ram);
    g_test_add_func("/mme/dma", test_dma);
    g_test_add_func("/mme/dma-fault", test_dma_fault);
    g_test_add_func("/mme/read-fifoed", test_read_fifoed);
    g_test_add_func("/mme/fifo-errors", test_fifo_errors);
    g_test_add_func("/mme/illegal-groups", test_illegal_groups);
    g_test_add_func("/mme/rams-end", test_rams_end);
    g_test_add_func("/mme/endless", test_endless);
    g_test_add_func("/mme/spent", test_spent);
    g_test_add_func("/mme/rewritten-group", test_rewritten_group);
    g_test_add_func("/mme/emission-again", test_emission_again);
    g_test_add_func("/mme/emission-error", test_emission_error);
    return g_test_run();
}
