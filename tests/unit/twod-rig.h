/*
 * A 2D engine with a double of the model around it: methods, surfaces, and
 * what the tests draw most.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_TWOD_RIG_H
#define TESTS_UNIT_TWOD_RIG_H

#include "model-double.h"
#include "model/twod-format.c"
#include "model/twod.c"

#define SRC_AT  0x100000        /* in the memory; the destination is at 0 */

static VgspTwod *twod;
static VgspContext *ctx;
static unsigned slices;

/* A method, again and again while its slices are used up. */
static inline VgspFeEnd method(uint32_t address, uint32_t data)
{
    VgspFeEnd end;

    for (slices = 1;; slices++) {
        end = vgsp_twod_method(twod, ctx, &ctx->worker, address, data);
        if (end != VGSP_FE_AGAIN) {
            return end;
        }
        g_assert_cmpuint(slices, <, 1000);
    }
}

static inline void done(uint32_t address, uint32_t data)
{
    g_assert_cmpint(method(address, data), ==, VGSP_FE_DONE);
}

static inline void setup(void)
{
    ctx = double_new();
    twod = vgsp_twod_new();
    memset(ctx->memory, 0xee, SRC_AT);
    for (uint32_t i = SRC_AT; i < DOUBLE_SIZE; i++) {
        ctx->memory[i] = (uint8_t)(i * 5 + (i >> 8) * 3 + 1);
    }
}

static inline void teardown(void)
{
    vgsp_twod_free(twod);
    double_free(ctx);
}

static inline void set_offset(uint32_t first, uint64_t va)
{
    done(first + 0x20, (uint32_t)(va >> 32));
    done(first + 0x24, (uint32_t)va);
}

static inline void set_pitch(uint32_t first, uint32_t format, uint32_t pitch,
                             uint32_t width, uint32_t height)
{
    done(first, format);
    done(first + 0x04, 1);
    done(first + 0x14, pitch);
    done(first + 0x18, width);
    done(first + 0x1c, height);
    set_offset(first, DOUBLE_VA + (first == 0x230 ? SRC_AT : 0));
}

static inline void set_block_linear(uint32_t first, uint32_t format,
                                    unsigned h, unsigned d, uint32_t width,
                                    uint32_t height)
{
    done(first, format);
    done(first + 0x04, 0);
    done(first + 0x08, h << 4 | d << 8);
    done(first + 0x18, width);
    done(first + 0x1c, height);
    set_offset(first, DOUBLE_VA + (first == 0x230 ? SRC_AT : 0));
}

static inline void set_color(uint32_t format, uint32_t color)
{
    done(0x580, 4);
    done(0x584, format);
    done(0x588, color);
}

static inline void rect(int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
    done(0x600, (uint32_t)x0);
    done(0x604, (uint32_t)y0);
    done(0x608, (uint32_t)x1);
    done(0x60c, (uint32_t)y1);
}

static inline void blit_rect(int32_t dx, int32_t dy, uint32_t w, uint32_t h,
                             int64_t du, int64_t dv, int64_t sx, int64_t sy)
{
    done(0x8b0, (uint32_t)dx);
    done(0x8b4, (uint32_t)dy);
    done(0x8b8, w);
    done(0x8bc, h);
    done(0x8c0, (uint32_t)du);
    done(0x8c4, (uint32_t)(du >> 32));
    done(0x8c8, (uint32_t)dv);
    done(0x8cc, (uint32_t)(dv >> 32));
    done(0x8d0, (uint32_t)sx);
    done(0x8d4, (uint32_t)(sx >> 32));
    done(0x8d8, (uint32_t)sy);
    done(0x8dc, (uint32_t)(sy >> 32));
}

#define FIX(v)  ((int64_t)((v) * 4294967296.0))

static inline void copy(int32_t dx, int32_t dy, uint32_t w, uint32_t h,
                        int32_t sx, int32_t sy)
{
    blit_rect(dx, dy, w, h, FIX(1), FIX(1), FIX(sx), FIX(sy));
}

static inline uint32_t dst32(uint32_t pitch, uint32_t x, uint32_t y)
{
    return vgsp_le32(ctx->memory + y * pitch + 4 * x);
}

static inline void set_both(uint32_t format, uint32_t width, uint32_t height)
{
    set_pitch(0x200, format, 4096, width, height);
    set_pitch(0x230, format, 4096, width, height);
}

static inline void set_cpu(uint32_t format, uint32_t w, uint32_t h, int32_t x,
                           int32_t y)
{
    done(0x800, 0);
    done(0x804, format);
    done(0x838, w);
    done(0x83c, h);
    done(0x840, 0);
    done(0x844, 1);
    done(0x848, 0);
    done(0x84c, 1);
    done(0x850, 0);
    done(0x854, (uint32_t)x);
    done(0x858, 0);
    done(0x85c, (uint32_t)y);
}

#endif
