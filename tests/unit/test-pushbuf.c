/*
 * GPFIFO entries and push-buffer decoding, word by word as dev_pbdma and
 * dev_ram (TU104) state them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include "vgsp/pushbuf.h"

/* ---- GPFIFO entries ---- */

static void test_gp_segment(void)
{
    /* 3 words at 0x12_3456_789c, main level. */
    VgspGpEntry e = vgsp_gp_entry_decode(0x3456789c, 3 << 10 | 0x12);

    g_assert_cmpint(e.op, ==, VGSP_GP_SEGMENT);
    g_assert_cmphex(e.va, ==, 0x123456789c);
    g_assert_cmpuint(e.count, ==, 3);
    g_assert_false(e.conditional);
    g_assert_false(e.subroutine);
    g_assert_false(e.sync);

    /* Conditional fetch, subroutine, sync; bit 1 and bit 40 mean nothing. */
    e = vgsp_gp_entry_decode(0x3456789f, 0x80000000 | 0x1fffff << 10 | 0x312);
    g_assert_cmpint(e.op, ==, VGSP_GP_SEGMENT);
    g_assert_cmphex(e.va, ==, 0x123456789c);
    g_assert_cmphex(e.count, ==, 0x1fffff);
    g_assert_true(e.conditional);
    g_assert_true(e.subroutine);
    g_assert_true(e.sync);
}

static void test_gp_control(void)
{
    VgspGpEntry e = vgsp_gp_entry_decode(0, 0);

    g_assert_cmpint(e.op, ==, VGSP_GP_NOP);
    g_assert_false(e.sync);
    e = vgsp_gp_entry_decode(0xdeadbeef, 0x80000000);
    g_assert_cmpint(e.op, ==, VGSP_GP_NOP);
    g_assert_cmphex(e.operand, ==, 0xdeadbeef);
    g_assert_true(e.sync);
    g_assert_cmpint(vgsp_gp_entry_decode(0, 1).op, ==, VGSP_GP_ERROR);
    g_assert_cmpint(vgsp_gp_entry_decode(0, 2).op, ==, VGSP_GP_CRC);
    e = vgsp_gp_entry_decode(0x1234, 3);
    g_assert_cmpint(e.op, ==, VGSP_GP_PB_CRC);
    g_assert_cmphex(e.operand, ==, 0x1234);
    g_assert_cmpint(vgsp_gp_entry_decode(0, 4).op, ==, VGSP_GP_ERROR);
    g_assert_cmpint(vgsp_gp_entry_decode(0, 0xff).op, ==, VGSP_GP_ERROR);
}

static void test_gp_end_of_va(void)
{
    /* The last word of the 40-bit space may not be fetched. */
    g_assert_cmpint(vgsp_gp_entry_decode(0xfffffff8, 1 << 10 | 0xff).op,
                    ==, VGSP_GP_SEGMENT);
    g_assert_cmpint(vgsp_gp_entry_decode(0xfffffff8, 2 << 10 | 0xff).op,
                    ==, VGSP_GP_ERROR);
    g_assert_cmpint(vgsp_gp_entry_decode(0xfffffffc, 1 << 10 | 0xff).op,
                    ==, VGSP_GP_ERROR);
}

/* ---- Push buffers ---- */

typedef struct Method {
    uint8_t subchannel;
    uint16_t address;           /* bytes */
    uint32_t data;
} Method;

/*
 * Decodes all words in pieces of `piece` words, performing at most `chunk`
 * methods of each run, as a channel that is stopped often does.
 */
static VgspPbStatus decode(VgspPushbuf *pb, const uint32_t *words, size_t n,
                           size_t piece, uint32_t chunk, GArray *out)
{
    size_t pos = 0;

    while (pos < n) {
        size_t end = MIN(pos + piece, n);

        for (;;) {
            VgspPbRun run;
            size_t used;
            VgspPbStatus status = vgsp_pb_next(pb, words + pos, end - pos,
                                               &used, &run);

            g_assert_cmpuint(used, <=, end - pos);
            pos += used;
            if (status == VGSP_PB_METHODS) {
                uint32_t todo = MIN(run.count, chunk);

                g_assert_cmpuint(run.count, >=, 1);
                for (uint32_t i = 0; i < todo; i++) {
                    Method m = { run.subchannel,
                                 (uint16_t)(vgsp_pb_run_method(&run, i) * 4),
                                 run.data[i] };

                    g_array_append_val(out, m);
                }
                pos += vgsp_pb_advance(pb, todo);
            } else if (status == VGSP_PB_MORE) {
                g_assert_cmpuint(pos, ==, end);
                break;
            } else {
                return status;
            }
        }
    }
    return VGSP_PB_MORE;
}

