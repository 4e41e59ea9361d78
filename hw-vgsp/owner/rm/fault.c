/*
 * Faults: the driver writes an error to the context's notifier when it takes
 * the channel from the chip ("robust channel"), and keeps the address of an
 * MMU fault until it is asked for.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "owner/rm/rm-int.h"

static const struct {
    uint32_t code;
    uint32_t kind;
    const char *name;
} codes[] = {
    { ROBUST_CHANNEL_FIFO_ERROR_IDLE_TIMEOUT, VGSP_OWNER_FAULT_TIMEOUT,
      "time-out" },
    { ROBUST_CHANNEL_GR_EXCEPTION, VGSP_OWNER_FAULT_EXCEPTION,
      "exception of the graphics engine" },
    { ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT, VGSP_OWNER_FAULT_MMU,
      "MMU fault" },
    { ROBUST_CHANNEL_PBDMA_ERROR, VGSP_OWNER_FAULT_EXCEPTION,
      "push buffer error" },
    { ROBUST_CHANNEL_RESETCHANNEL_VERIF_ERROR, VGSP_OWNER_FAULT_LOST,
      "channel reset" },
    { ROBUST_CHANNEL_PREEMPTIVE_REMOVAL, VGSP_OWNER_FAULT_LOST,
      "removed with another channel" },
    { ROBUST_CHANNEL_GR_ILLEGAL_REGISTER, VGSP_OWNER_FAULT_EXCEPTION,
      "privileged register written by a macro" },
    { ROBUST_CHANNEL_GR_CLASS_ERROR, VGSP_OWNER_FAULT_EXCEPTION,
      "class error" },
    { ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS, VGSP_OWNER_FAULT_LOST,
      "the GPU is gone" },
    { ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR, VGSP_OWNER_FAULT_TIMEOUT,
      "time-out of a context switch" },
};

bool rm_fault_look(const RmContext *ctx, uint32_t *code)
{
    const NvNotification *n = ctx->notifier.ptr;

    if (!__atomic_load_n(&n->status, __ATOMIC_ACQUIRE)) {
        return false;
    }
    *code = n->info32;
    return true;
}

void rm_fault_describe(RmContext *ctx, uint32_t code,
                       struct vgsp_owner_fault *fault)
{
    NV906F_CTRL_GET_MMU_FAULT_INFO_PARAMS info = { 0 };
    const char *name = "error";

    fault->kind = VGSP_OWNER_FAULT_EXCEPTION;
    fault->type = code;
    fault->valid |= VGSP_OWNER_FAULT_HAS_TYPE;
    for (unsigned i = 0; i < G_N_ELEMENTS(codes); i++) {
        if (codes[i].code == code) {
            fault->kind = codes[i].kind;
            name = codes[i].name;
        }
    }
    if (fault->kind != VGSP_OWNER_FAULT_MMU ||
        rm_control(ctx->rm, ctx->channel, NV906F_CTRL_CMD_GET_MMU_FAULT_INFO,
                   &info, sizeof(info)) < 0) {
        fault->valid &= ~(fault->kind == VGSP_OWNER_FAULT_MMU
                          ? VGSP_OWNER_FAULT_HAS_TYPE : 0u);
        rm_log(ctx->rm, "context %u: the driver ended it: %s (Xid %u)",
               ctx->id, name, code);
        return;
    }
    fault->type = info.faultType;
    fault->address = (uint64_t)info.addrHi << 32 | info.addrLo;
    fault->valid |= VGSP_OWNER_FAULT_HAS_ADDRESS;
    rm_log(ctx->rm, "context %u: the driver ended it: %s (Xid %u) at 0x%"
           G_GINT64_MODIFIER "x, type %u", ctx->id, name, code,
           (uint64_t)fault->address, fault->type);
}

void rm_fault_queue(RmContext *ctx, const struct vgsp_owner_fault *fault)
{
    RmFault *f = g_new(RmFault, 1);

    f->ctx = rm_context_ref(ctx);
    f->fault = *fault;
    f->fault.context = ctx->id;
    g_queue_push_tail(&ctx->rm->faults, f);
    rm_ring_kick(ctx->rm);
}
