/*
 * Address spaces of the model: which bytes of which memory object lie at a
 * virtual address, as the owner's map operations (vgsp/uapi/vgsp_owner.h) say.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_SPACE_H
#define HW_VGSP_MODEL_SPACE_H

#include "model/model-int.h"

#define VGSP_SPACE_VA_BITS      49
#define VGSP_SPACE_PAGE_SHIFT   12

/* A memory object. Lives as long as a space maps it. */
typedef struct VgspMemory {
    uint32_t id;
    uint8_t *host;
    uint64_t size;              /* bytes, a multiple of 4096 */
} VgspMemory;

/*
 * A slot of a table: nothing, bytes of a memory object, sparse, or a table of
 * smaller slots. One size of slot is 4 KiB, each next one is 512 of them.
 */
typedef enum VgspSlotKind {
    VGSP_SLOT_NONE = 0,
    VGSP_SLOT_MEMORY,
    VGSP_SLOT_SPARSE,
    VGSP_SLOT_TABLE,
} VgspSlotKind;

typedef struct VgspTable VgspTable;

typedef struct VgspSlot {
    union {
        VgspMemory *memory;
        VgspTable *table;
    };
    uint64_t word;              /* VGSP_SLOT_* fields */
} VgspSlot;

#define VGSP_SLOT_KIND          VGSP_BITS(1, 0)
#define VGSP_SLOT_FLAGS         VGSP_BITS(4, 2)     /* VGSP_OWNER_MAP_* */
#define VGSP_SLOT_OFFSET        VGSP_BITS(63, 12)   /* pages, of a memory */

#define VGSP_TABLE_BITS         9
#define VGSP_TABLE_SLOTS        (1 << VGSP_TABLE_BITS)

struct VgspTable {
    unsigned used;              /* slots that are not NONE */
    VgspSlot slot[VGSP_TABLE_SLOTS];
};

/* The topmost slots: bits 48:39 of an address. */
#define VGSP_ROOT_SHIFT         39
#define VGSP_ROOT_SLOTS         (1 << (VGSP_SPACE_VA_BITS - VGSP_ROOT_SHIFT))

struct VgspSpace {
    uint32_t id;
    const VgspModelOps *ops;    /* for wrote() */
    void *opaque;
    /*
     * Who may look at or change what follows: slices hold the space for
     * reading (model.c counts them), a change has it alone.
     */
    uint64_t generation;        /* new with every change, never reused */
    VgspSlot root[VGSP_ROOT_SLOTS];
    /* model.c's, under its lock. */
    unsigned slices;            /* that use the space now */
    bool exclusive;             /* a change waits or is under way */
    unsigned contexts;
};

VgspSpace *vgsp_space_new(const VgspModelOps *ops, void *opaque);
void vgsp_space_free(VgspSpace *s);

/*
 * Checks all ops; 0 or the error that the ABI names. memories finds a
 * VgspMemory by GUINT_TO_POINTER(id).
 */
int vgsp_space_check(GHashTable *memories, const struct vgsp_owner_map_op *ops,
                     size_t count);
/* Applies ops that were checked. The caller has the space alone. */
void vgsp_space_apply(VgspSpace *s, GHashTable *memories,
                      const struct vgsp_owner_map_op *ops, size_t count);
/* Unmaps all of memory. The caller has the space alone. */
void vgsp_space_forget(VgspSpace *s, const VgspMemory *memory);

/*
 * The slot that holds va, never a TABLE; NULL for NONE and beyond the space.
 * *shift is the log2 of its size.
 */
const VgspSlot *vgsp_space_find(const VgspSpace *s, uint64_t va,
                                unsigned *shift);

#endif
