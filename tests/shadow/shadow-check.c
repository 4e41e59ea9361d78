/*
 * Shadow spaces (hw-vgsp/owner/shadow.c, maps.c) against walks: random page
 * tables, random changes of them, and an executor that only remembers what it
 * was told. Wherever an invalidation was, both must agree.
 *
 * usage: shadow-check [SECONDS [SEED]]; scripts/check-shadow builds it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "owner/shadow-int.h"
#include "vgsp/nv/dev_mmu.h"

#define PAGE        4096u
#define VRAM_PAGES  128u
#define RAM_PAGES   64u
#define TABLES      12u         /* of each level */
#define SLOTS       16u         /* of 2 MiB, that are compared */
#define SLOT_PAGES  512u

#define MEMORY_VRAM 1u
#define MEMORY_RAM  2u

/* Tables of a level lie in VRAM one after another, the root first. */
enum { PD3, PD2, PD1, PD0, BIG, SMALL, LEVELS };

typedef struct Page {
    uint32_t op;                /* VGSP_OWNER_* */
    uint32_t memory, kind, flags;
    uint64_t offset;
} Page;

static uint8_t vram[VRAM_PAGES * PAGE] QEMU_ALIGNED(4096);
static uint8_t ram[RAM_PAGES * PAGE] QEMU_ALIGNED(4096);
static bool ram_there = true;
static uint16_t ram_page[RAM_PAGES]; /* what a vIOMMU makes of it */
static Page told[SLOTS][SLOT_PAGES];
static VgspState state;
static uint64_t operations;
static uint32_t last_space, watched; /* ids; the latter is compared */
static unsigned warnings, errors;
static unsigned looked;         /* for tables */

/* ---- What shadow.c needs ---- */

Error *error_abort;

/* No test here is told of an error. */
void error_setg_internal(Error **errp, const char *src, int line,
                         const char *func, const char *fmt, ...)
{
    abort();
}

void error_setg_errno_internal(Error **errp, const char *src, int line,
                               const char *func, int os_errno,
                               const char *fmt, ...)
{
    abort();
}

void error_report_err(Error *err)
{
    abort();
}

void error_report(const char *fmt, ...)
{
    errors++;
}

void *qemu_memalign(size_t alignment, size_t size)
{
    return aligned_alloc(alignment, size);
}

void qemu_vfree(void *p)
{
    free(p);
}

int qemu_madvise(void *p, size_t len, int advice)
{
    return 0;
}

void warn_report(const char *fmt, ...)
{
    warnings++;
}

VgspObjects *vgsp_objects_new(VgspState *s)
{
    return NULL;
}

void vgsp_objects_free(VgspObjects *o)
{
}

bool vgsp_objects_update(VgspObjects *o, Error **errp)
{
    return true;
}

void vgsp_objects_expire(VgspObjects *o)
{
}

void vgsp_objects_forget(VgspObjects *o)
{
}

bool vgsp_objects_find(VgspObjects *o, VgspAperture aperture, uint64_t pa,
                       bool want_write, uint32_t *id, uint64_t *offset,
                       uint64_t *size, bool *writable)
{
    bool video = aperture == VGSP_APERTURE_VIDEO;
    uint64_t end = video ? sizeof(vram) : ram_there ? sizeof(ram) : 0;

    *id = video ? MEMORY_VRAM : MEMORY_RAM;
    *offset = pa;
    *writable = true;
    *size = pa < end ? end - pa : UINT64_MAX;
    if (!video && pa < end) {
        *offset = ram_page[pa / PAGE] * PAGE + pa % PAGE;
        *size = PAGE - pa % PAGE;
    }
    return pa < end;
}

const void *vgsp_objects_host(VgspObjects *o, VgspAperture aperture,
                              uint64_t pa, uint64_t len)
{
    looked++;
    if (aperture == VGSP_APERTURE_VIDEO) {
        return vgsp_range_ok(pa, len, sizeof(vram)) ? vram + pa : NULL;
    }
    return ram_there && vgsp_range_ok(pa, len, sizeof(ram)) ?
           ram + ram_page[pa / PAGE] * PAGE + pa % PAGE : NULL;
}

