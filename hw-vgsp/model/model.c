/*
 * The model's core: memory objects, ids, and the worker threads that take
 * slices of contexts from one queue, in turn.
 *
 * Locks. m->admin serialises the functions that create, map and destroy.
 * m->lock, taken inside it, protects ids, queues and counts, and is never held
 * while guest work or a callback runs. A space that is being changed is
 * exclusive: no slice begins in it, and the change waits for those that run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include "model/context.h"
#include "vgsp/nv/dev_fault.h"

#define DEFAULT_THREADS_MAX 16
#define POLL_US             50  /* between two looks of an acquire */
#define MEMORY_POLL_US      500 /* ... for memory of a grid */
/*
 * Words of queued sections of all contexts. One may have as much as it leaves
 * to the others, and the first section of a queue in any case.
 */
#define QUEUED_WORDS_MAX    ((size_t)16 << 20)

struct VgspModel {
    VgspChip chip;
    const VgspModelOps *ops;
    void *opaque;
    unsigned num_threads;
    GThread **threads;

    GMutex admin;
    GMutex lock;
    GCond work;                 /* something may be taken from the queue */
    GCond idle;                 /* a slice has ended */
    GQueue run;                 /* contexts with work, each once */
    unsigned running;           /* slices */
    size_t queued_words;        /* of all contexts */
    VgspPool pool;              /* of all grids */
    unsigned paused;
    bool stop;
    GHashTable *memories, *spaces, *contexts; /* by id */
    uint32_t last_memory, last_space, last_context;
};

static void *find(GHashTable *table, uint32_t id)
{
    return g_hash_table_lookup(table, GUINT_TO_POINTER(id));
}

static void put(GHashTable *table, uint32_t id, void *object)
{
    g_hash_table_insert(table, GUINT_TO_POINTER(id), object);
}

/* The next id that is free; 0 never is one. */
static uint32_t new_id(GHashTable *table, uint32_t *last)
{
    do {
        *last += 1;
    } while (*last == 0 || find(table, *last));
    return *last;
}

/* ---- Scheduling: with m->lock ---- */

static bool has_work(VgspContext *ctx)
{
    if (ctx->dead) {
        return false;
    }
    if (ctx->failed) {
        return ctx->active == 0;
    }
    if (ctx->front_end || ctx->held) {
        return false;
    }
    if (ctx->grid && !vgsp_grid_done(ctx->grid)) {
        return !ctx->grid_full || ctx->active == 0;
    }
    return ctx->active == 0 &&
           (ctx->grid || ctx->section || !g_queue_is_empty(&ctx->sections));
}

static bool enqueue(VgspModel *m, VgspContext *ctx)
{
    if (ctx->queued || !has_work(ctx)) {
        return false;
    }
    ctx->queued = true;
    g_queue_push_tail(&m->run, ctx);
    return true;
}

/* Its turn will come, if there is something to do. */
static void make_ready(VgspModel *m, VgspContext *ctx)
{
    if (enqueue(m, ctx)) {
        g_cond_signal(&m->work);
    }
}

/*
 * Takes the context whose turn it is, or returns NULL; *until is then the
 * time at which one wants to be looked at again, or 0.
 */
static VgspContext *take(VgspModel *m, int64_t *until)
{
    GList *next;

    *until = 0;
    if (m->paused) {
        return NULL;
    }
    for (GList *l = m->run.head; l; l = next) {
        VgspContext *ctx = l->data;
        bool work = has_work(ctx);

        next = l->next;
        if (work && ctx->space->exclusive) {
            continue;
        }
        if (work && ctx->not_before && !ctx->failed) {
            if (ctx->not_before > g_get_monotonic_time()) {
                *until = *until ? MIN(*until, ctx->not_before)
                                : ctx->not_before;
                continue;
            }
            ctx->not_before = 0;
        }
        /* Without work it was ended, or others did it all. */
        g_queue_delete_link(&m->run, l);
        ctx->queued = false;
        if (work) {
            return ctx;
        }
    }
    return NULL;
}

