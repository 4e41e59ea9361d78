/*
 * Control flow of sm_75: divergence and convergence, calls, barriers of a CTA,
 * locks between lanes, warps and CTAs. Programs are assembled by hand from
 * exec-facts sections 8.5 and 8.6.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sm75-fixture.h"

#define ALL     0xffffffffu

/* R2:R3 = MEM + 4 * tid.x, R0 = tid.x: four instructions. */

static void check_all(Fixture *f, uint32_t value)
{
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmphex(words(f, MEM)[i], ==, value);
    }
}

/* Two branches of an if meet at BSYNC: the ballot behind it has all lanes. */
static void test_if_else(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE,
         isetp_i(0, 0, LT, 8),
         bssy(0, 7),
         at(0, bra(4)),
         ballot(5, PT), mov(6, 0x100),          /* lanes 8..31 */
         bra(3),
         ballot(5, PT), mov(6, 0x200),          /* lanes 0..7 */
         /* bssy + 7 is here, less one: */
         bsync(0),
         ballot(7, PT),
         stg(2, 0, 5, B32), stg(2, 0x100, 6, B32), stg(2, 0x200, 7, B32),
         exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmphex(words(f, MEM)[i], ==, i < 8 ? 0xff : 0xffffff00);
        g_assert_cmphex(words(f, MEM + 0x100)[i], ==, i < 8 ? 0x200 : 0x100);
        g_assert_cmphex(words(f, MEM + 0x200)[i], ==, ALL);
    }
    fixture_free(f);
}

/* Lane n goes round n + 1 times; the loop counts in R6. */
static void test_loop(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE, mov(6, 0), mov_r(7, 0), bssy(0, 6),
         iadd_i(6, 6, 1), iadd_i(7, 7, -1u), isetp_i(0, 7, NE, -1u),
         at(0, bra(-3)),
         bsync(0), ballot(8, PT),
         stg(2, 0, 6, B32), stg(2, 0x100, 8, B32), exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmpuint(words(f, MEM)[i], ==, i + 1);
        g_assert_cmphex(words(f, MEM + 0x100)[i], ==, ALL);
    }
    fixture_free(f);
}

/*
 * Both branches use B1 for an inner if: the masks of groups that have diverged
 * are their own.
 */
static void test_nested_same_barrier(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE,
         isetp_i(0, 0, LT, 16),
         put(isetp_i(1, 0, LT, 8), 81, 3, 1),   /* P1 = lane < 8 */
         isetp_i(2, 0, LT, 24),                 /* P2 = lane < 24 */
         bssy(0, 14),
         at(0, bra(7)),
         bssy(1, 4),                            /* lanes 16..31 */
         at(2, bra(2)),
         mov(6, 1),
         bsync(1),
         ballot(5, PT),
         bra(6),
         bssy(1, 4),                            /* lanes 0..15 */
         at(1, bra(2)),
         mov(6, 1),
         bsync(1),
         ballot(5, PT),
         bsync(0),
         ballot(7, PT),
         stg(2, 0, 5, B32), stg(2, 0x200, 7, B32), exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmphex(words(f, MEM)[i], ==, i < 16 ? 0xffff : 0xffff0000);
        g_assert_cmphex(words(f, MEM + 0x200)[i], ==, ALL);
    }
    fixture_free(f);
}

/* Lanes leave a loop early by BREAK: the others' BSYNC does not wait. */
static void test_break(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE,
         isetp_i(0, 0, GE, 24),
         bssy(1, 100), bssy(0, 5),
         at(0, brk(0)),
         at(0, bra(4)),
         mov(6, 1),
         bsync(0),
         ballot(5, PT),                         /* lanes 0..23 */
         bsync(1),                              /* and everybody here */
         ballot(7, PT),
         stg(2, 0, 5, B32), stg(2, 0x200, 7, B32), exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmphex(words(f, MEM)[i], ==, i < 24 ? 0x00ffffff : 0);
        g_assert_cmphex(words(f, MEM + 0x200)[i], ==, ALL);
    }
    fixture_free(f);
}

