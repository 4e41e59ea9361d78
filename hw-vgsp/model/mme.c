/*
 * The macro engine of TU104 (MME64): instruction, start-address, shadow and
 * data RAM, the data FIFO, and the execution of macros. Specified by NVIDIA's
 * MME64 notes, pri_mme and clc597.h, and by Mesa's simulator (nouveau/mme),
 * which was held against a TU10x.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/model-int.h"
#include "vgsp/nv/dev_fault.h"
#include "vgsp/nv/mme.h"
#include "vgsp/nv/mme-isa.h"

#define SCRATCH         256
/* 16 KiB, of which the data FIFO takes its part (SET_MME_DATA_FIFO_CONFIG). */
#define DATA_RAM        4096
#define FIFO_UNIT       1024
/* The shadow RAM: methods below the scratch registers, and these. */
#define SHADOW          (NVC597_CALL_MME_MACRO(0) / 4)
/* Groups a slice; at some 40 ns each, well below a millisecond. */
#define SLICE_GROUPS    8192

/* Where a macro goes on within a group. */
enum { PHASE_LOAD0, PHASE_LOAD1, PHASE_ALU, PHASE_OUT0, PHASE_OUT1, PHASE_END };

struct VgspMme {
    uint32_t instruction_ram[VGSP_MME_INSTRUCTION_RAM];
    uint32_t instruction_pointer;           /* word */
    uint32_t start_ram[VGSP_MME_MACROS];    /* groups */
    uint32_t start_pointer;
    uint32_t shadow[SHADOW];
    unsigned shadow_mode;

    /* Data RAM, and behind its end the FIFO, a ring. */
    uint32_t data_ram[DATA_RAM];
    uint32_t fifo_size, fifo_get, fifo_count;   /* words */
    bool fifo_loads;            /* LOADs come from the FIFO */
    uint32_t address_upper, address_lower;
    uint32_t data_address;      /* word of the data RAM */

    /* The macro that runs or waits for a parameter. */
    bool running;
    bool emitting;              /* within vgsp_fe_method() */
    bool again;                 /* VGSP_FE_AGAIN was the answer */
    bool parameter_valid;
    uint32_t parameter;
    unsigned macro;
    uint32_t start;             /* the first group */
    uint32_t pc, next_pc;       /* groups from there */
    bool end_next, stop;
    unsigned phase;
    VgspMmeGroup group;         /* at pc, as it was when it began */
    unsigned active;            /* ALU0, ALU1, OUT0, OUT1 of this group */
    uint32_t regs[VGSP_MME_REG_R23 + 1];
    uint32_t load[2];
    uint32_t alu[2];            /* results; of a suppressed ALU, the last */
    uint32_t method, increment; /* words */
    uint32_t loop_count;        /* times that the body is due again */
    uint32_t loop_start, loop_end;
};

/* pri_mme: bits of NV_PGRAPH_PRI_MME_HWW_ESR. */
typedef enum MmeError {
    MME_MISSING_MACRO_DATA = 0,
    MME_EXTRA_MACRO_DATA = 1,
    MME_ILLEGAL_OPCODE = 2,
    MME_INSTR_RAM_ACCESS_OUT_OF_BOUNDS = 5,
    MME_DATA_RAM_ACCESS_OUT_OF_BOUNDS = 6,
    MME_ILLEGAL_MME_METHOD = 7,
    MME_DMA_DRAM_ACCESS_OUT_OF_BOUNDS = 16,
    MME_DMA_READ_FIFOED_FROM_PB = 17,
    MME_DMA_ILLEGAL_FIFO_CONFIG = 18,
    MME_DMA_READ_FIFOED_OVERFLOW = 19,
    MME_DMA_FIFO_RESIZED_WHEN_NONIDLE = 20,
    /* Not the engine's. */
    MME_OK = -1,
    MME_NOT_MODELLED = -2,
} MmeError;

VgspMme *vgsp_mme_new(void)
{
    return g_new0(VgspMme, 1);
}

