/*
 * Doubles as words, and rounding modes of the host.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_SM75_DOUBLE_H
#define HW_VGSP_MODEL_SM75_DOUBLE_H

#include <fenv.h>
#include <math.h>
#include "vgsp/types.h"

static const int sm75_host_rounding[4] = {
    FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO,
};

static inline double sm75_as_double(uint64_t u)
{
    union { uint64_t u; double d; } v = { .u = u };

    return v.d;
}

/* An operand's NaN in a result: made quiet, and else as it was. */
static inline uint64_t sm75_quiet(uint64_t u)
{
    return u | UINT64_C(1) << 51;
}

/* The bits of a result: a NaN is the hardware's own. */
static inline uint64_t sm75_from_double(double d)
{
    union { double d; uint64_t u; } v = { .d = d };

    return isnan(d) ? UINT64_C(0xfff8000000000000) : v.u;
}

static inline float sm75_as_float(uint32_t u)
{
    union { uint32_t u; float f; } v = { .u = u };

    return v.f;
}

static inline uint32_t sm75_from_float(float f)
{
    union { float f; uint32_t u; } v = { .f = f };

    return isnan(f) ? 0x7fffffff : v.u;
}

/* A denormal word of single precision to zero. */
static inline uint32_t sm75_flush(uint32_t v)
{
    return v & 0x7f800000 ? v : v & 0x80000000;
}

#endif
