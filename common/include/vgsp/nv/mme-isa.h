/*
 * Instructions of the TU104 macro engine (MME64): a group of two ALUs and two
 * outputs in 96 bits. Source: NVIDIA's open-gpu-doc, MME-MacroMethodExpander;
 * the immediates are as in Mesa's nouveau/mme.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_MME_ISA_H
#define VGSP_NV_MME_ISA_H

#include "vgsp/types.h"

#define VGSP_MME_MACROS             256
#define VGSP_MME_GROUP_WORDS        3
/* The program counter has 12 bits (pri_mme, INFO_PC). */
#define VGSP_MME_GROUPS             4096
#define VGSP_MME_INSTRUCTION_RAM    (VGSP_MME_GROUPS * VGSP_MME_GROUP_WORDS)

enum {
    VGSP_MME_OP_ADD, VGSP_MME_OP_ADDC, VGSP_MME_OP_SUB, VGSP_MME_OP_SUBB,
    VGSP_MME_OP_MUL, VGSP_MME_OP_MULH, VGSP_MME_OP_MULU, VGSP_MME_OP_EXTENDED,
    VGSP_MME_OP_CLZ, VGSP_MME_OP_SLL, VGSP_MME_OP_SRL, VGSP_MME_OP_SRA,
    VGSP_MME_OP_AND, VGSP_MME_OP_NAND, VGSP_MME_OP_OR, VGSP_MME_OP_XOR,
    VGSP_MME_OP_MERGE, VGSP_MME_OP_SLT, VGSP_MME_OP_SLTU, VGSP_MME_OP_SLE,
    VGSP_MME_OP_SLEU, VGSP_MME_OP_SEQ, VGSP_MME_OP_STATE, VGSP_MME_OP_LOOP,
    VGSP_MME_OP_JAL, VGSP_MME_OP_BLT, VGSP_MME_OP_BLTU, VGSP_MME_OP_BLE,
    VGSP_MME_OP_BLEU, VGSP_MME_OP_BEQ, VGSP_MME_OP_DREAD, VGSP_MME_OP_DWRITE,
};

/* Registers 0 to 23 are R0 to R23. */
enum {
    VGSP_MME_REG_R23 = 23,
    VGSP_MME_REG_ZERO,          /* the last that may be a destination */
    VGSP_MME_REG_IMM,           /* this ALU's immediate, sign-extended */
    VGSP_MME_REG_IMMPAIR,       /* the other ALU's */
    VGSP_MME_REG_IMM32,         /* ALU0's is the upper half */
    VGSP_MME_REG_LOAD0,
    VGSP_MME_REG_LOAD1,
};

/* What an output takes as method or emits; immediates are zero-extended. */
enum {
    VGSP_MME_OUT_NONE,
    VGSP_MME_OUT_ALU0, VGSP_MME_OUT_ALU1,
    VGSP_MME_OUT_LOAD0, VGSP_MME_OUT_LOAD1,
    VGSP_MME_OUT_IMM0, VGSP_MME_OUT_IMM1,
    VGSP_MME_OUT_RESERVED,
    VGSP_MME_OUT_IMMHIGH0, VGSP_MME_OUT_IMMHIGH1,   /* bits 15:12 */
    VGSP_MME_OUT_IMM32,
};

/* A value that selects a method, both in words. */
#define VGSP_MME_METHOD_ADDRESS     VGSP_BITS(11, 0)
#define VGSP_MME_METHOD_INCREMENT   VGSP_BITS(15, 12)

/* Immediate of MERGE: x with bits of y inserted. */
#define VGSP_MME_MERGE_SRC_POS      VGSP_BITS(4, 0)
#define VGSP_MME_MERGE_BITS         VGSP_BITS(9, 5)
#define VGSP_MME_MERGE_DST_POS      VGSP_BITS(15, 10)
/* Of JAL: drivers set the uppermost bit, whatever it means. */
#define VGSP_MME_JAL_OFFSET         VGSP_BITS(14, 0)
#define VGSP_MME_JAL_KNOWN          VGSP_BIT(15)
/* Of branches: the offset is signed, and its least value ends the macro. */
#define VGSP_MME_BRANCH_OFFSET      VGSP_BITS(12, 0)
#define VGSP_MME_BRANCH_EXIT        0x1000u
#define VGSP_MME_BRANCH_UNKNOWN     VGSP_BITS(14, 13)
#define VGSP_MME_BRANCH_IF_TRUE     VGSP_BIT(15)
/* Operands of EXTENDED: wait for the data of MME_DMA_READ_FIFOED. */
#define VGSP_MME_EXTENDED_BARRIER_X 0x1000
#define VGSP_MME_EXTENDED_BARRIER_Y 1

