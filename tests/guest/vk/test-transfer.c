/*
 * Fills, updates and copies of buffers and images: the copy engine's work.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders.h"

static void noise(void *p, size_t size, uint32_t seed)
{
    uint32_t state = seed * 2654435761u + 1;
    uint8_t *b = p;

    for (size_t i = 0; i < size; i++) {
        b[i] = rnd(&state) >> 11;
    }
}

static void fill_buffer(T *t)
{
    static const struct {
        VkDeviceSize offset, size;
        uint32_t data;
    } fills[] = {
        { 0, 4, 0x11111111 }, { 8, 12, 0xdeadbeef }, { 1024, 4096, 1 },
        { 8192, 131072, 0x80000001 }, { 200000, VK_WHOLE_SIZE, 0xa5 },
    };
    const uint32_t words = 65536;
    uint32_t *want = malloc(words * 4);
    Buf b = buf_new(t, words * 4), local = buf_local(t, words * 4);
    VkCommandBuffer cmd = cmd_begin(t);
    VkBufferCopy all = { 0, 0, words * 4 };

    memset(want, 0x77, words * 4);
    vkCmdFillBuffer(cmd, local.buf, 0, VK_WHOLE_SIZE, 0x77777777);
    cmd_barrier(cmd);
    for (size_t i = 0; i < ARRAY_SIZE(fills); i++) {
        VkDeviceSize first = fills[i].offset / 4;
        VkDeviceSize n = fills[i].size == VK_WHOLE_SIZE ? words - first
                                                        : fills[i].size / 4;

        vkCmdFillBuffer(cmd, local.buf, fills[i].offset, fills[i].size,
                        fills[i].data);
        cmd_barrier(cmd);
        for (VkDeviceSize j = 0; j < n; j++) {
            want[first + j] = fills[i].data;
        }
    }
    vkCmdCopyBuffer(cmd, local.buf, b.buf, 1, &all);
    cmd_run(t, cmd);
    check_u32(t, "filled", b.map, want, words);
    free(want);
}

static void update_buffer(T *t)
{
    uint8_t data[65536], want[131072] = { 0 };
    static const struct { uint32_t offset, size; } parts[] = {
        { 0, 4 }, { 12, 8 }, { 256, 1020 }, { 4096, 65536 }, { 131068, 4 },
    };
    Buf b = buf_new(t, sizeof(want));
    VkCommandBuffer cmd = cmd_begin(t);

    noise(data, sizeof(data), 1);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        vkCmdUpdateBuffer(cmd, b.buf, parts[i].offset, parts[i].size, data);
        memcpy(want + parts[i].offset, data, parts[i].size);
    }
    cmd_run(t, cmd);
    check_u8(t, "updated", b.map, want, sizeof(want));
}

/* Regions at any byte, through the device's own memory. */
static void copy_buffer(T *t)
{
    enum { SIZE = 300000 };
    static const VkBufferCopy regions[] = {
        { 0, 0, 4096 }, { 4099, 5001, 1 }, { 5000, 6003, 4097 },
        { 65536, 131072, 100000 }, { 299999, 299999, 1 },
    };
    uint8_t *data = malloc(SIZE), *want = calloc(1, SIZE);
    Buf from, local = buf_local(t, SIZE), to = buf_new(t, SIZE);
    VkCommandBuffer cmd = cmd_begin(t);
    VkBufferCopy all = { 0, 0, SIZE };

    noise(data, SIZE, 2);
    from = buf_of(t, data, SIZE);
    vkCmdCopyBuffer(cmd, from.buf, local.buf, 1, &all);
    cmd_barrier(cmd);
    vkCmdCopyBuffer(cmd, local.buf, to.buf, ARRAY_SIZE(regions), regions);
    cmd_run(t, cmd);
    for (size_t i = 0; i < ARRAY_SIZE(regions); i++) {
        memcpy(want + regions[i].dstOffset, data + regions[i].srcOffset,
               regions[i].size);
    }
    check_u8(t, "copied", to.map, want, SIZE);
    free(data);
    free(want);
}

