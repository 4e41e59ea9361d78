/*
 * The falcon microcontrollers GSP, SEC2 and PMU as their drivers see them:
 * memories by PIO, mailboxes, interrupts, reset and start. No ucode is
 * executed: a started core performs the effects of the ucode that belongs to
 * it (fwsec.c, booter.c) and has halted when the write returns.
 * Registers: vgsp/nv/dev_falcon.h. docs/gsp.md lists what is modelled.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/units.h"
#include "device/intr.h"
#include "device/regs.h"
#include "gsp/gsp-int.h"
#include "trace.h"

/*
 * HWCFG1: core revision 6, security model 3 ("heavy secure"), one PIO port a
 * memory. Silicon's values are unverified; drivers only log them.
 */
#define VGSP_FALCON_HWCFG1                                      \
    (VGSP_SET(NV_PFALCON_FALCON_HWCFG1_CORE_REV, 6) |           \
     VGSP_SET(NV_PFALCON_FALCON_HWCFG1_SECURITY_MODEL, 3) |     \
     VGSP_SET(NV_PFALCON_FALCON_HWCFG1_IMEM_PORTS, 1) |         \
     VGSP_SET(NV_PFALCON_FALCON_HWCFG1_DMEM_PORTS, 1))

#define VGSP_FALCON_HWCFG                                       \
    (VGSP_SET(NV_PFALCON_FALCON_HWCFG_IMEM_SIZE,                \
              VGSP_FALCON_IMEM_SIZE / 256) |                    \
     VGSP_SET(NV_PFALCON_FALCON_HWCFG_DMEM_SIZE,                \
              VGSP_FALCON_DMEM_SIZE / 256))

/*
 * Interrupts that GSP-RM's RISC-V core routes to the host: SWGEN0 announces
 * messages, HALT a crash.
 */
#define VGSP_RISCV_IRQS \
    ((uint32_t)(NV_PFALCON_FALCON_IRQSTAT_SWGEN0 | \
                NV_PFALCON_FALCON_IRQSTAT_HALT))

static const VgspFalconClass falcon_class[VGSP_FALCON_COUNT] = {
    [VGSP_FALCON_PMU] = {
        .name = "pmu",
        .base = NV_PPWR_FALCON_BASE,
        .size = NV_PPWR_FALCON_SIZE,
    },
    [VGSP_FALCON_SEC2] = {
        .name = "sec2",
        .base = NV_PSEC_FALCON_BASE,
        .size = NV_PSEC_SIZE,
        .start = vgsp_booter_start,
    },
    [VGSP_FALCON_GSP] = {
        .name = "gsp",
        .base = NV_PGSP_FALCON_BASE,
        .size = NV_PGSP_SIZE,
        .riscv = true,
        .has_vector = true,
        .start = vgsp_fwsec_start,
        .reset = vgsp_gsp_falcon_reset,
        .queue_head = vgsp_gsp_queue_head,
    },
};

VgspFalcon *vgsp_falcon(VgspState *s, VgspFalconId id)
{
    return &s->gsp->falcon[id];
}

/* The interrupts that reach the host now. */
static uint32_t falcon_pending(const VgspFalcon *f)
{
    return f->irqstat & (f->riscv_active ? f->riscv_irqmask & f->riscv_irqdest
                                         : f->irqmask & f->irqdest);
}

/*
 * The interrupt tree latches edges: a vector is raised when a source becomes
 * pending, not while it stays so. A driver that clears the leaf first and
 * IRQSTAT then would otherwise be interrupted twice, and find nothing.
 */
static void falcon_raise(VgspState *s, VgspFalcon *f, uint32_t before)
{
    uint32_t now = falcon_pending(f);

    if ((now & ~before) && f->cls->has_vector) {
        trace_vgsp_falcon_intr(f->cls->name, now);
        vgsp_intr_raise(s, s->chip.vector_gsp);
    }
}

void vgsp_falcon_irq(VgspState *s, VgspFalcon *f, uint32_t bits)
{
    uint32_t before = falcon_pending(f);

    f->irqstat |= bits;
    falcon_raise(s, f, before);
}

void vgsp_falcon_riscv_start(VgspState *s, VgspFalcon *f)
{
    assert(f->cls->riscv);
    f->riscv_active = true;
    f->riscv_irqmask = VGSP_RISCV_IRQS;
    f->riscv_irqdest = VGSP_RISCV_IRQS;
    /* Booter resets the core: the halt of a ucode before it is forgotten. */
    f->irqstat = 0;
}

/*
 * All but ENGINE itself. The memories are scrubbed: drivers poll DMACTL for
 * that, which here has ended before the write that caused it.
 */
