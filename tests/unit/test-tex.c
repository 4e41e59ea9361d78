/*
 * The texture unit of the model against vectors derived by hand from NVIDIA's
 * clc597tex.h, the formats' definitions and Mesa's nil.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/space.h"
#include "model/tex.h"

#define BASE UINT64_C(0x10000)

static uint32_t f2u(float f)
{
    uint32_t u;

    memcpy(&u, &f, sizeof(u));
    return u;
}

static float u2f(uint32_t u)
{
    float f;

    memcpy(&f, &u, sizeof(f));
    return f;
}

/* ---- Headers as a driver writes them ---- */

static void set(uint32_t w[8], unsigned hi, unsigned lo, uint32_t v)
{
    for (unsigned b = lo; b <= hi; b++) {
        w[b / 32] &= ~(1u << b % 32);
        w[b / 32] |= (v >> (b - lo) & 1) << b % 32;
    }
}

typedef struct Spec {
    unsigned format, type;
    unsigned dim, width, height, depth, levels;
    unsigned tile_height, tile_depth, tile_width;
    unsigned pitch;             /* 0: block-linear */
    unsigned samples;
    const char *swizzle;        /* sources: RGBA, 0, 1 (ONE_FLOAT) */
    bool srgb;
} Spec;

static void header(uint32_t w[8], const Spec *s)
{
    memset(w, 0, 32);
    set(w, 6, 0, s->format);
    for (unsigned i = 0; i < 4; i++) {
        static const char codes[] = "0?RGBA?1";

        set(w, 9 + 3 * i, 7 + 3 * i, s->type);
        set(w, 21 + 3 * i, 19 + 3 * i,
            (uint32_t)(strchr(codes, s->swizzle[i]) - codes));
    }
    w[1] = (uint32_t)BASE;
    set(w, 80, 64, BASE >> 32);
    if (s->dim == VGSP_TEX_BUFFER) {
        set(w, 111, 96, (s->width - 1) >> 16);
        set(w, 143, 128, (s->width - 1) & 0xffff);
        set(w, 154, 151, s->dim);
        return;
    }
    if (s->pitch) {
        set(w, 87, 85, 2);
        set(w, 111, 96, s->pitch >> 5);
    } else {
        set(w, 87, 85, 3);
        set(w, 101, 99, s->tile_height);
        set(w, 104, 102, s->tile_depth);
        set(w, 108, 106, s->tile_width);
    }
    set(w, 127, 124, s->levels - 1);
    set(w, 144, 128, s->width - 1);
    set(w, 175, 160, (s->height - 1) & 0xffff);
    set(w, 146, 146, (s->height - 1) >> 16);
    set(w, 189, 176, (s->depth - 1) & 0x3fff);
    set(w, 145, 145, (s->depth - 1) >> 14);
    set(w, 150, 150, s->srgb);
    set(w, 154, 151, s->dim);
    set(w, 191, 191, 1);
    set(w, 231, 228, s->levels - 1);
    set(w, 235, 232, s->samples);
}

static VgspTexImage image(const Spec *s)
{
    VgspTexImage t;
    uint32_t w[8];

    header(w, s);
    g_assert_true(vgsp_tex_image_decode(w, &t));
    return t;
}

static void test_header(void)
{
    Spec s = { .format = 0x08, .type = VGSP_TEX_UNORM,
               .dim = VGSP_TEX_2D_ARRAY, .width = 0x1ffff, .height = 0x10001,
               .depth = 0x4001, .levels = 3, .tile_height = 4,
               .tile_depth = 0, .swizzle = "BGR1", .srgb = true };
    VgspTexImage t = image(&s);
    uint32_t w[8] = { 0 };

    g_assert_false(t.null);
    g_assert_cmpuint(t.width, ==, 0x1ffff);
    g_assert_cmpuint(t.height, ==, 0x10001);
    g_assert_cmpuint(t.depth, ==, 0x4001);
    g_assert_cmpuint(t.levels, ==, 3);
    g_assert_cmpuint(t.base, ==, BASE);
    g_assert_true(t.srgb && t.normalized);
    g_assert_cmpuint(t.source[0], ==, VGSP_TEX_B);
    g_assert_cmpuint(t.source[3], ==, VGSP_TEX_ONE_FLOAT);

    /* Volta and later: all zeroes is the null descriptor. */
    g_assert_true(vgsp_tex_image_decode(w, &t));
    g_assert_true(t.null);
    /* A format of no name, a colour key: refused, not guessed. */
    header(w, &s);
    set(w, 6, 0, 0x7e);
    g_assert_false(vgsp_tex_image_decode(w, &t));
    header(w, &s);
    set(w, 87, 85, 4);
    g_assert_false(vgsp_tex_image_decode(w, &t));
    header(w, &s);
    set(w, 227, 224, 2);
    set(w, 231, 228, 1);
    g_assert_false(vgsp_tex_image_decode(w, &t));
}

