/*
 * sm_75 integer instructions: exec-facts 8.3.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-scalar.h"

#define SM75_VARIANT_FILE "model/sm75-int.c.inc"
#include "model/sm75-variants.h"

#define FORMS_ALL (SM75_FORMS_B | SM75_FORMS_C)
#define USES_AB (SM75_A | SM75_B)
#define USES_ABC (SM75_A | SM75_B | SM75_C)

/* An instruction of the rarer kind: expr of words a, b, c, lane by lane. */
#define LANES(name, expr) \
static Sm75Next exec_##name(Sm75Warp *w, const Sm75Insn *i) \
{ \
    Sm75Vec tmp, out; \
    Sm75Src s; \
 \
    if (!sm75_fetch(w, i, &s, &tmp)) { \
        return SM75_FAULT; \
    } \
    for (unsigned n = 0; n < SM75_LANES; n++) { \
        uint32_t a = (*s.a)[n], b = (*s.b)[n], c = (*s.c)[n]; \
 \
        (void)a, (void)b, (void)c; \
        out[n] = (expr); \
    } \
    sm75_set(w, i->dst_index, &out); \
    return SM75_NEXT; \
}

static void print_dst(const Sm75Insn *i, GString *out)
{
    g_string_append_c(out, ' ');
    sm75_print_reg(out, i->dst);
}

static void print_abc(const Sm75Insn *i, GString *out, unsigned uses,
                      unsigned signs, const char *neg, Sm75ImmType type)
{
    for (unsigned which = SM75_A; which <= SM75_C; which <<= 1) {
        if (uses & which) {
            sm75_print_operand(i, out, which, signs, neg, type);
        }
    }
}

/* ", P1" unless it is PT. */
static void print_pdst(GString *out, unsigned p)
{
    if (p != 8) {
        sm75_print_psrc(out, p, false);
    }
}

/* ---- IADD3 ---- */

#define IADD3_SIGNS (SM75_NEG_A | SM75_NEG_B | SM75_NEG_C)

static bool decode_iadd3(Sm75Insn *i)
{
    unsigned signs;

    if (!sm75_operands(i, SM75_FORMS_B, USES_ABC)) {
        return false;
    }
    signs = sm75_signs(i, IADD3_SIGNS);
    /* Bit 74 is .X here, not a sign. */
    i->sub[0] = (signs & SM75_NEG_A ? 1 : 0) | (signs & SM75_NEG_B ? 2 : 0) |
                (signs & SM75_NEG_C ? 4 : 0);
    i->sub[2] = sm75_bit(i, 74);
    i->sub[1] = i->sub[2] ? 0 : __builtin_popcount(i->sub[0]);
    i->pdst = sm75_pdst(i, 81);
    i->pdst2 = sm75_pdst(i, 84);
    sm75_psrc(i);
    sm75_psrc2(i, 77, 80);
    i->exec = i->sub[0] || i->sub[2] || i->pdst != 8 || i->pdst2 != 8
            ? SM75_PICK(iadd3_carry) : SM75_PICK(iadd3);
    return true;
}

static void print_iadd3(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[2] ? ".X" : "");
    print_dst(i, out);
    print_pdst(out, i->pdst);
    print_pdst(out, i->pdst2);
    print_abc(i, out, USES_ABC, sm75_signs(i, IADD3_SIGNS),
              i->sub[2] ? "~" : "-", SM75_IMM_INT);
    if (i->sub[2]) {
        sm75_print_psrc(out, i->psrc, i->psrc_not);
        sm75_print_psrc(out, i->psrc2, i->psrc2_not);
    }
}

/* ---- IMAD ---- */

/* sub[0] negates (with .X inverts) c, sub[2] is .X, sub[4] signed. */
static void decode_imad_modifiers(Sm75Insn *i)
{
    i->sub[0] = sm75_signs(i, SM75_NEG_C) != 0;
    i->sub[2] = sm75_bit(i, 74);
    i->sub[1] = i->sub[0] && !i->sub[2];
    i->sub[4] = sm75_bit(i, 73);
    sm75_psrc(i);
}

static bool decode_imad(Sm75Insn *i)
{
    if (!sm75_operands(i, FORMS_ALL, USES_ABC)) {
        return false;
    }
    decode_imad_modifiers(i);
    i->exec = i->sub[2] ? SM75_PICK(imad_x)
            : i->sub[0] ? SM75_PICK(imad_neg) : SM75_PICK(imad);
    return true;
}

