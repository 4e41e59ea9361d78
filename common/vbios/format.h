/*
 * Layout of a VBIOS image, as byte offsets: everything in it is packed, little
 * endian and possibly unaligned.  Specified by the PCI firmware specification
 * (PCIR), and published by NVIDIA in open-gpu-doc (BIT) and in its open kernel
 * modules (NPDE, IFR, falcon ucode table, FWSEC).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_VBIOS_FORMAT_H
#define VGSP_VBIOS_FORMAT_H

#include "vgsp/types.h"

/* PCI expansion ROM header */
#define PCI_EXP_ROM_SIG                 0x00
#define PCI_EXP_ROM_SIZE                0x02 /* x86: u8, in blocks */
#define PCI_EXP_ROM_ENTRY               0x03 /* x86: called far */
#define PCI_EXP_ROM_PCI_DATA_STRUCT_PTR 0x18
#define PCI_EXP_ROM_SUBSYSTEM_VENDOR_ID 0x54 /* NVIDIA's own */
#define PCI_EXP_ROM_SUBSYSTEM_ID        0x56
#define PCI_EXP_ROM_SIGNATURE           0xaa55
#define PCI_EXP_ROM_SIGNATURE_NV        0x4e56
#define PCI_EXP_ROM_SIGNATURE_NV2       0xbb77
#define PCI_ROM_IMAGE_BLOCK_SIZE        512

/* PCI data structure */
#define PCI_DATA_STRUCT_SIG           0x00
#define PCI_DATA_STRUCT_VENDOR_ID     0x04
#define PCI_DATA_STRUCT_DEVICE_ID     0x06
#define PCI_DATA_STRUCT_LEN           0x0a
#define PCI_DATA_STRUCT_REV           0x0c
#define PCI_DATA_STRUCT_CLASS_CODE    0x0d
#define PCI_DATA_STRUCT_IMAGE_LEN     0x10 /* in blocks */
#define PCI_DATA_STRUCT_CODE_TYPE     0x14
#define PCI_DATA_STRUCT_LAST_IMAGE    0x15
#define PCI_DATA_STRUCT__SIZE         0x18
#define PCI_DATA_STRUCT_SIGNATURE     0x52494350 /* "PCIR" */
#define PCI_DATA_STRUCT_SIGNATURE_NV  0x5344504e /* "NPDS" */
#define PCI_DATA_STRUCT_SIGNATURE_NV2 0x53494752 /* "RGIS" */
#define PCI_LAST_IMAGE                0x80
#define CODE_TYPE_VBIOS_BASE          0x00
#define CODE_TYPE_VBIOS_EXT           0xe0

/* NVIDIA PCI data extension, 16-byte aligned behind the former */
#define PCI_DATA_EXT_STRUCT_SIG          0x00
#define PCI_DATA_EXT_STRUCT_REV          0x04
#define PCI_DATA_EXT_STRUCT_LEN          0x06
#define PCI_DATA_EXT_STRUCT_SUBIMAGE_LEN 0x08 /* in blocks */
#define PCI_DATA_EXT_STRUCT_LAST_IMAGE   0x0a
#define PCI_DATA_EXT_STRUCT__SIZE        0x0c
#define NV_PCI_DATA_EXT_SIG              0x4544504e /* "NPDE" */
#define NV_PCI_DATA_EXT_REV_10           0x100
#define NV_PCI_DATA_EXT_REV_11           0x101

/* Init-from-ROM header, which on some boards precedes the first image */
#define NV_PBUS_IFR_FMT_FIXED0                 0x00
#define NV_PBUS_IFR_FMT_FIXED0_SIGNATURE_VALUE 0x4947564e
#define NV_PBUS_IFR_FMT_FIXED1                 0x04
#define NV_PBUS_IFR_FMT_FIXED1_VERSIONSW       VGSP_BITS(15, 8)
#define NV_PBUS_IFR_FMT_FIXED1_FIXED_DATA_SIZE VGSP_BITS(30, 16)
#define NV_PBUS_IFR_FMT_FIXED2                 0x08
#define NV_PBUS_IFR_FMT_FIXED2_TOTAL_DATA_SIZE VGSP_BITS(19, 0)
#define NV_ROM_DIRECTORY_IDENTIFIER            0x44524652 /* "RFRD" */
#define NV_ROM_DIRECTORY_PCI_OFFSET            0x08
#define NV_ROM_FLASH_STATUS_SIZE               4096

