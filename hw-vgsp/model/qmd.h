/*
 * Limits of an SM of compute capability 7.5 that a launch is checked for, and
 * why a launch descriptor can be refused other than by a SKEDCHECK.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_QMD_H
#define HW_VGSP_MODEL_QMD_H

#include "model/model-int.h"

#define VGSP_SM_CTA_THREADS     1024
#define VGSP_SM_CTAS            16
#define VGSP_SM_WARPS           32
#define VGSP_SM_REGISTERS       65536
#define VGSP_SM_SHARED_MAX      65536       /* bytes, of an SM and a CTA */
#define VGSP_SM_LOCAL_MAX       (512 << 10) /* bytes, of a thread */
#define VGSP_SM_CBUF_MAX        65536
#define VGSP_SM_WINDOW          (UINT64_C(1) << 24)

/* Results of vgsp_qmd_decode() beyond the numbers of SKEDCHECKs. */
enum {
    VGSP_QMD_VERSION = 0x100,   /* major version is not 2 */
    VGSP_QMD_QUEUE,             /* queues of launches are not modelled */
    VGSP_QMD_DEPENDENT,         /* nor FIELD_COPY and dependent queues */
};

/* Registers that a thread of the launch gets: warps have units of eight. */
static inline unsigned vgsp_qmd_registers(const VgspQmd *qmd)
{
    return (qmd->registers + 7u) & ~7u;
}

/* SKEDCHECK17, of the context's windows: 0, or its number. */
uint32_t vgsp_qmd_check_windows(const VgspGridState *state);

#endif
