/*
 * What the instructions of texture and surface units share: from a handle to
 * the image and the sampler.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_MODEL_SM75_TEX_H
#define HW_VGSP_MODEL_SM75_TEX_H

#include "model/sm75.h"
#include "model/tex.h"

/* A handle: indices into the pools. */
#define SM75_HANDLE_HEADER      VGSP_BITS(19, 0)
#define SM75_HANDLE_SAMPLER     VGSP_BITS(31, 20)

/* Headers that the last lane used: lanes mostly agree. */
typedef struct Sm75TexLookups {
    Sm75Warp *w;
    bool valid, sampler_valid;
    uint32_t handle;
    VgspTexImage image;
    VgspTexSampler sampler;
    Sm75Next failed;            /* what to return after a false */
} Sm75TexLookups;

/* The worker's MMU refused an access: fills the warp's fault; false. */
bool sm75_tex_failed(Sm75TexLookups *l);
/* l->image of that handle. */
bool sm75_tex_image(Sm75TexLookups *l, uint32_t handle);
/* l->sampler of the handle that sm75_tex_image() was called with. */
bool sm75_tex_sampler(Sm75TexLookups *l);

#endif
