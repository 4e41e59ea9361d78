/*
 * The copy engine, class NVC5B5: its methods, and the launch of a transfer.
 * copy-job.c moves the data. Specified by NVIDIA's clc5b5.h and dev_ce.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp/nv/copy.h"
#include "engine/copy-job.h"
#include "host/host-int.h"
#include "trace.h"

void vgsp_copy_init(VgspCopy *ce)
{
    memset(ce, 0, sizeof(*ce));
}

/* ROBUST_CHANNEL_CEn_ERROR is not linear in n. */
uint32_t vgsp_copy_except_type(const VgspChannel *ch)
{
    static const uint8_t except_type[] = {
        ROBUST_CHANNEL_CE0_ERROR, ROBUST_CHANNEL_CE1_ERROR,
        ROBUST_CHANNEL_CE2_ERROR, ROBUST_CHANNEL_CE3_ERROR,
        ROBUST_CHANNEL_CE4_ERROR, ROBUST_CHANNEL_CE5_ERROR,
        ROBUST_CHANNEL_CE6_ERROR, ROBUST_CHANNEL_CE7_ERROR,
        ROBUST_CHANNEL_CE8_ERROR,
    };
    uint32_t i = ch->copy->nv2080_type - NV2080_ENGINE_TYPE_COPY(0);

    return i < ARRAY_SIZE(except_type) ? except_type[i]
                                       : ROBUST_CHANNEL_CE8_ERROR;
}

static VgspMethodEnd hce_error(VgspChannel *ch, const char *what)
{
    return vgsp_channel_error(ch, ROBUST_CHANNEL_PBDMA_ERROR, what);
}

static VgspMethodEnd launch_error(VgspChannel *ch, unsigned report)
{
    static const char *const what[] = {
        [NV_CE_LCE_LAUNCHERR_REPORT_2D_LAYER_EXCEEDS_DEPTH] =
            "LAUNCHERR: layer exceeds depth",
        [NV_CE_LCE_LAUNCHERR_REPORT_INVALID_ALIGNMENT] =
            "LAUNCHERR: alignment",
        [NV_CE_LCE_LAUNCHERR_REPORT_MEM2MEM_RECT_OUT_OF_BOUNDS] =
            "LAUNCHERR: rectangle out of bounds",
        [NV_CE_LCE_LAUNCHERR_REPORT_SRC_LINE_EXCEEDS_PITCH] =
            "LAUNCHERR: source line exceeds pitch",
        [NV_CE_LCE_LAUNCHERR_REPORT_SRC_LINE_EXCEEDS_NEG_PITCH] =
            "LAUNCHERR: source line exceeds negative pitch",
        [NV_CE_LCE_LAUNCHERR_REPORT_DST_LINE_EXCEEDS_PITCH] =
            "LAUNCHERR: destination line exceeds pitch",
        [NV_CE_LCE_LAUNCHERR_REPORT_DST_LINE_EXCEEDS_NEG_PITCH] =
            "LAUNCHERR: destination line exceeds negative pitch",
        [NV_CE_LCE_LAUNCHERR_REPORT_BAD_SRC_PIXEL_COMP_REF] =
            "LAUNCHERR: component that the source has not",
        [NV_CE_LCE_LAUNCHERR_REPORT_INVALID_VALUE] =
            "LAUNCHERR: invalid value",
        [NV_CE_LCE_LAUNCHERR_REPORT_INVALID_OPERATION] =
            "LAUNCHERR: operation that is not modelled",
    };

    trace_vgsp_ce_launch_error(ch->runlist, ch->p.chid, report);
    return vgsp_channel_error(ch, vgsp_copy_except_type(ch), what[report]);
}

/* ---- Launch ---- */

