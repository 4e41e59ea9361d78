/*
 * Memory of CTAs: a bound for all grids, and a queue before it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/pool.h"

typedef struct Waiter {
    const void *who;
    size_t size;
} Waiter;

void vgsp_pool_init(VgspPool *pool)
{
    g_mutex_init(&pool->lock);
    pool->used = 0;
    g_queue_init(&pool->waiting);
}

void vgsp_pool_clear(VgspPool *pool)
{
    g_queue_clear_full(&pool->waiting, g_free);
    g_mutex_clear(&pool->lock);
}

static GList *find(VgspPool *pool, const void *who)
{
    GList *l = pool->waiting.head;

    while (l && ((Waiter *)l->data)->who != who) {
        l = l->next;
    }
    return l;
}

static void leave(VgspPool *pool, const void *who)
{
    GList *l = find(pool, who);

    if (l) {
        g_free(l->data);
        g_queue_delete_link(&pool->waiting, l);
    }
}

bool vgsp_pool_take_more(VgspPool *pool, size_t has, size_t size)
{
    bool ok;

    g_mutex_lock(&pool->lock);
    ok = !pool->waiting.length && has + pool->used + size <= VGSP_POOL_SIZE;
    pool->used += ok ? size : 0;
    g_mutex_unlock(&pool->lock);
    return ok;
}

bool vgsp_pool_take_first(VgspPool *pool, const void *who, size_t size)
{
    const Waiter *front;
    bool ok;

    g_mutex_lock(&pool->lock);
    front = g_queue_peek_head(&pool->waiting);
    ok = (!front || front->who == who) &&
         pool->used + size <= 2 * VGSP_POOL_SIZE;
    if (ok) {
        pool->used += size;
        leave(pool, who);
    } else if (!find(pool, who)) {
        Waiter *w = g_new(Waiter, 1);

        *w = (Waiter) { who, size };
        g_queue_push_tail(&pool->waiting, w);
    }
    g_mutex_unlock(&pool->lock);
    return ok;
}

void vgsp_pool_leave(VgspPool *pool, const void *who)
{
    g_mutex_lock(&pool->lock);
    leave(pool, who);
    g_mutex_unlock(&pool->lock);
}

void vgsp_pool_give(VgspPool *pool, size_t size)
{
    g_mutex_lock(&pool->lock);
    pool->used -= size;
    g_mutex_unlock(&pool->lock);
}

bool vgsp_pool_lacks(VgspPool *pool, const void *who, size_t *lacks)
{
    size_t wanted;
    GList *l;

    g_mutex_lock(&pool->lock);
    wanted = pool->used;
    l = find(pool, who);
    for (GList *ahead = l; ahead; ahead = ahead->prev) {
        wanted += ((Waiter *)ahead->data)->size;
    }
    *lacks = wanted - MIN(wanted, 2 * VGSP_POOL_SIZE);
    g_mutex_unlock(&pool->lock);
    return l != NULL;
}
