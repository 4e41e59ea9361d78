// SPDX-License-Identifier: GPL-2.0
/*
 * /dev/vgsp-ownerN: files, ioctls, the objects of a session and their limits.
 * The ABI is vgsp/uapi/vgsp_owner.h.
 */
#include <linux/fs.h>
#include <linux/ktime.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "session.h"
#include "vgsp/section.h"

/* ---- Limits ---- */

static unsigned int sessions_max = 64;
module_param_named(sessions, sessions_max, uint, 0644);
MODULE_PARM_DESC(sessions, "Open files of a card (64)");

static unsigned int memory_gib = 256;
module_param(memory_gib, uint, 0644);
MODULE_PARM_DESC(memory_gib,
		 "Memory a session may pin, GiB, within RLIMIT_MEMLOCK (256)");

static unsigned int memories_max = 1024;
module_param_named(memories, memories_max, uint, 0644);
MODULE_PARM_DESC(memories, "Memory objects of a session (1024)");

static unsigned int spaces_max = 64;
module_param_named(spaces, spaces_max, uint, 0644);
MODULE_PARM_DESC(spaces, "Address spaces of a session (64)");

static unsigned int contexts_max = 64;
module_param_named(contexts, contexts_max, uint, 0644);
MODULE_PARM_DESC(contexts, "Contexts of a session, at most 255 (64)");

static unsigned int table_pages_max = 65536;
module_param_named(table_pages, table_pages_max, uint, 0644);
MODULE_PARM_DESC(table_pages,
		 "Pages of page tables of a session, 4 KiB each (65536)");

static unsigned int queue_sections_max = 1024;
module_param_named(queue_sections, queue_sections_max, uint, 0644);
MODULE_PARM_DESC(queue_sections, "Sections that wait, of a context (1024)");

static unsigned int queue_mib = 16;
module_param(queue_mib, uint, 0644);
MODULE_PARM_DESC(queue_mib, "Sections that wait, of a session, MiB (16)");

static unsigned int wait_spin_us = 50;
module_param(wait_spin_us, uint, 0644);
MODULE_PARM_DESC(wait_spin_us,
		 "How long a wait looks before it sleeps, us, at most 1000; 0: not at all (50)");

#define VGSP_WAIT_SPIN_US_MAX	1000u
#define VGSP_MAP_OPS_MAX	65536
/* An id of memory is kept beside each PTE in 16 bits. */
#define VGSP_MEMORIES_MAX	65535

static void vgsp_session_limits(struct vgsp_session *s)
{
	s->limits = (struct vgsp_owner_limits) {
		.memory_bytes = (u64)memory_gib << 30,
		.queue_bytes = (u64)queue_mib << 20,
		.memories = clamp_t(u32, memories_max, 1, VGSP_MEMORIES_MAX),
		.spaces = max(spaces_max, 1u),
		.contexts = clamp_t(u32, contexts_max, 1,
				    VGSP_OWNER_COMPLETIONS - 1),
		.table_pages = table_pages_max,
		.queue_sections = queue_sections_max,
		.section_words = VGSP_SECTION_WORDS_MAX,
		.map_ops = VGSP_MAP_OPS_MAX,
		.ring_entries = VGSP_RING_SIZE,
	};
	s->memory.limit = s->limits.memory_bytes;
	s->tables.limit = s->limits.table_pages;
	s->spin_max_ns = min(wait_spin_us, VGSP_WAIT_SPIN_US_MAX) *
			 NSEC_PER_USEC;
	s->spin_ns = s->spin_max_ns;
}

/* ---- Objects go ---- */

/*
 * All of them; with s->lock. A card that does not answer loses its way to
 * memory first, so that what it does matters no more.
 */
static void vgsp_session_clear(struct vgsp_session *s)
{
	bool alive = !vgsp_owner_enter(s->od);
	struct vgsp_session_context *ctx;
	struct vgsp_memory *m;
	struct vgsp_space *space;
	unsigned long id;

	if (!alive)
		pci_clear_master(s->od->pdev);
	xa_for_each(&s->contexts, id, ctx)
		vgsp_queue_context_del(ctx, alive);
	xa_for_each(&s->spaces, id, space) {
		xa_erase(&s->spaces, id);
		vgsp_space_destroy(space, alive);
	}
	if (alive && READ_ONCE(s->od->lost))	/* on the way */
		pci_clear_master(s->od->pdev);
	xa_for_each(&s->memories, id, m) {
		WARN_ON_ONCE(m->mapped);
		xa_erase(&s->memories, id);
		vgsp_quota_give(&s->memory, m->length);
		vgsp_memory_free(s->od, m);
	}
	if (alive)
		vgsp_owner_exit(s->od);
}