static bool decode_imad_wide(Sm75Insn *i)
{
    if (!sm75_operands(i, FORMS_ALL & ~(1 << SM75_FORM_C_IMM), USES_ABC)) {
        return false;
    }
    decode_imad_modifiers(i);
    i->sub[3] = sm75_bits(i, 8, 0) == 0x27;
    i->n_dst = i->sub[3] ? 1 : 2;
    i->n_c = 2;
    i->pdst = sm75_pdst(i, 81);
    i->exec = i->sub[4] ? SM75_PICK(imad_wide_s) : SM75_PICK(imad_wide_u);
    return (i->sub[3] || sm75_pair(i->dst)) &&
           (i->wide == SM75_C || sm75_pair(i->c));
}

/* nvdisasm has names for what compilers use IMAD for. */
static void print_imad(const Sm75Insn *i, GString *out)
{
    bool reg_b = i->wide != SM75_B, imm_b = !reg_b && !i->wide_kind;
    bool zero_c = i->wide != SM75_C && i->c == SM75_RZ;
    bool ur = i->wide && i->wide_kind >= SM75_WIDE_CX;

    if (i->sub[2]) {
        g_string_append(out, i->sub[4] ? ".X" : ".U32.X");
    } else {
        if (!ur && (i->a == SM75_RZ || (reg_b && i->b == SM75_RZ))) {
            g_string_append(out, ".MOV");
        } else if (imm_b && i->imm == 1) {
            g_string_append(out, ".IADD");
        } else if (imm_b && zero_c && i->imm && !(i->imm & (i->imm - 1))) {
            g_string_append(out, ".SHL");
        }
        g_string_append(out, i->sub[4] ? "" : ".U32");
    }
    print_dst(i, out);
    print_abc(i, out, USES_ABC, sm75_signs(i, SM75_NEG_C),
              i->sub[2] ? "~" : "-", SM75_IMM_INT);
    if (i->sub[2]) {
        sm75_print_psrc(out, i->psrc, i->psrc_not);
    }
}

static void print_imad_wide(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[3] ? ".HI" : ".WIDE");
    g_string_append(out, i->sub[4] ? "" : ".U32");
    g_string_append(out, i->sub[2] ? ".X" : "");
    print_dst(i, out);
    print_pdst(out, i->pdst);
    print_abc(i, out, USES_ABC, sm75_signs(i, SM75_NEG_C),
              i->sub[2] ? "~" : "-", SM75_IMM_INT);
    if (i->sub[2]) {
        sm75_print_psrc(out, i->psrc, i->psrc_not);
    }
}

/* ---- IDP ---- */

/* sub[0] signed a, sub[1] signed b, sub[2] the form: 0 4A, 1 2A.LO, 3 2A.HI */
static uint32_t dot(const Sm75Insn *i, uint32_t a, uint32_t b)
{
    bool pairs = i->sub[2];
    unsigned first = i->sub[2] == 3 ? 2 : 0;
    uint32_t sum = 0;

    for (unsigned n = 0; n < (pairs ? 2 : 4); n++) {
        uint32_t x = pairs ? a >> 16 * n & 0xffff : a >> 8 * n & 0xff;
        uint32_t y = b >> 8 * (first + n) & 0xff;

        if (i->sub[0]) {
            x = pairs ? (uint32_t)(int16_t)x : (uint32_t)(int8_t)x;
        }
        if (i->sub[1]) {
            y = (uint32_t)(int8_t)y;
        }
        sum += x * y;
    }
    return sum;
}

LANES(idp, dot(i, a, b) + (i->sub[3] ? -c : c))

static bool decode_idp(Sm75Insn *i)
{
    /* nvdisasm knows no immediate form. */
    if (!sm75_operands(i, SM75_FORMS_B & ~(1 << SM75_FORM_IMM), USES_ABC)) {
        return false;
    }
    i->sub[0] = sm75_bit(i, 73);
    i->sub[1] = sm75_bit(i, 74);
    i->sub[2] = sm75_bits(i, 77, 76);
    i->sub[3] = sm75_bit(i, 75);
    i->exec = exec_idp;
    i->cost = SM75_COST_LANES;
    return i->sub[2] != 2;
}

