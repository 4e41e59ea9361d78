/*
 * Runlists and TSGs: whose turn it is. A runlist runs its TSGs round robin, for
 * a time slice each; a TSG its channels, in list order. Runlists are parallel
 * on the chip, and take turns of a decode slice here. Specified by NVIDIA's
 * dev_fifo and dev_ram ("Runlist Entries", TSG_TIMESLICE).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "host/host-int.h"
#include "trace.h"

/*
 * The decode thread's processor time, ns: a slice is what a TSG used of it, so
 * that a busy host takes from nobody's slice in particular.
 */
static int64_t used_clock(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return ts.tv_sec * NANOSECONDS_PER_SECOND + ts.tv_nsec;
}

/* Puts @tsg where its state belongs. */
static void tsg_update(VgspTsg *tsg)
{
    VgspRunlist *rl = &tsg->host->runlists[tsg->runlist];
    bool listed = QTAILQ_IN_USE(tsg, turn_next);

    if (tsg->ready || tsg->running || tsg->keeps) {
        if (!listed) {
            QTAILQ_INSERT_TAIL(&rl->turns, tsg, turn_next);
        }
    } else if (listed) {
        QTAILQ_REMOVE(&rl->turns, tsg, turn_next);
        tsg->used_ns = 0;
        tsg->keeps_until = 0;
    }
    if (QTAILQ_EMPTY(&rl->turns)) {
        if (QTAILQ_IN_USE(rl, next)) {
            QTAILQ_REMOVE(&tsg->host->ready, rl, next);
        }
    } else if (!QTAILQ_IN_USE(rl, next)) {
        QTAILQ_INSERT_TAIL(&tsg->host->ready, rl, next);
    }
}

/* The turn of @tsg is over: the others of its runlist come first. */
static void tsg_ends_turn(VgspTsg *tsg)
{
    tsg->keeps = false;
    tsg->keeps_until = 0;
    tsg->used_ns = 0;
    if (QTAILQ_IN_USE(tsg, turn_next)) {
        VgspRunlist *rl = &tsg->host->runlists[tsg->runlist];

        QTAILQ_REMOVE(&rl->turns, tsg, turn_next);
        QTAILQ_INSERT_TAIL(&rl->turns, tsg, turn_next);
    }
    tsg_update(tsg);
}

void vgsp_runlist_add(VgspChannel *ch)
{
    if (!ch->queued) {
        ch->queued = true;
        ch->tsg->ready++;
        tsg_update(ch->tsg);
    }
}

void vgsp_runlist_remove(VgspChannel *ch)
{
    if (ch->queued) {
        ch->queued = false;
        ch->tsg->ready--;
        tsg_update(ch->tsg);
    }
}

/* The channel behind @ch in its TSG, cyclically. */
static VgspChannel *tsg_following(VgspTsg *tsg, VgspChannel *ch)
{
    VgspChannel *next = QTAILQ_NEXT(ch, tsg_next);

    return next ? next : QTAILQ_FIRST(&tsg->channels);
}

/* @tsg->ready is not 0. */
static VgspChannel *tsg_pick(VgspTsg *tsg)
{
    VgspChannel *ch = tsg->turn;

    while (!ch->queued) {
        ch = tsg_following(tsg, ch);
    }
    tsg->turn = ch;
    return ch;
}

VgspChannel *vgsp_runlist_pick(VgspHost *host, int64_t *timeout)
{
    int64_t now = get_clock();
    VgspRunlist *rl, *tmp;

    QTAILQ_FOREACH_SAFE(rl, &host->ready, next, tmp) {
        VgspTsg *tsg = QTAILQ_FIRST(&rl->turns);

        /*
         * Its acquires failed, and one asked not to switch: it may wait, but
         * for what was left of its slice, however often they are retried.
         */
        while (tsg && (tsg->keeps_until ? now >= tsg->keeps_until
                                        : !tsg->ready)) {
            tsg_ends_turn(tsg);
            tsg = QTAILQ_FIRST(&rl->turns);
        }
        if (!tsg) {
            continue;
        }
        if (tsg->ready) {
            VgspChannel *ch = tsg_pick(tsg);

            /* Alone on its runlist a channel may run as long as it likes. */
            tsg->run_at = QTAILQ_NEXT(tsg, turn_next) || tsg->ready > 1
                        ? used_clock() : -1;
            tsg->running = true;
            tsg->keeps = false;
            vgsp_runlist_remove(ch);
            QTAILQ_REMOVE(&host->ready, rl, next);
            QTAILQ_INSERT_TAIL(&host->ready, rl, next);
            return ch;
        }
        if (*timeout < 0 || tsg->keeps_until - now < *timeout) {
            *timeout = tsg->keeps_until - now;
        }
    }
    return NULL;
}

