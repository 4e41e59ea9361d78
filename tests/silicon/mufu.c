/*
 * Group "mufu": each function of MUFU over numbers of all kinds, on the
 * executor and on the model. A chip interpolates in tables, the model rounds
 * correctly: how far they are apart is a measurement, and fails where it is
 * more than is documented. With --keep, what the chip makes of all mantissas
 * is written, from which its tables can be found.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "replay/bounds.h"
#include "silicon.h"
#include "vgsp/nv/qmd.h"

#define QMD_AT      0x0000
#define CODE_AT     0x1000
#define IN_AT       (1u << 20)
#define OUT_AT      (16u << 20)
#define CHUNK       (1u << 22)  /* results that there is room for */
#define INPUTS      (1u << 14)
#define THREADS     256
#define COUNT       24          /* registers */
#define SHOWN_MAX   24

enum { COS, SIN, EX2, LG2, RCP, RSQ, RCP64H, RSQ64H, SQRT, TANH };

static const char *const names[] = {
    "COS", "SIN", "EX2", "LG2", "RCP", "RSQ", "RCP64H", "RSQ64H", "SQRT",
    "TANH",
};

/* With --keep: count numbers from base on. */
static const struct {
    unsigned function;
    uint32_t base, stride, count;
} dense[] = {
    { RCP, 0x3f800000, 1, 1u << 23 },   /* 1 to 2 */
    { RSQ, 0x3f800000, 2, 1u << 23 },   /* 1 to 4 */
    { LG2, 0x3f800000, 1, 1u << 23 },
    { EX2, 0x3f800000, 1, 1u << 23 },
    { SIN, 0x3f800000, 2, 1u << 22 },   /* 1 to 2 revolutions */
    { SQRT, 0x3f800000, 4, 1u << 22 },  /* 1 to 4 */
    { TANH, 0x3e000000, 8, 1u << 22 },  /* 1/8 to 2 */
};

static uint64_t upper_word(unsigned function)
{
    return (uint64_t)function << 10;
}

static bool wide(unsigned function)
{
    return function == RCP64H || function == RSQ64H;
}

/* result[n] = function of in[n] (stride 0), or of base + n * stride. */
static void prepare(SiliconTwin *t, unsigned function, uint32_t base,
                   uint32_t stride, uint32_t count)
{
    enum { IN = 2, OUT = 4, TID = 6, CTA = 7, INDEX = 8, VALUE = 9 };
    SiliconRig *r = t->a;
    Code c = { (Word *)(r->mem + CODE_AT), 0 };
    Word mufu = put(put(put(op0(0x308), 16, 8, VALUE), 32, 8, VALUE), 74, 4,
                    function);

    emit(&c, s2r(TID, SR_TID_X), 0, NO_BARRIER, 0);
    emit(&c, s2r(CTA, SR_CTAID_X), 1, NO_BARRIER, 0);
    load_pair(&c, IN, RIG_VA + IN_AT);
    load_pair(&c, OUT, RIG_VA + OUT_AT);
    emit(&c, imad_i(INDEX, CTA, THREADS, TID), NO_BARRIER, NO_BARRIER, 3);
    if (stride) {
        plain(&c, imad_i(VALUE, INDEX, stride, RZ));
        plain(&c, iadd_i(VALUE, VALUE, base));
    } else {
        plain(&c, imad_wide_i(IN, INDEX, 4, IN));
        emit(&c, ldg(VALUE, IN, 0, B32), 0, NO_BARRIER, 0);
    }
    plain(&c, imad_wide_i(OUT, INDEX, 4, OUT));
    emit(&c, mufu, 1, NO_BARRIER, 1);
    emit(&c, stg(OUT, 0, VALUE, B32), NO_BARRIER, NO_BARRIER, 2);
    plain(&c, exit_());
    plain(&c, bra(0));
    rig_qmd(rig_words(r, QMD_AT), RIG_VA + CODE_AT, THREADS, COUNT);
    rig_qmd_field(rig_words(r, QMD_AT), NVC5C0_QMDV02_03_CTA_RASTER_WIDTH,
                  count / THREADS);
    memset(r->mem + OUT_AT, 0xee, count * 4);
    rig_begin_compute(r);
    rig_launch(r, RIG_VA + QMD_AT);
    if (t->b) {
        memcpy(t->b->mem, r->mem, IN_AT + INPUTS * 4);
        memcpy(t->b->words, r->words, r->count * 4);
        t->b->count = r->count;
    }
}

