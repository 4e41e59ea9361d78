/*
 * MMU faults: engine and client ids, kinds of access, and the record that a
 * fault buffer holds. Types of faults are VgspGmmuFault (vgsp/gmmu.h).
 *
 * Source: NVIDIA/open-gpu-doc, manuals/turing/tu104 (dev_fault, dev_mmu_fault,
 * dev_vm, pri_mmu_hub), whose names these are.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_FAULT_H
#define VGSP_NV_DEV_FAULT_H

#include "vgsp/types.h"

#define NV_PFAULT_MMU_ENG_ID_GRAPHICS       64  /* + VEID */
#define NV_PFAULT_MMU_ENG_ID_HOST0          32  /* + PBDMA */
#define NV_PFAULT_MMU_ENG_ID_CE0            15  /* + LCE */

#define NV_PFAULT_ACCESS_TYPE_VIRT_READ             0x0
#define NV_PFAULT_ACCESS_TYPE_VIRT_WRITE            0x1
#define NV_PFAULT_ACCESS_TYPE_VIRT_ATOMIC_STRONG    0x2
#define NV_PFAULT_ACCESS_TYPE_VIRT_PREFETCH         0x3
#define NV_PFAULT_ACCESS_TYPE_VIRT_ATOMIC_WEAK      0x4
#define NV_PFAULT_ACCESS_TYPE_PHYS_READ             0x8
#define NV_PFAULT_ACCESS_TYPE_PHYS_WRITE            0x9
#define NV_PFAULT_ACCESS_TYPE_PHYS_ATOMIC           0xa

#define NV_PFAULT_CLIENT_GPC_T1_0           0x00
#define NV_PFAULT_CLIENT_GPC_T1_7           0x07
#define NV_PFAULT_CLIENT_GPC_GCC            0x11
#define NV_PFAULT_CLIENT_GPC_PROP_0         0x13
#define NV_PFAULT_CLIENT_GPC_T1_8           0x21
#define NV_PFAULT_CLIENT_GPC_T1_15          0x28
#define NV_PFAULT_CLIENT_HUB_CE0            0x01
#define NV_PFAULT_CLIENT_HUB_CE1            0x02
#define NV_PFAULT_CLIENT_HUB_FE             0x04
#define NV_PFAULT_CLIENT_HUB_HOST           0x06
#define NV_PFAULT_CLIENT_HUB_RASTERTWOD     0x13
#define NV_PFAULT_CLIENT_HUB_CE2            0x18
#define NV_PFAULT_CLIENT_HUB_SKED           0x1d

/* A record, 32 bytes: byte offsets, then the fields of its words. */
#define NV_MMU_FAULT_BUF_SIZE               32
#define NV_MMU_FAULT_BUF_ENTRY_INST_LO      0x00
#define NV_MMU_FAULT_BUF_ENTRY_INST_APERTURE        VGSP_BITS(9, 8)
#define NV_MMU_FAULT_BUF_ENTRY_INST_LO_ADDR         VGSP_BITS(31, 12)
#define NV_MMU_FAULT_BUF_ENTRY_INST_HI      0x04
#define NV_MMU_FAULT_BUF_ENTRY_ADDR_LO      0x08
#define NV_MMU_FAULT_BUF_ENTRY_ADDR_PHYS_APERTURE   VGSP_BITS(1, 0)
#define NV_MMU_FAULT_BUF_ENTRY_ADDR_LO_ADDR         VGSP_BITS(31, 12)
#define NV_MMU_FAULT_BUF_ENTRY_ADDR_HI      0x0c
#define NV_MMU_FAULT_BUF_ENTRY_TIMESTAMP_LO 0x10
#define NV_MMU_FAULT_BUF_ENTRY_TIMESTAMP_HI 0x14
#define NV_MMU_FAULT_BUF_ENTRY_ENGINE       0x18
#define NV_MMU_FAULT_BUF_ENTRY_ENGINE_ID            VGSP_BITS(8, 0)
/* This word is NV_VIRTUAL_FUNCTION_PRIV_MMU_FAULT_INFO too, but for VALID. */
#define NV_MMU_FAULT_BUF_ENTRY_INFO         0x1c
#define NV_MMU_FAULT_BUF_ENTRY_FAULT_TYPE           VGSP_BITS(4, 0)
#define NV_MMU_FAULT_BUF_ENTRY_REPLAYABLE_FAULT     VGSP_BIT(7)
#define NV_MMU_FAULT_BUF_ENTRY_CLIENT               VGSP_BITS(14, 8)
#define NV_MMU_FAULT_BUF_ENTRY_ACCESS_TYPE          VGSP_BITS(19, 16)
#define NV_MMU_FAULT_BUF_ENTRY_MMU_CLIENT_TYPE      VGSP_BIT(20) /* 1: hub */
#define NV_MMU_FAULT_BUF_ENTRY_GPC_ID               VGSP_BITS(28, 24)
#define NV_MMU_FAULT_BUF_ENTRY_REPLAYABLE_FAULT_EN  VGSP_BIT(30)
#define NV_MMU_FAULT_BUF_ENTRY_VALID                VGSP_BIT(31)

/* Interrupt vectors. */
#define NV_PFB_PRI_MMU_INT_VECTOR_FAULT_NOTIFY_REPLAYABLE       64
#define NV_PFB_PRI_MMU_INT_VECTOR_FAULT_ERROR_REPLAYABLE        131
#define NV_PFB_PRI_MMU_INT_VECTOR_FAULT_NOTIFY_NON_REPLAYABLE   132
#define NV_PFB_PRI_MMU_INT_VECTOR_FAULT_ERROR_NON_REPLAYABLE    133

#endif
