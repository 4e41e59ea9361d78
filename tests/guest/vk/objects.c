/*
 * Objects and work of the Vulkan compute suite. Objects belong to a run,
 * which ends them in reverse order.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "suite.h"

struct Owned {
    VkObjectType type;
    uint64_t handle;
};

/* ---- What a run owns ---- */

#define OWN(t, type, handle) own(t, VK_OBJECT_TYPE_##type, (uint64_t)(handle))

static void own(T *t, VkObjectType type, uint64_t handle)
{
    if (t->num_owned == t->max_owned) {
        t->max_owned = t->max_owned * 2 + 64;
        t->owned = realloc(t->owned, t->max_owned * sizeof(*t->owned));
    }
    t->owned[t->num_owned++] = (Owned) { type, handle };
}

static void destroy(Gpu *g, const Owned *o)
{
#define END(type, what, handle_type) \
    case VK_OBJECT_TYPE_##type: \
        vk##what(g->dev, (handle_type)o->handle, NULL); \
        break
    switch (o->type) {
    END(BUFFER, DestroyBuffer, VkBuffer);
    END(DEVICE_MEMORY, FreeMemory, VkDeviceMemory);
    END(IMAGE, DestroyImage, VkImage);
    END(IMAGE_VIEW, DestroyImageView, VkImageView);
    END(BUFFER_VIEW, DestroyBufferView, VkBufferView);
    END(SAMPLER, DestroySampler, VkSampler);
    END(PIPELINE, DestroyPipeline, VkPipeline);
    END(PIPELINE_LAYOUT, DestroyPipelineLayout, VkPipelineLayout);
    END(SHADER_MODULE, DestroyShaderModule, VkShaderModule);
    END(DESCRIPTOR_SET_LAYOUT, DestroyDescriptorSetLayout,
        VkDescriptorSetLayout);
    END(DESCRIPTOR_POOL, DestroyDescriptorPool, VkDescriptorPool);
    END(FENCE, DestroyFence, VkFence);
    END(EVENT, DestroyEvent, VkEvent);
    END(SEMAPHORE, DestroySemaphore, VkSemaphore);
    END(QUERY_POOL, DestroyQueryPool, VkQueryPool);
    case VK_OBJECT_TYPE_COMMAND_BUFFER: {
        VkCommandBuffer cmd = (VkCommandBuffer)o->handle;

        vkFreeCommandBuffers(g->dev, g->pool, 1, &cmd);
        break;
    }
    default:
        break;
    }
#undef END
}

void run_release(T *t)
{
    vkDeviceWaitIdle(t->g->dev);
    while (t->num_owned) {
        destroy(t->g, &t->owned[--t->num_owned]);
    }
    free(t->owned);
    t->owned = NULL;
    t->max_owned = 0;
}

/* ---- Memory ---- */

static VkDeviceMemory allocate(T *t, VkMemoryRequirements req,
                               VkMemoryPropertyFlags flags, bool address)
{
    VkMemoryAllocateFlagsInfo address_info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO,
        .flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT,
    };
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = address ? &address_info : NULL,
        .allocationSize = req.size,
    };
    VkDeviceMemory memory;

    info.memoryTypeIndex = vku_memory_type(&t->g->memory, req.memoryTypeBits,
                                           flags);
    if (info.memoryTypeIndex == UINT32_MAX) {
        fail(t, "no memory type with flags %#x", flags);
    }
    VK(t, vkAllocateMemory(t->g->dev, &info, NULL, &memory));
    OWN(t, DEVICE_MEMORY, memory);
    return memory;
}

static Buf buf_make(T *t, VkDeviceSize size, VkMemoryPropertyFlags flags)
{
    bool address = t->g->f12.bufferDeviceAddress;
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
            VK_BUFFER_USAGE_TRANSFER_DST_BIT |
            VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
            VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
            VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
            VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT |
            VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT |
            (address ? VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT : 0),
    };
    Buf b = { .size = size };
    VkMemoryRequirements req;

    VK(t, vkCreateBuffer(t->g->dev, &info, NULL, &b.buf));
    OWN(t, BUFFER, b.buf);
    vkGetBufferMemoryRequirements(t->g->dev, b.buf, &req);
    b.memory = allocate(t, req, flags, address);
    VK(t, vkBindBufferMemory(t->g->dev, b.buf, b.memory, 0));
    if (flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) {
        VK(t, vkMapMemory(t->g->dev, b.memory, 0, VK_WHOLE_SIZE, 0, &b.map));
    }
    if (address) {
        VkBufferDeviceAddressInfo where = {
            .sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
            .buffer = b.buf,
        };

        b.addr = vkGetBufferDeviceAddress(t->g->dev, &where);
    }
    return b;
}

