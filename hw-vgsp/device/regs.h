/*
 * BAR0: register blocks and their dispatch, by 4 KiB page.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_DEVICE_REGS_H
#define HW_VGSP_DEVICE_REGS_H

#include "device/vgsp.h"

/*
 * One register block. Handlers run under the BQL. @reg is the BAR0 offset, as
 * in NVIDIA's manuals, aligned to 4; 64-bit accesses arrive as two. An 8- or
 * 16-bit access is performed on the aligned word: a read extracts, a write
 * merges into what @read returns. A block whose reads have side effects, or
 * which is memory, sets @access instead and gets the access as it was made.
 * A handler that does not know a register calls vgsp_reg_unknown_*().
 */
typedef struct VgspRegBlock {
    const char *name;
    uint32_t base, size;        /* bytes, multiples of 4; blocks do not overlap */
    uint32_t (*read)(VgspState *s, uint32_t reg);
    void (*write)(VgspState *s, uint32_t reg, uint32_t val);
    bool (*access)(VgspState *s, uint32_t reg, void *buf, unsigned size,
                   bool is_write);
    void (*reset)(VgspState *s);
} VgspRegBlock;

/* Blocks, one file each; listed in device/regs.c. */
extern const VgspRegBlock vgsp_regs_pmc, vgsp_regs_pbus, vgsp_regs_ptimer,
    vgsp_regs_pfb, vgsp_regs_pfb_gap, vgsp_regs_prom, vgsp_regs_pramin,
    vgsp_regs_pcfg, vgsp_regs_fuse, vgsp_regs_gfw, vgsp_regs_vfn,
    vgsp_regs_usermode, vgsp_regs_pdisp, vgsp_regs_pmu, vgsp_regs_sec2,
    vgsp_regs_gsp;

void vgsp_regs_init(VgspState *s, MemoryRegion *bar0);
void vgsp_regs_reset(VgspState *s);
void vgsp_regs_exit(VgspState *s);

/* A register that nobody models: reads zero, is traced, counted by address. */
uint32_t vgsp_reg_unknown_read(VgspState *s, uint32_t reg);
void vgsp_reg_unknown_write(VgspState *s, uint32_t reg, uint32_t val);

/* PTIMER's time, ns: the executor's clock. Any thread. */
uint64_t vgsp_ptimer_ns(VgspState *s);

#endif
