/*
 * Contexts: a channel of Turing's class in a group and an address space of
 * its own, with the engine's classes, its ring, and the page to which the
 * driver writes errors. The channel is unprivileged, whoever runs this.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "owner/rm/rm-int.h"

/*
 * The driver makes the channels of a caller with CAP_SYS_ADMIN privileged.
 * This thread does without while it makes one. The argument keeps what it had.
 */
typedef struct RmCaps {
    struct __user_cap_header_struct header;
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
    bool changed;
} RmCaps;

static int caps_drop(RmCaps *caps)
{
    struct __user_cap_data_struct less[_LINUX_CAPABILITY_U32S_3];

    caps->changed = false;
    caps->header.version = _LINUX_CAPABILITY_VERSION_3;
    caps->header.pid = 0;
    if (syscall(SYS_capget, &caps->header, caps->data) < 0) {
        return -errno;
    }
    if (!(caps->data[0].effective & CAP_TO_MASK(CAP_SYS_ADMIN))) {
        return 0;
    }
    memcpy(less, caps->data, sizeof(less));
    less[0].effective &= ~CAP_TO_MASK(CAP_SYS_ADMIN);
    if (syscall(SYS_capset, &caps->header, less) < 0) {
        return -errno;
    }
    caps->changed = true;
    return 0;
}

static void caps_restore(RmCaps *caps)
{
    if (caps->changed) {
        (void)!syscall(SYS_capset, &caps->header, caps->data);
    }
}

/* ---- The driver's objects ---- */

static int make_memory(RmContext *ctx)
{
    VgspRm *rm = ctx->rm;
    int ret = rm_memory_system(rm, RM_PAGE, &ctx->notifier_memory,
                               &ctx->notifier);

    if (ret == 0) {
        ret = rm_memory_system(rm, RM_PAGE, &ctx->userd_memory, &ctx->userd);
    }
    if (ret == 0) {
        ret = rm_memory_system(rm, RM_RING_SIZE, &ctx->ring_memory,
                               &ctx->ring);
    }
    if (ret == 0) {
        ret = rm_space_slot(ctx->space, &ctx->va);
        if (ret < 0) {
            ctx->va = 0;
            return ret;
        }
        ret = rm_space_map_fixed(ctx->space, ctx->space->window,
                                 ctx->ring_memory, 0, RM_RING_SIZE, ctx->va,
                                 0, 0, false);
        ctx->mapped = ret == 0;
        rm_ring_init(ctx);
    }
    return ret;
}

static int make_channel(RmContext *ctx)
{
    VgspRm *rm = ctx->rm;
    const uint32_t classes[G_N_ELEMENTS(ctx->objects)] = {
        rm->chip->threed, rm->chip->compute, KEPLER_INLINE_TO_MEMORY_B,
        FERMI_TWOD_A,
    };
    RmAllocParams p = {
        .group = {
            .hObjectError = ctx->notifier_memory,
            .hVASpace = ctx->space->vaspace,
            .engineType = NV2080_ENGINE_TYPE_GR0,
        },
    };
    int ret = rm_alloc(rm, rm->device, &ctx->group, KEPLER_CHANNEL_GROUP_A,
                       &p);

    if (ret == 0) {
        p = (RmAllocParams) { .share = { .hVASpace = ctx->space->vaspace } };
        ret = rm_alloc(rm, ctx->group, &ctx->share, FERMI_CONTEXT_SHARE_A,
                       &p);
    }
    if (ret == 0) {
        p = (RmAllocParams) {
            .channel = {
                .hObjectError = ctx->notifier_memory,
                .gpFifoOffset = ctx->va,
                .gpFifoEntries = RM_RING_ENTRIES,
                .hContextShare = ctx->share,
                .hUserdMemory = { ctx->userd_memory },
                .engineType = NV2080_ENGINE_TYPE_GR0,
            },
        };
        ret = rm_alloc(rm, ctx->group, &ctx->channel, TURING_CHANNEL_GPFIFO_A,
                       &p);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(classes) && ret == 0; i++) {
        ret = rm_alloc(rm, ctx->channel, &ctx->objects[i], classes[i], NULL);
    }
    return ret;
}

