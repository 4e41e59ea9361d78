/*
 * Groups "upload", "twod" and "clears": the fixed-function engines, held
 * against the model in all memory that they could write.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <string.h>

#include "silicon.h"
#include "vgsp/nv/i2m.h"
#include "vgsp/nv/threed.h"
#include "vgsp/nv/twod.h"

#define SIDE        0x200000    /* bytes that are looked at; ... */
#define SRC_AT      0x100000    /* ... sources in the upper half */

/* ---- Inline uploads ---- */

typedef struct Upload {
    const char *name;
    unsigned subchannel;        /* all three engines can */
    bool pitch;
    uint32_t length, lines, pitch_out, block, width, height, x, y;
} Upload;

static const Upload uploads[] = {
    { "a word", 2, true, 4, 1, 0, 0, 0, 0, 0, 0 },
    { "five bytes", 2, true, 5, 1, 0, 0, 0, 0, 0, 0 },
    { "lines of 36 bytes", 2, true, 36, 5, 64, 0, 0, 0, 0, 0 },
    { "lines of 7 bytes", 2, true, 7, 9, 33, 0, 0, 0, 0, 0 },
    { "1000 bytes, by 3D", 0, true, 1000, 1, 0, 0, 0, 0, 0, 0 },
    { "1000 bytes, by compute", 1, true, 1000, 1, 0, 0, 0, 0, 0, 0 },
    { "block-linear, a GOB high", 2, false, 100, 20, 0, 0x000, 256, 64, 0, 0 },
    { "block-linear, 4 GOBs, from 13, 5", 2, false, 60, 30, 0, 0x020, 320, 96,
      13, 5 },
    { "block-linear, 32 GOBs, by compute", 1, false, 64, 40, 0, 0x050, 128,
      300, 64, 200 },
};

static void upload(SiliconTwin *t, const Upload *u)
{
    uint32_t data[1024], words = (u->length + 3) / 4 * u->lines;
    unsigned c = u->subchannel;
    SiliconRig *r = t->a;
    g_autofree char *name = g_strdup_printf("upload %s", u->name);

    for (unsigned i = 0; i < words; i++) {
        data[i] = 0x01020304u * (i + 1) + i;
    }
    twin_begin(t, SIDE);
    rig_push(r, c, NVA140_LINE_LENGTH_IN, u->length);
    rig_push(r, c, NVA140_LINE_COUNT, u->lines);
    rig_push_address(r, c, NVA140_OFFSET_OUT_UPPER, RIG_VA + 0x2000);
    rig_push(r, c, NVA140_PITCH_OUT, u->pitch_out);
    rig_push(r, c, NVA140_SET_DST_BLOCK_SIZE, u->block);
    rig_push(r, c, NVA140_SET_DST_WIDTH, u->width);
    rig_push(r, c, NVA140_SET_DST_HEIGHT, u->height);
    rig_push(r, c, NVA140_SET_DST_DEPTH, 1);
    rig_push(r, c, NVA140_SET_DST_LAYER, 0);
    rig_push(r, c, NVA140_SET_DST_ORIGIN_BYTES_X, u->x);
    rig_push(r, c, NVA140_SET_DST_ORIGIN_SAMPLES_Y, u->y);
    rig_push(r, c, NVA140_LAUNCH_DMA,
             (uint32_t)(VGSP_SET(NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT,
                                 u->pitch) |
                        VGSP_SET(NVA140_LAUNCH_DMA_COMPLETION_TYPE,
                                 NVA140_LAUNCH_DMA_COMPLETION_TYPE_FLUSH_ONLY)
             ));
    rig_push_many(r, c, NVA140_LOAD_INLINE_DATA, data, words);
    twin_run(t, SIDE, name);
}

static void run_upload(Silicon *s)
{
    SiliconTwin t;

    if (twin_new(s, &t)) {
        for (size_t i = 0; i < G_N_ELEMENTS(uploads); i++) {
            if (silicon_wanted(s, uploads[i].name)) {
                upload(&t, &uploads[i]);
            }
        }
    }
    twin_free(&t);
}

