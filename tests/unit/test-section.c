/*
 * Sections: what the writer makes of runs, wherever they are cut, and what the
 * check of an executor refuses.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include "vgsp/section.h"
#include "vgsp/nv/class.h"

#define INC(count, subc, method) \
    (1u << 29 | (count) << 16 | (subc) << 13 | (method) / 4)
#define NON_INC(count, subc, method) \
    (3u << 29 | (count) << 16 | (subc) << 13 | (method) / 4)
#define IMMD(data, subc, method) \
    (4u << 29 | (data) << 16 | (subc) << 13 | (method) / 4)
#define ONE_INC(count, subc, method) \
    (5u << 29 | (count) << 16 | (subc) << 13 | (method) / 4)

static const uint32_t classes[4] = {
    TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
};

/* ---- Writer ---- */

static void assert_words(const VgspSectionWriter *w, const uint32_t *words,
                         uint32_t count)
{
    g_assert_cmpuint(w->count, ==, count);
    for (uint32_t i = 0; i < count; i++) {
        g_assert_cmphex(w->words[i], ==, words[i]);
    }
}

static void test_append(void)
{
    static const uint32_t data[] = { 10, 11, 12, 13 };
    static const uint32_t expected[] = {
        INC(3, 1, 0x1550), 10, 11, 12,
        NON_INC(2, 2, 0x1b4), 10, 11,
        ONE_INC(4, 0, 0x3800), 10, 11, 12, 13,
        IMMD(10, 3, 0x2ac),
    };
    uint32_t words[16];
    VgspSectionWriter w = { words, 0, 16 };
    VgspPbRun inc = { data, 3, 0x1550 / 4, 1, 1, 1, false };
    VgspPbRun non_inc = { data, 4, 0x1b4 / 4, 0, 0, 2, false };
    VgspPbRun one_inc = { data, 4, 0x3800 / 4, 1, 0, 0, false };
    VgspPbRun imm = { data, 1, 0x2ac / 4, 0, 0, 3, true };

    g_assert_cmpuint(vgsp_section_append(&w, &inc, 3), ==, 3);
    g_assert_cmpuint(vgsp_section_append(&w, &non_inc, 2), ==, 2);
    /* No more than the run has. */
    g_assert_cmpuint(vgsp_section_append(&w, &one_inc, 9), ==, 4);
    g_assert_cmpuint(vgsp_section_append(&w, &imm, 1), ==, 1);
    g_assert_cmpuint(vgsp_section_append(&w, &inc, 0), ==, 0);
    assert_words(&w, expected, G_N_ELEMENTS(expected));
}

static void test_full(void)
{
    static const uint32_t data[] = { 10, 11, 12, 13 };
    static const uint32_t expected[] = { INC(2, 0, 0x100), 10, 11 };
    uint32_t words[4] = { [3] = 0x5a5a5a5a };
    VgspSectionWriter w = { words, 0, 3 };
    VgspPbRun run = { data, 4, 0x100 / 4, 1, 1, 0, false };
    VgspPbRun imm = { data, 1, 0x100 / 4, 0, 0, 0, true };

    g_assert_cmpuint(vgsp_section_append(&w, &run, 4), ==, 2);
    assert_words(&w, expected, 3);
    g_assert_cmpuint(vgsp_section_append(&w, &run, 4), ==, 0);
    g_assert_cmpuint(vgsp_section_append(&w, &imm, 1), ==, 0);
    /* A header without a datum is of no use, an immediate fits. */
    w.count = 2;
    g_assert_cmpuint(vgsp_section_append(&w, &run, 4), ==, 0);
    g_assert_cmpuint(vgsp_section_append(&w, &imm, 1), ==, 1);
    g_assert_cmpuint(w.count, ==, 3);
    g_assert_cmphex(words[3], ==, 0x5a5a5a5a);
}

/* A ONE_INC that was cut goes on as what its rest is. */
static void test_cut_one_inc(void)
{
    static const uint32_t push[] = { ONE_INC(4, 0, 0x3800), 1, 2, 3, 4 };
    static const uint32_t expected[] = {
        ONE_INC(2, 0, 0x3800), 1, 2, NON_INC(2, 0, 0x3804), 3, 4,
    };
    uint32_t words[8];
    VgspSectionWriter w = { words, 0, 8 };
    VgspPushbuf pb;
    VgspPbRun run;
    size_t used;

    vgsp_pb_init(&pb);
    g_assert_cmpint(vgsp_pb_next(&pb, push, 5, &used, &run), ==,
                    VGSP_PB_METHODS);
    g_assert_cmpuint(vgsp_section_append(&w, &run, 2), ==, 2);
    vgsp_pb_advance(&pb, 2);
    g_assert_cmpint(vgsp_pb_next(&pb, push + 3, 2, &used, &run), ==,
                    VGSP_PB_METHODS);
    g_assert_cmpuint(vgsp_section_append(&w, &run, 2), ==, 2);
    assert_words(&w, expected, G_N_ELEMENTS(expected));
}

