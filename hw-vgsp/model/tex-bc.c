/*
 * Block-compressed formats BC1 to BC5 (DXT1, DXT23, DXT45, DXN1, DXN2), as the
 * Khronos Data Format Specification defines them. Interpolation is done
 * exactly and rounded once. BC6H and BC7 are in tex-bptc.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-fp16.h"
#include "model/tex.h"

static void unpack_565(uint16_t v, float out[3])
{
    out[0] = (float)(v >> 11) / 31.0f;
    out[1] = (float)(v >> 5 & 0x3f) / 63.0f;
    out[2] = (float)(v & 0x1f) / 31.0f;
}

/* @four: always four colours, as BC2 and BC3 have them. */
static void decode_color(const uint8_t *p, unsigned texel, bool four,
                         float out[4])
{
    uint16_t v0 = vgsp_le16(p), v1 = vgsp_le16(p + 2);
    unsigned code = vgsp_le32(p + 4) >> (2 * texel) & 3;
    float c0[3], c1[3];

    unpack_565(v0, c0);
    unpack_565(v1, c1);
    out[3] = 1.0f;
    for (unsigned i = 0; i < 3; i++) {
        switch (code) {
        case 0:
            out[i] = c0[i];
            break;
        case 1:
            out[i] = c1[i];
            break;
        case 2:
            out[i] = four || v0 > v1 ? (2.0f * c0[i] + c1[i]) / 3.0f
                                     : (c0[i] + c1[i]) / 2.0f;
            break;
        default:
            out[i] = four || v0 > v1 ? (c0[i] + 2.0f * c1[i]) / 3.0f : 0.0f;
            if (!four && v0 <= v1) {
                out[3] = 0.0f;
            }
            break;
        }
    }
}

/* A channel of 8 bytes: BC3's alpha, BC4, each half of BC5. */
static float decode_channel(const uint8_t *p, unsigned texel, bool is_signed)
{
    uint64_t bits = vgsp_le64(p) >> 16;
    unsigned code = bits >> (3 * texel) & 7;
    float e0, e1;
    bool eight;

    if (is_signed) {
        e0 = MAX((int8_t)p[0] / 127.0f, -1.0f);
        e1 = MAX((int8_t)p[1] / 127.0f, -1.0f);
        eight = (int8_t)p[0] > (int8_t)p[1];
    } else {
        e0 = p[0] / 255.0f;
        e1 = p[1] / 255.0f;
        eight = p[0] > p[1];
    }
    if (code == 0) {
        return e0;
    }
    if (code == 1) {
        return e1;
    }
    if (eight) {
        return ((8 - code) * e0 + (code - 1) * e1) / 7.0f;
    }
    if (code == 6) {
        return is_signed ? -1.0f : 0.0f;
    }
    if (code == 7) {
        return 1.0f;
    }
    return ((6 - code) * e0 + (code - 1) * e1) / 5.0f;
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
        out[3] = decode_channel(block, texel, false);
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
