/*
 * BC6H and BC7 against blocks put together by hand from the Khronos Data Format
 * Specification's tables of modes, with texels worked out by its formulas.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/tex.h"

/* A part of a block: that many bits of a value, from the lowest on. */
typedef struct Part {
    uint8_t bits;
    uint32_t value;
} Part;

typedef struct Bc7Vector {
    const char *what;
    Part parts[56];
    struct {
        uint8_t texel, rgba[4];
    } expect[6];
} Bc7Vector;

static void pack(const Part *parts, size_t n, uint8_t block[16])
{
    unsigned at = 0;

    memset(block, 0, 16);
    for (size_t i = 0; i < n; i++) {
        for (unsigned b = 0; b < parts[i].bits; b++, at++) {
            g_assert_cmpuint(at, <, 128);
            block[at / 8] |= (uint8_t)(((uint64_t)parts[i].value >> b & 1)
                                       << at % 8);
        }
    }
    g_assert_cmpuint(at, ==, 128);
}

/* n indices of 0, of that many bits. */
#define ZEROES(n, bits)     { (n) * (bits), 0 }

/*
 * In order: mode, partition, rotation, index selection, endpoints of R, G, B
 * and A, P bits, indices. Endpoints with their P bit are widened to 8 bits, as
 * 31 of 5 bits to 255; weights of 64 for three bits: 0 9 18 27 37 46 55 64.
 */
