/*
 * What the files of the executor over NVIDIA's driver share: the client and
 * its objects, and who holds which lock.
 *
 * Locks, in this order:
 *   table       which memory objects, spaces and contexts exist. Readers use
 *               one of them, a writer adds or removes one.
 *   space->lock a space's mappings, its programs, and what is submitted to
 *               the rings of its contexts. Held across ioctls.
 *   ring_lock   which rings there are, faults, pause. Never held across an
 *               ioctl or callback.
 * A ring has one that puts, who holds its space's lock, and one that takes, the
 * client's thread: between these two there are only atomic words.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_OWNER_RM_RM_INT_H
#define HW_VGSP_OWNER_RM_RM_INT_H

#include <errno.h>
#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include <sys/types.h>

#include "owner/rm/nvrm.h"
#include "owner/rm/rm.h"
#include "translate/translate.h"

#define RM_PAGE         4096u
#define RM_VA_LIMIT     (1ull << 49)
/* Who owns memory: any number but 0 and the manager's own. */
#define RM_OWNER        0x76677370u

/* ---- The operating system, which unit tests replace ---- */

typedef struct RmOs {
    int (*open)(void *opaque, const char *path);
    void (*close)(void *opaque, int fd);
    /* 0 or a negative errno value. */
    int (*ioctl)(void *opaque, int fd, unsigned nr, void *arg, size_t size);
    /* NULL on failure. Shared, readable and writable. */
    void *(*mmap)(void *opaque, int fd, size_t size);
    void (*munmap)(void *opaque, void *ptr, size_t size);
    /*
     * Sleeps until wake, an eventfd, or fd (-1: none) can be read, or for
     * timeout_us (negative: for ever). RM_WAKE_*, or a negative errno value.
     */
    int (*wait)(void *opaque, int wake, int fd, int64_t timeout_us);
} RmOs;
#define RM_WAKE_CALL    1       /* wake, which has been read */
#define RM_WAKE_EVENT   2       /* fd */

/* vgsp_rm_open() with another operating system below it. */
VgspRm *vgsp_rm_open_os(const VgspRmConfig *config, const RmOs *os,
                        void *os_opaque, char **error);