static void falcon_clear(VgspFalcon *f)
{
    const VgspFalconClass *cls = f->cls;
    uint8_t *imem = f->imem, *dmem = f->dmem, *emem = f->emem;
    uint32_t engine = f->engine;

    memset(f, 0, sizeof(*f));
    f->cls = cls;
    f->imem = imem;
    f->dmem = dmem;
    f->emem = emem;
    f->engine = engine;
    f->dmactl = NV_PFALCON_FALCON_DMACTL_REQUIRE_CTX;
    memset(imem, 0, VGSP_FALCON_IMEM_SIZE);
    memset(dmem, 0, VGSP_FALCON_DMEM_SIZE);
    memset(emem, 0, VGSP_FALCON_EMEM_SIZE);
}

static void falcon_engine_reset(VgspState *s, VgspFalcon *f, uint32_t val)
{
    bool was = f->engine & NV_PFALCON_FALCON_ENGINE_RESET;

    f->engine = val & NV_PFALCON_FALCON_ENGINE_RESET;
    if (!was && f->engine) {
        trace_vgsp_falcon_reset(f->cls->name, f->riscv_active);
        falcon_clear(f);
        if (f->cls->reset) {
            f->cls->reset(s, f);
        }
    }
}

static void falcon_start(VgspState *s, VgspFalcon *f)
{
    if (f->engine & NV_PFALCON_FALCON_ENGINE_RESET) {
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: %s: start while in reset\n",
                      f->cls->name);
        return;
    }
    if (f->riscv_active) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "vgsp: %s: start while the RISC-V core runs\n",
                      f->cls->name);
        return;
    }
    trace_vgsp_falcon_start(f->cls->name, f->bootvec, f->mailbox[0],
                            f->mailbox[1]);
    if (f->cls->start) {
        f->cls->start(s, f);
    } else {
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: %s: no ucode to start\n",
                      f->cls->name);
    }
    trace_vgsp_falcon_halt(f->cls->name, f->mailbox[0], f->mailbox[1]);
    vgsp_falcon_irq(s, f, NV_PFALCON_FALCON_IRQSTAT_HALT);
}

/* A word of a memory at the port's address; beyond the memory: nothing. */
static uint32_t falcon_mem_read(uint32_t *c, const uint8_t *mem, uint32_t size)
{
    uint32_t addr = *c & NV_PFALCON_FALCON_MEMC_ADDR;
    uint32_t val = addr < size ? vgsp_le32(mem + addr) : 0;

    if (*c & NV_PFALCON_FALCON_MEMC_AINCR) {
        *c = VGSP_REPLACE(NV_PFALCON_FALCON_MEMC_ADDR, *c, (addr + 4) >> 2);
    }
    return val;
}

static void falcon_mem_write(uint32_t *c, uint8_t *mem, uint32_t size,
                             uint32_t val)
{
    uint32_t addr = *c & NV_PFALCON_FALCON_MEMC_ADDR;

    if (addr < size) {
        vgsp_put_le32(mem + addr, val);
    }
    if (*c & NV_PFALCON_FALCON_MEMC_AINCW) {
        *c = VGSP_REPLACE(NV_PFALCON_FALCON_MEMC_ADDR, *c, (addr + 4) >> 2);
    }
}

static uint32_t falcon_imem_read(VgspFalcon *f, unsigned port)
{
    uint32_t addr = f->imemc[port] & NV_PFALCON_FALCON_MEMC_ADDR;
    bool secure = f->imem_secure[addr / NV_PFALCON_IMEM_BLKSIZE];
    uint32_t val = falcon_mem_read(&f->imemc[port], f->imem,
                                   VGSP_FALCON_IMEM_SIZE);

    /* Secure code cannot be read; what reads instead is unverified. */
    return secure ? 0 : val;
}

/* The block takes the port's tag and mark with its first word. */
static void falcon_imem_write(VgspFalcon *f, unsigned port, uint32_t val)
{
    uint32_t addr = f->imemc[port] & NV_PFALCON_FALCON_MEMC_ADDR;
    uint32_t block = addr / NV_PFALCON_IMEM_BLKSIZE;

    if (addr % NV_PFALCON_IMEM_BLKSIZE == 0) {
        f->imem_tag[block] = f->imemt[port] & NV_PFALCON_FALCON_IMEMT_TAG;
        f->imem_secure[block] = f->imemc[port] &
                                NV_PFALCON_FALCON_IMEMC_SECURE;
    }
    falcon_mem_write(&f->imemc[port], f->imem, VGSP_FALCON_IMEM_SIZE, val);
}

