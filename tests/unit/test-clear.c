/*
 * CLEAR_SURFACE of the 3D class: values worked out by hand from NVIDIA's
 * clc597.h. Within a GOB, bits 4 and 5 of an offset are y0 and y1, bit 6 is x4
 * (bytes), bit 7 is y2, bit 8 is x5.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model-rig.h"
#include "model/twod-format.h"

#define VA              (RIG_VA + RIG_DATA)
#define Z               1u
#define STENCIL         2u
#define RED             4u
#define GREEN           8u
#define ALPHA           0x20u
#define RGBA            0x3cu

enum { USE_RECT = 1 << 4, USE_SCISSOR = 1 << 8, USE_VIEWPORT = 1 << 12 };

static void set(Push *p, uint32_t method, uint32_t data)
{
    push(p, VGSP_SUBC_3D, method, data);
}

/* Whole surfaces may be cleared, of one sample. */
static void no_limits(Push *p)
{
    set(p, 0x0ff4, 0xffffu << 16);              /* SET_SURFACE_CLIP */
    set(p, 0x0ff8, 0xffffu << 16);
    set(p, 0x10f8, 0);                          /* SET_CLEAR_SURFACE_CONTROL */
    set(p, 0x15d0, 0);                          /* SET_ANTI_ALIAS */
}

static void rectangle(Push *p, unsigned x0, unsigned x1, unsigned y0,
                      unsigned y1)
{
    set(p, 0x0d6c, x1 << 16 | x0);              /* SET_CLEAR_RECT */
    set(p, 0x0d70, y1 << 16 | y0);
    set(p, 0x10f8, USE_RECT);
}

static void color_target(Push *p, uint64_t va, uint32_t width, uint32_t height,
                         uint32_t format, uint32_t memory)
{
    const uint32_t words[] = {
        va >> 32, (uint32_t)va, width, height, format, memory, 1, 0x400, 0,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        set(p, 0x0800 + i * 4, words[i]);       /* SET_COLOR_TARGET(0) */
    }
}

static void color_value(Push *p, uint32_t r, uint32_t g, uint32_t b,
                        uint32_t a)
{
    const uint32_t value[] = { r, g, b, a };

    for (unsigned i = 0; i < 4; i++) {
        set(p, 0x0d80 + i * 4, value[i]);
    }
}

/* Blocks of one GOB, layers of 0x1000 bytes. */
static void zeta_target(Push *p, uint64_t va, uint32_t width, uint32_t height,
                        uint32_t format)
{
    set(p, 0x0fe0, va >> 32);                   /* SET_ZT_A */
    set(p, 0x0fe4, (uint32_t)va);
    set(p, 0x0fe8, format);
    set(p, 0x0fec, 0);                          /* BLOCK_SIZE */
    set(p, 0x0ff0, 0x400);                      /* ARRAY_PITCH */
    set(p, 0x1228, width);                      /* SIZE */
    set(p, 0x122c, height);
    set(p, 0x1230, 1);
    set(p, 0x1538, 1);                          /* SELECT */
    set(p, 0x179c, 0);                          /* LAYER */
}

/* ---- Colours ---- */

