/*
 * Grids: the CTAs of a launch, run a slice at a time by any number of workers.
 *
 * CTAs start in raster order (exec-facts 6.7). One that has had its slice goes
 * behind the others that have started, so all of those make progress, and as
 * many may have started as would on the chip: programs wait for each other
 * across CTAs that are resident together.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <sys/mman.h>
#include "model/grid.h"
#include "model/qmd.h"
#include "vgsp/nv/dev_fault.h"

/* What the instructions of a slice cost, SM75_COST_*: about a millisecond. */
#define SLICE_COST      20000
/* Bytes that are cleared in the time of one; the host's, for new memory. */
#define CLEAR_BYTES     1024
#define NEW_COST        256
#define NEW_WARP_COST   32
#define MAP_COST        1024    /* to map memory, touch it and unmap it */
/* A CTA of so much always gets it, if it is the only one of its grid. */
#define FIRST_SIZE      ((size_t)2 << 20)
/* Bytes that the resident CTAs of a grid may have together, one excepted. */
#define MEMORY_LIMIT    ((size_t)256 << 20)
/* Bytes of a CTA that are cleared for the next one. */
#define CLEAR_LIMIT     ((size_t)4 << 20)
#define NOT_NEW         UINT64_MAX
#define ALIGN           _Alignof(Sm75Warp)

/* The state of a warp that is always cleared lies between these. */
#define WARP_STATE      offsetof(Sm75Warp, p)
#define WARP_STATE_END  offsetof(Sm75Warp, sync)

struct VgspGrid {
    uint64_t id;                /* never reused */
    VgspModel *model;
    VgspQmd qmd;
    VgspGridState state;
    uint64_t total;             /* CTAs */
    uint32_t threads;           /* of a CTA */
    unsigned warps;
    unsigned registers;         /* allocated to a thread */
    size_t cta_size;            /* bytes of one that is resident */
    unsigned limit;             /* CTAs resident at a time */

    GMutex lock;                /* all below */
    uint64_t next;              /* CTA to start */
    uint64_t done;
    unsigned created;           /* CTAs that have memory */
    unsigned running;           /* workers in a slice */
    Sm75Cta *head, *tail;       /* started and waiting for a slice */
    Sm75Cta *free;
    bool start;                 /* the next slice starts a CTA */
    bool failed;
    struct vgsp_owner_fault fault;
};

static unsigned count_sms(const VgspChip *chip)
{
    unsigned n = 0;

    for (unsigned i = 0; i < VGSP_CHIP_MAX_GPC; i++) {
        if (chip->gpc_mask >> i & 1) {
            n += 2 * (unsigned)__builtin_popcount(chip->tpc_mask[i]);
        }
    }
    return MAX(n, 1);
}

static size_t align_up(size_t n)
{
    return (n + ALIGN - 1) & ~(ALIGN - 1);
}

VgspGrid *vgsp_grid_new(VgspModel *m, const VgspQmd *qmd,
                        const VgspGridState *state)
{
    VgspGrid *g = g_new0(VgspGrid, 1);
    static uint64_t last_id;
    unsigned per_sm;

    g->id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
    g->model = m;
    g->qmd = *qmd;
    g->state = *state;
    g->total = (uint64_t)qmd->grid[0] * qmd->grid[1] * qmd->grid[2];
    g->threads = (uint32_t)qmd->block[0] * qmd->block[1] * qmd->block[2];
    g->warps = (g->threads + SM75_LANES - 1) / SM75_LANES;
    g->registers = vgsp_qmd_registers(qmd);
    g->cta_size = align_up(sizeof(Sm75Cta)) + g->warps * sizeof(Sm75Warp) +
                  align_up(qmd->shared_size) +
                  (size_t)g->warps * SM75_LANES * qmd->local_size;
    per_sm = MIN(VGSP_SM_CTAS, VGSP_SM_WARPS / g->warps);
    per_sm = MIN(per_sm,
                 VGSP_SM_REGISTERS / (g->warps * SM75_LANES * g->registers));
    if (qmd->shared_size) {
        per_sm = MIN(per_sm, VGSP_SM_SHARED_MAX / qmd->shared_size);
    }
    g->limit = MIN(per_sm * count_sms(vgsp_model_chip(m)),
                   MEMORY_LIMIT / g->cta_size);
    g->limit = MAX(g->limit, 1);
    g_mutex_init(&g->lock);
    return g;
}

