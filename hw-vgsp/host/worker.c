/*
 * The worker thread: performs engine jobs in slices, channels in turn, so that
 * neither the decode thread nor another channel waits for a long one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/rcu.h"
#include "host/host-int.h"

/* One slice of the oldest job of @ch. The lock is held, but not during it. */
static void worker_run(VgspHost *host, VgspChannel *ch, uint8_t *scratch)
{
    VgspEngineJob *job = QSIMPLEQ_FIRST(&ch->jobs);
    VgspRcError rc;
    VgspJobEnd end;

    QSIMPLEQ_REMOVE_HEAD(&ch->jobs, next);
    host->working = ch;
    qemu_mutex_unlock(&host->lock);

    end = job->run(job, ch, scratch, &rc);

    qemu_mutex_lock(&host->lock);
    host->working = NULL;
    if (end == VGSP_JOB_MORE && ch->state != VGSP_CHANNEL_DEAD) {
        QSIMPLEQ_INSERT_HEAD(&ch->jobs, job, next);
    } else {
        g_free(job);
        qatomic_store_release(&ch->jobs_queued, ch->jobs_queued - 1);
        if (end == VGSP_JOB_ERROR) {
            vgsp_channel_fail(ch, &rc);
        } else {
            vgsp_channel_engine_done(ch);
        }
    }
    vgsp_channel_resume(ch);
    qemu_cond_broadcast(&host->left);
}

void *vgsp_host_worker(void *opaque)
{
    VgspHost *host = opaque;
    g_autofree uint8_t *scratch = g_malloc(VGSP_JOB_SCRATCH);

    rcu_register_thread();
    qemu_mutex_lock(&host->lock);
    while (!host->exiting) {
        VgspChannel *ch = host->frozen ? NULL : QTAILQ_FIRST(&host->busy);

        if (ch) {
            QTAILQ_REMOVE(&host->busy, ch, busy_next);
            worker_run(host, ch, scratch);
        } else {
            qemu_cond_wait(&host->work, &host->lock);
        }
    }
    qemu_mutex_unlock(&host->lock);
    rcu_unregister_thread();
    return NULL;
}
