// SPDX-License-Identifier: GPL-2.0
/*
 * GSP-RM's objects beyond channels: what the card is and how it interrupts, the
 * driver's own client, address spaces; and the events that GSP-RM sends.
 *
 * Specified by NVIDIA's ctrl2080internal.h and g_rpc-structures.h.
 */
#include <linux/slab.h>

#include "owner.h"
#include "vgsp/nv/dev_boot.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/rm.h"

/* ---- Address spaces ---- */

int vgsp_vm_create(struct vgsp_owner_device *od, dma_addr_t pd, VgspGspVm *vm)
{
	/* Numbers of RM's clients are 20 bits. */
	int id = ida_alloc_range(&od->client_ids, 1, 0xfffff, GFP_KERNEL);
	int ret;

	if (id < 0)
		return id;
	mutex_lock(&od->gsp_lock);
	ret = vgsp_owner_gsp_result(od, "new address space",
				    vgsp_gsp_vm_new_sysmem(&od->gsp, id, pd,
							   vm));
	mutex_unlock(&od->gsp_lock);
	if (ret) {
		ida_free(&od->client_ids, id);
		memset(vm, 0, sizeof(*vm));
	}
	return ret;
}

void vgsp_vm_destroy(struct vgsp_owner_device *od, const VgspGspVm *vm)
{
	mutex_lock(&od->gsp_lock);
	vgsp_owner_gsp_result(od, "free of an address space",
			      vgsp_gsp_vm_free(&od->gsp, vm));
	mutex_unlock(&od->gsp_lock);
	ida_free(&od->client_ids, vm->client & 0xfffff);
}

/* ---- What the card is ---- */

static u32 vgsp_table_vector(const u8 *table, u32 engine, size_t field)
{
	typedef NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS Table;
	typedef NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_ENTRY Entry;
	u32 i, n = vgsp_le32(table + offsetof(Table, tableLen));

	n = min_t(u32, n, NV2080_CTRL_INTERNAL_INTR_MAX_TABLE_SIZE);
	for (i = 0; i < n; i++) {
		const u8 *e = table + offsetof(Table, table) +
			      i * sizeof(Entry);

		if (vgsp_le16(e + offsetof(Entry, engineIdx)) == engine)
			return vgsp_le32(e + field);
	}
	return NV_INTR_VECTOR_INVALID;
}

static int vgsp_rm_vectors(struct vgsp_owner_device *od)
{
	typedef NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS Table;
	typedef NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_ENTRY Entry;
	const VgspProfile *p = od->gsp.profile;
	u8 *table = kzalloc(sizeof(Table), GFP_KERNEL);
	int ret;

	if (!table)
		return -ENOMEM;
	ret = vgsp_gsp_rm_control(&od->gsp, od->gsp.info.client,
				  od->gsp.info.subdevice,
				  NV2080_CTRL_CMD_INTERNAL_INTR_GET_KERNEL_TABLE,
				  table, sizeof(Table));
	ret = vgsp_owner_gsp_result(od, "interrupt table", ret);
	if (!ret) {
		od->vectors.gsp =
			vgsp_table_vector(table, p->mc_engine->gsp,
					  offsetof(Entry, vectorStall));
		od->vectors.gr_nonstall =
			vgsp_table_vector(table, p->mc_engine->gr0,
					  offsetof(Entry, vectorNonStall));
		if (od->vectors.gsp == NV_INTR_VECTOR_INVALID) {
			dev_err(od->dev, "GSP-RM names no vector of its own\n");
			ret = -ENXIO;
		}
	}
	kfree(table);
	return ret;
}

static int vgsp_rm_read(struct vgsp_owner_device *od, const char *what,
			u32 cmd, void *params, u32 size)
{
	return vgsp_owner_gsp_result(od, what,
				     vgsp_gsp_rm_control(&od->gsp,
							 od->rm.client,
							 od->rm.subdevice, cmd,
							 params, size));
}

/* What guests are shown of the chip, so that they size things for it. */
static int vgsp_rm_chip(struct vgsp_owner_device *od)
{
	typedef NV2080_CTRL_GPU_GET_FERMI_TPC_INFO_PARAMS Tpc;
	u8 zcull[4 * NV2080_CTRL_GR_GET_ZCULL_INFO_WORDS] = { };
	struct pci_dev *pdev = od->pdev;
	VgspChip *chip = &od->chip;
	u8 word[4] = { }, tpc[sizeof(Tpc)];
	u32 i;
	int ret;

	chip->name = od->gsp.info.name;
	chip->short_name = od->gsp.info.short_name;
	chip->boot0 = vgsp_rd32(od, NV_PMC_BOOT_0);
	chip->boot42 = vgsp_rd32(od, NV_PMC_BOOT_42);
	chip->device_id = pdev->device;
	chip->subsystem_vendor_id = pdev->subsystem_vendor;
	chip->subsystem_id = pdev->subsystem_device;
	chip->revision_id = pdev->revision;
	chip->l2_size = od->gsp.info.l2_size;
	chip->fb_bus_width = od->gsp.info.fb_bus_width;
	ret = vgsp_rm_read(od, "GPCs", NV2080_CTRL_CMD_GPU_GET_FERMI_GPC_INFO,
			   word, sizeof(word));
	chip->gpc_mask = vgsp_le32(word);
	if (!ret && chip->gpc_mask >> VGSP_CHIP_MAX_GPC)
		ret = -EPROTO;
	for (i = 0; !ret && i < VGSP_CHIP_MAX_GPC; i++) {
		if (!(chip->gpc_mask & BIT(i)))
			continue;
		memset(tpc, 0, sizeof(tpc));
		vgsp_put_le32(tpc + offsetof(Tpc, gpcId), i);
		ret = vgsp_rm_read(od, "TPCs",
				   NV2080_CTRL_CMD_GPU_GET_FERMI_TPC_INFO,
				   tpc, sizeof(tpc));
		chip->tpc_mask[i] = vgsp_le32(tpc + offsetof(Tpc, tpcMask));
	}
	if (!ret)
		ret = vgsp_rm_read(od, "zcull",
				   NV2080_CTRL_CMD_GR_GET_ZCULL_INFO, zcull,
				   sizeof(zcull));
	for (i = 0; i < ARRAY_SIZE(chip->zcull); i++)
		chip->zcull[i] = vgsp_le32(zcull + 4 * i);
	return ret;
}

