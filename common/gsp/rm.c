/*
 * RM through the GSP client: objects, controls, address spaces and channels.
 * Specified by nouveau's nvkm/subdev/gsp/rm/r535/{alloc,ctrl,vmm,fifo}.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "client-priv.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/rm.h"

/* Handles as nouveau gives them; only the client's must be unique. */
#define HANDLE_CLIENT(id)    (0xc1d00000u + (id))
#define HANDLE_DEVICE        0xde1d0000u
#define HANDLE_SUBDEVICE     0x5d1d0000u
#define HANDLE_VASPACE       0x90f10000u
#define HANDLE_CHANNEL(chid) (0xf1f00000u + (chid))

#define INST_SIZE       0x1000u
#define RAMFC_SIZE      0x200u
#define USERD_SIZE      0x200u
#define CHANNEL_PARAMS_MAX 0x200u

/* A request header and its parameters, out and back. */
static int rm_call(VgspGspClient *c, uint32_t function, uint32_t header_size,
                   uint32_t status_offset, void *params, uint32_t size)
{
    const uint8_t *reply;
    uint32_t len;
    int ret;

    if (size > c->tx_size - header_size) {
        return VGSP_GSP_EMSGSIZE;
    }
    if (size) {
        memcpy(c->tx + header_size, params, size);
    }
    ret = vgsp_gsp_rpc(c, function, c->tx, header_size + size, &reply, &len);
    if (ret) {
        return ret;
    }
    if (len < header_size + size) {
        return VGSP_GSP_EPROTO;
    }
    c->rm_status = vgsp_le32(reply + status_offset);
    if (size) {
        memcpy(params, reply + header_size, size);
    }
    return c->rm_status ? VGSP_GSP_EREMOTEIO : 0;
}

int vgsp_gsp_rm_alloc(VgspGspClient *c, NvHandle client, NvHandle parent,
                      NvHandle object, uint32_t hclass, void *params,
                      uint32_t size)
{
    typedef rpc_gsp_rm_alloc_v03_00 Msg;

    if (c->tx_size < sizeof(Msg)) {
        return VGSP_GSP_EMSGSIZE;
    }
    memset(c->tx, 0, sizeof(Msg));
    vgsp_put_le32(c->tx + offsetof(Msg, hClient), client);
    vgsp_put_le32(c->tx + offsetof(Msg, hParent), parent);
    vgsp_put_le32(c->tx + offsetof(Msg, hObject), object);
    vgsp_put_le32(c->tx + offsetof(Msg, hClass), hclass);
    vgsp_put_le32(c->tx + offsetof(Msg, paramsSize), size);
    return rm_call(c, NV_VGPU_MSG_FUNCTION_GSP_RM_ALLOC, sizeof(Msg),
                   offsetof(Msg, status), params, size);
}

int vgsp_gsp_rm_control(VgspGspClient *c, NvHandle client, NvHandle object,
                        uint32_t cmd, void *params, uint32_t size)
{
    typedef rpc_gsp_rm_control_v03_00 Msg;

    if (c->tx_size < sizeof(Msg)) {
        return VGSP_GSP_EMSGSIZE;
    }
    memset(c->tx, 0, sizeof(Msg));
    vgsp_put_le32(c->tx + offsetof(Msg, hClient), client);
    vgsp_put_le32(c->tx + offsetof(Msg, hObject), object);
    vgsp_put_le32(c->tx + offsetof(Msg, cmd), cmd);
    vgsp_put_le32(c->tx + offsetof(Msg, paramsSize), size);
    return rm_call(c, NV_VGPU_MSG_FUNCTION_GSP_RM_CONTROL, sizeof(Msg),
                   offsetof(Msg, status), params, size);
}

