/*
 * Storage images and texel buffers: typed loads, stores and atomics.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders.h"

typedef struct Case {
    const Shader *shader;
    VkFormat format;
    VkImageType type;
    VkImageViewType view;
    VkExtent3D extent;
    uint32_t layers;
    /* Components and bits of each; float where real is set. */
    uint32_t components, bits;
    bool real, extended;
} Case;

#define TWO_D VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, { 61, 35, 1 }, 1

static const Case cases_2d[] = {
    { &sh_simage2d_r32ui, VK_FORMAT_R32_UINT, TWO_D, 1, 32, false, false },
    { &sh_simage2d_rgba8, VK_FORMAT_R8G8B8A8_UNORM, TWO_D, 4, 8, false,
      false },
    { &sh_simage2d_rgba8ui, VK_FORMAT_R8G8B8A8_UINT, TWO_D, 4, 8, false,
      false },
    { &sh_simage2d_rgba16f, VK_FORMAT_R16G16B16A16_SFLOAT, TWO_D, 4, 16, true,
      false },
    { &sh_simage2d_rgba32f, VK_FORMAT_R32G32B32A32_SFLOAT, TWO_D, 4, 32, true,
      false },
    { &sh_simage2d_r32f, VK_FORMAT_R32_SFLOAT, TWO_D, 1, 32, true, false },
    { &sh_simage2d_rgba16i, VK_FORMAT_R16G16B16A16_SINT, TWO_D, 4, 16, false,
      false },
    { &sh_simage2d_r8, VK_FORMAT_R8_UNORM, TWO_D, 1, 8, false, true },
    { &sh_simage2d_rg16ui, VK_FORMAT_R16G16_UINT, TWO_D, 2, 16, false, true },
};

static const Case cases_dims[] = {
    { &sh_simage1d, VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_1D,
      VK_IMAGE_VIEW_TYPE_1D, { 123, 1, 1 }, 1, 1, 32, false, false },
    { &sh_simage3d, VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_3D,
      VK_IMAGE_VIEW_TYPE_3D, { 21, 13, 7 }, 1, 1, 32, false, false },
    { &sh_simagearray, VK_FORMAT_R32_UINT, VK_IMAGE_TYPE_2D,
      VK_IMAGE_VIEW_TYPE_2D_ARRAY, { 37, 19, 1 }, 4, 1, 32, false, false },
};

/* Bits that each format keeps through a load and a store. */
static uint32_t component(const Case *c, uint32_t *state)
{
    uint32_t v = rnd(state);
    float f = (int32_t)v * 0x1p-20f;

    if (c->real && c->bits == 16) {
        return to_half(f);
    }
    if (c->real) {
        memcpy(&v, &f, 4);
    }
    return v;
}

static void one_case(T *t, const Case *c)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_STORAGE_BIT |
        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    uint32_t texels = c->extent.width * c->extent.height * c->extent.depth *
        c->layers;
    size_t bytes = c->bits / 8, size = texels * c->components * bytes;
    uint8_t *in = malloc(size), *want = malloc(size), *got = malloc(size);
    uint32_t state = c->format, deep = c->extent.depth * c->layers;
    Img src = img_new(t, c->type, c->format, c->extent, 1, c->layers, usage,
                      c->view);
    Img dst = img_new(t, c->type, c->format, c->extent, 1, c->layers, usage,
                      c->view);
    Buf out = buf_new(t, 16);
    Bind binds[] = { STORAGE_IMAGE(src.view), STORAGE_IMAGE(dst.view),
                     SSBO(out) };
    uint32_t width = c->type == VK_IMAGE_TYPE_1D ? c->extent.width
                                                 : c->extent.height;
    char what[64];

    for (uint32_t i = 0; i < texels * c->components; i++) {
        uint32_t v = component(c, &state);

        memcpy(in + i * bytes, &v, bytes);
    }
    memcpy(want, in, size);
    for (uint32_t i = 0; i < texels && c->components == 4; i++) {
        memcpy(want + (i * 4 + 1) * bytes, in + (i * 4 + 2) * bytes, bytes);
        memcpy(want + (i * 4 + 2) * bytes, in + (i * 4 + 1) * bytes, bytes);
    }
    /* There is no third component to take the second's place. */
    for (uint32_t i = 0; i < texels && c->components == 2; i++) {
        memset(want + (i * 2 + 1) * bytes, 0, bytes);
    }
    img_upload(t, &src, 0, in, size, VK_IMAGE_LAYOUT_GENERAL);
    memset(got, 0x5a, size);
    img_upload(t, &dst, 0, got, size, VK_IMAGE_LAYOUT_GENERAL);
    dispatch(t, *c->shader, binds, 3, NULL, 0, NULL,
             (c->extent.width + 8) / 8, (c->extent.height + 4) / 4, deep);
    img_download(t, &dst, 0, got, size, VK_IMAGE_LAYOUT_GENERAL);
    snprintf(what, sizeof(what), "format %d, type %d", c->format, c->type);
    check_u8(t, what, got, want, size);
    check_u32(t, "size", out.map, &width, 1);
    free(in);
    free(want);
    free(got);
}

