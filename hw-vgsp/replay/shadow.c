/*
 * Copies of memory objects and the pages that spaces map, for recorder and
 * player. An untouched copy costs address space, not memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "replay/shadow.h"

#define VA_BITS 49
#define PAGES_A_LOOK 512
/* Of /proc/self/pagemap: the page is in memory, or swapped out. */
#define PAGE_USED (UINT64_C(3) << 62)

typedef struct Mapping {
    uint64_t va, size, offset;
    uint32_t memory, kind;
} Mapping;

static void memory_free(gpointer opaque)
{
    VgspShadowMemory *m = opaque;

    munmap(m->copy, m->size);
    g_free(m);
}

static void space_free(gpointer opaque)
{
    g_array_free(opaque, TRUE);
}

void vgsp_shadow_init(VgspShadow *s)
{
    s->hidden_kinds = 0;
    s->kinds = NULL;
    s->ours = false;
    s->memories = g_hash_table_new_full(NULL, NULL, NULL, memory_free);
    s->spaces = g_hash_table_new_full(NULL, NULL, NULL, space_free);
}

void vgsp_shadow_clear(VgspShadow *s)
{
    g_hash_table_destroy(s->memories);
    g_hash_table_destroy(s->spaces);
}

VgspShadowMemory *vgsp_shadow_memory(const VgspShadow *s, uint32_t id)
{
    return g_hash_table_lookup(s->memories, GUINT_TO_POINTER(id));
}

