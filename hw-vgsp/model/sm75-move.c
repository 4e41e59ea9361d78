/*
 * sm_75 instructions that move: MOV, PRMT, special registers, and from
 * registers to uniform ones. exec-facts 8.3.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-scalar.h"
#include "model/sm75-alu.h"
#include "model/sm75-special.h"

static void print_dst(const Sm75Insn *i, GString *out)
{
    g_string_append_c(out, ' ');
    sm75_print_reg(out, i->dst);
}

/* ---- MOV ---- */

static Sm75Next exec_mov(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec tmp;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    sm75_set(w, i->dst_index, s.b);
    return SM75_NEXT;
}

/* sub[0]: which lanes of each quad. */
static Sm75Next exec_mov_quad(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t mask = w->mask;
    Sm75Next next;

    w->mask &= i->sub[0] * 0x11111111u;
    next = exec_mov(w, i);
    w->mask = mask;
    return next;
}

static bool decode_mov(Sm75Insn *i)
{
    i->sub[0] = sm75_bits(i, 75, 72);
    i->exec = i->sub[0] == 0xf ? exec_mov : exec_mov_quad;
    return sm75_operands(i, SM75_FORMS_B, SM75_B);
}

static void print_mov(const Sm75Insn *i, GString *out)
{
    print_dst(i, out);
    sm75_print_operand(i, out, SM75_B, 0, "", SM75_IMM_HEX);
    if (i->sub[0] != 0xf) {
        g_string_append_printf(out, ", 0x%x", i->sub[0]);
    }
}

/* ---- PRMT ---- */

static Sm75Next exec_prmt(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec tmp, out;
    Sm75Src s;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    for (unsigned n = 0; n < SM75_LANES; n++) {
        out[n] = sm75_prmt(i->sub[0], (*s.a)[n], (*s.b)[n], (*s.c)[n]);
    }
    sm75_set(w, i->dst_index, &out);
    return SM75_NEXT;
}

/* One selector for all lanes. */
static Sm75Next exec_prmt_imm(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t sel = sm75_prmt_selector(i->sub[0], i->imm);
    Sm75Vec out = { 0 };

    for (unsigned n = 0; n < 4; n++) {
        unsigned nibble = sel >> 4 * n & 15;
        Sm75Vec v = nibble & 4 ? w->r[i->c] : w->r[i->a];

        /* The byte to the top, then back with or without its sign. */
        v <<= 24 - 8 * (nibble & 3);
        if (nibble & 8) {
            v = (Sm75Vec)((Sm75VecS)v >> 31);
        }
        out |= v >> 24 << 8 * n;
    }
    sm75_set(w, i->dst_index, &out);
    return SM75_NEXT;
}

static bool decode_prmt(Sm75Insn *i)
{
    if (!sm75_operands(i, SM75_FORMS_B | SM75_FORMS_C,
                       SM75_A | SM75_B | SM75_C)) {
        return false;
    }
    i->sub[0] = sm75_bits(i, 74, 72);
    i->exec = i->form == SM75_FORM_IMM ? exec_prmt_imm : exec_prmt;
    i->cost = i->form == SM75_FORM_IMM ? i->cost : SM75_COST_LANES;
    return i->sub[0] <= SM75_PRMT_RC16;
}

static void print_prmt(const Sm75Insn *i, GString *out)
{
    static const char *const names[7] = {
        "", ".F4E", ".B4E", ".RC8", ".ECL", ".ECR", ".RC16",
    };

    g_string_append(out, names[i->sub[0]]);
    print_dst(i, out);
    sm75_print_operand(i, out, SM75_A, 0, "", SM75_IMM_HEX);
    sm75_print_operand(i, out, SM75_B, 0, "", SM75_IMM_HEX);
    sm75_print_operand(i, out, SM75_C, 0, "", SM75_IMM_HEX);
}

/* ---- Special registers ---- */

