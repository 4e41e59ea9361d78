/*
 * The model's core: address spaces, queues, faults, and that what is stopped,
 * revoked or ended writes no byte more (hw-vgsp/model/model.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model-rig.h"
#include "vgsp/nv/dev_fault.h"

/* ---- Objects ---- */

static void test_objects(void)
{
    uint32_t memory, space, ctx;
    Rig rig;

    rig_init(&rig, 1);
    g_assert_cmpint(vgsp_model_memory_add(rig.m, rig.mem, 4095, &memory), ==,
                    -EINVAL);
    g_assert_cmpint(vgsp_model_memory_add(rig.m, rig.mem, 0, &memory), ==,
                    -EINVAL);
    g_assert_cmpint(vgsp_model_memory_del(rig.m, 99), ==, -ENOENT);
    g_assert_cmpint(vgsp_model_space_del(rig.m, 99), ==, -ENOENT);
    g_assert_cmpint(vgsp_model_context_new(rig.m, 99, &ctx), ==, -ENOENT);
    g_assert_cmpint(vgsp_model_context_del(rig.m, 99), ==, -ENOENT);
    g_assert_cmpint(vgsp_model_context_kill(rig.m, 99, 0), ==, -ENOENT);
    g_assert_cmpint(vgsp_model_submit(rig.m, 99, NULL, 0, 1), ==, -ENOENT);
    g_assert_cmpint(vgsp_model_inject(rig.m, 99, 1, 0), ==, -ENOENT);
    g_assert_cmpint(vgsp_model_submit(rig.m, rig.ctx, NULL,
                                      VGSP_SECTION_WORDS_MAX + 1, 1), ==,
                    -EINVAL);

    g_assert_cmpint(vgsp_model_space_del(rig.m, rig.space), ==, -EBUSY);
    g_assert_cmpint(vgsp_model_space_new(rig.m, &space), ==, 0);
    g_assert_cmpuint(space, !=, rig.space);
    g_assert_cmpint(vgsp_model_space_del(rig.m, space), ==, 0);
    g_assert_cmpint(vgsp_model_space_del(rig.m, space), ==, -ENOENT);
    g_assert_cmpint(vgsp_model_context_del(rig.m, rig.ctx), ==, 0);
    g_assert_cmpint(vgsp_model_space_del(rig.m, rig.space), ==, 0);
    rig_exit(&rig);
}

/* Errors of the ABI; a bad operation leaves those before it undone. */
static void test_map_checks(void)
{
    struct vgsp_owner_map_op ops[2];
    struct vgsp_owner_fault fault;
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    ops[0] = (struct vgsp_owner_map_op) {
        .op = VGSP_OWNER_UNMAP, .va = RIG_VA, .size = RIG_SIZE,
    };
#define TRY(error, ...) do { \
        ops[1] = (struct vgsp_owner_map_op) { __VA_ARGS__ }; \
        g_assert_cmpint(vgsp_model_map(rig.m, rig.space, ops, 2), ==, error); \
    } while (0)
    TRY(-EINVAL, .op = 3, .size = 4096);
    TRY(-EINVAL, .op = VGSP_OWNER_UNMAP, .size = 0);
    TRY(-EINVAL, .op = VGSP_OWNER_UNMAP, .va = 1, .size = 4096);
    TRY(-EINVAL, .op = VGSP_OWNER_UNMAP, .size = 4097);
    TRY(-EOVERFLOW, .op = VGSP_OWNER_SPARSE, .va = UINT64_C(1) << 49,
        .size = 4096);
    TRY(-EOVERFLOW, .op = VGSP_OWNER_SPARSE, .va = 4096,
        .size = UINT64_C(1) << 49);
    TRY(-EOVERFLOW, .op = VGSP_OWNER_SPARSE, .va = -UINT64_C(4096),
        .size = 8192);
    TRY(-ENOENT, .memory = 99, .size = 4096);
    TRY(-EINVAL, .memory = rig.memory, .size = 4096, .flags = 8);
    TRY(-EINVAL, .memory = rig.memory, .size = 4096, .offset = 8);
    TRY(-EINVAL, .memory = rig.memory, .size = 4096, .kind = 7);
    TRY(-EOVERFLOW, .memory = rig.memory, .size = 4096, .offset = RIG_SIZE);
    TRY(-EOVERFLOW, .memory = rig.memory, .size = 8192,
        .offset = RIG_SIZE - 4096);
    TRY(-EOVERFLOW, .memory = rig.memory, .size = 4096,
        .offset = -UINT64_C(4096));
    g_assert_cmpint(vgsp_model_map(rig.m, 99, ops, 1), ==, -ENOENT);

    /* So the memory is still there ... */
    push_release(&p, RIG_DATA, 0x1111);
    rig_run(&rig, rig.ctx, &p, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 0x1111);
    /* ... until the first one is applied. */
    g_assert_cmpint(vgsp_model_map(rig.m, rig.space, ops, 1), ==, 0);
    fault = rig_run_fault(&rig, rig.ctx, &p, 2);
    g_assert_cmpint(fault.kind, ==, VGSP_OWNER_FAULT_MMU);
    rig_exit(&rig);
}