/* ---- ioctls: session ---- */

union vgsp_cmd {
	struct vgsp_owner_info info;
	struct vgsp_owner_clock clock;
	struct vgsp_owner_revoke revoke;
	struct vgsp_owner_pause pause;
	struct vgsp_owner_eventfd eventfd;
	struct vgsp_owner_memory_new memory_new;
	struct vgsp_owner_memory_del memory_del;
	struct vgsp_owner_space_new space_new;
	struct vgsp_owner_space_del space_del;
	struct vgsp_owner_map_batch map;
	struct vgsp_owner_context_new context_new;
	struct vgsp_owner_context_del context_del;
	struct vgsp_owner_context_kill context_kill;
	struct vgsp_owner_submit submit;
	struct vgsp_owner_wait wait;
};

/* With s->lock on success, inside enter. */
static int vgsp_session_enter(struct vgsp_session *s)
{
	int ret;

	mutex_lock(&s->lock);
	ret = s->gone ? -ENODEV : vgsp_owner_enter(s->od);
	if (ret)
		mutex_unlock(&s->lock);
	return ret;
}

static void vgsp_session_exit_lock(struct vgsp_session *s)
{
	vgsp_owner_exit(s->od);
	mutex_unlock(&s->lock);
}

static int vgsp_cmd_info(struct vgsp_session *s, union vgsp_cmd *u)
{
	const VgspChip *chip = &s->od->chip;
	struct vgsp_owner_info *cmd = &u->info;
	struct vgsp_owner_chip *c = &cmd->chip;
	unsigned int i;

	if (cmd->reserved)
		return -EINVAL;
	*cmd = (struct vgsp_owner_info) {
		.size = cmd->size,
		.abi_version = VGSP_OWNER_ABI_VERSION,
		.memory_types = 1 << VGSP_OWNER_MEMORY_HOST,
		.engines = 1 << VGSP_OWNER_ENGINE_GR,
		.va_bits = VGSP_PT_VA_BITS,
		.limits = s->limits,
		.chip = {
			.boot0 = chip->boot0,
			.boot42 = chip->boot42,
			.device_id = chip->device_id,
			.subsystem_vendor_id = chip->subsystem_vendor_id,
			.subsystem_id = chip->subsystem_id,
			.revision_id = chip->revision_id,
			.gpc_mask = chip->gpc_mask,
			.l2_size = chip->l2_size,
			.fb_bus_width = chip->fb_bus_width,
			.ce_mthdbuf_size = chip->ce_mthdbuf_size,
		},
	};
	static_assert(ARRAY_SIZE(c->tpc_mask) == ARRAY_SIZE(chip->tpc_mask));
	static_assert(ARRAY_SIZE(c->zcull) == ARRAY_SIZE(chip->zcull));
	static_assert(ARRAY_SIZE(c->ctxbuf_size) == ARRAY_SIZE(chip->ctxbuf));
	memcpy(c->tpc_mask, chip->tpc_mask, sizeof(c->tpc_mask));
	memcpy(c->zcull, chip->zcull, sizeof(c->zcull));
	for (i = 0; i < ARRAY_SIZE(c->ctxbuf_size); i++) {
		c->ctxbuf_size[i] = chip->ctxbuf[i].size;
		c->ctxbuf_align[i] = chip->ctxbuf[i].align;
	}
	if (chip->name)
		strscpy(c->name, chip->name, sizeof(c->name));
	if (chip->short_name)
		strscpy(c->short_name, chip->short_name,
			sizeof(c->short_name));
	strscpy(c->firmware, vgsp_owner_firmware_version(),
		sizeof(c->firmware));
	return 0;
}

static int vgsp_cmd_clock(struct vgsp_session *s, union vgsp_cmd *u)
{
	struct vgsp_owner_clock *cmd = &u->clock;
	unsigned long flags;
	int ret;

	if (cmd->reserved)
		return -EINVAL;
	ret = vgsp_owner_enter(s->od);
	if (ret)
		return ret;
	local_irq_save(flags);
	cmd->monotonic_ns = ktime_get_ns();
	cmd->ptimer_ns = vgsp_ptimer_ns(s->od);
	cmd->span_ns = ktime_get_ns() - cmd->monotonic_ns;
	local_irq_restore(flags);
	vgsp_owner_exit(s->od);
	return 0;
}

