/*
 * The executor over NVIDIA's driver, over a driver that is not there
 * (fake-rm.h): what it asks for in which release, that each refusal unwinds,
 * and what becomes of mappings, sections and faults.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <sys/mman.h>

#include "fake-rm.h"
#include "vgsp/nv/dev_mmu.h"

#define MIB         (1ull << 20)
#define TU10X       0x160
#define MEMORY      (80 * MIB)
#define VA          0x200000000ull

typedef struct Rig {
    FakeRm *fake;
    VgspRm *rm;
    uint8_t *host;
    uint32_t memory, space, context;
    GMutex lock;
    GCond cond;
    uint64_t completed;         /* of context */
    unsigned completions, faults, interrupts;
    struct vgsp_owner_fault fault;
    char line[256];
} Rig;

static void on_completed(void *opaque, uint32_t context, uint64_t seq)
{
    Rig *rig = opaque;

    g_mutex_lock(&rig->lock);
    if (context == rig->context) {
        g_assert_cmpuint(seq, >, rig->completed);
        rig->completed = seq;
    }
    rig->completions++;
    g_cond_broadcast(&rig->cond);
    g_mutex_unlock(&rig->lock);
}

static void on_fault(void *opaque, const struct vgsp_owner_fault *fault)
{
    Rig *rig = opaque;

    g_mutex_lock(&rig->lock);
    rig->fault = *fault;
    rig->faults++;
    g_cond_broadcast(&rig->cond);
    g_mutex_unlock(&rig->lock);
}

static void on_interrupt(void *opaque, uint32_t context)
{
    (void)context;
    ((Rig *)opaque)->interrupts++;
}

static void on_log(void *opaque, const char *line)
{
    Rig *rig = opaque;

    g_strlcpy(rig->line, line, sizeof(rig->line));
}

static const VgspRmOps rig_ops = {
    .completed = on_completed,
    .fault = on_fault,
    .interrupt = on_interrupt,
    .log = on_log,
};

static Rig *rig_new(const char *version, uint32_t architecture)
{
    Rig *rig = g_new0(Rig, 1);

    g_mutex_init(&rig->lock);
    g_cond_init(&rig->cond);
    rig->fake = fake_new(version, architecture);
    rig->host = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    g_assert_true(rig->host != MAP_FAILED);
    return rig;
}

static char *rig_open(Rig *rig)
{
    VgspRmConfig config = {
        .path = "/dev/nvidia0", .ops = &rig_ops, .opaque = rig,
    };
    char *error = NULL;

    rig->rm = vgsp_rm_open_os(&config, &fake_os, rig->fake, &error);
    g_assert_true(!rig->rm == !!error);
    return error;
}

static void rig_free(Rig *rig)
{
    vgsp_rm_close(rig->rm);
    fake_free(rig->fake);
    munmap(rig->host, MEMORY);
    g_mutex_clear(&rig->lock);
    g_cond_clear(&rig->cond);
    g_free(rig);
}

static int rig_setup(Rig *rig)
{
    const struct vgsp_owner_map_op op = {
        .va = VA, .size = 4 * MIB, .memory = 0,
    };
    struct vgsp_owner_map_op map = op;
    int ret = vgsp_rm_memory_add(rig->rm, rig->host, MEMORY, &rig->memory);

    map.memory = rig->memory;
    if (ret == 0) {
        ret = vgsp_rm_space_new(rig->rm, &rig->space);
    }
    if (ret == 0) {
        ret = vgsp_rm_map(rig->rm, rig->space, &map, 1);
    }
    if (ret == 0) {
        ret = vgsp_rm_context_new(rig->rm, rig->space, 1000, &rig->context);
    }
    return ret;
}

/* A rig that works, with a space and a context. */
static Rig *rig_ready(const char *version)
{
    Rig *rig = rig_new(version, TU10X);

    g_assert_null(rig_open(rig));
    g_assert_cmpint(rig_setup(rig), ==, 0);
    return rig;
}

static void wait_for(Rig *rig, const uint64_t *what, uint64_t value)
{
    int64_t end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;

    g_mutex_lock(&rig->lock);
    while (*what < value) {
        g_assert_true(g_cond_wait_until(&rig->cond, &rig->lock, end));
    }
    g_mutex_unlock(&rig->lock);
}

