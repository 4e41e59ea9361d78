// SPDX-License-Identifier: GPL-2.0-or-later
// Image atomics: a histogram, and a maximum.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0, r32ui) uniform uimage2D histogram;
layout(binding = 1, r32i) uniform iimage2D most;
layout(binding = 2, std430) readonly buffer In { uint inv[]; };
void main()
{
    uint x = inv[gl_GlobalInvocationID.x];
    ivec2 at = ivec2(x & 15, x >> 4 & 7);
    imageAtomicAdd(histogram, at, 1u);
    imageAtomicMax(most, at, int(x >> 8));
}
