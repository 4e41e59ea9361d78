/*
 * What the tests of owner/rm share: the library over a driver that is not
 * there (fake-rm.h), with a guest's memory, a space and a context.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_RM_RIG_H
#define TESTS_UNIT_RM_RIG_H

#include <sys/mman.h>

#include "fake-rm.h"

#define MIB         (1ull << 20)
#define TU10X       0x160
#define MEMORY      (80 * MIB)
#define VA          0x200000000ull

typedef struct Rig {
    FakeRm *fake;
    VgspRm *rm;
    uint8_t *host;
    uint32_t memory, space, context;
    GMutex lock;
    GCond cond;
    uint64_t completed;         /* of context */
    unsigned completions, faults, interrupts;
    struct vgsp_owner_fault fault;
    char line[256];
} Rig;

static inline void on_completed(void *opaque, uint32_t context, uint64_t seq)
{
    Rig *rig = opaque;

    g_mutex_lock(&rig->lock);
    if (context == rig->context) {
        g_assert_cmpuint(seq, >, rig->completed);
        rig->completed = seq;
    }
    rig->completions++;
    g_cond_broadcast(&rig->cond);
    g_mutex_unlock(&rig->lock);
}

static inline void on_fault(void *opaque, const struct vgsp_owner_fault *fault)
{
    Rig *rig = opaque;

    g_mutex_lock(&rig->lock);
    rig->fault = *fault;
    rig->faults++;
    g_cond_broadcast(&rig->cond);
    g_mutex_unlock(&rig->lock);
}

static inline void on_interrupt(void *opaque, uint32_t context)
{
    (void)context;
    ((Rig *)opaque)->interrupts++;
}

static inline void on_log(void *opaque, const char *line)
{
    Rig *rig = opaque;

    g_strlcpy(rig->line, line, sizeof(rig->line));
}

static const VgspRmOps rig_ops = {
    .completed = on_completed,
    .fault = on_fault,
    .interrupt = on_interrupt,
    .log = on_log,
};

static inline Rig *rig_new(const char *version, uint32_t architecture)
{
    Rig *rig = g_new0(Rig, 1);

    g_mutex_init(&rig->lock);
    g_cond_init(&rig->cond);
    rig->fake = fake_new(version, architecture);
    rig->host = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    g_assert_true(rig->host != MAP_FAILED);
    return rig;
}

static inline char *rig_open(Rig *rig)
{
    VgspRmConfig config = {
        .path = "/dev/nvidia0", .ops = &rig_ops, .opaque = rig,
    };
    char *error = NULL;

    rig->rm = vgsp_rm_open_os(&config, &fake_os, rig->fake, &error);
    g_assert_true(!rig->rm == !!error);
    return error;
}

static inline void rig_free(Rig *rig)
{
    vgsp_rm_close(rig->rm);
    fake_free(rig->fake);
    munmap(rig->host, MEMORY);
    g_mutex_clear(&rig->lock);
    g_cond_clear(&rig->cond);
    g_free(rig);
}

static inline int rig_setup(Rig *rig)
{
    const struct vgsp_owner_map_op op = {
        .va = VA, .size = 4 * MIB, .memory = 0,
    };
    struct vgsp_owner_map_op map = op;
    int ret = vgsp_rm_memory_add(rig->rm, rig->host, MEMORY, &rig->memory);

    map.memory = rig->memory;
    if (ret == 0) {
        ret = vgsp_rm_space_new(rig->rm, &rig->space);
    }
    if (ret == 0) {
        ret = vgsp_rm_map(rig->rm, rig->space, &map, 1);
    }
    if (ret == 0) {
        ret = vgsp_rm_context_new(rig->rm, rig->space, 1000, &rig->context);
    }
    return ret;
}

/* A rig that works, with a space and a context. */
static inline Rig *rig_ready(const char *version)
{
    Rig *rig = rig_new(version, TU10X);

    g_assert_null(rig_open(rig));
    g_assert_cmpint(rig_setup(rig), ==, 0);
    return rig;
}

static inline void wait_for(Rig *rig, const uint64_t *what, uint64_t value)
{
    int64_t end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;

    g_mutex_lock(&rig->lock);
    while (*what < value) {
        g_assert_true(g_cond_wait_until(&rig->cond, &rig->lock, end));
    }
    g_mutex_unlock(&rig->lock);
}

static inline void wait_fault(Rig *rig, unsigned faults)
{
    int64_t end = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;

    g_mutex_lock(&rig->lock);
    while (rig->faults < faults) {
        g_assert_true(g_cond_wait_until(&rig->cond, &rig->lock, end));
    }
    g_mutex_unlock(&rig->lock);
}

/* NO_OPERATION of subchannel 0. */
static inline int submit(Rig *rig, uint32_t context, uint32_t datum,
                         uint64_t seq)
{
    const uint32_t words[] = { 0x20010000 | 0x100 / 4, datum };

    return vgsp_rm_submit(rig->rm, context, words, 2, seq);
}

static inline unsigned mapped(Rig *rig, uint64_t va, FakeMapping *m)
{
    unsigned n = 0;

    g_mutex_lock(&rig->fake->lock);
    for (guint i = 0; i < rig->fake->mappings->len; i++) {
        FakeMapping *x = &g_array_index(rig->fake->mappings, FakeMapping, i);

        if (va >= x->va && va < x->va + x->size) {
            *m = *x;
            n++;
        }
    }
    g_mutex_unlock(&rig->fake->lock);
    return n;
}

/* What the GPU sees at va; NULL: nothing. */
static inline uint8_t *gpu(Rig *rig, uint64_t va)
{
    RmSpace *s = g_hash_table_lookup(rig->rm->spaces,
                                     GUINT_TO_POINTER(rig->space));
    uint8_t *at;

    g_mutex_lock(&rig->fake->lock);
    at = fake_va(rig->fake, s->vaspace, va);
    g_mutex_unlock(&rig->fake->lock);
    return at;
}

static inline bool sparse_at(Rig *rig, uint64_t va)
{
    GHashTableIter iter;
    gpointer object;
    bool found = false;

    g_mutex_lock(&rig->fake->lock);
    g_hash_table_iter_init(&iter, rig->fake->objects);
    while (g_hash_table_iter_next(&iter, NULL, &object)) {
        FakeObject *o = object;

        found |= o->cls == NV50_MEMORY_VIRTUAL && va >= o->va &&
                 va < o->va + o->size;
    }
    g_mutex_unlock(&rig->fake->lock);
    return found;
}

#endif
