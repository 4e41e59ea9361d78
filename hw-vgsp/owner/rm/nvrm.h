/*
 * The part of the resource manager's interface that this library uses: ioctl
 * numbers, structures, classes, controls and flags of NVIDIA's kernel driver.
 * Source of the facts: NVIDIA/open-gpu-kernel-modules, nv_escape.h,
 * nv-ioctl.h, nvos.h, alloc_channel.h, class/cl*.h, ctrl/ctrl*.h; the names
 * are NVIDIA's. Releases 535 to 580; what differs between them is in
 * RmRelease (client.c).
 *
 * The driver copies the parameters of an allocation by a size of its own, and
 * newer releases append to structures: allocations pass a RmAllocParams, which
 * is larger than any, zeros behind what is known.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_OWNER_RM_NVRM_H
#define HW_VGSP_OWNER_RM_NVRM_H

#include <sys/ioctl.h>

#include "vgsp/nv/class.h"
#include "vgsp/nv/hopper.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/rm.h"

/* ---- ioctls: type 'F'; the size is the argument's ---- */

#define NV_IOCTL_MAGIC              'F'
#define NV_ESC_RM_ALLOC_MEMORY      0x27
#define NV_ESC_RM_FREE              0x29
#define NV_ESC_RM_CONTROL           0x2a
#define NV_ESC_RM_ALLOC             0x2b
#define NV_ESC_RM_MAP_MEMORY        0x4e
#define NV_ESC_RM_UNMAP_MEMORY      0x4f
#define NV_ESC_RM_MAP_MEMORY_DMA    0x57
#define NV_ESC_RM_UNMAP_MEMORY_DMA  0x58
#define NV_ESC_CARD_INFO            200
#define NV_ESC_REGISTER_FD          201
#define NV_ESC_ALLOC_OS_EVENT       206
#define NV_ESC_CHECK_VERSION_STR    210

#define NV_IOWR(nr, size)           _IOC(_IOC_READ | _IOC_WRITE, \
                                         NV_IOCTL_MAGIC, (nr), (size))

typedef struct nv_ioctl_rm_api_version_t {
    uint32_t cmd;
    uint32_t reply;
    char versionString[64];
} nv_ioctl_rm_api_version_t;
VGSP_ASSERT_SIZE(nv_ioctl_rm_api_version_t, 72);
#define NV_RM_API_VERSION_CMD_QUERY '2'

typedef struct nv_ioctl_register_fd_t {
    int32_t ctl_fd;
} nv_ioctl_register_fd_t;

typedef struct nv_ioctl_card_info_t {
    uint8_t valid;
    struct {
        uint32_t domain;
        uint8_t bus;
        uint8_t slot;
        uint8_t function;
        uint16_t vendor_id;
        uint16_t device_id;
    } pci_info;
    uint32_t gpu_id;
    uint16_t interrupt_line;
    uint64_t reg_address;
    uint64_t reg_size;
    uint64_t fb_address;
    uint64_t fb_size;
    uint32_t minor_number;
    uint8_t dev_name[10];
} nv_ioctl_card_info_t;
VGSP_ASSERT_SIZE(nv_ioctl_card_info_t, 72);

typedef struct nv_ioctl_alloc_os_event_t {
    NvHandle hClient;
    NvHandle hDevice;
    uint32_t fd;
    uint32_t Status;
} nv_ioctl_alloc_os_event_t;

/* NV_ESC_RM_FREE */
typedef struct NVOS00_PARAMETERS {
    NvHandle hRoot;
    NvHandle hObjectParent;
    NvHandle hObjectOld;
    uint32_t status;
} NVOS00_PARAMETERS;
VGSP_ASSERT_SIZE(NVOS00_PARAMETERS, 16);

/* NV_ESC_RM_ALLOC_MEMORY */
typedef struct nv_ioctl_nvos02_parameters_with_fd {
    struct NVOS02_PARAMETERS {
        NvHandle hRoot;
        NvHandle hObjectParent;
        NvHandle hObjectNew;
        uint32_t hClass;
        uint32_t flags;
        uint32_t pad;
        uint64_t pMemory;
        uint64_t limit;
        uint32_t status;
        uint32_t pad2;
    } params;
    int32_t fd;
    uint32_t pad;
} nv_ioctl_nvos02_parameters_with_fd;
VGSP_ASSERT_SIZE(nv_ioctl_nvos02_parameters_with_fd, 56);
#define NVOS02_FLAGS_PHYSICALITY_NONCONTIGUOUS  (1u << 4)
#define NVOS02_FLAGS_COHERENCY_CACHED           (1u << 12)
#define NVOS02_FLAGS_ALLOC_NONE                 (1u << 16)
#define NVOS02_FLAGS_MAPPING_NO_MAP             (1u << 30)

