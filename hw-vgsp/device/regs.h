/*
 * BAR0: register blocks and their dispatch, by 4 KiB page.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_DEVICE_REGS_H
#define HW_VGSP_DEVICE_REGS_H

#include "device/vgsp.h"
#include "qapi/qapi-builtin-types.h"
#include "vgsp/nv/dev_boot.h"
#include "vgsp/nv/dev_bus.h"
#include "vgsp/nv/dev_vm.h"

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
    uint32_t base, size;        /* whole 4 KiB pages; blocks do not overlap */
    uint32_t (*read)(VgspState *s, uint32_t reg);
    void (*write)(VgspState *s, uint32_t reg, uint32_t val);
    bool (*access)(VgspState *s, uint32_t reg, void *buf, unsigned size,
                   bool is_write);
    void (*reset)(VgspState *s);
} VgspRegBlock;

/* Blocks, one file each; listed in device/regs.c. */
extern const VgspRegBlock vgsp_regs_pmc, vgsp_regs_pbus, vgsp_regs_ptimer,
    vgsp_regs_pfb, vgsp_regs_pfb_gap, vgsp_regs_prom, vgsp_regs_pramin,
    vgsp_regs_pcfg, vgsp_regs_fuse, vgsp_regs_strap, vgsp_regs_gfw,
    vgsp_regs_vfn, vgsp_regs_usermode, vgsp_regs_pdisp, vgsp_regs_vga,
    vgsp_regs_uflush, vgsp_regs_pmu, vgsp_regs_sec2, vgsp_regs_gsp;

/* One of MMU_FAULT_BUFFER's two. */
typedef struct VgspFaultBuffer {
    uint32_t lo, hi, get, put, size;
} VgspFaultBuffer;

/* Plain state of the blocks, cleared by reset before their @reset runs. */
typedef struct VgspRegFile {
    uint32_t pmc_enable, pmc_intr_en[NV_PMC_INTR_EN__SIZE_1];
    uint32_t pbus_scratch[NV_PBUS_SW_SCRATCH__SIZE_1];
    uint32_t pbus_bar0_window;
    uint32_t bar_block[2];      /* BAR1_BLOCK and BAR2_BLOCK, by either name */
    uint32_t ptimer_intr_en, ptimer_numerator, ptimer_denominator;
    uint32_t ptimer_alarm;
    bool ptimer_set_traced;
    uint32_t pfb_flush_addr, pfb_flush_addr_hi, pfb_ctrl;
    uint32_t invalidate_pdb, invalidate_upper_pdb;
    uint32_t xve_rom_ctrl, xve_xv_1;
    uint8_t vga_crtc_index, vga_crtc[256];
    VgspFaultBuffer
        fault_buffer[NV_VIRTUAL_FUNCTION_PRIV_MMU_FAULT_BUFFER__SIZE_1];
    uint32_t page_fault_ctrl;
    struct {
        uint32_t config, lo, hi, get, put;
    } access_counter;
} VgspRegFile;

VgspRegFile *vgsp_reg_file(VgspState *s);

void vgsp_regs_init(VgspState *s, MemoryRegion *bar0);
void vgsp_regs_reset(VgspState *s);
void vgsp_regs_exit(VgspState *s);

/* A register that nobody models: reads zero, is traced, counted by address. */
uint32_t vgsp_reg_unknown_read(VgspState *s, uint32_t reg);
void vgsp_reg_unknown_write(VgspState *s, uint32_t reg, uint32_t val);

/* An access through BAR5's window. BQL. */
uint32_t vgsp_reg_read(VgspState *s, uint32_t reg);
void vgsp_reg_write(VgspState *s, uint32_t reg, uint32_t val);

/* BAR block and invalidation registers have two names each (pbus, vfn). BQL. */
void vgsp_bar_block_write(VgspState *s, unsigned bar, uint32_t val);
void vgsp_invalidate_write(VgspState *s, uint32_t val);

/* Time spent in BAR0 handlers, ns. */
uint64_t vgsp_regs_device_ns(VgspState *s);
/* One line a register that nobody models, "0xADDRESS reads=N writes=N". */
strList *vgsp_regs_unknown_list(VgspState *s);

/* PTIMER's time, ns: the executor's clock. Any thread. */
uint64_t vgsp_ptimer_ns(VgspState *s);

#endif
