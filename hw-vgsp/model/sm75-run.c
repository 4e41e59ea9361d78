/*
 * The interpreter of sm_75: which lanes of a warp execute which instruction
 * next. A lane has its own program counter (independent thread scheduling,
 * exec-facts 8.6); lanes at the same one execute together.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include "model/grid.h"
#include "vgsp/nv/dev_fault.h"

const uint8_t sm75_zero_page[SM75_PAGE_SIZE] __attribute__((aligned(16)));

void *vgsp_sm_new(VgspModel *m)
{
    Sm75Sm *sm = g_new0(Sm75Sm, 1);

    (void)m;
    sm->code_va = UINT64_MAX;
    return sm;
}

void vgsp_sm_free(void *opaque)
{
    Sm75Sm *sm = opaque;

    for (unsigned i = 0; i < SM75_CODE_PAGES; i++) {
        free(sm->pages[i]);
    }
    g_free(sm);
}

void sm75_enter(Sm75Sm *sm, uint64_t grid, const VgspMmu *mmu)
{
    if (sm->grid == grid && sm->generation == mmu->generation) {
        return;
    }
    sm->grid = grid;
    sm->generation = mmu->generation;
    sm->code_va = UINT64_MAX;
    memset(sm->cbuf, 0, sizeof(sm->cbuf));
}

/* ---- Constant banks ---- */

/* A page of constants or code, which the GCC fetches. */
static const uint8_t *read_page(Sm75Warp *w, uint64_t va)
{
    VgspTlbEntry *e = vgsp_mmu_page(&w->worker->mmu, va,
                                    VGSP_GMMU_ACCESS_READ);

    if (!e) {
        w->exception = 0;
        w->fault = w->worker->mmu.fault;
        w->client = NV_PFAULT_CLIENT_GPC_GCC;
        return NULL;
    }
    return e->host ? e->host : sm75_zero_page;
}

/* len bytes at offset; a word that is not aligned, or ends behind the bank. */
static bool cbuf_bytes(Sm75Warp *w, const VgspCbuf *cb, uint32_t offset,
                       void *out, unsigned len)
{
    uint8_t *p = out;

    for (unsigned i = 0; i < len; i++) {
        const uint8_t *page;
        uint64_t va = cb->va + offset + i;

        p[i] = 0;
        if ((uint64_t)offset + i >= cb->size) {
            continue;
        }
        page = read_page(w, va);
        if (!page) {
            return false;
        }
        p[i] = __atomic_load_n(&page[va % SM75_PAGE_SIZE], __ATOMIC_RELAXED);
    }
    return true;
}

static inline const uint8_t *cbuf_page(Sm75Warp *w, unsigned index,
                                       uint64_t va)
{
    Sm75Sm *sm = w->worker->sm;
    unsigned n = (va >> 12) - (w->cta->qmd->cbuf[index].va >> 12);

    if (!sm->cbuf[index][n]) {
        sm->cbuf[index][n] = read_page(w, va);
    }
    return sm->cbuf[index][n];
}

bool sm75_cbuf32(Sm75Warp *w, unsigned index, uint32_t offset, uint32_t *out)
{
    const VgspCbuf *cb = w->cta->qmd->cbuf;
    const uint8_t *page;
    uint64_t va;

    if (index >= SM75_CBUFS || offset >= cb[index].size) {
        *out = 0;
        return true;
    }
    cb += index;
    va = cb->va + offset;
    if ((va & 3) || cb->size - offset < 4) {
        return cbuf_bytes(w, cb, offset, out, 4);
    }
    page = cbuf_page(w, index, va);
    if (!page) {
        return false;
    }
    *out = __atomic_load_n((const uint32_t *)(page + va % SM75_PAGE_SIZE),
                           __ATOMIC_RELAXED);
    return true;
}

bool sm75_cbuf64(Sm75Warp *w, unsigned index, uint32_t offset, uint64_t *out)
{
    const VgspCbuf *cb = w->cta->qmd->cbuf;
    const uint8_t *page;
    uint64_t va;

    if (index >= SM75_CBUFS || offset >= cb[index].size) {
        *out = 0;
        return true;
    }
    cb += index;
    va = cb->va + offset;
    if ((va & 7) || cb->size - offset < 8) {
        return cbuf_bytes(w, cb, offset, out, 8);
    }
    page = cbuf_page(w, index, va);
    if (!page) {
        return false;
    }
    *out = __atomic_load_n((const uint64_t *)(page + va % SM75_PAGE_SIZE),
                           __ATOMIC_RELAXED);
    return true;
}

