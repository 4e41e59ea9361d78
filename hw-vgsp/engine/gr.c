/*
 * Capture of GR work: a section is the methods of subchannels 0 to 3 between
 * two points at which Host must look, verbatim and in order (design.md section
 * 5). The executor runs it and writes its releases; nothing is completed here
 * that has not run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/timer.h"
#include "qapi/error.h"
#include "device/intr.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/threed.h"
#include "host/host-int.h"
#include "trace.h"

/* ---- The context. BQL ---- */

bool vgsp_gr_attach(VgspChannel *ch, Error **errp)
{
    VgspGr *gr = &ch->gr;
    VgspExecutor *ex = ch->s->executor;
    int ret;

    if (gr->has_context || !ch->p.pdb.valid) {
        return true;
    }
    gr->shadow = vgsp_shadow_get(ch->s, &ch->p.pdb, errp);
    if (!gr->shadow) {
        return false;
    }
    ret = ex->ops->context_new(ex, vgsp_shadow_space(gr->shadow),
                               VGSP_OWNER_ENGINE_GR,
                               VGSP_HOST_TIMESLICE_DEFAULT_US, &gr->context);
    if (ret < 0) {
        error_setg_errno(errp, -ret, "no context for channel %u of runlist %u",
                         ch->p.chid, ch->runlist);
        vgsp_shadow_put(g_steal_pointer(&gr->shadow));
        return false;
    }
    gr->section.words = g_new(uint32_t, VGSP_GR_SECTION_WORDS);
    gr->section.max = VGSP_GR_SECTION_WORDS;
    gr->section.count = 0;
    gr->submitted = gr->completed = 0;
    gr->has_context = true;
    WITH_QEMU_LOCK_GUARD(&ch->host->lock) {
        g_hash_table_insert(ch->host->by_context,
                            GUINT_TO_POINTER(gr->context), ch);
    }
    trace_vgsp_gr_attach(ch->runlist, ch->p.chid, gr->context,
                         ch->p.pdb.addr);
    return true;
}

void vgsp_gr_detach(VgspChannel *ch)
{
    VgspGr *gr = &ch->gr;
    VgspExecutor *ex = ch->s->executor;

    if (!gr->has_context) {
        return;
    }
    trace_vgsp_gr_detach(ch->runlist, ch->p.chid, gr->context,
                         gr->submitted - gr->completed);
    /* Before the id is free: an event of it must not reach the next. */
    WITH_QEMU_LOCK_GUARD(&ch->host->lock) {
        g_hash_table_remove(ch->host->by_context,
                            GUINT_TO_POINTER(gr->context));
        gr->has_context = false;
    }
    ex->ops->context_del(ex, gr->context);
    vgsp_shadow_put(g_steal_pointer(&gr->shadow));
    g_clear_pointer(&gr->section.words, g_free);
    g_clear_pointer(&gr->macros, g_free);
    gr->section.count = gr->section.max = 0;
    gr->call = 0;
    gr->full = false;
    gr->holding = gr->held = false;
    qatomic_set(&gr->submitted, qatomic_read(&gr->completed));
}

void vgsp_gr_hold(VgspChannel *ch, bool hold)
{
    VgspExecutor *ex = ch->s->executor;
    VgspGr *gr = &ch->gr;

    if (!gr->has_context || gr->holding == hold || !ex->ops->context_hold) {
        return;
    }
    trace_vgsp_gr_hold(ch->runlist, ch->p.chid, gr->context, hold);
    gr->holding = hold;
    if (hold) {
        /* Time goes on for what goes on, or it could take the GPU for ever. */
        if (ex->ops->context_hold(ex, gr->context, true)) {
            vgsp_host_section_held(ch, true);
        }
        return;
    }
    if (gr->held) {
        vgsp_host_section_held(ch, false);
    }
    ex->ops->context_hold(ex, gr->context, false);
}

void vgsp_gr_refine_fault(VgspChannel *ch, VgspMmuFault *fault)
{
    VgspMapping m;

    if (fault->engine_id == ch->primary->fault_id &&
        fault->type == VGSP_GMMU_FAULT_PTE) {
        VgspGmmuFault type = vgsp_gmmu_walk(&vgsp_gmmu_ops, ch->s, &ch->p.pdb,
                                            fault->va, &m);

        if (type != VGSP_GMMU_OK) {
            fault->type = type;
        }
    }
}

/* ---- Submission ---- */

bool vgsp_gr_busy(VgspChannel *ch)
{
    return qatomic_load_acquire(&ch->gr.completed) !=
           qatomic_read(&ch->gr.submitted);
}

