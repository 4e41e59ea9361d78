/*
 * Graphics and compute work for qtests: objects, uploads, copies, and grids of
 * hand-assembled code.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_TESTS_QTEST_VGSP_QOS_GR_H
#define VGSP_TESTS_QTEST_VGSP_QOS_GR_H

#include "vgsp-qos-channel.h"

/* In the guest memory of a space. */
#define DATA        0x10000u
#define PROGRAM     0x20000u
#define QMD         0x21000u
#define VECTORS     0x22000u
#define VA(offset)  (VGSP_CH_VA_RAM + (offset))

enum { SUBC_3D, SUBC_COMPUTE, SUBC_I2M, SUBC_2D, SUBC_COPY };

/* Objects of all classes of the channel's subchannels, and SET_OBJECT. */
void vgsp_gr_objects(VgspCh *c);
/* One word, inline, of whatever class the subchannel has. */
void vgsp_gr_upload(VgspCh *c, unsigned subch, uint64_t va, uint32_t word);
/* Copies one word with the copy engine of the runlist. */
void vgsp_gr_copy_word(VgspCh *c, uint64_t from, uint64_t to);
/* One CTA of @threads; code and descriptor are in the guest's memory. */
void vgsp_gr_launch(VgspChBench *b, VgspCh *c, const uint64_t (*code)[2],
                    unsigned n, unsigned threads);

#endif
