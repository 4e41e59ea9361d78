/*
 * The host engine: channels, runlists and the PBDMA that consumes them.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_HOST_HOST_H
#define HW_VGSP_HOST_HOST_H

#include "device/vgsp.h"

/* NV_PFIFO's default time slice of a TSG: 128 << 3 of 1024 ns. */
#define VGSP_HOST_TIMESLICE_DEFAULT_US 1048

typedef struct VgspChannel VgspChannel;
typedef struct VgspTsg VgspTsg;

/* A piece of physical memory, from the allocation parameters. */
typedef struct VgspMemDesc {
    VgspAperture aperture;
    uint64_t addr, size;        /* bytes; size 0: absent */
} VgspMemDesc;

/* What RM knows of a channel (class 0xc46f and its siblings). */
typedef struct VgspChannelParams {
    uint32_t chid;              /* channel id on its runlist */
    uint32_t hw_class;          /* GPFIFO class asked for */
    const VgspChipEngine *engine; /* decides the runlist; of s->chip */
    uint64_t gpfifo_va;
    uint32_t gpfifo_entries;
    VgspMemDesc inst, userd, ramfc;
    VgspPdb pdb;                /* address space; may still be invalid */
    VgspTsg *tsg;               /* NULL: a TSG of its own */
    bool privileged;
    bool replayable;            /* the space has replayable faults */
} VgspChannelParams;

/* False with *errp where the process has no resources left. */
bool vgsp_host_init(VgspState *s, Error **errp);
/*
 * Stops every channel for ever; nothing is written after it returns, and no
 * error is reported. The channels remain their owner's to free.
 */
void vgsp_host_reset(VgspState *s);
void vgsp_host_exit(VgspState *s);

/*
 * All under the BQL, except that the decode thread runs beside them.
 * Creation: NULL with *errp if the chid is taken or a parameter is refused.
 */
VgspChannel *vgsp_host_channel_new(VgspState *s, const VgspChannelParams *p,
                                   Error **errp);
/* Waits until the channel's work in flight has ended, then frees it. */
void vgsp_host_channel_free(VgspState *s, VgspChannel *ch);
/*
 * A TSG on the runlist of @engine, with the default time slice. It is freed
 * after its channels. BQL.
 */
VgspTsg *vgsp_host_tsg_new(VgspState *s, const VgspChipEngine *engine);
void vgsp_host_tsg_free(VgspState *s, VgspTsg *tsg);
/* Microseconds; from its next slice on. */
void vgsp_host_tsg_set_timeslice(VgspState *s, VgspTsg *tsg, uint64_t us);
uint64_t vgsp_host_tsg_timeslice(VgspState *s, VgspTsg *tsg);

/*
 * DISABLE_CHANNELS: nothing of the channel runs when this returns, in Host or
 * in an engine, and nothing does until it is enabled again; then its work goes
 * on where it was. With @only_scheduling what the graphics engine was given
 * before goes on to its end. With @rewind GP_PUT becomes GP_GET.
 */
void vgsp_host_channel_disable(VgspState *s, VgspChannel *ch, bool disable,
                               bool only_scheduling, bool rewind);
/* GPFIFO_SCHEDULE and its reverse, which is as DISABLE_CHANNELS. */
void vgsp_host_channel_schedule(VgspState *s, VgspChannel *ch, bool enable);
/*
 * Takes the channels of a TSG off their engines, all for one moment: waits for
 * slices, not for their work.
 */
void vgsp_host_tsg_preempt(VgspState *s, VgspTsg *tsg);
/* The channel's address space got (or lost) its directory. */
void vgsp_host_channel_set_pdb(VgspState *s, VgspChannel *ch,
                               const VgspPdb *pdb);
/*
 * An engine object (class @cls: 0xc5b5, 0xc597, ...) lives on the channel;
 * methods of a class without an object are a channel error. Counted: an
 * object may be allocated twice. The first of GR's makes the channel's context
 * in the executor: false with *errp where that fails.
 */
bool vgsp_host_channel_object(VgspState *s, VgspChannel *ch, uint32_t cls,
                              bool present, Error **errp);
/*
 * Whether the channel has nothing to do and no engine has work of it; a stopped
 * one never will have. A disabled one is not, while it has.
 */
bool vgsp_host_channel_idle(VgspState *s, VgspChannel *ch);
/* An error of it, or of another of its TSG, has stopped the channel. */
bool vgsp_host_channel_stopped(VgspState *s, VgspChannel *ch);
/*
 * Pauses the executor, once a reason, and the watchdog with it; or takes that
 * back. BQL.
 */
void vgsp_host_pause_executor(VgspState *s, bool pause);
/* Suspend: no channel is scheduled while @disable is set. */
void vgsp_host_disable_all(VgspState *s, bool disable);

/*
 * A thread of the host's needs the main loop (device/dma.h): who waits for it
 * under the BQL looks up. Any thread, which holds no lock.
 */
void vgsp_host_kick(VgspState *s);

/* NV_VIRTUAL_FUNCTION doorbell: runlist << 16 | chid. Returns at once. */
void vgsp_host_doorbell(VgspState *s, uint32_t token);
uint32_t vgsp_host_token(const VgspChannel *ch);

#endif
