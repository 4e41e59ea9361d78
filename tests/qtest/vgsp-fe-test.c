/*
 * What the front end of a channel performs by itself, through the device:
 * macros, the 2D engine, block-linear uploads, and their errors.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bswap.h"
#include "vgsp-qos-channel.h"
#include "../unit/mme-asm.h"
#include "../unit/block-linear-ref.h"
#include "vgsp/nv/i2m.h"
#include "vgsp/nv/mme.h"
#include "vgsp/nv/twod.h"

/* In the guest memory of a space. */
#define DATA        0x10000u
#define DST         0x20000u
#define SRC         0x60000u
#define VA(offset)  (VGSP_CH_VA_RAM + (offset))

#define INC         NVC46F_DMA_SEC_OP_INC_METHOD
#define ONE_INC     NVC46F_DMA_SEC_OP_ONE_INC

enum { SUBC_3D, SUBC_COMPUTE, SUBC_I2M, SUBC_2D };

static void fe_channel(VgspChBench *b, VgspCh *c, uint32_t chid)
{
    static const uint32_t classes[] = {
        TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
    };

    vgsp_ch_new(&b->s, c, chid, NV2080_ENGINE_TYPE_GR0, 512, false);
    for (unsigned i = 0; i < ARRAY_SIZE(classes); i++) {
        g_assert_cmpint(vgsp_gsp_rm_alloc(&c->s->q->gsp, c->s->rm.client,
                                          c->ch.handle,
                                          0x900000 + c->ch.chid * 16 + i,
                                          classes[i], NULL, 0), ==,
                        VGSP_GSP_OK);
        vgsp_ch_method(c, i, NVC46F_SET_OBJECT, classes[i]);
    }
}

static uint32_t rd(VgspChBench *b, uint32_t offset)
{
    return qtest_readl(b->q->qts, b->s.ram + offset);
}

/* n methods in a row. */
static void methods(VgspCh *c, unsigned subch, uint32_t method,
                    const uint32_t *data, unsigned n)
{
    vgsp_ch_header(c, INC, subch, method, n);
    for (unsigned i = 0; i < n; i++) {
        vgsp_ch_word(c, data[i]);
    }
}

#define METHODS(c, subch, method, ...) \
    methods(c, subch, method, (const uint32_t[]){ __VA_ARGS__ }, \
            ARRAY_SIZE(((const uint32_t[]){ __VA_ARGS__ })))

/* ---- Macros ---- */

static void load_macro(VgspCh *c, unsigned i, uint32_t at, const Group *groups,
                       unsigned n)
{
    METHODS(c, SUBC_3D, NVC597_LOAD_MME_START_ADDRESS_RAM_POINTER, i, at);
    vgsp_ch_header(c, ONE_INC, SUBC_3D,
                   NVC597_LOAD_MME_INSTRUCTION_RAM_POINTER, 1 + 3 * n);
    vgsp_ch_word(c, at);
    for (unsigned j = 0; j < n; j++) {
        for (int k = 2; k >= 0; k--) {
            vgsp_ch_word(c, groups[j].b[k]);
        }
    }
}

/* A method in ALU0's immediate, with increment, that gets out's value. */
static Group emit_to(Group g, uint32_t method, unsigned increment,
                     unsigned out)
{
    return out0(put(g, 45, 30, increment << 12 | method / 4), OUT_IMM0, out);
}

/* Releases (address, payload) = three parameters by a report semaphore. */
static void load_report_macro(VgspCh *c, unsigned i, uint32_t at)
{
    const Group groups[] = {
        emit_to(nop(), NVC597_SET_REPORT_SEMAPHORE_A, 1, OUT_LOAD0),
        out1(out0(nop(), NONE, OUT_LOAD0), NONE, OUT_LOAD1),
        /* The structure of one word: 1 << 28. */
        alu1(a0(ADD, 1, IMM, ZERO, 1), ADD, 2, IMM, ZERO, 28),
        end_next(out0(a0(SLL, ZERO, 1, 2, 0), NONE, OUT_ALU0)),
        nop(),
    };

    load_macro(c, i, at, groups, ARRAY_SIZE(groups));
}

