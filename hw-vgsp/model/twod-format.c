/*
 * Pixel formats of the 2D engine: the render-target codes that NVIDIA's
 * cl902d.h lists. Names of packed formats begin with the uppermost bits, those
 * with underscores with the lowest. Rounding is GH100's, of clears by the 3D
 * engine and of colours of the 2D engine.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/twod-format.h"
#include "model/sm75-fp16.h"
#include "model/tex.h"
#include "vgsp/nv/twod.h"

#define FORMATS_FIRST   0xc0
#define HALF_NAN        0x7e00
#define UNORM_MAX       65535.0         /* of what is filtered */

#define RGBA(r, g, b, a)        { r, g, b, a }
#define FORMAT(name, bytes, type, alpha, bits, shift, luminance) \
    [NV902D_FORMAT_##name - FORMATS_FIRST] = { \
        NV902D_FORMAT_##name, bytes, VGSP_2D_##type, VGSP_2D_##alpha, bits, \
        shift, luminance }

static const Vgsp2dFormat formats[0x100 - FORMATS_FIRST] = {
    FORMAT(RF32_GF32_BF32_AF32, 16, FLOAT, ALPHA, RGBA(32, 32, 32, 32),
           RGBA(0, 32, 64, 96), false),
    FORMAT(RF32_GF32_BF32_X32, 16, FLOAT, X, RGBA(32, 32, 32, 32),
           RGBA(0, 32, 64, 96), false),
    FORMAT(R16_G16_B16_A16, 8, UNORM, ALPHA, RGBA(16, 16, 16, 16),
           RGBA(0, 16, 32, 48), false),
    FORMAT(RN16_GN16_BN16_AN16, 8, SNORM, ALPHA, RGBA(16, 16, 16, 16),
           RGBA(0, 16, 32, 48), false),
    FORMAT(RF16_GF16_BF16_AF16, 8, FLOAT, ALPHA, RGBA(16, 16, 16, 16),
           RGBA(0, 16, 32, 48), false),
    FORMAT(RF32_GF32, 8, FLOAT, ALPHA, RGBA(32, 32, 0, 0), RGBA(0, 32, 0, 0),
           false),
    FORMAT(RF16_GF16_BF16_X16, 8, FLOAT, X, RGBA(16, 16, 16, 16),
           RGBA(0, 16, 32, 48), false),
    FORMAT(A8R8G8B8, 4, UNORM, ALPHA, RGBA(8, 8, 8, 8), RGBA(16, 8, 0, 24),
           false),
    FORMAT(A8RL8GL8BL8, 4, SRGB, ALPHA, RGBA(8, 8, 8, 8), RGBA(16, 8, 0, 24),
           false),
    FORMAT(A2B10G10R10, 4, UNORM, ALPHA, RGBA(10, 10, 10, 2),
           RGBA(0, 10, 20, 30), false),
    FORMAT(A8B8G8R8, 4, UNORM, ALPHA, RGBA(8, 8, 8, 8), RGBA(0, 8, 16, 24),
           false),
    FORMAT(A8BL8GL8RL8, 4, SRGB, ALPHA, RGBA(8, 8, 8, 8), RGBA(0, 8, 16, 24),
           false),
    FORMAT(AN8BN8GN8RN8, 4, SNORM, ALPHA, RGBA(8, 8, 8, 8),
           RGBA(0, 8, 16, 24), false),
    FORMAT(R16_G16, 4, UNORM, ALPHA, RGBA(16, 16, 0, 0), RGBA(0, 16, 0, 0),
           false),
    FORMAT(RN16_GN16, 4, SNORM, ALPHA, RGBA(16, 16, 0, 0), RGBA(0, 16, 0, 0),
           false),
    FORMAT(RF16_GF16, 4, FLOAT, ALPHA, RGBA(16, 16, 0, 0), RGBA(0, 16, 0, 0),
           false),
    FORMAT(A2R10G10B10, 4, UNORM, ALPHA, RGBA(10, 10, 10, 2),
           RGBA(20, 10, 0, 30), false),
    FORMAT(BF10GF11RF11, 4, FLOAT, ALPHA, RGBA(11, 11, 10, 0),
           RGBA(0, 11, 22, 0), false),
    FORMAT(RF32, 4, FLOAT, ALPHA, RGBA(32, 0, 0, 0), RGBA(0, 0, 0, 0), true),
    FORMAT(X8R8G8B8, 4, UNORM, X, RGBA(8, 8, 8, 8), RGBA(16, 8, 0, 24), false),
    FORMAT(X8RL8GL8BL8, 4, SRGB, X, RGBA(8, 8, 8, 8), RGBA(16, 8, 0, 24),
           false),
    FORMAT(R5G6B5, 2, UNORM, ALPHA, RGBA(5, 6, 5, 0), RGBA(11, 5, 0, 0),
           false),
    FORMAT(A1R5G5B5, 2, UNORM, ALPHA, RGBA(5, 5, 5, 1), RGBA(10, 5, 0, 15),
           false),
    FORMAT(G8R8, 2, UNORM, ALPHA, RGBA(8, 8, 0, 0), RGBA(0, 8, 0, 0), false),
    FORMAT(GN8RN8, 2, SNORM, ALPHA, RGBA(8, 8, 0, 0), RGBA(0, 8, 0, 0), false),
    FORMAT(Y16, 2, UNORM, ALPHA, RGBA(16, 0, 0, 0), RGBA(0, 0, 0, 0), true),
    FORMAT(RN16, 2, SNORM, ALPHA, RGBA(16, 0, 0, 0), RGBA(0, 0, 0, 0), true),
    FORMAT(RF16, 2, FLOAT, ALPHA, RGBA(16, 0, 0, 0), RGBA(0, 0, 0, 0), true),
    FORMAT(Y8, 1, UNORM, ALPHA, RGBA(8, 0, 0, 0), RGBA(0, 0, 0, 0), true),
    FORMAT(RN8, 1, SNORM, ALPHA, RGBA(8, 0, 0, 0), RGBA(0, 0, 0, 0), true),
    /* As a source its value is that of all channels (Mesa's nvc0). */
    FORMAT(A8, 1, UNORM, ALPHA, RGBA(0, 0, 0, 8), RGBA(0, 0, 0, 0), false),
    FORMAT(X1R5G5B5, 2, UNORM, X, RGBA(5, 5, 5, 1), RGBA(10, 5, 0, 15), false),
    FORMAT(X8B8G8R8, 4, UNORM, X, RGBA(8, 8, 8, 8), RGBA(0, 8, 16, 24), false),
    FORMAT(X8BL8GL8RL8, 4, SRGB, X, RGBA(8, 8, 8, 8), RGBA(0, 8, 16, 24),
           false),
    FORMAT(Z1R5G5B5, 2, UNORM, Z, RGBA(5, 5, 5, 1), RGBA(10, 5, 0, 15), false),
    FORMAT(O1R5G5B5, 2, UNORM, O, RGBA(5, 5, 5, 1), RGBA(10, 5, 0, 15), false),
    FORMAT(Z8R8G8B8, 4, UNORM, Z, RGBA(8, 8, 8, 8), RGBA(16, 8, 0, 24), false),
    FORMAT(O8R8G8B8, 4, UNORM, O, RGBA(8, 8, 8, 8), RGBA(16, 8, 0, 24), false),
    FORMAT(Y32, 4, UNORM, ALPHA, RGBA(32, 0, 0, 0), RGBA(0, 0, 0, 0), true),
};

