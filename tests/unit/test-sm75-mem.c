/*
 * Memory instructions of sm_75: loads and stores of every space and size,
 * atomics, constant banks, what lanes tell each other, and the faults that
 * accesses end in. Programs are assembled by hand from exec-facts sections
 * 6.5, 8.4 and 8.5.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "sm75-fixture.h"

static void fill(Fixture *f, uint64_t va, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        words(f, va)[i] = 0x9e3779b9u * (i + 1);
    }
}

static void check_equal(Fixture *f, uint64_t a, uint64_t b, unsigned bytes)
{
    g_assert_cmpmem(words(f, a), bytes, words(f, b), bytes);
}

/* ---- Global ---- */

/* Lane n loads element n * step of type and stores it at element n. */
static void global_copy(unsigned type, unsigned size, unsigned step,
                        bool partial)
{
    Fixture *f = fixture_new(1);
    Word skip = partial ? at(0, exit_()) : op(0x918);

    LOAD(f, s2r(0, SR_TID_X), isetp_i(0, 0, EQ, 3), skip,
         mov(2, (uint32_t)MEM), mov(3, MEM >> 32),
         imad_wide_i(4, 0, size * step, 2), imad_wide_i(2, 0, size, 2),
         ldg(8, 4, 0x1000, type), stg(2, 0x8000, 8, type), exit_());
    fill(f, MEM + 0x1000, 0x1000);
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        uint8_t *from = (uint8_t *)words(f, MEM + 0x1000) + i * step * size;
        uint8_t *to = (uint8_t *)words(f, MEM + 0x8000) + i * size;
        static const uint8_t zero[16];

        g_assert_cmpmem(to, size, partial && i == 3 ? zero : from, size);
    }
    g_assert_cmpuint(words(f, MEM + 0x8000)[32 * size / 4], ==, 0);
    fixture_free(f);
}

static void test_global(void)
{
    static const struct { unsigned type, size; } types[] = {
        { U8, 1 }, { S8, 1 }, { U16, 2 }, { S16, 2 }, { B32, 4 }, { B64, 8 },
        { B128, 16 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(types); i++) {
        global_copy(types[i].type, types[i].size, 1, false);
        global_copy(types[i].type, types[i].size, 1, true);
        global_copy(types[i].type, types[i].size, 3, false);
        global_copy(types[i].type, types[i].size, 0, false);
    }
}

/* Bytes and halves are extended by their sign, or by zeros. */
static void test_extension(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE, mov(4, (uint32_t)MEM + 0x1000), mov(5, MEM >> 32),
         ldg(6, 4, 1, U8), ldg(7, 4, 1, S8), ldg(8, 4, 2, U16),
         ldg(9, 4, 2, S16), stg(2, 0, 6, B32), stg(2, 0x80, 7, B32),
         stg(2, 0x100, 8, B32), stg(2, 0x180, 9, B32), exit_());
    words(f, MEM + 0x1000)[0] = 0x8765f4f3;
    launch_ok(f);
    g_assert_cmphex(words(f, MEM)[9], ==, 0xf4);
    g_assert_cmphex(words(f, MEM + 0x80)[9], ==, 0xfffffff4);
    g_assert_cmphex(words(f, MEM + 0x100)[9], ==, 0x8765);
    g_assert_cmphex(words(f, MEM + 0x180)[9], ==, 0xffff8765);
    fixture_free(f);
}

/* Elements of a warp across the end of a page, and a negative offset. */
static void test_page_end(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE, ldg(6, 2, 0x1fc0, B32), stg(2, 0x3fc0, 6, B32),
         mov(4, 0x10000), iadd3(2, 2, 4, RZ), ldg(7, 2, -0x4000, B32),
         stg(2, 0, 7, B32), exit_());
    fill(f, MEM + 0x1f00, 0x80);
    fill(f, MEM + 0xc000, 0x20);
    launch_ok(f);
    check_equal(f, MEM + 0x3fc0, MEM + 0x1fc0, 128);
    check_equal(f, MEM + 0x10000, MEM + 0xc000, 128);
    fixture_free(f);
}

/* R.U32 + UR pair + offset; R.64 + UR pair + offset. */
static void test_uniform_address(void)
{
    Fixture *f = fixture_new(1);
    Word load = put(put(put(ldg(6, 4, 0x10, B32), 0, 12, 0x981), 32, 6, 8),
                    91, 1, 1);
    Word store = put(put(put(stg(4, 0x20, 6, B32), 0, 12, 0x986), 64, 6, 8),
                     91, 1, 1);

    LOAD(f, s2r(0, SR_TID_X), imad_i(4, 0, 4, RZ), mov(5, 0xdead),
         umov(8, (uint32_t)MEM), umov(9, MEM >> 32),
         load, umov(8, (uint32_t)MEM + 0x1000), store,
         mov(5, 0), umov(8, (uint32_t)MEM + 0x2000), put(store, 90, 1, 1),
         exit_());
    fill(f, MEM + 0x10, 32);
    launch_ok(f);
    check_equal(f, MEM + 0x1020, MEM + 0x10, 128);
    check_equal(f, MEM + 0x2020, MEM + 0x10, 128);
    fixture_free(f);
}

