/*
 * Graphics programs: triangles, depth, stencil, blending, lines and points,
 * formats of render targets, many draws.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include <string.h>

#include "gfx.h"
#include "gfx-shaders.h"

#define SIDE 128

static void triangle(Gfx *g)
{
    static const Vertex v[] = {
        { { -0.8f, -0.7f, 0, 1 }, { 1, 0, 0, 1 } },
        { { 0.9f, -0.2f, 0, 1 }, { 0, 1, 0, 1 } },
        { { -0.1f, 0.8f, 0, 1 }, { 0, 0, 1, 1 } },
    };
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = vertices_pipe(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    VkPipeline pipe = pipe_new(g, &p);

    cmd_begin(g);
    draw_begin(g, &t, 0.1f, 0.2f, 0.3f, 1);
    bind(g, pipe, NULL);
    draw_vertices(g, v, 3);
    draw_end(g);
    keep(g, &t, "triangle", 0, GFX_PIXELS);
    cmd_end(g);
}

/* Triangles through each other; w differs: colours are in perspective. */
static const Vertex crossing[] = {
    { { -0.9f, -0.8f, 0.1f, 1 }, { 1, 0.2f, 0.2f, 1 } },
    { { 0.9f, -0.8f, 0.9f, 1 }, { 1, 0.2f, 0.2f, 1 } },
    { { 0, 0.9f, 0.5f, 1 }, { 1, 1, 0.2f, 1 } },
    { { -1.8f, 1.6f, 1.6f, 2 }, { 0.2f, 1, 0.2f, 1 } },
    { { 0.45f, 0.4f, 0.05f, 0.5f }, { 0.2f, 1, 0.2f, 1 } },
    { { 0, -0.9f, 0.5f, 1 }, { 0.2f, 1, 1, 1 } },
    { { -0.9f, 0, 0.4f, 1 }, { 0.2f, 0.2f, 1, 1 } },
    { { 0.9f, 0.3f, 0.6f, 1 }, { 0.2f, 0.2f, 1, 1 } },
    { { 0.9f, -0.3f, 0.4f, 1 }, { 1, 0.2f, 1, 1 } },
};

static void depth_of(Gfx *g, VkFormat format, VkCompareOp op, const char *name,
                     float bias)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, format, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = vertices_pipe(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    VkPipeline pipe;

    p.depth = format;
    p.ds.depthTestEnable = p.ds.depthWriteEnable = VK_TRUE;
    p.ds.depthCompareOp = op;
    p.bias = bias;
    pipe = pipe_new(g, &p);
    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind(g, pipe, NULL);
    draw_vertices(g, crossing, ARRAY_SIZE(crossing));
    draw_end(g);
    keep(g, &t, name, 0, GFX_PIXELS);
    cmd_end(g);
}

static void depth(Gfx *g)
{
    static const struct {
        VkFormat format;
        VkCompareOp op;
        const char *name;
        float bias;
    } all[] = {
        { VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_LESS, "depth-d32", 0 },
        { VK_FORMAT_D16_UNORM, VK_COMPARE_OP_LESS_OR_EQUAL, "depth-d16", 0 },
        { VK_FORMAT_X8_D24_UNORM_PACK32, VK_COMPARE_OP_LESS, "depth-d24", 0 },
        { VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_NOT_EQUAL, "depth-ne", 0 },
        { VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_LESS, "depth-bias", 1000 },
    };

    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        depth_of(g, all[i].format, all[i].op, all[i].name, all[i].bias);
    }
}

static void stencil_of(Gfx *g, VkFormat format, const char *name)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, format, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = vertices_pipe(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    VkPipeline count, show;
    Pipe q = quads_pipe(&sh_shade_frag);
    Quad quad = { { -1, -1, 1, 1 }, { 1, 1, 1, 1 }, { 0 }, 0 };

    p.depth = q.depth = format;
    p.ds.stencilTestEnable = q.ds.stencilTestEnable = VK_TRUE;
    p.ds.front = (VkStencilOpState) {
        .passOp = VK_STENCIL_OP_INCREMENT_AND_CLAMP,
        .compareOp = VK_COMPARE_OP_ALWAYS, .compareMask = 0xff,
        .writeMask = 0xff,
    };
    p.ds.back = p.ds.front;
    q.ds.front = (VkStencilOpState) {
        .compareOp = VK_COMPARE_OP_EQUAL, .compareMask = 0xff, .reference = 2,
    };
    q.ds.back = q.ds.front;
    count = pipe_new(g, &p);
    show = pipe_new(g, &q);
    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind(g, count, NULL);
    draw_vertices(g, crossing, ARRAY_SIZE(crossing));
    bind(g, show, NULL);
    draw_quad(g, &quad);
    draw_end(g);
    keep(g, &t, name, 0, GFX_PIXELS);
    cmd_end(g);
}

