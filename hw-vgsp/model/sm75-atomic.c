/*
 * sm_75: atomic operations on global, shared and generic memory. Those on
 * global memory are the host's own, since other workers and the guest's
 * processors may work on the same word. Lanes go in ascending order, which
 * makes sums of floats repeatable within a warp. exec-facts 8.5.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include "model/sm75-atomic.h"
#include "model/sm75-memory.h"
#include "model/sm75-alu.h"
#include "model/sm75-fp16.h"

enum {                          /* Sm75Insn.sub of these instructions */
    SUB_OP = 2, SUB_TYPE = 3, SUB_PLACE = 4,
};

/* ---- One word ---- */

static float flush(float f)
{
    return fpclassify(f) == FP_SUBNORMAL ? copysignf(0, f) : f;
}

static uint32_t add_f32(uint32_t a, uint32_t b)
{
    union { uint32_t u; float f; } x = { .u = a }, y = { .u = b };

    x.f = flush(flush(x.f) + flush(y.f));
    return isnan(x.f) ? 0x7fffffff : x.u;
}

static uint32_t add_f16x2(uint32_t a, uint32_t b)
{
    uint32_t out = 0;

    /* A sum of two halves is exact in a double: it is rounded once. */
    for (unsigned s = 0; s < 32; s += 16) {
        double sum = sm75_half_to_double((uint16_t)(a >> s)) +
                     sm75_half_to_double((uint16_t)(b >> s));

        out |= (uint32_t)(isnan(sum) ? 0x7fff : sm75_double_to_half(sum, 0))
               << s;
    }
    return out;
}

static uint64_t add_f64(uint64_t a, uint64_t b)
{
    union { uint64_t u; double d; } x = { .u = a }, y = { .u = b };

    x.d += y.d;
    return isnan(x.d) ? UINT64_C(0x7fffffffffffffff) : x.u;
}

static uint32_t apply32(AtomicOp op, AtomicType type, uint32_t a, uint32_t b)
{
    bool less = type == ATOMIC_S32 ? (int32_t)a < (int32_t)b : a < b;

    switch (op) {
    case ATOMIC_ADD:
        return type == ATOMIC_F32 ? add_f32(a, b)
             : type == ATOMIC_F16X2 ? add_f16x2(a, b) : a + b;
    case ATOMIC_MIN:
        return less ? a : b;
    case ATOMIC_MAX:
        return less ? b : a;
    case ATOMIC_INC:
        return a >= b ? 0 : a + 1;
    case ATOMIC_DEC:
        return a == 0 || a > b ? b : a - 1;
    case ATOMIC_AND:
        return a & b;
    case ATOMIC_OR:
        return a | b;
    case ATOMIC_XOR:
        return a ^ b;
    default:
        return b;
    }
}

static uint64_t apply64(AtomicOp op, AtomicType type, uint64_t a, uint64_t b)
{
    bool less = type == ATOMIC_S64 ? (int64_t)a < (int64_t)b : a < b;

    switch (op) {
    case ATOMIC_ADD:
        return type == ATOMIC_F64 ? add_f64(a, b) : a + b;
    case ATOMIC_MIN:
        return less ? a : b;
    case ATOMIC_MAX:
        return less ? b : a;
    case ATOMIC_INC:
        return a >= b ? 0 : a + 1;
    case ATOMIC_DEC:
        return a == 0 || a > b ? b : a - 1;
    case ATOMIC_AND:
        return a & b;
    case ATOMIC_OR:
        return a | b;
    case ATOMIC_XOR:
        return a ^ b;
    default:
        return b;
    }
}

static uint32_t atomic32(uint32_t *p, AtomicOp op, AtomicType type,
                         uint32_t b, uint32_t compare)
{
    uint32_t old;

    switch (op) {
    case ATOMIC_ADD:
        if (type == ATOMIC_F32 || type == ATOMIC_F16X2) {
            break;
        }
        return __atomic_fetch_add(p, b, __ATOMIC_SEQ_CST);
    case ATOMIC_AND:
        return __atomic_fetch_and(p, b, __ATOMIC_SEQ_CST);
    case ATOMIC_OR:
        return __atomic_fetch_or(p, b, __ATOMIC_SEQ_CST);
    case ATOMIC_EXCH:
        return __atomic_exchange_n(p, b, __ATOMIC_SEQ_CST);
    case ATOMIC_CAS:
    case ATOMIC_CAST:
        __atomic_compare_exchange_n(p, &compare, b, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
        return compare;
    default:
        break;
    }
    old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, apply32(op, type, old, b),
                                        true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
        continue;
    }
    return old;
}

