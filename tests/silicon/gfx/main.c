/*
 * The graphics programs' main: choice of program and device.
 *
 * usage: gfx-suite [--frames N] [--device NAME] PROGRAM FILE   writes images
 *        gfx-suite --list
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfx.h"

#define OUT_SIZE (8u << 20)

static const Program *const lists[] = {
    basic_programs, vertex_programs, texture_programs, stage_programs,
};

void die(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fputs("gfx-suite: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

static const Program *find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        for (const Program *p = lists[i]; p->name; p++) {
            if (!strcmp(p->name, name)) {
                return p;
            }
        }
    }
    die("no program %s", name);
}

static void choose_device(Gfx *g, VkInstance instance, const char *name)
{
    VkPhysicalDevice all[8];
    VkPhysicalDeviceProperties props;
    uint32_t n = ARRAY_SIZE(all);

    VK(vkEnumeratePhysicalDevices(instance, &n, all));
    for (uint32_t i = 0; i < n; i++) {
        vkGetPhysicalDeviceProperties(all[i], &props);
        if (!name || strstr(props.deviceName, name)) {
            g->phys = all[i];
            return;
        }
    }
    die("no such device");
}

static void open_device(Gfx *g, const char *name)
{
    VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = VK_API_VERSION_1_3,
    };
    VkInstanceCreateInfo instance_info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
    };
    VkPhysicalDeviceVulkan12Features f12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .samplerMirrorClampToEdge = VK_TRUE,
        .drawIndirectCount = VK_TRUE,
    };
    VkPhysicalDeviceVulkan13Features f13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .pNext = &f12,
        .dynamicRendering = VK_TRUE,
    };
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &f13,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .pEnabledFeatures = &g->features,
    };
    VkInstance instance;

    VK(vkCreateInstance(&instance_info, NULL, &instance));
    choose_device(g, instance, name);
    vkGetPhysicalDeviceFeatures(g->phys, &g->features);
    vkGetPhysicalDeviceMemoryProperties(g->phys, &g->memory);
    VK(vkCreateDevice(g->phys, &info, NULL, &g->dev));
    vkGetDeviceQueue(g->dev, 0, 0, &g->queue);
}

static void open_pools(Gfx *g)
{
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
    };
    VkDescriptorPoolSize size = {
        VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 64 * TEXTURES,
    };
    VkDescriptorPoolCreateInfo sets = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 64,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    VkDescriptorSetLayoutBinding bindings[TEXTURES];
    VkDescriptorSetLayoutCreateInfo set_layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = TEXTURES,
        .pBindings = bindings,
    };
    VkPushConstantRange range = { VK_SHADER_STAGE_ALL_GRAPHICS, 0, 128 };
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &g->set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &range,
    };
    Buf out;

    for (uint32_t i = 0; i < TEXTURES; i++) {
        bindings[i] = (VkDescriptorSetLayoutBinding) {
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_ALL_GRAPHICS,
        };
    }
    VK(vkCreateCommandPool(g->dev, &pool, NULL, &g->pool));
    VK(vkCreateDescriptorPool(g->dev, &sets, NULL, &g->sets));
    VK(vkCreateDescriptorSetLayout(g->dev, &set_layout, NULL, &g->set_layout));
    VK(vkCreatePipelineLayout(g->dev, &layout, NULL, &g->layout));
    out = buf_of(g, NULL, OUT_SIZE);
    g->out = out.buf;
    g->out_map = out.map;
    g->out_size = out.size;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        { "frames", required_argument, NULL, 'f' },
        { "device", required_argument, NULL, 'd' },
        { "list", no_argument, NULL, 'l' },
        { 0 },
    };
    Gfx g = { .frames = 300 };
    const char *device = NULL;
    FILE *file;
    int c;

    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        switch (c) {
        case 'f':
            g.frames = strtoul(optarg, NULL, 0);
            break;
        case 'd':
            device = optarg;
            break;
        case 'l':
            for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
                for (const Program *p = lists[i]; p->name; p++) {
                    puts(p->name);
                }
            }
            return 0;
        default:
            return 2;
        }
    }
    if (argc - optind != 2) {
        die("usage: gfx-suite [OPTION...] PROGRAM FILE");
    }
    open_device(&g, device);
    open_pools(&g);
    find(argv[optind])->run(&g);
    file = fopen(argv[optind + 1], "w");
    if (!file || fwrite(g.out_map, g.out_used, 1, file) != 1 || fclose(file)) {
        die("%s: not written", argv[optind + 1]);
    }
    return 0;
}
