// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts: an unprivileged channel of GSP-RM in a TSG of its own, with the
 * context buffers of the graphics engine promoted. GSP-RM builds the golden
 * image of all contexts when the first one is made.
 *
 * Specified by NVIDIA's ctrl2080gpu.h (PROMOTE_CTX), alloc_channel.h and
 * ctrla06c.h, and nouveau's nvkm/subdev/gsp/rm/{r535,r570}/gr.c.
 */
#include <linux/bitmap.h>
#include <linux/genalloc.h>
#include <linux/interrupt.h>
#include <linux/log2.h>
#include <linux/slab.h>

#include "context.h"
#include "session.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/dev_bus.h"
#include "vgsp/nv/rm.h"

/* NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ID_* beyond MAIN */
#define BUFFER_ID_PATCH				2
#define BUFFER_ID_BUFFER_BUNDLE_CB		3
#define BUFFER_ID_PAGEPOOL			4
#define BUFFER_ID_ATTRIBUTE_CB			5
#define BUFFER_ID_RTV_CB_GLOBAL			6
#define BUFFER_ID_FECS_EVENT			9
#define BUFFER_ID_PRIV_ACCESS_MAP		10
#define BUFFER_ID_UNRESTRICTED_PRIV_ACCESS_MAP	11

/* physAttr: video memory, not cached by the GPU's L2 as system memory is */
#define PHYS_ATTR_VIDMEM			BIT(2)

/* Headers of 64 subcontexts follow the main buffer. */
#define MAIN_SUBCONTEXTS			(64 * SZ_4K)

#define HANDLE_TSG(chid)			(0xa06c0000 | (chid))
#define HANDLE_OBJECT(chid, i)		(0xc0de0000 | (chid) << 4 | (i))
/* KGRAPHICS_SCRUBBER_HANDLE_* */
#define HANDLE_SCRUBBER_VAS		0xdada0042
#define HANDLE_SCRUBBER_CHANNEL		0xdada0045
#define HANDLE_SCRUBBER_3DOBJ		0xdada0046

/* Ids of channels: the first is that of the golden image's. */
#define CHID_GOLDEN				0
#define CHID_FIRST				1

#define INSTANCE_SIZE				SZ_4K
#define VRAM_START				SZ_1M

struct vgsp_ctxbuf {
	u32 engine_id;		/* ENGINE_ID_GRAPHICS_* */
	u16 buffer_id;
	bool global;		/* one for all contexts */
	bool init;		/* RM initialises it; zeroed before */
	bool read_only;
	bool nonmapped;		/* RM only wants its place */
};

static const struct vgsp_ctxbuf vgsp_ctxbufs[VGSP_CTXBUFS] = {
	{ ENGINE_ID_GRAPHICS, NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ID_MAIN,
	  .init = true },
	{ ENGINE_ID_GRAPHICS_PATCH, BUFFER_ID_PATCH, .init = true },
	{ ENGINE_ID_GRAPHICS_BUNDLE_CB, BUFFER_ID_BUFFER_BUNDLE_CB,
	  .global = true },
	{ ENGINE_ID_GRAPHICS_PAGEPOOL, BUFFER_ID_PAGEPOOL, .global = true },
	{ ENGINE_ID_GRAPHICS_ATTRIBUTE_CB, BUFFER_ID_ATTRIBUTE_CB,
	  .global = true },
	{ ENGINE_ID_GRAPHICS_RTV_CB_GLOBAL, BUFFER_ID_RTV_CB_GLOBAL,
	  .global = true },
	{ ENGINE_ID_GRAPHICS_FECS_EVENT, BUFFER_ID_FECS_EVENT,
	  .global = true, .init = true },
	{ ENGINE_ID_GRAPHICS_PRIV_ACCESS_MAP, BUFFER_ID_PRIV_ACCESS_MAP,
	  .global = true, .init = true, .read_only = true, .nonmapped = true },
	/* For the golden image only: no session's channel ever gets it. */
	{ ENGINE_ID_GRAPHICS_PRIV_ACCESS_MAP,
	  BUFFER_ID_UNRESTRICTED_PRIV_ACCESS_MAP,
	  .global = true, .init = true, .read_only = true },
};

