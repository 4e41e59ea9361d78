/*
 * Texel formats: components of an element to words of a shader and back.
 * Specified by NVIDIA's clc597tex.h (TEXHEAD_BL_COMPONENTS). Conversions round
 * to nearest even where silicon's rounding is not documented.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/tex.h"

#define F(code, label, size, ...) \
    [code] = { .name = label, .bytes = size, __VA_ARGS__ }
#define BITS(...) .bits = { __VA_ARGS__ }
#define AT(...) .shift = { __VA_ARGS__ }

static const VgspTexFormat formats[128] = {
    F(0x01, "R32_G32_B32_A32", 16, BITS(32, 32, 32, 32), AT(0, 32, 64, 96)),
    F(0x02, "R32_G32_B32", 12, BITS(32, 32, 32), AT(0, 32, 64)),
    F(0x03, "R16_G16_B16_A16", 8, BITS(16, 16, 16, 16), AT(0, 16, 32, 48)),
    F(0x04, "R32_G32", 8, BITS(32, 32), AT(0, 32)),
    F(0x05, "R32_B24G8", 8, BITS(32, 8, 24), AT(0, 32, 40)),
    F(0x07, "X8B8G8R8", 4, BITS(8, 8, 8), AT(0, 8, 16)),
    F(0x08, "A8B8G8R8", 4, BITS(8, 8, 8, 8), AT(0, 8, 16, 24)),
    F(0x09, "A2B10G10R10", 4, BITS(10, 10, 10, 2), AT(0, 10, 20, 30)),
    F(0x0c, "R16_G16", 4, BITS(16, 16), AT(0, 16)),
    F(0x0d, "G8R24", 4, BITS(24, 8), AT(0, 24)),
    F(0x0e, "G24R8", 4, BITS(8, 24), AT(0, 8)),
    F(0x0f, "R32", 4, BITS(32), AT(0)),
    F(0x10, "BC6H_SF16", 16, BITS(16, 16, 16), .coding = VGSP_TEX_BC6H_SF16),
    F(0x11, "BC6H_UF16", 16, BITS(16, 16, 16), .coding = VGSP_TEX_BC6H_UF16),
    F(0x12, "A4B4G4R4", 2, BITS(4, 4, 4, 4), AT(0, 4, 8, 12)),
    F(0x13, "A5B5G5R1", 2, BITS(1, 5, 5, 5), AT(0, 1, 6, 11)),
    F(0x14, "A1B5G5R5", 2, BITS(5, 5, 5, 1), AT(0, 5, 10, 15)),
    F(0x15, "B5G6R5", 2, BITS(5, 6, 5), AT(0, 5, 11)),
    F(0x16, "B6G5R5", 2, BITS(5, 5, 6), AT(0, 5, 10)),
    F(0x17, "BC7U", 16, BITS(8, 8, 8, 8), .coding = VGSP_TEX_BC7),
    F(0x18, "G8R8", 2, BITS(8, 8), AT(0, 8)),
    F(0x1b, "R16", 2, BITS(16), AT(0)),
    F(0x1d, "R8", 1, BITS(8), AT(0)),
    F(0x1e, "G4R4", 1, BITS(4, 4), AT(0, 4)),
    F(0x20, "E5B9G9R9_SHAREDEXP", 4, BITS(9, 9, 9), AT(0, 9, 18),
      .coding = VGSP_TEX_SHARED_EXP),
    F(0x21, "BF10GF11RF11", 4, BITS(11, 11, 10), AT(0, 11, 22)),
    /* AT: G is of the first texel, 16 bits higher of the second. */
    F(0x22, "G8B8G8R8", 4, BITS(8, 8, 8), AT(0, 8, 16),
      .coding = VGSP_TEX_422),
    F(0x23, "B8G8R8G8", 4, BITS(8, 8, 8), AT(8, 0, 24),
      .coding = VGSP_TEX_422),
    F(0x24, "DXT1", 8, BITS(8, 8, 8, 8), .coding = VGSP_TEX_BC1),
    F(0x25, "DXT23", 16, BITS(8, 8, 8, 8), .coding = VGSP_TEX_BC2),
    F(0x26, "DXT45", 16, BITS(8, 8, 8, 8), .coding = VGSP_TEX_BC3),
    F(0x27, "DXN1", 8, BITS(8), .coding = VGSP_TEX_BC4),
    F(0x28, "DXN2", 16, BITS(8, 8), .coding = VGSP_TEX_BC5),
    F(0x29, "Z24S8", 4, BITS(8, 24), AT(0, 8)),
    F(0x2a, "X8Z24", 4, BITS(24), AT(0)),
    F(0x2b, "S8Z24", 4, BITS(24, 8), AT(0, 24)),
    F(0x2f, "ZF32", 4, BITS(32), AT(0)),
    F(0x30, "ZF32_X24S8", 8, BITS(32, 8), AT(0, 32)),
    F(0x3a, "Z16", 2, BITS(16), AT(0)),
};

