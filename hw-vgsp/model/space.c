/*
 * Address spaces: a radix tree over bits 48:12 of a virtual address, whose
 * leaves may be of any level, so that a sparse terabyte or a large buffer is
 * one slot. Operations: vgsp/uapi/vgsp_owner.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include "model/space.h"
#include "vgsp/nv/dev_mmu.h"

#define SPACE_SIZE      (UINT64_C(1) << VGSP_SPACE_VA_BITS)
#define PAGE_SIZE       (UINT64_C(1) << VGSP_SPACE_PAGE_SHIFT)
#define MAP_FLAGS       (VGSP_OWNER_MAP_READ_ONLY | \
                         VGSP_OWNER_MAP_ATOMIC_DISABLE | \
                         VGSP_OWNER_MAP_PRIVILEGED)

static uint64_t new_generation(void)
{
    static uint64_t last;

    return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

static VgspSlotKind slot_kind(const VgspSlot *slot)
{
    return (VgspSlotKind)(slot->word & VGSP_SLOT_KIND);
}

static void free_slot(VgspSlot *slot)
{
    if (slot_kind(slot) == VGSP_SLOT_TABLE) {
        for (unsigned i = 0; i < VGSP_TABLE_SLOTS; i++) {
            free_slot(&slot->table->slot[i]);
        }
        g_free(slot->table);
    }
    *slot = (VgspSlot) { .word = VGSP_SLOT_NONE };
}

VgspSpace *vgsp_space_new(const VgspModelOps *ops, void *opaque)
{
    VgspSpace *s = g_new0(VgspSpace, 1);

    s->ops = ops;
    s->opaque = opaque;
    s->generation = new_generation();
    return s;
}

void vgsp_space_free(VgspSpace *s)
{
    for (unsigned i = 0; i < VGSP_ROOT_SLOTS; i++) {
        free_slot(&s->root[i]);
    }
    g_free(s);
}

/* leaf's part from offset on: what a smaller slot inside it holds. */
static VgspSlot leaf_at(const VgspSlot *leaf, uint64_t offset)
{
    VgspSlot part = *leaf;

    if (slot_kind(leaf) == VGSP_SLOT_MEMORY) {
        part.word += offset;
    }
    return part;
}

/* Makes slot, of 1 << shift bytes, a table that maps what slot did. */
static VgspTable *split_slot(VgspSlot *slot, unsigned shift)
{
    VgspTable *t = g_new0(VgspTable, 1);

    if (slot_kind(slot) != VGSP_SLOT_NONE) {
        for (unsigned i = 0; i < VGSP_TABLE_SLOTS; i++) {
            t->slot[i] = leaf_at(slot, (uint64_t)i <<
                                       (shift - VGSP_TABLE_BITS));
        }
        t->used = VGSP_TABLE_SLOTS;
    }
    *slot = (VgspSlot) { .table = t, .word = VGSP_SLOT_TABLE };
    return t;
}

/*
 * Puts leaf on [va, end), addresses within the slots' table; the slots are of
 * 1 << shift bytes. *used counts those that are not NONE.
 */
static void set_range(VgspSlot *slots, unsigned *used, unsigned shift,
                      uint64_t va, uint64_t end, const VgspSlot *leaf)
{
    uint64_t size = UINT64_C(1) << shift;
    uint64_t start = va;

    while (va < end) {
        VgspSlot *slot = &slots[va >> shift];
        uint64_t base = va & ~(size - 1);
        uint64_t stop = MIN(end, base + size);
        VgspSlot part = leaf_at(leaf, va - start);
        bool was = slot_kind(slot) != VGSP_SLOT_NONE;

        if (stop - va == size) {
            free_slot(slot);
            *slot = part;
        } else if (was || slot_kind(leaf) != VGSP_SLOT_NONE) {
            VgspTable *t = slot_kind(slot) == VGSP_SLOT_TABLE
                           ? slot->table : split_slot(slot, shift);

            set_range(t->slot, &t->used, shift - VGSP_TABLE_BITS,
                      va - base, stop - base, &part);
            if (!t->used) {
                free_slot(slot);
            }
        }
        *used += (slot_kind(slot) != VGSP_SLOT_NONE) - was;
        va = stop;
    }
}

