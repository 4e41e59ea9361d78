/*
 * BC1 to BC5: texels worked out by hand, and words that GH100 silicon gives.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/tex.h"

static void test_codes(void)
{
    /* Red and blue: four colours as red's word is the larger. */
    static const uint8_t bc1[8] = { 0x00, 0xf8, 0x1f, 0x00, 0xe4 };
    /* Swapped: three colours and transparent black. */
    static const uint8_t bc1a[8] = { 0x1f, 0x00, 0x00, 0xf8, 0xe4 };
    static const uint8_t bc4[8] = { 255, 0, 0x88, 0xc6, 0xfa };
    static const uint8_t lowest[8] = { 0x81, 0x80, 0x88, 0xc6, 0xfa };
    float c[4];

    vgsp_tex_decode_bc(vgsp_tex_format(0x24), bc1, 0, 0, false, c);
    g_assert_cmpfloat(c[0], ==, 1.0f);
    g_assert_cmpfloat(c[2], ==, 0.0f);
    vgsp_tex_decode_bc(vgsp_tex_format(0x24), bc1, 2, 0, false, c);
    /* 2 * 31 * 22 / 8, and 31 * 22 / 8. */
    g_assert_cmpfloat(c[0], ==, 170 / 255.0f);
    g_assert_cmpfloat(c[2], ==, 85 / 255.0f);
    vgsp_tex_decode_bc(vgsp_tex_format(0x24), bc1a, 2, 0, false, c);
    g_assert_cmpfloat(c[0], ==, 127 / 255.0f);
    g_assert_cmpfloat(c[3], ==, 1.0f);
    vgsp_tex_decode_bc(vgsp_tex_format(0x24), bc1a, 3, 0, false, c);
    g_assert_cmpfloat(c[0] + c[1] + c[2] + c[3], ==, 0.0f);
    /* Codes 0 to 7 in a row: 0x fac688. */
    for (unsigned i = 0; i < 8; i++) {
        static const float expect[8] = {
            1.0f, 0.0f, 221 / 257.0f, 185 / 257.0f, 144 / 257.0f,
            113 / 257.0f, 72 / 257.0f, 36 / 257.0f,
        };

        vgsp_tex_decode_bc(vgsp_tex_format(0x27), bc4, i % 4, i / 4, false,
                           c);
        g_assert_cmpfloat(fabsf(c[0] - expect[i]), <, 1e-6);
    }
    /* GH100 silicon: -128 is -127, and no less than it: code 7 is 1. */
    for (unsigned i = 0; i < 8; i++) {
        vgsp_tex_decode_bc(vgsp_tex_format(0x27), lowest, i % 4, i / 4, true,
                           c);
        g_assert_cmpfloat(c[0], ==, i == 7 ? 1.0f : -1.0f);
    }
}

/* GH100 silicon: both ends, each part of the way, ways up and down. */
typedef struct Vector {
    int ends[2];
    uint8_t code;
    uint32_t word;
} Vector;

static const Vector alpha[] = {
    { { 166, 34 }, 2, 0x3f139394 }, { { 211, 110 }, 3, 0x3f36b6b7 },
    { { 166, 34 }, 4, 0x3edadadb }, { { 143, 94 }, 5, 0x3ee6e6e7 },
    { { 228, 180 }, 6, 0x3f42c2c3 }, { { 166, 34 }, 7, 0x3e54d4d5 },
    { { 174, 230 }, 2, 0x3f39b9ba }, { { 22, 159 }, 3, 0x3e949495 },
    { { 79, 131 }, 4, 0x3edededf }, { { 9, 236 }, 5, 0x3f41c1c2 },
};

static const Vector plain[] = {
    { { 174, 51 }, 2, 0x3f1d629d }, { { 228, 166 }, 7, 0x3f2f5eaf },
    { { 17, 236 }, 3, 0x3ec662c6 },
};

static const Vector with_sign[] = {
    { { 17, -62 }, 0, 0x3e091112 }, { { -20, -24 }, 0, 0xbe214143 },
    { { -3, 72 }, 1, 0x3f112322 }, { { -1, -24 }, 1, 0xbe418183 },
    { { 50, 1 }, 2, 0x3eae015c }, { { -1, -24 }, 2, 0xbd07c110 },
    { { -94, 55 }, 2, 0xbf059b0b }, { { -98, -85 }, 2, 0xbf40ab81 },
    { { 127, -117 }, 3, 0x3eed7ddb }, { { 50, 1 }, 3, 0x3e927125 },
    { { -91, 64 }, 3, 0xbe865d0d }, { { -98, -85 }, 3, 0xbf3bcb78 },
    { { 50, 1 }, 4, 0x3e6491c9 }, { { -20, -24 }, 4, 0xbe2f815f },
    { { -91, 64 }, 4, 0x3d4c2198 }, { { -98, -85 }, 4, 0xbf35176a },
    { { 50, 1 }, 5, 0x3e36a16d }, { { -20, -24 }, 5, 0xbe334167 },
    { { -94, 55 }, 5, 0x3e5bf1b8 }, { { -98, -85 }, 5, 0xbf303760 },
    { { 127, -117 }, 6, 0xbec52d8a }, { { -1, -24 }, 6, 0xbe0dc11c },
    { { -98, -85 }, 6, 0xbf800000 }, { { -1, -24 }, 7, 0xbe27a14f },
    { { 17, -62 }, 7, 0xbecd819b }, { { -3, 72 }, 7, 0x3f800000 },
};

static void expect(unsigned format, bool is_signed, unsigned channel,
                   const Vector *v, size_t n)
{
    float c[4];

    for (size_t i = 0; i < n; i++) {
        const uint8_t block[16] = {
            (uint8_t)v[i].ends[0], (uint8_t)v[i].ends[1], v[i].code,
        };
        uint32_t word;

        vgsp_tex_decode_bc(vgsp_tex_format(format), block, 0, 0, is_signed, c);
        memcpy(&word, &c[channel], sizeof(word));
        g_assert_cmphex(word, ==, v[i].word);
    }
}

static void test_silicon(void)
{
    expect(0x26, false, 3, alpha, G_N_ELEMENTS(alpha));
    expect(0x27, false, 0, plain, G_N_ELEMENTS(plain));
    expect(0x27, true, 0, with_sign, G_N_ELEMENTS(with_sign));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tex-bc/codes", test_codes);
    g_test_add_func("/tex-bc/silicon", test_silicon);
    return g_test_run();
}
