/*
 * A small host engine: one thread a channel decodes the pushes of EXEC, runs
 * host methods (class NVC46F) and copies itself, and hands what goes to GR to
 * the model, all in sections. Specified by NVIDIA's clc46f.h and dev_pbdma.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "shim.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/host.h"

#define PUSH_CHUNK_WORDS    4096
#define ACQUIRE_POLL_US     50
/* How long work may take before the channel is given up. */
#define TIMEOUT_ENV         "VGSP_SHIM_TIMEOUT"
#define TIMEOUT_DEFAULT_S   20
#define EXECUTE_ENV         "VGSP_SHIM_EXECUTE"

/* What the model's callbacks touch. Never held while calling the model. */
static GMutex event_lock;
static GCond event_cond;
static GHashTable *contexts;    /* model's id -> ShimChannel */

static uint32_t next_channel = 1;

/* ---- The model's events ---- */

static uint64_t clock_ns(void *opaque)
{
    (void)opaque;
    return shim_clock_ns();
}

static void completed(void *opaque, uint32_t context, uint64_t seq)
{
    ShimChannel *ch;

    (void)opaque;
    g_mutex_lock(&event_lock);
    ch = g_hash_table_lookup(contexts, GUINT_TO_POINTER(context));
    if (ch) {
        ch->completed = MAX(ch->completed, seq);
    }
    g_cond_broadcast(&event_cond);
    g_mutex_unlock(&event_lock);
}

static void fault(void *opaque, const struct vgsp_owner_fault *f)
{
    static const char *const kinds[] = {
        "MMU fault", "exception", "time-out", "GPU lost",
    };
    ShimChannel *ch;

    (void)opaque;
    shim_log("context %u, section %" PRIu64 ": %s, type 0x%x", f->context,
             (uint64_t)f->seq,
             f->kind < G_N_ELEMENTS(kinds) ? kinds[f->kind] : "fault",
             f->type);
    if (f->valid & VGSP_OWNER_FAULT_HAS_ADDRESS) {
        shim_log("  address 0x%" PRIx64 ", access %u", (uint64_t)f->address,
                 f->access);
    }
    if (f->valid & VGSP_OWNER_FAULT_HAS_METHOD) {
        shim_log("  method 0x%x.0x%x, data 0x%x", f->method >> 16,
                 f->method & 0xffff, f->data);
    }
    if (f->valid & VGSP_OWNER_FAULT_HAS_PC) {
        shim_log("  pc 0x%" PRIx64 ": %016" PRIx64 " %016" PRIx64,
                 (uint64_t)f->pc, (uint64_t)f->insn[1], (uint64_t)f->insn[0]);
    }
    shim_record_fault(f);
    g_mutex_lock(&event_lock);
    ch = g_hash_table_lookup(contexts, GUINT_TO_POINTER(f->context));
    if (ch) {
        ch->dead = true;
    }
    g_cond_broadcast(&event_cond);
    g_mutex_unlock(&event_lock);
}

const VgspModelOps shim_model_ops = {
    .clock_ns = clock_ns,
    .completed = completed,
    .fault = fault,
};

static bool is_dead(ShimChannel *ch)
{
    bool dead;

    g_mutex_lock(&event_lock);
    dead = ch->dead;
    g_mutex_unlock(&event_lock);
    return dead;
}

bool shim_channel_error(ShimChannel *ch, const char *format, ...)
{
    g_autofree char *text = NULL;
    va_list ap;

    va_start(ap, format);
    text = g_strdup_vprintf(format, ap);
    va_end(ap);
    shim_log("channel %u: %s", ch->id, text);
    g_mutex_lock(&event_lock);
    ch->dead = true;
    g_mutex_unlock(&event_lock);
    return false;
}

/* ---- Sections ---- */

static GMutex alone;            /* recorded sections do not overlap */

bool shim_executes(void)
{
    return g_strcmp0(getenv(EXECUTE_ENV), "no");
}

static gint64 deadline(void)
{
    const char *env = getenv(TIMEOUT_ENV);
    gint64 s = env ? g_ascii_strtoll(env, NULL, 10) : TIMEOUT_DEFAULT_S;

    return g_get_monotonic_time() + s * G_USEC_PER_SEC;
}

