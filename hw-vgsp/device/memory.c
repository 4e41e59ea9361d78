/*
 * Memory as the GPU sees it: VRAM, system memory over the bus, and both
 * through an address space.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/rcu.h"
#include "qemu/thread.h"
#include "qemu/units.h"
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "device/dma.h"
#include "device/memory.h"
#include "owner/executor.h"
#include "vgsp/tlb.h"

/* The device has two threads of its own; the rest are vCPUs. */
#define LANES 4

/*
 * An access that the vIOMMU's driver keeps invalidating is given up after so
 * many translations.
 */
#define FILLS_MAX 64

/* Bytes that are copied at once: a lane is held for so long. */
#define VA_COPY_MAX (64 * KiB)

typedef struct Lane {
    QemuMutex lock;
    VgspTlb tlb;
} Lane;

struct VgspMem {
    Lane lane[LANES];
};

/* ---- Lanes ---- */

void vgsp_mem_init(VgspState *s)
{
    s->mem = g_new0(VgspMem, 1);
    for (unsigned i = 0; i < LANES; i++) {
        qemu_mutex_init(&s->mem->lane[i].lock);
    }
}

void vgsp_mem_exit(VgspState *s)
{
    for (unsigned i = 0; i < LANES; i++) {
        qemu_mutex_destroy(&s->mem->lane[i].lock);
    }
    g_clear_pointer(&s->mem, g_free);
}

void vgsp_mem_lock_all(VgspState *s)
{
    for (unsigned i = 0; i < LANES; i++) {
        qemu_mutex_lock(&s->mem->lane[i].lock);
    }
}

void vgsp_mem_unlock_all(VgspState *s)
{
    for (unsigned i = 0; i < LANES; i++) {
        qemu_mutex_unlock(&s->mem->lane[i].lock);
    }
}

/* Threads take turns at their first access. */
static Lane *lane_lock(VgspState *s)
{
    static unsigned threads;
    static __thread unsigned mine;
    Lane *lane;

    if (!mine) {
        mine = 1 + qatomic_fetch_inc(&threads) % LANES;
    }
    lane = &s->mem->lane[mine - 1];
    qemu_mutex_lock(&lane->lock);
    return lane;
}

static void lane_unlock(Lane *lane)
{
    qemu_mutex_unlock(&lane->lock);
}

void vgsp_mem_invalidate(VgspState *s, const VgspInvalidate *inv)
{
    for (unsigned i = 0; i < LANES; i++) {
        Lane *lane = &s->mem->lane[i];

        qemu_mutex_lock(&lane->lock);
        if (inv->all_pdb) {
            vgsp_tlb_flush(&lane->tlb);
        } else if (inv->all_va) {
            vgsp_tlb_flush_space(&lane->tlb, &inv->pdb);
        } else {
            vgsp_tlb_flush_range(&lane->tlb, &inv->pdb, inv->va, inv->len);
        }
        qemu_mutex_unlock(&lane->lock);
    }
}

/* ---- VRAM ---- */

bool vgsp_vram_read(VgspState *s, uint64_t addr, void *buf, size_t len)
{
    if (!vgsp_range_ok(addr, len, s->vram_size)) {
        memset(buf, 0, len);
        return false;
    }
    memcpy(buf, s->vram_host + addr, len);
    return true;
}

bool vgsp_vram_write(VgspState *s, uint64_t addr, const void *buf, size_t len)
{
    if (!vgsp_range_ok(addr, len, s->vram_size)) {
        return false;
    }
    memcpy(s->vram_host + addr, buf, len);
    vgsp_ram_wrote(s->vram_host + addr, len);
    return true;
}

/*
 * QEMU tells who logs writes, and drops what TCG translated from there, when a
 * mapping of address_space_map() ends; memory_region_set_dirty() would leave
 * the translations. To end one takes a reference to the region.
 */
void vgsp_ram_wrote(void *host, size_t len)
{
    ram_addr_t offset;
    MemoryRegion *mr;

    RCU_READ_LOCK_GUARD();
    mr = memory_region_from_host(host, &offset);
    if (memory_region_get_dirty_log_mask(mr)) {
        memory_region_ref(mr);
        address_space_unmap(&address_space_memory, host, len, true, len);
    }
}