static void wait_fault(Rig *rig, unsigned faults)
{
    int64_t end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;

    g_mutex_lock(&rig->lock);
    while (rig->faults < faults) {
        g_assert_true(g_cond_wait_until(&rig->cond, &rig->lock, end));
    }
    g_mutex_unlock(&rig->lock);
}

/* NO_OPERATION of subchannel 0. */
static int submit(Rig *rig, uint32_t context, uint32_t datum, uint64_t seq)
{
    const uint32_t words[] = { 0x20010000 | 0x100 / 4, datum };

    return vgsp_rm_submit(rig->rm, context, words, 2, seq);
}

static unsigned mapped(Rig *rig, uint64_t va, FakeMapping *m)
{
    unsigned n = 0;

    g_mutex_lock(&rig->fake->lock);
    for (guint i = 0; i < rig->fake->mappings->len; i++) {
        FakeMapping *x = &g_array_index(rig->fake->mappings, FakeMapping, i);

        if (va >= x->va && va < x->va + x->size) {
            *m = *x;
            n++;
        }
    }
    g_mutex_unlock(&rig->fake->lock);
    return n;
}

/* What the GPU sees at va; NULL: nothing. */
static uint8_t *gpu(Rig *rig, uint64_t va)
{
    RmSpace *s = g_hash_table_lookup(rig->rm->spaces,
                                     GUINT_TO_POINTER(rig->space));
    uint8_t *at;

    g_mutex_lock(&rig->fake->lock);
    at = fake_va(rig->fake, s->vaspace, va);
    g_mutex_unlock(&rig->fake->lock);
    return at;
}

static bool sparse_at(Rig *rig, uint64_t va)
{
    GHashTableIter iter;
    gpointer object;
    bool found = false;

    g_mutex_lock(&rig->fake->lock);
    g_hash_table_iter_init(&iter, rig->fake->objects);
    while (g_hash_table_iter_next(&iter, NULL, &object)) {
        FakeObject *o = object;

        found |= o->cls == NV50_MEMORY_VIRTUAL && va >= o->va &&
                 va < o->va + o->size;
    }
    g_mutex_unlock(&rig->fake->lock);
    return found;
}

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
    FakeMapping m;

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

/* ---- Sections ---- */

static void test_sections(void)
{
    Rig *rig = rig_ready("580.159.04");
    unsigned again = 0;
    uint64_t seq = 0;

    while (seq < 5000) {
        int ret = submit(rig, rig->context, (uint32_t)seq, seq + 1);

        if (ret == -EAGAIN) {
            again++;
            g_usleep(100);
            continue;
        }
        g_assert_cmpint(ret, ==, 0);
        seq++;
    }
    wait_for(rig, &rig->completed, 5000);
    g_assert_cmpuint(rig->fake->seen->len, ==, 5000);
    for (unsigned i = 0; i < 5000; i++) {
        g_assert_cmpuint(g_array_index(rig->fake->seen, uint32_t, i), ==, i);
    }
    rig_free(rig);
}

/* The push buffer wraps: sections of any length, also the longest. */
static void test_sections_long(void)
{
    Rig *rig = rig_ready("580.159.04");
    uint32_t *words = g_new0(uint32_t, VGSP_SECTION_WORDS_MAX);
    uint64_t sum = 0, seen = 0;

    for (uint64_t seq = 1; seq <= 200; seq++) {
        uint32_t n = (uint32_t)(seq * 7919 % (VGSP_SECTION_WORDS_MAX / 2)) + 1;
        int ret;

        n = seq % 50 ? n : VGSP_SECTION_WORDS_MAX / 2;
        for (uint32_t i = 0; i < n; i++) {
            words[2 * i] = 0x20010000 | 0x100 / 4;
            words[2 * i + 1] = (uint32_t)(seq << 16) ^ i;
            sum += words[2 * i + 1];
        }
        while ((ret = vgsp_rm_submit(rig->rm, rig->context, words, 2 * n,
                                     seq)) == -EAGAIN) {
            g_usleep(100);
        }
        g_assert_cmpint(ret, ==, 0);
    }
    wait_for(rig, &rig->completed, 200);
    for (guint i = 0; i < rig->fake->seen->len; i++) {
        seen += g_array_index(rig->fake->seen, uint32_t, i);
    }
    g_assert_cmpuint(seen, ==, sum);
    g_free(words);
    rig_free(rig);
}

