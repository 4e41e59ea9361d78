/*
 * Group "host": the methods of the Host engine and every form of its
 * semaphores, on a channel of Turing's class. Group "semaphores": those of the
 * 3D and compute engines. What must come of them is written down here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>

#include "silicon.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/mme.h"
#include "vgsp/nv/threed.h"

#define AT          0x1000
#define GUARD       0x5aa55aa5u

#define EXECUTE(op, flags) \
    ((uint32_t)VGSP_SET(NVC46F_SEM_EXECUTE_OPERATION, \
                        NVC46F_SEM_EXECUTE_OPERATION_##op) | (uint32_t)(flags))
#define REDUCE(op, format) \
    EXECUTE(REDUCTION, \
            VGSP_SET(NVC46F_SEM_EXECUTE_REDUCTION, \
                     NVC46F_SEM_EXECUTE_REDUCTION_##op) | \
            VGSP_SET(NVC46F_SEM_EXECUTE_REDUCTION_FORMAT, format))
#define SIGNED      0
#define UNSIGNED    1
#define WIDE        VGSP_SET(NVC46F_SEM_EXECUTE_PAYLOAD_SIZE, 1)
#define TIME        VGSP_SET(NVC46F_SEM_EXECUTE_RELEASE_TIMESTAMP, 1)
#define WFI         VGSP_SET(NVC46F_SEM_EXECUTE_RELEASE_WFI, 1)

typedef struct Form {
    const char *name;
    uint32_t execute;
    uint64_t before, payload, after;
    bool time;
} Form;

static const Form forms[] = {
    { "release", EXECUTE(RELEASE, 0), 1, 0x12345678, 0x12345678, false },
    { "release, wait for idle", EXECUTE(RELEASE, WFI), 1, 2, 2, false },
    { "release 64", EXECUTE(RELEASE, WIDE), 1, 0x123456789abcdef0,
      0x123456789abcdef0, false },
    { "release, time", EXECUTE(RELEASE, TIME), 1, 7, 7, true },
    { "release 64, time", EXECUTE(RELEASE, TIME | WIDE), 1,
      0x123456789abcdef0, 0x123456789abcdef0, true },
    { "acquire", EXECUTE(ACQUIRE, 0), 5, 5, 5, false },
    { "acquire 64", EXECUTE(ACQUIRE, WIDE), 0x500000005, 0x500000005,
      0x500000005, false },
    { "acquire strictly at least", EXECUTE(ACQ_STRICT_GEQ, 0), 0x80000000, 5,
      0x80000000, false },
    { "acquire circularly at least", EXECUTE(ACQ_CIRC_GEQ, 0), 3, 0xfffffff0,
      3, false },
    { "acquire and", EXECUTE(ACQ_AND, 0), 6, 2, 6, false },
    { "acquire nor", EXECUTE(ACQ_NOR, 0), 6, 1, 6, false },
    { "imin", REDUCE(IMIN, SIGNED), 5, 0xfffffffe, 0xfffffffe, false },
    { "imin, unsigned", REDUCE(IMIN, UNSIGNED), 5, 0xfffffffe, 5, false },
    { "imax", REDUCE(IMAX, SIGNED), 5, 0xfffffffe, 5, false },
    { "imax, unsigned", REDUCE(IMAX, UNSIGNED), 5, 0xfffffffe, 0xfffffffe,
      false },
    { "ixor", REDUCE(IXOR, SIGNED), 0xff00, 0x0ff0, 0xf0f0, false },
    { "iand", REDUCE(IAND, SIGNED), 0xff00, 0x0ff0, 0x0f00, false },
    { "ior", REDUCE(IOR, SIGNED), 0xff00, 0x0ff0, 0xfff0, false },
    { "iadd", REDUCE(IADD, SIGNED), 0xffffffff, 2, 1, false },
    { "inc", REDUCE(INC, UNSIGNED), 4, 5, 5, false },
    { "inc, at its end", REDUCE(INC, UNSIGNED), 5, 5, 0, false },
    { "dec", REDUCE(DEC, UNSIGNED), 4, 5, 3, false },
    { "dec, at its end", REDUCE(DEC, UNSIGNED), 0, 5, 5, false },
    { "iadd 64", REDUCE(IADD, SIGNED) | (uint32_t)WIDE, 0xffffffff, 2,
      0x100000001, false },
};

static void push_semaphore(SiliconRig *r, const Form *f)
{
    rig_push(r, 0, NVC46F_SEM_ADDR_LO, (uint32_t)(RIG_VA + AT));
    rig_push(r, 0, NVC46F_SEM_ADDR_HI, (RIG_VA + AT) >> 32);
    rig_push(r, 0, NVC46F_SEM_PAYLOAD_LO, (uint32_t)f->payload);
    rig_push(r, 0, NVC46F_SEM_PAYLOAD_HI, f->payload >> 32);
    rig_push(r, 0, NVC46F_SEM_EXECUTE, f->execute);
}

/* Whether the semaphore and what lies behind it is as it must be. */
static bool good(SiliconRig *r, const Form *f, uint64_t begun, uint64_t done)
{
    const uint8_t *at = r->mem + AT;
    bool wide = f->execute & WIDE;
    uint64_t value = wide ? vgsp_le64(at) : vgsp_le32(at);
    uint64_t time = vgsp_le64(at + 8);

    if (f->time) {
        return value == f->after && begun <= time && time <= done &&
               (wide || !vgsp_le32(at + 4));
    }
    return value == f->after && vgsp_le32(at + 8) == GUARD &&
           (wide || vgsp_le32(at + 4) == GUARD);
}

