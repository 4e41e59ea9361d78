/*
 * Registers that an instruction may touch: more than the launch has end it;
 * none beyond those it needs are read or written. Needs are counted by hand
 * from exec-facts section 8, and are no less than what nvdisasm's lines name.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sm75-fixture.h"

typedef struct Vector {
    uint64_t lo, hi;
    const char *line;
} Vector;

static const Vector vectors[] = {
#include "../sm75/lines.inc"
};

static unsigned needs(Word i)
{
    Sm75Insn insn;

    g_assert_true(sm75_decode(i.w[0], i.w[1], &insn));
    return insn.registers;
}

static Word code(unsigned opcode, unsigned d, unsigned a, unsigned b,
                 unsigned c)
{
    return put(put(put(put(op0(opcode), 16, 8, d), 24, 8, a), 32, 8, b),
               64, 8, c);
}

/* A destination, then sources, each the highest once. */
static void test_plain(void)
{
    g_assert_cmpuint(needs(iadd3(20, 1, 2, 3)), ==, 21);
    g_assert_cmpuint(needs(iadd3(1, 20, 2, 3)), ==, 21);
    g_assert_cmpuint(needs(iadd3(1, 2, 20, 3)), ==, 21);
    g_assert_cmpuint(needs(iadd3(1, 2, 3, 20)), ==, 21);
    g_assert_cmpuint(needs(iadd3(RZ, RZ, RZ, RZ)), ==, 0);
    g_assert_cmpuint(needs(mov(254, 0)), ==, 255);
    g_assert_cmpuint(needs(exit_()), ==, 0);
    /* What lies at the destination's place of these is none. */
    g_assert_cmpuint(needs(put(isetp_i(0, 3, LT, 16), 16, 8, 200)), ==, 4);
    /* Nor are immediates, predicates' tables and uniform registers. */
    g_assert_cmpuint(needs(iadd_i(1, 2, 0xffffffff)), ==, 3);
    g_assert_cmpuint(needs(umov(60, 1)), ==, 0);
    g_assert_cmpuint(needs(put(put(put(op0(0x3c2), 16, 6, 50), 24, 8, 3),
                               81, 3, PT)), ==, 4);
}

static void test_groups(void)
{
    g_assert_cmpuint(needs(imad_wide_i(20, 1, 2, 4)), ==, 22);
    g_assert_cmpuint(needs(imad_wide_i(4, 1, 2, 20)), ==, 22);
    /* DFMA, DSETP */
    g_assert_cmpuint(needs(code(0x22b, 2, 20, 4, 6)), ==, 22);
    g_assert_cmpuint(needs(code(0x22b, 2, 4, 6, 20)), ==, 22);
    g_assert_cmpuint(needs(code(0x22a, 200, 2, 20, 0)), ==, 22);
    /* F2F.F64.F32, F2F.F32.F64 */
    g_assert_cmpuint(needs(put(put(code(0x310, 20, 0, 3, 0), 75, 2, 3),
                               84, 2, 2)), ==, 22);
    g_assert_cmpuint(needs(put(put(code(0x310, 3, 0, 20, 0), 75, 2, 2),
                               84, 2, 3)), ==, 22);
    /* CS2R of the clock; MATCH.U64 */
    g_assert_cmpuint(needs(put(put(code(0x805, 20, 0, 0, 0), 72, 8, 0x50),
                               80, 1, 1)), ==, 22);
    g_assert_cmpuint(needs(put(code(0x3a1, 3, 20, 0, 0), 73, 1, 1)), ==, 22);
    g_assert_cmpuint(needs(code(0x34e, 20, 0, 0, 0)), ==, 22);
    /* BRX, WARPSYNC */
    g_assert_cmpuint(needs(put(op(0x949), 24, 8, 20)), ==, 22);
    g_assert_cmpuint(needs(put(put(op(0x348), 16, 8, 99), 32, 8, 20)), ==,
                     21);
}

