/*
 * sm_75's uniform datapath: one value a warp, registers UR0..UR62 and
 * predicates UP0..UP6. exec-facts 8.1 and 8.3.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-scalar.h"
#include "model/sm75-alu.h"

#define USES_AB (SM75_A | SM75_B)
#define USES_ABC (SM75_A | SM75_B | SM75_C)

/* The operands; they are never a fault. */
typedef struct Words {
    uint32_t a, b, c;
} Words;

static Words fetch(const Sm75Warp *w, const Sm75Insn *i)
{
    Words v = { w->ur[i->a], w->ur[i->b], w->ur[i->c] };

    if (i->wide == SM75_B) {
        v.b = i->imm;
    } else if (i->wide == SM75_C) {
        v.c = i->imm;
    }
    return v;
}

/* One destination: expr of the words v.a, v.b, v.c. */
#define UNIFORM(name, expr) \
static Sm75Next exec_##name(Sm75Warp *w, const Sm75Insn *i) \
{ \
    Words v = fetch(w, i); \
 \
    (void)v; \
    w->ur[i->dst_index] = (expr); \
    return SM75_NEXT; \
}

/* The upper register of a destination; 64 swallows. */
static unsigned pair_dst(unsigned dst_index)
{
    return dst_index + 1 >= SM75_URZ ? 64 : dst_index + 1;
}

static bool upred(const Sm75Warp *w, unsigned p, bool not)
{
    return w->up[p] ^ not;
}

static void print_udst(const Sm75Insn *i, GString *out)
{
    g_string_append_c(out, ' ');
    sm75_print_ureg(out, i->dst);
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

static void print_upsrc(GString *out, unsigned p, bool not)
{
    g_string_append(out, ", ");
    sm75_print_upred(out, p, not);
}

/* ", UP1" unless it is UPT. */
static void print_updst(GString *out, unsigned p)
{
    if (p != 8) {
        print_upsrc(out, p, false);
    }
}

/* ---- UIADD3, UIMAD ---- */

#define UIADD3_SIGNS (SM75_NEG_A | SM75_NEG_B | SM75_NEG_C)

/* sub[0] inverts a, b, c; sub[1] counts the +1 of negations; sub[2] .X */
static Sm75Next exec_uiadd3(Sm75Warp *w, const Sm75Insn *i)
{
    Words v = fetch(w, i);
    uint64_t sum = i->sub[1];

    sum += (uint64_t)(i->sub[0] & 1 ? ~v.a : v.a) +
           (i->sub[0] & 2 ? ~v.b : v.b);
    sum += i->sub[0] & 4 ? ~v.c : v.c;
    if (i->sub[2]) {
        sum += upred(w, i->psrc, i->psrc_not);
        sum += upred(w, i->psrc2, i->psrc2_not);
    }
    w->ur[i->dst_index] = sum;
    w->up[i->pdst] = sum >> 32 > 0;
    w->up[i->pdst2] = sum >> 32 > 1;
    return SM75_NEXT;
}

static bool decode_uiadd3(Sm75Insn *i)
{
    unsigned signs;

    if (!sm75_uoperands(i, SM75_FORMS_UB, USES_ABC)) {
        return false;
    }
    signs = sm75_signs(i, UIADD3_SIGNS);
    i->sub[0] = (signs & SM75_NEG_A ? 1 : 0) | (signs & SM75_NEG_B ? 2 : 0) |
                (signs & SM75_NEG_C ? 4 : 0);
    i->sub[2] = sm75_bit(i, 74);
    i->sub[1] = i->sub[2] ? 0 : __builtin_popcount(i->sub[0]);
    i->pdst = sm75_pdst(i, 81);
    i->pdst2 = sm75_pdst(i, 84);
    sm75_psrc(i);
    sm75_psrc2(i, 77, 80);
    i->exec = exec_uiadd3;
    return true;
}

static void print_uiadd3(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[2] ? ".X" : "");
    print_udst(i, out);
    print_updst(out, i->pdst);
    print_updst(out, i->pdst2);
    print_abc(i, out, USES_ABC, sm75_signs(i, UIADD3_SIGNS),
              i->sub[2] ? "~" : "-", SM75_IMM_INT);
    if (i->sub[2]) {
        print_upsrc(out, i->psrc, i->psrc_not);
        print_upsrc(out, i->psrc2, i->psrc2_not);
    }
}

