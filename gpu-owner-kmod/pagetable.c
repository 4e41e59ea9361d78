// SPDX-License-Identifier: GPL-2.0
/*
 * Page tables of the card's MMU, format VER2: see pagetable.h.
 *
 * Five levels. An entry of a directory is nothing, sparse, or another table; of
 * PD0 also a page of 2 MiB; of the table below it nothing, sparse, or a page of
 * 4 KiB. An operation goes over its range twice: first it makes all tables that
 * it will need, each with the meaning of the entry that it stands for, which
 * may fail; then it writes entries, which cannot.
 */
#include "pagetable.h"

#include "vgsp/nv/dev_mmu.h"

enum {
	PD3,
	PD2,
	PD1,
	PD0,
	PT,
	LEVELS,
};

static const struct {
	u8 shift;		/* an entry spans 1 << shift bytes */
	u16 entries;
} levels[LEVELS] = {
	[PD3] = { NV_MMU_VER2_PD3_SHIFT, 4 },
	[PD2] = { NV_MMU_VER2_PD2_SHIFT, 512 },
	[PD1] = { NV_MMU_VER2_PD1_SHIFT, 512 },
	[PD0] = { NV_MMU_VER2_PD0_SHIFT, 256 },
	[PT] = { NV_MMU_VER2_PT_SMALL_SHIFT, 512 },
};

/* States of an entry that is not a table. */
enum {
	EMPTY,
	SPARSE,
	PAGE,
};

struct vgsp_pt {
	struct vgsp_pt_page page;
	u16 used;		/* entries that are not EMPTY */
	struct vgsp_pt **child;	/* of a directory, by entry; NULL: no table */
	u16 *owner;		/* of PD0 and PT, by entry */
	u8 *state;		/* by entry; EMPTY beside a child */
	u64 *pte;		/* of PD0, by entry: the PTE of its page */
};

/* A range within one table, as entries. */
struct span {
	u32 first;
	u32 last;
};

static struct span span_of(int level, u64 va, u64 size)
{
	u32 mask = levels[level].entries - 1;

	return (struct span) {
		.first = (va >> levels[level].shift) & mask,
		.last = ((va + size - 1) >> levels[level].shift) & mask,
	};
}

static u64 entry_size(int level)
{
	return 1ULL << levels[level].shift;
}

/* ---- Who maps how much ---- */

static void flush_mapped(struct vgsp_pt_tree *tree)
{
	if (tree->owner && tree->pages)
		tree->ops->mapped(tree->opaque, tree->owner, tree->pages);
	tree->pages = 0;
}

static void count_mapped(struct vgsp_pt_tree *tree, u32 owner, s64 pages)
{
	if (owner != tree->owner) {
		flush_mapped(tree);
		tree->owner = owner;
	}
	tree->pages += pages;
}

/* ---- Entries ---- */

static void write_pd0(struct vgsp_pt *pt, u32 i, u64 low, u64 high)
{
	__le64 *e = pt->page.cpu + 2 * i;

	/*
	 * A page in the low half decides whatever the high half says; the high
	 * half's table decides over sparse. So neither order shows a state that
	 * is neither the old nor the new one.
	 */
	if (high) {
		vgsp_store_le64(e + 1, high);
		vgsp_store_le64(e, low);
	} else {
		vgsp_store_le64(e, low);
		vgsp_store_le64(e + 1, 0);
	}
}

static u64 pte_sparse(void)
{
	return NV_MMU_VER2_PTE_VOL;
}

static u64 pte_page(u64 bits, u64 addr)
{
	return bits | VGSP_SET(NV_MMU_VER2_PTE_ADDRESS_SYS,
			       addr >> NV_MMU_VER2_PTE_ADDRESS_SHIFT);
}

/* The entry becomes a leaf; state and count follow. */
static void write_leaf(struct vgsp_pt_tree *tree, struct vgsp_pt *pt,
		       int level, u32 i, u8 state, u32 owner, u64 pte)
{
	s64 pages = entry_size(level) / VGSP_PT_PAGE;
	u64 entry = 0;

	if (pt->state[i] == PAGE)
		count_mapped(tree, pt->owner[i], -pages);
	if (pt->state[i] == EMPTY && !(pt->child && pt->child[i]))
		pt->used += state != EMPTY;
	else
		pt->used -= state == EMPTY;
	pt->state[i] = state;
	if (state == SPARSE)
		entry = pte_sparse();
	else if (state == PAGE)
		entry = pte;
	switch (level) {
	case PT:
		vgsp_store_le64(pt->page.cpu + i, entry);
		break;
	case PD0:
		write_pd0(pt, i, entry, 0);
		pt->pte[i] = entry;
		break;
	default:
		vgsp_store_le64(pt->page.cpu + i, entry);
		return;
	}
	pt->owner[i] = owner;
	if (state == PAGE)
		count_mapped(tree, owner, pages);
}