Buf buf_new(T *t, VkDeviceSize size)
{
    Buf b = buf_make(t, size, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                     VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);

    memset(b.map, 0, size);
    return b;
}

Buf buf_of(T *t, const void *data, VkDeviceSize size)
{
    Buf b = buf_new(t, size);

    memcpy(b.map, data, size);
    return b;
}

Buf buf_local(T *t, VkDeviceSize size)
{
    return buf_make(t, size, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
}

/* ---- Images ---- */

static Img img_make(T *t, VkImageType type, VkFormat format,
                    VkExtent3D extent, uint32_t levels, uint32_t layers,
                    VkSampleCountFlagBits samples, VkImageUsageFlags usage,
                    VkImageViewType view)
{
    VkImageCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
        .flags = view == VK_IMAGE_VIEW_TYPE_CUBE
            ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0,
        .imageType = type,
        .format = format,
        .extent = extent,
        .mipLevels = levels,
        .arrayLayers = layers,
        .samples = samples,
        .usage = usage,
    };
    Img img = { .format = format, .extent = extent, .levels = levels,
                .layers = layers };
    VkImageFormatProperties props;
    VkMemoryRequirements req;

    if (vkGetPhysicalDeviceImageFormatProperties(
            t->g->phys, format, type, info.tiling, usage, info.flags,
            &props) != VK_SUCCESS || !(props.sampleCounts & samples)) {
        skip(t, "the device has no image of format %d and usage %#x", format,
             usage);
    }
    VK(t, vkCreateImage(t->g->dev, &info, NULL, &img.img));
    OWN(t, IMAGE, img.img);
    vkGetImageMemoryRequirements(t->g->dev, img.img, &req);
    VK(t, vkBindImageMemory(t->g->dev, img.img, allocate(
        t, req, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, false), 0));
    if (usage & (VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_SAMPLED_BIT)) {
        img.view = img_view(t, &img, view, 0, 0);
    }
    return img;
}

Img img_new(T *t, VkImageType type, VkFormat format, VkExtent3D extent,
            uint32_t levels, uint32_t layers, VkImageUsageFlags usage,
            VkImageViewType view)
{
    return img_make(t, type, format, extent, levels, layers,
                    VK_SAMPLE_COUNT_1_BIT, usage, view);
}

Img img_samples(T *t, VkFormat format, VkExtent3D extent,
                VkSampleCountFlagBits samples, VkImageUsageFlags usage)
{
    return img_make(t, VK_IMAGE_TYPE_2D, format, extent, 1, 1, samples, usage,
                    VK_IMAGE_VIEW_TYPE_2D);
}

VkImageView img_view(T *t, const Img *img, VkImageViewType type,
                     uint32_t level, uint32_t layer)
{
    return img_view_of(t, img, type, level, layer, vku_aspect(img->format));
}

VkImageView img_view_of(T *t, const Img *img, VkImageViewType type,
                        uint32_t level, uint32_t layer,
                        VkImageAspectFlags aspects)
{
    VkImageViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
        .image = img->img,
        .viewType = type,
        .format = img->format,
        .subresourceRange = {
            .aspectMask = aspects,
            .baseMipLevel = level,
            .levelCount = img->levels - level,
            .baseArrayLayer = layer,
            .layerCount = type == VK_IMAGE_VIEW_TYPE_1D_ARRAY ||
                type == VK_IMAGE_VIEW_TYPE_2D_ARRAY ? img->layers - layer
                : type == VK_IMAGE_VIEW_TYPE_CUBE ? 6 : 1,
        },
    };
    VkImageView view;

    VK(t, vkCreateImageView(t->g->dev, &info, NULL, &view));
    OWN(t, IMAGE_VIEW, view);
    return view;
}

VkBufferView texel_view(T *t, const Buf *b, VkFormat format)
{
    VkBufferViewCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO,
        .buffer = b->buf,
        .format = format,
        .range = VK_WHOLE_SIZE,
    };
    VkBufferView view;

    VK(t, vkCreateBufferView(t->g->dev, &info, NULL, &view));
    OWN(t, BUFFER_VIEW, view);
    return view;
}

