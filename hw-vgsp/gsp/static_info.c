/*
 * RPC GET_GSP_STATIC_INFO: what RM tells once about the board and about its
 * own memory and handles. The layout (GspStaticConfigInfo) is the profile's.
 *
 * Left zero, as on a board without the feature: GR capability bits, GID, SKU,
 * SR-IOV, ECC poison, mobile and Quadro flags, virtual displays.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/cutils.h"
#include "gsp/rm-int.h"

#define NV2080_GPU_MAX_NAME_STRING_LENGTH 64

/* One FBPA drives 32 bits of the memory bus, one FBP 64. */
#define FBIO_BITS   32
#define FBP_BITS    64

static void put_region(uint8_t *p, uint64_t base, uint64_t size, bool usable)
{
    typedef NV2080_CTRL_CMD_FB_GET_FB_REGION_FB_REGION_INFO Region;

    RM_PUT_LE64(p, Region, base, base);
    RM_PUT_LE64(p, Region, limit, base + size - 1);
    RM_PUT_LE64(p, Region, reserved, usable ? 0 : size);
    RM_PUT_LE32(p, Region, performance, usable ? 100 : 0);
    RM_PUT_U8(p, Region, supportCompressed, usable);
    RM_PUT_U8(p, Region, supportISO, usable);
}

/* What drivers may use, then RM's reserve up to the firmware's part. */
static void put_fb_regions(const VgspRm *rm, uint8_t *p)
{
    size_t stride = sizeof(NV2080_CTRL_CMD_FB_GET_FB_REGION_FB_REGION_INFO);
    uint8_t *region = p + NV2080_CTRL_CMD_FB_GET_FB_REGION_INFO_OFFSET;
    uint64_t end = MIN(rm->boot.rsvd_start, rm->s->vram_size);
    uint32_t n = 0;

    if (rm->fb_usable) {
        put_region(region + stride * n++, 0, rm->fb_usable, true);
    }
    if (end > rm->fb_usable) {
        put_region(region + stride * n++, rm->fb_usable, end - rm->fb_usable,
                   false);
    }
    vgsp_put_le32(p, n);
}

static void put_mask(uint8_t *p, unsigned bytes, unsigned bits)
{
    uint64_t mask = bits ? MAKE_64BIT_MASK(0, MIN(bits, 8 * bytes)) : 0;

    vgsp_put_le32(p, mask);
    if (bytes == 8) {
        vgsp_put_le32(p + 4, mask >> 32);
    }
}

static void put_floorsweeping(const VgspRm *rm, uint8_t *payload)
{
    const VgspStaticInfoLayout *l = rm->profile->static_info;
    const VgspChip *chip = &rm->s->chip;

    if (l->gpc_info == VGSP_ABSENT) {
        return;
    }
    vgsp_put_le32(payload + l->gpc_info, chip->gpc_mask);
    for (uint32_t gpc = 0; gpc < VGSP_CHIP_MAX_GPC; gpc++) {
        uint8_t *tpc = payload + l->tpc_info + 8 * gpc;
        uint8_t *zcull = payload + l->zcull_info + 8 * gpc;
        bool present = chip->gpc_mask & BIT(gpc);

        vgsp_put_le32(tpc, gpc);
        vgsp_put_le32(tpc + 4, present ? chip->tpc_mask[gpc] : 0);
        /* One zcull bank goes with each TPC. */
        vgsp_put_le32(zcull, gpc);
        vgsp_put_le32(zcull + 4, present ? chip->tpc_mask[gpc] : 0);
    }
}

static void put_names(const VgspRm *rm, uint8_t *payload)
{
    const VgspStaticInfoLayout *l = rm->profile->static_info;
    const VgspChip *chip = &rm->s->chip;

    pstrcpy((char *)payload + l->name, NV2080_GPU_MAX_NAME_STRING_LENGTH,
            chip->name);
    pstrcpy((char *)payload + l->short_name,
            NV2080_GPU_MAX_NAME_STRING_LENGTH, chip->short_name);
    for (unsigned i = 0; i + 1 < NV2080_GPU_MAX_NAME_STRING_LENGTH &&
                         chip->name[i]; i++) {
        vgsp_put_le16(payload + l->name_unicode + 2 * i,
                      (uint8_t)chip->name[i]);
    }
}

void vgsp_rm_static_info(VgspRm *rm, uint8_t *payload)
{
    const VgspStaticInfoLayout *l = rm->profile->static_info;
    const VgspChip *chip = &rm->s->chip;

    memset(payload, 0, l->size);
    put_fb_regions(rm, payload + l->fb_regions);
    put_floorsweeping(rm, payload);
    put_names(rm, payload);

    for (uint32_t i = 0; i < chip->num_engines; i++) {
        uint32_t type = chip->engine[i].nv2080_type;
        uint8_t *word = payload + l->engine_caps + 4 * (type / 32);

        if (type / 32 < l->engine_caps_words) {
            vgsp_put_le32(word, vgsp_le32(word) | BIT(type % 32));
        }
    }

    vgsp_put_le64(payload + l->fb_length, rm->boot.fb_size);
    put_mask(payload + l->fbio_mask, l->fb_mask_bytes,
             chip->fb_bus_width / FBIO_BITS);
    put_mask(payload + l->fbp_mask, l->fb_mask_bytes,
             chip->fb_bus_width / FBP_BITS);
    vgsp_put_le32(payload + l->fb_bus_width, chip->fb_bus_width);
    vgsp_put_le32(payload + l->fb_ram_type,
                  NV2080_CTRL_FB_INFO_RAM_TYPE_GDDR6);
    vgsp_put_le32(payload + l->l2_cache_size, chip->l2_size);

    vgsp_put_le64(payload + l->bar1_pde_base, rm->bar1_pde_base);
    vgsp_put_le64(payload + l->bar2_pde_base, rm->bar2_pde_base);

    payload[l->vbios_valid] = 1;
    vgsp_put_le32(payload + l->vbios_sub_vendor, chip->subsystem_vendor_id);
    vgsp_put_le32(payload + l->vbios_sub_device, chip->subsystem_id);
    payload[l->split_vas] = 1;

    vgsp_put_le32(payload + l->internal_client, VGSP_RM_INTERNAL_CLIENT);
    vgsp_put_le32(payload + l->internal_device, VGSP_RM_INTERNAL_DEVICE);
    vgsp_put_le32(payload + l->internal_subdevice,
                  VGSP_RM_INTERNAL_SUBDEVICE);

    if (l->fw_wpr_layout != VGSP_ABSENT) {
        vgsp_put_le64(payload + l->fw_wpr_layout,
                      rm->boot.nonwpr_heap_offset);
        vgsp_put_le64(payload + l->fw_wpr_layout + 8, rm->boot.frts_offset);
    }
}
