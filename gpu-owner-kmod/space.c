// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces: page tables, what user space maps in them, and the window in
 * which the core keeps rings, releases and context buffers.
 */
#include <linux/genalloc.h>
#include <linux/slab.h>

#include "session.h"

/* ---- Memory of page tables ---- */

struct vgsp_table {
	struct list_head link;		/* in space->garbage */
	struct vgsp_dma dma;
};

static int vgsp_table_alloc(void *opaque, struct vgsp_pt_page *page)
{
	struct vgsp_space *space = opaque;
	struct vgsp_table *t;
	int ret;

	if (space->session && !vgsp_quota_take(&space->session->tables, 1))
		return -ENOSPC;
	ret = -ENOMEM;
	t = kzalloc(sizeof(*t), GFP_KERNEL_ACCOUNT);
	if (!t)
		goto err_quota;
	ret = vgsp_dma_alloc(space->od, VGSP_PT_PAGE, &t->dma);
	if (ret)
		goto err_free;
	atomic64_inc(&space->od->stats.table_pages);
	page->cpu = t->dma.cpu;
	page->addr = t->dma.addr;
	page->cookie = t;
	return 0;

err_free:
	kfree(t);
err_quota:
	if (space->session)
		vgsp_quota_give(&space->session->tables, 1);
	return ret;
}

/* Until the next invalidation the card may walk it. */
static void vgsp_table_release(void *opaque, struct vgsp_pt_page *page)
{
	struct vgsp_space *space = opaque;
	struct vgsp_table *t = page->cookie;

	list_add(&t->link, &space->garbage);
}

static void vgsp_space_collect(struct vgsp_space *space)
{
	struct vgsp_table *t, *next;

	list_for_each_entry_safe(t, next, &space->garbage, link) {
		list_del(&t->link);
		vgsp_dma_free(space->od, &t->dma);
		kfree(t);
		atomic64_dec(&space->od->stats.table_pages);
		if (space->session)
			vgsp_quota_give(&space->session->tables, 1);
	}
}

static void vgsp_space_mapped(void *opaque, u32 owner, s64 pages)
{
	struct vgsp_space *space = opaque;
	struct vgsp_memory *m = xa_load(&space->session->memories, owner);

	if (!WARN_ON_ONCE(!m))
		m->mapped += pages;
}

static const struct vgsp_pt_ops vgsp_space_pt_ops = {
	.alloc = vgsp_table_alloc,
	.release = vgsp_table_release,
	.mapped = vgsp_space_mapped,
};

/*
 * The card forgets what it knows of the tables. If it does not answer, tables
 * that were released stay as they are until the space ends.
 */
static int vgsp_space_invalidate(struct vgsp_space *space)
{
	int ret = -EIO;

	if (!READ_ONCE(space->od->lost))
		ret = vgsp_tlb_invalidate(space->od,
					  vgsp_pt_root(&space->tree));
	if (!ret)
		vgsp_space_collect(space);
	return ret ? -EIO : 0;
}

/* ---- Life ---- */

int vgsp_space_create(struct vgsp_owner_device *od,
		      struct vgsp_session *session, u64 window_va,
		      struct vgsp_space **out)
{
	struct vgsp_space *space = kzalloc(sizeof(*space), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!space)
		return -ENOMEM;
	space->od = od;
	space->session = session;
	space->window_va = window_va;
	mutex_init(&space->lock);
	INIT_LIST_HEAD(&space->garbage);
	space->window = gen_pool_create(PAGE_SHIFT, NUMA_NO_NODE);
	if (!space->window) {
		ret = -ENOMEM;
		goto err_free;
	}
	ret = gen_pool_add(space->window, window_va, VGSP_WINDOW_SIZE,
			   NUMA_NO_NODE);
	if (ret)
		goto err_pool;
	ret = vgsp_pt_init(&space->tree, &vgsp_space_pt_ops, space);
	if (ret)
		goto err_pool;
	ret = vgsp_vm_create(od, vgsp_pt_root(&space->tree), &space->vm);
	if (ret)
		goto err_tables;
	*out = space;
	return 0;

err_tables:
	vgsp_pt_fini(&space->tree);
	vgsp_space_collect(space);
err_pool:
	gen_pool_destroy(space->window);
err_free:
	mutex_destroy(&space->lock);
	kfree(space);
	return ret;
}

void vgsp_space_destroy(struct vgsp_space *space, bool alive)
{
	if (alive) {
		vgsp_vm_destroy(space->od, &space->vm);
		/* Its name may be another space's soon. */
		vgsp_tlb_invalidate(space->od, vgsp_pt_root(&space->tree));
	}
	vgsp_pt_fini(&space->tree);
	vgsp_space_collect(space);
	gen_pool_destroy(space->window);
	mutex_destroy(&space->lock);
	kfree(space);
}

const VgspGspVm *vgsp_space_vm(struct vgsp_space *space)
{
	return &space->vm;
}

/* ---- Operations of user space ---- */

