/*
 * Vulkan graphics programs for recordings: each draws off-screen and leaves
 * images in read-back memory. They never wait for a result of the GPU's, so
 * that they can be recorded where nothing draws.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SILICON_GFX_H
#define SILICON_GFX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#include "common.h"
#include "image.h"

#define COLOR VK_FORMAT_R8G8B8A8_UNORM
#define TEXTURES 4              /* bindings 0 to 3 of every pipeline */

typedef struct Gfx {
    VkPhysicalDevice phys;
    VkPhysicalDeviceFeatures features;
    VkDevice dev;
    VkQueue queue;
    VkCommandPool pool;
    VkDescriptorPool sets;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;    /* 128 bytes of push constants */
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t frames;            /* of programs that have several */
    VkBuffer out;               /* images for the CPU */
    uint8_t *out_map;
    size_t out_used, out_size;
    VkCommandBuffer cmd;        /* being recorded */
} Gfx;

typedef struct Buf {
    VkBuffer buf;
    VkDeviceSize size;
    void *map;
} Buf;

typedef struct Img {
    VkImage img;
    VkImageView view;
    VkFormat format;
    uint32_t width, height, depth, levels, layers;
} Img;

/* What is drawn to. */
typedef struct Target {
    Img color, depth, multi;    /* multi: of several samples, resolved */
    VkSampleCountFlagBits samples;
} Target;

typedef struct Pipe {
    const Shader *vert, *tesc, *tese, *geom, *frag;
    VkPrimitiveTopology topology;
    VkFormat color, depth;      /* 0: COLOR; 0: none */
    VkSampleCountFlagBits samples; /* 0: 1 */
    const VkVertexInputBindingDescription *bindings;
    const VkVertexInputAttributeDescription *attributes;
    uint32_t num_bindings, num_attributes;
    VkPipelineColorBlendAttachmentState blend; /* 0: off, all channels */
    VkPipelineDepthStencilStateCreateInfo ds;
    VkCullModeFlags cull;
    VkPolygonMode polygon;
    uint32_t patch;             /* control points */
    bool restart;
    float bias;                 /* constant depth bias */
} Pipe;

typedef struct Program {
    const char *name;
    void (*run)(Gfx *g);
} Program;

/* What plain.vert takes. */
typedef struct Vertex {
    float position[4], color[4];
} Vertex;

/* What quad.vert takes. */
typedef struct Quad {
    float rect[4], color[4], uv[4], z;
} Quad;

extern const Program basic_programs[], vertex_programs[], texture_programs[],
    stage_programs[];

void die(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));
#define VK(call) \
    do { \
        VkResult r_ = (call); \
        if (r_ != VK_SUCCESS) { \
            die("%s: VkResult %d", #call, r_); \
        } \
    } while (0)

/* ---- Objects (objects.c); they live as long as the program ---- */

Buf buf_of(Gfx *g, const void *data, VkDeviceSize size);
Img img_new(Gfx *g, VkFormat format, uint32_t width, uint32_t height,
            uint32_t levels, uint32_t layers, VkSampleCountFlagBits samples,
            VkImageUsageFlags usage, VkImageViewType view);
/* A texture of RGBA8 whose texel is of(level, layer, x, y, z). */
Img texture_new(Gfx *g, VkImageViewType type, uint32_t width, uint32_t height,
                uint32_t depth, uint32_t levels, uint32_t layers,
                uint32_t (*of)(uint32_t level, uint32_t layer, uint32_t x,
                               uint32_t y, uint32_t z));
VkSampler sampler_new(Gfx *g, VkFilter filter, VkSamplerMipmapMode mip,
                      VkSamplerAddressMode mode, VkBorderColor border);
VkDescriptorSet set_new(Gfx *g, const Img *const *imgs,
                        const VkSampler *samplers, uint32_t count);
Target target_new(Gfx *g, uint32_t width, uint32_t height, VkFormat color,
                  VkFormat depth, VkSampleCountFlagBits samples);
VkPipeline pipe_new(Gfx *g, const Pipe *p);
VkQueryPool queries_new(Gfx *g, VkQueryType type, uint32_t count,
                        VkQueryPipelineStatisticFlags stats);

/* ---- Commands ---- */

void cmd_begin(Gfx *g);
/* Submits and waits. */
void cmd_end(Gfx *g);
/* Orders all that came before with all that follows. */
void barrier(Gfx *g);
void img_layout(Gfx *g, const Img *img, VkImageLayout from, VkImageLayout to);
/* Clears, and sets a viewport and a scissor of the whole target. */
void draw_begin(Gfx *g, const Target *t, float r, float gr, float b, float a);
void draw_end(Gfx *g);
void viewport(Gfx *g, float x, float y, float w, float h);
void bind(Gfx *g, VkPipeline pipe, VkDescriptorSet set);
void push(Gfx *g, const void *data, uint32_t size);
void draw(Gfx *g, uint32_t vertices, uint32_t instances);
/* ---- Vertices and rectangles (forms.c) ---- */

Pipe vertices_pipe(VkPrimitiveTopology topology);
/* draw_quad() draws them. */
Pipe quads_pipe(const Shader *frag);
void bind_vertices(Gfx *g, const void *data, VkDeviceSize size);
void draw_vertices(Gfx *g, const Vertex *v, uint32_t count);
void draw_quad(Gfx *g, const Quad *q);

/* ---- Images for the CPU ---- */

/* Leaves what was drawn as an image. */
void keep(Gfx *g, const Target *t, const char *name, uint32_t frame,
          uint32_t rule);
/* Leaves the results of queries as an image of 64-bit words. */
void keep_queries(Gfx *g, VkQueryPool pool, uint32_t count, uint32_t values,
                  const char *name, uint32_t rule);

#endif