const u32 vgsp_gr_classes[VGSP_GR_CLASSES] = {
	TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
};

/* ---- Video memory ---- */

static void vgsp_vram_zero(struct vgsp_owner_device *od, u64 addr, u64 size)
{
	const u64 granule = 1ULL << NV_PBUS_BAR0_WINDOW_BASE_SHIFT;

	mutex_lock(&od->pramin_lock);
	while (size) {
		u64 base = addr & ~(granule - 1);
		u32 in = addr - base;
		u32 i, n = min_t(u64, size, NV_PRAMIN_SIZE - in);

		vgsp_wr32(od, NV_PBUS_BAR0_WINDOW,
			  base >> NV_PBUS_BAR0_WINDOW_BASE_SHIFT);
		/* Read back: the window must have moved. */
		vgsp_rd32(od, NV_PBUS_BAR0_WINDOW);
		for (i = 0; i < n; i += 8)
			__raw_writeq(0, od->regs + NV_PRAMIN_BASE + in + i);
		addr += n;
		size -= n;
		cond_resched();
	}
	/* The last of them has arrived when this returns. */
	vgsp_rd32(od, NV_PRAMIN_BASE);
	mutex_unlock(&od->pramin_lock);
}

static int vgsp_vram_alloc(struct vgsp_owner_device *od, u64 size, u64 align,
			   bool zero, u64 *addr)
{
	struct genpool_data_align data = { .align = align };

	*addr = gen_pool_alloc_algo(od->vram, size, gen_pool_first_fit_align,
				    &data);
	if (!*addr)
		return -ENOMEM;
	if (zero)
		vgsp_vram_zero(od, *addr, size);
	return 0;
}

static int vgsp_vram_init(struct vgsp_owner_device *od)
{
	u64 start = max_t(u64, od->gsp.info.usable_base, VRAM_START);
	u64 end = ALIGN_DOWN(od->gsp.info.usable_limit + 1, SZ_64K);
	int ret;

	if (end <= start)
		return -ENOSPC;
	od->vram = gen_pool_create(PAGE_SHIFT, NUMA_NO_NODE);
	if (!od->vram)
		return -ENOMEM;
	ret = gen_pool_add(od->vram, start, end - start, NUMA_NO_NODE);
	if (ret) {
		gen_pool_destroy(od->vram);
		od->vram = NULL;
	}
	return ret;
}

/* ---- RM, with gsp_lock held ---- */

static int vgsp_rm_alloc(struct vgsp_owner_device *od, const VgspGspVm *vm,
			 u32 parent, u32 handle, u32 hclass, void *params,
			 u32 size)
{
	int ret = vgsp_gsp_rm_alloc(&od->gsp, vm->client, parent, handle,
				    hclass, params, size);

	if (ret)
		dev_err_ratelimited(od->dev, "class 0x%x is refused\n",
				    hclass);
	return vgsp_owner_gsp_result(od, "new object", ret);
}

static int vgsp_rm_tsg_new(struct vgsp_context *ctx)
{
	typedef NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS Params;
	u8 params[sizeof(Params)] = { };
	const VgspGspVm *vm = ctx->ch.vm;
	int ret;

	vgsp_put_le32(params + offsetof(Params, hVASpace), vm->vaspace);
	vgsp_put_le32(params + offsetof(Params, engineType),
		      ctx->ch.engine_type);
	ret = vgsp_rm_alloc(ctx->od, vm, vm->device, HANDLE_TSG(ctx->ch.chid),
			    KEPLER_CHANNEL_GROUP_A, params, sizeof(params));
	if (!ret)
		ctx->ch.tsg = HANDLE_TSG(ctx->ch.chid);
	return ret;
}

