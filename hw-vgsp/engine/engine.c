/*
 * Which engine a method reaches: the fixed mapping of subchannels of a runlist
 * (NVIDIA's dev_ram, "Types of PB Entries"), and the checks of its class.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/copy.h"
#include "host/host-int.h"

/* Subchannel of the copy engine on GR's runlist; 0..3 are GR's own. */
#define SUBCHANNEL_GRCE     4
/* From here on a method is software's. */
#define SUBCHANNEL_SOFTWARE 5

static const struct {
    uint32_t cls;
    unsigned gr_subchannel;     /* on GR's runlist */
} classes[VGSP_CLASS_COUNT] = {
    [VGSP_CLASS_3D] = { TURING_A, 0 },
    [VGSP_CLASS_COMPUTE] = { TURING_COMPUTE_A, 1 },
    [VGSP_CLASS_I2M] = { KEPLER_INLINE_TO_MEMORY_B, 2 },
    [VGSP_CLASS_2D] = { FERMI_TWOD_A, 3 },
    [VGSP_CLASS_COPY] = { TURING_DMA_COPY_A, SUBCHANNEL_GRCE },
};

bool vgsp_engine_class(uint32_t cls, VgspEngineClass *out)
{
    for (unsigned i = 0; i < VGSP_CLASS_COUNT; i++) {
        if (classes[i].cls == cls) {
            *out = i;
            return true;
        }
    }
    return false;
}

/* The class behind @subchannel; false where there is no engine. */
static bool subchannel_class(VgspChannel *ch, unsigned subchannel,
                             VgspEngineClass *out)
{
    if (ch->is_gr) {
        for (unsigned i = 0; i < VGSP_CLASS_COUNT; i++) {
            if (classes[i].gr_subchannel == subchannel) {
                *out = i;
                return true;
            }
        }
        return false;
    }
    /* A copy engine does not look at the number. */
    *out = VGSP_CLASS_COPY;
    return ch->copy != NULL;
}

/*
 * What both kinds of method must pass: DONE, with *@ec, or the error that
 * stops the channel. An engine's context exists when RM made an object for it.
 */
static VgspMethodEnd engine_check(VgspChannel *ch, unsigned subchannel,
                                  VgspEngineClass *ec)
{
    if (subchannel >= SUBCHANNEL_SOFTWARE) {
        return vgsp_channel_error(ch, ROBUST_CHANNEL_PBDMA_ERROR,
                                  "DEVICE: method of a software subchannel");
    }
    if (!subchannel_class(ch, subchannel, ec)) {
        return vgsp_channel_error(ch, ROBUST_CHANNEL_PBDMA_ERROR,
                                  "DEVICE: no engine on this runlist");
    }
    if (!(qatomic_read(&ch->objects) & (1u << *ec))) {
        return vgsp_channel_error(ch, ROBUST_CHANNEL_PBDMA_ERROR,
                                  "CTXNOTVALID: no object of that class");
    }
    return VGSP_METHOD_DONE;
}

VgspMethodEnd vgsp_engine_set_object(VgspChannel *ch, unsigned subchannel,
                                     uint32_t cls)
{
    VgspEngineClass ec;
    VgspMethodEnd end = engine_check(ch, subchannel, &ec);

    if (end != VGSP_METHOD_DONE) {
        return end;
    }
    if (classes[ec].cls == cls) {
        return VGSP_METHOD_DONE;
    }
    if (ec == VGSP_CLASS_COPY) {
        return vgsp_channel_error(ch, ROBUST_CHANNEL_PBDMA_ERROR,
                                  "HCE_ILLEGAL_CLASS: not the copy class");
    }
    return vgsp_channel_error(ch, ROBUST_CHANNEL_GR_EXCEPTION,
                              "illegal class for that subchannel");
}

VgspMethodEnd vgsp_engine_method(VgspChannel *ch, unsigned subchannel,
                                 uint32_t method, uint32_t data)
{
    VgspEngineClass ec;
    VgspMethodEnd end = engine_check(ch, subchannel, &ec);

    if (end != VGSP_METHOD_DONE) {
        return end;
    }
    if (ec == VGSP_CLASS_COPY) {
        return vgsp_copy_method(ch, method, data);
    }
    /* No executor runs GR work: say so, and complete nothing. */
    return vgsp_channel_error(ch, ROBUST_CHANNEL_GR_EXCEPTION,
                              "no executor runs graphics or compute methods");
}
