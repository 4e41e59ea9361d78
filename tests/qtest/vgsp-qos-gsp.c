/*
 * See vgsp-qos.h: the GSP client over qtest, with firmware of the right shape
 * and no content.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"


/* ---- Operations ---- */

static uint32_t op_read32(void *opaque, uint32_t reg)
{
    return vgsp_rd32(opaque, reg);
}

static void op_write32(void *opaque, uint32_t reg, uint32_t val)
{
    vgsp_wr32(opaque, reg, val);
}

/* One piece of guest memory; scattered pieces have their pages reversed. */
typedef struct QosDma {
    uint64_t addr, pages;
    bool reversed;
} QosDma;

static int op_dma_alloc(void *opaque, uint64_t size, bool contiguous,
                        VgspGspMem *mem)
{
    VgspQos *q = opaque;
    QosDma *dma = g_new0(QosDma, 1);

    g_assert_cmphex(size, !=, 0);
    g_assert_cmphex(size % VGSP_QOS_PAGE, ==, 0);
    dma->addr = vgsp_qos_ram(q, size);
    dma->pages = size / VGSP_QOS_PAGE;
    dma->reversed = q->scatter && !contiguous;
    mem->handle = dma;
    q->ram_live++;
    return 0;
}

static void op_dma_free(void *opaque, VgspGspMem *mem)
{
    VgspQos *q = opaque;

    q->ram_live--;
    g_free(mem->handle);
}

static uint64_t op_dma_addr(void *opaque, const VgspGspMem *mem,
                            uint64_t offset)
{
    const QosDma *dma = mem->handle;
    uint64_t page = offset / VGSP_QOS_PAGE;

    g_assert_cmphex(page, <, dma->pages);
    if (dma->reversed) {
        page = dma->pages - 1 - page;
    }
    return dma->addr + page * VGSP_QOS_PAGE + offset % VGSP_QOS_PAGE;
}

static int op_dma_access(VgspQos *q, const VgspGspMem *mem, uint64_t offset,
                         void *rbuf, const void *wbuf, uint32_t len)
{
    const QosDma *dma = mem->handle;

    g_assert_true(vgsp_range_ok(offset, len, dma->pages * VGSP_QOS_PAGE));
    for (uint32_t done = 0; done < len;) {
        uint64_t at = op_dma_addr(q, mem, offset + done);
        uint32_t n = len - done;

        if (dma->reversed) {
            n = MIN(n, VGSP_QOS_PAGE - at % VGSP_QOS_PAGE);
        }
        if (rbuf) {
            qtest_bufread(q->qts, at, (uint8_t *)rbuf + done, n);
        } else {
            qtest_bufwrite(q->qts, at, (const uint8_t *)wbuf + done, n);
        }
        done += n;
    }
    return 0;
}

static int op_dma_read(void *opaque, const VgspGspMem *mem, uint64_t offset,
                       void *buf, uint32_t len)
{
    return op_dma_access(opaque, mem, offset, buf, NULL, len);
}

static int op_dma_write(void *opaque, const VgspGspMem *mem, uint64_t offset,
                        const void *buf, uint32_t len)
{
    return op_dma_access(opaque, mem, offset, NULL, buf, len);
}

static void op_delay_us(void *opaque, uint32_t us)
{
    VgspQos *q = opaque;

    /* Virtual time for the device, real time for its threads. */
    q->delayed_us += us;
    vgsp_qos_step_us(q, us);
}

static void op_log(void *opaque, const char *what, uint64_t value)
{
    g_test_message("gsp: %s: 0x%" PRIx64, what, value);
}

static const VgspGspOps qos_ops = {
    .read32 = op_read32,
    .write32 = op_write32,
    .dma_alloc = op_dma_alloc,
    .dma_free = op_dma_free,
    .dma_addr = op_dma_addr,
    .dma_read = op_dma_read,
    .dma_write = op_dma_write,
    .delay_us = op_delay_us,
    .log = op_log,
};

