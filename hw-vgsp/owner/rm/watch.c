/*
 * The client's thread: looks at what the rings have released, calls back, and
 * finds errors. For a moment after work was put into a ring or has retired it
 * spins; then it sleeps, until it is called when there is no work, and else
 * until the driver tells of an interrupt that Host was asked for behind that
 * work. Where the driver does not tell it looks now and then.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <sys/prctl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "owner/rm/rm-int.h"

#define SPIN_US         100
#define SLEEP_MIN_US    10
#define SLEEP_MAX_US    500
#define BLOCK_US        (20 * 1000) /* for an interrupt: errors make none */
#define LOOK_US         1000        /* between two looks at a notifier */
#define MISSED_MAX      8           /* interrupts that did not come, in a row */
#define PAUSE_US        (10 * G_USEC_PER_SEC)
#define HOLD_US         (2 * G_USEC_PER_SEC)

/* How the thread has slept last. */
typedef enum RmSleep {
    RM_SLEPT_NOT,
    RM_SLEPT_TIME,              /* all of the time that it wanted */
    RM_SLEPT_BLOCKED,           /* ... waiting for an interrupt */
    RM_SLEPT_EVENT,             /* until the driver told of one */
} RmSleep;

typedef struct RmWatch {
    GPtrArray *set;             /* RmContext that it looks at */
    uint32_t kicks;             /* rm->kicks when that was made */
    int64_t spin;               /* monotonic us: until then */
    unsigned sleep_us;
    unsigned missed;
    RmSleep slept;
} RmWatch;

/* ---- What has retired ---- */

void rm_ring_kick(VgspRm *rm)
{
    const uint64_t one = 1;

    __atomic_add_fetch(&rm->kicks, 1, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&rm->sleeping, false, __ATOMIC_SEQ_CST)) {
        (void)!write(rm->wake, &one, sizeof(one));
    }
}

/* A broadcast is a system call, whether somebody waits or not. */
static void tell(VgspRm *rm)
{
    if (rm->waiters) {
        g_cond_broadcast(&rm->delivered);
    }
}

/* Without ring_lock. */
static void tell_unlocked(VgspRm *rm)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (__atomic_load_n(&rm->waiters, __ATOMIC_RELAXED)) {
        g_mutex_lock(&rm->ring_lock);
        tell(rm);
        g_mutex_unlock(&rm->ring_lock);
    }
}

static uint32_t in_ring(const RmContext *ctx)
{
    return __atomic_load_n(&ctx->put, __ATOMIC_ACQUIRE) -
           __atomic_load_n(&ctx->get, __ATOMIC_ACQUIRE);
}

static bool is_dead(const RmContext *ctx)
{
    return __atomic_load_n(&ctx->dead, __ATOMIC_RELAXED);
}

/*
 * Takes the pieces that have retired off the ring and calls back; bad: the
 * driver wrote an error. Whether there were some. Without ring_lock: no
 * context ends while rm->watching. Who holds the space's lock may be mapping
 * memory for milliseconds, for which other spaces shall not wait: then this
 * one's turn comes later.
 */
static bool retire(VgspRm *rm, RmContext *ctx, bool bad)
{
    uint32_t get = ctx->get, n = rm_ring_released(ctx) - get;
    bool section = false, awakens = false;
    bool shadows = g_atomic_int_get(&ctx->space->shadows);
    uint64_t seq = 0;

    /* The word is the driver's memory; only Host writes it. */
    if (!n || n > in_ring(ctx)) {
        return false;
    }
    if (shadows && bad) {
        g_mutex_lock(&ctx->space->lock);        /* there is no later */
    } else if (shadows && !g_mutex_trylock(&ctx->space->lock)) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const RmSlot *slot = &ctx->slot[(get + i) % RM_RING_ENTRIES];

        if (slot->last) {
            section = true;
            seq = slot->seq;
            awakens |= slot->awakens;
        }
    }
    /* Seen by who sees that the ring is empty, and waits for callbacks. */
    __atomic_store_n(&rm->delivering, ctx, __ATOMIC_RELAXED);
    __atomic_store_n(&ctx->get, get + n, __ATOMIC_RELEASE);
    if (shadows) {
        /* What it wrote over programs is there when it is seen complete. */
        rm_shadow_merge_all(ctx->space);
        g_mutex_unlock(&ctx->space->lock);
    }
    if (section) {
        rm->ops->completed(rm->opaque, ctx->id, seq);
        if (awakens && rm->ops->interrupt) {
            rm->ops->interrupt(rm->opaque, ctx->id);
        }
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (!bad && __atomic_load_n(&ctx->stuck, __ATOMIC_RELAXED)) {
        ctx->pump = true;
    }
    __atomic_store_n(&rm->delivering, NULL, __ATOMIC_RELEASE);
    tell_unlocked(rm);
    return true;
}

