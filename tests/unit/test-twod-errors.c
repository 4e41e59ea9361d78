/*
 * The 2D engine: when it draws at all, and what ends in an error or a fault.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "twod-rig.h"

/* ---- Render enable ---- */

static void enable(uint32_t first, uint64_t va, uint32_t mode)
{
    done(first, (uint32_t)(va >> 32));
    done(first + 4, (uint32_t)va);
    done(first + 8, mode);
}

static bool draws(void)
{
    bool drawn;

    memset(ctx->memory, 0xee, 64);
    rect(0, 0, 1, 1);
    drawn = dst32(64, 0, 0) == 5;
    g_assert_true(drawn || dst32(64, 0, 0) == 0xeeeeeeee);
    return drawn;
}

static void test_render_enable(void)
{
    const uint64_t report = DOUBLE_VA + 0x200;

    setup();
    set_pitch(0x200, 0xcf, 64, 4, 4);
    set_color(0xcf, 5);
    g_assert_true(draws());
    vgsp_put_le64(ctx->memory + 0x200, 0);
    vgsp_put_le64(ctx->memory + 0x210, 0);
    enable(0x264, report, 0);
    g_assert_false(draws());
    enable(0x264, report, 1);
    g_assert_true(draws());
    enable(0x264, report, 2);
    g_assert_false(draws());
    enable(0x264, report, 3);
    g_assert_true(draws());
    enable(0x264, report, 4);
    g_assert_false(draws());
    vgsp_put_le64(ctx->memory + 0x210, UINT64_C(1) << 32);
    enable(0x264, report, 4);
    g_assert_true(draws());
    enable(0x264, report + 16, 2);
    g_assert_true(draws());
    enable(0x130, report, 2);           /* the global one */
    g_assert_false(draws());
    done(0x2dc, 1);
    g_assert_true(draws());
    enable(0x130, report, 1);
    done(0x2dc, 2);
    g_assert_false(draws());
    teardown();
}

/* ---- Errors ---- */

static void assert_launch(uint32_t address, uint32_t data, VgspException exc,
                          uint32_t where)
{
    g_assert_cmpint(method(address, data), ==, VGSP_FE_ERROR);
    g_assert_true(ctx->failed);
    g_assert_cmpint(ctx->exception, ==, exc);
    g_assert_cmphex(ctx->method, ==, where);
    teardown();
}

static void good_blit(void)
{
    setup();
    set_both(0xcf, 16, 16);
    copy(0, 0, 4, 4, 0, 0);
}

