/*
 * An assembler for macros: groups are put together bit by bit as NVIDIA's
 * MME64 notes state them, without the decoder that is under test.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_MME_ASM_H
#define TESTS_UNIT_MME_ASM_H

#include <stdint.h>

enum {
    ADD, ADDC, SUB, SUBB, MUL, MULH, MULU, EXTENDED, CLZ, SLL, SRL, SRA, AND,
    NAND, OR, XOR, MERGE, SLT, SLTU, SLE, SLEU, SEQ, STATE, LOOP, JAL, BLT,
    BLTU, BLE, BLEU, BEQ, DREAD, DWRITE,
};
enum { ZERO = 24, IMM, IMMPAIR, IMM32, LOAD0, LOAD1 };
enum {
    NONE, OUT_ALU0, OUT_ALU1, OUT_LOAD0, OUT_LOAD1, OUT_IMM0, OUT_IMM1,
    OUT_IMMHIGH0 = 8, OUT_IMMHIGH1, OUT_IMM32,
};

typedef struct Group {
    uint32_t b[3];              /* b[0] is bits 31:0 */
} Group;

static inline Group put(Group g, unsigned hi, unsigned lo, uint32_t value)
{
    for (unsigned i = lo; i <= hi; i++) {
        g.b[i / 32] &= ~(1u << (i % 32));
        g.b[i / 32] |= (value >> (i - lo) & 1) << (i % 32);
    }
    return g;
}

static inline Group alu0(Group g, unsigned op, unsigned dst, unsigned x,
                         unsigned y, uint16_t imm)
{
    g = put(put(g, 14, 10, op), 19, 15, dst);
    return put(put(put(g, 24, 20, x), 29, 25, y), 45, 30, imm);
}

static inline Group alu1(Group g, unsigned op, unsigned dst, unsigned x,
                         unsigned y, uint16_t imm)
{
    g = put(put(g, 50, 46, op), 55, 51, dst);
    return put(put(put(g, 60, 56, x), 65, 61, y), 81, 66, imm);
}

static inline Group nop(void)
{
    Group g = { { 0 } };

    g = put(g, 9, 5, ZERO);
    return alu1(alu0(g, ADD, ZERO, ZERO, ZERO, 0), ADD, ZERO, ZERO, ZERO, 0);
}

static inline Group a0(unsigned op, unsigned dst, unsigned x, unsigned y,
                       uint16_t imm)
{
    return alu0(nop(), op, dst, x, y, imm);
}

static inline Group out0(Group g, unsigned method, unsigned emit)
{
    return put(put(g, 84, 82, method), 88, 85, emit);
}

static inline Group out1(Group g, unsigned method, unsigned emit)
{
    return put(put(g, 91, 89, method), 95, 92, emit);
}

static inline Group predicate(Group g, unsigned mode, unsigned reg)
{
    return put(put(g, 4, 1, mode), 9, 5, reg);
}

static inline Group end_next(Group g)
{
    return put(g, 0, 0, 1);
}

/* Emits register reg to method 0x100 (word 0x40, no increment). */
static inline Group emit(unsigned reg)
{
    return out0(alu1(a0(ADD, ZERO, reg, ZERO, 0), ADD, ZERO, ZERO, ZERO, 0x40),
                OUT_IMM1, OUT_ALU0);
}

/* Selects a method by its byte address, in ALU0's immediate. */
static inline Group select_method(uint32_t method, unsigned increment)
{
    return out0(a0(ADD, ZERO, ZERO, ZERO,
                   (uint16_t)(increment << 12 | method / 4)), OUT_IMM0, NONE);
}

#endif
