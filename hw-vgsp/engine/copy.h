/*
 * The copy engine, class NVC5B5 (TURING_DMA_COPY_A).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_ENGINE_COPY_H
#define HW_VGSP_ENGINE_COPY_H

#include "engine/engine.h"

/* One side of a transfer, as methods set it. */
typedef struct VgspCopySide {
    uint64_t offset;            /* byte address */
    uint32_t pitch;             /* bytes, signed */
    uint32_t phys_mode;
    uint32_t block_size;
    uint32_t width;             /* bytes, or elements with remap */
    uint32_t height, depth, layer;
    uint32_t origin_x, origin_y;
} VgspCopySide;

/* Method state of a channel; but for slice, nothing but methods changes it. */
typedef struct VgspCopy {
    VgspCopySide src, dst;
    uint64_t sem_va;
    uint32_t sem_payload;
    uint32_t line_length;       /* bytes, or elements with remap */
    uint32_t line_count;
    uint32_t remap_const[2];
    uint32_t remap_components;
    uint64_t render_va;         /* SET_RENDER_ENABLE_A, B */
    bool render_disable;
    int64_t slice;              /* bytes that this decode slice may yet move */
} VgspCopy;

void vgsp_copy_init(VgspCopy *ce);
VgspMethodEnd vgsp_copy_method(VgspChannel *ch, uint32_t method,
                               uint32_t data);

#endif
