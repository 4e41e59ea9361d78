// SPDX-License-Identifier: GPL-2.0
/*
 * One card: binding and unbinding, its life and state, memory shared with it,
 * registers that belong to no other file, attributes in sysfs.
 *
 * Registers: NVIDIA/open-gpu-kernel-modules, published/turing/tu102/
 * dev_timer.h, dev_vm.h.
 */
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/genalloc.h>
#include <linux/idr.h>
#include <linux/iopoll.h>
#include <linux/slab.h>

#include "owner.h"
#include "vgsp/nv/dev_timer.h"
#include "vgsp/nv/dev_vm.h"

/* What Turing can address. */
#define VGSP_DMA_BITS		47
#define VGSP_BAR0_MIN		0x01000000
#define VGSP_INVALIDATE_US	1000000

static DEFINE_IDA(vgsp_owner_index);

static void vgsp_owner_device_free(struct kref *ref)
{
	struct vgsp_owner_device *od =
		container_of(ref, struct vgsp_owner_device, ref);

	ida_free(&vgsp_owner_index, od->index);
	mutex_destroy(&od->gsp_lock);
	mutex_destroy(&od->pramin_lock);
	kfree(od);
}

struct vgsp_owner_device *
vgsp_owner_device_get(struct vgsp_owner_device *od)
{
	kref_get(&od->ref);
	return od;
}

void vgsp_owner_device_put(struct vgsp_owner_device *od)
{
	kref_put(&od->ref, vgsp_owner_device_free);
}

int vgsp_owner_enter(struct vgsp_owner_device *od)
{
	int ret = 0;

	down_read(&od->state_lock);
	switch (od->state) {
	case VGSP_OWNER_RUNNING:
		if (!READ_ONCE(od->lost))
			return 0;
		ret = -EIO;
		break;
	case VGSP_OWNER_GONE:
		ret = -ENODEV;
		break;
	default:
		ret = -EIO;
		break;
	}
	up_read(&od->state_lock);
	return ret;
}

void vgsp_owner_exit(struct vgsp_owner_device *od)
{
	up_read(&od->state_lock);
}

void vgsp_owner_lost(struct vgsp_owner_device *od, const char *why)
{
	if (xchg(&od->lost, true))
		return;
	dev_err(od->dev, "%s: the card is lost until it is bound anew\n", why);
	/* Whatever still runs there reaches no memory any more. */
	pci_clear_master(od->pdev);
	vgsp_contexts_lost(od);
}

const char *vgsp_owner_state_name(struct vgsp_owner_device *od)
{
	if (READ_ONCE(od->lost))
		return "lost";
	switch (READ_ONCE(od->state)) {
	case VGSP_OWNER_RUNNING:
		return "running";
	case VGSP_OWNER_GONE:
		return "gone";
	default:
		return "off";
	}
}

int vgsp_dma_alloc(struct vgsp_owner_device *od, size_t size,
		   struct vgsp_dma *dma)
{
	dma->cpu = dma_alloc_coherent(od->dev, size, &dma->addr,
				      GFP_KERNEL | __GFP_NOWARN);
	dma->size = dma->cpu ? size : 0;
	return dma->cpu ? 0 : -ENOMEM;
}

void vgsp_dma_free(struct vgsp_owner_device *od, struct vgsp_dma *dma)
{
	if (dma->cpu)
		dma_free_coherent(od->dev, dma->size, dma->cpu, dma->addr);
	dma->cpu = NULL;
	dma->size = 0;
}

u64 vgsp_ptimer_ns(struct vgsp_owner_device *od)
{
	u32 hi, lo, again = vgsp_rd32(od, NV_PTIMER_TIME_1);

	/* A card that is gone reads all ones: equal at once. */
	do {
		hi = again;
		lo = vgsp_rd32(od, NV_PTIMER_TIME_0);
		again = vgsp_rd32(od, NV_PTIMER_TIME_1);
	} while (hi != again);
	return (u64)hi << 32 | lo;
}

int vgsp_tlb_invalidate(struct vgsp_owner_device *od, dma_addr_t pd)
{
	const u32 base = NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET;
	const u32 trigger = NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_TRIGGER;
	u64 frame = pd >> NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_PDB_ADDR_ALIGNMENT;
	u32 val;
	int ret;

	if (READ_ONCE(od->lost))
		return -EIO;
	mutex_lock(&od->invalidate_lock);
	vgsp_wr32(od, base + NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_PDB,
		  VGSP_SET(NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_PDB_ADDR,
			   frame) |
		  NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_PDB_APERTURE);
	vgsp_wr32(od, base + NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_UPPER_PDB,
		  frame >> 28);
	vgsp_wr32(od, base + NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE,
		  trigger | NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_ALL_VA);
	ret = readl_poll_timeout(od->regs + base +
				 NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE, val,
				 !(val & trigger), 5, VGSP_INVALIDATE_US);
	mutex_unlock(&od->invalidate_lock);
	if (ret)
		vgsp_owner_lost(od, "TLB invalidation does not end");
	return ret;
}

/* ---- sysfs ---- */

static ssize_t state_show(struct device *dev,
			  struct device_attribute *attr, char *buf)
{
	struct vgsp_owner_device *od = dev_get_drvdata(dev);

	return sysfs_emit(buf, "%s\n", vgsp_owner_state_name(od));
}

static ssize_t firmware_show(struct device *dev,
			     struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", vgsp_owner_firmware_version());
}

static DEVICE_ATTR_RO(state);
static DEVICE_ATTR_RO(firmware);

static struct attribute *vgsp_owner_attrs[] = {
	&dev_attr_state.attr,
	&dev_attr_firmware.attr,
	NULL
};

