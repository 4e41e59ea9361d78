/*
 * Slices of the front end end in time, so that others have their turn.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model-rig.h"
#include "model/context.h"
#include "mme-asm.h"

/* The time is looked at when some has been spent; once over, it stays so. */
static void test_spent(void)
{
    VgspContext *ctx = g_new0(VgspContext, 1);

    ctx->deadline = INT64_MAX;
    g_assert_false(vgsp_fe_spent(ctx, 1023));
    g_assert_cmpuint(ctx->cost, ==, 1023);
    g_assert_false(vgsp_fe_spent(ctx, 1));
    g_assert_cmpuint(ctx->cost, ==, 0);
    ctx->deadline = 0;
    g_assert_false(vgsp_fe_spent(ctx, 1023));
    g_assert_true(vgsp_fe_spent(ctx, 1));
    g_assert_true(vgsp_fe_spent(ctx, 0));
    g_free(ctx);
}

static void load_macro(Push *p, const Group *groups, unsigned n)
{
    push(p, VGSP_SUBC_3D, 0x11c, 0);    /* LOAD_MME_START_ADDRESS_RAM ... */
    push(p, VGSP_SUBC_3D, 0x120, 0);
    push(p, VGSP_SUBC_3D, 0x114, 0);    /* LOAD_MME_INSTRUCTION_RAM ... */
    for (unsigned i = 0; i < n; i++) {
        for (int k = 2; k >= 0; k--) {
            push(p, VGSP_SUBC_3D, 0x118, groups[i].b[k]);
        }
    }
}

/*
 * Work of one context that would take a minute in one piece; the only worker
 * gets to a release of another one long before.
 */
static void others_run(Push *p)
{
    Push release = { .count = 0 };
    uint32_t other;
    Rig rig;

    rig_init(&rig, 1);
    g_assert_cmpint(vgsp_model_context_new(rig.m, rig.space, &other), ==, 0);
    push_release(&release, RIG_DATA, 0x77);
    g_assert_cmpint(rig_submit(&rig, rig.ctx, p, 1), ==, 0);
    g_assert_cmpint(rig_submit(&rig, other, &release, 1), ==, 0);
    rig_wait(&rig, RIG_COMPLETED, other, 1);
    g_assert_cmpuint(rig_count(&rig, RIG_COMPLETED, rig.ctx), ==, 0);
    g_assert_cmpint(vgsp_model_context_kill(rig.m, rig.ctx,
                                            VGSP_OWNER_FAULT_TIMEOUT), ==, 0);
    g_assert_cmpuint(rig_wait(&rig, RIG_FAULT, rig.ctx, 0).fault.kind, ==,
                     VGSP_OWNER_FAULT_TIMEOUT);
    g_assert_cmpuint(rig_count(&rig, RIG_COMPLETED, rig.ctx), ==, 0);
    rig_exit(&rig);
}

/* A hundred calls of a macro that clears 240 KiB four thousand times. */
static void test_clears(void)
{
    const uint64_t va = RIG_VA + (1 << 20);
    const Group macro[] = {
        a0(ADD, 3, IMM, ZERO, 4000), a0(ADD, 2, IMM, ZERO, 0x3c),
        a0(LOOP, ZERO, 3, ZERO, 2),
        /* CLEAR_SURFACE: R, G, B, A */
        out1(out0(a0(ADD, ZERO, 2, ZERO, 0x19d0 / 4), OUT_IMM0, OUT_ALU0),
             NONE, OUT_ALU0),
        end_next(nop()), nop(),
    };
    Push p = { .count = 0 };
    /* SET_COLOR_TARGET(0): 1024 by 15 of RGBA32, pitch; SET_SURFACE_CLIP */
    const uint32_t words[][2] = {
        { 0x800, va >> 32 }, { 0x804, (uint32_t)va }, { 0x808, 1024 },
        { 0x80c, 15 }, { 0x810, 0xc2 }, { 0x814, 0 }, { 0x818, 1 },
        { 0xff4, 1024u << 16 }, { 0xff8, 15u << 16 },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(words); i++) {
        push(&p, VGSP_SUBC_3D, words[i][0], words[i][1]);
    }
    load_macro(&p, macro, G_N_ELEMENTS(macro));
    for (unsigned i = 0; i < 100; i++) {
        push(&p, VGSP_SUBC_3D, 0x3800, 0);
    }
    others_run(&p);
}

/* The same with MME_DMA_READ of the whole data RAM, twice a group. */
static void test_dma(void)
{
    const Group macro[] = {
        a0(ADD, 3, IMM, ZERO, 8000), a0(ADD, 2, IMM, ZERO, 1024),
        a0(LOOP, ZERO, 3, ZERO, 2),
        out1(out0(a0(ADD, ZERO, 2, ZERO, 0x55c / 4), OUT_IMM0, OUT_ALU0),
             NONE, OUT_ALU0),
        end_next(nop()), nop(),
    };
    Push p = { .count = 0 };

    push(&p, VGSP_SUBC_3D, 0x550, RIG_VA >> 32);
    push(&p, VGSP_SUBC_3D, 0x554, (uint32_t)RIG_VA);
    push(&p, VGSP_SUBC_3D, 0x558, 0);
    load_macro(&p, macro, G_N_ELEMENTS(macro));
    for (unsigned i = 0; i < 200; i++) {
        push(&p, VGSP_SUBC_3D, 0x3800, 0);
    }
    others_run(&p);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/model/slice/spent", test_spent);
    g_test_add_func("/model/slice/clears", test_clears);
    g_test_add_func("/model/slice/dma", test_dma);
    return g_test_run();
}
