/*
 * The watchdog: a channel whose graphics or compute work makes no progress for
 * "watchdog-ms" of the guest's time is stopped, as GSP-RM stops one whose
 * context switch times out. A parked acquire is no work of an engine, and a
 * stopped VM's time does not pass.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "host/host-int.h"
#include "trace.h"

static int64_t limit_ns(VgspHost *host)
{
    return host->s->watchdog_ms * (int64_t)SCALE_MS;
}

void vgsp_host_section_begins(VgspChannel *ch, uint64_t seq)
{
    VgspHost *host = ch->host;
    bool start = false;

    WITH_QEMU_LOCK_GUARD(&host->lock) {
        if (!vgsp_gr_busy(ch)) {
            ch->gr.progress_at = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
        }
        qatomic_set(&ch->gr.submitted, seq);
        if (!host->watching && host->s->watchdog_ms) {
            host->watching = start = true;
        }
    }
    if (start) {
        timer_mod(host->watchdog,
                  qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + limit_ns(host));
    }
}

/* Something is going to keep @ch from making progress; the lock is held. */
static void time_stops(VgspChannel *ch, int64_t now)
{
    if (!ch->gr.held && !ch->host->still) {
        ch->gr.still_since = now;
    }
}

/* One reason less: what may not run does not take too long. */
static void time_goes_on(VgspChannel *ch, int64_t now)
{
    if (!ch->gr.held && !ch->host->still) {
        ch->gr.progress_at += now - MAX(ch->gr.progress_at,
                                        ch->gr.still_since);
    }
}

void vgsp_host_pause_executor(VgspState *s, bool pause)
{
    VgspHost *host = s->host;
    VgspExecutor *ex = s->executor;
    bool look = false;
    VgspChannel *ch;
    int64_t now;

    if (pause) {
        ex->ops->pause(ex);
    }
    WITH_QEMU_LOCK_GUARD(&host->lock) {
        now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
        if (pause) {
            QTAILQ_FOREACH(ch, &host->all, all_next) {
                time_stops(ch, now);
            }
            host->still++;
        } else {
            host->still--;
            QTAILQ_FOREACH(ch, &host->all, all_next) {
                time_goes_on(ch, now);
            }
            look = !host->still && host->watching;
        }
    }
    if (!pause) {
        ex->ops->resume(ex);
    }
    if (look) {
        timer_mod(host->watchdog, now);
    }
}

void vgsp_host_section_held(VgspChannel *ch, bool held)
{
    VgspHost *host = ch->host;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    bool look = false;

    WITH_QEMU_LOCK_GUARD(&host->lock) {
        if (held) {
            time_stops(ch, now);
            ch->gr.held = true;
        } else {
            ch->gr.held = false;
            time_goes_on(ch, now);
            look = host->watching = host->watching || vgsp_gr_busy(ch);
        }
    }
    if (look && host->s->watchdog_ms) {
        timer_mod(host->watchdog, now);
    }
}

/*
 * Contexts whose time is over; when the next one's may be, or -1: no work is
 * under way.
 */
static int64_t find_expired(VgspHost *host, GArray *expired)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    int64_t limit = limit_ns(host), next = -1;
    VgspChannel *ch;

    if (host->still) {
        return now + limit;     /* looked at when it goes on */
    }
    QTAILQ_FOREACH(ch, &host->all, all_next) {
        int64_t end;

        if (ch->state == VGSP_CHANNEL_DEAD || ch->gr.held ||
            !vgsp_gr_busy(ch)) {
            continue;
        }
        if (now - ch->gr.progress_at >= limit) {
            ch->gr.progress_at = now;
            g_array_append_val(expired, ch->gr.context);
        }
        end = ch->gr.progress_at + limit;
        next = next < 0 ? end : MIN(next, end);
    }
    return next;
}

/* The executor has no such context alive, so it cannot tell of its end. */
static void fail_context(VgspHost *host, uint32_t context)
{
    VgspChannel *ch;
    VgspRcError rc;

    QEMU_LOCK_GUARD(&host->lock);
    ch = g_hash_table_lookup(host->by_context, GUINT_TO_POINTER(context));
    if (ch) {
        vgsp_channel_fill_error(ch, &rc, ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR,
                                "work that does not end");
        vgsp_channel_fail(ch, &rc);
    }
}

static void watchdog_look(void *opaque)
{
    VgspHost *host = opaque;
    VgspExecutor *ex = host->s->executor;
    g_autoptr(GArray) expired = g_array_new(false, false, sizeof(uint32_t));
    int64_t next;

    WITH_QEMU_LOCK_GUARD(&host->lock) {
        next = find_expired(host, expired);
        host->watching = next >= 0;
    }
    if (next >= 0) {
        timer_mod(host->watchdog, next);
    }
    for (unsigned i = 0; i < expired->len; i++) {
        uint32_t context = g_array_index(expired, uint32_t, i);

        trace_vgsp_host_watchdog(context);
        if (ex->ops->context_kill(ex, context, VGSP_OWNER_FAULT_TIMEOUT) < 0) {
            fail_context(host, context);
        }
    }
}

void vgsp_watchdog_init(VgspHost *host)
{
    host->watchdog = timer_new_ns(QEMU_CLOCK_VIRTUAL, watchdog_look, host);
}

void vgsp_watchdog_exit(VgspHost *host)
{
    timer_free(host->watchdog);
}