/* A sparse page reads 0 and drops what is written. */
static void test_sparse(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE, mov(4, (uint32_t)SPARSE), mov(5, SPARSE >> 32),
         imad_wide_i(4, 0, 4, 4), mov(6, 7), ldg(6, 4, 0, B32),
         stg(4, 0, 4, B32), stg(2, 0, 6, B32),
         mov(7, 9), atomg(7, 4, 4, ADD, ATOM_U32), stg(2, 0x80, 7, B32),
         exit_());
    words(f, MEM)[5] = words(f, MEM + 0x80)[5] = 1;
    launch_ok(f);
    g_assert_cmpuint(words(f, MEM)[5], ==, 0);
    g_assert_cmpuint(words(f, MEM + 0x80)[5], ==, 0);
    fixture_free(f);
}

/* ---- Shared and local ---- */

static void scratch_copy(Word store, Word load, unsigned scale)
{
    Fixture *f = fixture_new(1);

    /* R2 is 4 * lane already. */
    LOAD(f, PROLOGUE, imad_wide_i(12, 0, 12, 2), imad_i(4, 0, scale, RZ),
         ldg(8, 12, 0x1000, B32), ldg(9, 12, 0x1004, B32),
         ldg(10, 12, 0x1008, B32), ldg(11, 12, 0x100c, B32),
         store, mov(8, 0), mov(9, 0), mov(10, 0), mov(11, 0), load,
         stg(2, 0, 8, B32), stg(2, 0x80, 9, B32), stg(2, 0x100, 10, B32),
         stg(2, 0x180, 11, B32), exit_());
    f->qmd.shared_size = 0x800;
    f->qmd.local_size = 0x800;
    fill(f, MEM + 0x1000, 200);
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        for (unsigned k = 0; k < 4; k++) {
            g_assert_cmphex(words(f, MEM + 0x80 * k)[i], ==,
                            words(f, MEM + 0x1000)[i * 4 + k]);
        }
    }
    fixture_free(f);
}

/* 128 bits at once against four words, in both directions. */
static void test_shared(void)
{
    scratch_copy(sts(4, 0x20, 8, B128), lds(8, 4, 0x20, B128), 16);
    scratch_copy(sts(4, 0x20, 8, B128), lds(8, 4, 0x20, B128), 32);
    /* R.X4 */
    scratch_copy(put(sts(4, 0, 8, B128), 78, 2, 1),
                 put(lds(8, 4, 0, B128), 78, 2, 1), 4);
}

static Word ldl(unsigned d, unsigned a, int offset, unsigned type)
{
    return put(lds(d, a, offset, type), 0, 12, 0x983);
}

static Word stl(unsigned a, int offset, unsigned v, unsigned type)
{
    return put(sts(a, offset, v, type), 0, 12, 0x387);
}

/* Each lane has its own: the same address, and different ones. */
static void test_local(void)
{
    scratch_copy(stl(4, 0x20, 8, B128), ldl(8, 4, 0x20, B128), 0);
    scratch_copy(stl(4, 0x20, 8, B128), ldl(8, 4, 0x20, B128), 16);
}

static void test_local_parts(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE, ldl(5, RZ, 4, B32), stg(2, 0x80, 5, B32),
         stl(RZ, 5, 0, U8), mov(6, 0xabcd1234), stl(RZ, 6, 6, U16),
         ldl(7, RZ, 4, B32), stg(2, 0, 7, B32), exit_());
    f->qmd.local_size = 16;
    f->qmd.block[0] = 64;
    f->qmd.grid[0] = 3;
    launch_ok(f);
    for (unsigned i = 0; i < 64; i++) {
        g_assert_cmphex(words(f, MEM)[i], ==, 0x12340000 | i << 8);
    }
    fixture_free(f);
}

static void expect(Fixture *f, VgspException type, unsigned insn)
{
    g_assert_false(launch(f));
    g_assert_cmpuint(f->fault.kind, ==, VGSP_OWNER_FAULT_EXCEPTION);
    g_assert_cmpuint(f->fault.type, ==, type);
    g_assert_cmphex(f->fault.pc, ==, CODE + insn * 16);
}

/*
 * The high part ends where the window does: 0x10 bytes there, 0x20 from 0 on.
 * R6 is an offset that ends at 2^24, and one below 0.
 */
