// SPDX-License-Identifier: GPL-2.0-or-later
// Gathers, offsets and depth comparisons.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D tex;
layout(binding = 1) uniform sampler2DShadow depth;
layout(binding = 2, std430) readonly buffer In { vec4 inv[]; };
layout(binding = 3, std430) writeonly buffer Out { vec4 outv[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 p = inv[i];
    outv[4 * i] = textureGather(tex, p.xy, 0);
    outv[4 * i + 1] = textureGather(tex, p.xy, 2);
    outv[4 * i + 2] = textureLodOffset(tex, p.xy, 0, ivec2(1, -2));
    outv[4 * i + 3] = vec4(textureLod(depth, p.xyz, 0), 0, 0, 0);
}
