/*
 * Buffers (memfd each, shared with the driver's mmap) and address spaces: the
 * mappings of VM_BIND, kept here for host and copy engine and handed to the
 * model as the owner's map operations.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>
#include "shim.h"
#include "vgsp/kind.h"

static GHashTable *bos;
static uint32_t next_handle = 1;

ShimBo *shim_bo_new(uint64_t size)
{
    ShimBo *bo;

    size = VGSP_ALIGN_UP(size, SHIM_PAGE);
    if (!size) {
        return NULL;
    }
    bo = g_new0(ShimBo, 1);
    bo->refs = 1;
    bo->size = size;
    bo->fd = memfd_create("vgsp-shim-bo", MFD_CLOEXEC);
    if (bo->fd < 0 || ftruncate(bo->fd, size)) {
        goto fail;
    }
    bo->host = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bo->fd, 0);
    if (bo->host == MAP_FAILED) {
        goto fail;
    }
    if (vgsp_model_memory_add(shim_model, bo->host, size, &bo->memory)) {
        munmap(bo->host, size);
        goto fail;
    }
    shim_record_memory(bo, true);
    bo->handle = next_handle++;
    if (!bos) {
        bos = g_hash_table_new(NULL, NULL);
    }
    g_hash_table_insert(bos, GUINT_TO_POINTER(bo->handle), bo);
    return bo;

fail:
    if (bo->fd >= 0) {
        close(bo->fd);
    }
    g_free(bo);
    return NULL;
}

static void unref(ShimBo *bo)
{
    if (--bo->refs) {
        return;
    }
    vgsp_model_memory_del(shim_model, bo->memory);
    shim_record_memory(bo, false);
    munmap(bo->host, bo->size);
    close(bo->fd);
    g_free(bo);
}

ShimBo *shim_bo_find(uint32_t handle)
{
    return bos ? g_hash_table_lookup(bos, GUINT_TO_POINTER(handle)) : NULL;
}

int shim_bo_close(uint32_t handle)
{
    ShimBo *bo = shim_bo_find(handle);

    if (!bo) {
        return -EINVAL;
    }
    g_hash_table_remove(bos, GUINT_TO_POINTER(handle));
    unref(bo);
    return 0;
}

uint64_t shim_bo_map_handle(const ShimBo *bo)
{
    return SHIM_MAP_HANDLE_BASE | (uint64_t)bo->handle * SHIM_PAGE;
}

ShimBo *shim_bo_find_map(uint64_t map_handle)
{
    return shim_bo_find((map_handle & ~SHIM_MAP_HANDLE_BASE) / SHIM_PAGE);
}

/* ---- Spaces ---- */

ShimSpace *shim_space_new(void)
{
    ShimSpace *s = g_new0(ShimSpace, 1);

    if (vgsp_model_space_new(shim_model, &s->id)) {
        g_free(s);
        return NULL;
    }
    shim_record_space(s->id, true);
    g_mutex_init(&s->lock);
    s->mappings = g_array_new(FALSE, FALSE, sizeof(ShimMapping));
    s->sparse = g_array_new(FALSE, FALSE, sizeof(ShimMapping));
    return s;
}

void shim_space_free(ShimSpace *s)
{
    vgsp_model_space_del(shim_model, s->id);
    shim_record_space(s->id, false);
    for (guint i = 0; i < s->mappings->len; i++) {
        unref(g_array_index(s->mappings, ShimMapping, i).bo);
    }
    g_array_free(s->mappings, TRUE);
    g_array_free(s->sparse, TRUE);
    g_mutex_clear(&s->lock);
    g_free(s);
}

/* Takes [va, va + size) out of the mappings. */
static void cut(GArray *list, uint64_t va, uint64_t size)
{
    uint64_t end = va + size;

    for (guint i = 0; i < list->len;) {
        ShimMapping *m = &g_array_index(list, ShimMapping, i);
        ShimMapping tail = *m;
        uint64_t m_end = m->va + m->size;

        if (m_end <= va || m->va >= end) {
            i++;
            continue;
        }
        tail.va = end;
        tail.size = m_end > end ? m_end - end : 0;
        tail.offset += end - m->va;
        if (m->va < va) {
            m->size = va - m->va;
            if (tail.size) {
                if (tail.bo) {
                    tail.bo->refs++;
                }
                g_array_insert_val(list, i + 1, tail);
            }
            i++;
        } else if (tail.size) {
            *m = tail;
            i++;
        } else {
            if (m->bo) {
                unref(m->bo);
            }
            g_array_remove_index(list, i);
        }
    }
}