static const char *special_name(unsigned index)
{
    switch (index) {
    case SM75_SR_LANEID: return "SR_LANEID";
    case SM75_SR_CLOCK: return "SR_CLOCK";
    case SM75_SR_VIRTCFG: return "SR_VIRTCFG";
    case SM75_SR_VIRTID: return "SR_VIRTID";
    case SM75_SR_TID: return "SR_TID";
    case SM75_SR_TID_X: return "SR_TID.X";
    case SM75_SR_TID_Y: return "SR_TID.Y";
    case SM75_SR_TID_Z: return "SR_TID.Z";
    case SM75_SR_CTAID_X: return "SR_CTAID.X";
    case SM75_SR_CTAID_Y: return "SR_CTAID.Y";
    case SM75_SR_CTAID_Z: return "SR_CTAID.Z";
    case SM75_SR_SMEMSZ: return "SR_SMEMSZ";
    case SM75_SR_EQMASK: return "SR_EQMASK";
    case SM75_SR_LTMASK: return "SR_LTMASK";
    case SM75_SR_LEMASK: return "SR_LEMASK";
    case SM75_SR_GTMASK: return "SR_GTMASK";
    case SM75_SR_GEMASK: return "SR_GEMASK";
    case SM75_SR_VIRTUALSMID: return "SR_VIRTUALSMID";
    case SM75_SR_CLOCKLO: return "SR_CLOCKLO";
    case SM75_SR_CLOCKHI: return "SR_CLOCKHI";
    case SM75_SR_GLOBALTIMERLO: return "SR_GLOBALTIMERLO";
    case SM75_SR_GLOBALTIMERHI: return "SR_GLOBALTIMERHI";
    case SM75_SRZ: return "SRZ";
    default: return NULL;
    }
}

static bool special_exists(unsigned index)
{
    return special_name(index) ||
           (index >= SM75_SR_PM0 && index <= SM75_SR_PM_HI7);
}

static void print_special(GString *out, unsigned index)
{
    if (special_name(index)) {
        g_string_append_printf(out, ", %s", special_name(index));
    } else {
        index -= SM75_SR_PM0;
        g_string_append_printf(out, ", SR_PM%s%u", index & 1 ? "_HI" : "",
                               index >> 1);
    }
}

/* Threads count x first: lane n of a warp is thread 32 * index + n. */
static void thread_ids(const Sm75Warp *w, unsigned index, Sm75Vec *out)
{
    const uint16_t *block = w->cta->qmd->block;
    uint32_t width = block[0] ? block[0] : 1;
    uint32_t height = block[1] ? block[1] : 1;
    uint32_t first = w->index * SM75_LANES;
    uint32_t x = first % width, y = first / width % height;
    uint32_t z = first / width / height;

    for (unsigned n = 0; n < SM75_LANES; n++) {
        (*out)[n] = index == SM75_SR_TID_X ? x : index == SM75_SR_TID_Y ? y
                  : index == SM75_SR_TID_Z ? z
                  : x | y << 16 | z << 26;
        if (++x == width) {
            x = 0;
            if (++y == height) {
                y = 0;
                z++;
            }
        }
    }
}

/*
 * Every clock is the model's PTIMER: it moves on while programs wait for it.
 * The model is one SM, number 0, with 32 warps.
 */
void sm75_special(Sm75Warp *w, unsigned index, Sm75Vec *out)
{
    uint32_t word = 0;

    switch (index) {
    case SM75_SR_TID:
    case SM75_SR_TID_X:
    case SM75_SR_TID_Y:
    case SM75_SR_TID_Z:
        thread_ids(w, index, out);
        return;
    case SM75_SR_LANEID:
    case SM75_SR_EQMASK:
    case SM75_SR_LTMASK:
    case SM75_SR_LEMASK:
    case SM75_SR_GTMASK:
    case SM75_SR_GEMASK:
        for (unsigned n = 0; n < SM75_LANES; n++) {
            uint32_t bit = 1u << n, below = bit - 1;

            (*out)[n] = index == SM75_SR_LANEID ? n
                      : index == SM75_SR_EQMASK ? bit
                      : index == SM75_SR_LTMASK ? below
                      : index == SM75_SR_LEMASK ? below | bit
                      : index == SM75_SR_GTMASK ? ~(below | bit) : ~below;
        }
        return;
    case SM75_SR_CTAID_X:
    case SM75_SR_CTAID_Y:
    case SM75_SR_CTAID_Z:
        word = w->cta->id[index - SM75_SR_CTAID_X];
        break;
    case SM75_SR_SMEMSZ:
        word = w->cta->qmd->shared_size;
        break;
    case SM75_SR_VIRTCFG:
        word = 1 << 20 | 32 << 8;
        break;
    case SM75_SR_VIRTID:
        word = (w->index & 31) << 8;
        break;
    case SM75_SR_CLOCK:
    case SM75_SR_CLOCKLO:
    case SM75_SR_GLOBALTIMERLO:
        word = vgsp_model_clock(w->worker->model);
        break;
    case SM75_SR_CLOCKHI:
    case SM75_SR_GLOBALTIMERHI:
        word = vgsp_model_clock(w->worker->model) >> 32;
        break;
    }
    *out = (Sm75Vec){ 0 } + word;
}

