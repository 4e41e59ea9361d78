/*
 * The 2D engine: rectangles, pixels from the push buffer and from memory, in
 * both layouts, against memory that was put together here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "twod-rig.h"
#include "block-linear-ref.h"

/* ---- Rectangles ---- */

/* Whether exactly [x0, x1) x [y0, y1) of a 32-bit pitch surface is value. */
static void assert_rect(uint32_t pitch, uint32_t height, uint32_t x0,
                        uint32_t y0, uint32_t x1, uint32_t y1, uint32_t value)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < pitch / 4; x++) {
            bool in = x >= x0 && x < x1 && y >= y0 && y < y1;

            g_assert_cmphex(vgsp_le32(ctx->memory + y * pitch + 4 * x), ==,
                            in ? value : 0xeeeeeeee);
        }
    }
}

static void test_rect(void)
{
    setup();
    set_pitch(0x200, 0xcf, 256, 50, 20);
    set_color(0xcf, 0x11223344);
    rect(3, 4, 20, 10);
    assert_rect(256, 21, 3, 4, 20, 10, 0x11223344);
    teardown();

    /* Within the surface alone, wherever the corners are. */
    setup();
    set_pitch(0x200, 0xcf, 256, 50, 20);
    set_color(0xcf, 0x11223344);
    rect(-5, INT32_MIN, INT32_MAX, 2000);
    assert_rect(256, 21, 0, 0, 50, 20, 0x11223344);
    rect(10, 10, 10, 20);
    rect(10, 10, 5, 5);
    teardown();
}

static void test_clip(void)
{
    setup();
    set_pitch(0x200, 0xcf, 256, 50, 20);
    set_color(0xcf, 5);
    done(0x280, 7);
    done(0x284, 3);
    done(0x288, 10);
    done(0x28c, 4);
    done(0x290, 1);
    rect(0, 0, 50, 20);
    assert_rect(256, 20, 7, 3, 17, 7, 5);
    /* A rectangle that begins left of the surface; then none at all. */
    done(0x280, (uint32_t)-3);
    done(0x288, 4);
    done(0x588, 6);
    rect(0, 0, 50, 20);
    g_assert_cmphex(vgsp_le32(ctx->memory + 3 * 256), ==, 6);
    g_assert_cmphex(vgsp_le32(ctx->memory + 3 * 256 + 4), ==, 0xeeeeeeee);
    done(0x290, 0);
    rect(49, 19, 50, 20);
    g_assert_cmphex(vgsp_le32(ctx->memory + 19 * 256 + 49 * 4), ==, 6);
    teardown();
}

static void test_points(void)
{
    /* Other points of the array, and points in one word. */
    setup();
    set_pitch(0x200, 0xcf, 256, 50, 20);
    set_color(0xcf, 5);
    done(0x600 + 8 * 62, 1);
    done(0x604 + 8 * 62, 1);
    done(0x600 + 8 * 63, 3);
    done(0x604 + 8 * 63, 2);
    assert_rect(256, 20, 1, 1, 3, 2, 5);
    teardown();

    setup();
    set_pitch(0x200, 0xcf, 256, 50, 20);
    set_color(0xcf, 5);
    done(0x5e0, 0xffff | 2 << 16);      /* (-1, 2) */
    done(0x5e0, 4 | 5 << 16);
    assert_rect(256, 20, 0, 2, 4, 5, 5);
    teardown();
}