static int vgsp_rm_timeslice(struct vgsp_context *ctx, u32 us)
{
	u8 params[sizeof(NVA06C_CTRL_TIMESLICE_PARAMS)];
	int ret;

	vgsp_put_le64(params, us);
	ret = vgsp_gsp_rm_control(&ctx->od->gsp, ctx->ch.vm->client,
				  ctx->ch.tsg, NVA06C_CTRL_CMD_SET_TIMESLICE,
				  params, sizeof(params));
	ret = vgsp_owner_gsp_result(ctx->od, "time slice", ret);
	/* The caller's number, and RM alone knows which it takes. */
	return ret == -EREMOTEIO ? -EINVAL : ret;
}

static int vgsp_rm_promote(struct vgsp_context *ctx)
{
	typedef NV2080_CTRL_GPU_PROMOTE_CTX_PARAMS Params;
	typedef NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ENTRY Entry;
	struct vgsp_owner_device *od = ctx->od;
	const VgspGspVm *vm = ctx->ch.vm;
	u32 i, count = 0;
	u8 *params;
	int ret;

	params = kzalloc(sizeof(Params), GFP_KERNEL);
	if (!params)
		return -ENOMEM;
	for (i = 0; i < VGSP_CTXBUFS; i++) {
		const struct vgsp_ctxbuf *b = &vgsp_ctxbufs[i];
		const struct vgsp_ctxmem *m = &ctx->mem[i];
		u8 *e = params + offsetof(Params, promoteEntry) +
			count * sizeof(Entry);

		if (!m->size)
			continue;
		vgsp_put_le16(e + offsetof(Entry, bufferId), b->buffer_id);
		if (m->va)
			vgsp_put_le64(e + offsetof(Entry, gpuVirtAddr), m->va);
		else
			e[offsetof(Entry, bNonmapped)] = 1;
		if (b->init && m->owned) {
			e[offsetof(Entry, bInitialize)] = 1;
			vgsp_put_le64(e + offsetof(Entry, gpuPhysAddr),
				      m->addr);
			vgsp_put_le64(e + offsetof(Entry, size), m->size);
			vgsp_put_le32(e + offsetof(Entry, physAttr),
				      PHYS_ATTR_VIDMEM);
		}
		count++;
	}
	vgsp_put_le32(params + offsetof(Params, engineType),
		      NV2080_ENGINE_TYPE_GR0);
	vgsp_put_le32(params + offsetof(Params, hChanClient), vm->client);
	vgsp_put_le32(params + offsetof(Params, hObject), ctx->ch.handle);
	vgsp_put_le32(params + offsetof(Params, entryCount), count);
	ret = vgsp_gsp_rm_control(&od->gsp, vm->client, vm->subdevice,
				  NV2080_CTRL_CMD_GPU_PROMOTE_CTX, params,
				  sizeof(Params));
	kfree(params);
	return vgsp_owner_gsp_result(od, "context buffers", ret);
}

static int vgsp_rm_gr_object(struct vgsp_context *ctx, u32 i)
{
	u8 params[sizeof(NV_GR_ALLOCATION_PARAMETERS)] = { };
	u32 handle = ctx->kind == VGSP_CONTEXT_SCRUBBER ?
		     HANDLE_SCRUBBER_3DOBJ : HANDLE_OBJECT(ctx->ch.chid, i);

	return vgsp_rm_alloc(ctx->od, ctx->ch.vm, ctx->ch.handle, handle,
			     vgsp_gr_classes[i], params, sizeof(params));
}

/* ---- Memory of a context ---- */

static void vgsp_ctxmem_put(struct vgsp_context *ctx, struct vgsp_ctxmem *m)
{
	if (m->va)
		vgsp_space_window_unmap(ctx->space, m->va, m->size);
	if (m->owned)
		gen_pool_free(ctx->od->vram, m->addr, m->size);
	memset(m, 0, sizeof(*m));
}

