/*
 * Sections of a Turing guest for another chip: class words, methods that
 * differ, launch descriptors, and programs (sm_75 to sm_90), by tables. On a
 * Turing chip nothing changes. The guest's own bytes are never changed:
 * translated programs are shadow pages, which the user of this library maps
 * in place of the guest's code pages.
 *
 * One object for each context (channel) and one for each space; not locked.
 * Bounded in time and memory, whatever the words and the memory hold.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_TRANSLATE_TRANSLATE_H
#define HW_VGSP_TRANSLATE_TRANSLATE_H

#include <glib.h>
#include "vgsp/section.h"
#include "vgsp/uapi/vgsp_owner.h"

/* What differs between the guest's chip and the one that executes. */
typedef struct VgspProfile VgspProfile;

extern const VgspProfile vgsp_profile_tu10x;    /* verbatim */
extern const VgspProfile vgsp_profile_gh100;

typedef struct VgspTranslateOps {
    /* Reads guest memory at a virtual address of the space; false: unmapped. */
    bool (*read)(void *opaque, uint64_t va, void *data, size_t size);
    /*
     * page (4096 bytes) shall be seen by the GPU at va (a multiple of 4096)
     * instead of the guest's, before the section that is being translated
     * runs; NULL: the guest's again. Returns a negative errno value.
     */
    int (*shadow)(void *opaque, uint64_t va, const void *page);
} VgspTranslateOps;

/* What the chip's sizes are, where translation needs them. */
typedef struct VgspTranslateConfig {
    const VgspProfile *profile;
    uint32_t sm_count;
    const VgspTranslateOps *ops;
    void *opaque;
} VgspTranslateConfig;

typedef struct VgspCode VgspCode;               /* of a space: its programs */
typedef struct VgspTranslate VgspTranslate;     /* of a context */

VgspCode *vgsp_code_new(const VgspTranslateConfig *config);
void vgsp_code_free(VgspCode *code);
/* Mappings of [va, va + size) changed: programs there are looked at again. */
void vgsp_code_changed(VgspCode *code, uint64_t va, uint64_t size);

VgspTranslate *vgsp_translate_new(VgspCode *code);
void vgsp_translate_free(VgspTranslate *t);
/*
 * Translates a section, checked before by vgsp_section_check(), and appends
 * to out (uint32_t). Returns 0, or -EIO with *fault (kind, valid, method,
 * data, pc, insn) filled: the context must end. *why is a static string that
 * names what cannot be translated.
 */
int vgsp_translate_section(VgspTranslate *t, const uint32_t *words,
                           uint32_t count, GArray *out,
                           struct vgsp_owner_fault *fault, const char **why);

#endif
