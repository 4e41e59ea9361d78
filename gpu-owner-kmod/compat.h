/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that the driver builds for, from 6.1 on.
 */
#ifndef VGSP_OWNER_COMPAT_H
#define VGSP_OWNER_COMPAT_H

#include <linux/eventfd.h>
#include <linux/mm.h>
#include <linux/version.h>

static inline void vgsp_eventfd_signal(struct eventfd_ctx *ctx)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
	eventfd_signal(ctx, 1);
#else
	eventfd_signal(ctx);
#endif
}

static inline void vgsp_vma_never_write(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
	vma->vm_flags &= ~VM_MAYWRITE;
#else
	vm_flags_clear(vma, VM_MAYWRITE);
#endif
}

#endif
