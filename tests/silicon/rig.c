/*
 * Memory in a space, a context, and sections that are written method by
 * method: what the groups without recordings use.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "silicon.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/qmd.h"

static void completed(void *opaque, uint32_t context, uint64_t seq)
{
    SiliconRig *r = opaque;

    (void)context;
    g_mutex_lock(&r->lock);
    r->completed = MAX(r->completed, seq);
    g_cond_broadcast(&r->cond);
    g_mutex_unlock(&r->lock);
}

static void fault(void *opaque, const struct vgsp_owner_fault *f)
{
    SiliconRig *r = opaque;

    g_mutex_lock(&r->lock);
    if (!r->faulted) {
        r->faulted = true;
        r->fault = *f;
    }
    g_cond_broadcast(&r->cond);
    g_mutex_unlock(&r->lock);
}

static const VgspReplayEvents events = { completed, fault };

static bool setup(SiliconRig *r)
{
    const VgspReplayExecutor *x = r->s->executor;
    struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_MAP, .va = RIG_VA, .size = RIG_SIZE,
    };

    if (x->memory_add(r->ex, r->mem, RIG_SIZE, &r->memory) ||
        x->space_new(r->ex, &r->space)) {
        return false;
    }
    op.memory = r->memory;
    if (x->map(r->ex, r->space, &op, 1)) {
        return false;
    }
    op.size = RIG_VIEW_SIZE;
    for (op.kind = KIND_Z16; op.kind <= KIND_GENERIC; op.kind++) {
        op.va = RIG_VIEW(op.kind);
        if (x->map(r->ex, r->space, &op, 1)) {
            return false;
        }
    }
    return !x->context_new(r->ex, r->space, &r->context);
}

SiliconRig *rig_new(Silicon *s)
{
    SiliconRig *r = g_new0(SiliconRig, 1);
    VgspReplayConfig config = {
        .arg = s->arg, .events = &events, .opaque = r,
    };
    g_autofree char *why = NULL;

    r->s = s;
    g_mutex_init(&r->lock);
    g_cond_init(&r->cond);
    r->mem = vgsp_replay_memory_new(RIG_SIZE);
    r->ex = r->mem ? s->executor->open(&config, &why) : NULL;
    if (!r->ex || !setup(r)) {
        silicon_result(s, false, "a context: %s", why ? why : "refused");
        rig_free(r);
        return NULL;
    }
    return r;
}

void rig_free(SiliconRig *r)
{
    if (r->ex) {
        r->s->executor->close(r->ex);
    }
    if (r->mem) {
        vgsp_replay_memory_free(r->mem, RIG_SIZE);
    }
    g_mutex_clear(&r->lock);
    g_cond_clear(&r->cond);
    g_free(r);
}

bool rig_revive(SiliconRig *r)
{
    const VgspReplayExecutor *x = r->s->executor;

    x->context_del(r->ex, r->context);
    g_mutex_lock(&r->lock);
    r->faulted = false;
    g_mutex_unlock(&r->lock);
    return !x->context_new(r->ex, r->space, &r->context);
}

static void put_header(SiliconRig *r, uint32_t op, unsigned subchannel,
                       uint32_t method, uint32_t count)
{
    g_assert(r->count + 1 + count <= G_N_ELEMENTS(r->words));
    r->words[r->count++] = (uint32_t)(
        VGSP_SET(NVC46F_DMA_SEC_OP, op) |
        VGSP_SET(NVC46F_DMA_METHOD_COUNT, count) |
        VGSP_SET(NVC46F_DMA_METHOD_SUBCHANNEL, subchannel) |
        VGSP_SET(NVC46F_DMA_METHOD_ADDRESS, method / 4));
}

void rig_push(SiliconRig *r, unsigned subchannel, uint32_t method,
              uint32_t data)
{
    put_header(r, NVC46F_DMA_SEC_OP_INC_METHOD, subchannel, method, 1);
    r->words[r->count++] = data;
}

void rig_push_many(SiliconRig *r, unsigned subchannel, uint32_t method,
                   const uint32_t *data, uint32_t count)
{
    put_header(r, NVC46F_DMA_SEC_OP_NON_INC_METHOD, subchannel, method,
               count);
    memcpy(r->words + r->count, data, count * 4);
    r->count += count;
}

void rig_push_address(SiliconRig *r, unsigned subchannel, uint32_t method,
                      uint64_t va)
{
    rig_push(r, subchannel, method, (uint32_t)(va >> 32));
    rig_push(r, subchannel, method + 4, (uint32_t)va);
}

void rig_begin(SiliconRig *r)
{
    static const uint32_t classes[] = {
        TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
    };

    r->count = 0;
    for (unsigned i = 0; i < G_N_ELEMENTS(classes); i++) {
        rig_push(r, i, NVC46F_SET_OBJECT, classes[i]);
    }
}

/* ---- Launches ---- */

