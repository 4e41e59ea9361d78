/*
 * The RPC protocol between a GPU driver and GSP-RM: function and event
 * numbers, the message header and the payloads whose layout is the same in
 * 535.113.01, 550.163.01 and 570.144 (those that differ carry the release
 * in their name).
 *
 * Source: NVIDIA/open-gpu-kernel-modules, rpc_global_enums.h,
 * g_rpc-structures.h, g_sdk-structures.h and message_queue_priv.h.  The
 * names are NVIDIA's.
 *
 * Everything here is little-endian in memory that the driver and GSP share.
 * The structures give offsets and sizes; a field is read with vgsp_le32() and
 * its like, never through the structure, so that a big-endian host agrees.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_RPC_H
#define VGSP_NV_RPC_H

#include "vgsp/types.h"

#define VGSP_ASSERT_SIZE(type, size)        \
    _Static_assert(sizeof(type) == (size), \
                   #type " has another size")
#define VGSP_ASSERT_OFFSET(type, field, offset)        \
    _Static_assert(offsetof(type, field) == (offset), \
                   #type "." #field " lies elsewhere")

typedef uint32_t NvHandle;

/* Functions, driver to GSP.  The same numbers in all supported releases. */
enum {
    NV_VGPU_MSG_FUNCTION_NOP = 0,
    NV_VGPU_MSG_FUNCTION_SET_GUEST_SYSTEM_INFO = 1,
    NV_VGPU_MSG_FUNCTION_ALLOC_ROOT = 2,
    NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY = 4,
    NV_VGPU_MSG_FUNCTION_ALLOC_CHANNEL_DMA = 6,
    NV_VGPU_MSG_FUNCTION_MAP_MEMORY = 7,
    NV_VGPU_MSG_FUNCTION_ALLOC_OBJECT = 9,
    NV_VGPU_MSG_FUNCTION_FREE = 10,
    NV_VGPU_MSG_FUNCTION_LOG = 11,
    NV_VGPU_MSG_FUNCTION_UNMAP_MEMORY = 13,
    NV_VGPU_MSG_FUNCTION_MAP_MEMORY_DMA = 14,
    NV_VGPU_MSG_FUNCTION_UNMAP_MEMORY_DMA = 15,
    NV_VGPU_MSG_FUNCTION_ALLOC_SUBDEVICE = 19,
    NV_VGPU_MSG_FUNCTION_DUP_OBJECT = 21,
    NV_VGPU_MSG_FUNCTION_IDLE_CHANNELS = 22,
    NV_VGPU_MSG_FUNCTION_ALLOC_EVENT = 23,
    NV_VGPU_MSG_FUNCTION_UNLOADING_GUEST_DRIVER = 47,
    NV_VGPU_MSG_FUNCTION_GPU_EXEC_REG_OPS = 50,
    NV_VGPU_MSG_FUNCTION_GET_STATIC_INFO = 51,
    NV_VGPU_MSG_FUNCTION_UPDATE_PDE_2 = 53,
    NV_VGPU_MSG_FUNCTION_SET_PAGE_DIRECTORY = 54,
    NV_VGPU_MSG_FUNCTION_TRANSLATE_GUEST_GPU_PTES = 56,
    NV_VGPU_MSG_FUNCTION_SET_GUEST_SYSTEM_INFO_EXT = 64,
    NV_VGPU_MSG_FUNCTION_GET_GSP_STATIC_INFO = 65,
    NV_VGPU_MSG_FUNCTION_RMFS_INIT = 66,
    NV_VGPU_MSG_FUNCTION_RMFS_CLOSE_QUEUE = 67,
    NV_VGPU_MSG_FUNCTION_RMFS_CLEANUP = 68,
    NV_VGPU_MSG_FUNCTION_UPDATE_BAR_PDE = 70,
    NV_VGPU_MSG_FUNCTION_CONTINUATION_RECORD = 71,
    NV_VGPU_MSG_FUNCTION_GSP_SET_SYSTEM_INFO = 72,
    NV_VGPU_MSG_FUNCTION_SET_REGISTRY = 73,
    NV_VGPU_MSG_FUNCTION_GSP_INIT_POST_OBJGPU = 74,
    NV_VGPU_MSG_FUNCTION_SUBDEV_EVENT_SET_NOTIFICATION = 75,
    NV_VGPU_MSG_FUNCTION_GSP_RM_CONTROL = 76,
    NV_VGPU_MSG_FUNCTION_GET_STATIC_INFO2 = 77,
    NV_VGPU_MSG_FUNCTION_DUMP_PROTOBUF_COMPONENT = 78,
    NV_VGPU_MSG_FUNCTION_UNSET_PAGE_DIRECTORY = 79,
    NV_VGPU_MSG_FUNCTION_GET_CONSOLIDATED_STATIC_INFO = 80,
    NV_VGPU_MSG_FUNCTION_GSP_RM_ALLOC = 103,
    NV_VGPU_MSG_FUNCTION_INVALIDATE_TLB = 200,
};

