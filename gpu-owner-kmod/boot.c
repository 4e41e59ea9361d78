// SPDX-License-Identifier: GPL-2.0
/*
 * GSP-RM's boot and end: the distribution's firmware files taken apart, and
 * common/gsp given what it needs of the kernel.
 *
 * The files' formats are those of linux-firmware's nvidia/tu10x: a BINDATA
 * header (nouveau's nvfw/fw.h, hs.h), RM_RISCV_UCODE_DESC of NVIDIA's
 * rmRiscvUcode.h, and ELF.
 */
#include <linux/delay.h>
#include <linux/elf.h>
#include <linux/firmware.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "owner.h"
#include "vgsp/nv/dev_boot.h"
#include "vgsp/nv/dev_ext_devices.h"
#include "vgsp/nv/dev_nv_xve.h"

#define VGSP_FIRMWARE_VERSION	"570.144"
#define VGSP_SIGNATURE_SECTION	".fwsignature_tu10x"
/* Room for a message of GSP-RM with its continuations. */
#define VGSP_MESSAGE_SIZE	SZ_128K

#define BINDATA_MAGIC		0x10de
#define BINDATA_HEADER_OFFSET	12
#define BINDATA_DATA_OFFSET	16
#define BINDATA_DATA_SIZE	20
#define BINDATA_SIZE		24

/* nvfw_bl_desc */
#define BL_DESC_START_TAG	0
#define BL_DESC_CODE_OFF	8
#define BL_DESC_CODE_SIZE	12
#define BL_DESC_SIZE		24

/* nvfw_hs_header_v2 */
#define HS_SIG_PROD_OFFSET	0
#define HS_SIG_PROD_SIZE	4
#define HS_PATCH_LOC		8
#define HS_PATCH_SIG		12
#define HS_NUM_SIG		24
#define HS_HEADER_OFFSET	28
#define HS_SIZE			36

/* nvfw_hs_load_header_v2, and its first application */
#define HS_LOAD_OS_CODE_OFFSET	0
#define HS_LOAD_OS_CODE_SIZE	4
#define HS_LOAD_OS_DATA_OFFSET	8
#define HS_LOAD_OS_DATA_SIZE	12
#define HS_LOAD_NUM_APPS	16
#define HS_LOAD_APP0_OFFSET	20
#define HS_LOAD_APP0_SIZE	24
#define HS_LOAD_SIZE		36

/* RM_RISCV_UCODE_DESC */
#define RISCV_APP_VERSION	28
#define RISCV_MANIFEST_OFFSET	32
#define RISCV_DATA_OFFSET	40
#define RISCV_CODE_OFFSET	48
#define RISCV_SIZE		56

enum {
	FW_GSP,
	FW_BOOTLOADER,
	FW_BOOTER_LOAD,
	FW_BOOTER_UNLOAD,
	FW_ACR_BL,
	FW_COUNT
};

static const char *const vgsp_firmware_names[FW_COUNT] = {
	[FW_GSP] = "gsp/gsp-" VGSP_FIRMWARE_VERSION,
	[FW_BOOTLOADER] = "gsp/bootloader-" VGSP_FIRMWARE_VERSION,
	[FW_BOOTER_LOAD] = "gsp/booter_load-" VGSP_FIRMWARE_VERSION,
	[FW_BOOTER_UNLOAD] = "gsp/booter_unload-" VGSP_FIRMWARE_VERSION,
	[FW_ACR_BL] = "acr/bl",
};

struct vgsp_owner_firmware {
	const struct firmware *file[FW_COUNT];
	void *booter[2];	/* images with their signatures */
	VgspGspFirmware gsp;
};

const char *vgsp_owner_firmware_version(void)
{
	return VGSP_FIRMWARE_VERSION;
}

/* ---- Files ---- */

static u32 blob_word(const VgspGspBlob *b, u32 offset)
{
	return vgsp_le32(b->data + offset);
}