static bool gmmu_read(void *opaque, VgspAperture ap, uint64_t addr, void *buf,
                      size_t len)
{
    const void *at = vgsp_objects_host(NULL, ap, addr, len);

    if (at) {
        memcpy(buf, at, len);
    }
    return at != NULL;
}

static const VgspGmmuOps gmmu_ops = { .read = gmmu_read };

/* The one bottom half, of shadow.c; run by run_bh(). */
static QEMUBHFunc *bh_func;
static void *bh_opaque;
static bool bh_scheduled;

QEMUBH *qemu_bh_new_full(QEMUBHFunc *cb, void *opaque, const char *name,
                         MemReentrancyGuard *reentrancy_guard)
{
    bh_func = cb;
    bh_opaque = opaque;
    return (QEMUBH *)&bh_func;
}

void qemu_bh_schedule(QEMUBH *bh)
{
    bh_scheduled = true;
}

void qemu_bh_cancel(QEMUBH *bh)
{
    bh_scheduled = false;
}

void qemu_bh_delete(QEMUBH *bh)
{
    bh_scheduled = false;
}

static void run_bh(void)
{
    if (bh_scheduled) {
        bh_scheduled = false;
        bh_func(bh_opaque);
    }
}

/* ---- The executor ---- */

/* The slots lie apart: two of each directory above PD0. */
static uint64_t slot_va(unsigned i)
{
    return (uint64_t)(i & 1) << NV_MMU_VER2_PD2_SHIFT |
           (uint64_t)(i >> 1 & 1) << NV_MMU_VER2_PD1_SHIFT |
           (uint64_t)(i >> 2) << NV_MMU_VER2_PD0_SHIFT;
}

static int space_new(VgspExecutor *ex, uint32_t *id)
{
    *id = ++last_space;
    if (watched) {
        return 0;
    }
    watched = *id;
    memset(told, 0xff, sizeof(told));
    for (unsigned i = 0; i < SLOTS; i++) {
        for (unsigned k = 0; k < SLOT_PAGES; k++) {
            told[i][k] = (Page) { .op = VGSP_OWNER_UNMAP };
        }
    }
    return 0;
}

static int space_del(VgspExecutor *ex, uint32_t id)
{
    watched = watched == id ? 0 : watched;
    return 0;
}

static int space_map(VgspExecutor *ex, uint32_t space,
                     const struct vgsp_owner_map_op *ops, size_t count)
{
    operations += count;
    for (size_t n = 0; n < count; n++) {
        const struct vgsp_owner_map_op *op = &ops[n];

        g_assert_cmpuint(op->va % PAGE, ==, 0);
        g_assert_cmpuint(op->size % PAGE, ==, 0);
        g_assert_cmpuint(op->size, !=, 0);
        if (space != watched) {
            continue;
        }
        for (unsigned i = 0; i < SLOTS; i++) {
            for (unsigned k = 0; k < SLOT_PAGES; k++) {
                uint64_t va = slot_va(i) + k * PAGE;

                if (va < op->va || va - op->va >= op->size) {
                    continue;
                }
                told[i][k] = (Page) { .op = op->op };
                if (op->op == VGSP_OWNER_MAP) {
                    told[i][k].memory = op->memory;
                    told[i][k].kind = op->kind;
                    told[i][k].flags = op->flags;
                    told[i][k].offset = op->offset + (va - op->va);
                }
            }
        }
    }
    return 0;
}

static const VgspExecutorOps ops = {
    .name = "check",
    .space_new = space_new,
    .space_del = space_del,
    .map = space_map,
};

static VgspExecutor executor = { .ops = &ops };

/* ---- Comparison ---- */

