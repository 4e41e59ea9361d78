// SPDX-License-Identifier: GPL-2.0-or-later
// A texel of binding 0.
// variant: texture_frag
// variant: texture_lod_frag -DLOD
// variant: texture_3d_frag -DVOLUME
// variant: texture_cube_frag -DCUBE
// variant: texture_array_frag -DARRAY
#version 450
layout(push_constant) uniform P { vec4 rect; vec4 color; vec4 uv; float z; };
#if defined(VOLUME)
layout(binding = 0) uniform sampler3D tex;
#elif defined(CUBE)
layout(binding = 0) uniform samplerCube tex;
#elif defined(ARRAY)
layout(binding = 0) uniform sampler2DArray tex;
#else
layout(binding = 0) uniform sampler2D tex;
#endif
layout(location = 0) in vec4 shade;
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 result;
void main()
{
#if defined(LOD)
    result = textureLod(tex, at, color.x);
#elif defined(VOLUME)
    result = texture(tex, vec3(at, color.x));
#elif defined(CUBE)
    // The faces unfolded: color.x is the one.
    vec2 p = at * 2.0 - 1.0;
    int face = int(color.x);
    vec3 d = face == 0 ? vec3(1, -p.y, -p.x) : face == 1 ? vec3(-1, -p.y, p.x)
           : face == 2 ? vec3(p.x, 1, p.y) : face == 3 ? vec3(p.x, -1, -p.y)
           : face == 4 ? vec3(p.x, -p.y, 1) : vec3(-p.x, -p.y, -1);
    result = texture(tex, d);
#elif defined(ARRAY)
    result = texture(tex, vec3(at, color.x));
#else
    result = texture(tex, at) * shade;
#endif
}
