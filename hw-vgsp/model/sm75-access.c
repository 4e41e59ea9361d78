/*
 * sm_75: how loads and stores reach global, shared, local and generic memory.
 * exec-facts 6.5 and 8.5. Most accesses of a warp lie side by side in one
 * page, or are all of one word: those take one look for the page.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-memory.h"

/*
 * Guest memory is written by other workers and by the guest's processors at
 * the same time: those races are the guest's own.
 */
#define RACES __attribute__((no_sanitize("thread")))

typedef Sm75Vec Vec4 __attribute__((aligned(4), may_alias));

typedef uint32_t Half128 __attribute__((vector_size(16), aligned(16)));
typedef uint32_t Data128 __attribute__((vector_size(16), aligned(4),
                                        may_alias));

static const Sm75Vec iota = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
    21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
};

/* ---- One lane ---- */

static inline __attribute__((always_inline)) RACES
void load_lane(Sm75Vec *out, unsigned lane, const uint8_t *p,
               Sm75MemType type)
{
    switch (type) {
    case SM75_MEM_64: {
        uint64_t v = __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);

        out[0][lane] = (uint32_t)v;
        out[1][lane] = v >> 32;
        break;
    }
    case SM75_MEM_128: {
        Data128 v = *(const Data128 *)p;

        out[0][lane] = v[0];
        out[1][lane] = v[1];
        out[2][lane] = v[2];
        out[3][lane] = v[3];
        break;
    }
    default:
        out[0][lane] = sm75_sub_word(p, type);
        break;
    }
}

static inline __attribute__((always_inline)) RACES
void store_lane(uint8_t *p, const Sm75Vec *const data[4], unsigned lane,
                Sm75MemType type)
{
    uint32_t v = (*data[0])[lane];

    switch (type) {
    case SM75_MEM_U8:
    case SM75_MEM_S8:
        __atomic_store_n(p, (uint8_t)v, __ATOMIC_RELAXED);
        break;
    case SM75_MEM_U16:
    case SM75_MEM_S16:
        __atomic_store_n((uint16_t *)p, (uint16_t)v, __ATOMIC_RELAXED);
        break;
    case SM75_MEM_32:
        __atomic_store_n((uint32_t *)p, v, __ATOMIC_RELAXED);
        break;
    case SM75_MEM_64:
        __atomic_store_n((uint64_t *)p,
                         v | (uint64_t)(*data[1])[lane] << 32,
                         __ATOMIC_RELAXED);
        break;
    default: {
        Data128 q = { v, (*data[1])[lane], (*data[2])[lane],
                      (*data[3])[lane] };

        *(Data128 *)p = q;
        break;
    }
    }
}

/* Rows of 32 words from consecutive elements of n words, and back. */
static inline __attribute__((always_inline)) RACES
void load_rows(Sm75Vec *out, const uint8_t *p, Sm75MemType type)
{
    if (type == SM75_MEM_32) {
        out[0] = *(const Vec4 *)p;
    } else {
        for (unsigned lane = 0; lane < SM75_LANES; lane++) {
            load_lane(out, lane, p + lane * sm75_type_size(type), type);
        }
    }
}

static inline __attribute__((always_inline)) RACES
void store_rows(uint8_t *p, const Sm75Vec *const data[4], Sm75MemType type)
{
    if (type == SM75_MEM_32) {
        *(Vec4 *)p = *data[0];
    } else {
        for (unsigned lane = 0; lane < SM75_LANES; lane++) {
            store_lane(p + lane * sm75_type_size(type), data, lane, type);
        }
    }
}

/*
 * Whether all 32 lanes access consecutive elements (*step is their size) or
 * the same one (0), by the low words of their addresses; and the high words
 * are the same. Common, and then one translation serves all.
 */