/* ---- 2D ---- */

#define TWOD 3

static const struct {
    const char *name;
    uint32_t format, bytes;
} twod_formats[] = {
    { "A8R8G8B8", NV902D_FORMAT_A8R8G8B8, 4 },
    { "A8B8G8R8", NV902D_FORMAT_A8B8G8R8, 4 },
    { "A2B10G10R10", NV902D_FORMAT_A2B10G10R10, 4 },
    { "X8R8G8B8", NV902D_FORMAT_X8R8G8B8, 4 },
    { "R5G6B5", NV902D_FORMAT_R5G6B5, 2 },
    { "A1R5G5B5", NV902D_FORMAT_A1R5G5B5, 2 },
};

static uint32_t pitch_of(uint32_t width, uint32_t bytes)
{
    return (uint32_t)VGSP_ALIGN_UP(width * bytes, 256);
}

static void surface(SiliconRig *r, uint32_t first, uint32_t format,
                    uint32_t bytes, bool pitch, uint32_t block,
                    uint32_t width, uint32_t height, uint64_t offset)
{
    rig_push(r, TWOD, first + NV902D_SURFACE_FORMAT, format);
    rig_push(r, TWOD, first + NV902D_SURFACE_MEMORY_LAYOUT, pitch);
    rig_push(r, TWOD, first + NV902D_SURFACE_BLOCK_SIZE, block);
    rig_push(r, TWOD, first + NV902D_SURFACE_DEPTH, 1);
    if (first == NV902D_SET_DST_FORMAT) {
        rig_push(r, TWOD, first + NV902D_SURFACE_LAYER, 0);
    }
    rig_push(r, TWOD, first + NV902D_SURFACE_PITCH, pitch_of(width, bytes));
    rig_push(r, TWOD, first + NV902D_SURFACE_WIDTH, width);
    rig_push(r, TWOD, first + NV902D_SURFACE_HEIGHT, height);
    rig_push_address(r, TWOD, first + NV902D_SURFACE_OFFSET_UPPER,
                     RIG_VA + offset);
}

static void twod_begin(SiliconTwin *t)
{
    twin_begin(t, SIDE);
    rig_push(t->a, TWOD, NV902D_SET_RENDER_ENABLE_C,
             NV902D_SET_RENDER_ENABLE_C_MODE_TRUE);
    rig_push(t->a, TWOD, NV902D_SET_CLIP_ENABLE, 0);
    rig_push(t->a, TWOD, NV902D_SET_COLOR_KEY_ENABLE, 0);
    rig_push(t->a, TWOD, NV902D_SET_OPERATION,
             NV902D_SET_OPERATION_V_SRCCOPY);
}

/*
 * With --keep, what a test leaves in the destination if it fails, or always:
 * to a file of its name.
 */
static void twod_run(SiliconTwin *t, const char *name, uint32_t pitch,
                     uint32_t height, bool always)
{
    Silicon *s = t->a->s;
    unsigned failed = s->failed;
    g_autofree char *file = g_strdup_printf("%s.bin", name);
    g_autofree char *path = NULL;
    FILE *keep;

    twin_run(t, SIDE, name);
    if (!s->keep || (!always && s->failed == failed)) {
        return;
    }
    g_strcanon(file, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS ".", '-');
    path = g_build_filename(s->keep, file, NULL);
    keep = fopen(path, "w");
    if (keep) {
        fwrite(t->a->mem, pitch, height, keep);
        fclose(keep);
    }
}

