/*
 * The GSP client against a card of a few dozen lines: what it does when memory
 * runs out, when a register never changes, when a ucode fails and when GSP-RM
 * answers nonsense. That a boot succeeds on the emulated card is the qtests'.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>

#include "vgsp/gsp-client.h"
#include "vgsp/nv/dev_boot.h"
#include "vgsp/nv/dev_bus.h"
#include "vgsp/nv/dev_ext_devices.h"
#include "vgsp/nv/dev_falcon.h"
#include "vgsp/nv/dev_fb.h"
#include "vgsp/nv/dev_gc6_island.h"
#include "vgsp/nv/rm.h"

#define GSP     NV_PGSP_FALCON_BASE
#define SEC2    NV_PSEC_FALCON_BASE
#define PAGE    0x1000u
#define CMDQ    0x1000u
#define MSGQ    0x41000u
#define REGION  0x81000u

/* The card: registers that are not memory are in card_read and card_write. */
typedef struct Card {
    uint32_t *regs;             /* 16 MiB, by word */
    uint8_t rom[VGSP_VBIOS_IMAGE_SIZE];
    VgspGspClient *c;
    uint64_t time_us;
    unsigned live, allocs;      /* DMA memory in use; allocations so far */
    unsigned fail_alloc;        /* fail the allocation of that number */
    uint32_t fwsec_code, booter_code;
    bool mute;                  /* GSP-RM says nothing */
    bool dead_core;             /* Booter succeeds, the core does not run */
    uint32_t rpc_result, rm_status;
    uint32_t short_reply;       /* bytes missing from each reply */
    VgspMsgq cmd, stat;
    bool running;
} Card;

static uint32_t *reg(Card *k, uint32_t r)
{
    g_assert_cmphex(r, <, 16u << 20);
    return &k->regs[r / 4];
}

/* ---- Memory: a GByteArray-like block, addresses are host addresses ---- */

static int dma_alloc(void *opaque, uint64_t size, bool contiguous,
                     VgspGspMem *mem)
{
    Card *k = opaque;

    (void)contiguous;
    g_assert_cmphex(size % PAGE, ==, 0);
    if (++k->allocs == k->fail_alloc) {
        return -1;
    }
    mem->handle = g_malloc0(size);
    k->live++;
    return 0;
}

static void dma_free(void *opaque, VgspGspMem *mem)
{
    Card *k = opaque;

    k->live--;
    g_free(mem->handle);
}

static uint64_t dma_addr(void *opaque, const VgspGspMem *mem, uint64_t offset)
{
    (void)opaque;
    g_assert_cmphex(offset, <, mem->size);
    return (uintptr_t)mem->handle + offset;
}

static int dma_read(void *opaque, const VgspGspMem *mem, uint64_t offset,
                    void *buf, uint32_t len)
{
    (void)opaque;
    g_assert_true(vgsp_range_ok(offset, len, mem->size));
    memcpy(buf, (uint8_t *)mem->handle + offset, len);
    return 0;
}

static int dma_write(void *opaque, const VgspGspMem *mem, uint64_t offset,
                     const void *buf, uint32_t len)
{
    (void)opaque;
    g_assert_true(vgsp_range_ok(offset, len, mem->size));
    memcpy((uint8_t *)mem->handle + offset, buf, len);
    return 0;
}

static int shared_read(void *opaque, uint64_t offset, void *buf, uint32_t len)
{
    Card *k = opaque;

    return dma_read(k, &k->c->shared, offset, buf, len);
}

static int shared_write(void *opaque, uint64_t offset, const void *buf,
                        uint32_t len)
{
    Card *k = opaque;

    return dma_write(k, &k->c->shared, offset, buf, len);
}

static const VgspMsgqOps shared_ops = { shared_read, shared_write };

/* ---- GSP-RM: answers everything with what came ---- */

static void rm_post(Card *k, uint32_t function, uint32_t sequence,
                    const uint8_t *payload, uint32_t len)
{
    VgspRpcMessage m = {
        .function = function, .sequence = sequence, .length = len,
        .rpc_result = function < 0x1000 ? k->rpc_result : 0,
    };

    g_assert_cmpint(vgsp_msgq_send(&k->stat, &m, payload), ==, VGSP_MSGQ_OK);
}