/* Until section number seq has retired. */
static bool wait_seq(ShimChannel *ch, uint64_t seq)
{
    gint64 end = deadline();
    bool killed = false, ok;

    g_mutex_lock(&event_lock);
    while (ch->completed < seq && !ch->dead) {
        if (!g_cond_wait_until(&event_cond, &event_lock, end)) {
            if (killed) {
                ch->dead = true;
                break;
            }
            killed = true;
            g_mutex_unlock(&event_lock);
            vgsp_model_context_kill(shim_model, ch->context,
                                    VGSP_OWNER_FAULT_TIMEOUT);
            g_mutex_lock(&event_lock);
            end = g_get_monotonic_time() + G_USEC_PER_SEC;
        }
    }
    ok = !ch->dead;
    g_mutex_unlock(&event_lock);
    return ok;
}

static bool space_read(void *opaque, uint64_t va, void *buf, size_t len)
{
    return shim_space_read(((ShimChannel *)opaque)->space, va, buf, len);
}

static bool space_write(void *opaque, uint64_t va, const void *buf, size_t len)
{
    ShimChannel *ch = opaque;

    shim_record_wrote(ch->space->id, va, buf, len);
    return shim_space_write(ch->space, va, buf, len);
}

static const VgspCopyOps copy_ops = { space_read, space_write, clock_ns };

/* Copies run here and at once: whoever gathers them waits for GR first. */
static bool run_copies(ShimChannel *ch)
{
    VgspSectionWriter *w = &ch->copies;
    bool ok;

    ch->seq++;
    if (shim_recording()) {
        g_mutex_lock(&alone);
        shim_record_begin(ch->context, true, w->words, w->count, ch->seq);
    }
    ch->ce.budget = UINT64_MAX;
    ok = vgsp_copy_section(&ch->ce, w->words, w->count);
    w->count = 0;
    if (shim_recording()) {
        shim_record_end(ch->context, ch->seq,
                        !ok ? VGSP_OUTCOME_FAULT : shim_executes()
                        ? VGSP_OUTCOME_RETIRED : VGSP_OUTCOME_NOT_RUN);
        g_mutex_unlock(&alone);
    }
    g_mutex_lock(&event_lock);
    ch->completed = ch->seq;
    g_mutex_unlock(&event_lock);
    return ok || shim_channel_error(ch, "copy: %s", ch->ce.error);
}

/* Says that the section has retired, which did not run. */
static bool pass_over(ShimChannel *ch)
{
    VgspSectionWriter *w = &ch->section;

    if (shim_recording()) {
        g_mutex_lock(&alone);
        shim_record_begin(ch->context, false, w->words, w->count, ch->seq);
        shim_record_end(ch->context, ch->seq, VGSP_OUTCOME_NOT_RUN);
        g_mutex_unlock(&alone);
    }
    w->count = 0;
    g_mutex_lock(&event_lock);
    ch->completed = ch->seq;
    g_mutex_unlock(&event_lock);
    return true;
}

static bool submit(ShimChannel *ch)
{
    VgspSectionWriter *w = &ch->section;
    uint32_t bad;
    bool ok;
    int r;

    if (ch->copies.count) {
        return !is_dead(ch) && run_copies(ch);
    }
    if (!w->count) {
        return !is_dead(ch);
    }
    if (!vgsp_section_check(w->words, w->count, ch->cls, &bad)) {
        return shim_channel_error(ch, "section refused at word %u (0x%x)", bad,
                                  w->words[bad]);
    }
    ch->seq++;
    if (!shim_executes() && !ch->upload) {
        return pass_over(ch);
    }
    if (shim_recording()) {
        g_mutex_lock(&alone);
        shim_record_begin(ch->context, false, w->words, w->count, ch->seq);
    }
    while ((r = vgsp_model_submit(shim_model, ch->context, w->words, w->count,
                                  ch->seq)) == -EAGAIN) {
        if (!wait_seq(ch, ch->seq - 1)) {
            break;
        }
    }
    w->count = 0;
    ok = !r;
    if (r && r != -EIO) {
        shim_channel_error(ch, "submission: %s", g_strerror(-r));
    }
    if (shim_recording()) {
        ok = ok && wait_seq(ch, ch->seq);
        shim_record_end(ch->context, ch->seq,
                        ok ? VGSP_OUTCOME_RETIRED : VGSP_OUTCOME_FAULT);
        g_mutex_unlock(&alone);
    }
    return ok;
}

static bool wait_idle(ShimChannel *ch)
{
    return submit(ch) && wait_seq(ch, ch->seq);
}

