/*
 * Semaphores in memory: acquire tests, releases and reductions, as Host and
 * the engines perform them. Specified by NVIDIA's dev_pbdma (SEM_EXECUTE).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include <math.h>
#include "qemu/timer.h"
#include "device/regs.h"
#include "vgsp/nv/copy.h"
#include "host/host-int.h"
#include "trace.h"

bool vgsp_semaphore_test(VgspChannel *ch, const VgspAcquire *acq, bool *ok,
                         VgspVaFault *fault)
{
    uint64_t mask = acq->is_64bit ? UINT64_MAX : UINT32_MAX;
    uint64_t pv = acq->payload & mask;
    uint8_t word[8] = { 0 };
    uint64_t sv;

    *ok = vgsp_va_read(ch->s, &ch->p.pdb, ch->p.privileged, acq->va, word,
                       acq->is_64bit ? 8 : 4, fault);
    if (!*ok) {
        return false;
    }
    sv = ldq_le_p(word);
    /* What the channel does next reads memory as of this value or later. */
    smp_mb();

    switch (acq->op) {
    case NVC46F_SEM_EXECUTE_OPERATION_ACQUIRE:
        return sv == pv;
    case NVC46F_SEM_EXECUTE_OPERATION_ACQ_STRICT_GEQ:
        return sv >= pv;
    case NVC46F_SEM_EXECUTE_OPERATION_ACQ_CIRC_GEQ:
        return acq->is_64bit ? (int64_t)(sv - pv) >= 0
                             : (int32_t)(uint32_t)(sv - pv) >= 0;
    case NVC46F_SEM_EXECUTE_OPERATION_ACQ_AND:
        return (sv & pv) != 0;
    case NVC46F_SEM_EXECUTE_OPERATION_ACQ_NOR:
        return (~(sv | pv) & mask) != 0;
    default:
        g_assert_not_reached();
    }
}

/* The half with the time: written before the payload. */
static bool write_timestamp(VgspChannel *ch, uint64_t va, VgspVaFault *fault)
{
    uint8_t time[8];

    stq_le_p(time, vgsp_ptimer_ns(ch->s));
    return vgsp_va_write(ch->s, &ch->p.pdb, ch->p.privileged,
                         va + NV_HOST_SEMAPHORE_TIMESTAMP, time, sizeof(time),
                         fault);
}

bool vgsp_semaphore_release(VgspChannel *ch, uint64_t va, uint64_t payload,
                            bool is_64bit, bool timestamp, VgspVaFault *fault)
{
    uint8_t word[8];
    size_t len = is_64bit || timestamp ? 8 : 4;
    int64_t rung_at;

    /* Everything that was done before is in memory when the payload is. */
    smp_mb();
    if (timestamp) {
        if (!write_timestamp(ch, va, fault)) {
            return false;
        }
        smp_wmb(); /* who sees the payload sees the time */
    }
    stq_le_p(word, is_64bit ? payload : (uint32_t)payload);
    if (!vgsp_va_write(ch->s, &ch->p.pdb, ch->p.privileged, va, word, len,
                       fault)) {
        return false;
    }
    trace_vgsp_host_sem_release(ch->runlist, ch->p.chid, va, payload,
                                is_64bit, timestamp);
    rung_at = qatomic_read(&ch->rung_at);
    if (rung_at && qatomic_cmpxchg(&ch->rung_at, rung_at, 0) == rung_at) {
        qatomic_add(&ch->s->stats.release_ns, get_clock() - rung_at);
    }
    qatomic_inc(&ch->s->stats.releases);
    vgsp_host_recheck(ch->host);
    return true;
}

bool vgsp_reduction_valid(const VgspReduction *r)
{
    switch (r->op) {
    case NVC46F_SEM_EXECUTE_REDUCTION_IMIN:
    case NVC46F_SEM_EXECUTE_REDUCTION_IMAX:
    case NVC46F_SEM_EXECUTE_REDUCTION_IXOR:
    case NVC46F_SEM_EXECUTE_REDUCTION_IAND:
    case NVC46F_SEM_EXECUTE_REDUCTION_IOR:
        return true;
    case NVC46F_SEM_EXECUTE_REDUCTION_IADD:
        return !r->is_64bit || !r->is_signed;
    case NVC46F_SEM_EXECUTE_REDUCTION_INC:
    case NVC46F_SEM_EXECUTE_REDUCTION_DEC:
        return !r->is_64bit && !r->is_signed;
    default:
        return false;
    }
}

static bool reduction_less(const VgspReduction *r, uint64_t a, uint64_t b)
{
    if (!r->is_signed) {
        return a < b;
    }
    return r->is_64bit ? (int64_t)a < (int64_t)b : (int32_t)a < (int32_t)b;
}

static float flush(float f)
{
    return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f;
}

/* As all float atomics in L2: to nearest even, no subnormals, one NaN. */
static uint32_t add_f32(uint32_t a, uint32_t b)
{
    union { uint32_t u; float f; } x = { .u = a }, y = { .u = b };

    x.f = flush(flush(x.f) + flush(y.f));
    return isnan(x.f) ? 0x7fffffff : x.u;
}

uint64_t vgsp_reduction_apply(const VgspReduction *r, uint64_t old)
{
    uint64_t mask = r->is_64bit ? UINT64_MAX : UINT32_MAX;
    uint64_t p = r->payload & mask;
    uint64_t v = old & mask;

    switch (r->op) {
    case NVC46F_SEM_EXECUTE_REDUCTION_IMIN:
        return reduction_less(r, p, v) ? p : v;
    case NVC46F_SEM_EXECUTE_REDUCTION_IMAX:
        return reduction_less(r, v, p) ? p : v;
    case NVC46F_SEM_EXECUTE_REDUCTION_IXOR:
        return v ^ p;
    case NVC46F_SEM_EXECUTE_REDUCTION_IAND:
        return v & p;
    case NVC46F_SEM_EXECUTE_REDUCTION_IOR:
        return v | p;
    case NVC46F_SEM_EXECUTE_REDUCTION_IADD:
        return (v + p) & mask;
    case NVC46F_SEM_EXECUTE_REDUCTION_INC:
        return v >= p ? 0 : v + 1;
    case NVC46F_SEM_EXECUTE_REDUCTION_DEC:
        return v == 0 || v > p ? p : v - 1;
    case NVC5B5_LAUNCH_DMA_SEMAPHORE_REDUCTION_FADD:
        return add_f32(v, p);
    default:
        g_assert_not_reached();
    }
}

static uint64_t reduction_op(uint64_t old, void *opaque)
{
    return vgsp_reduction_apply(opaque, old);
}

bool vgsp_semaphore_reduce(VgspChannel *ch, uint64_t va,
                           const VgspReduction *r, bool timestamp,
                           VgspVaFault *fault)
{
    smp_mb(); /* as for a release */
    if (timestamp && !write_timestamp(ch, va, fault)) {
        return false;
    }
    if (!vgsp_va_rmw(ch->s, &ch->p.pdb, ch->p.privileged, va,
                     r->is_64bit ? 8 : 4, reduction_op, (void *)r, fault)) {
        fault->is_atomic = true;
        return false;
    }
    trace_vgsp_host_sem_reduce(ch->runlist, ch->p.chid, va, r->op,
                               r->payload);
    qatomic_inc(&ch->s->stats.releases);
    vgsp_host_recheck(ch->host);
    return true;
}
