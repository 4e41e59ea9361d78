/*
 * Objects and commands that the graphics programs share. What they make is
 * never freed: a program ends with its process.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfx.h"

#define WAIT_NS 60000000000ull

static VkDeviceMemory allocate(Gfx *g, VkMemoryRequirements req,
                               VkMemoryPropertyFlags want)
{
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = req.size,
    };
    VkDeviceMemory memory;

    info.memoryTypeIndex = vku_memory_type(&g->memory, req.memoryTypeBits,
                                           want);
    if (info.memoryTypeIndex == UINT32_MAX) {
        die("no memory of type 0x%x", want);
    }
    VK(vkAllocateMemory(g->dev, &info, NULL, &memory));
    return memory;
}

Buf buf_of(Gfx *g, const void *data, VkDeviceSize size)
{
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 VK_BUFFER_USAGE_VERTEX_BUFFER_BIT |
                 VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
                 VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT,
    };
    Buf b = { .size = size };
    VkMemoryRequirements req;
    VkDeviceMemory memory;

    VK(vkCreateBuffer(g->dev, &info, NULL, &b.buf));
    vkGetBufferMemoryRequirements(g->dev, b.buf, &req);
    memory = allocate(g, req, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    VK(vkBindBufferMemory(g->dev, b.buf, memory, 0));
    VK(vkMapMemory(g->dev, memory, 0, VK_WHOLE_SIZE, 0, &b.map));
    if (data) {
        memcpy(b.map, data, size);
    } else {
        memset(b.map, 0, size);
    }
    return b;
}

static Img image(Gfx *g, VkImageType type, VkFormat format, uint32_t width,
                 uint32_t height, uint32_t depth, uint32_t levels,
                 uint32_t layers, VkSampleCountFlagBits samples,
                 VkImageUsageFlags usage, VkImageViewType view)
{
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = view == VK_IMAGE_VIEW_TYPE_CUBE
                     ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
        .imageType = type,
        .format = format,
        .extent = { width, height, depth },
        .mipLevels = levels,
        .arrayLayers = layers,
        .samples = samples,
        .usage = usage,
    };
    VkImageViewCreateInfo view_info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .viewType = view,
        .format = format,
        .subresourceRange = { vku_aspect(format), 0, levels, 0, layers },
    };
    Img img = {
        .format = format, .width = width,
        .height = height, .depth = depth, .levels = levels, .layers = layers,
    };
    VkMemoryRequirements req;

    VK(vkCreateImage(g->dev, &info, NULL, &img.img));
    vkGetImageMemoryRequirements(g->dev, img.img, &req);
    VK(vkBindImageMemory(g->dev, img.img,
                         allocate(g, req, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT),
                         0));
    view_info.image = img.img;
    VK(vkCreateImageView(g->dev, &view_info, NULL, &img.view));
    return img;
}

Img img_new(Gfx *g, VkFormat format, uint32_t width, uint32_t height,
            uint32_t levels, uint32_t layers, VkSampleCountFlagBits samples,
            VkImageUsageFlags usage, VkImageViewType view)
{
    return image(g, VK_IMAGE_TYPE_2D, format, width, height, 1, levels,
                 layers, samples, usage, view);
}

static VkImageType image_type(VkImageViewType type)
{
    return type == VK_IMAGE_VIEW_TYPE_3D ? VK_IMAGE_TYPE_3D
           : type == VK_IMAGE_VIEW_TYPE_1D ? VK_IMAGE_TYPE_1D
                                           : VK_IMAGE_TYPE_2D;
}

Img texture_new(Gfx *g, VkImageViewType type, uint32_t width, uint32_t height,
                uint32_t depth, uint32_t levels, uint32_t layers,
                uint32_t (*of)(uint32_t level, uint32_t layer, uint32_t x,
                               uint32_t y, uint32_t z))
{
    Img img = image(g, image_type(type), COLOR, width, height, depth, levels,
                    layers, VK_SAMPLE_COUNT_1_BIT,
                    VK_IMAGE_USAGE_SAMPLED_BIT |
                    VK_IMAGE_USAGE_TRANSFER_DST_BIT, type);
    Buf b = buf_of(g, NULL, (VkDeviceSize)width * height * depth * layers * 8);
    uint32_t *texel = b.map;

    cmd_begin(g);
    img_layout(g, &img, VK_IMAGE_LAYOUT_UNDEFINED,
               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    for (uint32_t level = 0; level < levels; level++) {
        VkBufferImageCopy copy = {
            .bufferOffset = (uint8_t *)texel - (uint8_t *)b.map,
            .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, level, 0,
                                  layers },
            .imageExtent = { at_level(width, level), at_level(height, level),
                             at_level(depth, level) },
        };

        for (uint32_t l = 0; l < layers; l++) {
            for (uint32_t z = 0; z < copy.imageExtent.depth; z++) {
                for (uint32_t y = 0; y < copy.imageExtent.height; y++) {
                    for (uint32_t x = 0; x < copy.imageExtent.width; x++) {
                        *texel++ = of(level, l, x, y, z);
                    }
                }
            }
        }
        vkCmdCopyBufferToImage(g->cmd, b.buf, img.img,
                               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    }
    img_layout(g, &img, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
               VK_IMAGE_LAYOUT_GENERAL);
    cmd_end(g);
    return img;
}

VkSampler sampler_new(Gfx *g, VkFilter filter, VkSamplerMipmapMode mip,
                      VkSamplerAddressMode mode, VkBorderColor border)
{
    VkSampler s;

    VK(vku_sampler(g->dev, filter, mip, mode, border, &s));
    return s;
}

VkDescriptorSet set_new(Gfx *g, const Img *const *imgs,
                        const VkSampler *samplers, uint32_t count)
{
    VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = g->sets,
        .descriptorSetCount = 1,
        .pSetLayouts = &g->set_layout,
    };
    VkDescriptorSet set;

    VK(vkAllocateDescriptorSets(g->dev, &info, &set));
    for (uint32_t i = 0; i < count; i++) {
        VkDescriptorImageInfo image_info = {
            samplers[i], imgs[i]->view, VK_IMAGE_LAYOUT_GENERAL,
        };
        VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            .pImageInfo = &image_info,
        };

        vkUpdateDescriptorSets(g->dev, 1, &write, 0, NULL);
    }
    return set;
}

Target target_new(Gfx *g, uint32_t width, uint32_t height, VkFormat color,
                  VkFormat depth, VkSampleCountFlagBits samples)
{
    Target t = { .samples = samples };

    t.color = img_new(g, color, width, height, 1, 1, VK_SAMPLE_COUNT_1_BIT,
                      VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                      VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                      VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_VIEW_TYPE_2D);
    if (samples != VK_SAMPLE_COUNT_1_BIT) {
        t.multi = img_new(g, color, width, height, 1, 1, samples,
                          VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                          VK_IMAGE_VIEW_TYPE_2D);
    }
    if (depth) {
        t.depth = img_new(g, depth, width, height, 1, 1, samples,
                          VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                          VK_IMAGE_VIEW_TYPE_2D);
    }
    return t;
}

static VkPipelineShaderStageCreateInfo stage(Gfx *g, const Shader *s,
                                             VkShaderStageFlagBits which)
{
    VkPipelineShaderStageCreateInfo st = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
        .stage = which,
        .pName = "main",
    };

    VK(vku_shader(g->dev, s, &st.module));
    return st;
}

VkPipeline pipe_new(Gfx *g, const Pipe *p)
{
    static const VkDynamicState dynamic[] = {
        VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR,
    };
    const struct {
        const Shader *shader;
        VkShaderStageFlagBits stage;
    } all[] = {
        { p->vert, VK_SHADER_STAGE_VERTEX_BIT },
        { p->tesc, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT },
        { p->tese, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT },
        { p->geom, VK_SHADER_STAGE_GEOMETRY_BIT },
        { p->frag, VK_SHADER_STAGE_FRAGMENT_BIT },
    };
    VkPipelineShaderStageCreateInfo stages[ARRAY_SIZE(all)];
    VkPipelineVertexInputStateCreateInfo input = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = p->num_bindings,
        .pVertexBindingDescriptions = p->bindings,
        .vertexAttributeDescriptionCount = p->num_attributes,
        .pVertexAttributeDescriptions = p->attributes,
    };
    VkPipelineInputAssemblyStateCreateInfo assembly = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
        .topology = p->topology,
        .primitiveRestartEnable = p->restart,
    };
    VkPipelineTessellationStateCreateInfo tess = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
        .patchControlPoints = p->patch,
    };
    VkPipelineViewportStateCreateInfo view = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
        .viewportCount = 1,
        .scissorCount = 1,
    };
    VkPipelineRasterizationStateCreateInfo raster = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
        .polygonMode = p->polygon,
        .cullMode = p->cull,
        .depthBiasEnable = p->bias != 0,
        .depthBiasConstantFactor = p->bias,
        .lineWidth = 1,
    };
    VkPipelineMultisampleStateCreateInfo multi = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
        .rasterizationSamples = p->samples ? p->samples
                                           : VK_SAMPLE_COUNT_1_BIT,
    };
    VkPipelineDepthStencilStateCreateInfo ds = p->ds;
    VkPipelineColorBlendAttachmentState attachment = p->blend;
    VkPipelineColorBlendStateCreateInfo blend = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
        .attachmentCount = 1,
        .pAttachments = &attachment,
        .blendConstants = { 0.25f, 0.5f, 0.75f, 0.5f },
    };
    VkPipelineDynamicStateCreateInfo dyn = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
        .dynamicStateCount = ARRAY_SIZE(dynamic),
        .pDynamicStates = dynamic,
    };
    VkFormat color = p->color ? p->color : COLOR;
    VkPipelineRenderingCreateInfo rendering = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
        .colorAttachmentCount = 1,
        .pColorAttachmentFormats = &color,
        .depthAttachmentFormat = p->depth,
        .stencilAttachmentFormat =
            vku_aspect(p->depth) & VK_IMAGE_ASPECT_STENCIL_BIT ? p->depth : 0,
    };
    VkGraphicsPipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
        .pNext = &rendering,
        .pStages = stages,
        .pVertexInputState = &input,
        .pInputAssemblyState = &assembly,
        .pTessellationState = &tess,
        .pViewportState = &view,
        .pRasterizationState = &raster,
        .pMultisampleState = &multi,
        .pDepthStencilState = &ds,
        .pColorBlendState = &blend,
        .pDynamicState = &dyn,
        .layout = g->layout,
    };
    VkPipeline pipe;

    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        if (all[i].shader) {
            stages[info.stageCount++] = stage(g, all[i].shader, all[i].stage);
        }
    }
    ds.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
    ds.maxDepthBounds = 1;
    attachment.colorWriteMask = attachment.colorWriteMask ?: 0xf;
    VK(vkCreateGraphicsPipelines(g->dev, NULL, 1, &info, NULL, &pipe));
    return pipe;
}

VkQueryPool queries_new(Gfx *g, VkQueryType type, uint32_t count,
                        VkQueryPipelineStatisticFlags stats)
{
    VkQueryPool pool;

    VK(vku_query_pool(g->dev, type, count, stats, &pool));
    return pool;
}

/* ---- Commands ---- */