/* ---- Host methods ---- */

typedef struct Semaphore {
    uint64_t va, payload;
    unsigned op;                /* SEM_EXECUTE's codes */
    bool is_64bit, timestamp, wfi;
    unsigned reduction;
    bool is_signed;
} Semaphore;

static bool acquire(ShimChannel *ch, const Semaphore *sem)
{
    for (;;) {
        uint64_t v = 0, p = sem->payload;
        bool ok;

        if (!shim_space_read(ch->space, sem->va, &v, sem->is_64bit ? 8 : 4)) {
            return shim_channel_error(ch, "acquire at 0x%" PRIx64, sem->va);
        }
        switch (sem->op) {
        case NVC46F_SEM_EXECUTE_OPERATION_ACQUIRE:
            ok = v == p;
            break;
        case NVC46F_SEM_EXECUTE_OPERATION_ACQ_STRICT_GEQ:
            ok = v >= p;
            break;
        case NVC46F_SEM_EXECUTE_OPERATION_ACQ_CIRC_GEQ:
            ok = sem->is_64bit ? (int64_t)(v - p) >= 0
                               : (int32_t)((uint32_t)v - (uint32_t)p) >= 0;
            break;
        case NVC46F_SEM_EXECUTE_OPERATION_ACQ_AND:
            ok = v & p;
            break;
        default:
            ok = sem->is_64bit ? ~(v | p) : ~(uint32_t)(v | p);
            break;
        }
        if (ok) {
            return true;
        }
        g_mutex_lock(&shim_lock);
        ok = !ch->stop;
        g_mutex_unlock(&shim_lock);
        if (!ok || is_dead(ch)) {
            return false;
        }
        g_usleep(ACQUIRE_POLL_US);
    }
}

static uint64_t reduce(const Semaphore *sem, uint64_t v)
{
    uint64_t p = sem->payload;
    bool less = sem->is_signed ?
        (sem->is_64bit ? (int64_t)v < (int64_t)p : (int32_t)v < (int32_t)p) :
        v < p;

    switch (sem->reduction) {
    case NVC46F_SEM_EXECUTE_REDUCTION_IMIN:
        return less ? v : p;
    case NVC46F_SEM_EXECUTE_REDUCTION_IMAX:
        return less ? p : v;
    case NVC46F_SEM_EXECUTE_REDUCTION_IXOR:
        return v ^ p;
    case NVC46F_SEM_EXECUTE_REDUCTION_IAND:
        return v & p;
    case NVC46F_SEM_EXECUTE_REDUCTION_IOR:
        return v | p;
    case NVC46F_SEM_EXECUTE_REDUCTION_IADD:
        return v + p;
    case NVC46F_SEM_EXECUTE_REDUCTION_INC:
        return v >= p ? 0 : v + 1;
    default:
        return !v || v > p ? p : v - 1;
    }
}

static bool semaphore(ShimChannel *ch, const Semaphore *sem)
{
    unsigned size = sem->is_64bit ? 8 : 4;
    uint64_t words[2] = { sem->payload };

    if (!submit(ch)) {
        return false;
    }
    if (sem->op != NVC46F_SEM_EXECUTE_OPERATION_RELEASE &&
        sem->op != NVC46F_SEM_EXECUTE_OPERATION_REDUCTION) {
        return acquire(ch, sem);
    }
    if (sem->wfi && !wait_idle(ch)) {
        return false;
    }
    if (sem->op == NVC46F_SEM_EXECUTE_OPERATION_REDUCTION) {
        words[0] = 0;
        if (!shim_space_read(ch->space, sem->va, words, size)) {
            return shim_channel_error(ch, "reduction at 0x%" PRIx64, sem->va);
        }
        words[0] = reduce(sem, words[0]);
    } else if (sem->timestamp) {
        size = sizeof(words);
        words[1] = shim_clock_ns();
    }
    if (!shim_space_write(ch->space, sem->va, words, size)) {
        return shim_channel_error(ch, "release at 0x%" PRIx64, sem->va);
    }
    return true;
}