/* BIOS information table */
#define BIT_HEADER_ID               0x00
#define BIT_HEADER_SIGNATURE        0x02
#define BIT_HEADER_BCD_VERSION      0x06
#define BIT_HEADER_HEADER_SIZE      0x08
#define BIT_HEADER_TOKEN_SIZE       0x09
#define BIT_HEADER_TOKEN_ENTRIES    0x0a
#define BIT_HEADER_HEADER_CHKSUM    0x0b
#define BIT_HEADER__SIZE            0x0c
#define BIT_HEADER_ID_VALUE         0xb8ff
#define BIT_HEADER_SIGNATURE_VALUE  0x00544942 /* "BIT" */
#define BIT_HEADER_BCD_VERSION_1_00 0x0100
#define BIT_TOKEN_ID                0x00
#define BIT_TOKEN_DATA_VERSION      0x01
#define BIT_TOKEN_DATA_SIZE         0x02
#define BIT_TOKEN_DATA_PTR          0x04 /* u16, or u32 in tokens of 8 bytes */
#define BIT_TOKEN_V1_00_SIZE_6      6
#define BIT_TOKEN_V1_00_SIZE_8      8

/* BIT token data */
#define BIT_TOKEN_BIOSDATA                             'B'
#define BIT_TOKEN_INTERNAL_USE                         'i'
#define BIT_TOKEN_STRING_PTRS                          'S'
#define BIT_TOKEN_FALCON_DATA                          'p'
#define BIT_DATA_BIOSDATA_VERSION                      0x00 /* 'B' and 'i' alike */
#define BIT_DATA_BIOSDATA_OEM_VERSION                  0x04
#define BIT_DATA_BIOSDATA_V2__SIZE                     0x18
#define BIT_DATA_BIOSDATA_BINVER__SIZE                 5
#define BIT_STRING_PTRS_OEM_PRODUCT_NAME               0x0f /* u16 pointer, u8 length */
#define BIT_STRING_PTRS__SIZE                          0x15
#define BIT_DATA_FALCON_DATA_V2_FALCON_UCODE_TABLE_PTR 0x00
#define BIT_DATA_FALCON_DATA_V2__SIZE                  4

/* Falcon ucode table */
#define FALCON_UCODE_TABLE_HDR_V1_VERSION          0x00
#define FALCON_UCODE_TABLE_HDR_V1_HEADER_SIZE      0x01
#define FALCON_UCODE_TABLE_HDR_V1_ENTRY_SIZE       0x02
#define FALCON_UCODE_TABLE_HDR_V1_ENTRY_COUNT      0x03
#define FALCON_UCODE_TABLE_HDR_V1_DESC_VERSION     0x04
#define FALCON_UCODE_TABLE_HDR_V1_DESC_SIZE        0x05
#define FALCON_UCODE_TABLE_HDR_V1__SIZE            6
#define FALCON_UCODE_TABLE_ENTRY_V1_APPLICATION_ID 0x00
#define FALCON_UCODE_TABLE_ENTRY_V1_DESC_PTR       0x02
#define FALCON_UCODE_TABLE_ENTRY_V1__SIZE          6
#define FALCON_UCODE_ENTRY_APPID_FIRMWARE_SEC_LIC  0x05
#define FALCON_UCODE_ENTRY_APPID_FWSEC_PROD        0x85

/* Falcon ucode descriptor of version 2, and the ucode behind it */
#define FALCON_UCODE_DESC_V2_VDESC              0x00
#define FALCON_UCODE_DESC_VDESC_FLAGS_VERSION   VGSP_BIT(0)
#define FALCON_UCODE_DESC_VDESC_VERSION         VGSP_BITS(15, 8)
#define FALCON_UCODE_DESC_VDESC_SIZE            VGSP_BITS(31, 16)
#define FALCON_UCODE_DESC_V2_STORED_SIZE        0x04
#define FALCON_UCODE_DESC_V2_UNCOMPRESSED_SIZE  0x08
#define FALCON_UCODE_DESC_V2_VIRTUAL_ENTRY      0x0c
#define FALCON_UCODE_DESC_V2_INTERFACE_OFFSET   0x10
#define FALCON_UCODE_DESC_V2_IMEM_PHYS_BASE     0x14
#define FALCON_UCODE_DESC_V2_IMEM_LOAD_SIZE     0x18
#define FALCON_UCODE_DESC_V2_IMEM_VIRT_BASE     0x1c
#define FALCON_UCODE_DESC_V2_IMEM_SEC_BASE      0x20
#define FALCON_UCODE_DESC_V2_IMEM_SEC_SIZE      0x24
#define FALCON_UCODE_DESC_V2_DMEM_OFFSET        0x28
#define FALCON_UCODE_DESC_V2_DMEM_PHYS_BASE     0x2c
#define FALCON_UCODE_DESC_V2_DMEM_LOAD_SIZE     0x30
#define FALCON_UCODE_DESC_V2_ALT_IMEM_LOAD_SIZE 0x34
#define FALCON_UCODE_DESC_V2_ALT_DMEM_LOAD_SIZE 0x38
#define FALCON_UCODE_DESC_V2__SIZE              60