static int vgsp_ctxmem_get(struct vgsp_context *ctx, u32 i, bool golden)
{
	const struct vgsp_ctxbuf *b = &vgsp_ctxbufs[i];
	struct vgsp_owner_gr *gr = ctx->od->gr;
	struct vgsp_ctxmem *m = &ctx->mem[i];
	u64 size = gr->size[i];
	u64 align = size >= SZ_2M ? SZ_2M : size >= SZ_64K ? SZ_64K : SZ_4K;
	int ret;

	if (!size)
		return 0;
	if (!golden && b->buffer_id == BUFFER_ID_UNRESTRICTED_PRIV_ACCESS_MAP)
		return 0;
	if (golden || !b->global) {
		ret = vgsp_vram_alloc(ctx->od, size, align, b->init, &m->addr);
		if (ret)
			return ret;
		m->owned = true;
	} else {
		m->addr = gr->global[i].addr;
	}
	m->size = size;
	if (golden && b->nonmapped)
		return 0;
	if (b->buffer_id == BUFFER_ID_ATTRIBUTE_CB)
		align = roundup_pow_of_two(size);
	return vgsp_space_window_map(ctx->space, m->addr, size, align,
				     VGSP_WINDOW_VIDMEM |
				     VGSP_WINDOW_PRIVILEGED |
				     (b->read_only ? VGSP_WINDOW_READ_ONLY : 0),
				     &m->va);
}

static void vgsp_context_free_memory(struct vgsp_context *ctx)
{
	int i;

	for (i = VGSP_CTXBUFS - 1; i >= 0; i--)
		vgsp_ctxmem_put(ctx, &ctx->mem[i]);
	vgsp_submit_fini(ctx);
	if (ctx->ch.inst)
		gen_pool_free(ctx->od->vram, ctx->ch.inst, INSTANCE_SIZE);
}

/* ---- Life ---- */

static int vgsp_chid_get(struct vgsp_context *ctx, u32 first)
{
	struct vgsp_owner_device *od = ctx->od;
	unsigned long flags;
	u32 chid;

	spin_lock_irqsave(&od->context_lock, flags);
	for (chid = first; chid < VGSP_CHANNELS && od->channels[chid]; chid++)
		;
	if (chid < VGSP_CHANNELS)
		od->channels[chid] = ctx;
	spin_unlock_irqrestore(&od->context_lock, flags);
	ctx->ch.chid = chid;
	return chid < VGSP_CHANNELS ? 0 : -ENOSPC;
}

static void vgsp_chid_put(struct vgsp_context *ctx)
{
	struct vgsp_owner_device *od = ctx->od;
	unsigned long flags;

	spin_lock_irqsave(&od->context_lock, flags);
	od->channels[ctx->ch.chid] = NULL;
	spin_unlock_irqrestore(&od->context_lock, flags);
}

/* RM's part; on failure what was made is gone again. */
static int vgsp_context_rm_new(struct vgsp_context *ctx, u32 timeslice_us)
{
	struct vgsp_owner_device *od = ctx->od;
	bool session = ctx->kind == VGSP_CONTEXT_SESSION;
	u32 i, objects = session ? VGSP_GR_CLASSES : 1;
	int ret;

	mutex_lock(&od->gsp_lock);
	ret = session ? vgsp_rm_tsg_new(ctx) : 0;
	if (ret)
		goto out;
	if (timeslice_us)
		ret = vgsp_rm_timeslice(ctx, timeslice_us);
	if (!ret)
		ret = vgsp_owner_gsp_result(od, "new channel",
					    vgsp_gsp_channel_new(&od->gsp,
								 &ctx->ch));
	if (!ret)
		ret = vgsp_rm_promote(ctx);
	for (i = 0; !ret && i < objects; i++)
		ret = vgsp_rm_gr_object(ctx, i);
	if (ret)
		vgsp_gsp_rm_free(&od->gsp, ctx->ch.vm->client, ctx->ch.tsg ?:
				 ctx->ch.handle);
out:
	mutex_unlock(&od->gsp_lock);
	return ret;
}

