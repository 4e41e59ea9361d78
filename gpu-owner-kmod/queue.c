// SPDX-License-Identifier: GPL-2.0
/*
 * Contexts, and the way of their sections: from the ring, through the checks,
 * to the card or, while they must wait, into a queue.
 *
 * User space shares the ring and may rewrite it at any time. So an entry and
 * its words are copied once, and only the copies are looked at from then on.
 */
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/wait_bit.h>

#include "session.h"
#include "vgsp/nv/class.h"
#include "vgsp/section.h"

/* What a guest's channel may have on its subchannels. */
static const u32 vgsp_classes[VGSP_SECTION_SUBCHANNELS] = {
	TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
};

/* One that waits. */
struct vgsp_section {
	struct list_head link;
	u64 seq;
	u64 wait_seq;
	u32 wait_context;
	u32 count;
	u32 words[];
};

static void vgsp_queue_pump(struct work_struct *work);

int vgsp_queue_init(struct vgsp_session *s)
{
	mutex_init(&s->ring_lock);
	mutex_init(&s->submit_lock);
	INIT_WORK(&s->pump, vgsp_queue_pump);
	s->queue.limit = s->limits.queue_bytes;
	s->ring = vmalloc_user(PAGE_ALIGN(VGSP_RING_BYTES));
	s->words = kvmalloc_array(VGSP_SECTION_WORDS_MAX, sizeof(u32),
				  GFP_KERNEL_ACCOUNT);
	return s->ring && s->words ? 0 : -ENOMEM;
}

/* No context is left. */
void vgsp_queue_fini(struct vgsp_session *s)
{
	cancel_work_sync(&s->pump);
	kvfree(s->words);
	vfree(s->ring);
	mutex_destroy(&s->ring_lock);
	mutex_destroy(&s->submit_lock);
}

/* ---- What waits ---- */

static void vgsp_section_drop(struct vgsp_session_context *ctx,
			      struct vgsp_section *sec)
{
	list_del(&sec->link);
	vgsp_quota_give(&ctx->queued, 1);
	vgsp_quota_give(&ctx->session->queue,
			struct_size(sec, words, sec->count));
	kvfree(sec);
}

static void vgsp_queue_drop(struct vgsp_session_context *ctx)
{
	struct vgsp_section *sec, *next;

	list_for_each_entry_safe(sec, next, &ctx->queue, link)
		vgsp_section_drop(ctx, sec);
}

static int vgsp_queue_add(struct vgsp_session_context *ctx,
			  const struct vgsp_owner_submit_entry *e,
			  const u32 *words)
{
	struct vgsp_session *s = ctx->session;
	struct vgsp_section *sec;
	size_t size = struct_size(sec, words, e->count);

	if (!vgsp_quota_take(&ctx->queued, 1))
		return -EAGAIN;
	if (!vgsp_quota_take(&s->queue, size))
		goto err_quota;
	sec = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!sec)
		goto err_bytes;
	sec->seq = e->seq;
	sec->wait_seq = e->wait_seq;
	sec->wait_context = e->wait_context;
	sec->count = e->count;
	memcpy(sec->words, words, 4 * e->count);
	list_add_tail(&sec->link, &ctx->queue);
	ctx->last = e->seq;
	/*
	 * What it waits for may have happened before a completion could see
	 * that something waits.
	 */
	queue_work(system_unbound_wq, &s->pump);
	return 0;

err_bytes:
	vgsp_quota_give(&s->queue, size);
err_quota:
	vgsp_quota_give(&ctx->queued, 1);
	return -EAGAIN;
}

static bool vgsp_queue_ready(struct vgsp_session *s, u32 wait_context,
			     u64 wait_seq)
{
	struct vgsp_session_context *other;

	if (s->paused)
		return false;
	if (!wait_context)
		return true;
	other = xa_load(&s->contexts, wait_context);
	return !other || READ_ONCE(other->dead) ||
	       READ_ONCE(other->completed) >= wait_seq;
}