/* sub[0] inverts c, sub[1] adds 1, sub[2] .X, sub[4] signed */
static Sm75Next exec_uimad(Sm75Warp *w, const Sm75Insn *i)
{
    Words v = fetch(w, i);
    uint32_t c = (i->sub[0] ? ~v.c : v.c) + i->sub[1];

    c += i->sub[2] ? upred(w, i->psrc, i->psrc_not) : 0;
    w->ur[i->dst_index] = v.a * v.b + c;
    return SM75_NEXT;
}

static Sm75Next exec_uimad_wide(Sm75Warp *w, const Sm75Insn *i)
{
    Words v = fetch(w, i);
    uint32_t high = i->c < SM75_URZ ? w->ur[i->c + 1] : 0;
    uint64_t c = v.c | (uint64_t)high << 32;
    uint64_t p = i->sub[4] ? (uint64_t)((int64_t)(int32_t)v.a * (int32_t)v.b)
               : (uint64_t)v.a * v.b;
    uint64_t add = i->sub[1];
    bool carry;

    c = i->sub[0] ? ~c : c;
    if (i->sub[2]) {
        add = upred(w, i->psrc, i->psrc_not);
    }
    p += c;
    carry = p < c;
    p += add;
    carry |= p < add;
    w->ur[i->dst_index] = p;
    w->ur[pair_dst(i->dst_index)] = p >> 32;
    w->up[i->pdst] = carry;
    return SM75_NEXT;
}

static bool decode_uimad(Sm75Insn *i)
{
    if (!sm75_uoperands(i, SM75_FORMS_UBC, USES_ABC)) {
        return false;
    }
    i->sub[0] = sm75_signs(i, SM75_NEG_C) != 0;
    i->sub[2] = sm75_bit(i, 74);
    i->sub[1] = i->sub[0] && !i->sub[2];
    i->sub[4] = sm75_bit(i, 73);
    sm75_psrc(i);
    i->exec = exec_uimad;
    return true;
}

static bool decode_uimad_wide(Sm75Insn *i)
{
    if (!decode_uimad(i) || i->form == SM75_FORM_C_IMM) {
        return false;
    }
    i->sub[3] = 1;
    i->pdst = sm75_pdst(i, 81);
    i->exec = exec_uimad_wide;
    return (i->dst == SM75_URZ || !(i->dst & 1)) &&
           (i->c == SM75_URZ || !(i->c & 1));
}

static void print_uimad(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[3] ? ".WIDE" : "");
    g_string_append(out, i->sub[4] ? "" : ".U32");
    g_string_append(out, i->sub[2] ? ".X" : "");
    print_udst(i, out);
    if (i->sub[3]) {
        print_updst(out, i->pdst);
    }
    print_abc(i, out, USES_ABC, sm75_signs(i, SM75_NEG_C),
              i->sub[2] ? "~" : "-", SM75_IMM_INT);
    if (i->sub[2]) {
        print_upsrc(out, i->psrc, i->psrc_not);
    }
}

/* ---- UISETP ---- */

static bool combine(unsigned op, bool a, bool b)
{
    return sm75_combine(op, a, b) & 1;
}

/* sub[0] comparison, sub[1] unsigned, sub[2] combine, sub[3] .EX */
static Sm75Next exec_uisetp(Sm75Warp *w, const Sm75Insn *i)
{
    Words v = fetch(w, i);
    bool r = sm75_icmp(i->sub[0], !i->sub[1], v.a, v.b);
    bool accum = upred(w, i->psrc, i->psrc_not);

    if (i->sub[3] && v.a == v.b) {
        r = upred(w, i->psrc2, i->psrc2_not);
    }
    w->up[i->pdst2] = combine(i->sub[2], !r, accum);
    w->up[i->pdst] = combine(i->sub[2], r, accum);
    return SM75_NEXT;
}