static bool sem_execute(ShimChannel *ch, uint32_t data)
{
    Semaphore sem = {
        .va = VGSP_GET(NVC46F_SEM_ADDR_HI_OFFSET, ch->sem_addr_hi) << 32 |
              (ch->sem_addr_lo & NVC46F_SEM_ADDR_LO_OFFSET),
        .op = VGSP_GET(NVC46F_SEM_EXECUTE_OPERATION, data),
        .is_64bit = VGSP_GET(NVC46F_SEM_EXECUTE_PAYLOAD_SIZE, data),
        .timestamp = VGSP_GET(NVC46F_SEM_EXECUTE_RELEASE_TIMESTAMP, data),
        .wfi = VGSP_GET(NVC46F_SEM_EXECUTE_RELEASE_WFI, data),
        .reduction = VGSP_GET(NVC46F_SEM_EXECUTE_REDUCTION, data),
        .is_signed = !VGSP_GET(NVC46F_SEM_EXECUTE_REDUCTION_FORMAT, data),
    };

    sem.payload = ch->sem_payload_lo |
                  (sem.is_64bit ? (uint64_t)ch->sem_payload_hi << 32 : 0);
    return semaphore(ch, &sem);
}

static bool semaphored(ShimChannel *ch, uint32_t data)
{
    static const uint8_t ops[] = {
        [NVC46F_SEMAPHORED_OPERATION_ACQUIRE] =
            NVC46F_SEM_EXECUTE_OPERATION_ACQUIRE,
        [NVC46F_SEMAPHORED_OPERATION_RELEASE] =
            NVC46F_SEM_EXECUTE_OPERATION_RELEASE,
        [NVC46F_SEMAPHORED_OPERATION_ACQ_GEQ] =
            NVC46F_SEM_EXECUTE_OPERATION_ACQ_CIRC_GEQ,
        [NVC46F_SEMAPHORED_OPERATION_ACQ_AND] =
            NVC46F_SEM_EXECUTE_OPERATION_ACQ_AND,
        [NVC46F_SEMAPHORED_OPERATION_REDUCTION] =
            NVC46F_SEM_EXECUTE_OPERATION_REDUCTION,
    };
    unsigned op = VGSP_GET(NVC46F_SEMAPHORED_OPERATION, data);
    Semaphore sem = {
        .va = VGSP_GET(NVC46F_SEMAPHOREA_OFFSET_UPPER, ch->legacy_a) << 32 |
              (ch->legacy_b & NVC46F_SEMAPHOREB_OFFSET_LOWER),
        .payload = ch->legacy_c,
        .timestamp = VGSP_GET(NVC46F_SEMAPHORED_RELEASE_SIZE, data) ==
                     NVC46F_SEMAPHORED_RELEASE_SIZE_16BYTE,
        .wfi = VGSP_GET(NVC46F_SEMAPHORED_RELEASE_WFI, data) ==
               NVC46F_SEMAPHORED_RELEASE_WFI_EN,
        .reduction = VGSP_GET(NVC46F_SEMAPHORED_REDUCTION, data),
        .is_signed = !VGSP_GET(NVC46F_SEMAPHORED_FORMAT, data),
    };

    if (!op || (op & (op - 1))) {
        return shim_channel_error(ch, "SEMAPHORED 0x%x", data);
    }
    sem.op = ops[op];
    return semaphore(ch, &sem);
}

/* Gathers methods for the copy engine. Changing to it waits for GR. */
static uint32_t copy_methods(ShimChannel *ch, const VgspPbRun *run)
{
    uint32_t n;

    if (!ch->copies.count && !wait_idle(ch)) {
        return 0;
    }
    while (!(n = vgsp_section_append(&ch->copies, run, run->count))) {
        if (!submit(ch)) {
            return 0;
        }
    }
    return n;
}

static uint32_t gr_methods(ShimChannel *ch, const VgspPbRun *run, uint32_t n)
{
    bool upload = shim_legacy_uploads(ch, run);
    uint32_t done;

    if ((ch->copies.count || upload != ch->upload) && !submit(ch)) {
        return 0;
    }
    ch->upload = upload;
    while (!(done = vgsp_section_append(&ch->section, run, n))) {
        if (!submit(ch)) {
            return 0;
        }
    }
    if (ch->legacy && shim_legacy_releases(ch, run, done)) {
        /* Whoever sees it may use memory again that is recorded now. */
        if (!submit(ch)) {
            return 0;
        }
        shim_legacy_release(ch);
    }
    return done;
}

