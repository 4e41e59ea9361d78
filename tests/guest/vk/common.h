/*
 * What every Vulkan program of the tests needs of the plain API: plain
 * functions over handles, which own nothing and judge nothing. Those that
 * return a VkResult leave the verdict to the caller.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_VK_COMMON_H
#define TESTS_VK_COMMON_H

#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

typedef struct Shader {
    const uint32_t *code;
    size_t size;                /* bytes */
} Shader;

/* A side of a mip level, from the image's. */
static inline uint32_t at_level(uint32_t v, uint32_t level)
{
    return v >> level ? v >> level : 1;
}

/* All aspects that a format has. */
VkImageAspectFlags vku_aspect(VkFormat format);

/*
 * The first memory type of bits (of VkMemoryRequirements) that has all flags;
 * UINT32_MAX: none.
 */
uint32_t vku_memory_type(const VkPhysicalDeviceMemoryProperties *memory,
                         uint32_t bits, VkMemoryPropertyFlags flags);

/* All axes and both filters alike; all levels. */
VkResult vku_sampler(VkDevice dev, VkFilter filter, VkSamplerMipmapMode mip,
                     VkSamplerAddressMode mode, VkBorderColor border,
                     VkSampler *sampler);
VkResult vku_shader(VkDevice dev, const Shader *shader,
                    VkShaderModule *module);
VkResult vku_query_pool(VkDevice dev, VkQueryType type, uint32_t count,
                        VkQueryPipelineStatisticFlags stats,
                        VkQueryPool *pool);
VkResult vku_fence(VkDevice dev, VkFence *fence);

/* A command buffer that records. */
VkResult vku_cmd_begin(VkDevice dev, VkCommandPool pool, VkCommandBuffer *cmd);
/* Ends and submits it. */
VkResult vku_submit(VkQueue queue, VkCommandBuffer cmd, VkFence fence);
/* Orders all that came before with all that follows, host included. */
void vku_cmd_barrier(VkCommandBuffer cmd);
/* Likewise, for an image of this format, all of it, which changes layout. */
void vku_cmd_layout(VkCommandBuffer cmd, VkImage image, VkFormat format,
                    VkImageLayout from, VkImageLayout to);

#endif
