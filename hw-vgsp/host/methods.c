/*
 * Host methods of class NVC46F: semaphores of both styles, memory operations,
 * interrupts and waits. Specified by NVIDIA's clc46f.h and dev_pbdma.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/intr.h"
#include "host/host-int.h"
#include "trace.h"

static VgspMethodEnd pbdma_error(VgspChannel *ch, const char *what)
{
    return vgsp_channel_error(ch, ROBUST_CHANNEL_PBDMA_ERROR, what);
}

/* ---- Semaphores ---- */

/* The fields that the two styles share; SEM_EXECUTE's encodings. */
typedef struct SemaphoreOp {
    uint64_t va;
    uint64_t payload;
    uint8_t op;
    bool is_64bit;
    bool timestamp;
    bool wfi;
    bool switch_tsg;
    uint8_t reduction;
    bool is_signed;
} SemaphoreOp;

static VgspMethodEnd acquire(VgspChannel *ch)
{
    VgspVaFault fault;
    bool ok;

    if (vgsp_semaphore_test(ch, &ch->acquire, &ok, &fault)) {
        ch->acquire.parked = false;
        ch->acquire.passed = true;
        trace_vgsp_host_sem_acquire(ch->runlist, ch->p.chid, ch->acquire.va,
                                    ch->acquire.op, ch->acquire.payload,
                                    ch->acquire.retries);
        return VGSP_METHOD_DONE;
    }
    if (!ok) {
        ch->acquire.parked = false;
        return vgsp_channel_fault(ch, ch->acquire.unit, &fault, "acquire");
    }
    if (!ch->acquire.parked) {
        ch->acquire.parked = true;
        trace_vgsp_host_sem_park(ch->runlist, ch->p.chid, ch->acquire.va,
                                 ch->acquire.op, ch->acquire.payload);
    }
    ch->acquire.retries++;
    return VGSP_METHOD_PARK;
}

VgspMethodEnd vgsp_host_acquire(VgspChannel *ch, const VgspAcquire *acq)
{
    VgspMethodEnd end;

    if (ch->acquire.passed) {
        /* The retry that woke the channel was this method's. */
        ch->acquire.passed = false;
        return VGSP_METHOD_DONE;
    }
    ch->acquire = *acq;
    end = acquire(ch);
    ch->acquire.passed = false;
    return end;
}

VgspMethodEnd vgsp_host_acquire_retry(VgspChannel *ch)
{
    return acquire(ch);
}

static VgspMethodEnd semaphore(VgspChannel *ch, const SemaphoreOp *so)
{
    bool is_acquire = so->op != NVC46F_SEM_EXECUTE_OPERATION_RELEASE &&
                      so->op != NVC46F_SEM_EXECUTE_OPERATION_REDUCTION;
    unsigned align = !is_acquire && so->timestamp ? NV_HOST_SEMAPHORE__SIZE
                                                  : so->is_64bit ? 8 : 4;
    VgspReduction r = {
        .op = so->reduction,
        .is_signed = so->is_signed,
        .is_64bit = so->is_64bit,
        .payload = so->payload,
    };
    VgspVaFault fault;

    if (!QEMU_IS_ALIGNED(so->va, align)) {
        return pbdma_error(ch, "SEMAPHORE: alignment");
    }
    if (is_acquire) {
        VgspAcquire acq = {
            .va = so->va,
            .payload = so->payload,
            .op = so->op,
            .is_64bit = so->is_64bit,
            .switch_tsg = so->switch_tsg,
            .unit = VGSP_UNIT_HOST,
        };

        return vgsp_host_acquire(ch, &acq);
    }

    if (so->op == NVC46F_SEM_EXECUTE_OPERATION_REDUCTION &&
        !vgsp_reduction_valid(&r)) {
        return pbdma_error(ch, "SEMAPHORE: reduction");
    }
    if (so->wfi && vgsp_channel_busy(ch)) {
        return VGSP_METHOD_WAIT_ENGINE;
    }
    if (so->op == NVC46F_SEM_EXECUTE_OPERATION_RELEASE) {
        if (!vgsp_semaphore_release(ch, so->va, so->payload, so->is_64bit,
                                    so->timestamp, &fault)) {
            return vgsp_channel_fault(ch, VGSP_UNIT_HOST, &fault, "release");
        }
    } else if (!vgsp_semaphore_reduce(ch, so->va, &r, so->timestamp,
                                      &fault)) {
        return vgsp_channel_fault(ch, VGSP_UNIT_HOST, &fault, "reduction");
    }
    return VGSP_METHOD_DONE;
}

