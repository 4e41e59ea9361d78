/*
 * Memory as the GPU sees it: VRAM, and system memory over the bus. The only
 * way to either; nobody holds a raw VRAM pointer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_DEVICE_MEMORY_H
#define HW_VGSP_DEVICE_MEMORY_H

#include "device/vgsp.h"

/*
 * All functions: any thread, no BQL needed. Out of range, or not RAM on the
 * other side (DMA carries MemTxAttrs.memory and so never reaches a device):
 * false; reads then return zeroes, writes have no effect beyond RAM reached.
 */
bool vgsp_vram_read(VgspState *s, uint64_t addr, void *buf, size_t len);
bool vgsp_vram_write(VgspState *s, uint64_t addr, const void *buf, size_t len);
bool vgsp_dma_read(VgspState *s, uint64_t addr, void *buf, size_t len);
bool vgsp_dma_write(VgspState *s, uint64_t addr, const void *buf, size_t len);

/* By aperture (VGSP_APERTURE_PEER is refused). */
bool vgsp_mem_read(VgspState *s, VgspAperture aperture, uint64_t addr,
                   void *buf, size_t len);
bool vgsp_mem_write(VgspState *s, VgspAperture aperture, uint64_t addr,
                    const void *buf, size_t len);

/* For vgsp_gmmu_walk() and kin; opaque is the VgspState. */
extern const VgspGmmuOps vgsp_gmmu_ops;

/* An access through an address space failed at @va for @fault. */
typedef struct VgspVaFault {
    VgspGmmuFault fault;
    uint64_t va;
    bool is_write;
} VgspVaFault;

/*
 * Reads or writes @len bytes at @va of the space whose root is @pdb, page by
 * page. Sparse pages read zero and drop writes. Any thread. False: *@fault
 * says why (when not NULL); bytes before it were transferred.
 */
bool vgsp_va_read(VgspState *s, const VgspPdb *pdb, uint64_t va, void *buf,
                  size_t len, VgspVaFault *fault);
bool vgsp_va_write(VgspState *s, const VgspPdb *pdb, uint64_t va,
                   const void *buf, size_t len, VgspVaFault *fault);

/*
 * Atomically replaces the 32- or 64-bit word at @va (naturally aligned) by
 * @op(old, opaque), against other engines and guest CPUs. Any thread.
 */
bool vgsp_va_rmw(VgspState *s, const VgspPdb *pdb, uint64_t va, unsigned size,
                 uint64_t (*op)(uint64_t old, void *opaque), void *opaque,
                 VgspVaFault *fault);

#endif
