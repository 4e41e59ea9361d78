/*
 * libFuzzer target: shared memory as a hostile peer could leave it, read by
 * the message queue codec from both ends.
 *
 * Input: mode, buffer size, write pointer, peer's read pointer; then for each
 * of up to eight elements {entries, flags, u16 length, function, count field};
 * then patches {u16 word, u32 value} anywhere.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>

#include "vgsp/msgq.h"

#define PAGE     0x1000u
#define ENTRIES  36u                /* two of the largest elements fit */
#define CMDQ     PAGE
#define QUEUE    ((ENTRIES + 1) * PAGE)
#define STATQ    (CMDQ + QUEUE)
#define REGION   (STATQ + QUEUE)

#define MODE_FORMAT 1               /* the peer formatted its queue */
#define MODE_SEAL   2               /* checksums are right */
#define MODE_START  2               /* shift: first entry to be read */

#define ELEM_BAD_SEQUENCE 1
#define ELEM_BAD_CHECKSUM 2
#define ELEM_LONGEST      4         /* whatever the length says */
#define ELEM_BAD_VERSION  8

static uint8_t region[REGION];

static int region_read(void *opaque, uint64_t off, void *buf, uint32_t len)
{
    (void)opaque;
    if (!vgsp_range_ok(off, len, REGION)) {
        abort();                    /* the codec must never leave the region */
    }
    memcpy(buf, region + off, len);
    return 0;
}

static int region_write(void *opaque, uint64_t off, const void *buf,
                        uint32_t len)
{
    (void)opaque;
    if (!vgsp_range_ok(off, len, REGION)) {
        abort();
    }
    memcpy(region + off, buf, len);
    return 0;
}

static const VgspMsgqOps ops = { region_read, region_write };

/* Byte off of the element that starts at entry index, around the ring. */
static uint8_t *ring(uint32_t index, uint32_t off)
{
    return region + CMDQ + PAGE +
        (index * PAGE + off) % (ENTRIES * PAGE);
}

/* The checksum of what a reader will sum, if it lies in the ring. */
static void seal(uint32_t index, bool bad)
{
    uint32_t len = 0x30 + vgsp_le32(ring(index, 0x38)), sum = bad;

    if (len > ENTRIES * PAGE) {
        return;
    }
    vgsp_put_le32(ring(index, 0x20), 0);
    for (uint32_t i = 0; i < VGSP_ALIGN_UP(len, 8); i += 4) {
        sum ^= vgsp_le32(ring(index, i));
    }
    vgsp_put_le32(ring(index, 0x20), sum);
}

/* One element from six bytes of input; the next entry. */
static uint32_t element(uint32_t index, uint32_t sequence, const uint8_t *d,
                        bool sealed)
{
    static const uint32_t functions[] = {
        NV_VGPU_MSG_FUNCTION_GSP_RM_CONTROL, NV_VGPU_MSG_FUNCTION_GSP_RM_ALLOC,
        NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY, NV_VGPU_MSG_FUNCTION_SET_REGISTRY,
        NV_VGPU_MSG_FUNCTION_CONTINUATION_RECORD, NV_VGPU_MSG_FUNCTION_FREE,
    };
    uint32_t count = d[0] % 20, length = vgsp_le16(d + 2);

    if (d[1] & ELEM_LONGEST) {
        count = GSP_MSG_QUEUE_ELEMENT_COUNT_MAX;
        length = GSP_MSG_QUEUE_RPC_SIZE_MAX;
    }

    vgsp_put_le32(ring(index, 0x24),
                  sequence + (d[1] & ELEM_BAD_SEQUENCE ? d[1] - 2u : 0));
    vgsp_put_le32(ring(index, 0x28), count);
    vgsp_put_le32(ring(index, 0x30),
                  NV_VGPU_MSG_HEADER_VERSION ^ (d[1] & ELEM_BAD_VERSION));
    vgsp_put_le32(ring(index, 0x34), NV_VGPU_MSG_SIGNATURE_VALID);
    vgsp_put_le32(ring(index, 0x38), length);
    vgsp_put_le32(ring(index, 0x3c),
                  functions[d[4] % VGSP_ARRAY_SIZE(functions)]);
    /* Each function's own count field. */
    vgsp_put_le32(ring(index, 0x50), d[5] << 10);
    vgsp_put_le32(ring(index, 0x60), d[5] << 10);
    vgsp_put_le32(ring(index, 0x64), d[5] << 10);
    vgsp_put_le32(ring(index, 0x78), d[5] << 7);
    if (sealed) {
        seal(index, d[1] & ELEM_BAD_CHECKSUM);
    }
    return (index + count) % ENTRIES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t buf[0x20000];
    VgspMsgqAssembly a = { .buf = buf, .size = sizeof(buf) };
    VgspMsgq rx, tx;
    uint32_t index, start, sequence = 0, wptr;
    uint8_t mode;

    if (size < 4) {
        return 0;
    }
    mode = data[0];
    start = index = (mode >> MODE_START) % ENTRIES;
    a.size -= data[1] * 0x200u;
    memset(region, 0, sizeof(region));
    if (mode & MODE_FORMAT) {
        vgsp_msgq_format(&ops, NULL, CMDQ, QUEUE);
    }
    vgsp_msgq_format(&ops, NULL, STATQ, QUEUE);
    vgsp_put_le32(region + CMDQ + 0x20, data[3]);
    wptr = data[2];
    data += 4;
    size -= 4;
    for (; size >= 6 && sequence < 8; data += 6, size -= 6) {
        index = element(index, sequence++, data, mode & MODE_SEAL);
    }
    /* Few values are an entry; the others mean all that was made. */
    vgsp_put_le32(region + CMDQ + 0x10, wptr <= ENTRIES ? wptr : index);
    for (; size >= 6; data += 6, size -= 6) {
        memcpy(region + vgsp_le16(data) * 4u % REGION, data + 2, 4);
    }

    if (vgsp_msgq_open(&tx, &ops, NULL, STATQ, STATQ, CMDQ, REGION) ||
        vgsp_msgq_open(&rx, &ops, NULL, CMDQ, STATQ, CMDQ, REGION)) {
        return 0;
    }
    rx.index = start;
    for (int i = 0; i < 64; i++) {
        VgspMsgqError err = vgsp_msgq_recv(&rx, &a);
        VgspRpcMessage m = a.msg;

        vgsp_msgq_error_name(err);
        if (err == VGSP_MSGQ_EMPTY || err == VGSP_MSGQ_BAD_POINTER) {
            break;
        }
        if (!err) {
            if (m.length > a.size) {
                abort();
            }
            vgsp_msgq_send(&tx, &m, a.buf);
        }
    }
    return 0;
}