static void test_errors(void)
{
    static const uint32_t operations[] = { 0, 1, 2, 6, 7 };

    for (unsigned i = 0; i < G_N_ELEMENTS(operations); i++) {
        good_blit();
        done(0x2ac, operations[i]);
        assert_launch(0x8dc, 0, VGSP_EXC_NOT_MODELLED, 0x2ac);
    }
    /* Raster operations: a pattern of two colours, or of another format. */
    good_blit();
    done(0x2ac, 4);
    done(0x2a0, 0xca);
    done(0x2e8, 2);
    done(0x2f8, 0xffffffff);
    assert_launch(0x8dc, 0, VGSP_EXC_NOT_MODELLED, 0x2a0);
    good_blit();
    done(0x2ac, 4);
    done(0x2a0, 0xca);
    done(0x2e8, 1);
    assert_launch(0x8dc, 0, VGSP_EXC_NOT_MODELLED, 0x2a0);
    good_blit();
    done(0x2ac, 4);
    done(0x2a0, 0xca);
    done(0x2e8, 2);
    done(0x2b4, 3);
    assert_launch(0x8dc, 0, VGSP_EXC_NOT_MODELLED, 0x2a0);
    /* Floats have no bits to combine. */
    good_blit();
    done(0x2ac, 4);
    done(0x2a0, 0xcc);
    done(0x200, 0xe5);
    done(0x230, 0xe5);
    assert_launch(0x8dc, 0, VGSP_EXC_NOT_MODELLED, 0x2ac);
    good_blit();
    done(0x29c, 1);
    assert_launch(0x8dc, 0, VGSP_EXC_NOT_MODELLED, 0x29c);
    good_blit();
    done(0x200, 0xc1);
    assert_launch(0x8dc, 0, VGSP_EXC_ILLEGAL_DATA, 0x200);
    good_blit();
    done(0x230, 0x1d);
    assert_launch(0x8dc, 0, VGSP_EXC_ILLEGAL_DATA, 0x230);
    good_blit();
    done(0x24c, 0);
    assert_launch(0x8dc, 0, VGSP_EXC_ILLEGAL_DATA, 0x24c);
    /* One channel from others. */
    good_blit();
    done(0x200, 0xf3);
    assert_launch(0x8dc, 0, VGSP_EXC_NOT_MODELLED, 0x200);
    /* Blocks of 64 GOBs; a base within a GOB. */
    good_blit();
    done(0x204, 0);
    done(0x208, 0x60);
    assert_launch(0x8dc, 0, VGSP_EXC_ILLEGAL_DATA, 0x208);
    good_blit();
    done(0x234, 0);
    done(0x254, (uint32_t)DOUBLE_VA + 0x100);
    assert_launch(0x8dc, 0, VGSP_EXC_ILLEGAL_DATA, 0x254);
    /* Other primitives than rectangles. */
    good_blit();
    done(0x580, 1);
    assert_launch(0x604, 0, VGSP_EXC_NOT_MODELLED, 0x580);
    /* Scaled or indexed pixels from the push buffer. */
    good_blit();
    set_cpu(0xcf, 1, 1, 0, 0);
    done(0x844, 2);
    assert_launch(0x85c, 0, VGSP_EXC_NOT_MODELLED, 0x844);
    good_blit();
    set_cpu(0xcf, 1, 1, 0, 0);
    done(0x800, 1);
    assert_launch(0x85c, 0, VGSP_EXC_NOT_MODELLED, 0x800);
    /* Macros, notifies, firmware methods. */
    good_blit();
    assert_launch(0x3800, 0, VGSP_EXC_NOT_MODELLED, 0x3800);
    good_blit();
    assert_launch(0x10c, 0, VGSP_EXC_NOT_MODELLED, 0x10c);
    good_blit();
    assert_launch(0x8f0, 0, VGSP_EXC_NOT_MODELLED, 0x8f0);
    good_blit();
    done(0x3400, 5);
    teardown();
}

static void good_fill(void)
{
    setup();
    set_pitch(0x200, 0xcf, 64, 16, 16);
    set_color(0xcf, 5);
}

static void test_fill_errors(void)
{
    good_fill();
    done(0x584, 0x1d);
    assert_launch(0x60c, 9, VGSP_EXC_ILLEGAL_DATA, 0x584);
    good_fill();
    done(0x200, 0);
    assert_launch(0x60c, 9, VGSP_EXC_ILLEGAL_DATA, 0x200);
    good_fill();
    /* GH100 silicon: class errors for sRGB, SNORM, G8R8, RF16_GF16, Y8. */
    for (unsigned i = 0; i < 5; i++) {
        static const uint8_t formats[] = { 0xd0, 0xd7, 0xea, 0xde, 0xf3 };

        done(0x200, formats[i]);
        assert_launch(0x60c, 9, VGSP_EXC_ILLEGAL_DATA, 0x200);
        good_fill();
    }
    done(0x584, 0xf7);
    assert_launch(0x60c, 9, VGSP_EXC_ILLEGAL_DATA, 0x584);
    good_fill();
    done(0x584, 0xc0);
    assert_launch(0x60c, 9, VGSP_EXC_NOT_MODELLED, 0x584);
    good_fill();
    done(0x2ac, 5);
    assert_launch(0x60c, 9, VGSP_EXC_NOT_MODELLED, 0x2ac);
    good_fill();
    done(0x580, 0);
    assert_launch(0x5e0, 9, VGSP_EXC_NOT_MODELLED, 0x580);
}