static bool decode_uisetp(Sm75Insn *i)
{
    if (!sm75_uoperands(i, SM75_FORMS_UB, USES_AB)) {
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
    i->exec = exec_uisetp;
    return i->sub[2] < 3;
}

static void print_uisetp(const Sm75Insn *i, GString *out)
{
    g_string_append(out, sm75_int_cmp_names[i->sub[0]]);
    g_string_append(out, i->sub[1] ? ".U32" : "");
    g_string_append(out, sm75_combine_names[i->sub[2]]);
    g_string_append(out, i->sub[3] ? ".EX " : " ");
    sm75_print_upred(out, i->pdst, false);
    print_upsrc(out, i->pdst2, false);
    print_abc(i, out, USES_AB, 0, "", SM75_IMM_INT);
    print_upsrc(out, i->psrc, i->psrc_not);
    if (i->sub[3]) {
        print_upsrc(out, i->psrc2, i->psrc2_not);
    }
}

/* ---- ULOP3, UPLOP3 ---- */

/* sub[0] table, sub[1] .PAND */
static Sm75Next exec_ulop3(Sm75Warp *w, const Sm75Insn *i)
{
    Words v = fetch(w, i);
    uint32_t r = sm75_lop3(i->sub[0], v.a, v.b, v.c);
    bool p = upred(w, i->psrc, i->psrc_not);

    w->ur[i->dst_index] = r;
    w->up[i->pdst] = i->sub[1] ? r && p : r || p;
    return SM75_NEXT;
}

static bool decode_ulop3(Sm75Insn *i)
{
    if (!sm75_uoperands(i, SM75_FORMS_UB, USES_ABC)) {
        return false;
    }
    i->sub[0] = sm75_bits(i, 79, 72);
    i->sub[1] = sm75_bit(i, 80);
    i->pdst = sm75_pdst(i, 81);
    sm75_psrc(i);
    i->exec = exec_ulop3;
    return true;
}

static void print_ulop3(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[1] ? ".LUT.PAND" : ".LUT");
    if (i->pdst != 8) {
        g_string_append_c(out, ' ');
        sm75_print_upred(out, i->pdst, false);
        g_string_append_c(out, ',');
    }
    print_udst(i, out);
    print_abc(i, out, USES_ABC, 0, "", SM75_IMM_HEX);
    g_string_append_printf(out, ", 0x%x", i->sub[0]);
    print_upsrc(out, i->psrc, i->psrc_not);
}

/* sub[0], sub[1] tables; sub[2], sub[3] the third source */
static Sm75Next exec_uplop3(Sm75Warp *w, const Sm75Insn *i)
{
    bool a = upred(w, i->psrc, i->psrc_not);
    bool b = upred(w, i->psrc2, i->psrc2_not);
    bool c = upred(w, i->sub[2], i->sub[3]);
    unsigned n = a << 2 | b << 1 | c;

    w->up[i->pdst2] = i->sub[1] >> n & 1;
    w->up[i->pdst] = i->sub[0] >> n & 1;
    return SM75_NEXT;
}

static bool decode_uplop3(Sm75Insn *i)
{
    i->guard_uniform = true;
    i->sub[0] = sm75_bits(i, 76, 72) << 3 | sm75_bits(i, 66, 64);
    i->sub[1] = sm75_bits(i, 23, 16);
    i->sub[2] = sm75_bits(i, 70, 68);
    i->sub[3] = sm75_bit(i, 71);
    i->pdst = sm75_pdst(i, 81);
    i->pdst2 = sm75_pdst(i, 84);
    sm75_psrc(i);
    sm75_psrc2(i, 77, 80);
    i->exec = exec_uplop3;
    return !sm75_bit(i, 91);
}

static void print_uplop3(const Sm75Insn *i, GString *out)
{
    g_string_append(out, ".LUT ");
    sm75_print_upred(out, i->pdst, false);
    print_upsrc(out, i->pdst2, false);
    print_upsrc(out, i->psrc, i->psrc_not);
    print_upsrc(out, i->psrc2, i->psrc2_not);
    print_upsrc(out, i->sub[2], i->sub[3]);
    g_string_append_printf(out, ", 0x%x, 0x%x", i->sub[0], i->sub[1]);
}

