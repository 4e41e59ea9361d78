// variant: float32 -DF=float
// variant: float64 -DF=double
// variant: float16 -DF=float16_t
// SPDX-License-Identifier: GPL-2.0-or-later
// Operations that are correctly rounded, and those that have a bound.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer A { F a[]; };
layout(binding = 1, std430) readonly buffer B { F b[]; };
layout(binding = 2, std430) writeonly buffer Out { F outv[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 16;
    precise F x = a[i], y = b[i];
    precise F sum = x + y, difference = x - y, product = x * y;
    outv[o + 0] = sum;
    outv[o + 1] = difference;
    outv[o + 2] = product;
    outv[o + 3] = min(x, y);
    outv[o + 4] = max(x, y);
    outv[o + 5] = abs(x);
    outv[o + 6] = -y;
    outv[o + 7] = floor(x);
    outv[o + 8] = ceil(x);
    outv[o + 9] = trunc(x);
    outv[o + 10] = roundEven(x);
    outv[o + 11] = x < y ? x : y;
    precise F f = fma(x, y, F(1.5));
    outv[o + 12] = f;
    precise F q = x / y;
    outv[o + 13] = q;
    outv[o + 14] = sqrt(abs(x));
    outv[o + 15] = inversesqrt(abs(y));
}