static void rm_static_info(Card *k, uint8_t *p)
{
    const VgspStaticInfoLayout *l = k->c->profile->static_info;

    vgsp_put_le32(p + l->fb_regions, 1);
    vgsp_put_le64(p + l->fb_regions + 8 + 8, 0x7ffffff);
    vgsp_put_le64(p + l->bar1_pde_base, 0x8000000);
    vgsp_put_le64(p + l->bar2_pde_base, 0x8001000);
    vgsp_put_le32(p + l->internal_client, 0xc1e00004);
    vgsp_put_le32(p + l->internal_device, 1);
    vgsp_put_le32(p + l->internal_subdevice, 2);
}

static void rm_serve(Card *k)
{
    static uint8_t buf[0x20000];
    VgspMsgqAssembly a = { .buf = buf, .size = sizeof(buf) };

    while (vgsp_msgq_recv(&k->cmd, &a) == VGSP_MSGQ_OK) {
        switch (a.msg.function) {
        case NV_VGPU_MSG_FUNCTION_GSP_SET_SYSTEM_INFO:
        case NV_VGPU_MSG_FUNCTION_SET_REGISTRY:
            continue;
        case NV_VGPU_MSG_FUNCTION_GET_GSP_STATIC_INFO:
            rm_static_info(k, buf);
            break;
        case NV_VGPU_MSG_FUNCTION_GSP_RM_CONTROL:
            vgsp_put_le32(buf + 0x0c, k->rm_status);
            break;
        case NV_VGPU_MSG_FUNCTION_GSP_RM_ALLOC:
            vgsp_put_le32(buf + 0x10, k->rm_status);
            break;
        case NV_VGPU_MSG_FUNCTION_UNLOADING_GUEST_DRIVER:
            *reg(k, GSP + NV_PFALCON_FALCON_MAILBOX0) =
                LIBOS_INTERRUPT_PROCESSOR_SUSPENDED;
            break;
        }
        if (!k->mute) {
            rm_post(k, a.msg.function, a.msg.sequence, buf,
                    a.msg.length - MIN(k->short_reply, a.msg.length));
        }
    }
}

static void rm_start(Card *k)
{
    static const uint8_t none[4];

    k->running = true;
    if (!k->dead_core) {
        *reg(k, GSP + NV_PRISCV_RISCV_CORE_SWITCH_RISCV_STATUS) = 1;
    }
    if (k->mute) {
        return;
    }
    vgsp_msgq_format(&shared_ops, k, MSGQ, 0x40000);
    g_assert_cmpint(vgsp_msgq_open(&k->cmd, &shared_ops, k, CMDQ, MSGQ, CMDQ,
                                   REGION), ==, 0);
    g_assert_cmpint(vgsp_msgq_open(&k->stat, &shared_ops, k, MSGQ, MSGQ, CMDQ,
                                   REGION), ==, 0);
    rm_post(k, NV_VGPU_MSG_EVENT_GSP_INIT_DONE, 0, none, sizeof(none));
    rm_serve(k);
}

/* ---- Registers ---- */

static void fwsec_start(Card *k)
{
    uint32_t frts = k->c->layout.frts >> 12 << 4;

    *reg(k, GSP + NV_PFALCON_FALCON_MAILBOX0) = 0;
    *reg(k, NV_PBUS_SW_SCRATCH(0x0e)) = k->fwsec_code << 16;
    if (!k->running && !k->fwsec_code) {
        *reg(k, NV_PFB_PRI_MMU_WPR2_ADDR_LO) = frts;
        *reg(k, NV_PFB_PRI_MMU_WPR2_ADDR_HI) = frts + 0x1000;
    }
}

static void booter_start(Card *k)
{
    uint32_t *mailbox = reg(k, SEC2 + NV_PFALCON_FALCON_MAILBOX0);
    bool unload = *mailbox == BOOTER_UNLOAD_MAILBOX_NORMAL;

    *mailbox = k->booter_code;
    if (k->booter_code) {
        return;
    }
    if (unload) {
        *reg(k, NV_PFB_PRI_MMU_WPR2_ADDR_LO) = 0;
        *reg(k, NV_PFB_PRI_MMU_WPR2_ADDR_HI) = 0;
        k->running = false;
    } else {
        rm_start(k);
    }
}

