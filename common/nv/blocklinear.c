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
    unsigned row_shift = VGSP_GOB_HEIGHT_SHIFT + h;
    uint64_t blocks_x = (bl->width + VGSP_GOB_WIDTH - 1) / VGSP_GOB_WIDTH;
    uint64_t blocks_y = ((uint64_t)bl->height + (1u << row_shift) - 1) >>
                        row_shift;
    uint64_t block = ((z >> d) * blocks_y + (y >> row_shift)) * blocks_x +
                     x / VGSP_GOB_WIDTH;
    uint64_t gob = (y / VGSP_GOB_HEIGHT & ((1u << h) - 1)) +
                   ((z & ((1u << d) - 1)) << h);

    return ((block << (h + d)) + gob) * VGSP_GOB_SIZE +
           vgsp_gob_offset(x % VGSP_GOB_WIDTH, y % VGSP_GOB_HEIGHT);
}
