// variant: fetchms_float -DSAMPLER=sampler2DMS -DBITS=floatBitsToUint
// variant: fetchms_uint -DSAMPLER=usampler2DMS -DBITS=uvec4
// SPDX-License-Identifier: GPL-2.0-or-later
// Fetches each sample of each texel.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant) uniform P { uint width, height, samples; };
layout(binding = 0) uniform SAMPLER tex;
layout(binding = 1, std430) writeonly buffer Out { uvec4 outv[]; };
void main()
{
    uvec2 g = gl_GlobalInvocationID.xy;
    if (g.x < width && g.y < height)
        for (uint s = 0; s < samples; s++)
            outv[(g.y * width + g.x) * samples + s] =
                BITS(texelFetch(tex, ivec2(g), int(s)));
}
