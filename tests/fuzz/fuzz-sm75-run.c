/*
 * Programs of any content on a small grid: whatever they do, slices end, and
 * nothing outside of the memory they are given is touched. The first bytes
 * shape the launch, the rest are the program; what follows its end is EXIT.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "../unit/sm75-fixture.h"

#define SLICES  3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Fixture *f;
    const unsigned header = 4;
    unsigned insns;
    uint8_t shape[4] = { 0 };
    VgspGrid *g;

    if (!f) {
        f = fixture_new(1);
    }
    memcpy(shape, data, MIN(size, header));
    insns = size > header ? (unsigned)MIN((size - header) / 16, 64) : 0;

    memset(f->host, 0x11, MEM_SIZE);
    memset(words(f, BANK), 0, 0x1000);
    if (insns) {
        memcpy(words(f, CODE), data + header, insns * 16);
    }
    for (unsigned i = insns; i < insns + 4; i++) {
        Word e = exit_();

        memcpy(words(f, CODE + i * 16), &e, 16);
    }
    /* Addresses that lead somewhere: R2:R3 of a program that reads them. */
    words(f, BANK)[0] = (uint32_t)MEM;
    words(f, BANK)[1] = MEM >> 32;
    words(f, BANK)[2] = (uint32_t)SPARSE;
    words(f, BANK)[3] = SPARSE >> 32;

    f->qmd.grid[0] = 1 + (shape[0] & 3);
    f->qmd.grid[1] = 1 + (shape[0] >> 2 & 1);
    f->qmd.block[0] = 1 + (shape[1] & 0x7f);
    f->qmd.shared_size = (shape[2] & 3) << 8;
    f->qmd.local_size = (shape[2] >> 2 & 3) << 4;
    f->qmd.registers = 1 + shape[3];
    f->state.ignore_out_of_range = shape[2] >> 4 & 1;
    f->state.tex_header_pool = MEM + 0x40000;
    f->state.tex_header_max = 15;
    f->state.sampler_pool = MEM + 0x48000;
    f->state.sampler_max = 15;
    g = vgsp_grid_new(f->model, &f->qmd, &f->state);
    run_slices(g, &f->worker[0], SLICES);
    vgsp_grid_free(g);
    return 0;
}
