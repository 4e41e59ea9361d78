/*
 * Addresses of sm_75's memory instructions, for loads, stores and atomics:
 * exec-facts 6.5 (windows) and 8.5.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_SM75_MEMORY_H
#define HW_VGSP_MODEL_SM75_MEMORY_H

#include "model/grid.h"

#define SM75_WINDOW_SIZE        (UINT64_C(1) << 24)

/* Bits 75:73 of loads and stores. */
typedef enum Sm75MemType {
    SM75_MEM_U8, SM75_MEM_S8, SM75_MEM_U16, SM75_MEM_S16,
    SM75_MEM_32, SM75_MEM_64, SM75_MEM_128,
} Sm75MemType;

static inline __attribute__((always_inline))
uint32_t sm75_sub_word(const void *p, Sm75MemType type)
{
    switch (type) {
    case SM75_MEM_U8:
        return __atomic_load_n((const uint8_t *)p, __ATOMIC_RELAXED);
    case SM75_MEM_S8:
        return (uint32_t)__atomic_load_n((const int8_t *)p, __ATOMIC_RELAXED);
    case SM75_MEM_U16:
        return __atomic_load_n((const uint16_t *)p, __ATOMIC_RELAXED);
    case SM75_MEM_S16:
        return (uint32_t)__atomic_load_n((const int16_t *)p,
                                         __ATOMIC_RELAXED);
    default:
        return __atomic_load_n((const uint32_t *)p, __ATOMIC_RELAXED);
    }
}

static inline __attribute__((always_inline))
unsigned sm75_type_size(Sm75MemType type)
{
    return type <= SM75_MEM_S8 ? 1 : type <= SM75_MEM_S16 ? 2
         : 4u << (type - SM75_MEM_32);
}

/* Registers of data. */
static inline __attribute__((always_inline))
unsigned sm75_type_regs(Sm75MemType type)
{
    return type <= SM75_MEM_32 ? 1 : 1u << (type - SM75_MEM_32);
}

static inline __attribute__((always_inline))
void sm75_set_rows(Sm75Warp *w, const Sm75Insn *i, const Sm75Vec *rows,
                   unsigned n)
{
    for (unsigned k = 0; k < n; k++) {
        sm75_set(w, i->dst == SM75_RZ ? 256 : i->dst_index + k, &rows[k]);
    }
}

/* The lanes of w->mask go one after the other to memory: a load or a store. */
static inline void sm75_charge_lanes(Sm75Warp *w)
{
    w->left -= (int32_t)(__builtin_popcount(w->mask) *
                         2 * SM75_COST_LANES / SM75_LANES);
}

/* Where an address lies, of a generic access or by the instruction. */
typedef enum Sm75Place {
    SM75_GLOBAL, SM75_SHARED, SM75_LOCAL, SM75_GENERIC,
} Sm75Place;

/* The functions that perform a load or a store, sm75-access.c. */
Sm75Exec *sm75_load_exec(Sm75Place place, Sm75MemType type);
Sm75Exec *sm75_store_exec(Sm75Place place, Sm75MemType type);

/*
 * How an instruction forms addresses: a register or a pair (a), a uniform
 * register or pair (ur), imm. Filled by sm75_decode_address().
 */
enum {                          /* sub[0] */
    SM75_ADDR_WIDE = 1,         /* .E: 64-bit */
    SM75_ADDR_R32 = 2,          /* the register is 32 bits of it (R.U32) */
    SM75_ADDR_UR = 4,
};

static inline unsigned sm75_address_regs(const Sm75Insn *i)
{
    return (i->sub[0] & (SM75_ADDR_WIDE | SM75_ADDR_R32)) == SM75_ADDR_WIDE
         ? 2 : 1;
}

/*
 * ur_lo: lowest bit of the UR field, or 0 without one; r64: the bit that says
 * the register is a pair.
 */
void sm75_decode_address(Sm75Insn *i, bool uniform, unsigned ur_lo,
                         unsigned r64);
/* "[R2.64+UR4+0x10]" */
void sm75_print_address(const Sm75Insn *i, GString *out, bool global);

/* Data registers base..base + n - 1 exist. */
static inline bool sm75_data_regs(unsigned base, unsigned n)
{
    return base == SM75_RZ || base + n <= SM75_RZ;
}

