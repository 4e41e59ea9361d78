/*
 * Page tables that the kernel's owner builds (gpu-owner-kmod/pagetable.c),
 * against the device's walker: exact entries, then random operations compared
 * page by page with a list of what each page should be; allocations that fail;
 * what the owners of pages are told.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>

#include "vgsp/gmmu.h"

#include "../../gpu-owner-kmod/pagetable.h"

static int fail_in = -1;        /* allocations until one fails; -1: never */

static bool fails(void)
{
    return fail_in >= 0 && fail_in-- == 0;
}

void *vgsp_pure_zalloc(size_t n, size_t size)
{
    return fails() ? NULL : calloc(n, size);
}

#include "../../gpu-owner-kmod/pagetable.c"

#define KiB         UINT64_C(1024)
#define MiB         (KiB * 1024)
#define GiB         (MiB * 1024)
#define VA_END      (UINT64_C(1) << 49)
#define PAGES_MAX   65536
#define OWNERS      5

typedef struct Rig {
    struct vgsp_pt_tree tree;
    void *page[PAGES_MAX];      /* by bus address / 4096 */
    unsigned int next, live;
    int64_t mapped[OWNERS];
} Rig;

static int rig_alloc(void *opaque, struct vgsp_pt_page *page)
{
    Rig *r = opaque;

    if (fails()) {
        return -ENOMEM;
    }
    g_assert_cmpuint(r->next, <, PAGES_MAX);
    r->page[r->next] = calloc(1, VGSP_PT_PAGE);
    page->cpu = r->page[r->next];
    page->addr = r->next++ * UINT64_C(4096);
    r->live++;
    return 0;
}

static void rig_release(void *opaque, struct vgsp_pt_page *page)
{
    Rig *r = opaque;

    g_assert_true(r->page[page->addr / 4096] == page->cpu);
    r->page[page->addr / 4096] = NULL;
    free(page->cpu);
    r->live--;
}

static void rig_mapped(void *opaque, u32 owner, s64 pages)
{
    Rig *r = opaque;

    g_assert_cmpuint(owner, <, OWNERS);
    g_assert_cmpuint(owner, !=, 0);
    r->mapped[owner] += pages;
    g_assert_cmpint(r->mapped[owner], >=, 0);
}

static const struct vgsp_pt_ops pt_ops = {
    .alloc = rig_alloc,
    .release = rig_release,
    .mapped = rig_mapped,
};

static Rig *rig_new(void)
{
    Rig *r = g_new0(Rig, 1);

    r->next = 1;
    g_assert_cmpint(vgsp_pt_init(&r->tree, &pt_ops, r), ==, 0);
    return r;
}

static void rig_free(Rig *r)
{
    vgsp_pt_fini(&r->tree);
    g_assert_cmpuint(r->live, ==, 0);
    for (int i = 0; i < OWNERS; i++) {
        g_assert_cmpint(r->mapped[i], ==, 0);
    }
    g_free(r);
}

static bool rig_read(void *opaque, VgspAperture ap, uint64_t addr, void *buf,
                     size_t len)
{
    Rig *r = opaque;

    g_assert_cmpint(ap, ==, VGSP_APERTURE_SYS_COHERENT);
    g_assert_cmpuint(addr / 4096, <, PAGES_MAX);
    g_assert_nonnull(r->page[addr / 4096]);
    memcpy(buf, (char *)r->page[addr / 4096] + addr % 4096, len);
    return true;
}

static const VgspGmmuOps gmmu_ops = { .read = rig_read };

static VgspGmmuFault walk(Rig *r, uint64_t va, VgspMapping *m)
{
    VgspPdb pdb = vgsp_pdb_from_address(VGSP_APERTURE_SYS_COHERENT,
                                        vgsp_pt_root(&r->tree));

    return vgsp_gmmu_walk(&gmmu_ops, r, &pdb, va, m);
}

/* ---- Sources of addresses ---- */

