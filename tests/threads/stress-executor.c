/*
 * See stress-executor.h. Contexts are slots whose ids are never reused, so that
 * an event of a deleted one would show.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/queue.h"
#include "qemu/thread.h"
#include "vgsp/nv/threed.h"
#include "vgsp/section.h"
#include "owner/shadow.h"
#include "stress-executor.h"

#define QUEUE_MAX 6

typedef struct Section {
    uint32_t context;
    uint64_t seq;
    uint32_t count;
    uint32_t *words;
    QSIMPLEQ_ENTRY(Section) next;
} Section;

typedef struct StressExecutor {
    VgspExecutor ex;
    VgspState *s;
    void (*write)(uint64_t va, uint32_t v);
    QemuThread thread;
    QemuMutex lock;
    QemuCond work, left;
    bool exiting;
    unsigned paused;
    uint32_t running;           /* context, 0: none */
    unsigned queued;
    uint32_t next_context;
    GHashTable *contexts;       /* id -> kill: 0, or fault kind + 1 */
    QSIMPLEQ_HEAD(, Section) queue;
    uint64_t retired;
    uint32_t seed;
} StressExecutor;

static StressExecutor *stress(VgspExecutor *ex)
{
    return container_of(ex, StressExecutor, ex);
}

static void section_free(Section *sec)
{
    g_free(sec->words);
    g_free(sec);
}

/* False: it ends in a fault; *hang: not at all. */
static bool perform(StressExecutor *se, const Section *sec, bool *hang)
{
    uint32_t report[3] = { 0 };
    VgspPushbuf pb;
    size_t pos = 0;
    bool ok = true;

    vgsp_pb_init(&pb);
    *hang = false;
    while (pos < sec->count) {
        VgspPbRun run;
        size_t used;

        if (vgsp_pb_next(&pb, sec->words + pos, sec->count - pos, &used,
                         &run) != VGSP_PB_METHODS) {
            break;
        }
        pos += used;
        for (uint32_t i = 0; i < run.count; i++) {
            uint32_t method = vgsp_pb_run_method(&run, i) * 4;

            if (method >= NVC597_SET_REPORT_SEMAPHORE_A &&
                method < NVC597_SET_REPORT_SEMAPHORE_D) {
                report[(method - NVC597_SET_REPORT_SEMAPHORE_A) / 4] =
                    run.data[i];
            } else if (method == NVC597_SET_REPORT_SEMAPHORE_D) {
                se->write(report[1], report[2]);
            } else if (method == 0x100) {
                ok &= run.data[i] != STRESS_FAULT;
                *hang |= run.data[i] == STRESS_HANG;
            }
        }
        pos += vgsp_pb_advance(&pb, run.count);
    }
    return ok;
}

/* Ends what @kill asks for. The lock is held. */
static void context_fault(StressExecutor *se, uint32_t context, uint32_t kind,
                          uint64_t seq)
{
    struct vgsp_owner_fault f = {
        .context = context, .kind = kind, .seq = seq,
    };
    Section *sec, *tmp;

    g_hash_table_remove(se->contexts, GUINT_TO_POINTER(context));
    QSIMPLEQ_FOREACH_SAFE(sec, &se->queue, next, tmp) {
        if (sec->context == context) {
            QSIMPLEQ_REMOVE(&se->queue, sec, Section, next);
            se->queued--;
            section_free(sec);
        }
    }
    qemu_mutex_unlock(&se->lock);
    vgsp_host_events.fault(se->s, &f);
    qemu_mutex_lock(&se->lock);
}

static void run_section(StressExecutor *se, Section *sec)
{
    uint32_t context = sec->context;
    bool ok, hang;

    se->running = context;
    qemu_mutex_unlock(&se->lock);
    se->seed = se->seed * 1664525 + 1013904223;
    if (!(se->seed >> 28)) {
        g_usleep(200);
    }
    ok = perform(se, sec, &hang);
    qemu_mutex_lock(&se->lock);
    while (hang && !se->exiting) {
        gpointer kill = NULL;

        if (!g_hash_table_lookup_extended(se->contexts,
                                          GUINT_TO_POINTER(context), NULL,
                                          &kill) || kill) {
            break;
        }
        /* Preempted, so that who waits for a slice can go on. */
        se->running = 0;
        qemu_cond_broadcast(&se->left);
        qemu_cond_timedwait(&se->work, &se->lock, 1);
        se->running = context;
    }
    if (g_hash_table_contains(se->contexts, GUINT_TO_POINTER(context))) {
        uint32_t kill = GPOINTER_TO_UINT(
            g_hash_table_lookup(se->contexts, GUINT_TO_POINTER(context)));

        if (kill || !ok) {
            context_fault(se, context,
                          kill ? kill - 1 : VGSP_OWNER_FAULT_EXCEPTION,
                          sec->seq);
        } else {
            se->retired++;
            qemu_mutex_unlock(&se->lock);
            vgsp_host_events.interrupt(se->s, context);
            vgsp_host_events.completed(se->s, context, sec->seq);
            qemu_mutex_lock(&se->lock);
        }
    }
    se->running = 0;
    qemu_cond_broadcast(&se->left);
    section_free(sec);
}

static void *stress_thread(void *opaque)
{
    StressExecutor *se = opaque;

    qemu_mutex_lock(&se->lock);
    while (!se->exiting) {
        Section *sec = se->paused ? NULL : QSIMPLEQ_FIRST(&se->queue);

        if (!sec) {
            qemu_cond_wait(&se->work, &se->lock);
            continue;
        }
        QSIMPLEQ_REMOVE_HEAD(&se->queue, next);
        se->queued--;
        run_section(se, sec);
    }
    qemu_mutex_unlock(&se->lock);
    return NULL;
}