/* ---- Shifts and bits ---- */

static Sm75Shf shf_mode(const Sm75Insn *i)
{
    return (Sm75Shf){
        .is_64 = !(i->sub[0] & 2), .is_signed = !(i->sub[0] & 1),
        .wrap = i->sub[1], .right = i->sub[2], .high = i->sub[3],
    };
}

UNIFORM(ushf, sm75_shf(shf_mode(i), v.a, v.b, v.c))

/* sub[0] type, sub[1] .W, sub[2] right, sub[3] .HI */
static bool decode_ushf(Sm75Insn *i)
{
    i->sub[0] = sm75_bits(i, 74, 73);
    i->sub[1] = sm75_bit(i, 75);
    i->sub[2] = sm75_bit(i, 76);
    i->sub[3] = sm75_bit(i, 80);
    i->exec = exec_ushf;
    return sm75_uoperands(i, SM75_FORMS_UBC, USES_ABC);
}

static void print_ushf(const Sm75Insn *i, GString *out)
{
    static const char *const types[4] = { ".S64", ".U64", ".S32", ".U32" };

    g_string_append(out, i->sub[2] ? ".R" : ".L");
    g_string_append(out, i->sub[1] ? ".W" : "");
    g_string_append(out, types[i->sub[0]]);
    g_string_append(out, i->sub[3] ? ".HI" : "");
    print_udst(i, out);
    print_abc(i, out, USES_ABC, 0, "", SM75_IMM_HEX);
}

UNIFORM(ubmsk, sm75_bmsk(v.a, v.b, i->sub[1]))
UNIFORM(usgxt, sm75_sgxt(v.a, v.b, i->sub[1], i->sub[0]))

/* sub[0] signed, sub[1] .W */
static bool decode_ubmsk(Sm75Insn *i)
{
    i->sub[0] = 1;
    i->sub[1] = sm75_bit(i, 75);
    i->exec = exec_ubmsk;
    return sm75_uoperands(i, SM75_FORMS_UB, USES_AB);
}

static bool decode_usgxt(Sm75Insn *i)
{
    i->sub[0] = sm75_bit(i, 73);
    i->sub[1] = sm75_bit(i, 75);
    i->exec = exec_usgxt;
    return sm75_uoperands(i, SM75_FORMS_UB, USES_AB);
}

static void print_usgxt(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[1] ? ".W" : "");
    g_string_append(out, i->sub[0] ? "" : ".U32");
    print_udst(i, out);
    print_abc(i, out, USES_AB, 0, "", SM75_IMM_HEX);
}

#define INVERTED(x) ((x) ^ (i->sub[2] ? ~0u : 0))

UNIFORM(uflo, sm75_flo(INVERTED(v.b), i->sub[0], i->sub[1]))
UNIFORM(upopc, sm75_popc(INVERTED(v.b)))
UNIFORM(ubrev, sm75_brev(v.b))

/* sub[0] signed, sub[1] .SH, sub[2] inverted. The predicate is not known. */
static bool decode_uflo(Sm75Insn *i)
{
    if (!sm75_uoperands(i, SM75_FORMS_UB, SM75_B) || sm75_pdst(i, 81) != 8) {
        return false;
    }
    i->sub[0] = sm75_bit(i, 73);
    i->sub[1] = sm75_bit(i, 74);
    i->sub[2] = sm75_signs(i, SM75_NEG_B) != 0;
    i->exec = exec_uflo;
    return true;
}

static bool decode_upopc(Sm75Insn *i)
{
    if (!sm75_uoperands(i, SM75_FORMS_UB, SM75_B)) {
        return false;
    }
    i->sub[0] = 1;
    i->sub[2] = sm75_signs(i, SM75_NEG_B) != 0;
    i->exec = exec_upopc;
    return true;
}

static bool decode_ubrev(Sm75Insn *i)
{
    i->sub[0] = 1;
    i->exec = exec_ubrev;
    return sm75_uoperands(i, SM75_FORMS_UB, SM75_B);
}

