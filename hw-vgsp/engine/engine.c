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
 * What both kinds of method must pass: *@ec is theirs, or the channel has an
 * error. An engine's context exists when RM made an object for it.
 */
static bool engine_check(VgspChannel *ch, unsigned subchannel,
                         VgspEngineClass *ec)
{
    const char *what;

    if (subchannel >= SUBCHANNEL_SOFTWARE) {
        what = "DEVICE: method of a software subchannel";
    } else if (!subchannel_class(ch, subchannel, ec)) {
        what = "DEVICE: no engine on this runlist";
    } else if (!(qatomic_read(&ch->objects) & (1u << *ec))) {
        what = "CTXNOTVALID: no object of that class";
    } else {
        return true;
    }
    vgsp_channel_error(ch, ROBUST_CHANNEL_PBDMA_ERROR, what);
    return false;
}

VgspMethodEnd vgsp_engine_set_object(VgspChannel *ch, unsigned subchannel,
                                     uint32_t cls)
{
    VgspEngineClass ec;

    if (!engine_check(ch, subchannel, &ec)) {
        return VGSP_METHOD_ERROR;
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

    if (!engine_check(ch, subchannel, &ec)) {
        return VGSP_METHOD_ERROR;
    }
    if (ec == VGSP_CLASS_COPY) {
        return vgsp_copy_method(ch, method, data);
    }
    /* No executor runs GR work: say so, and complete nothing. */
    return vgsp_channel_error(ch, ROBUST_CHANNEL_GR_EXCEPTION,
                              "no executor runs graphics or compute methods");
}
