/*
 * sm_75: control flow. Branches, calls, convergence barriers, barriers of a
 * CTA, exit. What each does to the lanes of a warp: exec-facts 8.5 and 8.6;
 * encodings as NVIDIA's nvdisasm reads them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/grid.h"
#include "model/sm75-alu.h"

#define WARPSYNC        SM75_BARRIERS   /* index of its masks in w->sync */

/* ", " is printed between operands, after the condition if there is one. */
static bool print_condition(const Sm75Insn *i, GString *out)
{
    if (i->psrc == SM75_PT && !i->psrc_not) {
        return false;
    }
    g_string_append_c(out, ' ');
    sm75_print_pred(out, i->psrc, i->psrc_not);
    return true;
}

static void print_next(const Sm75Insn *i, GString *out)
{
    g_string_append(out, print_condition(i, out) ? ", " : " ");
}

/* ---- Branches ---- */

enum { BRA_PLAIN, BRA_U, BRA_DIV, BRA_CONV };

static const char *const bra_flags[] = { "", ".U", ".DIV", ".CONV" };
static const char *const bra_counts[] = { "", ".INC", ".DEC", ".INVALID3" };

/* Bits 81:34 hold a byte offset / 4: bits 33:32 are flags. */
static int64_t branch_offset(const Sm75Insn *i)
{
    uint64_t v = sm75_bits(i, 81, 34);

    return (int64_t)(v << 16) >> 14;
}

/* The lanes of taken go to target, the rest of the group goes on. */
static Sm75Next branch(Sm75Warp *w, uint32_t taken, uint64_t target)
{
    if (taken == w->group) {
        w->pc = target;
        return SM75_JUMP;
    }
    if (!taken) {
        return SM75_NEXT;
    }
    for (uint32_t m = w->group; m; m &= m - 1) {
        unsigned lane = sm75_first(m);

        w->lane_pc[lane] = taken >> lane & 1 ? target : w->pc + 16;
    }
    return SM75_REGROUP;
}

/* The lanes that branch, if the warp is as the flags want it. */
static inline uint32_t bra_taken(const Sm75Warp *w, const Sm75Insn *i)
{
    bool converged = w->group == w->live;

    return (i->sub[0] == BRA_DIV && converged) ||
           (i->sub[0] == BRA_CONV && !converged) ? 0 : sm75_condition(w, i);
}

static Sm75Next exec_bra(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t taken = bra_taken(w, i);

    return branch(w, taken, w->pc + 16 + (uint64_t)i->imm);
}

static bool decode_bra(Sm75Insn *i)
{
    i->exec = exec_bra;
    sm75_psrc(i);
    i->imm = branch_offset(i);
    i->relative = true;
    i->sub[0] = sm75_bits(i, 33, 32);
    return true;
}

static void print_target(GString *out, int64_t target)
{
    g_string_append_printf(out, "%s0x%" G_GINT64_MODIFIER "x",
                           target < 0 ? "-" : "",
                           target < 0 ? -(uint64_t)target : (uint64_t)target);
}

static void print_bra(const Sm75Insn *i, GString *out)
{
    g_string_append(out, bra_counts[sm75_bits(i, 86, 85)]);
    g_string_append(out, bra_flags[i->sub[0]]);
    print_next(i, out);
    print_target(out, i->imm);
}

enum {                          /* sub[1]: how a target is computed */
    TARGET_ABS,                 /* imm + registers */
    TARGET_REL,                 /* next instruction + imm + registers */
};

enum {                          /* sub[2]: of which registers */
    TARGET_IMM,
    TARGET_R,                   /* the pair in a */
    TARGET_UR,
    TARGET_CBUF,
};

