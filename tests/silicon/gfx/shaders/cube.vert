// SPDX-License-Identifier: GPL-2.0-or-later
// Position and texture coordinates, turned by a matrix.
#version 450
layout(push_constant) uniform P { mat4 turn; };
layout(location = 0) in vec3 position;
layout(location = 1) in vec2 uv;
layout(location = 0) out vec4 shade;
layout(location = 1) out vec2 at;
void main()
{
    gl_Position = turn * vec4(position, 1.0);
    shade = vec4(1.0);
    at = uv;
}