static void test_gob(void)
{
    Spec s = { .format = 0x1d, .type = VGSP_TEX_UINT, .dim = VGSP_TEX_2D,
               .width = 64, .height = 8, .depth = 1, .levels = 1,
               .swizzle = "R001" };
    VgspTexImage t = image(&s);
    static const struct {
        uint32_t x, y;
        uint64_t offset;
    } at[] = {
        { 0, 0, 0x000 }, { 15, 0, 0x00f }, { 0, 1, 0x010 }, { 0, 2, 0x020 },
        { 0, 3, 0x030 }, { 16, 0, 0x040 }, { 16, 1, 0x050 }, { 0, 4, 0x080 },
        { 32, 0, 0x100 }, { 48, 7, 0x1f0 }, { 63, 7, 0x1ff },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(at); i++) {
        g_assert_cmphex(vgsp_tex_address(&t, 0, at[i].x, at[i].y, 0, 0), ==,
                        BASE + at[i].offset);
    }
}

/* Blocks of every height and depth: no two texels share a byte, none is lost. */
static void test_blocks(void)
{
    for (unsigned h = 0; h < 6; h++) {
        for (unsigned d = 0; d < 6; d++) {
            Spec s = { .format = 0x01, .type = VGSP_TEX_UINT,
                       .dim = VGSP_TEX_3D, .width = 8, .height = 256,
                       .depth = 32, .levels = 1, .tile_height = h,
                       .tile_depth = d, .swizzle = "RGBA" };
            VgspTexImage t = image(&s);
            size_t texels = 8 * 256 * 32;
            g_autofree uint8_t *seen = g_malloc0(texels);

            for (uint32_t z = 0; z < 32; z++) {
                for (uint32_t y = 0; y < 256; y++) {
                    for (uint32_t x = 0; x < 8; x++) {
                        uint64_t a = vgsp_tex_address(&t, 0, x, y, z, 0) -
                                     BASE;

                        g_assert_cmpuint(a % 16, ==, 0);
                        g_assert_cmpuint(a / 16, <, texels);
                        g_assert_cmpuint(seen[a / 16]++, ==, 0);
                    }
                }
            }
            /* The second column of GOBs comes after a whole block. */
            g_assert_cmphex(vgsp_tex_address(&t, 0, 4, 0, 0, 0) - BASE, ==,
                            UINT64_C(512) << (h + d));
            /* The second slice comes after a slice of the block. */
            if (d) {
                g_assert_cmphex(vgsp_tex_address(&t, 0, 0, 0, 1, 0) - BASE,
                                ==, UINT64_C(512) << h);
            }
        }
    }
}

static void test_levels(void)
{
    /*
     * 32x32 of 4 bytes, blocks of 4 GOBs: level 0 is 2x1 blocks of 2 KiB;
     * level 1 shrinks to blocks of 2 GOBs, the others to one GOB.
     */
    Spec s = { .format = 0x08, .type = VGSP_TEX_UNORM,
               .dim = VGSP_TEX_2D_ARRAY, .width = 32, .height = 32,
               .depth = 3, .levels = 6, .tile_height = 2,
               .swizzle = "RGBA" };
    VgspTexImage t = image(&s);
    static const uint64_t offset[] = { 0, 4096, 5120, 5632, 6144, 6656 };

    for (unsigned l = 0; l < 6; l++) {
        g_assert_cmphex(vgsp_tex_address(&t, l, 0, 0, 0, 0), ==,
                        BASE + offset[l]);
    }
    /* 7168 bytes, aligned to level 0's block. */
    g_assert_cmphex(vgsp_tex_address(&t, 0, 0, 0, 0, 2), ==, BASE + 2 * 8192);

    /* A tile width rounds the row of GOBs up, and nothing else. */
    s.width = 3 * 16;
    s.height = 64;
    s.levels = 1;
    s.tile_height = 3;
    s.tile_width = 1;
    t = image(&s);
    g_assert_cmphex(vgsp_tex_address(&t, 0, 16, 0, 0, 0), ==, BASE + 0x1000);
    s.height = 128;
    t = image(&s);
    g_assert_cmphex(vgsp_tex_address(&t, 0, 0, 64, 0, 0), ==,
                    BASE + 4 * 0x1000);
}

