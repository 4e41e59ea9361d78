/*
 * Chips that execute.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "translate/translate-int.h"
#include "vgsp/nv/hopper.h"

const VgspProfile vgsp_profile_tu10x = {
    .name = "tu10x",
    .verbatim = true,
};

const VgspProfile vgsp_profile_gh100 = {
    .name = "gh100",
    .threed = HOPPER_A,
    .compute = HOPPER_COMPUTE_A,
    .tpcs = 72,
    .tpc_sms = 2,
    .sm_warps = 64,
};
