/*
 * Includes SM75_VARIANT_FILE once for every host and once for AVX2 and FMA.
 * Has no guard: a source includes it once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-simd.h"

/*
 * Compilers may fuse a * b + c where the host can; the model decides that
 * itself (exec-facts 8.2).
 */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

#define SM75_FN(name) name##_base
#define SM75_AVX2 0
#include SM75_VARIANT_FILE
#undef SM75_FN
#undef SM75_AVX2

#if SM75_HAVE_AVX2
#ifdef __clang__
#pragma clang attribute push(__attribute__((target("avx2,fma"))), \
                             apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#endif
#define SM75_FN(name) name##_avx2
#define SM75_AVX2 1
#undef CHUNK
#undef LANEWISE
#undef LESS_U
#undef BLEND
#undef SHIFT_L
#undef SHIFT_R
#undef SHIFT_RS
#include SM75_VARIANT_FILE
#undef SM75_FN
#undef SM75_AVX2
#ifdef __clang__
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
#endif
