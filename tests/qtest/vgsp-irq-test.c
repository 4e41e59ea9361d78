/*
 * Interrupts: the vectored tree, its gates, and delivery by MSI and MSI-X with
 * masking and pending bits.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "qobject/qdict.h"
#include "standard-headers/linux/pci_regs.h"
#include "vgsp/nv/dev_falcon.h"
#include "vgsp/nv/dev_nv_xve.h"
#include "vgsp/nv/dev_vm.h"

#define VF(reg) (NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET + \
                 NV_VIRTUAL_FUNCTION_PRIV_##reg)
#define TOP         VF(CPU_INTR_TOP(0))
#define TOP_SET     VF(CPU_INTR_TOP_EN_SET(0))
#define TOP_CLEAR   VF(CPU_INTR_TOP_EN_CLEAR(0))
#define LEAF(i)     VF(CPU_INTR_LEAF(i))
#define EN_SET(i)   VF(CPU_INTR_LEAF_EN_SET(i))
#define EN_CLEAR(i) VF(CPU_INTR_LEAF_EN_CLEAR(i))
#define TRIGGER     VF(CPU_INTR_LEAF_TRIGGER)

static void test_tree(void)
{
    VgspQos *q = vgsp_qos_new("", "");

    for (unsigned vector = 0; vector < 256; vector += 37) {
        unsigned leaf = vector / 32;
        uint32_t bit = 1u << (vector % 32);

        vgsp_wr32(q, TRIGGER, vector);
        g_assert_cmphex(vgsp_rd32(q, LEAF(leaf)), ==, bit);
        /* TOP counts enabled bits only. */
        g_assert_cmphex(vgsp_rd32(q, TOP), ==, 0);
        vgsp_wr32(q, EN_SET(leaf), bit);
        g_assert_cmphex(vgsp_rd32(q, EN_SET(leaf)), ==, bit);
        g_assert_cmphex(vgsp_rd32(q, TOP), ==, 1u << (leaf / 2));
        /* Writing a zero bit clears nothing; a one bit clears only itself. */
        vgsp_wr32(q, LEAF(leaf), ~bit);
        g_assert_cmphex(vgsp_rd32(q, LEAF(leaf)), ==, bit);
        vgsp_wr32(q, LEAF(leaf), bit);
        g_assert_cmphex(vgsp_rd32(q, LEAF(leaf)), ==, 0);
        g_assert_cmphex(vgsp_rd32(q, TOP), ==, 0);
        vgsp_wr32(q, EN_CLEAR(leaf), bit);
        g_assert_cmphex(vgsp_rd32(q, EN_CLEAR(leaf)), ==, 0);
    }
    /* Two leafs share a subtree. */
    vgsp_wr32(q, EN_SET(4), 1);
    vgsp_wr32(q, EN_SET(5), 1);
    vgsp_wr32(q, TRIGGER, 4 * 32);
    vgsp_wr32(q, TRIGGER, 5 * 32);
    g_assert_cmphex(vgsp_rd32(q, TOP), ==, 4);
    vgsp_wr32(q, LEAF(4), 1);
    g_assert_cmphex(vgsp_rd32(q, TOP), ==, 4);
    vgsp_wr32(q, LEAF(5), 1);
    g_assert_cmphex(vgsp_rd32(q, TOP), ==, 0);
    /* No such vector. */
    vgsp_wr32(q, TRIGGER, 0xfff);
    for (int i = 0; i < 8; i++) {
        g_assert_cmphex(vgsp_rd32(q, LEAF(i)), ==, 0);
    }
    vgsp_wr32(q, TOP_SET, 0xffffffff);
    g_assert_cmphex(vgsp_rd32(q, TOP_SET), ==, 0xf);
    vgsp_wr32(q, TOP_CLEAR, 0x5);
    g_assert_cmphex(vgsp_rd32(q, TOP_CLEAR), ==, 0xa);
    vgsp_qos_free(q);
}

