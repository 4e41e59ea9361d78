/*
 * Texture and sampler headers that a guest made up: every lookup stays within
 * the memory that is mapped, and ends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include "model/space.h"
#include "model/tex.h"

#define BASE    UINT64_C(0x10000)
#define SIZE    0x4000

typedef struct Input {
    uint32_t header[8], sampler[8];
    VgspTexRequest request;
    uint32_t words[4];
    uint8_t level, component, keep_address, compare;
    uint8_t block[16];          /* what memory is made of */
} Input;

static VgspMmu mmu;
static VgspMemory memory = { .id = 1, .size = SIZE };

static void setup(void)
{
    static VgspModelOps ops;
    struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_MAP, .va = BASE, .size = SIZE, .memory = 1,
    };
    GHashTable *memories = g_hash_table_new(NULL, NULL);
    VgspSpace *space = vgsp_space_new(&ops, NULL);

    /* Of its own, so that a byte too far is seen. */
    memory.host = malloc(SIZE);
    g_hash_table_insert(memories, GUINT_TO_POINTER(1), &memory);
    vgsp_space_apply(space, memories, &op, 1);
    op = (struct vgsp_owner_map_op) {
        .op = VGSP_OWNER_SPARSE, .va = BASE + SIZE, .size = SIZE,
    };
    vgsp_space_apply(space, memories, &op, 1);
    vgsp_mmu_init(&mmu);
    vgsp_mmu_enter(&mmu, space);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool ready;
    VgspTexSampler sampler;
    VgspTexImage image;
    VgspTexel texel;
    uint32_t out[4];
    uint8_t element[16];
    bool resident;
    uint64_t va;
    Input in;

    if (!ready) {
        setup();
        ready = true;
    }
    memset(&in, 0, sizeof(in));
    memcpy(&in, data, MIN(size, sizeof(in)));
    for (unsigned at = 0; at < SIZE; at += sizeof(in.block)) {
        memcpy((uint8_t *)memory.host + at, in.block, sizeof(in.block));
    }
    in.request.compare = in.compare & 1;
    in.request.taps = 0;
    for (unsigned d = 0; d < 3; d++) {
        in.request.offset[d] = (int8_t)in.request.offset[d];
    }
    if (!vgsp_tex_image_decode(in.header, &image)) {
        return 0;
    }
    if (image.null) {
        return 0;
    }
    if (!(in.keep_address & 1)) {
        image.base = BASE + image.base % SIZE;
    }
    vgsp_tex_sampler_decode(in.sampler, &sampler);
    resident = true;
    if (in.compare & 2) {
        vgsp_tex_footprint(&image, &sampler, (const float *)&in.words[0],
                           (const float *)&in.words[1], &in.request);
    }
    vgsp_tex_sample(&mmu, &image, &sampler, &in.request, out, &resident);
    vgsp_tex_gather(&mmu, &image, &sampler, &in.request, in.component, NULL,
                    out, &resident);
    VgspTexAt at = {
        .x = in.words[0], .y = in.words[1], .z = in.words[2],
        .layer = in.request.layer, .sample = in.words[3],
    };
    vgsp_tex_fetch(&mmu, &image, in.level, &at, &texel, &resident);
    if (vgsp_tex_locate(&image, in.level, &at, &va) &&
        vgsp_tex_encode(&image, in.words, element)) {
        vgsp_mmu_write(&mmu, va, element, image.format->bytes);
    }
    vgsp_mmu_flush(&mmu);
    return 0;
}
