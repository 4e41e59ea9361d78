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

/* What to hand over to another thread would cost more than to do it. */
#define PERFORM_LINES   8
#define PERFORM_BYTES   (16 * KiB)      /* a line */

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
        return is_write
                   ? vgsp_va_write(s, pdb, priv, addr, buf, len, &cs->fault)
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
        .physical = true,
    };
    return false;
}

/* Bytes [x, x + width) of lines [line, line + lines) of the transfer. */
typedef struct CopyRect {
    uint64_t line, x;
    uint32_t lines;
    size_t width;
} CopyRect;

/* The part of a rectangle in one GOB: rows and columns within that. */
typedef struct GobPart {
    uint64_t offset;            /* of the GOB, from the surface's base */
    uint32_t y, rows, x, columns;
    uint8_t *buf;               /* of the first byte ... */
    size_t stride;              /* ... and to that of the next row */
} GobPart;

/* Between a GOB's bytes and the rows of @g. */
static void gob_copy(const GobPart *g, uint8_t *gob, bool to_gob)
{
    for (uint32_t row = 0; row < g->rows; row++) {
        uint8_t *line = g->buf + row * g->stride;

        for (uint32_t x = g->x, n; x < g->x + g->columns; x += n) {
            uint8_t *at = gob + vgsp_gob_offset(x, g->y + row);

            n = MIN(g->x + g->columns - x, VGSP_GOB_RUN - x % VGSP_GOB_RUN);
            memcpy(to_gob ? at : line, to_gob ? line : at, n);
            line += n;
        }
    }
}

/* Writes what the rectangle has of a GOB, and no other byte. */
static bool write_gob(CopySlice *cs, const VgspCopySurface *sf,
                      const GobPart *g)
{
    uint8_t gob[VGSP_GOB_SIZE];

    gob_copy(g, gob, true);
    if (g->rows == VGSP_GOB_HEIGHT && g->columns == VGSP_GOB_WIDTH) {
        return access_memory(cs, sf, sf->base + g->offset, gob, sizeof(gob),
                             true);
    }
    for (uint32_t row = 0; row < g->rows; row++) {
        for (uint32_t x = g->x, n; x < g->x + g->columns; x += n) {
            uint32_t at = vgsp_gob_offset(x, g->y + row);

            n = MIN(g->x + g->columns - x, VGSP_GOB_RUN - x % VGSP_GOB_RUN);
            if (!access_memory(cs, sf, sf->base + g->offset + at, gob + at, n,
                               true)) {
                return false;
            }
        }
    }
    return true;
}

/* A GOB lies in one page, so that all of it can be read if any of it can. */
static bool read_gob(CopySlice *cs, const VgspCopySurface *sf,
                     const GobPart *g)
{
    uint8_t gob[VGSP_GOB_SIZE];

    if (!access_memory(cs, sf, sf->base + g->offset, gob, sizeof(gob),
                       false)) {
        return false;
    }
    gob_copy(g, gob, false);
    return true;
}

static bool access_gobs(CopySlice *cs, const VgspCopySurface *sf,
                        const CopyRect *r, uint8_t *buf, bool is_write)
{
    uint64_t y = sf->y + r->line, y_end = y + r->lines;
    uint64_t x0 = sf->x + r->x, x_end = x0 + r->width;

    for (uint64_t rows; y < y_end; y += rows) {
        rows = MIN(y_end - y, VGSP_GOB_HEIGHT - y % VGSP_GOB_HEIGHT);
        for (uint64_t x = x0, columns; x < x_end; x += columns) {
            GobPart g;

            columns = MIN(x_end - x, VGSP_GOB_WIDTH - x % VGSP_GOB_WIDTH);
            g = (GobPart) {
                .offset = vgsp_blocklinear_offset(
                    &sf->bl, VGSP_ALIGN_DOWN(x, VGSP_GOB_WIDTH),
                    VGSP_ALIGN_DOWN(y, VGSP_GOB_HEIGHT), sf->z),
                .y = y % VGSP_GOB_HEIGHT,
                .rows = rows,
                .x = x % VGSP_GOB_WIDTH,
                .columns = columns,
                .buf = buf + (y - sf->y - r->line) * r->width + (x - x0),
                .stride = r->width,
            };
            if (!(is_write ? write_gob(cs, sf, &g) : read_gob(cs, sf, &g))) {
                return false;
            }
        }
    }
    return true;
}

