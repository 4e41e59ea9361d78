/*
 * The command line and the monitor: wrong properties end with one clear line
 * and status 1, migration and snapshots are refused, the card can be plugged
 * and unplugged, and several live in one machine.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "vgsp-qos.h"
#include "qobject/qdict.h"
#include "standard-headers/linux/pci_regs.h"
#include "vgsp/nv/dev_boot.h"

typedef struct Bad {
    const char *name;
    const char *args;       /* after "-M q35 ..." */
    const char *says;       /* part of the line */
    const char *needs;      /* a device that must be there, or NULL */
} Bad;

static const Bad bads[] = {
    { "vram-size-3", "-device vgsp-gpu,vram-size=3", "vram-size" },
    { "vram-size-0", "-device vgsp-gpu,vram-size=0", "vram-size" },
    { "vram-size-step", "-device vgsp-gpu,vram-size=300M", "vram-size" },
    { "vram-size-16G", "-device vgsp-gpu,vram-size=16G", "vram-size" },
    { "vram-size-word", "-device vgsp-gpu,vram-size=many", "vram-size" },
    { "owner-missing", "-device vgsp-gpu,owner=/dev/vgsp-owner99",
      "/dev/vgsp-owner99" },
    { "owner-rm", "-device vgsp-gpu,owner=rm:/nonexistent/nvidia0",
      "owner=rm:/nonexistent/nvidia0: no NVIDIA driver: "
      "/nonexistent/nvidiactl: No such file" },
    { "owner-rm-empty", "-device vgsp-gpu,owner=rm:", "no NVIDIA driver" },
    { "owner-word", "-device vgsp-gpu,owner=nonsense", "nonsense" },
    { "owner-empty", "-device vgsp-gpu,owner=", "owner" },
    { "display", "-device vgsp-gpu,display=1", "display" },
    { "backend-unknown", "-device vgsp-gpu,vram=nobody", "nobody" },
    { "backend-unreadable",
      "-object memory-backend-file,id=m,size=256M,mem-path=/nonexistent/m "
      "-device vgsp-gpu,vram=m", "/nonexistent/m" },
    { "backend-size",
      "-object memory-backend-memfd,id=m,size=100M -device vgsp-gpu,vram=m",
      "'m'" },
    { "backend-and-size",
      "-object memory-backend-memfd,id=m,size=256M "
      "-device vgsp-gpu,vram=m,vram-size=256M", "vram" },
    { "backend-twice",
      "-object memory-backend-memfd,id=m,size=256M "
      "-device vgsp-gpu,vram=m -device vgsp-gpu,vram=m", "'m'" },
    { "property", "-device vgsp-gpu,colour=red", "colour" },
    { "owner-null", "-device vgsp-gpu,owner=null", "record=" },
    { "record", "-device vgsp-gpu,record=/nonexistent/file",
      "/nonexistent/file" },
    { "model-threads", "-device vgsp-gpu,model-threads=65", "model-threads" },
    { "iommu", "-device amd-iommu -device vgsp-gpu", "vIOMMU", "amd-iommu" },
    { "iommu-later", "-device vgsp-gpu -device amd-iommu", "vIOMMU",
      "amd-iommu" },
};

/* AddressSanitizer's "==PID==WARNING" about coroutines is not ours. */
static char *without_sanitizer(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GString *out = g_string_new(NULL);

    for (int i = 0; lines[i]; i++) {
        if (!g_str_has_prefix(lines[i], "==") && lines[i][0]) {
            g_string_append_printf(out, "%s\n", lines[i]);
        }
    }
    return g_string_free(out, false);
}

