/*
 * Eight lanes at a time. For the .c.inc files of hot instructions, which are
 * compiled once for every host and once for AVX2 and FMA: SM75_FN names the
 * functions, SM75_AVX2 tells which.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_SM75_SIMD_H
#define HW_VGSP_MODEL_SM75_SIMD_H

#include "model/sm75-alu.h"

#ifdef __x86_64__
#include <immintrin.h>
#define SM75_HAVE_AVX2 1
#else
#define SM75_HAVE_AVX2 0
#endif

#define SM75_INLINE \
    static inline __attribute__((always_inline))
/* Chunks of a warp, unrolled: a chunk is one register of the host. */
#define SM75_CHUNKS 4
#define SM75_UNROLL _Pragma("GCC unroll 4")
#define SM75_EACH(k) SM75_UNROLL for (unsigned k = 0; k < SM75_CHUNKS; k++)

typedef uint32_t V8 __attribute__((vector_size(32), may_alias));
typedef int32_t S8 __attribute__((vector_size(32), may_alias));
typedef float F8 __attribute__((vector_size(32), may_alias));

/* The best of the two variants of an exec function for this host. */
#if SM75_HAVE_AVX2
#define SM75_PICK(name) \
    (sm75_host_avx2() ? exec_##name##_avx2 : exec_##name##_base)
#else
#define SM75_PICK(name) (exec_##name##_base)
#endif

#endif
