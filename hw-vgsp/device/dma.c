/*
 * System memory as the device's DMA finds it.
 *
 * A memory listener keeps a list of the RAM in the device's bus-master address
 * space. Engine threads read it under a lane (device/memory.h); a change is
 * made with all lanes held, so when it returns no access uses the older list.
 * The list holds references to the memory regions.
 *
 * Where a vIOMMU translates, the bus-master space has an IOMMU region instead
 * of RAM, and a second list follows the machine's memory. Pages are translated
 * under the BQL, since a vIOMMU that reports a fault sends an interrupt, kept,
 * and dropped when the vIOMMU says so (an UNMAP notifier, as vhost has).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/lockable.h"
#include "qemu/main-loop.h"
#include "qemu/queue.h"
#include "qemu/rcu.h"
#include "qemu/thread.h"
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "device/dma.h"
#include "device/memory.h"
#include "host/host.h"
#include "owner/shadow.h"
#include "trace.h"

#define DMA_ATTRS ((MemTxAttrs) { .memory = 1 })

#define PAGE        4096ull
/* Translated pages that are kept: 4 GiB. More than that starts anew. */
#define PAGES_MAX   (1u << 20)

/* RAM of one address space. */
typedef struct RamList {
    VgspState *s;
    MemoryListener listener;
    GArray *ram;                /* VgspDmaRam, ascending */
    GPtrArray *regions;         /* MemoryRegion of each, referenced */
    GArray *next;               /* the same, being collected */
    GPtrArray *next_regions;
    IOMMUMemoryRegion *next_iommu;
    bool bus;                   /* the device's own space */
} RamList;

/* Beside the address of a translated page: which accesses it permits. */
enum {
    MAY_READ = 1,
    MAY_WRITE = 2,
};

typedef struct Miss {
    uint64_t addr;
    bool is_write, ok, done;
    QSIMPLEQ_ENTRY(Miss) next;
} Miss;

struct VgspDma {
    RamList bus;
    RamList system;             /* with a vIOMMU only */
    bool has_system;

    IOMMUMemoryRegion *iommu;   /* that translates now, or NULL */
    IOMMUMemoryRegion *seen;    /* in the bus-master space; only compared */
    IOMMUNotifier notifier;
    GHashTable *pages;          /* page -> address | MAY_*, mapped */
    bool forgot;                /* pages in use may be missing there */

    QemuMutex miss_lock;
    QemuCond miss_done;
    QSIMPLEQ_HEAD(, Miss) misses; /* miss_lock; also read without it */
    QEMUBH *miss_bh;
};

/* ---- RAM ---- */

static void ram_begin(MemoryListener *listener)
{
    RamList *l = container_of(listener, RamList, listener);

    l->next = g_array_new(false, false, sizeof(VgspDmaRam));
    l->next_regions = g_ptr_array_new_with_free_func(
        (GDestroyNotify)memory_region_unref);
    l->next_iommu = NULL;
}

/* Sections come in ascending order, those that stay included. */
static void ram_section(MemoryListener *listener, MemoryRegionSection *sec)
{
    RamList *l = container_of(listener, RamList, listener);
    VgspDmaRam ram = {
        .addr = sec->offset_within_address_space,
    };

    if (!l->next) {
        return;
    }
    if (memory_region_is_iommu(sec->mr)) {
        l->next_iommu = IOMMU_MEMORY_REGION(sec->mr);
        return;
    }
    /* As address_space_map() for DMA_ATTRS: no device memory, no ROM device. */
    if (!memory_region_is_ram(sec->mr) ||
        memory_region_is_ram_device(sec->mr)) {
        return;
    }
    ram.size = int128_get64(sec->size);
    ram.read_only = sec->readonly;
    ram.host = (uint8_t *)memory_region_get_ram_ptr(sec->mr) +
               sec->offset_within_region;
    if (l->next->len) {
        VgspDmaRam *last = &g_array_index(l->next, VgspDmaRam,
                                          l->next->len - 1);

        /* One region's parts are one run again where nothing is between. */
        if (last->addr + last->size == ram.addr &&
            last->host + last->size == ram.host &&
            last->read_only == ram.read_only &&
            l->next_regions->pdata[l->next->len - 1] == sec->mr) {
            last->size += ram.size;
            return;
        }
    }
    memory_region_ref(sec->mr);
    g_array_append_val(l->next, ram);
    g_ptr_array_add(l->next_regions, sec->mr);
}