static bool sm75_cbuf_bindless(Sm75Warp *w, uint64_t desc, uint32_t offset, void *out,
                        unsigned len)
{
    /* exec-facts 8.1: bits 44:0 address >> 4, 63:45 size >> 4. */
    VgspCbuf cb = {
        .va = (desc & ((UINT64_C(1) << 45) - 1)) << 4,
        .size = (uint32_t)(desc >> 45) << 4,
    };

    return cbuf_bytes(w, &cb, offset, out, len);
}

bool sm75_cbuf_bindless32(Sm75Warp *w, uint64_t desc, uint32_t offset,
                          uint32_t *out)
{
    uint64_t va = ((desc & ((UINT64_C(1) << 45) - 1)) << 4) + offset;
    const uint8_t *page;

    if ((va & 3) || (uint64_t)offset + 4 > desc >> 45 << 4) {
        return sm75_cbuf_bindless(w, desc, offset, out, 4);
    }
    page = read_page(w, va);
    if (!page) {
        return false;
    }
    *out = __atomic_load_n((const uint32_t *)(page + va % SM75_PAGE_SIZE),
                           __ATOMIC_RELAXED);
    return true;
}

/* ---- Groups ---- */

/* The group goes on at pc later. */
static void spill_group(Sm75Warp *w, uint64_t pc)
{
    if (w->group == w->live) {
        w->together = true;
        w->pc = pc;
        return;
    }
    for (uint32_t m = w->group; m; m &= m - 1) {
        w->lane_pc[sm75_first(m)] = pc;
    }
}

void sm75_block(Sm75Warp *w)
{
    spill_group(w, w->pc + 16);
    w->blocked |= w->mask;
}

/*
 * Chooses the lanes that go on: those with the lowest pc, which lets the
 * others catch up with them. Every other slice is for those whom that rule
 * passes over: a lane that spins at a low address must not keep the one it
 * waits for from running. *stop is where others wait. False: none can run.
 */
static bool choose_group(Sm75Warp *w, uint32_t turn, uint64_t *stop)
{
    uint32_t ready = w->live & ~w->blocked;
    uint32_t from = ready & turn ? ready & turn : ready;
    uint64_t pc = UINT64_MAX;

    if (!ready) {
        return false;
    }
    if (w->together) {
        w->together = false;
        if (ready == w->live) {
            w->group = ready;
            *stop = UINT64_MAX;
            return true;
        }
        for (uint32_t m = w->live; m; m &= m - 1) {
            w->lane_pc[sm75_first(m)] = w->pc;
        }
    }
    for (uint32_t m = from; m; m &= m - 1) {
        uint64_t p = w->lane_pc[sm75_first(m)];

        pc = MIN(pc, p);
    }
    w->pc = pc;
    w->group = 0;
    *stop = UINT64_MAX;
    for (uint32_t m = ready; m; m &= m - 1) {
        unsigned lane = sm75_first(m);
        uint64_t p = w->lane_pc[lane];

        if (p == pc) {
            w->group |= 1u << lane;
        } else if (p > pc && from == ready) {
            *stop = MIN(*stop, p);
        }
    }
    return true;
}

/* Lanes at one pc, in turn among all that are ready. */
static uint32_t next_turn(Sm75Warp *w)
{
    uint32_t ready = w->live & ~w->blocked;
    uint32_t turn = 0;
    uint64_t pc;

    if (!(ready & ~w->favoured)) {
        w->favoured = 0;
    }
    if (!ready || w->together) {
        return 0;
    }
    pc = w->lane_pc[sm75_first(ready & ~w->favoured)];
    for (uint32_t m = ready; m; m &= m - 1) {
        if (w->lane_pc[sm75_first(m)] == pc) {
            turn |= m & -m;
        }
    }
    w->favoured |= turn;
    return turn;
}

/* ---- Instructions ---- */

static Sm75Next exec_illegal(Sm75Warp *w, const Sm75Insn *i)
{
    (void)i;
    return sm75_raise(w, VGSP_EXC_ILLEGAL_INSTRUCTION);
}

static void decode(Sm75Insn *i, uint64_t lo, uint64_t hi)
{
    if (!sm75_decode(lo, hi, i)) {
        i->lo = lo;
        i->hi = hi;
        i->exec = exec_illegal;
        i->registers = 0;
        i->cost = SM75_COST_VECTOR;
    }
}