const Vgsp2dFormat *vgsp_2d_format(uint32_t code)
{
    if (code < FORMATS_FIRST || code > 0xff ||
        !formats[code - FORMATS_FIRST].code) {
        return NULL;
    }
    return &formats[code - FORMATS_FIRST];
}

/* SET_RENDER_SOLID_PRIM_COLOR_FORMAT_V has these; so have rectangles. */
static const uint8_t solid[] = {
    NV902D_FORMAT_RF32_GF32_BF32_AF32, NV902D_FORMAT_RF16_GF16_BF16_AF16,
    NV902D_FORMAT_RF32_GF32, NV902D_FORMAT_A8R8G8B8, NV902D_FORMAT_A2R10G10B10,
    NV902D_FORMAT_A8B8G8R8, NV902D_FORMAT_A2B10G10R10, NV902D_FORMAT_X8R8G8B8,
    NV902D_FORMAT_X8B8G8R8, NV902D_FORMAT_R5G6B5, NV902D_FORMAT_A1R5G5B5,
    NV902D_FORMAT_X1R5G5B5, NV902D_FORMAT_Y8, NV902D_FORMAT_Y16,
    NV902D_FORMAT_Y32, NV902D_FORMAT_Z1R5G5B5, NV902D_FORMAT_O1R5G5B5,
    NV902D_FORMAT_Z8R8G8B8, NV902D_FORMAT_O8R8G8B8,
};

