/*
 * The GSP client's end of the message queues: shared memory, arguments of
 * libos and GSP-RM, sending and receiving RPCs, events.  Specified by NVIDIA's
 * message_queue_cpu.c and kernel_gsp.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "client-priv.h"
#include "vgsp/nv/dev_falcon.h"
#include "vgsp/nv/dev_nv_xve.h"

#define QUEUE_SIZE       0x40000u
#define QUEUE_PAGES      (2 * QUEUE_SIZE / GSP_PAGE)
/* The page table lists its own page too. */
#define SHARED_PAGES     (1 + QUEUE_PAGES)
#define CMDQ_OFFSET      GSP_PAGE
#define MSGQ_OFFSET      (CMDQ_OFFSET + QUEUE_SIZE)
#define LOG_SIZE         0x10000u
_Static_assert(SHARED_PAGES * 8 <= GSP_PAGE, "one page of page table");

#define POLL_US          GSP_POLL_US
#define RPC_TIMEOUT_US   4000000u
#define LINK_TIMEOUT_US  4000000u

static int queue_read(void *opaque, uint64_t offset, void *buf, uint32_t len)
{
    VgspGspClient *c = opaque;

    return c->ops->dma_read(c->opaque, &c->shared, offset, buf, len);
}

static int queue_write(void *opaque, uint64_t offset, const void *buf,
                       uint32_t len)
{
    VgspGspClient *c = opaque;

    return c->ops->dma_write(c->opaque, &c->shared, offset, buf, len);
}

static const VgspMsgqOps queue_ops = { queue_read, queue_write };

static int queue_error(VgspGspClient *c, VgspMsgqError err)
{
    c->msgq_error = err;
    switch (err) {
    case VGSP_MSGQ_OK:
        return 0;
    case VGSP_MSGQ_IO:
        return VGSP_GSP_EFAULT;
    case VGSP_MSGQ_OVERSIZE:
        return VGSP_GSP_EMSGSIZE;
    case VGSP_MSGQ_FULL:
        return VGSP_GSP_ETIMEDOUT;
    default:
        return VGSP_GSP_EPROTO;
    }
}

/* ---- Set-up ---- */

/* A buffer's own page addresses, from offset on. */
static int queue_write_pages(VgspGspClient *c, const VgspGspMem *mem,
                             uint64_t offset)
{
    uint8_t entry[8];
    int ret = 0;

    for (uint64_t page = 0; !ret && page < mem->size; page += GSP_PAGE) {
        vgsp_put_le64(entry, c->ops->dma_addr(c->opaque, mem, page));
        ret = gsp_mem_write(c, mem, offset, entry, sizeof(entry));
        offset += sizeof(entry);
    }
    return ret;
}

int gsp_rmargs_write(VgspGspClient *c, bool resume)
{
    const VgspRmArgsLayout *l = c->profile->rm_args;
    uint8_t args[sizeof(GSP_ARGUMENTS_CACHED_535)] = { 0 };

    if (l->size > sizeof(args)) {
        return VGSP_GSP_EINVAL;
    }
    vgsp_put_le64(args + l->shared_mem_phys_addr, gsp_mem_addr(c, &c->shared));
    vgsp_put_le32(args + l->page_table_entry_count, SHARED_PAGES);
    vgsp_put_le64(args + l->cmd_queue_offset, CMDQ_OFFSET);
    vgsp_put_le64(args + l->stat_queue_offset, MSGQ_OFFSET);
    if (resume) {
        vgsp_put_le32(args + l->old_level,
                      NV2080_CTRL_GPU_SET_POWER_STATE_GPU_LEVEL_3);
        args[l->in_pm_transition] = 1;
    }
    if (l->size == sizeof(GSP_ARGUMENTS_CACHED_570)) {
        args[offsetof(GSP_ARGUMENTS_CACHED_570, bDmemStack)] = 1;
    }
    return gsp_mem_write(c, &c->rmargs, 0, args, l->size);
}