static void test_fill_formats(void)
{
    static const struct {
        uint32_t color_format, color, format;
        unsigned bytes;
        uint64_t value;
    } v[] = {
        { 0xcf, 0x80ff4020, 0xcf, 4, 0x80ff4020 },
        { 0xcf, 0x80ff4020, 0xd5, 4, 0x802040ff },
        { 0xcf, 0x80ff4020, 0xe6, 4, 0x00ff4020 },      /* X8 */
        { 0xcf, 0x80ff4020, 0xfd, 4, 0x00ff4020 },      /* Z8 */
        { 0xcf, 0x80ff4020, 0xfe, 4, 0xffff4020 },      /* O8 */
        { 0xe6, 0x00ff4020, 0xcf, 4, 0xffff4020 },
        { 0xfd, 0xffff4020, 0xcf, 4, 0x00ff4020 },
        { 0xcf, 0xffff0080, 0xe8, 2, 0xf810 },          /* R5G6B5 */
        { 0xcf, 0xffff0080, 0xe9, 2, 0xfc10 },
        { 0xcf, 0x00ff0080, 0xe9, 2, 0x7c10 },
        { 0xe8, 0xffff, 0xcf, 4, 0xffffffff },
        { 0xe8, 0x0400, 0xcf, 4, 0xff008200 },          /* 32 / 63 */
        { 0xcf, 0xffff0000, 0xd1, 4, 0xc00003ff },      /* A2B10G10R10 */
        { 0xcf, 0xffff0000, 0xdf, 4, 0xfff00000 },
        /* GH100 silicon: bits are repeated, or cut off. */
        { 0xcf, 0x80c04020, 0xd1, 4, 0x88040703 },
        { 0xcf, 0x80c04020, 0xe8, 2, 0xc204 },
        { 0xcf, 0x80c04020, 0xe9, 2, 0xe104 },
        { 0xcf, 0x3e99999a, 0xdf, 4, 0x26699a6a },
        { 0xf3, 0x5a, 0xf3, 1, 0x5a },
        /* Luminance: of 255 and of 65535, in all three; alpha is 1. */
        { 0xf3, 0x5a, 0xcf, 4, 0xff5a5a5a },
        { 0xee, 0xffff, 0xcf, 4, 0xffffffff },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        uint8_t expected[16];

        g_test_message("0x%x to 0x%x", v[i].color_format, v[i].format);
        setup();
        set_pitch(0x200, v[i].format, 256, 8, 8);
        set_color(v[i].color_format, v[i].color);
        rect(1, 0, 2, 1);
        vgsp_put_le64(expected, v[i].value);
        g_assert_cmpmem(ctx->memory + v[i].bytes, v[i].bytes, expected,
                        v[i].bytes);
        g_assert_cmphex(ctx->memory[v[i].bytes - 1], ==, 0xee);
        g_assert_cmphex(ctx->memory[2 * v[i].bytes], ==, 0xee);
        teardown();
    }
}

static void test_fill_wide_color(void)
{
    setup();
    set_pitch(0x200, 0xc0, 256, 8, 8);
    done(0x580, 4);
    done(0x584, 0xc0);
    for (unsigned i = 0; i < 4; i++) {
        done(0x540 + 4 * i, 0x11111111 * (i + 1));
    }
    rect(0, 0, 1, 1);
    for (unsigned i = 0; i < 4; i++) {
        g_assert_cmphex(vgsp_le32(ctx->memory + 4 * i), ==,
                        0x11111111 * (i + 1));
    }
    teardown();
}

/* ---- Block-linear, in every shape of a block ---- */

typedef struct Image {
    uint8_t *memory;            /* as the engine should leave it */
    const uint8_t *pixels;      /* row by row */
    uint32_t pitch;
    uint32_t x0, x1, y0, y1, z; /* bytes and rows that were written */
} Image;

static void put_pixel(void *opaque, uint64_t offset, uint32_t x, uint32_t y,
                      uint32_t z)
{
    Image *im = opaque;

    if (z == im->z && x >= im->x0 && x < im->x1 && y >= im->y0 &&
        y < im->y1) {
        im->memory[offset] = im->pixels[(y - im->y0) * im->pitch + x - im->x0];
    }
}

static void block_linear(unsigned h, unsigned d, uint32_t layer)
{
    const uint32_t width = 45, height = (8u << h) + 3, size = SRC_AT;
    RefSurface s = {
        .width = width * 4, .height = height, .depth = 5,
        .block_height = 1u << h, .block_depth = 1u << d,
    };
    Image im = {
        .memory = g_malloc(size), .pitch = 256, .z = layer,
        .x0 = 3 * 4, .x1 = (3 + 40) * 4, .y0 = 2, .y1 = height - 1,
    };

    /* From pitch to block-linear ... */
    setup();
    memset(im.memory, 0xee, size);
    im.pixels = ctx->memory + SRC_AT + 5 * 256 + 7 * 4;
    g_assert_cmpuint(ref_walk(&s, put_pixel, &im), <=, size);
    set_block_linear(0x200, 0xcf, h, d, width, height);
    done(0x20c, s.depth);
    done(0x210, layer);
    set_pitch(0x230, 0xcf, 256, 60, height + 8);
    copy(3, 2, 40, height - 3, 7, 5);
    g_assert_cmpmem(ctx->memory, size, im.memory, size);

    /* ... and back; a source has no layer, it is in its offset. */
    if (!d) {
        uint64_t slice = (uint64_t)(3 * 64) * ((8u << h) * 2);

        memcpy(ctx->memory + SRC_AT, im.memory, size);
        memset(ctx->memory, 0xee, size);
        set_pitch(0x200, 0xcf, 256, 60, height + 8);
        set_block_linear(0x230, 0xcf, h, d, width, height);
        set_offset(0x230, DOUBLE_VA + SRC_AT + slice * layer);
        copy(0, 0, 40, height - 3, 3, 2);
        for (uint32_t y = 0; y < height - 3; y++) {
            for (uint32_t x = 0; x < 160; x++) {
                uint32_t i = SRC_AT + (y + 5) * 256 + 7 * 4 + x;

                g_assert_cmphex(ctx->memory[y * 256 + x], ==,
                                (uint8_t)(i * 5 + (i >> 8) * 3 + 1));
            }
        }
    }
    g_free(im.memory);
    teardown();
}