/* The entry becomes a table; one that was a leaf is so no more. */
static void write_table(struct vgsp_pt *pt, int level, u32 i,
			struct vgsp_pt *child)
{
	u64 frame = child->page.addr >> NV_MMU_VER2_PDE_ADDRESS_SHIFT;

	pt->used += pt->state[i] == EMPTY;
	pt->state[i] = EMPTY;
	pt->child[i] = child;
	if (level == PD0) {
		write_pd0(pt, i, 0,
			  VGSP_SET(NV_MMU_VER2_DUAL_PDE_APERTURE_SMALL,
				   NV_MMU_VER2_PDE_APERTURE_SYSTEM_COHERENT_MEMORY) |
			  NV_MMU_VER2_DUAL_PDE_VOL_SMALL |
			  VGSP_SET(NV_MMU_VER2_DUAL_PDE_ADDRESS_SMALL_SYS,
				   frame));
		pt->pte[i] = 0;
		pt->owner[i] = 0;
	} else {
		vgsp_store_le64(pt->page.cpu + i,
				VGSP_SET(NV_MMU_VER2_PDE_APERTURE,
					 NV_MMU_VER2_PDE_APERTURE_SYSTEM_COHERENT_MEMORY) |
				NV_MMU_VER2_PDE_VOL |
				VGSP_SET(NV_MMU_VER2_PDE_ADDRESS_SYS, frame));
	}
}

/* ---- Tables ---- */

static void table_release(struct vgsp_pt_tree *tree, struct vgsp_pt *pt)
{
	if (pt->page.cpu)
		tree->ops->release(tree->opaque, &pt->page);
	vgsp_pure_free(pt->child);
	vgsp_pure_free(pt->owner);
	vgsp_pure_free(pt->state);
	vgsp_pure_free(pt->pte);
	vgsp_pure_free(pt);
}

static struct vgsp_pt *table_new(struct vgsp_pt_tree *tree, int level,
				 int *err)
{
	u32 n = levels[level].entries;
	struct vgsp_pt *pt = vgsp_pure_zalloc(1, sizeof(*pt));

	*err = -ENOMEM;
	if (!pt)
		return NULL;
	pt->state = vgsp_pure_zalloc(n, sizeof(*pt->state));
	if (level != PT)
		pt->child = vgsp_pure_zalloc(n, sizeof(struct vgsp_pt *));
	if (level >= PD0)
		pt->owner = vgsp_pure_zalloc(n, sizeof(*pt->owner));
	if (level == PD0)
		pt->pte = vgsp_pure_zalloc(n, sizeof(*pt->pte));
	if (!pt->state || (level != PT && !pt->child) ||
	    (level >= PD0 && !pt->owner) || (level == PD0 && !pt->pte))
		goto fail;
	*err = tree->ops->alloc(tree->opaque, &pt->page);
	if (*err)
		goto fail;
	return pt;

fail:
	table_release(tree, pt);
	return NULL;
}

/* Everything below and including pt, whose parent no longer names it. */
static void subtree_release(struct vgsp_pt_tree *tree, struct vgsp_pt *pt,
			    int level)
{
	u32 i;

	for (i = 0; i < levels[level].entries; i++) {
		if (pt->child && pt->child[i])
			subtree_release(tree, pt->child[i], level + 1);
		else if (pt->state[i] == PAGE)
			count_mapped(tree, pt->owner[i],
				     -(s64)(entry_size(level) / VGSP_PT_PAGE));
	}
	table_release(tree, pt);
}