int vgsp_gsp_rm_free(VgspGspClient *c, NvHandle client, NvHandle object)
{
    uint8_t msg[sizeof(rpc_free_v03_00)] = { 0 };
    const uint8_t *reply;
    uint32_t len;
    int ret;

    vgsp_put_le32(msg + offsetof(rpc_free_v03_00, hRoot), client);
    vgsp_put_le32(msg + offsetof(rpc_free_v03_00, hObjectOld), object);
    ret = vgsp_gsp_rpc(c, NV_VGPU_MSG_FUNCTION_FREE, msg, sizeof(msg), &reply,
                       &len);
    if (ret) {
        return ret;
    }
    if (len < sizeof(msg)) {
        return VGSP_GSP_EPROTO;
    }
    c->rm_status = vgsp_le32(reply + offsetof(rpc_free_v03_00, status));
    return c->rm_status ? VGSP_GSP_EREMOTEIO : 0;
}

int vgsp_gsp_update_bar_pde(VgspGspClient *c, uint32_t bar, uint64_t pde)
{
    typedef rpc_update_bar_pde_v15_00 Msg;
    uint8_t msg[sizeof(Msg)] = { 0 };

    vgsp_put_le32(msg + offsetof(Msg, barType), bar);
    vgsp_put_le64(msg + offsetof(Msg, entryValue), pde);
    vgsp_put_le64(msg + offsetof(Msg, entryLevelShift), 47);
    return vgsp_gsp_rpc(c, NV_VGPU_MSG_FUNCTION_UPDATE_BAR_PDE, msg,
                        sizeof(msg), NULL, NULL);
}

/* ---- Address spaces ---- */

static int rm_set_page_directory(VgspGspClient *c, const VgspGspVm *vm,
                                 uint64_t pd, uint32_t aperture)
{
    typedef NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_PARAMS Dir;
    uint8_t dir[sizeof(Dir)] = { 0 };

    vgsp_put_le64(dir + offsetof(Dir, physAddress), pd);
    vgsp_put_le32(dir + offsetof(Dir, numEntries), 4);
    vgsp_put_le32(dir + offsetof(Dir, flags), (uint32_t)
        VGSP_SET(NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE, aperture));
    vgsp_put_le32(dir + offsetof(Dir, hVASpace), vm->vaspace);
    return vgsp_gsp_rm_control(c, vm->client, vm->device,
                               NV0080_CTRL_CMD_DMA_SET_PAGE_DIRECTORY, dir,
                               sizeof(dir));
}

int vgsp_gsp_set_page_directory_sysmem(VgspGspClient *c, const VgspGspVm *vm,
                                       uint64_t pd)
{
    return rm_set_page_directory(
        c, vm, pd, NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE_SYSMEM_COH);
}

static int rm_vm_new(VgspGspClient *c, uint32_t id, uint64_t pd,
                     uint32_t aperture, VgspGspVm *vm)
{
    uint8_t root[sizeof(NV0000_ALLOC_PARAMETERS_570)] = { 0 };
    uint8_t device[sizeof(NV0080_ALLOC_PARAMETERS)] = { 0 };
    uint8_t subdevice[sizeof(NV2080_ALLOC_PARAMETERS)] = { 0 };
    uint8_t vas[sizeof(NV_VASPACE_ALLOCATION_PARAMETERS)] = { 0 };
    int ret;

    if (c->profile->root_params_size > sizeof(root)) {
        return VGSP_GSP_EINVAL;
    }
    *vm = (VgspGspVm) {
        HANDLE_CLIENT(id), HANDLE_DEVICE, HANDLE_SUBDEVICE, HANDLE_VASPACE
    };
    vgsp_put_le32(root + offsetof(NV0000_ALLOC_PARAMETERS_570, hClient),
                  vm->client);
    vgsp_put_le32(root + offsetof(NV0000_ALLOC_PARAMETERS_570, processID),
                  UINT32_MAX);
    ret = vgsp_gsp_rm_alloc(c, vm->client, vm->client, vm->client, NV01_ROOT,
                            root, c->profile->root_params_size);
    if (ret) {
        return ret;
    }
    vgsp_put_le32(device + offsetof(NV0080_ALLOC_PARAMETERS, hClientShare),
                  vm->client);
    ret = vgsp_gsp_rm_alloc(c, vm->client, vm->client, vm->device,
                            NV01_DEVICE_0, device, sizeof(device));
    if (!ret) {
        ret = vgsp_gsp_rm_alloc(c, vm->client, vm->device, vm->subdevice,
                                NV20_SUBDEVICE_0, subdevice,
                                sizeof(subdevice));
    }
    if (!ret) {
        vgsp_put_le32(vas + offsetof(NV_VASPACE_ALLOCATION_PARAMETERS, flags),
                      NV_VASPACE_ALLOCATION_FLAGS_IS_EXTERNALLY_OWNED);
        ret = vgsp_gsp_rm_alloc(c, vm->client, vm->device, vm->vaspace,
                                FERMI_VASPACE_A, vas, sizeof(vas));
    }
    if (!ret) {
        ret = rm_set_page_directory(c, vm, pd, aperture);
    }
    if (ret) {
        uint32_t status = c->rm_status;

        vgsp_gsp_rm_free(c, vm->client, vm->client);
        c->rm_status = status;
    }
    return ret;
}

