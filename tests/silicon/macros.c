/*
 * Group "macros": in what unit the macro engine counts where macros are
 * loaded and where they start. A driver that counts words (NVK) loads each
 * macro behind the last either way; one that counts groups of three (nvc0)
 * would overwrite two thirds of each if the engine counted words.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../unit/mme-asm.h"
#include "silicon.h"
#include "vgsp/nv/mme.h"

#define AT          0x1000      /* releases, a word each */
#define SIDE        0x4000      /* bytes that are looked at */
#define FIRST       0x40        /* where macro 0 is */
#define GROUPS      3           /* of each macro */

/* Sets the payload of a report semaphore to value, and ends. */
static void load_macro(SiliconRig *r, uint32_t macro, uint32_t at,
                       uint16_t value)
{
    const Group method = a0(ADD, ZERO, ZERO, ZERO,
                            NVC597_SET_REPORT_SEMAPHORE_C / 4);
    const Group set = out0(alu1(method, ADD, ZERO, ZERO, ZERO, value),
                           OUT_IMM0, OUT_IMM1);
    const Group all[GROUPS] = { set, end_next(nop()), nop() };

    rig_push(r, 0, NVC597_LOAD_MME_START_ADDRESS_RAM_POINTER, macro);
    rig_push(r, 0, NVC597_LOAD_MME_START_ADDRESS_RAM, at);
    rig_push(r, 0, NVC597_LOAD_MME_INSTRUCTION_RAM_POINTER, at);
    /* The uppermost word of a group first. */
    for (unsigned i = 0; i < GROUPS * 3; i++) {
        rig_push(r, 0, NVC597_LOAD_MME_INSTRUCTION_RAM,
                 all[i / 3].b[2 - i % 3]);
    }
}

static void call(SiliconRig *r, uint32_t macro)
{
    rig_push(r, 0, NVC597_CALL_MME_MACRO(macro), 0);
    rig_push_address(r, 0, NVC597_SET_REPORT_SEMAPHORE_A,
                     RIG_VA + AT + 4 * macro);
    rig_push(r, 0, NVC597_SET_REPORT_SEMAPHORE_D, (uint32_t)VGSP_SET(
        NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE,
        NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE_ONE_WORD));
}

/*
 * The second macro lies GROUPS units behind the first: behind it, or on its
 * last two groups, which then set the second's value. Both end as they should.
 */
static void run_macros(Silicon *s)
{
    SiliconTwin t;

    if (twin_new(s, &t) && silicon_wanted(s, "unit")) {
        uint32_t *got;

        twin_begin(&t, SIDE);
        load_macro(t.a, 0, FIRST, 0x11);
        load_macro(t.a, 1, FIRST + GROUPS, 0x22);
        call(t.a, 0);
        call(t.a, 1);
        twin_run(&t, SIDE, "macros unit");
        got = rig_words(t.a, AT);
        silicon_note("  macros set 0x%x and 0x%x: pointers count %s", got[0],
                     got[1], got[0] == 0x11 ? "groups" : "words");
    }
    twin_free(&t);
}

const SiliconGroup silicon_macros = { "macros", run_macros, false };