static VgspMethodEnd sem_execute(VgspChannel *ch, uint32_t data)
{
    SemaphoreOp so = {
        .va = VGSP_GET(NVC46F_SEM_ADDR_HI_OFFSET, ch->sem_addr_hi) << 32 |
              (ch->sem_addr_lo & NVC46F_SEM_ADDR_LO_OFFSET),
        .payload = (uint64_t)ch->sem_payload_hi << 32 | ch->sem_payload_lo,
        .op = VGSP_GET(NVC46F_SEM_EXECUTE_OPERATION, data),
        .is_64bit = VGSP_GET(NVC46F_SEM_EXECUTE_PAYLOAD_SIZE, data) ==
                    NVC46F_SEM_EXECUTE_PAYLOAD_SIZE_64BIT,
        .timestamp = VGSP_GET(NVC46F_SEM_EXECUTE_RELEASE_TIMESTAMP, data) ==
                     NVC46F_SEM_EXECUTE_RELEASE_TIMESTAMP_EN,
        .wfi = VGSP_GET(NVC46F_SEM_EXECUTE_RELEASE_WFI, data) ==
               NVC46F_SEM_EXECUTE_RELEASE_WFI_EN,
        .switch_tsg = data & NVC46F_SEM_EXECUTE_ACQUIRE_SWITCH_TSG,
        .reduction = VGSP_GET(NVC46F_SEM_EXECUTE_REDUCTION, data),
        .is_signed = VGSP_GET(NVC46F_SEM_EXECUTE_REDUCTION_FORMAT, data) ==
                     NVC46F_SEM_EXECUTE_REDUCTION_FORMAT_SIGNED,
    };

    if (so.op > NVC46F_SEM_EXECUTE_OPERATION_REDUCTION) {
        return pbdma_error(ch, "SEMAPHORE: operation");
    }
    return semaphore(ch, &so);
}

/*
 * The legacy style. Its reduction codes are SEM_EXECUTE's; whether a legacy
 * reduction writes a timestamp is in no manual: it does not here.
 */
static VgspMethodEnd semaphored(VgspChannel *ch, uint32_t data)
{
    SemaphoreOp so = {
        .va = VGSP_GET(NVC46F_SEMAPHOREA_OFFSET_UPPER, ch->legacy_sem_a)
                  << 32 |
              (ch->legacy_sem_b & NVC46F_SEMAPHOREB_OFFSET_LOWER),
        .payload = ch->legacy_sem_c,
        .wfi = VGSP_GET(NVC46F_SEMAPHORED_RELEASE_WFI, data) ==
               NVC46F_SEMAPHORED_RELEASE_WFI_EN,
        .switch_tsg = data & NVC46F_SEMAPHORED_ACQUIRE_SWITCH,
        .reduction = VGSP_GET(NVC46F_SEMAPHORED_REDUCTION, data),
        .is_signed = !VGSP_GET(NVC46F_SEMAPHORED_FORMAT, data),
    };

    switch (VGSP_GET(NVC46F_SEMAPHORED_OPERATION, data)) {
    case NVC46F_SEMAPHORED_OPERATION_ACQUIRE:
        so.op = NVC46F_SEM_EXECUTE_OPERATION_ACQUIRE;
        break;
    case NVC46F_SEMAPHORED_OPERATION_RELEASE:
        so.op = NVC46F_SEM_EXECUTE_OPERATION_RELEASE;
        so.timestamp = VGSP_GET(NVC46F_SEMAPHORED_RELEASE_SIZE, data) ==
                       NVC46F_SEMAPHORED_RELEASE_SIZE_16BYTE;
        break;
    case NVC46F_SEMAPHORED_OPERATION_ACQ_GEQ:
        so.op = NVC46F_SEM_EXECUTE_OPERATION_ACQ_CIRC_GEQ;
        break;
    case NVC46F_SEMAPHORED_OPERATION_ACQ_AND:
        so.op = NVC46F_SEM_EXECUTE_OPERATION_ACQ_AND;
        break;
    case NVC46F_SEMAPHORED_OPERATION_REDUCTION:
        so.op = NVC46F_SEM_EXECUTE_OPERATION_REDUCTION;
        break;
    default:
        return pbdma_error(ch, "SEMAPHORE: operation");
    }
    return semaphore(ch, &so);
}

/* ---- Memory operations ---- */

/*
 * Replays and cancels of faults: a channel's fault is an error of the channel
 * here, never replayable, so that there is none to replay. What is left of
 * the operation is the invalidation.
 */
