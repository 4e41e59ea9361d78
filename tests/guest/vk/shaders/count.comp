// SPDX-License-Identifier: GPL-2.0-or-later
// Counts groups and invocations; keeps the largest grid.
#version 450
layout(local_size_x = 8) in;
layout(binding = 0, std430) buffer Out { uint count[4]; };
void main()
{
    atomicAdd(count[0], 1);
    if (gl_LocalInvocationIndex == 0)
        atomicAdd(count[1], 1);
    atomicMax(count[2], gl_NumWorkGroups.x | gl_NumWorkGroups.y << 8 |
                        gl_NumWorkGroups.z << 16);
    atomicAdd(count[3], gl_WorkGroupID.x + 100 * gl_WorkGroupID.y +
                        10000 * gl_WorkGroupID.z);
}