static void stencil(Gfx *g)
{
    stencil_of(g, VK_FORMAT_D32_SFLOAT_S8_UINT, "stencil-d32s8");
    stencil_of(g, VK_FORMAT_D24_UNORM_S8_UINT, "stencil-d24s8");
}

/* Each cell: a square of one colour, and another blended over half of it. */
static void blend_cells(Gfx *g, VkPipeline below, const VkPipeline *pipes,
                        uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        float x = -1 + i % 8 * 0.25f, y = -1 + i / 8 * 0.25f;
        Quad a = { { x, y, x + 0.2f, y + 0.2f }, { 0.8f, 0.4f, 0.2f, 0.6f },
                   { 0 }, 0 };
        Quad b = { { x + 0.05f, y, x + 0.2f, y + 0.15f },
                   { 0.3f, 0.9f, 0.5f, 0.7f }, { 0 }, 0 };

        bind(g, below, NULL);
        draw_quad(g, &a);
        bind(g, pipes[i], NULL);
        draw_quad(g, &b);
    }
}

static void blending(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = quads_pipe(&sh_shade_frag);
    VkPipeline below = pipe_new(g, &p), pipes[64];
    uint32_t n = 0;

    for (VkBlendFactor f = VK_BLEND_FACTOR_ZERO;
         f <= VK_BLEND_FACTOR_SRC_ALPHA_SATURATE; f++) {
        p.blend = (VkPipelineColorBlendAttachmentState) {
            .blendEnable = VK_TRUE,
            .srcColorBlendFactor = f,
            .dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA,
            .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
            .dstAlphaBlendFactor = VK_BLEND_FACTOR_ZERO,
        };
        pipes[n++] = pipe_new(g, &p);
        p.blend.srcColorBlendFactor = VK_BLEND_FACTOR_DST_ALPHA;
        p.blend.dstColorBlendFactor =
            f == VK_BLEND_FACTOR_SRC_ALPHA_SATURATE ? VK_BLEND_FACTOR_ONE : f;
        pipes[n++] = pipe_new(g, &p);
    }
    for (VkBlendOp op = VK_BLEND_OP_ADD; op <= VK_BLEND_OP_MAX; op++) {
        p.blend = (VkPipelineColorBlendAttachmentState) {
            .blendEnable = VK_TRUE,
            .srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA,
            .dstColorBlendFactor = VK_BLEND_FACTOR_ONE,
            .colorBlendOp = op,
            .srcAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
            .dstAlphaBlendFactor = VK_BLEND_FACTOR_ONE,
            .alphaBlendOp = op,
        };
        pipes[n++] = pipe_new(g, &p);
    }
    for (uint32_t mask = 1; mask < 16; mask <<= 1) {
        p.blend = (VkPipelineColorBlendAttachmentState) {
            .colorWriteMask = mask,
        };
        pipes[n++] = pipe_new(g, &p);
    }
    cmd_begin(g);
    draw_begin(g, &t, 0.2f, 0.2f, 0.2f, 1);
    blend_cells(g, below, pipes, n);
    draw_end(g);
    keep(g, &t, "blending", 0, GFX_PIXELS);
    cmd_end(g);
}

static void shading(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = quads_pipe(&sh_wave_frag);
    VkPipeline pipe = pipe_new(g, &p);
    Quad quad = { { -0.95f, -0.9f, 0.9f, 0.95f }, { 1, 1, 1, 1 },
                  { 0, 0, 1, 1 }, 0 };

    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind(g, pipe, NULL);
    draw_quad(g, &quad);
    draw_end(g);
    keep(g, &t, "shading", 0, GFX_PIXELS);
    cmd_end(g);
}

