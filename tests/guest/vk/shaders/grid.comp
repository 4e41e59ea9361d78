// SPDX-License-Identifier: GPL-2.0-or-later
// Each invocation tells who it is, at its place in the grid.
#version 450
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(binding = 0, std430) buffer Out { uint outv[]; };
void main()
{
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
    uvec3 g = gl_GlobalInvocationID;
    uint i = (g.z * size.y + g.y) * size.x + g.x;
    uvec3 w = gl_WorkGroupID, l = gl_LocalInvocationID;
    outv[4 * i] += g.x | g.y << 10 | g.z << 20;
    outv[4 * i + 1] += w.x | w.y << 10 | w.z << 20;
    outv[4 * i + 2] += l.x | l.y << 10 | l.z << 20;
    outv[4 * i + 3] += gl_LocalInvocationIndex + 1;
}