/* The address of a lane of a global or generic access. */
static inline uint64_t sm75_address(const Sm75Warp *w, const Sm75Insn *i,
                                    unsigned lane)
{
    uint64_t va = w->r[i->a][lane];
    bool wide = i->sub[0] & SM75_ADDR_WIDE;

    if (wide && !(i->sub[0] & SM75_ADDR_R32)) {
        va |= (uint64_t)w->r[sm75_reg(i->a, 1)][lane] << 32;
    }
    if (i->sub[0] & SM75_ADDR_UR) {
        va += wide ? sm75_upair64(w, i->ur) : w->ur[i->ur];
    }
    va += (uint64_t)i->imm;
    return wide ? va : (uint32_t)va;
}

/* The address of a lane of a shared or local access; sub[1]: log2 of .X4. */
static inline uint32_t sm75_offset(const Sm75Warp *w, const Sm75Insn *i,
                                   unsigned lane)
{
    uint32_t ur = i->sub[0] & SM75_ADDR_UR ? w->ur[i->ur] : 0;

    return (w->r[i->a][lane] << i->sub[1]) + ur + (uint32_t)i->imm;
}

/* Which window a generic address lies in; *va becomes the offset there. */
static inline Sm75Place sm75_window(const Sm75Warp *w, uint64_t *va)
{
    const VgspGridState *gs = w->cta->gs;

    if (*va - gs->shared_window < SM75_WINDOW_SIZE) {
        *va -= gs->shared_window;
        return SM75_SHARED;
    }
    if (*va - gs->local_window < SM75_WINDOW_SIZE) {
        *va -= gs->local_window;
        return SM75_LOCAL;
    }
    return SM75_GLOBAL;
}

/* The page of a global address, or NULL with the warp's fault. */
static inline VgspTlbEntry *sm75_page(Sm75Warp *w, uint64_t va,
                                      VgspGmmuAccess access)
{
    VgspTlbEntry *e = vgsp_mmu_page(&w->worker->mmu, va, access);

    if (G_UNLIKELY(!e)) {
        w->exception = 0;
        w->fault = w->worker->mmu.fault;
    }
    return e;
}

/*
 * Which byte of a thread's local memory lies at an offset, if n do; else
 * UINT32_MAX. It has a low part from 0 on and a high one that ends where the
 * window does, at 2^24: the stack of old ABIs. Offsets below 0 mean that too.
 */
static inline uint32_t sm75_local_byte(const VgspQmd *qmd, uint32_t offset,
                                       unsigned n)
{
    uint32_t low = qmd->local_size - qmd->local_high;
    uint32_t below = (uint32_t)SM75_WINDOW_SIZE - offset;

    if (offset < low) {
        return low - offset >= n ? offset : UINT32_MAX;
    }
    if (offset > INT32_MAX) {
        below = -offset;
    }
    return below <= qmd->local_high && below >= n ? qmd->local_size - below
                                                  : UINT32_MAX;
}

/*
 * Bytes of local memory at an offset of a lane, n at most 4 and not crossing
 * a word; NULL: beyond its size.
 */
static inline uint8_t *sm75_local(const Sm75Warp *w, unsigned lane,
                                  uint32_t offset, unsigned n)
{
    uint32_t size = w->cta->qmd->local_size;
    uint32_t byte = sm75_local_byte(w->cta->qmd, offset, n);

    if (byte == UINT32_MAX) {
        return NULL;
    }
    return w->cta->local + (size_t)w->index * SM75_LANES * size +
           ((size_t)(byte & ~3u) * SM75_LANES + lane * 4 + (byte & 3));
}

static inline uint8_t *sm75_shared(const Sm75Warp *w, uint32_t offset,
                                   unsigned n)
{
    uint32_t size = w->cta->qmd->shared_size;

    return offset >= size || size - offset < n ? NULL
                                               : w->cta->shared + offset;
}

/* An access outside shared or local memory: false if it is ignored. */
static inline bool sm75_out_of_range(Sm75Warp *w)
{
    if (w->cta->gs->ignore_out_of_range) {
        return false;
    }
    w->exception = VGSP_EXC_OUT_OF_RANGE_ADDRESS;
    return true;
}

#endif
