/*
 * GSP-RM's message queues: requests from the command queue, replies and events
 * into the status queue. The codec is common/gsp/msgq.c; here are the shared
 * region behind its page table, the order of messages, and what happens when
 * the guest is slow or wrong. Specified by NVIDIA's message_queue_cpu.c and
 * nouveau's rm/r535/rpc.c; docs/gsp.md says what is answered to what.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "device/memory.h"
#include "gsp/gsp-int.h"
#include "trace.h"

#define PAGE_SIZE               GSP_MSG_QUEUE_ELEMENT_SIZE_MIN
#define PTES_PER_PAGE           (PAGE_SIZE / sizeof(uint64_t))

/* Pages of the shared region: 129 in all drivers; this is 16 MiB. */
#define QUEUE_MAX_PAGES         4096
/* Longest message: an ALLOC_MEMORY that lists each page of 8 GiB. */
#define QUEUE_MESSAGE_MAX       (17 * MiB)
/* Messages served by one doorbell before a bottom half goes on. */
#define QUEUE_BUDGET            16
/* Events that wait for room; later ones are dropped, counted and logged. */
#define QUEUE_BACKLOG_MAX       256
/* Nothing tells GSP-RM that the guest has made room: it looks again. */
#define QUEUE_POLL_MIN_NS       (100 * SCALE_US)
#define QUEUE_POLL_MAX_NS       (10 * SCALE_MS)
/* A request without an answer is looked at again. */
#define QUEUE_PENDING_NS        (500 * SCALE_US)

/* A message on its way to the status queue. */
typedef struct QueueOut {
    VgspRpcMessage msg;
    uint32_t done;              /* payload bytes written */
    bool silent;                /* without SWGEN0 */
    const uint8_t *payload;     /* @own, or the receive buffer */
    uint8_t *own;
    QSIMPLEQ_ENTRY(QueueOut) next;
} QueueOut;

struct VgspQueue {
    VgspState *s;
    uint64_t *page;             /* bus addresses of the region */
    uint32_t num_pages;
    uint64_t cmd_offset, stat_offset;

    VgspMsgq cmd, stat;
    VgspMsgqAssembly rx;
    QEMUBH *bh;
    QEMUTimer *poll;
    int64_t poll_ns;

    bool running;               /* requests are served */
    bool halting;               /* UNLOADING_GUEST_DRIVER is being answered */
    bool busy;                  /* within vgsp_queue_run */
    bool init_done;             /* GSP_INIT_DONE was sent */
    bool pending;               /* the request in @rx has no answer yet */

    QueueOut reply;             /* in @out while it waits */
    bool reply_waits;
    QSIMPLEQ_HEAD(, QueueOut) out;
    unsigned backlog;           /* events in @out */
};

static const char *rpc_name(uint32_t function)
{
#define F(name) case NV_VGPU_MSG_FUNCTION_##name: return #name
#define E(name) case NV_VGPU_MSG_EVENT_##name: return #name
    switch (function) {
    F(NOP);
    F(SET_GUEST_SYSTEM_INFO);
    F(ALLOC_ROOT);
    F(ALLOC_MEMORY);
    F(ALLOC_CHANNEL_DMA);
    F(MAP_MEMORY);
    F(ALLOC_OBJECT);
    F(FREE);
    F(LOG);
    F(UNMAP_MEMORY);
    F(MAP_MEMORY_DMA);
    F(UNMAP_MEMORY_DMA);
    F(ALLOC_SUBDEVICE);
    F(DUP_OBJECT);
    F(IDLE_CHANNELS);
    F(ALLOC_EVENT);
    F(UNLOADING_GUEST_DRIVER);
    F(GPU_EXEC_REG_OPS);
    F(GET_STATIC_INFO);
    F(UPDATE_PDE_2);
    F(SET_PAGE_DIRECTORY);
    F(TRANSLATE_GUEST_GPU_PTES);
    F(SET_GUEST_SYSTEM_INFO_EXT);
    F(GET_GSP_STATIC_INFO);
    F(RMFS_INIT);
    F(RMFS_CLOSE_QUEUE);
    F(RMFS_CLEANUP);
    F(UPDATE_BAR_PDE);
    F(CONTINUATION_RECORD);
    F(GSP_SET_SYSTEM_INFO);
    F(SET_REGISTRY);
    F(GSP_INIT_POST_OBJGPU);
    F(SUBDEV_EVENT_SET_NOTIFICATION);
    F(GSP_RM_CONTROL);
    F(GET_STATIC_INFO2);
    F(DUMP_PROTOBUF_COMPONENT);
    F(UNSET_PAGE_DIRECTORY);
    F(GET_CONSOLIDATED_STATIC_INFO);
    F(GSP_RM_ALLOC);
    F(INVALIDATE_TLB);
    E(GSP_INIT_DONE);
    E(POST_EVENT);
    E(RC_TRIGGERED);
    E(MMU_FAULT_QUEUED);
    E(OS_ERROR_LOG);
    }
#undef F
#undef E
    return "?";
}

