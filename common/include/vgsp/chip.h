/*
 * The chip as data: every RM answer and register that depends on the silicon
 * derives from one VgspChip, which the executor fills before the guest starts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_CHIP_H
#define VGSP_CHIP_H

#include "vgsp/types.h"

#define VGSP_CHIP_MAX_GPC       8
#define VGSP_CHIP_MAX_ENGINES   16
#define VGSP_CHIP_MAX_CTXBUFS   32

/* One host engine: what the device-info and interrupt tables say of it. */
typedef struct VgspChipEngine {
    const char *name;           /* "graphics", "ce0": traces and RM tables */
    uint32_t nv2080_type;       /* NV2080_ENGINE_TYPE_* */
    uint32_t eng_desc;          /* RM's ENG_DESC: class << 8 | instance */
    uint32_t runlist;           /* runlist id */
    uint32_t runlist_engine_id; /* position on the runlist, GRCE after GR */
    uint32_t fault_id;          /* MMU engine id of its faults */
    uint32_t pbdma_id;
    uint32_t vector_stall;      /* interrupt vectors; leaf = vector / 32 */
    uint32_t vector_nonstall;
} VgspChipEngine;

/* Size and alignment (bytes) of one GR context buffer, by RM's buffer id. */
typedef struct VgspChipCtxBuf {
    uint32_t size;
    uint32_t align;
} VgspChipCtxBuf;

typedef struct VgspChip {
    const char *name;           /* marketing name: "NVIDIA GeForce RTX 2080 SUPER" */
    const char *short_name;     /* "TU104-A" */
    uint32_t boot0;             /* NV_PMC_BOOT_0 */
    uint32_t boot42;            /* NV_PMC_BOOT_42 */
    uint16_t device_id;         /* PCI */
    uint16_t subsystem_vendor_id;
    uint16_t subsystem_id;
    uint8_t revision_id;
    uint32_t gpc_mask;
    uint32_t tpc_mask[VGSP_CHIP_MAX_GPC];
    uint32_t l2_size;           /* bytes */
    uint32_t fb_bus_width;      /* bits */
    uint32_t num_runlists;
    uint32_t num_channels;      /* channel ids a runlist */
    uint32_t ce_mthdbuf_size;   /* CE fault method buffer, bytes */
    uint32_t num_engines;
    VgspChipEngine engine[VGSP_CHIP_MAX_ENGINES];
    VgspChipCtxBuf ctxbuf[VGSP_CHIP_MAX_CTXBUFS];
    uint32_t zcull[10];         /* NV2080_CTRL_GR_GET_ZCULL_INFO's words */
    uint32_t vector_gsp;        /* stalling vectors of units */
    uint32_t vector_disp;
} VgspChip;

/* The model's chip: the TU104 of a GeForce RTX 2080 SUPER. */
extern const VgspChip vgsp_chip_tu104;

/* NULL where the chip has no such engine; type is NV2080_ENGINE_TYPE_*. */
const VgspChipEngine *vgsp_chip_engine(const VgspChip *chip, uint32_t type);

#endif
