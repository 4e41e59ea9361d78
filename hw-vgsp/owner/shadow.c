/*
 * Shadow address spaces: which spaces of the executor stand for directories of
 * the guest, and when they follow. What differs is found by tables.c.
 * design.md section 6.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/atomic.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/queue.h"
#include "owner/shadow-int.h"
#include "trace.h"
#include "vgsp/tlb.h"

struct VgspShadow {
    VgspState *s;
    VgspPdb pdb;
    unsigned users;
    bool gone;                  /* the executor's session was revoked */
    uint32_t space;
    VgspTables *tables;         /* NULL: nothing is mapped, nor will be */
    uint64_t stale_first, stale_last; /* to be compared; first > last: none */
    QTAILQ_ENTRY(VgspShadow) next;
};

struct VgspShadows {
    VgspState *s;
    VgspObjects *objects;
    QTAILQ_HEAD(, VgspShadow) all;
    VgspTablePool pool;
    bool failed;                /* a space did, and that was said */
    QEMUBH *room_bh;            /* spaces are gone */
    struct vgsp_owner_map_op *ops;
};

/* ---- Spaces ---- */

/*
 * The executor could not follow: the space is left without mappings, so that
 * whatever runs in it faults instead of using what was there.
 */
static void shadow_fail(VgspShadow *shadow, int error)
{
    VgspShadows *sh = shadow->s->shadows;
    VgspExecutor *ex = shadow->s->executor;
    const struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_UNMAP,
        .size = VGSP_VA_END,
    };

    if (!sh->failed) {
        sh->failed = true;
        error_report("vgsp-gpu: owner '%s' cannot map what the guest maps: %s",
                     ex->ops->name, error == -E2BIG ?
                     "more pages at once than are followed" :
                     strerror(-error));
    }
    g_clear_pointer(&shadow->tables, vgsp_tables_free);
    ex->ops->map(ex, shadow->space, &op, 1);
}

static void maps_init(VgspShadow *shadow, VgspMaps *maps)
{
    VgspShadows *sh = shadow->s->shadows;

    *maps = (VgspMaps) {
        .s = shadow->s,
        .objects = sh->objects,
        .space = shadow->space,
        .ops = sh->ops,
    };
}

/* Gives the executor the rest of @maps. */
static void maps_end(VgspShadow *shadow, VgspMaps *maps, unsigned compared)
{
    vgsp_maps_flush(maps);
    trace_vgsp_shadow_sync(shadow->space, compared, maps->sent);
    if (maps->error) {
        shadow_fail(shadow, maps->error);
    }
}

/* Compares what is stale. */
static void shadow_sync(VgspShadow *shadow)
{
    uint64_t first = shadow->stale_first, last = shadow->stale_last;
    unsigned compared;
    VgspMaps maps;

    shadow->stale_first = UINT64_MAX;
    shadow->stale_last = 0;
    if (!shadow->tables || first > last) {
        return;
    }
    maps_init(shadow, &maps);
    compared = vgsp_tables_sync(shadow->tables, &maps, first, last);
    qatomic_inc(&shadow->s->stats.shadow_syncs);
    maps_end(shadow, &maps, compared);
}

/*
 * Tells again what is mapped of system memory at [first, last]. True: all is
 * to be compared.
 */
static bool shadow_again(VgspShadow *shadow, uint64_t first, uint64_t last)
{
    bool tables = false;
    VgspMaps maps;

    if (shadow->tables) {
        maps_init(shadow, &maps);
        tables = vgsp_tables_again(shadow->tables, &maps, first, last);
        maps_end(shadow, &maps, 0);
    }
    return tables;
}

static void shadow_mark(VgspShadow *shadow, uint64_t first, uint64_t last)
{
    shadow->stale_first = MIN(shadow->stale_first, first);
    shadow->stale_last = MAX(shadow->stale_last, MIN(last, VGSP_VA_END - 1));
}

VgspShadow *vgsp_shadow_get(VgspState *s, const VgspPdb *pdb, Error **errp)
{
    VgspShadows *sh = s->shadows;
    VgspExecutor *ex = s->executor;
    VgspShadow *shadow;
    uint32_t space;
    int ret;

    if (!pdb->valid) {
        error_setg(errp, "the address space has no page directory");
        return NULL;
    }
    QTAILQ_FOREACH(shadow, &sh->all, next) {
        if (vgsp_pdb_same(&shadow->pdb, pdb) &&
            shadow->pdb.inline_pde == pdb->inline_pde &&
            shadow->pdb.pde0 == pdb->pde0 && shadow->tables) {
            shadow->users++;
            return shadow;
        }
    }
    ret = ex->ops->space_new(ex, &space);
    if (ret < 0) {
        error_setg_errno(errp, -ret, "owner '%s' has no address space left",
                         ex->ops->name);
        return NULL;
    }
    shadow = g_new0(VgspShadow, 1);
    shadow->s = s;
    shadow->pdb = *pdb;
    shadow->users = 1;
    shadow->space = space;
    shadow->tables = vgsp_tables_new(&sh->pool, sh->objects, pdb);
    shadow->stale_last = VGSP_VA_END - 1;
    QTAILQ_INSERT_TAIL(&sh->all, shadow, next);
    trace_vgsp_shadow_new(pdb->addr, space);
    shadow_sync(shadow);
    if (!shadow->tables) {
        error_setg(errp, "the page tables cannot be followed");
        vgsp_shadow_put(shadow);
        return NULL;
    }
    return shadow;
}

