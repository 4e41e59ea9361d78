/*
 * Launch descriptors: decoding and the checks of the compute scheduler, SKED.
 * Fields: vgsp/nv/qmd.h; limits of compute capability 7.5: exec-facts 6.3.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "model/qmd.h"
#include "vgsp/nv/qmd.h"

static uint32_t get(const uint32_t words[64], unsigned hi, unsigned lo)
{
    uint64_t word = words[lo / 32] >> lo % 32;

    if (hi / 32 != lo / 32) {
        word |= (uint64_t)words[hi / 32] << (32 - lo % 32);
    }
    return (uint32_t)(word & ((UINT64_C(1) << (hi - lo + 1)) - 1));
}

static void decode_release(const uint32_t words[64], VgspQmd *q, unsigned i)
{
    q->release[i].enable =
        get(words, NVC5C0_QMDV02_03_SEMAPHORE_RELEASE_ENABLE(i));
    q->release[i].one_word =
        get(words, NVC5C0_QMDV02_03_RELEASE_STRUCTURE_SIZE(i));
    q->release[i].reduce =
        get(words, NVC5C0_QMDV02_03_RELEASE_REDUCTION_ENABLE(i));
    q->release[i].is_signed =
        get(words, NVC5C0_QMDV02_03_RELEASE_REDUCTION_FORMAT(i)) & 1;
    q->release[i].op = (uint8_t)
        get(words, NVC5C0_QMDV02_03_RELEASE_REDUCTION_OP(i));
    q->release[i].va =
        get(words, NVC5C0_QMDV02_03_RELEASE_ADDRESS_LOWER(i)) |
        (uint64_t)get(words, NVC5C0_QMDV02_03_RELEASE_ADDRESS_UPPER(i)) << 32;
    q->release[i].payload =
        get(words, NVC5C0_QMDV02_03_RELEASE_PAYLOAD(i));
}

static void decode_cbuf(const uint32_t words[64], VgspQmd *q, unsigned i)
{
    if (!get(words, NVC5C0_QMDV02_03_CONSTANT_BUFFER_VALID(i))) {
        return;
    }
    q->cbuf[i].va =
        get(words, NVC5C0_QMDV02_03_CONSTANT_BUFFER_ADDR_LOWER(i)) |
        (uint64_t)get(words, NVC5C0_QMDV02_03_CONSTANT_BUFFER_ADDR_UPPER(i))
            << 32;
    q->cbuf[i].size =
        get(words, NVC5C0_QMDV02_03_CONSTANT_BUFFER_SIZE_SHIFTED4(i)) << 4;
}

static uint32_t check_local(const uint32_t words[64], VgspQmd *q)
{
    uint32_t low = get(words, NVC5C0_QMDV02_03_SHADER_LOCAL_MEMORY_LOW_SIZE);
    uint32_t high =
        get(words, NVC5C0_QMDV02_03_SHADER_LOCAL_MEMORY_HIGH_SIZE);

    if (low % 16) {
        return NV_PGRAPH_PRI_SKED_SKEDCHECK02_LOCAL_MEMORY_LOW_SIZE;
    }
    if (high % 16) {
        return NV_PGRAPH_PRI_SKED_SKEDCHECK03_LOCAL_MEMORY_HIGH_SIZE;
    }
    /* In version 2.3 other fields lie there. */
    if (get(words, NVC5C0_QMDV02_03_QMD_VERSION) == 2 &&
        get(words, NVC3C0_QMDV02_02_SHADER_LOCAL_MEMORY_CRS_SIZE) % 0x200) {
        return NV_PGRAPH_PRI_SKED_SKEDCHECK04_LOCAL_MEMORY_CRS_SIZE;
    }
    if (low + high > VGSP_SM_LOCAL_MAX) {
        return NV_PGRAPH_PRI_SKED_SKEDCHECK05_LOCAL_MEMORY_TOTAL_SIZE;
    }
    q->local_size = low + high;
    q->local_high = high;
    return 0;
}

static uint32_t check_shared(const uint32_t words[64], VgspQmd *q)
{
    uint32_t max =
        get(words, NVC5C0_QMDV02_03_MAX_SM_CONFIG_SHARED_MEM_SIZE);

    q->shared_size = get(words, NVC5C0_QMDV02_03_SHARED_MEMORY_SIZE);
    if (q->shared_size % 0x100 || q->shared_size > VGSP_SM_SHARED_MAX) {
        return NV_PGRAPH_PRI_SKED_SKEDCHECK14_SHARED_MEMORY_SIZE;
    }
    /* The largest split of the L1 that is allowed: KiB / 4 + 1. */
    if (max && (max - 1) * 4096 < q->shared_size) {
        return NV_PGRAPH_PRI_SKED_SKEDCHECK18_L1_CONFIG_TOO_SMALL;
    }
    return 0;
}

