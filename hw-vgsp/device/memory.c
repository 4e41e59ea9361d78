/*
 * Memory as the GPU sees it: VRAM, system memory over the bus, and both
 * through an address space.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/rcu.h"
#include "exec/memory.h"
#include "device/memory.h"

/* Reaches RAM only: a device's DMA must not start another device's work. */
#define DMA_ATTRS ((MemTxAttrs) { .memory = 1 })

bool vgsp_vram_read(VgspState *s, uint64_t addr, void *buf, size_t len)
{
    if (!vgsp_range_ok(addr, len, s->vram_size)) {
        memset(buf, 0, len);
        return false;
    }
    memcpy(buf, (uint8_t *)memory_region_get_ram_ptr(s->vram) + addr, len);
    return true;
}

bool vgsp_vram_write(VgspState *s, uint64_t addr, const void *buf, size_t len)
{
    if (!vgsp_range_ok(addr, len, s->vram_size)) {
        return false;
    }
    memcpy((uint8_t *)memory_region_get_ram_ptr(s->vram) + addr, buf, len);
    memory_region_set_dirty(s->vram, addr, len);
    return true;
}

/*
 * RAM is mapped, never asked for through address_space_rw(): that takes the
 * BQL for what it cannot map (ROM, another device's BAR), and whoever holds
 * the BQL may be waiting for this thread. vgsp_realize() forbids the bounce
 * buffers that address_space_map() would make of such memory.
 */
static bool dma_rw(VgspState *s, uint64_t addr, uint8_t *in,
                   const uint8_t *out, size_t len)
{
    AddressSpace *as = pci_get_address_space(PCI_DEVICE(s));
    bool is_write = out != NULL;

    if (!vgsp_range_ok(addr, len, UINT64_MAX)) {
        return false;
    }
    smp_mb(); /* as dma_memory_rw(): in order with what the CPUs see */
    while (len) {
        hwaddr n = len;
        void *p = address_space_map(as, addr, &n, is_write, DMA_ATTRS);

        if (!p) {
            return false;
        }
        if (is_write) {
            memcpy(p, out, n);
            out += n;
        } else {
            memcpy(in, p, n);
            in += n;
        }
        address_space_unmap(as, p, n, is_write, n);
        addr += n;
        len -= n;
    }
    return true;
}

bool vgsp_dma_read(VgspState *s, uint64_t addr, void *buf, size_t len)
{
    if (!dma_rw(s, addr, buf, NULL, len)) {
        memset(buf, 0, len);
        return false;
    }
    return true;
}

bool vgsp_dma_write(VgspState *s, uint64_t addr, const void *buf, size_t len)
{
    return dma_rw(s, addr, NULL, buf, len);
}

bool vgsp_mem_read(VgspState *s, VgspAperture aperture, uint64_t addr,
                   void *buf, size_t len)
{
    switch (aperture) {
    case VGSP_APERTURE_VIDEO:
        return vgsp_vram_read(s, addr, buf, len);
    case VGSP_APERTURE_SYS_COHERENT:
    case VGSP_APERTURE_SYS_NONCOHERENT:
        return vgsp_dma_read(s, addr, buf, len);
    default:
        memset(buf, 0, len);
        return false;
    }
}

bool vgsp_mem_write(VgspState *s, VgspAperture aperture, uint64_t addr,
                    const void *buf, size_t len)
{
    switch (aperture) {
    case VGSP_APERTURE_VIDEO:
        return vgsp_vram_write(s, addr, buf, len);
    case VGSP_APERTURE_SYS_COHERENT:
    case VGSP_APERTURE_SYS_NONCOHERENT:
        return vgsp_dma_write(s, addr, buf, len);
    default:
        return false;
    }
}

static bool gmmu_read(void *opaque, VgspAperture ap, uint64_t addr, void *buf,
                      size_t len)
{
    return vgsp_mem_read(opaque, ap, addr, buf, len);
}

const VgspGmmuOps vgsp_gmmu_ops = { .read = gmmu_read };

static bool va_fault(VgspVaFault *fault, VgspGmmuFault type, uint64_t va,
                     bool is_write)
{
    if (fault) {
        *fault = (VgspVaFault) {
            .fault = type, .va = va, .is_write = is_write
        };
    }
    return false;
}

static bool va_translate(VgspState *s, const VgspPdb *pdb, uint64_t va,
                         VgspGmmuAccess access, VgspMapping *m,
                         VgspVaFault *fault)
{
    VgspGmmuFault f = vgsp_gmmu_walk(&vgsp_gmmu_ops, s, pdb, va, m);

    if (f == VGSP_GMMU_OK) {
        f = vgsp_gmmu_check(m, access, true);
    }
    return f == VGSP_GMMU_OK ||
           va_fault(fault, f, va, access != VGSP_GMMU_ACCESS_READ);
}

