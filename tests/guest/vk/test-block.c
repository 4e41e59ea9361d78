/*
 * Block-compressed images, BC1 to BC7, of random blocks. The decoders here are
 * for all of BC1 to BC5, and for one mode of BC6H and of BC7; blocks of all
 * modes are compared with the other device where there is one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders.h"

/* Not multiples of 4: the last blocks lie half outside. */
enum { W = 37, H = 22, LEVELS = 3 };

#define USAGE (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)

typedef struct Block Block;

struct Block {
    VkFormat format;
    uint32_t size;
    /* Makes it one that the decoder has. */
    void (*fix)(uint8_t *block);
    /* Texel i of 16; NULL: the other device alone knows. */
    void (*decode)(const Block *b, const uint8_t *block, int i, double out[4]);
    bool is_signed, opaque, srgb;
    double tol;
    /* Other blocks than those of the same format above. */
    uint32_t seed;
    /* What is as good. */
    void (*other)(const Block *b, const uint8_t *block, int i, double out[4]);
};

static uint64_t bits(const uint8_t *p, int at, int n)
{
    uint64_t v = 0;

    for (int i = 0; i < n; i++) {
        v |= (uint64_t)(p[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    }
    return v;
}

static double from_srgb(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

/* ---- BC1 to BC3 ---- */

static void colors(const uint8_t *p, int i, bool four, bool opaque,
                   double out[4])
{
    static const int first[3] = { 11, 5, 0 }, wide[3] = { 5, 6, 5 };
    unsigned v0 = bits(p, 0, 16), v1 = bits(p, 16, 16);
    int code = bits(p, 32 + 2 * i, 2);

    four |= v0 > v1;
    out[3] = !four && code == 3 && !opaque ? 0 : 1;
    for (int c = 0; c < 3; c++) {
        double max = (1 << wide[c]) - 1;
        double a = bits(p, first[c], wide[c]) / max;
        double b = bits(p, 16 + first[c], wide[c]) / max;

        out[c] = code == 0 ? a : code == 1 ? b
               : four ? (code == 2 ? (2 * a + b) / 3 : (a + 2 * b) / 3)
               : code == 2 ? (a + b) / 2 : 0;
    }
}

static void bc1(const Block *b, const uint8_t *p, int i, double out[4])
{
    colors(p, i, false, b->opaque, out);
}

static void bc2(const Block *b, const uint8_t *p, int i, double out[4])
{
    (void)b;
    colors(p + 8, i, true, true, out);
    out[3] = bits(p, 4 * i, 4) / 15.0;
}

/* ---- BC3's alpha, BC4, BC5 ---- */

/* -128 is -127: for GH100 before the ends are compared, for others after. */
static double channel(const uint8_t *p, int i, bool is_signed, bool before)
{
    int a = is_signed ? (int8_t)p[0] : p[0];
    int b = is_signed ? (int8_t)p[1] : p[1];
    int code = bits(p, 16 + 3 * i, 3);
    double max = is_signed ? 127 : 255;
    bool more = a > b;

    a += a == -128;
    b += b == -128;
    more = before ? a > b : more;
    if (code < 2) {
        return (code ? b : a) / max;
    }
    if (more) {
        return ((8 - code) * a + (code - 1) * b) / 7.0 / max;
    }
    return code == 6 ? (is_signed ? -1 : 0) : code == 7 ? 1
         : ((6 - code) * a + (code - 1) * b) / 5.0 / max;
}

static void bc3(const Block *b, const uint8_t *p, int i, double out[4])
{
    (void)b;
    colors(p + 8, i, true, true, out);
    out[3] = channel(p, i, false, false);
}

static void bc4(const Block *b, const uint8_t *p, int i, double out[4])
{
    out[0] = channel(p, i, b->is_signed, false);
    out[1] = out[2] = 0;
    out[3] = 1;
}

static void bc5(const Block *b, const uint8_t *p, int i, double out[4])
{
    bc4(b, p, i, out);
    out[1] = channel(p + 8, i, b->is_signed, false);
}

static void bc5_before(const Block *b, const uint8_t *p, int i, double out[4])
{
    bc5(b, p, i, out);
    out[0] = channel(p, i, b->is_signed, true);
    out[1] = channel(p + 8, i, b->is_signed, true);
}

/* -128 is as good as -127, but not everybody agrees. */
static void fix_signed(uint8_t *p)
{
    for (int i = 0; i < 2; i++) {
        p[i] += p[i] == 0x80;
        p[8 + i] += p[8 + i] == 0x80;
    }
}

static void fix_signed4(uint8_t *p)
{
    p[0] += p[0] == 0x80;
    p[1] += p[1] == 0x80;
}

/* One end or both at -128, the other beside it or anywhere. */
static void lowest_ends(uint8_t *p)
{
    static const uint8_t ends[][2] = {
        { 0x80, 0x80 }, { 0x80, 0x81 }, { 0x81, 0x80 }, { 0x81, 0x81 },
    };

    for (int i = 0; i < 16; i += 8) {
        unsigned kind = p[i + 7] % 6;

        if (kind < 4) {
            memcpy(p + i, ends[kind], 2);
        } else {
            p[i + kind - 4] = 0x80;
        }
    }
}

/* ---- BC6H of 10 bits and one subset; BC7 of mode 6 ---- */

static const int weights[16] = { 0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47,
                                 51, 55, 60, 64 };

/* Indices of 4 bits but for the first, which has 3. */
static int weight(const uint8_t *p, int i)
{
    return weights[i ? bits(p, 64 + 4 * i, 4) : bits(p, 65, 3)];
}

static void fix_bc6h(uint8_t *p)
{
    p[0] = (p[0] & 0xe0) | 3;
}

static int bc6h_end(const uint8_t *p, int at, bool is_signed)
{
    int v = bits(p, at, 10), sign = 1;

    if (!is_signed) {
        return v == 0 ? 0 : v == 1023 ? 0xffff : ((v << 16) + 0x8000) >> 10;
    }
    if (v & 0x200) {
        sign = -1;
        v = 1024 - v;
    }
    return sign * (v == 0 ? 0 : v >= 511 ? 0x7fff
                   : ((v << 15) + 0x4000) >> 9);
}

static void bc6h(const Block *b, const uint8_t *p, int i, double out[4])
{
    int w = weight(p, i);

    for (int c = 0; c < 3; c++) {
        int from = bc6h_end(p, 5 + 10 * c, b->is_signed);
        int to = bc6h_end(p, 35 + 10 * c, b->is_signed);
        int v = (from * (64 - w) + to * w + 32) >> 6;

        out[c] = !b->is_signed ? from_half(v * 31 / 64)
               : v < 0 ? -from_half(-v * 31 / 32) : from_half(v * 31 / 32);
    }
    out[3] = 1;
}

static void fix_bc7(uint8_t *p)
{
    p[0] = (p[0] & 0x80) | 0x40;
}

static void bc7(const Block *b, const uint8_t *p, int i, double out[4])
{
    int w = weight(p, i);

    for (int c = 0; c < 4; c++) {
        int from = bits(p, 7 + 14 * c, 7) << 1 | bits(p, 63, 1);
        int to = bits(p, 14 + 14 * c, 7) << 1 | bits(p, 64, 1);

        out[c] = ((from * (64 - w) + to * w + 32) >> 6) / 255.0;
        if (b->srgb && c < 3) {
            out[c] = from_srgb(out[c]);
        }
    }
}

/* Any mode, the reserved ones too. */
static void any_mode(uint8_t *p)
{
    static uint8_t n;

    p[0] = n % 9 == 8 ? 0 : (p[0] & (0xfe << n % 9)) | 1 << n % 9;
    n++;
}

/*
 * How far the weights of GH100 are off: 80 of 256 for a third (green), 161 of
 * 257 for three fifths, with a sign 162 of 258, of ends that differ by up to 2.
 * What is off by that is rounded then, to 8, 16, and 15 bits and a sign.
 */
#define COLOUR  (1.0 / 3 - 80.0 / 256 + 0.5 / 255)
#define CHANNEL (161.0 / 257 - 3.0 / 5 + 0.5 / 65535)
#define SIGNED  (2 * (162.0 / 258 - 3.0 / 5) + 1.0 / 32767)

static const Block blocks[] = {
    { VK_FORMAT_BC1_RGB_UNORM_BLOCK, 8, NULL, bc1, false, true, false,
      COLOUR },
    { VK_FORMAT_BC1_RGBA_UNORM_BLOCK, 8, NULL, bc1, false, false, false,
      COLOUR },
    { VK_FORMAT_BC2_UNORM_BLOCK, 16, NULL, bc2, .tol = COLOUR },
    { VK_FORMAT_BC3_UNORM_BLOCK, 16, NULL, bc3, .tol = CHANNEL },
    { VK_FORMAT_BC4_UNORM_BLOCK, 8, NULL, bc4, .tol = CHANNEL },
    { VK_FORMAT_BC4_SNORM_BLOCK, 8, fix_signed4, bc4, true, .tol = SIGNED },
    { VK_FORMAT_BC5_UNORM_BLOCK, 16, NULL, bc5, .tol = CHANNEL },
    { VK_FORMAT_BC5_SNORM_BLOCK, 16, fix_signed, bc5, true, .tol = SIGNED },
    { VK_FORMAT_BC6H_UFLOAT_BLOCK, 16, fix_bc6h, bc6h },
    { VK_FORMAT_BC6H_SFLOAT_BLOCK, 16, fix_bc6h, bc6h, true },
    { VK_FORMAT_BC7_UNORM_BLOCK, 16, fix_bc7, bc7, .tol = 0x1p-22 },
    { VK_FORMAT_BC7_SRGB_BLOCK, 16, fix_bc7, bc7, .srgb = true,
      .tol = 0x1p-8 },
    { VK_FORMAT_BC6H_UFLOAT_BLOCK, 16, NULL, NULL },
    { VK_FORMAT_BC6H_SFLOAT_BLOCK, 16, NULL, NULL, true },
    { VK_FORMAT_BC7_UNORM_BLOCK, 16, any_mode, NULL, .tol = 0x1p-22 },
    { VK_FORMAT_BC3_UNORM_BLOCK, 16, NULL, bc3, .tol = CHANNEL, .seed = 1 },
    /* Where one device has -128 and the other -127, that counts too. */
    { VK_FORMAT_BC5_SNORM_BLOCK, 16, lowest_ends, bc5, true,
      .tol = SIGNED + 1.0 / 127, .seed = 1, .other = bc5_before },
};

static void one_block(T *t, const Block *b)
{
    static float got[(W * H * 2 + LEVELS) * 4];
    static double want[(W * H * 2 + LEVELS) * 4];
    static double other[(W * H * 2 + LEVELS) * 4];
    Buf out = buf_new(t, sizeof(got));
    VkSampler s = sampler_new(t, VK_FILTER_NEAREST,
                              VK_SAMPLER_MIPMAP_MODE_NEAREST,
                              VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    VkImageFormatProperties props;
    uint32_t state = b->format + (b->seed << 16), first = 0;
    Tol tol = { 0, b->tol };
    char what[64];
    Img img;

    if (vkGetPhysicalDeviceImageFormatProperties(
            t->g->phys, b->format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
            USAGE, 0, &props) != VK_SUCCESS) {
        return;
    }
    img = img_new(t, VK_IMAGE_TYPE_2D, b->format, (VkExtent3D) { W, H, 1 },
                  LEVELS, 1, USAGE, VK_IMAGE_VIEW_TYPE_2D);
    for (uint32_t l = 0; l < LEVELS; l++) {
        uint32_t w = at_level(W, l), h = at_level(H, l);
        uint32_t columns = (w + 3) / 4, n = columns * ((h + 3) / 4);
        uint8_t *data = malloc(n * b->size);

        for (uint32_t i = 0; i < n * b->size; i++) {
            data[i] = rnd(&state) >> 11;
        }
        for (uint32_t i = 0; i < n && b->fix; i++) {
            b->fix(data + i * b->size);
        }
        for (uint32_t i = 0; i < w * h && b->decode; i++) {
            uint32_t x = i % w, y = i / w;

            b->decode(b, data + (y / 4 * columns + x / 4) * b->size,
                      y % 4 * 4 + x % 4, want + (first + i) * 4);
            if (b->other) {
                b->other(b, data + (y / 4 * columns + x / 4) * b->size,
                         y % 4 * 4 + x % 4, other + (first + i) * 4);
            }
        }
        first += w * h;
        img_upload(t, &img, l, data, n * b->size, VK_IMAGE_LAYOUT_GENERAL);
        free(data);
    }
    first = 0;
    for (uint32_t l = 0; l < LEVELS; l++) {
        uint32_t w = at_level(W, l), h = at_level(H, l);
        uint32_t push[4] = { l, w, h, 0 };

        dispatch(t, sh_fetch_float,
                 (Bind[]) { TEXTURE(img.view, s), SSBO(out) }, 2, push, 16,
                 NULL, (w + 7) / 8, (h + 7) / 8, 1);
        memcpy(got + first * 4, out.map, w * h * 16);
        first += w * h;
    }
    for (uint32_t i = 0; i < first * 4 && !b->decode; i++) {
        want[i] = got[i];
    }
    for (uint32_t i = 0; i < first * 4 && b->other; i++) {
        if (fabs(got[i] - other[i]) <= b->tol) {
            got[i] = (float)want[i];
        }
    }
    snprintf(what, sizeof(what), "format %d%s", b->format,
             b->decode ? "" : ", any mode");
    /* Lavapipe without F16C has 0 for a half that is subnormal. */
    if (gpu_is_cpu(t->g) && (b->format == VK_FORMAT_BC6H_UFLOAT_BLOCK ||
                             b->format == VK_FORMAT_BC6H_SFLOAT_BLOCK)) {
        tol.abs = 0x1p-14;
    }
    check_f32(t, what, got, want, first * 4, tol);
}

static void all_blocks(T *t)
{
    NEED(t, features.features.textureCompressionBC);
    for (size_t i = 0; i < ARRAY_SIZE(blocks); i++) {
        one_block(t, &blocks[i]);
    }
}

const Test block_tests[] = {
    { "fetch-blocks", all_blocks },
    { 0 }
};