/* Submits the first @count words of what was captured. */
static VgspMethodEnd flush(VgspChannel *ch, uint32_t count)
{
    VgspGr *gr = &ch->gr;
    VgspExecutor *ex = ch->s->executor;
    uint64_t seq = gr->submitted + 1;
    int ret;

    if (!count) {
        return VGSP_METHOD_DONE;
    }
    gr->refused_at = qatomic_read(&gr->completed);
    /* Known to be under way before it can complete. */
    vgsp_host_section_begins(ch, seq);
    ret = ex->ops->submit(ex, gr->context, gr->section.words, count, seq);
    trace_vgsp_gr_submit(ch->runlist, ch->p.chid, gr->context, seq, count,
                         ret);
    if (ret == -EAGAIN) {
        qatomic_set(&gr->submitted, seq - 1);
        gr->full = true;
        /* Full of others' work: that tells nobody here of its end. */
        return vgsp_gr_busy(ch) ? VGSP_METHOD_WAIT_ENGINE : VGSP_METHOD_PARK;
    }
    gr->full = false;
    gr->section.count -= count;
    memmove(gr->section.words, gr->section.words + count,
            gr->section.count * sizeof(*gr->section.words));
    gr->call = gr->section.count ? 1 : 0;
    qatomic_inc(&ch->s->stats.sections);
    if (ret == -EIO) {
        /* The context died; its fault is on the way and says of what. */
        return VGSP_METHOD_WAIT_ENGINE;
    }
    if (ret < 0) {
        qatomic_set(&gr->submitted, seq - 1);
        return vgsp_channel_error(ch, ROBUST_CHANNEL_GR_EXCEPTION,
                                  "the executor refused a section");
    }
    return VGSP_METHOD_DONE;
}

VgspMethodEnd vgsp_gr_flush(VgspChannel *ch)
{
    return flush(ch, ch->gr.section.count);
}

VgspMethodEnd vgsp_gr_flush_slice(VgspChannel *ch)
{
    return flush(ch, ch->gr.call ? ch->gr.call - 1 : ch->gr.section.count);
}

/* ---- Capture ---- */

static bool has_report(VgspEngineClass ec)
{
    return ec == VGSP_CLASS_3D || ec == VGSP_CLASS_COMPUTE;
}

/*
 * Remembers what @n methods of @run set of the report semaphore: the two
 * classes have it at the same place.
 */
static void note_report(VgspGrReport *report, const VgspPbRun *run, uint32_t n)
{
    if (run->method > NVC597_SET_REPORT_SEMAPHORE_C / 4 ||
        vgsp_pb_run_method(run, n - 1) < NVC597_SET_REPORT_SEMAPHORE_A / 4) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        switch (vgsp_pb_run_method(run, i) * 4) {
        case NVC597_SET_REPORT_SEMAPHORE_A:
            report->offset_upper = run->data[i];
            break;
        case NVC597_SET_REPORT_SEMAPHORE_B:
            report->offset_lower = run->data[i];
            break;
        case NVC597_SET_REPORT_SEMAPHORE_C:
            report->payload = run->data[i];
            break;
        }
    }
}

/*
 * NVC597_SET_REPORT_SEMAPHORE_D with an operation that would make a shared engine
 * wait: an ACQUIRE parks the channel as Host's do, a TRAP waits for what came
 * before and notifies. GE compares as Host's ACQ_CIRC_GEQ does; no document
 * says whether the comparison is circular.
 */
static VgspMethodEnd device_method(VgspChannel *ch, VgspEngineClass ec,
                                   uint32_t method, uint32_t data)
{
    const VgspGrReport *report = &ch->gr.report[ec == VGSP_CLASS_COMPUTE];
    VgspMethodEnd end = vgsp_gr_flush(ch);

    if (end != VGSP_METHOD_DONE) {
        return end;
    }
    if (!has_report(ec) || method != NVC597_SET_REPORT_SEMAPHORE_D) {
        return vgsp_channel_error(ch, ROBUST_CHANNEL_GR_EXCEPTION,
                                  "method that the device cannot perform");
    }
    if (VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_D_OPERATION, data) ==
        NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_ACQUIRE) {
        VgspAcquire acq = {
            .va = VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_A_OFFSET_UPPER,
                           report->offset_upper) << 32 |
                  report->offset_lower,
            .payload = report->payload,
            .op = data & NVC597_SET_REPORT_SEMAPHORE_D_COMPARISON
                      ? NVC46F_SEM_EXECUTE_OPERATION_ACQ_CIRC_GEQ
                      : NVC46F_SEM_EXECUTE_OPERATION_ACQUIRE,
            .switch_tsg = true, /* FE waits; Host's channels do not */
            .unit = VGSP_UNIT_FE,
        };

        return vgsp_host_acquire(ch, &acq);
    }
    if (VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_D_OPERATION, data) !=
        NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_TRAP) {
        return vgsp_channel_error(ch, ROBUST_CHANNEL_GR_EXCEPTION,
                                  "report semaphore: conditional trap");
    }
    if (vgsp_gr_busy(ch)) {
        return VGSP_METHOD_WAIT_ENGINE;
    }
    vgsp_intr_raise(ch->s, ch->primary->vector_nonstall);
    return VGSP_METHOD_DONE;
}

