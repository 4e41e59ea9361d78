/*
 * BAR1 and BAR2. Each window is an I/O region, whose accesses walk the guest's
 * page tables, under aliases of the memory that these tables map.
 *
 * The tables are walked when a window is bound and when the guest invalidates
 * the TLB: then the aliases follow in one transaction, changed where the walk
 * differs from the last one. All state here belongs to the BQL.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/log.h"
#include "qemu/lockable.h"
#include "qemu/main-loop.h"
#include "qemu/queue.h"
#include "qemu/thread.h"
#include "qemu/units.h"
#include "device/aperture.h"
#include "device/memory.h"
#include "owner/executor.h"
#include "owner/shadow.h"
#include "trace.h"

/* A run of pages, contiguous in the window and in memory. */
typedef struct VgspRange {
    uint64_t va, len, pa;
    uint64_t system;            /* in system memory, else in VRAM */
} VgspRange;

/* A reusable alias. It holds a reference to its target. */
typedef struct Alias {
    MemoryRegion mr;
    MemoryRegion *target;
} Alias;

/* A range that is to be mapped; no alias where it has no RAM behind it. */
typedef struct Direct {
    VgspRange range;
    Alias *alias;
} Direct;

typedef struct Window {
    MemoryRegion *bar;
    uint64_t size;
    bool physical, bound;
    VgspPdb pdb;                /* when bound and not physical */
    uint64_t identity;
    GArray *ranges;             /* VgspRange: what is mapped, in VA order */
    GArray *directs;            /* Direct: what is or should be aliased */
} Window;

/* A posted invalidation. */
typedef struct InvalidateAsync {
    VgspInvalidate inv;
    void (*done)(void *opaque);
    void *opaque;
    QSIMPLEQ_ENTRY(InvalidateAsync) next;
} InvalidateAsync;

struct VgspApertures {
    VgspState *s;
    Window window[VGSP_BAR_COUNT];
    GArray *scratch;            /* VgspRange: the walk under way */
    GPtrArray *free_vram, *free_system; /* Alias: not in use */
    unsigned created;           /* names aliases */
    unsigned directs;           /* in both windows, counted in all_directs */
    unsigned system_ranges;     /* ranges in system memory, both windows */
    MemoryListener listener;
    QEMUBH *bh;
    /* Invalidations of other threads, for which one bottom half runs. */
    QemuMutex pending_lock;
    QSIMPLEQ_HEAD(, InvalidateAsync) pending;
    QEMUBH *pending_bh;
};

/* In all devices of the process. */
static unsigned all_directs;

/* ---- aliases ---- */

static Alias *alias_get(VgspState *s, MemoryRegion *target)
{
    VgspApertures *ap = s->apertures;
    GPtrArray *pool = target == s->vram ? ap->free_vram : ap->free_system;
    g_autofree char *name = NULL;
    Alias *a;

    if (pool->len) {
        a = g_ptr_array_steal_index_fast(pool, pool->len - 1);
        if (a->target == target) {
            return a;
        }
        object_unparent(OBJECT(&a->mr));
        memory_region_unref(a->target);
        g_free(a);
    }
    a = g_new0(Alias, 1);
    name = g_strdup_printf("vgsp-direct-%u", ap->created++);
    memory_region_ref(target);
    a->target = target;
    memory_region_init_alias(&a->mr, OBJECT(s), name, target, 0, 0);
    return a;
}

static void alias_destroy(gpointer opaque)
{
    Alias *a = opaque;

    /* An alias may go at any time: views hold references to targets only. */
    object_unparent(OBJECT(&a->mr));
    memory_region_unref(a->target);
    g_free(a);
}

/* Whether [addr, addr + len) touches a BAR of this device. */
static bool in_own_bars(VgspState *s, uint64_t addr, uint64_t len)
{
    PCIDevice *pdev = PCI_DEVICE(s);

    for (int i = 0; i < PCI_NUM_REGIONS; i++) {
        PCIIORegion *r = &pdev->io_regions[i];

        if (r->size && r->addr != PCI_BAR_UNMAPPED &&
            !(r->type & PCI_BASE_ADDRESS_SPACE_IO) &&
            ranges_overlap(r->addr, r->size, addr, len)) {
            return true;
        }
    }
    return false;
}

