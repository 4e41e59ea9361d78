/*
 * NV_VIRTUAL_FUNCTION of the physical function: BAR blocks, interrupt tree,
 * fault buffers, TLB invalidation, access counters and the usermode page
 * (dev_vm.h). No access is counted: the access counters' buffer stays empty.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "device/aperture.h"
#include "device/intr.h"
#include "device/regs.h"
#include "host/host.h"
#include "trace.h"
#include "vgsp/nv/dev_timer.h"

/* Shorthand for this file: the names all begin alike. */
#define VF(name)        NV_VIRTUAL_FUNCTION_PRIV_##name
#define FB(name)        NV_VIRTUAL_FUNCTION_PRIV_MMU_FAULT_BUFFER_##name
#define AC(name)        NV_VIRTUAL_FUNCTION_PRIV_ACCESS_COUNTER_##name

/* Entries of buffers of the default size. Silicon's figures are unverified. */
#define FAULT_BUFFER_DEFAULT_ENTRIES    0x1000u
#define ACCESS_COUNTER_ENTRIES          0x4000u

void vgsp_invalidate_write(VgspState *s, uint32_t val)
{
    VgspRegFile *f = vgsp_reg_file(s);
    VgspInvalidate inv = {
        .all_pdb = val & VF(MMU_INVALIDATE_ALL_PDB),
        .hub_only = val & VF(MMU_INVALIDATE_HUBTLB_ONLY),
        /* Without ALL_VA Turing takes its address from no register. */
        .all_va = true,
    };
    uint64_t addr;

    if (!(val & VF(MMU_INVALIDATE_TRIGGER))) {
        return;
    }
    addr = VGSP_GET(VF(MMU_INVALIDATE_PDB_ADDR), f->invalidate_pdb) |
           VGSP_GET(VF(MMU_INVALIDATE_UPPER_PDB_ADDR),
                    f->invalidate_upper_pdb) << 28;
    inv.pdb = vgsp_pdb_from_address(
        f->invalidate_pdb & VF(MMU_INVALIDATE_PDB_APERTURE)
            ? VGSP_APERTURE_SYS_COHERENT : VGSP_APERTURE_VIDEO,
        addr << VF(MMU_INVALIDATE_PDB_ADDR_ALIGNMENT));
    vgsp_invalidate(s, &inv);
}

/* Index of @reg in the array of @count registers at @base, or -1. */
static int vf_index(uint32_t reg, uint32_t base, unsigned count)
{
    return reg >= base && reg < base + count * 4 ? (reg - base) / 4 : -1;
}

static uint32_t *fault_buffer_reg(VgspRegFile *f, uint32_t reg, uint32_t *kind)
{
    unsigned i = (reg - FB(LO(0))) / 32;

    if (reg < FB(LO(0)) || i >= FB(_SIZE_1)) {
        return NULL;
    }
    *kind = reg - 32 * i;
    switch (*kind) {
    case FB(LO(0)):
        return &f->fault_buffer[i].lo;
    case FB(HI(0)):
        return &f->fault_buffer[i].hi;
    case FB(GET(0)):
        return &f->fault_buffer[i].get;
    case FB(PUT(0)):
        return &f->fault_buffer[i].put;
    case FB(SIZE(0)):
        return &f->fault_buffer[i].size;
    default:
        return NULL;
    }
}

static void fault_buffer_write(VgspFaultBuffer *b, uint32_t *word,
                               uint32_t kind, uint32_t val)
{
    const uint32_t flags = FB(GETPTR_CORRUPTED) | FB(OVERFLOW);

    switch (kind) {
    case FB(GET(0)):
        *word = (val & FB(PTR)) | (*word & flags & ~val);
        /* PUT shows the flags too. */
        b->put = (b->put & FB(PTR)) | (*word & flags);
        break;
    case FB(PUT(0)):
        break;                  /* the MMU's */
    case FB(SIZE(0)):
        *word = val & (FB(SIZE_VAL) | FB(SIZE_OVERFLOW_INTR) |
                       FB(SIZE_ENABLE));
        if (val & FB(SIZE_SET_DEFAULT)) {
            *word = VGSP_REPLACE(FB(SIZE_VAL), *word,
                                 FAULT_BUFFER_DEFAULT_ENTRIES);
        }
        break;
    default:
        *word = val;
    }
}

