// variant: fetch_float -DSAMPLER=sampler2D -DVEC=vec4 -DBITS=floatBitsToUint
// variant: fetch_uint -DSAMPLER=usampler2D -DVEC=uvec4 -DBITS=uvec4
// variant: fetch_int -DSAMPLER=isampler2D -DVEC=ivec4 -DBITS=uvec4
// SPDX-License-Identifier: GPL-2.0-or-later
// Fetches each texel of each level, as the shader sees it; asks sizes.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant) uniform P { uint level, width, height, first; };
layout(binding = 0) uniform SAMPLER tex;
layout(binding = 1, std430) writeonly buffer Out { uvec4 outv[]; };
void main()
{
    uvec2 g = gl_GlobalInvocationID.xy;
    if (g.x < width && g.y < height)
        outv[first + g.y * width + g.x] =
            BITS(texelFetch(tex, ivec2(g), int(level)));
    if (g == uvec2(0))
        outv[first + width * height] =
            uvec4(textureSize(tex, int(level)), textureQueryLevels(tex), 0);
}
