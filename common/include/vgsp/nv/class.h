/*
 * RM class numbers, and the allocation parameters of those classes that a
 * driver allocates by GSP_RM_ALLOC. A size that differs between releases is
 * in the profile (nv/profile.h).
 *
 * Source: NVIDIA/open-gpu-kernel-modules, class/cl*.h, alloc_channel.h and
 * nvos.h. The names are NVIDIA's. Little-endian, as in nv/rpc.h: the
 * structures give offsets and sizes only.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_CLASS_H
#define VGSP_NV_CLASS_H

#include "vgsp/nv/rpc.h"

#define NV01_ROOT                       0x0000
#define NV01_EVENT                      0x0005
#define NV01_ROOT_CLIENT                0x0041
#define NV01_EVENT_KERNEL_CALLBACK      0x0078
#define NV01_EVENT_OS_EVENT             0x0079
#define NV01_EVENT_KERNEL_CALLBACK_EX   0x007e
#define NV01_DEVICE_0                   0x0080
#define NV01_MEMORY_LIST_SYSTEM         0x0081
#define NV01_MEMORY_LIST_FBMEM          0x0082
#define NV20_SUBDEVICE_0                0x2080
#define FERMI_CONTEXT_SHARE_A           0x9067
#define FERMI_VASPACE_A                 0x90f1
#define FERMI_TWOD_A                    0x902d
#define KEPLER_CHANNEL_GROUP_A          0xa06c
#define KEPLER_INLINE_TO_MEMORY_B       0xa140
#define TURING_CHANNEL_GPFIFO_A         0xc46f
#define TURING_A                        0xc597
#define TURING_DMA_COPY_A               0xc5b5
#define TURING_COMPUTE_A                0xc5c0

/* NV01_ROOT */
typedef struct NV0000_ALLOC_PARAMETERS_535 {
    NvHandle hClient;
    uint32_t processID;
    char processName[100];
} NV0000_ALLOC_PARAMETERS_535;
VGSP_ASSERT_SIZE(NV0000_ALLOC_PARAMETERS_535, 108);

typedef struct NV0000_ALLOC_PARAMETERS_570 {
    NvHandle hClient;
    uint32_t processID;
    char processName[100];
    uint32_t pad6c;
    uint64_t pOsPidInfo;
} NV0000_ALLOC_PARAMETERS_570;
VGSP_ASSERT_SIZE(NV0000_ALLOC_PARAMETERS_570, 120);

/* NV01_DEVICE_0 */
typedef struct NV0080_ALLOC_PARAMETERS {
    uint32_t deviceId;
    NvHandle hClientShare;
    NvHandle hTargetClient;
    NvHandle hTargetDevice;
    uint32_t flags;
    uint32_t pad14;
    uint64_t vaSpaceSize;
    uint64_t vaStartInternal;
    uint64_t vaLimitInternal;
    uint32_t vaMode;
    uint32_t pad34;
} NV0080_ALLOC_PARAMETERS;
VGSP_ASSERT_SIZE(NV0080_ALLOC_PARAMETERS, 56);

/* NV20_SUBDEVICE_0 */
typedef struct NV2080_ALLOC_PARAMETERS {
    uint32_t subDeviceId;
} NV2080_ALLOC_PARAMETERS;

/* NV01_EVENT and its kinds */
typedef struct NV0005_ALLOC_PARAMETERS {
    NvHandle hParentClient;
    NvHandle hSrcResource;
    uint32_t hClass;
    uint32_t notifyIndex;
    uint64_t data;
} NV0005_ALLOC_PARAMETERS;
VGSP_ASSERT_SIZE(NV0005_ALLOC_PARAMETERS, 24);

/* notifyIndex: the number itself, and flags above it. */
#define NV0005_NOTIFY_INDEX_INDEX       VGSP_BITS(15, 0)

/* FERMI_VASPACE_A */
typedef struct NV_VASPACE_ALLOCATION_PARAMETERS {
    uint32_t index;
    uint32_t flags;
    uint64_t vaSize;
    uint64_t vaStartInternal;
    uint64_t vaLimitInternal;
    uint32_t bigPageSize;
    uint32_t pad24;
    uint64_t vaBase;
} NV_VASPACE_ALLOCATION_PARAMETERS;
VGSP_ASSERT_SIZE(NV_VASPACE_ALLOCATION_PARAMETERS, 48);

#define NV_VASPACE_ALLOCATION_INDEX_GPU_NEW 0
#define NV_VASPACE_ALLOCATION_FLAGS_IS_EXTERNALLY_OWNED VGSP_BIT(3)
#define NV_VASPACE_ALLOCATION_FLAGS_ENABLE_PAGE_FAULTING VGSP_BIT(6)

/* KEPLER_CHANNEL_GROUP_A */
typedef struct NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS {
    NvHandle hObjectError;
    NvHandle hObjectEccError;
    NvHandle hVASpace;
    uint32_t engineType;
    uint8_t bIsCallingContextVgpuPlugin;
} NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS;
VGSP_ASSERT_SIZE(NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS, 20);

/* FERMI_CONTEXT_SHARE_A */
typedef struct NV_CTXSHARE_ALLOCATION_PARAMETERS {
    NvHandle hVASpace;
    uint32_t flags;
    uint32_t subctxId;
} NV_CTXSHARE_ALLOCATION_PARAMETERS;