/* 24 MiB there and back. */
static void copy_large(T *t)
{
    const VkDeviceSize size = 24 << 20;
    uint32_t *p, bad = 0;
    Buf b = buf_new(t, size), local = buf_local(t, size);
    VkBufferCopy all = { 0, 0, size };
    VkCommandBuffer cmd = cmd_begin(t);

    p = b.map;
    for (VkDeviceSize i = 0; i < size / 4; i++) {
        p[i] = i * 2654435761u;
    }
    vkCmdCopyBuffer(cmd, b.buf, local.buf, 1, &all);
    cmd_run(t, cmd);
    memset(p, 0, size);
    cmd = cmd_begin(t);
    vkCmdCopyBuffer(cmd, local.buf, b.buf, 1, &all);
    cmd_run(t, cmd);
    for (VkDeviceSize i = 0; i < size / 4; i++) {
        bad += p[i] != (uint32_t)i * 2654435761u;
    }
    check_that(t, !bad, "%u words differ", bad);
}

/* ---- Images ---- */

typedef struct Shape {
    const char *name;
    VkImageType type;
    VkExtent3D extent;
    uint32_t levels, layers;
} Shape;

static const Shape shapes[] = {
    { "1d", VK_IMAGE_TYPE_1D, { 253, 1, 1 }, 1, 1 },
    { "2d", VK_IMAGE_TYPE_2D, { 128, 64, 1 }, 1, 1 },
    { "2d odd", VK_IMAGE_TYPE_2D, { 77, 53, 1 }, 1, 1 },
    { "2d levels", VK_IMAGE_TYPE_2D, { 61, 37, 1 }, 6, 1 },
    { "2d layers", VK_IMAGE_TYPE_2D, { 33, 19, 1 }, 3, 5 },
    { "3d", VK_IMAGE_TYPE_3D, { 29, 17, 11 }, 1, 1 },
    { "3d levels", VK_IMAGE_TYPE_3D, { 32, 16, 8 }, 4, 1 },
};

static const struct {
    VkFormat format;
    uint32_t size;
} formats[] = {
    { VK_FORMAT_R8_UNORM, 1 }, { VK_FORMAT_R16_UINT, 2 },
    { VK_FORMAT_R8G8B8A8_UNORM, 4 }, { VK_FORMAT_R16G16B16A16_SFLOAT, 8 },
    { VK_FORMAT_R32G32B32A32_UINT, 16 },
};

static size_t level_size(const Shape *s, uint32_t level, uint32_t texel)
{
    return (size_t)at_level(s->extent.width, level) *
        at_level(s->extent.height, level) * at_level(s->extent.depth, level) *
        s->layers * texel;
}