static inline __attribute__((always_inline))
bool regular(const Sm75Vec *lo, const Sm75Vec *hi, unsigned size,
             unsigned *step)
{
    uint32_t base = (*lo)[0];
    Sm75Vec differ;

    *step = (*lo)[1] - base;
    if (*step == size) {
        differ = *lo ^ (iota * size + base);
    } else if (*step == 0) {
        differ = *lo ^ base;
    } else {
        return false;
    }
    if (hi) {
        differ |= *hi ^ (*hi)[0];
    }
    return !sm75_any(&differ);
}

/* The same element for all lanes. */
static inline __attribute__((always_inline)) RACES
void load_same(Sm75Warp *w, const Sm75Insn *i, const uint8_t *p,
               Sm75MemType type)
{
    uint32_t v[4];
    Sm75Vec row;

    switch (type) {
    case SM75_MEM_64: {
        uint64_t q = __atomic_load_n((const uint64_t *)p, __ATOMIC_RELAXED);

        v[0] = (uint32_t)q;
        v[1] = q >> 32;
        break;
    }
    case SM75_MEM_128: {
        Data128 q = *(const Data128 *)p;

        v[0] = q[0];
        v[1] = q[1];
        v[2] = q[2];
        v[3] = q[3];
        break;
    }
    default:
        v[0] = sm75_sub_word(p, type);
        break;
    }
    for (unsigned k = 0; k < sm75_type_regs(type); k++) {
        row = (Sm75Vec) { 0 } + v[k];
        sm75_set(w, i->dst == SM75_RZ ? 256 : i->dst_index + k, &row);
    }
}

/* ---- Global ---- */

/*
 * Where the elements of all 32 lanes are, if they lie in one page: *step apart
 * from each other, or *offset behind the result where that is IRREGULAR. NULL:
 * go lane by lane, which finds the faults.
 */
#define IRREGULAR       UINT_MAX

static inline __attribute__((always_inline))
uint8_t *one_page(Sm75Warp *w, const Sm75Insn *i, unsigned size,
                  VgspGmmuAccess access, unsigned *step, Sm75Vec *offset)
{
    const Sm75Vec *lo = &w->r[i->a];
    const Sm75Vec *hi = &w->r[sm75_reg(i->a, 1)];
    uint32_t first = (*lo)[0], in_page;
    VgspTlbEntry *e;
    uint64_t va;

    /* The low words must not wrap between lanes. */
    if (w->mask != ~0u || !(i->sub[0] & SM75_ADDR_WIDE) ||
        first - SM75_PAGE_SIZE > UINT32_MAX - 2 * SM75_PAGE_SIZE) {
        return NULL;
    }
    hi = i->sub[0] & SM75_ADDR_R32 ? NULL : hi;
    va = sm75_address(w, i, 0);
    in_page = va % SM75_PAGE_SIZE;
    if (va & (size - 1)) {
        return NULL;
    }
    if (regular(lo, hi, size, step)) {
        if (in_page + *step * 31 + size > SM75_PAGE_SIZE) {
            return NULL;
        }
    } else {
        Sm75Vec bad;

        *step = IRREGULAR;
        *offset = *lo - first + in_page;
        bad = *offset & ~(uint32_t)(SM75_PAGE_SIZE - size);
        if (hi) {
            bad |= *hi ^ (*hi)[0];
        }
        if (sm75_any(&bad)) {
            return NULL;
        }
        in_page = 0;
    }
    e = vgsp_mmu_page(&w->worker->mmu, va, access);
    return e && e->host ? e->host + in_page : NULL;
}

/* Loads from where one_page() or one_shared() says. */
static inline __attribute__((always_inline)) RACES
void load_all(Sm75Warp *w, const Sm75Insn *i, const uint8_t *p, unsigned step,
              const Sm75Vec *offset, Sm75MemType type)
{
    Sm75Vec out[4];

    if (step == 0) {
        load_same(w, i, p, type);
    } else if (step != IRREGULAR) {
        load_rows(i->dst == SM75_RZ ? out : &w->r[i->dst_index], p, type);
    } else {
        for (unsigned lane = 0; lane < SM75_LANES; lane++) {
            load_lane(out, lane, p + (*offset)[lane], type);
        }
        sm75_set_rows(w, i, out, sm75_type_regs(type));
    }
}