/* BREAK's own predicate chooses among the lanes that execute it. */
static void test_break_condition(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE,
         isetp_i(0, 0, GE, 24),
         bssy(0, 5),
         when(0, brk(0)),
         at(0, exit_()),
         bsync(0),
         ballot(5, PT), stg(2, 0, 5, B32), exit_());
    launch_ok(f);
    g_assert_cmphex(words(f, MEM)[0], ==, 0x00ffffff);
    g_assert_cmphex(words(f, MEM)[24], ==, 0);
    fixture_free(f);
}

/* Those who wait at BSYNC go on when the others have exited. */
static void test_exit_inside(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE,
         isetp_i(0, 0, GE, 5),
         bssy(0, 6),
         at(0, bra(2)),
         bra(3),                                /* lanes 0..4 wait first */
         mov(6, 3),
         exit_(),                               /* lanes 5..31 */
         bsync(0),
         ballot(5, PT), stg(2, 0, 5, B32), exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmphex(words(f, MEM)[i], ==, i < 5 ? 0x1f : 0);
    }
    fixture_free(f);
}

/* A barrier in a register, the barrier used for something else, and back. */
static void test_bmov(void)
{
    Fixture *f = fixture_new(1);
    Word save = put(put(put(op0(0x355), 16, 8, 10), 24, 4, 0), 84, 1, 1);
    Word restore = put(put(op0(0x356), 24, 4, 0), 32, 8, 10);
    Word copy = put(put(op0(0xf56), 24, 4, 3), 32, 4, 0);

    LOAD(f, PROLOGUE,
         isetp_i(0, 0, LT, 16), isetp_i(1, 0, LT, 4),
         bssy(0, 100),
         save,
         at(0, bra(5)),
         bssy(0, 3),                            /* lanes 16..31 */
         mov(6, 1),
         bsync(0),
         bra(5),
         bssy(0, 3),                            /* lanes 0..15 */
         at(1, bra(1)),
         bsync(0),
         mov(6, 2),
         restore, copy,
         bsync(3),
         ballot(5, PT), stg(2, 0, 5, B32), stg(2, 0x100, 10, B32), exit_());
    launch_ok(f);
    check_all(f, ALL);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmphex(words(f, MEM + 0x100)[i], ==, ALL);
    }
    fixture_free(f);
}

/* WARPSYNC joins the lanes that it names, exited ones excepted. */
static void test_warpsync(void)
{
    Fixture *f = fixture_new(1);
    Word join = put(op(0x948), 32, 32, 0x0fffffff);

    LOAD(f, PROLOGUE,
         isetp_i(0, 0, GE, 28), isetp_i(1, 0, EQ, 3),
         at(0, exit_()), at(1, exit_()),
         isetp_i(0, 0, LT, 16),
         at(0, bra(2)),
         mov(6, 1),
         join,
         ballot(5, PT), stg(2, 0, 5, B32), exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 28; i++) {
        g_assert_cmphex(words(f, MEM)[i], ==, i == 3 ? 0 : 0x0ffffff7);
    }
    fixture_free(f);
}

/* CALL.REL.NOINC, and back to where R20:R21 says. */
static void test_call(void)
{
    Fixture *f = fixture_new(1);
    uint64_t back = CODE + 7 * 16, next = CODE + 10 * 16;
    /* RET.REL.NODEC R20 back - next: with the address of the program itself
     * in the register it would be the same sum. */
    Word ret = put(put(put(op(0x950), 24, 8, 20), 86, 1, 1), 32, 50,
                   (uint64_t)0 - next);

    LOAD(f, PROLOGUE, mov(20, (uint32_t)back), mov(21, back >> 32),
         put(jump(put(op(0x944), 82, 5, 0), 2), 86, 1, 1),
         bra(3),                                /* 7: back here */
         mov(6, 0x77),                          /* 8: the function */
         ret,
         stg(2, 0, 6, B32), exit_());
    launch_ok(f);
    check_all(f, 0x77);
    fixture_free(f);
}

