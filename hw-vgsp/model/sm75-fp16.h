/*
 * IEEE 754 binary16, exactly: to double, and from double in each of the four
 * directions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_SM75_FP16_H
#define HW_VGSP_MODEL_SM75_FP16_H

#include "vgsp/types.h"

/* Exact. NaNs keep their sign and are quiet. */
double sm75_half_to_double(uint16_t h);
float sm75_half_to_float(uint16_t h);
/*
 * The nearest half: rounding as in the instruction word, 0 RN 1 RM 2 RP 3 RZ.
 * One rounding: v must be exact, or not representable by a tie's width (any
 * sum, product or fused product of halves is exact in double). NaN: 0x7fff.
 */
uint16_t sm75_double_to_half(double v, unsigned rounding);

#endif
