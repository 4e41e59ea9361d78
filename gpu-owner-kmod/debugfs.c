// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/vgsp-owner/PCI-ADDRESS: the counters of a card, how its
 * GSP-RM lies in video memory, and a test of the way to it and back.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "session.h"

static struct dentry *vgsp_owner_root;

static int vgsp_stats_show(struct seq_file *m, void *unused)
{
	struct vgsp_owner_device *od = m->private;
	struct vgsp_owner_stats *s = &od->stats;
#define STAT(name) \
	seq_printf(m, #name " %lld\n", (long long)atomic64_read(&s->name))

	seq_printf(m, "state %s\n", vgsp_owner_state_name(od));
	STAT(sessions);
	STAT(contexts);
	STAT(pinned_pages);
	STAT(table_pages);
	STAT(sections);
	STAT(completed);
	STAT(refused);
	STAT(faults);
	STAT(interrupts);
	STAT(gsp_events);
	STAT(waits_spun);
	STAT(waits_slept);
#undef STAT
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vgsp_stats);

static int vgsp_layout_show(struct seq_file *m, void *unused)
{
	struct vgsp_owner_device *od = m->private;
	const VgspGspLayout *l = &od->gsp.layout;

	seq_printf(m, "firmware %s\n", vgsp_owner_firmware_version());
	seq_printf(m, "fb_size 0x%llx\n", l->fb_size);
	seq_printf(m, "vga_workspace 0x%llx\n", l->vga_workspace);
	seq_printf(m, "frts 0x%llx\n", l->frts);
	seq_printf(m, "bootloader 0x%llx\n", l->bootloader);
	seq_printf(m, "elf 0x%llx\n", l->elf);
	seq_printf(m, "heap 0x%llx size 0x%llx\n", l->heap, l->heap_size);
	seq_printf(m, "wpr 0x%llx\n", l->wpr);
	seq_printf(m, "usable 0x%llx to 0x%llx\n", od->gsp.info.usable_base,
		   od->gsp.info.usable_limit);
	seq_printf(m, "vectors gsp %u gr %u copy %u\n", od->vectors.gsp,
		   od->vectors.gr_nonstall, od->vectors.copy_nonstall);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vgsp_layout);

/* ---- A test of the card: reading "selftest" runs it ---- */

#define SELFTEST_SECTIONS	64
#define SELFTEST_TIMEOUT	(5 * HZ)

struct vgsp_selftest {
	struct completion done;
	u64 last;
	u64 retired;
	bool fault;
};

static void vgsp_selftest_completed(void *priv, u64 seq)
{
	struct vgsp_selftest *t = priv;

	t->retired = seq;
	if (seq >= READ_ONCE(t->last))
		complete(&t->done);
}

static void vgsp_selftest_fault(void *priv,
				const struct vgsp_owner_fault *fault)
{
	struct vgsp_selftest *t = priv;

	t->fault = true;
	complete(&t->done);
}

static const struct vgsp_context_ops vgsp_selftest_ops = {
	.completed = vgsp_selftest_completed,
	.fault = vgsp_selftest_fault,
};

/* count empty sections at once; how long until the last has retired, ns. */
static int vgsp_selftest_run(struct vgsp_context *ctx, struct vgsp_selftest *t,
			     u32 count, u64 *ns)
{
	u64 start = ktime_get_ns();
	u32 i;
	int ret;

	reinit_completion(&t->done);
	WRITE_ONCE(t->last, t->last + count);
	for (i = 1; i <= count; i++) {
		ret = vgsp_context_submit(ctx, NULL, 0, t->last - count + i);
		if (ret)
			return ret;
	}
	if (!wait_for_completion_timeout(&t->done, SELFTEST_TIMEOUT))
		return -ETIMEDOUT;
	*ns = ktime_get_ns() - start;
	return t->fault ? -EIO : 0;
}

static int vgsp_selftest_show(struct seq_file *m, void *unused)
{
	struct vgsp_owner_device *od = m->private;
	struct vgsp_selftest t = { };
	struct vgsp_context *ctx;
	struct vgsp_space *space;
	u64 create, one, batch, start;
	int ret;

	init_completion(&t.done);
	ret = vgsp_owner_enter(od);
	if (ret)
		return ret;
	start = ktime_get_ns();
	ret = vgsp_space_create(od, NULL, VGSP_WINDOW_DEFAULT, &space);
	if (ret)
		goto out;
	ret = vgsp_context_create(od, space, VGSP_OWNER_ENGINE_GR, 1000,
				  &vgsp_selftest_ops, &t, &ctx);
	if (ret)
		goto out_space;
	create = ktime_get_ns() - start;
	/* The first one also finds the engine's context. */
	ret = vgsp_selftest_run(ctx, &t, 1, &one);
	if (!ret)
		ret = vgsp_selftest_run(ctx, &t, 1, &one);
	if (!ret)
		ret = vgsp_selftest_run(ctx, &t, SELFTEST_SECTIONS, &batch);
	if (!ret)
		seq_printf(m, "create_ns %llu\none_ns %llu\nbatch%u_ns %llu\n",
			   create, one, SELFTEST_SECTIONS, batch);
	vgsp_context_destroy(ctx);
out_space:
	vgsp_space_destroy(space, true);
out:
	vgsp_owner_exit(od);
	return ret;
}
DEFINE_SHOW_ATTRIBUTE(vgsp_selftest);

void vgsp_owner_debugfs_init(void)
{
	vgsp_owner_root = debugfs_create_dir(VGSP_OWNER_NAME, NULL);
}

void vgsp_owner_debugfs_exit(void)
{
	debugfs_remove(vgsp_owner_root);
}

void vgsp_owner_debugfs_add(struct vgsp_owner_device *od)
{
	od->debugfs = debugfs_create_dir(pci_name(od->pdev), vgsp_owner_root);
	debugfs_create_file("stats", 0444, od->debugfs, od, &vgsp_stats_fops);
	debugfs_create_file("layout", 0444, od->debugfs, od,
			    &vgsp_layout_fops);
	debugfs_create_file("selftest", 0400, od->debugfs, od,
			    &vgsp_selftest_fops);
}

void vgsp_owner_debugfs_remove(struct vgsp_owner_device *od)
{
	debugfs_remove(od->debugfs);
	od->debugfs = NULL;
}