static bool set_object(ShimChannel *ch, const VgspPbRun *run)
{
    static const uint32_t classes[] = {
        TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
        TURING_DMA_COPY_A,
    };
    uint32_t cls = VGSP_GET(NVC46F_SET_OBJECT_NVCLASS, run->data[0]);
    VgspPbRun one = *run;

    one.count = 1;
    if (run->subchannel >= G_N_ELEMENTS(classes) ||
        cls != classes[run->subchannel]) {
        return shim_channel_error(ch, "class 0x%x on subchannel %u", cls,
                                  run->subchannel);
    }
    if (run->subchannel >= G_N_ELEMENTS(ch->cls)) {
        return copy_methods(ch, &one);
    }
    if (!gr_methods(ch, &one, 1)) {
        return false;
    }
    ch->cls[run->subchannel] = cls;
    return true;
}

static bool host_method(ShimChannel *ch, const VgspPbRun *run)
{
    uint32_t data = run->data[0];

    switch (run->method * 4) {
    case NVC46F_SET_OBJECT:
        return set_object(ch, run);
    case NVC46F_NOP:
    case NVC46F_NON_STALL_INTERRUPT:
    case NVC46F_FB_FLUSH:
    case NVC46F_YIELD:
    /* Memory is flat here: nothing to flush or to invalidate. */
    case NVC46F_MEM_OP_A:
    case NVC46F_MEM_OP_B:
    case NVC46F_MEM_OP_C:
    case NVC46F_MEM_OP_D:
        return true;
    case NVC46F_SEMAPHOREA:
        ch->legacy_a = data;
        return true;
    case NVC46F_SEMAPHOREB:
        ch->legacy_b = data;
        return true;
    case NVC46F_SEMAPHOREC:
        ch->legacy_c = data;
        return true;
    case NVC46F_SEMAPHORED:
        return semaphored(ch, data);
    case NVC46F_SEM_ADDR_LO:
        ch->sem_addr_lo = data;
        return true;
    case NVC46F_SEM_ADDR_HI:
        ch->sem_addr_hi = data;
        return true;
    case NVC46F_SEM_PAYLOAD_LO:
        ch->sem_payload_lo = data;
        return true;
    case NVC46F_SEM_PAYLOAD_HI:
        ch->sem_payload_hi = data;
        return true;
    case NVC46F_SEM_EXECUTE:
        return sem_execute(ch, data);
    case NVC46F_SET_REFERENCE:
    case NVC46F_WFI:
        return wait_idle(ch);
    default:
        return shim_channel_error(ch, "host method 0x%x", run->method * 4);
    }
}

/* ---- Pushes ---- */

/* Performs methods of the run and says how many in *n. */
static bool methods(ShimChannel *ch, const VgspPbRun *run, uint32_t *n)
{
    *n = 1;
    if (run->method * 4 < NVC46F_HOST_METHODS_END) {
        return host_method(ch, run);
    }
    if (run->subchannel < G_N_ELEMENTS(ch->cls)) {
        *n = gr_methods(ch, run, run->count);
        return *n;
    }
    if (run->subchannel == VGSP_COPY_SUBCHANNEL) {
        *n = copy_methods(ch, run);
        return *n;
    }
    return shim_channel_error(ch, "method 0x%x of subchannel %u",
                              run->method * 4, run->subchannel);
}

static bool push_words(ShimChannel *ch, const uint32_t *words, size_t count,
                       bool *end)
{
    for (;;) {
        VgspPbRun run;
        size_t used;
        VgspPbStatus status = vgsp_pb_next(&ch->pb, words, count, &used, &run);
        uint32_t n;

        words += used;
        count -= used;
        if (status == VGSP_PB_MORE) {
            return true;
        }
        if (status == VGSP_PB_END_SEGMENT) {
            *end = true;
            return true;
        }
        if (vgsp_pb_is_error(status)) {
            return shim_channel_error(ch, "push-buffer header (error %d)",
                                      status);
        }
        if (!methods(ch, &run, &n)) {
            return false;
        }
        used = vgsp_pb_advance(&ch->pb, n);
        words += used;
        count -= used;
    }
}

static bool push(ShimChannel *ch, const ShimPush *p)
{
    static __thread uint32_t words[PUSH_CHUNK_WORDS];
    uint64_t va = p->va;
    uint32_t left = p->words;
    bool end = false;

    while (left && !end) {
        uint32_t n = MIN(left, PUSH_CHUNK_WORDS);

        if (!shim_space_read(ch->space, va, words, n * 4)) {
            return shim_channel_error(ch, "push at 0x%" PRIx64, va);
        }
        if (!push_words(ch, words, n, &end)) {
            return false;
        }
        va += n * 4;
        left -= n;
    }
    return true;
}

