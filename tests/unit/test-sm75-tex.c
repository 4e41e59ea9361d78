/*
 * sm_75: instructions of the texture and surface units, as hand-assembled
 * programs. Operands and results as exec-facts 9.4 and 9.5 describe them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sm75-fixture.h"

#define HEADERS         (MEM + 0x10000)
#define SAMPLERS        (MEM + 0x11000)
#define IMAGE           (MEM + 0x20000)
#define RESULT(lane, n) words(f, MEM)[(lane) * 4 + (n)]

enum { FMT_RGBA32 = 0x01, FMT_RG32 = 0x04, FMT_R32 = 0x0f };
enum { TYPE_UINT = 4, TYPE_FLOAT = 7 };
enum { TEX_2D = 1, TEX_3D = 2, TEX_1D_ARRAY = 4, TEX_2D_ARRAY = 5 };
enum { DIM_2D = 1, DIM_3D = 2, DIM_2D_ARRAY = 5 };
enum { IMG_2D = 3, IMG_2D_ARRAY = 4 };
enum { LZ = 1, LL = 3 };

static void field(uint32_t *w, unsigned hi, unsigned lo, uint32_t v)
{
    for (unsigned b = lo; b <= hi; b++) {
        w[b / 32] &= ~(1u << b % 32);
        w[b / 32] |= (v >> (b - lo) & 1) << b % 32;
    }
}

/* Header n: block-linear with blocks of one GOB, sources R G B A. */
static uint32_t *header(Fixture *f, unsigned n, unsigned format, unsigned type,
                        unsigned dim, unsigned width, unsigned height,
                        unsigned depth, unsigned levels)
{
    uint32_t *w = words(f, HEADERS) + 8 * n;

    field(w, 6, 0, format);
    for (unsigned i = 0; i < 4; i++) {
        field(w, 9 + 3 * i, 7 + 3 * i, type);
        field(w, 21 + 3 * i, 19 + 3 * i, 2 + i);
    }
    w[1] = (uint32_t)IMAGE;
    field(w, 80, 64, IMAGE >> 32);
    field(w, 87, 85, 3);
    field(w, 127, 124, levels - 1);
    field(w, 144, 128, width - 1);
    field(w, 175, 160, height - 1);
    field(w, 189, 176, depth - 1);
    field(w, 154, 151, dim);
    field(w, 191, 191, 1);
    field(w, 231, 228, levels - 1);
    return w;
}

static Fixture *rig(void)
{
    Fixture *f = fixture_new(1);
    uint32_t *s = words(f, SAMPLERS) + 8; /* sampler 1: nearest everywhere */

    f->state.tex_header_pool = HEADERS;
    f->state.tex_header_max = 15;
    f->state.sampler_pool = SAMPLERS;
    f->state.sampler_max = 3;
    s[0] = 2 | 2 << 3 | 2 << 6;           /* clamp to edge */
    s[1] = 1 | 1 << 4 | 2 << 6;           /* nearest, nearest level */
    s[2] = 0xfff << 12;
    return f;
}

static Word tex(unsigned code, unsigned d, unsigned d2, unsigned a, unsigned b,
                unsigned dim, unsigned mask, unsigned mode)
{
    Word i = put(put(put(op0(code), 16, 8, d), 64, 8, d2), 24, 8, a);

    i = put(put(put(put(i, 32, 8, b), 61, 3, dim), 72, 4, mask), 87, 3, mode);
    return put(put(i, 81, 3, PT), 59, 1, 1);
}

static Word suld(unsigned d, unsigned a, unsigned handle, unsigned dim,
                 unsigned mask)
{
    Word i = put(put(put(op0(0x998), 16, 8, d), 24, 8, a), 64, 8, handle);

    return put(put(put(i, 61, 3, dim), 72, 4, mask), 81, 3, PT);
}

static Word sust(unsigned a, unsigned v, unsigned handle, unsigned dim,
                 unsigned mask)
{
    Word i = put(put(put(op0(0x99c), 32, 8, v), 24, 8, a), 64, 8, handle);

    return put(put(i, 61, 3, dim), 72, 4, mask);
}

