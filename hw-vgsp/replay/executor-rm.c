/*
 * The silicon executor (owner/rm/rm.h) for the player.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "owner/rm/rm.h"
#include "replay/executor.h"

#define DEVICE "/dev/nvidia0"

/* Programs that link no such executor say so. */
#pragma weak vgsp_rm_chip_name
#pragma weak vgsp_rm_clock_ns
#pragma weak vgsp_rm_close
#pragma weak vgsp_rm_context_del
#pragma weak vgsp_rm_context_kill
#pragma weak vgsp_rm_context_new
#pragma weak vgsp_rm_map
#pragma weak vgsp_rm_memory_add
#pragma weak vgsp_rm_memory_del
#pragma weak vgsp_rm_open
#pragma weak vgsp_rm_revoke
#pragma weak vgsp_rm_space_del
#pragma weak vgsp_rm_space_new
#pragma weak vgsp_rm_submit

typedef struct RmSide {
    VgspRm *rm;
    VgspReplayConfig config;
} RmSide;

static void rm_completed(void *opaque, uint32_t context, uint64_t seq)
{
    RmSide *r = opaque;

    r->config.events->completed(r->config.opaque, context, seq);
}

static void rm_fault(void *opaque, const struct vgsp_owner_fault *fault)
{
    RmSide *r = opaque;

    r->config.events->fault(r->config.opaque, fault);
}

static const VgspRmOps rm_ops = {
    .completed = rm_completed,
    .fault = rm_fault,
};

static void *rm_open(const VgspReplayConfig *config, char **error)
{
    RmSide *r = g_new0(RmSide, 1);
    VgspRmConfig rm = {
        .path = config->arg ? config->arg : DEVICE,
        .ops = &rm_ops,
        .opaque = r,
    };

    r->config = *config;
    if (!vgsp_rm_open) {
        *error = g_strdup("built without an executor for silicon");
    } else {
        r->rm = vgsp_rm_open(&rm, error);
    }
    if (!r->rm) {
        g_free(r);
        return NULL;
    }
    return r;
}

static void rm_close(void *ex)
{
    RmSide *r = ex;

    vgsp_rm_close(r->rm);
    g_free(r);
}

static const char *rm_chip(void *ex)
{
    return vgsp_rm_chip_name(((RmSide *)ex)->rm);
}

static uint64_t rm_clock_ns(void *ex)
{
    return vgsp_rm_clock_ns(((RmSide *)ex)->rm);
}

static int rm_memory_add(void *ex, void *host, uint64_t size, uint32_t *id)
{
    return vgsp_rm_memory_add(((RmSide *)ex)->rm, host, size, id);
}

static int rm_memory_del(void *ex, uint32_t id)
{
    return vgsp_rm_memory_del(((RmSide *)ex)->rm, id);
}

static int rm_space_new(void *ex, uint32_t *id)
{
    return vgsp_rm_space_new(((RmSide *)ex)->rm, id);
}

static int rm_space_del(void *ex, uint32_t id)
{
    return vgsp_rm_space_del(((RmSide *)ex)->rm, id);
}

static int rm_map(void *ex, uint32_t space,
                  const struct vgsp_owner_map_op *ops, size_t count)
{
    return vgsp_rm_map(((RmSide *)ex)->rm, space, ops, count);
}

static int rm_context_new(void *ex, uint32_t space, uint32_t *id)
{
    return vgsp_rm_context_new(((RmSide *)ex)->rm, space, 0, id);
}

static int rm_context_del(void *ex, uint32_t id)
{
    return vgsp_rm_context_del(((RmSide *)ex)->rm, id);
}

static int rm_context_kill(void *ex, uint32_t id, uint32_t kind)
{
    return vgsp_rm_context_kill(((RmSide *)ex)->rm, id, kind);
}

static int rm_submit(void *ex, uint32_t context, const uint32_t *words,
                     uint32_t count, uint64_t seq)
{
    return vgsp_rm_submit(((RmSide *)ex)->rm, context, words, count, seq);
}

static void rm_revoke(void *ex)
{
    vgsp_rm_revoke(((RmSide *)ex)->rm);
}

const VgspReplayExecutor vgsp_replay_rm = {
    .name = "rm",
    .open = rm_open,
    .close = rm_close,
    .chip = rm_chip,
    .clock_ns = rm_clock_ns,
    .memory_add = rm_memory_add,
    .memory_del = rm_memory_del,
    .space_new = rm_space_new,
    .space_del = rm_space_del,
    .map = rm_map,
    .context_new = rm_context_new,
    .context_del = rm_context_del,
    .context_kill = rm_context_kill,
    .submit = rm_submit,
    .revoke = rm_revoke,
};
