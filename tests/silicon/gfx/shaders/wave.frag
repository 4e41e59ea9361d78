// SPDX-License-Identifier: GPL-2.0-or-later
// Special functions, derivatives, discard and the position of the fragment.
#version 450
layout(location = 0) in vec4 shade;
layout(location = 1) in vec2 at;
layout(location = 0) out vec4 color;
void main()
{
    vec2 p = at * 6.2831853;
    float r = length(at - 0.5);
    // Before the discard: what they are afterwards, where a neighbour is gone,
    // is undefined.
    vec2 d = vec2(dFdx(at.x), dFdy(at.y)) * 32.0;
    if (r < 0.1)
        discard;
    color = vec4(0.5 + 0.5 * sin(p.x), 0.5 + 0.5 * cos(p.y),
                 d.x + d.y, 1.0) * shade;
    color.b = mix(color.b, sqrt(r), 0.5);
    if ((int(gl_FragCoord.x) & 16) != 0)
        color.rgb = exp2(-3.0 * color.rgb);
}
