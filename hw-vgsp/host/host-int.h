/*
 * The host engine's inside: what its threads share, and by which rules.
 *
 * Threads
 *   main loop and vCPUs   under the BQL: create, free, schedule, doorbell,
 *                         reset. They take VgspHost.lock for moments only;
 *                         those that must not find a channel in use wait for
 *                         its slice to end (vgsp_host_hold()).
 *   decode thread         runs one channel at a time, for a slice: GPFIFO
 *                         entries, methods, host methods.
 *   worker thread         runs engine jobs, one slice of one channel's oldest
 *                         job at a time.
 *   the executor's        tell of completions and faults (engine/gr.c), under
 *                         VgspHost.lock for moments.
 * None of the latter ever takes the BQL or waits for the main loop, so the
 * former may wait for them while they hold it. A slice is bounded.
 *
 * Lock order: BQL, then VgspHost.lock. Nothing is called with the latter held
 * that could take another lock; memory is accessed and the executor called
 * without it.
 *
 * A channel's fields say in brackets what protects them:
 *   [const]   written before the channel is known to others
 *   [lock]    VgspHost.lock
 *   [inside]  the thread that is inside: the decode thread while
 *             host->running is the channel; or whoever holds the channel
 *   [atomic]  accessed with qatomic_*
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_HOST_HOST_INT_H
#define HW_VGSP_HOST_HOST_INT_H

#include "qemu/event_notifier.h"
#include "qemu/queue.h"
#include "qemu/thread.h"
#include "engine/engine.h"
#include "engine/copy.h"
#include "engine/gr.h"
#include "gsp/gsp.h"
#include "host/host.h"
#include "vgsp/nv/rm.h"
#include "vgsp/pushbuf.h"

typedef enum VgspChannelState {
    VGSP_CHANNEL_IDLE,          /* until a doorbell */
    VGSP_CHANNEL_READY,         /* queued, unless disabled or held */
    VGSP_CHANNEL_RUNNING,       /* is host->running */
    VGSP_CHANNEL_PARKED,        /* in host->parked: will look again */
    VGSP_CHANNEL_WAIT_ENGINE,   /* until a job or a section of it ends */
    VGSP_CHANNEL_WAIT_MMU,      /* until its TLB invalidation was performed */
    VGSP_CHANNEL_DEAD,          /* stopped by an error or by reset, for ever */
} VgspChannelState;

/* Why vgsp_pbdma_run() returned. */
typedef enum VgspRunEnd {
    VGSP_RUN_MORE,              /* the slice is over, work is left */
    VGSP_RUN_IDLE,              /* GP_GET reached GP_PUT */
    VGSP_RUN_PARKED,
    VGSP_RUN_WAIT_ENGINE,
    VGSP_RUN_WAIT_MMU,
    VGSP_RUN_ERROR,             /* channel->error says what, for good */
} VgspRunEnd;

/* Who made an access, for the record of its fault. */
typedef enum VgspUnit {
    VGSP_UNIT_HOST,
    VGSP_UNIT_CE,
    VGSP_UNIT_FE,
} VgspUnit;

/* A semaphore acquire, from any style of method. */
typedef struct VgspAcquire {
    uint64_t va;
    uint64_t payload;
    uint8_t op;                 /* NVC46F_SEM_EXECUTE_OPERATION_ACQ* */
    bool is_64bit;
    bool switch_tsg;            /* the TSG's slice ends where it fails */
    VgspUnit unit;
    bool parked;                /* failed; retried without decoding */
    bool passed;                /* succeeded in a retry */
    unsigned retries;           /* failures since it was met */
} VgspAcquire;

/* A TLB invalidation under way; freed by its completion. */
typedef struct VgspTlbWait {
    VgspChannel *ch;            /* NULL: the channel is gone. BQL */
} VgspTlbWait;

/*
 * A TSG: channels of one runlist that share its time slice. Each channel has
 * one, its own where RM made none.
 */
struct VgspTsg {
    VgspHost *host;             /* [const] */
    uint32_t runlist;           /* [const] */
    bool shared;                /* [const] RM's, not of one channel */
    int64_t timeslice_ns;       /* [lock] */
    QTAILQ_HEAD(, VgspChannel) channels; /* [lock] and BQL; list order */
    VgspChannel *turn;          /* [lock] who is looked at first */
    unsigned ready;             /* [lock] channels that are queued */
    bool running;               /* [lock] the decode thread is inside one */
    bool keeps;                 /* [lock] stays for its slice, none ready */
    int64_t used_ns;            /* [lock] of its slice */
    int64_t run_at;             /* [lock] when it was picked, -1: not timed */
    int64_t keeps_until;        /* [lock] get_clock(); 0: kept nothing yet */
    QTAILQ_ENTRY(VgspTsg) turn_next; /* [lock] */
};

