/*
 * A vector of one sm_75 instruction, as the file of vectors has it: what a
 * warp held before and after. Written by the model's unit tests
 * (vector-rig.h), read by the suite.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SILICON_VECTOR_H
#define SILICON_VECTOR_H

#include <stdint.h>

#define VECTOR_REGISTERS    32
#define VECTOR_PREDICATES   7
#define VECTOR_UNIFORMS     16
#define VECTOR_PADDING      0xdeadbeefu
#define VECTOR_BANK         3   /* which constant bank */
#define VECTOR_BANK_SIZE    4096

/*
 * Then: registers of in_mask, those of out_mask (32 lanes each), then
 * bank_words words of the bank.
 */
typedef struct Vector {
    uint32_t size;              /* of all of it, bytes; a multiple of 8 */
    uint32_t bank_words;
    uint64_t lo, hi;            /* the instruction */
    char name[16];
    uint32_t in_mask;           /* the others hold VECTOR_PADDING */
    uint32_t out_mask;          /* the others stay */
    uint32_t p_in[VECTOR_PREDICATES], p_out[VECTOR_PREDICATES];
    uint32_t ur_in[VECTOR_UNIFORMS], ur_out[VECTOR_UNIFORMS];
} Vector;

#endif