static void print_idp(const Sm75Insn *i, GString *out)
{
    static const char *const names[4] = { ".4A", ".2A.LO", "", ".2A.HI" };

    g_string_append_printf(out, "%s.%c%u.%c8", names[i->sub[2]],
                           i->sub[0] ? 'S' : 'U', i->sub[2] ? 16 : 8,
                           i->sub[1] ? 'S' : 'U');
    print_dst(i, out);
    print_abc(i, out, USES_ABC, i->sub[3] ? SM75_NEG_C : 0, "-", SM75_IMM_HEX);
}

/* ---- ISETP, IMNMX, IABS, VABSDIFF ---- */

/* sub[0] comparison, sub[1] unsigned, sub[2] combine, sub[3] .EX */
static bool decode_isetp(Sm75Insn *i)
{
    if (!sm75_operands(i, SM75_FORMS_B, USES_AB)) {
        return false;
    }
    i->sub[0] = sm75_bits(i, 78, 76);
    i->sub[1] = !sm75_bit(i, 73);
    i->sub[2] = sm75_bits(i, 75, 74);
    i->sub[3] = sm75_bit(i, 72);
    i->pdst = sm75_pdst(i, 81);
    i->pdst2 = sm75_pdst(i, 84);
    sm75_psrc(i);
    sm75_psrc2(i, 68, 71);
    i->exec = SM75_PICK(isetp);
    i->n_dst = 0;
    return i->sub[2] < 3;
}

static void print_isetp(const Sm75Insn *i, GString *out)
{
    g_string_append(out, sm75_int_cmp_names[i->sub[0]]);
    g_string_append(out, i->sub[1] ? ".U32" : "");
    g_string_append(out, sm75_combine_names[i->sub[2]]);
    g_string_append(out, i->sub[3] ? ".EX " : " ");
    sm75_print_pred(out, i->pdst, false);
    sm75_print_psrc(out, i->pdst2, false);
    print_abc(i, out, USES_AB, 0, "", SM75_IMM_INT);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
    if (i->psrc2 != SM75_PT || i->psrc2_not) {
        sm75_print_psrc(out, i->psrc2, i->psrc2_not);
    }
}

static bool decode_imnmx(Sm75Insn *i)
{
    if (!sm75_operands(i, SM75_FORMS_B, USES_AB)) {
        return false;
    }
    i->sub[0] = !sm75_bit(i, 73);
    sm75_psrc(i);
    i->exec = SM75_PICK(imnmx);
    return true;
}

static void print_imnmx(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[0] ? ".U32" : "");
    print_dst(i, out);
    print_abc(i, out, USES_AB, 0, "", SM75_IMM_INT);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
}

LANES(iabs, b >> 31 ? -b : b)

static bool decode_iabs(Sm75Insn *i)
{
    i->exec = exec_iabs;
    i->cost = SM75_COST_LANES;
    return sm75_operands(i, SM75_FORMS_B, SM75_B);
}

static void print_b(const Sm75Insn *i, GString *out)
{
    print_dst(i, out);
    print_abc(i, out, SM75_B, 0, "",
              i->exec == exec_iabs ? SM75_IMM_INT : SM75_IMM_HEX);
}

static uint32_t abs_difference(bool is_signed, uint32_t a, uint32_t b)
{
    return (is_signed ? (int32_t)a < (int32_t)b : a < b) ? b - a : a - b;
}

static uint32_t byte_differences(bool is_signed, uint32_t a, uint32_t b,
                                 uint32_t c)
{
    for (unsigned n = 0; n < 32; n += 8) {
        c += is_signed ? abs_difference(true, (uint32_t)(int8_t)(a >> n),
                                        (uint32_t)(int8_t)(b >> n))
                       : abs_difference(false, a >> n & 255, b >> n & 255);
    }
    return c;
}

LANES(vabsdiff, abs_difference(i->sub[0], a, b) + c)
/* Four differences, each in its byte. */
static uint32_t packed_differences(bool is_signed, uint32_t a, uint32_t b)
{
    uint32_t r = 0;

    for (unsigned n = 0; n < 32; n += 8) {
        r |= byte_differences(is_signed, a >> n << 24 >> 24,
                              b >> n << 24 >> 24, 0) << n;
    }
    return r;
}

LANES(vabsdiff4, i->sub[1] ? byte_differences(i->sub[0], a, b, c)
                 : packed_differences(i->sub[0], a, b))