/* Every way in which something pending becomes visible sends one message. */
static void check_delivery(VgspQos *q, const VgspQosMsi *msi)
{
    /* All gates open, then the event. */
    vgsp_wr32(q, TOP_SET, 0xf);
    vgsp_wr32(q, EN_SET(1), 2);
    g_assert_true(vgsp_qos_msi_quiet(q, msi));
    vgsp_wr32(q, TRIGGER, 33);
    g_assert_true(vgsp_qos_msi_taken(q, msi));
    /* Still pending: no second message. */
    g_assert_true(vgsp_qos_msi_quiet(q, msi));
    /* The handler's order: TOP off, leaf cleared, TOP on: quiet. */
    vgsp_wr32(q, TOP_CLEAR, 0xf);
    vgsp_wr32(q, NV_PCFG_BASE + NV_XVE_CYA_2, 0);
    vgsp_wr32(q, LEAF(1), 2);
    vgsp_wr32(q, TOP_SET, 0xf);
    g_assert_true(vgsp_qos_msi_quiet(q, msi));
    /* An event while TOP was off is announced when TOP comes back. */
    vgsp_wr32(q, TOP_CLEAR, 0xf);
    vgsp_wr32(q, TRIGGER, 33);
    g_assert_true(vgsp_qos_msi_quiet(q, msi));
    vgsp_wr32(q, TOP_SET, 0xf);
    g_assert_true(vgsp_qos_msi_taken(q, msi));
    vgsp_wr32(q, LEAF(1), 2);
    /* Likewise for a leaf's enable. */
    vgsp_wr32(q, TRIGGER, 7 * 32 + 5);
    g_assert_true(vgsp_qos_msi_quiet(q, msi));
    vgsp_wr32(q, EN_SET(7), 1 << 5);
    g_assert_true(vgsp_qos_msi_taken(q, msi));
    vgsp_wr32(q, LEAF(7), 1 << 5);
    /* Another subtree while one is pending. */
    vgsp_wr32(q, TRIGGER, 33);
    g_assert_true(vgsp_qos_msi_taken(q, msi));
    vgsp_wr32(q, TRIGGER, 7 * 32 + 5);
    g_assert_true(vgsp_qos_msi_taken(q, msi));
    vgsp_wr32(q, LEAF(1), 2);
    vgsp_wr32(q, LEAF(7), 1 << 5);
    /* Rearm with nothing pending is quiet. */
    vgsp_wr32(q, NV_PCFG_BASE + NV_XVE_CYA_2, 0);
    g_assert_true(vgsp_qos_msi_quiet(q, msi));
}

static void test_msi(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    VgspQosMsi msi;

    vgsp_qos_msi_enable(q, &msi);
    check_delivery(q, &msi);
    /* Without bus mastering nothing leaves the device. */
    qpci_config_writew(q->dev, PCI_COMMAND, PCI_COMMAND_MEMORY);
    vgsp_wr32(q, TRIGGER, 33);
    g_assert_true(vgsp_qos_msi_quiet(q, &msi));
    vgsp_qos_free(q);
}

static void test_msix(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    uint32_t control = VF(MSIX_TABLE) + PCI_MSIX_ENTRY_VECTOR_CTRL;
    uint8_t cap = qpci_find_capability(q->dev, PCI_CAP_ID_MSIX, 0);
    uint16_t flags;
    VgspQosMsi msi;

    vgsp_qos_msix_enable(q, &msi, 0);
    check_delivery(q, &msi);

    /* Masked entry: the pending bit is set, unmasking delivers. */
    vgsp_wr32(q, control, PCI_MSIX_ENTRY_CTRL_MASKBIT);
    vgsp_wr32(q, TRIGGER, 33);
    g_assert_true(vgsp_qos_msi_quiet(q, &msi));
    g_assert_cmphex(vgsp_rd32(q, VF(MSIX_PBA)), ==, 1);
    vgsp_wr32(q, control, 0);
    g_assert_true(vgsp_qos_msi_taken(q, &msi));
    g_assert_cmphex(vgsp_rd32(q, VF(MSIX_PBA)), ==, 0);
    vgsp_wr32(q, LEAF(1), 2);

    /* The same by the function mask. */
    flags = qpci_config_readw(q->dev, cap + PCI_MSIX_FLAGS);
    qpci_config_writew(q->dev, cap + PCI_MSIX_FLAGS,
                       flags | PCI_MSIX_FLAGS_MASKALL);
    vgsp_wr32(q, TRIGGER, 33);
    g_assert_true(vgsp_qos_msi_quiet(q, &msi));
    g_assert_cmphex(vgsp_rd32(q, VF(MSIX_PBA)), ==, 1);
    qpci_config_writew(q->dev, cap + PCI_MSIX_FLAGS, flags);
    g_assert_true(vgsp_qos_msi_taken(q, &msi));
    vgsp_qos_free(q);
}

static void test_counted(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    int64_t before;
    VgspQosMsi msi;

    vgsp_qos_msi_enable(q, &msi);
    vgsp_wr32(q, TOP_SET, 0xf);
    vgsp_wr32(q, EN_SET(0), 0xf);
    before = vgsp_qos_stat(q, "stats-interrupts");
    for (int i = 0; i < 4; i++) {
        vgsp_wr32(q, TRIGGER, i);
        g_assert_true(vgsp_qos_msi_taken(q, &msi));
        vgsp_wr32(q, LEAF(0), 1 << i);
    }
    g_assert_cmpint(vgsp_qos_stat(q, "stats-interrupts") - before, ==, 4);
    vgsp_qos_free(q);
}