/* Addressing of one side, but for what depends on the rectangle. */
static unsigned surface_init(VgspCopySurface *sf, const VgspCopySide *side,
                             bool physical, bool pitch, uint32_t element)
{
    sf->physical = physical;
    sf->block_linear = !pitch;
    sf->base = side->offset;
    sf->pitch = (int32_t)side->pitch;
    if (physical) {
        switch (VGSP_GET(NVC5B5_SET_PHYS_MODE_TARGET, side->phys_mode)) {
        case NVC5B5_SET_PHYS_MODE_TARGET_LOCAL_FB:
            sf->aperture = VGSP_APERTURE_VIDEO;
            break;
        case NVC5B5_SET_PHYS_MODE_TARGET_COHERENT_SYSMEM:
            sf->aperture = VGSP_APERTURE_SYS_COHERENT;
            break;
        case NVC5B5_SET_PHYS_MODE_TARGET_NONCOHERENT_SYSMEM:
            sf->aperture = VGSP_APERTURE_SYS_NONCOHERENT;
            break;
        default:
            return NV_CE_LCE_LAUNCHERR_REPORT_INVALID_VALUE;
        }
    }
    if (!pitch) {
        unsigned h = VGSP_GET(NVC5B5_SET_BLOCK_SIZE_HEIGHT, side->block_size);
        unsigned d = VGSP_GET(NVC5B5_SET_BLOCK_SIZE_DEPTH, side->block_size);

        if (VGSP_GET(NVC5B5_SET_BLOCK_SIZE_WIDTH, side->block_size) ||
            h > NVC5B5_SET_BLOCK_SIZE_MAX_LOG2 ||
            d > NVC5B5_SET_BLOCK_SIZE_MAX_LOG2 ||
            VGSP_GET(NVC5B5_SET_BLOCK_SIZE_GOB_HEIGHT, side->block_size) !=
                NVC5B5_SET_BLOCK_SIZE_GOB_HEIGHT_GOB_HEIGHT_FERMI_8) {
            return NV_CE_LCE_LAUNCHERR_REPORT_INVALID_VALUE;
        }
        if (!QEMU_IS_ALIGNED(side->offset, VGSP_GOB_SIZE)) {
            return NV_CE_LCE_LAUNCHERR_REPORT_INVALID_ALIGNMENT;
        }
        if (side->layer >= side->depth) {
            return NV_CE_LCE_LAUNCHERR_REPORT_2D_LAYER_EXCEEDS_DEPTH;
        }
        sf->bl.width = (uint64_t)side->width * element;
        sf->bl.height = side->height;
        sf->bl.block_height = h;
        sf->bl.block_depth = d;
        sf->x = (uint64_t)side->origin_x * element;
        sf->y = side->origin_y;
        sf->z = side->layer;
    }
    return NV_CE_LCE_LAUNCHERR_REPORT_NO_ERR;
}

/* Whether the lines of a transfer fit the surface: a launch error or 0. */
static unsigned surface_check(const VgspCopySurface *sf, uint64_t line_bytes,
                              uint64_t lines, bool is_dst)
{
    if (sf->block_linear) {
        if (sf->x + line_bytes > sf->bl.width ||
            (uint64_t)sf->y + lines > sf->bl.height) {
            return NV_CE_LCE_LAUNCHERR_REPORT_MEM2MEM_RECT_OUT_OF_BOUNDS;
        }
    } else if (lines > 1 && line_bytes > ABS((int64_t)sf->pitch)) {
        return NV_CE_LCE_LAUNCHERR_REPORT_SRC_LINE_EXCEEDS_PITCH +
               (is_dst ? 2 : 0) + (sf->pitch < 0 ? 1 : 0);
    }
    return NV_CE_LCE_LAUNCHERR_REPORT_NO_ERR;
}

