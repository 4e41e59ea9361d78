/*
 * A small resource manager for tests of owner/rm: it knows the requests that
 * the library makes, checks their sizes, handles and addresses, fails any of
 * them on demand, and has a chip (fake-rm-chip.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_FAKE_RM_H
#define TESTS_UNIT_FAKE_RM_H

#include "fake-rm-chip.h"

/* ---- Objects ---- */

/* What the driver takes for a context: 64 MiB at the lowest free address. */
static inline uint64_t fake_lowest(FakeRm *f, NvHandle vaspace)
{
    const uint64_t size = 64 << 20;
    uint64_t va = FAKE_START;
    bool moved;

    do {
        GHashTableIter iter;
        gpointer object;

        moved = false;
        if (va < 0x120000000 && va + size > 0x100000000) {
            va = 0x120000000;
            moved = true;
        }
        for (guint i = 0; i < f->mappings->len; i++) {
            FakeMapping *m = &g_array_index(f->mappings, FakeMapping, i);

            if (fake_find(f, m->dma)->vaspace == vaspace &&
                va < m->va + m->size && m->va < va + size) {
                va = m->va + m->size;
                moved = true;
            }
        }
        g_hash_table_iter_init(&iter, f->objects);
        while (g_hash_table_iter_next(&iter, NULL, &object)) {
            FakeObject *o = object;

            if (o->cls == NV50_MEMORY_VIRTUAL && o->vaspace == vaspace &&
                va < o->va + o->size && o->va < va + size) {
                va = o->va + o->size;
                moved = true;
            }
        }
    } while (moved);
    return va;
}

static inline void fake_object_free(gpointer object)
{
    FakeObject *o = object;

    if (o->own) {
        g_aligned_free(o->memory);
    }
    g_free(o);
}

static inline FakeObject *fake_add(FakeRm *f, NvHandle handle,
                                   NvHandle parent, uint32_t cls,
                                   uint64_t size)
{
    FakeObject *o = g_new0(FakeObject, 1);

    g_assert_null(fake_find(f, handle));
    g_assert_true(!parent || fake_find(f, parent));
    *o = (FakeObject) {
        .handle = handle, .parent = parent, .cls = cls, .size = size,
    };
    if (size) {
        o->memory = g_aligned_alloc0(1, size, 4096);
        o->own = true;
    }
    g_hash_table_insert(f->objects, GUINT_TO_POINTER(handle), o);
    return o;
}

static inline void fake_remove(FakeRm *f, NvHandle handle)
{
    for (guint i = f->mappings->len; i-- > 0;) {
        FakeMapping *m = &g_array_index(f->mappings, FakeMapping, i);

        /* The driver unmaps by itself; the library does it for memory. */
        if (m->dma == handle) {
            g_array_remove_index_fast(f->mappings, i);
        } else {
            g_assert_cmpuint(m->memory, !=, handle);
        }
    }
    for (;;) {
        GHashTableIter iter;
        gpointer o;
        NvHandle child = 0;

        g_hash_table_iter_init(&iter, f->objects);
        while (!child && g_hash_table_iter_next(&iter, NULL, &o)) {
            if (((FakeObject *)o)->parent == handle) {
                child = ((FakeObject *)o)->handle;
            }
        }
        if (!child) {
            break;
        }
        fake_remove(f, child);
    }
    g_hash_table_remove(f->objects, GUINT_TO_POINTER(handle));
}

