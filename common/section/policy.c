/*
 * Which methods may be in a section: those of the public class headers
 * (NVIDIA's clc597.h, clc5c0.h, cla140.h, cl902d.h), and no others. Left out:
 * syncpoints, which such a chip lacks, and the release of a semaphore in
 * another GPU's memory. Added: what a driver sends to a class that lacks it.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "vgsp/section.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/mme.h"

/*
 * A class's methods: one bit each, 32 of them (0x80 bytes of addresses) a
 * word. The unit test holds these against the names (nv/method-names.c).
 */
#define METHOD_WORDS    ((NVC46F_DMA_METHOD_ADDRESS + 1) / 32)
#define WORD(method)    ((method) / 0x80)

static const uint32_t turing_a[METHOD_WORDS] = {
    [WORD(0x0000)] = 0x00000001,
    [WORD(0x0100)] = 0x003ff3ff, 0xf3803fff, 0xbfffffff, 0xefe0dfff,
    [WORD(0x0300)] = 0xffffffff, 0x1f1f1f1f, 0xffffffff, 0xffffffff,
    [WORD(0x0500)] = 0x3ff00006,
    [WORD(0x0600)] = 0xffffffff, 0xffffffff, 0x80277777, 0x7f8f17f0,
    [WORD(0x0800) ... WORD(0x0980)] = 0x03ff03ff,
    [WORD(0x0a00) ... WORD(0x0d00)] = 0xffffffff,
    [WORD(0x0d80)] = 0xf77fbfff, 0x77777777, 0x77777777, 0x00ffffe0,
    [WORD(0x0f80)] = 0x7fffffde, 0xffffffff, 0xfffff000, 0xff7ffffb,
    [WORD(0x1180)] = 0xffffffff, 0x3fffbfe6, 0x0ffffe17, 0xfffff7ff,
    [WORD(0x1380)] = 0x00003eff, 0x02306640, 0x77777777, 0xfbf0f5ff,
    [WORD(0x1580)] = 0xfe1cc3f0, 0xfcce4bf3, 0xffffa71f, 0xffffffff,
    [WORD(0x1780)] = 0x7fcc00b0, 0x80000000, 0xffffffff, 0xdc5f8bd0,
    [WORD(0x1980)] = 0xff3f8003, 0x0000f8ff,
    [WORD(0x1b00)] = 0x0000000f,
    [WORD(0x1c00) ... WORD(0x1d80)] = 0xffffffff,
    [WORD(0x1e00)] = 0x7f7f7f7f, 0x7f7f7f7f,
    [WORD(0x2000) ... WORD(0x2100)] = 0x01fd01fd,
    [WORD(0x2300)] = 0xffffffff, 0x000fffff, 0x1f1f1f1f, 0x0000001f,
    [WORD(0x2580)] = 0xc0000000, 0x00000005,
    [WORD(0x2a00)] = 0xffffffff, 0xffffffff,
    [WORD(0x3280)] = 0xe0000000, 0xffffffff, 0x0fffffff,
    [WORD(0x3400) ... WORD(0x3f80)] = 0xffffffff,
};

static const uint32_t turing_compute_a[METHOD_WORDS] = {
    [WORD(0x0000)] = 0x00000001,
    [WORD(0x0100)] = 0x003ff01f, 0xf7803fff, 0x17fefff7, 0x0e08f7d7,
    [WORD(0x0300)] = 0xffffffd0, 0xffffffff, 0x000000ff,
    [WORD(0x0500)] = 0xffffffff,
    [WORD(0x0780)] = 0x00003030,
    [WORD(0x0d80)] = 0x02ffff20,
    [WORD(0x1280)] = 0x00000404, 0x00007000,
    [WORD(0x1400)] = 0x00000200,
    [WORD(0x1500)] = 0xe3f00400,
    [WORD(0x1680)] = 0x00000040,
    [WORD(0x1900)] = 0x00020000,
    [WORD(0x1a00)] = 0x0000f800,
    [WORD(0x1b00)] = 0x0000000f,
    [WORD(0x2580)] = 0xc0000000, 0x00000004,
    [WORD(0x3280)] = 0xe0000000, 0xffffffff, 0x0fffffff,
    [WORD(0x3400) ... WORD(0x3780)] = 0xffffffff,
};

static const uint32_t kepler_inline_to_memory_b[METHOD_WORDS] = {
    [WORD(0x0000)] = 0x00000001,
    [WORD(0x0100)] = 0x0033f01f, 0xf3803fff, 0xffffffff,
    [WORD(0x1500)] = 0x00700000,
    [WORD(0x1900)] = 0x00020000,
    [WORD(0x3400) ... WORD(0x3780)] = 0xffffffff,
};

static const uint32_t fermi_twod_a[METHOD_WORDS] = {
    [WORD(0x0000)] = 0x00000001,
    [WORD(0x0100)] = 0x0031f3ff, 0x08000000,
    [WORD(0x0200) ... WORD(0x0480)] = 0xffffffff,
    [WORD(0x0500)] = 0x3fffffff, 0x0100000f,
    [WORD(0x0600) ... WORD(0x0780)] = 0xffffffff,
    [WORD(0x0800)] = 0x11ffc0ff, 0xfffff00f, 0x00ffffff,
    [WORD(0x0d80)] = 0x08000000,
    [WORD(0x3400) ... WORD(0x3f80)] = 0xffffffff,
};

