/*
 * GPFIFO entries and push-buffer headers of class NVC46F.
 * Specified by NVIDIA's clc46f.h, dev_ram and dev_pbdma (TU104).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/pushbuf.h"

/* Segments lie below the last word of Host's 40-bit address space. */
#define GP_SEGMENT_END_MAX UINT64_C(0xfffffffffc)

VgspGpEntry vgsp_gp_entry_decode(uint32_t e0, uint32_t e1)
{
    VgspGpEntry e = {
        .sync = VGSP_GET(NVC46F_GP_ENTRY1_SYNC, e1),
    };
    uint32_t count = (uint32_t)VGSP_GET(NVC46F_GP_ENTRY1_LENGTH, e1);

    if (count == 0) {
        e.operand = e0;
        switch (VGSP_GET(NVC46F_GP_ENTRY1_OPCODE, e1)) {
        case NVC46F_GP_ENTRY1_OPCODE_NOP:
            e.op = VGSP_GP_NOP;
            break;
        case NVC46F_GP_ENTRY1_OPCODE_GP_CRC:
            e.op = VGSP_GP_CRC;
            break;
        case NVC46F_GP_ENTRY1_OPCODE_PB_CRC:
            e.op = VGSP_GP_PB_CRC;
            break;
        default:
            e.op = VGSP_GP_ERROR;
            break;
        }
        return e;
    }

    e.op = VGSP_GP_SEGMENT;
    e.va = VGSP_GET(NVC46F_GP_ENTRY1_GET_HI, e1) << 32 |
           (e0 & NVC46F_GP_ENTRY0_GET);
    e.count = count;
    e.conditional = VGSP_GET(NVC46F_GP_ENTRY0_FETCH, e0);
    e.subroutine = VGSP_GET(NVC46F_GP_ENTRY1_LEVEL, e1);
    if (e.va + (uint64_t)count * 4 > GP_SEGMENT_END_MAX) {
        e.op = VGSP_GP_ERROR;
    }
    return e;
}

void vgsp_pb_init(VgspPushbuf *pb)
{
    memset(pb, 0, sizeof(*pb));
    pb->subdevice_stored = (uint16_t)(NVC46F_DMA_SUBDEVICE_MASK >>
                                      VGSP_SHIFT(NVC46F_DMA_SUBDEVICE_MASK));
}

/*
 * SEC_OP 0. This GPU's SUBDEVICE_ID is every bit of the mask (as RM leaves
 * it), so that it is active unless the mask is empty.
 */
static VgspPbStatus decode_group0(VgspPushbuf *pb, uint32_t header)
{
    uint16_t mask = (uint16_t)VGSP_GET(NVC46F_DMA_SUBDEVICE_MASK, header);

    switch (VGSP_GET(NVC46F_DMA_TERT_OP, header)) {
    case NVC46F_DMA_TERT_OP_GRP0_SET_SUB_DEV_MASK:
        pb->inactive = mask == 0;
        return VGSP_PB_MORE;
    case NVC46F_DMA_TERT_OP_GRP0_STORE_SUB_DEV_MASK:
        pb->subdevice_stored = mask;
        return VGSP_PB_MORE;
    case NVC46F_DMA_TERT_OP_GRP0_USE_SUB_DEV_MASK:
        pb->inactive = pb->subdevice_stored == 0;
        return VGSP_PB_MORE;
    default:
        return header == NVC46F_DMA_NOP ? VGSP_PB_MORE
                                        : VGSP_PB_ERROR_OBSOLETE;
    }
}