static void insert(GArray *list, const ShimMapping *m)
{
    guint i = 0;

    while (i < list->len && g_array_index(list, ShimMapping, i).va < m->va) {
        i++;
    }
    g_array_insert_vals(list, i, m, 1);
}

/* The model first: what it no longer reaches may then be freed. */
static int apply(ShimSpace *s, const struct vgsp_owner_map_op *ops, size_t n)
{
    int r = vgsp_model_map(shim_model, s->id, ops, n);

    if (!r) {
        shim_record_map(s->id, ops, n);
    }
    return r;
}

int shim_space_map(ShimSpace *s, uint64_t va, uint64_t size, ShimBo *bo,
                   uint64_t offset, uint8_t kind)
{
    struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_MAP,
        .va = va,
        .size = size,
        .memory = bo->memory,
        .offset = offset,
    };
    int r;

    /* An owner is given uncompressed kinds. */
    if (!vgsp_kind_plain(kind, &op.kind)) {
        return -EINVAL;
    }
    if (!vgsp_range_ok(offset, size, bo->size)) {
        return -EINVAL;
    }
    r = apply(s, &op, 1);
    if (r) {
        return r;
    }
    g_mutex_lock(&s->lock);
    bo->refs++;
    cut(s->mappings, va, size);
    insert(s->mappings, &(ShimMapping) { va, size, bo, offset });
    g_mutex_unlock(&s->lock);
    return 0;
}

/* Unmapped parts of a reservation read as zeros again. */
int shim_space_unmap(ShimSpace *s, uint64_t va, uint64_t size)
{
    g_autoptr(GArray) ops = g_array_new(FALSE, TRUE,
                                        sizeof(struct vgsp_owner_map_op));
    struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_UNMAP, .va = va, .size = size,
    };
    int r;

    g_array_append_val(ops, op);
    op.op = VGSP_OWNER_SPARSE;
    for (guint i = 0; i < s->sparse->len; i++) {
        ShimMapping *m = &g_array_index(s->sparse, ShimMapping, i);

        op.va = MAX(m->va, va);
        op.size = MIN(m->va + m->size, va + size) - op.va;
        if (m->va < va + size && va < m->va + m->size) {
            g_array_append_val(ops, op);
        }
    }
    r = apply(s, (void *)ops->data, ops->len);
    if (!r) {
        g_mutex_lock(&s->lock);
        cut(s->mappings, va, size);
        g_mutex_unlock(&s->lock);
    }
    return r;
}

int shim_space_sparse(ShimSpace *s, uint64_t va, uint64_t size, bool reserve)
{
    g_mutex_lock(&s->lock);
    cut(s->sparse, va, size);
    if (reserve) {
        insert(s->sparse, &(ShimMapping) { va, size, NULL, 0 });
    }
    g_mutex_unlock(&s->lock);
    return shim_space_unmap(s, va, size);
}

/* ---- Access ---- */

static const ShimMapping *lookup(const GArray *list, uint64_t va)
{
    guint lo = 0, hi = list->len;

    while (lo < hi) {
        guint mid = (lo + hi) / 2;
        const ShimMapping *m = &g_array_index(list, ShimMapping, mid);

        if (va < m->va) {
            hi = mid;
        } else if (va - m->va >= m->size) {
            lo = mid + 1;
        } else {
            return m;
        }
    }
    return NULL;
}

static bool access_space(ShimSpace *s, uint64_t va, uint8_t *buf, size_t len,
                         bool is_write)
{
    bool ok = true;

    g_mutex_lock(&s->lock);
    while (len) {
        const ShimMapping *m = lookup(s->mappings, va);
        const ShimMapping *sparse = m ? NULL : lookup(s->sparse, va);
        size_t n;

        if (!m && !sparse) {
            ok = false;
            break;
        }
        n = MIN(len, m ? m->va + m->size - va : SHIM_PAGE - va % SHIM_PAGE);
        if (m) {
            uint8_t *host = m->bo->host + m->offset + (va - m->va);

            memcpy(is_write ? host : buf, is_write ? buf : host, n);
        } else if (!is_write) {
            memset(buf, 0, n);
        }
        va += n;
        buf += n;
        len -= n;
    }
    g_mutex_unlock(&s->lock);
    return ok;
}

bool shim_space_read(ShimSpace *s, uint64_t va, void *buf, size_t len)
{
    return access_space(s, va, buf, len, false);
}

bool shim_space_write(ShimSpace *s, uint64_t va, const void *buf, size_t len)
{
    return access_space(s, va, (uint8_t *)buf, len, true);
}
