/*
 * See vgsp-qos.h: page tables in VRAM, format VER2 (dev_mmu.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "vgsp/nv/dev_vm.h"

#define VF(reg) (NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET + \
                 NV_VIRTUAL_FUNCTION_PRIV_##reg)

VgspQosVm *vgsp_vm_new(VgspQos *q, uint64_t base, uint32_t size)
{
    VgspQosVm *vm = g_new0(VgspQosVm, 1);

    vm->q = q;
    vm->base = base;
    vm->size = size;
    vm->used = VGSP_QOS_PAGE;   /* PD3 */
    vm->mirror = g_malloc0(size);
    return vm;
}

void vgsp_vm_free(VgspQosVm *vm)
{
    g_free(vm->mirror);
    g_free(vm);
}

static uint64_t vm_pde(uint64_t addr)
{
    return VGSP_SET(NV_MMU_VER2_PDE_APERTURE,
                    NV_MMU_VER2_PDE_APERTURE_VIDEO_MEMORY) |
        VGSP_SET(NV_MMU_VER2_PDE_ADDRESS_VID,
                 addr >> NV_MMU_VER2_PDE_ADDRESS_SHIFT);
}

/* The table below the entry at offset, made if there is none. */
static uint32_t vm_below(VgspQosVm *vm, uint32_t entry)
{
    uint64_t pde = vgsp_le64(vm->mirror + entry);

    if (!pde) {
        g_assert_cmphex(vm->used + VGSP_QOS_PAGE, <=, vm->size);
        pde = vm_pde(vm->base + vm->used);
        vm->used += VGSP_QOS_PAGE;
        vgsp_put_le64(vm->mirror + entry, pde);
    }
    return (VGSP_GET(NV_MMU_VER2_PDE_ADDRESS_VID, pde) <<
            NV_MMU_VER2_PDE_ADDRESS_SHIFT) - vm->base;
}

static uint32_t vm_index(uint64_t va, unsigned shift, unsigned next)
{
    return (va >> shift) & ((1u << (next - shift)) - 1);
}

static uint64_t vm_pte(uint64_t pa, uint64_t pte)
{
    bool vram = VGSP_GET(NV_MMU_VER2_PTE_APERTURE, pte) ==
        NV_MMU_VER2_PTE_APERTURE_VIDEO_MEMORY;

    return pte | VGSP_SET(vram ? NV_MMU_VER2_PTE_ADDRESS_VID
                               : NV_MMU_VER2_PTE_ADDRESS_SYS,
                          pa >> NV_MMU_VER2_PTE_ADDRESS_SHIFT);
}

void vgsp_vm_map(VgspQosVm *vm, uint64_t va, uint64_t pa, unsigned shift,
                 uint64_t pte)
{
    uint32_t pd2, pd1, pd0, dual, pt;

    pd2 = vm_below(vm, 8 * vm_index(va, NV_MMU_VER2_PD3_SHIFT,
                                    NV_MMU_VER2_VA_BITS));
    pd1 = vm_below(vm, pd2 + 8 * vm_index(va, NV_MMU_VER2_PD2_SHIFT,
                                          NV_MMU_VER2_PD3_SHIFT));
    pd0 = vm_below(vm, pd1 + 8 * vm_index(va, NV_MMU_VER2_PD1_SHIFT,
                                          NV_MMU_VER2_PD2_SHIFT));
    dual = pd0 + NV_MMU_VER2_DUAL_PDE__SIZE *
        vm_index(va, NV_MMU_VER2_PD0_SHIFT, NV_MMU_VER2_PD1_SHIFT);
    pte = vm_pte(pa, pte);

    switch (shift) {
    case NV_MMU_VER2_PD0_SHIFT:
        vgsp_put_le64(vm->mirror + dual, pte);
        return;
    case NV_MMU_VER2_PT_BIG_SHIFT:
        /*
         * The big half's address field starts four bits lower and counts in
         * 256 bytes: a page-aligned table reads the same either way.
         */
        pt = vm_below(vm, dual);
        vgsp_put_le64(vm->mirror + pt + 8 *
                      vm_index(va, shift, NV_MMU_VER2_PD0_SHIFT), pte);
        return;
    case NV_MMU_VER2_PT_SMALL_SHIFT:
        pt = vm_below(vm, dual + 8);
        vgsp_put_le64(vm->mirror + pt + 8 *
                      vm_index(va, shift, NV_MMU_VER2_PD0_SHIFT), pte);
        return;
    default:
        g_assert_not_reached();
    }
}

void vgsp_vm_commit(VgspQosVm *vm)
{
    vgsp_vram_write(vm->q, vm->base, vm->mirror, vm->used);
}

void vgsp_vm_commit_page(VgspQosVm *vm, uint64_t va)
{
    uint32_t table = 0, entry;

    table = vm_below(vm, table + 8 * vm_index(va, NV_MMU_VER2_PD3_SHIFT,
                                              NV_MMU_VER2_VA_BITS));
    table = vm_below(vm, table + 8 * vm_index(va, NV_MMU_VER2_PD2_SHIFT,
                                              NV_MMU_VER2_PD3_SHIFT));
    table = vm_below(vm, table + 8 * vm_index(va, NV_MMU_VER2_PD1_SHIFT,
                                              NV_MMU_VER2_PD2_SHIFT));
    table = vm_below(vm, table + 8 + NV_MMU_VER2_DUAL_PDE__SIZE *
                     vm_index(va, NV_MMU_VER2_PD0_SHIFT,
                              NV_MMU_VER2_PD1_SHIFT));
    entry = table + 8 * vm_index(va, NV_MMU_VER2_PT_SMALL_SHIFT,
                                 NV_MMU_VER2_PD0_SHIFT);
    vgsp_vram_write(vm->q, vm->base + entry, vm->mirror + entry, 8);
}

uint64_t vgsp_vm_pde0(const VgspQosVm *vm)
{
    return vgsp_le64(vm->mirror);
}

static void vm_invalidate(VgspQos *q, uint64_t pdb, uint32_t flags)
{
    vgsp_wr32(q, VF(MMU_INVALIDATE_PDB),
              VGSP_SET(NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_PDB_ADDR,
                       pdb >> 12));
    vgsp_wr32(q, VF(MMU_INVALIDATE_UPPER_PDB), pdb >> 40);
    vgsp_wr32(q, VF(MMU_INVALIDATE),
              NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_TRIGGER |
              NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_ALL_VA | flags);
    for (int i = 0; i < 2000; i++) {
        if (!(vgsp_rd32(q, VF(MMU_INVALIDATE)) &
              NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_TRIGGER)) {
            return;
        }
        g_usleep(1000);
    }
    g_assert_not_reached();
}

void vgsp_invalidate(VgspQos *q, uint64_t pdb)
{
    vm_invalidate(q, pdb, 0);
}

void vgsp_invalidate_all(VgspQos *q)
{
    vm_invalidate(q, 0, NV_VIRTUAL_FUNCTION_PRIV_MMU_INVALIDATE_ALL_PDB);
}
