/*
 * The executor over NVIDIA's driver, over a driver that is not there: any map
 * operations and any sections, of two contexts, which come and go. The fake
 * checks what the driver would; all must be given back.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <sys/mman.h>

#include "../unit/fake-rm.h"

#define MEMORY      (34ull << 20)       /* more than a chunk */
#define WORDS_MAX   512

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_completed(void *opaque, uint32_t context, uint64_t seq)
{
    (void)opaque;
    (void)context;
    (void)seq;
}

static void on_fault(void *opaque, const struct vgsp_owner_fault *fault)
{
    (void)opaque;
    (void)fault;
}

static const VgspRmOps ops = {
    .completed = on_completed,
    .fault = on_fault,
};

typedef struct Input {
    const uint8_t *data;
    size_t size;
} Input;

static uint32_t take(Input *in, size_t bytes)
{
    uint32_t value = 0;

    bytes = MIN(bytes, in->size);
    memcpy(&value, in->data, bytes);
    in->data += bytes;
    in->size -= bytes;
    return value;
}

static void map(VgspRm *rm, uint32_t space, uint32_t memory, Input *in)
{
    struct vgsp_owner_map_op op[4];
    unsigned count = take(in, 1) % 4 + 1;

    for (unsigned i = 0; i < count; i++) {
        op[i] = (struct vgsp_owner_map_op) {
            .op = take(in, 1) % 4,
            .flags = take(in, 1),
            .va = (uint64_t)take(in, 1) << 32 | take(in, 2) << 12,
            .size = (uint64_t)take(in, 2) << 12,
            .memory = take(in, 1) % 8 ? memory : take(in, 1),
            .kind = take(in, 1) % 9,
            .offset = (uint64_t)take(in, 2) << 12,
        };
    }
    vgsp_rm_map(rm, space, op, count);
}

static void submit(VgspRm *rm, uint32_t context, uint64_t seq, Input *in)
{
    uint32_t words[WORDS_MAX], count = take(in, 1) % 64;

    for (uint32_t i = 0; i < count; i++) {
        words[i] = take(in, 4);
    }
    vgsp_rm_submit(rm, context, words, count, seq);
}

/* A ring is megabytes: contexts are made anew when an input ended them. */
static struct {
    FakeRm *fake;
    VgspRm *rm;
    uint32_t memory, space, context[2];
    uint64_t seq;
} rig;

static void make_contexts(void)
{
    for (unsigned i = 0; i < 2; i++) {
        const uint32_t none = 0;

        if (rig.context[i]) {
            vgsp_rm_context_hold(rig.rm, rig.context[i], false);
        }
        if (vgsp_rm_submit(rig.rm, rig.context[i], &none, 0, ++rig.seq) < 0) {
            vgsp_rm_context_del(rig.rm, rig.context[i]);
            g_assert_cmpint(vgsp_rm_context_new(rig.rm, rig.space, 0,
                                                &rig.context[i]), ==, 0);
        }
    }
}

static void make_rig(uint32_t chip)
{
    static uint8_t *host;
    VgspRmConfig config = { .path = "/dev/nvidia0", .ops = &ops };
    char *error = NULL;

    if (!host) {
        host = mmap(NULL, MEMORY, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        g_assert_true(host != MAP_FAILED);
    }
    rig.fake = fake_new("580.159.04", chip);
    rig.fake->go = true;
    rig.rm = vgsp_rm_open_os(&config, &fake_os, rig.fake, &error);
    g_assert_nonnull(rig.rm);
    g_assert_cmpint(vgsp_rm_memory_add(rig.rm, host, MEMORY, &rig.memory), ==,
                    0);
    g_assert_cmpint(vgsp_rm_space_new(rig.rm, &rig.space), ==, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct vgsp_owner_map_op nothing = {
        .op = VGSP_OWNER_UNMAP, .size = 1ull << 49,
    };
    static unsigned inputs;
    Input in = { data, size };

    if (!rig.rm) {
        make_rig(inputs & 256 ? 0x160 : 0x180);
    }
    make_contexts();
    for (unsigned n = 0; n < 64 && in.size; n++) {
        uint32_t what = take(&in, 1), c = what >> 7;

        switch (what % 8) {
        case 0:
            vgsp_rm_context_kill(rig.rm, rig.context[c],
                                 VGSP_OWNER_FAULT_TIMEOUT);
            break;
        case 1:
        case 2:
        case 3:
            map(rig.rm, rig.space, rig.memory, &in);
            break;
        case 4:
            vgsp_rm_context_hold(rig.rm, rig.context[c], what & 64);
            break;
        default:
            submit(rig.rm, rig.context[c], ++rig.seq, &in);
        }
    }
    vgsp_rm_map(rig.rm, rig.space, &nothing, 1);
    g_mutex_lock(&rig.fake->lock);
    g_array_set_size(rig.fake->seen, 0);
    g_mutex_unlock(&rig.fake->lock);
    if (++inputs % 256 == 0) {
        vgsp_rm_close(rig.rm);
        fake_free(rig.fake);
        rig.rm = NULL;
    }
    return 0;
}