/* The predicate destination's meaning is not known: only PT. */
static bool decode_vabsdiff(Sm75Insn *i)
{
    i->sub[0] = sm75_bit(i, 73);
    i->exec = exec_vabsdiff;
    i->cost = SM75_COST_LANES;
    return sm75_operands(i, FORMS_ALL, USES_ABC) && sm75_pdst(i, 81) == 8;
}

/* Without .ACC c is there but does not count: PTX's vabsdiff4 gives it. */
static bool decode_vabsdiff4(Sm75Insn *i)
{
    i->sub[0] = sm75_bit(i, 73);
    i->sub[1] = sm75_bit(i, 75);
    i->exec = exec_vabsdiff4;
    i->cost = SM75_COST_LANES;
    return sm75_operands(i, FORMS_ALL, USES_ABC) && sm75_pdst(i, 81) == 8;
}

static void print_vabsdiff(const Sm75Insn *i, GString *out)
{
    if (i->exec == exec_vabsdiff4) {
        g_string_append(out, i->sub[0] ? "" : ".U8");
        g_string_append(out, i->sub[1] ? ".ACC" : "");
    } else {
        g_string_append(out, i->sub[0] ? "" : ".U32");
    }
    print_dst(i, out);
    print_abc(i, out, USES_ABC, 0, "", SM75_IMM_HEX);
}

/* ---- LOP3 ---- */

static Sm75Exec *lop3_exec(uint8_t lut)
{
    switch (lut) {
    case 0xc0:
        return SM75_PICK(lop3_and);
    case 0xfc:
        return SM75_PICK(lop3_or);
    case 0x3c:
        return SM75_PICK(lop3_xor);
    case 0x33:
        return SM75_PICK(lop3_not);
    case 0x80:
        return SM75_PICK(lop3_and3);
    case 0xfe:
        return SM75_PICK(lop3_or3);
    case 0x96:
        return SM75_PICK(lop3_xor3);
    case 0xea:
        return SM75_PICK(lop3_and_or);
    default:
        return SM75_PICK(lop3);
    }
}

static bool decode_lop3(Sm75Insn *i)
{
    if (!sm75_operands(i, SM75_FORMS_B, USES_ABC)) {
        return false;
    }
    i->sub[0] = sm75_bits(i, 79, 72);
    i->sub[1] = sm75_bit(i, 80);
    i->pdst = sm75_pdst(i, 81);
    sm75_psrc(i);
    i->exec = i->pdst == 8 ? lop3_exec(i->sub[0]) : SM75_PICK(lop3);
    return true;
}

static void print_lop3(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[1] ? ".LUT.PAND" : ".LUT");
    if (i->pdst != 8) {
        g_string_append_c(out, ' ');
        sm75_print_pred(out, i->pdst, false);
        g_string_append_c(out, ',');
    }
    print_dst(i, out);
    print_abc(i, out, USES_ABC, 0, "", SM75_IMM_HEX);
    g_string_append_printf(out, ", 0x%x", i->sub[0]);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
}

/* ---- Shifts and bits ---- */

static Sm75Shf shf_mode(const Sm75Insn *i)
{
    return (Sm75Shf){
        .is_64 = !(i->sub[0] & 2), .is_signed = !(i->sub[0] & 1),
        .wrap = i->sub[1], .right = i->sub[2], .high = i->sub[3],
    };
}

LANES(shf, sm75_shf(shf_mode(i), a, b, c))

/* sub[0] type, sub[1] .W, sub[2] right, sub[3] .HI */
static bool decode_shf(Sm75Insn *i)
{
    Sm75Shf m;

    if (!sm75_operands(i, FORMS_ALL, USES_ABC)) {
        return false;
    }
    i->sub[0] = sm75_bits(i, 74, 73);
    i->sub[1] = sm75_bit(i, 75);
    i->sub[2] = sm75_bit(i, 76);
    i->sub[3] = sm75_bit(i, 80);
    m = shf_mode(i);
    i->exec = exec_shf;
    if (m.wrap && m.is_64) {
        /* None is for that. */
    } else if (!m.right && !m.high) {
        /* The low word has no bits of the high one. */
        i->exec = m.wrap ? SM75_PICK(shl_wrap) : SM75_PICK(shl);
    } else if (m.right && m.high && m.is_signed) {
        i->exec = m.wrap ? SM75_PICK(shr_sign_wrap) : SM75_PICK(shr_sign);
    } else if (m.right && m.high) {
        i->exec = m.wrap ? SM75_PICK(shr_wrap) : SM75_PICK(shr);
    }
    i->cost = i->exec == exec_shf ? SM75_COST_LANES : SM75_COST_VECTOR;
    return true;
}

