/*
 * The executor over NVIDIA's driver, over a driver that is not there
 * (fake-rm.h): what it asks for in which release, that each refusal unwinds,
 * and what becomes of mappings.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "rm-rig.h"
#include "vgsp/nv/dev_mmu.h"

/* ---- Opening ---- */

static void test_open(void)
{
    static const char *const versions[] = {
        "535.113.01", "550.163.01", "570.144", "580.159.04",
    };
    static const uint32_t chips[] = { 0x160, 0x180 };

    for (unsigned i = 0; i < G_N_ELEMENTS(versions); i++) {
        for (unsigned c = 0; c < G_N_ELEMENTS(chips); c++) {
            Rig *rig = rig_new(versions[i], chips[c]);
            VgspChip chip;

            g_assert_null(rig_open(rig));
            g_assert_cmpstr(vgsp_rm_version(rig->rm), ==, versions[i]);
            g_assert_cmpstr(vgsp_rm_chip_name(rig->rm), ==,
                            c ? "GH100" : "TU10x");
            g_assert_cmpstr(rig->line, ==, "");
            vgsp_rm_chip(rig->rm, &chip);
            /* Of a Turing host, what it has; else a TU104. */
            g_assert_cmpuint(chip.gpc_mask, ==, c ? 0x3f : 3);
            g_assert_cmpuint(chip.tpc_mask[1], ==, c ? 0xf : 7);
            g_assert_cmpuint(rig->rm->sm_count, ==, 12);
            g_assert_cmpint(rig_setup(rig), ==, 0);
            rig_free(rig);
        }
    }
}

static void expect_error(Rig *rig, const char *what)
{
    char *error = rig_open(rig);

    g_assert_nonnull(error);
    g_assert_nonnull(strstr(error, what));
    g_assert_null(strchr(error, '\n'));
    g_free(error);
    rig_free(rig);
}

static void test_open_errors(void)
{
    Rig *rig = rig_new("580.159.04", TU10X);

    rig->fake->absent = "/dev/nvidiactl";
    expect_error(rig, "no NVIDIA driver: /dev/nvidiactl: No such file");
    rig = rig_new("580.159.04", TU10X);
    rig->fake->absent = "/dev/nvidia0";
    expect_error(rig, "no NVIDIA driver: /dev/nvidia0: No such file");
    expect_error(rig_new("470.256.02", TU10X), "470.256.02 is too old");
    expect_error(rig_new("580.159.04", 0x190), "only Turing");
    rig = rig_new("580.159.04", TU10X);
    rig->fake->hide = 0xc46f;
    expect_error(rig, "does not offer class 0xc46f");
    rig = rig_new("999.1", TU10X);
    g_assert_null(rig_open(rig));
    g_assert_nonnull(strstr(rig->line, "newer than"));
    rig_free(rig);
}

/* Each request in turn fails, with an errno value and with a status. */
static void test_unwind(void)
{
    static const uint32_t statuses[] = { 0, NV_ERR_NO_MEMORY };

    for (unsigned s = 0; s < G_N_ELEMENTS(statuses); s++) {
        for (int n = 1;; n++) {
            Rig *rig = rig_new("580.159.04", 0x180);
            char *error;
            int ret = 0, calls;

            rig->fake->fail_at = n;
            rig->fake->fail_status = statuses[s];
            error = rig_open(rig);
            if (!error) {
                ret = rig_setup(rig);
            }
            calls = rig->fake->calls;
            if (calls < n) {
                g_assert_null(error);
                g_assert_cmpint(ret, ==, 0);
            }
            g_free(error);
            rig_free(rig);
            if (calls < n) {
                g_assert_cmpint(n, >, 40);
                break;
            }
        }
    }
}

/* ---- Mappings ---- */

