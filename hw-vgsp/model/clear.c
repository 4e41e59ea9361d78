/*
 * CLEAR_SURFACE of the 3D class: the one thing of the pipeline that needs no
 * shader, and what vkCmdClear*Image and the clears of render passes are made
 * of. NVIDIA's clc597.h; layout as vgsp/blocklinear.h has it. The samples of a
 * pixel lie beside each other, as pixels of a larger surface.
 *
 * Not here, an exception that says so: formats and samples of coverage (VC).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/context.h"
#include "model/twod-format.h"
#include "vgsp/blocklinear.h"
#include "vgsp/nv/dev_fault.h"
#include "vgsp/nv/threed.h"

#define PIXEL_MAX       16
/* What is cleared between two looks at the time, and its cost (fe_spent). */
#define PIECE_RUNS      64
#define ROW_COST        8

typedef struct Target {
    uint64_t va;                /* of the layer */
    bool pitch_linear;
    uint64_t pitch;             /* bytes */
    VgspBlockLinear bl;
    uint32_t z;                 /* slice of a 3D surface */
    unsigned bytes;             /* of a pixel; 0: there is no target */
    uint8_t pixel[PIXEL_MAX];
    uint8_t mask[PIXEL_MAX];    /* bits that are cleared */
    bool masked;                /* not all are */
    uint32_t x0, y0, x1, y1;    /* samples to clear, exclusive at the end */
} Target;

static uint32_t field(const uint32_t *s, uint32_t method, uint64_t mask)
{
    return (uint32_t)VGSP_GET(mask, s[method / 4]);
}

/* ---- Colours ---- */

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
    { NVC597_FORMAT_RS32_GS32_BS32_X32, true, 16, { 32, 32, 32 } },
    { NVC597_FORMAT_RU32_GU32_BU32_X32, false, 16, { 32, 32, 32 } },
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

static void put_bits(uint8_t *p, unsigned at, unsigned bits, uint64_t v)
{
    for (unsigned i = 0; i < bits; i++) {
        p[(at + i) / 8] |= (uint8_t)((v >> i & 1) << (at + i) % 8);
    }
}

/*
 * The clear value in the target's format, and the bits of the channels to
 * clear, R in bit 0. False: no such format here.
 */