static uint32_t card_read(void *opaque, uint32_t r)
{
    Card *k = opaque;

    if (r - NV_PROM_BASE < NV_PROM_SIZE) {
        r -= NV_PROM_BASE;
        return r < sizeof(k->rom) ? vgsp_le32(k->rom + r) : 0xffffffff;
    }
    return *reg(k, r);
}

static void card_write(void *opaque, uint32_t r, uint32_t v)
{
    Card *k = opaque;

    switch (r) {
    case GSP + NV_PFALCON_FALCON_CPUCTL:
        fwsec_start(k);
        return;
    case SEC2 + NV_PFALCON_FALCON_CPUCTL:
        booter_start(k);
        return;
    case GSP + NV_PFALCON_QUEUE_HEAD(0):
        if (k->running && !k->mute) {
            rm_serve(k);
        }
        return;
    }
    *reg(k, r) = v;
}

static void card_delay(void *opaque, uint32_t us)
{
    Card *k = opaque;

    k->time_us += us;
}

static void card_log(void *opaque, const char *what, uint64_t value)
{
    (void)opaque;
    g_test_message("%s: 0x%" G_GINT64_MODIFIER "x", what, value);
}

static const VgspGspOps card_ops = {
    .read32 = card_read, .write32 = card_write,
    .dma_alloc = dma_alloc, .dma_free = dma_free, .dma_addr = dma_addr,
    .dma_read = dma_read, .dma_write = dma_write,
    .delay_us = card_delay, .log = card_log,
};

/* ---- Fixture ---- */

static const uint8_t firmware[0x3000] = { 1 };

static const VgspGspFirmware fw = {
    .image = { firmware, sizeof(firmware) },
    .signature = { firmware, 0x100 },
    .bootloader = { firmware, 0x1000 },
    .booter_load = {
        .image = { firmware, 0x400 }, .code_size = 0x100,
        .secure_imem = 0x100, .secure_size = 0x100,
        .data_offset = 0x200, .data_size = 0x200,
    },
    .booter_unload = {
        .image = { firmware, 0x400 }, .code_size = 0x100,
        .secure_imem = 0x100, .secure_size = 0x100,
        .data_offset = 0x200, .data_size = 0x200,
    },
    .fwsec_loader = { firmware, 0x300 },
    .fwsec_loader_tag = 0xfd,
};

typedef struct Fixture {
    Card k;
    VgspGspClient c;
    uint8_t rom[0x10000], tx[0x4000], rx[0x20000];
    uint32_t event;
    unsigned events;
} Fixture;

static void on_event(void *opaque, uint32_t event, const uint8_t *payload,
                     uint32_t len)
{
    Fixture *f = opaque;

    (void)payload;
    (void)len;
    f->event = event;
    f->events++;
}

static void setup(Fixture *f, gconstpointer data)
{
    const VgspVbiosParams params = {
        .vendor_id = 0x10de, .device_id = 0x1e81, .class_code = 0x030000,
        .board = "mock",
    };

    f->k.regs = g_malloc0(16u << 20);
    f->k.c = &f->c;
    g_assert_cmpuint(vgsp_vbios_build(f->k.rom, sizeof(f->k.rom), &params), ==,
                     sizeof(f->k.rom));
    *reg(&f->k, NV_PMC_BOOT_0) = 0x164000a1;
    *reg(&f->k, NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE) = 0x106; /* 1 GiB */
    *reg(&f->k, NV_PGC6_AON_SECURE_SCRATCH_GROUP_05_PRIV_LEVEL_MASK) = 1;
    *reg(&f->k, NV_PGC6_AON_SECURE_SCRATCH_GROUP_05(0)) = 0xff;
    for (int i = 0; i < 2; i++) {
        uint32_t base = i ? SEC2 : GSP;

        *reg(&f->k, base + NV_PFALCON_FALCON_HWCFG) = 0x20100;
        *reg(&f->k, base + NV_PFALCON_FALCON_CPUCTL) = 0x10;
    }
    f->c = (VgspGspClient) {
        .ops = &card_ops, .opaque = &f->k, .fw = &fw,
        .profile = data ? data : vgsp_profiles[0],
        .rom = f->rom, .rom_size = sizeof(f->rom),
        .tx = f->tx, .tx_size = sizeof(f->tx),
        .rx = f->rx, .rx_size = sizeof(f->rx),
        .event = on_event, .event_opaque = f,
    };
}

