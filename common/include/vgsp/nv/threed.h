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
#define NVC597_SET_COLOR_TARGET_A(j)                    (0x0800u + (j) * 64)
#define NVC597_SET_COLOR_TARGET_WIDTH(j)                (0x0808u + (j) * 64)
#define NVC597_SET_COLOR_TARGET_HEIGHT(j)               (0x080cu + (j) * 64)
#define NVC597_SET_COLOR_TARGET_FORMAT(j)               (0x0810u + (j) * 64)
#define NVC597_SET_COLOR_TARGET_MEMORY(j)               (0x0814u + (j) * 64)
#define NVC597_SET_COLOR_TARGET_MEMORY_BLOCK_HEIGHT     VGSP_BITS(7, 4)
#define NVC597_SET_COLOR_TARGET_MEMORY_BLOCK_DEPTH      VGSP_BITS(11, 8)
#define NVC597_SET_COLOR_TARGET_MEMORY_LAYOUT           VGSP_BIT(12) /* pitch */
#define NVC597_SET_COLOR_TARGET_MEMORY_THIRD_DIMENSION_CONTROL VGSP_BIT(16)
#define NVC597_SET_COLOR_TARGET_ARRAY_PITCH(j)          (0x081cu + (j) * 64)
#define NVC597_SET_COLOR_TARGET_LAYER(j)                (0x0820u + (j) * 64)
#define NVC597_SET_COLOR_TARGET__SIZE_1                 8
#define NVC597_SET_VIEWPORT_CLIP_HORIZONTAL(j)          (0x0c00u + (j) * 16)
#define NVC597_SET_VIEWPORT_CLIP_VERTICAL(j)            (0x0c04u + (j) * 16)
#define NVC597_SET_CLEAR_RECT_HORIZONTAL                0x0d6c
#define NVC597_SET_CLEAR_RECT_VERTICAL                  0x0d70
#define NVC597_DRAW_VERTEX_ARRAY                        0x0d78
#define NVC597_SET_COLOR_CLEAR_VALUE(i)                 (0x0d80u + (i) * 4)
#define NVC597_SET_Z_CLEAR_VALUE                        0x0d90
#define NVC597_SET_STENCIL_CLEAR_VALUE                  0x0da0
#define NVC597_SET_SCISSOR_ENABLE(j)                    (0x0e00u + (j) * 16)
#define NVC597_SET_SCISSOR_HORIZONTAL(j)                (0x0e04u + (j) * 16)
#define NVC597_SET_SCISSOR_VERTICAL(j)                  (0x0e08u + (j) * 16)
#define NVC597_SET_ZT_A                                 0x0fe0
#define NVC597_SET_ZT_FORMAT                            0x0fe8
#define NVC597_SET_ZT_FORMAT_V                          VGSP_BITS(4, 0)
#define NVC597_SET_ZT_FORMAT_V_ZF32                     0x0a
#define NVC597_SET_ZT_FORMAT_V_Z16                      0x13
#define NVC597_SET_ZT_FORMAT_V_Z24S8                    0x14
#define NVC597_SET_ZT_FORMAT_V_X8Z24                    0x15
#define NVC597_SET_ZT_FORMAT_V_S8Z24                    0x16
#define NVC597_SET_ZT_FORMAT_V_S8                       0x17
#define NVC597_SET_ZT_FORMAT_V_ZF32_X24S8               0x19
#define NVC597_SET_ZT_BLOCK_SIZE                        0x0fec
#define NVC597_SET_ZT_BLOCK_SIZE_WIDTH                  VGSP_BITS(3, 0)
#define NVC597_SET_ZT_BLOCK_SIZE_HEIGHT                 VGSP_BITS(7, 4)
#define NVC597_SET_ZT_BLOCK_SIZE_DEPTH                  VGSP_BITS(11, 8)
#define NVC597_SET_ZT_ARRAY_PITCH                       0x0ff0
#define NVC597_SET_SURFACE_CLIP_HORIZONTAL              0x0ff4
#define NVC597_SET_SURFACE_CLIP_VERTICAL                0x0ff8
/*
 * Of clips of the surface and of viewports: origin and size; of a clear's
 * rectangle and of scissors: minimum and maximum.
 */