static inline uint32_t fake_alloc(FakeRm *f, NVOS64_PARAMETERS *p)
{
    const RmAllocParams *a = (void *)(uintptr_t)p->pAllocParms;
    FakeObject *o;

    if (p->hClass == NV01_ROOT_CLIENT) {
        p->hObjectNew = 0xc1d00001;
    } else {
        g_assert_nonnull(fake_find(f, p->hObjectParent));
    }
    g_assert_true(a || (p->hClass != NV01_MEMORY_SYSTEM &&
                        p->hClass != FERMI_VASPACE_A));
    switch (p->hClass) {
    case NV01_MEMORY_SYSTEM:
        g_assert_cmpuint(a->memory.owner, !=, 0);
        fake_add(f, p->hObjectNew, p->hObjectParent, p->hClass,
                 a->memory.size);
        break;
    case HOPPER_USERMODE_A:
    case TURING_USERMODE_A:
        g_assert_true(!a == (p->hClass == TURING_USERMODE_A));
        fake_add(f, p->hObjectNew, p->hObjectParent, p->hClass, NVC361_SIZE);
        break;
    case NV01_MEMORY_VIRTUAL:
        g_assert_nonnull(fake_find(f, a->window.hVASpace));
        o = fake_add(f, p->hObjectNew, p->hObjectParent, p->hClass, 0);
        o->vaspace = a->window.hVASpace;
        break;
    case NV50_MEMORY_VIRTUAL:
        g_assert_true(a->memory.flags & (NVOS32_ALLOC_FLAGS_SPARSE |
                                         NVOS32_ALLOC_FLAGS_LAZY));
        for (guint i = 0; i < f->mappings->len; i++) {
            FakeMapping *m = &g_array_index(f->mappings, FakeMapping, i);

            g_assert_true(fake_find(f, m->dma)->vaspace !=
                              a->memory.hVASpace ||
                          a->memory.offset >= m->va + m->size ||
                          m->va >= a->memory.offset + a->memory.size);
        }
        o = fake_add(f, p->hObjectNew, p->hObjectParent, p->hClass, 0);
        o->vaspace = a->memory.hVASpace;
        o->va = a->memory.offset;
        o->size = a->memory.size;
        break;
    case FERMI_VASPACE_A:
        fake_add(f, p->hObjectNew, p->hObjectParent, p->hClass, 0);
        ((RmAllocParams *)(uintptr_t)p->pAllocParms)->vaspace.vaBase =
            FAKE_START;
        break;
    case TURING_A:
    case HOPPER_A:
        o = fake_add(f, p->hObjectNew, p->hObjectParent, p->hClass, 0);
        f->driver_va = fake_lowest(f, fake_find(f, o->parent)->vaspace);
        break;
    case NV01_EVENT_OS_EVENT:
        g_assert_cmpuint(fake_find(f, a->event.hSrcResource)->cls, ==,
                         NV20_SUBDEVICE_0);
        g_assert_cmphex(a->event.notifyIndex, ==, 0x1800000c);
        g_assert_cmpuint(a->event.data, ==, FAKE_DEV);
        if (f->hide == p->hClass || !f->told) {
            return NV_ERR_OBJECT_NOT_FOUND;
        }
        fake_add(f, p->hObjectNew, p->hObjectParent, p->hClass, 0);
        break;
    case FERMI_CONTEXT_SHARE_A:
        o = fake_add(f, p->hObjectNew, p->hObjectParent, p->hClass, 0);
        o->vaspace = a->share.hVASpace;
        break;
    case TURING_CHANNEL_GPFIFO_A:
        g_assert_nonnull(fake_find(f, a->channel.hContextShare));
        g_assert_nonnull(fake_find(f, a->channel.hUserdMemory[0]));
        g_assert_nonnull(fake_find(f, a->channel.hObjectError));
        o = fake_add(f, p->hObjectNew, p->hObjectParent, p->hClass, 0);
        o->vaspace = fake_find(f, a->channel.hContextShare)->vaspace;
        o->ring = a->channel.gpFifoOffset;
        o->entries = a->channel.gpFifoEntries;
        o->userd = a->channel.hUserdMemory[0];
        o->notifier = a->channel.hObjectError;
        g_assert_cmpuint(o->ring + o->entries * 8, <, 1ull << 40);
        break;
    default:
        fake_add(f, p->hObjectNew, p->hObjectParent, p->hClass, 0);
    }
    return NV_OK;
}

/* ---- Controls ---- */

static inline uint32_t fake_classes(FakeRm *f,
                                    NV0080_CTRL_GPU_GET_CLASSLIST_PARAMS *p)
{
    const uint32_t all[] = {
        0xc46f, 0xc461, 0xc661, 0xc597, 0xc5c0, 0xcb97, 0xcbc0, 0x902d,
        0xa140, 0xa06c, 0x9067, 0x90f1,
    };
    uint32_t *list = (void *)(uintptr_t)p->classList;

    if (list) {
        g_assert_cmpuint(p->numClasses, ==, G_N_ELEMENTS(all));
        for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
            list[i] = all[i] == f->hide ? 0 : all[i];
        }
    }
    p->numClasses = G_N_ELEMENTS(all);
    return NV_OK;
}

