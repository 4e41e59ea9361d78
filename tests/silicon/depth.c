/*
 * Group "depth": depth surfaces that 3D clears, each in the page kind of its
 * format, and their copies: to a linear buffer and back, by the chip's copy
 * engine and in software, which must know the order in which the chip keeps
 * the bytes of such pages (vgsp/kind.h). All values are known beforehand.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>

#include "replay/copy.h"
#include "silicon.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/copy.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/threed.h"

#define WIDTH       128u
#define HEIGHT      64u
#define TEXEL_MAX   8u
#define SURFACE     (WIDTH * HEIGHT * TEXEL_MAX)
/* Of 2 GOBs. */
#define BLOCK       1u
/* Linear images, outside of what is mapped with kinds. */
#define LINEAR_AT   (4u << 20)
#define SOURCE_AT   (5u << 20)
#define THREED      0

/* What is cleared to other values than the rest. */
enum { LEFT = 5, RIGHT = 117, TOP = 3, BOTTOM = 50 };

typedef struct Format {
    const char *name;
    uint32_t format, kind;
    unsigned bytes, used;       /* of a texel; X24 is nobody's */
    uint8_t out[TEXEL_MAX], in[TEXEL_MAX];
} Format;

/* Depth of 0.25 and 0.75, stencil of 0x11 and 0x22. */
static const Format formats[] = {
    { "Z16", NVC597_SET_ZT_FORMAT_V_Z16, KIND_Z16, 2, 2,
      { 0x00, 0x40 }, { 0xff, 0xbf } },
    { "S8", NVC597_SET_ZT_FORMAT_V_S8, KIND_S8, 1, 1, { 0x11 }, { 0x22 } },
    { "S8Z24", NVC597_SET_ZT_FORMAT_V_S8Z24, KIND_S8Z24, 4, 4,
      { 0x00, 0x00, 0x40, 0x11 }, { 0xff, 0xff, 0xbf, 0x22 } },
    { "ZF32_X24S8", NVC597_SET_ZT_FORMAT_V_ZF32_X24S8, KIND_ZF32_X24S8, 8, 5,
      { 0x00, 0x00, 0x80, 0x3e, 0x11 }, { 0x00, 0x00, 0x40, 0x3f, 0x22 } },
    { "Z24S8", NVC597_SET_ZT_FORMAT_V_Z24S8, KIND_Z24S8, 4, 4,
      { 0x11, 0x00, 0x00, 0x40 }, { 0x22, 0xff, 0xff, 0xbf } },
    { "ZF32", NVC597_SET_ZT_FORMAT_V_ZF32, KIND_GENERIC, 4, 4,
      { 0x00, 0x00, 0x80, 0x3e }, { 0x00, 0x00, 0x40, 0x3f } },
};

/* ---- The surface ---- */

static void clear(SiliconRig *r, uint32_t z, uint32_t stencil)
{
    rig_push(r, THREED, NVC597_SET_Z_CLEAR_VALUE, z);
    rig_push(r, THREED, NVC597_SET_STENCIL_CLEAR_VALUE, stencil);
    rig_push(r, THREED, NVC597_CLEAR_SURFACE, 3);
}

/* All of it to one value, then a rectangle to another. */
static bool draw(SiliconRig *r, const Format *f)
{
    rig_begin(r);
    rig_push(r, THREED, NVC597_SET_COLOR_TARGET_FORMAT(0), 0);
    rig_push_address(r, THREED, NVC597_SET_ZT_A, RIG_VIEW(f->kind));
    rig_push(r, THREED, NVC597_SET_ZT_FORMAT, f->format);
    rig_push(r, THREED, NVC597_SET_ZT_BLOCK_SIZE,
             (uint32_t)VGSP_SET(NVC597_SET_ZT_BLOCK_SIZE_HEIGHT, BLOCK));
    rig_push(r, THREED, NVC597_SET_ZT_ARRAY_PITCH, 0);
    rig_push(r, THREED, NVC597_SET_ZT_SIZE_A, WIDTH);
    rig_push(r, THREED, NVC597_SET_ZT_SIZE_B, HEIGHT);
    rig_push(r, THREED, NVC597_SET_ZT_SIZE_B + 4, 1u << 16 | 1);
    rig_push(r, THREED, NVC597_SET_ZT_SELECT, 1);
    rig_push(r, THREED, NVC597_SET_ZT_LAYER, 0);
    rig_push(r, THREED, NVC597_SET_SURFACE_CLIP_HORIZONTAL, WIDTH << 16);
    rig_push(r, THREED, NVC597_SET_SURFACE_CLIP_VERTICAL, HEIGHT << 16);
    rig_push(r, THREED, NVC597_SET_CLEAR_SURFACE_CONTROL, 0);
    clear(r, 0x3e800000, 0x11);
    rig_push(r, THREED, NVC597_SET_CLEAR_RECT_HORIZONTAL, RIGHT << 16 | LEFT);
    rig_push(r, THREED, NVC597_SET_CLEAR_RECT_VERTICAL, BOTTOM << 16 | TOP);
    rig_push(r, THREED, NVC597_SET_CLEAR_SURFACE_CONTROL,
             (uint32_t)NVC597_SET_CLEAR_SURFACE_CONTROL_USE_CLEAR_RECT);
    clear(r, 0x3f400000, 0x22);
    return rig_run(r);
}