static void push_rectangle(SiliconTwin *t, uint32_t format, uint32_t bytes,
                           bool block_linear)
{
    SiliconRig *r = t->a;

    twod_begin(t);
    surface(r, NV902D_SET_DST_FORMAT, format, bytes, !block_linear,
            block_linear ? 0x10 : 0, 100, 60, 0);
    rig_push(r, TWOD, NV902D_RENDER_SOLID_PRIM_MODE,
             NV902D_RENDER_SOLID_PRIM_MODE_V_RECTS);
    rig_push(r, TWOD, NV902D_SET_RENDER_SOLID_PRIM_COLOR_FORMAT,
             NV902D_FORMAT_A8R8G8B8);
    rig_push(r, TWOD, NV902D_SET_RENDER_SOLID_PRIM_COLOR, 0x80c04020);
    rig_push(r, TWOD, NV902D_RENDER_SOLID_PRIM_POINT_SET_X(0), 7);
    rig_push(r, TWOD, NV902D_RENDER_SOLID_PRIM_POINT_Y(0), 3);
    rig_push(r, TWOD, NV902D_RENDER_SOLID_PRIM_POINT_SET_X(1), 61);
    rig_push(r, TWOD, NV902D_RENDER_SOLID_PRIM_POINT_Y(1), 55);
}

static void rectangle(SiliconTwin *t, size_t i, bool block_linear)
{
    g_autofree char *name = g_strdup_printf(
        "twod rectangle %s%s", twod_formats[i].name,
        block_linear ? ", block-linear" : "");

    push_rectangle(t, twod_formats[i].format, twod_formats[i].bytes,
                   block_linear);
    twod_run(t, name, pitch_of(100, twod_formats[i].bytes), 60, false);
}

/* 32.32 */
#define FIX(v) ((uint64_t)(int64_t)((v) * 4294967296.0))

typedef struct Blit {
    const char *name;
    bool bilinear, corner, src_linear, dst_linear;
    double du, dv, x, y;
    uint32_t width, height;
} Blit;

static const Blit blits[] = {
    { "copy", false, false, true, true, 1, 1, 3, 5, 60, 40 },
    { "copy from block-linear", false, false, false, true, 1, 1, 3, 5, 60, 40 },
    { "copy to block-linear", false, false, true, false, 1, 1, 0, 0, 64, 64 },
    { "enlarged, point", false, false, true, true, 0.4, 0.3, 2, 1, 80, 70 },
    { "reduced, point", false, true, true, true, 1.7, 2.3, 0.5, 0.25, 50, 40 },
    { "enlarged, bilinear", true, false, true, true, 0.4, 0.3, 2, 1, 80, 70 },
    { "reduced, bilinear", true, true, true, true, 1.5, 1.25, 1, 2, 50, 40 },
    { "mirrored", false, true, true, true, -1, 1, 70.5, 0.5, 60, 40 },
};

static void push_fixed(SiliconRig *r, uint32_t method, double v)
{
    rig_push(r, TWOD, method, (uint32_t)FIX(v));
    rig_push(r, TWOD, method + 4, FIX(v) >> 32);
}

static void push_blit(SiliconRig *r, const Blit *b, uint32_t x, uint32_t y)
{
    rig_push(r, TWOD, NV902D_SET_PIXELS_FROM_MEMORY_SAMPLE_MODE,
             (uint32_t)(VGSP_SET(
                 NV902D_SET_PIXELS_FROM_MEMORY_SAMPLE_MODE_ORIGIN, b->corner) |
             VGSP_SET(NV902D_SET_PIXELS_FROM_MEMORY_SAMPLE_MODE_FILTER,
                      b->bilinear)));
    rig_push(r, TWOD, NV902D_SET_PIXELS_FROM_MEMORY_DST_X0, x);
    rig_push(r, TWOD, NV902D_SET_PIXELS_FROM_MEMORY_DST_Y0, y);
    rig_push(r, TWOD, NV902D_SET_PIXELS_FROM_MEMORY_DST_WIDTH, b->width);
    rig_push(r, TWOD, NV902D_SET_PIXELS_FROM_MEMORY_DST_HEIGHT, b->height);
    push_fixed(r, NV902D_SET_PIXELS_FROM_MEMORY_DU_DX_FRAC, b->du);
    push_fixed(r, NV902D_SET_PIXELS_FROM_MEMORY_DV_DY_FRAC, b->dv);
    push_fixed(r, NV902D_SET_PIXELS_FROM_MEMORY_SRC_X0_FRAC, b->x);
    push_fixed(r, NV902D_SET_PIXELS_FROM_MEMORY_SRC_Y0_FRAC, b->y);
}

