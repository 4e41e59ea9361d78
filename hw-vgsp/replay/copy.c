/*
 * The copy engine of a GR channel (class NVC5B5, virtual addresses), element
 * by element. Specified by NVIDIA's clc5b5.h; block-linear by Mesa's nil.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "replay/copy.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/copy.h"
#include "vgsp/nv/host.h"
#include "vgsp/pushbuf.h"

#define GOB_WIDTH   64
#define GOB_HEIGHT  8
#define GOB_SIZE    512
/* Longest element: four components of four bytes. */
#define ELEMENT_MAX 16
#define CHUNK       4096
/* What an access takes beside its bytes, in the time of one. */
#define ACCESS_COST 64

typedef struct Remap {
    unsigned size;              /* of a component, bytes */
    unsigned n_dst;
    unsigned src_element, dst_element;
    unsigned select[4];
    bool reads, writes_all;
} Remap;

static bool copy_error(VgspCopy *ce, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/* The first reason stays. */
static bool copy_error(VgspCopy *ce, const char *format, ...)
{
    va_list ap;

    if (!ce->error[0]) {
        va_start(ap, format);
        g_vsnprintf(ce->error, sizeof(ce->error), format, ap);
        va_end(ap);
    }
    return false;
}

static bool charge(VgspCopy *ce, size_t len)
{
    if (ACCESS_COST + len > ce->budget) {
        return copy_error(ce, "more than permitted");
    }
    ce->budget -= ACCESS_COST + len;
    return true;
}

static bool copy_read(VgspCopy *ce, uint64_t va, void *buf, size_t len)
{
    return charge(ce, len) && ce->ops->read(ce->opaque, va, buf, len);
}

static bool copy_write(VgspCopy *ce, uint64_t va, const void *buf, size_t len)
{
    return charge(ce, len) && ce->ops->write(ce->opaque, va, buf, len);
}

/* Address of byte x of row y. */
static uint64_t address(const VgspCopySide *s, bool pitch, uint64_t x,
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

static bool remap_init(const VgspCopy *ce, bool enable, Remap *r)
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

static void remap_element(const VgspCopy *ce, const Remap *r,
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
static bool copy_line(VgspCopy *ce, uint64_t src, uint64_t dst, uint64_t len)
{
    uint8_t buf[CHUNK];

    while (len) {
        size_t n = MIN(len, sizeof(buf));

        if (!copy_read(ce, src, buf, n) || !copy_write(ce, dst, buf, n)) {
            return false;
        }
        src += n;
        dst += n;
        len -= n;
    }
    return true;
}

/* A line of constants. */
static bool fill_line(VgspCopy *ce, const Remap *r, uint64_t dst, uint64_t n)
{
    uint8_t buf[CHUNK];
    uint64_t most = sizeof(buf) / r->dst_element;

    for (uint64_t i = 0; i < MIN(n, most); i++) {
        remap_element(ce, r, NULL, buf + i * r->dst_element);
    }
    while (n) {
        uint64_t now = MIN(n, most);

        if (!copy_write(ce, dst, buf, now * r->dst_element)) {
            return false;
        }
        dst += now * r->dst_element;
        n -= now;
    }
    return true;
}

static bool element_line(VgspCopy *ce, const Remap *r, bool src_pitch,
                         bool dst_pitch, bool remap, uint32_t y)
{
    for (uint64_t x = 0; x < ce->line_length; x++) {
        uint8_t src[ELEMENT_MAX], dst[ELEMENT_MAX];
        uint64_t to = address(&ce->dst, dst_pitch, x * r->dst_element, y,
                              r->dst_element);

        if (r->reads &&
            !copy_read(ce, address(&ce->src, src_pitch, x * r->src_element, y,
                                   r->src_element),
                       src, r->src_element)) {
            return false;
        }
        if (!r->writes_all &&
            !copy_read(ce, to, dst, r->dst_element)) {
            return false;
        }
        if (remap) {
            remap_element(ce, r, src, dst);
        } else {
            dst[0] = src[0];
        }
        /* An element of 12 bytes may straddle two runs of 16. */
        for (unsigned i = 0; i < r->dst_element; i += r->size) {
            if (!copy_write(ce, address(&ce->dst, dst_pitch,
                                        x * r->dst_element + i, y,
                                        r->dst_element),
                            dst + i, r->size)) {
                return false;
            }
        }
    }
    return true;
}

static bool transfer(VgspCopy *ce, uint32_t launch)
{
    bool src_pitch = VGSP_GET(NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT, launch);
    bool dst_pitch = VGSP_GET(NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT, launch);
    bool remap = VGSP_GET(NVC5B5_LAUNCH_DMA_REMAP_ENABLE, launch);
    uint32_t lines = VGSP_GET(NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE, launch)
                         ? ce->line_count : 1;
    Remap r;

    if (!remap_init(ce, remap, &r)) {
        return copy_error(ce, "remap 0x%x", ce->remap_components);
    }
    if (VGSP_GET(NVC5B5_LAUNCH_DMA_SRC_TYPE, launch) ||
        VGSP_GET(NVC5B5_LAUNCH_DMA_DST_TYPE, launch)) {
        return copy_error(ce, "physical address");
    }
    for (uint32_t y = 0; ce->line_length && y < lines; y++) {
        bool ok;

        if (!remap && src_pitch && dst_pitch) {
            ok = copy_line(ce, address(&ce->src, true, 0, y, 1),
                           address(&ce->dst, true, 0, y, 1), ce->line_length);
        } else if (!r.reads && r.writes_all && dst_pitch) {
            ok = fill_line(ce, &r, address(&ce->dst, true, 0, y, 1),
                           ce->line_length);
        } else {
            ok = element_line(ce, &r, src_pitch, dst_pitch, remap, y);
        }
        if (!ok) {
            return copy_error(ce, "fault, 0x%" PRIx64 " to 0x%" PRIx64,
                              ce->src.offset, ce->dst.offset);
        }
    }
    return true;
}

static bool launch_dma(VgspCopy *ce, uint32_t launch)
{
    uint64_t words[2] = { ce->sem_payload };
    size_t size = NV_HOST_SEMAPHORE__SIZE;

    if (ce->render_disable) {
        return true;
    }
    if (VGSP_GET(NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE, launch) !=
            NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NONE &&
        !transfer(ce, launch)) {
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
        return copy_error(ce, "semaphore reduction");
    }
    words[1] = ce->ops->clock_ns(ce->opaque);
    return copy_write(ce, ce->sem_va, words, size) ||
           copy_error(ce, "semaphore at 0x%" PRIx64, ce->sem_va);
}

static bool render_enable(VgspCopy *ce, uint32_t data)
{
    unsigned mode = VGSP_GET(NVC5B5_SET_RENDER_ENABLE_C_MODE, data);
    uint32_t w[6] = { 0 };
    bool equal;

    if (mode == NVC5B5_SET_RENDER_ENABLE_C_MODE_FALSE ||
        mode == NVC5B5_SET_RENDER_ENABLE_C_MODE_TRUE) {
        ce->render_disable = mode == NVC5B5_SET_RENDER_ENABLE_C_MODE_FALSE;
        return true;
    }
    if (!copy_read(ce, ce->render_va, w, sizeof(w))) {
        return copy_error(ce, "render enable at 0x%" PRIx64, ce->render_va);
    }
    equal = w[0] == w[4] && w[1] == w[5];
    switch (mode) {
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_CONDITIONAL:
        ce->render_disable = !w[0] && !w[1];
        return true;
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL:
        ce->render_disable = !equal;
        return true;
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL:
        ce->render_disable = equal;
        return true;
    default:
        return copy_error(ce, "render enable mode %u", mode);
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
static bool side_method(VgspCopySide *s, uint32_t method, uint32_t data)
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

bool vgsp_copy_method(VgspCopy *ce, uint32_t method, uint32_t data)
{
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
        return render_enable(ce, data);
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
        return launch_dma(ce, data);
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
        return copy_error(ce, "method 0x%x", method);
    }
}

bool vgsp_copy_section(VgspCopy *ce, const uint32_t *words, uint32_t count)
{
    size_t left = count, used;
    VgspPbStatus status;
    VgspPbRun run;
    VgspPushbuf pb;

    ce->error[0] = '\0';
    vgsp_pb_init(&pb);
    for (;;) {
        uint32_t method;

        status = vgsp_pb_next(&pb, words, left, &used, &run);
        words += used;
        left -= used;
        if (status != VGSP_PB_METHODS) {
            break;
        }
        method = run.method * 4;
        if (run.subchannel != VGSP_COPY_SUBCHANNEL) {
            return copy_error(ce, "subchannel %u", run.subchannel);
        }
        if (method == NVC46F_SET_OBJECT) {
            if (VGSP_GET(NVC46F_SET_OBJECT_NVCLASS, run.data[0]) !=
                TURING_DMA_COPY_A) {
                return copy_error(ce, "class 0x%x", run.data[0]);
            }
        } else if (method < NVC46F_HOST_METHODS_END) {
            return copy_error(ce, "host method 0x%x", method);
        } else if (!vgsp_copy_method(ce, method, run.data[0])) {
            return false;
        }
        used = vgsp_pb_advance(&pb, 1);
        words += used;
        left -= used;
    }
    return (status == VGSP_PB_MORE && !left) ||
           copy_error(ce, "words that are no methods");
}
