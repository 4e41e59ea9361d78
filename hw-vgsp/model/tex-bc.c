/*
 * Block-compressed formats BC1 to BC5 (DXT1, DXT23, DXT45, DXN1, DXN2), as the
 * Khronos Data Format Specification defines them, with the precision of GH100:
 * colours and BC3's alpha of 8 bits, other channels of 16, one of them the sign
 * where they have one. BC6H and BC7 are in tex-bptc.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-fp16.h"
#include "model/tex.h"

/* The middle of two colours of 5 bits, and a third of the way, in 8 bits. */
static int middle5(int a, int b)
{
    return (a + b) * 33 / 8;
}

static int third5(int a, int b)
{
    return (2 * a + b) * 22 / 8;
}

/* A part of the way from one end to the other: two powers of 2, of 256. */
typedef struct Part {
    uint8_t large, small;
    /* The way starts at the second end. */
    bool back;
} Part;

/* Of 8 bits, rounded; the large power has the way widened to 16 bits. */
static int mix8(int from, int to, Part part)
{
    int way = to - from;

    return from + (((way * 257 * part.large >> 8) + way * part.small + 128)
                   >> 8);
}

/* Of 16 bits from 8: the start is widened, the way is not. */
static int mix16(int from, int to, Part part)
{
    return from * 257 + (to - from) * (part.large + part.small);
}

/* Of a sign and 15 bits from 7. */
static int mix15(int from, int to, Part part)
{
    int size = abs(from), wide = size << 8 | size << 1 | size >> 6;

    return (from < 0 ? -wide : wide) +
           (to - from) * (part.large + part.small);
}

/* @four: always four colours, as BC2 and BC3 have them. */
static void decode_color(const uint8_t *p, unsigned texel, bool four,
                         float out[4])
{
    uint16_t v0 = vgsp_le16(p), v1 = vgsp_le16(p + 2);
    unsigned code = vgsp_le32(p + 4) >> (2 * texel) & 3;
    static const Part third = { 64, 16, false }, half = { 64, 64, false };
    unsigned from = code & 1 ? v1 : v0, to = code & 1 ? v0 : v1;
    int c[3];

    four |= v0 > v1;
    out[3] = four || code < 3 ? 1.0f : 0.0f;
    for (unsigned i = 0; i < 3; i++) {
        unsigned shift = i == 0 ? 11 : i == 1 ? 5 : 0;
        unsigned mask = i == 1 ? 0x3f : 0x1f;
        int a = from >> shift & mask, b = to >> shift & mask;

        if (i == 1) {
            a = a << 2 | a >> 4;
            b = b << 2 | b >> 4;
        }
        if (code < 2) {
            c[i] = i == 1 ? a : a << 3 | a >> 2;
        } else if (four) {
            c[i] = i == 1 ? mix8(a, b, third) : third5(a, b);
        } else if (code == 2) {
            c[i] = i == 1 ? mix8(a, b, half) : middle5(a, b);
        } else {
            c[i] = 0;
        }
        out[i] = (float)c[i] / 255.0f;
    }
}

/* A texel of 8 bytes (BC3's alpha, BC4, each half of BC5), not yet mixed. */
typedef struct Channel {
    int from, to;
    Part part;
} Channel;

static Channel decode_channel(const uint8_t *p, unsigned texel, bool is_signed)
{
    /* By code: sevenths, and fifths. */
    static const Part eight[8] = {
        { 0, 0, false }, { 0, 0, true }, { 32, 4, false }, { 64, 8, false },
        { 128, 16, true }, { 128, 16, false }, { 64, 8, true }, { 32, 4, true },
    };
    static const Part six[6] = {
        { 0, 0, false }, { 0, 0, true }, { 32, 16, false }, { 64, 32, false },
        { 64, 32, true }, { 32, 16, true },
    };
    unsigned code = vgsp_le64(p) >> 16 >> (3 * texel) & 7;
    int e0 = is_signed ? (int8_t)p[0] : p[0];
    int e1 = is_signed ? (int8_t)p[1] : p[1];
    bool more;
    Channel c;

    /* GH100 silicon: -128 is -127 before the ends are compared. */
    if (is_signed) {
        e0 = MAX(e0, -127);
        e1 = MAX(e1, -127);
    }
    more = e0 > e1;
    if (!more && code >= 6) {
        e0 = e1 = is_signed ? (code == 7 ? 127 : -127) : code == 7 ? 255 : 0;
        code = 0;
    }
    c.part = more ? eight[code] : six[code];
    c.from = c.part.back ? e1 : e0;
    c.to = c.part.back ? e0 : e1;
    return c;
}

static float channel8(const uint8_t *p, unsigned texel)
{
    Channel c = decode_channel(p, texel, false);

    return (float)mix8(c.from, c.to, c.part) / 255.0f;
}

static float channel16(const uint8_t *p, unsigned texel, bool is_signed)
{
    Channel c = decode_channel(p, texel, is_signed);

    return is_signed ? (float)mix15(c.from, c.to, c.part) / 32767.0f
                     : (float)mix16(c.from, c.to, c.part) / 65535.0f;
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
        out[3] = channel8(block, texel);
        break;
    case VGSP_TEX_BC5:
        out[1] = channel16(block + 8, texel, is_signed);
        /* fall through */
    case VGSP_TEX_BC4:
        out[0] = channel16(block, texel, is_signed);
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
