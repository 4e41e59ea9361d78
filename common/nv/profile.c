/*
 * Firmware profiles: 570.144 and 535.113.01, see profile.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/nv/profile.h"
#include "vgsp/nv/rm.h"
#include "vgsp/nv/rpc.h"

/* ---- 570.144 ---- */

static const VgspRmArgsLayout rm_args_570 = {
    .size = 0x48,
    .shared_mem_phys_addr = 0x00,
    .page_table_entry_count = 0x08,
    .cmd_queue_offset = 0x10,
    .stat_queue_offset = 0x18,
    .old_level = 0x20,
    .sr_flags = 0x24,
    .in_pm_transition = 0x28,
};

static const VgspStaticInfoLayout static_info_570 = {
    .size = 0x678,
    .gpc_info = VGSP_ABSENT,
    .tpc_info = VGSP_ABSENT,
    .zcull_info = VGSP_ABSENT,
    .fb_regions = 0x158,
    .engine_caps = 0x4b4,
    .engine_caps_words = 3,
    .fb_length = 0x4c8,
    .fbio_mask = 0x4d0,
    .fb_bus_width = 0x4d8,
    .fb_ram_type = 0x4dc,
    .fbp_mask = 0x4e0,
    .fb_mask_bytes = 8,
    .l2_cache_size = 0x4e8,
    .name = 0x4ec,
    .short_name = 0x52c,
    .name_unicode = 0x56c,
    .bar1_pde_base = 0x600,
    .bar2_pde_base = 0x608,
    .vbios_valid = 0x610,
    .vbios_sub_vendor = 0x614,
    .vbios_sub_device = 0x618,
    .split_vas = 0x61d,
    .internal_client = 0x640,
    .internal_device = 0x644,
    .internal_subdevice = 0x648,
    .fw_wpr_layout = 0x668,
};

static const VgspRcTriggeredLayout rc_triggered_570 = {
    .size = sizeof(rpc_rc_triggered_v17_02_570),
    .engine_type = 0x00,
    .chid = 0x04,
    .except_level = 0x0c,
    .except_type = 0x10,
    .scope = 0x14,
    .fault_addr_lo = 0x1c,
    .fault_addr_hi = 0x20,
    .fault_type = 0x24,
};

static const VgspMcEngineIdx mc_engine_570 = {
    .disp = 2,
    .ce0 = 15,
    .nvenc0 = 38,
    .gsp = 50,
    .nvdec0 = 65,
    .gr0 = 84,
};

static const VgspRmEngineType rm_engine_common = {
    .gr0 = 0x01,
    .copy0 = 0x09,
    .nvdec0 = 0x1d,
    .nvenc0 = 0x25,
};

static const VgspProfile profile_570_144 = {
    .name = "570.144",
    .system_info_size = 928,
    .rm_args = &rm_args_570,
    .static_info = &static_info_570,
    .rc_triggered = &rc_triggered_570,
    .mc_engine = &mc_engine_570,
    .rm_engine = &rm_engine_common,
    .os_error_log_size = sizeof(rpc_os_error_log_v17_00_570),
    .root_params_size = 120,
    .channel_params_size = 368,
    .ctx_buffer_count = 26,
};

/* ---- 535.113.01 ---- */

static const VgspRmArgsLayout rm_args_535 = {
    .size = 0x50,
    .shared_mem_phys_addr = 0x00,
    .page_table_entry_count = 0x08,
    .cmd_queue_offset = 0x10,
    .stat_queue_offset = 0x18,
    .old_level = 0x30,
    .sr_flags = 0x34,
    .in_pm_transition = 0x38,
};

static const VgspStaticInfoLayout static_info_535 = {
    .size = 0x878,
    .gpc_info = 0x124,
    .tpc_info = 0x128,
    .zcull_info = 0x228,
    .fb_regions = 0x348,
    .engine_caps = 0x6a4,
    .engine_caps_words = 2,
    .fb_length = 0x6d8,
    .fbio_mask = 0x6e0,
    .fb_bus_width = 0x6e4,
    .fb_ram_type = 0x6e8,
    .fbp_mask = 0x6ec,
    .fb_mask_bytes = 4,
    .l2_cache_size = 0x6f0,
    .name = 0x71c,
    .short_name = 0x75c,
    .name_unicode = 0x79c,
    .bar1_pde_base = 0x828,
    .bar2_pde_base = 0x830,
    .vbios_valid = 0x838,
    .vbios_sub_vendor = 0x83c,
    .vbios_sub_device = 0x840,
    .split_vas = 0x845,
    .internal_client = 0x868,
    .internal_device = 0x86c,
    .internal_subdevice = 0x870,
    .fw_wpr_layout = VGSP_ABSENT,
};

static const VgspRcTriggeredLayout rc_triggered_535 = {
    .size = sizeof(rpc_rc_triggered_v17_02_535),
    .engine_type = 0x00,
    .chid = 0x04,
    .except_level = VGSP_ABSENT,
    .except_type = 0x08,
    .scope = 0x0c,
    .fault_addr_lo = VGSP_ABSENT,
    .fault_addr_hi = VGSP_ABSENT,
    .fault_type = VGSP_ABSENT,
};

