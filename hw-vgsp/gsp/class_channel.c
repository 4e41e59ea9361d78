/*
 * GPFIFO channels (TURING_CHANNEL_GPFIFO_A), the engine objects on them, and
 * their controls. RM decides what the channel is; hw-vgsp/host runs it.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, alloc/alloc_channel.h,
 * kernel/gpu/fifo/kernel_channel.c, ctrl/ctrla06f, ctrl/ctrl2080/
 * ctrl2080gpu.h (PROMOTE_CTX).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "gsp/rm-int.h"

/* ---- Allocation ---- */

static bool mem_desc(const uint8_t *p, VgspMemDesc *desc)
{
    typedef NV_MEMORY_DESC_PARAMS P;

    *desc = (VgspMemDesc) {
        .addr = RM_LE64(p, P, base),
        .size = RM_LE64(p, P, size),
    };
    switch (RM_LE32(p, P, addressSpace)) {
    case NV_MEMORY_DESC_ADDRESS_SPACE_FBMEM:
        desc->aperture = VGSP_APERTURE_VIDEO;
        return true;
    case NV_MEMORY_DESC_ADDRESS_SPACE_SYSMEM:
        desc->aperture = VGSP_APERTURE_SYS_COHERENT;
        return true;
    default:
        return desc->size == 0;
    }
}

VgspRmObject *vgsp_rm_channel_find(VgspRm *rm, uint32_t runlist, uint32_t chid)
{
    VgspRmObject *obj;

    QTAILQ_FOREACH(obj, &rm->channels, u.channel.in_rm) {
        if (obj->u.channel.engine->runlist == runlist &&
            obj->u.channel.chid == chid) {
            return obj;
        }
    }
    return NULL;
}

static uint32_t channel_ctor(VgspRm *rm, VgspRmObject *obj,
                             const uint8_t *params)
{
    typedef NV_CHANNEL_ALLOC_PARAMS P;
    VgspRmChannel *ch = &obj->u.channel;
    uint32_t flags = RM_LE32(params, P, flags);
    uint32_t internal = RM_LE32(params, P, internalFlags);
    VgspChannelParams p = {
        .hw_class = obj->cls->cls,
        .gpfifo_va = RM_LE64(params, P, gpFifoOffset),
        .gpfifo_entries = RM_LE32(params, P, gpFifoEntries),
        .privileged = flags & NVOS04_FLAGS_PRIVILEGED_CHANNEL,
    };
    Error *err = NULL;

    p.engine = vgsp_chip_engine(&rm->s->chip, RM_LE32(params, P, engineType));
    ch->vaspace = vgsp_rm_channel_vaspace(obj->parent,
                                          RM_LE32(params, P, hVASpace),
                                          RM_LE32(params, P, hContextShare));
    if (!p.engine) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    if (!ch->vaspace) {
        return NV_ERR_OBJECT_NOT_FOUND;
    }
    if (!mem_desc(params + offsetof(P, instanceMem), &p.inst) ||
        !mem_desc(params + offsetof(P, userdMem), &p.userd) ||
        !mem_desc(params + offsetof(P, ramfcMem), &p.ramfc)) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    if (VGSP_GET(NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS_ERROR_NOTIFIER_TYPE,
                 internal) == ERROR_NOTIFIER_TYPE_MEMORY &&
        !mem_desc(params + offsetof(P, errorNotifierMem), &ch->notifier)) {
        return NV_ERR_INVALID_ARGUMENT;
    }

    /* The id that the driver has chosen is told by its USERD's place. */
    p.chid = VGSP_GET(NVOS04_FLAGS_CHANNEL_USERD_INDEX_PAGE_VALUE, flags) *
             NVOS04_CHANNELS_PER_USERD_PAGE +
             VGSP_GET(NVOS04_FLAGS_CHANNEL_USERD_INDEX_VALUE, flags);
    if (p.chid >= rm->s->chip.num_channels ||
        vgsp_rm_channel_find(rm, p.engine->runlist, p.chid)) {
        return NV_ERR_NO_FREE_FIFOS;
    }
    if (obj->parent->cls->kind == VGSP_RM_TSG) {
        p.tsg = obj->parent->u.tsg.host;
        if (obj->parent->u.tsg.engine->runlist != p.engine->runlist) {
            return NV_ERR_INVALID_ARGUMENT;
        }
    }
    p.pdb = ch->vaspace->u.vaspace.pdb;
    p.replayable = ch->vaspace->u.vaspace.replayable;
    ch->engine = p.engine;
    ch->chid = p.chid;
    ch->host = vgsp_host_channel_new(rm->s, &p, &err);
    if (!ch->host) {
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: channel %u: %s\n", p.chid,
                      error_get_pretty(err));
        error_free(err);
        return NV_ERR_INVALID_ARGUMENT;
    }
    QTAILQ_INSERT_TAIL(&ch->vaspace->u.vaspace.channels, obj,
                       u.channel.in_vaspace);
    QTAILQ_INSERT_TAIL(&rm->channels, obj, u.channel.in_rm);
    return NV_OK;
}

