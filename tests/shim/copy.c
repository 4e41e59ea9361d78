/*
 * The copy engine of a GR channel (class NVC5B5, virtual addresses), element
 * by element. Specified by NVIDIA's clc5b5.h; block-linear by Mesa's nil.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "shim.h"
#include "vgsp/nv/copy.h"
#include "vgsp/nv/host.h"

#define GOB_WIDTH   64
#define GOB_HEIGHT  8
#define GOB_SIZE    512
/* Longest element: four components of four bytes. */
#define ELEMENT_MAX 16

typedef struct Remap {
    unsigned size;              /* of a component, bytes */
    unsigned n_dst;
    unsigned src_element, dst_element;
    unsigned select[4];
    bool reads, writes_all;
} Remap;

/* Address of byte x of row y. */
static uint64_t address(const ShimCopySide *s, bool pitch, uint64_t x,
                        uint32_t y, unsigned element)
{
    unsigned h, d;
    uint64_t blocks_x, blocks_y, block, gob;
    uint32_t block_rows, z = s->layer;

    if (pitch) {
        return s->offset + (uint64_t)(int64_t)(int32_t)s->pitch * y + x;
    }
    h = VGSP_GET(NVC5B5_SET_BLOCK_SIZE_HEIGHT, s->block_size);
    d = VGSP_GET(NVC5B5_SET_BLOCK_SIZE_DEPTH, s->block_size);
    x += (uint64_t)s->origin_x * element;
    y += s->origin_y;
    block_rows = GOB_HEIGHT << h;
    blocks_x = ((uint64_t)s->width * element + GOB_WIDTH - 1) / GOB_WIDTH;
    blocks_y = ((uint64_t)s->height + block_rows - 1) / block_rows;
    block = ((z >> d) * blocks_y + y / block_rows) * blocks_x + x / GOB_WIDTH;
    gob = y % block_rows / GOB_HEIGHT + ((z & ((1u << d) - 1)) << h);
    x %= GOB_WIDTH;
    y %= GOB_HEIGHT;
    return s->offset + ((block << (h + d)) + gob) * GOB_SIZE +
           ((x & 15) | (y & 3) << 4 | (x & 16) << 2 | (y & 4) << 5 |
            (x & 32) << 3);
}

static bool remap_init(const ShimCopy *ce, bool enable, Remap *r)
{
    uint32_t v = ce->remap_components;
    unsigned n_src;

    *r = (Remap) {
        .size = 1, .n_dst = 1, .src_element = 1, .dst_element = 1,
        .reads = true, .writes_all = true,
    };
    if (!enable) {
        return true;
    }
    r->size = VGSP_GET(NVC5B5_SET_REMAP_COMPONENTS_COMPONENT_SIZE, v) + 1;
    n_src = VGSP_GET(NVC5B5_SET_REMAP_COMPONENTS_NUM_SRC_COMPONENTS, v) + 1;
    r->n_dst = VGSP_GET(NVC5B5_SET_REMAP_COMPONENTS_NUM_DST_COMPONENTS, v) + 1;
    r->src_element = r->size * n_src;
    r->dst_element = r->size * r->n_dst;
    r->reads = false;
    for (unsigned i = 0; i < r->n_dst; i++) {
        unsigned sel = VGSP_GET(NVC5B5_SET_REMAP_COMPONENTS_DST(i), v);

        r->select[i] = sel;
        if (sel <= NVC5B5_SET_REMAP_COMPONENTS_DST_SRC_W) {
            r->reads = true;
            if (sel >= n_src) {
                return false;
            }
        } else if (sel == NVC5B5_SET_REMAP_COMPONENTS_DST_NO_WRITE) {
            r->writes_all = false;
        } else if (sel > NVC5B5_SET_REMAP_COMPONENTS_DST_NO_WRITE) {
            return false;
        }
    }
    return true;
}

static void remap_element(const ShimCopy *ce, const Remap *r,
                          const uint8_t *src, uint8_t *dst)
{
    for (unsigned i = 0; i < r->n_dst; i++, dst += r->size) {
        unsigned sel = r->select[i];

        if (sel <= NVC5B5_SET_REMAP_COMPONENTS_DST_SRC_W) {
            memcpy(dst, src + sel * r->size, r->size);
        } else if (sel != NVC5B5_SET_REMAP_COMPONENTS_DST_NO_WRITE) {
            memcpy(dst, &ce->remap_const[
                       sel - NVC5B5_SET_REMAP_COMPONENTS_DST_CONST_A],
                   r->size);
        }
    }
}

/* A line of bytes between linear surfaces. */
static bool copy_line(ShimSpace *s, uint64_t src, uint64_t dst, size_t len)
{
    g_autofree uint8_t *buf = g_malloc(len);

    return shim_space_read(s, src, buf, len) &&
           shim_space_write(s, dst, buf, len);
}

