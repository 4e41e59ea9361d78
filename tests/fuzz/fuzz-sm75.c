/*
 * One sm_75 instruction: any word is decoded and printed, and executed on any
 * registers if it is arithmetic. Control flow and memory need a grid
 * (fuzz-section).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/grid.h"
#include "model/sm75-alu.h"

static bool is_arithmetic(const Sm75Op *op)
{
    static const Sm75Table *const tables[] = {
        &sm75_table_float, &sm75_table_half, &sm75_table_double,
        &sm75_table_convert, &sm75_table_int, &sm75_table_move,
        &sm75_table_pred, &sm75_table_uniform,
    };

    for (unsigned t = 0; t < G_N_ELEMENTS(tables); t++) {
        if (op >= tables[t]->ops && op < tables[t]->ops + tables[t]->count) {
            return true;
        }
    }
    return false;
}

/* Clocks need a model: they are left out. */
static bool reads_clock(const Sm75Insn *i)
{
    return !strcmp(i->op->name, "S2R") || !strcmp(i->op->name, "CS2R") ||
           !strcmp(i->op->name, "S2UR");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Sm75Warp w;
    static VgspQmd qmd;
    static Sm75Cta cta;
    static VgspWorker worker;
    static Sm75Sm sm;
    static Sm75Insn i;
    g_autoptr(GString) out = g_string_new(NULL);
    uint64_t word[2];

    if (size < sizeof(word)) {
        return 0;
    }
    memcpy(word, data, sizeof(word));
    data += sizeof(word);
    size -= sizeof(word);
    if (!sm75_decode(word[0], word[1], &i)) {
        return 0;
    }
    sm75_print(&i, 0x1000, out);
    if (!is_arithmetic(i.op) || reads_clock(&i)) {
        return 0;
    }
    memset(&w, 0, sizeof(w));
    for (unsigned r = 0; size && r < SM75_RZ; r++) {
        for (unsigned n = 0; n < SM75_LANES; n++) {
            w.r[r][n] = data[(r * 7 + n * 4) % size] * 0x01010101u ^
                        data[(r + n) % size] << (n & 15);
        }
    }
    for (unsigned n = 0; size && n < 7; n++) {
        w.p[n] = data[n % size] * 0x01020408u;
        w.up[n] = data[n % size] & 1;
    }
    for (unsigned n = 0; size && n < SM75_URZ; n++) {
        w.ur[n] = data[n % size] * 0x01000193u;
    }
    w.p[7] = w.group = w.live = ~0u;
    w.up[7] = true;
    w.mask = size ? data[size - 1] * 0x01010101u : ~0u;
    /* No bank is bound, and nothing is mapped: reads are 0, or faults. */
    w.cta = &cta;
    w.worker = &worker;
    cta.qmd = &qmd;
    worker.sm = &sm;
    if (i.wide_kind == SM75_WIDE_CX) {
        return 0;               /* a descriptor's memory needs a space */
    }
    i.exec(&w, &i);
    for (unsigned n = 0; n < SM75_LANES; n++) {
        if (w.r[SM75_RZ][n]) {
            abort();            /* RZ was written */
        }
    }
    if (w.p[7] != ~0u || !w.up[7] || w.ur[SM75_URZ]) {
        abort();
    }
    return 0;
}
