/*
 * The host engine of a TU104: scheduling of channels, its threads, doorbells.
 * Specified by NVIDIA's dev_fifo and dev_ram manuals; the locking rules are in
 * host-int.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "system/runstate.h"
#include "device/dma.h"
#include "host/host-int.h"
#include "trace.h"

/* What is parked is retried after the first, doubling up to the second. */
#define POLL_FIRST_NS   (20 * SCALE_US)
#define POLL_LAST_NS    (1 * SCALE_MS)

/* The worker gets jobs of a running channel in such lots. */
#define JOBS_AT_ONCE    32

/* ---- Queues. The lock is held. ---- */

static bool channel_can_run(const VgspChannel *ch)
{
    return ch->enabled && !ch->disabled && !ch->hold &&
           ch->state != VGSP_CHANNEL_DEAD;
}

/* Ends the decode thread's sleep. */
static void host_wake(VgspHost *host)
{
    if (host->sleeping) {
        host->sleeping = false;
        event_notifier_set(&host->wake);
    }
}

static void channel_unqueue(VgspChannel *ch)
{
    VgspHost *host = ch->host;

    if (ch->state == VGSP_CHANNEL_PARKED) {
        QTAILQ_REMOVE(&host->parked, ch, park_next);
    }
    vgsp_runlist_remove(ch);
}

static void channel_unbusy(VgspChannel *ch)
{
    if (QTAILQ_IN_USE(ch, busy_next)) {
        QTAILQ_REMOVE(&ch->host->busy, ch, busy_next);
    }
}

/* Queues what waits only for permission to run. */
void vgsp_channel_resume(VgspChannel *ch)
{
    VgspHost *host = ch->host;

    if (!channel_can_run(ch)) {
        return;
    }
    if (ch->state == VGSP_CHANNEL_READY) {
        vgsp_runlist_add(ch);
        host_wake(host);
    } else if (ch->state == VGSP_CHANNEL_PARKED) {
        host_wake(host);
    }
    if (!QSIMPLEQ_EMPTY(&ch->jobs) && !QTAILQ_IN_USE(ch, busy_next)) {
        QTAILQ_INSERT_TAIL(&host->busy, ch, busy_next);
        qemu_cond_signal(&host->work);
    }
}

/* Also of a channel that is in no queue: a parked one was removed before. */
void vgsp_channel_set_ready(VgspChannel *ch)
{
    ch->state = VGSP_CHANNEL_READY;
    vgsp_channel_resume(ch);
}

static void channel_drop_jobs(VgspChannel *ch)
{
    VgspEngineJob *job;

    channel_unbusy(ch);
    while ((job = QSIMPLEQ_FIRST(&ch->jobs))) {
        QSIMPLEQ_REMOVE_HEAD(&ch->jobs, next);
        qatomic_store_release(&ch->jobs_queued, ch->jobs_queued - 1);
        g_free(job);
    }
}

/* Stops @ch for ever. The threads may still be inside until they look. */
static void channel_kill(VgspChannel *ch)
{
    channel_unqueue(ch);
    channel_drop_jobs(ch);
    ch->state = VGSP_CHANNEL_DEAD;
    qatomic_set(&ch->stop, true);
}

void vgsp_channel_fail(VgspChannel *ch, const VgspRcError *rc)
{
    VgspChannel *mate;

    if (ch->state == VGSP_CHANNEL_DEAD) {
        return;
    }
    /* Recovery takes a TSG off its engine: none of it comes back. */
    QTAILQ_FOREACH(mate, &ch->tsg->channels, tsg_next) {
        if (mate->state != VGSP_CHANNEL_DEAD) {
            channel_kill(mate);
        }
    }
    ch->rc = *rc;
    QTAILQ_INSERT_TAIL(&ch->host->failed, ch, failed_next);
    qatomic_inc(&ch->s->stats.channel_errors);
    qemu_bh_schedule(ch->host->error_bh);
}

/*
 * Whether what the channel waits for has come: its engine is idle; or has room,
 * of which some must be there, lest a channel comes for each job.
 */
static bool channel_engine_ready(VgspChannel *ch)
{
    return !vgsp_channel_busy(ch) ||
           (ch->gr.full && ch->gr.completed != ch->gr.refused_at) ||
           (ch->wait_room && ch->jobs_queued <= VGSP_CHANNEL_JOBS_MAX / 2);
}