bool vgsp_2d_solid(const Vgsp2dFormat *f)
{
    return memchr(solid, f->code, sizeof(solid));
}

bool vgsp_2d_packed(const Vgsp2dFormat *f)
{
    return vgsp_2d_solid(f) && f->type == VGSP_2D_UNORM && !f->luminance;
}

static double channel_max(unsigned bits, bool is_signed)
{
    return (double)(VGSP_BIT(is_signed ? bits - 1 : bits) - 1);
}

/* Bits of a channel, which may lie in any of the pixel's words. */
static uint32_t get_bits(const uint8_t *pixel, unsigned bytes, unsigned shift,
                         unsigned bits)
{
    uint64_t v = 0;

    for (unsigned i = shift / 8; i < bytes && i < shift / 8 + 5; i++) {
        v |= (uint64_t)pixel[i] << (8 * (i - shift / 8));
    }
    return (uint32_t)(v >> shift % 8 & (VGSP_BIT(bits) - 1));
}

static void put_bits(uint8_t *pixel, unsigned shift, unsigned bits, uint32_t v)
{
    for (unsigned i = 0; i < bits; i++) {
        pixel[(shift + i) / 8] |= (uint8_t)((v >> i & 1) << (shift + i) % 8);
    }
}

static double decode_float(unsigned bits, uint32_t v)
{
    union { uint32_t u; float f; } word = { .u = v };

    switch (bits) {
    case 32:
        return word.f;
    case 16:
        return sm75_half_to_float((uint16_t)v);
    default: /* 10, 11: a half without sign and low bits of its fraction */
        return sm75_half_to_float((uint16_t)(v << (15 - bits)));
    }
}

static uint32_t encode_float(unsigned bits, double c)
{
    union { uint32_t u; float f; } word = { .f = (float)c };

    switch (bits) {
    case 32:
        return word.u;
    case 16: /* Towards 0, and never to infinity. */
        return isnan(c) ? HALF_NAN : sm75_double_to_half(c, 3);
    default: /* So too; what is negative becomes 0. */
        return c > 0 || isnan(c)
               ? (uint32_t)sm75_double_to_half(c, 3) >> (15 - bits) : 0;
    }
}

/* Bits brought to 32, by repetition. */
static uint32_t repeat_bits(uint32_t v, unsigned bits)
{
    v <<= 32 - bits;
    for (; bits < 32; bits *= 2) {
        v |= v >> bits;
    }
    return v;
}

/*
 * As the texture unit widens it, to 1/65535: bits are repeated, those of up to
 * 8 first to 8 of them, which are then repeated.
 */
static double decode_unorm(unsigned bits, uint32_t v)
{
    uint32_t repeated = repeat_bits(v, bits);

    if (bits > 16) {
        return v / channel_max(bits, false);
    }
    return (bits > 8 ? repeated >> 16 : (repeated >> 24) * 0x101) / UNORM_MAX;
}

static double decode_channel(const Vgsp2dFormat *f, unsigned i, uint32_t v)
{
    unsigned bits = f->bits[i];

    switch (f->type) {
    case VGSP_2D_FLOAT:
        return decode_float(bits, v);
    case VGSP_2D_SNORM: {
        int32_t s = (int32_t)(v << (32 - bits)) >> (32 - bits);

        return MAX(s / channel_max(bits, true), -1.0);
    }
    case VGSP_2D_SRGB:
        return i < 3 ? vgsp_tex_from_srgb(v) : decode_unorm(bits, v);
    default:
        return decode_unorm(bits, v);
    }
}