static void test_map(void)
{
    Rig *rig = rig_ready("580.159.04");
    struct vgsp_owner_map_op op = {
        .va = VA + 64 * MIB, .size = 40 * MIB, .memory = rig->memory,
        .offset = 30 * MIB, .kind = NV_MMU_PTE_KIND_GENERIC_MEMORY,
        .flags = VGSP_OWNER_MAP_READ_ONLY,
    };
    const struct vgsp_owner_map_op hole = {
        .op = VGSP_OWNER_UNMAP, .va = VA + 70 * MIB, .size = 4096,
    };
    FakeMapping m = { 0 };

    g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, &op, 1), ==, 0);
    for (uint64_t at = 0; at < op.size; at += MIB) {
        g_assert_cmpuint(mapped(rig, op.va + at, &m), ==, 1);
        g_assert_cmpuint(m.kind, ==, op.kind);
        g_assert_true(m.flags & NVOS46_FLAGS_ACCESS_READ_ONLY);
        g_assert_true(gpu(rig, op.va + at) == rig->host + op.offset + at);
    }
    g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, &hole, 1), ==, 0);
    g_assert_null(gpu(rig, hole.va));
    g_assert_true(gpu(rig, hole.va - 1) == rig->host + 36 * MIB - 1);
    g_assert_true(gpu(rig, hole.va + 4096) == rig->host + 36 * MIB + 4096);
    /* Replaces: a page of another place. */
    op = (struct vgsp_owner_map_op) {
        .va = hole.va - 4096, .size = 4096, .memory = rig->memory,
    };
    g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, &op, 1), ==, 0);
    g_assert_true(gpu(rig, op.va) == rig->host);
    g_assert_true(gpu(rig, op.va - 1) == rig->host + 36 * MIB - 4097);
    g_assert_cmpuint(mapped(rig, op.va, &m), ==, 1);
    g_assert_false(m.flags & NVOS46_FLAGS_ACCESS_READ_ONLY);
    /* Everything, in one operation. */
    op = (struct vgsp_owner_map_op) {
        .op = VGSP_OWNER_UNMAP, .va = 0, .size = 1ull << 49,
    };
    g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, &op, 1), ==, 0);
    g_assert_null(gpu(rig, VA));
    /* ... but for what the executor has there: */
    g_assert_cmpint(submit(rig, rig->context, 1, 5), ==, 0);
    wait_for(rig, &rig->completed, 5);
    rig_free(rig);
}

static void test_map_batch(void)
{
    Rig *rig = rig_ready("550.163.01");
    struct vgsp_owner_map_op ops[64];

    for (unsigned i = 0; i < 64; i++) {
        ops[i] = (struct vgsp_owner_map_op) {
            .va = VA + 256 * MIB + i * 8192, .size = 4096,
            .memory = rig->memory, .offset = i * 12288,
        };
    }
    g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, ops, 64), ==, 0);
    g_assert_cmpuint(rig->fake->invalidates, ==, 1);
    for (unsigned i = 0; i < 64; i++) {
        g_assert_true(gpu(rig, ops[i].va) == rig->host + i * 12288);
        g_assert_null(gpu(rig, ops[i].va + 4096));
    }
    rig_free(rig);
}

/* Anything over anything, held against a table of pages. */
static void test_map_random(void)
{
    enum { PAGES = 96, NOTHING = -1, SPARSE = -2 };
    Rig *rig = rig_ready("580.159.04");
    /* Pages of memory that lie on both sides of a chunk's end. */
    const uint64_t first = 32 * MIB - 64 * 4096;
    int pages[PAGES];
    GRand *rand = g_rand_new_with_seed(4711);

    for (unsigned i = 0; i < PAGES; i++) {
        pages[i] = NOTHING;
    }
    for (unsigned n = 0; n < 1500; n++) {
        unsigned start = (unsigned)g_rand_int_range(rand, 0, PAGES);
        unsigned size = (unsigned)g_rand_int_range(rand, 1,
                                                   (int)(PAGES - start) + 1);
        unsigned from = (unsigned)g_rand_int_range(rand, 0, 64);
        struct vgsp_owner_map_op op = {
            .op = (uint32_t)g_rand_int_range(rand, 0, 3),
            .va = VA + 64 * MIB + start * 4096ull,
            .size = size * 4096ull,
            .memory = rig->memory,
            .offset = first + from * 4096ull,
        };

        g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, &op, 1), ==, 0);
        for (unsigned i = start; i < start + size; i++) {
            pages[i] = op.op == VGSP_OWNER_MAP ? (int)(from + i - start)
                     : op.op == VGSP_OWNER_SPARSE ? SPARSE : NOTHING;
        }
        for (unsigned i = 0; i < PAGES; i++) {
            uint64_t va = VA + 64 * MIB + i * 4096ull;

            g_assert_true(gpu(rig, va + 8) ==
                          (pages[i] < 0 ? NULL
                           : rig->host + first + pages[i] * 4096ull + 8));
            g_assert_cmpint(sparse_at(rig, va), ==, pages[i] == SPARSE);
        }
    }
    g_rand_free(rand);
    rig_free(rig);
}