typedef struct VgspMmeAlu {
    uint8_t op, dst, src[2];
} VgspMmeAlu;

typedef struct VgspMmeGroup {
    bool end_next;              /* the next group executed is the last */
    uint8_t mode, predicate;    /* UUUU, TTTT, ...; a register */
    VgspMmeAlu alu[2];
    uint16_t imm[2];
    struct {
        uint8_t method, emit;
    } out[2];
} VgspMmeGroup;

/* Units of a group, in the order in which they run. */
#define VGSP_MME_UNIT_ALU(i)        (1u << (i))
#define VGSP_MME_UNIT_OUT(i)        (4u << (i))

/*
 * Units that a predicate suppresses. A letter of the mode's name is what
 * suppresses a unit: T a value that is not 0, F one that is 0, U neither.
 */
static inline unsigned vgsp_mme_suppressed(unsigned mode, bool value)
{
    static const struct { uint8_t t, f; } letters[16] = {
        { 0x0, 0x0 }, /* UUUU */ { 0xf, 0x0 }, /* TTTT */
        { 0x0, 0xf }, /* FFFF */ { 0x3, 0x0 }, /* TTUU */
        { 0x0, 0x3 }, /* FFUU */ { 0x1, 0x2 }, /* TFUU */
        { 0x1, 0x0 }, /* TUUU */ { 0x0, 0x1 }, /* FUUU */
        { 0xc, 0x0 }, /* UUTT */ { 0x4, 0x8 }, /* UUTF */
        { 0x4, 0x0 }, /* UUTU */ { 0x8, 0x4 }, /* UUFT */
        { 0x0, 0xc }, /* UUFF */ { 0x0, 0x4 }, /* UUFU */
        { 0x8, 0x0 }, /* UUUT */ { 0x0, 0x8 }, /* UUUF */
    };

    return value ? letters[mode].t : letters[mode].f;
}

/* Whether output out is an immediate, whose value is then *value. */
static inline bool vgsp_mme_out_immediate(const uint16_t imm[2], unsigned out,
                                          uint32_t *value)
{
    switch (out) {
    case VGSP_MME_OUT_IMM0:
    case VGSP_MME_OUT_IMM1:
        *value = imm[out - VGSP_MME_OUT_IMM0];
        return true;
    case VGSP_MME_OUT_IMMHIGH0:
    case VGSP_MME_OUT_IMMHIGH1:
        *value = imm[out - VGSP_MME_OUT_IMMHIGH0] >> 12;
        return true;
    case VGSP_MME_OUT_IMM32:
        *value = (uint32_t)imm[0] << 16 | imm[1];
        return true;
    default:
        return false;
    }
}

/* Decodes the three words of a group, the uppermost first. */
static inline VgspMmeGroup vgsp_mme_group_decode(const uint32_t words[3])
{
    uint64_t lo = (uint64_t)words[1] << 32 | words[2];
    uint64_t hi = (uint64_t)words[0] << 32 | words[1];   /* from bit 32 on */
    VgspMmeGroup g = {
        .end_next = lo & 1,
        .mode = (uint8_t)(lo >> 1 & 0xf),
        .predicate = (uint8_t)(lo >> 5 & 0x1f),
        .imm = { (uint16_t)(lo >> 30), (uint16_t)(hi >> (66 - 32)) },
    };

    for (unsigned i = 0; i < 2; i++) {
        /* The fields of an ALU begin at bit 10 and at bit 46. */
        uint64_t a = i ? hi >> (46 - 32) : lo >> 10;
        unsigned o = (unsigned)(hi >> (82 - 32 + 7 * i));

        g.alu[i].op = (uint8_t)(a & 0x1f);
        g.alu[i].dst = (uint8_t)(a >> 5 & 0x1f);
        g.alu[i].src[0] = (uint8_t)(a >> 10 & 0x1f);
        g.alu[i].src[1] = (uint8_t)(a >> 15 & 0x1f);
        g.out[i].method = (uint8_t)(o & 7);
        g.out[i].emit = (uint8_t)(o >> 3 & 0xf);
    }
    return g;
}

#endif