static void test_bad(const void *data)
{
    const Bad *bad = data;
    g_autofree char *line = g_strdup_printf(
        "%s -accel qtest -M q35 -nodefaults -display none %s",
        g_getenv("QTEST_QEMU_BINARY"), bad->args);
    g_autoptr(GError) error = NULL;
    g_autofree char *stderr_text = NULL;
    g_autofree char *err = NULL;
    g_autofree char *out = NULL;
    int status;

    g_assert_true(g_spawn_command_line_sync(line, &out, &stderr_text, &status,
                                            &error));
    err = without_sanitizer(stderr_text);
    g_test_message("%s", err);
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 1);
    g_assert_cmpstr(out, ==, "");
    /* One line, which names what is wrong. */
    g_assert_true(g_str_has_suffix(err, "\n"));
    g_assert_true(strchr(err, '\n') == err + strlen(err) - 1);
    g_assert_nonnull(strstr(err, bad->says));
}

static void test_help(void)
{
    static const char *const properties[] = {
        "owner=", "record=", "watchdog-ms=", "model-threads=", "vram-size=",
        "vram=", "display="
    };
    g_autofree char *line = g_strdup_printf(
        "%s -M q35 -device vgsp-gpu,help", g_getenv("QTEST_QEMU_BINARY"));
    g_autofree char *out = NULL;
    int status;

    g_assert_true(g_spawn_command_line_sync(line, &out, NULL, &status, NULL));
    g_assert_cmpint(WEXITSTATUS(status), ==, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(properties); i++) {
        const char *at = strstr(out, properties[i]);

        /* Each with a description. */
        g_assert_nonnull(at);
        g_assert_true(memchr(at, '-', strcspn(at, "\n")) != NULL);
    }
}

/* A file that QEMU may not write cannot be VRAM. */
static void test_backend_read_only(void)
{
    g_autofree char *path = NULL;
    g_autofree char *args = NULL;
    int fd = g_file_open_tmp("vgsp-vram-XXXXXX", &path, NULL);
    Bad bad = { .name = "backend-read-only", .says = "read-only" };

    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(ftruncate(fd, 256 * MiB), ==, 0);
    close(fd);
    args = g_strdup_printf(
        "-object memory-backend-file,id=m,size=256M,mem-path=%s,readonly=on "
        "-device vgsp-gpu,vram=m", path);
    bad.args = args;
    test_bad(&bad);
    unlink(path);
}

/* A backend of the user's, shared with others, is the VRAM. */
static void test_backend(void)
{
    QTestState *qts = qtest_init("-M q35 -nodefaults "
        "-object memory-backend-memfd,id=m,size=384M,share=on "
        "-device vgsp-gpu,id=gpu,addr=4.0,vram=m");
    QDict *resp = qtest_qmp(qts, "{ 'execute': 'qom-get', 'arguments': {"
                            "'path': '/machine/peripheral/gpu',"
                            "'property': 'vram-size' } }");

    g_assert_cmpint(qdict_get_int(resp, "return"), ==, 384ll << 20);
    qobject_unref(resp);
    qtest_quit(qts);
}