static void test_block_linear(void)
{
    for (unsigned h = 0; h <= 5; h++) {
        block_linear(h, 0, 0);
        block_linear(h, 0, 1);
        block_linear(h, 1, 3);
        block_linear(h, 2, 4);
    }
}

static void test_block_linear_fill(void)
{
    static const uint32_t white[4 * 3] = {
        ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u,
    };
    RefSurface s = { 100 * 2, 30, 1, 2, 1 };
    Image im = {
        .memory = g_malloc(0x8000), .pixels = (const uint8_t *)white,
        .pitch = 16, .x0 = 31 * 2, .x1 = 37 * 2, .y0 = 14, .y1 = 17,
    };

    setup();
    memset(im.memory, 0xee, 0x8000);
    ref_walk(&s, put_pixel, &im);
    set_block_linear(0x200, 0xe8, 1, 0, 100, 30);
    set_color(0xe8, 0xffff);
    rect(31, 14, 37, 17);
    g_assert_cmpmem(ctx->memory, 0x8000, im.memory, 0x8000);
    g_free(im.memory);
    teardown();
}

/* ---- Pixels from memory ---- */

static uint32_t src32(uint32_t pitch, uint32_t x, uint32_t y)
{
    return vgsp_le32(ctx->memory + SRC_AT + y * pitch + 4 * x);
}

static void test_scale_point(void)
{
    /*
     * Twice as large, half as large, and mirrored both ways. GH100 silicon: the
     * texel whose centre is nearest. Pixel x is at 3.25 + x / 2: never between
     * two centres, since which of them the engine takes is not known.
     */
    setup();
    set_both(0xcf, 100, 100);
    blit_rect(10, 20, 16, 12, FIX(0.5), FIX(0.5), FIX(3.25), FIX(4.25));
    for (uint32_t y = 0; y < 12; y++) {
        for (uint32_t x = 0; x < 16; x++) {
            g_assert_cmphex(dst32(4096, 10 + x, 20 + y), ==,
                            src32(4096, 3 + (x + 1) / 2, 4 + (y + 1) / 2));
        }
    }
    blit_rect(0, 0, 8, 6, FIX(2), FIX(3), FIX(1), FIX(2));
    for (uint32_t y = 0; y < 6; y++) {
        for (uint32_t x = 0; x < 8; x++) {
            g_assert_cmphex(dst32(4096, x, y), ==,
                            src32(4096, 1 + 2 * x, 2 + 3 * y));
        }
    }
    blit_rect(0, 0, 8, 6, -FIX(1), -FIX(1), FIX(20), FIX(30));
    for (uint32_t y = 0; y < 6; y++) {
        for (uint32_t x = 0; x < 8; x++) {
            g_assert_cmphex(dst32(4096, x, y), ==, src32(4096, 20 - x, 30 - y));
        }
    }
    teardown();
}

static void test_source_edges(void)
{
    /* Beyond the source there is its edge. */
    setup();
    set_both(0xcf, 8, 8);
    set_pitch(0x200, 0xcf, 4096, 100, 100);
    copy(0, 0, 12, 12, -2, -2);
    for (int y = 0; y < 12; y++) {
        for (int x = 0; x < 12; x++) {
            g_assert_cmphex(dst32(4096, (uint32_t)x, (uint32_t)y), ==,
                            src32(4096, (uint32_t)CLAMP(x - 2, 0, 7),
                                  (uint32_t)CLAMP(y - 2, 0, 7)));
        }
    }
    teardown();
}

