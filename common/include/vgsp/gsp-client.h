/*
 * The driver side of GSP-RM on Turing: boot it (FWSEC, Booter, RISC-V), talk
 * to it (RPC, RM objects and controls), give it channels, suspend and stop it.
 * The host kernel driver runs this against a physical card, the qtests against
 * the emulated one.
 *
 * Specified by what NVIDIA's open modules (kernel_gsp*.c, message_queue_cpu.c)
 * and nouveau (nvkm/subdev/gsp, nvkm/falcon) do.
 *
 * The client allocates nothing but DMA memory through its operations, holds no
 * lock and starts no thread: the caller serialises all calls on one client.
 * Functions return 0 or a negative VgspGspResult.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_GSP_CLIENT_H
#define VGSP_GSP_CLIENT_H

#include "vgsp/msgq.h"
#include "vgsp/nv/gsp-boot.h"
#include "vgsp/nv/profile.h"
#include "vgsp/types.h"
#include "vgsp/vbios.h"

/* Values of Linux's errno where there is one. */
typedef enum VgspGspResult {
    VGSP_GSP_OK = 0,
    VGSP_GSP_ENOENT = -2,       /* VBIOS without FWSEC */
    VGSP_GSP_EIO = -5,          /* a ucode failed: see mailbox[] */
    VGSP_GSP_ENOMEM = -12,      /* DMA memory */
    VGSP_GSP_EFAULT = -14,      /* DMA memory could not be accessed */
    VGSP_GSP_EBUSY = -16,       /* wrong state for this call */
    VGSP_GSP_ENODEV = -19,      /* no TU10x here, or gone from the bus */
    VGSP_GSP_EINVAL = -22,      /* the caller's fault */
    VGSP_GSP_EPROTO = -71,      /* malformed message: see msgq_error */
    VGSP_GSP_EMSGSIZE = -90,    /* reply or request longer than the buffers */
    VGSP_GSP_ETIMEDOUT = -110,
    VGSP_GSP_EREMOTEIO = -121,  /* RM refused: see rpc_result, rm_status */
} VgspGspResult;

/* DMA memory: page aligned, zeroed; handle is the callee's. size 0: none. */
typedef struct VgspGspMem {
    uint64_t size;
    void *handle;
} VgspGspMem;

/* What the client needs of its surroundings.  None may be NULL. */
typedef struct VgspGspOps {
    /* A BAR0 register. */
    uint32_t (*read32)(void *opaque, uint32_t reg);
    void (*write32)(void *opaque, uint32_t reg, uint32_t val);
    /*
     * size bytes (a multiple of 4 KiB) that GPU and CPU share, contiguous on
     * the bus if asked for. 0 on success.
     */
    int (*dma_alloc)(void *opaque, uint64_t size, bool contiguous,
                     VgspGspMem *mem);
    void (*dma_free)(void *opaque, VgspGspMem *mem);
    /* Bus address of the byte at offset. */
    uint64_t (*dma_addr)(void *opaque, const VgspGspMem *mem, uint64_t offset);
    /* Coherent access; 0 on success. */
    int (*dma_read)(void *opaque, const VgspGspMem *mem, uint64_t offset,
                    void *buf, uint32_t len);
    int (*dma_write)(void *opaque, const VgspGspMem *mem, uint64_t offset,
                     const void *buf, uint32_t len);
    /* At least us microseconds pass, for CPU and GPU. */
    void (*delay_us)(void *opaque, uint32_t us);
    /* For people: a constant sentence and a number. */
    void (*log)(void *opaque, const char *what, uint64_t value);
} VgspGspOps;

/* A range of bytes that the caller owns and keeps. */
typedef struct VgspGspBlob {
    const uint8_t *data;
    uint32_t size;
} VgspGspBlob;

/* A Booter image, signature patched in, and where its parts go in SEC2. */
typedef struct VgspGspBooter {
    VgspGspBlob image;
    uint32_t code_imem, code_size;      /* non-secure code, at image start */
    uint32_t secure_imem, secure_size;  /* secure code, follows */
    uint32_t data_offset, data_size;    /* in the image; DMEM 0 */
} VgspGspBooter;

/* The firmware of one release, as unpacked from its files. */
typedef struct VgspGspFirmware {
    VgspGspBlob image;              /* section .fwimage of GSP-RM's ELF */
    VgspGspBlob signature;          /* section .fwsignature_tu10x */
    VgspGspBlob bootloader;         /* RISC-V bootloader */
    uint32_t bootloader_code, bootloader_data, bootloader_manifest;
    uint32_t app_version;
    VgspGspBooter booter_load, booter_unload;
    VgspGspBlob fwsec_loader;       /* falcon bootloader for FWSEC */
    uint32_t fwsec_loader_tag;      /* its start, in 256 bytes */
} VgspGspFirmware;