/* The driver's buffers of a context lie where the guest maps nothing. */
static void test_steer(void)
{
    Rig *rig = rig_ready("580.159.04");
    struct vgsp_owner_map_op ops[200];
    uint32_t id;

    for (unsigned i = 0; i < 200; i++) {
        ops[i] = (struct vgsp_owner_map_op) {
            .va = 0x400000 + i * 0x7fff0000ull, .size = 4096,
            .memory = rig->memory,
        };
        ops[i].va &= ~4095ull;
    }
    g_assert_cmpuint(rig->fake->driver_va, ==, (1ull << 40) - (16ull << 30));
    ops[2].va = 0x140000000;
    g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, ops, 200), ==, 0);
    rig->fake->driver_va = 0;
    g_assert_cmpint(vgsp_rm_context_new(rig->rm, rig->space, 0, &id), ==, 0);
    g_assert_cmpuint(rig->fake->driver_va, ==, (1ull << 40) - (16ull << 30));
    rig_free(rig);
}

static void test_sparse(void)
{
    Rig *rig = rig_ready("580.159.04");
    struct vgsp_owner_map_op ops[] = {
        { .op = VGSP_OWNER_SPARSE, .va = VA + 1024 * MIB, .size = 64 * MIB },
        { .va = VA + 1040 * MIB, .size = 8192, .memory = rig->memory },
        { .op = VGSP_OWNER_UNMAP, .va = VA + 1050 * MIB, .size = MIB },
    };
    GHashTableIter iter;
    gpointer o;
    uint64_t sparse = 0;
    unsigned n = 0;

    g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, ops, 3), ==, 0);
    g_hash_table_iter_init(&iter, rig->fake->objects);
    while (g_hash_table_iter_next(&iter, NULL, &o)) {
        if (((FakeObject *)o)->cls == NV50_MEMORY_VIRTUAL) {
            sparse += ((FakeObject *)o)->size;
            n++;
        }
    }
    g_assert_cmpuint(n, ==, 3);
    g_assert_cmpuint(sparse, ==, 63 * MIB - 8192);
    g_assert_true(gpu(rig, ops[1].va) == rig->host);
    rig_free(rig);
}

static void test_map_errors(void)
{
    Rig *rig = rig_ready("570.144");
    const struct {
        struct vgsp_owner_map_op op;
        int error;
    } bad[] = {
        { { .op = 3, .size = 4096 }, -EOPNOTSUPP },
        { { .va = VA, .size = 0, .memory = rig->memory }, -EINVAL },
        { { .va = VA + 1, .size = 4096, .memory = rig->memory }, -EINVAL },
        { { .va = 1ull << 49, .size = 4096, .memory = rig->memory },
          -EOVERFLOW },
        { { .va = ~4095ull, .size = 8192, .memory = rig->memory },
          -EOVERFLOW },
        { { .va = VA, .size = 4096, .memory = 77 }, -ENOENT },
        { { .va = VA, .size = MEMORY + 4096, .memory = rig->memory },
          -EOVERFLOW },
        { { .va = VA, .size = 4096, .memory = rig->memory,
            .offset = ~4095ull }, -EOVERFLOW },
        { { .va = VA, .size = 4096, .memory = rig->memory, .kind = 9 },
          -EOPNOTSUPP },
        /* A kind, which this release cannot map. */
        { { .va = VA, .size = 4096, .memory = rig->memory, .kind = 6 },
          -EOPNOTSUPP },
        /* The executor's own, and the driver's own. */
        { { .va = (1ull << 40) - 4096, .size = 4096,
            .memory = rig->memory }, -EBUSY },
        { { .va = 0x100000000, .size = 4096, .memory = rig->memory },
          -ENOMEM },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(bad); i++) {
        g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, &bad[i].op, 1), ==,
                        bad[i].error);
    }
    g_assert_cmpint(vgsp_rm_map(rig->rm, 99, &bad[0].op, 1), ==, -ENOENT);
    g_assert_cmpint(vgsp_rm_space_del(rig->rm, rig->space), ==, -EBUSY);
    g_assert_true(gpu(rig, VA) == rig->host);
    /* Memory that goes takes its mappings along. */
    g_assert_cmpint(vgsp_rm_memory_del(rig->rm, rig->memory), ==, 0);
    g_assert_cmpint(vgsp_rm_memory_del(rig->rm, rig->memory), ==, -ENOENT);
    g_assert_null(gpu(rig, VA));
    rig_free(rig);
}

