/*
 * FWSEC: found in the VBIOS, patched with a command and run on the GSP falcon
 * by the generic bootloader.  Specified by nouveau's nvkm/subdev/gsp/fwsec.c
 * and tu102.c, and NVIDIA's kernel_gsp_fwsec.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "client-priv.h"
#include "vgsp/nv/dev_bus.h"
#include "vgsp/nv/dev_ext_devices.h"
#include "vgsp/nv/dev_falcon.h"
#include "vgsp/nv/dev_fb.h"

/* The command's result, by the index of its scratch register. */
#define FRTS_SCRATCH       NV_PBUS_SW_SCRATCH(0x0e)
#define FRTS_SCRATCH_ERR   VGSP_BITS(31, 16)
#define SB_SCRATCH         NV_PBUS_SW_SCRATCH(0x15)
#define SB_SCRATCH_ERR     VGSP_BITS(15, 0)

#define PROM_STEP          0x1000u

/*
 * Read the PROM until the parser is satisfied: the images say how long they
 * are, and the window is far larger than any of them.
 */
static int fwsec_read_rom(VgspGspClient *c)
{
    uint32_t limit = c->rom_size & ~3u;
    VgspVbiosError err = VGSP_VBIOS_ERR_TRUNCATED;

    if (limit > NV_PROM_SIZE) {
        limit = NV_PROM_SIZE;
    }
    for (uint32_t pos = 0; pos < limit;) {
        uint32_t end = pos + PROM_STEP < limit ? pos + PROM_STEP : limit;

        for (; pos < end; pos += 4) {
            vgsp_put_le32(c->rom + pos, gsp_rd(c, NV_PROM_BASE + pos));
        }
        err = vgsp_vbios_parse(c->rom, pos, &c->vbios);
        if (!err) {
            return 0;
        }
        if (err == VGSP_VBIOS_ERR_ROM_SIGNATURE) {
            break;
        }
    }
    c->ops->log(c->opaque, vgsp_vbios_error_str(err), err);
    return VGSP_GSP_ENOENT;
}

int gsp_fwsec_init(VgspGspClient *c)
{
    int ret = fwsec_read_rom(c);

    if (!ret) {
        ret = gsp_mem_new(c, VGSP_ALIGN_UP(c->vbios.fwsec.image_size, GSP_PAGE),
                          true, &c->fwsec);
    }
    return ret;
}

/* What the bootloader at the top of IMEM finds at DMEM 0. */
static void fwsec_descriptor(VgspGspClient *c, uint8_t *desc)
{
    typedef RM_FLCN_BL_DMEM_DESC Desc;
    const VgspVbiosFwsecInfo *f = &c->vbios.fwsec;
    uint64_t code = gsp_mem_addr(c, &c->fwsec);
    uint64_t data = code + f->dmem_offset;

    vgsp_put_le32(desc + offsetof(Desc, ctxDma), RM_FALC_DMAIDX_PHYS_SYS_NCOH);
    vgsp_put_le64(desc + offsetof(Desc, codeDmaBase), code);
    vgsp_put_le32(desc + offsetof(Desc, nonSecureCodeOff), f->imem_phys_base);
    vgsp_put_le32(desc + offsetof(Desc, nonSecureCodeSize),
                  f->imem_load_size - f->imem_sec_size);
    vgsp_put_le32(desc + offsetof(Desc, secureCodeOff), f->imem_sec_base);
    vgsp_put_le32(desc + offsetof(Desc, secureCodeSize), f->imem_sec_size);
    vgsp_put_le64(desc + offsetof(Desc, dataDmaBase), data);
    vgsp_put_le32(desc + offsetof(Desc, dataSize), f->dmem_load_size);
}