void vgsp_channel_engine_done(VgspChannel *ch)
{
    if (ch->state == VGSP_CHANNEL_WAIT_ENGINE && channel_engine_ready(ch)) {
        vgsp_channel_set_ready(ch);
    }
}

void vgsp_host_engine_done(VgspChannel *ch)
{
    VgspHost *host = ch->host;

    vgsp_channel_engine_done(ch);
    if (!QTAILQ_EMPTY(&host->parked) || host->running) {
        host->recheck = true;
        host_wake(host);
    }
}

/*
 * Waits until a thread leaves its channel. BQL: what that thread may be waiting
 * for, it gets meanwhile.
 */
static void host_wait_left(VgspHost *host)
{
    if (vgsp_dma_pending(host->s)) {
        qemu_mutex_unlock(&host->lock);
        vgsp_dma_service(host->s);
        qemu_mutex_lock(&host->lock);
    } else {
        qemu_cond_wait(&host->left, &host->lock);
    }
}

void vgsp_host_kick(VgspState *s)
{
    if (s->host) {
        QEMU_LOCK_GUARD(&s->host->lock);
        qemu_cond_broadcast(&s->host->left);
    }
}

/* Keeps the threads out of @ch. BQL: they never wait for it. */
void vgsp_host_hold(VgspChannel *ch)
{
    VgspHost *host = ch->host;

    ch->hold++;
    if (ch->state == VGSP_CHANNEL_READY) {
        channel_unqueue(ch);
    }
    channel_unbusy(ch);
    qatomic_set(&ch->stop, true);
    while (host->running == ch || host->working == ch) {
        host_wait_left(host);
    }
}

void vgsp_host_release(VgspChannel *ch)
{
    assert(ch->hold);
    ch->hold--;
    vgsp_channel_resume(ch);
}

/* Nothing runs until the same number of host_thaw(). BQL. */
static void host_freeze(VgspHost *host)
{
    host->frozen++;
    while (host->running || host->working) {
        if (host->running) {
            qatomic_set(&host->running->stop, true);
        }
        host_wait_left(host);
    }
}

static void host_thaw(VgspHost *host)
{
    assert(host->frozen);
    if (--host->frozen == 0) {
        host_wake(host);
        qemu_cond_signal(&host->work);
    }
}

/* No token, job, error or completion leads to @ch from here on. BQL. */
void vgsp_host_forget(VgspChannel *ch)
{
    VgspHost *host = ch->host;

    if (ch->forgotten) {
        return;
    }
    ch->forgotten = true;
    if (ch->state != VGSP_CHANNEL_DEAD) {
        channel_kill(ch);
    }
    if (QTAILQ_IN_USE(ch, failed_next)) {
        QTAILQ_REMOVE(&host->failed, ch, failed_next);
    }
    if (ch->tlb_wait) {
        ch->tlb_wait->ch = NULL;
        ch->tlb_wait = NULL;
    }
    g_hash_table_remove(host->by_token,
                        GUINT_TO_POINTER(vgsp_host_token(ch)));
    if (ch->gr.has_context) {
        g_hash_table_remove(host->by_context,
                            GUINT_TO_POINTER(ch->gr.context));
    }
}

/* ---- From the threads ---- */

void vgsp_host_recheck(VgspHost *host)
{
    QEMU_LOCK_GUARD(&host->lock);
    if (!QTAILQ_EMPTY(&host->parked) || host->running) {
        host->recheck = true;
        host_wake(host);
    }
}

void vgsp_host_queue_job(VgspChannel *ch, VgspEngineJob *job)
{
    QSIMPLEQ_INSERT_TAIL(&ch->new_jobs, job, next);
    if (++ch->new_count >= JOBS_AT_ONCE) {
        vgsp_host_publish_jobs(ch);
    }
}

