/*
 * Clears of images and attachments: depth, stencil, samples, rectangles. All
 * that a device without draws can do about them, read back by copies and by
 * shaders.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders.h"

enum { W = 37, H = 21, LEVELS = 3, LAYERS = 2 };

#define GENERAL VK_IMAGE_LAYOUT_GENERAL
#define DEPTH   VK_IMAGE_ASPECT_DEPTH_BIT
#define STENCIL VK_IMAGE_ASPECT_STENCIL_BIT
#define USAGE   (VK_IMAGE_USAGE_SAMPLED_BIT | \
                 VK_IMAGE_USAGE_TRANSFER_DST_BIT | \
                 VK_IMAGE_USAGE_TRANSFER_SRC_BIT)

/* Clears of depth and of attachments are a graphics queue's. */
static void need_graphics(T *t)
{
    VkQueueFamilyProperties families[16];
    uint32_t n = ARRAY_SIZE(families);

    vkGetPhysicalDeviceQueueFamilyProperties(t->g->phys, &n, families);
    if (!(families[t->g->family].queueFlags & VK_QUEUE_GRAPHICS_BIT)) {
        skip(t, "the queue has no graphics");
    }
}

static const struct {
    VkFormat format;
    uint32_t depth_bits;        /* 32: a float */
    bool stencil;
} formats[] = {
    { VK_FORMAT_D16_UNORM, 16, false },
    { VK_FORMAT_X8_D24_UNORM_PACK32, 24, false },
    { VK_FORMAT_D32_SFLOAT, 32, false },
    { VK_FORMAT_D24_UNORM_S8_UINT, 24, true },
    { VK_FORMAT_D32_SFLOAT_S8_UINT, 32, true },
    { VK_FORMAT_S8_UINT, 0, true },
};

/* What copies give, a layer after the other, as floats or integers. */
static Buf copy_aspect(T *t, const Img *img, uint32_t level,
                       VkImageAspectFlags aspect)
{
    uint32_t w = at_level(img->extent.width, level);
    uint32_t h = at_level(img->extent.height, level);
    Buf b = buf_new(t, w * h * img->layers * 4);
    VkCommandBuffer cmd = cmd_begin(t);
    VkBufferImageCopy copy = {
        .imageSubresource = { aspect, level, 0, img->layers },
        .imageExtent = { w, h, 1 },
    };

    cmd_barrier(cmd);
    vkCmdCopyImageToBuffer(cmd, img->img, GENERAL, b.buf, 1, &copy);
    cmd_barrier(cmd);
    cmd_run(t, cmd);
    return b;
}

static void check_depth(T *t, const char *what, const void *data,
                        uint32_t bits, const double *want, size_t n)
{
    float *got = malloc(n * sizeof(*got));
    Tol tol = { 0, bits == 32 ? 0 : 1.0 / ((1u << bits) - 1) };

    for (size_t i = 0; i < n; i++) {
        if (bits == 32) {
            got[i] = ((const float *)data)[i];
        } else if (bits == 16) {
            got[i] = ((const uint16_t *)data)[i] / 65535.0f;
        } else {
            got[i] = (((const uint32_t *)data)[i] & 0xffffff) / 16777215.0f;
        }
    }
    check_f32(t, what, got, want, n, tol);
    free(got);
}

/* A texel of layer 0 as a shader sees it, four words each. */
static const uint32_t *fetch(T *t, const Img *img, uint32_t level,
                             VkImageAspectFlags aspect)
{
    uint32_t w = at_level(W, level), h = at_level(H, level);
    uint32_t push[4] = { level, w, h, 0 };
    Buf out = buf_new(t, (w * h + 1) * 16);
    VkSampler s = sampler_new(t, VK_FILTER_NEAREST,
                              VK_SAMPLER_MIPMAP_MODE_NEAREST,
                              VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);

    dispatch(t, aspect == STENCIL ? sh_fetch_uint : sh_fetch_float,
             (Bind[]) { TEXTURE(img_view_of(t, img, VK_IMAGE_VIEW_TYPE_2D, 0,
                                            0, aspect), s), SSBO(out) }, 2,
             push, 16, NULL, (w + 7) / 8, (h + 7) / 8, 1);
    return out.map;
}

static void clear(VkCommandBuffer cmd, const Img *img, float depth,
                  uint32_t stencil, VkImageAspectFlags aspects,
                  uint32_t level, uint32_t levels, uint32_t layer,
                  uint32_t layers)
{
    VkClearDepthStencilValue value = { depth, stencil };
    VkImageSubresourceRange range = { aspects, level, levels, layer, layers };

    vkCmdClearDepthStencilImage(cmd, img->img, GENERAL, &value, 1, &range);
    cmd_barrier(cmd);
}

