/*
 * Rings: sections are copied behind each other into the context's push
 * buffer, each followed by a release of a word that counts them, which Host
 * performs when the engine is idle. One thread of the client looks at these
 * words: it spins (without a lock, not to hold up who submits) for a moment
 * after work was submitted or has retired, then sleeps longer and longer, and
 * waits while there is none.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <sys/prctl.h>

#include "owner/rm/rm-int.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/threed.h"

#define SPIN_US         100
#define WATCH_US        50          /* without ring_lock, at most */
#define WATCH_MAX       64u
#define SLEEP_MIN_US    10
#define SLEEP_MAX_US    500
#define LOOK_US         1000        /* between two looks at a notifier */
#define PAUSE_US        (10 * G_USEC_PER_SEC)

/* The words behind each piece: a header, and five methods. */
#define RELEASE_WORDS   6

static const uint32_t classes[VGSP_SECTION_SUBCHANNELS] = {
    TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
};

/* ---- What goes into the ring ---- */

static void fail(RmContext *ctx, const RmQueued *q,
                 const struct vgsp_owner_fault *fault)
{
    ctx->failing = g_memdup2(fault, sizeof(*fault));
    ctx->failing->seq = q->seq;
}

static bool check(RmContext *ctx, const RmQueued *q)
{
    struct vgsp_owner_fault fault = { .kind = VGSP_OWNER_FAULT_EXCEPTION };
    uint32_t bad;

    if (vgsp_section_check(q->words, q->count, classes, &bad)) {
        return true;
    }
    rm_log(ctx->rm, "context %u: word %u of its section is no method that "
           "may be executed: 0x%x", ctx->id, bad, q->words[bad]);
    fault.data = q->words[bad];
    fail(ctx, q, &fault);
    return false;
}

/* Fills ctx->out with the next piece of the section. */
static void prepare(RmContext *ctx, RmQueued *q)
{
    struct vgsp_owner_fault fault = { 0 };
    const char *why = "unknown";
    int ret;

    g_array_set_size(ctx->out, 0);
    ctx->out_wait = false;
    ctx->out_last = true;
    if (q->pos == 0 && !q->started && !q->raw && !check(ctx, q)) {
        return;
    }
    q->started = true;
    if (!ctx->translate || q->raw) {
        g_array_append_vals(ctx->out, q->words, q->count);
        ctx->out_ready = true;
        return;
    }
    ret = vgsp_translate_section(ctx->translate, q->words, q->count, &q->pos,
                                 ctx->out, &fault, &why);
    if (ret < 0) {
        rm_log(ctx->rm, "context %u: a section cannot be translated for %s: "
               "%s", ctx->id, ctx->rm->chip->name,
               ret == -EIO ? why : g_strerror(-ret));
        if (ret != -EIO) {
            fault.kind = VGSP_OWNER_FAULT_EXCEPTION;
        }
        fail(ctx, q, &fault);
        return;
    }
    ctx->out_ready = true;
    if (ret == VGSP_TRANSLATE_WAIT) {
        ctx->out_wait = true;
        ctx->out_last = false;
    }
    if (ctx->out->len > RM_PUSH_WORDS / 2) {
        rm_log(ctx->rm, "context %u: a section of %u words is too long",
               ctx->id, ctx->out->len);
        fault = (struct vgsp_owner_fault) {
            .kind = VGSP_OWNER_FAULT_EXCEPTION,
        };
        ctx->out_ready = false;
        fail(ctx, q, &fault);
    }
}

/* Whether a method of the section asks for the engine's interrupt. */
static bool awakens(const RmQueued *q)
{
    uint32_t pos = 0;
    VgspPushbuf pb;

    vgsp_pb_init(&pb);
    while (pos < q->count) {
        size_t used;
        VgspPbRun run;

        if (vgsp_pb_next(&pb, q->words + pos, q->count - pos, &used, &run) !=
            VGSP_PB_METHODS) {
            break;
        }
        pos += (uint32_t)used;
        /* Of 3D, and of compute, which has it at the same address. */
        for (uint32_t i = 0; i < run.count && run.subchannel < 2; i++) {
            if (vgsp_pb_run_method(&run, i) ==
                NVC597_SET_REPORT_SEMAPHORE_D / 4 &&
                run.data[i] & NVC597_SET_REPORT_SEMAPHORE_D_AWAKEN_ENABLE) {
                return true;
            }
        }
        pos += (uint32_t)vgsp_pb_advance(&pb, run.count);
    }
    return false;
}

/* ---- The ring ---- */