static void print_shf(const Sm75Insn *i, GString *out)
{
    static const char *const types[4] = { ".S64", ".U64", ".S32", ".U32" };

    g_string_append(out, i->sub[2] ? ".R" : ".L");
    g_string_append(out, i->sub[1] ? ".W" : "");
    g_string_append(out, types[i->sub[0]]);
    g_string_append(out, i->sub[3] ? ".HI" : "");
    print_dst(i, out);
    print_abc(i, out, USES_ABC, 0, "", SM75_IMM_HEX);
}

LANES(bmsk, sm75_bmsk(a, b, i->sub[1]))
LANES(sgxt, sm75_sgxt(a, b, i->sub[1], i->sub[0]))

/* sub[0] signed, sub[1] .W */
static bool decode_bmsk(Sm75Insn *i)
{
    i->sub[1] = sm75_bit(i, 75);
    i->exec = exec_bmsk;
    i->cost = SM75_COST_LANES;
    return sm75_operands(i, SM75_FORMS_B, USES_AB);
}

static void print_bmsk(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[1] ? ".W" : "");
    print_dst(i, out);
    print_abc(i, out, USES_AB, 0, "", SM75_IMM_HEX);
}

static bool decode_sgxt(Sm75Insn *i)
{
    i->sub[0] = sm75_bit(i, 73);
    i->sub[1] = sm75_bit(i, 75);
    i->exec = exec_sgxt;
    i->cost = SM75_COST_LANES;
    return sm75_operands(i, SM75_FORMS_B, USES_AB);
}

static void print_sgxt(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[1] ? ".W" : "");
    g_string_append(out, i->sub[0] ? "" : ".U32");
    print_dst(i, out);
    print_abc(i, out, USES_AB, 0, "", SM75_IMM_HEX);
}

/* sub[2]: all ones inverts */
#define INVERTED(x) ((x) ^ (i->sub[2] ? ~0u : 0))

LANES(flo, sm75_flo(INVERTED(b), i->sub[0], i->sub[1]))
LANES(popc, sm75_popc(INVERTED(b)))
LANES(brev, sm75_brev(b))

/* sub[0] signed, sub[1] .SH. The predicate destination is not known. */
static bool decode_flo(Sm75Insn *i)
{
    i->sub[0] = sm75_bit(i, 73);
    i->sub[1] = sm75_bit(i, 74);
    i->exec = exec_flo;
    i->cost = SM75_COST_LANES;
    if (!sm75_operands(i, SM75_FORMS_B, SM75_B) || sm75_pdst(i, 81) != 8) {
        return false;
    }
    i->sub[2] = sm75_signs(i, SM75_NEG_B) != 0;
    return true;
}

static void print_flo(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[0] ? "" : ".U32");
    g_string_append(out, i->sub[1] ? ".SH" : "");
    print_dst(i, out);
    print_abc(i, out, SM75_B, i->sub[2] ? SM75_NEG_B : 0, "~", SM75_IMM_HEX);
}

static bool decode_popc(Sm75Insn *i)
{
    i->exec = exec_popc;
    i->cost = SM75_COST_LANES;
    if (!sm75_operands(i, SM75_FORMS_B, SM75_B)) {
        return false;
    }
    i->sub[2] = sm75_signs(i, SM75_NEG_B) != 0;
    return true;
}

static void print_popc(const Sm75Insn *i, GString *out)
{
    print_dst(i, out);
    print_abc(i, out, SM75_B, i->sub[2] ? SM75_NEG_B : 0, "~", SM75_IMM_HEX);
}

static bool decode_brev(Sm75Insn *i)
{
    i->exec = exec_brev;
    i->cost = SM75_COST_LANES;
    return sm75_operands(i, SM75_FORMS_B, SM75_B);
}

/* ---- LEA ---- */

static Sm75Lea lea_mode(const Sm75Insn *i)
{
    return (Sm75Lea){
        .shift = i->sub[0], .high = i->sub[1], .x = i->sub[2],
        .neg_a = i->sub[3] & 1, .neg_b = i->sub[3] >> 1,
        .sign_extend = i->sub[4],
    };
}

