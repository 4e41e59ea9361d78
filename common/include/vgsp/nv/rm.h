/*
 * RM's numbers and structures behind GSP_RM_CONTROL: status codes, engine
 * types, control commands and their parameters. Where releases differ, the
 * layout is that of 570.144 and nv/profile.h says what is otherwise.
 *
 * Source: NVIDIA/open-gpu-kernel-modules, nvstatuscodes.h, nverror.h,
 * class/cl2080.h and ctrl/ctrl*.h. The names are NVIDIA's. Little-endian, as
 * in nv/rpc.h: the structures give offsets and sizes only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_RM_H
#define VGSP_NV_RM_H

#include "vgsp/nv/rpc.h"

/* ---- NV_STATUS ---- */

enum {
    NV_OK = 0x00,
    NV_ERR_BUFFER_TOO_SMALL = 0x02,
    NV_ERR_INSERT_DUPLICATE_NAME = 0x19,
    NV_ERR_INSUFFICIENT_RESOURCES = 0x1a,
    NV_ERR_INSUFFICIENT_PERMISSIONS = 0x1b,
    NV_ERR_INVALID_ADDRESS = 0x1e,
    NV_ERR_INVALID_ARGUMENT = 0x1f,
    NV_ERR_INVALID_CHANNEL = 0x21,
    NV_ERR_INVALID_CLASS = 0x22,
    NV_ERR_INVALID_CLIENT = 0x23,
    NV_ERR_INVALID_OBJECT_HANDLE = 0x33,
    NV_ERR_INVALID_OBJECT_PARENT = 0x36,
    NV_ERR_INVALID_PARAM_STRUCT = 0x3a,
    NV_ERR_INVALID_STATE = 0x40,
    NV_ERR_MORE_PROCESSING_REQUIRED = 0x4d,
    NV_ERR_NO_FREE_FIFOS = 0x4f,
    NV_ERR_NO_MEMORY = 0x51,
    NV_ERR_NOT_SUPPORTED = 0x56,
    NV_ERR_OBJECT_NOT_FOUND = 0x57,
    NV_ERR_STATE_IN_USE = 0x63,
    NV_ERR_TIMEOUT = 0x65,
};

/* ---- NV2080_ENGINE_TYPE_* (class/cl2080.h) ---- */

#define NV2080_ENGINE_TYPE_NULL         0x00
#define NV2080_ENGINE_TYPE_GRAPHICS     0x01
#define NV2080_ENGINE_TYPE_GR0          NV2080_ENGINE_TYPE_GRAPHICS
#define NV2080_ENGINE_TYPE_COPY0        0x09
#define NV2080_ENGINE_TYPE_COPY(i)      (NV2080_ENGINE_TYPE_COPY0 + (i))
#define NV2080_ENGINE_TYPE_COPY9        0x12
#define NV2080_ENGINE_TYPE_NVDEC0       0x13
#define NV2080_ENGINE_TYPE_NVDEC7       0x1a
#define NV2080_ENGINE_TYPE_NVENC0       0x1b
#define NV2080_ENGINE_TYPE_NVENC2       0x1d

/* RM's ENG_DESC: a class id and an instance. */
#define VGSP_ENG_GR(i)                  (0xd334df00u + (i))
#define VGSP_ENG_CE(i)                  (0x793ceb00u + (i))

/* ---- Errors of channels (nverror.h), the "Xid" of logs ---- */

#define ROBUST_CHANNEL_GR_EXCEPTION             13
#define ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT   31
#define ROBUST_CHANNEL_PBDMA_ERROR              32
#define ROBUST_CHANNEL_RESETCHANNEL_VERIF_ERROR 43

/* RC_TRIGGERED.scope */
#define RC_NOTIFIER_SCOPE_CHANNEL       0
#define RC_NOTIFIER_SCOPE_TSG           1