/* size bytes at offset of b, both from the file: checked. */
static bool blob_part(const VgspGspBlob *b, u64 offset, u64 size,
		      VgspGspBlob *part)
{
	if (!size || !vgsp_range_ok(offset, size, b->size))
		return false;
	part->data = b->data + offset;
	part->size = size;
	return true;
}

/* The header that follows BINDATA's (header_size bytes), and the data. */
static bool blob_bindata(const struct firmware *fw, u32 header_size,
			 VgspGspBlob *file, VgspGspBlob *header,
			 VgspGspBlob *data)
{
	if (fw->size > U32_MAX)
		return false;
	file->data = fw->data;
	file->size = fw->size;
	return file->size >= BINDATA_SIZE &&
	       blob_word(file, 0) == BINDATA_MAGIC &&
	       blob_part(file, blob_word(file, BINDATA_HEADER_OFFSET),
			 header_size, header) &&
	       blob_part(file, blob_word(file, BINDATA_DATA_OFFSET),
			 blob_word(file, BINDATA_DATA_SIZE), data);
}

static int vgsp_parse_gsp_section(const VgspGspBlob *elf, const char *name,
				  VgspGspBlob *section)
{
	VgspGspBlob ehdr, shdrs, names, shdr;
	u32 i, count, index, size = sizeof(Elf64_Shdr);

	if (!blob_part(elf, 0, sizeof(Elf64_Ehdr), &ehdr) ||
	    memcmp(ehdr.data, ELFMAG, SELFMAG) ||
	    ehdr.data[EI_CLASS] != ELFCLASS64 ||
	    vgsp_le16(ehdr.data + offsetof(Elf64_Ehdr, e_shentsize)) != size)
		return -EINVAL;
	count = vgsp_le16(ehdr.data + offsetof(Elf64_Ehdr, e_shnum));
	index = vgsp_le16(ehdr.data + offsetof(Elf64_Ehdr, e_shstrndx));
	if (!blob_part(elf, vgsp_le64(ehdr.data + offsetof(Elf64_Ehdr, e_shoff)),
		       count * size, &shdrs) || index >= count)
		return -EINVAL;
#define SHDR(field) (shdr.data + offsetof(Elf64_Shdr, field))
	shdr.data = shdrs.data + index * size;
	if (!blob_part(elf, vgsp_le64(SHDR(sh_offset)), vgsp_le64(SHDR(sh_size)),
		       &names))
		return -EINVAL;
	for (i = 0; i < count; i++) {
		VgspGspBlob n;

		shdr.data = shdrs.data + i * size;
		if (!blob_part(&names, vgsp_le32(SHDR(sh_name)),
			       strlen(name) + 1, &n) ||
		    memcmp(n.data, name, n.size))
			continue;
		return blob_part(elf, vgsp_le64(SHDR(sh_offset)),
				 vgsp_le64(SHDR(sh_size)), section) ?
			0 : -EINVAL;
	}
#undef SHDR
	return -ENOENT;
}

static int vgsp_parse_gsp(struct vgsp_owner_firmware *fw)
{
	const struct firmware *file = fw->file[FW_GSP];
	VgspGspBlob elf = { .data = file->data, .size = file->size };
	int ret;

	if (file->size > U32_MAX)
		return -EINVAL;
	ret = vgsp_parse_gsp_section(&elf, ".fwimage", &fw->gsp.image);
	return ret ?: vgsp_parse_gsp_section(&elf, VGSP_SIGNATURE_SECTION,
					     &fw->gsp.signature);
}

static int vgsp_parse_bootloader(struct vgsp_owner_firmware *fw)
{
	VgspGspBlob file, desc;

	if (!blob_bindata(fw->file[FW_BOOTLOADER], RISCV_SIZE, &file, &desc,
			  &fw->gsp.bootloader))
		return -EINVAL;
	fw->gsp.app_version = blob_word(&desc, RISCV_APP_VERSION);
	fw->gsp.bootloader_manifest = blob_word(&desc, RISCV_MANIFEST_OFFSET);
	fw->gsp.bootloader_data = blob_word(&desc, RISCV_DATA_OFFSET);
	fw->gsp.bootloader_code = blob_word(&desc, RISCV_CODE_OFFSET);
	return 0;
}

