/*
 * The GSP message queue codec.  See vgsp/msgq.h; specified by NVIDIA's
 * message_queue_cpu.c and msgq.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/msgq.h"

#define ENTRY_SIZE   GSP_MSG_QUEUE_ELEMENT_SIZE_MIN
#define ELEMENT_HDR  GSP_MSG_QUEUE_ELEMENT_HDR_SIZE
#define RPC_HDR      ((uint32_t)sizeof(rpc_message_header_v03_00))
#define HEADERS      (ELEMENT_HDR + RPC_HDR)

/* Offset of a field from the element's start, or from the queue's. */
#define ELEM(field)  offsetof(GSP_MSG_QUEUE_ELEMENT, field)
#define TX(field)    offsetof(msgqTxHeader, field)

_Static_assert(HEADERS % 8 == 0, "the checksum sums whole 64-bit words");

/* The peer runs on another processor: data before pointer, pointer last. */
static void msgq_barrier(void)
{
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

const char *vgsp_msgq_error_name(VgspMsgqError err)
{
    static const char *const names[] = {
        [VGSP_MSGQ_OK] = "ok",
        [VGSP_MSGQ_EMPTY] = "empty",
        [VGSP_MSGQ_FULL] = "full",
        [VGSP_MSGQ_IO] = "io",
        [VGSP_MSGQ_BAD_HEADER] = "bad-header",
        [VGSP_MSGQ_BAD_POINTER] = "bad-pointer",
        [VGSP_MSGQ_BAD_COUNT] = "bad-count",
        [VGSP_MSGQ_TRUNCATED] = "truncated",
        [VGSP_MSGQ_BAD_LENGTH] = "bad-length",
        [VGSP_MSGQ_BAD_CHECKSUM] = "bad-checksum",
        [VGSP_MSGQ_BAD_SEQUENCE] = "bad-sequence",
        [VGSP_MSGQ_BAD_RPC_HEADER] = "bad-rpc-header",
        [VGSP_MSGQ_BAD_CONTINUATION] = "bad-continuation",
        [VGSP_MSGQ_OVERSIZE] = "oversize",
    };

    if ((unsigned)err >= VGSP_ARRAY_SIZE(names)) {
        return "unknown";
    }
    return names[err];
}

static uint64_t msgq_xor(const void *buf, uint32_t len)
{
    const uint8_t *p = buf;
    uint64_t sum = 0;
    uint32_t i;

    for (i = 0; i + 8 <= len; i += 8) {
        sum ^= vgsp_le64(p + i);
    }
    if (i < len) {
        uint8_t tail[8] = { 0 };

        memcpy(tail, p + i, len - i);
        sum ^= vgsp_le64(tail);
    }
    return sum;
}

static uint32_t msgq_fold(uint64_t sum)
{
    return (uint32_t)(sum >> 32) ^ (uint32_t)sum;
}

VgspMsgqError vgsp_msgq_format(const VgspMsgqOps *ops, void *opaque,
                               uint64_t queue, uint32_t size)
{
    uint8_t header[sizeof(msgqTxHeader) + sizeof(msgqRxHeader)] = { 0 };

    if (size % ENTRY_SIZE || size < 3 * ENTRY_SIZE) {
        return VGSP_MSGQ_BAD_HEADER;
    }
    vgsp_put_le32(header + TX(version), MSGQ_VERSION);
    vgsp_put_le32(header + TX(size), size);
    vgsp_put_le32(header + TX(msgSize), ENTRY_SIZE);
    vgsp_put_le32(header + TX(msgCount), size / ENTRY_SIZE - 1);
    vgsp_put_le32(header + TX(flags), MSGQ_FLAGS_SWAP_RX);
    vgsp_put_le32(header + TX(rxHdrOff), sizeof(msgqTxHeader));
    vgsp_put_le32(header + TX(entryOff), ENTRY_SIZE);
    return ops->write(opaque, queue, header, sizeof(header)) ? VGSP_MSGQ_IO
                                                             : VGSP_MSGQ_OK;
}

/* Geometry of a queue, checked; offsets from the region's start. */
typedef struct MsgqGeometry {
    uint64_t entries;
    uint64_t rx_header;
    uint32_t count;
} MsgqGeometry;

static VgspMsgqError msgq_geometry(MsgqGeometry *g, const VgspMsgqOps *ops,
                                   void *opaque, uint64_t queue,
                                   uint64_t region_size)
{
    uint8_t h[sizeof(msgqTxHeader)];
    uint32_t size, rx_off, entry_off;

    if (queue % ENTRY_SIZE || !vgsp_range_ok(queue, ENTRY_SIZE, region_size)) {
        return VGSP_MSGQ_BAD_HEADER;
    }
    if (ops->read(opaque, queue, h, sizeof(h))) {
        return VGSP_MSGQ_IO;
    }
    size = vgsp_le32(h + TX(size));
    rx_off = vgsp_le32(h + TX(rxHdrOff));
    entry_off = vgsp_le32(h + TX(entryOff));
    g->count = vgsp_le32(h + TX(msgCount));
    g->entries = queue + entry_off;
    g->rx_header = queue + rx_off;

    if (vgsp_le32(h + TX(version)) != MSGQ_VERSION ||
        vgsp_le32(h + TX(msgSize)) != ENTRY_SIZE ||
        !(vgsp_le32(h + TX(flags)) & MSGQ_FLAGS_SWAP_RX) ||
        !vgsp_range_ok(queue, size, region_size) ||
        g->count < 2 ||
        rx_off < sizeof(msgqTxHeader) || rx_off % sizeof(uint32_t) ||
        entry_off % ENTRY_SIZE ||
        !vgsp_range_ok(rx_off, sizeof(msgqRxHeader), entry_off) ||
        !vgsp_range_ok(entry_off, (uint64_t)g->count * ENTRY_SIZE, size)) {
        return VGSP_MSGQ_BAD_HEADER;
    }
    return VGSP_MSGQ_OK;
}

/* The peer has not formatted its queue yet. */
static bool msgq_blank(const VgspMsgqOps *ops, void *opaque, uint64_t queue)
{
    static const uint8_t zeros[sizeof(msgqTxHeader)];
    uint8_t h[sizeof(msgqTxHeader)];

    return !ops->read(opaque, queue, h, sizeof(h)) &&
        !memcmp(h, zeros, sizeof(h));
}

VgspMsgqError vgsp_msgq_open(VgspMsgq *q, const VgspMsgqOps *ops, void *opaque,
                             uint64_t queue, uint64_t own_queue,
                             uint64_t peer_queue, uint64_t region_size)
{
    MsgqGeometry own, peer;
    VgspMsgqError err;
    bool producer = queue == own_queue;

    if (queue != own_queue && queue != peer_queue) {
        return VGSP_MSGQ_BAD_HEADER;
    }
    err = msgq_geometry(&own, ops, opaque, own_queue, region_size);
    if (err) {
        return err;
    }
    err = msgq_geometry(&peer, ops, opaque, peer_queue, region_size);
    if (err == VGSP_MSGQ_BAD_HEADER && producer) {
        uint64_t rx_off = own.rx_header - own_queue;

        if (vgsp_range_ok(peer_queue, ENTRY_SIZE, region_size) &&
            vgsp_range_ok(rx_off, sizeof(msgqRxHeader), ENTRY_SIZE) &&
            msgq_blank(ops, opaque, peer_queue)) {
            peer.rx_header = peer_queue + rx_off;
            err = VGSP_MSGQ_OK;
        }
    }
    if (err) {
        return err;
    }
    *q = (VgspMsgq) {
        .ops = ops,
        .opaque = opaque,
        .entries = producer ? own.entries : peer.entries,
        .write_ptr = queue + TX(writePtr),
        /* Swapped: a queue's reader publishes in the queue it writes. */
        .read_ptr = producer ? peer.rx_header : own.rx_header,
        .count = producer ? own.count : peer.count,
    };
    return VGSP_MSGQ_OK;
}

static VgspMsgqError msgq_read_pointer(const VgspMsgq *q, uint64_t offset,
                                       uint32_t *index)
{
    uint8_t word[4];

    if (q->ops->read(q->opaque, offset, word, sizeof(word))) {
        return VGSP_MSGQ_IO;
    }
    *index = vgsp_le32(word);
    return *index < q->count ? VGSP_MSGQ_OK : VGSP_MSGQ_BAD_POINTER;
}

static VgspMsgqError msgq_advance(VgspMsgq *q, uint64_t offset, uint32_t by)
{
    uint8_t word[4];

    q->index = (q->index + by) % q->count;
    vgsp_put_le32(word, q->index);
    msgq_barrier();
    return q->ops->write(q->opaque, offset, word, sizeof(word)) ? VGSP_MSGQ_IO
                                                                : VGSP_MSGQ_OK;
}

VgspMsgqError vgsp_msgq_pending(const VgspMsgq *q, uint32_t *entries)
{
    uint32_t wptr;
    VgspMsgqError err = msgq_read_pointer(q, q->write_ptr, &wptr);

    *entries = err ? 0 : (wptr + q->count - q->index) % q->count;
    msgq_barrier();
    return err;
}

VgspMsgqError vgsp_msgq_free(const VgspMsgq *q, uint32_t *entries)
{
    uint32_t rptr;
    VgspMsgqError err = msgq_read_pointer(q, q->read_ptr, &rptr);

    *entries = err ? 0 : (rptr + q->count - q->index - 1) % q->count;
    msgq_barrier();
    return err;
}

/*
 * Copy between buf and byte offset of the element at q->index, around the
 * ring's end.  Offsets stay below 16 entries, so one wrap is enough unless
 * the ring is shorter than that; the caller has checked that it fits.
 */
static VgspMsgqError msgq_copy(const VgspMsgq *q, uint32_t offset, void *rbuf,
                               const void *wbuf, uint32_t len)
{
    uint64_t ring = (uint64_t)q->count * ENTRY_SIZE;
    uint64_t pos = ((uint64_t)q->index * ENTRY_SIZE + offset) % ring;
    uint32_t done = 0;

    while (done < len) {
        uint32_t n = len - done;
        int ret;

        if (n > ring - pos) {
            n = (uint32_t)(ring - pos);
        }
        if (rbuf) {
            ret = q->ops->read(q->opaque, q->entries + pos,
                               (uint8_t *)rbuf + done, n);
        } else {
            ret = q->ops->write(q->opaque, q->entries + pos,
                                (const uint8_t *)wbuf + done, n);
        }
        if (ret) {
            return VGSP_MSGQ_IO;
        }
        done += n;
        pos = 0;
    }
    return VGSP_MSGQ_OK;
}

uint32_t vgsp_rpc_payload_size(uint32_t function, const void *payload,
                               uint32_t len)
{
    const uint8_t *p = payload;
    uint64_t total = len;

    switch (function) {
    case NV_VGPU_MSG_FUNCTION_GSP_RM_CONTROL:
        if (len >= sizeof(rpc_gsp_rm_control_v03_00)) {
            total = sizeof(rpc_gsp_rm_control_v03_00) +
                (uint64_t)vgsp_le32(
                    p + offsetof(rpc_gsp_rm_control_v03_00, paramsSize));
        }
        break;
    case NV_VGPU_MSG_FUNCTION_GSP_RM_ALLOC:
        if (len >= sizeof(rpc_gsp_rm_alloc_v03_00)) {
            total = sizeof(rpc_gsp_rm_alloc_v03_00) +
                (uint64_t)vgsp_le32(
                    p + offsetof(rpc_gsp_rm_alloc_v03_00, paramsSize));
        }
        break;
    case NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY:
        if (len >= sizeof(rpc_alloc_memory_v13_01)) {
            total = sizeof(rpc_alloc_memory_v13_01) +
                sizeof(uint64_t) * (uint64_t)vgsp_le32(
                    p + offsetof(rpc_alloc_memory_v13_01, pageCount));
        }
        break;
    case NV_VGPU_MSG_FUNCTION_SET_REGISTRY:
        if (len >= sizeof(PACKED_REGISTRY_TABLE)) {
            total = vgsp_le32(p + offsetof(PACKED_REGISTRY_TABLE, size));
        }
        break;
    default:
        break;
    }
    if (total < len) {
        total = len;
    }
    return total > UINT32_MAX ? UINT32_MAX : (uint32_t)total;
}

/* What the header of the element at hand says, checked for consistency. */
typedef struct MsgqElement {
    uint8_t header[HEADERS];
    uint32_t count;
    uint32_t payload;
    uint32_t sequence;
    uint32_t function;
} MsgqElement;

static VgspMsgqError msgq_element(const VgspMsgq *q, MsgqElement *e,
                                  uint32_t pending)
{
    VgspMsgqError err = msgq_copy(q, 0, e->header, NULL, HEADERS);
    uint32_t length;

    if (err) {
        return err;
    }
    e->count = vgsp_le32(e->header + ELEM(elemCount));
    e->sequence = vgsp_le32(e->header + ELEM(seqNum));
    e->function = vgsp_le32(e->header + ELEM(rpc.function));
    length = vgsp_le32(e->header + ELEM(rpc.length));
    if (!e->count || e->count > GSP_MSG_QUEUE_ELEMENT_COUNT_MAX) {
        return VGSP_MSGQ_BAD_COUNT;
    }
    if (e->count > pending) {
        return VGSP_MSGQ_TRUNCATED;
    }
    if (length < RPC_HDR || length > GSP_MSG_QUEUE_RPC_SIZE_MAX) {
        return VGSP_MSGQ_BAD_LENGTH;
    }
    if (ELEMENT_HDR + length > e->count * ENTRY_SIZE) {
        return VGSP_MSGQ_BAD_COUNT;
    }
    e->payload = length - RPC_HDR;
    return VGSP_MSGQ_OK;
}

/*
 * The payload into dst (NULL: only sum it) and the checksum of the element:
 * it covers the message rounded up to 64-bit words, so the bytes after an odd
 * end are summed as they are in memory.
 */
static VgspMsgqError msgq_payload(const VgspMsgq *q, const MsgqElement *e,
                                  uint8_t *dst)
{
    uint64_t sum = msgq_xor(e->header, HEADERS);
    uint32_t whole = e->payload & ~7u;
    uint32_t done = 0;
    uint8_t chunk[256];
    VgspMsgqError err;

    if (dst) {
        err = msgq_copy(q, HEADERS, dst, NULL, whole);
        if (err) {
            return err;
        }
        sum ^= msgq_xor(dst, whole);
        done = whole;
    }
    while (done < e->payload) {
        uint32_t n = (uint32_t)VGSP_ALIGN_UP(e->payload - done, 8);

        if (n > sizeof(chunk)) {
            n = sizeof(chunk);
        }
        err = msgq_copy(q, HEADERS + done, chunk, NULL, n);
        if (err) {
            return err;
        }
        sum ^= msgq_xor(chunk, n);
        if (dst) {
            memcpy(dst + done, chunk, e->payload - done);
        }
        done += n;
    }
    return msgq_fold(sum) ? VGSP_MSGQ_BAD_CHECKSUM : VGSP_MSGQ_OK;
}

/* Drop what was assembled; the next element starts anew. */
static void msgq_restart(VgspMsgqAssembly *a)
{
    a->got = 0;
    a->drop = false;
}

static bool msgq_partial(const VgspMsgqAssembly *a)
{
    return a->got && a->got < a->msg.length;
}

/* The first element of a message: its length decides about the buffer. */
static VgspMsgqError msgq_start(VgspMsgqAssembly *a, const MsgqElement *e)
{
    uint32_t total = e->payload;

    a->msg = (VgspRpcMessage) {
        .function = e->function,
        .rpc_result = vgsp_le32(e->header + ELEM(rpc.rpc_result)),
        .rpc_result_private =
            vgsp_le32(e->header + ELEM(rpc.rpc_result_private)),
        .sequence = vgsp_le32(e->header + ELEM(rpc.sequence)),
    };
    if (e->payload == GSP_MSG_QUEUE_PAYLOAD_SIZE_MAX) {
        total = vgsp_rpc_payload_size(e->function, a->buf, e->payload);
    }
    a->msg.length = total;
    a->got = e->payload;
    if (total > a->size) {
        a->drop = msgq_partial(a);
        return VGSP_MSGQ_OVERSIZE;
    }
    return VGSP_MSGQ_OK;
}

/* One element; EMPTY: taken, but the message is not complete. */
static VgspMsgqError msgq_take(VgspMsgq *q, VgspMsgqAssembly *a,
                               const MsgqElement *e)
{
    bool more = e->function == NV_VGPU_MSG_FUNCTION_CONTINUATION_RECORD;
    bool fits = (more ? a->got : 0) <= a->size &&
        e->payload <= a->size - (more ? a->got : 0);
    bool store = fits && !(more && (a->drop || !msgq_partial(a)));
    VgspMsgqError err;

    err = msgq_payload(q, e, store ? a->buf + (more ? a->got : 0) : NULL);
    if (err == VGSP_MSGQ_IO) {
        return err;
    }
    if (!err && q->resync) {
        q->sequence = e->sequence;
        q->resync = false;
    }
    if (!err && e->sequence != q->sequence) {
        if ((int32_t)(e->sequence - q->sequence) > 0) {
            q->sequence = e->sequence + 1;
        }
        err = VGSP_MSGQ_BAD_SEQUENCE;
    } else {
        q->sequence++;
    }
    if (!err &&
        (vgsp_le32(e->header + ELEM(rpc.header_version)) !=
             NV_VGPU_MSG_HEADER_VERSION ||
         vgsp_le32(e->header + ELEM(rpc.signature)) !=
             NV_VGPU_MSG_SIGNATURE_VALID)) {
        err = VGSP_MSGQ_BAD_RPC_HEADER;
    }
    if (err) {
        msgq_restart(a);
        return err;
    }
    if (!more) {
        if (!fits) {
            /* Not even the start can be kept, nor its length be known. */
            msgq_restart(a);
            return VGSP_MSGQ_OVERSIZE;
        }
        err = msgq_start(a, e);
        if (err) {
            return err;
        }
    } else {
        if (!msgq_partial(a) || e->payload > a->msg.length - a->got ||
            !e->payload) {
            msgq_restart(a);
            return VGSP_MSGQ_BAD_CONTINUATION;
        }
        a->got += e->payload;
    }
    if (msgq_partial(a)) {
        return VGSP_MSGQ_EMPTY;
    }
    if (a->drop) {
        msgq_restart(a);
        return VGSP_MSGQ_EMPTY;
    }
    return VGSP_MSGQ_OK;
}

VgspMsgqError vgsp_msgq_recv(VgspMsgq *q, VgspMsgqAssembly *a)
{
    VgspMsgqError err, ack;
    uint32_t pending;

    if (!msgq_partial(a)) {
        msgq_restart(a);
    }
    err = vgsp_msgq_pending(q, &pending);
    if (err) {
        return err;
    }
    while (pending) {
        MsgqElement e;
        uint32_t consumed;

        err = msgq_element(q, &e, pending);
        if (err == VGSP_MSGQ_IO) {
            return err;
        }
        consumed = e.count;
        if (err == VGSP_MSGQ_BAD_COUNT || err == VGSP_MSGQ_TRUNCATED) {
            /* Where the next element begins is anybody's guess. */
            consumed = pending;
            q->resync = true;
            msgq_restart(a);
        } else if (err) {
            q->sequence++;
            msgq_restart(a);
        } else if (msgq_partial(a) &&
                   e.function != NV_VGPU_MSG_FUNCTION_CONTINUATION_RECORD) {
            bool told = a->drop;

            msgq_restart(a);
            if (!told) {
                return VGSP_MSGQ_BAD_CONTINUATION;
            }
            continue;
        } else {
            err = msgq_take(q, a, &e);
            if (err == VGSP_MSGQ_IO) {
                return err;
            }
        }
        ack = msgq_advance(q, q->read_ptr, consumed);
        if (ack) {
            return ack;
        }
        if (err != VGSP_MSGQ_EMPTY) {
            return err;
        }
        pending -= consumed;
    }
    return VGSP_MSGQ_EMPTY;
}

/* Entries of an element with n payload bytes. */
static uint32_t msgq_entries(uint32_t n)
{
    return (HEADERS + n + ENTRY_SIZE - 1) / ENTRY_SIZE;
}

static uint32_t msgq_part(uint32_t left)
{
    return left < GSP_MSG_QUEUE_PAYLOAD_SIZE_MAX
        ? left : GSP_MSG_QUEUE_PAYLOAD_SIZE_MAX;
}

VgspMsgqError vgsp_msgq_send_part(VgspMsgq *q, const VgspRpcMessage *msg,
                                  const void *payload, uint32_t *done)
{
    static const uint8_t zeros[256];
    uint8_t h[HEADERS] = { 0 };
    const uint8_t *data;
    uint32_t n, count, room, end;
    VgspMsgqError err;

    if (*done > msg->length) {
        return VGSP_MSGQ_BAD_LENGTH;
    }
    n = msgq_part(msg->length - *done);
    count = msgq_entries(n);
    if (count >= q->count) {
        return VGSP_MSGQ_OVERSIZE;
    }
    err = vgsp_msgq_free(q, &room);
    if (err) {
        return err;
    }
    if (count > room) {
        return VGSP_MSGQ_FULL;
    }

    data = n ? (const uint8_t *)payload + *done : h;
    vgsp_put_le32(h + ELEM(seqNum), q->sequence);
    vgsp_put_le32(h + ELEM(elemCount), count);
    vgsp_put_le32(h + ELEM(rpc.header_version), NV_VGPU_MSG_HEADER_VERSION);
    vgsp_put_le32(h + ELEM(rpc.signature), NV_VGPU_MSG_SIGNATURE_VALID);
    vgsp_put_le32(h + ELEM(rpc.length), RPC_HDR + n);
    vgsp_put_le32(h + ELEM(rpc.function),
                  *done ? NV_VGPU_MSG_FUNCTION_CONTINUATION_RECORD
                        : msg->function);
    vgsp_put_le32(h + ELEM(rpc.rpc_result), msg->rpc_result);
    vgsp_put_le32(h + ELEM(rpc.rpc_result_private), msg->rpc_result_private);
    vgsp_put_le32(h + ELEM(rpc.sequence), msg->sequence);
    vgsp_put_le32(h + ELEM(checkSum),
                  msgq_fold(msgq_xor(h, HEADERS) ^ msgq_xor(data, n)));

    err = msgq_copy(q, 0, NULL, h, HEADERS);
    if (!err) {
        err = msgq_copy(q, HEADERS, NULL, data, n);
    }
    /* Both drivers' checksums agree only if the rest of the page is zero. */
    end = count * ENTRY_SIZE;
    for (uint32_t pos = HEADERS + n; !err && pos < end;) {
        uint32_t len = end - pos;

        if (len > sizeof(zeros)) {
            len = sizeof(zeros);
        }
        err = msgq_copy(q, pos, NULL, zeros, len);
        pos += len;
    }
    if (!err) {
        err = msgq_advance(q, q->write_ptr, count);
    }
    if (!err) {
        q->sequence++;
        *done += n;
    }
    return err;
}

VgspMsgqError vgsp_msgq_send(VgspMsgq *q, const VgspRpcMessage *msg,
                             const void *payload)
{
    uint64_t needed = 0;
    uint32_t done = 0;
    uint32_t room;
    VgspMsgqError err;

    do {
        uint32_t n = msgq_part(msg->length - done);

        needed += msgq_entries(n);
        done += n;
    } while (done < msg->length && needed < q->count);
    if (needed >= q->count) {
        return VGSP_MSGQ_OVERSIZE;
    }
    err = vgsp_msgq_free(q, &room);
    if (err) {
        return err;
    }
    if (needed > room) {
        return VGSP_MSGQ_FULL;
    }
    done = 0;
    do {
        err = vgsp_msgq_send_part(q, msg, payload, &done);
    } while (!err && done < msg->length);
    return err;
}
