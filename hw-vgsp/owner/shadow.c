/*
 * Shadow address spaces: copies of a guest's page tables, and the difference
 * that an invalidation makes, as map operations. design.md section 6.
 *
 * The copies form a tree by virtual address. A table is compared with its copy
 * as a whole; entries that differ are decoded (common/gmmu) and what they map
 * now is told to the executor. So an invalidation costs a comparison of the
 * tables that it covers, and work for each entry that changed.
 *
 * A guest's tables may name each other in circles: the tree is bounded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/atomic.h"
#include "qemu/error-report.h"
#include "qemu/queue.h"
#include "owner/shadow-int.h"
#include "trace.h"
#include "vgsp/tlb.h"

/* Tables of all spaces of a device: 32 GiB in pages of 4 KiB. */
#define TABLES_MAX      16384

#define DIR_ENTRIES     512     /* of PD2 and PD1; and qwords of PD0 */
#define PD0_ENTRIES     256
#define BIG_ENTRIES     32
#define SMALL_ENTRIES   512

#define VA_END          (UINT64_C(1) << NV_MMU_VER2_VA_BITS)
#define SMALL_PAGE      (UINT64_C(1) << NV_MMU_VER2_PT_SMALL_SHIFT)
#define BIG_PAGE        (UINT64_C(1) << NV_MMU_VER2_PT_BIG_SHIFT)
#define SLOT            (UINT64_C(1) << NV_MMU_VER2_PD0_SHIFT)

/* The page tables of a slot of 2 MiB. Entries are as in memory. */
typedef struct Slot {
    VgspGmmuTable big, small;
    uint64_t built;             /* the sync that made it */
    uint64_t *small_pte;        /* SMALL_ENTRIES if small.valid */
    uint64_t big_pte[BIG_ENTRIES]; /* if big.valid */
} Slot;

/* A directory. */
typedef struct Dir {
    VgspGmmuTable table;
    VgspGmmuLevel level;
    uint64_t built;
    uint64_t entry[DIR_ENTRIES]; /* as in memory; PD0: two each */
    void *child[DIR_ENTRIES];   /* Dir, or Slot of PD0; NULL: none */
} Dir;

struct VgspShadow {
    VgspState *s;
    VgspPdb pdb;
    unsigned users;
    bool gone;                  /* the executor's session was revoked */
    bool failed;                /* the executor refused: nothing is mapped */
    uint32_t space;
    Dir *root;
    uint64_t stale_first, stale_last; /* to be compared; first > last: none */
    QTAILQ_ENTRY(VgspShadow) next;
};

struct VgspShadows {
    VgspState *s;
    VgspObjects *objects;
    QTAILQ_HEAD(, VgspShadow) all;
    unsigned tables;
    bool warned;                /* of TABLES_MAX */
    uint64_t syncs;             /* numbers them */
    struct vgsp_owner_map_op *ops;
};

/* A comparison under way. */
typedef struct Sync {
    VgspShadows *sh;
    VgspShadow *shadow;
    VgspMaps maps;
    uint64_t first, last;       /* the range */
    uint64_t number;
    unsigned compared;          /* tables */
    /* Nothing is mapped where entries are added: what unmaps is left out. */
    bool empty;
    bool again;                 /* tell all of system memory again */
} Sync;

static const uint8_t dir_shift[] = {
    [VGSP_GMMU_PD3] = NV_MMU_VER2_PD3_SHIFT,
    [VGSP_GMMU_PD2] = NV_MMU_VER2_PD2_SHIFT,
    [VGSP_GMMU_PD1] = NV_MMU_VER2_PD1_SHIFT,
    [VGSP_GMMU_PD0] = NV_MMU_VER2_PD0_SHIFT,
};

static unsigned dir_entries(VgspGmmuLevel level)
{
    switch (level) {
    case VGSP_GMMU_PD3:
        return 1u << (NV_MMU_VER2_VA_BITS - NV_MMU_VER2_PD3_SHIFT);
    case VGSP_GMMU_PD0:
        return PD0_ENTRIES;
    default:
        return DIR_ENTRIES;
    }
}

/* ---- The tree ---- */

static bool table_take(VgspShadows *sh)
{
    if (sh->tables == TABLES_MAX) {
        if (!sh->warned) {
            sh->warned = true;
            warn_report("vgsp-gpu: the guest's page tables are more than %d: "
                        "what the others map is not mapped for graphics and "
                        "compute", TABLES_MAX);
        }
        return false;
    }
    sh->tables++;
    return true;
}