/* Application interface table in FWSEC's data */
#define FALCON_APPLICATION_INTERFACE_HEADER_V1_VERSION     0x00
#define FALCON_APPLICATION_INTERFACE_HEADER_V1_HEADER_SIZE 0x01
#define FALCON_APPLICATION_INTERFACE_HEADER_V1_ENTRY_SIZE  0x02
#define FALCON_APPLICATION_INTERFACE_HEADER_V1_ENTRY_COUNT 0x03
#define FALCON_APPLICATION_INTERFACE_HEADER_V1__SIZE       4
#define FALCON_APPLICATION_INTERFACE_ENTRY_V1_ID           0x00
#define FALCON_APPLICATION_INTERFACE_ENTRY_V1_DMEM_OFFSET  0x04
#define FALCON_APPLICATION_INTERFACE_ENTRY_V1__SIZE        8
#define FALCON_APPLICATION_INTERFACE_ENTRY_ID_DMEMMAPPER   0x4

/* DMEM mapper */
#define DMEM_MAPPER_V3_SIGNATURE             0x00
#define DMEM_MAPPER_V3_VERSION               0x04
#define DMEM_MAPPER_V3_SIZE                  0x06
#define DMEM_MAPPER_V3_CMD_IN_BUFFER_OFFSET  0x08
#define DMEM_MAPPER_V3_CMD_IN_BUFFER_SIZE    0x0c
#define DMEM_MAPPER_V3_CMD_OUT_BUFFER_OFFSET 0x10
#define DMEM_MAPPER_V3_CMD_OUT_BUFFER_SIZE   0x14
#define DMEM_MAPPER_V3_INIT_CMD              0x2c
#define DMEM_MAPPER_V3_UCODE_CMD_MASK0       0x34
#define DMEM_MAPPER_V3__SIZE                 0x40
#define DMEM_MAPPER_V3_SIGNATURE_VALUE       0x50414d44 /* "DMAP" */

/* Command buffer: READ_VBIOS, and for FRTS the region behind it */
#define FWSECLIC_READ_VBIOS_DESC_VERSION                 0x00
#define FWSECLIC_READ_VBIOS_DESC_SIZE                    0x04
#define FWSECLIC_READ_VBIOS_DESC_GFW_IMAGE_OFFSET        0x08
#define FWSECLIC_READ_VBIOS_DESC_GFW_IMAGE_SIZE          0x10
#define FWSECLIC_READ_VBIOS_DESC_FLAGS                   0x14
#define FWSECLIC_READ_VBIOS_DESC__SIZE                   0x18
#define FWSECLIC_READ_VBIOS_STRUCT_FLAGS                 2
#define FWSECLIC_FRTS_REGION_DESC_VERSION                0x00
#define FWSECLIC_FRTS_REGION_DESC_SIZE                   0x04
#define FWSECLIC_FRTS_REGION_DESC_FRTS_REGION_OFFSET_4K  0x08
#define FWSECLIC_FRTS_REGION_DESC_FRTS_REGION_SIZE       0x0c
#define FWSECLIC_FRTS_REGION_DESC_FRTS_REGION_MEDIA_TYPE 0x10
#define FWSECLIC_FRTS_REGION_DESC__SIZE                  0x14
#define FWSECLIC_FRTS_REGION_MEDIA_FB                    2
#define FWSECLIC_FRTS_REGION_UNIT_SHIFT                  12
#define FWSECLIC_FRTS_CMD__SIZE \
    (FWSECLIC_READ_VBIOS_DESC__SIZE + FWSECLIC_FRTS_REGION_DESC__SIZE)

/* Images and the BIT header are checked by the sum of their bytes, which is 0.
 */
static inline uint8_t byte_sum(const uint8_t *p, size_t len)
{
    uint8_t sum = 0;

    while (len--) {
        sum += *p++;
    }
    return sum;
}

#endif
