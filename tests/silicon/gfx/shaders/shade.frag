// SPDX-License-Identifier: GPL-2.0-or-later
// The colour that the stage before made.
#version 450
layout(location = 0) in vec4 shade;
layout(location = 0) out vec4 color;
void main()
{
    color = shade;
}