static void test_local_high(void)
{
    Fixture *f = fixture_new(1);
    /* LD.E R9, [R4:R5] */
    Word load = put(put(put(put(op0(0x980), 16, 8, 9), 24, 8, 4), 72, 1, 1),
                    73, 3, B32);

    f->qmd.local_size = 0x30;
    f->qmd.local_high = 0x10;
    LOAD(f, PROLOGUE, mov(6, 0x1000000), iadd_i(7, 0, 100), stl(6, -4, 0, B32),
         isetp_i(0, 0, LT, 31), at(0, stl(RZ, -16, 7, B32)),
         stl(RZ, 0x1c, 7, B32),
         ldl(8, RZ, -4, B32), stg(2, 0, 8, B32),
         ldl(8, 6, -16, B32), stg(2, 0x80, 8, B32),
         ldl(8, RZ, 0x1c, B32), stg(2, 0x100, 8, B32),
         mov(4, 0xfffffffc), mov(5, 0), load, stg(2, 0x180, 9, B32),
         ldl(8, 6, -8, B64), stg(2, 0x200, 9, B32), exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmpuint(words(f, MEM)[i], ==, i);
        g_assert_cmpuint(words(f, MEM + 0x80)[i], ==, i < 31 ? 100 + i : 0);
        g_assert_cmpuint(words(f, MEM + 0x100)[i], ==, 100 + i);
        g_assert_cmpuint(words(f, MEM + 0x180)[i], ==, i);
        g_assert_cmpuint(words(f, MEM + 0x200)[i], ==, i);
    }
    LOAD(f, ldl(8, RZ, 0x20, B32), exit_());
    expect(f, VGSP_EXC_OUT_OF_RANGE_ADDRESS, 0);
    LOAD(f, ldl(8, RZ, -0x14, B32), exit_());
    expect(f, VGSP_EXC_OUT_OF_RANGE_ADDRESS, 0);
    LOAD(f, mov(6, 0x1000000), ldl(8, 6, 0, B32), exit_());
    expect(f, VGSP_EXC_OUT_OF_RANGE_ADDRESS, 1);
    /* A word that would go on in the other part. */
    LOAD(f, ldl(8, RZ, 0x18, B128), exit_());
    expect(f, VGSP_EXC_MISALIGNED_ADDRESS, 0);
    f->qmd.local_high = 0x18;
    LOAD(f, ldl(8, RZ, 0x10, B128), exit_());
    expect(f, VGSP_EXC_OUT_OF_RANGE_ADDRESS, 0);
    fixture_free(f);
}

/* ---- Generic ---- */

/* Lanes of one access in shared, local and global memory. */
static void test_generic(void)
{
    Fixture *f = fixture_new(1);
    /* ST.E [R4:R5 + 8], R0; LD.E R6, [R4:R5 + 8] */
    Word store = put(put(put(put(put(put(op0(0x385), 24, 8, 4), 32, 32, 8),
                                 64, 8, 0), 72, 1, 1), 73, 3, B32), 79, 2, 1);
    Word load = put(put(put(put(put(op0(0x980), 16, 8, 6), 24, 8, 4),
                            32, 32, 8), 72, 1, 1), 73, 3, B32);

    LOAD(f, PROLOGUE,
         isetp_i(0, 0, LT, 8), isetp_i(1, 0, GE, 24),
         imad_wide_i(4, 0, 4, 2),
         at(0, mov(5, 0)), at(0, mov(4, 0xfe000010)),
         at(1, mov(5, 0)), at(1, mov(4, 0xff000020)),
         store, load, stg(2, 0x4000, 6, B32),
         lds(7, RZ, 0x18, B32), stg(2, 0x4100, 7, B32),
         ldl(8, RZ, 0x28, B32), stg(2, 0x4200, 8, B32), exit_());
    f->qmd.shared_size = 0x100;
    f->qmd.local_size = 0x100;
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        /* Eight lanes store to one word of shared memory: the last stays. */
        g_assert_cmpuint(words(f, MEM + 0x4000)[i], ==, i < 8 ? 7 : i);
        g_assert_cmpuint(words(f, MEM + 0x4100)[i], ==, 7);
        g_assert_cmpuint(words(f, MEM + 0x4200)[i], ==, i < 24 ? 0 : i);
        /* R4 = MEM + 8 * lane, +8 */
        g_assert_cmpuint(words(f, MEM + 8)[2 * i], ==,
                         i < 8 || i >= 24 ? 0 : i);
    }
    fixture_free(f);
}

/*
 * ST.E.128 [R4:R5 - 4], R0: the offset's low byte, 0xfc, is where other stores
 * have their data, and no register of four.
 */
static void test_generic_offset(void)
{
    Fixture *f = fixture_new(1);
    Word store = put(put(put(put(put(put(op0(0x385), 24, 8, 4), 32, 32, -4u),
                                 64, 8, 8), 72, 1, 1), 73, 3, B128), 79, 2, 1);

    LOAD(f, PROLOGUE, imad_wide_i(4, 0, 12, 2), iadd_i(4, 4, 4),
         iadd_i(8, 0, 1), iadd_i(9, 0, 2), iadd_i(10, 0, 3), iadd_i(11, 0, 4),
         store, exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 128; i++) {
        g_assert_cmpuint(words(f, MEM)[i], ==, i / 4 + i % 4 + 1);
    }
    fixture_free(f);
}

/* A global access inside a window is global. */
static void test_global_in_window(void)
{
    Fixture *f = fixture_new(1);

    f->state.shared_window = MEM;
    LOAD(f, PROLOGUE, stg(2, 0, 0, B32), exit_());
    launch_ok(f);
    g_assert_cmpuint(words(f, MEM)[31], ==, 31);
    fixture_free(f);
}

