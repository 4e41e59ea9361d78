/*
 * BAR0: dispatch of accesses to register blocks by 4 KiB page, and the account
 * of registers that no block models.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "qemu/log.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "qapi/util.h"
#include "device/regs.h"
#include "owner/executor.h"
#include "trace.h"

#define REGS_PAGE_BITS  12
#define REGS_PAGES      (VGSP_BAR0_SIZE >> REGS_PAGE_BITS)

/* Distinct unknown registers that are told apart; the rest is only summed. */
#define UNKNOWN_MAX     4096

typedef struct UnknownReg {
    uint64_t reads, writes;
} UnknownReg;

struct VgspRegs {
    const VgspRegBlock *page[REGS_PAGES];
    VgspRegFile file;
    GHashTable *unknown;        /* register -> UnknownReg */
    /*
     * Time in handlers is taken in host ticks, the cheapest clock there is,
     * and converted by the rate seen since the device was made.
     */
    uint64_t ticks;
    int64_t start_ticks, start_ns;
};

static const VgspRegBlock *const blocks[] = {
    &vgsp_regs_pmc, &vgsp_regs_pbus, &vgsp_regs_ptimer, &vgsp_regs_pfb,
    &vgsp_regs_pfb_gap, &vgsp_regs_prom, &vgsp_regs_pramin, &vgsp_regs_pcfg,
    &vgsp_regs_fuse, &vgsp_regs_strap, &vgsp_regs_gfw, &vgsp_regs_vfn,
    &vgsp_regs_usermode, &vgsp_regs_pdisp, &vgsp_regs_vga, &vgsp_regs_uflush,
    &vgsp_regs_pmu, &vgsp_regs_sec2, &vgsp_regs_gsp,
};

VgspRegFile *vgsp_reg_file(VgspState *s)
{
    return &s->regs->file;
}

static void reg_unknown(VgspState *s, uint32_t reg, bool is_write)
{
    GHashTable *unknown = s->regs->unknown;
    UnknownReg *u = g_hash_table_lookup(unknown, GUINT_TO_POINTER(reg));

    qatomic_inc(&s->stats.mmio_unknown);
    if (!u) {
        if (g_hash_table_size(unknown) >= UNKNOWN_MAX) {
            return;
        }
        u = g_new0(UnknownReg, 1);
        g_hash_table_insert(unknown, GUINT_TO_POINTER(reg), u);
    }
    if (is_write) {
        u->writes++;
    } else {
        u->reads++;
    }
}

uint32_t vgsp_reg_unknown_read(VgspState *s, uint32_t reg)
{
    reg_unknown(s, reg, false);
    trace_vgsp_mmio_unknown_read(reg);
    return 0;
}

void vgsp_reg_unknown_write(VgspState *s, uint32_t reg, uint32_t val)
{
    reg_unknown(s, reg, true);
    trace_vgsp_mmio_unknown_write(reg, val);
}

static uint32_t block_read(VgspState *s, const VgspRegBlock *b, uint32_t reg)
{
    return b && b->read ? b->read(s, reg) : vgsp_reg_unknown_read(s, reg);
}

static void block_write(VgspState *s, const VgspRegBlock *b, uint32_t reg,
                        uint32_t val)
{
    if (b && b->write) {
        b->write(s, reg, val);
    } else {
        vgsp_reg_unknown_write(s, reg, val);
    }
}

uint32_t vgsp_reg_read(VgspState *s, uint32_t reg)
{
    uint8_t buf[4] = { 0 };
    const VgspRegBlock *b;

    reg &= (VGSP_BAR0_SIZE - 1) & ~3u;
    b = s->regs->page[reg >> REGS_PAGE_BITS];
    if (b && b->access && b->access(s, reg, buf, sizeof(buf), false)) {
        return vgsp_le32(buf);
    }
    return block_read(s, b, reg);
}

void vgsp_reg_write(VgspState *s, uint32_t reg, uint32_t val)
{
    uint8_t buf[4];
    const VgspRegBlock *b;

    reg &= (VGSP_BAR0_SIZE - 1) & ~3u;
    b = s->regs->page[reg >> REGS_PAGE_BITS];
    vgsp_put_le32(buf, val);
    if (b && b->access && b->access(s, reg, buf, sizeof(buf), true)) {
        return;
    }
    block_write(s, b, reg, val);
}

