/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * /dev/vgsp-ownerN: the process-facing ABI of whoever owns a GPU for virtual
 * machines. Version 0: explicitly unstable until every executor exists.
 *
 * One open file is one VM's session. Each ioctl takes a structure that starts
 * with its size; a larger size whose unknown trailing bytes are zero is
 * accepted, as iommufd does.
 *
 *   ENOTTY      no such ioctl
 *   E2BIG       unknown trailing bytes are not zero
 *   EOPNOTSUPP  a known field has a value that is not supported
 *   EINVAL      a field has a value that is never valid
 *   ENOENT      no such object in this session
 *   ENOMEM      no memory, or RLIMIT_MEMLOCK
 *   EOVERFLOW   an address or a length wraps or exceeds the space
 */
#ifndef _UAPI_VGSP_OWNER_H
#define _UAPI_VGSP_OWNER_H

#include <linux/types.h>
#include <linux/ioctl.h>

#define VGSP_OWNER_ABI_VERSION 0

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

/* Engine of a context. */
enum vgsp_owner_engine {
	VGSP_OWNER_ENGINE_GR = 0,
	VGSP_OWNER_ENGINE_COPY = 1,
};

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

#endif
