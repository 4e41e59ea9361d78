/*
 * The 2D engine: solid rectangles, pixels from the push buffer, and pixels
 * from memory with scaling, filter and format conversion. Specified by
 * NVIDIA's cl902d.h and by what Mesa's nvc0 makes of it (nvc0_surface.c).
 * Of the operations that look at the destination, raster operations with a
 * pattern of one colour are modelled.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/model-int.h"
#include "model/tex.h"
#include "model/twod-format.h"
#include "vgsp/blocklinear.h"
#include "vgsp/nv/dev_fault.h"
#include "vgsp/nv/twod.h"

#define REGS            (NV902D_SET_FALCON00 / 4)
/* Pixels are read, converted and written in pieces of a row. */
#define CHUNK           256
#define PIXEL_MAX       16
/* What a slice may cost: a pixel is 1, or more where it is sampled. */
#define SLICE_COST      65536
#define COST_CONVERT    8
#define COST_BILINEAR   32
#define ONE             (INT64_C(1) << 32)  /* of a 32.32 coordinate */

typedef struct Surface {
    const Vgsp2dFormat *format;
    bool block_linear;
    uint64_t base;
    uint32_t width, height;     /* pixels */
    uint32_t layer, pitch;
    VgspBlockLinear bl;
} Surface;

struct VgspTwod {
    uint32_t regs[REGS];
    bool render, render_global; /* by the last RENDER_ENABLE_C of each */
    unsigned points;            /* of POINT_X_Y */

    /* What is being drawn: rows [y0, y1) of columns [x0, x1), clipped. */
    bool busy;                  /* VGSP_FE_AGAIN was the answer */
    bool fill;
    Surface dst, src;
    bool raster;                /* by the operation below */
    uint8_t rop, pattern[4];    /* pixel of the pattern */
    int64_t x0, y0, x1, y1;
    uint64_t row, chunk;        /* done of these */
    bool backwards_x, backwards_y;
    uint8_t color[CHUNK * PIXEL_MAX];
    /* A blit: the source at (blit_x, blit_y), and its steps. */
    int64_t blit_x, blit_y, u, v, du, dv;
    bool raw, plain, bilinear;  /* bytes, texels, and what they become */
    double beta[4];             /* factor of each channel */

    /* Pixels from the push buffer. */
    const Vgsp2dFormat *cpu_format;
    bool cpu_renders;
    int64_t cpu_x0;
    int64_t cpu_y;              /* row of the next pixel */
    uint32_t cpu_column, cpu_width, cpu_rows;   /* rows left */
};

VgspTwod *vgsp_twod_new(void)
{
    VgspTwod *twod = g_new0(VgspTwod, 1);

    twod->render = twod->render_global = true;
    twod->regs[NV902D_SET_OPERATION / 4] = NV902D_SET_OPERATION_V_SRCCOPY;
    return twod;
}

void vgsp_twod_free(VgspTwod *twod)
{
    g_free(twod);
}

static uint32_t reg(const VgspTwod *twod, uint32_t method)
{
    return twod->regs[method / 4];
}

/* A coordinate in two words, the fraction first. */
static int64_t fixed(const VgspTwod *twod, uint32_t method)
{
    return (int64_t)((uint64_t)reg(twod, method + 4) << 32 |
                     reg(twod, method));
}

static VgspFeEnd illegal(VgspTwod *twod, VgspContext *ctx, uint32_t method)
{
    return vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_DATA, VGSP_SUBC_2D, method,
                         reg(twod, method));
}

static VgspFeEnd not_modelled(VgspTwod *twod, VgspContext *ctx,
                              uint32_t method)
{
    return vgsp_fe_error(ctx, VGSP_EXC_NOT_MODELLED, VGSP_SUBC_2D, method,
                         reg(twod, method));
}

static VgspFeEnd fault(VgspContext *ctx, VgspWorker *w)
{
    return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_RASTERTWOD,
                         true);
}

/* ---- Surfaces ---- */