void vgsp_mme_free(VgspMme *mme)
{
    g_free(mme);
}

static uint32_t data_ram_words(const VgspMme *mme)
{
    return DATA_RAM - mme->fifo_size;
}

/* The macro is over. The method is what called it, or what was refused. */
static VgspFeEnd fail(VgspMme *mme, VgspContext *ctx, uint32_t method,
                      MmeError error)
{
    mme->running = false;
    return vgsp_fe_error(ctx, VGSP_EXC_MACRO, VGSP_SUBC_3D, method,
                         (uint32_t)error);
}

/* ---- A group ---- */

static bool group_fetch(const VgspMme *mme, VgspMmeGroup *g)
{
    uint64_t group = (uint64_t)mme->start + mme->pc;

    if (group >= VGSP_MME_GROUPS) {
        return false;
    }
    *g = vgsp_mme_group_decode(&mme->instruction_ram[group *
                                                     VGSP_MME_GROUP_WORDS]);
    return true;
}

static bool group_uses(const VgspMmeGroup *g, unsigned reg, unsigned out)
{
    return g->predicate == reg || g->alu[0].src[0] == reg ||
           g->alu[0].src[1] == reg || g->alu[1].src[0] == reg ||
           g->alu[1].src[1] == reg || g->out[0].method == out ||
           g->out[0].emit == out || g->out[1].method == out ||
           g->out[1].emit == out;
}

/* What no macro may contain, whether it comes to be executed or not. */
static bool group_legal(const VgspMmeGroup *g)
{
    for (unsigned i = 0; i < 2; i++) {
        if (g->alu[i].dst > VGSP_MME_REG_ZERO ||
            g->alu[i].src[0] > VGSP_MME_REG_LOAD1 ||
            g->alu[i].src[1] > VGSP_MME_REG_LOAD1 ||
            g->out[i].method == VGSP_MME_OUT_RESERVED ||
            g->out[i].emit == VGSP_MME_OUT_RESERVED ||
            g->out[i].emit > VGSP_MME_OUT_IMM32) {
            return false;
        }
    }
    if (g->predicate > VGSP_MME_REG_LOAD1 ||
        g->predicate == VGSP_MME_REG_IMM ||
        g->predicate == VGSP_MME_REG_IMMPAIR) {
        return false;
    }
    if (g->alu[0].op == VGSP_MME_OP_STATE &&
        g->alu[1].op == VGSP_MME_OP_STATE) {
        return false;
    }
    return group_uses(g, VGSP_MME_REG_LOAD0, VGSP_MME_OUT_LOAD0) ||
           !group_uses(g, VGSP_MME_REG_LOAD1, VGSP_MME_OUT_LOAD1);
}

static uint32_t read_reg(const VgspMme *mme, const VgspMmeGroup *g, unsigned i,
                         unsigned reg)
{
    switch (reg) {
    case VGSP_MME_REG_ZERO:
        return 0;
    case VGSP_MME_REG_IMM:
        return (uint32_t)(int16_t)g->imm[i];
    case VGSP_MME_REG_IMMPAIR:
        return (uint32_t)(int16_t)g->imm[1 - i];
    case VGSP_MME_REG_IMM32:
        return (uint32_t)g->imm[0] << 16 | g->imm[1];
    case VGSP_MME_REG_LOAD0:
    case VGSP_MME_REG_LOAD1:
        return mme->load[reg - VGSP_MME_REG_LOAD0];
    default:
        return mme->regs[reg];
    }
}

/* Units that run. */
static unsigned group_active(const VgspMme *mme, const VgspMmeGroup *g)
{
    return ~vgsp_mme_suppressed(g->mode, read_reg(mme, g, 0, g->predicate));
}

/* ---- ALUs ---- */

