/*
 * One launch of the copy engine, as the worker thread performs it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_ENGINE_COPY_JOB_H
#define HW_VGSP_ENGINE_COPY_JOB_H

#include "vgsp/blocklinear.h"
#include "host/host-int.h"

/* One side of a transfer. */
typedef struct VgspCopySurface {
    bool physical;
    bool block_linear;
    VgspAperture aperture;      /* of a physical one */
    uint64_t base;
    int32_t pitch;              /* bytes; of a linear one */
    VgspBlockLinear bl;         /* of a block-linear one ... */
    uint64_t x;                 /* ... and the origin: bytes, rows, layer */
    uint32_t y, z;
} VgspCopySurface;

typedef struct VgspCopyJob {
    VgspEngineJob job;
    VgspCopySurface src, dst;
    uint64_t elements, lines;   /* 0: no transfer */
    uint32_t src_element, dst_element; /* bytes */
    bool remap;
    bool reads_source;
    bool writes_all;            /* no component is NO_WRITE */
    uint32_t component_size;    /* bytes */
    uint8_t select[4];          /* NVC5B5_SET_REMAP_COMPONENTS_DST_* */
    uint8_t remap_const[2][4];  /* little endian */

    uint32_t semaphore;         /* NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE_* */
    uint64_t sem_va;
    uint32_t sem_payload;
    bool sem_reduce;
    VgspReduction reduction;
    bool non_stall;             /* raise the LCE's non-stall vector */

    uint64_t line, element;     /* progress: next to transfer */
} VgspCopyJob;

/* A job without transfer, semaphore or interrupt. */
void vgsp_copy_job_init(VgspCopyJob *job);

/*
 * Performs all of @job in the decode thread, inside @ch, unless it is too long
 * for that: MORE, and nothing was done. ERROR: *@rc is filled. What it cost is
 * taken off *@slice, bytes.
 */
VgspJobEnd vgsp_copy_job_perform(VgspCopyJob *job, VgspChannel *ch,
                                 int64_t *slice, VgspRcError *rc);

/* ROBUST_CHANNEL_CEn_ERROR of the channel's copy engine. */
uint32_t vgsp_copy_except_type(const VgspChannel *ch);

#endif
