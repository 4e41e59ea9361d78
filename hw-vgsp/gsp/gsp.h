/*
 * The emulated GSP: falcons, boot, message queues and GSP-RM.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_GSP_GSP_H
#define HW_VGSP_GSP_GSP_H

#include "device/fault.h"
#include "device/vgsp.h"

void vgsp_gsp_init(VgspState *s);
/* Power-on state, but for a GSP-RM that the guest suspended (docs/gsp.md). */
void vgsp_gsp_reset(VgspState *s);
void vgsp_gsp_exit(VgspState *s);
/*
 * The guest has suspended GSP-RM (S3): its channels are disabled, and a reset
 * of the device must leave them so, as it would leave the image in memory.
 */
bool vgsp_gsp_suspended(VgspState *s);

/*
 * What FWSEC and Booter leave in registers of other blocks. BQL.
 * NV_PFB_PRI_MMU_WPR2_ADDR_LO and _HI, whole registers; 0: no WPR2.
 */
uint32_t vgsp_gsp_wpr2_lo(VgspState *s);
uint32_t vgsp_gsp_wpr2_hi(VgspState *s);
/* Error codes of FWSEC-FRTS and -SB: NV_PBUS_VBIOS_SCRATCH 0x0e, 0x15. */
uint16_t vgsp_gsp_frts_err_code(VgspState *s);
uint16_t vgsp_gsp_sb_err_code(VgspState *s);

/* What the host engine says of a channel that it stopped. */
typedef struct VgspRcError {
    uint32_t chid;
    uint32_t runlist;
    uint32_t engine_type;       /* NV2080_ENGINE_TYPE_* */
    uint32_t except_type;       /* ROBUST_CHANNEL_* (the Xid) */
    bool is_fault;              /* an MMU fault: this one */
    VgspMmuFault fault;
} VgspRcError;

/*
 * Fills the channel's error notifier, posts OS_ERROR_LOG and RC_TRIGGERED.
 * The channel was stopped by the caller. BQL.
 */
void vgsp_gsp_rc_error(VgspState *s, const VgspRcError *rc);

#endif
