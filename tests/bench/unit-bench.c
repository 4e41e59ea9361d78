/*
 * Speed of common code, natively: translations that hit the TLB, and walks;
 * decoding of a push buffer, and capture of its methods in sections.
 * Prints a line "bench KEY VALUE" a run; tests/bench/bench runs it.
 *
 * usage: unit-bench RUNS RECORDING
 *
 * The push buffer is what the sections of the recording hold.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "replay/recording.h"
#include "vgsp/nv/class.h"
#include "vgsp/section.h"
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

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return ts.tv_sec + ts.tv_nsec / 1e9;
}

static void fail(void)
{
    fprintf(stderr, "unit-bench: a result is wrong\n");
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

/* ---- Push buffers ---- */

#define STREAM_WORDS    (256u * 1024)
#define STREAM_RUNS     100

static uint32_t stream[STREAM_WORDS];
static uint32_t section[8192];

/* Fills the stream with the recording's sections, over and over. */
static void stream_fill(const char *path)
{
    uint32_t n = 0, first = UINT32_MAX;
    char *data;
    size_t size;

    if (!g_file_get_contents(path, &data, &size, NULL)) {
        fprintf(stderr, "unit-bench: cannot read %s\n", path);
        exit(1);
    }
    while (n != first) {
        VgspRecordingReader *r = vgsp_recording_open(data, size, NULL);
        VgspRecord record;

        first = n;
        while (r && vgsp_recording_next(r, &record)) {
            if (record.type == VGSP_RECORD_SECTION &&
                record.section->count <= STREAM_WORDS - n) {
                memcpy(stream + n, record.words, record.section->count * 4);
                n += record.section->count;
            }
        }
        vgsp_recording_free(r);
    }
    if (!n) {
        fail();
    }
    while (n < STREAM_WORDS) {
        stream[n++] = NVC46F_DMA_NOP;
    }
    g_free(data);
}

/* Seconds to decode the stream, captured in sections if asked. */
static double decode(bool capture)
{
    static const uint32_t cls[VGSP_SECTION_SUBCHANNELS] = {
        TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
    };
    static size_t expected;     /* methods: the same in each run */
    double start = now();

    for (unsigned int r = 0; r < STREAM_RUNS; r++) {
        VgspSectionWriter w = { section, 0, VGSP_ARRAY_SIZE(section) };
        size_t pos = 0, methods = 0;
        VgspPushbuf pb;

        vgsp_pb_init(&pb);
        for (;;) {
            VgspPbRun run;
            VgspPolicy policy;
            size_t used;

            if (vgsp_pb_next(&pb, stream + pos, STREAM_WORDS - pos, &used,
                             &run) != VGSP_PB_METHODS) {
                break;
            }
            pos += used;
            if (capture) {
                uint32_t n = vgsp_section_pass(
                    cls[run.subchannel % VGSP_SECTION_SUBCHANNELS], &run,
                    run.count, &policy);

                if (vgsp_section_append(&w, &run, n) < run.count) {
                    w.count = 0;
                    vgsp_section_append(&w, &run, n);
                }
                if (n != run.count) {
                    fail();
                }
            }
            methods += run.count;
            pos += vgsp_pb_advance(&pb, run.count);
        }
        if (!methods || (expected && methods != expected) ||
            pos != STREAM_WORDS) {
            fail();
        }
        expected = methods;
    }
    return now() - start;
}

int main(int argc, char **argv)
{
    const double words = (double)STREAM_WORDS * STREAM_RUNS;
    int runs = argc == 3 ? atoi(argv[1]) : 0;

    if (runs < 1) {
        fprintf(stderr, "usage: unit-bench RUNS RECORDING\n");
        return 2;
    }
    stream_fill(argv[2]);
    map_pages();
    for (int i = 0; i < runs; i++) {
        double plain = decode(false);

        printf("bench gmmu.tlb_hit_mps %.3f\n", tlb_hits());
        printf("bench gmmu.walk_mps %.3f\n", walks());
        printf("bench pushbuf.decode_gbs %.3f\n", words * 4 / plain / 1e9);
        /* What capture adds to decoding. */
        printf("bench section.capture_ns_per_dword %.3f\n",
               (decode(true) - plain) * 1e9 / words);
    }
    return 0;
}
