/*
 * Rings: sections are copied behind each other into the context's push
 * buffer, each followed by a release of a word that counts them, which Host
 * performs when the engine is idle. The client's thread looks at that word
 * (watch.c).
 *
 * What lies between a submission and the chip's first fetch, and between its
 * release and the callback, is all that this costs over a ring of one's own:
 * a microsecond of the chip's four. So whoever submits takes no lock that the
 * thread takes, wakes it only when it sleeps and after the doorbell was rung,
 * and neither writes a word that the other polls but put and get.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "owner/rm/rm-int.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/threed.h"

/* The words behind each piece: a header, and five methods. */
#define RELEASE_WORDS   6
/* Those that ask for the interrupt: a header, and one method. */
#define ASK_WORDS       2

_Static_assert(VGSP_SECTION_WORDS_MAX + RELEASE_WORDS <= RM_PUSH_WORDS,
               "the longest section fits");

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

static uint32_t got(const RmContext *ctx)
{
    return __atomic_load_n(&ctx->get, __ATOMIC_ACQUIRE);
}

bool rm_ring_idle(RmContext *ctx)
{
    return __atomic_load_n(&ctx->dead, __ATOMIC_RELAXED) ||
           rm_ring_released(ctx) == ctx->put;
}

uint64_t rm_ring_running(const RmContext *ctx)
{
    uint32_t put = __atomic_load_n(&ctx->put, __ATOMIC_ACQUIRE);
    uint32_t get = got(ctx), i = get == put ? get - 1 : get;

    return put ? ctx->slot[i % RM_RING_ENTRIES].seq : 0;
}

/* Where n words fit; false: nowhere until something retires. */
static bool room(RmContext *ctx, uint32_t n, uint32_t *at)
{
    uint32_t get = got(ctx), oldest;

    /*
     * A piece takes one entry or two; that which asks counts as retired before
     * Host has fetched it; and a ring that is full looks empty.
     */
    if (ctx->put - get > RM_RING_ENTRIES - 4) {
        return false;
    }
    if (ctx->put == get) {
        *at = 0;                /* these lines are in the cache */
        return true;
    }
    oldest = ctx->slot[get % RM_RING_ENTRIES].start;
    *at = ctx->head;
    if (ctx->head <= oldest) {
        return oldest - ctx->head > n;
    }
    if (RM_PUSH_WORDS - ctx->head < n) {
        *at = 0;
        return oldest > n;
    }
    return true;
}

static uint32_t header(uint32_t method, uint32_t count)
{
    return (uint32_t)
        (VGSP_SET(NVC46F_DMA_SEC_OP, NVC46F_DMA_SEC_OP_INC_METHOD) |
         VGSP_SET(NVC46F_DMA_METHOD_COUNT, count) |
         VGSP_SET(NVC46F_DMA_METHOD_ADDRESS, method / 4));
}

static void ring_doorbell(RmContext *ctx)
{
    uint32_t *put = (uint32_t *)((uint8_t *)ctx->userd.ptr +
                                 NVC46F_USERD_GP_PUT);
    uint32_t *doorbell = (uint32_t *)((uint8_t *)ctx->rm->doorbell.ptr +
                                      NVC361_NOTIFY_CHANNEL_PENDING);

    __atomic_store_n(put, ctx->put % RM_RING_ENTRIES, __ATOMIC_RELEASE);
    /*
     * The chip reads GP_PUT, then what lies before it, when the doorbell was
     * rung: which may be mapped write-combined, and then shall not wait for
     * company. The same fence is between our put and the look at whether the
     * thread sleeps.
     */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(doorbell, ctx->token, __ATOMIC_RELAXED);
    rm_store_fence();
}

static void set_entry(RmContext *ctx, uint32_t number, uint64_t offset,
                      uint32_t count)
{
    uint32_t *entry = (uint32_t *)ctx->ring.ptr + number % RM_RING_ENTRIES * 2;
    uint64_t va = ctx->va + offset;

    entry[0] = (uint32_t)va;
    entry[1] = (uint32_t)(VGSP_SET(NVC46F_GP_ENTRY1_GET_HI, va >> 32) |
                          VGSP_SET(NVC46F_GP_ENTRY1_LENGTH, count));
}

void rm_ring_init(RmContext *ctx)
{
    uint32_t *words = (uint32_t *)((uint8_t *)ctx->ring.ptr + RM_ASK_OFFSET);

    words[0] = header(NVC46F_NON_STALL_INTERRUPT, ASK_WORDS - 1);
    words[1] = 0;
}

/*
 * Puts a piece into the ring, with the interrupt behind it or not. Whether it
 * asks for it is decided here: what is queued behind something that takes so
 * long that the thread sleeps. The space's lock is held.
 *
 * The release says that the piece's words may be used again, so that what asks
 * cannot be among them: it has an entry of its own, which the release counts
 * too, and the same words each time.
 */
