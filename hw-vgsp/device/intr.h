/*
 * Interrupts: the vectored tree (NV_VIRTUAL_FUNCTION leafs and top) and its
 * delivery by MSI-X, MSI or INTx.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_DEVICE_INTR_H
#define HW_VGSP_DEVICE_INTR_H

#include "device/vgsp.h"

#define VGSP_INTR_LEAFS     8
#define VGSP_INTR_VECTORS   (VGSP_INTR_LEAFS * 32)

void vgsp_intr_init(VgspState *s);
void vgsp_intr_reset(VgspState *s);
void vgsp_intr_exit(VgspState *s);

/*
 * Sets @vector (0..255) pending in its leaf. Any thread. The message is sent
 * from a bottom half.
 */
void vgsp_intr_raise(VgspState *s, unsigned vector);

/* Rearm through the config mirror (NV_XVE_MSI rearm, 0x088704). BQL. */
void vgsp_intr_msi_rearm(VgspState *s);

/* MSI-X, MSI or INTx was switched in configuration space. BQL. */
void vgsp_intr_update(VgspState *s);

/*
 * The registers of the tree, for vfn.c. BQL. @leaf is below VGSP_INTR_LEAFS.
 * TOP shows pending vectors that are enabled in their leaf; what is visible in
 * TOP and enabled there becomes a message when it appears.
 */
uint32_t vgsp_intr_top(VgspState *s);
uint32_t vgsp_intr_top_enable(VgspState *s);
void vgsp_intr_top_enable_set(VgspState *s, uint32_t mask);
void vgsp_intr_top_enable_clear(VgspState *s, uint32_t mask);
uint32_t vgsp_intr_leaf(VgspState *s, unsigned leaf);
void vgsp_intr_leaf_clear(VgspState *s, unsigned leaf, uint32_t mask);
uint32_t vgsp_intr_leaf_enable(VgspState *s, unsigned leaf);
void vgsp_intr_leaf_enable_set(VgspState *s, unsigned leaf, uint32_t mask);
void vgsp_intr_leaf_enable_clear(VgspState *s, unsigned leaf, uint32_t mask);

#endif
