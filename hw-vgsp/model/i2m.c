/*
 * Inline-to-memory: data in the push buffer, written to a pitch or block-linear
 * surface, then a flush, a semaphore, an interrupt. Class 0xa140 has it, and so
 * have the 3D and the compute class. Specified by NVIDIA's cla140.h and
 * pri_memfmt.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/model-int.h"
#include "vgsp/blocklinear.h"
#include "vgsp/nv/dev_fault.h"
#include "vgsp/nv/i2m.h"

#define FIRST_METHOD    NVA140_LINE_LENGTH_IN
#define LAST_METHOD     NVA140_SET_I2M_SEMAPHORE_C

struct VgspI2m {
    uint32_t regs[(LAST_METHOD - FIRST_METHOD) / 4 + 1];
    /* The transfer under way, as it was when it was launched. */
    uint64_t left;              /* lines due */
    uint64_t base;
    uint32_t line_length;
    int32_t pitch;
    uint64_t column, line;      /* where the next byte goes */
    bool block_linear;
    VgspBlockLinear bl;
    uint32_t x, y, z;           /* origin in a block-linear surface */
    uint32_t launch;            /* datum of LAUNCH_DMA */
};

VgspI2m *vgsp_i2m_new(void)
{
    return g_new0(VgspI2m, 1);
}

void vgsp_i2m_free(VgspI2m *i2m)
{
    g_free(i2m);
}

bool vgsp_i2m_owns(uint32_t method)
{
    return (method >= FIRST_METHOD && method <= NVA140_LOAD_INLINE_DATA) ||
           (method >= NVA140_SET_I2M_SEMAPHORE_A && method <= LAST_METHOD);
}

static uint32_t reg(const VgspI2m *i2m, uint32_t method)
{
    return i2m->regs[(method - FIRST_METHOD) / 4];
}

/* The flush, semaphore and interrupt behind the last byte. */
static VgspFeEnd complete(VgspI2m *i2m, VgspContext *ctx, VgspWorker *w)
{
    uint32_t launch = i2m->launch;
    uint64_t va = VGSP_GET(NVA140_SET_I2M_SEMAPHORE_A_OFFSET_UPPER,
                           reg(i2m, NVA140_SET_I2M_SEMAPHORE_A)) << 32 |
                  reg(i2m, NVA140_SET_I2M_SEMAPHORE_B);
    uint32_t payload = reg(i2m, NVA140_SET_I2M_SEMAPHORE_C);
    bool one_word = VGSP_GET(NVA140_LAUNCH_DMA_SEMAPHORE_STRUCT_SIZE, launch) ==
                    NVA140_LAUNCH_DMA_SEMAPHORE_STRUCT_SIZE_ONE_WORD;
    VgspFeEnd end = VGSP_FE_DONE;

    switch (VGSP_GET(NVA140_LAUNCH_DMA_COMPLETION_TYPE, launch)) {
    case NVA140_LAUNCH_DMA_COMPLETION_TYPE_FLUSH_ONLY:
        vgsp_mmu_flush(&w->mmu);
        break;
    case NVA140_LAUNCH_DMA_COMPLETION_TYPE_RELEASE_SEMAPHORE:
        if (launch & NVA140_LAUNCH_DMA_REDUCTION_ENABLE) {
            end = vgsp_fe_reduce_timed(
                ctx, w, va,
                (unsigned)VGSP_GET(NVA140_LAUNCH_DMA_REDUCTION_OP, launch),
                VGSP_GET(NVA140_LAUNCH_DMA_REDUCTION_FORMAT, launch) ==
                NVA140_LAUNCH_DMA_REDUCTION_FORMAT_SIGNED_32,
                payload, one_word);
        } else {
            end = vgsp_fe_release(ctx, w, va, payload, one_word);
        }
        break;
    }
    if (end == VGSP_FE_DONE &&
        VGSP_GET(NVA140_LAUNCH_DMA_INTERRUPT_TYPE, launch) ==
        NVA140_LAUNCH_DMA_INTERRUPT_TYPE_INTERRUPT) {
        vgsp_mmu_flush(&w->mmu);
        vgsp_model_interrupt(ctx);
    }
    return end;
}

static bool launch_valid(const VgspI2m *i2m, uint32_t launch)
{
    uint32_t block = reg(i2m, NVA140_SET_DST_BLOCK_SIZE);

    if (VGSP_GET(NVA140_LAUNCH_DMA_COMPLETION_TYPE, launch) >
        NVA140_LAUNCH_DMA_COMPLETION_TYPE_RELEASE_SEMAPHORE ||
        VGSP_GET(NVA140_LAUNCH_DMA_INTERRUPT_TYPE, launch) >
        NVA140_LAUNCH_DMA_INTERRUPT_TYPE_INTERRUPT) {
        return false;
    }
    if (launch & NVA140_LAUNCH_DMA_REDUCTION_ENABLE &&
        VGSP_GET(NVA140_LAUNCH_DMA_REDUCTION_FORMAT, launch) >
        NVA140_LAUNCH_DMA_REDUCTION_FORMAT_SIGNED_32) {
        return false;
    }
    if (VGSP_GET(NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT, launch) ==
        NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT_PITCH) {
        return true;
    }
    return VGSP_GET(NVA140_SET_DST_BLOCK_SIZE_WIDTH, block) ==
           NVA140_SET_DST_BLOCK_SIZE_WIDTH_ONE_GOB &&
           VGSP_GET(NVA140_SET_DST_BLOCK_SIZE_HEIGHT, block) <=
           NVA140_SET_DST_BLOCK_SIZE_THIRTYTWO_GOBS &&
           VGSP_GET(NVA140_SET_DST_BLOCK_SIZE_DEPTH, block) <=
           NVA140_SET_DST_BLOCK_SIZE_THIRTYTWO_GOBS &&
           reg(i2m, NVA140_OFFSET_OUT) % VGSP_GOB_SIZE == 0;
}

