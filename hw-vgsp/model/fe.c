/*
 * The front end (FE): decodes sections and hands methods to their classes, one
 * after the other. Subchannels are those of a GR runlist (dev_ram "Types of PB
 * Entries"); faults and exceptions are recorded here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/context.h"
#include "vgsp/nv/dev_fault.h"
#include "vgsp/nv/mme.h"
#include "vgsp/section.h"

#define SLICE_US            1000
#define METHODS_A_LOOK      256     /* at the time */
#define COST_A_LOOK         1024    /* some 50 us */

/* The mapping is fixed; SET_OBJECT only checks it. */
static const uint32_t fe_class[VGSP_SUBCHANNELS] = {
    [VGSP_SUBC_3D] = TURING_A,
    [VGSP_SUBC_COMPUTE] = TURING_COMPUTE_A,
    [VGSP_SUBC_I2M] = KEPLER_INLINE_TO_MEMORY_B,
    [VGSP_SUBC_2D] = FERMI_TWOD_A,
};

/* ---- Errors ---- */

VgspFeEnd vgsp_fe_error(VgspContext *ctx, VgspException exc,
                        unsigned subchannel, uint32_t method, uint32_t data)
{
    if (!ctx->has_fault) {
        ctx->has_fault = true;
        ctx->fault = (struct vgsp_owner_fault) {
            .kind = VGSP_OWNER_FAULT_EXCEPTION,
            .valid = VGSP_OWNER_FAULT_HAS_TYPE | VGSP_OWNER_FAULT_HAS_METHOD,
            .type = exc,
            .method = subchannel << 16 | method,
            .data = data,
        };
    }
    return VGSP_FE_ERROR;
}

VgspFeEnd vgsp_fe_fault(VgspContext *ctx, const VgspModelFault *fault,
                        uint32_t client, bool client_is_hub)
{
    if (!ctx->has_fault) {
        ctx->has_fault = true;
        ctx->fault = (struct vgsp_owner_fault) {
            .kind = VGSP_OWNER_FAULT_MMU,
            .valid = VGSP_OWNER_FAULT_HAS_TYPE |
                     VGSP_OWNER_FAULT_HAS_ADDRESS |
                     VGSP_OWNER_FAULT_HAS_ACCESS |
                     VGSP_OWNER_FAULT_HAS_CLIENT |
                     VGSP_OWNER_FAULT_HAS_METHOD,
            .type = fault->type,
            .address = fault->va,
            .access = fault->access,
            .client = client,
            .client_is_hub = client_is_hub,
            .method = ctx->subchannel << 16 | ctx->method,
            .data = ctx->data,
        };
    }
    return VGSP_FE_ERROR;
}

/* ---- Releases ---- */

/* The ns half of a 16-byte structure, which is written first. */
static bool write_time(VgspContext *ctx, VgspWorker *w, uint64_t va)
{
    uint64_t ns = GUINT64_TO_LE(vgsp_model_clock(ctx->model));

    return vgsp_mmu_write(&w->mmu, va + 8, &ns, sizeof(ns));
}

static VgspFeEnd bad_semaphore(VgspContext *ctx)
{
    return vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_DATA, ctx->subchannel,
                         ctx->method, ctx->data);
}