static int check_op(GHashTable *memories, const struct vgsp_owner_map_op *op)
{
    VgspMemory *memory;

    if (op->op > VGSP_OWNER_SPARSE || !op->size ||
        (op->va | op->size) % PAGE_SIZE) {
        return -EINVAL;
    }
    if (!vgsp_range_ok(op->va, op->size, SPACE_SIZE)) {
        return -EOVERFLOW;
    }
    if (op->op != VGSP_OWNER_MAP) {
        return 0;
    }
    if (op->offset % PAGE_SIZE || op->flags & ~MAP_FLAGS ||
        op->kind > UINT8_MAX || op->kind == NV_MMU_PTE_KIND_INVALID) {
        return -EINVAL;
    }
    memory = g_hash_table_lookup(memories, GUINT_TO_POINTER(op->memory));
    if (!memory) {
        return -ENOENT;
    }
    return vgsp_range_ok(op->offset, op->size, memory->size) ? 0 : -EOVERFLOW;
}

int vgsp_space_check(GHashTable *memories, const struct vgsp_owner_map_op *ops,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int ret = check_op(memories, &ops[i]);

        if (ret) {
            return ret;
        }
    }
    return 0;
}

void vgsp_space_apply(VgspSpace *s, GHashTable *memories,
                      const struct vgsp_owner_map_op *ops, size_t count)
{
    unsigned used = 0;          /* the root does not care */

    for (size_t i = 0; i < count; i++) {
        const struct vgsp_owner_map_op *op = &ops[i];
        VgspSlot leaf = { .word = VGSP_SLOT_NONE };

        switch (op->op) {
        case VGSP_OWNER_MAP:
            leaf.memory = g_hash_table_lookup(memories,
                                              GUINT_TO_POINTER(op->memory));
            leaf.word = VGSP_SLOT_MEMORY | op->offset |
                        VGSP_SET(VGSP_SLOT_FLAGS, op->flags);
            break;
        case VGSP_OWNER_SPARSE:
            leaf.word = VGSP_SLOT_SPARSE;
            break;
        }
        set_range(s->root, &used, VGSP_ROOT_SHIFT, op->va, op->va + op->size,
                  &leaf);
    }
    s->generation = new_generation();
}

static void forget(VgspSlot *slots, unsigned count, unsigned *used,
                   const VgspMemory *memory)
{
    for (unsigned i = 0; i < count; i++) {
        VgspSlot *slot = &slots[i];
        bool gone = false;

        switch (slot_kind(slot)) {
        case VGSP_SLOT_MEMORY:
            gone = slot->memory == memory;
            break;
        case VGSP_SLOT_TABLE:
            forget(slot->table->slot, VGSP_TABLE_SLOTS, &slot->table->used,
                   memory);
            gone = !slot->table->used;
            break;
        default:
            break;
        }
        if (gone) {
            free_slot(slot);
            *used -= 1;
        }
    }
}

void vgsp_space_forget(VgspSpace *s, const VgspMemory *memory)
{
    unsigned used = 0;

    forget(s->root, VGSP_ROOT_SLOTS, &used, memory);
    s->generation = new_generation();
}

const VgspSlot *vgsp_space_find(const VgspSpace *s, uint64_t va,
                                unsigned *shift)
{
    const VgspSlot *slot;

    if (va >= SPACE_SIZE) {
        return NULL;
    }
    slot = &s->root[va >> VGSP_ROOT_SHIFT];
    *shift = VGSP_ROOT_SHIFT;
    while (slot_kind(slot) == VGSP_SLOT_TABLE) {
        *shift -= VGSP_TABLE_BITS;
        slot = &slot->table->slot[(va >> *shift) % VGSP_TABLE_SLOTS];
    }
    return slot_kind(slot) == VGSP_SLOT_NONE ? NULL : slot;
}