/* first: SET_DST_FORMAT or SET_SRC_FORMAT. */
static VgspFeEnd get_surface(VgspTwod *twod, VgspContext *ctx, uint32_t first,
                             Surface *s)
{
    uint32_t block = reg(twod, first + NV902D_SURFACE_BLOCK_SIZE);

    *s = (Surface) {
        .format = vgsp_2d_format(reg(twod, first + NV902D_SURFACE_FORMAT)),
        .block_linear =
            VGSP_GET(NV902D_SURFACE_MEMORY_LAYOUT_V,
                     reg(twod, first + NV902D_SURFACE_MEMORY_LAYOUT)) ==
            NV902D_SURFACE_MEMORY_LAYOUT_V_BLOCKLINEAR,
        .base = VGSP_GET(NV902D_SURFACE_OFFSET_UPPER_V,
                         reg(twod, first + NV902D_SURFACE_OFFSET_UPPER)) <<
                32 | reg(twod, first + NV902D_SURFACE_OFFSET_LOWER),
        .width = reg(twod, first + NV902D_SURFACE_WIDTH),
        .height = reg(twod, first + NV902D_SURFACE_HEIGHT),
        .pitch = reg(twod, first + NV902D_SURFACE_PITCH),
    };
    if (!s->format) {
        return illegal(twod, ctx, first + NV902D_SURFACE_FORMAT);
    }
    if (!s->block_linear) {
        return VGSP_FE_DONE;
    }
    if (s->base % VGSP_GOB_SIZE) {
        return illegal(twod, ctx, first + NV902D_SURFACE_OFFSET_LOWER);
    }
    s->bl = (VgspBlockLinear) {
        .width = (uint64_t)s->width * s->format->bytes,
        .height = s->height,
        .block_height = (uint8_t)VGSP_GET(NV902D_SURFACE_BLOCK_SIZE_HEIGHT,
                                          block),
        .block_depth = (uint8_t)VGSP_GET(NV902D_SURFACE_BLOCK_SIZE_DEPTH,
                                         block),
    };
    if (s->bl.block_height > NV902D_SURFACE_BLOCK_SIZE_THIRTYTWO_GOBS ||
        s->bl.block_depth > NV902D_SURFACE_BLOCK_SIZE_THIRTYTWO_GOBS) {
        return illegal(twod, ctx, first + NV902D_SURFACE_BLOCK_SIZE);
    }
    if (first == NV902D_SET_DST_FORMAT) {
        s->layer = reg(twod, first + NV902D_SURFACE_LAYER);
    }
    return VGSP_FE_DONE;
}

/* n pixels from (x, y) on. */
static bool access_row(VgspWorker *w, const Surface *s, uint64_t x, uint32_t y,
                       uint8_t *pixels, unsigned n, bool is_write)
{
    uint64_t column = x * s->format->bytes;
    uint64_t left = (uint64_t)n * s->format->bytes;

    while (left) {
        uint64_t run = left, va;

        if (s->block_linear) {
            run = MIN(left, VGSP_GOB_RUN - column % VGSP_GOB_RUN);
            va = s->base + vgsp_blocklinear_offset(&s->bl, column, y, s->layer);
        } else {
            va = s->base + (uint64_t)y * s->pitch + column;
        }
        if (!(is_write ? vgsp_mmu_write(&w->mmu, va, pixels, run)
                       : vgsp_mmu_read(&w->mmu, va, pixels, run))) {
            return false;
        }
        column += run;
        pixels += run;
        left -= run;
    }
    return true;
}

/* ---- Drawing ---- */

static bool renders(const VgspTwod *twod)
{
    switch (VGSP_GET(NV902D_SET_RENDER_ENABLE_OVERRIDE_MODE,
                     reg(twod, NV902D_SET_RENDER_ENABLE_OVERRIDE))) {
    case NV902D_SET_RENDER_ENABLE_OVERRIDE_MODE_ALWAYS_RENDER:
        return true;
    case NV902D_SET_RENDER_ENABLE_OVERRIDE_MODE_NEVER_RENDER:
        return false;
    default:
        return twod->render && twod->render_global;
    }
}

/* Reduces what is to be drawn to the destination and to the clip rectangle. */
static void clip(const VgspTwod *twod, const Surface *dst, int64_t *x0,
                 int64_t *y0, int64_t *x1, int64_t *y1)
{
    *x0 = MAX(*x0, 0);
    *y0 = MAX(*y0, 0);
    *x1 = MIN(*x1, dst->width);
    *y1 = MIN(*y1, dst->height);
    if (reg(twod, NV902D_SET_CLIP_ENABLE) & NV902D_SET_CLIP_ENABLE_V) {
        int64_t cx = (int32_t)reg(twod, NV902D_SET_CLIP_X0);
        int64_t cy = (int32_t)reg(twod, NV902D_SET_CLIP_Y0);

        *x0 = MAX(*x0, cx);
        *y0 = MAX(*y0, cy);
        *x1 = MIN(*x1, cx + reg(twod, NV902D_SET_CLIP_WIDTH));
        *y1 = MIN(*y1, cy + reg(twod, NV902D_SET_CLIP_HEIGHT));
    }
    if (*x1 <= *x0 || *y1 <= *y0) {
        *x1 = *x0;
        *y1 = *y0;
    }
}

/*
 * Drivers mask bits with a pattern of one colour, wherever it begins. What
 * patterns look like in other formats than theirs is not known.
 */
