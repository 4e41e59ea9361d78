/*
 * The executor's own memory in a guest's address space: a window below 2^40
 * (a push buffer's address has 40 bits) in which the guest maps nothing. The
 * driver's buffers of contexts come first in it, then the rings, then what
 * translation reserves. The pages of translated programs lie at the guest's
 * addresses. GSP-RM has [4 GiB, 4.5 GiB) for itself.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <sys/mman.h>

#include "owner/rm/rm-int.h"

#define OWN_TOP         (1ull << 40)
#define SHADOW_PAGES    4096u
#define RESERVE_MAX     (4ull << 30)
#define GSP_START       (4ull << 30)
#define GSP_END         (GSP_START + (512ull << 20))
/* Pieces that are taken at most, and how large one may be. */
#define STEER_MAX       4096u
#define STEER_SIZE      (1ull << 38)

typedef struct RmOwned {
    RmMemory *memory;
    void *ptr;
    uint64_t va, size, mapped;
} RmOwned;

static void *pages_new(uint64_t size)
{
    void *ptr = mmap(NULL, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (ptr == MAP_FAILED) {
        return NULL;
    }
    /* A child of fork() must not make the pinned pages somebody else's. */
    madvise(ptr, size, MADV_DONTFORK);
    return ptr;
}

void rm_own_init(RmSpace *s)
{
    s->owned = g_ptr_array_new();
    s->shadow_free = g_array_new(false, false, sizeof(uint32_t));
}

int rm_own_shadow(RmSpace *s)
{
    uint64_t size = (uint64_t)SHADOW_PAGES * RM_PAGE;
    void *ptr = pages_new(size);

    if (!ptr) {
        return -ENOMEM;
    }
    s->shadow = rm_memory_new(s->rm, ptr, size);
    s->shadow_put = pages_new(size);
    if (!s->shadow_put) {
        return -ENOMEM;
    }
    s->shadow_guest = g_new0(uint8_t *, SHADOW_PAGES);
    for (uint32_t page = SHADOW_PAGES; page-- > 0;) {
        g_array_append_val(s->shadow_free, page);
    }
    return 0;
}

/* ---- Pages of programs ---- */

/* The GPU may write there meanwhile: each word that it wrote is the guest's. */
static void exchange(uint32_t *shadow, uint32_t *put, uint32_t *guest,
                     uint32_t value)
{
    uint32_t seen = __atomic_load_n(shadow, __ATOMIC_RELAXED);

    do {
        if (seen != *put) {
            __atomic_store_n(guest, seen, __ATOMIC_RELAXED);
        }
    } while (!__atomic_compare_exchange_n(shadow, &seen, value, false,
                                          __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED));
    *put = value;
}

static void set_words(RmSpace *s, uint32_t number, const void *bytes)
{
    uint64_t at = (uint64_t)number * RM_PAGE;
    uint32_t *shadow = (uint32_t *)(s->shadow->host + at);
    uint32_t *put = (uint32_t *)(s->shadow_put + at);
    uint32_t *guest = (uint32_t *)s->shadow_guest[number];
    const uint32_t *words = bytes;

    for (unsigned i = 0; i < RM_PAGE / 4; i++) {
        uint32_t value = words ? words[i] : put[i];

        if (value != put[i] ||
            __atomic_load_n(&shadow[i], __ATOMIC_RELAXED) != put[i]) {
            exchange(&shadow[i], &put[i], &guest[i], value);
        }
    }
}

void rm_shadow_set(RmSpace *s, uint32_t number, uint8_t *guest,
                   const void *bytes)
{
    uint64_t at = (uint64_t)number * RM_PAGE;

    if (!s->shadow_guest[number]) {
        /* Not mapped yet. */
        memcpy(s->shadow->host + at, bytes, RM_PAGE);
        memcpy(s->shadow_put + at, bytes, RM_PAGE);
    }
    s->shadow_guest[number] = guest;
    if (s->shadows <= (int)number) {
        g_atomic_int_set(&s->shadows, (int)number + 1);
    }
    set_words(s, number, bytes);
}

void rm_shadow_merge(RmSpace *s, uint32_t number)
{
    uint64_t at = (uint64_t)number * RM_PAGE;

    if (s->shadow_guest[number] &&
        memcmp(s->shadow->host + at, s->shadow_put + at, RM_PAGE)) {
        set_words(s, number, NULL);
    }
}

void rm_shadow_merge_all(RmSpace *s)
{
    for (int n = 0; n < s->shadows; n++) {
        rm_shadow_merge(s, (uint32_t)n);
    }
}

void rm_shadow_end(RmSpace *s, uint32_t number)
{
    int n = s->shadows;

    rm_shadow_merge(s, number);
    s->shadow_guest[number] = NULL;
    g_array_append_val(s->shadow_free, number);
    while (n && !s->shadow_guest[n - 1]) {
        n--;
    }
    g_atomic_int_set(&s->shadows, n);
}

/* The space's mappings are gone, or go with its window. */
static void owned_free(RmSpace *s, RmOwned *o)
{
    rm_memory_free(s->rm, o->memory);
    munmap(o->ptr, o->size);
    g_free(o);
}

void rm_own_free(RmSpace *s)
{
    for (unsigned i = 0; i < s->owned->len; i++) {
        owned_free(s, g_ptr_array_index(s->owned, i));
    }
    if (s->shadow) {
        void *ptr = s->shadow->host;
        uint64_t size = s->shadow->size;

        rm_memory_free(s->rm, s->shadow);
        munmap(ptr, size);
        if (s->shadow_put) {
            munmap(s->shadow_put, size);
        }
        g_free(s->shadow_guest);
    }
    g_ptr_array_free(s->owned, true);
    g_array_free(s->shadow_free, true);
}

/* Takes the highest window that is free. */
static int own_find(RmSpace *s)
{
    for (uint64_t va = OWN_TOP - RM_OWN_SIZE; !s->own && va >= RM_OWN_SIZE;
         va -= RM_OWN_SIZE) {
        if (!rm_space_used(s, va, RM_OWN_SIZE)) {
            s->own = va;
            s->own_next = va + RM_OWN_DRIVER + RM_SLOTS * RM_SLOT_SIZE;
        }
    }
    return s->own ? 0 : -ENOSPC;
}

/* A gap at a time, around what GSP-RM has. */
static void steer_gap(RmSpace *s, GArray *taken, uint64_t va, uint64_t end)
{
    uint64_t size;

    while (taken->len < STEER_MAX && rm_space_gap(s, &va, end, &size)) {
        for (uint64_t done = 0; done < size;) {
            uint64_t part = MIN(size - done, STEER_SIZE);
            NvHandle handle;

            if (rm_space_take(s, va + done, part, NVOS32_ALLOC_FLAGS_LAZY,
                              &handle) == 0) {
                g_array_append_val(taken, handle);
            }
            done += part;
        }
        va += size;
    }
}

void rm_own_steer(RmSpace *s, GArray *taken)
{
    if (own_find(s) < 0) {
        return;
    }
    steer_gap(s, taken, s->start, GSP_START);
    steer_gap(s, taken, MAX(s->start, GSP_END), s->own);
}

void rm_own_steer_end(RmSpace *s, GArray *taken)
{
    for (guint i = 0; i < taken->len; i++) {
        rm_free(s->rm, s->rm->device, &g_array_index(taken, NvHandle, i));
    }
}

int rm_space_slot(RmSpace *s, uint64_t *va)
{
    int ret = own_find(s);

    if (ret < 0) {
        return ret;
    }
    if (~s->slots == 0) {
        return -ENOSPC;
    }
    ret = __builtin_ctzll(~s->slots);
    s->slots |= 1ull << ret;
    *va = s->own + RM_OWN_DRIVER + (uint64_t)ret * RM_SLOT_SIZE;
    return 0;
}

void rm_space_slot_free(RmSpace *s, uint64_t va)
{
    s->slots &= ~(1ull << (va - s->own - RM_OWN_DRIVER) / RM_SLOT_SIZE);
}

int rm_space_reserve(RmSpace *s, uint64_t size, bool cpu, uint64_t *va,
                     void **host)
{
    int ret = own_find(s);
    RmOwned *o;

    if (ret < 0) {
        return ret;
    }
    if (!size || size % RM_PAGE || size > RESERVE_MAX) {
        return -EINVAL;
    }
    if (size > s->own + RM_OWN_SIZE - s->own_next) {
        return -ENOSPC;
    }
    o = g_new0(RmOwned, 1);
    o->ptr = pages_new(size);
    if (!o->ptr) {
        g_free(o);
        return -ENOMEM;
    }
    o->size = size;
    o->va = s->own_next;
    o->memory = rm_memory_new(s->rm, o->ptr, size);
    while (ret == 0 && o->mapped < size) {
        uint64_t part = MIN(size - o->mapped, RM_CHUNK);
        NvHandle chunk;

        ret = rm_memory_chunk(s->rm, o->memory, o->mapped, &chunk);
        if (ret == 0) {
            ret = rm_space_map_fixed(s, s->window, chunk, 0, part,
                                     o->va + o->mapped, 0, 0, false);
        }
        if (ret == 0) {
            o->mapped += part;
        }
    }
    if (ret < 0) {
        for (uint64_t at = 0; at < o->mapped; at += RM_CHUNK) {
            NvHandle chunk;

            if (rm_memory_chunk(s->rm, o->memory, at, &chunk) == 0) {
                rm_space_unmap_fixed(s, s->window, chunk, o->va + at, false);
            }
        }
        owned_free(s, o);
        return ret;
    }
    g_ptr_array_add(s->owned, o);
    s->own_next += size;
    *va = o->va;
    *host = cpu ? o->ptr : NULL;
    return 0;
}
