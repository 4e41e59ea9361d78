/*
 * The SM of Turing, compute capability 7.5: instructions, warps, CTAs. What is
 * known of the encoding is NVIDIA's nvdisasm output and Mesa's NAK.
 *
 * An instruction is one row of one table (Sm75Op): name, encoding, decoder,
 * semantics, disassembler. A file of rows covers one kind of instruction.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_SM75_H
#define HW_VGSP_MODEL_SM75_H

#include "model/model-int.h"

#define SM75_LANES      32
#define SM75_RZ         255
#define SM75_URZ        63
#define SM75_PT         7

/*
 * A register of a warp: one word a lane. Aligned as the widest vectors of any
 * host want it, whatever host the compiler has in mind.
 */
#define SM75_VECTOR __attribute__((vector_size(128), aligned(64)))
typedef uint32_t Sm75Vec SM75_VECTOR;
typedef int32_t Sm75VecS SM75_VECTOR;
typedef float Sm75VecF SM75_VECTOR;

typedef struct Sm75Warp Sm75Warp;
typedef struct Sm75Cta Sm75Cta;
typedef struct Sm75Insn Sm75Insn;

/* What executing an instruction means for its group of lanes. */
typedef enum Sm75Next {
    SM75_NEXT,                  /* go on at the next instruction */
    SM75_JUMP,                  /* the whole group goes on at w->pc */
    SM75_REGROUP,               /* lane_pc of the group is set: choose again */
    SM75_YIELD,                 /* next instruction, but let others run */
    SM75_FAULT,                 /* the warp's fault is filled */
} Sm75Next;

typedef Sm75Next Sm75Exec(Sm75Warp *w, const Sm75Insn *i);

/*
 * A decoded instruction. The decoder of its row may use the operand fields as
 * it likes; the core uses those above the line.
 */
struct Sm75Insn {
    Sm75Exec *exec;
    const struct Sm75Op *op;
    uint64_t lo, hi;            /* the words */
    uint8_t guard;              /* predicate index, 7 = PT */
    bool guard_not;
    bool guard_uniform;         /* guard is in w->up: all lanes or none */
    bool relative;              /* imm is printed as an address: from next */
    uint8_t registers;          /* that a thread has if it may execute it */
    uint8_t cost;               /* SM75_COST_* */
    /* ---- */
    uint8_t dst, a, b, c;       /* registers: RZ reads 0; a dst of RZ is 256 */
    uint8_t n_dst, n_a, n_b, n_c; /* in a row from there: 1 if not said */
    uint8_t ur;                 /* uniform register of an address or target */
    uint16_t dst_index;         /* dst, or 256 for RZ */
    uint8_t pdst, pdst2, psrc, psrc2;
    bool psrc_not, psrc2_not;
    uint8_t form;               /* bits 11:9 */
    uint8_t wide, wide_kind;    /* the operand that is no register */
    uint8_t sub[6];             /* modifiers, by the row's own meaning */
    uint16_t cbuf_index, cbuf_offset;
    int64_t imm;
    Sm75Vec imm_vec;            /* imm in every lane */
};

/*
 * What executing an instruction costs, in units of some 50 ns: slices are
 * counted in them. The decoder of a row says what its table does not (tables[]
 * of sm75-decode.c). Textures also charge for texels, to Sm75Warp.left.
 */
enum {
    SM75_COST_VECTOR = 1,       /* all lanes at once */
    SM75_COST_LANES = 10,       /* one lane after the other, */
    SM75_COST_LANES_SLOW = 50,  /* and each takes long */
};

typedef struct Sm75Op {
    const char *name;           /* "FFMA" */
    uint16_t opcode;            /* 12 bits, or 9 with any_form */
    bool any_form;              /* forms 1..7 (bits 11:9) are operand forms */
    /* False: not an instruction. Sets exec and operands. */
    bool (*decode)(Sm75Insn *i);
    /* Appends what follows the name, as nvdisasm prints it: ".FTZ R0, R1". */
    void (*print)(const Sm75Insn *i, GString *out);
} Sm75Op;

