/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A session: one open file of /dev/vgsp-ownerN, and the objects in it.
 *
 * Locks, outermost first:
 *   vgsp_sessions_lock (session.c)   which sessions a device has
 *   ring_lock     who takes entries of the ring, and the room for their words;
 *                 user memory is read under it and under no other
 *   lock          which objects exist; quotas but the queue's
 *   state_lock    the core's, through vgsp_owner_enter()
 *   submit_lock   queues of contexts; the set of contexts, with lock
 *   space->lock   page tables and window of a space
 *   event_lock    a spin lock: events, completions
 */
#ifndef VGSP_OWNER_SESSION_H
#define VGSP_OWNER_SESSION_H

#include <linux/scatterlist.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "owner.h"
#include "pagetable.h"
#include "ring.h"

struct eventfd_ctx;
struct file;
struct poll_table_struct;

struct vgsp_session {
	struct vgsp_owner_device *od;
	struct list_head link;		/* vgsp_sessions_lock */
	struct vgsp_owner_limits limits;

	struct mutex lock;		/* the objects and their quotas */
	bool gone;			/* the device was unbound */
	struct xarray memories;
	struct xarray spaces;
	struct xarray contexts;
	u32 num_memories, num_spaces, num_contexts;
	struct vgsp_quota memory;	/* bytes */
	struct vgsp_quota tables;	/* pages */

	struct mutex ring_lock;		/* one taker */
	void *ring;			/* shared: struct vgsp_owner_ring ... */
	u32 head;			/* what we believe; ring_lock */
	u32 call;			/* SUBMITs so far */
	u32 *words;			/* room for one section */

	struct mutex submit_lock;	/* queues of all contexts */
	bool paused;
	struct vgsp_quota queue;	/* bytes that wait */
	struct work_struct pump;	/* starts what waits */

	spinlock_t event_lock;		/* what user space is told */
	struct list_head events;	/* contexts that have one to tell */
	struct eventfd_ctx *eventfd;
	u64 retired;			/* times that sections retired */
	struct vgsp_owner_completion *completions;	/* user space reads it */
	wait_queue_head_t wait;		/* for completions and events */

	/* A wait looks for so long before it sleeps; nobody guards it. */
	u32 spin_ns;
	u32 spin_max_ns;		/* constant */
};

/* ---- memory.c: user pages; under session->lock unless said otherwise ---- */

/* A part of a memory object that is contiguous for the card. */
struct vgsp_run {
	u64 offset;
	u64 addr;
};

struct vgsp_memory {
	u64 length;
	s64 mapped;			/* PTEs that point to it, in 4 KiB */
	struct mm_struct *mm;		/* whose locked_vm counts it */
	struct sg_append_table table;
	u32 num_runs;
	u32 hint;			/* run that was looked up last */
	struct vgsp_run *runs;
};

/* Pins pages of current. Without any lock. */
int vgsp_memory_pin(u64 address, u64 length, struct vgsp_memory **memory);
int vgsp_memory_map(struct vgsp_owner_device *od, struct vgsp_memory *memory);
void vgsp_memory_unmap(struct vgsp_owner_device *od,
		       struct vgsp_memory *memory);
/* Unmaps if mapped, unpins, frees. */
void vgsp_memory_free(struct vgsp_owner_device *od,
		      struct vgsp_memory *memory);
/* For struct vgsp_pt_change. */
u64 vgsp_memory_addr(void *memory, u64 offset, u64 *run);

/* ---- space.c ---- */

#define VGSP_WINDOW_SIZE	(512ULL << 20)
#define VGSP_WINDOW_DEFAULT	(4ULL << 30)
#define VGSP_WINDOW_LIMIT	BIT_ULL(40)

struct vgsp_space {
	struct vgsp_owner_device *od;
	struct vgsp_session *session;	/* NULL: the core's own */
	u32 num_contexts;		/* session->lock */
	VgspGspVm vm;

	struct mutex lock;		/* tables and window */
	struct vgsp_pt_tree tree;
	struct list_head garbage;	/* tables the card may still hold */
	u64 window_va;
	struct gen_pool *window;
};

/* Inside enter/exit; session NULL: no quota. */
int vgsp_space_create(struct vgsp_owner_device *od,
		      struct vgsp_session *session, u64 window_va,
		      struct vgsp_space **space);
/* alive: GSP-RM answers, inside enter/exit. Else the card does no DMA. */
void vgsp_space_destroy(struct vgsp_space *space, bool alive);
/*
 * Performs ops in order, *done of them, then one invalidation. Inside
 * enter/exit, session->lock held.
 */
int vgsp_space_map(struct vgsp_space *space,
		   const struct vgsp_owner_map_op *ops, u32 count, u32 *done);

/* ---- queue.c: contexts and their sections ---- */

struct vgsp_session_context {
	struct kref ref;
	/* Who looks at hw without a lock; more only under submit_lock. */
	atomic_t lookers;
	struct vgsp_session *session;
	struct vgsp_space *space;
	u32 id;

	/* submit_lock */
	struct vgsp_context *hw;
	u64 last;			/* seq that was taken last */
	u64 sent;			/* seq that was given to the card last */
	u32 stalled;			/* SUBMIT in which its queue was full */
	struct list_head queue;
	struct vgsp_quota queued;	/* sections */

	/* event_lock; dead and completed are also read without */
	bool dead;
	u64 completed;
	struct list_head event;		/* in session->events */
	struct vgsp_owner_event fault;
};

int vgsp_queue_init(struct vgsp_session *s);
void vgsp_queue_fini(struct vgsp_session *s);
/* Under session->lock, inside enter/exit. */
int vgsp_queue_context_new(struct vgsp_session *s, struct vgsp_space *space,
			   struct vgsp_owner_context_new *cmd);
/* Under session->lock; alive as above. */
void vgsp_queue_context_del(struct vgsp_session_context *ctx, bool alive);
int vgsp_queue_submit(struct vgsp_session *s, struct vgsp_owner_submit *cmd);
int vgsp_queue_pause(struct vgsp_session *s, struct vgsp_owner_pause *cmd);
int vgsp_queue_wait(struct vgsp_session *s, struct vgsp_owner_wait *cmd);

/* ---- event.c: what user space is told ---- */

extern const struct vgsp_context_ops vgsp_event_context_ops;

int vgsp_event_init(struct vgsp_session *s);
void vgsp_event_fini(struct vgsp_session *s);
/* The context exists from now on, or no longer. */
void vgsp_event_context_new(struct vgsp_session_context *ctx);
void vgsp_event_context_del(struct vgsp_session_context *ctx);
/* Whoever waits looks again. */
void vgsp_event_wake(struct vgsp_session *s);
int vgsp_event_set_fd(struct vgsp_session *s, int fd);
ssize_t vgsp_event_read(struct vgsp_session *s, struct file *file,
			char __user *buf, size_t count);
__poll_t vgsp_event_poll(struct vgsp_session *s, struct file *file,
			 struct poll_table_struct *wait);

#endif