static void check(const uint32_t *words, size_t n, VgspPbStatus status,
                  const Method *want, size_t n_want)
{
    static const size_t pieces[] = { 1, 2, 3, 1000 };
    static const uint32_t chunks[] = { 1, 2, 1000 };

    for (size_t p = 0; p < G_N_ELEMENTS(pieces); p++) {
        for (size_t c = 0; c < G_N_ELEMENTS(chunks); c++) {
            g_autoptr(GArray) got = g_array_new(false, false, sizeof(Method));
            VgspPushbuf pb;

            vgsp_pb_init(&pb);
            g_assert_cmpint(decode(&pb, words, n, pieces[p], chunks[c], got),
                            ==, status);
            g_assert_cmpuint(got->len, ==, n_want);
            for (size_t i = 0; i < n_want; i++) {
                Method *m = &g_array_index(got, Method, i);

                g_assert_cmpuint(m->subchannel, ==, want[i].subchannel);
                g_assert_cmphex(m->address, ==, want[i].address);
                g_assert_cmphex(m->data, ==, want[i].data);
            }
        }
    }
}

#define CHECK(words, status, ...)                                    \
    do {                                                             \
        const Method want_[] = { __VA_ARGS__ };                      \
                                                                     \
        check(words, G_N_ELEMENTS(words), status, want_,             \
              G_N_ELEMENTS(want_));                                  \
    } while (0)
#define CHECK_NONE(words, status) \
    check(words, G_N_ELEMENTS(words), status, NULL, 0)

static void test_inc(void)
{
    /* 3 words to 0x0100, 0x0104, 0x0108 of subchannel 4. */
    static const uint32_t w[] = { 0x20038040, 10, 11, 12 };

    CHECK(w, VGSP_PB_MORE, { 4, 0x100, 10 }, { 4, 0x104, 11 },
          { 4, 0x108, 12 });
}

static void test_non_inc(void)
{
    static const uint32_t w[] = { 0x60030040, 10, 11, 12 };

    CHECK(w, VGSP_PB_MORE, { 0, 0x100, 10 }, { 0, 0x100, 11 },
          { 0, 0x100, 12 });
}

static void test_one_inc(void)
{
    static const uint32_t w[] = { 0xa0042040, 10, 11, 12, 13 };

    CHECK(w, VGSP_PB_MORE, { 1, 0x100, 10 }, { 1, 0x104, 11 },
          { 1, 0x104, 12 }, { 1, 0x104, 13 });
}

static void test_one_inc_of_one(void)
{
    /* At the last method: one word does not reach beyond it. */
    static const uint32_t w[] = { 0xa0010fff, 10, 0x20010008, 5 };

    CHECK(w, VGSP_PB_MORE, { 0, 0x3ffc, 10 }, { 0, 0x20, 5 });
}

static void test_immediate(void)
{
    /* 13 bits, zero-extended; no data word follows. */
    static const uint32_t w[] = { 0x9fff6042, 0x80000008 };

    CHECK(w, VGSP_PB_MORE, { 3, 0x108, 0x1fff }, { 0, 0x20, 0 });
}

static void test_nop_and_count_zero(void)
{
    static const uint32_t w[] = {
        0, 0, 0x20000040, 0x60000040, 0xa0000040, 0x20010008, 7,
    };

    CHECK(w, VGSP_PB_MORE, { 0, 0x20, 7 });
}

static void test_header_bit_12(void)
{
    static const uint32_t w[] = { 0x20011008, 7 };

    CHECK(w, VGSP_PB_MORE, { 0, 0x20, 7 });
}

static void test_end_segment(void)
{
    static const uint32_t w[] = { 0x20010008, 7, 0xe0000000 };

    CHECK(w, VGSP_PB_END_SEGMENT, { 0, 0x20, 7 });
}

static void test_obsolete(void)
{
    static const uint32_t inc[] = { 0x00040100, 1 };
    static const uint32_t non_inc[] = { 0x40040100, 1 };
    static const uint32_t reserved[] = { 0xc0010008, 1 };

    CHECK_NONE(inc, VGSP_PB_ERROR_OBSOLETE);
    CHECK_NONE(non_inc, VGSP_PB_ERROR_OBSOLETE);
    CHECK_NONE(reserved, VGSP_PB_ERROR_RESERVED);
}

static void test_range(void)
{
    static const uint32_t fits[] = { 0x20020ffe, 1, 2 };
    static const uint32_t inc[] = { 0x20030ffe, 1, 2, 3 };
    static const uint32_t one_inc[] = { 0xa0020fff, 1, 2 };
    static const uint32_t non_inc[] = { 0x60020fff, 1, 2 };

    CHECK(fits, VGSP_PB_MORE, { 0, 0x3ff8, 1 }, { 0, 0x3ffc, 2 });
    CHECK_NONE(inc, VGSP_PB_ERROR_RANGE);
    CHECK_NONE(one_inc, VGSP_PB_ERROR_RANGE);
    CHECK(non_inc, VGSP_PB_MORE, { 0, 0x3ffc, 1 }, { 0, 0x3ffc, 2 });
}