static void test_migrate(void)
{
    VgspQos *q = vgsp_qos_new("", "");
    g_autofree char *text = NULL;
    QDict *resp;

    resp = qtest_qmp(q->qts, "{ 'execute': 'migrate', 'arguments': {"
                     "'uri': 'exec:cat > /dev/null' } }");
    g_assert_true(qdict_haskey(resp, "error"));
    g_assert_nonnull(strstr(qdict_get_str(qdict_get_qdict(resp, "error"),
                                          "desc"), "vgsp-gpu"));
    qobject_unref(resp);
    text = qtest_hmp(q->qts, "savevm x");
    g_assert_nonnull(strstr(text, "vgsp-gpu"));
    g_assert_true(strchr(g_strstrip(text), '\n') == NULL);
    /* The card still works. */
    vgsp_gsp_up(q, vgsp_profiles[0]);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

#define SLOT_ON     (PCI_EXP_SLTCTL_PWR_IND_ON)
#define BUS1(devfn) (1 << 8 | (devfn))

static void test_hotplug(void)
{
    QTestState *qts = qtest_init("-M q35 -nodefaults "
        "-global ICH9-LPC.acpi-pci-hotplug-with-bridge-support=off "
        "-device pcie-root-port,id=rp,addr=5.0,chassis=1,slot=1");
    QPCIBus *bus = qpci_new_pc(qts, NULL);
    QPCIDevice *port = qpci_device_find(bus, QPCI_DEVFN(5, 0));
    uint8_t cap = qpci_find_capability(port, PCI_CAP_ID_EXP, 0);
    uint16_t off;

    qpci_config_writel(port, PCI_PRIMARY_BUS, 0x00010100);
    off = qpci_config_readw(port, cap + PCI_EXP_SLTCTL);
    for (int i = 0; i < 3; i++) {
        QPCIDevice *dev;

        qtest_qmp_device_add(qts, "vgsp-gpu", "gpu",
                             "{'bus': 'rp', 'vram-size': 268435456}");
        /* The guest switches the slot on, finds the card, and off again. */
        qpci_config_writew(port, cap + PCI_EXP_SLTCTL,
                           (off & ~(PCI_EXP_SLTCTL_PCC | PCI_EXP_SLTCTL_PIC)) |
                           SLOT_ON);
        dev = qpci_device_find(bus, BUS1(0));
        g_assert_nonnull(dev);
        g_assert_cmphex(qpci_config_readl(dev, PCI_VENDOR_ID), ==, 0x1e8110de);
        g_assert_cmphex(qpci_find_capability(dev, PCI_CAP_ID_EXP, 0), !=, 0);
        g_free(dev);
        qtest_qmp_device_del_send(qts, "gpu");
        qpci_config_writew(port, cap + PCI_EXP_SLTCTL,
                           (off & ~PCI_EXP_SLTCTL_PIC) | PCI_EXP_SLTCTL_PCC |
                           PCI_EXP_SLTCTL_PWR_IND_OFF);
        qtest_qmp_eventwait(qts, "DEVICE_DELETED");
    }
    g_free(port);
    qpci_free_pc(bus);
    qtest_quit(qts);
}

/* Two cards: neither sees the other's state. */
static void test_two(void)
{
    VgspQos *q = vgsp_qos_new("", "-device vgsp-gpu,id=gpu2,addr=6.0,"
                              "vram-size=256M");
    QPCIDevice *dev = qpci_device_find(q->pci, QPCI_DEVFN(6, 0));
    QPCIBar bar;

    g_assert_nonnull(dev);
    qpci_config_writel(dev, PCI_BASE_ADDRESS_0, 0xe4000000);
    qpci_device_enable(dev);
    bar.addr = 0xe4000000;
    bar.is_io = false;
    vgsp_gsp_up(q, vgsp_profiles[0]);
    g_assert_cmphex(qpci_io_readl(dev, bar, NV_PMC_BOOT_0), ==, 0x164000a1);
    g_assert_cmphex(qpci_io_readl(dev, bar, 0x1fa828), ==, 0);
    g_assert_cmphex(qpci_io_readl(dev, bar, 0x111240), ==, 0);
    vgsp_vram_wr32(q, 0x1000, 0x12345678);
    qpci_io_writel(dev, bar, 0x701000, 0x87654321);
    g_assert_cmphex(vgsp_vram_rd32(q, 0x1000), ==, 0x12345678);
    g_assert_cmphex(qpci_io_readl(dev, bar, 0x701000), ==, 0x87654321);
    vgsp_gsp_down(q);
    g_free(dev);
    vgsp_qos_free(q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(bads); i++) {
        g_autofree char *path = g_strdup_printf("/vgsp/cmdline/bad/%s",
                                                bads[i].name);

        /* The emulator of the sanitizers has few devices but ours. */
        if (!bads[i].needs || qtest_has_device(bads[i].needs)) {
            qtest_add_data_func(path, &bads[i], test_bad);
        }
    }
    qtest_add_func("/vgsp/cmdline/help", test_help);
    qtest_add_func("/vgsp/cmdline/backend", test_backend);
    qtest_add_func("/vgsp/cmdline/bad/backend-read-only",
                   test_backend_read_only);
    qtest_add_func("/vgsp/cmdline/migrate", test_migrate);
    qtest_add_func("/vgsp/cmdline/hotplug", test_hotplug);
    qtest_add_func("/vgsp/cmdline/two", test_two);
    return g_test_run();
}