/* BRX, JMP, JMX, CALL, RET: a target for each lane. */
static Sm75Next exec_indirect(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t taken = bra_taken(w, i);
    uint64_t base = (uint64_t)i->imm, target, word;
    bool same = true;

    if (!taken) {
        return SM75_NEXT;
    }
    if (i->sub[1] == TARGET_REL) {
        base += w->pc + 16;
    }
    switch (i->sub[2]) {
    case TARGET_UR:
        base += sm75_upair64(w, i->ur);
        return branch(w, taken, base);
    case TARGET_CBUF:
        if (!sm75_cbuf64(w, i->cbuf_index, i->cbuf_offset, &word)) {
            return SM75_FAULT;
        }
        return branch(w, taken, word);
    case TARGET_IMM:
        return branch(w, taken, base);
    default:
        break;
    }
    target = base + sm75_pair64(w, i->a, sm75_first(taken));
    for (uint32_t m = taken; m; m &= m - 1) {
        same &= base + sm75_pair64(w, i->a, sm75_first(m)) == target;
    }
    if (same) {
        return branch(w, taken, target);
    }
    for (uint32_t m = w->group; m; m &= m - 1) {
        unsigned lane = sm75_first(m);

        w->lane_pc[lane] = taken >> lane & 1
                         ? base + sm75_pair64(w, i->a, lane) : w->pc + 16;
    }
    return SM75_REGROUP;
}

static bool decode_indirect(Sm75Insn *i, unsigned target, unsigned source)
{
    i->exec = exec_indirect;
    sm75_psrc(i);
    i->sub[1] = target;
    i->sub[2] = source;
    i->imm = target == TARGET_REL || source != TARGET_IMM
           ? branch_offset(i) : (int64_t)(sm75_bits(i, 80, 34) << 2);
    if (source == TARGET_R) {
        i->a = sm75_bits(i, 31, 24);
        i->n_a = 2;
    } else if (source == TARGET_UR) {
        i->ur = sm75_bits(i, 29, 24);
    }
    if (source == TARGET_CBUF) {
        i->cbuf_index = sm75_bits(i, 58, 54);
        i->cbuf_offset = sm75_bits(i, 53, 38);
        return !sm75_bit(i, 91);
    }
    return true;
}

static bool decode_brx(Sm75Insn *i)
{
    return decode_indirect(i, TARGET_REL, TARGET_R);
}

static bool decode_brxu(Sm75Insn *i)
{
    i->sub[0] = sm75_bits(i, 33, 32);
    return sm75_bit(i, 91) && decode_indirect(i, TARGET_REL, TARGET_UR);
}

static bool decode_jmp(Sm75Insn *i)
{
    i->sub[0] = sm75_bits(i, 33, 32);
    return decode_indirect(i, TARGET_ABS, TARGET_IMM);
}

static bool decode_jmp_cbuf(Sm75Insn *i)
{
    i->sub[0] = sm75_bits(i, 33, 32);
    return decode_indirect(i, TARGET_ABS, TARGET_CBUF);
}

static bool decode_jmx(Sm75Insn *i)
{
    return decode_indirect(i, TARGET_ABS, TARGET_R);
}

static bool decode_jmxu(Sm75Insn *i)
{
    i->sub[0] = sm75_bits(i, 33, 32);
    return sm75_bit(i, 91) && decode_indirect(i, TARGET_ABS, TARGET_UR);
}

static bool decode_call_rel(Sm75Insn *i)
{
    i->relative = true;
    return decode_indirect(i, TARGET_REL,
                           sm75_bit(i, 91) ? TARGET_UR : TARGET_IMM);
}

static bool decode_call_rel_reg(Sm75Insn *i)
{
    i->relative = true;
    return !sm75_bit(i, 91) && decode_indirect(i, TARGET_REL, TARGET_R);
}

static bool decode_call_abs(Sm75Insn *i)
{
    return decode_indirect(i, TARGET_ABS,
                           sm75_bit(i, 91) ? TARGET_UR : TARGET_IMM);
}

static bool decode_call_abs_reg(Sm75Insn *i)
{
    return !sm75_bit(i, 91) && decode_indirect(i, TARGET_ABS, TARGET_R);
}

