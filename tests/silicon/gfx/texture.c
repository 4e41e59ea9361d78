/*
 * Graphics programs: textures with mipmaps, wrap modes, layers, volumes and
 * cubes, and the spinning cube.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include <string.h>

#include "gfx.h"
#include "gfx-shaders.h"

#define SIDE 128
#define FRAME 64               /* of the cube: there are many */

static uint32_t rgba(uint32_t r, uint32_t g, uint32_t b)
{
    return (r & 255) | (g & 255) << 8 | (b & 255) << 16 | 0xff000000u;
}

/* Levels have colours of their own; within one a pattern without symmetry. */
static uint32_t pattern(uint32_t level, uint32_t layer, uint32_t x, uint32_t y,
                        uint32_t z)
{
    bool odd = (x ^ y ^ z) & 1;

    return rgba(40 * level + (odd ? 120 : 0) + x * 3, 255 - 50 * level - y * 5,
                layer * 40 + z * 60 + (odd ? 30 : 90));
}

/*
 * Likewise, with less between texels and levels. A chip weighs levels by a
 * fraction of 8 bits, from a logarithm of few bits more, and texels likewise:
 * against exact weights that is up to 3.5 of 160, here below 2 of 80. A wrong
 * level is 40 off, and a texel's neighbour too.
 */
static uint32_t soft_pattern(uint32_t level, uint32_t layer, uint32_t x,
                             uint32_t y, uint32_t z)
{
    bool odd = (x ^ y ^ z) & 1;

    return rgba(40 * level + (odd ? 40 : 0), 255 - 40 * level - y * 2,
                layer * 40 + (odd ? 30 : 60) + x * 2);
}

static VkPipeline quads(Gfx *g, const Shader *frag)
{
    Pipe p = quads_pipe(frag);

    return pipe_new(g, &p);
}

static Quad cell(uint32_t i, uint32_t columns, float lo, float hi)
{
    float step = 2.f / columns;
    float x = -1 + i % columns * step, y = -1 + i / columns * step;

    return (Quad) {
        { x, y, x + step * 0.94f, y + step * 0.94f }, { 1, 1, 1, 1 },
        { lo, lo, hi, hi }, 0,
    };
}

static void wraps(Gfx *g)
{
    static const struct {
        VkSamplerAddressMode mode;
        VkBorderColor border;
    } all[] = {
        { VK_SAMPLER_ADDRESS_MODE_REPEAT, 0 },
        { VK_SAMPLER_ADDRESS_MODE_MIRRORED_REPEAT, 0 },
        { VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0 },
        { VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
          VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE },
        { VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
          VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK },
        { VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER,
          VK_BORDER_COLOR_FLOAT_OPAQUE_BLACK },
        { VK_SAMPLER_ADDRESS_MODE_MIRROR_CLAMP_TO_EDGE, 0 },
    };
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Img img = texture_new(g, VK_IMAGE_VIEW_TYPE_2D, 16, 8, 1, 1, 1, pattern);
    const Img *imgs = &img;
    VkPipeline pipe = quads(g, &sh_texture_frag);

    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    for (uint32_t i = 0; i < 2 * ARRAY_SIZE(all); i++) {
        VkSampler s = sampler_new(g, i & 1 ? VK_FILTER_LINEAR
                                           : VK_FILTER_NEAREST,
                                  VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                  all[i / 2].mode, all[i / 2].border);
        Quad q = cell(i, 4, -0.77f, 1.81f);

        bind(g, pipe, set_new(g, &imgs, &s, 1));
        draw_quad(g, &q);
    }
    draw_end(g);
    keep(g, &t, "texture-wraps", 0, GFX_PIXELS);
    cmd_end(g);
}

static void mipmaps(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Img img = texture_new(g, VK_IMAGE_VIEW_TYPE_2D, 32, 32, 1, 6, 1,
                          soft_pattern);
    const Img *imgs = &img;
    VkPipeline derived = quads(g, &sh_texture_frag);
    VkPipeline given = quads(g, &sh_texture_lod_frag);
    VkDescriptorSet sets[2];

    for (uint32_t i = 0; i < 2; i++) {
        VkSampler s = sampler_new(g, VK_FILTER_LINEAR,
                                  i ? VK_SAMPLER_MIPMAP_MODE_LINEAR
                                    : VK_SAMPLER_MIPMAP_MODE_NEAREST,
                                  VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);

        sets[i] = set_new(g, &imgs, &s, 1);
    }
    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    for (uint32_t i = 0; i < 16; i++) {
        bool lod = i >= 8;
        Quad q = cell(i, 4, 0, lod ? 1 : 0.5f * (1 << i % 4));

        q.color[0] = lod ? (i - 8) * 0.7f : 1;
        bind(g, lod ? given : derived, sets[i / 4 % 2]);
        draw_quad(g, &q);
    }
    draw_end(g);
    keep(g, &t, "texture-mipmaps", 0, GFX_PIXELS);
    cmd_end(g);
}