static bool compare(unsigned op, uint32_t x, uint32_t y)
{
    switch (op) {
    case VGSP_MME_OP_SLT:
    case VGSP_MME_OP_BLT:
        return (int32_t)x < (int32_t)y;
    case VGSP_MME_OP_SLTU:
    case VGSP_MME_OP_BLTU:
        return x < y;
    case VGSP_MME_OP_SLE:
    case VGSP_MME_OP_BLE:
        return (int32_t)x <= (int32_t)y;
    case VGSP_MME_OP_SLEU:
    case VGSP_MME_OP_BLEU:
        return x <= y;
    default: /* SEQ, BEQ */
        return x == y;
    }
}

static uint32_t merge(uint16_t imm, uint32_t x, uint32_t y)
{
    unsigned pos = (unsigned)VGSP_GET(VGSP_MME_MERGE_DST_POS, imm);
    unsigned bits = (unsigned)VGSP_GET(VGSP_MME_MERGE_BITS, imm);
    unsigned src = (unsigned)VGSP_GET(VGSP_MME_MERGE_SRC_POS, imm);
    uint64_t mask = VGSP_BIT(bits) - 1;

    return (uint32_t)((x & ~(mask << pos)) | ((y >> src) & mask) << pos);
}

static MmeError branch(VgspMme *mme, uint16_t imm, bool condition)
{
    uint32_t offset = (uint32_t)VGSP_GET(VGSP_MME_BRANCH_OFFSET, imm);

    if (imm & VGSP_MME_BRANCH_UNKNOWN) {
        return MME_NOT_MODELLED;
    }
    if (condition != !!(imm & VGSP_MME_BRANCH_IF_TRUE)) {
        return MME_OK;
    }
    if (offset == VGSP_MME_BRANCH_EXIT) {
        mme->stop = true;
    } else if (offset & VGSP_MME_BRANCH_EXIT) { /* the sign */
        mme->next_pc = mme->pc + offset - 2 * VGSP_MME_BRANCH_EXIT;
    } else {
        mme->next_pc = mme->pc + offset;
    }
    return MME_OK;
}

/*
 * One ALU of a group. *carry goes from ALU0 to ALU1: of ADD, the borrow of
 * SUB, the upper word of MUL and MULU.
 */