static bool decode_ret(Sm75Insn *i)
{
    i->relative = !sm75_bit(i, 85);
    return decode_indirect(i, sm75_bit(i, 85) ? TARGET_ABS : TARGET_REL,
                           sm75_bit(i, 91) ? TARGET_UR : TARGET_R);
}

static void print_indirect(const Sm75Insn *i, GString *out)
{
    unsigned opcode = i->lo & 0xff;

    if (opcode == 0x43 || opcode == 0x44 || opcode == 0x50) {
        bool ret = opcode == 0x50;

        g_string_append(out, i->sub[1] == TARGET_ABS ? ".ABS" : ".REL");
        if (sm75_bit(i, 86)) {
            g_string_append(out, ret ? ".NODEC" : ".NOINC");
        }
    } else {
        g_string_append(out, bra_counts[sm75_bits(i, 86, 85)]);
        g_string_append(out, bra_flags[i->sub[0]]);
    }
    print_next(i, out);
    switch (i->sub[2]) {
    case TARGET_CBUF:
        sm75_print_cbuf(i, out, false);
        return;
    case TARGET_R:
        sm75_print_reg(out, i->a);
        break;
    case TARGET_UR:
        sm75_print_ureg(out, i->ur);
        break;
    default:
        break;
    }
    if (i->sub[2] != TARGET_IMM) {
        if (!i->imm && opcode != 0x44 && opcode != 0x50) {
            return;
        }
        g_string_append_c(out, ' ');
    }
    print_target(out, i->imm);
}

static Sm75Next exec_lepc(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec lo = (Sm75Vec) { 0 } + (uint32_t)w->pc;
    Sm75Vec hi = (Sm75Vec) { 0 } + (uint32_t)(w->pc >> 32);

    sm75_set(w, i->dst_index, &lo);
    sm75_set(w, i->dst == SM75_RZ ? 256 : i->dst_index + 1, &hi);
    return SM75_NEXT;
}

static bool decode_lepc(Sm75Insn *i)
{
    i->exec = exec_lepc;
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->n_dst = 2;
    return i->dst != SM75_RZ - 1;
}

static void print_dst(const Sm75Insn *i, GString *out)
{
    g_string_append_c(out, ' ');
    sm75_print_reg(out, i->dst);
}

/* ---- Convergence barriers ---- */

/*
 * Lets go those of the lanes at barrier b for whom all others are there. Lanes
 * with another mask wait at another use of the same register, which code that
 * spills it makes of it.
 */
static void sync_check(Sm75Warp *w, unsigned b)
{
    uint32_t waiting = w->sync_wait[b], go = 0;

    for (uint32_t m = waiting; m;) {
        uint32_t mask = w->sync[b][sm75_first(m)], same = 0;

        for (uint32_t n = m; n; n &= n - 1) {
            if (w->sync[b][sm75_first(n)] == mask) {
                same |= n & -n;
            }
        }
        if (!(mask & w->live & ~same)) {
            go |= same;
        }
        m &= ~same;
    }
    w->sync_wait[b] &= ~go;
    w->blocked &= ~go;
}

/* The lanes of w->mask wait for those in their masks of barrier b. */
static Sm75Next warp_sync(Sm75Warp *w, unsigned b)
{
    uint32_t first = w->sync[b][sm75_first(w->mask)];
    Sm75Vec differ = (w->sync[b] ^ first) & sm75_lanes(w->mask);

    if (!(first & w->live & ~w->mask) && !sm75_any(&differ)) {
        return SM75_NEXT;
    }
    sm75_block(w);
    w->sync_wait[b] |= w->mask;
    sync_check(w, b);
    return SM75_REGROUP;
}

static void set_sync(Sm75Warp *w, unsigned b, const Sm75Vec *value)
{
    Sm75Vec m = sm75_lanes(w->mask);

    w->sync_used = true;
    w->sync[b] = (*value & m) | (w->sync[b] & ~m);
}

