// SPDX-License-Identifier: GPL-2.0-or-later
// A ticket lock that the first lane of each group takes: fair scheduling.
#version 450
#extension GL_KHR_memory_scope_semantics : require
#pragma use_vulkan_memory_model
layout(local_size_x = 32) in;
layout(binding = 0, std430) coherent buffer Lock { uint next, serving, value, sum; };
void main()
{
    if (gl_LocalInvocationIndex != 0)
        return;
    uint ticket = atomicAdd(next, 1);
    for (uint i = 0; i < 1000000; i++) {
        if (atomicLoad(serving, gl_ScopeDevice, gl_StorageSemanticsBuffer,
                       gl_SemanticsAcquire) == ticket) {
            value = value * 5 + 1;
            sum += ticket;
            atomicStore(serving, ticket + 1, gl_ScopeDevice,
                        gl_StorageSemanticsBuffer, gl_SemanticsRelease);
            return;
        }
    }
}