static Word suatom(unsigned code, unsigned d, unsigned a, unsigned v,
                   unsigned handle, unsigned what, unsigned type)
{
    Word i = put(put(put(op0(code), 16, 8, d), 24, 8, a), 32, 8, v);

    i = put(put(put(i, 64, 8, handle), 61, 3, IMG_2D), 73, 3, type);
    return put(put(i, 81, 3, PT), 87, code == 0x3a0 ? 3 : 4, what);
}

/* R2:R3 = MEM + 16 * lane, where R8 to R11 go at the end. */
#define BEGIN                                                               \
    s2r(0, SR_LANEID), mov(2, (uint32_t)MEM), mov(3, MEM >> 32),            \
    imad_wide_i(2, 0, 16, 2),                                               \
    mov(8, 0xaa), mov(9, 0xbb), mov(10, 0xcc), mov(11, 0xdd)
#define END stg(2, 0, 8, B128), exit_()

/* Texel (lane & 3, 1) of a row of four; what the mask leaves out stays. */
static void test_tld(void)
{
    Fixture *f = rig();

    header(f, 1, FMT_RGBA32, TYPE_UINT, TEX_2D, 4, 2, 1, 1);
    for (unsigned x = 0; x < 4; x++) {
        /* Row 1 of a GOB lies 16 bytes further, column 16 at 0x40. */
        uint32_t *texel = words(f, IMAGE + 0x10 + 0x40 * (x & 1) +
                                   0x100 * (x >> 1));

        for (unsigned c = 0; c < 4; c++) {
            texel[c] = 100 * x + c;
        }
    }
    LOAD(f, BEGIN, mov_r(4, 0), mov(5, 1), mov(6, 1),
         tex(0x367, 8, 10, 4, 6, DIM_2D, 0xb, LZ), END);
    launch_ok(f);
    for (unsigned lane = 0; lane < 4; lane++) {
        g_assert_cmpuint(RESULT(lane, 0), ==, 100 * lane);
        g_assert_cmpuint(RESULT(lane, 1), ==, 100 * lane + 1);
        g_assert_cmpuint(RESULT(lane, 2), ==, 100 * lane + 3);
        g_assert_cmphex(RESULT(lane, 3), ==, 0xdd);
    }
    /* Outside of the image. */
    g_assert_cmpuint(RESULT(4, 0), ==, 0);
    fixture_free(f);
}

/* The null descriptor, and a header that is no header. */
static void test_null(void)
{
    Fixture *f = rig();
    uint32_t *w;

    LOAD(f, BEGIN, mov_r(4, 0), mov(5, 1), mov(6, 0),
         tex(0x367, 8, 10, 4, 6, DIM_2D, 0xf, LZ), END);
    launch_ok(f);
    for (unsigned n = 0; n < 4; n++) {
        g_assert_cmpuint(RESULT(7, n), ==, 0);
    }
    w = header(f, 1, FMT_R32, TYPE_UINT, TEX_2D, 4, 2, 1, 1);
    field(w, 6, 0, 0x40);       /* ASTC: no desktop chip's */
    LOAD(f, BEGIN, mov_r(4, 0), mov(5, 1), mov(6, 1),
         tex(0x367, 8, 10, 4, 6, DIM_2D, 0xf, LZ), END);
    g_assert_false(launch(f));
    g_assert_cmpuint(f->fault.type, ==, VGSP_EXC_NOT_MODELLED);
    g_assert_cmphex(f->fault.pc, ==, CODE + 11 * 16);
    fixture_free(f);
}

/* Layer 1 of an array, level 1: 2x1 texels. Index, coordinates; handle, LOD. */
static void test_tex(void)
{
    Fixture *f = rig();

    header(f, 1, FMT_R32, TYPE_UINT, TEX_2D_ARRAY, 4, 2, 2, 2);
    /* A level is a GOB here, a layer is two. */
    words(f, IMAGE + 0x600)[0] = 70;
    words(f, IMAGE + 0x600)[1] = 71;
    LOAD(f, BEGIN, mov(4, 1), mov(5, 0x3f400000 /* 0.75 */), mov(6, 0),
         mov(12, 1 | 1 << 20), mov(13, 0x3f800000),
         tex(0x361, 8, 10, 4, 12, DIM_2D_ARRAY, 0x1, LL), END);
    launch_ok(f);
    g_assert_cmpuint(RESULT(31, 0), ==, 71);
    g_assert_cmphex(RESULT(31, 1), ==, 0xbb);
    fixture_free(f);
}