VkSampler sampler_new(T *t, VkFilter filter, VkSamplerMipmapMode mip,
                      VkSamplerAddressMode mode, VkBorderColor border)
{
    VkSampler sampler;

    VK(t, vku_sampler(t->g->dev, filter, mip, mode, border, &sampler));
    OWN(t, SAMPLER, sampler);
    return sampler;
}

static VkBufferImageCopy whole_level(const Img *img, uint32_t level)
{
    return (VkBufferImageCopy) {
        .imageSubresource = {
            .aspectMask = vku_aspect(img->format),
            .mipLevel = level,
            .layerCount = img->layers,
        },
        .imageExtent = {
            at_level(img->extent.width, level),
            at_level(img->extent.height, level),
            at_level(img->extent.depth, level),
        },
    };
}

void img_upload(T *t, const Img *img, uint32_t level, const void *data,
                size_t size, VkImageLayout then)
{
    Buf b = buf_of(t, data, size);
    VkCommandBuffer cmd = cmd_begin(t);
    VkBufferImageCopy copy = whole_level(img, level);

    /* The other levels may hold something: only the first upload may not. */
    cmd_layout(cmd, img, level ? then : VK_IMAGE_LAYOUT_UNDEFINED,
               VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    vkCmdCopyBufferToImage(cmd, b.buf, img->img,
                           VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &copy);
    cmd_layout(cmd, img, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, then);
    cmd_run(t, cmd);
}

void img_download(T *t, const Img *img, uint32_t level, void *data,
                  size_t size, VkImageLayout layout)
{
    Buf b = buf_new(t, size);
    VkCommandBuffer cmd = cmd_begin(t);
    VkBufferImageCopy copy = whole_level(img, level);

    cmd_layout(cmd, img, layout, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    vkCmdCopyImageToBuffer(cmd, img->img,
                           VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, b.buf, 1,
                           &copy);
    cmd_layout(cmd, img, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, layout);
    cmd_run(t, cmd);
    memcpy(data, b.map, size);
}

/* ---- Programs ---- */

static VkDescriptorSetLayout set_layout(T *t, const Bind *binds, uint32_t n)
{
    VkDescriptorSetLayoutBinding b[16];
    VkDescriptorSetLayoutCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = n,
        .pBindings = b,
    };
    VkDescriptorSetLayout layout;

    for (uint32_t i = 0; i < n; i++) {
        b[i] = (VkDescriptorSetLayoutBinding) {
            .binding = i,
            .descriptorType = binds[i].type,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    }
    VK(t, vkCreateDescriptorSetLayout(t->g->dev, &info, NULL, &layout));
    OWN(t, DESCRIPTOR_SET_LAYOUT, layout);
    return layout;
}

static VkDescriptorSet set_new(T *t, VkDescriptorSetLayout layout,
                               const Bind *binds, uint32_t n)
{
    VkDescriptorPoolSize sizes[16];
    VkDescriptorPoolCreateInfo pool_info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = n,
        .pPoolSizes = sizes,
    };
    VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorSetCount = 1,
        .pSetLayouts = &layout,
    };
    VkDescriptorSet set;

    for (uint32_t i = 0; i < n; i++) {
        sizes[i] = (VkDescriptorPoolSize) { binds[i].type, 1 };
    }
    VK(t, vkCreateDescriptorPool(t->g->dev, &pool_info, NULL,
                                 &info.descriptorPool));
    OWN(t, DESCRIPTOR_POOL, info.descriptorPool);
    VK(t, vkAllocateDescriptorSets(t->g->dev, &info, &set));
    for (uint32_t i = 0; i < n; i++) {
        VkDescriptorBufferInfo buf = { binds[i].buf, binds[i].offset,
                                       binds[i].range };
        VkDescriptorImageInfo image = { binds[i].sampler, binds[i].view,
                                        VK_IMAGE_LAYOUT_GENERAL };
        VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = binds[i].type,
            .pBufferInfo = &buf,
            .pImageInfo = &image,
            .pTexelBufferView = &binds[i].texels,
        };

        vkUpdateDescriptorSets(t->g->dev, 1, &write, 0, NULL);
    }
    return set;
}

