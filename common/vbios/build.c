/*
 * Synthesise a VBIOS image: an x86 option ROM that a BIOS may run, with the
 * tables that a driver follows to FWSEC.  See format.h for where its layout is
 * specified.  No byte of it comes from a real image.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "format.h"
#include "vgsp/vbios.h"

#define X86_RETF 0xcb

/* Where things are.  BIT pointers have 16 bits and reach all of it. */
enum {
    AT_PCIR = 0x60,
    AT_NPDE = 0x80,
    AT_BIT = 0xa0,
    AT_BIOSDATA = 0x100,
    AT_INTERNAL_USE = 0x120,
    AT_STRING_PTRS = 0x140,
    AT_FALCON_DATA = 0x160,
    AT_FALCON_TABLE = 0x168,
    AT_BOARD = 0x180,
    AT_FWSEC_DESC = 0x200,
};

/* FWSEC: one block of non-secure code, then secure code, then data. */
enum {
    IMEM_NS_SIZE = 0x100,
    IMEM_SEC_SIZE = 0x700,
    IMEM_SIZE = IMEM_NS_SIZE + IMEM_SEC_SIZE,
    DMEM_SIZE = 0x400,
};

/*
 * FWSEC's data.  NVIDIA's driver wants two interfaces, and checks the size of
 * the command against the place of the last one: the mapper comes last.
 */
enum {
    DMEM_INTERFACE = 0x10,
    DMEM_OTHER = 0x30,
    DMEM_MAPPER = 0x40,
    DMEM_CMD_IN = 0x80,
    DMEM_CMD_SIZE = 0x40,
    DMEM_CMD_OUT = DMEM_CMD_IN + DMEM_CMD_SIZE,
    INTERFACE_ID_OTHER = 0x1,
};

/* Fill with a text that says what it is; it holds none of the signatures. */
static void put_filler(uint8_t *p, size_t len)
{
    static const char text[] = "vgsp placeholder, not code. ";
    size_t i;

    for (i = 0; i < len; i++) {
        p[i] = text[i % (sizeof(text) - 1)];
    }
}

static void put_rom_headers(uint8_t *rom, const VgspVbiosParams *p)
{
    const unsigned int blocks =
        VGSP_VBIOS_IMAGE_SIZE / PCI_ROM_IMAGE_BLOCK_SIZE;
    uint8_t *pcir = rom + AT_PCIR, *npde = rom + AT_NPDE;

    vgsp_put_le16(rom + PCI_EXP_ROM_SIG, PCI_EXP_ROM_SIGNATURE);
    rom[PCI_EXP_ROM_SIZE] = blocks;
    rom[PCI_EXP_ROM_ENTRY] = X86_RETF;
    vgsp_put_le16(rom + PCI_EXP_ROM_PCI_DATA_STRUCT_PTR, AT_PCIR);
    vgsp_put_le16(rom + PCI_EXP_ROM_SUBSYSTEM_VENDOR_ID,
                  p->subsystem_vendor_id);
    vgsp_put_le16(rom + PCI_EXP_ROM_SUBSYSTEM_ID, p->subsystem_id);

    vgsp_put_le32(pcir + PCI_DATA_STRUCT_SIG, PCI_DATA_STRUCT_SIGNATURE);
    vgsp_put_le16(pcir + PCI_DATA_STRUCT_VENDOR_ID, p->vendor_id);
    vgsp_put_le16(pcir + PCI_DATA_STRUCT_DEVICE_ID, p->device_id);
    vgsp_put_le16(pcir + PCI_DATA_STRUCT_LEN, PCI_DATA_STRUCT__SIZE);
    pcir[PCI_DATA_STRUCT_CLASS_CODE] = p->class_code;
    pcir[PCI_DATA_STRUCT_CLASS_CODE + 1] = p->class_code >> 8;
    pcir[PCI_DATA_STRUCT_CLASS_CODE + 2] = p->class_code >> 16;
    vgsp_put_le16(pcir + PCI_DATA_STRUCT_IMAGE_LEN, blocks);
    pcir[PCI_DATA_STRUCT_CODE_TYPE] = CODE_TYPE_VBIOS_BASE;
    pcir[PCI_DATA_STRUCT_LAST_IMAGE] = PCI_LAST_IMAGE;

    vgsp_put_le32(npde + PCI_DATA_EXT_STRUCT_SIG, NV_PCI_DATA_EXT_SIG);
    vgsp_put_le16(npde + PCI_DATA_EXT_STRUCT_REV, NV_PCI_DATA_EXT_REV_11);
    vgsp_put_le16(npde + PCI_DATA_EXT_STRUCT_LEN, PCI_DATA_EXT_STRUCT__SIZE);
    vgsp_put_le16(npde + PCI_DATA_EXT_STRUCT_SUBIMAGE_LEN, blocks);
    npde[PCI_DATA_EXT_STRUCT_LAST_IMAGE] = PCI_LAST_IMAGE;
}

