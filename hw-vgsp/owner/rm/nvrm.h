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

#include <stdint.h>
#include <sys/ioctl.h>

typedef uint32_t NvHandle;

#define NVRM_ASSERT_SIZE(type, size) \
    _Static_assert(sizeof(type) == (size), #type)

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
NVRM_ASSERT_SIZE(nv_ioctl_rm_api_version_t, 72);
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
NVRM_ASSERT_SIZE(nv_ioctl_card_info_t, 72);

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
NVRM_ASSERT_SIZE(NVOS00_PARAMETERS, 16);

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
NVRM_ASSERT_SIZE(nv_ioctl_nvos02_parameters_with_fd, 56);
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
NVRM_ASSERT_SIZE(NVOS64_PARAMETERS, 48);

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
NVRM_ASSERT_SIZE(nv_ioctl_nvos33_parameters_with_fd, 56);
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
NVRM_ASSERT_SIZE(NVOS34_PARAMETERS, 32);

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
NVRM_ASSERT_SIZE(NVOS46_PARAMETERS_535, 56);

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
NVRM_ASSERT_SIZE(NVOS46_PARAMETERS_580, 64);
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
NVRM_ASSERT_SIZE(NVOS47_PARAMETERS_535, 40);

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
NVRM_ASSERT_SIZE(NVOS47_PARAMETERS_550, 48);

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
NVRM_ASSERT_SIZE(NVOS54_PARAMETERS, 32);

/* ---- NV_STATUS, as far as it is told apart ---- */

#define NV_OK                               0x00
#define NV_ERR_INSUFFICIENT_PERMISSIONS     0x1b
#define NV_ERR_INSUFFICIENT_RESOURCES       0x1a
#define NV_ERR_INVALID_ADDRESS              0x1e
#define NV_ERR_NO_MEMORY                    0x51
#define NV_ERR_NOT_SUPPORTED                0x56

/* ---- Classes ---- */

#define NV01_MEMORY_SYSTEM                  0x003e
#define NV01_ROOT_CLIENT                    0x0041
#define NV01_MEMORY_VIRTUAL                 0x0070
#define NV01_MEMORY_SYSTEM_OS_DESCRIPTOR    0x0071
#define NV01_EVENT_OS_EVENT                 0x0079
#define NV01_DEVICE_0                       0x0080
#define NV20_SUBDEVICE_0                    0x2080
#define NV50_MEMORY_VIRTUAL                 0x50a0
#define FERMI_TWOD_A                        0x902d
#define FERMI_CONTEXT_SHARE_A               0x9067
#define FERMI_VASPACE_A                     0x90f1
#define KEPLER_CHANNEL_GROUP_A              0xa06c
#define KEPLER_INLINE_TO_MEMORY_B           0xa140
#define VOLTA_USERMODE_A                    0xc361
#define TURING_USERMODE_A                   0xc461
#define TURING_CHANNEL_GPFIFO_A             0xc46f
#define HOPPER_USERMODE_A                   0xc661
#define TURING_A                            0xc597
#define TURING_COMPUTE_A                    0xc5c0
#define HOPPER_A                            0xcb97
#define HOPPER_COMPUTE_A                    0xcbc0

/* NV01_DEVICE_0 */
typedef struct NV0080_ALLOC_PARAMETERS {
    uint32_t deviceId;
    NvHandle hClientShare;
    NvHandle hTargetClient;
    NvHandle hTargetDevice;
    uint32_t flags;
    uint32_t pad;
    uint64_t vaSpaceSize;
    uint64_t vaStartInternal;
    uint64_t vaLimitInternal;
    uint32_t vaMode;
    uint32_t pad2;
} NV0080_ALLOC_PARAMETERS;
NVRM_ASSERT_SIZE(NV0080_ALLOC_PARAMETERS, 56);

/* HOPPER_USERMODE_A */
typedef struct NV_HOPPER_USERMODE_A_PARAMS {
    uint8_t bBar1Mapping;
    uint8_t bPriv;
} NV_HOPPER_USERMODE_A_PARAMS;
#define NVC361_SIZE                         0x10000
#define NVC361_NOTIFY_CHANNEL_PENDING       0x90

/* FERMI_VASPACE_A */
typedef struct NV_VASPACE_ALLOCATION_PARAMETERS {
    uint32_t index;
    uint32_t flags;
    uint64_t vaSize;
    uint64_t vaStartInternal;
    uint64_t vaLimitInternal;
    uint32_t bigPageSize;
    uint32_t pad;
    uint64_t vaBase;
} NV_VASPACE_ALLOCATION_PARAMETERS;
NVRM_ASSERT_SIZE(NV_VASPACE_ALLOCATION_PARAMETERS, 48);
/*
 * NV_VASPACE_ALLOCATION_FLAGS_VA_INTERNAL_LIMIT leaves the kernel's part of
 * the manager no addresses at all where there is a GSP (measured, 580).
 */

/* NV01_MEMORY_VIRTUAL */
typedef struct NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS {
    uint64_t offset;
    uint64_t limit;
    NvHandle hVASpace;
    uint32_t pad;
} NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS;
NVRM_ASSERT_SIZE(NV_MEMORY_VIRTUAL_ALLOCATION_PARAMS, 24);

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
NVRM_ASSERT_SIZE(NV_MEMORY_ALLOCATION_PARAMS, 120);
#define NVOS32_ATTR_PAGE_SIZE_4KB               (1u << 23)
#define NVOS32_ATTR_LOCATION_PCI                (1u << 25)
#define NVOS32_ATTR_PHYSICALITY_NONCONTIGUOUS   (1u << 27)
#define NVOS32_ATTR_COHERENCY_CACHED            (1u << 29)
#define NVOS32_ALLOC_FLAGS_FIXED_ADDRESS_ALLOCATE   0x00000010
#define NVOS32_ALLOC_FLAGS_ALIGNMENT_FORCE          0x00000100
#define NVOS32_ALLOC_FLAGS_LAZY                     0x00000400
#define NVOS32_ALLOC_FLAGS_VIRTUAL                  0x00080000
#define NVOS32_ALLOC_FLAGS_SPARSE                   0x04000000

/* KEPLER_CHANNEL_GROUP_A */
typedef struct NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS {
    NvHandle hObjectError;
    NvHandle hObjectEccError;
    NvHandle hVASpace;
    uint32_t engineType;
    uint8_t bIsCallingContextVgpuPlugin;
} NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS;
NVRM_ASSERT_SIZE(NV_CHANNEL_GROUP_ALLOCATION_PARAMETERS, 20);
#define NV2080_ENGINE_TYPE_GR0              1

/* FERMI_CONTEXT_SHARE_A */
typedef struct NV_CTXSHARE_ALLOCATION_PARAMETERS {
    NvHandle hVASpace;
    uint32_t flags;
    uint32_t subctxId;
} NV_CTXSHARE_ALLOCATION_PARAMETERS;

/* TURING_CHANNEL_GPFIFO_A: as far as an unprivileged client fills it */
typedef struct NV_CHANNEL_ALLOC_PARAMS {
    NvHandle hObjectError;
    NvHandle hObjectBuffer;
    uint64_t gpFifoOffset;
    uint32_t gpFifoEntries;
    uint32_t flags;
    NvHandle hContextShare;
    NvHandle hVASpace;
    NvHandle hUserdMemory[8];
    uint64_t userdOffset[8];
    uint32_t engineType;
    uint32_t cid;
    uint32_t subDeviceId;
    NvHandle hObjectEccError;
} NV_CHANNEL_ALLOC_PARAMS;
NVRM_ASSERT_SIZE(NV_CHANNEL_ALLOC_PARAMS, 144);

typedef union RmAllocParams {
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
NVRM_ASSERT_SIZE(NV2080_CTRL_GR_GET_GPC_MASK_PARAMS, 24);
typedef struct NV2080_CTRL_GR_GET_TPC_MASK_PARAMS {
    uint32_t route_flags;
    uint32_t pad;
    uint64_t route;
    uint32_t gpcId;
    uint32_t tpcMask;
} NV2080_CTRL_GR_GET_TPC_MASK_PARAMS;
NVRM_ASSERT_SIZE(NV2080_CTRL_GR_GET_TPC_MASK_PARAMS, 24);

#define NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN 0xc36f0108
typedef struct NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS {
    uint32_t workSubmitToken;
} NVC36F_CTRL_CMD_GPFIFO_GET_WORK_SUBMIT_TOKEN_PARAMS;

#define NVA06C_CTRL_CMD_GPFIFO_SCHEDULE             0xa06c0101
typedef struct NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS {
    uint8_t bEnable;
    uint8_t bSkipSubmit;
    uint8_t bSkipEnable;
} NVA06C_CTRL_GPFIFO_SCHEDULE_PARAMS;

#define NVA06C_CTRL_CMD_SET_TIMESLICE               0xa06c0103
typedef struct NVA06C_CTRL_TIMESLICE_PARAMS {
    uint64_t timesliceUs;
} NVA06C_CTRL_TIMESLICE_PARAMS;

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

typedef struct NvNotification {
    uint32_t nanoseconds[2];
    uint32_t info32;            /* ROBUST_CHANNEL_*, as Xid in the log */
    uint16_t info16;
    uint16_t status;            /* 0xffff: an error was written */
} NvNotification;
NVRM_ASSERT_SIZE(NvNotification, 16);

#define ROBUST_CHANNEL_FIFO_ERROR_IDLE_TIMEOUT      8
#define ROBUST_CHANNEL_GR_EXCEPTION                 13
#define ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT       31
#define ROBUST_CHANNEL_PBDMA_ERROR                  32
#define ROBUST_CHANNEL_RESETCHANNEL_VERIF_ERROR     43
#define ROBUST_CHANNEL_PREEMPTIVE_REMOVAL           45
#define ROBUST_CHANNEL_GR_ILLEGAL_REGISTER          66
#define ROBUST_CHANNEL_GR_CLASS_ERROR               69
#define ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS   79
#define ROBUST_CHANNEL_CTXSW_TIMEOUT_ERROR          109

/* USERD, bytes */
#define NVC46F_USERD_GP_GET     0x88
#define NVC46F_USERD_GP_PUT     0x8c

#endif