static VgspFeEnd launch_dma(VgspI2m *i2m, VgspContext *ctx, VgspWorker *w,
                            unsigned subchannel, uint32_t data)
{
    uint32_t block = reg(i2m, NVA140_SET_DST_BLOCK_SIZE);

    if (!launch_valid(i2m, data)) {
        return vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_DATA, subchannel,
                             NVA140_LAUNCH_DMA, data);
    }
    i2m->launch = data;
    i2m->base = VGSP_GET(NVA140_OFFSET_OUT_UPPER_VALUE,
                         reg(i2m, NVA140_OFFSET_OUT_UPPER)) << 32 |
                reg(i2m, NVA140_OFFSET_OUT);
    i2m->line_length = reg(i2m, NVA140_LINE_LENGTH_IN);
    i2m->left = i2m->line_length ? reg(i2m, NVA140_LINE_COUNT) : 0;
    i2m->pitch = (int32_t)reg(i2m, NVA140_PITCH_OUT);
    i2m->column = i2m->line = 0;
    i2m->block_linear = VGSP_GET(NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT, data) ==
                        NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT_BLOCKLINEAR;
    i2m->bl = (VgspBlockLinear) {
        .width = reg(i2m, NVA140_SET_DST_WIDTH),
        .height = reg(i2m, NVA140_SET_DST_HEIGHT),
        .block_height =
            (uint8_t)VGSP_GET(NVA140_SET_DST_BLOCK_SIZE_HEIGHT, block),
        .block_depth =
            (uint8_t)VGSP_GET(NVA140_SET_DST_BLOCK_SIZE_DEPTH, block),
    };
    i2m->x = (uint32_t)VGSP_GET(NVA140_SET_DST_ORIGIN_BYTES_X_V,
                                reg(i2m, NVA140_SET_DST_ORIGIN_BYTES_X));
    i2m->y = (uint32_t)VGSP_GET(NVA140_SET_DST_ORIGIN_SAMPLES_Y_V,
                                reg(i2m, NVA140_SET_DST_ORIGIN_SAMPLES_Y));
    i2m->z = reg(i2m, NVA140_SET_DST_LAYER);
    return i2m->left ? VGSP_FE_DONE : complete(i2m, ctx, w);
}

/*
 * A datum is the next 4 bytes of the line. Each line begins with a datum of
 * its own: what the one before has beyond the line's end is dropped (as GH100
 * does).
 */
static VgspFeEnd load_inline_data(VgspI2m *i2m, VgspContext *ctx,
                                  VgspWorker *w, uint32_t data)
{
    uint32_t word = GUINT32_TO_LE(data);
    const uint8_t *bytes = (const uint8_t *)&word;
    uint32_t n = (uint32_t)MIN(i2m->line_length - i2m->column, sizeof(word));

    while (n) {
        uint32_t chunk = n;
        uint64_t va = i2m->base;

        if (i2m->block_linear) {
            uint64_t x = i2m->x + i2m->column;

            chunk = MIN(chunk, (uint32_t)(VGSP_GOB_RUN - x % VGSP_GOB_RUN));
            va += vgsp_blocklinear_offset(&i2m->bl, x,
                                          (uint32_t)(i2m->y + i2m->line),
                                          i2m->z);
        } else {
            va += i2m->line * (uint64_t)(int64_t)i2m->pitch + i2m->column;
        }
        if (!vgsp_mmu_write(&w->mmu, va, bytes, chunk)) {
            return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_FE,
                                 true);
        }
        bytes += chunk;
        n -= chunk;
        i2m->column += chunk;
    }
    if (i2m->column == i2m->line_length) {
        i2m->column = 0;
        i2m->line++;
        i2m->left--;
    }
    return i2m->left ? VGSP_FE_DONE : complete(i2m, ctx, w);
}

VgspFeEnd vgsp_i2m_method(VgspI2m *i2m, VgspContext *ctx, VgspWorker *w,
                          unsigned subchannel, uint32_t method, uint32_t data)
{
    if (method == NVA140_LOAD_INLINE_DATA) {
        return i2m->left
               ? load_inline_data(i2m, ctx, w, data)
               : vgsp_fe_error(ctx, VGSP_EXC_MEMFMT, subchannel, method,
                     NV_PGRAPH_PRI_MEMFMT_HWW_ESR_EXTRA_INLINE_DATA);
    }
    if (i2m->left) {
        return vgsp_fe_error(ctx, VGSP_EXC_MEMFMT, subchannel, method,
                             NV_PGRAPH_PRI_MEMFMT_HWW_ESR_MISSING_INLINE_DATA);
    }
    i2m->regs[(method - FIRST_METHOD) / 4] = data;
    return method == NVA140_LAUNCH_DMA
           ? launch_dma(i2m, ctx, w, subchannel, data) : VGSP_FE_DONE;
}
