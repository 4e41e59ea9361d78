/*
 * How this card orders the bytes of system memory by page kind (vgsp/kind.h).
 * No document says it, so the card is asked: inline uploads write the address
 * of each byte of a page through each kind, and the CPU looks where they are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <sys/mman.h>

#include "owner/rm/kinds.h"
#include "owner/rm/rm-int.h"
#include "vgsp/nv/dev_mmu.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/i2m.h"

#define KINDS_VA        0x4400000000ull
/* What a kind is given: a large page, of which one of 4 KiB is used. */
#define KINDS_STRIDE    0x10000u
#define KINDS_FIRST     NV_MMU_PTE_KIND_Z16
#define KINDS_LAST      NV_MMU_PTE_KIND_Z24S8
#define KINDS_SIZE      ((KINDS_LAST + 1) * KINDS_STRIDE)
#define KINDS_WAIT_US   (3 * G_USEC_PER_SEC)
#define SUBC_UPLOAD     2

typedef struct KindsRun {
    VgspRm *rm;
    uint8_t *host;              /* KINDS_SIZE bytes, kind k at k strides */
    uint32_t context;
    uint64_t seq;
    uint32_t words[VGSP_KIND_PAGE / 4 + 16], count;
    GMutex lock;                /* of what the library's thread tells: */
    GCond cond;
    uint64_t completed;
    bool faulted;
} KindsRun;

static void kinds_completed(void *opaque, uint32_t context, uint64_t seq)
{
    KindsRun *r = opaque;

    (void)context;
    g_mutex_lock(&r->lock);
    r->completed = seq;
    g_cond_broadcast(&r->cond);
    g_mutex_unlock(&r->lock);
}

static void kinds_fault(void *opaque, const struct vgsp_owner_fault *fault)
{
    KindsRun *r = opaque;

    (void)fault;
    g_mutex_lock(&r->lock);
    r->faulted = true;
    g_cond_broadcast(&r->cond);
    g_mutex_unlock(&r->lock);
}

static const VgspRmOps kinds_ops = {
    .completed = kinds_completed,
    .fault = kinds_fault,
};

static void put_header(KindsRun *r, uint32_t op, uint32_t method,
                       uint32_t count)
{
    r->words[r->count++] = (uint32_t)(
        VGSP_SET(NVC46F_DMA_SEC_OP, op) |
        VGSP_SET(NVC46F_DMA_METHOD_COUNT, count) |
        VGSP_SET(NVC46F_DMA_METHOD_SUBCHANNEL, SUBC_UPLOAD) |
        VGSP_SET(NVC46F_DMA_METHOD_ADDRESS, method / 4));
}

static void put(KindsRun *r, uint32_t method, uint32_t data)
{
    put_header(r, NVC46F_DMA_SEC_OP_INC_METHOD, method, 1);
    r->words[r->count++] = data;
}

/* Writes to each byte of a page of @kind 8 bits of its address, from @shift. */
static int kinds_upload(KindsRun *r, uint32_t kind, unsigned shift)
{
    uint64_t va = KINDS_VA + kind * KINDS_STRIDE;

    r->count = 0;
    put(r, NVC46F_SET_OBJECT, KEPLER_INLINE_TO_MEMORY_B);
    put(r, NVA140_LINE_LENGTH_IN, VGSP_KIND_PAGE);
    put(r, NVA140_LINE_COUNT, 1);
    put(r, NVA140_OFFSET_OUT_UPPER, (uint32_t)(va >> 32));
    put(r, NVA140_OFFSET_OUT, (uint32_t)va);
    put(r, NVA140_LAUNCH_DMA, (uint32_t)(
        VGSP_SET(NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT,
                 NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT_PITCH) |
        VGSP_SET(NVA140_LAUNCH_DMA_COMPLETION_TYPE,
                 NVA140_LAUNCH_DMA_COMPLETION_TYPE_FLUSH_ONLY)));
    put_header(r, NVC46F_DMA_SEC_OP_NON_INC_METHOD, NVA140_LOAD_INLINE_DATA,
               VGSP_KIND_PAGE / 4);
    for (uint32_t at = 0; at < VGSP_KIND_PAGE; at += 4) {
        uint32_t word = 0;

        for (unsigned k = 0; k < 4; k++) {
            word |= ((at + k) >> shift & 0xff) << 8 * k;
        }
        r->words[r->count++] = word;
    }
    return vgsp_rm_submit(r->rm, r->context, r->words, r->count, ++r->seq);
}

