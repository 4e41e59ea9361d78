/*
 * Block-compressed formats BC6H and BC7, as the Khronos Data Format
 * Specification defines them (BPTC): exact in integers. Names of a block's
 * parts are that specification's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/tex.h"

/* Bit n: the subset of texel n, where there are two. */
static const uint16_t two_subsets[64] = {
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80,
    0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00, 0xfff0, 0xf000,
    0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce,
    0x088c, 0x3110, 0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c,
    0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a,
    0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660,
    0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c,
    0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
};

/* Texel by texel, where there are three. */
static const char three_subsets[64][17] = {
    "0011001102212222", "0001001122112221", "0000200122112211",
    "0222002200110111", "0000000011221122", "0011001100220022",
    "0022002211111111", "0011001122112211", "0000000011112222",
    "0000111111112222", "0000111122222222", "0012001200120012",
    "0112011201120112", "0122012201220122", "0011011211221222",
    "0011200122002220", "0001001101121122", "0111001120012200",
    "0000112211221122", "0022002200221111", "0111011102220222",
    "0001000122212221", "0000001101220122", "0000110022102210",
    "0122012200110000", "0012001211222222", "0110122112210110",
    "0000011012211221", "0022110211020022", "0110011020022222",
    "0011012201220011", "0000200022112221", "0000000211221222",
    "0222002200120011", "0011001200220222", "0120012001200120",
    "0000111122220000", "0120120120120120", "0120201212010120",
    "0011220011220011", "0011112222000011", "0101010122222222",
    "0000000021212121", "0022112200221122", "0022001100220011",
    "0220122102201221", "0101222222220101", "0000212121212121",
    "0101010101012222", "0222011102220111", "0002111200021112",
    "0000211221122112", "0222011101110222", "0002111211120002",
    "0110011001102222", "0000000021122112", "0110011022222222",
    "0022001100110022", "0022112211220022", "0000000000002112",
    "0002000100020001", "0222122202221222", "0101222222222222",
    "0111201122012220",
};

/* Texels whose index lacks its upper bit, of the subsets after the first. */
static const uint8_t anchor_of_two[64] = {
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
    15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
    15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6,
    6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
};
static const uint8_t anchors_of_three[2][64] = {
    {
        3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3,
        3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15,
        8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15,
        3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3,
    }, {
        15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8,
        15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8,
        15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8,
        15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8,
    },
};

/* Of 64, by the bits of an index. */
static const uint8_t weights[5][16] = {
    [2] = { 0, 21, 43, 64 },
    [3] = { 0, 9, 18, 27, 37, 46, 55, 64 },
    [4] = { 0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64 },
};

/* Bits [at, at + n) of a block; n is at most 16. */
static uint32_t block_bits(const uint8_t *block, unsigned at, unsigned n)
{
    uint32_t v = 0;

    for (unsigned i = at / 8; i < 16 && i < at / 8 + 3; i++) {
        v |= (uint32_t)block[i] << (8 * (i - at / 8));
    }
    return v >> at % 8 & ((1u << n) - 1);
}

static unsigned subset_of(unsigned subsets, unsigned partition, unsigned texel)
{
    switch (subsets) {
    case 1:
        return 0;
    case 2:
        return two_subsets[partition] >> texel & 1;
    default:
        return (unsigned)(three_subsets[partition][texel] - '0');
    }
}

/* The weight of a texel among indices of n bits, which begin at bit at. */
static int weight_of(const uint8_t *block, unsigned at, unsigned n,
                     unsigned subsets, unsigned partition, unsigned texel)
{
    unsigned bits = n;

    for (unsigned i = 0; i < subsets; i++) {
        unsigned anchor = i == 0 ? 0 : subsets == 2 ? anchor_of_two[partition]
                        : anchors_of_three[i - 1][partition];

        at -= texel > anchor;
        bits -= texel == anchor;
    }
    return weights[n][block_bits(block, at + texel * n, bits)];
}

/* ---- BC7 ---- */