/* Contiguous from base. */
static u64 linear(void *source, u64 offset, u64 *run)
{
    *run = 1 * GiB;
    return *(u64 *)source + offset;
}

/* Pages of 4 KiB in reverse: never two in a row. */
static u64 reverse(void *source, u64 offset, u64 *run)
{
    *run = 4096;
    return *(u64 *)source + 1 * GiB - offset;
}

/* Runs of 3 MiB, each at a multiple of 4 MiB. */
static u64 runs(void *source, u64 offset, u64 *run)
{
    *run = 3 * MiB - offset % (3 * MiB);
    return *(u64 *)source + offset / (3 * MiB) * (4 * MiB) +
           offset % (3 * MiB);
}

static int set(Rig *r, u64 va, u64 size, enum vgsp_pt_what what, u16 owner,
               u64 base)
{
    struct vgsp_pt_change c = {
        .what = what, .owner = owner, .addr = linear, .source = &base,
        .pte = vgsp_pt_pte(NV_MMU_PTE_KIND_GENERIC_MEMORY, 0, false),
    };

    return vgsp_pt_set(&r->tree, va, size, &c);
}

static u64 word(Rig *r, u64 table, unsigned int i)
{
    return ((u64 *)r->page[table / 4096])[i];
}

/* ---- Tests ---- */

/* The words of the manual, level by level. */
static void test_entries(void)
{
    Rig *r = rig_new();
    const u64 va = UINT64_C(1) << 47 | UINT64_C(5) << 38 | UINT64_C(6) << 29 |
                   UINT64_C(7) << 21 | UINT64_C(8) << 12;
    u64 table;

    g_assert_cmpint(set(r, va, 4096, VGSP_PT_PAGES, 1, 0x12345678000), ==, 0);
    table = vgsp_pt_root(&r->tree);
    for (int i = 0; i < 3; i++) {
        u64 pde = word(r, table, (unsigned int[]) { 1, 5, 6 }[i]);

        g_assert_cmphex(pde & 0xff, ==, 0xc); /* coherent, volatile */
        table = pde >> 8 << 12;
    }
    g_assert_cmphex(word(r, table, 2 * 7), ==, 0);
    g_assert_cmphex(word(r, table, 2 * 7 + 1) & 0xff, ==, 0xc);
    table = word(r, table, 2 * 7 + 1) >> 8 << 12;
    g_assert_cmphex(word(r, table, 8), ==, 0x060000123456780d);
    g_assert_cmphex(word(r, table, 7), ==, 0);
    g_assert_cmphex(word(r, table, 9), ==, 0);
    rig_free(r);

    g_assert_cmphex(vgsp_pt_pte(0, VGSP_OWNER_MAP_READ_ONLY, false), ==, 0x4d);
    g_assert_cmphex(vgsp_pt_pte(0, VGSP_OWNER_MAP_ATOMIC_DISABLE, false), ==,
                    0x8d);
    g_assert_cmphex(vgsp_pt_pte(0, VGSP_OWNER_MAP_PRIVILEGED, false), ==, 0x2d);
    g_assert_cmphex(vgsp_pt_pte(2, 0, true), ==, UINT64_C(2) << 56 | 1);
}

