/*
 * Block-compressed formats BC1 to BC5 (DXT1, DXT23, DXT45, DXN1, DXN2), as the
 * Khronos Data Format Specification defines them, with the precision of GH100:
 * colours of 8 bits, channels of 16. BC6H and BC7 are in tex-bptc.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/sm75-fp16.h"
#include "model/tex.h"

/* The middle of two colours of 5 bits, and a third of the way, in 8 bits. */
static unsigned middle5(unsigned a, unsigned b)
{
    return (a + b) * 33 / 8;
}

static unsigned third5(unsigned a, unsigned b)
{
    return (2 * a + b) * 22 / 8;
}

/* The same of green, whose 6 bits are brought to 8 first. */
static unsigned part6(unsigned a, unsigned b, int part)
{
    int a8 = (int)(a << 2 | a >> 4), d = (int)(b << 2 | b >> 4) - a8;

    return (unsigned)((256 * a8 + d / 4 + 128 + d * part) / 256);
}

/* @four: always four colours, as BC2 and BC3 have them. */
static void decode_color(const uint8_t *p, unsigned texel, bool four,
                         float out[4])
{
    uint16_t v0 = vgsp_le16(p), v1 = vgsp_le16(p + 2);
    unsigned code = vgsp_le32(p + 4) >> (2 * texel) & 3;
    unsigned near = code & 1 ? v1 : v0, far = code & 1 ? v0 : v1;
    unsigned c[3];

    four |= v0 > v1;
    out[3] = four || code < 3 ? 1.0f : 0.0f;
    for (unsigned i = 0; i < 3; i++) {
        unsigned shift = i == 0 ? 11 : i == 1 ? 5 : 0;
        unsigned mask = i == 1 ? 0x3f : 0x1f;
        unsigned a = near >> shift & mask, b = far >> shift & mask;

        if (code < 2) {
            c[i] = i == 1 ? a << 2 | a >> 4 : a << 3 | a >> 2;
        } else if (four) {
            c[i] = i == 1 ? part6(a, b, 80) : third5(a, b);
        } else if (code == 2) {
            c[i] = i == 1 ? part6(a, b, 128) : middle5(a, b);
        } else {
            c[i] = 0;
        }
        out[i] = (float)c[i] / 255.0f;
    }
}

/*
 * Weights of the second end, of 257, in sevenths and fifths. Where ends have a
 * sign the wholes have 258, and what is above one half is one more.
 */
static const uint8_t sevenths[] = { 0, 36, 72, 113, 144, 185, 221 };
static const uint8_t fifths[] = { 0, 48, 96, 161, 209 };

static int mix_unsigned(int a, int b, int weight)
{
    return a * (257 - weight) + b * weight;
}

static int mix_signed(int a, int b, int weight)
{
    weight += weight > 128;
    a = a * 258 + a / 64;
    b = b * 258 + b / 64;
    return (int)floor((a * (258 - weight) + b * weight) / 258.0 + 0.5);
}

/* A channel of 8 bytes: BC3's alpha, BC4, each half of BC5. */
static float decode_channel(const uint8_t *p, unsigned texel, bool is_signed)
{
    uint64_t bits = vgsp_le64(p) >> 16;
    unsigned code = bits >> (3 * texel) & 7;
    int e0 = is_signed ? MAX((int8_t)p[0], -127) : p[0];
    int e1 = is_signed ? MAX((int8_t)p[1], -127) : p[1];
    bool eight = is_signed ? (int8_t)p[0] > (int8_t)p[1] : p[0] > p[1];
    int weight;

    if (code < 2) {
        return (float)(code ? e1 : e0) / (is_signed ? 127.0f : 255.0f);
    }
    if (!eight && code >= 6) {
        return code == 7 ? 1.0f : is_signed ? -1.0f : 0.0f;
    }
    weight = eight ? sevenths[code - 1] : fifths[code - 1];
    return is_signed ? (float)mix_signed(e0, e1, weight) / 32767.0f
                     : (float)mix_unsigned(e0, e1, weight) / 65535.0f;
}

void vgsp_tex_decode_bc(const VgspTexFormat *f, const uint8_t *block,
                        unsigned x, unsigned y, bool is_signed, float out[4])
{
    unsigned texel = (y & 3) * 4 + (x & 3);
    uint16_t half[3];
    uint8_t byte[4];

    out[0] = out[1] = out[2] = 0.0f;
    out[3] = 1.0f;
    switch (f->coding) {
    case VGSP_TEX_BC1:
        decode_color(block, texel, false, out);
        break;
    case VGSP_TEX_BC2:
        decode_color(block + 8, texel, true, out);
        out[3] = (float)(vgsp_le64(block) >> (4 * texel) & 0xf) / 15.0f;
        break;
    case VGSP_TEX_BC3:
        decode_color(block + 8, texel, true, out);
        /* To 8 bits, like the colour. */
        out[3] = rintf(decode_channel(block, texel, false) * 255.0f) / 255.0f;
        break;
    case VGSP_TEX_BC5:
        out[1] = decode_channel(block + 8, texel, is_signed);
        /* fall through */
    case VGSP_TEX_BC4:
        out[0] = decode_channel(block, texel, is_signed);
        break;
    case VGSP_TEX_BC6H_SF16:
    case VGSP_TEX_BC6H_UF16:
        vgsp_tex_decode_bc6h(block, texel, f->coding == VGSP_TEX_BC6H_SF16,
                             half);
        for (unsigned i = 0; i < 3; i++) {
            out[i] = sm75_half_to_float(half[i]);
        }
        break;
    case VGSP_TEX_BC7:
        vgsp_tex_decode_bc7(block, texel, byte);
        for (unsigned i = 0; i < 4; i++) {
            out[i] = byte[i] / 255.0f;
        }
        break;
    default:
        break;
    }
}
