/*
 * The command that a driver leaves in FWSEC's data: interface table, DMEM
 * mapper, command buffer.  See format.h for where the layout is specified.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "format.h"
#include "vgsp/vbios.h"

static VgspFwsecError find_mapper(const uint8_t *dmem, size_t len,
                                  uint32_t interface_offset,
                                  uint32_t *mapper_offset)
{
    const uint8_t *hdr;
    size_t header_size, entry_size, count, i;

    if (!vgsp_range_ok(interface_offset,
                       FALCON_APPLICATION_INTERFACE_HEADER_V1__SIZE, len)) {
        return VGSP_FWSEC_ERR_INTERFACE_BOUNDS;
    }
    hdr = dmem + interface_offset;
    header_size = hdr[FALCON_APPLICATION_INTERFACE_HEADER_V1_HEADER_SIZE];
    entry_size = hdr[FALCON_APPLICATION_INTERFACE_HEADER_V1_ENTRY_SIZE];
    count = hdr[FALCON_APPLICATION_INTERFACE_HEADER_V1_ENTRY_COUNT];
    if (hdr[FALCON_APPLICATION_INTERFACE_HEADER_V1_VERSION] != 1 ||
        header_size < FALCON_APPLICATION_INTERFACE_HEADER_V1__SIZE ||
        entry_size < FALCON_APPLICATION_INTERFACE_ENTRY_V1__SIZE) {
        return VGSP_FWSEC_ERR_INTERFACE_HEADER;
    }
    if (!vgsp_range_ok(interface_offset, header_size + entry_size * count,
                       len)) {
        return VGSP_FWSEC_ERR_INTERFACE_BOUNDS;
    }
    for (i = 0; i < count; i++) {
        const uint8_t *entry = hdr + header_size + entry_size * i;

        if (vgsp_le32(entry + FALCON_APPLICATION_INTERFACE_ENTRY_V1_ID) ==
            FALCON_APPLICATION_INTERFACE_ENTRY_ID_DMEMMAPPER) {
            *mapper_offset = vgsp_le32(
                entry + FALCON_APPLICATION_INTERFACE_ENTRY_V1_DMEM_OFFSET);
            return vgsp_range_ok(*mapper_offset, DMEM_MAPPER_V3__SIZE, len)
                       ? VGSP_FWSEC_OK
                       : VGSP_FWSEC_ERR_DMEM_MAPPER_BOUNDS;
        }
    }
    return VGSP_FWSEC_ERR_NO_DMEM_MAPPER;
}

/* Bytes of the command buffer that cmd needs; 0 if there is no such command. */
static uint32_t cmd_in_size(uint32_t cmd)
{
    switch (cmd) {
    case VGSP_FWSEC_CMD_FRTS:
        return FWSECLIC_FRTS_CMD__SIZE;
    case VGSP_FWSEC_CMD_SB:
        return FWSECLIC_READ_VBIOS_DESC__SIZE;
    default:
        return 0;
    }
}

static VgspFwsecError find_cmd_in(const uint8_t *dmem, size_t len,
                                  uint32_t mapper_offset, uint32_t needed,
                                  uint32_t *cmd_in)
{
    const uint8_t *mapper = dmem + mapper_offset;
    uint32_t size = vgsp_le32(mapper + DMEM_MAPPER_V3_CMD_IN_BUFFER_SIZE);

    *cmd_in = vgsp_le32(mapper + DMEM_MAPPER_V3_CMD_IN_BUFFER_OFFSET);
    if (size < needed) {
        return VGSP_FWSEC_ERR_CMD_IN_SIZE;
    }
    return vgsp_range_ok(*cmd_in, size, len) ? VGSP_FWSEC_OK
                                             : VGSP_FWSEC_ERR_CMD_IN_BOUNDS;
}