/*
 * Without a level the quad's coordinates give it, also if the result replaces
 * them: neighbours are two texels apart, so it is level 1.
 */
static void test_quad(void)
{
    Fixture *f = rig();

    header(f, 1, FMT_R32, TYPE_UINT, TEX_2D, 16, 1, 1, 5);
    words(f, IMAGE + 0x200)[0] = 10;
    words(f, IMAGE + 0x200)[1] = 11;
    LOAD(f, BEGIN, mov(8, 0 /* and 0.125 in odd lanes */),
         mov(9, 0), mov(12, 1 | 1 << 20),
         isetp_i(0, 0, EQ, 1), at(0, mov(8, 0x3e000000)),
         isetp_i(0, 0, EQ, 3), at(0, mov(8, 0x3e000000)),
         tex(0x361, 8, 10, 8, 12, DIM_2D, 0x1, 0), END);
    launch_ok(f);
    g_assert_cmpuint(RESULT(0, 0), ==, 10);
    g_assert_cmpuint(RESULT(1, 0), ==, 11);
    g_assert_cmpuint(RESULT(3, 0), ==, 11);
    fixture_free(f);
}

static void test_txq(void)
{
    Fixture *f = rig();

    header(f, 1, FMT_R32, TYPE_UINT, TEX_2D_ARRAY, 40, 20, 7, 3);
    LOAD(f, BEGIN, mov(4, 1), mov(5, 1),
         put(tex(0x370, 8, 10, 4, RZ, 0, 0xf, 0), 81, 3, 0), END);
    launch_ok(f);
    g_assert_cmpuint(RESULT(0, 0), ==, 20);
    g_assert_cmpuint(RESULT(0, 1), ==, 10);
    g_assert_cmpuint(RESULT(0, 2), ==, 7);
    g_assert_cmpuint(RESULT(0, 3), ==, 3);
    fixture_free(f);
}

/* Stores and loads; what the handle has above its index is the driver's. */
static void test_surface(void)
{
    Fixture *f = rig();

    header(f, 2, FMT_R32, TYPE_UINT, TEX_2D, 16, 1, 1, 1);
    LOAD(f, BEGIN, mov_r(4, 0), mov(5, 0), mov(6, 2 | 0xabu << 20),
         imad_i(7, 0, 3, 0), sust(4, 7, 6, IMG_2D, 1),
         suld(8, 4, 6, IMG_2D, 1), END);
    launch_ok(f);
    for (unsigned x = 0; x < 16; x++) {
        /* Column 4 n of 4 bytes: sectors of 16. */
        static const unsigned sector[] = { 0, 0x40, 0x100, 0x140 };

        g_assert_cmpuint(words(f, IMAGE + sector[x / 4])[x % 4], ==, 4 * x);
        g_assert_cmpuint(RESULT(x, 0), ==, 4 * x);
    }
    g_assert_cmpuint(words(f, IMAGE + 0x10)[0], ==, 0);
    g_assert_cmpuint(RESULT(16, 0), ==, 0);
    fixture_free(f);
}