/* A line of constants. */
static bool fill_line(ShimChannel *ch, const Remap *r, uint64_t dst, size_t n)
{
    g_autofree uint8_t *buf = g_malloc(n * r->dst_element);

    for (size_t i = 0; i < n; i++) {
        remap_element(&ch->ce, r, NULL, buf + i * r->dst_element);
    }
    return shim_space_write(ch->space, dst, buf, n * r->dst_element);
}

static bool element_line(ShimChannel *ch, const Remap *r, bool src_pitch,
                         bool dst_pitch, bool remap, uint32_t y)
{
    const ShimCopy *ce = &ch->ce;

    for (uint64_t x = 0; x < ce->line_length; x++) {
        uint8_t src[ELEMENT_MAX], dst[ELEMENT_MAX];
        uint64_t to = address(&ce->dst, dst_pitch, x * r->dst_element, y,
                              r->dst_element);

        if (r->reads &&
            !shim_space_read(ch->space,
                             address(&ce->src, src_pitch, x * r->src_element,
                                     y, r->src_element),
                             src, r->src_element)) {
            return false;
        }
        if (!r->writes_all &&
            !shim_space_read(ch->space, to, dst, r->dst_element)) {
            return false;
        }
        if (remap) {
            remap_element(ce, r, src, dst);
        } else {
            dst[0] = src[0];
        }
        /* An element of 12 bytes may straddle two runs of 16. */
        for (unsigned i = 0; i < r->dst_element; i += r->size) {
            if (!shim_space_write(ch->space,
                                  address(&ce->dst, dst_pitch,
                                          x * r->dst_element + i, y,
                                          r->dst_element),
                                  dst + i, r->size)) {
                return false;
            }
        }
    }
    return true;
}

static bool transfer(ShimChannel *ch, uint32_t launch)
{
    ShimCopy *ce = &ch->ce;
    bool src_pitch = VGSP_GET(NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT, launch);
    bool dst_pitch = VGSP_GET(NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT, launch);
    bool remap = VGSP_GET(NVC5B5_LAUNCH_DMA_REMAP_ENABLE, launch);
    uint32_t lines = VGSP_GET(NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE, launch)
                         ? ce->line_count : 1;
    Remap r;

    if (!remap_init(ce, remap, &r)) {
        return shim_channel_error(ch, "copy: remap 0x%x",
                                  ce->remap_components);
    }
    if (VGSP_GET(NVC5B5_LAUNCH_DMA_SRC_TYPE, launch) ||
        VGSP_GET(NVC5B5_LAUNCH_DMA_DST_TYPE, launch)) {
        return shim_channel_error(ch, "copy: physical address");
    }
    for (uint32_t y = 0; ce->line_length && y < lines; y++) {
        bool ok;

        if (!remap && src_pitch && dst_pitch) {
            ok = copy_line(ch->space, address(&ce->src, true, 0, y, 1),
                           address(&ce->dst, true, 0, y, 1), ce->line_length);
        } else if (!r.reads && r.writes_all && dst_pitch) {
            ok = fill_line(ch, &r, address(&ce->dst, true, 0, y, 1),
                           ce->line_length);
        } else {
            ok = element_line(ch, &r, src_pitch, dst_pitch, remap, y);
        }
        if (!ok) {
            return shim_channel_error(ch, "copy: fault, 0x%" PRIx64 " to 0x%"
                                      PRIx64, ce->src.offset, ce->dst.offset);
        }
    }
    return true;
}

static bool launch_dma(ShimChannel *ch, uint32_t launch)
{
    ShimCopy *ce = &ch->ce;
    uint64_t words[2] = { ce->sem_payload };
    size_t size = NV_HOST_SEMAPHORE__SIZE;

    if (ce->render_disable) {
        return true;
    }
    if (VGSP_GET(NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE, launch) !=
            NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NONE &&
        !transfer(ch, launch)) {
        return false;
    }
    switch (VGSP_GET(NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE, launch)) {
    case NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE_NONE:
        return true;
    case NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE_RELEASE_ONE_WORD_SEMAPHORE:
        size = 4;
        break;
    default:
        break;
    }
    if (VGSP_GET(NVC5B5_LAUNCH_DMA_SEMAPHORE_REDUCTION_ENABLE, launch)) {
        return shim_channel_error(ch, "copy: semaphore reduction");
    }
    words[1] = shim_clock_ns();
    return shim_space_write(ch->space, ce->sem_va, words, size) ||
           shim_channel_error(ch, "copy: semaphore at 0x%" PRIx64, ce->sem_va);
}

static bool render_enable(ShimChannel *ch, uint32_t data)
{
    unsigned mode = VGSP_GET(NVC5B5_SET_RENDER_ENABLE_C_MODE, data);
    uint32_t w[6] = { 0 };
    bool equal;

    if (mode == NVC5B5_SET_RENDER_ENABLE_C_MODE_FALSE ||
        mode == NVC5B5_SET_RENDER_ENABLE_C_MODE_TRUE) {
        ch->ce.render_disable = mode == NVC5B5_SET_RENDER_ENABLE_C_MODE_FALSE;
        return true;
    }
    if (!shim_space_read(ch->space, ch->ce.render_va, w, sizeof(w))) {
        return shim_channel_error(ch, "copy: render enable at 0x%" PRIx64,
                                  ch->ce.render_va);
    }
    equal = w[0] == w[4] && w[1] == w[5];
    switch (mode) {
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_CONDITIONAL:
        ch->ce.render_disable = !w[0] && !w[1];
        return true;
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL:
        ch->ce.render_disable = !equal;
        return true;
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL:
        ch->ce.render_disable = equal;
        return true;
    default:
        return shim_channel_error(ch, "copy: render enable mode %u", mode);
    }
}

