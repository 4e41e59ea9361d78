// SPDX-License-Identifier: GPL-2.0-or-later
// One partial sum a work group of 256, by a tree in shared memory.
#version 450
layout(local_size_x = 256) in;
layout(push_constant) uniform P { uint n; };
layout(binding = 0, std430) readonly buffer In { uint inv[]; };
layout(binding = 1, std430) buffer Out { uint outv[]; };
shared uint part[256];
void main()
{
    uint l = gl_LocalInvocationIndex, sum = 0;
    for (uint i = gl_GlobalInvocationID.x; i < n;
         i += gl_NumWorkGroups.x * 256)
        sum += inv[i];
    part[l] = sum;
    barrier();
    for (uint s = 128; s > 0; s >>= 1) {
        if (l < s)
            part[l] += part[l + s];
        barrier();
    }
    if (l == 0)
        outv[gl_WorkGroupID.x] = part[0];
}
