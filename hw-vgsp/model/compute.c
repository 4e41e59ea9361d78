/*
 * The compute class, NVC5C0 (TURING_COMPUTE_A): launches by PCAS of descriptors
 * (QMD) in memory, and what a grid ends with. NVIDIA's clc5c0.h, clc5c0qmd.h.
 *
 * A launch is complete before the next method is performed, so waits and
 * cache invalidations have nothing to do: memory is flat.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/context.h"
#include "model/qmd.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/dev_fault.h"

#define QMD_WORDS       64

/* NVIDIA's driver sets it: accesses out of range are dropped, not raised. */
#define NV_PGRAPH_PRI_GPCS_TPCS_SM_HWW_WARP_ESR_REPORT_MASK     0x419ea8
#define NV_PGRAPH_PRI_GPCS_TPCS_SM_HWW_WARP_ESR_OOR_ADDR        VGSP_BIT(14)

static void grid_state(VgspContext *ctx, VgspGridState *gs)
{
    const uint32_t *s = ctx->state[VGSP_SUBC_COMPUTE];

    *gs = (VgspGridState) {
        .shared_window = vgsp_fe_address(
            ctx, VGSP_SUBC_COMPUTE, NVC5C0_SET_SHADER_SHARED_MEMORY_WINDOW_A,
            NVC5C0_ADDRESS_UPPER_17),
        .local_window = vgsp_fe_address(
            ctx, VGSP_SUBC_COMPUTE, NVC5C0_SET_SHADER_LOCAL_MEMORY_WINDOW_A,
            NVC5C0_ADDRESS_UPPER_17),
        .tex_header_pool = vgsp_fe_address(
            ctx, VGSP_SUBC_COMPUTE, NVC5C0_SET_TEX_HEADER_POOL_A,
            NVC5C0_ADDRESS_UPPER_17),
        .sampler_pool = vgsp_fe_address(
            ctx, VGSP_SUBC_COMPUTE, NVC5C0_SET_TEX_SAMPLER_POOL_A,
            NVC5C0_ADDRESS_UPPER_17),
        .tex_header_max = (uint32_t)VGSP_GET(
            NVC5C0_SET_TEX_HEADER_POOL_C_MAXIMUM_INDEX,
            s[NVC5C0_SET_TEX_HEADER_POOL_C / 4]),
        .sampler_max = (uint32_t)VGSP_GET(
            NVC5C0_SET_TEX_SAMPLER_POOL_C_MAXIMUM_INDEX,
            s[NVC5C0_SET_TEX_SAMPLER_POOL_C / 4]),
        .ignore_out_of_range =
            vgsp_context_priv(
                ctx, NV_PGRAPH_PRI_GPCS_TPCS_SM_HWW_WARP_ESR_REPORT_MASK) &
            NV_PGRAPH_PRI_GPCS_TPCS_SM_HWW_WARP_ESR_OOR_ADDR,
    };
}

/* Reads and checks the descriptor at va. */
static VgspFeEnd read_qmd(VgspContext *ctx, VgspWorker *w, uint64_t va,
                          VgspQmd *qmd)
{
    uint32_t words[QMD_WORDS];
    uint32_t check;

    if (!vgsp_mmu_read(&w->mmu, va, words, sizeof(words))) {
        return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_SKED,
                             true);
    }
    for (unsigned i = 0; i < QMD_WORDS; i++) {
        words[i] = GUINT32_FROM_LE(words[i]);
    }
    check = vgsp_qmd_decode(words, va, qmd);
    return check ? vgsp_fe_error(ctx, VGSP_EXC_SKED, ctx->subchannel,
                                 ctx->method, check)
                 : VGSP_FE_DONE;
}

static VgspFeEnd launch(VgspContext *ctx)
{
    VgspGridState gs;
    uint32_t check;

    grid_state(ctx, &gs);
    check = vgsp_qmd_check_windows(&gs);
    if (check) {
        return vgsp_fe_error(ctx, VGSP_EXC_SKED, ctx->subchannel, ctx->method,
                             check);
    }
    ctx->grid = vgsp_grid_new(ctx->model, &ctx->qmd, &gs);
    return VGSP_FE_WAIT;
}

static VgspFeEnd pcas(VgspContext *ctx, VgspWorker *w, uint32_t data)
{
    uint64_t va = (uint64_t)ctx->state[VGSP_SUBC_COMPUTE]
                                      [NVC5C0_SEND_PCAS_A / 4] << 8;
    VgspFeEnd end;

    if (!(data & NVC5C0_SEND_SIGNALING_PCAS_B_SCHEDULE) ||
        !vgsp_fe_renders(ctx, VGSP_SUBC_COMPUTE)) {
        return VGSP_FE_DONE;
    }
    end = read_qmd(ctx, w, va, &ctx->qmd);
    return end == VGSP_FE_DONE ? launch(ctx) : end;
}

/* Release i of the descriptor. */
static VgspFeEnd qmd_release(VgspContext *ctx, VgspWorker *w, unsigned i)
{
    const VgspQmd *qmd = &ctx->qmd;
    uint64_t va = qmd->release[i].va;
    uint32_t payload = qmd->release[i].payload;
    bool one_word = qmd->release[i].one_word;

    return qmd->release[i].reduce
           ? vgsp_fe_reduce_timed(ctx, w, va, qmd->release[i].op,
                                  qmd->release[i].is_signed, payload, one_word)
           : vgsp_fe_release(ctx, w, va, payload, one_word);
}