static int vgsp_cmd_revoke(struct vgsp_session *s, union vgsp_cmd *u)
{
	int ret = 0;

	if (u->revoke.reserved)
		return -EINVAL;
	mutex_lock(&s->lock);
	if (s->gone)
		ret = -ENODEV;
	else
		vgsp_session_clear(s);
	mutex_unlock(&s->lock);
	return ret;
}

static int vgsp_cmd_pause(struct vgsp_session *s, union vgsp_cmd *u)
{
	return u->pause.pause > 1 ? -EINVAL : vgsp_queue_pause(s, &u->pause);
}

static int vgsp_cmd_eventfd(struct vgsp_session *s, union vgsp_cmd *u)
{
	return vgsp_event_set_fd(s, u->eventfd.fd);
}

/* What GSP-RM's answers mean to user space, which did not ask it. */
static int vgsp_core_result(int ret)
{
	switch (ret) {
	case -EREMOTEIO:	/* refused, though well-formed: no room for it */
		return -ENOMEM;
	case -EPROTO:		/* the card is lost */
	case -ETIMEDOUT:
		return -EIO;
	default:
		return ret;
	}
}

/* ---- ioctls: memory ---- */

/* An id for what does not exist yet; limit objects at most. */
static int vgsp_id_alloc(struct xarray *xa, u32 limit, void *object, u32 *id)
{
	int ret = xa_alloc(xa, id, object, XA_LIMIT(1, limit),
			   GFP_KERNEL_ACCOUNT);

	return ret == -EBUSY ? -ENOSPC : ret;
}

static int vgsp_cmd_memory_new(struct vgsp_session *s, union vgsp_cmd *u)
{
	struct vgsp_owner_memory_new *cmd = &u->memory_new;
	struct vgsp_memory *m;
	int ret;

	if (cmd->type == VGSP_OWNER_MEMORY_LOCAL || cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->type != VGSP_OWNER_MEMORY_HOST || !cmd->length ||
	    (cmd->address | cmd->length) & (VGSP_PT_PAGE - 1))
		return -EINVAL;
	if (cmd->address > ~0ULL - cmd->length ||
	    cmd->address + cmd->length > TASK_SIZE_MAX)
		return -EOVERFLOW;

	mutex_lock(&s->lock);
	ret = s->gone ? -ENODEV :
	      vgsp_quota_take(&s->memory, cmd->length) ? 0 : -ENOSPC;
	mutex_unlock(&s->lock);
	if (ret)
		return ret;
	/* Pages may come slowly, from a file or another process. */
	ret = vgsp_memory_pin(cmd->address, cmd->length, &m);
	if (ret)
		goto err_quota;
	ret = vgsp_session_enter(s);
	if (ret)
		goto err_memory;
	ret = vgsp_memory_map(s->od, m);
	if (!ret) {
		ret = vgsp_id_alloc(&s->memories, s->limits.memories, m,
				    &cmd->id);
		if (ret)
			vgsp_memory_unmap(s->od, m);
	}
	vgsp_session_exit_lock(s);
	if (!ret)
		return 0;

err_memory:
	vgsp_memory_free(s->od, m);
err_quota:
	mutex_lock(&s->lock);
	vgsp_quota_give(&s->memory, cmd->length);
	mutex_unlock(&s->lock);
	return ret;
}

static int vgsp_cmd_memory_del(struct vgsp_session *s, union vgsp_cmd *u)
{
	struct vgsp_memory *m;
	int ret = vgsp_session_enter(s);

	if (ret)
		return ret;
	m = xa_load(&s->memories, u->memory_del.id);
	if (!m) {
		ret = -ENOENT;
	} else if (m->mapped) {
		ret = -EBUSY;
	} else {
		xa_erase(&s->memories, u->memory_del.id);
		vgsp_quota_give(&s->memory, m->length);
		vgsp_memory_free(s->od, m);
	}
	vgsp_session_exit_lock(s);
	return ret;
}

/* ---- ioctls: spaces ---- */

