/*
 * What the arithmetic instructions of sm_75 share: how operands lie in the
 * word (exec-facts 8.1, NVIDIA's nvdisasm), how they are fetched and printed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_SM75_ALU_H
#define HW_VGSP_MODEL_SM75_ALU_H

#include "model/sm75.h"

/*
 * Bits 11:9. One operand of an instruction may be something else than a
 * register: B in forms 4..6, C in forms 2, 3 and 7, when B's register moves to
 * C's place.
 */
enum {
    SM75_FORM_REG = 1,
    SM75_FORM_C_IMM = 2,
    SM75_FORM_C_CBUF = 3,
    SM75_FORM_IMM = 4,
    SM75_FORM_CBUF = 5,
    SM75_FORM_UR = 6,
    SM75_FORM_C_UR = 7,
};

#define SM75_FORMS_B \
    (1 << SM75_FORM_REG | 1 << SM75_FORM_IMM | 1 << SM75_FORM_CBUF | \
     1 << SM75_FORM_UR)
#define SM75_FORMS_C \
    (1 << SM75_FORM_REG | 1 << SM75_FORM_C_IMM | 1 << SM75_FORM_C_CBUF | \
     1 << SM75_FORM_C_UR)
/* What the uniform datapath has: registers and immediates. */
#define SM75_FORMS_UB (1 << SM75_FORM_REG | 1 << SM75_FORM_IMM)
#define SM75_FORMS_UBC (SM75_FORMS_UB | 1 << SM75_FORM_C_IMM)

/* Which operands an instruction has. */
enum {
    SM75_A = 1,                 /* bits 31:24 */
    SM75_B = 2,
    SM75_C = 4,
    /* The only other source lies in C's place, even if it is a register. */
    SM75_B_IN_C = 8,
};

enum {                          /* Sm75Insn.wide_kind */
    SM75_WIDE_IMM,
    SM75_WIDE_CBUF,
    SM75_WIDE_CX,               /* bindless: descriptor in a UR pair */
    SM75_WIDE_UR,
};

/*
 * Decodes dst and the operands in uses (SM75_A | ...), for instructions that
 * have these forms: registers a, b, c (RZ where not used), wide (0, SM75_B or
 * SM75_C), imm and imm_vec. False if the form does not exist.
 */
bool sm75_operands(Sm75Insn *i, unsigned forms, unsigned uses);
/* The same in the uniform datapath: a, b, c, dst are uniform registers. */
bool sm75_uoperands(Sm75Insn *i, unsigned forms, unsigned uses);
/* A register that starts an aligned pair, or RZ. */
static inline bool sm75_pair(unsigned r)
{
    return r == SM75_RZ || !(r & 1);
}

static inline unsigned sm75_pair_high(unsigned r)
{
    return r >= SM75_RZ ? r : r + 1;
}

/* Of a destination: 256 swallows what has no register. */
static inline unsigned sm75_pair_dst(unsigned dst_index)
{
    return dst_index + 1 >= SM75_RZ ? 256 : dst_index + 1;
}

/* Negate and absolute bits of the operands, wherever these lie. */
enum {
    SM75_NEG_A = 1, SM75_ABS_A = 2,
    SM75_NEG_B = 4, SM75_ABS_B = 8,
    SM75_NEG_C = 16, SM75_ABS_C = 32,
};

/* allowed: SM75_NEG_A | ...; bits of other operands do not count. */
unsigned sm75_signs(const Sm75Insn *i, unsigned allowed);

/* A predicate destination at bit lo: an index into w->p (PT: 8). */
static inline uint8_t sm75_pdst(const Sm75Insn *i, unsigned lo)
{
    unsigned p = sm75_bits(i, lo + 2, lo);

    return p == SM75_PT ? 8 : p;
}

/* Predicate sources: 89:87 with 90, and the second one of some. */
static inline void sm75_psrc(Sm75Insn *i)
{
    i->psrc = sm75_bits(i, 89, 87);
    i->psrc_not = sm75_bit(i, 90);
}

static inline void sm75_psrc2(Sm75Insn *i, unsigned lo, unsigned not_bit)
{
    i->psrc2 = sm75_bits(i, lo + 2, lo);
    i->psrc2_not = sm75_bit(i, not_bit);
}

static inline uint32_t sm75_pvalue(const Sm75Warp *w, unsigned p, bool not)
{
    return w->p[p] ^ (not ? ~0u : 0);
}