static MmeError alu(VgspMme *mme, const VgspMmeGroup *g, unsigned i,
                    uint32_t *carry)
{
    const VgspMmeAlu *a = &g->alu[i];
    uint32_t x = read_reg(mme, g, i, a->src[0]);
    uint32_t y = read_reg(mme, g, i, a->src[1]);
    uint16_t imm = g->imm[i];
    MmeError error = MME_OK;
    uint64_t product;
    uint32_t r = 0;

    switch (a->op) {
    case VGSP_MME_OP_ADD:
        r = x + y;
        *carry = r < x;
        break;
    case VGSP_MME_OP_ADDC:
        r = x + y + *carry;
        break;
    case VGSP_MME_OP_SUB:
        r = x - y;
        *carry = r > x;
        break;
    case VGSP_MME_OP_SUBB:
        r = x - y - *carry;
        break;
    case VGSP_MME_OP_MUL:
        product = (uint64_t)((int64_t)(int32_t)x * (int32_t)y);
        r = (uint32_t)product;
        *carry = (uint32_t)(product >> 32);
        break;
    case VGSP_MME_OP_MULU:
        product = (uint64_t)x * y;
        r = (uint32_t)product;
        *carry = (uint32_t)(product >> 32);
        break;
    case VGSP_MME_OP_MULH:
        r = *carry;
        break;
    case VGSP_MME_OP_EXTENDED:
        if (x != VGSP_MME_EXTENDED_BARRIER_X ||
            y != VGSP_MME_EXTENDED_BARRIER_Y) {
            return MME_NOT_MODELLED;
        }
        mme->fifo_loads = mme->fifo_count != 0;
        break;
    case VGSP_MME_OP_CLZ:
        r = x ? (uint32_t)__builtin_clz(x) : 32;
        break;
    case VGSP_MME_OP_SLL:
        r = x << (y & 31);
        break;
    case VGSP_MME_OP_SRL:
        r = x >> (y & 31);
        break;
    case VGSP_MME_OP_SRA:
        r = (uint32_t)((int32_t)x >> (y & 31));
        break;
    case VGSP_MME_OP_AND:
        r = x & y;
        break;
    case VGSP_MME_OP_NAND:
        r = ~(x & y);
        break;
    case VGSP_MME_OP_OR:
        r = x | y;
        break;
    case VGSP_MME_OP_XOR:
        r = x ^ y;
        break;
    case VGSP_MME_OP_MERGE:
        r = merge(imm, x, y);
        break;
    case VGSP_MME_OP_SLT:
    case VGSP_MME_OP_SLTU:
    case VGSP_MME_OP_SLE:
    case VGSP_MME_OP_SLEU:
    case VGSP_MME_OP_SEQ:
        r = compare(a->op, x, y) ? UINT32_MAX : 0;
        break;
    case VGSP_MME_OP_STATE:
        x = (x + y) & UINT16_MAX;
        r = x < SHADOW ? mme->shadow[x] : 0;
        break;
    case VGSP_MME_OP_LOOP:
        /* The distance counts LOOP's own group; loops do not nest. */
        if (mme->loop_count || imm < 2) {
            return MME_ILLEGAL_OPCODE;
        }
        mme->loop_count = x ? x - 1 : 0;
        mme->loop_start = mme->pc + 1;
        mme->loop_end = mme->pc + imm - 1;
        break;
    case VGSP_MME_OP_JAL:
        if (!(imm & VGSP_MME_JAL_KNOWN)) {
            return MME_NOT_MODELLED;
        }
        mme->next_pc = mme->pc + (uint32_t)VGSP_GET(VGSP_MME_JAL_OFFSET, imm);
        break;
    case VGSP_MME_OP_BLT:
    case VGSP_MME_OP_BLTU:
    case VGSP_MME_OP_BLE:
    case VGSP_MME_OP_BLEU:
    case VGSP_MME_OP_BEQ:
        error = branch(mme, imm, compare(a->op, x, y));
        break;
    case VGSP_MME_OP_DREAD:
    case VGSP_MME_OP_DWRITE:
        if (x >= data_ram_words(mme)) {
            return MME_DATA_RAM_ACCESS_OUT_OF_BOUNDS;
        }
        if (a->op == VGSP_MME_OP_DWRITE) {
            mme->data_ram[x] = y;
        } else {
            r = mme->data_ram[x];
        }
        break;
    }
    mme->alu[i] = r;
    if (a->dst < VGSP_MME_REG_ZERO) {
        mme->regs[a->dst] = r;
    }
    return error;
}

static MmeError run_alus(VgspMme *mme, const VgspMmeGroup *g)
{
    uint32_t carry = 0;
    MmeError error = MME_OK;

    mme->next_pc = mme->pc + 1;
    mme->active = group_active(mme, g);
    if (mme->active & VGSP_MME_UNIT_ALU(0)) {
        error = alu(mme, g, 0, &carry);
    }
    if (error == MME_OK && mme->active & VGSP_MME_UNIT_ALU(1)) {
        error = alu(mme, g, 1, &carry);
    }
    return error;
}

/* ---- Outputs ---- */

static uint32_t read_out(const VgspMme *mme, const VgspMmeGroup *g,
                         unsigned out)
{
    uint32_t value;

    if (vgsp_mme_out_immediate(g->imm, out, &value)) {
        return value;
    }
    return out >= VGSP_MME_OUT_LOAD0 ? mme->load[out - VGSP_MME_OUT_LOAD0]
                                     : mme->alu[out - VGSP_MME_OUT_ALU0];
}

/*
 * One output of a group. Nothing of it has an effect that a second time does
 * not have until the method is performed.
 */
