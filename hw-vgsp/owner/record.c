/*
 * record=FILE: the recorder, an executor between the device and the one that
 * runs the work. design.md section 8; the format is docs/recording.md's.
 *
 * Sections are handed on one at a time, by a thread of the recorder, so that
 * the memory before and after each is that section's alone.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/queue.h"
#include "qemu/thread.h"
#include "owner/executor.h"
#include "replay/recorder.h"
#include "trace.h"

/* Sections that may wait, of all contexts: as many as one has at the model. */
#define RECORD_QUEUE_MAX    1024
#define RECORD_WORDS_MAX    (4 << 20)

typedef struct RecordSection {
    QTAILQ_ENTRY(RecordSection) next;
    uint32_t context;
    uint64_t seq;
    uint32_t count;
    uint32_t words[];
} RecordSection;

typedef struct RecordFault {
    QTAILQ_ENTRY(RecordFault) next;
    struct vgsp_owner_fault fault;
} RecordFault;

typedef struct RecordExecutor {
    VgspExecutor parent;
    VgspState *s;
    const VgspExecutorEvents *events;
    VgspExecutor *inner;
    VgspRecorder *recorder;
    bool complained;            /* thread's */
    QemuThread thread;

    QemuMutex lock;             /* for all below */
    QemuCond cond;
    QTAILQ_HEAD(, RecordSection) queue;
    unsigned queued;
    size_t queued_words;
    RecordSection *current;     /* with the executor, or about to be */
    bool completed;             /* ... it has retired */
    bool abandoned;             /* ... its context is going away */
    /* Of any context; the thread passes them on, in order. */
    QTAILQ_HEAD(, RecordFault) faults;
    bool telling;               /* it is about to */
    bool quit;
} RecordExecutor;

static RecordExecutor *record_of(VgspExecutor *ex)
{
    return container_of(ex, RecordExecutor, parent);
}

/* ---- Events of the executor ---- */

static void record_completed(VgspState *s, uint32_t context, uint64_t seq)
{
    RecordExecutor *r = record_of(s->executor);

    QEMU_LOCK_GUARD(&r->lock);
    if (r->current && r->current->context == context &&
        r->current->seq <= seq) {
        r->completed = true;
        qemu_cond_broadcast(&r->cond);
    }
}

static void record_interrupt(VgspState *s, uint32_t context)
{
    RecordExecutor *r = record_of(s->executor);

    r->events->interrupt(s, context);
}

/*
 * A context may die at any time: while its section runs, after that has
 * retired and is being saved, or while it waits for others. So the thread has
 * each fault, and decides where in the file it belongs.
 */
static void record_fault(VgspState *s, const struct vgsp_owner_fault *fault)
{
    RecordExecutor *r = record_of(s->executor);
    RecordFault *f = g_new(RecordFault, 1);

    f->fault = *fault;
    QEMU_LOCK_GUARD(&r->lock);
    QTAILQ_INSERT_TAIL(&r->faults, f, next);
    qemu_cond_broadcast(&r->cond);
}

static const VgspExecutorEvents record_events = {
    .completed = record_completed,
    .interrupt = record_interrupt,
    .fault = record_fault,
};

/* ---- The thread ---- */

static void record_unqueue(RecordExecutor *r, RecordSection *sec)
{
    QTAILQ_REMOVE(&r->queue, sec, next);
    r->queued--;
    r->queued_words -= sec->count;
}

/* Writes and passes on the first fault. The lock is held, but not all along. */
static void record_tell(RecordExecutor *r)
{
    RecordFault *f = QTAILQ_FIRST(&r->faults);

    QTAILQ_REMOVE(&r->faults, f, next);
    r->telling = true;
    qemu_mutex_unlock(&r->lock);
    vgsp_recorder_fault(r->recorder, &f->fault);
    r->events->fault(r->s, &f->fault);
    g_free(f);
    qemu_mutex_lock(&r->lock);
    r->telling = false;
    qemu_cond_broadcast(&r->cond);
}

