/*
 * Memory of grids whose contexts are held: it is theirs, but nobody waits for
 * it for ever.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model-rig.h"

#define CODE_EXIT   (RIG_CODE + 0x400)
#define LOCAL_MAX   (512 << 10)

/* A context with a grid of one CTA, of 1024 threads. */
static uint32_t launch(Rig *rig, uint32_t local, uint64_t code, unsigned slot)
{
    uint32_t qmd[64], ctx;
    Push p = { .count = 0 };

    g_assert_cmpint(vgsp_model_context_new(rig->m, rig->space, &ctx), ==, 0);
    qmd_init(qmd, RIG_VA + code);
    qmd_set(qmd, 607, 592, 1024);           /* CTA_THREAD_DIMENSION0 */
    qmd_set(qmd, 951, 928, local);          /* SHADER_LOCAL_MEMORY_LOW_SIZE */
    rig_qmd(rig, RIG_QMD + slot * 256, qmd);
    push_launch(&p, RIG_VA + RIG_QMD + slot * 256);
    g_assert_cmpint(rig_submit(rig, ctx, &p, 1), ==, 0);
    return ctx;
}

/* Three contexts that are held have all memory. */
static void hold_all(Rig *rig, uint32_t holders[3])
{
    const RigInsn exit_insn[] = { EXIT_INSN };

    rig_code_endless(rig, RIG_CODE, RIG_VA + RIG_DATA);
    rig_code(rig, CODE_EXIT, exit_insn, 1);
    for (unsigned i = 0; i < 3; i++) {
        rig_poke(rig, RIG_DATA, 0);
        holders[i] = launch(rig, LOCAL_MAX - 16 * i, RIG_CODE, i);
        rig_wait_above(rig, RIG_DATA, 0);
        g_assert_cmpint(vgsp_model_context_hold(rig->m, holders[i], true), ==,
                        0);
    }
}

/* Who needs no local memory is not concerned. */
static void test_small(void)
{
    uint32_t holders[3];
    Rig rig;

    rig_init(&rig, 1);
    hold_all(&rig, holders);
    rig_wait(&rig, RIG_COMPLETED, launch(&rig, 0, CODE_EXIT, 3), 1);
    rig_exit(&rig);
}

/* Its time over, a context that waits ends the largest of the holders. */
static void test_waits(void)
{
    uint32_t holders[3], waits;
    Rig rig;

    rig_init(&rig, 1);
    hold_all(&rig, holders);
    waits = launch(&rig, LOCAL_MAX, CODE_EXIT, 3);
    /* It waits as soon as a later one is through. */
    rig_wait(&rig, RIG_COMPLETED, launch(&rig, 0, CODE_EXIT, 4), 1);
    g_assert_cmpuint(rig_count(&rig, RIG_COMPLETED, waits), ==, 0);
    g_assert_cmpint(vgsp_model_context_kill(rig.m, waits,
                                            VGSP_OWNER_FAULT_TIMEOUT), ==, 0);
    rig_wait(&rig, RIG_COMPLETED, waits, 1);
    g_assert_cmpuint(rig_wait(&rig, RIG_FAULT, holders[0], 0).fault.kind, ==,
                     VGSP_OWNER_FAULT_TIMEOUT);
    g_assert_cmpuint(rig_count(&rig, RIG_FAULT, waits), ==, 0);
    for (unsigned i = 1; i < 3; i++) {
        g_assert_cmpuint(rig_count(&rig, RIG_FAULT, holders[i]), ==, 0);
        /* Others end themselves. */
        g_assert_cmpint(vgsp_model_context_kill(rig.m, holders[i],
                                                VGSP_OWNER_FAULT_TIMEOUT), ==,
                        0);
        rig_wait(&rig, RIG_FAULT, holders[i], 0);
    }
    rig_exit(&rig);
}

/* Memory that a context on hold waits for goes to those behind it. */
static void test_held_waits(void)
{
    uint32_t holders[3], waits, behind;
    Rig rig;

    rig_init(&rig, 1);
    hold_all(&rig, holders);
    waits = launch(&rig, LOCAL_MAX, CODE_EXIT, 3);
    rig_wait(&rig, RIG_COMPLETED, launch(&rig, 0, CODE_EXIT, 4), 1);
    behind = launch(&rig, LOCAL_MAX, CODE_EXIT, 5);
    rig_wait(&rig, RIG_COMPLETED, launch(&rig, 0, CODE_EXIT, 6), 1);
    g_assert_cmpint(vgsp_model_context_hold(rig.m, waits, true), ==, 0);
    g_assert_cmpint(vgsp_model_context_del(rig.m, holders[0]), ==, 0);
    rig_wait(&rig, RIG_COMPLETED, behind, 1);
    g_assert_cmpuint(rig_count(&rig, RIG_COMPLETED, waits), ==, 0);
    g_assert_cmpint(vgsp_model_context_hold(rig.m, waits, false), ==, 0);
    rig_wait(&rig, RIG_COMPLETED, waits, 1);
    rig_exit(&rig);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/model/memory/small", test_small);
    g_test_add_func("/model/memory/waits", test_waits);
    g_test_add_func("/model/memory/held-waits", test_held_waits);
    return g_test_run();
}