/* [lock]; in host->ready while it has turns. */
typedef struct VgspRunlist {
    QTAILQ_HEAD(, VgspTsg) turns;
    QTAILQ_ENTRY(VgspRunlist) next;
} VgspRunlist;

struct VgspChannel {
    VgspState *s;               /* [const] */
    VgspHost *host;             /* [const] */
    VgspChannelParams p;        /* [const], but pdb: [inside], worker reads */
    uint32_t runlist;           /* [const] */
    const VgspChipEngine *primary; /* [const] first engine of the runlist */
    const VgspChipEngine *copy; /* [const] its copy engine, or NULL */
    bool is_gr;                 /* [const] the runlist is GR's */

    VgspTsg *tsg;               /* [const] */

    VgspChannelState state;     /* [lock] */
    bool queued;                /* [lock] ready, counted in tsg->ready */
    bool enabled;               /* [lock] held, BQL: GPFIFO_SCHEDULE */
    bool disabled;              /* [lock] held, BQL: DISABLE_CHANNELS */
    bool forgotten;             /* [lock] by reset: no token leads here */
    unsigned hold;              /* [lock] holders: no thread may enter */
    bool doorbell;              /* [atomic] rung and not yet looked at */
    int64_t rung_at;            /* [atomic] while idle, for statistics; or 0 */
    bool stop;                  /* [atomic] leave the slice early */
    uint32_t objects;           /* [atomic] bit n: VgspEngineClass n exists */
    unsigned object_count[VGSP_CLASS_COUNT]; /* BQL */
    int64_t poll_at;            /* [lock] next retry if parked, get_clock() */
    VgspTlbWait *tlb_wait;      /* [lock] */
    VgspRcError rc;             /* [lock] valid while in host->failed */
    unsigned jobs_queued;       /* [atomic] length of jobs; written locked */
    QSIMPLEQ_HEAD(, VgspEngineJob) jobs; /* [lock] */

    QTAILQ_ENTRY(VgspChannel) all_next;     /* [lock] */
    QTAILQ_ENTRY(VgspChannel) park_next;    /* [lock] */
    QTAILQ_ENTRY(VgspChannel) tsg_next;     /* [lock] */
    QTAILQ_ENTRY(VgspChannel) busy_next;    /* [lock] */
    QTAILQ_ENTRY(VgspChannel) failed_next;  /* [lock] */

    /* PBDMA state [inside]. */
    uint8_t yield;              /* NVC46F_YIELD_OP_* that ended the slice */
    unsigned parks;             /* since it last performed a method */
    uint32_t gp_get, gp_put;
    QSIMPLEQ_HEAD(, VgspEngineJob) new_jobs; /* not yet the worker's */
    unsigned new_count;
    bool wait_room;             /* it waits for room in jobs, not for idle */
    bool in_entry;              /* the entry at gp_get is being processed */
    bool subroutine;            /* its level */
    uint64_t seg_va;            /* next word of its segment ... */
    uint32_t seg_count;         /* ... and how many are left */
    uint64_t top_level_get;
    bool userd_dirty;
    VgspPushbuf pb;
    uint32_t sem_addr_hi, sem_addr_lo, sem_payload_hi, sem_payload_lo;
    uint32_t legacy_sem_a, legacy_sem_b, legacy_sem_c;
    uint32_t mem_op_a, mem_op_b, mem_op_c;
    uint32_t reference;
    uint32_t gp_crc, pb_crc, method_crc;
    uint64_t crc_va;            /* of the last segment, what pb_crc lacks ... */
    uint32_t crc_words;         /* ... and how much that is */
    VgspAcquire acquire;
    bool failing;               /* error waits for the engine to be idle */
    VgspRcError error;          /* of VGSP_RUN_ERROR */
    VgspCopy ce;                /* methods of the copy class */
    VgspGr gr;                  /* see there */
};

