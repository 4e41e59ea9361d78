// SPDX-License-Identifier: GPL-2.0
/*
 * Memory objects: pages of a process, pinned for as long as the card may reach
 * them and counted against RLIMIT_MEMLOCK as VFIO does.
 */
#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "session.h"

static_assert(PAGE_SIZE == VGSP_PT_PAGE);

/* Pages that are pinned in one go. */
#define VGSP_PIN_BATCH	65536ul

static void vgsp_unpin(struct sg_table *sgt)
{
	struct scatterlist *sg;
	int i;

	for_each_sgtable_sg(sgt, sg, i) {
		unpin_user_page_range_dirty_lock(sg_page(sg),
						 sg->length >> PAGE_SHIFT,
						 true);
		cond_resched();
	}
}

/* Batch by batch: no array is as long as the memory. */
static int vgsp_pin_pages(unsigned long address, unsigned long n,
			  struct page **pages, struct sg_append_table *table)
{
	unsigned long done = 0;
	long got;
	int ret;

	while (done < n) {
		if (fatal_signal_pending(current))
			return -EINTR;
		got = pin_user_pages_fast(address + done * PAGE_SIZE,
					  min(n - done, VGSP_PIN_BATCH),
					  FOLL_WRITE | FOLL_LONGTERM, pages);
		if (got <= 0)
			return got ? got : -EFAULT;
		done += got;
		ret = sg_alloc_append_table_from_pages(table, pages, got, 0,
						       got << PAGE_SHIFT,
						       UINT_MAX, n - done,
						       GFP_KERNEL_ACCOUNT);
		if (ret) {
			unpin_user_pages(pages, got);
			return ret;
		}
		cond_resched();
	}
	return 0;
}

int vgsp_memory_pin(u64 address, u64 length, struct vgsp_memory **memory)
{
	unsigned long n = length >> PAGE_SHIFT;
	struct vgsp_memory *m;
	struct page **pages;
	int ret;

	m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	if (!m)
		return -ENOMEM;
	ret = account_locked_vm(current->mm, n, true);
	if (ret)
		goto err_free;
	pages = kvmalloc_array(min(n, VGSP_PIN_BATCH), sizeof(*pages),
			       GFP_KERNEL_ACCOUNT);
	if (!pages) {
		ret = -ENOMEM;
		goto err_account;
	}
	ret = vgsp_pin_pages(address, n, pages, &m->table);
	kvfree(pages);
	if (ret)
		goto err_pages;
	m->length = length;
	m->mm = current->mm;
	mmgrab(m->mm);
	*memory = m;
	return 0;

err_pages:
	vgsp_unpin(&m->table.sgt);
	sg_free_append_table(&m->table);
err_account:
	account_locked_vm(current->mm, n, false);
err_free:
	kfree(m);
	return ret;
}

/* Whether the device's DMA would go through bounce buffers. */
static bool vgsp_memory_bounces(struct vgsp_owner_device *od,
				struct page *page)
{
	dma_addr_t addr = dma_map_page(od->dev, page, 0, PAGE_SIZE,
				       DMA_BIDIRECTIONAL);
	bool bounces;

	if (dma_mapping_error(od->dev, addr))
		return true;
	bounces = dma_need_sync(od->dev, addr);
	dma_unmap_page(od->dev, addr, PAGE_SIZE, DMA_BIDIRECTIONAL);
	return bounces;
}

int vgsp_memory_map(struct vgsp_owner_device *od, struct vgsp_memory *m)
{
	struct scatterlist *sg;
	u64 offset = 0;
	int i, ret;

	/* Before all of it is copied into them. */
	if (vgsp_memory_bounces(od, sg_page(m->table.sgt.sgl)))
		return -EOPNOTSUPP;
	ret = dma_map_sgtable(od->dev, &m->table.sgt, DMA_BIDIRECTIONAL, 0);
	if (ret)
		return ret;
	ret = -ENOMEM;
	m->runs = kvmalloc_array(m->table.sgt.nents, sizeof(*m->runs),
				 GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!m->runs)
		goto err;
	for_each_sgtable_dma_sg(&m->table.sgt, sg, i) {
		/*
		 * A bounce buffer, or caches that are not coherent: what the
		 * guest and the card write would not be the same memory.
		 */
		ret = -EOPNOTSUPP;
		if (dma_need_sync(od->dev, sg_dma_address(sg)) ||
		    !PAGE_ALIGNED(sg_dma_address(sg) | sg_dma_len(sg)))
			goto err;
		m->runs[i].offset = offset;
		m->runs[i].addr = sg_dma_address(sg);
		offset += sg_dma_len(sg);
	}
	m->num_runs = i;
	atomic64_add(m->length >> PAGE_SHIFT, &od->stats.pinned_pages);
	return 0;

err:
	kvfree(m->runs);
	m->runs = NULL;
	dma_unmap_sgtable(od->dev, &m->table.sgt, DMA_BIDIRECTIONAL, 0);
	return ret;
}

void vgsp_memory_unmap(struct vgsp_owner_device *od, struct vgsp_memory *m)
{
	if (!m->runs)
		return;
	dma_unmap_sgtable(od->dev, &m->table.sgt, DMA_BIDIRECTIONAL, 0);
	atomic64_sub(m->length >> PAGE_SHIFT, &od->stats.pinned_pages);
	kvfree(m->runs);
	m->runs = NULL;
}

void vgsp_memory_free(struct vgsp_owner_device *od, struct vgsp_memory *m)
{
	vgsp_memory_unmap(od, m);
	vgsp_unpin(&m->table.sgt);
	sg_free_append_table(&m->table);
	account_locked_vm(m->mm, m->length >> PAGE_SHIFT, false);
	mmdrop(m->mm);
	kfree(m);
}

static bool vgsp_run_has(const struct vgsp_memory *m, u32 i, u64 offset,
			 u64 *run)
{
	u64 end;

	if (i >= m->num_runs || offset < m->runs[i].offset)
		return false;
	end = i + 1 < m->num_runs ? m->runs[i + 1].offset : m->length;
	if (offset >= end)
		return false;
	*run = end - offset;
	return true;
}

u64 vgsp_memory_addr(void *memory, u64 offset, u64 *run)
{
	struct vgsp_memory *m = memory;
	u32 lo = 0, hi = m->num_runs;

	/* Mostly where it was, or next to it. */
	if (!vgsp_run_has(m, m->hint, offset, run) &&
	    !vgsp_run_has(m, ++m->hint, offset, run)) {
		while (hi - lo > 1) {
			u32 mid = lo + (hi - lo) / 2;

			if (m->runs[mid].offset <= offset)
				lo = mid;
			else
				hi = mid;
		}
		m->hint = lo;
		vgsp_run_has(m, lo, offset, run);
	}
	return m->runs[m->hint].addr + (offset - m->runs[m->hint].offset);
}