/* False, which is said: one side died. */
static bool run_both(SiliconTwin *t, const char *name)
{
    SiliconRig *bad = !rig_run(t->a) ? t->a : t->b && !rig_run(t->b) ? t->b
                    : NULL;

    if (bad) {
        silicon_result(t->a->s, false, "mufu %s: %s", name, rig_why(bad));
        rig_revive(bad);
    }
    return !bad;
}

/* ---- Inputs ---- */

/*
 * Every exponent with eight mantissas and either sign, for single and for
 * double (as the upper words of one), then 8192 numbers from 1 on, apart
 * enough to reach 4.
 */
static void fill_inputs(uint32_t *in, bool of_double)
{
    static const uint32_t mantissas[] = {
        0x000000, 0x000001, 0x7fffff, 0x400000, 0x555555, 0x2aaaaa, 0x123456,
        0x6543fe,
    };
    unsigned n = 0;

    for (uint32_t sign = 0; sign < 2; sign++) {
        for (uint32_t e = 0; !of_double && e < 256; e++) {
            for (unsigned m = 0; m < G_N_ELEMENTS(mantissas); m++) {
                in[n++] = sign << 31 | e << 23 | mantissas[m];
            }
        }
        for (uint32_t e = 0; of_double && e < 2048; e++) {
            in[n++] = sign << 31 | e << 20 | mantissas[e % 8] >> 3;
        }
    }
    for (uint32_t i = 0; n < INPUTS; n++, i++) {
        in[n] = of_double ? 0x3ff00000 + i * 170 : 0x3f800000 + i * 1363;
    }
}

/* ---- Results ---- */

/* Their order is that of the numbers. */
static int64_t rank(uint32_t u)
{
    return u >> 31 ? -(int64_t)(u & 0x7fffffff) : (int64_t)u;
}

/* A zero, a denormal, an infinity or a NaN. */
static bool special(uint32_t u, bool of_double)
{
    uint32_t mask = of_double ? 0x7ff00000 : 0x7f800000;

    return !(u & mask) || (u & mask) == mask;
}

typedef struct Sum {
    unsigned count, equal, specials, far, shown;
    uint64_t total, greatest;
    uint32_t at;                /* ... of this number */
} Sum;

static void add(Sum *s, unsigned function, uint32_t in, uint32_t model,
                uint32_t here)
{
    bool odd = special(model, wide(function)) ||
               special(here, wide(function));
    bool close = vgsp_mufu_close(upper_word(function), model, here);
    uint64_t d = ABS(rank(model) - rank(here));

    s->count++;
    s->equal += model == here;
    s->far += !close;
    if (model != here && odd) {
        s->specials++;
    } else {
        s->total += d;
        if (d > s->greatest) {
            s->greatest = d;
            s->at = in;
        }
    }
    if (model != here && (odd || !close) && s->shown++ < SHOWN_MAX) {
        silicon_note("  %s of %08x: model %08x, here %08x%s", names[function],
                     in, model, here, close ? "" : ", too far");
    }
}

