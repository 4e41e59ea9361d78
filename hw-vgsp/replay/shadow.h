/*
 * Memory objects with a copy of each, and which pages of them an address
 * space maps: what recorder and player compare.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_REPLAY_SHADOW_H
#define HW_VGSP_REPLAY_SHADOW_H

#include "replay/recording.h"
#include "vgsp/kind.h"

typedef struct VgspShadowMemory {
    uint32_t id;
    uint8_t *host;              /* the user's */
    uint8_t *copy;              /* ours, zeros at first */
    uint64_t size;
} VgspShadowMemory;

typedef struct VgspShadow {
    GHashTable *memories;       /* id -> VgspShadowMemory */
    GHashTable *spaces;         /* id -> GArray of mappings */
    /*
     * Bit k: in pages that are mapped with page kind k the CPU sees another
     * order of bytes than the engine. They are not compared.
     */
    uint32_t hidden_kinds;
    /*
     * Which order that is, or NULL: then they are compared as the engine sees
     * them. For memory of ours, at which nobody else looks meanwhile.
     */
    const VgspKinds *kinds;
    bool ours;                  /* all memory: of vgsp_replay_memory_new() */
} VgspShadow;

void vgsp_shadow_init(VgspShadow *s);
void vgsp_shadow_clear(VgspShadow *s);

/* NULL: the id is in use, or there is no memory for the copy. */
VgspShadowMemory *vgsp_shadow_memory_add(VgspShadow *s, uint32_t id,
                                         void *host, uint64_t size);
/* Its mappings end. False: no such object. */
bool vgsp_shadow_memory_del(VgspShadow *s, uint32_t id);
VgspShadowMemory *vgsp_shadow_memory(const VgspShadow *s, uint32_t id);

bool vgsp_shadow_space_new(VgspShadow *s, uint32_t id);
bool vgsp_shadow_space_del(VgspShadow *s, uint32_t id);
/*
 * Follows operations that the executor accepted. False: no such space or
 * memory, or a range beyond either; nothing was changed.
 */
bool vgsp_shadow_map(VgspShadow *s, uint32_t space,
                     const struct vgsp_owner_map_op *ops, size_t count);

/* Memory behind va, and how many bytes from there (at least 1); or NULL. */
const uint8_t *vgsp_shadow_lookup(const VgspShadow *s, uint32_t space,
                                  uint64_t va, uint64_t *len);

/* The order in which the bytes at va are kept; NULL: as the engine sees them. */
const VgspKindOrder *vgsp_shadow_order(const VgspShadow *s, uint32_t space,
                                       uint64_t va);
/* The same of a page of memory, wherever it is mapped, by kinds or NULL. */
const VgspKindOrder *vgsp_shadow_page_order(const VgspShadow *s,
                                            const VgspKinds *kinds,
                                            uint32_t memory, uint64_t offset);

/* Calls at for each address where the space maps that page of memory. */
void vgsp_shadow_addresses(const VgspShadow *s, uint32_t space,
                           uint32_t memory, uint64_t offset,
                           void (*at)(void *opaque, uint64_t va),
                           void *opaque);

/*
 * Calls differs for each page that the space maps and whose contents are not
 * those of the copy; once a page where it then makes them equal. Meanwhile a
 * page of a kind in s->kinds holds its bytes as the engine sees them.
 */
void vgsp_shadow_compare(const VgspShadow *s, uint32_t space,
                         void (*differs)(void *opaque, VgspShadowMemory *m,
                                         uint64_t page),
                         void *opaque);
/* The same with other memory than the copies: of(opaque_of, m) holds it. */
void vgsp_shadow_compare_with(const VgspShadow *s, uint32_t space,
                              const uint8_t *(*of)(void *opaque,
                                                   const VgspShadowMemory *m),
                              void *opaque_of,
                              void (*differs)(void *opaque,
                                              VgspShadowMemory *m,
                                              uint64_t page),
                              void *opaque);

#endif
