/*
 * vgsp-gpu: an NVIDIA TU104 as a PCI device. The device state and what its
 * parts offer each other. design.md names what each directory models.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_DEVICE_VGSP_H
#define HW_VGSP_DEVICE_VGSP_H

#include "hw/pci/pci_device.h"
#include "qemu/notify.h"
#include "qom/object.h"
#include "system/hostmem.h"
#include "system/runstate.h"
#include "vgsp/chip.h"
#include "vgsp/gmmu.h"

#define TYPE_VGSP_GPU "vgsp-gpu"
OBJECT_DECLARE_SIMPLE_TYPE(VgspState, VGSP_GPU)

#define VGSP_BAR0_SIZE      (16 * MiB)
#define VGSP_BAR1_SIZE      (256 * MiB)
#define VGSP_BAR3_SIZE      (32 * MiB)
#define VGSP_BAR5_SIZE      128
#define VGSP_ROM_SIZE       (512 * KiB)

/* Parts with private state; each has its own header. */
typedef struct VgspRegs VgspRegs;       /* device/regs.h */
typedef struct VgspIntr VgspIntr;       /* device/intr.h */
typedef struct VgspApertures VgspApertures; /* device/aperture.h */
typedef struct VgspMem VgspMem;         /* device/memory.h */
typedef struct VgspDma VgspDma;         /* device/dma.h */
typedef struct VgspGsp VgspGsp;         /* gsp/gsp.h */
typedef struct VgspHost VgspHost;       /* host/host.h */
typedef struct VgspExecutor VgspExecutor; /* owner/executor.h */
typedef struct VgspShadows VgspShadows; /* owner/shadow.h */

/*
 * Counters that answer one named question each, readable over QMP as QOM
 * properties "stats-NAME". Written with qatomic_inc()/qatomic_add().
 */
typedef struct VgspStats {
    uint64_t rpcs;              /* RPCs served */
    uint64_t rpcs_dropped;      /* malformed requests */
    uint64_t rm_allocs;         /* RM objects created */
    uint64_t rm_frees;          /* RM objects freed */
    uint64_t rm_controls;       /* RM controls answered */
    uint64_t rm_refused;        /* RM controls refused as not supported */
    uint64_t events;            /* GSP events posted */
    uint64_t channels;          /* channels created */
    uint64_t doorbells;
    uint64_t methods;           /* host and engine methods executed */
    uint64_t releases;          /* semaphore releases written */
    uint64_t release_ns;        /* from an idle channel's doorbell to the first */
    uint64_t sections;          /* that an executor was given */
    uint64_t channel_errors;    /* RC errors */
    uint64_t mmio_reads;        /* trapped BAR0 accesses */
    uint64_t mmio_writes;
    uint64_t mmio_unknown;      /* accesses of registers that nobody models */
    uint64_t bar_traps;         /* BAR1, BAR2 accesses that were not mapped */
    uint64_t invalidates;       /* TLB invalidations */
    uint64_t shadow_syncs;      /* spaces compared with the guest's tables */
    uint64_t shadow_ops;        /* map operations that executors were given */
    uint64_t interrupts;        /* messages sent (MSI-X, MSI) or INTx edges */
    /* "stats-device-ns", time spent in BAR0 handlers, is kept in regs.c. */
} VgspStats;

struct VgspState {
    PCIDevice parent_obj;

    /* properties */
    char *owner;
    char *record;               /* file of sections, or NULL */
    uint32_t watchdog_ms;       /* of a section without progress; 0: never */
    uint32_t model_threads;     /* 0: the model decides */
    uint64_t vram_size;
    HostMemoryBackend *vram_backend;    /* "vram", or made from vram_size */
    uint32_t display;
    bool vram_size_given;       /* by the user, not by default */

    VgspChip chip;              /* filled by the executor at realize */
    VgspStats stats;

    MemoryRegion bar0, bar1, bar3, bar5;
    MemoryRegion *vram;         /* the backend's region, vram_size bytes */
    uint8_t *vram_host;         /* where device/memory.c finds it */
    uint8_t *vbios;             /* VGSP_ROM_SIZE bytes, constant */
    bool vram_internal;         /* the backend is ours */
    uint32_t bar5_master, bar5_enable, bar5_address;
    bool bus_master;            /* the executor may run, as far as PCI goes */
    bool stopped;               /* the VM is: the executor is paused */
    VMChangeStateEntry *vmstate;
    Error *migration_blocker;
    Notifier machine_done;

    VgspRegs *regs;
    VgspIntr *intr;
    VgspApertures *apertures;
    VgspMem *mem;
    VgspDma *dma;
    VgspGsp *gsp;
    VgspHost *host;
    VgspExecutor *executor;
    VgspShadows *shadows;
};

#endif
