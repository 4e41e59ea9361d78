/*
 * Firmware profiles and the chip: that each layout fits its structure, that
 * fields do not overlap, and that every engine of the chip has its numbers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include "vgsp/chip.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/gsp-boot.h"
#include "vgsp/nv/profile.h"
#include "vgsp/nv/rm.h"

static void for_each_profile(void (*check)(const VgspProfile *p))
{
    g_assert_nonnull(vgsp_profiles[0]);
    for (unsigned i = 0; vgsp_profiles[i]; i++) {
        check(vgsp_profiles[i]);
    }
}

/* ---- Selection ---- */

static void test_select(void)
{
    const VgspProfile *p570 =
        vgsp_profile_by_system_info_size(GSP_SYSTEM_INFO_SIZE_570_144);
    const VgspProfile *p535 =
        vgsp_profile_by_system_info_size(GSP_SYSTEM_INFO_SIZE_535_113_01);

    g_assert_nonnull(p570);
    g_assert_nonnull(p535);
    g_assert_cmpstr(p570->name, ==, "570.144");
    g_assert_cmpstr(p535->name, ==, "535.113.01");
    g_assert_null(vgsp_profile_by_system_info_size(0));
    g_assert_null(vgsp_profile_by_system_info_size(
        GSP_SYSTEM_INFO_SIZE_570_144 + 1));
}

/* ---- Layouts: a byte map catches overlap and overrun ---- */

typedef struct ByteMap {
    uint8_t used[4096];
    size_t size;
} ByteMap;

static void claim(ByteMap *map, const char *field, uint16_t offset,
                  size_t size)
{
    if (offset == VGSP_ABSENT) {
        return;
    }
    if (offset + size > map->size) {
        g_error("%s ends at 0x%zx of 0x%zx", field, offset + size, map->size);
    }
    for (size_t i = 0; i < size; i++) {
        if (map->used[offset + i]++) {
            g_error("%s overlaps at 0x%zx", field, offset + i);
        }
    }
}

#define CLAIM(map, layout, field, size) claim(map, #field, (layout)->field, size)

static void check_rm_args(const VgspProfile *p)
{
    const VgspRmArgsLayout *l = p->rm_args;
    ByteMap map = { .size = l->size };

    CLAIM(&map, l, shared_mem_phys_addr, 8);
    CLAIM(&map, l, page_table_entry_count, 4);
    CLAIM(&map, l, cmd_queue_offset, 8);
    CLAIM(&map, l, stat_queue_offset, 8);
    CLAIM(&map, l, old_level, 4);
    CLAIM(&map, l, sr_flags, 4);
    CLAIM(&map, l, in_pm_transition, 1);
}

static void check_static_info(const VgspProfile *p)
{
    const VgspStaticInfoLayout *l = p->static_info;
    size_t region = sizeof(NV2080_CTRL_CMD_FB_GET_FB_REGION_FB_REGION_INFO);
    ByteMap map = { .size = l->size };

    CLAIM(&map, l, gpc_info, 4);
    CLAIM(&map, l, tpc_info, 32 * 8);
    CLAIM(&map, l, zcull_info, 32 * 8);
    CLAIM(&map, l, fb_regions, 8 + 16 * region);
    CLAIM(&map, l, engine_caps, 4 * l->engine_caps_words);
    CLAIM(&map, l, fb_length, 8);
    CLAIM(&map, l, fbio_mask, l->fb_mask_bytes);
    CLAIM(&map, l, fb_bus_width, 4);
    CLAIM(&map, l, fb_ram_type, 4);
    CLAIM(&map, l, fbp_mask, l->fb_mask_bytes);
    CLAIM(&map, l, l2_cache_size, 4);
    CLAIM(&map, l, name, 64);
    CLAIM(&map, l, short_name, 64);
    CLAIM(&map, l, name_unicode, 128);
    CLAIM(&map, l, bar1_pde_base, 8);
    CLAIM(&map, l, bar2_pde_base, 8);
    CLAIM(&map, l, vbios_valid, 1);
    CLAIM(&map, l, vbios_sub_vendor, 4);
    CLAIM(&map, l, vbios_sub_device, 4);
    CLAIM(&map, l, split_vas, 1);
    CLAIM(&map, l, internal_client, 4);
    CLAIM(&map, l, internal_device, 4);
    CLAIM(&map, l, internal_subdevice, 4);
    CLAIM(&map, l, fw_wpr_layout, 16);
}

static void check_rc_triggered(const VgspProfile *p)
{
    const VgspRcTriggeredLayout *l = p->rc_triggered;
    ByteMap map = { .size = l->size };

    CLAIM(&map, l, engine_type, 4);
    CLAIM(&map, l, chid, 4);
    CLAIM(&map, l, except_level, 4);
    CLAIM(&map, l, except_type, 4);
    CLAIM(&map, l, scope, 4);
    CLAIM(&map, l, fault_addr_lo, 4);
    CLAIM(&map, l, fault_addr_hi, 4);
    CLAIM(&map, l, fault_type, 4);
}