/* A table that means what the entry means, in its place. */
static int split(struct vgsp_pt_tree *tree, struct vgsp_pt *pt, int level,
		 u32 i)
{
	struct vgsp_pt *child;
	u32 owner = 0;
	u64 pte = 0;
	int err;
	u32 k;

	child = table_new(tree, level + 1, &err);
	if (!child)
		return err;
	if (pt->state[i] == PAGE) {
		owner = pt->owner[i];
		pte = pt->pte[i];
	}
	for (k = 0; pt->state[i] != EMPTY && k < levels[level + 1].entries;
	     k++)
		write_leaf(tree, child, level + 1, k, pt->state[i], owner,
			   pte + VGSP_SET(NV_MMU_VER2_PTE_ADDRESS_SYS, k));
	if (pt->state[i] == PAGE)	/* counted twice just now */
		count_mapped(tree, owner,
			     -(s64)(entry_size(level) / VGSP_PT_PAGE));
	write_table(pt, level, i, child);
	return 0;
}

/* ---- The two passes ---- */

struct part {
	u64 va;
	u64 size;
	u64 offset;		/* into the source */
	bool whole;		/* of the entry */
};

/* The part of [va, va + size) that lies in entry i of a table. */
static struct part part_of(int level, u32 i, u64 va, u64 size, u64 offset)
{
	u64 each = entry_size(level);
	u64 table = va & ~(each * levels[level].entries - 1);
	u64 start = max(va, table + i * each);
	u64 end = min(va + size, table + (i + 1) * each);

	return (struct part) {
		.va = start,
		.size = end - start,
		.offset = offset + (start - va),
		.whole = end - start == each,
	};
}

/* Whether the part needs no table below the entry; then *pte, of a page. */
static bool is_leaf(const struct vgsp_pt_change *c, int level,
		    const struct part *p, u64 *pte)
{
	u64 addr, run;

	*pte = 0;
	if (!p->whole)
		return false;
	if (c->what != VGSP_PT_PAGES)
		return true;
	if (level < PD0)
		return false;
	addr = c->addr(c->source, p->offset, &run);
	*pte = pte_page(c->pte, addr);
	return !(addr & (entry_size(level) - 1)) && run >= entry_size(level);
}

static int prepare(struct vgsp_pt_tree *tree, struct vgsp_pt *pt, int level,
		   u64 va, u64 size, u64 offset,
		   const struct vgsp_pt_change *c)
{
	struct span s = span_of(level, va, size);
	u64 pte;
	int ret;
	u32 i;

	if (level == PT)
		return 0;
	for (i = s.first; i <= s.last; i++) {
		struct part p = part_of(level, i, va, size, offset);

		if (is_leaf(c, level, &p, &pte))
			continue;
		if (!pt->child[i]) {
			if (c->what == VGSP_PT_NONE && pt->state[i] == EMPTY)
				continue;
			ret = split(tree, pt, level, i);
			if (ret)
				return ret;
		}
		ret = prepare(tree, pt->child[i], level + 1, p.va, p.size,
			      p.offset, c);
		if (ret)
			return ret;
	}
	return 0;
}

static void apply_pt(struct vgsp_pt_tree *tree, struct vgsp_pt *pt,
		     struct span s, u64 offset, const struct vgsp_pt_change *c)
{
	u64 addr = 0, run = 0;
	u32 i;

	for (i = s.first; i <= s.last; i++) {
		switch (c->what) {
		case VGSP_PT_PAGES:
			if (!run)
				addr = c->addr(c->source, offset, &run);
			write_leaf(tree, pt, PT, i, PAGE, c->owner,
				   pte_page(c->pte, addr));
			addr += VGSP_PT_PAGE;
			run -= VGSP_PT_PAGE;
			offset += VGSP_PT_PAGE;
			break;
		case VGSP_PT_SPARSE:
			write_leaf(tree, pt, PT, i, SPARSE, 0, 0);
			break;
		default:
			write_leaf(tree, pt, PT, i, EMPTY, 0, 0);
			break;
		}
	}
}

static const u8 leaf_state[] = {
	[VGSP_PT_NONE] = EMPTY,
	[VGSP_PT_SPARSE] = SPARSE,
	[VGSP_PT_PAGES] = PAGE,
};

