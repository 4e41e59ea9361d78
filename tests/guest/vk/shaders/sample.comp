// variant: sample1d -DSAMPLER=sampler1D -DAT=p.x
// variant: sample2d -DSAMPLER=sampler2D -DAT=p.xy
// variant: sample3d -DSAMPLER=sampler3D -DAT=p.xyz
// variant: samplearray -DSAMPLER=sampler2DArray -DAT=p.xyz
// variant: samplecube -DSAMPLER=samplerCube -DAT=p.xyz
// SPDX-License-Identifier: GPL-2.0-or-later
// Samples at the coordinates of a list; the fourth is the level of detail.
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform P { uint n; };
layout(binding = 0) uniform SAMPLER tex;
layout(binding = 1, std430) readonly buffer In { vec4 inv[]; };
layout(binding = 2, std430) writeonly buffer Out { vec4 outv[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i >= n)
        return;
    vec4 p = inv[i];
    outv[i] = textureLod(tex, AT, p.w);
}
