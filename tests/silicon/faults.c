/*
 * Group "faults", a short fixed list: work that must end in an error of its
 * channel and of nothing else, for the next channel's work passes. Each of
 * them is understood beforehand.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <string.h>

#include "../unit/sm75-fixture.h"
#include "silicon.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/host.h"

#define QMD_AT      0x0000
#define CODE_AT     0x1000
#define DATA_AT     0x4000
#define NOWHERE     UINT64_C(0x6000000000)
#define PAYLOAD     0x600d600du
#define COUNT       16

/* As ptxas schedules where nothing is in a hurry: 15 cycles, no barriers. */
static Word slow(Word w)
{
    return put(w, 105, 21, 15 | 7 << 5 | 7 << 8);
}

/* A thread that stores PAYLOAD at va. */
static void launch_store(SiliconRig *r, uint64_t va, Word instead)
{
    const Word code[] = {
        slow(mov(2, (uint32_t)va)), slow(mov(3, va >> 32)),
        slow(mov(4, PAYLOAD)), slow(instead), slow(stg(2, 0, 4, B32)),
        slow(exit_()), slow(bra(0)),
    };

    memcpy(r->mem + CODE_AT, code, sizeof(code));
    rig_qmd(rig_words(r, QMD_AT), RIG_VA + CODE_AT, 1, COUNT);
    rig_words(r, DATA_AT)[0] = 0;
    rig_begin_compute(r);
    rig_launch(r, RIG_VA + QMD_AT);
}

/* Work that is right, in a new context after one that died. */
static void next_passes(SiliconRig *r, const char *name)
{
    bool ok = rig_revive(r);

    if (ok) {
        launch_store(r, RIG_VA + DATA_AT, op(0x918));
        ok = rig_run(r) && rig_words(r, DATA_AT)[0] == PAYLOAD;
    }
    silicon_result(r->s, ok, "faults %s: work in the next channel", name);
}

static void expect(SiliconRig *r, bool ended, const char *name, uint32_t kind)
{
    silicon_result(r->s, !ended && r->fault.kind == kind,
                   "faults %s: %s", name, ended ? "nothing" : rig_why(r));
    next_passes(r, name);
}

static void unmapped(SiliconRig *r)
{
    launch_store(r, NOWHERE, op(0x918));
    expect(r, rig_run(r), "unmapped address", VGSP_OWNER_FAULT_MMU);
    if (r->fault.valid & VGSP_OWNER_FAULT_HAS_ADDRESS) {
        silicon_note("  address 0x%" PRIx64 " of 0x%" PRIx64,
                     (uint64_t)r->fault.address, NOWHERE);
    }
}

/* 0xfff is no instruction. */
static void illegal(SiliconRig *r)
{
    launch_store(r, RIG_VA + DATA_AT, op(0xfff));
    expect(r, rig_run(r), "illegal instruction", VGSP_OWNER_FAULT_EXCEPTION);
}

/* A launch that no method of a later chip does: no word of it is sent. */
static void refused(SiliconRig *r)
{
    if (r->s->model) {
        silicon_skip(r->s, "faults refused method",
                     "the model has it");
        return;
    }
    rig_begin_compute(r);
    rig_push(r, 1, NVC5C0_SEND_PCAS_B, 0);
    expect(r, rig_run(r), "refused method", VGSP_OWNER_FAULT_EXCEPTION);
}

static void run_faults(Silicon *s)
{
    SiliconRig *r = rig_new(s);

    if (r) {
        unmapped(r);
        illegal(r);
        refused(r);
        rig_free(r);
    }
}

const SiliconGroup silicon_faults = { "faults", run_faults, true };
