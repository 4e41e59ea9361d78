/*
 * Graphics programs: geometry and tessellation stages, queries.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "gfx.h"
#include "gfx-shaders.h"

#define SIDE 128

static void geometry(Gfx *g)
{
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = vertices_pipe(VK_PRIMITIVE_TOPOLOGY_POINT_LIST);
    VkPipeline pipe;
    Vertex v[36];

    for (int i = 0; i < 36; i++) {
        v[i] = (Vertex) {
            { -0.8f + i % 6 * 0.32f, -0.8f + i / 6 * 0.32f, 0, 1 },
            { i % 6 / 5.f, i / 6 / 5.f, 0.5f, 1 },
        };
    }
    p.geom = &sh_burst_geom;
    pipe = pipe_new(g, &p);
    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind(g, pipe, NULL);
    bind_vertices(g, v, sizeof(v));
    draw(g, 36, 1);
    draw_end(g);
    keep(g, &t, "geometry", 0, GFX_PIXELS);
    cmd_end(g);
}

static void tessellation(Gfx *g)
{
    static const Vertex v[] = {
        { { -0.8f, -0.9f, 0, 1 }, { 0 } }, { { 0.7f, -0.8f, 0, 1 }, { 0 } },
        { { -0.9f, 0.6f, 0, 1 }, { 0 } }, { { 0.6f, 0.5f, 0, 1 }, { 0 } },
    };
    Target t = target_new(g, SIDE, SIDE, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = vertices_pipe(VK_PRIMITIVE_TOPOLOGY_PATCH_LIST);
    VkPipeline pipe;

    p.tesc = &sh_patch_tesc;
    p.tese = &sh_patch_tese;
    p.patch = 4;
    pipe = pipe_new(g, &p);
    cmd_begin(g);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind(g, pipe, NULL);
    bind_vertices(g, v, sizeof(v));
    draw(g, 4, 1);
    draw_end(g);
    keep(g, &t, "tessellation", 0, GFX_PIXELS);
    cmd_end(g);
}

static void queries(Gfx *g)
{
    const VkQueryPipelineStatisticFlags stats =
        VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
        VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
        VK_QUERY_PIPELINE_STATISTIC_CLIPPING_PRIMITIVES_BIT;
    static const Vertex v[] = {
        { { -0.5f, -0.5f, 0.5f, 1 }, { 1, 0, 0, 1 } },
        { { 0.5f, -0.5f, 0.5f, 1 }, { 0, 1, 0, 1 } },
        { { -0.5f, 0.5f, 0.5f, 1 }, { 0, 0, 1, 1 } },
        { { 0.5f, 0.5f, 0.5f, 1 }, { 1, 1, 1, 1 } },
    };
    Target t = target_new(g, 64, 64, COLOR, 0, VK_SAMPLE_COUNT_1_BIT);
    Pipe p = vertices_pipe(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
    VkPipeline pipe = pipe_new(g, &p);
    VkQueryPool occlusion = queries_new(g, VK_QUERY_TYPE_OCCLUSION, 3, 0);
    VkQueryPool time = queries_new(g, VK_QUERY_TYPE_TIMESTAMP, 3, 0);
    VkQueryPool statistics = queries_new(
        g, VK_QUERY_TYPE_PIPELINE_STATISTICS, 1, stats);

    cmd_begin(g);
    vkCmdResetQueryPool(g->cmd, occlusion, 0, 3);
    vkCmdResetQueryPool(g->cmd, time, 0, 3);
    vkCmdResetQueryPool(g->cmd, statistics, 0, 1);
    vkCmdWriteTimestamp(g->cmd, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, time, 0);
    draw_begin(g, &t, 0, 0, 0, 1);
    bind(g, pipe, NULL);
    bind_vertices(g, v, sizeof(v));
    vkCmdBeginQuery(g->cmd, statistics, 0, 0);
    for (uint32_t i = 0; i < 3; i++) {
        vkCmdBeginQuery(g->cmd, occlusion, i, VK_QUERY_CONTROL_PRECISE_BIT);
        if (i) {
            /* 32 x 32 fragments, then an eighth of them: 16 x 8. */
            viewport(g, 0, 0, i == 1 ? 64 : 32, i == 1 ? 64 : 16);
            draw(g, 4, 1);
        }
        vkCmdEndQuery(g->cmd, occlusion, i);
    }
    vkCmdEndQuery(g->cmd, statistics, 0);
    draw_end(g);
    vkCmdWriteTimestamp(g->cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, time, 1);
    barrier(g);
    vkCmdWriteTimestamp(g->cmd, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, time, 2);
    keep_queries(g, occlusion, 3, 1, "occlusion", GFX_EXACT);
    keep_queries(g, time, 3, 1, "timestamps", GFX_RISING);
    keep_queries(g, statistics, 1, 3, "statistics", GFX_EXACT);
    keep(g, &t, "queries", 0, GFX_PIXELS);
    cmd_end(g);
}

const Program stage_programs[] = {
    { "geometry", geometry },
    { "tessellation", tessellation },
    { "queries", queries },
    { 0 },
};
