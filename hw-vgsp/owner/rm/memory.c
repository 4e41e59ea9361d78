/*
 * Memory: the user's, pinned by the driver in chunks when they are mapped
 * first, so that an emulated card's memory costs what is used of it; and the
 * driver's own, for rings and notifiers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "owner/rm/rm-int.h"

RmMemory *rm_memory_new(VgspRm *rm, void *host, uint64_t size)
{
    RmMemory *m = g_new0(RmMemory, 1);

    (void)rm;
    m->host = host;
    m->size = size;
    m->chunks = (size_t)((size + RM_CHUNK - 1) / RM_CHUNK);
    m->chunk = g_new0(NvHandle, m->chunks);
    g_mutex_init(&m->lock);
    return m;
}

void rm_memory_free(VgspRm *rm, RmMemory *m)
{
    for (size_t i = 0; i < m->chunks; i++) {
        rm_free(rm, rm->device, &m->chunk[i]);
    }
    g_mutex_clear(&m->lock);
    g_free(m->chunk);
    g_free(m);
}

static int pin(VgspRm *rm, void *host, uint64_t size, NvHandle *handle)
{
    nv_ioctl_nvos02_parameters_with_fd p = {
        .params = {
            .hRoot = rm->client,
            .hObjectParent = rm->device,
            .hObjectNew = rm_new_handle(rm),
            .hClass = NV01_MEMORY_SYSTEM_OS_DESCRIPTOR,
            .flags = NVOS02_FLAGS_PHYSICALITY_NONCONTIGUOUS |
                     NVOS02_FLAGS_COHERENCY_CACHED |
                     NVOS02_FLAGS_ALLOC_NONE | NVOS02_FLAGS_MAPPING_NO_MAP,
            .pMemory = (uintptr_t)host,
            .limit = size - 1,
        },
        .fd = -1,
    };
    int ret = rm_ioctl(rm, rm->dev, NV_ESC_RM_ALLOC_MEMORY, &p, sizeof(p));

    if (ret == 0 && p.params.status) {
        rm_log(rm, "the driver cannot lock %" G_GUINT64_FORMAT " KiB of "
               "memory: status 0x%x", size >> 10, p.params.status);
        ret = rm_errno(p.params.status);
    }
    if (ret == 0) {
        *handle = p.params.hObjectNew;
    }
    return ret;
}

int rm_memory_chunk(VgspRm *rm, RmMemory *m, uint64_t offset,
                    NvHandle *handle)
{
    size_t i = (size_t)(offset / RM_CHUNK);
    int ret = 0;

    g_mutex_lock(&m->lock);
    if (!m->chunk[i]) {
        uint64_t start = i * RM_CHUNK;

        ret = pin(rm, m->host + start, MIN(RM_CHUNK, m->size - start),
                  &m->chunk[i]);
    }
    *handle = m->chunk[i];
    g_mutex_unlock(&m->lock);
    return ret;
}

int rm_memory_system(VgspRm *rm, uint64_t size, NvHandle *handle,
                     RmMapping *mapping)
{
    RmAllocParams p = {
        .memory = {
            .owner = RM_OWNER,
            .attr = NVOS32_ATTR_LOCATION_PCI |
                    NVOS32_ATTR_PHYSICALITY_NONCONTIGUOUS |
                    NVOS32_ATTR_COHERENCY_CACHED,
            .size = size,
        },
    };
    int ret = rm_alloc(rm, rm->device, handle, NV01_MEMORY_SYSTEM, &p);

    if (ret == 0) {
        ret = rm_map_cpu(rm, rm->device, *handle, size, 0, false, mapping);
        if (ret < 0) {
            rm_free(rm, rm->device, handle);
        }
    }
    if (ret == 0) {
        memset(mapping->ptr, 0, size);
    }
    return ret;
}

int vgsp_rm_memory_add(VgspRm *rm, void *host, uint64_t size, uint32_t *id)
{
    RmMemory *m;

    if (!size || size % RM_PAGE || (uintptr_t)host % RM_PAGE) {
        return -EINVAL;
    }
    m = rm_memory_new(rm, host, size);
    g_rw_lock_writer_lock(&rm->table);
    m->id = *id = ++rm->ids;
    g_hash_table_insert(rm->memories, GUINT_TO_POINTER(m->id), m);
    g_rw_lock_writer_unlock(&rm->table);
    return 0;
}

int vgsp_rm_memory_del(VgspRm *rm, uint32_t id)
{
    GHashTableIter iter;
    gpointer space;
    RmMemory *m;

    g_rw_lock_writer_lock(&rm->table);
    m = g_hash_table_lookup(rm->memories, GUINT_TO_POINTER(id));
    if (m) {
        g_hash_table_remove(rm->memories, GUINT_TO_POINTER(id));
        g_hash_table_iter_init(&iter, rm->spaces);
        while (g_hash_table_iter_next(&iter, NULL, &space)) {
            RmSpace *s = space;

            g_mutex_lock(&s->lock);
            rm_space_forget(s, m);
            g_mutex_unlock(&s->lock);
        }
    }
    g_rw_lock_writer_unlock(&rm->table);
    if (!m) {
        return -ENOENT;
    }
    rm_memory_free(rm, m);
    return 0;
}
