/*
 * Times that the device itself takes, by its own account (stats-device-ns,
 * stats-release-ns): one RM control; one invalidation after which 1,000 pages
 * of BAR1 differ, and one of a space with 4 GiB in pages of 4 KiB, of which one
 * differs, and 4096; the release of an empty push; copies.
 * Run by tests/bench/bench: prints a line "bench KEY VALUE" a run.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include <math.h>
#include "qemu/atomic.h"
#include "qemu/madvise.h"
#include "qemu/memalign.h"
#include "vgsp-qos-channel.h"
#include "vgsp/nv/rm.h"

#define TABLES      (4u << 20)      /* VRAM */
#define TABLES_SIZE (4u << 20)
#define PAGES       (16u << 20)
#define CONTROLS    500
#define REMAPS      20
#define REMAP_PAGES 1000

static void bench_rpc(VgspQos *q)
{
    int64_t start = vgsp_qos_stat(q, "stats-device-ns");

    for (int i = 0; i < CONTROLS; i++) {
        uint8_t params[4] = { 0 };

        g_assert_cmpint(vgsp_gsp_rm_control(
                            &q->gsp, q->gsp.info.client, q->gsp.info.subdevice,
                            NV2080_CTRL_CMD_GPU_GET_FERMI_GPC_INFO, params,
                            sizeof(params)), ==, VGSP_GSP_OK);
    }
    printf("bench rpc.device_us %.3f\n",
           (vgsp_qos_stat(q, "stats-device-ns") - start) / 1e3 / CONTROLS);
}

/* Pages that adjoin neither before nor after, all of them moved each time. */
static void bench_remap(VgspQos *q, VgspQosVm *vm)
{
    int64_t sum = 0;

    for (int n = 0; n < REMAPS; n++) {
        int64_t start;

        for (uint32_t i = 0; i < REMAP_PAGES; i++) {
            uint64_t page = (n & 1) * REMAP_PAGES + REMAP_PAGES - 1 - i;

            vgsp_vm_map(vm, i * 0x1000ull, PAGES + page * 0x1000, 12,
                        VGSP_PTE_VRAM);
        }
        vgsp_vm_commit(vm);
        start = vgsp_qos_stat(q, "stats-device-ns");
        vgsp_invalidate(q, q->gsp.info.bar1_pde_base);
        sum += vgsp_qos_stat(q, "stats-device-ns") - start;
    }
    printf("bench bar1.remap_us %.3f\n", sum / 1e3 / REMAPS);
}

#define SHADOW_TABLES   (32u << 20)
#define SHADOW_SIZE     (12u << 20)
#define SHADOW_PAGES    (4ull << 30 >> 12)
#define SHADOW_RUNS     10

/* Pages whose neighbours lie elsewhere; a step makes others of them. */
static void shadow_map(VgspQosVm *vm, uint64_t page, unsigned step)
{
    uint64_t pa = (page * 5 + step) % (64 << 20 >> 12);

    vgsp_vm_map(vm, page << 12, (128ull << 20) + (pa << 12), 12,
                VGSP_PTE_VRAM);
}

static double shadow_change(VgspQos *q, VgspQosVm *vm, unsigned pages,
                            unsigned step)
{
    int64_t start, ops;

    for (unsigned i = 0; i < pages; i++) {
        /* All over the space: two in a page table. */
        uint64_t page = i * (SHADOW_PAGES / pages) + step;

        shadow_map(vm, page, step);
        /* The whole of the tables takes a while through PRAMIN. */
        vgsp_vm_commit_page(vm, page << 12);
    }
    ops = vgsp_qos_stat(q, "stats-shadow-ops");
    start = vgsp_qos_stat(q, "stats-device-ns");
    vgsp_invalidate(q, vm->base);
    start = vgsp_qos_stat(q, "stats-device-ns") - start;
    g_assert_cmpint(vgsp_qos_stat(q, "stats-shadow-ops") - ops, ==, pages);
    return start / 1e3;
}