/* ---- Constants ---- */

static Word ldc(unsigned d, unsigned bank, unsigned a, int offset,
                unsigned type)
{
    return put(put(put(put(put(op0(0xb82), 16, 8, d), 24, 8, a),
                           38, 16, (uint16_t)offset), 54, 5, bank),
               73, 3, type);
}

static void test_constants(void)
{
    Fixture *f = fixture_new(1);

    LOAD(f, PROLOGUE, imad_i(4, 0, 4, RZ),
         ldc(5, 0, 4, 0x20, B32), stg(2, 0, 5, B32),
         ldc(6, 0, RZ, 0x28, B64), stg(2, 0x80, 6, B32),
         stg(2, 0x100, 7, B32),
         mov_c(8, 0, 0x3c), stg(2, 0x180, 8, B32),
         /* Beyond its size, and a bank that is not bound: 0. */
         mov_c(9, 0, 0x100), stg(2, 0x200, 9, B32),
         ldc(10, 5, 4, 0, B32), stg(2, 0x280, 10, B32),
         ldc(11, 0, 4, 0xc0, B32), stg(2, 0x300, 11, B32),
         ldc(12, 0, RZ, 0x21, U8), stg(2, 0x380, 12, B32), exit_());
    fill(f, BANK, 0x80);
    f->qmd.cbuf[0].size = 0x100;
    memset(words(f, MEM), 0xff, 0x400);
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        uint32_t *bank = words(f, BANK);

        g_assert_cmphex(words(f, MEM)[i], ==, bank[8 + i]);
        g_assert_cmphex(words(f, MEM + 0x80)[i], ==, bank[10]);
        g_assert_cmphex(words(f, MEM + 0x100)[i], ==, bank[11]);
        g_assert_cmphex(words(f, MEM + 0x180)[i], ==, bank[15]);
        g_assert_cmphex(words(f, MEM + 0x200)[i], ==, 0);
        g_assert_cmphex(words(f, MEM + 0x280)[i], ==, 0);
        g_assert_cmphex(words(f, MEM + 0x300)[i], ==,
                        i < 16 ? bank[48 + i] : 0);
        g_assert_cmphex(words(f, MEM + 0x380)[i], ==, bank[8] >> 8 & 0xff);
    }
    fixture_free(f);
}

/* LDC.IS takes the bank from bits 31:16; cx[] from a descriptor. */
static void test_constants_indexed(void)
{
    Fixture *f = fixture_new(1);
    uint64_t desc = (BANK + 0x100) >> 4 | (uint64_t)(0x40 >> 4) << 45;
    Word cx = put(put(put(put(op0(0x582), 16, 8, 6), 24, 8, 8), 64, 8, 4),
                  91, 1, 1);

    LOAD(f, PROLOGUE, imad_i(4, 0, 4, RZ), iadd_i(5, 4, 2 << 16),
         put(ldc(6, 1, 5, 8, B32), 78, 2, 2), stg(2, 0, 6, B32),
         umov(8, (uint32_t)desc), umov(9, desc >> 32),
         put(cx, 73, 3, B32), stg(2, 0x80, 6, B32), exit_());
    fill(f, BANK, 0x100);
    f->qmd.cbuf[3] = (VgspCbuf) { .va = BANK + 0x200, .size = 0x100 };
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmphex(words(f, MEM)[i], ==, words(f, BANK + 0x208)[i]);
        g_assert_cmphex(words(f, MEM + 0x80)[i], ==,
                        i < 16 ? words(f, BANK + 0x100)[i] : 0);
    }
    fixture_free(f);
}

/* ---- Atomics ---- */

/* All lanes on one word; R6 is the operand, 0x80.. gets old values. */
static uint32_t atomic_one(unsigned what, unsigned type, uint32_t first,
                           Word operand)
{
    Fixture *f = fixture_new(1);
    uint32_t result;

    LOAD(f, PROLOGUE, mov(4, (uint32_t)MEM + 0x1000), mov(5, MEM >> 32),
         operand, atomg(8, 4, 6, what, type), stg(2, 0, 8, B32), exit_());
    words(f, MEM + 0x1000)[0] = first;
    launch_ok(f);
    g_assert_cmphex(words(f, MEM)[0], ==, first);
    result = words(f, MEM + 0x1000)[0];
    fixture_free(f);
    return result;
}

