/*
 * Copies of a guest's page tables, and what differs from them as map
 * operations. design.md section 6.
 *
 * The copies form a tree by virtual address. A table is compared with its copy
 * as a whole; entries that differ are decoded (common/gmmu) and what they map
 * now is told to the executor. So an invalidation costs a comparison of the
 * tables that it covers, and work for each entry that changed.
 *
 * A guest can build more of them than there is room for, and let them name
 * each other in circles. A table that is one too many is refused: nothing is
 * mapped there, so accesses fault, until there is room.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/error-report.h"
#include "owner/shadow-int.h"

/*
 * Tables of all spaces of a device: 32 GiB in pages of 4 KiB, and at most some
 * 140 MiB here. A space may have as many as it leaves to the others.
 */
#define TABLES_MAX      16384
/*
 * Tables of a space that are in it already, at another address: no driver does
 * that, and one entry written would be thousands to tell.
 */
#define ALIASES_MAX     256
/* As many may be refused again, of those that are, by one comparison. */
#define FAILURES_MAX    256

#define DIR_ENTRIES     512     /* of PD2 and PD1; and qwords of PD0 */
#define PD0_ENTRIES     256
#define BIG_ENTRIES     32
#define SMALL_ENTRIES   512
#define SMALL_PER_BIG   (SMALL_ENTRIES / BIG_ENTRIES)

#define SMALL_PAGE      (UINT64_C(1) << NV_MMU_VER2_PT_SMALL_SHIFT)
#define BIG_PAGE        (UINT64_C(1) << NV_MMU_VER2_PT_BIG_SHIFT)
#define SLOT            (UINT64_C(1) << NV_MMU_VER2_PD0_SHIFT)

/*
 * The page tables of a slot of 2 MiB. Entries are as in memory. What is known
 * of system memory includes the tables themselves, and what was there before.
 */
typedef struct Slot {
    VgspPages system;
    VgspGmmuTable big, small;
    const void *big_seen, *small_seen;
    uint64_t built;             /* the sync that made it */
    uint64_t *small_pte;        /* SMALL_ENTRIES if small.valid */
    uint64_t big_pte[BIG_ENTRIES]; /* if big.valid */
} Slot;

/* A directory. */
typedef struct Dir {
    VgspGmmuTable table;
    VgspGmmuLevel level;
    const void *seen;
    VgspBounds system;          /* of what is below as well */
    uint64_t built;
    uint64_t entry[DIR_ENTRIES]; /* as in memory; PD0: two each */
    /* Dir, or Slot of PD0; NO_*; NULL: the entry names no table. */
    void *child[DIR_ENTRIES];
} Dir;

/* A table that is one too many, or one alias too many. */
static char refused_marks[2];
#define NO_ROOM     ((void *)&refused_marks[0])
#define NO_ALIAS    ((void *)&refused_marks[1])

struct VgspTables {
    VgspTablePool *pool;
    VgspObjects *objects;
    VgspPdb pdb;
    Dir *root;
    GHashTable *seen;           /* where a table lies -> times in the tree */
    unsigned count;             /* of tables */
    unsigned aliases;           /* ... beyond the first at their place */
    unsigned no_room, no_alias; /* entries whose table is not here */
    uint64_t left, left_tried;  /* tables gone; when the latter were tried */
    uint64_t syncs;             /* numbers them */
};

