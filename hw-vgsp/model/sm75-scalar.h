/*
 * What integer instructions do to one word, for lanes and for the uniform
 * datapath (exec-facts 8.3).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_SM75_SCALAR_H
#define HW_VGSP_MODEL_SM75_SCALAR_H

#include "vgsp/types.h"

typedef struct Sm75Shf {
    bool is_64, is_signed, wrap, right, high;
} Sm75Shf;

/* The pair high:low, shifted; the word that the instruction returns. */
static inline uint32_t sm75_shf(Sm75Shf m, uint32_t low, uint32_t n,
                                uint32_t high)
{
    uint64_t v = low | (uint64_t)high << 32;
    unsigned max = m.is_64 ? 64 : 32;

    n = m.wrap ? n & (max - 1) : n > max ? max : n;
    if (!m.right) {
        v = n == 64 ? 0 : v << n;
    } else if (m.is_signed) {
        v = (uint64_t)((int64_t)v >> (n == 64 ? 63 : n));
    } else {
        v = n == 64 ? 0 : v >> n;
    }
    return m.high ? v >> 32 : v;
}

static inline uint32_t sm75_bmsk(uint32_t pos, uint32_t width, bool wrap)
{
    uint32_t mask;

    if (wrap) {
        pos &= 31;
        width &= 31;
    }
    mask = width >= 32 ? ~0u : (1u << width) - 1;
    return pos >= 32 ? 0 : mask << pos;
}

/* The low width bits, extended by the highest of them or by 0. */
static inline uint32_t sm75_sgxt(uint32_t a, uint32_t width, bool wrap,
                                 bool is_signed)
{
    width = wrap ? width & 31 : width;
    if (width == 0) {
        return 0;
    }
    if (width >= 32) {
        return a;
    }
    a <<= 32 - width;
    return is_signed ? (uint32_t)((int32_t)a >> (32 - width))
                     : a >> (32 - width);
}

/* The highest bit that differs from the sign; ~0: none. */
static inline uint32_t sm75_flo(uint32_t a, bool is_signed, bool shift_amount)
{
    unsigned bit;

    if (is_signed && a >> 31) {
        a = ~a;
    }
    if (a == 0) {
        return ~0u;
    }
    bit = 31 - __builtin_clz(a);
    return shift_amount ? 31 - bit : bit;
}

static inline uint32_t sm75_brev(uint32_t a)
{
    a = (a >> 1 & 0x55555555) | (a & 0x55555555) << 1;
    a = (a >> 2 & 0x33333333) | (a & 0x33333333) << 2;
    a = (a >> 4 & 0x0f0f0f0f) | (a & 0x0f0f0f0f) << 4;
    return __builtin_bswap32(a);
}

static inline uint32_t sm75_popc(uint32_t a)
{
    a -= a >> 1 & 0x55555555;
    a = (a & 0x33333333) + (a >> 2 & 0x33333333);
    a = (a + (a >> 4)) & 0x0f0f0f0f;
    return a * 0x01010101 >> 24;
}

static inline uint32_t sm75_lop3(uint8_t lut, uint32_t a, uint32_t b,
                                 uint32_t c)
{
    uint32_t r = 0;

    for (unsigned n = 0; n < 8; n++) {
        if (lut >> n & 1) {
            r |= (n & 4 ? a : ~a) & (n & 2 ? b : ~b) & (n & 1 ? c : ~c);
        }
    }
    return r;
}

enum {                          /* PRMT modes, bits 74:72 */
    SM75_PRMT_INDEX, SM75_PRMT_F4E, SM75_PRMT_B4E, SM75_PRMT_RC8,
    SM75_PRMT_ECL, SM75_PRMT_ECR, SM75_PRMT_RC16,
};

/* A nibble a byte of the result, from the mode and the two lowest bits. */
static inline uint32_t sm75_prmt_selector(unsigned mode, uint32_t sel)
{
    unsigned n = sel & 3;

    switch (mode) {
    case SM75_PRMT_F4E:
        return 0x3210 + 0x1111 * n;
    case SM75_PRMT_B4E:
        /* n, n - 1, n - 2, n - 3 of eight bytes in a circle */
        return n | ((n - 1) & 7) << 4 | ((n - 2) & 7) << 8 |
               ((n - 3) & 7) << 12;
    case SM75_PRMT_RC8:
        return 0x1111 * n;
    case SM75_PRMT_ECL:
        return n | (n > 1 ? n : 1) << 4 | (n > 2 ? n : 2) << 8 | 3 << 12;
    case SM75_PRMT_ECR:
        return 0 | (n < 1 ? n : 1) << 4 | (n < 2 ? n : 2) << 8 | n << 12;
    case SM75_PRMT_RC16:
        return n & 1 ? 0x3232 : 0x1010;
    default:
        return sel;
    }
}

static inline uint32_t sm75_prmt(unsigned mode, uint32_t a, uint32_t sel,
                                 uint32_t b)
{
    uint64_t bytes = a | (uint64_t)b << 32;
    uint32_t r = 0;

    sel = sm75_prmt_selector(mode, sel);
    for (unsigned n = 0; n < 4; n++) {
        unsigned nibble = sel >> 4 * n & 15;
        uint32_t byte = bytes >> 8 * (nibble & 7) & 0xff;

        if (nibble & 8) {
            byte = byte & 0x80 ? 0xff : 0;
        }
        r |= byte << 8 * n;
    }
    return r;
}

typedef struct Sm75Lea {
    bool high, x, neg_a, neg_b, sign_extend;
    uint8_t shift;
} Sm75Lea;

/*
 * (a << shift) + b, or the high word of the pair c:a shifted. With .X the
 * signs invert, and carry is added. *carry becomes the carry out.
 */
static inline uint32_t sm75_lea(Sm75Lea m, uint32_t a, uint32_t b, uint32_t c,
                                bool *carry)
{
    uint64_t pair = a | (uint64_t)c << 32;
    uint64_t sum, add = 0;
    uint32_t t;

    if (m.sign_extend) {
        pair = (uint64_t)(int64_t)(int32_t)a;
    }
    pair <<= m.shift;
    t = m.high ? pair >> 32 : pair;
    if (m.neg_a) {
        t = ~t;
        add += !m.x;
    }
    if (m.neg_b) {
        b = ~b;
        add += !m.x;
    }
    if (m.x) {
        add = *carry;
    }
    sum = (uint64_t)t + b + add;
    *carry = sum >> 32;
    return sum;
}

/* ISETP's comparison; op is 3 bits. */
static inline bool sm75_icmp(unsigned op, bool is_signed, uint32_t a,
                             uint32_t b)
{
    bool less = is_signed ? (int32_t)a < (int32_t)b : a < b;

    return (op & 1 && less) || (op & 2 && a == b) ||
           (op & 4 && !less && a != b);
}

#endif
