// SPDX-License-Identifier: GPL-2.0-or-later
// What subgroup operations give each invocation of a full subgroup.
#version 450
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 128) in;
layout(binding = 0, std430) readonly buffer In { uint inv[]; };
layout(binding = 1, std430) buffer Out { uint outv[]; };
void main()
{
    uint l = gl_SubgroupInvocationID;
    uint i = gl_WorkGroupID.x * 128 + gl_SubgroupID * gl_SubgroupSize + l;
    uint o = i * 32, x = inv[i];
    uvec4 odd = subgroupBallot((x & 1) != 0);
    outv[o + 0] = l;
    outv[o + 1] = gl_SubgroupSize | gl_NumSubgroups << 8 |
        gl_SubgroupID << 16;
    outv[o + 2] = subgroupAdd(x);
    outv[o + 3] = subgroupMin(x);
    outv[o + 4] = uint(subgroupMax(int(x)));
    outv[o + 5] = subgroupAnd(x | 0xf0f0);
    outv[o + 6] = subgroupOr(x & 0xf0f0f0f0);
    outv[o + 7] = subgroupXor(x);
    outv[o + 8] = subgroupInclusiveAdd(x);
    outv[o + 9] = subgroupExclusiveAdd(x);
    outv[o + 10] = subgroupInclusiveMax(x);
    outv[o + 11] = subgroupMul(x | 1);
    outv[o + 12] = odd.x;
    outv[o + 13] = subgroupBallotBitCount(odd);
    outv[o + 14] = subgroupBallotExclusiveBitCount(odd);
    outv[o + 15] = subgroupBallotFindLSB(odd);
    outv[o + 16] = (subgroupAll(x != 0) ? 1 : 0) |
        (subgroupAny(x == 0) ? 2 : 0) |
        (subgroupAllEqual(x) ? 4 : 0) |
        (subgroupAllEqual(inv[0]) ? 8 : 0);
    outv[o + 17] = subgroupBroadcast(x, 3);
    outv[o + 18] = subgroupBroadcastFirst(x);
    outv[o + 19] = subgroupShuffle(x, (l * 5 + 1) % gl_SubgroupSize);
    outv[o + 20] = subgroupShuffleXor(x, 3);
    // Lanes without a source get an undefined value.
    uint up = subgroupShuffleUp(x, 1), down = subgroupShuffleDown(x, 2);
    outv[o + 21] = l > 0 ? up : 0;
    outv[o + 22] = l + 2 < gl_SubgroupSize ? down : 0;
    outv[o + 23] = subgroupClusteredAdd(x, 4);
    outv[o + 24] = subgroupQuadBroadcast(x, 2);
    outv[o + 25] = subgroupQuadSwapHorizontal(x);
    outv[o + 26] = subgroupQuadSwapVertical(x);
    outv[o + 27] = subgroupQuadSwapDiagonal(x);
    outv[o + 28] = subgroupElect() ? 1 : 0;
    // Only some take part.
    outv[o + 29] = 0;
    if ((x & 1) != 0)
        outv[o + 29] = subgroupAdd(x);
    outv[o + 30] = gl_SubgroupLtMask.x;
    outv[o + 31] = gl_SubgroupGeMask.x;
}
