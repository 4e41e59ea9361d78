// SPDX-License-Identifier: GPL-2.0
/*
 * What user space is told, and how: the completion page, events, the eventfd,
 * poll() and read().
 */
#include <linux/eventfd.h>
#include <linux/fs.h>
#include <linux/poll.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "session.h"

static_assert(VGSP_OWNER_COMPLETIONS * sizeof(struct vgsp_owner_completion) ==
	      PAGE_SIZE);

int vgsp_event_init(struct vgsp_session *s)
{
	spin_lock_init(&s->event_lock);
	INIT_LIST_HEAD(&s->events);
	init_waitqueue_head(&s->wait);
	s->completions = vmalloc_user(PAGE_SIZE);
	return s->completions ? 0 : -ENOMEM;
}

void vgsp_event_fini(struct vgsp_session *s)
{
	if (s->eventfd)
		eventfd_ctx_put(s->eventfd);
	vfree(s->completions);
}

static void vgsp_event_notify(struct vgsp_session *s)
{
	lockdep_assert_held(&s->event_lock);
	if (s->eventfd)
		vgsp_eventfd_signal(s->eventfd);
	wake_up_all(&s->wait);
}

void vgsp_event_wake(struct vgsp_session *s)
{
	unsigned long flags;

	spin_lock_irqsave(&s->event_lock, flags);
	vgsp_event_notify(s);
	spin_unlock_irqrestore(&s->event_lock, flags);
}

/* ---- What contexts tell ---- */

static void vgsp_event_completed(void *priv, u64 seq)
{
	struct vgsp_session_context *ctx = priv;
	struct vgsp_session *s = ctx->session;
	unsigned long flags;

	spin_lock_irqsave(&s->event_lock, flags);
	WRITE_ONCE(ctx->completed, seq);
	/* What the section wrote, then its number, then that there is news. */
	smp_store_release(&s->completions[ctx->id].seq, seq);
	/* Likewise. */
	smp_store_release(&s->completions[0].seq, ++s->retired);
	vgsp_event_notify(s);
	spin_unlock_irqrestore(&s->event_lock, flags);
	/* Who begins to wait just now looks by himself: vgsp_queue_add(). */
	if (READ_ONCE(s->queue.used))
		queue_work(system_unbound_wq, &s->pump);
}

static void vgsp_event_fault(void *priv, const struct vgsp_owner_fault *fault)
{
	struct vgsp_session_context *ctx = priv;
	struct vgsp_session *s = ctx->session;
	unsigned long flags;

	spin_lock_irqsave(&s->event_lock, flags);
	if (!ctx->dead) {
		ctx->fault.type = VGSP_OWNER_EVENT_FAULT;
		ctx->fault.size = sizeof(ctx->fault);
		ctx->fault.fault = *fault;
		ctx->fault.fault.context = ctx->id;
		WRITE_ONCE(ctx->dead, true);
		WRITE_ONCE(s->completions[ctx->id].state,
			   VGSP_OWNER_CONTEXT_DEAD);
		list_add_tail(&ctx->event, &s->events);
		vgsp_event_notify(s);
	}
	spin_unlock_irqrestore(&s->event_lock, flags);
	queue_work(system_unbound_wq, &s->pump);
}

const struct vgsp_context_ops vgsp_event_context_ops = {
	.completed = vgsp_event_completed,
	.fault = vgsp_event_fault,
};

void vgsp_event_context_new(struct vgsp_session_context *ctx)
{
	struct vgsp_owner_completion *c = &ctx->session->completions[ctx->id];

	INIT_LIST_HEAD(&ctx->event);
	c->seq = 0;
	c->state = VGSP_OWNER_CONTEXT_ALIVE;
}

void vgsp_event_context_del(struct vgsp_session_context *ctx)
{
	struct vgsp_session *s = ctx->session;
	unsigned long flags;

	spin_lock_irqsave(&s->event_lock, flags);
	list_del_init(&ctx->event);
	WRITE_ONCE(ctx->dead, true);
	s->completions[ctx->id] = (struct vgsp_owner_completion) { };
	vgsp_event_notify(s);
	spin_unlock_irqrestore(&s->event_lock, flags);
}

/* ---- Who listens ---- */

int vgsp_event_set_fd(struct vgsp_session *s, int fd)
{
	struct eventfd_ctx *ctx = NULL;
	unsigned long flags;

	if (fd != -1) {
		ctx = eventfd_ctx_fdget(fd);
		if (IS_ERR(ctx))
			return PTR_ERR(ctx);
	}
	spin_lock_irqsave(&s->event_lock, flags);
	swap(ctx, s->eventfd);
	spin_unlock_irqrestore(&s->event_lock, flags);
	if (ctx)
		eventfd_ctx_put(ctx);
	return 0;
}

/* The oldest event, if one waits. */
static bool vgsp_event_take(struct vgsp_session *s,
			    struct vgsp_owner_event *event)
{
	struct vgsp_session_context *ctx;
	unsigned long flags;

	spin_lock_irqsave(&s->event_lock, flags);
	ctx = list_first_entry_or_null(&s->events, struct vgsp_session_context,
				       event);
	if (ctx) {
		*event = ctx->fault;
		list_del_init(&ctx->event);
	}
	spin_unlock_irqrestore(&s->event_lock, flags);
	return ctx;
}

ssize_t vgsp_event_read(struct vgsp_session *s, struct file *file,
			char __user *buf, size_t count)
{
	struct vgsp_owner_event event;
	size_t done = 0;
	int ret;

	if (count < sizeof(event))
		return -EINVAL;
	while (count - done >= sizeof(event)) {
		if (vgsp_event_take(s, &event)) {
			if (copy_to_user(buf + done, &event, sizeof(event)))
				return done ? done : -EFAULT;
			done += sizeof(event);
			continue;
		}
		if (done)
			break;
		if (READ_ONCE(s->gone))
			return -ENODEV;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		ret = wait_event_interruptible(s->wait,
					       !list_empty_careful(&s->events) ||
					       READ_ONCE(s->gone));
		if (ret)
			return ret;
	}
	return done;
}

__poll_t vgsp_event_poll(struct vgsp_session *s, struct file *file,
			 struct poll_table_struct *wait)
{
	struct vgsp_owner_ring *ring = s->ring;
	__poll_t mask = 0;

	poll_wait(file, &s->wait, wait);
	if (!list_empty_careful(&s->events) ||
	    (u32)READ_ONCE(s->retired) != READ_ONCE(ring->seen))
		mask |= EPOLLIN | EPOLLRDNORM;
	if (READ_ONCE(s->gone))
		mask |= EPOLLERR | EPOLLHUP;
	return mask;
}