/* A colour target of 64 bytes a row, cleared within a rectangle. */
static void push_clear(Push *p, uint64_t va, uint32_t width, uint32_t format,
                       uint32_t memory, uint32_t layer)
{
    static const uint32_t value[4] = {
        0x3f800000, 0, 0x3f000000, 0x40000000,  /* 1.0, 0.0, 0.5, 2.0 */
    };
    const uint32_t t = 0x0800;

    push(p, VGSP_SUBC_3D, t, va >> 32);
    push(p, VGSP_SUBC_3D, t + 4, (uint32_t)va);
    push(p, VGSP_SUBC_3D, t + 8, width);
    push(p, VGSP_SUBC_3D, t + 0xc, 16);
    push(p, VGSP_SUBC_3D, t + 0x10, format);
    push(p, VGSP_SUBC_3D, t + 0x14, memory);
    push(p, VGSP_SUBC_3D, t + 0x18, 4);
    push(p, VGSP_SUBC_3D, t + 0x1c, 0x1000 / 4);
    push(p, VGSP_SUBC_3D, t + 0x20, 0);
    push(p, VGSP_SUBC_3D, 0x0ff4, 0xffffu << 16);        /* SURFACE_CLIP */
    push(p, VGSP_SUBC_3D, 0x0ff8, 0xffffu << 16);
    push(p, VGSP_SUBC_3D, 0x0d6c, 4 << 16 | 3);         /* CLEAR_RECT */
    push(p, VGSP_SUBC_3D, 0x0d70, 0xffffu << 16 | 9);
    push(p, VGSP_SUBC_3D, 0x10f8, 1 << 4);
    for (unsigned i = 0; i < 4; i++) {
        push(p, VGSP_SUBC_3D, 0x0d80 + i * 4, value[i]);
    }
    push(p, VGSP_SUBC_3D, 0x19d0, 0x3c | layer << 10);
}

static void test_color(void)
{
    const uint64_t va = RIG_VA + RIG_DATA;
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    /* A8B8G8R8 pitch-linear, layer 1: pixel 3 of rows 9 to 15. */
    push_clear(&p, va, 64, 0xd5, 1 << 12, 1);
    /* RU16, as integers saturate; one GOB is 32 pixels wide. */
    push_clear(&p, va + 0x4000, 32, 0xf1, 1 << 4, 0);
    /* RF16_GF16_BF16_AF16 in 3D: slice 1 of blocks of 2 by 2 GOBs. */
    push_clear(&p, va + 0x8000, 8, 0xca, 1 << 16 | 1 << 8 | 1 << 4, 1);
    rig_run(&rig, rig.ctx, &p, 1);
    for (unsigned y = 0; y < 16; y++) {
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + y * 64 + 12), ==, 0);
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x1000 + y * 64 + 12), ==,
                        y < 9 ? 0 : 0xff7f00ff);
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x1000 + y * 64 + 8), ==, 0);
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x1000 + y * 64 + 16), ==, 0);
    }
    /* Row 9 is row 1 of the second GOB: x = 6 bytes, y0 is bit 4. */
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x4000 + 512 + 16 + 4), ==,
                    0xffff0000);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x4000 + 512 + 4), ==, 0);
    /* Slice 1 begins after 2 GOBs; x = 24 bytes: bit 6 is x4, 8 within. */
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 0x8000 + 1024 + 512 + 16 + 64 +
                               8), ==, 0x4000380000003c00);
    g_assert_cmphex(rig_peek64(&rig, RIG_DATA + 0x8000 + 512 + 16 + 64 + 8),
                    ==, 0);
    rig_exit(&rig);
}

/* Words that GH100 silicon gives for 0.7, 0.3, 0.9, 0.4. */
static void test_rounding(void)
{
    static const struct {
        uint32_t format;
        uint64_t pixel;
    } v[] = {
        { 0xd5, 0x66e54cb2 },               /* A8B8G8R8 */
        { 0xcf, 0x66b24ce5 },               /* A8R8G8B8 */
        { 0xda, 0x4cccb332 },               /* R16_G16 */
        { 0xf2, 0x3999 },                   /* RF16 */
        { 0xea, 0x4cb2 },                   /* G8R8 */
        { 0xe8, 0xb27c },                   /* R5G6B5: 22, 19, 28 */
    };
    Vgsp2dFormat const *f;
    uint8_t pixel[8] = { 0 };

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        const double c[4] = { 0.7f, 0.3f, 0.9f, 0.4f };

        f = vgsp_2d_format(v[i].format);
        memset(pixel, 0, sizeof(pixel));
        vgsp_2d_encode(f, c, pixel);
        g_assert_cmphex(vgsp_le64(pixel), ==, v[i].pixel);
    }
    /* 3.53125 and 3.5625 of 255: the tie is not at one half. */
    g_assert_cmpuint(vgsp_2d_encode_norm((float)(3.53125 / 255), 8), ==, 3);
    g_assert_cmpuint(vgsp_2d_encode_norm((float)(3.5625 / 255), 8), ==, 4);
    g_assert_cmpuint(vgsp_2d_encode_norm((float)(254.5009765625 / 255), 8), ==,
                     254);
    g_assert_cmpuint(vgsp_2d_encode_norm((float)(254.501953125 / 255), 8), ==,
                     255);
}