void vgsp_host_publish_jobs(VgspChannel *ch)
{
    VgspHost *host = ch->host;
    unsigned n = ch->new_count;
    VgspEngineJob *job;

    if (!n) {
        return;
    }
    ch->new_count = 0;
    QEMU_LOCK_GUARD(&host->lock);
    if (ch->state == VGSP_CHANNEL_DEAD) {
        /* An earlier job of it failed meanwhile. */
        while ((job = QSIMPLEQ_FIRST(&ch->new_jobs))) {
            QSIMPLEQ_REMOVE_HEAD(&ch->new_jobs, next);
            g_free(job);
        }
        return;
    }
    QSIMPLEQ_CONCAT(&ch->jobs, &ch->new_jobs);
    qatomic_store_release(&ch->jobs_queued, ch->jobs_queued + n);
    if (channel_can_run(ch) && host->working != ch &&
        !QTAILQ_IN_USE(ch, busy_next)) {
        QTAILQ_INSERT_TAIL(&host->busy, ch, busy_next);
        qemu_cond_signal(&host->work);
    }
}

/* The main loop performed an invalidation. */
static void tlb_invalidate_done(void *opaque)
{
    VgspTlbWait *wait = opaque;
    VgspChannel *ch = wait->ch;

    if (ch) {
        QEMU_LOCK_GUARD(&ch->host->lock);
        ch->tlb_wait = NULL;
        if (ch->state == VGSP_CHANNEL_WAIT_MMU) {
            vgsp_channel_set_ready(ch);
        }
    }
    g_free(wait);
}

void vgsp_host_tlb_invalidate(VgspChannel *ch, const VgspInvalidate *inv)
{
    VgspTlbWait *wait = g_new0(VgspTlbWait, 1);

    wait->ch = ch;
    WITH_QEMU_LOCK_GUARD(&ch->host->lock) {
        ch->tlb_wait = wait;
    }
    vgsp_invalidate_async(ch->s, inv, tlb_invalidate_done, wait);
}

/* ---- The decode thread ---- */

/*
 * Makes parked channels ready that are due. Returns when the next is, in ns
 * from now, or -1.
 */
static int64_t host_poll_parked(VgspHost *host)
{
    VgspChannel *ch, *tmp;
    int64_t next = -1;
    int64_t now;

    if (QTAILQ_EMPTY(&host->parked)) {
        host->recheck = false;
        return -1;
    }
    now = get_clock();
    QTAILQ_FOREACH_SAFE(ch, &host->parked, park_next, tmp) {
        if (!channel_can_run(ch)) {
            continue;
        }
        if (host->recheck || ch->poll_at <= now) {
            QTAILQ_REMOVE(&host->parked, ch, park_next);
            vgsp_channel_set_ready(ch);
        } else if (next < 0 || ch->poll_at - now < next) {
            next = ch->poll_at - now;
        }
    }
    host->recheck = false;
    return next;
}

static void channel_park(VgspChannel *ch)
{
    int64_t interval = POLL_LAST_NS;

    if (ch->parks < 6) {
        interval = MIN(POLL_FIRST_NS << ch->parks, POLL_LAST_NS);
        ch->parks++;
    }
    ch->poll_at = get_clock() + interval;
    ch->state = VGSP_CHANNEL_PARKED;
    QTAILQ_INSERT_TAIL(&ch->host->parked, ch, park_next);
}

/* The slice of @ch is over; the decode thread left it. */
static void channel_leave(VgspChannel *ch, VgspRunEnd end)
{
    if (ch->state == VGSP_CHANNEL_DEAD) {
        return;                 /* killed meanwhile */
    }
    switch (end) {
    case VGSP_RUN_IDLE:
        if (!qatomic_read(&ch->doorbell)) {
            ch->state = VGSP_CHANNEL_IDLE;
            return;
        }
        break;
    case VGSP_RUN_PARKED:
        channel_park(ch);
        return;
    case VGSP_RUN_WAIT_ENGINE:
        if (!channel_engine_ready(ch)) {
            ch->state = VGSP_CHANNEL_WAIT_ENGINE;
            return;
        }
        break;
    case VGSP_RUN_WAIT_MMU:
        if (ch->tlb_wait) {
            ch->state = VGSP_CHANNEL_WAIT_MMU;
            return;
        }
        break;
    case VGSP_RUN_ERROR:
        /* What the engine was given before is completed. */
        ch->failing = true;
        if (vgsp_channel_busy(ch)) {
            ch->state = VGSP_CHANNEL_WAIT_ENGINE;
        } else {
            vgsp_channel_fail(ch, &ch->error);
        }
        return;
    case VGSP_RUN_MORE:
        break;
    }
    vgsp_channel_set_ready(ch);
}