static void vgsp_context_rm_free(struct vgsp_context *ctx)
{
	struct vgsp_owner_device *od = ctx->od;
	u32 handle = ctx->ch.tsg ?: ctx->ch.handle;

	mutex_lock(&od->gsp_lock);
	/* What is below it goes with it: objects, the channel. */
	vgsp_owner_gsp_result(od, "free of a channel",
			      vgsp_gsp_rm_free(&od->gsp, ctx->ch.vm->client,
					       handle));
	mutex_unlock(&od->gsp_lock);
}

static int vgsp_context_make(struct vgsp_context *ctx, u32 timeslice_us)
{
	struct vgsp_owner_device *od = ctx->od;
	int i, ret;

	if (!ctx->ch.vm)
		ctx->ch.vm = vgsp_space_vm(ctx->space);
	ctx->ch.engine_type = NV2080_ENGINE_TYPE_GR0;
	ret = vgsp_chid_get(ctx, ctx->kind == VGSP_CONTEXT_GOLDEN ?
			    CHID_GOLDEN : CHID_FIRST);
	if (ret)
		return ret;
	ret = vgsp_vram_alloc(od, INSTANCE_SIZE, INSTANCE_SIZE, true,
			      &ctx->ch.inst);
	if (!ret)
		ret = vgsp_submit_init(ctx);
	for (i = 0; !ret && i < VGSP_CTXBUFS; i++)
		ret = vgsp_ctxmem_get(ctx, i,
				      ctx->kind == VGSP_CONTEXT_GOLDEN);
	if (!ret)
		ret = vgsp_context_rm_new(ctx, timeslice_us);
	if (ret) {
		vgsp_chid_put(ctx);
		vgsp_context_free_memory(ctx);
	}
	return ret;
}

/*
 * A first channel whose 3D object makes GSP-RM build the golden image; its
 * global buffers then serve all contexts.
 */
static int vgsp_gr_golden(struct vgsp_owner_device *od)
{
	struct vgsp_owner_gr *gr = od->gr;
	struct vgsp_context *ctx = &gr->golden;
	int i, ret;

	ctx->od = od;
	ctx->kind = VGSP_CONTEXT_GOLDEN;
	ret = vgsp_space_create(od, NULL, VGSP_WINDOW_DEFAULT, &ctx->space);
	if (ret)
		return ret;
	ret = vgsp_context_make(ctx, 0);
	if (ret)
		goto out;
	vgsp_context_rm_free(ctx);
	vgsp_chid_put(ctx);
	for (i = 0; i < VGSP_CTXBUFS; i++) {
		if (vgsp_ctxbufs[i].global) {
			gr->global[i] = ctx->mem[i];
			gr->global[i].va = 0;
			ctx->mem[i].owned = false;
		}
	}
	vgsp_context_free_memory(ctx);
out:
	vgsp_space_destroy(ctx->space, true);
	return ret;
}

static int vgsp_scrubber_control(struct vgsp_context *ctx, bool teardown)
{
	u8 params[sizeof(NV2080_CTRL_INTERNAL_GR_INIT_BUG4208224_WAR_PARAMS)];
	int ret;

	params[0] = teardown;
	mutex_lock(&ctx->od->gsp_lock);
	ret = vgsp_gsp_rm_control(&ctx->od->gsp, ctx->ch.vm->client,
				  ctx->ch.vm->subdevice,
				  NV2080_CTRL_CMD_INTERNAL_KGR_INIT_BUG4208224_WAR,
				  params, sizeof(params));
	ret = vgsp_owner_gsp_result(ctx->od, "scrubber", ret);
	mutex_unlock(&ctx->od->gsp_lock);
	return ret;
}

