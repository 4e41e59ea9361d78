/*
 * GSP-RM: the RPC functions, the object tree and the controls behind the
 * message queues. The transport (gsp/queue.c) and boot know nothing of RM;
 * RM knows the transport by the two functions at the end.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_GSP_RM_H
#define HW_VGSP_GSP_RM_H

#include "device/vgsp.h"
#include "vgsp/nv/profile.h"

typedef struct VgspRm VgspRm;

/* What Booter's meta told: the parts of VRAM that firmware owns. */
typedef struct VgspRmBoot {
    uint64_t fb_size;           /* bytes */
    uint64_t rsvd_start;        /* gspFwRsvdStart: VRAM from here is firmware's */
    uint64_t nonwpr_heap_offset;
    uint64_t frts_offset;
} VgspRmBoot;

/* Builds an empty database with GSP-RM's internal client. BQL, like all here. */
VgspRm *vgsp_rm_new(VgspState *s, const VgspProfile *profile,
                    const VgspRmBoot *boot);
/* Frees every object, channels first, and unbinds BAR1 and BAR2. NULL: no-op. */
void vgsp_rm_free(VgspRm *rm);
/* GSP-RM runs again after a suspend: channels go on, unless toggled off. */
void vgsp_rm_resume(VgspRm *rm);

/*
 * The controls refused as not supported since the device was created, as
 * "0xNUMBER:NAME=COUNT", separated by blanks; g_free() it.
 */
char *vgsp_rm_refused_names(VgspState *s);

/* The two messages that wait in the queue before boot (72, 73). */
void vgsp_rm_set_system_info(VgspRm *rm, const uint8_t *payload, size_t len);
void vgsp_rm_set_registry(VgspRm *rm, const uint8_t *payload, size_t len);

/* A request's answer is not there yet: it is to be served again, unchanged. */
#define VGSP_RM_PENDING     UINT32_MAX

/*
 * Serves one request. @payload holds *@len bytes and has room for @cap; the
 * reply's payload replaces it and its length *@len (the request's unless the
 * function says otherwise). Returns the reply's rpc_result (NV_STATUS). An
 * unknown function answers NV_ERR_NOT_SUPPORTED, counted and traced by name.
 */
uint32_t vgsp_rm_rpc(VgspRm *rm, uint32_t function, uint8_t *payload,
                     size_t *len, size_t cap);

/* The channel with that host identity stopped: fill notifier, post events. */
void vgsp_rm_rc_error(VgspRm *rm, uint32_t runlist, uint32_t chid,
                      uint32_t engine_type, uint32_t except_type,
                      uint64_t fault_addr, uint32_t fault_type);

/* Provided by the transport (gsp/queue.c). */

/* Posts an event in the status queue and raises SWGEN0; false when full. */
bool vgsp_gsp_post(VgspState *s, uint32_t event, const void *payload,
                   size_t len);
/* UNLOADING_GUEST_DRIVER was served: the GSP halts (mailbox protocol). */
void vgsp_gsp_unloading(VgspState *s, bool pm_transition, uint32_t new_level);

#endif
