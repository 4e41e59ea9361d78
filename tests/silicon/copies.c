/*
 * Groups "copy": the copy engine in the modes that drivers use, held against
 * copies in software. "timing": what a section costs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "replay/copy.h"
#include "silicon.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/copy.h"
#include "vgsp/nv/host.h"

#define SIDE        0x100000    /* bytes that are looked at; ... */
#define SRC_AT      0x80000     /* ... sources in the upper half */
#define SEM_AT      0x70000

typedef struct Copy {
    const char *name;
    bool src_pitch, dst_pitch, remap;
    uint32_t length, lines, components;
    uint32_t src_block, dst_block;
    uint32_t x, y;
    uint32_t semaphore;         /* of LAUNCH_DMA */
} Copy;

#define REMAP(x, y, z, w, size, src, dst) \
    ((x) | (y) << 4 | (z) << 8 | (w) << 12 | ((size) - 1) << 16 | \
     ((src) - 1) << 20 | ((dst) - 1) << 24)
enum { SRC_X, SRC_Y, SRC_Z, SRC_W, CONST_A, CONST_B, NO_WRITE };

static const Copy copies[] = {
    { "one line", true, true, false, 1000, 1, 0, 0, 0, 0, 0, 0 },
    { "lines", true, true, false, 100, 20, 0, 0, 0, 0, 0, 0 },
    { "lines of odd length", true, true, false, 37, 11, 0, 0, 0, 0, 0, 0 },
    { "to block-linear", true, false, false, 120, 30, 0, 0, 0x10, 0, 0, 0 },
    { "from block-linear", false, true, false, 120, 30, 0, 0x20, 0, 0, 0, 0 },
    { "between block-linear", false, false, false, 64, 64, 0, 0x20, 0x10, 0,
      0, 0 },
    { "to block-linear, from 16, 5", true, false, false, 50, 17, 0, 0, 0x30,
      16, 5, 0 },
    { "fill of 4 bytes", true, true, true, 100, 3,
      REMAP(CONST_A, NO_WRITE, NO_WRITE, NO_WRITE, 4, 1, 1), 0, 0, 0, 0, 0 },
    { "fill of 8 bytes", true, true, true, 100, 3,
      REMAP(CONST_A, CONST_B, NO_WRITE, NO_WRITE, 4, 1, 2), 0, 0, 0, 0, 0 },
    { "fill of 1 byte", true, true, true, 100, 3,
      REMAP(CONST_A, NO_WRITE, NO_WRITE, NO_WRITE, 1, 1, 1), 0, 0, 0, 0, 0 },
    { "components exchanged", true, true, true, 40, 5,
      REMAP(SRC_Z, SRC_Y, SRC_X, SRC_W, 1, 4, 4), 0, 0, 0, 0, 0 },
    { "components of 2 bytes, one left", true, true, true, 40, 5,
      REMAP(SRC_X, NO_WRITE, SRC_Y, CONST_B, 2, 2, 4), 0, 0, 0, 0, 0 },
    { "4 bytes to block-linear", true, false, true, 30, 20,
      REMAP(SRC_X, NO_WRITE, NO_WRITE, NO_WRITE, 4, 1, 1), 0, 0x10, 3, 2, 0 },
    { "one-word semaphore", true, true, false, 64, 1, 0, 0, 0, 0, 0,
      NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE_RELEASE_ONE_WORD_SEMAPHORE },
};

static void method(SiliconRig *r, uint32_t address, uint32_t data)
{
    rig_push(r, VGSP_COPY_SUBCHANNEL, address, data);
}

static void write_copy(SiliconRig *r, const Copy *c)
{
    r->count = 0;
    method(r, NVC46F_SET_OBJECT, TURING_DMA_COPY_A);
    rig_push_address(r, VGSP_COPY_SUBCHANNEL, NVC5B5_OFFSET_IN_UPPER,
                     RIG_VA + SRC_AT);
    rig_push_address(r, VGSP_COPY_SUBCHANNEL, NVC5B5_OFFSET_OUT_UPPER, RIG_VA);
    method(r, NVC5B5_PITCH_IN, 512);
    method(r, NVC5B5_PITCH_OUT, 1024);
    method(r, NVC5B5_LINE_LENGTH_IN, c->length);
    method(r, NVC5B5_LINE_COUNT, c->lines);
    for (unsigned dst = 0; dst < 2; dst++) {
        uint32_t first = dst ? NVC5B5_SET_DST_BLOCK_SIZE
                             : NVC5B5_SET_SRC_BLOCK_SIZE;

        /* GOBs of eight lines: bit 12. */
        method(r, first, (dst ? c->dst_block : c->src_block) | 1u << 12);
        method(r, first + NVC5B5_SET_DST_WIDTH - NVC5B5_SET_DST_BLOCK_SIZE,
               160);
        method(r, first + NVC5B5_SET_DST_HEIGHT - NVC5B5_SET_DST_BLOCK_SIZE,
               96);
        method(r, first + NVC5B5_SET_DST_DEPTH - NVC5B5_SET_DST_BLOCK_SIZE, 1);
        method(r, first + NVC5B5_SET_DST_LAYER - NVC5B5_SET_DST_BLOCK_SIZE, 0);
        method(r, first + NVC5B5_SET_DST_ORIGIN - NVC5B5_SET_DST_BLOCK_SIZE,
               dst ? c->x | c->y << 16 : 0);
    }
    method(r, NVC5B5_SET_REMAP_CONST_A, 0x11223344);
    method(r, NVC5B5_SET_REMAP_CONST_B, 0x55667788);
    method(r, NVC5B5_SET_REMAP_COMPONENTS, c->components);
    rig_push_address(r, VGSP_COPY_SUBCHANNEL, NVC5B5_SET_SEMAPHORE_A,
                     RIG_VA + SEM_AT);
    method(r, NVC5B5_SET_SEMAPHORE_PAYLOAD, 0x1234);
    method(r, NVC5B5_LAUNCH_DMA, (uint32_t)(
        VGSP_SET(NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE,
                 NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED) |
        NVC5B5_LAUNCH_DMA_FLUSH_ENABLE |
        VGSP_SET(NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE, c->semaphore) |
        VGSP_SET(NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT, c->src_pitch) |
        VGSP_SET(NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT, c->dst_pitch) |
        VGSP_SET(NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE, 1) |
        VGSP_SET(NVC5B5_LAUNCH_DMA_REMAP_ENABLE, c->remap)));
}