static VgspFeEnd run_output(VgspMme *mme, VgspContext *ctx, VgspWorker *w,
                            const VgspMmeGroup *g, unsigned i)
{
    VgspFeEnd end;

    if (!(mme->active & VGSP_MME_UNIT_OUT(i))) {
        return VGSP_FE_DONE;
    }
    if (g->out[i].method != VGSP_MME_OUT_NONE) {
        uint32_t v = read_out(mme, g, g->out[i].method);

        mme->method = (uint32_t)VGSP_GET(VGSP_MME_METHOD_ADDRESS, v);
        mme->increment = (uint32_t)VGSP_GET(VGSP_MME_METHOD_INCREMENT, v);
    }
    if (g->out[i].emit == VGSP_MME_OUT_NONE) {
        return VGSP_FE_DONE;
    }
    mme->emitting = true;
    end = vgsp_fe_method(ctx, w, VGSP_SUBC_3D, mme->method * 4,
                         read_out(mme, g, g->out[i].emit));
    mme->emitting = false;
    if (end == VGSP_FE_DONE || end == VGSP_FE_WAIT) {
        mme->method = (mme->method + mme->increment) &
                      (uint32_t)VGSP_MME_METHOD_ADDRESS;
    }
    return end;
}

/* ---- Execution ---- */

/* The next parameter: false, and the macro waits, where there is none. */
static bool pop_parameter(VgspMme *mme, uint32_t *value)
{
    if (mme->fifo_loads) {
        *value = mme->data_ram[data_ram_words(mme) + mme->fifo_get];
        mme->fifo_get = (mme->fifo_get + 1) % mme->fifo_size;
        mme->fifo_count--;
        mme->fifo_loads = mme->fifo_count != 0;
        return true;
    }
    *value = mme->parameter;
    if (!mme->parameter_valid) {
        return false;
    }
    mme->parameter_valid = false;
    return true;
}

static VgspFeEnd run_again(VgspMme *mme)
{
    mme->again = true;
    return VGSP_FE_AGAIN;
}

/* Runs until the macro ends, waits for a parameter, or is interrupted. */
static VgspFeEnd run(VgspMme *mme, VgspContext *ctx, VgspWorker *w)
{
    uint32_t call = NVC597_CALL_MME_MACRO(mme->macro);

    for (unsigned groups = 0; groups < SLICE_GROUPS; groups++) {
        const VgspMmeGroup *g = &mme->group;
        VgspFeEnd end;
        MmeError error = MME_OK;

        /* What a group emits may rewrite it: for the next time. */
        if (mme->phase == PHASE_LOAD0) {
            if (!group_fetch(mme, &mme->group)) {
                return fail(mme, ctx, call,
                            MME_INSTR_RAM_ACCESS_OUT_OF_BOUNDS);
            }
            if (!group_legal(g)) {
                return fail(mme, ctx, call, MME_ILLEGAL_OPCODE);
            }
        }
        for (; mme->phase < PHASE_END; mme->phase++) {
            end = VGSP_FE_DONE;
            switch (mme->phase) {
            case PHASE_LOAD0:
            case PHASE_LOAD1: {
                unsigned i = mme->phase - PHASE_LOAD0;

                if (group_uses(g, VGSP_MME_REG_LOAD0 + i,
                               VGSP_MME_OUT_LOAD0 + i) &&
                    !pop_parameter(mme, &mme->load[i])) {
                    return VGSP_FE_DONE;
                }
                break;
            }
            case PHASE_ALU:
                error = run_alus(mme, g);
                break;
            default:
                end = run_output(mme, ctx, w, g, mme->phase - PHASE_OUT0);
                break;
            }
            if (error == MME_NOT_MODELLED) {
                mme->running = false;
                return vgsp_fe_error(ctx, VGSP_EXC_NOT_MODELLED, VGSP_SUBC_3D,
                                     call, mme->pc);
            }
            if (error != MME_OK) {
                return fail(mme, ctx, call, error);
            }
            if (end == VGSP_FE_ERROR) {
                mme->running = false;
                return end;
            }
            if (end == VGSP_FE_AGAIN) {
                return run_again(mme);
            }
            if (end == VGSP_FE_WAIT) {
                mme->phase++;
                return run_again(mme);
            }
        }

        mme->phase = PHASE_LOAD0;
        if (mme->end_next || mme->stop) {
            mme->running = false;
            return VGSP_FE_DONE;
        }
        mme->end_next = g->end_next;
        if (mme->loop_count && mme->pc == mme->loop_end) {
            mme->loop_count--;
            mme->next_pc = mme->loop_start;
        }
        mme->pc = mme->next_pc;
        if (vgsp_fe_spent(ctx, 1)) {
            break;
        }
    }
    return run_again(mme);
}

