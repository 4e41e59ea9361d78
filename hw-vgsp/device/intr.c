/*
 * Interrupts: leafs and top of the vectored tree (dev_vm.h), and the messages
 * that it sends.
 *
 * Pending bits are set by any thread, with atomic operations; everything else
 * belongs to the BQL.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/log.h"
#include "qemu/main-loop.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "device/intr.h"
#include "trace.h"
#include "vgsp/nv/dev_vm.h"

#define TOP_MASK \
    ((1u << NV_VIRTUAL_FUNCTION_PRIV_CPU_INTR_TOP_SUBTREES) - 1)

/* All of the tree reports by one message, the only one of MSI. */
#define MESSAGE     0

struct VgspIntr {
    uint32_t pending[VGSP_INTR_LEAFS];  /* atomic */
    uint32_t enable[VGSP_INTR_LEAFS];
    uint32_t top_enable;
    uint32_t visible;           /* TOP & top_enable when last looked at */
    bool line;                  /* INTx */
    bool send;                  /* a message is due */
    QEMUBH *bh;
};

static uint32_t intr_leaf_visible(VgspIntr *in, unsigned leaf)
{
    return qatomic_read(&in->pending[leaf]) & in->enable[leaf];
}

uint32_t vgsp_intr_top(VgspState *s)
{
    uint32_t top = 0;

    for (unsigned i = 0; i < VGSP_INTR_LEAFS; i++) {
        if (intr_leaf_visible(s->intr, i)) {
            top |= 1u << (i / 2);
        }
    }
    return top;
}

/*
 * A message is a write to an address that the guest has chosen: it may reset
 * or unplug this very device (through ECAM). So it is sent by intr_bh() alone,
 * when nothing else of the device is under way.
 */
static void intr_send_later(VgspState *s)
{
    s->intr->send = true;
    qemu_bh_schedule(s->intr->bh);
}

static void intr_send(VgspState *s)
{
    PCIDevice *pdev = PCI_DEVICE(s);

    if (msix_enabled(pdev)) {
        trace_vgsp_intr_send("MSI-X", s->intr->visible);
        qatomic_inc(&s->stats.interrupts);
        msix_notify(pdev, MESSAGE);
    } else if (msi_enabled(pdev)) {
        trace_vgsp_intr_send("MSI", s->intr->visible);
        qatomic_inc(&s->stats.interrupts);
        msi_notify(pdev, MESSAGE);
    }
}

/*
 * A subtree that becomes visible is a message: because a vector was raised or
 * enabled, or because TOP was armed again over one that was pending. INTx is
 * the level of all that is visible.
 */
void vgsp_intr_update(VgspState *s)
{
    VgspIntr *in = s->intr;
    PCIDevice *pdev = PCI_DEVICE(s);
    uint32_t visible = vgsp_intr_top(s) & in->top_enable;
    uint32_t appeared = visible & ~in->visible;
    bool line;

    in->visible = visible;
    if (appeared) {
        intr_send_later(s);
    }
    line = visible && !msix_enabled(pdev) && !msi_enabled(pdev);
    if (line != in->line) {
        in->line = line;
        if (line) {
            trace_vgsp_intr_send("INTx", visible);
            qatomic_inc(&s->stats.interrupts);
        }
        pci_set_irq(pdev, line);
    }
}

static void intr_bh(void *opaque)
{
    VgspState *s = opaque;

    vgsp_intr_update(s);        /* what other threads have raised */
    if (s->intr->send) {
        s->intr->send = false;
        /* Last: the device may be gone when it returns. */
        intr_send(s);
    }
}

void vgsp_intr_raise(VgspState *s, unsigned vector)
{
    if (vector >= VGSP_INTR_VECTORS) {
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: no interrupt vector %u\n",
                      vector);
        return;
    }
    trace_vgsp_intr_raise(vector);
    qatomic_or(&s->intr->pending[vector / 32], 1u << (vector % 32));
    if (bql_locked()) {
        vgsp_intr_update(s);
    } else {
        qemu_bh_schedule(s->intr->bh);
    }
}

void vgsp_intr_msi_rearm(VgspState *s)
{
    /* What a guest has not acknowledged is announced again. */
    if (s->intr->visible) {
        intr_send_later(s);
    }
}

uint32_t vgsp_intr_top_enable(VgspState *s)
{
    return s->intr->top_enable;
}

void vgsp_intr_top_enable_set(VgspState *s, uint32_t mask)
{
    s->intr->top_enable |= mask & TOP_MASK;
    vgsp_intr_update(s);
}

void vgsp_intr_top_enable_clear(VgspState *s, uint32_t mask)
{
    s->intr->top_enable &= ~mask;
    vgsp_intr_update(s);
}

uint32_t vgsp_intr_leaf(VgspState *s, unsigned leaf)
{
    return qatomic_read(&s->intr->pending[leaf]);
}

void vgsp_intr_leaf_clear(VgspState *s, unsigned leaf, uint32_t mask)
{
    qatomic_and(&s->intr->pending[leaf], ~mask);
    vgsp_intr_update(s);
}

uint32_t vgsp_intr_leaf_enable(VgspState *s, unsigned leaf)
{
    return s->intr->enable[leaf];
}

void vgsp_intr_leaf_enable_set(VgspState *s, unsigned leaf, uint32_t mask)
{
    s->intr->enable[leaf] |= mask;
    vgsp_intr_update(s);
}

void vgsp_intr_leaf_enable_clear(VgspState *s, unsigned leaf, uint32_t mask)
{
    s->intr->enable[leaf] &= ~mask;
    vgsp_intr_update(s);
}

void vgsp_intr_init(VgspState *s)
{
    s->intr = g_new0(VgspIntr, 1);
    s->intr->bh = qemu_bh_new_guarded(intr_bh, s,
                                      &DEVICE(s)->mem_reentrancy_guard);
}

void vgsp_intr_reset(VgspState *s)
{
    VgspIntr *in = s->intr;

    qemu_bh_cancel(in->bh);
    for (unsigned i = 0; i < VGSP_INTR_LEAFS; i++) {
        qatomic_set(&in->pending[i], 0);
        in->enable[i] = 0;
    }
    in->top_enable = 0;
    in->visible = 0;
    in->send = false;
    in->line = false;           /* PCI reset deasserts INTx itself */
}

void vgsp_intr_exit(VgspState *s)
{
    qemu_bh_delete(s->intr->bh);
    g_clear_pointer(&s->intr, g_free);
}
