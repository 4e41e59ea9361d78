// SPDX-License-Identifier: GPL-2.0-or-later
// Reads and writes past the end of a buffer, by robust access.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) buffer Small { uint small[]; };
layout(binding = 1, std430) buffer Out { uint outv[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x;
    outv[2 * i] = small.length();
    outv[2 * i + 1] = small[i];
    small[i + 64] = 0xbad;
}
