/*
 * Three compute jobs (tests/guest/vk/shaders) on the first Vulkan device, for
 * the comparison of the model with lavapipe: what a submission takes, and
 * whether the result is right.
 *
 * usage: vk-jobs gemm|reduce|vadd RUNS      prints a line "JOB MS" a run
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <vulkan/vulkan.h>

#include "gemm.spv.h"
#include "reduce.spv.h"
#include "vadd.spv.h"

#define BUFFERS 3
#define GEMM_N  192
#define VADD_N  (1u << 19)
#define REDUCE_N (1u << 20)
#define REDUCE_GROUPS 64

typedef struct Job {
    const char *name;
    const uint32_t *code;
    size_t code_size;
    uint32_t words[BUFFERS];    /* 0: the shader has no such buffer */
    uint32_t push[3];
    uint32_t push_size;
    uint32_t groups[2];
} Job;

static const Job jobs[] = {
    { "gemm", gemm_code, sizeof(gemm_code),
      { GEMM_N * GEMM_N, GEMM_N * GEMM_N, GEMM_N * GEMM_N },
      { GEMM_N, GEMM_N, GEMM_N }, 12, { GEMM_N / 16, GEMM_N / 16 } },
    { "reduce", reduce_code, sizeof(reduce_code),
      { REDUCE_N, REDUCE_GROUPS, 0 }, { REDUCE_N }, 4, { REDUCE_GROUPS, 1 } },
    { "vadd", vadd_code, sizeof(vadd_code), { VADD_N, VADD_N, VADD_N },
      { VADD_N }, 4, { VADD_N / 64, 1 } },
};

static void check(VkResult r, const char *what)
{
    if (r != VK_SUCCESS) {
        fprintf(stderr, "vk-jobs: %s: %d\n", what, r);
        exit(1);
    }
}
#define VK(call) check(call, #call)

typedef union Word {
    float f;
    uint32_t u;
} Word;

static VkPhysicalDevice phys;
static VkDevice dev;
static VkQueue queue;
static uint32_t memory_type;

static void open_device(void)
{
    VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = VK_API_VERSION_1_1,
    };
    VkInstanceCreateInfo ici = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
    };
    float priority = 1;
    VkDeviceQueueCreateInfo qci = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo dci = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &qci,
    };
    VkMemoryPropertyFlags want = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                 VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    VkPhysicalDeviceMemoryProperties mp;
    VkInstance instance;
    uint32_t n = 1;
    VkResult r;

    VK(vkCreateInstance(&ici, NULL, &instance));
    r = vkEnumeratePhysicalDevices(instance, &n, &phys);
    if (n != 1) {
        check(r ? r : VK_ERROR_INITIALIZATION_FAILED, "no device");
    }
    VK(vkCreateDevice(phys, &dci, NULL, &dev));
    vkGetDeviceQueue(dev, 0, 0, &queue);
    vkGetPhysicalDeviceMemoryProperties(phys, &mp);
    while ((mp.memoryTypes[memory_type].propertyFlags & want) != want) {
        memory_type++;
    }
}

static VkBuffer buffer_new(uint32_t words, Word **map)
{
    VkBufferCreateInfo bci = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = words * sizeof(Word),
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
    };
    VkMemoryAllocateInfo mai = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .memoryTypeIndex = memory_type,
    };
    VkMemoryRequirements req;
    VkDeviceMemory memory;
    VkBuffer buffer;

    VK(vkCreateBuffer(dev, &bci, NULL, &buffer));
    vkGetBufferMemoryRequirements(dev, buffer, &req);
    mai.allocationSize = req.size;
    VK(vkAllocateMemory(dev, &mai, NULL, &memory));
    VK(vkBindBufferMemory(dev, buffer, memory, 0));
    VK(vkMapMemory(dev, memory, 0, VK_WHOLE_SIZE, 0, (void **)map));
    return buffer;
}

