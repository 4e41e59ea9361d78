/*
 * Mesa's NVK on the functional model, in one process: a stand-in for the
 * nouveau kernel driver. Buffers, address spaces and channels are made from
 * DRM ioctls (nouveau_drm.h); pushes run through a small host engine into the
 * model's sections. The device node itself is Mesa's mesa-drm-shim.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_SHIM_SHIM_H
#define TESTS_SHIM_SHIM_H

#include <inttypes.h>
#include <glib.h>
#include "model/model.h"
#include "replay/copy.h"
#include "replay/recording.h"
#include "vgsp/pushbuf.h"
#include "vgsp/section.h"

#define SHIM_PAGE 4096

/* One lock for all tables, queues and fences; broadcast at every change. */
extern GMutex shim_lock;
extern GCond shim_cond;
extern VgspModel *shim_model;

void shim_log(const char *format, ...) G_GNUC_PRINTF(1, 2);
uint64_t shim_clock_ns(void);

/* ---- Fences and syncobjs (sync.c). All under shim_lock. ---- */

typedef struct ShimFence {
    unsigned refs;
    bool done;
} ShimFence;

ShimFence *shim_fence_new(bool done);
ShimFence *shim_fence_ref(ShimFence *f);
void shim_fence_unref(ShimFence *f);
void shim_fence_signal(ShimFence *f);

/* The fence of a syncobj's point (0: a binary one); NULL: none yet. */
ShimFence *shim_syncobj_find(uint32_t handle, uint64_t point);
/* Takes over the reference. False: no such syncobj. */
bool shim_syncobj_attach(uint32_t handle, uint64_t point, ShimFence *f);
/* The DRM_IOCTL_SYNCOBJ_* ioctls; takes the lock. Negative errno. */
int shim_syncobj_ioctl(unsigned long request, void *arg);

/* ---- Buffers and address spaces (memory.c) ---- */

typedef struct ShimBo {
    unsigned refs;              /* the handle's, and one a mapping */
    uint32_t handle;
    int fd;                     /* memfd */
    uint8_t *host;
    uint64_t size;
    uint32_t memory;            /* the model's id */
    uint32_t domain, tile_mode, tile_flags;
    uint64_t va;                /* of a legacy file's, else 0 */
} ShimBo;

/* What a stretch of a space is mapped to; bo is NULL where sparse. */
typedef struct ShimMapping {
    uint64_t va, size;
    ShimBo *bo;
    uint64_t offset;
} ShimMapping;

typedef struct ShimSpace {
    uint32_t id;                /* the model's */
    GMutex lock;                /* of what follows; taken after shim_lock */
    GArray *mappings;           /* ShimMapping, by address */
    GArray *sparse;             /* ShimMapping without bo: reservations */
    uint64_t next_va;           /* of a legacy file's buffers */
} ShimSpace;

/* Under shim_lock. */
ShimBo *shim_bo_new(uint64_t size);
ShimBo *shim_bo_find(uint32_t handle);
int shim_bo_close(uint32_t handle);
/*
 * The offset for mmap() of a buffer, and the buffer of an offset: bit 62 and
 * the handle, for no file is that long.
 */
#define SHIM_MAP_HANDLE_BASE (UINT64_C(1) << 62)
static inline bool shim_bo_is_map_handle(uint64_t offset)
{
    return offset & SHIM_MAP_HANDLE_BASE && !(offset >> 63);
}
uint64_t shim_bo_map_handle(const ShimBo *bo);
ShimBo *shim_bo_find_map(uint64_t map_handle);

ShimSpace *shim_space_new(void);
void shim_space_free(ShimSpace *s);
int shim_space_map(ShimSpace *s, uint64_t va, uint64_t size, ShimBo *bo,
                   uint64_t offset, uint8_t kind);
int shim_space_unmap(ShimSpace *s, uint64_t va, uint64_t size);
int shim_space_sparse(ShimSpace *s, uint64_t va, uint64_t size, bool reserve);

/* Copies between memory and buf. False: something is not mapped. */
bool shim_space_read(ShimSpace *s, uint64_t va, void *buf, size_t len);
bool shim_space_write(ShimSpace *s, uint64_t va, const void *buf, size_t len);

