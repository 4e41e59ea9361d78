/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What context.c and submit.c share: a channel, its memory and its rings.
 */
#ifndef VGSP_OWNER_CONTEXT_H
#define VGSP_OWNER_CONTEXT_H

#include "owner.h"

#define VGSP_CTXBUFS	9
/* Channels of a card; one is the golden image's. */
#define VGSP_CHANNELS	512

/* Classes of the subchannels 0 to 3, in order. */
#define VGSP_GR_CLASSES	4
extern const u32 vgsp_gr_classes[VGSP_GR_CLASSES];

/* One context buffer in video memory. */
struct vgsp_ctxmem {
	u64 addr;
	u64 size;	/* 0: none */
	u64 va;		/* in the window; 0: not mapped */
	bool owned;	/* by this context, not global */
};

/* Sections in flight; a power of two. */
#define VGSP_GPFIFO_ENTRIES	256

struct vgsp_inflight {
	u64 seq;
	u32 push_end;	/* words of the push ring in use up to here */
};

struct vgsp_context {
	struct vgsp_owner_device *od;
	struct vgsp_space *space;
	const struct vgsp_context_ops *ops;	/* NULL: no session's */
	void *priv;
	enum {
		VGSP_CONTEXT_SESSION,
		VGSP_CONTEXT_GOLDEN,	/* of which RM makes the golden image */
		VGSP_CONTEXT_SCRUBBER,	/* RM's own, see vgsp_gr_scrubber() */
	} kind;
	VgspGspChannel ch;
	struct vgsp_ctxmem mem[VGSP_CTXBUFS];

	/* submit.c: memory that the card reads, and the word that it writes. */
	struct vgsp_dma ring, release, hidden;
	u64 ring_va, release_va;
	u32 put, get;			/* of inflight[], running; caller's */
	u32 push_put, push_get;		/* words; caller's */
	struct vgsp_inflight inflight[VGSP_GPFIFO_ENTRIES];

	u64 submitted;			/* last seq; caller's, read by all */
	/* context_lock */
	u64 completed;
	bool dead;			/* also read without */
};

struct vgsp_owner_gr {
	u64 size[VGSP_CTXBUFS];		/* 0: the chip has none */
	u32 mthdbuf_size;
	struct vgsp_ctxmem global[VGSP_CTXBUFS];
	struct vgsp_context golden;
	struct vgsp_context scrubber;
	VgspGspVm scrubber_vm;
	bool scrubber_on;
};

/* Rings, release word, USERD; ctx->ch learns where they are. */
int vgsp_submit_init(struct vgsp_context *ctx);
void vgsp_submit_fini(struct vgsp_context *ctx);
/* Tells what has retired since. With context_lock held. */
void vgsp_submit_retire(struct vgsp_context *ctx);

#endif