static void fault_injected(VgspContext *ctx, uint32_t kind)
{
    ctx->has_fault = true;
    ctx->fault = (struct vgsp_owner_fault) { .kind = kind };
    switch (kind) {
    case VGSP_OWNER_FAULT_EXCEPTION:
        ctx->fault.valid = VGSP_OWNER_FAULT_HAS_TYPE;
        ctx->fault.type = VGSP_EXC_INJECTED;
        break;
    case VGSP_OWNER_FAULT_MMU:
        ctx->fault.valid = VGSP_OWNER_FAULT_HAS_ADDRESS |
                           VGSP_OWNER_FAULT_HAS_ACCESS |
                           VGSP_OWNER_FAULT_HAS_TYPE |
                           VGSP_OWNER_FAULT_HAS_CLIENT;
        ctx->fault.type = VGSP_GMMU_FAULT_PTE;
        ctx->fault.client = NV_PFAULT_CLIENT_HUB_FE;
        ctx->fault.client_is_hub = true;
        break;
    }
}

/* Begins the next section. */
static void begin_section(VgspContext *ctx)
{
    VgspQueuedSection *section = g_queue_pop_head(&ctx->sections);

    ctx->queued_words -= section->count;
    ctx->model->queued_words -= section->count;
    ctx->section = section;
    ctx->pos = 0;
    vgsp_pb_init(&ctx->pb);
    for (unsigned i = 0; i < ctx->injections->len; i++) {
        VgspInjection *inj = &g_array_index(ctx->injections, VgspInjection, i);

        if (inj->seq == section->seq) {
            fault_injected(ctx, inj->kind);
            ctx->failed = true;
            return;
        }
    }
}

static bool queue_room(const VgspModel *m, const VgspContext *ctx,
                       uint32_t count)
{
    size_t words = ctx->queued_words + count;

    if (!ctx->sections.length) {
        return true;
    }
    return ctx->sections.length < VGSP_CONTEXT_SECTIONS_MAX &&
           words <= VGSP_CONTEXT_WORDS_MAX &&
           words + m->queued_words <= QUEUED_WORDS_MAX;
}

/* The last worker of a context that failed: ends it and says so. */
static void report_fault(VgspModel *m, VgspContext *ctx)
{
    struct vgsp_owner_fault fault = { .kind = ctx->kill_kind };

    if (ctx->has_fault) {
        fault = ctx->fault;
    }
    fault.context = ctx->id;
    fault.seq = ctx->section ? ctx->section->seq : 0;
    ctx->dead = true;
    m->queued_words -= ctx->queued_words;
    /* It is dead: nobody else looks at what it had, which may be much. */
    g_mutex_unlock(&m->lock);
    vgsp_context_drop(ctx);
    m->ops->fault(m->opaque, &fault);
    g_mutex_lock(&m->lock);
}

static void run_front_end(VgspModel *m, VgspContext *ctx, VgspWorker *w)
{
    VgspFeSlice end;

    ctx->front_end = true;
    g_mutex_unlock(&m->lock);
    vgsp_mmu_enter(&w->mmu, ctx->space);
    end = vgsp_fe_slice(ctx, w);
    vgsp_mmu_flush(&w->mmu);
    if (end == VGSP_FE_SLICE_RETIRED) {
        uint64_t seq = ctx->section->seq;

        g_clear_pointer(&ctx->section, g_free);
        m->ops->completed(m->opaque, ctx->id, seq);
    }
    g_mutex_lock(&m->lock);
    ctx->front_end = false;
    switch (end) {
    case VGSP_FE_SLICE_FAILED:
        ctx->failed = true;
        break;
    case VGSP_FE_SLICE_POLL:
        ctx->not_before = g_get_monotonic_time() + POLL_US;
        break;
    case VGSP_FE_SLICE_GRID:
        ctx->grid_full = false;
        break;
    default:
        break;
    }
}

static void run_grid(VgspModel *m, VgspContext *ctx, VgspWorker *w)
{
    VgspGrid *grid = ctx->grid;
    bool did;

    /* Others may join, but for a single CTA. */
    ctx->grid_full = ctx->qmd.grid[0] == 1 && ctx->qmd.grid[1] == 1 &&
                     ctx->qmd.grid[2] == 1;
    make_ready(m, ctx);
    g_mutex_unlock(&m->lock);
    vgsp_mmu_enter(&w->mmu, ctx->space);
    did = vgsp_grid_run(grid, w);
    vgsp_mmu_flush(&w->mmu);
    g_mutex_lock(&m->lock);
    ctx->grid_full = !did;
    if (!did && ctx->active == 1 && !vgsp_grid_done(grid)) {
        /* Not even its first CTA has memory: others' have to exit. */
        ctx->not_before = g_get_monotonic_time() + MEMORY_POLL_US;
    }
}