/* TURING_CHANNEL_GPFIFO_A; 535 ends before decryptIv's last two words */
typedef struct NV_MEMORY_DESC_PARAMS {
    uint64_t base;
    uint64_t size;
    uint32_t addressSpace;
    uint32_t cacheAttrib;
} NV_MEMORY_DESC_PARAMS;
VGSP_ASSERT_SIZE(NV_MEMORY_DESC_PARAMS, 24);

#define NV_MEMORY_DESC_ADDRESS_SPACE_SYSMEM 1 /* ADDR_SYSMEM */
#define NV_MEMORY_DESC_ADDRESS_SPACE_FBMEM  2 /* ADDR_FBMEM */

#define NV_MAX_SUBDEVICES 8

typedef struct NV_CHANNEL_ALLOC_PARAMS {
    NvHandle hObjectError;
    NvHandle hObjectBuffer;
    uint64_t gpFifoOffset;
    uint32_t gpFifoEntries;
    uint32_t flags;
    NvHandle hContextShare;
    NvHandle hVASpace;
    NvHandle hUserdMemory[NV_MAX_SUBDEVICES];
    uint64_t userdOffset[NV_MAX_SUBDEVICES];
    uint32_t engineType;
    uint32_t cid;
    uint32_t subDeviceId;
    NvHandle hObjectEccError;
    NV_MEMORY_DESC_PARAMS instanceMem;
    NV_MEMORY_DESC_PARAMS userdMem;
    NV_MEMORY_DESC_PARAMS ramfcMem;
    NV_MEMORY_DESC_PARAMS mthdbufMem;
    NvHandle hPhysChannelGroup;
    uint32_t internalFlags;
    NV_MEMORY_DESC_PARAMS errorNotifierMem;
    NV_MEMORY_DESC_PARAMS eccErrorNotifierMem;
} NV_CHANNEL_ALLOC_PARAMS;
VGSP_ASSERT_OFFSET(NV_CHANNEL_ALLOC_PARAMS, engineType, 0x80);
VGSP_ASSERT_OFFSET(NV_CHANNEL_ALLOC_PARAMS, instanceMem, 0x90);
VGSP_ASSERT_OFFSET(NV_CHANNEL_ALLOC_PARAMS, internalFlags, 0xf4);
VGSP_ASSERT_OFFSET(NV_CHANNEL_ALLOC_PARAMS, errorNotifierMem, 0xf8);
/* What the releases have in common; the rest is of confidential computing. */
VGSP_ASSERT_SIZE(NV_CHANNEL_ALLOC_PARAMS, 0x128);

#define NVOS04_FLAGS_GROUP_CHANNEL_RUNQUEUE             VGSP_BIT(4)
#define NVOS04_FLAGS_PRIVILEGED_CHANNEL                 VGSP_BIT(5)
#define NVOS04_FLAGS_CHANNEL_USERD_INDEX_VALUE          VGSP_BITS(10, 8)
#define NVOS04_FLAGS_CHANNEL_USERD_INDEX_FIXED          VGSP_BIT(11)
#define NVOS04_FLAGS_CHANNEL_USERD_INDEX_PAGE_VALUE     VGSP_BITS(20, 12)
#define NVOS04_FLAGS_CHANNEL_USERD_INDEX_PAGE_FIXED     VGSP_BIT(21)
/* Channels whose USERD share a page: chid = page * 8 + index. */
#define NVOS04_CHANNELS_PER_USERD_PAGE                  8

#define NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS_PRIVILEGE  VGSP_BITS(1, 0)
#define NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS_PRIVILEGE_USER     0
#define NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS_PRIVILEGE_ADMIN    1
#define NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS_PRIVILEGE_KERNEL   2
#define NV_KERNELCHANNEL_ALLOC_INTERNALFLAGS_ERROR_NOTIFIER_TYPE \
    VGSP_BITS(3, 2)
#define ERROR_NOTIFIER_TYPE_UNKNOWN     0
#define ERROR_NOTIFIER_TYPE_NONE        1
#define ERROR_NOTIFIER_TYPE_CTXDMA      2
#define ERROR_NOTIFIER_TYPE_MEMORY      3

/* TURING_A and the other classes of GR */
typedef struct NV_GR_ALLOCATION_PARAMETERS {
    uint32_t version;
    uint32_t flags;
    uint32_t size;
    uint32_t caps;
} NV_GR_ALLOCATION_PARAMETERS;
VGSP_ASSERT_SIZE(NV_GR_ALLOCATION_PARAMETERS, 16);

/* TURING_DMA_COPY_A */
typedef struct NVB0B5_ALLOCATION_PARAMETERS {
    uint32_t version;
    uint32_t engineType;
} NVB0B5_ALLOCATION_PARAMETERS;
VGSP_ASSERT_SIZE(NVB0B5_ALLOCATION_PARAMETERS, 8);

#define NVB0B5_ALLOCATION_PARAMETERS_VERSION_0 0 /* engineType: instance */
#define NVB0B5_ALLOCATION_PARAMETERS_VERSION_1 1 /* NV2080_ENGINE_TYPE_* */

/* What RM writes when a channel fails (nvgputypes.h: NvNotification). */
typedef struct NvNotification {
    uint32_t timeStamp[2];       /* ns, lo and hi */
    uint32_t info32;             /* ROBUST_CHANNEL_* */
    uint16_t info16;             /* engine */
    uint16_t status;
} NvNotification;
VGSP_ASSERT_SIZE(NvNotification, 16);

#define NV_NOTIFICATION_STATUS_ERROR    0xffff

#endif
