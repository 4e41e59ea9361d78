/*
 * Page kinds: how they permute the bytes of system memory, and depth surfaces
 * in them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>

#include "probe.h"
#include "vgsp/blocklinear.h"
#include "vgsp/kind.h"
#include "vgsp/nv/dev_mmu.h"
#include "vgsp/nv/threed.h"

/* Writes 64 KiB by address: of each byte, that part of its address. */
static bool write_addresses(uint32_t id, unsigned shift)
{
    memset(host + 0x400000, 0xff, 65536);
    for (uint32_t at = 0; at < 65536; at += 4096) {
        begin();
        if (!at) {
            objects();
        }
        upload(VA_HIGH + at, 1024, 0);
        for (uint32_t i = 0; i < 1024; i++) {
            uint8_t *bytes = (uint8_t *)&words[count - 1024 + i];

            for (unsigned k = 0; k < 4; k++) {
                bytes[k] = (uint8_t)((at + i * 4 + k) >> shift);
            }
        }
        run(id);
    }
    return wait(seq);
}

/*
 * Where the bytes of a block lie, 32 a line; "-": nowhere. And how many of the
 * bytes behind it are not as in a block.
 */
static void print_block(const uint16_t *source, const uint16_t *place)
{
    unsigned other = 0;

    for (unsigned i = 0; i < 65536; i++) {
        unsigned at = i % VGSP_KIND_BLOCK, base = i - at;
        bool lost = source[place[at]] != at;

        other += lost ? source[place[i]] == i && i != 65535
                      : place[i] != base + place[at];
        if (i >= VGSP_KIND_BLOCK) {
            continue;
        }
        if (i % 32 == 0) {
            printf("  %03x:", i);
        }
        if (lost) {
            printf(" -");
        } else {
            printf(" %x", place[i]);
        }
        if (i % 32 == 31) {
            printf("\n");
        }
    }
    printf("  %u of 65536 bytes are not as in the first %u\n", other,
           VGSP_KIND_BLOCK);
}

/*
 * How a page kind permutes the bytes of system memory: where the byte at each
 * power of two lies, if that says it all (addresses add without carry).
 */
void test_kinds(void)
{
    static uint16_t source[65536], place[65536];

    for (uint32_t kind = 1; kind <= NV_MMU_PTE_KIND_GENERIC_MEMORY; kind++) {
        const struct vgsp_owner_map_op op = {
            .va = VA_HIGH, .size = 65536, .memory = memory,
            .offset = 0x400000, .kind = kind,
        };
        unsigned odd = 0, lost = 0;
        uint32_t other;
        bool done;

        must(vgsp_rm_map(rm, space, &op, 1), "page kind");
        must(vgsp_rm_context_new(rm, space, 0, &other), "context");
        done = write_addresses(other, 0);
        for (uint32_t i = 0; i < 65536; i++) {
            source[i] = host[0x400000 + i];
        }
        done = done && write_addresses(other, 8);
        for (uint32_t i = 0; i < 65536; i++) {
            source[i] |= (uint16_t)(host[0x400000 + i] << 8);
        }
        must(vgsp_rm_context_del(rm, other), "its end");
        unmap(VA_HIGH, 65536);
        if (!done) {
            step("page kind %u: %s", kind, faults ? "fault" : "hangs");
            faults = 0;
            continue;
        }
        memset(place, 0, sizeof(place));
        for (uint32_t i = 0; i < 65536; i++) {
            place[source[i]] = (uint16_t)i;
        }
        printf("  page kind %u: bytes 1, 2, 4 ... of 64 KiB are at", kind);
        for (unsigned k = 0; k < 16; k++) {
            printf(" %x", place[1u << k]);
        }
        for (uint32_t i = 0; i < 65536; i++) {
            uint16_t sum = place[0];

            for (unsigned k = 0; k < 16; k++) {
                sum ^= i & 1u << k ? place[1u << k] ^ place[0] : 0;
            }
            odd += sum != place[i];
            lost += source[place[i]] != i;
        }
        printf("\n");
        if (odd || lost) {
            print_block(source, place);
        }
        step("page kind %u: byte 0 is at %x; %u of 65536 are elsewhere than "
             "that says, %u nowhere", kind, place[0], odd, lost);
    }
    completed = seq;
}

/*
 * A depth surface of 64x32, blocks of one GOB, cleared, then a rectangle of it
 * to something else: how many texels are where the layout says, for the CPU.
 */