/* The code whose value is nearest. */
static uint32_t encode_srgb(double c)
{
    unsigned lo = 0, hi = 255;

    while (hi - lo > 1) {
        unsigned mid = (lo + hi) / 2;

        if (vgsp_tex_from_srgb(mid) <= c) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return c - vgsp_tex_from_srgb(lo) <= vgsp_tex_from_srgb(hi) - c ? lo : hi;
}

uint32_t vgsp_2d_encode_norm(double c, unsigned bits)
{
    unsigned wide = bits + 4;
    uint64_t v = (uint64_t)ldexp(c, (int)wide);

    return (uint32_t)((v * (VGSP_BIT(bits) - 1) + VGSP_BIT(wide - 1) - 1)
                      >> wide);
}

/*
 * Two bits of ten, as the colours beside them have: of the upper four the
 * nearest in thirds, so that 192, 512 and 832 are the first of 1, 2 and 3.
 */
static uint32_t narrow_alpha(uint32_t v)
{
    return ((v >> 6) + 2) / 5;
}

static uint32_t encode_channel(const Vgsp2dFormat *f, unsigned i, double c)
{
    unsigned bits = f->bits[i];
    bool is_signed = f->type == VGSP_2D_SNORM;

    if (f->type == VGSP_2D_FLOAT) {
        return encode_float(bits, c);
    }
    if (isnan(c)) {
        return 0;
    }
    c = CLAMP(c, is_signed ? -1.0 : 0.0, 1.0);
    if (f->type == VGSP_2D_SRGB && i < 3) {
        return encode_srgb(c);
    }
    if (is_signed) {
        uint32_t v = vgsp_2d_encode_norm(fabs(c), bits - 1);

        return (c < 0 ? -v : v) & (uint32_t)(VGSP_BIT(bits) - 1);
    }
    if (bits == 2) {
        return narrow_alpha(vgsp_2d_encode_norm(c, 10));
    }
    return vgsp_2d_encode_norm(c, MAX(bits, 8)) >> (MAX(bits, 8) - bits);
}

void vgsp_2d_decode(const Vgsp2dFormat *f, const uint8_t *pixel, double c[4])
{
    for (unsigned i = 0; i < 4; i++) {
        c[i] = i == 3;
        if (f->bits[i]) {
            c[i] = decode_channel(f, i, get_bits(pixel, f->bytes, f->shift[i],
                                                 f->bits[i]));
        }
    }
    if (f->alpha != VGSP_2D_ALPHA) {
        c[3] = f->alpha != VGSP_2D_Z;
    }
    if (f->luminance) {
        c[1] = c[2] = c[0];
    } else if (!f->bits[0]) {
        c[0] = c[1] = c[2] = c[3];
    }
}

void vgsp_2d_filter(const Vgsp2dFormat *f, const double texels[4][4],
                    const uint32_t weight[4], double c[4])
{
    for (unsigned i = 0; i < 4; i++) {
        bool fixed = f->type == VGSP_2D_UNORM &&
                     f->bits[f->luminance ? 0 : i] <= 16;
        double sum = 0;

        for (unsigned j = 0; j < 4; j++) {
            double v = texels[j][i];

            sum += weight[j] / 256.0 * (fixed ? rint(v * UNORM_MAX) : v);
        }
        c[i] = fixed ? floor(sum + 0.5) / UNORM_MAX : sum;
    }
}

void vgsp_2d_convert(const Vgsp2dFormat *from, const Vgsp2dFormat *to,
                     const uint8_t *src, uint8_t *dst)
{
    double c[4];

    if (from == to) {
        memcpy(dst, src, to->bytes);
        return;
    }
    if (!vgsp_2d_packed(from) || !vgsp_2d_packed(to)) {
        vgsp_2d_decode(from, src, c);
        vgsp_2d_encode(to, c, dst);
        return;
    }
    memset(dst, 0, to->bytes);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t v = i == 3 ? UINT32_MAX : 0;

        if (!to->bits[i]) {
            continue;
        }
        if (i == 3 && to->alpha != VGSP_2D_ALPHA) {
            v = to->alpha == VGSP_2D_O ? v : 0;
        } else if (i == 3 && from->alpha != VGSP_2D_ALPHA) {
            v = from->alpha == VGSP_2D_Z ? 0 : v;
        } else if (from->bits[i]) {
            v = repeat_bits(get_bits(src, from->bytes, from->shift[i],
                                     from->bits[i]), from->bits[i]);
        }
        put_bits(dst, to->shift[i], to->bits[i], v >> (32 - to->bits[i]));
    }
}

void vgsp_2d_encode(const Vgsp2dFormat *f, const double c[4], uint8_t *pixel)
{
    memset(pixel, 0, f->bytes);
    for (unsigned i = 0; i < 4; i++) {
        double v = c[i];

        if (i == 3 && f->alpha != VGSP_2D_ALPHA) {
            v = f->alpha == VGSP_2D_O;
        }
        if (f->bits[i]) {
            put_bits(pixel, f->shift[i], f->bits[i], encode_channel(f, i, v));
        }
    }
}