/*
 * Which of an array of register groups @off is in: the arrays are of @count
 * groups of @stride bytes from @base. False if in none.
 */
static bool reg_index(uint32_t off, uint32_t base, uint32_t stride,
                      uint32_t count, unsigned *i, uint32_t *sub)
{
    if (off < base || off >= base + stride * count) {
        return false;
    }
    *i = (off - base) / stride;
    *sub = (off - base) % stride;
    return true;
}

/* The registers of an IMEM port, from its first. */
enum {
    IMEM_PORT_C = 0,
    IMEM_PORT_D = NV_PFALCON_FALCON_IMEMD(0) - NV_PFALCON_FALCON_IMEMC(0),
    IMEM_PORT_T = NV_PFALCON_FALCON_IMEMT(0) - NV_PFALCON_FALCON_IMEMC(0),
};

/* Plain storage: what is written is read, but for bits outside @mask. */
static uint32_t *falcon_storage(VgspFalcon *f, uint32_t off, uint32_t *mask)
{
    uint32_t sub;
    unsigned i;

    *mask = UINT32_MAX;
    switch (off) {
    case NV_PFALCON_FALCON_IRQDEST:
        return &f->irqdest;
    case NV_PFALCON_FALCON_MAILBOX0:
        return &f->mailbox[0];
    case NV_PFALCON_FALCON_MAILBOX1:
        return &f->mailbox[1];
    case NV_PFALCON_FALCON_ITFEN:
        *mask = NV_PFALCON_FALCON_ITFEN_MASK;
        return &f->itfen;
    case NV_PFALCON_FALCON_OS:
        return &f->os;
    case NV_PFALCON_FALCON_RM:
        return &f->rm;
    case NV_PFALCON_FALCON_DEBUGINFO:
        return &f->debuginfo;
    case NV_PFALCON_FALCON_BOOTVEC:
        return &f->bootvec;
    case NV_PFALCON_FALCON_DMACTL:
        /* The scrubbing bits are the hardware's. */
        *mask = NV_PFALCON_FALCON_DMACTL_REQUIRE_CTX;
        return &f->dmactl;
    case NV_PFALCON_FBIF_CTL:
        *mask = NV_PFALCON_FBIF_CTL_ALLOW_PHYS_NO_CTX;
        return &f->fbif_ctl;
    case NV_PRISCV_RISCV_IRQDEST:
        return f->cls->riscv ? &f->riscv_irqdest : NULL;
    }
    if (reg_index(off, NV_PFALCON_FALCON_COMMON_SCRATCH_GROUP_0(0), 4,
                  NV_PFALCON_FALCON_COMMON_SCRATCH__SIZE, &i, &sub)) {
        return &f->common_scratch[i];
    }
    if (reg_index(off, NV_PFALCON_FBIF_TRANSCFG(0), 4,
                  NV_PFALCON_FBIF_TRANSCFG__SIZE_1, &i, &sub)) {
        *mask = NV_PFALCON_FBIF_TRANSCFG_TARGET |
                NV_PFALCON_FBIF_TRANSCFG_MEM_TYPE;
        return &f->transcfg[i];
    }
    if (reg_index(off, NV_PFALCON_MAILBOX(0), 4, NV_PFALCON_MAILBOX__SIZE_1,
                  &i, &sub)) {
        return &f->scratch_mailbox[i];
    }
    if (reg_index(off, NV_PFALCON_QUEUE_HEAD(0), 8, NV_PFALCON_QUEUE__SIZE_1,
                  &i, &sub)) {
        return sub ? &f->queue_tail[i] : &f->queue_head[i];
    }
    return NULL;
}