/* CALL_MME_MACRO and CALL_MME_DATA. */
static VgspFeEnd call(VgspMme *mme, VgspContext *ctx, VgspWorker *w,
                      uint32_t method, uint32_t data)
{
    unsigned macro = (method - NVC597_CALL_MME_MACRO(0)) / 8;

    if (mme->again) {
        mme->again = false;
        return run(mme, ctx, w);
    }
    if (method == NVC597_CALL_MME_DATA(macro)) {
        if (!mme->running) {
            return fail(mme, ctx, method, MME_EXTRA_MACRO_DATA);
        }
        if (macro != mme->macro) {
            return fail(mme, ctx, method, MME_MISSING_MACRO_DATA);
        }
    } else {
        if (mme->running) {
            return fail(mme, ctx, method, MME_MISSING_MACRO_DATA);
        }
        mme->running = true;
        mme->macro = macro;
        mme->start = mme->start_ram[macro];
        mme->pc = 0;
        mme->end_next = mme->stop = false;
        mme->phase = PHASE_LOAD0;
        mme->method = mme->increment = 0;
        mme->loop_count = 0;
        mme->fifo_loads = false;
        memset(mme->regs, 0, sizeof(mme->regs));
        memset(mme->alu, 0, sizeof(mme->alu));
        memset(mme->load, 0, sizeof(mme->load));
    }
    /*
     * A macro that takes no parameter leaves the one of its call: drivers call
     * such macros with a dummy.
     */
    mme->parameter = data;
    mme->parameter_valid = true;
    return run(mme, ctx, w);
}

/* ---- DMA ---- */

static uint64_t memory_address(const VgspMme *mme)
{
    return VGSP_GET(NVC597_SET_MME_MEM_ADDRESS_A_UPPER,
                    mme->address_upper) << 32 | mme->address_lower;
}

static VgspFeEnd fault(VgspMme *mme, VgspContext *ctx, VgspWorker *w)
{
    mme->running = false;
    return vgsp_fe_fault(ctx, &w->mmu.fault, NV_PFAULT_CLIENT_HUB_FE, true);
}

static VgspFeEnd dma_data_ram(VgspMme *mme, VgspContext *ctx, VgspWorker *w,
                              uint32_t method, uint32_t length)
{
    uint64_t va = memory_address(mme);

    if (!vgsp_range_ok(mme->data_address, length, data_ram_words(mme))) {
        return fail(mme, ctx, method, MME_DMA_DRAM_ACCESS_OUT_OF_BOUNDS);
    }
    vgsp_fe_spent(ctx, length / 2);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t *word = &mme->data_ram[mme->data_address + i];
        uint32_t v = GUINT32_TO_LE(*word);
        bool ok = method == NVC597_MME_DMA_READ
                  ? vgsp_mmu_read(&w->mmu, va + i * UINT64_C(4), &v, 4)
                  : vgsp_mmu_write(&w->mmu, va + i * UINT64_C(4), &v, 4);

        if (!ok) {
            return fault(mme, ctx, w);
        }
        *word = GUINT32_FROM_LE(v);
    }
    return VGSP_FE_DONE;
}