static void test_atomics(void)
{
    const Word lane = mov_r(6, 0);

    g_assert_cmphex(atomic_one(ADD, ATOM_U32, 5, lane), ==, 5 + 496);
    g_assert_cmphex(atomic_one(MIN, ATOM_U32, 5, lane), ==, 0);
    g_assert_cmphex(atomic_one(MAX, ATOM_U32, -5u, lane), ==, -5u);
    g_assert_cmphex(atomic_one(MAX, ATOM_S32, -5u, lane), ==, 31);
    g_assert_cmphex(atomic_one(MIN, ATOM_S32, -5u, lane), ==, -5u);
    g_assert_cmphex(atomic_one(INC, ATOM_U32, 8, mov(6, 10)), ==, 7);
    g_assert_cmphex(atomic_one(DEC, ATOM_U32, 8, mov(6, 10)), ==, 9);
    g_assert_cmphex(atomic_one(DEC, ATOM_U32, 99, mov(6, 10)), ==, 1);
    g_assert_cmphex(atomic_one(AND, ATOM_U32, 0xff, mov(6, 0x3c)), ==, 0x3c);
    g_assert_cmphex(atomic_one(OR, ATOM_U32, 0x100, lane), ==, 0x11f);
    g_assert_cmphex(atomic_one(XOR, ATOM_U32, 0x100, lane), ==, 0x100);
    g_assert_cmphex(atomic_one(EXCH, ATOM_U32, 9, lane), ==, 31);
    /* 1.0 + 32 * 0.5; a denormal counts as 0. */
    g_assert_cmphex(atomic_one(ADD, ATOM_F32, 0x3f800000, mov(6, 0x3f000000)),
                    ==, 0x41880000);
    g_assert_cmphex(atomic_one(ADD, ATOM_F32, 0, mov(6, 1)), ==, 0);
    /* Halves 1.0 and 2.0, + 32 * {0.5, 1.0} */
    g_assert_cmphex(atomic_one(ADD, ATOM_F16X2, 0x40003c00,
                               mov(6, 0x3c003800)), ==, 0x50404c40);
}

static void test_atomics_64(void)
{
    Fixture *f = fixture_new(1);
    union { double d; uint64_t u; } half = { .d = 0.5 }, sum;

    LOAD(f, PROLOGUE, mov(4, (uint32_t)MEM + 0x1000), mov(5, MEM >> 32),
         mov(6, -1u), mov(7, 1), atomg(8, 4, 6, ADD, ATOM_U64),
         iadd_i(4, 4, 8), mov(6, (uint32_t)half.u), mov(7, half.u >> 32),
         atomg(10, 4, 6, ADD, ATOM_F64),
         iadd_i(4, 4, 8), mov(6, 0), mov(7, -1u),
         atomg(RZ, 4, 6, MAX, ATOM_S64),
         /* RED.MIN.S64 */
         put(put(put(put(put(put(op0(0x98e), 24, 8, 4), 40, 24, 8),
                             32, 8, 6), 72, 1, 1), 73, 3, ATOM_S64),
             87, 3, MIN),
         /* CAS.64: what R8 holds for lane 0 only */
         iadd_i(4, 4, 16), mov(12, 7), mov(13, 8), mov(14, 1), mov(15, 2),
         atomg_cas(16, 4, 12, 14, ATOM_U64),
         stg(2, 0, 9, B32), stg(2, 0x80, 16, B32), stg(2, 0x100, 17, B32),
         exit_());
    words(f, MEM + 0x1010)[1] = -7u;
    words(f, MEM + 0x1020)[0] = 7;
    words(f, MEM + 0x1020)[1] = 8;
    launch_ok(f);
    /* 32 * 0x1ffffffff */
    g_assert_cmphex(words(f, MEM + 0x1000)[0], ==, -32u);
    g_assert_cmphex(words(f, MEM + 0x1000)[1], ==, 63);
    g_assert_cmphex(words(f, MEM)[1], ==, 1);
    memcpy(&sum, words(f, MEM + 0x1008), 8);
    g_assert_cmpfloat(sum.d, ==, 16.0);
    g_assert_cmphex(words(f, MEM + 0x1010)[1], ==, -1u);
    g_assert_cmphex(words(f, MEM + 0x1018)[1], ==, -1u);
    g_assert_cmphex(words(f, MEM + 0x1020)[0], ==, 1);
    g_assert_cmphex(words(f, MEM + 0x1020)[1], ==, 2);
    g_assert_cmphex(words(f, MEM + 0x80)[0], ==, 7);
    g_assert_cmphex(words(f, MEM + 0x100)[0], ==, 8);
    g_assert_cmphex(words(f, MEM + 0x80)[1], ==, 1);
    g_assert_cmphex(words(f, MEM + 0x100)[1], ==, 2);
    fixture_free(f);
}

/* ATOMS, its CAS, and CAST, which says whether it stored. */
static void test_atomics_shared(void)
{
    Fixture *f = fixture_new(1);
    Word add = put(put(put(op0(0x38c), 16, 8, 5), 40, 24, 4), 32, 8, 0);
    Word cas = put(put(put(put(op0(0x38d), 16, 8, 6), 24, 8, RZ), 32, 8, RZ),
                   64, 8, 7);

    LOAD(f, PROLOGUE, put(add, 24, 8, RZ), lds(8, RZ, 4, B32),
         stg(2, 0, 8, B32), mov(7, 3), put(cas, 87, 1, 1), cas,
         lds(9, RZ, 0, B32), stg(2, 0x80, 6, B32), stg(2, 0x100, 9, B32),
         put(cas, 87, 1, 1), stg(2, 0x180, 6, B32), exit_());
    f->qmd.shared_size = 0x100;
    launch_ok(f);
    g_assert_cmpuint(words(f, MEM)[3], ==, 496);
    g_assert_cmpuint(words(f, MEM + 0x80)[3], ==, 3);
    g_assert_cmpuint(words(f, MEM + 0x100)[3], ==, 3);
    g_assert_cmpuint(words(f, MEM + 0x180)[3], ==, 0);
    fixture_free(f);
}

