/*
 * Block-linear surfaces as they lie in memory: from the first byte to the last
 * this says whose each one is. Written for the tests, the other way round than
 * the code under test computes it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_BLOCK_LINEAR_REF_H
#define TESTS_UNIT_BLOCK_LINEAR_REF_H

#include <glib.h>

/* Column and row of the 16-byte sectors of a GOB, in the order of memory. */
static const struct { uint8_t x, y; } ref_sector[32] = {
    { 0, 0 }, { 0, 1 }, { 0, 2 }, { 0, 3 },
    { 16, 0 }, { 16, 1 }, { 16, 2 }, { 16, 3 },
    { 0, 4 }, { 0, 5 }, { 0, 6 }, { 0, 7 },
    { 16, 4 }, { 16, 5 }, { 16, 6 }, { 16, 7 },
    { 32, 0 }, { 32, 1 }, { 32, 2 }, { 32, 3 },
    { 48, 0 }, { 48, 1 }, { 48, 2 }, { 48, 3 },
    { 32, 4 }, { 32, 5 }, { 32, 6 }, { 32, 7 },
    { 48, 4 }, { 48, 5 }, { 48, 6 }, { 48, 7 },
};

typedef struct RefSurface {
    uint32_t width, height;     /* bytes, rows */
    uint32_t depth;
    uint32_t block_height, block_depth; /* GOBs */
} RefSurface;

/* Calls fn for every byte in memory; what pads the surface is called too. */
static inline uint64_t ref_walk(const RefSurface *s,
                                void (*fn)(void *opaque, uint64_t offset,
                                           uint32_t x, uint32_t y, uint32_t z),
                                void *opaque)
{
    uint64_t offset = 0;

    for (uint32_t bz = 0; bz < s->depth; bz += s->block_depth) {
        for (uint32_t by = 0; by < s->height; by += 8 * s->block_height) {
            for (uint32_t bx = 0; bx < s->width; bx += 64) {
                for (uint32_t z = bz; z < bz + s->block_depth; z++) {
                    for (uint32_t gy = by; gy < by + 8 * s->block_height;
                         gy += 8) {
                        for (unsigned i = 0; i < 512; i++) {
                            fn(opaque, offset++,
                               bx + ref_sector[i / 16].x + i % 16,
                               gy + ref_sector[i / 16].y, z);
                        }
                    }
                }
            }
        }
    }
    return offset;
}

#endif
