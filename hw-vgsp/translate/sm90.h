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