static const struct attribute_group vgsp_owner_group = {
	.name = "vgsp",
	.attrs = vgsp_owner_attrs,
};

const struct attribute_group *vgsp_owner_groups[] = {
	&vgsp_owner_group,
	NULL
};

/* ---- Binding ---- */

static struct vgsp_owner_device *vgsp_owner_device_new(struct pci_dev *pdev)
{
	struct vgsp_owner_device *od = kzalloc(sizeof(*od), GFP_KERNEL);

	if (!od)
		return NULL;
	od->index = ida_alloc(&vgsp_owner_index, GFP_KERNEL);
	if (od->index < 0) {
		kfree(od);
		return NULL;
	}
	kref_init(&od->ref);
	init_rwsem(&od->state_lock);
	mutex_init(&od->gsp_lock);
	mutex_init(&od->pramin_lock);
	mutex_init(&od->invalidate_lock);
	spin_lock_init(&od->context_lock);
	od->state = VGSP_OWNER_OFF;
	od->pdev = pdev;
	od->dev = &pdev->dev;
	return od;
}

static int vgsp_owner_pci_init(struct vgsp_owner_device *od)
{
	struct pci_dev *pdev = od->pdev;
	int ret;

	ret = pci_enable_device_mem(pdev);
	if (ret)
		return ret;
	ret = pci_request_regions(pdev, VGSP_OWNER_NAME);
	if (ret)
		goto err_disable;
	ret = dma_set_mask_and_coherent(od->dev, DMA_BIT_MASK(VGSP_DMA_BITS));
	if (ret)
		goto err_regions;
	dma_set_max_seg_size(od->dev, UINT_MAX);
	od->regs_size = pci_resource_len(pdev, 0);
	if (!(pci_resource_flags(pdev, 0) & IORESOURCE_MEM) ||
	    od->regs_size < VGSP_BAR0_MIN) {
		ret = dev_err_probe(od->dev, -ENODEV, "BAR 0 is no GPU's\n");
		goto err_regions;
	}
	od->regs = pci_iomap(pdev, 0, 0);
	if (!od->regs) {
		ret = -ENOMEM;
		goto err_regions;
	}
	pci_set_master(pdev);
	return 0;

err_regions:
	pci_release_regions(pdev);
err_disable:
	pci_disable_device(pdev);
	return ret;
}

/* A card that is lost goes back to where it was before anybody booted it. */
static void vgsp_owner_pci_reset(struct vgsp_owner_device *od)
{
	int ret;

	pci_save_state(od->pdev);
	ret = __pci_reset_function_locked(od->pdev);
	pci_restore_state(od->pdev);
	pci_clear_master(od->pdev);
	if (ret)
		dev_err(od->dev, "cannot be reset: %d\n", ret);
}

static void vgsp_owner_pci_fini(struct vgsp_owner_device *od)
{
	pci_clear_master(od->pdev);
	pci_iounmap(od->pdev, od->regs);
	od->regs = NULL;
	pci_release_regions(od->pdev);
	pci_disable_device(od->pdev);
}

int vgsp_owner_device_bind(struct pci_dev *pdev)
{
	struct vgsp_owner_device *od = vgsp_owner_device_new(pdev);
	int ret;

	if (!od)
		return -ENOMEM;
	pci_set_drvdata(pdev, od);
	ret = vgsp_owner_pci_init(od);
	if (ret)
		goto err_put;
	ret = vgsp_owner_firmware_get(od);
	if (ret)
		goto err_pci;
	ret = vgsp_owner_irq_init(od);
	if (ret)
		goto err_firmware;
	ret = vgsp_owner_boot(od);
	if (ret)
		goto err_irq;
	ret = vgsp_owner_rm_init(od);
	if (ret)
		goto err_shutdown;
	vgsp_owner_irq_enable(od);

	down_write(&od->state_lock);
	od->state = VGSP_OWNER_RUNNING;
	up_write(&od->state_lock);
	ret = vgsp_session_device_add(od);
	if (ret)
		goto err_disable;
	vgsp_owner_debugfs_add(od);
	dev_info(od->dev, "%s, GSP-RM %s, %llu MiB of video memory\n",
		 od->gsp.info.name, vgsp_owner_firmware_version(),
		 od->gsp.layout.fb_size >> 20);
	return 0;

err_disable:
	down_write(&od->state_lock);
	od->state = VGSP_OWNER_GONE;
	up_write(&od->state_lock);
	vgsp_owner_irq_disable(od);
	vgsp_owner_rm_fini(od);
err_shutdown:
	vgsp_owner_shutdown(od);
err_irq:
	vgsp_owner_irq_fini(od);
err_firmware:
	vgsp_owner_firmware_put(od);
err_pci:
	vgsp_owner_pci_fini(od);
err_put:
	pci_set_drvdata(pdev, NULL);
	vgsp_owner_device_put(od);
	return ret;
}

void vgsp_owner_device_unbind(struct pci_dev *pdev)
{
	struct vgsp_owner_device *od = pci_get_drvdata(pdev);

	if (!od)	/* shut down before */
		return;
	vgsp_owner_debugfs_remove(od);
	vgsp_session_device_remove(od);
	down_write(&od->state_lock);
	od->state = VGSP_OWNER_GONE;
	up_write(&od->state_lock);
	vgsp_owner_irq_disable(od);
	vgsp_owner_rm_fini(od);
	vgsp_owner_shutdown(od);
	vgsp_owner_irq_fini(od);
	if (READ_ONCE(od->lost))
		vgsp_owner_pci_reset(od);
	vgsp_owner_firmware_put(od);
	vgsp_owner_pci_fini(od);
	pci_set_drvdata(pdev, NULL);
	vgsp_owner_device_put(od);
}
