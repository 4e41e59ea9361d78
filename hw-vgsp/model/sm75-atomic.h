/*
 * Atomic operations of sm_75, for the instructions that perform them on
 * memory and for those that perform them on images. exec-facts 8.5.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_SM75_ATOMIC_H
#define HW_VGSP_MODEL_SM75_ATOMIC_H

#include "model/sm75.h"

typedef enum AtomicOp {         /* bits 90:87 */
    ATOMIC_ADD, ATOMIC_MIN, ATOMIC_MAX, ATOMIC_INC, ATOMIC_DEC, ATOMIC_AND,
    ATOMIC_OR, ATOMIC_XOR, ATOMIC_EXCH,
    ATOMIC_CAS, ATOMIC_CAST,    /* by their own codes */
} AtomicOp;

typedef enum AtomicType {       /* bits 75:73 */
    ATOMIC_U32, ATOMIC_S32, ATOMIC_U64, ATOMIC_F32, ATOMIC_F16X2, ATOMIC_S64,
    ATOMIC_F64,
} AtomicType;

static inline unsigned sm75_atomic_size(AtomicType type)
{
    return type == ATOMIC_U64 || type == ATOMIC_S64 || type == ATOMIC_F64 ? 8
                                                                          : 4;
}

/* Whether the memory system has the operation. */
bool sm75_atomic_supported(AtomicOp op, AtomicType type);
/*
 * Performs it on the word at va; *old is what was there (of a sparse page, 0).
 * expected: of CAS. False: a fault, filled into the warp.
 */
bool sm75_atomic_global(Sm75Warp *w, uint64_t va, AtomicOp op, AtomicType type,
                        uint64_t data, uint64_t expected, uint64_t *old);

#endif
