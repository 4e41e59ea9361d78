/*
 * Texture headers, and where the texels of an image lie. Specified by NVIDIA's
 * clc597tex.h; sizes of levels and layers as Mesa's nil computes them for the
 * hardware.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/tex.h"
#include "vgsp/blocklinear.h"

/* TEXHEAD_*_HEADER_VERSION */
enum {
    VERSION_BUFFER = 0,
    VERSION_PITCH_COLOR_KEY = 1,
    VERSION_PITCH = 2,
    VERSION_BLOCK_LINEAR = 3,
    VERSION_BLOCK_LINEAR_COLOR_KEY = 4,
};

/* Bits hi:lo of a header, at most 32 of them. */
static uint32_t field(const uint32_t words[8], unsigned hi, unsigned lo)
{
    uint64_t v = words[lo / 32];

    if (hi / 32 != lo / 32) {
        v |= (uint64_t)words[hi / 32] << 32;
    }
    v >>= lo % 32;
    return (uint32_t)(v & ((UINT64_C(1) << (hi - lo + 1)) - 1));
}

/* ---- Layout ---- */

static uint32_t div_up(uint32_t v, uint32_t by)
{
    return v / by + (v % by != 0);
}

static unsigned log2_ceil(uint32_t v)
{
    return v <= 1 ? 0 : 32 - (unsigned)__builtin_clz(v - 1);
}

typedef struct Level {
    uint32_t width, height, depth; /* bytes, rows of elements, slices */
    uint8_t tile_width, tile_height, tile_depth;
} Level;

/* The hardware shrinks the block to the level, by powers of two. */
static Level level_layout(const VgspTexImage *t, unsigned level)
{
    uint32_t w = vgsp_tex_minify(t->width, level) << t->sample_x;
    uint32_t h = vgsp_tex_minify(t->height, level) << t->sample_y;
    Level l = {
        .width = div_up(w, vgsp_tex_block_width(t->format)) *
                 t->format->bytes,
        .height = div_up(h, vgsp_tex_block_height(t->format)),
        .depth = t->dim == VGSP_TEX_3D ? vgsp_tex_minify(t->depth, level) : 1,
        .tile_width = t->tile_width,
    };

    if (l.width < (uint32_t)VGSP_GOB_WIDTH << t->tile_width ||
        l.height < (uint32_t)VGSP_GOB_HEIGHT << t->tile_height ||
        l.depth < 1u << t->tile_depth) {
        l.tile_width = 0;
    }
    l.tile_height = MIN(t->tile_height,
                        log2_ceil(div_up(l.height, VGSP_GOB_HEIGHT)));
    l.tile_depth = MIN(t->tile_depth, log2_ceil(l.depth));
    return l;
}

/* Columns of GOBs of a level: blocks are one wide, rows are padded to tiles. */
static uint32_t level_columns(const Level *l)
{
    return (uint32_t)VGSP_ALIGN_UP(div_up(l->width, VGSP_GOB_WIDTH),
                                   1u << l->tile_width);
}

static uint32_t level_rows(const Level *l)
{
    return div_up(l->height, VGSP_GOB_HEIGHT << l->tile_height);
}

static uint64_t level_bytes(const Level *l)
{
    uint64_t slabs = div_up(l->depth, 1u << l->tile_depth);

    return slabs * level_rows(l) * level_columns(l) * VGSP_GOB_SIZE
           << (l->tile_height + l->tile_depth);
}

static void image_layout(VgspTexImage *t)
{
    uint64_t offset = 0, tile;
    Level level0 = level_layout(t, 0);

    for (unsigned i = 0; i < t->levels; i++) {
        Level l = level_layout(t, i);

        t->level_offset[i] = offset;
        offset += level_bytes(&l);
    }
    tile = (uint64_t)VGSP_GOB_SIZE << (level0.tile_width + level0.tile_height +
                                       level0.tile_depth);
    t->layer_stride = VGSP_ALIGN_UP(offset, tile);
}

uint64_t vgsp_tex_address(const VgspTexImage *t, unsigned level, uint32_t x,
                          uint32_t y, uint32_t z, uint32_t layer)
{
    uint64_t byte = (uint64_t)x * t->format->bytes;
    VgspBlockLinear bl;
    Level l;

    if (t->dim == VGSP_TEX_BUFFER) {
        return t->base + byte;
    }
    if (t->pitch_linear) {
        return t->base + (uint64_t)y * t->pitch + byte;
    }
    l = level_layout(t, level);
    bl.width = (uint64_t)level_columns(&l) * VGSP_GOB_WIDTH;
    bl.height = l.height;
    bl.block_height = l.tile_height;
    bl.block_depth = l.tile_depth;
    return t->base + layer * t->layer_stride + t->level_offset[level] +
           vgsp_blocklinear_offset(&bl, byte, y, z);
}

/* ---- Headers ---- */

static const struct {
    uint8_t x, y;               /* log2 */
} sample_grid[] = {
    { 0, 0 }, { 1, 0 }, { 1, 1 }, { 2, 1 }, { 2, 1 }, { 1, 0 }, { 2, 2 },
};

static void decode_buffer(const uint32_t words[8], VgspTexImage *t)
{
    uint32_t last = field(words, 111, 96) << 16 | field(words, 143, 128);

    t->dim = VGSP_TEX_BUFFER;
    t->base = (uint64_t)field(words, 80, 64) << 32 | words[1];
    /* The widest buffer has 2^32 - 1 elements here. */
    t->width = last == UINT32_MAX ? last : last + 1;
    t->height = t->depth = t->levels = 1;
}