const VgspTexFormat *vgsp_tex_format(unsigned components)
{
    return components < G_N_ELEMENTS(formats) && formats[components].name
           ? &formats[components] : NULL;
}

static uint32_t float_bits(float f)
{
    uint32_t u;

    memcpy(&u, &f, sizeof(u));
    return u;
}

static float bits_float(uint32_t u)
{
    float f;

    memcpy(&f, &u, sizeof(f));
    return f;
}

/* ---- Small floats ---- */

/*
 * A float of 5 exponent bits and @mantissa bits, with a sign (16 bits) or
 * without (11 and 10).
 */
static float small_to_float(uint32_t v, unsigned mantissa)
{
    uint32_t man = v & ((1u << mantissa) - 1);
    uint32_t exp = v >> mantissa & 0x1f;
    float sign = mantissa == 10 && v >> 15 & 1 ? -1.0f : 1.0f;

    if (exp == 0x1f) {
        return man ? NAN : sign * INFINITY;
    }
    if (exp == 0) {
        return sign * ldexpf((float)man, -14 - (int)mantissa);
    }
    return sign * ldexpf((float)(man | 1u << mantissa),
                         (int)exp - 15 - (int)mantissa);
}

/* Round to nearest even; too large is infinity; unsigned: negative is 0. */
static uint32_t float_to_small(uint32_t bits, unsigned mantissa, bool is_signed)
{
    uint32_t sign = bits >> 31;
    uint32_t man = bits & 0x7fffff;
    int exp = (int)(bits >> 23 & 0xff);
    uint32_t top = is_signed ? sign << (mantissa + 5) : 0;
    uint32_t inf = 0x1fu << mantissa;
    unsigned drop = 23 - mantissa;
    uint32_t v, rest;

    if (exp == 0xff) {
        if (man) {
            return inf | 1u << (mantissa - 1) | top;
        }
        return sign && !is_signed ? 0 : inf | top;
    }
    if (sign && !is_signed) {
        return 0;
    }
    exp += 15 - 127;
    if (exp >= 0x1f) {
        return inf | top;
    }
    if (exp <= 0) {
        if (exp < -(int)mantissa) {
            return top;
        }
        man |= 0x800000;
        drop += 1 - exp;
        exp = 0;
    }
    v = (uint32_t)exp << mantissa | man >> drop;
    if (exp == 0) {
        v = man >> drop;
    }
    rest = man & ((1u << drop) - 1);
    if (rest > 1u << (drop - 1) || (rest == 1u << (drop - 1) && (v & 1))) {
        v++;                    /* carries into the exponent as it should */
    }
    return v | top;
}

/* ---- sRGB ---- */

float vgsp_tex_from_srgb(unsigned value)
{
    static float table[256];
    static gsize ready;

    if (g_once_init_enter(&ready)) {
        for (unsigned i = 0; i < 256; i++) {
            double c = i / 255.0;

            table[i] = (float)(c <= 0.04045 ? c / 12.92
                                            : pow((c + 0.055) / 1.055, 2.4));
        }
        g_once_init_leave(&ready, 1);
    }
    return table[value & 0xff];
}

