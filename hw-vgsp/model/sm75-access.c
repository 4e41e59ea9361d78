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

typedef uint32_t Data128 __attribute__((vector_size(16), aligned(4),
                                        may_alias));
typedef uint32_t V8Any __attribute__((vector_size(32), aligned(4),
                                      may_alias));

#define IRREGULAR       UINT_MAX

#define SM75_VARIANT_FILE "model/sm75-access.c.inc"
#include "model/sm75-variants.h"

#define ROW(name, host) \
    { name##_U8##host, name##_S8##host, name##_U16##host, name##_S16##host, \
      name##_32##host, name##_64##host, name##_128##host }

#define LOADS(host) { \
    [SM75_GLOBAL] = ROW(exec_ldg, host), \
    [SM75_SHARED] = ROW(exec_lds, host), \
    [SM75_LOCAL] = ROW(exec_ldl, host), \
    [SM75_GENERIC] = ROW(exec_ld, host), \
}

#define STORES(host) { \
    [SM75_GLOBAL] = ROW(exec_stg, host), \
    [SM75_SHARED] = ROW(exec_sts, host), \
    [SM75_LOCAL] = ROW(exec_stl, host), \
    [SM75_GENERIC] = ROW(exec_st, host), \
}

typedef Sm75Exec *Execs[4][7];

static const Execs loads_base = LOADS(_base), stores_base = STORES(_base);
#if SM75_HAVE_AVX2
static const Execs loads_avx2 = LOADS(_avx2), stores_avx2 = STORES(_avx2);
#endif

Sm75Exec *sm75_load_exec(Sm75Place place, Sm75MemType type)
{
#if SM75_HAVE_AVX2
    if (sm75_host_avx2()) {
        return loads_avx2[place][type];
    }
#endif
    return loads_base[place][type];
}

Sm75Exec *sm75_store_exec(Sm75Place place, Sm75MemType type)
{
#if SM75_HAVE_AVX2
    if (sm75_host_avx2()) {
        return stores_avx2[place][type];
    }
#endif
    return stores_base[place][type];
}
