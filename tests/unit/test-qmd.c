/*
 * Launch descriptors: every field that a launch uses, at the bits that
 * exec-facts 6.3 gives, and each check of SKED.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include <string.h>
#include "model/qmd.h"

static uint32_t qmd[64];

static void set(unsigned hi, unsigned lo, uint64_t value)
{
    for (unsigned bit = lo; bit <= hi; bit++) {
        qmd[bit / 32] &= ~(1u << bit % 32);
        qmd[bit / 32] |= (uint32_t)(value >> (bit - lo) & 1) << bit % 32;
    }
}

/* What NVK writes for a small shader; version 2.2. */
static void plain(void)
{
    memset(qmd, 0, sizeof(qmd));
    set(134, 134, 1);
    set(579, 576, 2);
    set(583, 580, 2);
    set(415, 384, 3);
    set(431, 416, 5);
    set(463, 448, 7);
    set(607, 592, 8);
    set(623, 608, 4);
    set(639, 624, 2);
    set(656, 648, 24);
    set(568, 562, 3);
    set(575, 569, 17);
    set(663, 657, 3);
    set(1567, 1536, 0x89abc0e0);
    set(1584, 1568, 0x1f);
}

static VgspQmd good(void)
{
    VgspQmd q;

    memset(&q, 0xa5, sizeof(q));
    g_assert_cmpuint(vgsp_qmd_decode(qmd, 0x12300, &q), ==, 0);
    g_assert_cmphex(q.va, ==, 0x12300);
    return q;
}

static void bad(uint32_t check)
{
    VgspQmd q;

    g_assert_cmpuint(vgsp_qmd_decode(qmd, 0, &q), ==, check);
    plain();
}

static void test_plain(void)
{
    VgspQmd q;

    plain();
    q = good();
    g_assert_cmpuint(q.grid[0], ==, 3);
    g_assert_cmpuint(q.grid[1], ==, 5);
    g_assert_cmpuint(q.grid[2], ==, 7);
    g_assert_cmpuint(q.block[0], ==, 8);
    g_assert_cmpuint(q.block[1], ==, 4);
    g_assert_cmpuint(q.block[2], ==, 2);
    g_assert_cmpuint(q.registers, ==, 24);
    g_assert_cmphex(q.program, ==, UINT64_C(0x1f89abc0e0));
    g_assert_cmpuint(q.shared_size, ==, 0);
    g_assert_cmpuint(q.local_size, ==, 0);
    g_assert_false(q.release[0].enable);
    g_assert_false(q.release[1].enable);
    g_assert_false(q.dependent);
    g_assert_false(q.sampler_via_header);
    for (unsigned i = 0; i < 8; i++) {
        g_assert_cmpuint(q.cbuf[i].size, ==, 0);
    }
}

static void test_sizes(void)
{
    VgspQmd q;

    plain();
    set(415, 384, 0xffffffff);
    set(431, 416, 0xffff);
    set(463, 448, 0xffff);
    set(561, 544, 0xc000);
    set(951, 928, 0x230);
    set(983, 960, 0x10);
    set(959, 955, 16);
    set(382, 382, 1);
    q = good();
    g_assert_cmphex(q.grid[0], ==, 0xffffffff);
    g_assert_cmphex(q.grid[1], ==, 0xffff);
    g_assert_cmphex(q.grid[2], ==, 0xffff);
    g_assert_cmpuint(q.shared_size, ==, 0xc000);
    g_assert_cmpuint(q.local_size, ==, 0x240);
    g_assert_cmpuint(q.local_high, ==, 0x10);
    g_assert_cmpuint(q.barriers, ==, 16);
    g_assert_true(q.sampler_via_header);
    /* An empty grid is no error: indirect launches make them. */
    set(431, 416, 0);
    g_assert_cmpuint(good().grid[1], ==, 0);
}

static void test_cbufs(void)
{
    VgspQmd q;

    plain();
    for (unsigned i = 0; i < 8; i++) {
        set(640 + i, 640 + i, i != 5);
        set(1055 + 64 * i, 1024 + 64 * i, 0x80000040 + 0x1000 * i);
        set(1072 + 64 * i, 1056 + 64 * i, 0x10000 + i);
        set(1087 + 64 * i, 1075 + 64 * i, 0x1000 - i);
    }
    q = good();
    for (unsigned i = 0; i < 8; i++) {
        g_assert_cmpuint(q.cbuf[i].size, ==,
                         i == 5 ? 0 : 0x10000 - 16 * i);
        if (i != 5) {
            g_assert_cmphex(q.cbuf[i].va, ==, UINT64_C(0x1000080000040) +
                            i * UINT64_C(0x100001000));
        }
    }
}

