/*
 * Speed of common code, natively: translations that hit the TLB, and walks.
 * Prints a line "bench KEY VALUE" a run; tests/bench/bench runs it.
 *
 * usage: unit-bench [RUNS]
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "vgsp/tlb.h"

#define KiB         UINT64_C(1024)
#define PTE_VALID   UINT64_C(1)
#define PDE_VIDEO   (UINT64_C(1) << 1)
#define PAGES       512u

static uint8_t vram[64 * 1024];

static bool mem_read(void *opaque, VgspAperture ap, uint64_t addr, void *buf,
                     size_t len)
{
    (void)opaque;
    if (ap != VGSP_APERTURE_VIDEO || !vgsp_range_ok(addr, len, sizeof(vram))) {
        return false;
    }
    memcpy(buf, vram + addr, len);
    return true;
}

static const VgspGmmuOps ops = { .read = mem_read };

/* Tables at 0, 4K ... 16K: the first 2 MiB in pages of 4 KiB. */
static void map_pages(void)
{
    uint64_t i;

    for (i = 0; i < 3; i++) {
        vgsp_put_le64(vram + i * 4 * KiB,
                      PDE_VIDEO | ((i + 1) * 4 * KiB) >> 4);
    }
    vgsp_put_le64(vram + 12 * KiB + 8, PDE_VIDEO | (16 * KiB) >> 4);
    for (i = 0; i < PAGES; i++) {
        vgsp_put_le64(vram + 16 * KiB + i * 8,
                      PTE_VALID | ((PAGES - i) * 4 * KiB) >> 4);
    }
}

static double now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void fail(void)
{
    fprintf(stderr, "unit-bench: a translation is wrong\n");
    exit(1);
}

static double tlb_hits(void)
{
    static VgspTlb tlb;
    VgspPdb pdb = vgsp_pdb_from_address(VGSP_APERTURE_VIDEO, 0);
    const unsigned int n = 20000000;
    uint64_t sum = 0, expected = 0;
    double start = now(), seconds;

    memset(&tlb, 0, sizeof(tlb));
    for (unsigned int i = 0; i < n; i++) {
        uint64_t page = i * 7 % PAGES;
        VgspGmmuFault fault;
        const VgspMapping *m = vgsp_tlb_translate(&tlb, &ops, NULL, &pdb,
                                                  page * 4 * KiB, &fault);

        sum += m ? m->pa : 0;
        expected += (PAGES - page) * 4 * KiB;
    }
    seconds = now() - start;
    if (sum != expected || tlb.misses != PAGES) {
        fail();
    }
    return n / seconds / 1e6;
}

static double walks(void)
{
    VgspPdb pdb = vgsp_pdb_from_address(VGSP_APERTURE_VIDEO, 0);
    const unsigned int n = 2000000;
    uint64_t sum = 0, expected = 0;
    double start = now(), seconds;

    for (unsigned int i = 0; i < n; i++) {
        uint64_t page = i * 7 % PAGES;
        VgspMapping m;

        vgsp_gmmu_walk(&ops, NULL, &pdb, page * 4 * KiB, &m);
        sum += m.pa;
        expected += (PAGES - page) * 4 * KiB;
    }
    seconds = now() - start;
    if (sum != expected) {
        fail();
    }
    return n / seconds / 1e6;
}

int main(int argc, char **argv)
{
    int runs = argc > 1 ? atoi(argv[1]) : 5;

    map_pages();
    for (int i = 0; i < runs; i++) {
        printf("bench gmmu.tlb_hit_mps %.3f\n", tlb_hits());
        printf("bench gmmu.walk_mps %.3f\n", walks());
    }
    return 0;
}