static const VgspMcEngineIdx mc_engine_535 = {
    .disp = 2,
    .ce0 = 15,
    .nvenc0 = 38,
    .gsp = 49,
    .nvdec0 = 64,
    .gr0 = 82,
};

static const VgspControlOverride controls_535[] = {
    { NV2080_CTRL_CMD_GPU_GET_CONSTRUCTED_FALCON_INFO, 0, NULL },
    { NV2080_CTRL_CMD_INTERNAL_GET_CONSTRUCTED_FALCON_INFO, 1284,
      "GPU_GET_CONSTRUCTED_FALCON_INFO" },
    { NV2080_CTRL_CMD_INTERNAL_STATIC_KGR_GET_CONTEXT_BUFFERS_INFO, 1600,
      "INTERNAL_STATIC_KGR_GET_CONTEXT_BUFFERS_INFO" },
    { NV2080_CTRL_CMD_INTERNAL_KGR_INIT_BUG4208224_WAR, 0, NULL },
    { NV2080_CTRL_CMD_INTERNAL_FBSR_INIT, 32, "INTERNAL_FBSR_INIT" },
    { NV2080_CTRL_CMD_INTERNAL_FBSR_SEND_REGION_INFO, 40,
      "INTERNAL_FBSR_SEND_REGION_INFO" },
    { NV2080_CTRL_CMD_INTERNAL_GCX_ENTRY_PREREQUISITE, 0, NULL },
    /* Other layouts, which no driver asks for. */
    { NV2080_CTRL_CMD_INTERNAL_MEMSYS_GET_STATIC_CONFIG, 0, NULL },
    { NV0080_CTRL_CMD_FB_GET_COMPBIT_STORE_INFO, 0, NULL },
    { 0 }
};

static const VgspProfile profile_535_113_01 = {
    .name = "535.113.01",
    .system_info_size = 664,
    .rm_args = &rm_args_535,
    .static_info = &static_info_535,
    .rc_triggered = &rc_triggered_535,
    .mc_engine = &mc_engine_535,
    .rm_engine = &rm_engine_common,
    .controls = controls_535,
    .os_error_log_size = sizeof(rpc_os_error_log_v17_00_535),
    .root_params_size = 108,
    .channel_params_size = 360,
    .ctx_buffer_count = 25,
};

const VgspProfile *const vgsp_profiles[] = {
    &profile_570_144,
    &profile_535_113_01,
    NULL,
};

const VgspProfile *vgsp_profile_by_system_info_size(uint32_t size)
{
    for (unsigned i = 0; vgsp_profiles[i]; i++) {
        if (vgsp_profiles[i]->system_info_size == size) {
            return vgsp_profiles[i];
        }
    }
    return NULL;
}

/* Engines @first to @last are numbered from @base on. */
static bool xlate(uint32_t type, uint32_t first, uint32_t last, uint32_t base,
                  uint32_t *out)
{
    if (type < first || type > last) {
        return false;
    }
    *out = base + (type - first);
    return true;
}

uint32_t vgsp_profile_mc_engine(const VgspProfile *profile, uint32_t type)
{
    const VgspMcEngineIdx *mc = profile->mc_engine;
    uint32_t idx = VGSP_ABSENT;

    (void)(xlate(type, NV2080_ENGINE_TYPE_GR0, NV2080_ENGINE_TYPE_GR0,
                 mc->gr0, &idx) ||
           xlate(type, NV2080_ENGINE_TYPE_COPY0, NV2080_ENGINE_TYPE_COPY9,
                 mc->ce0, &idx) ||
           xlate(type, NV2080_ENGINE_TYPE_NVDEC0, NV2080_ENGINE_TYPE_NVDEC7,
                 mc->nvdec0, &idx) ||
           xlate(type, NV2080_ENGINE_TYPE_NVENC0, NV2080_ENGINE_TYPE_NVENC2,
                 mc->nvenc0, &idx));
    return idx;
}

uint32_t vgsp_profile_rm_engine(const VgspProfile *profile, uint32_t type)
{
    const VgspRmEngineType *rm = profile->rm_engine;
    uint32_t idx = VGSP_ABSENT;

    (void)(xlate(type, NV2080_ENGINE_TYPE_GR0, NV2080_ENGINE_TYPE_GR0,
                 rm->gr0, &idx) ||
           xlate(type, NV2080_ENGINE_TYPE_COPY0, NV2080_ENGINE_TYPE_COPY9,
                 rm->copy0, &idx) ||
           xlate(type, NV2080_ENGINE_TYPE_NVDEC0, NV2080_ENGINE_TYPE_NVDEC7,
                 rm->nvdec0, &idx) ||
           xlate(type, NV2080_ENGINE_TYPE_NVENC0, NV2080_ENGINE_TYPE_NVENC2,
                 rm->nvenc0, &idx));
    return idx;
}