static void check_sizes(const VgspProfile *p)
{
    g_assert_cmpuint(p->channel_params_size, >=,
                     sizeof(NV_CHANNEL_ALLOC_PARAMS));
    g_assert_cmpuint(p->root_params_size, >=,
                     sizeof(NV0000_ALLOC_PARAMETERS_535));
    g_assert_cmpuint(p->os_error_log_size, >=,
                     sizeof(rpc_os_error_log_v17_00_535));
    g_assert_cmpuint(p->ctx_buffer_count, <=, VGSP_CHIP_MAX_CTXBUFS);
    /* All replies of one element must be able to carry it. */
    g_assert_cmpuint(p->static_info->size, <, GSP_MSG_QUEUE_PAYLOAD_SIZE_MAX);
}

static void test_layouts(void)
{
    for_each_profile(check_rm_args);
    for_each_profile(check_static_info);
    for_each_profile(check_rc_triggered);
    for_each_profile(check_sizes);
}

/* The same facts as structures in nv/gsp-boot.h and nv/rpc.h. */
#define SAME(layout, field, type, member) \
    g_assert_cmpuint((layout)->field, ==, offsetof(type, member))

static void test_structures(void)
{
    const VgspProfile *p570 = vgsp_profile_by_system_info_size(928);
    const VgspProfile *p535 = vgsp_profile_by_system_info_size(664);

    g_assert_cmpuint(p570->rm_args->size, ==, sizeof(GSP_ARGUMENTS_CACHED_570));
    SAME(p570->rm_args, cmd_queue_offset, GSP_ARGUMENTS_CACHED_570,
         messageQueueInitArguments.cmdQueueOffset);
    SAME(p570->rm_args, old_level, GSP_ARGUMENTS_CACHED_570,
         srInitArguments.oldLevel);
    SAME(p570->rm_args, in_pm_transition, GSP_ARGUMENTS_CACHED_570,
         srInitArguments.bInPMTransition);
    g_assert_cmpuint(p535->rm_args->size, ==, sizeof(GSP_ARGUMENTS_CACHED_535));
    SAME(p535->rm_args, stat_queue_offset, GSP_ARGUMENTS_CACHED_535,
         messageQueueInitArguments.statQueueOffset);
    SAME(p535->rm_args, old_level, GSP_ARGUMENTS_CACHED_535,
         srInitArguments.oldLevel);
    SAME(p535->rm_args, in_pm_transition, GSP_ARGUMENTS_CACHED_535,
         srInitArguments.bInPMTransition);

    SAME(p570->rc_triggered, chid, rpc_rc_triggered_v17_02_570, chid);
    SAME(p570->rc_triggered, except_level, rpc_rc_triggered_v17_02_570,
         exceptLevel);
    SAME(p570->rc_triggered, except_type, rpc_rc_triggered_v17_02_570,
         exceptType);
    SAME(p570->rc_triggered, scope, rpc_rc_triggered_v17_02_570, scope);
    SAME(p570->rc_triggered, fault_addr_lo, rpc_rc_triggered_v17_02_570,
         mmuFaultAddrLo);
    SAME(p570->rc_triggered, fault_type, rpc_rc_triggered_v17_02_570,
         mmuFaultType);
    SAME(p535->rc_triggered, except_type, rpc_rc_triggered_v17_02_535,
         exceptType);
    SAME(p535->rc_triggered, scope, rpc_rc_triggered_v17_02_535, scope);

    g_assert_cmpuint(p535->root_params_size, ==,
                     sizeof(NV0000_ALLOC_PARAMETERS_535));
    g_assert_cmpuint(p570->root_params_size, ==,
                     sizeof(NV0000_ALLOC_PARAMETERS_570));
}

static void check_overrides(const VgspProfile *p)
{
    for (const VgspControlOverride *o = p->controls; o && o->cmd; o++) {
        g_assert_true(!o->name == !o->size);
        for (const VgspControlOverride *q = p->controls; q != o; q++) {
            g_assert_cmphex(q->cmd, !=, o->cmd);
        }
    }
}

static void test_overrides(void)
{
    for_each_profile(check_overrides);
}

/* ---- Engines ---- */

static void check_engines(const VgspProfile *p)
{
    const VgspChip *chip = &vgsp_chip_tu104;

    for (uint32_t i = 0; i < chip->num_engines; i++) {
        uint32_t type = chip->engine[i].nv2080_type;
        uint32_t mc = vgsp_profile_mc_engine(p, type);
        uint32_t rm = vgsp_profile_rm_engine(p, type);

        g_assert_cmphex(mc, !=, VGSP_ABSENT);
        g_assert_cmphex(rm, !=, VGSP_ABSENT);
        g_assert_cmpuint(mc, !=, p->mc_engine->gsp);
        g_assert_cmpuint(mc, !=, p->mc_engine->disp);
        g_assert_cmpuint(type, <, 32u * p->static_info->engine_caps_words);
        for (uint32_t k = 0; k < i; k++) {
            uint32_t other = chip->engine[k].nv2080_type;

            g_assert_cmpuint(mc, !=, vgsp_profile_mc_engine(p, other));
            g_assert_cmpuint(rm, !=, vgsp_profile_rm_engine(p, other));
        }
    }
    g_assert_cmphex(vgsp_profile_mc_engine(p, NV2080_ENGINE_TYPE_NULL), ==,
                    VGSP_ABSENT);
    g_assert_cmphex(vgsp_profile_rm_engine(p, UINT32_MAX), ==, VGSP_ABSENT);
}

