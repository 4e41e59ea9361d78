/*
 * What a driver hands to the GSP boot chain of a Turing GPU: WPR metadata,
 * suspend/resume metadata, libos and GSP-RM arguments, the FWSEC command and
 * the descriptor of its bootloader, and the scratch registers in which the
 * boot ROMs answer.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, gsp_fw_wpr_meta.h,
 * gsp_fw_sr_meta.h, libos_init_args.h, gsp_init_args.h, rmflcnbl.h,
 * kernel_gsp_fwsec.c and dev_gc6_island.h.  The names are NVIDIA's.
 * Little-endian, as in nv/rpc.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_GSP_BOOT_H
#define VGSP_NV_GSP_BOOT_H

#include "vgsp/nv/rpc.h"

/* ---- Booter load: GspFwWprMeta ---- */

#define GSP_FW_WPR_META_MAGIC    UINT64_C(0xdc3aae21371a60b3)
#define GSP_FW_WPR_META_REVISION 1
#define GSP_FW_WPR_META_VERIFIED UINT64_C(0xa0a0a0a0a0a0a0a0)

typedef struct GspFwWprMeta {
    uint64_t magic;
    uint64_t revision;
    uint64_t sysmemAddrOfRadix3Elf;
    uint64_t sizeOfRadix3Elf;
    uint64_t sysmemAddrOfBootloader;
    uint64_t sizeOfBootloader;
    uint64_t bootloaderCodeOffset;
    uint64_t bootloaderDataOffset;
    uint64_t bootloaderManifestOffset;
    uint64_t sysmemAddrOfSignature;
    uint64_t sizeOfSignature;
    uint64_t gspFwRsvdStart;
    uint64_t nonWprHeapOffset;
    uint64_t nonWprHeapSize;
    uint64_t gspFwWprStart;
    uint64_t gspFwHeapOffset;
    uint64_t gspFwHeapSize;
    uint64_t gspFwOffset;
    uint64_t bootBinOffset;
    uint64_t frtsOffset;
    uint64_t frtsSize;
    uint64_t gspFwWprEnd;
    uint64_t fbSize;
    uint64_t vgaWorkspaceOffset;
    uint64_t vgaWorkspaceSize;
    uint64_t bootCount;
    uint64_t partitionRpcAddr;
    uint16_t partitionRpcRequestOffset;
    uint16_t partitionRpcReplyOffset;
    uint32_t elfCodeOffset;
    uint32_t elfDataOffset;
    uint32_t elfCodeSize;
    uint32_t elfDataSize;
    uint32_t lsUcodeVersion;
    uint8_t gspFwHeapVfPartitionCount;
    uint8_t flags;               /* 570; padding before */
    uint8_t padding[2];
    uint32_t pmuReservedSize;    /* 570; padding before */
    uint64_t verified;
} GspFwWprMeta;
VGSP_ASSERT_OFFSET(GspFwWprMeta, sysmemAddrOfSignature, 0x48);
VGSP_ASSERT_OFFSET(GspFwWprMeta, gspFwRsvdStart, 0x58);
VGSP_ASSERT_OFFSET(GspFwWprMeta, gspFwWprStart, 0x70);
VGSP_ASSERT_OFFSET(GspFwWprMeta, frtsOffset, 0x98);
VGSP_ASSERT_OFFSET(GspFwWprMeta, gspFwWprEnd, 0xa8);
VGSP_ASSERT_OFFSET(GspFwWprMeta, bootCount, 0xc8);
VGSP_ASSERT_OFFSET(GspFwWprMeta, gspFwHeapVfPartitionCount, 0xf0);
VGSP_ASSERT_OFFSET(GspFwWprMeta, verified, 0xf8);
VGSP_ASSERT_SIZE(GspFwWprMeta, 0x100);

/* ---- Booter load on resume, Booter unload on suspend: GspFwSRMeta ---- */

#define GSP_FW_SR_META_MAGIC    UINT64_C(0x8a3bb9e6c6c39d93)
#define GSP_FW_SR_META_REVISION 2