static Page expected(const VgspPdb *pdb, uint64_t va)
{
    Page p = { .op = VGSP_OWNER_UNMAP };
    VgspMapping m;
    uint64_t pa, size;
    bool writable;

    if (vgsp_gmmu_walk(&gmmu_ops, NULL, pdb, va, &m) != VGSP_GMMU_OK) {
        return p;
    }
    if (m.sparse) {
        p.op = VGSP_OWNER_SPARSE;
        return p;
    }
    pa = m.pa + (va - m.va);
    /* The kinds that the tests write: plain, generic compressible, none. */
    if (m.kind > NV_MMU_PTE_KIND_GENERIC_MEMORY_COMPRESSIBLE ||
        !vgsp_objects_find(NULL, m.aperture, pa, true, &p.memory, &p.offset,
                           &size, &writable)) {
        return (Page) { .op = VGSP_OWNER_UNMAP };
    }
    p.op = VGSP_OWNER_MAP;
    p.kind = m.kind == NV_MMU_PTE_KIND_GENERIC_MEMORY_COMPRESSIBLE
             ? NV_MMU_PTE_KIND_GENERIC_MEMORY : m.kind;
    p.flags = (m.read_only ? VGSP_OWNER_MAP_READ_ONLY : 0) |
              (m.atomic_disable ? VGSP_OWNER_MAP_ATOMIC_DISABLE : 0) |
              (m.privileged ? VGSP_OWNER_MAP_PRIVILEGED : 0);
    return p;
}

static void compare(const VgspPdb *pdb, uint64_t first, uint64_t last)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        for (unsigned k = 0; k < SLOT_PAGES; k++) {
            uint64_t va = slot_va(i) + k * PAGE;
            Page want, *is = &told[i][k];

            if (va < (first & ~(uint64_t)(PAGE - 1)) || va > last) {
                continue;
            }
            want = expected(pdb, va);
            if (want.op != is->op || want.memory != is->memory ||
                want.offset != is->offset || want.kind != is->kind ||
                want.flags != is->flags) {
                fprintf(stderr, "shadow-check: 0x%" PRIx64 ": op %u memory %u "
                        "offset 0x%" PRIx64 " kind %u flags %u, not %u %u 0x%"
                        PRIx64 " %u %u\n", va, is->op, is->memory, is->offset,
                        is->kind, is->flags, want.op, want.memory,
                        want.offset, want.kind, want.flags);
                abort();
            }
        }
    }
}

/* ---- Tables ---- */

static uint64_t table_addr(unsigned level, unsigned i)
{
    return (level * TABLES + i) * (uint64_t)PAGE;
}

static uint64_t random_table(GRand *rand, unsigned level)
{
    return table_addr(level, g_rand_int_range(rand, 0, TABLES));
}

static uint64_t random_pte(GRand *rand, unsigned shift)
{
    static const uint8_t kinds[] = { 0, 0, 6, 6, 1, 5, 8, 7, 0xf };
    uint64_t pte = NV_MMU_VER2_PTE_VALID, pa;

    switch (g_rand_int_range(rand, 0, 12)) {
    case 0:
        return 0;
    case 1:
        return NV_MMU_VER2_PTE_VOL;
    case 2:
        return NV_MMU_VER2_PTE_PRIVILEGE;
    case 3:
        return (uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand);
    }
    pa = (uint64_t)g_rand_int_range(rand, 0, 2 * VRAM_PAGES) << 12;
    pa &= -(UINT64_C(1) << shift);
    pte |= VGSP_SET(NV_MMU_VER2_PTE_KIND,
                    kinds[g_rand_int_range(rand, 0, G_N_ELEMENTS(kinds))]);
    pte |= VGSP_SET(NV_MMU_VER2_PTE_APERTURE,
                    g_rand_int_range(rand, 0, 10) ?
                    2 * g_rand_int_range(rand, 0, 2) :
                    g_rand_int_range(rand, 0, 4));
    pte |= g_rand_int_range(rand, 0, 8) ? 0 : g_rand_int(rand) & 0xe0;
    return pte | (pa >> 4);
}

