/*
 * Sections: runs of GR methods of one channel, verbatim and in order, as they
 * go from the host engine to an executor; and the policy that says which
 * methods may be in them.
 *
 * A section is a push buffer of one kind of content: headers INC, NON_INC,
 * ONE_INC and IMMD as in vgsp/pushbuf.h, each followed by its data, methods at
 * or above NVC46F_HOST_METHODS_END and SET_OBJECT alone, no subdevice masks,
 * no END_PB_SEGMENT, nothing left over. Where a run of the guest's is cut,
 * each part gets a header under which its words reach the same methods.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_SECTION_H
#define VGSP_SECTION_H

#include "vgsp/nv/mme-isa.h"
#include "vgsp/nv/mme.h"
#include "vgsp/pushbuf.h"

/* Most words of a section, headers included: 256 KiB. */
#define VGSP_SECTION_WORDS_MAX 65536
/* Subchannels 0 to 3 are GR's, each of one class. */
#define VGSP_SECTION_SUBCHANNELS 4

/* A section being written. The words are the caller's. */
typedef struct VgspSectionWriter {
    uint32_t *words;
    uint32_t count;             /* words written */
    uint32_t max;               /* words that fit, at least 2 */
} VgspSectionWriter;

/*
 * Appends the first methods of run, at most n of them, as far as they fit.
 * Returns how many were appended; fewer than n: the section is full.
 */
uint32_t vgsp_section_append(VgspSectionWriter *w, const VgspPbRun *run,
                             uint32_t n);

/* What becomes of a method of a GR channel's subchannel 0 to 3. */
typedef enum VgspPolicy {
    VGSP_POLICY_DENY = 0,       /* class or method unknown: channel error */
    VGSP_POLICY_PASS,           /* goes into the section */
    VGSP_POLICY_DEVICE,         /* ends the section; the device performs it */
} VgspPolicy;

/*
 * The policy for method (byte address) of class cls (TURING_A, ...) with that
 * datum. An ACQUIRE or TRAP of a report semaphore is DEVICE's. SET_OBJECT
 * passes where it names cls.
 */
VgspPolicy vgsp_section_policy(uint32_t cls, uint32_t method, uint32_t data);

/*
 * How many of the first n methods of run (n <= run->count) PASS; *policy is
 * that of the next one, VGSP_POLICY_PASS if all n do.
 */
uint32_t vgsp_section_pass(uint32_t cls, const VgspPbRun *run, uint32_t n,
                           VgspPolicy *policy);

/*
 * Checks a whole section, as an executor that does not trust its sender must:
 * well-formed, and every method PASSes. cls[i] is the class on subchannel i
 * (0: none). On failure *bad is the index of the offending word: a header, or
 * the datum of a method that does not PASS.
 */
bool vgsp_section_check(const uint32_t *words, uint32_t count,
                        const uint32_t cls[VGSP_SECTION_SUBCHANNELS],
                        uint32_t *bad);

/* Whether a macro can emit firmware methods (SET_FALCON*). */
typedef enum VgspMacroClass {
    VGSP_MACRO_UNKNOWN = 0,
    VGSP_MACRO_NEVER,
    VGSP_MACRO_ALWAYS,
} VgspMacroClass;

/*
 * Classes the macro that starts at group start of the instruction RAM, which
 * has so many groups of VGSP_MME_GROUP_WORDS. Bounded by the RAM's size.
 */
VgspMacroClass vgsp_macro_class(const uint32_t *ram, uint32_t groups,
                                uint32_t start);

/* The macros of a channel, as far as its push buffers load them. 0 at first. */
typedef struct VgspMacros {
    uint32_t ram[VGSP_MME_INSTRUCTION_RAM];
    uint32_t start[VGSP_MME_MACROS];   /* groups */
    uint32_t ram_pointer;       /* word */
    uint32_t start_pointer;
    uint64_t loads;             /* so many words were loaded ... */
    uint64_t classed[VGSP_MME_MACROS]; /* ... then, plus 1; 0: never */
    uint8_t cls[VGSP_MME_MACROS];
} VgspMacros;

/* Whether a run of TURING_A may load macros. */
static inline bool vgsp_macros_loads(const VgspPbRun *run)
{
    return run->method <= NVC597_LOAD_MME_START_ADDRESS_RAM / 4;
}

/* Takes what n methods of a run of TURING_A load. */
void vgsp_macros_load(VgspMacros *m, const VgspPbRun *run, uint32_t n);
/* The class of a macro below VGSP_MME_MACROS; *first: it was told anew. */
VgspMacroClass vgsp_macros_class(VgspMacros *m, uint32_t macro, bool *first);

#endif