/* The next run from @i on that is not of our own VRAM, in a BAR; or NULL. */
static const VgspDmaRam *ram_next_other(VgspState *s, const GArray *ram,
                                        guint *i)
{
    while (*i < ram->len) {
        const VgspDmaRam *r = &g_array_index(ram, VgspDmaRam, (*i)++);

        if (r->host < s->vram_host || r->host >= s->vram_host + s->vram_size) {
            return r;
        }
    }
    return NULL;
}

/* Equal but for what the windows of the device show, which change often. */
static bool ram_others_equal(VgspState *s, const GArray *a, const GArray *b)
{
    guint i = 0, k = 0;

    for (;;) {
        const VgspDmaRam *x = ram_next_other(s, a, &i);
        const VgspDmaRam *y = ram_next_other(s, b, &k);

        if (!x || !y) {
            return x == y;
        }
        if (x->addr != y->addr || x->size != y->size || x->host != y->host ||
            x->read_only != y->read_only) {
            return false;
        }
    }
}

static void dma_set_iommu(VgspState *s, IOMMUMemoryRegion *iommu);

static void ram_commit(MemoryListener *listener)
{
    RamList *l = container_of(listener, RamList, listener);
    VgspDma *dma = l->s->dma;
    bool iommu_changed = l->bus && l->next_iommu != dma->seen;
    GArray *next = g_steal_pointer(&l->next), *ram;
    GPtrArray *next_regions = g_steal_pointer(&l->next_regions), *regions;
    bool changed;

    if (!next) {
        return;
    }
    changed = iommu_changed || !ram_others_equal(l->s, l->ram, next);
    vgsp_mem_lock_all(l->s);
    ram = g_steal_pointer(&l->ram);
    regions = g_steal_pointer(&l->regions);
    l->ram = next;
    l->regions = next_regions;
    vgsp_mem_unlock_all(l->s);
    if (changed) {
        trace_vgsp_dma_ram(l->bus ? "bus" : "system", l->ram->len,
                           l->next_iommu != NULL);
        if (iommu_changed) {
            dma->seen = l->next_iommu;
            dma_set_iommu(l->s, l->next_iommu);
        }
        /* While the older regions are still there. */
        vgsp_shadows_memory_changed(l->s);
    }
    g_array_unref(ram);
    g_ptr_array_unref(regions);
}

static void ram_init(VgspState *s, RamList *l, AddressSpace *as, bool bus)
{
    l->s = s;
    l->bus = bus;
    l->ram = g_array_new(false, false, sizeof(VgspDmaRam));
    l->regions = g_ptr_array_new_with_free_func(
        (GDestroyNotify)memory_region_unref);
    l->listener = (MemoryListener) {
        .name = bus ? "vgsp-dma" : "vgsp-dma-system",
        .begin = ram_begin,
        .region_add = ram_section,
        .region_nop = ram_section,
        .commit = ram_commit,
        /* Before what maps and unmaps of it depends on. */
        .priority = MEMORY_LISTENER_PRIORITY_DEV_BACKEND,
    };
    memory_listener_register(&l->listener, as);
}

static void ram_exit(RamList *l)
{
    memory_listener_unregister(&l->listener);
    g_array_unref(l->ram);
    g_ptr_array_unref(l->regions);
}

/*
 * The run that holds @addr, by bisection; or NULL, with the distance to the
 * next one in *gap.
 */
static const VgspDmaRam *ram_find(const RamList *l, uint64_t addr,
                                  uint64_t *gap)
{
    unsigned lo = 0, hi = l->ram->len;

    while (lo < hi) {
        unsigned mid = (lo + hi) / 2;
        const VgspDmaRam *r = &g_array_index(l->ram, VgspDmaRam, mid);

        if (addr < r->addr) {
            hi = mid;
        } else if (addr - r->addr >= r->size) {
            lo = mid + 1;
        } else {
            return r;
        }
    }
    *gap = lo < l->ram->len
           ? g_array_index(l->ram, VgspDmaRam, lo).addr - addr
           : UINT64_MAX;
    return NULL;
}

const VgspDmaRam *vgsp_dma_ram(VgspState *s, unsigned *count)
{
    VgspDma *dma = s->dma;
    const RamList *l = dma->iommu ? &dma->system : &dma->bus;

    *count = l->ram->len;
    return (VgspDmaRam *)l->ram->data;
}

/* ---- Translation ---- */

