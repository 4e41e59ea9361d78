/*
 * Instructions of the texture unit: TEX, TLD, TLD4, TMML, TXD, TXQ, with their
 * handle in a register (bindless) or in a constant bank. Operands as Mesa's NAK
 * lays them out (nak_nir_lower_tex.c).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/sm75-alu.h"
#include "model/sm75-tex.h"

/* Bits 63:61 */
enum { DIM_1D, DIM_2D, DIM_3D, DIM_CUBE, DIM_1D_ARRAY, DIM_2D_ARRAY,
       DIM_CUBE_ARRAY = 7 };
/* Bits 89:87 */
enum { LOD_AUTO, LOD_ZERO, LOD_BIAS, LOD_LEVEL, LOD_CLAMP, LOD_BIAS_CLAMP };
/* Bits 77:76 of TLD4 */
enum { GATHER_PLAIN, GATHER_AOFFI, GATHER_PTP };
/* Bits 63:62 of TXQ */
enum { QUERY_DIMENSION, QUERY_TYPE, QUERY_SAMPLER_POS };

/* Meaning of Sm75Insn.sub for all of them. */
enum { SUB_DIM, SUB_MASK, SUB_MODE, SUB_OFFSET, SUB_COMPARE, SUB_COMPONENT };

/* Bits 11:9: the handle is in a constant bank ... */
#define FORM_BOUND      5
/* ... else this says that it is in a register. */
#define BINDLESS_BIT    59
/*
 * .SCR: one sequence of operands, half of it in each source, where they are
 * coordinates and parameters else.
 */
#define SCALAR_BIT      60
#define SCALAR_MAX      4

static unsigned dim_coords(unsigned dim)
{
    switch (dim & 3) {
    case DIM_1D:
        return 1;
    case DIM_2D:
        return 2;
    default:
        return 3;
    }
}

/* ---- Operands of a lane ---- */

/* Registers in a row, taken one by one; where left ends, next follows. */
typedef struct Operands {
    const Sm75Warp *w;
    unsigned reg, lane;
    unsigned left, next;        /* left is 0 where the row has no end */
} Operands;

/* A lookup of one lane. */
typedef struct Lane {
    Sm75TexLookups l;           /* of the lanes before it, too */
    const Sm75Insn *i;
    unsigned lane;
    unsigned coords;            /* how many, without the layer */
    Operands s[2], *s0, *s1;    /* of scalar forms one row: s0 is s1 */
    uint32_t *out;              /* X, Y, Z, W */
    bool resident;
} Lane;

static Operands operands(const Sm75Warp *w, unsigned reg, unsigned lane)
{
    return (Operands) { .w = w, .reg = reg, .lane = lane };
}

static uint32_t take(Operands *o)
{
    uint32_t v = o->reg < SM75_RZ ? o->w->r[o->reg][o->lane] : 0;

    o->reg += o->reg < SM75_RZ;
    if (o->left && !--o->left) {
        o->reg = o->next;
    }
    return v;
}

static float take_float(Operands *o)
{
    uint32_t u = take(o);
    float f;

    memcpy(&f, &u, sizeof(f));
    return f;
}

static void take_coords(Lane *t, float coord[3])
{
    for (unsigned d = 0; d < t->coords; d++) {
        coord[d] = take_float(t->s0);
    }
}

static void set_sources(Lane *t)
{
    const Sm75Insn *i = t->i;

    t->s[0] = operands(t->l.w, i->a, t->lane);
    t->s[1] = operands(t->l.w, i->b, t->lane);
    t->s0 = &t->s[0];
    t->s1 = &t->s[1];
    if (i->imm) {
        t->s[0].left = i->imm <= 2 ? 1 : 2;
        t->s[0].next = i->b;
        t->s1 = t->s0;
    }
}

/* l.image: its handle is the next of these operands, or a constant. */
static bool take_image(Lane *t, Operands *o)
{
    const Sm75Insn *i = t->i;
    uint32_t handle;

    if (i->form != FORM_BOUND) {
        handle = take(o);
    } else if (!sm75_cbuf32(t->l.w, i->cbuf_index, i->cbuf_offset, &handle)) {
        t->l.failed = SM75_FAULT;
        return false;
    }
    return sm75_tex_image(&t->l, handle);
}