VgspShadowMemory *vgsp_shadow_memory_add(VgspShadow *s, uint32_t id,
                                         void *host, uint64_t size)
{
    VgspShadowMemory *m;
    void *copy;

    if (!size || size % VGSP_RECORDING_PAGE || vgsp_shadow_memory(s, id)) {
        return NULL;
    }
    copy = mmap(NULL, size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (copy == MAP_FAILED) {
        return NULL;
    }
    m = g_new0(VgspShadowMemory, 1);
    m->id = id;
    m->host = host;
    m->copy = copy;
    m->size = size;
    g_hash_table_insert(s->memories, GUINT_TO_POINTER(id), m);
    return m;
}

bool vgsp_shadow_memory_del(VgspShadow *s, uint32_t id)
{
    GHashTableIter it;
    gpointer value;

    g_hash_table_iter_init(&it, s->spaces);
    while (g_hash_table_iter_next(&it, NULL, &value)) {
        GArray *maps = value;

        for (guint i = maps->len; i-- > 0;) {
            if (g_array_index(maps, Mapping, i).memory == id) {
                g_array_remove_index(maps, i);
            }
        }
    }
    return g_hash_table_remove(s->memories, GUINT_TO_POINTER(id));
}

static GArray *space_of(const VgspShadow *s, uint32_t id)
{
    return g_hash_table_lookup(s->spaces, GUINT_TO_POINTER(id));
}

bool vgsp_shadow_space_new(VgspShadow *s, uint32_t id)
{
    if (space_of(s, id)) {
        return false;
    }
    g_hash_table_insert(s->spaces, GUINT_TO_POINTER(id),
                        g_array_new(FALSE, FALSE, sizeof(Mapping)));
    return true;
}

bool vgsp_shadow_space_del(VgspShadow *s, uint32_t id)
{
    return g_hash_table_remove(s->spaces, GUINT_TO_POINTER(id));
}

/* The first mapping that ends above va. */
static guint first_above(const GArray *maps, uint64_t va)
{
    guint lo = 0, hi = maps->len;

    while (lo < hi) {
        guint mid = (lo + hi) / 2;
        const Mapping *m = &g_array_index(maps, Mapping, mid);

        if (m->va + m->size <= va) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* Takes [va, end) out; returns where a mapping of it belongs. */
static guint cut(GArray *maps, uint64_t va, uint64_t end)
{
    guint i = first_above(maps, va), n = 0;

    if (i < maps->len) {
        Mapping *m = &g_array_index(maps, Mapping, i);

        if (m->va < va) {
            Mapping tail = *m;

            m->size = va - m->va;
            tail.va = va;
            tail.size -= m->size;
            tail.offset += m->size;
            g_array_insert_val(maps, ++i, tail);
        }
    }
    while (i + n < maps->len) {
        Mapping *m = &g_array_index(maps, Mapping, i + n);

        if (m->va >= end) {
            break;
        }
        if (m->va + m->size > end) {
            m->size -= end - m->va;
            m->offset += end - m->va;
            m->va = end;
            break;
        }
        n++;
    }
    if (n) {
        g_array_remove_range(maps, i, n);
    }
    return i;
}

bool vgsp_shadow_map(VgspShadow *s, uint32_t space,
                     const struct vgsp_owner_map_op *ops, size_t count)
{
    GArray *maps = space_of(s, space);

    if (!maps) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct vgsp_owner_map_op *op = &ops[i];
        const VgspShadowMemory *m;

        if ((op->va | op->size | op->offset) % VGSP_RECORDING_PAGE ||
            !op->size ||
            !vgsp_range_ok(op->va, op->size, UINT64_C(1) << VA_BITS)) {
            return false;
        }
        if (op->op != VGSP_OWNER_MAP) {
            continue;
        }
        m = vgsp_shadow_memory(s, op->memory);
        if (!m || !vgsp_range_ok(op->offset, op->size, m->size)) {
            return false;
        }
    }
    for (size_t i = 0; i < count; i++) {
        const struct vgsp_owner_map_op *op = &ops[i];
        guint at = cut(maps, op->va, op->va + op->size);

        if (op->op == VGSP_OWNER_MAP) {
            Mapping m = { op->va, op->size, op->offset, op->memory,
                          op->kind };

            g_array_insert_val(maps, at, m);
        }
    }
    return true;
}

const uint8_t *vgsp_shadow_lookup(const VgspShadow *s, uint32_t space,
                                  uint64_t va, uint64_t *len)
{
    const GArray *maps = space_of(s, space);
    const Mapping *m;
    guint i;

    if (!maps) {
        return NULL;
    }
    i = first_above(maps, va);
    if (i == maps->len) {
        return NULL;
    }
    m = &g_array_index(maps, Mapping, i);
    if (m->va > va) {
        return NULL;
    }
    *len = m->va + m->size - va;
    return vgsp_shadow_memory(s, m->memory)->host + m->offset + (va - m->va);
}

void vgsp_shadow_addresses(const VgspShadow *s, uint32_t space,
                           uint32_t memory, uint64_t offset,
                           void (*at)(void *opaque, uint64_t va),
                           void *opaque)
{
    const GArray *maps = space_of(s, space);

    for (guint i = 0; maps && i < maps->len; i++) {
        const Mapping *m = &g_array_index(maps, Mapping, i);

        if (m->memory == memory && m->offset <= offset &&
            offset - m->offset < m->size) {
            at(opaque, m->va + (offset - m->offset));
        }
    }
}

const VgspKindOrder *vgsp_shadow_order(const VgspShadow *s, uint32_t space,
                                       uint64_t va)
{
    const GArray *maps = s->kinds ? space_of(s, space) : NULL;
    guint i = maps ? first_above(maps, va) : 0;
    const Mapping *m;

    if (!maps || i == maps->len) {
        return NULL;
    }
    m = &g_array_index(maps, Mapping, i);
    return m->va <= va && m->kind <= UINT8_MAX
               ? vgsp_kinds_order(s->kinds, (uint8_t)m->kind) : NULL;
}

/* The order of the first mapping of the page that has one. */
static const VgspKindOrder *order_among(const VgspKinds *kinds,
                                        const GArray *maps, uint32_t memory,
                                        uint64_t offset)
{
    const VgspKindOrder *order = NULL;

    for (guint i = 0; kinds && !order && i < maps->len; i++) {
        const Mapping *m = &g_array_index(maps, Mapping, i);

        if (m->memory == memory && m->offset <= offset &&
            offset - m->offset < m->size && m->kind <= UINT8_MAX) {
            order = vgsp_kinds_order(kinds, (uint8_t)m->kind);
        }
    }
    return order;
}

const VgspKindOrder *vgsp_shadow_page_order(const VgspShadow *s,
                                            const VgspKinds *kinds,
                                            uint32_t memory, uint64_t offset)
{
    const VgspKindOrder *order = NULL;
    GHashTableIter it;
    gpointer maps;

    if (kinds) {
        g_hash_table_iter_init(&it, s->spaces);
        while (!order && g_hash_table_iter_next(&it, NULL, &maps)) {
            order = order_among(kinds, maps, memory, offset);
        }
    }
    return order;
}

/* Compares a page as the engine sees it; what is not kept is equal. */
static void compare_ordered(const VgspKindOrder *order, VgspShadowMemory *m,
                            uint64_t page, const uint8_t *other,
                            void (*differs)(void *opaque, VgspShadowMemory *m,
                                            uint64_t page),
                            void *opaque)
{
    uint8_t *host = m->host + page * VGSP_RECORDING_PAGE;
    uint8_t kept[VGSP_RECORDING_PAGE], seen[VGSP_RECORDING_PAGE];

    vgsp_kind_read(order, host, 0, seen, sizeof(seen));
    for (unsigned i = 0; i < sizeof(seen); i++) {
        if (order->place[i % VGSP_KIND_BLOCK] == VGSP_KIND_NOWHERE) {
            seen[i] = other[i];
        }
    }
    if (!memcmp(seen, other, sizeof(seen))) {
        return;
    }
    memcpy(kept, host, sizeof(kept));
    memcpy(host, seen, sizeof(seen));
    differs(opaque, m, page);
    memcpy(seen, host, sizeof(seen));
    memcpy(host, kept, sizeof(kept));
    vgsp_kind_write(order, host, 0, seen, sizeof(seen));
}

/* Whether any mapping shows the page with a hidden kind. */
static bool is_hidden(const VgspShadow *s, const GArray *maps, uint32_t memory,
                      uint64_t offset)
{
    for (guint i = 0; s->hidden_kinds && i < maps->len; i++) {
        const Mapping *m = &g_array_index(maps, Mapping, i);

        if (m->memory == memory && m->offset <= offset &&
            offset - m->offset < m->size && m->kind < 32 &&
            s->hidden_kinds >> m->kind & 1) {
            return true;
        }
    }
    return false;
}

/* The file that tells which pages of ours are used, or -1: all may be. */
static int open_pagemap(const VgspShadow *s)
{
    return s->ours && sysconf(_SC_PAGESIZE) == VGSP_RECORDING_PAGE
           ? open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC) : -1;
}

static void find_used(int pagemap, const uint8_t *p, uint64_t n,
                      uint64_t *pages)
{
    size_t size = n * sizeof(*pages);

    if (pagemap < 0 ||
        pread(pagemap, pages, size, (off_t)((uintptr_t)p / VGSP_RECORDING_PAGE *
                                            sizeof(*pages))) != (ssize_t)size) {
        memset(pages, 0xff, size);
    }
}

void vgsp_shadow_compare_with(const VgspShadow *s, uint32_t space,
                              const uint8_t *(*of)(void *opaque,
                                                   const VgspShadowMemory *m),
                              void *opaque_of,
                              void (*differs)(void *opaque,
                                              VgspShadowMemory *m,
                                              uint64_t page),
                              void *opaque)
{
    const GArray *maps = space_of(s, space);
    int pagemap = open_pagemap(s);

    for (guint i = 0; maps && i < maps->len; i++) {
        const Mapping *map = &g_array_index(maps, Mapping, i);
        VgspShadowMemory *m = vgsp_shadow_memory(s, map->memory);
        const uint8_t *other = of(opaque_of, m);
        uint64_t page = map->offset / VGSP_RECORDING_PAGE;
        uint64_t end = page + map->size / VGSP_RECORDING_PAGE;

        while (page < end) {
            uint64_t used[2][PAGES_A_LOOK], n = MIN(end - page, PAGES_A_LOOK);
            uint64_t off = page * VGSP_RECORDING_PAGE;

            find_used(pagemap, m->host + off, n, used[0]);
            find_used(pagemap, other + off, n, used[1]);
            for (uint64_t j = 0; j < n; j++, page++) {
                const VgspKindOrder *order;

                off = page * VGSP_RECORDING_PAGE;
                /* What nobody used is not read: that would use it. */
                if (!((used[0][j] | used[1][j]) & PAGE_USED)) {
                    continue;
                }
                order = order_among(s->kinds, maps, m->id, off);
                if (order) {
                    compare_ordered(order, m, page, other + off, differs,
                                    opaque);
                } else if (memcmp(m->host + off, other + off,
                                  VGSP_RECORDING_PAGE) != 0 &&
                           !is_hidden(s, maps, m->id, off)) {
                    differs(opaque, m, page);
                }
            }
        }
    }
    if (pagemap >= 0) {
        close(pagemap);
    }
}

static const uint8_t *copy_of(void *opaque, const VgspShadowMemory *m)
{
    (void)opaque;
    return m->copy;
}

void vgsp_shadow_compare(const VgspShadow *s, uint32_t space,
                         void (*differs)(void *opaque, VgspShadowMemory *m,
                                         uint64_t page),
                         void *opaque)
{
    vgsp_shadow_compare_with(s, space, copy_of, NULL, differs, opaque);
}