/* ---- Formats ---- */

static void test_decode(void)
{
    static const struct {
        unsigned format, type;
        bool srgb;
        uint32_t word[4];
        uint32_t out[4];
    } v[] = {
        { 0x08, VGSP_TEX_UNORM, false, { 0x4080ff00 },
          { 0, 0x3f800000, 0x3f008081, 0x3e808081 } },
        { 0x08, VGSP_TEX_SNORM, false, { 0x7f818000 },
          { 0, 0xbf800000, 0xbf800000, 0x3f800000 } },
        { 0x08, VGSP_TEX_SINT, false, { 0x7f81ff01 },
          { 1, 0xffffffff, 0xffffff81, 0x7f } },
        { 0x08, VGSP_TEX_UINT, false, { 0x7f81ff01 },
          { 1, 0xff, 0x81, 0x7f } },
        /* Alpha is linear. */
        { 0x08, VGSP_TEX_UNORM, true, { 0x80ff0000 },
          { 0, 0, 0x3f800000, 0x3f008081 } },
        { 0x09, VGSP_TEX_UNORM, false, { 0xc00003ff },
          { 0x3f800000, 0, 0, 0x3f800000 } },
        { 0x09, VGSP_TEX_UINT, false, { 0x80200802 }, { 2, 2, 2, 2 } },
        { 0x21, VGSP_TEX_FLOAT, false, { 0x3c0 | 0x3c0 << 11 | 0x1e0u << 22 },
          { 0x3f800000, 0x3f800000, 0x3f800000, 0 } },
        /* 256 * 2^(16 - 24) */
        { 0x20, VGSP_TEX_FLOAT, false,
          { 256 | 128 << 9 | 511 << 18 | 16u << 27 },
          { 0x3f800000, 0x3f000000, 0x3fff8000, 0 } },
        { 0x0c, VGSP_TEX_FLOAT, false, { 0x0001fc00 },
          { 0xff800000, 0x33800000, 0, 0 } },
        { 0x15, VGSP_TEX_UNORM, false, { 0x07e0 },
          { 0, 0x3f800000, 0, 0 } },
        { 0x2b, VGSP_TEX_UINT, false, { 0xab123456 },
          { 0x123456, 0xab, 0, 0 } },
        { 0x29, VGSP_TEX_UINT, false, { 0x123456ab },
          { 0xab, 0x123456, 0, 0 } },
        /* The first texel of two: bytes R G0 B G1, and G0 R G1 B. */
        { 0x22, VGSP_TEX_UINT, false, { 0x44332211 },
          { 0x11, 0x22, 0x33, 0 } },
        { 0x23, VGSP_TEX_UINT, false, { 0x44332211 },
          { 0x22, 0x11, 0x44, 0 } },
        { 0x30, VGSP_TEX_UINT, false, { 0x3f800000, 0x77 },
          { 0x3f800000, 0x77, 0, 0 } },
        { 0x01, VGSP_TEX_FLOAT, false, { 1, 2, 3, 4 }, { 1, 2, 3, 4 } },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        Spec s = { .format = v[i].format, .type = v[i].type,
                   .dim = VGSP_TEX_2D, .width = 1, .height = 1, .depth = 1,
                   .levels = 1, .swizzle = "RGBA", .srgb = v[i].srgb };
        VgspTexImage t = image(&s);
        uint8_t element[16];
        VgspTexel texel;

        for (unsigned w = 0; w < 4; w++) {
            vgsp_put_le32(element + 4 * w, v[i].word[w]);
        }
        vgsp_tex_decode(&t, element, 0, 0, &texel);
        for (unsigned c = 0; c < 4; c++) {
            g_assert_cmphex(texel.c[c], ==, v[i].out[c]);
        }
    }
    /* The sRGB curve at its knee and in the middle: IEC 61966-2-1. */
    g_assert_cmpfloat(fabsf(vgsp_tex_from_srgb(10) - 0.003035269f), <, 1e-8);
    g_assert_cmpfloat(fabsf(vgsp_tex_from_srgb(128) - 0.21586051f), <, 1e-7);
}

