/*
 * Booter, the ucode on SEC2 that loads GSP-RM into WPR2 and takes it out
 * again, by effect: it checks what the driver hands over (GspFwWprMeta and the
 * radix3 page list, or GspFwSRMeta for suspend), sets or clears WPR2, and
 * starts GSP's RISC-V core. Nothing is copied: GSP-RM is emulated.
 * Specified by NVIDIA's kernel_gsp_booter_tu102.c and nouveau's
 * gsp/tu102.c; docs/gsp.md has the failure codes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/ctype.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/log.h"
#include "qemu/units.h"
#include "device/memory.h"
#include "gsp/gsp-int.h"
#include "trace.h"

#define RADIX_PAGE      LIBOS_MEMORY_REGION_RADIX_PAGE_SIZE
#define RADIX_ENTRIES   LIBOS_MEMORY_REGION_RADIX_ENTRIES
/* Level 1 is a single page. */
#define RADIX_MAX       ((uint64_t)RADIX_ENTRIES * RADIX_ENTRIES * RADIX_PAGE)

/* A signature is a few KiB; this only bounds the read. */
#define SIGNATURE_MAX   (64 * KiB)
#define BOOTLOADER_MAX  (16 * MiB)
/* How much of an unknown image is searched for its version. */
#define VERSION_SEARCH_MAX (64 * MiB)
/* Lines about it that a guest can put into the host's log. */
#define UNKNOWN_REPORTS_MAX 8

QEMU_BUILD_BUG_ON(sizeof(GspFwWprMeta) != sizeof(GspFwSRMeta));

typedef struct WprMeta {
    uint64_t radix3, radix3_size;
    uint64_t boot, boot_size, boot_code, boot_data, boot_manifest;
    uint64_t sig, sig_size;
    uint64_t rsvd_start;
    uint64_t nonwpr_heap, nonwpr_heap_size;
    uint64_t wpr_start, heap, heap_size, fw, boot_bin, frts, frts_size;
    uint64_t wpr_end, fb_size, vga, vga_size;
} WprMeta;

static void wpr_meta_decode(WprMeta *m, const uint8_t *p)
{
#define META(field) vgsp_le64(p + offsetof(GspFwWprMeta, field))
    *m = (WprMeta) {
        .radix3 = META(sysmemAddrOfRadix3Elf),
        .radix3_size = META(sizeOfRadix3Elf),
        .boot = META(sysmemAddrOfBootloader),
        .boot_size = META(sizeOfBootloader),
        .boot_code = META(bootloaderCodeOffset),
        .boot_data = META(bootloaderDataOffset),
        .boot_manifest = META(bootloaderManifestOffset),
        .sig = META(sysmemAddrOfSignature),
        .sig_size = META(sizeOfSignature),
        .rsvd_start = META(gspFwRsvdStart),
        .nonwpr_heap = META(nonWprHeapOffset),
        .nonwpr_heap_size = META(nonWprHeapSize),
        .wpr_start = META(gspFwWprStart),
        .heap = META(gspFwHeapOffset),
        .heap_size = META(gspFwHeapSize),
        .fw = META(gspFwOffset),
        .boot_bin = META(bootBinOffset),
        .frts = META(frtsOffset),
        .frts_size = META(frtsSize),
        .wpr_end = META(gspFwWprEnd),
        .fb_size = META(fbSize),
        .vga = META(vgaWorkspaceOffset),
        .vga_size = META(vgaWorkspaceSize),
    };
#undef META
}

/*
 * The order that kgspCalculateFbLayout draws, bottom up; each region begins at
 * or after the end of the one before, and all lies in the frame buffer.
 */
static bool wpr_layout_ok(const WprMeta *m)
{
    const struct {
        uint64_t start, size;
    } region[] = {
        { m->rsvd_start, 0 },
        { m->nonwpr_heap, m->nonwpr_heap_size },
        { m->wpr_start, sizeof(GspFwWprMeta) },
        { m->heap, m->heap_size },
        { m->fw, m->radix3_size },
        { m->boot_bin, m->boot_size },
        { m->frts, m->frts_size },
        { m->wpr_end, 0 },
        { m->vga, m->vga_size },
    };
    uint64_t end = 0;

    for (int i = 0; i < ARRAY_SIZE(region); i++) {
        if (region[i].start < end ||
            !vgsp_range_ok(region[i].start, region[i].size, m->fb_size)) {
            return false;
        }
        end = region[i].start + region[i].size;
    }
    return m->heap_size && m->radix3_size;
}

