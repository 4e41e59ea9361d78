// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of what user space writes into the submission ring, and quotas: see
 * ring.h.
 */
#include "ring.h"

#include "vgsp/section.h"

int vgsp_ring_pending(u32 head, u32 tail, u32 max)
{
	u32 n = tail - head;

	if (n > VGSP_RING_SIZE)
		return -EINVAL;
	return max && n > max ? max : n;
}

u32 vgsp_ring_offset(u32 n)
{
	return VGSP_OWNER_RING_OFFSET +
	       (n & (VGSP_RING_SIZE - 1)) *
	       (u32)sizeof(struct vgsp_owner_submit_entry);
}

int vgsp_ring_entry_check(const struct vgsp_owner_submit_entry *e, u64 last)
{
	if (e->flags)
		return -EOPNOTSUPP;
	if (e->reserved || e->reserved2[0] || e->reserved2[1])
		return -EINVAL;
	if (e->words & 3 || (e->count && !e->words))
		return -EINVAL;
	if (e->count > VGSP_SECTION_WORDS_MAX)
		return -EINVAL;
	if (e->words > ~0ULL - 4ULL * e->count)
		return -EOVERFLOW;
	if (!e->wait_context != !e->wait_seq)
		return -EINVAL;
	if (e->wait_context && e->wait_context == e->context)
		return -EINVAL;
	if (e->seq <= last)
		return -ERANGE;
	return 0;
}

bool vgsp_quota_take(struct vgsp_quota *q, u64 n)
{
	if (q->used > q->limit || n > q->limit - q->used)
		return false;
	q->used += n;
	return true;
}

void vgsp_quota_give(struct vgsp_quota *q, u64 n)
{
	q->used -= n;
}
