/*
 * Shadow address spaces: between the copies of the tables (shadow.c) and what
 * the executor is told (maps.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_OWNER_SHADOW_INT_H
#define HW_VGSP_OWNER_SHADOW_INT_H

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
    int error;                  /* of the executor: the space is unusable */
} VgspMaps;

/* As many go to the executor at a time. */
#define VGSP_MAPS_BATCH 8192

/* What m maps, or unmaps where there is no memory behind it. */
void vgsp_maps_page(VgspMaps *maps, const VgspMapping *m);
void vgsp_maps_unmap(VgspMaps *maps, uint64_t va, uint64_t size);
/* Gives the executor the rest. */
void vgsp_maps_flush(VgspMaps *maps);

#endif
