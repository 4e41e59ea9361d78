/*
 * The one shim between common code and its host: integer types, memory
 * functions, little-endian access and bit fields, in user space and in the
 * Linux kernel alike.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_TYPES_H
#define VGSP_TYPES_H

#ifdef __KERNEL__
#include <linux/types.h>
#include <linux/stddef.h>
#include <linux/string.h>

#ifndef UINT64_C
#define UINT64_C(c) c##ULL
#endif
#ifndef UINT64_MAX
#define UINT64_MAX (~UINT64_C(0))
#endif
#ifndef UINT32_MAX
#define UINT32_MAX (~0U)
#endif
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif

#define VGSP_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Alignment is a power of two; the sum must not overflow. */
#define VGSP_ALIGN_DOWN(v, a) ((v) & ~((uint64_t)(a)-1))
#define VGSP_ALIGN_UP(v, a)   VGSP_ALIGN_DOWN((v) + ((uint64_t)(a)-1), a)

/*
 * Fields.  NVIDIA publishes a register or memory field as a bit range
 * "hi:lo"; here such a field is one constant mask,
 *
 *     #define NV_FOO_BAR VGSP_BITS(7, 4)
 *
 * read with VGSP_GET(NV_FOO_BAR, word) and built with VGSP_SET(NV_FOO_BAR, v).
 * Masks are 64 bits wide; narrow the result where a 32-bit word is wanted.
 */
#define VGSP_BIT(n) (UINT64_C(1) << (n))
#define VGSP_BITS(hi, lo) \
    ((~UINT64_C(0) >> (63 - (hi))) & (~UINT64_C(0) << (lo)))
#define VGSP_SHIFT(mask)      (__builtin_ctzll(mask))
#define VGSP_GET(mask, word)  (((uint64_t)(word) & (mask)) >> VGSP_SHIFT(mask))
#define VGSP_SET(mask, value) (((uint64_t)(value) << VGSP_SHIFT(mask)) & (mask))
#define VGSP_REPLACE(mask, word, value) \
    (((uint64_t)(word) & ~(mask)) | VGSP_SET(mask, value))

/* Little-endian loads and stores at any alignment. */
static inline uint16_t vgsp_le16(const void *p)
{
    const uint8_t *b = (const uint8_t *)p;

    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t vgsp_le32(const void *p)
{
    const uint8_t *b = (const uint8_t *)p;

    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
}

static inline uint64_t vgsp_le64(const void *p)
{
    const uint8_t *b = (const uint8_t *)p;

    return (uint64_t)vgsp_le32(b) | (uint64_t)vgsp_le32(b + 4) << 32;
}

static inline void vgsp_put_le16(void *p, uint16_t v)
{
    uint8_t *b = (uint8_t *)p;

    b[0] = (uint8_t)v;
    b[1] = (uint8_t)(v >> 8);
}

static inline void vgsp_put_le32(void *p, uint32_t v)
{
    uint8_t *b = (uint8_t *)p;

    b[0] = (uint8_t)v;
    b[1] = (uint8_t)(v >> 8);
    b[2] = (uint8_t)(v >> 16);
    b[3] = (uint8_t)(v >> 24);
}

static inline void vgsp_put_le64(void *p, uint64_t v)
{
    vgsp_put_le32(p, (uint32_t)v);
    vgsp_put_le32((uint8_t *)p + 4, (uint32_t)(v >> 32));
}

/* Whether [offset, offset + len) lies within an object of size bytes. */
static inline bool vgsp_range_ok(uint64_t offset, uint64_t len, uint64_t size)
{
    return offset <= size && len <= size - offset;
}

#endif
