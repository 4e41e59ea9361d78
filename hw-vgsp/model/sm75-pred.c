/*
 * sm_75 instructions on predicates: PLOP3, and predicates as a register's
 * bits. exec-facts 8.3.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-scalar.h"
#include "model/sm75-alu.h"

/* ---- PLOP3 ---- */

/*
 * sub[0], sub[1]: the tables. Sources: psrc, psrc2, and sub[2] with sub[3] to
 * invert it; sub[4]: the last one is a uniform predicate.
 */
static Sm75Next exec_plop3(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t a = sm75_pvalue(w, i->psrc, i->psrc_not);
    uint32_t b = sm75_pvalue(w, i->psrc2, i->psrc2_not);
    uint32_t c = i->sub[4]
               ? (w->up[i->sub[2]] ? ~0u : 0) ^ (i->sub[3] ? ~0u : 0)
               : sm75_pvalue(w, i->sub[2], i->sub[3]);

    sm75_set_pred(w, i->pdst2, sm75_lop3(i->sub[1], a, b, c));
    sm75_set_pred(w, i->pdst, sm75_lop3(i->sub[0], a, b, c));
    return SM75_NEXT;
}

static bool decode_plop3(Sm75Insn *i)
{
    i->sub[0] = sm75_bits(i, 76, 72) << 3 | sm75_bits(i, 66, 64);
    i->sub[1] = sm75_bits(i, 23, 16);
    i->sub[2] = sm75_bits(i, 70, 68);
    i->sub[3] = sm75_bit(i, 71);
    i->sub[4] = sm75_bit(i, 67);
    i->pdst = sm75_pdst(i, 81);
    i->pdst2 = sm75_pdst(i, 84);
    sm75_psrc(i);
    sm75_psrc2(i, 77, 80);
    i->exec = exec_plop3;
    return !sm75_bit(i, 91);
}

static void print_plop3(const Sm75Insn *i, GString *out)
{
    g_string_append(out, ".LUT ");
    sm75_print_pred(out, i->pdst, false);
    sm75_print_psrc(out, i->pdst2, false);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
    sm75_print_psrc(out, i->psrc2, i->psrc2_not);
    if (i->sub[4]) {
        g_string_append(out, ", ");
        sm75_print_upred(out, i->sub[2], i->sub[3]);
    } else {
        sm75_print_psrc(out, i->sub[2], i->sub[3]);
    }
    g_string_append_printf(out, ", 0x%x, 0x%x", i->sub[0], i->sub[1]);
}

/*
 * PLOP3 with sources that are the signs of registers: of b in 0x01d, of c too
 * in 0x01e, of all three in 0x01f.
 */
enum { PLOP3_B = 0x1d, PLOP3_BC, PLOP3_ABC };

static uint32_t sign_bits(const Sm75Vec *v)
{
    uint32_t bits = 0;

    for (unsigned n = 0; n < SM75_LANES; n++) {
        bits |= (*v)[n] >> 31 << n;
    }
    return bits;
}

static Sm75Next exec_plop3_sign(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t a, b, c;
    Sm75Vec tmp;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    a = i->sub[4] == PLOP3_ABC ? sign_bits(s.a)
      : sm75_pvalue(w, i->psrc, i->psrc_not);
    b = sign_bits(s.b);
    c = i->sub[4] == PLOP3_B ? sm75_pvalue(w, i->psrc2, i->psrc2_not)
      : sign_bits(s.c);
    sm75_set_pred(w, i->pdst2, sm75_lop3(i->sub[1], a, b, c));
    sm75_set_pred(w, i->pdst, sm75_lop3(i->sub[0], a, b, c));
    return SM75_NEXT;
}

/* sub[0], sub[1] tables, sub[4] which */
static bool decode_plop3_sign(Sm75Insn *i)
{
    unsigned which = sm75_bits(i, 8, 0);

    i->sub[0] = sm75_bits(i, 79, 72);
    i->sub[1] = sm75_bits(i, 23, 16);
    i->sub[4] = which;
    i->pdst = sm75_pdst(i, 81);
    i->pdst2 = sm75_pdst(i, 84);
    sm75_psrc(i);
    sm75_psrc2(i, 68, 71);
    i->exec = exec_plop3_sign;
    i->n_dst = 0;
    return sm75_operands(i, SM75_FORMS_B & ~(1 << SM75_FORM_IMM),
                         (which == PLOP3_ABC ? SM75_A : 0) | SM75_B |
                         (which == PLOP3_B ? 0 : SM75_C)) &&
           !(which == PLOP3_B && sm75_bit(i, 67));
}

