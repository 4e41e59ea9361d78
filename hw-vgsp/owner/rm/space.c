/*
 * Address spaces: what is mapped where, kept as the guest's ranges, each of
 * them one mapping of the driver's at a fixed address. The driver can neither
 * replace a mapping nor, before release 550, split one: both are done by
 * taking it away and making it anew, while nothing of the space runs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "owner/rm/rm-int.h"
#include "vgsp/nv/dev_mmu.h"

#define NV0080_CTRL_CMD_DMA_INVALIDATE_TLB  0x0080180c
typedef struct NV0080_CTRL_DMA_INVALIDATE_TLB_PARAMS {
    NvHandle hVASpace;
    uint32_t flags;
} NV0080_CTRL_DMA_INVALIDATE_TLB_PARAMS;

#define QUIESCE_US      (2 * G_USEC_PER_SEC)

typedef struct RmRange {
    uint64_t va, size;
    RmMemory *memory;           /* NULL: sparse; else within one chunk */
    uint64_t offset;            /* into memory */
    uint32_t flags, kind;
    uint32_t shadow;            /* page of the pool that is mapped, plus 1 */
    NvHandle sparse;
} RmRange;

/* ---- The driver's mappings ---- */

int rm_space_map_fixed(RmSpace *s, NvHandle dma, NvHandle memory,
                       uint64_t offset, uint64_t size, uint64_t va,
                       uint32_t flags, uint32_t kind, bool defer)
{
    VgspRm *rm = s->rm;
    NVOS46_PARAMETERS_580 p = {
        .hClient = rm->client,
        .hDevice = rm->device,
        .hDma = dma,
        .hMemory = memory,
        .offset = offset,
        .length = size,
        .flags = flags | NVOS46_FLAGS_CACHE_SNOOP_ENABLE |
                 NVOS46_FLAGS_PAGE_SIZE_4KB |
                 NVOS46_FLAGS_DMA_OFFSET_FIXED_TRUE |
                 (kind ? NVOS46_FLAGS_PAGE_KIND_OVERRIDE_YES : 0) |
                 (defer ? NVOS46_FLAGS_DEFER_TLB_INVALIDATION : 0),
        .kindOverride = kind,
        .dmaOffset = va,
    };
    uint64_t at;
    uint32_t status;
    int ret;

    if (rm->release->map_kind) {
        ret = rm_ioctl(rm, rm->ctl, NV_ESC_RM_MAP_MEMORY_DMA, &p, sizeof(p));
        at = p.dmaOffset;
        status = p.status;
    } else {
        NVOS46_PARAMETERS_535 old = {
            .hClient = p.hClient,
            .hDevice = p.hDevice,
            .hDma = p.hDma,
            .hMemory = p.hMemory,
            .offset = p.offset,
            .length = p.length,
            .flags = p.flags,
            .dmaOffset = p.dmaOffset,
        };

        ret = rm_ioctl(rm, rm->ctl, NV_ESC_RM_MAP_MEMORY_DMA, &old,
                       sizeof(old));
        at = old.dmaOffset;
        status = old.status;
    }
    if (ret == 0 && status) {
        rm_log(rm, "the driver does not map 0x%" G_GINT64_MODIFIER "x bytes "
               "at 0x%" G_GINT64_MODIFIER "x, kind %u: status 0x%x", size, va,
               kind, status);
        ret = rm_errno(status);
    }
    if (ret == 0 && at != va) {
        rm_log(rm, "the driver mapped at 0x%" G_GINT64_MODIFIER "x what was "
               "to be at 0x%" G_GINT64_MODIFIER "x", at, va);
        rm_space_unmap_fixed(s, dma, memory, at, false);
        ret = -EIO;
    }
    return ret;
}

int rm_space_unmap_fixed(RmSpace *s, NvHandle dma, NvHandle memory,
                         uint64_t va, bool defer)
{
    VgspRm *rm = s->rm;
    uint32_t status;
    int ret;

    if (rm->release->unmap_size) {
        NVOS47_PARAMETERS_550 p = {
            .hClient = rm->client,
            .hDevice = rm->device,
            .hDma = dma,
            .hMemory = memory,
            .flags = defer,
            .dmaOffset = va,
        };

        ret = rm_ioctl(rm, rm->ctl, NV_ESC_RM_UNMAP_MEMORY_DMA, &p,
                       sizeof(p));
        status = p.status;
    } else {
        NVOS47_PARAMETERS_535 p = {
            .hClient = rm->client,
            .hDevice = rm->device,
            .hDma = dma,
            .hMemory = memory,
            .flags = defer,
            .dmaOffset = va,
        };

        ret = rm_ioctl(rm, rm->ctl, NV_ESC_RM_UNMAP_MEMORY_DMA, &p,
                       sizeof(p));
        status = p.status;
    }
    if (ret == 0 && status) {
        rm_log(rm, "the driver does not unmap 0x%" G_GINT64_MODIFIER "x: "
               "status 0x%x", va, status);
        ret = rm_errno(status);
    }
    return ret;
}

