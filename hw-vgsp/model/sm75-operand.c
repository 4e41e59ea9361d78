/*
 * sm_75: operands of arithmetic instructions, from the word and from the
 * constant banks, and as NVIDIA's nvdisasm prints them (exec-facts 8.1).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/sm75-alu.h"
#include "model/sm75-fp16.h"

const char *const sm75_round_names[4] = { "", ".RM", ".RP", ".RZ" };
const char *const sm75_float_cmp_names[16] = {
    ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".NUM",
    ".NAN", ".LTU", ".EQU", ".LEU", ".GTU", ".NEU", ".GEU", ".T",
};
const char *const sm75_int_cmp_names[8] = {
    ".F", ".LT", ".EQ", ".LE", ".GT", ".NE", ".GE", ".T",
};
const char *const sm75_combine_names[3] = { ".AND", ".OR", ".XOR" };

bool sm75_host_avx2(void)
{
#ifdef __x86_64__
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

/* What stands in bits 63:32 in a form that has no register there. */
static void wide_operand(Sm75Insn *i, unsigned which)
{
    uint32_t imm = sm75_bits(i, 63, 32);

    i->wide = which;
    switch (i->form) {
    case SM75_FORM_IMM:
    case SM75_FORM_C_IMM:
        i->wide_kind = SM75_WIDE_IMM;
        i->imm = imm;
        i->imm_vec = (Sm75Vec){ 0 } + imm;
        break;
    case SM75_FORM_CBUF:
    case SM75_FORM_C_CBUF:
        i->cbuf_offset = sm75_bits(i, 53, 40) << 2;
        if (sm75_bit(i, 91)) {
            i->wide_kind = SM75_WIDE_CX;
            i->cbuf_index = sm75_bits(i, 37, 32);
        } else {
            i->wide_kind = SM75_WIDE_CBUF;
            i->cbuf_index = sm75_bits(i, 58, 54);
        }
        break;
    default:
        i->wide_kind = SM75_WIDE_UR;
        i->cbuf_index = sm75_bits(i, 37, 32);
        break;
    }
}

bool sm75_operands(Sm75Insn *i, unsigned forms, unsigned uses)
{
    unsigned reg_c = sm75_bits(i, 71, 64);
    bool ur = i->form == SM75_FORM_UR || i->form == SM75_FORM_C_UR;
    bool imm = i->form == SM75_FORM_IMM || i->form == SM75_FORM_C_IMM;

    if (!(forms & 1u << i->form)) {
        return false;
    }
    /* Bit 91: a uniform register somewhere. */
    if (sm75_bit(i, 91) ? i->form == SM75_FORM_REG || imm : ur) {
        return false;
    }
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    if (uses & SM75_A) {
        i->a = sm75_bits(i, 31, 24);
    }
    switch (i->form) {
    case SM75_FORM_REG:
        if (uses & SM75_B) {
            i->b = uses & SM75_B_IN_C ? reg_c : sm75_bits(i, 39, 32);
        }
        if (uses & SM75_C) {
            i->c = reg_c;
        }
        break;
    case SM75_FORM_IMM:
    case SM75_FORM_CBUF:
    case SM75_FORM_UR:
        wide_operand(i, SM75_B);
        if (uses & SM75_C) {
            i->c = reg_c;
        }
        break;
    default:
        if (uses & SM75_C) {
            i->b = reg_c;
            wide_operand(i, SM75_C);
        } else {
            wide_operand(i, SM75_B);
        }
        break;
    }
    return true;
}

bool sm75_uoperands(Sm75Insn *i, unsigned forms, unsigned uses)
{
    unsigned reg_c = sm75_bits(i, 69, 64);

    if (!(forms & 1u << i->form) || !sm75_bit(i, 91)) {
        return false;
    }
    i->guard_uniform = true;
    i->a = i->b = i->c = SM75_URZ;
    i->dst = sm75_bits(i, 21, 16);
    i->dst_index = i->dst == SM75_URZ ? 64 : i->dst;
    if (uses & SM75_A) {
        i->a = sm75_bits(i, 29, 24);
    }
    switch (i->form) {
    case SM75_FORM_REG:
        if (uses & SM75_B) {
            i->b = sm75_bits(i, 37, 32);
        }
        if (uses & SM75_C) {
            i->c = reg_c;
        }
        break;
    case SM75_FORM_IMM:
        wide_operand(i, SM75_B);
        if (uses & SM75_C) {
            i->c = reg_c;
        }
        break;
    default:
        i->b = reg_c;
        wide_operand(i, SM75_C);
        break;
    }
    return true;
}