static const Bc7Vector bc7[] = {
    /* Partition 1: 0001 0011 2211 2221, anchors 0, 3 and 8. */
    { "mode 0", {
        { 1, 1 }, { 4, 1 },
        { 4, 15 }, { 4, 0 }, { 4, 8 }, { 4, 8 }, { 4, 0 }, { 4, 0 },
        { 4, 0 }, { 4, 0 }, { 4, 0 }, { 4, 0 }, { 4, 15 }, { 4, 15 },
        { 24, 0 },
        { 1, 1 }, { 1, 0 }, { 1, 1 }, { 1, 0 }, { 1, 0 }, { 1, 1 },
        { 2, 0 }, { 3, 7 }, { 3, 3 }, { 2, 1 }, ZEROES(4, 3), { 2, 3 },
        ZEROES(6, 3), { 3, 7 },
    }, {
        { 0, { 255, 8, 8, 255 } }, { 1, { 0, 0, 0, 255 } },
        { 2, { 147, 5, 5, 255 } }, { 3, { 139, 7, 7, 255 } },
        { 8, { 3, 250, 3, 255 } }, { 15, { 132, 0, 0, 255 } },
    } },
    /* Partition 13: the lower half, whose anchor is 15. */
    { "mode 1", {
        { 2, 2 }, { 6, 13 },
        { 6, 63 }, { 6, 0 }, { 6, 32 }, { 6, 0 },
        { 6, 0 }, { 6, 63 }, { 6, 0 }, { 6, 0 },
        { 6, 0 }, { 6, 0 }, { 6, 0 }, { 6, 63 },
        { 1, 1 }, { 1, 0 },
        { 2, 1 }, ZEROES(13, 3), { 3, 6 }, { 2, 2 },
    }, {
        { 0, { 219, 38, 2, 255 } }, { 14, { 18, 0, 217, 255 } },
        { 15, { 93, 0, 71, 255 } }, { 8, { 129, 0, 0, 255 } },
        { 1, { 255, 2, 2, 255 } }, { 7, { 255, 2, 2, 255 } },
    } },
    /* Partition 59: 0000 0000 0000 2112, anchors 0, 13 and 15. */
    { "mode 2", {
        { 3, 4 }, { 6, 59 },
        { 5, 31 }, { 5, 0 }, { 5, 16 }, { 5, 1 }, { 5, 0 }, { 5, 0 },
        { 5, 0 }, { 5, 0 }, { 5, 0 }, { 5, 0 }, { 5, 31 }, { 5, 0 },
        { 5, 0 }, { 5, 31 }, { 5, 0 }, { 5, 0 }, { 5, 0 }, { 5, 31 },
        { 1, 1 }, ZEROES(10, 2), { 2, 2 }, { 2, 3 }, { 1, 1 }, { 2, 2 },
        { 1, 1 },
    }, {
        { 0, { 171, 0, 84, 255 } }, { 11, { 84, 0, 171, 255 } },
        { 12, { 0, 0, 255, 255 } }, { 13, { 91, 0, 0, 255 } },
        { 14, { 49, 0, 0, 255 } }, { 15, { 0, 171, 84, 255 } },
    } },
    /* Partition 17: texels 1, 2, 3 and 7, of which 2 is the anchor. */
    { "mode 3", {
        { 4, 8 }, { 6, 17 },
        { 7, 127 }, { 7, 0 }, { 7, 64 }, { 7, 0 },
        { 7, 0 }, { 7, 0 }, { 7, 1 }, { 7, 127 },
        { 7, 64 }, { 7, 64 }, { 7, 0 }, { 7, 0 },
        { 1, 0 }, { 1, 1 }, { 1, 1 }, { 1, 0 },
        { 1, 1 }, { 2, 3 }, { 1, 1 }, ZEROES(12, 2), { 2, 2 },
    }, {
        { 0, { 171, 0, 128, 255 } }, { 1, { 0, 254, 0, 255 } },
        { 2, { 87, 85, 1, 255 } }, { 3, { 129, 3, 1, 255 } },
        { 4, { 254, 0, 128, 255 } }, { 15, { 84, 1, 129, 255 } },
    } },
    { "mode 4: colours by two bits, alpha by three", {
        { 5, 16 }, { 2, 0 }, { 1, 0 },
        { 5, 31 }, { 5, 0 }, { 5, 0 }, { 5, 31 }, { 5, 0 }, { 5, 0 },
        { 6, 63 }, { 6, 0 },
        { 1, 1 }, ZEROES(14, 2), { 2, 2 }, { 2, 3 }, ZEROES(14, 3), { 3, 5 },
    }, {
        { 0, { 171, 84, 0, 147 } }, { 15, { 84, 171, 0, 72 } },
        { 1, { 255, 0, 0, 255 } }, { 2, { 255, 0, 0, 255 } },
        { 3, { 255, 0, 0, 255 } }, { 14, { 255, 0, 0, 255 } },
    } },
    { "mode 4: the other way round, G and A exchanged", {
        { 5, 16 }, { 2, 2 }, { 1, 1 },
        { 5, 31 }, { 5, 0 }, { 5, 0 }, { 5, 31 }, { 5, 0 }, { 5, 0 },
        { 6, 63 }, { 6, 0 },
        { 1, 1 }, ZEROES(14, 2), { 2, 2 }, { 2, 3 }, ZEROES(14, 3), { 3, 5 },
    }, {
        { 0, { 147, 171, 0, 108 } }, { 15, { 72, 84, 0, 183 } },
        { 1, { 255, 255, 0, 0 } }, { 2, { 255, 255, 0, 0 } },
        { 3, { 255, 255, 0, 0 } }, { 14, { 255, 255, 0, 0 } },
    } },
    { "mode 5: B and A exchanged", {
        { 6, 32 }, { 2, 3 },
        { 7, 127 }, { 7, 0 }, { 7, 64 }, { 7, 64 }, { 7, 0 }, { 7, 127 },
        { 8, 200 }, { 8, 100 },
        { 1, 1 }, ZEROES(4, 2), { 2, 3 }, ZEROES(10, 2),
        { 1, 0 }, ZEROES(4, 2), { 2, 2 }, ZEROES(10, 2),
    }, {
        { 0, { 171, 129, 200, 84 } }, { 5, { 0, 129, 133, 255 } },
        { 1, { 255, 129, 200, 0 } }, { 4, { 255, 129, 200, 0 } },
        { 6, { 255, 129, 200, 0 } }, { 15, { 255, 129, 200, 0 } },
    } },
    { "mode 5: R and A exchanged", {
        { 6, 32 }, { 2, 1 },
        { 7, 127 }, { 7, 0 }, { 7, 64 }, { 7, 64 }, { 7, 0 }, { 7, 127 },
        { 8, 200 }, { 8, 100 },
        { 1, 1 }, ZEROES(15, 2), { 1, 0 }, ZEROES(15, 2),
    }, {
        { 0, { 200, 129, 84, 171 } }, { 5, { 200, 129, 0, 255 } },
        { 1, { 200, 129, 0, 255 } }, { 4, { 200, 129, 0, 255 } },
        { 6, { 200, 129, 0, 255 } }, { 15, { 200, 129, 0, 255 } },
    } },
    { "mode 6", {
        { 7, 64 },
        { 7, 127 }, { 7, 0 }, { 7, 0 }, { 7, 127 }, { 7, 10 }, { 7, 20 },
        { 7, 127 }, { 7, 64 }, { 1, 1 }, { 1, 0 },
        { 3, 7 }, ZEROES(7, 4), { 4, 9 }, ZEROES(6, 4), { 4, 15 },
    }, {
        { 0, { 135, 120, 30, 195 } }, { 8, { 104, 151, 32, 180 } },
        { 15, { 0, 254, 40, 128 } }, { 1, { 255, 1, 21, 255 } },
        { 7, { 255, 1, 21, 255 } }, { 9, { 255, 1, 21, 255 } },
    } },
    /* Partition 26: 0110 in each row; the anchor is 2. */
    { "mode 7", {
        { 8, 128 }, { 6, 26 },
        { 5, 31 }, { 5, 0 }, { 5, 0 }, { 5, 31 },
        { 5, 0 }, { 5, 0 }, { 5, 16 }, { 5, 16 },
        { 5, 0 }, { 5, 31 }, { 5, 0 }, { 5, 0 },
        { 5, 31 }, { 5, 0 }, { 5, 15 }, { 5, 31 },
        { 1, 1 }, { 1, 0 }, { 1, 0 }, { 1, 1 },
        { 1, 1 }, { 2, 3 }, { 1, 1 }, { 2, 2 }, ZEROES(12, 2),
    }, {
        { 0, { 171, 3, 85, 171 } }, { 1, { 255, 134, 4, 255 } },
        { 2, { 84, 131, 1, 165 } }, { 3, { 84, 1, 170, 84 } },
        { 5, { 0, 130, 0, 121 } }, { 15, { 255, 4, 4, 255 } },
    } },
    /* Alpha is 0 too. */
    { "reserved", { { 8, 0 }, { 30, ~0u }, { 30, ~0u }, { 30, ~0u },
                    { 30, ~0u } },
      { { 0, { 0 } }, { 3, { 0 } }, { 5, { 0 } }, { 8, { 0 } }, { 13, { 0 } },
        { 15, { 0 } } } },
};

