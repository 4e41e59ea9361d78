/*
 * BAR1 and BAR2 (PCI index 1 and 3): windows into an address space, directly
 * mapped where the guest mapped pages, trapping elsewhere. design.md section 4.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_DEVICE_APERTURE_H
#define HW_VGSP_DEVICE_APERTURE_H

#include "device/vgsp.h"

typedef enum VgspBarIndex {
    VGSP_BAR1,                  /* frame buffer window, PCI BAR 1 */
    VGSP_BAR2,                  /* instance window, PCI BAR 3 */
    VGSP_BAR_COUNT
} VgspBarIndex;

/* A TLB invalidation, by register, MEM_OP or RPC. */
typedef struct VgspInvalidate {
    bool all_pdb;
    bool hub_only;
    VgspPdb pdb;                /* of one space when !all_pdb */
    bool all_va;
    uint64_t va, len;           /* when !all_va */
} VgspInvalidate;

void vgsp_apertures_init(VgspState *s);
void vgsp_apertures_reset(VgspState *s);
void vgsp_apertures_exit(VgspState *s);

/*
 * The most ranges that are directly mapped: of one device, and of all devices
 * of the process, which share QEMU's limit of 4096 sections (a range and the
 * gap that follows it are two).
 */
#define VGSP_APERTURE_MAX_RANGES        1024
#define VGSP_APERTURE_MAX_RANGES_ALL    1536

/*
 * Binds a window to the space whose root is @pdb; NULL unbinds. @identity is
 * the address by which invalidations name the space, where it is not the
 * root's own (GSP-RM's bar2PdeBase). BQL; the mapping follows at once.
 */
void vgsp_bar_bind(VgspState *s, VgspBarIndex bar, const VgspPdb *pdb,
                   uint64_t identity);

/*
 * Lets a window show VRAM from address 0, without translation: the state after
 * reset. BQL.
 */
void vgsp_bar_bind_physical(VgspState *s, VgspBarIndex bar);

/* Writes through the space that a window is bound to. BQL. False: a fault. */
bool vgsp_bar_space_write(VgspState *s, VgspBarIndex bar, uint64_t va,
                          const void *buf, size_t len);

/*
 * Performs @inv for the windows, the translations of the software engines and
 * the executor's spaces. BQL: no access uses an older mapping when it returns.
 */
void vgsp_invalidate(VgspState *s, const VgspInvalidate *inv);

/*
 * The same from a thread without the BQL: posts a bottom half and calls
 * @done(@opaque) from the main loop when it has run; design.md section 4.
 */
void vgsp_invalidate_async(VgspState *s, const VgspInvalidate *inv,
                           void (*done)(void *opaque), void *opaque);

#endif