/* VGSP_PB_MORE: the header was understood; its data, if any, is due. */
static inline VgspPbStatus decode_header(VgspPushbuf *pb, uint32_t header)
{
    uint32_t method = (uint32_t)VGSP_GET(NVC46F_DMA_METHOD_ADDRESS, header);
    uint32_t count = (uint32_t)VGSP_GET(NVC46F_DMA_METHOD_COUNT, header);
    uint32_t last = method;

    switch (VGSP_GET(NVC46F_DMA_SEC_OP, header)) {
    case NVC46F_DMA_SEC_OP_GRP0_USE_TERT:
        return decode_group0(pb, header);
    case NVC46F_DMA_SEC_OP_INC_METHOD:
        pb->step = pb->last_step = 1;
        last += count ? count - 1 : 0;
        break;
    case NVC46F_DMA_SEC_OP_GRP2_USE_TERT:
        return VGSP_PB_ERROR_OBSOLETE;
    case NVC46F_DMA_SEC_OP_NON_INC_METHOD:
        pb->step = pb->last_step = 0;
        break;
    case NVC46F_DMA_SEC_OP_IMMD_DATA_METHOD:
        pb->imm = (uint32_t)VGSP_GET(NVC46F_DMA_IMMD_DATA, header);
        pb->immediate = true;
        pb->step = pb->last_step = 0;
        count = 1;
        break;
    case NVC46F_DMA_SEC_OP_ONE_INC:
        pb->step = 1;
        pb->last_step = 0;
        last += count > 1 ? 1 : 0;
        break;
    case NVC46F_DMA_SEC_OP_END_PB_SEGMENT:
        return VGSP_PB_END_SEGMENT;
    default:
        return VGSP_PB_ERROR_RESERVED;
    }
    if (last > NVC46F_DMA_METHOD_ADDRESS) {
        return VGSP_PB_ERROR_RANGE;
    }
    pb->method = (uint16_t)method;
    pb->count = (uint16_t)count;
    pb->subchannel = (uint8_t)VGSP_GET(NVC46F_DMA_METHOD_SUBCHANNEL, header);
    return VGSP_PB_MORE;
}

/* The data at hand of the header that was decoded last, of left words. */
static inline void fill_run(const VgspPushbuf *pb, const uint32_t *words,
                            size_t left, VgspPbRun *run)
{
    run->data = pb->immediate ? &pb->imm : words;
    run->count = pb->immediate || pb->count < left ? pb->count
                                                   : (uint32_t)left;
    run->method = pb->method;
    run->step = pb->step;
    run->last_step = pb->last_step;
    run->subchannel = pb->subchannel;
    run->immediate = pb->immediate;
}

static __attribute__((__noinline__)) VgspPbStatus
next(VgspPushbuf *pb, const uint32_t *words, size_t count, size_t *used,
     VgspPbRun *run)
{
    size_t pos = 0;

    for (;;) {
        if (pb->count && pb->inactive) {
            size_t left = count - pos;

            pos += vgsp_pb_advance(pb, pb->count < left || pb->immediate ?
                                       pb->count : (uint32_t)left);
        } else if (pb->count && (pb->immediate || pos < count)) {
            size_t left = count - pos;

            fill_run(pb, words + pos, left, run);
            *used = pos;
            return VGSP_PB_METHODS;
        }

        if (pos == count) {
            *used = pos;
            return VGSP_PB_MORE;
        }
        if (!pb->count) {
            VgspPbStatus status = decode_header(pb, words[pos++]);

            if (status != VGSP_PB_MORE) {
                *used = pos;
                return status;
            }
        }
    }
}

VgspPbStatus vgsp_pb_next(VgspPushbuf *pb, const uint32_t *words, size_t count,
                          size_t *used, VgspPbRun *run)
{
    /*
     * Most headers of a driver's carry their datum. next() would do the same;
     * here the compiler leaves a few steps of decode_header() and fill_run().
     */
    if (!count || pb->count || pb->inactive ||
        VGSP_GET(NVC46F_DMA_SEC_OP, words[0]) !=
        NVC46F_DMA_SEC_OP_IMMD_DATA_METHOD) {
        return next(pb, words, count, used, run);
    }
    decode_header(pb, words[0]);
    fill_run(pb, words, 0, run);
    *used = 1;
    return VGSP_PB_METHODS;
}
