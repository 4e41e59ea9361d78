/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/vgsp-ownerN: the process-facing ABI of whoever owns a GPU for virtual
 * machines. Version 0: explicitly unstable until every executor exists.
 *
 * One open file is one VM's session. It names only what it made itself; ids
 * start at 1 and may be used again after their object is gone. Closing the file
 * frees everything. docs/owner-abi.md tells the whole story.
 *
 * Each ioctl takes a structure that starts with its size; a larger size whose
 * unknown trailing bytes are zero is accepted, as iommufd does. Fields named
 * reserved must be zero. Fields marked "out" are written by the owner.
 *
 *   ENOTTY      no such ioctl
 *   E2BIG       unknown trailing bytes are not zero
 *   EOPNOTSUPP  a known field has a value that is not supported
 *   EINVAL      a field has a value that is never valid
 *   ENOENT      no such object in this session
 *   ENOMEM      no memory, or RLIMIT_MEMLOCK
 *   ENOSPC      a limit of the session (struct vgsp_owner_limits)
 *   EBUSY       the object is used by another, or the addresses are the owner's
 *   EOVERFLOW   an address or a length wraps or exceeds the space
 *   EFAULT      memory of the caller cannot be accessed
 *   EIO         the context is dead, or the card does not answer any more
 *   ENODEV      the card was taken from the driver; only close() is left
 */
#ifndef _UAPI_VGSP_OWNER_H
#define _UAPI_VGSP_OWNER_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define VGSP_OWNER_ABI_VERSION 0

#define VGSP_OWNER_TYPE	0xbd

enum {
	VGSP_OWNER_CMD_INFO = 0x00,
	VGSP_OWNER_CMD_CLOCK = 0x01,
	VGSP_OWNER_CMD_REVOKE = 0x02,
	VGSP_OWNER_CMD_PAUSE = 0x03,
	VGSP_OWNER_CMD_EVENTFD = 0x04,
	VGSP_OWNER_CMD_MEMORY_NEW = 0x10,
	VGSP_OWNER_CMD_MEMORY_DEL = 0x11,
	VGSP_OWNER_CMD_SPACE_NEW = 0x20,
	VGSP_OWNER_CMD_SPACE_DEL = 0x21,
	VGSP_OWNER_CMD_MAP = 0x22,
	VGSP_OWNER_CMD_CONTEXT_NEW = 0x30,
	VGSP_OWNER_CMD_CONTEXT_DEL = 0x31,
	VGSP_OWNER_CMD_CONTEXT_KILL = 0x32,
	VGSP_OWNER_CMD_SUBMIT = 0x40,
	VGSP_OWNER_CMD_WAIT = 0x41,
	/* For replayable faults (fetch, replay, cancel); ENOTTY as yet. */
	VGSP_OWNER_CMD_FAULT = 0x50,
};

/* The chip, as far as a guest sizes its buffers by it. */
struct vgsp_owner_chip {
	__u32 boot0;		/* NV_PMC_BOOT_0 */
	__u32 boot42;		/* NV_PMC_BOOT_42 */
	__u32 device_id;	/* PCI */
	__u32 subsystem_vendor_id;
	__u32 subsystem_id;
	__u32 revision_id;
	__u32 gpc_mask;
	__u32 tpc_mask[8];	/* of each GPC */
	__u32 l2_size;		/* bytes */
	__u32 fb_bus_width;	/* bits */
	__u32 ce_mthdbuf_size;	/* CE fault method buffer, bytes */
	__u32 zcull[10];	/* words of NV2080_CTRL_GR_GET_ZCULL_INFO */
	__u32 ctxbuf_size[32];	/* bytes, by RM's id of the context buffer */
	__u32 ctxbuf_align[32];
	char name[64];		/* "NVIDIA GeForce RTX 2080 SUPER"; ends in 0 */
	char short_name[16];	/* "TU104-A" */
	char firmware[16];	/* release of GSP-RM, "570.144" */
};

/* Of a session. Module parameters set them; they hold for its whole life. */
struct vgsp_owner_limits {
	__aligned_u64 memory_bytes;	/* of all memory objects */
	__aligned_u64 queue_bytes;	/* of sections that wait */
	__u32 memories;
	__u32 spaces;
	__u32 contexts;			/* at most 255 */
	__u32 table_pages;		/* of 4 KiB, of all spaces */
	__u32 queue_sections;		/* that wait, of a context */
	__u32 section_words;		/* of one section, headers included */
	__u32 map_ops;			/* of one VGSP_OWNER_MAP_BATCH */
	__u32 ring_entries;		/* a power of two */
};

