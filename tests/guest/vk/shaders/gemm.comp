// SPDX-License-Identifier: GPL-2.0-or-later
// C = A * B, row major, in tiles of 16 by 16 in shared memory.
#version 450
layout(local_size_x = 16, local_size_y = 16) in;
layout(push_constant) uniform P { uint m, n, k; };
layout(binding = 0, std430) readonly buffer A { float a[]; };
layout(binding = 1, std430) readonly buffer B { float b[]; };
layout(binding = 2, std430) writeonly buffer C { float c[]; };
shared float ta[16][16], tb[16][16];
void main()
{
    uint x = gl_LocalInvocationID.x, y = gl_LocalInvocationID.y;
    uint col = gl_GlobalInvocationID.x, row = gl_GlobalInvocationID.y;
    float sum = 0;
    for (uint t = 0; t < k; t += 16) {
        ta[y][x] = row < m && t + x < k ? a[row * k + t + x] : 0;
        tb[y][x] = t + y < k && col < n ? b[(t + y) * n + col] : 0;
        barrier();
        for (uint i = 0; i < 16; i++)
            sum += ta[y][i] * tb[i][x];
        barrier();
    }
    if (row < m && col < n)
        c[row * n + col] = sum;
}