/* Buffer to image to another image to buffer, each level. */
static void image_round(T *t, const Shape *s, VkFormat format, uint32_t texel)
{
    VkImageUsageFlags usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
        VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    Img a = img_new(t, s->type, format, s->extent, s->levels, s->layers,
                    usage, 0);
    Img b = img_new(t, s->type, format, s->extent, s->levels, s->layers,
                    usage, 0);
    VkCommandBuffer cmd;
    char what[64];

    for (uint32_t l = 0; l < s->levels; l++) {
        size_t size = level_size(s, l, texel);
        void *data = malloc(size);

        noise(data, size, l + texel * 16);
        img_upload(t, &a, l, data, size, VK_IMAGE_LAYOUT_GENERAL);
        free(data);
    }
    cmd = cmd_begin(t);
    cmd_layout(cmd, &b, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    for (uint32_t l = 0; l < s->levels; l++) {
        VkImageSubresourceLayers sub = { VK_IMAGE_ASPECT_COLOR_BIT, l, 0,
                                         s->layers };
        VkImageCopy copy = {
            .srcSubresource = sub, .dstSubresource = sub,
            .extent = { at_level(s->extent.width, l),
                        at_level(s->extent.height, l),
                        at_level(s->extent.depth, l) },
        };

        vkCmdCopyImage(cmd, a.img, VK_IMAGE_LAYOUT_GENERAL, b.img,
                       VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
    }
    cmd_run(t, cmd);
    for (uint32_t l = 0; l < s->levels; l++) {
        size_t size = level_size(s, l, texel);
        uint8_t *got = malloc(size), *want = malloc(size);

        noise(want, size, l + texel * 16);
        img_download(t, &b, l, got, size, VK_IMAGE_LAYOUT_GENERAL);
        snprintf(what, sizeof(what), "%s, %u bytes a texel, level %u",
                 s->name, texel, l);
        check_u8(t, what, got, want, size);
        free(got);
        free(want);
    }
}

static void copy_image_shapes(T *t)
{
    for (size_t i = 0; i < ARRAY_SIZE(shapes); i++) {
        image_round(t, &shapes[i], VK_FORMAT_R8G8B8A8_UNORM, 4);
    }
}

static void copy_image_formats(T *t)
{
    for (size_t i = 0; i < ARRAY_SIZE(formats); i++) {
        image_round(t, &shapes[2], formats[i].format, formats[i].size);
    }
}

/* Parts of images, from buffers with rows and layers of another length. */
static void copy_image_parts(T *t)
{
    enum { W = 96, H = 48, ROW = 40, ROWS = 24 };
    VkExtent3D extent = { W, H, 1 };
    Img a = img_new(t, VK_IMAGE_TYPE_2D, VK_FORMAT_R32_UINT, extent, 1, 2,
                    VK_IMAGE_USAGE_TRANSFER_SRC_BIT |
                    VK_IMAGE_USAGE_TRANSFER_DST_BIT, 0);
    static const VkBufferImageCopy parts[] = {
        { 64, ROW, ROWS, { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 2 },
          { 5, 3, 0 }, { 37, 21, 1 } },
        { 16, ROW, ROWS, { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1 },
          { 95, 47, 0 }, { 1, 1, 1 } },
        { 4, 0, 0, { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 },
          { 64, 32, 0 }, { 32, 16, 1 } },
    };
    static const VkImageCopy inside = {
        { VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1 }, { 7, 5, 0 },
        { VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1 }, { 50, 25, 0 }, { 33, 17, 1 },
    };
    uint32_t *want = calloc(2 * W * H, 4), *got = calloc(2 * W * H, 4);
    uint32_t *data = malloc(4 * 4096);
    VkCommandBuffer cmd;
    Buf b;

    noise(data, 4 * 4096, 9);
    b = buf_of(t, data, 4 * 4096);
    img_upload(t, &a, 0, want, 2 * W * H * 4, VK_IMAGE_LAYOUT_GENERAL);
    cmd = cmd_begin(t);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        const VkBufferImageCopy *p = &parts[i];
        uint32_t row = p->bufferRowLength ?: p->imageExtent.width;
        uint32_t rows = p->bufferImageHeight ?: p->imageExtent.height;

        vkCmdCopyBufferToImage(cmd, b.buf, a.img, VK_IMAGE_LAYOUT_GENERAL, 1,
                               p);
        cmd_barrier(cmd);
        for (uint32_t l = 0; l < p->imageSubresource.layerCount; l++) {
            uint32_t layer = p->imageSubresource.baseArrayLayer + l;

            for (uint32_t y = 0; y < p->imageExtent.height; y++) {
                memcpy(&want[(layer * H + p->imageOffset.y + y) * W +
                             p->imageOffset.x],
                       &data[p->bufferOffset / 4 + (l * rows + y) * row],
                       p->imageExtent.width * 4);
            }
        }
    }
    vkCmdCopyImage(cmd, a.img, VK_IMAGE_LAYOUT_GENERAL, a.img,
                   VK_IMAGE_LAYOUT_GENERAL, 1, &inside);
    for (uint32_t y = 0; y < 17; y++) {
        memcpy(&want[(H + 25 + y) * W + 50], &want[(5 + y) * W + 7], 33 * 4);
    }
    cmd_run(t, cmd);
    img_download(t, &a, 0, got, 2 * W * H * 4, VK_IMAGE_LAYOUT_GENERAL);
    check_u32(t, "parts", got, want, 2 * W * H);
    free(got);
    free(want);
    free(data);
}

const Test transfer_tests[] = {
    { "fill-buffer", fill_buffer },
    { "update-buffer", update_buffer },
    { "copy-buffer", copy_buffer },
    { "copy-large", copy_large },
    { "copy-image-shapes", copy_image_shapes },
    { "copy-image-formats", copy_image_formats },
    { "copy-image-parts", copy_image_parts },
    { 0 }
};
