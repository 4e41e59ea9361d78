/*
 * Grids: CTAs in raster order, workers at once, slices, odd sizes, programs
 * that wait for each other, and what a fault names. Programs are assembled by
 * hand from exec-facts section 8.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <malloc.h>
#include <sys/resource.h>

#include "sm75-fixture.h"

/* c[i] = a[i] + b[i], n floats: a at MEM, b at +0x10000, c at +0x20000. */
static void vector_add(unsigned workers)
{
    Fixture *f = fixture_new(workers);
    const unsigned n = 1000;

    LOAD(f, s2r(0, SR_TID_X), s2r(1, SR_CTAID_X), imad_i(0, 1, 128, 0),
         isetp_i(0, 0, GE, n), at(0, exit_()),
         mov(2, (uint32_t)MEM), mov(3, MEM >> 32), imad_wide_i(2, 0, 4, 2),
         ldg(4, 2, 0, B32), ldg(5, 2, 0x10000, B32), fadd(6, 4, 5),
         stg(2, 0x20000, 6, B32), exit_());
    for (unsigned i = 0; i < 1024; i++) {
        ((float *)words(f, MEM))[i] = (float)i;
        ((float *)words(f, MEM + 0x10000))[i] = 0.5f * (float)i;
    }
    f->qmd.grid[0] = 8;
    f->qmd.block[0] = 128;
    launch_ok(f);
    for (unsigned i = 0; i < n; i++) {
        g_assert_cmpfloat(((float *)words(f, MEM + 0x20000))[i], ==,
                          1.5f * (float)i);
    }
    for (unsigned i = n; i < 1024; i++) {
        g_assert_cmpuint(words(f, MEM + 0x20000)[i], ==, 0);
    }
    fixture_free(f);
}

static void test_vector_add(void)
{
    vector_add(1);
}

static void test_vector_add_workers(void)
{
    vector_add(4);
}

/* Each CTA counts itself at [MEM + 4 * (x + 7 * (y + 5 * z))]. */
static void test_raster(void)
{
    Fixture *f = fixture_new(3);

    LOAD(f, s2r(0, SR_CTAID_X), s2r(1, SR_CTAID_Y), s2r(4, SR_CTAID_Z),
         imad_i(1, 4, 5, 1), imad_i(0, 1, 7, 0), s2r(5, SR_LANEID),
         isetp_i(0, 5, NE, 0), at(0, exit_()),
         mov(2, (uint32_t)MEM), mov(3, MEM >> 32), imad_wide_i(2, 0, 4, 2),
         ldg(6, 2, 0, B32), iadd_i(6, 6, 1), stg(2, 0, 6, B32), exit_());
    f->qmd.grid[0] = 7;
    f->qmd.grid[1] = 5;
    f->qmd.grid[2] = 3;
    f->qmd.block[0] = 33;
    f->qmd.block[1] = 3;
    launch_ok(f);
    /* 99 threads are four warps, each with a lane 0: three races on one word
     * that all write what they read, so 1..4; but never 0. */
    for (unsigned i = 0; i < 105; i++) {
        g_assert_cmpuint(words(f, MEM)[i], >=, 1);
        g_assert_cmpuint(words(f, MEM)[i], <=, 4);
    }
    g_assert_cmpuint(words(f, MEM)[105], ==, 0);
    fixture_free(f);
}

static void test_empty(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, put(op(0x95c), 84, 3, 3) /* BPT.TRAP */);
    f->qmd.grid[1] = 0;
    launch_ok(f);
    fixture_free(f);
}

/* CTAs with much local memory find it zero, one after the other. */
static void test_much_local(void)
{
    Fixture *f = fixture_new(2);
    /* LDL R5, [0x40000]; STL [0x40000], R0 */
    Word ldl = put(lds(5, RZ, 0x40000, B32), 0, 12, 0x983);
    Word stl = put(sts(RZ, 0x40000, 0, B32), 0, 12, 0x387);

    LOAD(f, PROLOGUE, iadd_i(0, 0, 1), ldl, stl, isetp_i(0, 5, NE, 0),
         at(0, stg(2, 0, 5, B32)), exit_());
    f->qmd.grid[0] = 12;
    f->qmd.block[0] = 64;
    f->qmd.local_size = 512 << 10;
    launch_ok(f);
    for (unsigned i = 0; i < 64; i++) {
        g_assert_cmpuint(words(f, MEM)[i], ==, 0);
    }
    fixture_free(f);
}

