/*
 * XVE: the mirror of PCI configuration space in BAR0 (dev_nv_xve.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/intr.h"
#include "device/regs.h"
#include "vgsp/nv/dev_nv_xve.h"

/*
 * Configuration accesses reach the device as the bus would make them. Vendor
 * registers lie between the standard header and the extended capabilities,
 * where the mirror shows more than the configuration space does.
 */
static uint32_t pcfg_read(VgspState *s, uint32_t reg)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    VgspRegFile *f = vgsp_reg_file(s);
    uint32_t offset = reg - NV_PCFG_BASE;

    switch (offset) {
    case NV_XVE_ROM_CTRL:
        return f->xve_rom_ctrl;
    case NV_XVE_PRIV_MISC_1:
        return 0;               /* CYA_HIDE_MSIX_CAP is false */
    case NV_XVE_PRIV_XV_1:
        return f->xve_xv_1;
    case NV_XVE_CYA_2:
    case NV_XVE_SW_RESET:
        return 0;
    default:
        if (offset >= PCI_CONFIG_SPACE_SIZE) {
            return vgsp_reg_unknown_read(s, reg);
        }
        return pdev->config_read(pdev, offset, 4);
    }
}

static void pcfg_write(VgspState *s, uint32_t reg, uint32_t val)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    VgspRegFile *f = vgsp_reg_file(s);
    uint32_t offset = reg - NV_PCFG_BASE;

    switch (offset) {
    case NV_XVE_ROM_CTRL:
        f->xve_rom_ctrl = val & NV_XVE_ROM_CTRL_ROM_SHADOW;
        break;
    case NV_XVE_PRIV_XV_1:
        f->xve_xv_1 = val;
        break;
    case NV_XVE_CYA_2:
        vgsp_intr_msi_rearm(s);
        break;
    default:
        if (offset >= PCI_CONFIG_SPACE_SIZE) {
            vgsp_reg_unknown_write(s, reg, val);
        } else {
            pdev->config_write(pdev, offset, val, 4);
        }
    }
}

static void pcfg_reset(VgspState *s)
{
    vgsp_reg_file(s)->xve_rom_ctrl = NV_XVE_ROM_CTRL_ROM_SHADOW;
}

const VgspRegBlock vgsp_regs_pcfg = {
    .name = "pcfg",
    .base = NV_PCFG_BASE,
    .size = NV_PCFG_SIZE,
    .read = pcfg_read,
    .write = pcfg_write,
    .reset = pcfg_reset,
};
