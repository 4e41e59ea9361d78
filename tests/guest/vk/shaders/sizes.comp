// SPDX-License-Identifier: GPL-2.0-or-later
// Writes the sizes of the next, indirect dispatches.
#version 450
layout(local_size_x = 1) in;
layout(binding = 0, std430) buffer Args { uint v[]; };
void main()
{
    for (uint i = 0; i < 4; i++) {
        v[4 * i] = i + 1;
        v[4 * i + 1] = i == 2 ? 0 : i + 1;
        v[4 * i + 2] = 1 + i % 2;
    }
}
