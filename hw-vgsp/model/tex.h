/*
 * Textures and images: headers, samplers, formats and where texels lie, as
 * the texture unit of class TURING_A reads them. Specified by NVIDIA's
 * clc597tex.h; layout as Mesa's nil computes it.
 *
 * Functions that read or write memory do so through the worker's MMU and
 * return false with its fault.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_TEX_H
#define HW_VGSP_MODEL_TEX_H

#include "model/model-int.h"

/* TEXHEAD_BL_R_DATA_TYPE and kin. */
typedef enum VgspTexType {
    VGSP_TEX_SNORM = 1,
    VGSP_TEX_UNORM = 2,
    VGSP_TEX_SINT = 3,
    VGSP_TEX_UINT = 4,
    VGSP_TEX_SNORM_FP16 = 5,
    VGSP_TEX_UNORM_FP16 = 6,
    VGSP_TEX_FLOAT = 7,
} VgspTexType;

/* TEXHEAD_BL_X_SOURCE and kin. */
typedef enum VgspTexSource {
    VGSP_TEX_ZERO = 0,
    VGSP_TEX_R = 2,
    VGSP_TEX_G = 3,
    VGSP_TEX_B = 4,
    VGSP_TEX_A = 5,
    VGSP_TEX_ONE_INT = 6,
    VGSP_TEX_ONE_FLOAT = 7,
} VgspTexSource;

/* TEXHEAD_BL_TEXTURE_TYPE. */
typedef enum VgspTexDim {
    VGSP_TEX_1D, VGSP_TEX_2D, VGSP_TEX_3D, VGSP_TEX_CUBE, VGSP_TEX_1D_ARRAY,
    VGSP_TEX_2D_ARRAY, VGSP_TEX_BUFFER, VGSP_TEX_2D_NO_MIPMAP,
    VGSP_TEX_CUBE_ARRAY,
} VgspTexDim;

typedef enum VgspTexCoding {
    VGSP_TEX_PLAIN,             /* bit fields */
    VGSP_TEX_SHARED_EXP,        /* E5B9G9R9 */
    VGSP_TEX_422,               /* two texels: R and B of both, G of each */
    VGSP_TEX_BC1, VGSP_TEX_BC2, VGSP_TEX_BC3, VGSP_TEX_BC4, VGSP_TEX_BC5,
    VGSP_TEX_BC6H_SF16, VGSP_TEX_BC6H_UF16, VGSP_TEX_BC7,
} VgspTexCoding;

/* TEXHEAD_BL_COMPONENTS: how an element is laid out. */
typedef struct VgspTexFormat {
    const char *name;
    uint8_t bytes;              /* of an element: a texel or a block */
    VgspTexCoding coding;
    uint8_t bits[4];            /* of R, G, B, A; 0: absent */
    uint8_t shift[4];           /* their lowest bit */
} VgspTexFormat;

/* The format with that number, NULL where the model has none. */
const VgspTexFormat *vgsp_tex_format(unsigned components);

/* Texels of an element in x and in y: more than one where it is a block. */
static inline unsigned vgsp_tex_block_width(const VgspTexFormat *f)
{
    return f->coding >= VGSP_TEX_BC1 ? 4 : f->coding == VGSP_TEX_422 ? 2 : 1;
}

static inline unsigned vgsp_tex_block_height(const VgspTexFormat *f)
{
    return f->coding >= VGSP_TEX_BC1 ? 4 : 1;
}

/* A texture header, decoded. */
typedef struct VgspTexImage {
    bool null;                  /* an all-zero header: reads 0, drops stores */
    const VgspTexFormat *format;
    uint8_t type[4];            /* VgspTexType of R, G, B, A */
    uint8_t source[4];          /* VgspTexSource of X, Y, Z, W */
    bool srgb;
    bool normalized;            /* coordinates, unless the sampler forces */
    VgspTexDim dim;
    uint64_t base;
    bool pitch_linear;
    uint32_t pitch;             /* bytes */
    uint8_t tile_width, tile_height, tile_depth; /* log2 GOBs of a block */
    uint32_t width, height;     /* pixels of level 0; a buffer's elements */
    uint32_t depth;             /* slices of 3D, or array layers */
    uint8_t sample_x, sample_y; /* log2 of the sample grid */
    uint8_t levels;             /* of the image: for the layout */
    uint8_t min_level, max_level; /* of the view */
    uint16_t min_lod_clamp;     /* u4.8, relative to the view */
    uint64_t level_offset[16];  /* bytes, of the levels within a layer */
    uint64_t layer_stride;      /* bytes */
} VgspTexImage;

/* False: an invalid header, or a format that the model does not have. */
bool vgsp_tex_image_decode(const uint32_t words[8], VgspTexImage *out);

static inline uint32_t vgsp_tex_minify(uint32_t size, unsigned level)
{
    return size >> level ? size >> level : 1;
}

/* A texel: the components as stored, before the sources are applied. */
typedef struct VgspTexel {
    uint32_t c[4];              /* float bits, or integers */
} VgspTexel;

