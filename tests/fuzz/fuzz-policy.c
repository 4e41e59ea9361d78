/*
 * Sections through the policy: what passes is written and read back as it was,
 * what an executor accepts consists of methods that pass, and macros of any
 * content are classed within bounds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include "vgsp/section.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/method-names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SECTION_WORDS   64

static const uint32_t classes[VGSP_SECTION_SUBCHANNELS] = {
    TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
};

static void expect(bool ok)
{
    if (!ok) {
        abort();
    }
}

static uint64_t digest(uint64_t d, uint32_t subchannel, uint32_t method,
                       uint32_t data)
{
    return d * UINT64_C(0x100000001b3) +
           (method ^ (uint64_t)data << 16 ^ (uint64_t)subchannel << 60);
}

/* The methods of a section that was checked, each of which must pass. */
static uint64_t section_digest(uint64_t d, const uint32_t *words,
                               uint32_t count)
{
    VgspPushbuf pb;
    uint32_t pos = 0;

    vgsp_pb_init(&pb);
    for (;;) {
        VgspPbRun run;
        size_t used;

        if (vgsp_pb_next(&pb, words + pos, count - pos, &used, &run) !=
            VGSP_PB_METHODS) {
            expect(pos + used == count && !vgsp_pb_mid_method(&pb));
            return d;
        }
        for (uint32_t i = 0; i < run.count; i++) {
            uint32_t method = vgsp_pb_run_method(&run, i) * 4;

            expect(vgsp_section_policy(classes[run.subchannel], method,
                                       run.data[i]) == VGSP_POLICY_PASS);
            expect(vgsp_method_name(classes[run.subchannel], method) != NULL);
            d = digest(d, run.subchannel, method, run.data[i]);
        }
        pos += (uint32_t)used;
        pos += (uint32_t)vgsp_pb_advance(&pb, run.count);
    }
}

/* Captures a push buffer as a host engine does, dropping what may not pass. */
static void capture(const uint32_t *words, size_t n)
{
    uint32_t section[SECTION_WORDS], bad;
    VgspSectionWriter w = { section, 0, SECTION_WORDS };
    uint64_t in = 0, out = 0;
    VgspPushbuf pb;
    size_t pos = 0;

    vgsp_pb_init(&pb);
    for (;;) {
        uint32_t passed, appended;
        VgspPolicy policy;
        VgspPbRun run;
        size_t used;
        VgspPbStatus status = vgsp_pb_next(&pb, words + pos, n - pos, &used,
                                           &run);

        pos += used;
        if (status == VGSP_PB_MORE) {
            break;
        }
        if (status != VGSP_PB_METHODS) {
            continue;
        }
        if (run.subchannel >= VGSP_SECTION_SUBCHANNELS) {
            pos += vgsp_pb_advance(&pb, run.count);
            continue;
        }
        passed = vgsp_section_pass(classes[run.subchannel], &run, run.count,
                                   &policy);
        expect((passed == run.count) == (policy == VGSP_POLICY_PASS));
        if (!passed) {
            pos += vgsp_pb_advance(&pb, 1);
            continue;
        }
        appended = vgsp_section_append(&w, &run, passed);
        for (uint32_t i = 0; i < appended; i++) {
            in = digest(in, run.subchannel, vgsp_pb_run_method(&run, i) * 4,
                        run.data[i]);
        }
        pos += vgsp_pb_advance(&pb, appended);
        if (appended < passed) {
            expect(w.count >= SECTION_WORDS - 1);
            expect(vgsp_section_check(section, w.count, classes, &bad));
            out = section_digest(out, section, w.count);
            w.count = 0;
        }
    }
    expect(vgsp_section_check(section, w.count, classes, &bad));
    out = section_digest(out, section, w.count);
    expect(in == out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t n = (uint32_t)(size / 4), bad = 0;
    uint32_t *words = malloc(n * 4 + 4);

    if (!words || n > 1 << 20) {
        free(words);
        return 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        words[i] = vgsp_le32(data + 4 * i);
    }
    if (vgsp_section_check(words, n, classes, &bad)) {
        section_digest(0, words, n);
    } else {
        expect(bad < n);
    }
    capture(words, n);
    vgsp_macro_class(words, n / VGSP_MME_GROUP_WORDS,
                     n ? words[0] % (n / VGSP_MME_GROUP_WORDS + 1) : 0);
    free(words);
    return 0;
}