void cmd_begin(Gfx *g)
{
    VK(vku_cmd_begin(g->dev, g->pool, &g->cmd));
}

void cmd_end(Gfx *g)
{
    VkFence fence;

    barrier(g);
    VK(vku_fence(g->dev, &fence));
    VK(vku_submit(g->queue, g->cmd, fence));
    VK(vkWaitForFences(g->dev, 1, &fence, VK_TRUE, WAIT_NS));
}

void barrier(Gfx *g)
{
    vku_cmd_barrier(g->cmd);
}

void img_layout(Gfx *g, const Img *img, VkImageLayout from, VkImageLayout to)
{
    vku_cmd_layout(g->cmd, img->img, img->format, from, to);
}

void viewport(Gfx *g, float x, float y, float w, float h)
{
    VkViewport v = { x, y, w, h, 0, 1 };
    VkRect2D s = { { (int32_t)x, (int32_t)y }, { (uint32_t)w, (uint32_t)h } };

    vkCmdSetViewport(g->cmd, 0, 1, &v);
    vkCmdSetScissor(g->cmd, 0, 1, &s);
}

void draw_begin(Gfx *g, const Target *t, float r, float gr, float b, float a)
{
    bool multi = t->samples != VK_SAMPLE_COUNT_1_BIT;
    VkRenderingAttachmentInfo color = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = multi ? t->multi.view : t->color.view,
        .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .resolveMode = multi ? VK_RESOLVE_MODE_AVERAGE_BIT
                             : VK_RESOLVE_MODE_NONE,
        .resolveImageView = multi ? t->color.view : NULL,
        .resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue.color.float32 = { r, gr, b, a },
    };
    VkRenderingAttachmentInfo depth = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = t->depth.view,
        .imageLayout = VK_IMAGE_LAYOUT_GENERAL,
        .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
        .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        .clearValue.depthStencil = { 1, 0 },
    };
    VkRenderingInfo info = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .renderArea.extent = { t->color.width, t->color.height },
        .layerCount = 1,
        .colorAttachmentCount = 1,
        .pColorAttachments = &color,
        .pDepthAttachment = t->depth.img ? &depth : NULL,
        .pStencilAttachment = vku_aspect(t->depth.format) &
                              VK_IMAGE_ASPECT_STENCIL_BIT ? &depth : NULL,
    };

    img_layout(g, &t->color, VK_IMAGE_LAYOUT_UNDEFINED,
               VK_IMAGE_LAYOUT_GENERAL);
    if (multi) {
        img_layout(g, &t->multi, VK_IMAGE_LAYOUT_UNDEFINED,
                   VK_IMAGE_LAYOUT_GENERAL);
    }
    if (t->depth.img) {
        img_layout(g, &t->depth, VK_IMAGE_LAYOUT_UNDEFINED,
                   VK_IMAGE_LAYOUT_GENERAL);
    }
    vkCmdBeginRendering(g->cmd, &info);
    viewport(g, 0, 0, t->color.width, t->color.height);
}