static Sm75Next exec_bssy(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec mask;

    w->mask = sm75_condition(w, i);
    mask = (Sm75Vec) { 0 } + w->mask;
    set_sync(w, i->sub[0], &mask);
    return SM75_NEXT;
}

static Sm75Next exec_bsync(Sm75Warp *w, const Sm75Insn *i)
{
    w->mask = sm75_condition(w, i);
    return w->mask ? warp_sync(w, i->sub[0]) : SM75_NEXT;
}

static Sm75Next exec_break(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t leaving = sm75_condition(w, i), others = 0;

    for (uint32_t m = leaving; m; m &= m - 1) {
        others |= w->sync[i->sub[0]][sm75_first(m)];
    }
    for (uint32_t m = others; m; m &= m - 1) {
        w->sync[i->sub[0]][sm75_first(m)] &= ~leaving;
    }
    sync_check(w, i->sub[0]);
    return SM75_NEXT;
}

static bool decode_sync(Sm75Insn *i, Sm75Exec *exec)
{
    i->exec = exec;
    sm75_psrc(i);
    i->sub[0] = sm75_bits(i, 19, 16);
    return true;
}

static bool decode_bssy(Sm75Insn *i)
{
    i->imm = (int64_t)(int32_t)(sm75_bits(i, 63, 34) << 2);
    i->relative = true;
    return decode_sync(i, exec_bssy);
}

static bool decode_bsync(Sm75Insn *i)
{
    return decode_sync(i, exec_bsync);
}

static bool decode_break(Sm75Insn *i)
{
    return decode_sync(i, exec_break);
}

static void print_sync(const Sm75Insn *i, GString *out)
{
    print_next(i, out);
    g_string_append_printf(out, "B%u", i->sub[0]);
    if (i->exec == exec_bssy) {
        g_string_append(out, ", ");
        print_target(out, i->imm);
    }
}

static Sm75Next exec_warpsync(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Src s;
    Sm75Vec tmp;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    w->mask = sm75_condition(w, i);
    if (!w->mask) {
        return SM75_NEXT;
    }
    set_sync(w, WARPSYNC, s.b);
    return warp_sync(w, WARPSYNC);
}

static bool decode_warpsync(Sm75Insn *i)
{
    i->exec = exec_warpsync;
    i->n_dst = 0;
    sm75_psrc(i);
    return sm75_operands(i, SM75_FORMS_B, SM75_B);
}

static void print_operand_b(const Sm75Insn *i, GString *out)
{
    print_next(i, out);
    sm75_print_src(i, out, SM75_B, "", false, SM75_IMM_HEX);
}

/* BMOV between barriers and registers: what a compiler spills with. */
static Sm75Next exec_bmov_to_r(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Vec zero = { 0 };

    sm75_set(w, i->dst_index, &w->sync[i->sub[0]]);
    if (sm75_bit(i, 84)) {
        set_sync(w, i->sub[0], &zero);
    }
    return SM75_NEXT;
}

static Sm75Next exec_bmov_to_b(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75Src s;
    Sm75Vec tmp;

    if (!sm75_fetch(w, i, &s, &tmp)) {
        return SM75_FAULT;
    }
    set_sync(w, i->sub[0], s.b);
    return SM75_NEXT;
}

static Sm75Next exec_bmov_b(Sm75Warp *w, const Sm75Insn *i)
{
    set_sync(w, i->sub[0], &w->sync[i->sub[1]]);
    return SM75_NEXT;
}

/* Above B15 are registers of the warp's state, which are not modelled. */
static bool decode_bmov_to_r(Sm75Insn *i)
{
    i->exec = exec_bmov_to_r;
    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->sub[0] = sm75_bits(i, 27, 24);
    return !sm75_bits(i, 29, 28) && !sm75_bit(i, 91);
}

