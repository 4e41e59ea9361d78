/*
 * Instructions of the surface unit: typed loads, stores, atomics and
 * reductions on images. Operands as Mesa's NAK lays them out (OpSuLd, OpSuSt,
 * OpSuAtom).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-alu.h"
#include "model/sm75-atomic.h"
#include "model/sm75-tex.h"

/* Bits 63:61 */
enum { DIM_1D, DIM_BUFFER, DIM_1D_ARRAY, DIM_2D, DIM_2D_ARRAY, DIM_3D };

/* Meaning of Sm75Insn.sub. */
enum { SUB_DIM, SUB_MASK, SUB_OP, SUB_TYPE };

static uint32_t get_reg(const Sm75Warp *w, unsigned base, unsigned k,
                        unsigned lane)
{
    return base + k < SM75_RZ ? w->r[base + k][lane] : 0;
}

/* Signed coordinates: those below 0 are outside, as unsigned ones are. */
static VgspTexAt get_coords(const Sm75Warp *w, const Sm75Insn *i,
                            unsigned lane)
{
    uint32_t c0 = get_reg(w, i->a, 0, lane);
    uint32_t c1 = get_reg(w, i->a, 1, lane);
    uint32_t c2 = get_reg(w, i->a, 2, lane);

    switch (i->sub[SUB_DIM]) {
    case DIM_1D_ARRAY:
        return (VgspTexAt) { .x = c0, .layer = c1 };
    case DIM_2D:
        return (VgspTexAt) { .x = c0, .y = c1 };
    case DIM_2D_ARRAY:
        return (VgspTexAt) { .x = c0, .y = c1, .layer = c2 };
    case DIM_3D:
        return (VgspTexAt) { .x = c0, .y = c1, .z = c2 };
    default:
        return (VgspTexAt) { .x = c0 };
    }
}

/* A multisampled image is stored to as the 2D image of its samples. */
static void as_samples(VgspTexImage *t)
{
    t->width <<= t->sample_x;
    t->height <<= t->sample_y;
    t->sample_x = t->sample_y = 0;
}

static bool surface(Sm75TexLookups *l, const Sm75Insn *i, unsigned lane)
{
    uint32_t handle = get_reg(l->w, i->c, 0, lane);

    /* The upper bits of an image's handle are the driver's. */
    if (!sm75_tex_image(l, (uint32_t)VGSP_GET(SM75_HANDLE_HEADER, handle))) {
        return false;
    }
    as_samples(&l->image);
    return true;
}

static Sm75Next exec_suld(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75TexLookups l = { .w = w };
    uint32_t out[SM75_LANES][4] = { 0 };
    uint32_t fault = 0;

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        VgspTexAt at = get_coords(w, i, lane);
        bool resident = true;
        VgspTexel texel;
        uint64_t va;

        if (!surface(&l, i, lane)) {
            return l.failed;
        }
        /* Outside of the image even alpha reads 0. */
        if (l.image.null ||
            !vgsp_tex_locate(&l.image, l.image.min_level, &at, &va)) {
            continue;
        }
        if (!vgsp_tex_fetch(&w->worker->mmu, &l.image, l.image.min_level, &at,
                            &texel, &resident)) {
            sm75_tex_failed(&l);
            return l.failed;
        }
        vgsp_tex_apply_sources(&l.image, &texel, out[lane]);
        fault |= resident ? 0 : 1u << lane;
    }
    for (unsigned c = 0; c < 4; c++) {
        if (!(i->sub[SUB_MASK] >> c & 1) || i->dst + c >= SM75_RZ) {
            continue;
        }
        for (uint32_t m = w->mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);

            w->r[i->dst + c][lane] = out[lane][c];
        }
    }
    sm75_set_pred(w, i->pdst, fault);
    return SM75_NEXT;
}

static Sm75Next exec_sust(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75TexLookups l = { .w = w };

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        VgspTexAt at = get_coords(w, i, lane);
        uint32_t xyzw[4] = { 0 };
        uint8_t element[16];
        uint64_t va;

        if (!surface(&l, i, lane)) {
            return l.failed;
        }
        if (l.image.null ||
            !vgsp_tex_locate(&l.image, l.image.min_level, &at, &va)) {
            continue;
        }
        for (unsigned c = 0; c < 4; c++) {
            if (i->sub[SUB_MASK] >> c & 1) {
                xyzw[c] = get_reg(w, i->b, c, lane);
            }
        }
        if (!vgsp_tex_encode(&l.image, xyzw, element)) {
            return sm75_raise(w, VGSP_EXC_NOT_MODELLED);
        }
        if (!vgsp_mmu_write(&w->worker->mmu, va, element,
                            l.image.format->bytes)) {
            sm75_tex_failed(&l);
            return l.failed;
        }
    }
    return SM75_NEXT;
}

/* SUATOM, its compare-and-swap, and SURED, which has no destination. */
static Sm75Next exec_suatom(Sm75Warp *w, const Sm75Insn *i)
{
    Sm75TexLookups l = { .w = w };
    AtomicOp op = i->sub[SUB_OP];
    AtomicType type = i->sub[SUB_TYPE];
    unsigned words = sm75_atomic_size(type) / 4;
    uint64_t old[SM75_LANES] = { 0 };

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        VgspTexAt at = get_coords(w, i, lane);
        uint64_t v[2] = { 0 };
        uint64_t va;

        if (!surface(&l, i, lane)) {
            return l.failed;
        }
        if (l.image.null ||
            !vgsp_tex_locate(&l.image, l.image.min_level, &at, &va)) {
            continue;
        }
        if (l.image.format->bytes != words * 4) {
            return sm75_raise(w, VGSP_EXC_SM_OTHER);
        }
        /* A swap has the value to compare with first, then the new one. */
        for (unsigned n = 0; n < 2 * words; n++) {
            v[n / words] |= (uint64_t)get_reg(w, i->b, n, lane)
                            << (32 * (n % words));
        }
        if (!sm75_atomic_global(w, va, op, type,
                                op == ATOMIC_CAS ? v[1] : v[0], v[0],
                                &old[lane])) {
            return SM75_FAULT;
        }
    }
    for (unsigned n = 0; n < words && i->dst + n < SM75_RZ; n++) {
        for (uint32_t m = w->mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);

            w->r[i->dst + n][lane] = (uint32_t)(old[lane] >> (32 * n));
        }
    }
    return SM75_NEXT;
}