/*
 * Visits the pages of a radix3 list: one page each at levels 0 and 1, as many
 * as it takes at level 2, and then @size bytes of content. Fails if a table
 * cannot be read, an address is not that of a page or not of memory, or
 * @visit returns false.
 */
static bool radix3_walk(VgspState *s, uint64_t level0, uint64_t size,
                        bool (*visit)(const uint8_t *page, void *opaque),
                        void *opaque)
{
    uint8_t l0[sizeof(uint64_t)], l1[RADIX_PAGE], l2[RADIX_PAGE];
    uint8_t page[RADIX_PAGE];
    uint64_t pages = DIV_ROUND_UP(size, RADIX_PAGE);
    uint64_t addr;

    if (!size || size > RADIX_MAX || level0 % RADIX_PAGE ||
        !vgsp_dma_read(s, level0, l0, sizeof(l0))) {
        return false;
    }
    addr = vgsp_le64(l0);
    if (!addr || addr % RADIX_PAGE || !vgsp_dma_read(s, addr, l1, sizeof(l1))) {
        return false;
    }
    for (uint64_t i = 0; i < pages; i++) {
        uint64_t slot = i % RADIX_ENTRIES;

        if (slot == 0) {
            addr = vgsp_le64(l1 + i / RADIX_ENTRIES * sizeof(uint64_t));
            if (!addr || addr % RADIX_PAGE ||
                !vgsp_dma_read(s, addr, l2, sizeof(l2))) {
                return false;
            }
        }
        addr = vgsp_le64(l2 + slot * sizeof(uint64_t));
        /* Without a visitor one byte shows that there is memory. */
        if (!addr || addr % RADIX_PAGE ||
            !vgsp_dma_read(s, addr, page, visit ? sizeof(page) : 1) ||
            (visit && !visit(page, opaque))) {
            return false;
        }
    }
    return true;
}

/* ---- What is said of firmware that is not known ---- */

typedef struct VersionSearch {
    char found[16];
    uint64_t left;
} VersionSearch;

static size_t digits_at(const uint8_t *p, size_t len)
{
    size_t n = 0;

    while (n < len && qemu_isdigit(p[n])) {
        n++;
    }
    return n;
}

/* "570.144" or "535.113.01" at @p, ended by a zero byte, copied to @out. */
static bool version_at(const uint8_t *p, size_t len, char *out, size_t size)
{
    size_t n = digits_at(p, len), part;

    if (n != 3) {
        return false;
    }
    for (int dots = 0; dots < 2 && n < len && p[n] == '.'; dots++) {
        part = digits_at(p + n + 1, len - n - 1);
        if (part < 2 || part > 3) {
            return false;
        }
        n += 1 + part;
    }
    if (n == 3 || n >= len || p[n] || n >= size) {
        return false;
    }
    memcpy(out, p, n + 1);
    return true;
}

static bool version_search(const uint8_t *page, void *opaque)
{
    VersionSearch *v = opaque;

    for (size_t i = 0; i + 4 < RADIX_PAGE; i++) {
        if (page[i + 3] == '.' && (i == 0 || page[i - 1] == 0) &&
            version_at(page + i, RADIX_PAGE - i, v->found,
                       sizeof(v->found))) {
            return false;
        }
    }
    v->left -= RADIX_PAGE;
    return v->left != 0;
}

/* One line for the host: the guest's driver only sees a failed boot. */
static void booter_report_unknown(VgspState *s, const WprMeta *m,
                                  const uint8_t *sig, uint32_t info_size)
{
    VersionSearch v = { .found = "none", .left = VERSION_SEARCH_MAX };
    g_autofree char *hash = NULL;

    if (s->gsp->unknown_reports >= UNKNOWN_REPORTS_MAX) {
        return;
    }
    s->gsp->unknown_reports++;
    hash = g_compute_checksum_for_data(G_CHECKSUM_SHA256, sig, m->sig_size);
    radix3_walk(s, m->radix3, m->radix3_size, version_search, &v);
    warn_report("vgsp: unknown GSP firmware: GSP_SET_SYSTEM_INFO of %" PRIu32
                " bytes, image of %" PRIu64 " bytes, signatures SHA-256 %s, "
                "version string %s", info_size, m->radix3_size, hash,
                v.found);
}

/* ---- Load ---- */