/* Reads SET_REMAP_COMPONENTS into @job: a launch error or 0. */
static unsigned remap_init(VgspCopyJob *job, const VgspCopy *ce)
{
    uint32_t v = ce->remap_components;
    unsigned size = VGSP_GET(NVC5B5_SET_REMAP_COMPONENTS_COMPONENT_SIZE, v)
                    + 1;
    unsigned n_src = VGSP_GET(NVC5B5_SET_REMAP_COMPONENTS_NUM_SRC_COMPONENTS,
                              v) + 1;
    unsigned n_dst = VGSP_GET(NVC5B5_SET_REMAP_COMPONENTS_NUM_DST_COMPONENTS,
                              v) + 1;

    job->remap = true;
    job->src_element = size * n_src;
    job->dst_element = size * n_dst;
    job->component_size = size;
    job->reads_source = false;
    job->writes_all = true;
    for (unsigned i = 0; i < n_dst; i++) {
        unsigned sel = VGSP_GET(NVC5B5_SET_REMAP_COMPONENTS_DST(i), v);

        if (sel <= NVC5B5_SET_REMAP_COMPONENTS_DST_SRC_W) {
            if (sel >= n_src) {
                return NV_CE_LCE_LAUNCHERR_REPORT_BAD_SRC_PIXEL_COMP_REF;
            }
            job->reads_source = true;
        } else if (sel == NVC5B5_SET_REMAP_COMPONENTS_DST_NO_WRITE) {
            job->writes_all = false;
        } else if (sel > NVC5B5_SET_REMAP_COMPONENTS_DST_NO_WRITE) {
            return NV_CE_LCE_LAUNCHERR_REPORT_INVALID_VALUE;
        }
        job->select[i] = sel;
    }
    stl_le_p(job->remap_const[0], ce->remap_const[0]);
    stl_le_p(job->remap_const[1], ce->remap_const[1]);
    return NV_CE_LCE_LAUNCHERR_REPORT_NO_ERR;
}

static unsigned transfer_init(VgspCopyJob *job, const VgspCopy *ce,
                              uint32_t launch)
{
    bool multi_line = VGSP_GET(NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE, launch);
    unsigned report;

    job->elements = ce->line_length;
    job->lines = multi_line ? ce->line_count : 1;
    job->src_element = job->dst_element = 1;
    job->reads_source = job->writes_all = true;
    if (VGSP_GET(NVC5B5_LAUNCH_DMA_REMAP_ENABLE, launch)) {
        report = remap_init(job, ce);
        if (report) {
            return report;
        }
    }
    report = surface_init(
        &job->src, &ce->src,
        VGSP_GET(NVC5B5_LAUNCH_DMA_SRC_TYPE, launch) ==
            NVC5B5_LAUNCH_DMA_TYPE_PHYSICAL,
        VGSP_GET(NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT, launch) ==
            NVC5B5_LAUNCH_DMA_MEMORY_LAYOUT_PITCH, job->src_element);
    /* Nobody looks at a source that is not read: fills leave it as it was. */
    if (!report) {
        report = surface_check(&job->src, job->elements * job->src_element,
                               job->lines, false);
    }
    if (report && job->reads_source) {
        return report;
    }
    report = surface_init(
        &job->dst, &ce->dst,
        VGSP_GET(NVC5B5_LAUNCH_DMA_DST_TYPE, launch) ==
            NVC5B5_LAUNCH_DMA_TYPE_PHYSICAL,
        VGSP_GET(NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT, launch) ==
            NVC5B5_LAUNCH_DMA_MEMORY_LAYOUT_PITCH, job->dst_element);
    if (!report) {
        report = surface_check(&job->dst, job->elements * job->dst_element,
                               job->lines, true);
    }
    if (report) {
        return report;
    }
    if (!job->elements) {
        job->lines = 0;
    } else if (!job->remap && !job->src.block_linear &&
               !job->dst.block_linear && job->src.pitch == job->dst.pitch &&
               job->src.pitch == (int64_t)job->elements) {
        /* Lines without gaps are one. */
        job->elements *= job->lines;
        job->lines = job->lines ? 1 : 0;
    }
    return NV_CE_LCE_LAUNCHERR_REPORT_NO_ERR;
}

/* Host's operations mean the same here, where all are of 32 bits. */
static bool reduction_valid(const VgspReduction *r)
{
    return r->op == NVC5B5_LAUNCH_DMA_SEMAPHORE_REDUCTION_FADD ||
           vgsp_reduction_valid(r);
}