/* NV2080_CTRL_FB_INFO_RAM_TYPE_* */
#define NV2080_CTRL_FB_INFO_RAM_TYPE_GDDR6 0x11

/* ---- Controls of a device (0x0080) ---- */

#define NV0080_CTRL_CMD_FB_GET_COMPBIT_STORE_INFO 0x801306
typedef struct NV0080_CTRL_FB_GET_COMPBIT_STORE_INFO_PARAMS {
    uint64_t Size;
    uint64_t Address;
    uint32_t AddressSpace;
    uint32_t MaxCompbitLine;
    uint32_t comptagsPerCacheLine;
    uint32_t cacheLineSize;
    uint32_t cacheLineSizePerSlice;
    uint32_t cacheLineFetchAlignment;
    uint64_t backingStoreBase;
    uint32_t gobsPerComptagPerSlice;
    uint32_t backingStoreCbcBase;
    uint32_t comptaglineAllocationPolicy;
    uint32_t pad3c;
    uint64_t privRegionStartOffset;
    uint32_t cbcCoveragePerSlice;
    uint32_t pad4c;
} NV0080_CTRL_FB_GET_COMPBIT_STORE_INFO_PARAMS;
VGSP_ASSERT_SIZE(NV0080_CTRL_FB_GET_COMPBIT_STORE_INFO_PARAMS, 80);
#define NV0080_CTRL_CMD_FB_GET_COMPBIT_STORE_INFO_ADDRESS_SPACE_UNKNOWN 0

#define NV0080_CTRL_CMD_DMA_SET_PAGE_DIRECTORY 0x801813
typedef struct NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_PARAMS {
    uint64_t physAddress;
    uint32_t numEntries;
    uint32_t flags;
    NvHandle hVASpace;
    uint32_t chId;
    uint32_t subDeviceId;
    uint32_t pasid;
} NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_PARAMS;
VGSP_ASSERT_SIZE(NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_PARAMS, 32);
#define NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE VGSP_BITS(1, 0)
#define NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE_VIDMEM        0
#define NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE_SYSMEM_COH    1
#define NV0080_CTRL_DMA_SET_PAGE_DIRECTORY_FLAGS_APERTURE_SYSMEM_NONCOH 2

#define NV0080_CTRL_CMD_DMA_UNSET_PAGE_DIRECTORY 0x801814
typedef struct NV0080_CTRL_DMA_UNSET_PAGE_DIRECTORY_PARAMS {
    NvHandle hVASpace;
    uint32_t subDeviceId;
} NV0080_CTRL_DMA_UNSET_PAGE_DIRECTORY_PARAMS;
VGSP_ASSERT_SIZE(NV0080_CTRL_DMA_UNSET_PAGE_DIRECTORY_PARAMS, 8);

/* ---- Controls of a subdevice (0x2080) ---- */

#define NV2080_CTRL_CMD_GPU_PROMOTE_CTX 0x2080012b
typedef struct NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ENTRY {
    uint64_t gpuPhysAddr;
    uint64_t gpuVirtAddr;
    uint64_t size;
    uint32_t physAttr;
    uint16_t bufferId;
    uint8_t bInitialize;
    uint8_t bNonmapped;
} NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ENTRY;
VGSP_ASSERT_SIZE(NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ENTRY, 32);
#define NV2080_CTRL_GPU_PROMOTE_CONTEXT_MAX_ENTRIES 16
typedef struct NV2080_CTRL_GPU_PROMOTE_CTX_PARAMS {
    uint32_t engineType;
    NvHandle hClient;
    uint32_t ChID;
    NvHandle hChanClient;
    NvHandle hObject;
    NvHandle hVirtMemory;
    uint64_t virtAddress;
    uint64_t size;
    uint32_t entryCount;
    uint32_t pad2c;
    NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ENTRY
        promoteEntry[NV2080_CTRL_GPU_PROMOTE_CONTEXT_MAX_ENTRIES];
} NV2080_CTRL_GPU_PROMOTE_CTX_PARAMS;
VGSP_ASSERT_SIZE(NV2080_CTRL_GPU_PROMOTE_CTX_PARAMS, 560);
#define NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ID_MAIN 0
#define NV2080_CTRL_GPU_PROMOTE_CTX_BUFFER_ID_COUNT 13

