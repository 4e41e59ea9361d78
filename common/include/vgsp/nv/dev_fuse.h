/*
 * FUSE: what the factory burnt, as far as drivers look.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, published/turing/tu102/dev_fuse.h;
 * STATUS_OPT_DISPLAY and PEXTDEV's straps as nouveau's nvkm/subdev/devinit and
 * nvkm/engine/device use them, whose names these are. Offsets are in BAR0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_FUSE_H
#define VGSP_NV_DEV_FUSE_H

#include "vgsp/types.h"

#define NV_FUSE_BASE                    0x00021000u
#define NV_FUSE_SIZE                    0x00001000u

#define NV_FUSE_OPT_NVDEC_DISABLE       0x00021378u
#define NV_FUSE_OPT_SECURE_GSP_DEBUG_DIS 0x0002174cu
#define NV_FUSE_OPT_SECURE_GSP_DEBUG_DIS_DATA_YES 1u
#define NV_FUSE_STATUS_OPT_DISPLAY      0x00021c04u
#define NV_FUSE_STATUS_OPT_DISPLAY_DATA_DISABLE 1u
/* Units that are fused off otherwise; none is. */
#define NV_FUSE_STATUS_OPT_MISC         0x00021c00u

#define NV_PEXTDEV_BASE                 0x00101000u
#define NV_PEXTDEV_SIZE                 0x00001000u
#define NV_PEXTDEV_BOOT_0               0x00101000u
/* Crystal, in two bits: 27 MHz on every Turing board. */
#define NV_PEXTDEV_BOOT_0_STRAP_CRYSTAL_27M 0x00400000u

#endif