static uint64_t random_pde(GRand *rand, unsigned below)
{
    switch (g_rand_int_range(rand, 0, 12)) {
    case 0:
        return 0;
    case 1:
        return NV_MMU_VER2_PDE_VOL;
    case 2:
        return UINT64_C(0xfff0000000) | 2;      /* no table there */
    default:
        return 2 | random_table(rand, below) >> 4;
    }
}

/* One entry that the slots of the comparison depend on. */
static void change(GRand *rand)
{
    unsigned level = g_rand_int_range(rand, 0, 10);
    uint8_t *table;
    unsigned i;

    /* Small tables change most. */
    level = level < LEVELS ? level : SMALL;
    table = vram + (level == PD3 ? 0 : random_table(rand, level));
    switch (level) {
    case PD3:
        if (!g_rand_int_range(rand, 0, 10)) {
            vgsp_put_le64(table, random_pde(rand, PD2));
        }
        break;
    case PD2:
    case PD1:
        i = g_rand_int_range(rand, 0, 2);
        vgsp_put_le64(table + 8 * i, random_pde(rand, level + 1));
        break;
    case PD0:
        i = g_rand_int_range(rand, 0, 4);
        if (!g_rand_int_range(rand, 0, 6)) {
            vgsp_put_le64(table + 16 * i, random_pte(rand, 21));
        } else {
            vgsp_put_le64(table + 16 * i, g_rand_boolean(rand) ? 0 :
                          random_pde(rand, BIG));
        }
        vgsp_put_le64(table + 16 * i + 8, random_pde(rand, SMALL));
        break;
    case BIG:
        i = g_rand_int_range(rand, 0, 32);
        vgsp_put_le64(table + 8 * i, random_pte(rand, 16));
        break;
    default:
        i = g_rand_int_range(rand, 0, 512);
        vgsp_put_le64(table + 8 * i, random_pte(rand, 12));
        break;
    }
}

static void pages_as_they_are(void)
{
    for (unsigned i = 0; i < RAM_PAGES; i++) {
        ram_page[i] = i;
    }
}

/* The vIOMMU's driver moves some pages that adjoin, and says so. */
static void move_pages(GRand *rand, unsigned n)
{
    unsigned first = g_rand_int_range(rand, 0, RAM_PAGES - n + 1);

    for (unsigned i = 0; i < n; i++) {
        ram_page[first + i] = g_rand_int_range(rand, 0, RAM_PAGES);
    }
    vgsp_shadows_dma_unmapped(&state, first * PAGE,
                              (first + n) * (uint64_t)PAGE - 1);
}

static void round_of(GRand *rand)
{
    VgspPdb pdb = vgsp_pdb_from_address(VGSP_APERTURE_VIDEO, 0);
    VgspShadow *shadow;

    memset(vram, 0, sizeof(vram));
    ram_there = true;
    pages_as_they_are();
    vgsp_put_le64(vram, 2 | table_addr(PD2, 0) >> 4);
    for (unsigned i = 0; i < 2000; i++) {
        change(rand);
    }
    shadow = vgsp_shadow_get(&state, &pdb, &error_abort);
    compare(&pdb, 0, UINT64_MAX);
    for (unsigned n = 0; n < 60; n++) {
        VgspInvalidate inv = { .pdb = pdb, .all_va = true };

        for (int i = g_rand_int_range(rand, 0, 30); i > 0; i--) {
            change(rand);
        }
        switch (g_rand_int_range(rand, 0, 10)) {
        case 0:
            ram_there = !ram_there;
            vgsp_shadows_memory_changed(&state);
            compare(&pdb, 0, UINT64_MAX);
            break;
        case 8:
        case 9:
            vgsp_shadows_mark(&state, &inv);
            vgsp_shadows_sync(&state);
            for (unsigned i = 0; i < 4; i++) {
                move_pages(rand, 1 + i * i);
                compare(&pdb, 0, UINT64_MAX);
            }
            break;
        case 1 ... 4:
            inv.all_va = false;
            inv.va = slot_va(g_rand_int_range(rand, 0, SLOTS)) +
                     g_rand_int_range(rand, 0, 2 << 20);
            inv.len = g_rand_int_range(rand, 1, 4 << 20);
            /* fall through */
        default:
            vgsp_shadows_mark(&state, &inv);
            vgsp_shadows_sync(&state);
            compare(&pdb, inv.all_va ? 0 : inv.va,
                    inv.all_va ? UINT64_MAX : inv.va + inv.len - 1);
        }
    }
    vgsp_shadow_put(shadow);
}

