/*
 * PMC: identity and the enables of the engines.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, published/nv_ref.h and
 * published/turing/tu102/dev_boot.h, whose names these are. Offsets are in
 * BAR0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_BOOT_H
#define VGSP_NV_DEV_BOOT_H

#include "vgsp/types.h"

#define NV_PMC_BASE                     0x00000000u
#define NV_PMC_SIZE                     0x00001000u

#define NV_PMC_BOOT_0                   0x00000000u
#define NV_PMC_BOOT_1                   0x00000004u
#define NV_PMC_BOOT_1_VGPU              VGSP_BITS(17, 16)
#define NV_PMC_BOOT_1_VGPU_REAL         0u
#define NV_PMC_BOOT_42                  0x00000a00u

/* Interrupts before the vectored tree; no unit of Turing reports here. */
#define NV_PMC_INTR(i)                  (0x00000100u + (i) * 4)
#define NV_PMC_INTR_EN(i)               (0x00000140u + (i) * 4)
#define NV_PMC_INTR_EN_SET(i)           (0x00000160u + (i) * 4)
#define NV_PMC_INTR_EN_CLEAR(i)         (0x00000180u + (i) * 4)
#define NV_PMC_INTR_EN__SIZE_1          2u

#define NV_PMC_ENABLE                   0x00000200u
#define NV_PMC_ENABLE_PDISP             VGSP_BIT(30)

#endif
