// variant: simage2d_r32ui -DIMAGE=uimage2D -DFORMAT=r32ui -DTEXEL=uvec4 -DCOORD=ivec2(g.xy) -DSIZE=imageSize(src).y
// variant: simage2d_rgba8 -DIMAGE=image2D -DFORMAT=rgba8 -DTEXEL=vec4 -DCOORD=ivec2(g.xy) -DSIZE=imageSize(src).y
// variant: simage2d_rgba8ui -DIMAGE=uimage2D -DFORMAT=rgba8ui -DTEXEL=uvec4 -DCOORD=ivec2(g.xy) -DSIZE=imageSize(src).y
// variant: simage2d_rgba16f -DIMAGE=image2D -DFORMAT=rgba16f -DTEXEL=vec4 -DCOORD=ivec2(g.xy) -DSIZE=imageSize(src).y
// variant: simage2d_rgba32f -DIMAGE=image2D -DFORMAT=rgba32f -DTEXEL=vec4 -DCOORD=ivec2(g.xy) -DSIZE=imageSize(src).y
// variant: simage2d_r32f -DIMAGE=image2D -DFORMAT=r32f -DTEXEL=vec4 -DCOORD=ivec2(g.xy) -DSIZE=imageSize(src).y
// variant: simage2d_rgba16i -DIMAGE=iimage2D -DFORMAT=rgba16i -DTEXEL=ivec4 -DCOORD=ivec2(g.xy) -DSIZE=imageSize(src).y
// variant: simage2d_r8 -DIMAGE=image2D -DFORMAT=r8 -DTEXEL=vec4 -DCOORD=ivec2(g.xy) -DSIZE=imageSize(src).y
// variant: simage2d_rg16ui -DIMAGE=uimage2D -DFORMAT=rg16ui -DTEXEL=uvec4 -DCOORD=ivec2(g.xy) -DSIZE=imageSize(src).y
// variant: simage1d -DIMAGE=uimage1D -DFORMAT=r32ui -DTEXEL=uvec4 -DCOORD=int(g.x) -DSIZE=imageSize(src)
// variant: simage3d -DIMAGE=uimage3D -DFORMAT=r32ui -DTEXEL=uvec4 -DCOORD=ivec3(g) -DSIZE=imageSize(src).y
// variant: simagearray -DIMAGE=uimage2DArray -DFORMAT=r32ui -DTEXEL=uvec4 -DCOORD=ivec3(g) -DSIZE=imageSize(src).y
// SPDX-License-Identifier: GPL-2.0-or-later
// Loads each texel of one image, changes it, and stores it into another;
// stores outside must vanish.
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0, FORMAT) uniform readonly IMAGE src;
layout(binding = 1, FORMAT) uniform writeonly IMAGE dst;
layout(binding = 2, std430) buffer Size { uint size[3]; };
void main()
{
    uvec3 g = gl_GlobalInvocationID;
    TEXEL t = imageLoad(src, COORD);
    imageStore(dst, COORD, TEXEL(t.x, t.zyw));
    if (g == uvec3(0)) {
        size[0] = uint(SIZE);
    }
}
