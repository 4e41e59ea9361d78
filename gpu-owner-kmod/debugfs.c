// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/vgsp-owner/PCI-ADDRESS: the counters of a card, and how its
 * GSP-RM lies in video memory.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "owner.h"

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
}

void vgsp_owner_debugfs_remove(struct vgsp_owner_device *od)
{
	debugfs_remove(od->debugfs);
	od->debugfs = NULL;
}
