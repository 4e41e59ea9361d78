/*
 * The model executor: the functional model of hw-vgsp/model in this process.
 * The chip of an RTX 2080 SUPER and the virtual clock; nothing that it computes
 * is a physical GPU's work.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/atomic.h"
#include "qemu/rcu.h"
#include "qemu/timer.h"
#include "device/memory.h"
#include "model/model.h"
#include "owner/executor.h"

#define MODEL_THREADS_MAX   64
/* Memory objects at a time: VRAM, and the guest's RAM blocks. */
#define MODEL_MEMORY_MAX    1024

typedef struct ModelExecutor {
    VgspExecutor parent;
    VgspState *s;
    const VgspExecutorEvents *events;
    VgspModel *model;
    /*
     * Where an object's memory lies. Set before it is mapped anywhere, so the
     * model's threads see it; they are through with it when it is removed.
     */
    struct {
        uint32_t id;
        uint8_t *host;
    } memory[MODEL_MEMORY_MAX];
    unsigned memories;          /* slots ever used; atomic */
} ModelExecutor;

/* ---- From the model's threads ---- */

/*
 * The model's threads are not QEMU's, and what tracks dirty memory reads data
 * under RCU: a thread registers with it at its first report, and leaves it at
 * its end.
 */
static void model_thread_end(gpointer registered)
{
    rcu_unregister_thread();
}

static GPrivate model_thread = G_PRIVATE_INIT(model_thread_end);

static uint64_t model_clock(void *opaque)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static void model_wrote(void *opaque, uint32_t memory, uint64_t offset,
                        uint64_t size)
{
    ModelExecutor *m = opaque;
    unsigned n = qatomic_load_acquire(&m->memories);

    if (!g_private_get(&model_thread)) {
        rcu_register_thread();
        g_private_set(&model_thread, m);
    }
    for (unsigned i = 0; i < n; i++) {
        uint8_t *host = qatomic_read(&m->memory[i].host);

        if (host && qatomic_read(&m->memory[i].id) == memory) {
            vgsp_ram_wrote(host + offset, size);
            return;
        }
    }
}

static void model_completed(void *opaque, uint32_t context, uint64_t seq)
{
    ModelExecutor *m = opaque;

    m->events->completed(m->s, context, seq);
}

static void model_interrupt(void *opaque, uint32_t context)
{
    ModelExecutor *m = opaque;

    m->events->interrupt(m->s, context);
}

static void model_fault(void *opaque, const struct vgsp_owner_fault *fault)
{
    ModelExecutor *m = opaque;

    m->events->fault(m->s, fault);
}

static const VgspModelOps model_ops = {
    .clock_ns = model_clock,
    .wrote = model_wrote,
    .completed = model_completed,
    .interrupt = model_interrupt,
    .fault = model_fault,
};

/* ---- The executor ---- */

static VgspExecutor *model_open(VgspState *s, const char *arg,
                                const VgspExecutorEvents *events,
                                VgspChip *chip, Error **errp)
{
    ModelExecutor *m;
    VgspModelConfig config = {
        .chip = &vgsp_chip_tu104,
        .threads = s->model_threads,
        .ops = &model_ops,
    };

    if (s->model_threads > MODEL_THREADS_MAX) {
        error_setg(errp, "'model-threads' must be at most %d",
                   MODEL_THREADS_MAX);
        return NULL;
    }
    m = g_new0(ModelExecutor, 1);
    m->parent.ops = &vgsp_executor_model;
    m->s = s;
    m->events = events;
    config.opaque = m;
    m->model = vgsp_model_new(&config);
    if (!m->model) {
        error_setg(errp, "cannot create the model's threads");
        g_free(m);
        return NULL;
    }
    *chip = vgsp_chip_tu104;
    return &m->parent;
}

static VgspModel *model_of(VgspExecutor *ex)
{
    return container_of(ex, ModelExecutor, parent)->model;
}

static void model_close(VgspExecutor *ex)
{
    ModelExecutor *m = container_of(ex, ModelExecutor, parent);

    vgsp_model_free(m->model);
    g_free(m);
}