/* Puts what waits into the ring, unless it is somebody else's turn. */
static bool pump(RmContext *ctx)
{
    if (!g_mutex_trylock(&ctx->space->lock)) {
        return false;
    }
    ctx->pump = false;
    __atomic_store_n(&ctx->stuck, false, __ATOMIC_RELAXED);
    rm_ring_pump(ctx);
    g_mutex_unlock(&ctx->space->lock);
    return true;
}

/* The driver has ended the context. */
static void ended(VgspRm *rm, RmContext *ctx, uint32_t code)
{
    struct vgsp_owner_fault fault = { .seq = rm_ring_running(ctx) };

    rm_fault_describe(ctx, code, &fault);
    g_mutex_lock(&rm->ring_lock);
    if (ctx->live && !ctx->dead) {
        __atomic_store_n(&ctx->dead, true, __ATOMIC_RELAXED);
        rm_fault_queue(ctx, &fault);
        tell(rm);
    }
    g_mutex_unlock(&rm->ring_lock);
}

/* ring_lock is held, but not while it calls back. */
static void report(VgspRm *rm)
{
    RmFault *f = g_queue_pop_head(&rm->faults);
    bool live = f->ctx->live;

    __atomic_store_n(&rm->delivering, f->ctx, __ATOMIC_RELAXED);
    g_mutex_unlock(&rm->ring_lock);
    if (live) {
        rm->ops->fault(rm->opaque, &f->fault);
    }
    g_mutex_lock(&rm->ring_lock);
    __atomic_store_n(&rm->delivering, NULL, __ATOMIC_RELEASE);
    tell(rm);
    rm_context_unref(f->ctx);
    g_free(f);
}

/* ---- Looking ---- */

/* A notifier that is due; first what retired before the error. */
static bool look(VgspRm *rm, RmContext *ctx, int64_t now)
{
    uint32_t code;
    bool progress;

    if (now - ctx->looked <= LOOK_US) {
        return false;
    }
    ctx->looked = now;
    if (!rm_fault_look(ctx, &code)) {
        return false;
    }
    progress = retire(rm, ctx, true);
    ended(rm, ctx, code);
    return progress;
}

/*
 * Looks at all rings until it is called or w->spin is over, once at least.
 * Whether something retired, and whether there is work.
 */
static bool watch(VgspRm *rm, RmWatch *w, bool *busy)
{
    bool progress = false;

    for (unsigned n = 0;; n++) {
        /* The clock takes as long as several looks. */
        bool timed = n % 8 == 0, act = false;
        int64_t now = timed ? g_get_monotonic_time() : 0;

        *busy = false;
        for (unsigned i = 0; i < w->set->len; i++) {
            RmContext *ctx = g_ptr_array_index(w->set, i);
            uint32_t put = __atomic_load_n(&ctx->put, __ATOMIC_ACQUIRE);

            if ((put == ctx->get && !ctx->pump) || is_dead(ctx)) {
                continue;
            }
            if (rm_ring_released(ctx) != ctx->get) {
                if (retire(rm, ctx, false)) {
                    act = progress = true;
                }
            } else if (put != ctx->noticed) {
                /* It will be needed at once when this retires. */
                __builtin_prefetch(&ctx->slot[ctx->get % RM_RING_ENTRIES]);
                act = true;
            }
            act |= ctx->pump && pump(ctx);
            *busy |= put != ctx->get || ctx->pump;
            if (put != ctx->noticed) {
                ctx->noticed = put;
            }
            if (timed && put != ctx->get) {
                progress |= look(rm, ctx, now);
            }
        }
        if (act) {
            w->spin = g_get_monotonic_time() + SPIN_US;
        } else if (timed && now >= w->spin) {
            return progress;
        }
        if (__atomic_load_n(&rm->kicks, __ATOMIC_ACQUIRE) != w->kicks) {
            return progress;
        }
        if (n % 4 == 3) {
            rm_cpu_relax();
        }
    }
}

