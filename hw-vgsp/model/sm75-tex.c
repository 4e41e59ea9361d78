/*
 * From the handle in a register to a decoded header: the pools of
 * SET_TEX_HEADER_POOL and SET_TEX_SAMPLER_POOL, entries of 32 bytes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/sm75-tex.h"

/* In SM75_COST_* units. */
enum { COST_TEXEL = 3, COST_BLOCK = 12 };
enum { MIP_LINEAR = 3 };        /* VgspTexSampler.mip */

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

/*
 * A lookup costs much more than other instructions: those of one warp may take
 * milliseconds.
 */
static void charge(Sm75TexLookups *l, unsigned texels)
{
    bool block = l->image.format && vgsp_tex_block_height(l->image.format) > 1;

    l->w->left -= (int32_t)(texels * (block ? COST_BLOCK : COST_TEXEL));
}

/* The most that the sampler may want, or a gather takes. */
static unsigned count_texels(const Sm75TexLookups *l)
{
    const VgspTexSampler *s = &l->sampler;
    bool linear = s->mag_linear || s->min_linear;
    unsigned n = linear && l->image.dim == VGSP_TEX_3D ? 8 : 4;

    return n * (s->mip == MIP_LINEAR ? 2 : 1) * MAX(s->max_taps, 1);
}

static bool find_image(Sm75TexLookups *l, uint32_t handle)
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

bool sm75_tex_image(Sm75TexLookups *l, uint32_t handle)
{
    bool ok = find_image(l, handle);

    charge(l, ok);
    return ok;
}

static bool find_sampler(Sm75TexLookups *l)
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

bool sm75_tex_sampler(Sm75TexLookups *l)
{
    if (!find_sampler(l)) {
        return false;
    }
    charge(l, count_texels(l));
    return true;
}