static VgspFwsecError parse_frts_region(const uint8_t *desc, VgspFwsecCmd *out)
{
    if (vgsp_le32(desc + FWSECLIC_FRTS_REGION_DESC_VERSION) != 1 ||
        vgsp_le32(desc + FWSECLIC_FRTS_REGION_DESC_SIZE) !=
            FWSECLIC_FRTS_REGION_DESC__SIZE) {
        return VGSP_FWSEC_ERR_FRTS_REGION_DESC;
    }
    if (vgsp_le32(desc + FWSECLIC_FRTS_REGION_DESC_FRTS_REGION_MEDIA_TYPE) !=
        FWSECLIC_FRTS_REGION_MEDIA_FB) {
        return VGSP_FWSEC_ERR_FRTS_REGION_MEDIA;
    }
    out->frts_addr = (uint64_t)vgsp_le32(
                         desc + FWSECLIC_FRTS_REGION_DESC_FRTS_REGION_OFFSET_4K)
                     << FWSECLIC_FRTS_REGION_UNIT_SHIFT;
    out->frts_size =
        (uint64_t)vgsp_le32(desc + FWSECLIC_FRTS_REGION_DESC_FRTS_REGION_SIZE)
        << FWSECLIC_FRTS_REGION_UNIT_SHIFT;
    return out->frts_size ? VGSP_FWSEC_OK : VGSP_FWSEC_ERR_FRTS_REGION_SIZE;
}

static VgspFwsecError cmd_parse(const uint8_t *dmem, size_t len,
                                uint32_t interface_offset, VgspFwsecCmd *out)
{
    uint32_t mapper, cmd, needed, cmd_in;
    VgspFwsecError err;

    err = find_mapper(dmem, len, interface_offset, &mapper);
    if (err != VGSP_FWSEC_OK) {
        return err;
    }
    cmd = vgsp_le32(dmem + mapper + DMEM_MAPPER_V3_INIT_CMD);
    needed = cmd_in_size(cmd);
    if (!needed) {
        return VGSP_FWSEC_ERR_INIT_CMD;
    }
    err = find_cmd_in(dmem, len, mapper, needed, &cmd_in);
    if (err != VGSP_FWSEC_OK) {
        return err;
    }
    if (vgsp_le32(dmem + cmd_in + FWSECLIC_READ_VBIOS_DESC_VERSION) != 1 ||
        vgsp_le32(dmem + cmd_in + FWSECLIC_READ_VBIOS_DESC_SIZE) !=
            FWSECLIC_READ_VBIOS_DESC__SIZE) {
        return VGSP_FWSEC_ERR_READ_VBIOS_DESC;
    }
    out->id = (VgspFwsecCmdId)cmd;
    if (cmd == VGSP_FWSEC_CMD_FRTS) {
        return parse_frts_region(dmem + cmd_in + FWSECLIC_READ_VBIOS_DESC__SIZE,
                                 out);
    }
    return VGSP_FWSEC_OK;
}

VgspFwsecError vgsp_fwsec_cmd_parse(const void *dmem, size_t len,
                                    uint32_t interface_offset,
                                    VgspFwsecCmd *out)
{
    VgspFwsecError err;

    memset(out, 0, sizeof(*out));
    err = cmd_parse(dmem, len, interface_offset, out);
    if (err != VGSP_FWSEC_OK) {
        memset(out, 0, sizeof(*out));
    }
    return err;
}

