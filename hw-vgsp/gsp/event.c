/*
 * What GSP-RM reports by itself: a channel that the host engine stopped, and
 * its TSG with it. The error notifiers are written first, then the log line and
 * RC_TRIGGERED go out, once, as kernel/gpu/rc of
 * NVIDIA/open-gpu-kernel-modules expects them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/memory.h"
#include "device/regs.h"
#include "gsp/rm-int.h"
#include "trace.h"

static void fill_notifier(VgspRm *rm, const VgspMemDesc *mem,
                          uint32_t engine_type, uint32_t except_type)
{
    uint8_t n[sizeof(NvNotification)];
    uint64_t now = vgsp_ptimer_ns(rm->s);

    if (mem->size < sizeof(n)) {
        return;
    }
    RM_PUT_LE32(n, NvNotification, timeStamp[0], now);
    RM_PUT_LE32(n, NvNotification, timeStamp[1], now >> 32);
    RM_PUT_LE32(n, NvNotification, info32, except_type);
    RM_PUT_LE16(n, NvNotification, info16, engine_type);
    RM_PUT_LE16(n, NvNotification, status, NV_NOTIFICATION_STATUS_ERROR);
    /* The status tells that the rest is there: it goes last. */
    vgsp_mem_write(rm->s, mem->aperture, mem->addr, n,
                   offsetof(NvNotification, status));
    vgsp_mem_write(rm->s, mem->aperture,
                   mem->addr + offsetof(NvNotification, status),
                   n + offsetof(NvNotification, status), sizeof(uint16_t));
}

/* The notifier of each channel of the TSG: RC_NOTIFIER_SCOPE_TSG. */
static void fill_notifiers(VgspRm *rm, VgspRmObject *obj, uint32_t engine_type,
                           uint32_t except_type)
{
    VgspRmObject *mate;

    if (obj->parent->cls->kind != VGSP_RM_TSG) {
        fill_notifier(rm, &obj->u.channel.notifier, engine_type, except_type);
        return;
    }
    QTAILQ_FOREACH(mate, &obj->parent->children, sibling) {
        /* A channel that joined since lives. */
        if (mate->cls->kind == VGSP_RM_CHANNEL && mate->u.channel.host &&
            vgsp_host_channel_stopped(rm->s, mate->u.channel.host)) {
            fill_notifier(rm, &mate->u.channel.notifier, engine_type,
                          except_type);
        }
    }
}

static void post_os_error_log(VgspRm *rm, const VgspChipEngine *engine,
                              uint32_t chid, uint32_t except_type,
                              uint64_t fault_addr, uint32_t fault_type)
{
    typedef rpc_os_error_log_v17_00_570 P;
    uint8_t log[sizeof(P)] = { 0 };
    char *text = (char *)log + offsetof(P, errString);
    size_t size = sizeof(((P *)0)->errString);

    RM_PUT_LE32(log, P, exceptType, except_type);
    RM_PUT_LE32(log, P, runlistId, engine->runlist);
    RM_PUT_LE32(log, P, chid, chid);
    if (except_type == ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT) {
        snprintf(text, size, "Ch %08x, MMU Fault: ENGINE %s faulted @ "
                 "0x%x_%08x. Fault is of type FAULT_%s", chid, engine->name,
                 (uint32_t)(fault_addr >> 32), (uint32_t)fault_addr,
                 vgsp_gmmu_fault_name(fault_type));
    } else {
        snprintf(text, size, "Ch %08x, engine %s", chid, engine->name);
    }
    /* 535 lacks the last word. */
    vgsp_gsp_post(rm->s, NV_VGPU_MSG_EVENT_OS_ERROR_LOG, log,
                  MIN(sizeof(log), rm->profile->os_error_log_size));
}

static void put_field(uint8_t *p, uint16_t offset, uint32_t value)
{
    if (offset != VGSP_ABSENT) {
        vgsp_put_le32(p + offset, value);
    }
}

static void post_rc_triggered(VgspRm *rm, uint32_t chid, uint32_t engine_type,
                              uint32_t except_type, uint64_t fault_addr,
                              uint32_t fault_type)
{
    const VgspRcTriggeredLayout *l = rm->profile->rc_triggered;
    g_autofree uint8_t *p = g_malloc0(l->size);

    put_field(p, l->engine_type, engine_type);
    put_field(p, l->chid, chid);
    put_field(p, l->except_level, 0);
    put_field(p, l->except_type, except_type);
    put_field(p, l->scope, RC_NOTIFIER_SCOPE_TSG);
    if (except_type == ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT) {
        put_field(p, l->fault_addr_lo, fault_addr);
        put_field(p, l->fault_addr_hi, fault_addr >> 32);
        put_field(p, l->fault_type, fault_type);
    }
    vgsp_gsp_post(rm->s, NV_VGPU_MSG_EVENT_RC_TRIGGERED, p, l->size);
}

void vgsp_rm_rc_error(VgspRm *rm, uint32_t runlist, uint32_t chid,
                      uint32_t engine_type, uint32_t except_type,
                      uint64_t fault_addr, uint32_t fault_type)
{
    VgspRmObject *obj = vgsp_rm_channel_find(rm, runlist, chid);
    const VgspChipEngine *engine = vgsp_chip_engine(&rm->s->chip, engine_type);

    if (!obj) {
        /* Freed while the report was under way: nobody is left to tell. */
        return;
    }
    if (!engine) {
        engine = obj->u.channel.engine;
    }
    trace_vgsp_rm_rc_error(obj->client->root->handle, obj->handle, chid,
                           except_type, fault_addr);
    fill_notifiers(rm, obj, engine->nv2080_type, except_type);
    post_os_error_log(rm, engine, chid, except_type, fault_addr, fault_type);
    post_rc_triggered(rm, chid, engine->nv2080_type, except_type, fault_addr,
                      fault_type);
}