static void shapes(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Img all[3] = {
        texture_new(g, VK_IMAGE_VIEW_TYPE_2D_ARRAY, 8, 8, 1, 1, 4, pattern),
        texture_new(g, VK_IMAGE_VIEW_TYPE_3D, 8, 8, 4, 1, 1, pattern),
        texture_new(g, VK_IMAGE_VIEW_TYPE_CUBE, 8, 8, 1, 1, 6, pattern),
    };
    VkSampler s = sampler_new(g, VK_FILTER_LINEAR,
                              VK_SAMPLER_MIPMAP_MODE_NEAREST,
                              VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    VkPipeline pipes[3] = {
        quads(g, &sh_texture_array_frag), quads(g, &sh_texture_3d_frag),
        quads(g, &sh_texture_cube_frag),
    };
    VkDescriptorSet sets[3];

    for (uint32_t i = 0; i < 3; i++) {
        const Img *img = &all[i];

        sets[i] = set_new(g, &img, &s, 1);
    }
    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    for (uint32_t i = 0; i < 14; i++) {
        uint32_t shape = i < 4 ? 0 : i < 8 ? 1 : 2;
        Quad q = cell(i, 4, 0.05f, 0.95f);

        q.color[0] = shape == 0 ? i : shape == 1 ? (i - 4) * 0.29f : i - 8;
        bind(g, pipes[shape], sets[shape]);
        draw_quad(g, &q);
    }
    draw_end(g);
    keep(g, &t, "texture-shapes", 0, GFX_PIXELS);
    cmd_end(g);
}

/* ---- The cube ---- */

typedef struct Corner {
    float position[3], uv[2];
} Corner;

/* Column-major, m = a * b. */
static void multiply(float m[16], const float a[16], const float b[16])
{
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 4; r++) {
            m[c * 4 + r] = 0;
            for (int k = 0; k < 4; k++) {
                m[c * 4 + r] += a[k * 4 + r] * b[c * 4 + k];
            }
        }
    }
}

static void turn(float m[16], uint32_t frame)
{
    float a = frame * 0.21f + 0.3f, b = frame * 0.13f + 0.5f;
    const float y[16] = { cosf(a), 0, -sinf(a), 0, 0, 1, 0, 0, sinf(a), 0,
                          cosf(a), 0, 0, 0, 0, 1 };
    const float x[16] = { 1, 0, 0, 0, 0, cosf(b), sinf(b), 0, 0, -sinf(b),
                          cosf(b), 0, 0, 0, 0, 1 };
    /* Two units away; depth from 1 to 5. */
    const float view[16] = { 1.5f, 0, 0, 0, 0, 1.5f, 0, 0, 0, 0, 1.25f, 1, 0,
                             0, 2.5f, 3 };
    float t[16];

    multiply(t, x, y);
    multiply(m, view, t);
}

static void make_cube(Corner v[36])
{
    static const int order[] = { 0, 1, 2, 2, 1, 3 };

    for (int i = 0; i < 36; i++) {
        int axis = i / 12, side = i / 6 % 2 ? 1 : -1, c = order[i % 6];
        float p[3];

        p[axis] = side * 0.9f;
        p[(axis + 1) % 3] = c & 1 ? 0.9f : -0.9f;
        p[(axis + 2) % 3] = c & 2 ? 0.9f : -0.9f;
        memcpy(v[i].position, p, sizeof(p));
        v[i].uv[0] = c & 1;
        v[i].uv[1] = c >> 1;
    }
}

static void cube(Gfx *g)
{
    const VkFormat format = VK_FORMAT_D32_SFLOAT;
    VkVertexInputBindingDescription binding = {
        0, sizeof(Corner), VK_VERTEX_INPUT_RATE_VERTEX,
    };
    VkVertexInputAttributeDescription attributes[] = {
        { 0, 0, VK_FORMAT_R32G32B32_SFLOAT, offsetof(Corner, position) },
        { 1, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(Corner, uv) },
    };
    Pipe p = {
        .vert = &sh_cube_vert,
        .frag = &sh_texture_frag,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
        .bindings = &binding, .num_bindings = 1,
        .attributes = attributes, .num_attributes = 2,
        .depth = format,
        .ds = { .depthTestEnable = VK_TRUE, .depthWriteEnable = VK_TRUE,
                .depthCompareOp = VK_COMPARE_OP_LESS },
    };
    Target t = target_new(g, FRAME, FRAME, COLOR, format,
                          VK_SAMPLE_COUNT_1_BIT);
    VkPipeline pipe = pipe_new(g, &p);
    Img img = texture_new(g, VK_IMAGE_VIEW_TYPE_2D, 16, 16, 1, 1, 1, pattern);
    const Img *imgs = &img;
    VkSampler s = sampler_new(g, VK_FILTER_LINEAR,
                              VK_SAMPLER_MIPMAP_MODE_NEAREST,
                              VK_SAMPLER_ADDRESS_MODE_REPEAT, 0);
    VkDescriptorSet set = set_new(g, &imgs, &s, 1);
    VkDeviceSize zero = 0;
    Corner v[36];
    Buf b;

    make_cube(v);
    b = buf_of(g, v, sizeof(v));
    for (uint32_t frame = 0; frame < g->frames; frame++) {
        float m[16];

        turn(m, frame);
        cmd_begin(g);
        draw_begin(g, &t, 0.05f, 0.05f, 0.1f, 1);
        bind(g, pipe, set);
        push(g, m, sizeof(m));
        vkCmdBindVertexBuffers(g->cmd, 0, 1, &b.buf, &zero);
        draw(g, 36, 1);
        draw_end(g);
        keep(g, &t, "cube", frame, GFX_PIXELS);
        cmd_end(g);
    }
}

const Program texture_programs[] = {
    { "texture-wraps", wraps },
    { "texture-mipmaps", mipmaps },
    { "texture-shapes", shapes },
    { "cube", cube },
    { 0 },
};