static int context_new(VgspExecutor *ex, uint32_t space,
                       enum vgsp_owner_engine engine, uint32_t timeslice_us,
                       uint32_t *id)
{
    StressExecutor *se = stress(ex);

    QEMU_LOCK_GUARD(&se->lock);
    *id = ++se->next_context;
    g_hash_table_insert(se->contexts, GUINT_TO_POINTER(*id), NULL);
    return 0;
}

static int context_del(VgspExecutor *ex, uint32_t id)
{
    StressExecutor *se = stress(ex);
    Section *sec, *tmp;

    QEMU_LOCK_GUARD(&se->lock);
    QSIMPLEQ_FOREACH_SAFE(sec, &se->queue, next, tmp) {
        if (sec->context == id) {
            QSIMPLEQ_REMOVE(&se->queue, sec, Section, next);
            se->queued--;
            section_free(sec);
        }
    }
    if (!g_hash_table_remove(se->contexts, GUINT_TO_POINTER(id))) {
        return -ENOENT;
    }
    qemu_cond_broadcast(&se->work);
    while (se->running == id) {
        qemu_cond_wait(&se->left, &se->lock);
    }
    return 0;
}

static int context_kill(VgspExecutor *ex, uint32_t id,
                        enum vgsp_owner_fault_kind kind)
{
    StressExecutor *se = stress(ex);

    QEMU_LOCK_GUARD(&se->lock);
    if (!g_hash_table_contains(se->contexts, GUINT_TO_POINTER(id))) {
        return -ENOENT;
    }
    g_hash_table_replace(se->contexts, GUINT_TO_POINTER(id),
                         GUINT_TO_POINTER(kind + 1));
    qemu_cond_broadcast(&se->work);
    return 0;
}

static int submit(VgspExecutor *ex, uint32_t context, const uint32_t *words,
                  uint32_t count, uint64_t seq)
{
    static const uint32_t cls[VGSP_SECTION_SUBCHANNELS] = {
        0xc597, 0xc5c0, 0xa140, 0x902d
    };
    StressExecutor *se = stress(ex);
    Section *sec;
    uint32_t bad;

    g_assert_true(vgsp_section_check(words, count, cls, &bad));
    QEMU_LOCK_GUARD(&se->lock);
    if (!g_hash_table_contains(se->contexts, GUINT_TO_POINTER(context))) {
        return -EIO;
    }
    if (se->queued >= QUEUE_MAX) {
        return -EAGAIN;
    }
    sec = g_new0(Section, 1);
    sec->context = context;
    sec->seq = seq;
    sec->count = count;
    sec->words = g_memdup2(words, count * 4);
    QSIMPLEQ_INSERT_TAIL(&se->queue, sec, next);
    se->queued++;
    qemu_cond_broadcast(&se->work);
    return 0;
}

static void executor_pause(VgspExecutor *ex)
{
    StressExecutor *se = stress(ex);

    QEMU_LOCK_GUARD(&se->lock);
    se->paused++;
    while (se->running) {
        qemu_cond_wait(&se->left, &se->lock);
    }
}

static void executor_resume(VgspExecutor *ex)
{
    StressExecutor *se = stress(ex);

    QEMU_LOCK_GUARD(&se->lock);
    g_assert(se->paused--);
    qemu_cond_broadcast(&se->work);
}

static const VgspExecutorOps ops = {
    .name = "stress",
    .context_new = context_new,
    .context_del = context_del,
    .context_kill = context_kill,
    .submit = submit,
    .pause = executor_pause,
    .resume = executor_resume,
};

VgspExecutor *stress_executor_new(VgspState *s,
                                  void (*write)(uint64_t va, uint32_t v))
{
    StressExecutor *se = g_new0(StressExecutor, 1);

    se->ex.ops = &ops;
    se->s = s;
    se->write = write;
    se->contexts = g_hash_table_new(NULL, NULL);
    QSIMPLEQ_INIT(&se->queue);
    qemu_mutex_init(&se->lock);
    qemu_cond_init(&se->work);
    qemu_cond_init(&se->left);
    qemu_thread_create(&se->thread, "stress", stress_thread, se,
                       QEMU_THREAD_JOINABLE);
    return &se->ex;
}

void stress_executor_free(VgspExecutor *ex)
{
    StressExecutor *se = stress(ex);

    WITH_QEMU_LOCK_GUARD(&se->lock) {
        se->exiting = true;
        qemu_cond_broadcast(&se->work);
    }
    qemu_thread_join(&se->thread);
    g_assert_cmpuint(g_hash_table_size(se->contexts), ==, 0);
    g_assert_true(QSIMPLEQ_EMPTY(&se->queue));
    g_hash_table_destroy(se->contexts);
    g_free(se);
}

uint64_t stress_executor_retired(VgspExecutor *ex)
{
    return stress(ex)->retired;
}

/* ---- Stand-ins for shadow spaces ---- */

VgspShadow *vgsp_shadow_get(VgspState *s, const VgspPdb *pdb, Error **errp)
{
    return g_malloc0(1);
}

void vgsp_shadow_put(VgspShadow *shadow)
{
    g_free(shadow);
}

uint32_t vgsp_shadow_space(const VgspShadow *shadow)
{
    return 1;
}
