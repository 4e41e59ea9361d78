/*
 * The Vulkan compute suite: what its tests share. A test drives one device
 * with the plain Vulkan API, checks results against its own computation on
 * the CPU and, where "--compare" names a second device, against that.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VK_SUITE_H
#define VK_SUITE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#include "common.h"

/* How long the suite waits for work before it calls a device stuck. */
#define WAIT_NS (120ull * 1000 * 1000 * 1000)

/* A device with one compute queue; every feature that it has is enabled. */
typedef struct Gpu {
    VkPhysicalDevice phys;
    VkPhysicalDeviceProperties props;
    VkPhysicalDeviceVulkan11Properties props11;
    VkPhysicalDeviceVulkan12Properties props12;
    VkPhysicalDeviceFeatures2 features;
    VkPhysicalDeviceVulkan11Features f11;
    VkPhysicalDeviceVulkan12Features f12;
    VkPhysicalDeviceVulkan13Features f13;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float;
    bool has_atomic_float, has_calibrated, has_budget;
    VkPhysicalDeviceMemoryProperties memory;
    uint32_t family;
    uint32_t timestamp_bits;
    VkDevice dev;
    VkQueue queue;
    VkCommandPool pool;
} Gpu;

typedef struct Buf {
    VkBuffer buf;
    VkDeviceMemory memory;
    VkDeviceSize size;
    void *map;                  /* NULL in memory that is not mapped */
    VkDeviceAddress addr;       /* 0 where the device has no such feature */
} Buf;

typedef struct Img {
    VkImage img;
    VkImageView view;           /* of all levels and layers */
    VkFormat format;
    VkExtent3D extent;
    uint32_t levels, layers;
} Img;

/* What a shader's binding number i is: element i of an array of these. */
typedef struct Bind {
    VkDescriptorType type;
    VkBuffer buf;
    VkDeviceSize offset, range;
    VkImageView view;
    VkSampler sampler;
    VkBufferView texels;
} Bind;

#define SSBO(b) \
    { .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, .buf = (b).buf, \
      .range = VK_WHOLE_SIZE }
#define UBO(b) \
    { .type = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, .buf = (b).buf, \
      .range = VK_WHOLE_SIZE }
#define STORAGE_IMAGE(v) \
    { .type = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, .view = (v) }
#define TEXTURE(v, s) \
    { .type = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, .view = (v), \
      .sampler = (s) }

typedef struct Prog {
    VkPipelineLayout layout;
    VkPipeline pipeline;
    VkDescriptorSet set;
} Prog;

/*
 * How far a float may be from the exact value: the larger of the two. ulp
 * counts units in the last place of the type.
 */
typedef struct Tol {
    double ulp, abs;
} Tol;

#define EXACT ((Tol) { 0, 0 })

typedef struct Record Record;
typedef struct Owned Owned;

/* One run of one test on one device. */
typedef struct T {
    Gpu *g;
    const char *self;           /* selects the same device in a child */
    jmp_buf out;
    enum { RUN_PASSED, RUN_FAILED, RUN_SKIPPED } state;
    bool lost;                  /* the device is of no more use */
    char why[512];
    Record *records;
    size_t num_records;
    Owned *owned;
    size_t num_owned, max_owned;
} T;

typedef struct Test {
    const char *name;
    void (*run)(T *t);
    /* Needs a GPU whose faults do not kill the process: not a CPU device. */
    bool hostile;
    /* Its results depend on the device or on time: not compared. */
    bool unlike;
    /* Only on request: part of another test, in a process, or of a bench. */
    bool part;
} Test;

extern const Test transfer_tests[], compute_tests[], arith_tests[],
    atomic_tests[], image_tests[], texture_tests[], block_tests[],
    clear_tests[], sync_tests[], process_tests[], bench_tests[];

/* ---- Verdicts; the first two do not return ---- */

void fail(T *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));
void skip(T *t, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));
/* Fails unless r is VK_SUCCESS. */
void vk_check(T *t, VkResult r, const char *what);
#define VK(t, call) vk_check(t, call, #call)

