/*
 * A worker's accesses to the address space of its slice: a direct-mapped TLB
 * of 4 KiB pages in front of the space's tree, and the list of what was
 * written. Fault types are those of NVIDIA's dev_fault.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/space.h"

#define PAGE_SIZE       (UINT64_C(1) << VGSP_SPACE_PAGE_SHIFT)
#define TAG_NONE        UINT64_MAX

static void report(VgspMmu *mmu, uint32_t memory, uint64_t offset,
                   uint64_t size)
{
    if (mmu->space->ops->wrote) {
        mmu->space->ops->wrote(mmu->space->opaque, memory, offset, size);
    }
}

void vgsp_mmu_init(VgspMmu *mmu)
{
    memset(mmu, 0, sizeof(*mmu));
    for (unsigned i = 0; i < VGSP_TLB_ENTRIES; i++) {
        mmu->tlb[i].tag = TAG_NONE;
    }
}

void vgsp_mmu_enter(VgspMmu *mmu, VgspSpace *space)
{
    mmu->fault.raised = false;
    /* A generation belongs to one space and one moment of it. */
    if (mmu->generation == space->generation) {
        return;
    }
    for (unsigned i = 0; i < VGSP_TLB_ENTRIES; i++) {
        mmu->tlb[i].tag = TAG_NONE;
        mmu->tlb[i].dirty = false;
    }
    mmu->space = space;
    mmu->generation = space->generation;
}

void vgsp_mmu_flush(VgspMmu *mmu)
{
    uint32_t memory = 0;
    uint64_t start = 0, size = 0;

    for (unsigned i = 0; i < VGSP_TLB_ENTRIES; i++) {
        VgspTlbEntry *e = &mmu->tlb[i];

        if (!e->dirty) {
            continue;
        }
        e->dirty = false;
        if (!e->host) {
            continue;           /* sparse: dropped */
        }
        if (size && memory == e->memory && start + size == e->offset) {
            size += PAGE_SIZE;
            continue;
        }
        if (size) {
            report(mmu, memory, start, size);
        }
        memory = e->memory;
        start = e->offset;
        size = PAGE_SIZE;
    }
    if (size) {
        report(mmu, memory, start, size);
    }
}

static VgspTlbEntry *raise_fault(VgspMmu *mmu, uint64_t va,
                                 VgspGmmuAccess access, VgspGmmuFault type)
{
    mmu->fault = (VgspModelFault) {
        .raised = true,
        .type = type,
        .access = access,
        .va = va,
    };
    return NULL;
}

/* Loads e with the page of va; false if there is none. */
static bool load(VgspMmu *mmu, VgspTlbEntry *e, uint64_t va,
                 VgspGmmuAccess access)
{
    unsigned shift;
    const VgspSlot *slot = vgsp_space_find(mmu->space, va, &shift);
    uint64_t page = va & ~(PAGE_SIZE - 1);
    uint32_t flags;

    if (!slot) {
        raise_fault(mmu, va, access, va >> VGSP_SPACE_VA_BITS
                    ? VGSP_GMMU_FAULT_VA_LIMIT_VIOLATION
                    : VGSP_GMMU_FAULT_PTE);
        return false;
    }
    flags = (uint32_t)VGSP_GET(VGSP_SLOT_FLAGS, slot->word);
    if (flags & VGSP_OWNER_MAP_PRIVILEGED) {
        raise_fault(mmu, va, access, VGSP_GMMU_FAULT_PRIV_VIOLATION);
        return false;
    }
    if (e->dirty && e->host) {
        report(mmu, e->memory, e->offset, PAGE_SIZE);
    }
    *e = (VgspTlbEntry) {
        .tag = va >> VGSP_SPACE_PAGE_SHIFT,
        .writable = !(flags & VGSP_OWNER_MAP_READ_ONLY),
        .atomic = !(flags & VGSP_OWNER_MAP_ATOMIC_DISABLE),
    };
    if ((slot->word & VGSP_SLOT_KIND) == VGSP_SLOT_MEMORY) {
        e->offset = (slot->word & VGSP_SLOT_OFFSET) +
                    (page & ((UINT64_C(1) << shift) - 1));
        e->memory = slot->memory->id;
        e->host = slot->memory->host + e->offset;
    }
    return true;
}