int vgsp_gsp_vm_new(VgspGspClient *c, uint32_t id, uint64_t pd, VgspGspVm *vm)
{
    return rm_vm_new(c, id, pd,
                     NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE_VIDMEM,
                     vm);
}

int vgsp_gsp_vm_new_sysmem(VgspGspClient *c, uint32_t id, uint64_t pd,
                           VgspGspVm *vm)
{
    return rm_vm_new(
        c, id, pd, NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE_SYSMEM_COH,
        vm);
}

int vgsp_gsp_vm_free(VgspGspClient *c, const VgspGspVm *vm)
{
    typedef NV0080_CTRL_DMA_UNSET_PAGE_DIRECTORY_PARAMS Dir;
    uint8_t dir[sizeof(Dir)] = { 0 };
    int ret, err;

    vgsp_put_le32(dir + offsetof(Dir, hVASpace), vm->vaspace);
    ret = vgsp_gsp_rm_control(c, vm->client, vm->device,
                              NV0080_CTRL_CMD_DMA_UNSET_PAGE_DIRECTORY, dir,
                              sizeof(dir));
    /* Freeing the client frees its subtree. */
    err = vgsp_gsp_rm_free(c, vm->client, vm->client);
    return ret ? ret : err;
}

/* ---- Channels ---- */

static void rm_memory_desc(uint8_t *p, uint64_t base, uint64_t size,
                           uint32_t space, uint32_t cache)
{
    vgsp_put_le64(p + offsetof(NV_MEMORY_DESC_PARAMS, base), base);
    vgsp_put_le64(p + offsetof(NV_MEMORY_DESC_PARAMS, size), size);
    vgsp_put_le32(p + offsetof(NV_MEMORY_DESC_PARAMS, addressSpace), space);
    vgsp_put_le32(p + offsetof(NV_MEMORY_DESC_PARAMS, cacheAttrib), cache);
}