static VgspMethodEnd tlb_invalidate(VgspChannel *ch, uint32_t d,
                                    bool targeted)
{
    uint32_t a = ch->mem_op_a, c = ch->mem_op_c;
    unsigned replay = VGSP_GET(NVC46F_MEM_OP_C_TLB_INVALIDATE_REPLAY, c);
    VgspAperture aperture =
        VGSP_GET(NVC46F_MEM_OP_C_TLB_INVALIDATE_PDB_APERTURE, c);
    uint64_t pdb = (VGSP_GET(NVC46F_MEM_OP_D_TLB_INVALIDATE_PDB_ADDR_HI, d)
                        << 32) |
                   (c & NVC46F_MEM_OP_C_TLB_INVALIDATE_PDB_ADDR_LO);
    VgspInvalidate inv = {
        .all_pdb = VGSP_GET(NVC46F_MEM_OP_C_TLB_INVALIDATE_PDB, c) ==
                   NVC46F_MEM_OP_C_TLB_INVALIDATE_PDB_ALL,
        .hub_only = VGSP_GET(NVC46F_MEM_OP_C_TLB_INVALIDATE_GPC, c) ==
                    NVC46F_MEM_OP_C_TLB_INVALIDATE_GPC_DISABLE,
        .all_va = !targeted,
    };

    if (aperture == VGSP_APERTURE_PEER) {
        return pbdma_error(ch, "METHOD: MEM_OP of a peer's directory");
    }
    inv.pdb = vgsp_pdb_from_address(aperture, pdb);
    if (targeted) {
        uint64_t va = (uint64_t)ch->mem_op_b << 32 |
                      (a & NVC46F_MEM_OP_A_TLB_INVALIDATE_TARGET_ADDR_LO);
        unsigned log2 = 12;

        /* A targeted cancel has a client where others have a size. */
        if (replay < NVC46F_MEM_OP_C_TLB_INVALIDATE_REPLAY_CANCEL_TARGETED) {
            log2 += VGSP_GET(NVC46F_MEM_OP_A_TLB_INVALIDATE_INVALIDATION_SIZE,
                             a);
        }
        if (log2 >= 64) {
            inv.all_va = true;
        } else {
            inv.len = 1ull << log2;
            inv.va = VGSP_ALIGN_DOWN(va, inv.len);
        }
    }
    vgsp_host_tlb_invalidate(ch, &inv);
    return VGSP_METHOD_WAIT_MMU;
}

/*
 * The membars and L2 operations order what is in order here: memory is
 * coherent, and each access of a channel is complete when its method is.
 */
static VgspMethodEnd mem_op(VgspChannel *ch, uint32_t d)
{
    unsigned op = VGSP_GET(NVC46F_MEM_OP_D_OPERATION, d);

    trace_vgsp_host_mem_op(ch->runlist, ch->p.chid, op, ch->mem_op_a,
                           ch->mem_op_b, ch->mem_op_c, d);
    switch (op) {
    case NVC46F_MEM_OP_D_OPERATION_MEMBAR:
    case NVC46F_MEM_OP_D_OPERATION_L2_PEERMEM_INVALIDATE:
    case NVC46F_MEM_OP_D_OPERATION_L2_SYSMEM_INVALIDATE:
    case NVC46F_MEM_OP_D_OPERATION_L2_CLEAN_COMPTAGS:
    case NVC46F_MEM_OP_D_OPERATION_L2_FLUSH_DIRTY:
    case NVC46F_MEM_OP_D_OPERATION_L2_WAIT_FOR_SYS_PENDING_READS:
        smp_mb(); /* against guest CPUs */
        return VGSP_METHOD_DONE;
    case NVC46F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE:
    case NVC46F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE_TARGETED:
    case NVC46F_MEM_OP_D_OPERATION_ACCESS_COUNTER_CLR:
        if (!ch->p.privileged) {
            return pbdma_error(ch, "METHOD: privileged MEM_OP");
        }
        if (op == NVC46F_MEM_OP_D_OPERATION_ACCESS_COUNTER_CLR) {
            /* No access is counted: the counters are always clear. */
            return VGSP_METHOD_DONE;
        }
        return tlb_invalidate(
            ch, d,
            op == NVC46F_MEM_OP_D_OPERATION_MMU_TLB_INVALIDATE_TARGETED);
    default:
        return pbdma_error(ch, "METHOD: unknown MEM_OP");
    }
}

/* ---- Dispatch ---- */

/*
 * Of all VEIDs: the subcontexts of the TSG, each a channel's context here. None
 * of the others tells this one of its end, so that it looks again.
 */
