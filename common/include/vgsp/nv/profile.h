/*
 * Firmware profiles: how one release of GSP-RM lays out its messages. What a
 * release shares with the newest (570.144) is shared here too; a profile
 * names its own table only where that release differs.
 *
 * Source: NVIDIA/open-gpu-kernel-modules at the tag that the profile is named
 * after: gsp_static_config.h, gsp_init_args.h, alloc_channel.h, g_rpc-
 * structures.h, nv-firmware engine and interrupt enumerations.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_PROFILE_H
#define VGSP_NV_PROFILE_H

#include "vgsp/types.h"

/* A field that the release does not have. */
#define VGSP_ABSENT 0xffffu

/* GSP_ARGUMENTS_CACHED ("RMARGS"): its size and the offsets in it, bytes. */
typedef struct VgspRmArgsLayout {
    uint16_t size;
    uint16_t shared_mem_phys_addr;  /* u64 */
    uint16_t page_table_entry_count; /* u32 */
    uint16_t cmd_queue_offset;      /* u64 */
    uint16_t stat_queue_offset;     /* u64 */
    uint16_t old_level;             /* u32 */
    uint16_t sr_flags;              /* u32 */
    uint16_t in_pm_transition;      /* u8 */
} VgspRmArgsLayout;

/* GspStaticConfigInfo: its size and the offsets in it, bytes. */
typedef struct VgspStaticInfoLayout {
    uint16_t size;
    uint16_t gpc_info;              /* u32 mask; VGSP_ABSENT: by control */
    uint16_t tpc_info;              /* 32 times {u32 gpc, u32 mask} */
    uint16_t zcull_info;            /* 32 times {u32 gpc, u32 mask} */
    uint16_t fb_regions;            /* u32 count, regions from + 8 */
    uint16_t engine_caps;           /* u32[engine_caps_words] */
    uint16_t engine_caps_words;
    uint16_t fb_length;             /* u64 */
    uint16_t fbio_mask;             /* fb_mask_bytes wide */
    uint16_t fb_bus_width;          /* u32 */
    uint16_t fb_ram_type;           /* u32 */
    uint16_t fbp_mask;              /* fb_mask_bytes wide */
    uint16_t fb_mask_bytes;
    uint16_t l2_cache_size;         /* u32 */
    uint16_t name;                  /* char[64] */
    uint16_t short_name;            /* char[64] */
    uint16_t name_unicode;          /* u16[64] */
    uint16_t bar1_pde_base;         /* u64 */
    uint16_t bar2_pde_base;         /* u64 */
    uint16_t vbios_valid;           /* u8 */
    uint16_t vbios_sub_vendor;      /* u32 */
    uint16_t vbios_sub_device;      /* u32 */
    uint16_t split_vas;             /* u8, between server and client RM */
    uint16_t internal_client;       /* u32 */
    uint16_t internal_device;       /* u32 */
    uint16_t internal_subdevice;    /* u32 */
    uint16_t fw_wpr_layout;         /* u64 non-WPR heap, u64 FRTS */
} VgspStaticInfoLayout;

/* RC_TRIGGERED: its size and the offsets in it, bytes. */
typedef struct VgspRcTriggeredLayout {
    uint16_t size;
    uint16_t engine_type;           /* all u32 */
    uint16_t chid;
    uint16_t except_level;
    uint16_t except_type;
    uint16_t scope;
    uint16_t fault_addr_lo;
    uint16_t fault_addr_hi;
    uint16_t fault_type;
} VgspRcTriggeredLayout;

/* MC_ENGINE_IDX_*: engines as the interrupt table names them. */
typedef struct VgspMcEngineIdx {
    uint16_t disp;
    uint16_t ce0;
    uint16_t nvenc0;
    uint16_t gsp;
    uint16_t nvdec0;
    uint16_t gr0;
} VgspMcEngineIdx;

/* RM_ENGINE_TYPE_*: RM's own numbers behind NV2080_ENGINE_TYPE_*. */
typedef struct VgspRmEngineType {
    uint16_t gr0;
    uint16_t copy0;
    uint16_t nvdec0;
    uint16_t nvenc0;
} VgspRmEngineType;

/*
 * A control whose number, meaning or size in this release is not that of the
 * newest: @cmd means the control @name here, with parameters of @size bytes;
 * @name NULL: it is not answered in this release.
 */
typedef struct VgspControlOverride {
    uint32_t cmd;
    uint32_t size;
    const char *name;
} VgspControlOverride;

typedef struct VgspProfile {
    const char *name;               /* release: "570.144" */
    uint32_t system_info_size;      /* payload of GSP_SET_SYSTEM_INFO, bytes */
    const VgspRmArgsLayout *rm_args;
    const VgspStaticInfoLayout *static_info;
    const VgspRcTriggeredLayout *rc_triggered;
    const VgspMcEngineIdx *mc_engine;
    const VgspRmEngineType *rm_engine;
    const VgspControlOverride *controls; /* ends with cmd 0; or NULL */
    uint16_t os_error_log_size;     /* OS_ERROR_LOG's payload, bytes */
    uint16_t root_params_size;      /* NV0000_ALLOC_PARAMETERS */
    uint16_t channel_params_size;   /* NV_CHANNEL_ALLOC_PARAMS */
    uint16_t ctx_buffer_count;      /* ids in the context buffer table */
} VgspProfile;

/* Every supported release, newest first; ends with NULL. */
extern const VgspProfile *const vgsp_profiles[];

/*
 * How the release numbers the engine whose NV2080_ENGINE_TYPE_* is @type: in
 * interrupt tables (MC_ENGINE_IDX_*) and within RM (RM_ENGINE_TYPE_*).
 * VGSP_ABSENT for an engine that no supported chip has.
 */
uint32_t vgsp_profile_mc_engine(const VgspProfile *profile, uint32_t type);
uint32_t vgsp_profile_rm_engine(const VgspProfile *profile, uint32_t type);

/* The release that sends a GSP_SET_SYSTEM_INFO of @size bytes, or NULL. */
const VgspProfile *vgsp_profile_by_system_info_size(uint32_t size);

#endif