/* A comparison under way. */
typedef struct Sync {
    VgspTables *t;
    VgspMaps *maps;
    uint64_t first, last;       /* the range */
    uint64_t number;
    unsigned compared;          /* tables */
    bool again;                 /* aliases that were refused are tried */
    unsigned failures;          /* ... and refused */
    /* Nothing is mapped where entries are added: what unmaps is left out. */
    bool empty;
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

static bool is_table(const void *child)
{
    return child && child != NO_ROOM && child != NO_ALIAS;
}

static bool table_room(const VgspTables *t)
{
    return t->count < TABLES_MAX - t->pool->used;
}

static void table_refuse(VgspTables *t)
{
    if (!t->pool->warned) {
        t->pool->warned = true;
        warn_report("vgsp-gpu: the guest's page tables are too many (%d of an "
                    "address space, of %d for all), or name each other: what "
                    "the others map is not mapped for graphics and compute",
                    t->count, TABLES_MAX);
    }
}

static unsigned table_times(const VgspTables *t, const void *at)
{
    return GPOINTER_TO_UINT(at ? g_hash_table_lookup(t->seen, at) : NULL);
}

/*
 * NULL if tables at @a and @b, NULL where there is none, may come into the tree
 * together; or why not.
 */
static void *table_refusal(const VgspTables *t, const void *a, const void *b)
{
    unsigned aliases = (table_times(t, a) != 0) +
                       (table_times(t, b) != 0 || (b && a == b));

    if (!table_room(t)) {
        return NO_ROOM;
    }
    return aliases && t->aliases + aliases > ALIASES_MAX ? NO_ALIAS : NULL;
}

/* A table at @at, NULL where there is none, is another one of the tree's. */
static void table_see(VgspTables *t, const void *at)
{
    unsigned n = table_times(t, at);

    t->aliases += n != 0;
    if (at) {
        g_hash_table_insert(t->seen, (void *)at, GUINT_TO_POINTER(n + 1));
    }
}

static void table_unsee(VgspTables *t, const void *at)
{
    unsigned n = table_times(t, at);

    t->left += n != 0;
    if (n > 1) {
        t->aliases--;
        g_hash_table_insert(t->seen, (void *)at, GUINT_TO_POINTER(n - 1));
    } else if (n) {
        g_hash_table_remove(t->seen, at);
    }
}

static bool in_system(const VgspGmmuTable *table)
{
    return table->valid && table->aperture != VGSP_APERTURE_VIDEO;
}

static void table_taken(VgspTables *t, int n)
{
    t->count += n;
    t->pool->used += n;
}

/* ---- Where system memory is used ---- */

static void slot_uses_tables(Slot *slot)
{
    if (in_system(&slot->big)) {
        vgsp_pages_add(&slot->system, slot->big.addr, slot->big.addr);
    }
    if (in_system(&slot->small)) {
        vgsp_pages_add(&slot->system, slot->small.addr, slot->small.addr);
    }
}

/* The bounds of the child at index @i are @d's as well. */
static void dir_uses_child(Dir *d, unsigned i)
{
    const void *child = d->child[i];
    const VgspBounds *b;

    if (is_table(child)) {
        b = d->level == VGSP_GMMU_PD0 ? &((const Slot *)child)->system.bounds
                                      : &((const Dir *)child)->system;
        vgsp_bounds_add(&d->system, b->low, b->high);
    }
}

static void slot_free(VgspTables *t, Slot *slot)
{
    table_unsee(t, slot->big_seen);
    table_unsee(t, slot->small_seen);
    table_taken(t, -1);
    vgsp_copy_free(t->pool, slot->small_pte);
    g_free(slot);
}

static void dir_free(VgspTables *t, Dir *d);

/* The entry names another table now, or none. */
static void child_free(VgspTables *t, Dir *d, unsigned i)
{
    if (!is_table(d->child[i])) {
        t->no_room -= d->child[i] == NO_ROOM;
        t->no_alias -= d->child[i] == NO_ALIAS;
    } else if (d->level == VGSP_GMMU_PD0) {
        slot_free(t, d->child[i]);
    } else {
        dir_free(t, d->child[i]);
    }
    d->child[i] = NULL;
}

static void dir_free(VgspTables *t, Dir *d)
{
    for (unsigned i = 0; i < DIR_ENTRIES; i++) {
        child_free(t, d, i);
    }
    table_unsee(t, d->seen);
    table_taken(t, -1);
    g_free(d);
}

/* ---- Page tables ---- */

static void slot_tell_small(Sync *sync, Slot *slot, uint64_t va, unsigned i)
{
    VgspMapping m;

    va += i * SMALL_PAGE;
    if (slot->small.valid &&
        vgsp_gmmu_small_pte(le64_to_cpu(slot->small_pte[i]), va, &m) ==
        VGSP_GMMU_ENTRY_PAGE) {
        vgsp_pages_add_page(&slot->system, &m);
        vgsp_maps_page(sync->maps, &m);
    } else if (!sync->empty) {
        vgsp_maps_unmap(sync->maps, va, SMALL_PAGE);
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
static void slot_tell_big(Sync *sync, Slot *slot, uint64_t va, unsigned i)
{
    VgspMapping m;

    switch (slot_big(slot, va, i, &m)) {
    case VGSP_GMMU_ENTRY_PAGE:
        vgsp_pages_add_page(&slot->system, &m);
        vgsp_maps_page(sync->maps, &m);
        break;
    case VGSP_GMMU_ENTRY_SMALL:
        for (unsigned k = i * SMALL_PER_BIG; k < (i + 1) * SMALL_PER_BIG;
             k++) {
            slot_tell_small(sync, slot, va, k);
        }
        break;
    default:
        if (!sync->empty) {
            vgsp_maps_unmap(sync->maps, va + i * BIG_PAGE, BIG_PAGE);
        }
    }
}

static void slot_tell(Sync *sync, Slot *slot, uint64_t va)
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
    const uint64_t *at = vgsp_objects_host(sync->t->objects, t->aperture,
                                           t->addr, len);

    sync->compared++;
    return at ?: nothing;
}

/* The same for big pages: nor are there any small ones behind it. */
static const uint64_t *big_table_at(Sync *sync, const VgspGmmuTable *t)
{
    static uint64_t nothing[BIG_ENTRIES];
    const unsigned len = sizeof(nothing);
    const uint64_t *at = vgsp_objects_host(sync->t->objects, t->aperture,
                                           t->addr, len);

    sync->compared++;
    for (unsigned i = 0; !at && i < BIG_ENTRIES; i++) {
        nothing[i] = cpu_to_le64(NV_MMU_VER2_PTE_PRIVILEGE);
    }
    return at ?: nothing;
}

static const void *table_host(const VgspTables *t, const VgspGmmuTable *table)
{
    return table->valid ? vgsp_objects_host(t->objects, table->aperture,
                                            table->addr, 256) : NULL;
}

/* NULL with *@why, NO_*. */
static Slot *slot_new(Sync *sync, const VgspGmmuTable *big,
                      const VgspGmmuTable *small, void **why)
{
    const void *big_at = table_host(sync->t, big);
    const void *small_at = table_host(sync->t, small);
    Slot *slot;

    *why = table_refusal(sync->t, big_at, small_at);
    if (*why) {
        return NULL;
    }
    table_see(sync->t, big_at);
    table_see(sync->t, small_at);
    table_taken(sync->t, 1);
    slot = g_new0(Slot, 1);
    slot->big = *big;
    slot->small = *small;
    slot->big_seen = big_at;
    slot->small_seen = small_at;
    slot->built = sync->number;
    vgsp_pages_clear(&slot->system);
    slot_uses_tables(slot);
    if (big->valid) {
        memcpy(slot->big_pte, big_table_at(sync, big), sizeof(slot->big_pte));
    }
    if (small->valid) {
        slot->small_pte = vgsp_copy_new(sync->t->pool);
        memcpy(slot->small_pte, table_at(sync, small, 4096), 4096);
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

        /*
         * A translation of 64 KiB is dropped as a whole, whichever part of it
         * was named: what shows behind it is all read now.
         */
        for (unsigned i = 0; told && i < SMALL_ENTRIES; i++) {
            if (told & (1u << i / SMALL_PER_BIG)) {
                slot->small_pte[i] = qatomic_read__nocheck(&at[i]);
            }
        }
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
            if (!(told & (1u << i / SMALL_PER_BIG)) &&
                slot_big(slot, va, i / SMALL_PER_BIG, &m) ==
                VGSP_GMMU_ENTRY_SMALL) {
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

/* Of the table itself. */
static VgspBounds dir_bounds(const Dir *d)
{
    return in_system(&d->table) ?
           (VgspBounds) { d->table.addr, d->table.addr } : VGSP_NO_BOUNDS;
}

/* NULL with *@why, NO_*. */
static Dir *dir_new(Sync *sync, const VgspGmmuTable *table,
                    VgspGmmuLevel level, void **why)
{
    const void *at = table_host(sync->t, table);
    Dir *d;

    *why = table_refusal(sync->t, at, NULL);
    if (*why) {
        return NULL;
    }
    table_see(sync->t, at);
    table_taken(sync->t, 1);
    d = g_new0(Dir, 1);
    d->table = *table;
    d->level = level;
    d->seen = at;
    d->built = sync->number;
    d->system = dir_bounds(d);
    return d;
}

/* The table that entry @i of @d names is one too many. */
static void dir_refuse(Sync *sync, Dir *d, unsigned i, void *why)
{
    d->child[i] = why;
    sync->t->no_room += why == NO_ROOM;
    sync->t->no_alias += why == NO_ALIAS;
    table_refuse(sync->t);
}

/* It was refused, and may be there now. */
static bool dir_retry(const Sync *sync, const void *child)
{
    return (child == NO_ROOM && table_room(sync->t)) ||
           (child == NO_ALIAS && sync->again && sync->failures < FAILURES_MAX);
}

/* Entry @i of PD0 becomes low, high. */
static void pd0_set(Sync *sync, Dir *d, unsigned i, uint64_t va, uint64_t low,
                    uint64_t high)
{
    VgspGmmuTable big, small;
    VgspMapping m;
    bool was_empty = sync->empty || (!d->entry[2 * i] && !d->entry[2 * i + 1]);
    bool empty = sync->empty;
    void *why;

    child_free(sync->t, d, i);
    d->entry[2 * i] = low;
    d->entry[2 * i + 1] = high;
    sync->empty = was_empty;
    switch (vgsp_gmmu_pd0(le64_to_cpu(low), le64_to_cpu(high), va, &big,
                          &small, &m)) {
    case VGSP_GMMU_ENTRY_PAGE:
        vgsp_bounds_add_page(&d->system, &m);
        vgsp_maps_page(sync->maps, &m);
        break;
    case VGSP_GMMU_ENTRY_TABLE:
        d->child[i] = slot_new(sync, &big, &small, &why);
        if (d->child[i]) {
            slot_tell(sync, d->child[i], va);
            break;
        }
        dir_refuse(sync, d, i, why);
        /* fall through */
    default:
        if (!was_empty) {
            vgsp_maps_unmap(sync->maps, va, SLOT);
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
    void *why;

    child_free(sync->t, d, i);
    if (d->entry[i] && !empty) {
        vgsp_maps_unmap(sync->maps, va, UINT64_C(1) << dir_shift[d->level]);
    }
    d->entry[i] = pde;
    sync->empty = true;
    switch (vgsp_gmmu_pde(le64_to_cpu(pde), va, d->level, &next, &m)) {
    case VGSP_GMMU_ENTRY_PAGE:
        vgsp_bounds_add_page(&d->system, &m);
        vgsp_maps_page(sync->maps, &m);
        break;
    case VGSP_GMMU_ENTRY_TABLE:
        d->child[i] = dir_new(sync, &next, d->level + 1, &why);
        if (d->child[i]) {
            uint64_t first = sync->first, last = sync->last;

            /* Whatever was asked for: a new table is seen whole. */
            sync->first = 0;
            sync->last = VGSP_VA_END - 1;
            dir_sync(sync, d->child[i], va);
            sync->first = first;
            sync->last = last;
        } else {
            dir_refuse(sync, d, i, why);
        }
        break;
    default:
        break;
    }
    sync->empty = empty;
}

static const uint64_t *dir_at(Sync *sync, const Dir *d, uint64_t inline_pd3[4])
{
    const VgspPdb *pdb = &sync->t->pdb;

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
    for (unsigned i = i0; i <= i1 && !sync->maps->error; i++) {
        uint64_t va = base + ((uint64_t)i << shift);
        bool again = dir_retry(sync, d->child[i]);
        uint64_t now[2] = { 0 };

        for (unsigned w = 0; w < words; w++) {
            now[w] = qatomic_read__nocheck(&at[i * words + w]);
        }
        if (memcmp(now, &d->entry[i * words], words * 8) || again) {
            if (d->level == VGSP_GMMU_PD0) {
                pd0_set(sync, d, i, va, now[0], now[1]);
            } else {
                dir_set(sync, d, i, va, now[0]);
            }
            sync->failures += again && d->child[i] == NO_ALIAS;
        } else if (!is_table(d->child[i])) {
            continue;
        } else if (d->level == VGSP_GMMU_PD0) {
            Slot *slot = d->child[i];

            if (slot->built != sync->number) {
                slot_sync(sync, slot, va);
            }
        } else if (((Dir *)d->child[i])->built != sync->number) {
            dir_sync(sync, d->child[i], va);
        }
        dir_uses_child(d, i);
    }
}

/* ---- System memory that is another now ---- */

typedef struct Again {
    VgspMaps *maps;
    uint64_t first, last;       /* bus addresses, of whole pages */
    bool tables;                /* a table lies there */
} Again;

/* Tells the part of @m that is concerned. */
static void tell_again(const Again *again, const VgspMapping *m)
{
    VgspMapping part = *m;
    uint64_t first, last;

    if (m->sparse || m->aperture == VGSP_APERTURE_VIDEO ||
        m->pa > again->last || m->pa + (m->size - 1) < again->first) {
        return;
    }
    first = MAX(m->pa, again->first);
    last = MIN(m->pa + (m->size - 1), again->last);
    part.va += first - m->pa;
    part.pa = first;
    part.size = last - first + 1;
    vgsp_maps_page(again->maps, &part);
}

static void table_again(Again *again, const VgspGmmuTable *t)
{
    again->tables |= in_system(t) && t->addr >= again->first &&
                     t->addr <= again->last;
}

/* Also looks what @slot does use. */
static void slot_again(Again *again, Slot *slot, uint64_t va)
{
    if (!vgsp_pages_may_meet(&slot->system, again->first, again->last)) {
        return;
    }
    table_again(again, &slot->big);
    table_again(again, &slot->small);
    vgsp_pages_clear(&slot->system);
    slot_uses_tables(slot);
    for (unsigned i = 0; i < BIG_ENTRIES; i++) {
        VgspMapping m;
        VgspGmmuEntry e = slot_big(slot, va, i, &m);

        if (e == VGSP_GMMU_ENTRY_PAGE) {
            vgsp_pages_add_page(&slot->system, &m);
            tell_again(again, &m);
        }
        if (e != VGSP_GMMU_ENTRY_SMALL || !slot->small.valid) {
            continue;
        }
        for (unsigned k = i * SMALL_PER_BIG; k < (i + 1) * SMALL_PER_BIG;
             k++) {
            uint64_t pte = le64_to_cpu(slot->small_pte[k]);

            if (pte && vgsp_gmmu_small_pte(pte, va + k * SMALL_PAGE, &m) ==
                       VGSP_GMMU_ENTRY_PAGE) {
                vgsp_pages_add_page(&slot->system, &m);
                tell_again(again, &m);
            }
        }
    }
}

static void dir_again(Again *again, Dir *d, uint64_t base)
{
    if (!vgsp_bounds_meet(&d->system, again->first, again->last)) {
        return;
    }
    table_again(again, &d->table);
    d->system = dir_bounds(d);
    for (unsigned i = 0; i < dir_entries(d->level); i++) {
        uint64_t va = base + ((uint64_t)i << dir_shift[d->level]);
        VgspGmmuTable big, small;
        VgspMapping m;

        if (is_table(d->child[i])) {
            if (d->level == VGSP_GMMU_PD0) {
                slot_again(again, d->child[i], va);
            } else {
                dir_again(again, d->child[i], va);
            }
            dir_uses_child(d, i);
        } else if (d->level == VGSP_GMMU_PD0 && d->entry[2 * i] &&
                   !d->child[i] &&
                   vgsp_gmmu_pd0(le64_to_cpu(d->entry[2 * i]),
                                 le64_to_cpu(d->entry[2 * i + 1]), va, &big,
                                 &small, &m) == VGSP_GMMU_ENTRY_PAGE) {
            vgsp_bounds_add_page(&d->system, &m);
            tell_again(again, &m);
        }
    }
}

bool vgsp_tables_again(VgspTables *t, VgspMaps *maps, uint64_t first,
                       uint64_t last)
{
    Again again = {
        .maps = maps,
        .first = first & -SMALL_PAGE,
        .last = last | (SMALL_PAGE - 1),
    };

    dir_again(&again, t->root, 0);
    return again.tables;
}

/* ---- Life ---- */

VgspTables *vgsp_tables_new(VgspTablePool *pool, VgspObjects *objects,
                            const VgspPdb *pdb)
{
    const VgspGmmuTable root = {
        .addr = pdb->addr, .aperture = pdb->aperture,
        .valid = !pdb->inline_pde,
    };
    VgspTables *t = g_new0(VgspTables, 1);
    Sync sync = { .t = t };
    void *why;

    t->pool = pool;
    t->objects = objects;
    t->pdb = *pdb;
    t->seen = g_hash_table_new(NULL, NULL);
    t->root = dir_new(&sync, &root, VGSP_GMMU_PD3, &why);
    if (!t->root) {
        table_refuse(t);
        vgsp_tables_free(t);
        return NULL;
    }
    return t;
}

void vgsp_tables_free(VgspTables *t)
{
    if (t) {
        if (t->root) {
            dir_free(t, t->root);
        }
        g_hash_table_unref(t->seen);
        g_free(t);
    }
}

bool vgsp_tables_starved(const VgspTables *t)
{
    return (t->no_room && table_room(t)) ||
           (t->no_alias && t->left != t->left_tried);
}

static void tables_sync(Sync *sync, uint64_t first, uint64_t last)
{
    sync->number = ++sync->t->syncs;
    sync->first = first;
    sync->last = last;
    sync->again = first == 0 && last >= VGSP_VA_END - 1 &&
                  sync->t->left != sync->t->left_tried;
    if (sync->again) {
        sync->t->left_tried = sync->t->left;
    }
    dir_sync(sync, sync->t->root, 0);
}

unsigned vgsp_tables_sync(VgspTables *t, VgspMaps *maps, uint64_t first,
                          uint64_t last)
{
    Sync sync = { .t = t, .maps = maps };

    tables_sync(&sync, first, last);
    if (vgsp_tables_starved(t)) {
        /* Tables that came first took what those behind them left. */
        tables_sync(&sync, 0, VGSP_VA_END - 1);
    }
    return sync.compared;
}