static int vgsp_parse_booter(struct vgsp_owner_firmware *fw, int which,
			     VgspGspBooter *booter)
{
	void **image = &fw->booter[which - FW_BOOTER_LOAD];
	VgspGspBlob file, hs, data, word, load, sig;
	u32 loc, offset, count;

	if (!blob_bindata(fw->file[which], HS_SIZE, &file, &hs, &data) ||
	    !blob_part(&file, blob_word(&hs, HS_HEADER_OFFSET), HS_LOAD_SIZE,
		       &load) || !blob_word(&load, HS_LOAD_NUM_APPS))
		return -EINVAL;

	/* Where in the data the signature belongs, and where it is now. */
	if (!blob_part(&file, blob_word(&hs, HS_PATCH_LOC), 4, &word))
		return -EINVAL;
	loc = blob_word(&word, 0);
	if (!blob_part(&file, blob_word(&hs, HS_PATCH_SIG), 4, &word))
		return -EINVAL;
	offset = blob_word(&word, 0);
	if (!blob_part(&file, blob_word(&hs, HS_NUM_SIG), 4, &word))
		return -EINVAL;
	count = blob_word(&word, 0);
	if (!count ||
	    !blob_part(&file, (u64)blob_word(&hs, HS_SIG_PROD_OFFSET) + offset,
		       blob_word(&hs, HS_SIG_PROD_SIZE) / count, &sig) ||
	    !vgsp_range_ok(loc, sig.size, data.size))
		return -EINVAL;

	*image = kvmalloc(data.size, GFP_KERNEL);
	if (!*image)
		return -ENOMEM;
	memcpy(*image, data.data, data.size);
	memcpy(*image + loc, sig.data, sig.size);
	*booter = (VgspGspBooter) {
		.image = { .data = *image, .size = data.size },
		.code_imem = blob_word(&load, HS_LOAD_OS_CODE_OFFSET),
		.code_size = blob_word(&load, HS_LOAD_OS_CODE_SIZE),
		.secure_imem = blob_word(&load, HS_LOAD_APP0_OFFSET),
		.secure_size = blob_word(&load, HS_LOAD_APP0_SIZE),
		.data_offset = blob_word(&load, HS_LOAD_OS_DATA_OFFSET),
		.data_size = blob_word(&load, HS_LOAD_OS_DATA_SIZE),
	};
	return 0;
}

static int vgsp_parse_fwsec_loader(struct vgsp_owner_firmware *fw)
{
	VgspGspBlob file, desc, data;

	if (!blob_bindata(fw->file[FW_ACR_BL], BL_DESC_SIZE, &file, &desc,
			  &data) ||
	    !blob_part(&data, blob_word(&desc, BL_DESC_CODE_OFF),
		       blob_word(&desc, BL_DESC_CODE_SIZE),
		       &fw->gsp.fwsec_loader))
		return -EINVAL;
	fw->gsp.fwsec_loader_tag = blob_word(&desc, BL_DESC_START_TAG);
	return 0;
}

static int vgsp_firmware_parse(struct vgsp_owner_firmware *fw, int *which)
{
	int ret;

	*which = FW_GSP;
	ret = vgsp_parse_gsp(fw);
	if (ret)
		return ret;
	*which = FW_BOOTLOADER;
	ret = vgsp_parse_bootloader(fw);
	if (ret)
		return ret;
	*which = FW_BOOTER_LOAD;
	ret = vgsp_parse_booter(fw, FW_BOOTER_LOAD, &fw->gsp.booter_load);
	if (ret)
		return ret;
	*which = FW_BOOTER_UNLOAD;
	ret = vgsp_parse_booter(fw, FW_BOOTER_UNLOAD, &fw->gsp.booter_unload);
	if (ret)
		return ret;
	*which = FW_ACR_BL;
	return vgsp_parse_fwsec_loader(fw);
}