static uint32_t falcon_read(VgspState *s, VgspFalcon *f, uint32_t reg)
{
    uint32_t off = reg - f->cls->base;
    uint32_t mask, sub, *storage;
    unsigned i;

    storage = falcon_storage(f, off, &mask);
    if (storage) {
        return *storage;
    }
    switch (off) {
    case NV_PFALCON_FALCON_IRQSTAT:
        return f->irqstat;
    case NV_PFALCON_FALCON_IRQMASK:
        return f->irqmask;
    case NV_PFALCON_FALCON_IRQSSET:
    case NV_PFALCON_FALCON_IRQSCLR:
    case NV_PFALCON_FALCON_IRQMSET:
    case NV_PFALCON_FALCON_IRQMCLR:
        return 0;
    case NV_PFALCON_FALCON_HWCFG:
        return VGSP_FALCON_HWCFG;
    case NV_PFALCON_FALCON_HWCFG1:
        return VGSP_FALCON_HWCFG1;
    case NV_PFALCON_FALCON_HWCFG2:
        return f->cls->riscv ? NV_PFALCON_FALCON_HWCFG2_RISCV : 0;
    case NV_PFALCON_FALCON_CPUCTL:
        /* A ucode's effects are complete at its start; ALIAS_EN stays 0. */
        return NV_PFALCON_FALCON_CPUCTL_HALTED;
    case NV_PFALCON_FALCON_CPUCTL_ALIAS:
        return 0;
    case NV_PFALCON_FALCON_ENGINE:
        return f->engine;
    case NV_PSEC_FALCON_DEBUG:
        return 0;
    }
    if (f->cls->riscv) {
        switch (off) {
        case NV_PRISCV_RISCV_CORE_SWITCH_RISCV_STATUS:
            return f->riscv_active ?
                NV_PRISCV_RISCV_CORE_SWITCH_RISCV_STATUS_ACTIVE_STAT : 0;
        case NV_PRISCV_RISCV_IRQMASK:
            return f->riscv_irqmask;
        }
    }
    if (reg_index(off, NV_PFALCON_FALCON_IMEMC(0),
                  NV_PFALCON_FALCON_IMEM_STRIDE,
                  NV_PFALCON_FALCON_IMEM__SIZE_1, &i, &sub)) {
        switch (sub) {
        case IMEM_PORT_C:
            return f->imemc[i];
        case IMEM_PORT_D:
            return falcon_imem_read(f, i);
        case IMEM_PORT_T:
            return f->imemt[i];
        }
    }
    if (reg_index(off, NV_PFALCON_FALCON_DMEMC(0),
                  NV_PFALCON_FALCON_DMEM_STRIDE,
                  NV_PFALCON_FALCON_DMEM__SIZE_1, &i, &sub)) {
        return sub ? falcon_mem_read(&f->dmemc[i], f->dmem,
                                     VGSP_FALCON_DMEM_SIZE) : f->dmemc[i];
    }
    if (reg_index(off, NV_PFALCON_EMEMC(0), NV_PFALCON_EMEM_STRIDE,
                  NV_PFALCON_EMEM__SIZE_1, &i, &sub)) {
        return sub ? falcon_mem_read(&f->ememc[i], f->emem,
                                     VGSP_FALCON_EMEM_SIZE) : f->ememc[i];
    }
    return vgsp_reg_unknown_read(s, reg);
}