VgspTlbEntry *vgsp_mmu_fill(VgspMmu *mmu, uint64_t va, VgspGmmuAccess access)
{
    uint64_t tag = va >> VGSP_SPACE_PAGE_SHIFT;
    VgspTlbEntry *e = vgsp_mmu_slot(mmu, va);

    if (e->tag != tag && !load(mmu, e, va, access)) {
        return NULL;
    }
    if (access == VGSP_GMMU_ACCESS_READ) {
        return e;
    }
    if (!e->writable) {
        return raise_fault(mmu, va, access, VGSP_GMMU_FAULT_RO_VIOLATION);
    }
    if (access == VGSP_GMMU_ACCESS_ATOMIC && !e->atomic) {
        return raise_fault(mmu, va, access, VGSP_GMMU_FAULT_ATOMIC_VIOLATION);
    }
    e->dirty = true;
    return e;
}

/*
 * Copies between guest memory and a buffer. The guest's processors and other
 * workers look at that memory meanwhile, so an aligned word moves whole.
 */
static void copy_in(uint8_t *buf, const uint8_t *mem, size_t len)
{
    while (len) {
        size_t n = 1;

        if (!((uintptr_t)mem & 7) && len >= 8) {
            uint64_t v = __atomic_load_n((const uint64_t *)mem,
                                         __ATOMIC_RELAXED);
            memcpy(buf, &v, n = 8);
        } else if (!((uintptr_t)mem & 3) && len >= 4) {
            uint32_t v = __atomic_load_n((const uint32_t *)mem,
                                         __ATOMIC_RELAXED);
            memcpy(buf, &v, n = 4);
        } else {
            *buf = __atomic_load_n(mem, __ATOMIC_RELAXED);
        }
        buf += n;
        mem += n;
        len -= n;
    }
}

static void copy_out(uint8_t *mem, const uint8_t *buf, size_t len)
{
    while (len) {
        size_t n = 1;

        if (!((uintptr_t)mem & 7) && len >= 8) {
            uint64_t v;

            memcpy(&v, buf, n = 8);
            __atomic_store_n((uint64_t *)mem, v, __ATOMIC_RELAXED);
        } else if (!((uintptr_t)mem & 3) && len >= 4) {
            uint32_t v;

            memcpy(&v, buf, n = 4);
            __atomic_store_n((uint32_t *)mem, v, __ATOMIC_RELAXED);
        } else {
            __atomic_store_n(mem, *buf, __ATOMIC_RELAXED);
        }
        buf += n;
        mem += n;
        len -= n;
    }
}

bool vgsp_mmu_read(VgspMmu *mmu, uint64_t va, void *buf, uint64_t len)
{
    uint8_t *p = buf;

    while (len) {
        uint64_t in = va % PAGE_SIZE;
        size_t n = (size_t)MIN(len, PAGE_SIZE - in);
        VgspTlbEntry *e = vgsp_mmu_page(mmu, va, VGSP_GMMU_ACCESS_READ);

        if (!e) {
            return false;
        }
        if (e->host) {
            copy_in(p, e->host + in, n);
        } else {
            memset(p, 0, n);
        }
        p += n;
        va += n;
        len -= n;
    }
    return true;
}

bool vgsp_mmu_write(VgspMmu *mmu, uint64_t va, const void *buf, uint64_t len)
{
    const uint8_t *p = buf;

    while (len) {
        uint64_t in = va % PAGE_SIZE;
        size_t n = (size_t)MIN(len, PAGE_SIZE - in);
        VgspTlbEntry *e = vgsp_mmu_page(mmu, va, VGSP_GMMU_ACCESS_WRITE);

        if (!e) {
            return false;
        }
        if (e->host) {
            copy_out(e->host + in, p, n);
        }
        p += n;
        va += n;
        len -= n;
    }
    return true;
}