/* What GSP-RM is told of the machine (GSP_SET_SYSTEM_INFO). */
typedef struct VgspGspSystem {
    uint64_t bar0, bar1, bar2;      /* bus addresses */
    uint64_t bdf;                   /* domain << 16 | bus << 8 | devfn */
    uint64_t max_user_va;
    uint32_t pci_id, pci_subsystem; /* device << 16 | vendor */
    uint8_t pci_revision;
} VgspGspSystem;

/* An asynchronous message. payload is valid during the call. */
typedef void VgspGspEvent(void *opaque, uint32_t event, const uint8_t *payload,
                          uint32_t len);

typedef enum VgspGspPhase {
    VGSP_GSP_OFF,
    VGSP_GSP_PREPARED,              /* FWSEC-FRTS has run, RPCs are waiting */
    VGSP_GSP_RUNNING,
    VGSP_GSP_SUSPENDED,
} VgspGspPhase;

/* VRAM as the boot lays it out, from the top; bytes. */
typedef struct VgspGspLayout {
    uint64_t fb_size;
    uint64_t vga_workspace;
    uint64_t frts, bootloader, elf, heap, heap_size, wpr, nonwpr_heap;
} VgspGspLayout;

/* What the client keeps of GET_GSP_STATIC_INFO. */
typedef struct VgspGspInfo {
    NvHandle client, device, subdevice; /* GSP-RM's internal objects */
    uint64_t bar1_pde_base, bar2_pde_base;
    uint64_t usable_base, usable_limit; /* first usable region, inclusive */
    uint32_t l2_size, fb_bus_width; /* bytes, bits */
    char name[65], short_name[65];  /* of the board, of the chip */
} VgspGspInfo;

typedef struct VgspGspClient {
    /* Set by the caller before vgsp_gsp_boot(); kept unchanged. */
    const VgspGspOps *ops;
    void *opaque;
    const VgspProfile *profile;
    const VgspGspFirmware *fw;
    VgspGspSystem system;
    uint8_t *rom;                   /* room for the VBIOS; its size follows */
    uint32_t rom_size;
    uint8_t *tx, *rx;               /* room for one payload each */
    uint32_t tx_size, rx_size;
    VgspGspEvent *event;            /* or NULL */
    void *event_opaque;

    /* Read by the caller. */
    VgspGspPhase phase;
    uint32_t boot0;
    VgspGspLayout layout;
    VgspGspInfo info;
    uint32_t mailbox[2];            /* left by the ucode that ran last */
    VgspMsgqError msgq_error;
    uint32_t rpc_result;            /* of the last reply */
    uint32_t rm_status;             /* of the last allocation or control */

    /* The client's own. */
    VgspMsgq cmdq, msgq;
    VgspMsgqAssembly assembly;
    uint32_t rpc_sequence;
    VgspVbiosInfo vbios;
    VgspGspMem shared, libos, log[3], rmargs, fwsec, bootloader, signature;
    VgspGspMem image, radix[3], wpr_meta;
    VgspGspMem sr_meta, sr_data, sr_radix[3], fbsr;
} VgspGspClient;

/* ---- Boot ---- */

/* BOOT_0 of the chip in c->boot0; ENODEV unless it is a TU10x. */
int vgsp_gsp_identify(VgspGspClient *c);

/* Until GFW has initialised the board; 4 s at most. */
int vgsp_gsp_wait_gfw(VgspGspClient *c);

/*
 * The whole road to a running GSP-RM: identify, GFW, VBIOS, layout, FWSEC-FRTS,
 * GSP reset, queues, Booter, INIT_DONE, static info.  On failure what runs is
 * stopped, everything allocated is freed and the phase is OFF; a later call
 * starts anew.
 */
int vgsp_gsp_boot(VgspGspClient *c);

/* The two halves of it, for tests: up to Booter, and from there on. */
int vgsp_gsp_prepare(VgspGspClient *c);
int vgsp_gsp_start(VgspGspClient *c);

/*
 * UNLOADING_GUEST_DRIVER, then GSP reset, FWSEC-SB and Booter unload; frees all
 * DMA memory whatever happens. The first error is returned.
 */
int vgsp_gsp_unload(VgspGspClient *c);

/*
 * To sleep with RM's state kept (level 3), and back.  The caller has saved
 * what VRAM it wants to keep, as on any GPU.
 */
int vgsp_gsp_suspend(VgspGspClient *c);
int vgsp_gsp_resume(VgspGspClient *c);

/* Forget everything (the device was reset); frees all DMA memory. */
void vgsp_gsp_forget(VgspGspClient *c);

