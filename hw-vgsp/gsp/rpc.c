/*
 * GSP-RM's RPC functions: one table of them, with the lengths that are checked
 * before a handler runs. Function numbers and payloads: vgsp/nv/rpc.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "host/host.h"
#include "gsp/rm-int.h"
#include "trace.h"

/* Length of a request's payload that the profile decides. */
#define SIZE_STATIC_INFO    0xffffu

typedef struct VgspRmFunction {
    uint32_t function;
    const char *name;
    uint32_t size;              /* least length of the payload, bytes */
    /* Where a u32 count of what follows @size lies, and the size of each. */
    uint16_t count_offset, count_unit;
    uint32_t (*handler)(VgspRm *rm, uint8_t *payload, size_t len);
} VgspRmFunction;

/* The reply is what came: GSP-RM only notes who the driver is. */
static uint32_t set_guest_system_info(VgspRm *rm, uint8_t *payload, size_t len)
{
    return NV_OK;
}

static uint32_t rpc_alloc_memory(VgspRm *rm, uint8_t *payload, size_t len)
{
    typedef rpc_alloc_memory_v13_01 P;
    uint32_t status = vgsp_rm_alloc_memory(rm, payload, len);

    trace_vgsp_rm_alloc_memory(RM_LE32(payload, P, hClient),
                               RM_LE32(payload, P, hMemory),
                               RM_LE32(payload, P, hClass),
                               RM_LE64(payload, P, length), status);
    /* The payload has no status: the message's result carries it. */
    return status;
}

static uint32_t rpc_free(VgspRm *rm, uint8_t *payload, size_t len)
{
    typedef rpc_free_v03_00 P;

    RM_PUT_LE32(payload, P, status,
                vgsp_rm_free_handle(rm, RM_LE32(payload, P, hRoot),
                                    RM_LE32(payload, P, hObjectOld)));
    return NV_OK;
}

/*
 * Waits until all are idle, for as long as the driver says; all of a channel's
 * engines are looked at, whichever it names. What GSP-RM answers to a query of
 * busy ones is unverified.
 */
static uint32_t idle_channels(VgspRm *rm, uint8_t *payload, size_t len)
{
    typedef rpc_idle_channels_v03_00 P;
    typedef idle_channel_list_v03_00 Entry;
    const uint8_t *e = payload + sizeof(P);
    uint32_t behavior = VGSP_GET(NVOS30_FLAGS_BEHAVIOR,
                                 RM_LE32(payload, P, flags));
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    int64_t until = rm->idle_until;
    bool idle = true;

    rm->idle_until = 0;
    if (behavior > NVOS30_FLAGS_BEHAVIOR_FORCE_BUSY_CHECK) {
        return NV_ERR_INVALID_ARGUMENT;
    }
    for (uint32_t i = RM_LE32(payload, P, nchannels); i; i--) {
        VgspRmClient *client = vgsp_rm_client(rm, RM_LE32(e, Entry, phClient));
        VgspRmObject *ch = vgsp_rm_object_of(client,
                                             RM_LE32(e, Entry, phChannel),
                                             VGSP_RM_CHANNEL);

        if (!ch || !vgsp_rm_object_of(client, RM_LE32(e, Entry, phDevice),
                                      VGSP_RM_DEVICE)) {
            return NV_ERR_OBJECT_NOT_FOUND;
        }
        idle &= vgsp_host_channel_idle(rm->s, ch->u.channel.host);
        e += sizeof(Entry);
    }
    if (idle) {
        return NV_OK;
    }
    if (behavior == NVOS30_FLAGS_BEHAVIOR_QUERY) {
        return NV_ERR_MORE_PROCESSING_REQUIRED;
    }
    if (!until) {
        until = now + RM_LE32(payload, P, timeout) * (int64_t)SCALE_US;
    }
    if (now >= until) {
        return NV_ERR_TIMEOUT;
    }
    rm->idle_until = until;
    return VGSP_RM_PENDING;
}

