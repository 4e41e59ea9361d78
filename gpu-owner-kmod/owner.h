/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the owner of a GPU share.
 *
 * Two halves. The core (main.c, device.c, boot.c, irq.c, rm.c, context.c,
 * submit.c, debugfs.c) owns the card: registers, GSP-RM, channels, interrupts.
 * Sessions (session.c, memory.c, space.c, pagetable.c, ring.c, event.c) are
 * what user space sees. Here is what each offers to the other.
 *
 * A device outlives its driver's binding as long as a file is open on it:
 * vgsp_owner_device_get() and _put(). Its hardware does not; who wants to touch
 * it brackets that by vgsp_owner_enter() and vgsp_owner_exit().
 */
#ifndef VGSP_OWNER_KMOD_H
#define VGSP_OWNER_KMOD_H

#include <linux/idr.h>
#include <linux/io.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "vgsp/chip.h"
#include "vgsp/gsp-client.h"
#include "vgsp/uapi/vgsp_owner.h"

struct dentry;
struct gen_pool;
struct vgsp_context;
struct vgsp_owner_device;
struct vgsp_space;

#define VGSP_OWNER_NAME		"vgsp-owner"

enum vgsp_owner_state {
	VGSP_OWNER_OFF,		/* GSP-RM does not run yet */
	VGSP_OWNER_RUNNING,
	VGSP_OWNER_GONE,	/* unbound: files get ENODEV */
};

/* What debugfs shows; each answers the question that its name asks. */
struct vgsp_owner_stats {
	atomic64_t sessions;		/* open now */
	atomic64_t contexts;		/* exist now */
	atomic64_t pinned_pages;	/* of user memory, now */
	atomic64_t table_pages;		/* of page tables, now */
	atomic64_t sections;		/* submitted to the card so far */
	atomic64_t completed;		/* retired so far */
	atomic64_t refused;		/* sections the policy refused so far */
	atomic64_t faults;		/* contexts that died so far */
	atomic64_t interrupts;		/* taken so far */
	atomic64_t gsp_events;		/* messages of GSP-RM so far */
	atomic64_t waits_spun;		/* waits that did not sleep so far */
	atomic64_t waits_slept;		/* waits that did so far */
};

/* Vectors of the card's interrupt tree, NV_INTR_VECTOR_INVALID if none. */
struct vgsp_owner_vectors {
	u32 gsp;
	u32 gr_nonstall;
	u32 copy_nonstall;
};

/* Coherent memory that CPU and GPU share; addr is the bus address. */
struct vgsp_dma {
	void *cpu;
	dma_addr_t addr;
	size_t size;
};

struct vgsp_owner_device {
	struct kref ref;
	struct pci_dev *pdev;
	struct device *dev;		/* &pdev->dev */
	int index;			/* N of /dev/vgsp-ownerN */

	/*
	 * Held for reading around accesses to the hardware and calls of GSP-RM,
	 * for writing where the state changes.
	 */
	struct rw_semaphore state_lock;
	enum vgsp_owner_state state;
	bool lost;			/* of RUNNING: nothing answers */

	void __iomem *regs;		/* BAR0 */
	resource_size_t regs_size;
	struct mutex invalidate_lock;	/* the registers of a TLB invalidation */

	/* GSP-RM. gsp_lock serialises the client, gsp_rx and tx with it. */
	struct mutex gsp_lock;
	VgspGspClient gsp;
	struct vgsp_owner_firmware *fw;
	struct vgsp_owner_vectors vectors;
	struct ida client_ids;		/* numbers of RM clients */
	VgspGspVm rm;			/* the driver's own client */
	struct vgsp_dma rm_pd;		/* its page directory: empty */

	int irq;
	u32 leaf_mask[8];		/* enabled vectors; constant after boot */

	/* Video memory of the core: context buffers, instances, USERD. */
	struct gen_pool *vram;
	struct mutex pramin_lock;	/* the window at 0x700000 */

