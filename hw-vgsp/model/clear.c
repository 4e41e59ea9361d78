/*
 * CLEAR_SURFACE of the 3D class for colour targets: the one thing of the
 * pipeline that needs no shader, and what vkCmdClearColorImage is made of.
 * NVIDIA's clc597.h; layout as vgsp/blocklinear.h has it.
 *
 * Not here, each an exception that says so: depth and stencil, several samples
 * a pixel, some channels only, scissor and viewport as limits.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/context.h"
#include "model/twod-format.h"
#include "vgsp/blocklinear.h"
#include "vgsp/nv/dev_fault.h"
#include "vgsp/nv/threed.h"

#define SLICE_BYTES     (256 * 1024)
#define PIXEL_MAX       16

typedef struct Target {
    uint64_t va;                /* of the layer */
    bool pitch_linear;
    uint64_t pitch;             /* bytes */
    VgspBlockLinear bl;
    uint32_t z;                 /* slice of a 3D surface */
    unsigned bytes;             /* of a pixel */
    uint8_t pixel[PIXEL_MAX];
    uint32_t x0, y0, x1, y1;    /* what is cleared, exclusive at the end */
} Target;

/* Formats of integers: what the 2D engine's have not. */
typedef struct IntFormat {
    uint8_t code;
    bool is_signed;
    uint8_t bytes;
    uint8_t bits[4];            /* from the lowest bit on */
} IntFormat;

static const IntFormat int_formats[] = {
    { NVC597_FORMAT_RS32_GS32_BS32_AS32, true, 16, { 32, 32, 32, 32 } },
    { NVC597_FORMAT_RU32_GU32_BU32_AU32, false, 16, { 32, 32, 32, 32 } },
    { NVC597_FORMAT_RS16_GS16_BS16_AS16, true, 8, { 16, 16, 16, 16 } },
    { NVC597_FORMAT_RU16_GU16_BU16_AU16, false, 8, { 16, 16, 16, 16 } },
    { NVC597_FORMAT_RS32_GS32, true, 8, { 32, 32 } },
    { NVC597_FORMAT_RU32_GU32, false, 8, { 32, 32 } },
    { NVC597_FORMAT_AU2BU10GU10RU10, false, 4, { 10, 10, 10, 2 } },
    { NVC597_FORMAT_AS8BS8GS8RS8, true, 4, { 8, 8, 8, 8 } },
    { NVC597_FORMAT_AU8BU8GU8RU8, false, 4, { 8, 8, 8, 8 } },
    { NVC597_FORMAT_RS16_GS16, true, 4, { 16, 16 } },
    { NVC597_FORMAT_RU16_GU16, false, 4, { 16, 16 } },
    { NVC597_FORMAT_RS32, true, 4, { 32 } },
    { NVC597_FORMAT_RU32, false, 4, { 32 } },
    { NVC597_FORMAT_GS8RS8, true, 2, { 8, 8 } },
    { NVC597_FORMAT_GU8RU8, false, 2, { 8, 8 } },
    { NVC597_FORMAT_RS16, true, 2, { 16 } },
    { NVC597_FORMAT_RU16, false, 2, { 16 } },
    { NVC597_FORMAT_RS8, true, 1, { 8 } },
    { NVC597_FORMAT_RU8, false, 1, { 8 } },
};

/* Saturated: a channel keeps the nearest of its values. */
static uint32_t int_channel(const IntFormat *f, unsigned bits, uint32_t v)
{
    uint32_t max = (uint32_t)(VGSP_BIT(f->is_signed ? bits - 1 : bits) - 1);

    if (!f->is_signed) {
        return MIN(v, max);
    }
    return (uint32_t)CLAMP((int32_t)v, -(int64_t)max - 1, (int64_t)max) &
           (uint32_t)(VGSP_BIT(bits) - 1);
}

