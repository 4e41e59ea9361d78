/*
 * Transfers of the copy engine: lines of bytes or of remapped elements between
 * linear and block-linear surfaces, then the flush, semaphore and interrupt.
 * Specified by NVIDIA's clc5b5.h and dev_ce.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/intr.h"
#include "vgsp/nv/copy.h"
#include "engine/copy-job.h"
#include "trace.h"

/* What an access costs a slice, beside its bytes. */
#define ACCESS_COST     256

/* A slice under way. */
typedef struct CopySlice {
    VgspCopyJob *job;
    VgspChannel *ch;
    int64_t budget;
    VgspVaFault fault;
} CopySlice;

/* ---- Surfaces ---- */

static bool access_memory(CopySlice *cs, const VgspCopySurface *sf,
                          uint64_t addr, uint8_t *buf, size_t len,
                          bool is_write)
{
    VgspState *s = cs->ch->s;
    const VgspPdb *pdb = &cs->ch->p.pdb;
    bool priv = cs->ch->p.privileged;

    cs->budget -= ACCESS_COST;
    if (!sf->physical) {
        return is_write ? vgsp_va_write(s, pdb, priv, addr, buf, len, &cs->fault)
                        : vgsp_va_read(s, pdb, priv, addr, buf, len, &cs->fault);
    }
    if (is_write ? vgsp_mem_write(s, sf->aperture, addr, buf, len)
                 : vgsp_mem_read(s, sf->aperture, addr, buf, len)) {
        return true;
    }
    cs->fault = (VgspVaFault) {
        .fault = VGSP_GMMU_FAULT_REGION_VIOLATION,
        .va = addr,
        .is_write = is_write,
    };
    return false;
}

/* Bytes [x, x + len) of line @line of the transfer. */
static bool access_line(CopySlice *cs, const VgspCopySurface *sf,
                        uint64_t line, uint64_t x, uint8_t *buf, size_t len,
                        bool is_write)
{
    if (!sf->block_linear) {
        return access_memory(cs, sf,
                             sf->base + line * (uint64_t)(int64_t)sf->pitch +
                                 x, buf, len, is_write);
    }
    x += sf->x;
    while (len) {
        size_t n = MIN(len, VGSP_GOB_RUN - x % VGSP_GOB_RUN);
        uint64_t offset = vgsp_blocklinear_offset(&sf->bl, x, sf->y + line,
                                                  sf->z);

        if (!access_memory(cs, sf, sf->base + offset, buf, n, is_write)) {
            return false;
        }
        x += n;
        buf += n;
        len -= n;
    }
    return true;
}

/* ---- Remap ---- */

/* The destination elements of @n source elements; NO_WRITE leaves garbage. */
static void remap_elements(const VgspCopyJob *job, const uint8_t *src,
                           uint8_t *dst, size_t n)
{
    uint32_t size = job->component_size;

    for (size_t i = 0; i < n; i++) {
        for (uint32_t c = 0; c * size < job->dst_element; c++) {
            unsigned sel = job->select[c];
            const uint8_t *from;

            if (sel <= NVC5B5_SET_REMAP_COMPONENTS_DST_SRC_W) {
                from = src + sel * size;
            } else if (sel != NVC5B5_SET_REMAP_COMPONENTS_DST_NO_WRITE) {
                from = job->remap_const[
                    sel - NVC5B5_SET_REMAP_COMPONENTS_DST_CONST_A];
            } else {
                continue;
            }
            memcpy(dst + c * size, from, size);
        }
        src += job->reads_source ? job->src_element : 0;
        dst += job->dst_element;
    }
}

