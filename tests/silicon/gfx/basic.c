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

typedef struct Vertex {
    float position[4], color[4];
} Vertex;

static const VkVertexInputBindingDescription vertex_binding = {
    0, sizeof(Vertex), VK_VERTEX_INPUT_RATE_VERTEX,
};
static const VkVertexInputAttributeDescription vertex_attributes[] = {
    { 0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(Vertex, position) },
    { 1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(Vertex, color) },
};

static Pipe plain(VkPrimitiveTopology topology)
{
    return (Pipe) {
        .vert = &sh_plain_vert,
        .frag = &sh_shade_frag,
        .topology = topology,
        .bindings = &vertex_binding,
        .num_bindings = 1,
        .attributes = vertex_attributes,
        .num_attributes = 2,
    };
}

/* What quad.vert takes. */
typedef struct Quad {
    float rect[4], color[4], uv[4], z;
} Quad;

static Pipe quads(const Shader *frag)
{
    return (Pipe) {
        .vert = &sh_quad_vert,
        .frag = frag,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
    };
}

static void vertices(Gfx *g, const Vertex *v, uint32_t count)
{
    Buf b = buf_of(g, v, count * sizeof(*v));
    VkDeviceSize zero = 0;

    vkCmdBindVertexBuffers(g->cmd, 0, 1, &b.buf, &zero);
    draw(g, count, 1);
}

