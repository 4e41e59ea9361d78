/*
 * Shadow address spaces: what every executor shares between the guest's page
 * tables and its own. A guest's directory gets a space of the executor when a
 * channel of it first needs one; the copy of each page-table page that was read
 * is kept, an invalidation re-reads what differs, and the difference goes to
 * the executor as one batch. design.md section 6.
 *
 * All functions: BQL, unless they say otherwise.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_OWNER_SHADOW_H
#define HW_VGSP_OWNER_SHADOW_H

#include "device/aperture.h"
#include "owner/executor.h"

typedef struct VgspShadow VgspShadow;   /* of one directory */

/* Registers VRAM and guest RAM with the executor and listens for changes. */
bool vgsp_shadows_init(VgspState *s, Error **errp);
/* After the executor was revoked: forgets all spaces, registers memory anew. */
void vgsp_shadows_reset(VgspState *s);
void vgsp_shadows_exit(VgspState *s);

/*
 * The shadow of the directory @pdb, built on first use (a whole walk), counted.
 * NULL with *errp if the executor refuses.
 */
VgspShadow *vgsp_shadow_get(VgspState *s, const VgspPdb *pdb, Error **errp);
void vgsp_shadow_put(VgspShadow *shadow);
/* The executor's id of it. Any thread while it is held. */
uint32_t vgsp_shadow_space(const VgspShadow *shadow);

/*
 * From vgsp_invalidate(): notes which shadows @inv concerns, and brings those
 * up to date that were noted. The executor has acknowledged when the latter
 * returns. Both do nothing where nothing is shadowed.
 */
void vgsp_shadows_mark(VgspState *s, const VgspInvalidate *inv);
void vgsp_shadows_sync(VgspState *s);

/*
 * The RAM that DMA reaches, or where a vIOMMU maps it, is another now
 * (device/dma.h). No mapping of what is gone is left when it returns.
 */
void vgsp_shadows_memory_changed(VgspState *s);
/* The same, but only what a vIOMMU mapped at [first, last] went. */
void vgsp_shadows_dma_unmapped(VgspState *s, uint64_t first, uint64_t last);

#endif
