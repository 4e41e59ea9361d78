/*
 * Bounds: see bounds.h. They follow from what NVIDIA documents of the
 * functions (PTX ISA: rcp, rsqrt, sqrt, sin, cos, lg2, ex2, tanh .approx.f32;
 * CUDA C++ Programming Guide, "Mathematical Functions"), and from what the
 * programs do with their results. The model's results are rounded correctly,
 * which adds half a unit where a bound is not of whole units.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include <string.h>
#include "replay/bounds.h"

#define F32(name, stride, index, ulp, unit, reason) \
    { name, VGSP_BOUND_F32, stride, index, ulp, unit, reason }
#define F64(name, stride, index, ulp, reason) \
    { name, VGSP_BOUND_F64, stride, index, ulp, 0, reason }

/* Elements of the outputs of floats.comp and special.comp. */
const VgspBound vgsp_bounds[] = {
    F32("float32", 16, 13, 2, 0,
        "x * rcp(y): rcp.approx has 1 unit, which are up to 2 of the product"),
    F32("float32", 16, 14, 2, 0,
        "sqrt.approx: 2^-23 of the result, 2 units at most"),
    F32("float32", 16, 15, 2, 0,
        "rsqrt.approx: 2^-22.9 of the result, 2 units at most"),
    F64("float64", 16, 13, 2,
        "x * r: r is rcp.approx after two Newton steps, of which the last "
        "rounds (1 unit), which are up to 2 of the product"),
    F64("float64", 16, 14, 1,
        "rsqrt.approx after two steps, of which the last rounds"),
    F64("float64", 16, 15, 2,
        "rsqrt.approx after two steps: the last has a rounded product, half "
        "a unit, and rounds, on either side"),
    /* -pi < x < pi */
    F32("special-functions", 8, 0, 9, 0x1p-24,
        "sin: 2^-21.41; 2^-23.3 and 2^-25 of the model's, for its argument "
        "is rounded in revolutions, and its result"),
    F32("special-functions", 8, 1, 10, 0x1p-24,
        "cos: 2^-21.19, and as sin"),
    F32("special-functions", 8, 2, 2, 0, "ex2.approx: 2 units"),
    /* 2.5 <= x < 5.7 */
    F32("special-functions", 8, 3, 2, 0, "lg2.approx away from 1: 2 units"),
    F32("special-functions", 8, 4, 1, 0, "rcp.approx: 1 unit"),
    F32("special-functions", 8, 5, 4, 0,
        "atan: a polynomial of rcp(x), whose unit is at most the result's; "
        "its roundings add 2.4 on two sides"),
    F32("special-functions", 8, 7, 13, 0,
        "pow: ex2(1.75 * lg2(x)), below 4.4: 2^-20 of the exponent are 11.1 "
        "units, ex2 has 2 and the model half a one"),
    { 0 },
};

static bool named(const char *path, const char *name)
{
    const char *base = strrchr(path, '/');
    size_t n = strlen(name);

    base = base ? base + 1 : path;
    return !strncmp(base, name, n) && (!base[n] || base[n] == '.');
}

static const VgspBound *bound_of(const VgspBounds *b, uint64_t offset)
{
    for (const VgspBound *r = vgsp_bounds; r->recording; r++) {
        uint64_t element = offset / (r->type == VGSP_BOUND_F64 ? 8 : 4);

        if (named(b->recording, r->recording) &&
            element % r->stride == r->index) {
            return r;
        }
    }
    return NULL;
}

/* ---- Numbers ---- */

static float as_float(uint32_t u)
{
    union { uint32_t u; float f; } v = { .u = u };

    return v.f;
}

static bool finite32(uint32_t v)
{
    return (v & 0x7f800000) != 0x7f800000;
}

static uint32_t far32(uint32_t a, uint32_t b)
{
    if (!finite32(a) || !finite32(b) || (a ^ b) >> 31) {
        return UINT32_MAX;
    }
    return a > b ? a - b : b - a;
}