static int queue_libos_init(VgspGspClient *c)
{
    static const uint64_t log_ids[] = {
        VGSP_LIBOS_ID_LOGINIT, VGSP_LIBOS_ID_LOGINTR, VGSP_LIBOS_ID_LOGRM
    };
    uint8_t args[5 * sizeof(LibosMemoryRegionInitArgument)] = { 0 };
    unsigned i;
    int ret;

    ret = gsp_mem_new(c, LIBOS_MEMORY_REGION_INIT_ARGUMENTS_MAX, true,
                      &c->libos);
    for (i = 0; !ret && i <= VGSP_ARRAY_SIZE(log_ids); i++) {
        bool last = i == VGSP_ARRAY_SIZE(log_ids);
        VgspGspMem *mem = last ? &c->rmargs : &c->log[i];
        uint8_t *a = args + i * sizeof(LibosMemoryRegionInitArgument);

        ret = gsp_mem_new(c, last ? GSP_PAGE : LOG_SIZE, true, mem);
        if (!ret && !last) {
            /* Word 0 is the put pointer; the page list follows. */
            ret = queue_write_pages(c, mem, sizeof(uint64_t));
        }
        if (ret) {
            return ret;
        }
        vgsp_put_le64(a + offsetof(LibosMemoryRegionInitArgument, id8),
                      last ? VGSP_LIBOS_ID_RMARGS : log_ids[i]);
        vgsp_put_le64(a + offsetof(LibosMemoryRegionInitArgument, pa),
                      gsp_mem_addr(c, mem));
        vgsp_put_le64(a + offsetof(LibosMemoryRegionInitArgument, size),
                      mem->size);
        a[offsetof(LibosMemoryRegionInitArgument, kind)] =
            LIBOS_MEMORY_REGION_CONTIGUOUS;
        a[offsetof(LibosMemoryRegionInitArgument, loc)] =
            LIBOS_MEMORY_REGION_LOC_SYSMEM;
    }
    if (!ret) {
        ret = gsp_mem_write(c, &c->libos, 0, args, sizeof(args));
    }
    return ret;
}

int gsp_queues_init(VgspGspClient *c)
{
    int ret;

    ret = gsp_mem_new(c, SHARED_PAGES * (uint64_t)GSP_PAGE, false, &c->shared);
    if (!ret) {
        ret = queue_write_pages(c, &c->shared, 0);
    }
    if (!ret) {
        ret = queue_error(c, vgsp_msgq_format(&queue_ops, c, CMDQ_OFFSET,
                                              QUEUE_SIZE));
    }
    if (!ret) {
        ret = queue_error(c, vgsp_msgq_open(&c->cmdq, &queue_ops, c,
                                            CMDQ_OFFSET, CMDQ_OFFSET,
                                            MSGQ_OFFSET, c->shared.size));
    }
    if (!ret) {
        ret = queue_libos_init(c);
    }
    if (!ret) {
        ret = gsp_rmargs_write(c, false);
    }
    c->assembly = (VgspMsgqAssembly) { .buf = c->rx, .size = c->rx_size };
    c->rpc_sequence = 0;
    return ret;
}

int gsp_queues_link(VgspGspClient *c)
{
    VgspMsgqError err;
    VgspMsgq cmdq;

    /* GSP-RM formats its queue when it starts. */
    for (uint32_t us = 0;; us += POLL_US) {
        err = vgsp_msgq_open(&c->msgq, &queue_ops, c, MSGQ_OFFSET, CMDQ_OFFSET,
                             MSGQ_OFFSET, c->shared.size);
        if (err != VGSP_MSGQ_BAD_HEADER) {
            break;
        }
        if (us >= LINK_TIMEOUT_US) {
            c->msgq_error = err;
            return VGSP_GSP_ETIMEDOUT;
        }
        c->ops->delay_us(c->opaque, POLL_US);
    }
    if (!err) {
        err = vgsp_msgq_open(&cmdq, &queue_ops, c, CMDQ_OFFSET, CMDQ_OFFSET,
                             MSGQ_OFFSET, c->shared.size);
        c->cmdq.read_ptr = cmdq.read_ptr;
    }
    return queue_error(c, err);
}

/* ---- Messages ---- */