static uint64_t regs_read(void *opaque, hwaddr addr, unsigned size)
{
    VgspState *s = opaque;
    int64_t start = cpu_get_host_ticks();
    const VgspRegBlock *b;
    uint64_t val;

    if (unlikely(!s->regs)) {
        return UINT64_MAX;      /* unplugged while this access was on its way */
    }
    b = s->regs->page[addr >> REGS_PAGE_BITS];
    qatomic_set(&s->stats.mmio_reads, s->stats.mmio_reads + 1);
    if (b && b->access) {
        uint8_t buf[8] = { 0 };

        if (b->access(s, addr, buf, size, false)) {
            val = vgsp_le64(buf);
            goto out;
        }
    }
    val = block_read(s, b, addr & ~3u);
    if (size < 4) {
        val = extract32(val, (addr & 3) * 8, size * 8);
    }
out:
    trace_vgsp_mmio_read(addr, size, val);
    s->regs->ticks += cpu_get_host_ticks() - start;
    return val;
}

static void regs_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    VgspState *s = opaque;
    int64_t start = cpu_get_host_ticks();
    const VgspRegBlock *b;

    if (unlikely(!s->regs)) {
        return;
    }
    b = s->regs->page[addr >> REGS_PAGE_BITS];
    qatomic_set(&s->stats.mmio_writes, s->stats.mmio_writes + 1);
    trace_vgsp_mmio_write(addr, size, val);
    if (b && b->access) {
        uint8_t buf[8];

        vgsp_put_le64(buf, val);
        if (b->access(s, addr, buf, size, true)) {
            goto out;
        }
    }
    if (size < 4) {
        val = deposit32(block_read(s, b, addr & ~3u), (addr & 3) * 8,
                        size * 8, val);
    }
    block_write(s, b, addr & ~3u, val);
out:
    /*
     * A write to the mirror of configuration space may unmask MSI-X, whose
     * message goes wherever the guest likes and so may unplug the device.
     */
    if (likely(s->regs)) {
        s->regs->ticks += cpu_get_host_ticks() - start;
    }
}

/* The registers are 32 bits wide: the core splits wider accesses. */
static const MemoryRegionOps regs_ops = {
    .read = regs_read,
    .write = regs_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 8 },
    .impl = { .min_access_size = 1, .max_access_size = 4 },
};

uint64_t vgsp_regs_device_ns(VgspState *s)
{
    VgspRegs *r = s->regs;
    int64_t ticks, ns;

    if (!r) {
        return 0;
    }
    ticks = cpu_get_host_ticks() - r->start_ticks;
    ns = get_clock() - r->start_ns;
    return ticks > 0 ? (double)r->ticks * ns / ticks : 0;
}

static gint compare_regs(gconstpointer a, gconstpointer b)
{
    guint x = GPOINTER_TO_UINT(a), y = GPOINTER_TO_UINT(b);

    return x < y ? -1 : x > y;
}

strList *vgsp_regs_unknown_list(VgspState *s)
{
    g_autoptr(GList) keys = NULL;
    strList *list = NULL, **tail = &list;

    if (!s->regs) {
        return NULL;
    }
    keys = g_list_sort(g_hash_table_get_keys(s->regs->unknown), compare_regs);
    for (GList *l = keys; l; l = l->next) {
        UnknownReg *u = g_hash_table_lookup(s->regs->unknown, l->data);

        QAPI_LIST_APPEND(tail, g_strdup_printf(
            "0x%06x reads=%" PRIu64 " writes=%" PRIu64,
            GPOINTER_TO_UINT(l->data), u->reads, u->writes));
    }
    return list;
}

void vgsp_regs_init(VgspState *s, MemoryRegion *bar0)
{
    VgspRegs *r = g_new0(VgspRegs, 1);

    for (unsigned i = 0; i < ARRAY_SIZE(blocks); i++) {
        const VgspRegBlock *b = blocks[i];

        assert(!((b->base | b->size) & ((1u << REGS_PAGE_BITS) - 1)));
        for (uint32_t a = b->base; a < b->base + b->size;
             a += 1u << REGS_PAGE_BITS) {
            assert(!r->page[a >> REGS_PAGE_BITS]);
            r->page[a >> REGS_PAGE_BITS] = b;
        }
    }
    r->unknown = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    r->start_ticks = cpu_get_host_ticks();
    r->start_ns = get_clock();
    s->regs = r;
    memory_region_init_io(bar0, OBJECT(s), &regs_ops, s, "vgsp-bar0",
                          VGSP_BAR0_SIZE);
}

void vgsp_regs_reset(VgspState *s)
{
    memset(&s->regs->file, 0, sizeof(s->regs->file));
    for (unsigned i = 0; i < ARRAY_SIZE(blocks); i++) {
        if (blocks[i]->reset) {
            blocks[i]->reset(s);
        }
    }
}

void vgsp_regs_exit(VgspState *s)
{
    g_hash_table_destroy(s->regs->unknown);
    g_clear_pointer(&s->regs, g_free);
}
