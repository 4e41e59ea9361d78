/*
 * PDISP of a card whose display is fused off, and the VGA registers.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, published/disp; 0x611ec0 and the VGA
 * ports as nouveau's nvkm/engine/disp and nvkm/subdev/devinit use them, whose
 * names these are. Offsets are in BAR0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_DISP_H
#define VGSP_NV_DEV_DISP_H

#include "vgsp/types.h"

#define NV_PDISP_BASE                   0x00610000u
#define NV_PDISP_SIZE                   0x00010000u
/* Interrupts of the supervisor and the heads. */
#define NV_PDISP_FE_RM_INTR_DISPATCH    0x00611ec0u
/* VRAM that VGA's memory lies in; bit 3: valid. */
#define NV_PDISP_VGA_WORKSPACE_BASE     0x00625f04u

#define NV_PRMCIO_BASE                  0x00601000u
#define NV_PRMCIO_SIZE                  0x00001000u
#define NV_PRMCIO_CRTC_INDEX            0x006013d4u
#define NV_PRMCIO_CRTC_DATA             0x006013d5u

/* PFLUSH: writes everything to memory (nouveau's g84_bar_flush()). */
#define NV_UFLUSH_BASE                  0x00070000u
#define NV_UFLUSH_SIZE                  0x00001000u
#define NV_UFLUSH_FB_FLUSH              0x00070000u
#define NV_UFLUSH_FB_FLUSH_OUTSTANDING  VGSP_BIT(1)

#endif