/* ---- Copies ---- */

static void method(SiliconRig *r, uint32_t address, uint32_t data)
{
    rig_push(r, VGSP_COPY_SUBCHANNEL, address, data);
}

/* Between the surface and the linear image at @at. */
static void write_copy(SiliconRig *r, const Format *f, uint32_t at,
                       bool to_surface)
{
    uint32_t first = to_surface ? NVC5B5_SET_DST_BLOCK_SIZE
                                : NVC5B5_SET_SRC_BLOCK_SIZE;
    uint64_t surface = RIG_VIEW(f->kind), linear = RIG_VA + at;
    /* GOBs of eight lines: bit 12; width in bytes, without remap. */
    const uint32_t layout[] = { BLOCK << 4 | 1u << 12, WIDTH * f->bytes,
                                HEIGHT, 1, 0, 0 };

    r->count = 0;
    method(r, NVC46F_SET_OBJECT, TURING_DMA_COPY_A);
    rig_push_address(r, VGSP_COPY_SUBCHANNEL, NVC5B5_OFFSET_IN_UPPER,
                     to_surface ? linear : surface);
    rig_push_address(r, VGSP_COPY_SUBCHANNEL, NVC5B5_OFFSET_OUT_UPPER,
                     to_surface ? surface : linear);
    method(r, NVC5B5_PITCH_IN, WIDTH * f->bytes);
    method(r, NVC5B5_PITCH_OUT, WIDTH * f->bytes);
    method(r, NVC5B5_LINE_LENGTH_IN, WIDTH * f->bytes);
    method(r, NVC5B5_LINE_COUNT, HEIGHT);
    for (unsigned i = 0; i < G_N_ELEMENTS(layout); i++) {
        method(r, first + 4 * i, layout[i]);
    }
    method(r, NVC5B5_LAUNCH_DMA, (uint32_t)(
        VGSP_SET(NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE,
                 NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED) |
        NVC5B5_LAUNCH_DMA_FLUSH_ENABLE |
        VGSP_SET(NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT, to_surface) |
        VGSP_SET(NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT, !to_surface) |
        VGSP_SET(NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE, 1)));
}

typedef struct Soft {
    SiliconRig *r;
    const VgspKinds *kinds;
} Soft;

/* The memory behind va, and its kind; NULL: beyond what is looked at. */
static uint8_t *soft_lookup(const Soft *s, uint64_t va, size_t len,
                            uint32_t *kind)
{
    const uint64_t stride = RIG_VIEW(1) - RIG_VIEW(0);
    uint64_t offset = (va - RIG_VA) % stride;

    *kind = (uint32_t)((va - RIG_VA) / stride);
    if (va < RIG_VA || *kind > KIND_GENERIC || len > RIG_SIZE ||
        offset > (*kind ? RIG_VIEW_SIZE : RIG_SIZE) - len) {
        return NULL;
    }
    return s->r->mem + offset;
}

static bool soft_access(const Soft *s, uint64_t va, uint8_t *buf, size_t len,
                        bool write)
{
    uint64_t within = va % VGSP_KIND_BLOCK;
    const VgspKindOrder *order;
    uint32_t kind;
    uint8_t *p = soft_lookup(s, va, len, &kind);

    if (!p) {
        return false;
    }
    order = vgsp_kinds_order(s->kinds, (uint8_t)kind);
    if (order && write) {
        vgsp_kind_write(order, p - within, within, buf, len);
    } else if (order) {
        vgsp_kind_read(order, p - within, within, buf, len);
    } else {
        memcpy(write ? p : buf, write ? buf : p, len);
    }
    return true;
}

static bool soft_read(void *opaque, uint64_t va, void *buf, size_t len)
{
    return soft_access(opaque, va, buf, len, false);
}

static bool soft_write(void *opaque, uint64_t va, const void *buf, size_t len)
{
    return soft_access(opaque, va, (uint8_t *)buf, len, true);
}

static uint64_t soft_clock(void *opaque)
{
    (void)opaque;
    return 0;
}

static const VgspCopyOps soft_ops = { soft_read, soft_write, soft_clock };

