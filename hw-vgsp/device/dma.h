/*
 * System memory as the device's DMA finds it: RAM alone, followed by memory
 * listeners, and through a vIOMMU where there is one.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_DEVICE_DMA_H
#define HW_VGSP_DEVICE_DMA_H

#include "device/vgsp.h"

/* A run of RAM, in bus addresses. */
typedef struct VgspDmaRam {
    uint64_t addr, size;        /* bytes */
    uint8_t *host;
    bool read_only;
} VgspDmaRam;

/* BQL. */
void vgsp_dma_init(VgspState *s);
void vgsp_dma_exit(VgspState *s);

/*
 * How vgsp_dma_find() ends. What a vIOMMU translates has to be asked for by
 * vgsp_dma_fill() first.
 */
typedef enum VgspDmaEnd {
    VGSP_DMA_RAM,               /* *out is the run that holds the address */
    VGSP_DMA_NONE,              /* none for that access; out->size: so far */
    VGSP_DMA_MISS,
} VgspDmaEnd;

/*
 * The RAM at @addr. The caller holds a lane (vgsp_mem_lock()) for as long as he
 * uses it, or the BQL.
 */
VgspDmaEnd vgsp_dma_find(VgspState *s, uint64_t addr, bool is_write,
                         VgspDmaRam *out);

/*
 * Asks the vIOMMU for the page of @addr. Any thread; without the BQL it waits
 * for the main loop, holding neither a lane nor another lock. False: refused,
 * and the vIOMMU has reported that.
 */
bool vgsp_dma_fill(VgspState *s, uint64_t addr, bool is_write);

/* A shadow space maps the page of @addr, or reads a table there. BQL. */
void vgsp_dma_mapped(VgspState *s, uint64_t addr);

/*
 * Who waits for an engine's thread while he holds the BQL performs what that
 * thread may be waiting for: vgsp_dma_service() whenever vgsp_dma_pending().
 * Threads that begin to wait call vgsp_host_kick() first.
 */
bool vgsp_dma_pending(VgspState *s);
void vgsp_dma_service(VgspState *s);

/*
 * The RAM of the machine that DMA may reach, whatever translates in between:
 * runs, in ascending order. BQL.
 */
const VgspDmaRam *vgsp_dma_ram(VgspState *s, unsigned *count);

#endif