/* A vaspace of the name that RM looks for, with the space's directory. */
static int vgsp_scrubber_vaspace(struct vgsp_context *ctx)
{
	typedef NV_VASPACE_ALLOCATION_PARAMETERS Params;
	struct vgsp_owner_gr *gr = ctx->od->gr;
	u8 params[sizeof(Params)] = { };
	int ret;

	gr->scrubber_vm = *vgsp_space_vm(ctx->space);
	gr->scrubber_vm.vaspace = HANDLE_SCRUBBER_VAS;
	ctx->ch.vm = &gr->scrubber_vm;
	ctx->ch.handle = HANDLE_SCRUBBER_CHANNEL;
	vgsp_put_le32(params + offsetof(Params, flags),
		      NV_VASPACE_ALLOCATION_FLAGS_IS_EXTERNALLY_OWNED);
	mutex_lock(&ctx->od->gsp_lock);
	ret = vgsp_rm_alloc(ctx->od, ctx->ch.vm, ctx->ch.vm->device,
			    HANDLE_SCRUBBER_VAS, FERMI_VASPACE_A, params,
			    sizeof(params));
	if (!ret) {
		u64 pd = vgsp_pt_root(&ctx->space->tree);

		ret = vgsp_gsp_set_page_directory_sysmem(&ctx->od->gsp,
							 ctx->ch.vm, pd);
		ret = vgsp_owner_gsp_result(ctx->od, "page directory", ret);
	}
	mutex_unlock(&ctx->od->gsp_lock);
	return ret;
}

/*
 * TU10x has a channel on which GSP-RM itself cleans the engine's local memory
 * between contexts. The driver has to build it, under names that RM knows.
 */
static int vgsp_gr_scrubber(struct vgsp_owner_device *od)
{
	struct vgsp_context *ctx = &od->gr->scrubber;
	int ret;

	ctx->od = od;
	ctx->kind = VGSP_CONTEXT_SCRUBBER;
	ret = vgsp_space_create(od, NULL, VGSP_WINDOW_DEFAULT, &ctx->space);
	if (ret)
		return ret;
	ret = vgsp_scrubber_vaspace(ctx);
	if (!ret)
		ret = vgsp_context_make(ctx, 0);
	if (ret) {
		vgsp_space_destroy(ctx->space, true);
		return ret;
	}
	od->gr->scrubber_on = true;
	return vgsp_scrubber_control(ctx, false);
}

static void vgsp_gr_scrubber_fini(struct vgsp_owner_device *od)
{
	struct vgsp_context *ctx = &od->gr->scrubber;
	bool alive = !READ_ONCE(od->lost);

	if (!od->gr->scrubber_on)
		return;
	if (alive) {
		vgsp_scrubber_control(ctx, true);
		vgsp_context_rm_free(ctx);
	}
	vgsp_chid_put(ctx);
	vgsp_context_free_memory(ctx);
	vgsp_space_destroy(ctx->space, alive);
	od->gr->scrubber_on = false;
}

