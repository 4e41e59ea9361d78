/*
 * The graphics engine of a channel: its methods are captured in sections and
 * run by the device's executor, in a context of the channel's own.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_ENGINE_GR_H
#define HW_VGSP_ENGINE_GR_H

#include "engine/engine.h"
#include "owner/shadow.h"
#include "vgsp/section.h"

/* Words of a section that is being captured; a slice fills about one. */
#define VGSP_GR_SECTION_WORDS 8192

/* SET_REPORT_SEMAPHORE_A to C, for what the device does with D. */
typedef struct VgspGrReport {
    uint32_t offset_upper, offset_lower, payload;
} VgspGrReport;

/* Brackets as in host-int.h. */
typedef struct VgspGr {
    VgspShadow *shadow;         /* BQL; the space of the context */
    bool has_context;           /* [inside], and by_context has it */
    uint32_t context;           /* [inside] the executor's id */
    bool full;                  /* [inside] the executor refused for now */
    uint64_t refused_at;        /* [inside] completed, before it did */
    VgspSectionWriter section;  /* [inside] captured, not yet submitted */
    /* [inside] 1 + the word of section at which a macro call begins, or 0 */
    uint32_t call;
    VgspGrReport report[2];     /* [inside] of 3D and of compute */
    VgspMacros *macros;         /* [inside] NULL: none was loaded yet */
    uint64_t submitted;         /* [atomic] last sequence number given out */
    uint64_t completed;         /* [atomic] written locked */
    int64_t progress_at;        /* [lock] virtual ns: last sign of life */
    bool holding;               /* BQL: the executor was told to hold it */
    bool held;                  /* [lock] and BQL: it is off the engine */
    int64_t still_since;        /* [lock] virtual ns: held, or all paused */
} VgspGr;

/*
 * Makes the context that GR methods of @ch need, if there is none yet and its
 * directory is known. BQL, channel held. False with *errp: the executor
 * refused.
 */
bool vgsp_gr_attach(VgspChannel *ch, Error **errp);
/*
 * Ends it: nothing of the channel runs or writes when this returns. BQL, no
 * thread inside, VgspHost.lock not held.
 */
void vgsp_gr_detach(VgspChannel *ch);
/*
 * Takes the context off the engine, where it waits, or lets it go on. Waits for
 * the end of a slice. BQL, VgspHost.lock not held.
 */
void vgsp_gr_hold(VgspChannel *ch, bool hold);
/*
 * The executor's spaces have the guest's mappings, not its directories: says
 * at which level the guest's own tables end. BQL, channel held.
 */
void vgsp_gr_refine_fault(VgspChannel *ch, VgspMmuFault *fault);

/*
 * Captures the first methods of @run, all of them >= NVC46F_HOST_METHODS_END,
 * of class @ec. Returns how many were performed; *end as for one method.
 * Decode thread, inside @ch.
 */
uint32_t vgsp_gr_methods(VgspChannel *ch, VgspEngineClass ec,
                         const VgspPbRun *run, VgspMethodEnd *end);
/* SET_OBJECT with @data reaches the engine too. */
VgspMethodEnd vgsp_gr_set_object(VgspChannel *ch, VgspEngineClass ec,
                                 unsigned subchannel, uint32_t data);
/*
 * Submits what was captured. DONE; or WAIT_ENGINE or PARK, when it comes again
 * before anything else of the channel.
 */
VgspMethodEnd vgsp_gr_flush(VgspChannel *ch);
/*
 * The same at the end of a slice after which the channel goes on: a macro call
 * at the end, whose data may go on too, is kept. The engine must not be asked
 * for anything else before a call has all its data (MISSING_MACRO_DATA).
 */
VgspMethodEnd vgsp_gr_flush_slice(VgspChannel *ch);

/* Whether sections of @ch are with the executor. Any thread. */
bool vgsp_gr_busy(VgspChannel *ch);

#endif