/* ---- The shared region ---- */

/* @offset bytes into the region, one page at a time; 0 or -1. */
static int queue_access(VgspQueue *q, uint64_t offset, uint8_t *rbuf,
                        const uint8_t *wbuf, uint32_t len)
{
    if (!vgsp_range_ok(offset, len, (uint64_t)q->num_pages * PAGE_SIZE)) {
        return -1;
    }
    while (len) {
        uint32_t in_page = offset % PAGE_SIZE;
        uint32_t n = MIN(len, PAGE_SIZE - in_page);
        uint64_t addr = q->page[offset / PAGE_SIZE] + in_page;

        if (rbuf) {
            if (!vgsp_dma_read(q->s, addr, rbuf, n)) {
                return -1;
            }
            rbuf += n;
        } else {
            if (!vgsp_dma_write(q->s, addr, wbuf, n)) {
                return -1;
            }
            wbuf += n;
        }
        offset += n;
        len -= n;
    }
    return 0;
}

static int queue_read(void *opaque, uint64_t offset, void *buf, uint32_t len)
{
    return queue_access(opaque, offset, buf, NULL, len);
}

static int queue_write(void *opaque, uint64_t offset, const void *buf,
                       uint32_t len)
{
    return queue_access(opaque, offset, NULL, buf, len);
}

static const VgspMsgqOps queue_ops = {
    .read = queue_read,
    .write = queue_write,
};

/*
 * Reads RMARGS and the region's page table. The table is the region's first
 * pages and lists itself too, so each of its pages is found by an entry in
 * the one before.
 */
static bool queue_map(VgspQueue *q, uint64_t rmargs)
{
    uint8_t args[sizeof(MESSAGE_QUEUE_INIT_ARGUMENTS_570)];
    g_autofree uint64_t *page = NULL;
    uint64_t table;
    uint32_t count;

#define ARG(field) \
    (args + offsetof(MESSAGE_QUEUE_INIT_ARGUMENTS_570, field))
    if (!vgsp_dma_read(q->s, rmargs, args, sizeof(args))) {
        return false;
    }
    table = vgsp_le64(ARG(sharedMemPhysAddr));
    count = vgsp_le32(ARG(pageTableEntryCount));
    if (table % PAGE_SIZE || !count || count > QUEUE_MAX_PAGES) {
        return false;
    }
    page = g_new0(uint64_t, count);
    for (uint32_t i = 0; i < count; i += PTES_PER_PAGE) {
        uint32_t n = MIN(count - i, PTES_PER_PAGE);
        uint64_t from = i ? page[i / PTES_PER_PAGE] : table;

        if (!vgsp_dma_read(q->s, from, &page[i], n * sizeof(uint64_t))) {
            return false;
        }
        for (uint32_t j = i; j < i + n; j++) {
            page[j] = le64_to_cpu(page[j]);
            if (page[j] % PAGE_SIZE) {
                return false;
            }
        }
        if (i == 0 && page[0] != table) {
            return false;
        }
    }
    q->cmd_offset = vgsp_le64(ARG(cmdQueueOffset));
    q->stat_offset = vgsp_le64(ARG(statQueueOffset));
    g_free(q->page);
    q->page = g_steal_pointer(&page);
    q->num_pages = count;
    return q->cmd_offset != q->stat_offset &&
           vgsp_range_ok(q->cmd_offset, PAGE_SIZE,
                         (uint64_t)count * PAGE_SIZE) &&
           vgsp_range_ok(q->stat_offset, PAGE_SIZE,
                         (uint64_t)count * PAGE_SIZE);
#undef ARG
}

/*
 * Bytes of the status queue: RMARGS says where it begins, and it reaches to
 * the next queue or to the end of the region. 535 and 550 have a second pair.
 */
