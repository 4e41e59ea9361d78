/*
 * The macro engine: any program, parameters and methods run within bounds, and
 * what was told of a macro at its upload (vgsp_macro_class) is true of it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define DOUBLE_HAS_MME
#include "../unit/model-double.h"
#include "model/mme.c"
#include "vgsp/section.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SLICES_MAX  2

static bool emits_falcon(VgspContext *ctx)
{
    for (unsigned i = 0; i < ctx->calls; i++) {
        if (ctx->call[i].kind == CALL_METHOD &&
            ctx->call[i].method >= NVC597_SET_FALCON(0) &&
            ctx->call[i].method < NVC597_SET_FALCON(NVC597_SET_FALCON_COUNT)) {
            return true;
        }
    }
    return false;
}

/* Performs a method until it is done; false for an error or no end. */
static bool perform(VgspMme *mme, VgspContext *ctx, uint32_t method,
                    uint32_t data, bool *falcon)
{
    for (unsigned i = 0; i < SLICES_MAX; i++) {
        VgspFeEnd end;

        ctx->calls = 0;
        end = vgsp_mme_owns(method)
              ? vgsp_mme_method(mme, ctx, &ctx->worker, method, data)
              : vgsp_mme_track(mme, ctx, method, &data);
        *falcon |= emits_falcon(ctx);
        if ((end == VGSP_FE_ERROR) != ctx->failed) {
            abort();
        }
        if (end != VGSP_FE_AGAIN) {
            return end == VGSP_FE_DONE;
        }
    }
    return false;
}

/*
 * The input: number of words of a program, the program, which becomes macro 0,
 * then parameters; or, after the macro has ended, method and datum by turns.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static VgspContext *ctx;
    bool falcon = false;
    VgspMacroClass class;
    VgspMme *mme;
    uint32_t n;

    if (size < 8) {
        return 0;
    }
    if (!ctx) {
        ctx = double_new();
    }
    ctx->failed = ctx->faulted = false;
    mme = ctx->mme = vgsp_mme_new();
    mme->fifo_size = FIFO_UNIT;
    mme->address_upper = (uint32_t)(DOUBLE_VA >> 32);
    mme->address_lower = (uint32_t)DOUBLE_VA;
    n = MIN(data[0] * 3u, (uint32_t)(size / 4 - 1));
    for (uint32_t i = 0; i < n; i++) {
        mme->instruction_ram[i] = vgsp_le32(data + 4 + 4 * i);
    }
    data += 4 + 4 * n;
    size -= 4 + 4 * n;
    class = vgsp_macro_class(mme->instruction_ram, INSTRUCTION_RAM, 0);

    for (bool first = true; size >= 4; first = false) {
        uint32_t word = vgsp_le32(data);
        uint32_t method = first ? NVC597_CALL_MME_MACRO(0)
                                : NVC597_CALL_MME_DATA(0);
        bool call = first || mme->running;

        data += 4;
        size -= 4;
        if (!call) {
            method = word & 0x3ffc;
            word = size >= 4 ? vgsp_le32(data) : 0;
        }
        if (!perform(mme, ctx, method, word, &falcon)) {
            break;
        }
        if (call && !mme->running && class == VGSP_MACRO_ALWAYS && !falcon) {
            abort();
        }
        if (!call) {
            class = VGSP_MACRO_UNKNOWN; /* it may be another macro now */
        }
    }
    if (class == VGSP_MACRO_NEVER && falcon) {
        abort();
    }
    vgsp_mme_free(mme);
    return 0;
}
