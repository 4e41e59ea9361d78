/*
 * sm_75 double-precision instructions on pairs of registers: exec-facts 8.2.
 * A NaN among the operands is the result, made quiet, with the sign that it has
 * in its register, whatever the modifiers. Of several it is the second operand's,
 * then the third's, then the first's (GH100 silicon has shown that of DADD's two
 * and of DFMA's last two). A NaN of numbers is the hardware's,
 * 0xfff8000000000000.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <fenv.h>
#include <math.h>
#include "model/sm75-alu.h"
#include "model/sm75-double.h"

#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

#define USES_AB (SM75_A | SM75_B)
#define USES_ABC (SM75_A | SM75_B | SM75_C)
#define SIGNS_AB (SM75_NEG_A | SM75_ABS_A | SM75_NEG_B | SM75_ABS_B)
#define SIGNS_ABC (SIGNS_AB | SM75_NEG_C | SM75_ABS_C)

/* An operand: a pair of vectors, or one value. */
typedef struct Pair {
    const Sm75Vec *low, *high;
    bool wide;
    uint64_t word;
    unsigned signs;
} Pair;

static Pair pair(const Sm75Warp *w, unsigned r, unsigned signs)
{
    return (Pair){ &w->r[r], &w->r[sm75_pair_high(r)], .signs = signs };
}

static double lane(const Pair *p, unsigned n)
{
    uint64_t u = p->wide ? p->word
               : (*p->low)[n] | (uint64_t)(*p->high)[n] << 32;

    if (isnan(sm75_as_double(u))) {
        return sm75_as_double(u);
    }
    u &= p->signs & SM75_ABS_A ? ~(UINT64_C(1) << 63) : ~UINT64_C(0);
    u ^= p->signs & SM75_NEG_A ? UINT64_C(1) << 63 : 0;
    return sm75_as_double(u);
}

/* sub[0]: signs */
static bool fetch(Sm75Warp *w, const Sm75Insn *i, Pair p[3])
{
    p[0] = pair(w, i->a, i->sub[0]);
    p[1] = pair(w, i->b, i->sub[0] >> 2);
    p[2] = pair(w, i->c, i->sub[0] >> 4);
    if (i->wide) {
        Pair *x = &p[i->wide == SM75_B ? 1 : 2];

        x->wide = true;
        return sm75_wide64(w, i, &x->word);
    }
    return true;
}

/* The bits of a result of x, y and z, of which those in uses count. */
static uint64_t result_bits(double r, double x, double y, double z,
                            unsigned uses)
{
    union { double d; uint64_t u; } v;

    if (!isnan(r)) {
        return sm75_from_double(r);
    }
    v.d = isnan(y) ? y : uses & SM75_C && isnan(z) ? z : x;
    return isnan(v.d) ? sm75_quiet(v.u) : sm75_from_double(r);
}

/*
 * expr of x, y, z in the rounding mode sub[1]. The operands are read after
 * the mode has changed, and the result is stored before it changes back.
 */
#define ARITHMETIC(name, uses, expr) \
static Sm75Next exec_##name(Sm75Warp *w, const Sm75Insn *i) \
{ \
    Sm75Vec low = w->r[i->dst_index]; \
    Sm75Vec high = w->r[sm75_pair_dst(i->dst_index)]; \
    volatile double x, y, z, r; /* in that mode, no sooner or later */ \
    Pair p[3]; \
 \
    if (!fetch(w, i, p)) { \
        return SM75_FAULT; \
    } \
    if (i->sub[1]) { \
        fesetround(sm75_host_rounding[i->sub[1]]); \
    } \
    for (uint32_t todo = w->mask; todo; todo &= todo - 1) { \
        unsigned n = __builtin_ctz(todo); \
        uint64_t u; \
 \
        x = lane(&p[0], n); \
        y = lane(&p[1], n); \
        z = lane(&p[2], n); \
        r = (expr); \
        u = result_bits(r, x, y, z, uses); \
        low[n] = u; \
        high[n] = u >> 32; \
    } \
    if (i->sub[1]) { \
        fesetround(FE_TONEAREST); \
    } \
    w->r[i->dst_index] = low; \
    w->r[sm75_pair_dst(i->dst_index)] = high; \
    return SM75_NEXT; \
}

ARITHMETIC(dadd, USES_AB, x + y)
ARITHMETIC(dmul, USES_AB, x * y)
ARITHMETIC(dfma, USES_ABC, fma(x, y, z))

/* Register operands start aligned pairs; UR operands too. */
static bool pairs_aligned(const Sm75Insn *i)
{
    return sm75_pair(i->a) && sm75_pair(i->b) && sm75_pair(i->c);
}

static bool decode_arithmetic(Sm75Insn *i, unsigned forms, unsigned uses,
                              unsigned signs)
{
    if (!sm75_operands(i, forms, uses) || !sm75_pair(i->dst) ||
        !pairs_aligned(i)) {
        return false;
    }
    i->n_dst = i->n_a = i->n_b = i->n_c = 2;
    i->sub[0] = sm75_signs(i, signs);
    i->sub[1] = sm75_bits(i, 79, 78);
    return true;
}