static void test_subdevice_mask(void)
{
    static const uint32_t w[] = {
        0x0001fff0, 0x20010008, 1,                  /* SET 0xfff: active */
        0x00010000, 0x20010008, 2, 0x80030008,      /* SET 0: dropped */
        0x60020008, 3, 4,
        0x00020000,                                 /* STORE 0 ... */
        0x00010010, 0x20010008, 5,                  /* SET 1: active */
        0x00030000, 0x20010008, 6,                  /* ... USE: inactive */
        0x00020100, 0x00030000, 0x20010008, 7,      /* STORE, USE: active */
    };

    CHECK(w, VGSP_PB_MORE, { 0, 0x20, 1 }, { 0, 0x20, 5 }, { 0, 0x20, 7 });
}

static void test_inactive_error(void)
{
    static const uint32_t w[] = { 0x00010000, 0xc0000000 };

    CHECK_NONE(w, VGSP_PB_ERROR_RESERVED);
}

static void test_header_ends_segment(void)
{
    static const uint32_t first[] = { 0x20028040 };
    static const uint32_t second[] = { 10 };
    static const uint32_t third[] = { 11, 0x80010008 };
    g_autoptr(GArray) got = g_array_new(false, false, sizeof(Method));
    VgspPushbuf pb;

    vgsp_pb_init(&pb);
    g_assert_false(vgsp_pb_mid_method(&pb));
    decode(&pb, first, 1, 1, 1, got);
    g_assert_cmpuint(got->len, ==, 0);
    g_assert_true(vgsp_pb_mid_method(&pb));
    decode(&pb, second, 1, 1, 1, got);
    g_assert_cmpuint(got->len, ==, 1);
    g_assert_true(vgsp_pb_mid_method(&pb));
    decode(&pb, third, 2, 2, 1, got);
    g_assert_false(vgsp_pb_mid_method(&pb));
    g_assert_cmpuint(got->len, ==, 3);
    g_assert_cmphex(g_array_index(got, Method, 1).address, ==, 0x104);
    g_assert_cmphex(g_array_index(got, Method, 1).data, ==, 11);
    g_assert_cmphex(g_array_index(got, Method, 2).address, ==, 0x20);
    g_assert_cmphex(g_array_index(got, Method, 2).data, ==, 1);
}

static void test_resume_immediate(void)
{
    /* A method that was not performed is offered again. */
    static const uint32_t w[] = { 0x80050008 };
    VgspPushbuf pb;
    VgspPbRun run;
    size_t used;

    vgsp_pb_init(&pb);
    g_assert_cmpint(vgsp_pb_next(&pb, w, 1, &used, &run), ==, VGSP_PB_METHODS);
    g_assert_cmpuint(used, ==, 1);
    g_assert_cmpint(vgsp_pb_next(&pb, w + 1, 0, &used, &run), ==,
                    VGSP_PB_METHODS);
    g_assert_cmpuint(used, ==, 0);
    g_assert_cmphex(run.data[0], ==, 5);
    g_assert_cmpuint(vgsp_pb_advance(&pb, 1), ==, 0);
    g_assert_cmpint(vgsp_pb_next(&pb, w + 1, 0, &used, &run), ==,
                    VGSP_PB_MORE);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pushbuf/gp/segment", test_gp_segment);
    g_test_add_func("/pushbuf/gp/control", test_gp_control);
    g_test_add_func("/pushbuf/gp/end-of-va", test_gp_end_of_va);
    g_test_add_func("/pushbuf/inc", test_inc);
    g_test_add_func("/pushbuf/non-inc", test_non_inc);
    g_test_add_func("/pushbuf/one-inc", test_one_inc);
    g_test_add_func("/pushbuf/one-inc-of-one", test_one_inc_of_one);
    g_test_add_func("/pushbuf/immediate", test_immediate);
    g_test_add_func("/pushbuf/nop-and-count-zero", test_nop_and_count_zero);
    g_test_add_func("/pushbuf/header-bit-12", test_header_bit_12);
    g_test_add_func("/pushbuf/end-segment", test_end_segment);
    g_test_add_func("/pushbuf/obsolete", test_obsolete);
    g_test_add_func("/pushbuf/range", test_range);
    g_test_add_func("/pushbuf/subdevice-mask", test_subdevice_mask);
    g_test_add_func("/pushbuf/inactive-error", test_inactive_error);
    g_test_add_func("/pushbuf/header-ends-segment", test_header_ends_segment);
    g_test_add_func("/pushbuf/resume-immediate", test_resume_immediate);
    return g_test_run();
}