static uint32_t *words_of(const RmContext *ctx)
{
    return (uint32_t *)((uint8_t *)ctx->ring.ptr + RM_PUSH_OFFSET);
}

static uint32_t released(const RmContext *ctx)
{
    return __atomic_load_n((uint32_t *)((uint8_t *)ctx->ring.ptr +
                                        RM_RELEASE_OFFSET), __ATOMIC_ACQUIRE);
}

bool rm_ring_idle(RmContext *ctx)
{
    return ctx->dead || released(ctx) == ctx->put;
}

uint64_t rm_ring_running(const RmContext *ctx)
{
    uint32_t i = ctx->get == ctx->put ? ctx->get - 1 : ctx->get;

    return ctx->put ? ctx->slot[i % RM_RING_ENTRIES].seq : 0;
}

/* Where n words fit; false: nowhere until something retires. */
static bool room(RmContext *ctx, uint32_t n, uint32_t *at)
{
    if (ctx->put - ctx->get >= RM_RING_ENTRIES - 1) {
        return false;
    }
    if (ctx->put == ctx->get) {
        ctx->head = ctx->tail = 0;
    }
    *at = ctx->head;
    if (ctx->head < ctx->tail) {
        return ctx->tail - ctx->head > n;
    }
    if (RM_PUSH_WORDS - ctx->head < n) {
        *at = 0;
        return ctx->tail > n;
    }
    return true;
}

static void ring_doorbell(RmContext *ctx)
{
    uint32_t *put = (uint32_t *)((uint8_t *)ctx->userd.ptr +
                                 NVC46F_USERD_GP_PUT);
    uint32_t *doorbell = (uint32_t *)((uint8_t *)ctx->rm->doorbell.ptr +
                                      NVC361_NOTIFY_CHANNEL_PENDING);

    /*
     * The chip reads GP_PUT, then what lies before it, when the doorbell was
     * rung: which may be mapped write-combined.
     */
    __atomic_store_n(put, ctx->put % RM_RING_ENTRIES, __ATOMIC_RELEASE);
    rm_store_fence();
    __atomic_store_n(doorbell, ctx->token, __ATOMIC_RELAXED);
}

void rm_ring_kick(VgspRm *rm)
{
    __atomic_add_fetch(&rm->kicks, 1, __ATOMIC_RELEASE);
    if (rm->sleeping) {
        g_cond_signal(&rm->work);
    }
}

/* Copies ctx->out into the ring; ring_lock is held. */
static bool emit(RmContext *ctx, const RmQueued *q)
{
    uint32_t n = ctx->out->len + RELEASE_WORDS, at;
    uint32_t entry = ctx->put % RM_RING_ENTRIES;
    uint64_t release = ctx->va + RM_RELEASE_OFFSET, va;
    uint32_t *words, *ring = ctx->ring.ptr;

    if (!room(ctx, n, &at)) {
        return false;
    }
    words = words_of(ctx) + at;
    if (ctx->out->len) {        /* or it may have no data at all */
        memcpy(words, ctx->out->data, ctx->out->len * 4);
        words += ctx->out->len;
    }
    *words++ = (uint32_t)
        (VGSP_SET(NVC46F_DMA_SEC_OP, NVC46F_DMA_SEC_OP_INC_METHOD) |
         VGSP_SET(NVC46F_DMA_METHOD_COUNT, RELEASE_WORDS - 1) |
         VGSP_SET(NVC46F_DMA_METHOD_ADDRESS, NVC46F_SEM_ADDR_LO / 4));
    *words++ = (uint32_t)release;
    *words++ = (uint32_t)(release >> 32);
    *words++ = ctx->put + 1;
    *words++ = 0;
    *words++ = (uint32_t)
        (VGSP_SET(NVC46F_SEM_EXECUTE_OPERATION,
                  NVC46F_SEM_EXECUTE_OPERATION_RELEASE) |
         VGSP_SET(NVC46F_SEM_EXECUTE_RELEASE_WFI,
                  NVC46F_SEM_EXECUTE_RELEASE_WFI_EN) |
         VGSP_SET(NVC46F_SEM_EXECUTE_PAYLOAD_SIZE,
                  NVC46F_SEM_EXECUTE_PAYLOAD_SIZE_32BIT));
    va = ctx->va + RM_PUSH_OFFSET + (uint64_t)at * 4;
    ring[entry * 2] = (uint32_t)va;
    ring[entry * 2 + 1] = (uint32_t)
        (VGSP_SET(NVC46F_GP_ENTRY1_GET_HI, va >> 32) |
         VGSP_SET(NVC46F_GP_ENTRY1_LENGTH, n));
    ctx->slot[entry] = (RmSlot) {
        .seq = q->seq,
        .end = at + n,
        .last = ctx->out_last,
        .awakens = ctx->out_last && awakens(q),
    };
    if (ctx->put == ctx->get) {
        rm_ring_kick(ctx->rm);
    }
    ctx->head = at + n;
    ctx->put++;
    ring_doorbell(ctx);
    return true;
}