/*
 * Where the element of column x, row y (elements, counted in samples), slice z
 * and array layer of a level (of the image, not of the view) lies. The caller
 * has checked the coordinates.
 */
uint64_t vgsp_tex_address(const VgspTexImage *t, unsigned level, uint32_t x,
                          uint32_t y, uint32_t z, uint32_t layer);

/* Coordinates of a texel: pixels, slice of 3D, layer of an array. */
typedef struct VgspTexAt {
    uint32_t x, y, z, layer;
    uint32_t sample;            /* of a multisampled image */
} VgspTexAt;

/* Where that texel's element lies. False: the level has no such texel. */
bool vgsp_tex_locate(const VgspTexImage *t, unsigned level,
                     const VgspTexAt *at, uint64_t *va);
/*
 * The texel, zeroes outside of the level. *resident becomes false where the
 * page is sparse.
 */
bool vgsp_tex_fetch(VgspMmu *mmu, const VgspTexImage *t, unsigned level,
                    const VgspTexAt *at, VgspTexel *out, bool *resident);
/* X, Y, Z, W of a stored texel. */
void vgsp_tex_apply_sources(const VgspTexImage *t, const VgspTexel *in,
                            uint32_t out[4]);
/* Converts an element of @bytes to components: bit exact, sRGB included. */
void vgsp_tex_decode(const VgspTexImage *t, const uint8_t *element,
                     unsigned block_x, unsigned block_y, VgspTexel *out);
/*
 * The reverse, for stores: components X, Y, Z, W as a shader gives them. False
 * for a format that cannot be stored.
 */
bool vgsp_tex_encode(const VgspTexImage *t, const uint32_t xyzw[4],
                     uint8_t *element);
/*
 * Decodes a BC block's texel into R, G, B, A (before types: UNORM floats, of
 * BC6H floats). is_signed: of BC4 and BC5.
 */
void vgsp_tex_decode_bc(const VgspTexFormat *f, const uint8_t *block,
                        unsigned x, unsigned y, bool is_signed, float out[4]);
/* Texel 0 to 15, row by row, of a BC7 block: R, G, B, A. */
void vgsp_tex_decode_bc7(const uint8_t *block, unsigned texel, uint8_t out[4]);
/* And of a BC6H block: R, G, B as halves. */
void vgsp_tex_decode_bc6h(const uint8_t *block, unsigned texel, bool is_signed,
                          uint16_t out[3]);
float vgsp_tex_from_srgb(unsigned value); /* 0..255 */

/* ---- Sampling, tex-sample.c ---- */

typedef struct VgspTexSampler {
    uint8_t wrap[3];            /* U, V, P */
    bool compare;
    uint8_t compare_op;
    bool mag_linear, min_linear;
    uint8_t mip;                /* 1 none, 2 point, 3 linear */
    uint8_t reduction;          /* 0 none, 1 min, 2 max */
    uint8_t cubemap;            /* 0 wrap modes, 2 seamless */
    uint8_t max_taps;           /* along an anisotropic footprint; 1: not */
    bool unnormalized;
    int16_t bias;               /* s5.8 */
    uint16_t min_lod, max_lod;  /* u4.8 */
    uint32_t border[4];
} VgspTexSampler;

void vgsp_tex_sampler_decode(const uint32_t words[8], VgspTexSampler *out);

/* One lookup of one lane. */
typedef struct VgspTexRequest {
    float coord[3];
    uint32_t layer;
    int offset[3];              /* texels */
    float lod;                  /* relative to the view, before clamps */
    unsigned taps;              /* along axis if more than one, at most 16 */
    float axis[3];              /* in the unit of coord */
    float min_lod;              /* the instruction's own clamp, or 0 */
    float reference;            /* of a depth compare */
    bool compare;
} VgspTexRequest;

/* Filtered X, Y, Z, W. */
bool vgsp_tex_sample(VgspMmu *mmu, const VgspTexImage *t,
                     const VgspTexSampler *s, const VgspTexRequest *r,
                     uint32_t out[4], bool *resident);
/*
 * The component of the four texels that a linear filter would use, in the
 * order (0,1) (1,1) (1,0) (0,0). offsets: of each, or NULL.
 */
bool vgsp_tex_gather(VgspMmu *mmu, const VgspTexImage *t,
                     const VgspTexSampler *s, const VgspTexRequest *r,
                     unsigned component, const int8_t offsets[4][2],
                     uint32_t out[4], bool *resident);
/*
 * Level of detail from derivatives of the coordinates by screen x and y, before
 * bias and clamps, and what an anisotropic footprint needs: r->lod, taps, axis
 * from r->coord.
 */
void vgsp_tex_footprint(const VgspTexImage *t, const VgspTexSampler *s,
                        const float *ddx, const float *ddy, VgspTexRequest *r);
/* With the sampler's bias and the clamps of sampler and header. */
/*
 * Weights of a linear footprint's texels, in 1/256, from those of the far ones
 * in each dimension; bit d of an index is the far one in d.
 */
void vgsp_tex_weights(const uint32_t far[3], uint32_t weight[8]);
float vgsp_tex_clamp_lod(const VgspTexImage *t, const VgspTexSampler *s,
                         float lod);

#endif
