/*
 * What the macro engine, inline-to-memory and 2D need of the model, without
 * the model: one piece of memory, and a front end that writes down what it is
 * given. A test includes this, and then the source that it tests, whose public
 * names are changed so that the model can be linked in nevertheless. With
 * DOUBLE_HAS_MME the front end gives macros' methods to ctx->mme as well.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_MODEL_DOUBLE_H
#define TESTS_UNIT_MODEL_DOUBLE_H

#define vgsp_mmu_fill       double_mmu_fill
#define vgsp_mmu_read       double_mmu_read
#define vgsp_mmu_write      double_mmu_write
#define vgsp_mmu_flush      double_mmu_flush
#define vgsp_fe_method      double_fe_method
#define vgsp_fe_error       double_fe_error
#define vgsp_fe_fault       double_fe_fault
#define vgsp_fe_release     double_fe_release
#define vgsp_fe_reduce      double_fe_reduce
#define vgsp_fe_reduce_timed double_fe_reduce_timed
#define vgsp_fe_spent double_fe_spent
#define vgsp_model_interrupt double_model_interrupt
#define vgsp_mme_new        double_mme_new
#define vgsp_mme_free       double_mme_free
#define vgsp_mme_owns       double_mme_owns
#define vgsp_mme_method     double_mme_method
#define vgsp_mme_track      double_mme_track
#define vgsp_mme_set_scratch double_mme_set_scratch
#define vgsp_i2m_new        double_i2m_new
#define vgsp_i2m_free       double_i2m_free
#define vgsp_i2m_owns       double_i2m_owns
#define vgsp_i2m_method     double_i2m_method
#define vgsp_twod_new       double_twod_new
#define vgsp_twod_free      double_twod_free
#define vgsp_twod_method    double_twod_method
#define vgsp_2d_format      double_2d_format
#define vgsp_2d_decode      double_2d_decode
#define vgsp_2d_encode      double_2d_encode
#define vgsp_2d_encode_norm double_2d_encode_norm
#define vgsp_2d_convert     double_2d_convert
#define vgsp_2d_filter      double_2d_filter
#define vgsp_2d_solid       double_2d_solid
#define vgsp_2d_packed      double_2d_packed

#include "model/model-int.h"

#define DOUBLE_VA       UINT64_C(0x123450000)
#define DOUBLE_SIZE     (4u << 20)

typedef struct DoubleCall {
    enum {
        CALL_METHOD, CALL_RELEASE, CALL_REDUCE, CALL_FLUSH, CALL_INTERRUPT,
    } kind;
    uint32_t method, data;      /* of a release or reduction: payload */
    uint64_t va;
    bool one_word;
    bool is_signed;             /* of a reduction, whose op is the method */
} DoubleCall;

struct VgspContext {
    uint8_t *memory;            /* DOUBLE_SIZE bytes at DOUBLE_VA */
    DoubleCall call[20000];     /* a slice of a macro emits 16384 */
    unsigned calls;
    /* vgsp_fe_error() and vgsp_fe_fault() */
    bool failed, faulted;
    VgspException exception;
    unsigned subchannel;
    uint32_t method, data;
    uint64_t fault_va;
    /* Answers of vgsp_fe_method(); DONE where there is none left. */
    const VgspFeEnd *answer;
    unsigned answers;
    /* Of vgsp_fe_spent(), and from when on a slice is over; 0: never. */
    uint64_t spent, slice;
    VgspMme *mme;
    VgspWorker worker;
};

/* The workers of a test have no space: this is theirs. */
static VgspContext *double_context;

static inline VgspContext *double_new(void)
{
    VgspContext *ctx = g_new0(VgspContext, 1);

    ctx->memory = g_malloc0(DOUBLE_SIZE);
    double_context = ctx;
    return ctx;
}

static inline void double_free(VgspContext *ctx)
{
    g_free(ctx->memory);
    g_free(ctx);
}

static inline bool double_access(VgspMmu *mmu, uint64_t va, void *buf,
                                 uint64_t len, bool write)
{
    uint8_t *at;

    if (va < DOUBLE_VA || !vgsp_range_ok(va - DOUBLE_VA, len, DOUBLE_SIZE)) {
        mmu->fault = (VgspModelFault) {
            .raised = true, .va = va,
            .access = write ? VGSP_GMMU_ACCESS_WRITE : VGSP_GMMU_ACCESS_READ,
        };
        return false;
    }
    at = double_context->memory + (va - DOUBLE_VA);
    memcpy(write ? (void *)at : buf, write ? buf : (void *)at, len);
    return true;
}