static unsigned depth_texels(unsigned bytes)
{
    const VgspBlockLinear bl = { .width = 64 * bytes, .height = 32 };
    const uint8_t *base = host + 0x500000;
    const uint8_t *out = base + vgsp_blocklinear_offset(&bl, 0, 0, 0);
    const uint8_t *in = base + vgsp_blocklinear_offset(&bl, 10 * bytes, 10, 0);
    unsigned right = 0;

    if (!memcmp(out, in, bytes)) {
        return 0;
    }
    for (uint32_t y = 0; y < 32; y++) {
        for (uint32_t x = 0; x < 64; x++) {
            bool within = x >= 5 && x < 37 && y >= 3 && y < 21;

            right += !memcmp(base + vgsp_blocklinear_offset(&bl, x * bytes, y,
                                                            0),
                             within ? in : out, bytes);
        }
    }
    return right;
}

void test_depth(void)
{
    static const struct {
        const char *name;
        uint32_t format, kind;
        unsigned bytes;
    } formats[] = {
        { "Z16", NVC597_SET_ZT_FORMAT_V_Z16, 1, 2 },
        { "S8", NVC597_SET_ZT_FORMAT_V_S8, 2, 1 },
        { "S8Z24", NVC597_SET_ZT_FORMAT_V_S8Z24, 3, 4 },
        { "ZF32_X24S8", NVC597_SET_ZT_FORMAT_V_ZF32_X24S8, 4, 8 },
        { "Z24S8", NVC597_SET_ZT_FORMAT_V_Z24S8, 5, 4 },
        { "ZF32", NVC597_SET_ZT_FORMAT_V_ZF32, 6, 4 },
    };

    for (unsigned i = 0; i < 2 * G_N_ELEMENTS(formats); i++) {
        unsigned f = i / 2;
        uint32_t kind = i % 2 ? formats[f].kind : 6, other;
        const struct vgsp_owner_map_op op = {
            .va = VA_OTHER, .size = 65536, .memory = memory,
            .offset = 0x500000, .kind = kind,
        };

        if (i % 2 && kind == 6) {
            continue;
        }
        memset(host + 0x500000, 0x77, 65536);
        must(vgsp_rm_map(rm, space, &op, 1), "depth surface");
        must(vgsp_rm_context_new(rm, space, 0, &other), "context");
        begin();
        objects();
        method(0, NVC597_SET_ZT_A, (uint32_t)(VA_OTHER >> 32));
        method(0, NVC597_SET_ZT_A + 4, (uint32_t)VA_OTHER);
        method(0, NVC597_SET_ZT_FORMAT, formats[f].format);
        method(0, NVC597_SET_ZT_BLOCK_SIZE, 0);
        method(0, NVC597_SET_ZT_ARRAY_PITCH, 0x4000 / 4);
        method(0, NVC597_SET_ZT_SIZE_A, 64);
        method(0, NVC597_SET_ZT_SIZE_B, 32);
        method(0, NVC597_SET_ZT_SIZE_B + 4, 1);
        method(0, NVC597_SET_ZT_SELECT, 1);
        method(0, NVC597_SET_ZT_LAYER, 0);
        method(0, NVC597_SET_SURFACE_CLIP_HORIZONTAL, 64 << 16);
        method(0, NVC597_SET_SURFACE_CLIP_VERTICAL, 32 << 16);
        method(0, NVC597_SET_CLEAR_SURFACE_CONTROL, 0);
        method(0, NVC597_SET_Z_CLEAR_VALUE, 0x3e800000);
        method(0, NVC597_SET_STENCIL_CLEAR_VALUE, 0x11);
        method(0, NVC597_CLEAR_SURFACE, 3);
        method(0, NVC597_SET_CLEAR_RECT_HORIZONTAL, 37 << 16 | 5);
        method(0, NVC597_SET_CLEAR_RECT_VERTICAL, 21 << 16 | 3);
        method(0, NVC597_SET_CLEAR_SURFACE_CONTROL,
               (uint32_t)NVC597_SET_CLEAR_SURFACE_CONTROL_USE_CLEAR_RECT);
        method(0, NVC597_SET_Z_CLEAR_VALUE, 0x3f400000);
        method(0, NVC597_SET_STENCIL_CLEAR_VALUE, 0x22);
        method(0, NVC597_CLEAR_SURFACE, 3);
        run(other);
        if (!wait(seq)) {
            step("%s in kind %u: %s", formats[f].name, kind,
                 faults ? "fault" : "hangs");
            faults = 0;
        } else {
            step("%s in kind %u: %u of 2048 texels in place; 0x%08x 0x%08x",
                 formats[f].name, kind,
                 depth_texels(formats[f].bytes),
                 word(0x500000), word(0x500004));
        }
        must(vgsp_rm_context_del(rm, other), "its end");
        unmap(VA_OTHER, 65536);
    }
    completed = seq;
}
