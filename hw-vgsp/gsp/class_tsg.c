/*
 * TSGs (KEPLER_CHANNEL_GROUP_A) and context shares of them, and the controls
 * that stop, start and preempt channels.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, kernel/gpu/fifo/
 * kernel_channel_group_api.c, kernel_ctxshare.c, ctrl/ctrla06c.h,
 * ctrl/ctrl2080/ctrl2080fifo.h, ctrl/ctrla06f.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "gsp/rm-int.h"

/* What the fields of a runlist entry can say: (255 << 15) of 1024 ns. */
#define TIMESLICE_MAX_US (UINT64_C(255) << 15)

static uint32_t tsg_ctor(VgspRm *rm, VgspRmObject *obj, const uint8_t *params)
{
    typedef NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS P;
    VgspRmTsg *tsg = &obj->u.tsg;

    tsg->engine = vgsp_chip_engine(&rm->s->chip,
                                   RM_LE32(params, P, engineType));
    if (!tsg->engine) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    tsg->vaspace = RM_LE32(params, P, hVASpace);
    tsg->host = vgsp_host_tsg_new(rm->s, tsg->engine);
    return NV_OK;
}

/* Its channels are below it, and gone. */
static void tsg_dtor(VgspRm *rm, VgspRmObject *obj)
{
    vgsp_host_tsg_free(rm->s, obj->u.tsg.host);
}

/*
 * A context share gives channels of a TSG a subcontext. Each channel has a
 * context of its own in the executor, so there is nothing to share but the
 * space.
 */
static uint32_t ctxshare_ctor(VgspRm *rm, VgspRmObject *obj,
                              const uint8_t *params)
{
    typedef NV_CTXSHARE_ALLOCATION_PARAMETERS P;

    obj->u.ctxshare.vaspace = RM_LE32(params, P, hVASpace);
    if (!vgsp_rm_object_of(obj->client, obj->u.ctxshare.vaspace,
                           VGSP_RM_VASPACE)) {
        return NV_ERR_OBJECT_NOT_FOUND;
    }
    return NV_OK;
}

VgspRmObject *vgsp_rm_channel_vaspace(VgspRmObject *parent, uint32_t vaspace,
                                      uint32_t ctxshare)
{
    VgspRmClient *client = parent->client;
    VgspRmObject *share = vgsp_rm_object_of(client, ctxshare,
                                            VGSP_RM_CTXSHARE);

    if (!vaspace && share) {
        vaspace = share->u.ctxshare.vaspace;
    }
    if (!vaspace && parent->cls->kind == VGSP_RM_TSG) {
        vaspace = parent->u.tsg.vaspace;
    }
    return vgsp_rm_object_of(client, vaspace, VGSP_RM_VASPACE);
}

/* ---- Controls of a TSG ---- */

static uint32_t tsg_bind(VgspRm *rm, VgspRmObject *obj, uint8_t *params,
                         size_t size)
{
    typedef NVA06F_CTRL_BIND_PARAMS P;
    const VgspChipEngine *e =
        vgsp_chip_engine(&rm->s->chip, RM_LE32(params, P, engineType));

    if (!e || e->runlist != obj->u.tsg.engine->runlist) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    return NV_OK;
}

static uint32_t tsg_schedule(VgspRm *rm, VgspRmObject *obj, uint8_t *params,
                             size_t size)
{
    typedef NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS P;
    VgspRmObject *ch;

    QTAILQ_FOREACH(ch, &obj->children, sibling) {
        if (ch->cls->kind == VGSP_RM_CHANNEL) {
            vgsp_host_channel_schedule(rm->s, ch->u.channel.host,
                                       RM_U8(params, P, bEnable));
        }
    }
    return NV_OK;
}

static uint32_t tsg_set_timeslice(VgspRm *rm, VgspRmObject *obj,
                                  uint8_t *params, size_t size)
{
    typedef NVA06C_CTRL_TIMESLICE_PARAMS P;
    uint64_t us = RM_LE64(params, P, timesliceUs);

    if (us == 0 || us > TIMESLICE_MAX_US) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    vgsp_host_tsg_set_timeslice(rm->s, obj->u.tsg.host, us);
    return NV_OK;
}

static uint32_t tsg_get_timeslice(VgspRm *rm, VgspRmObject *obj,
                                  uint8_t *params, size_t size)
{
    typedef NVA06C_CTRL_TIMESLICE_PARAMS P;

    RM_PUT_LE64(params, P, timesliceUs,
                vgsp_host_tsg_timeslice(rm->s, obj->u.tsg.host));
    return NV_OK;
}

static uint32_t tsg_preempt(VgspRm *rm, VgspRmObject *obj, uint8_t *params,
                            size_t size)
{
    typedef NVA06C_CTRL_PREEMPT_PARAMS P;

    if (RM_U8(params, P, bManualTimeout) &&
        RM_LE32(params, P, timeoutUs) >
        NVA06C_CTRL_CMD_PREEMPT_MAX_MANUAL_TIMEOUT_US) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    /* Always waits: for about a millisecond, which no time-out is below. */
    vgsp_host_tsg_preempt(rm->s, obj->u.tsg.host);
    return NV_OK;
}

/*
 * Where a copy engine saves methods that wait for a fault to be serviced. A
 * fault ends its channel here, so that there is none to save.
 */