/* Predicate p in the lanes of w->mask. */
static inline void sm75_set_pred(Sm75Warp *w, unsigned p, uint32_t value)
{
    w->p[p] = (w->p[p] & ~w->mask) | (value & w->mask);
}

/* AND OR XOR of comparisons with a predicate; op < 3. */
static inline uint32_t sm75_combine(unsigned op, uint32_t a, uint32_t b)
{
    return op == 0 ? a & b : op == 1 ? a | b : a ^ b;
}

/* The word, or pair, of an operand that is no register. False: a fault. */
bool sm75_wide32(Sm75Warp *w, const Sm75Insn *i, uint32_t *out);
bool sm75_wide64(Sm75Warp *w, const Sm75Insn *i, uint64_t *out);

/*
 * Where a register and the field of 16 bits of LDC and ULDC point to in a bank.
 * No source says whether the field has a sign. Nothing lies below a bank, so
 * what would be there is in its upper half.
 */
static inline uint32_t sm75_cbuf_at(uint32_t reg, uint16_t field)
{
    uint32_t offset = reg + (uint32_t)(int16_t)field;

    return (int32_t)offset < 0 ? offset + 0x10000 : offset;
}

/*
 * The operands of one instruction, in memory: vectors of registers, or *tmp
 * with a word in every lane.
 */
typedef struct Sm75Src {
    const Sm75Vec *a, *b, *c;
} Sm75Src;

bool sm75_fetch_wide(Sm75Warp *w, const Sm75Insn *i, Sm75Src *s,
                     Sm75Vec *tmp);

static inline __attribute__((always_inline))
bool sm75_fetch(Sm75Warp *w, const Sm75Insn *i, Sm75Src *s, Sm75Vec *tmp)
{
    s->a = &w->r[i->a];
    s->b = &w->r[i->b];
    s->c = &w->r[i->c];
    if (i->wide) {
        if (i->wide_kind == SM75_WIDE_IMM) {
            s->b = i->wide == SM75_B ? &i->imm_vec : s->b;
            s->c = i->wide == SM75_C ? &i->imm_vec : s->c;
        } else {
            return sm75_fetch_wide(w, i, s, tmp);
        }
    }
    return true;
}

/*
 * Whether the host has 32-byte integer and fused multiply-add instructions.
 * Files of hot instructions are compiled for it and for every host: both give
 * the same results.
 */
bool sm75_host_avx2(void);

/* sm75-mufu.c: a row of the float table. */
bool sm75_decode_mufu(Sm75Insn *i);
void sm75_print_mufu(const Sm75Insn *i, GString *out);

/* ---- Printing ---- */

typedef enum Sm75ImmType {
    SM75_IMM_HEX,               /* 0x10 */
    SM75_IMM_INT,               /* -0x1 */
    SM75_IMM_F32,
    SM75_IMM_F64,               /* the high word of one */
    SM75_IMM_F16,
    SM75_IMM_F16X2,
} Sm75ImmType;

void sm75_print_reg(GString *out, unsigned r);      /* R1, RZ */
void sm75_print_ureg(GString *out, unsigned r);     /* UR1, URZ */
void sm75_print_pred(GString *out, unsigned p, bool not); /* !P0, PT */
void sm75_print_upred(GString *out, unsigned p, bool not);
/* ", " and a predicate. */
void sm75_print_psrc(GString *out, unsigned p, bool not);
void sm75_print_imm(GString *out, uint32_t imm, Sm75ImmType type);
/* c[0x3][0x160] or cx[UR4][0x160]; parts: c[0x3] [0x160]. */
void sm75_print_cbuf(const Sm75Insn *i, GString *out, bool parts);
/*
 * Operand SM75_A, SM75_B or SM75_C. prefix "-" or "~" or ""; abs: in bars.
 */
void sm75_print_src(const Sm75Insn *i, GString *out, unsigned which,
                    const char *prefix, bool abs, Sm75ImmType type);
/* ", " and the operand with its sign bits of signs (neg prints as neg). */
void sm75_print_operand(const Sm75Insn *i, GString *out, unsigned which,
                        unsigned signs, const char *neg, Sm75ImmType type);

extern const char *const sm75_round_names[4];       /* "", ".RM", ... */
extern const char *const sm75_float_cmp_names[16];  /* ".F", ".LT", ... */
extern const char *const sm75_int_cmp_names[8];
extern const char *const sm75_combine_names[3];     /* ".AND", ... */

#endif