static void test_memory(void)
{
    g_assert_cmpuint(needs(ldg(4, 20, 0, B32)), ==, 22);
    g_assert_cmpuint(needs(ldg(20, 4, 0, B32)), ==, 21);
    g_assert_cmpuint(needs(ldg(20, 4, 0, B64)), ==, 22);
    g_assert_cmpuint(needs(ldg(20, 4, 0, B128)), ==, 24);
    g_assert_cmpuint(needs(stg(4, 0, 20, B128)), ==, 24);
    g_assert_cmpuint(needs(put(ldg(4, 20, 0, B32), 72, 1, 0)), ==, 21);
    /* A 32-bit offset from a uniform address, and a 64-bit one. */
    g_assert_cmpuint(needs(put(put(put(ldg(4, 20, 0, B32), 0, 12, 0x981),
                                   91, 1, 1), 32, 6, 60)), ==, 21);
    g_assert_cmpuint(needs(put(put(put(put(ldg(4, 20, 0, B32), 0, 12, 0x981),
                                       91, 1, 1), 32, 6, 60), 90, 1, 1)),
                     ==, 22);
    g_assert_cmpuint(needs(lds(4, 20, 0, B32)), ==, 21);
    g_assert_cmpuint(needs(lds(20, 4, 0, B64)), ==, 22);
    g_assert_cmpuint(needs(sts(4, 0, 20, B128)), ==, 24);
    g_assert_cmpuint(needs(atomg(RZ, 2, 20, ADD, ATOM_U32)), ==, 21);
    g_assert_cmpuint(needs(atomg(20, 2, 4, ADD, ATOM_U64)), ==, 22);
    g_assert_cmpuint(needs(atomg_cas(4, 2, 20, 6, ATOM_U64)), ==, 22);
    g_assert_cmpuint(needs(atomg_cas(4, 2, 6, 20, ATOM_U32)), ==, 21);
    /* SHFL by registers, and by immediates that lie where those would. */
    g_assert_cmpuint(needs(code(0x389, 1, 2, 20, 3)), ==, 21);
    g_assert_cmpuint(needs(code(0x389, 1, 2, 3, 20)), ==, 21);
    g_assert_cmpuint(needs(code(0xf89, 1, 2, 0xff, 0x1f)), ==, 3);
    /* BAR.SYNC R20, of a register and of immediates. */
    g_assert_cmpuint(needs(put(op(0x31d), 32, 8, 20)), ==, 21);
    g_assert_cmpuint(needs(put(op(0xb1d), 32, 8, 20)), ==, 0);
}

/* TEX.B: the handle in a register; dimensions 1D 0, 2D 1, array 2D 5. */
static Word tex(unsigned opcode, unsigned d, unsigned d2, unsigned a,
                unsigned b, unsigned dim, unsigned mask)
{
    return put(put(put(code(opcode, d, a, b, d2), 59, 1, 1), 61, 3, dim),
               72, 4, mask);
}

static void test_texture(void)
{
    g_assert_cmpuint(needs(tex(0x361, 4, 6, 20, 2, 1, 1)), ==, 22);
    g_assert_cmpuint(needs(tex(0x361, 4, 6, 20, 2, 5, 1)), ==, 23);
    g_assert_cmpuint(needs(tex(0x361, 4, 6, 2, 20, 1, 1)), ==, 21);
    /* .LL, .AOFFI, .DC: three more parameters */
    g_assert_cmpuint(needs(put(put(put(tex(0x361, 4, 6, 2, 20, 1, 1),
                                       87, 3, 3), 76, 1, 1), 78, 1, 1)), ==,
                     24);
    /* Two results from each destination; the second unused. */
    g_assert_cmpuint(needs(tex(0x361, 20, 6, 2, 4, 1, 0xb)), ==, 22);
    g_assert_cmpuint(needs(tex(0x361, 6, 20, 2, 4, 1, 0xb)), ==, 21);
    g_assert_cmpuint(needs(tex(0x361, 6, 20, 2, 4, 1, 0xf)), ==, 22);
    g_assert_cmpuint(needs(tex(0x361, 6, 20, 2, 4, 1, 0x5)), ==, 8);
    /* TXD: handle and coordinates; two derivatives of each. */
    g_assert_cmpuint(needs(tex(0x36d, 4, 6, 20, 2, 1, 1)), ==, 23);
    g_assert_cmpuint(needs(tex(0x36d, 4, 6, 2, 20, 1, 1)), ==, 24);
    /* TXQ: handle and level */
    g_assert_cmpuint(needs(tex(0x370, 4, 6, 20, 99, 0, 1)), ==, 22);
    /* SULD.P.2D.RGBA, SUST.P.2D.RGBA: the handle where C is. */
    g_assert_cmpuint(needs(tex(0x998, 20, 2, 4, 99, 3, 0xf)), ==, 24);
    g_assert_cmpuint(needs(tex(0x998, 4, 20, 2, 99, 3, 0xf)), ==, 21);
    g_assert_cmpuint(needs(tex(0x99c, 99, 2, 4, 20, 3, 0xf)), ==, 24);
    g_assert_cmpuint(needs(tex(0x99c, 99, 2, 20, 4, 4, 0xf)), ==, 23);
}

