// SPDX-License-Identifier: GPL-2.0-or-later
// Instances of a triangle, placed by what instance they are.
#version 450
layout(location = 0) in vec2 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 shade;
void main()
{
    float n = float(gl_InstanceIndex);
    vec2 at = vec2(mod(n, 4.0), floor(n / 4.0)) * 0.5 - 0.75;
    gl_Position = vec4(position * 0.2 + at, 0.0, 1.0);
    shade = vec4(color.rgb, 1.0) * (0.4 + 0.04 * n);
    shade.a = 1.0;
}
