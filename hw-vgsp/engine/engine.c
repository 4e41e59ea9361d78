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
#include "trace.h"

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

uint32_t vgsp_engine_class_id(VgspEngineClass ec)
{
    return classes[ec].cls;
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

/* From GR to its copy engine, Host waits for the former to be idle. */
static VgspMethodEnd switch_to_copy(VgspChannel *ch)
{
    VgspMethodEnd end = vgsp_gr_flush(ch);

    if (end == VGSP_METHOD_DONE && vgsp_gr_busy(ch)) {
        end = VGSP_METHOD_WAIT_ENGINE;
    }
    return end;
}

VgspMethodEnd vgsp_engine_set_object(VgspChannel *ch, unsigned subchannel,
                                     uint32_t data)
{
    VgspEngineClass ec;

    if (!engine_check(ch, subchannel, &ec)) {
        return VGSP_METHOD_ERROR;
    }
    if (classes[ec].cls == VGSP_GET(NVC46F_SET_OBJECT_NVCLASS, data)) {
        return ec == VGSP_CLASS_COPY
                   ? switch_to_copy(ch)
                   : vgsp_gr_set_object(ch, ec, subchannel, data);
    }
    if (ec == VGSP_CLASS_COPY) {
        return vgsp_channel_error(ch, ROBUST_CHANNEL_PBDMA_ERROR,
                                  "HCE_ILLEGAL_CLASS: not the copy class");
    }
    return vgsp_channel_error(ch, ROBUST_CHANNEL_GR_EXCEPTION,
                              "illegal class for that subchannel");
}

uint32_t vgsp_engine_methods(VgspChannel *ch, const VgspPbRun *run,
                             VgspMethodEnd *end)
{
    VgspEngineClass ec;
    uint32_t n = 0;

    if (!engine_check(ch, run->subchannel, &ec)) {
        *end = VGSP_METHOD_ERROR;
        return 0;
    }
    if (ec != VGSP_CLASS_COPY) {
        return vgsp_gr_methods(ch, ec, run, end);
    }
    *end = switch_to_copy(ch);
    while (*end == VGSP_METHOD_DONE && n < run->count) {
        uint32_t method = vgsp_pb_run_method(run, n) * 4;

        trace_vgsp_pbdma_method(ch->runlist, ch->p.chid, run->subchannel,
                                method, run->data[n]);
        *end = vgsp_copy_method(ch, method, run->data[n]);
        n += vgsp_method_performed(*end);
    }
    return n;
}