static bool put(RmContext *ctx, const uint32_t *piece, uint32_t count,
                RmSlot slot)
{
    VgspRm *rm = ctx->rm;
    uint32_t n = count + RELEASE_WORDS, before = ctx->put, after, *words;
    uint64_t release = ctx->va + RM_RELEASE_OFFSET;
    bool event = __atomic_load_n(&rm->event, __ATOMIC_RELAXED);

    if (!room(ctx, n, &slot.start)) {
        return false;
    }
    slot.asks |= event && got(ctx) != before &&
                 __atomic_load_n(&rm->sleeping, __ATOMIC_RELAXED);
    after = before + (slot.asks ? 2 : 1);
    words = words_of(ctx) + slot.start;
    if (count) {                /* or it may have no data at all */
        memcpy(words, piece, count * 4);
        words += count;
    }
    *words++ = header(NVC46F_SEM_ADDR_LO, RELEASE_WORDS - 1);
    *words++ = (uint32_t)release;
    *words++ = (uint32_t)(release >> 32);
    *words++ = after;
    *words++ = 0;
    *words = (uint32_t)
        (VGSP_SET(NVC46F_SEM_EXECUTE_OPERATION,
                  NVC46F_SEM_EXECUTE_OPERATION_RELEASE) |
         VGSP_SET(NVC46F_SEM_EXECUTE_RELEASE_WFI,
                  NVC46F_SEM_EXECUTE_RELEASE_WFI_EN) |
         VGSP_SET(NVC46F_SEM_EXECUTE_PAYLOAD_SIZE,
                  NVC46F_SEM_EXECUTE_PAYLOAD_SIZE_32BIT));
    set_entry(ctx, before, RM_PUSH_OFFSET + (uint64_t)slot.start * 4, n);
    ctx->slot[before % RM_RING_ENTRIES] = slot;
    if (slot.asks) {
        set_entry(ctx, before + 1, RM_ASK_OFFSET, ASK_WORDS);
        ctx->slot[(before + 1) % RM_RING_ENTRIES] = (RmSlot) {
            .seq = slot.seq, .start = slot.start, .asks = true,
        };
    }
    ctx->head = slot.start + n;
    __atomic_store_n(&ctx->put, after, __ATOMIC_RELEASE);
    ring_doorbell(ctx);
    /*
     * A thread that sleeps knows of what was in the ring then, and is told of
     * its end; if the driver does not tell it looks now and then.
     */
    if (__atomic_load_n(&rm->sleeping, __ATOMIC_ACQUIRE) &&
        (got(ctx) == before || (event && !slot.asks))) {
        rm_ring_kick(rm);
    }
    return true;
}

bool rm_ring_ask(RmContext *ctx)
{
    RmSlot slot = {
        .seq = ctx->slot[(ctx->put - 1) % RM_RING_ENTRIES].seq,
        .asks = true,
        .only = true,
    };

    if (ctx->hold || __atomic_load_n(&ctx->dead, __ATOMIC_RELAXED) ||
        __atomic_load_n(&ctx->rm->paused, __ATOMIC_RELAXED)) {
        return false;
    }
    return put(ctx, NULL, 0, slot);
}

/* The next piece of the section, which is ctx->out. */
static bool emit(RmContext *ctx, const RmQueued *q)
{
    return put(ctx, (const uint32_t *)(void *)ctx->out->data, ctx->out->len,
               (RmSlot) {
                   .seq = q->seq,
                   .last = ctx->out_last,
                   .awakens = ctx->out_last && awakens(q),
               });
}

/*
 * Something can go on only when something else has retired. False: it has,
 * meanwhile; true: the thread will pump.
 */
static bool stuck(RmContext *ctx, uint32_t get)
{
    __atomic_store_n(&ctx->stuck, true, __ATOMIC_SEQ_CST);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (got(ctx) == get) {
        return true;
    }
    __atomic_store_n(&ctx->stuck, false, __ATOMIC_RELAXED);
    return false;
}

/* Whether the next piece has to wait. */
static bool must_wait(RmContext *ctx)
{
    VgspRm *rm = ctx->rm;

    if (ctx->hold || __atomic_load_n(&ctx->dead, __ATOMIC_RELAXED) ||
        __atomic_load_n(&rm->paused, __ATOMIC_ACQUIRE)) {
        return true;            /* who ends that pumps */
    }
    if (!ctx->failing && !ctx->waits) {
        return false;
    }
    for (uint32_t get = got(ctx); get != ctx->put; get = got(ctx)) {
        if (stuck(ctx, get)) {
            return true;
        }
    }
    ctx->waits = false;
    if (!ctx->failing) {
        return false;
    }
    g_mutex_lock(&rm->ring_lock);
    if (!ctx->dead) {
        __atomic_store_n(&ctx->dead, true, __ATOMIC_RELAXED);
        rm_fault_queue(ctx, ctx->failing);
    }
    g_mutex_unlock(&rm->ring_lock);
    return true;
}

void rm_ring_pump(RmContext *ctx)
{
    for (;;) {
        RmQueued *q;

        if (must_wait(ctx)) {
            return;
        }
        q = g_queue_peek_head(&ctx->queue);
        if (!q) {
            return;
        }
        if (!ctx->out_ready) {
            prepare(ctx, q);
            if (!ctx->out_ready) {
                continue;
            }
        }
        if (ctx->out->len || ctx->out_last) {
            uint32_t get = got(ctx);

            while (!emit(ctx, q)) {
                if (stuck(ctx, get)) {
                    return;
                }
                get = got(ctx);
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
        /* The thread has written it last, and it is the first thing needed. */
        __builtin_prefetch(&ctx->get);
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