/*
 * Until the executor is through with the current section; *fault is what its
 * context died of. Others' faults are passed on meanwhile.
 */
static VgspRecordOutcome record_wait(RecordExecutor *r,
                                     struct vgsp_owner_fault *fault)
{
    QEMU_LOCK_GUARD(&r->lock);
    for (;;) {
        RecordFault *f = QTAILQ_FIRST(&r->faults);

        /* Nothing completes after a fault: what did was before it. */
        if (r->completed) {
            return VGSP_OUTCOME_RETIRED;
        }
        if (f && f->fault.context == r->current->context) {
            QTAILQ_REMOVE(&r->faults, f, next);
            *fault = f->fault;
            g_free(f);
            return VGSP_OUTCOME_FAULT;
        }
        if (r->abandoned) {
            return VGSP_OUTCOME_NOT_RUN;
        }
        if (f) {
            record_tell(r);
        } else {
            qemu_cond_wait(&r->cond, &r->lock);
        }
    }
}

static void record_run(RecordExecutor *r, const RecordSection *sec)
{
    VgspRecordOutcome outcome = VGSP_OUTCOME_NOT_RUN;
    bool runs = r->inner->ops != &vgsp_executor_null;
    struct vgsp_owner_fault fault;
    int ret;

    vgsp_recorder_begin(r->recorder, sec->context, sec->words, sec->count,
                        sec->seq);
    ret = r->inner->ops->submit(r->inner, sec->context, sec->words,
                                sec->count, sec->seq);
    if (!ret) {
        outcome = record_wait(r, &fault);
    } else if (ret != -EIO && ret != -ENOENT) {
        /* Dead or gone is told otherwise; nobody would hear of this. */
        outcome = VGSP_OUTCOME_FAULT;
        fault = (struct vgsp_owner_fault) {
            .context = sec->context,
            .kind = VGSP_OWNER_FAULT_LOST,
            .seq = sec->seq,
        };
    }
    if (outcome == VGSP_OUTCOME_FAULT) {
        vgsp_recorder_fault(r->recorder, &fault);
    }
    vgsp_recorder_end(r->recorder, sec->context, sec->seq,
                      runs || outcome == VGSP_OUTCOME_FAULT
                          ? outcome : VGSP_OUTCOME_NOT_RUN);
    trace_vgsp_record_section(sec->context, sec->seq, sec->count, outcome);
    ret = vgsp_recorder_error(r->recorder);
    if (ret && !r->complained) {
        r->complained = true;
        error_report("vgsp-gpu: the recording is incomplete: %s",
                     strerror(ret));
    }
    switch (outcome) {
    case VGSP_OUTCOME_RETIRED:
        r->events->completed(r->s, sec->context, sec->seq);
        break;
    case VGSP_OUTCOME_FAULT:
        r->events->fault(r->s, &fault);
        break;
    default:                    /* nobody waits for it any more */
        break;
    }
}

static void *record_thread(void *opaque)
{
    RecordExecutor *r = opaque;

    qemu_mutex_lock(&r->lock);
    while (!r->quit) {
        RecordSection *sec = QTAILQ_FIRST(&r->queue);

        if (!QTAILQ_EMPTY(&r->faults)) {
            record_tell(r);
            continue;
        }
        if (!sec) {
            qemu_cond_wait(&r->cond, &r->lock);
            continue;
        }
        record_unqueue(r, sec);
        r->current = sec;
        r->completed = r->abandoned = false;
        qemu_mutex_unlock(&r->lock);
        record_run(r, sec);
        qemu_mutex_lock(&r->lock);
        r->current = NULL;
        g_free(sec);
        qemu_cond_broadcast(&r->cond);
    }
    qemu_mutex_unlock(&r->lock);
    return NULL;
}