/* ---- Decoding ---- */

static bool decode_common(Sm75Insn *i, Sm75Exec *exec)
{
    i->exec = exec;
    i->a = sm75_bits(i, 31, 24);
    i->b = sm75_bits(i, 39, 32);
    i->c = sm75_bits(i, 71, 64); /* the handle */
    i->pdst = 8;
    i->sub[SUB_DIM] = sm75_bits(i, 63, 61);
    i->n_a = i->sub[SUB_DIM] <= DIM_BUFFER ? 1
           : i->sub[SUB_DIM] <= DIM_2D ? 2 : 3;
    i->n_b = 0;
    return i->sub[SUB_DIM] <= DIM_3D;
}

/* Components in a row from the first. */
static bool decode_mask(Sm75Insn *i)
{
    i->sub[SUB_MASK] = sm75_bits(i, 75, 72);
    i->n_b = i->n_dst = (uint8_t)__builtin_popcount(i->sub[SUB_MASK]);
    return i->sub[SUB_MASK] == 1 || i->sub[SUB_MASK] == 3 ||
           i->sub[SUB_MASK] == 0xf;
}

static bool decode_suld(Sm75Insn *i)
{
    bool ok = decode_common(i, exec_suld) && decode_mask(i);

    i->n_b = 0;
    i->dst = sm75_bits(i, 23, 16);
    i->pdst = sm75_pdst(i, 81);
    return ok;
}

static bool decode_sust(Sm75Insn *i)
{
    return decode_common(i, exec_sust) && decode_mask(i);
}

/* op: of the codes that have one for themselves. */
static bool decode_atomic(Sm75Insn *i, unsigned op)
{
    bool ok = decode_common(i, exec_suatom) && !sm75_bit(i, 72);

    i->sub[SUB_OP] = op;
    i->sub[SUB_TYPE] = sm75_bits(i, 75, 73);
    i->n_dst = sm75_atomic_size(i->sub[SUB_TYPE]) / 4;
    i->n_b = op == ATOMIC_CAS ? 2 * i->n_dst : i->n_dst;
    return ok && sm75_atomic_supported(op, i->sub[SUB_TYPE]);
}

static bool decode_suatom(Sm75Insn *i)
{
    i->dst = sm75_bits(i, 23, 16);
    return sm75_bits(i, 90, 87) <= ATOMIC_EXCH &&
           decode_atomic(i, sm75_bits(i, 90, 87));
}

static bool decode_suatom_cas(Sm75Insn *i)
{
    i->dst = sm75_bits(i, 23, 16);
    return decode_atomic(i, ATOMIC_CAS);
}

static bool decode_sured(Sm75Insn *i)
{
    return decode_atomic(i, sm75_bits(i, 89, 87));
}

/* ---- Printing ---- */

static void print_surface(const Sm75Insn *i, GString *out)
{
    static const char *const dims[] = {
        "1D", "1D_BUFFER", "1D_ARRAY", "2D", "2D_ARRAY", "3D", "?", "?",
    };
    static const char *const names[] = {
        "ADD", "MIN", "MAX", "INC", "DEC", "AND", "OR", "XOR", "EXCH", "CAS",
    };
    static const char *const types[] = {
        "", ".S32", ".U64", ".F32.FTZ.RN", ".F16x2.RN", ".S64", ".F64.RN", "?",
    };

    if (i->exec == exec_suatom) {
        g_string_append_printf(out, ".D.%s.%s%s ", dims[i->sub[SUB_DIM]],
                               names[i->sub[SUB_OP]],
                               types[i->sub[SUB_TYPE]]);
    } else {
        g_string_append_printf(out, ".P.%s.%s ", dims[i->sub[SUB_DIM]],
                               i->sub[SUB_MASK] == 1 ? "R"
                               : i->sub[SUB_MASK] == 3 ? "RG" : "RGBA");
    }
    if (i->pdst != 8) {
        sm75_print_pred(out, i->pdst, false);
        g_string_append(out, ", ");
    }
    if (i->exec == exec_suld) {
        sm75_print_reg(out, i->dst);
        g_string_append(out, ", ");
    } else if (i->exec == exec_suatom && i->dst != SM75_RZ) {
        sm75_print_reg(out, i->dst);
        g_string_append(out, ", ");
    }
    g_string_append_c(out, '[');
    sm75_print_reg(out, i->a);
    g_string_append(out, "], ");
    if (i->exec != exec_suld) {
        sm75_print_reg(out, i->b);
        g_string_append(out, ", ");
    }
    sm75_print_reg(out, i->c);
}

static const Sm75Op ops[] = {
    { "SULD", 0x998, false, decode_suld, print_surface },
    { "SUST", 0x99c, false, decode_sust, print_surface },
    { "SUATOM", 0x394, false, decode_suatom, print_surface },
    { "SUATOM", 0x396, false, decode_suatom_cas, print_surface },
    { "SURED", 0x3a0, false, decode_sured, print_surface },
};

const Sm75Table sm75_table_surface = { ops, G_N_ELEMENTS(ops) };