VgspDmaEnd vgsp_dma_find(VgspState *s, uint64_t addr, bool is_write,
                         VgspDmaRam *out)
{
    VgspDma *dma = s->dma;
    const VgspDmaRam *r;
    uint64_t page, gap, *entry;

    if (!dma->iommu) {
        r = ram_find(&dma->bus, addr, &gap);
        if (!r || (is_write && r->read_only)) {
            out->size = r ? r->size - (addr - r->addr) : gap;
            return VGSP_DMA_NONE;
        }
        *out = *r;
        return VGSP_DMA_RAM;
    }
    out->size = PAGE - addr % PAGE;
    page = addr & ~(PAGE - 1);
    entry = g_hash_table_lookup(dma->pages, &page);
    if (!entry || !(*entry & (is_write ? MAY_WRITE : MAY_READ))) {
        return VGSP_DMA_MISS;
    }
    r = ram_find(&dma->system, *entry & ~(PAGE - 1), &gap);
    if (!r || (is_write && r->read_only) ||
        r->size - ((*entry & ~(PAGE - 1)) - r->addr) < PAGE) {
        return VGSP_DMA_NONE;
    }
    *out = (VgspDmaRam) {
        .addr = page,
        .size = PAGE,
        .host = r->host + ((*entry & ~(PAGE - 1)) - r->addr),
        .read_only = !(*entry & MAY_WRITE),
    };
    return VGSP_DMA_RAM;
}

/* BQL. */
static bool dma_translate(VgspState *s, uint64_t addr, bool is_write)
{
    VgspDma *dma = s->dma;
    uint64_t page = addr & ~(PAGE - 1), to, *entry;
    IOMMUTLBEntry e;

    if (!dma->iommu) {
        return true;            /* switched off meanwhile: look again */
    }
    WITH_RCU_READ_LOCK_GUARD() {
        e = address_space_get_iotlb_entry(
            pci_get_address_space(PCI_DEVICE(s)), page, is_write, DMA_ATTRS);
    }
    to = (e.translated_addr & ~e.addr_mask) | (page & e.addr_mask);
    trace_vgsp_dma_translate(page, is_write, e.perm, to);
    if (e.perm == IOMMU_NONE || e.target_as != &address_space_memory) {
        return false;
    }
    vgsp_mem_lock_all(s);
    if (g_hash_table_size(dma->pages) >= PAGES_MAX) {
        g_hash_table_remove_all(dma->pages);
        dma->forgot = true;
    }
    entry = g_hash_table_lookup(dma->pages, &page);
    if (!entry) {
        entry = g_new0(uint64_t, 3);
        entry[0] = page;
        g_hash_table_insert(dma->pages, entry, entry + 1);
        entry++;
    }
    if ((*entry & ~(PAGE - 1)) != to) {
        *entry = to;
    }
    /* Only what was asked for is known: perm is the target's. */
    *entry |= is_write ? MAY_WRITE : MAY_READ;
    vgsp_mem_unlock_all(s);
    return true;
}

void vgsp_dma_mapped(VgspState *s, uint64_t addr)
{
    uint64_t page = addr & ~(PAGE - 1);
    uint64_t *entry = s->dma->iommu
                      ? g_hash_table_lookup(s->dma->pages, &page) : NULL;

    if (entry) {
        entry[1] = true;        /* no lane: nobody else looks at that */
    }
}

bool vgsp_dma_pending(VgspState *s)
{
    return s->dma && !QSIMPLEQ_EMPTY_ATOMIC(&s->dma->misses);
}

void vgsp_dma_service(VgspState *s)
{
    VgspDma *dma = s->dma;
    Miss *miss;

    QEMU_LOCK_GUARD(&dma->miss_lock);
    while ((miss = QSIMPLEQ_FIRST(&dma->misses))) {
        QSIMPLEQ_REMOVE_HEAD(&dma->misses, next);
        qemu_mutex_unlock(&dma->miss_lock);
        miss->ok = dma_translate(s, miss->addr, miss->is_write);
        qemu_mutex_lock(&dma->miss_lock);
        miss->done = true;
        qemu_cond_broadcast(&dma->miss_done);
    }
}

static void miss_bh(void *opaque)
{
    vgsp_dma_service(opaque);
}

bool vgsp_dma_fill(VgspState *s, uint64_t addr, bool is_write)
{
    VgspDma *dma = s->dma;
    Miss miss = { .addr = addr, .is_write = is_write };

    if (bql_locked()) {
        return dma_translate(s, addr, is_write);
    }
    WITH_QEMU_LOCK_GUARD(&dma->miss_lock) {
        QSIMPLEQ_INSERT_TAIL(&dma->misses, &miss, next);
    }
    qemu_bh_schedule(dma->miss_bh);
    vgsp_host_kick(s);
    QEMU_LOCK_GUARD(&dma->miss_lock);
    while (!miss.done) {
        qemu_cond_wait(&dma->miss_done, &dma->miss_lock);
    }
    return miss.ok;
}

