/*
 * The plain Vulkan API, for every program of the tests.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "common.h"

#define ALL_ACCESS (VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT)

VkImageAspectFlags vku_aspect(VkFormat format)
{
    switch (format) {
    case VK_FORMAT_D16_UNORM:
    case VK_FORMAT_X8_D24_UNORM_PACK32:
    case VK_FORMAT_D32_SFLOAT:
        return VK_IMAGE_ASPECT_DEPTH_BIT;
    case VK_FORMAT_S8_UINT:
        return VK_IMAGE_ASPECT_STENCIL_BIT;
    case VK_FORMAT_D24_UNORM_S8_UINT:
    case VK_FORMAT_D32_SFLOAT_S8_UINT:
        return VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT;
    default:
        return VK_IMAGE_ASPECT_COLOR_BIT;
    }
}

uint32_t vku_memory_type(const VkPhysicalDeviceMemoryProperties *memory,
                         uint32_t bits, VkMemoryPropertyFlags flags)
{
    for (uint32_t i = 0; i < memory->memoryTypeCount; i++) {
        if ((bits >> i & 1) &&
            (memory->memoryTypes[i].propertyFlags & flags) == flags) {
            return i;
        }
    }
    return UINT32_MAX;
}

VkResult vku_sampler(VkDevice dev, VkFilter filter, VkSamplerMipmapMode mip,
                     VkSamplerAddressMode mode, VkBorderColor border,
                     VkSampler *sampler)
{
    VkSamplerCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO,
        .magFilter = filter,
        .minFilter = filter,
        .mipmapMode = mip,
        .addressModeU = mode,
        .addressModeV = mode,
        .addressModeW = mode,
        .maxLod = VK_LOD_CLAMP_NONE,
        .borderColor = border,
    };

    return vkCreateSampler(dev, &info, NULL, sampler);
}

VkResult vku_shader(VkDevice dev, const Shader *shader, VkShaderModule *module)
{
    VkShaderModuleCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = shader->size,
        .pCode = shader->code,
    };

    return vkCreateShaderModule(dev, &info, NULL, module);
}

VkResult vku_query_pool(VkDevice dev, VkQueryType type, uint32_t count,
                        VkQueryPipelineStatisticFlags stats,
                        VkQueryPool *pool)
{
    VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = type,
        .queryCount = count,
        .pipelineStatistics = stats,
    };

    return vkCreateQueryPool(dev, &info, NULL, pool);
}

VkResult vku_fence(VkDevice dev, VkFence *fence)
{
    VkFenceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };

    return vkCreateFence(dev, &info, NULL, fence);
}

VkResult vku_cmd_begin(VkDevice dev, VkCommandPool pool, VkCommandBuffer *cmd)
{
    VkCommandBufferAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = pool,
        .commandBufferCount = 1,
    };
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    };
    VkResult r = vkAllocateCommandBuffers(dev, &info, cmd);

    return r ? r : vkBeginCommandBuffer(*cmd, &begin);
}

VkResult vku_submit(VkQueue queue, VkCommandBuffer cmd, VkFence fence)
{
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &cmd,
    };
    VkResult r = vkEndCommandBuffer(cmd);

    return r ? r : vkQueueSubmit(queue, 1, &info, fence);
}

void vku_cmd_barrier(VkCommandBuffer cmd)
{
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = ALL_ACCESS,
        .dstAccessMask = ALL_ACCESS | VK_ACCESS_HOST_READ_BIT,
    };

    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT |
                         VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL,
                         0, NULL);
}

void vku_cmd_layout(VkCommandBuffer cmd, VkImage image, VkFormat format,
                    VkImageLayout from, VkImageLayout to)
{
    VkImageMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
        .srcAccessMask = ALL_ACCESS,
        .dstAccessMask = ALL_ACCESS,
        .oldLayout = from,
        .newLayout = to,
        .srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED,
        .image = image,
        .subresourceRange = { vku_aspect(format), 0, VK_REMAINING_MIP_LEVELS,
                              0, VK_REMAINING_ARRAY_LAYERS },
    };

    vkCmdPipelineBarrier(cmd, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                         VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, NULL, 0,
                         NULL, 1, &barrier);
}