static bool decode_dadd(Sm75Insn *i)
{
    i->exec = exec_dadd;
    if (!decode_arithmetic(i, SM75_FORMS_C, USES_AB | SM75_B_IN_C, SIGNS_AB)) {
        return false;
    }
    if (i->form == SM75_FORM_REG) {
        /* The second source lies where C does, and so do its signs. */
        i->sub[0] = (i->sub[0] & (SM75_NEG_A | SM75_ABS_A)) |
                    (sm75_bit(i, 75) ? SM75_NEG_B : 0) |
                    (sm75_bit(i, 74) ? SM75_ABS_B : 0);
    }
    return true;
}

static bool decode_dmul(Sm75Insn *i)
{
    i->exec = exec_dmul;
    return decode_arithmetic(i, SM75_FORMS_B, USES_AB, SIGNS_AB);
}

static bool decode_dfma(Sm75Insn *i)
{
    i->exec = exec_dfma;
    return decode_arithmetic(i, SM75_FORMS_B | SM75_FORMS_C, USES_ABC,
                             SIGNS_ABC);
}

static void print_operands(const Sm75Insn *i, GString *out, unsigned uses)
{
    for (unsigned which = SM75_A; which <= SM75_C; which <<= 1) {
        if (uses & which) {
            sm75_print_operand(i, out, which, i->sub[0], "-", SM75_IMM_F64);
        }
    }
}

static void print_dst(const Sm75Insn *i, GString *out)
{
    g_string_append(out, sm75_round_names[i->sub[1]]);
    g_string_append_c(out, ' ');
    sm75_print_reg(out, i->dst);
}

static void print_dadd(const Sm75Insn *i, GString *out)
{
    print_dst(i, out);
    print_operands(i, out, USES_AB);
}

static void print_dfma(const Sm75Insn *i, GString *out)
{
    print_dst(i, out);
    print_operands(i, out, USES_ABC);
}

/* ---- DSETP ---- */

enum { DSETP_MIN = 0, DSETP_MAX = 15 };

/* -0 is below +0. */
static bool at_most(double x, double y)
{
    return x < y || (x == y && (signbit(x) || !signbit(y)));
}

/*
 * sub[2] combine, sub[3] comparison. MIN and MAX, of which compilers make
 * minima: the first predicate says that a is the one, the second that none of
 * them is a number. Of two that are equal, MIN says a and MAX says b (GH100
 * silicon).
 */
static Sm75Next exec_dsetp(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t r = 0, second = 0, accum;
    unsigned op = i->sub[3];
    Pair p[3];

    if (!fetch(w, i, p)) {
        return SM75_FAULT;
    }
    for (unsigned n = 0; n < SM75_LANES; n++) {
        double x = lane(&p[0], n), y = lane(&p[1], n);
        bool nan = isnan(x) || isnan(y), hit;

        if (op == DSETP_MIN || op == DSETP_MAX) {
            hit = nan ? !isnan(x) : at_most(x, y) == (op == DSETP_MIN);
            second |= (uint32_t)(isnan(x) && isnan(y)) << n;
        } else {
            hit = nan ? op & 8 : x < y ? op & 1 : x == y ? op & 2 : op & 4;
        }
        r |= (uint32_t)hit << n;
    }
    if (op != DSETP_MIN && op != DSETP_MAX) {
        second = ~r;
    }
    accum = sm75_pvalue(w, i->psrc, i->psrc_not);
    sm75_set_pred(w, i->pdst2, sm75_combine(i->sub[2], second, accum));
    sm75_set_pred(w, i->pdst, sm75_combine(i->sub[2], r, accum));
    return SM75_NEXT;
}

static bool decode_dsetp(Sm75Insn *i)
{
    if (!sm75_operands(i, SM75_FORMS_C, USES_AB) || !pairs_aligned(i)) {
        return false;
    }
    i->n_dst = 0;
    i->n_a = i->n_b = i->n_c = 2;
    i->sub[0] = sm75_signs(i, SIGNS_AB);
    i->sub[2] = sm75_bits(i, 75, 74);
    i->sub[3] = sm75_bits(i, 79, 76);
    i->pdst = sm75_pdst(i, 81);
    i->pdst2 = sm75_pdst(i, 84);
    sm75_psrc(i);
    i->exec = exec_dsetp;
    return i->sub[2] < 3;
}

static void print_dsetp(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[3] == DSETP_MIN ? ".MIN"
                         : i->sub[3] == DSETP_MAX ? ".MAX"
                         : sm75_float_cmp_names[i->sub[3]]);
    g_string_append(out, sm75_combine_names[i->sub[2]]);
    g_string_append_c(out, ' ');
    sm75_print_pred(out, i->pdst, false);
    sm75_print_psrc(out, i->pdst2, false);
    print_operands(i, out, USES_AB);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
}

static const Sm75Op ops[] = {
    { "DMUL", 0x028, true, decode_dmul, print_dadd },
    { "DADD", 0x029, true, decode_dadd, print_dadd },
    { "DSETP", 0x02a, true, decode_dsetp, print_dsetp },
    { "DFMA", 0x02b, true, decode_dfma, print_dfma },
};

const Sm75Table sm75_table_double = { ops, G_N_ELEMENTS(ops) };
