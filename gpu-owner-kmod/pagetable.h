/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page tables of the card's MMU, format VER2, in coherent system memory: built
 * from map operations. NVIDIA's dev_mmu.h (published/turing/tu102).
 *
 * A table remembers of each page that it maps whose it is: a number below 2^16
 * that means something to the caller, 0 for none.
 */
#ifndef VGSP_OWNER_PAGETABLE_H
#define VGSP_OWNER_PAGETABLE_H

#include "pure.h"
#include "vgsp/uapi/vgsp_owner.h"

#define VGSP_PT_VA_BITS		49
#define VGSP_PT_PAGE		4096
#define VGSP_PT_HUGE		0x200000

/* Memory of one table as CPU and card see it, VGSP_PT_PAGE bytes of zeros. */
struct vgsp_pt_page {
	__le64 *cpu;
	u64 addr;
	void *cookie;		/* alloc's, for release */
};

struct vgsp_pt_ops {
	/* 0, or an error that ends the operation. */
	int (*alloc)(void *opaque, struct vgsp_pt_page *page);
	/* Out of the tree; the card may hold it until it is told otherwise. */
	void (*release)(void *opaque, struct vgsp_pt_page *page);
	/* pages of 4 KiB of that owner are mapped more (or less) than before. */
	void (*mapped)(void *opaque, u32 owner, s64 pages);
};

struct vgsp_pt;

struct vgsp_pt_tree {
	const struct vgsp_pt_ops *ops;
	void *opaque;
	struct vgsp_pt *root;

	/* While an operation runs: what mapped() has not been told yet. */
	u32 owner;
	s64 pages;
};

enum vgsp_pt_what {
	VGSP_PT_NONE,		/* accesses fault */
	VGSP_PT_SPARSE,
	VGSP_PT_PAGES,
};

/* What a range of addresses becomes. */
struct vgsp_pt_change {
	enum vgsp_pt_what what;
	/* Of PAGES: */
	u16 owner;
	u64 pte;		/* vgsp_pt_pte() */
	/*
	 * Physical address of the byte at offset, a multiple of 4 KiB, and how
	 * many follow it there: a multiple of 4 KiB, not 0.
	 */
	u64 (*addr)(void *source, u64 offset, u64 *run);
	void *source;
	u64 offset;		/* at the start of the range */
};

/* Allocates the root, whose address is in vgsp_pt_root(). */
int vgsp_pt_init(struct vgsp_pt_tree *tree, const struct vgsp_pt_ops *ops,
		 void *opaque);
/* Releases all tables; those that map pages report so. */
void vgsp_pt_fini(struct vgsp_pt_tree *tree);
u64 vgsp_pt_root(const struct vgsp_pt_tree *tree);

/*
 * Bits of a PTE but for its address; flags are VGSP_OWNER_MAP_*, vidmem says
 * that addresses are the card's own memory's.
 */
u64 vgsp_pt_pte(u32 kind, u32 flags, bool vidmem);

/*
 * [va, va + size), which lies below 2^49, becomes what change says. On failure
 * (of alloc) nothing has changed. The MMU sees each entry whole at all times.
 */
int vgsp_pt_set(struct vgsp_pt_tree *tree, u64 va, u64 size,
		const struct vgsp_pt_change *change);

/*
 * Whether an operation of user space is well-formed and leaves alone the window
 * of the owner: 0, -EINVAL, -EOPNOTSUPP, -EOVERFLOW, -ENOENT or -EBUSY.
 */
int vgsp_map_op_check(const struct vgsp_owner_map_op *op, u64 window_va,
		      u64 window_size);

#endif
