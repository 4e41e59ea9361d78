/*
 * Private to hw-vgsp/gsp: the falcons, what their ucodes do, and the state of
 * GSP's boot and queues. docs/gsp.md draws the states.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_GSP_INT_H
#define HW_VGSP_GSP_INT_H

#include "qemu/units.h"
#include "gsp/gsp.h"
#include "gsp/rm.h"
#include "vgsp/boot-codes.h"
#include "vgsp/msgq.h"
#include "vgsp/nv/dev_falcon.h"
#include "vgsp/nv/gsp-boot.h"
#include "vgsp/nv/profile.h"
#include "vgsp/vbios.h"

/* ---- falcon.c ---- */

typedef enum VgspFalconId {
    VGSP_FALCON_PMU,
    VGSP_FALCON_SEC2,
    VGSP_FALCON_GSP,
    VGSP_FALCON_COUNT
} VgspFalconId;

#define VGSP_FALCON_IMEM_SIZE   (64 * KiB)
#define VGSP_FALCON_DMEM_SIZE   (64 * KiB)
#define VGSP_FALCON_EMEM_SIZE   (8 * KiB)
#define VGSP_FALCON_IMEM_BLOCKS \
    (VGSP_FALCON_IMEM_SIZE / NV_PFALCON_IMEM_BLKSIZE)

typedef struct VgspFalcon VgspFalcon;

/* What distinguishes a falcon from the others. */
typedef struct VgspFalconClass {
    const char *name;
    uint32_t base, size;        /* in BAR0 */
    bool riscv;                 /* has the RISC-V core behind NV_PRISCV */
    bool has_vector;            /* interrupts by s->chip.vector_gsp */
    /*
     * The core was started: performs what the ucode would and leaves its
     * answer in the mailboxes. The core has halted when it returns. NULL: no
     * ucode of this falcon is modelled; the start is logged.
     */
    void (*start)(VgspState *s, VgspFalcon *f);
    /* Engine reset was asserted; registers and memories are cleared. */
    void (*reset)(VgspState *s, VgspFalcon *f);
    /* QUEUE_HEAD(@i) was written. */
    void (*queue_head)(VgspState *s, VgspFalcon *f, unsigned i);
} VgspFalconClass;

struct VgspFalcon {
    const VgspFalconClass *cls;
    uint32_t irqstat, irqmask, irqdest;
    uint32_t mailbox[2];
    uint32_t itfen, os, rm, debuginfo, bootvec, dmactl, engine;
    uint32_t common_scratch[NV_PFALCON_FALCON_COMMON_SCRATCH__SIZE];
    uint32_t transcfg[NV_PFALCON_FBIF_TRANSCFG__SIZE_1];
    uint32_t fbif_ctl;
    uint32_t scratch_mailbox[NV_PFALCON_MAILBOX__SIZE_1];
    uint32_t queue_head[NV_PFALCON_QUEUE__SIZE_1];
    uint32_t queue_tail[NV_PFALCON_QUEUE__SIZE_1];
    uint32_t imemc[NV_PFALCON_FALCON_IMEM__SIZE_1];
    uint32_t imemt[NV_PFALCON_FALCON_IMEM__SIZE_1];
    uint32_t dmemc[NV_PFALCON_FALCON_DMEM__SIZE_1];
    uint32_t ememc[NV_PFALCON_EMEM__SIZE_1];
    uint16_t imem_tag[VGSP_FALCON_IMEM_BLOCKS];
    bool imem_secure[VGSP_FALCON_IMEM_BLOCKS];
    uint8_t *imem, *dmem, *emem; /* sizes above */
    /* RISC-V */
    bool riscv_active;
    uint32_t riscv_irqmask, riscv_irqdest;
};

void vgsp_falcons_init(VgspState *s);
void vgsp_falcons_reset(VgspState *s);
void vgsp_falcons_exit(VgspState *s);
VgspFalcon *vgsp_falcon(VgspState *s, VgspFalconId id);

/* Sets bits of IRQSTAT; the interrupt follows if one becomes visible. BQL. */
void vgsp_falcon_irq(VgspState *s, VgspFalcon *f, uint32_t bits);

/* Starts and stops the RISC-V core (by effect). BQL. */
void vgsp_falcon_riscv_start(VgspState *s, VgspFalcon *f);

/* ---- fwsec.c, booter.c: the ucodes ---- */

/* A write-protected region begins and ends on such a boundary. */
#define VGSP_WPR_ALIGN          (128 * KiB)
#define VGSP_FRTS_SIZE          (FWSECLIC_FRTS_REGION_SIZE_1MB_IN_4K * 4 * KiB)

/* Booter fetches its metadata in DMA blocks of this size. */
#define VGSP_BOOTER_META_ALIGN  256

/* NV_PFB_PRI_MMU_WPR2_ADDR_LO and _HI; hi is 0 where there is no WPR2. */
typedef struct VgspWpr2 {
    uint32_t lo, hi;
} VgspWpr2;

/*
 * The registers for [@start, @end). Bits 31:4 hold an address in 4 KiB; that
 * the upper one is exclusive is unverified.
 */