/* Whether the next piece has to wait; ring_lock is held. */
static bool held(RmContext *ctx)
{
    VgspRm *rm = ctx->rm;

    if (ctx->dead) {
        return true;
    }
    if (rm->paused) {
        return true;            /* vgsp_rm_unpause() pumps */
    }
    if ((ctx->failing || ctx->waits) && ctx->put != ctx->get) {
        ctx->stuck = true;
        return true;
    }
    ctx->waits = false;
    if (ctx->failing) {
        ctx->dead = true;
        rm_fault_queue(ctx, ctx->failing);
        return true;
    }
    return false;
}

void rm_ring_pump(RmContext *ctx)
{
    VgspRm *rm = ctx->rm;

    for (;;) {
        RmQueued *q;
        bool wait;

        /* Mostly nothing holds it, which is looked at again below. */
        wait = false;
        if (ctx->failing || ctx->waits ||
            __atomic_load_n(&ctx->dead, __ATOMIC_RELAXED) ||
            __atomic_load_n(&rm->paused, __ATOMIC_RELAXED)) {
            g_mutex_lock(&rm->ring_lock);
            wait = held(ctx);
            g_mutex_unlock(&rm->ring_lock);
        }
        q = g_queue_peek_head(&ctx->queue);
        if (wait || !q) {
            return;
        }
        if (!ctx->out_ready) {
            prepare(ctx, q);
            if (!ctx->out_ready) {
                continue;
            }
        }
        if (ctx->out->len || ctx->out_last) {
            g_mutex_lock(&rm->ring_lock);
            wait = ctx->dead || rm->paused;
            if (!wait && !emit(ctx, q)) {
                ctx->stuck = true;
                wait = true;
            }
            g_mutex_unlock(&rm->ring_lock);
            if (wait) {
                return;
            }
        }
        ctx->out_ready = false;
        ctx->waits = ctx->out_wait;
        if (ctx->out_last) {
            g_queue_pop_head(&ctx->queue);
            ctx->queued_words -= q->count;
            g_free(q);
            if (g_queue_is_empty(&ctx->queue)) {
                return;
            }
        }
    }
}

static int submit(VgspRm *rm, uint32_t context, const uint32_t *words,
                  uint32_t count, uint64_t seq, bool raw)
{
    RmContext *ctx;
    int ret = -ENOENT;

    if (count > VGSP_SECTION_WORDS_MAX) {
        return -EINVAL;
    }
    g_rw_lock_reader_lock(&rm->table);
    ctx = g_hash_table_lookup(rm->contexts, GUINT_TO_POINTER(context));
    if (ctx) {
        g_mutex_lock(&ctx->space->lock);
        if (__atomic_load_n(&ctx->dead, __ATOMIC_RELAXED)) {
            ret = -EIO;
        } else if (ctx->queue.length >= RM_QUEUE_SECTIONS ||
                   ctx->queued_words > RM_QUEUE_WORDS - count) {
            ret = -EAGAIN;
        } else {
            RmQueued *q = g_malloc(sizeof(*q) + count * sizeof(*words));

            *q = (RmQueued) { .seq = seq, .count = count, .raw = raw };
            if (count) {
                memcpy(q->words, words, count * sizeof(*words));
            }
            g_queue_push_tail(&ctx->queue, q);
            ctx->queued_words += count;
            rm_ring_pump(ctx);
            ret = 0;
        }
        g_mutex_unlock(&ctx->space->lock);
    }
    g_rw_lock_reader_unlock(&rm->table);
    return ret;
}

int vgsp_rm_submit(VgspRm *rm, uint32_t context, const uint32_t *words,
                   uint32_t count, uint64_t seq)
{
    return submit(rm, context, words, count, seq, false);
}

int vgsp_rm_submit_raw(VgspRm *rm, uint32_t context, const uint32_t *words,
                       uint32_t count, uint64_t seq)
{
    return submit(rm, context, words, count, seq, true);
}

/* ---- The thread ---- */

typedef struct RmRetired {
    bool any;                   /* a piece has retired, */
    bool section;               /* ... the last of one: up to seq */
    bool awakens;
    uint64_t seq;
} RmRetired;