int vgsp_gsp_rpc_send(VgspGspClient *c, uint32_t function, const void *payload,
                      uint32_t len)
{
    /* Before GSP runs, sequence numbers stay 0: nobody answers. */
    VgspRpcMessage m = {
        .function = function,
        .rpc_result = NV_VGPU_MSG_RESULT_RPC_PENDING,
        .rpc_result_private = NV_VGPU_MSG_RESULT_RPC_PENDING,
        .sequence = c->phase == VGSP_GSP_OFF ? 0 : c->rpc_sequence++,
        .length = len,
    };
    uint32_t done = 0, us = 0;

    if (!c->shared.size) {
        return VGSP_GSP_EBUSY;
    }
    do {
        VgspMsgqError err = vgsp_msgq_send_part(&c->cmdq, &m, payload, &done);

        if (err == VGSP_MSGQ_FULL && us < RPC_TIMEOUT_US) {
            c->ops->delay_us(c->opaque, POLL_US);
            us += POLL_US;
            continue;
        }
        if (err) {
            return queue_error(c, err);
        }
        gsp_wr(c, NV_PGSP_FALCON_BASE + NV_PFALCON_QUEUE_HEAD(0), 0);
    } while (done < len);
    return 0;
}

static bool gsp_is_event(uint32_t function)
{
    return function >= NV_VGPU_MSG_EVENT_FIRST_EVENT;
}

static void gsp_dispatch(VgspGspClient *c)
{
    const VgspRpcMessage *m = &c->assembly.msg;

    if (!gsp_is_event(m->function)) {
        c->ops->log(c->opaque, "stray reply to function", m->function);
    } else if (m->rpc_result) {
        c->ops->log(c->opaque, "event with rpc_result", m->rpc_result);
    } else if (m->function == NV_VGPU_MSG_EVENT_GSP_RUN_CPU_SEQUENCER) {
        int ret = gsp_sequencer_run(c, c->rx, m->length);

        if (ret) {
            c->ops->log(c->opaque, "CPU sequence failed", (uint64_t)-ret);
        }
    } else if (c->event) {
        c->event(c->event_opaque, m->function, c->rx, m->length);
    }
}

int vgsp_gsp_rpc_recv(VgspGspClient *c, uint32_t function, uint32_t timeout_us,
                      const uint8_t **payload, uint32_t *len)
{
    uint32_t us = 0;

    if (!c->shared.size) {
        return VGSP_GSP_EBUSY;
    }
    for (;;) {
        VgspMsgqError err = vgsp_msgq_recv(&c->msgq, &c->assembly);

        if (err == VGSP_MSGQ_EMPTY) {
            uint32_t step = gsp_poll_step(us);

            if (us >= timeout_us) {
                return VGSP_GSP_ETIMEDOUT;
            }
            c->ops->delay_us(c->opaque, step);
            us += step;
            continue;
        }
        if (err) {
            c->ops->log(c->opaque, vgsp_msgq_error_name(err),
                        c->msgq.sequence);
            return queue_error(c, err);
        }
        if (c->assembly.msg.function == function) {
            break;
        }
        gsp_dispatch(c);
    }
    if (payload) {
        *payload = c->rx;
        *len = c->assembly.msg.length;
    }
    c->rpc_result = c->assembly.msg.rpc_result;
    return c->rpc_result ? VGSP_GSP_EREMOTEIO : 0;
}

int vgsp_gsp_rpc(VgspGspClient *c, uint32_t function, const void *request,
                 uint32_t request_len, const uint8_t **reply, uint32_t *len)
{
    int ret;

    if (c->phase != VGSP_GSP_RUNNING) {
        return VGSP_GSP_EBUSY;
    }
    ret = vgsp_gsp_rpc_send(c, function, request, request_len);
    if (ret) {
        return ret;
    }
    return vgsp_gsp_rpc_recv(c, function, RPC_TIMEOUT_US, reply, len);
}

