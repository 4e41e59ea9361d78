/*
 * The submission ring as user space may write it for the kernel's owner: what
 * passes the checks lies within the ring, the address space and the bounds of a
 * section.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../../gpu-owner-kmod/ring.c"

#include "vgsp/section.h"

void *vgsp_pure_zalloc(size_t n, size_t size)
{
    return calloc(n, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct vgsp_owner_submit_entry e;
    struct vgsp_quota quota = { .limit = 1 << 20 };
    uint32_t counter[3];
    uint64_t last = 0, taken = 0;
    int pending;

    if (size < sizeof(counter)) {
        return 0;
    }
    memcpy(counter, data, sizeof(counter));
    data += sizeof(counter);
    size -= sizeof(counter);
    pending = vgsp_ring_pending(counter[0], counter[1], counter[2]);
    if (pending > VGSP_RING_SIZE ||
        (pending >= 0 && counter[2] && (uint32_t)pending > counter[2]) ||
        (pending >= 0) != (counter[1] - counter[0] <= VGSP_RING_SIZE)) {
        abort();
    }
    for (int i = 0; i < pending && size >= sizeof(e); i++) {
        uint32_t offset = vgsp_ring_offset(counter[0] + i);

        if (offset < VGSP_OWNER_RING_OFFSET ||
            offset + sizeof(e) > VGSP_RING_BYTES) {
            abort();
        }
        memcpy(&e, data, sizeof(e));
        data += sizeof(e);
        size -= sizeof(e);
        if (vgsp_ring_entry_check(&e, last)) {
            continue;
        }
        if (e.count > VGSP_SECTION_WORDS_MAX || e.seq <= last || e.words & 3 ||
            e.words + 4ULL * e.count < e.words ||
            (e.wait_seq && e.wait_context == e.context)) {
            abort();
        }
        last = e.seq;
        if (vgsp_quota_take(&quota, 4ULL * e.count)) {
            taken += 4ULL * e.count;
        }
        if (taken > quota.limit) {
            abort();
        }
    }
    return 0;
}