static Sm75Next exec_lea(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t in = sm75_pvalue(w, i->psrc, i->psrc_not), carries = 0;
    Sm75Lea m = lea_mode(i);
    Sm75Vec tmp, out;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    for (unsigned n = 0; n < SM75_LANES; n++) {
        bool carry = in >> n & 1;

        out[n] = sm75_lea(m, (*s.a)[n], (*s.b)[n], (*s.c)[n], &carry);
        carries |= (uint32_t)carry << n;
    }
    sm75_set(w, i->dst_index, &out);
    sm75_set_pred(w, i->pdst, carries);
    return SM75_NEXT;
}

/* sub[0] shift, sub[1] .HI, sub[2] .X, sub[3] signs of a and b, sub[4] .SX32 */
static bool decode_lea(Sm75Insn *i)
{
    unsigned uses, signs;

    i->sub[0] = sm75_bits(i, 79, 75);
    i->sub[1] = sm75_bit(i, 80);
    i->sub[2] = sm75_bit(i, 74);
    i->sub[4] = sm75_bit(i, 73);
    uses = i->sub[1] && !i->sub[4] ? USES_ABC : USES_AB;
    if (!sm75_operands(i, SM75_FORMS_B, uses) || (i->sub[4] && !i->sub[1])) {
        return false;
    }
    signs = sm75_signs(i, SM75_NEG_A | SM75_NEG_B);
    i->sub[3] = (signs & SM75_NEG_A ? 1 : 0) | (signs & SM75_NEG_B ? 2 : 0);
    i->pdst = sm75_pdst(i, 81);
    sm75_psrc(i);
    i->exec = exec_lea;
    i->cost = SM75_COST_LANES;
    return true;
}

static void print_lea(const Sm75Insn *i, GString *out)
{
    unsigned signs = (i->sub[3] & 1 ? SM75_NEG_A : 0) |
                     (i->sub[3] & 2 ? SM75_NEG_B : 0);

    g_string_append(out, i->sub[1] ? ".HI" : "");
    g_string_append(out, i->sub[2] ? ".X" : "");
    g_string_append(out, i->sub[4] ? ".SX32" : "");
    print_dst(i, out);
    print_pdst(out, i->pdst);
    print_abc(i, out, i->sub[1] && !i->sub[4] ? USES_ABC : USES_AB, signs,
              i->sub[2] ? "~" : "-", SM75_IMM_HEX);
    g_string_append_printf(out, ", 0x%x", i->sub[0]);
    if (i->sub[2]) {
        sm75_print_psrc(out, i->psrc, i->psrc_not);
    }
}

/* ---- SEL ---- */

static bool decode_sel(Sm75Insn *i)
{
    sm75_psrc(i);
    i->exec = SM75_PICK(sel);
    return sm75_operands(i, SM75_FORMS_B, USES_AB);
}

static void print_sel(const Sm75Insn *i, GString *out)
{
    print_dst(i, out);
    print_abc(i, out, USES_AB, 0, "", SM75_IMM_HEX);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
}

static const Sm75Op ops[] = {
    { "IADD3", 0x010, true, decode_iadd3, print_iadd3 },
    { "LEA", 0x011, true, decode_lea, print_lea },
    { "LOP3", 0x012, true, decode_lop3, print_lop3 },
    { "IABS", 0x013, true, decode_iabs, print_b },
    { "VABSDIFF", 0x014, true, decode_vabsdiff, print_vabsdiff },
    { "VABSDIFF4", 0x015, true, decode_vabsdiff4, print_vabsdiff },
    { "IMNMX", 0x017, true, decode_imnmx, print_imnmx },
    { "SHF", 0x019, true, decode_shf, print_shf },
    { "SGXT", 0x01a, true, decode_sgxt, print_sgxt },
    { "BMSK", 0x01b, true, decode_bmsk, print_bmsk },
    { "IMAD", 0x024, true, decode_imad, print_imad },
    { "IMAD", 0x025, true, decode_imad_wide, print_imad_wide },
    { "IMAD", 0x027, true, decode_imad_wide, print_imad_wide },
    { "IDP", 0x026, true, decode_idp, print_idp },
    { "ISETP", 0x00c, true, decode_isetp, print_isetp },
    { "SEL", 0x007, true, decode_sel, print_sel },
    { "FLO", 0x100, true, decode_flo, print_flo },
    { "BREV", 0x101, true, decode_brev, print_b },
    { "POPC", 0x109, true, decode_popc, print_popc },
};

const Sm75Table sm75_table_int = { ops, G_N_ELEMENTS(ops) };
