// SPDX-License-Identifier: GPL-2.0-or-later
// Conversions between 32-bit types, of values that the results can hold.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer A { uint a[]; };
layout(binding = 1, std430) writeonly buffer Out { uint outv[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 12;
    uint x = a[i];
    float f = float(int(x)) / 65536.0;
    outv[o + 0] = floatBitsToUint(float(x));
    outv[o + 1] = floatBitsToUint(float(int(x)));
    outv[o + 2] = uint(int(f));
    outv[o + 3] = uint(abs(f));
    outv[o + 4] = packHalf2x16(vec2(f, -f * 0.25));
    outv[o + 5] = floatBitsToUint(unpackHalf2x16(x & 0xbfff).x);
    outv[o + 6] = packSnorm4x8(vec4(f, f * 0.01, 0.25, -1));
    outv[o + 7] = packUnorm2x16(vec2(abs(f) / 32768.0, 0.75));
    outv[o + 8] = floatBitsToUint(unpackUnorm4x8(x).y);
    outv[o + 9] = f < 0 ? 1 : 0;
    outv[o + 10] = uint(int(roundEven(f)));
    outv[o + 11] = isnan(uintBitsToFloat(x | 0x7f800001u)) ? 1 : 0;
}