static void print_uflo(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[0] ? "" : ".U32");
    g_string_append(out, i->sub[1] ? ".SH" : "");
    print_udst(i, out);
    print_abc(i, out, SM75_B, i->sub[2] ? SM75_NEG_B : 0, "~", SM75_IMM_HEX);
}

/* ---- ULEA, USEL, UPRMT, UMOV ---- */

static Sm75Next exec_ulea(Sm75Warp *w, const Sm75Insn *i)
{
    Words v = fetch(w, i);
    bool carry = upred(w, i->psrc, i->psrc_not);
    Sm75Lea m = {
        .shift = i->sub[0], .high = i->sub[1], .x = i->sub[2],
        .neg_a = i->sub[3] & 1, .neg_b = i->sub[3] >> 1,
        .sign_extend = i->sub[4],
    };

    w->ur[i->dst_index] = sm75_lea(m, v.a, v.b, v.c, &carry);
    w->up[i->pdst] = carry;
    return SM75_NEXT;
}

/* sub[0] shift, sub[1] .HI, sub[2] .X, sub[3] signs of a and b, sub[4] .SX32 */
static bool decode_ulea(Sm75Insn *i)
{
    unsigned signs;

    i->sub[0] = sm75_bits(i, 79, 75);
    i->sub[1] = sm75_bit(i, 80);
    i->sub[2] = sm75_bit(i, 74);
    i->sub[4] = sm75_bit(i, 73);
    if (!sm75_uoperands(i, SM75_FORMS_UB,
                        i->sub[1] && !i->sub[4] ? USES_ABC : USES_AB) ||
        (i->sub[4] && !i->sub[1])) {
        return false;
    }
    signs = sm75_signs(i, SM75_NEG_A | SM75_NEG_B);
    i->sub[3] = (signs & SM75_NEG_A ? 1 : 0) | (signs & SM75_NEG_B ? 2 : 0);
    i->pdst = sm75_pdst(i, 81);
    sm75_psrc(i);
    i->exec = exec_ulea;
    return true;
}

static void print_ulea(const Sm75Insn *i, GString *out)
{
    unsigned signs = (i->sub[3] & 1 ? SM75_NEG_A : 0) |
                     (i->sub[3] & 2 ? SM75_NEG_B : 0);

    g_string_append(out, i->sub[1] ? ".HI" : "");
    g_string_append(out, i->sub[2] ? ".X" : "");
    g_string_append(out, i->sub[4] ? ".SX32" : "");
    print_udst(i, out);
    print_updst(out, i->pdst);
    print_abc(i, out, i->sub[1] && !i->sub[4] ? USES_ABC : USES_AB, signs,
              i->sub[2] ? "~" : "-", SM75_IMM_HEX);
    g_string_append_printf(out, ", 0x%x", i->sub[0]);
    if (i->sub[2]) {
        print_upsrc(out, i->psrc, i->psrc_not);
    }
}

UNIFORM(usel, upred(w, i->psrc, i->psrc_not) ? v.a : v.b)

static bool decode_usel(Sm75Insn *i)
{
    sm75_psrc(i);
    i->exec = exec_usel;
    return sm75_uoperands(i, SM75_FORMS_UB, USES_AB);
}

static void print_usel(const Sm75Insn *i, GString *out)
{
    print_udst(i, out);
    print_abc(i, out, USES_AB, 0, "", SM75_IMM_HEX);
    print_upsrc(out, i->psrc, i->psrc_not);
}

UNIFORM(uprmt, sm75_prmt(SM75_PRMT_INDEX, v.a, v.b, v.c))

static bool decode_uprmt(Sm75Insn *i)
{
    /* nvdisasm knows no modes here. */
    i->exec = exec_uprmt;
    return sm75_uoperands(i, SM75_FORMS_UB, USES_ABC) && !sm75_bits(i, 74, 72);
}

static void print_uprmt(const Sm75Insn *i, GString *out)
{
    print_udst(i, out);
    print_abc(i, out, USES_ABC, 0, "", SM75_IMM_HEX);
}

