/*
 * libFuzzer target: arbitrary shared memory as the peer could leave it, read
 * by the message queue codec from both ends.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>

#include "vgsp/msgq.h"

#define REGION (24 * 0x1000u)
#define CMDQ   0x1000u
#define QUEUE  (11 * 0x1000u)
#define STATQ  (CMDQ + QUEUE)

static uint8_t region[REGION];

static int region_read(void *opaque, uint64_t off, void *buf, uint32_t len)
{
    (void)opaque;
    if (!vgsp_range_ok(off, len, REGION)) {
        abort();             /* the codec must never leave the region */
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

/* Make element headers plausible, so that deeper code is reached. */
static void seal(uint64_t entries, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *e = region + entries + i * 0x1000;
        uint32_t len = 0x30 + vgsp_le32(e + 0x38), sum = 0;

        if (!vgsp_range_ok(entries + i * 0x1000, len + 8ull, REGION)) {
            continue;
        }
        vgsp_put_le32(e + 0x30, NV_VGPU_MSG_HEADER_VERSION);
        vgsp_put_le32(e + 0x34, NV_VGPU_MSG_SIGNATURE_VALID);
        vgsp_put_le32(e + 0x20, 0);
        for (uint32_t j = 0; j < VGSP_ALIGN_UP(len, 8); j += 4) {
            sum ^= vgsp_le32(e + j);
        }
        vgsp_put_le32(e + 0x20, sum);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t buf[0x14000];
    VgspMsgqAssembly a = { .buf = buf, .size = sizeof(buf) };
    VgspMsgq rx, tx;
    uint8_t mode;

    if (size < 2) {
        return 0;
    }
    mode = data[0];
    a.size -= data[1] * 0x100u;
    data += 2;
    size -= 2;

    memset(region, 0, sizeof(region));
    if (mode & 1) {
        vgsp_msgq_format(&ops, NULL, CMDQ, QUEUE);
        vgsp_msgq_format(&ops, NULL, STATQ, QUEUE);
    }
    /* Patches: u16 where (in 4-byte words), u32 what. */
    for (size_t i = 0; i + 6 <= size; i += 6) {
        uint32_t at = vgsp_le16(data + i) * 4u % REGION;

        memcpy(region + at, data + i + 2, 4);
    }
    if (mode & 2) {
        seal(CMDQ + 0x1000, QUEUE / 0x1000 - 1);
    }
    if (vgsp_msgq_open(&rx, &ops, NULL, CMDQ, STATQ, CMDQ, REGION) ||
        vgsp_msgq_open(&tx, &ops, NULL, STATQ, STATQ, CMDQ, REGION)) {
        return 0;
    }
    for (int i = 0; i < 64; i++) {
        VgspMsgqError err = vgsp_msgq_recv(&rx, &a);
        VgspRpcMessage m = a.msg;

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
