/*
 * GMMU page tables in format VER2 (Pascal to Ada) and the page directory base
 * of an instance block, as NVIDIA publishes them in dev_mmu.h and dev_ram.h
 * (published/pascal/gp100, published/volta/gv100, published/turing/tu102).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_MMU_H
#define VGSP_NV_DEV_MMU_H

#include "vgsp/types.h"

/*
 * Page directory entry of PD3, PD2 and PD1.  Bit 0 set would make the entry a
 * page table entry; no Turing level above PD0 has pages.
 */
#define NV_MMU_VER2_PDE_IS_PTE                              VGSP_BIT(0)
#define NV_MMU_VER2_PDE_APERTURE                            VGSP_BITS(2, 1)
#define NV_MMU_VER2_PDE_APERTURE_INVALID                    0
#define NV_MMU_VER2_PDE_APERTURE_VIDEO_MEMORY               1
#define NV_MMU_VER2_PDE_APERTURE_SYSTEM_COHERENT_MEMORY     2
#define NV_MMU_VER2_PDE_APERTURE_SYSTEM_NON_COHERENT_MEMORY 3
#define NV_MMU_VER2_PDE_VOL                                 VGSP_BIT(3)
#define NV_MMU_VER2_PDE_ADDRESS_VID                         VGSP_BITS(32, 8)
#define NV_MMU_VER2_PDE_ADDRESS_SYS                         VGSP_BITS(53, 8)
#define NV_MMU_VER2_PDE_ADDRESS_SHIFT                       12
#define NV_MMU_VER2_PDE__SIZE                               8

/*
 * Dual page directory entry of PD0.  The published ranges number its 128 bits;
 * those of the small half (72 and up) are given here within the second
 * quadword.
 */
#define NV_MMU_VER2_DUAL_PDE_IS_PTE            VGSP_BIT(0)
#define NV_MMU_VER2_DUAL_PDE_APERTURE_BIG      VGSP_BITS(2, 1)
#define NV_MMU_VER2_DUAL_PDE_VOL_BIG           VGSP_BIT(3)
#define NV_MMU_VER2_DUAL_PDE_ADDRESS_BIG_VID   VGSP_BITS(32, 4)
#define NV_MMU_VER2_DUAL_PDE_ADDRESS_BIG_SYS   VGSP_BITS(53, 4)
#define NV_MMU_VER2_DUAL_PDE_ADDRESS_BIG_SHIFT 8
#define NV_MMU_VER2_DUAL_PDE_APERTURE_SMALL    VGSP_BITS(2, 1)
#define NV_MMU_VER2_DUAL_PDE_VOL_SMALL         VGSP_BIT(3)
#define NV_MMU_VER2_DUAL_PDE_ADDRESS_SMALL_VID VGSP_BITS(32, 8)
#define NV_MMU_VER2_DUAL_PDE_ADDRESS_SMALL_SYS VGSP_BITS(53, 8)
#define NV_MMU_VER2_DUAL_PDE_ADDRESS_SHIFT     12
#define NV_MMU_VER2_DUAL_PDE__SIZE             16

/* Page table entry: 4 KiB, 64 KiB, and 2 MiB in PD0. */
#define NV_MMU_VER2_PTE_VALID                               VGSP_BIT(0)
#define NV_MMU_VER2_PTE_APERTURE                            VGSP_BITS(2, 1)
#define NV_MMU_VER2_PTE_APERTURE_VIDEO_MEMORY               0
#define NV_MMU_VER2_PTE_APERTURE_PEER_MEMORY                1
#define NV_MMU_VER2_PTE_APERTURE_SYSTEM_COHERENT_MEMORY     2
#define NV_MMU_VER2_PTE_APERTURE_SYSTEM_NON_COHERENT_MEMORY 3
#define NV_MMU_VER2_PTE_VOL                                 VGSP_BIT(3)
#define NV_MMU_VER2_PTE_ENCRYPTED                           VGSP_BIT(4)
#define NV_MMU_VER2_PTE_PRIVILEGE                           VGSP_BIT(5)
#define NV_MMU_VER2_PTE_READ_ONLY                           VGSP_BIT(6)
#define NV_MMU_VER2_PTE_ATOMIC_DISABLE                      VGSP_BIT(7)
#define NV_MMU_VER2_PTE_ADDRESS_VID                         VGSP_BITS(32, 8)
#define NV_MMU_VER2_PTE_ADDRESS_VID_PEER                    VGSP_BITS(35, 33)
#define NV_MMU_VER2_PTE_ADDRESS_SYS                         VGSP_BITS(53, 8)
#define NV_MMU_VER2_PTE_ADDRESS_SHIFT                       12
#define NV_MMU_VER2_PTE_COMPTAGLINE                         VGSP_BITS(53, 36)
#define NV_MMU_VER2_PTE_KIND                                VGSP_BITS(63, 56)
#define NV_MMU_VER2_PTE__SIZE                               8

