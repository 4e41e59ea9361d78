/*
 * sm_75 conversions: exec-facts 8.2. Lane by lane: values pass through the
 * widest type that holds them exactly, and are rounded once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-alu.h"
#include "model/sm75-double.h"
#include "model/sm75-fp16.h"

/* Sizes are log2 of bytes. */
enum { SIZE_8, SIZE_16, SIZE_32, SIZE_64 };

static const char *const round_int_names[4] = {
    "", ".FLOOR", ".CEIL", ".TRUNC",
};

/* What all conversions share; the row's decoder checks the sizes. */
typedef struct Convert {
    uint8_t dst_size, src_size, rounding, select, signs;
    bool ftz;
} Convert;

/* sub[0] sizes, [1] rounding, [2] byte select, [3] signs, [4] FTZ, [5] flags */
static Convert convert_of(const Sm75Insn *i)
{
    return (Convert){
        .dst_size = i->sub[0] & 3, .src_size = i->sub[0] >> 2,
        .rounding = i->sub[1], .select = i->sub[2], .signs = i->sub[3],
        .ftz = i->sub[4],
    };
}

/* Bits 8:0 tell whether a side has 64 bits: opcodes 0x104..7, 0x110..3. */
static bool decode_convert(Sm75Insn *i, unsigned signs)
{
    unsigned dst = sm75_bits(i, 76, 75), src = sm75_bits(i, 85, 84);
    bool wide = dst == SIZE_64 || src == SIZE_64;

    if (!sm75_operands(i, SM75_FORMS_B, SM75_B) ||
        wide != (sm75_bits(i, 8, 0) >= 0x110)) {
        return false;
    }
    i->n_dst = dst == SIZE_64 ? 2 : 1;
    i->n_b = src == SIZE_64 ? 2 : 1;
    /* The host's rounding mode changes twice a lane; halves are computed. */
    i->cost = dst == SIZE_16 || (dst == SIZE_32 && sm75_bits(i, 79, 78))
            ? SM75_COST_LANES_SLOW : SM75_COST_LANES;
    i->sub[0] = dst | src << 2;
    i->sub[1] = sm75_bits(i, 79, 78);
    i->sub[3] = sm75_signs(i, signs);
    i->sub[4] = sm75_bit(i, 80);
    return (dst != SIZE_64 || sm75_pair(i->dst)) &&
           (src != SIZE_64 || i->wide || sm75_pair(i->b));
}

/* The source as raw bits, zero-extended, lane by lane. */
typedef struct Source {
    const Sm75Vec *low, *high;
    bool wide;
    uint64_t word;
} Source;

static bool fetch(Sm75Warp *w, const Sm75Insn *i, unsigned size, Source *s)
{
    uint32_t word;

    *s = (Source){ &w->r[i->b], &w->r[sm75_pair_high(i->b)], i->wide != 0, 0 };
    if (i->wide && size == SIZE_64) {
        return sm75_wide64(w, i, &s->word);
    }
    if (i->wide) {
        if (!sm75_wide32(w, i, &word)) {
            return false;
        }
        s->word = word;
    }
    return true;
}

static uint64_t lane(const Source *s, unsigned n)
{
    return s->wide ? s->word : (*s->low)[n] | (uint64_t)(*s->high)[n] << 32;
}

/* A floating-point source as a double: exact. */
static double source_double(const Convert *m, uint64_t u)
{
    double d;

    switch (m->src_size) {
    case SIZE_16:
        d = sm75_half_to_double(u >> (m->select ? 16 : 0));
        break;
    case SIZE_32:
        d = sm75_as_float(m->ftz ? sm75_flush(u) : (uint32_t)u);
        break;
    default:
        d = sm75_as_double(u);
        break;
    }
    d = m->signs & SM75_ABS_B ? fabs(d) : d;
    return m->signs & SM75_NEG_B ? -d : d;
}

/* Rounded to an integer that a double holds. */
static double to_integral(double d, unsigned rounding)
{
    switch (rounding) {
    case 0:
        return rint(d);
    case 1:
        return floor(d);
    case 2:
        return ceil(d);
    default:
        return trunc(d);
    }
}

/* The bits of a floating-point result, from a double that is exact. */
static uint64_t result_bits(const Convert *m, double d)
{
    volatile double in = d;     /* converted in that mode, */
    volatile float f;           /* no sooner and no later */
    uint32_t word;

    switch (m->dst_size) {
    case SIZE_16:
        word = sm75_double_to_half(d, m->rounding);
        /* GH100 silicon */
        return m->ftz && !(word & 0x7c00) ? word & 0x8000 : word;
    case SIZE_32:
        if (m->rounding) {
            fesetround(sm75_host_rounding[m->rounding]);
        }
        f = (float)in;
        if (m->rounding) {
            fesetround(FE_TONEAREST);
        }
        word = sm75_from_float(f);
        return m->ftz ? sm75_flush(word) : word;
    default:
        return sm75_from_double(d);
    }
}