/* Much memory is cleared by the host's kernel, and as it is touched. */
static bool is_mapped(const VgspGrid *g)
{
    return g->cta_size > CLEAR_LIMIT;
}

/* May take a while: not with g->lock. */
static void free_cta(Sm75Cta *cta)
{
    const VgspGrid *g = cta->grid;

    if (is_mapped(g)) {
        munmap(cta->memory, g->cta_size);
    } else {
        g_free(cta->memory);
    }
}

static void free_list(Sm75Cta *cta)
{
    while (cta) {
        Sm75Cta *next = cta->next;

        free_cta(cta);
        cta = next;
    }
}

/* Bytes of the pool that the CTAs have. */
static size_t pool_bytes(const VgspGrid *g)
{
    bool one_free = g->created && g->cta_size <= FIRST_SIZE;

    return (g->created - one_free) * g->cta_size;
}

/* Takes those of one more CTA. */
static bool take_memory(VgspGrid *g)
{
    VgspPool *pool = vgsp_model_pool(g->model);

    if (g->created) {
        return vgsp_pool_take_more(pool, pool_bytes(g), g->cta_size);
    }
    return g->cta_size <= FIRST_SIZE ||
           vgsp_pool_take_first(pool, g, g->cta_size);
}

/* A CTA has no memory any more. */
static void drop_created(VgspGrid *g)
{
    size_t before = pool_bytes(g);

    g->created--;
    vgsp_pool_give(vgsp_model_pool(g->model), before - pool_bytes(g));
}

void vgsp_grid_free(VgspGrid *g)
{
    VgspPool *pool = vgsp_model_pool(g->model);

    free_list(g->head);
    free_list(g->free);
    vgsp_pool_leave(pool, g);
    vgsp_pool_give(pool, pool_bytes(g));
    g_mutex_clear(&g->lock);
    g_free(g);
}