/* Workers at once: integer and float sums of all threads. */
static void test_atomics_workers(void)
{
    Fixture *f = fixture_new(4);
    Word red = put(put(put(put(put(op0(0x98e), 24, 8, 2), 32, 8, 6),
                           72, 1, 1), 79, 2, 2), 87, 3, ADD);

    LOAD(f, mov(2, (uint32_t)MEM), mov(3, MEM >> 32), mov(6, 1),
         red, mov(6, 0x3f800000),
         put(put(red, 40, 24, 4), 73, 3, ATOM_F32), exit_());
    f->qmd.block[0] = 256;
    f->qmd.grid[0] = 40;
    launch_ok(f);
    g_assert_cmpuint(words(f, MEM)[0], ==, 256 * 40);
    g_assert_cmpfloat(((float *)words(f, MEM))[1], ==, 256 * 40);
    fixture_free(f);
}

/* ---- Lanes ---- */

static void shfl(unsigned mode, unsigned b, unsigned c, const uint8_t from[32],
                 uint32_t inside)
{
    Fixture *f = fixture_new(1);
    Word i = put(put(put(put(put(put(op0(0xf89), 16, 8, 5), 24, 8, 4),
                             53, 5, b), 40, 13, c), 58, 2, mode), 81, 3, 0);
    Word r = put(put(put(put(i, 0, 12, 0x389), 40, 13, 0), 32, 8, 6),
                 64, 8, 7);

    /* The operands as immediates, and in registers. */
    for (unsigned reg = 0; reg < 2; reg++) {
        LOAD(f, PROLOGUE, iadd_i(4, 0, 100), mov(6, b), mov(7, c),
             reg ? put(r, 53, 5, 0) : i, stg(2, 0, 5, B32),
             mov(8, 0), at(0, mov(8, 1)), stg(2, 0x80, 8, B32), exit_());
        launch_ok(f);
        for (unsigned n = 0; n < 32; n++) {
            g_assert_cmpuint(words(f, MEM)[n], ==, 100 + from[n]);
            g_assert_cmpuint(words(f, MEM + 0x80)[n], ==, inside >> n & 1);
        }
    }
    fixture_free(f);
}

static void test_shfl(void)
{
    uint8_t from[32];
    unsigned n;

    for (n = 0; n < 32; n++) {
        from[n] = 9;
    }
    shfl(0, 9, 0x1f, from, 0xffffffff);         /* IDX */
    for (n = 0; n < 32; n++) {
        from[n] = (n & 24) | 5;
    }
    shfl(0, 5, 0x181f, from, 0xffffffff);       /* IDX in eights */
    for (n = 0; n < 32; n++) {
        from[n] = n < 3 ? n : n - 3;
    }
    shfl(1, 3, 0, from, 0xfffffff8);            /* UP */
    for (n = 0; n < 32; n++) {
        from[n] = n % 16 < 4 ? n : n - 4;
    }
    shfl(1, 4, 0x1000, from, 0xfff0fff0);       /* UP in sixteens */
    for (n = 0; n < 32; n++) {
        from[n] = n > 29 ? n : n + 2;
    }
    shfl(2, 2, 0x1f, from, 0x3fffffff);         /* DOWN */
    for (n = 0; n < 32; n++) {
        from[n] = n % 8 > 6 ? n : n + 1;
    }
    shfl(2, 1, 0x181f, from, 0x7f7f7f7f);       /* DOWN in eights */
    for (n = 0; n < 32; n++) {
        from[n] = n ^ 16;
    }
    shfl(3, 16, 0x1f, from, 0xffffffff);        /* BFLY */
    for (n = 0; n < 32; n++) {
        from[n] = n;
    }
    /* BFLY across quads: out of the segment above, inside below it */
    for (n = 0; n < 32; n++) {
        from[n] = n & 4 ? n ^ 4 : n;
    }
    shfl(3, 4, 0x1c03, from, 0xf0f0f0f0);
}

