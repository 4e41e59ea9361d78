/*
 * FWSEC, the VBIOS ucode on the GSP falcon, by effect: FRTS carves WPR2 out of
 * video memory, SB puts the boot-time applications back. The driver loads the
 * generic falcon bootloader, which fetches FWSEC from system memory: so does
 * this, by the descriptor that the driver left in DMEM.
 * Specified by nouveau's fwsec.c and NVIDIA's kernel_gsp_frts_tu102.c;
 * docs/gsp.md has the failure codes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/units.h"
#include "device/memory.h"
#include "gsp/gsp-int.h"
#include "vgsp/vbios.h"
#include "trace.h"

#define BL_DESC(field) offsetof(RM_FLCN_BL_DMEM_DESC, field)

/*
 * One fetch of the bootloader, through FBIF context @ctx. Only physical
 * contexts exist here; the falcon's MMU is not modelled.
 */
static bool fwsec_fetch(VgspState *s, const VgspFalcon *f, uint32_t ctx,
                        uint64_t addr, void *buf, size_t len)
{
    uint32_t cfg = f->transcfg[ctx];

    if (!(f->fbif_ctl & NV_PFALCON_FBIF_CTL_ALLOW_PHYS_NO_CTX) ||
        !(cfg & NV_PFALCON_FBIF_TRANSCFG_MEM_TYPE)) {
        return false;
    }
    switch (VGSP_GET(NV_PFALCON_FBIF_TRANSCFG_TARGET, cfg)) {
    case NV_PFALCON_FBIF_TRANSCFG_TARGET_LOCAL_FB:
        return vgsp_vram_read(s, addr, buf, len);
    case NV_PFALCON_FBIF_TRANSCFG_TARGET_COHERENT_SYSMEM:
    case NV_PFALCON_FBIF_TRANSCFG_TARGET_NONCOHERENT_SYSMEM:
        return vgsp_dma_read(s, addr, buf, len);
    default:
        return false;
    }
}

/*
 * The secure code must be NVIDIA's: its signature is checked by the falcon's
 * boot ROM. Here it must be the code of the card's own ROM.
 */
static unsigned fwsec_check_code(VgspState *s, const VgspFalcon *f,
                                 const VgspGspFwsec *rom)
{
    const uint8_t *desc = f->dmem;
    uint64_t base = vgsp_le64(desc + BL_DESC(codeDmaBase));
    uint32_t off = vgsp_le32(desc + BL_DESC(secureCodeOff));
    uint32_t size = vgsp_le32(desc + BL_DESC(secureCodeSize));
    g_autofree uint8_t *code = NULL;

    if (!rom->secure_code || size != rom->info.imem_sec_size ||
        off != rom->info.imem_sec_base - rom->info.imem_virt_base +
               rom->info.imem_phys_base) {
        return VGSP_FWSEC_CODE_SIGNATURE;
    }
    code = g_malloc(size);
    if (!fwsec_fetch(s, f, vgsp_le32(desc + BL_DESC(ctxDma)), base + off, code,
                     size)) {
        return VGSP_FWSEC_CODE_DMA;
    }
    return memcmp(code, rom->secure_code, size) ? VGSP_FWSEC_CODE_SIGNATURE
                                                : 0;
}

static unsigned fwsec_frts(VgspState *s, const VgspFwsecCmd *cmd)
{
    uint64_t end = cmd->frts_addr + cmd->frts_size;

    if (cmd->frts_size != VGSP_FRTS_SIZE) {
        return VGSP_FWSEC_CODE_REGION_SIZE;
    }
    if (cmd->frts_addr % VGSP_WPR_ALIGN) {
        return VGSP_FWSEC_CODE_REGION_ALIGN;
    }
    if (!vgsp_range_ok(cmd->frts_addr, cmd->frts_size, s->vram_size)) {
        return VGSP_FWSEC_CODE_REGION_RANGE;
    }
    if (s->gsp->wpr2.hi) {
        return VGSP_FWSEC_CODE_WPR2_UP;
    }
    s->gsp->wpr2 = vgsp_wpr2(cmd->frts_addr, end);
    return 0;
}

static unsigned fwsec_run(VgspState *s, VgspFalcon *f)
{
    VgspGsp *gsp = s->gsp;
    const VgspGspFwsec *rom = &gsp->fwsec;
    const uint8_t *desc = f->dmem;
    uint32_t ctx = vgsp_le32(desc + BL_DESC(ctxDma));
    uint64_t base = vgsp_le64(desc + BL_DESC(dataDmaBase));
    uint32_t size = vgsp_le32(desc + BL_DESC(dataSize));
    g_autofree uint8_t *data = NULL;
    VgspFwsecCmd cmd;
    unsigned code;

    if (ctx >= NV_PFALCON_FBIF_TRANSCFG__SIZE_1 ||
        size < rom->info.dmem_load_size || size > VGSP_FALCON_DMEM_SIZE) {
        return VGSP_FWSEC_CODE_DESC;
    }
    code = fwsec_check_code(s, f, rom);
    if (code) {
        return code;
    }
    data = g_malloc(size);
    if (!fwsec_fetch(s, f, ctx, base, data, size)) {
        return VGSP_FWSEC_CODE_DMA;
    }
    code = vgsp_fwsec_cmd_parse(data, size, rom->info.interface_offset, &cmd);
    if (code) {
        /* Whose command it was to be is not known: both say so. */
        gsp->frts_code = code;
        gsp->sb_code = code;
        return code;
    }
    switch (cmd.id) {
    case VGSP_FWSEC_CMD_FRTS:
        code = fwsec_frts(s, &cmd);
        gsp->frts_code = code;
        trace_vgsp_fwsec("frts", cmd.frts_addr, cmd.frts_size, code);
        return code;
    case VGSP_FWSEC_CMD_SB:
        gsp->sb_code = 0;
        trace_vgsp_fwsec("sb", 0, 0, 0);
        return 0;
    }
    g_assert_not_reached();
}

void vgsp_fwsec_start(VgspState *s, VgspFalcon *f)
{
    unsigned code = fwsec_run(s, f);

    f->mailbox[0] = code;
    if (code) {
        trace_vgsp_fwsec_failed(code);
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: FWSEC failed: code 0x%x\n",
                      code);
    }
}

void vgsp_fwsec_init(VgspState *s, const uint8_t *rom, size_t len)
{
    VgspGspFwsec *fwsec = &s->gsp->fwsec;
    uint32_t off, size;
    VgspVbiosInfo info;

    if (vgsp_vbios_parse(rom, len, &info) != VGSP_VBIOS_OK) {
        return;
    }
    fwsec->info = info.fwsec;
    off = info.fwsec.imem_sec_base - info.fwsec.imem_virt_base;
    size = info.fwsec.imem_sec_size;
    if (vgsp_range_ok(off, size, info.fwsec.imem_load_size)) {
        fwsec->secure_code = g_memdup2(rom + info.fwsec.image_offset + off,
                                       size);
    }
}

void vgsp_fwsec_exit(VgspState *s)
{
    g_clear_pointer(&s->gsp->fwsec.secure_code, g_free);
}