static const struct {
    uint8_t subsets, partition_bits, rotation_bits, selector_bits;
    uint8_t color_bits, alpha_bits;
    uint8_t endpoint_pbits, shared_pbits; /* of an endpoint, of a subset */
    uint8_t index_bits, second_bits;
} bc7_modes[8] = {
    { 3, 4, 0, 0, 4, 0, 1, 0, 3, 0 },
    { 2, 6, 0, 0, 6, 0, 0, 1, 3, 0 },
    { 3, 6, 0, 0, 5, 0, 0, 0, 2, 0 },
    { 2, 6, 0, 0, 7, 0, 1, 0, 2, 0 },
    { 1, 0, 2, 1, 5, 6, 0, 0, 2, 3 },
    { 1, 0, 2, 0, 7, 8, 0, 0, 2, 2 },
    { 1, 0, 0, 0, 7, 7, 1, 0, 4, 0 },
    { 2, 6, 0, 0, 5, 5, 1, 0, 2, 0 },
};

/* To 8 bits: the uppermost come again below. */
static int widen(uint32_t v, unsigned bits)
{
    return (int)((v << (8 - bits) | v << 8 >> (2 * bits)) & 0xff);
}

static int interpolate(int from, int to, int weight)
{
    return ((64 - weight) * from + weight * to + 32) >> 6;
}

void vgsp_tex_decode_bc7(const uint8_t *block, unsigned texel, uint8_t out[4])
{
    unsigned mode, at, subset, partition, rotation, selector;
    unsigned ends, channels, pbits, pbit_at, index_at;
    int weight, second;

    memset(out, 0, 4);
    if (!block[0]) {
        return;                 /* reserved */
    }
    mode = (unsigned)__builtin_ctz(block[0]);
    at = mode + 1;
    partition = block_bits(block, at, bc7_modes[mode].partition_bits);
    at += bc7_modes[mode].partition_bits;
    rotation = block_bits(block, at, bc7_modes[mode].rotation_bits);
    at += bc7_modes[mode].rotation_bits;
    selector = block_bits(block, at, bc7_modes[mode].selector_bits);
    at += bc7_modes[mode].selector_bits;

    ends = 2u * bc7_modes[mode].subsets;
    channels = bc7_modes[mode].alpha_bits ? 4 : 3;
    pbits = bc7_modes[mode].endpoint_pbits | bc7_modes[mode].shared_pbits;
    pbit_at = at + ends * (3u * bc7_modes[mode].color_bits +
                           bc7_modes[mode].alpha_bits);
    index_at = pbit_at + ends * bc7_modes[mode].endpoint_pbits +
               ends / 2 * bc7_modes[mode].shared_pbits;
    subset = subset_of(bc7_modes[mode].subsets, partition, texel);
    weight = second = weight_of(block, index_at, bc7_modes[mode].index_bits,
                                bc7_modes[mode].subsets, partition, texel);
    if (bc7_modes[mode].second_bits) {
        index_at += 16u * bc7_modes[mode].index_bits - 1;
        second = weight_of(block, index_at, bc7_modes[mode].second_bits, 1, 0,
                           texel);
    }
    if (selector) {
        int swap = weight;

        weight = second;
        second = swap;
    }
    out[3] = 255;
    for (unsigned c = 0; c < channels; c++) {
        unsigned bits = c < 3 ? bc7_modes[mode].color_bits
                              : bc7_modes[mode].alpha_bits;
        int end[2];

        for (unsigned e = 0; e < 2; e++) {
            uint32_t v = block_bits(block, at + (2 * subset + e) * bits, bits);
            unsigned p = bc7_modes[mode].endpoint_pbits ? 2 * subset + e
                                                        : subset;

            if (pbits) {
                v = v << 1 | block_bits(block, pbit_at + p, 1);
            }
            end[e] = widen(v, bits + pbits);
        }
        at += ends * bits;
        out[c] = (uint8_t)interpolate(end[0], end[1],
                                      c < 3 ? weight : second);
    }
    if (rotation) {
        uint8_t swap = out[3];

        out[3] = out[rotation - 1];
        out[rotation - 1] = swap;
    }
}

/* ---- BC6H ---- */

/* Endpoints w and x are of the first subset, y and z of the second. */
enum { RW, RX, RY, RZ, GW, GX, GY, GZ, BW, BX, BY, BZ, D };
#define PARTITION_BITS  5