static int vgsp_cmd_space_new(struct vgsp_session *s, union vgsp_cmd *u)
{
	struct vgsp_owner_space_new *cmd = &u->space_new;
	struct vgsp_space *space;
	u64 window = cmd->window_va;
	int ret;

	if (cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->reserved || window & (VGSP_WINDOW_SIZE - 1))
		return -EINVAL;
	if (window > VGSP_WINDOW_LIMIT - VGSP_WINDOW_SIZE)
		return -EOVERFLOW;
	if (!window)
		window = VGSP_WINDOW_DEFAULT;
	ret = vgsp_session_enter(s);
	if (ret)
		return ret;
	ret = vgsp_id_alloc(&s->spaces, s->limits.spaces, NULL, &cmd->id);
	if (ret)
		goto out;
	ret = vgsp_core_result(vgsp_space_create(s->od, s, window, &space));
	if (ret) {
		xa_erase(&s->spaces, cmd->id);
		goto out;
	}
	xa_store(&s->spaces, cmd->id, space, GFP_KERNEL_ACCOUNT);
	cmd->window_va = window;
	cmd->window_size = VGSP_WINDOW_SIZE;
out:
	vgsp_session_exit_lock(s);
	return ret;
}

static int vgsp_cmd_space_del(struct vgsp_session *s, union vgsp_cmd *u)
{
	struct vgsp_space *space;
	int ret = vgsp_session_enter(s);

	if (ret)
		return ret;
	space = xa_load(&s->spaces, u->space_del.id);
	if (!space) {
		ret = -ENOENT;
	} else if (space->num_contexts) {
		ret = -EBUSY;
	} else {
		xa_erase(&s->spaces, u->space_del.id);
		vgsp_space_destroy(space, true);
	}
	vgsp_session_exit_lock(s);
	return ret;
}

static int vgsp_cmd_map(struct vgsp_session *s, union vgsp_cmd *u)
{
	struct vgsp_owner_map_batch *cmd = &u->map;
	struct vgsp_owner_map_op *ops;
	struct vgsp_space *space;
	size_t size;
	int ret;

	cmd->done = 0;
	if (cmd->count > VGSP_MAP_OPS_MAX)
		return -ENOSPC;
	size = cmd->count * sizeof(*ops);
	ops = kvmalloc(max_t(size_t, size, 1), GFP_KERNEL_ACCOUNT);
	if (!ops)
		return -ENOMEM;
	if (copy_from_user(ops, u64_to_user_ptr(cmd->ops), size)) {
		ret = -EFAULT;
		goto out;
	}
	ret = vgsp_session_enter(s);
	if (ret)
		goto out;
	space = xa_load(&s->spaces, cmd->space);
	ret = space ? vgsp_space_map(space, ops, cmd->count, &cmd->done) :
	      -ENOENT;
	vgsp_session_exit_lock(s);
out:
	kvfree(ops);
	return ret;
}

/* ---- ioctls: contexts ---- */

static int vgsp_cmd_context_new(struct vgsp_session *s, union vgsp_cmd *u)
{
	struct vgsp_owner_context_new *cmd = &u->context_new;
	struct vgsp_space *space;
	int ret;

	if (cmd->engine == VGSP_OWNER_ENGINE_COPY || cmd->flags)
		return -EOPNOTSUPP;
	if (cmd->engine != VGSP_OWNER_ENGINE_GR)
		return -EINVAL;
	ret = vgsp_session_enter(s);
	if (ret)
		return ret;
	space = xa_load(&s->spaces, cmd->space);
	ret = -ENOENT;
	if (space)
		ret = vgsp_core_result(vgsp_queue_context_new(s, space, cmd));
	vgsp_session_exit_lock(s);
	return ret;
}

static int vgsp_cmd_context_del(struct vgsp_session *s, union vgsp_cmd *u)
{
	struct vgsp_session_context *ctx;
	int ret = vgsp_session_enter(s);

	if (ret)
		return ret;
	ctx = xa_load(&s->contexts, u->context_del.id);
	if (ctx)
		vgsp_queue_context_del(ctx, true);
	else
		ret = -ENOENT;
	vgsp_session_exit_lock(s);
	return ret;
}

static int vgsp_cmd_context_kill(struct vgsp_session *s, union vgsp_cmd *u)
{
	struct vgsp_owner_context_kill *cmd = &u->context_kill;
	struct vgsp_session_context *ctx;
	int ret;

	if (cmd->kind > VGSP_OWNER_FAULT_LOST || cmd->reserved)
		return -EINVAL;
	ret = vgsp_session_enter(s);
	if (ret)
		return ret;
	ctx = xa_load(&s->contexts, cmd->id);
	ret = -ENOENT;
	if (ctx)
		ret = vgsp_core_result(vgsp_context_kill(ctx->hw, cmd->kind));
	vgsp_session_exit_lock(s);
	return ret;
}

