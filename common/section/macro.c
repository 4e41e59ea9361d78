/*
 * Which macros can emit firmware methods, told from their instructions: the
 * macro engine of TU104 (NVIDIA's MME64 notes; Mesa's nouveau/mme). A method
 * that is computed, and a path that is too long, leave it unknown.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/section.h"
#include "vgsp/nv/mme-isa.h"
#include "vgsp/nv/mme.h"

#define GROUPS_MAX      1024    /* of a macro */
#define LOOPS_MAX       8
#define EMITS_MAX       64      /* to one method after another */
#define PATHS_MAX       16      /* that wait to be followed */
#define STEPS_MAX       4096    /* of all paths: a fraction of a millisecond */

/* SET_FALCON, in words. */
#define FALCON_FIRST    (NVC597_SET_FALCON(0) / 4)
#define FALCON_LAST     (NVC597_SET_FALCON(NVC597_SET_FALCON_COUNT - 1) / 4)

typedef struct MacroScan {
    const uint32_t *words;      /* of the first group */
    uint32_t groups;            /* from there to the end of the RAM */
    /* Groups that may run, and those that may run but not as the last. */
    uint32_t reached[GROUPS_MAX / 32], continued[GROUPS_MAX / 32];
    struct {
        uint32_t first, last;   /* of the body */
    } loop[LOOPS_MAX];
    unsigned loops;
    unsigned steps;             /* groups looked at */
} MacroScan;

/* Where a path is: before output out of a group. */
typedef struct MacroPath {
    uint16_t group;
    uint8_t out;
    bool last;                  /* END_NEXT was before it */
    uint8_t emits;
} MacroPath;

static VgspMmeGroup group_at(const MacroScan *s, uint32_t i)
{
    return vgsp_mme_group_decode(s->words + i * VGSP_MME_GROUP_WORDS);
}

static bool get_bit(const uint32_t *bits, uint32_t i)
{
    return bits[i / 32] >> (i % 32) & 1;
}

static bool set_bit(uint32_t *bits, uint32_t i)
{
    uint32_t old = bits[i / 32];

    bits[i / 32] |= 1u << (i % 32);
    return bits[i / 32] != old;
}

/* Units that may be suppressed. */
static unsigned uncertain(const VgspMmeGroup *g)
{
    unsigned units = vgsp_mme_suppressed(g->mode, false);

    return g->predicate == VGSP_MME_REG_ZERO
           ? units : units | vgsp_mme_suppressed(g->mode, true);
}

static bool is_branch(unsigned op)
{
    return op >= VGSP_MME_OP_BLT && op <= VGSP_MME_OP_BEQ;
}

/*
 * Groups that may follow group i: at most 2 + LOOPS_MAX. Targets outside of
 * the macro's reach are left out: the engine stops there.
 */
static unsigned successors(const MacroScan *s, uint32_t i,
                           const VgspMmeGroup *g, uint32_t next[])
{
    unsigned n = 0;
    bool falls_through = true;

    for (unsigned a = 0; a < 2; a++) {
        uint32_t target;

        switch (g->alu[a].op) {
        case VGSP_MME_OP_JAL:
            target = i + (uint32_t)VGSP_GET(VGSP_MME_JAL_OFFSET, g->imm[a]);
            falls_through = falls_through &&
                            uncertain(g) & VGSP_MME_UNIT_ALU(a);
            break;
        default:
            if (!is_branch(g->alu[a].op)) {
                continue;
            }
            target = (uint32_t)VGSP_GET(VGSP_MME_BRANCH_OFFSET, g->imm[a]);
            target = i + target -
                     (target & VGSP_MME_BRANCH_EXIT ? 2 * VGSP_MME_BRANCH_EXIT
                                                    : 0);
            break;
        }
        if (target < s->groups) {
            next[n++] = target;
        }
    }
    if (falls_through && i + 1 < s->groups) {
        next[n++] = i + 1;
    }
    for (unsigned l = 0; l < s->loops; l++) {
        if (s->loop[l].last == i) {
            next[n++] = s->loop[l].first;
        }
    }
    return n;
}