VgspFeEnd vgsp_fe_release64(VgspContext *ctx, VgspWorker *w, uint64_t va,
                            uint64_t value, bool one_word)
{
    uint64_t wide = GUINT64_TO_LE(value);
    uint32_t word = GUINT32_TO_LE((uint32_t)value);

    if (va % (one_word ? 4 : 16)) {
        return bad_semaphore(ctx);
    }
    vgsp_mmu_flush(&w->mmu);
    if (!one_word && !write_time(ctx, w, va)) {
        return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_FE, true);
    }
    /* Everything before it is visible when the payload is. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!vgsp_mmu_write(&w->mmu, va, one_word ? (void *)&word : &wide,
                        one_word ? sizeof(word) : sizeof(wide))) {
        return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_FE, true);
    }
    return VGSP_FE_DONE;
}

VgspFeEnd vgsp_fe_release(VgspContext *ctx, VgspWorker *w, uint64_t va,
                          uint32_t payload, bool one_word)
{
    return vgsp_fe_release64(ctx, w, va, payload, one_word);
}

static uint32_t reduce(unsigned op, bool is_signed, uint32_t v, uint32_t p)
{
    bool less = is_signed ? (int32_t)v < (int32_t)p : v < p;

    switch (op) {
    case VGSP_RED_ADD:
        return v + p;
    case VGSP_RED_MIN:
        return less ? v : p;
    case VGSP_RED_MAX:
        return less ? p : v;
    case VGSP_RED_INC:
        return v >= p ? 0 : v + 1;
    case VGSP_RED_DEC:
        return v == 0 || v > p ? p : v - 1;
    case VGSP_RED_AND:
        return v & p;
    case VGSP_RED_OR:
        return v | p;
    default:
        return v ^ p;
    }
}

VgspFeEnd vgsp_fe_reduce(VgspContext *ctx, VgspWorker *w, uint64_t va,
                         unsigned op, bool is_signed, uint32_t payload)
{
    VgspTlbEntry *e;
    uint32_t *p, old, new;

    if (va % 4) {
        return bad_semaphore(ctx);
    }
    vgsp_mmu_flush(&w->mmu);
    e = vgsp_mmu_page(&w->mmu, va, VGSP_GMMU_ACCESS_ATOMIC);
    if (!e) {
        return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_FE, true);
    }
    if (!e->host) {
        return VGSP_FE_DONE;
    }
    p = (uint32_t *)(e->host + va % (1u << VGSP_SPACE_PAGE_SHIFT));
    old = __atomic_load_n(p, __ATOMIC_RELAXED);
    do {
        new = GUINT32_TO_LE(reduce(op, is_signed, GUINT32_FROM_LE(old),
                                   payload));
    } while (!__atomic_compare_exchange_n(p, &old, new, true, __ATOMIC_SEQ_CST,
                                          __ATOMIC_RELAXED));
    return VGSP_FE_DONE;
}

VgspFeEnd vgsp_fe_reduce_timed(VgspContext *ctx, VgspWorker *w, uint64_t va,
                               unsigned op, bool is_signed, uint32_t payload,
                               bool one_word)
{
    if (!one_word) {
        if (va % 16) {
            return bad_semaphore(ctx);
        }
        if (!write_time(ctx, w, va)) {
            return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_FE,
                                 true);
        }
    }
    return vgsp_fe_reduce(ctx, w, va, op, is_signed, payload);
}

/* ---- Methods ---- */

static VgspFeEnd perform(VgspContext *ctx, VgspWorker *w, unsigned subchannel,
                         uint32_t method, uint32_t data)
{
    if (subchannel >= VGSP_SUBCHANNELS || method / 4 >= VGSP_CLASS_WORDS) {
        return vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_METHOD, subchannel, method,
                             data);
    }
    if (method == NVC46F_SET_OBJECT) {
        return VGSP_GET(NVC46F_SET_OBJECT_NVCLASS, data) ==
               fe_class[subchannel] ? VGSP_FE_DONE
               : vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_CLASS, subchannel, method,
                               data);
    }
    if (vgsp_section_policy(fe_class[subchannel], method, data) ==
        VGSP_POLICY_DENY) {
        return vgsp_fe_error(ctx, method == NVC597_SET_REPORT_SEMAPHORE_D
                                  ? VGSP_EXC_ILLEGAL_DATA
                                  : VGSP_EXC_ILLEGAL_METHOD,
                             subchannel, method, data);
    }
    switch (subchannel) {
    case VGSP_SUBC_3D:
        return vgsp_threed_method(ctx, w, method, data);
    case VGSP_SUBC_COMPUTE:
        return vgsp_compute_method(ctx, w, method, data);
    case VGSP_SUBC_2D:
        ctx->state[subchannel][method / 4] = data;
        return vgsp_twod_method(ctx->twod, ctx, w, method, data);
    default:
        ctx->state[subchannel][method / 4] = data;
        return vgsp_i2m_owns(method)
               ? vgsp_i2m_method(ctx->i2m[subchannel], ctx, w, subchannel,
                                 method, data)
               : VGSP_FE_DONE;
    }
}

