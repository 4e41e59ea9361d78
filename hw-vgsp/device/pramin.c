/*
 * PRAMIN: 1 MiB of physical memory at BAR0_WINDOW (dev_bus.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "device/memory.h"
#include "device/regs.h"

static bool pramin_access(VgspState *s, uint32_t reg, void *buf,
                          unsigned size, bool is_write)
{
    static const VgspAperture apertures[] = {
        [NV_PBUS_BAR0_WINDOW_TARGET_VID_MEM] = VGSP_APERTURE_VIDEO,
        [1] = VGSP_APERTURE_PEER,
        [NV_PBUS_BAR0_WINDOW_TARGET_SYS_MEM_COHERENT] =
            VGSP_APERTURE_SYS_COHERENT,
        [NV_PBUS_BAR0_WINDOW_TARGET_SYS_MEM_NONCOHERENT] =
            VGSP_APERTURE_SYS_NONCOHERENT,
    };
    uint32_t window = vgsp_reg_file(s)->pbus_bar0_window;
    VgspAperture aperture =
        apertures[VGSP_GET(NV_PBUS_BAR0_WINDOW_TARGET, window)];
    uint64_t addr = (VGSP_GET(NV_PBUS_BAR0_WINDOW_BASE, window)
                     << NV_PBUS_BAR0_WINDOW_BASE_SHIFT) +
                    (reg - NV_PRAMIN_BASE);
    bool ok = is_write ? vgsp_mem_write(s, aperture, addr, buf, size)
                       : vgsp_mem_read(s, aperture, addr, buf, size);

    if (!ok) {
        qemu_log_mask(LOG_GUEST_ERROR,
                      "vgsp: PRAMIN %s of absent memory at 0x%" PRIx64 "\n",
                      is_write ? "write" : "read", addr);
    }
    return true;
}

const VgspRegBlock vgsp_regs_pramin = {
    .name = "pramin",
    .base = NV_PRAMIN_BASE,
    .size = NV_PRAMIN_SIZE,
    .access = pramin_access,
};