/* Larger than a slice. */
static void test_large(void)
{
    const uint64_t va = RIG_VA + 0x100000;
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    push_clear(&p, va, 1024 * 4, 0xe4, 1 << 12, 0);     /* RU32 */
    push(&p, VGSP_SUBC_3D, 0x080c, 700);                /* HEIGHT */
    push(&p, VGSP_SUBC_3D, 0x10f8, 0);
    push(&p, VGSP_SUBC_3D, 0x19d0, 0x3c);
    rig_run(&rig, rig.ctx, &p, 1);
    for (unsigned i = 0; i < 1024 * 700; i++) {
        g_assert_cmphex(rig_peek(&rig, 0x100000 + i * 4), ==, 0x3f800000);
    }
    g_assert_cmphex(rig_peek(&rig, 0x100000 + 1024 * 700 * 4), ==, 0);
    rig_exit(&rig);
}

/* Both kinds, each larger than a slice. */
static void test_large_both(void)
{
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    no_limits(&p);
    color_target(&p, RIG_VA + 0x100000, 1024, 304, 0xe4, 0);
    color_value(&p, 0x1234, 0, 0, 0);
    zeta_target(&p, RIG_VA + 0x280000, 1024, 304, 0x0a);
    set(&p, 0x0d90, 0x3f800000);
    set(&p, 0x19d0, RGBA | Z);
    rig_run(&rig, rig.ctx, &p, 1);
    for (unsigned i = 0; i < 1024 * 304; i++) {
        g_assert_cmphex(rig_peek(&rig, 0x100000 + i * 4), ==, 0x1234);
        g_assert_cmphex(rig_peek(&rig, 0x280000 + i * 4), ==, 0x3f800000);
    }
    g_assert_cmphex(rig_peek(&rig, 0x100000 + 1024 * 304 * 4), ==, 0);
    g_assert_cmphex(rig_peek(&rig, 0x280000 + 1024 * 304 * 4), ==, 0);
    rig_exit(&rig);
}

/* Channels that are not cleared keep their bits. */
static void test_channels(void)
{
    static const struct {
        uint32_t format, width, clear, value[4], expect;
    } v[] = {
        /* A8B8G8R8: 1.0 in R. */
        { 0xd5, 16, RED, { 0x3f800000 }, 0x554433ff },
        { 0xd5, 16, GREEN | ALPHA, { 0, 0x3f800000, 0, 0 }, 0x0044ff22 },
        /* A8R8G8B8: R is 23:16. */
        { 0xcf, 16, RED, { 0 }, 0x55003322 },
        /* A2B10G10R10: G is 19:10. */
        { 0xd1, 16, GREEN, { 0, 0, 0, 0 }, 0x55400322 },
        /* RU16_GU16. */
        { 0xdd, 16, GREEN, { 7, 8, 9, 10 }, 0x00083322 },
        { 0xdd, 16, RED | ALPHA, { 7, 8, 9, 10 }, 0x55440007 },
        /* B has no bits of it. */
        { 0xdd, 16, 0x10, { 7, 8, 9, 10 }, 0x55443322 },
        /* None at all. */
        { 0xd5, 16, 0, { 0 }, 0x55443322 },
    };
    Rig rig;

    rig_init(&rig, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        Push p = { .count = 0 };

        rig_poke(&rig, RIG_DATA + 0x34, 0x55443322);
        no_limits(&p);
        rectangle(&p, 1, 2, 3, 4);
        color_target(&p, VA, v[i].width, 8, v[i].format, 0);
        color_value(&p, v[i].value[0], v[i].value[1], v[i].value[2],
                    v[i].value[3]);
        set(&p, 0x19d0, v[i].clear);
        rig_run(&rig, rig.ctx, &p, i + 1);
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x34), ==, v[i].expect);
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x38), ==, 0);
    }
    rig_exit(&rig);
}

