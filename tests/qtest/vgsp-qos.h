/*
 * A libqos-style driver of vgsp-gpu: the device on a q35 board, its BARs,
 * registers, VRAM and interrupts, guest memory, page tables, and the GSP
 * client (common/gsp) on top of them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_TESTS_QTEST_VGSP_QOS_H
#define VGSP_TESTS_QTEST_VGSP_QOS_H

#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "vgsp/gsp-client.h"
#include "vgsp/nv/dev_mmu.h"

#define VGSP_QOS_PAGE       0x1000u
#define VGSP_QOS_VRAM_SIZE  (256u << 20)
#define VGSP_QOS_CONFIG_MSIX_ENTRIES 6

typedef struct VgspQos {
    QTestState *qts;
    QPCIBus *pci;
    QPCIDevice *dev;
    uint64_t bar0, bar1, bar3, rom;
    uint16_t bar5;
    uint64_t ram_next;          /* guest memory is given out upwards */
    unsigned ram_live;
    bool scatter;               /* non-contiguous DMA memory runs downwards */
    uint32_t window;            /* NV_PBUS_BAR0_WINDOW as last written */
    uint64_t delayed_us;

    VgspGspClient gsp;
    uint8_t rom_buf[0x20000], tx[0x20000], rx[0x20000];
    uint32_t events;            /* how many came, and the last */
    uint32_t event;
    uint32_t event_len;
    uint8_t event_data[512];
} VgspQos;

/* ---- The board ---- */

/*
 * Start QEMU with one vgsp-gpu (id "gpu", slot 4, VGSP_QOS_VRAM_SIZE) and what
 * device_args (",prop=value" or "") and args add; BARs mapped, memory and bus
 * mastering on.
 */
VgspQos *vgsp_qos_new(const char *device_args, const char *args);
/* The same behind a root port. */
VgspQos *vgsp_qos_new_port(void);
/* Unplugs it from there; only vgsp_qos_free() is left to be called. */
void vgsp_qos_unplug(VgspQos *q);
void vgsp_qos_free(VgspQos *q);
/* Place the BARs and switch decoding on, after a reset. */
void vgsp_qos_enable(VgspQos *q);

/*
 * Whether the tests run under KVM with its processors stopped: virtual time
 * then stands still, and what depends on it cannot be tested.
 */
bool vgsp_qos_kvm(void);
/* For main(): say so and return true if the whole program is to be skipped. */
bool vgsp_qos_skip_kvm(void);
/* Let so much time pass for the device, and as much for its threads. */
void vgsp_qos_step_us(VgspQos *q, uint64_t us);

uint32_t vgsp_rd32(VgspQos *q, uint32_t reg);
void vgsp_wr32(VgspQos *q, uint32_t reg, uint32_t val);

/* Function level reset through the PCI Express capability. */
void vgsp_qos_flr(VgspQos *q);

/* Integer or string behind a property of the device; free the string. */
int64_t vgsp_qos_stat(VgspQos *q, const char *name);
char *vgsp_qos_property(VgspQos *q, const char *name);

/* ---- Memory ---- */

/* Guest RAM: whole zeroed pages, never given back. */
uint64_t vgsp_qos_ram(VgspQos *q, uint64_t size);
/* VRAM through PRAMIN. */
void vgsp_vram_read(VgspQos *q, uint64_t addr, void *buf, size_t len);
void vgsp_vram_write(VgspQos *q, uint64_t addr, const void *buf, size_t len);
uint32_t vgsp_vram_rd32(VgspQos *q, uint64_t addr);
void vgsp_vram_wr32(VgspQos *q, uint64_t addr, uint32_t val);

/* ---- Interrupts ---- */

/* MSI to an address in RAM; the word there is 0 until a message comes. */
typedef struct VgspQosMsi {
    uint64_t addr;
    uint32_t data;
} VgspQosMsi;

void vgsp_qos_msi_enable(VgspQos *q, VgspQosMsi *msi);
void vgsp_qos_msix_enable(VgspQos *q, VgspQosMsi *msi, unsigned entry);
/* Whether a message came (waiting a little); clears the word. */
bool vgsp_qos_msi_taken(VgspQos *q, const VgspQosMsi *msi);
/* Whether none comes within a while. */
bool vgsp_qos_msi_quiet(VgspQos *q, const VgspQosMsi *msi);

/* ---- Address spaces ---- */

/* Page tables built in a buffer and written to VRAM by commit. */
typedef struct VgspQosVm {
    VgspQos *q;
    uint64_t base;              /* VRAM address of the tables; PD3 first */
    uint32_t size, used;        /* bytes */
    uint8_t *mirror;
} VgspQosVm;

/* size: bytes of VRAM at base (4 KiB aligned) that the tables may take. */
VgspQosVm *vgsp_vm_new(VgspQos *q, uint64_t base, uint32_t size);
void vgsp_vm_free(VgspQosVm *vm);
/*
 * One page of 1 << shift bytes (12, 16 or 21). pte: all fields but the
 * address, NV_MMU_VER2_PTE_VALID included; 0 unmaps, _VOL alone is sparse.
 */
void vgsp_vm_map(VgspQosVm *vm, uint64_t va, uint64_t pa, unsigned shift,
                 uint64_t pte);
void vgsp_vm_commit(VgspQosVm *vm);
/* The entry of the small page at va alone: its tables were committed. */
void vgsp_vm_commit_page(VgspQosVm *vm, uint64_t va);
/* PD3's first entry, which covers 128 TiB. */
uint64_t vgsp_vm_pde0(const VgspQosVm *vm);
/* By register: everything of the space whose PD3 lies at VRAM address pdb. */
void vgsp_invalidate(VgspQos *q, uint64_t pdb);
void vgsp_invalidate_all(VgspQos *q);

#define VGSP_PTE_VRAM   NV_MMU_VER2_PTE_VALID
#define VGSP_PTE_SYS    (NV_MMU_VER2_PTE_VALID | \
    VGSP_SET(NV_MMU_VER2_PTE_APERTURE, \
             NV_MMU_VER2_PTE_APERTURE_SYSTEM_COHERENT_MEMORY))
#define VGSP_PTE_SYS_NC (NV_MMU_VER2_PTE_VALID | \
    VGSP_SET(NV_MMU_VER2_PTE_APERTURE, \
             NV_MMU_VER2_PTE_APERTURE_SYSTEM_NON_COHERENT_MEMORY))
#define VGSP_PTE_SPARSE NV_MMU_VER2_PTE_VOL

/* ---- GSP ---- */


/* Fill in q->gsp for that profile: operations, firmware, buffers. */
void vgsp_gsp_init(VgspQos *q, const VgspProfile *profile);
/* The same, and boot; asserts success. */
void vgsp_gsp_up(VgspQos *q, const VgspProfile *profile);
void vgsp_gsp_down(VgspQos *q);

/* Bus address of a piece of the client's DMA memory. */
uint64_t qos_dma_addr_of(VgspQos *q, const VgspGspMem *mem);

/* Add a test that runs once a profile, as PATH/570.144 and so on. */
void vgsp_add_profiles(const char *path, void (*fn)(const void *profile));

#endif