/* ---- Sleeping; ring_lock is held ---- */

/*
 * Whether the end of each section in the ring makes an interrupt. One that
 * has been there alone for as long as the thread spins did not ask for it,
 * lest there be one for each section: a piece behind it does.
 */
static bool covered(RmContext *ctx)
{
    uint32_t put = __atomic_load_n(&ctx->put, __ATOMIC_ACQUIRE);

    if (rm_ring_released(ctx) != ctx->get) {
        return false;           /* its interrupt may have come already */
    }
    if (!ctx->slot[(put - 1) % RM_RING_ENTRIES].asks) {
        bool ok = g_mutex_trylock(&ctx->space->lock);

        if (ok) {
            ok = rm_ring_ask(ctx);
            g_mutex_unlock(&ctx->space->lock);
        }
        if (!ok) {
            return false;
        }
        put = __atomic_load_n(&ctx->put, __ATOMIC_ACQUIRE);
    }
    ctx->noticed = put;
    for (uint32_t i = ctx->get; i != put; i++) {
        const RmSlot *slot = &ctx->slot[i % RM_RING_ENTRIES];
        const RmSlot *next = &ctx->slot[(i + 1) % RM_RING_ENTRIES];

        if (slot->last && !slot->asks && !(i + 1 != put && next->only)) {
            return false;
        }
    }
    return true;
}

/* Whether there is what the thread has not seen. */
static bool news(VgspRm *rm, const RmWatch *w)
{
    if (__atomic_load_n(&rm->kicks, __ATOMIC_ACQUIRE) != w->kicks) {
        return true;
    }
    for (unsigned i = 0; i < rm->live->len; i++) {
        const RmContext *ctx = g_ptr_array_index(rm->live, i);
        uint32_t put = __atomic_load_n(&ctx->put, __ATOMIC_ACQUIRE);

        /* What has retired already may never have been noticed. */
        if (put != ctx->noticed && put != ctx->get && !is_dead(ctx)) {
            return true;
        }
    }
    return false;
}

/* The driver's interrupts do not come, or it has none any more. */
static void give_up(VgspRm *rm, const char *why)
{
    __atomic_store_n(&rm->event, false, __ATOMIC_RELAXED);
    g_mutex_unlock(&rm->ring_lock);
    rm_log(rm, "the end of work is looked for every %u us from now on: %s",
           SLEEP_MAX_US, why);
    g_mutex_lock(&rm->ring_lock);
}

