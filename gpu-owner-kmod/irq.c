// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts: one MSI for the whole tree of NV_VIRTUAL_FUNCTION_PRIV_CPU_INTR.
 * The handler closes the tree and hands over to its thread, which serves what
 * is pending and opens the tree again; what came meanwhile interrupts then.
 *
 * Specified by NVIDIA's dev_vm.h and nouveau's nvkm/subdev/vfn/tu102.c.
 */
#include <linux/interrupt.h>

#include "owner.h"
#include "vgsp/nv/dev_boot.h"
#include "vgsp/nv/dev_falcon.h"
#include "vgsp/nv/dev_nv_xve.h"
#include "vgsp/nv/dev_vm.h"
#include "vgsp/nv/rm.h"

#define VF(reg) \
	(NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET + NV_VIRTUAL_FUNCTION_PRIV_##reg)
#define VGSP_LEAFS	NV_VIRTUAL_FUNCTION_PRIV_CPU_INTR_LEAF__SIZE_1
#define VGSP_SUBTREES \
	GENMASK(NV_VIRTUAL_FUNCTION_PRIV_CPU_INTR_TOP_SUBTREES - 1, 0)
#define PGSP(reg)	(NV_PGSP_FALCON_BASE + (reg))

static bool vgsp_vector_pending(const u32 *leaf, u32 vector)
{
	return vector < VGSP_LEAFS * 32 &&
	       leaf[vector / 32] & BIT(vector % 32);
}

static void vgsp_vector_use(struct vgsp_owner_device *od, u32 vector)
{
	if (vector < VGSP_LEAFS * 32)
		od->leaf_mask[vector / 32] |= BIT(vector % 32);
}

static void vgsp_irq_gsp(struct vgsp_owner_device *od)
{
	u32 stat = vgsp_rd32(od, PGSP(NV_PFALCON_FALCON_IRQSTAT)) &
		   vgsp_rd32(od, PGSP(NV_PRISCV_RISCV_IRQMASK));
	u32 other = stat & ~(u32)NV_PFALCON_FALCON_IRQSTAT_SWGEN0;

	vgsp_wr32(od, PGSP(NV_PFALCON_FALCON_IRQSCLR), stat);
	if (other) {
		dev_err_ratelimited(od->dev, "GSP: interrupts 0x%x\n", other);
		vgsp_wr32(od, PGSP(NV_PFALCON_FALCON_IRQMCLR), other);
		if (other & NV_PFALCON_FALCON_IRQSTAT_HALT)
			vgsp_owner_lost(od, "GSP halted");
	}
	/* Its messages are looked for even where nothing is said to wait. */
	mutex_lock(&od->gsp_lock);
	if (od->gsp.phase == VGSP_GSP_RUNNING)
		vgsp_owner_gsp_result(od, "messages of GSP-RM",
				      vgsp_gsp_poll(&od->gsp));
	mutex_unlock(&od->gsp_lock);
}

static irqreturn_t vgsp_owner_irq(int irq, void *data)
{
	struct vgsp_owner_device *od = data;

	vgsp_wr32(od, VF(CPU_INTR_TOP_EN_CLEAR(0)), VGSP_SUBTREES);
	vgsp_wr32(od, NV_PCFG_BASE + NV_XVE_CYA_2, 0);
	return IRQ_WAKE_THREAD;
}

static irqreturn_t vgsp_owner_irq_thread(int irq, void *data)
{
	struct vgsp_owner_device *od = data;
	u32 leaf[VGSP_LEAFS], any = 0;
	int i;

	for (i = 0; i < VGSP_LEAFS; i++) {
		leaf[i] = od->leaf_mask[i] ?
			vgsp_rd32(od, VF(CPU_INTR_LEAF(i))) : 0;
		if (leaf[i] == U32_MAX &&
		    vgsp_rd32(od, NV_PMC_BOOT_0) == U32_MAX) {
			vgsp_owner_lost(od, "nobody answers on the bus");
			return IRQ_HANDLED;
		}
		leaf[i] &= od->leaf_mask[i];
		/* Before the cause is looked at: what follows counts again. */
		if (leaf[i])
			vgsp_wr32(od, VF(CPU_INTR_LEAF(i)), leaf[i]);
		any |= leaf[i];
	}
	if (any)
		atomic64_inc(&od->stats.interrupts);
	if (vgsp_vector_pending(leaf, od->vectors.gr_nonstall))
		vgsp_contexts_nonstall(od);
	if (vgsp_vector_pending(leaf, od->vectors.gsp))
		vgsp_irq_gsp(od);
	vgsp_wr32(od, VF(CPU_INTR_TOP_EN_SET(0)), VGSP_SUBTREES);
	return IRQ_HANDLED;
}

static void vgsp_irq_mask(struct vgsp_owner_device *od)
{
	int i;

	vgsp_wr32(od, VF(CPU_INTR_TOP_EN_CLEAR(0)), VGSP_SUBTREES);
	for (i = 0; i < VGSP_LEAFS; i++)
		vgsp_wr32(od, VF(CPU_INTR_LEAF_EN_CLEAR(i)), U32_MAX);
}

int vgsp_owner_irq_init(struct vgsp_owner_device *od)
{
	int ret;

	vgsp_irq_mask(od);
	ret = pci_alloc_irq_vectors(od->pdev, 1, 1, PCI_IRQ_MSI);
	if (ret < 0) {
		dev_err(od->dev, "no MSI: %d\n", ret);
		return ret;
	}
	od->irq = pci_irq_vector(od->pdev, 0);
	ret = request_threaded_irq(od->irq, vgsp_owner_irq,
				   vgsp_owner_irq_thread, 0, VGSP_OWNER_NAME,
				   od);
	if (ret)
		pci_free_irq_vectors(od->pdev);
	return ret;
}

void vgsp_owner_irq_enable(struct vgsp_owner_device *od)
{
	int i;

	memset(od->leaf_mask, 0, sizeof(od->leaf_mask));
	vgsp_vector_use(od, od->vectors.gsp);
	vgsp_vector_use(od, od->vectors.gr_nonstall);
	vgsp_vector_use(od, od->vectors.copy_nonstall);
	for (i = 0; i < VGSP_LEAFS; i++) {
		vgsp_wr32(od, VF(CPU_INTR_LEAF(i)), od->leaf_mask[i]);
		vgsp_wr32(od, VF(CPU_INTR_LEAF_EN_SET(i)), od->leaf_mask[i]);
	}
	vgsp_wr32(od, NV_PCFG_BASE + NV_XVE_CYA_2, 0);
	vgsp_wr32(od, VF(CPU_INTR_TOP_EN_SET(0)), VGSP_SUBTREES);
	/* A message may have come before its vector was enabled. */
	vgsp_irq_gsp(od);
}

void vgsp_owner_irq_disable(struct vgsp_owner_device *od)
{
	vgsp_irq_mask(od);
	synchronize_irq(od->irq);
	/* The thread may have opened the tree once more. */
	vgsp_irq_mask(od);
}

void vgsp_owner_irq_fini(struct vgsp_owner_device *od)
{
	vgsp_irq_mask(od);
	free_irq(od->irq, od);
	vgsp_irq_mask(od);
	pci_free_irq_vectors(od->pdev);
}