/* Starts what may start; a dead context's sections go. */
static void vgsp_queue_run(struct vgsp_session_context *ctx)
{
	struct vgsp_section *sec, *next;
	int ret;

	if (READ_ONCE(ctx->dead)) {
		vgsp_queue_drop(ctx);
		return;
	}
	list_for_each_entry_safe(sec, next, &ctx->queue, link) {
		if (!vgsp_queue_ready(ctx->session, sec->wait_context,
				      sec->wait_seq))
			return;
		ret = vgsp_context_submit(ctx->hw, sec->words, sec->count,
					  sec->seq);
		if (ret == -EAGAIN)
			return;
		if (!ret)
			ctx->sent = sec->seq;
		vgsp_section_drop(ctx, sec);
	}
}

static void vgsp_queue_pump(struct work_struct *work)
{
	struct vgsp_session *s = container_of(work, struct vgsp_session, pump);
	struct vgsp_session_context *ctx;
	unsigned long id;

	if (vgsp_owner_enter(s->od))
		return;
	mutex_lock(&s->submit_lock);
	xa_for_each(&s->contexts, id, ctx)
		vgsp_queue_run(ctx);
	mutex_unlock(&s->submit_lock);
	vgsp_owner_exit(s->od);
}

/* ---- From the ring ---- */

/* Each word of it is read once. */
static void vgsp_ring_copy(const void *from, struct vgsp_owner_submit_entry *e)
{
	const u64 *in = from;
	u64 *out = (u64 *)e;
	unsigned int i;

	for (i = 0; i < sizeof(*e) / sizeof(*out); i++)
		out[i] = READ_ONCE(in[i]);
}

/* With submit_lock; the words have been checked. */
static int vgsp_queue_entry(struct vgsp_session_context *ctx,
			    const struct vgsp_owner_submit_entry *e,
			    const u32 *words)
{
	struct vgsp_session *s = ctx->session;
	int ret;

	if (READ_ONCE(ctx->dead))
		return -EIO;
	if (list_empty(&ctx->queue) &&
	    vgsp_queue_ready(s, e->wait_context, e->wait_seq)) {
		ret = vgsp_context_submit(ctx->hw, words, e->count, e->seq);
		if (!ret) {
			ctx->last = e->seq;
			ctx->sent = e->seq;
		}
		if (ret != -EAGAIN)
			return ret;
	}
	return vgsp_queue_add(ctx, e, words);
}

static int vgsp_queue_take(struct vgsp_session *s,
			   const struct vgsp_owner_submit_entry *e)
{
	struct vgsp_session_context *ctx;
	bool passes;
	u32 bad;
	int ret;

	/* Whatever does not depend on the context, before any lock. */
	ret = vgsp_ring_entry_check(e, 0);
	if (ret)
		return ret;
	if (copy_from_user(s->words, u64_to_user_ptr(e->words), 4 * e->count))
		return -EFAULT;
	passes = vgsp_section_check(s->words, e->count, vgsp_classes, &bad);

	ret = vgsp_owner_enter(s->od);
	if (ret)
		return ret;
	mutex_lock(&s->submit_lock);
	ctx = xa_load(&s->contexts, e->context);
	if (!ctx)
		ret = -ENOENT;
	else if (ctx->stalled == s->call)
		ret = -EAGAIN;
	else
		ret = vgsp_ring_entry_check(e, ctx->last);
	if (!ret && !passes) {
		atomic64_inc(&s->od->stats.refused);
		ret = -EPERM;
	}
	if (!ret) {
		ret = vgsp_queue_entry(ctx, e, s->words);
		if (ret == -EAGAIN)
			ctx->stalled = s->call;
	}
	mutex_unlock(&s->submit_lock);
	vgsp_owner_exit(s->od);
	return ret;
}

int vgsp_queue_submit(struct vgsp_session *s, struct vgsp_owner_submit *cmd)
{
	struct vgsp_owner_submit_entry *slot, e;
	struct vgsp_owner_ring *ring = s->ring;
	u32 tail;
	int n, ret;

	if (mutex_lock_interruptible(&s->ring_lock))
		return -EINTR;
	if (!++s->call)		/* 0: contexts that never stalled */
		++s->call;
	/* Entries are read after it. */
	tail = smp_load_acquire(&ring->tail);
	n = vgsp_ring_pending(s->head, tail, cmd->max);
	for (cmd->taken = 0, cmd->failed = 0; n > 0 && cmd->taken < n;
	     cmd->taken++) {
		slot = s->ring + vgsp_ring_offset(s->head);
		vgsp_ring_copy(slot, &e);
		ret = vgsp_queue_take(s, &e);
		WRITE_ONCE(slot->result, ret);
		cmd->failed += !!ret;
		/* The result is there before. */
		smp_store_release(&ring->head, ++s->head);
		if (ret == -ENODEV) {
			n = ret;
			break;
		}
		cond_resched();
		if (fatal_signal_pending(current))
			break;
	}
	mutex_unlock(&s->ring_lock);
	return n < 0 ? n : 0;
}