static void put_bit(uint8_t *rom, const VgspVbiosParams *p)
{
    static const struct {
        uint8_t id, version;
        uint16_t size, ptr;
    } tokens[] = {
        { BIT_TOKEN_BIOSDATA, 2, BIT_DATA_BIOSDATA_V2__SIZE, AT_BIOSDATA },
        { BIT_TOKEN_INTERNAL_USE, 2, BIT_DATA_BIOSDATA_V2__SIZE,
          AT_INTERNAL_USE },
        { BIT_TOKEN_STRING_PTRS, 2, BIT_STRING_PTRS__SIZE, AT_STRING_PTRS },
        { BIT_TOKEN_FALCON_DATA, 2, BIT_DATA_FALCON_DATA_V2__SIZE,
          AT_FALCON_DATA },
    };
    uint8_t *bit = rom + AT_BIT, *t = bit + BIT_HEADER__SIZE;
    size_t i, len = 0;

    vgsp_put_le16(bit + BIT_HEADER_ID, BIT_HEADER_ID_VALUE);
    vgsp_put_le32(bit + BIT_HEADER_SIGNATURE, BIT_HEADER_SIGNATURE_VALUE);
    vgsp_put_le16(bit + BIT_HEADER_BCD_VERSION, BIT_HEADER_BCD_VERSION_1_00);
    bit[BIT_HEADER_HEADER_SIZE] = BIT_HEADER__SIZE;
    bit[BIT_HEADER_TOKEN_SIZE] = BIT_TOKEN_V1_00_SIZE_6;
    bit[BIT_HEADER_TOKEN_ENTRIES] = VGSP_ARRAY_SIZE(tokens);
    bit[BIT_HEADER_HEADER_CHKSUM] = -byte_sum(bit, BIT_HEADER__SIZE);
    for (i = 0; i < VGSP_ARRAY_SIZE(tokens); i++) {
        t[BIT_TOKEN_ID] = tokens[i].id;
        t[BIT_TOKEN_DATA_VERSION] = tokens[i].version;
        vgsp_put_le16(t + BIT_TOKEN_DATA_SIZE, tokens[i].size);
        vgsp_put_le16(t + BIT_TOKEN_DATA_PTR, tokens[i].ptr);
        t += BIT_TOKEN_V1_00_SIZE_6;
    }

    /* NVIDIA's driver takes the version from 'B', nouveau from 'i'. */
    vgsp_put_le32(rom + AT_BIOSDATA + BIT_DATA_BIOSDATA_VERSION, p->version);
    rom[AT_BIOSDATA + BIT_DATA_BIOSDATA_OEM_VERSION] = p->oem_version;
    vgsp_put_le32(rom + AT_INTERNAL_USE + BIT_DATA_BIOSDATA_VERSION,
                  p->version);
    rom[AT_INTERNAL_USE + BIT_DATA_BIOSDATA_OEM_VERSION] = p->oem_version;

    while (p->board && p->board[len] && len < VGSP_VBIOS_BOARD_MAX - 1) {
        rom[AT_BOARD + len] = p->board[len];
        len++;
    }
    vgsp_put_le16(rom + AT_STRING_PTRS + BIT_STRING_PTRS_OEM_PRODUCT_NAME,
                  AT_BOARD);
    rom[AT_STRING_PTRS + BIT_STRING_PTRS_OEM_PRODUCT_NAME + 2] = len;
}

static void put_fwsec_data(uint8_t *dmem)
{
    uint8_t *hdr = dmem + DMEM_INTERFACE;
    uint8_t *entry = hdr + FALCON_APPLICATION_INTERFACE_HEADER_V1__SIZE;
    uint8_t *mapper = dmem + DMEM_MAPPER;

    hdr[FALCON_APPLICATION_INTERFACE_HEADER_V1_VERSION] = 1;
    hdr[FALCON_APPLICATION_INTERFACE_HEADER_V1_HEADER_SIZE] =
        FALCON_APPLICATION_INTERFACE_HEADER_V1__SIZE;
    hdr[FALCON_APPLICATION_INTERFACE_HEADER_V1_ENTRY_SIZE] =
        FALCON_APPLICATION_INTERFACE_ENTRY_V1__SIZE;
    hdr[FALCON_APPLICATION_INTERFACE_HEADER_V1_ENTRY_COUNT] = 2;
    vgsp_put_le32(entry + FALCON_APPLICATION_INTERFACE_ENTRY_V1_ID,
                  INTERFACE_ID_OTHER);
    vgsp_put_le32(entry + FALCON_APPLICATION_INTERFACE_ENTRY_V1_DMEM_OFFSET,
                  DMEM_OTHER);
    entry += FALCON_APPLICATION_INTERFACE_ENTRY_V1__SIZE;
    vgsp_put_le32(entry + FALCON_APPLICATION_INTERFACE_ENTRY_V1_ID,
                  FALCON_APPLICATION_INTERFACE_ENTRY_ID_DMEMMAPPER);
    vgsp_put_le32(entry + FALCON_APPLICATION_INTERFACE_ENTRY_V1_DMEM_OFFSET,
                  DMEM_MAPPER);

    vgsp_put_le32(mapper + DMEM_MAPPER_V3_SIGNATURE,
                  DMEM_MAPPER_V3_SIGNATURE_VALUE);
    vgsp_put_le16(mapper + DMEM_MAPPER_V3_VERSION, 3);
    vgsp_put_le16(mapper + DMEM_MAPPER_V3_SIZE, DMEM_MAPPER_V3__SIZE);
    vgsp_put_le32(mapper + DMEM_MAPPER_V3_CMD_IN_BUFFER_OFFSET, DMEM_CMD_IN);
    vgsp_put_le32(mapper + DMEM_MAPPER_V3_CMD_IN_BUFFER_SIZE, DMEM_CMD_SIZE);
    vgsp_put_le32(mapper + DMEM_MAPPER_V3_CMD_OUT_BUFFER_OFFSET, DMEM_CMD_OUT);
    vgsp_put_le32(mapper + DMEM_MAPPER_V3_CMD_OUT_BUFFER_SIZE, DMEM_CMD_SIZE);
    vgsp_put_le32(mapper + DMEM_MAPPER_V3_UCODE_CMD_MASK0,
                  VGSP_BIT(VGSP_FWSEC_CMD_FRTS) | VGSP_BIT(VGSP_FWSEC_CMD_SB));
}