/* A macro, whose parameters are in three pushes. */
static void test_macro(void)
{
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    fe_channel(b, &c, 3);
    load_report_macro(&c, 5, 0);
    load_report_macro(&c, 6, 5);
    for (unsigned i = 5; i < 7; i++) {
        vgsp_ch_header(&c, ONE_INC, SUBC_3D, NVC597_CALL_MME_MACRO(i), 3);
        vgsp_ch_word(&c, VA(DATA) >> 32);
        vgsp_ch_entry(&c, 0);
        vgsp_ch_word(&c, VA(DATA) + 4 * i);
        vgsp_ch_kick(&c);
        vgsp_ch_word(&c, 0x1000 + i);
        vgsp_ch_sync(&c);
        g_assert_cmphex(rd(b, DATA + 4 * i), ==, 0x1000 + i);
    }
    g_assert_cmpuint(b->rc.events, ==, 0);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/*
 * A long push is submitted in several sections, but none begins with data of a
 * macro that an earlier one called.
 */
static void test_macro_whole(void)
{
    g_autofree char *file = g_strdup_printf("%s/vgsp-fe-%d",
                                            g_get_tmp_dir(), getpid());
    g_autofree char *args = g_strdup_printf(",owner=null,record=%s", file);
    VgspChBench *b = vgsp_ch_bench_new_with(args);
    unsigned sections = 0, words = 0;
    g_autofree char *data = NULL;
    gsize size;
    VgspCh c;

    fe_channel(b, &c, 3);
    for (unsigned i = 0; i < 1200; i++) {
        vgsp_ch_header(&c, ONE_INC, SUBC_3D, NVC597_CALL_MME_MACRO(5), 10);
        for (unsigned k = 0; k < 10; k++) {
            vgsp_ch_word(&c, k);
        }
    }
    vgsp_ch_sync(&c);
    g_assert_cmpuint(b->rc.events, ==, 0);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);

    /* docs/recording.md: a header, then records of a type and a size. */
    g_assert_true(g_file_get_contents(file, &data, &size, NULL));
    for (gsize at = ldl_le_p(data + 12); at + 8 <= size;
         at += 8 + ROUND_UP(ldl_le_p(data + at + 4), 8)) {
        if (ldl_le_p(data + at) == 10) {        /* SECTION */
            uint32_t first = ldl_le_p(data + at + 8 + 16);
            uint32_t method =
                VGSP_GET(NVC46F_DMA_METHOD_ADDRESS, first) * 4;

            sections++;
            words += ldl_le_p(data + at + 12);
            g_assert_cmphex(method, !=, NVC597_CALL_MME_DATA(5));
        }
    }
    g_assert_cmpuint(sections, >, 2);
    g_assert_cmpuint(words, >=, 1200 * 11);
    unlink(file);
}