typedef struct GspFwSRMeta {
    uint64_t magic;
    uint64_t revision;
    uint64_t sysmemAddrOfSuspendResumeData; /* radix3 level 0 page */
    uint64_t sizeOfSuspendResumeData;
    uint32_t internal[32];
    uint32_t flags;
    uint32_t subrevision;
    uint32_t padding[22];
} GspFwSRMeta;
VGSP_ASSERT_OFFSET(GspFwSRMeta, flags, 0xa0);
VGSP_ASSERT_SIZE(GspFwSRMeta, 0x100);

/* Booter unload's mailboxes when there is no SR metadata. */
#define BOOTER_UNLOAD_MAILBOX_NORMAL 0x000000ffu
#define BOOTER_UNLOAD_MAILBOX_GC6    0xdeaddeadu

/* radix3: level 0 and 1 are one page each, level 2 as many as it takes. */
#define LIBOS_MEMORY_REGION_RADIX_PAGE_SIZE 0x1000u
#define LIBOS_MEMORY_REGION_RADIX_ENTRIES   0x200u

/* ---- libos arguments: a page of these, ended by id8 == 0 ---- */

#define LIBOS_MEMORY_REGION_INIT_ARGUMENTS_MAX 0x1000u

typedef struct LibosMemoryRegionInitArgument {
    uint64_t id8;                /* up to 8 characters, last in 7:0 */
    uint64_t pa;
    uint64_t size;
    uint8_t kind;
    uint8_t loc;
    uint8_t pad1a[6];
} LibosMemoryRegionInitArgument;
VGSP_ASSERT_SIZE(LibosMemoryRegionInitArgument, 0x20);

#define LIBOS_MEMORY_REGION_NONE       0
#define LIBOS_MEMORY_REGION_CONTIGUOUS 1
#define LIBOS_MEMORY_REGION_RADIX3     2
#define LIBOS_MEMORY_REGION_LOC_NONE   0
#define LIBOS_MEMORY_REGION_LOC_SYSMEM 1
#define LIBOS_MEMORY_REGION_LOC_FB     2

#define VGSP_LIBOS_ID_LOGINIT UINT64_C(0x004c4f47494e4954)
#define VGSP_LIBOS_ID_LOGINTR UINT64_C(0x004c4f47494e5452)
#define VGSP_LIBOS_ID_LOGRM   UINT64_C(0x0000004c4f47524d)
#define VGSP_LIBOS_ID_RMARGS  UINT64_C(0x0000524d41524753)

/* ---- RMARGS ---- */

typedef struct MESSAGE_QUEUE_INIT_ARGUMENTS_570 {
    uint64_t sharedMemPhysAddr;
    uint32_t pageTableEntryCount;
    uint32_t pad0c;
    uint64_t cmdQueueOffset;
    uint64_t statQueueOffset;
} MESSAGE_QUEUE_INIT_ARGUMENTS_570;
VGSP_ASSERT_SIZE(MESSAGE_QUEUE_INIT_ARGUMENTS_570, 0x20);

typedef struct GSP_SR_INIT_ARGUMENTS {
    uint32_t oldLevel;
    uint32_t flags;
    uint8_t bInPMTransition;
    uint8_t pad09[3];
} GSP_SR_INIT_ARGUMENTS;
VGSP_ASSERT_SIZE(GSP_SR_INIT_ARGUMENTS, 0x0c);

typedef struct GSP_ARGUMENTS_CACHED_570 {
    MESSAGE_QUEUE_INIT_ARGUMENTS_570 messageQueueInitArguments;
    GSP_SR_INIT_ARGUMENTS srInitArguments;
    uint32_t gpuInstance;
    uint8_t bDmemStack;
    uint8_t pad31[7];
    struct {
        uint64_t pa;
        uint64_t size;
    } profilerArgs;
} GSP_ARGUMENTS_CACHED_570;
VGSP_ASSERT_OFFSET(GSP_ARGUMENTS_CACHED_570, gpuInstance, 0x2c);
VGSP_ASSERT_SIZE(GSP_ARGUMENTS_CACHED_570, 0x48);

