/*
 * The executor over NVIDIA's stock host driver, "owner=rm:/dev/nvidia0": what
 * the guest submits runs on the card behind that node. The work is done by the
 * library of owner/rm; this is its place in the device.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/atomic.h"
#include "qemu/error-report.h"
#include "owner/executor.h"
#include "owner/rm/kinds.h"
#include "owner/rm/rm.h"
#include "trace.h"

/* A guest that makes errors shall not fill the host's log. */
#define RM_LINES_MAX    32

typedef struct RmExecutor {
    VgspExecutor parent;
    VgspState *s;
    const VgspExecutorEvents *events;
    VgspRm *rm;
    VgspKinds kinds;
    unsigned lines;             /* atomic: said so far */
} RmExecutor;

/* ---- From the library ---- */

static void rm_completed(void *opaque, uint32_t context, uint64_t seq)
{
    RmExecutor *r = opaque;

    r->events->completed(r->s, context, seq);
}

static void rm_interrupt(void *opaque, uint32_t context)
{
    RmExecutor *r = opaque;

    r->events->interrupt(r->s, context);
}

static void rm_fault(void *opaque, const struct vgsp_owner_fault *fault)
{
    RmExecutor *r = opaque;

    r->events->fault(r->s, fault);
}

static void rm_line(void *opaque, const char *line)
{
    RmExecutor *r = opaque;
    unsigned n = qatomic_fetch_inc(&r->lines);

    trace_vgsp_owner_rm(line);
    if (n < RM_LINES_MAX) {
        warn_report("vgsp-gpu: owner=rm: %s", line);
    } else if (n == RM_LINES_MAX) {
        warn_report("vgsp-gpu: owner=rm: more, which only the trace event "
                    "vgsp_owner_rm shows");
    }
}

static const VgspRmOps rm_ops = {
    .completed = rm_completed,
    .interrupt = rm_interrupt,
    .fault = rm_fault,
    .log = rm_line,
};

/* ---- The executor ---- */

static VgspExecutor *rm_open(VgspState *s, const char *arg,
                             const VgspExecutorEvents *events, VgspChip *chip,
                             Error **errp)
{
    g_autofree char *error = NULL, *unknown = NULL;
    RmExecutor *r = g_new0(RmExecutor, 1);
    VgspRmConfig config = { .path = arg, .ops = &rm_ops, .opaque = r };

    r->parent.ops = &vgsp_executor_rm;
    r->s = s;
    r->events = events;
    vgsp_rm_kinds(arg, &r->kinds, &unknown);
    r->rm = vgsp_rm_open(&config, &error);
    if (!r->rm) {
        error_setg(errp, "owner=rm:%s: %s", arg, error);
        g_free(r);
        return NULL;
    }
    trace_vgsp_owner_kinds(r->kinds.permuted);
    if (unknown) {
        warn_report("vgsp-gpu: owner=rm: depth surfaces are copied wrong: %s",
                    unknown);
    }
    if (r->kinds.permuted) {
        r->parent.kinds = &r->kinds;
    }
    vgsp_rm_chip(r->rm, chip);
    return &r->parent;
}

static VgspRm *rm_of(VgspExecutor *ex)
{
    return container_of(ex, RmExecutor, parent)->rm;
}

static void rm_close(VgspExecutor *ex)
{
    vgsp_rm_close(rm_of(ex));
    g_free(container_of(ex, RmExecutor, parent));
}

static uint64_t rm_clock_ns(VgspExecutor *ex)
{
    return vgsp_rm_clock_ns(rm_of(ex));
}

static int rm_memory_add(VgspExecutor *ex, void *host, uint64_t size,
                         uint32_t *id)
{
    return vgsp_rm_memory_add(rm_of(ex), host, size, id);
}

static int rm_memory_del(VgspExecutor *ex, uint32_t id)
{
    return vgsp_rm_memory_del(rm_of(ex), id);
}

static int rm_space_new(VgspExecutor *ex, uint32_t *id)
{
    return vgsp_rm_space_new(rm_of(ex), id);
}

static int rm_space_del(VgspExecutor *ex, uint32_t id)
{
    return vgsp_rm_space_del(rm_of(ex), id);
}

static int rm_map(VgspExecutor *ex, uint32_t space,
                  const struct vgsp_owner_map_op *ops, size_t count)
{
    return vgsp_rm_map(rm_of(ex), space, ops, count);
}

/* Copies are the device's own work. */
static int rm_context_new(VgspExecutor *ex, uint32_t space,
                          enum vgsp_owner_engine engine,
                          uint32_t timeslice_us, uint32_t *id)
{
    if (engine != VGSP_OWNER_ENGINE_GR) {
        return -EOPNOTSUPP;
    }
    return vgsp_rm_context_new(rm_of(ex), space, timeslice_us, id);
}

static int rm_context_del(VgspExecutor *ex, uint32_t id)
{
    return vgsp_rm_context_del(rm_of(ex), id);
}

static int rm_context_kill(VgspExecutor *ex, uint32_t id,
                           enum vgsp_owner_fault_kind kind)
{
    return vgsp_rm_context_kill(rm_of(ex), id, kind);
}

static bool rm_context_hold(VgspExecutor *ex, uint32_t id, bool hold)
{
    return vgsp_rm_context_hold(rm_of(ex), id, hold) != -EBUSY;
}

static int rm_submit(VgspExecutor *ex, uint32_t context, const uint32_t *words,
                     uint32_t count, uint64_t seq)
{
    return vgsp_rm_submit(rm_of(ex), context, words, count, seq);
}

static void rm_pause(VgspExecutor *ex)
{
    vgsp_rm_pause(rm_of(ex));
}

static void rm_resume(VgspExecutor *ex)
{
    vgsp_rm_unpause(rm_of(ex));
}

static void rm_revoke(VgspExecutor *ex)
{
    vgsp_rm_revoke(rm_of(ex));
}

const VgspExecutorOps vgsp_executor_rm = {
    .name = "rm",
    .pins_memory = true,
    .open = rm_open,
    .close = rm_close,
    .clock_ns = rm_clock_ns,
    .memory_add = rm_memory_add,
    .memory_del = rm_memory_del,
    .space_new = rm_space_new,
    .space_del = rm_space_del,
    .map = rm_map,
    .context_new = rm_context_new,
    .context_del = rm_context_del,
    .context_kill = rm_context_kill,
    .context_hold = rm_context_hold,
    .submit = rm_submit,
    .pause = rm_pause,
    .resume = rm_resume,
    .revoke = rm_revoke,
};
