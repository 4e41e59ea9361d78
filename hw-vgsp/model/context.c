/*
 * Contexts: creation, end, and the few things that are asked of their state.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/context.h"
#include "vgsp/nv/threed.h"

VgspContext *vgsp_context_new(VgspModel *m, VgspSpace *space, uint32_t id)
{
    VgspContext *ctx = g_new0(VgspContext, 1);

    ctx->id = id;
    ctx->model = m;
    ctx->space = space;
    g_queue_init(&ctx->sections);
    ctx->injections = g_array_new(false, false, sizeof(VgspInjection));
    ctx->mme = vgsp_mme_new();
    for (unsigned i = 0; i < G_N_ELEMENTS(ctx->i2m); i++) {
        ctx->i2m[i] = vgsp_i2m_new();
    }
    ctx->twod = vgsp_twod_new();
    for (unsigned i = 0; i < G_N_ELEMENTS(ctx->render); i++) {
        ctx->render[i] = (VgspRenderEnable) { .enable = true, .global = true };
    }
    return ctx;
}

void vgsp_context_drop(VgspContext *ctx)
{
    VgspQueuedSection *section;

    while ((section = g_queue_pop_head(&ctx->sections))) {
        g_free(section);
    }
    ctx->queued_words = 0;
    g_clear_pointer(&ctx->section, g_free);
    g_clear_pointer(&ctx->grid, vgsp_grid_free);
}

void vgsp_context_free(VgspContext *ctx)
{
    vgsp_context_drop(ctx);
    vgsp_mme_free(ctx->mme);
    for (unsigned i = 0; i < G_N_ELEMENTS(ctx->i2m); i++) {
        vgsp_i2m_free(ctx->i2m[i]);
    }
    vgsp_twod_free(ctx->twod);
    g_array_free(ctx->injections, true);
    g_free(ctx);
}

uint32_t vgsp_context_priv(const VgspContext *ctx, uint32_t addr)
{
    for (unsigned i = 0; i < ctx->num_priv; i++) {
        if (ctx->priv[i].addr == addr) {
            return ctx->priv[i].value;
        }
    }
    return 0;
}