static inline uint32_t fake_control(FakeRm *f, NVOS54_PARAMETERS *p)
{
    void *params = (void *)(uintptr_t)p->params;
    FakeObject *o = fake_find(f, p->hObject);
    GHashTableIter iter;
    gpointer child;

    g_assert_nonnull(o);
    switch (p->cmd) {
    case NV0000_CTRL_CMD_GPU_GET_ID_INFO_V2:
        g_assert_cmpuint(p->paramsSize, ==, 32);
        g_assert_cmpuint(((uint32_t *)params)[0], ==, 0x100);
        return NV_OK;
    case NV0080_CTRL_CMD_GPU_GET_CLASSLIST:
        g_assert_cmpuint(p->paramsSize, ==, 16);
        return fake_classes(f, params);
    case NV2080_CTRL_CMD_MC_GET_ARCH_INFO:
        g_assert_cmpuint(p->paramsSize, ==, 16);
        ((uint32_t *)params)[0] = f->architecture;
        return NV_OK;
    case NV2080_CTRL_CMD_GR_GET_GPC_MASK:
        ((NV2080_CTRL_GR_GET_GPC_MASK_PARAMS *)params)->gpcMask = 5;
        return NV_OK;
    case NV2080_CTRL_CMD_GR_GET_TPC_MASK:
        ((NV2080_CTRL_GR_GET_TPC_MASK_PARAMS *)params)->tpcMask = 7;
        return NV_OK;
    case NV2080_CTRL_CMD_TIMER_GET_TIME:
        *(uint64_t *)params = 1000ull * (uint64_t)g_get_monotonic_time();
        return NV_OK;
    case NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN:
        g_assert_cmpuint(o->cls, ==, TURING_CHANNEL_GPFIFO_A);
        *(uint32_t *)params = o->handle;
        return NV_OK;
    case NVA06C_CTRL_CMD_GPFIFO_SCHEDULE:
        g_assert_cmpuint(p->paramsSize, ==, f->major >= 575 ? 3 : 2);
        g_assert_cmpuint(o->cls, ==, KEPLER_CHANNEL_GROUP_A);
        g_hash_table_iter_init(&iter, f->objects);
        while (g_hash_table_iter_next(&iter, NULL, &child)) {
            if (((FakeObject *)child)->parent == o->handle) {
                ((FakeObject *)child)->scheduled = true;
            }
        }
        return NV_OK;
    case NVA06C_CTRL_CMD_SET_TIMESLICE:
        return NV_ERR_NOT_SUPPORTED;
    case 0x80180c:                          /* DMA_INVALIDATE_TLB */
        f->invalidates++;
        return NV_OK;
    case NV906F_CTRL_CMD_GET_MMU_FAULT_INFO:
        g_assert_cmpuint(p->paramsSize, ==, 104);
        ((uint32_t *)params)[0] = FAKE_FAULT_VA >> 32;
        ((uint32_t *)params)[1] = (uint32_t)FAKE_FAULT_VA;
        ((uint32_t *)params)[2] = 2;
        return NV_OK;
    default:
        g_error("control 0x%x is not known", p->cmd);
    }
}

/* ---- Mappings ---- */

static inline uint32_t fake_map(FakeRm *f, const NVOS46_PARAMETERS_580 *p)
{
    FakeObject *o = fake_find(f, p->hMemory), *dma = fake_find(f, p->hDma);
    FakeMapping m = {
        p->hDma, p->hMemory, p->dmaOffset, p->length, p->offset, p->flags,
        p->kindOverride,
    };

    g_assert_nonnull(o);
    g_assert_nonnull(dma);
    g_assert_cmpuint(dma->cls, ==, NV01_MEMORY_VIRTUAL);
    g_assert_true(p->flags & NVOS46_FLAGS_DMA_OFFSET_FIXED_TRUE);
    g_assert_cmpuint((p->length | p->offset | p->dmaOffset) % 4096, ==, 0);
    g_assert_cmpuint(p->offset + p->length, <=, o->size);
    for (guint i = 0; i < f->mappings->len; i++) {
        FakeMapping *other = &g_array_index(f->mappings, FakeMapping, i);

        if (m.va < other->va + other->size && other->va < m.va + m.size &&
            fake_find(f, other->dma)->vaspace == dma->vaspace) {
            return NV_ERR_NO_MEMORY;
        }
    }
    /* What the driver keeps for itself. */
    if (m.va < 0x120000000 && m.va + m.size > 0x100000000) {
        return NV_ERR_NO_MEMORY;
    }
    g_array_append_val(f->mappings, m);
    return NV_OK;
}

