/*
 * Devices of the Vulkan compute suite, by the plain Vulkan API (Vulkan 1.3).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

static VkInstance instance;

/* ---- Devices ---- */

static VkInstance get_instance(void)
{
    VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pApplicationName = "vk-suite",
        .apiVersion = VK_API_VERSION_1_3,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
    };

    if (!instance) {
        VkResult r = vkCreateInstance(&info, NULL, &instance);

        if (r != VK_SUCCESS) {
            fprintf(stderr, "vk-suite: vkCreateInstance: VkResult %d\n", r);
            exit(2);
        }
    }
    return instance;
}

static uint32_t devices(VkPhysicalDevice *phys, uint32_t max)
{
    uint32_t n = max;
    VkResult r = vkEnumeratePhysicalDevices(get_instance(), &n, phys);

    return r == VK_SUCCESS || r == VK_INCOMPLETE ? n : 0;
}

/* All the names by which a device goes, and its type. */
static VkPhysicalDeviceType names_of(VkPhysicalDevice phys, char *names,
                                     size_t size)
{
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
    };
    VkPhysicalDeviceProperties2 props = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &driver,
    };

    vkGetPhysicalDeviceProperties2(phys, &props);
    snprintf(names, size, "%s; %s %s%s", props.properties.deviceName,
             driver.driverName, driver.driverInfo,
             driver.driverID == VK_DRIVER_ID_MESA_LLVMPIPE ? "; lavapipe"
                                                           : "");
    return props.properties.deviceType;
}

void gpu_list(void)
{
    VkPhysicalDevice phys[16];
    uint32_t n = devices(phys, ARRAY_SIZE(phys));
    char names[1024];

    for (uint32_t i = 0; i < n; i++) {
        names_of(phys[i], names, sizeof(names));
        printf("# device: %s\n", names);
    }
}

static bool choose(Gpu *g, const char *name)
{
    VkPhysicalDevice phys[16];
    uint32_t n = devices(phys, ARRAY_SIZE(phys));
    char names[1024];

    for (int cpu = 0; cpu < 2; cpu++) {
        for (uint32_t i = 0; i < n; i++) {
            bool is_cpu = names_of(phys[i], names, sizeof(names)) ==
                VK_PHYSICAL_DEVICE_TYPE_CPU;

            if (is_cpu == cpu && strcasestr(names, name)) {
                printf("# device: %s\n", names);
                g->phys = phys[i];
                return true;
            }
        }
    }
    fprintf(stderr, "vk-suite: no device \"%s\"\n", name);
    return false;
}

bool gpu_is_cpu(const Gpu *g)
{
    return g->props.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

VkDeviceSize gpu_memory_used(const Gpu *g)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType =
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT,
    };
    VkPhysicalDeviceMemoryProperties2 props = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
        .pNext = &budget,
    };
    VkDeviceSize used = 0;

    if (g->has_budget && !gpu_is_cpu(g)) {
        vkGetPhysicalDeviceMemoryProperties2(g->phys, &props);
        for (uint32_t i = 0; i < props.memoryProperties.memoryHeapCount;
             i++) {
            used += budget.heapUsage[i];
        }
    }
    return used;
}

static bool has_extension(const VkExtensionProperties *ext, uint32_t n,
                          const char *name)
{
    for (uint32_t i = 0; i < n; i++) {
        if (!strcmp(ext[i].extensionName, name)) {
            return true;
        }
    }
    return false;
}

static void query(Gpu *g)
{
    VkPhysicalDeviceProperties2 props = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &g->props11,
    };

    g->props11.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    g->props11.pNext = &g->props12;
    g->props12.sType =
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    vkGetPhysicalDeviceProperties2(g->phys, &props);
    g->props = props.properties;
    vkGetPhysicalDeviceMemoryProperties(g->phys, &g->memory);

    g->features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    g->features.pNext = &g->f11;
    g->f11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    g->f11.pNext = &g->f12;
    g->f12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    g->f12.pNext = &g->f13;
    g->f13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    if (g->has_atomic_float) {
        g->f13.pNext = &g->atomic_float;
        g->atomic_float.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_\
ATOMIC_FLOAT_FEATURES_EXT;
    }
    vkGetPhysicalDeviceFeatures2(g->phys, &g->features);
}

static bool choose_queue(Gpu *g)
{
    VkQueueFamilyProperties families[16];
    uint32_t n = ARRAY_SIZE(families);

    vkGetPhysicalDeviceQueueFamilyProperties(g->phys, &n, families);
    for (uint32_t i = 0; i < n; i++) {
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
            g->family = i;
            g->timestamp_bits = families[i].timestampValidBits;
            return true;
        }
    }
    return false;
}

Gpu *gpu_open(const char *name)
{
    static VkExtensionProperties ext[1024];
    Gpu *g = calloc(1, sizeof(*g));
    const char *enabled[4];
    uint32_t num_ext = ARRAY_SIZE(ext), num_enabled = 0;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &g->features,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .ppEnabledExtensionNames = enabled,
    };
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
    };
    VkResult r;

    if (!choose(g, name) || !choose_queue(g)) {
        free(g);
        return NULL;
    }
    vkEnumerateDeviceExtensionProperties(g->phys, NULL, &num_ext, ext);
    g->has_atomic_float = has_extension(
        ext, num_ext, VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME);
    g->has_calibrated = has_extension(
        ext, num_ext, VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME);
    g->has_budget = has_extension(ext, num_ext,
                                  VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    if (g->has_atomic_float) {
        enabled[num_enabled++] = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
    }
    if (g->has_calibrated) {
        enabled[num_enabled++] = VK_EXT_CALIBRATED_TIMESTAMPS_EXTENSION_NAME;
    }
    if (g->has_budget) {
        enabled[num_enabled++] = VK_EXT_MEMORY_BUDGET_EXTENSION_NAME;
    }
    query(g);
    info.enabledExtensionCount = num_enabled;
    queue.queueFamilyIndex = pool.queueFamilyIndex = g->family;
    r = vkCreateDevice(g->phys, &info, NULL, &g->dev);
    if (r == VK_SUCCESS) {
        vkGetDeviceQueue(g->dev, g->family, 0, &g->queue);
        r = vkCreateCommandPool(g->dev, &pool, NULL, &g->pool);
    }
    if (r == VK_SUCCESS && g->has_budget && !gpu_is_cpu(g)) {
        printf("# memory in use: %llu KiB\n",
               (unsigned long long)gpu_memory_used(g) >> 10);
    }
    if (r != VK_SUCCESS) {
        fprintf(stderr, "vk-suite: vkCreateDevice: VkResult %d\n", r);
        gpu_close(g);
        return NULL;
    }
    return g;
}

void gpu_close(Gpu *g)
{
    if (g && g->dev) {
        vkDestroyCommandPool(g->dev, g->pool, NULL);
        vkDestroyDevice(g->dev, NULL);
    }
    free(g);
}