static int nibble(uint32_t v, unsigned n)
{
    return (int32_t)(v << (28 - 4 * n)) >> 28;
}

static void put_aoffi(VgspTexRequest *r, uint32_t v)
{
    for (unsigned d = 0; d < 3; d++) {
        r->offset[d] = nibble(v, d);
    }
}

/* ---- All lanes of a lookup ---- */

/*
 * Results wait for the last lane: lanes read each other's operands. Only the
 * components of the mask get registers, two from each destination.
 */
static void put_results(Sm75Warp *w, const Sm75Insn *i,
                        uint32_t v[SM75_LANES][4])
{
    unsigned n = 0;

    for (unsigned c = 0; c < 4; c++) {
        unsigned reg = (n < 2 ? i->dst : i->c) + (n & 1);

        if (!(i->sub[SUB_MASK] >> c & 1)) {
            continue;
        }
        for (uint32_t m = w->mask; m && reg < SM75_RZ; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);

            w->r[reg][lane] = v[lane][c];
        }
        n++;
    }
}

/*
 * one: looks up for one lane, in an image that is not null; false: l.failed
 * says why. source: of the two, that which begins with the handle.
 */
static Sm75Next look_up(Sm75Warp *w, const Sm75Insn *i, unsigned source,
                        bool (*one)(Lane *))
{
    Lane t = { .l = { .w = w }, .i = i,
               .coords = dim_coords(i->sub[SUB_DIM]) };
    uint32_t results[SM75_LANES][4] = { 0 };
    uint32_t fault = 0;         /* lanes that met a sparse page */

    for (uint32_t m = w->mask; m; m &= m - 1) {
        t.lane = (unsigned)__builtin_ctz(m);
        t.out = results[t.lane];
        t.resident = true;
        set_sources(&t);
        if (!take_image(&t, source ? t.s1 : t.s0) ||
            (!t.l.image.null && !one(&t))) {
            return t.l.failed;
        }
        fault |= t.resident ? 0 : 1u << t.lane;
    }
    put_results(w, i, results);
    sm75_set_pred(w, i->pdst, fault);
    return SM75_NEXT;
}

static bool sample(Lane *t, const VgspTexRequest *r)
{
    return vgsp_tex_sample(&t->l.w->worker->mmu, &t->l.image, &t->l.sampler, r,
                           t->out, &t->resident) || sm75_tex_failed(&t->l);
}

/* ---- TEX, TXD ---- */

/* The difference of a coordinate between a lane's pair in the quad. */
static float quad_delta(const Lane *t, unsigned reg, unsigned step)
{
    Operands near = operands(t->l.w, reg, t->lane & ~step);
    Operands far = operands(t->l.w, reg, t->lane | step);

    return take_float(&far) - take_float(&near);
}

/* reg: of the first coordinate. */
static void quad_footprint(const Lane *t, unsigned reg, VgspTexRequest *r)
{
    float ddx[3] = { 0 }, ddy[3] = { 0 };

    for (unsigned d = 0; d < t->coords; d++) {
        ddx[d] = quad_delta(t, reg + d, 1);
        ddy[d] = quad_delta(t, reg + d, 2);
    }
    vgsp_tex_footprint(&t->l.image, &t->l.sampler, ddx, ddy, r);
}

static void take_layer(Lane *t, VgspTexRequest *r)
{
    unsigned mode = t->i->sub[SUB_MODE];

    if (mode == LOD_CLAMP || mode == LOD_BIAS_CLAMP) {
        uint32_t v = take(t->s0);

        r->min_lod = (float)(v & 0xffff) / 256.0f;
        r->layer = v >> 16;
    } else if (t->i->sub[SUB_DIM] & DIM_1D_ARRAY) {
        r->layer = take(t->s0);
    }
}

static bool tex_lane(Lane *t)
{
    VgspTexRequest r = { .compare = t->i->sub[SUB_COMPARE] };
    unsigned mode = t->i->sub[SUB_MODE], coords;

    if (!sm75_tex_sampler(&t->l)) {
        return false;
    }
    take_layer(t, &r);
    coords = t->s0->reg;
    take_coords(t, r.coord);
    if (mode == LOD_LEVEL) {
        r.lod = take_float(t->s1);
    } else if (mode != LOD_ZERO) {
        quad_footprint(t, coords, &r);
    }
    if (mode == LOD_BIAS || mode == LOD_BIAS_CLAMP) {
        r.lod += take_float(t->s1);
    }
    if (t->i->sub[SUB_OFFSET]) {
        put_aoffi(&r, take(t->s1));
    }
    if (r.compare) {
        r.reference = take_float(t->s1);
    }
    return sample(t, &r);
}