static void triangle(Gfx *g)
{
    static const Vertex v[] = {
        { { -0.8f, -0.7f, 0, 1 }, { 1, 0, 0, 1 } },
        { { 0.9f, -0.2f, 0, 1 }, { 0, 1, 0, 1 } },
        { { -0.1f, 0.8f, 0, 1 }, { 0, 0, 1, 1 } },
    };
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = plain(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    VkPipeline pipe = pipe_new(g, &p);

    cmd_begin(g);
    draw_begin(g, &t, 0.1f, 0.2f, 0.3f, 1);
    bind(g, pipe, NULL);
    vertices(g, v, 3);
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
    Pipe p = plain(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    VkPipeline pipe;

    p.depth = format;
    p.ds.depthTestEnable = p.ds.depthWriteEnable = VK_TRUE;
    p.ds.depthCompareOp = op;
    p.bias = bias;
    pipe = pipe_new(g, &p);
    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind(g, pipe, NULL);
    vertices(g, crossing, ARRAY_SIZE(crossing));
    draw_end(g);
    keep(g, &t, name, 0, GFX_PIXELS);
    cmd_end(g);
}

static void depth(Gfx *g)
{
    depth_of(g, VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_LESS, "depth-d32", 0);
    depth_of(g, VK_FORMAT_D16_UNORM, VK_COMPARE_OP_LESS_OR_EQUAL, "depth-d16",
             0);
    depth_of(g, VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_NOT_EQUAL, "depth-ne", 0);
    depth_of(g, VK_FORMAT_D32_SFLOAT, VK_COMPARE_OP_LESS, "depth-bias", 1000);
}

static void stencil(Gfx *g)
{
    const VkFormat format = VK_FORMAT_D32_SFLOAT_S8_UINT;
    Target t = target_new(g, SIDE, SIDE, COLOR, format, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = plain(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
    VkPipeline count, show;
    Pipe q = quads(&sh_shade_frag);
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
    vertices(g, crossing, ARRAY_SIZE(crossing));
    bind(g, show, NULL);
    push(g, &quad, sizeof(quad));
    draw(g, 4, 1);
    draw_end(g);
    keep(g, &t, "stencil", 0, GFX_PIXELS);
    cmd_end(g);
}

/* Each cell: a square of one colour, and another blended over half of it. */
static void blend_cells(Gfx *g, const Target *t, VkPipeline below,
                        const VkPipeline *pipes, uint32_t n)
{
    (void)t;
    for (uint32_t i = 0; i < n; i++) {
        float x = -1 + i % 8 * 0.25f, y = -1 + i / 8 * 0.25f;
        Quad a = { { x, y, x + 0.2f, y + 0.2f }, { 0.8f, 0.4f, 0.2f, 0.6f },
                   { 0 }, 0 };
        Quad b = { { x + 0.05f, y, x + 0.2f, y + 0.15f },
                   { 0.3f, 0.9f, 0.5f, 0.7f }, { 0 }, 0 };

        bind(g, below, NULL);
        push(g, &a, sizeof(a));
        draw(g, 4, 1);
        bind(g, pipes[i], NULL);
        push(g, &b, sizeof(b));
        draw(g, 4, 1);
    }
}

static void blending(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = quads(&sh_shade_frag);
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
    blend_cells(g, &t, below, pipes, n);
    draw_end(g);
    keep(g, &t, "blending", 0, GFX_PIXELS);
    cmd_end(g);
}

static void shading(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = quads(&sh_wave_frag);
    VkPipeline pipe = pipe_new(g, &p);
    Quad quad = { { -0.95f, -0.9f, 0.9f, 0.95f }, { 1, 1, 1, 1 },
                  { 0, 0, 1, 1 }, 0 };

    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind(g, pipe, NULL);
    push(g, &quad, sizeof(quad));
    draw(g, 4, 1);
    draw_end(g);
    keep(g, &t, "shading", 0, GFX_PIXELS);
    cmd_end(g);
}

static void lines(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = plain(VK_PRIMITIVE_TOPOLOGY_LINE_LIST);
    Pipe q = plain(VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
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
    vertices(g, v, 32);
    bind(g, point, NULL);
    for (int i = 0; i < 32; i++) {
        v[i].position[0] *= 0.73f;
        v[i].position[1] *= 0.73f;
    }
    vertices(g, v, 32);
    draw_end(g);
    keep(g, &t, "lines", 0, GFX_EDGES);
    cmd_end(g);
}

static void culling(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    VkPipeline pipes[4];

    for (int i = 0; i < 4; i++) {
        Pipe p = plain(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);

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
        vertices(g, crossing, ARRAY_SIZE(crossing));
    }
    draw_end(g);
    keep(g, &t, "culling", 0, GFX_EDGES);
    cmd_end(g);
}

static const struct {
    VkFormat format;
    const char *name;
} target_formats[] = {
    { VK_FORMAT_R8_UNORM, "r8" },
    { VK_FORMAT_R8G8_UNORM, "rg8" },
    { VK_FORMAT_R8G8B8A8_SNORM, "rgba8-snorm" },
    { VK_FORMAT_R8G8B8A8_SRGB, "rgba8-srgb" },
    { VK_FORMAT_B8G8R8A8_UNORM, "bgra8" },
    { VK_FORMAT_B8G8R8A8_SRGB, "bgra8-srgb" },
    { VK_FORMAT_R5G6B5_UNORM_PACK16, "r5g6b5" },
    { VK_FORMAT_A2B10G10R10_UNORM_PACK32, "a2b10g10r10" },
    { VK_FORMAT_B10G11R11_UFLOAT_PACK32, "b10g11r11" },
    { VK_FORMAT_R16_UNORM, "r16" },
    { VK_FORMAT_R16_SFLOAT, "r16f" },
    { VK_FORMAT_R16G16_SFLOAT, "rg16f" },
    { VK_FORMAT_R16G16B16A16_UNORM, "rgba16" },
    { VK_FORMAT_R16G16B16A16_SFLOAT, "rgba16f" },
    { VK_FORMAT_R32_SFLOAT, "r32f" },
    { VK_FORMAT_R32G32_SFLOAT, "rg32f" },
    { VK_FORMAT_R32G32B32A32_SFLOAT, "rgba32f" },
};

/* Draws to each format, then that as a texture to RGBA8. */
static void targets(Gfx *g)
{
    VkSampler s = sampler_new(g, VK_FILTER_NEAREST,
                              VK_SAMPLER_MIPMAP_MODE_NEAREST,
                              VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE);
    Pipe show = quads(&sh_texture_frag);
    VkPipeline show_pipe = pipe_new(g, &show);
    Quad whole = { { -1, -1, 1, 1 }, { 1, 1, 1, 1 }, { 0, 0, 1, 1 }, 0 };

    for (size_t i = 0; i < ARRAY_SIZE(target_formats); i++) {
        Target t = target_new(g, 64, 64, target_formats[i].format, 0,
                              VK_SAMPLE_COUNT_1_BIT);
        Target out = target_new(g, 64, 64, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
        const Img *img = &t.color;
        VkDescriptorSet set = set_new(g, &img, &s, 1);
        Pipe p = plain(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
        VkPipeline pipe;

        p.color = target_formats[i].format;
        pipe = pipe_new(g, &p);
        cmd_begin(g);
        draw_begin(g, &t, 0.25f, 0.5f, 0.75f, 0.5f);
        bind(g, pipe, NULL);
        vertices(g, crossing, ARRAY_SIZE(crossing));
        draw_end(g);
        draw_begin(g, &out, 0, 0, 0, 1);
        bind(g, show_pipe, set);
        push(g, &whole, sizeof(whole));
        draw(g, 4, 1);
        draw_end(g);
        keep(g, &out, target_formats[i].name, 0, GFX_PIXELS);
        cmd_end(g);
    }
}

static void many(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = quads(&sh_shade_frag);
    VkPipeline pipe = pipe_new(g, &p);

    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind(g, pipe, NULL);
    for (int i = 0; i < 1024; i++) {
        float x = -1 + i % 32 / 16.f, y = -1 + i / 32 / 16.f;
        Quad q = { { x, y, x + 0.05f, y + 0.05f },
                   { i % 32 / 31.f, i / 32 / 31.f, i % 7 / 6.f, 1 }, { 0 },
                   0 };

        push(g, &q, sizeof(q));
        draw(g, 4, 1);
    }
    draw_end(g);
    keep(g, &t, "many", 0, GFX_PIXELS);
    cmd_end(g);
}

static void multisample(Gfx *g)
{
    static const VkSampleCountFlagBits counts[] = {
        VK_SAMPLE_COUNT_4_BIT, VK_SAMPLE_COUNT_4_BIT,
    };

    for (size_t i = 0; i < ARRAY_SIZE(counts); i++) {
        VkFormat format = i ? VK_FORMAT_D32_SFLOAT : 0;
        Target t = target_new(g, SIDE, SIDE, COLOR, format, counts[i]);
        Pipe p = plain(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST);
        VkPipeline pipe;

        p.samples = counts[i];
        p.depth = format;
        p.ds.depthTestEnable = p.ds.depthWriteEnable = i;
        p.ds.depthCompareOp = VK_COMPARE_OP_LESS;
        pipe = pipe_new(g, &p);
        cmd_begin(g);
        draw_begin(g, &t, 0.1f, 0.1f, 0.1f, 1);
        bind(g, pipe, NULL);
        vertices(g, crossing, ARRAY_SIZE(crossing));
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