static void test_atomics(void)
{
    Fixture *f = rig();

    header(f, 1, FMT_R32, TYPE_UINT, TEX_2D, 4, 1, 1, 1);
    header(f, 2, FMT_RG32, TYPE_UINT, TEX_2D, 2, 1, 1, 1);
    words(f, IMAGE)[0] = 5;
    LOAD(f, BEGIN, mov(4, 0), mov(5, 0), mov(6, 1), mov(7, 2),
         suatom(0x394, 8, 4, 7, 6, ADD, ATOM_U32),
         mov(4, 1), suatom(0x3a0, 0, 4, 0, 6, MAX, ATOM_U32),
         /* Compare with 31, store 99: packed. */
         mov(12, 31), mov(13, 99),
         suatom(0x396, 9, 4, 12, 6, 0, ATOM_U32), END);
    launch_ok(f);
    g_assert_cmpuint(words(f, IMAGE)[0], ==, 5 + 2 * 32);
    for (unsigned lane = 0; lane < 32; lane++) {
        g_assert_cmpuint(RESULT(lane, 0), ==, 5 + 2 * lane);
        g_assert_cmpuint(RESULT(lane, 1), ==, lane ? 99 : 31);
    }
    g_assert_cmpuint(words(f, IMAGE)[1], ==, 99);

    /* 64 bits on an image of two words. */
    words(f, IMAGE)[0] = ~0u;
    words(f, IMAGE)[1] = 0;
    LOAD(f, BEGIN, mov(4, 0), mov(5, 0), mov(6, 2), mov(12, 1), mov(13, 0),
         suatom(0x394, 8, 4, 12, 6, ADD, ATOM_U64), END);
    launch_ok(f);
    g_assert_cmpuint(words(f, IMAGE)[0], ==, 31);
    g_assert_cmpuint(words(f, IMAGE)[1], ==, 1);
    g_assert_cmpuint(RESULT(1, 1), ==, 1);
    fixture_free(f);
}

/* A sparse page says so in the predicate; an unmapped one is a fault. */
static void test_residency(void)
{
    Fixture *f = rig();
    uint32_t *w = header(f, 1, FMT_R32, TYPE_UINT, TEX_2D, 4, 1, 1, 1);

    w[1] = (uint32_t)SPARSE;
    field(w, 80, 64, SPARSE >> 32);
    LOAD(f, BEGIN, mov(4, 0), mov(5, 0), mov(6, 1),
         put(tex(0x367, 8, 10, 4, 6, DIM_2D, 0x1, LZ), 81, 3, 1),
         at(1, mov(9, 1)), END);
    launch_ok(f);
    g_assert_cmpuint(RESULT(0, 0), ==, 0);
    g_assert_cmpuint(RESULT(0, 1), ==, 1);

    field(w, 80, 64, 0x1f);
    g_assert_false(launch(f));
    g_assert_cmpuint(f->fault.kind, ==, VGSP_OWNER_FAULT_MMU);
    g_assert_cmphex(f->fault.address, ==,
                    UINT64_C(0x1f) << 32 | (uint32_t)SPARSE);
    fixture_free(f);
}

/*
 * A slice ends after a few lookups: of 32 lanes and 16 texels each, in three
 * dimensions and two levels.
 */
static void test_slice(void)
{
    Fixture *f = rig();
    Word lookup = tex(0x361, 8, 10, 12, 20, DIM_3D, 0xf, LL);
    VgspGrid *g;

    header(f, 1, FMT_RGBA32, TYPE_FLOAT, TEX_3D, 16, 16, 4, 2);
    words(f, SAMPLERS)[8 + 1] = 2 | 2 << 4 | 3 << 6;    /* linear */
    LOAD(f, mov(2, (uint32_t)MEM), mov(3, MEM >> 32), mov(12, 0x3f000000),
         mov_r(13, 12), mov_r(14, 12), mov(20, 1 | 1 << 20),
         mov(21, 0x3f000000), mov(40, 0),
         lookup, lookup, iadd_i(40, 40, 1), stg(2, 0, 40, B32), bra(-4));
    g = vgsp_grid_new(f->model, &f->qmd, &f->state);
    g_assert_true(vgsp_grid_run(g, &f->worker[0]));
    g_assert_false(vgsp_grid_done(g));
    g_assert_cmpuint(words(f, MEM)[0], >=, 1);
    g_assert_cmpuint(words(f, MEM)[0], <=, 20000 / (2 * 32 * 16 * 2));
    vgsp_grid_free(g);
    fixture_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sm75-tex/tld", test_tld);
    g_test_add_func("/sm75-tex/null", test_null);
    g_test_add_func("/sm75-tex/tex", test_tex);
    g_test_add_func("/sm75-tex/quad", test_quad);
    g_test_add_func("/sm75-tex/txq", test_txq);
    g_test_add_func("/sm75-tex/surface", test_surface);
    g_test_add_func("/sm75-tex/atomics", test_atomics);
    g_test_add_func("/sm75-tex/residency", test_residency);
    g_test_add_func("/sm75-tex/slice", test_slice);
    return g_test_run();
}
