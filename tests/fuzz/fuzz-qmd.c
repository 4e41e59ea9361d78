/*
 * Launch descriptors of any content: what decodes keeps the limits that grids
 * rely on.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>
#include "model/qmd.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t words[64] = { 0 };
    uint64_t threads;
    VgspQmd q;

    memcpy(words, data, MIN(size, sizeof(words)));
    /* Most of what there is to find lies behind the version. */
    words[18] = (words[18] & ~0xf0u) | 0x20;
    if (vgsp_qmd_decode(words, 0x100, &q)) {
        return 0;
    }
    threads = (uint64_t)q.block[0] * q.block[1] * q.block[2];
    if (!threads || threads > VGSP_SM_CTA_THREADS || !q.registers ||
        q.registers > 256 || q.shared_size > VGSP_SM_SHARED_MAX ||
        q.local_size > VGSP_SM_LOCAL_MAX || q.local_size % 16 ||
        q.program % 16) {
        abort();
    }
    for (unsigned i = 0; i < 8; i++) {
        if (q.cbuf[i].size > VGSP_SM_CBUF_MAX) {
            abort();
        }
    }
    return 0;
}