/* Bits hi to lo of an endpoint, the lowest first; reversed where hi < lo. */
typedef struct Bc6hPart {
    uint8_t end, hi, lo;
} Bc6hPart;

typedef struct Bc6hMode {
    uint8_t code;               /* of 2 bits if below 2, else of 5 */
    bool transformed;           /* x, y, z are differences to w */
    uint8_t bits, delta[3];     /* of w; of the others, in R, G, B */
    const Bc6hPart *parts;      /* up to D, if any: that of two subsets */
} Bc6hMode;

#define PARTS (const Bc6hPart[])
#define ALL(end, n) { end, (n) - 1, 0 }
#define END { D, 0, 0 }

static const Bc6hMode bc6h_modes[] = {
    { 0x00, true, 10, { 5, 5, 5 }, PARTS {
        { GY, 4, 4 }, { BY, 4, 4 }, { BZ, 4, 4 }, ALL(RW, 10), ALL(GW, 10),
        ALL(BW, 10), ALL(RX, 5), { GZ, 4, 4 }, { GY, 3, 0 }, ALL(GX, 5),
        { BZ, 0, 0 }, { GZ, 3, 0 }, ALL(BX, 5), { BZ, 1, 1 }, { BY, 3, 0 },
        ALL(RY, 5), { BZ, 2, 2 }, ALL(RZ, 5), { BZ, 3, 3 }, END } },
    { 0x01, true, 7, { 6, 6, 6 }, PARTS {
        { GY, 5, 5 }, { GZ, 5, 4 }, ALL(RW, 7), { BZ, 1, 0 }, { BY, 4, 4 },
        ALL(GW, 7), { BY, 5, 5 }, { BZ, 2, 2 }, { GY, 4, 4 }, ALL(BW, 7),
        { BZ, 3, 3 }, { BZ, 5, 5 }, { BZ, 4, 4 }, ALL(RX, 6), { GY, 3, 0 },
        ALL(GX, 6), { GZ, 3, 0 }, ALL(BX, 6), { BY, 3, 0 }, ALL(RY, 6),
        ALL(RZ, 6), END } },
    { 0x02, true, 11, { 5, 4, 4 }, PARTS {
        { RW, 9, 0 }, { GW, 9, 0 }, { BW, 9, 0 }, ALL(RX, 5), { RW, 10, 10 },
        { GY, 3, 0 }, ALL(GX, 4), { GW, 10, 10 }, { BZ, 0, 0 }, { GZ, 3, 0 },
        ALL(BX, 4), { BW, 10, 10 }, { BZ, 1, 1 }, { BY, 3, 0 }, ALL(RY, 5),
        { BZ, 2, 2 }, ALL(RZ, 5), { BZ, 3, 3 }, END } },
    { 0x06, true, 11, { 4, 5, 4 }, PARTS {
        { RW, 9, 0 }, { GW, 9, 0 }, { BW, 9, 0 }, ALL(RX, 4), { RW, 10, 10 },
        { GZ, 4, 4 }, { GY, 3, 0 }, ALL(GX, 5), { GW, 10, 10 }, { GZ, 3, 0 },
        ALL(BX, 4), { BW, 10, 10 }, { BZ, 1, 1 }, { BY, 3, 0 }, ALL(RY, 4),
        { BZ, 0, 0 }, { BZ, 2, 2 }, ALL(RZ, 4), { GY, 4, 4 }, { BZ, 3, 3 },
        END } },
    { 0x0a, true, 11, { 4, 4, 5 }, PARTS {
        { RW, 9, 0 }, { GW, 9, 0 }, { BW, 9, 0 }, ALL(RX, 4), { RW, 10, 10 },
        { BY, 4, 4 }, { GY, 3, 0 }, ALL(GX, 4), { GW, 10, 10 }, { BZ, 0, 0 },
        { GZ, 3, 0 }, ALL(BX, 5), { BW, 10, 10 }, { BY, 3, 0 }, ALL(RY, 4),
        { BZ, 1, 1 }, { BZ, 2, 2 }, ALL(RZ, 4), { BZ, 4, 4 }, { BZ, 3, 3 },
        END } },
    { 0x0e, true, 9, { 5, 5, 5 }, PARTS {
        ALL(RW, 9), { BY, 4, 4 }, ALL(GW, 9), { GY, 4, 4 }, ALL(BW, 9),
        { BZ, 4, 4 }, ALL(RX, 5), { GZ, 4, 4 }, { GY, 3, 0 }, ALL(GX, 5),
        { BZ, 0, 0 }, { GZ, 3, 0 }, ALL(BX, 5), { BZ, 1, 1 }, { BY, 3, 0 },
        ALL(RY, 5), { BZ, 2, 2 }, ALL(RZ, 5), { BZ, 3, 3 }, END } },
    { 0x12, true, 8, { 6, 5, 5 }, PARTS {
        ALL(RW, 8), { GZ, 4, 4 }, { BY, 4, 4 }, ALL(GW, 8), { BZ, 2, 2 },
        { GY, 4, 4 }, ALL(BW, 8), { BZ, 3, 3 }, { BZ, 4, 4 }, ALL(RX, 6),
        { GY, 3, 0 }, ALL(GX, 5), { BZ, 0, 0 }, { GZ, 3, 0 }, ALL(BX, 5),
        { BZ, 1, 1 }, { BY, 3, 0 }, ALL(RY, 6), ALL(RZ, 6), END } },
    { 0x16, true, 8, { 5, 6, 5 }, PARTS {
        ALL(RW, 8), { BZ, 0, 0 }, { BY, 4, 4 }, ALL(GW, 8), { GY, 5, 5 },
        { GY, 4, 4 }, ALL(BW, 8), { GZ, 5, 5 }, { BZ, 4, 4 }, ALL(RX, 5),
        { GZ, 4, 4 }, { GY, 3, 0 }, ALL(GX, 6), { GZ, 3, 0 }, ALL(BX, 5),
        { BZ, 1, 1 }, { BY, 3, 0 }, ALL(RY, 5), { BZ, 2, 2 }, ALL(RZ, 5),
        { BZ, 3, 3 }, END } },
    { 0x1a, true, 8, { 5, 5, 6 }, PARTS {
        ALL(RW, 8), { BZ, 1, 1 }, { BY, 4, 4 }, ALL(GW, 8), { BY, 5, 5 },
        { GY, 4, 4 }, ALL(BW, 8), { BZ, 5, 5 }, { BZ, 4, 4 }, ALL(RX, 5),
        { GZ, 4, 4 }, { GY, 3, 0 }, ALL(GX, 5), { BZ, 0, 0 }, { GZ, 3, 0 },
        ALL(BX, 6), { BY, 3, 0 }, ALL(RY, 5), { BZ, 2, 2 }, ALL(RZ, 5),
        { BZ, 3, 3 }, END } },
    { 0x1e, false, 6, { 6, 6, 6 }, PARTS {
        ALL(RW, 6), { GZ, 4, 4 }, { BZ, 1, 0 }, { BY, 4, 4 }, ALL(GW, 6),
        { GY, 5, 5 }, { BY, 5, 5 }, { BZ, 2, 2 }, { GY, 4, 4 }, ALL(BW, 6),
        { GZ, 5, 5 }, { BZ, 3, 3 }, { BZ, 5, 5 }, { BZ, 4, 4 }, ALL(RX, 6),
        { GY, 3, 0 }, ALL(GX, 6), { GZ, 3, 0 }, ALL(BX, 6), { BY, 3, 0 },
        ALL(RY, 6), ALL(RZ, 6), END } },
    { 0x03, false, 10, { 10, 10, 10 }, PARTS {
        ALL(RW, 10), ALL(GW, 10), ALL(BW, 10), ALL(RX, 10), ALL(GX, 10),
        ALL(BX, 10), END } },
    { 0x07, true, 11, { 9, 9, 9 }, PARTS {
        { RW, 9, 0 }, { GW, 9, 0 }, { BW, 9, 0 }, ALL(RX, 9), { RW, 10, 10 },
        ALL(GX, 9), { GW, 10, 10 }, ALL(BX, 9), { BW, 10, 10 }, END } },
    { 0x0b, true, 12, { 8, 8, 8 }, PARTS {
        { RW, 9, 0 }, { GW, 9, 0 }, { BW, 9, 0 }, ALL(RX, 8), { RW, 10, 11 },
        ALL(GX, 8), { GW, 10, 11 }, ALL(BX, 8), { BW, 10, 11 }, END } },
    { 0x0f, true, 16, { 4, 4, 4 }, PARTS {
        { RW, 9, 0 }, { GW, 9, 0 }, { BW, 9, 0 }, ALL(RX, 4), { RW, 10, 15 },
        ALL(GX, 4), { GW, 10, 15 }, ALL(BX, 4), { BW, 10, 15 }, END } },
};