/* The clear value in the target's format; false: no such format here. */
static bool make_pixel(const uint32_t value[4], uint32_t code, Target *t)
{
    const Vgsp2dFormat *format = vgsp_2d_format(code);
    double c[4];

    for (unsigned i = 0; i < G_N_ELEMENTS(int_formats); i++) {
        const IntFormat *f = &int_formats[i];
        unsigned at = 0;

        if (f->code != code) {
            continue;
        }
        t->bytes = f->bytes;
        for (unsigned j = 0; j < 4 && f->bits[j]; j++) {
            uint64_t v = int_channel(f, f->bits[j], value[j]);

            for (unsigned bit = 0; bit < f->bits[j]; bit++, at++) {
                t->pixel[at / 8] |= (uint8_t)((v >> bit & 1) << at % 8);
            }
        }
        return true;
    }
    if (!format || format->bytes > PIXEL_MAX) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        float v;

        memcpy(&v, &value[i], sizeof(v));
        c[i] = v;
    }
    t->bytes = format->bytes;
    vgsp_2d_encode(format, c, t->pixel);
    return true;
}

static uint32_t field(const uint32_t *s, uint32_t method, uint64_t mask)
{
    return (uint32_t)VGSP_GET(mask, s[method / 4]);
}

/* Limits of the surface, of its clip and, if it counts, of the clear's own. */
static void clip(const uint32_t *s, uint32_t width, uint32_t height, Target *t)
{
    uint32_t x = field(s, NVC597_SET_SURFACE_CLIP_HORIZONTAL, NVC597_CLIP_LOW);
    uint32_t y = field(s, NVC597_SET_SURFACE_CLIP_VERTICAL, NVC597_CLIP_LOW);

    t->x0 = x;
    t->y0 = y;
    t->x1 = MIN(width, x + field(s, NVC597_SET_SURFACE_CLIP_HORIZONTAL,
                                 NVC597_CLIP_HIGH));
    t->y1 = MIN(height, y + field(s, NVC597_SET_SURFACE_CLIP_VERTICAL,
                                  NVC597_CLIP_HIGH));
    if (s[NVC597_SET_CLEAR_SURFACE_CONTROL / 4] &
        NVC597_SET_CLEAR_SURFACE_CONTROL_USE_CLEAR_RECT) {
        uint32_t h = NVC597_SET_CLEAR_RECT_HORIZONTAL;
        uint32_t v = NVC597_SET_CLEAR_RECT_VERTICAL;

        t->x0 = MAX(t->x0, field(s, h, NVC597_CLIP_LOW));
        t->x1 = MIN(t->x1, field(s, h, NVC597_CLIP_HIGH));
        t->y0 = MAX(t->y0, field(s, v, NVC597_CLIP_LOW));
        t->y1 = MIN(t->y1, field(s, v, NVC597_CLIP_HIGH));
    }
}