static int invalidate(RmSpace *s)
{
    NV0080_CTRL_DMA_INVALIDATE_TLB_PARAMS p = { .hVASpace = s->vaspace };

    return rm_control(s->rm, s->rm->device,
                      NV0080_CTRL_CMD_DMA_INVALIDATE_TLB, &p, sizeof(p));
}

int rm_space_take(RmSpace *s, uint64_t va, uint64_t size, uint32_t flags,
                  NvHandle *handle)
{
    RmAllocParams p = {
        .memory = {
            .owner = RM_OWNER,
            .flags = NVOS32_ALLOC_FLAGS_VIRTUAL |
                     NVOS32_ALLOC_FLAGS_FIXED_ADDRESS_ALLOCATE |
                     NVOS32_ALLOC_FLAGS_ALIGNMENT_FORCE | flags,
            .attr = NVOS32_ATTR_PAGE_SIZE_4KB,
            .size = size,
            .alignment = RM_PAGE,
            .offset = va,
            .hVASpace = s->vaspace,
        },
    };

    return rm_alloc(s->rm, s->rm->device, handle, NV50_MEMORY_VIRTUAL, &p);
}

/* ---- Ranges ---- */

static void range_object(RmSpace *s, const RmRange *r, RmMemory **memory,
                         uint64_t *offset)
{
    *memory = r->shadow ? s->shadow : r->memory;
    *offset = r->shadow ? (uint64_t)(r->shadow - 1) * RM_PAGE : r->offset;
}

static int range_up(RmSpace *s, RmRange *r, bool defer)
{
    NvHandle chunk;
    uint64_t offset;
    RmMemory *m;
    int ret;

    if (!r->memory) {
        return rm_space_take(s, r->va, r->size, NVOS32_ALLOC_FLAGS_SPARSE,
                             &r->sparse);
    }
    range_object(s, r, &m, &offset);
    ret = rm_memory_chunk(s->rm, m, offset, &chunk);
    return ret < 0 ? ret
                   : rm_space_map_fixed(s, s->window, chunk,
                                        offset % RM_CHUNK, r->size, r->va,
                                        r->flags & VGSP_OWNER_MAP_READ_ONLY
                                        ? NVOS46_FLAGS_ACCESS_READ_ONLY : 0,
                                        r->kind, defer);
}

static void range_down(RmSpace *s, RmRange *r)
{
    NvHandle chunk;
    uint64_t offset;
    RmMemory *m;

    if (!r->memory) {
        rm_free(s->rm, s->rm->device, &r->sparse);
        return;
    }
    range_object(s, r, &m, &offset);
    if (rm_memory_chunk(s->rm, m, offset, &chunk) == 0) {
        rm_space_unmap_fixed(s, s->window, chunk, r->va, false);
    }
}

static void shadow_release(RmSpace *s, RmRange *r)
{
    if (r->shadow) {
        rm_shadow_end(s, r->shadow - 1);
        r->shadow = 0;
    }
}

static int range_order(gconstpointer a, gconstpointer b, gpointer opaque)
{
    const RmRange *x = a, *y = b;

    (void)opaque;
    return x->va < y->va ? -1 : x->va > y->va;
}

/* The first range that ends above va. */
static GSequenceIter *range_at(RmSpace *s, uint64_t va)
{
    RmRange key = { .va = va };
    GSequenceIter *i = g_sequence_search(s->ranges, &key, range_order, NULL);

    if (!g_sequence_iter_is_begin(i)) {
        GSequenceIter *before = g_sequence_iter_prev(i);
        const RmRange *r = g_sequence_get(before);

        if (r->va + r->size > va) {
            return before;
        }
    }
    return i;
}

static RmRange *range_find(RmSpace *s, uint64_t va)
{
    GSequenceIter *i = range_at(s, va);
    RmRange *r;

    if (g_sequence_iter_is_end(i)) {
        return NULL;
    }
    r = g_sequence_get(i);
    return r->va <= va ? r : NULL;
}

