/*
 * The chip of fake-rm.h: fetches rings, performs Host's releases and inline
 * uploads, fails and hangs on demand. The smallest stimuli: NO_OPERATION with
 * the data below.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_FAKE_RM_CHIP_H
#define TESTS_UNIT_FAKE_RM_CHIP_H

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "owner/rm/rm-int.h"
#include "vgsp/kind.h"
#include "vgsp/nv/i2m.h"
#include "vgsp/pushbuf.h"

#define FAKE_FAULT      0xdead0001u     /* an MMU fault at FAKE_FAULT_VA */
#define FAKE_EXCEPTION  0xdead0002u     /* Xid 13 */
#define FAKE_HANG       0xdead0003u     /* stays there until fake->go */
#define FAKE_DEV        101             /* /dev/nvidia0, opened second */
#define FAKE_START      0x200000ull     /* the first address of a space */
#define FAKE_FAULT_VA   0x123456000ull

typedef struct FakeObject {
    NvHandle handle, parent;
    uint32_t cls;
    uint8_t *memory;            /* of classes that have some */
    uint64_t size;
    bool own;                   /* memory is ours to free */
    NvHandle vaspace;           /* of a window, a sparse range, a share */
    uint64_t va;                /* of a sparse range */
    /* of channels */
    uint64_t ring;
    uint32_t entries, get;
    NvHandle userd, notifier;
    bool scheduled, dead;
    uint64_t upload;            /* an inline upload's next address */
} FakeObject;

typedef struct FakeMapping {
    NvHandle dma, memory;
    uint64_t va, size, offset;
    uint32_t flags, kind;
} FakeMapping;

typedef struct FakeRm {
    GMutex lock;
    GThread *chip;
    bool quit, go;
    const char *version;
    unsigned major;
    uint32_t architecture;
    uint32_t hide;              /* a class that is not offered */
    const char *absent;         /* a node that cannot be opened */
    int fail_at, calls;         /* the call that fails, from 1 */
    uint32_t fail_status;       /* 0: an errno value */
    GHashTable *objects;        /* by handle */
    GArray *mappings;           /* FakeMapping */
    GHashTable *fds;            /* fd to 1 + handle of what it maps */
    int next_fd;
    unsigned cpu_maps;
    uint64_t mapped;            /* what mmap() gave and munmap() took */
    GArray *seen;               /* uint32_t: NO_OPERATION's and SET_OBJECT's */
    unsigned invalidates;
    int event;                  /* eventfd: an interrupt */
    bool told;                  /* ... is told of */
    bool deaf;                  /* ... is lost */
    unsigned asked;             /* interrupts that Host was asked for */
    unsigned waits, blocks;     /* atomic: wait(), and with the event */
    const VgspKinds *kinds;     /* uploads write in this order; or NULL */
    bool uploads_fault;
    uint64_t driver_va;         /* of the driver's buffers of a context */
} FakeRm;

static inline FakeObject *fake_find(FakeRm *f, NvHandle handle)
{
    return g_hash_table_lookup(f->objects, GUINT_TO_POINTER(handle));
}

/* ---- The chip ---- */

static inline FakeMapping *fake_mapping(FakeRm *f, NvHandle vaspace,
                                        uint64_t va)
{
    for (guint i = 0; i < f->mappings->len; i++) {
        FakeMapping *m = &g_array_index(f->mappings, FakeMapping, i);

        if (va >= m->va && va < m->va + m->size &&
            fake_find(f, m->dma)->vaspace == vaspace) {
            return m;
        }
    }
    return NULL;
}

static inline uint8_t *fake_va(FakeRm *f, NvHandle vaspace, uint64_t va)
{
    FakeMapping *m = fake_mapping(f, vaspace, va);
    FakeObject *o;

    if (!m) {
        return NULL;
    }
    o = fake_find(f, m->memory);
    g_assert_nonnull(o);
    return o->memory + m->offset + (va - m->va);
}

/* Inline data: a word, in the order of the kind with which it is mapped. */
static inline void fake_upload(FakeRm *f, FakeObject *channel,
                               NvHandle vaspace, uint32_t data)
{
    FakeMapping *m = fake_mapping(f, vaspace, channel->upload);
    const VgspKindOrder *order;
    uint8_t *base;

    g_assert_nonnull(m);
    base = fake_va(f, vaspace, m->va);
    order = vgsp_kinds_order(f->kinds, (uint8_t)m->kind);
    if (order) {
        vgsp_kind_write(order, base, channel->upload - m->va, &data, 4);
    } else {
        memcpy(base + (channel->upload - m->va), &data, 4);
    }
    channel->upload += 4;
}

