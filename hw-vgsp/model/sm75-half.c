/*
 * sm_75 half-precision instructions, two halves a register: exec-facts 8.2 and
 * NVIDIA's nvdisasm for the operands' halves. Sums are exact, or rounded to
 * odd, in double precision, and rounded once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-alu.h"
#include "model/sm75-double.h"
#include "model/sm75-fp16.h"

#define USES_AB (SM75_A | SM75_B)
#define USES_ABC (SM75_A | SM75_B | SM75_C)

enum {                          /* what of an operand stands for the halves */
    SWIZZLE_H1_H0, SWIZZLE_F32, SWIZZLE_H0_H0, SWIZZLE_H1_H1,
};

enum { FLAG_FTZ = 1, FLAG_SAT = 2, FLAG_FMZ = 4, FLAG_F32 = 8 };

#define SM75_VARIANT_FILE "model/sm75-half.c.inc"
#include "model/sm75-variants.h"

/* sub[0] signs; sub[1] swizzles, two bits each; sub[2] flags */
static void decode_operands_mods(Sm75Insn *i, bool fma)
{
    /* Of what lies in 63:32, in 71:64, and of a. */
    unsigned low = sm75_bits(i, 61, 60), high = sm75_bits(i, 82, 81);
    unsigned low_signs = sm75_bit(i, 63) | sm75_bit(i, 62) << 1;
    unsigned high_signs = fma ? sm75_bit(i, 84) | sm75_bit(i, 83) << 1 : 0;
    bool swapped = i->wide == SM75_C;

    if (i->wide && i->wide_kind == SM75_WIDE_IMM) {
        low = SWIZZLE_H1_H0;
        low_signs = 0;
    }
    i->sub[0] = sm75_bit(i, 72) | sm75_bit(i, 73) << 1 |
                (swapped ? high_signs : low_signs) << 2 |
                (swapped ? low_signs : high_signs) << 4;
    i->sub[1] = sm75_bits(i, 75, 74) | (swapped ? high : low) << 2 |
                (swapped ? low : high) << 4;
}

/* Operand which (0, 1, 2) for one half of the result. */
static double operand(const Sm75Insn *i, unsigned which, uint32_t word,
                      unsigned half)
{
    unsigned swizzle = i->sub[1] >> 2 * which & 3;
    unsigned signs = i->sub[0] >> 2 * which & 3;
    uint16_t h;
    double d;

    switch (swizzle) {
    case SWIZZLE_F32:
        d = sm75_as_float(i->sub[2] & FLAG_FTZ ? sm75_flush(word) : word);
        break;
    default:
        h = word >> (swizzle == SWIZZLE_H1_H1 ||
                     (swizzle == SWIZZLE_H1_H0 && half) ? 16 : 0);
        if (i->sub[2] & FLAG_FTZ && !(h & 0x7c00)) {
            h &= 0x8000;
        }
        d = sm75_half_to_float(h);
        break;
    }
    d = signs & SM75_ABS_A ? fabs(d) : d;
    return signs & SM75_NEG_A ? -d : d;
}

/*
 * p + c. Where a double does not hold the sum its last bit becomes odd, so
 * that rounding it again to fewer bits gives what rounding the sum gives.
 */
static double add_odd(double p, double c)
{
    union { double d; uint64_t u; } s = { .d = p + c };
    double t = s.d - p;
    double lost = (p - (s.d - t)) + (c - t);

    if (isfinite(s.d) && lost != 0 && !(s.u & 1)) {
        s.u += (lost > 0) == (s.d > 0) ? 1 : -1;
    }
    return s.d;
}

/* One half, or all 32 bits with .F32. */
static uint32_t result(const Sm75Insn *i, double d)
{
    uint32_t r;

    if (i->sub[2] & FLAG_SAT) {
        d = d > 0 ? d < 1 ? d : 1 : 0;
    }
    if (i->sub[2] & FLAG_F32) {
        r = sm75_from_float((float)d);
        return i->sub[2] & FLAG_FTZ ? sm75_flush(r) : r;
    }
    r = sm75_double_to_half(d, 0);
    return i->sub[2] & FLAG_FTZ && !(r & 0x7c00) ? r & 0x8000 : r;
}