/* All, then depth alone of level 1 of layer 1, then stencil of level 0. */
static void one_zeta(T *t, VkFormat format, uint32_t depth_bits, bool stencil)
{
    static double depths[W * H * LAYERS];
    static uint8_t stencils[W * H * LAYERS];
    VkImageAspectFlags aspects = (depth_bits ? DEPTH : 0) |
        (stencil ? STENCIL : 0);
    VkImageFormatProperties props;
    VkCommandBuffer cmd;
    char what[64];
    Img img;

    if (vkGetPhysicalDeviceImageFormatProperties(
            t->g->phys, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
            USAGE, 0, &props) != VK_SUCCESS) {
        return;
    }
    img = img_new(t, VK_IMAGE_TYPE_2D, format, (VkExtent3D) { W, H, 1 },
                  LEVELS, LAYERS, USAGE, VK_IMAGE_VIEW_TYPE_2D_ARRAY);
    cmd = cmd_begin(t);
    cmd_layout(cmd, &img, VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    clear(cmd, &img, 0.25f, 0x11, aspects, 0, LEVELS, 0, LAYERS);
    if (depth_bits) {
        clear(cmd, &img, 1.0f, 0x77, DEPTH, 1, 1, 1, 1);
    }
    if (stencil) {
        clear(cmd, &img, 0.75f, 0xe2, STENCIL, 0, 1, 0, LAYERS);
    }
    cmd_run(t, cmd);
    for (uint32_t l = 0; l < LEVELS; l++) {
        size_t layer = at_level(W, l) * at_level(H, l), n = layer * LAYERS;

        for (size_t i = 0; i < n; i++) {
            depths[i] = l == 1 && i >= layer ? 1.0 : 0.25;
            stencils[i] = l == 0 ? 0xe2 : 0x11;
        }
        snprintf(what, sizeof(what), "format %d, level %u", format, l);
        if (depth_bits) {
            const uint32_t *out = fetch(t, &img, l, DEPTH);
            float *red = malloc(layer * sizeof(*red));

            check_depth(t, what, copy_aspect(t, &img, l, DEPTH).map,
                        depth_bits, depths, n);
            for (size_t i = 0; i < layer; i++) {
                memcpy(&red[i], &out[i * 4], 4);
            }
            check_f32(t, what, red, depths, layer,
                      (Tol) { 0, depth_bits == 32 ? 0
                                 : 1.0 / ((1u << depth_bits) - 1) });
            free(red);
        }
        if (stencil) {
            const uint32_t *out = fetch(t, &img, l, STENCIL);
            uint8_t *red = malloc(layer);

            check_u8(t, what, copy_aspect(t, &img, l, STENCIL).map, stencils,
                     n);
            for (size_t i = 0; i < layer; i++) {
                red[i] = out[i * 4];
            }
            check_u8(t, what, red, stencils, layer);
            free(red);
        }
    }
}

static void depth_stencil(T *t)
{
    need_graphics(t);
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        one_zeta(t, formats[i].format, formats[i].depth_bits,
                 formats[i].stencil);
    }
}

/* ---- Samples ---- */