/* NV_ESC_RM_ALLOC */
typedef struct NVOS64_PARAMETERS {
    NvHandle hRoot;
    NvHandle hObjectParent;
    NvHandle hObjectNew;
    uint32_t hClass;
    uint64_t pAllocParms;
    uint64_t pRightsRequested;
    uint32_t paramsSize;
    uint32_t flags;
    uint32_t status;
    uint32_t pad;
} NVOS64_PARAMETERS;
VGSP_ASSERT_SIZE(NVOS64_PARAMETERS, 48);

/* NV_ESC_RM_MAP_MEMORY; fd is a fresh one that is then passed to mmap() */
typedef struct nv_ioctl_nvos33_parameters_with_fd {
    struct NVOS33_PARAMETERS {
        NvHandle hClient;
        NvHandle hDevice;
        NvHandle hMemory;
        uint32_t pad;
        uint64_t offset;
        uint64_t length;
        uint64_t pLinearAddress;
        uint32_t status;
        uint32_t flags;
    } params;
    int32_t fd;
    uint32_t pad;
} nv_ioctl_nvos33_parameters_with_fd;
VGSP_ASSERT_SIZE(nv_ioctl_nvos33_parameters_with_fd, 56);
#define NVOS33_FLAGS_ACCESS_WRITE_ONLY          2u

/* NV_ESC_RM_UNMAP_MEMORY */
typedef struct NVOS34_PARAMETERS {
    NvHandle hClient;
    NvHandle hDevice;
    NvHandle hMemory;
    uint32_t pad;
    uint64_t pLinearAddress;
    uint32_t status;
    uint32_t flags;
} NVOS34_PARAMETERS;
VGSP_ASSERT_SIZE(NVOS34_PARAMETERS, 32);

/* NV_ESC_RM_MAP_MEMORY_DMA: until 575, and since 580 */
typedef struct NVOS46_PARAMETERS_535 {
    NvHandle hClient;
    NvHandle hDevice;
    NvHandle hDma;
    NvHandle hMemory;
    uint64_t offset;
    uint64_t length;
    uint32_t flags;
    uint32_t pad;
    uint64_t dmaOffset;
    uint32_t status;
    uint32_t pad2;
} NVOS46_PARAMETERS_535;
VGSP_ASSERT_SIZE(NVOS46_PARAMETERS_535, 56);

typedef struct NVOS46_PARAMETERS_580 {
    NvHandle hClient;
    NvHandle hDevice;
    NvHandle hDma;
    NvHandle hMemory;
    uint64_t offset;
    uint64_t length;
    uint32_t flags;
    uint32_t flags2;
    uint32_t kindOverride;
    uint32_t pad;
    uint64_t dmaOffset;
    uint32_t status;
    uint32_t pad2;
} NVOS46_PARAMETERS_580;
VGSP_ASSERT_SIZE(NVOS46_PARAMETERS_580, 64);
#define NVOS46_FLAGS_ACCESS_READ_ONLY           (1u << 0)
#define NVOS46_FLAGS_CACHE_SNOOP_ENABLE         (1u << 4)
#define NVOS46_FLAGS_PAGE_SIZE_4KB              (1u << 8)
#define NVOS46_FLAGS_DMA_OFFSET_FIXED_TRUE      (1u << 15)
#define NVOS46_FLAGS_PAGE_KIND_OVERRIDE_YES     (1u << 19)
#define NVOS46_FLAGS_DEFER_TLB_INVALIDATION     (1u << 31)

/* NV_ESC_RM_UNMAP_MEMORY_DMA: until 545, and since 550 */
typedef struct NVOS47_PARAMETERS_535 {
    NvHandle hClient;
    NvHandle hDevice;
    NvHandle hDma;
    NvHandle hMemory;
    uint32_t flags;
    uint32_t pad;
    uint64_t dmaOffset;
    uint32_t status;
    uint32_t pad2;
} NVOS47_PARAMETERS_535;
VGSP_ASSERT_SIZE(NVOS47_PARAMETERS_535, 40);