/*
 * What texels are decoded to: floats whose significand has eight bits, these
 * their upper halves. GH100's, which are not always the nearest.
 */
static float texel_from_srgb(unsigned value)
{
    static const uint16_t table[256] = {
        0x0000, 0x39a0, 0x3a20, 0x3a70, 0x3aa0, 0x3ac8, 0x3af0, 0x3b0c,
        0x3b20, 0x3b34, 0x3b48, 0x3b5c, 0x3b70, 0x3b84, 0x3b90, 0x3b9c,
        0x3baa, 0x3bb8, 0x3bc6, 0x3bd6, 0x3be6, 0x3bf6, 0x3c03, 0x3c0c,
        0x3c16, 0x3c1f, 0x3c29, 0x3c34, 0x3c3e, 0x3c49, 0x3c55, 0x3c60,
        0x3c6c, 0x3c7a, 0x3c83, 0x3c8a, 0x3c91, 0x3c98, 0x3c9f, 0x3ca6,
        0x3cae, 0x3cb6, 0x3cbe, 0x3cc6, 0x3cce, 0x3cd7, 0x3ce0, 0x3ce9,
        0x3cf2, 0x3cfc, 0x3d03, 0x3d08, 0x3d0d, 0x3d12, 0x3d17, 0x3d1c,
        0x3d22, 0x3d28, 0x3d2d, 0x3d33, 0x3d39, 0x3d3f, 0x3d45, 0x3d4c,
        0x3d52, 0x3d58, 0x3d60, 0x3d66, 0x3d6c, 0x3d74, 0x3d7a, 0x3d81,
        0x3d85, 0x3d88, 0x3d8c, 0x3d90, 0x3d94, 0x3d98, 0x3d9c, 0x3da0,
        0x3da4, 0x3da9, 0x3dad, 0x3db1, 0x3db6, 0x3dba, 0x3dbf, 0x3dc3,
        0x3dc8, 0x3dcd, 0x3dd1, 0x3dd6, 0x3ddb, 0x3de0, 0x3de5, 0x3dea,
        0x3df0, 0x3df4, 0x3dfa, 0x3e00, 0x3e02, 0x3e05, 0x3e08, 0x3e0b,
        0x3e0e, 0x3e11, 0x3e14, 0x3e17, 0x3e1a, 0x3e1d, 0x3e20, 0x3e23,
        0x3e26, 0x3e29, 0x3e2c, 0x3e30, 0x3e33, 0x3e36, 0x3e3a, 0x3e3d,
        0x3e40, 0x3e44, 0x3e47, 0x3e4b, 0x3e4e, 0x3e52, 0x3e56, 0x3e59,
        0x3e5d, 0x3e61, 0x3e65, 0x3e68, 0x3e6c, 0x3e70, 0x3e74, 0x3e78,
        0x3e7c, 0x3e80, 0x3e82, 0x3e84, 0x3e86, 0x3e88, 0x3e8a, 0x3e8d,
        0x3e8f, 0x3e91, 0x3e93, 0x3e95, 0x3e98, 0x3e9a, 0x3e9c, 0x3e9e,
        0x3ea1, 0x3ea3, 0x3ea5, 0x3ea8, 0x3eaa, 0x3ead, 0x3eaf, 0x3eb2,
        0x3eb4, 0x3eb6, 0x3eb9, 0x3ebc, 0x3ebe, 0x3ec1, 0x3ec3, 0x3ec6,
        0x3ec8, 0x3ecb, 0x3ece, 0x3ed1, 0x3ed3, 0x3ed6, 0x3ed9, 0x3edb,
        0x3ede, 0x3ee1, 0x3ee4, 0x3ee7, 0x3eea, 0x3eed, 0x3ef0, 0x3ef2,
        0x3ef6, 0x3ef8, 0x3efc, 0x3efe, 0x3f01, 0x3f02, 0x3f04, 0x3f05,
        0x3f07, 0x3f09, 0x3f0a, 0x3f0c, 0x3f0d, 0x3f0f, 0x3f11, 0x3f12,
        0x3f14, 0x3f16, 0x3f17, 0x3f19, 0x3f1b, 0x3f1c, 0x3f1e, 0x3f20,
        0x3f21, 0x3f23, 0x3f25, 0x3f27, 0x3f29, 0x3f2a, 0x3f2c, 0x3f2e,
        0x3f30, 0x3f32, 0x3f33, 0x3f35, 0x3f37, 0x3f39, 0x3f3b, 0x3f3d,
        0x3f3f, 0x3f41, 0x3f43, 0x3f45, 0x3f47, 0x3f49, 0x3f4b, 0x3f4d,
        0x3f4f, 0x3f51, 0x3f53, 0x3f55, 0x3f57, 0x3f59, 0x3f5b, 0x3f5d,
        0x3f5f, 0x3f61, 0x3f63, 0x3f65, 0x3f68, 0x3f6a, 0x3f6c, 0x3f6e,
        0x3f70, 0x3f72, 0x3f74, 0x3f76, 0x3f7a, 0x3f7c, 0x3f7e, 0x3f80,
    };

    return bits_float((uint32_t)table[value & 0xff] << 16);
}

