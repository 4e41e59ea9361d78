/*
 * What the 3D and the compute class have in common: report semaphores, render
 * enable, and the registers that the front end's firmware writes. Method
 * addresses and fields are the same in both (NVIDIA's clc597.h, clc5c0.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/context.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/dev_fault.h"
#include "vgsp/nv/threed.h"

/* ---- Report semaphores ---- */

static VgspFeEnd not_modelled(VgspContext *ctx, unsigned subchannel,
                              uint32_t data)
{
    return vgsp_fe_error(ctx, VGSP_EXC_NOT_MODELLED, subchannel,
                         NVC597_SET_REPORT_SEMAPHORE_D, data);
}

/* RELEASE: the payload, or a reduction with it. */
static VgspFeEnd report_release(VgspContext *ctx, VgspWorker *w,
                                unsigned subchannel, uint64_t va,
                                uint32_t payload, uint32_t data)
{
    bool one_word = VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE,
                             data) ==
                    NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE_ONE_WORD;
    uint64_t format = VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_FORMAT,
                               data);
    unsigned op = (unsigned)VGSP_GET(
        NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_OP, data);

    if (!(data & NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_ENABLE)) {
        return vgsp_fe_release(ctx, w, va, payload, one_word);
    }
    /* INC and DEC are of unsigned numbers alone (GH100). */
    if (format > NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_FORMAT_SIGNED_32 ||
        (format == NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_FORMAT_SIGNED_32 &&
         (op == NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_OP_RED_INC ||
          op == NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_OP_RED_DEC))) {
        return vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_DATA, subchannel,
                             NVC597_SET_REPORT_SEMAPHORE_D, data);
    }
    return vgsp_fe_reduce_timed(
        ctx, w, va,
        op,
        format == NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_FORMAT_SIGNED_32,
        payload, one_word);
}

/*
 * REPORT_ONLY: the value of a counter. Nothing rasterises, so all that count
 * the pipeline's work are 0; what does not count is not modelled.
 */
static VgspFeEnd report_only(VgspContext *ctx, VgspWorker *w,
                             unsigned subchannel, uint64_t va, uint32_t data)
{
    switch (VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_D_REPORT, data)) {
    case NVC597_SET_REPORT_SEMAPHORE_D_REPORT_ALPHA_BETA_CLOCKS:
    case NVC597_SET_REPORT_SEMAPHORE_D_REPORT_SCG_CLOCKS:
    case NVC597_SET_REPORT_SEMAPHORE_D_REPORT_IEEE_CLEAN_COLOR_TARGET:
    case NVC597_SET_REPORT_SEMAPHORE_D_REPORT_IEEE_CLEAN_ZETA_TARGET:
    case NVC597_SET_REPORT_SEMAPHORE_D_REPORT_BOUNDING_RECTANGLE:
        return not_modelled(ctx, subchannel, data);
    default:
        return vgsp_fe_release64(
            ctx, w, va, 0,
            VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE, data) ==
            NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE_ONE_WORD);
    }
}

static VgspFeEnd report_acquire(VgspContext *ctx, VgspWorker *w, uint64_t va,
                                uint32_t payload, uint32_t data)
{
    uint32_t word;
    bool reached;

    if (va % sizeof(word)) {
        return vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_DATA, VGSP_SUBC_3D,
                             NVC597_SET_REPORT_SEMAPHORE_D, data);
    }
    if (!vgsp_mmu_read(&w->mmu, va, &word, sizeof(word))) {
        return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_FE, true);
    }
    word = GUINT32_FROM_LE(word);
    /* Circular, as the device takes it where it performs the method itself. */
    reached = VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_D_COMPARISON, data) ==
              NVC597_SET_REPORT_SEMAPHORE_D_COMPARISON_EQ
              ? word == payload : (int32_t)(word - payload) >= 0;
    if (reached) {
        return VGSP_FE_DONE;
    }
    ctx->polls = true;
    return VGSP_FE_AGAIN;
}

VgspFeEnd vgsp_fe_report_semaphore(VgspContext *ctx, VgspWorker *w,
                                   unsigned subchannel, uint32_t data)
{
    uint64_t va = vgsp_fe_address(ctx, subchannel,
                                  NVC597_SET_REPORT_SEMAPHORE_A,
                                  NVC597_SET_REPORT_SEMAPHORE_A_OFFSET_UPPER);
    uint32_t payload = ctx->state[subchannel][NVC597_SET_REPORT_SEMAPHORE_C /
                                              4];
    VgspFeEnd end;

    if (data & NVC597_SET_REPORT_SEMAPHORE_D_CONDITIONAL_TRAP) {
        return not_modelled(ctx, subchannel, data);
    }
    switch (VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_D_OPERATION, data)) {
    case NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_RELEASE:
        end = report_release(ctx, w, subchannel, va, payload, data);
        break;
    case NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_ACQUIRE:
        return report_acquire(ctx, w, va, payload, data);
    case NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_REPORT_ONLY:
        end = report_only(ctx, w, subchannel, va, data);
        break;
    default:
        return not_modelled(ctx, subchannel, data);
    }
    if (end == VGSP_FE_DONE &&
        data & NVC597_SET_REPORT_SEMAPHORE_D_AWAKEN_ENABLE) {
        vgsp_mmu_flush(&w->mmu);
        vgsp_model_interrupt(ctx);
    }
    return end;
}

