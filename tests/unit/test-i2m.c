/*
 * Inline-to-memory: where the data goes in both layouts, completion, and what
 * is an error.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model-double.h"
#include "model/i2m.c"
#include "block-linear-ref.h"

static VgspI2m *i2m;
static VgspContext *ctx;

static VgspFeEnd method(uint32_t address, uint32_t data)
{
    return vgsp_i2m_method(i2m, ctx, &ctx->worker, VGSP_SUBC_COMPUTE, address,
                           data);
}

static void done(uint32_t address, uint32_t data)
{
    g_assert_cmpint(method(address, data), ==, VGSP_FE_DONE);
}

static void setup(void)
{
    ctx = double_new();
    i2m = vgsp_i2m_new();
    memset(ctx->memory, 0xee, DOUBLE_SIZE);
}

static void teardown(void)
{
    vgsp_i2m_free(i2m);
    double_free(ctx);
}

static void set_lines(uint64_t va, uint32_t length, uint32_t count)
{
    done(0x180, length);
    done(0x184, count);
    done(0x188, (uint32_t)(va >> 32));
    done(0x18c, (uint32_t)va);
}

/* Byte i of the data, without what pads lines. */
static uint8_t stream(uint32_t i)
{
    return (uint8_t)(i * 7 + (i >> 8) + 1);
}

/*
 * Loads lines of n bytes. Each ends with its word; beyond it there is what must
 * not be written.
 */
static void load_stream(uint32_t n, uint32_t lines)
{
    for (uint32_t line = 0; line < lines; line++) {
        for (uint32_t i = 0; i < n; i += 4) {
            uint32_t word = 0;

            for (uint32_t j = i; j < i + 4; j++) {
                word |= (uint32_t)(j < n ? stream(line * n + j) : 0x99) <<
                        (8 * (j - i));
            }
            done(0x1b4, word);
        }
    }
}

/* GH100 silicon: two lines of 7 bytes, each from a word of its own. */
static void test_line_padding(void)
{
    setup();
    set_lines(DOUBLE_VA + 0x20, 7, 2);
    done(0x190, 33);
    done(0x1b0, 1);
    done(0x1b4, 0x01020304);
    done(0x1b4, 0x02040609);
    done(0x1b4, 0x0306090e);
    done(0x1b4, 0x04080c13);
    g_assert_cmphex(vgsp_le32(ctx->memory + 0x20), ==, 0x01020304);
    g_assert_cmphex(vgsp_le32(ctx->memory + 0x24), ==, 0xee040609);
    g_assert_cmphex(vgsp_le32(ctx->memory + 0x40), ==, 0x06090eee);
    g_assert_cmphex(vgsp_le32(ctx->memory + 0x44), ==, 0x080c1303);
    teardown();
}

static void test_owns(void)
{
    g_assert_false(vgsp_i2m_owns(0x17c));
    g_assert_true(vgsp_i2m_owns(0x180));
    g_assert_true(vgsp_i2m_owns(0x1b4));
    g_assert_false(vgsp_i2m_owns(0x1b8));
    g_assert_false(vgsp_i2m_owns(0x1d8));
    g_assert_true(vgsp_i2m_owns(0x1dc));
    g_assert_true(vgsp_i2m_owns(0x1e4));
    g_assert_false(vgsp_i2m_owns(0x1e8));
}

static void test_one_line(void)
{
    /* Any alignment, and a length that is no multiple of 4. */
    for (uint32_t n = 1; n < 12; n++) {
        setup();
        set_lines(DOUBLE_VA + 0x101, n, 1);
        done(0x1b0, 0x1001);
        load_stream(n, 1);
        for (uint32_t i = 0; i < n; i++) {
            g_assert_cmphex(ctx->memory[0x101 + i], ==, stream(i));
        }
        g_assert_cmphex(ctx->memory[0x100], ==, 0xee);
        g_assert_cmphex(ctx->memory[0x101 + n], ==, 0xee);
        g_assert_cmpuint(ctx->calls, ==, 0);
        teardown();
    }
}

