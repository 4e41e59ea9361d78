/*
 * How much memory the CTAs of all grids may have together, and who is next
 * where there is none left.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_POOL_H
#define HW_VGSP_MODEL_POOL_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * One may have as much as it leaves to the others; but the first CTA of a grid
 * up to twice as much, since nothing goes on without it.
 */
#define VGSP_POOL_SIZE ((size_t)1 << 30)

typedef struct VgspPool {
    GMutex lock;
    size_t used;
    GQueue waiting;             /* in turn */
} VgspPool;

void vgsp_pool_init(VgspPool *pool);
/* Nothing may be taken or waited for any more. */
void vgsp_pool_clear(VgspPool *pool);

/*
 * Takes size bytes for who, who has some already. False: not now. Those who
 * wait come first.
 */
bool vgsp_pool_take_more(VgspPool *pool, size_t has, size_t size);
/* The same for who has none, and from then on waits for its turn to retry. */
bool vgsp_pool_take_first(VgspPool *pool, const void *who, size_t size);
/* Who waits no more. */
void vgsp_pool_leave(VgspPool *pool, const void *who);
void vgsp_pool_give(VgspPool *pool, size_t size);

/* Bytes that others must give before who has its turn. False: it waits not. */
bool vgsp_pool_lacks(VgspPool *pool, const void *who, size_t *lacks);

#endif
