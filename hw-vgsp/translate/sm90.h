/*
 * sm_75 instructions in the encoding of sm_90. An instruction becomes one
 * instruction at the same place, or cannot be translated. What is known of
 * both encodings is NVIDIA's nvdisasm, which must print the same line for the
 * original as sm_75 and the result as sm_90 (tests/sm75/nvdisasm-sm90).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_TRANSLATE_SM90_H
#define HW_VGSP_TRANSLATE_SM90_H

#include <stdbool.h>
#include <stdint.h>

/* An instruction: bits 63:0 and 127:64. */
typedef struct Sm90Insn {
    uint64_t lo, hi;
} Sm90Insn;

/*
 * Translates *i in place. NULL, or a static string that names what cannot be
 * translated; *i is then as it was.
 */
const char *sm90_translate(Sm90Insn *i);

/*
 * A descriptor of a constant buffer in a pair of uniform registers (operand
 * cx[UR][]) is 45 bits of an address in units of 16 bytes and 19 of a size in
 * units of 16 on sm_75, and 51 bits in units of 64 and 13 on sm_90. It has to
 * be converted before each use, which takes more than one instruction: they
 * are elsewhere, and the use becomes a branch to them.
 */
#define SM90_DETOUR     7       /* instructions */
#define SM90_TEMP_FIRST 44      /* uniform registers that a detour may use: */
#define SM90_TEMPS      5       /* ... so many times four */

/* The first of the pair that *i (translated or not) uses so; -1: none. */
int sm90_descriptor(const Sm90Insn *i);
/* Uniform registers that i may name, as bits; more than that if in doubt. */
uint64_t sm90_uniform(const Sm90Insn *i);
/*
 * Writes the detour for *i, which is translated and at pc, to be at at; *i
 * becomes the branch there. temp: which four registers, below SM90_TEMPS.
 */
void sm90_detour(Sm90Insn *i, uint64_t pc, uint64_t at, unsigned temp,
                 Sm90Insn out[SM90_DETOUR]);

/* Where an instruction of sm_75 leads. */
typedef struct Sm90Flow {
    bool next;                  /* to the one behind it */
    bool target;                /* to the address in to */
    bool indirect;              /* to an address that only it knows */
    bool generic;               /* an access that may be to a window */
    uint64_t to;
} Sm90Flow;

Sm90Flow sm90_flow(uint64_t pc, uint64_t lo, uint64_t hi);

#endif