#define SUBC_COMPUTE                        1
#define INVALIDATE_SHADER_CACHES            0x021c
#define INVALIDATE_SHADER_CACHES_ALL        0x1011
#define INVALIDATE_SKED_CACHES              0x0298

void rig_qmd_field(uint32_t *qmd, unsigned hi, unsigned lo, uint64_t value)
{
    for (unsigned bit = lo; bit <= hi; bit++) {
        qmd[bit / 32] &= ~(1u << bit % 32);
        qmd[bit / 32] |= (uint32_t)(value >> (bit - lo) & 1) << bit % 32;
    }
}

void rig_qmd(uint32_t *q, uint64_t program, unsigned threads,
             unsigned registers)
{
    memset(q, 0, 256);
    rig_qmd_field(q, 134, 134, 1);  /* SM_GLOBAL_CACHING_ENABLE */
    rig_qmd_field(q, 378, 378, 1);  /* API_VISIBLE_CALL_LIMIT: NO_CHECK */
    rig_qmd_field(q, NVC5C0_QMDV02_03_CTA_RASTER_WIDTH, 1);
    rig_qmd_field(q, NVC5C0_QMDV02_03_CTA_RASTER_HEIGHT, 1);
    rig_qmd_field(q, NVC5C0_QMDV02_03_CTA_RASTER_DEPTH, 1);
    rig_qmd_field(q, 568, 562, 3);  /* MIN_SM_CONFIG_SHARED_MEM_SIZE */
    rig_qmd_field(q, NVC5C0_QMDV02_03_MAX_SM_CONFIG_SHARED_MEM_SIZE, 17);
    rig_qmd_field(q, 663, 657, 3);  /* TARGET_SM_CONFIG_SHARED_MEM_SIZE */
    rig_qmd_field(q, NVC5C0_QMDV02_03_QMD_VERSION, 2);
    rig_qmd_field(q, NVC5C0_QMDV02_03_QMD_MAJOR_VERSION, 2);
    rig_qmd_field(q, NVC5C0_QMDV02_03_CTA_THREAD_DIMENSION(0), threads);
    rig_qmd_field(q, NVC5C0_QMDV02_03_CTA_THREAD_DIMENSION(1), 1);
    rig_qmd_field(q, NVC5C0_QMDV02_03_CTA_THREAD_DIMENSION(2), 1);
    rig_qmd_field(q, NVC5C0_QMDV02_03_REGISTER_COUNT_V, registers);
    rig_qmd_field(q, NVC5C0_QMDV02_03_PROGRAM_ADDRESS_LOWER,
                  program & UINT32_MAX);
    rig_qmd_field(q, NVC5C0_QMDV02_03_PROGRAM_ADDRESS_UPPER, program >> 32);
}

void rig_begin_compute(SiliconRig *r)
{
    rig_begin(r);
    rig_push_address(r, SUBC_COMPUTE,
                     NVC5C0_SET_SHADER_SHARED_MEMORY_WINDOW_A, 0xfe000000);
    rig_push_address(r, SUBC_COMPUTE,
                     NVC5C0_SET_SHADER_LOCAL_MEMORY_WINDOW_A, 0xff000000);
    rig_push(r, SUBC_COMPUTE, INVALIDATE_SKED_CACHES, 0);
    rig_push(r, SUBC_COMPUTE, INVALIDATE_SHADER_CACHES,
             INVALIDATE_SHADER_CACHES_ALL);
}

void rig_launch(SiliconRig *r, uint64_t qmd)
{
    rig_push(r, SUBC_COMPUTE, NVC5C0_SEND_PCAS_A, (uint32_t)(qmd >> 8));
    rig_push(r, SUBC_COMPUTE, NVC5C0_SEND_SIGNALING_PCAS_B,
             (uint32_t)(NVC5C0_SEND_SIGNALING_PCAS_B_INVALIDATE |
                        NVC5C0_SEND_SIGNALING_PCAS_B_SCHEDULE));
}

/* ---- Running ---- */

typedef int Submit(void *ex, uint32_t context, const uint32_t *words,
                   uint32_t count, uint64_t seq);

static bool run(SiliconRig *r, Submit *submit)
{
    const VgspReplayExecutor *x = r->s->executor;
    gint64 start = g_get_monotonic_time();
    gint64 until = start + r->s->timeout_s * G_TIME_SPAN_SECOND;
    bool killed = false, ok;

    r->seq++;
    if (submit(r->ex, r->context, r->words, r->count, r->seq)) {
        r->faulted = true;
        r->fault = (struct vgsp_owner_fault) {
            .kind = VGSP_OWNER_FAULT_EXCEPTION,
        };
    }
    r->count = 0;
    g_mutex_lock(&r->lock);
    while (r->completed < r->seq && !r->faulted) {
        if (killed) {
            g_cond_wait(&r->cond, &r->lock);
        } else if (!g_cond_wait_until(&r->cond, &r->lock, until)) {
            killed = true;
            g_mutex_unlock(&r->lock);
            x->context_kill(r->ex, r->context, VGSP_OWNER_FAULT_TIMEOUT);
            g_mutex_lock(&r->lock);
        }
    }
    ok = !r->faulted;
    g_mutex_unlock(&r->lock);
    r->ns = (g_get_monotonic_time() - start) * 1000;
    r->s->faults += !ok && !r->s->model;
    return ok;
}