/* ---- The vIOMMU ---- */

typedef struct Drop {
    uint64_t first, last;
    bool mapped;                /* a shadow space had one of them */
} Drop;

static gboolean page_drop(gpointer key, gpointer value, gpointer opaque)
{
    const uint64_t *page = key, *entry = value;
    Drop *drop = opaque;

    if (*page < drop->first || *page > drop->last) {
        return false;
    }
    drop->mapped |= entry[1];
    return true;
}

/* Returns how many pages were known in the range. */
static unsigned pages_drop(VgspDma *dma, Drop *drop)
{
    uint64_t more = (drop->last - drop->first) / PAGE; /* than one page */
    unsigned n = 0;

    if (more >= g_hash_table_size(dma->pages)) {
        return g_hash_table_foreach_remove(dma->pages, page_drop, drop);
    }
    /* Counted: the last page may be the last of all addresses. */
    for (uint64_t i = 0; i <= more; i++) {
        uint64_t page = drop->first + i * PAGE;
        const uint64_t *entry = g_hash_table_lookup(dma->pages, &page);

        if (entry) {
            drop->mapped |= entry[1];
            n += g_hash_table_remove(dma->pages, &page);
        }
    }
    return n;
}

static void iommu_unmap(IOMMUNotifier *notifier, IOMMUTLBEntry *e)
{
    VgspDma *dma = container_of(notifier, VgspDma, notifier);
    VgspState *s = dma->bus.s;
    Drop drop = {
        .first = e->iova & ~(PAGE - 1),
        .last = e->iova | e->addr_mask,
    };
    unsigned dropped;

    vgsp_mem_lock_all(s);
    dropped = pages_drop(dma, &drop);
    vgsp_mem_unlock_all(s);
    trace_vgsp_dma_unmap(drop.first, drop.last, dropped);
    if (dma->forgot) {
        dma->forgot = false;
        vgsp_shadows_memory_changed(s);
    } else if (drop.mapped) {
        vgsp_shadows_dma_unmapped(s, drop.first, drop.last);
    }
}

static void dma_set_iommu(VgspState *s, IOMMUMemoryRegion *iommu)
{
    VgspDma *dma = s->dma;
    IOMMUMemoryRegion *old = dma->iommu;
    Error *err = NULL;

    vgsp_mem_lock_all(s);
    g_hash_table_remove_all(dma->pages);
    dma->iommu = NULL;
    vgsp_mem_unlock_all(s);
    if (old) {
        memory_region_unregister_iommu_notifier(MEMORY_REGION(old),
                                                &dma->notifier);
        memory_region_unref(MEMORY_REGION(old));
    }
    if (!iommu) {
        return;
    }
    iommu_notifier_init(&dma->notifier, iommu_unmap, IOMMU_NOTIFIER_UNMAP, 0,
                        HWADDR_MAX,
                        memory_region_iommu_attrs_to_index(iommu, DMA_ATTRS));
    if (memory_region_register_iommu_notifier(MEMORY_REGION(iommu),
                                              &dma->notifier, &err) < 0) {
        /* It would not say what it unmaps: no DMA then, rather than that. */
        warn_report_err(err);
        return;
    }
    memory_region_ref(MEMORY_REGION(iommu));
    if (!dma->has_system) {
        dma->has_system = true;
        ram_init(s, &dma->system, &address_space_memory, false);
    }
    vgsp_mem_lock_all(s);
    dma->iommu = iommu;
    vgsp_mem_unlock_all(s);
}

/* ---- Life ---- */

void vgsp_dma_init(VgspState *s)
{
    VgspDma *dma = g_new0(VgspDma, 1);

    s->dma = dma;
    dma->pages = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                       NULL);
    qemu_mutex_init(&dma->miss_lock);
    qemu_cond_init(&dma->miss_done);
    QSIMPLEQ_INIT(&dma->misses);
    dma->miss_bh = qemu_bh_new(miss_bh, s);
    ram_init(s, &dma->bus, pci_get_address_space(PCI_DEVICE(s)), true);
}

void vgsp_dma_exit(VgspState *s)
{
    VgspDma *dma = s->dma;

    ram_exit(&dma->bus);
    dma_set_iommu(s, NULL);
    if (dma->has_system) {
        ram_exit(&dma->system);
    }
    qemu_bh_delete(dma->miss_bh);
    g_hash_table_unref(dma->pages);
    qemu_cond_destroy(&dma->miss_done);
    qemu_mutex_destroy(&dma->miss_lock);
    g_clear_pointer(&s->dma, g_free);
}
