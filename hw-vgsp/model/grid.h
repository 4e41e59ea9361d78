/*
 * The SM's inside, between grids (grid.c), the interpreter (sm75-run.c) and
 * the instructions of control flow and memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_GRID_H
#define HW_VGSP_MODEL_GRID_H

#include "model/sm75.h"

#define SM75_PAGE_SIZE          4096
#define SM75_PAGE_INSNS         (SM75_PAGE_SIZE / 16)
#define SM75_CODE_PAGES         64      /* decoded, a worker: 4 MiB */
#define SM75_CBUFS              8
#define SM75_CBUF_PAGES         17      /* that 64 KiB may touch */

/* What a warp may cost before the next one has its turn, SM75_COST_*. */
#define SM75_WARP_QUANTUM       256

/*
 * What a worker keeps: decoded instructions, and addresses of the pages that
 * it reads all the time, which are valid in one space for one grid.
 */
typedef struct Sm75Sm {
    uint64_t grid;              /* its id */
    uint64_t generation;        /* of the space's mappings */
    /*
     * Decoded pages by their address. An entry counts only while the words it
     * was decoded from are what memory holds.
     */
    Sm75Insn *pages[SM75_CODE_PAGES];
    uint64_t code_va;           /* of the page below, or UINT64_MAX */
    const uint64_t *code;       /* its words */
    Sm75Insn *insns;            /* and what they mean */
    /* NULL: not looked up yet. */
    const uint8_t *cbuf[SM75_CBUFS][SM75_CBUF_PAGES];
} Sm75Sm;

extern const uint8_t sm75_zero_page[SM75_PAGE_SIZE];

typedef enum Sm75WarpEnd {
    SM75_WARP_RUNS,             /* its turn is over */
    SM75_WARP_WAITS,            /* at a barrier of the CTA */
    SM75_WARP_EXITED,
    SM75_WARP_FAULT,
} Sm75WarpEnd;

/*
 * Runs a warp until it has cost *budget or a little more, which is subtracted;
 * *budget ends at 0.
 */
Sm75WarpEnd sm75_warp_run(Sm75Warp *w, unsigned *budget);

/* Starts the slice of a worker: forgets addresses that may have changed. */
void sm75_enter(Sm75Sm *sm, uint64_t grid, const VgspMmu *mmu);

/*
 * The lanes that the group keeps go on after the instruction, and those of
 * w->mask wait; for SM75_REGROUP.
 */
void sm75_block(Sm75Warp *w);
/* Lanes have exited: nobody waits for them any more. */
void sm75_lanes_exited(Sm75Warp *w);

/* The same of a CTA's barriers: counts again who has arrived. */
void sm75_bar_recount(Sm75Cta *cta);

/* A condition of control flow beyond its guard, bits 89:87 and 90. */
static inline uint32_t sm75_condition(const Sm75Warp *w, const Sm75Insn *i)
{
    return w->mask & (w->p[i->psrc] ^ (i->psrc_not ? ~0u : 0));
}

/* The k-th register from base, or RZ. */
static inline unsigned sm75_reg(unsigned base, unsigned k)
{
    return base == SM75_RZ ? SM75_RZ : base + k;
}

/* The lowest lane of a mask that is not 0. */
static inline unsigned sm75_first(uint32_t mask)
{
    return (unsigned)__builtin_ctz(mask);
}

/* Whether any bit of any lane is set. */
static inline bool sm75_any(const Sm75Vec *v)
{
    typedef uint64_t Half __attribute__((vector_size(16), may_alias));
    const Half *h = (const Half *)v;
    Half x = (h[0] | h[1]) | (h[2] | h[3]) | ((h[4] | h[5]) | (h[6] | h[7]));

    return x[0] | x[1];
}

/* A 64-bit value of a lane from a register pair, and of a uniform pair. */
static inline uint64_t sm75_pair64(const Sm75Warp *w, unsigned r, unsigned lane)
{
    return w->r[r][lane] | (uint64_t)w->r[sm75_reg(r, 1)][lane] << 32;
}

static inline uint64_t sm75_upair64(const Sm75Warp *w, unsigned r)
{
    return w->ur[r] | (r >= SM75_URZ ? 0 : (uint64_t)w->ur[r + 1] << 32);
}

#endif