static uint64_t atomic64(uint64_t *p, AtomicOp op, AtomicType type,
                         uint64_t b, uint64_t compare)
{
    uint64_t old;

    switch (op) {
    case ATOMIC_ADD:
        if (type == ATOMIC_F64) {
            break;
        }
        return __atomic_fetch_add(p, b, __ATOMIC_SEQ_CST);
    case ATOMIC_EXCH:
        return __atomic_exchange_n(p, b, __ATOMIC_SEQ_CST);
    case ATOMIC_CAS:
    case ATOMIC_CAST:
        __atomic_compare_exchange_n(p, &compare, b, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST);
        return compare;
    default:
        break;
    }
    old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, apply64(op, type, old, b),
                                        true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
        continue;
    }
    return old;
}

static uint64_t atomic_word(void *p, AtomicOp op, AtomicType type,
                            uint64_t data, uint64_t expected)
{
    return sm75_atomic_size(type) == 8
           ? atomic64(p, op, type, data, expected)
           : atomic32(p, op, type, (uint32_t)data, (uint32_t)expected);
}

bool sm75_atomic_global(Sm75Warp *w, uint64_t va, AtomicOp op, AtomicType type,
                        uint64_t data, uint64_t expected, uint64_t *old)
{
    VgspTlbEntry *e;

    if (va & (sm75_atomic_size(type) - 1)) {
        w->exception = VGSP_EXC_MISALIGNED_ADDRESS;
        return false;
    }
    e = sm75_page(w, va, VGSP_GMMU_ACCESS_ATOMIC);
    if (!e) {
        return false;
    }
    *old = e->host ? atomic_word(e->host + va % SM75_PAGE_SIZE, op, type,
                                 data, expected) : 0;
    return true;
}

/* ---- A warp ---- */

/*
 * The word of a lane. False: a fault. *p is NULL where the access goes
 * nowhere: it reads 0.
 */
static bool locate(Sm75Warp *w, const Sm75Insn *i, unsigned lane,
                   unsigned size, void **p)
{
    Sm75Place place = i->sub[SUB_PLACE];
    VgspTlbEntry *e;
    uint64_t va = place == SM75_SHARED ? sm75_offset(w, i, lane)
                                       : sm75_address(w, i, lane);

    if (va & (size - 1)) {
        w->exception = VGSP_EXC_MISALIGNED_ADDRESS;
        return false;
    }
    if (place == SM75_GENERIC) {
        place = sm75_window(w, &va);
    }
    switch (place) {
    case SM75_SHARED:
        *p = sm75_shared(w, (uint32_t)va, size);
        return *p || !sm75_out_of_range(w);
    case SM75_LOCAL:
        /* Local memory has no atomic operations. */
        w->exception = VGSP_EXC_SM_OTHER;
        return false;
    default:
        e = sm75_page(w, va, VGSP_GMMU_ACCESS_ATOMIC);
        if (!e) {
            return false;
        }
        *p = e->host ? e->host + va % SM75_PAGE_SIZE : NULL;
        return true;
    }
}