static Sm75Next exec_umov(Sm75Warp *w, const Sm75Insn *i)
{
    w->ur[i->dst_index] = i->wide ? (uint32_t)i->imm : w->ur[i->b];
    return SM75_NEXT;
}

static void decode_udst(Sm75Insn *i)
{
    i->guard_uniform = true;
    i->a = i->b = i->c = SM75_URZ;
    i->dst = sm75_bits(i, 21, 16);
    i->dst_index = i->dst == SM75_URZ ? 64 : i->dst;
}

static bool decode_umov_imm(Sm75Insn *i)
{
    decode_udst(i);
    i->wide = SM75_B;
    i->wide_kind = SM75_WIDE_IMM;
    i->imm = sm75_bits(i, 63, 32);
    i->exec = exec_umov;
    return !sm75_bit(i, 91);
}

static bool decode_umov(Sm75Insn *i)
{
    decode_udst(i);
    i->b = sm75_bits(i, 37, 32);
    i->exec = exec_umov;
    return sm75_bit(i, 91);
}

static void print_umov(const Sm75Insn *i, GString *out)
{
    print_udst(i, out);
    print_abc(i, out, SM75_B, 0, "", SM75_IMM_HEX);
}

/* ---- ULDC, VOTEU ---- */

/* The word at any offset: constant banks are read by aligned words. */
static bool load_word(Sm75Warp *w, const Sm75Insn *i, uint32_t offset,
                      uint32_t *out)
{
    if (i->wide_kind == SM75_WIDE_CX) {
        uint32_t high = i->cbuf_index < SM75_URZ ? w->ur[i->cbuf_index + 1]
                      : 0;

        return sm75_cbuf_bindless32(
            w, w->ur[i->cbuf_index] | (uint64_t)high << 32, offset, out);
    }
    return sm75_cbuf32(w, i->cbuf_index, offset, out);
}

/* sub[0]: U8 S8 U16 S16 32 64. sub[1]: a signed offset to UR a. */
static Sm75Next exec_uldc(Sm75Warp *w, const Sm75Insn *i)
{
    static const uint8_t sizes[6] = { 1, 1, 2, 2, 4, 8 };
    uint32_t offset = i->sub[1] ? sm75_cbuf_at(w->ur[i->a], i->cbuf_offset)
                                : i->cbuf_offset;
    unsigned size = sizes[i->sub[0]];
    uint32_t word, high;

    if (offset & (size - 1)) {
        return sm75_raise(w, VGSP_EXC_MISALIGNED_ADDRESS);
    }
    if (!load_word(w, i, offset & ~3u, &word) ||
        (size == 8 && !load_word(w, i, offset + 4, &high))) {
        return SM75_FAULT;
    }
    word >>= 8 * (offset & 3);
    switch (i->sub[0]) {
    case 0:
        word = (uint8_t)word;
        break;
    case 1:
        word = (uint32_t)(int8_t)word;
        break;
    case 2:
        word = (uint16_t)word;
        break;
    case 3:
        word = (uint32_t)(int16_t)word;
        break;
    }
    w->ur[i->dst_index] = word;
    if (size == 8) {
        w->ur[pair_dst(i->dst_index)] = high;
    }
    return SM75_NEXT;
}

/* The bank is bound (c[3]), bindless (cx[UR4]), or its offset is in a UR. */
static bool decode_uldc(Sm75Insn *i)
{
    bool ur = sm75_bit(i, 91);

    decode_udst(i);
    i->cbuf_offset = sm75_bits(i, 53, 38);
    i->cbuf_index = sm75_bits(i, 58, 54);
    i->wide_kind = SM75_WIDE_CBUF;
    if (sm75_bits(i, 11, 0) == 0xabb) {
        if (!ur) {
            return false;
        }
        i->sub[1] = 1;
        i->a = sm75_bits(i, 29, 24);
    } else if (ur) {
        i->wide_kind = SM75_WIDE_CX;
        i->cbuf_index = sm75_bits(i, 29, 24);
    }
    i->sub[0] = sm75_bits(i, 75, 73);
    i->exec = exec_uldc;
    return i->sub[0] < 5 ||
           (i->sub[0] == 5 && (i->dst == SM75_URZ || !(i->dst & 1)));
}