static void test_bilinear(void)
{
    static const uint32_t texels[2][2] = {
        { 0x00000000, 0x0000ff40 }, { 0xff000000, 0xff00ff40 },
    };

    setup();
    for (unsigned y = 0; y < 2; y++) {
        for (unsigned x = 0; x < 2; x++) {
            vgsp_put_le32(ctx->memory + SRC_AT + 64 * y + 4 * x, texels[y][x]);
        }
    }
    set_pitch(0x200, 0xcf, 64, 16, 16);
    set_pitch(0x230, 0xcf, 64, 2, 2);
    done(0x88c, 0x10);
    /*
     * Between the texels' centres, which are integers. Green is 255 x / 4: 0,
     * 63.75, 127.5, 191.25, 255; blue is 64 x / 4, alpha 255 y / 2. The nearest
     * of 8 bits; 127 for 127.5, as below: 127.5 * 257 is 32768, and that 2048.
     */
    blit_rect(0, 0, 5, 3, FIX(0.25), FIX(0.5), 0, 0);
    g_assert_cmphex(dst32(64, 0, 0), ==, 0x00000000);
    g_assert_cmphex(dst32(64, 1, 0), ==, 0x00004010);
    g_assert_cmphex(dst32(64, 2, 0), ==, 0x00007f20);
    g_assert_cmphex(dst32(64, 3, 0), ==, 0x0000bf30);
    g_assert_cmphex(dst32(64, 4, 0), ==, 0x0000ff40);
    g_assert_cmphex(dst32(64, 0, 1), ==, 0x7f000000);
    g_assert_cmphex(dst32(64, 4, 2), ==, 0xff00ff40);
    /*
     * By corners: the middle of all four, as a resolve of 2 x 2 samples. Alpha
     * and green are (255 + 255) / 4 = 127.5, blue is (64 + 64) / 4.
     */
    done(0x88c, 0x11);
    blit_rect(8, 8, 1, 1, FIX(2), FIX(2), FIX(1), FIX(1));
    g_assert_cmphex(dst32(64, 8, 8), ==, 0x7f007f20);
    teardown();

    /* Without scale it is a copy. */
    setup();
    set_both(0xcf, 100, 100);
    done(0x88c, 0x10);
    copy(1, 1, 20, 20, 3, 3);
    for (uint32_t i = 0; i < 20; i++) {
        g_assert_cmphex(dst32(4096, 1 + i, 1 + i), ==,
                        src32(4096, 3 + i, 3 + i));
    }
    teardown();
}