/* The launch is still the method that is performed: errors name it. */
static void name_launch(VgspContext *ctx)
{
    ctx->subchannel = VGSP_SUBC_COMPUTE;
    ctx->method = NVC5C0_SEND_SIGNALING_PCAS_B;
    ctx->data = ctx->state[VGSP_SUBC_COMPUTE][ctx->method / 4];
}

VgspFeEnd vgsp_compute_grid_end(VgspContext *ctx, VgspWorker *w)
{
    struct vgsp_owner_fault fault = { 0 };
    bool failed = vgsp_grid_failed(ctx->grid, &fault);
    VgspFeEnd end;
    VgspQmd next;

    name_launch(ctx);
    g_clear_pointer(&ctx->grid, vgsp_grid_free);
    if (failed) {
        fault.valid |= VGSP_OWNER_FAULT_HAS_METHOD;
        fault.method = ctx->subchannel << 16 | ctx->method;
        fault.data = ctx->data;
        ctx->has_fault = true;
        ctx->fault = fault;
        return VGSP_FE_ERROR;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(ctx->qmd.release); i++) {
        if (ctx->qmd.release[i].enable) {
            end = qmd_release(ctx, w, i);
            if (end != VGSP_FE_DONE) {
                return end;
            }
        }
    }
    if (!ctx->qmd.dependent) {
        return VGSP_FE_DONE;
    }
    end = read_qmd(ctx, w, ctx->qmd.dependent_va, &next);
    if (end != VGSP_FE_DONE) {
        return end;
    }
    /*
     * One that requires a PCAS is launched by it: later, or it was before.
     * Nothing tells SKED then that another grid will name it (descriptors had
     * the field before they could depend, QMDV01_06), so it did not wait.
     */
    if (next.wait_for_pcas) {
        return VGSP_FE_DONE;
    }
    ctx->qmd = next;
    return launch(ctx);
}

/* A word of the descriptor at SET_INLINE_QMD_ADDRESS. */
static VgspFeEnd inline_qmd(VgspContext *ctx, VgspWorker *w, unsigned i,
                            uint32_t data)
{
    const uint32_t *s = ctx->state[VGSP_SUBC_COMPUTE];
    uint64_t va = ((uint64_t)s[NVC5C0_SET_INLINE_QMD_ADDRESS_A / 4] << 32 |
                   s[NVC5C0_SET_INLINE_QMD_ADDRESS_B / 4]);

    data = GUINT32_TO_LE(data);
    /* The words hold address bits above 7; there are none above 63. */
    if (va >> 56) {
        w->mmu.fault = (VgspModelFault) {
            .raised = true,
            .type = VGSP_GMMU_FAULT_VA_LIMIT_VIOLATION,
            .access = VGSP_GMMU_ACCESS_WRITE,
            .va = va << 8,
        };
    } else if (vgsp_mmu_write(&w->mmu, (va << 8) + i * 4, &data,
                              sizeof(data))) {
        return VGSP_FE_DONE;
    }
    return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_FE, true);
}

VgspFeEnd vgsp_compute_method(VgspContext *ctx, VgspWorker *w, uint32_t method,
                              uint32_t data)
{
    const uint32_t inline0 = NVC5C0_LOAD_INLINE_QMD_DATA(0);

    ctx->state[VGSP_SUBC_COMPUTE][method / 4] = data;
    if (vgsp_i2m_owns(method)) {
        return vgsp_i2m_method(ctx->i2m[VGSP_SUBC_COMPUTE], ctx, w,
                               VGSP_SUBC_COMPUTE, method, data);
    }
    if (method >= inline0 &&
        method < NVC5C0_LOAD_INLINE_QMD_DATA(
                     NVC5C0_LOAD_INLINE_QMD_DATA__SIZE_1)) {
        return inline_qmd(ctx, w, (method - inline0) / 4, data);
    }
    if (method >= NVC5C0_SET_FALCON(0) &&
        method < NVC5C0_SET_FALCON(NVC5C0_SET_FALCON_COUNT)) {
        return vgsp_fe_falcon(ctx, VGSP_SUBC_COMPUTE, method,
                              (method - NVC5C0_SET_FALCON(0)) / 4, data);
    }
    switch (method) {
    case NVC5C0_SEND_SIGNALING_PCAS_B:
        return pcas(ctx, w, data);
    case NVC5C0_SET_REPORT_SEMAPHORE_D:
        return vgsp_fe_report_semaphore(ctx, w, VGSP_SUBC_COMPUTE, data);
    case NVC5C0_SET_RENDER_ENABLE_C:
    case NVC5C0_SET_GLOBAL_RENDER_ENABLE_C:
        return vgsp_fe_render_enable(ctx, w, VGSP_SUBC_COMPUTE, method, data);
    case NVC5C0_SET_QMD_VIRTUALIZATION_CONTROL:
        if (!data) {
            return VGSP_FE_DONE;
        }
        break;
    /* PCAS of descriptors that are queues. */
    case NVC5C0_SEND_PCAS_B:
    case NVC5C0_NOTIFY:
        break;
    default:
        return VGSP_FE_DONE;
    }
    return vgsp_fe_error(ctx, VGSP_EXC_NOT_MODELLED, VGSP_SUBC_COMPUTE, method,
                         data);
}
