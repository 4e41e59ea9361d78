/*
 * The VBIOS of a Turing GPU, as far as booting GSP-RM needs it: PCI option ROM,
 * BIT, the falcon ucode table and the FWSEC descriptor, and the command that a
 * driver patches into FWSEC's data before it runs it.
 *
 * The device synthesises an image; a driver parses one.  Specified by the PCI
 * firmware specification, NVIDIA's BIT documents (open-gpu-doc) and the two
 * drivers that read such an image.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_VBIOS_H
#define VGSP_VBIOS_H

#include "vgsp/types.h"

/* Size of the image that vgsp_vbios_build() makes, in bytes. */
#define VGSP_VBIOS_IMAGE_SIZE 4096

/* Space of the PROM window: no driver reads further. */
#define VGSP_VBIOS_MAX_SIZE (1024 * 1024)

/* Longest board name, with its terminating zero. */
#define VGSP_VBIOS_BOARD_MAX 64

/* What the image is to say. */
typedef struct VgspVbiosParams {
    uint16_t vendor_id;
    uint16_t device_id;
    uint16_t subsystem_vendor_id;
    uint16_t subsystem_id;
    uint32_t class_code; /* 24 bits, 0x030000 for VGA */
    uint32_t version;    /* 90.04.87.00.xx is 0x90048700 */
    uint8_t oem_version; /* the xx */
    const char *board;   /* name, cut to VGSP_VBIOS_BOARD_MAX - 1 bytes */
} VgspVbiosParams;

/*
 * FWSEC, from its descriptor (FALCON_UCODE_DESC_V2).  All in bytes; the
 * parser has checked that the code and data lie within the ROM, and the
 * interface table's header within the data.
 */
typedef struct VgspVbiosFwsecInfo {
    uint32_t image_offset;     /* of the code in the ROM */
    uint32_t image_size;       /* code and data, from image_offset */
    uint32_t interface_offset; /* of the interface table in the data */
    uint32_t virtual_entry;
    uint32_t imem_phys_base;
    uint32_t imem_load_size;
    uint32_t imem_virt_base;
    uint32_t imem_sec_base;
    uint32_t imem_sec_size;
    uint32_t dmem_offset; /* of the data, from image_offset */
    uint32_t dmem_phys_base;
    uint32_t dmem_load_size;
} VgspVbiosFwsecInfo;

typedef struct VgspVbiosInfo {
    uint32_t base;        /* of the first image: after an IFR header, if any */
    uint32_t size;        /* of the whole chain of images, from base */
    uint32_t image0_size; /* of the first x86 image */
    bool checksum_ok;     /* byte sum of the first x86 image is 0 */
    uint16_t vendor_id;
    uint16_t device_id;
    uint16_t subsystem_vendor_id;
    uint16_t subsystem_id;
    uint32_t class_code;
    uint32_t version; /* 0 if the image does not say */
    uint8_t oem_version;
    char board[VGSP_VBIOS_BOARD_MAX]; /* empty if the image does not say */
    VgspVbiosFwsecInfo fwsec;
} VgspVbiosInfo;

typedef enum VgspVbiosError {
    VGSP_VBIOS_OK,
    VGSP_VBIOS_ERR_TRUNCATED,     /* a header reaches past the end */
    VGSP_VBIOS_ERR_ROM_SIGNATURE, /* no 55 aa */
    VGSP_VBIOS_ERR_IFR,           /* IFR header of an unknown version or bad */
    VGSP_VBIOS_ERR_PCIR,          /* no PCI data structure */
    VGSP_VBIOS_ERR_IMAGE_SIZE,    /* an image of size 0 or past the end */
    VGSP_VBIOS_ERR_NO_BIT,        /* no BIT header with a good checksum */
    VGSP_VBIOS_ERR_BIT,           /* its sizes make no sense */
    VGSP_VBIOS_ERR_FALCON_TABLE,  /* no falcon ucode table, or a bad one */
    VGSP_VBIOS_ERR_NO_FWSEC,      /* no production FWSEC in it */
    VGSP_VBIOS_ERR_FWSEC_DESC,    /* descriptor is not of version 2 */
    VGSP_VBIOS_ERR_FWSEC_BOUNDS,  /* code, data or interface out of bounds */
} VgspVbiosError;

