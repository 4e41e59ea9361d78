// SPDX-License-Identifier: GPL-2.0-or-later
// Float additions of integers: exact in any order.
#version 450
#extension GL_EXT_shader_atomic_float : require
layout(local_size_x = 128) in;
layout(binding = 0, std430) readonly buffer In { float inv[]; };
layout(binding = 1, std430) buffer Out { float outv[2]; };
void main()
{
    atomicAdd(outv[0], inv[gl_GlobalInvocationID.x]);
    atomicExchange(outv[1], 42.0);
}
