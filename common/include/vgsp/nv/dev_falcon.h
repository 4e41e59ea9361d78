/*
 * Falcon microcontrollers of Turing: the registers that GSP, SEC2 and PMU
 * share, their frame buffer interface (FBIF) and GSP's RISC-V core.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, published/turing/tu102
 * dev_falcon_v4.h, dev_fbif_v4.h, dev_gsp.h, dev_sec_pri.h and
 * dev_riscv_pri.h, whose names these are; HWCFG1, ITFEN, IRQSSET and the upper
 * half of HWCFG are as nouveau uses them. Offsets are from the falcon's base.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_FALCON_H
#define VGSP_NV_DEV_FALCON_H

#include "vgsp/types.h"

/* Bases in BAR0, and the size of each falcon's register space. */
#define NV_PPWR_FALCON_BASE                     0x0010a000u
#define NV_PPWR_FALCON_SIZE                     0x00001000u
#define NV_PGSP_FALCON_BASE                     0x00110000u
#define NV_PGSP_SIZE                            0x00004000u
#define NV_PSEC_FALCON_BASE                     0x00840000u
#define NV_PSEC_SIZE                            0x00004000u

/* Interrupts: one bit a source, in all of these. */
#define NV_PFALCON_FALCON_IRQSSET               0x00000000u
#define NV_PFALCON_FALCON_IRQSCLR               0x00000004u
#define NV_PFALCON_FALCON_IRQSTAT               0x00000008u
#define NV_PFALCON_FALCON_IRQSTAT_HALT          VGSP_BIT(4)
#define NV_PFALCON_FALCON_IRQSTAT_SWGEN0        VGSP_BIT(6)
#define NV_PFALCON_FALCON_IRQSTAT_SWGEN1        VGSP_BIT(7)
#define NV_PFALCON_FALCON_IRQMSET               0x00000010u
#define NV_PFALCON_FALCON_IRQMCLR               0x00000014u
#define NV_PFALCON_FALCON_IRQMASK               0x00000018u
#define NV_PFALCON_FALCON_IRQDEST               0x0000001cu

#define NV_PFALCON_FALCON_MAILBOX0              0x00000040u
#define NV_PFALCON_FALCON_MAILBOX1              0x00000044u
#define NV_PFALCON_FALCON_ITFEN                 0x00000048u
#define NV_PFALCON_FALCON_ITFEN_MASK            VGSP_BITS(1, 0)
#define NV_PFALCON_FALCON_OS                    0x00000080u
#define NV_PFALCON_FALCON_RM                    0x00000084u
#define NV_PFALCON_FALCON_DEBUGINFO             0x00000094u

#define NV_PFALCON_FALCON_HWCFG2                0x000000f4u
#define NV_PFALCON_FALCON_HWCFG2_RISCV          VGSP_BIT(10)

#define NV_PFALCON_FALCON_CPUCTL                0x00000100u
#define NV_PFALCON_FALCON_CPUCTL_STARTCPU       VGSP_BIT(1)
#define NV_PFALCON_FALCON_CPUCTL_HALTED         VGSP_BIT(4)
#define NV_PFALCON_FALCON_CPUCTL_ALIAS_EN       VGSP_BIT(6)
#define NV_PFALCON_FALCON_BOOTVEC               0x00000104u
#define NV_PFALCON_FALCON_HWCFG                 0x00000108u
#define NV_PFALCON_FALCON_HWCFG_IMEM_SIZE       VGSP_BITS(8, 0)  /* 256 B */
#define NV_PFALCON_FALCON_HWCFG_DMEM_SIZE       VGSP_BITS(17, 9) /* 256 B */
#define NV_PFALCON_FALCON_DMACTL                0x0000010cu
#define NV_PFALCON_FALCON_DMACTL_REQUIRE_CTX    VGSP_BIT(0)
#define NV_PFALCON_FALCON_DMACTL_DMEM_SCRUBBING VGSP_BIT(1)
#define NV_PFALCON_FALCON_DMACTL_IMEM_SCRUBBING VGSP_BIT(2)
#define NV_PFALCON_FALCON_HWCFG1                0x0000012cu
#define NV_PFALCON_FALCON_HWCFG1_CORE_REV       VGSP_BITS(3, 0)
#define NV_PFALCON_FALCON_HWCFG1_SECURITY_MODEL VGSP_BITS(5, 4)
#define NV_PFALCON_FALCON_HWCFG1_IMEM_PORTS     VGSP_BITS(11, 8)
#define NV_PFALCON_FALCON_HWCFG1_DMEM_PORTS     VGSP_BITS(15, 12)
#define NV_PFALCON_FALCON_CPUCTL_ALIAS          0x00000130u

