/*
 * PFB: the MMU's global registers and write-protected regions.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, published/turing/tu102/dev_fb.h and
 * published/pascal/gp102/dev_fb.h (LOCAL_MEMORY_RANGE); the sysmem flush
 * address and the PDB registers as nouveau's nvkm/subdev/fb and mmu have them,
 * whose names these are. Offsets are in BAR0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_FB_H
#define VGSP_NV_DEV_FB_H

#include "vgsp/types.h"

#define NV_PFB_BASE                     0x00100000u
#define NV_PFB_SIZE                     0x00001000u

/* Bus address >> 8 of the page that flushes write to; HI above 40 bits. */
#define NV_PFB_NISO_FLUSH_SYSMEM_ADDR   0x00100c10u
#define NV_PFB_NISO_FLUSH_SYSMEM_ADDR_HI 0x00100c40u

#define NV_PFB_PRI_MMU_CTRL             0x00100c80u
#define NV_PFB_PRI_MMU_INVALIDATE_PDB   0x00100cb8u
#define NV_PFB_PRI_MMU_INVALIDATE       0x00100cbcu
#define NV_PFB_PRI_MMU_INVALIDATE_UPPER_PDB 0x00100cecu

/* Size of local memory: LOWER_MAG << (LOWER_SCALE + 20) bytes. */
#define NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE 0x00100ce0u
#define NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_SCALE VGSP_BITS(3, 0)
#define NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_LOWER_MAG   VGSP_BITS(9, 4)
#define NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE_ECC_MODE    VGSP_BIT(30)

/* ECC counters: none on a board without ECC. */
#define NV_PFB_PRI_MMU_L2TLB_ECC_UNCORRECTED_ERR_COUNT    0x00100e78u
#define NV_PFB_PRI_MMU_HUBTLB_ECC_UNCORRECTED_ERR_COUNT   0x00100e8cu
#define NV_PFB_PRI_MMU_FILLUNIT_ECC_UNCORRECTED_ERR_COUNT 0x00100ea0u

/* A second page of the unit: the write-protected regions. */
#define NV_PFB_GAP_BASE                 0x001fa000u
#define NV_PFB_GAP_SIZE                 0x00001000u
#define NV_PFB_PRI_MMU_WPR2_ADDR_LO     0x001fa824u
#define NV_PFB_PRI_MMU_WPR2_ADDR_LO_VAL VGSP_BITS(31, 4)
#define NV_PFB_PRI_MMU_WPR2_ADDR_LO_ALIGNMENT 12
#define NV_PFB_PRI_MMU_WPR2_ADDR_HI     0x001fa828u
#define NV_PFB_PRI_MMU_WPR2_ADDR_HI_VAL VGSP_BITS(31, 4)
#define NV_PFB_PRI_MMU_WPR2_ADDR_HI_ALIGNMENT 12

#endif