/* RU32 of 16 by 8 samples: pixel (1, 1) and its samples. */
static void test_samples(void)
{
    static const struct {
        uint32_t mode;
        unsigned x, y, columns, rows;
    } v[] = {
        { 0, 1, 1, 1, 1 }, { 1, 2, 1, 2, 1 }, { 2, 2, 2, 2, 2 },
        { 3, 4, 2, 4, 2 }, { 4, 4, 2, 4, 2 }, { 5, 2, 1, 2, 1 },
        { 6, 4, 4, 4, 4 },
    };
    Rig rig;

    rig_init(&rig, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        Push p = { .count = 0 };

        memset(rig.mem + RIG_DATA, 0, 0x400);
        no_limits(&p);
        set(&p, 0x15d0, v[i].mode);
        rectangle(&p, 1, 2, 1, 2);
        color_target(&p, VA, 16, 8, 0xe4, 0);
        color_value(&p, 7, 0, 0, 0);
        set(&p, 0x19d0, RGBA);
        /* Z16 of as many samples. */
        zeta_target(&p, VA + 0x200, 32, 8, 0x13);
        set(&p, 0x0d90, 0x3f800000);
        set(&p, 0x19d0, Z);
        rig_run(&rig, rig.ctx, &p, i + 1);
        for (unsigned y = 0; y < 8; y++) {
            for (unsigned x = 0; x < 16; x++) {
                uint32_t row = (y & 3) << 4 | (y & 4) << 5;
                uint32_t at = (x & 3) * 4 | row | (x >> 2 & 1) << 6 |
                              (x >> 3) << 8;
                uint32_t zat = (x & 7) * 2 | row | (x >> 3) << 6;
                bool in = x >= v[i].x && x < v[i].x + v[i].columns &&
                          y >= v[i].y && y < v[i].y + v[i].rows;

                g_assert_cmpuint(rig_peek(&rig, RIG_DATA + at), ==,
                                 in ? 7 : 0);
                g_assert_cmphex(vgsp_le16(rig.mem + RIG_DATA + 0x200 + zat),
                                ==, in ? 0xffff : 0);
            }
        }
    }
    rig_exit(&rig);
}

/* ---- Depth and stencil ---- */