/*
 * Events, GSP to driver.  Up to 0x101a the numbers are common; the later
 * ones moved between releases and therefore carry the release.
 */
enum {
    NV_VGPU_MSG_EVENT_FIRST_EVENT = 0x1000,
    NV_VGPU_MSG_EVENT_GSP_INIT_DONE = 0x1001,
    NV_VGPU_MSG_EVENT_GSP_RUN_CPU_SEQUENCER = 0x1002,
    NV_VGPU_MSG_EVENT_POST_EVENT = 0x1003,
    NV_VGPU_MSG_EVENT_RC_TRIGGERED = 0x1004,
    NV_VGPU_MSG_EVENT_MMU_FAULT_QUEUED = 0x1005,
    NV_VGPU_MSG_EVENT_OS_ERROR_LOG = 0x1006,
    NV_VGPU_MSG_EVENT_RG_LINE_INTR = 0x1007,
    NV_VGPU_MSG_EVENT_GPUACCT_PERFMON_UTIL_SAMPLES = 0x1008,
    NV_VGPU_MSG_EVENT_SIM_READ = 0x1009,
    NV_VGPU_MSG_EVENT_SIM_WRITE = 0x100a,
    NV_VGPU_MSG_EVENT_SEMAPHORE_SCHEDULE_CALLBACK = 0x100b,
    NV_VGPU_MSG_EVENT_UCODE_LIBOS_PRINT = 0x100c,
    NV_VGPU_MSG_EVENT_VGPU_GSP_PLUGIN_TRIGGERED = 0x100d,
    NV_VGPU_MSG_EVENT_PERF_GPU_BOOST_SYNC_LIMITS_CALLBACK = 0x100e,
    NV_VGPU_MSG_EVENT_PERF_BRIDGELESS_INFO_UPDATE = 0x100f,
    NV_VGPU_MSG_EVENT_VGPU_CONFIG = 0x1010,
    NV_VGPU_MSG_EVENT_DISPLAY_MODESET = 0x1011,
    NV_VGPU_MSG_EVENT_EXTDEV_INTR_SERVICE = 0x1012,
    NV_VGPU_MSG_EVENT_TIMED_SEMAPHORE_RELEASE = 0x1018,
    NV_VGPU_MSG_EVENT_NVLINK_IS_GPU_DEGRADED = 0x1019,
    NV_VGPU_MSG_EVENT_PFM_REQ_HNDLR_STATE_SYNC_CALLBACK = 0x101a,

    NV_VGPU_MSG_EVENT_GSP_SEND_USER_SHARED_DATA_535 = 0x101b,
    NV_VGPU_MSG_EVENT_NVLINK_FAULT_UP_535 = 0x101c,
    NV_VGPU_MSG_EVENT_GSP_LOCKDOWN_NOTICE_535 = 0x101d,