static bool decode_bmov_to_b(Sm75Insn *i)
{
    i->exec = exec_bmov_to_b;
    i->n_dst = 0;
    i->sub[0] = sm75_bits(i, 27, 24);
    return sm75_operands(i, SM75_FORMS_B, SM75_B) && !sm75_bits(i, 29, 28) &&
           !sm75_bit(i, 84);
}

static bool decode_bmov_b(Sm75Insn *i)
{
    i->exec = exec_bmov_b;
    i->sub[0] = sm75_bits(i, 27, 24);
    i->sub[1] = sm75_bits(i, 35, 32);
    return !sm75_bits(i, 29, 28) && !sm75_bits(i, 37, 36) &&
           !sm75_bit(i, 84) && !sm75_bit(i, 91);
}

static void print_bmov_to_r(const Sm75Insn *i, GString *out)
{
    g_string_append(out, sm75_bit(i, 84) ? ".32.CLEAR " : ".32 ");
    sm75_print_reg(out, i->dst);
    g_string_append_printf(out, ", B%u", i->sub[0]);
}

static void print_bmov_to_b(const Sm75Insn *i, GString *out)
{
    g_string_append_printf(out, ".32 B%u, ", i->sub[0]);
    if (i->exec == exec_bmov_b) {
        g_string_append_printf(out, "B%u", i->sub[1]);
    } else {
        sm75_print_src(i, out, SM75_B, "", false, SM75_IMM_HEX);
    }
}

/* ---- Exit, and what only orders or waits ---- */

void sm75_lanes_exited(Sm75Warp *w)
{
    Sm75Cta *cta = w->cta;

    for (unsigned b = 0; b <= WARPSYNC; b++) {
        if (w->sync_wait[b]) {
            sync_check(w, b);
        }
    }
    if (!w->live) {
        cta->live_warps--;
    }
    sm75_bar_recount(cta);
}

static Sm75Next exec_exit(Sm75Warp *w, const Sm75Insn *i)
{
    uint32_t leaving = sm75_condition(w, i);

    w->live &= ~leaving;
    w->group &= ~leaving;
    if (leaving) {
        sm75_lanes_exited(w);
    }
    return w->group ? SM75_NEXT : SM75_REGROUP;
}

static bool decode_exit(Sm75Insn *i)
{
    i->exec = exec_exit;
    sm75_psrc(i);
    return true;
}

static void print_exit(const Sm75Insn *i, GString *out)
{
    static const char *const modes[] = {
        "", ".KEEPREFCOUNT", ".PREEMPTED", ".INVALID3",
    };

    if (i->op->opcode == 0x94d) {
        g_string_append(out, modes[sm75_bits(i, 85, 84)]);
        g_string_append(out, sm75_bit(i, 86) ? ".NO_ATEXIT" : "");
    }
    print_condition(i, out);
}

static Sm75Next exec_nop(Sm75Warp *w, const Sm75Insn *i)
{
    (void)w;
    (void)i;
    return SM75_NEXT;
}

static bool decode_nop(Sm75Insn *i)
{
    i->exec = exec_nop;
    return true;
}

static Sm75Next exec_yield(Sm75Warp *w, const Sm75Insn *i)
{
    (void)w;
    (void)i;
    return SM75_YIELD;
}

static bool decode_yield(Sm75Insn *i)
{
    i->exec = exec_yield;
    sm75_psrc(i);
    return true;
}

static void print_yield(const Sm75Insn *i, GString *out)
{
    print_condition(i, out);
}

/* How long does not matter: others run meanwhile. */
static bool decode_nanosleep(Sm75Insn *i)
{
    i->exec = exec_yield;
    i->n_dst = 0;
    sm75_psrc(i);
    return sm75_operands(i, SM75_FORMS_B, SM75_B);
}

static void print_nanosleep(const Sm75Insn *i, GString *out)
{
    g_string_append(out, sm75_bit(i, 86) ? ".RAND" : "");
    g_string_append(out, sm75_bit(i, 85) ? ".WARP" : "");
    print_operand_b(i, out);
}