/* ---- What chance does not come to ---- */

static const VgspPdb root = {
    .aperture = VGSP_APERTURE_VIDEO, .valid = true,
};

static void set(unsigned level, unsigned table, unsigned i, uint64_t entry)
{
    vgsp_put_le64(vram + table_addr(level, table) + 8 * i, entry);
}

static uint64_t to(unsigned level, unsigned table)
{
    return 2 | table_addr(level, table) >> 4;
}

static uint64_t page(unsigned i)
{
    return NV_MMU_VER2_PTE_VALID | (uint64_t)i << 8 | 6ull << 56;
}

/* A session in which nothing was said yet. */
static void new_session(void)
{
    vgsp_shadows_reset(&state);
    warnings = errors = 0;
}

static VgspShadow *get(const VgspPdb *pdb)
{
    return vgsp_shadow_get(&state, pdb, &error_abort);
}

static void invalidate(const VgspPdb *pdb, bool all, uint64_t va)
{
    const VgspInvalidate inv = {
        .pdb = *pdb, .all_va = all, .va = va, .len = 1,
    };

    vgsp_shadows_mark(&state, &inv);
    vgsp_shadows_sync(&state);
}

/* The first slot has both of its tables; nothing is mapped. */
static void clear_tables(void)
{
    pages_as_they_are();
    memset(vram, 0, sizeof(vram));
    set(PD3, 0, 0, to(PD2, 0));
    set(PD2, 0, 0, to(PD1, 0));
    set(PD1, 0, 0, to(PD0, 0));
    set(PD0, 0, 0, to(BIG, 0));
    set(PD0, 0, 1, to(SMALL, 0));
    new_session();
}

/*
 * 4 KiB are invalidated where 64 KiB were mapped: what small entries say now
 * holds for all of them, not what they said when they were hidden.
 */
static void check_partial(void)
{
    VgspShadow *shadow;

    clear_tables();
    set(BIG, 0, 1, page(16));
    for (unsigned i = 16; i < 32; i++) {
        set(SMALL, 0, i, page(1));
    }
    shadow = get(&root);
    compare(&root, 0, UINT64_MAX);
    for (unsigned i = 16; i < 32; i++) {
        set(SMALL, 0, i, i & 1 ? page(2) : 0);
    }
    set(BIG, 0, 1, 0);
    invalidate(&root, false, 0x13000);
    compare(&root, 0, UINT64_MAX);

    /* The same where the table is another, or the whole slot was a page. */
    for (unsigned i = 0; i < 512; i++) {
        set(SMALL, 1, i, page(i & 7));
    }
    set(PD0, 0, 1, to(SMALL, 1));
    invalidate(&root, false, 0x1000);
    compare(&root, 0, UINT64_MAX);
    set(PD0, 0, 0, page(0));
    invalidate(&root, false, 0x1000);
    compare(&root, 0, UINT64_MAX);
    set(PD0, 0, 0, 0);
    invalidate(&root, false, 0x1ff000);
    compare(&root, 0, UINT64_MAX);
    set(PD1, 0, 0, 0);
    invalidate(&root, false, 0x3000);
    compare(&root, 0, UINT64_MAX);
    set(PD1, 0, 0, to(PD0, 0));
    invalidate(&root, false, 0x3000);
    compare(&root, 0, UINT64_MAX);
    vgsp_shadow_put(shadow);
}

