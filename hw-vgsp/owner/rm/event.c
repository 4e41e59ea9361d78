/*
 * The driver's event of the interrupts that Host was asked for: an object of
 * class NV01_EVENT_OS_EVENT on the subdevice, for the graphics engine's
 * non-stall interrupt, which also those of the channels on its runlist are. It
 * makes the device node readable, until the next poll() of it. It comes for
 * every client's interrupts. (event_notification.c, nv.c: nvidia_poll.)
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "owner/rm/rm-int.h"

void rm_event_open(VgspRm *rm)
{
    nv_ioctl_alloc_os_event_t os = {
        .hClient = rm->client,
        .hDevice = rm->device,
        .fd = (uint32_t)rm->dev,
    };
    RmAllocParams p = {
        .event = {
            .hSrcResource = rm->subdevice,
            .hClass = NV01_EVENT_OS_EVENT,
            .notifyIndex = NV2080_NOTIFIERS_GR0 | NV01_EVENT_NONSTALL_INTR |
                           NV01_EVENT_WITHOUT_EVENT_DATA,
            .data = (uint64_t)rm->dev,
        },
    };
    int ret = rm_ioctl(rm, rm->dev, NV_ESC_ALLOC_OS_EVENT, &os, sizeof(os));

    if (ret == 0) {
        ret = rm_errno(os.Status);
    }
    if (ret == 0) {
        ret = rm_alloc(rm, rm->subdevice, &rm->interrupt, NV01_EVENT_OS_EVENT,
                       &p);
    }
    rm->event = ret == 0;
    if (ret < 0) {
        rm_log(rm, "the driver does not tell of interrupts: the end of work "
               "that takes long is looked for: %s", g_strerror(-ret));
    }
}

/* The node's own part of it ends with the client. */
void rm_event_close(VgspRm *rm)
{
    rm_free(rm, rm->subdevice, &rm->interrupt);
}