static void test_zeta(void)
{
    static const struct {
        uint32_t format, clear, depth, stencil;
        uint32_t control, mask;         /* SET_STENCIL_MASK */
        uint64_t before, after;
    } v[] = {
        /* Z16, GH100 silicon: 32767.5, 19660.5008, 6.5535 and 8090.69. */
        { 0x13, Z, 0x3f000000, 0, 0, 0, 0x2222, 0x7fff },
        { 0x13, Z, 0x3e99999a, 0, 0, 0, 0x2222, 0x4ccc },
        { 0x13, Z, 0x38d1b717, 0, 0, 0, 0x2222, 0x0006 },
        { 0x13, Z, 0x3dfcd680, 0, 0, 0, 0x2222, 0x1f9b },
        /* Beyond 0 and 1, and NaN. */
        { 0x13, Z, 0x40000000, 0, 0, 0, 0x2222, 0xffff },
        { 0x13, Z, 0xbf800000, 0, 0, 0, 0x2222, 0 },
        { 0x13, Z, 0x7fc00000, 0, 0, 0, 0x2222, 0 },
        { 0x13, STENCIL, 0, 0x5a, 0, 0, 0x2222, 0x2222 },
        /* Z24S8: stencil is below. */
        { 0x14, Z, 0x3f800000, 0x5a, 0, 0, 0x111111ab, 0xffffffab },
        { 0x14, STENCIL, 0x3f800000, 0x15a, 0, 0, 0x111111ab, 0x1111115a },
        { 0x14, STENCIL, 0, 0x5a, 1, 0x0f, 0x111111ab, 0x111111aa },
        { 0x14, STENCIL, 0, 0x5a, 0, 0x0f, 0x111111ab, 0x1111115a },
        { 0x14, STENCIL, 0, 0x5a, 1, 0, 0x111111ab, 0x111111ab },
        /* X8Z24; 0.25 * 0xffffff is 0x3fffff.c. */
        { 0x15, Z | STENCIL, 0x3e800000, 0x5a, 0, 0, 0xab111111,
          0xab400000 },
        /* S8Z24: stencil is above. */
        { 0x16, Z, 0x3e800000, 0x5a, 0, 0, 0xab111111, 0xab400000 },
        { 0x16, STENCIL, 0x3e800000, 0x5a, 0, 0, 0xab111111, 0x5a111111 },
        { 0x16, Z | STENCIL, 0x3e800000, 0x5a, 0, 0, 0xab111111,
          0x5a400000 },
        { 0x16, Z | STENCIL, 0x3e800000, 0x5a, 1, 0xf0, 0xab111111,
          0x5b400000 },
        { 0x17, Z | STENCIL, 0, 0x5a, 0, 0, 0xab, 0x5a },
        /* Floats as they are. */
        { 0x0a, Z | STENCIL, 0x40000001, 0, 0, 0, 0x11111111, 0x40000001 },
        { 0x19, Z, 0x3e800000, 0x5a, 0, 0, 0x112233ab11111111,
          0x112233ab3e800000 },
        { 0x19, STENCIL, 0x3e800000, 0x5a, 0, 0, 0x112233ab11111111,
          0x1122335a11111111 },
        { 0x19, Z | STENCIL, 0x3e800000, 0x5a, 0, 0, 0x112233ab11111111,
          0x1122335a3e800000 },
    };
    Rig rig;

    rig_init(&rig, 1);
    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        unsigned bytes = v[i].format == 0x13 ? 2 : v[i].format == 0x17 ? 1
                       : v[i].format == 0x19 ? 8 : 4;
        uint8_t *pixel = rig.mem + RIG_DATA + 0x20 + bytes;
        Push p = { .count = 0 };

        memset(rig.mem + RIG_DATA, 0, 0x200);
        vgsp_put_le64(pixel, v[i].before);
        no_limits(&p);
        rectangle(&p, 1, 2, 2, 3);
        set(&p, 0x10f8, USE_RECT | v[i].control);
        set(&p, 0x139c, v[i].mask);
        zeta_target(&p, VA, 64 / bytes, 8, v[i].format);
        set(&p, 0x0d90, v[i].depth);
        set(&p, 0x0da0, v[i].stencil);
        set(&p, 0x19d0, v[i].clear);
        rig_run(&rig, rig.ctx, &p, i + 1);
        g_assert_cmphex(vgsp_le64(pixel), ==, v[i].after);
        vgsp_put_le64(pixel, 0);
        for (unsigned at = 0; at < 0x200; at += 8) {
            g_assert_cmphex(rig_peek64(&rig, RIG_DATA + at), ==, 0);
        }
    }
    rig_exit(&rig);
}