    NV_VGPU_MSG_EVENT_NVLINK_FAULT_UP_570 = 0x101b,
    NV_VGPU_MSG_EVENT_GSP_LOCKDOWN_NOTICE_570 = 0x101c,
    NV_VGPU_MSG_EVENT_GSP_POST_NOCAT_RECORD_570 = 0x1020,
};

/* ---- The message header ---- */

typedef struct rpc_message_header_v03_00 {
    uint32_t header_version;
    uint32_t signature;
    uint32_t length;             /* bytes, this header included */
    uint32_t function;           /* function or event number */
    uint32_t rpc_result;         /* NV_STATUS of the transport */
    uint32_t rpc_result_private;
    uint32_t sequence;           /* a reply repeats its request's */
    uint32_t spare;
} rpc_message_header_v03_00;
VGSP_ASSERT_SIZE(rpc_message_header_v03_00, 0x20);

#define NV_VGPU_MSG_HEADER_VERSION     0x03000000u
#define NV_VGPU_MSG_SIGNATURE_VALID    0x43505256u /* "VRPC" */
/* rpc_result of a request that nobody has answered. */
#define NV_VGPU_MSG_RESULT_RPC_PENDING 0xffffffffu

/* ---- Payloads, by function ---- */

/* 1 SET_GUEST_SYSTEM_INFO: NVIDIA's driver alone; the reply echoes it. */
typedef struct rpc_set_guest_system_info_v03_00 {
    uint32_t vgxVersionMajorNum;
    uint32_t vgxVersionMinorNum;
    uint32_t guestDriverVersionBufferLength;
    uint32_t guestVersionBufferLength;
    uint32_t guestTitleBufferLength;
    uint32_t guestClNum;
    char guestDriverVersion[0x100];
    char guestVersion[0x100];
    char guestTitle[0x100];
} rpc_set_guest_system_info_v03_00;
VGSP_ASSERT_SIZE(rpc_set_guest_system_info_v03_00, 0x318);

/* 4 ALLOC_MEMORY */
typedef struct rpc_alloc_memory_v13_01 {
    NvHandle hClient;
    NvHandle hDevice;
    NvHandle hMemory;
    uint32_t hClass;
    uint32_t flags;
    uint32_t pteAdjust;
    uint32_t format;
    uint32_t pad1c;
    uint64_t length;
    uint32_t pageCount;
    uint32_t pad2c;
    uint32_t pteDesc;            /* idr in 1:0, length in 31:16 */
    uint32_t pad34;
    uint64_t pte_pde[];          /* page frame numbers */
} rpc_alloc_memory_v13_01;
VGSP_ASSERT_OFFSET(rpc_alloc_memory_v13_01, length, 0x20);
VGSP_ASSERT_OFFSET(rpc_alloc_memory_v13_01, pageCount, 0x28);
VGSP_ASSERT_OFFSET(rpc_alloc_memory_v13_01, pteDesc, 0x30);
VGSP_ASSERT_SIZE(rpc_alloc_memory_v13_01, 0x38);

#define NV_VGPU_PTE_DESC_IDR        VGSP_BITS(1, 0)
#define NV_VGPU_PTE_DESC_IDR_NONE   0
#define NV_VGPU_PTE_DESC_LENGTH     VGSP_BITS(31, 16)

/* 10 FREE: NVOS00_PARAMETERS */
typedef struct rpc_free_v03_00 {
    NvHandle hRoot;
    NvHandle hObjectParent;
    NvHandle hObjectOld;
    uint32_t status;
} rpc_free_v03_00;
VGSP_ASSERT_SIZE(rpc_free_v03_00, 0x10);

/* 22 IDLE_CHANNELS: NVOS30_PARAMETERS; nchannels of the list follow. */
typedef struct rpc_idle_channels_v03_00 {
    uint32_t flags;
    uint32_t timeout;           /* microseconds */
    uint32_t nchannels;
} rpc_idle_channels_v03_00;
VGSP_ASSERT_SIZE(rpc_idle_channels_v03_00, 0xc);