static inline __attribute__((always_inline)) RACES
void store_all(uint8_t *p, const Sm75Vec *const data[4], unsigned step,
               const Sm75Vec *offset, Sm75MemType type)
{
    if (step == IRREGULAR) {
        for (unsigned lane = 0; lane < SM75_LANES; lane++) {
            store_lane(p + (*offset)[lane], data, lane, type);
        }
    } else if (step == 0) {
        store_lane(p, data, SM75_LANES - 1, type);
    } else {
        store_rows(p, data, type);
    }
}

static inline __attribute__((always_inline))
Sm75Next load_global(Sm75Warp *w, const Sm75Insn *i, Sm75MemType type)
{
    unsigned size = sm75_type_size(type), n = sm75_type_regs(type), step;
    Sm75Vec offset;
    const uint8_t *p = one_page(w, i, size, VGSP_GMMU_ACCESS_READ, &step,
                                &offset);
    uint64_t page = UINT64_MAX;
    const uint8_t *host = NULL;
    Sm75Vec out[4];

    if (p) {
        load_all(w, i, p, step, &offset, type);
        return SM75_NEXT;
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = sm75_first(m);
        uint64_t va = sm75_address(w, i, lane);

        if (G_UNLIKELY(va & (size - 1))) {
            return sm75_raise(w, VGSP_EXC_MISALIGNED_ADDRESS);
        }
        if (va / SM75_PAGE_SIZE != page) {
            VgspTlbEntry *e = sm75_page(w, va, VGSP_GMMU_ACCESS_READ);

            if (!e) {
                return SM75_FAULT;
            }
            page = va / SM75_PAGE_SIZE;
            host = e->host ? e->host : sm75_zero_page;
        }
        load_lane(out, lane, host + va % SM75_PAGE_SIZE, type);
    }
    sm75_set_rows(w, i, out, n);
    return SM75_NEXT;
}

static inline __attribute__((always_inline))
void data_rows(const Sm75Warp *w, const Sm75Insn *i, const Sm75Vec *data[4],
               unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        data[k] = &w->r[sm75_reg(i->c, k)];
    }
}

static inline __attribute__((always_inline))
Sm75Next store_global(Sm75Warp *w, const Sm75Insn *i, Sm75MemType type)
{
    unsigned size = sm75_type_size(type), step;
    Sm75Vec offset;
    uint8_t *p = one_page(w, i, size, VGSP_GMMU_ACCESS_WRITE, &step, &offset);
    uint64_t page = UINT64_MAX;
    const Sm75Vec *data[4];
    uint8_t *host = NULL;

    data_rows(w, i, data, sm75_type_regs(type));
    if (p) {
        store_all(p, data, step, &offset, type);
        return SM75_NEXT;
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = sm75_first(m);
        uint64_t va = sm75_address(w, i, lane);

        if (G_UNLIKELY(va & (size - 1))) {
            return sm75_raise(w, VGSP_EXC_MISALIGNED_ADDRESS);
        }
        if (va / SM75_PAGE_SIZE != page) {
            VgspTlbEntry *e = sm75_page(w, va, VGSP_GMMU_ACCESS_WRITE);

            if (!e) {
                return SM75_FAULT;
            }
            page = va / SM75_PAGE_SIZE;
            host = e->host;
        }
        if (host) {
            store_lane(host + va % SM75_PAGE_SIZE, data, lane, type);
        }
    }
    return SM75_NEXT;
}

/* ---- Shared ---- */