static VgspFeEnd set_raster(VgspTwod *twod, VgspContext *ctx,
                            const Surface *dst)
{
    uint32_t bits = reg(twod, NV902D_SET_MONOCHROME_PATTERN0);

    if (dst->format->type != VGSP_2D_UNORM) {
        return not_modelled(twod, ctx, NV902D_SET_OPERATION);
    }
    twod->raster = true;
    twod->rop = (uint8_t)VGSP_GET(NV902D_SET_ROP_V, reg(twod, NV902D_SET_ROP));
    if (twod->rop >> 4 == (twod->rop & 0xf)) {
        return VGSP_FE_DONE;    /* whatever the pattern is */
    }
    if (dst->format->code != NV902D_FORMAT_A8R8G8B8 ||
        VGSP_GET(NV902D_SET_MONOCHROME_PATTERN_COLOR_FORMAT_V,
                 reg(twod, NV902D_SET_MONOCHROME_PATTERN_COLOR_FORMAT)) !=
        NV902D_SET_MONOCHROME_PATTERN_COLOR_FORMAT_V_A8R8G8B8 ||
        VGSP_GET(NV902D_SET_PATTERN_SELECT_V,
                 reg(twod, NV902D_SET_PATTERN_SELECT)) ==
        NV902D_SET_PATTERN_SELECT_V_COLOR ||
        bits != reg(twod, NV902D_SET_MONOCHROME_PATTERN1) ||
        (bits && ~bits)) {
        return not_modelled(twod, ctx, NV902D_SET_ROP);
    }
    vgsp_put_le32(twod->pattern,
                  reg(twod, bits ? NV902D_SET_MONOCHROME_PATTERN_COLOR1
                                 : NV902D_SET_MONOCHROME_PATTERN_COLOR0));
    return VGSP_FE_DONE;
}

/* From (x, y) on: by bits of pattern, source (pixels) and destination. */
static bool combine(const VgspTwod *twod, VgspWorker *w, uint64_t x,
                    uint32_t y, const uint8_t *pixels, unsigned n,
                    uint8_t *out)
{
    uint8_t old[CHUNK * PIXEL_MAX];

    if (!access_row(w, &twod->dst, x, y, old, n, false)) {
        return false;
    }
    for (unsigned i = 0; i < n * twod->dst.format->bytes; i++) {
        uint8_t p = twod->pattern[i % 4], s = pixels[i], d = old[i], v = 0;

        for (unsigned k = 0; k < 8; k++) {
            if (twod->rop >> k & 1) {
                v |= (uint8_t)((k & 4 ? p : ~p) & (k & 2 ? s : ~s) &
                               (k & 1 ? d : ~d));
            }
        }
        out[i] = v;
    }
    return true;
}

/* What there is to draw into, and how; *premult: with beta. */
static VgspFeEnd begin(VgspTwod *twod, VgspContext *ctx, Surface *dst,
                       bool *premult)
{
    VgspFeEnd end;

    *premult = twod->raster = false;
    switch (VGSP_GET(NV902D_SET_OPERATION_V,
                     reg(twod, NV902D_SET_OPERATION))) {
    case NV902D_SET_OPERATION_V_SRCCOPY:
    case NV902D_SET_OPERATION_V_ROP:
        break;
    case NV902D_SET_OPERATION_V_SRCCOPY_PREMULT:
        *premult = true;
        break;
    default:
        return not_modelled(twod, ctx, NV902D_SET_OPERATION);
    }
    if (reg(twod, NV902D_SET_COLOR_KEY_ENABLE) &
        NV902D_SET_COLOR_KEY_ENABLE_V) {
        return not_modelled(twod, ctx, NV902D_SET_COLOR_KEY_ENABLE);
    }
    end = get_surface(twod, ctx, NV902D_SET_DST_FORMAT, dst);
    return end == VGSP_FE_DONE &&
           VGSP_GET(NV902D_SET_OPERATION_V, reg(twod, NV902D_SET_OPERATION)) ==
           NV902D_SET_OPERATION_V_ROP ? set_raster(twod, ctx, dst) : end;
}

static bool read_texel(VgspTwod *twod, VgspWorker *w, int64_t x, int64_t y,
                       uint8_t *pixel)
{
    x = CLAMP(x, 0, (int64_t)twod->src.width - 1);
    y = CLAMP(y, 0, (int64_t)twod->src.height - 1);
    return access_row(w, &twod->src, (uint64_t)x, (uint32_t)y, pixel, 1, false);
}

/*
 * The texel of an integral coordinate is centred at it, so that a blit without
 * scale takes the texel itself whatever the filter. With ORIGIN_CORNER the
 * coordinate is that of its corner. Fractions are cut off after 8 bits, and
 * weights made of them as the texture unit makes them.
 */
