/*
 * What plays a recording's sections: the model's functions and the silicon
 * executor's (owner/rm) behind one table. Error values are those of the
 * owner's ABI (vgsp/uapi/vgsp_owner.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_REPLAY_EXECUTOR_H
#define HW_VGSP_REPLAY_EXECUTOR_H

#include <glib.h>
#include "vgsp/kind.h"
#include "vgsp/types.h"
#include "vgsp/uapi/vgsp_owner.h"

/* From threads of the executor's; they must not call it. */
typedef struct VgspReplayEvents {
    void (*completed)(void *opaque, uint32_t context, uint64_t seq);
    void (*fault)(void *opaque, const struct vgsp_owner_fault *fault);
} VgspReplayEvents;

typedef struct VgspReplayConfig {
    const char *arg;            /* what followed "name:", or NULL */
    unsigned threads;           /* of a model; 0: its choice */
    const VgspReplayEvents *events;
    void *opaque;
} VgspReplayConfig;

typedef struct VgspReplayExecutor {
    const char *name;           /* "model", "rm" */
    /* Bit k: the CPU sees memory of page kind k in another order. */
    uint32_t hidden_kinds;
    /* In which, while it is open; NULL, or of no executor: not known. */
    const VgspKinds *(*kinds)(void *ex);
    /* NULL: *error is one line that says why (free with g_free). */
    void *(*open)(const VgspReplayConfig *config, char **error);
    void (*close)(void *ex);
    /* Who made the results: "model of TU104", "GH100". */
    const char *(*chip)(void *ex);
    /* The clock that timestamps are of, ns. */
    uint64_t (*clock_ns)(void *ex);
    int (*memory_add)(void *ex, void *host, uint64_t size, uint32_t *id);
    int (*memory_del)(void *ex, uint32_t id);
    int (*space_new)(void *ex, uint32_t *id);
    int (*space_del)(void *ex, uint32_t id);
    int (*map)(void *ex, uint32_t space, const struct vgsp_owner_map_op *ops,
               size_t count);
    int (*context_new)(void *ex, uint32_t space, uint32_t *id);
    int (*context_del)(void *ex, uint32_t id);
    int (*context_kill)(void *ex, uint32_t id, uint32_t kind);
    int (*submit)(void *ex, uint32_t context, const uint32_t *words,
                  uint32_t count, uint64_t seq);
    /*
     * A section of the copy engine; NULL: the executor has none, and its user
     * copies in software, which does the same to memory.
     */
    int (*copy)(void *ex, uint32_t context, const uint32_t *words,
                uint32_t count, uint64_t seq);
    /*
     * Words as they are, Host's methods too, for tests; NULL: the executor
     * has no Host engine.
     */
    int (*raw)(void *ex, uint32_t context, const uint32_t *words,
               uint32_t count, uint64_t seq);
    void (*revoke)(void *ex);
} VgspReplayExecutor;

extern const VgspReplayExecutor vgsp_replay_model;
extern const VgspReplayExecutor vgsp_replay_rm;

/*
 * The executor that "model" or "rm:PATH" names, with *arg what follows the
 * name; NULL: none of that name.
 */
const VgspReplayExecutor *vgsp_replay_executor(const char *name,
                                               const char **arg);

/*
 * Memory for an executor, zeros; as long as it is only read it is an address
 * range and nothing else. NULL: there is none.
 */
void *vgsp_replay_memory_new(uint64_t size);
void vgsp_replay_memory_free(void *host, uint64_t size);

#endif