/* Between memory and @buf, which has the lines of @r without gaps. */
static bool access_rect(CopySlice *cs, const VgspCopySurface *sf,
                        const CopyRect *r, uint8_t *buf, bool is_write)
{
    if (sf->block_linear) {
        return access_gobs(cs, sf, r, buf, is_write);
    }
    for (uint32_t i = 0; i < r->lines; i++) {
        uint64_t addr = sf->base + r->x +
                        (r->line + i) * (uint64_t)(int64_t)sf->pitch;

        if (!access_memory(cs, sf, addr, buf + i * r->width, r->width,
                           is_write)) {
            return false;
        }
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

/* Writes the selected bytes of each of @n elements of a line and no other. */
static bool write_components(CopySlice *cs, uint64_t line, uint64_t element,
                             uint8_t *buf, size_t n)
{
    const VgspCopyJob *job = cs->job;
    uint32_t size = job->component_size;
    uint32_t count = job->dst_element / size;

    for (size_t i = 0; i < n; i++) {
        for (uint32_t c = 0, end; c < count; c = end) {
            CopyRect r = {
                .line = line,
                .x = (element + i) * job->dst_element + c * size,
                .lines = 1,
            };

            end = c + 1;
            if (job->select[c] == NVC5B5_SET_REMAP_COMPONENTS_DST_NO_WRITE) {
                continue;
            }
            while (end < count && job->select[end] !=
                   NVC5B5_SET_REMAP_COMPONENTS_DST_NO_WRITE) {
                end++;
            }
            r.width = (end - c) * size;
            if (!access_rect(cs, &job->dst, &r,
                             buf + i * job->dst_element + c * size, true)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- Slices ---- */

/* Whether bytes of a line move as they are, from memory to memory. */
static bool is_plain(const VgspCopyJob *job)
{
    return !job->remap && !job->src.physical && !job->dst.physical &&
           !job->src.block_linear && !job->dst.block_linear;
}

/* Moves @n bytes of the current line. */
static bool transfer_plain(CopySlice *cs, size_t n)
{
    VgspCopyJob *job = cs->job;
    VgspChannel *ch = cs->ch;
    uint64_t src = job->src.base + job->element +
                   job->line * (uint64_t)(int64_t)job->src.pitch;
    uint64_t dst = job->dst.base + job->element +
                   job->line * (uint64_t)(int64_t)job->dst.pitch;

    cs->budget -= 2 * ACCESS_COST + n;
    return vgsp_va_copy(ch->s, &ch->p.pdb, ch->p.privileged, dst, src, n,
                        &cs->fault);
}

/* Moves @n elements of each of @lines lines, from the current place on. */
static bool transfer(CopySlice *cs, uint8_t *scratch, size_t n,
                     uint32_t lines)
{
    VgspCopyJob *job = cs->job;
    CopyRect from = {
        .line = job->line,
        .x = job->element * job->src_element,
        .lines = lines,
        .width = n * job->src_element,
    };
    CopyRect to = {
        .line = job->line,
        .x = job->element * job->dst_element,
        .lines = lines,
        .width = n * job->dst_element,
    };
    uint8_t *src = scratch, *dst = scratch;

    if (job->remap) {
        dst = scratch + lines * from.width;
    }
    if (job->reads_source && !access_rect(cs, &job->src, &from, src, false)) {
        return false;
    }
    if (job->remap) {
        remap_elements(job, src, dst, n * lines);
    }
    cs->budget -= lines * MAX(from.width, to.width);
    if (job->writes_all) {
        return access_rect(cs, &job->dst, &to, dst, true);
    }
    for (uint32_t i = 0; i < lines; i++) {
        if (!write_components(cs, job->line + i, job->element,
                              dst + i * to.width, n)) {
            return false;
        }
    }
    return true;
}

/* Lines that go together: a row of GOBs, or what is left of it. */
static uint32_t lines_together(const VgspCopyJob *job)
{
    const VgspCopySurface *sf = job->dst.block_linear ? &job->dst : &job->src;

    if (!sf->block_linear) {
        return 1;
    }
    return MIN(job->lines - job->line,
               VGSP_GOB_HEIGHT - (sf->y + job->line) % VGSP_GOB_HEIGHT);
}

/* Elements of these lines that go together and fit the scratch memory. */
static size_t elements_together(const VgspCopyJob *job, uint32_t lines)
{
    uint64_t left = job->elements - job->element;
    size_t size = job->remap ? job->src_element + job->dst_element : 1;
    size_t n = VGSP_JOB_SCRATCH / (size * lines);
    uint64_t end;

    if (!job->writes_all) {
        n = MIN(n, 1024 / lines); /* one access each */
    }
    if (n >= left) {
        return left;
    }
    if (job->dst.block_linear) {
        /* Up to the end of a GOB, so that whole ones are written. */
        end = (job->dst.x + (job->element + n) * job->dst_element) %
              VGSP_GOB_WIDTH / job->dst_element;
        n -= end < n ? end : 0;
    }
    return n;
}

/* False: a fault. Otherwise the slice or the transfer is over. */
static bool transfer_slice(CopySlice *cs, uint8_t *scratch)
{
    VgspCopyJob *job = cs->job;

    while (job->line < job->lines && cs->budget > 0) {
        uint32_t lines = lines_together(job);
        size_t n = elements_together(job, lines);

        if (n && !(is_plain(job) ? transfer_plain(cs, n)
                                 : transfer(cs, scratch, n, lines))) {
            return false;
        }
        job->element += n;
        if (job->element == job->elements) {
            job->element = 0;
            job->line += lines;
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

static VgspJobEnd run_slice(CopySlice *cs, uint8_t *scratch, VgspRcError *rc)
{
    VgspCopyJob *job = cs->job;
    VgspChannel *ch = cs->ch;

    if (!transfer_slice(cs, scratch)) {
        vgsp_channel_fill_fault(ch, rc, VGSP_UNIT_CE, &cs->fault,
                                "copy engine");
        return VGSP_JOB_ERROR;
    }
    if (job->line < job->lines) {
        return VGSP_JOB_MORE;
    }
    if (!finish(cs)) {
        vgsp_channel_fill_fault(ch, rc, VGSP_UNIT_CE, &cs->fault,
                                "copy semaphore");
        return VGSP_JOB_ERROR;
    }
    trace_vgsp_ce_done(ch->runlist, ch->p.chid, job->dst.base,
                       job->elements, job->lines);
    return VGSP_JOB_DONE;
}

static VgspJobEnd copy_run(VgspEngineJob *ej, VgspChannel *ch,
                           uint8_t *scratch, VgspRcError *rc)
{
    CopySlice cs = {
        .job = container_of(ej, VgspCopyJob, job),
        .ch = ch,
        .budget = VGSP_JOB_SLICE,
    };

    return run_slice(&cs, scratch, rc);
}

void vgsp_copy_job_init(VgspCopyJob *job)
{
    *job = (VgspCopyJob) { .job.run = copy_run };
}

VgspJobEnd vgsp_copy_job_perform(VgspCopyJob *job, VgspChannel *ch,
                                 int64_t *slice, VgspRcError *rc)
{
    CopySlice cs = { .job = job, .ch = ch, .budget = VGSP_JOB_SLICE };
    VgspJobEnd end;

    if (job->lines > PERFORM_LINES || job->elements > PERFORM_BYTES ||
        (job->lines && !is_plain(job))) {
        return VGSP_JOB_MORE;
    }
    end = run_slice(&cs, NULL, rc);
    *slice -= ACCESS_COST + VGSP_JOB_SLICE - cs.budget;
    return end;
}