/* ---- Render enable ---- */

/* Memory is looked at when the mode is written. */
VgspFeEnd vgsp_fe_render_enable(VgspContext *ctx, VgspWorker *w,
                                unsigned subchannel, uint32_t method,
                                uint32_t data)
{
    bool global = method == NVC597_SET_GLOBAL_RENDER_ENABLE_C;
    uint64_t va = vgsp_fe_address(ctx, subchannel,
                                  global ? NVC597_SET_GLOBAL_RENDER_ENABLE_A
                                         : NVC597_SET_RENDER_ENABLE_A,
                                  NVC597_SET_RENDER_ENABLE_A_OFFSET_UPPER);
    uint64_t mode = VGSP_GET(NVC597_SET_RENDER_ENABLE_C_MODE, data);
    /* The values of two reports in a row, of 16 bytes each. */
    uint64_t report[4] = { 0 };
    bool enable;

    switch (mode) {
    case NVC597_SET_RENDER_ENABLE_C_MODE_CONDITIONAL:
    case NVC597_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL:
    case NVC597_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL:
        if (va % 16) {
            return vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_DATA, subchannel,
                                 method, data);
        }
        if (!vgsp_mmu_read(&w->mmu, va, report,
                           mode == NVC597_SET_RENDER_ENABLE_C_MODE_CONDITIONAL
                           ? 8 : 24)) {
            return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_FE,
                                 true);
        }
    }
    switch (mode) {
    case NVC597_SET_RENDER_ENABLE_C_MODE_FALSE:
        enable = false;
        break;
    case NVC597_SET_RENDER_ENABLE_C_MODE_TRUE:
        enable = true;
        break;
    case NVC597_SET_RENDER_ENABLE_C_MODE_CONDITIONAL:
        enable = report[0] != 0;
        break;
    case NVC597_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL:
        enable = report[0] == report[2];
        break;
    case NVC597_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL:
        enable = report[0] != report[2];
        break;
    default:
        return vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_DATA, subchannel, method,
                             data);
    }
    *(global ? &ctx->render[subchannel].global
             : &ctx->render[subchannel].enable) = enable;
    return VGSP_FE_DONE;
}

bool vgsp_fe_renders(VgspContext *ctx, unsigned subchannel)
{
    switch (VGSP_GET(NVC597_SET_RENDER_ENABLE_OVERRIDE_MODE,
                     ctx->state[subchannel][NVC597_SET_RENDER_ENABLE_OVERRIDE /
                                            4])) {
    case NVC597_SET_RENDER_ENABLE_OVERRIDE_MODE_ALWAYS_RENDER:
        return true;
    case NVC597_SET_RENDER_ENABLE_OVERRIDE_MODE_NEVER_RENDER:
        return false;
    default:
        return ctx->render[subchannel].enable && ctx->render[subchannel].global;
    }
}

/* ---- Firmware ---- */

#define FALCON_WRITE_PRIV   4   /* the call that drivers make: SET_FALCON04 */

static uint32_t *priv_register(VgspContext *ctx, uint32_t addr)
{
    for (unsigned i = 0; i < ctx->num_priv; i++) {
        if (ctx->priv[i].addr == addr) {
            return &ctx->priv[i].value;
        }
    }
    if (ctx->num_priv == VGSP_PRIV_REGS_MAX) {
        return NULL;
    }
    ctx->priv[ctx->num_priv].addr = addr;
    return &ctx->priv[ctx->num_priv++].value;
}

/*
 * A register write: the datum is the address, shadow scratch 1 and 2
 * are value and mask; scratch 0 becomes 1 when it is done.
 */
VgspFeEnd vgsp_fe_falcon(VgspContext *ctx, unsigned subchannel,
                         uint32_t method, unsigned i, uint32_t data)
{
    uint32_t *scratch = &ctx->state[subchannel]
                                   [NVC597_SET_MME_SHADOW_SCRATCH(0) / 4];
    uint32_t *reg = i == FALCON_WRITE_PRIV ? priv_register(ctx, data) : NULL;

    if (!reg) {
        return vgsp_fe_error(ctx, VGSP_EXC_NOT_MODELLED, subchannel, method,
                             data);
    }
    *reg = (*reg & ~scratch[2]) | scratch[1];
    scratch[0] = 1;
    if (subchannel == VGSP_SUBC_3D) {
        vgsp_mme_set_scratch(ctx->mme, 0, 1);
    }
    return VGSP_FE_DONE;
}