static inline uint32_t fake_unmap(FakeRm *f, NvHandle dma, NvHandle memory,
                                  uint64_t va)
{
    for (guint i = 0; i < f->mappings->len; i++) {
        FakeMapping *m = &g_array_index(f->mappings, FakeMapping, i);

        if (m->dma == dma && m->va == va) {
            g_assert_cmpuint(m->memory, ==, memory);
            g_array_remove_index_fast(f->mappings, i);
            return NV_OK;
        }
    }
    g_error("0x%" G_GINT64_MODIFIER "x is not mapped", va);
}

/* ---- The operating system ---- */

static inline bool fake_fails(FakeRm *f)
{
    return ++f->calls == f->fail_at;
}

static inline int fake_open(void *opaque, const char *path)
{
    FakeRm *f = opaque;
    int fd = -EACCES;

    g_mutex_lock(&f->lock);
    if (!g_strcmp0(f->absent, path)) {
        fd = -ENOENT;
    } else if (!fake_fails(f)) {
        fd = f->next_fd++;
        g_hash_table_insert(f->fds, GINT_TO_POINTER(fd), GUINT_TO_POINTER(1));
    }
    g_mutex_unlock(&f->lock);
    return fd;
}

static inline void fake_close(void *opaque, int fd)
{
    FakeRm *f = opaque;

    g_mutex_lock(&f->lock);
    g_assert_true(g_hash_table_remove(f->fds, GINT_TO_POINTER(fd)));
    g_mutex_unlock(&f->lock);
}

static inline uint32_t fake_request(FakeRm *f, unsigned nr, void *arg,
                                    size_t size, uint32_t **status)
{
    union {
        NVOS00_PARAMETERS *free;
        nv_ioctl_nvos02_parameters_with_fd *memory;
        NVOS64_PARAMETERS *alloc;
        nv_ioctl_nvos33_parameters_with_fd *map;
        NVOS34_PARAMETERS *unmap;
        NVOS46_PARAMETERS_535 *dma_535;
        NVOS46_PARAMETERS_580 *dma_580;
        NVOS47_PARAMETERS_535 *undma_535;
        NVOS47_PARAMETERS_550 *undma_550;
        NVOS54_PARAMETERS *control;
        void *arg;
    } a = { .arg = arg };
    NVOS46_PARAMETERS_580 dma;
    FakeObject *o;

    switch (nr) {
    case NV_ESC_RM_FREE:
        g_assert_cmpuint(size, ==, 16);
        *status = &a.free->status;
        o = fake_find(f, a.free->hObjectOld);
        g_assert_nonnull(o);
        g_assert_true(o->cls == NV01_ROOT_CLIENT ||
                      o->parent == a.free->hObjectParent);
        fake_remove(f, a.free->hObjectOld);
        return NV_OK;
    case NV_ESC_RM_ALLOC_MEMORY:
        g_assert_cmpuint(size, ==, 56);
        *status = &a.memory->params.status;
        o = fake_add(f, a.memory->params.hObjectNew,
                     a.memory->params.hObjectParent,
                     a.memory->params.hClass, 0);
        o->memory = (void *)(uintptr_t)a.memory->params.pMemory;
        o->size = a.memory->params.limit + 1;
        return NV_OK;
    case NV_ESC_RM_ALLOC:
        g_assert_cmpuint(size, ==, 48);
        *status = &a.alloc->status;
        return fake_alloc(f, a.alloc);
    case NV_ESC_RM_MAP_MEMORY:
        g_assert_cmpuint(size, ==, 56);
        *status = &a.map->params.status;
        g_assert_nonnull(fake_find(f, a.map->params.hMemory));
        g_hash_table_insert(f->fds, GINT_TO_POINTER(a.map->fd),
                            GUINT_TO_POINTER(1 + a.map->params.hMemory));
        f->cpu_maps++;
        return NV_OK;
    case NV_ESC_RM_UNMAP_MEMORY:
        g_assert_cmpuint(size, ==, 32);
        *status = &a.unmap->status;
        f->cpu_maps--;
        return NV_OK;
    case NV_ESC_RM_MAP_MEMORY_DMA:
        if (f->major >= 580) {
            g_assert_cmpuint(size, ==, 64);
            *status = &a.dma_580->status;
            return fake_map(f, a.dma_580);
        }
        g_assert_cmpuint(size, ==, 56);
        *status = &a.dma_535->status;
        dma = (NVOS46_PARAMETERS_580) {
            .hDma = a.dma_535->hDma, .hMemory = a.dma_535->hMemory,
            .offset = a.dma_535->offset, .length = a.dma_535->length,
            .flags = a.dma_535->flags, .dmaOffset = a.dma_535->dmaOffset,
        };
        return fake_map(f, &dma);
    case NV_ESC_RM_UNMAP_MEMORY_DMA:
        if (f->major >= 550) {
            g_assert_cmpuint(size, ==, 48);
            *status = &a.undma_550->status;
        } else {
            g_assert_cmpuint(size, ==, 40);
            *status = &a.undma_535->status;
        }
        return fake_unmap(f, a.undma_550->hDma, a.undma_550->hMemory,
                          a.undma_550->dmaOffset);
    case NV_ESC_RM_CONTROL:
        g_assert_cmpuint(size, ==, 32);
        *status = &a.control->status;
        return fake_control(f, a.control);
    default:
        g_error("request 0x%x is not known", nr);
    }
}