/* Finds all groups that may run. False: too much to say. */
static bool reach(MacroScan *s)
{
    bool more = true;

    set_bit(s->reached, 0);
    set_bit(s->continued, 0);
    /* Again for what was reached backwards. */
    while (more) {
        more = false;
        for (uint32_t i = 0; i < s->groups && i < GROUPS_MAX; i++) {
            uint32_t next[2 + 1 + LOOPS_MAX];
            VgspMmeGroup g;
            unsigned n;

            if (!get_bit(s->continued, i)) {
                continue;
            }
            if (++s->steps > STEPS_MAX) {
                return false;
            }
            g = group_at(s, i);
            n = successors(s, i, &g, next);
            while (n--) {
                bool changed;

                if (next[n] >= GROUPS_MAX) {
                    return false;
                }
                changed = set_bit(s->reached, next[n]);
                if (!g.end_next) {
                    changed |= set_bit(s->continued, next[n]);
                }
                more |= changed && next[n] <= i;
            }
        }
    }
    return true;
}

/* The loops, whose bodies are reached without them. False: too many. */
static bool find_loops(MacroScan *s)
{
    for (uint32_t i = 0; i < s->groups && i < GROUPS_MAX; i++) {
        VgspMmeGroup g;

        if (!get_bit(s->continued, i)) {
            continue;
        }
        g = group_at(s, i);
        for (unsigned a = 0; a < 2; a++) {
            if (g.alu[a].op != VGSP_MME_OP_LOOP || g.imm[a] < 2) {
                continue;
            }
            if (s->loops == LOOPS_MAX) {
                return false;
            }
            s->loop[s->loops].first = i + 1;
            s->loop[s->loops++].last = i + g.imm[a] - 1;
        }
    }
    return true;
}

/*
 * The most emissions that may follow from a place on before a method is
 * selected for certain, or another one if selects: the place itself selects
 * the method in question. EMITS_MAX: that many, or more.
 */
static unsigned most_emits(MacroScan *s, MacroPath start, bool selects)
{
    MacroPath path[PATHS_MAX];
    unsigned paths = 1, most = 0;
    bool own = selects;         /* the output is the start's */

    path[0] = start;
    while (paths) {
        MacroPath p = path[--paths];
        VgspMmeGroup g = group_at(s, p.group);
        uint32_t next[2 + 1 + LOOPS_MAX];
        bool selected = false;
        unsigned n;

        if (++s->steps > STEPS_MAX) {
            return EMITS_MAX;
        }
        for (; p.out < 2; p.out++, own = false) {
            if (!own && g.out[p.out].method != VGSP_MME_OUT_NONE &&
                !(uncertain(&g) & VGSP_MME_UNIT_OUT(p.out))) {
                selected = true;
                break;
            }
            if (g.out[p.out].emit != VGSP_MME_OUT_NONE &&
                ++p.emits == EMITS_MAX) {
                return EMITS_MAX;
            }
        }
        if (p.emits > most) {
            most = p.emits;
        }
        if (selected || p.last) {
            continue;
        }
        n = successors(s, p.group, &g, next);
        while (n--) {
            if (paths == PATHS_MAX) {
                return EMITS_MAX;
            }
            path[paths++] = (MacroPath) {
                .group = (uint16_t)next[n],
                .last = g.end_next,
                .emits = p.emits,
            };
        }
    }
    return most;
}

static bool is_falcon(uint32_t method)
{
    return method >= FALCON_FIRST && method <= FALCON_LAST;
}

/* Whether n emissions after the selection of a method reach SET_FALCON. */
static bool hits_falcon(uint32_t value, unsigned n)
{
    uint32_t method = (uint32_t)VGSP_GET(VGSP_MME_METHOD_ADDRESS, value);
    uint32_t step = (uint32_t)VGSP_GET(VGSP_MME_METHOD_INCREMENT, value);

    if (n == EMITS_MAX && step) {
        return true;
    }
    for (; n; n--) {
        if (is_falcon(method)) {
            return true;
        }
        method = (method + step) & (uint32_t)VGSP_MME_METHOD_ADDRESS;
    }
    return false;
}

