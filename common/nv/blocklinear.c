/*
 * Block-linear addressing. Desktop GPUs order the 16-byte sectors of a GOB
 * otherwise than Tegra; specified by Mesa's nil (tiling, copy), which reads
 * and writes such images of a TU104 with the CPU.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/blocklinear.h"

uint64_t vgsp_blocklinear_offset(const VgspBlockLinear *bl, uint64_t x,
                                 uint32_t y, uint32_t z)
{
    unsigned h = bl->block_height, d = bl->block_depth;
    uint32_t block_rows = VGSP_GOB_HEIGHT << h;
    uint64_t blocks_x = VGSP_ALIGN_UP(bl->width, VGSP_GOB_WIDTH) /
                        VGSP_GOB_WIDTH;
    uint64_t blocks_y = VGSP_ALIGN_UP(bl->height, block_rows) / block_rows;
    uint64_t block = ((z >> d) * blocks_y + y / block_rows) * blocks_x +
                     x / VGSP_GOB_WIDTH;
    uint32_t gob = y % block_rows / VGSP_GOB_HEIGHT + ((z & ((1u << d) - 1))
                                                       << h);

    return (block << (h + d)) * VGSP_GOB_SIZE + gob * VGSP_GOB_SIZE +
           vgsp_gob_offset(x % VGSP_GOB_WIDTH, y % VGSP_GOB_HEIGHT);
}