static void teardown(Fixture *f, gconstpointer data)
{
    (void)data;
    vgsp_gsp_forget(&f->c);
    g_assert_cmpuint(f->k.live, ==, 0);
    g_free(f->k.regs);
}

static void boot_fails(Fixture *f, int with)
{
    g_assert_cmpint(vgsp_gsp_boot(&f->c), ==, with);
    g_assert_cmpint(f->c.phase, ==, VGSP_GSP_OFF);
    g_assert_cmpuint(f->k.live, ==, 0);
}

/* ---- Tests ---- */

static void test_boot(Fixture *f, gconstpointer data)
{
    (void)data;
    for (int i = 0; i < 3; i++) {
        g_assert_cmpint(vgsp_gsp_boot(&f->c), ==, VGSP_GSP_OK);
        g_assert_cmpint(f->c.phase, ==, VGSP_GSP_RUNNING);
        g_assert_cmpint(vgsp_gsp_boot(&f->c), ==, VGSP_GSP_EBUSY);
        g_assert_cmphex(f->c.info.client, ==, 0xc1e00004);
        g_assert_cmphex(f->c.info.usable_limit, ==, 0x7ffffff);
        g_assert_cmphex(f->c.info.bar1_pde_base, ==, 0x8000000);
        g_assert_cmpint(vgsp_gsp_unload(&f->c), ==, VGSP_GSP_OK);
        g_assert_cmpint(vgsp_gsp_unload(&f->c), ==, VGSP_GSP_EBUSY);
        g_assert_cmpuint(f->k.live, ==, 0);
    }
}

static void test_layout(Fixture *f, gconstpointer data)
{
    const VgspGspLayout *l = &f->c.layout;

    (void)data;
    g_assert_cmpint(vgsp_gsp_prepare(&f->c), ==, VGSP_GSP_OK);
    g_assert_cmphex(l->fb_size, ==, 0x40000000);
    g_assert_cmphex(l->vga_workspace, ==, 0x3ff00000);
    g_assert_cmphex(l->frts, ==, 0x3fe00000);
    g_assert_cmphex(l->bootloader, ==, 0x3fdff000);
    g_assert_cmphex(l->elf, ==, 0x3fdf0000);
    /* 8 MiB, 96 MiB for clients, 1 MiB for 1 GiB of memory. */
    g_assert_cmphex(l->heap, ==, 0x39400000);
    g_assert_cmphex(l->heap_size, ==, 0x6900000);
    g_assert_cmphex(l->wpr, ==, 0x39300000);
    g_assert_cmphex(l->nonwpr_heap, ==, 0x39200000);
}

/* Whichever allocation fails, the rest is given back. */
static void test_no_memory(Fixture *f, gconstpointer data)
{
    unsigned n;

    (void)data;
    g_assert_cmpint(vgsp_gsp_boot(&f->c), ==, VGSP_GSP_OK);
    n = f->k.allocs;
    g_assert_cmpuint(n, >=, 12);
    g_assert_cmpint(vgsp_gsp_unload(&f->c), ==, VGSP_GSP_OK);
    for (unsigned i = 1; i <= n; i++) {
        f->k.allocs = 0;
        f->k.fail_alloc = i;
        boot_fails(f, VGSP_GSP_ENOMEM);
    }
}

typedef struct Stuck {
    const char *name;
    uint32_t reg, value;
    int error;
} Stuck;

