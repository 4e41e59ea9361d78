/*
 * The silicon executor (owner/rm/rm.h) for the player.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "owner/rm/kinds.h"
#include "owner/rm/rm.h"
#include "replay/copy.h"
#include "replay/executor.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/host.h"
#include "vgsp/pushbuf.h"

#define DEVICE              "/dev/nvidia0"
#define HOPPER_DMA_COPY_A   0xc8b5
/* Z16, S8, S8Z24, ZF32_X24S8 and Z24S8: docs/silicon-gh100.md. */
#define DEPTH_KINDS         0x3e

/* Of the card that was opened last: it is asked once. */
static VgspKinds kinds;
static char *kinds_path;

typedef struct RmSide {
    VgspRm *rm;
    bool kinds_known;
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

static void rm_say(void *opaque, const char *line)
{
    (void)opaque;
    printf("# rm: %s\n", line);
}

static const VgspRmOps rm_ops = {
    .completed = rm_completed,
    .fault = rm_fault,
    .log = rm_say,
};

/* Asks the card, once. */
static bool know_kinds(const char *path)
{
    char *error = NULL;

    if (!kinds_path || strcmp(kinds_path, path)) {
        g_clear_pointer(&kinds_path, g_free);
        if (!vgsp_rm_kinds(path, &kinds, &error)) {
            rm_say(NULL, error);
            g_free(error);
            return false;
        }
        kinds_path = g_strdup(path);
    }
    return true;
}

static const VgspKinds *rm_kinds(void *ex)
{
    return ((RmSide *)ex)->kinds_known ? &kinds : NULL;
}

static void *rm_open(const VgspReplayConfig *config, char **error)
{
    RmSide *r = g_new0(RmSide, 1);
    VgspRmConfig rm = {
        .path = config->arg ? config->arg : DEVICE,
        .ops = &rm_ops,
        .opaque = r,
    };

    r->config = *config;
    r->rm = vgsp_rm_open(&rm, error);
    if (!r->rm) {
        g_free(r);
        return NULL;
    }
    r->kinds_known = know_kinds(rm.path);
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

static int rm_raw(void *ex, uint32_t context, const uint32_t *words,
                  uint32_t count, uint64_t seq)
{
    return vgsp_rm_submit_raw(((RmSide *)ex)->rm, context, words, count, seq);
}

/* The copy class of the chip, in place of Turing's. */
static uint32_t copy_class(RmSide *r)
{
    return strcmp(vgsp_rm_chip_name(r->rm), "GH100") ? TURING_DMA_COPY_A
                                                     : HOPPER_DMA_COPY_A;
}

static int rm_copy(void *ex, uint32_t context, const uint32_t *words,
                   uint32_t count, uint64_t seq)
{
    g_autofree uint32_t *out = g_memdup2(words, count * sizeof(*words));
    uint32_t pos = 0;
    VgspPushbuf pb;

    vgsp_pb_init(&pb);
    while (pos < count) {
        VgspPbRun run;
        size_t used;

        if (vgsp_pb_next(&pb, out + pos, count - pos, &used, &run) !=
                VGSP_PB_METHODS ||
            run.subchannel != VGSP_COPY_SUBCHANNEL) {
            return -EINVAL;
        }
        pos += used;
        if (run.method == NVC46F_SET_OBJECT / 4) {
            /* In place, whether it is the header's or a word of its own. */
            if (run.immediate || run.data[0] != TURING_DMA_COPY_A) {
                return -EINVAL;
            }
            out[pos] = copy_class(ex);
        } else if (run.method < NVC46F_HOST_METHODS_END / 4) {
            return -EINVAL;
        }
        pos += vgsp_pb_advance(&pb, run.count);
    }
    return vgsp_rm_submit_raw(((RmSide *)ex)->rm, context, out, count, seq);
}

static void rm_revoke(void *ex)
{
    vgsp_rm_revoke(((RmSide *)ex)->rm);
}

const VgspReplayExecutor vgsp_replay_rm = {
    .name = "rm",
    .hidden_kinds = DEPTH_KINDS,
    .kinds = rm_kinds,
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
    .copy = rm_copy,
    .raw = rm_raw,
    .revoke = rm_revoke,
};
