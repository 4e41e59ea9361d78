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

/* The two of an instruction; returns the second, which may be the first. */
static Operands *sources(const Sm75Warp *w, const Sm75Insn *i, unsigned lane,
                         Operands s[2])
{
    s[0] = operands(w, i->a, lane);
    s[1] = operands(w, i->b, lane);
    if (!i->imm) {
        return &s[1];
    }
    s[0].left = i->imm <= 2 ? 1 : 2;
    s[0].next = i->b;
    return &s[0];
}

/* l->image: its handle is the next of these operands, or a constant. */
static bool take_image(Sm75TexLookups *l, const Sm75Insn *i, Operands *o)
{
    uint32_t handle;

    if (i->form != FORM_BOUND) {
        handle = take(o);
    } else if (!sm75_cbuf32(l->w, i->cbuf_index, i->cbuf_offset, &handle)) {
        l->failed = SM75_FAULT;
        return false;
    }
    return sm75_tex_image(l, handle);
}

/* ---- Results ---- */

/* Of all lanes: they read each other's operands until the last has read. */
typedef struct Results {
    uint32_t v[SM75_LANES][4];
    uint32_t fault;             /* lanes that met a sparse page */
} Results;

/* Only the components of the mask get registers, two from each destination. */
static Sm75Next put_results(Sm75Warp *w, const Sm75Insn *i, const Results *res)
{
    unsigned n = 0;

    for (unsigned c = 0; c < 4; c++) {
        unsigned reg = (n < 2 ? i->dst : i->c) + (n & 1);

        if (!(i->sub[SUB_MASK] >> c & 1)) {
            continue;
        }
        for (uint32_t m = w->mask; m && reg < SM75_RZ; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);

            w->r[reg][lane] = res->v[lane][c];
        }
        n++;
    }
    sm75_set_pred(w, i->pdst, res->fault);
    return SM75_NEXT;
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

/* ---- TEX ---- */

/* The difference of a coordinate between a lane's pair in the quad. */
static float quad_delta(const Sm75Warp *w, unsigned reg, unsigned lane,
                        unsigned step)
{
    Operands near = operands(w, reg, lane & ~step);
    Operands far = operands(w, reg, lane | step);

    return take_float(&far) - take_float(&near);
}

static float quad_lod(const Sm75Warp *w, const Sm75TexLookups *l, unsigned reg,
                      unsigned lane, unsigned n, const float *coord)
{
    float ddx[3] = { 0 }, ddy[3] = { 0 };

    for (unsigned d = 0; d < n; d++) {
        ddx[d] = quad_delta(w, reg + d, lane, 1);
        ddy[d] = quad_delta(w, reg + d, lane, 2);
    }
    return vgsp_tex_lod(&l->image, &l->sampler, coord, ddx, ddy);
}

static void take_layer(Operands *o, const Sm75Insn *i, VgspTexRequest *r)
{
    unsigned mode = i->sub[SUB_MODE];

    if (mode == LOD_CLAMP || mode == LOD_BIAS_CLAMP) {
        uint32_t v = take(o);

        r->min_lod = (float)(v & 0xffff) / 256.0f;
        r->layer = v >> 16;
    } else if (i->sub[SUB_DIM] & DIM_1D_ARRAY) {
        r->layer = take(o);
    }
}

static Sm75Next exec_tex(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75TexLookups l = { .w = w };
    unsigned n = dim_coords(i->sub[SUB_DIM]);
    Results res = { 0 };

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        Operands s[2], *s0 = s, *s1 = sources(w, i, lane, s);
        VgspTexRequest r = { .compare = i->sub[SUB_COMPARE] };
        uint32_t *out = res.v[lane];
        bool resident = true;
        unsigned coords;

        if (!take_image(&l, i, s1)) {
            return l.failed;
        }
        take_layer(s0, i, &r);
        coords = s0->reg;
        for (unsigned d = 0; d < n; d++) {
            r.coord[d] = take_float(s0);
        }
        if (!l.image.null) {
            if (!sm75_tex_sampler(&l)) {
                return l.failed;
            }
            switch (i->sub[SUB_MODE]) {
            case LOD_AUTO:
            case LOD_CLAMP:
                r.lod = quad_lod(w, &l, coords, lane, n, r.coord);
                break;
            case LOD_BIAS:
            case LOD_BIAS_CLAMP:
                r.lod = quad_lod(w, &l, coords, lane, n, r.coord) +
                        take_float(s1);
                break;
            case LOD_LEVEL:
                r.lod = take_float(s1);
                break;
            default:
                break;
            }
            if (i->sub[SUB_OFFSET]) {
                put_aoffi(&r, take(s1));
            }
            if (r.compare) {
                r.reference = take_float(s1);
            }
            if (!vgsp_tex_sample(&w->worker->mmu, &l.image, &l.sampler, &r,
                                 out, &resident)) {
                sm75_tex_failed(&l);
                return l.failed;
            }
        }
        res.fault |= resident ? 0 : 1u << lane;
    }
    return put_results(w, i, &res);
}