/* As one_page(). */
static inline __attribute__((always_inline))
uint8_t *one_shared(Sm75Warp *w, const Sm75Insn *i, unsigned size,
                    unsigned *step, Sm75Vec *offset)
{
    uint32_t limit = w->cta->qmd->shared_size;
    uint32_t first = sm75_offset(w, i, 0);
    const Sm75Vec *reg = &w->r[i->a];
    Sm75Vec bad;

    if (w->mask != ~0u || !limit) {
        return NULL;
    }
    if (i->sub[1]) {
        *offset = *reg << i->sub[1];
        reg = offset;
    }
    if (regular(reg, NULL, size, step)) {
        return first & (size - 1) ? NULL
             : sm75_shared(w, first, *step * 31 + size);
    }
    *step = IRREGULAR;
    *offset = *reg + (first - (*reg)[0]);
    /* limit is a multiple of size: an aligned element below it fits. */
    bad = (*offset & (size - 1)) | (Sm75Vec)(*offset >= limit);
    return sm75_any(&bad) ? NULL : w->cta->shared;
}

static inline __attribute__((always_inline))
Sm75Next load_shared(Sm75Warp *w, const Sm75Insn *i, Sm75MemType type)
{
    unsigned size = sm75_type_size(type), n = sm75_type_regs(type), step;
    Sm75Vec out[4], offsets;
    const uint8_t *p = one_shared(w, i, size, &step, &offsets);

    if (p) {
        load_all(w, i, p, step, &offsets, type);
        return SM75_NEXT;
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = sm75_first(m);
        uint32_t offset = sm75_offset(w, i, lane);

        if (G_UNLIKELY(offset & (size - 1))) {
            return sm75_raise(w, VGSP_EXC_MISALIGNED_ADDRESS);
        }
        p = sm75_shared(w, offset, size);
        if (G_UNLIKELY(!p)) {
            if (sm75_out_of_range(w)) {
                return SM75_FAULT;
            }
            p = sm75_zero_page;
        }
        load_lane(out, lane, p, type);
    }
    sm75_set_rows(w, i, out, n);
    return SM75_NEXT;
}

static inline __attribute__((always_inline))
Sm75Next store_shared(Sm75Warp *w, const Sm75Insn *i, Sm75MemType type)
{
    unsigned size = sm75_type_size(type), step;
    const Sm75Vec *data[4];
    Sm75Vec offsets;
    uint8_t *p = one_shared(w, i, size, &step, &offsets);

    data_rows(w, i, data, sm75_type_regs(type));
    if (p) {
        store_all(p, data, step, &offsets, type);
        return SM75_NEXT;
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = sm75_first(m);
        uint32_t offset = sm75_offset(w, i, lane);

        if (G_UNLIKELY(offset & (size - 1))) {
            return sm75_raise(w, VGSP_EXC_MISALIGNED_ADDRESS);
        }
        p = sm75_shared(w, offset, size);
        if (G_LIKELY(p)) {
            store_lane(p, data, lane, type);
        } else if (sm75_out_of_range(w)) {
            return SM75_FAULT;
        }
    }
    return SM75_NEXT;
}

/* ---- Local: words of the lanes lie side by side ---- */

/* One lane; false: an exception. */
static bool load_local_lane(Sm75Warp *w, Sm75Vec *out, unsigned lane,
                            uint32_t offset, Sm75MemType type)
{
    unsigned n = sm75_type_regs(type);

    for (unsigned k = 0; k < n; k++) {
        const uint8_t *p = sm75_local(w, lane, offset + k * 4,
                                      MIN(sm75_type_size(type), 4));

        if (!p && sm75_out_of_range(w)) {
            return false;
        }
        out[k][lane] = p ? sm75_sub_word(p, MIN(type, SM75_MEM_32)) : 0;
    }
    return true;
}

static bool store_local_lane(Sm75Warp *w, const Sm75Vec *const data[4],
                             unsigned lane, uint32_t offset, Sm75MemType type)
{
    unsigned n = sm75_type_regs(type);

    for (unsigned k = 0; k < n; k++) {
        uint8_t *p = sm75_local(w, lane, offset + k * 4,
                                MIN(sm75_type_size(type), 4));

        if (p) {
            store_lane(p, &data[k], lane, MIN(type, SM75_MEM_32));
        } else if (sm75_out_of_range(w)) {
            return false;
        }
    }
    return true;
}

