/*
 * The two forms in which most graphics programs draw: vertices that have a
 * position and a colour, and rectangles without any vertex buffer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "gfx.h"
#include "gfx-shaders.h"

Pipe vertices_pipe(VkPrimitiveTopology topology)
{
    static const VkVertexInputBindingDescription binding = {
        0, sizeof(Vertex), VK_VERTEX_INPUT_RATE_VERTEX,
    };
    static const VkVertexInputAttributeDescription attributes[] = {
        { 0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(Vertex, position) },
        { 1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, offsetof(Vertex, color) },
    };

    return (Pipe) {
        .vert = &sh_plain_vert,
        .frag = &sh_shade_frag,
        .topology = topology,
        .bindings = &binding, .num_bindings = 1,
        .attributes = attributes, .num_attributes = ARRAY_SIZE(attributes),
    };
}

Pipe quads_pipe(const Shader *frag)
{
    return (Pipe) {
        .vert = &sh_quad_vert,
        .frag = frag,
        .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
    };
}

void bind_vertices(Gfx *g, const void *data, VkDeviceSize size)
{
    Buf b = buf_of(g, data, size);
    VkDeviceSize zero = 0;

    vkCmdBindVertexBuffers(g->cmd, 0, 1, &b.buf, &zero);
}

void draw_vertices(Gfx *g, const Vertex *v, uint32_t count)
{
    bind_vertices(g, v, count * sizeof(*v));
    draw(g, count, 1);
}

void draw_quad(Gfx *g, const Quad *q)
{
    push(g, q, sizeof(*q));
    draw(g, 4, 1);
}