static void host_sleep(VgspHost *host, int64_t timeout)
{
    GPollFD fd = {
        .fd = event_notifier_get_fd(&host->wake),
        .events = G_IO_IN,
    };

    host->sleeping = true;
    qemu_mutex_unlock(&host->lock);
    qemu_poll_ns(&fd, 1, timeout);
    event_notifier_test_and_clear(&host->wake);
    qemu_mutex_lock(&host->lock);
    host->sleeping = false;
}

static void *host_decode_thread(void *opaque)
{
    VgspHost *host = opaque;

    rcu_register_thread();
    qemu_mutex_lock(&host->lock);
    while (!host->exiting) {
        int64_t timeout = host->frozen ? -1 : host_poll_parked(host);
        VgspChannel *ch = host->frozen ? NULL
                                       : vgsp_runlist_pick(host, &timeout);
        VgspRunEnd end;

        if (!ch) {
            host_sleep(host, timeout);
            continue;
        }
        ch->state = VGSP_CHANNEL_RUNNING;
        qatomic_set(&ch->stop, false);
        host->running = ch;
        qemu_mutex_unlock(&host->lock);

        end = vgsp_pbdma_run(ch);

        qemu_mutex_lock(&host->lock);
        host->running = NULL;
        channel_leave(ch, end);
        vgsp_runlist_left(ch, end);
        qemu_cond_broadcast(&host->left);
    }
    qemu_mutex_unlock(&host->lock);
    rcu_unregister_thread();
    return NULL;
}

/* ---- The main loop and vCPUs ---- */

/*
 * Channels join and leave a TSG under the BQL. When the error is told, nothing
 * of any of them runs.
 */
static void host_error_bh(void *opaque)
{
    VgspHost *host = opaque;
    VgspChannel *ch, *mate;

    qemu_mutex_lock(&host->lock);
    while ((ch = QTAILQ_FIRST(&host->failed))) {
        VgspRcError rc = ch->rc;

        QTAILQ_REMOVE(&host->failed, ch, failed_next);
        QTAILQ_FOREACH(mate, &ch->tsg->channels, tsg_next) {
            vgsp_host_hold(mate);
        }
        qemu_mutex_unlock(&host->lock);
        QTAILQ_FOREACH(mate, &ch->tsg->channels, tsg_next) {
            if (vgsp_channel_is_dead(mate)) {
                vgsp_gr_detach(mate);
            }
        }
        if (rc.is_fault) {
            vgsp_gr_refine_fault(ch, &rc.fault);
            vgsp_fault_report(host->s, &rc.fault);
        }
        vgsp_gsp_rc_error(host->s, &rc);
        qemu_mutex_lock(&host->lock);
        QTAILQ_FOREACH(mate, &ch->tsg->channels, tsg_next) {
            vgsp_host_release(mate);
        }
    }
    qemu_mutex_unlock(&host->lock);
}

static void host_set_frozen(VgspHost *host, bool *reason, bool frozen)
{
    QEMU_LOCK_GUARD(&host->lock);
    if (*reason != frozen) {
        *reason = frozen;
        if (frozen) {
            host_freeze(host);
        } else {
            host_thaw(host);
        }
    }
}

/* A stopped VM's memory does not change. */
static void host_vmstate_change(void *opaque, bool running, RunState state)
{
    VgspHost *host = opaque;

    host_set_frozen(host, &host->paused, !running);
}

void vgsp_host_disable_all(VgspState *s, bool disable)
{
    VgspHost *host = s->host;
    bool change = host->disabled != disable;

    trace_vgsp_host_disable_all(disable);
    host_set_frozen(host, &host->disabled, disable);
    if (change) {
        vgsp_host_pause_executor(s, disable);
    }
}