struct VgspHost {
    VgspState *s;
    QemuMutex lock;
    QemuCond left;              /* a thread left a channel */
    QemuCond work;              /* the worker has work, or shall end */
    EventNotifier wake;         /* ends the decode thread's sleep */
    QemuThread decode_thread, worker_thread;
    QEMUBH *error_bh;
    QEMUTimer *watchdog;
    VMChangeStateEntry *vmstate;

    /* [lock] */
    bool exiting;
    bool sleeping;              /* the decode thread sleeps on wake */
    bool recheck;               /* parked channels are due now */
    unsigned frozen;            /* reasons for which no channel may run */
    bool paused;                /* counted in frozen: the VM is stopped */
    bool disabled;              /* counted in frozen: vgsp_host_disable_all() */
    VgspChannel *running;       /* the decode thread is inside it */
    VgspChannel *working;       /* the worker is inside a job of it */
    bool watching;              /* the watchdog's timer is set */
    unsigned still;             /* reasons for which the executor is paused */
    GHashTable *by_token;       /* token -> channel */
    GHashTable *by_context;     /* executor's context -> channel */
    QTAILQ_HEAD(, VgspChannel) all;     /* until freed, forgotten or not */
    VgspRunlist *runlists;      /* by id */
    QTAILQ_HEAD(, VgspRunlist) ready;
    QTAILQ_HEAD(, VgspChannel) parked;
    QTAILQ_HEAD(, VgspChannel) busy;    /* have jobs that may run */
    QTAILQ_HEAD(, VgspChannel) failed;  /* errors for error_bh to report */
};

/* host/host.c */

/* The lock is held for these. */

/* The channel has something to decode. It is not parked. */
void vgsp_channel_set_ready(VgspChannel *ch);
/* Queues what waits only for permission to run. */
void vgsp_channel_resume(VgspChannel *ch);
/* Work of @ch in an engine has ended: goes on if that is what it waits for. */
void vgsp_channel_engine_done(VgspChannel *ch);
/* The same for the executor's, whose releases may be others' acquires. */
void vgsp_host_engine_done(VgspChannel *ch);
/*
 * Stops @ch, and all others of its TSG, for ever and reports @rc, unless it was
 * stopped before.
 */
void vgsp_channel_fail(VgspChannel *ch, const VgspRcError *rc);
/*
 * BQL as well. Keep the threads out of @ch: waits for the end of a slice
 * (which they have no reason to prolong), dropping the lock meanwhile.
 */
void vgsp_host_hold(VgspChannel *ch);
void vgsp_host_release(VgspChannel *ch);
/* BQL as well, and no thread inside: nothing leads to @ch any more. */
void vgsp_host_forget(VgspChannel *ch);

/* The lock is not held for these. */

/* Whether @ch was stopped; no thread can change that while it is held. */
bool vgsp_channel_is_dead(VgspChannel *ch);

/* Re-evaluate parked channels soon: memory changed. Any thread, unlocked. */
void vgsp_host_recheck(VgspHost *host);
/*
 * Gives @job, which is owned from here on, to the worker, some at a time: to
 * wake it costs more than a small copy. Decode thread, inside @ch; at most
 * VGSP_CHANNEL_JOBS_MAX are queued.
 */
#define VGSP_CHANNEL_JOBS_MAX 1024
void vgsp_host_queue_job(VgspChannel *ch, VgspEngineJob *job);
/* Before the decode thread leaves @ch: the worker gets what was kept back. */
void vgsp_host_publish_jobs(VgspChannel *ch);
/* Invalidates TLBs on behalf of @ch: VGSP_RUN_WAIT_MMU must follow. */
void vgsp_host_tlb_invalidate(VgspChannel *ch, const VgspInvalidate *inv);

/* Jobs of @ch that are not complete. Inside @ch. */
static inline unsigned vgsp_channel_jobs(VgspChannel *ch)
{
    return ch->new_count + qatomic_load_acquire(&ch->jobs_queued);
}

/* Whether an engine has work of @ch that is not complete. */
static inline bool vgsp_channel_busy(VgspChannel *ch)
{
    return vgsp_channel_jobs(ch) || vgsp_gr_busy(ch);
}

/* host/watchdog.c */

/* Section @seq of @ch is about to be submitted. Unlocked, inside @ch. */
void vgsp_host_section_begins(VgspChannel *ch, uint64_t seq);
/* The context of @ch is held: its work cannot make progress; or goes on. */
void vgsp_host_section_held(VgspChannel *ch, bool held);
void vgsp_watchdog_init(VgspHost *host);
void vgsp_watchdog_exit(VgspHost *host);