/* One release of @payload at @va; a fault ends the test. */
static void release_at(Rig *rig, uint64_t va, uint32_t payload, uint64_t seq)
{
    Push p = { .count = 0 };

    push_report(&p, VGSP_SUBC_COMPUTE, va, payload, REPORT_ONE_WORD);
    rig_run(rig, rig->ctx, &p, seq);
}

static struct vgsp_owner_fault fault_at(Rig *rig, uint64_t va)
{
    Push p = { .count = 0 };
    uint32_t ctx;

    g_assert_cmpint(vgsp_model_context_new(rig->m, rig->space, &ctx), ==, 0);
    push_report(&p, VGSP_SUBC_COMPUTE, va, 1, REPORT_ONE_WORD);
    return rig_run_fault(rig, ctx, &p, 1);
}

/* Large leaves, cut into pieces and put together again. */
static void test_map_shapes(void)
{
    const uint64_t va = UINT64_C(0x1234000000);
    Rig rig;

    rig_init(&rig, 1);
    /* Two megabytes of 4; one page in the middle leads elsewhere. */
    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP, va, RIG_SIZE, 0,
                            0), ==, 0);
    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP, va + 0x201000,
                            0x1000, 0x3000, 0), ==, 0);
    release_at(&rig, va + 0x201010, 0xa1, 1);
    release_at(&rig, va + 0x200010, 0xa2, 2);
    release_at(&rig, va + 0x202010, 0xa3, 3);
    release_at(&rig, va + 0x3ff010, 0xa4, 4);
    release_at(&rig, va + 0x1ff010, 0xa5, 5);
    g_assert_cmphex(rig_peek(&rig, 0x3010), ==, 0xa1);
    g_assert_cmphex(rig_peek(&rig, 0x200010), ==, 0xa2);
    g_assert_cmphex(rig_peek(&rig, 0x201010), ==, 0);
    g_assert_cmphex(rig_peek(&rig, 0x202010), ==, 0xa3);
    g_assert_cmphex(rig_peek(&rig, 0x3ff010), ==, 0xa4);
    g_assert_cmphex(rig_peek(&rig, 0x1ff010), ==, 0xa5);

    /* A page out of the first: its neighbours stay. */
    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_UNMAP, va + 0x5000,
                            0x1000, 0, 0), ==, 0);
    release_at(&rig, va + 0x4ffc, 0xb1, 6);
    release_at(&rig, va + 0x6000, 0xb2, 7);
    g_assert_cmphex(rig_peek(&rig, 0x4ffc), ==, 0xb1);
    g_assert_cmphex(rig_peek(&rig, 0x6000), ==, 0xb2);
    g_assert_cmphex(fault_at(&rig, va + 0x5ffc).address, ==, va + 0x5ffc);

    /* Sparse over everything: dropped, also a terabyte away. */
    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_SPARSE, 0,
                            UINT64_C(1) << 49, 0, 0), ==, 0);
    release_at(&rig, va + 0x6000, 0xc1, 8);
    release_at(&rig, UINT64_C(0xfffffff000), 0xc1, 9);
    g_assert_cmphex(rig_peek(&rig, 0x6000), ==, 0xb2);
    /* A page of memory within sparse. */
    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP,
                            UINT64_C(0x8000000000), 0x1000, 0x6000, 0), ==, 0);
    release_at(&rig, UINT64_C(0x8000000000), 0xc2, 10);
    release_at(&rig, UINT64_C(0x8000001000), 0xc3, 11);
    release_at(&rig, UINT64_C(0x7ffffff000), 0xc3, 12);
    g_assert_cmphex(rig_peek(&rig, 0x6000), ==, 0xc2);
    g_assert_cmphex(rig_peek(&rig, 0x7000), ==, 0);
    g_assert_cmphex(rig_peek(&rig, 0x5000), ==, 0);

    /* Unmap all, then the memory object itself. */
    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_UNMAP, 0,
                            UINT64_C(1) << 49, 0, 0), ==, 0);
    fault_at(&rig, UINT64_C(0x8000000000));
    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP, RIG_VA, RIG_SIZE,
                            0, 0), ==, 0);
    release_at(&rig, RIG_VA, 0xd1, 13);
    g_assert_cmphex(rig_peek(&rig, 0), ==, 0xd1);
    g_assert_cmpint(vgsp_model_memory_del(rig.m, rig.memory), ==, 0);
    fault_at(&rig, RIG_VA);
    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP, RIG_VA, 4096, 0,
                            0), ==, -ENOENT);
    rig_exit(&rig);
}