#define NV2080_CTRL_CMD_GPU_GET_FERMI_GPC_INFO 0x20800137
#define NV2080_CTRL_CMD_GPU_GET_FERMI_TPC_INFO 0x20800138
typedef struct NV2080_CTRL_GPU_GET_FERMI_TPC_INFO_PARAMS {
    uint32_t gpcId;
    uint32_t tpcMask;
} NV2080_CTRL_GPU_GET_FERMI_TPC_INFO_PARAMS;
VGSP_ASSERT_SIZE(NV2080_CTRL_GPU_GET_FERMI_TPC_INFO_PARAMS, 8);

/* 535 has the internal number, later releases the other. */
#define NV2080_CTRL_CMD_GPU_GET_CONSTRUCTED_FALCON_INFO 0x208001b0
#define NV2080_CTRL_CMD_INTERNAL_GET_CONSTRUCTED_FALCON_INFO 0x20800a42
typedef struct NV2080_CTRL_GPU_GET_CONSTRUCTED_FALCON_INFO_PARAMS {
    uint32_t numConstructedFalcons;
    struct {
        uint32_t engDesc;
        uint32_t ctxAttr;
        uint32_t ctxBufferSize;
        uint32_t addrSpaceList;
        uint32_t registerBase;
    } constructedFalconsTable[64];
} NV2080_CTRL_GPU_GET_CONSTRUCTED_FALCON_INFO_PARAMS;
VGSP_ASSERT_SIZE(NV2080_CTRL_GPU_GET_CONSTRUCTED_FALCON_INFO_PARAMS, 1284);

#define NV2080_CTRL_CMD_INTERNAL_MEMSYS_GET_STATIC_CONFIG 0x20800a1c
typedef struct NV2080_CTRL_INTERNAL_MEMSYS_GET_STATIC_CONFIG_PARAMS {
    uint8_t bOneToOneComptagLineAllocation;
    uint8_t bUseOneToFourComptagLineAllocation;
    uint8_t bUseRawModeComptaglineAllocation;
    uint8_t bDisableCompbitBacking;
    uint8_t bDisablePostL2Compression;
    uint8_t bEnabledEccFBPA;
    uint8_t bL2PreFill;
    uint8_t pad07;
    uint64_t l2CacheSize;
    uint8_t bFbpaPresent;
    uint8_t pad11[3];
    uint32_t comprPageSize;
    uint32_t comprPageShift;
    uint32_t ramType;
    uint32_t ltcCount;
    uint32_t ltsPerLtcCount;
} NV2080_CTRL_INTERNAL_MEMSYS_GET_STATIC_CONFIG_PARAMS;
VGSP_ASSERT_SIZE(NV2080_CTRL_INTERNAL_MEMSYS_GET_STATIC_CONFIG_PARAMS, 40);

#define NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_CONTEXT_BUFFERS_INFO 0x20800a32
#define NV2080_CTRL_INTERNAL_GR_MAX_ENGINES 8
typedef struct NV2080_CTRL_INTERNAL_ENGINE_CONTEXT_BUFFER_INFO {
    uint32_t size;
    uint32_t alignment;
} NV2080_CTRL_INTERNAL_ENGINE_CONTEXT_BUFFER_INFO;