/* The registers that nvdisasm names: those, and what groups add. */
static void test_named(void)
{
    for (unsigned n = 0; n < G_N_ELEMENTS(vectors); n++) {
        unsigned named = 0;
        Sm75Insn i;

        for (const char *p = vectors[n].line; *p; p++) {
            char *end;
            unsigned long r = p[0] == 'R' ? strtoul(p + 1, &end, 10) : 0;

            /* Neither UR1 nor R2P. */
            if (p[0] == 'R' && end != p + 1 && !g_ascii_isalnum(*end) &&
                p != vectors[n].line && !g_ascii_isalnum(p[-1])) {
                named = MAX(named, (unsigned)r + 1);
            }
        }
        if (sm75_decode(vectors[n].lo, vectors[n].hi, &i)) {
            g_test_message("%s: %u, names %u", vectors[n].line, i.registers,
                           named);
            g_assert_cmpuint(i.registers, >=, named);
            g_assert_cmpuint(i.registers, <=, named + 5);
        }
    }
}

/* ---- What executing them touches ---- */

/* Register r before an instruction: pairs hold addresses of memory. */
static void fill(Sm75Warp *w, unsigned from, uint32_t salt)
{
    for (unsigned r = from; r < RZ; r++) {
        for (unsigned lane = 0; lane < SM75_LANES; lane++) {
            w->r[r][lane] = salt ? salt * (r + 1) + lane
                          : r & 1 ? MEM >> 32 : (uint32_t)MEM + 256 * lane;
        }
    }
}

static Sm75Next execute(Fixture *f, Sm75Cta *cta, const Sm75Insn *i,
                        uint32_t salt)
{
    Sm75Warp *w = cta->warps;

    memset(w, 0, sizeof(*w));
    memset(f->host, 0, 0x4000);
    fill(w, 0, 0);
    fill(w, i->registers, salt);
    w->cta = cta;
    w->worker = &f->worker[0];
    w->p[PT] = w->live = w->mask = w->group = ~0u;
    w->up[PT] = true;
    w->pc = CODE;
    cta->live_warps = 1;
    cta->bar_pending = 0;
    return i->exec(w, i);
}

/*
 * No difference between what lies beyond an instruction's registers shows in
 * anything that it leaves behind, and it leaves that as it was.
 */
static void test_touched(void)
{
    Fixture *f = fixture_new(1);
    Sm75Warp *w = aligned_alloc(_Alignof(Sm75Warp), 2 * sizeof(*w));
    VgspQmd qmd = f->qmd;
    uint8_t *memory = g_malloc(0x4000);
    Sm75Cta cta = {
        .qmd = &qmd, .gs = &f->state, .warps = w, .num_warps = 1,
        .registers = RZ,
    };

    for (unsigned n = 0; n < G_N_ELEMENTS(vectors); n++) {
        Sm75Next next;
        Sm75Insn i;

        if (!sm75_decode(vectors[n].lo, vectors[n].hi, &i) ||
            strstr(vectors[n].line, "CLOCK") ||
            strstr(vectors[n].line, "TIMER")) {
            continue;
        }
        g_test_message("%s", vectors[n].line);
        sm75_enter(f->worker[0].sm, n + 1, &f->worker[0].mmu);
        next = execute(f, &cta, &i, 0x1234567);
        w[1] = w[0];
        memcpy(memory, f->host, 0x4000);
        g_assert_cmpint(execute(f, &cta, &i, 0x89abcdef), ==, next);
        g_assert_cmpmem(w[0].r, i.registers * sizeof(w->r[0]), w[1].r,
                        i.registers * sizeof(w->r[0]));
        g_assert_cmpmem(w[0].p, 8 * sizeof(w->p[0]), w[1].p,
                        8 * sizeof(w->p[0]));
        g_assert_cmpmem(w[0].ur, 64 * sizeof(w->ur[0]), w[1].ur,
                        64 * sizeof(w->ur[0]));
        g_assert_cmpmem(w[0].lane_pc, sizeof(w->lane_pc), w[1].lane_pc,
                        sizeof(w->lane_pc));
        g_assert_cmphex(w[0].pc, ==, w[1].pc);
        g_assert_cmpmem(memory, 0x4000, f->host, 0x4000);
        fill(&w[1], i.registers, 0x89abcdef);
        g_assert_cmpmem(w[0].r, 255 * sizeof(w->r[0]), w[1].r,
                        255 * sizeof(w->r[0]));
    }
    g_free(memory);
    free(w);
    fixture_free(f);
}