/*
 * Maps @d if RAM is behind it. System memory is looked up as the device's DMA
 * would find it, so there is none without bus mastering;
 * the alias names the RAM itself, never a window to it such as our own BAR.
 */
static void direct_map(VgspState *s, Window *w, Direct *d)
{
    const VgspRange *r = &d->range;
    MemoryRegion *target = s->vram;
    uint64_t offset = r->pa, len = r->len;
    MemoryRegionSection sec = { 0 };

    if (r->system) {
        if (!(pci_get_word(PCI_DEVICE(s)->config + PCI_COMMAND) &
              PCI_COMMAND_MASTER) || in_own_bars(s, r->pa, r->len)) {
            return;             /* no DMA: what it would look up is empty */
        }
        sec = memory_region_find(&PCI_DEVICE(s)->bus_master_container_region,
                                 r->pa, r->len);
        if (!sec.mr) {
            return;
        }
        if (sec.offset_within_address_space != r->pa || sec.readonly ||
            !memory_region_is_ram(sec.mr) ||
            memory_region_is_ram_device(sec.mr)) {
            memory_region_unref(sec.mr);
            return;
        }
        target = sec.mr;
        offset = sec.offset_within_region;
        len = int128_get64(sec.size);
    }
    d->alias = alias_get(s, target);
    memory_region_set_alias_offset(&d->alias->mr, offset);
    memory_region_set_size(&d->alias->mr, len);
    memory_region_add_subregion_overlap(w->bar, r->va, &d->alias->mr, 1);
    if (r->system) {
        memory_region_unref(sec.mr);
    }
}

static void direct_unmap(VgspState *s, Window *w, Direct *d)
{
    VgspApertures *ap = s->apertures;

    if (d->alias) {
        memory_region_del_subregion(w->bar, &d->alias->mr);
        g_ptr_array_add(d->alias->target == s->vram ? ap->free_vram
                                                    : ap->free_system,
                        d->alias);
        d->alias = NULL;
    }
}

/* ---- which ranges ---- */

/*
 * Fills @out with at most @budget of the ranges of both windows, the largest
 * first. Where not all of one length fit, those at lower addresses do, so the
 * choice is stable.
 */
static void select_ranges(VgspApertures *ap, unsigned budget,
                          GArray *out[VGSP_BAR_COUNT])
{
    unsigned total = 0, equal = UINT_MAX;
    uint64_t threshold = 0;

    for (unsigned b = 0; b < VGSP_BAR_COUNT; b++) {
        total += ap->window[b].ranges->len;
    }
    if (total > budget) {
        const size_t pages = VGSP_BAR1_SIZE / (4 * KiB);
        g_autofree uint32_t *count = g_new0(uint32_t, pages + 1);
        size_t n = pages;

        for (unsigned b = 0; b < VGSP_BAR_COUNT; b++) {
            GArray *ranges = ap->window[b].ranges;

            for (unsigned i = 0; i < ranges->len; i++) {
                count[g_array_index(ranges, VgspRange, i).len / (4 * KiB)]++;
            }
        }
        /* All that are longer than n pages fit, and some of n pages. */
        for (equal = budget; n && count[n] <= equal; n--) {
            equal -= count[n];
        }
        threshold = n * (4 * KiB);
    }
    for (unsigned b = 0; b < VGSP_BAR_COUNT; b++) {
        GArray *ranges = ap->window[b].ranges;

        for (unsigned i = 0; i < ranges->len; i++) {
            const VgspRange *r = &g_array_index(ranges, VgspRange, i);

            if (r->len > threshold || (r->len == threshold && equal)) {
                Direct d = { .range = *r };

                equal -= r->len == threshold;
                g_array_append_val(out[b], d);
            }
        }
    }
}

static bool range_equal(const VgspRange *a, const VgspRange *b)
{
    return !memcmp(a, b, sizeof(*a));
}

/*
 * Makes the aliases follow the windows' ranges. What stays is found by a merge
 * of the old and the new list, both in VA order; the rest is first unmapped,
 * which fills the pool, then mapped.
 */