static void test_bc7(void)
{
    for (unsigned i = 0; i < G_N_ELEMENTS(bc7); i++) {
        const Bc7Vector *v = &bc7[i];
        uint8_t block[16], out[4];

        g_test_message("%s", v->what);
        pack(v->parts, G_N_ELEMENTS(v->parts), block);
        for (unsigned j = 0; j < G_N_ELEMENTS(v->expect); j++) {
            vgsp_tex_decode_bc7(block, v->expect[j].texel, out);
            g_assert_cmpmem(out, 4, v->expect[j].rgba, 4);
        }
    }
}

/*
 * All indices of ones: in every partition exactly one texel of each subset, the
 * anchor, has one bit less, and the first texel is subset 0's.
 */
static void test_anchors(void)
{
    for (unsigned partition = 0; partition < 64; partition++) {
        /* Mode 3: R tells the subset, G the anchor (weight 21, not 64). */
        const Part two[] = {
            { 4, 8 }, { 6, partition },
            { 7, 0 }, { 7, 0 }, { 7, 1 }, { 7, 1 },
            { 7, 0 }, { 7, 127 }, { 7, 0 }, { 7, 127 },
            { 28, 0 }, { 4, 0 }, { 30, ~0u },
        };
        /* Mode 2. */
        const Part three[] = {
            { 3, 4 }, { 6, partition },
            { 5, 0 }, { 5, 0 }, { 5, 1 }, { 5, 1 }, { 5, 2 }, { 5, 2 },
            { 5, 0 }, { 5, 31 }, { 5, 0 }, { 5, 31 }, { 5, 0 }, { 5, 31 },
            { 30, 0 }, { 29, ~0u },
        };
        unsigned anchors[2][3] = { { 0 } };

        for (unsigned n = 0; n < 2; n++) {
            uint8_t block[16], out[4];

            pack(n ? three : two, n ? G_N_ELEMENTS(three) : G_N_ELEMENTS(two),
                 block);
            for (unsigned texel = 0; texel < 16; texel++) {
                unsigned subset;

                vgsp_tex_decode_bc7(block, texel, out);
                subset = n ? out[0] / 8 : out[0] / 2;
                g_assert_cmpuint(subset, <, n + 2);
                g_assert_true(texel || !subset);
                anchors[n][subset] += out[1] < 128;
                g_assert_true(texel || out[1] < 128);
            }
            for (unsigned subset = 0; subset < n + 2; subset++) {
                g_assert_cmpuint(anchors[n][subset], ==, 1);
            }
        }
    }
}