static Sm75Next exec_txd(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75TexLookups l = { .w = w };
    unsigned n = dim_coords(i->sub[SUB_DIM]);
    bool array = i->sub[SUB_DIM] & DIM_1D_ARRAY;
    Results res = { 0 };

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        Operands s0 = operands(w, i->a, lane), s1 = operands(w, i->b, lane);
        VgspTexRequest r = { 0 };
        float ddx[3] = { 0 }, ddy[3] = { 0 };
        uint32_t *out = res.v[lane];
        bool resident = true;

        if (!take_image(&l, i, &s0)) {
            return l.failed;
        }
        for (unsigned d = 0; d < n; d++) {
            r.coord[d] = take_float(&s0);
            ddx[d] = take_float(&s1);
            ddy[d] = take_float(&s1);
        }
        if (i->sub[SUB_OFFSET]) {
            uint32_t v = take(&s0);

            put_aoffi(&r, v);
            r.layer = v >> 16;
        } else if (array) {
            r.layer = take(&s0);
        }
        if (!l.image.null) {
            if (!sm75_tex_sampler(&l)) {
                return l.failed;
            }
            r.lod = vgsp_tex_lod(&l.image, &l.sampler, r.coord, ddx, ddy);
            if (!vgsp_tex_sample(&w->worker->mmu, &l.image, &l.sampler, &r,
                                 out, &resident)) {
                sm75_tex_failed(&l);
                return l.failed;
            }
        }
        res.fault |= resident ? 0 : 1u << lane;
    }
    return put_results(w, i, &res);
}

static Sm75Next exec_tld4(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75TexLookups l = { .w = w };
    unsigned n = dim_coords(i->sub[SUB_DIM]);
    Results res = { 0 };

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        Operands s[2], *s0 = s, *s1 = sources(w, i, lane, s);
        VgspTexRequest r = { .compare = i->sub[SUB_COMPARE] };
        int8_t each[4][2] = { { 0 } };
        uint32_t *out = res.v[lane];
        bool resident = true;

        if (!take_image(&l, i, s1)) {
            return l.failed;
        }
        if (i->sub[SUB_DIM] & DIM_1D_ARRAY) {
            r.layer = take(s0);
        }
        for (unsigned d = 0; d < n; d++) {
            r.coord[d] = take_float(s0);
        }
        if (i->sub[SUB_OFFSET] == GATHER_AOFFI) {
            uint32_t v = take(s1);

            for (unsigned d = 0; d < 3; d++) {
                r.offset[d] = (int8_t)(v >> (8 * d));
            }
        } else if (i->sub[SUB_OFFSET] == GATHER_PTP) {
            for (unsigned half = 0; half < 2; half++) {
                uint32_t v = take(s1);

                for (unsigned b = 0; b < 4; b++) {
                    each[2 * half + b / 2][b % 2] = (int8_t)(v >> (8 * b));
                }
            }
        }
        if (r.compare) {
            r.reference = take_float(s1);
        }
        if (!l.image.null) {
            if (!sm75_tex_sampler(&l)) {
                return l.failed;
            }
            if (!vgsp_tex_gather(&w->worker->mmu, &l.image, &l.sampler, &r,
                                 i->sub[SUB_COMPONENT],
                                 i->sub[SUB_OFFSET] == GATHER_PTP ? each
                                                                  : NULL,
                                 out, &resident)) {
                sm75_tex_failed(&l);
                return l.failed;
            }
        }
        res.fault |= resident ? 0 : 1u << lane;
    }
    return put_results(w, i, &res);
}