static void slot_free(VgspShadows *sh, Slot *slot)
{
    sh->tables--;
    g_free(slot->small_pte);
    g_free(slot);
}

static void dir_free(VgspShadows *sh, Dir *d)
{
    for (unsigned i = 0; i < DIR_ENTRIES; i++) {
        if (!d->child[i]) {
            continue;
        }
        if (d->level == VGSP_GMMU_PD0) {
            slot_free(sh, d->child[i]);
        } else {
            dir_free(sh, d->child[i]);
        }
    }
    sh->tables--;
    g_free(d);
}

/* ---- Page tables ---- */

static void slot_tell_small(Sync *sync, const Slot *slot, uint64_t va,
                            unsigned i)
{
    VgspMapping m;

    va += i * SMALL_PAGE;
    if (slot->small.valid &&
        vgsp_gmmu_small_pte(le64_to_cpu(slot->small_pte[i]), va, &m) ==
        VGSP_GMMU_ENTRY_PAGE) {
        vgsp_maps_page(&sync->maps, &m);
    } else if (!sync->empty) {
        vgsp_maps_unmap(&sync->maps, va, SMALL_PAGE);
    }
}

static VgspGmmuEntry slot_big(const Slot *slot, uint64_t va, unsigned i,
                              VgspMapping *m)
{
    return slot->big.valid ?
           vgsp_gmmu_big_pte(le64_to_cpu(slot->big_pte[i]), va + i * BIG_PAGE,
                             m) : VGSP_GMMU_ENTRY_SMALL;
}

/* What the 64 KiB at index @i map. */
static void slot_tell_big(Sync *sync, const Slot *slot, uint64_t va,
                          unsigned i)
{
    const unsigned n = SMALL_ENTRIES / BIG_ENTRIES;
    VgspMapping m;

    switch (slot_big(slot, va, i, &m)) {
    case VGSP_GMMU_ENTRY_PAGE:
        vgsp_maps_page(&sync->maps, &m);
        break;
    case VGSP_GMMU_ENTRY_SMALL:
        for (unsigned k = i * n; k < (i + 1) * n; k++) {
            slot_tell_small(sync, slot, va, k);
        }
        break;
    default:
        if (!sync->empty) {
            vgsp_maps_unmap(&sync->maps, va + i * BIG_PAGE, BIG_PAGE);
        }
    }
}

static void slot_tell(Sync *sync, const Slot *slot, uint64_t va)
{
    for (unsigned i = 0; i < BIG_ENTRIES; i++) {
        slot_tell_big(sync, slot, va, i);
    }
}

/* The @len bytes of a table; one that is no RAM maps nothing. */
static const uint64_t *table_at(Sync *sync, const VgspGmmuTable *t,
                                unsigned len)
{
    static const uint64_t nothing[DIR_ENTRIES];
    const uint64_t *at = vgsp_objects_host(sync->sh->objects, t->aperture,
                                           t->addr, len);

    sync->compared++;
    return at ?: nothing;
}

/* The same for big pages: nor are there any small ones behind it. */
static const uint64_t *big_table_at(Sync *sync, const VgspGmmuTable *t)
{
    static uint64_t nothing[BIG_ENTRIES];
    const unsigned len = sizeof(nothing);
    const uint64_t *at = vgsp_objects_host(sync->sh->objects, t->aperture,
                                           t->addr, len);

    sync->compared++;
    for (unsigned i = 0; !at && i < BIG_ENTRIES; i++) {
        nothing[i] = cpu_to_le64(NV_MMU_VER2_PTE_PRIVILEGE);
    }
    return at ?: nothing;
}

static Slot *slot_new(Sync *sync, const VgspGmmuTable *big,
                      const VgspGmmuTable *small)
{
    Slot *slot;

    if (!table_take(sync->sh)) {
        return NULL;
    }
    slot = g_new0(Slot, 1);
    slot->big = *big;
    slot->small = *small;
    slot->built = sync->number;
    if (big->valid) {
        memcpy(slot->big_pte, big_table_at(sync, big), sizeof(slot->big_pte));
    }
    if (small->valid) {
        slot->small_pte = g_memdup2(table_at(sync, small, 4096), 4096);
    }
    return slot;
}

/* Clips the sync's range to [base, base + n << shift), as indices. */
static void sync_range(const Sync *sync, uint64_t base, unsigned shift,
                       unsigned n, unsigned *i0, unsigned *i1)
{
    uint64_t end = base + ((uint64_t)n << shift) - 1;

    *i0 = (MAX(sync->first, base) - base) >> shift;
    *i1 = (MIN(sync->last, end) - base) >> shift;
}

