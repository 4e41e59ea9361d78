/*
 * An image that a graphics program leaves in its read-back memory and in its
 * file: this header in a page of its own, then the texels. The player of a
 * recording finds images by the header.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SILICON_GFX_IMAGE_H
#define SILICON_GFX_IMAGE_H

#include <stdint.h>

#define GFX_IMAGE_MAGIC "vgsp-gfx-image\n"
#define GFX_IMAGE_PAGE  4096

/* How an image is compared with the second opinion's. */
enum {
    GFX_PIXELS = 0,             /* RGBA8: bound on 99.9 % of all pixels */
    GFX_EDGES = 1,              /* RGBA8 with edges of more shades: 98 % */
    GFX_EXACT = 2,              /* words: equal */
    GFX_RISING = 3,             /* 64-bit words: not 0, in rising order */
    GFX_NEAR = 4,               /* words: within 1 % and 16 */
};

typedef struct GfxImage {
    char magic[16];
    char name[48];
    uint32_t frame;
    uint32_t width, height;     /* texels, or words and 1 */
    uint32_t rule;
    uint32_t bound;             /* of a channel of a pixel, of 255 */
} GfxImage;

#endif
