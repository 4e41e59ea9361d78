/*
 * Tables of method names, inside common/nv.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef COMMON_NV_METHOD_NAMES_H
#define COMMON_NV_METHOD_NAMES_H

#include "vgsp/nv/method-names.h"

typedef struct MethodName {
    uint16_t method;            /* bytes */
    const char *name;
    uint16_t count;             /* of an array; 0: not one */
    uint16_t stride;            /* bytes */
} MethodName;

#define M(method, name)                 { method, name, 0, 0 }
#define A(method, name, count, stride)  { method, name, count, stride }
#define FALCONS(m) \
    M((m) + 0x00, "SET_FALCON00"), M((m) + 0x04, "SET_FALCON01"), \
    M((m) + 0x08, "SET_FALCON02"), M((m) + 0x0c, "SET_FALCON03"), \
    M((m) + 0x10, "SET_FALCON04"), M((m) + 0x14, "SET_FALCON05"), \
    M((m) + 0x18, "SET_FALCON06"), M((m) + 0x1c, "SET_FALCON07"), \
    M((m) + 0x20, "SET_FALCON08"), M((m) + 0x24, "SET_FALCON09"), \
    M((m) + 0x28, "SET_FALCON10"), M((m) + 0x2c, "SET_FALCON11"), \
    M((m) + 0x30, "SET_FALCON12"), M((m) + 0x34, "SET_FALCON13"), \
    M((m) + 0x38, "SET_FALCON14"), M((m) + 0x3c, "SET_FALCON15"), \
    M((m) + 0x40, "SET_FALCON16"), M((m) + 0x44, "SET_FALCON17"), \
    M((m) + 0x48, "SET_FALCON18"), M((m) + 0x4c, "SET_FALCON19"), \
    M((m) + 0x50, "SET_FALCON20"), M((m) + 0x54, "SET_FALCON21"), \
    M((m) + 0x58, "SET_FALCON22"), M((m) + 0x5c, "SET_FALCON23"), \
    M((m) + 0x60, "SET_FALCON24"), M((m) + 0x64, "SET_FALCON25"), \
    M((m) + 0x68, "SET_FALCON26"), M((m) + 0x6c, "SET_FALCON27"), \
    M((m) + 0x70, "SET_FALCON28"), M((m) + 0x74, "SET_FALCON29"), \
    M((m) + 0x78, "SET_FALCON30"), M((m) + 0x7c, "SET_FALCON31")

/* What TURING_A adds to the methods that all classes have. */
extern const MethodName vgsp_threed_names[];
extern const size_t vgsp_threed_names_count;

#endif