static unsigned semaphore_init(VgspCopyJob *job, const VgspCopy *ce,
                               uint32_t launch)
{
    unsigned type = VGSP_GET(NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE, launch);

    job->semaphore = type;
    job->sem_va = ce->sem_va;
    job->sem_payload = ce->sem_payload;
    job->sem_reduce = VGSP_GET(NVC5B5_LAUNCH_DMA_SEMAPHORE_REDUCTION_ENABLE,
                               launch);
    job->reduction = (VgspReduction) {
        .op = VGSP_GET(NVC5B5_LAUNCH_DMA_SEMAPHORE_REDUCTION, launch),
        .is_signed = !VGSP_GET(NVC5B5_LAUNCH_DMA_SEMAPHORE_REDUCTION_SIGN,
                               launch),
        .payload = ce->sem_payload,
    };
    switch (type) {
    case NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE_NONE:
        return NV_CE_LCE_LAUNCHERR_REPORT_NO_ERR;
    case NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE_RELEASE_ONE_WORD_SEMAPHORE:
    case NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE_RELEASE_FOUR_WORD_SEMAPHORE:
        break;
    default:
        /* RELEASE_CONDITIONAL_INTR: on what, no published source says. */
        return NV_CE_LCE_LAUNCHERR_REPORT_INVALID_OPERATION;
    }
    if (job->sem_reduce && !reduction_valid(&job->reduction)) {
        return NV_CE_LCE_LAUNCHERR_REPORT_INVALID_OPERATION;
    }
    if (!QEMU_IS_ALIGNED(
            ce->sem_va,
            type == NVC5B5_LAUNCH_DMA_SEMAPHORE_TYPE_RELEASE_ONE_WORD_SEMAPHORE
                ? 4 : NV_HOST_SEMAPHORE__SIZE)) {
        return NV_CE_LCE_LAUNCHERR_REPORT_INVALID_ALIGNMENT;
    }
    return NV_CE_LCE_LAUNCHERR_REPORT_NO_ERR;
}

/* Performs a small one at once if it is its turn, else it is the worker's. */
static VgspMethodEnd launch_job(VgspChannel *ch, VgspCopyJob *job)
{
    VgspCopy *ce = &ch->ce;
    VgspJobEnd end = VGSP_JOB_MORE;

    if (!vgsp_channel_jobs(ch)) {
        end = vgsp_copy_job_perform(job, ch, &ce->slice, &ch->error);
    }
    switch (end) {
    case VGSP_JOB_MORE:
        job = g_memdup2(job, sizeof(*job));
        vgsp_host_queue_job(ch, &job->job);
        return VGSP_METHOD_DONE;
    case VGSP_JOB_DONE:
        return ce->slice > 0 ? VGSP_METHOD_DONE : VGSP_METHOD_YIELD;
    default:
        return VGSP_METHOD_ERROR;
    }
}

static VgspMethodEnd launch_dma(VgspChannel *ch, uint32_t launch)
{
    const VgspCopy *ce = &ch->ce;
    VgspCopyJob job;
    unsigned report;

    ch->wait_room = vgsp_channel_jobs(ch) >= VGSP_CHANNEL_JOBS_MAX;
    if (ch->wait_room) {
        return VGSP_METHOD_WAIT_ENGINE;
    }
    if (ce->render_disable) {
        return VGSP_METHOD_DONE;
    }

    vgsp_copy_job_init(&job);
    switch (VGSP_GET(NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE, launch)) {
    case NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NONE:
        report = NV_CE_LCE_LAUNCHERR_REPORT_NO_ERR;
        break;
    case NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_PIPELINED:
    case NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED:
        if ((VGSP_GET(NVC5B5_LAUNCH_DMA_SRC_TYPE, launch) ==
                 NVC5B5_LAUNCH_DMA_TYPE_PHYSICAL ||
             VGSP_GET(NVC5B5_LAUNCH_DMA_DST_TYPE, launch) ==
                 NVC5B5_LAUNCH_DMA_TYPE_PHYSICAL) && !ch->p.privileged) {
            return hce_error(ch, "HCE_PRIV: physical copy");
        }
        report = transfer_init(&job, ce, launch);
        break;
    default:
        report = NV_CE_LCE_LAUNCHERR_REPORT_INVALID_VALUE;
        break;
    }
    if (!report) {
        report = semaphore_init(&job, ce, launch);
    }
    if (!report && VGSP_GET(NVC5B5_LAUNCH_DMA_INTERRUPT_TYPE, launch) ==
                       NVC5B5_LAUNCH_DMA_INTERRUPT_TYPE__RESERVED) {
        report = NV_CE_LCE_LAUNCHERR_REPORT_INVALID_VALUE;
    }
    if (report) {
        return launch_error(ch, report);
    }
    /*
     * A BLOCKING interrupt goes to GSP-RM, which lets the engine go on: no
     * guest sees more of it than the time that it takes.
     */
    job.non_stall = VGSP_GET(NVC5B5_LAUNCH_DMA_INTERRUPT_TYPE, launch) ==
                    NVC5B5_LAUNCH_DMA_INTERRUPT_TYPE_NON_BLOCKING;
    trace_vgsp_ce_launch(ch->runlist, ch->p.chid, launch, job.src.base,
                         job.dst.base, job.elements, job.lines);
    return launch_job(ch, &job);
}

