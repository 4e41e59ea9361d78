/*
 * vgsp-gpu: the PCI function of a TU104 board, its properties and its life.
 * Identity, BARs and capabilities lie where lspci shows them on such boards.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/qapi-builtin-visit.h"
#include "qapi/visitor.h"
#include "qemu/error-report.h"
#include "qemu/module.h"
#include "qemu/units.h"
#include "exec/address-spaces.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "migration/blocker.h"
#include "migration/vmstate.h"
#include "qom/object_interfaces.h"
#include "system/system.h"
#include "device/aperture.h"
#include "device/dma.h"
#include "device/intr.h"
#include "device/memory.h"
#include "device/regs.h"
#include "gsp/gsp.h"
#include "gsp/rm.h"
#include "host/host.h"
#include "owner/executor.h"
#include "owner/shadow.h"
#include "vgsp/nv/dev_nv_xve.h"
#include "vgsp/vbios.h"

#define VGSP_DEVICE_ID_TU104    0x1e81

/*
 * NV_PFB_PRI_MMU_LOCAL_MEMORY_RANGE counts with six bits and a scale: up to
 * 8 GiB, this step is what every size can be told in.
 */
#define VRAM_SIZE_DEFAULT       (2 * GiB)
#define VRAM_SIZE_MIN           (256 * MiB)
#define VRAM_SIZE_MAX           (8 * GiB)
#define VRAM_SIZE_STEP          (128 * MiB)

/* ---- BAR 5 ---- */

/*
 * The I/O BAR is a window to BAR0 for real-mode code: address and data behind
 * two enables (QEMU's hw/vfio/pci-quirks.c knows it by its users).
 */
enum {
    BAR5_MASTER = 0x0,
    BAR5_ENABLE = 0x4,
    BAR5_ADDRESS = 0x8,
    BAR5_DATA = 0xc,
};

static bool bar5_open(VgspState *s)
{
    return s->regs && (s->bar5_master & 1) && (s->bar5_enable & 1);
}

static uint64_t bar5_read(void *opaque, hwaddr addr, unsigned size)
{
    VgspState *s = opaque;

    switch (addr) {
    case BAR5_MASTER:
        return s->bar5_master;
    case BAR5_ENABLE:
        return s->bar5_enable;
    case BAR5_ADDRESS:
        return s->bar5_address;
    case BAR5_DATA:
        return bar5_open(s) ? vgsp_reg_read(s, s->bar5_address) : 0;
    default:
        return 0;
    }
}

static void bar5_write(void *opaque, hwaddr addr, uint64_t val, unsigned size)
{
    VgspState *s = opaque;

    switch (addr) {
    case BAR5_MASTER:
        s->bar5_master = val;
        break;
    case BAR5_ENABLE:
        s->bar5_enable = val;
        break;
    case BAR5_ADDRESS:
        s->bar5_address = val;
        break;
    case BAR5_DATA:
        if (bar5_open(s)) {
            vgsp_reg_write(s, s->bar5_address, val);
        }
        break;
    }
}

static const MemoryRegionOps bar5_ops = {
    .read = bar5_read,
    .write = bar5_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 1, .max_access_size = 4 },
    .impl = { .min_access_size = 4, .max_access_size = 4 },
};

/* ---- when the executor may run ---- */

/*
 * While the function is no bus master, nothing of it runs: it is paused before
 * its memory goes, and goes on when that is back.
 */
static void vgsp_set_bus_master(VgspState *s, bool on)
{
    if (on == s->bus_master) {
        return;
    }
    s->bus_master = on;
    vgsp_host_pause_executor(s, !on);
}

static bool vgsp_is_bus_master(VgspState *s)
{
    return pci_get_word(PCI_DEVICE(s)->config + PCI_COMMAND) &
           PCI_COMMAND_MASTER;
}

/* A stopped VM's memory does not change. */
static void vgsp_vmstate_change(void *opaque, bool running, RunState state)
{
    VgspState *s = opaque;

    if (running != s->stopped) {
        return;
    }
    s->stopped = !running;
    vgsp_host_pause_executor(s, !running);
}

/*
 * Every channel stopped: contexts, spaces and mappings go, and nothing writes
 * for the guest when this returns.
 */
static void vgsp_revoke(VgspState *s)
{
    s->executor->ops->revoke(s->executor);
    vgsp_shadows_reset(s);
}

/* ---- configuration space ---- */