static void test_interrupt(void)
{
    Rig *rig = rig_ready("580.159.04");
    /* A report without and with AWAKEN, by 3D. */
    uint32_t words[] = { 0x20010000 | 0x1b0c / 4, 1u << 28 };

    g_assert_cmpint(vgsp_rm_submit(rig->rm, rig->context, words, 2, 1), ==, 0);
    wait_for(rig, &rig->completed, 1);
    words[1] |= 1u << 20;
    g_assert_cmpint(vgsp_rm_submit(rig->rm, rig->context, words, 2, 2), ==, 0);
    wait_for(rig, &rig->completed, 2);
    vgsp_rm_pause(rig->rm);
    g_assert_cmpuint(rig->interrupts, ==, 1);
    vgsp_rm_unpause(rig->rm);
    rig_free(rig);
}

static void test_pause(void)
{
    Rig *rig = rig_ready("580.159.04");

    vgsp_rm_pause(rig->rm);
    vgsp_rm_pause(rig->rm);
    for (unsigned i = 1; i <= 10; i++) {
        g_assert_cmpint(submit(rig, rig->context, i, i), ==, 0);
    }
    vgsp_rm_unpause(rig->rm);
    g_usleep(5000);
    g_assert_cmpuint(rig->completions, ==, 0);
    vgsp_rm_unpause(rig->rm);
    wait_for(rig, &rig->completed, 10);
    rig_free(rig);
}

/* ---- Ends ---- */