/* The row of words if all lanes access the same offset: of a stack frame. */
static inline __attribute__((always_inline))
Sm75Vec *local_rows(Sm75Warp *w, const Sm75Insn *i, unsigned size)
{
    Sm75Vec same = w->r[i->a] ^ w->r[i->a][0];
    uint32_t offset;

    if (w->mask != ~0u || size < 4 || sm75_any(&same)) {
        return NULL;
    }
    offset = sm75_offset(w, i, 0);
    if ((offset & (size - 1)) || offset >= w->cta->qmd->local_size ||
        w->cta->qmd->local_size - offset < size) {
        return NULL;
    }
    return (Sm75Vec *)sm75_local(w, 0, offset, 4);
}

static inline __attribute__((always_inline))
Sm75Next load_local(Sm75Warp *w, const Sm75Insn *i, Sm75MemType type)
{
    unsigned size = sm75_type_size(type), n = sm75_type_regs(type);
    const Sm75Vec *rows = local_rows(w, i, size);
    Sm75Vec out[4];

    if (rows) {
        memcpy(out, rows, n * sizeof(*rows));
        sm75_set_rows(w, i, out, n);
        return SM75_NEXT;
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = sm75_first(m);
        uint32_t offset = sm75_offset(w, i, lane);

        if (offset & (size - 1)) {
            return sm75_raise(w, VGSP_EXC_MISALIGNED_ADDRESS);
        }
        if (!load_local_lane(w, out, lane, offset, type)) {
            return SM75_FAULT;
        }
    }
    sm75_set_rows(w, i, out, n);
    return SM75_NEXT;
}

static inline __attribute__((always_inline))
Sm75Next store_local(Sm75Warp *w, const Sm75Insn *i, Sm75MemType type)
{
    unsigned size = sm75_type_size(type), n = sm75_type_regs(type);
    Sm75Vec *rows = local_rows(w, i, size);
    const Sm75Vec *data[4];

    data_rows(w, i, data, n);
    if (rows) {
        for (unsigned k = 0; k < n; k++) {
            rows[k] = *data[k];
        }
        return SM75_NEXT;
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = sm75_first(m);
        uint32_t offset = sm75_offset(w, i, lane);

        if (offset & (size - 1)) {
            return sm75_raise(w, VGSP_EXC_MISALIGNED_ADDRESS);
        }
        if (!store_local_lane(w, data, lane, offset, type)) {
            return SM75_FAULT;
        }
    }
    return SM75_NEXT;
}

/* ---- Generic ---- */

/* Whether no lane's address lies in a window. */
static bool all_global(const Sm75Warp *w, const Sm75Insn *i)
{
    for (uint32_t m = w->mask; m; m &= m - 1) {
        uint64_t va = sm75_address(w, i, sm75_first(m));

        if (sm75_window(w, &va) != SM75_GLOBAL) {
            return false;
        }
    }
    return true;
}

static Sm75Next load_generic(Sm75Warp *w, const Sm75Insn *i, Sm75MemType type)
{
    unsigned size = sm75_type_size(type);
    Sm75Vec out[4];

    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = sm75_first(m);
        uint64_t va = sm75_address(w, i, lane);
        const uint8_t *p;
        VgspTlbEntry *e;

        if (va & (size - 1)) {
            return sm75_raise(w, VGSP_EXC_MISALIGNED_ADDRESS);
        }
        switch (sm75_window(w, &va)) {
        case SM75_LOCAL:
            if (!load_local_lane(w, out, lane, va, type)) {
                return SM75_FAULT;
            }
            continue;
        case SM75_SHARED:
            p = sm75_shared(w, va, size);
            if (!p && sm75_out_of_range(w)) {
                return SM75_FAULT;
            }
            p = p ? p : sm75_zero_page;
            break;
        default:
            e = sm75_page(w, va, VGSP_GMMU_ACCESS_READ);
            if (!e) {
                return SM75_FAULT;
            }
            p = (e->host ? e->host : sm75_zero_page) + va % SM75_PAGE_SIZE;
            break;
        }
        load_lane(out, lane, p, type);
    }
    sm75_set_rows(w, i, out, sm75_type_regs(type));
    return SM75_NEXT;
}