#define ARITHMETIC(name, expr) \
static Sm75Next exec_##name(Sm75Warp *w, const Sm75Insn *i) \
{ \
    Sm75Vec tmp, out; \
    Sm75Src s; \
 \
    if (!sm75_fetch(w, i, &s, &tmp)) { \
        return SM75_FAULT; \
    } \
    out = w->r[i->dst_index]; \
    for (uint32_t todo = w->mask; todo; todo &= todo - 1) { \
        unsigned n = __builtin_ctz(todo); \
        uint32_t r[2]; \
 \
        for (unsigned half = 0; half < 2; half++) { \
            double a = operand(i, 0, (*s.a)[n], half); \
            double b = operand(i, 1, (*s.b)[n], half); \
            double c = operand(i, 2, (*s.c)[n], half); \
 \
            (void)c; \
            r[half] = result(i, expr); \
        } \
        out[n] = i->sub[2] & FLAG_F32 ? r[0] : r[0] | r[1] << 16; \
    } \
    w->r[i->dst_index] = out; \
    return SM75_NEXT; \
}

/* .FMZ: zero times anything is +0. */
static double product(const Sm75Insn *i, double a, double b)
{
    return i->sub[2] & FLAG_FMZ && (a == 0 || b == 0) ? 0 : a * b;
}

ARITHMETIC(hadd2, add_odd(a, b))
ARITHMETIC(hmul2, product(i, a, b))
ARITHMETIC(hfma2, add_odd(product(i, a, b), c))

static bool decode_arithmetic(Sm75Insn *i, unsigned forms, unsigned uses,
                              bool has_fmz)
{
    bool fmz = has_fmz && sm75_bit(i, 76);

    if (!sm75_operands(i, forms, uses) || (fmz && sm75_bit(i, 80))) {
        return false;
    }
    decode_operands_mods(i, uses & SM75_C);
    i->sub[2] = (sm75_bit(i, 80) || fmz ? FLAG_FTZ : 0) |
                (sm75_bit(i, 77) ? FLAG_SAT : 0) | (fmz ? FLAG_FMZ : 0) |
                (sm75_bit(i, 78) ? FLAG_F32 : 0);
    return true;
}

/* Whether no operand is single precision. */
static bool all_halves(const Sm75Insn *i, unsigned count)
{
    for (unsigned n = 0; n < count; n++) {
        if ((i->sub[1] >> 2 * n & 3) == SWIZZLE_F32) {
            return false;
        }
    }
    return true;
}

static bool decode_hadd2(Sm75Insn *i)
{
    if (!decode_arithmetic(i, SM75_FORMS_C, USES_AB, false)) {
        return false;
    }
    i->exec = all_halves(i, 2) ? SM75_PICK(hadd2_halves) : exec_hadd2;
    i->cost = all_halves(i, 2) ? SM75_COST_LANES : SM75_COST_LANES_SLOW;
    return true;
}

static bool decode_hmul2(Sm75Insn *i)
{
    if (!decode_arithmetic(i, SM75_FORMS_B, USES_AB, true)) {
        return false;
    }
    i->exec = all_halves(i, 2) ? SM75_PICK(hmul2_halves) : exec_hmul2;
    i->cost = all_halves(i, 2) ? SM75_COST_LANES : SM75_COST_LANES_SLOW;
    return true;
}

static bool decode_hfma2(Sm75Insn *i)
{
    if (!decode_arithmetic(i, SM75_FORMS_B | SM75_FORMS_C, USES_ABC, true)) {
        return false;
    }
    i->exec = all_halves(i, 3) ? SM75_PICK(hfma2_halves) : exec_hfma2;
    i->cost = all_halves(i, 3) ? SM75_COST_LANES : SM75_COST_LANES_SLOW;
    return true;
}

static void print_operand(const Sm75Insn *i, GString *out, unsigned which)
{
    static const char *const names[4] = { "", ".F32", ".H0_H0", ".H1_H1" };
    unsigned n = which == SM75_A ? 0 : which == SM75_B ? 1 : 2;
    unsigned signs = i->sub[0] >> 2 * n & 3;
    const char *swizzle = names[i->sub[1] >> 2 * n & 3];
    const char *bar = signs & SM75_ABS_A ? "|" : "";
    bool inside = i->wide == which;

    g_string_append_printf(out, ", %s%s", signs & SM75_NEG_A ? "-" : "", bar);
    sm75_print_src(i, out, which, "", false, SM75_IMM_F16X2);
    g_string_append_printf(out, "%s%s%s", inside ? swizzle : "", bar,
                           inside ? "" : swizzle);
}

static void print_arithmetic(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[2] & FLAG_F32 ? ".F32" : "");
    g_string_append(out, i->sub[2] & FLAG_FMZ ? ".FMZ"
                         : i->sub[2] & FLAG_FTZ ? ".FTZ" : "");
    g_string_append(out, i->sub[2] & FLAG_SAT ? ".SAT" : "");
    g_string_append_c(out, ' ');
    sm75_print_reg(out, i->dst);
    print_operand(i, out, SM75_A);
    print_operand(i, out, SM75_B);
    if (sm75_bits(i, 8, 0) == 0x31) {
        print_operand(i, out, SM75_C);
    }
}