/* ---- Contexts ---- */

static void vgsp_session_context_free(struct kref *ref)
{
	kfree(container_of(ref, struct vgsp_session_context, ref));
}

int vgsp_queue_context_new(struct vgsp_session *s, struct vgsp_space *space,
			   struct vgsp_owner_context_new *cmd)
{
	struct vgsp_session_context *ctx;
	int ret;

	ctx = kzalloc(sizeof(*ctx), GFP_KERNEL_ACCOUNT);
	if (!ctx)
		return -ENOMEM;
	kref_init(&ctx->ref);
	ctx->session = s;
	ctx->space = space;
	ctx->queued.limit = s->limits.queue_sections;
	INIT_LIST_HEAD(&ctx->queue);
	ret = xa_alloc(&s->contexts, &ctx->id, NULL,
		       XA_LIMIT(1, s->limits.contexts), GFP_KERNEL_ACCOUNT);
	if (ret) {
		ret = ret == -EBUSY ? -ENOSPC : ret;
		goto err_free;
	}
	vgsp_event_context_new(ctx);
	ret = vgsp_context_create(s->od, space, cmd->engine, cmd->timeslice_us,
				  &vgsp_event_context_ops, ctx, &ctx->hw);
	if (ret)
		goto err_id;
	space->num_contexts++;
	mutex_lock(&s->submit_lock);
	xa_store(&s->contexts, ctx->id, ctx, GFP_KERNEL_ACCOUNT);
	mutex_unlock(&s->submit_lock);
	cmd->id = ctx->id;
	return 0;

err_id:
	vgsp_event_context_del(ctx);
	xa_erase(&s->contexts, ctx->id);
err_free:
	kref_put(&ctx->ref, vgsp_session_context_free);
	return ret;
}

void vgsp_queue_context_del(struct vgsp_session_context *ctx, bool alive)
{
	struct vgsp_session *s = ctx->session;

	/* From here on nobody submits to it. */
	mutex_lock(&s->submit_lock);
	xa_erase(&s->contexts, ctx->id);
	vgsp_queue_drop(ctx);
	mutex_unlock(&s->submit_lock);
	/* Nor does anybody begin to look; who does ends soon. */
	wait_var_event(&ctx->lookers, !atomic_read(&ctx->lookers));
	if (alive)
		vgsp_context_destroy(ctx->hw);
	else
		vgsp_context_abandon(ctx->hw);
	vgsp_event_context_del(ctx);
	ctx->space->num_contexts--;
	/* Who waited for it need not any more. */
	queue_work(system_unbound_wq, &s->pump);
	kref_put(&ctx->ref, vgsp_session_context_free);
}

/* With the right to look at hw until vgsp_context_looked(). */
static struct vgsp_session_context *vgsp_context_get(struct vgsp_session *s,
						     u32 id, u64 *sent)
{
	struct vgsp_session_context *ctx;

	mutex_lock(&s->submit_lock);
	ctx = xa_load(&s->contexts, id);
	if (ctx) {
		kref_get(&ctx->ref);
		atomic_inc(&ctx->lookers);
		*sent = ctx->sent;
	}
	mutex_unlock(&s->submit_lock);
	return ctx;
}

static void vgsp_context_looked(struct vgsp_session_context *ctx)
{
	if (atomic_dec_and_test(&ctx->lookers))
		wake_up_var(&ctx->lookers);
}

/* ---- Waiting ---- */

/* Below that, growth begins with this. */
#define VGSP_SPIN_MIN_NS	1000

static bool vgsp_context_over(struct vgsp_session_context *ctx, u64 seq)
{
	return READ_ONCE(ctx->completed) >= seq || READ_ONCE(ctx->dead);
}