static Sm75Next exec_atomic(Sm75Warp *w, const Sm75Insn *i)
{
    AtomicOp op = i->sub[SUB_OP];
    AtomicType type = i->sub[SUB_TYPE];
    unsigned size = sm75_atomic_size(type);
    Sm75Vec old[2];

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = sm75_first(m);
        uint64_t result = 0, data, expected;
        void *p;

        if (!locate(w, i, lane, size, &p)) {
            return SM75_FAULT;
        }
        data = sm75_pair64(w, i->c, lane);
        expected = sm75_pair64(w, i->b, lane);
        if (size == 4) {
            expected = (uint32_t)expected;
        }
        result = p ? atomic_word(p, op, type, data, expected) : 0;
        if (op == ATOMIC_CAST) {
            result = result == expected;
        }
        old[0][lane] = (uint32_t)result;
        old[1][lane] = result >> 32;
    }
    sm75_set(w, i->dst_index, &old[0]);
    if (size == 8 && op != ATOMIC_CAST) {
        sm75_set(w, i->dst >= SM75_RZ - 1 ? 256 : i->dst_index + 1, &old[1]);
    }
    return SM75_NEXT;
}

/* ---- Decoding ---- */

bool sm75_atomic_supported(AtomicOp op, AtomicType type)
{
    switch (type) {
    case ATOMIC_U32:
    case ATOMIC_U64:
        return op <= ATOMIC_CAST;
    case ATOMIC_S32:
    case ATOMIC_S64:
        return op <= ATOMIC_MAX || op == ATOMIC_CAS;
    case ATOMIC_F32:
    case ATOMIC_F16X2:
    case ATOMIC_F64:
        return op == ATOMIC_ADD;
    default:
        return false;
    }
}

static bool decode_atomic(Sm75Insn *i, Sm75Place place, unsigned op,
                          unsigned type, unsigned r64)
{
    unsigned n = sm75_atomic_size(type) / 4;

    i->exec = exec_atomic;
    i->c = sm75_bits(i, 39, 32);
    i->sub[SUB_OP] = op;
    i->sub[SUB_TYPE] = type;
    i->sub[SUB_PLACE] = place;
    i->n_b = i->n_c = n;
    sm75_decode_address(i, sm75_bit(i, 91), 64, r64);
    if (op >= ATOMIC_CAS) {
        i->b = i->c;            /* to compare with */
        i->c = sm75_bits(i, 71, 64);
    }
    if (place == SM75_SHARED) {
        unsigned s = sm75_bits(i, 79, 78);

        i->n_a = 1;
        i->sub[1] = s ? s + 1 : 0;      /* .X4, .X8, .X16 */
    }
    return sm75_atomic_supported(op, type) && sm75_data_regs(i->c, n) &&
           sm75_data_regs(i->b, n);
}

static bool decode_dst(Sm75Insn *i)
{
    unsigned pdst = sm75_bits(i, 83, 81);
    unsigned n = sm75_atomic_size(i->sub[SUB_TYPE]) == 8 &&
                 i->sub[SUB_OP] != ATOMIC_CAST
               ? 2 : 1;

    i->dst = sm75_bits(i, 23, 16);
    i->dst_index = i->dst == SM75_RZ ? 256 : i->dst;
    i->n_dst = n;
    /* What a predicate would say is not known; 0 where the field is unused. */
    return sm75_data_regs(i->dst, n) &&
           (pdst == SM75_PT || pdst == 0 ||
            i->sub[SUB_PLACE] == SM75_SHARED);
}

static bool decode_atomg(Sm75Insn *i)
{
    return decode_atomic(i, SM75_GLOBAL, sm75_bits(i, 90, 87),
                         sm75_bits(i, 75, 73), 70) &&
           i->sub[SUB_OP] <= ATOMIC_EXCH && decode_dst(i);
}

static bool decode_atom(Sm75Insn *i)
{
    return decode_atomic(i, SM75_GENERIC, sm75_bits(i, 90, 87),
                         sm75_bits(i, 75, 73), 70) &&
           i->sub[SUB_OP] <= ATOMIC_EXCH && decode_dst(i);
}

static bool decode_cas(Sm75Insn *i, Sm75Place place, unsigned op)
{
    return !sm75_bit(i, 91) &&
           decode_atomic(i, place, op, sm75_bits(i, 75, 73), 0) &&
           decode_dst(i);
}

static bool decode_atomg_cas(Sm75Insn *i)
{
    return decode_cas(i, SM75_GLOBAL, ATOMIC_CAS);
}

static bool decode_atom_cas(Sm75Insn *i)
{
    return decode_cas(i, SM75_GENERIC,
                      sm75_bit(i, 87) ? ATOMIC_CAST : ATOMIC_CAS);
}

