/*
 * MMU faults of engines as the MMU reports them: records in the two fault
 * buffers, and their interrupts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_DEVICE_FAULT_H
#define HW_VGSP_DEVICE_FAULT_H

#include "device/vgsp.h"
#include "vgsp/nv/dev_fault.h"

typedef struct VgspMmuFault {
    uint64_t va;                /* bytes; the record holds its page */
    uint32_t type;              /* VgspGmmuFault */
    uint32_t access;            /* NV_PFAULT_ACCESS_TYPE_* */
    uint32_t engine_id;         /* NV_PFAULT_MMU_ENG_ID_* */
    uint32_t client;            /* NV_PFAULT_CLIENT_GPC_* or _HUB_* */
    bool client_is_hub;
    VgspAperture inst_aperture; /* of the channel's instance block ... */
    uint64_t inst;              /* ... and its address, bytes */
    bool replayable_en;         /* the space has replayable faults enabled */
} VgspMmuFault;

/*
 * Writes the record and raises the vector of its buffer, if that is enabled
 * and has room. BQL.
 */
void vgsp_fault_report(VgspState *s, const VgspMmuFault *fault);

#endif
