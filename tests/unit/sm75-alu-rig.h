/*
 * A rig for tests of sm_75's arithmetic: one warp, instructions built from
 * their fields, operands in every place that an instruction may take them
 * from.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_SM75_ALU_RIG_H
#define TESTS_UNIT_SM75_ALU_RIG_H

#include <inttypes.h>
#include "model/grid.h"

static Sm75Warp warp;
static Sm75Cta cta;
static VgspQmd qmd;
static VgspWorker worker;
static Sm75Sm sm;
static uint8_t bank[SM75_PAGE_SIZE] __attribute__((aligned(64)));

/* Where the helpers put operands: pairs of registers, and the destination. */
enum { DST = 10, A = 2, B = 4, C = 6 };
#define PADDING 0xdeadbeefu
#define RZ SM75_RZ

/* Fields of the upper word: BIT(80). */
#define BIT(n) (UINT64_C(1) << ((n) - 64))
#define FIELD(n, v) ((uint64_t)(v) << ((n) - 64))
#define NEG_B (UINT64_C(1) << 63)           /* of the lower word */
#define ABS_B (UINT64_C(1) << 62)
/* Unused predicates: PT to write and to read. */
#define NO_PDST (FIELD(81, 7) | FIELD(84, 7))
#define PSRC(p) FIELD(87, p)
#define PT_SRC PSRC(7)
#define NOT_PSRC BIT(90)

static inline void rig_reset(void)
{
    memset(&warp, 0, sizeof(warp));
    memset(&qmd, 0, sizeof(qmd));
    memset(&sm, 0, sizeof(sm));
    for (unsigned r = 0; r < SM75_RZ; r++) {
        warp.r[r] = (Sm75Vec){ 0 } + PADDING;
    }
    warp.p[7] = ~0u;
    warp.up[7] = true;
    warp.mask = warp.group = warp.live = ~0u;
    warp.cta = &cta;
    warp.worker = &worker;
    cta.qmd = &qmd;
    worker.sm = &sm;
    qmd.cbuf[3] = (VgspCbuf){ .va = 0x10000, .size = sizeof(bank) };
    sm.cbuf[3][0] = bank;
}

/* Register r: the values, again and again over the lanes. */
#define SET(r, ...) \
    rig_set(r, (const uint32_t[]){ __VA_ARGS__ }, \
            G_N_ELEMENTS(((const uint32_t[]){ __VA_ARGS__ })))
#define EXPECT(r, ...) \
    rig_expect(r, (const uint32_t[]){ __VA_ARGS__ }, \
               G_N_ELEMENTS(((const uint32_t[]){ __VA_ARGS__ })), \
               __FILE__, __LINE__)

static inline void rig_set(unsigned r, const uint32_t *v, unsigned count)
{
    for (unsigned n = 0; n < SM75_LANES; n++) {
        warp.r[r][n] = v[n % count];
    }
}

static inline void rig_expect(unsigned r, const uint32_t *v, unsigned count,
                              const char *file, int line)
{
    for (unsigned n = 0; n < SM75_LANES; n++) {
        uint32_t want = warp.mask >> n & 1 ? v[n % count] : PADDING;

        if (warp.r[r][n] != want) {
            g_test_message("%s:%d: R%u lane %u: 0x%08x, not 0x%08x", file,
                           line, r, n, warp.r[r][n], want);
            g_test_fail();
            return;
        }
    }
}

/* The lanes of predicate p are bits, repeated every count lanes. */
#define EXPECT_PRED(p, bits, count) \
    rig_expect_pred(p, bits, count, __FILE__, __LINE__)

static inline void rig_expect_pred(unsigned p, uint32_t bits, unsigned count,
                                   const char *file, int line)
{
    for (unsigned n = 0; n < SM75_LANES; n++) {
        if ((warp.p[p] >> n & 1) != (bits >> n % count & 1)) {
            g_test_message("%s:%d: P%u lane %u: 0x%08x", file, line, p, n,
                           warp.p[p]);
            g_test_fail();
            return;
        }
    }
}