/* The command buffer of a job whose buffers are given. */
static VkCommandBuffer record(const Job *job, const VkBuffer *buffers)
{
    VkDescriptorSetLayoutBinding binds[BUFFERS];
    VkDescriptorSetLayoutCreateInfo slci = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .pBindings = binds,
    };
    VkDescriptorPoolSize pool_size = {
        VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS,
    };
    VkDescriptorPoolCreateInfo dpci = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = 1,
        .pPoolSizes = &pool_size,
    };
    VkPushConstantRange range = {
        VK_SHADER_STAGE_COMPUTE_BIT, 0, job->push_size,
    };
    VkPipelineLayoutCreateInfo plci = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range,
    };
    VkShaderModuleCreateInfo smci = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = job->code_size,
        .pCode = job->code,
    };
    VkComputePipelineCreateInfo cpci = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .pName = "main",
        },
    };
    VkCommandPoolCreateInfo pci = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    };
    VkCommandBufferAllocateInfo cbai = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
    };
    VkDescriptorSetAllocateInfo dsai = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorSetCount = 1,
    };
    VkDescriptorSetLayout set_layout;
    VkDescriptorSet set;
    VkPipeline pipeline;
    VkCommandBuffer cmd;

    for (uint32_t i = 0; i < BUFFERS && buffers[i]; i++) {
        binds[i] = (VkDescriptorSetLayoutBinding) {
            i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
            VK_SHADER_STAGE_COMPUTE_BIT, NULL,
        };
        slci.bindingCount = i + 1;
    }
    VK(vkCreateDescriptorSetLayout(dev, &slci, NULL, &set_layout));
    VK(vkCreateDescriptorPool(dev, &dpci, NULL, &dsai.descriptorPool));
    dsai.pSetLayouts = &set_layout;
    VK(vkAllocateDescriptorSets(dev, &dsai, &set));
    for (uint32_t i = 0; i < slci.bindingCount; i++) {
        VkDescriptorBufferInfo info = { buffers[i], 0, VK_WHOLE_SIZE };
        VkWriteDescriptorSet write = {
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &info,
        };

        vkUpdateDescriptorSets(dev, 1, &write, 0, NULL);
    }
    plci.pSetLayouts = &set_layout;
    VK(vkCreatePipelineLayout(dev, &plci, NULL, &cpci.layout));
    VK(vkCreateShaderModule(dev, &smci, NULL, &cpci.stage.module));
    VK(vkCreateComputePipelines(dev, NULL, 1, &cpci, NULL, &pipeline));
    VK(vkCreateCommandPool(dev, &pci, NULL, &cbai.commandPool));
    VK(vkAllocateCommandBuffers(dev, &cbai, &cmd));
    VK(vkBeginCommandBuffer(cmd, &begin));
    vkCmdBindPipeline(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(cmd, VK_PIPELINE_BIND_POINT_COMPUTE, cpci.layout,
                            0, 1, &set, 0, NULL);
    vkCmdPushConstants(cmd, cpci.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                       job->push_size, job->push);
    vkCmdDispatch(cmd, job->groups[0], job->groups[1], 1);
    VK(vkEndCommandBuffer(cmd));
    return cmd;
}

static double now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * 1e3 + ts.tv_nsec / 1e6;
}

static double run(VkCommandBuffer cmd)
{
    VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &cmd,
    };
    double start = now_ms();

    VK(vkQueueSubmit(queue, 1, &submit, NULL));
    VK(vkQueueWaitIdle(queue));
    return now_ms() - start;
}

/* Small whole numbers: sums are exact in any order. */
static float input(uint32_t i)
{
    return (float)(i * 7 % 13) - 6;
}

static int wrong(const Job *job, Word *const *map)
{
    uint32_t bad = 0;

    if (!strcmp(job->name, "vadd")) {
        for (uint32_t i = 0; i < VADD_N; i++) {
            bad += map[2][i].f != input(i) + input(i + 1);
        }
    } else if (!strcmp(job->name, "reduce")) {
        uint32_t sum = 0, want = 0;

        for (uint32_t i = 0; i < REDUCE_N; i++) {
            want += map[0][i].u;
        }
        for (uint32_t i = 0; i < REDUCE_GROUPS; i++) {
            sum += map[1][i].u;
        }
        bad = sum != want;
    } else {
        for (uint32_t i = 0; i < GEMM_N * GEMM_N; i++) {
            float want = 0;

            for (uint32_t k = 0; k < GEMM_N; k++) {
                want += map[0][i / GEMM_N * GEMM_N + k].f *
                        map[1][k * GEMM_N + i % GEMM_N].f;
            }
            bad += map[2][i].f != want;
        }
    }
    if (bad) {
        fprintf(stderr, "vk-jobs: %s: %u wrong\n", job->name, bad);
    }
    return bad != 0;
}

int main(int argc, char **argv)
{
    VkBuffer buffers[BUFFERS] = { 0 };
    Word *map[BUFFERS] = { 0 };
    const Job *job = NULL;
    VkCommandBuffer cmd;

    for (size_t i = 0; argc == 3 && i < sizeof(jobs) / sizeof(*jobs); i++) {
        if (!strcmp(jobs[i].name, argv[1])) {
            job = &jobs[i];
        }
    }
    if (!job) {
        fprintf(stderr, "usage: vk-jobs gemm|reduce|vadd RUNS\n");
        return 2;
    }
    open_device();
    for (uint32_t b = 0; b < BUFFERS && job->words[b]; b++) {
        buffers[b] = buffer_new(job->words[b], &map[b]);
        for (uint32_t i = 0; i < job->words[b]; i++) {
            map[b][i].f = input(i + b);
        }
    }
    cmd = record(job, buffers);
    for (int i = atoi(argv[2]); i > 0; i--) {
        printf("%s %.3f\n", job->name, run(cmd));
    }
    return wrong(job, map);
}