static Sm75Next exec_tex(Sm75Warp *w, const Sm75Insn *i)
{
    return look_up(w, i, 1, tex_lane);
}

static bool txd_lane(Lane *t)
{
    float ddx[3] = { 0 }, ddy[3] = { 0 };
    VgspTexRequest r = { 0 };

    if (!sm75_tex_sampler(&t->l)) {
        return false;
    }
    take_coords(t, r.coord);
    for (unsigned d = 0; d < t->coords; d++) {
        ddx[d] = take_float(t->s1);
        ddy[d] = take_float(t->s1);
    }
    if (t->i->sub[SUB_OFFSET]) {
        uint32_t v = take(t->s0);

        put_aoffi(&r, v);
        r.layer = v >> 16;
    } else if (t->i->sub[SUB_DIM] & DIM_1D_ARRAY) {
        r.layer = take(t->s0);
    }
    vgsp_tex_footprint(&t->l.image, &t->l.sampler, ddx, ddy, &r);
    return sample(t, &r);
}

static Sm75Next exec_txd(Sm75Warp *w, const Sm75Insn *i)
{
    return look_up(w, i, 0, txd_lane);
}

/* ---- TLD4: the four texels of a footprint ---- */

static bool tld4_lane(Lane *t)
{
    VgspTexRequest r = { .compare = t->i->sub[SUB_COMPARE] };
    unsigned offsets = t->i->sub[SUB_OFFSET];
    int8_t each[4][2] = { { 0 } };

    if (!sm75_tex_sampler(&t->l)) {
        return false;
    }
    if (t->i->sub[SUB_DIM] & DIM_1D_ARRAY) {
        r.layer = take(t->s0);
    }
    take_coords(t, r.coord);
    if (offsets == GATHER_AOFFI) {
        uint32_t v = take(t->s1);

        for (unsigned d = 0; d < 3; d++) {
            r.offset[d] = (int8_t)(v >> (8 * d));
        }
    } else if (offsets == GATHER_PTP) {
        for (unsigned half = 0; half < 2; half++) {
            uint32_t v = take(t->s1);

            for (unsigned b = 0; b < 4; b++) {
                each[2 * half + b / 2][b % 2] = (int8_t)(v >> (8 * b));
            }
        }
    }
    if (r.compare) {
        r.reference = take_float(t->s1);
    }
    return vgsp_tex_gather(&t->l.w->worker->mmu, &t->l.image, &t->l.sampler,
                           &r, t->i->sub[SUB_COMPONENT],
                           offsets == GATHER_PTP ? each : NULL, t->out,
                           &t->resident) || sm75_tex_failed(&t->l);
}

static Sm75Next exec_tld4(Sm75Warp *w, const Sm75Insn *i)
{
    return look_up(w, i, 1, tld4_lane);
}

/* ---- TLD: a texel, unfiltered ---- */

static bool tld_lane(Lane *t)
{
    uint32_t levels = t->l.image.max_level - t->l.image.min_level;
    uint32_t c[3] = { 0 }, lod = 0;
    VgspTexAt at = { 0 };
    VgspTexel texel;

    if (t->i->sub[SUB_DIM] & DIM_1D_ARRAY) {
        at.layer = take(t->s0);
    }
    for (unsigned d = 0; d < t->coords; d++) {
        c[d] = take(t->s0);
    }
    if (t->i->sub[SUB_COMPARE]) {       /* .MS */
        at.sample = take(t->s1);
    }
    if (t->i->sub[SUB_MODE] == LOD_LEVEL) {
        lod = take(t->s1);
    }
    if (t->i->sub[SUB_OFFSET]) {
        uint32_t v = take(t->s1);

        for (unsigned d = 0; d < t->coords; d++) {
            c[d] += (uint32_t)nibble(v, d);
        }
    }
    at.x = c[0];
    at.y = c[1];
    at.z = c[2];
    if (!vgsp_tex_fetch(&t->l.w->worker->mmu, &t->l.image,
                        lod <= levels ? t->l.image.min_level + lod : ~0u, &at,
                        &texel, &t->resident)) {
        return sm75_tex_failed(&t->l);
    }
    vgsp_tex_apply_sources(&t->l.image, &texel, t->out);
    return true;
}