/* PIO ports of the memories; the address is a byte address, 4-aligned. */
#define NV_PFALCON_FALCON_IMEMC(i)              (0x00000180u + (i) * 16)
#define NV_PFALCON_FALCON_IMEMD(i)              (0x00000184u + (i) * 16)
#define NV_PFALCON_FALCON_IMEMT(i)              (0x00000188u + (i) * 16)
#define NV_PFALCON_FALCON_IMEM_STRIDE           16u
#define NV_PFALCON_FALCON_IMEM__SIZE_1          4u
#define NV_PFALCON_FALCON_IMEMT_TAG             VGSP_BITS(15, 0)
#define NV_PFALCON_FALCON_DMEMC(i)              (0x000001c0u + (i) * 8)
#define NV_PFALCON_FALCON_DMEMD(i)              (0x000001c4u + (i) * 8)
#define NV_PFALCON_FALCON_DMEM_STRIDE           8u
#define NV_PFALCON_FALCON_DMEM__SIZE_1          8u
/* Fields of IMEMC, DMEMC and EMEMC alike. */
#define NV_PFALCON_FALCON_MEMC_ADDR             VGSP_BITS(15, 2) /* OFFS, BLK */
#define NV_PFALCON_FALCON_MEMC_AINCW            VGSP_BIT(24)
#define NV_PFALCON_FALCON_MEMC_AINCR            VGSP_BIT(25)
#define NV_PFALCON_FALCON_IMEMC_SECURE          VGSP_BIT(28)
/* IMEM is tagged, and marked secure, in blocks of 256 bytes. */
#define NV_PFALCON_IMEM_BLKSIZE                 256u

#define NV_PFALCON_FALCON_COMMON_SCRATCH_GROUP_0(i) (0x00000300u + (i) * 4)
#define NV_PFALCON_FALCON_COMMON_SCRATCH__SIZE  16u /* groups 0 to 3 */

/* NV_PGSP_FALCON_ENGINE, NV_PSEC_FALCON_ENGINE */
#define NV_PFALCON_FALCON_ENGINE                0x000003c0u
#define NV_PFALCON_FALCON_ENGINE_RESET          VGSP_BIT(0)

/* SEC2: bit 20 selects debug signatures (nouveau's tu102_sec2_flcn.debug). */
#define NV_PSEC_FALCON_DEBUG                    0x00000408u

#define NV_PFALCON_FBIF_TRANSCFG(i)             (0x00000600u + (i) * 4)
#define NV_PFALCON_FBIF_TRANSCFG__SIZE_1        8u
#define NV_PFALCON_FBIF_TRANSCFG_TARGET         VGSP_BITS(1, 0)
#define NV_PFALCON_FBIF_TRANSCFG_TARGET_LOCAL_FB           0u
#define NV_PFALCON_FBIF_TRANSCFG_TARGET_COHERENT_SYSMEM    1u
#define NV_PFALCON_FBIF_TRANSCFG_TARGET_NONCOHERENT_SYSMEM 2u
#define NV_PFALCON_FBIF_TRANSCFG_MEM_TYPE       VGSP_BIT(2) /* physical */
#define NV_PFALCON_FBIF_CTL                     0x00000624u
#define NV_PFALCON_FBIF_CTL_ALLOW_PHYS_NO_CTX   VGSP_BIT(7)

/* NV_PGSP_MAILBOX, NV_PSEC_MAILBOX */
#define NV_PFALCON_MAILBOX(i)                   (0x00000804u + (i) * 4)
#define NV_PFALCON_MAILBOX__SIZE_1              4u
#define NV_PFALCON_EMEMC(i)                     (0x00000ac0u + (i) * 8)
#define NV_PFALCON_EMEMD(i)                     (0x00000ac4u + (i) * 8)
#define NV_PFALCON_EMEM_STRIDE                  8u
#define NV_PFALCON_EMEM__SIZE_1                 4u
#define NV_PFALCON_QUEUE_HEAD(i)                (0x00000c00u + (i) * 8)
#define NV_PFALCON_QUEUE_TAIL(i)                (0x00000c04u + (i) * 8)
#define NV_PFALCON_QUEUE__SIZE_1                8u

/* RISC-V core of GSP (NV_FALCON2_GSP_BASE is the falcon's base + 0x1000). */
#define NV_PRISCV_BASE                          0x00001000u
#define NV_PRISCV_RISCV_CORE_SWITCH_RISCV_STATUS            0x00001240u
#define NV_PRISCV_RISCV_CORE_SWITCH_RISCV_STATUS_ACTIVE_STAT VGSP_BIT(0)
#define NV_PRISCV_RISCV_IRQMASK                 0x000012b4u
#define NV_PRISCV_RISCV_IRQDEST                 0x000012b8u

/* MAILBOX0 of GSP: libos says that GSP-RM has stopped. */
#define LIBOS_INTERRUPT_PROCESSOR_SUSPENDED     0x80000000u

#endif
