/*
 * What the PCI bus sees: identity, BARs, capabilities, the expansion ROM and
 * the effect of a function level reset.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "standard-headers/linux/pci_regs.h"
#include "vgsp/nv/dev_bus.h"
#include "vgsp/nv/dev_fb.h"
#include "vgsp/nv/dev_vm.h"

#define ROM_SIZE    (512u << 10)

static void test_identity(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    g_assert_cmphex(qpci_config_readl(q->dev, PCI_VENDOR_ID), ==, 0x1e8110de);
    g_assert_cmphex(qpci_config_readl(q->dev, PCI_CLASS_REVISION), ==,
                    0x030000a1);
    g_assert_cmphex(qpci_config_readb(q->dev, PCI_HEADER_TYPE), ==, 0);
    g_assert_cmphex(qpci_config_readb(q->dev, PCI_INTERRUPT_PIN), ==, 1);
    vgsp_qos_free(q);
}

typedef struct Bar {
    int reg;
    uint32_t flags;         /* of the low word */
    uint64_t size;
    bool wide;
} Bar;

static const Bar bars[] = {
    { 0, 0x0, 16ull << 20, false },
    { 1, 0xc, 256ull << 20, true },
    { 3, 0xc, 32ull << 20, true },
    { 5, 0x1, 128, false },
};

static void test_bars(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    for (size_t i = 0; i < G_N_ELEMENTS(bars); i++) {
        int reg = PCI_BASE_ADDRESS_0 + 4 * bars[i].reg;
        uint64_t mask;
        uint32_t lo;

        qpci_config_writel(q->dev, reg, 0xffffffff);
        lo = qpci_config_readl(q->dev, reg);
        g_assert_cmphex(lo & 0xf, ==, bars[i].flags);
        mask = (lo & ~0xfu) | 0xffffffff00000000ull;
        if (bars[i].wide) {
            qpci_config_writel(q->dev, reg + 4, 0xffffffff);
            mask = (lo & ~0xfu) |
                (uint64_t)qpci_config_readl(q->dev, reg + 4) << 32;
        }
        g_assert_cmphex(-mask, ==, bars[i].size);
    }
    qpci_config_writel(q->dev, PCI_ROM_ADDRESS, 0xfffff800);
    g_assert_cmphex(qpci_config_readl(q->dev, PCI_ROM_ADDRESS), ==,
                    (uint32_t)-ROM_SIZE);
    vgsp_qos_free(q);
}

static void test_caps(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    uint8_t exp = qpci_find_capability(q->dev, PCI_CAP_ID_EXP, 0);
    uint8_t pm = qpci_find_capability(q->dev, PCI_CAP_ID_PM, 0);
    uint8_t msi = qpci_find_capability(q->dev, PCI_CAP_ID_MSI, 0);
    uint8_t msix = qpci_find_capability(q->dev, PCI_CAP_ID_MSIX, 0);

    /* Places as on a TU104 board. */
    g_assert_cmphex(pm, ==, 0x60);
    g_assert_cmphex(msi, ==, 0x68);
    g_assert_cmphex(exp, ==, 0x78);
    g_assert_cmphex(msix, ==, 0xc8);

    g_assert_cmphex(qpci_config_readw(q->dev, exp + PCI_EXP_FLAGS) &
                    (PCI_EXP_FLAGS_VERS | PCI_EXP_FLAGS_TYPE), ==,
                    2 | PCI_EXP_TYPE_LEG_END << 4);
    g_assert_cmphex(qpci_config_readl(q->dev, exp + PCI_EXP_DEVCAP) &
                    PCI_EXP_DEVCAP_FLR, ==, PCI_EXP_DEVCAP_FLR);
    g_assert_cmphex(qpci_config_readw(q->dev, msi + PCI_MSI_FLAGS) &
                    (PCI_MSI_FLAGS_64BIT | PCI_MSI_FLAGS_QMASK |
                     PCI_MSI_FLAGS_ENABLE), ==, PCI_MSI_FLAGS_64BIT);
    g_assert_cmphex(qpci_config_readw(q->dev, msix + PCI_MSIX_FLAGS), ==,
                    NV_VIRTUAL_FUNCTION_PRIV_MSIX_TABLE__SIZE_1 - 1);
    /* Table and pending bits lie in NV_VIRTUAL_FUNCTION, in BAR 0. */
    g_assert_cmphex(qpci_config_readl(q->dev, msix + PCI_MSIX_TABLE), ==,
                    0xb90000);
    g_assert_cmphex(qpci_config_readl(q->dev, msix + PCI_MSIX_PBA), ==,
                    0xba0000);
    vgsp_qos_free(q);
}