/* ---- TLD: a texel, unfiltered ---- */

static Sm75Next exec_tld(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75TexLookups l = { .w = w };
    unsigned n = dim_coords(i->sub[SUB_DIM]);
    Results res = { 0 };

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        Operands s[2], *s0 = s, *s1 = sources(w, i, lane, s);
        uint32_t *out = res.v[lane], c[3] = { 0 };
        VgspTexAt at = { 0 };
        uint32_t lod = 0;
        bool resident = true;
        VgspTexel texel;

        if (!take_image(&l, i, s1)) {
            return l.failed;
        }
        if (i->sub[SUB_DIM] & DIM_1D_ARRAY) {
            at.layer = take(s0);
        }
        for (unsigned d = 0; d < n; d++) {
            c[d] = take(s0);
        }
        if (i->sub[SUB_COMPARE]) {      /* .MS */
            at.sample = take(s1);
        }
        if (i->sub[SUB_MODE] == LOD_LEVEL) {
            lod = take(s1);
        }
        if (i->sub[SUB_OFFSET]) {
            uint32_t v = take(s1);

            for (unsigned d = 0; d < n; d++) {
                c[d] += (uint32_t)nibble(v, d);
            }
        }
        if (!l.image.null) {
            uint32_t levels = l.image.max_level - l.image.min_level;
            unsigned level = lod <= levels ? l.image.min_level + lod : ~0u;

            at.x = c[0];
            at.y = c[1];
            at.z = c[2];
            if (!vgsp_tex_fetch(&w->worker->mmu, &l.image, level, &at, &texel,
                                &resident)) {
                sm75_tex_failed(&l);
                return l.failed;
            }
            vgsp_tex_apply_sources(&l.image, &texel, out);
        }
        res.fault |= resident ? 0 : 1u << lane;
    }
    return put_results(w, i, &res);
}

/* ---- Queries ---- */

static Sm75Next exec_tmml(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75TexLookups l = { .w = w };
    unsigned n = dim_coords(i->sub[SUB_DIM]);
    Results res = { 0 };

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        Operands s0 = operands(w, i->a, lane), s1 = operands(w, i->b, lane);
        uint32_t *out = res.v[lane];
        float coord[3] = { 0 };
        unsigned coords;

        if (!take_image(&l, i, &s1)) {
            return l.failed;
        }
        if (i->sub[SUB_DIM] & DIM_1D_ARRAY) {
            take(&s0);
        }
        coords = s0.reg;
        for (unsigned d = 0; d < n; d++) {
            coord[d] = take_float(&s0);
        }
        if (!l.image.null) {
            float lod, level;

            if (!sm75_tex_sampler(&l)) {
                return l.failed;
            }
            /* Relative to the view, unclamped; and the level it selects. */
            lod = quad_lod(w, &l, coords, lane, n, coord);
            level = vgsp_tex_clamp_lod(&l.image, &l.sampler, lod);
            level = CLAMP(level, 0.0f,
                          (float)(l.image.max_level - l.image.min_level));
            lod = CLAMP(lod, -128.0f, 127.99609375f);
            out[0] = (uint32_t)(int32_t)rintf(lod * 256.0f) & 0xffff;
            out[1] = (uint32_t)rintf(level * 256.0f);
        }
    }
    return put_results(w, i, &res);
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

static Sm75Next exec_txq(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75TexLookups l = { .w = w };
    Results res = { 0 };

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        Operands s = operands(w, i->a, lane);
        uint32_t *out = res.v[lane];

        if (!take_image(&l, i, &s)) {
            return l.failed;
        }
        if (!l.image.null) {
            if (i->sub[SUB_MODE] == QUERY_DIMENSION) {
                query_dimension(&l.image, take(&s), out);
            } else {
                out[0] = l.image.dim;
                out[2] = 1u << (l.image.sample_x + l.image.sample_y);
            }
        }
    }
    return put_results(w, i, &res);
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