/* function of the source bits, for each lane of the mask. */
static Sm75Next convert(Sm75Warp *w, const Sm75Insn *i,
                        uint64_t (*function)(const Convert *m, unsigned flags,
                                             uint64_t u))
{
    Convert m = convert_of(i);
    Sm75Vec low = w->r[i->dst_index];
    Sm75Vec high = w->r[sm75_pair_dst(i->dst_index)];
    Source s;

    if (!fetch(w, i, m.src_size, &s)) {
        return SM75_FAULT;
    }
    for (uint32_t todo = w->mask; todo; todo &= todo - 1) {
        unsigned n = __builtin_ctz(todo);
        uint64_t r = function(&m, i->sub[5], lane(&s, n));

        low[n] = r;
        high[n] = r >> 32;
    }
    w->r[i->dst_index] = low;
    if (m.dst_size == SIZE_64) {
        w->r[sm75_pair_dst(i->dst_index)] = high;
    }
    return SM75_NEXT;
}

static void print_operands(const Sm75Insn *i, GString *out, Sm75ImmType type)
{
    static const char *const bytes[4] = { "", ".B1", ".B2", ".B3" };
    const char *bar = i->sub[3] & SM75_ABS_B ? "|" : "";

    g_string_append_c(out, ' ');
    sm75_print_reg(out, i->dst);
    g_string_append_printf(out, ", %s%s", i->sub[3] & SM75_NEG_B ? "-" : "",
                           bar);
    sm75_print_src(i, out, SM75_B, "", false, type);
    if (i->sub[2]) {
        g_string_append(out, i->sub[0] >> 2 == SIZE_16 ? ".H1"
                             : bytes[i->sub[2]]);
    }
    g_string_append(out, bar);
}

/* How an immediate source of that size is written. */
static Sm75ImmType float_imm(unsigned size)
{
    return size == SIZE_64 ? SM75_IMM_F64 : size == SIZE_16 ? SM75_IMM_F16
         : SM75_IMM_F32;
}

/* ---- F2F ---- */

static uint64_t f2f(const Convert *m, unsigned flags, uint64_t u)
{
    double d = source_double(m, u);
    union { double d; uint64_t u; } v = { .d = d };

    (void)flags;
    /* What a NaN carries has room (GH100 silicon). */
    return m->dst_size == SIZE_64 && isnan(d) ? sm75_quiet(v.u)
                                              : result_bits(m, d);
}

static Sm75Next exec_f2f(Sm75Warp *w, const Sm75Insn *i)
{
    return convert(w, i, f2f);
}

static bool decode_f2f(Sm75Insn *i)
{
    unsigned dst = sm75_bits(i, 76, 75), src = sm75_bits(i, 85, 84);

    i->exec = exec_f2f;
    i->sub[2] = src == SIZE_16 && !(i->form == SM75_FORM_IMM)
              ? sm75_bits(i, 61, 60) : 0;
    return decode_convert(i, SM75_NEG_B | SM75_ABS_B) && dst != src &&
           dst != SIZE_8 && src != SIZE_8 && !sm75_bit(i, 77) &&
           i->sub[2] < 2;
}

static void print_f2f(const Sm75Insn *i, GString *out)
{
    static const char *const names[4] = { "", ".F16", ".F32", ".F64" };

    g_string_append(out, i->sub[4] ? ".FTZ" : "");
    g_string_append(out, names[i->sub[0] & 3]);
    g_string_append(out, names[i->sub[0] >> 2]);
    g_string_append(out, sm75_round_names[i->sub[1]]);
    print_operands(i, out, float_imm(i->sub[0] >> 2));
}

/* ---- FRND ---- */

static uint64_t frnd(const Convert *m, unsigned flags, uint64_t u)
{
    (void)flags;
    return result_bits(m, to_integral(source_double(m, u), m->rounding));
}

static Sm75Next exec_frnd(Sm75Warp *w, const Sm75Insn *i)
{
    return convert(w, i, frnd);
}

