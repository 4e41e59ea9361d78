/*
 * owner=null: retires sections without executing them, so that a machine
 * without any engine can record what a guest submits. Nothing that the guest
 * computes is right: memory keeps what it held. "null:reversed" claims a chip
 * that reverses bytes in depth kinds, for tests of what the device does then.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "qemu/queue.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "owner/executor.h"

/* As many sections of a context may wait as the model takes. */
#define NULL_QUEUE_MAX  1024

typedef struct NullContext {
    uint32_t id;
    bool dead;
    uint64_t submitted, completed;
    unsigned queued;            /* since the last completion */
} NullContext;

typedef struct NullExecutor {
    VgspExecutor parent;
    VgspState *s;
    const VgspExecutorEvents *events;
    QEMUBH *bh;                 /* events come from it, never from a caller */
    QemuMutex lock;             /* for all below */
    GArray *contexts;           /* NullContext */
    GArray *faults;             /* struct vgsp_owner_fault, to be told */
    uint32_t next_context, next_space, next_memory;
    unsigned paused;
    VgspKinds kinds;
} NullExecutor;

static NullContext *null_context(NullExecutor *n, uint32_t id)
{
    for (guint i = 0; i < n->contexts->len; i++) {
        NullContext *c = &g_array_index(n->contexts, NullContext, i);

        if (c->id == id) {
            return c;
        }
    }
    return NULL;
}

/* Retires what was submitted. */
static void null_bh(void *opaque)
{
    NullExecutor *n = opaque;
    g_autoptr(GArray) done = g_array_new(false, false, sizeof(NullContext));
    g_autoptr(GArray) faults = NULL;

    WITH_QEMU_LOCK_GUARD(&n->lock) {
        faults = n->faults;
        n->faults = g_array_new(false, false, sizeof(struct vgsp_owner_fault));
        for (guint i = 0; i < n->contexts->len && !n->paused; i++) {
            NullContext *c = &g_array_index(n->contexts, NullContext, i);

            if (!c->dead && c->completed != c->submitted) {
                c->completed = c->submitted;
                c->queued = 0;
                g_array_append_val(done, *c);
            }
        }
    }
    for (guint i = 0; i < done->len; i++) {
        NullContext *c = &g_array_index(done, NullContext, i);

        n->events->completed(n->s, c->id, c->completed);
    }
    for (guint i = 0; i < faults->len; i++) {
        n->events->fault(n->s, &g_array_index(faults, struct vgsp_owner_fault,
                                              i));
    }
}

/*
 * Each 16 bytes in reverse, in every depth kind, and of a texel of ZF32_X24S8
 * no byte of X24.
 */
static void reverse_kinds(VgspKinds *kinds)
{
    for (unsigned k = NV_MMU_PTE_KIND_Z16; k <= NV_MMU_PTE_KIND_Z24S8; k++) {
        kinds->permuted |= 1u << k;
        for (unsigned i = 0; i < VGSP_KIND_BLOCK; i++) {
            bool kept = k != NV_MMU_PTE_KIND_ZF32_X24S8 || i % 8 < 5;

            kinds->order[k].place[i] = kept ? i ^ 15 : VGSP_KIND_NOWHERE;
        }
    }
}

static VgspExecutor *null_open(VgspState *s, const char *arg,
                               const VgspExecutorEvents *events,
                               VgspChip *chip, Error **errp)
{
    NullExecutor *n;

    if (!s->record) {
        error_setg(errp, "owner=null executes nothing: it serves recording "
                   "alone, and needs record=FILE");
        return NULL;
    }
    if (*arg && strcmp(arg, "reversed")) {
        error_setg(errp, "owner=null:%s is not known; use 'null' or "
                   "'null:reversed'", arg);
        return NULL;
    }
    n = g_new0(NullExecutor, 1);
    if (*arg) {
        reverse_kinds(&n->kinds);
        n->parent.kinds = &n->kinds;
    }
    n->parent.ops = &vgsp_executor_null;
    n->s = s;
    n->events = events;
    n->bh = qemu_bh_new(null_bh, n);
    qemu_mutex_init(&n->lock);
    n->contexts = g_array_new(false, false, sizeof(NullContext));
    n->faults = g_array_new(false, false, sizeof(struct vgsp_owner_fault));
    *chip = vgsp_chip_tu104;
    return &n->parent;
}