/* ---- Methods ---- */

/*
 * The modes that look at memory: a report is 16 bytes, its value the first
 * eight, and EQUAL compares it with the next one's, as the 3D class does. Host
 * looks after what the engine was given before.
 */
static VgspMethodEnd render_condition(VgspChannel *ch, unsigned mode)
{
    uint64_t va = ch->ce.render_va;
    uint8_t report[2][16] = { 0 };
    VgspVaFault fault;
    uint64_t value, other;

    if (!QEMU_IS_ALIGNED(va, sizeof(report[0]))) {
        return hce_error(ch, "HCE_RE_ALIGNB: render enable address");
    }
    if (vgsp_channel_busy(ch)) {
        return VGSP_METHOD_WAIT_ENGINE;
    }
    if (!vgsp_va_read(ch->s, &ch->p.pdb, ch->p.privileged, va, report,
                      mode == NVC5B5_SET_RENDER_ENABLE_C_MODE_CONDITIONAL
                          ? 8 : 24, &fault)) {
        return vgsp_channel_fault(ch, VGSP_UNIT_HOST, &fault, "render enable");
    }
    smp_mb(); /* what follows sees memory as of this value or later */
    value = ldq_le_p(report[0]);
    other = ldq_le_p(report[1]);
    switch (mode) {
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_CONDITIONAL:
        ch->ce.render_disable = value == 0;
        break;
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL:
        ch->ce.render_disable = value != other;
        break;
    default:
        ch->ce.render_disable = value == other;
    }
    return VGSP_METHOD_DONE;
}

static VgspMethodEnd set_render_enable(VgspChannel *ch, uint32_t data)
{
    unsigned mode = VGSP_GET(NVC5B5_SET_RENDER_ENABLE_C_MODE, data);

    switch (mode) {
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_FALSE:
        ch->ce.render_disable = true;
        return VGSP_METHOD_DONE;
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_TRUE:
        ch->ce.render_disable = false;
        return VGSP_METHOD_DONE;
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_CONDITIONAL:
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL:
    case NVC5B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL:
        return render_condition(ch, mode);
    default:
        return hce_error(ch, "HCE_RE_ILLEGAL_OP: render enable mode");
    }
}

static void set_high(uint64_t *va, uint64_t mask, uint32_t data)
{
    *va = (data & mask) << 32 | (uint32_t)*va;
}

static void set_low(uint64_t *va, uint32_t data)
{
    *va = (*va & ~(uint64_t)UINT32_MAX) | data;
}

static void set_origin(VgspCopySide *side, uint32_t data)
{
    side->origin_x = VGSP_GET(NVC5B5_SET_ORIGIN_X, data);
    side->origin_y = VGSP_GET(NVC5B5_SET_ORIGIN_Y, data);
}