/* An entry of 2 MiB where the addresses allow; torn where they end. */
static void test_huge(void)
{
    Rig *r = rig_new();
    VgspMapping m;

    g_assert_cmpint(set(r, 2 * MiB, 6 * MiB, VGSP_PT_PAGES, 1, 64 * MiB), ==,
                    0);
    g_assert_cmpuint(r->live, ==, 4); /* no table of small pages */
    g_assert_cmpint(r->mapped[1], ==, 1536);
    g_assert_cmpint(walk(r, 4 * MiB, &m), ==, VGSP_GMMU_OK);
    g_assert_cmpuint(m.page_shift, ==, 21);
    g_assert_cmphex(m.pa, ==, 66 * MiB);

    g_assert_cmpint(set(r, 4 * MiB + 8192, 4096, VGSP_PT_NONE, 0, 0), ==, 0);
    g_assert_cmpuint(r->live, ==, 5);
    g_assert_cmpint(r->mapped[1], ==, 1535);
    g_assert_cmpint(walk(r, 4 * MiB + 4096, &m), ==, VGSP_GMMU_OK);
    g_assert_cmpuint(m.page_shift, ==, 12);
    g_assert_cmphex(m.pa, ==, 66 * MiB + 4096);
    g_assert_cmpint(walk(r, 4 * MiB + 8192, &m), ==, VGSP_GMMU_FAULT_PTE);
    g_assert_cmpint(walk(r, 6 * MiB - 1, &m), ==, VGSP_GMMU_OK);
    g_assert_cmphex(m.pa, ==, 68 * MiB - 4096);

    /* Whole again: the table goes. */
    g_assert_cmpint(set(r, 4 * MiB, 2 * MiB, VGSP_PT_PAGES, 2, 8 * MiB), ==, 0);
    g_assert_cmpuint(r->live, ==, 4);
    g_assert_cmpint(r->mapped[1], ==, 1024);
    g_assert_cmpint(r->mapped[2], ==, 512);

    /* Addresses that are not aligned alike. */
    g_assert_cmpint(set(r, 4 * MiB, 2 * MiB, VGSP_PT_PAGES, 2, 9 * MiB), ==, 0);
    g_assert_cmpint(walk(r, 4 * MiB, &m), ==, VGSP_GMMU_OK);
    g_assert_cmpuint(m.page_shift, ==, 12);

    g_assert_cmpint(set(r, 0, VA_END, VGSP_PT_NONE, 0, 0), ==, 0);
    g_assert_cmpuint(r->live, ==, 1);
    rig_free(r);
}

/* The whole space in four entries, and a hole in it. */
static void test_sparse(void)
{
    Rig *r = rig_new();
    VgspMapping m;

    g_assert_cmpint(set(r, 0, VA_END, VGSP_PT_SPARSE, 0, 0), ==, 0);
    g_assert_cmpuint(r->live, ==, 1);
    g_assert_cmpint(walk(r, VA_END - 1, &m), ==, VGSP_GMMU_OK);
    g_assert_true(m.sparse);
    g_assert_cmpint(set(r, VA_END - 8192, 4096, VGSP_PT_NONE, 0, 0), ==, 0);
    g_assert_cmpuint(r->live, ==, 5);
    g_assert_cmpint(walk(r, VA_END - 8192, &m), ==, VGSP_GMMU_FAULT_PTE);
    for (int i = 0; i < 3; i++) {
        u64 va = VA_END - (u64[]) { 4096, 12288, 4 * GiB }[i];

        g_assert_cmpint(walk(r, va, &m), ==, VGSP_GMMU_OK);
        g_assert_true(m.sparse);
    }
    rig_free(r);
}

/* Some places at which levels meet; what each page should be. */
enum { PLACES = 5, PLACE_PAGES = 1536 };
static const u64 place[PLACES] = {
    0,
    512 * MiB - 3 * MiB,
    (UINT64_C(1) << 38) - 2 * MiB,
    (UINT64_C(1) << 47) - 4 * MiB + 4096,
    VA_END - 6 * MiB,
};

typedef struct Want {
    enum vgsp_pt_what what;
    u16 owner;
    u64 pa;
    bool read_only;
} Want;

static Want want[PLACES][PLACE_PAGES];