static void blit(SiliconTwin *t, const Blit *b, uint32_t src,
                 uint32_t src_bytes, uint32_t dst, uint32_t dst_bytes,
                 const char *formats)
{
    SiliconRig *r = t->a;
    g_autofree char *name = g_strdup_printf("twod %s, %s", b->name, formats);

    twod_begin(t);
    surface(r, NV902D_SET_SRC_FORMAT, src, src_bytes, b->src_linear,
            b->src_linear ? 0 : 0x20, 100, 100, SRC_AT);
    surface(r, NV902D_SET_DST_FORMAT, dst, dst_bytes, b->dst_linear,
            b->dst_linear ? 0 : 0x10, 96, 80, 0);
    push_blit(r, b, 4, 6);
    twod_run(t, name, pitch_of(96, dst_bytes), 80, false);
}

/*
 * Bilinear blits that show how the filter computes. Their sources are four
 * texels of which each fills a channel of its own, so that the weights are what
 * is drawn; a ramp, of ties; or noise.
 */
typedef struct Calibration {
    Blit b;
    enum { WEIGHTS, RAMP, NOISE } source;
    uint32_t src, src_bytes, dst, dst_bytes;
} Calibration;

#define LINEAR(name, corner, ...) \
    { name, true, corner, true, true, __VA_ARGS__ }