static RmRetired retire(RmContext *ctx)
{
    uint32_t n = released(ctx) - ctx->get;
    RmRetired r = { 0 };

    /* The word is the driver's memory; only Host writes it. */
    if (n > ctx->put - ctx->get) {
        return r;
    }
    for (; n; n--) {
        const RmSlot *slot = &ctx->slot[ctx->get++ % RM_RING_ENTRIES];

        r.any = true;
        ctx->tail = slot->end;
        if (slot->last) {
            r.section = true;
            r.seq = slot->seq;
            r.awakens |= slot->awakens;
        }
    }
    return r;
}

/* A broadcast is a system call, whether somebody waits or not. */
static void tell(VgspRm *rm)
{
    if (rm->waiters) {
        g_cond_broadcast(&rm->delivered);
    }
}

/* Callbacks and more work for ctx, without ring_lock. */
static void deliver(VgspRm *rm, RmContext *ctx, const RmRetired *r, bool pump)
{
    rm_context_ref(ctx);
    rm->delivering = ctx;
    g_mutex_unlock(&rm->ring_lock);
    if (g_atomic_int_get(&ctx->space->shadows)) {
        /* What it wrote over programs is there when it is seen complete. */
        g_mutex_lock(&ctx->space->lock);
        rm_shadow_merge_all(ctx->space);
        g_mutex_unlock(&ctx->space->lock);
    }
    if (r->section) {
        rm->ops->completed(rm->opaque, ctx->id, r->seq);
        if (r->awakens && rm->ops->interrupt) {
            rm->ops->interrupt(rm->opaque, ctx->id);
        }
    }
    if (pump) {
        g_mutex_lock(&ctx->space->lock);
        rm_ring_pump(ctx);
        g_mutex_unlock(&ctx->space->lock);
    }
    g_mutex_lock(&rm->ring_lock);
    rm->delivering = NULL;
    tell(rm);
    rm_context_unref(ctx);
}

/* The driver has ended the context. */
static void ended(VgspRm *rm, RmContext *ctx, uint32_t code)
{
    struct vgsp_owner_fault fault = { .seq = rm_ring_running(ctx) };

    ctx->dead = true;
    rm_context_ref(ctx);
    rm->delivering = ctx;
    g_mutex_unlock(&rm->ring_lock);
    rm_fault_describe(ctx, code, &fault);
    g_mutex_lock(&rm->ring_lock);
    rm->delivering = NULL;
    rm_fault_queue(ctx, &fault);
    tell(rm);
    rm_context_unref(ctx);
}

static void report(VgspRm *rm)
{
    RmFault *f = g_queue_pop_head(&rm->faults);

    bool live = f->ctx->live;

    rm->delivering = f->ctx;
    g_mutex_unlock(&rm->ring_lock);
    if (live) {
        rm->ops->fault(rm->opaque, &f->fault);
    }
    g_mutex_lock(&rm->ring_lock);
    rm->delivering = NULL;
    tell(rm);
    rm_context_unref(f->ctx);
    g_free(f);
}

/* One look at all rings. Whether something happened, and whether some work. */
static bool look(VgspRm *rm, int64_t now, bool *busy)
{
    bool progress = false;

    *busy = false;
    for (unsigned i = 0; i < rm->live->len; i++) {
        RmContext *ctx = g_ptr_array_index(rm->live, i);
        RmRetired r;
        uint32_t code;
        bool bad = false;

        if (ctx->dead || ctx->put == ctx->get) {
            continue;
        }
        *busy = true;
        /* First the notifier: what retired before the error still counts. */
        if (now - ctx->looked > LOOK_US) {
            ctx->looked = now;
            bad = rm_fault_look(ctx, &code);
        }
        r = retire(ctx);
        if (r.any) {
            bool pump = ctx->stuck && !bad;

            progress = true;
            ctx->stuck = false;
            rm_context_ref(ctx);
            deliver(rm, ctx, &r, pump);
        }
        if (bad && ctx->live && !ctx->dead) {
            progress = true;
            ended(rm, ctx, code);
        }
        if (r.any) {
            rm_context_unref(ctx);
        }
    }
    return progress;
}

/*
 * Looks at the words alone until one of them changes, something else is to be
 * done, or it is time; ring_lock is held, but not meanwhile.
 */