/* Bits of vgsp_owner_info.memory_types. */
enum vgsp_owner_memory_type {
	VGSP_OWNER_MEMORY_HOST = 0,	/* pages of this process */
	VGSP_OWNER_MEMORY_LOCAL = 1,	/* the card's; EOPNOTSUPP as yet */
};

/* Which card this is, and what a session may use. */
struct vgsp_owner_info {
	__u32 size;
	__u32 abi_version;	/* out: VGSP_OWNER_ABI_VERSION */
	__u32 memory_types;	/* out: 1 << enum vgsp_owner_memory_type */
	__u32 engines;		/* out: 1 << enum vgsp_owner_engine */
	__u32 va_bits;		/* out: of a space */
	__u32 reserved;
	struct vgsp_owner_limits limits;	/* out */
	struct vgsp_owner_chip chip;		/* out */
};
#define VGSP_OWNER_INFO _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_INFO)

/* PTIMER was at ptimer_ns between monotonic_ns and monotonic_ns + span_ns. */
struct vgsp_owner_clock {
	__u32 size;
	__u32 reserved;
	__aligned_u64 ptimer_ns;	/* out */
	__aligned_u64 monotonic_ns;	/* out: CLOCK_MONOTONIC */
	__aligned_u64 span_ns;		/* out */
};
#define VGSP_OWNER_CLOCK _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_CLOCK)

/*
 * All contexts, spaces and memory objects are gone when it returns, and events
 * and completions of theirs; no access to memory comes after it. The ring, the
 * eventfd and what was mapped of the file stay.
 */
struct vgsp_owner_revoke {
	__u32 size;
	__u32 reserved;
};
#define VGSP_OWNER_REVOKE _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_REVOKE)

/*
 * With pause 1: returns when nothing of the session runs, and nothing starts
 * until pause 0; sections may be queued meanwhile. ETIMEDOUT: something still
 * runs after timeout_ns; the session is paused nevertheless. Does not nest.
 */
struct vgsp_owner_pause {
	__u32 size;
	__u32 pause;		/* 0 or 1 */
	__aligned_u64 timeout_ns;
};
#define VGSP_OWNER_PAUSE _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_PAUSE)

/*
 * An eventfd to which 1 is added whenever sections have retired or an event
 * waits. fd -1: none any more.
 */
struct vgsp_owner_eventfd {
	__u32 size;
	__s32 fd;
};
#define VGSP_OWNER_EVENTFD _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_EVENTFD)

/*
 * A memory object. HOST: the pages that [address, address + length) of this
 * process consists of now; they stay in memory, and count against
 * RLIMIT_MEMLOCK, until the object is gone. They must be writable. What is
 * mapped at these addresses later is another matter. EOPNOTSUPP also where the
 * card cannot reach the pages directly but by bounce buffers alone.
 */
struct vgsp_owner_memory_new {
	__u32 size;
	__u32 type;		/* enum vgsp_owner_memory_type */
	__u32 flags;		/* 0 */
	__u32 id;		/* out */
	__aligned_u64 address;	/* multiple of 4096 */
	__aligned_u64 length;	/* bytes, multiple of 4096, not 0 */
};
#define VGSP_OWNER_MEMORY_NEW _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_MEMORY_NEW)

/* EBUSY: mapped in a space. */
struct vgsp_owner_memory_del {
	__u32 size;
	__u32 id;
};
#define VGSP_OWNER_MEMORY_DEL _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_MEMORY_DEL)

/*
 * An address space, with nothing mapped. Its [window_va, window_va +
 * window_size) is the owner's: a map or sparse operation that touches it is EBUSY,
 * an unmap leaves it as it is.
 */
struct vgsp_owner_space_new {
	__u32 size;
	__u32 flags;		/* 0 */
	__u32 id;		/* out */
	__u32 reserved;
	/*
	 * In: where the window shall be, a multiple of its size below 2^40, or 0
	 * for the owner's choice. Out: where it is.
	 */
	__aligned_u64 window_va;
	__aligned_u64 window_size;	/* out, bytes */
};
#define VGSP_OWNER_SPACE_NEW _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_SPACE_NEW)

/* EBUSY: a context runs in it. */
struct vgsp_owner_space_del {
	__u32 size;
	__u32 id;
};
#define VGSP_OWNER_SPACE_DEL _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_SPACE_DEL)