static bool sample_bilinear(VgspTwod *twod, VgspWorker *w, int64_t u,
                            int64_t v, double c[4])
{
    uint32_t far[3] = { u >> 24 & 0xff, v >> 24 & 0xff, 0 }, weight[8];
    double texels[4][4] = { 0 };

    vgsp_tex_weights(far, weight);
    for (unsigned i = 0; i < 4; i++) {
        uint8_t pixel[PIXEL_MAX];

        if (!weight[i]) {
            continue;
        }
        if (!read_texel(twod, w, (u >> 32) + (i & 1), (v >> 32) + (i >> 1),
                        pixel)) {
            return false;
        }
        vgsp_2d_decode(twod->src.format, pixel, texels[i]);
    }
    vgsp_2d_filter(twod->src.format, texels, weight, c);
    return true;
}

/* The pixels of a blit that go to (x, y) and its right. */
static bool sample_row(VgspTwod *twod, VgspWorker *w, int64_t x, int64_t y,
                       unsigned n, uint8_t *out, int64_t *cost)
{
    const Surface *src = &twod->src;
    unsigned src_bytes = src->format->bytes, bytes = twod->dst.format->bytes;
    uint64_t u = (uint64_t)twod->u + (uint64_t)(x - twod->blit_x) *
                 (uint64_t)twod->du;
    int64_t v = (int64_t)((uint64_t)twod->v + (uint64_t)(y - twod->blit_y) *
                          (uint64_t)twod->dv);
    int64_t first = (int64_t)u >> 32, line = v >> 32;
    uint8_t pixels[CHUNK * PIXEL_MAX];
    bool whole = !twod->bilinear && twod->du == ONE && first >= 0 &&
                 first + n <= src->width && line >= 0 && line < src->height;

    *cost -= n * (twod->bilinear ? COST_BILINEAR
                  : whole && twod->raw ? 1 : COST_CONVERT);
    if (whole) {
        if (!access_row(w, src, (uint64_t)first, (uint32_t)line,
                        twod->raw ? out : pixels, n, false)) {
            return false;
        }
        if (twod->raw) {
            return true;
        }
    }
    for (unsigned i = 0; i < n; i++, out += bytes, u += (uint64_t)twod->du) {
        uint8_t *pixel = pixels + (size_t)i * src_bytes;
        double c[4];

        if (twod->bilinear) {
            if (!sample_bilinear(twod, w, (int64_t)u, v, c)) {
                return false;
            }
        } else {
            if (!whole &&
                !read_texel(twod, w, (int64_t)u >> 32, line, pixel)) {
                return false;
            }
            if (twod->raw) {
                memcpy(out, pixel, bytes);
                continue;
            }
            if (twod->plain) {
                vgsp_2d_convert(src->format, twod->dst.format, pixel, out);
                continue;
            }
            vgsp_2d_decode(src->format, pixel, c);
        }
        for (unsigned j = 0; j < 4; j++) {
            c[j] *= twod->beta[j];
        }
        vgsp_2d_encode(twod->dst.format, c, out);
    }
    return true;
}

/* Draws until it is done or the slice is over. */
static VgspFeEnd draw(VgspTwod *twod, VgspContext *ctx, VgspWorker *w)
{
    uint64_t rows = (uint64_t)(twod->y1 - twod->y0);
    uint64_t columns = (uint64_t)(twod->x1 - twod->x0);
    uint64_t chunks = (columns + CHUNK - 1) / CHUNK;
    int64_t cost = SLICE_COST;

    for (; twod->row < rows; twod->row++, twod->chunk = 0) {
        int64_t y = twod->backwards_y ? twod->y1 - 1 - (int64_t)twod->row
                                      : twod->y0 + (int64_t)twod->row;

        for (; twod->chunk < chunks; twod->chunk++) {
            uint64_t i = twod->backwards_x ? chunks - 1 - twod->chunk
                                           : twod->chunk;
            uint64_t x = (uint64_t)twod->x0 + i * CHUNK;
            unsigned n = (unsigned)MIN(columns - i * CHUNK, CHUNK);
            uint8_t buf[CHUNK * PIXEL_MAX];
            uint8_t *pixels = twod->fill ? twod->color : buf;

            if (cost <= 0) {
                twod->busy = true;
                return VGSP_FE_AGAIN;
            }
            if (twod->fill) {
                cost -= n;
            } else if (!sample_row(twod, w, (int64_t)x, y, n, pixels, &cost)) {
                return fault(ctx, w);
            }
            if (twod->raster) {
                cost -= n;
                if (!combine(twod, w, x, (uint32_t)y, pixels, n, buf)) {
                    return fault(ctx, w);
                }
                pixels = buf;
            }
            if (!access_row(w, &twod->dst, x, (uint32_t)y, pixels, n, true)) {
                return fault(ctx, w);
            }
        }
    }
    twod->busy = false;
    vgsp_fe_spent(ctx, (uint32_t)((SLICE_COST - MAX(cost, 0)) / 8));
    return VGSP_FE_DONE;
}