/* Skips unless the device has the feature. */
#define NEED(t, feature) \
    do { \
        if (!(t)->g->feature) { \
            skip(t, "the device has no " #feature); \
        } \
    } while (0)

/*
 * Compares n elements with what they must be, exactly, and records them for
 * the comparison with another device.
 */
void check_u8(T *t, const char *what, const void *got, const void *want,
              size_t n);
void check_u16(T *t, const char *what, const void *got, const void *want,
               size_t n);
void check_u32(T *t, const char *what, const void *got, const void *want,
               size_t n);
void check_u64(T *t, const char *what, const void *got, const void *want,
               size_t n);
/* Likewise within a tolerance, against values of higher precision. */
void check_f16(T *t, const char *what, const uint16_t *got,
               const double *want, size_t n, Tol tol);
void check_f32(T *t, const char *what, const float *got, const double *want,
               size_t n, Tol tol);
void check_f64(T *t, const char *what, const double *got,
               const long double *want, size_t n, Tol tol);
void check_that(T *t, bool good, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Ends all objects of a run. */
void run_release(T *t);

/* A sequence that is the same everywhere. */
uint32_t rnd(uint32_t *state);
/* IEEE 754 binary16, to nearest even. */
uint16_t to_half(double v);
double from_half(uint16_t h);

/* ---- Devices ---- */

/* Opens the device that name names, NULL on failure with a message. */
Gpu *gpu_open(const char *name);
void gpu_close(Gpu *g);
/* Prints the devices there are. */
void gpu_list(void);
bool gpu_is_cpu(const Gpu *g);
/* Bytes of all heaps that are in use, 0 where the device does not tell. */
VkDeviceSize gpu_memory_used(const Gpu *g);

/* ---- Objects; all end with the run ---- */

/* Mapped memory of the CPU's choice, or the device's own. */
Buf buf_new(T *t, VkDeviceSize size);
Buf buf_of(T *t, const void *data, VkDeviceSize size);
Buf buf_local(T *t, VkDeviceSize size);
Img img_new(T *t, VkImageType type, VkFormat format, VkExtent3D extent,
            uint32_t levels, uint32_t layers, VkImageUsageFlags usage,
            VkImageViewType view);
/* Of 2D, one level and one layer. */
Img img_samples(T *t, VkFormat format, VkExtent3D extent,
                VkSampleCountFlagBits samples, VkImageUsageFlags usage);
VkImageView img_view(T *t, const Img *img, VkImageViewType type,
                     uint32_t level, uint32_t layer);
VkImageView img_view_of(T *t, const Img *img, VkImageViewType type,
                        uint32_t level, uint32_t layer,
                        VkImageAspectFlags aspects);
VkBufferView texel_view(T *t, const Buf *b, VkFormat format);
VkSampler sampler_new(T *t, VkFilter filter, VkSamplerMipmapMode mip,
                      VkSamplerAddressMode mode, VkBorderColor border);
Prog prog_new(T *t, Shader shader, const Bind *binds, uint32_t num_binds,
              uint32_t push_size, const VkSpecializationInfo *spec);
VkFence fence_new(T *t);
VkEvent event_new(T *t);
VkQueryPool query_pool(T *t, VkQueryType type, uint32_t count);
/* A timeline where timeline is set. */
VkSemaphore semaphore_new(T *t, bool timeline);

/* ---- Work ---- */

VkCommandBuffer cmd_begin(T *t);
void cmd_bind(VkCommandBuffer cmd, const Prog *p, const void *push,
              uint32_t push_size);
/* Orders all that came before with all that follows, host included. */
void cmd_barrier(VkCommandBuffer cmd);
void cmd_layout(VkCommandBuffer cmd, const Img *img, VkImageLayout from,
                VkImageLayout to);
void cmd_submit(T *t, VkCommandBuffer cmd, VkFence fence);
void fence_wait(T *t, VkFence fence);
/* Submits and waits for the end. */
void cmd_run(T *t, VkCommandBuffer cmd);
/* One dispatch, from the pipeline to the wait. */
void dispatch(T *t, Shader shader, const Bind *binds, uint32_t num_binds,
              const void *push, uint32_t push_size,
              const VkSpecializationInfo *spec, uint32_t x, uint32_t y,
              uint32_t z);
/* Copies tightly packed texels of one level, all layers. */
void img_upload(T *t, const Img *img, uint32_t level, const void *data,
                size_t size, VkImageLayout then);
void img_download(T *t, const Img *img, uint32_t level, void *data,
                  size_t size, VkImageLayout layout);

/* Runs this program again, on the same device, with these tests. */
int child_start(T *t, const char *const *tests);
/* Exit status, or -1 if a signal ended it. */
int child_wait(T *t, int pid);

#endif