/*
 * A short section is over before an interrupt and its thread could have woken
 * anybody: so the waiter itself looks for a while, ns from now. Without locks,
 * and never while somebody else wants the processor.
 */
static bool vgsp_context_spin(struct vgsp_session_context *ctx, u64 seq,
			      u64 ns)
{
	u64 start = local_clock();

	do {
		vgsp_context_poll(ctx->hw);
		if (vgsp_context_over(ctx, seq))
			return true;
		cpu_relax();
	} while (!need_resched() && !signal_pending(current) &&
		 local_clock() - start < ns);
	return false;
}

/*
 * Twice as long after a wait that the longest time would have served, half as
 * long after one that it would not have.
 */
static void vgsp_session_spin_adapt(struct vgsp_session *s, u64 waited)
{
	u32 ns = READ_ONCE(s->spin_ns);

	if (waited > s->spin_max_ns)
		ns = ns > VGSP_SPIN_MIN_NS ? ns / 2 : 0;
	else if (waited > ns)
		ns = min(max_t(u32, 2 * ns, VGSP_SPIN_MIN_NS), s->spin_max_ns);
	WRITE_ONCE(s->spin_ns, ns);
}

/*
 * After vgsp_context_get(), whose right to look ends here. sent: what the card
 * had then. until: KTIME_MAX for ever. 0, -ETIMEDOUT or -ERESTARTSYS.
 */
static int vgsp_context_wait(struct vgsp_session_context *ctx, u64 seq,
			     u64 sent, ktime_t until)
{
	struct vgsp_session *s = ctx->session;
	ktime_t start = ktime_get(), left = KTIME_MAX;
	u64 spin = seq <= sent ? READ_ONCE(s->spin_ns) : 0;
	bool over;
	int ret;

	if (until != KTIME_MAX) {
		left = max_t(ktime_t, ktime_sub(until, start), 0);
		spin = min_t(u64, spin, left);
	}
	over = vgsp_context_spin(ctx, seq, spin);
	vgsp_context_looked(ctx);
	if (over) {
		atomic64_inc(&s->od->stats.waits_spun);
		return 0;
	}
	if (until != KTIME_MAX)
		left = max_t(ktime_t, ktime_sub(until, ktime_get()), 0);
	ret = wait_event_interruptible_hrtimeout(s->wait,
						 vgsp_context_over(ctx, seq),
						 left);
	atomic64_inc(&s->od->stats.waits_slept);
	if (!ret && seq <= sent)
		vgsp_session_spin_adapt(s, ktime_sub(ktime_get(), start));
	return ret == -ETIME ? -ETIMEDOUT : ret;
}

static ktime_t vgsp_wait_until(u64 timeout_ns)
{
	return timeout_ns >= KTIME_MAX ? KTIME_MAX :
	       ktime_add_safe(ktime_get(), timeout_ns);
}

int vgsp_queue_wait(struct vgsp_session *s, struct vgsp_owner_wait *cmd)
{
	struct vgsp_session_context *ctx;
	u64 sent;
	int ret;

	ctx = vgsp_context_get(s, cmd->context, &sent);
	if (!ctx)
		return -ENOENT;
	ret = vgsp_context_wait(ctx, cmd->seq, sent,
				vgsp_wait_until(cmd->timeout_ns));
	if (READ_ONCE(ctx->completed) >= cmd->seq)
		ret = 0;
	else if (!ret)
		ret = -EIO;
	kref_put(&ctx->ref, vgsp_session_context_free);
	return ret;
}

int vgsp_queue_pause(struct vgsp_session *s, struct vgsp_owner_pause *cmd)
{
	ktime_t until = vgsp_wait_until(cmd->timeout_ns);
	struct vgsp_session_context *ctx;
	u64 sent;
	u32 id;
	int ret = 0;

	mutex_lock(&s->submit_lock);
	s->paused = cmd->pause;
	mutex_unlock(&s->submit_lock);
	if (!cmd->pause) {
		queue_work(system_unbound_wq, &s->pump);
		return 0;
	}
	for (id = 1; id <= s->limits.contexts && !ret; id++) {
		ctx = vgsp_context_get(s, id, &sent);
		if (!ctx)
			continue;
		ret = vgsp_context_wait(ctx, sent, sent, until);
		kref_put(&ctx->ref, vgsp_session_context_free);
	}
	return ret;
}