typedef struct NVOS47_PARAMETERS_550 {
    NvHandle hClient;
    NvHandle hDevice;
    NvHandle hDma;
    NvHandle hMemory;
    uint32_t flags;
    uint32_t pad;
    uint64_t dmaOffset;
    uint64_t size;
    uint32_t status;
    uint32_t pad2;
} NVOS47_PARAMETERS_550;
VGSP_ASSERT_SIZE(NVOS47_PARAMETERS_550, 48);

/* NV_ESC_RM_CONTROL */
typedef struct NVOS54_PARAMETERS {
    NvHandle hClient;
    NvHandle hObject;
    uint32_t cmd;
    uint32_t flags;
    uint64_t params;
    uint32_t paramsSize;
    uint32_t status;
} NVOS54_PARAMETERS;
VGSP_ASSERT_SIZE(NVOS54_PARAMETERS, 32);

/* ---- Classes ---- */

#define NV01_MEMORY_SYSTEM                  0x003e
#define NV01_MEMORY_VIRTUAL                 0x0070
#define NV01_MEMORY_SYSTEM_OS_DESCRIPTOR    0x0071
#define NV50_MEMORY_VIRTUAL                 0x50a0
#define VOLTA_USERMODE_A                    0xc361
#define TURING_USERMODE_A                   0xc461
#define HOPPER_USERMODE_A                   0xc661

/* HOPPER_USERMODE_A */
typedef struct NV_HOPPER_USERMODE_A_PARAMS {
    uint8_t bBar1Mapping;
    uint8_t bPriv;
} NV_HOPPER_USERMODE_A_PARAMS;
#define NVC361_SIZE                         0x10000
#define NVC361_NOTIFY_CHANNEL_PENDING       0x90

/*
 * FERMI_VASPACE_A: NV_VASPACE_ALLOCATION_FLAGS_VA_INTERNAL_LIMIT leaves the
 * kernel's part of the manager no addresses at all where there is a GSP
 * (measured, 580).
 */

/* NV01_MEMORY_VIRTUAL */
typedef struct NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS {
    uint64_t offset;
    uint64_t limit;
    NvHandle hVASpace;
    uint32_t pad;
} NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS;
VGSP_ASSERT_SIZE(NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS, 24);

/* NV01_MEMORY_SYSTEM, NV50_MEMORY_VIRTUAL */
typedef struct NV_MEMORY_ALLOCATION_PARAMS {
    uint32_t owner;
    uint32_t type;
    uint32_t flags;
    uint32_t width;
    uint32_t height;
    int32_t pitch;
    uint32_t attr;
    uint32_t attr2;
    uint32_t format;
    uint32_t comprCovg;
    uint32_t zcullCovg;
    uint32_t pad;
    uint64_t rangeLo;
    uint64_t rangeHi;
    uint64_t size;
    uint64_t alignment;
    uint64_t offset;
    uint64_t limit;
    uint64_t address;
    uint32_t ctagOffset;
    NvHandle hVASpace;
    uint32_t internalflags;
    uint32_t tag;
} NV_MEMORY_ALLOCATION_PARAMS;
VGSP_ASSERT_SIZE(NV_MEMORY_ALLOCATION_PARAMS, 120);
#define NVOS32_ATTR_PAGE_SIZE_4KB               (1u << 23)
#define NVOS32_ATTR_LOCATION_PCI                (1u << 25)
#define NVOS32_ATTR_PHYSICALITY_NONCONTIGUOUS   (1u << 27)
#define NVOS32_ATTR_COHERENCY_CACHED            (1u << 29)
#define NVOS32_ALLOC_FLAGS_FIXED_ADDRESS_ALLOCATE   0x00000010
#define NVOS32_ALLOC_FLAGS_ALIGNMENT_FORCE          0x00000100
#define NVOS32_ALLOC_FLAGS_LAZY                     0x00000400
#define NVOS32_ALLOC_FLAGS_VIRTUAL                  0x00080000
#define NVOS32_ALLOC_FLAGS_SPARSE                   0x04000000

/* NV01_EVENT_OS_EVENT: notifyIndex */
#define NV2080_NOTIFIERS_GR0                12u
#define NV01_EVENT_NONSTALL_INTR            0x08000000u
#define NV01_EVENT_WITHOUT_EVENT_DATA       0x10000000u