/* host/runlist.c; the lock is held. */

/* @ch is ready; or is not any more, or is going to run. */
void vgsp_runlist_add(VgspChannel *ch);
void vgsp_runlist_remove(VgspChannel *ch);
/*
 * Who runs next, no longer queued; or NULL, and *@timeout (ns, -1: never) is
 * shortened to when to ask again.
 */
VgspChannel *vgsp_runlist_pick(VgspHost *host, int64_t *timeout);
/* The decode thread left @ch, which may be queued again. */
void vgsp_runlist_left(VgspChannel *ch, VgspRunEnd end);
VgspTsg *vgsp_tsg_new(VgspHost *host, uint32_t runlist);
void vgsp_tsg_add(VgspTsg *tsg, VgspChannel *ch);
/* Before @ch is freed; frees its own TSG. */
void vgsp_tsg_remove(VgspChannel *ch);

/* host/crc.c */
void vgsp_crc_init(void);
uint32_t vgsp_crc(uint32_t crc, const uint8_t *buf, size_t len);
/* The same of the first @n methods of @run. */
uint32_t vgsp_crc_methods(uint32_t crc, const VgspPbRun *run, uint32_t n);

/* host/worker.c */
void *vgsp_host_worker(void *opaque);

/* host/pbdma.c: the decode thread's slice of @ch. */
VgspRunEnd vgsp_pbdma_run(VgspChannel *ch);

/* host/methods.c: @method (bytes, < NVC46F_HOST_METHODS_END) with @data. */
VgspMethodEnd vgsp_host_method(VgspChannel *ch, unsigned subchannel,
                               uint32_t method, uint32_t data);
/*
 * Performs the acquire of a method: DONE, PARK or ERROR. After PARK the same
 * method comes again when vgsp_host_acquire_retry() has succeeded.
 */
VgspMethodEnd vgsp_host_acquire(VgspChannel *ch, const VgspAcquire *acq);
/* Retries a parked acquire: DONE, PARK or ERROR. */
VgspMethodEnd vgsp_host_acquire_retry(VgspChannel *ch);

/*
 * Fill ch->error; return VGSP_METHOD_ERROR for the caller to pass on. @what is
 * for the log. PBDMA errors name the interrupt bit, faults the access.
 */
VgspMethodEnd vgsp_channel_error(VgspChannel *ch, uint32_t except_type,
                                 const char *what);
VgspMethodEnd vgsp_channel_fault(VgspChannel *ch, VgspUnit unit,
                                 const VgspVaFault *fault, const char *what);
/* The same for an engine job, into @rc. */
void vgsp_channel_fill_fault(VgspChannel *ch, VgspRcError *rc, VgspUnit unit,
                             const VgspVaFault *fault, const char *what);
void vgsp_channel_fill_error(VgspChannel *ch, VgspRcError *rc,
                             uint32_t except_type, const char *what);
/* What a fault record says of the channel: its instance block. */
void vgsp_channel_fill_instance(VgspChannel *ch, VgspMmuFault *fault);

/* host/semaphore.c */

/* Whether @ch's memory satisfies @acq now. False with *@ok false: a fault. */
bool vgsp_semaphore_test(VgspChannel *ch, const VgspAcquire *acq, bool *ok,
                         VgspVaFault *fault);
/*
 * Writes a semaphore: 4 or (@is_64bit) 8 bytes; with @timestamp 16. The caller
 * checked alignment. False: a fault.
 */
bool vgsp_semaphore_release(VgspChannel *ch, uint64_t va, uint64_t payload,
                            bool is_64bit, bool timestamp, VgspVaFault *fault);

typedef struct VgspReduction {
    uint8_t op;                 /* NVC46F_SEM_EXECUTE_REDUCTION_*, or FADD */
    bool is_signed;
    bool is_64bit;
    uint64_t payload;
} VgspReduction;

/* Whether Host has that operation. The copy class has FADD as well. */
bool vgsp_reduction_valid(const VgspReduction *r);
/* The new value; for tests and for vgsp_semaphore_reduce(). */
uint64_t vgsp_reduction_apply(const VgspReduction *r, uint64_t old);
bool vgsp_semaphore_reduce(VgspChannel *ch, uint64_t va,
                           const VgspReduction *r, bool timestamp,
                           VgspVaFault *fault);

#endif
