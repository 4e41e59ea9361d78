/*
 * sm_75 single-precision instructions: exec-facts 8.2. One rounding each; the
 * host's floating point must be IEEE 754 and is used in its default mode.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-double.h"

#define SM75_VARIANT_FILE "model/sm75-float.c.inc"
#include "model/sm75-variants.h"

#define FORMS_ALL (SM75_FORMS_B | SM75_FORMS_C)
#define USES_AB (SM75_A | SM75_B)
#define USES_ABC (SM75_A | SM75_B | SM75_C)
#define SIGNS_AB (SM75_NEG_A | SM75_ABS_A | SM75_NEG_B | SM75_ABS_B)
#define SIGNS_ABC (SIGNS_AB | SM75_NEG_C | SM75_ABS_C)

/*
 * An arithmetic instruction in another rounding mode. exec is not inline and
 * reads its operands from memory, so none of it can leave the two calls.
 */
static Sm75Next rounded(Sm75Warp *w, const Sm75Insn *i, Sm75Exec *exec)
{
    Sm75Next next;

    fesetround(sm75_host_rounding[i->sub[4]]);
    next = exec(w, i);
    fesetround(FE_TONEAREST);
    return next;
}

static Sm75Next exec_fadd_rounded(Sm75Warp *w, const Sm75Insn *i)
{
    return rounded(w, i, SM75_PICK(fadd_any));
}

static Sm75Next exec_fmul_rounded(Sm75Warp *w, const Sm75Insn *i)
{
    return rounded(w, i, SM75_PICK(fmul_any));
}

static Sm75Next exec_ffma_rounded(Sm75Warp *w, const Sm75Insn *i)
{
    return rounded(w, i, SM75_PICK(ffma_any));
}

static uint32_t apply_sign(uint32_t v, unsigned signs)
{
    v = signs & SM75_ABS_A ? v & 0x7fffffff : v;
    return signs & SM75_NEG_A ? v ^ 0x80000000 : v;
}

static uint32_t saturate(uint32_t v)
{
    float f = sm75_as_float(v);

    return f >= 1.0f ? 0x3f800000 : f > 0.0f ? v : 0;
}

/* ---- FADD, FMUL, FFMA ---- */

/* sub[0] signs, [1] .FTZ, [2] .SAT, [3] .FMZ, [4] rounding, [5] scale */
static bool decode_arithmetic(Sm75Insn *i, unsigned forms, unsigned uses,
                              unsigned signs)
{
    if (!sm75_operands(i, forms, uses) || (sm75_bit(i, 80) && i->sub[3])) {
        return false;
    }
    i->sub[0] = sm75_signs(i, signs);
    i->sub[1] = sm75_bit(i, 80) || i->sub[3];
    i->sub[2] = sm75_bit(i, 77);
    i->sub[4] = sm75_bits(i, 79, 78);
    i->cost = i->sub[4] ? SM75_COST_LANES : i->cost;
    return true;
}