static inline void rm_cpu_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Stores before it are seen before those behind it, also combined ones. */
static inline void rm_store_fence(void)
{
#if defined(__x86_64__)
    __asm__ volatile("sfence" : : : "memory");
#else
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

/* ---- The client: client.c ---- */

/* What the releases of the driver differ in. */
typedef struct RmRelease {
    unsigned major;             /* the first that has it */
    bool map_kind;              /* NVOS46 takes flags2 and a page kind */
    bool unmap_size;            /* NVOS47 takes a size */
    uint8_t schedule_size;      /* of NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS */
} RmRelease;

/* A kind of chip that this library knows how to feed. */
typedef struct RmChip {
    uint32_t architecture;      /* NV2080_CTRL_MC_ARCH_INFO_ARCHITECTURE_* */
    const char *name;
    uint32_t usermode, threed, compute;
    const VgspProfile *profile;
} RmChip;

/* What lies on both sides of it shares no line of a cache. */
#define RM_APART(n)     uint8_t apart##n[128]

typedef struct RmMapping {
    void *ptr;
    size_t size;
    NvHandle memory;
    uint64_t cookie;            /* pLinearAddress */
} RmMapping;

struct VgspRm {
    const RmOs *os;
    void *os_opaque;
    const VgspRmOps *ops;
    void *opaque;

    int ctl, dev;               /* /dev/nvidiactl, /dev/nvidiaN */
    char *ctl_path, *dev_path;
    char version[64];
    const RmRelease *release;
    const RmChip *chip;
    uint32_t implementation;
    uint32_t gpc_mask, tpc_mask[32], sm_count;
    NvHandle client, device, subdevice, usermode;
    RmMapping doorbell;
    int handles;                /* the last given; atomic */

    GMutex clock_lock;
    int64_t clock_read;         /* monotonic us; 0: not yet */
    uint64_t clock_at;          /* ns, then */
    uint64_t clock_last;        /* ns, handed out */

    GRWLock table;
    GHashTable *memories, *spaces, *contexts;   /* by id */
    uint32_t ids;               /* the last given */

    GMutex ring_lock;
    GCond delivered;            /* the thread has run a callback, or looked */
    GPtrArray *live;            /* RmContext */
    GQueue faults;              /* RmFault */
    unsigned paused, waiters;   /* ... for delivered; written atomically */
    bool quit, watching;        /* ... looks at rings without the lock */
    unsigned watches;           /* ... has done so; wraps */
    GThread *thread;
    int wake;                   /* eventfd: ends the thread's sleep */
    /* Atomic; who submits reads the first two each time: */
    bool sleeping;              /* the thread sleeps, or is about to: wake it */
    bool event;                 /* the driver tells of interrupts */
    uint32_t kicks;             /* calls the thread back to ring_lock */
    RM_APART(1);
    const void *delivering;     /* RmContext whose callbacks run */
    RM_APART(2);
    NvHandle interrupt;         /* the driver's event of them */
    unsigned sleeps, interrupts;    /* counted, for tests; atomic */
};

/* One line for the person who runs it. */
void rm_log(VgspRm *rm, const char *format, ...) G_GNUC_PRINTF(2, 3);
int rm_errno(uint32_t status);
int rm_ioctl(VgspRm *rm, int fd, unsigned nr, void *arg, size_t size);
/* *handle is made up; params may be NULL. Negative errno values. */
int rm_alloc(VgspRm *rm, NvHandle parent, NvHandle *handle, uint32_t cls,
             RmAllocParams *params);
/* Does nothing for handle 0. */
void rm_free(VgspRm *rm, NvHandle parent, NvHandle *handle);
int rm_control(VgspRm *rm, NvHandle object, uint32_t cmd, void *params,
               size_t size);
NvHandle rm_new_handle(VgspRm *rm);
/* A CPU mapping; device: of the card's memory or registers. */
int rm_map_cpu(VgspRm *rm, NvHandle parent, NvHandle memory, size_t size,
               uint32_t flags, bool device, RmMapping *mapping);
void rm_unmap_cpu(VgspRm *rm, NvHandle parent, RmMapping *mapping);

/* ---- Memory: memory.c ---- */

/* Memory is pinned in pieces of this size, when one is mapped first. */
#define RM_CHUNK        (32ull << 20)

typedef struct RmMemory {
    uint32_t id;
    uint8_t *host;
    uint64_t size;
    GMutex lock;                /* of the chunks: spaces use it in parallel */
    size_t chunks;
    NvHandle *chunk;            /* 0: not pinned */
} RmMemory;

RmMemory *rm_memory_new(VgspRm *rm, void *host, uint64_t size);
void rm_memory_free(VgspRm *rm, RmMemory *m);
/* The handle of the chunk that has offset, pinned if it is not yet. */
int rm_memory_chunk(VgspRm *rm, RmMemory *m, uint64_t offset,
                    NvHandle *handle);
/* Memory of the driver's for both sides, zeroed, mapped for the CPU. */
int rm_memory_system(VgspRm *rm, uint64_t size, NvHandle *handle,
                     RmMapping *mapping);

/* ---- Spaces: space.c ---- */

typedef struct RmContext RmContext;

typedef struct RmSpace {
    VgspRm *rm;
    uint32_t id;
    GMutex lock;
    NvHandle vaspace, window;
    uint64_t start;             /* the first address that there is */
    GSequence *ranges;          /* RmRange, by address, without overlaps */
    GPtrArray *contexts;        /* RmContext of this space */
    VgspCode *code;             /* NULL: the chip needs no translation */

    /* What is the executor's own: [own, own + RM_OWN_SIZE); 0: none yet. */
    uint64_t own;
    uint64_t slots;             /* bitmap: RM_SLOT_SIZE each */
    uint64_t own_next;          /* first free byte behind the slots */
    GPtrArray *owned;           /* RmOwned */
    RmMemory *shadow;           /* pages of translated programs */
    GArray *shadow_free;        /* uint32_t, numbers of pages */
    uint8_t *shadow_put;        /* what they hold unless the GPU wrote there */
    uint8_t **shadow_guest;     /* the guest's page behind each; NULL: free */
    int shadows;                /* none from this number on is used; atomic */
} RmSpace;

/* First the driver's own buffers, then slots, then what is reserved. */
#define RM_OWN_SIZE     (16ull << 30)
#define RM_OWN_DRIVER   (4ull << 30)
#define RM_SLOT_SIZE    (4ull << 20)
#define RM_SLOTS        64

RmSpace *rm_space_new(VgspRm *rm, int *error);
/* Has no context. */
void rm_space_free(RmSpace *s);
/* The space's lock is held in all of these. */
int rm_space_map(RmSpace *s, const struct vgsp_owner_map_op *ops,
                 size_t count, RmMemory **memories);
void rm_space_forget(RmSpace *s, const RmMemory *m);
/* Whether anything of the guest's is mapped there. */
bool rm_space_used(RmSpace *s, uint64_t va, uint64_t size);
/* Moves *va up to the next address, below end, that the guest does not map. */
bool rm_space_gap(RmSpace *s, uint64_t *va, uint64_t end, uint64_t *size);
/* Takes addresses from the driver: sparse, or (lazy) only so. */
int rm_space_take(RmSpace *s, uint64_t va, uint64_t size, uint32_t flags,
                  NvHandle *handle);
int rm_space_map_fixed(RmSpace *s, NvHandle dma, NvHandle memory,
                       uint64_t offset, uint64_t size, uint64_t va,
                       uint32_t flags, uint32_t kind, bool defer);
int rm_space_unmap_fixed(RmSpace *s, NvHandle dma, NvHandle memory,
                         uint64_t va, bool defer);
/* Waits until nothing of the space runs, or 2 seconds. */
void rm_space_quiesce(RmSpace *s);
/* What translation asks for; opaque is the RmSpace, whose lock is held. */
extern const VgspTranslateOps rm_translate_ops;

/* ---- The executor's own memory in a space: own.c, the lock is held ---- */

void rm_own_init(RmSpace *s);
int rm_own_shadow(RmSpace *s);
/*
 * The page of that number stands for the guest's, with these bytes. What the
 * GPU wrote to it before goes to the guest's.
 */
void rm_shadow_set(RmSpace *s, uint32_t number, uint8_t *guest,
                   const void *bytes);
/* What the GPU wrote goes to the guest's page, and is undone in the shadow. */
void rm_shadow_merge(RmSpace *s, uint32_t number);
void rm_shadow_merge_all(RmSpace *s);
/* The page is free again; nothing is mapped there any more. */
void rm_shadow_end(RmSpace *s, uint32_t number);
/* After the space's window has gone. */
void rm_own_free(RmSpace *s);
/*
 * While a context is made, the driver gives its own buffers the lowest
 * addresses that are free: takes away those below the executor's own.
 */
void rm_own_steer(RmSpace *s, GArray *taken);
void rm_own_steer_end(RmSpace *s, GArray *taken);
/* RM_SLOT_SIZE bytes of addresses for a ring. */
int rm_space_slot(RmSpace *s, uint64_t *va);
void rm_space_slot_free(RmSpace *s, uint64_t va);
/* Memory that lives as long as the space; *host is NULL unless cpu. */
int rm_space_reserve(RmSpace *s, uint64_t size, bool cpu, uint64_t *va,
                     void **host);

/* ---- Contexts and rings: context.c, ring.c ---- */

#define RM_RING_ENTRIES     1024u
#define RM_PUSH_WORDS       (512u << 10)
/*
 * In the context's memory: the ring, the release word, the words that ask for
 * the interrupt, then the push buffer.
 */
#define RM_RELEASE_OFFSET   (RM_RING_ENTRIES * 8)
#define RM_ASK_OFFSET       (RM_RELEASE_OFFSET + RM_PAGE / 2)
#define RM_PUSH_OFFSET      (RM_RELEASE_OFFSET + RM_PAGE)
#define RM_RING_SIZE        (RM_PUSH_OFFSET + RM_PUSH_WORDS * 4)

/* Bounds of what is queued in a context. */
#define RM_QUEUE_SECTIONS   1024u
#define RM_QUEUE_WORDS      (4u << 20)

/* A section that is not in the ring yet, or not all of it. */
typedef struct RmQueued {
    uint64_t seq;
    uint32_t count;
    uint32_t pos;               /* translation is here ... */
    bool started;               /* ... and has begun */
    bool raw;                   /* goes into the ring as it is */
    uint32_t words[];
} RmQueued;

/* An entry of the ring: a piece of a section, or what asks behind one. */
typedef struct RmSlot {
    uint64_t seq;
    uint32_t start;             /* of its words in the push buffer */
    bool last;                  /* of its section */
    bool awakens;               /* the engine is asked for an interrupt */
    bool asks;                  /* Host is, when it has retired, ... */
    bool only;                  /* ... and it is there for nothing else */
} RmSlot;

struct RmContext {
    int refs;                   /* atomic */
    VgspRm *rm;
    RmSpace *space;
    uint32_t id;
    NvHandle group, share, channel, objects[4];
    NvHandle notifier_memory, userd_memory, ring_memory;
    RmMapping notifier, userd, ring;
    uint64_t va;                /* of the ring's memory; 0: no slot */
    bool mapped;                /* ... there */
    uint32_t token;

    /* ---- Under the space's lock ---- */
    GQueue queue;               /* RmQueued */
    uint32_t queued_words;
    VgspTranslate *translate;
    GArray *out;                /* uint32_t: goes into the ring next ... */
    bool out_ready;             /* ... it is there, */
    bool out_last;              /* ... ends its section, */
    bool out_wait;              /* ... and must retire before the next */
    bool waits;                 /* until the ring is empty */
    bool hold;                  /* nothing more goes into the ring */
    struct vgsp_owner_fault *failing;   /* ... then fails with this */
    uint32_t head;              /* of the words: next free */
    RmSlot slot[RM_RING_ENTRIES];

    /* ---- Under ring_lock ---- */
    bool live;                  /* in rm->live */
    bool dead;                  /* no more of it; read by anybody */

    /* ---- The ring's two ends; atomic ---- */
    RM_APART(1);
    uint32_t put;               /* entries put into the ring: who submits */
    bool stuck;                 /* pump when something retires */
    RM_APART(2);
    uint32_t get;               /* entries that have retired: the thread */
    RM_APART(3);
    uint32_t noticed;           /* its alone: put when it looked last */
    int64_t looked;             /* its alone: when at the notifier */
    bool pump;                  /* its alone: to be pumped */
    RM_APART(4);
};

RmContext *rm_context_ref(RmContext *ctx);
void rm_context_unref(RmContext *ctx);
/* Takes the channel from the chip: nothing of it runs after this. */
void rm_context_down(RmContext *ctx);

/* Writes what stays in the ring's memory. */
void rm_ring_init(RmContext *ctx);
/* Puts what fits of the queue into the ring. The space's lock is held. */
void rm_ring_pump(RmContext *ctx);
/* Whether all that was put into the ring has run; the space's lock is held. */
bool rm_ring_idle(RmContext *ctx);
/* The section that runs, or ran last: for the thread, or its space's lock. */
uint64_t rm_ring_running(const RmContext *ctx);
/*
 * Puts a piece into the ring that does nothing but ask for the interrupt; the
 * space's lock is held.
 */
bool rm_ring_ask(RmContext *ctx);
void rm_ring_add(RmContext *ctx);
/* No callback for it runs after this. */
void rm_ring_remove(RmContext *ctx);
/* How many entries have run on the chip. */
static inline uint32_t rm_ring_released(const RmContext *ctx)
{
    return __atomic_load_n((uint32_t *)((uint8_t *)ctx->ring.ptr +
                                        RM_RELEASE_OFFSET), __ATOMIC_ACQUIRE);
}

/* ---- The thread: watch.c ---- */

/* There is something for the thread. */
void rm_ring_kick(VgspRm *rm);
bool rm_ring_start(VgspRm *rm);
void rm_ring_stop(VgspRm *rm);
/* Asks the driver to tell of interrupts; it may refuse: rm->event. */
void rm_event_open(VgspRm *rm);
void rm_event_close(VgspRm *rm);

/* ---- Faults: fault.c ---- */

typedef struct RmFault {
    RmContext *ctx;             /* a reference */
    struct vgsp_owner_fault fault;
} RmFault;

/* Whether the driver wrote an error; *code is its ROBUST_CHANNEL_*. */
bool rm_fault_look(const RmContext *ctx, uint32_t *code);
/* Asks the driver what it knows of it, and says so in a line. */
void rm_fault_describe(RmContext *ctx, uint32_t code,
                       struct vgsp_owner_fault *fault);
/* The thread reports it, for a context that is dead; ring_lock is held. */
void rm_fault_queue(RmContext *ctx, const struct vgsp_owner_fault *fault);

#endif