/* ---- Solid rectangles ---- */

static VgspFeEnd fill_rect(VgspTwod *twod, VgspContext *ctx, VgspWorker *w,
                           int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    const Vgsp2dFormat *format = vgsp_2d_format(
        reg(twod, NV902D_SET_RENDER_SOLID_PRIM_COLOR_FORMAT));
    uint8_t color[PIXEL_MAX];
    bool premult;
    VgspFeEnd end;

    if (VGSP_GET(NV902D_RENDER_SOLID_PRIM_MODE_V,
                 reg(twod, NV902D_RENDER_SOLID_PRIM_MODE)) !=
        NV902D_RENDER_SOLID_PRIM_MODE_V_RECTS) {
        return not_modelled(twod, ctx, NV902D_RENDER_SOLID_PRIM_MODE);
    }
    if (!format || !vgsp_2d_solid(format)) {
        return illegal(twod, ctx, NV902D_SET_RENDER_SOLID_PRIM_COLOR_FORMAT);
    }
    end = begin(twod, ctx, &twod->dst, &premult);
    if (end != VGSP_FE_DONE) {
        return end;
    }
    if (premult) {
        return not_modelled(twod, ctx, NV902D_SET_OPERATION);
    }
    /* GH100 writes 0 where a colour of floats meets a packed surface. */
    if (vgsp_2d_packed(twod->dst.format) && format->type == VGSP_2D_FLOAT) {
        return not_modelled(twod, ctx,
                            NV902D_SET_RENDER_SOLID_PRIM_COLOR_FORMAT);
    }
    if (!vgsp_2d_solid(twod->dst.format) ||
        (format != twod->dst.format && !vgsp_2d_packed(twod->dst.format))) {
        return illegal(twod, ctx, NV902D_SET_DST_FORMAT);
    }
    for (unsigned i = 0; i < 4; i++) {
        vgsp_put_le32(color + 4 * i,
                      format->bytes > 4
                      ? reg(twod, NV902D_SET_RENDER_SOLID_PRIM_COLOR0 + 4 * i)
                      : reg(twod, NV902D_SET_RENDER_SOLID_PRIM_COLOR));
    }
    vgsp_2d_convert(format, twod->dst.format, color, twod->color);
    for (unsigned i = 1; i < CHUNK; i++) {
        memcpy(twod->color + i * twod->dst.format->bytes, twod->color,
               twod->dst.format->bytes);
    }
    twod->fill = true;
    twod->x0 = x0;
    twod->y0 = y0;
    twod->x1 = x1;
    twod->y1 = y1;
    clip(twod, &twod->dst, &twod->x0, &twod->y0, &twod->x1, &twod->y1);
    twod->backwards_x = twod->backwards_y = false;
    twod->row = twod->chunk = 0;
    return renders(twod) ? draw(twod, ctx, w) : VGSP_FE_DONE;
}

/* The second point of a rectangle, its lower right corner, draws it. */
static VgspFeEnd point(VgspTwod *twod, VgspContext *ctx, VgspWorker *w,
                       unsigned j)
{
    const uint32_t *p;

    if (VGSP_GET(NV902D_RENDER_SOLID_PRIM_MODE_V,
                 reg(twod, NV902D_RENDER_SOLID_PRIM_MODE)) !=
        NV902D_RENDER_SOLID_PRIM_MODE_V_RECTS) {
        return not_modelled(twod, ctx, NV902D_RENDER_SOLID_PRIM_MODE);
    }
    if (j % 2 == 0) {
        return VGSP_FE_DONE;
    }
    p = &twod->regs[NV902D_RENDER_SOLID_PRIM_POINT_SET_X(j - 1) / 4];
    return fill_rect(twod, ctx, w, (int32_t)p[0], (int32_t)p[1], (int32_t)p[2],
                     (int32_t)p[3]);
}

/* Points in one word take turns as the first and the second. */
static VgspFeEnd packed_point(VgspTwod *twod, VgspContext *ctx, VgspWorker *w,
                              uint32_t data)
{
    unsigned j = twod->points;
    uint32_t *p = &twod->regs[NV902D_RENDER_SOLID_PRIM_POINT_SET_X(j) / 4];

    p[0] = (uint32_t)(int16_t)VGSP_GET(NV902D_RENDER_SOLID_PRIM_POINT_X_Y_X,
                                       data);
    p[1] = (uint32_t)(int16_t)VGSP_GET(NV902D_RENDER_SOLID_PRIM_POINT_X_Y_Y,
                                       data);
    twod->points = 1 - j;
    return point(twod, ctx, w, j);
}