static void rest(VgspRm *rm, RmWatch *w, bool busy)
{
    int64_t timeout = -1;
    bool block = false;
    int ret;

    if (busy) {
        /* An event that was another client's: not again and again. */
        block = __atomic_load_n(&rm->event, __ATOMIC_RELAXED) &&
                w->slept != RM_SLEPT_EVENT;
        for (unsigned i = 0; i < rm->live->len && block; i++) {
            RmContext *ctx = g_ptr_array_index(rm->live, i);

            block = is_dead(ctx) ||
                    (!ctx->pump && (!in_ring(ctx) || covered(ctx)));
        }
        timeout = block ? BLOCK_US : w->sleep_us;
    }
    __atomic_store_n(&rm->sleeping, true, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (news(rm, w)) {
        __atomic_store_n(&rm->sleeping, false, __ATOMIC_RELAXED);
        w->slept = RM_SLEPT_NOT;
        return;
    }
    __atomic_add_fetch(&rm->sleeps, 1, __ATOMIC_RELAXED);
    g_mutex_unlock(&rm->ring_lock);
    ret = rm->os->wait(rm->os_opaque, rm->wake, block ? rm->dev : -1, timeout);
    g_mutex_lock(&rm->ring_lock);
    __atomic_store_n(&rm->sleeping, false, __ATOMIC_RELAXED);

    w->slept = block ? RM_SLEPT_BLOCKED : RM_SLEPT_TIME;
    if (ret < 0) {
        if (ret != -EINTR && block) {
            give_up(rm, g_strerror(-ret));
        }
    } else if (ret & RM_WAKE_CALL) {
        w->spin = g_get_monotonic_time() + SPIN_US;
        w->sleep_us = SLEEP_MIN_US;
        w->slept = RM_SLEPT_NOT;
    } else if (ret & RM_WAKE_EVENT) {
        __atomic_add_fetch(&rm->interrupts, 1, __ATOMIC_RELAXED);
        w->slept = RM_SLEPT_EVENT;
    } else if (busy && !block) {
        w->sleep_us = MIN(w->sleep_us * 2, SLEEP_MAX_US);
    }
}

/* ---- The thread ---- */

static gpointer ring_thread(gpointer opaque)
{
    VgspRm *rm = opaque;
    RmWatch w = { .set = g_ptr_array_new(), .sleep_us = SLEEP_MIN_US };

    /* Sleeps of microseconds are meant as such. */
    prctl(PR_SET_TIMERSLACK, 1000ul);
    g_mutex_lock(&rm->ring_lock);
    while (!rm->quit) {
        bool busy, progress;

        if (rm->faults.length) {
            report(rm);
            continue;
        }
        w.kicks = __atomic_load_n(&rm->kicks, __ATOMIC_ACQUIRE);
        g_ptr_array_set_size(w.set, 0);
        for (unsigned i = 0; i < rm->live->len; i++) {
            g_ptr_array_add(w.set, g_ptr_array_index(rm->live, i));
        }
        rm->watching = true;
        g_mutex_unlock(&rm->ring_lock);
        progress = watch(rm, &w, &busy);
        g_mutex_lock(&rm->ring_lock);
        rm->watching = false;
        rm->watches++;
        tell(rm);
        if (progress) {
            w.sleep_us = SLEEP_MIN_US;
            if (w.slept == RM_SLEPT_EVENT) {
                w.missed = 0;
            } else if (w.slept == RM_SLEPT_BLOCKED &&
                       ++w.missed == MISSED_MAX) {
                give_up(rm, "no interrupt came");
            }
            w.slept = RM_SLEPT_NOT;
        }
        if (__atomic_load_n(&rm->kicks, __ATOMIC_ACQUIRE) == w.kicks) {
            rest(rm, &w, busy);
        }
    }
    g_mutex_unlock(&rm->ring_lock);
    g_ptr_array_free(w.set, true);
    return NULL;
}

bool rm_ring_start(VgspRm *rm)
{
    rm->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (rm->wake < 0) {
        return false;
    }
    rm->thread = g_thread_try_new("vgsp-rm", ring_thread, rm, NULL);
    if (!rm->thread) {
        close(rm->wake);
    }
    return rm->thread != NULL;
}

void rm_ring_stop(VgspRm *rm)
{
    RmFault *f;

    g_mutex_lock(&rm->ring_lock);
    rm->quit = true;
    rm_ring_kick(rm);
    g_mutex_unlock(&rm->ring_lock);
    g_thread_join(rm->thread);
    while ((f = g_queue_pop_head(&rm->faults))) {
        rm_context_unref(f->ctx);
        g_free(f);
    }
    close(rm->wake);
}

void rm_ring_add(RmContext *ctx)
{
    g_mutex_lock(&ctx->rm->ring_lock);
    ctx->live = true;
    g_ptr_array_add(ctx->rm->live, ctx);
    rm_ring_kick(ctx->rm);
    g_mutex_unlock(&ctx->rm->ring_lock);
}

void rm_ring_remove(RmContext *ctx)
{
    VgspRm *rm = ctx->rm;
    unsigned watches;

    g_mutex_lock(&rm->ring_lock);
    ctx->live = false;
    __atomic_store_n(&ctx->dead, true, __ATOMIC_RELAXED);
    g_ptr_array_remove(rm->live, ctx);
    rm_ring_kick(rm);
    __atomic_add_fetch(&rm->waiters, 1, __ATOMIC_SEQ_CST);
    tell(rm);
    /* The next watch is without it, and may last as long as others work. */
    watches = rm->watches;
    while (__atomic_load_n(&rm->delivering, __ATOMIC_ACQUIRE) == ctx ||
           (rm->watching && rm->watches == watches)) {
        g_cond_wait(&rm->delivered, &rm->ring_lock);
    }
    __atomic_sub_fetch(&rm->waiters, 1, __ATOMIC_SEQ_CST);
    g_mutex_unlock(&rm->ring_lock);
}

/* ---- Waiting for what runs ---- */

static RmContext *unfinished(VgspRm *rm)
{
    for (unsigned i = 0; i < rm->live->len; i++) {
        RmContext *ctx = g_ptr_array_index(rm->live, i);

        if (!ctx->dead && in_ring(ctx)) {
            return ctx;
        }
    }
    return NULL;
}

/* Nobody is putting something into a ring on the strength of an older look. */
static void spaces_pass(VgspRm *rm)
{
    GHashTableIter iter;
    gpointer object;

    g_rw_lock_reader_lock(&rm->table);
    g_hash_table_iter_init(&iter, rm->spaces);
    while (g_hash_table_iter_next(&iter, NULL, &object)) {
        g_mutex_lock(&((RmSpace *)object)->lock);
        g_mutex_unlock(&((RmSpace *)object)->lock);
    }
    g_rw_lock_reader_unlock(&rm->table);
}

void vgsp_rm_pause(VgspRm *rm)
{
    int64_t end = g_get_monotonic_time() + PAUSE_US;
    RmContext *ctx;

    __atomic_add_fetch(&rm->paused, 1, __ATOMIC_SEQ_CST);
    spaces_pass(rm);
    g_mutex_lock(&rm->ring_lock);
    __atomic_add_fetch(&rm->waiters, 1, __ATOMIC_SEQ_CST);
    while ((ctx = unfinished(rm))) {
        if (!g_cond_wait_until(&rm->delivered, &rm->ring_lock, end)) {
            uint32_t id = ctx->id;

            g_mutex_unlock(&rm->ring_lock);
            vgsp_rm_context_kill(rm, id, VGSP_OWNER_FAULT_TIMEOUT);
            g_mutex_lock(&rm->ring_lock);
        }
    }
    while (__atomic_load_n(&rm->delivering, __ATOMIC_ACQUIRE)) {
        g_cond_wait(&rm->delivered, &rm->ring_lock);
    }
    __atomic_sub_fetch(&rm->waiters, 1, __ATOMIC_SEQ_CST);
    g_mutex_unlock(&rm->ring_lock);
}

void vgsp_rm_unpause(VgspRm *rm)
{
    GHashTableIter iter;
    gpointer object;

    if (!__atomic_load_n(&rm->paused, __ATOMIC_RELAXED) ||
        __atomic_sub_fetch(&rm->paused, 1, __ATOMIC_SEQ_CST)) {
        return;
    }
    g_rw_lock_reader_lock(&rm->table);
    g_hash_table_iter_init(&iter, rm->contexts);
    while (g_hash_table_iter_next(&iter, NULL, &object)) {
        RmContext *ctx = object;

        g_mutex_lock(&ctx->space->lock);
        rm_ring_pump(ctx);
        g_mutex_unlock(&ctx->space->lock);
    }
    g_rw_lock_reader_unlock(&rm->table);
}

/* False: it does not end in time. */
static bool wait_idle(RmContext *ctx)
{
    int64_t end = g_get_monotonic_time() + HOLD_US;
    VgspRm *rm = ctx->rm;
    bool ok = true;

    g_mutex_lock(&rm->ring_lock);
    __atomic_add_fetch(&rm->waiters, 1, __ATOMIC_SEQ_CST);
    while (ok && ((!ctx->dead && in_ring(ctx)) ||
                  __atomic_load_n(&rm->delivering, __ATOMIC_ACQUIRE) == ctx)) {
        ok = g_cond_wait_until(&rm->delivered, &rm->ring_lock, end);
    }
    __atomic_sub_fetch(&rm->waiters, 1, __ATOMIC_SEQ_CST);
    g_mutex_unlock(&rm->ring_lock);
    return ok;
}

int vgsp_rm_context_hold(VgspRm *rm, uint32_t id, bool hold)
{
    RmContext *ctx;
    bool ok = true;

    g_rw_lock_reader_lock(&rm->table);
    ctx = g_hash_table_lookup(rm->contexts, GUINT_TO_POINTER(id));
    if (ctx) {
        rm_context_ref(ctx);
        g_mutex_lock(&ctx->space->lock);
        ctx->hold = hold;
        if (!hold) {
            rm_ring_pump(ctx);
        }
        g_mutex_unlock(&ctx->space->lock);
    }
    g_rw_lock_reader_unlock(&rm->table);
    if (!ctx) {
        return -ENOENT;
    }
    if (hold) {
        ok = wait_idle(ctx);
        if (!ok) {
            rm_log(rm, "context %u: the section that runs goes on to its end, "
                   "although the guest took it off the engine", id);
        }
    }
    rm_context_unref(ctx);
    return ok ? 0 : -EBUSY;
}
