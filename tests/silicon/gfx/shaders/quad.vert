// SPDX-License-Identifier: GPL-2.0-or-later
// A rectangle: a strip of four vertices without any vertex buffer.
#version 450
layout(push_constant) uniform P { vec4 rect; vec4 color; vec4 uv; float z; };
layout(location = 0) out vec4 shade;
layout(location = 1) out vec2 at;
void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(mix(rect.xy, rect.zw, corner), z, 1.0);
    shade = color;
    at = mix(uv.xy, uv.zw, corner);
}