/* ---- Bit fields ---- */

static uint32_t get_bits(const uint8_t *p, unsigned shift, unsigned bits)
{
    uint64_t v = 0;

    for (unsigned i = shift / 8; i <= (shift + bits - 1) / 8; i++) {
        v |= (uint64_t)p[i] << (8 * (i - shift / 8));
    }
    v >>= shift % 8;
    return bits == 32 ? (uint32_t)v : (uint32_t)v & ((1u << bits) - 1);
}

static void put_bits(uint8_t *p, unsigned shift, unsigned bits, uint32_t v)
{
    for (unsigned i = 0; i < bits; i++) {
        unsigned at = shift + i;

        p[at / 8] = (uint8_t)((p[at / 8] & ~(1u << at % 8)) |
                              (v >> i & 1) << at % 8);
    }
}

static int32_t sign_extend(uint32_t v, unsigned bits)
{
    return (int32_t)(v << (32 - bits)) >> (32 - bits);
}

static uint32_t component_decode(uint32_t v, unsigned bits, VgspTexType type)
{
    double max;

    switch (type) {
    case VGSP_TEX_SNORM:
    case VGSP_TEX_SNORM_FP16:
        max = (double)((UINT64_C(1) << (bits - 1)) - 1);
        return float_bits((float)MAX(sign_extend(v, bits) / MAX(max, 1.0),
                                     -1.0));
    case VGSP_TEX_UNORM:
    case VGSP_TEX_UNORM_FP16:
        if (bits == 5 || bits == 6) {
            /* Brought to 8 bits first. */
            v = v << (8 - bits) | v >> (2 * bits - 8);
            bits = 8;
        }
        return float_bits((float)(v / (double)((UINT64_C(1) << bits) - 1)));
    case VGSP_TEX_SINT:
        return (uint32_t)sign_extend(v, bits);
    case VGSP_TEX_FLOAT:
        switch (bits) {
        case 16:
            return float_bits(small_to_float(v, 10));
        case 11:
            return float_bits(small_to_float(v, 6));
        case 10:
            return float_bits(small_to_float(v, 5));
        default:
            return v;
        }
    case VGSP_TEX_UINT:
    default:
        return v;
    }
}

static void decode_shared_exp(const uint8_t *p, VgspTexel *out)
{
    uint32_t v = vgsp_le32(p);
    int exp = (int)(v >> 27) - 15 - 9;

    for (unsigned i = 0; i < 3; i++) {
        out->c[i] = float_bits(ldexpf((float)(v >> (9 * i) & 0x1ff), exp));
    }
}

static void decode_block(const VgspTexImage *t, const uint8_t *element,
                         unsigned x, unsigned y, VgspTexel *out)
{
    float c[4];

    vgsp_tex_decode_bc(t->format, element, x, y,
                       t->type[0] == VGSP_TEX_SNORM, c);
    for (unsigned i = 0; i < 4; i++) {
        if (t->srgb && i < 3) {
            c[i] = texel_from_srgb((unsigned)lrintf(c[i] * 255.0f));
        }
        out->c[i] = float_bits(c[i]);
    }
}

