/*
 * Shadow address spaces: between the copies of the tables (tables.c) and what
 * the executor is told (maps.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_OWNER_SHADOW_INT_H
#define HW_VGSP_OWNER_SHADOW_INT_H

#include "qemu/bitmap.h"
#include "qemu/queue.h"
#include "owner/shadow.h"

/* ---- Memory objects, owner/memory.c ---- */

typedef struct VgspObjects VgspObjects;

VgspObjects *vgsp_objects_new(VgspState *s);
void vgsp_objects_free(VgspObjects *o);
/* Registers VRAM and what RAM DMA reaches now. False with *errp. */
bool vgsp_objects_update(VgspObjects *o, Error **errp);
/* Removes what vgsp_objects_update() no longer found: nothing maps it. */
void vgsp_objects_expire(VgspObjects *o);
/* The executor forgot them all. */
void vgsp_objects_forget(VgspObjects *o);
/*
 * The object at pa of an aperture: *size bytes from *offset on; or false where
 * there is none, *size bytes far or more. *writable: the bus permits writes.
 */
bool vgsp_objects_find(VgspObjects *o, VgspAperture aperture, uint64_t pa,
                       bool want_write, uint32_t *id, uint64_t *offset,
                       uint64_t *size, bool *writable);
/* Where len bytes at pa can be read, or NULL if not all of them can. */
const void *vgsp_objects_host(VgspObjects *o, VgspAperture aperture,
                              uint64_t pa, uint64_t len);

/* ---- Map operations, owner/maps.c ---- */

/* Operations for one space, merged where they adjoin. */
typedef struct VgspMaps {
    VgspState *s;
    VgspObjects *objects;
    uint32_t space;
    struct vgsp_owner_map_op *ops;
    unsigned count;
    uint64_t sent;
    uint64_t cost;              /* of all that was asked for */
    int error;                  /* of the executor: the space is unusable */
} VgspMaps;

/* As many go to the executor at a time. */
#define VGSP_MAPS_BATCH 8192

/*
 * A page that adjoins the one before costs 1, an operation of its own 4. Two
 * million of those take the model the better part of a second, and the BQL is
 * held meanwhile: more than that at once is the error -E2BIG.
 */
#define VGSP_MAPS_COST_MAX  (1u << 23)

/* What m maps, or unmaps where there is no memory behind it. */
void vgsp_maps_page(VgspMaps *maps, const VgspMapping *m);
void vgsp_maps_unmap(VgspMaps *maps, uint64_t va, uint64_t size);
/* Gives the executor the rest. */
void vgsp_maps_flush(VgspMaps *maps);

/* ---- Which system memory is used, owner/pages.c ---- */

/* The addresses from the lowest to the highest of something. */
typedef struct VgspBounds {
    uint64_t low, high;         /* low > high: none */
} VgspBounds;

#define VGSP_NO_BOUNDS  ((VgspBounds) { .low = UINT64_MAX })

static inline void vgsp_bounds_add(VgspBounds *b, uint64_t low, uint64_t high)
{
    b->low = MIN(b->low, low);
    b->high = MAX(b->high, high);
}

static inline bool vgsp_bounds_meet(const VgspBounds *b, uint64_t first,
                                    uint64_t last)
{
    return b->low <= b->high && b->low <= last && b->high >= first;
}

/* What @m maps, if that is system memory. */
void vgsp_bounds_add_page(VgspBounds *b, const VgspMapping *m);

#define VGSP_PAGES_FILTER_BITS  4096

typedef struct VgspPages {
    VgspBounds bounds;
    unsigned long filter[BITS_TO_LONGS(VGSP_PAGES_FILTER_BITS)];
} VgspPages;

void vgsp_pages_clear(VgspPages *p);
/* Those that [first, last] is in; none is ever taken out. */
void vgsp_pages_add(VgspPages *p, uint64_t first, uint64_t last);
void vgsp_pages_add_page(VgspPages *p, const VgspMapping *m);
/* False: none of the pages of [first, last] is among them. */
bool vgsp_pages_may_meet(const VgspPages *p, uint64_t first, uint64_t last);

/* ---- Copies of the guest's tables, owner/tables.c ---- */

#define VGSP_VA_END (UINT64_C(1) << NV_MMU_VER2_VA_BITS)

typedef struct VgspTables VgspTables;   /* of one directory */
typedef struct VgspCopyChunk VgspCopyChunk;

/* What the spaces of a device share. All zero at first. */
typedef struct VgspTablePool {
    unsigned used;              /* tables */
    bool warned;                /* that some were refused */
    QLIST_HEAD(, VgspCopyChunk) copies; /* chunks with room */
} VgspTablePool;

/* A page for the copy of a table; all are freed before the pool is. */
#define VGSP_COPY_SIZE  4096u
void *vgsp_copy_new(VgspTablePool *pool);
/* NULL is permitted. */
void vgsp_copy_free(VgspTablePool *pool, void *page);

/* Nothing is read yet. NULL: @pool has no table left. */
VgspTables *vgsp_tables_new(VgspTablePool *pool, VgspObjects *objects,
                            const VgspPdb *pdb);
void vgsp_tables_free(VgspTables *t);
/*
 * Tells @maps what changed in the tables of virtual addresses [first, last].
 * Tables that had been refused are tried again. Returns how many it compared.
 * After maps->error @t is of no use.
 */
unsigned vgsp_tables_sync(VgspTables *t, VgspMaps *maps, uint64_t first,
                          uint64_t last);
/* Some were refused, and there is room now: all is to be compared. */
bool vgsp_tables_starved(const VgspTables *t);
/*
 * Tells what is mapped of system memory at bus addresses [first, last]. True:
 * a table lies there, and all is to be compared.
 */
bool vgsp_tables_again(VgspTables *t, VgspMaps *maps, uint64_t first,
                       uint64_t last);

#endif