#define OF(name, src, src_bytes, dst, dst_bytes) \
    { LINEAR(name, false, 0.4, 0.3, 2, 1, 80, 64), NOISE, \
      NV902D_FORMAT_##src, src_bytes, NV902D_FORMAT_##dst, dst_bytes }
#define ARGB NV902D_FORMAT_A8R8G8B8, 4, NV902D_FORMAT_A8R8G8B8, 4

static const Calibration calibrations[] = {
    { LINEAR("weights", false, 1.0 / 256, 1.0 / 256, 0, 0, 256, 256), WEIGHTS,
      ARGB },
    { LINEAR("edges", false, 0.0625, 0.0625, -1.5, -1.5, 64, 64), WEIGHTS,
      ARGB },
    { LINEAR("edges by corners", true, 0.0625, 0.0625, -1, -1, 64, 64), WEIGHTS,
      ARGB },
    { LINEAR("mirrored", false, -0.0625, -0.0625, 2.5, 2.5, 64, 64), WEIGHTS,
      ARGB },
    { LINEAR("ramp, enlarged", false, 0.25, 0.125, 0, 0, 256, 9), RAMP, ARGB },
    { LINEAR("ramp, reduced 2:1", true, 2, 1, 1, 0.5, 128, 2), RAMP, ARGB },
    { LINEAR("reduced 3:2", true, 1.5, 1.5, 0.75, 0.75, 64, 48), NOISE, ARGB },
    OF("R5G6B5 to A8R8G8B8", R5G6B5, 2, A8R8G8B8, 4),
    OF("A1R5G5B5 to A8R8G8B8", A1R5G5B5, 2, A8R8G8B8, 4),
    OF("A2B10G10R10 to A8R8G8B8", A2B10G10R10, 4, A8R8G8B8, 4),
    OF("X8R8G8B8 to A8R8G8B8", X8R8G8B8, 4, A8R8G8B8, 4),
    OF("Y8 to A8R8G8B8", Y8, 1, A8R8G8B8, 4),
    OF("A8R8G8B8 to X8R8G8B8", A8R8G8B8, 4, X8R8G8B8, 4),
    OF("A8R8G8B8 to A2B10G10R10", A8R8G8B8, 4, A2B10G10R10, 4),
    OF("A8R8G8B8 to A1R5G5B5", A8R8G8B8, 4, A1R5G5B5, 2),
    OF("R5G6B5", R5G6B5, 2, R5G6B5, 2),
    OF("A2B10G10R10", A2B10G10R10, 4, A2B10G10R10, 4),
};

/* Texel x, y of the source: 2 x 2, or 256 x 2. */
static uint32_t texel(const Calibration *c, uint32_t x, uint32_t y)
{
    if (c->source == WEIGHTS) {
        return 0xffu << 8 * (2 * y + x);
    }
    x = y ? 255 - x * 7 % 256 : x;
    return x << 24 | (255 - x) << 16 | x / 2 << 8 | x * 3 % 256;
}

static void calibrate(SiliconTwin *t, const Calibration *c)
{
    uint32_t width = c->source == WEIGHTS ? 2 : c->source == RAMP ? 256 : 100;
    uint32_t height = c->source == NOISE ? 100 : 2;
    uint32_t pitch = pitch_of(width, c->src_bytes);
    g_autofree char *name = g_strdup_printf("twod bilinear %s", c->b.name);

    twod_begin(t);
    for (uint32_t i = 0; c->source != NOISE && i < width * height; i++) {
        uint64_t at = SRC_AT + i / width * pitch + i % width * 4;

        *rig_words(t->a, at) = texel(c, i % width, i / width);
        if (t->b) {
            *rig_words(t->b, at) = texel(c, i % width, i / width);
        }
    }
    surface(t->a, NV902D_SET_SRC_FORMAT, c->src, c->src_bytes, true, 0, width,
            height, SRC_AT);
    surface(t->a, NV902D_SET_DST_FORMAT, c->dst, c->dst_bytes, true, 0,
            c->b.width, c->b.height, 0);
    push_blit(t->a, &c->b, 0, 0);
    twod_run(t, name, pitch_of(c->b.width, c->dst_bytes), c->b.height, true);
}

static void run_twod(Silicon *s)
{
    SiliconTwin t;

    if (!twin_new(s, &t)) {
        twin_free(&t);
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(twod_formats); i++) {
        if (silicon_wanted(s, twod_formats[i].name)) {
            rectangle(&t, i, false);
            rectangle(&t, i, true);
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(blits); i++) {
        if (!silicon_wanted(s, blits[i].name)) {
            continue;
        }
        blit(&t, &blits[i], NV902D_FORMAT_A8R8G8B8, 4, NV902D_FORMAT_A8R8G8B8,
             4, "A8R8G8B8");
        blit(&t, &blits[i], NV902D_FORMAT_A8B8G8R8, 4, NV902D_FORMAT_R5G6B5, 2,
             "A8B8G8R8 to R5G6B5");
    }
    for (size_t i = 0; i < G_N_ELEMENTS(calibrations); i++) {
        if (silicon_wanted(s, calibrations[i].b.name)) {
            calibrate(&t, &calibrations[i]);
        }
    }
    twin_free(&t);
}

/* ---- Rectangles that are class errors ---- */

/* Each of them ends a channel: fewer than SILICON_FAULTS_MAX. */
static const struct {
    const char *name;
    uint32_t format, bytes;
} refused_formats[] = {
    { "A8RL8GL8BL8", NV902D_FORMAT_A8RL8GL8BL8, 4 },
    { "AN8BN8GN8RN8", NV902D_FORMAT_AN8BN8GN8RN8, 4 },
    { "G8R8", NV902D_FORMAT_G8R8, 2 },
    { "R16_G16", NV902D_FORMAT_R16_G16, 4 },
    { "RF16_GF16", NV902D_FORMAT_RF16_GF16, 4 },
    { "R16_G16_B16_A16", NV902D_FORMAT_R16_G16_B16_A16, 8 },
    { "RF16_GF16_BF16_AF16", NV902D_FORMAT_RF16_GF16_BF16_AF16, 8 },
    { "RF32_GF32", NV902D_FORMAT_RF32_GF32, 8 },
    { "RF32_GF32_BF32_AF32", NV902D_FORMAT_RF32_GF32_BF32_AF32, 16 },
};
G_STATIC_ASSERT(G_N_ELEMENTS(refused_formats) < SILICON_FAULTS_MAX);

/*
 * NULL: it refused the rectangle, and wrote nothing. A chip says that the first
 * point is wrong, the model what it is that makes it wrong.
 */
static const char *not_refused(SiliconRig *r, const uint8_t *before)
{
    uint32_t method = r->s->model ? NV902D_SET_DST_FORMAT
                                  : NV902D_RENDER_SOLID_PRIM_POINT_Y(0);

    if (rig_run(r)) {
        return "drawn";
    }
    if (r->fault.kind != VGSP_OWNER_FAULT_EXCEPTION) {
        return rig_why(r);
    }
    if (r->fault.valid & VGSP_OWNER_FAULT_HAS_METHOD &&
        r->fault.method != (TWOD << 16 | method)) {
        return rig_why(r);
    }
    return memcmp(before, r->mem, SIDE) ? "written before it was refused"
                                        : NULL;
}

/* Both sides refuse it, and draw the next one. */
static void refuse(SiliconTwin *t, size_t i)
{
    Silicon *s = t->a->s;
    g_autofree uint8_t *before = NULL;
    const char *here, *model = NULL;
    uint32_t count;

    push_rectangle(t, refused_formats[i].format, refused_formats[i].bytes,
                   false);
    before = g_memdup2(t->a->mem, SIDE);
    count = t->a->count;
    here = not_refused(t->a, before);
    if (t->b) {
        memcpy(t->b->words, t->a->words, count * 4);
        t->b->count = count;
        model = not_refused(t->b, before);
    }
    silicon_result(s, !here && !model, "refused rectangle %s: %s%s%s",
                   refused_formats[i].name, here ? here : "refused",
                   t->b ? "; the model: " : "",
                   !t->b ? "" : model ? model : "refused");
    if (rig_revive(t->a) && (!t->b || rig_revive(t->b))) {
        g_autofree char *name = g_strdup_printf(
            "refused rectangle %s: the next channel's",
            refused_formats[i].name);

        push_rectangle(t, NV902D_FORMAT_A8R8G8B8, 4, false);
        twin_run(t, SIDE, name);
    }
}

static void run_refused(Silicon *s)
{
    SiliconTwin t;
    bool ok = twin_new(s, &t);

    for (size_t i = 0; ok && i < G_N_ELEMENTS(refused_formats); i++) {
        if (silicon_wanted(s, refused_formats[i].name)) {
            refuse(&t, i);
        }
    }
    twin_free(&t);
}

/* ---- Clears ---- */

#define THREED 0

static const struct {
    const char *name;
    uint32_t format, bytes;
} target_formats[] = {
    { "A8B8G8R8", NV902D_FORMAT_A8B8G8R8, 4 },
    { "A8R8G8B8", NV902D_FORMAT_A8R8G8B8, 4 },
    { "A8BL8GL8RL8", NV902D_FORMAT_A8BL8GL8RL8, 4 },
    { "AN8BN8GN8RN8", NV902D_FORMAT_AN8BN8GN8RN8, 4 },
    { "A2B10G10R10", NV902D_FORMAT_A2B10G10R10, 4 },
    { "BF10GF11RF11", NV902D_FORMAT_BF10GF11RF11, 4 },
    { "R5G6B5", NV902D_FORMAT_R5G6B5, 2 },
    { "R16_G16", NV902D_FORMAT_R16_G16, 4 },
    { "RN16_GN16", NV902D_FORMAT_RN16_GN16, 4 },
    { "RF16", NV902D_FORMAT_RF16, 2 },
    { "RF16_GF16_BF16_AF16", NV902D_FORMAT_RF16_GF16_BF16_AF16, 8 },
    { "R16_G16_B16_A16", NV902D_FORMAT_R16_G16_B16_A16, 8 },
    { "RF32", NV902D_FORMAT_RF32, 4 },
    { "RF32_GF32_BF32_AF32", NV902D_FORMAT_RF32_GF32_BF32_AF32, 16 },
    { "G8R8", NV902D_FORMAT_G8R8, 2 },
    { "RU32", NVC597_FORMAT_RU32, 4 },
    { "RS16_GS16", NVC597_FORMAT_RS16_GS16, 4 },
    { "AU8BU8GU8RU8", NVC597_FORMAT_AU8BU8GU8RU8, 4 },
    { "AU2BU10GU10RU10", NVC597_FORMAT_AU2BU10GU10RU10, 4 },
    { "RS8", NVC597_FORMAT_RS8, 1 },
};

static void target(SiliconRig *r, uint32_t format, bool pitch, uint32_t width,
                   uint32_t bytes, uint32_t height)
{
    rig_push_address(r, THREED, NVC597_SET_COLOR_TARGET_A(0),
                     RIG_VIEW(pitch ? KIND_PITCH : KIND_GENERIC));
    rig_push(r, THREED, NVC597_SET_COLOR_TARGET_WIDTH(0),
             pitch ? (uint32_t)VGSP_ALIGN_UP(width * bytes, 256) : width);
    rig_push(r, THREED, NVC597_SET_COLOR_TARGET_HEIGHT(0), height);
    rig_push(r, THREED, NVC597_SET_COLOR_TARGET_FORMAT(0), format);
    rig_push(r, THREED, NVC597_SET_COLOR_TARGET_MEMORY(0),
             (uint32_t)(VGSP_SET(NVC597_SET_COLOR_TARGET_MEMORY_LAYOUT, pitch) |
                        VGSP_SET(NVC597_SET_COLOR_TARGET_MEMORY_BLOCK_HEIGHT,
                                 pitch ? 0 : 1)));
    rig_push(r, THREED, NVC597_SET_COLOR_TARGET_MEMORY(0) + 4, 1);
    rig_push(r, THREED, NVC597_SET_COLOR_TARGET_ARRAY_PITCH(0), 0);
    rig_push(r, THREED, NVC597_SET_COLOR_TARGET_LAYER(0), 0);
}

static void clear_limits(SiliconRig *r, uint32_t x0, uint32_t x1, uint32_t y0,
                         uint32_t y1)
{
    rig_push(r, THREED, NVC597_SET_SURFACE_CLIP_HORIZONTAL, 4096u << 16);
    rig_push(r, THREED, NVC597_SET_SURFACE_CLIP_VERTICAL, 4096u << 16);
    rig_push(r, THREED, NVC597_SET_ANTI_ALIAS, 0);
    rig_push(r, THREED, NVC597_SET_CLEAR_RECT_HORIZONTAL, x1 << 16 | x0);
    rig_push(r, THREED, NVC597_SET_CLEAR_RECT_VERTICAL, y1 << 16 | y0);
    rig_push(r, THREED, NVC597_SET_CLEAR_SURFACE_CONTROL,
             NVC597_SET_CLEAR_SURFACE_CONTROL_USE_CLEAR_RECT);
}

static void clear_color(SiliconTwin *t, size_t i, bool pitch)
{
    static const float floats[] = { 0.7f, 0.3f, 0.9f, 0.4f };
    static const uint32_t ints[] = { 0x12345678, 77, 0xfffffff0, 3 };
    uint32_t format = target_formats[i].format, value[4];
    bool whole = format == NVC597_FORMAT_RU32 ||
                 format == NVC597_FORMAT_RS16_GS16 ||
                 format == NVC597_FORMAT_AU8BU8GU8RU8 ||
                 format == NVC597_FORMAT_AU2BU10GU10RU10 ||
                 format == NVC597_FORMAT_RS8;
    g_autofree char *name = g_strdup_printf(
        "clears %s%s", target_formats[i].name, pitch ? ", pitch" : "");

    memcpy(value, whole ? (const void *)ints : floats, sizeof(value));
    twin_begin(t, SIDE);
    target(t->a, format, pitch, 128, target_formats[i].bytes, 64);
    clear_limits(t->a, 5, 117, 3, 50);
    for (unsigned c = 0; c < 4; c++) {
        rig_push(t->a, THREED, NVC597_SET_COLOR_CLEAR_VALUE(c), value[c]);
    }
    rig_push(t->a, THREED, NVC597_CLEAR_SURFACE,
             (uint32_t)VGSP_SET(NVC597_CLEAR_SURFACE_RGBA, 0xf));
    twin_run(t, SIDE, name);
}

static const struct {
    const char *name;
    uint32_t format, what, kind;
} zeta_clears[] = {
    { "ZF32", NVC597_SET_ZT_FORMAT_V_ZF32, 1, KIND_GENERIC },
    { "Z16", NVC597_SET_ZT_FORMAT_V_Z16, 1, KIND_Z16 },
    { "Z24S8 depth", NVC597_SET_ZT_FORMAT_V_Z24S8, 1, KIND_Z24S8 },
    { "Z24S8 stencil", NVC597_SET_ZT_FORMAT_V_Z24S8, 2, KIND_Z24S8 },
    { "S8Z24 both", NVC597_SET_ZT_FORMAT_V_S8Z24, 3, KIND_S8Z24 },
    { "ZF32_X24S8 both", NVC597_SET_ZT_FORMAT_V_ZF32_X24S8, 3,
      KIND_ZF32_X24S8 },
};

static void clear_zeta(SiliconTwin *t, size_t i)
{
    const float depth = 0.3f;
    uint32_t word;
    SiliconRig *r = t->a;
    g_autofree char *name = g_strdup_printf("clears %s", zeta_clears[i].name);

    memcpy(&word, &depth, sizeof(word));
    twin_begin(t, SIDE);
    /* Of one value, for the kind may exchange bytes. */
    memset(r->mem, 0xee, SIDE);
    if (t->b) {
        memset(t->b->mem, 0xee, SIDE);
    }
    t->permuted = true;
    clear_limits(r, 5, 117, 3, 50);
    rig_push(r, THREED, NVC597_SET_COLOR_TARGET_FORMAT(0), 0);
    rig_push_address(r, THREED, NVC597_SET_ZT_A,
                     RIG_VIEW(zeta_clears[i].kind));
    rig_push(r, THREED, NVC597_SET_ZT_FORMAT, zeta_clears[i].format);
    rig_push(r, THREED, NVC597_SET_ZT_BLOCK_SIZE,
             (uint32_t)VGSP_SET(NVC597_SET_ZT_BLOCK_SIZE_HEIGHT, 1));
    rig_push(r, THREED, NVC597_SET_ZT_ARRAY_PITCH, 0);
    rig_push(r, THREED, NVC597_SET_ZT_SIZE_A, 128);
    rig_push(r, THREED, NVC597_SET_ZT_SIZE_B, 64);
    rig_push(r, THREED, NVC597_SET_ZT_SIZE_B + 4, 1u << 16 | 1);
    rig_push(r, THREED, NVC597_SET_ZT_SELECT, 1);
    rig_push(r, THREED, NVC597_SET_ZT_LAYER, 0);
    rig_push(r, THREED, NVC597_SET_Z_CLEAR_VALUE, word);
    rig_push(r, THREED, NVC597_SET_STENCIL_CLEAR_VALUE, 0x5a);
    rig_push(r, THREED, NVC597_CLEAR_SURFACE, zeta_clears[i].what);
    twin_run(t, SIDE, name);
}

static void run_clears(Silicon *s)
{
    SiliconTwin t;

    if (!twin_new(s, &t)) {
        twin_free(&t);
        return;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(target_formats); i++) {
        if (silicon_wanted(s, target_formats[i].name)) {
            clear_color(&t, i, true);
            clear_color(&t, i, false);
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(zeta_clears); i++) {
        if (silicon_wanted(s, zeta_clears[i].name)) {
            clear_zeta(&t, i);
        }
    }
    twin_free(&t);
}

const SiliconGroup silicon_upload = { "upload", run_upload, false };
const SiliconGroup silicon_twod = { "twod", run_twod, false };
const SiliconGroup silicon_clears = { "clears", run_clears, false };
const SiliconGroup silicon_refused = { "refused", run_refused, true };