static void run_slice(VgspModel *m, VgspContext *ctx, VgspWorker *w)
{
    VgspSpace *space = ctx->space;

    ctx->active++;
    space->slices++;
    m->running++;
    if (!ctx->failed) {
        /* A grid may be done while others have not yet left it. */
        if (ctx->grid && (ctx->active > 1 || !vgsp_grid_done(ctx->grid))) {
            run_grid(m, ctx, w);
        } else {
            if (!ctx->section) {
                begin_section(ctx);
            }
            if (!ctx->failed) {
                run_front_end(m, ctx, w);
            }
        }
    }
    if (ctx->failed && ctx->active == 1 && !ctx->dead) {
        report_fault(m, ctx);
    }
    ctx->active--;
    space->slices--;
    m->running--;
    /* This worker looks at the queue next: nobody needs to be woken. */
    enqueue(m, ctx);
    g_cond_broadcast(&m->idle);
}

static void *worker_main(void *opaque)
{
    VgspWorker *w = opaque;
    VgspModel *m = w->model;

    vgsp_mmu_init(&w->mmu);
    w->sm = vgsp_sm_new(m);
    g_mutex_lock(&m->lock);
    while (!m->stop) {
        int64_t until;
        VgspContext *ctx = take(m, &until);

        if (ctx) {
            run_slice(m, ctx, w);
        } else if (until) {
            g_cond_wait_until(&m->work, &m->lock, until);
        } else {
            g_cond_wait(&m->work, &m->lock);
        }
    }
    g_mutex_unlock(&m->lock);
    vgsp_sm_free(w->sm);
    g_free(w);
    return NULL;
}

/* No slice of the space runs or begins until unlock_space(). */
static void lock_space(VgspModel *m, VgspSpace *space)
{
    space->exclusive = true;
    while (space->slices) {
        g_cond_wait(&m->idle, &m->lock);
    }
}

static void unlock_space(VgspModel *m, VgspSpace *space)
{
    space->exclusive = false;
    g_cond_broadcast(&m->work);
}

/*
 * Ends a context without a word, and waits for its slices. What is left is to
 * be freed, without m->lock: it may be much.
 */
static void end_context(VgspModel *m, VgspContext *ctx)
{
    ctx->dead = true;
    if (ctx->queued) {
        g_queue_remove(&m->run, ctx);
        ctx->queued = false;
    }
    while (ctx->active) {
        g_cond_wait(&m->idle, &m->lock);
    }
    ctx->space->contexts--;
    g_hash_table_remove(m->contexts, GUINT_TO_POINTER(ctx->id));
    m->queued_words -= ctx->queued_words;
}

/* ---- The inside's questions ---- */

const VgspChip *vgsp_model_chip(VgspModel *m)
{
    return &m->chip;
}

uint64_t vgsp_model_clock(VgspModel *m)
{
    return m->ops->clock_ns(m->opaque);
}

VgspPool *vgsp_model_pool(VgspModel *m)
{
    return &m->pool;
}

void vgsp_model_interrupt(VgspContext *ctx)
{
    if (ctx->model->ops->interrupt) {
        ctx->model->ops->interrupt(ctx->model->opaque, ctx->id);
    }
}

/* ---- Life ---- */

