/*
 * The 2D engine: from a state in which everything draws, any methods keep to
 * memory and end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../unit/twod-rig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SLICES_MAX  3           /* of a method, then it is left at that */

/* Values that registers are likely to be given, beside any. */
static uint32_t value(uint8_t kind, uint32_t any)
{
    static const uint8_t formats[] = {
        0xc0, 0xc6, 0xca, 0xcf, 0xd0, 0xd1, 0xd7, 0xdb, 0xe0, 0xe5, 0xe8, 0xee,
        0xf3, 0xf7, 0xfe, 0xff,
    };

    switch (kind & 7) {
    case 0:
        return any;
    case 1:
        return (uint32_t)(int8_t)any;
    case 2:
        return formats[any % G_N_ELEMENTS(formats)];
    case 3:
        return any & 0x770;
    case 4:
        return (uint32_t)DOUBLE_VA + (any & 0x3ffe00);
    case 5:
        return (uint32_t)(DOUBLE_VA >> 32);
    case 6:
        return 1u << (any & 31);
    default:
        return any & 0x3ff;
    }
}

/* The input: six bytes a method: its address, how to read the datum, that. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static VgspContext *all;

    if (!all) {
        setup();
        vgsp_twod_free(twod);
        all = ctx;
    }
    ctx->failed = ctx->faulted = false;
    ctx->calls = 0;
    twod = vgsp_twod_new();
    set_both(0xcf, 64, 64);
    set_color(0xcf, 1);
    set_cpu(0xcf, 4, 4, 0, 0);

    for (; size >= 6; data += 6, size -= 6) {
        uint32_t method = (data[0] * 0x10u + (data[1] & 0xc)) & 0xffc;
        uint32_t datum = value(data[1] >> 4, vgsp_le32(data + 2));
        VgspFeEnd end = VGSP_FE_AGAIN;

        for (unsigned i = 0; i < SLICES_MAX && end == VGSP_FE_AGAIN; i++) {
            end = vgsp_twod_method(twod, ctx, &ctx->worker, method, datum);
        }
        if ((end == VGSP_FE_ERROR) != ctx->failed) {
            abort();
        }
        if (end != VGSP_FE_DONE) {
            break;
        }
    }
    vgsp_twod_free(twod);
    return 0;
}
