/*
 * sm_75: barriers of a CTA, BAR and B2R. A barrier waits for warps: one has
 * arrived when all its lanes that have not exited have. exec-facts 8.5.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/grid.h"
#include "model/sm75-alu.h"

enum { BAR_SYNC, BAR_ARV, BAR_RED };
enum { BAR_POPC, BAR_AND, BAR_OR };

/* All are there: lets them go with the result. */
static void bar_release(Sm75Cta *cta, unsigned id)
{
    Sm75CtaBarrier *bar = &cta->bar[id];
    bool pred = bar->op == BAR_AND ? bar->all : bar->any;

    for (unsigned n = 0; n < cta->num_warps; n++) {
        Sm75Warp *w = &cta->warps[n];

        w->bar_arrived[id] = 0;
        if (w->bar_wait[id]) {
            w->blocked &= ~w->bar_wait[id];
            w->bar_wait[id] = 0;
            w->bar_count = bar->op == BAR_POPC ? bar->count : pred;
            w->bar_pred = pred;
        }
    }
    *bar = (Sm75CtaBarrier) { .all = true };
    cta->bar_pending &= ~(1u << id);
}

static bool bar_full(const Sm75Cta *cta, const Sm75CtaBarrier *bar)
{
    return bar->threads ? bar->full * SM75_LANES >= bar->threads
                        : bar->full >= cta->live_warps;
}

static void bar_recount(Sm75Cta *cta, unsigned id)
{
    Sm75CtaBarrier *bar = &cta->bar[id];

    bar->full = 0;
    for (unsigned n = 0; n < cta->num_warps; n++) {
        const Sm75Warp *w = &cta->warps[n];

        if (w->bar_arrived[id] && !(w->live & ~w->bar_arrived[id]) &&
            (w->live || bar->threads)) {
            bar->full++;
        }
    }
    if (bar_full(cta, bar)) {
        bar_release(cta, id);
    }
}

void sm75_bar_recount(Sm75Cta *cta)
{
    for (uint32_t m = cta->bar_pending; m; m &= m - 1) {
        bar_recount(cta, sm75_first(m));
    }
}

static Sm75Next exec_bar(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Cta *cta = w->cta;
    unsigned lane = sm75_first(w->mask);
    uint32_t id = i->sub[1], threads = (uint32_t)i->imm;
    unsigned mode = i->sub[0];
    Sm75CtaBarrier *bar;
    bool was_full;

    /* exec-facts 8.5: a register holds id, count, or id | count << 16. */
    if (i->sub[2]) {
        uint32_t r = w->r[i->b][lane];

        id = i->sub[2] & 1 ? r & 0xf : id;
        threads = i->sub[2] == 3 ? r >> 16 & 0xfff
                : i->sub[2] == 2 ? r & 0xfff : threads;
    }
    if (threads % SM75_LANES || threads > cta->num_warps * SM75_LANES) {
        return sm75_raise(w, VGSP_EXC_SM_OTHER);
    }
    bar = &cta->bar[id];
    if (!(cta->bar_pending >> id & 1)) {
        *bar = (Sm75CtaBarrier) { .threads = threads, .all = true };
        cta->bar_pending |= 1u << id;
    }
    if (mode == BAR_RED) {
        uint32_t yes = sm75_condition(w, i);

        bar->op = i->sub[3];
        bar->count += (uint32_t)__builtin_popcount(yes);
        bar->any |= yes != 0;
        bar->all &= yes == w->mask;
    }
    was_full = w->bar_arrived[id] && !(w->live & ~w->bar_arrived[id]);
    w->bar_arrived[id] |= w->mask;
    if (mode == BAR_ARV) {
        if (!was_full && !(w->live & ~w->bar_arrived[id])) {
            bar->full++;
            if (bar_full(cta, bar)) {
                bar_release(cta, id);
            }
        }
        return SM75_NEXT;
    }
    w->bar_wait[id] |= w->mask;
    sm75_block(w);
    if (!was_full && !(w->live & ~w->bar_arrived[id])) {
        bar->full++;
        if (bar_full(cta, bar)) {
            bar_release(cta, id);
        }
    }
    return SM75_REGROUP;
}

