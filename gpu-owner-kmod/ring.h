/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks of what user space writes into the submission ring: pure functions of
 * copies that were made once.
 */
#ifndef VGSP_OWNER_RING_H
#define VGSP_OWNER_RING_H

#include "pure.h"
#include "vgsp/uapi/vgsp_owner.h"

#define VGSP_RING_SIZE		1024	/* entries */
#define VGSP_RING_BYTES		(VGSP_OWNER_RING_OFFSET + VGSP_RING_SIZE * \
				 sizeof(struct vgsp_owner_submit_entry))

/*
 * How many entries lie between the owner's own head and user space's tail, at
 * most max (0: no limit); -EINVAL where the ring could not hold so many.
 */
int vgsp_ring_pending(u32 head, u32 tail, u32 max);

/* Where entry n lies, bytes from the start of the ring. */
u32 vgsp_ring_offset(u32 n);

/*
 * Whether an entry is well-formed, last being the last seq of its context: 0,
 * -EINVAL, -EOPNOTSUPP, -EOVERFLOW or -ERANGE.
 */
int vgsp_ring_entry_check(const struct vgsp_owner_submit_entry *e, u64 last);

/* What waits, against what may. */
struct vgsp_quota {
	u64 used;
	u64 limit;
};

/* Takes n if that leaves used at or below the limit. */
bool vgsp_quota_take(struct vgsp_quota *q, u64 n);
void vgsp_quota_give(struct vgsp_quota *q, u64 n);

#endif
