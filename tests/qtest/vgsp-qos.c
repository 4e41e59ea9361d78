/*
 * See vgsp-qos.h: the board, registers, memory and interrupts.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "qobject/qdict.h"
#include "qobject/qjson.h"
#include "qobject/qnum.h"
#include "qobject/qstring.h"
#include "standard-headers/linux/pci_regs.h"
#include "vgsp/nv/dev_bus.h"
#include "vgsp/nv/dev_vm.h"

/* Where the BARs go: 32-bit ones below 4 GiB, the others above. */
#define BAR0_ADDR   0xe0000000u
#define ROM_ADDR    0xe2000000u
#define BAR1_ADDR   0x2000000000ull
#define BAR3_ADDR   0x2020000000ull
#define BAR5_ADDR   0x6000u
/* Guest memory above what firmware and the tests' own words use. */
#define RAM_BASE    0x1000000u
#define RAM_END     0x3f000000u
#define SLOT        4

#define MSI_DATA    0x4a11u
#define MSI_WAIT_MS 2000
#define MSI_QUIET_MS 30

#define FLR_WAIT_US 100000

static void qos_place_bar(VgspQos *q, int reg, uint64_t addr, bool wide)
{
    qpci_config_writel(q->dev, PCI_BASE_ADDRESS_0 + 4 * reg, (uint32_t)addr);
    if (wide) {
        qpci_config_writel(q->dev, PCI_BASE_ADDRESS_0 + 4 * (reg + 1),
                           addr >> 32);
    }
}