static int start_channel(RmContext *ctx, uint32_t timeslice_us)
{
    VgspRm *rm = ctx->rm;
    NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS token = { 0 };
    NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS schedule = { .bEnable = 1 };
    NVA06C_CTRL_TIMESLICE_PARAMS slice = { .timesliceUs = timeslice_us };
    int ret;

    /* The driver may refuse a slice; its own is as good. */
    if (timeslice_us) {
        rm_control(rm, ctx->group, NVA06C_CTRL_CMD_SET_TIMESLICE, &slice,
                   sizeof(slice));
    }
    ret = rm_control(rm, ctx->channel,
                     NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN, &token,
                     sizeof(token));
    ctx->token = token.workSubmitToken;
    if (ret == 0) {
        ret = rm_control(rm, ctx->group, NVA06C_CTRL_CMD_GPFIFO_SCHEDULE,
                         &schedule, rm->release->schedule_size);
    }
    return ret;
}

void rm_context_down(RmContext *ctx)
{
    VgspRm *rm = ctx->rm;

    /* Freeing the channel takes it from the chip and waits for that. */
    for (unsigned i = G_N_ELEMENTS(ctx->objects); i-- > 0;) {
        rm_free(rm, ctx->channel, &ctx->objects[i]);
    }
    rm_free(rm, ctx->group, &ctx->channel);
    rm_free(rm, ctx->group, &ctx->share);
    rm_free(rm, rm->device, &ctx->group);
}

/* After rm_context_down(); the space's lock is held. */
static void free_memory(RmContext *ctx)
{
    VgspRm *rm = ctx->rm;

    if (ctx->mapped) {
        rm_space_unmap_fixed(ctx->space, ctx->space->window, ctx->ring_memory,
                             ctx->va, false);
    }
    if (ctx->va) {
        rm_space_slot_free(ctx->space, ctx->va);
    }
    rm_unmap_cpu(rm, rm->device, &ctx->ring);
    rm_unmap_cpu(rm, rm->device, &ctx->userd);
    rm_unmap_cpu(rm, rm->device, &ctx->notifier);
    rm_free(rm, rm->device, &ctx->ring_memory);
    rm_free(rm, rm->device, &ctx->userd_memory);
    rm_free(rm, rm->device, &ctx->notifier_memory);
    ctx->va = 0;
    ctx->mapped = false;
}

/* ---- Contexts ---- */

RmContext *rm_context_ref(RmContext *ctx)
{
    g_atomic_int_inc(&ctx->refs);
    return ctx;
}

void rm_context_unref(RmContext *ctx)
{
    if (g_atomic_int_dec_and_test(&ctx->refs)) {
        g_queue_clear_full(&ctx->queue, g_free);
        g_array_free(ctx->out, true);
        g_free(ctx->failing);
        g_free(ctx);
    }
}

static RmContext *context_new(RmSpace *s, uint32_t timeslice_us, int *error)
{
    RmContext *ctx = g_new0(RmContext, 1);
    GArray *taken = g_array_new(false, false, sizeof(NvHandle));
    RmCaps caps;

    ctx->refs = 1;
    ctx->rm = s->rm;
    ctx->space = s;
    g_queue_init(&ctx->queue);
    ctx->out = g_array_new(false, false, sizeof(uint32_t));

    *error = caps_drop(&caps);
    if (*error == 0) {
        *error = make_memory(ctx);
    }
    if (*error == 0) {
        rm_own_steer(s, taken);
        *error = make_channel(ctx);
        rm_own_steer_end(s, taken);
    }
    if (*error == 0) {
        *error = start_channel(ctx, timeslice_us);
    }
    caps_restore(&caps);
    g_array_free(taken, true);
    if (*error < 0) {
        rm_context_down(ctx);
        free_memory(ctx);
        rm_context_unref(ctx);
        return NULL;
    }
    if (s->code) {
        ctx->translate = vgsp_translate_new(s->code);
    }
    g_ptr_array_add(s->contexts, ctx);
    return ctx;
}