static void storage_formats(T *t)
{
    const VkPhysicalDeviceFeatures *f = &t->g->features.features;

    for (size_t i = 0; i < ARRAY_SIZE(cases_2d); i++) {
        if (!cases_2d[i].extended || f->shaderStorageImageExtendedFormats) {
            one_case(t, &cases_2d[i]);
        }
    }
}

static void storage_dimensions(T *t)
{
    for (size_t i = 0; i < ARRAY_SIZE(cases_dims); i++) {
        one_case(t, &cases_dims[i]);
    }
}

static void image_atomics(T *t)
{
    enum { N = 4096 };
    const VkExtent3D extent = { 16, 8, 1 };
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_STORAGE_BIT |
        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    Img histogram = img_new(t, VK_IMAGE_TYPE_2D, VK_FORMAT_R32_UINT, extent,
                            1, 1, usage, VK_IMAGE_VIEW_TYPE_2D);
    Img most = img_new(t, VK_IMAGE_TYPE_2D, VK_FORMAT_R32_SINT, extent, 1, 1,
                       usage, VK_IMAGE_VIEW_TYPE_2D);
    uint32_t in[N], count[128] = { 0 }, max[128] = { 0 }, got[128];
    uint32_t state = 61;
    Buf inb;

    img_upload(t, &histogram, 0, count, sizeof(count),
               VK_IMAGE_LAYOUT_GENERAL);
    img_upload(t, &most, 0, max, sizeof(max), VK_IMAGE_LAYOUT_GENERAL);
    for (int i = 0; i < N; i++) {
        uint32_t x = rnd(&state), at = (x >> 4 & 7) * 16 + (x & 15);

        in[i] = x;
        count[at]++;
        max[at] = x >> 8 > max[at] ? x >> 8 : max[at];
    }
    inb = buf_of(t, in, sizeof(in));
    dispatch(t, sh_iatomic, (Bind[]) {
        STORAGE_IMAGE(histogram.view), STORAGE_IMAGE(most.view), SSBO(inb)
    }, 3, NULL, 0, NULL, N / 64, 1, 1);
    img_download(t, &histogram, 0, got, sizeof(got), VK_IMAGE_LAYOUT_GENERAL);
    check_u32(t, "histogram", got, count, 128);
    img_download(t, &most, 0, got, sizeof(got), VK_IMAGE_LAYOUT_GENERAL);
    check_u32(t, "maxima", got, max, 128);
}

static void texel_buffers(T *t)
{
    enum { N = 1000 };
    uint8_t in[N * 4];
    double want[N * 4];
    uint32_t words[N], words_want[N], state = 63;
    Buf src, dst = buf_new(t, N * 16), wb;
    Bind binds[3] = {
        { .type = VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER },
        { .type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER },
        { .type = VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER },
    };

    for (int i = 0; i < N * 4; i++) {
        in[i] = rnd(&state);
        want[i] = in[i];
    }
    for (int i = 0; i < N; i++) {
        words[i] = rnd(&state);
        words_want[i] = words[i] * 3 + 1;
    }
    src = buf_of(t, in, sizeof(in));
    wb = buf_of(t, words, sizeof(words));
    binds[0].texels = texel_view(t, &src, VK_FORMAT_R8G8B8A8_UNORM);
    binds[1].texels = texel_view(t, &dst, VK_FORMAT_R32G32B32A32_SFLOAT);
    binds[2].texels = texel_view(t, &wb, VK_FORMAT_R32_UINT);
    dispatch(t, sh_texels, binds, 3, NULL, 0, NULL, (N + 63) / 64, 1, 1);
    /* v / 255 and times 255: two roundings. */
    check_f32(t, "texels", dst.map, want, N * 4, (Tol) { 2, 0 });
    check_u32(t, "words", wb.map, words_want, N);
}

const Test image_tests[] = {
    { "storage-formats", storage_formats },
    { "storage-dimensions", storage_dimensions },
    { "image-atomics", image_atomics },
    { "texel-buffers", texel_buffers },
    { 0 }
};
