/*
 * Map operations as user space may send them to the kernel's owner: those that
 * pass the check are performed, with allocations that fail at any time. The
 * walker then finds no table that is gone, no page beyond its memory object,
 * and the window as it was.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/gmmu.h"

#include "../../gpu-owner-kmod/pagetable.h"

#define TABLES      512         /* quota */
#define OPS         64
#define WINDOW      (UINT64_C(1) << 32)
#define WINDOW_SIZE (UINT64_C(1) << 29)
#define MEMORY_SIZE (UINT64_C(1) << 24) /* of each of four objects */
#define MEMORY_BASE(id) ((uint64_t)(id) << 32)

static unsigned int fail_in;    /* allocations until one fails; 0: never */
static void *table[TABLES + 1];
static int64_t mapped[5];

static bool fails(void)
{
    return fail_in && --fail_in == 0;
}

void *vgsp_pure_zalloc(size_t n, size_t size)
{
    return fails() ? NULL : calloc(n, size);
}

#include "../../gpu-owner-kmod/pagetable.c"

static int table_alloc(void *opaque, struct vgsp_pt_page *page)
{
    (void)opaque;
    for (unsigned int i = 1; i <= TABLES && !fails(); i++) {
        if (!table[i]) {
            table[i] = calloc(1, VGSP_PT_PAGE);
            page->cpu = table[i];
            page->addr = i * UINT64_C(4096);
            return 0;
        }
    }
    return -ENOSPC;
}

static void table_free(void *opaque, struct vgsp_pt_page *page)
{
    (void)opaque;
    table[page->addr / 4096] = NULL;
    free(page->cpu);
}

static void count(void *opaque, u32 owner, s64 pages)
{
    (void)opaque;
    mapped[owner] += pages;
}

static const struct vgsp_pt_ops ops = { table_alloc, table_free, count };

static bool read_table(void *opaque, VgspAperture ap, uint64_t addr, void *buf,
                       size_t len)
{
    (void)opaque;
    if (ap != VGSP_APERTURE_SYS_COHERENT || addr / 4096 > TABLES ||
        !table[addr / 4096]) {
        abort();
    }
    memcpy(buf, (char *)table[addr / 4096] + addr % 4096, len);
    return true;
}

static u64 memory_addr(void *source, u64 offset, u64 *run)
{
    /* Odd objects are contiguous, even ones in runs of 64 KiB. */
    u64 id = (uintptr_t)source;

    if (offset >= MEMORY_SIZE) {
        abort();
    }
    *run = id & 1 ? MEMORY_SIZE - offset : 65536 - offset % 65536;
    return MEMORY_BASE(id) + offset +
           (id & 1 ? 0 : offset / 65536 * 65536);
}

static bool visit(void *opaque, const VgspMapping *m)
{
    uint64_t *pages = opaque;
    uint64_t id = m->pa >> 32;

    if (m->va < WINDOW + WINDOW_SIZE && WINDOW < m->va + m->size &&
        (m->sparse || id != 9)) {
        abort();
    }
    if (m->sparse || id == 9) {
        return true;
    }
    if (id < 1 || id > 4 ||
        (m->pa & 0xffffffff) + m->size > 2 * MEMORY_SIZE) {
        abort();
    }
    pages[id] += m->size / 4096;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const VgspGmmuOps gmmu = { .read = read_table };
    const uint64_t end = UINT64_C(1) << 49;
    struct vgsp_pt_change c = { .addr = memory_addr };
    struct vgsp_owner_map_op op;
    struct vgsp_pt_tree tree;
    uint64_t pages[5] = { 0 };
    VgspPdb pdb;

    fail_in = 0;
    if (vgsp_pt_init(&tree, &ops, NULL)) {
        abort();
    }
    /* A page of the owner's in its window: "memory" 9, nobody's. */
    c.what = VGSP_PT_PAGES;
    c.source = (void *)(uintptr_t)9;
    c.pte = vgsp_pt_pte(0, 0, false);
    if (vgsp_pt_set(&tree, WINDOW + 8192, 4096, &c)) {
        abort();
    }
    for (int i = 0; i < OPS && size > sizeof(op); i++) {
        uint64_t va, n;

        memcpy(&op, data, sizeof(op));
        fail_in = data[sizeof(op)] & 0x80 ? data[sizeof(op)] & 0x7f : 0;
        data += sizeof(op) + 1;
        size -= sizeof(op) + 1;
        if (vgsp_map_op_check(&op, WINDOW, WINDOW_SIZE)) {
            continue;
        }
        va = op.va;
        n = op.size;
        c.what = VGSP_PT_NONE;
        c.owner = 0;
        if (op.op == VGSP_OWNER_SPARSE) {
            c.what = VGSP_PT_SPARSE;
        } else if (op.op == VGSP_OWNER_MAP) {
            if (op.memory > 4 ||
                !vgsp_range_ok(op.offset, op.size, MEMORY_SIZE)) {
                continue;
            }
            c.what = VGSP_PT_PAGES;
            c.owner = (u16)op.memory;
            c.source = (void *)(uintptr_t)op.memory;
            c.offset = op.offset;
            c.pte = vgsp_pt_pte(op.kind, op.flags, false);
        } else if (va < WINDOW + WINDOW_SIZE && WINDOW < va + n) {
            if (va < WINDOW) {
                vgsp_pt_set(&tree, va, WINDOW - va, &c);
            }
            if (va + n <= WINDOW + WINDOW_SIZE) {
                continue;
            }
            n = va + n - (WINDOW + WINDOW_SIZE);
            va = WINDOW + WINDOW_SIZE;
        }
        vgsp_pt_set(&tree, va, n, &c);
    }
    pdb = vgsp_pdb_from_address(VGSP_APERTURE_SYS_COHERENT,
                                vgsp_pt_root(&tree));
    vgsp_gmmu_walk_range(&gmmu, NULL, &pdb, 0, end, VGSP_GMMU_NO_LIMIT, visit,
                         pages);
    for (int i = 1; i < 5; i++) {
        if (mapped[i] != (int64_t)pages[i]) {
            abort();
        }
    }
    fail_in = 0;
    vgsp_pt_fini(&tree);
    for (int i = 0; i <= TABLES; i++) {
        if (table[i] || (i < 5 && mapped[i])) {
            abort();
        }
    }
    return 0;
}
