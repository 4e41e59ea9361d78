/*
 * A macro engine with a double of the model around it, for tests of the
 * engine: macros are loaded and called by methods.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_MME_RIG_H
#define TESTS_UNIT_MME_RIG_H

#define DOUBLE_HAS_MME
#include "model-double.h"
#include "model/mme.c"
#include "mme-asm.h"

static VgspMme *mme;
static VgspContext *ctx;
static uint32_t ram_end;        /* groups */

static inline VgspFeEnd method(uint32_t address, uint32_t data)
{
    return vgsp_mme_method(mme, ctx, &ctx->worker, address, data);
}

static inline void setup(void)
{
    ctx = double_new();
    mme = vgsp_mme_new();
    ctx->mme = mme;
    ram_end = 0;
}

static inline void teardown(void)
{
    vgsp_mme_free(mme);
    double_free(ctx);
}

/* Loads groups as macro i; the words go upper first. */
static inline void load(unsigned i, const Group *groups, unsigned n)
{
    g_assert_cmpint(method(0x11c, i), ==, VGSP_FE_DONE);
    g_assert_cmpint(method(0x120, ram_end), ==, VGSP_FE_DONE);
    g_assert_cmpint(method(0x114, ram_end), ==, VGSP_FE_DONE);
    for (unsigned j = 0; j < n; j++) {
        for (int k = 2; k >= 0; k--) {
            g_assert_cmpint(method(0x118, groups[j].b[k]), ==, VGSP_FE_DONE);
        }
    }
    ram_end += n;
}

/* Calls macro i with parameters; the answer to the last of them. */
static inline VgspFeEnd call_macro(unsigned i, const uint32_t *params,
                                   unsigned n)
{
    VgspFeEnd end = method(0x3800 + 8 * i, n ? params[0] : 0);

    for (unsigned j = 1; j < n && end == VGSP_FE_DONE; j++) {
        end = method(0x3804 + 8 * i, params[j]);
    }
    return end;
}

#define PARAMS(...) \
    (const uint32_t[]){ __VA_ARGS__ }, \
    G_N_ELEMENTS(((const uint32_t[]){ __VA_ARGS__ }))
#define LOAD(i, ...) \
    load(i, (const Group[]){ __VA_ARGS__ }, \
         G_N_ELEMENTS(((const Group[]){ __VA_ARGS__ })))

static inline void assert_call(unsigned i, uint32_t address, uint32_t data)
{
    g_assert_cmpuint(i, <, ctx->calls);
    g_assert_cmpint(ctx->call[i].kind, ==, CALL_METHOD);
    g_assert_cmphex(ctx->call[i].method, ==, address);
    g_assert_cmphex(ctx->call[i].data, ==, data);
}

#endif