/* ---- System memory ---- */

/*
 * The device keeps its own list of RAM (device/dma.h), and never asks
 * address_space_rw(): that takes the BQL for what it cannot map (ROM, another
 * device's BAR), and whoever holds the BQL may be waiting for this thread.
 *
 * Advances what the caller transfers; in is NULL for a write, out for a read.
 */
static VgspDmaEnd dma_rw(VgspState *s, uint64_t *addr, uint8_t **in,
                         const uint8_t **out, size_t *len)
{
    bool is_write = *out != NULL;

    smp_mb(); /* as dma_memory_rw(): in order with what the CPUs see */
    while (*len) {
        VgspDmaRam ram;
        VgspDmaEnd end = vgsp_dma_find(s, *addr, is_write, &ram);
        uint64_t offset;
        size_t n;

        if (end != VGSP_DMA_RAM) {
            return end;
        }
        offset = *addr - ram.addr;
        n = MIN(*len, ram.size - offset);
        if (is_write) {
            memcpy(ram.host + offset, *out, n);
            vgsp_ram_wrote(ram.host + offset, n);
            *out += n;
        } else {
            memcpy(*in, ram.host + offset, n);
            *in += n;
        }
        *addr += n;
        *len -= n;
    }
    return VGSP_DMA_RAM;
}

static bool dma_access(VgspState *s, uint64_t addr, uint8_t *in,
                       const uint8_t *out, size_t len)
{
    bool is_write = out != NULL;
    unsigned fills = 0;

    if (!vgsp_range_ok(addr, len, UINT64_MAX)) {
        return false;
    }
    for (;;) {
        Lane *lane = lane_lock(s);
        uint64_t before = addr;
        VgspDmaEnd end = dma_rw(s, &addr, &in, &out, &len);

        lane_unlock(lane);
        if (end != VGSP_DMA_MISS) {
            return end == VGSP_DMA_RAM;
        }
        fills = addr == before ? fills + 1 : 0;
        if (fills > FILLS_MAX || !vgsp_dma_fill(s, addr, is_write)) {
            return false;
        }
    }
}

bool vgsp_dma_read(VgspState *s, uint64_t addr, void *buf, size_t len)
{
    if (!dma_access(s, addr, buf, NULL, len)) {
        memset(buf, 0, len);
        return false;
    }
    return true;
}