static void apertures_remap(VgspState *s)
{
    VgspApertures *ap = s->apertures;
    unsigned budget, kept = 0, removed = 0, total = 0;
    GArray *next[VGSP_BAR_COUNT];

    all_directs -= ap->directs;
    budget = MIN(VGSP_APERTURE_MAX_RANGES,
                 VGSP_APERTURE_MAX_RANGES_ALL - all_directs);
    ap->directs = 0;
    ap->system_ranges = 0;
    for (unsigned b = 0; b < VGSP_BAR_COUNT; b++) {
        next[b] = g_array_new(false, false, sizeof(Direct));
        total += ap->window[b].ranges->len;
    }
    select_ranges(ap, budget, next);

    memory_region_transaction_begin();
    for (unsigned b = 0; b < VGSP_BAR_COUNT; b++) {
        Window *w = &ap->window[b];

        for (unsigned i = 0, j = 0; i < w->directs->len; i++) {
            Direct *old = &g_array_index(w->directs, Direct, i);
            Direct *new = NULL;

            while (j < next[b]->len) {
                new = &g_array_index(next[b], Direct, j);
                if (new->range.va >= old->range.va) {
                    break;
                }
                j++;
            }
            if (j < next[b]->len && range_equal(&new->range, &old->range) &&
                old->alias) {
                new->alias = g_steal_pointer(&old->alias);
                kept++;
            } else {
                direct_unmap(s, w, old);
                removed++;
            }
        }
    }
    for (unsigned b = 0; b < VGSP_BAR_COUNT; b++) {
        Window *w = &ap->window[b];

        g_array_unref(w->directs);
        w->directs = next[b];
        ap->directs += next[b]->len;
        for (unsigned i = 0; i < next[b]->len; i++) {
            Direct *d = &g_array_index(next[b], Direct, i);

            ap->system_ranges += d->range.system;
            if (!d->alias) {
                direct_map(s, w, d);
            }
        }
    }
    memory_region_transaction_commit();
    all_directs += ap->directs;
    trace_vgsp_bar_remap(kept, removed, ap->directs - kept,
                         total - ap->directs);
}

/* ---- walks ---- */

typedef struct WalkState {
    VgspState *s;
    GArray *out;
} WalkState;

static bool walk_visit(void *opaque, const VgspMapping *m)
{
    WalkState *walk = opaque;
    VgspRange r = {
        .va = m->va,
        .len = m->size,
        .pa = m->pa,
        .system = m->aperture != VGSP_APERTURE_VIDEO,
    };
    VgspRange *last;

    /*
     * A read-only alias would bind CPUs only, and let the writes of other
     * devices through: such pages, rare in a BAR, trap. So do those whose
     * bytes the executor's chip keeps in another order.
     */
    if (m->sparse || m->read_only ||
        vgsp_executor_order(walk->s->executor, m->kind)) {
        return true;
    }
    if (!r.system) {
        if (r.pa >= walk->s->vram_size) {
            return true;
        }
        r.len = MIN(r.len, walk->s->vram_size - r.pa);
    }
    if (walk->out->len) {
        last = &g_array_index(walk->out, VgspRange, walk->out->len - 1);
        if (last->va + last->len == r.va && last->pa + last->len == r.pa &&
            last->system == r.system) {
            last->len += r.len;
            return true;
        }
    }
    g_array_append_val(walk->out, r);
    return true;
}

/* Walks the window's tables again; true if its ranges are others now. */
static bool window_walk(VgspState *s, Window *w)
{
    VgspApertures *ap = s->apertures;
    WalkState walk = { .s = s, .out = ap->scratch };
    bool same;

    g_array_set_size(walk.out, 0);
    if (w->physical) {
        VgspRange r = { .len = MIN(w->size, s->vram_size) };

        g_array_append_val(walk.out, r);
    } else if (w->bound) {
        vgsp_gmmu_walk_range(&vgsp_gmmu_ops, s, &w->pdb, 0, w->size,
                             VGSP_GMMU_NO_LIMIT, walk_visit, &walk);
    }
    same = walk.out->len == w->ranges->len &&
           (!walk.out->len ||
            !memcmp(walk.out->data, w->ranges->data,
                    walk.out->len * sizeof(VgspRange)));
    if (!same) {
        ap->scratch = w->ranges;
        w->ranges = walk.out;
    }
    return !same;
}

void vgsp_bar_bind(VgspState *s, VgspBarIndex bar, const VgspPdb *pdb,
                   uint64_t identity)
{
    Window *w = &s->apertures->window[bar];

    w->physical = false;
    w->bound = pdb != NULL;
    w->pdb = pdb ? *pdb : (VgspPdb) { 0 };
    w->identity = identity;
    trace_vgsp_bar_bind(bar + 1, w->bound ? "virtual" : "unbound", identity);
    if (window_walk(s, w)) {
        apertures_remap(s);
    }
}

