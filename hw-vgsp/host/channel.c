/*
 * Channels as RM makes and frees them: allocation parameters to host state.
 * Specified by NVIDIA's dev_ram (RAMFC, instance block) and dev_fifo.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qapi/error.h"
#include "vgsp/nv/rm.h"
#include "host/host-int.h"
#include "trace.h"

/* LIMIT2 of RAMFC has 5 bits; a ring of that size would not fit any space. */
#define GPFIFO_ENTRIES_MAX (1u << 24)

static bool engine_is_copy(const VgspChipEngine *engine)
{
    return engine->nv2080_type >= NV2080_ENGINE_TYPE_COPY(0) &&
           engine->nv2080_type <= NV2080_ENGINE_TYPE_COPY(9);
}

/* What the runlist of @ch offers. */
static void channel_find_engines(VgspChannel *ch, const VgspChip *chip)
{
    for (uint32_t i = 0; i < chip->num_engines; i++) {
        const VgspChipEngine *engine = &chip->engine[i];

        if (engine->runlist != ch->runlist) {
            continue;
        }
        if (engine->runlist_engine_id == 0) {
            ch->primary = engine;
        }
        if (engine_is_copy(engine) &&
            (!ch->copy ||
             engine->runlist_engine_id < ch->copy->runlist_engine_id)) {
            ch->copy = engine;
        }
    }
    ch->is_gr = ch->primary &&
                ch->primary->nv2080_type == NV2080_ENGINE_TYPE_GR0;
}

uint32_t vgsp_host_token(const VgspChannel *ch)
{
    return VGSP_SET(NV_DOORBELL_RUNLIST_ID, ch->runlist) |
           VGSP_SET(NV_DOORBELL_VECTOR, ch->p.chid);
}

static bool channel_check(VgspState *s, const VgspChannelParams *p,
                          Error **errp)
{
    if (!p->engine) {
        error_setg(errp, "no such engine");
    } else if (p->chid >= s->chip.num_channels ||
               p->chid > NV_DOORBELL_VECTOR) {
        error_setg(errp, "channel id %u out of range", p->chid);
    } else if (!is_power_of_2(p->gpfifo_entries) ||
               p->gpfifo_entries > GPFIFO_ENTRIES_MAX) {
        error_setg(errp, "GPFIFO of %u entries", p->gpfifo_entries);
    } else if (!QEMU_IS_ALIGNED(p->gpfifo_va, NVC46F_GP_ENTRY__SIZE)) {
        error_setg(errp, "GPFIFO at 0x%" PRIx64, p->gpfifo_va);
    } else if (p->tsg && p->tsg->runlist != p->engine->runlist) {
        error_setg(errp, "TSG of another runlist");
    } else if (p->userd.size && p->userd.size < NV_RAMUSERD_GP_PUT + 4) {
        error_setg(errp, "USERD of %" PRIu64 " bytes", p->userd.size);
    } else {
        return true;
    }
    return false;
}

VgspChannel *vgsp_host_channel_new(VgspState *s, const VgspChannelParams *p,
                                   Error **errp)
{
    VgspHost *host = s->host;
    VgspChannel *ch;

    if (!channel_check(s, p, errp)) {
        return NULL;
    }

    ch = g_new0(VgspChannel, 1);
    ch->s = s;
    ch->host = host;
    ch->p = *p;
    ch->runlist = p->engine->runlist;
    ch->state = VGSP_CHANNEL_IDLE;
    QSIMPLEQ_INIT(&ch->jobs);
    QSIMPLEQ_INIT(&ch->new_jobs);
    vgsp_pb_init(&ch->pb);
    vgsp_copy_init(&ch->ce);
    channel_find_engines(ch, &s->chip);

    WITH_QEMU_LOCK_GUARD(&host->lock) {
        gpointer key = GUINT_TO_POINTER(vgsp_host_token(ch));

        if (!ch->primary || g_hash_table_contains(host->by_token, key)) {
            error_setg(errp, "channel id %u of runlist %u is not free",
                       p->chid, ch->runlist);
            g_free(ch);
            return NULL;
        }
        vgsp_tsg_add(p->tsg ? p->tsg : vgsp_tsg_new(host, ch->runlist), ch);
        g_hash_table_insert(host->by_token, key, ch);
        QTAILQ_INSERT_TAIL(&host->all, ch, all_next);
    }
    qatomic_inc(&s->stats.channels);
    trace_vgsp_host_channel_new(ch->runlist, p->chid, p->hw_class,
                                p->gpfifo_va, p->gpfifo_entries,
                                p->privileged);
    return ch;
}

/*
 * @ch goes before its error was told, of which its TSG died: another tells it.
 * The lock is held.
 */
static void channel_leave_error(VgspChannel *ch)
{
    VgspChannel *mate;

    if (!QTAILQ_IN_USE(ch, failed_next)) {
        return;
    }
    QTAILQ_FOREACH(mate, &ch->tsg->channels, tsg_next) {
        if (mate != ch && mate->state == VGSP_CHANNEL_DEAD &&
            !mate->forgotten && !QTAILQ_IN_USE(mate, failed_next)) {
            mate->rc = ch->rc;
            mate->rc.chid = mate->p.chid;
            QTAILQ_INSERT_TAIL(&ch->host->failed, mate, failed_next);
            return;
        }
    }
}