static void one_form(SiliconRig *r, const Form *f)
{
    const VgspReplayExecutor *x = r->s->executor;
    uint64_t begun = x->clock_ns(r->ex);
    bool ok;

    for (unsigned i = 0; i < 4; i++) {
        rig_words(r, AT)[i] = GUARD;
    }
    rig_words(r, AT)[0] = (uint32_t)f->before;
    if (f->execute & WIDE) {
        rig_words(r, AT)[1] = f->before >> 32;
    }
    r->count = 0;
    push_semaphore(r, f);
    ok = rig_run_raw(r);
    if (!ok) {
        silicon_result(r->s, false, "host %s: %s", f->name, rig_why(r));
        rig_revive(r);
        return;
    }
    ok = good(r, f, begun, x->clock_ns(r->ex));
    silicon_result(r->s, ok, "host %s: %08x %08x %08x %08x", f->name,
                   rig_words(r, AT)[0], rig_words(r, AT)[1],
                   rig_words(r, AT)[2], rig_words(r, AT)[3]);
}

static void legacy(SiliconRig *r)
{
    rig_words(r, AT)[0] = 0;
    r->count = 0;
    rig_push(r, 0, NVC46F_SEMAPHOREA, (RIG_VA + AT) >> 32);
    rig_push(r, 0, NVC46F_SEMAPHOREB, (uint32_t)(RIG_VA + AT));
    rig_push(r, 0, NVC46F_SEMAPHOREC, 0xabcd);
    rig_push(r, 0, NVC46F_SEMAPHORED,
             (uint32_t)(VGSP_SET(NVC46F_SEMAPHORED_OPERATION,
                                 NVC46F_SEMAPHORED_OPERATION_RELEASE) |
                        VGSP_SET(NVC46F_SEMAPHORED_RELEASE_SIZE,
                                 NVC46F_SEMAPHORED_RELEASE_SIZE_4BYTE)));
    rig_push(r, 0, NVC46F_NOP, 0);
    rig_push(r, 0, NVC46F_WFI, 0);
    if (!rig_run_raw(r)) {
        silicon_result(r->s, false, "host SEMAPHORED: %s", rig_why(r));
        rig_revive(r);
        return;
    }
    silicon_result(r->s, rig_words(r, AT)[0] == 0xabcd,
                   "host SEMAPHORED, NOP, WFI: %08x", rig_words(r, AT)[0]);
}