void vgsp_shadow_put(VgspShadow *shadow)
{
    VgspState *s;

    if (!shadow || --shadow->users) {
        return;
    }
    s = shadow->s;
    if (!shadow->gone) {
        VgspExecutor *ex = s->executor;
        int ret = ex->ops->space_del(ex, shadow->space);

        trace_vgsp_shadow_free(shadow->space, ret);
        QTAILQ_REMOVE(&s->shadows->all, shadow, next);
        vgsp_tables_free(shadow->tables);
        /* There is room for others' tables, once for all that go now. */
        qemu_bh_schedule(s->shadows->room_bh);
    }
    g_free(shadow);
}

uint32_t vgsp_shadow_space(const VgspShadow *shadow)
{
    return shadow->space;
}

/* ---- Invalidation ---- */

void vgsp_shadows_mark(VgspState *s, const VgspInvalidate *inv)
{
    VgspShadow *shadow;
    uint64_t last = UINT64_MAX;

    if (!s->shadows || inv->hub_only || (!inv->all_va && !inv->len)) {
        return;
    }
    if (!inv->all_va && inv->len - 1 < UINT64_MAX - inv->va) {
        last = inv->va + inv->len - 1;
    }
    QTAILQ_FOREACH(shadow, &s->shadows->all, next) {
        if (inv->all_pdb || vgsp_pdb_same(&shadow->pdb, &inv->pdb)) {
            shadow_mark(shadow, inv->all_va ? 0 : inv->va, last);
        }
    }
}

void vgsp_shadows_sync(VgspState *s)
{
    VgspShadow *shadow;

    if (!s->shadows) {
        return;
    }
    QTAILQ_FOREACH(shadow, &s->shadows->all, next) {
        if (shadow->tables && vgsp_tables_starved(shadow->tables)) {
            shadow_mark(shadow, 0, VGSP_VA_END - 1);
        }
        shadow_sync(shadow);
    }
}

void vgsp_shadows_memory_changed(VgspState *s)
{
    VgspShadow *shadow;
    Error *err = NULL;

    if (!s->shadows) {
        return;
    }
    if (!vgsp_objects_update(s->shadows->objects, &err)) {
        error_report_err(err);  /* what lies there faults */
    }
    QTAILQ_FOREACH(shadow, &s->shadows->all, next) {
        shadow_again(shadow, 0, UINT64_MAX);
        shadow_mark(shadow, 0, VGSP_VA_END - 1);
        shadow_sync(shadow);
    }
    vgsp_objects_expire(s->shadows->objects);
}

void vgsp_shadows_dma_unmapped(VgspState *s, uint64_t first, uint64_t last)
{
    VgspShadow *shadow;

    if (!s->shadows) {
        return;
    }
    QTAILQ_FOREACH(shadow, &s->shadows->all, next) {
        if (shadow_again(shadow, first, last)) {
            shadow_mark(shadow, 0, VGSP_VA_END - 1);
            shadow_sync(shadow);
        }
    }
}

/* ---- Life ---- */

static void room_bh(void *opaque)
{
    vgsp_shadows_sync(opaque);
}

bool vgsp_shadows_init(VgspState *s, Error **errp)
{
    VgspShadows *sh = g_new0(VgspShadows, 1);

    sh->s = s;
    QTAILQ_INIT(&sh->all);
    sh->ops = g_new(struct vgsp_owner_map_op, VGSP_MAPS_BATCH);
    sh->objects = vgsp_objects_new(s);
    sh->room_bh = qemu_bh_new(room_bh, s);
    s->shadows = sh;
    return vgsp_objects_update(sh->objects, errp);
}

/* Those who hold a space keep it, of no use, until they put it. */
static void shadows_forget(VgspShadows *sh)
{
    VgspShadow *shadow;

    while ((shadow = QTAILQ_FIRST(&sh->all))) {
        QTAILQ_REMOVE(&sh->all, shadow, next);
        shadow->gone = true;
        g_clear_pointer(&shadow->tables, vgsp_tables_free);
    }
    qemu_bh_cancel(sh->room_bh);
    vgsp_objects_forget(sh->objects);
}

void vgsp_shadows_reset(VgspState *s)
{
    Error *err = NULL;

    shadows_forget(s->shadows);
    s->shadows->pool.warned = s->shadows->failed = false;
    if (!vgsp_objects_update(s->shadows->objects, &err)) {
        error_report_err(err);
    }
    vgsp_objects_expire(s->shadows->objects);
}

void vgsp_shadows_exit(VgspState *s)
{
    VgspShadows *sh = s->shadows;

    shadows_forget(sh);
    qemu_bh_delete(sh->room_bh);
    vgsp_objects_free(sh->objects);
    g_free(sh->ops);
    g_clear_pointer(&s->shadows, g_free);
}