void vgsp_tex_decode(const VgspTexImage *t, const uint8_t *element,
                     unsigned block_x, unsigned block_y, VgspTexel *out)
{
    const VgspTexFormat *f = t->format;

    memset(out, 0, sizeof(*out));
    if (f->coding == VGSP_TEX_SHARED_EXP) {
        decode_shared_exp(element, out);
        return;
    }
    if (f->coding >= VGSP_TEX_BC1) {
        decode_block(t, element, block_x, block_y, out);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        uint32_t v;

        if (!f->bits[i]) {
            continue;
        }
        v = get_bits(element, f->shift[i] + (i == 1 ? 16 * block_x : 0),
                     f->bits[i]);
        if (t->srgb && i < 3 && f->bits[i] == 8 &&
            t->type[i] == VGSP_TEX_UNORM) {
            out->c[i] = float_bits(texel_from_srgb(v));
        } else {
            out->c[i] = component_decode(v, f->bits[i], t->type[i]);
        }
    }
}

void vgsp_tex_apply_sources(const VgspTexImage *t, const VgspTexel *in,
                            uint32_t out[4])
{
    for (unsigned i = 0; i < 4; i++) {
        switch (t->source[i]) {
        case VGSP_TEX_R ... VGSP_TEX_A:
            out[i] = in->c[t->source[i] - VGSP_TEX_R];
            break;
        case VGSP_TEX_ONE_INT:
            out[i] = 1;
            break;
        case VGSP_TEX_ONE_FLOAT:
            out[i] = float_bits(1.0f);
            break;
        default:
            out[i] = 0;
            break;
        }
    }
}

/* ---- Stores ---- */

static uint32_t component_encode(uint32_t word, unsigned bits,
                                 VgspTexType type)
{
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    double f = bits_float(word);
    double max;

    switch (type) {
    case VGSP_TEX_SNORM:
    case VGSP_TEX_SNORM_FP16:
        max = (double)((UINT64_C(1) << (bits - 1)) - 1);
        f = isnan(f) ? 0.0 : CLAMP(f, -1.0, 1.0);
        return (uint32_t)(int64_t)nearbyint(f * max) & mask;
    case VGSP_TEX_UNORM:
    case VGSP_TEX_UNORM_FP16:
        f = isnan(f) ? 0.0 : CLAMP(f, 0.0, 1.0);
        return (uint32_t)nearbyint(f * (double)mask);
    case VGSP_TEX_SINT:
        /* Saturates, as the typed stores of the chip's ISA do. */
        if (bits < 32) {
            int32_t top = (int32_t)(mask >> 1);

            return (uint32_t)CLAMP((int32_t)word, -top - 1, top) & mask;
        }
        return word;
    case VGSP_TEX_UINT:
        return MIN(word, mask);
    case VGSP_TEX_FLOAT:
        switch (bits) {
        case 16:
            return float_to_small(word, 10, true);
        case 11:
            return float_to_small(word, 6, false);
        case 10:
            return float_to_small(word, 5, false);
        default:
            return word;
        }
    default:
        return word & mask;
    }
}

bool vgsp_tex_encode(const VgspTexImage *t, const uint32_t xyzw[4],
                     uint8_t *element)
{
    const VgspTexFormat *f = t->format;

    if (f->coding != VGSP_TEX_PLAIN) {
        return false;
    }
    memset(element, 0, f->bytes);
    for (unsigned i = 0; i < 4; i++) {
        uint32_t word = 0;

        if (!f->bits[i]) {
            continue;
        }
        /* The word whose source this component is. */
        for (unsigned j = 0; j < 4; j++) {
            if (t->source[j] == VGSP_TEX_R + i) {
                word = xyzw[j];
                break;
            }
        }
        put_bits(element, f->shift[i], f->bits[i],
                 component_encode(word, f->bits[i], t->type[i]));
    }
    return true;
}