static bool make_pixel(const uint32_t value[4], unsigned channels,
                       uint32_t code, Target *t)
{
    const Vgsp2dFormat *format = vgsp_2d_format(code);
    double c[4];

    t->masked = channels != 0xf;
    memset(t->mask, t->masked ? 0 : 0xff, sizeof(t->mask));
    for (unsigned i = 0; i < G_N_ELEMENTS(int_formats); i++) {
        const IntFormat *f = &int_formats[i];
        unsigned at = 0;

        if (f->code != code) {
            continue;
        }
        t->bytes = f->bytes;
        for (unsigned j = 0; j < 4 && f->bits[j]; at += f->bits[j++]) {
            put_bits(t->pixel, at, f->bits[j],
                     int_channel(f, f->bits[j], value[j]));
            put_bits(t->mask, at, channels >> j & 1 ? f->bits[j] : 0, ~0ull);
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
        put_bits(t->mask, format->shift[i],
                 channels >> i & 1 ? format->bits[i] : 0, ~0ull);
    }
    t->bytes = format->bytes;
    vgsp_2d_encode(format, c, t->pixel);
    return true;
}

/* ---- What is cleared ---- */

/* To what two methods hold: minimum and maximum, or origin and size. */
static void limit(const uint32_t *s, uint32_t horizontal, uint32_t vertical,
                  bool sized, Target *t)
{
    uint32_t x = field(s, horizontal, NVC597_CLIP_LOW);
    uint32_t y = field(s, vertical, NVC597_CLIP_LOW);

    t->x0 = MAX(t->x0, x);
    t->y0 = MAX(t->y0, y);
    t->x1 = MIN(t->x1, (sized ? x : 0) +
                       field(s, horizontal, NVC597_CLIP_HIGH));
    t->y1 = MIN(t->y1, (sized ? y : 0) + field(s, vertical, NVC597_CLIP_HIGH));
}

/* Limits of the surface, of its clip and, if they count, of others. */
static bool set_rectangle(const uint32_t *s, uint32_t width, uint32_t height,
                          Target *t)
{
    static const uint8_t log2_grid[][2] = {
        [NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_1X1] = { 0, 0 },
        [NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_2X1] = { 1, 0 },
        [NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_2X2] = { 1, 1 },
        [NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_4X2] = { 2, 1 },
        [NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_4X2_D3D] = { 2, 1 },
        [NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_2X1_D3D] = { 1, 0 },
        [NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_4X4] = { 2, 2 },
    };
    uint32_t control = s[NVC597_SET_CLEAR_SURFACE_CONTROL / 4];
    uint32_t mode = field(s, NVC597_SET_ANTI_ALIAS,
                          NVC597_SET_ANTI_ALIAS_SAMPLES);

    if (mode >= G_N_ELEMENTS(log2_grid)) {
        return false;
    }
    t->x0 = t->y0 = 0;
    t->x1 = t->y1 = UINT32_MAX;
    limit(s, NVC597_SET_SURFACE_CLIP_HORIZONTAL,
          NVC597_SET_SURFACE_CLIP_VERTICAL, true, t);
    if (control & NVC597_SET_CLEAR_SURFACE_CONTROL_USE_CLEAR_RECT) {
        limit(s, NVC597_SET_CLEAR_RECT_HORIZONTAL,
              NVC597_SET_CLEAR_RECT_VERTICAL, false, t);
    }
    if (control & NVC597_SET_CLEAR_SURFACE_CONTROL_USE_SCISSOR0 &&
        s[NVC597_SET_SCISSOR_ENABLE(0) / 4] & 1) {
        limit(s, NVC597_SET_SCISSOR_HORIZONTAL(0),
              NVC597_SET_SCISSOR_VERTICAL(0), false, t);
    }
    if (control & NVC597_SET_CLEAR_SURFACE_CONTROL_USE_VIEWPORT_CLIP0) {
        limit(s, NVC597_SET_VIEWPORT_CLIP_HORIZONTAL(0),
              NVC597_SET_VIEWPORT_CLIP_VERTICAL(0), true, t);
    }
    /* These are pixels, but the surface has samples. */
    t->x0 <<= log2_grid[mode][0];
    t->x1 = MIN(t->x1 << log2_grid[mode][0], width);
    t->y0 <<= log2_grid[mode][1];
    t->y1 = MIN(t->y1 << log2_grid[mode][1], height);
    return true;
}

/* False: something of it is not modelled. */
static bool color_target(VgspContext *ctx, uint32_t data, Target *t)
{
    const uint32_t *s = ctx->state[VGSP_SUBC_3D];
    uint32_t channels = (uint32_t)VGSP_GET(NVC597_CLEAR_SURFACE_RGBA, data);
    uint32_t j = (uint32_t)VGSP_GET(NVC597_CLEAR_SURFACE_MRT_SELECT, data);
    uint32_t layer = (uint32_t)VGSP_GET(NVC597_CLEAR_SURFACE_RT_ARRAY_INDEX,
                                        data);
    uint32_t memory, code, width, height;

    if (!channels) {
        return true;
    }
    if (j >= NVC597_SET_COLOR_TARGET__SIZE_1) {
        return false;
    }
    memory = s[NVC597_SET_COLOR_TARGET_MEMORY(j) / 4];
    code = field(s, NVC597_SET_COLOR_TARGET_FORMAT(j), VGSP_BITS(7, 0));
    width = field(s, NVC597_SET_COLOR_TARGET_WIDTH(j), VGSP_BITS(27, 0));
    height = field(s, NVC597_SET_COLOR_TARGET_HEIGHT(j), VGSP_BITS(16, 0));
    if (code == NVC597_FORMAT_DISABLED) {
        return true;
    }
    if (!make_pixel(&s[NVC597_SET_COLOR_CLEAR_VALUE(0) / 4], channels, code,
                    t)) {
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
    t->bl = (VgspBlockLinear) {
        .width = (uint64_t)width * t->bytes,
        .height = height,
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
           !field(s, NVC597_SET_COLOR_TARGET_MEMORY(j), VGSP_BITS(3, 0)) &&
           set_rectangle(s, width, height, t);
}

/* ---- Depth and stencil ---- */

static const struct {
    uint8_t code, bytes;
    bool is_float;
    uint64_t depth, stencil;    /* their bits */
} zeta_formats[] = {
    { NVC597_SET_ZT_FORMAT_V_ZF32, 4, true, VGSP_BITS(31, 0), 0 },
    { NVC597_SET_ZT_FORMAT_V_Z16, 2, false, VGSP_BITS(15, 0), 0 },
    { NVC597_SET_ZT_FORMAT_V_Z24S8, 4, false, VGSP_BITS(31, 8),
      VGSP_BITS(7, 0) },
    { NVC597_SET_ZT_FORMAT_V_X8Z24, 4, false, VGSP_BITS(23, 0), 0 },
    { NVC597_SET_ZT_FORMAT_V_S8Z24, 4, false, VGSP_BITS(23, 0),
      VGSP_BITS(31, 24) },
    { NVC597_SET_ZT_FORMAT_V_S8, 1, false, 0, VGSP_BITS(7, 0) },
    { NVC597_SET_ZT_FORMAT_V_ZF32_X24S8, 8, true, VGSP_BITS(31, 0),
      VGSP_BITS(39, 32) },
};

static uint64_t depth_value(uint32_t word, uint64_t bits, bool is_float)
{
    float v;

    if (is_float) {
        return word;
    }
    memcpy(&v, &word, sizeof(v));
    if (bits == VGSP_BITS(15, 0)) {
        return vgsp_2d_encode_norm(fmin(fmax(v, 0.0), 1.0), 16);
    }
    return (uint64_t)rint(fmin(fmax(v, 0.0), 1.0) * (double)VGSP_GET(bits,
                                                                     bits));
}

static void make_zeta(const uint32_t *s, uint32_t data, unsigned format,
                      Target *t)
{
    uint64_t depth = data & NVC597_CLEAR_SURFACE_Z_ENABLE
                     ? zeta_formats[format].depth : 0;
    uint64_t stencil = data & NVC597_CLEAR_SURFACE_STENCIL_ENABLE
                       ? zeta_formats[format].stencil : 0;
    uint64_t value = 0, mask = depth;

    if (depth) {
        value = VGSP_REPLACE(depth, value, depth_value(
            s[NVC597_SET_Z_CLEAR_VALUE / 4], depth,
            zeta_formats[format].is_float));
    }
    if (stencil) {
        uint64_t written =
            s[NVC597_SET_CLEAR_SURFACE_CONTROL / 4] &
            NVC597_SET_CLEAR_SURFACE_CONTROL_RESPECT_STENCIL_MASK
            ? field(s, NVC597_SET_STENCIL_MASK, NVC597_SET_STENCIL_MASK_V)
            : 0xff;

        value = VGSP_REPLACE(stencil, value,
                             s[NVC597_SET_STENCIL_CLEAR_VALUE / 4]);
        mask = VGSP_REPLACE(stencil, mask, written);
    }
    t->bytes = mask ? zeta_formats[format].bytes : 0;
    t->masked = mask != VGSP_BITS(8 * zeta_formats[format].bytes - 1, 0);
    vgsp_put_le64(t->pixel, value);
    vgsp_put_le64(t->mask, mask);
}

/* As color_target(). */
static bool zeta_target(VgspContext *ctx, uint32_t data, Target *t)
{
    const uint32_t *s = ctx->state[VGSP_SUBC_3D];
    uint32_t code = field(s, NVC597_SET_ZT_FORMAT, NVC597_SET_ZT_FORMAT_V);
    uint32_t width = field(s, NVC597_SET_ZT_SIZE_A, NVC597_SET_ZT_SIZE_A_WIDTH);
    uint32_t height = field(s, NVC597_SET_ZT_SIZE_B,
                            NVC597_SET_ZT_SIZE_B_HEIGHT);
    uint64_t layer = field(s, NVC597_SET_ZT_LAYER, NVC597_SET_ZT_LAYER_OFFSET) +
                     VGSP_GET(NVC597_CLEAR_SURFACE_RT_ARRAY_INDEX, data);
    unsigned format = 0;

    if (!(data & (NVC597_CLEAR_SURFACE_Z_ENABLE |
                  NVC597_CLEAR_SURFACE_STENCIL_ENABLE)) ||
        !field(s, NVC597_SET_ZT_SELECT, NVC597_SET_ZT_SELECT_TARGET_COUNT)) {
        return true;
    }
    while (format < G_N_ELEMENTS(zeta_formats) &&
           zeta_formats[format].code != code) {
        format++;
    }
    if (format == G_N_ELEMENTS(zeta_formats)) {
        return false;
    }
    make_zeta(s, data, format, t);
    t->va = vgsp_fe_address(ctx, VGSP_SUBC_3D, NVC597_SET_ZT_A,
                            VGSP_BITS(7, 0)) +
            layer * 4 * s[NVC597_SET_ZT_ARRAY_PITCH / 4];
    t->bl = (VgspBlockLinear) {
        .width = (uint64_t)width * zeta_formats[format].bytes,
        .height = height,
        .block_height = (uint8_t)field(s, NVC597_SET_ZT_BLOCK_SIZE,
                                       NVC597_SET_ZT_BLOCK_SIZE_HEIGHT),
    };
    return t->bl.block_height <= 5 &&
           !field(s, NVC597_SET_ZT_BLOCK_SIZE, NVC597_SET_ZT_BLOCK_SIZE_WIDTH |
                  NVC597_SET_ZT_BLOCK_SIZE_DEPTH) &&
           set_rectangle(s, width, height, t);
}

/* ---- Clearing ---- */

/*
 * A piece of row y, from byte *done of what is to be cleared on. Runs of bytes
 * are consecutive in memory, and whole pixels.
 */
static bool clear_piece(VgspMmu *mmu, const Target *t, uint32_t y,
                        uint64_t *done)
{
    uint64_t begin = (uint64_t)t->x0 * t->bytes, x = begin + *done;
    uint64_t end = MIN((uint64_t)t->x1 * t->bytes,
                       x + PIECE_RUNS * VGSP_GOB_RUN);
    uint8_t run[VGSP_GOB_RUN];

    for (unsigned i = 0; i < VGSP_GOB_RUN; i++) {
        run[i] = t->pixel[i % t->bytes];
    }
    while (x < end) {
        uint64_t n = MIN(end - x, VGSP_GOB_RUN - x % VGSP_GOB_RUN);
        uint64_t va = t->va + (t->pitch_linear
                               ? y * t->pitch + x
                               : vgsp_blocklinear_offset(&t->bl, x, y, t->z));

        if (t->masked) {
            uint8_t old[VGSP_GOB_RUN];

            if (!vgsp_mmu_read(mmu, va, old, n)) {
                return false;
            }
            for (unsigned i = 0; i < n; i++) {
                uint8_t mask = t->mask[i % t->bytes];

                run[i] = (uint8_t)((old[i] & ~mask) |
                                   (t->pixel[i % t->bytes] & mask));
            }
        }
        if (!vgsp_mmu_write(mmu, va, run, n)) {
            return false;
        }
        x += n;
        *done = x - begin;
    }
    return true;
}

VgspFeEnd vgsp_threed_clear(VgspContext *ctx, VgspWorker *w, uint32_t data)
{
    Target targets[2] = { 0 };
    uint32_t before = 0;        /* rows of the target before it */

    if (!color_target(ctx, data, &targets[0]) ||
        !zeta_target(ctx, data, &targets[1])) {
        return vgsp_fe_error(ctx, VGSP_EXC_NOT_MODELLED, VGSP_SUBC_3D,
                             NVC597_CLEAR_SURFACE, data);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(targets); i++) {
        const Target *t = &targets[i];
        uint32_t rows = t->bytes && t->x0 < t->x1 && t->y0 < t->y1
                        ? t->y1 - t->y0 : 0;
        uint64_t bytes = rows ? (uint64_t)(t->x1 - t->x0) * t->bytes : 0;

        /* A large surface takes several slices: the method comes again. */
        while (ctx->clear_rows < before + rows) {
            uint64_t from = ctx->clear_bytes;
            uint32_t y = t->y0 + ctx->clear_rows - before, runs;

            if (!clear_piece(&w->mmu, t, y, &ctx->clear_bytes)) {
                return vgsp_fe_fault(ctx, &w->mmu.fault,
                                     NV_PFAULT_CLIENT_GPC_PROP_0, false);
            }
            runs = (uint32_t)((ctx->clear_bytes - from) / VGSP_GOB_RUN);
            if (ctx->clear_bytes == bytes) {
                ctx->clear_bytes = 0;
                ctx->clear_rows++;
            }
            if (vgsp_fe_spent(ctx, ROW_COST + (runs << t->masked))) {
                return VGSP_FE_AGAIN;
            }
        }
        before += rows;
    }
    ctx->clear_rows = 0;
    return VGSP_FE_DONE;
}