VgspModel *vgsp_model_new(const VgspModelConfig *config)
{
    VgspModel *m = g_new0(VgspModel, 1);

    m->chip = *config->chip;
    m->ops = config->ops;
    m->opaque = config->opaque;
    m->num_threads = config->threads ? config->threads
                     : MIN(g_get_num_processors(), DEFAULT_THREADS_MAX);
    g_mutex_init(&m->admin);
    g_mutex_init(&m->lock);
    g_cond_init(&m->work);
    g_cond_init(&m->idle);
    g_queue_init(&m->run);
    vgsp_pool_init(&m->pool);
    m->memories = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    m->spaces = g_hash_table_new(NULL, NULL);
    m->contexts = g_hash_table_new(NULL, NULL);
    m->threads = g_new0(GThread *, m->num_threads);
    for (unsigned i = 0; i < m->num_threads; i++) {
        VgspWorker *w = g_new0(VgspWorker, 1);

        w->model = m;
        m->threads[i] = g_thread_try_new("vgsp-model", worker_main, w, NULL);
        if (!m->threads[i]) {
            g_free(w);
            vgsp_model_free(m);
            return NULL;
        }
    }
    return m;
}

void vgsp_model_free(VgspModel *m)
{
    vgsp_model_revoke(m);
    g_mutex_lock(&m->lock);
    m->stop = true;
    g_cond_broadcast(&m->work);
    g_mutex_unlock(&m->lock);
    for (unsigned i = 0; i < m->num_threads && m->threads[i]; i++) {
        g_thread_join(m->threads[i]);
    }
    g_free(m->threads);
    g_hash_table_destroy(m->contexts);
    g_hash_table_destroy(m->spaces);
    g_hash_table_destroy(m->memories);
    vgsp_pool_clear(&m->pool);
    g_cond_clear(&m->idle);
    g_cond_clear(&m->work);
    g_mutex_clear(&m->lock);
    g_mutex_clear(&m->admin);
    g_free(m);
}

void vgsp_model_pause(VgspModel *m)
{
    g_mutex_lock(&m->lock);
    m->paused++;
    while (m->running) {
        g_cond_wait(&m->idle, &m->lock);
    }
    g_mutex_unlock(&m->lock);
}

void vgsp_model_resume(VgspModel *m)
{
    g_mutex_lock(&m->lock);
    if (m->paused && --m->paused == 0) {
        g_cond_broadcast(&m->work);
    }
    g_mutex_unlock(&m->lock);
}

void vgsp_model_revoke(VgspModel *m)
{
    GHashTableIter iter;
    void *object;

    g_mutex_lock(&m->admin);
    g_mutex_lock(&m->lock);
    /* All at once: the last slices overlap. */
    g_hash_table_iter_init(&iter, m->contexts);
    while (g_hash_table_iter_next(&iter, NULL, &object)) {
        ((VgspContext *)object)->dead = true;
    }
    while (m->running) {
        g_cond_wait(&m->idle, &m->lock);
    }
    for (;;) {
        g_hash_table_iter_init(&iter, m->contexts);
        if (!g_hash_table_iter_next(&iter, NULL, &object)) {
            break;
        }
        end_context(m, object);
        g_mutex_unlock(&m->lock);
        vgsp_context_free(object);
        g_mutex_lock(&m->lock);
    }
    g_hash_table_iter_init(&iter, m->spaces);
    while (g_hash_table_iter_next(&iter, NULL, &object)) {
        vgsp_space_free(object);
    }
    g_hash_table_remove_all(m->spaces);
    g_hash_table_remove_all(m->memories);
    m->last_memory = m->last_space = m->last_context = 0;
    g_mutex_unlock(&m->lock);
    g_mutex_unlock(&m->admin);
}

/* ---- Memory and spaces ---- */

int vgsp_model_memory_add(VgspModel *m, void *host, uint64_t size,
                          uint32_t *id)
{
    VgspMemory *memory;

    /* Words that are aligned in the guest must be so here. */
    if (!size || size % (1u << VGSP_SPACE_PAGE_SHIFT) ||
        (uintptr_t)host % 16) {
        return -EINVAL;
    }
    if (size > UINTPTR_MAX - (uintptr_t)host) {
        return -EOVERFLOW;
    }
    memory = g_new0(VgspMemory, 1);
    memory->host = host;
    memory->size = size;
    g_mutex_lock(&m->admin);
    g_mutex_lock(&m->lock);
    *id = memory->id = new_id(m->memories, &m->last_memory);
    put(m->memories, memory->id, memory);
    g_mutex_unlock(&m->lock);
    g_mutex_unlock(&m->admin);
    return 0;
}