static uint32_t queue_stat_size(VgspQueue *q, uint64_t rmargs)
{
    uint64_t end = (uint64_t)q->num_pages * PAGE_SIZE;
    uint64_t next[] = { q->cmd_offset, 0, 0 };
    uint8_t args[sizeof(GSP_ARGUMENTS_CACHED_535)];

    if (q->s->gsp->profile->rm_args->old_level ==
        offsetof(GSP_ARGUMENTS_CACHED_535, srInitArguments.oldLevel)) {
        if (!vgsp_dma_read(q->s, rmargs, args, sizeof(args))) {
            return 0;
        }
        next[1] = vgsp_le64(args + offsetof(GSP_ARGUMENTS_CACHED_535,
                                            locklessCmdQueueOffset));
        next[2] = vgsp_le64(args + offsetof(GSP_ARGUMENTS_CACHED_535,
                                            locklessStatQueueOffset));
    }
    for (int i = 0; i < ARRAY_SIZE(next); i++) {
        if (next[i] > q->stat_offset && next[i] < end) {
            end = next[i];
        }
    }
    return end > q->stat_offset ? end - q->stat_offset : 0;
}

/*
 * What the first waiting message announces, before anything is known of the
 * release. Nothing is consumed: it will be received, and checked, later.
 */
static uint32_t queue_peek_system_info(VgspQueue *q)
{
    uint8_t tx[sizeof(msgqTxHeader)];
    uint8_t elem[sizeof(GSP_MSG_QUEUE_ELEMENT)];
    uint32_t entry, length;

    if (queue_read(q, q->cmd_offset, tx, sizeof(tx)) ||
        vgsp_le32(tx + offsetof(msgqTxHeader, writePtr)) == 0) {
        return 0;
    }
    entry = vgsp_le32(tx + offsetof(msgqTxHeader, entryOff));
    if (queue_read(q, q->cmd_offset + entry, elem, sizeof(elem)) ||
        vgsp_le32(elem + offsetof(GSP_MSG_QUEUE_ELEMENT, rpc.function)) !=
        NV_VGPU_MSG_FUNCTION_GSP_SET_SYSTEM_INFO) {
        return 0;
    }
    length = vgsp_le32(elem + offsetof(GSP_MSG_QUEUE_ELEMENT, rpc.length));
    return length > sizeof(rpc_message_header_v03_00) ?
        length - sizeof(rpc_message_header_v03_00) : 0;
}

/* ---- GSP to driver ---- */

static void queue_out_remove(VgspQueue *q)
{
    QueueOut *o = QSIMPLEQ_FIRST(&q->out);

    QSIMPLEQ_REMOVE_HEAD(&q->out, next);
    if (o == &q->reply) {
        q->reply_waits = false;
    } else {
        q->backlog--;
        g_free(o->own);
        g_free(o);
    }
}

/*
 * Writes what waits, in order, as far as there is room. True when nothing is
 * left. One interrupt announces all that was written.
 */
static bool queue_flush(VgspQueue *q)
{
    VgspFalcon *f = vgsp_falcon(q->s, VGSP_FALCON_GSP);
    VgspMsgqError err = VGSP_MSGQ_OK;
    bool wrote = false, announce = false;

    while (!QSIMPLEQ_EMPTY(&q->out)) {
        QueueOut *o = QSIMPLEQ_FIRST(&q->out);

        do {
            err = vgsp_msgq_send_part(&q->stat, &o->msg, o->payload, &o->done);
            wrote |= !err;
            announce |= !err && !o->silent;
        } while (!err && o->done < o->msg.length);
        if (err == VGSP_MSGQ_FULL || err == VGSP_MSGQ_IO ||
            err == VGSP_MSGQ_BAD_POINTER) {
            break;
        }
        if (err) {
            /* Never fits: the guest gave GSP-RM a queue of a few entries. */
            trace_vgsp_rpc_malformed("reply", vgsp_msgq_error_name(err));
            qemu_log_mask(LOG_GUEST_ERROR, "vgsp: status queue: %s\n",
                          vgsp_msgq_error_name(err));
        }
        queue_out_remove(q);
    }
    if (wrote) {
        q->poll_ns = QUEUE_POLL_MIN_NS;
    }
    if (announce) {
        vgsp_falcon_irq(q->s, f, NV_PFALCON_FALCON_IRQSTAT_SWGEN0);
    }
    if (QSIMPLEQ_EMPTY(&q->out)) {
        if (!q->pending) {
            timer_del(q->poll);
        }
        return true;
    }
    trace_vgsp_gsp_status_full(vgsp_msgq_error_name(err), q->backlog);
    timer_mod(q->poll, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + q->poll_ns);
    q->poll_ns = MIN(q->poll_ns * 2, QUEUE_POLL_MAX_NS);
    return false;
}

