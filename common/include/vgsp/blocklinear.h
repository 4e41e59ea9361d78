/*
 * Block-linear surfaces: where a byte of a GOB-tiled image lies.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_BLOCKLINEAR_H
#define VGSP_BLOCKLINEAR_H

#include "vgsp/types.h"

/* A GOB: 64 bytes by 8 rows. */
#define VGSP_GOB_WIDTH      64
#define VGSP_GOB_HEIGHT_SHIFT 3
#define VGSP_GOB_HEIGHT     (1 << VGSP_GOB_HEIGHT_SHIFT)
#define VGSP_GOB_SIZE       512
/* Bytes of a row that are consecutive in memory, at multiples of it. */
#define VGSP_GOB_RUN        16

typedef struct VgspBlockLinear {
    uint64_t width;             /* bytes of a row */
    uint32_t height;            /* rows */
    uint8_t block_height;       /* log2 of GOBs, 0..5 */
    uint8_t block_depth;
} VgspBlockLinear;

/* Offset in a GOB of the byte at column x below 64, row y below 8. */
static inline uint32_t vgsp_gob_offset(uint32_t x, uint32_t y)
{
    /* Bits 3:0 = x[3:0], 4 = y0, 5 = y1, 6 = x4, 7 = y2, 8 = x5. */
    return (x & 0xf) | (y & 3) << 4 | (x >> 4 & 1) << 6 | (y >> 2 & 1) << 7 |
           (x >> 5 & 1) << 8;
}

/*
 * Offset from the surface's base of the byte at column x (bytes), row y and
 * slice z. Blocks are one GOB wide. Wraps for coordinates beyond any memory.
 */
uint64_t vgsp_blocklinear_offset(const VgspBlockLinear *bl, uint64_t x,
                                 uint32_t y, uint32_t z);

#endif