static void check_all(Rig *r)
{
    int64_t mapped[OWNERS] = { 0 };
    VgspMapping m;

    for (int p = 0; p < PLACES; p++) {
        for (u64 i = 0; i < PLACE_PAGES; i++) {
            const Want *w = &want[p][i];
            u64 va = place[p] + i * 4096;
            VgspGmmuFault f = walk(r, va, &m);

            if (w->what == VGSP_PT_NONE) {
                g_assert_true(f == VGSP_GMMU_FAULT_PTE ||
                              f == VGSP_GMMU_FAULT_PDE);
                continue;
            }
            g_assert_cmpint(f, ==, VGSP_GMMU_OK);
            g_assert_cmpint(m.sparse, ==, w->what == VGSP_PT_SPARSE);
            if (m.sparse) {
                continue;
            }
            g_assert_cmphex(m.pa + (va - m.va), ==, w->pa);
            g_assert_cmpint(m.read_only, ==, w->read_only);
            g_assert_true(m.volatile_);
            g_assert_cmpint(m.aperture, ==, VGSP_APERTURE_SYS_COHERENT);
            mapped[w->owner]++;
        }
    }
    for (int i = 1; i < OWNERS; i++) {
        g_assert_cmpint(r->mapped[i], ==, mapped[i]);
    }
}

/* One random operation; what is wanted follows if it succeeds. */
static void random_op(Rig *r, int fail)
{
    static u64 (*const sources[])(void *, u64, u64 *) = {
        linear, reverse, runs,
    };
    int p = g_test_rand_int_range(0, PLACES);
    u64 first = g_test_rand_int_range(0, PLACE_PAGES);
    u64 n = g_test_rand_int_range(1, PLACE_PAGES - (int)first + 1);
    u64 base = (1 + (u64)g_test_rand_int_range(0, 100)) * 4 * GiB;
    bool read_only = g_test_rand_bit();
    struct vgsp_pt_change c = {
        .what = g_test_rand_int_range(0, 3),
        .owner = 0,
        .addr = sources[g_test_rand_int_range(0, 3)],
        .source = &base,
        .pte = vgsp_pt_pte(0, read_only ? VGSP_OWNER_MAP_READ_ONLY : 0, false),
        .offset = g_test_rand_int_range(0, 3) * 512 * 4096,
    };
    bool everywhere = c.what != VGSP_PT_PAGES &&
                      g_test_rand_int_range(0, 16) == 0;
    int ret;

    if (g_test_rand_bit()) {    /* as huge pages are mapped */
        first &= ~UINT64_C(511);
        n = MIN(512 * (1 + n / 512), PLACE_PAGES - first);
    }
    if (c.what == VGSP_PT_PAGES) {
        c.owner = g_test_rand_int_range(1, OWNERS);
    }
    fail_in = fail;
    ret = everywhere
          ? vgsp_pt_set(&r->tree, 0, VA_END, &c)
          : vgsp_pt_set(&r->tree, place[p] + first * 4096, n * 4096, &c);
    fail_in = -1;
    if (ret) {
        g_assert_cmpint(fail, >=, 0);
        g_assert_cmpint(ret, ==, -ENOMEM);
        return;
    }
    for (int q = everywhere ? 0 : p; q < (everywhere ? PLACES : p + 1); q++) {
        for (u64 i = everywhere ? 0 : first;
             i < (everywhere ? PLACE_PAGES : first + n); i++) {
            u64 run, offset = c.offset + (i - first) * 4096;

            want[q][i] = (Want) { c.what, c.owner, 0, read_only };
            if (c.what == VGSP_PT_PAGES) {
                want[q][i].pa = c.addr(&base, offset, &run);
            }
        }
    }
}

static void test_random(gconstpointer failing)
{
    Rig *r = rig_new();

    memset(want, 0, sizeof(want));
    for (int i = 0; i < 400; i++) {
        random_op(r, failing ? g_test_rand_int_range(0, 12) : -1);
        if (r->next > PAGES_MAX - 4096) {
            break;
        }
        check_all(r);
    }
    g_assert_cmpint(set(r, 0, VA_END, VGSP_PT_NONE, 0, 0), ==, 0);
    g_assert_cmpuint(r->live, ==, 1); /* no empty table is left */
    rig_free(r);
}

