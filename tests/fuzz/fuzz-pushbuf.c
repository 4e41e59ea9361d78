/*
 * Push-buffer decoder: any words, cut into any pieces and stopped at any
 * method, decode to the same methods as in one go, and never out of bounds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include "vgsp/pushbuf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Order-dependent digest of all methods until the end or the first stop. */
static uint64_t run_all(const uint32_t *words, size_t n, size_t piece,
                        uint32_t chunk)
{
    uint64_t digest = 0;
    VgspPushbuf pb;
    size_t pos = 0;

    vgsp_pb_init(&pb);
    while (pos < n) {
        size_t end = piece < n - pos ? pos + piece : n;
        VgspPbStatus status;

        do {
            VgspPbRun run;
            size_t used;

            status = vgsp_pb_next(&pb, words + pos, end - pos, &used, &run);
            if (used > end - pos) {
                abort();
            }
            pos += used;
            if (status == VGSP_PB_METHODS) {
                uint32_t todo = run.count < chunk ? run.count : chunk;

                if (!run.count || (!run.immediate && run.count > end - pos)) {
                    abort();
                }
                for (uint32_t i = 0; i < todo; i++) {
                    uint32_t method = vgsp_pb_run_method(&run, i);

                    if (method > NVC46F_DMA_METHOD_ADDRESS ||
                        run.subchannel > 7) {
                        abort();
                    }
                    digest = digest * UINT64_C(0x100000001b3) +
                             (method ^ (uint64_t)run.data[i] << 16 ^
                              (uint64_t)run.subchannel << 56);
                }
                pos += vgsp_pb_advance(&pb, todo);
            }
        } while (status == VGSP_PB_METHODS);
        if (status != VGSP_PB_MORE) {
            return digest * 31 + (uint64_t)status;
        }
        if (pos != end) {
            abort();
        }
    }
    return digest;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t n = size / 4;
    uint32_t *words = malloc(n * 4 + 4);
    VgspGpEntry e;
    uint64_t whole;

    if (!words || n < 2) {
        free(words);
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        words[i] = vgsp_le32(data + 4 * i);
    }
    e = vgsp_gp_entry_decode(words[0], words[1]);
    if (e.op == VGSP_GP_SEGMENT &&
        (!e.count || e.va + (uint64_t)e.count * 4 > UINT64_C(0xfffffffffc))) {
        abort();
    }
    whole = run_all(words, n, n, UINT32_MAX);
    if (run_all(words, n, 1, 1) != whole ||
        run_all(words, n, 3, 2) != whole) {
        abort();
    }
    free(words);
    return 0;
}