static uint64_t far64(uint64_t a, uint64_t b)
{
    const uint64_t inf = UINT64_C(0x7ff) << 52;

    if ((a & inf) == inf || (b & inf) == inf || (a ^ b) >> 63) {
        return UINT64_MAX;
    }
    return a > b ? a - b : b - a;
}

/* Two zeros of different sign are never close. */
static bool within(uint32_t a, uint32_t b, double bound)
{
    return finite32(a) && finite32(b) && as_float(a) != as_float(b) &&
           fabs((double)as_float(a) - as_float(b)) <= bound;
}

/* ---- Words ---- */

void vgsp_bounds_begin(VgspBounds *b, const char *path)
{
    *b = (VgspBounds) { .recording = path };
}

static unsigned judge(VgspBounds *b, bool close, unsigned words)
{
    b->close += close ? words : 0;
    return close ? 0 : words;
}

unsigned vgsp_bounds_end(VgspBounds *b)
{
    /* Its high word is the same: the low ones are as far apart as they are. */
    bool alone = b->pending;
    const VgspBound *r = alone ? bound_of(b, b->low_offset) : NULL;

    b->pending = false;
    return alone ? judge(b, r && far64(b->low_model, b->low_here) <= r->ulp, 1)
                 : 0;
}

static unsigned pair(VgspBounds *b, const VgspBound *r, uint32_t model,
                     uint32_t here)
{
    uint64_t a = (uint64_t)model << 32 | b->low_model;
    uint64_t c = (uint64_t)here << 32 | b->low_here;

    b->pending = false;
    return judge(b, far64(a, c) <= r->ulp, 2);
}

unsigned vgsp_bounds_word(VgspBounds *b, uint32_t memory, uint64_t offset,
                          uint32_t model, uint32_t here)
{
    const VgspBound *r = bound_of(b, offset);
    bool both = b->pending && memory == b->low_memory && offset % 8 &&
                offset == b->low_offset + 4;
    unsigned words;

    if (r && both) {
        return pair(b, r, model, here);
    }
    words = vgsp_bounds_end(b);
    if (!r || (b->known && memory != b->memory)) {
        return words + 1;
    }
    b->known = true;
    b->memory = memory;
    if (r->type == VGSP_BOUND_F32) {
        return words + judge(b, r->unit
            ? within(model, here, r->unit * r->ulp)
            : far32(model, here) <= r->ulp, 1);
    }
    if (offset % 8) {           /* the high word alone */
        return words + 1;
    }
    b->pending = true;
    b->low_memory = memory;
    b->low_offset = offset;
    b->low_model = model;
    b->low_here = here;
    return words;
}

/* ---- MUFU ---- */

bool vgsp_mufu_close(uint64_t hi, uint32_t model, uint32_t here)
{
    enum { COS, SIN, EX2, LG2, RCP, RSQ, RCP64H, RSQ64H, SQRT, TANH };
    const bool half = hi >> 9 & 1;

    if (model == here) {
        return true;
    }
    if (half) {                 /* rounded once more: the next one */
        return (model & 0x7c00) != 0x7c00 && (here & 0x7c00) != 0x7c00 &&
               (model == here + 1 || here == model + 1);
    }
    switch (hi >> 10 & 15) {
    case COS:                   /* 2^-20.5 */
    case SIN:
        return within(model, here, 0x1.6a09e6p-21 + 0x1p-25);
    case EX2:
    case RSQ:                   /* 2^-22.9 of it */
    case SQRT:                  /* 2^-23 of it */
        return far32(model, here) <= 2;
    case LG2:                   /* of numbers around 1: 2^-22 */
        return far32(model, here) <= 2 ||
               (fabsf(as_float(model)) <= 1 &&
                within(model, here, 0x1p-22 + 0x1p-25));
    case RCP:
        return far32(model, here) <= 1;
    case TANH:                  /* 2^-11 of it */
        return within(model, here,
                      fabs(as_float(model)) * (0x1p-11 + 0x1p-24));
    case RCP64H:                /* the upper words of doubles: 20 bits */
    case RSQ64H:
        return far64((uint64_t)model << 32, (uint64_t)here << 32) <=
               UINT64_C(2) << 32;
    default:
        return false;
    }
}