typedef struct idle_channel_list_v03_00 {
    NvHandle phClient, phDevice, phChannel;
} idle_channel_list_v03_00;
VGSP_ASSERT_SIZE(idle_channel_list_v03_00, 0xc);

#define NVOS30_FLAGS_BEHAVIOR           VGSP_BITS(3, 0)
#define NVOS30_FLAGS_BEHAVIOR_SPIN      0
#define NVOS30_FLAGS_BEHAVIOR_SLEEP     1
#define NVOS30_FLAGS_BEHAVIOR_QUERY     2
#define NVOS30_FLAGS_BEHAVIOR_FORCE_BUSY_CHECK 3

/* 47 UNLOADING_GUEST_DRIVER */
typedef struct rpc_unloading_guest_driver_v1F_07 {
    uint8_t bInPMTransition;
    uint8_t bGc6Entering;
    uint8_t pad02[2];
    uint32_t newLevel;
} rpc_unloading_guest_driver_v1F_07;
VGSP_ASSERT_SIZE(rpc_unloading_guest_driver_v1F_07, 0x08);

#define NV2080_CTRL_GPU_SET_POWER_STATE_GPU_LEVEL_0 0
#define NV2080_CTRL_GPU_SET_POWER_STATE_GPU_LEVEL_3 3

/* 70 UPDATE_BAR_PDE */
typedef struct rpc_update_bar_pde_v15_00 {
    uint32_t barType;
    uint32_t pad04;
    uint64_t entryValue;
    uint64_t entryLevelShift;
} rpc_update_bar_pde_v15_00;
VGSP_ASSERT_OFFSET(rpc_update_bar_pde_v15_00, entryValue, 0x08);
VGSP_ASSERT_SIZE(rpc_update_bar_pde_v15_00, 0x18);

#define NV_RPC_UPDATE_PDE_BAR_1 0
#define NV_RPC_UPDATE_PDE_BAR_2 1

/* 73 SET_REGISTRY: table, entries, then names and strings */
typedef struct PACKED_REGISTRY_ENTRY {
    uint32_t nameOffset;         /* from the start of the table */
    uint8_t type;
    uint8_t pad05[3];
    uint32_t data;               /* value, or offset of the bytes */
    uint32_t length;
} PACKED_REGISTRY_ENTRY;
VGSP_ASSERT_OFFSET(PACKED_REGISTRY_ENTRY, data, 0x08);
VGSP_ASSERT_SIZE(PACKED_REGISTRY_ENTRY, 0x10);

typedef struct PACKED_REGISTRY_TABLE {
    uint32_t size;               /* of all of it, bytes */
    uint32_t numEntries;
    PACKED_REGISTRY_ENTRY entries[];
} PACKED_REGISTRY_TABLE;
VGSP_ASSERT_SIZE(PACKED_REGISTRY_TABLE, 0x08);

#define REGISTRY_TABLE_ENTRY_TYPE_UNKNOWN 0
#define REGISTRY_TABLE_ENTRY_TYPE_DWORD   1
#define REGISTRY_TABLE_ENTRY_TYPE_BINARY  2
#define REGISTRY_TABLE_ENTRY_TYPE_STRING  3

/* 76 GSP_RM_CONTROL */
typedef struct rpc_gsp_rm_control_v03_00 {
    NvHandle hClient;
    NvHandle hObject;
    uint32_t cmd;
    uint32_t status;             /* NV_STATUS of the control */
    uint32_t paramsSize;
    uint32_t flags;
    uint8_t params[];
} rpc_gsp_rm_control_v03_00;
VGSP_ASSERT_SIZE(rpc_gsp_rm_control_v03_00, 0x18);