/* sub[0]: which. */
static Sm75Next exec_s2r(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec out;

    sm75_special(w, i->sub[0], &out);
    sm75_set(w, i->dst_index, &out);
    return SM75_NEXT;
}

/* Two registers from two special ones, at one time. */
static Sm75Next exec_cs2r_64(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec low, high;

    if (i->sub[0] == SM75_SR_CLOCKLO || i->sub[0] == SM75_SR_GLOBALTIMERLO) {
        uint64_t now = vgsp_model_clock(w->worker->model);

        low = (Sm75Vec){ 0 } + (uint32_t)now;
        high = (Sm75Vec){ 0 } + (uint32_t)(now >> 32);
    } else {
        low = high = (Sm75Vec){ 0 };
    }
    sm75_set(w, i->dst_index, &low);
    sm75_set(w, sm75_pair_dst(i->dst_index), &high);
    return SM75_NEXT;
}

static bool decode_s2r(Sm75Insn *i)
{
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->sub[0] = sm75_bits(i, 79, 72);
    i->exec = exec_s2r;
    return special_exists(i->sub[0]);
}

static bool decode_cs2r(Sm75Insn *i)
{
    if (!decode_s2r(i)) {
        return false;
    }
    i->sub[1] = !sm75_bit(i, 80);
    if (i->sub[1]) {
        return true;
    }
    i->exec = exec_cs2r_64;
    i->n_dst = 2;
    return sm75_pair(i->dst) &&
           (i->sub[0] == SM75_SR_CLOCKLO ||
            i->sub[0] == SM75_SR_GLOBALTIMERLO || i->sub[0] == SM75_SRZ);
}

static void print_s2r(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[1] ? ".32" : "");
    print_dst(i, out);
    print_special(out, i->sub[0]);
}

/* ---- R2UR, S2UR ---- */

/* The lowest lane's value: compilers see to it that all have the same. */
static Sm75Next exec_r2ur(Sm75Warp *w, const Sm75Insn *i)
{
    if (w->mask) {
        w->ur[i->dst_index] = w->r[i->a][__builtin_ctz(w->mask)];
    }
    return SM75_NEXT;
}

static Sm75Next exec_s2ur(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec out;

    sm75_special(w, i->sub[0], &out);
    if (w->mask) {
        w->ur[i->dst_index] = out[__builtin_ctz(w->mask)];
    }
    return SM75_NEXT;
}

static void decode_udst(Sm75Insn *i)
{
    i->dst = sm75_bits(i, 21, 16);
    i->dst_index = i->dst == SM75_URZ ? 64 : i->dst;
}

/* The predicate destination and .OR are not known: PT and not. */
static bool decode_r2ur(Sm75Insn *i)
{
    decode_udst(i);
    i->a = sm75_bits(i, 31, 24);
    i->exec = exec_r2ur;
    i->n_dst = 0;               /* but a uniform one */
    return !sm75_bit(i, 91) && !sm75_bit(i, 84) && sm75_pdst(i, 81) == 8;
}

static bool decode_s2ur(Sm75Insn *i)
{
    decode_udst(i);
    i->guard_uniform = true;
    i->sub[0] = sm75_bits(i, 79, 72);
    i->exec = exec_s2ur;
    return special_exists(i->sub[0]) && !sm75_bit(i, 91);
}

static void print_r2ur(const Sm75Insn *i, GString *out)
{
    g_string_append_c(out, ' ');
    sm75_print_ureg(out, i->dst);
    g_string_append(out, ", ");
    sm75_print_reg(out, i->a);
}

static void print_s2ur(const Sm75Insn *i, GString *out)
{
    g_string_append_c(out, ' ');
    sm75_print_ureg(out, i->dst);
    print_special(out, i->sub[0]);
}

static const Sm75Op ops[] = {
    { "MOV", 0x002, true, decode_mov, print_mov },
    { "PRMT", 0x016, true, decode_prmt, print_prmt },
    { "S2R", 0x919, false, decode_s2r, print_s2r },
    { "CS2R", 0x805, false, decode_cs2r, print_s2r },
    { "R2UR", 0x3c2, false, decode_r2ur, print_r2ur },
    { "S2UR", 0x9c3, false, decode_s2ur, print_s2ur },
};

const Sm75Table sm75_table_move = { ops, G_N_ELEMENTS(ops) };