static Sm75Next exec_tld(Sm75Warp *w, const Sm75Insn *i)
{
    return look_up(w, i, 1, tld_lane);
}

/* ---- Queries ---- */

static bool tmml_lane(Lane *t)
{
    VgspTexRequest r = { 0 };
    unsigned coords;
    float level;

    if (!sm75_tex_sampler(&t->l)) {
        return false;
    }
    if (t->i->sub[SUB_DIM] & DIM_1D_ARRAY) {
        take(t->s0);
    }
    coords = t->s0->reg;
    take_coords(t, r.coord);
    /* Relative to the view, unclamped; and the level it selects. */
    quad_footprint(t, coords, &r);
    level = vgsp_tex_clamp_lod(&t->l.image, &t->l.sampler, r.lod);
    level = CLAMP(level, 0.0f,
                  (float)(t->l.image.max_level - t->l.image.min_level));
    r.lod = CLAMP(r.lod, -128.0f, 127.99609375f);
    t->out[0] = (uint32_t)(int32_t)rintf(r.lod * 256.0f) & 0xffff;
    t->out[1] = (uint32_t)rintf(level * 256.0f);
    return true;
}

static Sm75Next exec_tmml(Sm75Warp *w, const Sm75Insn *i)
{
    return look_up(w, i, 1, tmml_lane);
}

static void query_dimension(const VgspTexImage *t, uint32_t lod,
                            uint32_t out[4])
{
    uint32_t levels = t->max_level - t->min_level;
    unsigned level = t->min_level + MIN(lod, levels);

    out[0] = vgsp_tex_minify(t->width, level);
    out[1] = vgsp_tex_minify(t->height, level);
    switch (t->dim) {
    case VGSP_TEX_1D_ARRAY:
        out[1] = t->depth;
        break;
    case VGSP_TEX_3D:
        out[2] = vgsp_tex_minify(t->depth, level);
        break;
    case VGSP_TEX_CUBE:
    case VGSP_TEX_CUBE_ARRAY:
        out[2] = t->depth / 6;
        break;
    case VGSP_TEX_BUFFER:
        out[1] = out[2] = 1;
        break;
    default:
        out[2] = t->depth;
        break;
    }
    out[3] = levels + 1;
    if (lod > levels) {
        out[0] = out[1] = out[2] = 0;
    }
}

static bool txq_lane(Lane *t)
{
    if (t->i->sub[SUB_MODE] == QUERY_DIMENSION) {
        query_dimension(&t->l.image, take(t->s0), t->out);
    } else {
        t->out[0] = t->l.image.dim;
        t->out[2] = 1u << (t->l.image.sample_x + t->l.image.sample_y);
    }
    return true;
}

static Sm75Next exec_txq(Sm75Warp *w, const Sm75Insn *i)
{
    return look_up(w, i, 0, txq_lane);
}

/* ---- Decoding ---- */

static bool decode_common(Sm75Insn *i, Sm75Exec *exec)
{
    unsigned results;

    if (i->form == FORM_BOUND) {
        i->cbuf_index = sm75_bits(i, 58, 54);
        i->cbuf_offset = sm75_bits(i, 53, 40) * 4;
    } else if (!sm75_bit(i, BINDLESS_BIT)) {
        return false;
    }
    i->exec = exec;
    i->dst = sm75_bits(i, 23, 16);
    i->c = sm75_bits(i, 71, 64); /* the second destination */
    i->a = sm75_bits(i, 31, 24);
    i->b = sm75_bits(i, 39, 32);
    i->pdst = 8;
    i->sub[SUB_DIM] = sm75_bits(i, 63, 61);
    i->sub[SUB_MASK] = sm75_bits(i, 75, 72);
    results = (unsigned)__builtin_popcount(i->sub[SUB_MASK]);
    i->n_dst = MIN(results, 2);
    i->n_c = results - i->n_dst;
    return i->sub[SUB_DIM] != 6;
}

static unsigned has_layer(const Sm75Insn *i)
{
    return !!(i->sub[SUB_DIM] & DIM_1D_ARRAY);
}