/* 103 GSP_RM_ALLOC */
typedef struct rpc_gsp_rm_alloc_v03_00 {
    NvHandle hClient;
    NvHandle hParent;
    NvHandle hObject;
    uint32_t hClass;
    uint32_t status;             /* NV_STATUS of the allocation */
    uint32_t paramsSize;
    uint32_t flags;
    uint8_t reserved[4];
    uint8_t params[];
} rpc_gsp_rm_alloc_v03_00;
VGSP_ASSERT_SIZE(rpc_gsp_rm_alloc_v03_00, 0x20);

/* ---- Payloads, by event ---- */

/* 0x1003 POST_EVENT; the RPC's length is exactly header + eventDataSize. */
typedef struct rpc_post_event_v17_00 {
    NvHandle hClient;
    NvHandle hEvent;
    uint32_t notifyIndex;
    uint32_t data;
    uint16_t info16;
    uint16_t pad12;
    uint32_t status;
    uint32_t eventDataSize;
    uint8_t bNotifyList;
    uint8_t eventData[3];        /* really eventDataSize bytes */
} rpc_post_event_v17_00;
VGSP_ASSERT_OFFSET(rpc_post_event_v17_00, status, 0x14);
VGSP_ASSERT_OFFSET(rpc_post_event_v17_00, bNotifyList, 0x1c);
VGSP_ASSERT_OFFSET(rpc_post_event_v17_00, eventData, 0x1d);
VGSP_ASSERT_SIZE(rpc_post_event_v17_00, 0x20);

/* 0x1002 GSP_RUN_CPU_SEQUENCER: opcodes with their operands follow */
typedef struct rpc_run_cpu_sequencer_v17_00 {
    uint32_t bufferSizeDWord;
    uint32_t cmdIndex;           /* words that follow */
    uint32_t regSaveArea[8];
    uint32_t commandBuffer[];
} rpc_run_cpu_sequencer_v17_00;
VGSP_ASSERT_SIZE(rpc_run_cpu_sequencer_v17_00, 0x28);

enum {
    GSP_SEQ_BUF_OPCODE_REG_WRITE,           /* address, value */
    GSP_SEQ_BUF_OPCODE_REG_MODIFY,          /* address, mask, value */
    GSP_SEQ_BUF_OPCODE_REG_POLL,            /* ..., microseconds, error */
    GSP_SEQ_BUF_OPCODE_DELAY_US,
    GSP_SEQ_BUF_OPCODE_REG_STORE,           /* address, word of the area */
    GSP_SEQ_BUF_OPCODE_CORE_RESET,
    GSP_SEQ_BUF_OPCODE_CORE_START,
    GSP_SEQ_BUF_OPCODE_CORE_WAIT_FOR_HALT,
    GSP_SEQ_BUF_OPCODE_CORE_RESUME,
};

/* 0x1004 RC_TRIGGERED, three layouts under one NVIDIA name */
typedef struct rpc_rc_triggered_v17_02_535 {
    uint32_t nv2080EngineType;
    uint32_t chid;
    uint32_t exceptType;
    uint32_t scope;
    uint16_t partitionAttributionId;
    uint8_t pad12[2];
} rpc_rc_triggered_v17_02_535;
VGSP_ASSERT_SIZE(rpc_rc_triggered_v17_02_535, 0x14);

typedef struct rpc_rc_triggered_v17_02_550 {
    uint32_t nv2080EngineType;
    uint32_t chid;
    uint32_t gfid;
    uint32_t exceptType;
    uint32_t scope;
    uint16_t partitionAttributionId;
    uint8_t pad16[2];
    uint32_t rcJournalBufferSize;
    uint8_t rcJournalBuffer[];
} rpc_rc_triggered_v17_02_550;
VGSP_ASSERT_SIZE(rpc_rc_triggered_v17_02_550, 0x1c);

