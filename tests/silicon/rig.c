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
#include "vgsp/nv/host.h"

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
    return !x->map(r->ex, r->space, &op, 1) &&
           !x->context_new(r->ex, r->space, &r->context);
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

bool rig_run(SiliconRig *r)
{
    const VgspReplayExecutor *x = r->s->executor;
    gint64 start = g_get_monotonic_time();
    gint64 until = start + r->s->timeout_s * G_TIME_SPAN_SECOND;
    bool killed = false, ok;

    r->seq++;
    if (x->submit(r->ex, r->context, r->words, r->count, r->seq)) {
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
