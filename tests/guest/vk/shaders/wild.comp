// SPDX-License-Identifier: GPL-2.0-or-later
// Writes where nothing is mapped.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words {
    uint v[];
};
layout(push_constant) uniform P { uint64_t where; };
layout(binding = 0, std430) buffer Out { uint outv[]; };
void main()
{
    Words(where).v[gl_LocalInvocationIndex] = 1;
    outv[gl_LocalInvocationIndex] = 1;
}
