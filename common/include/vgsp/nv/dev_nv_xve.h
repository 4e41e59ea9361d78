/*
 * XVE: the card's PCI Express function, and its mirror in BAR0.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, published/turing/tu102/dev_nv_xve.h;
 * ROM_CTRL, the MSI rearm and the capabilities' places as nouveau's
 * nvkm/subdev/pci and lspci of TU104 boards show them, whose names these are.
 * Offsets are in BAR0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_NV_XVE_H
#define VGSP_NV_DEV_NV_XVE_H

#include "vgsp/types.h"

#define NV_PCFG_BASE                    0x00088000u
#define NV_PCFG_SIZE                    0x00001000u

/* Offsets in configuration space, and from NV_PCFG_BASE. */
#define NV_XVE_ROM_CTRL                 0x00000050u
#define NV_XVE_ROM_CTRL_ROM_SHADOW      VGSP_BIT(0)
#define NV_XVE_PM_CAP                   0x00000060u
#define NV_XVE_MSI_CAP                  0x00000068u
#define NV_XVE_PCIE_CAP                 0x00000078u
#define NV_XVE_MSIX_CAP_HDR             0x000000c8u

/* In the mirror only: vendor registers. */
#define NV_XVE_PRIV_MISC_1              0x0000041cu
#define NV_XVE_PRIV_MISC_1_CYA_HIDE_MSIX_CAP VGSP_BIT(29)
#define NV_XVE_PRIV_XV_1                0x00000488u
#define NV_XVE_CYA_2                    0x00000704u /* any write rearms MSI */
#define NV_XVE_SW_RESET                 0x00000718u

#endif