typedef struct Sm75Table {
    const Sm75Op *ops;
    unsigned count;
} Sm75Table;

/* One table a file. */
extern const Sm75Table sm75_table_float;    /* sm75-float.c */
extern const Sm75Table sm75_table_half;     /* sm75-half.c */
extern const Sm75Table sm75_table_double;   /* sm75-double.c */
extern const Sm75Table sm75_table_convert;  /* sm75-convert.c */
extern const Sm75Table sm75_table_int;      /* sm75-int.c */
extern const Sm75Table sm75_table_move;     /* sm75-move.c: MOV SEL PRMT S2R */
extern const Sm75Table sm75_table_pred;     /* sm75-pred.c: PLOP3, VOTE, ... */
extern const Sm75Table sm75_table_uniform;  /* sm75-uniform.c */
extern const Sm75Table sm75_table_control;  /* sm75-control.c */
extern const Sm75Table sm75_table_barrier;   /* sm75-barrier.c */
extern const Sm75Table sm75_table_memory;   /* sm75-memory.c */
extern const Sm75Table sm75_table_atomic;   /* sm75-atomic.c */
extern const Sm75Table sm75_table_warp;     /* sm75-warp.c: SHFL VOTE MATCH */
extern const Sm75Table sm75_table_texture;  /* sm75-texture.c */
extern const Sm75Table sm75_table_surface;  /* sm75-surface.c */