/*
 * Synthesise an image into buf, VGSP_VBIOS_IMAGE_SIZE bytes: one x86 option ROM
 * whose entry point returns at once.  FWSEC in it is a placeholder with valid
 * tables; its code is filler.  The same parameters give the same bytes.
 * Returns the size, or 0 if size is less than that.
 */
size_t vgsp_vbios_build(void *buf, size_t size, const VgspVbiosParams *p);

/*
 * Parse the ROM of len bytes as the drivers do: image chain, BIT, falcon ucode
 * table, FWSEC.  rom may be larger than the images and may hold anything.  *out
 * is zero unless the result is VGSP_VBIOS_OK.
 */
VgspVbiosError vgsp_vbios_parse(const void *rom, size_t len,
                                VgspVbiosInfo *out);

/* Static string that says what is wrong. */
const char *vgsp_vbios_error_str(VgspVbiosError err);

/* Commands of FWSEC: init_cmd of FALCON_APPLICATION_INTERFACE_DMEM_MAPPER_V3 */
typedef enum VgspFwsecCmdId {
    VGSP_FWSEC_CMD_FRTS = 0x15,
    VGSP_FWSEC_CMD_SB = 0x19,
} VgspFwsecCmdId;

/* What a driver asks of FWSEC. */
typedef struct VgspFwsecCmd {
    VgspFwsecCmdId id;
    uint64_t frts_addr; /* FRTS: video memory address in bytes, 4 KiB aligned */
    uint64_t frts_size; /* FRTS: bytes, a multiple of 4 KiB, not 0 */
} VgspFwsecCmd;

typedef enum VgspFwsecError {
    VGSP_FWSEC_OK,
    VGSP_FWSEC_ERR_INTERFACE_BOUNDS,   /* interface table outside the data */
    VGSP_FWSEC_ERR_INTERFACE_HEADER,   /* its version or sizes are wrong */
    VGSP_FWSEC_ERR_NO_DMEM_MAPPER,     /* it has no DMEM mapper */
    VGSP_FWSEC_ERR_DMEM_MAPPER_BOUNDS, /* mapper outside the data */
    VGSP_FWSEC_ERR_INIT_CMD,           /* neither FRTS nor SB */
    VGSP_FWSEC_ERR_CMD_IN_BOUNDS,      /* command buffer outside the data */
    VGSP_FWSEC_ERR_CMD_IN_SIZE, /* command buffer too small for the command */
    VGSP_FWSEC_ERR_READ_VBIOS_DESC,   /* its version or size is wrong */
    VGSP_FWSEC_ERR_FRTS_REGION_DESC,  /* its version or size is wrong */
    VGSP_FWSEC_ERR_FRTS_REGION_MEDIA, /* not video memory */
    VGSP_FWSEC_ERR_FRTS_REGION_SIZE,  /* 0, or not in units of 4 KiB */
} VgspFwsecError;

/*
 * Read the command out of FWSEC's data (its DMEM image, len bytes, as a driver
 * left it in memory).  interface_offset is what the descriptor in the ROM says.
 * The data is the guest's and may hold anything.  *out is zero on an error.
 */
VgspFwsecError vgsp_fwsec_cmd_parse(const void *dmem, size_t len,
                                    uint32_t interface_offset,
                                    VgspFwsecCmd *out);

/*
 * Write a command into FWSEC's data (len bytes at dmem, copied from the ROM),
 * as a driver does before it runs FWSEC.
 */
VgspFwsecError vgsp_fwsec_patch(void *dmem, size_t len,
                                const VgspVbiosFwsecInfo *info,
                                const VgspFwsecCmd *cmd);

/* Static string that says what is wrong. */
const char *vgsp_fwsec_error_str(VgspFwsecError err);

#endif
