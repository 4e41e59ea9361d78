/*
 * MUFU, the multifunction unit of sm_75: exec-facts 8.2.
 *
 * Silicon interpolates in tables, which nobody has published. Here a result is
 * the function's value in double precision, rounded to nearest; denormal
 * results are flushed where silicon does. Sine and cosine have their argument in
 * fixed point, as silicon has (GH100). The double is computed by basic
 * operations alone, without contraction, so that every host gives the same
 * bits, whatever its libm.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/sm75-alu.h"
#include "model/sm75-fp16.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

enum {                          /* bits 77:74 */
    MUFU_COS, MUFU_SIN, MUFU_EX2, MUFU_LG2, MUFU_RCP, MUFU_RSQ, MUFU_RCP64H,
    MUFU_RSQ64H, MUFU_SQRT, MUFU_TANH, MUFU_COUNT,
};

static double from_bits(uint64_t u)
{
    union { uint64_t u; double d; } v = { .u = u };

    return v.d;
}

static uint64_t to_bits(double d)
{
    union { double d; uint64_t u; } v = { .d = d };

    return v.u;
}

/*
 * c[0] + x * (c[1] + x * (...)), the even and the odd powers apart: the host
 * computes both at a time. n is even.
 */
static inline double polynomial(double x, const double *c, unsigned n)
{
    double x2 = x * x, even = c[n - 2], odd = c[n - 1];

    for (n -= 2; n; n -= 2) {
        even = even * x2 + c[n - 2];
        odd = odd * x2 + c[n - 1];
    }
    return even + x * odd;
}

/* e^x - 1 over x, and the even and odd series of sine and cosine: Taylor's. */
static const double exp_series[] = {
    1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040,
    1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800,
    1.0 / 479001600, 1.0 / 6227020800, 1.0 / 87178291200,
};
static const double sin_series[] = {
    1.0, -1.0 / 6, 1.0 / 120, -1.0 / 5040, 1.0 / 362880, -1.0 / 39916800,
    1.0 / 6227020800, -1.0 / 1307674368000,
};
static const double cos_series[] = {
    1.0, -1.0 / 2, 1.0 / 24, -1.0 / 720, 1.0 / 40320, -1.0 / 3628800,
    1.0 / 479001600, -1.0 / 87178291200, 1.0 / 20922789888000,
    -1.0 / 6402373705728000,
};
/* atanh(x) / x in x^2 */
static const double atanh_series[] = {
    1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13, 1.0 / 15,
    1.0 / 17, 1.0 / 19, 1.0 / 21, 1.0 / 23,
};

static const double ln2 = 0.6931471805599453;

/* As floor(), which not every host has as an instruction. */
static double floor_of(double x)
{
    double t;

    if (!(fabs(x) < 0x1p52)) {
        return x;
    }
    t = (double)(int64_t)x;
    return t > x ? t - 1 : t;
}

/* 2^n for the exponents of doubles. */
static double power_of_two(int n)
{
    return from_bits((uint64_t)(n + 1023) << 52);
}

static double exp2_of(double x)
{
    double n, f;

    if (x >= 1000) {
        return INFINITY;
    }
    if (x <= -1000) {
        return 0;
    }
    n = floor_of(x + 0.5);
    f = (x - n) * ln2;
    return (1.0 + f * polynomial(f, exp_series, G_N_ELEMENTS(exp_series))) *
           power_of_two((int)n);
}

/* x is positive, finite and normal. */
static double log2_of(double x)
{
    uint64_t u = to_bits(x);
    int exponent = (int)(u >> 52) - 1023;
    double m = from_bits((u & ((UINT64_C(1) << 52) - 1)) |
                         UINT64_C(1023) << 52);
    double s;

    /* m around 1, so that the series is short and log2(1) is 0. */
    if (m > 1.4142135623730951) {
        m *= 0.5;
        exponent++;
    }
    s = (m - 1.0) / (m + 1.0);
    return exponent + 2.0 / ln2 * s *
           polynomial(s * s, atanh_series, G_N_ELEMENTS(atanh_series));
}

#define QUARTER (1u << 23)      /* of a revolution */

/*
 * The sine of x >= 0 revolutions; quarter 1 makes it the cosine. As GH100 has
 * it: 25 bits of the argument's fraction, the rest cut off; in quarters that
 * are walked backwards all bits of the way are inverted, which leaves it one
 * unit short; a zero has the sign of its half.
 */
static double sine_of(double x, unsigned quarter)
{
    uint32_t turns = (uint32_t)((x - floor_of(x)) * (4 * QUARTER));
    uint32_t way = turns % QUARTER;
    double t, t2;

    quarter += turns / QUARTER;
    way = quarter & 1 ? QUARTER - 1 - way : way;
    /* From the nearer end, where the series are exact enough. */
    t = (way < QUARTER / 2 ? way : QUARTER - way) *
        (6.283185307179586 / (4 * QUARTER));
    t2 = t * t;
    t = way < QUARTER / 2
      ? t * polynomial(t2, sin_series, G_N_ELEMENTS(sin_series))
      : polynomial(t2, cos_series, G_N_ELEMENTS(cos_series));
    return quarter & 2 ? -t : t;
}

static double tanh_of(double x)
{
    double a = fabs(x), e, t;

    if (a < 1.0 / 512) {
        t = a - a * a * a / 3;
    } else if (a > 20) {
        t = 1;
    } else {
        e = exp2_of(a * (-2.0 / ln2));
        t = (1 - e) / (1 + e);
    }
    return copysign(t, x);
}

static uint32_t flush(uint32_t v)
{
    return v & 0x7f800000 ? v : v & 0x80000000;
}