static int sign_extend(int v, unsigned bits)
{
    return (int)((uint32_t)v << (32 - bits)) >> (32 - bits);
}

/* Endpoints as stored; returns the bit after them. */
static unsigned bc6h_endpoints(const Bc6hMode *m, const uint8_t *block,
                               int end[D])
{
    unsigned at = m->code < 2 ? 2 : 5;

    for (const Bc6hPart *p = m->parts; p->end != D; p++) {
        bool reversed = p->hi < p->lo;
        unsigned low = reversed ? p->hi : p->lo;
        unsigned n = (reversed ? p->lo : p->hi) - low + 1u;
        uint32_t v = block_bits(block, at, n);

        for (unsigned i = 0; i < n; i++) {
            unsigned to = reversed ? n - 1 - i : i;

            end[p->end] |= (int)(v >> i & 1) << (low + to);
        }
        at += n;
    }
    return at;
}

static int bc6h_unquantize(int v, unsigned bits, bool is_signed)
{
    int magnitude = abs(v), max = (1 << (bits - 1)) - 1;

    if (!is_signed) {
        if (bits >= 15 || v == 0) {
            return v;
        }
        return v == (1 << bits) - 1 ? 0xffff : ((v << 16) + 0x8000) >> bits;
    }
    if (bits >= 16 || v == 0) {
        return v;
    }
    magnitude = magnitude >= max ? 0x7fff
                                 : ((magnitude << 15) + 0x4000) >> (bits - 1);
    return v < 0 ? -magnitude : magnitude;
}

