// SPDX-License-Identifier: GPL-2.0-or-later
// Texel buffers: converts unorm texels to floats and integers back.
#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform samplerBuffer src;
layout(binding = 1, rgba32f) uniform writeonly imageBuffer dst;
layout(binding = 2, r32ui) uniform uimageBuffer words;
void main()
{
    int i = int(gl_GlobalInvocationID.x);
    if (i >= textureSize(src))
        return;
    imageStore(dst, i, texelFetch(src, i) * 255.0);
    imageStore(words, i, uvec4(imageLoad(words, i).x * 3 + 1));
}