static void print_uldc(const Sm75Insn *i, GString *out)
{
    static const char *const types[6] = {
        ".U8", ".S8", ".U16", ".S16", "", ".64",
    };

    g_string_append(out, types[i->sub[0]]);
    print_udst(i, out);
    g_string_append(out, ", ");
    if (!i->sub[1]) {
        sm75_print_cbuf(i, out, false);
    } else {
        g_string_append_printf(out, "c[0x%x][", i->cbuf_index);
        sm75_print_ureg(out, i->a);
        if (i->cbuf_offset) {
            g_string_append_c(out, '+');
            sm75_print_imm(out, (uint32_t)(int16_t)i->cbuf_offset,
                           SM75_IMM_INT);
        }
        g_string_append_c(out, ']');
    }
}

/* A warp instruction: its guard and source are predicates of lanes. */
static Sm75Next exec_voteu(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t p = sm75_pvalue(w, i->psrc, i->psrc_not) & w->mask;

    w->ur[i->dst_index] = p;
    w->up[i->pdst] = i->sub[0] == 0 ? p == w->mask
                   : i->sub[0] == 1 ? p != 0 : p == 0 || p == w->mask;
    return SM75_NEXT;
}

/* sub[0]: ALL ANY EQ */
static bool decode_voteu(Sm75Insn *i)
{
    decode_udst(i);
    i->guard_uniform = false;
    i->n_dst = i->n_a = i->n_b = i->n_c = 0; /* all are uniform */
    i->sub[0] = sm75_bits(i, 73, 72);
    i->pdst = sm75_pdst(i, 81);
    sm75_psrc(i);
    i->exec = exec_voteu;
    return i->sub[0] < 3 && !sm75_bit(i, 91);
}

static void print_voteu(const Sm75Insn *i, GString *out)
{
    static const char *const names[3] = { ".ALL", ".ANY", ".EQ" };

    g_string_append(out, names[i->sub[0]]);
    if (i->dst != SM75_URZ) {
        print_udst(i, out);
        g_string_append_c(out, ',');
    }
    g_string_append_c(out, ' ');
    sm75_print_upred(out, i->pdst, false);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
}

static const Sm75Op ops[] = {
    { "USEL", 0x087, true, decode_usel, print_usel },
    { "UISETP", 0x08c, true, decode_uisetp, print_uisetp },
    { "UIADD3", 0x090, true, decode_uiadd3, print_uiadd3 },
    { "ULEA", 0x091, true, decode_ulea, print_ulea },
    { "ULOP3", 0x092, true, decode_ulop3, print_ulop3 },
    { "UPRMT", 0x096, true, decode_uprmt, print_uprmt },
    { "USHF", 0x099, true, decode_ushf, print_ushf },
    { "USGXT", 0x09a, true, decode_usgxt, print_usgxt },
    { "UBMSK", 0x09b, true, decode_ubmsk, print_usgxt },
    { "UPLOP3", 0x89c, false, decode_uplop3, print_uplop3 },
    { "UIMAD", 0x0a4, true, decode_uimad, print_uimad },
    { "UIMAD", 0x0a5, true, decode_uimad_wide, print_uimad },
    { "UFLO", 0x0bd, true, decode_uflo, print_uflo },
    { "UBREV", 0x0be, true, decode_ubrev, print_uflo },
    { "UPOPC", 0x0bf, true, decode_upopc, print_uflo },
    { "UMOV", 0x882, false, decode_umov_imm, print_umov },
    { "UMOV", 0xc82, false, decode_umov, print_umov },
    { "ULDC", 0xab9, false, decode_uldc, print_uldc },
    { "ULDC", 0xabb, false, decode_uldc, print_uldc },
    { "VOTEU", 0x886, false, decode_voteu, print_voteu },
};

const Sm75Table sm75_table_uniform = { ops, G_N_ELEMENTS(ops) };