/* Storage kinds of Turing. */
#define NV_MMU_PTE_KIND_PITCH                                   0x00
#define NV_MMU_PTE_KIND_Z16                                     0x01
#define NV_MMU_PTE_KIND_S8                                      0x02
#define NV_MMU_PTE_KIND_S8Z24                                   0x03
#define NV_MMU_PTE_KIND_ZF32_X24S8                              0x04
#define NV_MMU_PTE_KIND_Z24S8                                   0x05
#define NV_MMU_PTE_KIND_GENERIC_MEMORY                          0x06
#define NV_MMU_PTE_KIND_INVALID                                 0x07
#define NV_MMU_PTE_KIND_GENERIC_MEMORY_COMPRESSIBLE             0x08
#define NV_MMU_PTE_KIND_GENERIC_MEMORY_COMPRESSIBLE_DISABLE_PLC 0x09
#define NV_MMU_PTE_KIND_S8_COMPRESSIBLE_DISABLE_PLC             0x0a
#define NV_MMU_PTE_KIND_Z16_COMPRESSIBLE_DISABLE_PLC            0x0b
#define NV_MMU_PTE_KIND_S8Z24_COMPRESSIBLE_DISABLE_PLC          0x0c
#define NV_MMU_PTE_KIND_ZF32_X24S8_COMPRESSIBLE_DISABLE_PLC     0x0d
#define NV_MMU_PTE_KIND_Z24S8_COMPRESSIBLE_DISABLE_PLC          0x0e
#define NV_MMU_PTE_KIND_SMSKED_MESSAGE                          0x0f

/*
 * Levels.  A virtual address has 49 bits; each name is the lowest address bit
 * that indexes the level, and so the logarithm of what one entry spans.
 */
#define NV_MMU_VER2_VA_BITS        49
#define NV_MMU_VER2_PD3_SHIFT      47
#define NV_MMU_VER2_PD2_SHIFT      38
#define NV_MMU_VER2_PD1_SHIFT      29
#define NV_MMU_VER2_PD0_SHIFT      21
#define NV_MMU_VER2_PT_BIG_SHIFT   16
#define NV_MMU_VER2_PT_SMALL_SHIFT 12

/*
 * Page directory base in an instance block: two words at byte 0x200, and a
 * copy for each of 64 subcontexts from byte 0x2a0, 16 bytes apart.
 */
#define NV_RAMIN_PAGE_DIR_BASE                            0x200
#define NV_RAMIN_SC_PAGE_DIR_BASE_VALID                   0x298
#define NV_RAMIN_SC_PAGE_DIR_BASE(i)                      (0x2a0 + 16 * (i))
#define NV_RAMIN_SC_PAGE_DIR_BASE__SIZE_1                 64
#define NV_RAMIN_PAGE_DIR_BASE_TARGET                     VGSP_BITS(1, 0)
#define NV_RAMIN_PAGE_DIR_BASE_TARGET_VID_MEM             0
#define NV_RAMIN_PAGE_DIR_BASE_TARGET_INVALID             1
#define NV_RAMIN_PAGE_DIR_BASE_TARGET_SYS_MEM_COHERENT    2
#define NV_RAMIN_PAGE_DIR_BASE_TARGET_SYS_MEM_NONCOHERENT 3
#define NV_RAMIN_PAGE_DIR_BASE_VOL                        VGSP_BIT(2)
#define NV_RAMIN_PAGE_DIR_BASE_FAULT_REPLAY_TEX           VGSP_BIT(4)
#define NV_RAMIN_PAGE_DIR_BASE_FAULT_REPLAY_GCC           VGSP_BIT(5)
#define NV_RAMIN_USE_VER2_PT_FORMAT                       VGSP_BIT(10)
#define NV_RAMIN_BIG_PAGE_SIZE_64KB                       VGSP_BIT(11)
#define NV_RAMIN_PAGE_DIR_BASE_LO                         VGSP_BITS(31, 12)

#endif