static VgspBooterError booter_load(VgspState *s, const uint8_t *meta)
{
    VgspGsp *gsp = s->gsp;
    g_autofree uint8_t *sig = NULL;
    uint32_t info_size;
    VgspBooterError err;
    uint8_t byte;
    VgspRmBoot boot;
    WprMeta m;

    if (vgsp_le64(meta + offsetof(GspFwWprMeta, revision)) !=
        GSP_FW_WPR_META_REVISION) {
        return VGSP_BOOTER_ERR_REVISION;
    }
    if (gsp->loaded) {
        return VGSP_BOOTER_ERR_STATE;
    }
    wpr_meta_decode(&m, meta);
    if (m.fb_size > s->vram_size) {
        return VGSP_BOOTER_ERR_FB_SIZE;
    }
    if (!wpr_layout_ok(&m)) {
        return VGSP_BOOTER_ERR_LAYOUT;
    }
    if (m.wpr_start % VGSP_WPR_ALIGN || m.wpr_end % VGSP_WPR_ALIGN) {
        return VGSP_BOOTER_ERR_WPR_ALIGN;
    }
    if (!gsp->wpr2.hi ||
        gsp->wpr2.lo != vgsp_wpr2(m.frts, m.frts + m.frts_size).lo ||
        gsp->wpr2.hi != vgsp_wpr2(m.frts, m.frts + m.frts_size).hi) {
        return VGSP_BOOTER_ERR_FRTS;
    }
    if (!m.boot_size || m.boot_size > BOOTLOADER_MAX ||
        m.boot_code >= m.boot_size || m.boot_data >= m.boot_size ||
        m.boot_manifest >= m.boot_size ||
        !vgsp_dma_read(s, m.boot, &byte, 1) ||
        !vgsp_dma_read(s, m.boot + m.boot_size - 1, &byte, 1)) {
        return VGSP_BOOTER_ERR_BOOTLOADER;
    }
    if (!radix3_walk(s, m.radix3, m.radix3_size, NULL, NULL)) {
        return VGSP_BOOTER_ERR_RADIX3;
    }
    if (!m.sig_size || m.sig_size > SIGNATURE_MAX) {
        return VGSP_BOOTER_ERR_SIGNATURE;
    }
    sig = g_malloc(m.sig_size);
    if (!vgsp_dma_read(s, m.sig, sig, m.sig_size) ||
        buffer_is_zero(sig, m.sig_size)) {
        return VGSP_BOOTER_ERR_SIGNATURE;
    }

    boot = (VgspRmBoot) {
        .fb_size = m.fb_size,
        .rsvd_start = m.rsvd_start,
        .nonwpr_heap_offset = m.nonwpr_heap,
        .frts_offset = m.frts,
    };
    /* GSP-RM may look at WPR2 as soon as it runs. */
    gsp->wpr2 = vgsp_wpr2(m.wpr_start, m.wpr_end);
    err = vgsp_gsp_fw_boot(s, &boot, &info_size);
    if (err) {
        gsp->wpr2 = vgsp_wpr2(m.frts, m.frts + m.frts_size);
        if (err == VGSP_BOOTER_ERR_SIGNATURE) {
            booter_report_unknown(s, &m, sig, info_size);
        }
        return err;
    }
    gsp->loaded = true;
    return VGSP_BOOTER_OK;
}

/* ---- Suspend and resume ---- */

/*
 * On hardware Booter saves WPR2 into the pages that the metadata lists, sealed
 * by a key that it keeps. Here the device keeps the state itself, and a cookie
 * in the words that the metadata reserves for Booter says which.
 */
static VgspBooterError sr_check(VgspState *s, const uint8_t *meta)
{
    if (vgsp_le64(meta + offsetof(GspFwSRMeta, revision)) !=
        GSP_FW_SR_META_REVISION) {
        return VGSP_BOOTER_ERR_REVISION;
    }
    if (!radix3_walk(s,
                     vgsp_le64(meta + offsetof(GspFwSRMeta,
                                         sysmemAddrOfSuspendResumeData)),
                     vgsp_le64(meta + offsetof(GspFwSRMeta,
                                               sizeOfSuspendResumeData)),
                     NULL, NULL)) {
        return VGSP_BOOTER_ERR_RADIX3;
    }
    return VGSP_BOOTER_OK;
}

static VgspBooterError booter_suspend(VgspState *s, uint64_t addr,
                                      const uint8_t *meta)
{
    VgspGsp *gsp = s->gsp;
    VgspBooterError err = sr_check(s, meta);
    uint8_t cookie[sizeof(uint64_t)];
    uint64_t value;

    if (err) {
        return err;
    }
    if (gsp->state != VGSP_GSP_HALTED || !gsp->pm_transition) {
        return VGSP_BOOTER_ERR_STATE;
    }
    value = (uint64_t)g_random_int() << 32 | g_random_int();
    vgsp_put_le64(cookie, value);
    if (!vgsp_dma_write(s, addr + offsetof(GspFwSRMeta, internal), cookie,
                        sizeof(cookie))) {
        return VGSP_BOOTER_ERR_META_DMA;
    }
    vgsp_gsp_fw_suspend(s, value, false);
    gsp->wpr2 = (VgspWpr2) { 0 };
    gsp->loaded = false;
    return VGSP_BOOTER_OK;
}