Prog prog_new(T *t, Shader shader, const Bind *binds, uint32_t num_binds,
              uint32_t push_size, const VkSpecializationInfo *spec)
{
    VkPushConstantRange push = { VK_SHADER_STAGE_COMPUTE_BIT, 0, push_size };
    VkDescriptorSetLayout layout = set_layout(t, binds, num_binds);
    VkPipelineLayoutCreateInfo layout_info = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = num_binds ? 1 : 0,
        .pSetLayouts = &layout,
        .pushConstantRangeCount = push_size ? 1 : 0,
        .pPushConstantRanges = &push,
    };
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .flags = VK_PIPELINE_CREATE_DISPATCH_BASE,
        .stage = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .pName = "main",
            .pSpecializationInfo = spec,
        },
    };
    Prog p = { 0 };

    VK(t, vku_shader(t->g->dev, &shader, &info.stage.module));
    OWN(t, SHADER_MODULE, info.stage.module);
    VK(t, vkCreatePipelineLayout(t->g->dev, &layout_info, NULL, &p.layout));
    OWN(t, PIPELINE_LAYOUT, p.layout);
    info.layout = p.layout;
    VK(t, vkCreateComputePipelines(t->g->dev, NULL, 1, &info, NULL,
                                   &p.pipeline));
    OWN(t, PIPELINE, p.pipeline);
    if (num_binds) {
        p.set = set_new(t, layout, binds, num_binds);
    }
    return p;
}

VkFence fence_new(T *t)
{
    VkFence fence;

    VK(t, vku_fence(t->g->dev, &fence));
    OWN(t, FENCE, fence);
    return fence;
}

VkEvent event_new(T *t)
{
    VkEventCreateInfo info = { .sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO };
    VkEvent event;

    VK(t, vkCreateEvent(t->g->dev, &info, NULL, &event));
    OWN(t, EVENT, event);
    return event;
}

VkQueryPool query_pool(T *t, VkQueryType type, uint32_t count)
{
    VkQueryPool pool;

    VK(t, vku_query_pool(t->g->dev, type, count, 0, &pool));
    OWN(t, QUERY_POOL, pool);
    return pool;
}

VkSemaphore semaphore_new(T *t, bool timeline)
{
    VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = timeline ? VK_SEMAPHORE_TYPE_TIMELINE
                                  : VK_SEMAPHORE_TYPE_BINARY,
    };
    VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = &type,
    };
    VkSemaphore semaphore;

    VK(t, vkCreateSemaphore(t->g->dev, &info, NULL, &semaphore));
    OWN(t, SEMAPHORE, semaphore);
    return semaphore;
}

/* ---- Work ---- */

VkCommandBuffer cmd_begin(T *t)
{
    VkCommandBuffer cmd;

    VK(t, vku_cmd_begin(t->g->dev, t->g->pool, &cmd));
    OWN(t, COMMAND_BUFFER, cmd);
    return cmd;
}

void cmd_bind(VkCommandBuffer cmd, const Prog *p, const void *push,
              uint32_t push_size)
{
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, p->pipeline);
    if (p->set) {
        vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE,
                                p->layout, 0, 1, &p->set, 0, NULL);
    }
    if (push_size) {
        vkCmdPushConstants(cmd, p->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                           push_size, push);
    }
}

void cmd_barrier(VkCommandBuffer cmd)
{
    vku_cmd_barrier(cmd);
}

void cmd_layout(VkCommandBuffer cmd, const Img *img, VkImageLayout from,
                VkImageLayout to)
{
    vku_cmd_layout(cmd, img->img, img->format, from, to);
}

void cmd_submit(T *t, VkCommandBuffer cmd, VkFence fence)
{
    VK(t, vku_submit(t->g->queue, cmd, fence));
}

void fence_wait(T *t, VkFence fence)
{
    VkResult r = vkWaitForFences(t->g->dev, 1, &fence, VK_TRUE, WAIT_NS);

    if (r == VK_TIMEOUT) {
        t->lost = true;
    }
    vk_check(t, r, "vkWaitForFences");
}

void cmd_run(T *t, VkCommandBuffer cmd)
{
    VkFence fence = fence_new(t);

    cmd_barrier(cmd);
    cmd_submit(t, cmd, fence);
    fence_wait(t, fence);
}

void dispatch(T *t, Shader shader, const Bind *binds, uint32_t num_binds,
              const void *push, uint32_t push_size,
              const VkSpecializationInfo *spec, uint32_t x, uint32_t y,
              uint32_t z)
{
    Prog p = prog_new(t, shader, binds, num_binds, push_size, spec);
    VkCommandBuffer cmd = cmd_begin(t);

    cmd_bind(cmd, &p, push, push_size);
    vkCmdDispatch(cmd, x, y, z);
    cmd_run(t, cmd);
}