static int record_submit(VgspExecutor *ex, uint32_t context,
                         const uint32_t *words, uint32_t count, uint64_t seq)
{
    RecordExecutor *r = record_of(ex);
    RecordSection *sec;

    QEMU_LOCK_GUARD(&r->lock);
    if (r->queued == RECORD_QUEUE_MAX ||
        r->queued_words + count > RECORD_WORDS_MAX) {
        return -EAGAIN;
    }
    sec = g_malloc(sizeof(*sec) + count * sizeof(*words));
    sec->context = context;
    sec->seq = seq;
    sec->count = count;
    memcpy(sec->words, words, count * sizeof(*words));
    QTAILQ_INSERT_TAIL(&r->queue, sec, next);
    r->queued++;
    r->queued_words += count;
    qemu_cond_broadcast(&r->cond);
    return 0;
}

/*
 * Drops the sections of a context, or of all; returns when none is current and
 * the faults are passed on: its id may be another's next.
 */
static void record_drop(RecordExecutor *r, bool all, uint32_t context)
{
    RecordSection *sec, *tmp;

    QEMU_LOCK_GUARD(&r->lock);
    QTAILQ_FOREACH_SAFE(sec, &r->queue, next, tmp) {
        if (all || sec->context == context) {
            record_unqueue(r, sec);
            g_free(sec);
        }
    }
    for (;;) {
        if (r->current && (all || r->current->context == context)) {
            r->abandoned = true;
            qemu_cond_broadcast(&r->cond);
        } else if (QTAILQ_EMPTY(&r->faults) && !r->telling) {
            break;
        }
        qemu_cond_wait(&r->cond, &r->lock);
    }
}

/* ---- What is passed on ---- */

static uint64_t record_clock_ns(VgspExecutor *ex)
{
    VgspExecutor *inner = record_of(ex)->inner;

    return inner->ops->clock_ns(inner);
}

static int record_memory_add(VgspExecutor *ex, void *host, uint64_t size,
                             uint32_t *id)
{
    RecordExecutor *r = record_of(ex);
    int ret = r->inner->ops->memory_add(r->inner, host, size, id);

    if (!ret) {
        vgsp_recorder_memory_add(r->recorder, *id, host, size);
    }
    return ret;
}

static int record_memory_del(VgspExecutor *ex, uint32_t id)
{
    RecordExecutor *r = record_of(ex);
    int ret = r->inner->ops->memory_del(r->inner, id);

    if (!ret) {
        vgsp_recorder_memory_del(r->recorder, id);
    }
    return ret;
}

static int record_space_new(VgspExecutor *ex, uint32_t *id)
{
    RecordExecutor *r = record_of(ex);
    int ret = r->inner->ops->space_new(r->inner, id);

    if (!ret) {
        vgsp_recorder_space_new(r->recorder, *id);
    }
    return ret;
}

static int record_space_del(VgspExecutor *ex, uint32_t id)
{
    RecordExecutor *r = record_of(ex);
    int ret = r->inner->ops->space_del(r->inner, id);

    if (!ret) {
        vgsp_recorder_space_del(r->recorder, id);
    }
    return ret;
}

static int record_map(VgspExecutor *ex, uint32_t space,
                      const struct vgsp_owner_map_op *ops, size_t count)
{
    RecordExecutor *r = record_of(ex);
    int ret = r->inner->ops->map(r->inner, space, ops, count);

    if (!ret) {
        vgsp_recorder_map(r->recorder, space, ops, count);
    }
    return ret;
}

static int record_context_new(VgspExecutor *ex, uint32_t space,
                              enum vgsp_owner_engine engine,
                              uint32_t timeslice_us, uint32_t *id)
{
    RecordExecutor *r = record_of(ex);
    int ret = r->inner->ops->context_new(r->inner, space, engine,
                                         timeslice_us, id);

    if (!ret) {
        vgsp_recorder_context_new(r->recorder, *id, space);
    }
    return ret;
}