static void test_encode(void)
{
    static const struct {
        unsigned format, type;
        const char *swizzle;
        float in[4];
        uint32_t word;
    } v[] = {
        /* 127.5 ties to even; out of range and NaN are clamped. */
        { 0x08, VGSP_TEX_UNORM, "RGBA", { 0.5f, 2.0f, -1.0f, NAN },
          0x0000ff80 },
        { 0x08, VGSP_TEX_UNORM, "BGRA", { 1.0f, 0.0f, 0.0f, 1.0f },
          0xffff0000 },
        { 0x08, VGSP_TEX_SNORM, "RGBA", { -2.0f, 1.0f, 0.0f, -1.0f },
          0x81007f81 },
        { 0x0c, VGSP_TEX_FLOAT, "RG01", { 65520.0f, 65519.0f },
          0x7bff7c00 },
        { 0x0c, VGSP_TEX_FLOAT, "RG01", { 5.9604645e-8f, 2.9802322e-8f },
          0x00000001 },
        { 0x0c, VGSP_TEX_FLOAT, "RG01", { -0.0f, 1.0009765625f },
          0x3c018000 },
        { 0x21, VGSP_TEX_FLOAT, "RGB1", { 1.0f, -1.0f, 1.0f },
          0x3c0 | 0x1e0u << 22 },
        { 0x09, VGSP_TEX_UNORM, "RGBA", { 1.0f, 0.0f, 0.0f, 1.0f },
          0xc00003ff },
    };
    static const uint32_t wide[4] = { 300, 0xffffff00, 5, 0x80000000 };
    uint8_t element[16];

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        Spec s = { .format = v[i].format, .type = v[i].type,
                   .dim = VGSP_TEX_2D, .width = 1, .height = 1, .depth = 1,
                   .levels = 1, .swizzle = v[i].swizzle };
        VgspTexImage t = image(&s);
        uint32_t xyzw[4];

        for (unsigned c = 0; c < 4; c++) {
            xyzw[c] = f2u(v[i].in[c]);
        }
        g_assert_true(vgsp_tex_encode(&t, xyzw, element));
        g_assert_cmphex(vgsp_le32(element), ==, v[i].word);
    }
    for (unsigned type = VGSP_TEX_SINT; type <= VGSP_TEX_UINT; type++) {
        Spec s = { .format = 0x08, .type = type, .dim = VGSP_TEX_2D,
                   .width = 1, .height = 1, .depth = 1, .levels = 1,
                   .swizzle = "RGBA" };
        VgspTexImage t = image(&s);

        g_assert_true(vgsp_tex_encode(&t, wide, element));
        g_assert_cmphex(vgsp_le32(element), ==,
                        type == VGSP_TEX_SINT ? 0x8005807f : 0xff05ffff);
    }
}

/* ---- Sampling ---- */

typedef struct Bench {
    VgspModelOps ops;
    VgspMemory memory;
    GHashTable *memories;
    VgspSpace *space;
    VgspMmu mmu;
} Bench;

static void bench_init(Bench *b)
{
    struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_MAP, .va = BASE, .size = 0x10000, .memory = 1,
    };

    memset(b, 0, sizeof(*b));
    b->memory.id = 1;
    b->memory.size = op.size;
    b->memory.host = g_malloc0(op.size);
    b->memories = g_hash_table_new(NULL, NULL);
    g_hash_table_insert(b->memories, GUINT_TO_POINTER(1), &b->memory);
    b->space = vgsp_space_new(&b->ops, NULL);
    vgsp_space_apply(b->space, b->memories, &op, 1);
    vgsp_mmu_init(&b->mmu);
    vgsp_mmu_enter(&b->mmu, b->space);
}

static void bench_exit(Bench *b)
{
    vgsp_mmu_flush(&b->mmu);
    vgsp_space_free(b->space);
    g_hash_table_destroy(b->memories);
    g_free(b->memory.host);
}

static float sample(Bench *b, const VgspTexImage *t, const VgspTexSampler *s,
                    const VgspTexRequest *r)
{
    bool resident = true;
    uint32_t out[4];

    g_assert_true(vgsp_tex_sample(&b->mmu, t, s, r, out, &resident));
    g_assert_true(resident);
    return u2f(out[0]);
}

/* Four texels 0, 1, 2, 3 in a row. */
static const Spec row = {
    .format = 0x0f, .type = VGSP_TEX_FLOAT, .dim = VGSP_TEX_2D, .width = 4,
    .height = 1, .depth = 1, .levels = 1, .pitch = 32, .swizzle = "R001",
};

static void put_row(Bench *b)
{
    for (unsigned i = 0; i < 4; i++) {
        vgsp_put_le32(b->memory.host + 4 * i, f2u((float)i));
    }
}