/* The same address, two spaces, different bytes. */
static void test_isolation(void)
{
    uint32_t space, ctx;
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 2);
    g_assert_cmpint(vgsp_model_space_new(rig.m, &space), ==, 0);
    g_assert_cmpint(rig_map(&rig, space, VGSP_OWNER_MAP, RIG_VA + RIG_DATA,
                            0x1000, 0x100000, 0), ==, 0);
    g_assert_cmpint(vgsp_model_context_new(rig.m, space, &ctx), ==, 0);
    for (uint64_t seq = 1; seq <= 50; seq++) {
        Push a = { .count = 0 }, b = { .count = 0 };

        push_release(&a, RIG_DATA, (uint32_t)seq);
        push_release(&b, RIG_DATA, 0x1000 + (uint32_t)seq);
        g_assert_cmpint(rig_submit(&rig, rig.ctx, &a, seq), ==, 0);
        g_assert_cmpint(rig_submit(&rig, ctx, &b, seq), ==, 0);
    }
    rig_wait(&rig, RIG_COMPLETED, rig.ctx, 50);
    rig_wait(&rig, RIG_COMPLETED, ctx, 50);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 50);
    g_assert_cmphex(rig_peek(&rig, 0x100000), ==, 0x1000 + 50);

    /* What the one maps does not exist for the other. */
    push_release(&p, RIG_DATA + 0x1000, 1);
    rig_run(&rig, rig.ctx, &p, 51);
    g_assert_cmphex(rig_run_fault(&rig, ctx, &p, 51).address, ==,
                    RIG_VA + RIG_DATA + 0x1000);
    rig_exit(&rig);
}

/* ---- Faults ---- */

static void assert_mmu_fault(const struct vgsp_owner_fault *f, uint32_t type,
                             uint32_t access, uint64_t va)
{
    g_assert_cmpint(f->kind, ==, VGSP_OWNER_FAULT_MMU);
    g_assert_cmphex(f->valid, ==, VGSP_OWNER_FAULT_HAS_ADDRESS |
                    VGSP_OWNER_FAULT_HAS_ACCESS | VGSP_OWNER_FAULT_HAS_TYPE |
                    VGSP_OWNER_FAULT_HAS_CLIENT | VGSP_OWNER_FAULT_HAS_METHOD);
    g_assert_cmphex(f->type, ==, type);
    g_assert_cmphex(f->access, ==, access);
    g_assert_cmphex(f->address, ==, va);
    g_assert_cmphex(f->client, ==, NV_PFAULT_CLIENT_HUB_FE);
    g_assert_cmpuint(f->client_is_hub, ==, 1);
    g_assert_cmphex(f->method, ==, 1 << 16 | 0x1b0c);
}

