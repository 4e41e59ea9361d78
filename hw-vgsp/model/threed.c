/*
 * The 3D class, NVC597 (TURING_A), without its pipeline: state, constant
 * buffer updates, reports, firmware calls and the macro engine. What draws
 * ends in an exception that says so. NVIDIA's clc597.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/context.h"
#include "vgsp/nv/dev_fault.h"
#include "vgsp/nv/threed.h"

/*
 * A word of the selected constant buffer, at an offset that moves on. What
 * lies beyond the buffer is not written, as it reads 0.
 */
static VgspFeEnd load_constant(VgspContext *ctx, VgspWorker *w, uint32_t data)
{
    uint32_t *s = ctx->state[VGSP_SUBC_3D];
    uint32_t *offset = &s[NVC597_LOAD_CONSTANT_BUFFER_OFFSET / 4];
    uint32_t at = (uint32_t)VGSP_GET(NVC597_LOAD_CONSTANT_BUFFER_OFFSET_V,
                                     *offset);
    uint64_t va = vgsp_fe_address(
        ctx, VGSP_SUBC_3D, NVC597_SET_CONSTANT_BUFFER_SELECTOR_B,
        NVC597_SET_CONSTANT_BUFFER_SELECTOR_B_ADDRESS_UPPER);
    uint64_t size = VGSP_GET(NVC597_SET_CONSTANT_BUFFER_SELECTOR_A_SIZE,
                             s[NVC597_SET_CONSTANT_BUFFER_SELECTOR_A / 4]);

    if (s[NVC597_SET_RENDER_ENABLE_CONTROL / 4] &
        NVC597_SET_RENDER_ENABLE_CONTROL_CONDITIONAL_LOAD_CONSTANT_BUFFER &&
        !vgsp_fe_renders(ctx, VGSP_SUBC_3D)) {
        return VGSP_FE_DONE;
    }
    *offset = (uint32_t)VGSP_REPLACE(NVC597_LOAD_CONSTANT_BUFFER_OFFSET_V,
                                     *offset, at + 4);
    data = GUINT32_TO_LE(data);
    if (vgsp_range_ok(at, sizeof(data), size) &&
        !vgsp_mmu_write(&w->mmu, va + at, &data, sizeof(data))) {
        return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_FE, true);
    }
    return VGSP_FE_DONE;
}

/* Methods that rasterise, or that change surfaces by the pipeline. */
static bool draws(uint32_t method)
{
    switch (method) {
    case NVC597_DRAW_INDEX_BUFFER_BEGIN_END_B:
    case NVC597_DRAW_VERTEX_ARRAY_BEGIN_END_B:
    case NVC597_DECOMPRESS_SURFACE:
    case NVC597_DRAW_ZERO_INDEX:
    case NVC597_DRAW_VERTEX_ARRAY:
    case NVC597_DECOMPRESS_ZETA_SURFACE:
    case NVC597_DRAW_VERTEX_ARRAY_BEGIN_END_INSTANCE_FIRST:
    case NVC597_DRAW_VERTEX_ARRAY_BEGIN_END_INSTANCE_SUBSEQUENT:
    case NVC597_DRAW_AUTO:
    case NVC597_DRAW_INLINE_INDEX4X8:
    case NVC597_DRAW_INLINE_INDEX:
    case NVC597_DRAW_INLINE_INDEX2X16:
    case NVC597_BEGIN:
    case NVC597_CLEAR_CLIP_ID_SURFACE:
        return true;
    default:
        /* Of 32, 16 and 8 bits, and their first and subsequent instances. */
        return method >= NVC597_DRAW_INDEX_BUFFER &&
               method <= NVC597_DRAW_INDEX_BUFFER8_INSTANCE_SUBSEQUENT;
    }
}

static VgspFeEnd not_modelled(VgspContext *ctx, uint32_t method, uint32_t data)
{
    return vgsp_fe_error(ctx, VGSP_EXC_NOT_MODELLED, VGSP_SUBC_3D, method,
                         data);
}

VgspFeEnd vgsp_threed_method(VgspContext *ctx, VgspWorker *w, uint32_t method,
                             uint32_t data)
{
    uint32_t *s = ctx->state[VGSP_SUBC_3D];
    VgspFeEnd end;

    if (vgsp_mme_owns(method)) {
        s[method / 4] = data;
        return vgsp_mme_method(ctx->mme, ctx, w, method, data);
    }
    end = vgsp_mme_track(ctx->mme, ctx, method, &data);
    if (end != VGSP_FE_DONE) {
        return end;
    }
    s[method / 4] = data;
    if (vgsp_i2m_owns(method)) {
        return vgsp_i2m_method(ctx->i2m[VGSP_SUBC_3D], ctx, w, VGSP_SUBC_3D,
                               method, data);
    }
    if (method >= NVC597_LOAD_CONSTANT_BUFFER(0) &&
        method < NVC597_LOAD_CONSTANT_BUFFER(
                     NVC597_LOAD_CONSTANT_BUFFER__SIZE_1)) {
        return load_constant(ctx, w, data);
    }
    if (method >= NVC597_SET_FALCON(0) &&
        method < NVC597_SET_FALCON(NVC597_SET_FALCON_COUNT)) {
        return vgsp_fe_falcon(ctx, VGSP_SUBC_3D, method,
                              (method - NVC597_SET_FALCON(0)) / 4, data);
    }
    if (draws(method)) {
        return vgsp_fe_renders(ctx, VGSP_SUBC_3D)
               ? not_modelled(ctx, method, data) : VGSP_FE_DONE;
    }
    switch (method) {
    case NVC597_SET_REPORT_SEMAPHORE_D:
        return vgsp_fe_report_semaphore(ctx, w, VGSP_SUBC_3D, data);
    case NVC597_SET_RENDER_ENABLE_C:
    case NVC597_SET_GLOBAL_RENDER_ENABLE_C:
        return vgsp_fe_render_enable(ctx, w, VGSP_SUBC_3D, method, data);
    case NVC597_CLEAR_SURFACE:
        return vgsp_fe_renders(ctx, VGSP_SUBC_3D)
               ? vgsp_threed_clear(ctx, w, data) : VGSP_FE_DONE;
    case NVC597_LOAD_ROOT_TABLE:
        /* Constants of graphics shaders alone: no draw reads them. */
        return VGSP_FE_DONE;
    case NVC597_STORE_ZCULL:
    case NVC597_NOTIFY:
        return not_modelled(ctx, method, data);
    default:
        return VGSP_FE_DONE;
    }
}
