/*
 * The executor behind "owner=": what runs GR sections, and whose chip and
 * clock the guest sees. One interface, several implementations; it mirrors the
 * owner's ABI (vgsp/uapi/vgsp_owner.h). design.md sections 5 and 6.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_OWNER_EXECUTOR_H
#define HW_VGSP_OWNER_EXECUTOR_H

#include "device/vgsp.h"
#include "vgsp/kind.h"
#include "vgsp/uapi/vgsp_owner.h"

/*
 * What an executor tells. Any thread of its own, never the caller of one of
 * its functions; none may block, take the BQL or call the executor.
 */
typedef struct VgspExecutorEvents {
    /* Sections of @context up to @seq have retired, releases are written. */
    void (*completed)(VgspState *s, uint32_t context, uint64_t seq);
    /* The engine asked for its non-stall interrupt. */
    void (*interrupt)(VgspState *s, uint32_t context);
    /* The context is dead: nothing of it completes or writes any more. */
    void (*fault)(VgspState *s, const struct vgsp_owner_fault *fault);
} VgspExecutorEvents;

/* Errors are negative errno values as the ABI defines them. */
typedef struct VgspExecutorOps {
    const char *name;           /* "model" */
    /* What the person who runs the VM should know of results, or NULL. */
    const char *caveat;
    /*
     * It pins memory objects: what a balloon or virtio-mem discards would be
     * other pages to the guest than to it, so nothing may. One that goes
     * through the process' mapping (the model) sees what the guest sees.
     */
    bool pins_memory;
    /* Opens @arg (what follows "name:" or the path) and fills @chip. */
    VgspExecutor *(*open)(VgspState *s, const char *arg,
                          const VgspExecutorEvents *events, VgspChip *chip,
                          Error **errp);
    /* Everything of the session ends; waits for what runs. */
    void (*close)(VgspExecutor *ex);
    /* PTIMER's time, ns. Any thread. */
    uint64_t (*clock_ns)(VgspExecutor *ex);

    /* Memory, spaces: BQL. */
    int (*memory_add)(VgspExecutor *ex, void *host, uint64_t size,
                      uint32_t *id);
    int (*memory_del)(VgspExecutor *ex, uint32_t id);
    int (*space_new)(VgspExecutor *ex, uint32_t *id);
    int (*space_del)(VgspExecutor *ex, uint32_t id);
    /* Acknowledged when it returns: no access uses the older mapping. */
    int (*map)(VgspExecutor *ex, uint32_t space,
               const struct vgsp_owner_map_op *ops, size_t count);

    /* Contexts. BQL. */
    int (*context_new)(VgspExecutor *ex, uint32_t space,
                       enum vgsp_owner_engine engine, uint32_t timeslice_us,
                       uint32_t *id);
    int (*context_del)(VgspExecutor *ex, uint32_t id);
    /* Ends a context from outside; its fault of that kind is reported. */
    int (*context_kill)(VgspExecutor *ex, uint32_t id,
                        enum vgsp_owner_fault_kind kind);
    /*
     * Takes a context off the engine: when it returns nothing of it runs, and
     * nothing starts until it is let go on. Work may be submitted meanwhile.
     * Does not nest. NULL: no such means, its work goes on to its end. One
     * that cannot take it back waits for what runs, for a bounded time; false:
     * that goes on all the same.
     */
    bool (*context_hold)(VgspExecutor *ex, uint32_t id, bool hold);

    /*
     * Queues a section; the words are copied. @seq is the caller's, increases.
     * Any thread, without the BQL. -EAGAIN: full, again after a completion.
     */
    int (*submit)(VgspExecutor *ex, uint32_t context, const uint32_t *words,
                  uint32_t count, uint64_t seq);

    /*
     * "stop": returns when nothing runs; nothing starts until resume. Nests.
     * BQL.
     */
    void (*pause)(VgspExecutor *ex);
    void (*resume)(VgspExecutor *ex);
    /* Contexts, spaces, mappings and memory gone; ids may start again. BQL. */
    void (*revoke)(VgspExecutor *ex);
} VgspExecutorOps;

struct VgspExecutor {
    const VgspExecutorOps *ops;
    bool pins_memory;           /* it, or the one behind it */
    /*
     * How its chip orders the bytes of memory by page kind, from open to close;
     * NULL: it does not. What the device itself reads and writes through page
     * tables, copies and the windows of BAR1 and BAR2, follows it.
     */
    const VgspKinds *kinds;
};

/* The order of memory of that kind; NULL: as its addresses, or no executor. */
static inline const VgspKindOrder *
vgsp_executor_order(const VgspExecutor *ex, uint8_t kind)
{
    return ex ? vgsp_kinds_order(ex->kinds, kind) : NULL;
}

/*
 * Parses s->owner and s->record and opens the executor; NULL with *errp on
 * failure.
 */
VgspExecutor *vgsp_executor_open(VgspState *s, const VgspExecutorEvents *events,
                                 Error **errp);
void vgsp_executor_close(VgspExecutor *ex);
/* Says on the host's terminal what is to be known of the results. */
void vgsp_executor_announce(VgspState *s);

/*
 * What the device does of an executor's events; engine/gr.c. They arrive for
 * contexts that the device made, so never before it is realized.
 */
extern const VgspExecutorEvents vgsp_host_events;

/*
 * record=FILE, owner/record.c: an executor that opens @inner with @arg, passes
 * everything on in both directions and writes what it sees to s->record. Before
 * a section is passed on and after its completion it looks at the memory that
 * is mapped in the section's space.
 */
VgspExecutor *vgsp_record_open(VgspState *s, const VgspExecutorOps *inner,
                               const char *arg,
                               const VgspExecutorEvents *events,
                               VgspChip *chip, Error **errp);

extern const VgspExecutorOps vgsp_executor_model;
extern const VgspExecutorOps vgsp_executor_null;
extern const VgspExecutorOps vgsp_executor_rm;

#endif