static void test_pitch(void)
{
    static const int32_t pitches[] = { 9, 64, 3, -16 };

    for (unsigned p = 0; p < G_N_ELEMENTS(pitches); p++) {
        const uint32_t length = 7, count = 5, base = 0x1000;
        g_autofree uint8_t *expected = g_malloc(0x2000);

        setup();
        memset(expected, 0xee, 0x2000);
        for (uint32_t i = 0; i < length * count; i++) {
            expected[(int32_t)base + (int32_t)(i / length) * pitches[p] +
                     (int32_t)(i % length)] = stream(i);
        }
        set_lines(DOUBLE_VA + base, length, count);
        done(0x190, (uint32_t)pitches[p]);
        done(0x1b0, 1);
        load_stream(length, count);
        g_assert_cmpmem(ctx->memory, 0x2000, expected, 0x2000);
        teardown();
    }
}

/* ---- Block-linear ---- */

typedef struct Rect {
    uint8_t *expected;
    uint32_t x, y, z, length, count;
} Rect;

static void expect_rect(void *opaque, uint64_t offset, uint32_t x, uint32_t y,
                        uint32_t z)
{
    Rect *r = opaque;

    if (z == r->z && x >= r->x && x < r->x + r->length && y >= r->y &&
        y < r->y + r->count) {
        r->expected[offset] = stream((y - r->y) * r->length + x - r->x);
    }
}

static void block_linear(unsigned height, unsigned depth, uint32_t layer)
{
    RefSurface s = {
        .width = 150, .height = (8u << height) + 5, .depth = 5,
        .block_height = 1u << height, .block_depth = 1u << depth,
    };
    Rect r = {
        .x = 13, .y = 3, .z = layer, .length = 101,
        .count = (8u << height) + 1,
    };
    const uint32_t size = 1 << 20;

    setup();
    r.expected = g_malloc(size);
    memset(r.expected, 0xee, size);
    g_assert_cmpuint(ref_walk(&s, expect_rect, &r), <=, size);
    set_lines(DOUBLE_VA, r.length, r.count);
    done(0x190, 0x12345);       /* PITCH does not matter */
    done(0x194, height << 4 | depth << 8);
    done(0x198, s.width);
    done(0x19c, s.height);
    done(0x1a0, s.depth);
    done(0x1a4, layer);
    done(0x1a8, r.x);
    done(0x1ac, r.y);
    done(0x1b0, 0);
    load_stream(r.length, r.count);
    g_assert_cmpmem(ctx->memory, size, r.expected, size);
    g_free(r.expected);
    teardown();
}

static void test_block_linear(void)
{
    for (unsigned height = 0; height <= 5; height++) {
        block_linear(height, 0, 0);
        block_linear(height, 1, 1);
        block_linear(height, 2, 4);
    }
}

/* ---- Completion ---- */

static void complete_with(uint32_t launch)
{
    setup();
    set_lines(DOUBLE_VA, 4, 1);
    done(0x1dc, (uint32_t)(DOUBLE_VA >> 32));
    done(0x1e0, (uint32_t)DOUBLE_VA + 0x80);
    done(0x1e4, 0xabcd);
    done(0x1b0, launch);
    g_assert_cmpuint(ctx->calls, ==, 0);
    done(0x1b4, 5);
}

static void test_completion(void)
{
    complete_with(0x01);
    g_assert_cmpuint(ctx->calls, ==, 0);
    teardown();

    complete_with(0x11);             /* FLUSH_ONLY */
    g_assert_cmpuint(ctx->calls, ==, 1);
    g_assert_cmpint(ctx->call[0].kind, ==, CALL_FLUSH);
    teardown();

    for (unsigned one_word = 0; one_word < 2; one_word++) {
        complete_with(0x21 | one_word << 12);
        g_assert_cmpuint(ctx->calls, ==, 1);
        g_assert_cmpint(ctx->call[0].kind, ==, CALL_RELEASE);
        g_assert_cmphex(ctx->call[0].va, ==, DOUBLE_VA + 0x80);
        g_assert_cmphex(ctx->call[0].data, ==, 0xabcd);
        g_assert_cmpint(ctx->call[0].one_word, ==, one_word);
        teardown();
    }

    /* RED_MAX, signed; one word. */
    complete_with(0x21 | 1 << 12 | 1 << 1 | 1 << 2 | 2 << 13);
    g_assert_cmpuint(ctx->calls, ==, 1);
    g_assert_cmpint(ctx->call[0].kind, ==, CALL_REDUCE);
    g_assert_cmphex(ctx->call[0].va, ==, DOUBLE_VA + 0x80);
    g_assert_cmpuint(ctx->call[0].method, ==, 2);
    g_assert_true(ctx->call[0].is_signed);
    g_assert_true(ctx->call[0].one_word);
    teardown();

    /* The interrupt comes behind the release. */
    complete_with(0x121);
    g_assert_cmpint(ctx->call[0].kind, ==, CALL_RELEASE);
    g_assert_cmpint(ctx->call[ctx->calls - 1].kind, ==, CALL_INTERRUPT);
    teardown();
}

