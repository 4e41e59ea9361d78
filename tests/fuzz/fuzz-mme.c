/*
 * The macro engine: any program, parameters and methods run within bounds, and
 * what was told of a macro at its upload (vgsp_macro_class) is true of it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define DOUBLE_HAS_MME
#include "../unit/model-double.h"
#include "model/mme.c"
#include "../unit/mme-asm.h"
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

/* Makes a group that is legal, mostly, of any bits. */
static void legalize(uint32_t words[3])
{
    Group g = { { words[2], words[1], words[0] } };
    unsigned b = g.b[0] ^ g.b[1] ^ g.b[2];

    g = put(g, 9, 5, b % (ZERO + 1));                   /* predicate */
    g = put(g, 19, 15, g.b[0] >> 15 & 15);              /* ALU0 dst */
    g = put(g, 24, 20, (g.b[0] >> 20 & 31) % LOAD1);    /* src0 */
    g = put(g, 29, 25, (g.b[0] >> 25 & 31) % LOAD1);    /* src1 */
    g = put(g, 55, 51, g.b[1] >> 19 & 15);              /* ALU1 dst */
    g = put(g, 60, 56, (g.b[1] >> 24 & 31) % LOAD1);
    g = put(g, 65, 61, b / 32 % LOAD1);
    g = put(g, 84, 82, b & 1 ? OUT_IMM0 : NONE);        /* OUT0 method */
    g = put(g, 88, 85, b & 2 ? OUT_ALU0 : NONE);
    g = put(g, 91, 89, b & 4 ? OUT_IMM1 : NONE);
    g = put(g, 95, 92, b & 8 ? OUT_IMM0 : NONE);
    words[0] = g.b[2];
    words[1] = g.b[1];
    words[2] = g.b[0];
}

/*
 * The input: number of groups of a program and what to make of them, the
 * program, which becomes macro 0, then parameters; or, after the macro has
 * ended, method and datum by turns.
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
    for (uint32_t i = 0; data[1] & 1 && i + 3 <= n; i += 3) {
        legalize(&mme->instruction_ram[i]);
    }
    data += 4 + 4 * n;
    size -= 4 + 4 * n;
    class = vgsp_macro_class(mme->instruction_ram, VGSP_MME_GROUPS, 0);

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
