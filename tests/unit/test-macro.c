/*
 * What is told of macros at their upload.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include "vgsp/section.h"
#include "mme-asm.h"

#define RAM_GROUPS  4096

static VgspMacroClass class_of(const Group *groups, unsigned n, uint32_t start)
{
    g_autofree uint32_t *ram = g_new0(uint32_t, 3 * RAM_GROUPS);

    for (unsigned i = 0; i < n; i++) {
        for (unsigned k = 0; k < 3; k++) {
            ram[3 * (start + i) + k] = groups[i].b[2 - k];
        }
    }
    return vgsp_macro_class(ram, RAM_GROUPS, start);
}

#define CLASS(...) \
    class_of((const Group[]){ __VA_ARGS__ }, \
             G_N_ELEMENTS(((const Group[]){ __VA_ARGS__ })), 30)

/* Selects a method (in ALU0's immediate) and emits ALU1's. */
static Group emit_to(uint32_t method, unsigned step)
{
    return out0(a0(ADD, ZERO, ZERO, ZERO, (uint16_t)(step << 12 | method / 4)),
                OUT_IMM0, OUT_IMM1);
}

/* Emits to the method that is selected. */
static Group emit_next(void)
{
    return out0(nop(), NONE, OUT_ALU0);
}

static Group branch_to(int groups)
{
    return a0(BEQ, ZERO, 1, 2, (uint16_t)(0x8000 | (groups & 0x1fff)));
}

static void test_never(void)
{
    g_assert_cmpint(CLASS(end_next(nop()), nop()), ==, VGSP_MACRO_NEVER);
    g_assert_cmpint(CLASS(emit_to(0x2380, 1), emit_next(), emit_next(),
                          end_next(nop()), nop()), ==, VGSP_MACRO_NEVER);
    /* 0x22f4, 0x22f8, 0x22fc: one more would be a firmware method. */
    g_assert_cmpint(CLASS(emit_to(0x22f4, 1), emit_next(),
                          end_next(emit_next()), nop()), ==,
                    VGSP_MACRO_NEVER);
    /* What lies behind the end does not count. */
    g_assert_cmpint(CLASS(end_next(nop()), nop(), emit_to(0x2310, 0)), ==,
                    VGSP_MACRO_NEVER);
    /* A loop that stays at a method, and one that selects anew. */
    g_assert_cmpint(CLASS(a0(LOOP, ZERO, LOAD0, ZERO, 2), emit_to(0x100, 0),
                          end_next(nop()), nop()), ==, VGSP_MACRO_NEVER);
    g_assert_cmpint(CLASS(a0(LOOP, ZERO, LOAD0, ZERO, 2), emit_to(0x100, 1),
                          end_next(nop()), nop()), ==, VGSP_MACRO_NEVER);
    /* Backwards, as a while loop does. */
    g_assert_cmpint(CLASS(a0(JAL, ZERO, ZERO, ZERO, 0x8002),
                          emit_to(0x1b00, 1), branch_to(-1), end_next(nop()),
                          nop()), ==, VGSP_MACRO_NEVER);
    /* Nothing of it lies in the RAM. */
    g_assert_cmpint(vgsp_macro_class(NULL, 0, 0), ==, VGSP_MACRO_NEVER);
    g_assert_cmpint(vgsp_macro_class(NULL, 0, UINT32_MAX), ==,
                    VGSP_MACRO_NEVER);
}

static void test_always(void)
{
    g_assert_cmpint(CLASS(emit_to(0x2310, 0), end_next(nop()), nop()), ==,
                    VGSP_MACRO_ALWAYS);
    g_assert_cmpint(CLASS(emit_to(0x2300, 0), end_next(nop()), nop()), ==,
                    VGSP_MACRO_ALWAYS);
    g_assert_cmpint(CLASS(emit_to(0x237c, 0), end_next(nop()), nop()), ==,
                    VGSP_MACRO_ALWAYS);
    /* By steps. */
    g_assert_cmpint(CLASS(emit_to(0x22f8, 2), emit_next(), end_next(nop()),
                          nop()), ==, VGSP_MACRO_ALWAYS);
    /* In the last group, behind a jump, in a loop. */
    g_assert_cmpint(CLASS(end_next(nop()), emit_to(0x2310, 0)), ==,
                    VGSP_MACRO_ALWAYS);
    g_assert_cmpint(CLASS(a0(JAL, ZERO, ZERO, ZERO, 0x8002), end_next(nop()),
                          emit_to(0x2310, 0)), ==, VGSP_MACRO_ALWAYS);
    g_assert_cmpint(CLASS(a0(LOOP, ZERO, LOAD0, ZERO, 2), emit_to(0x2310, 0),
                          end_next(nop()), nop()), ==, VGSP_MACRO_ALWAYS);
    /* A predicate that is known: T suppresses what is not 0. */
    g_assert_cmpint(CLASS(predicate(emit_to(0x2310, 0), 1, ZERO),
                          end_next(nop()), nop()), ==, VGSP_MACRO_ALWAYS);
}