/* False: it was said why. The copy is that of write_copy(). */
static bool copy(SiliconRig *r, const char *name, bool chip)
{
    const VgspReplayExecutor *x = r->s->executor;
    Soft s = { r, x->kinds ? x->kinds(r->ex) : NULL };
    VgspCopy soft = { .ops = &soft_ops, .opaque = &s, .budget = 1u << 30 };

    if (!chip && !vgsp_copy_section(&soft, r->words, r->count)) {
        silicon_result(r->s, false, "depth %s: in software: %s", name,
                       soft.error);
        return false;
    }
    if (chip && !rig_run_copy(r)) {
        silicon_result(r->s, false, "depth %s: %s", name, rig_why(r));
        rig_revive(r);
        return false;
    }
    return true;
}

/* ---- Tests ---- */

/* What the surface must hold at x, y. */
static const uint8_t *drawn(const Format *f, uint32_t x, uint32_t y)
{
    return x >= LEFT && x < RIGHT && y >= TOP && y < BOTTOM ? f->in : f->out;
}

/* Compares the linear image with the surface as drawn, or with the source. */
static void compare(SiliconRig *r, const Format *f, const char *name,
                    bool as_drawn)
{
    const uint8_t *at = r->mem + LINEAR_AT;
    unsigned differ = 0;

    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++, at += f->bytes) {
        const uint8_t *want = as_drawn ? drawn(f, i % WIDTH, i / WIDTH)
                                       : r->mem + SOURCE_AT + i * f->bytes;

        if (memcmp(at, want, f->used) && differ++ < 3) {
            silicon_note("  %u, %u: want %016" G_GINT64_MODIFIER "x, here "
                         "%016" G_GINT64_MODIFIER "x", i % WIDTH, i / WIDTH,
                         vgsp_le64(want), vgsp_le64(at));
        }
    }
    silicon_result(r->s, !differ, "depth %s: %u of %u texels differ", name,
                   differ, WIDTH * HEIGHT);
}

/* What was drawn, copied from the surface. */
static void test_drawn(SiliconRig *r, const Format *f, bool chip)
{
    g_autofree char *name = g_strdup_printf("%s, drawn, copied %s", f->name,
                                            chip ? "by the copy engine"
                                                 : "in software");

    if (silicon_wanted(r->s, name)) {
        memset(r->mem + LINEAR_AT, 0x77, SURFACE);
        write_copy(r, f, LINEAR_AT, false);
        if (copy(r, name, chip)) {
            compare(r, f, name, true);
            if (f->used < f->bytes) {
                silicon_note("  the first texel: %016" G_GINT64_MODIFIER "x",
                             vgsp_le64(r->mem + LINEAR_AT));
            }
        }
    }
}

/* A pattern, copied to the surface by one and from it by another. */
static void test_copied(SiliconRig *r, const Format *f, bool to_chip,
                        bool from_chip)
{
    g_autofree char *name = g_strdup_printf(
        "%s, copied to it %s and back %s", f->name,
        to_chip ? "by the copy engine" : "in software",
        from_chip ? "by the copy engine" : "in software");

    if (!silicon_wanted(r->s, name)) {
        return;
    }
    rig_fill(r->mem + SOURCE_AT, SURFACE, 3 + f->kind);
    memset(r->mem + LINEAR_AT, 0x77, SURFACE);
    write_copy(r, f, SOURCE_AT, true);
    if (copy(r, name, to_chip)) {
        write_copy(r, f, LINEAR_AT, false);
        if (copy(r, name, from_chip)) {
            compare(r, f, name, false);
        }
    }
}

static void run_format(SiliconRig *r, const Format *f)
{
    bool chip = r->s->executor->copy;

    memset(r->mem, 0xee, SURFACE);
    if (!draw(r, f)) {
        silicon_result(r->s, false, "depth %s: %s", f->name, rig_why(r));
        rig_revive(r);
        return;
    }
    test_drawn(r, f, false);
    test_copied(r, f, false, false);
    if (chip) {
        memset(r->mem, 0xee, SURFACE);
        if (draw(r, f)) {
            test_drawn(r, f, true);
        }
        test_copied(r, f, true, true);
        test_copied(r, f, true, false);
        test_copied(r, f, false, true);
    }
}

static void run_depth(Silicon *s)
{
    SiliconRig *r = rig_new(s);
    const VgspKinds *kinds;

    if (!r) {
        return;
    }
    kinds = s->executor->kinds ? s->executor->kinds(r->ex) : NULL;
    silicon_note("depth: kinds that have an order of bytes: 0x%x",
                 kinds ? kinds->permuted : 0);
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        run_format(r, &formats[i]);
    }
    rig_free(r);
}

const SiliconGroup silicon_depth = { "depth", run_depth, false };