typedef union RmAllocParams {
    NV0005_ALLOC_PARAMETERS event;
    NV0080_ALLOC_PARAMETERS device;
    NV_HOPPER_USERMODE_A_PARAMS usermode;
    NV_VASPACE_ALLOCATION_PARAMETERS vaspace;
    NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS window;
    NV_MEMORY_ALLOCATION_PARAMS memory;
    NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS group;
    NV_CTXSHARE_ALLOCATION_PARAMETERS share;
    NV_CHANNEL_ALLOC_PARAMS channel;
    uint8_t room[1024];
} RmAllocParams;

/* ---- Controls ---- */

#define NV0000_CTRL_CMD_GPU_GET_ID_INFO_V2          0x00000205
typedef struct NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS {
    uint32_t gpuId;
    uint32_t gpuFlags;
    uint32_t deviceInstance;
    uint32_t subDeviceInstance;
    uint32_t sliStatus;
    uint32_t boardId;
    uint32_t gpuInstance;
    int32_t numaId;
} NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS;

/* Not its _V2: the size of that differs from release to release. */
#define NV0080_CTRL_CMD_GPU_GET_CLASSLIST           0x00800201
typedef struct NV0080_CTRL_GPU_GET_CLASSLIST_PARAMS {
    uint32_t numClasses;
    uint32_t pad;
    uint64_t classList;
} NV0080_CTRL_GPU_GET_CLASSLIST_PARAMS;

#define NV2080_CTRL_CMD_MC_GET_ARCH_INFO            0x20801701
typedef struct NV2080_CTRL_MC_GET_ARCH_INFO_PARAMS {
    uint32_t architecture;
    uint32_t implementation;
    uint32_t revision;
    uint8_t subRevision;
} NV2080_CTRL_MC_GET_ARCH_INFO_PARAMS;

#define NV2080_CTRL_CMD_TIMER_GET_TIME              0x20800403
typedef struct NV2080_CTRL_TIMER_GET_TIME_PARAMS {
    uint64_t time_nsec;
} NV2080_CTRL_TIMER_GET_TIME_PARAMS;

#define NV2080_CTRL_CMD_GR_GET_GPC_MASK             0x2080122a
#define NV2080_CTRL_CMD_GR_GET_TPC_MASK             0x2080122b
typedef struct NV2080_CTRL_GR_GET_GPC_MASK_PARAMS {
    uint32_t route_flags;
    uint32_t pad;
    uint64_t route;
    uint32_t gpcMask;
    uint32_t pad2;
} NV2080_CTRL_GR_GET_GPC_MASK_PARAMS;
VGSP_ASSERT_SIZE(NV2080_CTRL_GR_GET_GPC_MASK_PARAMS, 24);
typedef struct NV2080_CTRL_GR_GET_TPC_MASK_PARAMS {
    uint32_t route_flags;
    uint32_t pad;
    uint64_t route;
    uint32_t gpcId;
    uint32_t tpcMask;
} NV2080_CTRL_GR_GET_TPC_MASK_PARAMS;
VGSP_ASSERT_SIZE(NV2080_CTRL_GR_GET_TPC_MASK_PARAMS, 24);

/* NVA06C_CTRL_CMD_GPFIFO_SCHEDULE: before 575 without the last one */
typedef struct NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS {
    uint8_t bEnable;
    uint8_t bSkipSubmit;
    uint8_t bSkipEnable;
} NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS;

#define NV906F_CTRL_CMD_GET_MMU_FAULT_INFO          0x906f0106
typedef struct NV906F_CTRL_GET_MMU_FAULT_INFO_PARAMS {
    uint32_t addrHi;
    uint32_t addrLo;
    uint32_t faultType;
    char faultString[32];
    uint32_t pad;
    uint64_t shaderProgramVA[7];
} NV906F_CTRL_GET_MMU_FAULT_INFO_PARAMS;

/* ---- What the driver and the chip write ---- */

/* ROBUST_CHANNEL_*, in NvNotification, beside those of vgsp/nv */
#define ROBUST_CHANNEL_FIFO_ERROR_IDLE_TIMEOUT      8
#define ROBUST_CHANNEL_GR_ILLEGAL_REGISTER          66
#define ROBUST_CHANNEL_GR_CLASS_ERROR               69
#define ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS   79

/* USERD, bytes */
#define NVC46F_USERD_GP_GET     0x88
#define NVC46F_USERD_GP_PUT     0x8c

#endif
