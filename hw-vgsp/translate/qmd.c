/*
 * Launch descriptors of Turing (QMDV02_02, QMDV02_03) as those of GH100
 * (QMDV04_00), field by field: clc5c0qmd.h, clcbc0qmd.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <string.h>
#include "translate/translate-int.h"
#include "vgsp/nv/hopper.h"

#define V2(name)        NVC5C0_QMDV02_03_##name
#define V4(name)        NVCBC0_QMDV04_00_##name
#define CBUFS           8
#define RELEASES        2

static uint32_t get(const uint32_t *words, unsigned hi, unsigned lo)
{
    uint64_t word = words[lo / 32] >> lo % 32;

    if (hi / 32 != lo / 32) {
        word |= (uint64_t)words[hi / 32] << (32 - lo % 32);
    }
    return (uint32_t)(word & ((UINT64_C(1) << (hi - lo + 1)) - 1));
}

/* Fields are 0 before; no field of this version crosses a word. */
static void set(uint32_t *words, unsigned hi, unsigned lo, uint32_t value)
{
    uint64_t mask = (UINT64_C(1) << (hi - lo + 1)) - 1;

    words[lo / 32] |= (uint32_t)((value & mask) << lo % 32);
}

/* Fields that both have, with the same meaning. */
typedef struct QmdField {
    uint16_t from_hi, from_lo, to_hi, to_lo;
} QmdField;

#define FIELD(from, to) { V2(from), V4(to) }

static const QmdField fields[] = {
    FIELD(QMD_GROUP_ID, QMD_GROUP_ID),
    FIELD(ADD_TO_HEAD_OF_QMD_GROUP_LINKED_LIST,
          ADD_TO_HEAD_OF_QMD_GROUP_LINKED_LIST),
    FIELD(REQUIRE_SCHEDULING_PCAS, REQUIRE_SCHEDULING_PCAS),
    FIELD(INVALIDATE_TEXTURE_HEADER_CACHE, INVALIDATE_TEXTURE_HEADER_CACHE),
    FIELD(INVALIDATE_TEXTURE_SAMPLER_CACHE, INVALIDATE_TEXTURE_SAMPLER_CACHE),
    FIELD(INVALIDATE_TEXTURE_DATA_CACHE, INVALIDATE_TEXTURE_DATA_CACHE),
    FIELD(INVALIDATE_SHADER_DATA_CACHE, INVALIDATE_SHADER_DATA_CACHE),
    FIELD(INVALIDATE_SHADER_CONSTANT_CACHE, INVALIDATE_SHADER_CONSTANT_CACHE),
    FIELD(CWD_REFERENCE_COUNT_ID, CWD_REFERENCE_COUNT_ID),
    FIELD(CWD_REFERENCE_COUNT_DELTA_MINUS_ONE,
          CWD_REFERENCE_COUNT_DELTA_MINUS_ONE),
    FIELD(CWD_REFERENCE_COUNT_INCR_ENABLE, CWD_REFERENCE_COUNT_INCR_ENABLE),
    FIELD(CWD_REFERENCE_COUNT_DECR_ENABLE, CWD_REFERENCE_COUNT_DECR_ENABLE),
    FIELD(CWD_MEMBAR_TYPE, CWD_MEMBAR_TYPE),
    FIELD(SEQUENTIALLY_RUN_CTAS, SEQUENTIALLY_RUN_CTAS),
    FIELD(API_VISIBLE_CALL_LIMIT, API_VISIBLE_CALL_LIMIT),
    FIELD(SAMPLER_INDEX, SAMPLER_INDEX),
    FIELD(CTA_RASTER_WIDTH, GRID_WIDTH),
    FIELD(CTA_RASTER_HEIGHT, GRID_HEIGHT),
    FIELD(CTA_RASTER_DEPTH, GRID_DEPTH),
    FIELD(SHARED_MEMORY_SIZE, SHARED_MEMORY_SIZE),
    FIELD(CTA_THREAD_DIMENSION(0), CTA_THREAD_DIMENSION(0)),
    FIELD(CTA_THREAD_DIMENSION(1), CTA_THREAD_DIMENSION(1)),
    FIELD(CTA_THREAD_DIMENSION(2), CTA_THREAD_DIMENSION(2)),
    FIELD(REGISTER_COUNT_V, REGISTER_COUNT),
    FIELD(BARRIER_COUNT, BARRIER_COUNT),
    FIELD(FREE_CTA_SLOTS_EMPTY_SM, FREE_CTA_SLOTS_EMPTY_SM),
    FIELD(SHADER_LOCAL_MEMORY_LOW_SIZE, SHADER_LOCAL_MEMORY_LOW_SIZE),
    FIELD(SHADER_LOCAL_MEMORY_HIGH_SIZE, SHADER_LOCAL_MEMORY_HIGH_SIZE),
    FIELD(PROGRAM_ADDRESS_LOWER, PROGRAM_ADDRESS_LOWER),
    FIELD(PROGRAM_ADDRESS_UPPER, PROGRAM_ADDRESS_UPPER),
};

/*
 * Splits of the L1 cache, KiB / 4 + 1: the smallest that GH100 has and that is
 * as large. The system keeps a KiB of each CTA's there.
 */