void vgsp_bar_bind_physical(VgspState *s, VgspBarIndex bar)
{
    Window *w = &s->apertures->window[bar];

    w->physical = true;
    w->bound = true;
    trace_vgsp_bar_bind(bar + 1, "physical", 0);
    if (window_walk(s, w)) {
        apertures_remap(s);
    }
}

static bool invalidate_concerns(const VgspInvalidate *inv, const Window *w)
{
    if (w->physical || !w->bound) {
        return false;
    }
    if (!inv->all_va && (inv->va >= w->size || !inv->len)) {
        return false;
    }
    return inv->all_pdb ||
           (inv->pdb.addr == w->identity &&
            (inv->pdb.aperture == VGSP_APERTURE_VIDEO) ==
            (w->pdb.aperture == VGSP_APERTURE_VIDEO));
}

/* Walks the windows of the mask @which again. */
static void invalidate_windows(VgspState *s, unsigned which)
{
    VgspApertures *ap = s->apertures;
    bool changed = false;

    for (unsigned b = 0; b < VGSP_BAR_COUNT; b++) {
        if (which & (1u << b)) {
            changed |= window_walk(s, &ap->window[b]);
        }
    }
    if (changed) {
        apertures_remap(s);
    }
}

/*
 * Counts @inv, drops translations, and notes the shadow spaces that it
 * concerns. Returns the windows that it concerns, a mask.
 */
static unsigned invalidate_note(VgspState *s, const VgspInvalidate *inv)
{
    unsigned which = 0;

    qatomic_inc(&s->stats.invalidates);
    vgsp_mem_invalidate(s, inv);
    vgsp_shadows_mark(s, inv);
    for (unsigned b = 0; b < VGSP_BAR_COUNT; b++) {
        if (invalidate_concerns(inv, &s->apertures->window[b])) {
            which |= 1u << b;
        }
    }
    trace_vgsp_invalidate(inv->all_pdb, inv->pdb.addr, which);
    return which;
}

void vgsp_invalidate(VgspState *s, const VgspInvalidate *inv)
{
    invalidate_windows(s, invalidate_note(s, inv));
    vgsp_shadows_sync(s);
}

/*
 * Thousands of channels may wait at a time. What they ask of a window or of a
 * space is one walk of it, which sees what each of them wrote before it asked.
 */
static void invalidate_bh(void *opaque)
{
    VgspState *s = opaque;
    VgspApertures *ap = s->apertures;
    QSIMPLEQ_HEAD(, InvalidateAsync) batch = QSIMPLEQ_HEAD_INITIALIZER(batch);
    InvalidateAsync *req;
    unsigned which = 0;

    WITH_QEMU_LOCK_GUARD(&ap->pending_lock) {
        QSIMPLEQ_CONCAT(&batch, &ap->pending);
    }
    QSIMPLEQ_FOREACH(req, &batch, next) {
        which |= invalidate_note(s, &req->inv);
    }
    invalidate_windows(s, which);
    vgsp_shadows_sync(s);
    while ((req = QSIMPLEQ_FIRST(&batch))) {
        QSIMPLEQ_REMOVE_HEAD(&batch, next);
        req->done(req->opaque);
        g_free(req);
    }
}

void vgsp_invalidate_async(VgspState *s, const VgspInvalidate *inv,
                           void (*done)(void *opaque), void *opaque)
{
    VgspApertures *ap = s->apertures;
    InvalidateAsync *req = g_new(InvalidateAsync, 1);

    *req = (InvalidateAsync) { .inv = *inv, .done = done, .opaque = opaque };
    WITH_QEMU_LOCK_GUARD(&ap->pending_lock) {
        QSIMPLEQ_INSERT_TAIL(&ap->pending, req, next);
    }
    qemu_bh_schedule(ap->pending_bh);
}

bool vgsp_bar_space_write(VgspState *s, VgspBarIndex bar, uint64_t va,
                          const void *buf, size_t len)
{
    const Window *w = &s->apertures->window[bar];

    if (w->physical) {
        return vgsp_vram_write(s, va, buf, len);
    }
    return w->bound && vgsp_va_write(s, &w->pdb, true, va, buf, len, NULL);
}