typedef struct rpc_rc_triggered_v17_02_570 {
    uint32_t nv2080EngineType;
    uint32_t chid;
    uint32_t gfid;
    uint32_t exceptLevel;
    uint32_t exceptType;
    uint32_t scope;
    uint16_t partitionAttributionId;
    uint8_t pad1a[2];
    uint32_t mmuFaultAddrLo;
    uint32_t mmuFaultAddrHi;
    uint32_t mmuFaultType;
    uint8_t bCallbackNeeded;
    uint8_t pad29[3];
    uint32_t rcJournalBufferSize;
    uint8_t rcJournalBuffer[];
} rpc_rc_triggered_v17_02_570;
VGSP_ASSERT_OFFSET(rpc_rc_triggered_v17_02_570, exceptType, 0x10);
VGSP_ASSERT_OFFSET(rpc_rc_triggered_v17_02_570, mmuFaultAddrLo, 0x1c);
VGSP_ASSERT_SIZE(rpc_rc_triggered_v17_02_570, 0x30);

/* 0x1006 OS_ERROR_LOG: 570 appends a word */
typedef struct rpc_os_error_log_v17_00_535 {
    uint32_t exceptType;         /* Xid */
    uint32_t runlistId;
    uint32_t chid;
    char errString[0x100];
} rpc_os_error_log_v17_00_535;
VGSP_ASSERT_SIZE(rpc_os_error_log_v17_00_535, 0x10c);

typedef struct rpc_os_error_log_v17_00_570 {
    uint32_t exceptType;
    uint32_t runlistId;
    uint32_t chid;
    char errString[0x100];
    uint32_t preemptiveRemovalPreviousXid;
} rpc_os_error_log_v17_00_570;
VGSP_ASSERT_SIZE(rpc_os_error_log_v17_00_570, 0x110);

/* ---- The queue element around a message ---- */

typedef struct GSP_MSG_QUEUE_ELEMENT {
    uint8_t authTagBuffer[16];
    uint8_t aadBuffer[16];
    uint32_t checkSum;
    uint32_t seqNum;
    uint32_t elemCount;          /* queue entries that it occupies */
    uint32_t pad2c;
    rpc_message_header_v03_00 rpc;
} GSP_MSG_QUEUE_ELEMENT;
VGSP_ASSERT_OFFSET(GSP_MSG_QUEUE_ELEMENT, checkSum, 0x20);
VGSP_ASSERT_OFFSET(GSP_MSG_QUEUE_ELEMENT, rpc, 0x30);

#define GSP_MSG_QUEUE_ELEMENT_SIZE_MIN 0x1000u
#define GSP_MSG_QUEUE_ELEMENT_COUNT_MAX 16u
#define GSP_MSG_QUEUE_ELEMENT_SIZE_MAX \
    (GSP_MSG_QUEUE_ELEMENT_SIZE_MIN * GSP_MSG_QUEUE_ELEMENT_COUNT_MAX)
#define GSP_MSG_QUEUE_ELEMENT_HDR_SIZE 0x30u
/* Longest RPC in one element, its header included, and longest payload. */
#define GSP_MSG_QUEUE_RPC_SIZE_MAX \
    (GSP_MSG_QUEUE_ELEMENT_SIZE_MAX - GSP_MSG_QUEUE_ELEMENT_HDR_SIZE)
#define GSP_MSG_QUEUE_PAYLOAD_SIZE_MAX \
    (GSP_MSG_QUEUE_RPC_SIZE_MAX - (uint32_t)sizeof(rpc_message_header_v03_00))

/* ---- The queue header (msgq_priv.h: msgqTxHeader, msgqRxHeader) ---- */

typedef struct msgqTxHeader {
    uint32_t version;
    uint32_t size;               /* bytes of the queue, this page included */
    uint32_t msgSize;
    uint32_t msgCount;
    uint32_t writePtr;
    uint32_t flags;
    uint32_t rxHdrOff;
    uint32_t entryOff;
} msgqTxHeader;
VGSP_ASSERT_SIZE(msgqTxHeader, 0x20);

typedef struct msgqRxHeader {
    uint32_t readPtr;
} msgqRxHeader;

#define MSGQ_VERSION              0
/* The read pointer of a queue lies in its reader's own queue. */
#define MSGQ_FLAGS_SWAP_RX        1

#endif