static bool decode_bar(Sm75Insn *i, unsigned reg)
{
    i->exec = exec_bar;
    sm75_psrc(i);
    i->sub[0] = sm75_bits(i, 78, 77);
    i->sub[1] = reg & 1 ? 0 : sm75_bits(i, 57, 54);
    i->sub[2] = reg;
    i->sub[3] = sm75_bits(i, 75, 74);
    i->imm = reg & 2 ? 0 : (int64_t)sm75_bits(i, 53, 42);
    i->b = reg ? sm75_bits(i, 39, 32) : SM75_RZ;
    return i->sub[0] <= BAR_RED && i->sub[3] <= BAR_OR;
}

static bool decode_bar_imm(Sm75Insn *i)
{
    bool all = sm75_bit(i, 79);         /* SYNCALL: barrier 0, everybody */

    if (!decode_bar(i, 0)) {
        return false;
    }
    if (all) {
        i->sub[0] = BAR_SYNC;
        i->sub[1] = 0;
        i->imm = 0;
    }
    return true;
}

static bool decode_bar_both(Sm75Insn *i)
{
    return !sm75_bit(i, 79) && decode_bar(i, 3);
}

static bool decode_bar_id(Sm75Insn *i)
{
    return !sm75_bit(i, 79) && decode_bar(i, 1);
}

static bool decode_bar_count(Sm75Insn *i)
{
    return !sm75_bit(i, 79) && decode_bar(i, 2);
}

static void print_bar(const Sm75Insn *i, GString *out)
{
    static const char *const modes[] = { ".SYNC", ".ARV", ".RED" };
    static const char *const ops[] = { ".POPC", ".AND", ".OR" };

    if (sm75_bit(i, 79)) {
        g_string_append(out, ".SYNCALL");
        g_string_append(out, sm75_bit(i, 80) ? ".DEFER_BLOCKING" : "");
        return;
    }
    g_string_append(out, modes[i->sub[0]]);
    g_string_append(out, i->sub[0] == BAR_RED ? ops[i->sub[3]] : "");
    g_string_append(out, sm75_bit(i, 80) ? ".DEFER_BLOCKING " : " ");
    if (i->sub[2] & 1) {
        sm75_print_reg(out, i->b);
    } else {
        g_string_append_printf(out, "0x%x", i->sub[1]);
    }
    if (i->sub[2] & 2) {
        g_string_append(out, ", ");
        sm75_print_reg(out, i->b);
    } else if (i->imm || i->sub[0] == BAR_ARV) {
        g_string_append_printf(out, ", 0x%x", (unsigned)i->imm);
    }
    if (i->sub[0] == BAR_RED) {
        sm75_print_psrc(out, i->psrc, i->psrc_not);
    }
}

static Sm75Next exec_b2r_result(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec v = (Sm75Vec) { 0 } + w->bar_count;

    sm75_set(w, i->dst_index, &v);
    sm75_set_pred(w, i->pdst, w->bar_pred ? ~0u : 0);
    return SM75_NEXT;
}

/* The state of a barrier itself is not modelled: it has no such word. */
static bool decode_b2r(Sm75Insn *i)
{
    i->exec = exec_b2r_result;
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->pdst = sm75_pdst(i, 81);
    return sm75_bits(i, 79, 78) == 1;
}

static void print_b2r(const Sm75Insn *i, GString *out)
{
    g_string_append(out, ".RESULT ");
    sm75_print_reg(out, i->dst);
    if (i->pdst != 8) {
        sm75_print_psrc(out, i->pdst, false);
    }
}

static const Sm75Op ops[] = {
    { "B2R", 0x31c, false, decode_b2r, print_b2r },
    { "BAR", 0x31d, false, decode_bar_both, print_bar },
    { "BAR", 0x51d, false, decode_bar_id, print_bar },
    { "BAR", 0x91d, false, decode_bar_count, print_bar },
    { "BAR", 0xb1d, false, decode_bar_imm, print_bar },
};

const Sm75Table sm75_table_barrier = { ops, G_N_ELEMENTS(ops) };