/* BRX: a different target for each lane. */
static void test_brx(void)
{
    Fixture *f = fixture_new(1);
    /* R8:R9 = (lane & 3) * 32 */
    Word and3 = put(put(put(put(put(put(op(0x812), 16, 8, 8), 24, 8, 0),
                                    32, 32, 3), 72, 8, 0xc0), 81, 3, PT),
                    64, 8, RZ);

    LOAD(f, PROLOGUE, and3, imad_i(8, 8, 32, RZ), mov(9, 0), bssy(0, 100),
         put(op(0x949), 24, 8, 8),
         mov(6, 10), bra(7),
         mov(6, 11), bra(5),
         mov(6, 12), bra(3),
         mov(6, 13), bra(1),
         bsync(0), ballot(5, PT),
         stg(2, 0, 6, B32), stg(2, 0x100, 5, B32), exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmpuint(words(f, MEM)[i], ==, 10 + i % 4);
        g_assert_cmphex(words(f, MEM + 0x100)[i], ==, ALL);
    }
    fixture_free(f);
}

/* BRA.DIV and BRA.CONV look at the warp, not at the condition alone. */
static void test_bra_flags(void)
{
    Fixture *f = fixture_new(1);
    Word div = put(bra(2), 32, 2, 2), conv = put(bra(2), 32, 2, 3);

    LOAD(f, PROLOGUE, mov(6, 0), mov(7, 0),
         div, mov(6, 1),                        /* converged: not taken */
         conv, mov(7, 1),                       /* converged: taken */
         stg(2, 0, 6, B32), stg(2, 0x100, 7, B32), exit_());
    launch_ok(f);
    g_assert_cmpuint(words(f, MEM)[5], ==, 1);
    g_assert_cmpuint(words(f, MEM + 0x100)[5], ==, 0);
    fixture_free(f);
}

/* A uniform instruction is guarded by a uniform predicate. */
static void test_uniform_guard(void)
{
    Fixture *f = fixture_new(1);
    /* MOV R6, UR4 */
    Word mov_u = put(put(put(put(op0(0xc02), 16, 8, 6), 32, 6, 4), 91, 1, 1),
                     72, 4, 0xf);

    LOAD(f, PROLOGUE, isetp_i(0, 0, GE, 0) /* P0; UP0 stays false */,
         umov(4, 5), at(0, umov(4, 6)), at(1 | NOT, umov(4, 7)), mov_u,
         stg(2, 0, 6, B32), exit_());
    launch_ok(f);
    check_all(f, 7);
    fixture_free(f);
}

/* ---- Barriers of the CTA ---- */

/* Thread n writes, all wait, and thread n reads what n + 32 wrote. */
static void test_bar(void)
{
    Fixture *f = fixture_new(2);
    const unsigned n = 128;

    LOAD(f, PROLOGUE,
         isetp_i(0, 0, GE, n), at(0, exit_()),  /* a warp that is gone */
         imad_i(4, 0, 4, RZ), iadd_i(5, 0, 1000), sts(4, 0, 5, B32),
         bar_sync(),
         iadd_i(6, 4, 128), isetp_i(1, 6, GE, n * 4), at(1, iadd_i(6, 6,
                                                              -n * 4)),
         lds(7, 6, 0, B32), stg(2, 0, 7, B32), exit_());
    f->qmd.block[0] = n + 32;
    f->qmd.shared_size = 1024;
    launch_ok(f);
    for (unsigned i = 0; i < n; i++) {
        g_assert_cmpuint(words(f, MEM)[i], ==, 1000 + (i + 32) % n);
    }
    fixture_free(f);
}

/* Lanes of one warp arrive apart; some of another exit after they waited. */
static void test_bar_diverged(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE,
         isetp_i(0, 0, LT, 7), isetp_i(1, 0, EQ, 40),
         at(1, exit_()),
         at(0, bra(3)),
         bar_sync(), bra(2),
         bar_sync(),
         mov(6, 9), stg(2, 0, 6, B32), exit_());
    f->qmd.block[0] = 64;
    launch_ok(f);
    for (unsigned i = 0; i < 64; i++) {
        g_assert_cmpuint(words(f, MEM)[i], ==, i == 40 ? 0 : 9);
    }
    fixture_free(f);
}

static Word bar_red(unsigned what, unsigned p)
{
    return when(p, put(put(op(0xb1d), 77, 2, 2), 74, 2, what));
}