static int vgsp_gr_sizes(struct vgsp_owner_device *od)
{
	typedef NV2080_CTRL_INTERNAL_ENGINE_CONTEXT_BUFFER_INFO Info;
	u32 i, count = od->gsp.profile->ctx_buffer_count;
	u32 size = NV2080_CTRL_INTERNAL_GR_MAX_ENGINES * count * sizeof(Info);
	u8 word[4] = { };
	u8 *info;
	int ret;

	info = kzalloc(size, GFP_KERNEL);
	if (!info)
		return -ENOMEM;
	mutex_lock(&od->gsp_lock);
	ret = vgsp_gsp_rm_control(&od->gsp, od->gsp.info.client,
				  od->gsp.info.subdevice,
				  NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_CONTEXT_BUFFERS_INFO,
				  info, size);
	ret = vgsp_owner_gsp_result(od, "sizes of context buffers", ret);
	if (!ret) {
		ret = vgsp_gsp_rm_control(&od->gsp, od->rm.client,
					  od->rm.subdevice,
					  NV2080_CTRL_CMD_CE_GET_FAULT_METHOD_BUFFER_SIZE,
					  word, sizeof(word));
		ret = vgsp_owner_gsp_result(od, "size of method buffers", ret);
	}
	mutex_unlock(&od->gsp_lock);
	for (i = 0; !ret && i < min_t(u32, count, VGSP_CHIP_MAX_CTXBUFS); i++) {
		const u8 *p = info + i * sizeof(Info);

		od->chip.ctxbuf[i].size = vgsp_le32(p + offsetof(Info, size));
		od->chip.ctxbuf[i].align = vgsp_le32(p + offsetof(Info,
								  alignment));
	}
	for (i = 0; !ret && i < VGSP_CTXBUFS; i++) {
		u32 id = vgsp_ctxbufs[i].engine_id;
		u64 bytes = od->chip.ctxbuf[id].size;

		bytes = ALIGN(bytes, SZ_4K);
		if (bytes && id == ENGINE_ID_GRAPHICS)
			bytes += MAIN_SUBCONTEXTS;
		if (bytes > SZ_256M)
			ret = -EPROTO;
		od->gr->size[i] = bytes;
	}
	if (!ret && (!od->gr->size[0] || vgsp_le32(word) > SZ_1M))
		ret = -EPROTO;
	od->chip.ce_mthdbuf_size = vgsp_le32(word);
	od->gr->mthdbuf_size = PAGE_ALIGN(vgsp_le32(word));
	kfree(info);
	return ret;
}

int vgsp_owner_gr_init(struct vgsp_owner_device *od)
{
	int ret = -ENOMEM;

	od->gr = kzalloc(sizeof(*od->gr), GFP_KERNEL);
	od->channels = kcalloc(VGSP_CHANNELS, sizeof(*od->channels),
			       GFP_KERNEL);
	if (od->gr && od->channels)
		ret = vgsp_vram_init(od);
	if (!ret)
		ret = vgsp_gr_sizes(od);
	if (!ret)
		ret = vgsp_gr_golden(od);
	if (!ret)
		ret = vgsp_gr_scrubber(od);
	if (ret)
		vgsp_owner_gr_fini(od);
	return ret;
}

void vgsp_owner_gr_fini(struct vgsp_owner_device *od)
{
	int i;

	if (od->gr)
		vgsp_gr_scrubber_fini(od);
	for (i = 0; od->gr && od->vram && i < VGSP_CTXBUFS; i++)
		if (od->gr->global[i].owned)
			gen_pool_free(od->vram, od->gr->global[i].addr,
				      od->gr->global[i].size);
	if (od->vram) {
		WARN_ON(gen_pool_avail(od->vram) != gen_pool_size(od->vram));
		gen_pool_destroy(od->vram);
		od->vram = NULL;
	}
	kfree(od->channels);
	od->channels = NULL;
	kfree(od->gr);
	od->gr = NULL;
}

int vgsp_context_create(struct vgsp_owner_device *od, struct vgsp_space *space,
			u32 engine, u32 timeslice_us,
			const struct vgsp_context_ops *ops, void *priv,
			struct vgsp_context **out)
{
	struct vgsp_context *ctx;
	unsigned long flags;
	int ret;

	if (engine != VGSP_OWNER_ENGINE_GR)
		return -EOPNOTSUPP;
	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return -ENOMEM;
	ctx->od = od;
	ctx->space = space;
	ctx->priv = priv;
	ret = vgsp_context_make(ctx, timeslice_us);
	if (ret) {
		kfree(ctx);
		return ret;
	}
	/* It has a channel for a while; who looks at that waits for this. */
	spin_lock_irqsave(&od->context_lock, flags);
	ctx->ops = ops;
	spin_unlock_irqrestore(&od->context_lock, flags);
	atomic64_inc(&od->stats.contexts);
	*out = ctx;
	return 0;
}

