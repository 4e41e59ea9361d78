/*
 * Sections: the writer, and the whole check of an executor that does not trust
 * its sender. The words are those of a push buffer (dev_ram, "FIFO_DMA").
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/section.h"

/* Most data words below one header. */
#define METHODS_MAX \
    ((uint32_t)(NVC46F_DMA_METHOD_COUNT >> VGSP_SHIFT(NVC46F_DMA_METHOD_COUNT)))

static uint32_t header(uint32_t op, uint32_t count, uint32_t subchannel,
                       uint32_t method)
{
    return (uint32_t)(VGSP_SET(NVC46F_DMA_SEC_OP, op) |
                      VGSP_SET(NVC46F_DMA_METHOD_COUNT, count) |
                      VGSP_SET(NVC46F_DMA_METHOD_SUBCHANNEL, subchannel) |
                      VGSP_SET(NVC46F_DMA_METHOD_ADDRESS, method));
}

/* A run that is no immediate, or for which there is no room. */
static __attribute__((__noinline__)) uint32_t
append(VgspSectionWriter *w, const VgspPbRun *run, uint32_t n)
{
    uint32_t room = w->max - w->count;
    uint32_t *out = w->words + w->count;
    uint32_t op;

    if (n > run->count) {
        n = run->count;
    }
    if (n > METHODS_MAX) {
        n = METHODS_MAX;
    }
    if (n >= room) {
        n = room ? room - 1 : 0;
    }
    if (!n) {
        return 0;
    }
    if (run->last_step) {
        op = NVC46F_DMA_SEC_OP_INC_METHOD;
    } else if (run->step) {
        op = NVC46F_DMA_SEC_OP_ONE_INC;
    } else {
        op = NVC46F_DMA_SEC_OP_NON_INC_METHOD;
    }
    out[0] = header(op, n, run->subchannel, run->method);
    if (n <= 8) {
        for (uint32_t i = 0; i < n; i++) {
            out[1 + i] = run->data[i]; /* most runs: cheaper than a call */
        }
    } else {
        memcpy(out + 1, run->data, n * sizeof(*out));
    }
    w->count += 1 + n;
    return n;
}

uint32_t vgsp_section_append(VgspSectionWriter *w, const VgspPbRun *run,
                             uint32_t n)
{
    /* Most runs of a driver's are immediates. */
    if (!run->immediate || !n || w->count == w->max) {
        return append(w, run, n);
    }
    w->words[w->count++] = header(NVC46F_DMA_SEC_OP_IMMD_DATA_METHOD,
                                  run->data[0], run->subchannel, run->method);
    return 1;
}

bool vgsp_section_check(const uint32_t *words, uint32_t count,
                        const uint32_t cls[VGSP_SECTION_SUBCHANNELS],
                        uint32_t *bad)
{
    VgspPushbuf pb;
    uint32_t pos = 0;

    vgsp_pb_init(&pb);
    while (pos < count) {
        VgspPbStatus status;
        VgspPolicy policy;
        VgspPbRun run;
        uint32_t passed;
        size_t used;

        /* One word alone: what carries no method has no place here. */
        *bad = pos;
        status = vgsp_pb_next(&pb, words + pos++, 1, &used, &run);
        if (status == VGSP_PB_MORE && vgsp_pb_mid_method(&pb) && pos < count) {
            status = vgsp_pb_next(&pb, words + pos, count - pos, &used, &run);
        }
        if (status != VGSP_PB_METHODS || run.count != pb.count ||
            run.subchannel >= VGSP_SECTION_SUBCHANNELS) {
            return false;
        }
        passed = vgsp_section_pass(cls[run.subchannel], &run, run.count,
                                   &policy);
        if (passed != run.count) {
            *bad += run.immediate ? 0 : 1 + passed;
            return false;
        }
        pos += (uint32_t)vgsp_pb_advance(&pb, passed);
    }
    return true;
}
