// SPDX-License-Identifier: GPL-2.0-or-later
// Divergent control flow: nested loops, breaks, switches, early returns.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) buffer Out { uint outv[]; };
uint collatz(uint n)
{
    uint steps = 0;
    while (n != 1) {
        n = (n & 1) == 0 ? n / 2 : 3 * n + 1;
        if (++steps > 500)
            return 999;
    }
    return steps;
}
void main()
{
    uint i = gl_GlobalInvocationID.x, v = 0;
    for (uint a = 0; a < i % 7; a++) {
        for (uint b = 0; b < 10; b++) {
            if (b == i % 5)
                continue;
            if (a * b > i % 23)
                break;
            v += a * 31 + b;
        }
        if (v > 300)
            break;
    }
    switch (i % 9) {
    case 0:
        v += 1;
    case 1:
        v ^= 0x55;
        break;
    case 4:
        v = v * 3 + collatz(i + 1);
        break;
    case 5:
        outv[i] = 0xdead;
        return;
    case 7:
        do {
            v += 7;
        } while (v % 16 != 0);
        break;
    default:
        v += collatz(i + 1) << 8;
    }
    outv[i] = v;
}