/* ---- Pixels from memory ---- */

static void choose_direction(VgspTwod *twod)
{
    uint32_t d = reg(twod, NV902D_SET_PIXELS_FROM_MEMORY_DIRECTION);
    uint64_t h = VGSP_GET(NV902D_SET_PIXELS_FROM_MEMORY_DIRECTION_HORIZONTAL,
                          d);
    uint64_t v = VGSP_GET(NV902D_SET_PIXELS_FROM_MEMORY_DIRECTION_VERTICAL, d);
    int64_t src_x = twod->u >> 32, src_y = twod->v >> 32;

    /* HW_DECIDES: as an overlap within a surface wants it. */
    twod->backwards_x = h == NV902D_SET_PIXELS_FROM_MEMORY_DIRECTION_BACKWARDS;
    twod->backwards_y = v == NV902D_SET_PIXELS_FROM_MEMORY_DIRECTION_BACKWARDS;
    if (h == NV902D_SET_PIXELS_FROM_MEMORY_DIRECTION_HW_DECIDES) {
        twod->backwards_x = twod->blit_x > src_x;
    }
    if (v == NV902D_SET_PIXELS_FROM_MEMORY_DIRECTION_HW_DECIDES) {
        twod->backwards_y = twod->blit_y > src_y;
    }
}

static VgspFeEnd blit(VgspTwod *twod, VgspContext *ctx, VgspWorker *w)
{
    uint32_t mode = reg(twod, NV902D_SET_PIXELS_FROM_MEMORY_SAMPLE_MODE);
    uint32_t beta = reg(twod, NV902D_SET_BETA4);
    bool premult;
    VgspFeEnd end;

    end = begin(twod, ctx, &twod->dst, &premult);
    if (end == VGSP_FE_DONE) {
        end = get_surface(twod, ctx, NV902D_SET_SRC_FORMAT, &twod->src);
    }
    if (end != VGSP_FE_DONE) {
        return end;
    }
    if (!twod->src.width || !twod->src.height) {
        return illegal(twod, ctx, NV902D_SET_SRC_FORMAT +
                       (twod->src.width ? NV902D_SURFACE_HEIGHT
                                        : NV902D_SURFACE_WIDTH));
    }
    twod->fill = false;
    twod->bilinear =
        VGSP_GET(NV902D_SET_PIXELS_FROM_MEMORY_SAMPLE_MODE_FILTER, mode) ==
        NV902D_SET_PIXELS_FROM_MEMORY_SAMPLE_MODE_FILTER_BILINEAR;
    twod->plain = !premult && !twod->bilinear;
    twod->raw = twod->plain && twod->src.format == twod->dst.format;
    if (twod->src.format != twod->dst.format &&
        !vgsp_2d_convertible(twod->dst.format)) {
        return not_modelled(twod, ctx, NV902D_SET_DST_FORMAT);
    }
    twod->beta[0] = VGSP_GET(NV902D_SET_BETA4_R, beta) / 255.0;
    twod->beta[1] = VGSP_GET(NV902D_SET_BETA4_G, beta) / 255.0;
    twod->beta[2] = VGSP_GET(NV902D_SET_BETA4_B, beta) / 255.0;
    twod->beta[3] = VGSP_GET(NV902D_SET_BETA4_A, beta) / 255.0;
    for (unsigned i = 0; !premult && i < 4; i++) {
        twod->beta[i] = 1;
    }

    twod->blit_x = (int32_t)reg(twod, NV902D_SET_PIXELS_FROM_MEMORY_DST_X0);
    twod->blit_y = (int32_t)reg(twod, NV902D_SET_PIXELS_FROM_MEMORY_DST_Y0);
    twod->du = fixed(twod, NV902D_SET_PIXELS_FROM_MEMORY_DU_DX_FRAC);
    twod->dv = fixed(twod, NV902D_SET_PIXELS_FROM_MEMORY_DV_DY_FRAC);
    twod->u = fixed(twod, NV902D_SET_PIXELS_FROM_MEMORY_SRC_X0_FRAC);
    twod->v = fixed(twod, NV902D_SET_PIXELS_FROM_MEMORY_SRC_Y0_FRAC);
    choose_direction(twod);
    if (VGSP_GET(NV902D_SET_PIXELS_FROM_MEMORY_SAMPLE_MODE_ORIGIN, mode) ==
        NV902D_SET_PIXELS_FROM_MEMORY_SAMPLE_MODE_ORIGIN_CORNER
        ? twod->bilinear : !twod->bilinear) {
        /* As from centres for four texels, as from corners for one. */
        uint64_t half = (uint64_t)(twod->bilinear ? -ONE / 2 : ONE / 2);

        twod->u = (int64_t)((uint64_t)twod->u + half);
        twod->v = (int64_t)((uint64_t)twod->v + half);
    }
    twod->x0 = twod->blit_x;
    twod->y0 = twod->blit_y;
    twod->x1 = twod->x0 + reg(twod, NV902D_SET_PIXELS_FROM_MEMORY_DST_WIDTH);
    twod->y1 = twod->y0 + reg(twod, NV902D_SET_PIXELS_FROM_MEMORY_DST_HEIGHT);
    clip(twod, &twod->dst, &twod->x0, &twod->y0, &twod->x1, &twod->y1);
    twod->row = twod->chunk = 0;
    return renders(twod) ? draw(twod, ctx, w) : VGSP_FE_DONE;
}

