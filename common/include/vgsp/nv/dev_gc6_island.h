/*
 * PGC6: the always-on island, where GFW reports its boot progress.
 *
 * Source: NVIDIA/open-gpu-kernel-modules,
 * published/turing/tu102/dev_gc6_island.h and dev_gc6_island_addendum.h, whose
 * names these are. Offsets are in BAR0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_GC6_ISLAND_H
#define VGSP_NV_DEV_GC6_ISLAND_H

#include "vgsp/types.h"

#define NV_PGC6_BASE                    0x00118000u
#define NV_PGC6_SIZE                    0x00001000u

#define NV_PGC6_BSI_SECURE_SCRATCH_14   0x001180f8u
#define NV_PGC6_BSI_SECURE_SCRATCH_14_BOOT_STAGE_3_HANDOFF VGSP_BIT(26)
#define NV_PGC6_AON_SECURE_SCRATCH_GROUP_05_PRIV_LEVEL_MASK 0x00118128u
#define NV_PGC6_AON_SECURE_SCRATCH_GROUP_05_PRIV_LEVEL_MASK_READ_PROTECTION_LEVEL0 \
    VGSP_BIT(0)
#define NV_PGC6_AON_SECURE_SCRATCH_GROUP_03(i) (0x00118214u + (i) * 4)
#define NV_PGC6_AON_FRTS_INPUT_WPR_SIZE_1MB_IN_4K 0x100u
#define NV_PGC6_AON_SECURE_SCRATCH_GROUP_05(i) (0x00118234u + (i) * 4)
#define NV_PGC6_AON_SECURE_SCRATCH_GROUP_05_0_GFW_BOOT_PROGRESS_COMPLETED 0xffu

#endif
