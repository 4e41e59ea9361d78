/*
 * IEEE 754 binary16: see sm75-fp16.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/sm75-fp16.h"

float sm75_half_to_float(uint16_t h)
{
    union { uint32_t u; float f; } v;
    uint32_t sign = (uint32_t)(h & 0x8000) << 16;
    uint32_t exponent = h >> 10 & 31, mantissa = h & 0x3ff;

    if (exponent == 31) {
        v.u = 0x7f800000 | mantissa << 13 | (mantissa ? 0x00400000 : 0);
    } else if (exponent) {
        v.u = (exponent + 112) << 23 | mantissa << 13;
    } else {
        v.f = (float)mantissa / 16777216;
    }
    v.u |= sign;
    return v.f;
}

double sm75_half_to_double(uint16_t h)
{
    return sm75_half_to_float(h);
}

uint16_t sm75_double_to_half(double d, unsigned rounding)
{
    union { double d; uint64_t u; } v = { .d = d };
    uint16_t sign = v.u >> 48 & 0x8000;
    int exponent = (int)(v.u >> 52 & 0x7ff) - 1023;
    uint64_t mantissa = (v.u & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    /* Away from zero if anything is lost, or never, or to nearest. */
    bool away = rounding == (sign ? 1 : 2);
    unsigned drop;
    uint64_t keep, lost, half;

    if (isnan(d)) {
        return 0x7fff;
    }
    if (isinf(d)) {
        return sign | 0x7c00;
    }
    if (d == 0) {
        return sign;
    }
    if (exponent > 15) {
        return sign | (rounding == 0 || away ? 0x7c00 : 0x7bff);
    }
    /* Denormals of binary16 keep fewer bits; below 2^-25 there is one. */
    drop = exponent >= -14 ? 42 : exponent >= -26 ? 42 - 14 - exponent : 54;
    keep = drop > 53 ? 0 : mantissa >> drop;
    lost = drop > 53 ? 1 : mantissa & ((UINT64_C(1) << drop) - 1);
    half = drop > 53 ? 2 : UINT64_C(1) << (drop - 1);
    if (rounding == 0 ? lost > half || (lost == half && keep & 1)
                      : away && lost) {
        keep++;
    }
    /* The hidden bit, or a carry, counts the exponent up. */
    return sign | (keep + (exponent >= -14 ? (uint64_t)(exponent + 14) << 10
                                           : 0));
}
