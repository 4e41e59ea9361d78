// SPDX-License-Identifier: GPL-2.0-or-later
// v[i] = v[i] * m + a, so that order and count of dispatches show.
#version 450
layout(local_size_x = 64) in;
layout(push_constant) uniform P { uint m, a; };
layout(binding = 0, std430) buffer Data { uint v[]; };
void main()
{
    v[gl_GlobalInvocationID.x] = v[gl_GlobalInvocationID.x] * m + a;
}