int vgsp_model_memory_del(VgspModel *m, uint32_t id)
{
    VgspMemory *memory;
    GHashTableIter iter;
    void *object;
    int ret = -ENOENT;

    g_mutex_lock(&m->admin);
    g_mutex_lock(&m->lock);
    memory = find(m->memories, id);
    if (memory) {
        g_hash_table_iter_init(&iter, m->spaces);
        while (g_hash_table_iter_next(&iter, NULL, &object)) {
            VgspSpace *space = object;

            lock_space(m, space);
            g_mutex_unlock(&m->lock);
            vgsp_space_forget(space, memory);
            g_mutex_lock(&m->lock);
            unlock_space(m, space);
        }
        g_hash_table_remove(m->memories, GUINT_TO_POINTER(id));
        ret = 0;
    }
    g_mutex_unlock(&m->lock);
    g_mutex_unlock(&m->admin);
    return ret;
}

int vgsp_model_space_new(VgspModel *m, uint32_t *id)
{
    VgspSpace *space = vgsp_space_new(m->ops, m->opaque);

    g_mutex_lock(&m->admin);
    g_mutex_lock(&m->lock);
    *id = space->id = new_id(m->spaces, &m->last_space);
    put(m->spaces, space->id, space);
    g_mutex_unlock(&m->lock);
    g_mutex_unlock(&m->admin);
    return 0;
}

int vgsp_model_space_del(VgspModel *m, uint32_t id)
{
    VgspSpace *space;
    int ret = 0;

    g_mutex_lock(&m->admin);
    g_mutex_lock(&m->lock);
    space = find(m->spaces, id);
    if (!space) {
        ret = -ENOENT;
    } else if (space->contexts) {
        ret = -EBUSY;
    } else {
        g_hash_table_remove(m->spaces, GUINT_TO_POINTER(id));
        vgsp_space_free(space);
    }
    g_mutex_unlock(&m->lock);
    g_mutex_unlock(&m->admin);
    return ret;
}

int vgsp_model_map(VgspModel *m, uint32_t id,
                   const struct vgsp_owner_map_op *ops, size_t count)
{
    VgspSpace *space;
    int ret;

    g_mutex_lock(&m->admin);
    g_mutex_lock(&m->lock);
    space = find(m->spaces, id);
    ret = space ? vgsp_space_check(m->memories, ops, count) : -ENOENT;
    if (!ret) {
        lock_space(m, space);
        g_mutex_unlock(&m->lock);
        vgsp_space_apply(space, m->memories, ops, count);
        g_mutex_lock(&m->lock);
        unlock_space(m, space);
    }
    g_mutex_unlock(&m->lock);
    g_mutex_unlock(&m->admin);
    return ret;
}

/* ---- Contexts ---- */

int vgsp_model_context_new(VgspModel *m, uint32_t space_id, uint32_t *id)
{
    VgspSpace *space;
    int ret = -ENOENT;

    g_mutex_lock(&m->admin);
    g_mutex_lock(&m->lock);
    space = find(m->spaces, space_id);
    if (space) {
        *id = new_id(m->contexts, &m->last_context);
        put(m->contexts, *id, vgsp_context_new(m, space, *id));
        space->contexts++;
        ret = 0;
    }
    g_mutex_unlock(&m->lock);
    g_mutex_unlock(&m->admin);
    return ret;
}

int vgsp_model_context_del(VgspModel *m, uint32_t id)
{
    VgspContext *ctx;

    g_mutex_lock(&m->admin);
    g_mutex_lock(&m->lock);
    ctx = find(m->contexts, id);
    if (ctx) {
        end_context(m, ctx);
    }
    g_mutex_unlock(&m->lock);
    g_mutex_unlock(&m->admin);
    if (!ctx) {
        return -ENOENT;
    }
    vgsp_context_free(ctx);
    return 0;
}

