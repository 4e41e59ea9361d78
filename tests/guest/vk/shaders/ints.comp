// variant: int8 -DS=int8_t -DU=uint8_t -DBITS=8
// variant: int16 -DS=int16_t -DU=uint16_t -DBITS=16
// variant: int32 -DS=int -DU=uint -DBITS=32
// variant: int64 -DS=int64_t -DU=uint64_t -DBITS=64
// SPDX-License-Identifier: GPL-2.0-or-later
// Integer operations on every pair; results of one pair lie together.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 64) in;
layout(binding = 0, std430) readonly buffer A { U a[]; };
layout(binding = 1, std430) readonly buffer B { U b[]; };
layout(binding = 2, std430) writeonly buffer Out { U outv[]; };
void main()
{
    uint i = gl_GlobalInvocationID.x, o = i * 20;
    U x = a[i], y = b[i];
    S sx = S(x), sy = S(y);
    U amount = y & U(BITS - 1);
    outv[o + 0] = x + y;
    outv[o + 1] = x - y;
    outv[o + 2] = x * y;
    outv[o + 3] = y != U(0) ? x / y : U(1);
    outv[o + 4] = y != U(0) ? x % y : U(2);
    // The least number by -1 overflows.
    bool bad = sy == S(0) || sy == S(-1);
    outv[o + 5] = U(bad ? S(3) : sx / sy);
    // A remainder of negative numbers is undefined in GLSL.
    outv[o + 6] = U(bad || sx < S(0) || sy < S(0) ? S(4) : sx % sy);
    outv[o + 7] = x & y;
    outv[o + 8] = x | ~y;
    outv[o + 9] = x ^ y;
    outv[o + 10] = x << amount;
    outv[o + 11] = x >> amount;
    outv[o + 12] = U(sx >> S(amount));
    outv[o + 13] = min(x, y);
    outv[o + 14] = max(x, y);
    outv[o + 15] = U(min(sx, sy));
    outv[o + 16] = U(max(sx, sy));
    outv[o + 17] = U(-sx);
    outv[o + 18] = U(abs(sx));
    outv[o + 19] = U((x < y ? 1 : 0) | (sx < sy ? 2 : 0) | (x == y ? 4 : 0) |
                     (sx >= sy ? 8 : 0));
}