/* Indices of that table: NV0080_CTRL_FIFO_GET_ENGINE_CONTEXT_PROPERTIES_... */
#define ENGINE_ID_GRAPHICS                  0x00
#define ENGINE_ID_GRAPHICS_ZCULL            0x08
#define ENGINE_ID_GRAPHICS_PM               0x09
#define ENGINE_ID_COMPUTE_PREEMPT           0x0a
#define ENGINE_ID_GRAPHICS_PREEMPT          0x0b
#define ENGINE_ID_GRAPHICS_SPILL            0x0c
#define ENGINE_ID_GRAPHICS_PAGEPOOL         0x0d
#define ENGINE_ID_GRAPHICS_BETACB           0x0e
#define ENGINE_ID_GRAPHICS_RTV              0x0f
#define ENGINE_ID_GRAPHICS_PATCH            0x10
#define ENGINE_ID_GRAPHICS_BUNDLE_CB        0x11
#define ENGINE_ID_GRAPHICS_PAGEPOOL_GLOBAL  0x12
#define ENGINE_ID_GRAPHICS_ATTRIBUTE_CB     0x13
#define ENGINE_ID_GRAPHICS_RTV_CB_GLOBAL    0x14
#define ENGINE_ID_GRAPHICS_GFXP_POOL        0x15
#define ENGINE_ID_GRAPHICS_GFXP_CTRL_BLK    0x16
#define ENGINE_ID_GRAPHICS_FECS_EVENT       0x17
#define ENGINE_ID_GRAPHICS_PRIV_ACCESS_MAP  0x18
#define ENGINE_ID_GRAPHICS_SETUP            0x19

#define NV2080_CTRL_CMD_INTERNAL_KGR_INIT_BUG4208224_WAR 0x20800a46
typedef struct NV2080_CTRL_INTERNAL_GR_INIT_BUG4208224_WAR_PARAMS {
    uint8_t bTeardown;
} NV2080_CTRL_INTERNAL_GR_INIT_BUG4208224_WAR_PARAMS;

#define NV2080_CTRL_CMD_INTERNAL_INTR_GET_KERNEL_TABLE 0x20800a5c
#define NV2080_CTRL_INTERNAL_INTR_MAX_TABLE_SIZE 128
#define NV2080_INTR_CATEGORY_DEFAULT                            0
#define NV2080_INTR_CATEGORY_ESCHED_DRIVEN_ENGINE               1
#define NV2080_INTR_CATEGORY_ESCHED_DRIVEN_ENGINE_NOTIFICATION  2
#define NV2080_INTR_CATEGORY_RUNLIST                            3
#define NV2080_INTR_CATEGORY_RUNLIST_NOTIFICATION               4
#define NV2080_INTR_CATEGORY_UVM_OWNED                          5
#define NV2080_INTR_CATEGORY_UVM_SHARED                         6
#define NV2080_INTR_CATEGORY_ENUM_COUNT                         7
typedef struct NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_ENTRY {
    uint16_t engineIdx;
    uint16_t pad02;
    uint32_t pmcIntrMask;
    uint32_t vectorStall;
    uint32_t vectorNonStall;
} NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_ENTRY;
typedef struct NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS {
    uint32_t tableLen;
    NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_ENTRY
        table[NV2080_CTRL_INTERNAL_INTR_MAX_TABLE_SIZE];
    struct {
        uint8_t subtreeStart;
        uint8_t subtreeEnd;
    } subtreeMap[NV2080_INTR_CATEGORY_ENUM_COUNT];
    uint8_t pad812[2];
} NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS;
VGSP_ASSERT_OFFSET(NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS,
                   subtreeMap, 0x804);
VGSP_ASSERT_SIZE(NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS, 0x814);
#define NV_INTR_VECTOR_INVALID          0xffffffffu
#define NV_INTR_SUBTREE_INVALID         0xffu