static void lines(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = vertices_pipe(VK_PRIMITIVE_TOPOLOGY_LINE_LIST);
    Pipe q = vertices_pipe(VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
    VkPipeline line = pipe_new(g, &p), point = pipe_new(g, &q);
    Vertex v[32];

    for (int i = 0; i < 32; i++) {
        float angle = (i / 2) * 0.39f, r = i % 2 ? 0.9f : 0.2f;

        v[i] = (Vertex) {
            { r * cosf(angle), r * sinf(angle), 0, 1 },
            { 1, i / 31.f, 1 - i / 31.f, 1 },
        };
    }
    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind(g, line, NULL);
    draw_vertices(g, v, 32);
    bind(g, point, NULL);
    for (int i = 0; i < 32; i++) {
        v[i].position[0] *= 0.73f;
        v[i].position[1] *= 0.73f;
    }
    draw_vertices(g, v, 32);
    draw_end(g);
    keep(g, &t, "lines", 0, GFX_EDGES);
    cmd_end(g);
}

static void culling(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    VkPipeline pipes[4];

    for (int i = 0; i < 4; i++) {
        Pipe p = vertices_pipe(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);

        p.cull = i < 3 ? i : 0;
        p.polygon = i < 3 ? VK_POLYGON_MODE_FILL : VK_POLYGON_MODE_LINE;
        pipes[i] = pipe_new(g, &p);
    }
    cmd_begin(g);
    draw_begin(g, &t, 0.3f, 0.3f, 0.3f, 1);
    for (int i = 0; i < 4; i++) {
        /* The scissor of each is a quarter less a margin. */
        viewport(g, i % 2 * 64 + 3, i / 2 * 64 + 5, 57, 55);
        bind(g, pipes[i], NULL);
        draw_vertices(g, crossing, ARRAY_SIZE(crossing));
    }
    draw_end(g);
    keep(g, &t, "culling", 0, GFX_EDGES);
    cmd_end(g);
}

static const struct {
    VkFormat format;
    const char *name;
    bool coarse;                /* a step of it is more than two of 255 */
} target_formats[] = {
    { VK_FORMAT_R8_UNORM, "r8", false },
    { VK_FORMAT_R8G8_UNORM, "rg8", false },
    { VK_FORMAT_R8G8B8A8_SNORM, "rgba8-snorm", false },
    { VK_FORMAT_R8G8B8A8_SRGB, "rgba8-srgb", false },
    { VK_FORMAT_B8G8R8A8_UNORM, "bgra8", false },
    { VK_FORMAT_B8G8R8A8_SRGB, "bgra8-srgb", false },
    { VK_FORMAT_R5G6B5_UNORM_PACK16, "r5g6b5", true },
    { VK_FORMAT_A1R5G5B5_UNORM_PACK16, "a1r5g5b5", true },
    { VK_FORMAT_A2B10G10R10_UNORM_PACK32, "a2b10g10r10", false },
    { VK_FORMAT_A2R10G10B10_UNORM_PACK32, "a2r10g10b10", false },
    { VK_FORMAT_B10G11R11_UFLOAT_PACK32, "b10g11r11", false },
    { VK_FORMAT_R16_UNORM, "r16", false },
    { VK_FORMAT_R16_SFLOAT, "r16f", false },
    { VK_FORMAT_R16G16_UNORM, "rg16", false },
    { VK_FORMAT_R16G16_SFLOAT, "rg16f", false },
    { VK_FORMAT_R16G16B16A16_UNORM, "rgba16", false },
    { VK_FORMAT_R16G16B16A16_SFLOAT, "rgba16f", false },
    { VK_FORMAT_R32_SFLOAT, "r32f", false },
    { VK_FORMAT_R32G32_SFLOAT, "rg32f", false },
    { VK_FORMAT_R32G32B32A32_SFLOAT, "rgba32f", false },
};

/*
 * Which way a value goes that lies between two of the format is the
 * implementation's choice, and a chip's conversion may be off by a tenth of a
 * step. So what is cleared and drawn flat is in eighths: floats of five bits
 * have them, and of 2^n - 1 steps they are an eighth of one or more from the
 * middle between two. 4/8 is such a middle, and 7/8 nearly one in sRGB.
 */
static const float levels[] = {
    0, 1 / 8.f, 2 / 8.f, 3 / 8.f, 5 / 8.f, 6 / 8.f, 1,
};

#define LEVELS ARRAY_SIZE(levels)

/* 8 x 4 cells of one colour each, in the upper half. */
static void level_cells(Gfx *g)
{
    for (uint32_t i = 0; i < 32; i++) {
        float x = -1 + i % 8 * 0.25f, y = -1 + i / 8 * 0.25f;
        Quad q = {
            { x, y, x + 0.25f, y + 0.25f },
            { levels[i % LEVELS], levels[(i * 3 + 1) % LEVELS],
              levels[(i * 5 + i / 7) % LEVELS], levels[(i + 4) % LEVELS] },
            { 0 }, 0,
        };

        draw_quad(g, &q);
    }
}

/* Draws to each format, then that as a texture to RGBA8. */
static void targets(Gfx *g)
{
    VkSampler s = sampler_new(g, VK_FILTER_NEAREST,
                              VK_SAMPLER_MIPMAP_MODE_NEAREST,
                              VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE,
                              VK_BORDER_COLOR_FLOAT_OPAQUE_WHITE);
    Pipe show = quads_pipe(&sh_texture_frag);
    VkPipeline show_pipe = pipe_new(g, &show);
    Quad whole = { { -1, -1, 1, 1 }, { 1, 1, 1, 1 }, { 0, 0, 1, 1 }, 0 };

    for (size_t i = 0; i < ARRAY_SIZE(target_formats); i++) {
        Target t = target_new(g, 64, 64, target_formats[i].format, 0,
                              VK_SAMPLE_COUNT_1_BIT);
        Target out = target_new(g, 64, 64, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
        const Img *img = &t.color;
        VkDescriptorSet set = set_new(g, &img, &s, 1);
        Pipe flat = quads_pipe(&sh_shade_frag);
        Pipe slope = vertices_pipe(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
        VkPipeline flat_pipe, slope_pipe;

        flat.color = slope.color = target_formats[i].format;
        flat_pipe = pipe_new(g, &flat);
        slope_pipe = pipe_new(g, &slope);
        cmd_begin(g);
        draw_begin(g, &t, 0.25f, 0.625f, 0.75f, 0.625f);
        bind(g, flat_pipe, NULL);
        level_cells(g);
        /* A slope crosses middles: its error there is a step. */
        if (!target_formats[i].coarse) {
            viewport(g, 0, 32, 64, 32);
            bind(g, slope_pipe, NULL);
            draw_vertices(g, crossing, ARRAY_SIZE(crossing));
        }
        draw_end(g);
        draw_begin(g, &out, 0, 0, 0, 1);
        bind(g, show_pipe, set);
        draw_quad(g, &whole);
        draw_end(g);
        keep(g, &out, target_formats[i].name, 0, GFX_PIXELS);
        cmd_end(g);
    }
}

static void many(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = quads_pipe(&sh_shade_frag);
    VkPipeline pipe = pipe_new(g, &p);

    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind(g, pipe, NULL);
    for (int i = 0; i < 1024; i++) {
        float x = -1 + i % 32 / 16.f, y = -1 + i / 32 / 16.f;
        Quad q = { { x, y, x + 0.05f, y + 0.05f },
                   { i % 32 / 31.f, i / 32 / 31.f, i % 7 / 6.f, 1 }, { 0 },
                   0 };

        draw_quad(g, &q);
    }
    draw_end(g);
    keep(g, &t, "many", 0, GFX_PIXELS);
    cmd_end(g);
}

/* 4 samples: lavapipe has no other number. */
static void multisample(Gfx *g)
{
    const VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_4_BIT;

    for (int i = 0; i < 2; i++) {
        VkFormat format = i ? VK_FORMAT_D32_SFLOAT : 0;
        Target t = target_new(g, SIDE, SIDE, COLOR, format, samples);
        Pipe p = vertices_pipe(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
        VkPipeline pipe;

        p.samples = samples;
        p.depth = format;
        p.ds.depthTestEnable = p.ds.depthWriteEnable = i;
        p.ds.depthCompareOp = VK_COMPARE_OP_LESS;
        pipe = pipe_new(g, &p);
        cmd_begin(g);
        draw_begin(g, &t, 0.1f, 0.1f, 0.1f, 1);
        bind(g, pipe, NULL);
        draw_vertices(g, crossing, ARRAY_SIZE(crossing));
        draw_end(g);
        keep(g, &t, i ? "msaa-depth" : "msaa", 0, GFX_EDGES);
        cmd_end(g);
    }
}

const Program basic_programs[] = {
    { "triangle", triangle },
    { "depth", depth },
    { "stencil", stencil },
    { "blending", blending },
    { "shading", shading },
    { "lines", lines },
    { "culling", culling },
    { "targets", targets },
    { "many", many },
    { "msaa", multisample },
    { 0 },
};