int vgsp_gsp_fwsec_load(VgspGspClient *c, VgspFwsecCmdId id)
{
    const VgspVbiosFwsecInfo *f = &c->vbios.fwsec;
    const VgspGspBlob *loader = &c->fw->fwsec_loader;
    uint8_t desc[sizeof(RM_FLCN_BL_DMEM_DESC)] = { 0 };
    uint8_t *image = c->rom + f->image_offset;
    uint32_t base = NV_PGSP_FALCON_BASE;
    VgspFwsecCmd cmd = {
        .id = id,
        .frts_addr = c->layout.frts,
        .frts_size = (uint64_t)FWSECLIC_FRTS_REGION_SIZE_1MB_IN_4K * GSP_PAGE,
    };
    uint32_t imem_size, transcfg;
    VgspFwsecError err;
    int ret;

    if (!c->fwsec.size) {
        return VGSP_GSP_EBUSY;
    }
    err = vgsp_fwsec_patch(image + f->dmem_offset, f->dmem_load_size, f, &cmd);
    if (err) {
        c->ops->log(c->opaque, vgsp_fwsec_error_str(err), err);
        return VGSP_GSP_ENOENT;
    }
    ret = gsp_mem_write(c, &c->fwsec, 0, image, f->image_size);
    if (!ret) {
        ret = gsp_falcon_prepare(c, base);
    }
    if (ret) {
        return ret;
    }
    imem_size = (uint32_t)VGSP_GET(NV_PFALCON_FALCON_HWCFG_IMEM_SIZE,
                                   gsp_rd(c, base + NV_PFALCON_FALCON_HWCFG)) *
        NV_PFALCON_IMEM_BLKSIZE;
    if (loader->size > imem_size) {
        return VGSP_GSP_EINVAL;
    }
    gsp_falcon_imem(c, base,
                    (imem_size - loader->size) & ~(NV_PFALCON_IMEM_BLKSIZE - 1),
                    loader->data, loader->size, c->fw->fwsec_loader_tag,
                    false);
    transcfg = base + NV_PFALCON_FBIF_TRANSCFG(RM_FALC_DMAIDX_PHYS_SYS_NCOH);
    gsp_mask(c, transcfg,
             NV_PFALCON_FBIF_TRANSCFG_TARGET |
             NV_PFALCON_FBIF_TRANSCFG_MEM_TYPE,
             NV_PFALCON_FBIF_TRANSCFG_TARGET_COHERENT_SYSMEM |
             NV_PFALCON_FBIF_TRANSCFG_MEM_TYPE);
    fwsec_descriptor(c, desc);
    gsp_falcon_dmem(c, base, 0, desc, sizeof(desc));
    return 0;
}

int vgsp_gsp_fwsec_run(VgspGspClient *c, VgspFwsecCmdId cmd)
{
    bool frts = cmd == VGSP_FWSEC_CMD_FRTS;
    uint64_t code;
    int ret;

    ret = gsp_falcon_run(c, NV_PGSP_FALCON_BASE, c->fw->fwsec_loader_tag << 8,
                         0, 0);
    if (ret) {
        return ret;
    }
    code = frts ? VGSP_GET(FRTS_SCRATCH_ERR, gsp_rd(c, FRTS_SCRATCH))
                : VGSP_GET(SB_SCRATCH_ERR, gsp_rd(c, SB_SCRATCH));
    if (code) {
        c->ops->log(c->opaque, frts ? "FWSEC-FRTS failed" : "FWSEC-SB failed",
                    code);
        return VGSP_GSP_EIO;
    }
    if (frts) {
        uint32_t lo = gsp_rd(c, NV_PFB_PRI_MMU_WPR2_ADDR_LO);
        uint32_t hi = gsp_rd(c, NV_PFB_PRI_MMU_WPR2_ADDR_HI);

        if (!VGSP_GET(NV_PFB_PRI_MMU_WPR2_ADDR_HI_VAL, hi) ||
            VGSP_GET(NV_PFB_PRI_MMU_WPR2_ADDR_LO_VAL, lo) !=
                c->layout.frts >> NV_PFB_PRI_MMU_WPR2_ADDR_LO_ALIGNMENT) {
            c->ops->log(c->opaque, "WPR2 is not the FRTS region", lo);
            return VGSP_GSP_EIO;
        }
    }
    return 0;
}

int vgsp_gsp_fwsec(VgspGspClient *c, VgspFwsecCmdId cmd)
{
    int ret = vgsp_gsp_fwsec_load(c, cmd);

    return ret ? ret : vgsp_gsp_fwsec_run(c, cmd);
}