/* What the host's mathematics has, where the suite tests itself. */
static uint32_t reference(unsigned function, uint32_t in, bool *known)
{
    union { uint32_t u; float f; } v = { .u = in };
    union { uint64_t u; double d; } w = { .u = (uint64_t)in << 32 };
    double x = wide(function) ? w.d : v.f, turns = fmod(x, 1) * 2 * M_PI;
    /* Where they fall through 0, what the host has is its rounding of pi. */
    bool through = fmod(x, 0.25) == 0;
    const double results[] = {
        cos(turns), sin(turns), exp2(x), log2(x), 1 / x, 1 / sqrt(x), 1 / x,
        1 / sqrt(x), sqrt(x), tanh(x),
    };

    *known = !special(in, wide(function)) && isfinite(results[function]);
    w.d = results[function];
    v.f = (float)w.d;
    in = wide(function) ? w.u >> 32 : v.u;
    *known = *known && !special(in, wide(function)) &&
             !(function <= SIN && through);
    return in;
}

static void sweep(SiliconTwin *t, unsigned function, FILE *keep)
{
    const uint32_t *here = rig_words(t->a, OUT_AT);
    const uint32_t *in = rig_words(t->a, IN_AT);
    Sum s = { 0 };

    fill_inputs(rig_words(t->a, IN_AT), wide(function));
    prepare(t, function, 0, 0, INPUTS);
    if (!run_both(t, names[function])) {
        return;
    }
    for (unsigned n = 0; n < INPUTS; n++) {
        bool known = true;
        uint32_t model = t->b ? rig_words(t->b, OUT_AT)[n]
                       : reference(function, in[n], &known);

        if (known) {
            add(&s, function, in[n], model, here[n]);
        }
        if (keep) {
            fwrite(&in[n], 4, 1, keep);
            fwrite(&here[n], 4, 1, keep);
        }
    }
    silicon_result(t->a->s, s.count && !s.far, "mufu %s: %u numbers, %u equal,"
                   " greatest distance %" PRIu64 " ULP (of %08x), mean %.3f; "
                   "%u specials differ, %u too far", names[function], s.count,
                   s.equal, s.greatest, s.at, (double)s.total / s.count,
                   s.specials, s.far);
}

/* Distances to the model, a byte each; -128 and 127 are that much or more. */
static void sweep_dense(SiliconTwin *t, size_t i, FILE *keep)
{
    const unsigned function = dense[i].function;
    g_autofree int8_t *far = g_malloc(CHUNK);

    for (uint32_t done = 0; done < dense[i].count; done += CHUNK) {
        prepare(t, function, dense[i].base + done * dense[i].stride,
                dense[i].stride, CHUNK);
        if (!run_both(t, names[function])) {
            return;
        }
        for (uint32_t n = 0; n < CHUNK; n++) {
            int64_t d = rank(rig_words(t->a, OUT_AT)[n]) -
                        rank(rig_words(t->b, OUT_AT)[n]);

            far[n] = (int8_t)CLAMP(d, -128, 127);
        }
        fwrite(far, 1, CHUNK, keep);
    }
    silicon_note("  %s: %u distances of %08x and every %u on",
                 names[function], dense[i].count, dense[i].base,
                 dense[i].stride);
}

static FILE *keep_file(Silicon *s, const char *name)
{
    g_autofree char *path = s->keep ? g_build_filename(s->keep, name, NULL)
                                    : NULL;

    return path ? fopen(path, "w") : NULL;
}

static void run_mufu(Silicon *s)
{
    FILE *keep = keep_file(s, "mufu.bin");
    FILE *all = NULL;
    SiliconTwin t;

    if (twin_new(s, &t)) {
        for (unsigned f = 0; f < G_N_ELEMENTS(names); f++) {
            if (silicon_wanted(s, names[f])) {
                sweep(&t, f, keep);
            }
        }
        all = t.b && !s->match ? keep_file(s, "mufu-dense.bin") : NULL;
        for (size_t i = 0; all && i < G_N_ELEMENTS(dense); i++) {
            sweep_dense(&t, i, all);
        }
    }
    twin_free(&t);
    if (keep) {
        fclose(keep);
    }
    if (all) {
        fclose(all);
    }
}

const SiliconGroup silicon_mufu = { "mufu", run_mufu, false };