	/* Channels by id; context_lock, a spin lock with interrupts off. */
	spinlock_t context_lock;
	struct vgsp_context **channels;

	struct vgsp_owner_gr *gr;	/* context.c: golden image, scrubber */

	VgspChip chip;			/* what the card is; after boot */
	struct vgsp_owner_stats stats;
	struct dentry *debugfs;
	void *session_data;		/* session.c's own */
};

/* ---- device.c ---- */

struct vgsp_owner_device *
vgsp_owner_device_get(struct vgsp_owner_device *od);
void vgsp_owner_device_put(struct vgsp_owner_device *od);

/*
 * Until vgsp_owner_exit() the card stays bound and powered. -ENODEV if it is
 * gone, -EIO if it is lost.  May sleep; does not nest.
 */
int vgsp_owner_enter(struct vgsp_owner_device *od);
void vgsp_owner_exit(struct vgsp_owner_device *od);
/* GSP-RM or the card does not answer any more: contexts die. Any context. */
void vgsp_owner_lost(struct vgsp_owner_device *od, const char *why);
const char *vgsp_owner_state_name(struct vgsp_owner_device *od);

extern const struct attribute_group *vgsp_owner_groups[];
int vgsp_owner_device_bind(struct pci_dev *pdev);
void vgsp_owner_device_unbind(struct pci_dev *pdev);

static inline u32 vgsp_rd32(struct vgsp_owner_device *od, u32 reg)
{
	return readl(od->regs + reg);
}

static inline void vgsp_wr32(struct vgsp_owner_device *od, u32 reg, u32 val)
{
	writel(val, od->regs + reg);
}

int vgsp_dma_alloc(struct vgsp_owner_device *od, size_t size,
		   struct vgsp_dma *dma);
void vgsp_dma_free(struct vgsp_owner_device *od, struct vgsp_dma *dma);

/* PTIMER, ns. */
u64 vgsp_ptimer_ns(struct vgsp_owner_device *od);

/*
 * No engine uses an older translation of the directory at bus address pd when
 * it returns 0; -ETIMEDOUT: the device is lost.
 */
int vgsp_tlb_invalidate(struct vgsp_owner_device *od, dma_addr_t pd);

/* ---- boot.c ---- */

int vgsp_owner_boot(struct vgsp_owner_device *od);
void vgsp_owner_shutdown(struct vgsp_owner_device *od);
int vgsp_owner_firmware_get(struct vgsp_owner_device *od);
void vgsp_owner_firmware_put(struct vgsp_owner_device *od);
/* Release of the firmware that runs, "570.144". */
const char *vgsp_owner_firmware_version(void);
/*
 * A result of the client as an errno; says in the log what RM refused. If it
 * did not answer, the card is lost. gsp_lock held.
 */
int vgsp_owner_gsp_result(struct vgsp_owner_device *od, const char *what,
			  int ret);

/* ---- irq.c ---- */

int vgsp_owner_irq_init(struct vgsp_owner_device *od);
/* After boot, when the vectors are known. */
void vgsp_owner_irq_enable(struct vgsp_owner_device *od);
void vgsp_owner_irq_disable(struct vgsp_owner_device *od);
void vgsp_owner_irq_fini(struct vgsp_owner_device *od);

/* ---- rm.c ---- */

int vgsp_owner_rm_init(struct vgsp_owner_device *od);
void vgsp_owner_rm_fini(struct vgsp_owner_device *od);

/*
 * An address space of RM: a client of its own with device, subdevice and a
 * vaspace whose directory (PD3, one zeroed page in coherent system memory) the
 * caller fills.  Inside enter/exit.
 */
int vgsp_vm_create(struct vgsp_owner_device *od, dma_addr_t pd,
		   VgspGspVm *vm);
void vgsp_vm_destroy(struct vgsp_owner_device *od, const VgspGspVm *vm);

/* An event of GSP-RM, in its thread with gsp_lock held. */
void vgsp_owner_gsp_event(void *opaque, u32 event, const u8 *payload, u32 len);

/* ---- context.c, submit.c ---- */