static void bench_shadow(int runs)
{
    VgspQos *q = vgsp_qos_new("", "");
    unsigned step = 0;
    VgspChSpace s = { .q = q };
    VgspCh c;

    vgsp_gsp_up(q, vgsp_profiles[0]);
    vgsp_ch_space_new(q, &s, 0);
    vgsp_vm_free(s.vm);
    s.vm = vgsp_vm_new(q, SHADOW_TABLES, SHADOW_SIZE);
    for (uint64_t page = 0; page < SHADOW_PAGES; page++) {
        shadow_map(s.vm, page, 0);
    }
    vgsp_vm_commit(s.vm);
    g_assert_cmpint(vgsp_gsp_vm_free(&q->gsp, &s.rm), ==, VGSP_GSP_OK);
    g_assert_cmpint(vgsp_gsp_vm_new(&q->gsp, 1, s.vm->base, &s.rm), ==,
                    VGSP_GSP_OK);
    vgsp_ch_new(&s, &c, 0, NV2080_ENGINE_TYPE_GR0, 512, false);
    g_assert_cmpint(vgsp_gsp_rm_alloc(&q->gsp, s.rm.client, c.ch.handle,
                                      0xc5c0, TURING_COMPUTE_A, NULL, 0), ==,
                    VGSP_GSP_OK);
    for (int i = 0; i < runs; i++) {
        double one = 0, many = 0;

        for (int n = 0; n < SHADOW_RUNS; n++) {
            one += shadow_change(q, s.vm, 1, ++step);
            many += shadow_change(q, s.vm, 4096, ++step);
        }
        printf("bench shadow.invalidate_us %.3f\n", one / SHADOW_RUNS);
        printf("bench shadow.invalidate_4096_us %.3f\n", many / SHADOW_RUNS);
    }
    vgsp_ch_free(&c);
    vgsp_ch_space_free(&s);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

/* ---- Channels, by stats-release-ns ---- */

#define COPY_SIZE       (16u << 20)
#define COPY_VA         0x100000000ull  /* source; the destination follows */
#define COPY_VRAM       (64ull << 20)
#define SMALL           4096u
#define SMALL_COUNT     1000u
#define SMALL_TIMES     4u
#define RELEASES        200
#define COPY_TURNS      50

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Rings the channel and waits: us from its doorbell to its release. */
static double channel_run(VgspCh *c)
{
    VgspQos *q = c->s->q;
    int64_t start = vgsp_qos_stat(q, "stats-release-ns");

    vgsp_ch_sync(c);
    return (vgsp_qos_stat(q, "stats-release-ns") - start) / 1e3;
}

static void bench_release(VgspCh *c)
{
    double us[RELEASES];

    for (int i = 0; i < RELEASES; i++) {
        us[i] = channel_run(c);
    }
    qsort(us, RELEASES, sizeof(us[0]), compare_double);
    printf("bench host.release_us %.3f\n", us[RELEASES / 2]);
}

static void push_copy(VgspCh *c, uint32_t offset, uint32_t len)
{
    uint64_t from = COPY_VA + offset, to = COPY_VA + COPY_SIZE + offset;

    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_INC_METHOD, 4, NVC5B5_OFFSET_IN_UPPER,
                   8);
    vgsp_ch_word(c, from >> 32);
    vgsp_ch_word(c, from);
    vgsp_ch_word(c, to >> 32);
    vgsp_ch_word(c, to);
    vgsp_ch_word(c, len);
    vgsp_ch_word(c, len);
    vgsp_ch_word(c, len);
    vgsp_ch_word(c, 1);
    vgsp_ch_method(c, 4, NVC5B5_LAUNCH_DMA,
                   NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_PIPELINED |
                   NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT |
                   NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT);
}

/* The same with memcpy(), us. */
static double host_copy(uint8_t *memory, uint32_t pieces, uint32_t len,
                        uint32_t times)
{
    int64_t start = g_get_monotonic_time();

    for (uint32_t i = 0; i < pieces * times; i++) {
        uint32_t offset = i % pieces * len;

        memcpy(memory + COPY_SIZE + offset, memory + offset, len);
        barrier(); /* each is a copy of its own */
    }
    return g_get_monotonic_time() - start;
}

