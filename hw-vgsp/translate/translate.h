/*
 * Sections of a Turing guest for another chip: class words, methods that
 * differ, launch descriptors, and programs (sm_75 to sm_90), by tables. On a
 * Turing chip nothing changes. The guest's own bytes are never changed:
 * translated programs are shadow pages, which the user of this library maps
 * in place of the guest's code pages.
 *
 * One object for each context (channel) and one for each space; not locked:
 * whoever uses objects of one space does so one at a time. Bounded in time and
 * memory, whatever the words and the memory hold.
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
    /*
     * The 4096 bytes of guest memory at va (a multiple of 4096) of the space,
     * valid until another op is called; NULL: unmapped. The guest's, whether
     * there is a shadow or not, with what the GPU wrote to the shadow.
     */
    const void *(*page)(void *opaque, uint64_t va);
    /*
     * page (4096 bytes) shall be seen by the GPU at va (a multiple of 4096)
     * instead of the guest's before the section that is being translated runs;
     * what the GPU writes there is the guest's all the same. Called again for
     * the same va: the bytes change in place (work that runs then may see
     * either, as it would in the guest's own memory). NULL: the guest's page
     * again. Returns a negative errno value. The user ends shadows by itself where the guest's mapping ends or is
     * replaced, then calls vgsp_code_changed().
     */
    int (*shadow)(void *opaque, uint64_t va, const void *page);
    /*
     * size bytes (a multiple of 4096) of the executor's own memory, below 2^40
     * and where no mapping of the guest is, readable and writable by the GPU: for launch
     * descriptors, local memory. *host is NULL, or where the CPU may write it;
     * a caller that needs that says so with cpu. Lives until vgsp_code_free()
     * of the space has returned. Returns a negative errno value.
     */
    int (*reserve)(void *opaque, uint64_t size, bool cpu, uint64_t *va,
                   void **host);
} VgspTranslateOps;

/* What the chip's sizes are, where translation needs them. */
typedef struct VgspTranslateConfig {
    const VgspProfile *profile;
    uint32_t sm_count;          /* of the chip; 0 only with tu10x */
    const VgspTranslateOps *ops;
    void *opaque;
} VgspTranslateConfig;

typedef struct VgspCode VgspCode;               /* of a space: its programs */
typedef struct VgspTranslate VgspTranslate;     /* of a context */

VgspCode *vgsp_code_new(const VgspTranslateConfig *config);
/* After its contexts' objects. Calls no op. */
void vgsp_code_free(VgspCode *code);
/*
 * Mappings of [va, va + size) changed, or ended: programs there are forgotten,
 * and looked at again when they are used. Calls no op.
 */
void vgsp_code_changed(VgspCode *code, uint64_t va, uint64_t size);

VgspTranslate *vgsp_translate_new(VgspCode *code);
void vgsp_translate_free(VgspTranslate *t);

/* Results of vgsp_translate_section() beside negative errno values. */
enum {
    VGSP_TRANSLATE_DONE = 0,
    /*
     * What was appended to out (maybe nothing), and everything submitted
     * before it in this context, must have run to its end before the call is
     * made again, with the same words and *pos as it is: what follows depends
     * on memory that this work writes.
     */
    VGSP_TRANSLATE_WAIT = 1,
};

/*
 * Translates a section, checked before by vgsp_section_check(), from word *pos
 * (0 at first) on and appends to out (uint32_t), which has a well-formed
 * section after each call. -EIO: *fault is filled (kind, valid, method,
 * data, pc, insn) and the context must end. *why is then a static string that
 * names what cannot be translated.
 */
int vgsp_translate_section(VgspTranslate *t, const uint32_t *words,
                           uint32_t count, uint32_t *pos, GArray *out,
                           struct vgsp_owner_fault *fault, const char **why);

#endif
