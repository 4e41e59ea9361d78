/*
 * Sampled images: formats, filters, address modes, levels, arrays, cubes,
 * three dimensions, gathers and depth comparison.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders.h"

enum { POINTS = 512 };

#define USAGE (VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT)
#define SAMPLED_LAYOUT VK_IMAGE_LAYOUT_GENERAL

/* A texture of four floats a texel, on the CPU. */
typedef struct Texture {
    uint32_t size[3], levels, layers;
    float *level[8];
} Texture;

static size_t level_texels(const Texture *x, uint32_t level)
{
    return (size_t)at_level(x->size[0], level) * at_level(x->size[1], level) *
        at_level(x->size[2], level) * x->layers;
}

/* 8-bit texels, as the device gets them, and as they are sampled. */
static Img texture_new(T *t, Texture *x, VkImageType type,
                       VkImageViewType view, uint32_t seed)
{
    VkExtent3D extent = { x->size[0], x->size[1], x->size[2] };
    Img img = img_new(t, type, VK_FORMAT_R8G8B8A8_UNORM, extent, x->levels,
                      x->layers, USAGE, view);

    for (uint32_t l = 0; l < x->levels; l++) {
        size_t n = level_texels(x, l) * 4;
        uint8_t *data = malloc(n);

        x->level[l] = malloc(n * sizeof(float));
        for (size_t i = 0; i < n; i++) {
            data[i] = rnd(&seed) >> 9;
            x->level[l][i] = data[i] / 255.0f;
        }
        img_upload(t, &img, l, data, n, SAMPLED_LAYOUT);
        free(data);
    }
    return img;
}

static void texture_free(Texture *x)
{
    for (uint32_t l = 0; l < x->levels; l++) {
        free(x->level[l]);
    }
}

/* The texel that an address mode gives; -1 is the border. */
static int wrap(int i, int size, VkSamplerAddressMode mode)
{
    int period;

    switch (mode) {
    case VK_SAMPLER_ADDRESS_MODE_REPEAT:
        return (i % size + size) % size;
    case VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT:
        period = (i % (2 * size) + 2 * size) % (2 * size);
        return period < size ? period : 2 * size - 1 - period;
    case VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE:
        return i < 0 ? 0 : i >= size ? size - 1 : i;
    default:
        return i < 0 || i >= size ? -1 : i;
    }
}

typedef struct Sampling {
    VkFilter filter;
    VkSamplerAddressMode mode;
    float border[4];
} Sampling;

/* One level of one layer; u is normalized, of dims dimensions. */
static void sample_level(const Texture *x, const Sampling *s, int dims,
                         const float *u, uint32_t level, uint32_t layer,
                         double out[4])
{
    int base[3] = { 0 }, size[3];
    double part[3] = { 0 };
    bool linear = s->filter == VK_FILTER_LINEAR;

    for (int d = 0; d < 3; d++) {
        size[d] = at_level(x->size[d], level);
        if (d < dims) {
            double p = (double)u[d] * size[d] - (linear ? 0.5 : 0);

            base[d] = (int)floor(p);
            part[d] = linear ? p - base[d] : 0;
        }
    }
    memset(out, 0, 4 * sizeof(*out));
    for (int corner = 0; corner < 1 << dims; corner++) {
        const float *texel = s->border;
        double weight = 1;
        int at[3] = { 0 };
        bool border = false;

        for (int d = 0; d < dims; d++) {
            int one = corner >> d & 1;

            weight *= one ? part[d] : 1 - part[d];
            at[d] = wrap(base[d] + one, size[d], s->mode);
            border |= at[d] < 0;
        }
        if (!border) {
            texel = x->level[level] +
                (((layer * size[2] + at[2]) * (size_t)size[1] + at[1]) *
                 size[0] + at[0]) * 4;
        }
        for (int c = 0; c < 4 && weight; c++) {
            out[c] += weight * texel[c];
        }
    }
}

/*
 * Between -1 and 2 where modes show, and never so near to an edge between
 * texels that rounding of the coordinate could choose: a tenth of a texel.
 */
static float coordinate(uint32_t *state, uint32_t size, bool wide)
{
    int span = wide ? 3 * size : size, first = wide ? -(int)size : 0;
    int texel = first + (int)(rnd(state) % span);

    return (texel + 0.1f + 0.8f * (rnd(state) >> 8) * 0x1p-24f) / size;
}

