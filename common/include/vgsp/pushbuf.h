/*
 * GPFIFO entries and the push-buffer method decoder of class NVC46F, as a
 * state machine that can stop at any word. Specified by NVIDIA's clc46f.h,
 * dev_ram ("FIFO_DMA") and dev_pbdma ("GP_ENTRY").
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_PUSHBUF_H
#define VGSP_PUSHBUF_H

#include "vgsp/nv/host.h"

typedef enum VgspGpOp {
    VGSP_GP_SEGMENT,            /* fetch va, count words */
    VGSP_GP_NOP,
    VGSP_GP_CRC,                /* compare the CRC of GPFIFO entries ... */
    VGSP_GP_PB_CRC,             /* ... of push-buffer words with operand */
    VGSP_GP_ERROR,              /* ILLEGAL, unknown, or beyond the VA space */
} VgspGpOp;

typedef struct VgspGpEntry {
    VgspGpOp op;
    uint64_t va;                /* of the segment, bytes, 4-byte aligned */
    uint32_t count;             /* of the segment, words; never 0 */
    uint32_t operand;           /* of a control entry */
    bool conditional;           /* skip while the subdevice is inactive */
    bool subroutine;            /* level, for TOP_LEVEL_GET alone */
    bool sync;                  /* fetch after the previous was processed */
} VgspGpEntry;

/* Decodes the two words of a GPFIFO entry. Any words are permitted. */
VgspGpEntry vgsp_gp_entry_decode(uint32_t e0, uint32_t e1);

/*
 * Header state: it belongs to the channel, for a header may end one segment
 * and its data begin another. vgsp_pb_init() gives a channel's first state;
 * the rest is the decoder's, and may be copied.
 */
typedef struct VgspPushbuf {
    uint16_t method;            /* next method, words */
    uint16_t count;             /* data words still due */
    uint16_t step;              /* added to method after a data word ... */
    uint16_t last_step;         /* ... and after those behind the first */
    uint32_t imm;               /* data of a header that carries it */
    uint16_t subdevice_stored;  /* STORE_SUB_DEV_MASK */
    uint8_t subchannel;
    bool immediate;             /* the data is imm */
    bool inactive;              /* the subdevice mask excludes this GPU */
} VgspPushbuf;

typedef enum VgspPbStatus {
    VGSP_PB_METHODS,            /* a run of methods is at hand */
    VGSP_PB_MORE,               /* all words were consumed */
    VGSP_PB_END_SEGMENT,        /* END_PB_SEGMENT: drop what is left of it */
    VGSP_PB_ERROR_OBSOLETE,     /* PBENTRY errors: GRP0 or GRP2 legacy header */
    VGSP_PB_ERROR_RESERVED,     /* SEC_OP 6 */
    VGSP_PB_ERROR_RANGE,        /* addresses beyond the last method */
} VgspPbStatus;

static inline bool vgsp_pb_is_error(VgspPbStatus status)
{
    return status >= VGSP_PB_ERROR_OBSOLETE;
}

/*
 * A run of methods: data[0] goes to method, data[i] (i > 0) to
 * method + step + (i - 1) * last_step. The addresses are in words.
 */
typedef struct VgspPbRun {
    const uint32_t *data;       /* in the caller's words, or in the state */
    uint32_t count;             /* at least 1 */
    uint16_t method;
    uint16_t step;
    uint16_t last_step;
    uint8_t subchannel;
    bool immediate;             /* data is not in the caller's words */
} VgspPbRun;

/* Word address of the run's method number i. */
static inline uint32_t vgsp_pb_run_method(const VgspPbRun *run, uint32_t i)
{
    return i ? run->method + run->step + (i - 1) * (uint32_t)run->last_step
             : run->method;
}

/* The run without its first n methods, n < run->count. */
static inline VgspPbRun vgsp_pb_run_rest(const VgspPbRun *run, uint32_t n)
{
    VgspPbRun rest = *run;

    if (n) {
        rest.data += n;
        rest.count -= n;
        rest.method = (uint16_t)vgsp_pb_run_method(run, n);
        rest.step = run->last_step;
    }
    return rest;
}

void vgsp_pb_init(VgspPushbuf *pb);

/*
 * Consumes headers (and data for an inactive subdevice) from words[0..count),
 * in host byte order, until methods are at hand, the words end or something is
 * wrong; *used says how many words. With VGSP_PB_METHODS the run describes
 * data that is not consumed: after performing n methods of it the caller calls
 * vgsp_pb_advance(), and skips as many words as that returns. The state is
 * then exact, also in the middle of a run. An erroneous header is consumed.
 * Bounded by count.
 */
VgspPbStatus vgsp_pb_next(VgspPushbuf *pb, const uint32_t *words, size_t count,
                          size_t *used, VgspPbRun *run);

/* n methods of the run were performed (n <= run->count). Words to skip. */
static inline size_t vgsp_pb_advance(VgspPushbuf *pb, uint32_t n)
{
    if (!n) {
        return 0;
    }
    if (pb->immediate) {
        pb->immediate = false;
        pb->count = 0;
        return 0;
    }
    pb->method = (uint16_t)(pb->method + pb->step + (n - 1) * pb->last_step);
    pb->step = pb->last_step;
    pb->count = (uint16_t)(pb->count - n);
    return n;
}

/* A data word is due before the next header. */
static inline bool vgsp_pb_mid_method(const VgspPushbuf *pb)
{
    return pb->count != 0;
}

#endif