static void one_sampled(T *t, VkFormat format, VkSampleCountFlagBits samples,
                        const VkClearColorValue *color, Shader shader,
                        const uint32_t want[4])
{
    bool depth = format == VK_FORMAT_D32_SFLOAT;
    VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT |
        VK_IMAGE_USAGE_TRANSFER_DST_BIT |
        (depth ? VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT
               : VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    VkImageSubresourceRange range = { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1 };
    uint32_t push[3] = { W, H, samples };
    size_t n = (size_t)W * H * samples * 4;
    uint32_t *all = malloc(n * 4);
    VkSampler s = sampler_new(t, VK_FILTER_NEAREST,
                              VK_SAMPLER_MIPMAP_MODE_NEAREST,
                              VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE, 0);
    VkImageFormatProperties props;
    VkCommandBuffer cmd;
    char what[64];
    Buf out;
    Img img;

    if (vkGetPhysicalDeviceImageFormatProperties(
            t->g->phys, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
            usage, 0, &props) != VK_SUCCESS ||
        !(props.sampleCounts & samples)) {
        free(all);
        return;
    }
    img = img_samples(t, format, (VkExtent3D) { W, H, 1 }, samples, usage);
    cmd = cmd_begin(t);
    cmd_layout(cmd, &img, VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    if (depth) {
        clear(cmd, &img, color->float32[0], 0, DEPTH, 0, 1, 0, 1);
    } else {
        vkCmdClearColorImage(cmd, img.img, GENERAL, color, 1, &range);
        cmd_barrier(cmd);
    }
    cmd_run(t, cmd);
    out = buf_new(t, n * 4);
    dispatch(t, shader, (Bind[]) { TEXTURE(img.view, s), SSBO(out) }, 2, push,
             12, NULL, (W + 7) / 8, (H + 7) / 8, 1);
    for (size_t i = 0; i < n; i++) {
        all[i] = want[i % 4];
    }
    /* Of depth only the first component is the same everywhere. */
    for (size_t i = 0; depth && i < n; i++) {
        ((uint32_t *)out.map)[i] = i % 4 ? all[i] : ((uint32_t *)out.map)[i];
    }
    snprintf(what, sizeof(what), "format %d, %u samples", format, samples);
    check_u32(t, what, out.map, all, n);
    free(all);
}

static void samples(T *t)
{
    const VkClearColorValue color = { .float32 = { 1, 0, 0.5f, 0.25f } };
    const VkClearColorValue number = { .uint32 = { 0x12345678, 2, 3, 4 } };

    need_graphics(t);
    for (uint32_t n = 2; n <= 8; n *= 2) {
        one_sampled(t, VK_FORMAT_R16G16B16A16_SFLOAT, n, &color,
                    sh_fetchms_float,
                    (uint32_t[]) { 0x3f800000, 0, 0x3f000000, 0x3e800000 });
        one_sampled(t, VK_FORMAT_R32_UINT, n, &number, sh_fetchms_uint,
                    (uint32_t[]) { 0x12345678, 0, 0, 1 });
        one_sampled(t, VK_FORMAT_R8G8B8A8_UINT, n, &number, sh_fetchms_uint,
                    (uint32_t[]) { 0xff, 2, 3, 4 });
        one_sampled(t, VK_FORMAT_D32_SFLOAT, n, &(VkClearColorValue) {
                        .float32 = { 0.75f } }, sh_fetchms_float,
                    (uint32_t[]) { 0x3f400000, 0, 0, 0x3f800000 });
    }
}

/* ---- Attachments ---- */

/* Rectangles of a render pass without draws: colour, depth and stencil. */
static void attachments(T *t)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
        VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    const VkExtent3D extent = { W, H, 1 };
    const VkClearRect rects[] = {
        { { { 3, 5 }, { 9, 4 } }, 0, 1 }, { { { 20, 1 }, { 17, 20 } }, 0, 1 },
    };
    const VkClearAttachment what[] = {
        { VK_IMAGE_ASPECT_COLOR_BIT, 0,
          { .color.uint32 = { 1, 2, 3, 4 } } },
        { DEPTH | STENCIL, 0, { .depthStencil = { 0.5f, 0x99 } } },
    };
    static uint32_t colors[W * H];
    static double depths[W * H];
    static uint8_t stencils[W * H];
    VkRenderingAttachmentInfo att[2];
    VkCommandBuffer cmd;
    Img color, zeta;

    need_graphics(t);
    NEED(t, f13.dynamicRendering);
    color = img_new(t, VK_IMAGE_TYPE_2D, VK_FORMAT_R8G8B8A8_UINT, extent, 1, 1,
                    usage | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                    VK_IMAGE_VIEW_TYPE_2D);
    zeta = img_new(t, VK_IMAGE_TYPE_2D, VK_FORMAT_D32_SFLOAT_S8_UINT, extent,
                   1, 1, usage | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                   VK_IMAGE_VIEW_TYPE_2D);
    for (int i = 0; i < 2; i++) {
        att[i] = (VkRenderingAttachmentInfo) {
            .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
            .imageView = img_view(t, i ? &zeta : &color,
                                  VK_IMAGE_VIEW_TYPE_2D, 0, 0),
            .imageLayout = GENERAL,
            .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
            .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
        };
    }
    att[0].clearValue.color.uint32[0] = 0x55;
    att[1].clearValue.depthStencil = (VkClearDepthStencilValue) { 1, 0x22 };
    cmd = cmd_begin(t);
    cmd_layout(cmd, &color, VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    cmd_layout(cmd, &zeta, VK_IMAGE_LAYOUT_UNDEFINED, GENERAL);
    vkCmdBeginRendering(cmd, &(VkRenderingInfo) {
        .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
        .renderArea = { { 0, 0 }, { W, H } }, .layerCount = 1,
        .colorAttachmentCount = 1, .pColorAttachments = &att[0],
        .pDepthAttachment = &att[1], .pStencilAttachment = &att[1],
    });
    vkCmdClearAttachments(cmd, 2, what, 2, rects);
    vkCmdEndRendering(cmd);
    cmd_run(t, cmd);
    for (uint32_t i = 0; i < W * H; i++) {
        bool in = false;

        for (int r = 0; r < 2; r++) {
            const VkRect2D *a = &rects[r].rect;

            in |= i % W - a->offset.x < a->extent.width &&
                  i / W - a->offset.y < a->extent.height;
        }
        colors[i] = in ? 0x04030201 : 0x55;
        depths[i] = in ? 0.5 : 1.0;
        stencils[i] = in ? 0x99 : 0x22;
    }
    check_u32(t, "colour", copy_aspect(t, &color, 0,
                                       VK_IMAGE_ASPECT_COLOR_BIT).map,
              colors, W * H);
    check_depth(t, "depth", copy_aspect(t, &zeta, 0, DEPTH).map, 32, depths,
                W * H);
    check_u8(t, "stencil", copy_aspect(t, &zeta, 0, STENCIL).map, stencils,
             W * H);
}

const Test clear_tests[] = {
    { "clear-depth-stencil", depth_stencil },
    { "clear-samples", samples, .unlike = true }, /* in how many samples */
    { "clear-attachments", attachments },
    { 0 }
};