static const uint32_t *class_methods(uint32_t cls)
{
    /* Without a branch that depends on the class: they alternate. */
    static const struct {
        uint32_t cls;
        const uint32_t *methods;
    } classes[8] = {
#define CLASS(id, methods) [(id) >> 5 & 7] = { id, methods }
        CLASS(TURING_A, turing_a),
        CLASS(TURING_COMPUTE_A, turing_compute_a),
        CLASS(KEPLER_INLINE_TO_MEMORY_B, kepler_inline_to_memory_b),
        CLASS(FERMI_TWOD_A, fermi_twod_a),
#undef CLASS
    };

    return classes[cls >> 5 & 7].cls == cls ? classes[cls >> 5 & 7].methods
                                            : NULL;
}

/* Whether the policy of a method (word address) that passes needs its datum. */
static inline bool looks_at_data(uint32_t method)
{
    return method == NVC46F_SET_OBJECT / 4 ||
           method == NVC0_3D_CSAA_ENABLE / 4 ||
           method == NVC597_SET_REPORT_SEMAPHORE_D / 4;
}

static VgspPolicy policy_by_data(uint32_t cls, uint32_t method, uint32_t data)
{
    if (method == NVC46F_SET_OBJECT / 4) {
        return VGSP_GET(NVC46F_SET_OBJECT_NVCLASS, data) == cls
               ? VGSP_POLICY_PASS : VGSP_POLICY_DENY;
    }
    if (data & NVC597_SET_REPORT_SEMAPHORE_D_CONDITIONAL_TRAP) {
        return VGSP_POLICY_DEVICE;
    }
    switch (VGSP_GET(NVC597_SET_REPORT_SEMAPHORE_D_OPERATION, data)) {
    case NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_RELEASE:
        return VGSP_POLICY_PASS;
    case NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_REPORT_ONLY:
        return cls == TURING_A ? VGSP_POLICY_PASS : VGSP_POLICY_DENY;
    case NVC597_SET_REPORT_SEMAPHORE_D_OPERATION_ACQUIRE:
        return cls == TURING_A ? VGSP_POLICY_DEVICE : VGSP_POLICY_DENY;
    default: /* TRAP */
        return VGSP_POLICY_DEVICE;
    }
}

/* The same with the class's methods at hand and the address in words. */
static inline VgspPolicy lookup(const uint32_t *methods, uint32_t cls,
                                uint32_t method, uint32_t data)
{
    if (!(methods[method / 32] >> (method % 32) & 1)) {
        return cls == TURING_A && method == NVC0_3D_CSAA_ENABLE / 4 && !data
               ? VGSP_POLICY_PASS : VGSP_POLICY_DENY;
    }
    return looks_at_data(method) ? policy_by_data(cls, method, data)
                                 : VGSP_POLICY_PASS;
}

VgspPolicy vgsp_section_policy(uint32_t cls, uint32_t method, uint32_t data)
{
    const uint32_t *methods = class_methods(cls);

    if (!methods || method % 4 || method / 4 > NVC46F_DMA_METHOD_ADDRESS) {
        return VGSP_POLICY_DENY;
    }
    return lookup(methods, cls, method / 4, data);
}

/* Whether count methods from first on exist, and none needs its datum. */
static bool range_passes(const uint32_t *methods, uint32_t first,
                         uint32_t count)
{
    uint32_t last = first + count - 1;

    if (last > NVC46F_DMA_METHOD_ADDRESS || first == NVC46F_SET_OBJECT / 4 ||
        (first <= NVC597_SET_REPORT_SEMAPHORE_D / 4 &&
         last >= NVC597_SET_REPORT_SEMAPHORE_D / 4)) {
        return false;
    }
    for (uint32_t w = first / 32; w <= last / 32; w++) {
        uint32_t want = UINT32_MAX;

        if (w == first / 32) {
            want &= UINT32_MAX << (first % 32);
        }
        if (w == last / 32) {
            want &= UINT32_MAX >> (31 - last % 32);
        }
        if ((methods[w] & want) != want) {
            return false;
        }
    }
    return true;
}

static __attribute__((__noinline__)) uint32_t
pass(const uint32_t *methods, uint32_t cls, const VgspPbRun *run, uint32_t n,
     VgspPolicy *policy)
{
    uint32_t i;

    /* Most runs are good as a whole; the others are looked at one by one. */
    if (n && run->step && run->last_step &&
        range_passes(methods, run->method, n)) {
        *policy = VGSP_POLICY_PASS;
        return n;
    }
    for (i = 0; i < n; i++) {
        uint32_t method = vgsp_pb_run_method(run, i);

        if (method > NVC46F_DMA_METHOD_ADDRESS) {
            *policy = VGSP_POLICY_DENY;
            return i;
        }
        *policy = lookup(methods, cls, method, run->data[i]);
        if (*policy != VGSP_POLICY_PASS) {
            return i;
        }
        /* The rest goes to this method, whatever its data. */
        if (!run->last_step && (i || !run->step) && !looks_at_data(method)) {
            return n;
        }
    }
    *policy = VGSP_POLICY_PASS;
    return n;
}

uint32_t vgsp_section_pass(uint32_t cls, const VgspPbRun *run, uint32_t n,
                           VgspPolicy *policy)
{
    const uint32_t *methods = class_methods(cls);

    if (!methods) {
        *policy = VGSP_POLICY_DENY;
        return 0;
    }
    if (n != 1 || run->method > NVC46F_DMA_METHOD_ADDRESS) {
        return pass(methods, cls, run, n, policy);
    }
    /* Most runs: in a few steps. */
    *policy = lookup(methods, cls, run->method, run->data[0]);
    return *policy == VGSP_POLICY_PASS;
}