/* Memory that a macro reads by its FIFO is that of this moment. */
static void test_macro_dma(void)
{
    const Group groups[] = {
        emit_to(nop(), NVC597_SET_MME_MEM_ADDRESS_A, 1, OUT_LOAD0),
        out0(nop(), NONE, OUT_LOAD0),
        emit_to(alu1(nop(), ADD, ZERO, ZERO, ZERO, 3),
                NVC597_MME_DMA_READ_FIFOED, 0, OUT_IMM1),
        alu1(a0(EXTENDED, ZERO, IMM, IMMPAIR, 0x1000), ADD, ZERO, ZERO, ZERO,
             1),
        /* What it reads: address and payload. */
        emit_to(nop(), NVC597_SET_REPORT_SEMAPHORE_A, 1, OUT_LOAD0),
        out1(out0(nop(), NONE, OUT_LOAD0), NONE, OUT_LOAD1),
        alu1(a0(ADD, 1, IMM, ZERO, 1), ADD, 2, IMM, ZERO, 28),
        end_next(out0(a0(SLL, ZERO, 1, 2, 0), NONE, OUT_ALU0)),
        nop(),
    };
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh c;

    fe_channel(b, &c, 3);
    vgsp_ch_method(&c, SUBC_3D, NVC597_SET_MME_DATA_FIFO_CONFIG, 1);
    load_macro(&c, 0, 0, groups, ARRAY_SIZE(groups));
    vgsp_ch_sync(&c);
    for (uint32_t i = 1; i < 4; i++) {
        qtest_writel(b->q->qts, b->s.ram + DATA, VA(DATA) >> 32);
        qtest_writel(b->q->qts, b->s.ram + DATA + 4, VA(DATA) + 0x40 * i);
        qtest_writel(b->q->qts, b->s.ram + DATA + 8, 0xcafe0000 + i);
        vgsp_ch_header(&c, ONE_INC, SUBC_3D, NVC597_CALL_MME_MACRO(0), 2);
        vgsp_ch_word(&c, VA(DATA) >> 32);
        vgsp_ch_word(&c, VA(DATA));
        vgsp_ch_sync(&c);
        g_assert_cmphex(rd(b, DATA + 0x40 * i), ==, 0xcafe0000 + i);
    }
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* ---- 2D ---- */

static void surface(VgspCh *c, uint32_t first, uint32_t offset, bool pitch,
                    uint32_t width, uint32_t height)
{
    METHODS(c, SUBC_2D, first, NV902D_FORMAT_A8R8G8B8, pitch, 1 << 4, 1);
    METHODS(c, SUBC_2D, first + NV902D_SURFACE_PITCH, 1024, width, height,
            VA(offset) >> 32, VA(offset));
}

typedef struct Expected {
    VgspChBench *b;
    uint32_t (*pixel)(uint32_t x, uint32_t y);
    uint32_t width, height;
} Expected;

static void check_pixel(void *opaque, uint64_t offset, uint32_t x, uint32_t y,
                        uint32_t z)
{
    Expected *e = opaque;

    if (offset % 4 == 0 && x / 4 < e->width && y < e->height) {
        g_assert_cmphex(rd(e->b, DST + offset), ==, e->pixel(x / 4, y));
    }
}

static uint32_t blitted(uint32_t x, uint32_t y)
{
    if (x >= 9 && x < 12 && y >= 5 && y < 30) {
        return 0x80402010;
    }
    return x < 40 && y < 20 ? (x / 2) << 16 | (y / 2) : 0;
}

/* A blit to twice the size, from pitch to block-linear, and a rectangle. */
static void test_twod(void)
{
    RefSurface ref = { 50 * 4, 33, 1, 2, 1 };
    VgspChBench *b = vgsp_ch_bench_new();
    Expected e = { b, blitted, 50, 33 };
    VgspCh c;

    for (uint32_t y = 0; y < 10; y++) {
        for (uint32_t x = 0; x < 20; x++) {
            qtest_writel(b->q->qts, b->s.ram + SRC + 1024 * y + 4 * x,
                         x << 16 | y);
        }
    }
    fe_channel(b, &c, 3);
    vgsp_ch_method(&c, SUBC_2D, NV902D_SET_OPERATION,
                   NV902D_SET_OPERATION_V_SRCCOPY);
    surface(&c, NV902D_SET_DST_FORMAT, DST, false, 50, 33);
    surface(&c, NV902D_SET_SRC_FORMAT, SRC, true, 20, 10);
    vgsp_ch_method(&c, SUBC_2D, NV902D_SET_PIXELS_FROM_MEMORY_SAMPLE_MODE,
                   NV902D_SET_PIXELS_FROM_MEMORY_SAMPLE_MODE_ORIGIN_CORNER);
    METHODS(&c, SUBC_2D, NV902D_SET_PIXELS_FROM_MEMORY_DST_X0, 0, 0, 40, 20,
            0x80000000, 0, 0x80000000, 0, 0, 0, 0, 0);
    METHODS(&c, SUBC_2D, NV902D_RENDER_SOLID_PRIM_MODE,
            NV902D_RENDER_SOLID_PRIM_MODE_V_RECTS, NV902D_FORMAT_A8B8G8R8,
            0x80102040);
    METHODS(&c, SUBC_2D, NV902D_RENDER_SOLID_PRIM_POINT_SET_X(0), 9, 5, 12,
            30);
    vgsp_ch_sync(&c);
    ref_walk(&ref, check_pixel, &e);
    g_assert_cmpuint(b->rc.events, ==, 0);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

static uint32_t uploaded(uint32_t x, uint32_t y)
{
    return x >= 3 && x < 13 && y >= 6 && y < 12 ? (y - 6) * 10 + x - 3 : 0;
}

/* Lines of an upload, to a block-linear surface. */
static void test_upload(void)
{
    RefSurface ref = { 30 * 4, 20, 1, 2, 1 };
    VgspChBench *b = vgsp_ch_bench_new();
    Expected e = { b, uploaded, 30, 20 };
    VgspCh c;

    fe_channel(b, &c, 3);
    METHODS(&c, SUBC_COMPUTE, NVA140_LINE_LENGTH_IN, 40, 6, VA(DST) >> 32,
            VA(DST), 0, 1 << 4, 30 * 4, 20, 1, 0, 3 * 4, 6);
    vgsp_ch_header(&c, ONE_INC, SUBC_COMPUTE, NVA140_LAUNCH_DMA, 61);
    vgsp_ch_word(&c, 0);
    for (uint32_t i = 0; i < 60; i++) {
        vgsp_ch_word(&c, i);
    }
    vgsp_ch_sync(&c);
    ref_walk(&ref, check_pixel, &e);
    vgsp_ch_free(&c);
    vgsp_ch_bench_free(b);
}

/* ---- Errors ---- */

static void error_extra_parameter(VgspCh *c)
{
    METHODS(c, SUBC_3D, NVC597_CALL_MME_DATA(5), 1);
}

/* In what was never loaded: groups of ADDs, up to the end of the RAM. */
static void error_macro_runs_out(VgspCh *c)
{
    METHODS(c, SUBC_3D, NVC597_CALL_MME_MACRO(200), 1);
}

static void error_missing_inline_data(VgspCh *c)
{
    METHODS(c, SUBC_I2M, NVA140_LINE_LENGTH_IN, 8, 1, VA(DATA) >> 32,
            VA(DATA));
    METHODS(c, SUBC_I2M, NVA140_LAUNCH_DMA, 1, 0);
    METHODS(c, SUBC_I2M, NVA140_LAUNCH_DMA, 1);
}

static void error_operation(VgspCh *c)
{
    surface(c, NV902D_SET_DST_FORMAT, DST, true, 20, 10);
    surface(c, NV902D_SET_SRC_FORMAT, SRC, true, 20, 10);
    METHODS(c, SUBC_2D, NV902D_SET_OPERATION, 2);   /* BLEND_AND */
    METHODS(c, SUBC_2D, NV902D_PIXELS_FROM_MEMORY_SRC_Y0_INT, 0);
}

/* Each ends its channel, and no other. */
static void test_errors(void)
{
    static void (*const errors[])(VgspCh *c) = {
        error_extra_parameter, error_macro_runs_out,
        error_missing_inline_data, error_operation,
    };
    VgspChBench *b = vgsp_ch_bench_new();
    VgspCh good;

    fe_channel(b, &good, 1);
    load_report_macro(&good, 5, 0);
    for (unsigned i = 0; i < ARRAY_SIZE(errors); i++) {
        VgspCh c;

        fe_channel(b, &c, 2 + i);
        errors[i](&c);
        vgsp_ch_kick(&c);
        g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, i + 1));
        g_assert_cmpuint(b->rc.chid, ==, c.ch.chid);
        g_assert_cmpuint(b->rc.except_type, ==, ROBUST_CHANNEL_GR_EXCEPTION);
        vgsp_ch_free(&c);

        vgsp_ch_header(&good, ONE_INC, SUBC_3D, NVC597_CALL_MME_MACRO(5), 3);
        vgsp_ch_word(&good, VA(DATA) >> 32);
        vgsp_ch_word(&good, VA(DATA) + 0x100);
        vgsp_ch_word(&good, i + 1);
        vgsp_ch_sync(&good);
        g_assert_cmphex(rd(b, DATA + 0x100), ==, i + 1);
    }
    g_assert_cmpuint(b->rc.events, ==, ARRAY_SIZE(errors));
    vgsp_ch_free(&good);
    vgsp_ch_bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    qtest_add_func("/vgsp/fe/macro", test_macro);
    qtest_add_func("/vgsp/fe/macro-dma", test_macro_dma);
    qtest_add_func("/vgsp/fe/macro-whole", test_macro_whole);
    qtest_add_func("/vgsp/fe/twod", test_twod);
    qtest_add_func("/vgsp/fe/upload", test_upload);
    qtest_add_func("/vgsp/fe/errors", test_errors);
    return g_test_run();
}