unsigned sm75_signs(const Sm75Insn *i, unsigned allowed)
{
    bool imm = i->wide && i->wide_kind == SM75_WIDE_IMM;
    /* Bits 62 and 63 belong to what stands in 63:32, 74 and 75 to 71:64. */
    unsigned low = imm ? 0 : sm75_bit(i, 63) | sm75_bit(i, 62) << 1;
    unsigned high = sm75_bit(i, 75) | sm75_bit(i, 74) << 1;
    bool swapped = i->wide == SM75_C;
    unsigned signs = sm75_bit(i, 72) | sm75_bit(i, 73) << 1;

    signs |= (swapped ? high : low) << 2 | (swapped ? low : high) << 4;
    return signs & allowed;
}

static uint64_t cx_desc(const Sm75Warp *w, unsigned ur)
{
    uint32_t high = ur < SM75_URZ ? w->ur[ur + 1] : 0;

    return w->ur[ur] | (uint64_t)high << 32;
}

bool sm75_wide32(Sm75Warp *w, const Sm75Insn *i, uint32_t *out)
{
    switch (i->wide_kind) {
    case SM75_WIDE_IMM:
        *out = i->imm;
        return true;
    case SM75_WIDE_CBUF:
        return sm75_cbuf32(w, i->cbuf_index, i->cbuf_offset, out);
    case SM75_WIDE_CX:
        return sm75_cbuf_bindless32(w, cx_desc(w, i->cbuf_index),
                                    i->cbuf_offset, out);
    default:
        *out = w->ur[i->cbuf_index];
        return true;
    }
}

bool sm75_wide64(Sm75Warp *w, const Sm75Insn *i, uint64_t *out)
{
    uint64_t desc;
    uint32_t low, high;

    switch (i->wide_kind) {
    case SM75_WIDE_IMM:
        *out = (uint64_t)(uint32_t)i->imm << 32;
        return true;
    case SM75_WIDE_CBUF:
        return sm75_cbuf64(w, i->cbuf_index, i->cbuf_offset, out);
    case SM75_WIDE_CX:
        desc = cx_desc(w, i->cbuf_index);
        if (!sm75_cbuf_bindless32(w, desc, i->cbuf_offset, &low) ||
            !sm75_cbuf_bindless32(w, desc, i->cbuf_offset + 4, &high)) {
            return false;
        }
        *out = low | (uint64_t)high << 32;
        return true;
    default:
        *out = cx_desc(w, i->cbuf_index);
        return true;
    }
}

bool sm75_fetch_wide(Sm75Warp *w, const Sm75Insn *i, Sm75Src *s,
                     Sm75Vec *tmp)
{
    uint32_t word;

    if (!sm75_wide32(w, i, &word)) {
        return false;
    }
    *tmp = (Sm75Vec){ 0 } + word;
    *(i->wide == SM75_B ? &s->b : &s->c) = tmp;
    return true;
}

/* ---- Printing ---- */

static void print_index(GString *out, const char *file, unsigned r,
                        unsigned zero)
{
    if (r == zero) {
        g_string_append_printf(out, "%sZ", file);
    } else {
        g_string_append_printf(out, "%s%u", file, r);
    }
}

void sm75_print_reg(GString *out, unsigned r)
{
    print_index(out, "R", r, SM75_RZ);
}

void sm75_print_ureg(GString *out, unsigned r)
{
    print_index(out, "UR", r, SM75_URZ);
}

