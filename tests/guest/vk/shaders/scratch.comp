// SPDX-License-Identifier: GPL-2.0-or-later
// A private array with dynamic indices: each invocation sorts its own.
#version 450
layout(local_size_x = 32) in;
layout(binding = 0, std430) readonly buffer In { uint inv[]; };
layout(binding = 1, std430) writeonly buffer Out { uint outv[]; };
void main()
{
    uint a[64];
    uint base = gl_GlobalInvocationID.x * 64;
    for (uint i = 0; i < 64; i++)
        a[i] = inv[base + i];
    for (uint i = 1; i < 64; i++) {
        uint v = a[i], j = i;
        for (; j > 0 && a[j - 1] > v; j--)
            a[j] = a[j - 1];
        a[j] = v;
    }
    for (uint i = 0; i < 64; i++)
        outv[base + i] = a[i];
}
