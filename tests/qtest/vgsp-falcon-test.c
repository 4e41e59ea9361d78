/*
 * Falcons: memories through PIO ports, plain registers, interrupts, reset.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "vgsp/nv/dev_falcon.h"
#include "vgsp/nv/dev_vm.h"

#define AINCW   ((uint32_t)NV_PFALCON_FALCON_MEMC_AINCW)
#define AINCR   ((uint32_t)NV_PFALCON_FALCON_MEMC_AINCR)
#define SECURE  ((uint32_t)NV_PFALCON_FALCON_IMEMC_SECURE)

static const uint32_t bases[] = { NV_PGSP_FALCON_BASE, NV_PSEC_FALCON_BASE };

static void test_sizes(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    for (size_t i = 0; i < G_N_ELEMENTS(bases); i++) {
        uint32_t hwcfg = vgsp_rd32(q, bases[i] + 0x108);

        /* 64 KiB each, in units of 256 bytes. */
        g_assert_cmphex(hwcfg & 0x1ff, ==, 0x100);
        g_assert_cmphex(hwcfg >> 9 & 0x1ff, ==, 0x100);
        g_assert_cmphex(vgsp_rd32(q, bases[i] + 0x100), ==, 0x10);
        g_assert_cmphex(vgsp_rd32(q, bases[i] + 0x10c) & 6, ==, 0);
    }
    g_assert_cmphex(vgsp_rd32(q, NV_PGSP_FALCON_BASE + 0xf4) & 0x400, ==,
                    0x400);
    g_assert_cmphex(vgsp_rd32(q, NV_PSEC_FALCON_BASE + 0x408) & 0x100000, ==,
                    0);
    g_assert_cmphex(vgsp_rd32(q, 0x111240) & 1, ==, 0);
    vgsp_qos_free(q);
}

static void check_dmem(VgspQos *q, uint32_t base)
{
    uint32_t c = base + NV_PFALCON_FALCON_DMEMC(0);
    uint32_t d = base + NV_PFALCON_FALCON_DMEMD(0);

    vgsp_wr32(q, c, AINCW | 0x100);
    for (uint32_t i = 0; i < 64; i++) {
        vgsp_wr32(q, d, 0xa0000000 + i);
    }
    /* The address field counts on, in the register too. */
    g_assert_cmphex(vgsp_rd32(q, c), ==, AINCW | 0x200);
    vgsp_wr32(q, c, AINCR | 0x100);
    for (uint32_t i = 0; i < 64; i++) {
        g_assert_cmphex(vgsp_rd32(q, d), ==, 0xa0000000 + i);
    }
    /* Without auto-increment the port stays where it is. */
    vgsp_wr32(q, c, 0x104);
    g_assert_cmphex(vgsp_rd32(q, d), ==, 0xa0000001);
    g_assert_cmphex(vgsp_rd32(q, d), ==, 0xa0000001);
    vgsp_wr32(q, d, 0x5a5a5a5a);
    g_assert_cmphex(vgsp_rd32(q, d), ==, 0x5a5a5a5a);
    /* The end of the memory. */
    vgsp_wr32(q, c, AINCW | 0xfffc);
    vgsp_wr32(q, d, 0x11223344);
    vgsp_wr32(q, d, 0x55667788);
    vgsp_wr32(q, c, AINCR | 0xfffc);
    g_assert_cmphex(vgsp_rd32(q, d), ==, 0x11223344);
}

static void check_imem(VgspQos *q, uint32_t base)
{
    uint32_t c = base + NV_PFALCON_FALCON_IMEMC(0);
    uint32_t d = base + NV_PFALCON_FALCON_IMEMD(0);
    uint32_t t = base + NV_PFALCON_FALCON_IMEMT(0);

    vgsp_wr32(q, c, AINCW | 0x200);
    vgsp_wr32(q, t, 2);
    for (uint32_t i = 0; i < 64; i++) {
        vgsp_wr32(q, d, 0xb0000000 + i);
    }
    vgsp_wr32(q, c, AINCR | 0x200);
    for (uint32_t i = 0; i < 64; i++) {
        g_assert_cmphex(vgsp_rd32(q, d), ==, 0xb0000000 + i);
    }
    /* Secure code does not read back. */
    vgsp_wr32(q, c, AINCW | SECURE | 0x300);
    vgsp_wr32(q, t, 3);
    vgsp_wr32(q, d, 0xc0ffee00);
    vgsp_wr32(q, c, AINCR | 0x300);
    g_assert_cmphex(vgsp_rd32(q, d), !=, 0xc0ffee00);
}

