/*
 * From the handle in a register to a decoded header: the pools of
 * SET_TEX_HEADER_POOL and SET_TEX_SAMPLER_POOL, entries of 32 bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-tex.h"

bool sm75_tex_failed(Sm75TexLookups *l)
{
    l->w->exception = 0;
    l->w->fault = l->w->worker->mmu.fault;
    l->failed = SM75_FAULT;
    return false;
}

/* Beyond the pool there is no header: zeroes, as if nothing were bound. */
static bool read_entry(Sm75TexLookups *l, uint64_t pool, uint32_t max,
                       uint32_t index, uint32_t words[8])
{
    memset(words, 0, 32);
    return index > max ||
           vgsp_mmu_read(&l->w->worker->mmu, pool + (uint64_t)index * 32,
                         words, 32) ||
           sm75_tex_failed(l);
}

bool sm75_tex_image(Sm75TexLookups *l, uint32_t handle)
{
    const VgspGridState *gs = l->w->cta->gs;
    uint32_t words[8];

    if (l->valid && l->handle == handle) {
        return true;
    }
    l->valid = l->sampler_valid = false;
    l->handle = handle;
    if (!read_entry(l, gs->tex_header_pool, gs->tex_header_max,
                    (uint32_t)VGSP_GET(SM75_HANDLE_HEADER, handle), words)) {
        return false;
    }
    if (!vgsp_tex_image_decode(words, &l->image)) {
        l->failed = sm75_raise(l->w, VGSP_EXC_NOT_MODELLED);
        return false;
    }
    l->valid = true;
    return true;
}

bool sm75_tex_sampler(Sm75TexLookups *l)
{
    const VgspGridState *gs = l->w->cta->gs;
    uint64_t field = l->w->cta->qmd->sampler_via_header ? SM75_HANDLE_HEADER
                                                        : SM75_HANDLE_SAMPLER;
    uint32_t words[8];

    if (l->sampler_valid) {
        return true;
    }
    if (!read_entry(l, gs->sampler_pool, gs->sampler_max,
                    (uint32_t)VGSP_GET(field, l->handle), words)) {
        return false;
    }
    vgsp_tex_sampler_decode(words, &l->sampler);
    return l->sampler_valid = true;
}