/* The instance of exec_name that this instruction needs. */
#define ARITHMETIC_EXEC(name) \
    (i->sub[4] ? exec_##name##_rounded \
     : i->sub[0] || i->sub[2] || i->sub[3] ? SM75_PICK(name##_any) \
     : i->sub[1] ? SM75_PICK(name##_ftz) : SM75_PICK(name))

static bool decode_fadd(Sm75Insn *i)
{
    if (!decode_arithmetic(i, SM75_FORMS_C, USES_AB, SIGNS_AB)) {
        return false;
    }
    i->exec = ARITHMETIC_EXEC(fadd);
    return true;
}

/* FMUL.D2 and so on: the product times a power of two, rounded once. */
static __attribute__((noinline))
Sm75Next exec_fmul_scaled_any(Sm75Warp *w, const Sm75Insn *i)
{
    static const double scales[8] = { 1, 0.125, 0.25, 0.5, 1, 2, 4, 8 };
    Sm75Vec tmp, out;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    for (unsigned n = 0; n < SM75_LANES; n++) {
        uint32_t a = apply_sign((*s.a)[n], i->sub[0]);
        uint32_t b = apply_sign((*s.b)[n], i->sub[0] >> 2);
        float x = sm75_as_float(i->sub[1] ? sm75_flush(a) : a);
        float y = sm75_as_float(i->sub[1] ? sm75_flush(b) : b);
        uint32_t r;

        if (i->sub[3] && (x == 0 || y == 0)) {
            x = y = 0;
        }
        /* 48 bits at most: only the conversion rounds. */
        r = sm75_from_float((float)((double)x * y * scales[i->sub[5]]));
        r = i->sub[1] ? sm75_flush(r) : r;
        out[n] = i->sub[2] ? saturate(r) : r;
    }
    sm75_set(w, i->dst_index, &out);
    return SM75_NEXT;
}

static Sm75Next exec_fmul_scaled(Sm75Warp *w, const Sm75Insn *i)
{
    return rounded(w, i, exec_fmul_scaled_any);
}

static bool decode_fmul(Sm75Insn *i)
{
    i->sub[3] = sm75_bit(i, 76);
    i->sub[5] = sm75_bits(i, 86, 84);
    if (!decode_arithmetic(i, SM75_FORMS_B, USES_AB, SIGNS_AB)) {
        return false;
    }
    i->exec = i->sub[5] == 4 ? ARITHMETIC_EXEC(fmul) : exec_fmul_scaled;
    i->cost = i->sub[5] == 4 ? i->cost : SM75_COST_LANES;
    return i->sub[5] != 0;
}

static bool decode_ffma(Sm75Insn *i)
{
    i->sub[3] = sm75_bit(i, 76);
    if (!decode_arithmetic(i, FORMS_ALL, USES_ABC, SIGNS_ABC)) {
        return false;
    }
    i->exec = ARITHMETIC_EXEC(ffma);
    return true;
}

static void print_dst(const Sm75Insn *i, GString *out)
{
    g_string_append_c(out, ' ');
    sm75_print_reg(out, i->dst);
}

static void print_sources(const Sm75Insn *i, GString *out, unsigned uses)
{
    for (unsigned which = SM75_A; which <= SM75_C; which <<= 1) {
        if (uses & which) {
            sm75_print_operand(i, out, which, i->sub[0], "-", SM75_IMM_F32);
        }
    }
}

static void print_arithmetic(const Sm75Insn *i, GString *out, unsigned uses)
{
    static const char *const scales[8] = {
        "", ".D8", ".D4", ".D2", "", ".M2", ".M4", ".M8",
    };

    g_string_append(out, i->sub[3] ? ".FMZ" : i->sub[1] ? ".FTZ" : "");
    g_string_append(out, scales[i->sub[5]]);
    g_string_append(out, sm75_round_names[i->sub[4]]);
    g_string_append(out, i->sub[2] ? ".SAT" : "");
    print_dst(i, out);
    print_sources(i, out, uses);
}

static void print_fadd(const Sm75Insn *i, GString *out)
{
    print_arithmetic(i, out, USES_AB);
}

static void print_ffma(const Sm75Insn *i, GString *out)
{
    print_arithmetic(i, out, USES_ABC);
}

/* ---- FMNMX, FSEL, FSET, FSETP, FCHK ---- */

/* sub[0] signs, sub[1] .FTZ */
static bool decode_ab(Sm75Insn *i)
{
    if (!sm75_operands(i, SM75_FORMS_B, USES_AB)) {
        return false;
    }
    i->sub[0] = sm75_signs(i, SIGNS_AB);
    i->sub[1] = sm75_bit(i, 80);
    sm75_psrc(i);
    return true;
}

static bool decode_fmnmx(Sm75Insn *i)
{
    i->exec = SM75_PICK(fmnmx);
    return decode_ab(i);
}

static bool decode_fsel(Sm75Insn *i)
{
    i->exec = SM75_PICK(fsel);
    return decode_ab(i);
}

static void print_select(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[1] ? ".FTZ" : "");
    print_dst(i, out);
    print_sources(i, out, USES_AB);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
}

/* And sub[2] combine, sub[3] comparison. */
static bool decode_fset(Sm75Insn *i)
{
    i->sub[2] = sm75_bits(i, 75, 74);
    i->sub[3] = sm75_bits(i, 79, 76);
    i->exec = SM75_PICK(fset);
    return decode_ab(i) && i->sub[2] < 3;
}

static bool decode_fsetp(Sm75Insn *i)
{
    i->sub[2] = sm75_bits(i, 75, 74);
    i->sub[3] = sm75_bits(i, 79, 76);
    i->pdst = sm75_pdst(i, 81);
    i->pdst2 = sm75_pdst(i, 84);
    i->exec = SM75_PICK(fsetp);
    i->n_dst = 0;
    return decode_ab(i) && i->sub[2] < 3;
}

static void print_compare(const Sm75Insn *i, GString *out)
{
    g_string_append(out, sm75_float_cmp_names[i->sub[3]]);
    g_string_append(out, i->sub[1] ? ".FTZ" : "");
    g_string_append(out, sm75_combine_names[i->sub[2]]);
}

static void print_fset(const Sm75Insn *i, GString *out)
{
    g_string_append(out, ".BF");
    print_compare(i, out);
    print_dst(i, out);
    print_sources(i, out, USES_AB);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
}

static void print_fsetp(const Sm75Insn *i, GString *out)
{
    print_compare(i, out);
    g_string_append_c(out, ' ');
    sm75_print_pred(out, i->pdst, false);
    sm75_print_psrc(out, i->pdst2, false);
    print_sources(i, out, USES_AB);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
}

/*
 * FCHK: whether a / b must not be computed from the reciprocal of b. Which
 * operands silicon refuses is not known. Refused here is what could leave the
 * normal numbers on the way; the slow path is right for every operand.
 */
static bool division_is_hard(uint32_t a, uint32_t b)
{
    int ea = a >> 23 & 255, eb = b >> 23 & 255;
    int eq = ea - eb;

    return ea < 25 || ea == 255 || eb < 2 || eb > 252 || eq < -124 || eq > 125;
}

static Sm75Next exec_fchk(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t r = 0;
    Sm75Vec tmp;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    for (unsigned n = 0; n < SM75_LANES; n++) {
        r |= (uint32_t)division_is_hard((*s.a)[n], (*s.b)[n]) << n;
    }
    sm75_set_pred(w, i->pdst, r);
    return SM75_NEXT;
}

static bool decode_fchk(Sm75Insn *i)
{
    i->pdst = sm75_pdst(i, 81);
    i->exec = exec_fchk;
    i->cost = SM75_COST_LANES;
    i->n_dst = 0;
    return decode_ab(i);
}

static void print_fchk(const Sm75Insn *i, GString *out)
{
    g_string_append_c(out, ' ');
    sm75_print_pred(out, i->pdst, false);
    print_sources(i, out, USES_AB);
}

/* ---- FSWZADD ---- */

/*
 * Two bits a lane of the quad, lane 0 in bits 7:6: the signs of a and b as
 * nvdisasm prints them, PP, PN, NP, ZP.
 */
static __attribute__((noinline))
Sm75Next exec_fswzadd_any(Sm75Warp *w, const Sm75Insn *i)
{
    const Sm75Vec *va = &w->r[i->a], *vc = &w->r[i->c];
    Sm75Vec out;

    for (unsigned n = 0; n < SM75_LANES; n++) {
        unsigned op = i->sub[0] >> 2 * (3 - (n & 3)) & 3;
        uint32_t a = op == 3 ? 0 : (*va)[n] ^ (op == 2 ? 0x80000000 : 0);
        uint32_t b = (*vc)[n] ^ (op == 1 ? 0x80000000 : 0);
        uint32_t r;

        if (i->sub[1]) {
            a = sm75_flush(a);
            b = sm75_flush(b);
        }
        r = sm75_from_float(sm75_as_float(a) + sm75_as_float(b));
        out[n] = i->sub[1] ? sm75_flush(r) : r;
    }
    sm75_set(w, i->dst_index, &out);
    return SM75_NEXT;
}

static Sm75Next exec_fswzadd(Sm75Warp *w, const Sm75Insn *i)
{
    return rounded(w, i, exec_fswzadd_any);
}

static bool decode_fswzadd(Sm75Insn *i)
{
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->a = sm75_bits(i, 31, 24);
    i->c = sm75_bits(i, 71, 64);
    i->sub[0] = sm75_bits(i, 39, 32);
    i->sub[1] = sm75_bit(i, 80);
    i->sub[4] = sm75_bits(i, 79, 78);
    i->exec = exec_fswzadd;
    i->cost = SM75_COST_LANES;
    return true;
}

static void print_fswzadd(const Sm75Insn *i, GString *out)
{
    static const char *const names[4] = { "PP", "PN", "NP", "ZP" };

    g_string_append(out, i->sub[1] ? ".FTZ" : "");
    g_string_append(out, sm75_round_names[i->sub[4]]);
    g_string_append(out, sm75_bit(i, 77) ? ".NDV" : "");
    print_dst(i, out);
    sm75_print_operand(i, out, SM75_A, 0, "", SM75_IMM_F32);
    sm75_print_operand(i, out, SM75_C, 0, "", SM75_IMM_F32);
    g_string_append(out, ", ");
    for (int lane = 0; lane < 4; lane++) {
        g_string_append(out, names[i->sub[0] >> 2 * (3 - lane) & 3]);
    }
}

static const Sm75Op ops[] = {
    { "FSEL", 0x008, true, decode_fsel, print_select },
    { "FMNMX", 0x009, true, decode_fmnmx, print_select },
    { "FSET", 0x00a, true, decode_fset, print_fset },
    { "FSETP", 0x00b, true, decode_fsetp, print_fsetp },
    { "FMUL", 0x020, true, decode_fmul, print_fadd },
    { "FADD", 0x021, true, decode_fadd, print_fadd },
    { "FFMA", 0x023, true, decode_ffma, print_ffma },
    { "MUFU", 0x108, true, sm75_decode_mufu, sm75_print_mufu },
    { "FCHK", 0x102, true, decode_fchk, print_fchk },
    { "FSWZADD", 0x822, false, decode_fswzadd, print_fswzadd },
};

const Sm75Table sm75_table_float = { ops, G_N_ELEMENTS(ops) };
