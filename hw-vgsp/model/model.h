/*
 * The functional model of the GR engine: a library without QEMU. It executes
 * sections (vgsp/section.h) in address spaces that its user builds with the
 * owner's map operations (vgsp/uapi/vgsp_owner.h). What it computes is a
 * model's work, never a physical GPU's.
 *
 * Every function may be called from any thread, callbacks excepted, and none
 * waits for guest work unless it says so. Errors are negative errno values
 * with the meaning that the owner's ABI gives them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_MODEL_H
#define HW_VGSP_MODEL_MODEL_H

#include "vgsp/chip.h"
#include "vgsp/section.h"
#include "vgsp/uapi/vgsp_owner.h"

typedef struct VgspModel VgspModel;

/*
 * Callbacks, from the model's threads, without its locks. They must not call
 * the model, and must not wait for a thread that does.
 */
typedef struct VgspModelOps {
    /* PTIMER, ns: the one clock of timestamps and %globaltimer. */
    uint64_t (*clock_ns)(void *opaque);
    /*
     * The model wrote into memory object memory, within those bytes. Called
     * before the completion or release that tells of the writes. May be NULL.
     */
    void (*wrote)(void *opaque, uint32_t memory, uint64_t offset,
                  uint64_t size);
    /* All sections of the context up to seq have retired. */
    void (*completed)(void *opaque, uint32_t context, uint64_t seq);
    /* A release with AWAKEN: the engine's non-stall interrupt. May be NULL. */
    void (*interrupt)(void *opaque, uint32_t context);
    /* The context is dead; nothing of it completes any more. */
    void (*fault)(void *opaque, const struct vgsp_owner_fault *fault);
} VgspModelOps;

typedef struct VgspModelConfig {
    const VgspChip *chip;       /* copied */
    unsigned threads;           /* 0: one a host processor, at most 16 */
    const VgspModelOps *ops;    /* stays valid */
    void *opaque;
} VgspModelConfig;

/* NULL where threads cannot be created. */
VgspModel *vgsp_model_new(const VgspModelConfig *config);
/* Ends everything, waiting for slices that run. */
void vgsp_model_free(VgspModel *m);

/* Registers memory: size bytes (a multiple of 4096) at host. Returns its id. */
int vgsp_model_memory_add(VgspModel *m, void *host, uint64_t size,
                          uint32_t *id);
/* Removes every mapping of it first; no thread touches it after this. */
int vgsp_model_memory_del(VgspModel *m, uint32_t id);

int vgsp_model_space_new(VgspModel *m, uint32_t *id);
/* -EBUSY while it has contexts. */
int vgsp_model_space_del(VgspModel *m, uint32_t id);
/*
 * Applies ops in order, all or (checked first) none. When it returns no access
 * through an older mapping is under way: it waits for slices, which are short.
 */
int vgsp_model_map(VgspModel *m, uint32_t space,
                   const struct vgsp_owner_map_op *ops, size_t count);

/* A channel's engine context. */
int vgsp_model_context_new(VgspModel *m, uint32_t space, uint32_t *id);
/* Nothing of it runs, completes or writes after this. */
int vgsp_model_context_del(VgspModel *m, uint32_t id);
/*
 * Queues a section (the words are copied); seq is the caller's and increases.
 * -EIO for a dead context, -EAGAIN where 1024 sections or 16 MiB of them are
 * queued, or with those of others 64 MiB; a context without any may always
 * queue one.
 */
int vgsp_model_submit(VgspModel *m, uint32_t context, const uint32_t *words,
                      uint32_t count, uint64_t seq);
/*
 * Ends a context from outside (watchdog): fault of that kind is reported. One
 * that has only waited for memory which contexts on hold have does not end by
 * VGSP_OWNER_FAULT_TIMEOUT: they do.
 */
int vgsp_model_context_kill(VgspModel *m, uint32_t id, uint32_t kind);
/*
 * Nothing of the context runs while it is held; waits for its slices. Does not
 * nest. -ENOENT: there is none.
 */
int vgsp_model_context_hold(VgspModel *m, uint32_t id, bool hold);

/* Nothing runs while paused; waits for slices. Nests. */
void vgsp_model_pause(VgspModel *m);
void vgsp_model_resume(VgspModel *m);
/* Contexts, spaces and memory all gone; ids start again. Waits for slices. */
void vgsp_model_revoke(VgspModel *m);

/*
 * Error injection, for tests: the section with that seq ends in a fault of
 * that kind instead of running.
 */
int vgsp_model_inject(VgspModel *m, uint32_t context, uint64_t seq,
                      uint32_t kind);

#endif
