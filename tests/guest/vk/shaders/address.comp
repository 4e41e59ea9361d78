// SPDX-License-Identifier: GPL-2.0-or-later
// Follows a chain of addresses in memory; writes through the last.
#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
layout(local_size_x = 32) in;
layout(buffer_reference, std430, buffer_reference_align = 8) buffer Node {
    uint64_t next;
    uint value, pad;
};
layout(push_constant) uniform P { uint64_t first, result; uint steps; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words {
    uint v[];
};
void main()
{
    uint i = gl_LocalInvocationIndex, sum = 0;
    Node n = Node(first);
    for (uint s = 0; s < steps + i; s++) {
        sum = sum * 3 + n.value;
        n = Node(n.next);
    }
    Words(result).v[i] = sum;
}