static void test_release(void)
{
    VgspQmd q;

    plain();
    set(138, 138, 1);
    set(767, 736, 0x11223340);
    set(775, 768, 0xab);
    set(831, 800, 0xcafe);
    set(799, 799, 1);
    set(139, 139, 1);
    set(863, 832, 0x55667780);
    set(871, 864, 0xcd);
    set(927, 896, 0xf00d);
    set(886, 884, 6);
    set(889, 888, 1);
    set(890, 890, 1);
    q = good();
    g_assert_true(q.release[0].enable);
    g_assert_true(q.release[0].one_word);
    g_assert_false(q.release[0].reduce);
    g_assert_cmphex(q.release[0].va, ==, UINT64_C(0xab11223340));
    g_assert_cmphex(q.release[0].payload, ==, 0xcafe);
    g_assert_true(q.release[1].enable);
    g_assert_false(q.release[1].one_word);
    g_assert_true(q.release[1].reduce);
    g_assert_true(q.release[1].is_signed);
    g_assert_cmpuint(q.release[1].op, ==, 6);
    g_assert_cmphex(q.release[1].va, ==, UINT64_C(0xcd55667780));
    g_assert_cmphex(q.release[1].payload, ==, 0xf00d);
}

static void test_dependent(void)
{
    VgspQmd q;

    plain();
    set(140, 140, 1);
    set(141, 141, 1);
    set(142, 142, 1);
    set(511, 480, 0x12345678);
    q = good();
    g_assert_true(q.wait_for_pcas);
    g_assert_true(q.dependent);
    g_assert_cmphex(q.dependent_va, ==, UINT64_C(0x1234567800));
    set(143, 143, 1);
    bad(VGSP_QMD_DEPENDENT);
    set(141, 141, 1);           /* of a queue */
    bad(VGSP_QMD_DEPENDENT);
}

static void test_checks(void)
{
    plain();
    set(583, 580, 3);
    bad(VGSP_QMD_VERSION);
    set(579, 576, 7);           /* the minor version says nothing */
    good();
    plain();
    set(136, 136, 1);
    bad(VGSP_QMD_QUEUE);

    set(951, 928, 8);
    bad(2);
    set(983, 960, 8);
    bad(3);
    set(1015, 992, 0x100);      /* CRS size, of version 2.2 ... */
    bad(4);
    set(1015, 992, 0x100);
    set(579, 576, 3);           /* ... not of 2.3 */
    good();
    plain();
    set(951, 928, 0x80010);
    bad(5);
    set(656, 648, 0);
    bad(6);
    set(656, 648, 257);
    bad(6);
    set(607, 592, 1025);
    set(623, 608, 1);
    set(639, 624, 1);
    bad(11);
    set(607, 592, 0xffff);
    set(623, 608, 0xffff);
    set(639, 624, 0xffff);
    bad(11);
    set(1567, 1536, 0x89abc0e8);
    bad(13);
    set(561, 544, 0x80);
    bad(14);
    set(561, 544, 0x10100);
    bad(14);
    for (unsigned i = 0; i < 3; i++) {
        set(607 + 16 * i, 592 + 16 * i, 0);
        bad(16);
    }
    set(561, 544, 0x2100);
    set(575, 569, 3);           /* 8 KiB at most */
    bad(18);
    set(607, 592, 1024);        /* 1024 threads of 64 registers: all of them */
    set(623, 608, 1);
    set(639, 624, 1);
    set(656, 648, 64);
    good();
    set(656, 648, 65);
    bad(19);
    set(640, 640, 1);
    set(1087, 1075, 0x1001);
    bad(23);
    set(1087, 1075, 0x1001);    /* not bound: nothing to check */
    good();
}

static void test_windows(void)
{
    VgspGridState s = { .shared_window = 0xfe000000,
                        .local_window = 0xff000000 };

    g_assert_cmpuint(vgsp_qmd_check_windows(&s), ==, 0);
    s.local_window = 0xfeffffff;
    g_assert_cmpuint(vgsp_qmd_check_windows(&s), ==, 17);
    s.local_window = 0xfd000000;
    g_assert_cmpuint(vgsp_qmd_check_windows(&s), ==, 0);
    s.local_window = s.shared_window;
    g_assert_cmpuint(vgsp_qmd_check_windows(&s), ==, 17);
    s.local_window = s.shared_window = 0; /* never set */
    g_assert_cmpuint(vgsp_qmd_check_windows(&s), ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/qmd/plain", test_plain);
    g_test_add_func("/qmd/sizes", test_sizes);
    g_test_add_func("/qmd/cbufs", test_cbufs);
    g_test_add_func("/qmd/release", test_release);
    g_test_add_func("/qmd/dependent", test_dependent);
    g_test_add_func("/qmd/checks", test_checks);
    g_test_add_func("/qmd/windows", test_windows);
    return g_test_run();
}
