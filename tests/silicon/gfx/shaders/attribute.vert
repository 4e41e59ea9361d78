// SPDX-License-Identifier: GPL-2.0-or-later
// A cell whose colour is the attribute, scaled.
// variant: attribute_float_vert -DTYPE=vec4
// variant: attribute_int_vert -DTYPE=ivec4
// variant: attribute_uint_vert -DTYPE=uvec4
#version 450
layout(push_constant) uniform P { vec4 rect; vec4 scale; vec4 bias; };
layout(location = 0) in TYPE value;
layout(location = 0) out vec4 shade;
void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(mix(rect.xy, rect.zw, corner), 0.0, 1.0);
    shade = vec4(value) * scale + bias;
    // Without an alpha of its own the attribute's is 1: seen in blue.
    shade = vec4(shade.rg, 0.5 * shade.b + 0.5 * shade.a, 1.0);
}