void sm75_print_pred(GString *out, unsigned p, bool not)
{
    g_string_append(out, not ? "!" : "");
    if (p == SM75_PT || p == 8) {
        g_string_append(out, "PT");
    } else {
        g_string_append_printf(out, "P%u", p);
    }
}

void sm75_print_upred(GString *out, unsigned p, bool not)
{
    g_string_append(out, not ? "!U" : "U");
    sm75_print_pred(out, p, false);
}

void sm75_print_psrc(GString *out, unsigned p, bool not)
{
    g_string_append(out, ", ");
    sm75_print_pred(out, p, not);
}

static void print_float(GString *out, double v)
{
    if (isnan(v)) {
        g_string_append(out, signbit(v) ? "-QNAN " : "+QNAN ");
    } else if (isinf(v)) {
        g_string_append(out, v < 0 ? "-INF " : "+INF ");
    } else if (v == 0 && signbit(v)) {
        g_string_append(out, "-0.0 ");
    } else {
        g_string_append_printf(out, fabs(v) < 1e9 ? "%.20g" : "%.20e", v);
    }
}

void sm75_print_imm(GString *out, uint32_t imm, Sm75ImmType type)
{
    union { uint32_t u; float f; } f = { .u = imm };
    union { uint64_t u; double d; } d = { .u = (uint64_t)imm << 32 };

    switch (type) {
    case SM75_IMM_HEX:
        g_string_append_printf(out, "0x%x", imm);
        break;
    case SM75_IMM_INT:
        if (imm >> 31) {
            g_string_append_printf(out, "-0x%x", -imm);
        } else {
            g_string_append_printf(out, "0x%x", imm);
        }
        break;
    case SM75_IMM_F32:
        print_float(out, f.f);
        break;
    case SM75_IMM_F64:
        print_float(out, d.d);
        break;
    case SM75_IMM_F16:
        print_float(out, sm75_half_to_double(imm));
        break;
    case SM75_IMM_F16X2:
        print_float(out, sm75_half_to_double(imm >> 16));
        g_string_append(out, ", ");
        print_float(out, sm75_half_to_double(imm));
        break;
    }
}

void sm75_print_cbuf(const Sm75Insn *i, GString *out, bool parts)
{
    if (i->wide_kind == SM75_WIDE_CX) {
        g_string_append(out, "cx[");
        sm75_print_ureg(out, i->cbuf_index);
        g_string_append_c(out, ']');
    } else {
        g_string_append_printf(out, "c[0x%x]", i->cbuf_index);
    }
    g_string_append(out, parts ? " [" : "[");
    if (i->wide_kind == SM75_WIDE_CX) {
        sm75_print_imm(out, i->cbuf_offset, SM75_IMM_HEX);
    } else {
        sm75_print_imm(out, (uint32_t)(int16_t)i->cbuf_offset, SM75_IMM_INT);
    }
    g_string_append_c(out, ']');
}

void sm75_print_src(const Sm75Insn *i, GString *out, unsigned which,
                    const char *prefix, bool abs, Sm75ImmType type)
{
    unsigned r = which == SM75_A ? i->a : which == SM75_B ? i->b : i->c;

    g_string_append(out, prefix);
    g_string_append(out, abs ? "|" : "");
    if (i->wide != which) {
        (i->guard_uniform ? sm75_print_ureg : sm75_print_reg)(out, r);
    } else if (i->wide_kind == SM75_WIDE_IMM) {
        sm75_print_imm(out, i->imm, type);
    } else if (i->wide_kind == SM75_WIDE_UR) {
        sm75_print_ureg(out, i->cbuf_index);
    } else {
        sm75_print_cbuf(i, out, type >= SM75_IMM_F16);
    }
    g_string_append(out, abs ? "|" : "");
}

void sm75_print_operand(const Sm75Insn *i, GString *out, unsigned which,
                        unsigned signs, const char *neg, Sm75ImmType type)
{
    unsigned shift = which == SM75_A ? 0 : which == SM75_B ? 2 : 4;

    g_string_append(out, ", ");
    sm75_print_src(i, out, which, signs >> shift & 1 ? neg : "",
                   signs >> shift & 2, type);
}
