// SPDX-License-Identifier: GPL-2.0
/*
 * Submission: sections are copied behind each other into a ring that only the
 * card reads, each followed by the release of its number and by the interrupt
 * that asks for it to be looked at.
 *
 * The card maps the ring read-only: no program of a session's rewrites what was
 * checked. The word of releases it can write, as the channel must; what it says
 * counts only between what has retired and what was submitted.
 *
 * Specified by NVIDIA's clc46f.h and dev_ram (NV_RAMUSERD_*).
 */
#include <linux/sizes.h>
#include <linux/slab.h>

#include "context.h"
#include "vgsp/nv/dev_vm.h"
#include "vgsp/nv/host.h"
#include "vgsp/section.h"

/*
 * The ring: entries of the GPFIFO, then words: nearly two of the longest
 * sections, which is what one piece of a power of two leaves.
 */
#define RING_SIZE	SZ_512K
#define RING_ENTRIES	(VGSP_GPFIFO_ENTRIES * NVC46F_GP_ENTRY__SIZE)
#define PUSH_WORDS	((RING_SIZE - RING_ENTRIES) / 4)
/* Before the first section: the classes of four subchannels. */
#define CLASS_WORDS	8
/* Behind each section: a release (a header, five methods), an interrupt. */
#define RELEASE_WORDS	8

#define INC(method, count) \
	((u32)(VGSP_SET(NVC46F_DMA_SEC_OP, \
			NVC46F_DMA_SEC_OP_INC_METHOD) | \
	       VGSP_SET(NVC46F_DMA_METHOD_COUNT, count) | \
	       VGSP_SET(NVC46F_DMA_METHOD_ADDRESS, (method) / 4)))

static_assert(CLASS_WORDS == 2 * VGSP_GR_CLASSES);
static_assert(VGSP_SECTION_WORDS_MAX + CLASS_WORDS + RELEASE_WORDS <= PUSH_WORDS);

static u32 *vgsp_push_word(struct vgsp_context *ctx, u32 word)
{
	return ctx->ring.cpu + RING_ENTRIES + word * 4;
}

int vgsp_submit_init(struct vgsp_context *ctx)
{
	struct vgsp_owner_device *od = ctx->od;
	int ret;

	/* What the card gets by bus address only: USERD, method buffer. */
	ret = vgsp_dma_alloc(od, PAGE_SIZE + od->gr->mthdbuf_size,
			     &ctx->hidden);
	if (!ret)
		ret = vgsp_dma_alloc(od, RING_SIZE, &ctx->ring);
	if (!ret)
		ret = vgsp_dma_alloc(od, PAGE_SIZE, &ctx->release);
	if (!ret)
		ret = vgsp_space_window_map(ctx->space, ctx->ring.addr,
					    RING_SIZE, PAGE_SIZE,
					    VGSP_WINDOW_READ_ONLY,
					    &ctx->ring_va);
	if (!ret)
		ret = vgsp_space_window_map(ctx->space, ctx->release.addr,
					    PAGE_SIZE, PAGE_SIZE, 0,
					    &ctx->release_va);
	if (ret)
		return ret;
	ctx->ch.gpfifo_va = ctx->ring_va;
	ctx->ch.gpfifo_entries = VGSP_GPFIFO_ENTRIES;
	ctx->ch.userd = ctx->hidden.addr;
	ctx->ch.userd_sysmem = true;
	if (od->gr->mthdbuf_size) {
		ctx->ch.mthdbuf = ctx->hidden.addr + PAGE_SIZE;
		ctx->ch.mthdbuf_size = od->gr->mthdbuf_size;
	}
	return 0;
}

/* What the card says has retired, within what it can be. */
static u64 vgsp_released(struct vgsp_context *ctx)
{
	u64 seq = le64_to_cpu(READ_ONCE(*(__le64 *)ctx->release.cpu));
	u64 submitted = READ_ONCE(ctx->submitted);

	/* What the section wrote is looked at after its number. */
	dma_rmb();
	return min(seq, submitted);
}

u64 vgsp_context_completed(struct vgsp_context *ctx)
{
	return max(vgsp_released(ctx), READ_ONCE(ctx->completed));
}

void vgsp_submit_retire(struct vgsp_context *ctx)
{
	u64 seq = vgsp_released(ctx);

	if (ctx->dead || seq <= ctx->completed)
		return;
	WRITE_ONCE(ctx->completed, seq);
	ctx->ops->completed(ctx->priv, seq);
}

void vgsp_context_poll(struct vgsp_context *ctx)
{
	struct vgsp_owner_device *od = ctx->od;
	unsigned long flags;

	if (vgsp_released(ctx) <= READ_ONCE(ctx->completed))
		return;
	spin_lock_irqsave(&od->context_lock, flags);
	vgsp_submit_retire(ctx);
	spin_unlock_irqrestore(&od->context_lock, flags);
}