/* Without a debugger or trap handler, a breakpoint is the end. */
static Sm75Next exec_bpt(Sm75Warp *w, const Sm75Insn *i)
{
    (void)i;
    return sm75_raise(w, VGSP_EXC_SM_OTHER);
}

static bool decode_bpt(Sm75Insn *i)
{
    i->exec = exec_bpt;
    i->sub[0] = sm75_bits(i, 86, 84);
    return i->sub[0] != 0;
}

static void print_bpt(const Sm75Insn *i, GString *out)
{
    static const char *const modes[8] = {
        "", ".CAL", ".PAUSE", ".TRAP", ".INT", ".DRAIN", ".PAUSE_QUIET",
        ".INVALID7",
    };
    unsigned code = (unsigned)sm75_bits(i, 36, 34);

    g_string_append(out, modes[i->sub[0]]);
    if (code) {
        g_string_append_printf(out, " 0x%x", code);
    }
}

/* Scoreboards that it waits for, which order nothing here. */
static void print_depbar(const Sm75Insn *i, GString *out)
{
    const char *separator = " {";

    if (sm75_bit(i, 47)) {
        g_string_append_printf(out, ".LE SB%u, 0x%x",
                               (unsigned)sm75_bits(i, 46, 44),
                               (unsigned)sm75_bits(i, 43, 38));
        separator = ", {";
    }

    for (int n = 5; n >= 0; n--) {
        if (sm75_bit(i, 32 + (unsigned)n)) {
            g_string_append_printf(out, "%s%d", separator, n);
            separator = ",";
        }
    }
    g_string_append(out, g_str_equal(separator, ",") ? "}" : "");
}

static const Sm75Op ops[] = {
    { "BMOV", 0x355, false, decode_bmov_to_r, print_bmov_to_r },
    { "BMOV", 0x156, true, decode_bmov_to_b, print_bmov_to_b },
    { "BMOV", 0xf56, false, decode_bmov_b, print_bmov_to_b },
    { "BPT", 0x95c, false, decode_bpt, print_bpt },
    { "BRA", 0x947, false, decode_bra, print_bra },
    { "BREAK", 0x942, false, decode_break, print_sync },
    { "BRX", 0x949, false, decode_brx, print_indirect },
    { "BRXU", 0x958, false, decode_brxu, print_indirect },
    { "BSSY", 0x945, false, decode_bssy, print_sync },
    { "BSYNC", 0x941, false, decode_bsync, print_sync },
    { "CALL", 0x343, false, decode_call_abs_reg, print_indirect },
    { "CALL", 0x344, false, decode_call_rel_reg, print_indirect },
    { "CALL", 0x943, false, decode_call_abs, print_indirect },
    { "CALL", 0x944, false, decode_call_rel, print_indirect },
    { "DEPBAR", 0x91a, false, decode_nop, print_depbar },
    { "ERRBAR", 0x9ab, false, decode_nop, NULL },
    { "EXIT", 0x94d, false, decode_exit, print_exit },
    { "JMP", 0x94a, false, decode_jmp, print_indirect },
    { "JMP", 0xb4a, false, decode_jmp_cbuf, print_indirect },
    { "JMX", 0x94c, false, decode_jmx, print_indirect },
    { "JMXU", 0x959, false, decode_jmxu, print_indirect },
    { "KILL", 0x95b, false, decode_exit, print_exit },
    { "LEPC", 0x34e, false, decode_lepc, print_dst },
    { "NANOSLEEP", 0x15d, true, decode_nanosleep, print_nanosleep },
    { "NOP", 0x918, false, decode_nop, NULL },
    { "RET", 0x950, false, decode_ret, print_indirect },
    { "WARPSYNC", 0x148, true, decode_warpsync, print_operand_b },
    { "YIELD", 0x946, false, decode_yield, print_yield },
};

const Sm75Table sm75_table_control = { ops, G_N_ELEMENTS(ops) };