/* Layers; no target; both kinds at once; scissor and viewport. */
static void test_limits(void)
{
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    no_limits(&p);
    zeta_target(&p, VA, 16, 8, 0x0a);
    set(&p, 0x179c, 1);
    set(&p, 0x0d90, 0x3f800000);
    set(&p, 0x19d0, Z | 2 << 10);
    color_target(&p, VA + 0x8000, 16, 8, 0xe4, 0);
    color_value(&p, 5, 0, 0, 0);
    set(&p, 0x19d0, Z | STENCIL | RGBA | 1 << 10);
    set(&p, 0x1538, 0);
    set(&p, 0x19d0, Z);
    rig_run(&rig, rig.ctx, &p, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 0);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x1000), ==, 0);
    for (unsigned at = 0; at < 0x200; at += 4) {
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x2000 + at), ==,
                        0x3f800000);
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x3000 + at), ==,
                        0x3f800000);
        g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x9000 + at), ==, 5);
    }
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x8000), ==, 0);

    /* Scissor: columns 2 to 3 if it is on; viewport: column 3, from row 1. */
    p.count = 0;
    set(&p, 0x10f8, USE_SCISSOR);
    set(&p, 0x0e00, 1);
    set(&p, 0x0e04, 4 << 16 | 2);
    set(&p, 0x0e08, 8 << 16);
    set(&p, 0x19d0, RGBA);
    color_value(&p, 6, 0, 0, 0);
    set(&p, 0x10f8, USE_SCISSOR | USE_VIEWPORT);
    set(&p, 0x0c00, 5 << 16 | 3);
    set(&p, 0x0c04, 2 << 16 | 1);
    set(&p, 0x19d0, RGBA);
    color_value(&p, 8, 0, 0, 0);
    set(&p, 0x0e00, 0);
    set(&p, 0x10f8, USE_SCISSOR | USE_RECT);
    set(&p, 0x0d6c, 1 << 16);
    set(&p, 0x0d70, 1 << 16);
    set(&p, 0x19d0, RGBA);
    rig_run(&rig, rig.ctx, &p, 2);
    for (unsigned y = 0; y < 4; y++) {
        static const uint32_t expect[4][4] = {
            { 8, 0, 5, 5 }, { 0, 0, 5, 6 }, { 0, 0, 5, 6 }, { 0, 0, 5, 5 },
        };

        for (unsigned x = 0; x < 4; x++) {
            g_assert_cmpuint(rig_peek(&rig, RIG_DATA + 0x8000 + y * 16 +
                                      x * 4), ==, expect[y][x]);
        }
    }
    rig_exit(&rig);
}

static void refused(Rig *rig, const Push *p, uint32_t data)
{
    struct vgsp_owner_fault f;
    uint32_t ctx;

    g_assert_cmpint(vgsp_model_context_new(rig->m, rig->space, &ctx), ==, 0);
    f = rig_run_fault(rig, ctx, p, 5);
    g_assert_cmpint(f.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmpint(f.type, ==, VGSP_EXC_NOT_MODELLED);
    g_assert_cmphex(f.method, ==, VGSP_SUBC_3D << 16 | 0x19d0);
    g_assert_cmphex(f.data, ==, data);
    g_assert_cmpint(vgsp_model_context_del(rig->m, ctx), ==, 0);
}

static void test_refused(void)
{
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    no_limits(&p);
    zeta_target(&p, VA, 16, 8, 0x18);           /* V8Z24 */
    set(&p, 0x19d0, Z);
    refused(&rig, &p, Z);
    p.count = 0;
    no_limits(&p);
    color_target(&p, VA, 16, 8, 0xe4, 0);
    set(&p, 0x15d0, 8);                         /* 2X2_VC_4 */
    set(&p, 0x19d0, RGBA);
    refused(&rig, &p, RGBA);
    p.count = 0;
    no_limits(&p);
    color_target(&p, VA, 16, 8, 0x02, 0);       /* no format */
    set(&p, 0x19d0, RGBA);
    refused(&rig, &p, RGBA);
    /* A target that is not mapped. */
    p.count = 0;
    no_limits(&p);
    zeta_target(&p, UINT64_C(0xf000000000), 16, 8, 0x0a);
    set(&p, 0x19d0, Z);
    g_assert_cmpint(rig_run_fault(&rig, rig.ctx, &p, 6).kind, !=,
                    VGSP_OWNER_FAULT_EXCEPTION);
    rig_exit(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/clear/color", test_color);
    g_test_add_func("/clear/rounding", test_rounding);
    g_test_add_func("/clear/large", test_large);
    g_test_add_func("/clear/large-both", test_large_both);
    g_test_add_func("/clear/channels", test_channels);
    g_test_add_func("/clear/samples", test_samples);
    g_test_add_func("/clear/zeta", test_zeta);
    g_test_add_func("/clear/limits", test_limits);
    g_test_add_func("/clear/refused", test_refused);
    return g_test_run();
}