static bool decode_frnd(Sm75Insn *i)
{
    unsigned dst = sm75_bits(i, 76, 75), src = sm75_bits(i, 85, 84);

    i->exec = exec_frnd;
    i->sub[2] = src == SIZE_16 && !(i->form == SM75_FORM_IMM)
              ? sm75_bits(i, 61, 60) : 0;
    return decode_convert(i, SM75_NEG_B | SM75_ABS_B) && dst == src &&
           dst != SIZE_8 && i->sub[2] < 2;
}

static void print_frnd(const Sm75Insn *i, GString *out)
{
    static const char *const names[4] = { "", ".F16", "", ".F64" };

    g_string_append(out, i->sub[4] ? ".FTZ" : "");
    g_string_append(out, names[i->sub[0] & 3]);
    g_string_append(out, round_int_names[i->sub[1]]);
    print_operands(i, out, float_imm(i->sub[0] >> 2));
}

/* ---- F2I ---- */

enum { F2I_SIGNED = 1, F2I_NTZ = 2 };

/* Saturates. A NaN gives the lowest signed number, or 0 with .NTZ. */
static uint64_t f2i(const Convert *m, unsigned flags, uint64_t u)
{
    unsigned bits = 8u << m->dst_size;
    uint64_t top = UINT64_C(1) << (bits - 1);
    double d = source_double(m, u);
    uint64_t r;

    if (isnan(d)) {
        r = flags & F2I_NTZ ? 0 : top;
    } else if (flags & F2I_SIGNED) {
        d = to_integral(d, m->rounding);
        /* -top and top are doubles; top - 1 need not be one. */
        r = d >= (double)top ? top - 1 : d < -(double)top ? -top
          : (uint64_t)(int64_t)d;
    } else {
        d = to_integral(d, m->rounding);
        r = d <= 0 ? 0
          : d >= 2.0 * (double)top ? top | (top - 1) : (uint64_t)d;
    }
    if (flags & F2I_SIGNED && bits < 32) {
        r = (uint64_t)((int64_t)(r << (64 - bits)) >> (64 - bits));
    }
    return r;
}

static Sm75Next exec_f2i(Sm75Warp *w, const Sm75Insn *i)
{
    return convert(w, i, f2i);
}

/* The common one, a single to a word. */
static Sm75Next exec_f2i_32(Sm75Warp *w, const Sm75Insn *i)
{
    Convert m = convert_of(i);
    bool is_signed = i->sub[5] & F2I_SIGNED;
    uint32_t nan = i->sub[5] & F2I_NTZ ? 0 : 0x80000000;
    double low = is_signed ? -0x1p31 : 0;
    double high = is_signed ? 0x1p31 - 1 : 0x1p32 - 1;
    Sm75Vec tmp, out;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    for (unsigned n = 0; n < SM75_LANES; n++) {
        double d = source_double(&m, (*s.b)[n]);

        if (isnan(d)) {
            out[n] = nan;
            continue;
        }
        d = d < low ? low : d > high ? high : d;
        /* Truncation is what C does; all of these fit 64 bits. */
        d = m.rounding == 3 ? d : to_integral(d, m.rounding);
        out[n] = (uint32_t)(int64_t)d;
    }
    sm75_set(w, i->dst_index, &out);
    return SM75_NEXT;
}

static bool decode_f2i(Sm75Insn *i)
{
    unsigned src = sm75_bits(i, 85, 84);

    i->exec = exec_f2i;
    i->sub[2] = src == SIZE_16 && !(i->form == SM75_FORM_IMM)
              ? sm75_bits(i, 61, 60) : 0;
    i->sub[5] = (sm75_bit(i, 72) ? F2I_SIGNED : 0) |
                (sm75_bit(i, 77) ? F2I_NTZ : 0);
    if (!decode_convert(i, SM75_NEG_B | SM75_ABS_B) || src == SIZE_8 ||
        i->sub[2] > 1) {
        return false;
    }
    if (i->sub[0] == (SIZE_32 | SIZE_32 << 2)) {
        i->exec = exec_f2i_32;
    }
    return true;
}

static void print_f2i(const Sm75Insn *i, GString *out)
{
    static const char *const u_names[4] = { ".U8", ".U16", ".U32", ".U64" };
    static const char *const s_names[4] = { ".S8", ".S16", "", ".S64" };
    static const char *const f_names[4] = { "", ".F16", "", ".F64" };

    g_string_append(out, i->sub[4] ? ".FTZ" : "");
    g_string_append(out, (i->sub[5] & F2I_SIGNED ? s_names
                                                 : u_names)[i->sub[0] & 3]);
    g_string_append(out, f_names[i->sub[0] >> 2]);
    g_string_append(out, round_int_names[i->sub[1]]);
    g_string_append(out, i->sub[5] & F2I_NTZ ? ".NTZ" : "");
    print_operands(i, out, float_imm(i->sub[0] >> 2));
}