static void test_pio(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    for (size_t i = 0; i < G_N_ELEMENTS(bases); i++) {
        check_dmem(q, bases[i]);
        check_imem(q, bases[i]);
    }
    vgsp_qos_free(q);
}

static void test_reset(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    for (size_t i = 0; i < G_N_ELEMENTS(bases); i++) {
        uint32_t base = bases[i];

        vgsp_wr32(q, base + 0x040, 0x11111111);
        vgsp_wr32(q, base + 0x044, 0x22222222);
        vgsp_wr32(q, base + 0x048, 3);
        vgsp_wr32(q, base + 0x080, 0x33333333);
        vgsp_wr32(q, base + 0x084, 0x164000a1);
        vgsp_wr32(q, base + 0x104, 0x100);
        g_assert_cmphex(vgsp_rd32(q, base + 0x040), ==, 0x11111111);
        g_assert_cmphex(vgsp_rd32(q, base + 0x044), ==, 0x22222222);
        g_assert_cmphex(vgsp_rd32(q, base + 0x048) & 3, ==, 3);
        g_assert_cmphex(vgsp_rd32(q, base + 0x080), ==, 0x33333333);
        g_assert_cmphex(vgsp_rd32(q, base + 0x084), ==, 0x164000a1);
        g_assert_cmphex(vgsp_rd32(q, base + 0x104), ==, 0x100);

        vgsp_wr32(q, base + 0x3c0, 1);
        g_assert_cmphex(vgsp_rd32(q, base + 0x3c0) & 1, ==, 1);
        vgsp_wr32(q, base + 0x3c0, 0);
        g_assert_cmphex(vgsp_rd32(q, base + 0x3c0) & 1, ==, 0);
        g_assert_cmphex(vgsp_rd32(q, base + 0x048) & 3, ==, 0);
        g_assert_cmphex(vgsp_rd32(q, base + 0x100), ==, 0x10);
        g_assert_cmphex(vgsp_rd32(q, base + 0x10c) & 6, ==, 0);
        g_assert_cmphex(vgsp_rd32(q, base + 0x080), ==, 0);
    }
    vgsp_qos_free(q);
}

static void test_interrupts(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    uint32_t base = NV_PGSP_FALCON_BASE;

    vgsp_wr32(q, base + NV_PFALCON_FALCON_IRQMSET, 0x50);
    g_assert_cmphex(vgsp_rd32(q, base + NV_PFALCON_FALCON_IRQMASK), ==, 0x50);
    vgsp_wr32(q, base + NV_PFALCON_FALCON_IRQMCLR, 0x10);
    g_assert_cmphex(vgsp_rd32(q, base + NV_PFALCON_FALCON_IRQMASK), ==, 0x40);
    vgsp_wr32(q, base + NV_PFALCON_FALCON_IRQSSET, 0xc0);
    g_assert_cmphex(vgsp_rd32(q, base + NV_PFALCON_FALCON_IRQSTAT) & 0xc0, ==,
                    0xc0);
    vgsp_wr32(q, base + NV_PFALCON_FALCON_IRQSCLR, 0x40);
    g_assert_cmphex(vgsp_rd32(q, base + NV_PFALCON_FALCON_IRQSTAT) & 0xc0, ==,
                    0x80);
    vgsp_qos_free(q);
}

/* A core with nothing loaded, and one that is held in reset. */
static void test_start_empty(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    for (size_t i = 0; i < G_N_ELEMENTS(bases); i++) {
        vgsp_wr32(q, bases[i] + 0x040, 0);
        vgsp_wr32(q, bases[i] + 0x044, 0);
        vgsp_wr32(q, bases[i] + 0x104, 0);
        vgsp_wr32(q, bases[i] + 0x100, 2);
        g_assert_cmphex(vgsp_rd32(q, bases[i] + 0x100) & 0x10, ==, 0x10);
        g_assert_cmphex(vgsp_rd32(q, bases[i] + 0x040), !=, 0);
        vgsp_wr32(q, bases[i] + 0x3c0, 1);
        vgsp_wr32(q, bases[i] + 0x100, 2);
        vgsp_wr32(q, bases[i] + 0x3c0, 0);
    }
    g_assert_cmphex(vgsp_rd32(q, 0x111240) & 1, ==, 0);
    g_assert_cmphex(vgsp_rd32(q, 0x1fa828), ==, 0);
    vgsp_qos_free(q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/vgsp/falcon/sizes", test_sizes);
    qtest_add_func("/vgsp/falcon/pio", test_pio);
    qtest_add_func("/vgsp/falcon/reset", test_reset);
    qtest_add_func("/vgsp/falcon/interrupts", test_interrupts);
    qtest_add_func("/vgsp/falcon/start-empty", test_start_empty);
    return g_test_run();
}