#define NV2080_CTRL_CMD_INTERNAL_FBSR_INIT 0x20800ac2
typedef struct NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS {
    NvHandle hClient;
    NvHandle hSysMem;
    uint8_t bEnteringGcoffState;
    uint8_t pad09[7];
    uint64_t sysmemAddrOfSuspendResumeData;
} NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS;
VGSP_ASSERT_SIZE(NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS, 24);
typedef struct NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS_535 {
    uint32_t fbsrType;
    uint32_t numRegions;
    NvHandle hClient;
    NvHandle hSysMem;
    uint64_t gspFbAllocsSysOffset;
    uint8_t bEnteringGcoffState;
    uint8_t pad19[7];
} NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS_535;
VGSP_ASSERT_SIZE(NV2080_CTRL_INTERNAL_FBSR_INIT_PARAMS_535, 32);

/* One number, two controls: the second is that of 535. */
#define NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING 0x20800ac3
typedef struct
    NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING_PARAMS {
    uint8_t bDisableActiveChannels;
} NV2080_CTRL_CMD_INTERNAL_FIFO_TOGGLE_ACTIVE_CHANNEL_SCHEDULING_PARAMS;
#define NV2080_CTRL_CMD_INTERNAL_FBSR_SEND_REGION_INFO 0x20800ac3
typedef struct NV2080_CTRL_INTERNAL_FBSR_SEND_REGION_INFO_PARAMS {
    uint32_t fbsrType;
    NvHandle hClient;
    NvHandle hVidMem;
    uint32_t pad0c;
    uint64_t vidOffset;
    uint64_t sysOffset;
    uint64_t size;
} NV2080_CTRL_INTERNAL_FBSR_SEND_REGION_INFO_PARAMS;
VGSP_ASSERT_SIZE(NV2080_CTRL_INTERNAL_FBSR_SEND_REGION_INFO_PARAMS, 40);

#define NV2080_CTRL_CMD_FIFO_GET_DEVICE_INFO_TABLE 0x20801112
#define NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_MAX_ENTRIES 32
#define NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_ENGINE_DATA_TYPES 16
#define NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_ENGINE_MAX_PBDMA 2
#define NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_ENGINE_MAX_NAME_LEN 16
typedef struct NV2080_CTRL_FIFO_DEVICE_ENTRY {
    uint32_t
        engineData[NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_ENGINE_DATA_TYPES];
    uint32_t pbdmaIds[NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_ENGINE_MAX_PBDMA];
    uint32_t
        pbdmaFaultIds[NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_ENGINE_MAX_PBDMA];
    uint32_t numPbdmas;
    char engineName[NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_ENGINE_MAX_NAME_LEN];
} NV2080_CTRL_FIFO_DEVICE_ENTRY;
VGSP_ASSERT_SIZE(NV2080_CTRL_FIFO_DEVICE_ENTRY, 100);
typedef struct NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_PARAMS {
    uint32_t baseIndex;
    uint32_t numEntries;
    uint8_t bMore;
    uint8_t pad09[3];
    NV2080_CTRL_FIFO_DEVICE_ENTRY
        entries[NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_MAX_ENTRIES];
} NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_PARAMS;
VGSP_ASSERT_SIZE(NV2080_CTRL_FIFO_GET_DEVICE_INFO_TABLE_PARAMS, 3212);

/* engineData's indices (g_kernel_fifo_nvoc.h: ENGINE_INFO_TYPE) */
#define ENGINE_INFO_TYPE_ENG_DESC           0
#define ENGINE_INFO_TYPE_FIFO_TAG           1
#define ENGINE_INFO_TYPE_RM_ENGINE_TYPE     2
#define ENGINE_INFO_TYPE_RUNLIST            3
#define ENGINE_INFO_TYPE_MMU_FAULT_ID       4
#define ENGINE_INFO_TYPE_RC_MASK            5
#define ENGINE_INFO_TYPE_RESET              6
#define ENGINE_INFO_TYPE_INTR               7
#define ENGINE_INFO_TYPE_MC                 8
#define ENGINE_INFO_TYPE_DEV_TYPE_ENUM      9
#define ENGINE_INFO_TYPE_INSTANCE_ID        10
#define ENGINE_INFO_TYPE_RUNLIST_PRI_BASE   11
#define ENGINE_INFO_TYPE_IS_HOST_DRIVEN_ENGINE 12
#define ENGINE_INFO_TYPE_RUNLIST_ENGINE_ID  13
#define ENGINE_INFO_TYPE_CHRAM_PRI_BASE     14

