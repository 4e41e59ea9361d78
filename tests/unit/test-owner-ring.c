/*
 * What the kernel's owner makes of a submission ring (gpu-owner-kmod/ring.c):
 * counters that wrap, entries field by field, quotas.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>

#include "../../gpu-owner-kmod/ring.c"

void *vgsp_pure_zalloc(size_t n, size_t size)
{
    return calloc(n, size);
}

static void test_pending(void)
{
    g_assert_cmpint(vgsp_ring_pending(0, 0, 0), ==, 0);
    g_assert_cmpint(vgsp_ring_pending(0, 1024, 0), ==, 1024);
    g_assert_cmpint(vgsp_ring_pending(0, 1025, 0), ==, -EINVAL);
    g_assert_cmpint(vgsp_ring_pending(7, 6, 0), ==, -EINVAL);
    g_assert_cmpint(vgsp_ring_pending(0xfffffffe, 3, 0), ==, 5);
    g_assert_cmpint(vgsp_ring_pending(0xfffffffe, 3, 2), ==, 2);
    g_assert_cmpint(vgsp_ring_pending(5, 6, 2), ==, 1);

    g_assert_cmpuint(vgsp_ring_offset(0), ==, 4096);
    g_assert_cmpuint(vgsp_ring_offset(1), ==, 4096 + 64);
    g_assert_cmpuint(vgsp_ring_offset(1024), ==, 4096);
    g_assert_cmpuint(vgsp_ring_offset(0xffffffff) + 64, ==, VGSP_RING_BYTES);
}

/* A good one, and what is wrong with it. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define GOOD .context = 1, .words = 0x1000, .count = 4, .seq = 8

static void test_entry(void)
{
    static const struct {
        struct vgsp_owner_submit_entry e;
        int ret;
    } cases[] = {
        { { GOOD }, 0 },
        { { GOOD, .count = 0, .words = 0 }, 0 },
        { { GOOD, .count = 65536 }, 0 },
        { { GOOD, .wait_context = 2, .wait_seq = 1 }, 0 },
        { { GOOD, .result = 77 }, 0 }, /* the owner's field */
        { { GOOD, .flags = 1 }, -EOPNOTSUPP },
        { { GOOD, .reserved = 1 }, -EINVAL },
        { { GOOD, .reserved2 = { 1, 0 } }, -EINVAL },
        { { GOOD, .reserved2 = { 0, 1 } }, -EINVAL },
        { { GOOD, .words = 0x1002 }, -EINVAL },
        { { GOOD, .words = 0 }, -EINVAL },
        { { GOOD, .count = 65537 }, -EINVAL },
        { { GOOD, .count = UINT32_MAX }, -EINVAL },
        { { GOOD, .words = -12ULL }, -EOVERFLOW },
        { { GOOD, .wait_context = 2 }, -EINVAL },
        { { GOOD, .wait_seq = 2 }, -EINVAL },
        { { GOOD, .wait_context = 1, .wait_seq = 1 }, -EINVAL },
        { { GOOD, .seq = 7 }, -ERANGE },
        { { GOOD, .seq = 0 }, -ERANGE },
        { { GOOD, .seq = UINT64_MAX }, 0 },
    };

    for (unsigned int i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_test_message("case %u", i);
        g_assert_cmpint(vgsp_ring_entry_check(&cases[i].e, 7), ==,
                        cases[i].ret);
    }
}

static void test_quota(void)
{
    struct vgsp_quota q = { .limit = 10 };

    g_assert_true(vgsp_quota_take(&q, 4));
    g_assert_false(vgsp_quota_take(&q, 7));
    g_assert_false(vgsp_quota_take(&q, UINT64_MAX));
    g_assert_true(vgsp_quota_take(&q, 6));
    g_assert_false(vgsp_quota_take(&q, 1));
    g_assert_true(vgsp_quota_take(&q, 0));
    vgsp_quota_give(&q, 10);
    g_assert_cmpuint(q.used, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/owner/ring/pending", test_pending);
    g_test_add_func("/owner/ring/entry", test_entry);
    g_test_add_func("/owner/ring/quota", test_quota);
    return g_test_run();
}
