/*
 * Reset at any point of a boot, by function level reset and by system reset:
 * the card is as after power on, and boots.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "vgsp/nv/dev_fb.h"
#include "vgsp/nv/dev_falcon.h"

/* Stop the client's boot after so many register accesses. */
typedef struct Limit {
    VgspGspOps ops;
    const VgspGspOps *real;
    unsigned left;
} Limit;

static Limit limit;

static bool limit_hit(void)
{
    if (limit.left) {
        limit.left--;
        return false;
    }
    return true;
}

static uint32_t limit_read32(void *opaque, uint32_t reg)
{
    /* A card that is gone reads all ones. */
    return limit_hit() ? 0xffffffff : limit.real->read32(opaque, reg);
}

static void limit_write32(void *opaque, uint32_t reg, uint32_t val)
{
    if (!limit_hit()) {
        limit.real->write32(opaque, reg, val);
    }
}

/* No point in waiting once the limit is reached. */
static void limit_delay_us(void *opaque, uint32_t us)
{
    if (limit.left) {
        limit.real->delay_us(opaque, us);
    }
}

static void boot_up_to(VgspQos *q, unsigned accesses)
{
    limit.real = q->gsp.ops;
    limit.ops = *limit.real;
    limit.ops.read32 = limit_read32;
    limit.ops.write32 = limit_write32;
    limit.ops.delay_us = limit_delay_us;
    limit.left = accesses;
    q->gsp.ops = &limit.ops;
    vgsp_gsp_boot(&q->gsp);
    q->gsp.ops = limit.real;
    vgsp_gsp_forget(&q->gsp);
}

/* How many register accesses a whole boot takes. */
static unsigned boot_length(VgspQos *q)
{
    vgsp_gsp_init(q, vgsp_profiles[0]);
    limit.real = q->gsp.ops;
    limit.ops = *limit.real;
    limit.ops.read32 = limit_read32;
    limit.ops.write32 = limit_write32;
    limit.left = UINT_MAX;
    q->gsp.ops = &limit.ops;
    g_assert_cmpint(vgsp_gsp_boot(&q->gsp), ==, VGSP_GSP_OK);
    q->gsp.ops = limit.real;
    vgsp_gsp_down(q);
    return UINT_MAX - limit.left;
}

static void check_power_on(VgspQos *q)
{
    g_assert_cmphex(vgsp_rd32(q, NV_PFB_PRI_MMU_WPR2_ADDR_LO), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, NV_PFB_PRI_MMU_WPR2_ADDR_HI), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, 0x111240) & 1, ==, 0);
    g_assert_cmphex(vgsp_rd32(q, 0x110040), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, 0x110044), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, 0x110100), ==, 0x10);
    g_assert_cmphex(vgsp_rd32(q, 0x840100), ==, 0x10);
    g_assert_cmphex(vgsp_rd32(q, 0x001438), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, 0x001454), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, 0xb81608), ==, 0);
    for (int i = 0; i < 8; i++) {
        g_assert_cmphex(vgsp_rd32(q, 0xb81000 + 4 * i), ==, 0);
        g_assert_cmphex(vgsp_rd32(q, 0xb81200 + 4 * i), ==, 0);
    }
    g_assert_cmphex(vgsp_rd32(q, 0x118234) & 0xff, ==, 0xff);
}

static void reset_flr(VgspQos *q)
{
    vgsp_qos_flr(q);
}

static void reset_system(VgspQos *q)
{
    qtest_system_reset(q->qts);
    vgsp_qos_enable(q);
}

typedef struct ResetKind {
    const char *name;
    void (*reset)(VgspQos *q);
} ResetKind;

static const ResetKind kinds[] = {
    { "flr", reset_flr },
    { "system", reset_system },
};

static void test_points(const void *data)
{
    const ResetKind *kind = data;
    VgspQos *q = vgsp_qos_new("", "");
    unsigned length = boot_length(q);

    for (unsigned i = 1; i <= 10; i++) {
        /* The PROM is most of a boot: look closer at what follows it. */
        unsigned at = i <= 2 ? length * i / 4 : length - (11 - i) * 40;

        vgsp_gsp_init(q, vgsp_profiles[0]);
        boot_up_to(q, at);
        kind->reset(q);
        check_power_on(q);
        vgsp_gsp_up(q, vgsp_profiles[i & 1]);
        vgsp_gsp_down(q);
        /* Only addresses are used up, the memory was given back. */
        q->ram_next = 0x1000000;
    }
    vgsp_qos_free(q);
}

/* With GSP-RM up, objects in it and a reply on its way. */
static void test_running(const void *data)
{
    const ResetKind *kind = data;
    VgspQos *q = vgsp_qos_new("", "");
    VgspGspVm vm;

    for (int i = 0; i < 3; i++) {
        vgsp_gsp_up(q, vgsp_profiles[i & 1]);
        g_assert_cmpint(vgsp_gsp_vm_new(&q->gsp, 1, 0x10000, &vm), ==, 0);
        for (int j = 0; j < i * 40; j++) {
            static const uint8_t none[16];

            vgsp_gsp_rpc_send(&q->gsp, NV_VGPU_MSG_FUNCTION_FREE, none, 16);
        }
        kind->reset(q);
        vgsp_gsp_forget(&q->gsp);
        check_power_on(q);
    }
    vgsp_gsp_up(q, vgsp_profiles[0]);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

/* After a reset GSP writes nothing: the old queues stay as they are. */
static void test_silent(const void *data)
{
    const ResetKind *kind = data;
    VgspQos *q = vgsp_qos_new("", "");
    static const uint8_t none[16];
    uint64_t status;
    uint32_t wptr;

    vgsp_gsp_up(q, vgsp_profiles[0]);
    status = q->gsp.ops->dma_addr(q, &q->gsp.shared, 0x41000);
    /* A full status queue: replies wait for room. */
    for (int i = 0; i < 80; i++) {
        vgsp_gsp_rpc_send(&q->gsp, NV_VGPU_MSG_FUNCTION_FREE, none, 16);
    }
    kind->reset(q);
    wptr = qtest_readl(q->qts, status + 0x10);
    qtest_writel(q->qts, q->gsp.ops->dma_addr(q, &q->gsp.shared, 0x1020), wptr);
    vgsp_wr32(q, NV_PGSP_FALCON_BASE + NV_PFALCON_QUEUE_HEAD(0), 0);
    vgsp_qos_step_us(q, 100000);
    g_assert_cmphex(qtest_readl(q->qts, status + 0x10), ==, wptr);
    vgsp_qos_free(q);
}

/* Bus mastering off: the firmware cannot be fetched, nothing breaks. */
static void test_no_master(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    qpci_config_writew(q->dev, 4, 2);
    vgsp_gsp_init(q, vgsp_profiles[0]);
    g_assert_cmpint(vgsp_gsp_boot(&q->gsp), ==, VGSP_GSP_EIO);
    vgsp_qos_enable(q);
    vgsp_gsp_up(q, vgsp_profiles[0]);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        g_autofree char *points = g_strdup_printf("/vgsp/reset/points/%s",
                                                  kinds[i].name);
        g_autofree char *running = g_strdup_printf("/vgsp/reset/running/%s",
                                                   kinds[i].name);
        g_autofree char *silent = g_strdup_printf("/vgsp/reset/silent/%s",
                                                  kinds[i].name);

        qtest_add_data_func(points, &kinds[i], test_points);
        qtest_add_data_func(running, &kinds[i], test_running);
        qtest_add_data_func(silent, &kinds[i], test_silent);
    }
    qtest_add_func("/vgsp/reset/no-bus-master", test_no_master);
    return g_test_run();
}
