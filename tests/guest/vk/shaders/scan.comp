// SPDX-License-Identifier: GPL-2.0-or-later
// Inclusive prefix sum of 512 numbers a work group, barriers in a loop.
#version 450
layout(local_size_x = 512) in;
layout(binding = 0, std430) buffer Data { uint v[]; };
shared uint s[2][512];
void main()
{
    uint l = gl_LocalInvocationIndex, from = 0;
    s[0][l] = v[gl_GlobalInvocationID.x];
    barrier();
    for (uint d = 1; d < 512; d <<= 1) {
        s[1 - from][l] = s[from][l] + (l >= d ? s[from][l - d] : 0);
        from = 1 - from;
        barrier();
    }
    v[gl_GlobalInvocationID.x] = s[from][l];
}