/* Memory of a CTA, all zero. NULL if there is none. Not with g->lock. */
static Sm75Cta *new_cta(VgspGrid *g)
{
    void *memory = is_mapped(g)
                   ? mmap(NULL, g->cta_size, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                   : g_try_malloc0(g->cta_size + ALIGN);
    uintptr_t p = ((uintptr_t)memory + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1);
    Sm75Cta *cta = (Sm75Cta *)p;

    if (!memory || memory == MAP_FAILED) {
        return NULL;
    }
    p += align_up(sizeof(*cta));
    cta->memory = memory;
    cta->grid = g;
    cta->qmd = &g->qmd;
    cta->gs = &g->state;
    cta->warps = (Sm75Warp *)p;
    cta->num_warps = g->warps;
    cta->registers = MIN(g->registers, SM75_RZ);
    p += g->warps * sizeof(Sm75Warp);
    cta->shared = (uint8_t *)p;
    p += align_up(g->qmd.shared_size);
    cta->local = (uint8_t *)p;
    return cta;
}

/* Makes cta the n-th of the grid, about to start. Returns what that cost. */
static unsigned start_cta(Sm75Cta *cta, uint64_t n)
{
    VgspGrid *g = cta->grid;
    size_t registers = cta->registers * sizeof(Sm75Vec);
    size_t local = (size_t)g->warps * SM75_LANES * g->qmd.local_size;
    unsigned cost = NEW_COST + g->warps * NEW_WARP_COST;

    cost += is_mapped(g) ? MAP_COST : (unsigned)(g->cta_size / CLEAR_BYTES);
    cta->id[0] = (uint32_t)(n % g->qmd.grid[0]);
    cta->id[1] = (uint32_t)(n / g->qmd.grid[0] % g->qmd.grid[1]);
    cta->id[2] = (uint32_t)(n / g->qmd.grid[0] / g->qmd.grid[1]);
    cta->live_warps = g->warps;
    cta->bar_pending = 0;
    cta->turn = 0;
    if (cta->used) {
        memset(cta->shared, 0, g->qmd.shared_size);
        memset(cta->local, 0, local);
        cost = (unsigned)((g->qmd.shared_size + local +
                           g->warps * registers) / CLEAR_BYTES);
    }
    for (unsigned i = 0; i < g->warps; i++) {
        Sm75Warp *w = &cta->warps[i];
        uint32_t threads = g->threads - i * SM75_LANES;

        if (cta->used) {
            memset(w->r, 0, registers);
            if (w->sync_used) {
                memset(w->sync, 0, sizeof(w->sync));
            }
            memset((uint8_t *)w + WARP_STATE, 0, WARP_STATE_END - WARP_STATE);
        }
        w->cta = cta;
        w->index = i;
        w->p[SM75_PT] = ~0u;
        w->up[SM75_PT] = true;
        w->live = threads >= SM75_LANES ? ~0u : (1u << threads) - 1;
        w->client = NV_PFAULT_CLIENT_GPC_T1_0;
        w->pc = g->qmd.program;
        w->together = true;
    }
    cta->used = true;
    return cost + g->warps;
}

/* The first reason counts. */
static void fail(VgspGrid *g, const struct vgsp_owner_fault *fault)
{
    g_mutex_lock(&g->lock);
    if (!g->failed) {
        g->failed = true;
        g->fault = *fault;
    }
    g_mutex_unlock(&g->lock);
}

static void fail_warp(VgspGrid *g, const Sm75Warp *w)
{
    const Sm75Sm *sm = w->worker->sm;
    uint64_t offset = w->pc - sm->code_va;
    struct vgsp_owner_fault f = {
        .kind = VGSP_OWNER_FAULT_EXCEPTION,
        .valid = VGSP_OWNER_FAULT_HAS_TYPE | VGSP_OWNER_FAULT_HAS_PC,
        .type = w->exception,
        .pc = w->pc,
    };

    if (!w->exception) {
        f.kind = VGSP_OWNER_FAULT_MMU;
        f.valid |= VGSP_OWNER_FAULT_HAS_ADDRESS | VGSP_OWNER_FAULT_HAS_ACCESS |
                   VGSP_OWNER_FAULT_HAS_CLIENT;
        f.type = w->fault.type;
        f.address = w->fault.va;
        f.access = w->fault.access;
        f.client = w->client;
    }
    if (sm->code_va != UINT64_MAX && offset <= SM75_PAGE_SIZE - 16 &&
        offset % 16 == 0) {
        /* What was decoded last at this place may be another program's. */
        f.insn[0] = __atomic_load_n(&sm->code[offset / 8], __ATOMIC_RELAXED);
        f.insn[1] = __atomic_load_n(&sm->code[offset / 8 + 1],
                                    __ATOMIC_RELAXED);
    }
    fail(g, &f);
}

/* All warps that have not exited wait, and not one another can come. */
static void fail_deadlock(Sm75Cta *cta)
{
    for (unsigned i = 0; i < cta->num_warps; i++) {
        Sm75Warp *w = &cta->warps[i];

        if (w->live) {
            if (!w->together) {
                w->pc = w->lane_pc[sm75_first(w->live)];
            }
            w->pc -= 16;
            w->exception = VGSP_EXC_SM_OTHER;
            fail_warp(cta->grid, w);
            return;
        }
    }
}

/* Runs the warps of a CTA in turn. False: it failed. */
static bool run_cta(Sm75Cta *cta, VgspWorker *worker, unsigned *budget)
{
    for (unsigned i = 0; i < cta->num_warps; i++) {
        cta->warps[i].worker = worker;
    }
    while (cta->live_warps) {
        bool ran = false;

        for (unsigned i = 0; i < cta->num_warps; i++) {
            Sm75Warp *w = &cta->warps[cta->turn];

            if (!*budget) {
                return true;
            }
            cta->turn = cta->turn + 1 < cta->num_warps ? cta->turn + 1 : 0;
            if (!(w->live & ~w->blocked)) {
                continue;
            }
            ran = true;
            if (sm75_warp_run(w, budget) == SM75_WARP_FAULT) {
                fail_warp(cta->grid, w);
                return false;
            }
        }
        if (!ran && cta->live_warps) {
            fail_deadlock(cta);
            return false;
        }
    }
    return true;
}

static void put_free(VgspGrid *g, Sm75Cta *cta)
{
    cta->next = g->free;
    g->free = cta;
}

/*
 * One more CTA may be resident, if there is memory. Lets g->lock go meanwhile.
 * *none: the host has not got any.
 */
static Sm75Cta *create_cta(VgspGrid *g, bool *none)
{
    Sm75Cta *cta;

    if (!take_memory(g)) {
        return NULL;
    }
    g->created++;
    g_mutex_unlock(&g->lock);
    cta = new_cta(g);
    g_mutex_lock(&g->lock);
    if (!cta) {
        drop_created(g);
        *none = true;
    } else if (g->failed || g->next == g->total) {
        put_free(g, cta);
        cta = NULL;
    }
    return cta;
}

/*
 * The CTA to run next: one that waits for a slice, or one that starts (*first
 * is then its number, else NOT_NEW), in turn. NULL: neither is there.
 */
static Sm75Cta *take_cta(VgspGrid *g, uint64_t *first)
{
    static const struct vgsp_owner_fault no_memory = {
        .kind = VGSP_OWNER_FAULT_EXCEPTION,
        .valid = VGSP_OWNER_FAULT_HAS_TYPE,
        .type = VGSP_EXC_SM_OTHER,
    };
    bool can_start = g->next < g->total &&
                     (g->free || g->created < g->limit);
    bool none = false;          /* no memory of the host's */
    Sm75Cta *cta = NULL;

    *first = NOT_NEW;
    if (g->failed) {
        return NULL;
    }
    if (can_start && (!g->head || g->start)) {
        cta = g->free;
        if (cta) {
            g->free = cta->next;
        } else {
            cta = create_cta(g, &none);
        }
        if (cta) {
            *first = g->next++;
        } else if (none && !g->created) {
            g->failed = true;
            g->fault = no_memory;
            return NULL;
        } else if (none) {
            g->limit = g->created;
        }
    }
    if (!cta && g->head) {
        cta = g->head;
        g->head = cta->next;
        g->tail = g->head ? g->tail : NULL;
    }
    g->start = !g->start;
    return cta;
}

static void put_last(VgspGrid *g, Sm75Cta *cta)
{
    cta->next = NULL;
    if (g->head) {
        g->tail->next = cta;
    } else {
        g->head = cta;
    }
    g->tail = cta;
}

bool vgsp_grid_run(VgspGrid *g, VgspWorker *worker)
{
    unsigned budget = SLICE_COST;
    uint64_t exited = 0, first;
    Sm75Cta *cta;

    g_mutex_lock(&g->lock);
    cta = take_cta(g, &first);
    if (!cta) {
        g_mutex_unlock(&g->lock);
        return false;
    }
    g->running++;
    sm75_enter(worker->sm, g->id, &worker->mmu);
    while (cta) {
        bool ok, exits;

        g_mutex_unlock(&g->lock);
        if (first != NOT_NEW) {
            unsigned cost = start_cta(cta, first); /* MIN() evaluates twice */

            budget -= MIN(budget, cost);
        }
        ok = run_cta(cta, worker, &budget);
        exits = !ok || !cta->live_warps;
        if (exits && is_mapped(g)) {
            free_cta(cta);
        }
        g_mutex_lock(&g->lock);
        if (!exits) {
            put_last(g, cta);
            break;
        }
        if (is_mapped(g)) {
            drop_created(g);
        } else {
            put_free(g, cta);
        }
        exited += ok;
        cta = ok && budget ? take_cta(g, &first) : NULL;
    }
    g_mutex_unlock(&g->lock);

    /* Who sees the grid done may tell of what it wrote. */
    vgsp_mmu_flush(&worker->mmu);
    g_mutex_lock(&g->lock);
    g->done += exited;
    g->running--;
    g_mutex_unlock(&g->lock);
    return true;
}

bool vgsp_grid_done(VgspGrid *g)
{
    bool done;

    g_mutex_lock(&g->lock);
    done = !g->running && (g->failed || g->done == g->total);
    g_mutex_unlock(&g->lock);
    return done;
}

size_t vgsp_grid_memory(VgspGrid *g)
{
    size_t bytes;

    g_mutex_lock(&g->lock);
    bytes = pool_bytes(g);
    g_mutex_unlock(&g->lock);
    return bytes;
}

bool vgsp_grid_failed(VgspGrid *g, struct vgsp_owner_fault *fault)
{
    bool failed;

    g_mutex_lock(&g->lock);
    failed = g->failed;
    if (failed) {
        *fault = g->fault;
    }
    g_mutex_unlock(&g->lock);
    return failed;
}