/* DEV_TYPE_ENUM's values (dev_top.h: NV_PTOP_DEVICE_INFO_TYPE_ENUM) */
#define NV_PTOP_DEVICE_INFO_TYPE_ENUM_GRAPHICS  0
#define NV_PTOP_DEVICE_INFO_TYPE_ENUM_LCE       19

#define NV2080_CTRL_CMD_GR_GET_ZCULL_INFO 0x20801206
#define NV2080_CTRL_GR_GET_ZCULL_INFO_WORDS 10

#define NV2080_CTRL_CMD_CE_GET_FAULT_METHOD_BUFFER_SIZE 0x20802a08

#define NV2080_CTRL_CMD_INTERNAL_GCX_ENTRY_PREREQUISITE 0x2080a7d7
typedef struct NV2080_CTRL_INTERNAL_GCX_ENTRY_PREREQUISITE_PARAMS {
    uint8_t bIsGC6Satisfied;
    uint8_t bIsGCOFFSatisfied;
} NV2080_CTRL_INTERNAL_GCX_ENTRY_PREREQUISITE_PARAMS;

/* ---- Controls of an address space (0x90f1) ---- */

#define NV90F1_CTRL_CMD_VASPACE_COPY_SERVER_RESERVED_PDES 0x90f10106
#define GMMU_FMT_MAX_LEVELS 6
typedef struct NV90F1_CTRL_VASPACE_COPY_SERVER_RESERVED_PDES_PARAMS {
    NvHandle hSubDevice;
    uint32_t subDeviceId;
    uint64_t pageSize;
    uint64_t virtAddrLo;
    uint64_t virtAddrHi;
    uint32_t numLevelsToCopy;
    uint32_t pad24;
    struct {
        uint64_t physAddress;
        uint64_t size;
        uint32_t aperture;
        uint8_t pageShift;
        uint8_t pad15[3];
    } levels[GMMU_FMT_MAX_LEVELS];
} NV90F1_CTRL_VASPACE_COPY_SERVER_RESERVED_PDES_PARAMS;
VGSP_ASSERT_SIZE(NV90F1_CTRL_VASPACE_COPY_SERVER_RESERVED_PDES_PARAMS, 184);
/* levels[].aperture (GMMU_APERTURE) */
#define GMMU_APERTURE_INVALID   0
#define GMMU_APERTURE_VIDEO     1
#define GMMU_APERTURE_PEER      2
#define GMMU_APERTURE_SYS_NONCOH 3
#define GMMU_APERTURE_SYS_COH   4

/* ---- Controls of a channel (0xc46f answers those of its ancestors) ---- */

#define NVA06F_CTRL_CMD_GPFIFO_SCHEDULE 0xa06f0103
typedef struct NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS {
    uint8_t bEnable;
    uint8_t bSkipSubmit;
} NVA06F_CTRL_GPFIFO_SCHEDULE_PARAMS;

#define NVA06F_CTRL_CMD_BIND 0xa06f0104
typedef struct NVA06F_CTRL_BIND_PARAMS {
    uint32_t engineType;
} NVA06F_CTRL_BIND_PARAMS;

#define NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN 0xc36f0108
typedef struct NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS {
    uint32_t workSubmitToken;
} NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS;

#define NVA06F_CTRL_CMD_STOP_CHANNEL    0xa06f0112
#define NVA06F_CTRL_CMD_INTERNAL_STOP_CHANNEL 0xa06f0301
typedef struct NVA06F_CTRL_STOP_CHANNEL_PARAMS {
    uint8_t bImmediate;
} NVA06F_CTRL_STOP_CHANNEL_PARAMS;