/*
 * A block of each mode with these endpoints, partition 13 (the lower half) if
 * it has two subsets. Indices of those: 0, 7, 3 of texels 0 to 2, 7, 5 of 9 and
 * 10, 2 of 15; of one subset: 15, 6 of texels 1 and 2, 9 of 15.
 */
typedef struct Bc6hVector {
    uint8_t block[16];
    unsigned texels;            /* 6: 0, 1, 2, 8, 9, 15; 4: 0, 1, 2, 15 */
    uint16_t rgb[2][6][3];      /* unsigned, signed */
} Bc6hVector;

static const Bc6hVector bc6h[] = {
    /* rw a5 rx 1f ry 10 rz 2; gw 0 gx 9 gy 1e gz 17 */
    /* bw 28e bx 1 by 11 bz 1f */
    { {
        0xbc, 0x14, 0x00, 0x1c, 0xfd, 0x3d, 0xbd, 0x30,
        0x60, 0xb1, 0xf1, 0x01, 0x00, 0xf0, 0x02, 0x80,
    }, 6, {
        {
            { 0x140a, 0x0000, 0x4f41 }, { 0x13eb, 0x0126, 0x4f60 },
            { 0x13fd, 0x007c, 0x4f4e }, { 0x121a, 0x7bd1, 0x4d70 },
            { 0x1448, 0x7af8, 0x4f22 }, { 0x12b7, 0x7b94, 0x4dea },
        },
        {
            { 0x2815, 0x0000, 0xd9bb }, { 0x27d7, 0x024d, 0xd97d },
            { 0x27fa, 0x00f8, 0xd9a0 }, { 0x2435, 0x809b, 0xdd5d },
            { 0x2891, 0x824d, 0xd9f9 }, { 0x256e, 0x8115, 0xdc68 },
        },
    } },
    /* rw 32 rx 34 ry c rz 18; gw 43 gx b gy 36 gz 2a */
    /* bw 17 bx 2e by 34 bz 20 */
    { {
        0x55, 0xc6, 0x61, 0x2f, 0xa2, 0x6d, 0x51, 0x97,
        0x18, 0xac, 0xf1, 0x01, 0x00, 0xf0, 0x02, 0x80,
    }, 6, {
        {
            { 0x30ec, 0x4164, 0x16c4 }, { 0x254c, 0x4c0c, 0x0554 },
            { 0x2c04, 0x45e2, 0x0f68 }, { 0x3c8c, 0x37b4, 0x0b24 },
            { 0x482c, 0x2c14, 0x73c4 }, { 0x3fd1, 0x346f, 0x2891 },
        },
        {
            { 0x61d8, 0xf728, 0x2d88 }, { 0x4a98, 0xe1d8, 0x0aa8 },
            { 0x5809, 0xee2a, 0x1ed1 }, { 0x7918, 0x6f68, 0x1648 },
            { 0xe998, 0x5828, 0x9268 }, { 0x3956, 0x68de, 0x0ad6 },
        },
    } },
    /* rw 71f rx 6 ry c rz 12; gw 18f gx 1 gy 6 gz b */
    /* bw 7c9 bx 6 by 0 bz b */
    { {
        0xe2, 0xe3, 0xc7, 0x92, 0x37, 0x2d, 0x5c, 0x1b,
        0x18, 0xb9, 0xf1, 0x01, 0x00, 0xf0, 0x02, 0x80,
    }, 6, {
        {
            { 0x6e68, 0x1830, 0x78b3 }, { 0x6ec5, 0x183f, 0x7910 },
            { 0x6e8f, 0x1837, 0x78da }, { 0x6f22, 0x188d, 0x78b3 },
            { 0x6d8f, 0x17e2, 0x7865 }, { 0x6eb0, 0x185d, 0x789d },
        },
        {
            { 0x9b4e, 0x3060, 0x86b8 }, { 0x9a94, 0x307f, 0x85fe },
            { 0x9b00, 0x306e, 0x866a }, { 0x99da, 0x311a, 0x86b8 },
            { 0x9d00, 0x2fc5, 0x8753 }, { 0x9abd, 0x30ba, 0x86e4 },
        },
    } },
    /* rw 3eb rx d ry 9 rz b; gw 1e9 gx 5 gy c gz 7 */
    /* bw 449 bx 9 by 6 bz c */
    { {
        0x66, 0xfd, 0xf4, 0x92, 0x68, 0xb8, 0xb8, 0xcc,
        0xd2, 0xb5, 0xf1, 0x01, 0x00, 0xf0, 0x02, 0x80,
    }, 6, {
        {
            { 0x3cc2, 0x1da3, 0x4273 }, { 0x3c93, 0x1df0, 0x4206 },
            { 0x3cae, 0x1dc4, 0x4245 }, { 0x3c55, 0x1e5d, 0x42d0 },
            { 0x3c74, 0x1e0f, 0x4235 }, { 0x3c5e, 0x1e47, 0x42a4 },
        },
        {
            { 0x7984, 0x3b46, 0xf338 }, { 0x7927, 0x3be1, 0xf411 },
            { 0x795d, 0x3b88, 0xf393 }, { 0x78ab, 0x3cba, 0xf27e },
            { 0x78e9, 0x3c1f, 0xf3b4 }, { 0x78bc, 0x3c8e, 0xf2d5 },
        },
    } },
    /* rw 7bd rx 7 ry 4 rz 6; gw 33 gx 6 gy 5 gz 0 */
    /* bw 553 bx 13 by 17 bz 18 */
    { {
        0xaa, 0xf7, 0x19, 0xa6, 0xba, 0xcb, 0x80, 0xf9,
        0x08, 0xbb, 0xf1, 0x01, 0x00, 0xf0, 0x02, 0x80,
    }, 6, {
        {
            { 0x77f9, 0x031e, 0x528e }, { 0x7865, 0x037b, 0x51c4 },
            { 0x7827, 0x0345, 0x5239 }, { 0x7837, 0x036b, 0x5202 },
            { 0x7856, 0x031e, 0x5212 }, { 0x783f, 0x0355, 0x5207 },
        },
        {
            { 0x882c, 0x063c, 0xd302 }, { 0x8753, 0x06f6, 0xd495 },
            { 0x87d0, 0x068a, 0xd3ac }, { 0x87b0, 0x06d7, 0xd419 },
            { 0x8772, 0x063c, 0xd3fa }, { 0x879f, 0x06ab, 0xd410 },
        },
    } },
    /* rw 18e rx 12 ry 8 rz 1f; gw 37 gx b gy 1b gz 19 */
    /* bw 62 bx 1c by f bz 5 */
    { {
        0xce, 0xb1, 0x1b, 0xc5, 0x90, 0x77, 0x4d, 0xee,
        0xd1, 0xaf, 0xf1, 0x01, 0x00, 0xf0, 0x02, 0x80,
    }, 6, {
        {
            { 0x6083, 0x0d71, 0x17db }, { 0x5d1f, 0x101b, 0x16e3 },
            { 0x5f14, 0x0e90, 0x1772 }, { 0x6273, 0x0c3b, 0x1b7d },
            { 0x6045, 0x0bbf, 0x1911 }, { 0x61d6, 0x0c18, 0x1ace },
        },
        {
            { 0xb776, 0x1ae2, 0x2fb6 }, { 0xbe3e, 0x2036, 0x2dc6 },
            { 0xba52, 0x1d21, 0x2ee4 }, { 0xb396, 0x1876, 0x36fa },
            { 0xb7f2, 0x177e, 0x3222 }, { 0xb4cf, 0x1830, 0x359d },
        },
    } },
    /* rw e4 rx 39 ry 30 rz 9; gw da gx 1e gy 13 gz 1a */
    /* bw 2b bx c by 11 bz 1c */
    { {
        0x92, 0x7c, 0xed, 0x57, 0xce, 0xc7, 0x53, 0x26,
        0xe0, 0xa4, 0xf1, 0x01, 0x00, 0xf0, 0x02, 0x80,
    }, 6, {
        {
            { 0x6eae, 0x69d6, 0x1512 }, { 0x6b4a, 0x68de, 0x1ae2 },
            { 0x6d3f, 0x696d, 0x1785 }, { 0x66ee, 0x638a, 0x0dce },
            { 0x730a, 0x66ee, 0x1322 }, { 0x6a55, 0x647e, 0x0f4d },
        },
        {
            { 0x9b9c, 0xa54c, 0x2a24 }, { 0xa264, 0xa73c, 0x35c4 },
            { 0x9e78, 0xa61d, 0x2f0b }, { 0xab1c, 0xb1e4, 0x1b9c },
            { 0x92e4, 0xab1c, 0x2644 }, { 0xa44c, 0xaffb, 0x1e9b },
        },
    } },
    /* rw f9 rx b ry 1 rz 1; gw 3f gx 20 gy 2e gz 18 */
    /* bw 83 bx 1c by 15 bz 10 */
    { {
        0x36, 0xdf, 0x9f, 0x06, 0x5d, 0x1d, 0x44, 0xae,
        0x82, 0xa0, 0xf1, 0x01, 0x00, 0xf0, 0x02, 0x80,
    }, 6, {
        {
            { 0x78da, 0x1ec2, 0x3fb2 }, { 0x022e, 0x0f42, 0x3dc2 },
            { 0x46c9, 0x1838, 0x3ee0 }, { 0x7956, 0x160a, 0x3a5e },
            { 0x7956, 0x2a62, 0x37f2 }, { 0x7956, 0x1bc2, 0x39af },
        },
        {
            { 0x8744, 0x3d84, 0xf994 }, { 0x045c, 0x1e84, 0x7bff },
            { 0x825c, 0x3070, 0x91f9 }, { 0x864c, 0x2c14, 0x74bc },
            { 0x864c, 0x54c4, 0x6fe4 }, { 0x864c, 0x3785, 0x735f },
        },
    } },
    /* rw d2 rx 1a ry 1f rz 11; gw f3 gx 1e gy 1f gz 9 */
    /* bw c1 bx 3f by 27 bz 3b */
    { {
        0x5a, 0xba, 0xf9, 0x83, 0xd7, 0xde, 0xcf, 0xff,
        0xbe, 0xb8, 0xf1, 0x01, 0x00, 0xf0, 0x02, 0x80,
    }, 6, {
        {
            { 0x65f6, 0x75f2, 0x5dba }, { 0x630e, 0x74fa, 0x5d3e },
            { 0x64bc, 0x7589, 0x5d85 }, { 0x657a, 0x7576, 0x519e },
            { 0x5eb2, 0x7a4e, 0x5b4e }, { 0x6391, 0x76d2, 0x5457 },
        },
        {
            { 0xad0c, 0x8d14, 0xbd84 }, { 0xb2dc, 0x8f04, 0xbe7c },
            { 0xaf7f, 0x8de5, 0xbdec }, { 0xae04, 0x8e0c, 0xd5bc },
            { 0xbb94, 0x845c, 0xc25c }, { 0xb1d4, 0x8b52, 0xd049 },
        },
    } },
    /* rw 29 rx 2e ry 14 rz 30; gw 22 gx 28 gy 32 gz 3e */
    /* bw 14 bx 25 by 0 bz 39 */
    { {
        0x3e, 0x1d, 0x31, 0xa9, 0x77, 0x05, 0xf5, 0x12,
        0x28, 0xb8, 0xf1, 0x01, 0x00, 0xf0, 0x02, 0x80,
    }, 6, {
        {
            { 0x5068, 0x42d8, 0x27b8 }, { 0x5a18, 0x4e78, 0x48a8 },
            { 0x547e, 0x47bf, 0x359d }, { 0x27b8, 0x61d8, 0x0000 },
            { 0x5df8, 0x7918, 0x6f68 }, { 0x36fa, 0x6862, 0x1f55 },
        },
        {
            { 0xdb10, 0xf630, 0x4f70 }, { 0xc7b0, 0xdef0, 0xea90 },
            { 0xd2e3, 0xec61, 0x00f8 }, { 0x4f70, 0xb830, 0x0000 },
            { 0xbff0, 0x89b0, 0x9d10 }, { 0x271d, 0xab1c, 0x882c },
        },
    } },
    /* rw 74 rx 175; gw 3d gx e5 */
    /* bw 2f7 bx 2e5 */
    { {
        0x83, 0x8e, 0x1e, 0xee, 0xad, 0xab, 0x9c, 0x72,
        0xf1, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x90,
    }, 4, {
        {
            { 0x0e1b, 0x0772, 0x5bf8 }, { 0x2d3a, 0x1bca, 0x59ca },
            { 0x1ac0, 0x0fb6, 0x5b15 }, { 0x2095, 0x1386, 0x5aad },
        },
        {
            { 0x1c37, 0x0ee5, 0xc04d }, { 0x5a75, 0x3795, 0xc4a9 },
            { 0x3580, 0x1f6c, 0xc212 }, { 0x412b, 0x270d, 0xc2e3 },
        },
    } },
    /* rw 7f5 rx 3f; gw 315 gx 9e */
    /* bw 44e bx f */
    { {
        0xa7, 0xfe, 0x8a, 0x9d, 0xf8, 0xd1, 0x93, 0x07,
        0xf1, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x90,
    }, 4, {
        {
            { 0x7b5d, 0x2fcd, 0x42c0 }, { 0x032d, 0x395e, 0x43a9 },
            { 0x4a89, 0x33b0, 0x431f }, { 0x3401, 0x357b, 0x434a },
        },
        {
            { 0x8164, 0x5f9a, 0xf29d }, { 0x065b, 0x72bc, 0xf0cc },
            { 0x01c1, 0x6760, 0xf1e0 }, { 0x0335, 0x6af6, 0xf189 },
        },
    } },
    /* rw d81 rx fb; gw 26d gx f0 */
    /* bw 76d bx 33 */
    { {
        0x2b, 0xb0, 0x36, 0xdb, 0xde, 0x1f, 0x9e, 0x19,
        0xf1, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x90,
    }, 4, {
        {
            { 0x68ab, 0x12d0, 0x3990 }, { 0x6884, 0x1254, 0x3b1b },
            { 0x689c, 0x129e, 0x3a31 }, { 0x6894, 0x1287, 0x3a7b },
        },
        {
            { 0xa6b8, 0x25a1, 0x7321 }, { 0xa705, 0x24a9, 0x7637 },
            { 0xa6d7, 0x253c, 0x7462 }, { 0xa6e5, 0x250e, 0x74f7 },
        },
    } },
    /* rw bde8 rx b; gw 4a38 gx 7 */
    /* bw a2fb bx 4 */
    { {
        0x0f, 0x3d, 0x1c, 0xf7, 0xdd, 0xfe, 0x24, 0x2a,
        0xf0, 0x06, 0x00, 0x00, 0x00, 0x00, 0x00, 0x90,
    }, 4, {
        {
            { 0x5bfc, 0x23f3, 0x4ef1 }, { 0x5bf9, 0x23f6, 0x4ef3 },
            { 0x5bfb, 0x23f4, 0x4ef2 }, { 0x5bfa, 0x23f5, 0x4ef2 },
        },
        {
            { 0xc007, 0x47e6, 0xda1c }, { 0xc00c, 0x47ed, 0xda18 },
            { 0xc009, 0x47e9, 0xda1a }, { 0xc00a, 0x47ea, 0xda1a },
        },
    } },
};