/* R d and P p: the result of the last BAR.RED */
static Word b2r(unsigned d, unsigned p)
{
    return put(put(put(op0(0x31c), 16, 8, d), 78, 1, 1), 81, 3, p);
}

static void test_bar_red(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE, isetp_i(0, 0, LT, 40), mov(5, 0), mov(6, 0),
         bar_red(0, 0), b2r(4, PT),
         bar_red(1, 0), b2r(RZ, 1), at(1, mov(5, 1)),
         bar_red(2, 0), b2r(RZ, 1), at(1, mov(6, 1)),
         stg(2, 0, 4, B32), stg(2, 0x400, 5, B32), stg(2, 0x800, 6, B32),
         exit_());
    f->qmd.block[0] = 96;
    launch_ok(f);
    for (unsigned i = 0; i < 96; i++) {
        g_assert_cmpuint(words(f, MEM)[i], ==, 40);
        g_assert_cmpuint(words(f, MEM + 0x400)[i], ==, 0);
        g_assert_cmpuint(words(f, MEM + 0x800)[i], ==, 1);
    }
    fixture_free(f);
}

/* Warps 1 and 2 arrive at barrier 3 and go on; warp 0 waits for both. */
static void test_bar_arrive(void)
{
    Fixture *f = fixture_new(1);
    Word sync = put(put(op(0xb1d), 54, 4, 3), 42, 12, 96);
    Word arrive = put(sync, 77, 2, 1);

    LOAD(f, PROLOGUE,
         isetp_i(0, 0, LT, 32), imad_i(4, 0, 4, RZ),
         at(0, bra(4)),
         sts(4, 0, 0, B32), arrive, exit_(),
         sync,
         lds(5, 4, 128, B32), lds(6, 4, 256, B32), iadd3(5, 5, 6, RZ),
         stg(2, 0, 5, B32), exit_());
    f->qmd.block[0] = 96;
    f->qmd.shared_size = 512;
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmpuint(words(f, MEM)[i], ==, 96 + 2 * i);
    }
    fixture_free(f);
}

/* Half of a warp waits for the other, which waits for it. */
static void test_deadlock(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE, isetp_i(0, 0, LT, 16), at(0, bra(2)),
         put(op(0x948), 32, 32, ALL), bar_sync(), exit_());
    g_assert_false(launch(f));
    g_assert_cmpuint(f->fault.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmpuint(f->fault.type, ==, VGSP_EXC_SM_OTHER);
    fixture_free(f);
}

/* ---- Locks ---- */

/*
 * Each thread adds 1 to [MEM + 0x1000] under the lock at MEM, without atomics:
 * spin: R8 = CAS(lock, 0, 1); if R8 != 0 goto spin; ...; EXCH(lock, 0)
 */
#define LOCKED                                                              \
    mov(2, (uint32_t)MEM), mov(3, MEM >> 32), mov(6, 1),                    \
    atomg_cas(8, 2, RZ, 6, ATOM_U32), isetp_i(1, 8, NE, 0), at(1, bra(-2)), \
    ldg(9, 2, 0x1000, B32), iadd_i(9, 9, 1), stg(2, 0x1000, 9, B32),        \
    op(0x992), atomg(RZ, 2, RZ, EXCH, ATOM_U32), exit_()

static void test_lock_lanes(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, LOCKED);
    launch_ok(f);
    g_assert_cmpuint(words(f, MEM + 0x1000)[0], ==, 32);
    fixture_free(f);
}

static void test_lock_warps(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, s2r(0, SR_LANEID), isetp_i(0, 0, GE, 2), at(0, exit_()), LOCKED);
    f->qmd.block[0] = 256;
    launch_ok(f);
    g_assert_cmpuint(words(f, MEM + 0x1000)[0], ==, 16);
    fixture_free(f);
}

static void test_lock_ctas(void)
{
    Fixture *f = fixture_new(3);

    LOAD(f, s2r(0, SR_LANEID), isetp_i(0, 0, NE, 5), at(0, exit_()), LOCKED);
    f->qmd.grid[0] = 300;
    launch_ok(f);
    g_assert_cmpuint(words(f, MEM + 0x1000)[0], ==, 300);
    fixture_free(f);
}