static void test_nothing_to_load(void)
{
    setup();
    set_lines(DOUBLE_VA, 0, 1);
    done(0x1b0, 0x11);
    g_assert_cmpuint(ctx->calls, ==, 1);
    teardown();
}

static void test_state_persists(void)
{
    /* A second launch goes where the first one went. */
    setup();
    set_lines(DOUBLE_VA, 4, 1);
    done(0x1b0, 1);
    done(0x1b4, 1);
    done(0x1b0, 1);
    done(0x1b4, 2);
    g_assert_cmphex(ctx->memory[0], ==, 2);
    g_assert_cmphex(ctx->memory[4], ==, 0xee);
    teardown();
}

/* ---- Errors ---- */

static void test_extra_data(void)
{
    setup();
    set_lines(DOUBLE_VA, 5, 1);
    done(0x1b0, 1);
    load_stream(5, 1);
    g_assert_cmpint(method(0x1b4, 0), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MEMFMT, 0);
    g_assert_cmphex(ctx->method, ==, 0x1b4);
    g_assert_cmpuint(ctx->subchannel, ==, VGSP_SUBC_COMPUTE);
    teardown();
}

static void test_missing_data(void)
{
    setup();
    set_lines(DOUBLE_VA, 5, 1);
    done(0x1b0, 1);
    done(0x1b4, 0);
    g_assert_cmpint(method(0x1b0, 1), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_MEMFMT, 1);
    teardown();
}

static void assert_illegal(uint32_t block, uint32_t offset, uint32_t launch)
{
    setup();
    set_lines(DOUBLE_VA + offset, 4, 1);
    done(0x194, block);
    g_assert_cmpint(method(0x1b0, launch), ==, VGSP_FE_ERROR);
    double_assert_error(ctx, VGSP_EXC_ILLEGAL_DATA, launch);
    teardown();
}

static void test_illegal(void)
{
    assert_illegal(0x001, 0, 0);        /* blocks two GOBs wide */
    assert_illegal(0x060, 0, 0);
    assert_illegal(0x600, 0, 0);
    assert_illegal(0, 0x100, 0);        /* within a GOB */
    assert_illegal(0, 0, 0x31);         /* completion type 3 */
    assert_illegal(0, 0, 0x201);        /* interrupt type 2 */
    assert_illegal(0, 0, 0x23 | 2 << 2); /* reduction format 2 */
    setup();
    /* None of these matter to a pitch surface. */
    set_lines(DOUBLE_VA + 0x100, 4, 1);
    done(0x194, 0x661);
    done(0x1b0, 1);
    teardown();
}

static void test_fault(void)
{
    setup();
    set_lines(DOUBLE_VA + DOUBLE_SIZE - 4, 8, 1);
    done(0x1b0, 1);
    done(0x1b4, 0);
    g_assert_cmpint(method(0x1b4, 0), ==, VGSP_FE_ERROR);
    g_assert_true(ctx->faulted);
    g_assert_cmphex(ctx->fault_va, ==, DOUBLE_VA + DOUBLE_SIZE);
    teardown();
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/i2m/owns", test_owns);
    g_test_add_func("/i2m/one-line", test_one_line);
    g_test_add_func("/i2m/line-padding", test_line_padding);
    g_test_add_func("/i2m/pitch", test_pitch);
    g_test_add_func("/i2m/block-linear", test_block_linear);
    g_test_add_func("/i2m/completion", test_completion);
    g_test_add_func("/i2m/nothing-to-load", test_nothing_to_load);
    g_test_add_func("/i2m/state-persists", test_state_persists);
    g_test_add_func("/i2m/extra-data", test_extra_data);
    g_test_add_func("/i2m/missing-data", test_missing_data);
    g_test_add_func("/i2m/illegal", test_illegal);
    g_test_add_func("/i2m/fault", test_fault);
    return g_test_run();
}
