/*
 * nouveau's first user-space interface, which Mesa's OpenGL driver nvc0 still
 * speaks: a buffer has an address from its birth on, work is GEM_PUSHBUF, and
 * a buffer is waited for by GEM_CPU_PREP. A file that began with VM_INIT has
 * none of it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <errno.h>
#include <drm/drm.h>
#include <drm/nouveau_drm.h>
#include "shim.h"
#include "vgsp/nv/mme.h"

/*
 * Addresses are never used again. Below lie what nobody owns, what GSP-RM has
 * for itself (4 GiB to 4.5 GiB) and where a translator puts windows (8 GiB).
 */
#define FIRST_VA    (UINT64_C(1) << 34)
#define LAST_VA     (UINT64_C(1) << 40)
#define ALIGNMENT   (UINT64_C(2) << 20)
#define BUFFERS_MAX 1024
#define PUSHES_MAX  512
#define UPLOADS     2           /* subchannel of KEPLER_INLINE_TO_MEMORY_B */

int shim_legacy_bo(ShimSpace *s, ShimBo *bo)
{
    uint64_t size = VGSP_ALIGN_UP(bo->size, ALIGNMENT);
    int r;

    s->next_va = MAX(s->next_va, FIRST_VA);
    if (size > LAST_VA - s->next_va) {
        return -ENOSPC;
    }
    /* The page kind: NOUVEAU_GEM_TILE_LAYOUT_MASK. */
    r = shim_space_map(s, s->next_va, bo->size, bo, 0, bo->tile_flags >> 8);
    if (!r) {
        bo->va = s->next_va;
        s->next_va += size;
    }
    return r;
}

int shim_legacy_pushbuf(ShimChannel *ch, void *arg)
{
    struct drm_nouveau_gem_pushbuf *a = arg;
    const struct drm_nouveau_gem_pushbuf_bo *bos =
        (void *)(uintptr_t)a->buffers;
    const struct drm_nouveau_gem_pushbuf_push *pushes =
        (void *)(uintptr_t)a->push;
    ShimJob *job;

    if (a->nr_buffers > BUFFERS_MAX || a->nr_push > PUSHES_MAX) {
        return -EINVAL;
    }
    if (a->nr_relocs) {
        shim_log("GEM_PUSHBUF with relocations");
        return -EINVAL;
    }
    job = shim_job_new();
    for (uint32_t i = 0; i < a->nr_push; i++) {
        uint32_t length = pushes[i].length & ~NOUVEAU_GEM_PUSHBUF_NO_PREFETCH;
        ShimBo *bo = pushes[i].bo_index < a->nr_buffers
                     ? shim_bo_find(bos[pushes[i].bo_index].handle) : NULL;
        ShimPush p = { .words = length / 4 };

        if (!bo || !bo->va ||
            !vgsp_range_ok(pushes[i].offset, length, bo->size)) {
            shim_job_free(job);
            return -EINVAL;
        }
        p.va = bo->va + pushes[i].offset;
        g_array_append_val(job->pushes, p);
    }
    if (ch->last) {
        shim_fence_unref(ch->last);
    }
    ch->last = shim_fence_new(false);
    g_ptr_array_add(job->signals, shim_fence_ref(ch->last));
    shim_channel_queue(ch, job);
    a->suffix0 = a->suffix1 = 0;
    a->vram_available = a->gart_available = UINT64_C(8) << 30;
    return 0;
}

void shim_legacy_release(ShimChannel *ch)
{
    uint32_t d = ch->report[3];
    uint64_t va = VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_A_OFFSET_UPPER,
                           ch->report[0]) << 32 | ch->report[1];

    /* One word; what else is reported is known to hardware alone. */
    if (VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_D_OPERATION, d) ==
            NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_RELEASE &&
        VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE, d) ==
            NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE_ONE_WORD) {
        shim_space_write(ch->space, va, &ch->report[2], sizeof(uint32_t));
    }
}

bool shim_legacy_uploads(const ShimChannel *ch, const VgspPbRun *run)
{
    return ch->legacy && !shim_executes() && run->subchannel == UPLOADS;
}

bool shim_legacy_releases(ShimChannel *ch, const VgspPbRun *run, uint32_t n)
{
    bool releases = false;

    if (shim_executes() || run->subchannel) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t method = vgsp_pb_run_method(run, i) * 4;

        if (method >= NVC597_SET_REPORT_SEMAPHORE_A &&
            method <= NVC597_SET_REPORT_SEMAPHORE_D) {
            ch->report[(method - NVC597_SET_REPORT_SEMAPHORE_A) / 4] =
                run->data[i];
            releases |= method == NVC597_SET_REPORT_SEMAPHORE_D;
        }
    }
    return releases;
}
