/*
 * Memory for copies of page tables: 4 KiB each, side by side in chunks of 2 MiB
 * that the host may map as one page. A comparison of all tables then takes the
 * time that reading them takes, and not that of their translations.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/madvise.h"
#include "qemu/memalign.h"
#include "qemu/queue.h"
#include "owner/shadow-int.h"

#define CHUNK   (2u << 20)
#define PAGES   (CHUNK / VGSP_COPY_SIZE)

/* The first page of a chunk. */
struct VgspCopyChunk {
    QLIST_ENTRY(VgspCopyChunk) next;    /* of those with room */
    unsigned used;              /* pages, this one included */
    unsigned fresh;             /* from this one on none was used yet */
    void *free;                 /* used and free again: each names the next */
};

static VgspCopyChunk *chunk_new(VgspTablePool *pool)
{
    VgspCopyChunk *chunk = qemu_memalign(CHUNK, CHUNK);

    qemu_madvise(chunk, CHUNK, QEMU_MADV_HUGEPAGE);
    *chunk = (VgspCopyChunk) { .used = 1, .fresh = 1 };
    QLIST_INSERT_HEAD(&pool->copies, chunk, next);
    return chunk;
}

void *vgsp_copy_new(VgspTablePool *pool)
{
    VgspCopyChunk *chunk = QLIST_FIRST(&pool->copies) ?: chunk_new(pool);
    void *page = chunk->free;

    if (page) {
        chunk->free = *(void **)page;
    } else {
        page = (uint8_t *)chunk + chunk->fresh++ * VGSP_COPY_SIZE;
    }
    if (++chunk->used == PAGES) {
        QLIST_REMOVE(chunk, next);
    }
    return page;
}

void vgsp_copy_free(VgspTablePool *pool, void *page)
{
    VgspCopyChunk *chunk;

    if (!page) {
        return;
    }
    chunk = (VgspCopyChunk *)((uintptr_t)page & ~(uintptr_t)(CHUNK - 1));
    *(void **)page = chunk->free;
    chunk->free = page;
    if (chunk->used-- == PAGES) {
        QLIST_INSERT_HEAD(&pool->copies, chunk, next);
    }
    if (chunk->used == 1) {
        QLIST_REMOVE(chunk, next);
        qemu_vfree(chunk);
    }
}