/* Makes the page of pc the current one. */
static bool enter_page(Sm75Sm *sm, Sm75Warp *w, uint64_t pc)
{
    unsigned slot = (pc / SM75_PAGE_SIZE) % SM75_CODE_PAGES;
    const uint8_t *page = read_page(w, pc);

    if (!page) {
        return false;
    }
    if (!sm->pages[slot]) {
        size_t size = SM75_PAGE_INSNS * sizeof(Sm75Insn);
        Sm75Insn *insns = aligned_alloc(_Alignof(Sm75Insn), size);

        if (!insns) {
            w->exception = VGSP_EXC_SM_OTHER;
            return false;
        }
        for (unsigned n = 0; n < SM75_PAGE_INSNS; n++) {
            decode(&insns[n], 0, 0);
        }
        sm->pages[slot] = insns;
    }
    sm->insns = sm->pages[slot];
    sm->code = (const uint64_t *)page;
    sm->code_va = pc & -(uint64_t)SM75_PAGE_SIZE;
    return true;
}

Sm75WarpEnd sm75_warp_run(Sm75Warp *w, unsigned *budget)
{
    Sm75Sm *sm = w->worker->sm;
    int32_t quantum = (int32_t)MIN(*budget, SM75_WARP_QUANTUM);
    uint32_t turn = w->favour ? next_turn(w) : 0;
    Sm75WarpEnd end = SM75_WARP_RUNS;
    unsigned registers = w->cta->registers;
    uint64_t pc, stop;

    w->favour = !w->favour;
    w->left = quantum;
regroup:
    if (!choose_group(w, turn, &stop)) {
        end = w->live ? SM75_WARP_WAITS : SM75_WARP_EXITED;
        w->group = 0;
        goto out;
    }
    pc = w->pc;
    if (pc & 15) {
        sm75_raise(w, VGSP_EXC_SM_OTHER);
        end = SM75_WARP_FAULT;
        goto out;
    }
    /* No page yet: its address must not look like the one before page 0. */
    if (G_UNLIKELY(sm->code_va == UINT64_MAX) && !enter_page(sm, w, pc)) {
        end = SM75_WARP_FAULT;
        goto out;
    }
    while (w->left > 0) {
        uint64_t offset = pc - sm->code_va;
        uint64_t lo, hi;
        Sm75Insn *i;
        uint32_t mask;

        if (G_UNLIKELY(offset >= SM75_PAGE_SIZE)) {
            w->pc = pc;
            if (!enter_page(sm, w, pc)) {
                end = SM75_WARP_FAULT;
                goto out;
            }
            offset = pc - sm->code_va;
        }
        i = &sm->insns[offset / 16];
        lo = __atomic_load_n(&sm->code[offset / 8], __ATOMIC_RELAXED);
        hi = __atomic_load_n(&sm->code[offset / 8 + 1], __ATOMIC_RELAXED);
        if (G_UNLIKELY(i->lo != lo || i->hi != hi)) {
            decode(i, lo, hi);
            w->left -= SM75_COST_LANES;
        }
        mask = w->group;
        if (i->guard != SM75_PT || i->guard_not) {
            uint32_t p = i->guard_uniform ? -(uint32_t)w->up[i->guard]
                                          : w->p[i->guard];

            mask &= i->guard_not ? ~p : p;
            if (!mask) {
                w->left -= SM75_COST_VECTOR;
                pc += 16;
                if (G_UNLIKELY(pc >= stop)) {
                    spill_group(w, pc);
                    goto regroup;
                }
                continue;
            }
        }
        w->left -= i->cost;
        w->mask = mask;
        w->pc = pc;
        if (G_UNLIKELY(i->registers > registers)) {
            sm75_raise(w, VGSP_EXC_OUT_OF_RANGE_REGISTER);
            end = SM75_WARP_FAULT;
            goto out;
        }
        switch (i->exec(w, i)) {
        case SM75_NEXT:
            pc += 16;
            break;
        case SM75_JUMP:
            pc = w->pc;
            if (G_UNLIKELY(pc & 15)) {
                sm75_raise(w, VGSP_EXC_SM_OTHER);
                end = SM75_WARP_FAULT;
                goto out;
            }
            break;
        case SM75_REGROUP:
            w->left -= SM75_COST_LANES;
            w->group = 0;
            goto regroup;
        case SM75_YIELD:
            spill_group(w, pc + 16);
            goto out;
        case SM75_FAULT:
        default:
            end = SM75_WARP_FAULT;
            goto out;
        }
        if (G_UNLIKELY(pc >= stop)) {
            spill_group(w, pc);
            goto regroup;
        }
    }
    spill_group(w, pc);
out:
    *budget -= MIN(*budget, (unsigned)(quantum - w->left));
    return end;
}