/* Whether GR of @ch takes methods now; else *end says why not. */
static bool gr_ready(VgspChannel *ch, VgspMethodEnd *end)
{
    if (!ch->gr.has_context) {
        *end = vgsp_channel_error(ch, ROBUST_CHANNEL_PBDMA_ERROR,
                                  "CTXNOTVALID: no address space");
        return false;
    }
    /* From the copy engine to GR, Host waits for the former to be idle. */
    if (vgsp_channel_jobs(ch)) {
        *end = VGSP_METHOD_WAIT_ENGINE;
        return false;
    }
    return true;
}

/*
 * Follows the macros that @n methods of @run load, and tells of each, when it
 * is first called, whether it can emit firmware methods.
 */
static void note_macros(VgspChannel *ch, const VgspPbRun *run, uint32_t n)
{
    VgspGr *gr = &ch->gr;
    uint32_t method = run->method * 4;

    if (vgsp_macros_loads(run)) {
        if (!gr->macros) {
            gr->macros = g_new0(VgspMacros, 1);
        }
        vgsp_macros_load(gr->macros, run, n);
    } else if (gr->macros && method >= NVC597_CALL_MME_MACRO(0) &&
               trace_event_get_state_backends(TRACE_VGSP_GR_MACRO)) {
        uint32_t macro = (method - NVC597_CALL_MME_MACRO(0)) / 8;
        bool first;
        VgspMacroClass class = vgsp_macros_class(gr->macros, macro, &first);

        if (first) {
            trace_vgsp_gr_macro(ch->runlist, ch->p.chid, macro,
                                gr->macros->start[macro], class);
        }
    }
}

static void trace_methods(VgspChannel *ch, const VgspPbRun *run, uint32_t n)
{
    if (trace_event_get_state_backends(TRACE_VGSP_PBDMA_METHOD)) {
        for (uint32_t i = 0; i < n; i++) {
            trace_vgsp_pbdma_method(ch->runlist, ch->p.chid, run->subchannel,
                                    vgsp_pb_run_method(run, i) * 4,
                                    run->data[i]);
        }
    }
}

/* Whether what follows in the section belongs to a macro call: its data do. */
static void note_call(VgspGr *gr, VgspEngineClass ec, const VgspPbRun *run)
{
    uint32_t method = run->method * 4;

    if (ec != VGSP_CLASS_3D || method < NVC597_CALL_MME_MACRO(0)) {
        gr->call = 0;
    } else if (!(method & NVC597_CALL_MME_DATA(0) &
                 ~NVC597_CALL_MME_MACRO(0))) {
        gr->call = gr->section.count + 1;
    }
}

/* Appends @n methods of @run; how many, and *end. */
static uint32_t capture(VgspChannel *ch, const VgspPbRun *run, uint32_t n,
                        VgspMethodEnd *end)
{
    uint32_t done = vgsp_section_append(&ch->gr.section, run, n);

    *end = VGSP_METHOD_DONE;
    while (done < n) {
        VgspPbRun rest = vgsp_pb_run_rest(run, done);
        uint32_t more;

        /* A call that takes most of a section is cut after all. */
        *end = ch->gr.call > ch->gr.section.max / 2 ? vgsp_gr_flush_slice(ch)
                                                    : vgsp_gr_flush(ch);
        if (*end != VGSP_METHOD_DONE) {
            break;
        }
        more = vgsp_section_append(&ch->gr.section, &rest, n - done);
        assert(more);           /* half of the section is empty */
        done += more;
    }
    return done;
}

uint32_t vgsp_gr_methods(VgspChannel *ch, VgspEngineClass ec,
                         const VgspPbRun *run, VgspMethodEnd *end)
{
    VgspPolicy policy;
    uint32_t n;

    if (!gr_ready(ch, end)) {
        return 0;
    }
    n = vgsp_section_pass(vgsp_engine_class_id(ec), run, run->count, &policy);
    if (n) {
        note_call(&ch->gr, ec, run);
        n = capture(ch, run, n, end);
        trace_methods(ch, run, n);
        if (n && has_report(ec)) {
            note_report(&ch->gr.report[ec == VGSP_CLASS_COMPUTE], run, n);
        }
        if (n && ec == VGSP_CLASS_3D) {
            note_macros(ch, run, n);
        }
        return n;
    }
    trace_methods(ch, run, 1);
    if (policy == VGSP_POLICY_DEVICE) {
        *end = device_method(ch, ec, run->method * 4, run->data[0]);
        return vgsp_method_performed(*end);
    }
    *end = vgsp_channel_error(ch, ROBUST_CHANNEL_GR_EXCEPTION,
                              "ILLEGAL_MTHD: method of no class's");
    trace_vgsp_gr_denied(ch->runlist, ch->p.chid, vgsp_engine_class_id(ec),
                         run->method * 4, run->data[0]);
    return 0;
}