static int record_context_del(VgspExecutor *ex, uint32_t id)
{
    RecordExecutor *r = record_of(ex);
    int ret = r->inner->ops->context_del(r->inner, id);

    if (!ret) {
        record_drop(r, false, id);
        vgsp_recorder_context_del(r->recorder, id);
    }
    return ret;
}

static int record_context_kill(VgspExecutor *ex, uint32_t id,
                               enum vgsp_owner_fault_kind kind)
{
    VgspExecutor *inner = record_of(ex)->inner;

    return inner->ops->context_kill(inner, id, kind);
}

static void record_pause(VgspExecutor *ex)
{
    VgspExecutor *inner = record_of(ex)->inner;

    inner->ops->pause(inner);
}

static void record_resume(VgspExecutor *ex)
{
    VgspExecutor *inner = record_of(ex)->inner;

    inner->ops->resume(inner);
}

static void record_revoke(VgspExecutor *ex)
{
    RecordExecutor *r = record_of(ex);

    r->inner->ops->revoke(r->inner);
    record_drop(r, true, 0);
    vgsp_recorder_revoke(r->recorder);
}

static void record_free(RecordExecutor *r)
{
    if (r->recorder && !vgsp_recorder_free(r->recorder) && !r->complained) {
        error_report("vgsp-gpu: the recording is incomplete");
    }
    qemu_cond_destroy(&r->cond);
    qemu_mutex_destroy(&r->lock);
    g_free(r);
}

static void record_close(VgspExecutor *ex)
{
    RecordExecutor *r = record_of(ex);

    r->inner->ops->revoke(r->inner);
    record_drop(r, true, 0);
    WITH_QEMU_LOCK_GUARD(&r->lock) {
        r->quit = true;
        qemu_cond_broadcast(&r->cond);
    }
    qemu_thread_join(&r->thread);
    r->inner->ops->close(r->inner);
    record_free(r);
}

/*
 * No context_hold: sections run one at a time, so that one which is held would
 * hold up those of all others, and their watchdog's time would pass.
 */
static const VgspExecutorOps record_ops = {
    .name = "record",
    .close = record_close,
    .clock_ns = record_clock_ns,
    .memory_add = record_memory_add,
    .memory_del = record_memory_del,
    .space_new = record_space_new,
    .space_del = record_space_del,
    .map = record_map,
    .context_new = record_context_new,
    .context_del = record_context_del,
    .context_kill = record_context_kill,
    .submit = record_submit,
    .pause = record_pause,
    .resume = record_resume,
    .revoke = record_revoke,
};

VgspExecutor *vgsp_record_open(VgspState *s, const VgspExecutorOps *inner,
                               const char *arg,
                               const VgspExecutorEvents *events,
                               VgspChip *chip, Error **errp)
{
    RecordExecutor *r = g_new0(RecordExecutor, 1);
    g_autoptr(GError) error = NULL;

    r->parent.ops = &record_ops;
    r->s = s;
    r->events = events;
    qemu_mutex_init(&r->lock);
    qemu_cond_init(&r->cond);
    QTAILQ_INIT(&r->queue);
    QTAILQ_INIT(&r->faults);
    r->inner = inner->open(s, arg, &record_events, chip, errp);
    if (!r->inner) {
        record_free(r);
        return NULL;
    }
    r->parent.kinds = r->inner->kinds;
    r->recorder = vgsp_recorder_new(s->record, inner->name, chip->name,
                                    &error);
    if (!r->recorder) {
        error_setg(errp, "cannot record: %s", error->message);
        r->inner->ops->close(r->inner);
        record_free(r);
        return NULL;
    }
    vgsp_recorder_kinds(r->recorder, r->inner->kinds);
    qemu_thread_create(&r->thread, "vgsp-record", record_thread, r,
                       QEMU_THREAD_JOINABLE);
    return &r->parent;
}