static void test_endless(void)
{
    Fixture *f = fixture_new(1);
    VgspGrid *g;

    LOAD(f, bra(0));
    f->qmd.grid[0] = 100;
    g = vgsp_grid_new(f->model, &f->qmd, &f->state);
    for (unsigned i = 0; i < 250; i++) {
        g_assert_true(vgsp_grid_run(g, &f->worker[0]));
        g_assert_false(vgsp_grid_done(g));
    }
    vgsp_grid_free(g);
    fixture_free(f);
}

/* A grid whose first CTA finds no memory waits for what others have. */
static void test_memory_bound(void)
{
    Fixture *f = fixture_new(1);
    VgspGrid *g[6];

    LOAD(f, bra(0));
    f->qmd.grid[0] = 8;
    f->qmd.block[0] = 1024;
    f->qmd.local_size = 512 << 10;      /* half a GiB a CTA */
    for (unsigned i = 0; i < 6; i++) {
        g[i] = vgsp_grid_new(f->model, &f->qmd, &f->state);
        g_assert_true(vgsp_grid_run(g[i], &f->worker[0]) == (i < 3));
        g_assert_false(vgsp_grid_done(g[i]));
    }
    for (unsigned i = 0; i < 3; i++) {
        vgsp_grid_free(g[i]);
        g_assert_true(vgsp_grid_run(g[i + 3], &f->worker[0]));
    }
    for (unsigned i = 3; i < 6; i++) {
        vgsp_grid_free(g[i]);
    }
    fixture_free(f);
}

/* Without local memory a CTA always runs; otherwise who came first is first. */
static void test_memory_order(void)
{
    Fixture *f = fixture_new(1);
    VgspGrid *g[3], *waits, *late, *small[8];

    LOAD(f, bra(0));
    f->qmd.block[0] = 1024;
    f->qmd.local_size = 512 << 10;
    for (unsigned i = 0; i < 3; i++) {
        g[i] = vgsp_grid_new(f->model, &f->qmd, &f->state);
        g_assert_true(vgsp_grid_run(g[i], &f->worker[0]));
    }
    waits = vgsp_grid_new(f->model, &f->qmd, &f->state);
    g_assert_false(vgsp_grid_run(waits, &f->worker[0]));
    /* There is room for this one, but not its turn. */
    f->qmd.local_size = 16 << 10;
    late = vgsp_grid_new(f->model, &f->qmd, &f->state);
    g_assert_false(vgsp_grid_run(late, &f->worker[0]));
    f->qmd.local_size = 0;
    f->qmd.shared_size = 0x10000;
    for (unsigned i = 0; i < G_N_ELEMENTS(small); i++) {
        small[i] = vgsp_grid_new(f->model, &f->qmd, &f->state);
        g_assert_true(vgsp_grid_run(small[i], &f->worker[0]));
        g_assert_cmpuint(vgsp_grid_memory(small[i]), ==, 0);
    }
    vgsp_grid_free(g[0]);
    g_assert_false(vgsp_grid_run(late, &f->worker[0]));
    g_assert_true(vgsp_grid_run(waits, &f->worker[0]));
    g_assert_true(vgsp_grid_run(late, &f->worker[0]));
    vgsp_grid_free(g[1]);
    vgsp_grid_free(g[2]);
    vgsp_grid_free(waits);
    vgsp_grid_free(late);
    for (unsigned i = 0; i < G_N_ELEMENTS(small); i++) {
        vgsp_grid_free(small[i]);
    }
    fixture_free(f);
}

/* One that waits and ends does not hold up the others. */
static void test_memory_leave(void)
{
    Fixture *f = fixture_new(1);
    VgspGrid *g[5];

    LOAD(f, bra(0));
    f->qmd.block[0] = 1024;
    f->qmd.local_size = 512 << 10;
    for (unsigned i = 0; i < 5; i++) {
        g[i] = vgsp_grid_new(f->model, &f->qmd, &f->state);
        g_assert_true(vgsp_grid_run(g[i], &f->worker[0]) == (i < 3));
    }
    vgsp_grid_free(g[0]);
    g_assert_false(vgsp_grid_run(g[4], &f->worker[0]));
    vgsp_grid_free(g[3]);
    g_assert_true(vgsp_grid_run(g[4], &f->worker[0]));
    for (unsigned i = 1; i < 5; i++) {
        if (i != 3) {
            vgsp_grid_free(g[i]);
        }
    }
    fixture_free(f);
}

/* Much memory that a CTA does not touch is nobody's work. */
static void test_untouched(void)
{
    Fixture *f = fixture_new(1);
    struct rusage before, after;

    /* What libc has had once it would clear. */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    LOAD(f, exit_());
    f->qmd.grid[0] = 8;
    f->qmd.local_size = 512 << 10;
    launch_ok(f);
    getrusage(RUSAGE_SELF, &before);
    launch_ok(f);
    getrusage(RUSAGE_SELF, &after);
    g_assert_cmpint(after.ru_maxrss - before.ru_maxrss, <, 4 << 10);
    fixture_free(f);
}