int vgsp_gsp_poll(VgspGspClient *c)
{
    if (c->phase != VGSP_GSP_RUNNING) {
        return VGSP_GSP_EBUSY;
    }
    for (;;) {
        VgspMsgqError err = vgsp_msgq_recv(&c->msgq, &c->assembly);

        if (err == VGSP_MSGQ_EMPTY) {
            return 0;
        }
        if (err) {
            return queue_error(c, err);
        }
        gsp_dispatch(c);
    }
}

/* ---- The two messages that wait for GSP-RM ---- */

/* Where each release has the fields that a driver must fill. */
typedef struct SystemInfoLayout {
    uint16_t size, bdf, max_user_va, mirror, pci_id;
} SystemInfoLayout;

static const SystemInfoLayout system_info[] = {
    { GSP_SYSTEM_INFO_SIZE_535_113_01, 0x18, 0x38, 0x40, 0x48 },
    { GSP_SYSTEM_INFO_SIZE_550_163_01, 0x18, 0x40, 0x48, 0x50 },
    { GSP_SYSTEM_INFO_SIZE_570_144, 0x20, 0x48, 0x50, 0x58 },
};

int gsp_system_info_send(VgspGspClient *c)
{
    uint8_t info[GSP_SYSTEM_INFO_SIZE_570_144] = { 0 };
    const VgspGspSystem *s = &c->system;

    for (size_t i = 0; i < VGSP_ARRAY_SIZE(system_info); i++) {
        const SystemInfoLayout *l = &system_info[i];

        if (l->size != c->profile->system_info_size) {
            continue;
        }
        vgsp_put_le64(info + 0x00, s->bar0);
        vgsp_put_le64(info + 0x08, s->bar1);
        vgsp_put_le64(info + 0x10, s->bar2);
        vgsp_put_le64(info + l->bdf, s->bdf);
        vgsp_put_le64(info + l->max_user_va, s->max_user_va);
        vgsp_put_le32(info + l->mirror, NV_PCFG_BASE);
        vgsp_put_le32(info + l->mirror + 4, NV_PCFG_SIZE);
        vgsp_put_le32(info + l->pci_id, s->pci_id);
        vgsp_put_le32(info + l->pci_id + 4, s->pci_subsystem);
        vgsp_put_le32(info + l->pci_id + 8, s->pci_revision);
        return vgsp_gsp_rpc_send(c, NV_VGPU_MSG_FUNCTION_GSP_SET_SYSTEM_INFO,
                                 info, l->size);
    }
    return VGSP_GSP_EINVAL;
}

int gsp_registry_send(VgspGspClient *c)
{
    static const char *const names[] = {
        "RMSecBusResetEnable", "RMForcePcieConfigSave", "RMDevidCheckIgnore"
    };
    uint8_t table[256] = { 0 };
    uint32_t entry = sizeof(PACKED_REGISTRY_TABLE);
    uint32_t name = entry +
        VGSP_ARRAY_SIZE(names) * (uint32_t)sizeof(PACKED_REGISTRY_ENTRY);

    for (size_t i = 0; i < VGSP_ARRAY_SIZE(names); i++) {
        uint32_t len = (uint32_t)strlen(names[i]) + 1;
        uint8_t *e = table + entry;

        vgsp_put_le32(e + offsetof(PACKED_REGISTRY_ENTRY, nameOffset), name);
        e[offsetof(PACKED_REGISTRY_ENTRY, type)] =
            REGISTRY_TABLE_ENTRY_TYPE_DWORD;
        vgsp_put_le32(e + offsetof(PACKED_REGISTRY_ENTRY, data), 1);
        vgsp_put_le32(e + offsetof(PACKED_REGISTRY_ENTRY, length), 4);
        memcpy(table + name, names[i], len);
        name += len;
        entry += sizeof(PACKED_REGISTRY_ENTRY);
    }
    vgsp_put_le32(table + offsetof(PACKED_REGISTRY_TABLE, size), name);
    vgsp_put_le32(table + offsetof(PACKED_REGISTRY_TABLE, numEntries),
                  VGSP_ARRAY_SIZE(names));
    return vgsp_gsp_rpc_send(c, NV_VGPU_MSG_FUNCTION_SET_REGISTRY, table,
                             name);
}