static void watch(VgspRm *rm, int64_t until)
{
    uint32_t kicks = __atomic_load_n(&rm->kicks, __ATOMIC_ACQUIRE);
    const RmContext *ctx[WATCH_MAX];
    uint32_t get[WATCH_MAX];
    unsigned n = 0;
    bool go = true;

    for (unsigned i = 0; i < rm->live->len && n < WATCH_MAX; i++) {
        const RmContext *c = g_ptr_array_index(rm->live, i);

        if (!c->dead && c->put != c->get) {
            get[n] = c->get;
            ctx[n++] = c;
        }
    }
    rm->watching = true;
    g_mutex_unlock(&rm->ring_lock);
    while (go) {
        for (unsigned k = 0; k < 8 && go; k++) {
            rm_cpu_relax();
            go = __atomic_load_n(&rm->kicks, __ATOMIC_ACQUIRE) == kicks;
            for (unsigned i = 0; i < n && go; i++) {
                go = released(ctx[i]) == get[i];
            }
        }
        go = go && g_get_monotonic_time() < until;
    }
    g_mutex_lock(&rm->ring_lock);
    rm->watching = false;
    tell(rm);
}

static gpointer ring_thread(gpointer opaque)
{
    VgspRm *rm = opaque;
    int64_t spin = 0;
    unsigned sleep_us = SLEEP_MIN_US;

    /* Sleeps of microseconds are meant as such. */
    prctl(PR_SET_TIMERSLACK, 1000ul);
    g_mutex_lock(&rm->ring_lock);
    while (!rm->quit) {
        int64_t now = g_get_monotonic_time();
        bool busy;

        if (rm->faults.length) {
            report(rm);
            continue;
        }
        if (look(rm, now, &busy)) {
            spin = now + SPIN_US;
            sleep_us = SLEEP_MIN_US;
        } else if (now < spin) {
            watch(rm, MIN(spin, now + WATCH_US));
        } else if (!busy) {
            rm->sleeping = true;
            g_cond_wait(&rm->work, &rm->ring_lock);
            rm->sleeping = false;
            spin = g_get_monotonic_time() + SPIN_US;
            sleep_us = SLEEP_MIN_US;
        } else {
            g_mutex_unlock(&rm->ring_lock);
            g_usleep(sleep_us);
            sleep_us = MIN(sleep_us * 2, SLEEP_MAX_US);
            g_mutex_lock(&rm->ring_lock);
        }
    }
    g_mutex_unlock(&rm->ring_lock);
    return NULL;
}

bool rm_ring_start(VgspRm *rm)
{
    rm->thread = g_thread_try_new("vgsp-rm", ring_thread, rm, NULL);
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
}

void rm_ring_add(RmContext *ctx)
{
    g_mutex_lock(&ctx->rm->ring_lock);
    ctx->live = true;
    g_ptr_array_add(ctx->rm->live, ctx);
    g_mutex_unlock(&ctx->rm->ring_lock);
}

void rm_ring_remove(RmContext *ctx)
{
    VgspRm *rm = ctx->rm;

    g_mutex_lock(&rm->ring_lock);
    ctx->live = false;
    ctx->dead = true;
    g_ptr_array_remove(rm->live, ctx);
    rm_ring_kick(rm);
    rm->waiters++;
    while (rm->delivering == ctx || rm->watching) {
        g_cond_wait(&rm->delivered, &rm->ring_lock);
    }
    rm->waiters--;
    g_mutex_unlock(&rm->ring_lock);
}

/* ---- Pause ---- */

static RmContext *unfinished(VgspRm *rm)
{
    for (unsigned i = 0; i < rm->live->len; i++) {
        RmContext *ctx = g_ptr_array_index(rm->live, i);

        if (!ctx->dead && ctx->put != ctx->get) {
            return ctx;
        }
    }
    return NULL;
}

void vgsp_rm_pause(VgspRm *rm)
{
    int64_t end = g_get_monotonic_time() + PAUSE_US;
    RmContext *ctx;

    g_mutex_lock(&rm->ring_lock);
    rm->paused++;
    rm->waiters++;
    while ((ctx = unfinished(rm))) {
        if (!g_cond_wait_until(&rm->delivered, &rm->ring_lock, end)) {
            uint32_t id = ctx->id;

            g_mutex_unlock(&rm->ring_lock);
            vgsp_rm_context_kill(rm, id, VGSP_OWNER_FAULT_TIMEOUT);
            g_mutex_lock(&rm->ring_lock);
        }
    }
    while (rm->delivering) {
        g_cond_wait(&rm->delivered, &rm->ring_lock);
    }
    rm->waiters--;
    g_mutex_unlock(&rm->ring_lock);
}

void vgsp_rm_unpause(VgspRm *rm)
{
    GHashTableIter iter;
    gpointer object;
    bool go;

    g_mutex_lock(&rm->ring_lock);
    go = rm->paused && --rm->paused == 0;
    g_mutex_unlock(&rm->ring_lock);
    if (!go) {
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