void vgsp_runlist_left(VgspChannel *ch, VgspRunEnd end)
{
    VgspTsg *tsg = ch->tsg;
    bool over;

    if (tsg->run_at >= 0) {
        tsg->used_ns += used_clock() - tsg->run_at;
    }
    over = tsg->used_ns >= tsg->timeslice_ns;
    tsg->running = false;
    switch (ch->yield) {
    case NVC46F_YIELD_OP_RUNLIST_TIMESLICE:
        over = true;
        break;
    case NVC46F_YIELD_OP_TSG:
        tsg->turn = tsg_following(tsg, ch);
        break;
    }
    ch->yield = NVC46F_YIELD_OP_NOP;
    if (end != VGSP_RUN_MORE || over) {
        tsg->turn = tsg_following(tsg, ch);
    }
    if (end == VGSP_RUN_PARKED && ch->acquire.parked &&
        !ch->acquire.switch_tsg) {
        tsg->keeps = true;
        if (!tsg->keeps_until) {
            tsg->keeps_until = get_clock() + tsg->timeslice_ns - tsg->used_ns;
        }
    }
    if (over) {
        tsg_ends_turn(tsg);
    } else {
        tsg_update(tsg);
    }
}

/* ---- TSGs ---- */

VgspTsg *vgsp_tsg_new(VgspHost *host, uint32_t runlist)
{
    VgspTsg *tsg = g_new0(VgspTsg, 1);

    tsg->host = host;
    tsg->runlist = runlist;
    tsg->timeslice_ns = VGSP_HOST_TIMESLICE_DEFAULT_US * SCALE_US;
    QTAILQ_INIT(&tsg->channels);
    return tsg;
}

void vgsp_tsg_add(VgspTsg *tsg, VgspChannel *ch)
{
    ch->tsg = tsg;
    QTAILQ_INSERT_TAIL(&tsg->channels, ch, tsg_next);
    if (!tsg->turn) {
        tsg->turn = ch;
    }
}

void vgsp_tsg_remove(VgspChannel *ch)
{
    VgspTsg *tsg = ch->tsg;

    vgsp_runlist_remove(ch);
    if (tsg->turn == ch) {
        tsg->turn = tsg_following(tsg, ch);
        if (tsg->turn == ch) {
            tsg->turn = NULL;
        }
    }
    QTAILQ_REMOVE(&tsg->channels, ch, tsg_next);
    if (QTAILQ_EMPTY(&tsg->channels)) {
        tsg->keeps = false;
        tsg_update(tsg);
        if (!tsg->shared) {
            g_free(tsg);
        }
    }
}

VgspTsg *vgsp_host_tsg_new(VgspState *s, const VgspChipEngine *engine)
{
    VgspTsg *tsg = vgsp_tsg_new(s->host, engine->runlist);

    tsg->shared = true;
    trace_vgsp_host_tsg_new(engine->runlist);
    return tsg;
}

void vgsp_host_tsg_free(VgspState *s, VgspTsg *tsg)
{
    assert(QTAILQ_EMPTY(&tsg->channels));
    g_free(tsg);
}

void vgsp_host_tsg_set_timeslice(VgspState *s, VgspTsg *tsg, uint64_t us)
{
    trace_vgsp_host_tsg_timeslice(tsg->runlist, us);
    QEMU_LOCK_GUARD(&s->host->lock);
    tsg->timeslice_ns = us * SCALE_US;
}

uint64_t vgsp_host_tsg_timeslice(VgspState *s, VgspTsg *tsg)
{
    QEMU_LOCK_GUARD(&s->host->lock);
    return tsg->timeslice_ns / SCALE_US;
}