static int vgsp_cmd_submit(struct vgsp_session *s, union vgsp_cmd *u)
{
	return vgsp_queue_submit(s, &u->submit);
}

static int vgsp_cmd_wait(struct vgsp_session *s, union vgsp_cmd *u)
{
	return vgsp_queue_wait(s, &u->wait);
}

/* ---- Files ---- */

struct vgsp_ioctl {
	unsigned int cmd;
	size_t size;		/* of the structure as we know it */
	int (*run)(struct vgsp_session *s, union vgsp_cmd *cmd);
};

#define IOCTL(name, fn, type) \
	[VGSP_OWNER_CMD_##name] = { \
		_IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_##name), \
		sizeof(struct type), fn }

static const struct vgsp_ioctl vgsp_ioctls[] = {
	IOCTL(INFO, vgsp_cmd_info, vgsp_owner_info),
	IOCTL(CLOCK, vgsp_cmd_clock, vgsp_owner_clock),
	IOCTL(REVOKE, vgsp_cmd_revoke, vgsp_owner_revoke),
	IOCTL(PAUSE, vgsp_cmd_pause, vgsp_owner_pause),
	IOCTL(EVENTFD, vgsp_cmd_eventfd, vgsp_owner_eventfd),
	IOCTL(MEMORY_NEW, vgsp_cmd_memory_new, vgsp_owner_memory_new),
	IOCTL(MEMORY_DEL, vgsp_cmd_memory_del, vgsp_owner_memory_del),
	IOCTL(SPACE_NEW, vgsp_cmd_space_new, vgsp_owner_space_new),
	IOCTL(SPACE_DEL, vgsp_cmd_space_del, vgsp_owner_space_del),
	IOCTL(MAP, vgsp_cmd_map, vgsp_owner_map_batch),
	IOCTL(CONTEXT_NEW, vgsp_cmd_context_new, vgsp_owner_context_new),
	IOCTL(CONTEXT_DEL, vgsp_cmd_context_del, vgsp_owner_context_del),
	IOCTL(CONTEXT_KILL, vgsp_cmd_context_kill, vgsp_owner_context_kill),
	IOCTL(SUBMIT, vgsp_cmd_submit, vgsp_owner_submit),
	IOCTL(WAIT, vgsp_cmd_wait, vgsp_owner_wait),
};

static long vgsp_session_ioctl(struct file *file, unsigned int cmd,
			       unsigned long arg)
{
	struct vgsp_session *s = file->private_data;
	void __user *user = (void __user *)arg;
	const struct vgsp_ioctl *ioctl;
	union vgsp_cmd u = { };
	u32 size;
	int ret;

	if (_IOC_NR(cmd) >= ARRAY_SIZE(vgsp_ioctls))
		return -ENOTTY;
	ioctl = &vgsp_ioctls[_IOC_NR(cmd)];
	if (!ioctl->run || ioctl->cmd != cmd)
		return -ENOTTY;
	if (READ_ONCE(s->gone))
		return -ENODEV;
	if (get_user(size, (u32 __user *)user))
		return -EFAULT;
	if (size < ioctl->size)
		return -EINVAL;
	ret = copy_struct_from_user(&u, ioctl->size, user, size);
	if (ret)
		return ret;
	ret = ioctl->run(s, &u);
	/* Also where it failed: how far a batch came. */
	if (copy_to_user((u32 __user *)user + 1, (u32 *)&u + 1,
			 ioctl->size - sizeof(u32)))
		return -EFAULT;
	return ret;
}

static int vgsp_session_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct vgsp_session *s = file->private_data;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	switch ((u64)vma->vm_pgoff << PAGE_SHIFT) {
	case VGSP_OWNER_MMAP_RING:
		return remap_vmalloc_range(vma, s->ring, 0);
	case VGSP_OWNER_MMAP_COMPLETIONS:
		if (vma->vm_flags & VM_WRITE)
			return -EACCES;
		vgsp_vma_never_write(vma);
		return remap_vmalloc_range(vma, s->completions, 0);
	default:
		return -EINVAL;
	}
}

static ssize_t vgsp_session_read(struct file *file, char __user *buf,
				 size_t count, loff_t *pos)
{
	return vgsp_event_read(file->private_data, file, buf, count);
}

static __poll_t vgsp_session_poll(struct file *file,
				  struct poll_table_struct *wait)
{
	return vgsp_event_poll(file->private_data, file, wait);
}

/* ---- Devices ---- */