static uint32_t unloading_guest_driver(VgspRm *rm, uint8_t *payload,
                                       size_t len)
{
    typedef rpc_unloading_guest_driver_v1F_07 P;
    bool pm = RM_U8(payload, P, bInPMTransition);

    /* GSP-RM stops: whatever comes next, no channel runs without it. */
    vgsp_host_disable_all(rm->s, true);
    vgsp_gsp_unloading(rm->s, pm, RM_LE32(payload, P, newLevel));
    return NV_OK;
}

static uint32_t get_gsp_static_info(VgspRm *rm, uint8_t *payload, size_t len)
{
    vgsp_rm_static_info(rm, payload);
    return NV_OK;
}

static uint32_t update_bar_pde(VgspRm *rm, uint8_t *payload, size_t len)
{
    typedef rpc_update_bar_pde_v15_00 P;
    uint32_t status = vgsp_rm_update_bar_pde(rm, payload);

    trace_vgsp_rm_update_bar_pde(RM_LE32(payload, P, barType),
                                 RM_LE64(payload, P, entryValue), status);
    return status;
}

/* What the message's length leaves for parameters bounds their size. */
static uint32_t gsp_rm_control(VgspRm *rm, uint8_t *payload, size_t len)
{
    typedef rpc_gsp_rm_control_v03_00 P;

    RM_PUT_LE32(payload, P, status,
                vgsp_rm_control(rm, RM_LE32(payload, P, hClient),
                                RM_LE32(payload, P, hObject),
                                RM_LE32(payload, P, cmd),
                                payload + sizeof(P),
                                RM_LE32(payload, P, paramsSize)));
    return NV_OK;
}

static uint32_t gsp_rm_alloc(VgspRm *rm, uint8_t *payload, size_t len)
{
    typedef rpc_gsp_rm_alloc_v03_00 P;
    uint32_t handle = RM_LE32(payload, P, hObject);
    uint32_t status = vgsp_rm_alloc(rm, RM_LE32(payload, P, hClient),
                                    RM_LE32(payload, P, hParent), &handle,
                                    RM_LE32(payload, P, hClass),
                                    payload + sizeof(P),
                                    RM_LE32(payload, P, paramsSize));

    RM_PUT_LE32(payload, P, status, status);
    RM_PUT_LE32(payload, P, hObject, handle);
    return NV_OK;
}

static const VgspRmFunction functions[] = {
    { NV_VGPU_MSG_FUNCTION_SET_GUEST_SYSTEM_INFO, "SET_GUEST_SYSTEM_INFO",
      sizeof(rpc_set_guest_system_info_v03_00),
      .handler = set_guest_system_info },
    { NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY, "ALLOC_MEMORY",
      sizeof(rpc_alloc_memory_v13_01),
      offsetof(rpc_alloc_memory_v13_01, pageCount), sizeof(uint64_t),
      rpc_alloc_memory },
    { NV_VGPU_MSG_FUNCTION_FREE, "FREE", sizeof(rpc_free_v03_00),
      .handler = rpc_free },
    { NV_VGPU_MSG_FUNCTION_IDLE_CHANNELS, "IDLE_CHANNELS",
      sizeof(rpc_idle_channels_v03_00),
      offsetof(rpc_idle_channels_v03_00, nchannels),
      sizeof(idle_channel_list_v03_00), idle_channels },
    { NV_VGPU_MSG_FUNCTION_UNLOADING_GUEST_DRIVER, "UNLOADING_GUEST_DRIVER",
      sizeof(rpc_unloading_guest_driver_v1F_07),
      .handler = unloading_guest_driver },
    { NV_VGPU_MSG_FUNCTION_GET_GSP_STATIC_INFO, "GET_GSP_STATIC_INFO",
      SIZE_STATIC_INFO, .handler = get_gsp_static_info },
    { NV_VGPU_MSG_FUNCTION_UPDATE_BAR_PDE, "UPDATE_BAR_PDE",
      sizeof(rpc_update_bar_pde_v15_00), .handler = update_bar_pde },
    { NV_VGPU_MSG_FUNCTION_GSP_RM_CONTROL, "GSP_RM_CONTROL",
      sizeof(rpc_gsp_rm_control_v03_00),
      offsetof(rpc_gsp_rm_control_v03_00, paramsSize), 1, gsp_rm_control },
    { NV_VGPU_MSG_FUNCTION_GSP_RM_ALLOC, "GSP_RM_ALLOC",
      sizeof(rpc_gsp_rm_alloc_v03_00),
      offsetof(rpc_gsp_rm_alloc_v03_00, paramsSize), 1, gsp_rm_alloc },
};