void vgsp_tex_decode_bc6h(const uint8_t *block, unsigned texel, bool is_signed,
                          uint16_t out[3])
{
    unsigned code = block[0] & ((block[0] & 2) ? 0x1f : 3);
    unsigned at, subsets, partition, subset;
    const Bc6hMode *m = NULL;
    int end[D] = { 0 };
    int weight;

    memset(out, 0, 3 * sizeof(*out));
    for (unsigned i = 0; i < G_N_ELEMENTS(bc6h_modes); i++) {
        if (bc6h_modes[i].code == code) {
            m = &bc6h_modes[i];
        }
    }
    if (!m) {
        return;                 /* reserved */
    }
    at = bc6h_endpoints(m, block, end);
    /* Codes of one subset end in 11. */
    subsets = (code & 3) == 3 ? 1 : 2;
    partition = subsets == 2 ? block_bits(block, at, PARTITION_BITS) : 0;
    at += subsets == 2 ? PARTITION_BITS : 0;
    subset = subset_of(subsets, partition, texel);
    weight = weight_of(block, at, subsets == 2 ? 3 : 4, subsets, partition,
                       texel);
    for (unsigned c = 0; c < 3; c++) {
        int base = end[4 * c], v, pair[2];

        base = is_signed ? sign_extend(base, m->bits) : base;
        for (unsigned e = 0; e < 2; e++) {
            v = end[4 * c + 2 * subset + e];
            if (!subset && !e) {
                v = base;
            } else if (m->transformed) {
                v = (base + sign_extend(v, m->delta[c])) &
                    (int)((1u << m->bits) - 1);
                v = is_signed ? sign_extend(v, m->bits) : v;
            } else if (is_signed) {
                v = sign_extend(v, m->delta[c]);
            }
            pair[e] = bc6h_unquantize(v, m->bits, is_signed);
        }
        v = interpolate(pair[0], pair[1], weight);
        /* To the bits of a half, of which infinity is not reached. */
        if (!is_signed) {
            out[c] = (uint16_t)(v * 31 >> 6);
        } else if (v < 0) {
            out[c] = (uint16_t)(0x8000 | (-v * 31 >> 5));
        } else {
            out[c] = (uint16_t)(v * 31 >> 5);
        }
    }
}