static inline VgspWpr2 vgsp_wpr2(uint64_t start, uint64_t end)
{
    return (VgspWpr2) { .lo = start >> 12 << 4, .hi = end >> 12 << 4 };
}

/* FWSEC as the card's own ROM has it. */
typedef struct VgspGspFwsec {
    VgspVbiosFwsecInfo info;
    uint8_t *secure_code;       /* info.imem_sec_size bytes; NULL: no FWSEC */
} VgspGspFwsec;

/* @rom of @len bytes is read, not kept. */
void vgsp_fwsec_init(VgspState *s, const uint8_t *rom, size_t len);
void vgsp_fwsec_exit(VgspState *s);
/* Starts of the GSP and of the SEC2 falcon. BQL. */
void vgsp_fwsec_start(VgspState *s, VgspFalcon *f);
void vgsp_booter_start(VgspState *s, VgspFalcon *f);

/* ---- gsp.c: the life of GSP-RM ---- */

typedef enum VgspGspState {
    VGSP_GSP_OFF,               /* no GSP-RM: before Booter load */
    VGSP_GSP_RUNNING,
    VGSP_GSP_HALTED,            /* UNLOADING_GUEST_DRIVER was answered */
    VGSP_GSP_SUSPENDED,         /* put aside by Booter unload (SR, GC6) */
} VgspGspState;

typedef struct VgspQueue VgspQueue; /* queue.c */

struct VgspGsp {
    VgspFalcon falcon[VGSP_FALCON_COUNT];

    /* The boot chain */
    VgspGspFwsec fwsec;
    VgspWpr2 wpr2;
    bool loaded;                /* Booter has loaded and not unloaded */
    unsigned unknown_reports;   /* lines about unknown firmware so far */
    uint16_t frts_code, sb_code; /* fields of NV_PBUS_VBIOS_SCRATCH */

    /* GSP-RM; rm and queue exist in all states but OFF */
    VgspGspState state;
    bool pm_transition;         /* HALTED: for a suspend, not for good */
    GArray *rc_kept;            /* VgspRcError, to be told on resume; or NULL */
    uint64_t rmargs;            /* bus address of RMARGS, for resume */
    const VgspProfile *profile;
    VgspRm *rm;
    GHashTable *rm_refused;     /* rm.c: control -> times; outlives rm */
    VgspQueue *queue;

    /* SUSPENDED */
    bool gc6;                   /* with WPR2 still up */
    uint64_t sr_cookie;         /* what Booter left in the SR metadata */
    VgspWpr2 sr_wpr2;
};

/*
 * Starts GSP-RM: takes the libos arguments from GSP's mailboxes, finds the
 * queues, identifies the release by the message that waits, starts the RISC-V
 * core, consumes the pre-boot messages and posts GSP_INIT_DONE.
 * @system_info_size: payload of that message, bytes; 0 if none waits. BQL.
 */
VgspBooterError vgsp_gsp_fw_boot(VgspState *s, const VgspRmBoot *boot,
                              uint32_t *system_info_size);
/* Puts the halted GSP-RM aside, and lets it go on. BQL. */
void vgsp_gsp_fw_suspend(VgspState *s, uint64_t cookie, bool gc6);
VgspBooterError vgsp_gsp_fw_resume(VgspState *s);
/* Forgets GSP-RM, whatever its state. BQL. */
void vgsp_gsp_fw_drop(VgspState *s);
/* From the queue: UNLOADING_GUEST_DRIVER is answered, nothing follows. */
void vgsp_gsp_halted(VgspState *s);

/* Hooks of the GSP falcon. */
void vgsp_gsp_falcon_reset(VgspState *s, VgspFalcon *f);
void vgsp_gsp_queue_head(VgspState *s, VgspFalcon *f, unsigned i);

/* ---- queue.c: the message queues. All under the BQL. ---- */

/*
 * The queues that the RMARGS at @rmargs name. Nothing is written or consumed.
 * NULL, with the guest error logged, if they name none.
 * @system_info_size as in vgsp_gsp_fw_boot().
 */
VgspQueue *vgsp_queue_new(VgspState *s, uint64_t rmargs,
                          uint32_t *system_info_size);
void vgsp_queue_free(VgspQueue *q);
/*
 * Formats the status queue, serves what waits and posts GSP_INIT_DONE. False,
 * with the guest error logged, if the queues' geometry is impossible.
 */
bool vgsp_queue_start(VgspQueue *q, uint64_t rmargs);
/* Serves requests; bounded, the rest from a bottom half. */
void vgsp_queue_run(VgspQueue *q);
bool vgsp_queue_post(VgspQueue *q, uint32_t event, const void *payload,
                     size_t len);
/* The request at hand is the last; vgsp_gsp_halted() when it is answered. */
void vgsp_queue_halt(VgspQueue *q);
/* Serves no more, and runs nothing deferred. */
void vgsp_queue_stop(VgspQueue *q);
/*
 * Reads RMARGS and page table again; pointers and sequence numbers go on.
 * False if the queues are not where they were.
 */
bool vgsp_queue_resume(VgspQueue *q, uint64_t rmargs);
/* GSP-RM runs again: GSP_INIT_DONE, and requests. */
void vgsp_queue_resumed(VgspQueue *q);

#endif