/* ---- Jobs ---- */

ShimJob *shim_job_new(void)
{
    ShimJob *job = g_new0(ShimJob, 1);

    job->waits = g_ptr_array_new();
    job->signals = g_ptr_array_new();
    job->pushes = g_array_new(FALSE, FALSE, sizeof(ShimPush));
    return job;
}

void shim_job_free(ShimJob *job)
{
    for (guint i = 0; i < job->waits->len; i++) {
        shim_fence_unref(g_ptr_array_index(job->waits, i));
    }
    for (guint i = 0; i < job->signals->len; i++) {
        shim_fence_signal(g_ptr_array_index(job->signals, i));
        shim_fence_unref(g_ptr_array_index(job->signals, i));
    }
    g_ptr_array_free(job->waits, TRUE);
    g_ptr_array_free(job->signals, TRUE);
    g_array_free(job->pushes, TRUE);
    g_free(job);
}

static bool waiting(const ShimJob *job)
{
    for (guint i = 0; i < job->waits->len; i++) {
        const ShimFence *f = g_ptr_array_index(job->waits, i);

        if (!f->done) {
            return true;
        }
    }
    return false;
}

static gpointer channel_thread(gpointer opaque)
{
    ShimChannel *ch = opaque;
    ShimJob *job;

    g_mutex_lock(&shim_lock);
    for (;;) {
        job = g_queue_peek_head(&ch->jobs);
        if (!job && ch->stop) {
            break;
        }
        if (!job || (waiting(job) && !ch->stop)) {
            g_cond_wait(&shim_cond, &shim_lock);
            continue;
        }
        g_mutex_unlock(&shim_lock);
        if (!is_dead(ch)) {
            for (guint i = 0; i < job->pushes->len; i++) {
                if (!push(ch, &g_array_index(job->pushes, ShimPush, i))) {
                    break;
                }
            }
            wait_idle(ch);
        }
        g_mutex_lock(&shim_lock);
        g_queue_pop_head(&ch->jobs);
        shim_job_free(job);
    }
    g_mutex_unlock(&shim_lock);
    return NULL;
}

void shim_channel_queue(ShimChannel *ch, ShimJob *job)
{
    g_queue_push_tail(&ch->jobs, job);
    g_cond_broadcast(&shim_cond);
}

ShimChannel *shim_channel_new(ShimSpace *space)
{
    ShimChannel *ch = g_new0(ShimChannel, 1);

    if (vgsp_model_context_new(shim_model, space->id, &ch->context)) {
        g_free(ch);
        return NULL;
    }
    shim_record_context(space->id, ch->context, true);
    ch->id = next_channel++;
    ch->space = space;
    ch->section.words = g_new(uint32_t, VGSP_SECTION_WORDS_MAX);
    ch->section.max = VGSP_SECTION_WORDS_MAX;
    ch->copies.words = g_new(uint32_t, VGSP_SECTION_WORDS_MAX);
    ch->copies.max = VGSP_SECTION_WORDS_MAX;
    ch->ce.ops = &copy_ops;
    ch->ce.opaque = ch;
    vgsp_pb_init(&ch->pb);
    g_queue_init(&ch->jobs);
    g_mutex_lock(&event_lock);
    if (!contexts) {
        contexts = g_hash_table_new(NULL, NULL);
    }
    g_hash_table_insert(contexts, GUINT_TO_POINTER(ch->context), ch);
    g_mutex_unlock(&event_lock);
    ch->thread = g_thread_new("vgsp-shim-channel", channel_thread, ch);
    return ch;
}

void shim_channel_free(ShimChannel *ch)
{
    g_mutex_lock(&shim_lock);
    ch->stop = true;
    g_cond_broadcast(&shim_cond);
    g_mutex_unlock(&shim_lock);
    g_thread_join(ch->thread);
    vgsp_model_context_del(shim_model, ch->context);
    shim_record_context(ch->space->id, ch->context, false);
    g_mutex_lock(&event_lock);
    g_hash_table_remove(contexts, GUINT_TO_POINTER(ch->context));
    g_mutex_unlock(&event_lock);
    if (ch->last) {
        shim_fence_unref(ch->last);
    }
    g_free(ch->section.words);
    g_free(ch->copies.words);
    g_free(ch);
}