bool vgsp_host_channel_idle(VgspState *s, VgspChannel *ch)
{
    QEMU_LOCK_GUARD(&s->host->lock);
    return ch->state == VGSP_CHANNEL_DEAD ||
           (ch->state == VGSP_CHANNEL_IDLE && !qatomic_read(&ch->doorbell) &&
            !vgsp_channel_busy(ch));
}

bool vgsp_host_channel_stopped(VgspState *s, VgspChannel *ch)
{
    return vgsp_channel_is_dead(ch);
}

void vgsp_host_channel_free(VgspState *s, VgspChannel *ch)
{
    VgspHost *host = s->host;

    if (!ch) {
        return;
    }
    trace_vgsp_host_channel_free(ch->runlist, ch->p.chid);
    WITH_QEMU_LOCK_GUARD(&host->lock) {
        vgsp_host_hold(ch);
        channel_leave_error(ch);
        vgsp_host_forget(ch);
    }
    vgsp_gr_detach(ch);
    WITH_QEMU_LOCK_GUARD(&host->lock) {
        QTAILQ_REMOVE(&host->all, ch, all_next);
        vgsp_tsg_remove(ch);
    }
    g_free(ch);
}

static void channel_hold(VgspChannel *ch)
{
    QEMU_LOCK_GUARD(&ch->host->lock);
    vgsp_host_hold(ch);
}

static void channel_release(VgspChannel *ch)
{
    QEMU_LOCK_GUARD(&ch->host->lock);
    vgsp_host_release(ch);
}

void vgsp_host_channel_schedule(VgspState *s, VgspChannel *ch, bool enable)
{
    trace_vgsp_host_channel_schedule(ch->runlist, ch->p.chid, enable);
    channel_hold(ch);
    WITH_QEMU_LOCK_GUARD(&s->host->lock) {
        ch->enabled = enable;
    }
    vgsp_gr_hold(ch, !enable || ch->disabled);
    channel_release(ch);
}

void vgsp_host_channel_disable(VgspState *s, VgspChannel *ch, bool disable,
                               bool only_scheduling, bool rewind)
{
    trace_vgsp_host_channel_disable(ch->runlist, ch->p.chid, disable, rewind);
    channel_hold(ch);
    WITH_QEMU_LOCK_GUARD(&s->host->lock) {
        ch->disabled = disable;
    }
    if (disable && rewind) {
        /* An entry that has begun is finished. */
        ch->gp_put = (ch->gp_get + ch->in_entry) & (ch->p.gpfifo_entries - 1);
        qatomic_set(&ch->doorbell, false);
    }
    if (!disable || !only_scheduling) {
        vgsp_gr_hold(ch, disable || !ch->enabled);
    }
    channel_release(ch);
}

void vgsp_host_tsg_preempt(VgspState *s, VgspTsg *tsg)
{
    VgspChannel *ch;

    trace_vgsp_host_tsg_preempt(tsg->runlist);
    /* All of them are off at once. */
    QTAILQ_FOREACH(ch, &tsg->channels, tsg_next) {
        channel_hold(ch);
        vgsp_gr_hold(ch, true);
    }
    QTAILQ_FOREACH(ch, &tsg->channels, tsg_next) {
        vgsp_gr_hold(ch, !ch->enabled || ch->disabled);
        channel_release(ch);
    }
}

bool vgsp_channel_is_dead(VgspChannel *ch)
{
    QEMU_LOCK_GUARD(&ch->host->lock);
    return ch->state == VGSP_CHANNEL_DEAD;
}

static bool channel_has_gr_object(VgspChannel *ch)
{
    return qatomic_read(&ch->objects) & ~(1u << VGSP_CLASS_COPY);
}

void vgsp_host_channel_set_pdb(VgspState *s, VgspChannel *ch,
                               const VgspPdb *pdb)
{
    Error *err = NULL;

    trace_vgsp_host_channel_set_pdb(ch->runlist, ch->p.chid,
                                    pdb ? pdb->addr : 0,
                                    pdb && pdb->valid);
    channel_hold(ch);
    if (pdb && pdb->valid && ch->p.pdb.valid &&
        pdb->addr == ch->p.pdb.addr && pdb->aperture == ch->p.pdb.aperture) {
        channel_release(ch);
        return;
    }
    /*
     * The context's space is the directory's. That of another starts anew: a
     * driver moves the directory of a channel before it uses GR.
     */
    vgsp_gr_detach(ch);
    ch->p.pdb = pdb ? *pdb : (VgspPdb) { .valid = false };
    if (channel_has_gr_object(ch) && !vgsp_channel_is_dead(ch) &&
        !vgsp_gr_attach(ch, &err)) {
        warn_reportf_err(err, "vgsp: channel %u of runlist %u: ", ch->p.chid,
                         ch->runlist);
    }
    /* Of sections that went with the context nobody tells any more. */
    WITH_QEMU_LOCK_GUARD(&ch->host->lock) {
        vgsp_channel_engine_done(ch);
    }
    channel_release(ch);
}

