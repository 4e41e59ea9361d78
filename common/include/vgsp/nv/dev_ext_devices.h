/*
 * PROM: the VBIOS ROM, byte by byte.
 *
 * Source: NVIDIA/open-gpu-kernel-modules,
 * published/turing/tu102/dev_ext_devices.h, whose names these are. Offsets are
 * in BAR0.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_NV_DEV_EXT_DEVICES_H
#define VGSP_NV_DEV_EXT_DEVICES_H

#include "vgsp/types.h"

#define NV_PROM_BASE                    0x00300000u
#define NV_PROM_SIZE                    0x00100000u

#endif
