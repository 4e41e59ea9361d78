// SPDX-License-Identifier: GPL-2.0-or-later
// The functions that hardware approximates.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer A { float a[]; };
layout(binding = 1, std430) writeonly buffer Out { float outv[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 8;
    float x = a[i];
    outv[o + 0] = sin(x);
    outv[o + 1] = cos(x);
    outv[o + 2] = exp2(x);
    outv[o + 3] = log2(abs(x) + 2.5);
    outv[o + 4] = 1.0 / x;
    outv[o + 5] = atan(x);
    outv[o + 6] = fract(x);
    outv[o + 7] = pow(abs(x) + 2.5, 1.75);
}