/*
 * A barrier of the whole grid: each CTA adds 1 and waits until all have. It
 * ends only if all CTAs are resident, and it is what cooperative launches do.
 */
static void test_grid_barrier(void)
{
    Fixture *f = fixture_new(2);
    const unsigned n = 64;

    LOAD(f, s2r(0, SR_LANEID), isetp_i(0, 0, NE, 0), at(0, exit_()),
         mov(2, (uint32_t)MEM), mov(3, MEM >> 32), mov(6, 1),
         atomg(RZ, 2, 6, ADD, ATOM_U32),
         ldg(9, 2, 0, B32), isetp_i(1, 9, LT, n), at(1, bra(-2)),
         iadd_i(2, 2, 4), atomg(RZ, 2, 6, ADD, ATOM_U32), exit_());
    f->qmd.grid[0] = n;
    launch_ok(f);
    g_assert_cmpuint(words(f, MEM)[0], ==, n);
    g_assert_cmpuint(words(f, MEM)[1], ==, n);
    fixture_free(f);
}

/* Lane 0 spins at a low address for what lane 1 does at a high one. */
static void test_spin_for_lane(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE, mov(2, (uint32_t)MEM), isetp_i(0, 0, GE, 2),
         at(0, exit_()), isetp_i(0, 0, EQ, 1), at(0, bra(4)),
         ldg(5, 2, 0, B32), isetp_i(1, 5, EQ, 0), at(1, bra(-2)),
         /* lane 1, and lane 0 in the end: */
         op(0x946), put(op(0x95d), 32, 32, 100),
         mov(6, 1), stg(2, 0, 6, B32), exit_());
    launch_ok(f);
    g_assert_cmpuint(words(f, MEM)[0], ==, 1);
    fixture_free(f);
}

/* ---- What ends a program ---- */

static void expect(Fixture *f, VgspException type, unsigned insn)
{
    g_assert_false(launch(f));
    g_assert_cmpuint(f->fault.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmpuint(f->fault.type, ==, type);
    g_assert_cmpuint(f->fault.valid, ==,
                     VGSP_OWNER_FAULT_HAS_TYPE | VGSP_OWNER_FAULT_HAS_PC);
    g_assert_cmphex(f->fault.pc, ==, CODE + insn * 16);
    g_assert_cmpmem(f->fault.insn, 16, words(f, f->fault.pc), 16);
}

static void test_illegal(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, mov(4, 1), op(0x0), exit_());
    expect(f, VGSP_EXC_ILLEGAL_INSTRUCTION, 1);
    LOAD(f, mov(4, 1), mov(4, 1), op(0xfff), exit_());
    expect(f, VGSP_EXC_ILLEGAL_INSTRUCTION, 2);
    LOAD(f, op(0x918), put(op(0x95c), 84, 3, 3), exit_());
    expect(f, VGSP_EXC_SM_OTHER, 1);
    fixture_free(f);
}

/* A branch to an address that is no instruction's. */
static void test_misaligned_pc(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, put(bra(2), 34, 2, 2), exit_(), exit_(), exit_());
    g_assert_false(launch(f));
    g_assert_cmpuint(f->fault.type, ==, VGSP_EXC_SM_OTHER);
    g_assert_cmphex(f->fault.pc, ==, CODE + 2 * 16 + 8);
    fixture_free(f);
}

static void test_fetch_fault(void)
{
    Fixture *f = fixture_new(1);

    f->qmd.program = MEM + MEM_SIZE;
    g_assert_false(launch(f));
    g_assert_cmpuint(f->fault.kind, ==, VGSP_OWNER_FAULT_MMU);
    g_assert_cmphex(f->fault.address, ==, MEM + MEM_SIZE);
    g_assert_cmphex(f->fault.pc, ==, MEM + MEM_SIZE);
    fixture_free(f);
}

