// variant: atomics32 -DS=int -DU=uint
// variant: atomics64 -DS=int64_t -DU=uint64_t -DWIDE
// SPDX-License-Identifier: GPL-2.0-or-later
// Atomic operations in memory and in shared memory; what they return is
// gathered so that it does not depend on the order.
#version 450
#ifdef WIDE
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#endif
layout(local_size_x = 128) in;
layout(binding = 0, std430) readonly buffer In { U inv[]; };
layout(binding = 1, std430) buffer Result { U r[16]; };
layout(binding = 2, std430) buffer Signed { S s[4]; };
layout(binding = 3, std430) buffer Seen { uint seen[]; };
layout(binding = 4, std430) buffer Groups { U groups[]; };
shared U t[8];
shared S ts[2];
void main()
{
    uint i = gl_GlobalInvocationID.x;
    U x = inv[i];
    // Each ticket is given out once.
    seen[uint(atomicAdd(r[0], U(1)))] += 1;
    atomicAdd(r[1], x);
    atomicMin(r[2], x);
    atomicMax(r[3], x);
    atomicAnd(r[4], x | U(0xff00ff));
    atomicOr(r[5], x & ~U(0xff));
    atomicXor(r[6], x);
    // What is exchanged is in flight once: all sums up.
    atomicAdd(r[7], atomicExchange(r[8], x));
    U old = r[9], got;
    do {
        got = old;
        old = atomicCompSwap(r[9], got, got * U(3) + U(1));
    } while (old != got);
    atomicMin(s[0], S(x));
    atomicMax(s[1], S(x));
    atomicAdd(s[2], -S(x));

    if (gl_LocalInvocationIndex == 0) {
        t[0] = t[1] = t[3] = t[4] = t[5] = U(0);
        t[2] = t[6] = ~U(0);
        ts[0] = ts[1] = S(0);
    }
    barrier();
    atomicAdd(t[0], x);
    atomicMax(t[1], x);
    atomicMin(t[2], x);
    atomicOr(t[3], x);
    atomicXor(t[4], x);
    atomicAdd(t[5], U(1));
    atomicAnd(t[6], x);
    atomicMin(ts[0], S(x));
    atomicMax(ts[1], S(x));
    barrier();
    uint l = gl_LocalInvocationIndex, g = gl_WorkGroupID.x * 9;
    if (l < 7)
        groups[g + l] = t[l];
    else if (l < 9)
        groups[g + l] = U(ts[l - 7]);
}