static void test_faults(void)
{
    const uint64_t va = UINT64_C(0x20000000);
    struct vgsp_owner_fault f;
    uint32_t ctx;
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    f = fault_at(&rig, va);
    assert_mmu_fault(&f, VGSP_GMMU_FAULT_PTE, VGSP_GMMU_ACCESS_WRITE, va);
    g_assert_cmphex(f.data, ==, REPORT_ONE_WORD);
    g_assert_cmpuint(f.seq, ==, 1);

    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP, va, 0x1000,
                            RIG_DATA, VGSP_OWNER_MAP_READ_ONLY), ==, 0);
    f = fault_at(&rig, va + 0xffc);
    assert_mmu_fault(&f, VGSP_GMMU_FAULT_RO_VIOLATION, VGSP_GMMU_ACCESS_WRITE,
                     va + 0xffc);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0xffc), ==, 0);

    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP, va, 0x1000,
                            RIG_DATA, VGSP_OWNER_MAP_PRIVILEGED), ==, 0);
    f = fault_at(&rig, va);
    assert_mmu_fault(&f, VGSP_GMMU_FAULT_PRIV_VIOLATION,
                     VGSP_GMMU_ACCESS_WRITE, va);

    /* A write is permitted, a reduction is not. */
    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP, va, 0x1000,
                            RIG_DATA, VGSP_OWNER_MAP_ATOMIC_DISABLE), ==, 0);
    release_at(&rig, va, 7, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 7);
    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &ctx), ==, 0);
    push_report(&p, VGSP_SUBC_COMPUTE, va, 1, REPORT_ONE_WORD | 1 << 3);
    f = rig_run_fault(&rig, ctx, &p, 1);
    assert_mmu_fault(&f, VGSP_GMMU_FAULT_ATOMIC_VIOLATION,
                     VGSP_GMMU_ACCESS_ATOMIC, va);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 7);
    rig_exit(&rig);
}

/* A context that faulted is dead; one fault, no completion after it. */
static void test_dead(void)
{
    Push good = { .count = 0 }, bad = { .count = 0 };
    uint32_t other;
    Rig rig;

    rig_init(&rig, 2);
    push_release(&good, RIG_DATA, 1);
    push(&bad, VGSP_SUBC_COMPUTE, 0x3fc, 0);
    vgsp_model_pause(rig.m);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &good, 1), ==, 0);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &bad, 2), ==, 0);
    good.count = 0;
    push_release(&good, RIG_DATA, 2);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &good, 3), ==, 0);
    vgsp_model_resume(rig.m);
    g_assert_cmpuint(rig_wait(&rig, RIG_FAULT, rig.ctx, 0).fault.seq, ==, 2);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &good, 4), ==, -EIO);
    g_assert_cmpint(vgsp_model_context_kill(rig.m, rig.ctx, 2), ==, -EIO);

    /* Others go on. */
    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &other), ==, 0);
    good.count = 0;
    push_release(&good, RIG_DATA + 4, 9);
    rig_run(&rig, other, &good, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 4), ==, 9);
    g_assert_cmpuint(rig_count(&rig, RIG_FAULT, rig.ctx), ==, 1);
    g_assert_cmpuint(rig_count(&rig, RIG_COMPLETED, rig.ctx), ==, 1);
    g_assert_cmpint(vgsp_model_context_del(rig.m, rig.ctx), ==, 0);
    rig_exit(&rig);
}

static void test_inject(void)
{
    Push p = { .count = 0 };
    RigEvent e;
    uint32_t ctx;
    Rig rig;

    rig_init(&rig, 1);
    push_release(&p, RIG_DATA, 1);
    g_assert_cmpint(vgsp_model_inject(rig.m, rig.ctx, 2,
                                      VGSP_OWNER_FAULT_EXCEPTION), ==, 0);
    rig_run(&rig, rig.ctx, &p, 1);
    rig_poke(&rig, RIG_DATA, 0);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &p, 2), ==, 0);
    e = rig_wait(&rig, RIG_FAULT, rig.ctx, 2);
    g_assert_cmpint(e.fault.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmphex(e.fault.valid, ==, VGSP_OWNER_FAULT_HAS_TYPE);
    g_assert_cmpint(e.fault.type, ==, VGSP_EXC_INJECTED);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 0);

    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &ctx), ==, 0);
    g_assert_cmpint(vgsp_model_inject(rig.m, ctx, 7, VGSP_OWNER_FAULT_LOST),
                    ==, 0);
    g_assert_cmpint(rig_submit(&rig, ctx, &p, 7), ==, 0);
    e = rig_wait(&rig, RIG_FAULT, ctx, 7);
    g_assert_cmpint(e.fault.kind, ==, VGSP_OWNER_FAULT_LOST);
    g_assert_cmphex(e.fault.valid, ==, 0);
    rig_exit(&rig);
}

/* ---- Order ---- */

