/*
 * An executor for physical GPUs: an ordinary client of NVIDIA's stock host
 * driver, through its device nodes and its resource manager's interface. A
 * library without QEMU and without any library of NVIDIA's.
 *
 * The same shape as the model's (model/model.h), the same error values as the
 * owner's ABI (vgsp/uapi/vgsp_owner.h). Every function may be called from any
 * thread, callbacks excepted.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_OWNER_RM_RM_H
#define HW_VGSP_OWNER_RM_RM_H

#include "vgsp/chip.h"
#include "vgsp/section.h"
#include "vgsp/uapi/vgsp_owner.h"

typedef struct VgspRm VgspRm;

/* Callbacks, from the library's thread, without its locks. */
typedef struct VgspRmOps {
    /* All sections of the context up to seq have retired. */
    void (*completed)(void *opaque, uint32_t context, uint64_t seq);
    /* The context is dead; nothing of it completes any more. */
    void (*fault)(void *opaque, const struct vgsp_owner_fault *fault);
    /* The engine asked for its non-stall interrupt. May be NULL. */
    void (*interrupt)(void *opaque, uint32_t context);
    /*
     * A line for the person who runs it: what the driver refused, and what a
     * context died of. From any thread, also within calls. May be NULL.
     */
    void (*log)(void *opaque, const char *line);
} VgspRmOps;

typedef struct VgspRmConfig {
    const char *path;           /* "/dev/nvidia0" */
    const VgspRmOps *ops;       /* stays valid */
    void *opaque;
} VgspRmConfig;

/*
 * Opens the driver's nodes, checks its version and what the chip offers. NULL
 * on failure: *error is then one line that says what is missing and what to
 * do (free with g_free).
 */
VgspRm *vgsp_rm_open(const VgspRmConfig *config, char **error);
/* Everything of the session ends. */
void vgsp_rm_close(VgspRm *rm);

/* What silicon this is: "GH100", for messages and reports. */
const char *vgsp_rm_chip_name(const VgspRm *rm);
/* The driver's version: "580.159.04". */
const char *vgsp_rm_version(const VgspRm *rm);
/* Fills what a guest must know to size its buffers for this silicon. */
void vgsp_rm_chip(const VgspRm *rm, VgspChip *chip);
/* PTIMER of the card, ns. */
uint64_t vgsp_rm_clock_ns(VgspRm *rm);

/* size bytes (a multiple of 4096) at host; -ENOMEM: it cannot be pinned. */
int vgsp_rm_memory_add(VgspRm *rm, void *host, uint64_t size, uint32_t *id);
int vgsp_rm_memory_del(VgspRm *rm, uint32_t id);
int vgsp_rm_space_new(VgspRm *rm, uint32_t *id);
int vgsp_rm_space_del(VgspRm *rm, uint32_t id);
/* Acknowledged when it returns: no access uses the older mapping. */
int vgsp_rm_map(VgspRm *rm, uint32_t space,
                const struct vgsp_owner_map_op *ops, size_t count);

int vgsp_rm_context_new(VgspRm *rm, uint32_t space, uint32_t timeslice_us,
                        uint32_t *id);
int vgsp_rm_context_del(VgspRm *rm, uint32_t id);
int vgsp_rm_context_kill(VgspRm *rm, uint32_t id, uint32_t kind);
/*
 * Takes a context off the engine, or lets it go on: nothing more of it goes to
 * the chip. What is there cannot be taken back: that has ended when this
 * returns, or -EBUSY: it takes more than two seconds and goes on. Not nested.
 */
int vgsp_rm_context_hold(VgspRm *rm, uint32_t id, bool hold);
/*
 * Checks, translates for the chip, and queues a section; the words are copied.
 * -EAGAIN: the ring is full, again after a completion; -EIO: dead context.
 */
int vgsp_rm_submit(VgspRm *rm, uint32_t context, const uint32_t *words,
                   uint32_t count, uint64_t seq);
/*
 * The same for words that go to the chip as they are, Host's methods and those
 * of any subchannel: neither checked nor translated. For tests, and for who
 * has made sure of them; never for a guest's.
 */
int vgsp_rm_submit_raw(VgspRm *rm, uint32_t context, const uint32_t *words,
                       uint32_t count, uint64_t seq);
/* Returns when nothing runs; nothing starts until resume. Nests. */
void vgsp_rm_pause(VgspRm *rm);
void vgsp_rm_unpause(VgspRm *rm);
/* Contexts, spaces, mappings and memory gone. */
void vgsp_rm_revoke(VgspRm *rm);

#endif
