// SPDX-License-Identifier: GPL-2.0-or-later
// Bit fields, counts, wide products and carries of 32-bit numbers.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer A { uint a[]; };
layout(binding = 1, std430) readonly buffer B { uint b[]; };
layout(binding = 2, std430) writeonly buffer Out { uint outv[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 16;
    uint x = a[i], y = b[i], hi, lo, carry;
    int shi, slo;
    int offset = int(y & 31), bits = int(y >> 8) % (33 - offset);
    outv[o + 0] = bitfieldExtract(x, offset, bits);
    outv[o + 1] = uint(bitfieldExtract(int(x), offset, bits));
    outv[o + 2] = bitfieldInsert(x, y, offset, bits);
    outv[o + 3] = bitfieldReverse(x);
    outv[o + 4] = uint(bitCount(x));
    outv[o + 5] = uint(findLSB(x));
    outv[o + 6] = uint(findMSB(x));
    outv[o + 7] = uint(findMSB(int(x)));
    umulExtended(x, y, hi, lo);
    outv[o + 8] = hi;
    outv[o + 9] = lo;
    imulExtended(int(x), int(y), shi, slo);
    outv[o + 10] = uint(shi);
    outv[o + 11] = uaddCarry(x, y, carry);
    outv[o + 12] = carry;
    outv[o + 13] = usubBorrow(x, y, carry);
    outv[o + 14] = carry;
    outv[o + 15] = x * y + (x >> 3) * 5 - y;
}