/* c NULL: nothing changes but that empty tables go. */
static void apply(struct vgsp_pt_tree *tree, struct vgsp_pt *pt, int level,
		  u64 va, u64 size, u64 offset, const struct vgsp_pt_change *c)
{
	struct span s = span_of(level, va, size);
	u64 pte;
	u32 i;

	if (level == PT) {
		if (c)
			apply_pt(tree, pt, s, offset, c);
		vgsp_pure_yield();
		return;
	}
	for (i = s.first; i <= s.last; i++) {
		struct part p = part_of(level, i, va, size, offset);
		struct vgsp_pt *child = pt->child[i];

		if (c && is_leaf(c, level, &p, &pte)) {
			write_leaf(tree, pt, level, i, leaf_state[c->what],
				   c->owner, pte);
			if (child) {
				pt->child[i] = NULL;
				subtree_release(tree, child, level + 1);
			}
			continue;
		}
		if (!child)
			continue;
		apply(tree, child, level + 1, p.va, p.size, p.offset, c);
		if (!child->used) {
			write_leaf(tree, pt, level, i, EMPTY, 0, 0);
			pt->child[i] = NULL;
			table_release(tree, child);
		}
	}
}

int vgsp_pt_set(struct vgsp_pt_tree *tree, u64 va, u64 size,
		const struct vgsp_pt_change *change)
{
	int ret = prepare(tree, tree->root, PD3, va, size, change->offset,
			  change);

	apply(tree, tree->root, PD3, va, size, change->offset,
	      ret ? NULL : change);
	flush_mapped(tree);
	return ret;
}

int vgsp_pt_init(struct vgsp_pt_tree *tree, const struct vgsp_pt_ops *ops,
		 void *opaque)
{
	int err;

	*tree = (struct vgsp_pt_tree) { .ops = ops, .opaque = opaque };
	tree->root = table_new(tree, PD3, &err);
	return tree->root ? 0 : err;
}

void vgsp_pt_fini(struct vgsp_pt_tree *tree)
{
	if (!tree->root)
		return;
	subtree_release(tree, tree->root, PD3);
	tree->root = NULL;
	flush_mapped(tree);
}

u64 vgsp_pt_root(const struct vgsp_pt_tree *tree)
{
	return tree->root->page.addr;
}

u64 vgsp_pt_pte(u32 kind, u32 flags, bool vidmem)
{
	u64 pte = NV_MMU_VER2_PTE_VALID | VGSP_SET(NV_MMU_VER2_PTE_KIND, kind);

	if (vidmem)
		pte |= VGSP_SET(NV_MMU_VER2_PTE_APERTURE,
				NV_MMU_VER2_PTE_APERTURE_VIDEO_MEMORY);
	else
		pte |= VGSP_SET(NV_MMU_VER2_PTE_APERTURE,
				NV_MMU_VER2_PTE_APERTURE_SYSTEM_COHERENT_MEMORY) |
		       NV_MMU_VER2_PTE_VOL;
	if (flags & VGSP_OWNER_MAP_READ_ONLY)
		pte |= NV_MMU_VER2_PTE_READ_ONLY;
	if (flags & VGSP_OWNER_MAP_ATOMIC_DISABLE)
		pte |= NV_MMU_VER2_PTE_ATOMIC_DISABLE;
	if (flags & VGSP_OWNER_MAP_PRIVILEGED)
		pte |= NV_MMU_VER2_PTE_PRIVILEGE;
	return pte;
}

/* ---- Operations of user space ---- */

int vgsp_map_op_check(const struct vgsp_owner_map_op *op, u64 window_va,
		      u64 window_size)
{
	const u64 limit = 1ULL << VGSP_PT_VA_BITS;

	if (op->op > VGSP_OWNER_SPARSE)
		return -EOPNOTSUPP;
	if (!op->size || (op->va | op->size) & (VGSP_PT_PAGE - 1))
		return -EINVAL;
	if (op->va >= limit || op->size > limit - op->va)
		return -EOVERFLOW;
	if (op->op != VGSP_OWNER_MAP) {
		if (op->flags || op->memory || op->kind || op->offset)
			return -EINVAL;
	} else {
		if (op->flags & ~(VGSP_OWNER_MAP_READ_ONLY |
				  VGSP_OWNER_MAP_ATOMIC_DISABLE |
				  VGSP_OWNER_MAP_PRIVILEGED))
			return -EOPNOTSUPP;
		/* Kinds above are compressible, or no memory. */
		if (op->offset & (VGSP_PT_PAGE - 1) ||
		    op->kind > NV_MMU_PTE_KIND_GENERIC_MEMORY)
			return -EINVAL;
		if (op->offset > ~0ULL - op->size)
			return -EOVERFLOW;
		if (!op->memory)
			return -ENOENT;
	}
	/* An unmap goes around the window. */
	if (op->op != VGSP_OWNER_UNMAP && op->va < window_va + window_size &&
	    window_va < op->va + op->size)
		return -EBUSY;
	return 0;
}