VgspFeEnd vgsp_fe_method(VgspContext *ctx, VgspWorker *w, unsigned subchannel,
                         uint32_t method, uint32_t data)
{
    unsigned outer_subchannel = ctx->subchannel;
    uint32_t outer_method = ctx->method, outer_data = ctx->data;
    VgspFeEnd end;

    /* A macro's call is the method again when what it emitted is done. */
    ctx->subchannel = subchannel;
    ctx->method = method;
    ctx->data = data;
    end = perform(ctx, w, subchannel, method, data);
    ctx->subchannel = outer_subchannel;
    ctx->method = outer_method;
    ctx->data = outer_data;
    return end;
}

/* ---- Slices ---- */

bool vgsp_fe_spent(VgspContext *ctx, uint32_t cost)
{
    ctx->cost += cost;
    if (ctx->cost < COST_A_LOOK) {
        return false;
    }
    /* Once it is over it stays so: whoever asks next shall hear of it. */
    if (g_get_monotonic_time() >= ctx->deadline) {
        return true;
    }
    ctx->cost = 0;
    return false;
}

/* The section is not what section.h says: its sender did not check it. */
static VgspFeSlice malformed(VgspContext *ctx)
{
    uint32_t at = ctx->pos ? ctx->pos - 1 : 0;

    vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_DATA, 0, 0,
                  at < ctx->section->count ? ctx->section->words[at] : 0);
    return VGSP_FE_SLICE_FAILED;
}

/*
 * Performs methods of a run until one says to stop, the run ends or it is time
 * to look at the clock; *left says for how many methods it is not.
 */
static VgspFeEnd perform_run(VgspContext *ctx, VgspWorker *w,
                             const VgspPbRun *run, uint32_t *left)
{
    VgspFeEnd end = VGSP_FE_DONE;
    uint32_t done = 0;

    while (done < run->count && *left && end == VGSP_FE_DONE) {
        end = vgsp_fe_method(ctx, w, run->subchannel,
                             vgsp_pb_run_method(run, done) * 4,
                             GUINT32_FROM_LE(run->data[done]));
        if (end == VGSP_FE_DONE || end == VGSP_FE_WAIT) {
            done++;
            *left -= 1;
        }
        if (vgsp_fe_spent(ctx, 0)) {
            *left = 0;
        }
    }
    ctx->pos += (uint32_t)vgsp_pb_advance(&ctx->pb, done);
    return end;
}

static VgspFeSlice slice_end(VgspContext *ctx, VgspFeEnd end)
{
    switch (end) {
    case VGSP_FE_WAIT:
        return VGSP_FE_SLICE_GRID;
    case VGSP_FE_AGAIN:
        return ctx->polls ? VGSP_FE_SLICE_POLL : VGSP_FE_SLICE_MORE;
    case VGSP_FE_ERROR:
        return VGSP_FE_SLICE_FAILED;
    default:
        return VGSP_FE_SLICE_MORE;
    }
}

VgspFeSlice vgsp_fe_slice(VgspContext *ctx, VgspWorker *w)
{
    VgspQueuedSection *section = ctx->section;

    ctx->deadline = g_get_monotonic_time() + SLICE_US;
    ctx->cost = 0;
    ctx->polls = false;
    if (ctx->grid) {
        VgspFeEnd end = vgsp_compute_grid_end(ctx, w);

        if (end != VGSP_FE_DONE) {
            return slice_end(ctx, end);
        }
    }
    do {
        uint32_t left = METHODS_A_LOOK;

        while (left) {
            VgspFeEnd end;
            VgspPbRun run;
            size_t used;

            switch (vgsp_pb_next(&ctx->pb, section->words + ctx->pos,
                                 section->count - ctx->pos, &used, &run)) {
            case VGSP_PB_METHODS:
                break;
            case VGSP_PB_MORE:
                ctx->pos += (uint32_t)used;
                return vgsp_pb_mid_method(&ctx->pb) ? malformed(ctx)
                                                    : VGSP_FE_SLICE_RETIRED;
            default:
                ctx->pos += (uint32_t)used;
                return malformed(ctx);
            }
            ctx->pos += (uint32_t)used;
            end = perform_run(ctx, w, &run, &left);
            if (end != VGSP_FE_DONE) {
                return slice_end(ctx, end);
            }
        }
    } while (g_get_monotonic_time() < ctx->deadline);
    return VGSP_FE_SLICE_MORE;
}