/* ---- Pixels from the push buffer ---- */

static VgspFeEnd cpu_begin(VgspTwod *twod, VgspContext *ctx)
{
    bool premult;
    VgspFeEnd end = begin(twod, ctx, &twod->dst, &premult);

    if (end != VGSP_FE_DONE) {
        return end;
    }
    if (premult) {
        return not_modelled(twod, ctx, NV902D_SET_OPERATION);
    }
    if (reg(twod, NV902D_SET_PIXELS_FROM_CPU_DATA_TYPE) !=
        NV902D_SET_PIXELS_FROM_CPU_DATA_TYPE_V_COLOR) {
        return not_modelled(twod, ctx, NV902D_SET_PIXELS_FROM_CPU_DATA_TYPE);
    }
    if (fixed(twod, NV902D_SET_PIXELS_FROM_CPU_DX_DU_FRAC) != ONE) {
        return not_modelled(twod, ctx, NV902D_SET_PIXELS_FROM_CPU_DX_DU_INT);
    }
    if (fixed(twod, NV902D_SET_PIXELS_FROM_CPU_DY_DV_FRAC) != ONE) {
        return not_modelled(twod, ctx, NV902D_SET_PIXELS_FROM_CPU_DY_DV_INT);
    }
    twod->cpu_format =
        vgsp_2d_format(reg(twod, NV902D_SET_PIXELS_FROM_CPU_COLOR_FORMAT));
    if (!twod->cpu_format || twod->cpu_format->bytes > 4) {
        return illegal(twod, ctx, NV902D_SET_PIXELS_FROM_CPU_COLOR_FORMAT);
    }
    if (twod->cpu_format != twod->dst.format &&
        !vgsp_2d_convertible(twod->dst.format)) {
        return not_modelled(twod, ctx, NV902D_SET_DST_FORMAT);
    }
    twod->cpu_renders = renders(twod);
    twod->cpu_x0 = (int32_t)reg(twod, NV902D_SET_PIXELS_FROM_CPU_DST_X0_INT);
    twod->cpu_y = (int32_t)reg(twod, NV902D_SET_PIXELS_FROM_CPU_DST_Y0_INT);
    twod->cpu_column = 0;
    twod->cpu_width = reg(twod, NV902D_SET_PIXELS_FROM_CPU_SRC_WIDTH);
    twod->cpu_rows = twod->cpu_width
                     ? reg(twod, NV902D_SET_PIXELS_FROM_CPU_SRC_HEIGHT) : 0;
    return VGSP_FE_DONE;
}

/* Pixels of a row are packed; a row begins with a datum of its own. */
static VgspFeEnd cpu_data(VgspTwod *twod, VgspContext *ctx, VgspWorker *w,
                          uint32_t data)
{
    uint8_t word[4], pixel[PIXEL_MAX];

    if (!twod->cpu_rows) {
        return illegal(twod, ctx, NV902D_PIXELS_FROM_CPU_DATA);
    }
    vgsp_put_le32(word, data);
    for (unsigned i = 0; i < 4; i += twod->cpu_format->bytes) {
        int64_t x0 = twod->cpu_x0 + twod->cpu_column, x1 = x0 + 1;
        int64_t y0 = twod->cpu_y, y1 = y0 + 1;

        clip(twod, &twod->dst, &x0, &y0, &x1, &y1);
        if (x1 > x0 && twod->cpu_renders) {
            vgsp_2d_convert(twod->cpu_format, twod->dst.format, word + i,
                            pixel);
            if ((twod->raster &&
                 !combine(twod, w, (uint64_t)x0, (uint32_t)y0, pixel, 1,
                          pixel)) ||
                !access_row(w, &twod->dst, (uint64_t)x0, (uint32_t)y0, pixel, 1,
                            true)) {
                return fault(ctx, w);
            }
        }
        if (++twod->cpu_column == twod->cpu_width) {
            twod->cpu_column = 0;
            twod->cpu_y++;
            twod->cpu_rows--;
            break;
        }
    }
    return VGSP_FE_DONE;
}

