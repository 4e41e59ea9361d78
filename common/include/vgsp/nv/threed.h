/*
 * The 3D class of Turing, NVC597 (TURING_A): what a front end without a
 * pipeline behind it performs, and the methods that need one. The macro engine
 * and the report semaphore are in nv/mme.h.
 * Source: NVIDIA's clc597.h. Method addresses are in bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_THREED_H
#define VGSP_NV_THREED_H

#include "vgsp/nv/mme.h"

#define NVC597_NOTIFY                                   0x010c
#define NVC597_SET_GLOBAL_RENDER_ENABLE_A               0x0130
#define NVC597_SET_GLOBAL_RENDER_ENABLE_C               0x0138
#define NVC597_DRAW_INDEX_BUFFER_BEGIN_END_B            0x026c
#define NVC597_DRAW_VERTEX_ARRAY_BEGIN_END_B            0x0274
#define NVC597_DECOMPRESS_SURFACE                       0x02e0
#define NVC597_DRAW_ZERO_INDEX                          0x0304
#define NVC597_SET_RENDER_ENABLE_CONTROL                0x030c
#define NVC597_SET_RENDER_ENABLE_CONTROL_CONDITIONAL_LOAD_CONSTANT_BUFFER \
    VGSP_BIT(0)
#define NVC597_LOAD_ROOT_TABLE                          0x0508
#define NVC597_DRAW_VERTEX_ARRAY                        0x0d78
#define NVC597_DECOMPRESS_ZETA_SURFACE                  0x11fc
#define NVC597_DRAW_VERTEX_ARRAY_BEGIN_END_INSTANCE_FIRST       0x1214
#define NVC597_DRAW_VERTEX_ARRAY_BEGIN_END_INSTANCE_SUBSEQUENT  0x1218
#define NVC597_DRAW_AUTO                                0x123c
#define NVC597_DRAW_INLINE_INDEX4X8                     0x1304
#define NVC597_STORE_ZCULL                              0x1464
#define NVC597_SET_RENDER_ENABLE_A                      0x1550
#define NVC597_SET_RENDER_ENABLE_A_OFFSET_UPPER         VGSP_BITS(7, 0)
#define NVC597_SET_RENDER_ENABLE_B                      0x1554
#define NVC597_SET_RENDER_ENABLE_C                      0x1558
#define NVC597_SET_RENDER_ENABLE_C_MODE                 VGSP_BITS(2, 0)
#define NVC597_SET_RENDER_ENABLE_C_MODE_FALSE                   0
#define NVC597_SET_RENDER_ENABLE_C_MODE_TRUE                    1
#define NVC597_SET_RENDER_ENABLE_C_MODE_CONDITIONAL             2
#define NVC597_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL         3
#define NVC597_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL     4
#define NVC597_DRAW_INLINE_INDEX                        0x15e8
#define NVC597_DRAW_INLINE_INDEX2X16                    0x15f0
#define NVC597_BEGIN                                    0x1618
#define NVC597_DRAW_INDEX_BUFFER                        0x17e0
/* ..._BUFFER8_BEGIN_END_INSTANCE_SUBSEQUENT */
#define NVC597_DRAW_INDEX_BUFFER8_INSTANCE_SUBSEQUENT   0x17f8
#define NVC597_SET_RENDER_ENABLE_OVERRIDE               0x1944
#define NVC597_SET_RENDER_ENABLE_OVERRIDE_MODE          VGSP_BITS(1, 0)
#define NVC597_SET_RENDER_ENABLE_OVERRIDE_MODE_USE_RENDER_ENABLE 0
#define NVC597_SET_RENDER_ENABLE_OVERRIDE_MODE_ALWAYS_RENDER    1
#define NVC597_SET_RENDER_ENABLE_OVERRIDE_MODE_NEVER_RENDER     2
#define NVC597_CLEAR_SURFACE                            0x19d0
#define NVC597_CLEAR_CLIP_ID_SURFACE                    0x19d4
/* Reports that are no counts of the pipeline's work. */
#define NVC597_SET_REPORT_SEMAPHORE_D_REPORT_ALPHA_BETA_CLOCKS          0x04
#define NVC597_SET_REPORT_SEMAPHORE_D_REPORT_SCG_CLOCKS                 0x08
#define NVC597_SET_REPORT_SEMAPHORE_D_REPORT_IEEE_CLEAN_COLOR_TARGET    0x18
#define NVC597_SET_REPORT_SEMAPHORE_D_REPORT_IEEE_CLEAN_ZETA_TARGET     0x19
#define NVC597_SET_REPORT_SEMAPHORE_D_REPORT_BOUNDING_RECTANGLE         0x1c
#define NVC597_SET_CONSTANT_BUFFER_SELECTOR_A           0x2380
#define NVC597_SET_CONSTANT_BUFFER_SELECTOR_A_SIZE      VGSP_BITS(16, 0)
#define NVC597_SET_CONSTANT_BUFFER_SELECTOR_B           0x2384
#define NVC597_SET_CONSTANT_BUFFER_SELECTOR_B_ADDRESS_UPPER VGSP_BITS(7, 0)
#define NVC597_SET_CONSTANT_BUFFER_SELECTOR_C           0x2388
#define NVC597_LOAD_CONSTANT_BUFFER_OFFSET              0x238c
#define NVC597_LOAD_CONSTANT_BUFFER_OFFSET_V            VGSP_BITS(15, 0)
#define NVC597_LOAD_CONSTANT_BUFFER(i)                  (0x2390u + (i) * 4)
#define NVC597_LOAD_CONSTANT_BUFFER__SIZE_1             16

#endif
