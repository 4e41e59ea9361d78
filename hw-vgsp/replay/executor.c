/*
 * Executors for the player: the functional model, and a table to find the
 * others by name.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "model/model.h"
#include "replay/executor.h"

typedef struct ModelSide {
    VgspModel *model;
    VgspReplayConfig config;
} ModelSide;

static uint64_t model_clock_ns(void *ex)
{
    (void)ex;
    return g_get_monotonic_time() * UINT64_C(1000);
}

static void model_completed(void *opaque, uint32_t context, uint64_t seq)
{
    ModelSide *m = opaque;

    m->config.events->completed(m->config.opaque, context, seq);
}

static void model_fault(void *opaque, const struct vgsp_owner_fault *fault)
{
    ModelSide *m = opaque;

    m->config.events->fault(m->config.opaque, fault);
}

static const VgspModelOps model_ops = {
    .clock_ns = model_clock_ns,
    .completed = model_completed,
    .fault = model_fault,
};

static void *model_open(const VgspReplayConfig *config, char **error)
{
    ModelSide *m = g_new0(ModelSide, 1);
    VgspModelConfig model = {
        .chip = &vgsp_chip_tu104,
        .threads = config->threads,
        .ops = &model_ops,
        .opaque = m,
    };

    m->config = *config;
    m->model = vgsp_model_new(&model);
    if (!m->model) {
        *error = g_strdup("no threads for the model");
        g_free(m);
        return NULL;
    }
    return m;
}

static void model_close(void *ex)
{
    ModelSide *m = ex;

    vgsp_model_free(m->model);
    g_free(m);
}

static const char *model_chip(void *ex)
{
    (void)ex;
    return "model of TU104";
}

static int model_memory_add(void *ex, void *host, uint64_t size, uint32_t *id)
{
    return vgsp_model_memory_add(((ModelSide *)ex)->model, host, size, id);
}

static int model_memory_del(void *ex, uint32_t id)
{
    return vgsp_model_memory_del(((ModelSide *)ex)->model, id);
}

static int model_space_new(void *ex, uint32_t *id)
{
    return vgsp_model_space_new(((ModelSide *)ex)->model, id);
}

static int model_space_del(void *ex, uint32_t id)
{
    return vgsp_model_space_del(((ModelSide *)ex)->model, id);
}

static int model_map(void *ex, uint32_t space,
                     const struct vgsp_owner_map_op *ops, size_t count)
{
    return vgsp_model_map(((ModelSide *)ex)->model, space, ops, count);
}

static int model_context_new(void *ex, uint32_t space, uint32_t *id)
{
    return vgsp_model_context_new(((ModelSide *)ex)->model, space, id);
}

static int model_context_del(void *ex, uint32_t id)
{
    return vgsp_model_context_del(((ModelSide *)ex)->model, id);
}

static int model_context_kill(void *ex, uint32_t id, uint32_t kind)
{
    return vgsp_model_context_kill(((ModelSide *)ex)->model, id, kind);
}

static int model_submit(void *ex, uint32_t context, const uint32_t *words,
                        uint32_t count, uint64_t seq)
{
    return vgsp_model_submit(((ModelSide *)ex)->model, context, words, count,
                             seq);
}

static void model_revoke(void *ex)
{
    vgsp_model_revoke(((ModelSide *)ex)->model);
}

const VgspReplayExecutor vgsp_replay_model = {
    .name = "model",
    .open = model_open,
    .close = model_close,
    .chip = model_chip,
    .clock_ns = model_clock_ns,
    .memory_add = model_memory_add,
    .memory_del = model_memory_del,
    .space_new = model_space_new,
    .space_del = model_space_del,
    .map = model_map,
    .context_new = model_context_new,
    .context_del = model_context_del,
    .context_kill = model_context_kill,
    .submit = model_submit,
    .revoke = model_revoke,
};

const VgspReplayExecutor *vgsp_replay_executor(const char *name,
                                               const char **arg)
{
    static const VgspReplayExecutor *const all[] = {
        &vgsp_replay_model, &vgsp_replay_rm,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
        size_t n = strlen(all[i]->name);

        if (!strncmp(name, all[i]->name, n) && (!name[n] || name[n] == ':')) {
            *arg = name[n] ? name + n + 1 : NULL;
            return all[i];
        }
    }
    return NULL;
}

void *vgsp_replay_memory_new(uint64_t size)
{
    /* Private, so that the process's own page tables tell what is used. */
    void *host = mmap(NULL, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return host == MAP_FAILED ? NULL : host;
}

void vgsp_replay_memory_free(void *host, uint64_t size)
{
    munmap(host, size);
}
