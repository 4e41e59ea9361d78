/*
 * The GSP message queue, one codec for both ends: the device reads the
 * command queue and writes the status queue, a driver does the reverse.
 *
 * Layout and rules: nv/rpc.h and NVIDIA's message_queue_cpu.c, msgq.c.  A
 * queue is a header page followed by msgCount entries of 4 KiB.  A message
 * ("element") takes elemCount consecutive entries and may wrap from the last
 * entry to the first in the middle of its data.  A message longer than one
 * element continues in elements of function 71, CONTINUATION_RECORD.
 *
 * Everything in shared memory is untrusted: it is read once, checked, and
 * used from the copy.  Geometry is read when the queue is opened and never
 * again.  Nothing here allocates or blocks.  A VgspMsgq belongs to one thread
 * at a time; the caller serialises.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_MSGQ_H
#define VGSP_MSGQ_H

#include "vgsp/types.h"
#include "vgsp/nv/rpc.h"

typedef enum VgspMsgqError {
    VGSP_MSGQ_OK = 0,
    VGSP_MSGQ_EMPTY,            /* no (further) element to read */
    VGSP_MSGQ_FULL,             /* not enough free entries; nothing written */
    VGSP_MSGQ_IO,               /* the caller's read or write failed */
    VGSP_MSGQ_BAD_HEADER,       /* queue header with impossible geometry */
    VGSP_MSGQ_BAD_POINTER,      /* the peer's pointer is not an entry */
    VGSP_MSGQ_BAD_COUNT,        /* elemCount 0, above 16, or below length */
    VGSP_MSGQ_TRUNCATED,        /* elemCount exceeds the entries written */
    VGSP_MSGQ_BAD_LENGTH,       /* length below the header or above 0xffd0 */
    VGSP_MSGQ_BAD_CHECKSUM,
    VGSP_MSGQ_BAD_SEQUENCE,
    VGSP_MSGQ_BAD_RPC_HEADER,   /* header version or signature */
    VGSP_MSGQ_BAD_CONTINUATION, /* one without a start, or missing */
    VGSP_MSGQ_OVERSIZE,         /* longer than the buffer or the queue */
} VgspMsgqError;

/* Constant name of an error, for traces: "bad-checksum". Never NULL. */
const char *vgsp_msgq_error_name(VgspMsgqError err);

/*
 * Access to the shared region.  offset counts bytes from its start (page 0,
 * the page table); the callee translates through that table if the region is
 * not contiguous.  Both return 0, or anything else for failure.
 */
typedef struct VgspMsgqOps {
    int (*read)(void *opaque, uint64_t offset, void *buf, uint32_t len);
    int (*write)(void *opaque, uint64_t offset, const void *buf, uint32_t len);
} VgspMsgqOps;

/* One queue as one of its two ends sees it. */
typedef struct VgspMsgq {
    const VgspMsgqOps *ops;
    void *opaque;
    uint64_t entries;        /* offset of entry 0 in the region */
    uint64_t write_ptr;      /* offset of the producer's writePtr */
    uint64_t read_ptr;       /* offset of the consumer's readPtr */
    uint32_t count;          /* entries, 2 or more; count - 1 can be used */
    uint32_t index;          /* own pointer: next entry to write or read */
    uint32_t sequence;       /* of the next element */
    bool resync;             /* elements were lost: take the next's sequence */
} VgspMsgq;

/* A message without its payload; all fields in host order. */
typedef struct VgspRpcMessage {
    uint32_t function;
    uint32_t rpc_result;
    uint32_t rpc_result_private;
    uint32_t sequence;       /* the RPC's, not the element's */
    uint32_t length;         /* of the payload in bytes, header excluded */
} VgspRpcMessage;

/*
 * Reassembly of one message.  The caller sets buf, size and the rest to zero;
 * the buffer stays the caller's.  msg and buf[0 .. msg.length) are valid
 * after VGSP_MSGQ_OK until the next receive.
 */
typedef struct VgspMsgqAssembly {
    uint8_t *buf;
    uint32_t size;
    VgspRpcMessage msg;
    uint32_t got;            /* payload bytes so far; 0: none in progress */
    bool drop;               /* too long: swallow the continuations */
} VgspMsgqAssembly;

/*
 * Write the header of a queue of size bytes (a multiple of 4 KiB, at least
 * three pages) at offset queue: version 0, swapped read pointers, both
 * pointers 0.  Each side formats the queue that it produces.
 */
VgspMsgqError vgsp_msgq_format(const VgspMsgqOps *ops, void *opaque,
                               uint64_t queue, uint32_t size);

/*
 * Open the queue at offset queue.  own_queue is the queue that this side
 * produces, peer_queue the other; with queue == own_queue this side is the
 * producer, else the consumer.  Both headers are checked against region_size
 * (bytes).  Pointer and sequence start at 0.
 *
 * A driver writes its first commands before GSP runs: a producer may open
 * while the peer's header is still zero, and its read pointer is then expected
 * where the own queue's header puts it.
 */
VgspMsgqError vgsp_msgq_open(VgspMsgq *q, const VgspMsgqOps *ops, void *opaque,
                             uint64_t queue, uint64_t own_queue,
                             uint64_t peer_queue, uint64_t region_size);

/* Consumer: entries written and not yet read, in *entries. */
VgspMsgqError vgsp_msgq_pending(const VgspMsgq *q, uint32_t *entries);

/* Producer: entries that can be written now, in *entries. */
VgspMsgqError vgsp_msgq_free(const VgspMsgq *q, uint32_t *entries);

/*
 * Consumer: read elements until a message is complete.
 *
 * OK: a->msg and its payload are complete.  EMPTY: none is (part of one may
 * have been kept in a).  IO, BAD_POINTER: nothing was consumed.
 * BAD_COUNT, TRUNCATED: the element boundaries are lost, so all that had been
 * written is consumed and the next element's sequence number is taken as due.
 * Any other error: that one element is consumed (or, for BAD_CONTINUATION when
 * a new message begins too early, only the partial one is dropped) and the
 * caller may go on.
 *
 * A bad checksum counts as the element that was due.  A sequence number below
 * the expected one is a stale element and does not change it; one above shows
 * a gap and is followed.
 *
 * The total length of a message with continuations follows from its own
 * fields, see vgsp_rpc_payload_size().
 */
VgspMsgqError vgsp_msgq_recv(VgspMsgq *q, VgspMsgqAssembly *a);

/*
 * Producer: write one element with the part of the message that begins at
 * payload byte *done (0: the start) and add its length to *done; the message
 * is complete when *done == msg->length.  FULL leaves *done alone.
 */
VgspMsgqError vgsp_msgq_send_part(VgspMsgq *q, const VgspRpcMessage *msg,
                                  const void *payload, uint32_t *done);

/*
 * Producer: write the whole message with as many elements as it takes, or
 * nothing (FULL; OVERSIZE if the queue is too small for it at any time).
 */
VgspMsgqError vgsp_msgq_send(VgspMsgq *q, const VgspRpcMessage *msg,
                             const void *payload);

/*
 * The payload bytes of a message by its own count fields, of which the first
 * len are at payload.  UINT32_MAX when the fields are absurd (the sum
 * overflows); len when the function has no such field or too few bytes are
 * there to tell.  Never less than len.
 */
uint32_t vgsp_rpc_payload_size(uint32_t function, const void *payload,
                               uint32_t len);

#endif
