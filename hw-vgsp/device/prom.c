/*
 * PROM: the VBIOS ROM, readable at any size (dev_ext_devices.h). The chip's
 * ROM has as many bytes as the expansion ROM; erased beyond the image.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/units.h"
#include "device/regs.h"
#include "vgsp/nv/dev_ext_devices.h"

static bool prom_access(VgspState *s, uint32_t reg, void *buf, unsigned size,
                        bool is_write)
{
    uint32_t offset = reg - NV_PROM_BASE;

    if (is_write) {
        qemu_log_mask(LOG_GUEST_ERROR, "vgsp: write to PROM at 0x%x\n", offset);
    } else if (vgsp_range_ok(offset, size, VGSP_ROM_SIZE)) {
        memcpy(buf, s->vbios + offset, size);
    } else {
        memset(buf, 0xff, size);
    }
    return true;
}

const VgspRegBlock vgsp_regs_prom = {
    .name = "prom",
    .base = NV_PROM_BASE,
    .size = NV_PROM_SIZE,
    .access = prom_access,
};