/* Bits hi:lo of the 128-bit word; hi - lo < 64. */
static inline uint64_t sm75_bits(const Sm75Insn *i, unsigned hi, unsigned lo)
{
    unsigned width = hi - lo + 1;
    uint64_t v = lo >= 64 ? i->hi >> (lo - 64)
               : lo == 0 ? i->lo
               : i->lo >> lo | i->hi << (64 - lo);

    return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

static inline bool sm75_bit(const Sm75Insn *i, unsigned n)
{
    return (n < 64 ? i->lo >> n : i->hi >> (n - 64)) & 1;
}

/* Decodes lo, hi into *i. False: illegal instruction. */
bool sm75_decode(uint64_t lo, uint64_t hi, Sm75Insn *i);
/* One line as nvdisasm prints it: "@P0 FADD.FTZ R0, R1, c[0x0][0x160]". pc
 * gives branch targets. */
void sm75_print(const Sm75Insn *i, uint64_t pc, GString *out);

#define SM75_BARRIERS   16      /* convergence barriers B0..B15 of a warp */
#define SM75_CTA_BARRIERS 16    /* named barriers of a CTA */
#define SM75_MAX_WARPS  32      /* of a CTA */

/*
 * A warp. Lanes of the group that executes are in mask (already limited by the
 * instruction's guard when exec is called); group is without the guard.
 */
struct Sm75Warp {
    Sm75Vec r[257];             /* r[255] is 0; r[256] swallows writes to RZ */
    uint32_t p[9];              /* lane masks; p[7] ~0; p[8] swallows */
    uint32_t ur[65];            /* ur[63] 0; ur[64] swallows */
    bool up[9];                 /* up[7] true; up[8] swallows */

    uint32_t mask;              /* lanes that exec works on */
    uint32_t group;             /* lanes at pc */
    uint64_t pc;                /* of the instruction that executes */
    int32_t left;               /* of its turn, SM75_COST_*; below 0: over */
    uint64_t lane_pc[SM75_LANES]; /* valid outside the group ... */
    bool together;              /* ... but for this: all lanes are at pc */
    uint32_t live;              /* lanes that have not exited */
    uint32_t blocked;           /* lanes that wait: BSYNC, WARPSYNC, BAR */

    Sm75Cta *cta;
    VgspWorker *worker;         /* that executes it now */
    uint32_t index;             /* of the warp in its CTA */

    VgspException exception;    /* of SM75_FAULT; 0: an MMU fault ... */
    VgspModelFault fault;
    uint32_t client;            /* ... of that NV_PFAULT_CLIENT_GPC_* */

    /* ---- of sm75-control.c and sm75-run.c ---- */
    uint32_t sync_wait[SM75_BARRIERS + 1]; /* lanes at BSYNC, WARPSYNC */
    uint32_t bar_wait[SM75_CTA_BARRIERS];  /* lanes at BAR */
    uint32_t bar_arrived[SM75_CTA_BARRIERS]; /* ... and those that passed */
    uint32_t bar_count;         /* B2R.RESULT of the last barrier passed */
    bool bar_pred;
    bool favour;                /* the next slice runs who was passed over */
    uint32_t favoured;          /* lanes that had their turn */
    bool sync_used;             /* what follows is not all zero */
    /*
     * Convergence barriers: which lanes each lane waits for. A mask a lane, so
     * that groups which have diverged may use the same barrier, and a mask
     * that was moved to a register and back is what it was. The last one is
     * WARPSYNC's.
     */
    Sm75Vec sync[SM75_BARRIERS + 1];
};

typedef struct Sm75CtaBarrier {
    unsigned full;              /* warps all of whose lanes have arrived */
    uint32_t threads;           /* to wait for; 0: all */
    uint8_t op;                 /* of BAR.RED */
    uint32_t count;             /* lanes whose predicate was true */
    bool any, all;
} Sm75CtaBarrier;

struct Sm75Cta {
    VgspGrid *grid;
    const VgspQmd *qmd;
    const VgspGridState *gs;
    uint32_t id[3];
    uint8_t *shared;            /* qmd->shared_size bytes */
    uint8_t *local;             /* 32 * qmd->local_size bytes a warp: */
                                /* word n of lane l at (n * 32 + l) * 4 */
    Sm75Warp *warps;
    unsigned num_warps;
    unsigned registers;         /* that a thread has, RZ not counted */
    unsigned live_warps;
    uint32_t bar_pending;       /* barriers at which a lane has arrived */
    Sm75CtaBarrier bar[SM75_CTA_BARRIERS];
    void *memory;               /* all of this is a part of it */
    bool used;                  /* it is not all zero any more */
    Sm75Cta *next;              /* in a list of its grid */
    unsigned turn;              /* the warp to run next */
};

/*
 * Constant bank: the 32-bit (or 64-bit) word at offset, 0 beyond the bound
 * size. False: an MMU fault, filled into the warp.
 */
bool sm75_cbuf32(Sm75Warp *w, unsigned index, uint32_t offset, uint32_t *out);
bool sm75_cbuf64(Sm75Warp *w, unsigned index, uint32_t offset, uint64_t *out);
/* Bindless: descriptor as LDC's, exec-facts 8.1. */
bool sm75_cbuf_bindless32(Sm75Warp *w, uint64_t desc, uint32_t offset,
                          uint32_t *out);

/* Fills the warp's exception; returns SM75_FAULT. */
static inline Sm75Next sm75_raise(Sm75Warp *w, VgspException exc)
{
    w->exception = exc;
    return SM75_FAULT;
}

/* Vectors are passed between inline functions only: no ABI is at stake. */
#pragma GCC diagnostic ignored "-Wpsabi"

/* All ones in the lanes of mask. */
static inline __attribute__((always_inline)) Sm75Vec sm75_lanes(uint32_t mask)
{
    static const Sm75Vec bit = {
        1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6,
        1u << 7, 1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13,
        1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20,
        1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27,
        1u << 28, 1u << 29, 1u << 30, 1u << 31,
    };

    return (Sm75Vec)((mask & bit) != 0);
}

/* Stores value into register dst_index in the lanes of w->mask. */
static inline __attribute__((always_inline))
void sm75_set(Sm75Warp *w, unsigned dst_index, const Sm75Vec *value)
{
    if (w->mask == ~0u) {
        w->r[dst_index] = *value;
    } else {
        Sm75Vec m = sm75_lanes(w->mask);

        w->r[dst_index] = (*value & m) | (w->r[dst_index] & ~m);
    }
}

#endif