/* ---- The same in software, on other memory ---- */

static bool soft_read(void *mem, uint64_t va, void *buf, size_t len)
{
    if (va < RIG_VA || len > SIDE || va - RIG_VA > SIDE - len) {
        return false;
    }
    memcpy(buf, (uint8_t *)mem + (va - RIG_VA), len);
    return true;
}

static bool soft_write(void *mem, uint64_t va, const void *buf, size_t len)
{
    if (va < RIG_VA || len > SIDE || va - RIG_VA > SIDE - len) {
        return false;
    }
    memcpy((uint8_t *)mem + (va - RIG_VA), buf, len);
    return true;
}

static uint64_t soft_clock(void *mem)
{
    (void)mem;
    return 0;
}

static const VgspCopyOps soft_ops = { soft_read, soft_write, soft_clock };

static bool copy_one(SiliconRig *r, const Copy *c)
{
    g_autofree uint8_t *want = g_malloc(SIDE);
    VgspCopy soft = { .ops = &soft_ops, .opaque = want, .budget = SIDE };
    unsigned differ = 0;

    rig_fill(want, SIDE, 7);
    memcpy(r->mem, want, SIDE);
    write_copy(r, c);
    if (!vgsp_copy_section(&soft, r->words, r->count)) {
        silicon_result(r->s, false, "copy %s: in software: %s", c->name,
                       soft.error);
        return false;
    }
    if (!r->s->executor->copy) {
        silicon_skip(r->s, c->name, "%s has no copy engine",
                     r->s->executor->name);
        return true;
    }
    if (!rig_run_copy(r)) {
        silicon_result(r->s, false, "copy %s: %s", c->name, rig_why(r));
        rig_revive(r);
        return false;
    }
    for (uint32_t at = 0; at < SIDE; at += 4) {
        uint32_t a = vgsp_le32(want + at), b = vgsp_le32(r->mem + at);

        if (a != b && differ++ < 3) {
            silicon_note("  0x%x: software %08x, here %08x", at, a, b);
        }
    }
    silicon_result(r->s, !differ, "copy %s: %u words differ", c->name, differ);
    return !differ;
}

static void run_copy(Silicon *s)
{
    SiliconRig *r = rig_new(s);
    bool ok = true;

    for (size_t i = 0; r && i < G_N_ELEMENTS(copies); i++) {
        if (silicon_wanted(s, copies[i].name)) {
            ok &= copy_one(r, &copies[i]);
        }
    }
    if (r) {
        rig_free(r);
    }
    if (!ok && !s->software_copies) {
        s->software_copies = true;
        silicon_note("recordings: their copies are done in software");
    }
}

/* ---- Timing ---- */

#define RUNS 200

static int by_value(const void *a, const void *b)
{
    gint64 x = *(const gint64 *)a, y = *(const gint64 *)b;

    return (x > y) - (x < y);
}

static void run_timing(Silicon *s)
{
    SiliconRig *r = rig_new(s);
    gint64 ns[RUNS];
    bool ok = r;

    for (unsigned i = 0; ok && i < RUNS; i++) {
        rig_begin(r);
        ok = rig_run(r);
        ns[i] = r->ns;
    }
    if (ok) {
        qsort(ns, RUNS, sizeof(ns[0]), by_value);
        silicon_result(s, true, "timing section of four words: median %.1f us,"
                       " least %.1f us, most %.1f us", ns[RUNS / 2] / 1e3,
                       ns[0] / 1e3, ns[RUNS - 1] / 1e3);
    } else {
        silicon_result(s, false, "timing: %s", r ? rig_why(r) : "no rig");
    }
    silicon_time_translation(s);
    if (r) {
        rig_free(r);
    }
}

const SiliconGroup silicon_copy = { "copy", run_copy, false };
const SiliconGroup silicon_timing = { "timing", run_timing, false };
