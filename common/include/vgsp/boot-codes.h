/*
 * Failure codes of the emulated boot chain. NVIDIA publishes no list, so the
 * values are this project's (docs/gsp.md says what each means); what drivers
 * rely on is that success is zero.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_BOOT_CODES_H
#define VGSP_BOOT_CODES_H

/*
 * FWSEC on the GSP falcon: MAILBOX0, and the error fields in
 * NV_PBUS_VBIOS_SCRATCH once its data was fetched. What is wrong in that data
 * has the values of VgspFwsecError (vgsp/vbios.h), the rest is here.
 */
typedef enum VgspFwsecCode {
    VGSP_FWSEC_CODE_DESC         = 0x20, /* bootloader descriptor in DMEM */
    VGSP_FWSEC_CODE_DMA          = 0x21, /* context or address of the fetch */
    VGSP_FWSEC_CODE_SIGNATURE    = 0x22, /* secure code is not the ROM's */
    VGSP_FWSEC_CODE_REGION_SIZE  = 0x23, /* FRTS region is not 1 MiB */
    VGSP_FWSEC_CODE_REGION_ALIGN = 0x24, /* not 128 KiB aligned */
    VGSP_FWSEC_CODE_REGION_RANGE = 0x25, /* leaves the frame buffer */
    VGSP_FWSEC_CODE_WPR2_UP      = 0x26, /* FRTS while WPR2 exists */
} VgspFwsecCode;

/* Booter load and unload on SEC2: MAILBOX0. */
typedef enum VgspBooterError {
    VGSP_BOOTER_OK              = 0x00,
    VGSP_BOOTER_ERR_ARGS        = 0x01, /* mailboxes name no metadata */
    VGSP_BOOTER_ERR_META_DMA    = 0x02, /* metadata cannot be read */
    VGSP_BOOTER_ERR_MAGIC       = 0x03,
    VGSP_BOOTER_ERR_REVISION    = 0x04,
    VGSP_BOOTER_ERR_STATE       = 0x05, /* load while loaded, and the like */
    VGSP_BOOTER_ERR_FB_SIZE     = 0x06, /* fbSize exceeds the memory */
    VGSP_BOOTER_ERR_LAYOUT      = 0x07, /* regions overlap or are unordered */
    VGSP_BOOTER_ERR_WPR_ALIGN   = 0x08, /* WPR2 is not 128 KiB aligned */
    VGSP_BOOTER_ERR_FRTS        = 0x09, /* WPR2 is not the meta's FRTS region */
    VGSP_BOOTER_ERR_BOOTLOADER  = 0x0a, /* offsets, or unreadable */
    VGSP_BOOTER_ERR_RADIX3      = 0x0b, /* page list unreadable or too short */
    VGSP_BOOTER_ERR_SIGNATURE   = 0x0c, /* absent, or firmware not known */
    VGSP_BOOTER_ERR_LIBOS_ARGS  = 0x0d, /* no RMARGS or no queues */
    VGSP_BOOTER_ERR_SR_DATA     = 0x0e, /* suspend data missing or foreign */
} VgspBooterError;

#endif