/*
 * Copies in turns, so that both meet the same machine; the best of each, which
 * others of the machine disturbed least. The engine is given one push, @times
 * a doorbell.
 */
static double copy_vs_memcpy(VgspCh *c, uint8_t *memory, uint32_t pieces,
                             uint32_t len, uint32_t times)
{
    uint64_t va = c->ch.gpfifo_va + VGSP_CH_PUSH;
    double device = INFINITY, host = INFINITY;
    uint32_t words;

    for (uint32_t i = 0; i < pieces; i++) {
        push_copy(c, i * len, len);
    }
    words = c->words;
    for (int n = 0; n < COPY_TURNS; n++) {
        host = MIN(host, host_copy(memory, pieces, len, times));
        for (uint32_t i = 0; i < times; i++) {
            vgsp_ch_raw_entry(c, va, (uint32_t)(va >> 32) |
                              VGSP_SET(NVC46F_GP_ENTRY1_LENGTH, words));
        }
        c->words = c->start = words;
        device = MIN(device, channel_run(c));
    }
    return host / device;
}

static void bench_channel(int runs)
{
    VgspQos *q = vgsp_qos_new("", "");
    uint8_t *memory = qemu_memalign(2u << 20, 2 * COPY_SIZE);
    VgspChSpace s = { .q = q };
    VgspCh c;

    /* Pages as VRAM has them, and neither side's are new. */
    qemu_madvise(memory, 2 * COPY_SIZE, QEMU_MADV_HUGEPAGE);
    memset(memory, 1, 2 * COPY_SIZE);
    vgsp_gsp_up(q, vgsp_profiles[0]);
    vgsp_ch_space_new(q, &s, 0);
    for (uint32_t at = 0; at < 2 * COPY_SIZE; at += 2u << 20) {
        vgsp_vm_map(s.vm, COPY_VA + at, COPY_VRAM + at, 21, VGSP_PTE_VRAM);
    }
    vgsp_vm_commit(s.vm);
    vgsp_ch_new(&s, &c, 0, NV2080_ENGINE_TYPE_COPY(2), 512, false);
    vgsp_ch_copy_object(&c);
    vgsp_ch_sync(&c);
    for (int i = 0; i < runs; i++) {
        bench_release(&c);
        printf("bench ce.copy_vs_memcpy %.3f\n",
               copy_vs_memcpy(&c, memory, 1, COPY_SIZE, 1));
        printf("bench ce.copy_4k_vs_memcpy %.3f\n",
               copy_vs_memcpy(&c, memory, SMALL_COUNT, SMALL, SMALL_TIMES));
    }
    vgsp_ch_free(&c);
    vgsp_ch_space_free(&s);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
    qemu_vfree(memory);
}

static void bench_rm(int runs)
{
    VgspQos *q = vgsp_qos_new("", "");
    uint64_t pde;
    VgspQosVm *vm;

    vgsp_gsp_up(q, vgsp_profiles[0]);
    vm = vgsp_vm_new(q, TABLES, TABLES_SIZE);
    vgsp_vm_map(vm, 0, PAGES, 12, VGSP_PTE_VRAM);
    vgsp_vm_commit(vm);
    pde = vgsp_vm_pde0(vm);
    vgsp_vram_write(q, q->gsp.info.bar1_pde_base, &pde, sizeof(pde));
    vgsp_invalidate(q, q->gsp.info.bar1_pde_base);
    for (int i = 0; i < runs; i++) {
        bench_rpc(q);
        bench_remap(q, vm);
    }
    vgsp_vm_free(vm);
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

/* vgsp-bench [RUNS [PART]] */
int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(int runs);
    } part[] = {
        { "rm", bench_rm },
        { "channel", bench_channel },
        { "shadow", bench_shadow },
    };
    int runs = argc > 1 ? atoi(argv[1]) : 5;

    for (unsigned i = 0; i < ARRAY_SIZE(part); i++) {
        if (argc <= 2 || !strcmp(argv[2], part[i].name)) {
            part[i].run(runs);
        }
    }
    return 0;
}