static RmContext *context_find(VgspRm *rm, uint32_t id)
{
    return g_hash_table_lookup(rm->contexts, GUINT_TO_POINTER(id));
}

int vgsp_rm_context_new(VgspRm *rm, uint32_t space, uint32_t timeslice_us,
                        uint32_t *id)
{
    RmContext *ctx = NULL;
    int ret = -ENOENT;
    RmSpace *s;

    g_rw_lock_reader_lock(&rm->table);
    s = g_hash_table_lookup(rm->spaces, GUINT_TO_POINTER(space));
    if (s) {
        g_mutex_lock(&s->lock);
        ctx = context_new(s, timeslice_us, &ret);
        g_mutex_unlock(&s->lock);
    }
    g_rw_lock_reader_unlock(&rm->table);
    if (ctx) {
        /* The space stays: it has a context. */
        g_rw_lock_writer_lock(&rm->table);
        ctx->id = *id = ++rm->ids;
        g_hash_table_insert(rm->contexts, GUINT_TO_POINTER(ctx->id), ctx);
        rm_ring_add(ctx);
        g_rw_lock_writer_unlock(&rm->table);
    }
    return ret;
}

/* It is in no table any more. */
static void context_end(RmContext *ctx)
{
    RmSpace *s = ctx->space;

    rm_ring_remove(ctx);
    g_mutex_lock(&s->lock);
    rm_context_down(ctx);
    free_memory(ctx);
    if (ctx->translate) {
        vgsp_translate_free(ctx->translate);
    }
    g_ptr_array_remove(s->contexts, ctx);
    g_mutex_unlock(&s->lock);
    rm_context_unref(ctx);
}

int vgsp_rm_context_del(VgspRm *rm, uint32_t id)
{
    RmContext *ctx;

    g_rw_lock_writer_lock(&rm->table);
    ctx = context_find(rm, id);
    if (ctx) {
        g_hash_table_remove(rm->contexts, GUINT_TO_POINTER(id));
    }
    g_rw_lock_writer_unlock(&rm->table);
    if (!ctx) {
        return -ENOENT;
    }
    context_end(ctx);
    return 0;
}

int vgsp_rm_context_kill(VgspRm *rm, uint32_t id, uint32_t kind)
{
    struct vgsp_owner_fault fault = { .kind = kind };
    RmContext *ctx;
    bool was;

    g_rw_lock_reader_lock(&rm->table);
    ctx = context_find(rm, id);
    if (ctx) {
        g_mutex_lock(&ctx->space->lock);
        g_mutex_lock(&rm->ring_lock);
        fault.seq = rm_ring_running(ctx);
        was = ctx->dead;
        __atomic_store_n(&ctx->dead, true, __ATOMIC_RELAXED);
        g_mutex_unlock(&rm->ring_lock);
        rm_context_down(ctx);
        if (!was) {
            g_mutex_lock(&rm->ring_lock);
            rm_fault_queue(ctx, &fault);
            g_mutex_unlock(&rm->ring_lock);
        }
        g_mutex_unlock(&ctx->space->lock);
    }
    g_rw_lock_reader_unlock(&rm->table);
    return ctx ? 0 : -ENOENT;
}

void vgsp_rm_revoke(VgspRm *rm)
{
    GHashTableIter iter;
    gpointer object;

    g_rw_lock_writer_lock(&rm->table);
    g_hash_table_iter_init(&iter, rm->contexts);
    while (g_hash_table_iter_next(&iter, NULL, &object)) {
        g_hash_table_iter_remove(&iter);
        context_end(object);
    }
    g_hash_table_iter_init(&iter, rm->spaces);
    while (g_hash_table_iter_next(&iter, NULL, &object)) {
        g_hash_table_iter_remove(&iter);
        rm_space_free(object);
    }
    g_hash_table_iter_init(&iter, rm->memories);
    while (g_hash_table_iter_next(&iter, NULL, &object)) {
        g_hash_table_iter_remove(&iter);
        rm_memory_free(rm, object);
    }
    g_rw_lock_writer_unlock(&rm->table);
}