/* ---- accesses that are not mapped ---- */

static bool window_translate(VgspState *s, VgspBarIndex bar, uint64_t addr,
                             VgspGmmuAccess access, VgspMapping *m)
{
    Window *w = &s->apertures->window[bar];
    VgspGmmuFault fault = VGSP_GMMU_FAULT_UNBOUND_INST_BLOCK;

    if (w->physical) {
        *m = (VgspMapping) { .size = w->size };
        return true;
    }
    if (w->bound) {
        fault = vgsp_gmmu_walk(&vgsp_gmmu_ops, s, &w->pdb, addr, m);
        if (fault == VGSP_GMMU_OK) {
            fault = vgsp_gmmu_check(m, access, true);
        }
    }
    if (fault == VGSP_GMMU_OK) {
        return true;
    }
    trace_vgsp_bar_fault(bar + 1, addr, vgsp_gmmu_fault_name(fault));
    qemu_log_mask(LOG_GUEST_ERROR,
                  "vgsp: BAR%d access at 0x%" PRIx64 " faults: %s\n",
                  bar + 1, addr, vgsp_gmmu_fault_name(fault));
    return false;
}

/* Of at most 8 bytes, in the order in which the executor's chip keeps them. */
static void window_access(VgspState *s, const VgspMapping *m, hwaddr addr,
                          uint8_t *buf, unsigned size, bool is_write)
{
    const VgspKindOrder *order =
        vgsp_executor_order(s->executor, m->kind);
    unsigned step = order ? 1 : size;

    for (unsigned i = 0; i < size; i += step) {
        uint64_t pa = m->pa + (addr - m->va) + i;

        if (order && !vgsp_kind_place(order, pa, &pa)) {
            continue;           /* not kept */
        }
        if (is_write) {
            vgsp_mem_write(s, m->aperture, pa, buf + i, step);
        } else {
            vgsp_mem_read(s, m->aperture, pa, buf + i, step);
        }
    }
}

/* An access that faults, or that finds no memory, reads zero. */
static uint64_t window_read(VgspState *s, VgspBarIndex bar, hwaddr addr,
                            unsigned size)
{
    uint8_t buf[8] = { 0 };
    VgspMapping m;

    if (!s->apertures) {
        return 0;               /* unplugged */
    }
    qatomic_inc(&s->stats.bar_traps);
    if (window_translate(s, bar, addr, VGSP_GMMU_ACCESS_READ, &m) &&
        !m.sparse) {
        window_access(s, &m, addr, buf, size, false);
    }
    trace_vgsp_bar_read(bar + 1, addr, size, vgsp_le64(buf));
    return vgsp_le64(buf);
}

static void window_write(VgspState *s, VgspBarIndex bar, hwaddr addr,
                         uint64_t val, unsigned size)
{
    uint8_t buf[8];
    VgspMapping m;

    if (!s->apertures) {
        return;                 /* unplugged */
    }
    qatomic_inc(&s->stats.bar_traps);
    trace_vgsp_bar_write(bar + 1, addr, size, val);
    vgsp_put_le64(buf, val);
    if (window_translate(s, bar, addr, VGSP_GMMU_ACCESS_WRITE, &m) &&
        !m.sparse) {
        window_access(s, &m, addr, buf, size, true);
    }
}

static uint64_t bar1_read(void *opaque, hwaddr addr, unsigned size)
{
    return window_read(opaque, VGSP_BAR1, addr, size);
}

static void bar1_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    window_write(opaque, VGSP_BAR1, addr, val, size);
}

static uint64_t bar2_read(void *opaque, hwaddr addr, unsigned size)
{
    return window_read(opaque, VGSP_BAR2, addr, size);
}

static void bar2_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    window_write(opaque, VGSP_BAR2, addr, val, size);
}

static const MemoryRegionOps window_ops[VGSP_BAR_COUNT] = {
    [VGSP_BAR1] = {
        .read = bar1_read,
        .write = bar1_write,
        .endianness = DEVICE_LITTLE_ENDIAN,
        .valid = { .min_access_size = 1, .max_access_size = 8 },
        .impl = { .min_access_size = 1, .max_access_size = 8 },
    },
    [VGSP_BAR2] = {
        .read = bar2_read,
        .write = bar2_write,
        .endianness = DEVICE_LITTLE_ENDIAN,
        .valid = { .min_access_size = 1, .max_access_size = 8 },
        .impl = { .min_access_size = 1, .max_access_size = 8 },
    },
};