static bool decode_atoms(Sm75Insn *i)
{
    return decode_atomic(i, SM75_SHARED, sm75_bits(i, 90, 87),
                         sm75_bits(i, 75, 73), 0) &&
           i->sub[SUB_OP] <= ATOMIC_EXCH && decode_dst(i);
}

static bool decode_atoms_cas(Sm75Insn *i)
{
    return decode_cas(i, SM75_SHARED,
                      sm75_bit(i, 87) ? ATOMIC_CAST : ATOMIC_CAS);
}

static bool decode_red(Sm75Insn *i)
{
    return decode_atomic(i, SM75_GLOBAL, sm75_bits(i, 89, 87),
                         sm75_bits(i, 75, 73), 90);
}

/* ---- Printing ---- */

static void print_atomic(const Sm75Insn *i, GString *out)
{
    static const char *const ops[] = {
        ".ADD", ".MIN", ".MAX", ".INC", ".DEC", ".AND", ".OR", ".XOR",
        ".EXCH", ".CAS", ".CAST",
    };
    static const char *const types[] = {
        "", ".S32", ".64", ".F32.FTZ.RN", ".F16x2.RN", ".S64", ".F64.RN",
    };
    static const char *const evictions[] = {
        ".EF", "", ".EL", ".LU", ".EU", ".NA", ".INVALID6", ".INVALID7",
    };
    static const char *const orders[] = {
        ".INVALID0", "", ".STRONG", ".INVALID3",
    };
    static const char *const scopes[] = { ".CTA", ".SM", ".GPU", ".SYS" };
    bool shared = i->sub[SUB_PLACE] == SM75_SHARED;
    bool red = (i->lo & 0xfff) == 0x98e;
    bool cas = i->sub[SUB_OP] >= ATOMIC_CAS;

    g_string_append(out, !shared && sm75_bit(i, 72) ? ".E" : "");
    g_string_append(out, ops[i->sub[SUB_OP]]);
    if (shared) {
        g_string_append(out, i->sub[SUB_OP] == ATOMIC_CAST && sm75_bit(i, 88)
                             ? ".SPIN" : "");
    } else {
        g_string_append(out, evictions[sm75_bits(i, 86, 84)]);
    }
    g_string_append(out, types[i->sub[SUB_TYPE]]);
    if (!shared) {
        g_string_append(out, orders[sm75_bits(i, 80, 79)]);
        g_string_append(out, scopes[sm75_bits(i, 78, 77)]);
        g_string_append(out, sm75_bit(i, 76) ? ".PRIVATE" : "");
    }
    g_string_append_c(out, ' ');
    if (!red) {
        if (!shared) {
            sm75_print_pred(out, sm75_bits(i, 83, 81), false);
            g_string_append(out, ", ");
        }
        sm75_print_reg(out, i->dst);
        g_string_append(out, ", ");
    }
    sm75_print_address(i, out, !shared);
    if (cas) {
        g_string_append(out, ", ");
        sm75_print_reg(out, i->b);
    }
    g_string_append(out, ", ");
    sm75_print_reg(out, i->c);
}

static const Sm75Op ops[] = {
    { "ATOM", 0x38a, false, decode_atom, print_atomic },
    { "ATOM", 0x38b, false, decode_atom_cas, print_atomic },
    { "ATOM", 0x98a, false, decode_atom, print_atomic },
    { "ATOMG", 0x3a8, false, decode_atomg, print_atomic },
    { "ATOMG", 0x3a9, false, decode_atomg_cas, print_atomic },
    { "ATOMG", 0x9a8, false, decode_atomg, print_atomic },
    { "ATOMS", 0x38c, false, decode_atoms, print_atomic },
    { "ATOMS", 0x38d, false, decode_atoms_cas, print_atomic },
    { "ATOMS", 0x98c, false, decode_atoms, print_atomic },
    { "RED", 0x98e, false, decode_red, print_atomic },
};

const Sm75Table sm75_table_atomic = { ops, G_N_ELEMENTS(ops) };