int vgsp_owner_rm_init(struct vgsp_owner_device *od)
{
	int ret;

	ida_init(&od->client_ids);
	od->vectors.copy_nonstall = NV_INTR_VECTOR_INVALID;
	mutex_lock(&od->gsp_lock);
	ret = vgsp_rm_vectors(od);
	mutex_unlock(&od->gsp_lock);
	if (ret)
		return ret;
	ret = vgsp_dma_alloc(od, PAGE_SIZE, &od->rm_pd);
	if (ret)
		return ret;
	ret = vgsp_vm_create(od, od->rm_pd.addr, &od->rm);
	if (ret)
		goto err_dma;
	mutex_lock(&od->gsp_lock);
	ret = vgsp_rm_chip(od);
	mutex_unlock(&od->gsp_lock);
	if (!ret)
		ret = vgsp_owner_gr_init(od);
	if (ret)
		goto err_vm;
	return 0;

err_vm:
	vgsp_vm_destroy(od, &od->rm);
err_dma:
	vgsp_dma_free(od, &od->rm_pd);
	return ret;
}

void vgsp_owner_rm_fini(struct vgsp_owner_device *od)
{
	vgsp_owner_gr_fini(od);
	if (!READ_ONCE(od->lost))
		vgsp_vm_destroy(od, &od->rm);
	vgsp_dma_free(od, &od->rm_pd);
	ida_destroy(&od->client_ids);
}

/* ---- Events ---- */

static void vgsp_event_error_log(struct vgsp_owner_device *od,
				 const u8 *payload, u32 len)
{
	typedef rpc_os_error_log_v17_00_535 Msg;
	char text[sizeof_field(Msg, errString) + 1];

	if (len < sizeof(Msg))
		return;
	memcpy(text, payload + offsetof(Msg, errString), sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	dev_err_ratelimited(od->dev, "Xid %u, channel %u: %s\n",
			    vgsp_le32(payload + offsetof(Msg, exceptType)),
			    vgsp_le32(payload + offsetof(Msg, chid)), text);
}

static void vgsp_event_rc(struct vgsp_owner_device *od, const u8 *payload,
			  u32 len)
{
	const VgspRcTriggeredLayout *l = od->gsp.profile->rc_triggered;
	struct vgsp_owner_fault fault = { .kind = VGSP_OWNER_FAULT_EXCEPTION };
	u32 type;

	if (len < l->size)
		return;
	type = vgsp_le32(payload + l->except_type);
	switch (type) {
	case ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT:
		fault.kind = VGSP_OWNER_FAULT_MMU;
		fault.valid = VGSP_OWNER_FAULT_HAS_ADDRESS |
			      VGSP_OWNER_FAULT_HAS_TYPE;
		fault.address = (u64)vgsp_le32(payload + l->fault_addr_hi)
				<< 32 | vgsp_le32(payload + l->fault_addr_lo);
		fault.type = vgsp_le32(payload + l->fault_type);
		break;
	case ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR:
		fault.kind = VGSP_OWNER_FAULT_TIMEOUT;
		break;
	default:
		fault.valid = VGSP_OWNER_FAULT_HAS_TYPE;
		fault.type = type;
		break;
	}
	vgsp_contexts_rc(od, vgsp_le32(payload + l->engine_type),
			 vgsp_le32(payload + l->chid), &fault);
}

void vgsp_owner_gsp_event(void *opaque, u32 event, const u8 *payload, u32 len)
{
	struct vgsp_owner_device *od = opaque;

	atomic64_inc(&od->stats.gsp_events);
	switch (event) {
	case NV_VGPU_MSG_EVENT_RC_TRIGGERED:
		vgsp_event_rc(od, payload, len);
		break;
	case NV_VGPU_MSG_EVENT_OS_ERROR_LOG:
		vgsp_event_error_log(od, payload, len);
		break;
	default:
		dev_dbg(od->dev, "event 0x%x, %u bytes\n", event, len);
		break;
	}
}
