/*
 * sm_75: what lanes of a warp tell each other. SHFL, VOTE, MATCH:
 * exec-facts 8.4.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/grid.h"
#include "model/sm75-alu.h"

enum { SHFL_IDX, SHFL_UP, SHFL_DOWN, SHFL_BFLY };

/*
 * Where a lane reads from, and whether that lies in its segment; c holds the
 * clamp in 4:0 and the segment mask in 12:8. A lane that does not take part
 * gives what its register holds.
 */
static inline bool shfl_lane(unsigned mode, unsigned lane, uint32_t b,
                             uint32_t c, unsigned *from)
{
    uint32_t segment = c >> 8 & 31, clamp = c & 31;
    uint32_t max = (lane & segment) | (clamp & ~segment);
    uint32_t min = lane & segment, j;
    bool inside;

    b &= 31;
    switch (mode) {
    case SHFL_IDX:
        j = min | (b & ~segment);
        inside = j <= max;
        break;
    case SHFL_UP:
        j = lane - b;
        inside = (int32_t)j >= (int32_t)max;
        break;
    case SHFL_DOWN:
        j = lane + b;
        inside = j <= max;
        break;
    default:
        j = lane ^ b;
        inside = j <= max;
        break;
    }
    *from = inside ? j & 31 : lane;
    return inside;
}

static Sm75Next exec_shfl(Sm75Warp *w, const Sm75Insn *i)
{
    const Sm75Vec *src = &w->r[i->a];
    uint32_t yes = 0;
    Sm75Vec out = *src;

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = sm75_first(m), from;
        uint32_t b = i->sub[1] ? (uint32_t)i->imm : w->r[i->b][lane];
        uint32_t c = i->sub[2] ? i->cbuf_offset : w->r[i->c][lane];

        if (shfl_lane(i->sub[0], lane, b, c, &from)) {
            yes |= m & -m;
        }
        out[lane] = (*src)[from];
    }
    sm75_set(w, i->dst_index, &out);
    sm75_set_pred(w, i->pdst, yes);
    return SM75_NEXT;
}

/*
 * All known from the word: imm_vec says from which lane, the upper half of imm
 * which lanes are inside of their segment.
 */
static Sm75Next exec_shfl_imm(Sm75Warp *w, const Sm75Insn *i)
{
    const Sm75Vec *src = &w->r[i->a];
    Sm75Vec out;

    for (unsigned lane = 0; lane < SM75_LANES; lane++) {
        out[lane] = (*src)[i->imm_vec[lane]];
    }
    sm75_set(w, i->dst_index, &out);
    sm75_set_pred(w, i->pdst, (uint32_t)((uint64_t)i->imm >> 32));
    return SM75_NEXT;
}

/* Codes 0x389 R R, 0x589 R imm, 0x989 imm R, 0xf89 imm imm. */
static bool decode_shfl(Sm75Insn *i)
{
    unsigned code = sm75_bits(i, 11, 0);

    i->exec = exec_shfl;
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->pdst = sm75_pdst(i, 81);
    i->a = sm75_bits(i, 31, 24);
    i->sub[0] = sm75_bits(i, 59, 58);
    i->sub[1] = code == 0x989 || code == 0xf89;
    i->sub[2] = code == 0x589 || code == 0xf89;
    i->b = i->sub[1] ? SM75_RZ : sm75_bits(i, 39, 32);
    i->c = i->sub[2] ? SM75_RZ : sm75_bits(i, 71, 64);
    i->imm = (int64_t)sm75_bits(i, 57, 53);
    i->cbuf_offset = sm75_bits(i, 52, 40);
    if (i->sub[1] && i->sub[2]) {
        uint32_t lane_b = (uint32_t)i->imm;

        i->exec = exec_shfl_imm;
        i->cost = SM75_COST_VECTOR;
        for (unsigned lane = 0; lane < SM75_LANES; lane++) {
            unsigned from;

            if (shfl_lane(i->sub[0], lane, lane_b, i->cbuf_offset, &from)) {
                i->imm |= (int64_t)((uint64_t)1 << (32 + lane));
            }
            i->imm_vec[lane] = from;
        }
    }
    return true;
}

static void print_shfl(const Sm75Insn *i, GString *out)
{
    static const char *const modes[] = { ".IDX ", ".UP ", ".DOWN ", ".BFLY " };

    g_string_append(out, modes[i->sub[0]]);
    sm75_print_pred(out, i->pdst, false);
    g_string_append(out, ", ");
    sm75_print_reg(out, i->dst);
    g_string_append(out, ", ");
    sm75_print_reg(out, i->a);
    g_string_append(out, ", ");
    if (i->sub[1]) {
        g_string_append_printf(out, "0x%x", (unsigned)i->imm);
    } else {
        sm75_print_reg(out, i->b);
    }
    g_string_append(out, ", ");
    if (i->sub[2]) {
        g_string_append_printf(out, "0x%x", i->cbuf_offset);
    } else {
        sm75_print_reg(out, i->c);
    }
}