struct vgsp_session_device {
	struct miscdevice misc;
	char name[24];
	struct vgsp_owner_device *od;
	struct list_head sessions;
	u32 num_sessions;
};

/* Which sessions a device has, and that none is added when it goes. */
static DEFINE_MUTEX(vgsp_sessions_lock);

static void vgsp_session_free(struct vgsp_session *s)
{
	vgsp_queue_fini(s);
	vgsp_event_fini(s);
	mutex_destroy(&s->lock);
	vgsp_owner_device_put(s->od);
	kfree(s);
}

static int vgsp_session_open(struct inode *inode, struct file *file)
{
	struct vgsp_session_device *sd =
		container_of(file->private_data, struct vgsp_session_device,
			     misc);
	struct vgsp_session *s;
	int ret;

	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return -ENOMEM;
	s->od = vgsp_owner_device_get(sd->od);
	mutex_init(&s->lock);
	xa_init_flags(&s->memories, XA_FLAGS_ALLOC1);
	xa_init_flags(&s->spaces, XA_FLAGS_ALLOC1);
	xa_init_flags(&s->contexts, XA_FLAGS_ALLOC1);
	vgsp_session_limits(s);
	ret = vgsp_event_init(s);
	if (vgsp_queue_init(s) || ret) {
		vgsp_session_free(s);
		return -ENOMEM;
	}
	mutex_lock(&vgsp_sessions_lock);
	if (sd->num_sessions >= sessions_max) {
		mutex_unlock(&vgsp_sessions_lock);
		vgsp_session_free(s);
		return -ENOSPC;
	}
	sd->num_sessions++;
	list_add(&s->link, &sd->sessions);
	mutex_unlock(&vgsp_sessions_lock);
	atomic64_inc(&s->od->stats.sessions);
	file->private_data = s;
	return nonseekable_open(inode, file);
}

/* The device's list keeps it bound until nothing of the session is left. */
static int vgsp_session_release(struct inode *inode, struct file *file)
{
	struct vgsp_session *s = file->private_data;
	struct vgsp_session_device *sd;

	mutex_lock(&s->lock);
	if (!s->gone)
		vgsp_session_clear(s);
	mutex_unlock(&s->lock);
	mutex_lock(&vgsp_sessions_lock);
	if (!s->gone) {
		sd = s->od->session_data;
		list_del(&s->link);
		sd->num_sessions--;
	}
	mutex_unlock(&vgsp_sessions_lock);
	atomic64_dec(&s->od->stats.sessions);
	vgsp_session_free(s);
	return 0;
}

static const struct file_operations vgsp_session_fops = {
	.owner = THIS_MODULE,
	.open = vgsp_session_open,
	.release = vgsp_session_release,
	.unlocked_ioctl = vgsp_session_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.mmap = vgsp_session_mmap,
	.read = vgsp_session_read,
	.poll = vgsp_session_poll,
};

int vgsp_session_device_add(struct vgsp_owner_device *od)
{
	struct vgsp_session_device *sd = kzalloc(sizeof(*sd), GFP_KERNEL);
	int ret;

	if (!sd)
		return -ENOMEM;
	snprintf(sd->name, sizeof(sd->name), "vgsp-owner%d", od->index);
	sd->od = od;
	INIT_LIST_HEAD(&sd->sessions);
	sd->misc.minor = MISC_DYNAMIC_MINOR;
	sd->misc.name = sd->name;
	sd->misc.fops = &vgsp_session_fops;
	sd->misc.parent = od->dev;
	sd->misc.mode = 0660;
	od->session_data = sd;
	ret = misc_register(&sd->misc);
	if (ret) {
		od->session_data = NULL;
		kfree(sd);
	}
	return ret;
}

void vgsp_session_device_remove(struct vgsp_owner_device *od)
{
	struct vgsp_session_device *sd = od->session_data;
	struct vgsp_session *s, *next;

	if (!sd)
		return;
	/* After this nobody is in open(). */
	misc_deregister(&sd->misc);
	mutex_lock(&vgsp_sessions_lock);
	list_for_each_entry_safe(s, next, &sd->sessions, link) {
		mutex_lock(&s->lock);
		vgsp_session_clear(s);
		WRITE_ONCE(s->gone, true);
		mutex_unlock(&s->lock);
		list_del(&s->link);
		vgsp_event_wake(s);
	}
	od->session_data = NULL;
	mutex_unlock(&vgsp_sessions_lock);
	kfree(sd);
}

int vgsp_session_init(void)
{
	return 0;
}

void vgsp_session_exit(void)
{
}
