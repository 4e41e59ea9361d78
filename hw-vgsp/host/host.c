/*
 * The host engine of a TU104: channels, runlists and their scheduling.
 * Specified by NVIDIA's dev_fifo, dev_ram and dev_pbdma manuals.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "host/host.h"

void vgsp_host_init(VgspState *s)
{
}

void vgsp_host_reset(VgspState *s)
{
}

void vgsp_host_exit(VgspState *s)
{
}

VgspChannel *vgsp_host_channel_new(VgspState *s, const VgspChannelParams *p,
                                   Error **errp)
{
    error_setg(errp, "channels are not modelled yet");
    return NULL;
}

void vgsp_host_channel_free(VgspState *s, VgspChannel *ch)
{
}

void vgsp_host_channel_schedule(VgspState *s, VgspChannel *ch, bool enable)
{
}

void vgsp_host_channel_set_pdb(VgspState *s, VgspChannel *ch,
                               const VgspPdb *pdb)
{
}

void vgsp_host_channel_object(VgspState *s, VgspChannel *ch, uint32_t cls,
                              bool present)
{
}

void vgsp_host_disable_all(VgspState *s, bool disable)
{
}

void vgsp_host_doorbell(VgspState *s, uint32_t token)
{
}

uint32_t vgsp_host_token(const VgspChannel *ch)
{
    return 0;
}