/* The directory of a chip's firmware, by BOOT_0. */
static const char *vgsp_firmware_chip(struct vgsp_owner_device *od)
{
	switch (vgsp_rd32(od, NV_PMC_BOOT_0) >> 20 & 0x1ff) {
	case 0x162:
		return "tu102";
	case 0x164:
		return "tu104";
	case 0x166:
		return "tu106";
	default:
		return NULL;
	}
}

int vgsp_owner_firmware_get(struct vgsp_owner_device *od)
{
	const char *chip = vgsp_firmware_chip(od);
	char name[64];
	int i, ret;

	if (!chip) {
		dev_err(od->dev, "not a TU10x, BOOT_0 is 0x%08x\n",
			vgsp_rd32(od, NV_PMC_BOOT_0));
		return -ENODEV;
	}
	od->fw = kzalloc(sizeof(*od->fw), GFP_KERNEL);
	if (!od->fw)
		return -ENOMEM;
	for (i = 0; i < FW_COUNT; i++) {
		snprintf(name, sizeof(name), "nvidia/%s/%s.bin", chip,
			 vgsp_firmware_names[i]);
		ret = request_firmware(&od->fw->file[i], name, od->dev);
		if (ret)
			goto err;
	}
	ret = vgsp_firmware_parse(od->fw, &i);
	if (!ret)
		return 0;
	dev_err(od->dev, "nvidia/%s/%s.bin is malformed\n", chip,
		vgsp_firmware_names[i]);
err:
	vgsp_owner_firmware_put(od);
	return ret;
}

void vgsp_owner_firmware_put(struct vgsp_owner_device *od)
{
	int i;

	if (!od->fw)
		return;
	for (i = 0; i < FW_COUNT; i++)
		release_firmware(od->fw->file[i]);
	kvfree(od->fw->booter[0]);
	kvfree(od->fw->booter[1]);
	kfree(od->fw);
	od->fw = NULL;
}

/* ---- What common/gsp asks of the kernel ---- */

static uint32_t vgsp_op_read32(void *opaque, uint32_t reg)
{
	return vgsp_rd32(opaque, reg);
}

static void vgsp_op_write32(void *opaque, uint32_t reg, uint32_t val)
{
	vgsp_wr32(opaque, reg, val);
}

/*
 * One piece, or pieces of 64 KiB: memory that need not be contiguous (GSP-RM's
 * image has 28 MiB) comes from a fragmented machine too.
 */
#define VGSP_CHUNK	SZ_64K

struct vgsp_chunks {
	u32 count, chunk;
	struct vgsp_dma dma[];
};

static void vgsp_op_dma_free(void *opaque, VgspGspMem *mem)
{
	struct vgsp_chunks *c = mem->handle;
	u32 i;

	for (i = 0; i < c->count; i++)
		vgsp_dma_free(opaque, &c->dma[i]);
	kvfree(c);
}

