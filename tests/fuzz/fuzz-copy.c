/*
 * Sections of the copy engine, as a recording may hold them: the whole parser
 * and all transfers, in memory of one MiB at address 0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "replay/copy.h"

#define MEMORY  (1u << 20)
#define BUDGET  (256u << 10)

static uint8_t memory[MEMORY];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool mem_read(void *opaque, uint64_t va, void *buf, size_t len)
{
    (void)opaque;
    if (!vgsp_range_ok(va, len, MEMORY)) {
        return false;
    }
    memcpy(buf, memory + va, len);
    return true;
}

static bool mem_write(void *opaque, uint64_t va, const void *buf, size_t len)
{
    (void)opaque;
    if (!vgsp_range_ok(va, len, MEMORY)) {
        return false;
    }
    memcpy(memory + va, buf, len);
    return true;
}

static uint64_t mem_clock(void *opaque)
{
    (void)opaque;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const VgspCopyOps ops = { mem_read, mem_write, mem_clock };
    VgspCopy ce = { .ops = &ops, .budget = BUDGET };
    g_autofree uint32_t *words = g_memdup2(data, size & ~(size_t)3);

    if (!words) {
        return 0;
    }
    if (vgsp_copy_section(&ce, words, size / 4)) {
        g_assert_true(ce.error[0] == '\0');
    } else {
        g_assert_true(ce.error[0] != '\0');
    }
    return 0;
}
