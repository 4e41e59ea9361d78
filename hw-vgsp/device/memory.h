/*
 * Memory as the GPU sees it: VRAM, and system memory over the bus. The only
 * way to either; nobody holds a raw VRAM pointer.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_DEVICE_MEMORY_H
#define HW_VGSP_DEVICE_MEMORY_H

#include "device/aperture.h"

/* s->mem. BQL. */
void vgsp_mem_init(VgspState *s);
void vgsp_mem_exit(VgspState *s);

/*
 * What threads use of address translations and of lists of RAM they use while
 * they hold a lane; each thread has one of a few. Who changes these holds all
 * lanes: when he has let go of them, nobody uses what was before. A lane is
 * held for one access, at most some ten microseconds, and by nobody who waits.
 */
void vgsp_mem_lock_all(VgspState *s);
void vgsp_mem_unlock_all(VgspState *s);

/* Translations that were invalidated are forgotten. BQL. */
void vgsp_mem_invalidate(VgspState *s, const VgspInvalidate *inv);

/* RAM was written through its host address, by whatever thread under RCU. */
void vgsp_ram_wrote(void *host, size_t len);

/*
 * All functions: any thread, no BQL needed. Out of range, or not RAM on the
 * other side (DMA never reaches a device): false; reads then return zeroes,
 * writes have no effect beyond RAM reached. Behind a vIOMMU, a thread may wait
 * for the main loop in them: it holds no lock (vgsp_dma_pending()).
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
    bool is_atomic;             /* set by who asked for an atomic access */
    bool physical;              /* va is one, of a physical access */
} VgspVaFault;

/*
 * Reads or writes @len bytes at @va of the space whose root is @pdb, page by
 * page; @privileged says whether the requester may access privileged pages.
 * Sparse pages read zero and drop writes. Any thread. False: *@fault
 * says why (when not NULL); bytes before it were transferred.
 */
bool vgsp_va_read(VgspState *s, const VgspPdb *pdb, bool privileged,
                  uint64_t va, void *buf, size_t len, VgspVaFault *fault);
bool vgsp_va_write(VgspState *s, const VgspPdb *pdb, bool privileged,
                   uint64_t va, const void *buf, size_t len,
                   VgspVaFault *fault);

/*
 * Copies @len bytes from @src to @dst of the same space, in ascending pieces
 * within pages, without a buffer in between. Otherwise as the two above.
 */
bool vgsp_va_copy(VgspState *s, const VgspPdb *pdb, bool privileged,
                  uint64_t dst, uint64_t src, size_t len, VgspVaFault *fault);

/*
 * Atomically replaces the 32- or 64-bit word at @va (naturally aligned) by
 * @op(old, opaque), against other engines and guest CPUs. Any thread.
 */
bool vgsp_va_rmw(VgspState *s, const VgspPdb *pdb, bool privileged,
                 uint64_t va, unsigned size,
                 uint64_t (*op)(uint64_t old, void *opaque), void *opaque,
                 VgspVaFault *fault);

#endif