/* ---- Launches ---- */

/* The launch ends with that instruction: the pc'th of the program. */
static void expect_refused(Fixture *f, Word i, unsigned pc)
{
    g_assert_false(launch(f));
    g_assert_cmpint(f->fault.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmpint(f->fault.type, ==, VGSP_EXC_OUT_OF_RANGE_REGISTER);
    g_assert_true(f->fault.valid & VGSP_OWNER_FAULT_HAS_PC);
    g_assert_cmphex(f->fault.pc, ==, CODE + 16 * pc);
    g_assert_cmphex(f->fault.insn[0], ==, i.w[0]);
    g_assert_cmphex(f->fault.insn[1], ==, i.w[1]);
}

/* A warp has registers in units of eight a thread. */
static void test_launch(void)
{
    Fixture *f = fixture_new(1);

    f->qmd.registers = 14;
    LOAD(f, mov_r(0, 15), mov(15, 1), iadd3(RZ, RZ, 15, RZ), exit_());
    launch_ok(f);
    LOAD(f, mov(0, 1), mov_r(1, 16), exit_());
    expect_refused(f, mov_r(1, 16), 1);
    LOAD(f, mov(16, 1), exit_());
    expect_refused(f, mov(16, 1), 0);
    LOAD(f, mov(2, (uint32_t)MEM), mov(3, MEM >> 32), ldg(14, 2, 0, B128),
         exit_());
    expect_refused(f, ldg(14, 2, 0, B128), 2);
    /* No lane executes it. */
    LOAD(f, isetp_i(0, RZ, NE, 0), at(0, mov(16, 1)), exit_());
    launch_ok(f);

    f->qmd.registers = 256;
    LOAD(f, mov(254, 1), mov_r(0, 254), exit_());
    launch_ok(f);
    fixture_free(f);
}

/*
 * CTAs one after the other in the same memory find every register that they
 * have zero, and predicates false.
 */
static void test_zero(void)
{
    Fixture *f = fixture_new(1);
    Word code[200];
    unsigned n = 0;

    f->qmd.registers = 33;
    f->qmd.grid[0] = 20000;
    f->qmd.block[0] = 1;
    code[n++] = mov(0, 0);
    for (unsigned r = 1; r < 40; r++) {
        code[n++] = put(put(put(put(put(op0(0x212), 16, 8, 0), 24, 8, 0),
                                    32, 8, r), 64, 8, RZ), 72, 8, 0xfc);
    }
    for (unsigned p = 0; p < 7; p++) {
        code[n++] = at(p, mov(0, 1));
    }
    for (unsigned p = 0; p < 7; p++) {
        code[n++] = isetp_i(p, RZ, EQ, 0);
    }
    code[n++] = isetp_i(6, 0, NE, 0);
    code[n++] = mov(2, (uint32_t)MEM);
    code[n++] = mov(3, MEM >> 32);
    code[n++] = at(6, stg(2, 0, 0, B32));
    for (unsigned r = 0; r < 40; r++) {
        code[n++] = mov(r, 0x55555555);
    }
    code[n++] = exit_();
    load_code(f, code, n);
    launch_ok(f);
    g_assert_cmphex(words(f, MEM)[0], ==, 0);
    fixture_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sm75/registers/plain", test_plain);
    g_test_add_func("/sm75/registers/groups", test_groups);
    g_test_add_func("/sm75/registers/memory", test_memory);
    g_test_add_func("/sm75/registers/texture", test_texture);
    g_test_add_func("/sm75/registers/named", test_named);
    g_test_add_func("/sm75/registers/touched", test_touched);
    g_test_add_func("/sm75/registers/launch", test_launch);
    g_test_add_func("/sm75/registers/zero", test_zero);
    return g_test_run();
}