static bool range_any(RmSpace *s, uint64_t va, uint64_t size)
{
    GSequenceIter *i = range_at(s, va);

    return !g_sequence_iter_is_end(i) &&
           ((RmRange *)g_sequence_get(i))->va < va + size;
}

static int range_add(RmSpace *s, const RmRange *what, bool defer)
{
    RmRange *r = g_memdup2(what, sizeof(*r));
    int ret = range_up(s, r, defer);

    if (ret < 0) {
        g_free(r);
        return ret;
    }
    g_sequence_insert_sorted(s->ranges, r, range_order, NULL);
    return 0;
}

/* Makes [va, va + size) free, keeping what lies beside it. */
static int carve(RmSpace *s, uint64_t va, uint64_t size, bool defer)
{
    uint64_t end = va + size;
    int ret = 0;

    for (;;) {
        GSequenceIter *i = range_at(s, va);
        RmRange r;

        if (g_sequence_iter_is_end(i)) {
            return ret;
        }
        r = *(RmRange *)g_sequence_get(i);
        if (r.va >= end) {
            return ret;
        }
        range_down(s, g_sequence_get(i));
        g_sequence_remove(i);
        if (r.va < va) {
            RmRange left = r;
            int error;

            left.size = va - r.va;
            left.sparse = 0;
            error = range_add(s, &left, defer);
            ret = ret ? ret : error;
        }
        if (r.va + r.size > end) {
            RmRange right = r;
            int error;

            right.va = end;
            right.size = r.va + r.size - end;
            right.offset += end - r.va;
            right.sparse = 0;
            error = range_add(s, &right, defer);
            ret = ret ? ret : error;
        }
        shadow_release(s, &r);
    }
}

/* Whether carving takes something away that is to stay mapped meanwhile. */
static bool disturbs(RmSpace *s, const struct vgsp_owner_map_op *op)
{
    uint64_t end = op->va + op->size;
    GSequenceIter *i = range_at(s, op->va);

    while (!g_sequence_iter_is_end(i)) {
        const RmRange *r = g_sequence_get(i);

        if (r->va >= end) {
            break;
        }
        if (op->op != VGSP_OWNER_UNMAP || r->va < op->va ||
            r->va + r->size > end) {
            return true;
        }
        i = g_sequence_iter_next(i);
    }
    return false;
}

/* ---- Map operations ---- */

static int check(RmSpace *s, const struct vgsp_owner_map_op *op,
                 const RmMemory *m)
{
    if (op->op > VGSP_OWNER_SPARSE ||
        op->flags & ~(VGSP_OWNER_MAP_READ_ONLY |
                      VGSP_OWNER_MAP_ATOMIC_DISABLE |
                      VGSP_OWNER_MAP_PRIVILEGED)) {
        return -EOPNOTSUPP;
    }
    if (!op->size || (op->va | op->size | op->offset) % RM_PAGE) {
        return -EINVAL;
    }
    if (op->size > RM_VA_LIMIT || op->va > RM_VA_LIMIT - op->size) {
        return -EOVERFLOW;
    }
    if (op->op == VGSP_OWNER_UNMAP) {
        return 0;
    }
    if (s->own && op->va < s->own + RM_OWN_SIZE &&
        s->own < op->va + op->size) {
        rm_log(s->rm, "0x%" G_GINT64_MODIFIER "x is mapped where the "
               "executor's own memory is", (uint64_t)op->va);
        return -EBUSY;
    }
    if (op->op == VGSP_OWNER_SPARSE) {
        return 0;
    }
    if (!m) {
        return -ENOENT;
    }
    if (op->offset > m->size || op->size > m->size - op->offset) {
        return -EOVERFLOW;
    }
    if (op->kind > NV_MMU_PTE_KIND_GENERIC_MEMORY) {
        return -EOPNOTSUPP;
    }
    if (op->kind && !s->rm->release->map_kind) {
        rm_log(s->rm, "NVIDIA driver %s cannot map page kind %u, 580 can",
               s->rm->version, op->kind);
        return -EOPNOTSUPP;
    }
    return 0;
}

static int map_memory(RmSpace *s, const struct vgsp_owner_map_op *op,
                      RmMemory *m, bool defer)
{
    int ret = 0;

    for (uint64_t done = 0; done < op->size && ret == 0;) {
        RmRange r = {
            .va = op->va + done,
            .memory = m,
            .offset = op->offset + done,
            .flags = op->flags,
            .kind = op->kind,
        };

        r.size = MIN(op->size - done, RM_CHUNK - r.offset % RM_CHUNK);
        ret = range_add(s, &r, defer);
        done += r.size;
    }
    return ret;
}