static void test_fault(void)
{
    Rig *rig = rig_ready("580.159.04");
    uint32_t other;

    g_assert_cmpint(vgsp_rm_context_new(rig->rm, rig->space, 0, &other), ==,
                    0);
    g_assert_cmpint(submit(rig, rig->context, 1, 10), ==, 0);
    g_assert_cmpint(submit(rig, rig->context, FAKE_FAULT, 11), ==, 0);
    g_assert_cmpint(submit(rig, rig->context, 2, 12), ==, 0);
    wait_fault(rig, 1);
    g_assert_cmpuint(rig->completed, ==, 10);
    g_assert_cmpuint(rig->fault.context, ==, rig->context);
    g_assert_cmpuint(rig->fault.kind, ==, VGSP_OWNER_FAULT_MMU);
    g_assert_cmpuint(rig->fault.seq, ==, 11);
    g_assert_cmpuint(rig->fault.valid, ==, VGSP_OWNER_FAULT_HAS_ADDRESS |
                     VGSP_OWNER_FAULT_HAS_TYPE);
    g_assert_cmpuint(rig->fault.address, ==, FAKE_FAULT_VA);
    g_assert_cmpuint(rig->fault.type, ==, 2);
    g_assert_nonnull(strstr(rig->line, "0x123456000"));
    g_assert_cmpint(submit(rig, rig->context, 1, 13), ==, -EIO);
    /* The other one goes on, and dies of something else. */
    g_assert_cmpint(submit(rig, other, 3, 1), ==, 0);
    g_assert_cmpint(submit(rig, other, FAKE_EXCEPTION, 2), ==, 0);
    wait_fault(rig, 2);
    g_assert_cmpuint(rig->completions, ==, 2);
    g_assert_cmpuint(rig->fault.context, ==, other);
    g_assert_cmpuint(rig->fault.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmpuint(rig->fault.type, ==, 13);
    g_assert_cmpint(vgsp_rm_context_del(rig->rm, other), ==, 0);
    g_assert_cmpint(vgsp_rm_context_del(rig->rm, other), ==, -ENOENT);
    rig_free(rig);
}

/* A method that the policy refuses ends the context behind what came first. */
static void test_policy(void)
{
    Rig *rig = rig_ready("580.159.04");
    const uint32_t words[] = { 0x20010000 | 0x44 / 4, 0x77 };

    g_assert_cmpint(submit(rig, rig->context, 1, 1), ==, 0);
    g_assert_cmpint(vgsp_rm_submit(rig->rm, rig->context, words, 2, 2), ==,
                    0);
    wait_fault(rig, 1);
    g_assert_cmpuint(rig->completed, ==, 1);
    g_assert_cmpuint(rig->fault.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmpuint(rig->fault.seq, ==, 2);
    g_assert_cmpuint(rig->fake->seen->len, ==, 1);
    rig_free(rig);
}

static void test_kill(void)
{
    Rig *rig = rig_ready("580.159.04");

    g_assert_cmpint(submit(rig, rig->context, FAKE_HANG, 7), ==, 0);
    g_assert_cmpint(submit(rig, rig->context, 1, 8), ==, 0);
    g_assert_cmpint(vgsp_rm_context_kill(rig->rm, rig->context,
                                         VGSP_OWNER_FAULT_TIMEOUT), ==, 0);
    wait_fault(rig, 1);
    g_assert_cmpuint(rig->fault.kind, ==, VGSP_OWNER_FAULT_TIMEOUT);
    g_assert_cmpuint(rig->fault.seq, ==, 7);
    g_assert_cmpint(submit(rig, rig->context, 1, 9), ==, -EIO);
    g_assert_cmpint(vgsp_rm_context_kill(rig->rm, rig->context,
                                         VGSP_OWNER_FAULT_TIMEOUT), ==, 0);
    g_usleep(2000);
    g_assert_cmpuint(rig->faults, ==, 1);
    g_assert_cmpuint(rig->completions, ==, 0);
    rig_free(rig);
}

/* Everything goes while work is queued; then it starts again. */
static void test_teardown(void)
{
    Rig *rig = rig_ready("580.159.04");

    for (unsigned i = 1; i <= 100; i++) {
        g_assert_cmpint(submit(rig, rig->context, i == 50 ? FAKE_HANG : i, i),
                        ==, 0);
    }
    vgsp_rm_revoke(rig->rm);
    g_assert_cmpint(submit(rig, rig->context, 1, 1), ==, -ENOENT);
    rig->completed = 0;
    g_assert_cmpint(rig_setup(rig), ==, 0);
    g_assert_cmpint(submit(rig, rig->context, 1, 3), ==, 0);
    wait_for(rig, &rig->completed, 3);
    g_assert_cmpuint(rig->faults, ==, 0);
    rig_free(rig);
}

/* A mapping that is replaced waits for what runs. */
static gpointer let_go(gpointer fake)
{
    g_usleep(20000);
    g_mutex_lock(&((FakeRm *)fake)->lock);
    ((FakeRm *)fake)->go = true;
    g_mutex_unlock(&((FakeRm *)fake)->lock);
    return NULL;
}

static void test_quiesce(void)
{
    Rig *rig = rig_ready("580.159.04");
    struct vgsp_owner_map_op op = {
        .va = VA, .size = 4096, .memory = rig->memory, .offset = 8192,
    };
    GThread *t;

    g_assert_cmpint(submit(rig, rig->context, FAKE_HANG, 1), ==, 0);
    t = g_thread_new("let-go", let_go, rig->fake);
    g_assert_cmpint(vgsp_rm_map(rig->rm, rig->space, &op, 1), ==, 0);
    g_assert_true(rig->fake->go);
    g_assert_cmpuint(rig->fake->seen->len, ==, 1);
    g_thread_join(t);
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
    g_test_add_func("/rm/map/quiesce", test_quiesce);
    g_test_add_func("/rm/shadow", test_shadow);
    g_test_add_func("/rm/sections", test_sections);
    g_test_add_func("/rm/sections/long", test_sections_long);
    g_test_add_func("/rm/interrupt", test_interrupt);
    g_test_add_func("/rm/pause", test_pause);
    g_test_add_func("/rm/fault", test_fault);
    g_test_add_func("/rm/policy", test_policy);
    g_test_add_func("/rm/kill", test_kill);
    g_test_add_func("/rm/teardown", test_teardown);
    return g_test_run();
}