static Sm75Next store_generic(Sm75Warp *w, const Sm75Insn *i, Sm75MemType type)
{
    unsigned size = sm75_type_size(type);
    const Sm75Vec *data[4];

    data_rows(w, i, data, sm75_type_regs(type));
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned lane = sm75_first(m);
        uint64_t va = sm75_address(w, i, lane);
        VgspTlbEntry *e;
        uint8_t *p;

        if (va & (size - 1)) {
            return sm75_raise(w, VGSP_EXC_MISALIGNED_ADDRESS);
        }
        switch (sm75_window(w, &va)) {
        case SM75_LOCAL:
            if (!store_local_lane(w, data, lane, va, type)) {
                return SM75_FAULT;
            }
            continue;
        case SM75_SHARED:
            p = sm75_shared(w, va, size);
            if (!p && sm75_out_of_range(w)) {
                return SM75_FAULT;
            }
            break;
        default:
            e = sm75_page(w, va, VGSP_GMMU_ACCESS_WRITE);
            if (!e) {
                return SM75_FAULT;
            }
            p = e->host ? e->host + va % SM75_PAGE_SIZE : NULL;
            break;
        }
        if (p) {
            store_lane(p, data, lane, type);
        }
    }
    return SM75_NEXT;
}

/* ---- A function for each place and type ---- */

#define EXECS(type)                                                         \
    static Sm75Next exec_ldg_##type(Sm75Warp *w, const Sm75Insn *i)         \
    { return load_global(w, i, SM75_MEM_##type); }                          \
    static Sm75Next exec_stg_##type(Sm75Warp *w, const Sm75Insn *i)         \
    { return store_global(w, i, SM75_MEM_##type); }                         \
    static Sm75Next exec_lds_##type(Sm75Warp *w, const Sm75Insn *i)         \
    { return load_shared(w, i, SM75_MEM_##type); }                          \
    static Sm75Next exec_sts_##type(Sm75Warp *w, const Sm75Insn *i)         \
    { return store_shared(w, i, SM75_MEM_##type); }                         \
    static Sm75Next exec_ldl_##type(Sm75Warp *w, const Sm75Insn *i)         \
    { return load_local(w, i, SM75_MEM_##type); }                           \
    static Sm75Next exec_stl_##type(Sm75Warp *w, const Sm75Insn *i)         \
    { return store_local(w, i, SM75_MEM_##type); }                          \
    static Sm75Next exec_ld_##type(Sm75Warp *w, const Sm75Insn *i)          \
    {                                                                       \
        return all_global(w, i) ? load_global(w, i, SM75_MEM_##type)        \
                                : load_generic(w, i, SM75_MEM_##type);      \
    }                                                                       \
    static Sm75Next exec_st_##type(Sm75Warp *w, const Sm75Insn *i)          \
    {                                                                       \
        return all_global(w, i) ? store_global(w, i, SM75_MEM_##type)       \
                                : store_generic(w, i, SM75_MEM_##type);     \
    }

EXECS(U8)
EXECS(S8)
EXECS(U16)
EXECS(S16)
EXECS(32)
EXECS(64)
EXECS(128)

#define ROW(name) { name##_U8, name##_S8, name##_U16, name##_S16, \
                    name##_32, name##_64, name##_128 }

Sm75Exec *const sm75_loads[4][7] = {
    [SM75_GLOBAL] = ROW(exec_ldg), [SM75_SHARED] = ROW(exec_lds),
    [SM75_LOCAL] = ROW(exec_ldl), [SM75_GENERIC] = ROW(exec_ld),
};

Sm75Exec *const sm75_stores[4][7] = {
    [SM75_GLOBAL] = ROW(exec_stg), [SM75_SHARED] = ROW(exec_sts),
    [SM75_LOCAL] = ROW(exec_stl), [SM75_GENERIC] = ROW(exec_st),
};