int vgsp_model_submit(VgspModel *m, uint32_t id, const uint32_t *words,
                      uint32_t count, uint64_t seq)
{
    VgspQueuedSection *section;
    VgspContext *ctx;
    int ret = 0;

    if (count > VGSP_SECTION_WORDS_MAX) {
        return -EINVAL;
    }
    section = g_malloc(sizeof(*section) + (size_t)count * sizeof(*words));
    section->seq = seq;
    section->count = count;
    if (count) {
        memcpy(section->words, words, (size_t)count * sizeof(*words));
    }
    g_mutex_lock(&m->lock);
    ctx = find(m->contexts, id);
    if (!ctx) {
        ret = -ENOENT;
    } else if (ctx->failed || ctx->dead) {
        ret = -EIO;
    } else if (!queue_room(m, ctx, count)) {
        ret = -EAGAIN;
    } else {
        g_queue_push_tail(&ctx->sections, section);
        ctx->queued_words += count;
        m->queued_words += count;
        section = NULL;
        make_ready(m, ctx);
    }
    g_mutex_unlock(&m->lock);
    g_free(section);
    return ret;
}

static void fail_context(VgspModel *m, VgspContext *ctx, uint32_t kind)
{
    ctx->kill_kind = kind;
    ctx->failed = true;
    make_ready(m, ctx);
}

/*
 * The time of a context is over in which it did but wait for memory. Contexts
 * that are held have no time that ends: those that have the memory end in its
 * place, the largest first. False: it does not wait, or not for them.
 */
static bool end_holders(VgspModel *m, const VgspContext *waiter)
{
    size_t lacks, freed;
    VgspContext *largest;
    GHashTableIter iter;
    void *object;

    if (waiter->front_end || !waiter->grid ||
        !vgsp_pool_lacks(&m->pool, waiter->grid, &lacks)) {
        return false;
    }
    do {
        size_t most = freed = 0;

        largest = NULL;
        g_hash_table_iter_init(&iter, m->contexts);
        while (g_hash_table_iter_next(&iter, NULL, &object)) {
            VgspContext *ctx = object;
            size_t size = ctx->dead || ctx->front_end || !ctx->grid
                          ? 0 : vgsp_grid_memory(ctx->grid);

            if (ctx->failed) {
                freed += size;
            } else if (ctx->held && size > most) {
                largest = ctx;
                most = size;
            }
        }
        if (freed < lacks && largest) {
            fail_context(m, largest, VGSP_OWNER_FAULT_TIMEOUT);
        }
    } while (freed < lacks && largest);
    return freed || !lacks;
}

int vgsp_model_context_kill(VgspModel *m, uint32_t id, uint32_t kind)
{
    VgspContext *ctx;
    int ret = 0;

    if (kind > VGSP_OWNER_FAULT_LOST) {
        return -EINVAL;
    }
    g_mutex_lock(&m->lock);
    ctx = find(m->contexts, id);
    if (!ctx) {
        ret = -ENOENT;
    } else if (ctx->failed || ctx->dead) {
        ret = -EIO;
    } else if (kind != VGSP_OWNER_FAULT_TIMEOUT || !end_holders(m, ctx)) {
        fail_context(m, ctx, kind);
    }
    g_mutex_unlock(&m->lock);
    return ret;
}

int vgsp_model_context_hold(VgspModel *m, uint32_t id, bool hold)
{
    VgspContext *ctx;

    g_mutex_lock(&m->admin);
    g_mutex_lock(&m->lock);
    ctx = find(m->contexts, id);
    if (ctx) {
        ctx->held = hold;
        if (!hold) {
            make_ready(m, ctx);
        }
        while (hold && ctx->active) {
            g_cond_wait(&m->idle, &m->lock);
        }
        if (hold && ctx->grid) {
            /* Others behind it shall not wait for what it may not take. */
            vgsp_pool_leave(&m->pool, ctx->grid);
        }
    }
    g_mutex_unlock(&m->lock);
    g_mutex_unlock(&m->admin);
    return ctx ? 0 : -ENOENT;
}

int vgsp_model_inject(VgspModel *m, uint32_t context, uint64_t seq,
                      uint32_t kind)
{
    VgspInjection injection = { .seq = seq, .kind = kind };
    VgspContext *ctx;

    if (kind > VGSP_OWNER_FAULT_LOST) {
        return -EINVAL;
    }
    g_mutex_lock(&m->lock);
    ctx = find(m->contexts, context);
    if (ctx) {
        g_array_append_val(ctx->injections, injection);
    }
    g_mutex_unlock(&m->lock);
    return ctx ? 0 : -ENOENT;
}