/* ---- changes of system memory ---- */

/* Looks all system memory up again. */
static void system_memory_bh(void *opaque)
{
    VgspState *s = opaque;
    VgspApertures *ap = s->apertures;

    memory_region_transaction_begin();
    for (unsigned b = 0; b < VGSP_BAR_COUNT; b++) {
        Window *w = &ap->window[b];

        for (unsigned i = 0; i < w->directs->len; i++) {
            Direct *d = &g_array_index(w->directs, Direct, i);

            if (d->range.system) {
                direct_unmap(s, w, d);
            }
        }
    }
    g_ptr_array_set_size(ap->free_system, 0);
    apertures_remap(s);
    memory_region_transaction_commit();
}

static void system_memory_changed(MemoryListener *listener,
                                  MemoryRegionSection *section)
{
    VgspApertures *ap = container_of(listener, VgspApertures, listener);

    if ((ap->system_ranges || ap->free_system->len) &&
        memory_region_is_ram(section->mr) &&
        !in_own_bars(ap->s, section->offset_within_address_space,
                     int128_get64(section->size))) {
        qemu_bh_schedule(ap->bh);
    }
}

/* ---- life ---- */

static void window_init(VgspState *s, VgspBarIndex bar, MemoryRegion *mr,
                        const char *name, uint64_t size)
{
    Window *w = &s->apertures->window[bar];

    w->bar = mr;
    w->size = size;
    w->ranges = g_array_new(false, false, sizeof(VgspRange));
    w->directs = g_array_new(false, false, sizeof(Direct));
    memory_region_init_io(mr, OBJECT(s), &window_ops[bar], s, name, size);
}

void vgsp_apertures_init(VgspState *s)
{
    VgspApertures *ap = g_new0(VgspApertures, 1);

    s->apertures = ap;
    ap->s = s;
    ap->scratch = g_array_new(false, false, sizeof(VgspRange));
    ap->free_vram = g_ptr_array_new_with_free_func(alias_destroy);
    ap->free_system = g_ptr_array_new_with_free_func(alias_destroy);
    ap->bh = qemu_bh_new(system_memory_bh, s);
    qemu_mutex_init(&ap->pending_lock);
    QSIMPLEQ_INIT(&ap->pending);
    ap->pending_bh = qemu_bh_new(invalidate_bh, s);
    window_init(s, VGSP_BAR1, &s->bar1, "vgsp-bar1", VGSP_BAR1_SIZE);
    window_init(s, VGSP_BAR2, &s->bar3, "vgsp-bar2", VGSP_BAR3_SIZE);
    ap->listener = (MemoryListener) {
        .name = "vgsp",
        .region_add = system_memory_changed,
        .region_del = system_memory_changed,
    };
    memory_listener_register(&ap->listener,
                             pci_get_address_space(PCI_DEVICE(s)));
}

void vgsp_apertures_reset(VgspState *s)
{
    for (unsigned b = 0; b < VGSP_BAR_COUNT; b++) {
        vgsp_bar_bind_physical(s, b);
    }
}

void vgsp_apertures_exit(VgspState *s)
{
    VgspApertures *ap = s->apertures;

    /* No thread asks any more, and who did is told that it is over. */
    invalidate_bh(s);
    qemu_bh_delete(ap->pending_bh);
    qemu_mutex_destroy(&ap->pending_lock);
    memory_listener_unregister(&ap->listener);
    qemu_bh_delete(ap->bh);
    memory_region_transaction_begin();
    for (unsigned b = 0; b < VGSP_BAR_COUNT; b++) {
        Window *w = &ap->window[b];

        for (unsigned i = 0; i < w->directs->len; i++) {
            direct_unmap(s, w, &g_array_index(w->directs, Direct, i));
        }
        g_array_unref(w->directs);
        g_array_unref(w->ranges);
    }
    memory_region_transaction_commit();
    all_directs -= ap->directs;
    g_ptr_array_unref(ap->free_vram);
    g_ptr_array_unref(ap->free_system);
    g_array_unref(ap->scratch);
    g_clear_pointer(&s->apertures, g_free);
}
