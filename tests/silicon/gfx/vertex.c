/*
 * Graphics programs: vertex formats, indices, instances, indirect draws.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "gfx.h"
#include "gfx-shaders.h"

#define SIDE 128

/* ---- Every format of an attribute ---- */

typedef enum Kind { FLOATS, INTS, UINTS } Kind;

typedef struct Format {
    VkFormat format;
    Kind kind;
    float scale, bias, alpha;   /* alpha: its own scale */
    uint32_t data;              /* which of the samples */
} Format;

/* What attributes are read from, 16 bytes each. */
static const union {
    uint8_t b[16];
    uint16_t h[8];
    uint32_t w[4];
    float f[4];
} samples[] = {
    { .b = { 0x40, 0xc0, 0x20, 0x60, 0xa0, 0x30, 0x70, 0x50, 0x10, 0x90, 0x08,
             0x22, 0x33, 0x44, 0x55, 0x12 } },
    { .h = { 0x3400, 0x3a00, 0x3800, 0x3c00 } },    /* .25 .75 .5 1 */
    { .f = { 0.25f, 0.75f, 0.5f, 1 } },
    { .w = { 0x340 | 0x3a0 << 11 | 0x1c0 << 22 } }, /* .25 .75 .5 */
};

/* f: the format's name, s: what its name ends in; max of a channel, alpha's */
#define NORM(f, s) \
    { VK_FORMAT_##f##_UNORM##s, FLOATS, 1, 0, 1, 0 }, \
    { VK_FORMAT_##f##_SNORM##s, FLOATS, 0.5f, 0.5f, 0.5f, 0 }
#define SCALED(f, s, max, alpha) \
    { VK_FORMAT_##f##_USCALED##s, FLOATS, 1.f / max, 0, 1.f / alpha, 0 }, \
    { VK_FORMAT_##f##_SSCALED##s, FLOATS, 1.f / max, 0.5f, 1.f / alpha, 0 }
#define UNSIGNED(f, s, max, alpha) \
    { VK_FORMAT_##f##_UINT##s, UINTS, 1.f / max, 0, 1.f / alpha, 0 }
#define SIGNED(f, s, max, alpha) \
    { VK_FORMAT_##f##_SINT##s, INTS, 1.f / max, 0.5f, 1.f / alpha, 0 }
#define WHOLE(f, max) UNSIGNED(f, , max, max), SIGNED(f, , max, max)
#define ALL(f, max) NORM(f, ), SCALED(f, , max, max), WHOLE(f, max)
#define FLOATING(f, data) { VK_FORMAT_##f##_SFLOAT, FLOATS, 1, 0, 1, data }

/*
 * All that NVK reads attributes in and lavapipe too, which has no SINT of
 * A2R10G10B10 and A2B10G10R10.
 */
static const Format formats[] = {
    ALL(R8, 255), ALL(R8G8, 255), ALL(R8G8B8, 255), ALL(B8G8R8, 255),
    ALL(R8G8B8A8, 255), ALL(B8G8R8A8, 255),
    NORM(A8B8G8R8, _PACK32), SCALED(A8B8G8R8, _PACK32, 255, 255),
    UNSIGNED(A8B8G8R8, _PACK32, 255, 255),
    SIGNED(A8B8G8R8, _PACK32, 255, 255),
    NORM(A2R10G10B10, _PACK32), SCALED(A2R10G10B10, _PACK32, 1023, 3),
    UNSIGNED(A2R10G10B10, _PACK32, 1023, 3),
    NORM(A2B10G10R10, _PACK32), SCALED(A2B10G10R10, _PACK32, 1023, 3),
    UNSIGNED(A2B10G10R10, _PACK32, 1023, 3),
    ALL(R16, 65535), ALL(R16G16, 65535), ALL(R16G16B16, 65535),
    ALL(R16G16B16A16, 65535),
    WHOLE(R32, 4294967295.f), WHOLE(R32G32, 4294967295.f),
    WHOLE(R32G32B32, 4294967295.f), WHOLE(R32G32B32A32, 4294967295.f),
    FLOATING(R16, 1), FLOATING(R16G16, 1), FLOATING(R16G16B16, 1),
    FLOATING(R16G16B16A16, 1),
    FLOATING(R32, 2), FLOATING(R32G32, 2), FLOATING(R32G32B32, 2),
    FLOATING(R32G32B32A32, 2),
    { VK_FORMAT_B10G11R11_UFLOAT_PACK32, FLOATS, 1, 0, 1, 3 },
};

#define COLUMNS 12              /* of cells; each is 10 pixels wide */
#define ROWS    8               /* 16 high */

_Static_assert(ARRAY_SIZE(formats) <= COLUMNS * ROWS, "more rows");

static const Shader *const attribute_shaders[] = {
    [FLOATS] = &sh_attribute_float_vert,
    [INTS] = &sh_attribute_int_vert,
    [UINTS] = &sh_attribute_uint_vert,
};

static void vertex_formats(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Buf data = buf_of(g, samples, sizeof(samples));
    VkPipeline pipes[ARRAY_SIZE(formats)];

    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        VkVertexInputBindingDescription binding = {
            0, 16, VK_VERTEX_INPUT_RATE_INSTANCE,
        };
        VkVertexInputAttributeDescription attribute = {
            0, 0, formats[i].format, 0,
        };
        Pipe p = {
            .vert = attribute_shaders[formats[i].kind],
            .frag = &sh_shade_frag,
            .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
            .bindings = &binding, .num_bindings = 1,
            .attributes = &attribute, .num_attributes = 1,
        };

        pipes[i] = pipe_new(g, &p);
    }
    cmd_begin(g);
    draw_begin(g, &t, 0.5f, 0.5f, 0.5f, 1);
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        const Format *f = &formats[i];
        float x = -1 + i % COLUMNS * (10 / 64.f);
        float y = -1 + i / COLUMNS * (16 / 64.f);
        struct {
            float rect[4], scale[4], bias[4];
        } p = {
            { x, y, x + 8 / 64.f, y + 14 / 64.f },
            { f->scale, f->scale, f->scale, f->alpha },
            { f->bias, f->bias, f->bias, f->bias },
        };
        VkDeviceSize at = f->data * 16;

        bind(g, pipes[i], NULL);
        push(g, &p, sizeof(p));
        vkCmdBindVertexBuffers(g->cmd, 0, 1, &data.buf, &at);
        draw(g, 4, 1);
    }
    draw_end(g);
    keep(g, &t, "vertex-formats", 0, GFX_PIXELS);
    cmd_end(g);
}

/* ---- Instances of a triangle ---- */

typedef struct Corner {
    float position[2];
    uint8_t color[4];
} Corner;

static const Corner corners[] = {
    { { -1, -1 }, { 255, 0, 0, 255 } },
    { { 1, -1 }, { 0, 255, 0, 255 } },
    { { -1, 1 }, { 0, 0, 255, 255 } },
    { { 1, 1 }, { 255, 255, 0, 255 } },
    { { 0, 0 }, { 255, 255, 255, 255 } },
};

static VkPipeline instance_pipe(Gfx *g, VkPrimitiveTopology topology,
                                bool restart)
{
    VkVertexInputBindingDescription binding = {
        0, sizeof(Corner), VK_VERTEX_INPUT_RATE_VERTEX,
    };
    VkVertexInputAttributeDescription attributes[] = {
        { 0, 0, VK_FORMAT_R32G32_SFLOAT, offsetof(Corner, position) },
        { 1, 0, VK_FORMAT_R8G8B8A8_UNORM, offsetof(Corner, color) },
    };
    Pipe p = {
        .vert = &sh_instance_vert,
        .frag = &sh_shade_frag,
        .topology = topology,
        .restart = restart,
        .bindings = &binding, .num_bindings = 1,
        .attributes = attributes, .num_attributes = 2,
    };

    return pipe_new(g, &p);
}

static void indexed(Gfx *g)
{
    static const uint16_t list16[] = { 0, 1, 4, 1, 3, 4, 3, 2, 4, 2, 0, 4 };
    static const uint32_t list32[] = { 9, 9, 9, 0, 1, 2, 0, 3, 1 };
    static const uint16_t strip[] = { 0, 1, 4, 0xffff, 2, 3, 4, 0xffff, 0, 2,
                                      4 };
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    VkPipeline list_pipe = instance_pipe(
        g, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, false);
    VkPipeline strip_pipe = instance_pipe(
        g, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, true);
    VkPipeline fan_pipe = instance_pipe(
        g, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, false);
    Buf b16 = buf_of(g, list16, sizeof(list16));
    Buf b32 = buf_of(g, list32, sizeof(list32));
    Buf bs = buf_of(g, strip, sizeof(strip));

    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind_vertices(g, corners, sizeof(corners));
    bind(g, list_pipe, NULL);
    vkCmdBindIndexBuffer(g->cmd, b16.buf, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(g->cmd, 12, 4, 0, 0, 0);
    vkCmdBindIndexBuffer(g->cmd, b32.buf, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexed(g->cmd, 6, 2, 3, 1, 4);
    bind(g, strip_pipe, NULL);
    vkCmdBindIndexBuffer(g->cmd, bs.buf, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(g->cmd, 11, 4, 0, 0, 8);
    bind(g, fan_pipe, NULL);
    vkCmdDraw(g->cmd, 5, 3, 0, 12);
    draw_end(g);
    keep(g, &t, "indexed", 0, GFX_PIXELS);
    cmd_end(g);
}

static void indirect(Gfx *g)
{
    static const struct {
        VkDrawIndirectCommand draw[4];
        VkDrawIndexedIndirectCommand indexed[3];
        uint32_t count;
        uint16_t index[6];
    } data = {
        { { 3, 2, 0, 0 }, { 3, 1, 1, 3 }, { 0, 0, 0, 0 }, { 3, 2, 2, 4 } },
        { { 6, 2, 0, 0, 8 }, { 3, 1, 3, 1, 11 }, { 6, 1, 0, 0, 15 } },
        2,
        { 0, 1, 4, 2, 3, 4 },
    };
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    VkPipeline pipe = instance_pipe(g, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                                    false);
    Buf b = buf_of(g, &data, sizeof(data));
    size_t at_index = (uint8_t *)data.index - (uint8_t *)&data;
    size_t at_count = (uint8_t *)&data.count - (uint8_t *)&data;

    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind_vertices(g, corners, sizeof(corners));
    bind(g, pipe, NULL);
    vkCmdDrawIndirect(g->cmd, b.buf, 0, 4, sizeof(data.draw[0]));
    vkCmdBindIndexBuffer(g->cmd, b.buf, at_index, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexedIndirectCount(g->cmd, b.buf, sizeof(data.draw), b.buf,
                                  at_count, 3, sizeof(data.indexed[0]));
    draw_end(g);
    keep(g, &t, "indirect", 0, GFX_PIXELS);
    cmd_end(g);
}

const Program vertex_programs[] = {
    { "vertex-formats", vertex_formats },
    { "indexed", indexed },
    { "indirect", indirect },
    { 0 },
};