/* False: something of it is not modelled. t->bytes is 0 for no target. */
static bool make_target(VgspContext *ctx, uint32_t data, Target *t)
{
    const uint32_t *s = ctx->state[VGSP_SUBC_3D];
    uint32_t j = (uint32_t)VGSP_GET(NVC597_CLEAR_SURFACE_MRT_SELECT, data);
    uint32_t layer = (uint32_t)VGSP_GET(NVC597_CLEAR_SURFACE_RT_ARRAY_INDEX,
                                        data);
    uint32_t memory, code, width;

    memset(t, 0, sizeof(*t));
    if (j >= NVC597_SET_COLOR_TARGET__SIZE_1 ||
        (data & NVC597_CLEAR_SURFACE_RGBA) != NVC597_CLEAR_SURFACE_RGBA ||
        data & (NVC597_CLEAR_SURFACE_Z_ENABLE |
                NVC597_CLEAR_SURFACE_STENCIL_ENABLE) ||
        s[NVC597_SET_ANTI_ALIAS_RASTER / 4] ||
        s[NVC597_SET_CLEAR_SURFACE_CONTROL / 4] &
        (NVC597_SET_CLEAR_SURFACE_CONTROL_USE_SCISSOR0 |
         NVC597_SET_CLEAR_SURFACE_CONTROL_USE_VIEWPORT_CLIP0)) {
        return false;
    }
    memory = s[NVC597_SET_COLOR_TARGET_MEMORY(j) / 4];
    code = field(s, NVC597_SET_COLOR_TARGET_FORMAT(j), VGSP_BITS(7, 0));
    width = field(s, NVC597_SET_COLOR_TARGET_WIDTH(j), VGSP_BITS(27, 0));
    if (code == NVC597_FORMAT_DISABLED) {
        return true;
    }
    if (!make_pixel(&s[NVC597_SET_COLOR_CLEAR_VALUE(0) / 4], code, t)) {
        return false;
    }
    layer += field(s, NVC597_SET_COLOR_TARGET_LAYER(j), VGSP_BITS(15, 0));
    t->va = vgsp_fe_address(ctx, VGSP_SUBC_3D, NVC597_SET_COLOR_TARGET_A(j),
                            VGSP_BITS(7, 0));
    t->pitch_linear = memory & NVC597_SET_COLOR_TARGET_MEMORY_LAYOUT;
    if (t->pitch_linear) {
        t->pitch = width;       /* which are bytes then */
        width /= t->bytes;
    }
    clip(s, width, field(s, NVC597_SET_COLOR_TARGET_HEIGHT(j),
                         VGSP_BITS(16, 0)), t);
    t->bl = (VgspBlockLinear) {
        .width = (uint64_t)width * t->bytes,
        .height = field(s, NVC597_SET_COLOR_TARGET_HEIGHT(j),
                        VGSP_BITS(16, 0)),
        .block_height = (uint8_t)VGSP_GET(
            NVC597_SET_COLOR_TARGET_MEMORY_BLOCK_HEIGHT, memory),
        .block_depth = (uint8_t)VGSP_GET(
            NVC597_SET_COLOR_TARGET_MEMORY_BLOCK_DEPTH, memory),
    };
    if (memory & NVC597_SET_COLOR_TARGET_MEMORY_THIRD_DIMENSION_CONTROL) {
        t->z = layer;
    } else {
        t->va += (uint64_t)layer * 4 *
                 s[NVC597_SET_COLOR_TARGET_ARRAY_PITCH(j) / 4];
    }
    return t->bl.block_height <= 5 && t->bl.block_depth <= 5 &&
           !field(s, NVC597_SET_COLOR_TARGET_MEMORY(j), VGSP_BITS(3, 0));
}

/* Row y; runs of bytes are consecutive in memory, and whole pixels. */
static bool clear_row(VgspMmu *mmu, const Target *t, uint32_t y)
{
    uint64_t x = (uint64_t)t->x0 * t->bytes, end = (uint64_t)t->x1 * t->bytes;
    uint8_t run[VGSP_GOB_RUN];

    for (unsigned i = 0; i < VGSP_GOB_RUN; i++) {
        run[i] = t->pixel[i % t->bytes];
    }
    while (x < end) {
        uint64_t n = MIN(end - x, VGSP_GOB_RUN - x % VGSP_GOB_RUN);
        uint64_t at = t->pitch_linear
                      ? y * t->pitch + x
                      : vgsp_blocklinear_offset(&t->bl, x, y, t->z);

        if (!vgsp_mmu_write(mmu, t->va + at, run, n)) {
            return false;
        }
        x += n;
    }
    return true;
}

VgspFeEnd vgsp_threed_clear(VgspContext *ctx, VgspWorker *w, uint32_t data)
{
    uint64_t done = 0;
    Target t;

    if (!make_target(ctx, data, &t)) {
        return vgsp_fe_error(ctx, VGSP_EXC_NOT_MODELLED, VGSP_SUBC_3D,
                             NVC597_CLEAR_SURFACE, data);
    }
    if (!t.bytes || t.x0 >= t.x1) {
        return VGSP_FE_DONE;
    }
    /* A large surface takes several slices: the method comes again. */
    for (uint32_t y = t.y0 + ctx->clear_rows; y < t.y1; y++) {
        if (done >= SLICE_BYTES) {
            return VGSP_FE_AGAIN;
        }
        if (!clear_row(&w->mmu, &t, y)) {
            return vgsp_fe_fault(ctx, &w->mmu.fault,
                                 NV_PFAULT_CLIENT_GPC_PROP_0, false);
        }
        done += (uint64_t)(t.x1 - t.x0) * t.bytes;
        ctx->clear_rows++;
    }
    ctx->clear_rows = 0;
    vgsp_fe_spent(ctx, (uint32_t)(done / 512));
    return VGSP_FE_DONE;
}