static bool decode_image(const uint32_t words[8], VgspTexImage *t)
{
    uint32_t samples = field(words, 235, 232);

    t->dim = field(words, 154, 151);
    t->width = field(words, 144, 128) + 1;
    t->height = (field(words, 175, 160) | field(words, 146, 146) << 16) + 1;
    t->depth = (field(words, 189, 176) | field(words, 145, 145) << 14) + 1;
    t->levels = (uint8_t)(field(words, 127, 124) + 1);
    t->min_level = (uint8_t)field(words, 227, 224);
    t->max_level = (uint8_t)field(words, 231, 228);
    t->min_lod_clamp = (uint16_t)field(words, 247, 236);
    t->normalized = field(words, 191, 191);
    if (t->dim > VGSP_TEX_CUBE_ARRAY || t->dim == VGSP_TEX_BUFFER ||
        samples >= G_N_ELEMENTS(sample_grid)) {
        return false;
    }
    t->sample_x = sample_grid[samples].x;
    t->sample_y = sample_grid[samples].y;
    if (t->dim == VGSP_TEX_CUBE || t->dim == VGSP_TEX_CUBE_ARRAY) {
        t->depth *= 6;
    }
    /* A view of one level says that the image has no other. */
    t->levels = MAX(t->levels, t->max_level + 1);
    return t->min_level <= t->max_level;
}

bool vgsp_tex_image_decode(const uint32_t words[8], VgspTexImage *t)
{
    static const uint32_t zero[8];

    memset(t, 0, sizeof(*t));
    if (!memcmp(words, zero, sizeof(zero))) {
        t->null = true;
        return true;
    }
    t->format = vgsp_tex_format(field(words, 6, 0));
    if (!t->format) {
        return false;
    }
    for (unsigned i = 0; i < 4; i++) {
        t->type[i] = (uint8_t)field(words, 9 + 3 * i, 7 + 3 * i);
        t->source[i] = (uint8_t)field(words, 21 + 3 * i, 19 + 3 * i);
    }
    t->srgb = field(words, 150, 150);

    switch (field(words, 87, 85)) {
    case VERSION_BUFFER:
        decode_buffer(words, t);
        return vgsp_tex_block_width(t->format) == 1;
    case VERSION_PITCH:
        t->pitch_linear = true;
        t->base = (uint64_t)field(words, 80, 64) << 32 |
                  (words[1] & ~UINT32_C(0x1f));
        t->pitch = field(words, 111, 96) << 5;
        return decode_image(words, t) && t->levels == 1 && !t->sample_x &&
               !t->sample_y && t->dim != VGSP_TEX_3D;
    case VERSION_BLOCK_LINEAR:
        t->base = (uint64_t)field(words, 80, 64) << 32 |
                  (words[1] & ~UINT32_C(0x1ff));
        t->tile_height = (uint8_t)field(words, 101, 99);
        t->tile_depth = (uint8_t)field(words, 104, 102);
        t->tile_width = (uint8_t)field(words, 108, 106);
        if (t->tile_height > 5 || t->tile_depth > 5 ||
            !decode_image(words, t)) {
            return false;
        }
        image_layout(t);
        return true;
    default:
        return false;           /* colour keys are not Vulkan's */
    }
}

/* ---- Texels ---- */

/* False: there is no such texel. */
static bool inside(const VgspTexImage *t, unsigned level, const VgspTexAt *at)
{
    bool is_3d = t->dim == VGSP_TEX_3D;

    return level < t->levels && at->x < vgsp_tex_minify(t->width, level) &&
           at->y < vgsp_tex_minify(t->height, level) &&
           at->z < (is_3d ? vgsp_tex_minify(t->depth, level) : 1) &&
           at->layer < (is_3d ? 1 : t->depth) &&
           !(at->sample >> (t->sample_x + t->sample_y));
}

bool vgsp_tex_locate(const VgspTexImage *t, unsigned level,
                     const VgspTexAt *at, uint64_t *va)
{
    uint32_t x, y;

    if (!inside(t, level, at)) {
        return false;
    }
    x = at->x << t->sample_x | (at->sample & ((1u << t->sample_x) - 1));
    y = at->y << t->sample_y | at->sample >> t->sample_x;
    *va = vgsp_tex_address(t, level, x / vgsp_tex_block_width(t->format),
                           y / vgsp_tex_block_height(t->format), at->z,
                           at->layer);
    return true;
}

bool vgsp_tex_fetch(VgspMmu *mmu, const VgspTexImage *t, unsigned level,
                    const VgspTexAt *at, VgspTexel *out, bool *resident)
{
    uint8_t element[16];
    VgspTlbEntry *page;
    uint64_t va;

    memset(out, 0, sizeof(*out));
    if (!vgsp_tex_locate(t, level, at, &va)) {
        return true;
    }
    page = vgsp_mmu_page(mmu, va, VGSP_GMMU_ACCESS_READ);
    if (!page) {
        return false;
    }
    if (!page->host) {
        *resident = false;
        return true;
    }
    if (!vgsp_mmu_read(mmu, va, element, t->format->bytes)) {
        return false;
    }
    vgsp_tex_decode(t, element, at->x % vgsp_tex_block_width(t->format),
                    at->y % vgsp_tex_block_height(t->format), out);
    return true;
}