static inline bool fake_device_only(unsigned nr)
{
    return nr == NV_ESC_RM_ALLOC_MEMORY || nr == NV_ESC_REGISTER_FD ||
           nr == NV_ESC_ALLOC_OS_EVENT;
}

static inline int fake_ioctl(void *opaque, int fd, unsigned nr, void *arg,
                             size_t size)
{
    FakeRm *f = opaque;
    uint32_t *status, result;
    int ret = 0;

    g_mutex_lock(&f->lock);
    g_assert_true(g_hash_table_contains(f->fds, GINT_TO_POINTER(fd)));
    /* The first node that was opened is the control node. */
    g_assert_true((fd != 100) == fake_device_only(nr));
    /* Nobody can do anything about it when a free fails. */
    if (nr != NV_ESC_RM_FREE && nr != NV_ESC_RM_UNMAP_MEMORY &&
        nr != NV_ESC_RM_UNMAP_MEMORY_DMA && fake_fails(f) &&
        !f->fail_status) {
        ret = -EINVAL;
    } else if (nr == NV_ESC_REGISTER_FD) {
        g_assert_cmpuint(size, ==, 4);
        g_assert_cmpint(*(int *)arg, ==, 100);
    } else if (nr == NV_ESC_CHECK_VERSION_STR) {
        g_assert_cmpuint(size, ==, 72);
        g_strlcpy(((nv_ioctl_rm_api_version_t *)arg)->versionString,
                  f->version, 64);
    } else if (nr == NV_ESC_CARD_INFO) {
        nv_ioctl_card_info_t *card = arg;

        g_assert_cmpuint(size % sizeof(*card), ==, 0);
        card[3] = (nv_ioctl_card_info_t) {
            .valid = 1, .gpu_id = 0x100, .minor_number = 0,
        };
    } else if (nr == NV_ESC_ALLOC_OS_EVENT) {
        nv_ioctl_alloc_os_event_t *event = arg;

        g_assert_cmpuint(size, ==, 16);
        g_assert_cmpuint(event->fd, ==, FAKE_DEV);
        g_assert_cmpuint(fake_find(f, event->hClient)->cls, ==,
                         NV01_ROOT_CLIENT);
        f->told = true;
    } else if (f->calls == f->fail_at && f->fail_status &&
               nr == NV_ESC_RM_CONTROL) {
        ((NVOS54_PARAMETERS *)arg)->status = f->fail_status;
    } else if (f->calls == f->fail_at && f->fail_status &&
               nr == NV_ESC_RM_ALLOC) {
        ((NVOS64_PARAMETERS *)arg)->status = f->fail_status;
    } else {
        result = fake_request(f, nr, arg, size, &status);
        *status = result;
    }
    g_mutex_unlock(&f->lock);
    return ret;
}