static void test_bc6h(void)
{
    static const uint8_t six[6] = { 0, 1, 2, 8, 9, 15 };
    static const uint8_t four[4] = { 0, 1, 2, 15 };

    for (unsigned i = 0; i < G_N_ELEMENTS(bc6h); i++) {
        const Bc6hVector *v = &bc6h[i];

        for (unsigned j = 0; j < v->texels; j++) {
            for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
                uint16_t out[3];

                vgsp_tex_decode_bc6h(v->block,
                                     v->texels == 6 ? six[j] : four[j],
                                     is_signed, out);
                for (unsigned c = 0; c < 3; c++) {
                    g_assert_cmphex(out[c], ==, v->rgb[is_signed][j][c]);
                }
            }
        }
    }
    /* Reserved: black. */
    for (unsigned code = 0x13; code <= 0x1f; code += 4) {
        uint8_t block[16];
        uint16_t out[3];

        memset(block, 0xff, sizeof(block));
        block[0] = (uint8_t)(0xe0 | code);
        vgsp_tex_decode_bc6h(block, 5, false, out);
        g_assert_cmphex(out[0] | out[1] | out[2], ==, 0);
    }
}

/* Through a header's format: floats, sRGB, alpha of BC6H. */
static void test_format(void)
{
    static const Part mode6[] = {   /* R 0x40, G 0xff, B 0, A 0x80 */
        { 7, 64 }, { 7, 32 }, { 7, 32 }, { 7, 127 }, { 7, 127 }, { 7, 0 },
        { 7, 0 }, { 7, 64 }, { 7, 64 }, { 2, 0 }, { 30, 0 }, { 30, 0 },
        { 3, 0 },
    };
    /* Mode 0x03, all endpoints the same: 0x3ff, 0x200 and 0 of 10 bits. */
    static const Part mode11[] = {
        { 5, 3 }, { 10, 0x3ff }, { 10, 0x200 }, { 10, 0 }, { 10, 0x3ff },
        { 10, 0x200 }, { 10, 0 }, { 30, 0 }, { 30, 0 }, { 3, 0 },
    };
    VgspTexImage t = { .format = vgsp_tex_format(0x17) };
    uint8_t block[16];
    VgspTexel texel;

    g_assert_cmpuint(t.format->bytes, ==, 16);
    memset(t.type, VGSP_TEX_UNORM, sizeof(t.type));
    pack(mode6, G_N_ELEMENTS(mode6), block);
    vgsp_tex_decode(&t, block, 3, 2, &texel);
    g_assert_cmphex(texel.c[0], ==, 0x3e808081);        /* 64 / 255 */
    g_assert_cmphex(texel.c[1], ==, 0x3f7efeff);        /* 254 / 255 */
    g_assert_cmphex(texel.c[3], ==, 0x3f008081);        /* 128 / 255 */
    t.srgb = true;
    vgsp_tex_decode(&t, block, 3, 2, &texel);
    /* 0.0512695 (0x3d51ffec) to 8 significant bits: GH100 silicon. */
    g_assert_cmphex(texel.c[0], ==, 0x3d520000);
    g_assert_cmphex(texel.c[3], ==, 0x3f008081);

    /* 0xffff * 31 / 64 is the greatest half; 0x200 is 0x8020 of 16 bits. */
    memset(t.type, VGSP_TEX_FLOAT, sizeof(t.type));
    t.srgb = false;
    t.format = vgsp_tex_format(0x11);
    pack(mode11, G_N_ELEMENTS(mode11), block);
    vgsp_tex_decode(&t, block, 0, 0, &texel);
    g_assert_cmphex(texel.c[0], ==, 0x477fe000);        /* 65504 */
    g_assert_cmphex(texel.c[1], ==, 0x3fc1e000);        /* half 0x3e0f */
    g_assert_cmphex(texel.c[2], ==, 0);
    g_assert_cmphex(texel.c[3], ==, 0x3f800000);
    /* Signed, 0x3ff is -1 of 10 bits and 0x200 the least. */
    t.format = vgsp_tex_format(0x10);
    vgsp_tex_decode(&t, block, 0, 0, &texel);
    g_assert_cmphex(texel.c[0], ==, 0xb6ba0000);        /* half 0x805d */
    g_assert_cmphex(texel.c[1], ==, 0xc77fe000);        /* -65504 */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tex-bptc/bc7", test_bc7);
    g_test_add_func("/tex-bptc/anchors", test_anchors);
    g_test_add_func("/tex-bptc/bc6h", test_bc6h);
    g_test_add_func("/tex-bptc/format", test_format);
    return g_test_run();
}