bool vgsp_mmu_read(VgspMmu *mmu, uint64_t va, void *buf, uint64_t len)
{
    return double_access(mmu, va, buf, len, false);
}

bool vgsp_mmu_write(VgspMmu *mmu, uint64_t va, const void *buf, uint64_t len)
{
    return double_access(mmu, va, (void *)buf, len, true);
}

static inline DoubleCall *double_call(VgspContext *ctx)
{
    g_assert_cmpuint(ctx->calls, <, G_N_ELEMENTS(ctx->call));
    return &ctx->call[ctx->calls++];
}

void vgsp_mmu_flush(VgspMmu *mmu)
{
    (void)mmu;
    double_call(double_context)->kind = CALL_FLUSH;
}

VgspFeEnd vgsp_fe_method(VgspContext *ctx, VgspWorker *w, unsigned subchannel,
                         uint32_t method, uint32_t data)
{
    VgspFeEnd end = VGSP_FE_DONE;
    DoubleCall *call;

    g_assert_cmpuint(subchannel, ==, VGSP_SUBC_3D);
    if (ctx->answers) {
        ctx->answers--;
        end = *ctx->answer++;
    }
    if (end == VGSP_FE_AGAIN) {
        return end;
    }
#ifdef DOUBLE_HAS_MME
    if (vgsp_mme_owns(method)) {
        return vgsp_mme_method(ctx->mme, ctx, w, method, data);
    }
#else
    (void)w;
#endif
    call = double_call(ctx);
    call->kind = CALL_METHOD;
    call->method = method;
    call->data = data;
#ifdef DOUBLE_HAS_MME
    if (vgsp_mme_track(ctx->mme, ctx, method, &call->data) != VGSP_FE_DONE) {
        return VGSP_FE_ERROR;
    }
#endif
    return end;
}

VgspFeEnd vgsp_fe_error(VgspContext *ctx, VgspException exc,
                        unsigned subchannel, uint32_t method, uint32_t data)
{
    if (!ctx->failed) {
        ctx->failed = true;
        ctx->exception = exc;
        ctx->subchannel = subchannel;
        ctx->method = method;
        ctx->data = data;
    }
    return VGSP_FE_ERROR;
}

VgspFeEnd vgsp_fe_fault(VgspContext *ctx, const VgspModelFault *fault,
                        uint32_t client, bool client_is_hub)
{
    g_assert_true(fault->raised);
    g_assert_true(client_is_hub);
    (void)client;
    ctx->failed = ctx->faulted = true;
    ctx->fault_va = fault->va;
    return VGSP_FE_ERROR;
}

VgspFeEnd vgsp_fe_release(VgspContext *ctx, VgspWorker *w, uint64_t va,
                          uint32_t payload, bool one_word)
{
    DoubleCall *call = double_call(ctx);

    (void)w;
    call->kind = CALL_RELEASE;
    call->va = va;
    call->one_word = one_word;
    call->data = payload;
    return VGSP_FE_DONE;
}

VgspFeEnd vgsp_fe_reduce(VgspContext *ctx, VgspWorker *w, uint64_t va,
                         unsigned op, bool is_signed, uint32_t payload)
{
    DoubleCall *call = double_call(ctx);

    (void)w;
    call->kind = CALL_REDUCE;
    call->va = va;
    call->method = op;
    call->is_signed = is_signed;
    call->data = payload;
    return VGSP_FE_DONE;
}

bool vgsp_fe_spent(VgspContext *ctx, uint32_t cost)
{
    ctx->spent += cost;
    return ctx->slice && ctx->spent >= ctx->slice;
}

VgspFeEnd vgsp_fe_reduce_timed(VgspContext *ctx, VgspWorker *w, uint64_t va,
                               unsigned op, bool is_signed, uint32_t payload,
                               bool one_word)
{
    VgspFeEnd end = vgsp_fe_reduce(ctx, w, va, op, is_signed, payload);

    ctx->call[ctx->calls - 1].one_word = one_word;
    return end;
}

void vgsp_model_interrupt(VgspContext *ctx)
{
    double_call(ctx)->kind = CALL_INTERRUPT;
}

static inline void double_assert_error(const VgspContext *ctx,
                                       VgspException exc, uint32_t data)
{
    g_assert_true(ctx->failed);
    g_assert_false(ctx->faulted);
    g_assert_cmpint(ctx->exception, ==, exc);
    g_assert_cmphex(ctx->data, ==, data);
}

#endif