static void slot_sync(Sync *sync, Slot *slot, uint64_t va)
{
    const unsigned n = SMALL_ENTRIES / BIG_ENTRIES;
    uint32_t told = 0;          /* of the big entries */
    unsigned i0, i1;

    /* Each entry is read once: the guest may be writing. */
    if (slot->big.valid) {
        const uint64_t *at = big_table_at(sync, &slot->big);

        sync_range(sync, va, NV_MMU_VER2_PT_BIG_SHIFT, BIG_ENTRIES, &i0, &i1);
        for (unsigned i = i0; i <= i1; i++) {
            uint64_t now = qatomic_read__nocheck(&at[i]);

            if (now != slot->big_pte[i]) {
                slot->big_pte[i] = now;
                told |= 1u << i;
            }
        }
    }
    if (slot->small.valid) {
        const uint64_t *at = table_at(sync, &slot->small, 4096);

        sync_range(sync, va, NV_MMU_VER2_PT_SMALL_SHIFT, SMALL_ENTRIES, &i0,
                   &i1);
        if (!memcmp(at + i0, slot->small_pte + i0, (i1 - i0 + 1) * 8)) {
            i0 = SMALL_ENTRIES; /* the usual case, and the fastest */
        }
        for (unsigned i = i0; i <= i1; i++) {
            uint64_t now = qatomic_read__nocheck(&at[i]);
            VgspMapping m;

            if (now == slot->small_pte[i]) {
                continue;
            }
            slot->small_pte[i] = now;
            if (!(told & (1u << i / n)) &&
                slot_big(slot, va, i / n, &m) == VGSP_GMMU_ENTRY_SMALL) {
                slot_tell_small(sync, slot, va, i);
            }
        }
    }
    for (unsigned i = 0; i < BIG_ENTRIES; i++) {
        if (told & (1u << i)) {
            slot_tell_big(sync, slot, va, i);
        }
    }
}

/* ---- Directories ---- */

static void dir_sync(Sync *sync, Dir *d, uint64_t base);

static Dir *dir_new(Sync *sync, const VgspGmmuTable *table,
                    VgspGmmuLevel level)
{
    Dir *d;

    if (!table_take(sync->sh)) {
        return NULL;
    }
    d = g_new0(Dir, 1);
    d->table = *table;
    d->level = level;
    d->built = sync->number;
    return d;
}

/* Entry @i of PD0 becomes low, high. */
static void pd0_set(Sync *sync, Dir *d, unsigned i, uint64_t va, uint64_t low,
                    uint64_t high)
{
    VgspGmmuTable big, small;
    VgspMapping m;
    bool was_empty = sync->empty || (!d->entry[2 * i] && !d->entry[2 * i + 1]);
    bool empty = sync->empty;

    if (d->child[i]) {
        slot_free(sync->sh, d->child[i]);
        d->child[i] = NULL;
    }
    d->entry[2 * i] = low;
    d->entry[2 * i + 1] = high;
    sync->empty = was_empty;
    switch (vgsp_gmmu_pd0(le64_to_cpu(low), le64_to_cpu(high), va, &big,
                          &small, &m)) {
    case VGSP_GMMU_ENTRY_PAGE:
        vgsp_maps_page(&sync->maps, &m);
        break;
    case VGSP_GMMU_ENTRY_TABLE:
        d->child[i] = slot_new(sync, &big, &small);
        if (d->child[i]) {
            slot_tell(sync, d->child[i], va);
            break;
        }
        /* fall through */
    default:
        if (!was_empty) {
            vgsp_maps_unmap(&sync->maps, va, SLOT);
        }
    }
    sync->empty = empty;
}

/* Entry @i of PD3, PD2 or PD1 becomes pde. */
static void dir_set(Sync *sync, Dir *d, unsigned i, uint64_t va, uint64_t pde)
{
    bool empty = sync->empty;
    VgspGmmuTable next;
    VgspMapping m;

    if (d->child[i]) {
        dir_free(sync->sh, d->child[i]);
        d->child[i] = NULL;
    }
    if (d->entry[i] && !empty) {
        vgsp_maps_unmap(&sync->maps, va, UINT64_C(1) << dir_shift[d->level]);
    }
    d->entry[i] = pde;
    sync->empty = true;
    switch (vgsp_gmmu_pde(le64_to_cpu(pde), va, d->level, &next, &m)) {
    case VGSP_GMMU_ENTRY_PAGE:
        vgsp_maps_page(&sync->maps, &m);
        break;
    case VGSP_GMMU_ENTRY_TABLE:
        d->child[i] = dir_new(sync, &next, d->level + 1);
        if (d->child[i]) {
            uint64_t first = sync->first, last = sync->last;

            /* Whatever was asked for: a new table is seen whole. */
            sync->first = 0;
            sync->last = VA_END - 1;
            dir_sync(sync, d->child[i], va);
            sync->first = first;
            sync->last = last;
        }
        break;
    default:
        break;
    }
    sync->empty = empty;
}

