/*
 * Included before everything else of tests/unit/test-sm75-alu-*.c: what their
 * rig executes is also written to the file that VGSP_VECTORS names, as
 * vectors. Registers beyond those of a vector, uniform predicates and partial
 * warps have no place there: such an execution is left out.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "model/grid.h"
#include "vector.h"

static Sm75Exec *vector_real;

static const uint8_t *vector_bank(const Sm75Warp *w)
{
    return ((const Sm75Sm *)w->worker->sm)->cbuf[VECTOR_BANK][0];
}

static bool vector_fits(const Sm75Warp *w)
{
    const uint32_t *r = (const uint32_t *)&w->r[VECTOR_REGISTERS];

    for (unsigned i = 0; i < (SM75_RZ - VECTOR_REGISTERS) * SM75_LANES; i++) {
        if (r[i] != VECTOR_PADDING) {
            return false;
        }
    }
    for (unsigned i = VECTOR_UNIFORMS; i < 63; i++) {
        if (w->ur[i]) {
            return false;
        }
    }
    for (unsigned i = 0; i < 7; i++) {
        if (w->up[i]) {
            return false;
        }
    }
    return w->mask == ~0u &&
           w->cta->qmd->cbuf[VECTOR_BANK].size == VECTOR_BANK_SIZE;
}

static uint32_t vector_registers(FILE *f, const Sm75Warp *w,
                                 const Sm75Warp *from)
{
    uint32_t mask = 0;

    for (unsigned r = 0; r < VECTOR_REGISTERS; r++) {
        for (unsigned n = 0; n < SM75_LANES; n++) {
            uint32_t was = from ? from->r[r][n] : VECTOR_PADDING;

            if (w->r[r][n] != was) {
                mask |= 1u << r;
            }
        }
        if (f && (mask >> r & 1)) {
            fwrite(&w->r[r], sizeof(w->r[r]), 1, f);
        }
    }
    return mask;
}

static void vector_write(const Sm75Insn *i, const Sm75Warp *before,
                         const Sm75Warp *after)
{
    static FILE *file;
    const char *path = getenv("VGSP_VECTORS");
    const uint8_t *bank = vector_bank(after);
    Vector v = { .lo = i->lo, .hi = i->hi };

    if (!path) {
        return;
    }
    if (!file) {
        file = fopen(path, "a");
        g_assert_nonnull(file);
    }
    snprintf(v.name, sizeof(v.name), "%s", i->op->name);
    v.in_mask = vector_registers(NULL, before, NULL);
    v.out_mask = vector_registers(NULL, after, before);
    memcpy(v.p_in, before->p, sizeof(v.p_in));
    memcpy(v.p_out, after->p, sizeof(v.p_out));
    memcpy(v.ur_in, before->ur, sizeof(v.ur_in));
    memcpy(v.ur_out, after->ur, sizeof(v.ur_out));
    for (unsigned n = 0; bank && n < VECTOR_BANK_SIZE / 4; n++) {
        if (vgsp_le32(bank + n * 4)) {
            v.bank_words = (n | 1) + 1; /* vectors stay aligned to 8 */
        }
    }
    v.size = sizeof(v) + v.bank_words * 4 + SM75_LANES * 4 *
             (__builtin_popcount(v.in_mask) + __builtin_popcount(v.out_mask));
    fwrite(&v, sizeof(v), 1, file);
    vector_registers(file, before, NULL);
    vector_registers(file, after, before);
    fwrite(bank, 4, v.bank_words, file);
    fflush(file);
}

static Sm75Next vector_exec(Sm75Warp *w, const Sm75Insn *i)
{
    static Sm75Warp before;
    bool fits = vector_fits(w);
    Sm75Next next;

    memcpy(&before, w, sizeof(before));
    next = vector_real(w, i);
    if (fits && next == SM75_NEXT && vector_fits(w)) {
        vector_write(i, &before, w);
    }
    return next;
}

static bool vector_decode(uint64_t lo, uint64_t hi, Sm75Insn *i)
{
    bool ok = sm75_decode(lo, hi, i);

    if (ok) {
        vector_real = i->exec;
        i->exec = vector_exec;
    }
    return ok;
}

#define sm75_decode vector_decode