static const Stuck stuck[] = {
    { "gone", NV_PMC_BOOT_0, 0xffffffff, VGSP_GSP_ENODEV },
    { "ampere", NV_PMC_BOOT_0, 0x170000a1, VGSP_GSP_ENODEV },
    { "vgpu", NV_PMC_BOOT_1, 0x10000, VGSP_GSP_ENODEV },
    { "gfw-protected", NV_PGC6_AON_SECURE_SCRATCH_GROUP_05_PRIV_LEVEL_MASK, 0,
      VGSP_GSP_ETIMEDOUT },
    { "gfw-running", NV_PGC6_AON_SECURE_SCRATCH_GROUP_05(0), 0x20,
      VGSP_GSP_ETIMEDOUT },
    { "no-vram", NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE, 0, VGSP_GSP_ENODEV },
    { "imem-small", GSP + NV_PFALCON_FALCON_HWCFG, 0x20001, VGSP_GSP_EINVAL },
};

static void test_stuck(Fixture *f, gconstpointer data)
{
    const Stuck *s = data;

    f->c.profile = vgsp_profiles[0];
    *reg(&f->k, s->reg) = s->value;
    boot_fails(f, s->error);
}

static void test_rom(Fixture *f, gconstpointer data)
{
    (void)data;
    f->c.rom_size = 0x200;      /* less than the image */
    boot_fails(f, VGSP_GSP_ENOENT);
    f->c.rom_size = sizeof(f->rom);
    memset(f->k.rom, 0xff, sizeof(f->k.rom));
    boot_fails(f, VGSP_GSP_ENOENT);
}

static void test_ucodes(Fixture *f, gconstpointer data)
{
    (void)data;
    f->k.fwsec_code = 0x25;
    boot_fails(f, VGSP_GSP_EIO);
    f->k.fwsec_code = 0;
    f->k.booter_code = 0x0c;
    boot_fails(f, VGSP_GSP_EIO);
    g_assert_cmphex(f->c.mailbox[0], ==, 0x0c);
    f->k.booter_code = 0;
    f->k.dead_core = true;
    boot_fails(f, VGSP_GSP_EIO);
    /* What had been started was stopped. */
    g_assert_false(f->k.running);
    g_assert_cmphex(*reg(&f->k, NV_PFB_PRI_MMU_WPR2_ADDR_HI), ==, 0);
    f->k.dead_core = false;
    g_assert_cmpint(vgsp_gsp_boot(&f->c), ==, VGSP_GSP_OK);
}

static void test_mute(Fixture *f, gconstpointer data)
{
    (void)data;
    f->k.mute = true;
    boot_fails(f, VGSP_GSP_ETIMEDOUT);
    g_assert_cmpuint(f->k.time_us, >=, 4000000);
    g_assert_cmpuint(f->k.time_us, <, 30000000);
    g_assert_false(f->k.running);
}