static const uint64_t *dir_at(Sync *sync, const Dir *d, uint64_t inline_pd3[4])
{
    const VgspPdb *pdb = &sync->shadow->pdb;

    if (d->level == VGSP_GMMU_PD3 && pdb->inline_pde) {
        inline_pd3[0] = cpu_to_le64(pdb->pde0);
        return inline_pd3;
    }
    return table_at(sync, &d->table,
                    d->level == VGSP_GMMU_PD3 ? 4 * 8 : 4096);
}

static void dir_sync(Sync *sync, Dir *d, uint64_t base)
{
    const unsigned shift = dir_shift[d->level];
    const unsigned words = d->level == VGSP_GMMU_PD0 ? 2 : 1;
    uint64_t inline_pd3[4] = { 0 };
    const uint64_t *at = dir_at(sync, d, inline_pd3);
    unsigned i0, i1;

    sync_range(sync, base, shift, dir_entries(d->level), &i0, &i1);
    for (unsigned i = i0; i <= i1; i++) {
        uint64_t va = base + ((uint64_t)i << shift);
        uint64_t now[2] = { 0 };

        for (unsigned w = 0; w < words; w++) {
            now[w] = qatomic_read__nocheck(&at[i * words + w]);
        }
        if (memcmp(now, &d->entry[i * words], words * 8)) {
            if (d->level == VGSP_GMMU_PD0) {
                pd0_set(sync, d, i, va, now[0], now[1]);
            } else {
                dir_set(sync, d, i, va, now[0]);
            }
        } else if (!d->child[i]) {
            continue;
        } else if (d->level == VGSP_GMMU_PD0) {
            Slot *slot = d->child[i];

            if (slot->built != sync->number) {
                slot_sync(sync, slot, va);
            }
        } else if (((Dir *)d->child[i])->built != sync->number) {
            dir_sync(sync, d->child[i], va);
        }
    }
}

/* Tells all that lies in system memory again. */
static void slot_again(Sync *sync, const Slot *slot, uint64_t va)
{
    VgspMapping m;

    for (unsigned i = 0; i < SMALL_ENTRIES; i++) {
        unsigned big = i / (SMALL_ENTRIES / BIG_ENTRIES);
        VgspGmmuEntry e = slot_big(slot, va, big, &m);
        uint64_t page = va + i * SMALL_PAGE;

        if (e == VGSP_GMMU_ENTRY_SMALL && slot->small.valid) {
            e = vgsp_gmmu_small_pte(le64_to_cpu(slot->small_pte[i]), page, &m);
        }
        if (e == VGSP_GMMU_ENTRY_PAGE && !m.sparse &&
            m.aperture != VGSP_APERTURE_VIDEO) {
            vgsp_maps_page(&sync->maps, &m);
            i += m.size / SMALL_PAGE - 1;
        }
    }
}

static void dir_again(Sync *sync, const Dir *d, uint64_t base)
{
    for (unsigned i = 0; i < dir_entries(d->level); i++) {
        uint64_t va = base + ((uint64_t)i << dir_shift[d->level]);
        VgspGmmuTable big, small;
        VgspMapping m;

        if (d->level != VGSP_GMMU_PD0) {
            if (d->child[i]) {
                dir_again(sync, d->child[i], va);
            }
        } else if (d->child[i]) {
            slot_again(sync, d->child[i], va);
        } else if (vgsp_gmmu_pd0(le64_to_cpu(d->entry[2 * i]),
                                 le64_to_cpu(d->entry[2 * i + 1]), va, &big,
                                 &small, &m) == VGSP_GMMU_ENTRY_PAGE &&
                   !m.sparse && m.aperture != VGSP_APERTURE_VIDEO) {
            vgsp_maps_page(&sync->maps, &m);
        }
    }
}

/* ---- Spaces ---- */

/*
 * The executor could not follow: the space is left without mappings, so that
 * whatever runs in it faults instead of using what was there.
 */