/*
 * What a context tells. In the interrupt's thread, no lock held but those of
 * the core; must not sleep for long nor call the core.
 */
struct vgsp_context_ops {
	/* Sections up to seq have retired. */
	void (*completed)(void *priv, u64 seq);
	/* Nothing of it runs or completes any more. At most once. */
	void (*fault)(void *priv, const struct vgsp_owner_fault *fault);
};

/*
 * An unprivileged channel in a TSG of its own, in the space's RM client, with
 * context buffers and rings in the space's window.  Inside enter/exit.
 */
int vgsp_context_create(struct vgsp_owner_device *od, struct vgsp_space *space,
			u32 engine, u32 timeslice_us,
			const struct vgsp_context_ops *ops, void *priv,
			struct vgsp_context **ctx);
/* Ends what runs; no callback comes after it returned. Inside enter/exit. */
void vgsp_context_destroy(struct vgsp_context *ctx);
/* Likewise, where the device is gone or lost: memory only. */
void vgsp_context_abandon(struct vgsp_context *ctx);
/* Ends a context from outside; its fault of that kind is reported. */
int vgsp_context_kill(struct vgsp_context *ctx, u32 kind);

/*
 * Queues a section: words (checked and owned by the caller; copied) and then
 * the release of seq, which increases.  -EAGAIN: full, again after a
 * completion; -EIO: dead.  Inside enter/exit; one caller at a time.
 */
int vgsp_context_submit(struct vgsp_context *ctx, const u32 *words, u32 count,
			u64 seq);
/* Last seq that retired. */
u64 vgsp_context_completed(struct vgsp_context *ctx);
/* Tells what has retired, before the interrupt does. Any context. */
void vgsp_context_poll(struct vgsp_context *ctx);

/* The golden image; before contexts are made, and after the last is gone. */
int vgsp_owner_gr_init(struct vgsp_owner_device *od);
void vgsp_owner_gr_fini(struct vgsp_owner_device *od);
/* Some context has retired something. */
void vgsp_contexts_nonstall(struct vgsp_owner_device *od);
/* All contexts die: the card is lost. */
void vgsp_contexts_lost(struct vgsp_owner_device *od);
/* GSP-RM has ended a channel; the fault's kind, address and type are set. */
void vgsp_contexts_rc(struct vgsp_owner_device *od, u32 engine_type, u32 chid,
		      struct vgsp_owner_fault *fault);

/* ---- debugfs.c ---- */

void vgsp_owner_debugfs_init(void);
void vgsp_owner_debugfs_exit(void);
void vgsp_owner_debugfs_add(struct vgsp_owner_device *od);
void vgsp_owner_debugfs_remove(struct vgsp_owner_device *od);

/* ---- Offered by sessions ---- */

int vgsp_session_init(void);
void vgsp_session_exit(void);
/* The device runs: make /dev/vgsp-ownerN. */
int vgsp_session_device_add(struct vgsp_owner_device *od);
/*
 * The device goes: no file is opened any more, every context and space of
 * those that are is destroyed, later ioctls give ENODEV.  Before the state
 * becomes GONE, so that GSP-RM can still be asked.
 */
void vgsp_session_device_remove(struct vgsp_owner_device *od);

/* The space's RM objects, as vgsp_vm_create() made them. */
const VgspGspVm *vgsp_space_vm(struct vgsp_space *space);

#define VGSP_WINDOW_READ_ONLY	BIT(0)
#define VGSP_WINDOW_PRIVILEGED	BIT(1)
#define VGSP_WINDOW_VIDMEM	BIT(2)	/* addr is in video memory */

/*
 * Maps [addr, addr + size) (contiguous, multiples of 4 KiB) in the reserved
 * window of the space, at a multiple of align, and invalidates.
 */
int vgsp_space_window_map(struct vgsp_space *space, u64 addr, u64 size,
			  u64 align, u32 flags, u64 *va);
void vgsp_space_window_unmap(struct vgsp_space *space, u64 va, u64 size);

#endif
