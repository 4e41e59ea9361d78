/*
 * Translation, inside.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_TRANSLATE_TRANSLATE_INT_H
#define HW_VGSP_TRANSLATE_TRANSLATE_INT_H

#include "translate/translate.h"

#define PAGE_SIZE       4096u

struct VgspProfile {
    const char *name;
    bool verbatim;              /* a Turing chip: nothing differs */
    uint16_t threed, compute;   /* classes in place of Turing's */
    uint32_t tpcs;              /* of the whole chip: most there can be */
    uint32_t tpc_sms, sm_warps;
};

/* Translates a launch descriptor; NULL, or what cannot be. */
const char *vgsp_qmd_to_v4(const uint32_t qmd[64], uint32_t out[96]);
/* Of a descriptor of version 2. */
uint64_t vgsp_qmd_program(const uint32_t qmd[64]);

/*
 * Whether the macro that starts at that group of the instruction RAM
 * (VGSP_MME_GROUPS of them) may write memory: unless each method that
 * it selects is an immediate, and a scratch word.
 */
bool vgsp_macro_may_write(const uint32_t *ram, uint32_t start);

typedef enum VgspCodeResult {
    VGSP_CODE_OK,
    VGSP_CODE_BAD,              /* *bad says what and where */
    VGSP_CODE_FAILED,           /* an op failed: ret */
} VgspCodeResult;

typedef struct VgspCodeBad {
    const char *why;
    uint64_t pc, lo, hi;
    int ret;
} VgspCodeBad;

const VgspTranslateConfig *vgsp_code_config(const VgspCode *code);
/* A section begins, or memory may have changed: pages are looked at again. */
void vgsp_code_begin(VgspCode *code);
/*
 * The program whose first instruction is at entry shall be executed by the
 * section that is translated. generic: it may access windows (LD, ST, ATOM).
 */
VgspCodeResult vgsp_code_use(VgspCode *code, uint64_t entry, bool *generic,
                             VgspCodeBad *bad);
/* Whether [va, va + size) has instructions of known programs. */
bool vgsp_code_overlaps(const VgspCode *code, uint64_t va, uint64_t size);
/* Each known instruction, before and after translation (two words each). */
void vgsp_code_each(const VgspCode *code,
                    void (*each)(void *opaque, uint64_t pc,
                                 const uint8_t before[16],
                                 const uint8_t after[16]),
                    void *opaque);
/*
 * Grows whenever what the GPU sees of a page with code changes: a context that
 * saw another number has to invalidate its instruction caches.
 */
uint64_t vgsp_code_version(const VgspCode *code);

#endif