/* One change of an address space. Addresses and sizes are multiples of 4096. */
enum vgsp_owner_map_kind {
	VGSP_OWNER_MAP = 0,	/* to memory; replaces what was there */
	VGSP_OWNER_UNMAP = 1,	/* accesses fault */
	VGSP_OWNER_SPARSE = 2,	/* reads give 0, writes are dropped */
};

#define VGSP_OWNER_MAP_READ_ONLY	(1u << 0)
#define VGSP_OWNER_MAP_ATOMIC_DISABLE	(1u << 1)
#define VGSP_OWNER_MAP_PRIVILEGED	(1u << 2)

struct vgsp_owner_map_op {
	__u32 op;		/* enum vgsp_owner_map_kind */
	__u32 flags;		/* VGSP_OWNER_MAP_*, of a map */
	__aligned_u64 va;	/* bytes, below 2^49 */
	__aligned_u64 size;	/* bytes, not 0 */
	__u32 memory;		/* id of a memory object, of a map */
	__u32 kind;		/* uncompressed page kind, of a map */
	__aligned_u64 offset;	/* bytes into the memory object, of a map */
};

/*
 * Performs count operations in order, with one TLB invalidation: when it
 * returns, no access uses the older mappings. An operation that fails changes
 * nothing and ends the batch: done tells how many were performed, also then.
 */
struct vgsp_owner_map_batch {
	__u32 size;
	__u32 space;		/* id */
	__u32 count;		/* at most vgsp_owner_limits.map_ops */
	__u32 done;		/* out */
	__aligned_u64 ops;	/* address of struct vgsp_owner_map_op[count] */
};
#define VGSP_OWNER_MAP_BATCH _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_MAP)

/* Engine of a context. */
enum vgsp_owner_engine {
	VGSP_OWNER_ENGINE_GR = 0,
	VGSP_OWNER_ENGINE_COPY = 1,
};

/*
 * A channel of its own for a guest's channel: unprivileged, with an engine's
 * state that lasts from section to section.
 */
struct vgsp_owner_context_new {
	__u32 size;
	__u32 space;		/* id */
	__u32 engine;		/* enum vgsp_owner_engine; COPY: EOPNOTSUPP */
	__u32 flags;		/* 0 */
	__u32 timeslice_us;	/* 0: the owner's choice */
	__u32 id;		/* out */
};
#define VGSP_OWNER_CONTEXT_NEW _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_CONTEXT_NEW)

/* Nothing of it runs, completes or writes any more when it returns. */
struct vgsp_owner_context_del {
	__u32 size;
	__u32 id;
};
#define VGSP_OWNER_CONTEXT_DEL _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_CONTEXT_DEL)

/* Why a context died. */
enum vgsp_owner_fault_kind {
	VGSP_OWNER_FAULT_MMU = 0,	/* an access did not translate */
	VGSP_OWNER_FAULT_EXCEPTION = 1,	/* class, method, shader or macro error */
	VGSP_OWNER_FAULT_TIMEOUT = 2,	/* the watchdog ended it */
	VGSP_OWNER_FAULT_LOST = 3,	/* the owner lost the GPU */
};

/* Which fields of a fault are known. */
#define VGSP_OWNER_FAULT_HAS_ADDRESS	(1u << 0)
#define VGSP_OWNER_FAULT_HAS_ACCESS	(1u << 1)
#define VGSP_OWNER_FAULT_HAS_TYPE	(1u << 2)
#define VGSP_OWNER_FAULT_HAS_CLIENT	(1u << 3)
#define VGSP_OWNER_FAULT_HAS_METHOD	(1u << 4)
#define VGSP_OWNER_FAULT_HAS_PC		(1u << 5)

struct vgsp_owner_fault {
	__u32 context;		/* id */
	__u32 kind;		/* enum vgsp_owner_fault_kind */
	__u32 valid;		/* VGSP_OWNER_FAULT_HAS_* */
	__u32 type;		/* NV_PFAULT_FAULT_TYPE_*, or the exception */
	__aligned_u64 seq;	/* section that was running */
	__aligned_u64 address;	/* virtual, bytes */
	__u32 access;		/* NV_PFAULT_ACCESS_TYPE_* */
	__u32 client;		/* NV_PFAULT_CLIENT_* */
	__u32 client_is_hub;
	__u32 method;		/* subchannel << 16 | byte address */
	__u32 data;		/* of the method */
	__u32 reserved;
	__aligned_u64 pc;	/* of the instruction, virtual ... */
	__aligned_u64 insn[2];	/* ... and its words */
};