static void put_fwsec(uint8_t *rom)
{
    uint8_t *table = rom + AT_FALCON_TABLE;
    uint8_t *entry = table + FALCON_UCODE_TABLE_HDR_V1__SIZE;
    uint8_t *desc = rom + AT_FWSEC_DESC;
    uint8_t *code = desc + FALCON_UCODE_DESC_V2__SIZE;

    vgsp_put_le32(rom + AT_FALCON_DATA +
                      BIT_DATA_FALCON_DATA_V2_FALCON_UCODE_TABLE_PTR,
                  AT_FALCON_TABLE);
    table[FALCON_UCODE_TABLE_HDR_V1_VERSION] = 1;
    table[FALCON_UCODE_TABLE_HDR_V1_HEADER_SIZE] =
        FALCON_UCODE_TABLE_HDR_V1__SIZE;
    table[FALCON_UCODE_TABLE_HDR_V1_ENTRY_SIZE] =
        FALCON_UCODE_TABLE_ENTRY_V1__SIZE;
    table[FALCON_UCODE_TABLE_HDR_V1_ENTRY_COUNT] = 1;
    table[FALCON_UCODE_TABLE_HDR_V1_DESC_VERSION] = 2;
    table[FALCON_UCODE_TABLE_HDR_V1_DESC_SIZE] = FALCON_UCODE_DESC_V2__SIZE;
    entry[FALCON_UCODE_TABLE_ENTRY_V1_APPLICATION_ID] =
        FALCON_UCODE_ENTRY_APPID_FWSEC_PROD;
    vgsp_put_le32(entry + FALCON_UCODE_TABLE_ENTRY_V1_DESC_PTR, AT_FWSEC_DESC);

    vgsp_put_le32(
        desc + FALCON_UCODE_DESC_V2_VDESC,
        FALCON_UCODE_DESC_VDESC_FLAGS_VERSION |
            VGSP_SET(FALCON_UCODE_DESC_VDESC_VERSION, 2) |
            VGSP_SET(FALCON_UCODE_DESC_VDESC_SIZE, FALCON_UCODE_DESC_V2__SIZE));
    vgsp_put_le32(desc + FALCON_UCODE_DESC_V2_STORED_SIZE,
                  IMEM_SIZE + DMEM_SIZE);
    vgsp_put_le32(desc + FALCON_UCODE_DESC_V2_UNCOMPRESSED_SIZE,
                  IMEM_SIZE + DMEM_SIZE);
    vgsp_put_le32(desc + FALCON_UCODE_DESC_V2_INTERFACE_OFFSET, DMEM_INTERFACE);
    vgsp_put_le32(desc + FALCON_UCODE_DESC_V2_IMEM_LOAD_SIZE, IMEM_SIZE);
    vgsp_put_le32(desc + FALCON_UCODE_DESC_V2_IMEM_SEC_BASE, IMEM_NS_SIZE);
    vgsp_put_le32(desc + FALCON_UCODE_DESC_V2_IMEM_SEC_SIZE, IMEM_SEC_SIZE);
    vgsp_put_le32(desc + FALCON_UCODE_DESC_V2_DMEM_OFFSET, IMEM_SIZE);
    vgsp_put_le32(desc + FALCON_UCODE_DESC_V2_DMEM_LOAD_SIZE, DMEM_SIZE);

    put_filler(code, IMEM_SIZE);
    put_fwsec_data(code + IMEM_SIZE);
}

size_t vgsp_vbios_build(void *buf, size_t size, const VgspVbiosParams *p)
{
    uint8_t *rom = buf;

    if (size < VGSP_VBIOS_IMAGE_SIZE) {
        return 0;
    }
    memset(rom, 0, VGSP_VBIOS_IMAGE_SIZE);
    put_rom_headers(rom, p);
    put_bit(rom, p);
    put_fwsec(rom);
    rom[VGSP_VBIOS_IMAGE_SIZE - 1] = -byte_sum(rom, VGSP_VBIOS_IMAGE_SIZE);
    return VGSP_VBIOS_IMAGE_SIZE;
}