/* ---- I2F ---- */

static uint64_t i2f(const Convert *m, unsigned is_signed, uint64_t u)
{
    unsigned bits = 8u << m->src_size;
    volatile uint64_t magnitude; /* converted in that mode, */
    volatile double d;          /* no sooner */
    volatile float f;           /* and no later */
    bool negative;
    unsigned rounding = m->rounding;

    u >>= bits * m->select;
    u <<= 64 - bits;
    negative = is_signed && u >> 63;
    u = is_signed ? (uint64_t)((int64_t)u >> (64 - bits)) : u >> (64 - bits);
    magnitude = negative ? -u : u;
    if (m->dst_size == SIZE_16) {
        /* What a double cannot hold is infinite anyway. */
        d = (double)magnitude;
        return sm75_double_to_half(negative ? -d : d, rounding);
    }
    if (negative && (rounding == 1 || rounding == 2)) {
        rounding = 3 - rounding;
    }
    if (rounding) {
        fesetround(sm75_host_rounding[rounding]);
    }
    d = (double)magnitude;
    f = (float)magnitude;
    if (rounding) {
        fesetround(FE_TONEAREST);
    }
    return m->dst_size == SIZE_64 ? sm75_from_double(negative ? -d : d)
         : sm75_from_float(negative ? -f : f);
}

static Sm75Next exec_i2f(Sm75Warp *w, const Sm75Insn *i)
{
    return convert(w, i, i2f);
}

/* The common one, a signed or unsigned word to the nearest single. */
static Sm75Next exec_i2f_32(Sm75Warp *w, const Sm75Insn *i)
{
    union { float f[SM75_LANES]; Sm75Vec v; } out;
    Sm75Vec tmp;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    for (unsigned n = 0; n < SM75_LANES; n++) {
        uint32_t word = (*s.b)[n];

        out.f[n] = i->sub[5] ? (float)(int32_t)word : (float)word;
    }
    sm75_set(w, i->dst_index, &out.v);
    return SM75_NEXT;
}

static bool decode_i2f(Sm75Insn *i)
{
    unsigned src = sm75_bits(i, 85, 84);

    i->exec = exec_i2f;
    i->sub[2] = src <= SIZE_16 ? sm75_bits(i, 61, 60) : 0;
    i->sub[5] = sm75_bit(i, 74);
    if (src <= SIZE_16 && i->form == SM75_FORM_IMM) {
        return false;
    }
    if (!decode_convert(i, 0) || sm75_bits(i, 76, 75) == SIZE_8) {
        return false;
    }
    i->sub[4] = 0;
    if (i->sub[0] == (SIZE_32 | SIZE_32 << 2) && !i->sub[1]) {
        i->exec = exec_i2f_32;
    }
    return src != SIZE_16 || i->sub[2] < 2;
}

static void print_i2f(const Sm75Insn *i, GString *out)
{
    static const char *const u_names[4] = { ".U8", ".U16", ".U32", ".U64" };
    static const char *const s_names[4] = { ".S8", ".S16", "", ".S64" };
    static const char *const f_names[4] = { "", ".F16", "", ".F64" };

    g_string_append(out, f_names[i->sub[0] & 3]);
    g_string_append(out, (i->sub[5] ? s_names : u_names)[i->sub[0] >> 2]);
    g_string_append(out, sm75_round_names[i->sub[1]]);
    print_operands(i, out, i->sub[0] >> 2 <= SIZE_16 ? SM75_IMM_F16
                           : i->sub[5] ? SM75_IMM_INT : SM75_IMM_HEX);
}

/* ---- F2FP, I2I, I2IP ---- */

/* sub[1] rounding. a to the high half, b to the low one. */
static Sm75Next exec_f2fp(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec tmp, out;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    for (unsigned n = 0; n < SM75_LANES; n++) {
        double x = sm75_as_float((*s.a)[n]), y = sm75_as_float((*s.b)[n]);

        out[n] = (uint32_t)sm75_double_to_half(x, i->sub[1]) << 16 |
                 sm75_double_to_half(y, i->sub[1]);
    }
    sm75_set(w, i->dst_index, &out);
    return SM75_NEXT;
}

static bool decode_f2fp(Sm75Insn *i)
{
    i->sub[1] = sm75_bits(i, 80, 79);
    i->exec = exec_f2fp;
    return sm75_operands(i, SM75_FORMS_B, SM75_A | SM75_B) &&
           !sm75_bit(i, 78);
}

