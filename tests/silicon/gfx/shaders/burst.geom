// SPDX-License-Identifier: GPL-2.0-or-later
// A point becomes a square.
#version 450
layout(points) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 shade[];
layout(location = 0) out vec4 result;
void main()
{
    for (int i = 0; i < 4; i++) {
        vec2 corner = vec2(i & 1, i >> 1) * 2.0 - 1.0;
        gl_Position = gl_in[0].gl_Position + vec4(corner * 0.11, 0.0, 0.0);
        result = shade[0] * (i == 3 ? 0.25 : 1.0);
        EmitVertex();
    }
    EndPrimitive();
}