static inline void fake_error(FakeRm *f, FakeObject *channel, uint32_t code)
{
    NvNotification *n = (void *)fake_find(f, channel->notifier)->memory;

    channel->dead = true;
    n->info32 = code;
    __atomic_store_n(&n->status, 0xffff, __ATOMIC_RELEASE);
}

/* Performs a method; false: the channel stops here. */
static inline bool fake_method(FakeRm *f, FakeObject *channel,
                               NvHandle vaspace, uint32_t sem[5],
                               uint32_t method, uint32_t data)
{
    if (method >= NVC46F_SEM_ADDR_LO && method < NVC46F_SEM_EXECUTE) {
        sem[(method - NVC46F_SEM_ADDR_LO) / 4] = data;
    } else if (method == NVC46F_SEM_EXECUTE) {
        uint64_t va = (uint64_t)sem[1] << 32 | sem[0];
        uint32_t *word = (void *)fake_va(f, vaspace, va);

        g_assert_nonnull(word);
        if (VGSP_GET(NVC46F_SEM_EXECUTE_OPERATION, data) ==
            NVC46F_SEM_EXECUTE_OPERATION_ACQUIRE) {
            return __atomic_load_n(word, __ATOMIC_ACQUIRE) == sem[2];
        }
        __atomic_store_n(word, sem[2], __ATOMIC_RELEASE);
    } else if (method == NVA140_OFFSET_OUT_UPPER) {
        channel->upload = (uint64_t)data << 32;
    } else if (method == NVA140_OFFSET_OUT) {
        channel->upload |= data;
    } else if (method == NVA140_LOAD_INLINE_DATA && f->uploads_fault) {
        fake_error(f, channel, 13);
        return false;
    } else if (method == NVA140_LOAD_INLINE_DATA && f->kinds) {
        fake_upload(f, channel, vaspace, data);
    } else if (method == NVC46F_NON_STALL_INTERRUPT) {
        const uint64_t one = 1;

        f->asked++;
        if (f->told && !f->deaf) {
            g_assert_cmpint(write(f->event, &one, sizeof(one)), ==,
                            sizeof(one));
        }
    } else if (method == NVC46F_SET_OBJECT || method == 0x100) {
        if (data == FAKE_HANG && !f->go) {
            return false;
        }
        g_array_append_val(f->seen, data);
        if (data == FAKE_FAULT || data == FAKE_EXCEPTION) {
            fake_error(f, channel, data == FAKE_FAULT ? 31 : 13);
            return false;
        }
    }
    return true;
}

static inline void fake_fetch(FakeRm *f, FakeObject *channel)
{
    FakeObject *userd = fake_find(f, channel->userd);
    uint32_t put = __atomic_load_n((uint32_t *)(userd->memory +
                                                NVC46F_USERD_GP_PUT),
                                   __ATOMIC_ACQUIRE);
    NvHandle vaspace = channel->vaspace;

    g_assert_cmpuint(put, <, channel->entries);
    while (channel->get != put && !channel->dead) {
        const uint32_t *e = (void *)fake_va(f, vaspace, channel->ring +
                                            channel->get * 8);
        VgspGpEntry entry = vgsp_gp_entry_decode(e[0], e[1]);
        uint32_t pos = 0, sem[5] = { 0 };
        const uint32_t *words;
        VgspPushbuf pb;

        g_assert_cmpint(entry.op, ==, VGSP_GP_SEGMENT);
        words = (void *)fake_va(f, vaspace, entry.va);
        g_assert_nonnull(words);
        vgsp_pb_init(&pb);
        while (pos < entry.count) {
            size_t used;
            VgspPbRun run;

            if (vgsp_pb_next(&pb, words + pos, entry.count - pos, &used,
                             &run) != VGSP_PB_METHODS) {
                break;
            }
            for (uint32_t i = 0; i < run.count; i++) {
                if (!fake_method(f, channel, vaspace, sem,
                                 vgsp_pb_run_method(&run, i) * 4,
                                 run.data[i])) {
                    return;
                }
            }
            pos += (uint32_t)(used + vgsp_pb_advance(&pb, run.count));
        }
        channel->get = (channel->get + 1) % channel->entries;
    }
}

static inline gpointer fake_chip(gpointer opaque)
{
    FakeRm *f = opaque;

    for (;;) {
        GHashTableIter iter;
        gpointer o;

        g_mutex_lock(&f->lock);
        if (f->quit) {
            g_mutex_unlock(&f->lock);
            return NULL;
        }
        g_hash_table_iter_init(&iter, f->objects);
        while (g_hash_table_iter_next(&iter, NULL, &o)) {
            FakeObject *channel = o;

            if (channel->cls == TURING_CHANNEL_GPFIFO_A &&
                channel->scheduled && !channel->dead) {
                fake_fetch(f, channel);
            }
        }
        g_mutex_unlock(&f->lock);
        g_usleep(10);
    }
}

#endif