static bool may_emit(MacroScan *s)
{
    MacroPath begin = { .group = 0 };

    /* Before the macro selects a method, it is unknown. */
    if (most_emits(s, begin, false)) {
        return true;
    }
    for (uint32_t i = 0; i < s->groups && i < GROUPS_MAX; i++) {
        VgspMmeGroup g;

        if (!get_bit(s->reached, i)) {
            continue;
        }
        g = group_at(s, i);
        for (unsigned o = 0; o < 2; o++) {
            MacroPath p = {
                .group = (uint16_t)i, .out = (uint8_t)o,
                .last = !get_bit(s->continued, i),
            };
            uint32_t value;

            if (g.out[o].method == VGSP_MME_OUT_NONE) {
                continue;
            }
            if (!vgsp_mme_out_immediate(g.imm, g.out[o].method, &value) ||
                hits_falcon(value, most_emits(s, p, true))) {
                return true;
            }
        }
    }
    return false;
}

/* Whether what runs in any case, up to the first branch, does it. */
static bool must_emit(MacroScan *s)
{
    uint32_t method = 0, step = 0, i = 0;
    bool last = false, known = false;

    while (i < s->groups && ++s->steps <= STEPS_MAX) {
        uint32_t next[2 + 1 + LOOPS_MAX];
        VgspMmeGroup g = group_at(s, i);

        for (unsigned o = 0; o < 2; o++) {
            bool certain = !(uncertain(&g) & VGSP_MME_UNIT_OUT(o));
            uint32_t value = 0;

            if (g.out[o].method != VGSP_MME_OUT_NONE) {
                known = vgsp_mme_out_immediate(g.imm, g.out[o].method,
                                               &value) && certain;
                method = (uint32_t)VGSP_GET(VGSP_MME_METHOD_ADDRESS, value);
                step = (uint32_t)VGSP_GET(VGSP_MME_METHOD_INCREMENT, value);
            }
            if (g.out[o].emit == VGSP_MME_OUT_NONE) {
                continue;
            }
            known = known && certain;
            if (known && is_falcon(method)) {
                return true;
            }
            method = (method + step) & (uint32_t)VGSP_MME_METHOD_ADDRESS;
        }
        if (last || is_branch(g.alu[0].op) || is_branch(g.alu[1].op) ||
            successors(s, i, &g, next) != 1) {
            return false;
        }
        last = g.end_next;
        i = next[0];
    }
    return false;
}

VgspMacroClass vgsp_macro_class(const uint32_t *ram, uint32_t groups,
                                uint32_t start)
{
    MacroScan s = { 0 };

    if (start >= groups) {
        return VGSP_MACRO_NEVER;    /* nothing of it can run */
    }
    s.words = ram + start * VGSP_MME_GROUP_WORDS;
    s.groups = groups - start;
    if (must_emit(&s)) {
        return VGSP_MACRO_ALWAYS;
    }
    return reach(&s) && find_loops(&s) && !may_emit(&s)
           ? VGSP_MACRO_NEVER : VGSP_MACRO_UNKNOWN;
}

void vgsp_macros_load(VgspMacros *m, const VgspPbRun *run, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t data = run->data[i];

        switch (vgsp_pb_run_method(run, i) * 4) {
        case NVC597_LOAD_MME_INSTRUCTION_RAM_POINTER:
            m->ram_pointer = data < VGSP_MME_GROUPS
                             ? data * VGSP_MME_GROUP_WORDS
                             : VGSP_MME_INSTRUCTION_RAM;
            break;
        case NVC597_LOAD_MME_INSTRUCTION_RAM:
            if (m->ram_pointer < VGSP_ARRAY_SIZE(m->ram)) {
                m->ram[m->ram_pointer++] = data;
                m->loads++;
            }
            break;
        case NVC597_LOAD_MME_START_ADDRESS_RAM_POINTER:
            m->start_pointer = data;
            break;
        case NVC597_LOAD_MME_START_ADDRESS_RAM:
            if (m->start_pointer < VGSP_ARRAY_SIZE(m->start)) {
                m->start[m->start_pointer++] = data;
                m->loads++;
            }
            break;
        }
    }
}

VgspMacroClass vgsp_macros_class(VgspMacros *m, uint32_t macro, bool *first)
{
    *first = m->classed[macro] <= m->loads;
    if (*first) {
        m->classed[macro] = m->loads + 1;
        m->cls[macro] = (uint8_t)vgsp_macro_class(
            m->ram, VGSP_MME_GROUPS, m->start[macro]);
    }
    return (VgspMacroClass)m->cls[macro];
}