bool rig_run(SiliconRig *r)
{
    return run(r, r->s->executor->submit);
}

bool rig_run_copy(SiliconRig *r)
{
    return run(r, r->s->executor->copy);
}

bool rig_run_raw(SiliconRig *r)
{
    return run(r, r->s->executor->raw);
}

const char *rig_why(SiliconRig *r)
{
    static const char *const kinds[] = { "MMU fault", "exception", "time-out",
                                         "GPU lost" };
    static char text[160];

    snprintf(text, sizeof(text), "%s type 0x%x, method %u.%04x, data 0x%x, "
             "address 0x%" PRIx64 ", pc 0x%" PRIx64,
             r->fault.kind < G_N_ELEMENTS(kinds) ? kinds[r->fault.kind] : "?",
             r->fault.type, r->fault.method >> 16, r->fault.method & 0xffff,
             r->fault.data, (uint64_t)r->fault.address,
             (uint64_t)r->fault.pc);
    return text;
}

void rig_fill(uint8_t *mem, uint64_t size, uint32_t seed)
{
    uint32_t x = seed * 2654435761u + 1;

    for (uint64_t i = 0; i < size; i += 4) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
        vgsp_put_le32(mem + i, x);
    }
}

bool twin_new(Silicon *s, SiliconTwin *t)
{
    static Silicon model;

    *t = (SiliconTwin) { 0 };
    t->a = rig_new(s);
    if (t->a && !s->model) {
        model = *s;
        model.executor = &vgsp_replay_model;
        model.model = true;
        t->b = rig_new(&model);
    }
    return t->a && (s->model || t->b);
}

void twin_free(SiliconTwin *t)
{
    if (t->a) {
        rig_free(t->a);
    }
    if (t->b) {
        rig_free(t->b);
    }
}

void twin_begin(SiliconTwin *t, uint64_t size)
{
    rig_fill(t->a->mem, size, 1);
    if (t->b) {
        memcpy(t->b->mem, t->a->mem, size);
    }
    rig_begin(t->a);
}

/* False: the model's context died, which is said. */
static bool run_model(SiliconTwin *t, uint32_t count, const char *name)
{
    memcpy(t->b->words, t->a->words, count * 4);
    t->b->count = count;
    if (rig_run(t->b)) {
        return true;
    }
    silicon_result(t->a->s, false, "%s: the model: %s", name, rig_why(t->b));
    rig_revive(t->b);
    return false;
}

/* Whether the sides have the same bytes, in whatever order. */
static bool same_bytes(const SiliconTwin *t, uint64_t size)
{
    int64_t count[256] = { 0 };

    for (uint64_t i = 0; i < size; i++) {
        count[t->a->mem[i]]++;
        count[t->b->mem[i]]--;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(count); i++) {
        if (count[i]) {
            return false;
        }
    }
    return true;
}

void twin_run(SiliconTwin *t, uint64_t size, const char *name)
{
    g_autofree uint8_t *before = g_memdup2(t->a->mem, size);
    uint32_t count = t->a->count;
    Silicon *s = t->a->s;
    unsigned differ = 0, shown = 0;

    if (!rig_run(t->a)) {
        silicon_result(s, false, "%s: %s", name, rig_why(t->a));
        rig_revive(t->a);
        return;
    }
    if (!memcmp(before, t->a->mem, size)) {
        silicon_result(s, false, "%s: nothing was written", name);
        return;
    }
    if (!t->b) {
        silicon_result(s, true, "%s", name);
        return;
    }
    if (!run_model(t, count, name)) {
        return;
    }
    if (t->permuted && same_bytes(t, size)) {
        silicon_result(s, true, "%s: the same bytes%s", name,
                       memcmp(t->a->mem, t->b->mem, size)
                           ? ", in the order of their kind" : "");
        return;
    }
    for (uint64_t at = 0; at < size; at += 4) {
        uint32_t a = vgsp_le32(t->a->mem + at), b = vgsp_le32(t->b->mem + at);

        if (a != b) {
            differ++;
            if (shown++ < 3) {
                silicon_note("  0x%" PRIx64 ": model %08x, here %08x, before "
                             "%08x", at, b, a, vgsp_le32(before + at));
            }
        }
    }
    silicon_result(s, !differ, "%s: %u words differ", name, differ);
}
