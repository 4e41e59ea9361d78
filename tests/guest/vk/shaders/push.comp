// SPDX-License-Identifier: GPL-2.0-or-later
// Copies push constants, by static and by dynamic index.
#version 450
layout(local_size_x = 32) in;
layout(push_constant) uniform P { uint v[32]; };
layout(binding = 0, std430) buffer Out { uint outv[]; };
void main()
{
    uint i = gl_LocalInvocationIndex;
    outv[i] = v[i];
    outv[32 + i] = v[31 - i] ^ v[3] ^ v[29];
}