static void set_high(uint64_t *va, uint32_t data)
{
    *va = (data & NVC5B5_OFFSET_UPPER) << 32 | (uint32_t)*va;
}

static void set_low(uint64_t *va, uint32_t data)
{
    *va = (*va >> 32) << 32 | data;
}

/* What the two sides have in common, by offset from their first method. */
static bool side_method(ShimCopySide *s, uint32_t method, uint32_t data)
{
    switch (method) {
    case NVC5B5_SET_DST_BLOCK_SIZE:
        s->block_size = data;
        return true;
    case NVC5B5_SET_DST_WIDTH:
        s->width = data;
        return true;
    case NVC5B5_SET_DST_HEIGHT:
        s->height = data;
        return true;
    case NVC5B5_SET_DST_DEPTH:
        s->depth = data;
        return true;
    case NVC5B5_SET_DST_LAYER:
        s->layer = data;
        return true;
    case NVC5B5_SET_DST_ORIGIN:
        s->origin_x = VGSP_GET(NVC5B5_SET_ORIGIN_X, data);
        s->origin_y = VGSP_GET(NVC5B5_SET_ORIGIN_Y, data);
        return true;
    default:
        return false;
    }
}

bool shim_copy_method(ShimChannel *ch, uint32_t method, uint32_t data)
{
    ShimCopy *ce = &ch->ce;

    switch (method) {
    case NVC5B5_NOP:
    case NVC5B5_PM_TRIGGER:
    case NVC5B5_PM_TRIGGER_END:
        return true;
    case NVC5B5_SET_RENDER_ENABLE_A:
        set_high(&ce->render_va, data);
        return true;
    case NVC5B5_SET_RENDER_ENABLE_B:
        set_low(&ce->render_va, data);
        return true;
    case NVC5B5_SET_RENDER_ENABLE_C:
        return render_enable(ch, data);
    case NVC5B5_SET_SEMAPHORE_A:
        set_high(&ce->sem_va, data);
        return true;
    case NVC5B5_SET_SEMAPHORE_B:
        set_low(&ce->sem_va, data);
        return true;
    case NVC5B5_SET_SEMAPHORE_PAYLOAD:
        ce->sem_payload = data;
        return true;
    case NVC5B5_LAUNCH_DMA:
        return launch_dma(ch, data);
    case NVC5B5_OFFSET_IN_UPPER:
        set_high(&ce->src.offset, data);
        return true;
    case NVC5B5_OFFSET_IN_LOWER:
        set_low(&ce->src.offset, data);
        return true;
    case NVC5B5_OFFSET_OUT_UPPER:
        set_high(&ce->dst.offset, data);
        return true;
    case NVC5B5_OFFSET_OUT_LOWER:
        set_low(&ce->dst.offset, data);
        return true;
    case NVC5B5_PITCH_IN:
        ce->src.pitch = data;
        return true;
    case NVC5B5_PITCH_OUT:
        ce->dst.pitch = data;
        return true;
    case NVC5B5_LINE_LENGTH_IN:
        ce->line_length = data;
        return true;
    case NVC5B5_LINE_COUNT:
        ce->line_count = data;
        return true;
    case NVC5B5_SET_REMAP_CONST_A:
    case NVC5B5_SET_REMAP_CONST_B:
        ce->remap_const[method == NVC5B5_SET_REMAP_CONST_B] = data;
        return true;
    case NVC5B5_SET_REMAP_COMPONENTS:
        ce->remap_components = data;
        return true;
    case NVC5B5_SRC_ORIGIN_X:
        ce->src.origin_x = data;
        return true;
    case NVC5B5_SRC_ORIGIN_Y:
        ce->src.origin_y = data;
        return true;
    case NVC5B5_DST_ORIGIN_X:
        ce->dst.origin_x = data;
        return true;
    case NVC5B5_DST_ORIGIN_Y:
        ce->dst.origin_y = data;
        return true;
    default:
        if (method >= NVC5B5_SET_DST_BLOCK_SIZE &&
            method <= NVC5B5_SET_DST_ORIGIN) {
            return side_method(&ce->dst, method, data);
        }
        if (method >= NVC5B5_SET_SRC_BLOCK_SIZE &&
            method <= NVC5B5_SET_SRC_ORIGIN &&
            side_method(&ce->src, method - NVC5B5_SET_SRC_BLOCK_SIZE +
                        NVC5B5_SET_DST_BLOCK_SIZE, data)) {
            return true;
        }
        return shim_channel_error(ch, "copy: method 0x%x", method);
    }
}