/* The texels and results of two blits on GH100 silicon. */
static void test_bilinear_silicon(void)
{
    static const uint32_t texels[][4] = {
        { 0x3a0a2694, 0xa5cba6f8, 0x9b40adb9, 0x500e9282 },
        { 0x5f02e1e2, 0x64eaafdd, 0xb2a4df75, 0x000711d0 },
        { 0xb64d5f40, 0xa90f63d2, 0xf10f0d64, 0x04d32395 },
        { 0x23fc79d3, 0x340fb9b0, 0x6c5d66fc, 0xd0d2511d },
    };
    static const struct {
        unsigned texels;
        double u, v;
        uint32_t value, rgb565;     /* the latter of A8B8G8R8 */
    } v[] = {
        /*
         * Green is (205 * 38 + 51 * 166) / 256 = 63.5. Of 65535 it is 16319.5,
         * which becomes 16320, 1020 of 4096, and 64 (63.504).
         */
        { 0, 0.2, 0, 0x4f3040a8, 0xaa06 },
        /*
         * Red is 96.52 by the products of weights, but they are made multiples
         * of 1/256: (108 * 2 + 72 * 234 + 46 * 164 + 30 * 7) / 256 = 96.94.
         */
        { 1, 0.4, 0.3, 0x6461bacb, 0 },
        { 1, 0.8, 0.3, 0x508e93d4, 0xd491 },
        /* Red is 79.5, of 65535 20432, 1277 of 4096: 80 (79.501). */
        { 2, 0.5, 0.5, 0x95503c83, 0x81ea },
        /* 111.5 becomes 112 as well; 71.5, 172.5 and 231.5 stay below. */
        { 3, 0, 0.5, 0x47ac70e7, 0xe395 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        g_test_message("%u", i);
        setup();
        set_pitch(0x200, 0xcf, 64, 16, 16);
        set_pitch(0x230, 0xcf, 64, 2, 2);
        for (unsigned t = 0; t < 4; t++) {
            vgsp_put_le32(ctx->memory + SRC_AT + 64 * (t / 2) + 4 * (t % 2),
                          texels[v[i].texels][t]);
        }
        done(0x88c, 0x10);
        blit_rect(0, 0, 1, 1, FIX(1), FIX(1), FIX(v[i].u), FIX(v[i].v));
        g_assert_cmphex(dst32(64, 0, 0), ==, v[i].value);
        if (v[i].rgb565) {
            done(0x200, 0xe8);
            done(0x230, 0xd5);
            blit_rect(0, 1, 1, 1, FIX(1), FIX(1), FIX(v[i].u), FIX(v[i].v));
            g_assert_cmphex(dst32(64, 0, 1) & 0xffff, ==, v[i].rgb565);
        }
        teardown();
    }
}

/*
 * GH100 silicon: formats whose channels are not of 8 bits. Bits are repeated,
 * to 8 or to 16.
 * Results are cut off after 8 bits are rounded; but alpha of 2 bits is 1, 2 and
 * 3 from 192, 512 and 832 of 1023 on.
 */
static void test_bilinear_formats(void)
{
    static const struct {
        uint32_t from, to, texels[4];
        unsigned u, v;          /* in 1/256 */
        uint32_t value;
    } v[] = {
        { 0xe8, 0xcf, { 0x57fd, 0xb62a, 0xdaa6, 0x055c },
          102, 0, 0xff79e9b0 },
        { 0xe8, 0xcf, { 0xb62a, 0xbb77, 0x055c, 0xe1e2 },
          51, 0, 0xffb7b567 },
        { 0xe9, 0xcf, { 0x57fd, 0xb62a, 0xdaa6, 0x055c },
          102, 0, 0x6693d1b0 },
        { 0xe9, 0xcf, { 0xbb77, 0x6664, 0xe1e2, 0x5f02 },
          204, 0, 0x34bca941 },
        { 0xd1, 0xcf, { 0x5f02e1e2, 0x64eaafdd, 0xb2a4df75, 0x000711d0 },
          204, 230, 0x28926e34 },
        { 0xd1, 0xcf, { 0xe76b71cc, 0xa30419c5, 0x66abe101, 0x4bf244c4 },
          204, 230, 0x5f3a464d },
        { 0xcf, 0xd1, { 0x56dd888a, 0x1e5bd6ec, 0x05d367db, 0x4c2e5aaf },
          153, 230, 0x308689d0 },
        { 0xcf, 0xd1, { 0x0878c59e, 0x09aab29b, 0x403ffe47, 0x411f763c },
          153, 179, 0x571b1130 },
        { 0xcf, 0xd1, { 0xffb204b8, 0x5b8e3e6a, 0x04b29847, 0xa0f020da },
          153, 127, 0x6523bae8 },
        { 0xcf, 0xd1, { 0x982ce336, 0x8d0e0373, 0x27bfd7c9, 0x7595b42a },
          153, 76, 0x97f7b50f },
        { 0xcf, 0xd1, { 0x9ad21c32, 0xf3d22398, 0x0ba2c184, 0x21df61ed },
          153, 0, 0x9bd2074a },
        { 0xcf, 0xd1, { 0x1333fdf5, 0xfd201dd3, 0xa591790e, 0xdcaf7696 },
          204, 153, 0xe85655cf },
        { 0xe8, 0xe8, { 0xb62a, 0xbb77, 0x055c, 0xe1e2 },
          51, 0, 0xb5ac },
        { 0xe8, 0xe8, { 0xa462, 0x4427, 0x515e, 0x2dda },
          204, 0, 0x5446 },
        { 0xd1, 0xd1, { 0x1333fdf5, 0xfd201dd3, 0xa591790e, 0xdcaf7696 },
          204, 0, 0xb4a0e5da },
        { 0xd1, 0xd1, { 0xc62d99a2, 0xd62586ee, 0x5c2e97ec, 0x54b94025 },
          102, 76, 0x905afe3c },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        unsigned from = vgsp_2d_format(v[i].from)->bytes;
        unsigned to = vgsp_2d_format(v[i].to)->bytes;

        g_test_message("%u: 0x%x to 0x%x", i, v[i].from, v[i].to);
        setup();
        set_pitch(0x200, v[i].to, 64, 16, 16);
        set_pitch(0x230, v[i].from, 64, 2, 2);
        for (unsigned t = 0; t < 4; t++) {
            vgsp_put_le32(ctx->memory + SRC_AT + 64 * (t / 2) + from * (t % 2),
                          v[i].texels[t]);
        }
        done(0x88c, 0x10);
        blit_rect(0, 0, 1, 1, FIX(1), FIX(1), FIX(v[i].u / 256.0),
                  FIX(v[i].v / 256.0));
        g_assert_cmphex(dst32(64, 0, 0) & UINT32_MAX >> (32 - 8 * to), ==,
                        v[i].value);
        teardown();
    }
}

static void test_overlap(void)
{
    static const struct { int dx, dy, sx, sy; } v[] = {
        { 0, 5, 0, 0 }, { 0, 0, 0, 5 }, { 3, 0, 0, 0 }, { 0, 0, 3, 0 },
        { 3, 2, 0, 0 }, { 0, 2, 3, 0 },
    };
    const uint32_t w = 700, h = 20;     /* several chunks a row */

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        g_autofree uint8_t *before = g_malloc(SRC_AT);

        setup();
        memcpy(ctx->memory, ctx->memory + SRC_AT, SRC_AT);
        memcpy(before, ctx->memory, SRC_AT);
        set_both(0xcf, 1000, 100);
        set_offset(0x230, DOUBLE_VA);
        copy(v[i].dx, v[i].dy, w, h, v[i].sx, v[i].sy);
        for (uint32_t y = 0; y < h; y++) {
            for (uint32_t x = 0; x < w; x++) {
                g_assert_cmphex(dst32(4096, x + (uint32_t)v[i].dx,
                                      y + (uint32_t)v[i].dy), ==,
                                vgsp_le32(before + 4096 *
                                          (y + (uint32_t)v[i].sy) + 4 *
                                          (x + (uint32_t)v[i].sx)));
            }
        }
        teardown();
    }
}