/* ---- Methods ---- */

/* Memory is looked at when the mode is written, as in the other classes. */
static VgspFeEnd render_enable(VgspTwod *twod, VgspContext *ctx,
                               VgspWorker *w, uint32_t method)
{
    uint64_t va = VGSP_GET(NV902D_SET_RENDER_ENABLE_A_OFFSET_UPPER,
                           reg(twod, method - 8)) << 32 |
                  reg(twod, method - 4);
    uint64_t mode = VGSP_GET(NV902D_SET_RENDER_ENABLE_C_MODE,
                             reg(twod, method));
    bool *enable = method == NV902D_SET_RENDER_ENABLE_C
                   ? &twod->render : &twod->render_global;
    uint64_t first, second;     /* values of reports, of 16 bytes each */

    switch (mode) {
    case NV902D_SET_RENDER_ENABLE_C_MODE_FALSE:
    case NV902D_SET_RENDER_ENABLE_C_MODE_TRUE:
        *enable = mode == NV902D_SET_RENDER_ENABLE_C_MODE_TRUE;
        return VGSP_FE_DONE;
    case NV902D_SET_RENDER_ENABLE_C_MODE_CONDITIONAL:
    case NV902D_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL:
    case NV902D_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL:
        break;
    default:
        return illegal(twod, ctx, method);
    }
    if (!vgsp_mmu_read(&w->mmu, va, &first, sizeof(first))) {
        return fault(ctx, w);
    }
    if (mode == NV902D_SET_RENDER_ENABLE_C_MODE_CONDITIONAL) {
        *enable = first != 0;
        return VGSP_FE_DONE;
    }
    if (!vgsp_mmu_read(&w->mmu, va + 16, &second, sizeof(second))) {
        return fault(ctx, w);
    }
    *enable = (first == second) ==
              (mode == NV902D_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL);
    return VGSP_FE_DONE;
}

/* Methods with an effect that the model does not have. */
static bool unknown_effect(uint32_t method)
{
    return method == NV902D_NOTIFY ||
           (method >= NV902D_LOAD_MME_INSTRUCTION_RAM_POINTER &&
            method <= NV902D_SET_MME_SHADOW_RAM_CONTROL) ||
           (method >= NV902D_SET_MME_MEM_ADDRESS_A &&
            method <= NV902D_SET_MME_DATA_FIFO_CONFIG) ||
           (method >= NV902D_SET_FALCON00 &&
            method < NV902D_SET_MME_SHADOW_SCRATCH(0)) ||
           method >= NV902D_CALL_MME_MACRO(0);
}

VgspFeEnd vgsp_twod_method(VgspTwod *twod, VgspContext *ctx, VgspWorker *w,
                           uint32_t method, uint32_t data)
{
    if (twod->busy) {
        return draw(twod, ctx, w);
    }
    if (unknown_effect(method)) {
        return vgsp_fe_error(ctx, VGSP_EXC_NOT_MODELLED, VGSP_SUBC_2D, method,
                             data);
    }
    if (method / 4 >= REGS) {
        return VGSP_FE_DONE;    /* shadow scratch, which nothing reads */
    }
    twod->regs[method / 4] = data;
    if (method >= NV902D_RENDER_SOLID_PRIM_POINT_SET_X(0) &&
        method < NV902D_RENDER_SOLID_PRIM_POINT_SET_X(
            NV902D_RENDER_SOLID_PRIM_POINT__SIZE_1)) {
        unsigned j = (method - NV902D_RENDER_SOLID_PRIM_POINT_SET_X(0)) / 8;

        return method == NV902D_RENDER_SOLID_PRIM_POINT_Y(j)
               ? point(twod, ctx, w, j) : VGSP_FE_DONE;
    }
    switch (method) {
    case NV902D_SET_GLOBAL_RENDER_ENABLE_C:
    case NV902D_SET_RENDER_ENABLE_C:
        return render_enable(twod, ctx, w, method);
    case NV902D_RENDER_SOLID_PRIM_MODE:
        twod->points = 0;
        return VGSP_FE_DONE;
    case NV902D_RENDER_SOLID_PRIM_POINT_X_Y:
        return packed_point(twod, ctx, w, data);
    case NV902D_SET_PIXELS_FROM_CPU_DST_Y0_INT:
        return cpu_begin(twod, ctx);
    case NV902D_PIXELS_FROM_CPU_DATA:
        return cpu_data(twod, ctx, w, data);
    case NV902D_PIXELS_FROM_MEMORY_SRC_Y0_INT:
        return blit(twod, ctx, w);
    default:
        return VGSP_FE_DONE;
    }
}