/* 535.113.01 and 550.163.01 */
typedef struct GSP_ARGUMENTS_CACHED_535 {
    MESSAGE_QUEUE_INIT_ARGUMENTS_570 messageQueueInitArguments;
    uint64_t locklessCmdQueueOffset;
    uint64_t locklessStatQueueOffset;
    GSP_SR_INIT_ARGUMENTS srInitArguments;
    uint32_t gpuInstance;
    struct {
        uint64_t pa;
        uint64_t size;
    } profilerArgs;
} GSP_ARGUMENTS_CACHED_535;
VGSP_ASSERT_OFFSET(GSP_ARGUMENTS_CACHED_535, srInitArguments, 0x30);
VGSP_ASSERT_OFFSET(GSP_ARGUMENTS_CACHED_535, gpuInstance, 0x3c);
VGSP_ASSERT_SIZE(GSP_ARGUMENTS_CACHED_535, 0x50);

/* ---- GSP_SET_SYSTEM_INFO: the payload size names the release ---- */

#define GSP_SYSTEM_INFO_SIZE_535_113_01 664u
#define GSP_SYSTEM_INFO_SIZE_550_163_01 880u
#define GSP_SYSTEM_INFO_SIZE_570_144    928u

/* ---- FWSEC ---- */

/* DMEMMAPPER init_cmd */
#define FALCON_APPLICATION_INTERFACE_DMEM_MAPPER_V3_CMD_FRTS 0x15u
#define FALCON_APPLICATION_INTERFACE_DMEM_MAPPER_V3_CMD_SB   0x19u

typedef struct FWSECLIC_READ_VBIOS_DESC {
    uint32_t version;
    uint32_t size;
    uint64_t gfwImageOffset;
    uint32_t gfwImageSize;
    uint32_t flags;
} FWSECLIC_READ_VBIOS_DESC;
VGSP_ASSERT_SIZE(FWSECLIC_READ_VBIOS_DESC, 0x18);

typedef struct FWSECLIC_FRTS_REGION_DESC {
    uint32_t version;
    uint32_t size;
    uint32_t frtsRegionOffset4K;
    uint32_t frtsRegionSize;     /* in 4 KiB */
    uint32_t frtsRegionMediaType;
} FWSECLIC_FRTS_REGION_DESC;
VGSP_ASSERT_SIZE(FWSECLIC_FRTS_REGION_DESC, 0x14);

/* The command buffer: both descriptors, packed (0x18 + 0x14 bytes). */
#define FWSECLIC_FRTS_CMD_FRTS_REGION_OFFSET      0x18u
#define FWSECLIC_FRTS_CMD_SIZE                    0x2cu
#define FWSECLIC_READ_VBIOS_STRUCT_FLAGS          2u
#define FWSECLIC_FRTS_REGION_MEDIA_FB             2u
#define FWSECLIC_FRTS_REGION_SIZE_1MB_IN_4K       0x100u

/* DMEM descriptor of the generic falcon bootloader, at DMEM 0. */
typedef struct RM_FLCN_BL_DMEM_DESC {
    uint32_t reserved[4];
    uint32_t signature[4];
    uint32_t ctxDma;
    uint32_t codeDmaBase[2];     /* lo, hi */
    uint32_t nonSecureCodeOff;
    uint32_t nonSecureCodeSize;
    uint32_t secureCodeOff;
    uint32_t secureCodeSize;
    uint32_t codeEntryPoint;
    uint32_t dataDmaBase[2];     /* lo, hi */
    uint32_t dataSize;
    uint32_t argc;
    uint32_t argv;
} RM_FLCN_BL_DMEM_DESC;
VGSP_ASSERT_OFFSET(RM_FLCN_BL_DMEM_DESC, ctxDma, 0x20);
VGSP_ASSERT_OFFSET(RM_FLCN_BL_DMEM_DESC, codeDmaBase, 0x24);
VGSP_ASSERT_OFFSET(RM_FLCN_BL_DMEM_DESC, codeEntryPoint, 0x3c);
VGSP_ASSERT_OFFSET(RM_FLCN_BL_DMEM_DESC, dataDmaBase, 0x40);
VGSP_ASSERT_SIZE(RM_FLCN_BL_DMEM_DESC, 0x54);

/* FBIF context of that descriptor: physical, non-coherent system memory. */
#define RM_FALC_DMAIDX_PHYS_SYS_NCOH 4u

#endif
