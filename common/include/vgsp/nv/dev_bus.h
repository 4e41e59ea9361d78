/*
 * PBUS: scratch registers, the BAR0 window and the BAR blocks.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, published/turing/tu102/dev_bus.h and
 * published/maxwell/gm107/dev_bus.h (BAR0_WINDOW, BIND_STATUS), whose names
 * these are. Offsets are in BAR0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_BUS_H
#define VGSP_NV_DEV_BUS_H

#include "vgsp/types.h"

#define NV_PBUS_BASE                    0x00001000u
#define NV_PBUS_SIZE                    0x00001000u

#define NV_PBUS_SW_SCRATCH(i)           (0x00001400u + (i) * 4)
#define NV_PBUS_SW_SCRATCH__SIZE_1      64u
/* Two of them by FWSEC's names (fwsecLic in OGKM's kernel_gsp_frts_tu102.c). */
#define NV_PBUS_VBIOS_SCRATCH(i)        NV_PBUS_SW_SCRATCH(i)
#define NV_VBIOS_FWSECLIC_SCRATCH_INDEX_0E  0x0eu
#define NV_VBIOS_FWSECLIC_FRTS_ERR_CODE     VGSP_BITS(31, 16)
#define NV_VBIOS_FWSECLIC_SCRATCH_INDEX_15  0x15u
#define NV_VBIOS_FWSECLIC_SB_ERR_CODE       VGSP_BITS(15, 0)

#define NV_PBUS_BAR0_WINDOW             0x00001700u
#define NV_PBUS_BAR0_WINDOW_BASE        VGSP_BITS(23, 0)
#define NV_PBUS_BAR0_WINDOW_BASE_SHIFT  16
#define NV_PBUS_BAR0_WINDOW_TARGET      VGSP_BITS(25, 24)
#define NV_PBUS_BAR0_WINDOW_TARGET_VID_MEM              0u
#define NV_PBUS_BAR0_WINDOW_TARGET_SYS_MEM_COHERENT     2u
#define NV_PBUS_BAR0_WINDOW_TARGET_SYS_MEM_NONCOHERENT  3u

#define NV_PBUS_BAR1_BLOCK              0x00001704u
#define NV_PBUS_BIND_STATUS             0x00001710u
#define NV_PBUS_BAR2_BLOCK              0x00001714u
/* Fields of both blocks. */
#define NV_PBUS_BAR_BLOCK_PTR           VGSP_BITS(27, 0)
#define NV_PBUS_BAR_BLOCK_PTR_SHIFT     12
#define NV_PBUS_BAR_BLOCK_TARGET        VGSP_BITS(29, 28)
#define NV_PBUS_BAR_BLOCK_TARGET_VID_MEM                0u
#define NV_PBUS_BAR_BLOCK_TARGET_SYS_MEM_COHERENT       2u
#define NV_PBUS_BAR_BLOCK_TARGET_SYS_MEM_NONCOHERENT    3u
#define NV_PBUS_BAR_BLOCK_MODE          VGSP_BIT(31)
#define NV_PBUS_BAR2_BLOCK_DEBUG_CYA    VGSP_BIT(30)

/* PRAMIN: 1 MiB at BAR0_WINDOW. */
#define NV_PRAMIN_BASE                  0x00700000u
#define NV_PRAMIN_SIZE                  0x00100000u

#endif