static void test_engines(void)
{
    const VgspProfile *p570 = vgsp_profile_by_system_info_size(928);
    const VgspProfile *p535 = vgsp_profile_by_system_info_size(664);

    for_each_profile(check_engines);
    g_assert_cmpuint(vgsp_profile_mc_engine(p570, NV2080_ENGINE_TYPE_GR0), ==,
                     84);
    g_assert_cmpuint(vgsp_profile_mc_engine(p535, NV2080_ENGINE_TYPE_GR0), ==,
                     82);
    g_assert_cmpuint(vgsp_profile_mc_engine(p570, NV2080_ENGINE_TYPE_COPY(4)),
                     ==, 19);
    g_assert_cmpuint(vgsp_profile_rm_engine(p570, NV2080_ENGINE_TYPE_NVDEC0),
                     ==, 0x1d);
}

static void test_chip(void)
{
    /* Without any one of them a driver gives up on GR. */
    static const unsigned needed[] = {
        ENGINE_ID_GRAPHICS, ENGINE_ID_GRAPHICS_ZCULL, ENGINE_ID_GRAPHICS_PATCH,
        ENGINE_ID_GRAPHICS_BUNDLE_CB, ENGINE_ID_GRAPHICS_PAGEPOOL,
        ENGINE_ID_GRAPHICS_ATTRIBUTE_CB, ENGINE_ID_GRAPHICS_RTV_CB_GLOBAL,
        ENGINE_ID_GRAPHICS_FECS_EVENT, ENGINE_ID_GRAPHICS_PRIV_ACCESS_MAP,
    };
    const VgspChip *chip = &vgsp_chip_tu104;
    const VgspChipEngine *gr = vgsp_chip_engine(chip, NV2080_ENGINE_TYPE_GR0);
    bool gr_has_ce = false;
    unsigned tpcs = 0;

    g_assert_cmpuint(chip->num_engines, <=, VGSP_CHIP_MAX_ENGINES);
    g_assert_nonnull(gr);
    g_assert_null(vgsp_chip_engine(chip, NV2080_ENGINE_TYPE_NULL));
    for (uint32_t i = 0; i < chip->num_engines; i++) {
        const VgspChipEngine *e = &chip->engine[i];

        g_assert_true(vgsp_chip_engine(chip, e->nv2080_type) == e);
        g_assert_cmpuint(e->runlist, <, chip->num_runlists);
        g_assert_cmpuint(e->vector_stall, <, 256);
        g_assert_cmpuint(e->vector_nonstall, <, 32);
        g_assert_cmpuint(e->vector_stall, !=, chip->vector_gsp);
        g_assert_cmpuint(e->vector_stall, !=, chip->vector_disp);
        gr_has_ce |= e != gr && e->runlist == gr->runlist;
        for (uint32_t k = 0; k < i; k++) {
            const VgspChipEngine *o = &chip->engine[k];

            g_assert_cmpuint(e->vector_stall, !=, o->vector_stall);
            g_assert_cmpuint(e->vector_nonstall, !=, o->vector_nonstall);
            g_assert_cmpuint(e->fault_id, !=, o->fault_id);
            if (e->runlist == o->runlist) {
                g_assert_cmpuint(e->runlist_engine_id, >,
                                 o->runlist_engine_id);
            }
        }
    }
    /* Channels of GR get a copy object on the same runlist. */
    g_assert_true(gr_has_ce);

    for (unsigned i = 0; i < G_N_ELEMENTS(needed); i++) {
        g_assert_cmpuint(chip->ctxbuf[needed[i]].size, >, 0);
        g_assert_cmpuint(chip->ctxbuf[needed[i]].align, >, 0);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(chip->zcull); i++) {
        g_assert_cmpuint(chip->zcull[i], >, 0);
    }
    /* 24 TPCs are the 48 SMs of the board. */
    for (unsigned gpc = 0; gpc < VGSP_CHIP_MAX_GPC; gpc++) {
        tpcs += chip->gpc_mask & (1u << gpc) ?
                __builtin_popcount(chip->tpc_mask[gpc]) : 0;
    }
    g_assert_cmpuint(tpcs, ==, 24);
    g_assert_cmphex(chip->boot0 >> 20 & 0x1ff, ==, 0x164);
    g_assert_cmphex(chip->ce_mthdbuf_size, <=, 0x10000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/profile/select", test_select);
    g_test_add_func("/profile/layouts", test_layouts);
    g_test_add_func("/profile/structures", test_structures);
    g_test_add_func("/profile/overrides", test_overrides);
    g_test_add_func("/profile/engines", test_engines);
    g_test_add_func("/chip/tu104", test_chip);
    return g_test_run();
}