/*
 * The usual sources: coordinates and what goes with them; a handle and
 * parameters. imm: all of them in a scalar form.
 */
static void count_sources(Sm75Insn *i, unsigned layer, unsigned parameters)
{
    i->n_a = dim_coords(i->sub[SUB_DIM]) + layer;
    i->n_b = (i->form != FORM_BOUND) + parameters;
    if (i->imm) {
        i->n_a = i->imm <= 2 ? 1 : 2;
        i->n_b = i->imm - i->n_a;
    }
}

/* Those that say whether every texel was resident. */
static bool decode_fetch(Sm75Insn *i, Sm75Exec *exec)
{
    bool ok = decode_common(i, exec);

    i->pdst = sm75_pdst(i, 81);
    return ok;
}

/*
 * imm: how many operands a scalar form has, of which that many are no
 * coordinates; 0 for others.
 */
static bool decode_scalar(Sm75Insn *i, unsigned parameters)
{
    i->imm = 0;
    if (sm75_bit(i, SCALAR_BIT)) {
        i->imm = dim_coords(i->sub[SUB_DIM]) + parameters + has_layer(i);
    }
    count_sources(i, has_layer(i), parameters);
    return !i->imm || (i->form == FORM_BOUND && i->imm <= SCALAR_MAX);
}

static bool decode_tex(Sm75Insn *i)
{
    unsigned mode = sm75_bits(i, 89, 87), parameters;

    i->sub[SUB_OFFSET] = sm75_bit(i, 76);
    i->sub[SUB_COMPARE] = sm75_bit(i, 78);
    i->sub[SUB_MODE] = mode;
    parameters = i->sub[SUB_OFFSET] + i->sub[SUB_COMPARE] +
                 (mode == LOD_LEVEL || mode == LOD_BIAS ||
                  mode == LOD_BIAS_CLAMP);
    if (!decode_fetch(i, exec_tex) || mode > LOD_BIAS_CLAMP ||
        !decode_scalar(i, parameters)) {
        return false;
    }
    if (mode >= LOD_CLAMP) {
        count_sources(i, 1, parameters);
    }
    /* Derivatives of scalar operands are not modelled. */
    return !i->imm || mode == LOD_ZERO || mode == LOD_LEVEL;
}

static bool decode_tld(Sm75Insn *i)
{
    i->sub[SUB_OFFSET] = sm75_bit(i, 76);
    i->sub[SUB_COMPARE] = sm75_bit(i, 78);
    i->sub[SUB_MODE] = sm75_bits(i, 89, 87);
    return decode_fetch(i, exec_tld) &&
           decode_scalar(i, (i->sub[SUB_MODE] == LOD_LEVEL) +
                            i->sub[SUB_OFFSET] + i->sub[SUB_COMPARE]) &&
           (i->sub[SUB_MODE] == LOD_ZERO || i->sub[SUB_MODE] == LOD_LEVEL);
}

static bool decode_tld4(Sm75Insn *i)
{
    i->sub[SUB_OFFSET] = sm75_bits(i, 77, 76);
    i->sub[SUB_COMPARE] = sm75_bit(i, 78);
    i->sub[SUB_COMPONENT] = sm75_bits(i, 88, 87);
    /* GATHER_PTP is two words: its code is their number. */
    return decode_fetch(i, exec_tld4) && i->sub[SUB_OFFSET] <= GATHER_PTP &&
           decode_scalar(i, i->sub[SUB_OFFSET] + i->sub[SUB_COMPARE]);
}

static bool decode_tmml(Sm75Insn *i)
{
    bool ok = decode_common(i, exec_tmml);

    count_sources(i, has_layer(i), 0);
    return ok;
}

static bool decode_txd(Sm75Insn *i)
{
    bool ok = decode_fetch(i, exec_txd);
    unsigned n = dim_coords(i->sub[SUB_DIM]);

    i->sub[SUB_OFFSET] = sm75_bit(i, 76);
    i->n_a = (i->form != FORM_BOUND) + n +
             (i->sub[SUB_OFFSET] || has_layer(i));
    i->n_b = 2 * n;             /* derivatives */
    return ok;
}

