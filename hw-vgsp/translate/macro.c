/*
 * Which macros may write memory, told from their instructions (NVIDIA's MME64
 * notes; Mesa's nouveau/mme).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "translate/translate-int.h"
#include "vgsp/nv/mme.h"

/* Where a branch of group at leads, in groups from start; itself if none. */
static int64_t branch_target(const VgspMmeGroup *g, unsigned alu, int64_t at)
{
    unsigned op = g->alu[alu].op;
    int64_t offset = (int64_t)VGSP_GET(VGSP_MME_BRANCH_OFFSET, g->imm[alu]);

    if (op < VGSP_MME_OP_BLT || op > VGSP_MME_OP_BEQ ||
        offset == VGSP_MME_BRANCH_EXIT) {
        return at;
    }
    return at + offset -
           (offset & VGSP_MME_BRANCH_EXIT ? 2 * VGSP_MME_BRANCH_EXIT : 0);
}

/*
 * The groups are those from the start to the one behind the END_NEXT that no
 * branch leads beyond.
 */
bool vgsp_macro_may_write(const uint32_t *ram, uint32_t start)
{
    int64_t furthest = 0;
    bool last = false;

    for (int64_t at = 0; ; at++) {
        uint64_t group = start + (uint64_t)at;
        VgspMmeGroup g;

        if (group >= VGSP_MME_GROUPS) {
            return true;
        }
        g = vgsp_mme_group_decode(ram + group * VGSP_MME_GROUP_WORDS);
        for (unsigned n = 0; n < 2; n++) {
            int64_t target = branch_target(&g, n, at);
            uint32_t value;

            if (g.alu[n].op == VGSP_MME_OP_JAL || target < 0) {
                return true;
            }
            furthest = MAX(furthest, target);
            if (g.out[n].method != VGSP_MME_OUT_NONE &&
                (!vgsp_mme_out_immediate(g.imm, g.out[n].method, &value) ||
                 VGSP_GET(VGSP_MME_METHOD_ADDRESS, value) <
                 NVC597_SET_MME_SHADOW_SCRATCH(0) / 4)) {
                return true;
            }
        }
        if (last && at >= furthest) {
            return false;
        }
        last = g.end_next;
    }
}