static void falcon_write(VgspState *s, VgspFalcon *f, uint32_t reg,
                         uint32_t val)
{
    uint32_t off = reg - f->cls->base;
    uint32_t before = falcon_pending(f);
    uint32_t mask, sub, *storage;
    unsigned i;

    storage = falcon_storage(f, off, &mask);
    if (storage) {
        *storage = val & mask;
        falcon_raise(s, f, before);
        if (f->cls->queue_head &&
            reg_index(off, NV_PFALCON_QUEUE_HEAD(0), 8,
                      NV_PFALCON_QUEUE__SIZE_1, &i, &sub) && sub == 0) {
            f->cls->queue_head(s, f, i);
        }
        return;
    }
    switch (off) {
    case NV_PFALCON_FALCON_IRQSSET:
        vgsp_falcon_irq(s, f, val);
        return;
    case NV_PFALCON_FALCON_IRQSCLR:
        f->irqstat &= ~val;
        return;
    case NV_PFALCON_FALCON_IRQMSET:
        f->irqmask |= val;
        falcon_raise(s, f, before);
        return;
    case NV_PFALCON_FALCON_IRQMCLR:
        f->irqmask &= ~val;
        return;
    case NV_PFALCON_FALCON_CPUCTL:
        if (val & NV_PFALCON_FALCON_CPUCTL_STARTCPU) {
            falcon_start(s, f);
        }
        return;
    case NV_PFALCON_FALCON_ENGINE:
        falcon_engine_reset(s, f, val);
        return;
    case NV_PFALCON_FALCON_CPUCTL_ALIAS:
        /* Closed: ALIAS_EN reads 0. */
    case NV_PFALCON_FALCON_IRQSTAT:
    case NV_PFALCON_FALCON_IRQMASK:
    case NV_PFALCON_FALCON_HWCFG:
    case NV_PFALCON_FALCON_HWCFG1:
    case NV_PFALCON_FALCON_HWCFG2:
    case NV_PSEC_FALCON_DEBUG:
        return;
    }
    if (f->cls->riscv &&
        (off == NV_PRISCV_RISCV_CORE_SWITCH_RISCV_STATUS ||
         off == NV_PRISCV_RISCV_IRQMASK)) {
        return;
    }
    if (reg_index(off, NV_PFALCON_FALCON_IMEMC(0),
                  NV_PFALCON_FALCON_IMEM_STRIDE,
                  NV_PFALCON_FALCON_IMEM__SIZE_1, &i, &sub)) {
        switch (sub) {
        case IMEM_PORT_C:
            f->imemc[i] = val & (NV_PFALCON_FALCON_MEMC_ADDR |
                                 NV_PFALCON_FALCON_MEMC_AINCW |
                                 NV_PFALCON_FALCON_MEMC_AINCR |
                                 NV_PFALCON_FALCON_IMEMC_SECURE);
            return;
        case IMEM_PORT_D:
            falcon_imem_write(f, i, val);
            return;
        case IMEM_PORT_T:
            f->imemt[i] = val & NV_PFALCON_FALCON_IMEMT_TAG;
            return;
        }
    }
    if (reg_index(off, NV_PFALCON_FALCON_DMEMC(0),
                  NV_PFALCON_FALCON_DMEM_STRIDE,
                  NV_PFALCON_FALCON_DMEM__SIZE_1, &i, &sub)) {
        if (sub) {
            falcon_mem_write(&f->dmemc[i], f->dmem, VGSP_FALCON_DMEM_SIZE,
                             val);
        } else {
            f->dmemc[i] = val & (NV_PFALCON_FALCON_MEMC_ADDR |
                                 NV_PFALCON_FALCON_MEMC_AINCW |
                                 NV_PFALCON_FALCON_MEMC_AINCR);
        }
        return;
    }
    if (reg_index(off, NV_PFALCON_EMEMC(0), NV_PFALCON_EMEM_STRIDE,
                  NV_PFALCON_EMEM__SIZE_1, &i, &sub)) {
        if (sub) {
            falcon_mem_write(&f->ememc[i], f->emem, VGSP_FALCON_EMEM_SIZE,
                             val);
        } else {
            f->ememc[i] = val & (NV_PFALCON_FALCON_MEMC_ADDR |
                                 NV_PFALCON_FALCON_MEMC_AINCW |
                                 NV_PFALCON_FALCON_MEMC_AINCR);
        }
        return;
    }
    vgsp_reg_unknown_write(s, reg, val);
}

void vgsp_falcons_init(VgspState *s)
{
    for (int i = 0; i < VGSP_FALCON_COUNT; i++) {
        VgspFalcon *f = &s->gsp->falcon[i];

        f->cls = &falcon_class[i];
        f->imem = g_malloc0(VGSP_FALCON_IMEM_SIZE);
        f->dmem = g_malloc0(VGSP_FALCON_DMEM_SIZE);
        f->emem = g_malloc0(VGSP_FALCON_EMEM_SIZE);
    }
    vgsp_falcons_reset(s);
}

void vgsp_falcons_reset(VgspState *s)
{
    for (int i = 0; i < VGSP_FALCON_COUNT; i++) {
        s->gsp->falcon[i].engine = 0;
        falcon_clear(&s->gsp->falcon[i]);
    }
}

void vgsp_falcons_exit(VgspState *s)
{
    for (int i = 0; i < VGSP_FALCON_COUNT; i++) {
        g_free(s->gsp->falcon[i].imem);
        g_free(s->gsp->falcon[i].dmem);
        g_free(s->gsp->falcon[i].emem);
    }
}

#define FALCON_BLOCK(block, id, block_base, block_size)                     \
    static uint32_t block##_read(VgspState *s, uint32_t reg)                \
    {                                                                       \
        return falcon_read(s, vgsp_falcon(s, id), reg);                     \
    }                                                                       \
    static void block##_write(VgspState *s, uint32_t reg, uint32_t val)     \
    {                                                                       \
        falcon_write(s, vgsp_falcon(s, id), reg, val);                      \
    }                                                                       \
    const VgspRegBlock vgsp_regs_##block = {                                \
        .name = #block,                                                     \
        .base = block_base,                                                 \
        .size = block_size,                                                 \
        .read = block##_read,                                               \
        .write = block##_write,                                             \
    }

FALCON_BLOCK(pmu, VGSP_FALCON_PMU, NV_PPWR_FALCON_BASE, NV_PPWR_FALCON_SIZE);
FALCON_BLOCK(sec2, VGSP_FALCON_SEC2, NV_PSEC_FALCON_BASE, NV_PSEC_SIZE);
FALCON_BLOCK(gsp, VGSP_FALCON_GSP, NV_PGSP_FALCON_BASE, NV_PGSP_SIZE);