bool vgsp_dma_write(VgspState *s, uint64_t addr, const void *buf, size_t len)
{
    return dma_access(s, addr, NULL, buf, len);
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

/* ---- Address spaces ---- */

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

/* What a walk under a lane reads, and where it met the vIOMMU. */
typedef struct LaneWalk {
    VgspState *s;
    bool missed;
    uint64_t miss;
} LaneWalk;

static bool lane_gmmu_read(void *opaque, VgspAperture ap, uint64_t addr,
                           void *buf, size_t len)
{
    LaneWalk *walk = opaque;
    uint8_t *in = buf;
    const uint8_t *out = NULL;
    VgspDmaEnd end;

    switch (ap) {
    case VGSP_APERTURE_VIDEO:
        return vgsp_vram_read(walk->s, addr, buf, len);
    case VGSP_APERTURE_SYS_COHERENT:
    case VGSP_APERTURE_SYS_NONCOHERENT:
        if (!vgsp_range_ok(addr, len, UINT64_MAX)) {
            return false;
        }
        end = dma_rw(walk->s, &addr, &in, &out, &len);
        if (end == VGSP_DMA_MISS) {
            walk->missed = true;
            walk->miss = addr;
        }
        return end == VGSP_DMA_RAM;
    default:
        return false;
    }
}

static const VgspGmmuOps lane_gmmu_ops = { .read = lane_gmmu_read };

/* A piece of an access: within one page, under a lane. */
typedef struct VaPiece {
    VgspState *s;
    const VgspPdb *pdb;
    bool privileged;
    VgspGmmuAccess access;
    uint64_t va;
    size_t len;                 /* in: wanted; out: of this piece */
    const VgspKindOrder *order; /* out: how its bytes lie, NULL: as they are */
    uint64_t pa;                /* out, of what is not sparse */
    /* Transfers the piece; host is NULL where the page is sparse. */
    void (*transfer)(struct VaPiece *p, uint8_t *host);
    void *opaque;
} VaPiece;

/*
 * Between a piece and @buf. A block of a kind lies in one page, so that all of
 * it is there if any of it is.
 */
static void va_get(const VaPiece *p, const uint8_t *host, void *buf,
                   size_t len)
{
    if (!host) {
        memset(buf, 0, len);
    } else if (p->order) {
        uint64_t offset = p->pa % VGSP_KIND_BLOCK;

        vgsp_kind_read(p->order, host - offset, offset, buf, len);
    } else {
        memcpy(buf, host, len);
    }
}

static void va_put(const VaPiece *p, uint8_t *host, const void *buf,
                   size_t len)
{
    uint64_t offset = p->pa % VGSP_KIND_BLOCK;

    if (!host) {
        return;
    }
    if (p->order) {
        vgsp_kind_write(p->order, host - offset, offset, buf, len);
        vgsp_ram_wrote(host - offset,
                       ROUND_UP(offset + len, VGSP_KIND_BLOCK));
    } else {
        memcpy(host, buf, len);
        vgsp_ram_wrote(host, len);
    }
}

/* Pages that follow in memory as well are of the same piece. */
static void va_extend(VaPiece *p, Lane *lane, LaneWalk *walk,
                      VgspAperture aperture, uint64_t pa, size_t want)
{
    while (p->len < want) {
        VgspGmmuFault fault;
        const VgspMapping *m = vgsp_tlb_translate(&lane->tlb, &lane_gmmu_ops,
                                                  walk, p->pdb,
                                                  p->va + p->len, &fault);

        if (!m || m->sparse || m->aperture != aperture ||
            m->pa + (p->va + p->len - m->va) != pa + p->len ||
            vgsp_executor_order(p->s->executor, m->kind) != p->order ||
            vgsp_gmmu_check(m, p->access, p->privileged) != VGSP_GMMU_OK) {
            return;             /* what is wrong, the next piece will say */
        }
        p->len = MIN(want, m->va + m->size - p->va);
    }
}

/* What is to be translated by the vIOMMU first. */
typedef struct VaMiss {
    uint64_t addr;
    bool is_write;
} VaMiss;

/*
 * Where the first bytes of an access are; the caller has the lane. *host is
 * NULL on a sparse page, *len is cut to what is in one piece. VGSP_DMA_MISS:
 * *miss says of what; VGSP_DMA_NONE: *fault says why.
 */
static VgspDmaEnd va_resolve(VaPiece *p, Lane *lane, uint8_t **host,
                             VaMiss *miss, VgspGmmuFault *fault)
{
    VgspState *s = p->s;
    LaneWalk walk = { .s = s };
    bool is_write = p->access != VGSP_GMMU_ACCESS_READ;
    VgspDmaEnd end = VGSP_DMA_NONE;
    const VgspMapping *m;
    VgspAperture aperture;
    size_t want = p->len;
    uint64_t offset, pa;
    VgspDmaRam ram;

    *host = NULL;
    p->order = NULL;
    m = vgsp_tlb_translate(&lane->tlb, &lane_gmmu_ops, &walk, p->pdb, p->va,
                           fault);
    if (!m && walk.missed) {
        *miss = (VaMiss) { walk.miss, false };
        return VGSP_DMA_MISS;
    }
    if (m) {
        *fault = vgsp_gmmu_check(m, p->access, p->privileged);
    }
    if (*fault != VGSP_GMMU_OK) {
        return VGSP_DMA_NONE;
    }
    offset = p->va - m->va;
    pa = m->pa + offset;
    p->len = MIN(want, m->size - offset);
    if (m->sparse) {
        return VGSP_DMA_RAM;
    }
    aperture = m->aperture;
    p->order = vgsp_executor_order(s->executor, m->kind);
    p->pa = pa;
    va_extend(p, lane, &walk, aperture, pa, want);
    if (aperture == VGSP_APERTURE_VIDEO) {
        if (pa < s->vram_size) {
            p->len = MIN(p->len, s->vram_size - pa);
            *host = s->vram_host + pa;
            return VGSP_DMA_RAM;
        }
    } else {
        smp_mb(); /* as in dma_rw() */
        end = vgsp_dma_find(s, pa, is_write, &ram);
        if (end == VGSP_DMA_RAM) {
            p->len = MIN(p->len, ram.size - (pa - ram.addr));
            *host = ram.host + (pa - ram.addr);
        }
        *miss = (VaMiss) { pa, is_write };
    }
    if (end == VGSP_DMA_NONE) {
        *fault = VGSP_GMMU_FAULT_REGION_VIOLATION;
    }
    return end;
}

/* One attempt at a piece. */
static VgspDmaEnd va_try(VaPiece *p, VaMiss *miss, VgspGmmuFault *fault)
{
    Lane *lane = lane_lock(p->s);
    uint8_t *host;
    VgspDmaEnd end = va_resolve(p, lane, &host, miss, fault);

    if (end == VGSP_DMA_RAM) {
        p->transfer(p, host);
    }
    lane_unlock(lane);
    return end;
}

static bool va_piece(VaPiece *p, VgspVaFault *fault)
{
    VgspGmmuFault type = VGSP_GMMU_FAULT_REGION_VIOLATION;

    for (unsigned fills = 0; fills < FILLS_MAX; fills++) {
        VaMiss miss;

        switch (va_try(p, &miss, &type)) {
        case VGSP_DMA_RAM:
            return true;
        case VGSP_DMA_NONE:
            return va_fault(fault, type, p->va,
                            p->access != VGSP_GMMU_ACCESS_READ);
        case VGSP_DMA_MISS:
            break;
        }
        type = VGSP_GMMU_FAULT_REGION_VIOLATION;
        if (!vgsp_dma_fill(p->s, miss.addr, miss.is_write)) {
            break;
        }
    }
    return va_fault(fault, type, p->va, p->access != VGSP_GMMU_ACCESS_READ);
}

static void transfer_read(VaPiece *p, uint8_t *host)
{
    va_get(p, host, p->opaque, p->len);
}

static void transfer_write(VaPiece *p, uint8_t *host)
{
    va_put(p, host, p->opaque, p->len);
}

static bool va_rw(VaPiece *p, uint8_t *buf, size_t len, VgspVaFault *fault)
{
    while (len) {
        p->opaque = buf;
        p->len = len;
        if (!va_piece(p, fault)) {
            return false;
        }
        p->va += p->len;
        buf += p->len;
        len -= p->len;
    }
    return true;
}

bool vgsp_va_read(VgspState *s, const VgspPdb *pdb, bool privileged,
                  uint64_t va, void *buf, size_t len, VgspVaFault *fault)
{
    VaPiece p = {
        .s = s,
        .pdb = pdb,
        .privileged = privileged,
        .access = VGSP_GMMU_ACCESS_READ,
        .va = va,
        .transfer = transfer_read,
    };

    if (!va_rw(&p, buf, len, fault)) {
        memset(p.opaque, 0, len - (p.va - va));
        return false;
    }
    return true;
}

bool vgsp_va_write(VgspState *s, const VgspPdb *pdb, bool privileged,
                   uint64_t va, const void *buf, size_t len,
                   VgspVaFault *fault)
{
    VaPiece p = {
        .s = s,
        .pdb = pdb,
        .privileged = privileged,
        .access = VGSP_GMMU_ACCESS_WRITE,
        .va = va,
        .transfer = transfer_write,
    };

    return va_rw(&p, (uint8_t *)buf, len, fault);
}

/* One attempt at the first bytes of a copy, of which both are cut alike. */
static VgspDmaEnd copy_try(VaPiece *from, VaPiece *to, VaMiss *miss,
                           VgspGmmuFault *fault, VaPiece **failed)
{
    Lane *lane = lane_lock(from->s);
    uint8_t *src, *dst;
    VgspDmaEnd end = va_resolve(from, lane, &src, miss, fault);

    *failed = from;
    if (end == VGSP_DMA_RAM) {
        to->len = MIN(to->len, from->len);
        *failed = to;
        end = va_resolve(to, lane, &dst, miss, fault);
    }
    if (end == VGSP_DMA_RAM && (from->order || to->order)) {
        uint8_t bounce[VGSP_KIND_BLOCK];

        to->len = MIN(to->len, sizeof(bounce));
        va_get(from, src, bounce, to->len);
        va_put(to, dst, bounce, to->len);
    } else if (end == VGSP_DMA_RAM && dst) {
        if (src) {
            memmove(dst, src, to->len);
        } else {
            memset(dst, 0, to->len);
        }
        vgsp_ram_wrote(dst, to->len);
    }
    lane_unlock(lane);
    return end;
}

bool vgsp_va_copy(VgspState *s, const VgspPdb *pdb, bool privileged,
                  uint64_t dst, uint64_t src, size_t len, VgspVaFault *fault)
{
    VaPiece from = {
        .s = s,
        .pdb = pdb,
        .privileged = privileged,
        .access = VGSP_GMMU_ACCESS_READ,
        .va = src,
    };
    VaPiece to = {
        .s = s,
        .pdb = pdb,
        .privileged = privileged,
        .access = VGSP_GMMU_ACCESS_WRITE,
        .va = dst,
    };
    unsigned fills = 0;

    while (len) {
        VgspGmmuFault type = VGSP_GMMU_FAULT_REGION_VIOLATION;
        VaPiece *failed;
        VaMiss miss;
        VgspDmaEnd end;

        from.len = to.len = MIN(len, VA_COPY_MAX);
        end = copy_try(&from, &to, &miss, &type, &failed);
        if (end == VGSP_DMA_RAM) {
            from.va += to.len;
            to.va += to.len;
            len -= to.len;
            fills = 0;
        } else if (end == VGSP_DMA_NONE || ++fills > FILLS_MAX ||
                   !vgsp_dma_fill(s, miss.addr, miss.is_write)) {
            return va_fault(fault, type, failed->va, failed == &to);
        }
    }
    return true;
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

typedef struct Rmw {
    unsigned size;
    uint64_t (*op)(uint64_t old, void *opaque);
    void *opaque;
    bool split;                 /* its bytes are not together in RAM */
} Rmw;

static void transfer_rmw(VaPiece *p, uint8_t *host)
{
    Rmw *rmw = p->opaque;

    if (!host) {
        rmw->op(0, rmw->opaque); /* reads zero, drops the write */
    } else if (p->len < rmw->size || p->order) {
        rmw->split = true;
    } else {
        word_rmw(host, rmw->size, rmw->op, rmw->opaque);
        vgsp_ram_wrote(host, rmw->size);
    }
}

bool vgsp_va_rmw(VgspState *s, const VgspPdb *pdb, bool privileged,
                 uint64_t va, unsigned size,
                 uint64_t (*op)(uint64_t old, void *opaque), void *opaque,
                 VgspVaFault *fault)
{
    Rmw rmw = { .size = size, .op = op, .opaque = opaque };
    VaPiece p = {
        .s = s,
        .pdb = pdb,
        .privileged = privileged,
        .access = VGSP_GMMU_ACCESS_ATOMIC,
        .va = va,
        .len = size,
        .transfer = transfer_rmw,
        .opaque = &rmw,
    };

    if ((size != 4 && size != 8) || va % size) {
        return va_fault(fault, VGSP_GMMU_FAULT_REGION_VIOLATION, va, true);
    }
    if (!va_piece(&p, fault)) {
        return false;
    }
    return !rmw.split ||
           va_fault(fault, VGSP_GMMU_FAULT_REGION_VIOLATION, va, true);
}