VgspMethodEnd vgsp_gr_set_object(VgspChannel *ch, VgspEngineClass ec,
                                 unsigned subchannel, uint32_t data)
{
    VgspPbRun run = {
        .data = &data,
        .count = 1,
        .method = NVC46F_SET_OBJECT / 4,
        .subchannel = subchannel,
    };
    VgspMethodEnd end;

    if (gr_ready(ch, &end)) {
        ch->gr.call = 0;
        capture(ch, &run, 1, &end);
    }
    return end;
}

/* ---- What the executor tells, in its threads ---- */

/* The lock is held. NULL: of a channel that is gone, or of no one. */
static VgspChannel *context_channel(VgspHost *host, uint32_t context)
{
    return g_hash_table_lookup(host->by_context, GUINT_TO_POINTER(context));
}

static void gr_completed(VgspState *s, uint32_t context, uint64_t seq)
{
    VgspHost *host = s->host;
    VgspChannel *ch;

    trace_vgsp_gr_completed(context, seq);
    QEMU_LOCK_GUARD(&host->lock);
    ch = context_channel(host, context);
    if (ch && seq > ch->gr.completed && seq <= qatomic_read(&ch->gr.submitted)) {
        qatomic_store_release(&ch->gr.completed, seq);
        ch->gr.progress_at = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
        vgsp_host_engine_done(ch);
    }
}

static void gr_interrupt(VgspState *s, uint32_t context)
{
    VgspHost *host = s->host;
    VgspChannel *ch;

    QEMU_LOCK_GUARD(&host->lock);
    ch = context_channel(host, context);
    if (ch) {
        vgsp_intr_raise(s, ch->primary->vector_nonstall);
    }
}

static void fill_fault(VgspChannel *ch, VgspRcError *rc,
                       const struct vgsp_owner_fault *f)
{
    VgspMmuFault *mf = &rc->fault;

    vgsp_channel_fill_error(ch, rc, ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT,
                            "MMU fault of the graphics engine");
    rc->is_fault = true;
    mf->va = f->valid & VGSP_OWNER_FAULT_HAS_ADDRESS ? f->address : 0;
    mf->type = f->valid & VGSP_OWNER_FAULT_HAS_TYPE ? f->type
                                                    : VGSP_GMMU_FAULT_PTE;
    mf->access = f->valid & VGSP_OWNER_FAULT_HAS_ACCESS ? f->access
                                                    : VGSP_GMMU_ACCESS_READ;
    if (f->valid & VGSP_OWNER_FAULT_HAS_CLIENT) {
        mf->client = f->client;
        mf->client_is_hub = f->client_is_hub;
    } else {
        mf->client = NV_PFAULT_CLIENT_HUB_FE;
        mf->client_is_hub = true;
    }
    mf->engine_id = ch->primary->fault_id;
    vgsp_channel_fill_instance(ch, mf);
}

static void gr_fault(VgspState *s, const struct vgsp_owner_fault *f)
{
    VgspHost *host = s->host;
    VgspChannel *ch;
    VgspRcError rc;

    QEMU_LOCK_GUARD(&host->lock);
    ch = context_channel(host, f->context);
    if (!ch) {
        return;
    }
    trace_vgsp_gr_fault(ch->runlist, ch->p.chid, f->context, f->kind, f->seq,
                        f->address, f->method, f->pc);
    switch (f->kind) {
    case VGSP_OWNER_FAULT_MMU:
        fill_fault(ch, &rc, f);
        break;
    case VGSP_OWNER_FAULT_TIMEOUT:
        vgsp_channel_fill_error(ch, &rc, ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR,
                                "work that does not end");
        break;
    case VGSP_OWNER_FAULT_LOST:
        vgsp_channel_fill_error(ch, &rc, ROBUST_CHANNEL_PREEMPTIVE_REMOVAL,
                                "the executor lost the engine");
        break;
    default:
        vgsp_channel_fill_error(ch, &rc, ROBUST_CHANNEL_GR_EXCEPTION,
                                "graphics exception");
        break;
    }
    vgsp_channel_fail(ch, &rc);
}

const VgspExecutorEvents vgsp_host_events = {
    .completed = gr_completed,
    .interrupt = gr_interrupt,
    .fault = gr_fault,
};