VgspFwsecError vgsp_fwsec_patch(void *dmem, size_t len,
                                const VgspVbiosFwsecInfo *info,
                                const VgspFwsecCmd *cmd)
{
    uint32_t needed = cmd_in_size(cmd->id);
    uint32_t mapper, cmd_in;
    uint64_t addr_4k = cmd->frts_addr >> FWSECLIC_FRTS_REGION_UNIT_SHIFT;
    uint64_t size_4k = cmd->frts_size >> FWSECLIC_FRTS_REGION_UNIT_SHIFT;
    VgspFwsecError err;
    uint8_t *p;

    if (!needed) {
        return VGSP_FWSEC_ERR_INIT_CMD;
    }
    if (cmd->id == VGSP_FWSEC_CMD_FRTS &&
        (!size_4k || addr_4k > UINT32_MAX || size_4k > UINT32_MAX ||
         addr_4k << FWSECLIC_FRTS_REGION_UNIT_SHIFT != cmd->frts_addr ||
         size_4k << FWSECLIC_FRTS_REGION_UNIT_SHIFT != cmd->frts_size)) {
        return VGSP_FWSEC_ERR_FRTS_REGION_SIZE;
    }
    err = find_mapper(dmem, len, info->interface_offset, &mapper);
    if (err != VGSP_FWSEC_OK) {
        return err;
    }
    err = find_cmd_in(dmem, len, mapper, needed, &cmd_in);
    if (err != VGSP_FWSEC_OK) {
        return err;
    }
    vgsp_put_le32((uint8_t *)dmem + mapper + DMEM_MAPPER_V3_INIT_CMD, cmd->id);

    p = (uint8_t *)dmem + cmd_in;
    vgsp_put_le32(p + FWSECLIC_READ_VBIOS_DESC_VERSION, 1);
    vgsp_put_le32(p + FWSECLIC_READ_VBIOS_DESC_SIZE,
                  FWSECLIC_READ_VBIOS_DESC__SIZE);
    vgsp_put_le64(p + FWSECLIC_READ_VBIOS_DESC_GFW_IMAGE_OFFSET, 0);
    vgsp_put_le32(p + FWSECLIC_READ_VBIOS_DESC_GFW_IMAGE_SIZE, 0);
    vgsp_put_le32(p + FWSECLIC_READ_VBIOS_DESC_FLAGS,
                  FWSECLIC_READ_VBIOS_STRUCT_FLAGS);
    if (cmd->id == VGSP_FWSEC_CMD_FRTS) {
        p += FWSECLIC_READ_VBIOS_DESC__SIZE;
        vgsp_put_le32(p + FWSECLIC_FRTS_REGION_DESC_VERSION, 1);
        vgsp_put_le32(p + FWSECLIC_FRTS_REGION_DESC_SIZE,
                      FWSECLIC_FRTS_REGION_DESC__SIZE);
        vgsp_put_le32(p + FWSECLIC_FRTS_REGION_DESC_FRTS_REGION_OFFSET_4K,
                      addr_4k);
        vgsp_put_le32(p + FWSECLIC_FRTS_REGION_DESC_FRTS_REGION_SIZE, size_4k);
        vgsp_put_le32(p + FWSECLIC_FRTS_REGION_DESC_FRTS_REGION_MEDIA_TYPE,
                      FWSECLIC_FRTS_REGION_MEDIA_FB);
    }
    return VGSP_FWSEC_OK;
}

const char *vgsp_fwsec_error_str(VgspFwsecError err)
{
    switch (err) {
    case VGSP_FWSEC_OK:
        return "no error";
    case VGSP_FWSEC_ERR_INTERFACE_BOUNDS:
        return "interface table out of bounds";
    case VGSP_FWSEC_ERR_INTERFACE_HEADER:
        return "bad interface table header";
    case VGSP_FWSEC_ERR_NO_DMEM_MAPPER:
        return "no DMEM mapper";
    case VGSP_FWSEC_ERR_DMEM_MAPPER_BOUNDS:
        return "DMEM mapper out of bounds";
    case VGSP_FWSEC_ERR_INIT_CMD:
        return "unknown command";
    case VGSP_FWSEC_ERR_CMD_IN_BOUNDS:
        return "command buffer out of bounds";
    case VGSP_FWSEC_ERR_CMD_IN_SIZE:
        return "command buffer too small";
    case VGSP_FWSEC_ERR_READ_VBIOS_DESC:
        return "bad READ_VBIOS descriptor";
    case VGSP_FWSEC_ERR_FRTS_REGION_DESC:
        return "bad FRTS region descriptor";
    case VGSP_FWSEC_ERR_FRTS_REGION_MEDIA:
        return "FRTS region not in video memory";
    case VGSP_FWSEC_ERR_FRTS_REGION_SIZE:
        return "bad FRTS region size";
    }
    return "unknown error";
}