/*
 * Filters work with fractions of at least 8 bits (subTexelPrecisionBits),
 * each of which may be off by one: 2^-8 of the range a dimension, and the
 * texels of 8 bits as much again.
 */
static Tol filter_tol(const Sampling *s, int dims)
{
    return s->filter == VK_FILTER_NEAREST ? (Tol) { 0, 0x1p-20 }
                                          : (Tol) { 0, (dims + 1) * 0x1p-8 };
}

static void run_samples(T *t, Shader shader, VkImageView view, VkSampler s,
                        const char *what, const float *points,
                        const double *want, Tol tol)
{
    uint32_t n = POINTS;
    Buf in = buf_of(t, points, POINTS * 16), out = buf_new(t, POINTS * 16);

    dispatch(t, shader, (Bind[]) { TEXTURE(view, s), SSBO(in), SSBO(out) }, 3,
             &n, 4, NULL, POINTS / 64, 1, 1);
    check_f32(t, what, out.map, want, POINTS * 4, tol);
}

static void one_filter(T *t, Shader shader, const Img *img, const Texture *x,
                       int dims, const Sampling *s, const char *what)
{
    static float points[POINTS * 4];
    static double want[POINTS * 4];
    VkSampler sampler = sampler_new(
        t, s->filter, VK_SAMPLER_MIPMAP_MODE_NEAREST, s->mode,
        s->border[0] ? VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE
                     : VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK);
    uint32_t state = 71 + dims;

    for (int i = 0; i < POINTS; i++) {
        float *p = points + i * 4;
        uint32_t layer = 0, level = i % x->levels;

        for (int d = 0; d < 3; d++) {
            p[d] = coordinate(&state, at_level(x->size[d], level), true);
        }
        if (x->layers > 1) {
            /* Out of range is the nearest layer. */
            int l = (int)(rnd(&state) % (x->layers + 4)) - 2;

            p[2] = l + 0.3f;
            layer = wrap(l, x->layers,
                         VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
        }
        p[3] = level;
        sample_level(x, s, dims, p, level, layer, want + i * 4);
    }
    run_samples(t, shader, img->view, sampler, what, points, want,
                filter_tol(s, dims));
}

static const struct {
    VkSamplerAddressMode mode;
    float border;
} modes[] = {
    { VK_SAMPLER_ADDRESS_MODE_REPEAT, 0 },
    { VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, 0 },
    { VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0 },
    { VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, 0 },
    { VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER, 1 },
};

static void filters(T *t, Shader shader, VkImageType type,
                    VkImageViewType view, int dims, Texture x, bool all)
{
    Img img = texture_new(t, &x, type, view, dims + x.layers);
    char what[64];

    for (int linear = 0; linear < 2; linear++) {
        for (size_t m = 0; m < (all ? ARRAY_SIZE(modes) : 1); m++) {
            float b = modes[m].border;
            Sampling s = { linear ? VK_FILTER_LINEAR : VK_FILTER_NEAREST,
                           modes[m].mode, { b, b, b, b } };

            snprintf(what, sizeof(what), "%s, mode %d",
                     linear ? "linear" : "nearest", s.mode);
            one_filter(t, shader, &img, &x, dims, &s, what);
        }
    }
    texture_free(&x);
}

static void sample_1d(T *t)
{
    filters(t, sh_sample1d, VK_IMAGE_TYPE_1D, VK_IMAGE_VIEW_TYPE_1D, 1,
            (Texture) { { 67, 1, 1 }, 1, 1 }, false);
}

static void sample_2d(T *t)
{
    filters(t, sh_sample2d, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 2,
            (Texture) { { 32, 24, 1 }, 1, 1 }, true);
}

static void sample_levels(T *t)
{
    filters(t, sh_sample2d, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 2,
            (Texture) { { 45, 29, 1 }, 5, 1 }, false);
}

static void sample_3d(T *t)
{
    filters(t, sh_sample3d, VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_3D, 3,
            (Texture) { { 16, 12, 9 }, 1, 1 }, false);
}

static void sample_array(T *t)
{
    filters(t, sh_samplearray, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
            2, (Texture) { { 19, 23, 1 }, 1, 5 }, false);
}

/* Between levels, linearly. The fraction has 8 bits (mipmapPrecisionBits). */
static void sample_between_levels(T *t)
{
    static float points[POINTS * 4];
    static double want[POINTS * 4];
    Sampling s = { VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, { 0 } };
    Texture x = { { 32, 32, 1 }, 6, 1 };
    Img img = texture_new(t, &x, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 5);
    VkSampler sampler = sampler_new(t, s.filter,
                                    VK_SAMPLER_MIPMAP_MODE_LINEAR, s.mode, 0);
    uint32_t state = 73;

    for (int i = 0; i < POINTS; i++) {
        float *p = points + i * 4;
        double a[4], b[4];
        uint32_t level;

        p[0] = coordinate(&state, 32, false);
        p[1] = coordinate(&state, 32, false);
        p[3] = (rnd(&state) >> 8) * 0x1p-24f * 7 - 1;
        level = p[3] < 0 ? 0 : p[3] > 5 ? 5 : (uint32_t)p[3];
        sample_level(&x, &s, 2, p, level, 0, a);
        sample_level(&x, &s, 2, p, level < 5 ? level + 1 : 5, 0, b);
        for (int c = 0; c < 4; c++) {
            double part = p[3] < 0 || p[3] > 5 ? 0 : p[3] - level;

            want[i * 4 + c] = a[c] + (b[c] - a[c]) * part;
        }
    }
    run_samples(t, sh_sample2d, img.view, sampler, "levels", points, want,
                (Tol) { 0, 0x1p-7 });
    texture_free(&x);
}

/* The six faces, by their major axes (Vulkan, "Cube Map Face Selection"). */
static void sample_cube(T *t)
{
    static float points[POINTS * 4];
    static double want[POINTS * 4];
    Sampling s = { VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                   { 0 } };
    Texture x = { { 16, 16, 1 }, 1, 6 };
    Img img = texture_new(t, &x, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_CUBE,
                          7);
    VkSampler sampler = sampler_new(t, s.filter,
                                    VK_SAMPLER_MIPMAP_MODE_NEAREST, s.mode,
                                    0);
    uint32_t state = 75;

    for (int i = 0; i < POINTS; i++) {
        uint32_t face = rnd(&state) % 6;
        float *p = points + i * 4, u[2];
        float scale = 0.5f + (rnd(&state) & 7), a, b;

        u[0] = coordinate(&state, 16, false);
        u[1] = coordinate(&state, 16, false);
        a = u[0] * 2 - 1;
        b = u[1] * 2 - 1;
        memcpy(p, face == 0 ? (float[]) { 1, -b, -a, 0 }
               : face == 1 ? (float[]) { -1, -b, a, 0 }
               : face == 2 ? (float[]) { a, 1, b, 0 }
               : face == 3 ? (float[]) { a, -1, -b, 0 }
               : face == 4 ? (float[]) { a, -b, 1, 0 }
                           : (float[]) { -a, -b, -1, 0 }, 16);
        for (int d = 0; d < 3; d++) {
            p[d] *= scale;
        }
        sample_level(&x, &s, 2, u, 0, face, want + i * 4);
    }
    run_samples(t, sh_samplecube, img.view, sampler, "faces", points, want,
                filter_tol(&s, 2));
    texture_free(&x);
}

/* ---- Formats, by texelFetch ---- */

typedef struct Format {
    VkFormat format;
    const Shader *shader;
    uint32_t size;
    /* What four components a texel has, as floats or integers. */
    void (*decode)(const uint8_t *texel, uint32_t out[4]);
} Format;

static void put_float(uint32_t *o, float f)
{
    memcpy(o, &f, 4);
}

static uint32_t half_at(const uint8_t *p)
{
    return p[0] | p[1] << 8;
}

static uint32_t word_at(const uint8_t *p)
{
    uint32_t v;

    memcpy(&v, p, 4);
    return v;
}

static void decode_r8(const uint8_t *p, uint32_t o[4])
{
    put_float(&o[0], p[0] / 255.0f);
    o[1] = o[2] = 0;
    put_float(&o[3], 1);
}

static void decode_rgba8(const uint8_t *p, uint32_t o[4])
{
    for (int c = 0; c < 4; c++) {
        put_float(&o[c], p[c] / 255.0f);
    }
}

static void decode_bgra8(const uint8_t *p, uint32_t o[4])
{
    decode_rgba8((uint8_t[]) { p[2], p[1], p[0], p[3] }, o);
}

static void decode_rgba8_snorm(const uint8_t *p, uint32_t o[4])
{
    for (int c = 0; c < 4; c++) {
        put_float(&o[c], fmaxf((int8_t)p[c] / 127.0f, -1));
    }
}

static double from_srgb(double v)
{
    return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static void decode_srgb(const uint8_t *p, uint32_t o[4])
{
    for (int c = 0; c < 4; c++) {
        put_float(&o[c], c < 3 ? from_srgb(p[c] / 255.0) : p[c] / 255.0);
    }
}

static void decode_rg16(const uint8_t *p, uint32_t o[4])
{
    put_float(&o[0], half_at(p) / 65535.0f);
    put_float(&o[1], half_at(p + 2) / 65535.0f);
    o[2] = 0;
    put_float(&o[3], 1);
}

static void decode_r16f(const uint8_t *p, uint32_t o[4])
{
    put_float(&o[0], from_half(half_at(p)));
    o[1] = o[2] = 0;
    put_float(&o[3], 1);
}

static void decode_rgb10a2(const uint8_t *p, uint32_t o[4])
{
    uint32_t v = word_at(p);

    for (int c = 0; c < 3; c++) {
        put_float(&o[c], (v >> (10 * c) & 1023) / 1023.0f);
    }
    put_float(&o[3], (v >> 30) / 3.0f);
}

static void decode_r5g6b5(const uint8_t *p, uint32_t o[4])
{
    uint32_t v = half_at(p);

    put_float(&o[0], (v >> 11) / 31.0f);
    put_float(&o[1], (v >> 5 & 63) / 63.0f);
    put_float(&o[2], (v & 31) / 31.0f);
    put_float(&o[3], 1);
}

static void decode_b10g11r11(const uint8_t *p, uint32_t o[4])
{
    uint32_t v = word_at(p);

    put_float(&o[0], from_half((v & 0x7ff) << 4));
    put_float(&o[1], from_half((v >> 11 & 0x7ff) << 4));
    put_float(&o[2], from_half((v >> 22) << 5));
    put_float(&o[3], 1);
}

static void decode_e5b9g9r9(const uint8_t *p, uint32_t o[4])
{
    uint32_t v = word_at(p);

    for (int c = 0; c < 3; c++) {
        put_float(&o[c], ldexp(v >> (9 * c) & 511, (int)(v >> 27) - 24));
    }
    put_float(&o[3], 1);
}

static void decode_rgba32f(const uint8_t *p, uint32_t o[4])
{
    memcpy(o, p, 16);
}

static void decode_rgba8ui(const uint8_t *p, uint32_t o[4])
{
    for (int c = 0; c < 4; c++) {
        o[c] = p[c];
    }
}

static void decode_rg32ui(const uint8_t *p, uint32_t o[4])
{
    memcpy(o, p, 8);
    o[2] = 0;
    o[3] = 1;
}

static void decode_rgba16i(const uint8_t *p, uint32_t o[4])
{
    for (int c = 0; c < 4; c++) {
        o[c] = (int16_t)half_at(p + 2 * c);
    }
}

static const Format fetch_formats[] = {
    { VK_FORMAT_R8_UNORM, &sh_fetch_float, 1, decode_r8 },
    { VK_FORMAT_R8G8B8A8_UNORM, &sh_fetch_float, 4, decode_rgba8 },
    { VK_FORMAT_B8G8R8A8_UNORM, &sh_fetch_float, 4, decode_bgra8 },
    { VK_FORMAT_R8G8B8A8_SNORM, &sh_fetch_float, 4, decode_rgba8_snorm },
    { VK_FORMAT_R8G8B8A8_SRGB, &sh_fetch_float, 4, decode_srgb },
    { VK_FORMAT_R16G16_UNORM, &sh_fetch_float, 4, decode_rg16 },
    { VK_FORMAT_R16_SFLOAT, &sh_fetch_float, 2, decode_r16f },
    { VK_FORMAT_A2B10G10R10_UNORM_PACK32, &sh_fetch_float, 4,
      decode_rgb10a2 },
    { VK_FORMAT_R5G6B5_UNORM_PACK16, &sh_fetch_float, 2, decode_r5g6b5 },
    { VK_FORMAT_B10G11R11_UFLOAT_PACK32, &sh_fetch_float, 4,
      decode_b10g11r11 },
    { VK_FORMAT_E5B9G9R9_UFLOAT_PACK32, &sh_fetch_float, 4,
      decode_e5b9g9r9 },
    { VK_FORMAT_R32G32B32A32_SFLOAT, &sh_fetch_float, 16, decode_rgba32f },
    { VK_FORMAT_R8G8B8A8_UINT, &sh_fetch_uint, 4, decode_rgba8ui },
    { VK_FORMAT_R32G32_UINT, &sh_fetch_uint, 8, decode_rg32ui },
    { VK_FORMAT_R16G16B16A16_SINT, &sh_fetch_int, 8, decode_rgba16i },
};

/* A texel that is a number: floats of all ones would be NaN. */
static void random_texel(const Format *f, uint8_t *p, uint32_t *state)
{
    for (uint32_t i = 0; i < f->size; i++) {
        p[i] = rnd(state) >> 13;
    }
    if (f->decode == decode_r16f) {
        p[1] = (p[1] & 0x83) | 0x38;
    } else if (f->decode == decode_b10g11r11) {
        uint32_t v = (word_at(p) & ~0xf83e0f00u) | 0x701c0700;

        /* Exponents of 14 in each of the three. */
        v = (v & ~(31u << 6 | 31u << 17 | 31u << 27)) | 14u << 6 |
            14u << 17 | 14u << 27;
        memcpy(p, &v, 4);
    } else if (f->decode == decode_rgba32f) {
        for (int c = 0; c < 4; c++) {
            put_float((uint32_t *)p + c, (int32_t)word_at(p + 4 * c) *
                      0x1p-16f);
        }
    }
}

static void one_format(T *t, const Format *f)
{
    enum { W = 21, H = 13, LEVELS = 3 };
    const VkExtent3D extent = { W, H, 1 };
    VkImageFormatProperties props;
    uint32_t first = 0, state = f->format;
    uint8_t data[W * H * 16];
    uint32_t want[(W * H * 2 + LEVELS) * 4] = { 0 };
    double real[ARRAY_SIZE(want)];
    Buf out = buf_new(t, sizeof(want));
    VkSampler s = sampler_new(t, VK_FILTER_NEAREST,
                              VK_SAMPLER_MIPMAP_MODE_NEAREST,
                              VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    char what[32];
    Img img;

    if (vkGetPhysicalDeviceImageFormatProperties(
            t->g->phys, f->format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
            USAGE, 0, &props) != VK_SUCCESS) {
        return;
    }
    img = img_new(t, VK_IMAGE_TYPE_2D, f->format, extent, LEVELS, 1, USAGE,
                  VK_IMAGE_VIEW_TYPE_2D);
    for (uint32_t l = 0; l < LEVELS; l++) {
        uint32_t w = at_level(W, l), h = at_level(H, l);

        for (uint32_t i = 0; i < w * h; i++) {
            random_texel(f, data + i * f->size, &state);
            f->decode(data + i * f->size, want + (first + i) * 4);
        }
        first += w * h;
        memcpy(want + first * 4, (uint32_t[]) { w, h, LEVELS, 0 }, 16);
        first++;
        img_upload(t, &img, l, data, w * h * f->size, SAMPLED_LAYOUT);
    }
    first = 0;
    for (uint32_t l = 0; l < LEVELS; l++) {
        uint32_t w = at_level(W, l), h = at_level(H, l);
        uint32_t push[4] = { l, w, h, first };

        dispatch(t, *f->shader, (Bind[]) { TEXTURE(img.view, s), SSBO(out) },
                 2, push, 16, NULL, (w + 7) / 8, (h + 7) / 8, 1);
        first += w * h + 1;
    }
    snprintf(what, sizeof(what), "format %d", f->format);
    if (f->shader != &sh_fetch_float) {
        check_u32(t, what, out.map, want, first * 4);
        return;
    }
    /* Sizes, which are integers, are tiny as floats. */
    for (uint32_t i = 0; i < first * 4; i++) {
        float v;

        memcpy(&v, &want[i], 4);
        real[i] = v;
    }
    /*
     * Normalized: 1.5 ulp of the division. sRGB: 2^-8, and 5:6:5 by way of 8
     * bits (GH100 does both).
     */
    check_f32(t, what, out.map, real, first * 4,
              f->decode == decode_srgb ? (Tol) { 0, 0x1p-8 }
              : f->format == VK_FORMAT_R5G6B5_UNORM_PACK16 ||
                f->format == VK_FORMAT_B5G6R5_UNORM_PACK16
                                       ? (Tol) { 0, 1.0 / 255 }
                                       : (Tol) { 1.5, 0 });
}

static void fetch_all_formats(T *t)
{
    for (size_t i = 0; i < ARRAY_SIZE(fetch_formats); i++) {
        one_format(t, &fetch_formats[i]);
    }
}

/* ---- Gathers, offsets, depth ---- */

static void gathers(T *t)
{
    enum { SIZE = 32 };
    static float points[POINTS * 4], depths[SIZE * SIZE];
    static double want[POINTS * 16];
    Sampling s = { VK_FILTER_NEAREST, VK_SAMPLER_ADDRESS_MODE_REPEAT, { 0 } };
    Texture x = { { SIZE, SIZE, 1 }, 1, 1 };
    Img img = texture_new(t, &x, VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, 9);
    Img depth = img_new(t, VK_IMAGE_TYPE_2D, VK_FORMAT_D32_SFLOAT,
                        (VkExtent3D) { SIZE, SIZE, 1 }, 1, 1, USAGE,
                        VK_IMAGE_VIEW_TYPE_2D);
    VkSampler sampler = sampler_new(t, s.filter,
                                    VK_SAMPLER_MIPMAP_MODE_NEAREST, s.mode,
                                    0);
    VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .addressModeU = s.mode, .addressModeV = s.mode,
        .addressModeW = s.mode,
        .compareEnable = VK_TRUE, .compareOp = VK_COMPARE_OP_LESS,
    };
    VkSampler compare;
    uint32_t state = 77;
    Buf in, out = buf_new(t, POINTS * 64);

    for (int i = 0; i < SIZE * SIZE; i++) {
        depths[i] = (rnd(&state) >> 8) * 0x1p-24f;
    }
    img_upload(t, &depth, 0, depths, sizeof(depths), SAMPLED_LAYOUT);
    for (int i = 0; i < POINTS; i++) {
        static const int order[4][2] = { { 0, 1 }, { 1, 1 }, { 1, 0 },
                                         { 0, 0 } };
        float *p = points + i * 4, moved[2];
        double *w = want + i * 16;
        int at[2], near[2];

        for (int d = 0; d < 2; d++) {
            /* A gather's four texels change in the middle of a texel. */
            p[d] = (rnd(&state) % SIZE + (rnd(&state) & 1 ? 0.25f : 0.75f)) /
                SIZE;
            at[d] = (int)floorf(p[d] * SIZE - 0.5f);
            near[d] = (int)floorf(p[d] * SIZE);
        }
        p[2] = (rnd(&state) >> 8) * 0x1p-24f;
        for (int c = 0; c < 4; c++) {
            int tx = wrap(at[0] + order[c][0], SIZE, s.mode);
            int ty = wrap(at[1] + order[c][1], SIZE, s.mode);

            w[c] = x.level[0][(ty * SIZE + tx) * 4];
            w[4 + c] = x.level[0][(ty * SIZE + tx) * 4 + 2];
        }
        moved[0] = p[0] + 1.0f / SIZE;
        moved[1] = p[1] - 2.0f / SIZE;
        sample_level(&x, &s, 2, moved, 0, 0, w + 8);
        w[12] = p[2] < depths[near[1] * SIZE + near[0]];
    }
    VK(t, vkCreateSampler(t->g->dev, &info, NULL, &compare));
    in = buf_of(t, points, sizeof(points));
    dispatch(t, sh_gather, (Bind[]) {
        TEXTURE(img.view, sampler), TEXTURE(depth.view, compare), SSBO(in),
        SSBO(out)
    }, 4, NULL, 0, NULL, POINTS / 64, 1, 1);
    vkDestroySampler(t->g->dev, compare, NULL);
    check_f32(t, "gathers", out.map, want, POINTS * 16,
              (Tol) { 0, 0x1p-20 });
    texture_free(&x);
}

const Test texture_tests[] = {
    { "sample-1d", sample_1d },
    { "sample-2d", sample_2d },
    { "sample-levels", sample_levels },
    { "sample-3d", sample_3d },
    { "sample-array", sample_array },
    { "sample-between-levels", sample_between_levels },
    { "sample-cube", sample_cube },
    { "fetch-formats", fetch_all_formats },
    { "gathers", gathers },
    { 0 }
};