static VgspFeEnd dma_read_fifoed(VgspMme *mme, VgspContext *ctx, VgspWorker *w,
                                 uint32_t method, uint32_t length)
{
    uint32_t *fifo = mme->data_ram + data_ram_words(mme);
    uint64_t va = memory_address(mme);

    if (!mme->emitting) {
        return fail(mme, ctx, method, MME_DMA_READ_FIFOED_FROM_PB);
    }
    if (length > mme->fifo_size - mme->fifo_count) {
        return fail(mme, ctx, method, MME_DMA_READ_FIFOED_OVERFLOW);
    }
    vgsp_fe_spent(ctx, length / 2);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t v;

        if (!vgsp_mmu_read(&w->mmu, va + i * UINT64_C(4), &v, 4)) {
            return fault(mme, ctx, w);
        }
        fifo[(mme->fifo_get + mme->fifo_count) % mme->fifo_size] =
            GUINT32_FROM_LE(v);
        mme->fifo_count++;
    }
    return VGSP_FE_DONE;
}

static VgspFeEnd dma_reduction(VgspMme *mme, VgspContext *ctx, VgspWorker *w,
                               uint32_t method, uint32_t data)
{
    unsigned format = VGSP_GET(NVC597_MME_DMA_REDUCTION_REDUCTION_FORMAT, data);

    if (format > NVC597_MME_DMA_REDUCTION_REDUCTION_FORMAT_SIGNED_32) {
        return vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_DATA, VGSP_SUBC_3D, method,
                             data);
    }
    if (VGSP_GET(NVC597_MME_DMA_REDUCTION_REDUCTION_SIZE, data) ==
        NVC597_MME_DMA_REDUCTION_REDUCTION_SIZE_EIGHT_BYTES) {
        return vgsp_fe_error(ctx, VGSP_EXC_NOT_MODELLED, VGSP_SUBC_3D, method,
                             data);
    }
    if (mme->data_address >= data_ram_words(mme)) {
        return fail(mme, ctx, method, MME_DMA_DRAM_ACCESS_OUT_OF_BOUNDS);
    }
    return vgsp_fe_reduce(ctx, w, memory_address(mme),
                          (unsigned)VGSP_GET(
                              NVC597_MME_DMA_REDUCTION_REDUCTION_OP, data),
                          format, mme->data_ram[mme->data_address]);
}

static VgspFeEnd set_fifo_config(VgspMme *mme, VgspContext *ctx,
                                 uint32_t method, uint32_t data)
{
    uint32_t size = (uint32_t)VGSP_GET(
        NVC597_SET_MME_DATA_FIFO_CONFIG_FIFO_SIZE, data);

    if (size > NVC597_SET_MME_DATA_FIFO_CONFIG_FIFO_SIZE_SIZE_16KB) {
        return fail(mme, ctx, method, MME_DMA_ILLEGAL_FIFO_CONFIG);
    }
    if (mme->fifo_count) {
        return fail(mme, ctx, method, MME_DMA_FIFO_RESIZED_WHEN_NONIDLE);
    }
    mme->fifo_size = size * FIFO_UNIT;
    mme->fifo_get = 0;
    return VGSP_FE_DONE;
}

/* ---- Methods ---- */

bool vgsp_mme_owns(uint32_t method)
{
    return (method >= NVC597_LOAD_MME_INSTRUCTION_RAM_POINTER &&
            method <= NVC597_SET_MME_SHADOW_RAM_CONTROL) ||
           (method >= NVC597_SET_MME_MEM_ADDRESS_A &&
            method <= NVC597_SET_MME_DATA_FIFO_CONFIG) ||
           method >= NVC597_SET_MME_SHADOW_SCRATCH(0);
}