static void vgsp_config_write(PCIDevice *pdev, uint32_t addr, uint32_t val,
                              int len)
{
    VgspState *s = VGSP_GPU(pdev);

    if (addr <= PCI_COMMAND && addr + len > PCI_COMMAND &&
        !(val >> 8 * (PCI_COMMAND - addr) & PCI_COMMAND_MASTER)) {
        vgsp_set_bus_master(s, false);
    }
    pci_default_write_config(pdev, addr, val, len);
    if (!qdev_is_realized(DEVICE(s))) {
        return;                 /* an unmasked MSI-X message unplugged it */
    }
    vgsp_set_bus_master(s, vgsp_is_bus_master(s));
    if (pdev->exp.exp_cap) {
        pcie_cap_flr_write_config(pdev, addr, val, len);
    }
    if (s->intr) {
        vgsp_intr_update(s);
    }
}

static bool vgsp_init_caps(PCIDevice *pdev, MemoryRegion *bar0, Error **errp)
{
    const uint32_t vf = NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET;
    const unsigned vectors = NV_VIRTUAL_FUNCTION_PRIV_MSIX_TABLE__SIZE_1;
    int pos;

    pos = pci_pm_init(pdev, NV_XVE_PM_CAP, errp);
    if (pos < 0) {
        return false;
    }
    pci_set_word(pdev->config + pos + PCI_PM_PMC, PCI_PM_CAP_VER_1_2);
    /* D3hot keeps the state of the registers. */
    pci_set_word(pdev->config + pos + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
    pci_set_word(pdev->wmask + pos + PCI_PM_CTRL, PCI_PM_CTRL_STATE_MASK);

    if (msi_init(pdev, NV_XVE_MSI_CAP, 1, true, false, errp)) {
        return false;
    }
    if (pci_bus_is_express(pci_get_bus(pdev))) {
        /*
         * A VGA function has an I/O BAR, so it is a Legacy Endpoint; also on
         * the root complex, where drivers find it as on a board.
         */
        if (pcie_cap_init(pdev, NV_XVE_PCIE_CAP, PCI_EXP_TYPE_LEG_END, 0,
                          errp) < 0) {
            return false;
        }
        pcie_cap_flr_init(pdev);
    }
    if (msix_init(pdev, vectors, bar0, 0,
                  vf + NV_VIRTUAL_FUNCTION_PRIV_MSIX_TABLE, bar0, 0,
                  vf + NV_VIRTUAL_FUNCTION_PRIV_MSIX_PBA, NV_XVE_MSIX_CAP_HDR,
                  errp)) {
        return false;
    }
    for (unsigned i = 0; i < vectors; i++) {
        msix_vector_use(pdev, i);
    }
    return true;
}

static bool vgsp_init_rom(VgspState *s, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    const VgspVbiosParams params = {
        .vendor_id = PCI_VENDOR_ID_NVIDIA,
        .device_id = s->chip.device_id,
        .subsystem_vendor_id = s->chip.subsystem_vendor_id,
        .subsystem_id = s->chip.subsystem_id,
        .class_code = PCI_CLASS_DISPLAY_VGA << 8,
        .version = 0x90048700,
        .board = s->chip.name,
    };

    s->vbios = g_malloc(VGSP_ROM_SIZE);
    memset(s->vbios, 0xff, VGSP_ROM_SIZE);      /* erased flash */
    vgsp_vbios_build(s->vbios, VGSP_ROM_SIZE, &params);

    if (pdev->romfile || !pdev->rom_bar) {
        return true;            /* the user's ROM, or none */
    }
    if (!memory_region_init_rom(&pdev->rom, OBJECT(s), "vgsp-gpu.rom",
                                VGSP_ROM_SIZE, errp)) {
        return false;
    }
    memcpy(memory_region_get_ram_ptr(&pdev->rom), s->vbios, VGSP_ROM_SIZE);
    pci_register_bar(pdev, PCI_ROM_SLOT, 0, &pdev->rom);
    pdev->has_rom = true;
    return true;
}

/* ---- VRAM ---- */

static bool vgsp_vram_size_ok(uint64_t size)
{
    return size >= VRAM_SIZE_MIN && size <= VRAM_SIZE_MAX &&
           !(size % VRAM_SIZE_STEP);
}

static bool vgsp_init_vram(VgspState *s, Error **errp)
{
    if (s->vram_backend) {
        const char *id =
            object_get_canonical_path_component(OBJECT(s->vram_backend));

        if (s->vram_size_given) {
            error_setg(errp, "'vram' and 'vram-size' exclude each other: the "
                       "memory backend has a size");
            return false;
        }
        if (host_memory_backend_is_mapped(s->vram_backend)) {
            error_setg(errp, "memory backend '%s' is already in use", id);
            return false;
        }
        s->vram = host_memory_backend_get_memory(s->vram_backend);
        s->vram_size = memory_region_size(s->vram);
        if (memory_region_is_rom(s->vram)) {
            error_setg(errp, "memory backend '%s' cannot be VRAM: it is "
                       "read-only", id);
            return false;
        }
        if (!vgsp_vram_size_ok(s->vram_size)) {
            error_setg(errp, "memory backend '%s' cannot be VRAM: its size "
                       "must be a multiple of 128 MiB from 256 MiB to 8 GiB",
                       id);
            return false;
        }
    } else {
        g_autofree char *size = g_strdup_printf("%" PRIu64, s->vram_size);
        Object *backend;

        if (!vgsp_vram_size_ok(s->vram_size)) {
            error_setg(errp, "'vram-size' must be a multiple of 128 MiB from "
                       "256 MiB to 8 GiB");
            return false;
        }
        /* QEMU finds a memfd again by its name: let it be the device's own. */
        backend = object_new_with_props("memory-backend-memfd", OBJECT(s),
            "vram-backend", errp, "size", size, "share", "on",
            "x-use-canonical-path-for-ramblock-id", "on", NULL);
        if (!backend) {
            return false;
        }
        s->vram_backend = MEMORY_BACKEND(backend);
        s->vram_internal = true;
        s->vram = host_memory_backend_get_memory(s->vram_backend);
    }
    s->vram_host = memory_region_get_ram_ptr(s->vram);
    host_memory_backend_set_mapped(s->vram_backend, true);
    vmstate_register_ram(s->vram, DEVICE(s));
    return true;
}

static void vgsp_exit_vram(VgspState *s)
{
    if (s->vram) {
        vmstate_unregister_ram(s->vram, DEVICE(s));
        host_memory_backend_set_mapped(s->vram_backend, false);
        s->vram = NULL;
    }
    if (s->vram_internal) {
        object_unparent(OBJECT(s->vram_backend));
        s->vram_backend = NULL;
        s->vram_internal = false;
    }
}

/* ---- IOMMU ---- */

/*
 * Behind a vIOMMU the device keeps translations until the vIOMMU says that they
 * end (device/dma.c): QEMU's model of Intel's does, AMD's does not. One that
 * comes later on the command line is seen when the machine is done.
 */
static bool vgsp_check_iommu(VgspState *s, Error **errp)
{
    bool ambiguous;

    if (pci_device_iommu_address_space(PCI_DEVICE(s)) !=
        &address_space_memory &&
        !object_resolve_path_type("", "intel-iommu", &ambiguous)) {
        error_setg(errp, "vgsp-gpu works behind no vIOMMU but intel-iommu");
        return false;
    }
    /* Its faults come too late for what a physical GPU is doing already. */
    if (pci_device_iommu_address_space(PCI_DEVICE(s)) !=
        &address_space_memory && s->executor->pins_memory) {
        error_setg(errp, "vgsp-gpu with owner=%s works behind no vIOMMU",
                   s->owner);
        return false;
    }
    return true;
}

static void vgsp_machine_done(Notifier *notifier, void *data)
{
    VgspState *s = container_of(notifier, VgspState, machine_done);
    Error *err = NULL;

    if (!vgsp_check_iommu(s, &err)) {
        error_report_err(err);
        exit(EXIT_FAILURE);
    }
    vgsp_executor_announce(s);
}

/* ---- life ---- */

static void vgsp_exit(PCIDevice *pdev)
{
    VgspState *s = VGSP_GPU(pdev);

    if (s->machine_done.notify) {
        qemu_remove_machine_init_done_notifier(&s->machine_done);
        s->machine_done.notify = NULL;
    }
    if (s->vmstate) {
        qemu_del_vm_change_state_handler(s->vmstate);
        s->vmstate = NULL;
    }
    if (s->host) {
        vgsp_host_reset(s);
    }
    if (s->shadows) {
        vgsp_revoke(s);
    }
    if (s->gsp) {
        vgsp_gsp_exit(s);
    }
    if (s->host) {
        vgsp_host_exit(s);
    }
    if (s->apertures) {
        vgsp_apertures_exit(s);
    }
    vgsp_executor_close(s->executor);
    s->executor = NULL;
    if (s->shadows) {
        vgsp_shadows_exit(s);
    }
    if (s->dma) {
        vgsp_dma_exit(s);
    }
    if (s->mem) {
        vgsp_mem_exit(s);
    }
    if (s->intr) {
        vgsp_intr_exit(s);
    }
    if (msix_present(pdev)) {
        msix_uninit(pdev, &s->bar0, &s->bar0);
    }
    msi_uninit(pdev);
    if (s->regs) {
        vgsp_regs_exit(s);
    }
    vgsp_exit_vram(s);
    g_clear_pointer(&s->vbios, g_free);
    migrate_del_blocker(&s->migration_blocker);
}

static void vgsp_realize(PCIDevice *pdev, Error **errp)
{
    ERRP_GUARD();
    VgspState *s = VGSP_GPU(pdev);
    uint8_t *config = pdev->config;
    const uint8_t mem64 = PCI_BASE_ADDRESS_SPACE_MEMORY |
                          PCI_BASE_ADDRESS_MEM_TYPE_64 |
                          PCI_BASE_ADDRESS_MEM_PREFETCH;

    if (s->display) {
        error_setg(errp, "'display' must be 0: heads are not implemented yet");
        return;
    }
    s->executor = vgsp_executor_open(s, &vgsp_host_events, errp);
    if (!s->executor) {
        return;
    }
    if (!vgsp_check_iommu(s, errp)) {
        goto fail;
    }
    if (!vgsp_init_vram(s, errp)) {
        goto fail;
    }
    vgsp_mem_init(s);
    vgsp_dma_init(s);
    if (!vgsp_shadows_init(s, errp)) {
        goto fail;
    }
    error_setg(&s->migration_blocker, "vgsp-gpu cannot be migrated or saved: "
               "the state of its engines and of GSP-RM is not described yet");
    if (migrate_add_blocker(&s->migration_blocker, errp) < 0) {
        goto fail;
    }

    pci_config_set_device_id(config, s->chip.device_id);
    pci_config_set_revision(config, s->chip.revision_id);
    pci_set_word(config + PCI_SUBSYSTEM_VENDOR_ID, s->chip.subsystem_vendor_id);
    pci_set_word(config + PCI_SUBSYSTEM_ID, s->chip.subsystem_id);
    config[PCI_INTERRUPT_PIN] = 1;

    vgsp_regs_init(s, &s->bar0);
    pci_register_bar(pdev, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &s->bar0);
    if (!vgsp_init_rom(s, errp) || !vgsp_init_caps(pdev, &s->bar0, errp)) {
        goto fail;
    }
    vgsp_intr_init(s);
    vgsp_apertures_init(s);
    pci_register_bar(pdev, 1, mem64, &s->bar1);
    pci_register_bar(pdev, 3, mem64, &s->bar3);
    memory_region_init_io(&s->bar5, OBJECT(s), &bar5_ops, s, "vgsp-bar5",
                          VGSP_BAR5_SIZE);
    pci_register_bar(pdev, 5, PCI_BASE_ADDRESS_SPACE_IO, &s->bar5);

    if (!vgsp_host_init(s, errp)) {
        goto fail;
    }
    vgsp_gsp_init(s);
    s->bus_master = true;       /* nothing paused the executor */
    vgsp_set_bus_master(s, vgsp_is_bus_master(s));
    s->stopped = false;
    vgsp_vmstate_change(s, runstate_is_running(), runstate_get());
    s->vmstate = qemu_add_vm_change_state_handler(vgsp_vmstate_change, s);
    s->machine_done.notify = vgsp_machine_done;
    qemu_add_machine_init_done_notifier(&s->machine_done);
    return;

fail:
    vgsp_exit(pdev);
}

static void vgsp_reset_hold(Object *obj, ResetType type)
{
    VgspState *s = VGSP_GPU(obj);

    /*
     * Work first: nothing may reach the guest's memory after a reset. While
     * GSP-RM is suspended no channel runs, and resume brings them back.
     */
    if (!vgsp_gsp_suspended(s)) {
        vgsp_host_reset(s);
        vgsp_revoke(s);
    }
    vgsp_set_bus_master(s, vgsp_is_bus_master(s));
    vgsp_gsp_reset(s);
    vgsp_apertures_reset(s);
    vgsp_intr_reset(s);
    vgsp_regs_reset(s);
    s->bar5_master = s->bar5_enable = s->bar5_address = 0;
}

/* ---- properties ---- */

typedef struct VgspStatProperty {
    const char *name, *description;
    size_t offset;
} VgspStatProperty;

#define STAT(name, field, description) \
    { "stats-" name, description, offsetof(VgspState, stats.field) }

static const VgspStatProperty stat_properties[] = {
    STAT("rpcs", rpcs, "RPCs that GSP-RM served"),
    STAT("rpcs-dropped", rpcs_dropped, "malformed requests that were dropped"),
    STAT("rm-allocs", rm_allocs, "RM objects created"),
    STAT("rm-frees", rm_frees, "RM objects freed"),
    STAT("rm-controls", rm_controls, "RM controls answered"),
    STAT("rm-refused", rm_refused, "RM controls refused as not supported"),
    STAT("events", events, "GSP events posted"),
    STAT("channels", channels, "channels created"),
    STAT("doorbells", doorbells, "doorbells rung"),
    STAT("methods", methods, "host and engine methods executed"),
    STAT("releases", releases, "semaphore releases written"),
    STAT("release-ns", release_ns, "nanoseconds from the doorbells of idle "
         "channels to the first release of each"),
    STAT("sections", sections, "sections that the executor was given"),
    STAT("channel-errors", channel_errors, "channels stopped by an error"),
    STAT("mmio-reads", mmio_reads, "BAR0 reads"),
    STAT("mmio-writes", mmio_writes, "BAR0 writes"),
    STAT("mmio-unknown", mmio_unknown,
         "accesses of registers that nobody models"),
    STAT("bar-traps", bar_traps,
         "BAR1 and BAR2 accesses outside of direct mappings"),
    STAT("invalidates", invalidates, "TLB invalidations"),
    STAT("shadow-syncs", shadow_syncs,
         "address spaces compared with the guest's page tables"),
    STAT("shadow-ops", shadow_ops,
         "map operations that the executor was given"),
    STAT("interrupts", interrupts, "MSI-X and MSI messages, or INTx edges"),
};

static void vgsp_get_stat(Object *obj, Visitor *v, const char *name,
                          void *opaque, Error **errp)
{
    const VgspStatProperty *p = opaque;
    uint64_t val = qatomic_read__nocheck(
        (uint64_t *)((uint8_t *)VGSP_GPU(obj) + p->offset));

    visit_type_uint64(v, name, &val, errp);
}

static void vgsp_get_device_ns(Object *obj, Visitor *v, const char *name,
                               void *opaque, Error **errp)
{
    uint64_t val = vgsp_regs_device_ns(VGSP_GPU(obj));

    visit_type_uint64(v, name, &val, errp);
}

static char *vgsp_get_refused(Object *obj, Error **errp)
{
    return vgsp_rm_refused_names(VGSP_GPU(obj));
}

static void vgsp_get_unknown(Object *obj, Visitor *v, const char *name,
                             void *opaque, Error **errp)
{
    strList *list = vgsp_regs_unknown_list(VGSP_GPU(obj));

    visit_type_strList(v, name, &list, errp);
    qapi_free_strList(list);
}

static void vgsp_get_vram_size(Object *obj, Visitor *v, const char *name,
                               void *opaque, Error **errp)
{
    visit_type_size(v, name, &VGSP_GPU(obj)->vram_size, errp);
}

static void vgsp_set_vram_size(Object *obj, Visitor *v, const char *name,
                               void *opaque, Error **errp)
{
    VgspState *s = VGSP_GPU(obj);

    if (DEVICE(obj)->realized) {
        error_setg(errp, "'%s' cannot be changed any more", name);
        return;
    }
    if (visit_type_size(v, name, &s->vram_size, errp)) {
        s->vram_size_given = true;
    }
}

static const Property vgsp_properties[] = {
    DEFINE_PROP_STRING("owner", VgspState, owner),
    DEFINE_PROP_STRING("record", VgspState, record),
    /* Before nouveau gives a job up, after 10 s; docs/host.md. */
    DEFINE_PROP_UINT32("watchdog-ms", VgspState, watchdog_ms, 8000),
    DEFINE_PROP_UINT32("model-threads", VgspState, model_threads, 0),
    DEFINE_PROP_LINK("vram", VgspState, vram_backend, TYPE_MEMORY_BACKEND,
                     HostMemoryBackend *),
    DEFINE_PROP_UINT32("display", VgspState, display, 0),
};

static void vgsp_class_init_properties(ObjectClass *oc)
{
    ObjectProperty *p;

    device_class_set_props(DEVICE_CLASS(oc), vgsp_properties);
    object_class_property_set_description(oc, "owner",
        "What executes the guest's work: 'model' (default), a functional "
        "model of the engines; 'rm:/dev/nvidia0', the physical GPU behind "
        "that node of NVIDIA's driver; 'null' executes nothing, for "
        "recording only");
    object_class_property_set_description(oc, "record",
        "File to record the guest's graphics and compute work in; it will "
        "hold guest memory");
    object_class_property_set_description(oc, "watchdog-ms",
        "Milliseconds that a channel's graphics or compute work may run "
        "without progress before the channel is stopped; 0: for ever");
    object_class_property_set_description(oc, "model-threads",
        "Threads of the model, 1 to 64; 0: one a host processor, at most "
        "16");
    object_class_property_set_description(oc, "vram",
        "Memory backend to use as VRAM instead of 'vram-size'");
    object_class_property_set_description(oc, "display",
        "Number of display heads: 0, a headless card");

    p = object_class_property_add(oc, "vram-size", "size", vgsp_get_vram_size,
                                  vgsp_set_vram_size, NULL, NULL);
    object_property_set_default_uint(p, VRAM_SIZE_DEFAULT);
    object_class_property_set_description(oc, "vram-size",
        "Size of VRAM: a multiple of 128M from 256M to 8G");

    for (unsigned i = 0; i < ARRAY_SIZE(stat_properties); i++) {
        const VgspStatProperty *stat = &stat_properties[i];

        object_class_property_add(oc, stat->name, "uint64", vgsp_get_stat,
                                  NULL, NULL, (void *)stat);
        object_class_property_set_description(oc, stat->name,
                                              stat->description);
    }
    object_class_property_add(oc, "stats-device-ns", "uint64",
                              vgsp_get_device_ns, NULL, NULL, NULL);
    object_class_property_set_description(oc, "stats-device-ns",
        "Time spent in BAR0 handlers, in ns");
    object_class_property_add(oc, "stats-unknown-registers", "strList",
                              vgsp_get_unknown, NULL, NULL, NULL);
    object_class_property_set_description(oc, "stats-unknown-registers",
        "Registers accessed that nobody models, and how often");
    object_class_property_add_str(oc, "stats-rm-refused-names",
                                  vgsp_get_refused, NULL);
    object_class_property_set_description(oc, "stats-rm-refused-names",
        "RM controls refused as not supported, and how often");
}

static void vgsp_instance_init(Object *obj)
{
    VgspState *s = VGSP_GPU(obj);

    s->vram_size_given = false; /* so far only the default was set */
    /* Wherever the bus is express, configuration space has 4 KiB. */
    PCI_DEVICE(obj)->cap_present |= QEMU_PCI_CAP_EXPRESS;
}

static void vgsp_class_init(ObjectClass *oc, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(oc);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(oc);
    ResettableClass *rc = RESETTABLE_CLASS(oc);

    dc->desc = "NVIDIA TU104 GPU with emulated GSP-RM (vgsp)";
    set_bit(DEVICE_CATEGORY_DISPLAY, dc->categories);
    vgsp_class_init_properties(oc);

    k->realize = vgsp_realize;
    k->exit = vgsp_exit;
    k->config_write = vgsp_config_write;
    k->vendor_id = PCI_VENDOR_ID_NVIDIA;
    k->device_id = VGSP_DEVICE_ID_TU104;
    k->class_id = PCI_CLASS_DISPLAY_VGA;
    rc->phases.hold = vgsp_reset_hold;
}

static const TypeInfo vgsp_info = {
    .name = TYPE_VGSP_GPU,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(VgspState),
    .instance_init = vgsp_instance_init,
    .class_init = vgsp_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_PCIE_DEVICE },
        { INTERFACE_CONVENTIONAL_PCI_DEVICE },
        { }
    },
};

static void vgsp_register_types(void)
{
    type_register_static(&vgsp_info);
}

type_init(vgsp_register_types)