static void shadow_fail(VgspShadow *shadow, int error)
{
    VgspExecutor *ex = shadow->s->executor;
    const struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_UNMAP,
        .size = VA_END,
    };

    error_report("vgsp-gpu: owner '%s' cannot map what the guest maps: %s",
                 ex->ops->name, strerror(-error));
    shadow->failed = true;
    ex->ops->map(ex, shadow->space, &op, 1);
}

static void shadow_sync(VgspShadow *shadow, bool again)
{
    VgspShadows *sh = shadow->s->shadows;
    Sync sync = {
        .sh = sh,
        .shadow = shadow,
        .first = shadow->stale_first,
        .last = shadow->stale_last,
        .number = ++sh->syncs,
        .maps = {
            .s = shadow->s,
            .objects = sh->objects,
            .space = shadow->space,
            .ops = sh->ops,
        },
    };

    shadow->stale_first = UINT64_MAX;
    shadow->stale_last = 0;
    if (shadow->gone || shadow->failed || !shadow->root) {
        return;
    }
    if (again) {
        dir_again(&sync, shadow->root, 0);
    }
    if (sync.first <= sync.last) {
        dir_sync(&sync, shadow->root, 0);
    }
    vgsp_maps_flush(&sync.maps);
    qatomic_inc(&shadow->s->stats.shadow_syncs);
    trace_vgsp_shadow_sync(shadow->space, sync.compared, sync.maps.sent);
    if (sync.maps.error) {
        shadow_fail(shadow, sync.maps.error);
    }
}

static void shadow_mark(VgspShadow *shadow, uint64_t first, uint64_t last)
{
    shadow->stale_first = MIN(shadow->stale_first, first);
    shadow->stale_last = MAX(shadow->stale_last, MIN(last, VA_END - 1));
}

VgspShadow *vgsp_shadow_get(VgspState *s, const VgspPdb *pdb, Error **errp)
{
    VgspShadows *sh = s->shadows;
    VgspExecutor *ex = s->executor;
    const VgspGmmuTable table = {
        .addr = pdb->addr, .aperture = pdb->aperture, .valid = true
    };
    Sync sync = { .sh = sh };
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
            shadow->pdb.pde0 == pdb->pde0 && !shadow->failed) {
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
    shadow->root = dir_new(&sync, &table, VGSP_GMMU_PD3);
    shadow->stale_last = VA_END - 1;
    QTAILQ_INSERT_TAIL(&sh->all, shadow, next);
    trace_vgsp_shadow_new(pdb->addr, space);
    shadow_sync(shadow, false);
    if (!shadow->root || shadow->failed) {
        error_setg(errp, "the page tables cannot be followed");
        vgsp_shadow_put(shadow);
        return NULL;
    }
    return shadow;
}

void vgsp_shadow_put(VgspShadow *shadow)
{
    VgspShadows *sh;

    if (!shadow || --shadow->users) {
        return;
    }
    if (!shadow->gone) {
        VgspExecutor *ex = shadow->s->executor;
        int ret = ex->ops->space_del(ex, shadow->space);

        trace_vgsp_shadow_free(shadow->space, ret);
        sh = shadow->s->shadows;
        QTAILQ_REMOVE(&sh->all, shadow, next);
        if (shadow->root) {
            dir_free(sh, shadow->root);
        }
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
        if (shadow->stale_first <= shadow->stale_last) {
            shadow_sync(shadow, false);
        }
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
        shadow_mark(shadow, 0, VA_END - 1);
        shadow_sync(shadow, true);
    }
    vgsp_objects_expire(s->shadows->objects);
}

/* ---- Life ---- */

bool vgsp_shadows_init(VgspState *s, Error **errp)
{
    VgspShadows *sh = g_new0(VgspShadows, 1);

    sh->s = s;
    QTAILQ_INIT(&sh->all);
    sh->ops = g_new(struct vgsp_owner_map_op, VGSP_MAPS_BATCH);
    sh->objects = vgsp_objects_new(s);
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
        if (shadow->root) {
            dir_free(sh, shadow->root);
            shadow->root = NULL;
        }
    }
    vgsp_objects_forget(sh->objects);
}

void vgsp_shadows_reset(VgspState *s)
{
    Error *err = NULL;

    shadows_forget(s->shadows);
    s->shadows->warned = false;
    if (!vgsp_objects_update(s->shadows->objects, &err)) {
        error_report_err(err);
    }
    vgsp_objects_expire(s->shadows->objects);
}

void vgsp_shadows_exit(VgspState *s)
{
    VgspShadows *sh = s->shadows;

    shadows_forget(sh);
    vgsp_objects_free(sh->objects);
    g_free(sh->ops);
    g_clear_pointer(&s->shadows, g_free);
}