void vgsp_qos_enable(VgspQos *q)
{
    qos_place_bar(q, 0, q->bar0, false);
    qos_place_bar(q, 1, q->bar1, true);
    qos_place_bar(q, 3, q->bar3, true);
    qos_place_bar(q, 5, q->bar5, false);
    qpci_config_writew(q->dev, PCI_COMMAND, PCI_COMMAND_IO |
                       PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
    q->window = UINT32_MAX;
}

/* The card at a bus, device and function number. */
static VgspQos *qos_attach(VgspQos *q, int devfn)
{
    q->dev = qpci_device_find(q->pci, devfn);
    g_assert_nonnull(q->dev);
    q->bar0 = BAR0_ADDR;
    q->bar1 = BAR1_ADDR;
    q->bar3 = BAR3_ADDR;
    q->bar5 = BAR5_ADDR;
    q->rom = ROM_ADDR;
    q->ram_next = RAM_BASE;
    vgsp_qos_enable(q);
    return q;
}

VgspQos *vgsp_qos_new(const char *device_args, const char *args)
{
    VgspQos *q = g_new0(VgspQos, 1);

    q->qts = qtest_initf("-M q35 -m 1G -nodefaults -device vgsp-gpu,id=gpu,"
                         "addr=%d.0,vram-size=%uM%s %s", SLOT,
                         VGSP_QOS_VRAM_SIZE >> 20, device_args, args);
    q->pci = qpci_new_pc(q->qts, NULL);
    return qos_attach(q, QPCI_DEVFN(SLOT, 0));
}

VgspQos *vgsp_qos_new_port(void)
{
    VgspQos *q = g_new0(VgspQos, 1);
    QPCIDevice *port;

    /* Unplugging is the port's business, as on a board. */
    q->qts = qtest_initf("-M q35 -m 1G -nodefaults -global "
                         "ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off "
                         "-device pcie-root-port,id=rp,addr=%d.0,chassis=1,"
                         "slot=1 "
                         "-device vgsp-gpu,id=gpu,bus=rp,vram-size=%uM", SLOT,
                         VGSP_QOS_VRAM_SIZE >> 20);
    q->pci = qpci_new_pc(q->qts, NULL);
    port = qpci_device_find(q->pci, QPCI_DEVFN(SLOT, 0));
    g_assert_nonnull(port);
    /* Bus 1; windows around the places of the BARs. */
    qpci_config_writel(port, PCI_PRIMARY_BUS, 0x00010100);
    qpci_config_writew(port, PCI_IO_BASE, 0x6060);
    qpci_config_writel(port, PCI_MEMORY_BASE, 0xe2f0e000);
    qpci_config_writel(port, PCI_PREF_MEMORY_BASE, 0x2ff10001);
    qpci_config_writel(port, PCI_PREF_BASE_UPPER32, BAR1_ADDR >> 32);
    qpci_config_writel(port, PCI_PREF_LIMIT_UPPER32, BAR1_ADDR >> 32);
    qpci_config_writew(port, PCI_COMMAND, PCI_COMMAND_IO |
                       PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
    g_free(port);
    return qos_attach(q, 1 << 8);
}

void vgsp_qos_unplug(VgspQos *q)
{
    QPCIDevice *port = qpci_device_find(q->pci, QPCI_DEVFN(SLOT, 0));
    uint8_t cap = qpci_find_capability(port, PCI_CAP_ID_EXP, 0);
    uint16_t control = qpci_config_readw(port, cap + PCI_EXP_SLTCTL);

    /* The guest switches the slot on, is asked, and switches it off. */
    qpci_config_writew(port, cap + PCI_EXP_SLTCTL,
                       (control & ~(PCI_EXP_SLTCTL_PCC | PCI_EXP_SLTCTL_PIC)) |
                       PCI_EXP_SLTCTL_PWR_IND_ON);
    qtest_qmp_device_del_send(q->qts, "gpu");
    qpci_config_writew(port, cap + PCI_EXP_SLTCTL,
                       (control & ~PCI_EXP_SLTCTL_PIC) | PCI_EXP_SLTCTL_PCC |
                       PCI_EXP_SLTCTL_PWR_IND_OFF);
    qtest_qmp_eventwait(q->qts, "DEVICE_DELETED");
    g_free(port);
}

void vgsp_qos_free(VgspQos *q)
{
    vgsp_gsp_forget(&q->gsp);
    g_free(q->dev);
    qpci_free_pc(q->pci);
    qtest_quit(q->qts);
    g_free(q);
}

bool vgsp_qos_kvm(void)
{
    return g_strcmp0(g_getenv("VGSP_QTEST_ACCEL"), "kvm") == 0;
}

bool vgsp_qos_skip_kvm(void)
{
    if (vgsp_qos_kvm()) {
        g_print("1..0 # SKIP virtual time stands still under KVM\n");
        return true;
    }
    return false;
}

void vgsp_qos_step_us(VgspQos *q, uint64_t us)
{
    if (!vgsp_qos_kvm()) {
        qtest_clock_step(q->qts, us * 1000);
    }
    g_usleep(us);
}

uint32_t vgsp_rd32(VgspQos *q, uint32_t reg)
{
    return qtest_readl(q->qts, q->bar0 + reg);
}

void vgsp_wr32(VgspQos *q, uint32_t reg, uint32_t val)
{
    qtest_writel(q->qts, q->bar0 + reg, val);
}

void vgsp_qos_flr(VgspQos *q)
{
    uint8_t cap = qpci_find_capability(q->dev, PCI_CAP_ID_EXP, 0);
    uint16_t ctl;

    g_assert_cmphex(cap, !=, 0);
    ctl = qpci_config_readw(q->dev, cap + PCI_EXP_DEVCTL);
    qpci_config_writew(q->dev, cap + PCI_EXP_DEVCTL,
                       ctl | PCI_EXP_DEVCTL_BCR_FLR);
    vgsp_qos_step_us(q, FLR_WAIT_US);
    vgsp_qos_enable(q);
}

static QObject *qos_get(VgspQos *q, const char *name, QDict **resp)
{
    QObject *ret;

    *resp = qtest_qmp(q->qts, "{ 'execute': 'qom-get', 'arguments': { 'path':"
                      " '/machine/peripheral/gpu', 'property': %s } }", name);
    ret = qdict_get(*resp, "return");
    g_assert_nonnull(ret);
    return ret;
}

int64_t vgsp_qos_stat(VgspQos *q, const char *name)
{
    QDict *resp;
    QNum *num = qobject_to(QNum, qos_get(q, name, &resp));
    int64_t ret;

    g_assert_nonnull(num);
    ret = qnum_get_int(num);
    qobject_unref(resp);
    return ret;
}

char *vgsp_qos_property(VgspQos *q, const char *name)
{
    QDict *resp;
    QObject *obj = qos_get(q, name, &resp);
    GString *json = qobject_to_json(obj);

    qobject_unref(resp);
    return g_string_free(json, false);
}

/* ---- Memory ---- */

uint64_t vgsp_qos_ram(VgspQos *q, uint64_t size)
{
    uint64_t addr = q->ram_next;

    size = QEMU_ALIGN_UP(size, VGSP_QOS_PAGE);
    g_assert_cmphex(addr + size, <=, RAM_END);
    q->ram_next += size;
    qtest_memset(q->qts, addr, 0, size);
    return addr;
}

/* Move the window to addr; how many bytes of len it shows from there. */
static size_t qos_window(VgspQos *q, uint64_t addr, size_t len, uint64_t *at)
{
    uint32_t base = addr >> 20 << (20 - NV_PBUS_BAR0_WINDOW_BASE_SHIFT);
    uint32_t off = addr & (NV_PRAMIN_SIZE - 1);

    if (q->window != base) {
        vgsp_wr32(q, NV_PBUS_BAR0_WINDOW, base);
        q->window = base;
    }
    *at = q->bar0 + NV_PRAMIN_BASE + off;
    return MIN(len, NV_PRAMIN_SIZE - off);
}

void vgsp_vram_read(VgspQos *q, uint64_t addr, void *buf, size_t len)
{
    while (len) {
        uint64_t at;
        size_t n = qos_window(q, addr, len, &at);

        qtest_bufread(q->qts, at, buf, n);
        addr += n;
        buf = (uint8_t *)buf + n;
        len -= n;
    }
}

void vgsp_vram_write(VgspQos *q, uint64_t addr, const void *buf, size_t len)
{
    while (len) {
        uint64_t at;
        size_t n = qos_window(q, addr, len, &at);

        qtest_bufwrite(q->qts, at, buf, n);
        addr += n;
        buf = (const uint8_t *)buf + n;
        len -= n;
    }
}

uint32_t vgsp_vram_rd32(VgspQos *q, uint64_t addr)
{
    uint64_t at;

    qos_window(q, addr, 4, &at);
    return qtest_readl(q->qts, at);
}

void vgsp_vram_wr32(VgspQos *q, uint64_t addr, uint32_t val)
{
    uint64_t at;

    qos_window(q, addr, 4, &at);
    qtest_writel(q->qts, at, val);
}

/* ---- Interrupts ---- */

void vgsp_qos_msi_enable(VgspQos *q, VgspQosMsi *msi)
{
    uint8_t cap = qpci_find_capability(q->dev, PCI_CAP_ID_MSI, 0);
    uint16_t flags;

    g_assert_cmphex(cap, !=, 0);
    msi->addr = vgsp_qos_ram(q, VGSP_QOS_PAGE);
    msi->data = MSI_DATA;
    flags = qpci_config_readw(q->dev, cap + PCI_MSI_FLAGS);
    qpci_config_writel(q->dev, cap + PCI_MSI_ADDRESS_LO, msi->addr);
    if (flags & PCI_MSI_FLAGS_64BIT) {
        qpci_config_writel(q->dev, cap + PCI_MSI_ADDRESS_HI, msi->addr >> 32);
        qpci_config_writew(q->dev, cap + PCI_MSI_DATA_64, msi->data);
    } else {
        qpci_config_writew(q->dev, cap + PCI_MSI_DATA_32, msi->data);
    }
    qpci_config_writew(q->dev, cap + PCI_MSI_FLAGS,
                       flags | PCI_MSI_FLAGS_ENABLE);
}

void vgsp_qos_msix_enable(VgspQos *q, VgspQosMsi *msi, unsigned entry)
{
    uint8_t cap = qpci_find_capability(q->dev, PCI_CAP_ID_MSIX, 0);
    uint32_t e = NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET +
        NV_VIRTUAL_FUNCTION_PRIV_MSIX_TABLE + entry * PCI_MSIX_ENTRY_SIZE;
    uint16_t flags;

    g_assert_cmphex(cap, !=, 0);
    msi->addr = vgsp_qos_ram(q, VGSP_QOS_PAGE);
    msi->data = MSI_DATA + entry;
    vgsp_wr32(q, e + PCI_MSIX_ENTRY_LOWER_ADDR, msi->addr);
    vgsp_wr32(q, e + PCI_MSIX_ENTRY_UPPER_ADDR, msi->addr >> 32);
    vgsp_wr32(q, e + PCI_MSIX_ENTRY_DATA, msi->data);
    vgsp_wr32(q, e + PCI_MSIX_ENTRY_VECTOR_CTRL, 0);
    flags = qpci_config_readw(q->dev, cap + PCI_MSIX_FLAGS);
    qpci_config_writew(q->dev, cap + PCI_MSIX_FLAGS,
                       flags | PCI_MSIX_FLAGS_ENABLE);
}

bool vgsp_qos_msi_taken(VgspQos *q, const VgspQosMsi *msi)
{
    /* The device may send from a bottom half or after another thread's work. */
    for (int ms = 0; ms < MSI_WAIT_MS; ms++) {
        if (qtest_readl(q->qts, msi->addr) == msi->data) {
            qtest_writel(q->qts, msi->addr, 0);
            return true;
        }
        g_usleep(1000);
    }
    return false;
}

bool vgsp_qos_msi_quiet(VgspQos *q, const VgspQosMsi *msi)
{
    g_usleep(MSI_QUIET_MS * 1000);
    return qtest_readl(q->qts, msi->addr) == 0;
}