/* A program that writes its next instruction executes what it wrote. */
static void test_self_modified(void)
{
    Fixture *f = fixture_new(1);
    Word now = mov(6, 0x22);
    uint64_t target = CODE + 13 * 16;

    LOAD(f, PROLOGUE, mov(8, 0),
         mov(10, (uint32_t)target), mov(11, target >> 32),
         mov(12, (uint32_t)now.w[0]), mov(13, now.w[0] >> 32),
         mov(14, (uint32_t)now.w[1]), mov(15, now.w[1] >> 32),
         bra(2), exit_(),
         mov(6, 0x11),                          /* 13 */
         isetp_i(0, 8, EQ, 1), at(0, bra(4)),
         mov(8, 1), stg(10, 0, 12, B128), bra(-5),
         stg(2, 0, 6, B32), exit_());
    launch_ok(f);
    check_all(f, 0x22);
    fixture_free(f);
}

/*
 * A function that some lanes call saves a barrier, uses it for itself and puts
 * it back, while the other lanes wait at it: they wait for the outer use. One
 * arm of the inner branch lies behind its BSYNC, so the other is there first.
 */
static void test_reused_while_waited_for(void)
{
    for (unsigned with_bar = 0; with_bar < 2; with_bar++) {
        Fixture *f = fixture_new(1);
        Word save = put(put(put(op0(0x355), 16, 8, 10), 24, 4, 0), 84, 1, 1);
        Word restore = put(put(op0(0x356), 24, 4, 0), 32, 8, 10);

        LOAD(f, PROLOGUE,
             isetp_i(0, 0, LT, 16), isetp_i(1, 0, LT, 8),
             bssy(0, 2),
             at(0, bra(7)),     /* to save */
             mov(6, 1),
             bsync(0),          /* the outer one */
             with_bar ? bar_sync() : mov(6, 2),
             ballot(5, PT),
             stg(2, 0, 5, B32),
             exit_(),
             save,
             bssy(0, 2),
             at(1, bra(5)),     /* behind */
             mov(7, 1),
             bsync(0),          /* the inner one */
             restore,
             bra(-11),          /* to the outer BSYNC */
             mov(8, 1), bra(-4), exit_());
        launch_ok(f);
        for (unsigned lane = 0; lane < 32; lane++) {
            g_assert_cmphex(words(f, MEM)[lane], ==, ~0u);
        }
        fixture_free(f);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sm75/if-else", test_if_else);
    g_test_add_func("/sm75/loop", test_loop);
    g_test_add_func("/sm75/nested-same-barrier", test_nested_same_barrier);
    g_test_add_func("/sm75/break", test_break);
    g_test_add_func("/sm75/break-condition", test_break_condition);
    g_test_add_func("/sm75/exit-inside", test_exit_inside);
    g_test_add_func("/sm75/bmov", test_bmov);
    g_test_add_func("/sm75/warpsync", test_warpsync);
    g_test_add_func("/sm75/call", test_call);
    g_test_add_func("/sm75/brx", test_brx);
    g_test_add_func("/sm75/bra-flags", test_bra_flags);
    g_test_add_func("/sm75/uniform-guard", test_uniform_guard);
    g_test_add_func("/sm75/bar", test_bar);
    g_test_add_func("/sm75/bar-diverged", test_bar_diverged);
    g_test_add_func("/sm75/bar-red", test_bar_red);
    g_test_add_func("/sm75/bar-arrive", test_bar_arrive);
    g_test_add_func("/sm75/deadlock", test_deadlock);
    g_test_add_func("/sm75/lock-lanes", test_lock_lanes);
    g_test_add_func("/sm75/lock-warps", test_lock_warps);
    g_test_add_func("/sm75/lock-ctas", test_lock_ctas);
    g_test_add_func("/sm75/grid-barrier", test_grid_barrier);
    g_test_add_func("/sm75/spin-for-lane", test_spin_for_lane);
    g_test_add_func("/sm75/illegal", test_illegal);
    g_test_add_func("/sm75/misaligned-pc", test_misaligned_pc);
    g_test_add_func("/sm75/fetch-fault", test_fetch_fault);
    g_test_add_func("/sm75/self-modified", test_self_modified);
    g_test_add_func("/sm75/reused-while-waited-for",
                    test_reused_while_waited_for);
    return g_test_run();
}