/* What a failed operation allocated is gone, whatever failed. */
static void test_unwind(void)
{
    Rig *r = rig_new();
    int ret;

    for (int i = 0; ; i++) {
        fail_in = i;
        ret = set(r, 3 * 512 * MiB - 4096, 8192, VGSP_PT_PAGES, 1, 0);
        if (!ret) {
            break;
        }
        g_assert_cmpint(ret, ==, -ENOMEM);
        g_assert_cmpuint(r->live, ==, 1);
        g_assert_cmpint(r->mapped[1], ==, 0);
        g_assert_cmpint(i, <, 100);
    }
    fail_in = -1;
    g_assert_cmpint(r->mapped[1], ==, 2);
    rig_free(r);
}

/* A good one, and what is wrong with it. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define GOOD .op = VGSP_OWNER_MAP, .va = 4096, .size = 8192, .memory = 1

static void test_check(void)
{
    static const struct {
        struct vgsp_owner_map_op op;
        int ret;
    } cases[] = {
        { { GOOD }, 0 },
        { { GOOD, .flags = 7, .kind = 6, .offset = 4096 }, 0 },
        { { GOOD, .op = 3 }, -EOPNOTSUPP },
        { { GOOD, .flags = 8 }, -EOPNOTSUPP },
        { { GOOD, .va = 4097 }, -EINVAL },
        { { GOOD, .size = 0 }, -EINVAL },
        { { GOOD, .size = 100 }, -EINVAL },
        { { GOOD, .offset = 1 }, -EINVAL },
        { { GOOD, .kind = 7 }, -EINVAL },       /* INVALID */
        { { GOOD, .kind = 8 }, -EINVAL },       /* compressible */
        { { GOOD, .kind = 0x106 }, -EINVAL },
        { { GOOD, .memory = 0 }, -ENOENT },
        { { GOOD, .va = VA_END }, -EOVERFLOW },
        { { GOOD, .va = VA_END - 4096 }, -EOVERFLOW },
        { { GOOD, .size = -4096ULL }, -EOVERFLOW },
        { { GOOD, .offset = -4096ULL }, -EOVERFLOW },
        { { GOOD, .va = 4 * GiB - 8192 }, 0 },
        { { GOOD, .va = 4 * GiB - 4096 }, -EBUSY },
        { { GOOD, .va = 4 * GiB + 512 * MiB - 4096 }, -EBUSY },
        { { GOOD, .va = 4 * GiB + 512 * MiB }, 0 },
        { { .op = VGSP_OWNER_SPARSE, .size = VA_END }, -EBUSY },
        { { .op = VGSP_OWNER_UNMAP, .size = VA_END }, 0 },
        { { .op = VGSP_OWNER_UNMAP, .size = 4096, .memory = 1 }, -EINVAL },
        { { .op = VGSP_OWNER_SPARSE, .size = 4096, .flags = 1 }, -EINVAL },
        { { .op = VGSP_OWNER_SPARSE, .size = 4096, .kind = 6 }, -EINVAL },
        { { .op = VGSP_OWNER_UNMAP, .size = 4096, .offset = 4096 }, -EINVAL },
    };

    for (unsigned int i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("case %u", i);
        g_assert_cmpint(vgsp_map_op_check(&cases[i].op, 4 * GiB, 512 * MiB),
                        ==, cases[i].ret);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/owner/pagetable/entries", test_entries);
    g_test_add_func("/owner/pagetable/huge", test_huge);
    g_test_add_func("/owner/pagetable/sparse", test_sparse);
    g_test_add_data_func("/owner/pagetable/random", NULL, test_random);
    g_test_add_data_func("/owner/pagetable/random-failing", "", test_random);
    g_test_add_func("/owner/pagetable/unwind", test_unwind);
    g_test_add_func("/owner/pagetable/check", test_check);
    return g_test_run();
}
