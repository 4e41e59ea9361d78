/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Surroundings of the files that are also built in user space, for their unit
 * tests and fuzzers: pagetable.c and ring.c.
 */
#ifndef VGSP_OWNER_PURE_H
#define VGSP_OWNER_PURE_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/types.h>

static inline void *vgsp_pure_zalloc(size_t n, size_t size)
{
	return kvcalloc(n, size, GFP_KERNEL_ACCOUNT);
}

#define vgsp_pure_free		kvfree
#define vgsp_pure_yield()	cond_resched()
#define vgsp_store_le64(p, v)	WRITE_ONCE(*(p), cpu_to_le64(v))
#else
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <linux/types.h>

#include "vgsp/types.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t s64;

#define min(a, b)		((a) < (b) ? (a) : (b))
#define max(a, b)		((a) > (b) ? (a) : (b))

/* The tests make it fail. */
void *vgsp_pure_zalloc(size_t n, size_t size);
#define vgsp_pure_free		free
#define vgsp_pure_yield()	((void)0)
#define vgsp_store_le64(p, v)	\
	(*(volatile u64 *)(p) = htole64(v))
#endif

#endif