/*
 * Entry 1 of the PD3 at @pd3 leads to slots whose tables are nowhere, 256 in
 * each of @dirs directories, which lie behind @base.
 */
static void hog(uint64_t pd3, uint64_t base, unsigned dirs)
{
    vgsp_put_le64(vram + pd3 + 8, 2 | base >> 4);
    vgsp_put_le64(vram + base, 2 | (base + PAGE) >> 4);
    for (unsigned i = 0; i < dirs; i++) {
        uint64_t pd0 = base + (2 + i) * PAGE;

        vgsp_put_le64(vram + base + PAGE + 8 * i, 2 | pd0 >> 4);
        for (unsigned k = 0; k < 256; k++) {
            uint64_t nowhere = (UINT64_C(1) << 30) + (i * 256 + k) * PAGE;

            vgsp_put_le64(vram + pd0 + 16 * k + 8, 2 | nowhere >> 4);
        }
    }
}

#define HOG     (LEVELS * TABLES * PAGE)
#define DIRS    45u             /* more than half of the tables of a device */

static void fill(unsigned table, unsigned mask)
{
    for (unsigned i = 0; i < 512; i++) {
        set(SMALL, table, i, page(i & mask));
    }
}

static void assert_unmapped(unsigned slot)
{
    for (unsigned k = 0; k < SLOT_PAGES; k++) {
        g_assert_cmpuint(told[slot][k].op, ==, VGSP_OWNER_UNMAP);
    }
}

/* A table that finds no room is not there; it is when others have gone. */
static void check_room(void)
{
    VgspShadow *shadow;

    clear_tables();
    fill(1, 7);
    hog(0, HOG, DIRS);
    shadow = get(&root);
    compare(&root, 0, UINT64_MAX);
    g_assert_cmpuint(warnings, ==, 1);

    set(PD0, 0, 3, to(SMALL, 1));       /* slot 4 of the comparison */
    invalidate(&root, false, slot_va(4));
    assert_unmapped(4);
    /* Also when its entry stays, and its table changes. */
    fill(1, 3);
    invalidate(&root, true, 0);
    assert_unmapped(4);

    memset(vram + HOG + 2 * PAGE, 0, 16);
    invalidate(&root, false, UINT64_C(1) << NV_MMU_VER2_PD3_SHIFT);
    compare(&root, 0, UINT64_MAX);
    g_assert_cmpuint(told[4][1].op, ==, VGSP_OWNER_MAP);
    g_assert_cmpuint(warnings + errors, ==, 1);
    vgsp_shadow_put(shadow);
}

/* Spaces that take all they can leave room; and their end makes some. */
static void check_fair(void)
{
    VgspPdb greedy = root;
    VgspShadow *many[4], *shadow;

    clear_tables();
    fill(0, 7);
    greedy.addr = HOG;
    hog(HOG, HOG + PAGE, DIRS);
    watched = UINT32_MAX;
    many[0] = get(&greedy);
    /* Directories of other spaces that lead to the same: the rest halves. */
    for (unsigned i = 1; i < 4; i++) {
        greedy.addr = HOG + (2 + DIRS + i) * PAGE;
        memcpy(vram + greedy.addr, vram + HOG, 16);
        many[i] = get(&greedy);
    }
    watched = 0;
    shadow = get(&root);
    compare(&root, 0, UINT64_MAX);
    g_assert_cmpuint(told[0][1].op, ==, VGSP_OWNER_MAP);
    for (unsigned i = 0; i < 4; i++) {
        vgsp_shadow_put(many[i]);
    }
    vgsp_shadow_put(shadow);

    /* Until the last of them is gone there is not even room for a root. */
    watched = UINT32_MAX;
    greedy.addr = HOG;
    many[0] = get(&greedy);
    watched = 0;
    hog(0, HOG + PAGE, DIRS);
    fill(1, 7);
    shadow = get(&root);
    set(PD0, 0, 3, to(SMALL, 1));
    invalidate(&root, true, 0);
    assert_unmapped(4);
    vgsp_shadow_put(many[0]);
    assert_unmapped(4);         /* not at once, but once for all that go */
    run_bh();
    compare(&root, 0, UINT64_MAX);
    g_assert_cmpuint(told[4][1].op, ==, VGSP_OWNER_MAP);
    vgsp_shadow_put(shadow);
}