static inline bool rig_decode(uint64_t lo, uint64_t hi, Sm75Insn *i)
{
    return sm75_decode(lo | UINT64_C(0x7000), hi, i);
}

static inline void rig_exec(uint64_t lo, uint64_t hi)
{
    static Sm75Insn i;

    if (!rig_decode(lo, hi, &i)) {
        g_test_message("no instruction: %016" PRIx64 "%016" PRIx64, hi, lo);
        g_test_fail();
        return;
    }
    g_assert_cmpint(i.exec(&warp, &i), ==, SM75_NEXT);
}

/* The lower word of code (12 bits) with registers at their places. */
static inline uint64_t rig_lo(unsigned code)
{
    return code | (uint64_t)DST << 16 | (uint64_t)A << 24 | (uint64_t)B << 32;
}

/* An instruction of registers A, B and C. */
static inline void run(unsigned code, uint64_t hi)
{
    rig_exec(rig_lo(code), hi | C);
}

/*
 * The same instruction with B from a register, an immediate, a constant bank
 * and a uniform register (code is that of the register form, 0x2xx; forms are
 * those that exist). All give what the register form gives.
 */
static inline void rig_forms(unsigned code, unsigned forms, uint64_t hi,
                             uint32_t b, uint32_t b_high)
{
    const uint64_t place = ~(UINT64_C(0xffffffff) << 32);
    uint64_t lo = rig_lo(code & 0x1ff);
    Sm75Vec want, want_high;
    uint32_t preds[2];

    warp.r[B] = (Sm75Vec){ 0 } + b;
    warp.r[B + 1] = (Sm75Vec){ 0 } + b_high;
    warp.r[DST] = warp.r[DST + 1] = (Sm75Vec){ 0 } + PADDING;
    warp.p[0] = warp.p[1] = 0x5a5a5a5a;
    rig_exec(lo | 1 << 9, hi | C);
    want = warp.r[DST];
    want_high = warp.r[DST + 1];
    preds[0] = warp.p[0];
    preds[1] = warp.p[1];

    warp.ur[8] = b;
    warp.ur[9] = b_high;
    memcpy(bank + 0x48, &b, 4);
    memcpy(bank + 0x4c, &b_high, 4);
    for (unsigned form = 2; form < 8; form++) {
        uint64_t word = lo & place, upper = hi;

        if (!(forms >> form & 1)) {
            continue;
        }
        switch (form) {
        case 4:
        case 2:
            word |= (uint64_t)(b_high ? b_high : b) << 32;
            break;
        case 5:
        case 3:
            word |= UINT64_C(3) << 54 | UINT64_C(0x48) << 38;
            break;
        default:
            word |= UINT64_C(8) << 32;
            upper |= BIT(91);
        }
        warp.r[DST] = warp.r[DST + 1] = (Sm75Vec){ 0 } + PADDING;
        warp.p[0] = warp.p[1] = 0x5a5a5a5a;
        rig_exec(word | (uint64_t)form << 9, upper | C);
        for (unsigned n = 0; n < SM75_LANES; n++) {
            if (warp.r[DST][n] != want[n] ||
                warp.r[DST + 1][n] != want_high[n]) {
                g_test_message("%03x form %u lane %u: 0x%08x, not 0x%08x",
                               code, form, n, warp.r[DST][n], want[n]);
                g_test_fail();
                return;
            }
        }
        g_assert_cmphex(warp.p[0], ==, preds[0]);
        g_assert_cmphex(warp.p[1], ==, preds[1]);
    }
}

#define FORMS_B (1 << 4 | 1 << 5 | 1 << 6)      /* 0x8xx 0xaxx 0xcxx */
#define FORMS_C (1 << 2 | 1 << 3 | 1 << 7)      /* 0x4xx 0x6xx 0xexx */

#endif
