/*
 * Bounds of recordings: what is one unit above its bound fails, and so does
 * everything that has none.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include <math.h>
#include <string.h>
#include "replay/bounds.h"

#define MEMORY 9

static uint32_t bits(float f)
{
    uint32_t u;

    memcpy(&u, &f, 4);
    return u;
}

/* Each row of 32-bit floats: at its bound, and one above, up and down. */
static void test_rows(void)
{
    unsigned rows = 0;

    for (const VgspBound *r = vgsp_bounds; r->recording; r++) {
        g_autofree char *path = g_strdup_printf("some/where/%s.vgsp",
                                                r->recording);
        uint64_t size = r->type == VGSP_BOUND_F64 ? 8 : 4;
        uint64_t at = (7 * r->stride + r->index) * size;
        const uint32_t value = bits(0.75f);     /* a unit is 2^-24 */
        VgspBounds b;

        rows++;
        g_assert_cmpuint(r->ulp, >, 0);
        g_assert_true(!r->unit || r->unit == 0x1p-24);
        vgsp_bounds_begin(&b, path);
        for (int sign = -1; sign <= 1; sign += 2) {
            g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, at, value,
                                              value + sign * r->ulp), ==, 0);
            g_assert_cmpuint(vgsp_bounds_end(&b), ==, 0);
            g_assert_cmpuint(
                vgsp_bounds_word(&b, MEMORY, at, value,
                                 value + sign * (r->ulp + 1)) +
                vgsp_bounds_end(&b), ==, 1);
        }
        g_assert_cmpuint(b.close, ==, 2);
        /* The elements beside it. */
        g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, 6 * size, value,
                                          value + 1) + vgsp_bounds_end(&b),
                         ==, 1);
    }
    g_assert_cmpuint(rows, >=, 13);
}

static void test_exact(void)
{
    VgspBounds b;

    vgsp_bounds_begin(&b, "int32.vgsp");
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, 13 * 4, 5, 6), ==, 1);
    vgsp_bounds_begin(&b, "float32-more.vgsp");
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, 13 * 4, 5, 6), ==, 1);
    vgsp_bounds_begin(&b, "float32");
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, 13 * 4, 5, 6), ==, 0);
    /* One buffer; infinities, NaNs and signs are exact. */
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY + 1, 13 * 4, 5, 6), ==, 1);
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, 13 * 4, 0x7f7fffff,
                                      0x7f800000), ==, 1);
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, 13 * 4, 0x7fffffff,
                                      0x7ffffffe), ==, 1);
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, 13 * 4, 0, 0x80000000), ==,
                     1);
    vgsp_bounds_begin(&b, "special-functions");
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, 0, 0, 0x80000000), ==, 1);
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, 0, bits(0x1p-24f),
                                      bits(-0x8p-24f)), ==, 0);
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, 0, bits(0x1p-24f),
                                      bits(-0x9p-24f)), ==, 1);
}

/* Doubles are pairs of words, of which one may be the same. */
static void test_pairs(void)
{
    const uint64_t at = 13 * 8;
    VgspBounds b;

    vgsp_bounds_begin(&b, "float64");
    /* 0x3ff00000ffffffff and 0x3ff0000100000001 */
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, at, 0xffffffff, 1), ==, 0);
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, at + 4, 0x3ff00000,
                                      0x3ff00001), ==, 0);
    g_assert_cmpuint(vgsp_bounds_end(&b), ==, 0);
    g_assert_cmpuint(b.close, ==, 2);
    /* ... and ...2: both words are wrong. */
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, at, 0xffffffff, 2), ==, 0);
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, at + 4, 0x3ff00000,
                                      0x3ff00001), ==, 2);
    /* A high word alone; a low one before another's. */
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, at + 4, 0x3ff00000,
                                      0x3ff00001), ==, 1);
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, at, 1, 4), ==, 0);
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, at + 128, 1, 3), ==, 1);
    g_assert_cmpuint(vgsp_bounds_end(&b), ==, 0);
    g_assert_cmpuint(b.close, ==, 3);
    /* A sign, or an infinity. */
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, at, 0xffffffff, 0), ==, 0);
    g_assert_cmpuint(vgsp_bounds_word(&b, MEMORY, at + 4, 0x7fefffff,
                                      0x7ff00000), ==, 2);
}

#define CLOSE(function, model, here) \
    vgsp_mufu_close((uint64_t)(function) << 10, model, here)

static void test_mufu(void)
{
    enum { COS, SIN, EX2, LG2, RCP, RSQ, RCP64H, RSQ64H, SQRT, TANH };
    static const struct { unsigned function, ulp; } units[] = {
        { EX2, 2 }, { RCP, 1 }, { RSQ, 2 }, { SQRT, 2 }, { RCP64H, 2 },
        { RSQ64H, 2 },
    };

    for (unsigned n = 0; n < G_N_ELEMENTS(units); n++) {
        const uint32_t v = 0x3f555555, ulp = units[n].ulp;

        g_assert_true(CLOSE(units[n].function, v, v + ulp));
        g_assert_true(CLOSE(units[n].function, v, v - ulp));
        g_assert_false(CLOSE(units[n].function, v, v + ulp + 1));
        g_assert_false(CLOSE(units[n].function, v, v - ulp - 1));
        g_assert_false(CLOSE(units[n].function, 0, 0x80000000));
    }
    /* 2^-20.5 + 2^-25 are 11.8 times 2^-24. */
    for (unsigned f = COS; f <= SIN; f++) {
        g_assert_true(CLOSE(f, bits(0.75f), bits(0.75f + 0xbp-24f)));
        g_assert_false(CLOSE(f, bits(0.75f), bits(0.75f + 0xcp-24f)));
        g_assert_false(CLOSE(f, 0, 0x80000000));
        g_assert_true(CLOSE(f, 0, bits(0x1p-22f)));
        g_assert_false(CLOSE(f, 0x7fffffff, 0));
    }
    g_assert_true(CLOSE(LG2, bits(10), bits(10) + 2));
    g_assert_false(CLOSE(LG2, bits(10), bits(10) + 3));
    g_assert_true(CLOSE(LG2, bits(0.01f), bits(0.01f + 0x1p-22f)));
    g_assert_false(CLOSE(LG2, bits(0.01f), bits(0.01f + 0x1.4p-22f)));
    g_assert_true(CLOSE(TANH, bits(0.5f), bits(0.5f + 0x1p-12f)));
    g_assert_false(CLOSE(TANH, bits(0.5f), bits(0.5f + 0x1.01p-12f)));
    /* .F16 */
    g_assert_true(vgsp_mufu_close(0xa00, 0x4000, 0x4001));
    g_assert_false(vgsp_mufu_close(0xa00, 0x4000, 0x4002));
    g_assert_false(vgsp_mufu_close(0xa00, 0x7bff, 0x7c00));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/bounds/rows", test_rows);
    g_test_add_func("/bounds/exact", test_exact);
    g_test_add_func("/bounds/pairs", test_pairs);
    g_test_add_func("/bounds/mufu", test_mufu);
    return g_test_run();
}