static bool va_rw(VgspState *s, const VgspPdb *pdb, uint64_t va, uint8_t *in,
                  const uint8_t *out, size_t len, VgspVaFault *fault)
{
    VgspGmmuAccess access = out ? VGSP_GMMU_ACCESS_WRITE
                                : VGSP_GMMU_ACCESS_READ;

    if (in) {
        memset(in, 0, len);
    }
    while (len) {
        VgspMapping m;
        uint64_t offset;
        size_t n;
        bool ok = true;

        if (!va_translate(s, pdb, va, access, &m, fault)) {
            return false;
        }
        offset = va - m.va;
        n = MIN(len, m.size - offset);
        if (!m.sparse && in) {
            ok = vgsp_mem_read(s, m.aperture, m.pa + offset, in, n);
        } else if (!m.sparse) {
            ok = vgsp_mem_write(s, m.aperture, m.pa + offset, out, n);
        }
        if (!ok) {
            return va_fault(fault, VGSP_GMMU_FAULT_REGION_VIOLATION, va, out);
        }
        va += n;
        len -= n;
        in = in ? in + n : NULL;
        out = out ? out + n : NULL;
    }
    return true;
}

bool vgsp_va_read(VgspState *s, const VgspPdb *pdb, uint64_t va, void *buf,
                  size_t len, VgspVaFault *fault)
{
    return va_rw(s, pdb, va, buf, NULL, len, fault);
}

bool vgsp_va_write(VgspState *s, const VgspPdb *pdb, uint64_t va,
                   const void *buf, size_t len, VgspVaFault *fault)
{
    return va_rw(s, pdb, va, NULL, buf, len, fault);
}

/* Words are little-endian in memory, whatever the host is. */
static void word_rmw(void *p, unsigned size,
                     uint64_t (*op)(uint64_t old, void *opaque), void *opaque)
{
    if (size == 4) {
        uint32_t *w = p, old = qatomic_read(w), seen;

        while ((seen = qatomic_cmpxchg(w, old,
                    cpu_to_le32(op(le32_to_cpu(old), opaque)))) != old) {
            old = seen;
        }
    } else {
        uint64_t *w = p, old = qatomic_read__nocheck(w), seen;

        while ((seen = qatomic_cmpxchg__nocheck(w, old,
                    cpu_to_le64(op(le64_to_cpu(old), opaque)))) != old) {
            old = seen;
        }
    }
}

/* The RAM behind [addr, addr + size), for an atomic operation. */
static bool mem_rmw(VgspState *s, VgspAperture aperture, uint64_t addr,
                    unsigned size,
                    uint64_t (*op)(uint64_t old, void *opaque), void *opaque)
{
    RCU_READ_LOCK_GUARD();
    MemoryRegion *mr = s->vram;
    hwaddr offset = addr, len = size;

    switch (aperture) {
    case VGSP_APERTURE_VIDEO:
        if (!vgsp_range_ok(addr, size, s->vram_size)) {
            return false;
        }
        break;
    case VGSP_APERTURE_SYS_COHERENT:
    case VGSP_APERTURE_SYS_NONCOHERENT:
        mr = address_space_translate(pci_get_address_space(PCI_DEVICE(s)),
                                     addr, &offset, &len, true, DMA_ATTRS);
        if (len < size || !memory_access_is_direct(mr, true, DMA_ATTRS)) {
            return false;
        }
        break;
    default:
        return false;
    }
    word_rmw((uint8_t *)memory_region_get_ram_ptr(mr) + offset, size, op,
             opaque);
    memory_region_set_dirty(mr, offset, size);
    return true;
}

bool vgsp_va_rmw(VgspState *s, const VgspPdb *pdb, uint64_t va, unsigned size,
                 uint64_t (*op)(uint64_t old, void *opaque), void *opaque,
                 VgspVaFault *fault)
{
    VgspMapping m;

    if (!va_translate(s, pdb, va, VGSP_GMMU_ACCESS_ATOMIC, &m, fault)) {
        return false;
    }
    if (m.sparse) {
        op(0, opaque);          /* reads zero, drops the write */
        return true;
    }
    if ((size != 4 && size != 8) || va % size ||
        !mem_rmw(s, m.aperture, m.pa + (va - m.va), size, op, opaque)) {
        return va_fault(fault, VGSP_GMMU_FAULT_REGION_VIOLATION, va, true);
    }
    return true;
}
