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

/* What TURING_A adds to the methods that all classes have. */
extern const MethodName vgsp_threed_names[];
extern const size_t vgsp_threed_names_count;

#endif