static inline void *fake_mmap(void *opaque, int fd, size_t size)
{
    FakeRm *f = opaque;
    void *ptr = NULL;

    g_mutex_lock(&f->lock);
    if (!fake_fails(f)) {
        NvHandle h = GPOINTER_TO_UINT(g_hash_table_lookup(
                         f->fds, GINT_TO_POINTER(fd))) - 1;
        FakeObject *o = fake_find(f, h);

        g_assert_cmpuint(size, ==, o->size);
        ptr = o->memory;
        f->mapped += size;
    }
    g_mutex_unlock(&f->lock);
    return ptr;
}

static inline void fake_munmap(void *opaque, void *ptr, size_t size)
{
    FakeRm *f = opaque;

    (void)ptr;
    g_mutex_lock(&f->lock);
    f->mapped -= size;
    g_mutex_unlock(&f->lock);
}

static inline int fake_wait(void *opaque, int wake, int fd,
                            int64_t timeout_us)
{
    FakeRm *f = opaque;
    struct pollfd fds[] = {
        { .fd = wake, .events = POLLIN }, { .fd = f->event, .events = POLLIN },
    };
    uint64_t count;
    int ret = 0;

    g_assert_true(fd == -1 || fd == FAKE_DEV);
    __atomic_add_fetch(&f->waits, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&f->blocks, fd >= 0, __ATOMIC_RELAXED);
    poll(fds, fd < 0 ? 1 : 2,
         timeout_us < 0 ? -1 : MAX((int)(timeout_us / 1000), 1));
    if (fd >= 0 && read(f->event, &count, sizeof(count)) > 0) {
        ret |= RM_WAKE_EVENT;
    }
    if (read(wake, &count, sizeof(count)) > 0) {
        ret |= RM_WAKE_CALL;
    }
    return ret;
}

static const RmOs fake_os = {
    .open = fake_open,
    .close = fake_close,
    .ioctl = fake_ioctl,
    .mmap = fake_mmap,
    .munmap = fake_munmap,
    .wait = fake_wait,
};

static inline FakeRm *fake_new(const char *version, uint32_t architecture)
{
    FakeRm *f = g_new0(FakeRm, 1);

    g_mutex_init(&f->lock);
    f->version = version;
    f->major = (unsigned)g_ascii_strtoull(version, NULL, 10);
    f->architecture = architecture;
    f->next_fd = 100;
    f->objects = g_hash_table_new_full(NULL, NULL, NULL, fake_object_free);
    f->mappings = g_array_new(false, false, sizeof(FakeMapping));
    f->fds = g_hash_table_new(NULL, NULL);
    f->seen = g_array_new(false, false, sizeof(uint32_t));
    f->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    g_assert_cmpint(f->event, >=, 0);
    f->chip = g_thread_new("fake-chip", fake_chip, f);
    return f;
}

/* Whatever the library made must be gone. */
static inline void fake_free(FakeRm *f)
{
    g_mutex_lock(&f->lock);
    f->quit = true;
    g_mutex_unlock(&f->lock);
    g_thread_join(f->chip);
    g_assert_cmpuint(g_hash_table_size(f->objects), ==, 0);
    g_assert_cmpuint(f->mappings->len, ==, 0);
    g_assert_cmpuint(g_hash_table_size(f->fds), ==, 0);
    g_assert_cmpuint(f->cpu_maps, ==, 0);
    g_assert_cmpuint(f->mapped, ==, 0);
    g_hash_table_destroy(f->objects);
    g_hash_table_destroy(f->fds);
    g_array_free(f->mappings, true);
    g_array_free(f->seen, true);
    close(f->event);
    g_mutex_clear(&f->lock);
    g_free(f);
}

#endif