static uint32_t mufu32(unsigned op, uint32_t word)
{
    union { uint32_t u; float f; } v = { .u = word };
    double x;

    /* EX2, SIN and COS give the same for a denormal as for 0. */
    v.u = op == MUFU_TANH ? v.u : flush(v.u);
    x = v.f;
    if (isnan(x)) {
        return 0x7fffffff;
    }
    switch (op) {
    case MUFU_COS:
    case MUFU_SIN:
        v.f = isinf(x) ? NAN : (float)sine_of(fabs(x), op == MUFU_COS);
        if (op == MUFU_SIN && signbit(x)) {
            v.f = -v.f;
        }
        break;
    case MUFU_EX2:
        v.f = (float)exp2_of(x);
        v.u = flush(v.u);
        break;
    case MUFU_LG2:
        v.f = x < 0 ? NAN : x == 0 ? -INFINITY : isinf(x) ? INFINITY
            : (float)log2_of(x);
        break;
    case MUFU_RCP:
        v.f = (float)(1.0 / x);
        v.u = flush(v.u);
        break;
    case MUFU_RSQ:
        /* -0 gives -inf: the sign survives as in IEEE's rSqrt. */
        v.f = x < 0 ? NAN : (float)(1.0 / sqrt(x));
        break;
    case MUFU_SQRT:
        v.f = x < 0 ? NAN : (float)sqrt(x);
        break;
    case MUFU_TANH:
        v.f = (float)tanh_of(x);
        break;
    }
    return isnan(v.f) ? 0x7fffffff : v.u;
}

/* The high words of doubles: low words are 0, and cut off. */
static uint32_t mufu64(unsigned op, uint32_t high)
{
    double x = from_bits((uint64_t)high << 32), r;

    if (!(high & 0x7ff00000)) {
        x = copysign(0.0, x);
    }
    if (op == MUFU_RCP64H) {
        r = 1.0 / x;
    } else {
        r = x < 0 ? NAN : 1.0 / sqrt(x);
    }
    if (isnan(r)) {
        return 0x7fffffff;
    }
    if (fabs(r) < DBL_MIN) {
        r = copysign(0.0, r);
    }
    return to_bits(r) >> 32;
}

/* .F16: of one half (select: the upper one), to a half. */
static uint32_t mufu16(unsigned op, uint32_t word, bool select,
                       unsigned signs)
{
    uint16_t h = word >> (select ? 16 : 0);
    union { float f; uint32_t u; } v;

    h = signs & SM75_ABS_B ? h & 0x7fff : h;
    h = signs & SM75_NEG_B ? h ^ 0x8000 : h;
    v.f = sm75_half_to_float(h);
    v.u = mufu32(op, v.u);
    return sm75_double_to_half(v.f, 0);
}

/* sub[0] signs, sub[1] function, sub[2] .F16, sub[3] its upper half */
static Sm75Next exec_mufu(Sm75Warp *w, const Sm75Insn *i)
{
    bool wide = i->sub[1] == MUFU_RCP64H || i->sub[1] == MUFU_RSQ64H;
    uint32_t clear = i->sub[0] & SM75_ABS_B ? 0x80000000 : 0;
    uint32_t flip = i->sub[0] & SM75_NEG_B ? 0x80000000 : 0;
    Sm75Vec tmp, out;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    out = w->r[i->dst_index];
    for (uint32_t todo = w->mask; todo; todo &= todo - 1) {
        unsigned n = __builtin_ctz(todo);
        uint32_t v = ((*s.b)[n] & ~clear) ^ flip;

        out[n] = i->sub[2] ? mufu16(i->sub[1], (*s.b)[n], i->sub[3], i->sub[0])
               : wide ? mufu64(i->sub[1], v) : mufu32(i->sub[1], v);
    }
    w->r[i->dst_index] = out;
    return SM75_NEXT;
}

bool sm75_decode_mufu(Sm75Insn *i)
{
    if (!sm75_operands(i, SM75_FORMS_B, SM75_B)) {
        return false;
    }
    i->sub[2] = sm75_bit(i, 73);
    i->sub[3] = i->sub[2] && i->form != SM75_FORM_IMM
              ? sm75_bits(i, 61, 60) : 0;
    i->sub[0] = sm75_signs(i, SM75_NEG_B | SM75_ABS_B);
    i->sub[1] = sm75_bits(i, 77, 74);
    i->exec = exec_mufu;
    i->cost = 2 * SM75_COST_LANES;
    return i->sub[1] < MUFU_COUNT && i->sub[3] < 2 &&
           !(i->sub[2] && (i->sub[1] == MUFU_RCP64H ||
                           i->sub[1] == MUFU_RSQ64H));
}

void sm75_print_mufu(const Sm75Insn *i, GString *out)
{
    static const char *const names[MUFU_COUNT] = {
        ".COS", ".SIN", ".EX2", ".LG2", ".RCP", ".RSQ", ".RCP64H", ".RSQ64H",
        ".SQRT", ".TANH",
    };

    bool wide = i->sub[1] == MUFU_RCP64H || i->sub[1] == MUFU_RSQ64H;
    const char *bar = i->sub[0] & SM75_ABS_B ? "|" : "";

    g_string_append(out, names[i->sub[1]]);
    g_string_append(out, i->sub[2] ? ".F16 " : " ");
    sm75_print_reg(out, i->dst);
    g_string_append_printf(out, ", %s%s", i->sub[0] & SM75_NEG_B ? "-" : "",
                           bar);
    sm75_print_src(i, out, SM75_B, "", false,
                   i->sub[2] ? SM75_IMM_F16 : wide ? SM75_IMM_F64
                   : SM75_IMM_F32);
    g_string_append(out, i->sub[3] ? ".H1" : "");
    g_string_append(out, bar);
}
