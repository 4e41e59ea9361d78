// SPDX-License-Identifier: GPL-2.0-or-later
// Specialisation constants of each type, and what is computed from them.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint u = 7;
layout(constant_id = 2) const int s = -3;
layout(constant_id = 3) const float f = 0.5;
layout(constant_id = 4) const bool b = false;
layout(constant_id = 5) const uint length = 4;
layout(constant_id = 6) const uint left_alone = 99;
layout(binding = 0, std430) buffer Out { uint outv[]; };
void main()
{
    uint table[length];
    uint i = gl_LocalInvocationIndex;
    for (uint j = 0; j < length; j++)
        table[j] = (j + 1) * u;
    outv[8 * i] = u + i;
    outv[8 * i + 1] = uint(s * 2);
    outv[8 * i + 2] = floatBitsToUint(f);
    outv[8 * i + 3] = b ? 1 : 2;
    outv[8 * i + 4] = table[i % length];
    outv[8 * i + 5] = gl_WorkGroupSize.x;
    outv[8 * i + 6] = left_alone;
    outv[8 * i + 7] = length;
}