static void run_host(Silicon *s)
{
    SiliconRig *r;

    if (!s->executor->raw) {
        silicon_skip(s, "host", "%s has no Host engine", s->executor->name);
        return;
    }
    r = rig_new(s);
    for (size_t i = 0; r && i < G_N_ELEMENTS(forms); i++) {
        if (silicon_wanted(s, forms[i].name)) {
            one_form(r, &forms[i]);
        }
    }
    if (r && silicon_wanted(s, "legacy")) {
        legacy(r);
    }
    if (r) {
        rig_free(r);
    }
}

/* ---- Engines' semaphores ---- */

#define ONE_WORD    VGSP_SET(NVC597_SET_REPORT_SEMAPHORE_D_STRUCTURE_SIZE, 1)
#define RED_INC     NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_OP_RED_INC
#define RED_DEC     NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_OP_RED_DEC
#define REPORT_A    0x1b00
#define SIDE        0x4000      /* bytes that are looked at */

static void report(SiliconRig *r, unsigned subchannel, uint64_t offset,
                   uint32_t payload, uint32_t d)
{
    rig_push_address(r, subchannel, REPORT_A, RIG_VA + offset);
    rig_push(r, subchannel, REPORT_A + 8, payload);
    rig_push(r, subchannel, REPORT_A + 12, d);
}

static void releases(SiliconRig *r, unsigned subchannel, const char *name)
{
    uint32_t *w = rig_words(r, AT);
    uint64_t begun = r->s->executor->clock_ns(r->ex), time;

    for (unsigned i = 0; i < 12; i++) {
        w[i] = GUARD;
    }
    rig_begin(r);
    report(r, subchannel, AT, 0x1111, (uint32_t)ONE_WORD);
    report(r, subchannel, AT + 16, 0x2222, 0);
    if (!rig_run(r)) {
        silicon_result(r->s, false, "semaphores %s: %s", name, rig_why(r));
        rig_revive(r);
        return;
    }
    time = vgsp_le64((uint8_t *)&w[6]);
    silicon_result(r->s, w[0] == 0x1111 && w[1] == GUARD && w[2] == GUARD,
                   "semaphores %s, one word: %08x %08x", name, w[0], w[1]);
    silicon_result(r->s, w[4] == 0x2222 && w[8] == GUARD && time >= begun &&
                   time <= r->s->executor->clock_ns(r->ex),
                   "semaphores %s, four words: %08x %08x %" PRIu64, name, w[4],
                   w[5], time);
}

static void reductions(SiliconTwin *t, unsigned subchannel, const char *name)
{
    static const uint32_t values[] = { 0, 5, 0x7fffffff, 0x80000001,
                                       0xfffffffe };
    g_autofree char *text = g_strdup_printf("semaphores %s, reductions", name);
    uint64_t at = 0;

    twin_begin(t, SIDE);
    for (uint32_t op = 0; op < 8; op++) {
        for (uint32_t format = 0; format < 2; format++) {
            if (format && (op == RED_INC || op == RED_DEC)) {
                continue;       /* a class error */
            }
            for (unsigned i = 0; i < G_N_ELEMENTS(values); i++, at += 16) {
                report(t->a, subchannel, at, values[i], (uint32_t)(
                    ONE_WORD |
                    NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_ENABLE |
                    VGSP_SET(NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_OP, op) |
                    VGSP_SET(NVC597_SET_REPORT_SEMAPHORE_D_REDUCTION_FORMAT,
                             format)));
            }
        }
    }
    twin_run(t, SIDE, text);
}

static void run_semaphores(Silicon *s)
{
    static const char *const names[] = { "3D", "compute" };
    SiliconTwin t;

    if (twin_new(s, &t)) {
        for (unsigned i = 0; i < G_N_ELEMENTS(names); i++) {
            if (silicon_wanted(s, names[i])) {
                releases(t.a, i, names[i]);
                reductions(&t, i, names[i]);
            }
        }
    }
    twin_free(&t);
}

const SiliconGroup silicon_host = { "host", run_host, false };
const SiliconGroup silicon_semaphores = { "semaphores", run_semaphores, false };