static uint32_t vfn_read(VgspState *s, uint32_t reg)
{
    VgspRegFile *f = vgsp_reg_file(s);
    uint32_t off = reg - NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET, kind, *word;
    int i;

    i = vf_index(off, VF(CPU_INTR_LEAF(0)), VF(CPU_INTR_LEAF__SIZE_1));
    if (i >= 0) {
        return vgsp_intr_leaf(s, i);
    }
    i = vf_index(off, VF(CPU_INTR_LEAF_EN_SET(0)), VF(CPU_INTR_LEAF__SIZE_1));
    if (i < 0) {
        i = vf_index(off, VF(CPU_INTR_LEAF_EN_CLEAR(0)),
                     VF(CPU_INTR_LEAF__SIZE_1));
    }
    if (i >= 0) {
        return vgsp_intr_leaf_enable(s, i);
    }
    word = fault_buffer_reg(f, off, &kind);
    if (word) {
        return *word;
    }

    switch (off) {
    case VF(CPU_INTR_TOP(0)):
        return vgsp_intr_top(s);
    case VF(CPU_INTR_TOP_EN_SET(0)):
    case VF(CPU_INTR_TOP_EN_CLEAR(0)):
        return vgsp_intr_top_enable(s);
    case VF(L2_SYSMEM_INVALIDATE):
    case VF(L2_PEERMEM_INVALIDATE):
    case VF(BIND_STATUS):
    case VF(MMU_INVALIDATE):
        return 0;               /* complete when their writes are */
    case VF(BAR1_BLOCK):
        return f->bar_block[VGSP_BAR1];
    case VF(BAR2_BLOCK):
        return f->bar_block[VGSP_BAR2];
    case VF(TIMER):
        return vgsp_ptimer_ns(s);
    case VF(MMU_PAGE_FAULT_CTRL):
        return f->page_fault_ctrl;
    case VF(MMU_FAULT_ADDR_LO):
    case VF(MMU_FAULT_ADDR_HI):
    case VF(MMU_FAULT_INST_LO):
    case VF(MMU_FAULT_INST_HI):
    case VF(MMU_FAULT_INFO):
    case VF(MMU_FAULT_STATUS):
        return 0;               /* no fault is latched */
    case VF(MMU_INVALIDATE_PDB):
        return f->invalidate_pdb;
    case VF(MMU_INVALIDATE_UPPER_PDB):
        return f->invalidate_upper_pdb;
    case AC(CONFIG):
        return f->access_counter.config;
    case AC(NOTIFY_BUFFER_LO):
        return f->access_counter.lo;
    case AC(NOTIFY_BUFFER_HI):
        return f->access_counter.hi;
    case AC(NOTIFY_BUFFER_SIZE):
        return ACCESS_COUNTER_ENTRIES;
    case AC(NOTIFY_BUFFER_GET):
        return f->access_counter.get;
    case AC(NOTIFY_BUFFER_PUT):
        return f->access_counter.put;
    case AC(NOTIFY_BUFFER_INFO):
        return AC(NOTIFY_BUFFER_INFO_PUSHED);
    default:
        return vgsp_reg_unknown_read(s, reg);
    }
}