/* ---- Channels (host.c) ---- */

typedef struct ShimPush {
    uint64_t va;
    uint32_t words;
} ShimPush;

typedef struct ShimJob {
    GPtrArray *waits, *signals; /* ShimFence */
    GArray *pushes;             /* ShimPush */
} ShimJob;

typedef struct ShimChannel {
    uint32_t id;
    ShimSpace *space;
    uint32_t context;           /* the model's */
    GThread *thread;
    GQueue jobs;                /* under shim_lock, as are these: */
    bool stop, dead;
    uint64_t completed;         /* sequence number of a section */
    ShimFence *last;            /* of a legacy file's work; NULL: none yet */
    bool legacy;                /* the file is one; set when it is made */

    /* The thread's own. */
    uint64_t seq;
    VgspPushbuf pb;
    VgspSectionWriter section, copies; /* one of them is empty */
    bool upload;                /* the section is of inline uploads alone */
    uint32_t cls[4];
    uint32_t sem_addr_lo, sem_addr_hi, sem_payload_lo, sem_payload_hi;
    uint32_t legacy_a, legacy_b, legacy_c;
    uint32_t report[4];         /* SET_REPORT_SEMAPHORE_A to D, of legacy */
    VgspCopy ce;
} ShimChannel;

/* Under shim_lock. NULL: the model refuses. */
ShimChannel *shim_channel_new(ShimSpace *space);
/* Takes over the job; it ends at once on a dead channel. Under shim_lock. */
void shim_channel_queue(ShimChannel *ch, ShimJob *job);
/* Waits for what is queued. Takes the lock. */
void shim_channel_free(ShimChannel *ch);
ShimJob *shim_job_new(void);
void shim_job_free(ShimJob *job);

/* The channel cannot go on: says why and ends it. Returns false. */
bool shim_channel_error(ShimChannel *ch, const char *format, ...)
    G_GNUC_PRINTF(2, 3);

/* The model's events (host.c). */
extern const VgspModelOps shim_model_ops;
/* VGSP_SHIM_EXECUTE=no: sections of GR retire unexecuted, to be recorded. */
bool shim_executes(void);

/* ---- The first interface (legacy.c). Under shim_lock. ---- */

/* Gives a new buffer its address. Negative errno. */
int shim_legacy_bo(ShimSpace *s, ShimBo *bo);
/* DRM_NOUVEAU_GEM_PUSHBUF; negative errno. */
int shim_legacy_pushbuf(ShimChannel *ch, void *arg);
/*
 * The channel's thread. Whether the run is an inline upload that is executed
 * in any case: nvc0 writes its programs by them, and a translator wants those.
 */
bool shim_legacy_uploads(const ShimChannel *ch, const VgspPbRun *run);
/*
 * Whether n methods have a release that must happen here, for nothing executes
 * it: nvc0 spins on its own fences.
 */
bool shim_legacy_releases(ShimChannel *ch, const VgspPbRun *run, uint32_t n);
void shim_legacy_release(ShimChannel *ch);

/* ---- Recording (record.c); no-ops unless VGSP_SHIM_RECORD names a file --- */

void shim_record_open(void);
bool shim_recording(void);
void shim_record_memory(const ShimBo *bo, bool add);
void shim_record_space(uint32_t id, bool add);
void shim_record_map(uint32_t space, const struct vgsp_owner_map_op *ops,
                     size_t count);
void shim_record_context(uint32_t space, uint32_t id, bool add);
/* Around a section that runs alone; of GR or of the copy engine. */
void shim_record_begin(uint32_t context, bool copy, const uint32_t *words,
                       uint32_t count, uint64_t seq);
/* What a copy wrote that was done here, where nothing executes. */
void shim_record_wrote(uint32_t space, uint64_t va, const void *data,
                       size_t size);
void shim_record_fault(const struct vgsp_owner_fault *fault);
void shim_record_end(uint32_t context, uint64_t seq,
                     VgspRecordOutcome outcome);

#endif
