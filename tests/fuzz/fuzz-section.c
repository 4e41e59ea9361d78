/*
 * Whole sections: whatever vgsp_section_check() lets pass, the model performs
 * or faults on, within its own memory and within a bounded time, and says so
 * exactly once.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include <stdlib.h>
#include "model/model.h"
#include "vgsp/nv/class.h"
#include "vgsp/section.h"

#define MEMORY_SIZE     0x20000
#define WORDS_MAX       1024
#define LIMIT_US        20000   /* of a section, then it is ended */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint32_t cls[4] = {
    TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
};

static struct {
    VgspModel *m;
    uint8_t *memory;
    GMutex lock;
    GCond cond;
    unsigned ended;             /* completions and faults */
    bool fault;
} fuzz;

static uint64_t clock_ns(void *opaque G_GNUC_UNUSED)
{
    static uint64_t ns;

    return __atomic_add_fetch(&ns, 32, __ATOMIC_RELAXED);
}

static void wrote(void *opaque G_GNUC_UNUSED, uint32_t memory G_GNUC_UNUSED,
                  uint64_t offset, uint64_t size)
{
    if (!vgsp_range_ok(offset, size, MEMORY_SIZE)) {
        abort();
    }
}

static void ended(bool fault)
{
    g_mutex_lock(&fuzz.lock);
    fuzz.ended++;
    fuzz.fault = fault;
    g_cond_signal(&fuzz.cond);
    g_mutex_unlock(&fuzz.lock);
}

static void completed(void *opaque G_GNUC_UNUSED,
                      uint32_t context G_GNUC_UNUSED,
                      uint64_t seq G_GNUC_UNUSED)
{
    ended(false);
}

static void fault(void *opaque G_GNUC_UNUSED,
                  const struct vgsp_owner_fault *f G_GNUC_UNUSED)
{
    ended(true);
}

static void start(void)
{
    static const VgspModelOps ops = {
        .clock_ns = clock_ns, .wrote = wrote, .completed = completed,
        .fault = fault,
    };
    const VgspModelConfig config = {
        .chip = &vgsp_chip_tu104, .threads = 1, .ops = &ops,
    };

    fuzz.memory = aligned_alloc(4096, MEMORY_SIZE);
    fuzz.m = vgsp_model_new(&config);
    if (!fuzz.memory || !fuzz.m) {
        abort();
    }
}

/* The same memory where small, 32-bit and 40-bit addresses find it. */
static uint32_t make_space(void)
{
    static const struct vgsp_owner_map_op map[] = {
        { .va = 0, .size = MEMORY_SIZE },
        { .op = VGSP_OWNER_SPARSE, .va = MEMORY_SIZE, .size = MEMORY_SIZE },
        { .va = 0x80000000, .size = MEMORY_SIZE },
        { .va = UINT64_C(0xff00000000), .size = MEMORY_SIZE },
        { .va = 0x40000000, .size = 0x1000,
          .flags = VGSP_OWNER_MAP_READ_ONLY },
    };
    struct vgsp_owner_map_op ops[G_N_ELEMENTS(map)];
    uint32_t memory, space;

    if (vgsp_model_memory_add(fuzz.m, fuzz.memory, MEMORY_SIZE, &memory) ||
        vgsp_model_space_new(fuzz.m, &space)) {
        abort();
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(map); i++) {
        ops[i] = map[i];
        ops[i].memory = memory;
    }
    if (vgsp_model_map(fuzz.m, space, ops, G_N_ELEMENTS(ops))) {
        abort();
    }
    return space;
}

/* The section as it is, or as methods that are permitted, one header each. */
static uint32_t make_section(const uint8_t *data, size_t size,
                             uint32_t words[WORDS_MAX])
{
    bool raw = data[0] & 1;
    uint32_t count = 0;

    data++;
    size--;
    for (; size >= 4 && raw && count < WORDS_MAX; data += 4, size -= 4) {
        words[count++] = vgsp_le32(data);
    }
    for (; size >= 6 && !raw && count + 2 <= WORDS_MAX; data += 6, size -= 6) {
        uint32_t where = vgsp_le16(data), value = vgsp_le32(data + 2);
        unsigned subchannel = where >> 12 & 3;

        if (vgsp_section_policy(cls[subchannel], (where & 0xfff) * 4, value) ==
            VGSP_POLICY_PASS) {
            words[count++] = UINT32_C(0x20010000) | subchannel << 13 |
                             (where & 0xfff);
            words[count++] = value;
        }
    }
    return count;
}

/*
 * Waits for the end number n; ends the context when it takes too long. It may
 * come to its end just then: its fault follows even so.
 */
static void wait_end(uint32_t ctx, unsigned n)
{
    int64_t until = g_get_monotonic_time() + LIMIT_US;
    bool late = false, killed = false;

    g_mutex_lock(&fuzz.lock);
    while (fuzz.ended < n || (killed && !fuzz.fault)) {
        if (g_cond_wait_until(&fuzz.cond, &fuzz.lock, until) ||
            (!late && fuzz.ended >= n)) {
            continue;
        }
        if (late) {
            abort();
        }
        late = true;
        until += 10 * G_USEC_PER_SEC;
        g_mutex_unlock(&fuzz.lock);
        killed = !vgsp_model_context_kill(fuzz.m, ctx,
                                          VGSP_OWNER_FAULT_TIMEOUT);
        g_mutex_lock(&fuzz.lock);
    }
    g_mutex_unlock(&fuzz.lock);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t words[WORDS_MAX], count, space, ctx, bad;

    if (size < 1) {
        return 0;
    }
    if (!fuzz.m) {
        start();
    }
    count = make_section(data, size, words);
    if (!vgsp_section_check(words, count, cls, &bad)) {
        if (bad >= count && count) {
            abort();
        }
        if (!(data[0] & 1)) {
            abort();            /* each method was permitted */
        }
        return 0;
    }
    /* Programs and descriptors may be in the input as well. */
    memset(fuzz.memory, 0, MEMORY_SIZE);
    memcpy(fuzz.memory, data, MIN(size, MEMORY_SIZE));
    space = make_space();
    fuzz.ended = 0;
    fuzz.fault = false;
    if (vgsp_model_context_new(fuzz.m, space, &ctx) ||
        vgsp_model_submit(fuzz.m, ctx, words, count, 1)) {
        abort();
    }
    wait_end(ctx, 1);
    /* State that the first left is no danger to the second. */
    if (!fuzz.fault) {
        if (vgsp_model_submit(fuzz.m, ctx, words, count, 2)) {
            abort();
        }
        wait_end(ctx, 2);
    }
    vgsp_model_revoke(fuzz.m);
    return 0;
}
