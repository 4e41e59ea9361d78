/*
 * PTIMER: time in ns, readable and (on the chip) settable.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, published/turing/tu102/dev_timer.h
 * and published/nv_ref.h; TIME_0 and TIME_1 as nouveau's nvkm/subdev/timer has
 * them, whose names these are. Offsets are in BAR0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_TIMER_H
#define VGSP_NV_DEV_TIMER_H

#include "vgsp/types.h"

#define NV_PTIMER_BASE                  0x00009000u
#define NV_PTIMER_SIZE                  0x00001000u

#define NV_PTIMER_INTR_0                0x00009100u
#define NV_PTIMER_INTR_EN_0             0x00009140u
#define NV_PTIMER_NUMERATOR             0x00009200u
#define NV_PTIMER_DENOMINATOR           0x00009210u
#define NV_PTIMER_TIME_0                0x00009400u
#define NV_PTIMER_TIME_0_NSEC           VGSP_BITS(31, 5)
#define NV_PTIMER_TIME_1                0x00009410u
#define NV_PTIMER_TIME_1_NSEC           VGSP_BITS(28, 0)
#define NV_PTIMER_ALARM_0               0x00009420u

#endif