/* Completions come in order, once, after the report of what was written. */
static void test_order(void)
{
    uint64_t seq = 0;
    bool wrote = false;
    Rig rig;

    rig_init(&rig, 4);
    for (uint64_t s = 1; s <= 200; s++) {
        Push p = { .count = 0 };

        push_release(&p, RIG_DATA + s * 0x1000, (uint32_t)s);
        g_assert_cmpint(rig_submit(&rig, rig.ctx, &p, s * 10), ==, 0);
    }
    rig_wait(&rig, RIG_COMPLETED, rig.ctx, 2000);
    for (guint i = 0; i < rig.events->len; i++) {
        const RigEvent *e = &g_array_index(rig.events, RigEvent, i);

        switch (e->what) {
        case RIG_WROTE:
            g_assert_cmpuint(e->id, ==, rig.memory);
            wrote |= e->a <= RIG_DATA + (seq + 1) * 0x1000 &&
                     e->a + e->b > RIG_DATA + (seq + 1) * 0x1000;
            break;
        case RIG_COMPLETED:
            g_assert_true(wrote);
            wrote = false;
            seq++;
            g_assert_cmpuint(e->a, ==, seq * 10);
            g_assert_cmphex(rig_peek(&rig, RIG_DATA + seq * 0x1000), ==, seq);
            break;
        default:
            g_assert_not_reached();
        }
    }
    g_assert_cmpuint(seq, ==, 200);
    rig_exit(&rig);
}

static void test_queue_bound(void)
{
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 1);
    push_release(&p, RIG_DATA, 1);
    vgsp_model_pause(rig.m);
    for (uint64_t seq = 1; seq <= 1024; seq++) {
        g_assert_cmpint(rig_submit(&rig, rig.ctx, &p, seq), ==, 0);
    }
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &p, 1025), ==, -EAGAIN);
    vgsp_model_resume(rig.m);
    rig_wait(&rig, RIG_COMPLETED, rig.ctx, 1024);
    rig_run(&rig, rig.ctx, &p, 1025);

    /* Sections of nothing, and of the largest size. */
    p.count = 0;
    rig_run(&rig, rig.ctx, &p, 1026);
    {
        uint32_t *words = g_new0(uint32_t, VGSP_SECTION_WORDS_MAX);

        vgsp_model_pause(rig.m);
        for (unsigned i = 0; i < 64; i++) {
            g_assert_cmpint(vgsp_model_submit(rig.m, rig.ctx, words,
                                              VGSP_SECTION_WORDS_MAX,
                                              1027 + i), ==, 0);
        }
        g_assert_cmpint(vgsp_model_submit(rig.m, rig.ctx, words, 1, 1100), ==,
                        -EAGAIN);
        vgsp_model_resume(rig.m);
        rig_wait(&rig, RIG_COMPLETED, rig.ctx, 1027 + 63);
        g_free(words);
    }
    rig_exit(&rig);
}

/* What all contexts may have queued is bounded, and each has its part. */
static void test_queue_bound_all(void)
{
    const uint64_t most = 16 << 20;     /* words */
    uint32_t *words = g_new0(uint32_t, VGSP_SECTION_WORDS_MAX);
    unsigned before = 0, total = 0;
    uint32_t ctx[8];
    uint64_t last[8];
    Rig rig;

    rig_init(&rig, 2);
    vgsp_model_pause(rig.m);
    for (unsigned i = 0; i < 8; i++) {
        int ret;

        g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &ctx[i]), ==,
                        0);
        for (last[i] = 0;; last[i]++) {
            ret = vgsp_model_submit(rig.m, ctx[i], words,
                                    VGSP_SECTION_WORDS_MAX, last[i] + 1);
            if (ret) {
                break;
            }
        }
        g_assert_cmpint(ret, ==, -EAGAIN);
        g_assert_cmpuint(last[i], >=, 1);
        g_assert_true(i < 3 || last[i] < before || last[i] == 1);
        before = last[i];
        total += last[i];
    }
    g_assert_cmpuint(total, <=, most / VGSP_SECTION_WORDS_MAX + 8);
    /* One that goes leaves its part to the others. */
    g_assert_cmpint(vgsp_model_context_del(rig.m, ctx[0]), ==, 0);
    g_assert_cmpint(vgsp_model_submit(rig.m, ctx[7], words,
                                      VGSP_SECTION_WORDS_MAX, ++last[7]), ==,
                    0);
    vgsp_model_resume(rig.m);
    for (unsigned i = 1; i < 8; i++) {
        rig_wait(&rig, RIG_COMPLETED, ctx[i], last[i]);
    }
    /* And so does what has run. */
    vgsp_model_pause(rig.m);
    for (unsigned i = 0; i < 64; i++) {
        g_assert_cmpint(vgsp_model_submit(rig.m, ctx[1], words,
                                          VGSP_SECTION_WORDS_MAX,
                                          last[1] + 1 + i), ==, 0);
    }
    vgsp_model_resume(rig.m);
    g_free(words);
    rig_exit(&rig);
}