/* ---- HSET2, HSETP2 ---- */

/* Lanes in which the comparison sub[4] holds for the low and high halves. */
static bool compare(Sm75Warp *w, const Sm75Insn *i, uint32_t out[2])
{
    unsigned op = i->sub[4];
    Sm75Vec tmp;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return false;
    }
    out[0] = out[1] = 0;
    for (unsigned n = 0; n < SM75_LANES; n++) {
        for (unsigned half = 0; half < 2; half++) {
            double a = operand(i, 0, (*s.a)[n], half);
            double b = operand(i, 1, (*s.b)[n], half);
            bool hit = isnan(a) || isnan(b) ? op & 8 : a < b ? op & 1
                     : a == b ? op & 2 : op & 4;

            out[half] |= (uint32_t)hit << n;
        }
    }
    return true;
}

/* sub[3] combine, sub[5] .BF: 1.0 instead of all ones */
static Sm75Next exec_hset2(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t r[2], accum = sm75_pvalue(w, i->psrc, i->psrc_not);
    uint32_t one = i->sub[5] ? 0x3c00 : 0xffff;
    Sm75Vec out;

    if (!compare(w, i, r)) {
        return SM75_FAULT;
    }
    r[0] = sm75_combine(i->sub[3], r[0], accum);
    r[1] = sm75_combine(i->sub[3], r[1], accum);
    out = (sm75_lanes(r[0]) & one) | (sm75_lanes(r[1]) & one << 16);
    sm75_set(w, i->dst_index, &out);
    return SM75_NEXT;
}

/*
 * A predicate for each half; sub[5] .H_AND: for both, and the complement, as
 * other comparisons have it.
 */
static Sm75Next exec_hsetp2(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t r[2], accum = sm75_pvalue(w, i->psrc, i->psrc_not);

    if (!compare(w, i, r)) {
        return SM75_FAULT;
    }
    if (i->sub[5]) {
        r[0] &= r[1];
        r[1] = ~r[0];
    }
    sm75_set_pred(w, i->pdst2, sm75_combine(i->sub[3], r[1], accum));
    sm75_set_pred(w, i->pdst, sm75_combine(i->sub[3], r[0], accum));
    return SM75_NEXT;
}

static bool decode_compare(Sm75Insn *i)
{
    if (!sm75_operands(i, SM75_FORMS_C, USES_AB)) {
        return false;
    }
    decode_operands_mods(i, false);
    i->sub[2] = sm75_bit(i, 80) ? FLAG_FTZ : 0;
    i->sub[3] = sm75_bits(i, 70, 69);
    i->sub[4] = sm75_bits(i, 79, 76);
    i->sub[5] = sm75_bit(i, 71);
    i->pdst = sm75_pdst(i, 81);
    i->pdst2 = sm75_pdst(i, 84);
    sm75_psrc(i);
    return i->sub[3] < 3;
}

static bool decode_hset2(Sm75Insn *i)
{
    i->exec = exec_hset2;
    return decode_compare(i);
}

static bool decode_hsetp2(Sm75Insn *i)
{
    i->exec = exec_hsetp2;
    i->n_dst = 0;
    return decode_compare(i);
}

static void print_compare(const Sm75Insn *i, GString *out)
{
    g_string_append(out, sm75_float_cmp_names[i->sub[4]]);
    g_string_append(out, i->exec == exec_hsetp2 && i->sub[5] ? ".H_AND" : "");
    g_string_append(out, i->sub[2] & FLAG_FTZ ? ".FTZ" : "");
    g_string_append(out, sm75_combine_names[i->sub[3]]);
    g_string_append_c(out, ' ');
}

static void print_hset2(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[5] ? ".BF" : "");
    print_compare(i, out);
    sm75_print_reg(out, i->dst);
    print_operand(i, out, SM75_A);
    print_operand(i, out, SM75_B);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
}

static void print_hsetp2(const Sm75Insn *i, GString *out)
{
    print_compare(i, out);
    sm75_print_pred(out, i->pdst, false);
    sm75_print_psrc(out, i->pdst2, false);
    print_operand(i, out, SM75_A);
    print_operand(i, out, SM75_B);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
}

static const Sm75Op ops[] = {
    { "HADD2", 0x030, true, decode_hadd2, print_arithmetic },
    { "HFMA2", 0x031, true, decode_hfma2, print_arithmetic },
    { "HMUL2", 0x032, true, decode_hmul2, print_arithmetic },
    { "HSET2", 0x033, true, decode_hset2, print_hset2 },
    { "HSETP2", 0x034, true, decode_hsetp2, print_hsetp2 },
};

const Sm75Table sm75_table_half = { ops, G_N_ELEMENTS(ops) };
