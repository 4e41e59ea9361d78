/*
 * Fuzz the VBIOS parser and the FWSEC command parser: with the input as it is,
 * and with a good image that the input damages here and there.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>

#include "vgsp/vbios.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
    if (!ok) {
        abort();
    }
}

static void try_fwsec(const uint8_t *dmem, size_t len,
                      const VgspVbiosFwsecInfo *info)
{
    static const VgspFwsecCmd frts = { VGSP_FWSEC_CMD_FRTS, 0x10000, 0x1000 };
    VgspFwsecCmd cmd;
    uint8_t *copy;

    if (vgsp_fwsec_cmd_parse(dmem, len, info->interface_offset, &cmd) ==
        VGSP_FWSEC_OK) {
        check(cmd.id == VGSP_FWSEC_CMD_SB || cmd.frts_size);
    }
    /* what the patcher accepts, the parser reads back, unless they overlap */
    copy = malloc(len ? len : 1);
    check(copy);
    memcpy(copy, dmem, len);
    if (vgsp_fwsec_patch(copy, len, info, &frts) == VGSP_FWSEC_OK) {
        vgsp_fwsec_cmd_parse(copy, len, info->interface_offset, &cmd);
    }
    free(copy);
}

static void try_rom(const uint8_t *rom, size_t len)
{
    VgspVbiosInfo i;

    if (vgsp_vbios_parse(rom, len, &i) != VGSP_VBIOS_OK) {
        return;
    }
    check(vgsp_range_ok(i.base, i.size, len));
    check(vgsp_range_ok(i.fwsec.image_offset, i.fwsec.image_size, len));
    check(vgsp_range_ok(i.fwsec.dmem_offset, i.fwsec.dmem_load_size,
                        i.fwsec.image_size));
    check(memchr(i.board, 0, sizeof(i.board)));
    try_fwsec(rom + i.fwsec.image_offset + i.fwsec.dmem_offset,
              i.fwsec.dmem_load_size, &i.fwsec);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const VgspVbiosParams params = { .vendor_id = 0x10de,
                                            .device_id = 0x1e81,
                                            .class_code = 0x030000,
                                            .board = "fuzz" };
    VgspVbiosFwsecInfo info = { 0 };
    uint8_t *rom;
    size_t i;

    try_rom(data, size);
    if (size >= 4) {
        info.interface_offset = vgsp_le32(data) % 0x10000;
        try_fwsec(data, size, &info);
    }

    /* three bytes an edit: where, and what */
    rom = malloc(VGSP_VBIOS_IMAGE_SIZE);
    check(rom);
    check(vgsp_vbios_build(rom, VGSP_VBIOS_IMAGE_SIZE, &params));
    for (i = 0; i + 3 <= size; i += 3) {
        rom[vgsp_le16(data + i) % VGSP_VBIOS_IMAGE_SIZE] = data[i + 2];
    }
    try_rom(rom, VGSP_VBIOS_IMAGE_SIZE);
    free(rom);
    return 0;
}