/* Writes the selected bytes of each element and no other. */
static bool write_components(CopySlice *cs, uint64_t line, uint64_t element,
                             uint8_t *buf, size_t n)
{
    const VgspCopyJob *job = cs->job;
    uint32_t size = job->component_size;
    uint32_t count = job->dst_element / size;

    for (size_t i = 0; i < n; i++) {
        for (uint32_t c = 0, end; c < count; c = end) {
            end = c + 1;
            if (job->select[c] == NVC5B5_SET_REMAP_COMPONENTS_DST_NO_WRITE) {
                continue;
            }
            while (end < count && job->select[end] !=
                   NVC5B5_SET_REMAP_COMPONENTS_DST_NO_WRITE) {
                end++;
            }
            if (!access_line(cs, &job->dst, line,
                             (element + i) * job->dst_element + c * size,
                             buf + i * job->dst_element + c * size,
                             (end - c) * size, true)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- Slices ---- */

/* Moves up to @n elements of the current line. */
static bool transfer(CopySlice *cs, uint8_t *scratch, size_t n)
{
    VgspCopyJob *job = cs->job;
    uint8_t *src = scratch, *dst = scratch;

    if (job->remap) {
        dst = scratch + n * job->src_element;
    }
    if (job->reads_source &&
        !access_line(cs, &job->src, job->line,
                     job->element * job->src_element, src,
                     n * job->src_element, false)) {
        return false;
    }
    if (job->remap) {
        remap_elements(job, src, dst, n);
    }
    cs->budget -= n * MAX(job->src_element, job->dst_element);
    if (!job->writes_all) {
        return write_components(cs, job->line, job->element, dst, n);
    }
    return access_line(cs, &job->dst, job->line,
                       job->element * job->dst_element, dst,
                       n * job->dst_element, true);
}

/* False: a fault. Otherwise the slice or the transfer is over. */
static bool transfer_slice(CopySlice *cs, uint8_t *scratch)
{
    VgspCopyJob *job = cs->job;
    size_t room = VGSP_JOB_SCRATCH;

    if (job->remap) {
        room /= job->src_element + job->dst_element;
        if (!job->writes_all) {
            room = MIN(room, 1024);     /* one access each */
        }
    }
    while (job->line < job->lines && cs->budget > 0) {
        size_t n = MIN(job->elements - job->element, room);

        if (n && !transfer(cs, scratch, n)) {
            return false;
        }
        job->element += n;
        if (job->element == job->elements) {
            job->element = 0;
            job->line++;
        }
    }
    return true;
}

/* After the transfer: what was written is visible before the semaphore. */
static bool finish(CopySlice *cs)
{
    VgspCopyJob *job = cs->job;
    bool four_words = job->semaphore ==
        NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE_RELEASE_FOUR_WORD_SEMAPHORE;

    if (job->semaphore != NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE_NONE) {
        if (job->sem_reduce ?
            !vgsp_semaphore_reduce(cs->ch, job->sem_va, &job->reduction,
                                   four_words, &cs->fault) :
            !vgsp_semaphore_release(cs->ch, job->sem_va, job->sem_payload,
                                    false, four_words, &cs->fault)) {
            return false;
        }
    }
    smp_mb(); /* memory is right before the interrupt says so */
    if (job->non_stall) {
        vgsp_intr_raise(cs->ch->s, cs->ch->copy->vector_nonstall);
    }
    return true;
}

static VgspJobEnd copy_run(VgspEngineJob *ej, VgspChannel *ch,
                           uint8_t *scratch, VgspRcError *rc)
{
    CopySlice cs = {
        .job = container_of(ej, VgspCopyJob, job),
        .ch = ch,
        .budget = VGSP_JOB_SLICE,
    };
    VgspCopyJob *job = cs.job;

    if (!transfer_slice(&cs, scratch)) {
        vgsp_channel_fill_fault(ch, rc, VGSP_UNIT_CE, &cs.fault,
                                "copy engine");
        return VGSP_JOB_ERROR;
    }
    if (job->line < job->lines) {
        return VGSP_JOB_MORE;
    }
    if (!finish(&cs)) {
        vgsp_channel_fill_fault(ch, rc, VGSP_UNIT_CE, &cs.fault,
                                "copy semaphore");
        return VGSP_JOB_ERROR;
    }
    trace_vgsp_ce_done(ch->runlist, ch->p.chid, job->dst.base,
                       job->elements, job->lines);
    return VGSP_JOB_DONE;
}

VgspCopyJob *vgsp_copy_job_new(void)
{
    VgspCopyJob *job = g_new0(VgspCopyJob, 1);

    job->job.run = copy_run;
    return job;
}