static void test_shadow(void)
{
    Rig *rig = rig_ready("580.159.04");
    RmSpace *s = g_hash_table_lookup(rig->rm->spaces,
                                     GUINT_TO_POINTER(rig->space));
    struct vgsp_owner_map_op op = {
        .va = VA + 4096, .size = 4096, .memory = rig->memory, .offset = 8192,
    };
    uint8_t page[4096];
    uint64_t va;
    void *host;

    /* On Turing nothing is translated: what Hopper's spaces get, by hand. */
    g_assert_cmpint(rm_own_shadow(s), ==, 0);
    memset(page, 0x5a, sizeof(page));
    memset(rig->host, 0x11, 16384);
    g_mutex_lock(&s->lock);
    g_assert_cmpint(rm_translate_ops.shadow(s, VA + 4096, page), ==, 0);
    g_assert_cmpuint(*gpu(rig, VA + 4096), ==, 0x5a);
    g_assert_cmpuint(*gpu(rig, VA + 8192), ==, 0x11);
    g_assert_true(gpu(rig, VA + 4095) == rig->host + 4095);
    g_assert_true(rm_translate_ops.page(s, VA + 4096) == rig->host + 4096);
    page[0] = 0x5b;
    g_assert_cmpint(rm_translate_ops.shadow(s, VA + 4096, page), ==, 0);
    g_assert_cmpuint(*gpu(rig, VA + 4096), ==, 0x5b);
    /* What the GPU writes there is the guest's; the program stays. */
    gpu(rig, VA + 4096)[8] = 0x77;
    g_assert_true(rm_translate_ops.page(s, VA + 4096) == rig->host + 4096);
    g_assert_cmpuint(rig->host[4096 + 8], ==, 0x77);
    g_assert_cmpuint(rig->host[4096 + 4], ==, 0x11);
    g_assert_cmpuint(gpu(rig, VA + 4096)[8], ==, 0x5a);
    gpu(rig, VA + 4096)[12] = 0x78;
    page[12] = 0x5c;
    g_assert_cmpint(rm_translate_ops.shadow(s, VA + 4096, page), ==, 0);
    g_assert_cmpuint(rig->host[4096 + 12], ==, 0x78);
    g_assert_cmpuint(gpu(rig, VA + 4096)[12], ==, 0x5c);
    gpu(rig, VA + 4096)[16] = 0x79;
    g_assert_cmpint(rm_translate_ops.shadow(s, VA + 4096, NULL), ==, 0);
    g_assert_true(gpu(rig, VA + 4096) == rig->host + 4096);
    g_assert_cmpuint(rig->host[4096 + 16], ==, 0x79);
    g_assert_cmpint(s->shadows, ==, 0);
    g_assert_cmpint(rm_translate_ops.shadow(s, VA + 4096, page), ==, 0);
    g_mutex_unlock(&s->lock);
    /* The guest's next mapping ends it. */
    g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, &op, 1), ==, 0);
    g_assert_true(gpu(rig, VA + 4096) == rig->host + 8192);
    g_assert_cmpuint(s->shadow_free->len, ==, 4096);
    g_mutex_lock(&s->lock);
    g_assert_cmpint(rm_translate_ops.shadow(s, 0x5000, page), ==, -ENOENT);
    g_assert_cmpint(rm_translate_ops.reserve(s, 40 * MIB, true, &va, &host),
                    ==, 0);
    g_assert_true(gpu(rig, va + 39 * MIB) == (uint8_t *)host + 39 * MIB);
    g_mutex_unlock(&s->lock);
    rig_free(rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rm/open", test_open);
    g_test_add_func("/rm/open/errors", test_open_errors);
    g_test_add_func("/rm/unwind", test_unwind);
    g_test_add_func("/rm/map", test_map);
    g_test_add_func("/rm/map/batch", test_map_batch);
    g_test_add_func("/rm/map/random", test_map_random);
    g_test_add_func("/rm/map/steer", test_steer);
    g_test_add_func("/rm/map/sparse", test_sparse);
    g_test_add_func("/rm/map/errors", test_map_errors);
    g_test_add_func("/rm/shadow", test_shadow);
    return g_test_run();
}