static bool queue_event(VgspQueue *q, uint32_t event, const void *payload,
                        size_t len, bool silent)
{
    QueueOut *o;

    if (len > QUEUE_MESSAGE_MAX || q->backlog >= QUEUE_BACKLOG_MAX) {
        trace_vgsp_gsp_event(event, rpc_name(event), len, "dropped");
        warn_report_once("vgsp: the guest does not read GSP's events: "
                         "event 0x%x dropped", event);
        return false;
    }
    o = g_new0(QueueOut, 1);
    o->msg.function = event;
    o->msg.length = len;
    o->silent = silent;
    o->own = g_memdup2(payload, len);
    o->payload = o->own;
    QSIMPLEQ_INSERT_TAIL(&q->out, o, next);
    q->backlog++;
    qatomic_inc(&q->s->stats.events);
    trace_vgsp_gsp_event(event, rpc_name(event), len,
                         queue_flush(q) ? "posted" : "waits");
    return true;
}

bool vgsp_queue_post(VgspQueue *q, uint32_t event, const void *payload,
                     size_t len)
{
    return queue_event(q, event, payload, len, false);
}

/*
 * Drivers poll for this one. A real GSP-RM sends it long after Booter, when
 * the driver waits; here it comes at once, and with an interrupt nouveau's
 * event work could take it from the queue before nouveau looks (on resume,
 * where interrupts are on).
 */
static void queue_init_done(VgspQueue *q)
{
    static const uint8_t payload[4];

    if (!q->init_done) {
        q->init_done = true;
        queue_event(q, NV_VGPU_MSG_EVENT_GSP_INIT_DONE, payload,
                    sizeof(payload), true);
    }
}

/* ---- Driver to GSP ---- */

static void queue_serve(VgspQueue *q)
{
    VgspRm *rm = q->s->gsp->rm;
    const VgspRpcMessage *msg = &q->rx.msg;
    size_t len = msg->length;
    int64_t start;
    uint32_t result;

    if (!q->pending) {
        trace_vgsp_rpc_request(msg->function, rpc_name(msg->function),
                               msg->sequence, msg->length);
    }
    switch (msg->function) {
    case NV_VGPU_MSG_FUNCTION_GSP_SET_SYSTEM_INFO:
        vgsp_rm_set_system_info(rm, q->rx.buf, len);
        return; /* neither of the two is answered */
    case NV_VGPU_MSG_FUNCTION_SET_REGISTRY:
        vgsp_rm_set_registry(rm, q->rx.buf, len);
        return;
    }

    queue_init_done(q);
    start = get_clock();
    result = vgsp_rm_rpc(rm, msg->function, q->rx.buf, &len, q->rx.size);
    q->pending = result == VGSP_RM_PENDING;
    if (q->pending) {
        /* The next one waits behind it, as it would for a busy GSP-RM. */
        timer_mod(q->poll, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) +
                           QUEUE_PENDING_NS);
        return;
    }
    q->reply = (QueueOut) {
        .msg = {
            .function = msg->function,
            .rpc_result = result,
            .rpc_result_private = result,
            .sequence = msg->sequence,
            .length = len,
        },
        .payload = q->rx.buf,
    };
    trace_vgsp_rpc_reply(msg->function, rpc_name(msg->function),
                         msg->sequence, result, len, get_clock() - start);
    q->reply_waits = true;
    QSIMPLEQ_INSERT_TAIL(&q->out, &q->reply, next);
}

/*
 * Requests in order. None is taken while an answer waits for room: its buffer
 * is the one that requests are received in.
 */