static void test_conventional(void)
{
    QTestState *qts = qtest_init("-M pc -nodefaults "
                                 "-device vgsp-gpu,addr=4.0,vram-size=256M");
    QPCIBus *bus = qpci_new_pc(qts, NULL);
    QPCIDevice *dev = qpci_device_find(bus, QPCI_DEVFN(4, 0));

    g_assert_nonnull(dev);
    g_assert_cmphex(qpci_config_readl(dev, PCI_VENDOR_ID), ==, 0x1e8110de);
    g_assert_cmphex(qpci_find_capability(dev, PCI_CAP_ID_EXP, 0), ==, 0);
    g_assert_cmphex(qpci_find_capability(dev, PCI_CAP_ID_MSI, 0), ==, 0x68);
    g_free(dev);
    qpci_free_pc(bus);
    qtest_quit(qts);
}

static void test_rom(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    g_autofree uint8_t *rom = g_malloc(ROM_SIZE);
    VgspVbiosInfo info;

    qpci_config_writel(q->dev, PCI_ROM_ADDRESS,
                       q->rom | PCI_ROM_ADDRESS_ENABLE);
    qtest_bufread(q->qts, q->rom, rom, ROM_SIZE);
    g_assert_cmphex(vgsp_le16(rom), ==, 0xaa55);
    g_assert_cmpint(vgsp_vbios_parse(rom, ROM_SIZE, &info), ==, VGSP_VBIOS_OK);
    g_assert_true(info.checksum_ok);
    g_assert_cmphex(info.base, ==, 0);
    g_assert_cmphex(info.vendor_id, ==, 0x10de);
    g_assert_cmphex(info.device_id, ==, 0x1e81);
    g_assert_cmphex(info.class_code, ==, 0x030000);
    /* The initialisation entry returns at once: its jump lands on retf. */
    g_assert_cmphex(rom[2] * 512u, ==, info.image0_size);
    switch (rom[3]) {
    case 0xe9:
        g_assert_cmphex(rom[6 + (int16_t)vgsp_le16(rom + 4)], ==, 0xcb);
        break;
    case 0xeb:
        g_assert_cmphex(rom[5 + (int8_t)rom[4]], ==, 0xcb);
        break;
    default:
        g_assert_cmphex(rom[3], ==, 0xcb);
    }
    vgsp_qos_free(q);
}

/* What a reset must forget: one witness in each kind of state. */
static void reset_witness_set(VgspQos *q)
{
    vgsp_wr32(q, NV_PBUS_SW_SCRATCH(3), 0x12345678);
    vgsp_wr32(q, NV_PFB_NISO_FLUSH_SYSMEM_ADDR, 0xabcdef);
    vgsp_wr32(q, NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET +
              NV_VIRTUAL_FUNCTION_PRIV_CPU_INTR_LEAF_EN_SET(2), 0xff);
    vgsp_wr32(q, NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET +
              NV_VIRTUAL_FUNCTION_PRIV_CPU_INTR_TOP_EN_SET(0), 0xf);
    g_assert_cmphex(vgsp_rd32(q, NV_PBUS_SW_SCRATCH(3)), ==, 0x12345678);
}

static void reset_witness_gone(VgspQos *q)
{
    g_assert_cmphex(vgsp_rd32(q, NV_PBUS_SW_SCRATCH(3)), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, NV_PFB_NISO_FLUSH_SYSMEM_ADDR), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET +
        NV_VIRTUAL_FUNCTION_PRIV_CPU_INTR_LEAF_EN_SET(2)), ==, 0);
    g_assert_cmphex(vgsp_rd32(q, NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET +
        NV_VIRTUAL_FUNCTION_PRIV_CPU_INTR_TOP_EN_SET(0)), ==, 0);
}

static void test_flr(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    reset_witness_set(q);
    vgsp_qos_flr(q);
    reset_witness_gone(q);
    vgsp_qos_free(q);
}

static void test_system_reset(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    reset_witness_set(q);
    qtest_system_reset(q->qts);
    vgsp_qos_enable(q);
    reset_witness_gone(q);
    vgsp_qos_free(q);
}

/* BAR 5: BAR 0 through an address and a data port. */
static void test_io_window(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    qtest_outl(q->qts, q->bar5 + 0x8, 0);
    g_assert_cmphex(qtest_inl(q->qts, q->bar5 + 0xc), ==, 0);
    qtest_outl(q->qts, q->bar5 + 0x0, 1);
    qtest_outl(q->qts, q->bar5 + 0x4, 1);
    g_assert_cmphex(qtest_inl(q->qts, q->bar5 + 0xc), ==, 0x164000a1);
    vgsp_qos_free(q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/vgsp/pci/identity", test_identity);
    qtest_add_func("/vgsp/pci/bars", test_bars);
    qtest_add_func("/vgsp/pci/capabilities", test_caps);
    qtest_add_func("/vgsp/pci/conventional", test_conventional);
    qtest_add_func("/vgsp/pci/rom", test_rom);
    qtest_add_func("/vgsp/pci/flr", test_flr);
    qtest_add_func("/vgsp/pci/system-reset", test_system_reset);
    qtest_add_func("/vgsp/pci/io-window", test_io_window);
    return g_test_run();
}