bool vgsp_host_channel_object(VgspState *s, VgspChannel *ch, uint32_t cls,
                              bool present, Error **errp)
{
    VgspEngineClass ec;
    bool ok = true;

    trace_vgsp_host_channel_object(ch->runlist, ch->p.chid, cls, present);
    if (!vgsp_engine_class(cls, &ec)) {
        return true;            /* no methods reach it */
    }
    if (!present) {
        if (ch->object_count[ec] && !--ch->object_count[ec]) {
            qatomic_and(&ch->objects, ~(1u << ec));
        }
        return true;
    }
    if (ec != VGSP_CLASS_COPY) {
        channel_hold(ch);
        ok = vgsp_channel_is_dead(ch) || vgsp_gr_attach(ch, errp);
        channel_release(ch);
    }
    if (ok) {
        ch->object_count[ec]++;
        qatomic_or(&ch->objects, 1u << ec);
    }
    return ok;
}

/* ---- Errors ---- */

void vgsp_channel_fill_error(VgspChannel *ch, VgspRcError *rc,
                             uint32_t except_type, const char *what)
{
    *rc = (VgspRcError) {
        .chid = ch->p.chid,
        .runlist = ch->runlist,
        .engine_type = ch->p.engine->nv2080_type,
        .except_type = except_type,
    };
    trace_vgsp_host_error(ch->runlist, ch->p.chid, except_type, what);
    qemu_log_mask(LOG_GUEST_ERROR, "vgsp: channel %u of runlist %u: error "
                  "%u: %s\n", ch->p.chid, ch->runlist, except_type, what);
}

void vgsp_channel_fill_instance(VgspChannel *ch, VgspMmuFault *fault)
{
    fault->inst_aperture = ch->p.inst.aperture;
    fault->inst = ch->p.inst.addr;
    fault->replayable_en = ch->p.replayable;
}

/* The clients of copy engines; those of the third and later are not settled. */
static uint32_t copy_client(const VgspChannel *ch)
{
    switch (ch->copy->nv2080_type - NV2080_ENGINE_TYPE_COPY(0)) {
    case 0:
        return NV_PFAULT_CLIENT_HUB_CE0;
    case 1:
        return NV_PFAULT_CLIENT_HUB_CE1;
    default:
        return NV_PFAULT_CLIENT_HUB_CE2;
    }
}

static uint32_t fault_access(const VgspVaFault *fault)
{
    if (fault->physical) {
        return fault->is_write ? NV_PFAULT_ACCESS_TYPE_PHYS_WRITE
                               : NV_PFAULT_ACCESS_TYPE_PHYS_READ;
    }
    if (fault->is_atomic) {
        return NV_PFAULT_ACCESS_TYPE_VIRT_ATOMIC_STRONG;
    }
    return fault->is_write ? NV_PFAULT_ACCESS_TYPE_VIRT_WRITE
                           : NV_PFAULT_ACCESS_TYPE_VIRT_READ;
}

void vgsp_channel_fill_fault(VgspChannel *ch, VgspRcError *rc, VgspUnit unit,
                             const VgspVaFault *fault, const char *what)
{
    g_autofree char *text =
        g_strdup_printf("%s fault at 0x%" PRIx64 ", %s %s",
                        vgsp_gmmu_fault_name(fault->fault), fault->va,
                        what, fault->is_write ? "write" : "read");

    vgsp_channel_fill_error(ch, rc, ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT,
                            text);
    rc->is_fault = true;
    rc->fault = (VgspMmuFault) {
        .va = fault->va,
        .type = fault->fault,
        .access = fault_access(fault),
        .client_is_hub = true,
    };
    switch (unit) {
    case VGSP_UNIT_HOST:
        rc->fault.engine_id = NV_PFAULT_MMU_ENG_ID_HOST0 +
                              ch->primary->pbdma_id;
        rc->fault.client = NV_PFAULT_CLIENT_HUB_HOST;
        break;
    case VGSP_UNIT_CE:
        rc->fault.engine_id = ch->copy->fault_id;
        rc->fault.client = copy_client(ch);
        break;
    case VGSP_UNIT_FE:
        rc->fault.engine_id = ch->primary->fault_id;
        rc->fault.client = NV_PFAULT_CLIENT_HUB_FE;
        break;
    }
    vgsp_channel_fill_instance(ch, &rc->fault);
}

VgspMethodEnd vgsp_channel_error(VgspChannel *ch, uint32_t except_type,
                                 const char *what)
{
    vgsp_channel_fill_error(ch, &ch->error, except_type, what);
    return VGSP_METHOD_ERROR;
}

VgspMethodEnd vgsp_channel_fault(VgspChannel *ch, VgspUnit unit,
                                 const VgspVaFault *fault, const char *what)
{
    vgsp_channel_fill_fault(ch, &ch->error, unit, fault, what);
    return VGSP_METHOD_ERROR;
}