static void test_wrap(void)
{
    /* Nearest, at -1.5, -0.5 .. 5.5 texels. */
    static const struct {
        unsigned mode;
        float expect[8];
    } v[] = {
        { 0, { 2, 3, 0, 1, 2, 3, 0, 1 } },
        { 1, { 1, 0, 0, 1, 2, 3, 3, 2 } },
        { 2, { 0, 0, 0, 1, 2, 3, 3, 3 } },
        { 3, { 9, 9, 0, 1, 2, 3, 9, 9 } },
        { 5, { 1, 0, 0, 1, 2, 3, 3, 3 } },
        { 6, { 1, 0, 0, 1, 2, 3, 9, 9 } },
    };
    VgspTexImage t = image(&row);
    Bench b;

    bench_init(&b);
    put_row(&b);
    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        VgspTexSampler s = { .wrap = { v[i].mode, 2, 2 }, .mip = 1,
                             .max_lod = 0xfff, .border = { f2u(9) } };

        for (int n = 0; n < 8; n++) {
            VgspTexRequest r = { .coord = { ((float)n - 1.5f) / 4, 0.5f } };

            g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, v[i].expect[n]);
        }
    }
    bench_exit(&b);
}

static void test_linear(void)
{
    VgspTexImage t = image(&row);
    VgspTexSampler s = { .wrap = { 2, 2, 2 }, .mip = 1, .mag_linear = true,
                         .min_linear = true, .max_lod = 0xfff };
    VgspTexRequest r = { .coord = { 0, 0.5f } };
    Bench b;

    bench_init(&b);
    put_row(&b);
    /* Half way between texels 1 and 2, and a quarter from 2. */
    r.coord[0] = 2.0f / 4;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 1.5f);
    r.coord[0] = 2.25f / 4;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 1.75f);
    /* Weights have eight bits: 1/1024 of a texel is not seen. */
    r.coord[0] = (1.5f + 1.0f / 1024) / 4;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 1.0f);
    /* In texels where the sampler says so. */
    s.unnormalized = true;
    r.coord[0] = 3.0f;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 2.5f);
    r.offset[0] = -1;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 1.5f);
    r.offset[0] = 0;
    s.reduction = 1;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 2.0f);
    s.reduction = 2;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 3.0f);
    s.reduction = 0;
    /* Depth: each texel is compared, then the results are filtered. */
    r.compare = true;
    r.reference = 2.5f;
    s.compare_op = 1;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 0.5f);
    bench_exit(&b);
}

/* UNORM depths compare with a reference within 0 and 1; floats with any. */
static void test_compare(void)
{
    static const struct {
        unsigned format, type[2];
        const char *swizzle;
        uint32_t zero, one;     /* stencil of 0x80 beside */
        bool clamps;
    } v[] = {
        { 0x3a, { VGSP_TEX_UNORM }, "R001", 0, 0xffff, true },
        { 0x2a, { VGSP_TEX_UNORM }, "R001", 0x80000000, 0x80ffffff, true },
        { 0x2b, { VGSP_TEX_UNORM, VGSP_TEX_UINT }, "R001", 0x80000000,
          0x80ffffff, true },
        { 0x29, { VGSP_TEX_UINT, VGSP_TEX_UNORM }, "G001", 0x80, 0xffffff80,
          true },
        { 0x2f, { VGSP_TEX_FLOAT }, "R001", 0, 0x3f800000, false },
        { 0x30, { VGSP_TEX_FLOAT, VGSP_TEX_UINT }, "R001", 0, 0x3f800000,
          false },
    };
    VgspTexSampler s = { .wrap = { 2, 2, 2 }, .mip = 1, .max_lod = 0xfff };
    Bench b;

    bench_init(&b);
    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        VgspTexRequest r = { .coord = { 0.25f, 0.5f }, .compare = true };
        Spec spec = row;
        VgspTexImage t;
        unsigned bytes;

        spec.format = v[i].format;
        spec.width = 2;
        spec.swizzle = v[i].swizzle;
        t = image(&spec);
        t.type[0] = (uint8_t)v[i].type[0];
        t.type[1] = (uint8_t)v[i].type[1];
        bytes = t.format->bytes;
        memset(b.memory.host, 0, 16);
        memcpy(b.memory.host, &v[i].zero, MIN(bytes, 4));
        memcpy(b.memory.host + bytes, &v[i].one, MIN(bytes, 4));
        /* LESS: reference -1 and depth 0. */
        s.mag_linear = false;
        s.compare_op = 1;
        r.reference = -1.0f;
        g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, !v[i].clamps);
        /* GEQUAL, EQUAL: reference 2 and depth 1. */
        r.coord[0] = 0.75f;
        r.reference = 2.0f;
        s.compare_op = 6;
        g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 1.0f);
        s.compare_op = 2;
        g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, v[i].clamps);
        /* Stencil beside it does not keep depth from being filtered. */
        s.mag_linear = true;
        r.coord[0] = 0.5f;
        r.compare = false;
        g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 0.5f);
    }
    bench_exit(&b);
}