static void test_all_formats_copy(void)
{
    /* Equal formats: the bits as they are, whatever they mean. */
    unsigned n = 0;

    for (uint32_t f = 0; f < 0x100; f++) {
        const Vgsp2dFormat *format = vgsp_2d_format(f);

        if (!format) {
            continue;
        }
        n++;
        setup();
        set_both(f, 64, 8);
        copy(1, 1, 30, 4, 2, 3);
        for (uint32_t y = 0; y < 4; y++) {
            g_assert_cmpmem(ctx->memory + 4096 * (y + 1) + format->bytes,
                            30u * format->bytes,
                            ctx->memory + SRC_AT + 4096 * (y + 3) +
                                2 * format->bytes, 30u * format->bytes);
        }
        g_assert_cmphex(ctx->memory[4096 + 31 * format->bytes], ==, 0xee);
        teardown();
    }
    g_assert_cmpuint(n, ==, 39);
}

static void test_convert(void)
{
    /*
     * Nothing published, and no measurement, says how the engine rounds between
     * these formats. So each value lies farther from a tie than any candidate
     * rule can carry it: the nearest, with either end of a tie, or what GH100
     * does when it clears, which first cuts off up to 1/16 of a step. Widths:
     * M / (2^n - 1) for UNORM, M / (2^(n-1) - 1) for SNORM (Khronos Data Format
     * Specification), clamped to the range of the destination.
     */
    static const struct {
        uint32_t from;
        uint64_t pixel;
        uint32_t to, value;     /* of 32 bits */
    } v[] = {
        /* Halves 0.25, 0.75, 0, 1: 63.75 and 191.25 of 255. */
        { 0xca, 0x3c0000003a003400, 0xcf, 0xff40bf00 },
        /* 1, infinity, -2; X is 1. */
        { 0xce, 0x0000c0007c003c00, 0xcf, 0xffffff00 },
        /* Floats 0.75, 1. */
        { 0xcb, 0x3f8000003f400000, 0xcf, 0xffbfff00 },
        /* -infinity, NaN. */
        { 0xcb, 0x7fc00000ff800000, 0xcf, 0xff000000 },
        /*
         * R has 5 + 6 bits, exponent 15, fraction 0: 1. B has 5 + 5 bits,
         * exponent 14, fraction 16: 2^-1 * (1 + 16 / 32) = 0.75.
         */
        { 0xe0, 0x000003c0 | 0x1d0 << 22, 0xcf, 0xffff00bf },
        /* SNORM 1, -128 / 127 and -127 / 127, 1: UNORM has nothing below 0. */
        { 0xd7, 0x7f81807f, 0xcf, 0xffff0000 },
        /* 32 / 127 * 32767 = 8256.25. */
        { 0xd7, 0x7f81207f, 0xdb, 0x20407fff },
        /* 24576 / 32767 * 127 = 95.25; -1, 1, 0. */
        { 0xc7, 0x00007fff80016000, 0xd7, 0x007f815f },
        /* sRGB 188: ((188 / 255 + 0.055) / 1.055) ^ 2.4 * 255 = 128.2. */
        { 0xd0, 0x40ff00bc, 0xcf, 0x40ff0080 },
        /* Luminance 0.75, and 32 / 127; intensity. */
        { 0xe5, 0x3f400000, 0xcf, 0xffbfbfbf },
        { 0xf4, 0x20, 0xdb, 0x20402040 },
        { 0xf7, 0x40, 0xcf, 0x40404040 },
        { 0xff, 0xffffffff, 0xcf, 0xffffffff },
        /* 0xc000 / 65535 * 255 = 191.25. */
        { 0xda, 0xc0000000, 0xcf, 0xff00bf00 },
        /* 64 / 255 * 1023 = 256.75: 257. */
        { 0xea, 0x40ff, 0xd1, 0xc00407ff },
        /*
         * Packed formats: GH100 silicon cut bits off in each of 2400 random
         * texels. 0xff, 0x87 and 0x0f are 31, 33 and 1, not 31, 33.4 and 1.8.
         */
        { 0xd5, 0x000f87ff, 0xe8, 0xeeeefc21 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        g_test_message("0x%x to 0x%x", v[i].from, v[i].to);
        setup();
        set_pitch(0x200, v[i].to, 64, 4, 4);
        set_pitch(0x230, v[i].from, 64, 1, 1);
        vgsp_put_le64(ctx->memory + SRC_AT, v[i].pixel);
        copy(0, 0, 1, 1, 0, 0);
        g_assert_cmphex(dst32(64, 0, 0), ==, v[i].value);
        teardown();
    }
}

static void test_premult(void)
{
    /* As nvc0 keeps the red of a luminance source. */
    setup();
    set_pitch(0x200, 0xcf, 64, 16, 16);
    set_pitch(0x230, 0xf3, 64, 16, 16);
    done(0x2a8, 0xffff0000);
    done(0x2ac, 5);
    ctx->memory[SRC_AT] = 0x77;
    copy(0, 0, 1, 1, 0, 0);
    g_assert_cmphex(dst32(64, 0, 0), ==, 0xff770000);
    teardown();
}

static void test_slices(void)
{
    /* A large surface is drawn in many slices, and is complete. */
    setup();
    set_pitch(0x200, 0xcf, 2048, 512, 512);
    set_color(0xcf, 7);
    rect(0, 0, 512, 512);
    g_assert_cmpuint(slices, >, 3);
    assert_rect(2048, 512, 0, 0, 512, 512, 7);
    set_pitch(0x230, 0xcf, 2048, 512, 512);
    copy(0, 0, 512, 512, 0, 0);
    g_assert_cmpuint(slices, >, 3);
    g_assert_cmpmem(ctx->memory, 512 * 2048, ctx->memory + SRC_AT, 512 * 2048);
    teardown();
}

/* ---- Pixels from the push buffer ---- */

static void test_cpu(void)
{
    /* Rows of 3 pixels of 16 bits: each begins with a datum of its own. */
    setup();
    set_pitch(0x200, 0xe8, 64, 16, 16);
    set_cpu(0xe8, 3, 2, 2, 1);
    done(0x860, 0x22221111);
    done(0x860, 0xdead3333);
    done(0x860, 0x55554444);
    done(0x860, 0xdead6666);
    g_assert_cmphex(vgsp_le32(ctx->memory + 64 + 4), ==, 0x22221111);
    g_assert_cmphex(vgsp_le32(ctx->memory + 64 + 8), ==, 0xeeee3333);
    g_assert_cmphex(vgsp_le32(ctx->memory + 128 + 4), ==, 0x55554444);
    g_assert_cmphex(vgsp_le32(ctx->memory + 128 + 8), ==, 0xeeee6666);
    g_assert_cmphex(vgsp_le32(ctx->memory + 192 + 4), ==, 0xeeeeeeee);
    /* One datum more. */
    g_assert_cmpint(method(0x860, 0), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_ILLEGAL_DATA, 0);
    teardown();

    /* Bytes, clipped at the left and at the right. */
    setup();
    set_pitch(0x200, 0xf3, 64, 4, 16);
    set_cpu(0xf3, 6, 1, -1, 0);
    done(0x860, 0x04030201);
    done(0x860, 0x00000605);
    g_assert_cmphex(vgsp_le32(ctx->memory), ==, 0x05040302);
    g_assert_cmphex(vgsp_le32(ctx->memory + 4), ==, 0xeeeeeeee);
    teardown();

    /* Converted. */
    setup();
    set_pitch(0x200, 0xcf, 64, 4, 16);
    set_cpu(0xe8, 2, 1, 0, 0);
    done(0x860, 0xffff001f);
    g_assert_cmphex(dst32(64, 0, 0), ==, 0xff0000ff);
    g_assert_cmphex(dst32(64, 1, 0), ==, 0xffffffff);
    teardown();
}

/*
 * Bit 4 P + 2 S + D of a raster operation is the result. Pattern: A8R8G8B8,
 * one colour.
 */
static void test_raster(void)
{
    static const struct {
        uint32_t rop, format, color0, color1, pattern, expect;
    } v[] = {
        /* S, D, S xor D, not D, S and not D, 0 and 1: P does not matter. */
        { 0xcc, 0xcf, 0, 0, 1, 0x3c5a0ff0 },
        { 0xaa, 0xcf, 0, 0, 1, 0xeeeeeeee },
        { 0x66, 0xcf, 0, 0, 1, 0xd2b4e11e },
        { 0x55, 0xcf, 0, 0, 1, 0x11111111 },
        { 0x44, 0xcf, 0, 0, 1, 0x10100110 },
        { 0x00, 0xcf, 0, 0, 1, 0 },
        { 0xff, 0xd5, 0, 0, 1, 0xffffffff },
        { 0x66, 0xd5, 0, 0, 1, 0xd2b4e11e },
        /* DPSDxax: S where P has ones, D elsewhere (Mesa's nvc0). */
        { 0xca, 0xcf, 0, 0x00ffffff, ~0u, 0xee5a0ff0 },
        { 0xca, 0xcf, 0, 0xff000000, ~0u, 0x3ceeeeee },
        { 0xca, 0xcf, 0xff00ff00, 0x12345678, 0, 0x3cee0fee },
        /* P; P xor D. */
        { 0xf0, 0xcf, 0, 0x12345678, ~0u, 0x12345678 },
        { 0x5a, 0xcf, 0, 0x0000ffff, ~0u, 0xeeee1111 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        setup();
        set_both(v[i].format, 16, 16);
        vgsp_put_le32(ctx->memory + SRC_AT, 0x3c5a0ff0);
        done(0x2ac, 4);
        done(0x2a0, v[i].rop);
        done(0x2b4, 0);
        done(0x2e8, 2);
        done(0x2f0, v[i].color0);
        done(0x2f4, v[i].color1);
        done(0x2f8, v[i].pattern);
        done(0x2fc, v[i].pattern);
        copy(1, 2, 1, 1, 0, 0);
        g_assert_cmphex(dst32(4096, 1, 2), ==, v[i].expect);
        g_assert_cmphex(dst32(4096, 0, 2), ==, 0xeeeeeeee);
        g_assert_cmphex(dst32(4096, 2, 2), ==, 0xeeeeeeee);
        /* So does a solid rectangle, and again; and a pixel that is sent. */
        set_color(v[i].format, 0x3c5a0ff0);
        rect(4, 4, 6, 6);
        rect(8, 4, 9, 5);
        set_cpu(v[i].format, 1, 1, 12, 4);
        done(0x860, 0x3c5a0ff0);
        g_assert_cmphex(dst32(4096, 4, 4), ==, v[i].expect);
        g_assert_cmphex(dst32(4096, 5, 5), ==, v[i].expect);
        g_assert_cmphex(dst32(4096, 6, 5), ==, 0xeeeeeeee);
        g_assert_cmphex(dst32(4096, 8, 4), ==, v[i].expect);
        g_assert_cmphex(dst32(4096, 12, 4), ==, v[i].expect);
        teardown();
    }
    /* 16 bits a pixel, and from another format. */
    setup();
    set_both(0xe8, 16, 16);
    set_color(0xcf, 0x00ff0000);                /* 0xf800 */
    done(0x2ac, 4);
    done(0x2a0, 0x66);
    rect(0, 0, 1, 1);
    g_assert_cmphex(vgsp_le32(ctx->memory), ==, 0xeeee16ee);
    teardown();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/twod/rect", test_rect);
    g_test_add_func("/twod/clip", test_clip);
    g_test_add_func("/twod/points", test_points);
    g_test_add_func("/twod/fill-formats", test_fill_formats);
    g_test_add_func("/twod/fill-wide-color", test_fill_wide_color);
    g_test_add_func("/twod/block-linear", test_block_linear);
    g_test_add_func("/twod/block-linear-fill", test_block_linear_fill);
    g_test_add_func("/twod/scale-point", test_scale_point);
    g_test_add_func("/twod/source-edges", test_source_edges);
    g_test_add_func("/twod/bilinear", test_bilinear);
    g_test_add_func("/twod/bilinear-silicon", test_bilinear_silicon);
    g_test_add_func("/twod/bilinear-formats", test_bilinear_formats);
    g_test_add_func("/twod/overlap", test_overlap);
    g_test_add_func("/twod/all-formats-copy", test_all_formats_copy);
    g_test_add_func("/twod/convert", test_convert);
    g_test_add_func("/twod/premult", test_premult);
    g_test_add_func("/twod/raster", test_raster);
    g_test_add_func("/twod/slices", test_slices);
    g_test_add_func("/twod/cpu", test_cpu);
    return g_test_run();
}