static void test_pause(void)
{
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 2);
    push_release(&p, RIG_DATA, 1);
    vgsp_model_pause(rig.m);
    vgsp_model_pause(rig.m);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &p, 1), ==, 0);
    vgsp_model_resume(rig.m);
    g_usleep(20000);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 0);
    g_assert_cmpuint(rig_count(&rig, RIG_COMPLETED, rig.ctx), ==, 0);
    vgsp_model_resume(rig.m);
    rig_wait(&rig, RIG_COMPLETED, rig.ctx, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, 1);
    rig_exit(&rig);
}

/* ---- With a grid that never ends ---- */

/* Starts one that counts at offset. */
static void start_endless(Rig *rig, uint32_t ctx, unsigned n, uint64_t offset)
{
    Push p = { .count = 0 };

    rig_code_endless(rig, RIG_CODE + n * 0x100, RIG_VA + offset);
    rig_launch(rig, &p, RIG_QMD + n * 0x100, RIG_CODE + n * 0x100);
    g_assert_cmpint(rig_submit(rig, ctx, &p, 1), ==, 0);
    rig_wait_above(rig, offset, 0);
}

static void assert_still(Rig *rig, uint64_t offset)
{
    uint32_t now = rig_peek(rig, offset);

    g_usleep(30000);
    g_assert_cmphex(rig_peek(rig, offset), ==, now);
}

static void test_grid_pause(void)
{
    uint32_t now;
    Rig rig;

    rig_init(&rig, 2);
    start_endless(&rig, rig.ctx, 0, RIG_DATA);
    vgsp_model_pause(rig.m);
    assert_still(&rig, RIG_DATA);
    now = rig_peek(&rig, RIG_DATA);
    vgsp_model_resume(rig.m);
    rig_wait_above(&rig, RIG_DATA, now);
    rig_exit(&rig);
}

/* The memory under it is exchanged: nothing reaches the old one. */
static void test_grid_map(void)
{
    Rig rig;

    rig_init(&rig, 2);
    start_endless(&rig, rig.ctx, 0, RIG_DATA);
    for (unsigned i = 0; i < 20; i++) {
        uint64_t old = i % 2 ? 0x200000 : RIG_DATA;
        uint64_t new = i % 2 ? RIG_DATA : 0x200000;

        g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP,
                                RIG_VA + RIG_DATA, 0x1000, new, 0), ==, 0);
        rig_poke(&rig, old, 0);
        rig_wait_above(&rig, new, rig_peek(&rig, new));
        g_assert_cmphex(rig_peek(&rig, old), ==, 0);
    }
    /* And unmapped: an MMU fault of the SM. */
    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_UNMAP,
                            RIG_VA + RIG_DATA, 0x1000, 0, 0), ==, 0);
    {
        struct vgsp_owner_fault f = rig_wait(&rig, RIG_FAULT, rig.ctx, 0).fault;

        g_assert_cmpint(f.kind, ==, VGSP_OWNER_FAULT_MMU);
        g_assert_cmphex(f.type, ==, VGSP_GMMU_FAULT_PTE);
        g_assert_cmphex(f.access, ==, VGSP_GMMU_ACCESS_WRITE);
        g_assert_cmphex(f.address, ==, RIG_VA + RIG_DATA);
        g_assert_cmpuint(f.client_is_hub, ==, 0);
        g_assert_true(f.valid & VGSP_OWNER_FAULT_HAS_PC);
        g_assert_cmphex(f.pc, ==, RIG_VA + RIG_CODE + 0x40);
        g_assert_cmphex(f.method, ==, 1 << 16 | 0x02bc);
    }
    rig_exit(&rig);
}