/* Again with what the card gave back, where the quota of tables is in the way. */
static int vgsp_space_set(struct vgsp_space *space, u64 va, u64 size,
			  const struct vgsp_pt_change *change)
{
	int ret = vgsp_pt_set(&space->tree, va, size, change);

	if (ret == -ENOSPC && !list_empty(&space->garbage) &&
	    !vgsp_space_invalidate(space))
		ret = vgsp_pt_set(&space->tree, va, size, change);
	return ret;
}

/* An unmap leaves out the window. */
static int vgsp_space_unmap(struct vgsp_space *space, u64 va, u64 size)
{
	static const struct vgsp_pt_change none = { .what = VGSP_PT_NONE };
	u64 start = space->window_va, end = start + VGSP_WINDOW_SIZE;
	int ret = 0;

	if (va >= end || va + size <= start)
		return vgsp_space_set(space, va, size, &none);
	if (va < start)
		ret = vgsp_space_set(space, va, start - va, &none);
	if (!ret && va + size > end)
		ret = vgsp_space_set(space, end, va + size - end, &none);
	return ret;
}

static int vgsp_space_op(struct vgsp_space *space,
			 const struct vgsp_owner_map_op *op)
{
	struct vgsp_pt_change change = { .what = VGSP_PT_SPARSE };
	struct vgsp_memory *m;
	int ret;

	ret = vgsp_map_op_check(op, space->window_va, VGSP_WINDOW_SIZE);
	if (ret)
		return ret;
	if (op->op == VGSP_OWNER_UNMAP)
		return vgsp_space_unmap(space, op->va, op->size);
	if (op->op == VGSP_OWNER_MAP) {
		m = xa_load(&space->session->memories, op->memory);
		if (!m)
			return -ENOENT;
		if (!vgsp_range_ok(op->offset, op->size, m->length))
			return -EOVERFLOW;
		change.what = VGSP_PT_PAGES;
		change.owner = op->memory;
		change.pte = vgsp_pt_pte(op->kind, op->flags, false);
		change.addr = vgsp_memory_addr;
		change.source = m;
		change.offset = op->offset;
	}
	return vgsp_space_set(space, op->va, op->size, &change);
}

int vgsp_space_map(struct vgsp_space *space,
		   const struct vgsp_owner_map_op *ops, u32 count, u32 *done)
{
	int ret = 0, err;
	u32 i;

	mutex_lock(&space->lock);
	for (i = 0; i < count && !ret; i++) {
		ret = vgsp_space_op(space, &ops[i]);
		if (ret)
			break;
		cond_resched();
	}
	*done = i;
	/* One that failed may have torn a page of 2 MiB. */
	err = vgsp_space_invalidate(space);
	mutex_unlock(&space->lock);
	return ret ? ret : err;
}

/* ---- The window ---- */

static u64 vgsp_window_addr(void *source, u64 offset, u64 *run)
{
	*run = VGSP_WINDOW_SIZE;
	return *(u64 *)source + offset;
}

int vgsp_space_window_map(struct vgsp_space *space, u64 addr, u64 size,
			  u64 align, u32 flags, u64 *va)
{
	u32 map = (flags & VGSP_WINDOW_READ_ONLY ?
		   VGSP_OWNER_MAP_READ_ONLY : 0) |
		  (flags & VGSP_WINDOW_PRIVILEGED ?
		   VGSP_OWNER_MAP_PRIVILEGED : 0);
	struct vgsp_pt_change change = {
		.what = VGSP_PT_PAGES,
		.pte = vgsp_pt_pte(0, map, flags & VGSP_WINDOW_VIDMEM),
		.addr = vgsp_window_addr,
		.source = &addr,
	};
	struct genpool_data_align data = {
		.align = max_t(u64, align, PAGE_SIZE),
	};
	unsigned long at;
	int ret;

	if (!size || (addr | size) & (VGSP_PT_PAGE - 1))
		return -EINVAL;
	at = gen_pool_alloc_algo(space->window, size, gen_pool_first_fit_align,
				 &data);
	if (!at)
		return -ENOSPC;
	mutex_lock(&space->lock);
	ret = vgsp_space_set(space, at, size, &change);
	if (!ret)
		ret = vgsp_space_invalidate(space);
	mutex_unlock(&space->lock);
	if (ret) {
		vgsp_space_window_unmap(space, at, size);
		return ret;
	}
	*va = at;
	return 0;
}

void vgsp_space_window_unmap(struct vgsp_space *space, u64 va, u64 size)
{
	static const struct vgsp_pt_change none = { .what = VGSP_PT_NONE };

	/*
	 * Cannot fail: no page of 2 MiB is torn, as what was mapped as one goes
	 * as one.
	 */
	mutex_lock(&space->lock);
	vgsp_pt_set(&space->tree, va, size, &none);
	vgsp_space_invalidate(space);
	mutex_unlock(&space->lock);
	gen_pool_free(space->window, va, size);
}
