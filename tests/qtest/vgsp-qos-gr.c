/*
 * See vgsp-qos-gr.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-gr.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/i2m.h"

void vgsp_gr_objects(VgspCh *c)
{
    static const uint32_t classes[] = {
        TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(classes); i++) {
        g_assert_cmpint(vgsp_gsp_rm_alloc(&c->s->q->gsp, c->s->rm.client,
                                          c->ch.handle,
                                          0x900000 + c->ch.chid * 16 + i,
                                          classes[i], NULL, 0), ==,
                        VGSP_GSP_OK);
        vgsp_ch_method(c, i, NVC46F_SET_OBJECT, classes[i]);
    }
    vgsp_ch_copy_object(c);
}

void vgsp_gr_upload(VgspCh *c, unsigned subch, uint64_t va, uint32_t word)
{
    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_INC_METHOD, subch,
                   NVA140_LINE_LENGTH_IN, 4);
    vgsp_ch_word(c, 4);
    vgsp_ch_word(c, 1);
    vgsp_ch_word(c, va >> 32);
    vgsp_ch_word(c, va);
    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_ONE_INC, subch, NVA140_LAUNCH_DMA, 2);
    vgsp_ch_word(c, NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT |
                 NVA140_LAUNCH_DMA_SEMAPHORE_STRUCT_SIZE);
    vgsp_ch_word(c, word);
}

void vgsp_gr_copy_word(VgspCh *c, uint64_t from, uint64_t to)
{
    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_INC_METHOD, SUBC_COPY,
                   NVC5B5_OFFSET_IN_UPPER, 4);
    vgsp_ch_word(c, from >> 32);
    vgsp_ch_word(c, from);
    vgsp_ch_word(c, to >> 32);
    vgsp_ch_word(c, to);
    vgsp_ch_method(c, SUBC_COPY, NVC5B5_LINE_LENGTH_IN, 4);
    vgsp_ch_method(c, SUBC_COPY, NVC5B5_LAUNCH_DMA,
                   NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_PIPELINED |
                   NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT |
                   NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT);
}

/* A field of a launch descriptor, by its highest and lowest bit. */
static void qmd_set(uint32_t *qmd, unsigned hi, unsigned lo, uint64_t v)
{
    for (unsigned i = lo; i <= hi; i++) {
        qmd[i / 32] &= ~(1u << i % 32);
        qmd[i / 32] |= (uint32_t)(v >> (i - lo) & 1) << i % 32;
    }
}

void vgsp_gr_launch(VgspChBench *b, VgspCh *c, const uint64_t (*code)[2],
                   unsigned n, unsigned threads)
{
    uint32_t qmd[64] = { 0 };

    for (unsigned i = 0; i < n; i++) {
        qtest_writeq(b->q->qts, b->s.ram + PROGRAM + 16 * i, code[i][0]);
        qtest_writeq(b->q->qts, b->s.ram + PROGRAM + 16 * i + 8, code[i][1]);
    }
    qmd_set(qmd, 415, 384, 1);          /* CTA_RASTER_WIDTH, HEIGHT, DEPTH */
    qmd_set(qmd, 431, 416, 1);
    qmd_set(qmd, 463, 448, 1);
    qmd_set(qmd, 579, 576, 2);          /* QMD_VERSION, MAJOR_VERSION */
    qmd_set(qmd, 583, 580, 2);
    qmd_set(qmd, 607, 592, threads);    /* CTA_THREAD_DIMENSION 0 to 2 */
    qmd_set(qmd, 623, 608, 1);
    qmd_set(qmd, 639, 624, 1);
    qmd_set(qmd, 575, 569, 9);          /* MAX_SM_CONFIG_SHARED_MEM_SIZE */
    qmd_set(qmd, 568, 562, 3);
    qmd_set(qmd, 663, 657, 3);
    qmd_set(qmd, 656, 648, 16);         /* REGISTER_COUNT_V */
    qmd_set(qmd, 1567, 1536, VA(PROGRAM));
    qmd_set(qmd, 1584, 1568, VA(PROGRAM) >> 32);
    for (unsigned i = 0; i < 64; i++) {
        qtest_writel(b->q->qts, b->s.ram + QMD + 4 * i, qmd[i]);
    }
    vgsp_ch_method(c, SUBC_COMPUTE, NVC5C0_SEND_PCAS_A, VA(QMD) >> 8);
    vgsp_ch_method(c, SUBC_COMPUTE, NVC5C0_SEND_SIGNALING_PCAS_B,
                   NVC5C0_SEND_SIGNALING_PCAS_B_INVALIDATE |
                   NVC5C0_SEND_SIGNALING_PCAS_B_SCHEDULE);
}