int rm_space_map(RmSpace *s, const struct vgsp_owner_map_op *ops,
                 size_t count, RmMemory **memories)
{
    bool defer = count > 1, maps = false;
    int ret = 0;

    for (size_t i = 0; i < count; i++) {
        ret = check(s, &ops[i], memories[i]);
        if (ret < 0) {
            return ret;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (disturbs(s, &ops[i])) {
            rm_space_quiesce(s);
            break;
        }
    }
    for (size_t i = 0; i < count && ret == 0; i++) {
        const struct vgsp_owner_map_op *op = &ops[i];

        ret = carve(s, op->va, op->size, defer);
        if (s->code) {
            vgsp_code_changed(s->code, op->va, op->size);
        }
        if (ret < 0 || op->op == VGSP_OWNER_UNMAP) {
            continue;
        }
        maps = true;
        if (op->op == VGSP_OWNER_SPARSE) {
            RmRange r = { .va = op->va, .size = op->size };

            ret = range_add(s, &r, defer);
        } else if (!(op->flags & VGSP_OWNER_MAP_PRIVILEGED)) {
            /* A privileged page is none for these channels: it faults. */
            ret = map_memory(s, op, memories[i], defer);
        }
    }
    if (defer && (maps || ret < 0)) {
        int error = invalidate(s);

        ret = ret ? ret : error;
    }
    return ret;
}

void rm_space_forget(RmSpace *s, const RmMemory *m)
{
    GSequenceIter *i = g_sequence_get_begin_iter(s->ranges);

    while (!g_sequence_iter_is_end(i)) {
        GSequenceIter *next = g_sequence_iter_next(i);
        RmRange *r = g_sequence_get(i);

        if (r->memory == m) {
            range_down(s, r);
            shadow_release(s, r);
            if (s->code) {
                vgsp_code_changed(s->code, r->va, r->size);
            }
            g_sequence_remove(i);
        }
        i = next;
    }
}

void rm_space_quiesce(RmSpace *s)
{
    int64_t end = g_get_monotonic_time() + QUIESCE_US;

    for (unsigned i = 0; i < s->contexts->len; i++) {
        while (!rm_ring_idle(g_ptr_array_index(s->contexts, i)) &&
               g_get_monotonic_time() < end) {
            g_usleep(20);
        }
    }
}

/* ---- What translation asks for ---- */

static const void *translate_page(void *opaque, uint64_t va)
{
    static const uint8_t zeros[RM_PAGE];
    RmSpace *s = opaque;
    const RmRange *r = range_find(s, va);

    if (!r) {
        return NULL;
    }
    if (r->shadow) {
        rm_shadow_merge(s, r->shadow - 1);
    }
    return r->memory ? r->memory->host + r->offset + (va - r->va) : zeros;
}

static int translate_shadow(void *opaque, uint64_t va, const void *page)
{
    RmSpace *s = opaque;
    RmRange *r = range_find(s, va);
    RmRange what;
    int ret;

    if (!r || !r->memory) {
        return -ENOENT;
    }
    if (r->shadow && page) {
        rm_shadow_set(s, r->shadow - 1, r->memory->host + r->offset, page);
        return 0;
    }
    if (!r->shadow && !page) {
        return 0;
    }
    if (page && !s->shadow_free->len) {
        return -ENOMEM;
    }
    what = *r;
    what.offset += va - r->va;
    what.va = va;
    what.size = RM_PAGE;
    what.shadow = 0;
    rm_space_quiesce(s);
    ret = carve(s, va, RM_PAGE, false);
    if (ret == 0 && page) {
        guint last = s->shadow_free->len - 1;

        what.shadow = g_array_index(s->shadow_free, uint32_t, last) + 1;
        g_array_set_size(s->shadow_free, last);
        rm_shadow_set(s, what.shadow - 1, what.memory->host + what.offset,
                      page);
    }
    if (ret == 0) {
        ret = range_add(s, &what, false);
        if (ret < 0) {
            shadow_release(s, &what);
        }
    }
    return ret;
}

static int translate_reserve(void *opaque, uint64_t size, bool cpu,
                             uint64_t *va, void **host)
{
    return rm_space_reserve(opaque, size, cpu, va, host);
}

const VgspTranslateOps rm_translate_ops = {
    .page = translate_page,
    .shadow = translate_shadow,
    .reserve = translate_reserve,
};

/* ---- Spaces ---- */

RmSpace *rm_space_new(VgspRm *rm, int *error)
{
    RmSpace *s = g_new0(RmSpace, 1);
    RmAllocParams p = { 0 };

    s->rm = rm;
    g_mutex_init(&s->lock);
    s->ranges = g_sequence_new(g_free);
    s->contexts = g_ptr_array_new();
    rm_own_init(s);
    *error = rm_alloc(rm, rm->device, &s->vaspace, FERMI_VASPACE_A, &p);
    if (*error == 0) {
        s->start = p.vaspace.vaBase;
        p = (RmAllocParams) { .window = { .hVASpace = s->vaspace } };
        *error = rm_alloc(rm, rm->device, &s->window, NV01_MEMORY_VIRTUAL,
                          &p);
    }
    if (*error == 0 && rm->chip->profile != &vgsp_profile_tu10x) {
        VgspTranslateConfig config = {
            .profile = rm->chip->profile,
            .sm_count = rm->sm_count,
            .ops = &rm_translate_ops,
            .opaque = s,
        };

        *error = rm_own_shadow(s);
        if (*error == 0) {
            s->code = vgsp_code_new(&config);
        }
    }
    if (*error < 0) {
        rm_space_free(s);
        return NULL;
    }
    return s;
}

void rm_space_free(RmSpace *s)
{
    GSequenceIter *i;

    if (s->code) {
        vgsp_code_free(s->code);
    }
    for (i = g_sequence_get_begin_iter(s->ranges); !g_sequence_iter_is_end(i);
         i = g_sequence_iter_next(i)) {
        RmRange *r = g_sequence_get(i);

        rm_free(s->rm, s->rm->device, &r->sparse);
    }
    /* All mappings go with the window. */
    rm_free(s->rm, s->rm->device, &s->window);
    rm_free(s->rm, s->rm->device, &s->vaspace);
    rm_own_free(s);
    g_sequence_free(s->ranges);
    g_ptr_array_free(s->contexts, true);
    g_mutex_clear(&s->lock);
    g_free(s);
}

bool rm_space_used(RmSpace *s, uint64_t va, uint64_t size)
{
    return range_any(s, va, size);
}

bool rm_space_gap(RmSpace *s, uint64_t *va, uint64_t end, uint64_t *size)
{
    while (*va < end) {
        GSequenceIter *i = range_at(s, *va);
        const RmRange *r = g_sequence_iter_is_end(i) ? NULL
                                                     : g_sequence_get(i);

        if (!r || r->va > *va) {
            *size = (r ? MIN(r->va, end) : end) - *va;
            return true;
        }
        *va = r->va + r->size;
    }
    return false;
}

static RmSpace *space_find(VgspRm *rm, uint32_t id)
{
    return g_hash_table_lookup(rm->spaces, GUINT_TO_POINTER(id));
}

int vgsp_rm_space_new(VgspRm *rm, uint32_t *id)
{
    int ret;
    RmSpace *s = rm_space_new(rm, &ret);

    if (!s) {
        return ret;
    }
    g_rw_lock_writer_lock(&rm->table);
    s->id = *id = ++rm->ids;
    g_hash_table_insert(rm->spaces, GUINT_TO_POINTER(s->id), s);
    g_rw_lock_writer_unlock(&rm->table);
    return 0;
}

int vgsp_rm_space_del(VgspRm *rm, uint32_t id)
{
    RmSpace *s;

    g_rw_lock_writer_lock(&rm->table);
    s = space_find(rm, id);
    if (s && s->contexts->len) {
        g_rw_lock_writer_unlock(&rm->table);
        return -EBUSY;
    }
    g_hash_table_remove(rm->spaces, GUINT_TO_POINTER(id));
    g_rw_lock_writer_unlock(&rm->table);
    if (!s) {
        return -ENOENT;
    }
    /* Who took its last context away may still hold it. */
    g_mutex_lock(&s->lock);
    g_mutex_unlock(&s->lock);
    rm_space_free(s);
    return 0;
}

int vgsp_rm_map(VgspRm *rm, uint32_t space,
                const struct vgsp_owner_map_op *ops, size_t count)
{
    RmMemory **memories = g_new0(RmMemory *, count);
    int ret = -ENOENT;
    RmSpace *s;

    g_rw_lock_reader_lock(&rm->table);
    s = space_find(rm, space);
    if (s) {
        for (size_t i = 0; i < count; i++) {
            memories[i] = g_hash_table_lookup(rm->memories,
                                              GUINT_TO_POINTER(ops[i].memory));
        }
        g_mutex_lock(&s->lock);
        ret = rm_space_map(s, ops, count, memories);
        g_mutex_unlock(&s->lock);
    }
    g_rw_lock_reader_unlock(&rm->table);
    g_free(memories);
    return ret;
}
