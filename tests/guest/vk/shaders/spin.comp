// variant: spin
// variant: hang -DENDLESS
// SPDX-License-Identifier: GPL-2.0-or-later
// Takes long, or for ever: the loop's end is in memory that nobody changes.
#version 450
layout(local_size_x = 32) in;
layout(push_constant) uniform P { uint steps; };
layout(binding = 0, std430) volatile buffer Data { uint v[]; };
void main()
{
    uint x = gl_GlobalInvocationID.x;
#ifdef ENDLESS
    while (v[0] != 0xffffffff)
        v[1] = ++x;
#else
    for (uint i = 0; i < steps; i++)
        x = x * 1664525 + 1013904223;
#endif
    v[gl_GlobalInvocationID.x + 2] = x;
}