static void print_f2fp(const Sm75Insn *i, GString *out)
{
    g_string_append(out, ".PACK_AB");
    g_string_append(out, sm75_round_names[i->sub[1]]);
    g_string_append_c(out, ' ');
    sm75_print_reg(out, i->dst);
    sm75_print_operand(i, out, SM75_A, 0, "", SM75_IMM_F32);
    sm75_print_operand(i, out, SM75_B, 0, "", SM75_IMM_F32);
}

/* A signed word to U8, S8, U16, S16 (type 0..3), saturated. */
static uint32_t i2i(unsigned type, uint32_t word)
{
    static const int32_t lows[4] = { 0, -128, 0, -32768 };
    static const int32_t highs[4] = { 255, 127, 65535, 32767 };
    int32_t v = (int32_t)word;

    return v < lows[type] ? lows[type] : v > highs[type] ? highs[type] : v;
}

/* sub[0]: type */
static Sm75Next exec_i2i(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec tmp, out;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    for (unsigned n = 0; n < SM75_LANES; n++) {
        out[n] = i2i(i->sub[0], (*s.b)[n]);
    }
    sm75_set(w, i->dst_index, &out);
    return SM75_NEXT;
}

/* Two of them side by side, and c's lower half above if they are bytes. */
static Sm75Next exec_i2ip(Sm75Warp *w, const Sm75Insn *i)
{
    bool bytes = i->sub[0] < 2;
    uint32_t mask = bytes ? 0xff : 0xffff;
    Sm75Vec tmp, out;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    for (unsigned n = 0; n < SM75_LANES; n++) {
        uint32_t a = i2i(i->sub[0], (*s.a)[n]) & mask;
        uint32_t b = i2i(i->sub[0], (*s.b)[n]) & mask;
        uint32_t c = (*s.c)[n] >> 16 * i->sub[1];

        out[n] = bytes ? c << 16 | a << 8 | b : a << 16 | b;
    }
    sm75_set(w, i->dst_index, &out);
    return SM75_NEXT;
}

static bool decode_i2i(Sm75Insn *i)
{
    i->sub[0] = sm75_bits(i, 77, 76);
    i->exec = exec_i2i;
    return sm75_operands(i, SM75_FORMS_B, SM75_B);
}

/* sub[1]: the upper half of c. */
static bool decode_i2ip(Sm75Insn *i)
{
    i->sub[0] = sm75_bits(i, 77, 76);
    i->sub[1] = sm75_bits(i, 73, 72);
    i->exec = exec_i2ip;
    return sm75_operands(i, SM75_FORMS_B, SM75_A | SM75_B | SM75_C) &&
           i->sub[1] < 2 && !sm75_bit(i, 78);
}

static const char *const i2i_names[4] = {
    ".U8.S32.SAT ", ".S8.S32.SAT ", ".U16.S32.SAT ", ".S16.S32.SAT ",
};

static void print_i2i(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i2i_names[i->sub[0]]);
    sm75_print_reg(out, i->dst);
    sm75_print_operand(i, out, SM75_B, 0, "", SM75_IMM_INT);
}

static void print_i2ip(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i2i_names[i->sub[0]]);
    sm75_print_reg(out, i->dst);
    sm75_print_operand(i, out, SM75_A, 0, "", SM75_IMM_INT);
    sm75_print_operand(i, out, SM75_B, 0, "", SM75_IMM_INT);
    sm75_print_operand(i, out, SM75_C, 0, "", SM75_IMM_INT);
    g_string_append(out, i->sub[1] ? ".H1" : "");
}

static const Sm75Op ops[] = {
    { "I2I", 0x038, true, decode_i2i, print_i2i },
    { "I2IP", 0x039, true, decode_i2ip, print_i2ip },
    { "F2FP", 0x03e, true, decode_f2fp, print_f2fp },
    { "F2F", 0x104, true, decode_f2f, print_f2f },
    { "F2I", 0x105, true, decode_f2i, print_f2i },
    { "I2F", 0x106, true, decode_i2f, print_i2f },
    { "FRND", 0x107, true, decode_frnd, print_frnd },
    { "F2F", 0x110, true, decode_f2f, print_f2f },
    { "F2I", 0x111, true, decode_f2i, print_f2i },
    { "I2F", 0x112, true, decode_i2f, print_i2f },
    { "FRND", 0x113, true, decode_frnd, print_frnd },
};

const Sm75Table sm75_table_convert = { ops, G_N_ELEMENTS(ops) };