/* Room of sections that have retired is free. */
static void vgsp_reclaim(struct vgsp_context *ctx)
{
	u64 completed = vgsp_context_completed(ctx);

	while (ctx->get != ctx->put) {
		struct vgsp_inflight *f =
			&ctx->inflight[ctx->get % VGSP_GPFIFO_ENTRIES];

		if (f->seq > completed)
			break;
		ctx->push_get = f->push_end;
		ctx->get++;
		atomic64_inc(&ctx->od->stats.completed);
	}
}

void vgsp_submit_fini(struct vgsp_context *ctx)
{
	if (ctx->release.cpu)
		vgsp_reclaim(ctx);
	if (ctx->release_va)
		vgsp_space_window_unmap(ctx->space, ctx->release_va,
					PAGE_SIZE);
	if (ctx->ring_va)
		vgsp_space_window_unmap(ctx->space, ctx->ring_va, RING_SIZE);
	vgsp_dma_free(ctx->od, &ctx->release);
	vgsp_dma_free(ctx->od, &ctx->ring);
	vgsp_dma_free(ctx->od, &ctx->hidden);
}

/* Room for words and an entry, or -EAGAIN. */
static int vgsp_push_room(struct vgsp_context *ctx, u32 words, u32 *at)
{
	vgsp_reclaim(ctx);
	if (ctx->get == ctx->put) {
		ctx->push_put = 0;
		ctx->push_get = 0;
	}
	/* GP_PUT == GP_GET means empty: one entry stays free. */
	if (ctx->put - ctx->get >= VGSP_GPFIFO_ENTRIES - 1)
		return -EAGAIN;

	/* push_put == push_get is empty only if nothing is in flight. */
	*at = ctx->push_put;
	if (ctx->get == ctx->put || ctx->push_put > ctx->push_get) {
		if (PUSH_WORDS - ctx->push_put >= words)
			return 0;
		*at = 0;
		return words <= ctx->push_get ? 0 : -EAGAIN;
	}
	return words <= ctx->push_get - ctx->push_put ? 0 : -EAGAIN;
}

static void vgsp_push(struct vgsp_context *ctx, u32 at, u32 words)
{
	struct vgsp_owner_device *od = ctx->od;
	u32 slot = ctx->put % VGSP_GPFIFO_ENTRIES;
	u64 va = ctx->ring_va + RING_ENTRIES + at * 4;
	__le32 *entry = ctx->ring.cpu + slot * NVC46F_GP_ENTRY__SIZE;
	__le32 *gp_put = ctx->hidden.cpu + NV_RAMUSERD_GP_PUT;

	entry[0] = cpu_to_le32(lower_32_bits(va));
	entry[1] = cpu_to_le32(VGSP_SET(NVC46F_GP_ENTRY1_GET_HI, va >> 32) |
			       VGSP_SET(NVC46F_GP_ENTRY1_LENGTH, words));
	ctx->put++;
	ctx->push_put = at + words;
	/* Words and entry, then GP_PUT, then the doorbell (writel orders). */
	dma_wmb();
	WRITE_ONCE(*gp_put, cpu_to_le32(ctx->put % VGSP_GPFIFO_ENTRIES));
	vgsp_wr32(od, NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET +
		  NV_VIRTUAL_FUNCTION_DOORBELL, ctx->ch.token);
}

int vgsp_context_submit(struct vgsp_context *ctx, const u32 *words, u32 count,
			u64 seq)
{
	u32 i, at, *p, total = count + RELEASE_WORDS;
	int ret;

	if (READ_ONCE(ctx->dead))
		return -EIO;
	if (count > VGSP_SECTION_WORDS_MAX || seq <= ctx->submitted)
		return -EINVAL;
	if (!ctx->submitted)
		total += CLASS_WORDS;
	ret = vgsp_push_room(ctx, total, &at);
	if (ret)
		return ret;
	p = vgsp_push_word(ctx, at);
	for (i = 0; !ctx->submitted && i < VGSP_GR_CLASSES; i++) {
		*p++ = INC(NVC46F_SET_OBJECT, 1) |
		       VGSP_SET(NVC46F_DMA_METHOD_SUBCHANNEL, i);
		*p++ = vgsp_gr_classes[i];
	}
	memcpy(p, words, count * 4);
	p += count;
	*p++ = INC(NVC46F_SEM_ADDR_LO, 5);
	*p++ = lower_32_bits(ctx->release_va);
	*p++ = upper_32_bits(ctx->release_va);
	*p++ = lower_32_bits(seq);
	*p++ = upper_32_bits(seq);
	*p++ = VGSP_SET(NVC46F_SEM_EXECUTE_OPERATION,
			NVC46F_SEM_EXECUTE_OPERATION_RELEASE) |
	       NVC46F_SEM_EXECUTE_RELEASE_WFI |
	       NVC46F_SEM_EXECUTE_PAYLOAD_SIZE;
	*p++ = INC(NVC46F_NON_STALL_INTERRUPT, 1);
	*p++ = 0;
	ctx->inflight[ctx->put % VGSP_GPFIFO_ENTRIES] = (struct vgsp_inflight) {
		.seq = seq,
		.push_end = at + total,
	};
	WRITE_ONCE(ctx->submitted, seq);
	vgsp_push(ctx, at, total);
	atomic64_inc(&ctx->od->stats.sections);
	return 0;
}
