/*
 * CLEAR_SURFACE whose slice is over: however rows are, a slice does little
 * more, and the next one goes on where it ended.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sm75-fixture.h"
#include "model/context.h"

#define RGBA    0x3c
#define RED     0x04

/* How often the method comes, when each slice is over at once. */
static void clear(uint32_t width, uint32_t pitch, uint32_t height,
                  uint32_t data, unsigned least)
{
    Fixture *f = fixture_new(1);
    VgspContext *ctx = vgsp_context_new(f->model, f->space, 1);
    uint32_t *s = ctx->state[VGSP_SUBC_3D];
    uint64_t written = 0;
    unsigned calls = 0;
    VgspFeEnd end;

    /* SET_COLOR_TARGET(0): RU8, pitch-linear; SET_SURFACE_CLIP; the value */
    s[0x800 / 4] = MEM >> 32;
    s[0x804 / 4] = (uint32_t)MEM;
    s[0x808 / 4] = pitch;
    s[0x80c / 4] = height;
    s[0x810 / 4] = 0xf6;
    s[0x814 / 4] = 1 << 12;
    s[0x818 / 4] = 1;
    s[0xff4 / 4] = width << 16;
    s[0xff8 / 4] = height << 16;
    s[0xd80 / 4] = 0x5a;
    vgsp_mmu_enter(&f->worker[0].mmu, f->space);
    do {
        ctx->cost = 0;
        ctx->deadline = 0;
        end = vgsp_threed_clear(ctx, &f->worker[0], data);
        calls++;
    } while (end == VGSP_FE_AGAIN);
    vgsp_mmu_flush(&f->worker[0].mmu);
    g_assert_cmpint(end, ==, VGSP_FE_DONE);
    g_assert_cmpuint(calls, >=, least);
    for (uint64_t i = 0; i < MEM_SIZE; i++) {
        bool in = i / pitch < height && i % pitch < width;

        g_assert_cmphex(f->host[i], ==, in ? 0x5a : 0);
        written += in;
    }
    g_assert_cmpuint(written, ==, (uint64_t)width * height);
    vgsp_context_free(ctx);
    fixture_free(f);
}

/* Many rows of a byte. */
static void test_narrow(void)
{
    clear(1, 64, 16000, RGBA, 16000 / 1024);
    clear(1, 64, 16000, RED, 16000 / 1024);
}

/* Rows that are more than a slice, of 50 ns a run of 16 bytes. */
static void test_wide(void)
{
    clear(0xc123, 0x10000, 16, RGBA, 16 * 0xc123 / 16 / 1200);
    clear(0xc123, 0x10000, 16, RED, 16 * 0xc123 / 16 / 1200);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clear-slice/narrow", test_narrow);
    g_test_add_func("/clear-slice/wide", test_wide);
    return g_test_run();
}