void vgsp_rm_channel_stop(VgspRm *rm, VgspRmObject *obj)
{
    VgspRmChannel *ch = &obj->u.channel;

    if (ch->host) {
        vgsp_host_channel_free(rm->s, ch->host);
        ch->host = NULL;
    }
}

static void channel_dtor(VgspRm *rm, VgspRmObject *obj)
{
    VgspRmChannel *ch = &obj->u.channel;

    vgsp_rm_channel_stop(rm, obj);
    g_free(ch->ctx);
    QTAILQ_REMOVE(&ch->vaspace->u.vaspace.channels, obj, u.channel.in_vaspace);
    QTAILQ_REMOVE(&rm->channels, obj, u.channel.in_rm);
}

/* ---- Engine objects ---- */

static uint32_t engine_object_new(VgspRm *rm, VgspRmObject *obj,
                                  const VgspChipEngine *engine)
{
    VgspRmChannel *ch = &obj->parent->u.channel;
    Error *err = NULL;

    if (!engine || engine->runlist != ch->engine->runlist) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    if (!vgsp_host_channel_object(rm->s, ch->host, obj->cls->cls, true,
                                  &err)) {
        warn_report_err(err);
        return NV_ERR_INSUFFICIENT_RESOURCES;
    }
    return NV_OK;
}

static uint32_t gr_object_ctor(VgspRm *rm, VgspRmObject *obj,
                               const uint8_t *params)
{
    return engine_object_new(rm, obj, vgsp_chip_engine(&rm->s->chip,
                                                       NV2080_ENGINE_TYPE_GR0));
}

static uint32_t copy_object_ctor(VgspRm *rm, VgspRmObject *obj,
                                 const uint8_t *params)
{
    typedef NVB0B5_ALLOCATION_PARAMETERS P;
    uint32_t type = params ? RM_LE32(params, P, engineType) : 0;

    if (!params) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    switch (RM_LE32(params, P, version)) {
    case NVB0B5_ALLOCATION_PARAMETERS_VERSION_0:
        type += NV2080_ENGINE_TYPE_COPY0;
        break;
    case NVB0B5_ALLOCATION_PARAMETERS_VERSION_1:
        break;
    default:
        return NV_ERR_INVALID_ARGUMENT;
    }
    if (type < NV2080_ENGINE_TYPE_COPY0 || type > NV2080_ENGINE_TYPE_COPY9) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    return engine_object_new(rm, obj, vgsp_chip_engine(&rm->s->chip, type));
}

static void engine_object_dtor(VgspRm *rm, VgspRmObject *obj)
{
    VgspRmChannel *ch = &obj->parent->u.channel;

    if (ch->host) {
        vgsp_host_channel_object(rm->s, ch->host, obj->cls->cls, false, NULL);
    }
}

/* ---- Controls ---- */

/* The engine is that of the runlist, which allocation has fixed. */
static uint32_t channel_bind(VgspRm *rm, VgspRmObject *obj, uint8_t *params,
                             size_t size)
{
    typedef NVA06F_CTRL_BIND_PARAMS P;
    const VgspChipEngine *e =
        vgsp_chip_engine(&rm->s->chip, RM_LE32(params, P, engineType));

    if (!e || e->runlist != obj->u.channel.engine->runlist) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    return NV_OK;
}

static uint32_t channel_schedule(VgspRm *rm, VgspRmObject *obj,
                                 uint8_t *params, size_t size)
{
    typedef NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS P;

    vgsp_host_channel_schedule(rm->s, obj->u.channel.host,
                               RM_U8(params, P, bEnable));
    return NV_OK;
}

static uint32_t channel_get_work_submit_token(VgspRm *rm, VgspRmObject *obj,
                                              uint8_t *params, size_t size)
{
    typedef NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS P;

    RM_PUT_LE32(params, P, workSubmitToken,
                vgsp_host_token(obj->u.channel.host));
    return NV_OK;
}

/*
 * The driver hands over the context buffers of a channel. bInitialize asks RM
 * to initialise one; it stays set in the reply, by which drivers know that it
 * was done. The golden context is built of them when the first 3D object
 * comes: the engine's context is the executor's, so nothing is written here.
 */