static void vfn_write(VgspState *s, uint32_t reg, uint32_t val)
{
    VgspRegFile *f = vgsp_reg_file(s);
    uint32_t off = reg - NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET, kind, *word;
    int i;

    i = vf_index(off, VF(CPU_INTR_LEAF(0)), VF(CPU_INTR_LEAF__SIZE_1));
    if (i >= 0) {
        vgsp_intr_leaf_clear(s, i, val);
        return;
    }
    i = vf_index(off, VF(CPU_INTR_LEAF_EN_SET(0)), VF(CPU_INTR_LEAF__SIZE_1));
    if (i >= 0) {
        vgsp_intr_leaf_enable_set(s, i, val);
        return;
    }
    i = vf_index(off, VF(CPU_INTR_LEAF_EN_CLEAR(0)),
                 VF(CPU_INTR_LEAF__SIZE_1));
    if (i >= 0) {
        vgsp_intr_leaf_enable_clear(s, i, val);
        return;
    }
    word = fault_buffer_reg(f, off, &kind);
    if (word) {
        fault_buffer_write(&f->fault_buffer[(off - FB(LO(0))) / 32], word,
                           kind, val);
        return;
    }

    switch (off) {
    case VF(CPU_INTR_TOP_EN_SET(0)):
        vgsp_intr_top_enable_set(s, val);
        break;
    case VF(CPU_INTR_TOP_EN_CLEAR(0)):
        vgsp_intr_top_enable_clear(s, val);
        break;
    case VF(CPU_INTR_LEAF_TRIGGER):
        vgsp_intr_raise(s, VGSP_GET(VF(CPU_INTR_LEAF_TRIGGER_VECTOR), val));
        break;
    case VF(DOORBELL):
        vgsp_host_doorbell(s, val);
        break;
    case VF(CPU_INTR_TOP(0)):
    case VF(L2_SYSMEM_INVALIDATE):
    case VF(L2_PEERMEM_INVALIDATE):
    case VF(BIND_STATUS):
    case VF(TIMER):
    case VF(MMU_FAULT_ADDR_LO):
    case VF(MMU_FAULT_ADDR_HI):
    case VF(MMU_FAULT_INST_LO):
    case VF(MMU_FAULT_INST_HI):
    case VF(MMU_FAULT_INFO):
    case VF(MMU_FAULT_STATUS):
    case AC(NOTIFY_BUFFER_SIZE):
    case AC(NOTIFY_BUFFER_PUT):
    case AC(NOTIFY_BUFFER_INFO):
        break;                  /* read only, or nothing to do */
    case VF(BAR1_BLOCK):
        vgsp_bar_block_write(s, VGSP_BAR1, val);
        break;
    case VF(BAR2_BLOCK):
        vgsp_bar_block_write(s, VGSP_BAR2, val);
        break;
    case VF(MMU_PAGE_FAULT_CTRL):
        f->page_fault_ctrl = val;
        break;
    case VF(MMU_INVALIDATE_PDB):
        f->invalidate_pdb = val;
        break;
    case VF(MMU_INVALIDATE_UPPER_PDB):
        f->invalidate_upper_pdb = val;
        break;
    case VF(MMU_INVALIDATE):
        vgsp_invalidate_write(s, val);
        break;
    case AC(CONFIG):
        f->access_counter.config = val & AC(CONFIG_FIELDS);
        break;
    case AC(NOTIFY_BUFFER_LO):
        f->access_counter.lo = val;
        break;
    case AC(NOTIFY_BUFFER_HI):
        f->access_counter.hi = val;
        break;
    case AC(NOTIFY_BUFFER_GET):
        f->access_counter.get = val;
        break;
    default:
        vgsp_reg_unknown_write(s, reg, val);
    }
}

static void vfn_reset(VgspState *s)
{
    vgsp_reg_file(s)->access_counter.config =
        AC(CONFIG_THRESHOLD_INIT);
}

const VgspRegBlock vgsp_regs_vfn = {
    .name = "vfn",
    .base = NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET,
    .size = NV_VIRTUAL_FUNCTION_PRIV_SIZE,
    .read = vfn_read,
    .write = vfn_write,
    .reset = vfn_reset,
};

static uint32_t usermode_read(VgspState *s, uint32_t reg)
{
    switch (reg - NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET) {
    case NV_VIRTUAL_FUNCTION_TIME_0:
        return vgsp_ptimer_ns(s) & NV_PTIMER_TIME_0_NSEC;
    case NV_VIRTUAL_FUNCTION_TIME_1:
        return (vgsp_ptimer_ns(s) >> 32) & NV_PTIMER_TIME_1_NSEC;
    case NV_VIRTUAL_FUNCTION_ERR_CONT:
        return 0;
    default:
        return vgsp_reg_unknown_read(s, reg);
    }
}

static void usermode_write(VgspState *s, uint32_t reg, uint32_t val)
{
    switch (reg - NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET) {
    case NV_VIRTUAL_FUNCTION_DOORBELL:
        vgsp_host_doorbell(s, val);
        break;
    default:
        vgsp_reg_unknown_write(s, reg, val);
    }
}

const VgspRegBlock vgsp_regs_usermode = {
    .name = "usermode",
    .base = NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET + NV_VIRTUAL_FUNCTION_BASE,
    .size = NV_VIRTUAL_FUNCTION_SIZE,
    .read = usermode_read,
    .write = usermode_write,
};