void vgsp_queue_run(VgspQueue *q)
{
    unsigned budget = QUEUE_BUDGET;

    if (q->busy) {
        return;
    }
    q->busy = true;
    while (queue_flush(q)) {
        VgspMsgqError err;

        if (q->halting) {
            q->halting = false;
            q->running = false;
            vgsp_gsp_halted(q->s);
        }
        if (!q->running) {
            break;
        }
        if (budget-- == 0) {
            qemu_bh_schedule(q->bh);
            break;
        }
        if (q->pending) {
            queue_serve(q);
            if (q->pending) {
                break;
            }
            continue;
        }
        err = vgsp_msgq_recv(&q->cmd, &q->rx);
        if (err == VGSP_MSGQ_EMPTY) {
            break;
        }
        if (err == VGSP_MSGQ_OK) {
            queue_serve(q);
            if (q->pending) {
                break;
            }
            continue;
        }
        /* Dropped, as GSP-RM drops it; its sender times out. */
        qatomic_inc(&q->s->stats.rpcs_dropped);
        trace_vgsp_rpc_malformed("request", vgsp_msgq_error_name(err));
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: command queue: %s\n",
                      vgsp_msgq_error_name(err));
        if (err == VGSP_MSGQ_IO || err == VGSP_MSGQ_BAD_POINTER) {
            break;
        }
    }
    q->busy = false;
}

static void queue_again(void *opaque)
{
    vgsp_queue_run(opaque);
}

/* ---- Life ---- */

VgspQueue *vgsp_queue_new(VgspState *s, uint64_t rmargs,
                          uint32_t *system_info_size)
{
    VgspQueue *q = g_new0(VgspQueue, 1);

    q->s = s;
    QSIMPLEQ_INIT(&q->out);
    q->poll_ns = QUEUE_POLL_MIN_NS;
    if (!queue_map(q, rmargs)) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "vgsp: RMARGS at 0x%" PRIx64 " name no queues\n",
                      rmargs);
        vgsp_queue_free(q);
        return NULL;
    }
    *system_info_size = queue_peek_system_info(q);
    q->bh = qemu_bh_new_guarded(queue_again, q,
                                &DEVICE(s)->mem_reentrancy_guard);
    q->poll = timer_new_ns(QEMU_CLOCK_VIRTUAL, queue_again, q);
    /* Pages that no message has reached cost nothing, and all begin as zero. */
    q->rx.size = QUEUE_MESSAGE_MAX;
    q->rx.buf = qemu_anon_ram_alloc(q->rx.size, NULL, false, false);
    if (!q->rx.buf) {
        error_report("vgsp: no memory for GSP messages");
        vgsp_queue_free(q);
        return NULL;
    }
    return q;
}

bool vgsp_queue_start(VgspQueue *q, uint64_t rmargs)
{
    uint64_t region = (uint64_t)q->num_pages * PAGE_SIZE;
    VgspMsgqError err;

    /* The driver waits for the status queue's header before it reads. */
    err = vgsp_msgq_format(&queue_ops, q, q->stat_offset,
                           queue_stat_size(q, rmargs));
    if (!err) {
        err = vgsp_msgq_open(&q->stat, &queue_ops, q, q->stat_offset,
                             q->stat_offset, q->cmd_offset, region);
    }
    if (!err) {
        err = vgsp_msgq_open(&q->cmd, &queue_ops, q, q->cmd_offset,
                             q->stat_offset, q->cmd_offset, region);
    }
    if (err) {
        trace_vgsp_rpc_malformed("queues", vgsp_msgq_error_name(err));
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: message queues: %s\n",
                      vgsp_msgq_error_name(err));
        return false;
    }
    q->running = true;
    vgsp_queue_run(q);
    queue_init_done(q);
    return true;
}

void vgsp_queue_halt(VgspQueue *q)
{
    q->halting = true;
}

void vgsp_queue_stop(VgspQueue *q)
{
    q->running = false;
    qemu_bh_cancel(q->bh);
    timer_del(q->poll);
}

bool vgsp_queue_resume(VgspQueue *q, uint64_t rmargs)
{
    uint64_t cmd = q->cmd_offset, stat = q->stat_offset;
    uint32_t pages = q->num_pages;

    return queue_map(q, rmargs) && q->num_pages == pages &&
           q->cmd_offset == cmd && q->stat_offset == stat;
}

void vgsp_queue_resumed(VgspQueue *q)
{
    q->running = true;
    q->init_done = false;
    queue_init_done(q);
    vgsp_queue_run(q);
}

void vgsp_queue_free(VgspQueue *q)
{
    while (!QSIMPLEQ_EMPTY(&q->out)) {
        queue_out_remove(q);
    }
    if (q->bh) {
        qemu_bh_delete(q->bh);
        timer_free(q->poll);
    }
    if (q->rx.buf) {
        qemu_anon_ram_free(q->rx.buf, q->rx.size);
    }
    g_free(q->page);
    g_free(q);
}