static void good_cpu(void)
{
    good_fill();
    set_cpu(0xcf, 2, 2, 0, 0);
}

static void test_cpu_errors(void)
{
    good_cpu();
    done(0x84c, 0);
    assert_launch(0x85c, 0, VGSP_EXC_NOT_MODELLED, 0x84c);
    good_cpu();
    done(0x804, 0xca);
    assert_launch(0x85c, 0, VGSP_EXC_ILLEGAL_DATA, 0x804);
    good_cpu();
    done(0x200, 0xf3);
    assert_launch(0x85c, 0, VGSP_EXC_NOT_MODELLED, 0x200);
    good_cpu();
    done(0x2ac, 5);
    assert_launch(0x85c, 0, VGSP_EXC_NOT_MODELLED, 0x2ac);
    good_cpu();
    done(0x200, 0);
    assert_launch(0x85c, 0, VGSP_EXC_ILLEGAL_DATA, 0x200);
    /* Nothing to come, of either kind. */
    good_cpu();
    set_cpu(0xcf, 0, 5, 0, 0);
    assert_launch(0x860, 0, VGSP_EXC_ILLEGAL_DATA, 0x860);
    good_cpu();
    set_cpu(0xcf, 5, 0, 0, 0);
    assert_launch(0x860, 0, VGSP_EXC_ILLEGAL_DATA, 0x860);
    /* Where nothing renders the pixels come all the same. */
    good_cpu();
    done(0x2dc, 2);
    done(0x85c, 0);
    for (unsigned i = 0; i < 4; i++) {
        done(0x860, i);
    }
    g_assert_cmphex(dst32(64, 0, 0), ==, 0xeeeeeeee);
    teardown();
    /* A fault. */
    good_cpu();
    set_offset(0x200, DOUBLE_VA + DOUBLE_SIZE);
    done(0x85c, 0);
    g_assert_cmpint(method(0x860, 0), ==, VGSP_FE_ERROR);
    g_assert_true(ctx->faulted);
    teardown();
}

static void test_render_enable_errors(void)
{
    setup();
    assert_launch(0x26c, 5, VGSP_EXC_ILLEGAL_DATA, 0x26c);
    for (uint32_t mode = 2; mode <= 4; mode++) {
        setup();
        done(0x264, (uint32_t)(DOUBLE_VA >> 32));
        done(0x268, (uint32_t)DOUBLE_VA + DOUBLE_SIZE - (mode == 2 ? 4 : 16));
        g_assert_cmpint(method(0x26c, mode), ==, VGSP_FE_ERROR);
        g_assert_true(ctx->faulted);
        teardown();
    }
}

static void test_faults(void)
{
    good_blit();
    set_offset(0x200, DOUBLE_VA + DOUBLE_SIZE - 4096);
    g_assert_cmpint(method(0x8dc, 0), ==, VGSP_FE_ERROR);
    g_assert_true(ctx->faulted);
    g_assert_cmphex(ctx->fault_va, ==, DOUBLE_VA + DOUBLE_SIZE);
    teardown();

    good_blit();
    set_offset(0x230, DOUBLE_VA - 4096);
    g_assert_cmpint(method(0x8dc, 0), ==, VGSP_FE_ERROR);
    g_assert_true(ctx->faulted);
    g_assert_cmphex(ctx->fault_va, ==, DOUBLE_VA - 4096);
    teardown();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/twod/render-enable", test_render_enable);
    g_test_add_func("/twod/errors", test_errors);
    g_test_add_func("/twod/faults", test_faults);
    g_test_add_func("/twod/fill-errors", test_fill_errors);
    g_test_add_func("/twod/cpu-errors", test_cpu_errors);
    g_test_add_func("/twod/render-enable-errors", test_render_enable_errors);
    return g_test_run();
}