static void test_rpc(Fixture *f, gconstpointer data)
{
    uint8_t params[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    static const uint8_t event[0x20];
    const uint8_t *reply;
    uint32_t len;

    (void)data;
    g_assert_cmpint(vgsp_gsp_rm_control(&f->c, 1, 2, 3, params, 8), ==,
                    VGSP_GSP_EBUSY);
    g_assert_cmpint(vgsp_gsp_boot(&f->c), ==, VGSP_GSP_OK);
    g_assert_cmpint(vgsp_gsp_rm_control(&f->c, 1, 2, 3, params, 8), ==,
                    VGSP_GSP_OK);
    g_assert_cmphex(params[7], ==, 8);
    /* RM refuses; the transport refuses. */
    f->k.rm_status = NV_ERR_NOT_SUPPORTED;
    g_assert_cmpint(vgsp_gsp_rm_control(&f->c, 1, 2, 3, params, 8), ==,
                    VGSP_GSP_EREMOTEIO);
    g_assert_cmphex(f->c.rm_status, ==, NV_ERR_NOT_SUPPORTED);
    f->k.rm_status = 0;
    f->k.rpc_result = NV_ERR_INVALID_STATE;
    g_assert_cmpint(vgsp_gsp_rpc(&f->c, 250, params, 8, &reply, &len), ==,
                    VGSP_GSP_EREMOTEIO);
    g_assert_cmphex(f->c.rpc_result, ==, NV_ERR_INVALID_STATE);
    f->k.rpc_result = 0;
    /* A reply that is too short to be one. */
    f->k.short_reply = 4;
    g_assert_cmpint(vgsp_gsp_rm_control(&f->c, 1, 2, 3, params, 8), ==,
                    VGSP_GSP_EPROTO);
    f->k.short_reply = 0;
    /* More than the caller's buffer. */
    g_assert_cmpint(vgsp_gsp_rm_control(&f->c, 1, 2, 3, f->rx, 0x4000), ==,
                    VGSP_GSP_EMSGSIZE);
    /* Events before a reply go where they belong. */
    rm_post(&f->k, NV_VGPU_MSG_EVENT_POST_EVENT, 0, event, sizeof(event));
    g_assert_cmpint(vgsp_gsp_rm_control(&f->c, 1, 2, 3, params, 8), ==,
                    VGSP_GSP_OK);
    g_assert_cmphex(f->event, ==, NV_VGPU_MSG_EVENT_POST_EVENT);
    rm_post(&f->k, NV_VGPU_MSG_EVENT_OS_ERROR_LOG, 0, event, sizeof(event));
    g_assert_cmpint(vgsp_gsp_poll(&f->c), ==, VGSP_GSP_OK);
    g_assert_cmphex(f->event, ==, NV_VGPU_MSG_EVENT_OS_ERROR_LOG);
    g_assert_cmpuint(f->events, ==, 2);
    /* GSP-RM falls silent. */
    f->k.mute = true;
    g_assert_cmpint(vgsp_gsp_rm_control(&f->c, 1, 2, 3, params, 8), ==,
                    VGSP_GSP_ETIMEDOUT);
    /* Unload fails for it, and frees all the same. */
    g_assert_cmpint(vgsp_gsp_unload(&f->c), ==, VGSP_GSP_ETIMEDOUT);
    g_assert_cmpuint(f->k.live, ==, 0);
}

/* Status queue memory that is not what GSP-RM would write. */
static void test_malformed(Fixture *f, gconstpointer data)
{
    uint8_t params[8] = { 0 };
    uint32_t at;

    (void)data;
    g_assert_cmpint(vgsp_gsp_boot(&f->c), ==, VGSP_GSP_OK);
    at = MSGQ + PAGE + f->c.msgq.index * PAGE;
    rm_post(&f->k, NV_VGPU_MSG_EVENT_POST_EVENT, 0, params, 8);
    ((uint8_t *)f->c.shared.handle)[at + 0x50] ^= 1;
    g_assert_cmpint(vgsp_gsp_rm_control(&f->c, 1, 2, 3, params, 8), ==,
                    VGSP_GSP_EPROTO);
    g_assert_cmpint(f->c.msgq_error, ==, VGSP_MSGQ_BAD_CHECKSUM);
    f->k.mute = true;
    vgsp_put_le32((uint8_t *)f->c.shared.handle + MSGQ + 0x10, 1000);
    g_assert_cmpint(vgsp_gsp_rm_control(&f->c, 1, 2, 3, params, 8), ==,
                    VGSP_GSP_EPROTO);
    g_assert_cmpint(f->c.msgq_error, ==, VGSP_MSGQ_BAD_POINTER);
}

/* A space whose making fails half-way leaves the first error to be read. */
static void test_vm(Fixture *f, gconstpointer data)
{
    VgspGspVm vm;

    (void)data;
    g_assert_cmpint(vgsp_gsp_boot(&f->c), ==, VGSP_GSP_OK);
    g_assert_cmpint(vgsp_gsp_vm_new(&f->c, 3, 0x10000, &vm), ==, VGSP_GSP_OK);
    g_assert_cmphex(vm.client, ==, 0xc1d00003);
    g_assert_cmpint(vgsp_gsp_vm_free(&f->c, &vm), ==, VGSP_GSP_OK);
    f->k.rm_status = NV_ERR_NO_MEMORY;
    g_assert_cmpint(vgsp_gsp_vm_new(&f->c, 3, 0x10000, &vm), ==,
                    VGSP_GSP_EREMOTEIO);
    g_assert_cmphex(f->c.rm_status, ==, NV_ERR_NO_MEMORY);
}

/* GSP-RM has the CPU write registers; malformed wishes end where they are. */
static void sequence(Fixture *f, const uint32_t *words, uint32_t count,
                     uint32_t claimed)
{
    uint8_t msg[sizeof(rpc_run_cpu_sequencer_v17_00) + 64] = { 0 };
    uint32_t len = sizeof(rpc_run_cpu_sequencer_v17_00);

    vgsp_put_le32(msg + 4, claimed);
    for (uint32_t i = 0; i < count; i++, len += 4) {
        vgsp_put_le32(msg + len, words[i]);
    }
    rm_post(&f->k, NV_VGPU_MSG_EVENT_GSP_RUN_CPU_SEQUENCER, 0, msg, len);
    g_assert_cmpint(vgsp_gsp_poll(&f->c), ==, VGSP_GSP_OK);
}

static void test_sequencer(Fixture *f, gconstpointer data)
{
    static const uint32_t good[] = {
        0, 0x1234, 0xaaaa,              /* write */
        1, 0x1234, 0xff, 0x55,          /* modify */
        2, 0x1234, 0xffff, 0xaa55, 5, 0, /* poll */
    };
    static const uint32_t delay[] = { 3, 700 };
    static const uint32_t never[] = { 2, 0x1234, 1, 0, 100, 0,
                                      0, 0x1238, 1 };
    static const uint32_t wild[] = { 0, 0x1000000, 1, 0, 0x123c, 1 };
    static const uint32_t unknown[] = { 9, 0, 0x1240, 1 };
    static const uint32_t cut[] = { 0, 0x1244 };
    uint64_t before;

    (void)data;
    g_assert_cmpint(vgsp_gsp_boot(&f->c), ==, VGSP_GSP_OK);
    sequence(f, good, G_N_ELEMENTS(good), G_N_ELEMENTS(good));
    g_assert_cmphex(*reg(&f->k, 0x1234), ==, 0xaa55);
    before = f->k.time_us;
    sequence(f, delay, 2, 2);
    g_assert_cmpuint(f->k.time_us - before, ==, 700);
    /* A poll that fails ends the sequence. */
    sequence(f, never, G_N_ELEMENTS(never), G_N_ELEMENTS(never));
    g_assert_cmphex(*reg(&f->k, 0x1238), ==, 0);
    sequence(f, wild, G_N_ELEMENTS(wild), G_N_ELEMENTS(wild));
    g_assert_cmphex(*reg(&f->k, 0x123c), ==, 0);
    sequence(f, unknown, G_N_ELEMENTS(unknown), G_N_ELEMENTS(unknown));
    g_assert_cmphex(*reg(&f->k, 0x1240), ==, 0);
    sequence(f, cut, 2, 2);
    sequence(f, cut, 2, 3);
    sequence(f, cut, 2, UINT32_MAX);
    g_assert_cmphex(*reg(&f->k, 0x1244), ==, 0);
    /* None of them is told to the caller. */
    g_assert_cmpuint(f->events, ==, 0);
    g_assert_cmpint(vgsp_gsp_unload(&f->c), ==, VGSP_GSP_OK);
}

#define ADD(name, fn) \
    g_test_add("/gsp-client/" name, Fixture, NULL, setup, fn, teardown)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (int i = 0; vgsp_profiles[i]; i++) {
        g_autofree char *path = g_strdup_printf("/gsp-client/boot/%s",
                                                vgsp_profiles[i]->name);

        g_test_add(path, Fixture, vgsp_profiles[i], setup, test_boot,
                   teardown);
    }
    ADD("layout", test_layout);
    ADD("no-memory", test_no_memory);
    for (size_t i = 0; i < G_N_ELEMENTS(stuck); i++) {
        g_autofree char *path = g_strdup_printf("/gsp-client/stuck/%s",
                                                stuck[i].name);

        g_test_add(path, Fixture, &stuck[i], setup, test_stuck, teardown);
    }
    ADD("rom", test_rom);
    ADD("ucodes", test_ucodes);
    ADD("mute", test_mute);
    ADD("rpc", test_rpc);
    ADD("malformed", test_malformed);
    ADD("vm", test_vm);
    ADD("sequencer", test_sequencer);
    return g_test_run();
}
