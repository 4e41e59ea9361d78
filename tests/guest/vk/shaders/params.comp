// variant: params_push -DBLOCK=push_constant -DBLOCK_LAYOUT=std430
// variant: params_ubo -DBLOCK=binding=1 -DBLOCK_LAYOUT=std140
// SPDX-License-Identifier: GPL-2.0-or-later
// Twelve parameters of mixed types, at the offsets that C gives them.
#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_8bit_storage : require
layout(local_size_x = 1) in;
struct Params {
    uint8_t a;
    int16_t b;
    int c;
    uint64_t d;
    float e;
    int8_t f;
    double g;
    vec2 h;
    uint16_t i;
    float j;
    ivec4 k;
    int64_t l;
};
layout(BLOCK, BLOCK_LAYOUT) uniform P { Params p; };
layout(binding = 0, std430) buffer Out { Params o; };
void main()
{
    o.a = p.a;
    o.b = p.b;
    o.c = p.c + 1;
    o.d = p.d;
    o.e = p.e * 2;
    o.f = p.f;
    o.g = p.g;
    o.h = p.h.yx;
    o.i = p.i;
    o.j = p.j;
    o.k = p.k.wzyx;
    o.l = p.l;
}