static void print_plop3_sign(const Sm75Insn *i, GString *out)
{
    unsigned which = i->sub[4];

    g_string_append(out, ".LUT ");
    sm75_print_pred(out, i->pdst, false);
    sm75_print_psrc(out, i->pdst2, false);
    if (which == PLOP3_ABC) {
        sm75_print_operand(i, out, SM75_A, 0, "", SM75_IMM_F16X2);
        g_string_append(out, ".SIGN");
    } else {
        sm75_print_psrc(out, i->psrc, i->psrc_not);
    }
    sm75_print_operand(i, out, SM75_B, 0, "", SM75_IMM_F16X2);
    g_string_append(out, ".SIGN");
    if (which == PLOP3_B) {
        sm75_print_psrc(out, i->psrc2, i->psrc2_not);
    } else {
        sm75_print_operand(i, out, SM75_C, 0, "", SM75_IMM_F16X2);
        g_string_append(out, ".SIGN");
    }
    g_string_append_printf(out, ", 0x%x, 0x%x", i->sub[0], i->sub[1]);
}

/* ---- P2R, R2P ---- */

/*
 * P2R: the predicates P0..P6 as bits, chosen by the mask b, in byte sub[0];
 * everything else of a is kept.
 */
static Sm75Next exec_p2r(Sm75Warp *w, const Sm75Insn *i)
{
    unsigned shift = 8 * i->sub[0];
    Sm75Vec tmp, out;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    for (unsigned n = 0; n < SM75_LANES; n++) {
        uint32_t mask = (*s.b)[n] & 0x7f, bits = 0;

        for (unsigned p = 0; p < SM75_PT; p++) {
            bits |= (w->p[p] >> n & 1) << p;
        }
        out[n] = ((*s.a)[n] & ~(mask << shift)) | (bits & mask) << shift;
    }
    sm75_set(w, i->dst_index, &out);
    return SM75_NEXT;
}

/* R2P: the predicates that the mask b chooses, from byte sub[0] of a. */
static Sm75Next exec_r2p(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec tmp;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    for (unsigned p = 0; p < SM75_PT; p++) {
        uint32_t bits = 0, mask = 0;

        for (unsigned n = 0; n < SM75_LANES; n++) {
            bits |= ((*s.a)[n] >> (8 * i->sub[0] + p) & 1) << n;
            mask |= ((*s.b)[n] >> p & 1) << n;
        }
        sm75_set_pred(w, p, (bits & mask) | (w->p[p] & ~mask));
    }
    return SM75_NEXT;
}

static bool decode_p2r(Sm75Insn *i)
{
    i->sub[0] = sm75_bits(i, 77, 76);
    i->exec = exec_p2r;
    return sm75_operands(i, SM75_FORMS_B, SM75_A | SM75_B);
}

static bool decode_r2p(Sm75Insn *i)
{
    i->sub[0] = sm75_bits(i, 77, 76);
    i->exec = exec_r2p;
    i->n_dst = 0;
    return sm75_operands(i, SM75_FORMS_B, SM75_A | SM75_B);
}

static void print_byte(const Sm75Insn *i, GString *out)
{
    if (i->sub[0]) {
        g_string_append_printf(out, ".B%u", i->sub[0]);
    }
}

static void print_p2r(const Sm75Insn *i, GString *out)
{
    print_byte(i, out);
    g_string_append_c(out, ' ');
    sm75_print_reg(out, i->dst);
    g_string_append(out, ", PR");
    sm75_print_operand(i, out, SM75_A, 0, "", SM75_IMM_HEX);
    sm75_print_operand(i, out, SM75_B, 0, "", SM75_IMM_INT);
}