static void null_close(VgspExecutor *ex)
{
    NullExecutor *n = container_of(ex, NullExecutor, parent);

    qemu_bh_delete(n->bh);
    g_array_unref(n->contexts);
    g_array_unref(n->faults);
    qemu_mutex_destroy(&n->lock);
    g_free(n);
}

static uint64_t null_clock_ns(VgspExecutor *ex)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static int null_memory_add(VgspExecutor *ex, void *host, uint64_t size,
                           uint32_t *id)
{
    *id = ++container_of(ex, NullExecutor, parent)->next_memory;
    return 0;
}

static int null_space_new(VgspExecutor *ex, uint32_t *id)
{
    *id = ++container_of(ex, NullExecutor, parent)->next_space;
    return 0;
}

static int null_del(VgspExecutor *ex, uint32_t id)
{
    return 0;
}

static int null_map(VgspExecutor *ex, uint32_t space,
                    const struct vgsp_owner_map_op *ops, size_t count)
{
    return 0;
}

static int null_context_new(VgspExecutor *ex, uint32_t space,
                            enum vgsp_owner_engine engine,
                            uint32_t timeslice_us, uint32_t *id)
{
    NullExecutor *n = container_of(ex, NullExecutor, parent);
    NullContext c = { 0 };

    if (engine != VGSP_OWNER_ENGINE_GR) {
        return -EOPNOTSUPP;
    }
    QEMU_LOCK_GUARD(&n->lock);
    c.id = ++n->next_context;
    g_array_append_val(n->contexts, c);
    *id = c.id;
    return 0;
}

static int null_context_del(VgspExecutor *ex, uint32_t id)
{
    NullExecutor *n = container_of(ex, NullExecutor, parent);
    NullContext *c;

    QEMU_LOCK_GUARD(&n->lock);
    c = null_context(n, id);
    if (!c) {
        return -ENOENT;
    }
    g_array_remove_index_fast(n->contexts,
                              c - (NullContext *)n->contexts->data);
    return 0;
}

static int null_context_kill(VgspExecutor *ex, uint32_t id,
                             enum vgsp_owner_fault_kind kind)
{
    NullExecutor *n = container_of(ex, NullExecutor, parent);
    struct vgsp_owner_fault fault = { .context = id, .kind = kind };
    NullContext *c;

    QEMU_LOCK_GUARD(&n->lock);
    c = null_context(n, id);
    if (!c) {
        return -ENOENT;
    }
    if (!c->dead) {
        c->dead = true;
        fault.seq = c->submitted;
        g_array_append_val(n->faults, fault);
        qemu_bh_schedule(n->bh);
    }
    return 0;
}

static int null_submit(VgspExecutor *ex, uint32_t context,
                       const uint32_t *words, uint32_t count, uint64_t seq)
{
    NullExecutor *n = container_of(ex, NullExecutor, parent);
    NullContext *c;

    QEMU_LOCK_GUARD(&n->lock);
    c = null_context(n, context);
    if (!c) {
        return -ENOENT;
    }
    if (c->dead) {
        return -EIO;
    }
    if (c->queued == NULL_QUEUE_MAX) {
        return -EAGAIN;
    }
    c->queued++;
    c->submitted = seq;
    qemu_bh_schedule(n->bh);
    return 0;
}

static void null_pause(VgspExecutor *ex)
{
    NullExecutor *n = container_of(ex, NullExecutor, parent);

    QEMU_LOCK_GUARD(&n->lock);
    n->paused++;
}

static void null_resume(VgspExecutor *ex)
{
    NullExecutor *n = container_of(ex, NullExecutor, parent);

    QEMU_LOCK_GUARD(&n->lock);
    n->paused--;
    qemu_bh_schedule(n->bh);
}

static void null_revoke(VgspExecutor *ex)
{
    NullExecutor *n = container_of(ex, NullExecutor, parent);

    QEMU_LOCK_GUARD(&n->lock);
    g_array_set_size(n->contexts, 0);
    g_array_set_size(n->faults, 0);
}

const VgspExecutorOps vgsp_executor_null = {
    .name = "null",
    .caveat = "nothing is executed; memory contents are meaningless",
    .open = null_open,
    .close = null_close,
    .clock_ns = null_clock_ns,
    .memory_add = null_memory_add,
    .memory_del = null_del,
    .space_new = null_space_new,
    .space_del = null_del,
    .map = null_map,
    .context_new = null_context_new,
    .context_del = null_context_del,
    .context_kill = null_context_kill,
    .submit = null_submit,
    .pause = null_pause,
    .resume = null_resume,
    .revoke = null_revoke,
};