static uint64_t model_clock_ns(VgspExecutor *ex)
{
    return model_clock(ex);
}

static int model_memory_add(VgspExecutor *ex, void *host, uint64_t size,
                            uint32_t *id)
{
    ModelExecutor *m = container_of(ex, ModelExecutor, parent);
    unsigned i = 0;
    int ret;

    while (i < m->memories && m->memory[i].host) {
        i++;
    }
    if (i == MODEL_MEMORY_MAX) {
        return -ENOMEM;
    }
    ret = vgsp_model_memory_add(m->model, host, size, id);
    if (ret < 0) {
        return ret;
    }
    qatomic_set(&m->memory[i].id, *id);
    qatomic_set(&m->memory[i].host, host);
    if (i == m->memories) {
        qatomic_store_release(&m->memories, i + 1);
    }
    return 0;
}

static int model_memory_del(VgspExecutor *ex, uint32_t id)
{
    ModelExecutor *m = container_of(ex, ModelExecutor, parent);
    int ret = vgsp_model_memory_del(m->model, id);

    for (unsigned i = 0; i < m->memories && !ret; i++) {
        if (m->memory[i].host && m->memory[i].id == id) {
            qatomic_set(&m->memory[i].host, NULL);
        }
    }
    return ret;
}

static int model_space_new(VgspExecutor *ex, uint32_t *id)
{
    return vgsp_model_space_new(model_of(ex), id);
}

static int model_space_del(VgspExecutor *ex, uint32_t id)
{
    return vgsp_model_space_del(model_of(ex), id);
}

static int model_map(VgspExecutor *ex, uint32_t space,
                     const struct vgsp_owner_map_op *ops, size_t count)
{
    return vgsp_model_map(model_of(ex), space, ops, count);
}

/* The model gives every context the same turns; it has the GR engine only. */
static int model_context_new(VgspExecutor *ex, uint32_t space,
                             enum vgsp_owner_engine engine,
                             uint32_t timeslice_us, uint32_t *id)
{
    if (engine != VGSP_OWNER_ENGINE_GR) {
        return -EOPNOTSUPP;
    }
    return vgsp_model_context_new(model_of(ex), space, id);
}

static int model_context_del(VgspExecutor *ex, uint32_t id)
{
    return vgsp_model_context_del(model_of(ex), id);
}

static int model_context_kill(VgspExecutor *ex, uint32_t id,
                              enum vgsp_owner_fault_kind kind)
{
    return vgsp_model_context_kill(model_of(ex), id, kind);
}

static bool model_context_hold(VgspExecutor *ex, uint32_t id, bool hold)
{
    vgsp_model_context_hold(model_of(ex), id, hold);
    return true;
}

static int model_submit(VgspExecutor *ex, uint32_t context,
                        const uint32_t *words, uint32_t count, uint64_t seq)
{
    return vgsp_model_submit(model_of(ex), context, words, count, seq);
}

static void model_pause(VgspExecutor *ex)
{
    vgsp_model_pause(model_of(ex));
}

static void model_resume(VgspExecutor *ex)
{
    vgsp_model_resume(model_of(ex));
}

static void model_revoke(VgspExecutor *ex)
{
    ModelExecutor *m = container_of(ex, ModelExecutor, parent);

    vgsp_model_revoke(m->model);
    for (unsigned i = 0; i < m->memories; i++) {
        qatomic_set(&m->memory[i].host, NULL);
    }
}

const VgspExecutorOps vgsp_executor_model = {
    .name = "model",
    .caveat = "a functional model executes the guest's work: results are the "
              "model's, not a physical GPU's",
    .open = model_open,
    .close = model_close,
    .clock_ns = model_clock_ns,
    .memory_add = model_memory_add,
    .memory_del = model_memory_del,
    .space_new = model_space_new,
    .space_del = model_space_del,
    .map = model_map,
    .context_new = model_context_new,
    .context_del = model_context_del,
    .context_kill = model_context_kill,
    .context_hold = model_context_hold,
    .submit = model_submit,
    .pause = model_pause,
    .resume = model_resume,
    .revoke = model_revoke,
};
