/*
 * sm_75: from a 128-bit word to an instruction, and back to a line as
 * NVIDIA's nvdisasm prints it. The instructions are the rows of the tables.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-alu.h"

/* The costs: of a row whose decoder says nothing else. */
static const struct {
    const Sm75Table *table;
    uint8_t cost;
} tables[] = {
    { &sm75_table_float, SM75_COST_VECTOR },
    { &sm75_table_half, SM75_COST_LANES },
    { &sm75_table_double, SM75_COST_LANES },
    { &sm75_table_convert, SM75_COST_LANES },
    { &sm75_table_int, SM75_COST_VECTOR },
    { &sm75_table_move, SM75_COST_VECTOR },
    { &sm75_table_pred, SM75_COST_VECTOR },
    { &sm75_table_uniform, SM75_COST_VECTOR },
    { &sm75_table_control, SM75_COST_VECTOR },
    { &sm75_table_barrier, SM75_COST_VECTOR },
    { &sm75_table_memory, SM75_COST_VECTOR },
    { &sm75_table_atomic, SM75_COST_LANES_SLOW },
    { &sm75_table_warp, SM75_COST_LANES },
    { &sm75_table_texture, SM75_COST_LANES },
    { &sm75_table_surface, SM75_COST_LANES },
};

/* Rows by bits 11:0, and their costs. */
static const Sm75Op *rows[4096];
static uint8_t costs[4096];

static void build(void)
{
    /* Exact codes win over those with any operand form. */
    for (unsigned any = 0; any < 2; any++) {
        for (unsigned t = 0; t < G_N_ELEMENTS(tables); t++) {
            for (unsigned n = 0; n < tables[t].table->count; n++) {
                const Sm75Op *op = &tables[t].table->ops[n];

                if (op->any_form != any) {
                    continue;
                }
                for (unsigned form = any; form < (any ? 8 : 1); form++) {
                    unsigned code = op->opcode | form << 9;

                    if (!rows[code]) {
                        rows[code] = op;
                        costs[code] = tables[t].cost;
                    }
                }
            }
        }
    }
}

/* Registers from R0 on until the last of n that begin at base. */
static unsigned up_to(unsigned base, unsigned n)
{
    return base == SM75_RZ || !n ? 0 : MIN(base + n, SM75_RZ);
}

static unsigned count_registers(const Sm75Insn *i)
{
    unsigned n = MAX(up_to(i->a, i->n_a), up_to(i->b, i->n_b));

    n = MAX(n, up_to(i->c, i->n_c));
    return MAX(n, up_to(i->dst, i->n_dst));
}

bool sm75_decode(uint64_t lo, uint64_t hi, Sm75Insn *i)
{
    static gsize once;

    if (g_once_init_enter(&once)) {
        build();
        g_once_init_leave(&once, 1);
    }
    memset(i, 0, sizeof(*i));
    i->lo = lo;
    i->hi = hi;
    i->op = rows[lo & 0xfff];
    i->guard = sm75_bits(i, 14, 12);
    i->guard_not = sm75_bit(i, 15);
    i->form = sm75_bits(i, 11, 9);
    i->a = i->b = i->c = i->dst = SM75_RZ;
    i->dst_index = 256;
    i->cost = costs[lo & 0xfff];
    i->n_a = i->n_b = i->n_c = i->n_dst = 1;
    if (!i->op || !i->op->decode(i) || !i->exec) {
        return false;
    }
    /* What its guard is tells of the uniform datapath's own instructions. */
    i->registers = i->guard_uniform ? 0 : count_registers(i);
    return true;
}

void sm75_print(const Sm75Insn *i, uint64_t pc, GString *out)
{
    if (i->guard != SM75_PT || i->guard_not) {
        g_string_append_c(out, '@');
        (i->guard_uniform ? sm75_print_upred : sm75_print_pred)(
            out, i->guard, i->guard_not);
        g_string_append_c(out, ' ');
    }
    g_string_append(out, i->op->name);
    if (i->op->print) {
        Sm75Insn at = *i;

        at.imm += i->relative ? (int64_t)pc + 16 : 0;
        i->op->print(&at, out);
    }
}