/* One table at a thousand addresses, or in itself: little work, no more. */
static void check_aliases(void)
{
    uint64_t before;
    VgspShadow *shadow;

    clear_tables();
    for (unsigned i = 0; i < 256; i++) {
        set(PD0, 1, 2 * i + 1, to(SMALL, 0));
        set(PD1, 0, i, i ? to(PD0, 1) : to(PD0, 0));
    }
    for (unsigned i = 0; i < 512; i++) {
        set(SMALL, 0, i, page((i * 5) & 63));
        set(PD2, 1, i, to(PD2, 1));
    }
    set(PD3, 0, 1, to(PD2, 1));
    shadow = get(&root);
    g_assert_cmpuint(warnings, ==, 1);
    for (unsigned n = 1; n < 4; n++) {
        before = operations;
        for (unsigned i = 0; i < 512; i++) {
            set(SMALL, 0, i, page((i * 5 + n) & 63));
        }
        invalidate(&root, true, 0);
        /* What was refused unmaps, the rest is told. */
        g_assert_cmpuint(operations - before, <=, 258 * 512);
        g_assert_cmpuint(operations - before, >=, 512);
    }
    /* Without them all is as ever. */
    for (unsigned i = 1; i < 256; i++) {
        set(PD1, 0, i, 0);
    }
    set(PD3, 0, 1, 0);
    invalidate(&root, true, 0);
    compare(&root, 0, UINT64_MAX);
    vgsp_shadow_put(shadow);
}

/*
 * A slot whose two tables are aliases too many: what can not be there is not
 * looked for in each comparison, and comes when others have gone.
 */
static void check_two_aliases(void)
{
    VgspShadow *shadow;

    clear_tables();
    fill(0, 7);
    fill(1, 3);
    /* 255 times the small table of the first slot, then both of them. */
    set(PD1, 0, 1, to(PD0, 1));
    for (unsigned i = 0; i < 255; i++) {
        set(PD0, 1, 2 * i + 1, to(SMALL, 0));
    }
    set(PD0, 0, 2, to(BIG, 0));
    set(PD0, 0, 3, to(SMALL, 0));
    set(PD1, 0, 0, 0);
    shadow = get(&root);
    set(PD1, 0, 0, to(PD0, 0));
    set(PD0, 0, 0, 0);
    set(PD0, 0, 1, 0);
    invalidate(&root, true, 0);
    g_assert_cmpuint(warnings, ==, 0);

    /* That was one alias less than may be. */
    set(PD0, 1, 511, to(SMALL, 1));
    set(PD0, 0, 4, to(BIG, 0));
    set(PD0, 0, 5, to(SMALL, 0));
    invalidate(&root, true, 0);
    g_assert_cmpuint(warnings, ==, 1);
    assert_unmapped(8);
    for (unsigned n = 0; n < 3; n++) {
        looked = 0;
        invalidate(&root, false, slot_va(0));
        g_assert_cmpuint(looked, <, 10);
    }
    set(PD0, 1, 1, 0);
    invalidate(&root, false, slot_va(2));
    compare(&root, slot_va(8), slot_va(8) + (2 << 20) - 1);
    g_assert_cmpuint(told[8][1].op, ==, VGSP_OWNER_MAP);
    vgsp_shadow_put(shadow);
}