/*
 * Taps along the longer axis: 1/5 to 4/5 of four texels around the middle of
 * the row, nearest: texels 0 to 3 at 0.8, 1.6, 2.4 and 3.2.
 */
static void test_anisotropy(void)
{
    static const uint32_t words[8] = {
        2 | 2 << 3 | 2 << 6 | 2 << 20, 1 | 3 << 4 | 1 << 6, 0xfff << 12,
    };
    const float ddx[3] = { 1.0f, 0, 0 }, ddy[3] = { 0, 1.0f, 0 };
    VgspTexImage t = image(&row);
    VgspTexRequest r = { .coord = { 0.5f, 0.5f } };
    VgspTexSampler s;
    Bench b;

    bench_init(&b);
    put_row(&b);
    vgsp_tex_sampler_decode(words, &s);
    g_assert_cmpuint(s.max_taps, ==, 4);
    vgsp_tex_footprint(&t, &s, ddx, ddy, &r);
    g_assert_cmpuint(r.taps, ==, 4);
    g_assert_cmpfloat(r.lod, ==, 0.0f);     /* log2(4 texels / 4) */
    g_assert_cmpfloat(r.axis[0], ==, 1.0f);
    s.min_linear = false;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 1.5f);
    vgsp_put_le32(b.memory.host + 8, f2u(10.0f));
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 3.5f);
    /* No more than the sampler allows: the level makes up for it. */
    s.max_taps = 2;
    vgsp_tex_footprint(&t, &s, ddx, ddy, &r);
    g_assert_cmpuint(r.taps, ==, 2);
    g_assert_cmpfloat(r.lod, ==, 1.0f);
    /* No footprint longer than wide. */
    s.max_taps = 16;
    vgsp_tex_footprint(&t, &s, ddx, (const float[]) { 0, 4.0f, 0 }, &r);
    g_assert_cmpuint(r.taps, ==, 1);
    g_assert_cmpfloat(r.lod, ==, 2.0f);
    bench_exit(&b);
}

/*
 * GH100 silicon: texels of 8 bits 9, 4, 197, 232 in two rows, 184 and 27 parts
 * of 256 between them; the weights are 64, 165, 8 and 19.
 */
static void test_linear_silicon(void)
{
    static const uint8_t texels[2][2][4] = {
        { { 9, 28, 107, 9 }, { 4, 72, 93, 75 } },
        { { 197, 217, 129, 71 }, { 232, 200, 69, 209 } },
    };
    static const uint32_t expect[4] = {
        0x3de280e3, 0x3e96a697, 0x3ec070c0, 0x3e892c89,
    };
    Spec spec = { .format = 0x08, .type = VGSP_TEX_UNORM, .dim = VGSP_TEX_2D,
                  .width = 2, .height = 2, .depth = 1, .levels = 1,
                  .pitch = 32, .swizzle = "RGBA" };
    VgspTexImage t = image(&spec);
    VgspTexSampler s = { .wrap = { 2, 2, 2 }, .mip = 1, .mag_linear = true,
                         .min_linear = true, .max_lod = 0xfff };
    VgspTexRequest r = { .coord = { (0.5f + 184 / 256.0f) / 2,
                                    (0.5f + 27 / 256.0f) / 2 } };
    bool resident = true;
    uint32_t out[4];
    Bench b;

    bench_init(&b);
    memcpy(b.memory.host, texels[0], 8);
    memcpy(b.memory.host + 32, texels[1], 8);
    g_assert_true(vgsp_tex_sample(&b.mmu, &t, &s, &r, out, &resident));
    for (unsigned i = 0; i < 4; i++) {
        g_assert_cmphex(out[i], ==, expect[i]);
    }
    bench_exit(&b);
}

/*
 * GH100 silicon: a level of detail of 0.24931 is 63 parts of 256, from a texel
 * of 39, 232, 117, 173 to one of 166, 100, 169, 206.
 */