/* Only lanes that execute it have a vote; VOTE.ALL, ANY, EQ. */
static void test_vote(void)
{
    Fixture *f = fixture_new(1);
    Word vote = put(put(op(0x806), 16, 8, RZ), 81, 3, 3);

    LOAD(f, PROLOGUE, isetp_i(0, 0, LT, 16), isetp_i(1, 0, LT, 8),
         mov(4, 0), mov(5, 0), mov(6, 0),
         at(0, when(1, put(vote, 72, 2, 0))), at(3, mov(4, 1)),
         at(1, when(1, put(vote, 72, 2, 0))), at(3, iadd_i(4, 4, 2)),
         when(PT | NOT, put(vote, 72, 2, 1)), at(3, mov(5, 1)),
         when(1, put(vote, 72, 2, 2)), at(3, mov(6, 1)),
         at(0, ballot(7, 1)),
         stg(2, 0, 4, B32), stg(2, 0x80, 5, B32), stg(2, 0x100, 6, B32),
         stg(2, 0x180, 7, B32), exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmpuint(words(f, MEM)[i], ==, i < 8 ? 2 : 0);
        g_assert_cmpuint(words(f, MEM + 0x80)[i], ==, 0);
        g_assert_cmpuint(words(f, MEM + 0x100)[i], ==, 0);
        g_assert_cmphex(words(f, MEM + 0x180)[i], ==, i < 16 ? 0xff : 0);
    }
    fixture_free(f);
}

static void test_match(void)
{
    Fixture *f = fixture_new(1);
    Word match = put(put(op0(0x3a1), 16, 8, 6), 24, 8, 4);
    Word any = put(put(match, 79, 1, 1), 81, 3, PT);
    Word all = put(match, 81, 3, 0);

    LOAD(f, PROLOGUE, isetp_i(1, 0, LT, 12), mov(4, 1), at(1, mov(4, 2)),
         mov_r(5, 0), any, stg(2, 0, 6, B32),
         put(any, 73, 1, 1), stg(2, 0x80, 6, B32),
         all, stg(2, 0x100, 6, B32),
         at(1, all), mov(7, 0), at(0, mov(7, 1)), stg(2, 0x180, 6, B32),
         stg(2, 0x200, 7, B32), exit_());
    launch_ok(f);
    for (unsigned i = 0; i < 32; i++) {
        g_assert_cmphex(words(f, MEM)[i], ==, i < 12 ? 0xfff : 0xfffff000);
        g_assert_cmphex(words(f, MEM + 0x80)[i], ==, 1u << i);
        g_assert_cmphex(words(f, MEM + 0x100)[i], ==, 0);
        g_assert_cmphex(words(f, MEM + 0x180)[i], ==, i < 12 ? 0xfff : 0);
        g_assert_cmphex(words(f, MEM + 0x200)[i], ==, i < 12);
    }
    fixture_free(f);
}

/* ---- Faults ---- */

static void expect_mmu(Fixture *f, uint64_t va, VgspGmmuAccess access,
                       VgspGmmuFault type, unsigned insn)
{
    g_assert_false(launch(f));
    g_assert_cmpuint(f->fault.kind, ==, VGSP_OWNER_FAULT_MMU);
    g_assert_cmphex(f->fault.address, ==, va);
    g_assert_cmpuint(f->fault.access, ==, access);
    g_assert_cmpuint(f->fault.type, ==, type);
    g_assert_cmpuint(f->fault.client_is_hub, ==, 0);
    g_assert_cmphex(f->fault.pc, ==, CODE + insn * 16);
    g_assert_cmpmem(f->fault.insn, 16, words(f, f->fault.pc), 16);
}

static void test_mmu_faults(void)
{
    Fixture *f = fixture_new(1);
    uint64_t none = MEM + MEM_SIZE;

#define ADDRESS(va) s2r(0, SR_TID_X), mov(2, (uint32_t)(va)),               \
        mov(3, (uint64_t)(va) >> 32)
    LOAD(f, ADDRESS(none), ldg(4, 2, 0x10, B32), exit_());
    expect_mmu(f, none + 0x10, VGSP_GMMU_ACCESS_READ, VGSP_GMMU_FAULT_PTE, 3);
    LOAD(f, ADDRESS(none), stg(2, 0, 4, B64), exit_());
    expect_mmu(f, none, VGSP_GMMU_ACCESS_WRITE, VGSP_GMMU_FAULT_PTE, 3);
    LOAD(f, ADDRESS(READ_ONLY), ldg(4, 2, 0, B32), stg(2, 4, 4, B32),
         exit_());
    expect_mmu(f, READ_ONLY + 4, VGSP_GMMU_ACCESS_WRITE,
               VGSP_GMMU_FAULT_RO_VIOLATION, 4);
    LOAD(f, ADDRESS(READ_ONLY), atomg(4, 2, 4, ADD, ATOM_U32), exit_());
    expect_mmu(f, READ_ONLY, VGSP_GMMU_ACCESS_ATOMIC,
               VGSP_GMMU_FAULT_RO_VIOLATION, 3);
    LOAD(f, ADDRESS(UINT64_C(1) << 49), ldg(4, 2, 0, B32), exit_());
    expect_mmu(f, UINT64_C(1) << 49, VGSP_GMMU_ACCESS_READ,
               VGSP_GMMU_FAULT_VA_LIMIT_VIOLATION, 3);
    /* The lane whose element lies in the next page, behind the end. */
    LOAD(f, ADDRESS(none - 64), imad_wide_i(2, 0, 4, 2), ldg(4, 2, 0, B32),
         exit_());
    expect_mmu(f, none, VGSP_GMMU_ACCESS_READ, VGSP_GMMU_FAULT_PTE, 4);
    /* A constant bank that is not mapped. */
    f->qmd.cbuf[0].va = none;
    LOAD(f, mov_c(4, 0, 8), exit_());
    expect_mmu(f, none + 8, VGSP_GMMU_ACCESS_READ, VGSP_GMMU_FAULT_PTE, 0);
    fixture_free(f);
}