enum { VOTE_ALL, VOTE_ANY, VOTE_EQ };

/* The ballot, and what is asked of it. */
static uint32_t vote(const Sm75Warp *w, const Sm75Insn *i, bool *yes)
{
    uint32_t ballot = w->mask & sm75_pvalue(w, i->psrc, i->psrc_not);

    *yes = i->sub[0] == VOTE_ANY ? ballot != 0
         : i->sub[0] == VOTE_ALL ? ballot == w->mask
                                 : ballot == 0 || ballot == w->mask;
    return ballot;
}

static Sm75Next exec_vote(Sm75Warp *w, const Sm75Insn *i)
{
    bool yes;
    Sm75Vec out = (Sm75Vec) { 0 } + vote(w, i, &yes);

    sm75_set(w, i->dst_index, &out);
    sm75_set_pred(w, i->pdst, yes ? ~0u : 0);
    return SM75_NEXT;
}

static bool decode_vote(Sm75Insn *i)
{
    i->exec = exec_vote;
    i->cost = SM75_COST_VECTOR;
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->pdst = sm75_pdst(i, 81);
    i->sub[0] = sm75_bits(i, 73, 72);
    sm75_psrc(i);
    return i->sub[0] <= VOTE_EQ;
}

static void print_vote(const Sm75Insn *i, GString *out)
{
    static const char *const modes[] = { ".ALL ", ".ANY ", ".EQ " };

    g_string_append(out, modes[i->sub[0]]);
    sm75_print_reg(out, i->dst);
    g_string_append(out, ", ");
    sm75_print_pred(out, i->pdst, false);
    sm75_print_psrc(out, i->psrc, i->psrc_not);
}

enum { MATCH_ALL, MATCH_ANY };

static Sm75Next exec_match(Sm75Warp *w, const Sm75Insn *i)
{
    bool wide = i->sub[1];
    Sm75Vec out = { 0 };
    uint32_t rest = w->mask;
    bool all;

    while (rest) {
        unsigned first = sm75_first(rest);
        uint64_t value = sm75_pair64(w, i->a, first);
        uint32_t same = 0;

        for (uint32_t m = rest; m; m &= m - 1) {
            uint64_t v = sm75_pair64(w, i->a, sm75_first(m));

            if (wide ? v == value : (uint32_t)v == (uint32_t)value) {
                same |= m & -m;
            }
        }
        for (uint32_t m = same; m; m &= m - 1) {
            out[sm75_first(m)] = same;
        }
        rest &= ~same;
    }
    all = out[sm75_first(w->mask)] == w->mask;
    if (i->sub[0] == MATCH_ALL && !all) {
        out = (Sm75Vec) { 0 };
    }
    sm75_set(w, i->dst_index, &out);
    sm75_set_pred(w, i->pdst, all ? ~0u : 0);
    return SM75_NEXT;
}

static bool decode_match(Sm75Insn *i)
{
    i->exec = exec_match;
    i->cost = SM75_COST_LANES_SLOW;
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->a = sm75_bits(i, 31, 24);
    i->sub[0] = sm75_bit(i, 79);
    i->sub[1] = sm75_bit(i, 73);
    i->n_a = i->sub[1] ? 2 : 1;
    /* Only MATCH.ALL has a predicate. */
    i->pdst = i->sub[0] == MATCH_ALL ? sm75_pdst(i, 81) : 8;
    return true;
}

static void print_match(const Sm75Insn *i, GString *out)
{
    g_string_append(out, i->sub[0] == MATCH_ANY ? ".ANY" : ".ALL");
    g_string_append(out, i->sub[1] ? ".U64 " : " ");
    if (i->sub[0] == MATCH_ALL) {
        sm75_print_pred(out, i->pdst, false);
        g_string_append(out, ", ");
    }
    sm75_print_reg(out, i->dst);
    g_string_append(out, ", ");
    sm75_print_reg(out, i->a);
}

static const Sm75Op ops[] = {
    { "MATCH", 0x3a1, false, decode_match, print_match },
    { "SHFL", 0x389, false, decode_shfl, print_shfl },
    { "SHFL", 0x589, false, decode_shfl, print_shfl },
    { "SHFL", 0x989, false, decode_shfl, print_shfl },
    { "SHFL", 0xf89, false, decode_shfl, print_shfl },
    { "VOTE", 0x806, false, decode_vote, print_vote },
};

const Sm75Table sm75_table_warp = { ops, G_N_ELEMENTS(ops) };