static uint32_t gpu_promote_ctx(VgspRm *rm, VgspRmObject *obj, uint8_t *params,
                                size_t size)
{
    typedef NV2080_CTRL_GPU_PROMOTE_CTX_PARAMS P;
    typedef NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ENTRY Entry;
    uint32_t count = RM_LE32(params, P, entryCount);
    const uint8_t *e = params + offsetof(P, promoteEntry);
    VgspRmObject *ch = vgsp_rm_object_of(
        vgsp_rm_client(rm, RM_LE32(params, P, hChanClient)),
        RM_LE32(params, P, hObject), VGSP_RM_CHANNEL);
    const VgspChipEngine *engine =
        vgsp_chip_engine(&rm->s->chip, RM_LE32(params, P, engineType));

    if (!ch) {
        return NV_ERR_OBJECT_NOT_FOUND;
    }
    if (!engine || engine->runlist != ch->u.channel.engine->runlist ||
        count > NV2080_CTRL_GPU_PROMOTE_CONTEXT_MAX_ENTRIES) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (RM_LE16(e + i * sizeof(Entry), Entry, bufferId) >=
            NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ID_COUNT) {
            return NV_ERR_INVALID_ARGUMENT;
        }
    }

    if (!ch->u.channel.ctx) {
        ch->u.channel.ctx = g_new0(VgspRmCtxBuffer,
                                   NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ID_COUNT);
    }
    for (uint32_t i = 0; i < count; i++, e += sizeof(Entry)) {
        VgspRmCtxBuffer *buf =
            &ch->u.channel.ctx[RM_LE16(e, Entry, bufferId)];

        buf->present = true;
        buf->nonmapped = RM_U8(e, Entry, bNonmapped);
        if (!buf->nonmapped) {
            buf->virt = RM_LE64(e, Entry, gpuVirtAddr);
        }
        if (RM_U8(e, Entry, bInitialize)) {
            buf->phys = RM_LE64(e, Entry, gpuPhysAddr);
            buf->size = RM_LE64(e, Entry, size);
            buf->phys_attr = RM_LE32(e, Entry, physAttr);
        }
    }
    return NV_OK;
}

/* ---- Tables ---- */

#define GR_OBJECT(c) { \
    .cls = c, \
    .name = #c, \
    .kind = VGSP_RM_ENGINE_OBJECT, \
    .parents = BIT(VGSP_RM_CHANNEL), \
    .size = sizeof(NV_GR_ALLOCATION_PARAMETERS), \
    .optional = true, \
    .ctor = gr_object_ctor, \
    .dtor = engine_object_dtor, \
}

const VgspRmClass vgsp_rm_classes_channel[] = {
    {
        .cls = TURING_CHANNEL_GPFIFO_A,
        .name = "TURING_CHANNEL_GPFIFO_A",
        .kind = VGSP_RM_CHANNEL,
        .parents = BIT(VGSP_RM_DEVICE) | BIT(VGSP_RM_TSG),
        .size = VGSP_RM_SIZE_CHANNEL,
        .ctor = channel_ctor,
        .dtor = channel_dtor,
    },
    GR_OBJECT(TURING_A),
    GR_OBJECT(TURING_COMPUTE_A),
    GR_OBJECT(FERMI_TWOD_A),
    GR_OBJECT(KEPLER_INLINE_TO_MEMORY_B),
    {
        .cls = TURING_DMA_COPY_A,
        .name = "TURING_DMA_COPY_A",
        .kind = VGSP_RM_ENGINE_OBJECT,
        .parents = BIT(VGSP_RM_CHANNEL),
        .size = sizeof(NVB0B5_ALLOCATION_PARAMETERS),
        .ctor = copy_object_ctor,
        .dtor = engine_object_dtor,
    },
    { 0 }
};

const VgspRmControl vgsp_rm_controls_channel[] = {
    { NVA06F_CTRL_CMD_GPFIFO_SCHEDULE, "GPFIFO_SCHEDULE", VGSP_RM_CHANNEL,
      sizeof(NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS), channel_schedule },
    { NVA06F_CTRL_CMD_BIND, "BIND", VGSP_RM_CHANNEL,
      sizeof(NVA06F_CTRL_BIND_PARAMS), channel_bind },
    { NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN,
      "GPFIFO_GET_WORK_SUBMIT_TOKEN", VGSP_RM_CHANNEL,
      sizeof(NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS),
      channel_get_work_submit_token },
    { NV2080_CTRL_CMD_GPU_PROMOTE_CTX, "GPU_PROMOTE_CTX", VGSP_RM_SUBDEVICE,
      sizeof(NV2080_CTRL_GPU_PROMOTE_CTX_PARAMS), gpu_promote_ctx },
    { 0 }
};