static void vgsp_context_end(struct vgsp_context *ctx, bool alive)
{
	struct vgsp_owner_device *od = ctx->od;

	/* No new callback; then those that run have ended. */
	vgsp_chid_put(ctx);
	if (alive)
		vgsp_context_rm_free(ctx);
	synchronize_irq(od->irq);
	/* Whoever dispatches events of GSP-RM holds this. */
	mutex_lock(&od->gsp_lock);
	mutex_unlock(&od->gsp_lock);
	vgsp_context_free_memory(ctx);
	atomic64_dec(&od->stats.contexts);
	kfree(ctx);
}

void vgsp_context_destroy(struct vgsp_context *ctx)
{
	vgsp_context_end(ctx, true);
}

void vgsp_context_abandon(struct vgsp_context *ctx)
{
	vgsp_context_end(ctx, false);
}

/* ---- Ends ---- */

/* With context_lock held. */
static void vgsp_context_dies(struct vgsp_context *ctx,
			      struct vgsp_owner_fault *fault)
{
	if (ctx->dead || !ctx->ops)
		return;
	/* What retired before is told before. */
	vgsp_submit_retire(ctx);
	WRITE_ONCE(ctx->dead, true);
	atomic64_inc(&ctx->od->stats.faults);
	fault->seq = ctx->completed + 1;
	ctx->ops->fault(ctx->priv, fault);
}

void vgsp_contexts_nonstall(struct vgsp_owner_device *od)
{
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&od->context_lock, flags);
	for (i = CHID_FIRST; i < VGSP_CHANNELS; i++)
		if (od->channels[i] && od->channels[i]->ops)
			vgsp_submit_retire(od->channels[i]);
	spin_unlock_irqrestore(&od->context_lock, flags);
}

void vgsp_contexts_lost(struct vgsp_owner_device *od)
{
	struct vgsp_owner_fault fault = { .kind = VGSP_OWNER_FAULT_LOST };
	unsigned long flags;
	u32 i;

	spin_lock_irqsave(&od->context_lock, flags);
	for (i = CHID_FIRST; od->channels && i < VGSP_CHANNELS; i++)
		if (od->channels[i])
			vgsp_context_dies(od->channels[i], &fault);
	spin_unlock_irqrestore(&od->context_lock, flags);
}

void vgsp_contexts_rc(struct vgsp_owner_device *od, u32 engine_type, u32 chid,
		      struct vgsp_owner_fault *fault)
{
	unsigned long flags;

	if (engine_type != NV2080_ENGINE_TYPE_GR0 || chid >= VGSP_CHANNELS)
		return;
	spin_lock_irqsave(&od->context_lock, flags);
	if (od->channels && od->channels[chid])
		vgsp_context_dies(od->channels[chid], fault);
	spin_unlock_irqrestore(&od->context_lock, flags);
}

int vgsp_context_kill(struct vgsp_context *ctx, u32 kind)
{
	struct vgsp_owner_device *od = ctx->od;
	struct vgsp_owner_fault fault = { .kind = kind };
	u8 disable[sizeof(NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS)] = { };
	unsigned long flags;
	int ret;

	/* Off the runlist, preempted: then nothing of it runs. */
	mutex_lock(&od->gsp_lock);
	ret = vgsp_gsp_rm_control(&od->gsp, ctx->ch.vm->client, ctx->ch.tsg,
				  NVA06C_CTRL_CMD_GPFIFO_SCHEDULE, disable,
				  sizeof(disable));
	ret = vgsp_owner_gsp_result(od, "stop of a channel", ret);
	mutex_unlock(&od->gsp_lock);
	if (ret)
		return ret;
	spin_lock_irqsave(&od->context_lock, flags);
	vgsp_context_dies(ctx, &fault);
	spin_unlock_irqrestore(&od->context_lock, flags);
	return 0;
}