#define NVC597_CLIP_LOW                                 VGSP_BITS(15, 0)
#define NVC597_CLIP_HIGH                                VGSP_BITS(31, 16)
#define NVC597_SET_CLEAR_SURFACE_CONTROL                0x10f8
#define NVC597_SET_CLEAR_SURFACE_CONTROL_RESPECT_STENCIL_MASK VGSP_BIT(0)
#define NVC597_SET_CLEAR_SURFACE_CONTROL_USE_CLEAR_RECT     VGSP_BIT(4)
#define NVC597_SET_CLEAR_SURFACE_CONTROL_USE_SCISSOR0       VGSP_BIT(8)
#define NVC597_SET_CLEAR_SURFACE_CONTROL_USE_VIEWPORT_CLIP0 VGSP_BIT(12)
#define NVC597_DECOMPRESS_ZETA_SURFACE                  0x11fc
#define NVC597_DRAW_VERTEX_ARRAY_BEGIN_END_INSTANCE_FIRST       0x1214
#define NVC597_DRAW_VERTEX_ARRAY_BEGIN_END_INSTANCE_SUBSEQUENT  0x1218
#define NVC597_SET_ZT_SIZE_A                            0x1228
#define NVC597_SET_ZT_SIZE_A_WIDTH                      VGSP_BITS(27, 0)
#define NVC597_SET_ZT_SIZE_B                            0x122c
#define NVC597_SET_ZT_SIZE_B_HEIGHT                     VGSP_BITS(17, 0)
#define NVC597_DRAW_AUTO                                0x123c
#define NVC597_DRAW_INLINE_INDEX4X8                     0x1304
#define NVC597_SET_STENCIL_MASK                         0x139c
#define NVC597_SET_STENCIL_MASK_V                       VGSP_BITS(7, 0)
#define NVC597_STORE_ZCULL                              0x1464
#define NVC597_SET_ZT_SELECT                            0x1538
#define NVC597_SET_ZT_SELECT_TARGET_COUNT               VGSP_BIT(0)
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
#define NVC597_SET_ANTI_ALIAS                           0x15d0
#define NVC597_SET_ANTI_ALIAS_SAMPLES                   VGSP_BITS(3, 0)
#define NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_1X1          0
#define NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_2X1          1
#define NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_2X2          2
#define NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_4X2          3
#define NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_4X2_D3D      4
#define NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_2X1_D3D      5
#define NVC597_SET_ANTI_ALIAS_SAMPLES_MODE_4X4          6
#define NVC597_DRAW_INLINE_INDEX                        0x15e8
#define NVC597_DRAW_INLINE_INDEX2X16                    0x15f0
#define NVC597_BEGIN                                    0x1618
#define NVC597_SET_ZT_LAYER                             0x179c
#define NVC597_SET_ZT_LAYER_OFFSET                      VGSP_BITS(15, 0)
#define NVC597_DRAW_INDEX_BUFFER                        0x17e0
/* ..._BUFFER8_BEGIN_END_INSTANCE_SUBSEQUENT */
#define NVC597_DRAW_INDEX_BUFFER8_INSTANCE_SUBSEQUENT   0x17f8
#define NVC597_SET_RENDER_ENABLE_OVERRIDE               0x1944
#define NVC597_SET_RENDER_ENABLE_OVERRIDE_MODE          VGSP_BITS(1, 0)
#define NVC597_SET_RENDER_ENABLE_OVERRIDE_MODE_USE_RENDER_ENABLE 0
#define NVC597_SET_RENDER_ENABLE_OVERRIDE_MODE_ALWAYS_RENDER    1
#define NVC597_SET_RENDER_ENABLE_OVERRIDE_MODE_NEVER_RENDER     2
#define NVC597_CLEAR_SURFACE                            0x19d0
#define NVC597_CLEAR_SURFACE_Z_ENABLE                   VGSP_BIT(0)
#define NVC597_CLEAR_SURFACE_STENCIL_ENABLE             VGSP_BIT(1)
#define NVC597_CLEAR_SURFACE_RGBA                       VGSP_BITS(5, 2)
#define NVC597_CLEAR_SURFACE_MRT_SELECT                 VGSP_BITS(9, 6)
#define NVC597_CLEAR_SURFACE_RT_ARRAY_INDEX             VGSP_BITS(25, 10)
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

/* SET_COLOR_TARGET_FORMAT_V_*: integers; the others are NV902D_FORMAT_*'s. */
#define NVC597_FORMAT_DISABLED                          0x00
#define NVC597_FORMAT_RS32_GS32_BS32_AS32               0xc1
#define NVC597_FORMAT_RU32_GU32_BU32_AU32               0xc2
#define NVC597_FORMAT_RS32_GS32_BS32_X32                0xc4
#define NVC597_FORMAT_RU32_GU32_BU32_X32                0xc5
#define NVC597_FORMAT_RS16_GS16_BS16_AS16               0xc8
#define NVC597_FORMAT_RU16_GU16_BU16_AU16               0xc9
#define NVC597_FORMAT_RS32_GS32                         0xcc
#define NVC597_FORMAT_RU32_GU32                         0xcd
#define NVC597_FORMAT_AU2BU10GU10RU10                   0xd2
#define NVC597_FORMAT_AS8BS8GS8RS8                      0xd8
#define NVC597_FORMAT_AU8BU8GU8RU8                      0xd9
#define NVC597_FORMAT_RS16_GS16                         0xdc
#define NVC597_FORMAT_RU16_GU16                         0xdd
#define NVC597_FORMAT_RS32                              0xe3
#define NVC597_FORMAT_RU32                              0xe4
#define NVC597_FORMAT_GS8RS8                            0xec
#define NVC597_FORMAT_GU8RU8                            0xed
#define NVC597_FORMAT_RS16                              0xf0
#define NVC597_FORMAT_RU16                              0xf1
#define NVC597_FORMAT_RS8                               0xf5
#define NVC597_FORMAT_RU8                               0xf6

#endif
