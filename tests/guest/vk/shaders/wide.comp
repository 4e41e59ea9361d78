// SPDX-License-Identifier: GPL-2.0-or-later
// Conversions to and from 64-bit types.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer A { int64_t a[]; };
layout(binding = 1, std430) writeonly buffer Out { uint64_t outv[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 8;
    int64_t x = a[i];
    double d = double(x);
    outv[o + 0] = doubleBitsToUint64(d);
    outv[o + 1] = doubleBitsToUint64(double(uint64_t(x)));
    outv[o + 2] = uint64_t(int64_t(d / 1024.0));
    outv[o + 3] = uint64_t(floatBitsToUint(float(x)));
    // Mesa turns double(float(x)) into double(x).
    float f = uintBitsToFloat(uint(x) & 0x807fffffu | 0x41000000u);
    outv[o + 4] = doubleBitsToUint64(double(f));
    outv[o + 5] = uint64_t(int64_t(int(x)));
    outv[o + 6] = uint64_t(uint(x));
    outv[o + 7] = uint64_t(int64_t(float(int(x)) / 256.0));
}