/* ---- Controls of a TSG; SCHEDULE and BIND have a channel's parameters ---- */

#define NVA06C_CTRL_CMD_GPFIFO_SCHEDULE 0xa06c0101
#define NVA06C_CTRL_CMD_BIND            0xa06c0102
#define NVA06C_CTRL_CMD_SET_TIMESLICE   0xa06c0103
#define NVA06C_CTRL_CMD_GET_TIMESLICE   0xa06c0104
#define NVA06C_CTRL_CMD_INTERNAL_GPFIFO_SCHEDULE    0xa06c0201
#define NVA06C_CTRL_CMD_INTERNAL_SET_TIMESLICE      0xa06c0202
typedef struct NVA06C_CTRL_TIMESLICE_PARAMS {
    uint64_t timesliceUs;
} NVA06C_CTRL_TIMESLICE_PARAMS;

#define NVA06C_CTRL_CMD_PREEMPT         0xa06c0105
#define NVA06C_CTRL_CMD_PREEMPT_MAX_MANUAL_TIMEOUT_US 1000000
typedef struct NVA06C_CTRL_PREEMPT_PARAMS {
    uint8_t bWait;
    uint8_t bManualTimeout;
    uint32_t timeoutUs;
} NVA06C_CTRL_PREEMPT_PARAMS;
VGSP_ASSERT_SIZE(NVA06C_CTRL_PREEMPT_PARAMS, 8);

#define NVA06C_CTRL_CMD_INTERNAL_PROMOTE_FAULT_METHOD_BUFFERS 0xa06c010a
typedef struct NVA06C_CTRL_INTERNAL_PROMOTE_FAULT_METHOD_BUFFERS_PARAMS {
    struct {
        uint64_t base, size, alignment;
        uint32_t addressSpace, cpuCacheAttrib;
    } methodBufferMemdesc[2];
    uint64_t bar2Addr[2];
    uint32_t numValidEntries;
    uint32_t pad54;
} NVA06C_CTRL_INTERNAL_PROMOTE_FAULT_METHOD_BUFFERS_PARAMS;
VGSP_ASSERT_SIZE(NVA06C_CTRL_INTERNAL_PROMOTE_FAULT_METHOD_BUFFERS_PARAMS, 88);

#define NV2080_CTRL_CMD_FIFO_DISABLE_CHANNELS 0x2080110b
#define NV2080_CTRL_FIFO_DISABLE_CHANNELS_MAX_ENTRIES 64
typedef struct NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS {
    uint8_t bDisable;
    uint32_t numChannels;
    uint8_t bOnlyDisableScheduling;
    uint8_t bRewindGpPut;
    uint64_t pRunlistPreemptEvent;
    NvHandle hClientList[NV2080_CTRL_FIFO_DISABLE_CHANNELS_MAX_ENTRIES];
    NvHandle hChannelList[NV2080_CTRL_FIFO_DISABLE_CHANNELS_MAX_ENTRIES];
} NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS;
VGSP_ASSERT_SIZE(NV2080_CTRL_FIFO_DISABLE_CHANNELS_PARAMS, 536);

/* ---- FB regions of GET_GSP_STATIC_INFO ---- */

typedef struct NV2080_CTRL_CMD_FB_GET_FB_REGION_FB_REGION_INFO {
    uint64_t base;
    uint64_t limit;              /* last byte */
    uint64_t reserved;           /* bytes of it */
    uint32_t performance;
    uint8_t supportCompressed;
    uint8_t supportISO;
    uint8_t bProtected;
    uint8_t blackList[17];
} NV2080_CTRL_CMD_FB_GET_FB_REGION_FB_REGION_INFO;
VGSP_ASSERT_SIZE(NV2080_CTRL_CMD_FB_GET_FB_REGION_FB_REGION_INFO, 0x30);
#define NV2080_CTRL_CMD_FB_GET_FB_REGION_INFO_OFFSET 8 /* of the first */

#endif