static VgspMethodEnd wait_for_idle(VgspChannel *ch, uint32_t data)
{
    VgspChannel *mate;

    if (vgsp_channel_busy(ch)) {
        return VGSP_METHOD_WAIT_ENGINE;
    }
    if (VGSP_GET(NVC46F_WFI_SCOPE, data) == NVC46F_WFI_SCOPE_ALL) {
        QEMU_LOCK_GUARD(&ch->host->lock);
        QTAILQ_FOREACH(mate, &ch->tsg->channels, tsg_next) {
            if (vgsp_channel_busy(mate)) {
                return VGSP_METHOD_PARK;
            }
        }
    }
    return VGSP_METHOD_DONE;
}

static VgspMethodEnd yield(VgspChannel *ch, uint32_t data)
{
    switch (VGSP_GET(NVC46F_YIELD_OP, data)) {
    case NVC46F_YIELD_OP_NOP:
        return VGSP_METHOD_DONE;
    case NVC46F_YIELD_OP_RUNLIST_TIMESLICE:
    case NVC46F_YIELD_OP_TSG:
        ch->yield = VGSP_GET(NVC46F_YIELD_OP, data);
        return VGSP_METHOD_YIELD;
    default:
        return pbdma_error(ch, "METHOD: YIELD");
    }
}

VgspMethodEnd vgsp_host_method(VgspChannel *ch, unsigned subchannel,
                               uint32_t method, uint32_t data)
{
    switch (method) {
    case NVC46F_SET_OBJECT:
        return vgsp_engine_set_object(ch, subchannel, data);
    case NVC46F_NOP:
        return VGSP_METHOD_DONE;
    case NVC46F_SEMAPHOREA:
        ch->legacy_sem_a = data;
        return VGSP_METHOD_DONE;
    case NVC46F_SEMAPHOREB:
        ch->legacy_sem_b = data;
        return VGSP_METHOD_DONE;
    case NVC46F_SEMAPHOREC:
        ch->legacy_sem_c = data;
        return VGSP_METHOD_DONE;
    case NVC46F_SEMAPHORED:
        return semaphored(ch, data);
    case NVC46F_NON_STALL_INTERRUPT:
        trace_vgsp_host_non_stall(ch->runlist, ch->p.chid,
                                  ch->primary->vector_nonstall);
        vgsp_intr_raise(ch->s, ch->primary->vector_nonstall);
        return VGSP_METHOD_DONE;
    case NVC46F_FB_FLUSH:
        smp_mb(); /* against guest CPUs: a system membar */
        return VGSP_METHOD_DONE;
    case NVC46F_MEM_OP_A:
        ch->mem_op_a = data;
        return VGSP_METHOD_DONE;
    case NVC46F_MEM_OP_B:
        ch->mem_op_b = data;
        return VGSP_METHOD_DONE;
    case NVC46F_MEM_OP_C:
        ch->mem_op_c = data;
        return VGSP_METHOD_DONE;
    case NVC46F_MEM_OP_D:
        return mem_op(ch, data);
    case NVC46F_SET_REFERENCE:
        if (vgsp_channel_busy(ch)) {
            return VGSP_METHOD_WAIT_ENGINE;
        }
        smp_mb(); /* against guest CPUs: a system membar */
        ch->reference = data;
        ch->userd_dirty = true;
        return VGSP_METHOD_DONE;
    case NVC46F_SEM_ADDR_LO:
        ch->sem_addr_lo = data;
        return VGSP_METHOD_DONE;
    case NVC46F_SEM_ADDR_HI:
        ch->sem_addr_hi = data;
        return VGSP_METHOD_DONE;
    case NVC46F_SEM_PAYLOAD_LO:
        ch->sem_payload_lo = data;
        return VGSP_METHOD_DONE;
    case NVC46F_SEM_PAYLOAD_HI:
        ch->sem_payload_hi = data;
        return VGSP_METHOD_DONE;
    case NVC46F_SEM_EXECUTE:
        return sem_execute(ch, data);
    case NVC46F_WFI:
        return wait_for_idle(ch, data);
    case NVC46F_CRC_CHECK:
        if (data != ch->method_crc) {
            return vgsp_channel_error(ch, PBDMA_PUSHBUFFER_CRC_MISMATCH,
                                      "METHODCRC: other methods were sent");
        }
        ch->method_crc = 0;
        return VGSP_METHOD_DONE;
    case NVC46F_YIELD:
        return yield(ch, data);
    case NVC46F_CLEAR_FAULTED:
        /*
         * A fault ends its channel, so the bit that this would clear is never
         * set: on the chip the channel stalls here until the time-out.
         */
        return pbdma_error(ch, "CLEAR_FAULTED_ERROR: no fault to clear");
    case NVC46F_ILLEGAL:
        return pbdma_error(ch, "METHOD: ILLEGAL");
    default:
        return pbdma_error(ch, "METHOD: reserved host method");
    }
}