static void test_grid_revoke(void)
{
    uint32_t id;
    Rig rig;

    rig_init(&rig, 2);
    start_endless(&rig, rig.ctx, 0, RIG_DATA);
    vgsp_model_revoke(rig.m);
    assert_still(&rig, RIG_DATA);
    g_assert_cmpuint(rig_count(&rig, RIG_COMPLETED, rig.ctx), ==, 0);
    g_assert_cmpuint(rig_count(&rig, RIG_FAULT, rig.ctx), ==, 0);
    g_assert_cmpint(vgsp_model_context_del(rig.m, rig.ctx), ==, -ENOENT);
    /* Ids start again, and everything works again. */
    g_assert_cmpint(vgsp_model_memory_add(rig.m, rig.mem, RIG_SIZE, &id), ==,
                    0);
    g_assert_cmpuint(id, ==, rig.memory);
    g_assert_cmpint(vgsp_model_space_new(rig.m, &id), ==, 0);
    g_assert_cmpuint(id, ==, rig.space);
    g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP, RIG_VA, RIG_SIZE,
                            0, 0), ==, 0);
    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &id), ==, 0);
    g_assert_cmpuint(id, ==, rig.ctx);
    start_endless(&rig, rig.ctx, 0, RIG_DATA + 0x1000);
    rig_exit(&rig);
    /* And free ends what runs. */
}

static void test_grid_kill(void)
{
    Push p = { .count = 0 };
    struct vgsp_owner_fault f;
    uint32_t other;
    Rig rig;

    rig_init(&rig, 2);
    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &other), ==, 0);
    start_endless(&rig, rig.ctx, 0, RIG_DATA);
    push_release(&p, RIG_DATA + 0x1000, 1);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &p, 2), ==, 0);
    g_assert_cmpint(vgsp_model_context_kill(rig.m, rig.ctx,
                                            VGSP_OWNER_FAULT_TIMEOUT), ==, 0);
    f = rig_wait(&rig, RIG_FAULT, rig.ctx, 0).fault;
    assert_still(&rig, RIG_DATA);
    g_assert_cmpint(f.kind, ==, VGSP_OWNER_FAULT_TIMEOUT);
    g_assert_cmphex(f.valid, ==, 0);
    g_assert_cmpuint(f.seq, ==, 1);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &p, 3), ==, -EIO);
    p.count = 0;
    push_release(&p, RIG_DATA + 0x2000, 2);
    rig_run(&rig, other, &p, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x1000), ==, 0);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA + 0x2000), ==, 2);
    g_assert_cmpuint(rig_count(&rig, RIG_COMPLETED, rig.ctx), ==, 0);

    /* An idle one can be ended too. */
    g_assert_cmpint(vgsp_model_context_kill(rig.m, other,
                                            VGSP_OWNER_FAULT_LOST), ==, 0);
    f = rig_wait(&rig, RIG_FAULT, other, 0).fault;
    g_assert_cmpint(f.kind, ==, VGSP_OWNER_FAULT_LOST);
    rig_exit(&rig);
}

static void test_grid_del(void)
{
    Rig rig;

    rig_init(&rig, 2);
    start_endless(&rig, rig.ctx, 0, RIG_DATA);
    g_assert_cmpint(vgsp_model_context_del(rig.m, rig.ctx), ==, 0);
    assert_still(&rig, RIG_DATA);
    g_assert_cmpint(vgsp_model_space_del(rig.m, rig.space), ==, 0);
    g_assert_cmpuint(rig_count(&rig, RIG_FAULT, rig.ctx), ==, 0);
    rig_exit(&rig);
}

