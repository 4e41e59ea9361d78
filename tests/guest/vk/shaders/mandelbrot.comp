// SPDX-License-Identifier: GPL-2.0-or-later
// The Mandelbrot set in fixed point, 13 bits of fraction: exact everywhere.
#version 450
layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant) uniform P { uint width, height, most; };
layout(binding = 0, std430) writeonly buffer Out { uint outv[]; };
void main()
{
    uvec2 g = gl_GlobalInvocationID.xy;
    if (g.x >= width || g.y >= height)
        return;
    int cx = int(g.x * 24576 / width) - 17408;
    int cy = int(g.y * 18432 / height) - 9216;
    int x = 0, y = 0;
    uint i = 0;
    while (i < most && x * x + y * y < 4 << 26) {
        int t = ((x * x - y * y) >> 13) + cx;
        y = ((x * y) >> 12) + cy;
        x = t;
        i++;
    }
    outv[g.y * width + g.x] = i;
}
