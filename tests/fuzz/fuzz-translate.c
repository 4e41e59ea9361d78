/*
 * Translation: instructions of any words, programs and launch descriptors of
 * any content, and sections of methods that the policy lets pass, with memory
 * that changes in between. What comes out is a well-formed section.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>
#include "translate/sm90.h"
#include "translate/translate-int.h"
#include "vgsp/nv/class.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGES   4
#define BASE    UINT64_C(0x10000)
#define WORDS   512

typedef struct Rig {
    uint8_t memory[PAGES * PAGE_SIZE];
    GPtrArray *own;
    uint64_t reserved;
} Rig;

static const uint32_t classes[VGSP_SECTION_SUBCHANNELS] = {
    TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
};

static void expect(bool ok)
{
    if (!ok) {
        abort();
    }
}

static const void *page(void *opaque, uint64_t va)
{
    Rig *r = opaque;

    expect(va % PAGE_SIZE == 0);
    return va < BASE || va - BASE >= sizeof(r->memory)
           ? NULL : r->memory + (va - BASE);
}

static int shadow(void *opaque, uint64_t va, const void *bytes)
{
    volatile uint8_t sum = 0;

    expect(page(opaque, va) != NULL);
    for (unsigned i = 0; bytes && i < PAGE_SIZE; i++) {
        sum = sum + ((const uint8_t *)bytes)[i];
    }
    return 0;
}

static int reserve(void *opaque, uint64_t size, bool cpu, uint64_t *va,
                   void **host)
{
    Rig *r = opaque;

    expect(size && size % PAGE_SIZE == 0);
    if (r->reserved + size > UINT64_C(1) << 36) {
        return -12;
    }
    *va = (UINT64_C(0xe) << 36) + r->reserved;
    *host = cpu ? g_malloc0(size) : NULL;
    r->reserved += size;
    if (cpu) {
        g_ptr_array_add(r->own, *host);
    }
    return 0;
}

static const VgspTranslateOps ops = { page, shadow, reserve };

/* Methods of the other chip, each with all of its data. */
static void check_out(const GArray *out)
{
    const uint32_t *words = (const uint32_t *)out->data;
    uint32_t pos = 0;
    VgspPushbuf pb;

    vgsp_pb_init(&pb);
    while (pos < out->len) {
        VgspPbRun run;
        size_t used;

        expect(vgsp_pb_next(&pb, words + pos, out->len - pos, &used, &run) ==
               VGSP_PB_METHODS && run.count == pb.count);
        pos += (uint32_t)used;
        pos += (uint32_t)vgsp_pb_advance(&pb, run.count);
    }
}

static void check_insn(const uint8_t *data)
{
    Sm90Insn i, was;

    memcpy(&i, data, sizeof(i));
    was = i;
    if (sm90_translate(&i)) {
        expect(i.lo == was.lo && i.hi == was.hi);
    }
    sm90_flow(BASE, was.lo, was.hi);
}

static void translate(Rig *r, VgspTranslate *t, const uint32_t *words,
                      uint32_t count, GArray *out)
{
    struct vgsp_owner_fault fault = { 0 };
    const char *why = NULL;
    uint32_t pos = 0, bad;
    int ret;

    if (!vgsp_section_check(words, count, classes, &bad)) {
        count = bad;
        if (!vgsp_section_check(words, count, classes, &bad)) {
            return;
        }
    }
    do {
        uint32_t old = pos;

        g_array_set_size(out, 0);
        ret = vgsp_translate_section(t, words, count, &pos, out, &fault, &why);
        check_out(out);
        expect(pos >= old && pos <= count);
        /* Somebody else writes. */
        r->memory[words[0] % sizeof(r->memory)] ^= 1;
    } while (ret == VGSP_TRANSLATE_WAIT);
    expect(ret ? why && fault.valid : pos == count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Rig rig;
    VgspTranslateConfig config = {
        .profile = &vgsp_profile_gh100, .sm_count = 132, .ops = &ops,
        .opaque = &rig,
    };
    uint32_t words[WORDS];
    VgspTranslate *t;
    VgspCode *code;
    GArray *out;

    if (size < 16) {
        return 0;
    }
    check_insn(data);
    memset(rig.memory, 0, sizeof(rig.memory));
    rig.own = g_ptr_array_new_with_free_func(g_free);
    rig.reserved = 0;
    code = vgsp_code_new(&config);
    t = vgsp_translate_new(code);
    out = g_array_new(false, false, 4);
    /* A chunk: what it is, where, how long; then that many words. */
    while (size >= 4) {
        size_t n = MIN(data[3] * 4u + 4, size - 4);
        size_t at = (data[1] | data[2] << 8) * 16u % sizeof(rig.memory);

        n = MIN(n, sizeof(words)) & ~(size_t)3;
        switch (data[0] % 4) {
        case 0:
        case 1:
            n = MIN(n, sizeof(rig.memory) - at);
            memcpy(rig.memory + at, data + 4, n);
            break;
        case 2:
            if (n) {
                memcpy(words, data + 4, n);
                translate(&rig, t, words, (uint32_t)n / 4, out);
            }
            break;
        default:
            vgsp_code_changed(code, BASE + at, data[3] * 64u);
            n = 0;
            break;
        }
        data += 4 + n;
        size -= 4 + n;
    }
    vgsp_translate_free(t);
    vgsp_code_free(code);
    g_ptr_array_free(rig.own, true);
    g_array_free(out, true);
    return 0;
}
