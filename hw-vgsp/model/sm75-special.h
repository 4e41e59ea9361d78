/*
 * Special registers of sm_75, by their numbers in S2R (exec-facts 8.3 and
 * NVIDIA's nvdisasm).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_SM75_SPECIAL_H
#define HW_VGSP_MODEL_SM75_SPECIAL_H

#include "model/sm75.h"

enum {
    SM75_SR_LANEID = 0x00,
    SM75_SR_CLOCK = 0x01,
    SM75_SR_VIRTCFG = 0x02,     /* 28:20 SMs, 14:8 warps an SM */
    SM75_SR_VIRTID = 0x03,      /* 28:20 SM, 14:8 warp */
    SM75_SR_TID = 0x20,         /* z << 26 | y << 16 | x */
    SM75_SR_TID_X = 0x21,
    SM75_SR_TID_Y = 0x22,
    SM75_SR_TID_Z = 0x23,
    SM75_SR_CTAID_X = 0x25,
    SM75_SR_CTAID_Y = 0x26,
    SM75_SR_CTAID_Z = 0x27,
    SM75_SR_SMEMSZ = 0x32,
    SM75_SR_EQMASK = 0x38,
    SM75_SR_LTMASK = 0x39,
    SM75_SR_LEMASK = 0x3a,
    SM75_SR_GTMASK = 0x3b,
    SM75_SR_GEMASK = 0x3c,
    SM75_SR_VIRTUALSMID = 0x43,
    SM75_SR_CLOCKLO = 0x50,
    SM75_SR_CLOCKHI = 0x51,
    SM75_SR_GLOBALTIMERLO = 0x52,
    SM75_SR_GLOBALTIMERHI = 0x53,
    SM75_SR_PM0 = 0x64,         /* to 0x73: counters of the profiler, idle */
    SM75_SR_PM_HI7 = 0x73,
    SM75_SRZ = 0xff,
};

/* The value in each lane; unknown registers read 0. */
void sm75_special(Sm75Warp *w, unsigned index, Sm75Vec *out);

#endif