static void print_r2p(const Sm75Insn *i, GString *out)
{
    g_string_append(out, " PR");
    sm75_print_operand(i, out, SM75_A, 0, "", SM75_IMM_HEX);
    print_byte(i, out);
    sm75_print_operand(i, out, SM75_B, 0, "", SM75_IMM_HEX);
}

/* ---- UP2UR, UR2UP: as P2R and R2P, of the uniform datapath ---- */

static uint32_t uniform_mask(const Sm75Warp *w, const Sm75Insn *i)
{
    return i->wide ? (uint32_t)i->imm : w->ur[i->b];
}

static Sm75Next exec_up2ur(Sm75Warp *w, const Sm75Insn *i)
{
    unsigned shift = 8 * i->sub[0];
    uint32_t mask = uniform_mask(w, i) & 0x7f, bits = 0;

    for (unsigned p = 0; p < SM75_PT; p++) {
        bits |= (uint32_t)w->up[p] << p;
    }
    bits = (w->ur[i->a] & ~(mask << shift)) | (bits & mask) << shift;
    w->ur[i->dst_index] = bits;
    return SM75_NEXT;
}

static Sm75Next exec_ur2up(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t mask = uniform_mask(w, i), a = w->ur[i->a] >> 8 * i->sub[0];

    for (unsigned p = 0; p < SM75_PT; p++) {
        if (mask >> p & 1) {
            w->up[p] = a >> p & 1;
        }
    }
    return SM75_NEXT;
}

/*
 * Forms 4 (immediate) and 6 (register): the latter is what warp instructions
 * call a uniform register.
 */
static bool decode_up2ur(Sm75Insn *i)
{
    i->exec = sm75_bits(i, 8, 0) == 0x083 ? exec_up2ur : exec_ur2up;
    i->sub[0] = sm75_bits(i, 77, 76);
    i->guard_uniform = true;
    i->b = i->c = SM75_URZ;
    i->dst = sm75_bits(i, 21, 16);
    i->dst_index = i->dst == SM75_URZ ? 64 : i->dst;
    i->a = sm75_bits(i, 29, 24);
    if (i->form == SM75_FORM_IMM) {
        i->wide = SM75_B;
        i->wide_kind = SM75_WIDE_IMM;
        i->imm = sm75_bits(i, 63, 32);
    } else {
        i->b = sm75_bits(i, 37, 32);
    }
    return sm75_bit(i, 91);
}

static void print_up2ur(const Sm75Insn *i, GString *out)
{
    bool from = i->exec == exec_up2ur;

    if (from && i->sub[0]) {
        g_string_append_printf(out, ".B%u", i->sub[0]);
    }
    if (from) {
        g_string_append_c(out, ' ');
        sm75_print_ureg(out, i->dst);
        g_string_append(out, ", UPR");
    } else {
        g_string_append(out, " UPR");
    }
    sm75_print_operand(i, out, SM75_A, 0, "", SM75_IMM_HEX);
    if (!from && i->sub[0]) {
        g_string_append_printf(out, ".B%u", i->sub[0]);
    }
    sm75_print_operand(i, out, SM75_B, 0, "", SM75_IMM_HEX);
}

static const Sm75Op ops[] = {
    { "PLOP3", 0x81c, false, decode_plop3, print_plop3 },
    { "PLOP3", PLOP3_B, true, decode_plop3_sign, print_plop3_sign },
    { "PLOP3", PLOP3_BC, true, decode_plop3_sign, print_plop3_sign },
    { "PLOP3", PLOP3_ABC, true, decode_plop3_sign, print_plop3_sign },
    { "P2R", 0x003, true, decode_p2r, print_p2r },
    { "R2P", 0x004, true, decode_r2p, print_r2p },
    { "UP2UR", 0x883, false, decode_up2ur, print_up2ur },
    { "UP2UR", 0xc83, false, decode_up2ur, print_up2ur },
    { "UR2UP", 0x884, false, decode_up2ur, print_up2ur },
    { "UR2UP", 0xc84, false, decode_up2ur, print_up2ur },
};

const Sm75Table sm75_table_pred = { ops, G_N_ELEMENTS(ops) };