static uint32_t split(uint32_t value, uint32_t shared)
{
    static const uint8_t kib[] = {
        8, 16, 32, 64, 100, 132, 164, 196, 228,
    };
    uint32_t need = shared ? (shared + 1023) / 1024 + 1 : 0;

    if (value && (value - 1) * 4 > need) {
        need = (value - 1) * 4;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(kib); i++) {
        if (kib[i] >= need) {
            return kib[i] / 4 + 1;
        }
    }
    return kib[G_N_ELEMENTS(kib) - 1] / 4 + 1;
}

static const char *constant_buffers(const uint32_t *qmd, uint32_t *out)
{
    for (unsigned i = 0; i < CBUFS; i++) {
        uint64_t va = get(qmd, V2(CONSTANT_BUFFER_ADDR_LOWER(i))) |
            (uint64_t)get(qmd, V2(CONSTANT_BUFFER_ADDR_UPPER(i))) << 32;

        set(out, V4(CONSTANT_BUFFER_INVALIDATE(i)),
            get(qmd, V2(CONSTANT_BUFFER_INVALIDATE(i))));
        if (!get(qmd, V2(CONSTANT_BUFFER_VALID(i)))) {
            continue;
        }
        if (va % 64) {
            return "a constant buffer that is not aligned to 64 bytes";
        }
        va >>= 6;
        set(out, V4(CONSTANT_BUFFER_VALID(i)), 1);
        set(out, V4(CONSTANT_BUFFER_ADDR_LOWER_SHIFTED6(i)), (uint32_t)va);
        set(out, V4(CONSTANT_BUFFER_ADDR_UPPER_SHIFTED6(i)),
            (uint32_t)(va >> 32));
        set(out, V4(CONSTANT_BUFFER_SIZE_SHIFTED4(i)),
            get(qmd, V2(CONSTANT_BUFFER_SIZE_SHIFTED4(i))));
    }
    return NULL;
}

static void releases(const uint32_t *qmd, uint32_t *out)
{
    for (unsigned i = 0; i < RELEASES; i++) {
        if (!get(qmd, V2(SEMAPHORE_RELEASE_ENABLE(i)))) {
            continue;
        }
        set(out, V4(RELEASE_ENABLE(i)), 1);
        set(out, V4(RELEASE_STRUCTURE_SIZE(i)),
            get(qmd, V2(RELEASE_STRUCTURE_SIZE(i))));
        set(out, V4(RELEASE_MEMBAR_TYPE(i)),
            get(qmd, V2(RELEASE_MEMBAR_TYPE)));
        set(out, V4(RELEASE_REDUCTION_ENABLE(i)),
            get(qmd, V2(RELEASE_REDUCTION_ENABLE(i))));
        set(out, V4(RELEASE_REDUCTION_OP(i)),
            get(qmd, V2(RELEASE_REDUCTION_OP(i))));
        set(out, V4(RELEASE_REDUCTION_FORMAT(i)),
            get(qmd, V2(RELEASE_REDUCTION_FORMAT(i))));
        set(out, V4(RELEASE_SEMAPHORE_ADDR_LOWER(i)),
            get(qmd, V2(RELEASE_ADDRESS_LOWER(i))));
        set(out, V4(RELEASE_SEMAPHORE_ADDR_UPPER(i)),
            get(qmd, V2(RELEASE_ADDRESS_UPPER(i))));
        set(out, V4(RELEASE_SEMAPHORE_PAYLOAD_LOWER(i)),
            get(qmd, V2(RELEASE_PAYLOAD(i))));
    }
}

uint64_t vgsp_qmd_program(const uint32_t qmd[64])
{
    return get(qmd, V2(PROGRAM_ADDRESS_LOWER)) |
           (uint64_t)get(qmd, V2(PROGRAM_ADDRESS_UPPER)) << 32;
}

const char *vgsp_qmd_to_v4(const uint32_t qmd[64], uint32_t out[96])
{
    uint32_t shared = get(qmd, V2(SHARED_MEMORY_SIZE));

    memset(out, 0, NVCBC0_QMDV04_00_WORDS * sizeof(*out));
    if (get(qmd, V2(QMD_MAJOR_VERSION)) != 2) {
        return "a launch descriptor that is not of version 2";
    }
    if (get(qmd, V2(IS_QUEUE))) {
        return "a queue of launches";
    }
    if (get(qmd, V2(DEPENDENT_QMD_SCHEDULE_ENABLE))) {
        return "a dependent launch";
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(fields); i++) {
        set(out, fields[i].to_hi, fields[i].to_lo,
            get(qmd, fields[i].from_hi, fields[i].from_lo));
    }
    set(out, V4(QMD_TYPE), V4(QMD_TYPE_GRID_CTA));
    set(out, V4(QMD_MAJOR_VERSION), 4);
    /* Programs are written anew without the guest's invalidation. */
    set(out, V4(INVALIDATE_INSTRUCTION_CACHE), 1);
    set(out, V4(MIN_SM_CONFIG_SHARED_MEM_SIZE),
        split(get(qmd, V2(MIN_SM_CONFIG_SHARED_MEM_SIZE)), shared));
    set(out, V4(MAX_SM_CONFIG_SHARED_MEM_SIZE),
        split(get(qmd, V2(MAX_SM_CONFIG_SHARED_MEM_SIZE)), shared));
    set(out, V4(TARGET_SM_CONFIG_SHARED_MEM_SIZE),
        split(get(qmd, V2(TARGET_SM_CONFIG_SHARED_MEM_SIZE)), shared));
    releases(qmd, out);
    return constant_buffers(qmd, out);
}