static const VgspRmFunction *function_find(uint32_t function)
{
    for (unsigned i = 0; i < ARRAY_SIZE(functions); i++) {
        if (functions[i].function == function) {
            return &functions[i];
        }
    }
    return NULL;
}

static size_t function_size(const VgspRm *rm, const VgspRmFunction *f)
{
    return f->size == SIZE_STATIC_INFO ? rm->profile->static_info->size :
                                         f->size;
}

uint32_t vgsp_rm_rpc(VgspRm *rm, uint32_t function, uint8_t *payload,
                     size_t *len, size_t cap)
{
    const VgspRmFunction *f = function_find(function);
    uint32_t status;
    uint64_t need;

    if (!f) {
        qemu_log_mask(LOG_UNIMP, "vgsp: RPC function %u is not supported\n",
                      function);
        status = NV_ERR_NOT_SUPPORTED;
    } else {
        need = function_size(rm, f);
        if (*len >= need && f->count_unit) {
            need += (uint64_t)vgsp_le32(payload + f->count_offset) *
                    f->count_unit;
        }
        if (*len < need) {
            qemu_log_mask(LOG_GUEST_ERROR, "vgsp: RPC %s has %zu bytes, needs "
                          "%" PRIu64 "\n", f->name, *len, need);
            status = NV_ERR_INVALID_PARAM_STRUCT;
        } else {
            status = f->handler(rm, payload, *len);
        }
    }
    if (status == VGSP_RM_PENDING) {
        return status;
    }
    qatomic_inc(&rm->s->stats.rpcs);
    /* Drivers take one element for its answer: the page list stays here. */
    if (function == NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY) {
        *len = MIN(*len, sizeof(rpc_alloc_memory_v13_01));
    }
    return status;
}

/* ---- The messages that wait in the queue before boot ---- */

/*
 * Its size has chosen the profile. Of its contents (where the BARs and the
 * configuration mirror are, ACPI data) nothing is news to the device.
 */
void vgsp_rm_set_system_info(VgspRm *rm, const uint8_t *payload, size_t len)
{
    trace_vgsp_rm_system_info(rm->profile->name, len);
}

void vgsp_rm_set_registry(VgspRm *rm, const uint8_t *payload, size_t len)
{
    typedef PACKED_REGISTRY_ENTRY Entry;
    uint32_t count, i;

    if (len < sizeof(PACKED_REGISTRY_TABLE)) {
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: registry table of %zu bytes\n",
                      len);
        return;
    }
    /* No key changes what the device does; they are there to be seen. */
    count = RM_LE32(payload, PACKED_REGISTRY_TABLE, numEntries);
    for (i = 0; i < count; i++) {
        uint64_t at = sizeof(PACKED_REGISTRY_TABLE) +
                      (uint64_t)i * sizeof(Entry);
        const uint8_t *e = payload + at;
        uint32_t name;

        if (!vgsp_range_ok(at, sizeof(Entry), len)) {
            break;
        }
        name = RM_LE32(e, Entry, nameOffset);
        if (name >= len || !memchr(payload + name, 0, len - name)) {
            break;
        }
        trace_vgsp_rm_registry((const char *)payload + name,
                               RM_U8(e, Entry, type),
                               RM_LE32(e, Entry, data));
    }
    if (i < count) {
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: registry entry %u of %u lies "
                      "outside of its table\n", i, count);
    }
}