static int vgsp_op_dma_alloc(void *opaque, uint64_t size, bool contiguous,
			     VgspGspMem *mem)
{
	u32 i, count = contiguous ? 1 : DIV_ROUND_UP_ULL(size, VGSP_CHUNK);
	struct vgsp_chunks *c;

	if (!size || size > SZ_128M)
		return -EINVAL;
	c = kvzalloc(struct_size(c, dma, count), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	c->count = count;
	c->chunk = contiguous ? size : VGSP_CHUNK;
	mem->handle = c;
	for (i = 0; i < count; i++) {
		if (vgsp_dma_alloc(opaque, c->chunk, &c->dma[i])) {
			vgsp_op_dma_free(opaque, mem);
			return -ENOMEM;
		}
	}
	return 0;
}

static uint64_t vgsp_op_dma_addr(void *opaque, const VgspGspMem *mem,
				 uint64_t offset)
{
	const struct vgsp_chunks *c = mem->handle;
	u32 i = div_u64(offset, c->chunk);

	return c->dma[i].addr + (offset - (u64)i * c->chunk);
}

static int vgsp_op_dma_access(const VgspGspMem *mem, uint64_t offset,
			      void *rbuf, const void *wbuf, uint32_t len)
{
	const struct vgsp_chunks *c = mem->handle;

	if (!vgsp_range_ok(offset, len, mem->size))
		return -EINVAL;
	while (len) {
		u32 i = div_u64(offset, c->chunk);
		u32 in = offset - (u64)i * c->chunk;
		u32 n = min(len, c->chunk - in);

		/* The GPU writes here too: not older than what led here. */
		mb();
		if (rbuf) {
			memcpy(rbuf, c->dma[i].cpu + in, n);
			rbuf += n;
		} else {
			memcpy(c->dma[i].cpu + in, wbuf, n);
			wbuf += n;
		}
		/* The GPU reads here: before what tells it to. */
		mb();
		offset += n;
		len -= n;
	}
	return 0;
}

static int vgsp_op_dma_read(void *opaque, const VgspGspMem *mem,
			    uint64_t offset, void *buf, uint32_t len)
{
	return vgsp_op_dma_access(mem, offset, buf, NULL, len);
}

static int vgsp_op_dma_write(void *opaque, const VgspGspMem *mem,
			     uint64_t offset, const void *buf, uint32_t len)
{
	return vgsp_op_dma_access(mem, offset, NULL, buf, len);
}

static void vgsp_op_delay_us(void *opaque, uint32_t us)
{
	usleep_range(us, us + max(us / 4, 5u));
}

static void vgsp_op_log(void *opaque, const char *what, uint64_t value)
{
	struct vgsp_owner_device *od = opaque;

	dev_warn_ratelimited(od->dev, "GSP: %s: 0x%llx\n", what, value);
}

static const VgspGspOps vgsp_gsp_ops = {
	.read32 = vgsp_op_read32,
	.write32 = vgsp_op_write32,
	.dma_alloc = vgsp_op_dma_alloc,
	.dma_free = vgsp_op_dma_free,
	.dma_addr = vgsp_op_dma_addr,
	.dma_read = vgsp_op_dma_read,
	.dma_write = vgsp_op_dma_write,
	.delay_us = vgsp_op_delay_us,
	.log = vgsp_op_log,
};

int vgsp_owner_gsp_result(struct vgsp_owner_device *od, const char *what,
			  int ret)
{
	if (!ret || READ_ONCE(od->lost))
		return ret;
	if (ret == VGSP_GSP_EREMOTEIO)
		dev_err_ratelimited(od->dev, "%s: GSP-RM says 0x%x/0x%x\n",
				    what, od->gsp.rpc_result,
				    od->gsp.rm_status);
	else
		dev_err_ratelimited(od->dev, "%s: %d\n", what, ret);
	/* It does not answer, or not in its own language: asked no more. */
	if (ret == VGSP_GSP_ETIMEDOUT || ret == VGSP_GSP_EPROTO) {
		vgsp_owner_lost(od, "no answer of GSP-RM");
		od->gsp.phase = VGSP_GSP_OFF;
	}
	return ret;
}

/* ---- Boot and end ---- */

static const VgspProfile *vgsp_profile(void)
{
	int i;

	for (i = 0; vgsp_profiles[i]; i++)
		if (!strcmp(vgsp_profiles[i]->name, VGSP_FIRMWARE_VERSION))
			return vgsp_profiles[i];
	return NULL;
}

static void vgsp_gsp_client_fini(struct vgsp_owner_device *od)
{
	kvfree(od->gsp.rom);
	kvfree(od->gsp.tx);
	kvfree(od->gsp.rx);
	od->gsp.rom = NULL;
	od->gsp.tx = NULL;
	od->gsp.rx = NULL;
}

static int vgsp_gsp_client_init(struct vgsp_owner_device *od)
{
	struct pci_dev *pdev = od->pdev;

	memset(&od->gsp, 0, sizeof(od->gsp));
	od->gsp.ops = &vgsp_gsp_ops;
	od->gsp.opaque = od;
	od->gsp.profile = vgsp_profile();
	od->gsp.fw = &od->fw->gsp;
	od->gsp.system = (VgspGspSystem) {
		.bar0 = pci_resource_start(pdev, 0),
		.bar1 = pci_resource_start(pdev, 1),
		.bar2 = pci_resource_start(pdev, 3),
		.bdf = (u64)pci_domain_nr(pdev->bus) << 16 | pci_dev_id(pdev),
		.max_user_va = TASK_SIZE_MAX,
		.pci_id = pdev->device << 16 | pdev->vendor,
		.pci_subsystem = pdev->subsystem_device << 16 |
				 pdev->subsystem_vendor,
		.pci_revision = pdev->revision,
	};
	od->gsp.rom_size = NV_PROM_SIZE;
	od->gsp.tx_size = VGSP_MESSAGE_SIZE;
	od->gsp.rx_size = VGSP_MESSAGE_SIZE;
	od->gsp.rom = kvzalloc(od->gsp.rom_size, GFP_KERNEL);
	od->gsp.tx = kvzalloc(od->gsp.tx_size, GFP_KERNEL);
	od->gsp.rx = kvzalloc(od->gsp.rx_size, GFP_KERNEL);
	od->gsp.event = vgsp_owner_gsp_event;
	od->gsp.event_opaque = od;
	if (!od->gsp.profile || !od->gsp.rom || !od->gsp.tx || !od->gsp.rx) {
		vgsp_gsp_client_fini(od);
		return -ENOMEM;
	}
	return 0;
}

/* The ROM's window shows the ROM, or its copy in video memory. */
static void vgsp_rom_shadow(struct vgsp_owner_device *od, bool shadow)
{
	u32 val = vgsp_rd32(od, NV_PCFG_BASE + NV_XVE_ROM_CTRL);

	val &= ~(u32)NV_XVE_ROM_CTRL_ROM_SHADOW;
	if (shadow)
		val |= NV_XVE_ROM_CTRL_ROM_SHADOW;
	vgsp_wr32(od, NV_PCFG_BASE + NV_XVE_ROM_CTRL, val);
}

int vgsp_owner_boot(struct vgsp_owner_device *od)
{
	int ret;

	ret = vgsp_gsp_client_init(od);
	if (ret)
		return ret;
	mutex_lock(&od->gsp_lock);
	vgsp_rom_shadow(od, false);
	ret = vgsp_gsp_boot(&od->gsp);
	vgsp_rom_shadow(od, true);
	mutex_unlock(&od->gsp_lock);
	if (ret) {
		dev_err(od->dev,
			"GSP-RM does not boot: %d, mailboxes 0x%x 0x%x\n", ret,
			od->gsp.mailbox[0], od->gsp.mailbox[1]);
		vgsp_gsp_client_fini(od);
		return ret;
	}
	/* Its 28 MiB are where GSP-RM reads them; the rest serves to end it. */
	release_firmware(od->fw->file[FW_GSP]);
	od->fw->file[FW_GSP] = NULL;
	od->fw->gsp.image.data = NULL;
	od->fw->gsp.signature.data = NULL;
	return 0;
}

void vgsp_owner_shutdown(struct vgsp_owner_device *od)
{
	int ret = 0;

	mutex_lock(&od->gsp_lock);
	if (READ_ONCE(od->lost))
		vgsp_gsp_forget(&od->gsp);
	else
		ret = vgsp_gsp_unload(&od->gsp);
	mutex_unlock(&od->gsp_lock);
	if (ret)
		dev_warn(od->dev, "GSP-RM did not end cleanly: %d\n", ret);
	vgsp_gsp_client_fini(od);
}
