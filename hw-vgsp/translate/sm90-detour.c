/*
 * Descriptors of constant buffers, where programs use them: instructions of
 * sm_90 that make one of sm_90's out of one of sm_75's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdbool.h>
#include "translate/sm90.h"

#define H(n) (UINT64_C(1) << ((n) - 64))

#define URZ             63u
#define UNIFORM         (7u << 12 | 1u << 11)   /* guard UPT, form 4 */
#define LOWER_MASK      0x1fffu                 /* address, above 32 bits */
/*
 * No predicate is written (83:81), and none added (90:87): what the chip wants
 * of multiplications too, or they are an illegal encoding.
 */
#define NO_PREDICATES   (UINT64_C(7) << (81 - 64) | UINT64_C(15) << (87 - 64))

/* ULDC and LDC name the registers in bits 29:24, all others in 37:32. */
#define ULDC            0xab9
#define LDC             0x582

/* Results of the uniform datapath are there after 12 cycles. */
#define CONTROL(cycles, wait) \
    ((uint64_t)(cycles) << 41 | UINT64_C(7) << 46 | UINT64_C(7) << 49 | \
     (uint64_t)(wait) << 52)

static unsigned field(const Sm90Insn *i, unsigned hi, unsigned lo)
{
    uint64_t v = lo >= 64 ? i->hi >> (lo - 64) : i->lo >> lo;

    return (unsigned)(v & ((UINT64_C(1) << (hi - lo + 1)) - 1));
}

static unsigned opcode(const Sm90Insn *i)
{
    return field(i, 11, 0);
}

int sm90_descriptor(const Sm90Insn *i)
{
    unsigned op = opcode(i) & 0x1ff, form = opcode(i) >> 9;

    if (!(i->hi & H(91))) {
        return -1;
    }
    if (opcode(i) == ULDC || opcode(i) == LDC) {
        return (int)field(i, 29, 24);
    }
    /* Arithmetic, conversions and MUFU, BMOV, NANOSLEEP. */
    if ((form == 3 || form == 5) &&
        (op < 0x60 || (op >= 0x100 && op <= 0x113) || op == 0x156 ||
         op == 0x15d)) {
        return (int)field(i, 37, 32);
    }
    return -1;
}

/* Where an instruction may name uniform registers; a register is below. */
enum { DST = 1, A = 2, B = 4, C = 8 };

static unsigned places_of(const Sm90Insn *i)
{
    unsigned op = opcode(i) & 0x1ff, form = opcode(i) >> 9;

    if (op >= 0x82 && op < 0xc0) { /* the uniform datapath */
        bool three = op == 0x90 || op == 0x91 || op == 0x92 || op == 0x96 ||
                     op == 0x97 || op == 0x99 || op == 0xa4 || op == 0xa5 ||
                     op == 0xbc;

        return DST | A | (form == 1 || form == 6 ? B : 0) | (three ? C : 0);
    }
    if (op == 0x1c2 || op == 0x1c3 || op == 0xca) {
        return DST;             /* R2UR, S2UR */
    }
    if (!(i->hi & H(91))) {
        return 0;
    }
    if (op < 0x60 || (op >= 0x100 && op < 0x118) || op == 0x156 ||
        op == 0x15d || (op >= 0x180 && op <= 0x184 && op != 0x182)) {
        return B;
    }
    if (op == 0x182) {
        return A;
    }
    return op >= 0x185 && op <= 0x1ab ? C : A | B | C;
}

uint64_t sm90_uniform(const Sm90Insn *i)
{
    static const uint8_t places[] = { 16, 24, 32, 64 };
    unsigned names = places_of(i);
    uint64_t used = 0;

    for (unsigned n = 0; n < 4; n++) {
        unsigned ur = field(i, places[n] + 5u, places[n]);

        if (names >> n & 1 && ur != URZ) {
            used |= UINT64_C(3) << ur; /* it may be of two words */
        }
    }
    return used;
}

static Sm90Insn branch_to(uint64_t pc, uint64_t to)
{
    int64_t words = (int64_t)(to - pc - 16) >> 2;
    uint64_t rest = (uint64_t)(words >> 8);

    return (Sm90Insn) {
        .lo = 0x947 | 7u << 12 | ((uint64_t)words & 0xff) << 16 | rest << 34,
        .hi = (rest >> 30 & 0x3ffff) | UINT64_C(7) << (87 - 64) |
              CONTROL(5, 0),
    };
}

/* dst = a & mask */
static Sm90Insn and_imm(unsigned dst, unsigned a, uint32_t mask)
{
    return (Sm90Insn) {
        .lo = 0x092 | UNIFORM | dst << 16 | (uint64_t)a << 24 |
              (uint64_t)mask << 32,
        .hi = URZ | UINT64_C(0xc0) << (72 - 64) | NO_PREDICATES | H(91) |
              CONTROL(15, 0),
    };
}

/* dst = the low word of (hi:lo) >> 2 */
static Sm90Insn shift_pair(unsigned dst, unsigned lo, unsigned hi)
{
    return (Sm90Insn) {
        .lo = 0x099 | UNIFORM | dst << 16 | (uint64_t)lo << 24 |
              UINT64_C(2) << 32,
        .hi = hi | H(73) | H(76) | H(91) | CONTROL(15, 0),
    };
}

/* dst = a * 64 + dst */
static Sm90Insn times_64_add(unsigned dst, unsigned a)
{
    return (Sm90Insn) {
        .lo = 0x0a4 | UNIFORM | dst << 16 | (uint64_t)a << 24 |
              UINT64_C(64) << 32,
        .hi = dst | NO_PREDICATES | H(91) | CONTROL(15, 0),
    };
}

void sm90_detour(Sm90Insn *i, uint64_t pc, uint64_t at, unsigned temp,
                 Sm90Insn out[SM90_DETOUR])
{
    unsigned source = (unsigned)sm90_descriptor(i);
    unsigned t = SM90_TEMP_FIRST + temp * 4;
    unsigned upper = source == URZ ? URZ : source + 1;
    unsigned place = opcode(i) == ULDC || opcode(i) == LDC ? 24 : 32;

    out[0] = shift_pair(t, source, upper);
    /* What the use waited for, its descriptor may have been waited for. */
    out[0].hi |= i->hi & UINT64_C(0x3f) << 52;
    out[1] = and_imm(t + 1, upper, LOWER_MASK);
    out[2] = shift_pair(t + 1, t + 1, URZ);
    out[3] = and_imm(t + 2, upper, ~LOWER_MASK);
    out[4] = times_64_add(t + 1, t + 2);
    out[5] = *i;
    out[5].lo = (i->lo & ~(UINT64_C(63) << place)) | (uint64_t)t << place;
    out[6] = branch_to(at + 6 * 16, pc + 16);
    *i = branch_to(pc, at);
}