uint32_t vgsp_qmd_decode(const uint32_t words[64], uint64_t va, VgspQmd *q)
{
    uint64_t threads = 1;
    uint32_t bad;

    memset(q, 0, sizeof(*q));
    q->va = va;
    if (get(words, NVC5C0_QMDV02_03_QMD_MAJOR_VERSION) != 2) {
        return VGSP_QMD_VERSION;
    }
    if (get(words, NVC5C0_QMDV02_03_IS_QUEUE)) {
        return VGSP_QMD_QUEUE;
    }
    q->grid[0] = get(words, NVC5C0_QMDV02_03_CTA_RASTER_WIDTH);
    q->grid[1] = get(words, NVC5C0_QMDV02_03_CTA_RASTER_HEIGHT);
    q->grid[2] = get(words, NVC5C0_QMDV02_03_CTA_RASTER_DEPTH);
    for (unsigned i = 0; i < 3; i++) {
        q->block[i] = (uint16_t)
            get(words, NVC5C0_QMDV02_03_CTA_THREAD_DIMENSION(i));
        threads *= q->block[i];
    }
    if (!threads) {
        return NV_PGRAPH_PRI_SKED_SKEDCHECK16_CTA_THREAD_DIMENSION_ZERO;
    }
    if (threads > VGSP_SM_CTA_THREADS) {
        return NV_PGRAPH_PRI_SKED_SKEDCHECK11_TOTAL_THREADS;
    }
    q->registers = (uint16_t)get(words, NVC5C0_QMDV02_03_REGISTER_COUNT_V);
    if (!q->registers || q->registers > 256) {
        return NV_PGRAPH_PRI_SKED_SKEDCHECK06_REGISTER_COUNT;
    }
    if ((threads + 31) / 32 * 32 * vgsp_qmd_registers(q) >
        VGSP_SM_REGISTERS) {
        return NV_PGRAPH_PRI_SKED_SKEDCHECK19_CTA_REGISTER_CONSUMPTION;
    }
    q->barriers = (uint8_t)get(words, NVC5C0_QMDV02_03_BARRIER_COUNT);
    q->sampler_via_header = get(words, NVC5C0_QMDV02_03_SAMPLER_INDEX);

    bad = check_shared(words, q);
    bad = bad ? bad : check_local(words, q);
    if (bad) {
        return bad;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(q->cbuf); i++) {
        decode_cbuf(words, q, i);
        if (q->cbuf[i].size > VGSP_SM_CBUF_MAX) {
            return NV_PGRAPH_PRI_SKED_SKEDCHECK23_CONSTANT_BUFFER_SIZE;
        }
    }
    q->program =
        get(words, NVC5C0_QMDV02_03_PROGRAM_ADDRESS_LOWER) |
        (uint64_t)get(words, NVC5C0_QMDV02_03_PROGRAM_ADDRESS_UPPER) << 32;
    if (q->program % 16) {
        return NV_PGRAPH_PRI_SKED_SKEDCHECK13_PROGRAM_OFFSET;
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(q->release); i++) {
        decode_release(words, q, i);
    }
    q->wait_for_pcas = get(words, NVC5C0_QMDV02_03_REQUIRE_SCHEDULING_PCAS);
    q->dependent =
        get(words, NVC5C0_QMDV02_03_DEPENDENT_QMD_SCHEDULE_ENABLE);
    q->dependent_va = (uint64_t)
        get(words, NVC5C0_QMDV02_03_DEPENDENT_QMD_POINTER) << 8;
    if (q->dependent &&
        (get(words, NVC5C0_QMDV02_03_DEPENDENT_QMD_FIELD_COPY) ||
         get(words, NVC5C0_QMDV02_03_DEPENDENT_QMD_TYPE) !=
         NVC5C0_QMDV02_03_DEPENDENT_QMD_TYPE_GRID)) {
        return VGSP_QMD_DEPENDENT;
    }
    return 0;
}

uint32_t vgsp_qmd_check_windows(const VgspGridState *state)
{
    uint64_t apart = state->shared_window > state->local_window
                   ? state->shared_window - state->local_window
                   : state->local_window - state->shared_window;

    if (!state->shared_window && !state->local_window) {
        return 0;               /* never set: no generic accesses */
    }
    return apart < VGSP_SM_WINDOW
         ? NV_PGRAPH_PRI_SKED_SKEDCHECK17_MEMORY_WINDOW_OVERLAP : 0;
}