/* A table in system memory that a vIOMMU puts elsewhere. */
static void check_moved_table(void)
{
    VgspShadow *shadow;

    clear_tables();
    for (unsigned i = 0; i < 512; i++) {
        vgsp_put_le64(ram + 8 * PAGE + 8 * i, page(i & 7));
        vgsp_put_le64(ram + 9 * PAGE + 8 * i, page(i & 3));
    }
    set(PD0, 0, 3, VGSP_SET(NV_MMU_VER2_DUAL_PDE_APERTURE_SMALL,
                            NV_MMU_VER2_PDE_APERTURE_SYSTEM_COHERENT_MEMORY) |
                   VGSP_SET(NV_MMU_VER2_DUAL_PDE_ADDRESS_SMALL_SYS, 8));
    shadow = get(&root);
    compare(&root, 0, UINT64_MAX);
    g_assert_cmpuint(told[4][5].offset, ==, 5 * PAGE);
    looked = 0;
    ram_page[9] = 8;
    vgsp_shadows_dma_unmapped(&state, 9 * PAGE, 10 * PAGE - 1);
    g_assert_cmpuint(looked, ==, 0);    /* no table there */
    ram_page[8] = 9;
    vgsp_shadows_dma_unmapped(&state, 8 * PAGE, 9 * PAGE - 1);
    compare(&root, 0, UINT64_MAX);
    g_assert_cmpuint(told[4][5].offset, ==, 1 * PAGE);
    vgsp_shadow_put(shadow);
}

/* Nothing that was added is missed, and little else is found. */
static void check_pages(GRand *rand)
{
    g_autofree VgspPages *p = g_new(VgspPages, 1);
    uint64_t at[512];
    unsigned found = 0;

    vgsp_pages_clear(p);
    g_assert_false(vgsp_pages_may_meet(p, 0, UINT64_MAX));
    for (unsigned i = 0; i < 512; i++) {
        at[i] = (uint64_t)g_rand_int(rand) << 12;
        vgsp_pages_add(p, at[i], at[i] + PAGE - 1);
    }
    for (unsigned i = 0; i < 512; i++) {
        g_assert_true(vgsp_pages_may_meet(p, at[i], at[i] + PAGE - 1));
        g_assert_true(vgsp_pages_may_meet(p, at[i] - at[i] % (64 * PAGE),
                                          at[i] | (64 * PAGE - 1)));
        g_assert_true(vgsp_pages_may_meet(p, at[i], UINT64_MAX));
    }
    for (unsigned i = 0; i < 10000; i++) {
        uint64_t other = (uint64_t)g_rand_int(rand) << 12;

        found += vgsp_pages_may_meet(p, other, other + PAGE - 1);
    }
    g_assert_cmpuint(found, <, 1000);
    g_assert_false(vgsp_pages_may_meet(p, UINT64_C(1) << 44, UINT64_MAX));
}

int main(int argc, char **argv)
{
    int seconds = argc > 1 ? atoi(argv[1]) : 10;
    uint32_t seed = argc > 2 ? g_ascii_strtoull(argv[2], NULL, 0)
                             : g_random_int();
    GRand *rand = g_rand_new_with_seed(seed);
    int64_t end = g_get_monotonic_time() + seconds * G_USEC_PER_SEC;
    unsigned rounds = 0;

    printf("shadow-check: seed 0x%x\n", seed);
    fflush(stdout);
    state.executor = &executor;
    g_assert_true(vgsp_shadows_init(&state, &error_abort));
    check_partial();
    check_room();
    check_aliases();
    check_fair();
    check_two_aliases();
    check_moved_table();
    check_pages(rand);
    do {
        round_of(rand);
        rounds++;
    } while (g_get_monotonic_time() < end);
    vgsp_shadows_exit(&state);
    g_rand_free(rand);
    printf("shadow-check: %u rounds, %" PRIu64 " operations\n", rounds,
           operations);
    return 0;
}