static void rm_channel_params(uint8_t *p, const VgspGspChannel *ch)
{
    typedef NV_CHANNEL_ALLOC_PARAMS Params;
    uint32_t vid = NV_MEMORY_DESC_ADDRESS_SPACE_FBMEM;
    uint64_t flags, internal;

    /* The chid is where the channel's USERD lies among its neighbours'. */
    flags = VGSP_SET(NVOS04_FLAGS_CHANNEL_USERD_INDEX_VALUE,
                     ch->chid % NVOS04_CHANNELS_PER_USERD_PAGE) |
            VGSP_SET(NVOS04_FLAGS_CHANNEL_USERD_INDEX_PAGE_VALUE,
                     ch->chid / NVOS04_CHANNELS_PER_USERD_PAGE) |
            NVOS04_FLAGS_CHANNEL_USERD_INDEX_PAGE_FIXED;
    internal =
        VGSP_SET(NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS_ERROR_NOTIFIER_TYPE,
                 ch->notifier ? ERROR_NOTIFIER_TYPE_MEMORY
                              : ERROR_NOTIFIER_TYPE_NONE) |
        VGSP_SET(NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS_ERROR_NOTIFIER_TYPE << 2,
                 ERROR_NOTIFIER_TYPE_NONE); /* of ECC errors */
    if (ch->privileged) {
        flags |= NVOS04_FLAGS_PRIVILEGED_CHANNEL;
        internal |= VGSP_SET(NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS_PRIVILEGE,
                             NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS_PRIVILEGE_ADMIN);
    }
    vgsp_put_le64(p + offsetof(Params, gpFifoOffset), ch->gpfifo_va);
    vgsp_put_le32(p + offsetof(Params, gpFifoEntries), ch->gpfifo_entries);
    vgsp_put_le32(p + offsetof(Params, flags), (uint32_t)flags);
    vgsp_put_le32(p + offsetof(Params, hVASpace), ch->vm->vaspace);
    vgsp_put_le32(p + offsetof(Params, engineType), ch->engine_type);
    rm_memory_desc(p + offsetof(Params, instanceMem), ch->inst, INST_SIZE, vid,
                   1);
    rm_memory_desc(p + offsetof(Params, userdMem), ch->userd, USERD_SIZE,
                   ch->userd_sysmem ? NV_MEMORY_DESC_ADDRESS_SPACE_SYSMEM : vid,
                   ch->userd_sysmem ? 0 : 1);
    rm_memory_desc(p + offsetof(Params, ramfcMem), ch->inst, RAMFC_SIZE, vid,
                   1);
    if (ch->mthdbuf) {
        rm_memory_desc(p + offsetof(Params, mthdbufMem), ch->mthdbuf,
                       ch->mthdbuf_size, NV_MEMORY_DESC_ADDRESS_SPACE_SYSMEM,
                       0);
    }
    if (ch->notifier) {
        rm_memory_desc(p + offsetof(Params, errorNotifierMem), ch->notifier,
                       sizeof(NvNotification),
                       NV_MEMORY_DESC_ADDRESS_SPACE_SYSMEM, 0);
    }
    vgsp_put_le32(p + offsetof(Params, internalFlags), (uint32_t)internal);
}

int vgsp_gsp_channel_new(VgspGspClient *c, VgspGspChannel *ch)
{
    uint8_t params[CHANNEL_PARAMS_MAX] = { 0 };
    uint8_t word[4];
    uint8_t schedule[sizeof(NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS)] = {
        [offsetof(NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS, bEnable)] = 1
    };
    const VgspGspVm *vm = ch->vm;
    int ret;

    if (c->profile->channel_params_size > sizeof(params)) {
        return VGSP_GSP_EINVAL;
    }
    if (!ch->handle) {
        ch->handle = HANDLE_CHANNEL(ch->chid);
    }
    rm_channel_params(params, ch);
    ret = vgsp_gsp_rm_alloc(c, vm->client, ch->tsg ? ch->tsg : vm->device,
                            ch->handle, TURING_CHANNEL_GPFIFO_A, params,
                            c->profile->channel_params_size);
    if (ret) {
        return ret;
    }
    vgsp_put_le32(word, ch->engine_type);
    ret = vgsp_gsp_rm_control(c, vm->client, ch->handle, NVA06F_CTRL_CMD_BIND,
                              word, sizeof(word));
    if (!ret) {
        ret = vgsp_gsp_rm_control(c, vm->client, ch->handle,
                                  NVA06F_CTRL_CMD_GPFIFO_SCHEDULE, schedule,
                                  sizeof(schedule));
    }
    if (!ret) {
        vgsp_put_le32(word, 0);
        ret = vgsp_gsp_rm_control(c, vm->client, ch->handle,
                                  NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN,
                                  word, sizeof(word));
        ch->token = vgsp_le32(word);
    }
    if (ret) {
        uint32_t status = c->rm_status;

        vgsp_gsp_channel_free(c, ch);
        c->rm_status = status;
    }
    return ret;
}

int vgsp_gsp_channel_free(VgspGspClient *c, const VgspGspChannel *ch)
{
    return vgsp_gsp_rm_free(c, ch->vm->client, ch->handle);
}