static uint32_t tsg_promote_fault_method_buffers(VgspRm *rm, VgspRmObject *obj,
                                                 uint8_t *params, size_t size)
{
    return NV_OK;
}

/* ---- Controls of channels ---- */

static uint32_t channel_stop(VgspRm *rm, VgspRmObject *obj, uint8_t *params,
                             size_t size)
{
    vgsp_host_channel_schedule(rm->s, obj->u.channel.host, false);
    return NV_OK;
}

/*
 * None of the list is touched unless all of it is good.
 */
static uint32_t fifo_disable_channels(VgspRm *rm, VgspRmObject *obj,
                                      uint8_t *params, size_t size)
{
    typedef NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS P;
    uint32_t count = RM_LE32(params, P, numChannels);
    bool disable = RM_U8(params, P, bDisable);
    VgspRmObject *ch[NV2080_CTRL_FIFO_DISABLE_CHANNELS_MAX_ENTRIES];

    if (count > ARRAY_SIZE(ch)) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t client = vgsp_le32(params + offsetof(P, hClientList) + 4 * i);
        uint32_t handle = vgsp_le32(params + offsetof(P, hChannelList) +
                                    4 * i);

        ch[i] = vgsp_rm_object_of(vgsp_rm_client(rm, client), handle,
                                  VGSP_RM_CHANNEL);
        if (!ch[i]) {
            return NV_ERR_OBJECT_NOT_FOUND;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        vgsp_host_channel_disable(rm->s, ch[i]->u.channel.host, disable,
                                  RM_U8(params, P, bOnlyDisableScheduling),
                                  disable && RM_U8(params, P, bRewindGpPut));
    }
    return NV_OK;
}

const VgspRmClass vgsp_rm_classes_tsg[] = {
    {
        .cls = KEPLER_CHANNEL_GROUP_A,
        .name = "KEPLER_CHANNEL_GROUP_A",
        .kind = VGSP_RM_TSG,
        .parents = BIT(VGSP_RM_DEVICE),
        .size = sizeof(NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS),
        .ctor = tsg_ctor,
        .dtor = tsg_dtor,
    },
    {
        .cls = FERMI_CONTEXT_SHARE_A,
        .name = "FERMI_CONTEXT_SHARE_A",
        .kind = VGSP_RM_CTXSHARE,
        .parents = BIT(VGSP_RM_TSG),
        .size = sizeof(NV_CTXSHARE_ALLOCATION_PARAMETERS),
        .ctor = ctxshare_ctor,
    },
    { 0 }
};

const VgspRmControl vgsp_rm_controls_tsg[] = {
    { NVA06C_CTRL_CMD_GPFIFO_SCHEDULE, "TSG_GPFIFO_SCHEDULE", VGSP_RM_TSG,
      sizeof(NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS), tsg_schedule },
    { NVA06C_CTRL_CMD_INTERNAL_GPFIFO_SCHEDULE,
      "TSG_INTERNAL_GPFIFO_SCHEDULE", VGSP_RM_TSG,
      sizeof(NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS), tsg_schedule },
    { NVA06C_CTRL_CMD_BIND, "TSG_BIND", VGSP_RM_TSG,
      sizeof(NVA06F_CTRL_BIND_PARAMS), tsg_bind },
    { NVA06C_CTRL_CMD_SET_TIMESLICE, "TSG_SET_TIMESLICE", VGSP_RM_TSG,
      sizeof(NVA06C_CTRL_TIMESLICE_PARAMS), tsg_set_timeslice },
    { NVA06C_CTRL_CMD_INTERNAL_SET_TIMESLICE, "TSG_INTERNAL_SET_TIMESLICE",
      VGSP_RM_TSG, sizeof(NVA06C_CTRL_TIMESLICE_PARAMS), tsg_set_timeslice },
    { NVA06C_CTRL_CMD_GET_TIMESLICE, "TSG_GET_TIMESLICE", VGSP_RM_TSG,
      sizeof(NVA06C_CTRL_TIMESLICE_PARAMS), tsg_get_timeslice },
    { NVA06C_CTRL_CMD_PREEMPT, "TSG_PREEMPT", VGSP_RM_TSG,
      sizeof(NVA06C_CTRL_PREEMPT_PARAMS), tsg_preempt },
    { NVA06C_CTRL_CMD_INTERNAL_PROMOTE_FAULT_METHOD_BUFFERS,
      "TSG_INTERNAL_PROMOTE_FAULT_METHOD_BUFFERS", VGSP_RM_TSG,
      sizeof(NVA06C_CTRL_INTERNAL_PROMOTE_FAULT_METHOD_BUFFERS_PARAMS),
      tsg_promote_fault_method_buffers },
    { NVA06F_CTRL_CMD_STOP_CHANNEL, "STOP_CHANNEL", VGSP_RM_CHANNEL,
      sizeof(NVA06F_CTRL_STOP_CHANNEL_PARAMS), channel_stop },
    { NVA06F_CTRL_CMD_INTERNAL_STOP_CHANNEL, "INTERNAL_STOP_CHANNEL",
      VGSP_RM_CHANNEL, sizeof(NVA06F_CTRL_STOP_CHANNEL_PARAMS), channel_stop },
    { NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS, "FIFO_DISABLE_CHANNELS",
      VGSP_RM_SUBDEVICE, sizeof(NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS),
      fifo_disable_channels },
    { 0 }
};