static bool decode_txq(Sm75Insn *i)
{
    bool ok = decode_common(i, exec_txq);

    /* Bits 63:61 are no dimension here. */
    i->sub[SUB_MODE] = sm75_bits(i, 63, 62);
    i->n_a = (i->form != FORM_BOUND) + (i->sub[SUB_MODE] == QUERY_DIMENSION);
    i->n_b = 0;
    return (ok || i->sub[SUB_DIM] == 6) &&
           (i->sub[SUB_MODE] == QUERY_DIMENSION ||
            i->sub[SUB_MODE] == QUERY_TYPE);
}

/* ---- Printing ---- */

static void print_bank(GString *out, const Sm75Insn *i)
{
    if (i->form == FORM_BOUND) {
        g_string_append_printf(out, ", 0x%x, 0x%x", i->cbuf_offset / 4,
                               i->cbuf_index);
    }
}

static void print_tex(const Sm75Insn *i, GString *out)
{
    static const char *const dims[] = {
        "1D", "2D", "3D", "CUBE", "ARRAY_1D", "ARRAY_2D", "?", "ARRAY_CUBE",
    };
    static const char *const lods[] = {
        "", ".LZ", ".LB", ".LL", ".LC", ".LB.LC", "?", "?",
    };

    g_string_append(out, i->imm ? ".SCR" : "");
    g_string_append(out, i->form == FORM_BOUND ? "" : ".B");
    if (i->exec == exec_tex || i->exec == exec_tld) {
        g_string_append(out, lods[i->sub[SUB_MODE]]);
    }
    if (i->exec == exec_tld4) {
        g_string_append_printf(out, ".%c", "RGBA"[i->sub[SUB_COMPONENT]]);
        g_string_append(out, i->sub[SUB_OFFSET] == GATHER_AOFFI ? ".AOFFI"
                             : i->sub[SUB_OFFSET] ? ".PTP" : "");
    } else if (i->sub[SUB_OFFSET]) {
        g_string_append(out, ".AOFFI");
    }
    if (i->sub[SUB_COMPARE]) {
        g_string_append(out, i->exec == exec_tld ? ".MS" : ".DC");
    }
    g_string_append_c(out, ' ');
    if (i->pdst != 8) {
        sm75_print_pred(out, i->pdst, false);
        g_string_append(out, ", ");
    }
    sm75_print_reg(out, i->c);
    g_string_append(out, ", ");
    sm75_print_reg(out, i->dst);
    g_string_append(out, ", ");
    sm75_print_reg(out, i->a);
    g_string_append(out, ", ");
    sm75_print_reg(out, i->b);
    print_bank(out, i);
    g_string_append_printf(out, ", %s, 0x%x", dims[i->sub[SUB_DIM]],
                           i->sub[SUB_MASK]);
}

static void print_txq(const Sm75Insn *i, GString *out)
{
    static const char *const queries[] = {
        "TEX_HEADER_DIMENSION", "TEX_HEADER_TEXTURE_TYPE", "?", "?",
    };

    g_string_append(out, i->form == FORM_BOUND ? " " : ".B ");
    sm75_print_reg(out, i->c);
    g_string_append(out, ", ");
    sm75_print_reg(out, i->dst);
    g_string_append(out, ", ");
    sm75_print_reg(out, i->a);
    print_bank(out, i);
    g_string_append_printf(out, ", %s, 0x%x", queries[i->sub[SUB_MODE]],
                           i->sub[SUB_MASK]);
}

static const Sm75Op ops[] = {
    { "TEX", 0x361, false, decode_tex, print_tex },
    { "TEX", 0xb60, false, decode_tex, print_tex },
    { "TLD4", 0x364, false, decode_tld4, print_tex },
    { "TLD4", 0xb63, false, decode_tld4, print_tex },
    { "TLD", 0x367, false, decode_tld, print_tex },
    { "TLD", 0xb66, false, decode_tld, print_tex },
    { "TMML", 0x36a, false, decode_tmml, print_tex },
    { "TMML", 0xb69, false, decode_tmml, print_tex },
    { "TXD", 0x36d, false, decode_txd, print_tex },
    { "TXD", 0xb6c, false, decode_txd, print_tex },
    { "TXQ", 0x370, false, decode_txq, print_txq },
    { "TXQ", 0xb6f, false, decode_txq, print_txq },
};

const Sm75Table sm75_table_texture = { ops, G_N_ELEMENTS(ops) };