/* Ends a context from outside; its fault of that kind comes as an event. */
struct vgsp_owner_context_kill {
	__u32 size;
	__u32 id;
	__u32 kind;		/* enum vgsp_owner_fault_kind */
	__u32 reserved;
};
#define VGSP_OWNER_CONTEXT_KILL \
	_IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_CONTEXT_KILL)

/*
 * Events are read() from the file, whole ones; EAGAIN where none waits and the
 * file is O_NONBLOCK. A context has at most one, and it goes with its context.
 */
enum vgsp_owner_event_type {
	VGSP_OWNER_EVENT_FAULT = 1,
};

struct vgsp_owner_event {
	__u32 type;		/* enum vgsp_owner_event_type */
	__u32 size;		/* bytes of this structure */
	struct vgsp_owner_fault fault;
};

/* ---- Submission ---- */

/* Offsets for mmap(); lengths are the whole parts or less. */
#define VGSP_OWNER_MMAP_RING		0x00000000
#define VGSP_OWNER_MMAP_COMPLETIONS	0x10000000 /* 4096 bytes, read-only */

/*
 * The ring: this header at 0, entries from byte VGSP_OWNER_RING_OFFSET on.
 * head and tail count entries and wrap at 2^32; entry n lies at n modulo
 * vgsp_owner_limits.ring_entries.
 */
struct vgsp_owner_ring {
	__u32 tail;		/* written by user space: entries made */
	/*
	 * Written by user space: retired sections it has taken note of, the low
	 * half of slot 0's seq. poll() says POLLIN while that seq is another.
	 */
	__u32 seen;
	__u32 reserved0[14];
	__u32 head;		/* written by the owner: entries taken */
	__u32 reserved1[15];
};
#define VGSP_OWNER_RING_OFFSET		4096

/*
 * A section. Everything here and all of its words are read once, when
 * VGSP_OWNER_SUBMIT takes it.
 */
struct vgsp_owner_submit_entry {
	__u32 context;		/* id */
	__u32 flags;		/* 0 */
	__aligned_u64 words;	/* address, multiple of 4 */
	__u32 count;		/* words; 0: nothing but its completion */
	/*
	 * Out: 0, or a negative errno and the section is as if it had not been
	 * there. EAGAIN: the context's queue is full, again after a completion;
	 * later sections of the context in the same call get it too. ERANGE: seq
	 * does not increase. EPERM: a method that may not be in a section.
	 */
	__s32 result;
	__aligned_u64 seq;	/* not 0; increases within the context */
	/*
	 * It starts when that section of another context of this session has
	 * retired, or that context is dead or gone. 0: no such wait.
	 */
	__u32 wait_context;
	__u32 reserved;
	__aligned_u64 wait_seq;
	__aligned_u64 reserved2[2];
};

/* Takes the entries up to the ring's tail, at most max of them. */
struct vgsp_owner_submit {
	__u32 size;
	__u32 max;		/* 0: all */
	__u32 taken;		/* out: entries */
	__u32 failed;		/* out: so many of them have a result not 0 */
};
#define VGSP_OWNER_SUBMIT _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_SUBMIT)

/* Of a context. */
enum vgsp_owner_context_state {
	VGSP_OWNER_CONTEXT_NONE = 0,
	VGSP_OWNER_CONTEXT_ALIVE = 1,
	VGSP_OWNER_CONTEXT_DEAD = 2,	/* it has had its fault */
};

/*
 * Slot n of the completion page is that of context n. In slot 0, seq counts the
 * times that sections retired, and there is no state.
 */
struct vgsp_owner_completion {
	__aligned_u64 seq;	/* sections up to this one have retired */
	__u32 state;		/* enum vgsp_owner_context_state */
	__u32 reserved;
};
#define VGSP_OWNER_COMPLETIONS	256

/*
 * Waits until section seq of the context has retired. ETIMEDOUT; EIO: it never
 * will, the context is dead.
 */
struct vgsp_owner_wait {
	__u32 size;
	__u32 context;		/* id */
	__aligned_u64 seq;
	__aligned_u64 timeout_ns;
};
#define VGSP_OWNER_WAIT _IO(VGSP_OWNER_TYPE, VGSP_OWNER_CMD_WAIT)

#endif