/* ---- Ucodes, for tests ---- */

/*
 * FWSEC with a command on the GSP falcon.  Load resets the falcon, puts the
 * command into FWSEC's image (c->fwsec) and loads the bootloader with its
 * descriptor at DMEM 0; run starts it and checks the command's result.
 */
int vgsp_gsp_fwsec_load(VgspGspClient *c, VgspFwsecCmdId cmd);
int vgsp_gsp_fwsec_run(VgspGspClient *c, VgspFwsecCmdId cmd);
int vgsp_gsp_fwsec(VgspGspClient *c, VgspFwsecCmdId cmd);

/* A Booter on SEC2 with these mailboxes; EIO if MAILBOX0 ends non-zero. */
int vgsp_gsp_booter(VgspGspClient *c, const VgspGspBooter *booter,
                    uint32_t mailbox0, uint32_t mailbox1);

/* ---- RPC ---- */

/* Queue a request and ring the doorbell; no reply is awaited. */
int vgsp_gsp_rpc_send(VgspGspClient *c, uint32_t function, const void *payload,
                      uint32_t len);

/*
 * Wait for the message of that function (a reply, or an event number); events
 * that come first go to c->event. *payload (may be NULL) points into c->rx
 * until the next call.  EREMOTEIO if its rpc_result is not 0.
 */
int vgsp_gsp_rpc_recv(VgspGspClient *c, uint32_t function, uint32_t timeout_us,
                      const uint8_t **payload, uint32_t *len);

/* Both, with the usual time limit. */
int vgsp_gsp_rpc(VgspGspClient *c, uint32_t function, const void *request,
                 uint32_t request_len, const uint8_t **reply, uint32_t *len);

/* Deliver the events that wait, without blocking. */
int vgsp_gsp_poll(VgspGspClient *c);

/* ---- RM ---- */

/* params (size bytes, or NULL) goes out and comes back. */
int vgsp_gsp_rm_alloc(VgspGspClient *c, NvHandle client, NvHandle parent,
                      NvHandle object, uint32_t hclass, void *params,
                      uint32_t size);
int vgsp_gsp_rm_control(VgspGspClient *c, NvHandle client, NvHandle object,
                        uint32_t cmd, void *params, uint32_t size);
int vgsp_gsp_rm_free(VgspGspClient *c, NvHandle client, NvHandle object);

/* PDE (an entry of PD3) of BAR1 or BAR2 (NV_RPC_UPDATE_PDE_BAR_*). */
int vgsp_gsp_update_bar_pde(VgspGspClient *c, uint32_t bar, uint64_t pde);

/* ---- Address spaces and channels ---- */

/* An RM client with device, subdevice and one address space. */
typedef struct VgspGspVm {
    NvHandle client, device, subdevice, vaspace;
} VgspGspVm;

/*
 * Create client number id (its handle follows from it) with an address space
 * whose page directory (PD3) lies at VRAM address pd.
 */
int vgsp_gsp_vm_new(VgspGspClient *c, uint32_t id, uint64_t pd, VgspGspVm *vm);
/* Likewise, the directory being in coherent system memory at bus address pd. */
int vgsp_gsp_vm_new_sysmem(VgspGspClient *c, uint32_t id, uint64_t pd,
                           VgspGspVm *vm);
int vgsp_gsp_vm_free(VgspGspClient *c, const VgspGspVm *vm);
/* A further vaspace of such a client, made by the caller, gets its directory. */
int vgsp_gsp_set_page_directory_sysmem(VgspGspClient *c, const VgspGspVm *vm,
                                       uint64_t pd);

/* One channel: where its memory is and which engine it feeds. */
typedef struct VgspGspChannel {
    const VgspGspVm *vm;
    uint32_t chid;
    uint32_t engine_type;           /* NV2080_ENGINE_TYPE_* */
    uint64_t gpfifo_va;
    uint32_t gpfifo_entries;
    uint64_t inst, userd;           /* VRAM addresses */
    bool userd_sysmem;              /* userd: coherent, a bus address */
    uint64_t mthdbuf;               /* bus address, 0: none */
    uint32_t mthdbuf_size;
    uint64_t notifier;              /* of errors: bus address, 0: none */
    bool privileged;
    NvHandle tsg;                   /* of which it is one; 0: none */
    NvHandle handle;                /* 0: vgsp_gsp_channel_new() sets it */
    uint32_t token;                 /* for the doorbell; set likewise */
} VgspGspChannel;

/* Allocate (class 0xc46f), bind to the engine and schedule. */
int vgsp_gsp_channel_new(VgspGspClient *c, VgspGspChannel *ch);
int vgsp_gsp_channel_free(VgspGspClient *c, const VgspGspChannel *ch);

#endif