static void test_unknown(void)
{
    /* A method that is computed. */
    g_assert_cmpint(CLASS(out0(a0(ADD, ZERO, LOAD0, ZERO, 0), OUT_ALU0,
                               OUT_ALU0), end_next(nop()), nop()), ==,
                    VGSP_MACRO_UNKNOWN);
    /* One that nobody selected. */
    g_assert_cmpint(CLASS(emit_next(), end_next(nop()), nop()), ==,
                    VGSP_MACRO_UNKNOWN);
    /* On one of two ways, behind an exit, under a predicate. */
    g_assert_cmpint(CLASS(branch_to(2), emit_to(0x2310, 0), end_next(nop()),
                          nop()), ==, VGSP_MACRO_UNKNOWN);
    g_assert_cmpint(CLASS(branch_to(0x1000), emit_to(0x2310, 0),
                          end_next(nop()), nop()), ==, VGSP_MACRO_UNKNOWN);
    g_assert_cmpint(CLASS(predicate(emit_to(0x2310, 0), 1, 5),
                          end_next(nop()), nop()), ==, VGSP_MACRO_UNKNOWN);
    /* One that a suppressed selection would have replaced. */
    g_assert_cmpint(CLASS(out0(a0(ADD, ZERO, ZERO, ZERO, 0x2310 / 4),
                               OUT_IMM0, NONE),
                          predicate(out0(a0(ADD, ZERO, ZERO, ZERO, 0x40),
                                         OUT_IMM0, NONE), 8 /* UUTT */, 5),
                          branch_to(1), emit_next(), end_next(nop()), nop()),
                    ==, VGSP_MACRO_UNKNOWN);
    /* Steps in a loop, of either kind. */
    g_assert_cmpint(CLASS(out0(a0(ADD, ZERO, ZERO, ZERO, 0x1000 | 0x1b00 / 4),
                               OUT_IMM0, NONE),
                          a0(LOOP, ZERO, LOAD0, ZERO, 2), emit_next(),
                          end_next(nop()), nop()), ==, VGSP_MACRO_UNKNOWN);
    g_assert_cmpint(CLASS(emit_to(0x1b00, 1), emit_next(), branch_to(-1),
                          end_next(nop()), nop()), ==, VGSP_MACRO_UNKNOWN);
}

static void test_end_of_ram(void)
{
    Group g = emit_to(0x2310, 0);

    g_assert_cmpint(class_of(&g, 1, RAM_GROUPS - 1), ==, VGSP_MACRO_ALWAYS);
    g = branch_to(-100);
    g_assert_cmpint(class_of(&g, 1, RAM_GROUPS - 1), ==, VGSP_MACRO_NEVER);
    g = a0(JAL, ZERO, ZERO, ZERO, 0xffff);
    g_assert_cmpint(class_of(&g, 1, RAM_GROUPS - 1), ==, VGSP_MACRO_NEVER);
}

/* Of a channel, as its runs of methods load them. */
static void test_loads(void)
{
    g_autofree VgspMacros *m = g_new0(VgspMacros, 1);
    uint32_t start[] = { 5, 30, 60 };
    uint32_t code[1 + 6] = { 30 };
    Group g[2] = { end_next(emit_to(0x2310, 0)), nop() };
    VgspPbRun starts = { start, 3, 0x11c / 4, 1, 0, 0, false };
    VgspPbRun run = { code, 7, 0x114 / 4, 1, 0, 0, false };
    VgspPbRun other = { code, 7, 0x1b00 / 4, 1, 1, 0, false };
    bool first;

    for (unsigned i = 0; i < 6; i++) {
        code[1 + i] = g[i / 3].b[2 - i % 3];
    }
    g_assert_true(vgsp_macros_loads(&starts));
    g_assert_true(vgsp_macros_loads(&run));
    g_assert_false(vgsp_macros_loads(&other));
    vgsp_macros_load(m, &starts, 3);
    /* Nothing but ADDs up to the end of the RAM: too much to read. */
    g_assert_cmpint(vgsp_macros_class(m, 5, &first), ==, VGSP_MACRO_UNKNOWN);
    g_assert_true(first);
    vgsp_macros_load(m, &run, 7);
    g_assert_cmpint(vgsp_macros_class(m, 5, &first), ==, VGSP_MACRO_ALWAYS);
    g_assert_true(first);
    g_assert_cmpint(vgsp_macros_class(m, 5, &first), ==, VGSP_MACRO_ALWAYS);
    g_assert_false(first);
    g_assert_cmpint(vgsp_macros_class(m, 6, &first), ==, VGSP_MACRO_UNKNOWN);
    g_assert_true(first);

    /* Beyond the RAMs there is nothing. */
    start[0] = VGSP_MME_MACROS;
    code[0] = RAM_GROUPS - 1;
    vgsp_macros_load(m, &starts, 3);
    vgsp_macros_load(m, &run, 7);
    for (unsigned k = 0; k < 3; k++) {
        g_assert_cmphex(m->ram[3 * (RAM_GROUPS - 1) + k], ==, code[1 + k]);
    }
    code[0] = 0x55555556;       /* times three: 2 */
    code[1] ^= 1;
    vgsp_macros_load(m, &run, 7);
    g_assert_cmphex(m->ram[2], ==, 0);
    g_assert_cmpuint(m->start[0], ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/macro/never", test_never);
    g_test_add_func("/macro/always", test_always);
    g_test_add_func("/macro/unknown", test_unknown);
    g_test_add_func("/macro/end-of-ram", test_end_of_ram);
    g_test_add_func("/macro/loads", test_loads);
    return g_test_run();
}
