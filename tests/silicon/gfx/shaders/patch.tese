// SPDX-License-Identifier: GPL-2.0-or-later
// The surface bulges, and shows where a vertex lies in the patch.
#version 450
layout(quads, equal_spacing, ccw) in;
layout(location = 0) out vec4 shade;
void main()
{
    vec2 t = gl_TessCoord.xy;
    vec4 p = mix(mix(gl_in[0].gl_Position, gl_in[1].gl_Position, t.x),
                 mix(gl_in[2].gl_Position, gl_in[3].gl_Position, t.x), t.y);
    float bulge = t.x * (1.0 - t.x) * t.y * (1.0 - t.y);
    gl_Position = p + vec4(bulge, bulge * 2.0, 0.0, 0.0);
    shade = vec4(t, 4.0 * bulge, 1.0);
}