static void test_lod_silicon(void)
{
    static const uint32_t expect[4] = {
        0x3e8d0e8d, 0x3f484cc8, 0x3f024e82, 0x3f35d4b6,
    };
    Spec spec = { .format = 0x08, .type = VGSP_TEX_UNORM, .dim = VGSP_TEX_2D,
                  .width = 2, .height = 1, .depth = 1, .levels = 2,
                  .swizzle = "RGBA" };
    VgspTexImage t = image(&spec);
    VgspTexSampler s = { .wrap = { 2, 2, 2 }, .mip = 3, .max_lod = 0xfff };
    VgspTexRequest r = { .coord = { 0.25f, 0.5f }, .lod = 0.24931f };
    bool resident = true;
    uint32_t out[4];
    Bench b;

    bench_init(&b);
    vgsp_put_le32(b.memory.host, 0xad75e827);
    vgsp_put_le32(b.memory.host + 512, 0xcea964a6);
    g_assert_true(vgsp_tex_sample(&b.mmu, &t, &s, &r, out, &resident));
    for (unsigned i = 0; i < 4; i++) {
        g_assert_cmphex(out[i], ==, expect[i]);
    }
    bench_exit(&b);
}

static void test_lod(void)
{
    /* Levels of 4, 2 and 1 texels: a GOB each, filled with 0, 10, 20. */
    Spec spec = { .format = 0x0f, .type = VGSP_TEX_FLOAT, .dim = VGSP_TEX_2D,
                  .width = 4, .height = 4, .depth = 1, .levels = 3,
                  .swizzle = "R001" };
    VgspTexImage t = image(&spec);
    VgspTexSampler s = { .wrap = { 2, 2, 2 }, .mip = 2, .max_lod = 0xfff };
    VgspTexRequest r = { .coord = { 0.5f, 0.5f } };
    float ddx[3] = { 0.5f, 0, 0 }, ddy[3] = { 0, 0.25f, 0 };
    Bench b;

    bench_init(&b);
    for (unsigned i = 0; i < 3 * 128; i++) {
        vgsp_put_le32(b.memory.host + 4 * i, f2u((float)(i / 128 * 10)));
    }
    for (unsigned i = 0; i < 6; i++) {
        static const float lod[] = { -1, 0.5f, 0.51f, 1.5f, 1.6f, 9 };
        static const float expect[] = { 0, 0, 10, 10, 20, 20 };

        r.lod = lod[i];
        g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, expect[i]);
    }
    s.mip = 3;
    r.lod = 0.25f;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 2.5f);
    s.reduction = 1;            /* of both levels, whatever their weights */
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 0.0f);
    s.reduction = 2;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 10.0f);
    s.reduction = 0;
    s.bias = 0x100;             /* + 1.0 */
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 12.5f);
    s.max_lod = 0x80;           /* 0.5 */
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 5.0f);
    s.max_lod = 0xfff;
    s.mip = 1;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 0.0f);
    /* Two texels a pixel in x, one in y. */
    vgsp_tex_footprint(&t, &s, ddx, ddy, &r);
    g_assert_cmpfloat(r.lod, ==, 1.0f);
    bench_exit(&b);
}

static void test_gather(void)
{
    Spec spec = row;
    VgspTexSampler s = { .wrap = { 2, 2, 2 }, .mip = 1, .max_lod = 0xfff };
    VgspTexRequest r = { .coord = { 0.5f, 0.5f } };
    static const int8_t each[4][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 },
                                       { 0, 0 } };
    bool resident = true;
    VgspTexImage t;
    uint32_t out[4];
    Bench b;

    spec.height = 2;
    t = image(&spec);
    bench_init(&b);
    for (unsigned i = 0; i < 8; i++) {
        vgsp_put_le32(b.memory.host + i / 4 * 32 + i % 4 * 4, i);
    }
    g_assert_true(vgsp_tex_gather(&b.mmu, &t, &s, &r, 0, NULL, out,
                                  &resident));
    g_assert_cmpuint(out[0], ==, 5);
    g_assert_cmpuint(out[1], ==, 6);
    g_assert_cmpuint(out[2], ==, 2);
    g_assert_cmpuint(out[3], ==, 1);
    g_assert_true(vgsp_tex_gather(&b.mmu, &t, &s, &r, 0, each, out,
                                  &resident));
    g_assert_cmpuint(out[0], ==, 2);
    g_assert_cmpuint(out[1], ==, 5);
    g_assert_cmpuint(out[2], ==, 0);
    g_assert_cmpuint(out[3], ==, 1);
    bench_exit(&b);
}