void vgsp_host_doorbell(VgspState *s, uint32_t token)
{
    VgspHost *host = s->host;
    uint32_t key = token & (NV_DOORBELL_RUNLIST_ID | NV_DOORBELL_VECTOR);
    VgspChannel *ch;

    qatomic_inc(&s->stats.doorbells);
    QEMU_LOCK_GUARD(&host->lock);
    ch = g_hash_table_lookup(host->by_token, GUINT_TO_POINTER(key));
    trace_vgsp_host_doorbell(token, ch != NULL);
    if (!ch) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "vgsp: doorbell 0x%08x is no channel's\n", token);
        return;
    }
    qatomic_set(&ch->doorbell, true);
    if (ch->state == VGSP_CHANNEL_IDLE) {
        qatomic_set(&ch->rung_at, get_clock());
        vgsp_channel_set_ready(ch);
    }
    if (!QTAILQ_EMPTY(&host->parked)) {
        host->recheck = true;
        host_wake(host);
    }
}

bool vgsp_host_init(VgspState *s, Error **errp)
{
    VgspHost *host = g_new0(VgspHost, 1);
    int err = event_notifier_init(&host->wake, false);

    if (err < 0) {
        error_setg_errno(errp, -err, "cannot create an event notifier");
        g_free(host);
        return false;
    }
    s->host = host;
    host->s = s;
    qemu_mutex_init(&host->lock);
    qemu_cond_init(&host->left);
    qemu_cond_init(&host->work);
    host->by_token = g_hash_table_new(NULL, NULL);
    host->by_context = g_hash_table_new(NULL, NULL);
    QTAILQ_INIT(&host->all);
    QTAILQ_INIT(&host->ready);
    host->runlists = g_new0(VgspRunlist, s->chip.num_runlists);
    for (uint32_t i = 0; i < s->chip.num_runlists; i++) {
        QTAILQ_INIT(&host->runlists[i].turns);
    }
    QTAILQ_INIT(&host->parked);
    QTAILQ_INIT(&host->busy);
    QTAILQ_INIT(&host->failed);
    host->error_bh = qemu_bh_new_guarded(host_error_bh, host,
                                         &DEVICE(s)->mem_reentrancy_guard);
    vgsp_watchdog_init(host);
    vgsp_crc_init();
    host->paused = !runstate_is_running();
    host->frozen = host->paused;
    host->vmstate = qemu_add_vm_change_state_handler(host_vmstate_change,
                                                     host);
    qemu_thread_create(&host->decode_thread, "vgsp-pbdma", host_decode_thread,
                       host, QEMU_THREAD_JOINABLE);
    qemu_thread_create(&host->worker_thread, "vgsp-engine", vgsp_host_worker,
                       host, QEMU_THREAD_JOINABLE);
    return true;
}

void vgsp_host_reset(VgspState *s)
{
    VgspHost *host = s->host;
    bool was_disabled = host->disabled;
    VgspChannel *ch;

    trace_vgsp_host_reset();
    WITH_QEMU_LOCK_GUARD(&host->lock) {
        host_freeze(host);
        QTAILQ_FOREACH(ch, &host->all, all_next) {
            vgsp_host_forget(ch);
        }
        host->recheck = false;
        if (host->disabled) {
            host->disabled = false;
            host_thaw(host);
        }
        host_thaw(host);
    }
    /* No thread enters them any more; their engine contexts end here. */
    QTAILQ_FOREACH(ch, &host->all, all_next) {
        vgsp_gr_detach(ch);
    }
    if (was_disabled) {
        vgsp_host_pause_executor(s, false);
    }
}

void vgsp_host_exit(VgspState *s)
{
    VgspHost *host = s->host;
    VgspChannel *ch;

    vgsp_host_reset(s);
    qemu_del_vm_change_state_handler(host->vmstate);
    WITH_QEMU_LOCK_GUARD(&host->lock) {
        host->exiting = true;
        host_wake(host);
        qemu_cond_signal(&host->work);
    }
    qemu_thread_join(&host->decode_thread);
    qemu_thread_join(&host->worker_thread);
    qemu_bh_delete(host->error_bh);
    vgsp_watchdog_exit(host);
    while ((ch = QTAILQ_FIRST(&host->all))) {
        QTAILQ_REMOVE(&host->all, ch, all_next);
        vgsp_tsg_remove(ch);
        g_free(ch);
    }
    g_free(host->runlists);
    g_hash_table_destroy(host->by_token);
    g_hash_table_destroy(host->by_context);
    event_notifier_cleanup(&host->wake);
    qemu_cond_destroy(&host->work);
    qemu_cond_destroy(&host->left);
    qemu_mutex_destroy(&host->lock);
    g_free(host);
    s->host = NULL;
}