VgspMethodEnd vgsp_copy_method(VgspChannel *ch, uint32_t method,
                               uint32_t data)
{
    VgspCopy *ce = &ch->ce;

    switch (method) {
    case NVC5B5_NOP:
    case NVC5B5_PM_TRIGGER:
    case NVC5B5_PM_TRIGGER_END:
        break;
    case NVC5B5_SET_RENDER_ENABLE_A:
        set_high(&ce->render_va, NVC5B5_SET_RENDER_ENABLE_A_UPPER, data);
        break;
    case NVC5B5_SET_RENDER_ENABLE_B:
        set_low(&ce->render_va, data);
        break;
    case NVC5B5_SET_RENDER_ENABLE_C:
        return set_render_enable(ch, data);
    case NVC5B5_SET_SEMAPHORE_A:
        set_high(&ce->sem_va, NVC5B5_OFFSET_UPPER, data);
        break;
    case NVC5B5_SET_SEMAPHORE_B:
        set_low(&ce->sem_va, data);
        break;
    case NVC5B5_SET_SEMAPHORE_PAYLOAD:
        ce->sem_payload = data;
        break;
    case NVC5B5_SET_SRC_PHYS_MODE:
        ce->src.phys_mode = data;
        break;
    case NVC5B5_SET_DST_PHYS_MODE:
        ce->dst.phys_mode = data;
        break;
    case NVC5B5_LAUNCH_DMA:
        return launch_dma(ch, data);
    case NVC5B5_OFFSET_IN_UPPER:
        set_high(&ce->src.offset, NVC5B5_OFFSET_UPPER, data);
        break;
    case NVC5B5_OFFSET_IN_LOWER:
        set_low(&ce->src.offset, data);
        break;
    case NVC5B5_OFFSET_OUT_UPPER:
        set_high(&ce->dst.offset, NVC5B5_OFFSET_UPPER, data);
        break;
    case NVC5B5_OFFSET_OUT_LOWER:
        set_low(&ce->dst.offset, data);
        break;
    case NVC5B5_PITCH_IN:
        ce->src.pitch = data;
        break;
    case NVC5B5_PITCH_OUT:
        ce->dst.pitch = data;
        break;
    case NVC5B5_LINE_LENGTH_IN:
        ce->line_length = data;
        break;
    case NVC5B5_LINE_COUNT:
        ce->line_count = data;
        break;
    case NVC5B5_SET_REMAP_CONST_A:
        ce->remap_const[0] = data;
        break;
    case NVC5B5_SET_REMAP_CONST_B:
        ce->remap_const[1] = data;
        break;
    case NVC5B5_SET_REMAP_COMPONENTS:
        ce->remap_components = data;
        break;
    case NVC5B5_SET_DST_BLOCK_SIZE:
        ce->dst.block_size = data;
        break;
    case NVC5B5_SET_DST_WIDTH:
        ce->dst.width = data;
        break;
    case NVC5B5_SET_DST_HEIGHT:
        ce->dst.height = data;
        break;
    case NVC5B5_SET_DST_DEPTH:
        ce->dst.depth = data;
        break;
    case NVC5B5_SET_DST_LAYER:
        ce->dst.layer = data;
        break;
    case NVC5B5_SET_DST_ORIGIN:
        set_origin(&ce->dst, data);
        break;
    case NVC5B5_SET_SRC_BLOCK_SIZE:
        ce->src.block_size = data;
        break;
    case NVC5B5_SET_SRC_WIDTH:
        ce->src.width = data;
        break;
    case NVC5B5_SET_SRC_HEIGHT:
        ce->src.height = data;
        break;
    case NVC5B5_SET_SRC_DEPTH:
        ce->src.depth = data;
        break;
    case NVC5B5_SET_SRC_LAYER:
        ce->src.layer = data;
        break;
    case NVC5B5_SET_SRC_ORIGIN:
        set_origin(&ce->src, data);
        break;
    case NVC5B5_SRC_ORIGIN_X:
        ce->src.origin_x = data;
        break;
    case NVC5B5_SRC_ORIGIN_Y:
        ce->src.origin_y = data;
        break;
    case NVC5B5_DST_ORIGIN_X:
        ce->dst.origin_x = data;
        break;
    case NVC5B5_DST_ORIGIN_Y:
        ce->dst.origin_y = data;
        break;
    default:
        return hce_error(ch, "HCE_ILLEGAL_MTHD: copy class method");
    }
    return VGSP_METHOD_DONE;
}