static void test_cube(void)
{
    /* Six faces of 2x2, a GOB each; every texel holds its face. */
    Spec spec = { .format = 0x0f, .type = VGSP_TEX_FLOAT,
                  .dim = VGSP_TEX_CUBE, .width = 2, .height = 2, .depth = 1,
                  .levels = 1, .swizzle = "R001" };
    static const float d[6][3] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 },
                                   { 0, -1, 0 }, { 0, 0, 1 }, { 0, 0, -1 } };
    VgspTexImage t = image(&spec);
    VgspTexSampler s = { .mip = 1, .max_lod = 0xfff, .cubemap = 2 };
    VgspTexRequest r = { .layer = 0 };
    Bench b;

    bench_init(&b);
    for (unsigned i = 0; i < 6 * 128; i++) {
        vgsp_put_le32(b.memory.host + 4 * i, f2u((float)(i / 128)));
    }
    for (unsigned i = 0; i < 6; i++) {
        memcpy(r.coord, d[i], sizeof(r.coord));
        g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, (float)i);
    }
    /* Across the edge of +X and +Z, half of each. */
    s.mag_linear = s.min_linear = true;
    r.coord[0] = r.coord[2] = 1;
    r.coord[1] = 0;
    g_assert_cmpfloat(sample(&b, &t, &s, &r), ==, 2.0f);
    bench_exit(&b);
}

static bool fetch(Bench *b, const VgspTexImage *t, uint32_t x, uint32_t y,
                  uint32_t sample, VgspTexel *out, bool *resident)
{
    VgspTexAt at = { .x = x, .y = y, .sample = sample };

    return vgsp_tex_fetch(&b->mmu, t, 0, &at, out, resident);
}

static void test_fetch(void)
{
    Spec spec = { .format = 0x0f, .type = VGSP_TEX_UINT,
                  .dim = VGSP_TEX_BUFFER, .width = 20000, .height = 1,
                  .depth = 1, .levels = 1, .swizzle = "R001" };
    VgspTexImage t = image(&spec);
    struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_SPARSE, .va = BASE + 0x1000, .size = 0x1000,
    };
    bool resident = true;
    VgspTexel texel;
    Bench b;

    bench_init(&b);
    vgsp_put_le32(b.memory.host + 4 * 5, 77);
    g_assert_true(fetch(&b, &t, 5, 0, 0, &texel, &resident));
    g_assert_cmpuint(texel.c[0], ==, 77);
    /* Beyond the width: nothing is read, nothing faults. */
    g_assert_true(fetch(&b, &t, 20000, 0, 0, &texel, &resident));
    g_assert_cmpuint(texel.c[0], ==, 0);
    g_assert_true(resident);
    /* Within it, but not mapped. */
    g_assert_false(fetch(&b, &t, 16384, 0, 0, &texel, &resident));
    g_assert_cmphex(b.mmu.fault.va, ==, BASE + 0x10000);
    vgsp_space_apply(b.space, b.memories, &op, 1);
    vgsp_mmu_enter(&b.mmu, b.space);
    g_assert_true(fetch(&b, &t, 1024, 0, 0, &texel, &resident));
    g_assert_false(resident);

    /* Four samples of a pixel lie side by side: 2x2. */
    spec.dim = VGSP_TEX_2D;
    spec.width = spec.height = 2;
    spec.samples = 2;
    t = image(&spec);
    resident = true;
    vgsp_put_le32(b.memory.host + 0x30 + 4 * 2, 88);
    g_assert_true(fetch(&b, &t, 1, 1, 2, &texel, &resident));
    g_assert_cmpuint(texel.c[0], ==, 88);
    bench_exit(&b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tex/header", test_header);
    g_test_add_func("/tex/gob", test_gob);
    g_test_add_func("/tex/blocks", test_blocks);
    g_test_add_func("/tex/levels", test_levels);
    g_test_add_func("/tex/decode", test_decode);
    g_test_add_func("/tex/encode", test_encode);
    g_test_add_func("/tex/wrap", test_wrap);
    g_test_add_func("/tex/linear", test_linear);
    g_test_add_func("/tex/compare", test_compare);
    g_test_add_func("/tex/anisotropy", test_anisotropy);
    g_test_add_func("/tex/lod", test_lod);
    g_test_add_func("/tex/lod-silicon", test_lod_silicon);
    g_test_add_func("/tex/linear-silicon", test_linear_silicon);
    g_test_add_func("/tex/gather", test_gather);
    g_test_add_func("/tex/cube", test_cube);
    g_test_add_func("/tex/fetch", test_fetch);
    return g_test_run();
}
