/*
 * Engines behind a channel: which class a subchannel leads to, what a method
 * may answer, and the jobs that engines leave to the worker thread.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_ENGINE_ENGINE_H
#define HW_VGSP_ENGINE_ENGINE_H

#include "qemu/queue.h"
#include "qemu/units.h"
#include "device/aperture.h"
#include "device/memory.h"
#include "gsp/gsp.h"
#include "host/host.h"
#include "vgsp/pushbuf.h"

/* Classes that a channel's objects can have. */
typedef enum VgspEngineClass {
    VGSP_CLASS_3D,              /* TURING_A */
    VGSP_CLASS_COMPUTE,         /* TURING_COMPUTE_A */
    VGSP_CLASS_I2M,             /* KEPLER_INLINE_TO_MEMORY_B */
    VGSP_CLASS_2D,              /* FERMI_TWOD_A */
    VGSP_CLASS_COPY,            /* TURING_DMA_COPY_A */
    VGSP_CLASS_COUNT
} VgspEngineClass;

/* What became of a method. */
typedef enum VgspMethodEnd {
    VGSP_METHOD_DONE,
    VGSP_METHOD_YIELD,          /* done; the channel gives up its slice */
    VGSP_METHOD_WAIT_MMU,       /* done; go on when the MMU has answered */
    /* Not done: the same method comes again ... */
    VGSP_METHOD_WAIT_ENGINE,    /* ... after one of the channel's jobs ended */
    VGSP_METHOD_PARK,           /* ... when its semaphore may have changed */
    VGSP_METHOD_ERROR,          /* ... never: the channel stops */
} VgspMethodEnd;

static inline bool vgsp_method_performed(VgspMethodEnd end)
{
    return end <= VGSP_METHOD_WAIT_MMU;
}

/* Work for the worker thread. Jobs of a channel run in order. */
typedef struct VgspEngineJob VgspEngineJob;

typedef enum VgspJobEnd {
    VGSP_JOB_MORE,              /* call again: a slice is over */
    VGSP_JOB_DONE,
    VGSP_JOB_ERROR,             /* *rc is filled; the channel stops */
} VgspJobEnd;

#define VGSP_JOB_SLICE      (1 * MiB)   /* bytes that a slice may move */
#define VGSP_JOB_SCRATCH    (64 * KiB)

struct VgspEngineJob {
    /* Worker thread, without locks; @scratch has VGSP_JOB_SCRATCH bytes. */
    VgspJobEnd (*run)(VgspEngineJob *job, VgspChannel *ch, uint8_t *scratch,
                      VgspRcError *rc);
    QSIMPLEQ_ENTRY(VgspEngineJob) next;
    /* First in a structure from g_malloc(), which the worker frees. */
};

/* False where @cls is none of ours. */
bool vgsp_engine_class(uint32_t cls, VgspEngineClass *out);
/* The class number of @ec. */
uint32_t vgsp_engine_class_id(VgspEngineClass ec);

/*
 * Performs methods of @run, all >= NVC46F_HOST_METHODS_END, until one ends it:
 * *@end says how, the result how many were performed. Or SET_OBJECT's check of
 * a class. Decode thread, inside @ch.
 */
uint32_t vgsp_engine_methods(VgspChannel *ch, const VgspPbRun *run,
                             VgspMethodEnd *end);
VgspMethodEnd vgsp_engine_set_object(VgspChannel *ch, unsigned subchannel,
                                     uint32_t data);

#endif