VgspFeEnd vgsp_mme_track(VgspMme *mme, VgspContext *ctx, uint32_t method,
                         uint32_t *data)
{
    if (mme->running && !mme->emitting) {
        return fail(mme, ctx, method, MME_MISSING_MACRO_DATA);
    }
    if (method / 4 >= SHADOW) {
        return VGSP_FE_DONE;
    }
    switch (mme->shadow_mode) {
    case NVC597_SET_MME_SHADOW_RAM_CONTROL_MODE_METHOD_REPLAY:
        *data = mme->shadow[method / 4];
        break;
    case NVC597_SET_MME_SHADOW_RAM_CONTROL_MODE_METHOD_PASSTHROUGH:
        break;
    default:
        /*
         * WITH_FILTER drops what would change nothing. Only methods that have
         * no other effect can be among them, so that performing them is alike.
         */
        mme->shadow[method / 4] = *data;
        break;
    }
    return VGSP_FE_DONE;
}

void vgsp_mme_set_scratch(VgspMme *mme, unsigned i, uint32_t value)
{
    if (i < SCRATCH) {
        mme->shadow[NVC597_SET_MME_SHADOW_SCRATCH(i) / 4] = value;
    }
}

VgspFeEnd vgsp_mme_method(VgspMme *mme, VgspContext *ctx, VgspWorker *w,
                          uint32_t method, uint32_t data)
{
    VgspFeEnd end;

    if (method >= NVC597_CALL_MME_MACRO(0)) {
        return mme->emitting ? fail(mme, ctx, method, MME_ILLEGAL_MME_METHOD)
                             : call(mme, ctx, w, method, data);
    }
    if (method == NVC597_SET_MME_SHADOW_RAM_CONTROL) {
        mme->shadow_mode = (unsigned)VGSP_GET(
            NVC597_SET_MME_SHADOW_RAM_CONTROL_MODE, data);
    }
    end = vgsp_mme_track(mme, ctx, method, &data);
    if (end != VGSP_FE_DONE) {
        return end;
    }

    switch (method) {
    case NVC597_LOAD_MME_INSTRUCTION_RAM_POINTER:
        mme->instruction_pointer = MIN(data, VGSP_MME_GROUPS) *
                                   VGSP_MME_GROUP_WORDS;
        break;
    case NVC597_LOAD_MME_INSTRUCTION_RAM:
        if (mme->instruction_pointer >= VGSP_MME_INSTRUCTION_RAM) {
            return fail(mme, ctx, method, MME_INSTR_RAM_ACCESS_OUT_OF_BOUNDS);
        }
        mme->instruction_ram[mme->instruction_pointer++] = data;
        break;
    case NVC597_LOAD_MME_START_ADDRESS_RAM_POINTER:
        mme->start_pointer = data;
        break;
    case NVC597_LOAD_MME_START_ADDRESS_RAM:
        if (mme->start_pointer >= VGSP_MME_MACROS) {
            return vgsp_fe_error(ctx, VGSP_EXC_ILLEGAL_DATA, VGSP_SUBC_3D,
                                 method, data);
        }
        mme->start_ram[mme->start_pointer++] = data;
        break;
    case NVC597_SET_MME_MEM_ADDRESS_A:
        mme->address_upper = data;
        break;
    case NVC597_SET_MME_MEM_ADDRESS_B:
        mme->address_lower = data;
        break;
    case NVC597_SET_MME_DATA_RAM_ADDRESS:
        mme->data_address = data;
        break;
    case NVC597_MME_DMA_READ:
    case NVC597_MME_DMA_WRITE:
        return dma_data_ram(mme, ctx, w, method, data);
    case NVC597_MME_DMA_READ_FIFOED:
        return dma_read_fifoed(mme, ctx, w, method, data);
    case NVC597_MME_DMA_REDUCTION:
        return dma_reduction(mme, ctx, w, method, data);
    case NVC597_MME_DMA_SYSMEMBAR:
        vgsp_mmu_flush(&w->mmu);
        break;
    case NVC597_SET_MME_DATA_FIFO_CONFIG:
        return set_fifo_config(mme, ctx, method, data);
    default:
        /* DMA_SYNC: every DMA is complete. Scratch: the shadow RAM has it. */
        break;
    }
    return VGSP_FE_DONE;
}
