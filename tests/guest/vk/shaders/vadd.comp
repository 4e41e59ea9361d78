// SPDX-License-Identifier: GPL-2.0-or-later
// c = a + b
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform P { uint n; };
layout(binding = 0, std430) readonly buffer A { float a[]; };
layout(binding = 1, std430) readonly buffer B { float b[]; };
layout(binding = 2, std430) writeonly buffer C { float c[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < n)
        c[i] = a[i] + b[i];
}