static VgspBooterError booter_resume(VgspState *s, const uint8_t *meta)
{
    VgspGsp *gsp = s->gsp;
    VgspBooterError err = sr_check(s, meta);

    if (err) {
        return err;
    }
    if (gsp->state != VGSP_GSP_SUSPENDED || gsp->gc6 ||
        vgsp_le64(meta + offsetof(GspFwSRMeta, internal)) != gsp->sr_cookie) {
        return VGSP_BOOTER_ERR_SR_DATA;
    }
    if (gsp->wpr2.hi) {
        return VGSP_BOOTER_ERR_STATE;
    }
    err = vgsp_gsp_fw_resume(s);
    gsp->loaded = !err;
    return err;
}

/* ---- Unload ---- */

static VgspBooterError booter_unload(VgspState *s)
{
    VgspGsp *gsp = s->gsp;

    if (gsp->state == VGSP_GSP_RUNNING || gsp->state == VGSP_GSP_HALTED) {
        vgsp_gsp_fw_drop(s);
        vgsp_falcon(s, VGSP_FALCON_GSP)->riscv_active = false;
    }
    gsp->wpr2 = (VgspWpr2) { 0 };
    gsp->loaded = false;
    return VGSP_BOOTER_OK;
}

/* GC6: the memory stays powered, and so WPR2 stays up. */
static VgspBooterError booter_gc6_enter(VgspState *s)
{
    if (s->gsp->state != VGSP_GSP_HALTED || !s->gsp->pm_transition) {
        return VGSP_BOOTER_ERR_STATE;
    }
    vgsp_gsp_fw_suspend(s, 0, true);
    return VGSP_BOOTER_OK;
}

static VgspBooterError booter_gc6_exit(VgspState *s)
{
    if (s->gsp->state != VGSP_GSP_SUSPENDED || !s->gsp->gc6) {
        return VGSP_BOOTER_ERR_ARGS;
    }
    return vgsp_gsp_fw_resume(s);
}

/*
 * Load and unload are two ucodes, but alike from outside: what the mailboxes
 * name tells them apart, and for the suspend metadata whether GSP-RM is
 * loaded.
 */
static VgspBooterError booter_run(VgspState *s, const VgspFalcon *f,
                                  const char **what)
{
    uint64_t addr = (uint64_t)f->mailbox[1] << 32 | f->mailbox[0];
    uint8_t meta[sizeof(GspFwWprMeta)];

    if (f->mailbox[0] == BOOTER_UNLOAD_MAILBOX_NORMAL &&
        f->mailbox[1] == BOOTER_UNLOAD_MAILBOX_NORMAL) {
        *what = "unload";
        return booter_unload(s);
    }
    if (f->mailbox[0] == BOOTER_UNLOAD_MAILBOX_GC6 &&
        f->mailbox[1] == BOOTER_UNLOAD_MAILBOX_GC6) {
        *what = "gc6-enter";
        return booter_gc6_enter(s);
    }
    if (addr == 0) {
        *what = "gc6-exit";
        return booter_gc6_exit(s);
    }
    *what = "load";
    if (addr % VGSP_BOOTER_META_ALIGN) {
        return VGSP_BOOTER_ERR_ARGS;
    }
    if (!vgsp_dma_read(s, addr, meta, sizeof(meta))) {
        return VGSP_BOOTER_ERR_META_DMA;
    }
    switch (vgsp_le64(meta)) {
    case GSP_FW_WPR_META_MAGIC:
        return booter_load(s, meta);
    case GSP_FW_SR_META_MAGIC:
        *what = s->gsp->loaded ? "suspend" : "resume";
        return s->gsp->loaded ? booter_suspend(s, addr, meta)
                              : booter_resume(s, meta);
    default:
        return VGSP_BOOTER_ERR_MAGIC;
    }
}

void vgsp_booter_start(VgspState *s, VgspFalcon *f)
{
    const char *what;
    VgspBooterError err = booter_run(s, f, &what);

    trace_vgsp_booter(what, f->mailbox[0], f->mailbox[1], err,
                      s->gsp->wpr2.lo, s->gsp->wpr2.hi);
    f->mailbox[0] = err;
    f->mailbox[1] = 0;
    if (err) {
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: Booter %s failed: code 0x%x\n",
                      what, err);
    }
}