static void test_exceptions(void)
{
    Fixture *f = fixture_new(1);

    f->qmd.shared_size = 0x100;
    f->qmd.local_size = 0x10;
    LOAD(f, PROLOGUE, ldg(4, 2, 2, B32), exit_());
    expect(f, VGSP_EXC_MISALIGNED_ADDRESS, 4);
    LOAD(f, PROLOGUE, stg(2, 0, 4, B64), exit_());
    expect(f, VGSP_EXC_MISALIGNED_ADDRESS, 4);
    LOAD(f, mov(4, 1), lds(5, 4, 0, U16), exit_());
    expect(f, VGSP_EXC_MISALIGNED_ADDRESS, 1);
    LOAD(f, ldl(5, RZ, 8, B128), exit_());
    expect(f, VGSP_EXC_MISALIGNED_ADDRESS, 0);
    LOAD(f, ldc(6, 0, RZ, 4, B64), exit_());
    expect(f, VGSP_EXC_MISALIGNED_ADDRESS, 0);
    LOAD(f, PROLOGUE, atomg(4, 2, 4, ADD, ATOM_U64), exit_());
    expect(f, VGSP_EXC_MISALIGNED_ADDRESS, 4);
    LOAD(f, sts(RZ, 0x100, 4, B32), exit_());
    expect(f, VGSP_EXC_OUT_OF_RANGE_ADDRESS, 0);
    LOAD(f, lds(4, RZ, -4, B32), exit_());
    expect(f, VGSP_EXC_OUT_OF_RANGE_ADDRESS, 0);
    LOAD(f, stl(RZ, 0x10, 4, B32), exit_());
    expect(f, VGSP_EXC_OUT_OF_RANGE_ADDRESS, 0);
    /* A pair that would end behind the last register. */
    LOAD(f, ldg(254, 2, 0, B64), exit_());
    expect(f, VGSP_EXC_ILLEGAL_INSTRUCTION, 0);
    fixture_free(f);
}

/* The driver may have such accesses ignored. */
static void test_out_of_range_ignored(void)
{
    Fixture *f = fixture_new(1);

    f->state.ignore_out_of_range = true;
    f->qmd.shared_size = 0x100;
    f->qmd.local_size = 0x10;
    LOAD(f, PROLOGUE, mov(4, 5), mov(5, 5), sts(RZ, 0x100, 4, B32),
         lds(4, RZ, 0x100, B32), stl(RZ, 0x10, 4, B32),
         ldl(5, RZ, 0x10, B32), stg(2, 0, 4, B32), stg(2, 0x80, 5, B32),
         exit_());
    memset(words(f, MEM), 0xff, 0x100);
    launch_ok(f);
    g_assert_cmpuint(words(f, MEM)[0], ==, 0);
    g_assert_cmpuint(words(f, MEM + 0x80)[0], ==, 0);
    fixture_free(f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sm75-mem/global", test_global);
    g_test_add_func("/sm75-mem/extension", test_extension);
    g_test_add_func("/sm75-mem/page-end", test_page_end);
    g_test_add_func("/sm75-mem/uniform-address", test_uniform_address);
    g_test_add_func("/sm75-mem/sparse", test_sparse);
    g_test_add_func("/sm75-mem/shared", test_shared);
    g_test_add_func("/sm75-mem/local", test_local);
    g_test_add_func("/sm75-mem/local-parts", test_local_parts);
    g_test_add_func("/sm75-mem/local-high", test_local_high);
    g_test_add_func("/sm75-mem/generic", test_generic);
    g_test_add_func("/sm75-mem/generic-offset", test_generic_offset);
    g_test_add_func("/sm75-mem/global-in-window", test_global_in_window);
    g_test_add_func("/sm75-mem/constants", test_constants);
    g_test_add_func("/sm75-mem/constants-indexed", test_constants_indexed);
    g_test_add_func("/sm75-mem/atomics", test_atomics);
    g_test_add_func("/sm75-mem/atomics-64", test_atomics_64);
    g_test_add_func("/sm75-mem/atomics-shared", test_atomics_shared);
    g_test_add_func("/sm75-mem/atomics-workers", test_atomics_workers);
    g_test_add_func("/sm75-mem/shfl", test_shfl);
    g_test_add_func("/sm75-mem/vote", test_vote);
    g_test_add_func("/sm75-mem/match", test_match);
    g_test_add_func("/sm75-mem/mmu-faults", test_mmu_faults);
    g_test_add_func("/sm75-mem/exceptions", test_exceptions);
    g_test_add_func("/sm75-mem/out-of-range-ignored",
                    test_out_of_range_ignored);
    return g_test_run();
}