/* The largest count that a header can have. */
static void test_longest(void)
{
    g_autofree uint32_t *data = g_new0(uint32_t, 0x1fff);
    g_autofree uint32_t *words = g_new0(uint32_t, 0x2000);
    VgspSectionWriter w = { words, 0, 0x2000 };
    VgspPbRun run = { data, 0x1fff, 0x1b4 / 4, 0, 0, 2, false };
    uint32_t bad;

    g_assert_cmpuint(vgsp_section_append(&w, &run, 0x1fff), ==, 0x1fff);
    g_assert_cmphex(words[0], ==, NON_INC(0x1fffu, 2, 0x1b4));
    g_assert_true(vgsp_section_check(words, w.count, classes, &bad));
}

/* ---- Check ---- */

static void assert_good(const uint32_t *words, uint32_t count)
{
    uint32_t bad;

    g_assert_true(vgsp_section_check(words, count, classes, &bad));
}

static void assert_bad(const uint32_t *words, uint32_t count, uint32_t index)
{
    uint32_t bad = UINT32_MAX;

    g_assert_false(vgsp_section_check(words, count, classes, &bad));
    g_assert_cmpuint(bad, ==, index);
}

#define GOOD(...) \
    assert_good((const uint32_t[]){ __VA_ARGS__ }, \
                G_N_ELEMENTS(((const uint32_t[]){ __VA_ARGS__ })))
#define BAD(index, ...) \
    assert_bad((const uint32_t[]){ __VA_ARGS__ }, \
               G_N_ELEMENTS(((const uint32_t[]){ __VA_ARGS__ })), index)

static void test_check_good(void)
{
    assert_good(NULL, 0);
    GOOD(INC(1, 0, 0), TURING_A, INC(1, 1, 0), TURING_COMPUTE_A,
         INC(1, 2, 0), KEPLER_INLINE_TO_MEMORY_B, INC(1, 3, 0), FERMI_TWOD_A);
    GOOD(IMMD(0, 0, 0x110), ONE_INC(3, 0, 0x3800), 1, 2, 3,
         INC(4, 1, 0x1b00), 0, 0, 0, 0x10000000);
}

static void test_check_malformed(void)
{
    /* NOP, subdevice masks, END_PB_SEGMENT, legacy and reserved headers. */
    BAD(0, 0);
    BAD(1, IMMD(0, 0, 0x110), 0x10000);
    BAD(0, 0x1fff0);
    BAD(0, 7u << 29);
    BAD(0, 2u << 29 | 1 << 16 | 0x110 / 4, 0);
    BAD(0, 6u << 29 | 1 << 16 | 0x110 / 4, 0);
    /* Without data, with too few, with too many. */
    BAD(0, INC(0, 0, 0x110));
    BAD(0, INC(1, 0, 0x110));
    BAD(0, INC(3, 0, 0x180), 0, 0);
    BAD(2, INC(1, 0, 0x110), 0, 0);
    /* Beyond the last method. */
    BAD(0, INC(2, 0, 0x3ffc), 0, 0);
    /* Subchannels of others. */
    BAD(0, IMMD(0, 4, 0x100));
    BAD(0, INC(1, 5, 0x100), 0);
}

static void test_check_policy(void)
{
    uint32_t none[4] = { 0, TURING_COMPUTE_A, 0, 0 };
    uint32_t words[] = { IMMD(0, 0, 0x110) };
    uint32_t bad;

    /* The datum of the method that does not pass, or the immediate. */
    BAD(0, IMMD(0, 0, 0x160));
    BAD(4, INC(2, 0, 0x1fc), 0, 0, INC(1, 1, 0x20c), 0);
    BAD(2, INC(2, 1, 0x208), 0, 0);
    BAD(4, INC(4, 1, 0x1b00), 0, 0, 0, 3);
    BAD(3, NON_INC(3, 0, 0x1b0c), 0, 0, 1, 0);
    BAD(1, INC(1, 0, 0), TURING_COMPUTE_A);
    /* Host's own methods. */
    BAD(0, IMMD(0, 0, 0x20));
    g_assert_false(vgsp_section_check(words, 1, none, &bad));
    g_assert_cmpuint(bad, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/section/append", test_append);
    g_test_add_func("/section/full", test_full);
    g_test_add_func("/section/cut-one-inc", test_cut_one_inc);
    g_test_add_func("/section/longest", test_longest);
    g_test_add_func("/section/check/good", test_check_good);
    g_test_add_func("/section/check/malformed", test_check_malformed);
    g_test_add_func("/section/check/policy", test_check_policy);
    return g_test_run();
}
