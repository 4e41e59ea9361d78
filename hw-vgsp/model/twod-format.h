/*
 * Pixel formats of the 2D engine and conversion between them, through floats.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_TWOD_FORMAT_H
#define HW_VGSP_MODEL_TWOD_FORMAT_H

#include "vgsp/types.h"

typedef enum Vgsp2dType {
    VGSP_2D_UNORM, VGSP_2D_SNORM, VGSP_2D_SRGB, VGSP_2D_FLOAT,
} Vgsp2dType;

/* What stands for alpha where a format has no bits of it. */
typedef enum Vgsp2dAlpha {
    VGSP_2D_ALPHA,              /* it has bits, or nothing in their place */
    VGSP_2D_X,                  /* undefined: reads 1, is written as 0 */
    VGSP_2D_Z,                  /* 0 */
    VGSP_2D_O,                  /* 1 */
} Vgsp2dAlpha;

typedef struct Vgsp2dFormat {
    uint8_t code;               /* NV902D_FORMAT_*; 0: none */
    uint8_t bytes;              /* of a pixel, 1 to 16 */
    uint8_t type;               /* Vgsp2dType; alpha of SRGB is UNORM */
    uint8_t alpha;              /* Vgsp2dAlpha, of the bits of A */
    uint8_t bits[4];            /* R, G, B, A */
    uint8_t shift[4];           /* lowest bit */
    bool luminance;             /* a source gives R to G and B as well */
} Vgsp2dFormat;

/* NULL: no such format. */
const Vgsp2dFormat *vgsp_2d_format(uint32_t code);

void vgsp_2d_decode(const Vgsp2dFormat *f, const uint8_t *pixel, double c[4]);
/*
 * The sum of decoded texels by weights in 1/256. Of UNORM channels of up to 16
 * bits it is the nearest in 1/65535, ties up.
 */
void vgsp_2d_filter(const Vgsp2dFormat *f, const double texels[4][4],
                    const uint32_t weight[4], double c[4]);
/*
 * A value from 0 to 1 in so many bits: what is beyond four more bits is cut
 * off, and the rest rounded to the nearest, ties down.
 */
uint32_t vgsp_2d_encode_norm(double c, unsigned bits);
/* Only to formats for which vgsp_2d_convertible(). */
void vgsp_2d_encode(const Vgsp2dFormat *f, const double c[4], uint8_t *pixel);

/* One pixel; bits of packed formats are repeated, or cut off. */
void vgsp_2d_convert(const Vgsp2dFormat *from, const Vgsp2dFormat *to,
                     const uint8_t *src, uint8_t *dst);

/* Rectangles and points can be of it; and of its bits alone. */
bool vgsp_2d_solid(const Vgsp2dFormat *f);
bool vgsp_2d_packed(const Vgsp2dFormat *f);

/*
 * Whether pixels of another format can be converted to this one. What the
 * engine makes of one channel is not known: drivers keep to equal formats.
 */
static inline bool vgsp_2d_convertible(const Vgsp2dFormat *f)
{
    return !f->luminance && f->bits[0];
}

#endif