/* ---- Slices ---- */

/* What a slice may cost: some 50 ns a unit, one ordinary instruction. */
#define SLICE   20000

/*
 * How often one slice gets through a loop of eight times that instruction,
 * of one warp. R4:R5 are a page a lane; R6 and R7 are numbers.
 */
static unsigned loops(Word heavy)
{
    Fixture *f = fixture_new(1);
    unsigned n;
    VgspGrid *g;

    LOAD(f, mov(2, (uint32_t)MEM), mov(3, MEM >> 32), s2r(0, SR_LANEID),
         imad_wide_i(4, 0, 0x1010, 2), mov(6, 0x3fc00000), mov(7, 0x3fd00000),
         mov(40, 0),
         heavy, heavy, heavy, heavy, heavy, heavy, heavy, heavy,
         iadd_i(40, 40, 1), stg(2, 0, 40, B32), bra(-10));
    f->qmd.local_size = 0x1000;
    g = vgsp_grid_new(f->model, &f->qmd, &f->state);
    g_assert_true(vgsp_grid_run(g, &f->worker[0]));
    g_assert_false(vgsp_grid_done(g));
    n = words(f, MEM)[0];
    vgsp_grid_free(g);
    fixture_free(f);
    return n;
}

/* Slices end in time whatever their instructions take. */
static void test_slice_cost(void)
{
    Word rrr = put(put(put(op0(0), 16, 8, 30), 32, 8, 6), 64, 8, 6);
    /* Lane 0 must not count for the loop. */
    Word atomic = put(atomg(32, 4, 6, ADD, ATOM_U32), 40, 24, 0x40);

    g_assert_cmpuint(loops(iadd3(30, 6, 7, RZ)), >, SLICE / 14);
    /* Those take 10 as long, or more: DFMA, MUFU.COS, F2F.F32.F64.RM */
    g_assert_cmpuint(loops(put(rrr, 0, 12, 0x22b)), <=, SLICE / 80);
    g_assert_cmpuint(loops(put(rrr, 0, 12, 0x308)), <=, SLICE / 160);
    g_assert_cmpuint(loops(put(put(put(put(rrr, 0, 12, 0x310), 75, 2, 2),
                                   84, 2, 3), 78, 2, 1)), <=, SLICE / 400);
    /* A page, or an atomic operation, a lane. */
    g_assert_cmpuint(loops(ldg(32, 4, 0, B32)), <=, SLICE / 160);
    g_assert_cmpuint(loops(ldg(32, 4, 0, B128)), <=, SLICE / 160);
    g_assert_cmpuint(loops(stg(4, 0x40, 32, B128)), <=, SLICE / 160);
    g_assert_cmpuint(loops(atomic), <=, SLICE / 400);
    /* MATCH.ANY; one that no lane executes. */
    g_assert_cmpuint(loops(put(put(put(op0(0x3a1), 16, 8, 30), 24, 8, 0),
                               79, 1, 1)), <=, SLICE / 400);
    g_assert_cmpuint(loops(at(PT | NOT, atomic)), >, SLICE / 14);
}

/* So does one of CTAs that do nothing but have much to clear. */
static void test_slice_ctas(void)
{
    Fixture *f = fixture_new(1);
    unsigned slices = 0;
    VgspGrid *g;

    LOAD(f, exit_());
    f->qmd.grid[0] = 3000;
    f->qmd.shared_size = 0x10000;
    g = vgsp_grid_new(f->model, &f->qmd, &f->state);
    while (!vgsp_grid_done(g)) {
        g_assert_true(vgsp_grid_run(g, &f->worker[0]));
        slices++;
    }
    /* 64 KiB are a 320th of a slice. */
    g_assert_cmpuint(slices, >=, 3000 / 320);
    vgsp_grid_free(g);
    fixture_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/grid/vector-add", test_vector_add);
    g_test_add_func("/grid/vector-add-workers", test_vector_add_workers);
    g_test_add_func("/grid/raster", test_raster);
    g_test_add_func("/grid/empty", test_empty);
    g_test_add_func("/grid/much-local", test_much_local);
    g_test_add_func("/grid/endless", test_endless);
    g_test_add_func("/grid/memory-bound", test_memory_bound);
    g_test_add_func("/grid/memory-order", test_memory_order);
    g_test_add_func("/grid/memory-leave", test_memory_leave);
    g_test_add_func("/grid/untouched", test_untouched);
    g_test_add_func("/grid/slice-cost", test_slice_cost);
    g_test_add_func("/grid/slice-ctas", test_slice_ctas);
    return g_test_run();
}
