/*
 * A copy engine of a GR channel (class NVC5B5, virtual addresses) for those
 * who run channels natively: the player of recordings and tests/shim. It
 * works on memory that its user reads and writes for it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_REPLAY_COPY_H
#define HW_VGSP_REPLAY_COPY_H

#include <glib.h>
#include "vgsp/types.h"

typedef struct VgspCopyOps {
    /* Between virtual memory and buf. False: something is not mapped. */
    bool (*read)(void *opaque, uint64_t va, void *buf, size_t len);
    bool (*write)(void *opaque, uint64_t va, const void *buf, size_t len);
    uint64_t (*clock_ns)(void *opaque);
} VgspCopyOps;

typedef struct VgspCopySide {
    uint64_t offset;
    uint32_t pitch, block_size, width, height, depth, layer;
    uint32_t origin_x, origin_y;
} VgspCopySide;

/* The engine's state for one channel. Zeros but for the first three. */
typedef struct VgspCopy {
    const VgspCopyOps *ops;
    void *opaque;
    uint64_t budget;            /* bytes to read and write, and accesses */

    VgspCopySide src, dst;
    uint32_t line_length, line_count;
    uint32_t remap_const[2], remap_components;
    uint64_t sem_va, render_va;
    uint32_t sem_payload;
    bool render_disable;
    char error[96];             /* why something returned false */
} VgspCopy;

/* One method of the class, by byte address. False: error says why. */
bool vgsp_copy_method(VgspCopy *ce, uint32_t method, uint32_t data);
/*
 * A copy section: words as in a section (vgsp/section.h), all of them of
 * VGSP_COPY_SUBCHANNEL. False: error says why.
 */
bool vgsp_copy_section(VgspCopy *ce, const uint32_t *words, uint32_t count);

/* Where drivers put the copy class on a GR channel. */
#define VGSP_COPY_SUBCHANNEL 4

#endif