static int kinds_wait(KindsRun *r)
{
    gint64 until = g_get_monotonic_time() + KINDS_WAIT_US;
    int ret = 0;

    g_mutex_lock(&r->lock);
    while (r->completed < r->seq && !r->faulted && ret == 0) {
        if (!g_cond_wait_until(&r->cond, &r->lock, until)) {
            ret = -ETIMEDOUT;
        }
    }
    ret = r->faulted ? -EIO : ret;
    g_mutex_unlock(&r->lock);
    return ret;
}

/* All kinds, each page all ones before. */
static int kinds_write(KindsRun *r, unsigned shift)
{
    memset(r->host, 0xff, KINDS_SIZE);
    for (uint32_t kind = KINDS_FIRST; kind <= KINDS_LAST; kind++) {
        int ret = kinds_upload(r, kind, shift);

        if (ret < 0) {
            return ret;
        }
    }
    return kinds_wait(r);
}

static int kinds_setup(KindsRun *r)
{
    struct vgsp_owner_map_op ops[KINDS_LAST + 1];
    uint32_t memory, space, n = 0;
    int ret = vgsp_rm_memory_add(r->rm, r->host, KINDS_SIZE, &memory);

    if (ret == 0) {
        ret = vgsp_rm_space_new(r->rm, &space);
    }
    if (ret < 0) {
        return ret;
    }
    for (uint32_t kind = KINDS_FIRST; kind <= KINDS_LAST; kind++) {
        ops[n++] = (struct vgsp_owner_map_op) {
            .op = VGSP_OWNER_MAP, .memory = memory, .kind = kind,
            .va = KINDS_VA + kind * KINDS_STRIDE, .size = KINDS_STRIDE,
            .offset = kind * KINDS_STRIDE,
        };
    }
    ret = vgsp_rm_map(r->rm, space, ops, n);
    return ret < 0 ? ret : vgsp_rm_context_new(r->rm, space, 0, &r->context);
}

/* 0 with *kinds, or a negative errno value. */
static int kinds_measure(KindsRun *r, VgspKinds *kinds)
{
    g_autofree uint8_t *low = NULL;
    int ret = kinds_setup(r);

    if (ret == 0) {
        ret = kinds_write(r, 0);
    }
    if (ret == 0) {
        low = g_memdup2(r->host, KINDS_SIZE);
        ret = kinds_write(r, 8);
    }
    for (uint32_t k = KINDS_FIRST; ret == 0 && k <= KINDS_LAST; k++) {
        if (!vgsp_kinds_learn(kinds, k, low + k * KINDS_STRIDE,
                              r->host + k * KINDS_STRIDE)) {
            ret = -ENOTSUP;
        }
    }
    return ret;
}

bool vgsp_rm_kinds_os(const char *path, const struct RmOs *os, void *os_opaque,
                      VgspKinds *kinds, char **error)
{
    KindsRun r = { 0 };
    VgspRmConfig config = { .path = path, .ops = &kinds_ops, .opaque = &r };
    int ret = 0;

    *kinds = (VgspKinds) { 0 };
    r.rm = os ? vgsp_rm_open_os(&config, os, os_opaque, error)
              : vgsp_rm_open(&config, error);
    if (!r.rm) {
        return false;
    }
    if (!r.rm->release->map_kind) {
        vgsp_rm_close(r.rm);    /* it maps none that has an order */
        return true;
    }
    g_mutex_init(&r.lock);
    g_cond_init(&r.cond);
    r.host = mmap(NULL, KINDS_SIZE, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ret = r.host == MAP_FAILED ? -ENOMEM : kinds_measure(&r, kinds);
    vgsp_rm_close(r.rm);
    if (r.host != MAP_FAILED) {
        munmap(r.host, KINDS_SIZE);
    }
    g_cond_clear(&r.cond);
    g_mutex_clear(&r.lock);
    if (ret < 0) {
        *kinds = (VgspKinds) { 0 };
        *error = ret == -ENOTSUP
                     ? g_strdup("page kinds order bytes in a way that is not "
                                "understood")
                     : g_strdup_printf("the order of bytes in page kinds: %s",
                                       g_strerror(-ret));
    }
    return ret == 0;
}

bool vgsp_rm_kinds(const char *path, VgspKinds *kinds, char **error)
{
    return vgsp_rm_kinds_os(path, NULL, NULL, kinds, error);
}
