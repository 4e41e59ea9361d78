// SPDX-License-Identifier: GPL-2.0-or-later
// A square patch, divided more on one side than on the other.
#version 450
layout(vertices = 4) out;
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    if (gl_InvocationID == 0) {
        gl_TessLevelInner[0] = 6.0;
        gl_TessLevelInner[1] = 4.0;
        gl_TessLevelOuter[0] = 8.0;
        gl_TessLevelOuter[1] = 3.0;
        gl_TessLevelOuter[2] = 5.0;
        gl_TessLevelOuter[3] = 7.0;
    }
}