/* ---- Messages to configuration space ---- */

#define ECAM_ADDR   0xb0000000u
#define MCH_PCIEXBAR 0x60
#define EXP_SLOT_OFF (PCI_EXP_SLTCTL_PWR_OFF | PCI_EXP_SLTCTL_PWR_IND_OFF)

/* Switches on the memory window to configuration space. */
static void ecam_enable(VgspQos *q)
{
    QPCIDevice *mch = qpci_device_find(q->pci, QPCI_DEVFN(0, 0));

    g_assert_nonnull(mch);
    qpci_config_writel(mch, MCH_PCIEXBAR + 4, 0);
    qpci_config_writel(mch, MCH_PCIEXBAR, ECAM_ADDR | 1);
    g_free(mch);
}

/* MSI-X entry 0 writes @data to @reg of the PCIe capability of @dev. */
static void msix_to_config(VgspQos *q, QPCIDevice *dev, uint8_t reg,
                           uint32_t data)
{
    uint8_t cap = qpci_find_capability(dev, PCI_CAP_ID_EXP, 0);
    uint32_t entry = VF(MSIX_TABLE);
    VgspQosMsi msi;

    g_assert_cmphex(cap, !=, 0);
    vgsp_qos_msix_enable(q, &msi, 0);
    vgsp_wr32(q, entry + PCI_MSIX_ENTRY_LOWER_ADDR,
              ECAM_ADDR + ((uint32_t)dev->devfn << 12) + cap + reg);
    vgsp_wr32(q, entry + PCI_MSIX_ENTRY_UPPER_ADDR, 0);
    vgsp_wr32(q, entry + PCI_MSIX_ENTRY_DATA, data);
    vgsp_wr32(q, TOP_SET, 0xf);
    /* What was pending before is not what the test waits for. */
    vgsp_wr32(q, NV_PGSP_FALCON_BASE + NV_PFALCON_FALCON_IRQSCLR, 0xffffffff);
    for (int i = 0; i < 8; i++) {
        vgsp_wr32(q, LEAF(i), 0xffffffff);
        vgsp_wr32(q, EN_SET(i), 0xffffffff);
    }
}

/* The message that announces a reply resets the device. */
static void test_message_resets(void)
{
    static const uint8_t none[16];
    VgspQos *q = vgsp_qos_new("", "");
    int64_t events;

    ecam_enable(q);
    vgsp_gsp_up(q, vgsp_profiles[0]);
    msix_to_config(q, q->dev, PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR);
    events = vgsp_qos_stat(q, "stats-interrupts");
    for (int i = 0; i < 8; i++) {
        vgsp_gsp_rpc_send(&q->gsp, NV_VGPU_MSG_FUNCTION_FREE, none, 16);
    }
    g_assert_cmpint(vgsp_qos_stat(q, "stats-interrupts"), >, events);
    g_assert_cmphex(qpci_config_readw(q->dev, PCI_COMMAND), ==, 0);
    vgsp_gsp_forget(&q->gsp);
    vgsp_qos_enable(q);
    g_assert_cmphex(vgsp_rd32(q, TOP_SET), ==, 0);
    vgsp_gsp_up(q, vgsp_profiles[0]);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

/* The message switches off the slot that the device is in. */
static void test_message_unplugs(void)
{
    VgspQos *q = vgsp_qos_new_port();
    QPCIDevice *port = qpci_device_find(q->pci, QPCI_DEVFN(4, 0));
    QDict *resp;

    g_assert_nonnull(port);
    ecam_enable(q);
    msix_to_config(q, port, PCI_EXP_SLTCTL, EXP_SLOT_OFF);
    vgsp_wr32(q, TRIGGER, 33);
    for (int ms = 0; ms < 2000 &&
         qpci_config_readw(q->dev, PCI_VENDOR_ID) != 0xffff; ms++) {
        g_usleep(1000);
    }
    g_assert_cmphex(qpci_config_readw(q->dev, PCI_VENDOR_ID), ==, 0xffff);
    resp = qtest_qmp(q->qts, "{ 'execute': 'query-status' }");
    g_assert_true(qdict_haskey(resp, "return"));
    qobject_unref(resp);
    g_free(port);
    vgsp_qos_free(q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("/vgsp/irq/tree", test_tree);
    qtest_add_func("/vgsp/irq/msi", test_msi);
    qtest_add_func("/vgsp/irq/msix", test_msix);
    qtest_add_func("/vgsp/irq/counted", test_counted);
    qtest_add_func("/vgsp/irq/message-resets", test_message_resets);
    qtest_add_func("/vgsp/irq/message-unplugs", test_message_unplugs);
    return g_test_run();
}