/* All workers on one grid: every thread of every CTA counts once. */
static void test_grid_parallel(void)
{
    const uint64_t va = RIG_VA + RIG_DATA;
    const RigInsn code[] = {
        MOV_IMM(2, va), MOV_IMM(3, va >> 32), MOV_IMM(0, 1), RED_ADD(2, 0),
        EXIT_INSN,
    };
    const RigInsn endless[] = {
        MOV_IMM(2, va), MOV_IMM(3, va >> 32), MOV_IMM(0, 1), RED_ADD(2, 0),
        BRA_BACK(0x20), EXIT_INSN,
    };
    uint32_t qmd[64];
    Push p = { .count = 0 };
    Rig rig;

    rig_init(&rig, 4);
    rig_code(&rig, RIG_CODE, code, G_N_ELEMENTS(code));
    qmd_init(qmd, RIG_VA + RIG_CODE);
    qmd_set(qmd, 415, 384, 50);
    qmd_set(qmd, 431, 416, 3);
    qmd_set(qmd, 463, 448, 2);
    qmd_set(qmd, 607, 592, 40);
    rig_qmd(&rig, RIG_QMD, qmd);
    push_launch(&p, RIG_VA + RIG_QMD);
    push_report(&p, VGSP_SUBC_COMPUTE, va, 1u << 31, REPORT_ONE_WORD | 1 << 3);
    rig_run(&rig, rig.ctx, &p, 1);
    g_assert_cmphex(rig_peek(&rig, RIG_DATA), ==, (1u << 31) + 50 * 3 * 2 * 40);

    /* Stopped, and its memory exchanged, while all of them work. */
    rig_code(&rig, RIG_CODE, endless, G_N_ELEMENTS(endless));
    rig_poke(&rig, RIG_DATA, 0);
    p.count = 0;
    push_launch(&p, RIG_VA + RIG_QMD);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, &p, 2), ==, 0);
    rig_wait_above(&rig, RIG_DATA, 0);
    for (unsigned i = 0; i < 10; i++) {
        uint64_t old = i % 2 ? 0x200000 : RIG_DATA;
        uint64_t new = i % 2 ? RIG_DATA : 0x200000;

        vgsp_model_pause(rig.m);
        assert_still(&rig, old);
        vgsp_model_resume(rig.m);
        g_assert_cmpint(rig_map(&rig, rig.space, VGSP_OWNER_MAP, va, 0x1000,
                                new, 0), ==, 0);
        rig_poke(&rig, old, 0);
        rig_wait_above(&rig, new, rig_peek(&rig, new));
        g_assert_cmphex(rig_peek(&rig, old), ==, 0);
    }
    vgsp_model_revoke(rig.m);
    assert_still(&rig, RIG_DATA);
    rig_exit(&rig);
}

/* Two endless grids and a queue of releases share one worker. */
static void test_fair(void)
{
    uint32_t b, c, a0, b0, a1, b1;
    Rig rig;

    rig_init(&rig, 1);
    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &b), ==, 0);
    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &c), ==, 0);
    start_endless(&rig, rig.ctx, 0, RIG_DATA);
    start_endless(&rig, b, 1, RIG_DATA + 0x1000);
    a0 = rig_peek(&rig, RIG_DATA);
    b0 = rig_peek(&rig, RIG_DATA + 0x1000);
    for (uint64_t seq = 1; seq <= 100; seq++) {
        Push p = { .count = 0 };

        push_release(&p, RIG_DATA + 0x2000, (uint32_t)seq);
        rig_run(&rig, c, &p, seq);
    }
    a1 = rig_peek(&rig, RIG_DATA);
    b1 = rig_peek(&rig, RIG_DATA + 0x1000);
    g_assert_cmpuint(a1, >, a0);
    g_assert_cmpuint(b1, >, b0);
    /* 100 turns each, give or take the one that ran when we looked. */
    g_assert_cmpuint(a1 - a0, <, (b1 - b0) * 3 / 2);
    g_assert_cmpuint(b1 - b0, <, (a1 - a0) * 3 / 2);
    rig_exit(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/model/objects", test_objects);
    g_test_add_func("/model/map/checks", test_map_checks);
    g_test_add_func("/model/map/shapes", test_map_shapes);
    g_test_add_func("/model/map/isolation", test_isolation);
    g_test_add_func("/model/faults", test_faults);
    g_test_add_func("/model/dead", test_dead);
    g_test_add_func("/model/inject", test_inject);
    g_test_add_func("/model/order", test_order);
    g_test_add_func("/model/queue-bound", test_queue_bound);
    g_test_add_func("/model/queue-bound-all",
                    test_queue_bound_all);
    g_test_add_func("/model/pause", test_pause);
    g_test_add_func("/model/grid/pause", test_grid_pause);
    g_test_add_func("/model/grid/map", test_grid_map);
    g_test_add_func("/model/grid/revoke", test_grid_revoke);
    g_test_add_func("/model/grid/kill", test_grid_kill);
    g_test_add_func("/model/grid/del", test_grid_del);
    g_test_add_func("/model/grid/parallel", test_grid_parallel);
    g_test_add_func("/model/fair", test_fair);
    return g_test_run();
}