/* ---- Firmware ---- */

static uint8_t fw_image[0x12340], fw_signature[0x1000], fw_bootloader[0x1000];
static uint8_t fw_booter[0x800], fw_loader[0x300];

static const VgspGspFirmware qos_firmware = {
    .image = { fw_image, sizeof(fw_image) },
    .signature = { fw_signature, sizeof(fw_signature) },
    .bootloader = { fw_bootloader, sizeof(fw_bootloader) },
    .bootloader_code = 0,
    .bootloader_data = 0x800,
    .bootloader_manifest = 0xc00,
    .app_version = 1,
    .booter_load = {
        .image = { fw_booter, sizeof(fw_booter) },
        .code_imem = 0, .code_size = 0x100,
        .secure_imem = 0x100, .secure_size = 0x400,
        .data_offset = 0x500, .data_size = 0x300,
    },
    .booter_unload = {
        .image = { fw_booter, sizeof(fw_booter) },
        .code_imem = 0, .code_size = 0x100,
        .secure_imem = 0x100, .secure_size = 0x300,
        .data_offset = 0x500, .data_size = 0x200,
    },
    .fwsec_loader = { fw_loader, sizeof(fw_loader) },
    .fwsec_loader_tag = 0xfd,
};

static void fw_fill(uint8_t *buf, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        buf[i] = i * 13 + 7;
    }
}

/* ---- Life ---- */

static void qos_event(void *opaque, uint32_t event, const uint8_t *payload,
                      uint32_t len)
{
    VgspQos *q = opaque;

    q->events++;
    q->event = event;
    q->event_len = len;
    memcpy(q->event_data, payload, MIN(len, sizeof(q->event_data)));
}

void vgsp_gsp_init(VgspQos *q, const VgspProfile *profile)
{
    fw_fill(fw_image, sizeof(fw_image));
    fw_fill(fw_signature, sizeof(fw_signature));
    fw_fill(fw_bootloader, sizeof(fw_bootloader));
    fw_fill(fw_booter, sizeof(fw_booter));
    fw_fill(fw_loader, sizeof(fw_loader));
    q->gsp = (VgspGspClient) {
        .ops = &qos_ops,
        .opaque = q,
        .profile = profile,
        .fw = &qos_firmware,
        .system = {
            .bar0 = q->bar0,
            .bar1 = q->bar1,
            .bar2 = q->bar3,
            .bdf = q->dev->devfn,
            .max_user_va = 1ull << 47,
            .pci_id = 0x1e8110de,
        },
        .rom = q->rom_buf,
        .rom_size = sizeof(q->rom_buf),
        .tx = q->tx,
        .tx_size = sizeof(q->tx),
        .rx = q->rx,
        .rx_size = sizeof(q->rx),
        .event = qos_event,
        .event_opaque = q,
    };
}

void vgsp_gsp_up(VgspQos *q, const VgspProfile *profile)
{
    vgsp_gsp_init(q, profile);
    g_assert_cmpint(vgsp_gsp_boot(&q->gsp), ==, VGSP_GSP_OK);
}

void vgsp_gsp_down(VgspQos *q)
{
    g_assert_cmpint(vgsp_gsp_unload(&q->gsp), ==, VGSP_GSP_OK);
    g_assert_cmpuint(q->ram_live, ==, 0);
}

uint64_t qos_dma_addr_of(VgspQos *q, const VgspGspMem *mem)
{
    return op_dma_addr(q, mem, 0);
}

void vgsp_add_profiles(const char *path, void (*fn)(const void *profile))
{
    for (int i = 0; vgsp_profiles[i]; i++) {
        g_autofree char *name = g_strdup_printf("%s/%s", path,
                                                vgsp_profiles[i]->name);

        qtest_add_data_func(name, vgsp_profiles[i], fn);
    }
}
