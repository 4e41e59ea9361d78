/*
 * The compute class of Turing, NVC5C0 (TURING_COMPUTE_A): the methods with
 * which launches, their environment and reports are programmed.
 * Source: NVIDIA's clc5c0.h. Method addresses are in bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_COMPUTE_H
#define VGSP_NV_COMPUTE_H

#include "vgsp/types.h"

#define NVC5C0_SET_OBJECT                               0x0000
#define NVC5C0_NOTIFY                                   0x010c
#define NVC5C0_SET_GLOBAL_RENDER_ENABLE_A               0x0130
#define NVC5C0_SET_GLOBAL_RENDER_ENABLE_C               0x0138
#define NVC5C0_SET_QMD_VIRTUALIZATION_CONTROL           0x029c
#define NVC5C0_SET_SHADER_SHARED_MEMORY_WINDOW_A        0x02a0
#define NVC5C0_SET_SHADER_SHARED_MEMORY_WINDOW_B        0x02a4
#define NVC5C0_SEND_PCAS_A                              0x02b4
#define NVC5C0_SEND_PCAS_B                              0x02b8
#define NVC5C0_SEND_SIGNALING_PCAS_B                    0x02bc
#define NVC5C0_SEND_SIGNALING_PCAS_B_INVALIDATE         VGSP_BIT(0)
#define NVC5C0_SEND_SIGNALING_PCAS_B_SCHEDULE           VGSP_BIT(1)
#define NVC5C0_SET_INLINE_QMD_ADDRESS_A                 0x0318
#define NVC5C0_SET_INLINE_QMD_ADDRESS_B                 0x031c
#define NVC5C0_LOAD_INLINE_QMD_DATA(i)                  (0x0320u + (i) * 4)
#define NVC5C0_LOAD_INLINE_QMD_DATA__SIZE_1             64
#define NVC5C0_SET_FALCON(i)                            (0x0500u + (i) * 4)
#define NVC5C0_SET_FALCON_COUNT                         32
#define NVC5C0_SET_SHADER_LOCAL_MEMORY_WINDOW_A         0x07b0
#define NVC5C0_SET_SHADER_LOCAL_MEMORY_WINDOW_B         0x07b4
#define NVC5C0_SET_RENDER_ENABLE_A                      0x1550
#define NVC5C0_SET_RENDER_ENABLE_C                      0x1558
#define NVC5C0_SET_TEX_SAMPLER_POOL_A                   0x155c
#define NVC5C0_SET_TEX_SAMPLER_POOL_B                   0x1560
#define NVC5C0_SET_TEX_SAMPLER_POOL_C                   0x1564
#define NVC5C0_SET_TEX_SAMPLER_POOL_C_MAXIMUM_INDEX     VGSP_BITS(19, 0)
#define NVC5C0_SET_TEX_HEADER_POOL_A                    0x1574
#define NVC5C0_SET_TEX_HEADER_POOL_B                    0x1578
#define NVC5C0_SET_TEX_HEADER_POOL_C                    0x157c
#define NVC5C0_SET_TEX_HEADER_POOL_C_MAXIMUM_INDEX      VGSP_BITS(21, 0)
#define NVC5C0_SET_RENDER_ENABLE_OVERRIDE               0x1944
#define NVC5C0_SET_REPORT_SEMAPHORE_A                   0x1b00
#define NVC5C0_SET_REPORT_SEMAPHORE_B                   0x1b04
#define NVC5C0_SET_REPORT_SEMAPHORE_C                   0x1b08
#define NVC5C0_SET_REPORT_SEMAPHORE_D                   0x1b0c
#define NVC5C0_SET_MME_SHADOW_SCRATCH(i)                (0x3400u + (i) * 4)

/* Upper words of addresses: of pools and windows, of what FE itself uses. */
#define NVC5C0_ADDRESS_UPPER_17                         VGSP_BITS(16, 0)
#define NVC5C0_ADDRESS_UPPER_8                          VGSP_BITS(7, 0)

#endif