void draw_end(Gfx *g)
{
    vkCmdEndRendering(g->cmd);
    barrier(g);
}

void bind(Gfx *g, VkPipeline pipe, VkDescriptorSet set)
{
    vkCmdBindPipeline(g->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS, pipe);
    if (set) {
        vkCmdBindDescriptorSets(g->cmd, VK_PIPELINE_BIND_POINT_GRAPHICS,
                                g->layout, 0, 1, &set, 0, NULL);
    }
}

void push(Gfx *g, const void *data, uint32_t size)
{
    vkCmdPushConstants(g->cmd, g->layout, VK_SHADER_STAGE_ALL_GRAPHICS, 0,
                       size, data);
}

void draw(Gfx *g, uint32_t vertices, uint32_t instances)
{
    vkCmdDraw(g->cmd, vertices, instances, 0, 0);
}

/* Room for an image and its header; returns where its texels go. */
static VkDeviceSize room(Gfx *g, const char *name, uint32_t frame,
                         uint32_t width, uint32_t height, size_t size,
                         uint32_t rule)
{
    GfxImage *h = (GfxImage *)(g->out_map + g->out_used);
    size_t at = g->out_used + GFX_IMAGE_PAGE;

    if (at + size > g->out_size) {
        die("too many images");
    }
    memcpy(h->magic, GFX_IMAGE_MAGIC, sizeof(h->magic));
    snprintf(h->name, sizeof(h->name), "%s", name);
    h->frame = frame;
    h->width = width;
    h->height = height;
    h->rule = rule;
    h->bound = 2;
    g->out_used = (at + size + GFX_IMAGE_PAGE - 1) / GFX_IMAGE_PAGE *
                  GFX_IMAGE_PAGE;
    return at;
}

void keep(Gfx *g, const Target *t, const char *name, uint32_t frame,
          uint32_t rule)
{
    uint32_t w = t->color.width, h = t->color.height;
    VkBufferImageCopy copy = {
        .bufferOffset = room(g, name, frame, w, h, (size_t)w * h * 4, rule),
        .imageSubresource = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
        .imageExtent = { w, h, 1 },
    };

    barrier(g);
    vkCmdCopyImageToBuffer(g->cmd, t->color.img, VK_IMAGE_LAYOUT_GENERAL,
                           g->out, 1, &copy);
    barrier(g);
}

void keep_queries(Gfx *g, VkQueryPool pool, uint32_t count, uint32_t values,
                  const char *name, uint32_t rule)
{
    VkDeviceSize at = room(g, name, 0, count * values * 2, 1,
                           (size_t)count * values * 8, rule);

    barrier(g);
    vkCmdCopyQueryPoolResults(g->cmd, pool, 0, count, g->out, at, values * 8,
                              VK_QUERY_RESULT_64_BIT);
    barrier(g);
}
