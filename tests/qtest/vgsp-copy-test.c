/*
 * The copy engine against references written here: linear and block-linear
 * surfaces, remap, physical addresses, semaphores, launch errors.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-channel.h"

#define LAUNCH(field, value) VGSP_SET(NVC5B5_LAUNCH_DMA_##field, \
                                      NVC5B5_LAUNCH_DMA_##field##_##value)
#define NON_PIPELINED   LAUNCH(DATA_TRANSFER_TYPE, NON_PIPELINED)
#define SRC_PITCH       NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT
#define DST_PITCH       NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT
#define PITCH_COPY      (NON_PIPELINED | SRC_PITCH | DST_PITCH | \
                         NVC5B5_LAUNCH_DMA_FLUSH_ENABLE)
#define MULTI_LINE      NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE
#define REMAP           NVC5B5_LAUNCH_DMA_REMAP_ENABLE

/* Where the tests put things in the space's guest memory. */
#define SRC 0x10000u
#define DST 0x100000u
#define LEN 0x80000u

typedef struct Bench {
    VgspQos *q;
    VgspChSpace s;
    VgspChRc rc;
    VgspCh c;
    uint8_t *src, *dst, *want;  /* LEN bytes each; dst as read back */
} Bench;

static uint8_t pattern(uint32_t i)
{
    return i * 37 + (i >> 8) * 11 + (i >> 16);
}

static Bench *bench_new(bool privileged)
{
    Bench *b = g_new0(Bench, 1);

    b->q = vgsp_qos_new("", "");
    vgsp_gsp_up(b->q, vgsp_profiles[0]);
    vgsp_ch_watch(b->q, &b->rc);
    vgsp_ch_space_new(b->q, &b->s, 0);
    vgsp_ch_new(&b->s, &b->c, 5, NV2080_ENGINE_TYPE_COPY(2), 64, privileged);
    vgsp_ch_copy_object(&b->c);
    b->src = g_malloc(LEN);
    b->dst = g_malloc(LEN);
    b->want = g_malloc(LEN);
    for (uint32_t i = 0; i < LEN; i++) {
        b->src[i] = pattern(i);
    }
    qtest_bufwrite(b->q->qts, b->s.ram + SRC, b->src, LEN);
    return b;
}

static void bench_free(Bench *b)
{
    vgsp_ch_free(&b->c);
    vgsp_ch_space_free(&b->s);
    vgsp_gsp_down(b->q);
    vgsp_qos_free(b->q);
    g_free(b->src);
    g_free(b->dst);
    g_free(b->want);
    g_free(b);
}

/* The destination and what is wanted there become 0xee. */
static void clear(Bench *b)
{
    qtest_memset(b->q->qts, b->s.ram + DST, 0xee, LEN);
    memset(b->want, 0xee, LEN);
}

static void compare(Bench *b)
{
    qtest_bufread(b->q->qts, b->s.ram + DST, b->dst, LEN);
    g_assert_cmpmem(b->dst, LEN, b->want, LEN);
}

static void method(Bench *b, uint32_t mthd, uint32_t data)
{
    vgsp_ch_method(&b->c, 4, mthd, data);
}

/* Offsets, pitches, line length and count. */
static void rectangle(Bench *b, uint64_t src, uint64_t dst, int32_t pitch_in,
                      int32_t pitch_out, uint32_t length, uint32_t count)
{
    vgsp_ch_header(&b->c, NVC46F_DMA_SEC_OP_INC_METHOD, 4,
                   NVC5B5_OFFSET_IN_UPPER, 8);
    vgsp_ch_word(&b->c, src >> 32);
    vgsp_ch_word(&b->c, src);
    vgsp_ch_word(&b->c, dst >> 32);
    vgsp_ch_word(&b->c, dst);
    vgsp_ch_word(&b->c, pitch_in);
    vgsp_ch_word(&b->c, pitch_out);
    vgsp_ch_word(&b->c, length);
    vgsp_ch_word(&b->c, count);
}

static void launch(Bench *b, uint32_t data)
{
    method(b, NVC5B5_LAUNCH_DMA, data);
}

/* ---- Linear ---- */

static void test_pitch(void)
{
    static const struct {
        uint32_t src, dst;
        int32_t pitch_in, pitch_out;
        uint32_t length, count;
    } cases[] = {
        { 0, 0, 4096, 4096, 4096, 5 },          /* lines without gaps */
        { 1, 3, 100, 70, 61, 33 },
        { 0xfff, 0x1ffe, 5000, 4099, 3, 9 },    /* across pages */
        { 0, 0x8000, 64, -64, 64, 20 },         /* upside down */
        { 0, 0, 128, 128, 0, 7 },
        { 0, 0, 128, 128, 7, 0 },
        { 5, 9, 0, 0, 77, 1 },                  /* one line has no pitch */
    };
    Bench *b = bench_new(false);

    method(b, NVC46F_SET_OBJECT, TURING_DMA_COPY_A);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        clear(b);
        rectangle(b, VGSP_CH_VA_RAM + SRC + cases[i].src,
                  VGSP_CH_VA_RAM + DST + cases[i].dst, cases[i].pitch_in,
                  cases[i].pitch_out, cases[i].length, cases[i].count);
        launch(b, PITCH_COPY | MULTI_LINE);
        vgsp_ch_sync(&b->c);
        for (uint32_t y = 0; y < cases[i].count; y++) {
            memcpy(b->want + cases[i].dst + (int32_t)y * cases[i].pitch_out,
                   b->src + cases[i].src + (int32_t)y * cases[i].pitch_in,
                   cases[i].length);
        }
        compare(b);
    }
    bench_free(b);
}

/* Without MULTI_LINE a stale LINE_COUNT and stale pitches mean nothing. */
static void test_single_line(void)
{
    Bench *b = bench_new(false);

    clear(b);
    rectangle(b, VGSP_CH_VA_RAM + SRC, VGSP_CH_VA_RAM + DST, 1, 1, 0x60001,
              99);
    launch(b, PITCH_COPY);
    vgsp_ch_sync(&b->c);
    memcpy(b->want, b->src, 0x60001);
    compare(b);
    bench_free(b);
}

/* System memory to VRAM and back; the state of the first launch persists. */
static void test_vram(void)
{
    Bench *b = bench_new(false);

    clear(b);
    rectangle(b, VGSP_CH_VA_RAM + SRC, VGSP_CH_VA_VRAM, 0, 0, LEN, 1);
    launch(b, PITCH_COPY);
    method(b, NVC5B5_OFFSET_IN_LOWER, (uint32_t)VGSP_CH_VA_VRAM);
    method(b, NVC5B5_OFFSET_OUT_LOWER, (uint32_t)VGSP_CH_VA_RAM + DST);
    launch(b, PITCH_COPY);
    vgsp_ch_sync(&b->c);
    memcpy(b->want, b->src, LEN);
    compare(b);
    bench_free(b);
}

static void test_physical(void)
{
    Bench *b = bench_new(true);
    uint32_t phys = VGSP_SET(NVC5B5_LAUNCH_DMA_SRC_TYPE,
                             NVC5B5_LAUNCH_DMA_TYPE_PHYSICAL) |
                    VGSP_SET(NVC5B5_LAUNCH_DMA_DST_TYPE,
                             NVC5B5_LAUNCH_DMA_TYPE_PHYSICAL);

    clear(b);
    method(b, NVC5B5_SET_SRC_PHYS_MODE,
           NVC5B5_SET_PHYS_MODE_TARGET_COHERENT_SYSMEM);
    method(b, NVC5B5_SET_DST_PHYS_MODE, NVC5B5_SET_PHYS_MODE_TARGET_LOCAL_FB);
    rectangle(b, b->s.ram + SRC, b->s.vram, 0, 0, 0x1234, 1);
    launch(b, PITCH_COPY | phys);
    method(b, NVC5B5_SET_SRC_PHYS_MODE, NVC5B5_SET_PHYS_MODE_TARGET_LOCAL_FB);
    method(b, NVC5B5_SET_DST_PHYS_MODE,
           NVC5B5_SET_PHYS_MODE_TARGET_NONCOHERENT_SYSMEM);
    rectangle(b, b->s.vram, b->s.ram + DST, 0, 0, 0x1234, 1);
    launch(b, PITCH_COPY | phys);
    vgsp_ch_sync(&b->c);
    memcpy(b->want, b->src, 0x1234);
    compare(b);

    /* One side physical: the other is an address of the space. */
    rectangle(b, VGSP_CH_VA_RAM + SRC + 0x100, b->s.ram + DST, 0, 0, 0x2345,
              1);
    launch(b, PITCH_COPY | VGSP_SET(NVC5B5_LAUNCH_DMA_DST_TYPE,
                                    NVC5B5_LAUNCH_DMA_TYPE_PHYSICAL));
    vgsp_ch_sync(&b->c);
    memcpy(b->want, b->src + 0x100, 0x2345);
    compare(b);

    /* The class has three targets, no peer. */
    method(b, NVC5B5_SET_DST_PHYS_MODE, 3);
    launch(b, PITCH_COPY | phys);
    vgsp_ch_kick(&b->c);
    g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, 1));
    g_assert_cmpuint(b->rc.except_type, ==, ROBUST_CHANNEL_CE2_ERROR);
    compare(b);
    bench_free(b);
}

/* ---- Remap ---- */

#define COMPONENTS(x, y, z, w, size, n_src, n_dst) \
    ((x) | (y) << 4 | (z) << 8 | (w) << 12 | ((size) - 1) << 16 | \
     ((n_src) - 1) << 20 | ((n_dst) - 1) << 24)
#define CONST_A     NVC5B5_SET_REMAP_COMPONENTS_DST_CONST_A
#define CONST_B     NVC5B5_SET_REMAP_COMPONENTS_DST_CONST_B
#define NO_WRITE    NVC5B5_SET_REMAP_COMPONENTS_DST_NO_WRITE

typedef struct Remap {
    uint8_t select[4];
    uint8_t size, n_src, n_dst;
} Remap;

/* A transfer of @count lines of @length elements, and what it makes. */
static void remap_case(Bench *b, const Remap *r, uint32_t length,
                       uint32_t count)
{
    static const uint32_t consts[2] = { 0x11223344, 0x55667788 };
    const uint8_t *sel = r->select;
    uint32_t size = r->size;
    uint32_t pitch_in = size * r->n_src * length + 5;
    uint32_t pitch_out = size * r->n_dst * length + 9;
    bool reads = false;

    for (unsigned c = 0; c < r->n_dst; c++) {
        reads |= sel[c] < 4;
    }
    clear(b);
    method(b, NVC5B5_SET_REMAP_CONST_A, consts[0]);
    method(b, NVC5B5_SET_REMAP_CONST_B, consts[1]);
    method(b, NVC5B5_SET_REMAP_COMPONENTS,
           COMPONENTS(sel[0], sel[1], sel[2], sel[3], size, r->n_src,
                      r->n_dst));
    /* What reads no source does not look at its address. */
    rectangle(b, reads ? VGSP_CH_VA_RAM + SRC : VGSP_CH_VA_NONE,
              VGSP_CH_VA_RAM + DST, pitch_in, pitch_out, length, count);
    launch(b, PITCH_COPY | MULTI_LINE | REMAP);
    vgsp_ch_sync(&b->c);
    for (uint32_t i = 0; i < length * count; i++) {
        uint32_t x = i % length, y = i / length;
        uint8_t *to = b->want + y * pitch_out + x * size * r->n_dst;
        uint8_t *from = b->src + y * pitch_in + x * size * r->n_src;

        for (unsigned k = 0; k < size * r->n_dst; k++) {
            unsigned s = sel[k / size];

            if (s < 4) {
                to[k] = from[s * size + k % size];
            } else if (s != NO_WRITE) {
                to[k] = consts[s - CONST_A] >> (8 * (k % size));
            }
        }
    }
    compare(b);
}

static void test_remap(void)
{
    static const Remap cases[] = {
        { { CONST_A }, 4, 1, 1 },                   /* fills */
        { { CONST_B }, 1, 1, 1 },
        { { CONST_A, CONST_B }, 4, 1, 2 },
        { { 0, 1, 2, 3 }, 4, 4, 4 },                /* identity */
        { { 2, 1, 0, 3 }, 1, 4, 4 },                /* swap red and blue */
        { { 0, 0 }, 1, 1, 2 },                      /* bytes doubled */
        { { 0, NO_WRITE, NO_WRITE, 3 }, 1, 4, 4 },  /* depth or stencil */
        { { NO_WRITE, CONST_B, 0 }, 2, 1, 3 },
        { { 1 }, 3, 2, 1 },
        { { 2, CONST_A }, 2, 4, 2 },
    };
    Bench *b = bench_new(false);

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        remap_case(b, &cases[i], 1000, 3);
    }
    bench_free(b);
}

/* Each size of each number of components, selectors of all kinds. */
static void test_remap_sizes(void)
{
    Bench *b = bench_new(false);

    for (unsigned i = 0; i < 4 * 4 * 4; i++) {
        Remap r = { .size = 1 + i % 4, .n_src = 1 + i / 4 % 4,
                    .n_dst = 1 + i / 16 };

        for (unsigned c = 0; c < r.n_dst; c++) {
            unsigned kind = (i * 5 + c * 3) % (r.n_src + 3);

            r.select[c] = kind < r.n_src ? kind : CONST_A + kind - r.n_src;
        }
        remap_case(b, &r, 61, 2);
    }
    bench_free(b);
}

/* ---- Block-linear ---- */

typedef struct Surface {
    uint32_t width, height, depth;  /* bytes, rows, slices */
    unsigned h, d;                  /* log2 of GOBs a block */
} Surface;

/*
 * Where the byte at offset @o lies, if it lies in the surface: counted from
 * the memory side, the other way round than the device does.
 */
static bool surface_locate(const Surface *sf, uint32_t o, uint32_t *x,
                           uint32_t *y, uint32_t *z)
{
    uint32_t across = (sf->width + 63) / 64;
    uint32_t down = (sf->height + (8 << sf->h) - 1) / (8 << sf->h);
    uint32_t gob = o / 512, in = o % 512;
    uint32_t block = gob >> (sf->h + sf->d);
    uint32_t row = gob & ((1 << sf->h) - 1);
    uint32_t slice = (gob >> sf->h) & ((1 << sf->d) - 1);

    *x = block % across * 64 + (in & 15) + ((in >> 6 & 1) << 4) +
         ((in >> 8 & 1) << 5);
    *y = (block / across % down * (1 << sf->h) + row) * 8 +
         ((in >> 4 & 3) | (in >> 7 & 1) << 2);
    *z = (block / across / down << sf->d) + slice;
    return *x < sf->width && *y < sf->height && *z < sf->depth;
}

static void surface_methods(Bench *b, bool dst, const Surface *sf,
                            uint32_t layer, uint32_t x, uint32_t y)
{
    uint32_t base = dst ? NVC5B5_SET_DST_BLOCK_SIZE
                        : NVC5B5_SET_SRC_BLOCK_SIZE;

    vgsp_ch_header(&b->c, NVC46F_DMA_SEC_OP_INC_METHOD, 4, base, 5);
    vgsp_ch_word(&b->c, VGSP_SET(NVC5B5_SET_BLOCK_SIZE_HEIGHT, sf->h) |
                 VGSP_SET(NVC5B5_SET_BLOCK_SIZE_DEPTH, sf->d) |
                 VGSP_SET(NVC5B5_SET_BLOCK_SIZE_GOB_HEIGHT,
                     NVC5B5_SET_BLOCK_SIZE_GOB_HEIGHT_GOB_HEIGHT_FERMI_8));
    vgsp_ch_word(&b->c, sf->width);
    vgsp_ch_word(&b->c, sf->height);
    vgsp_ch_word(&b->c, sf->depth);
    vgsp_ch_word(&b->c, layer);
    method(b, dst ? NVC5B5_DST_ORIGIN_X : NVC5B5_SRC_ORIGIN_X, x);
    method(b, dst ? NVC5B5_DST_ORIGIN_Y : NVC5B5_SRC_ORIGIN_Y, y);
}

static const Surface surfaces[] = {
    { 64, 8, 1, 0, 0 },
    { 256, 40, 1, 0, 0 },
    { 192, 100, 1, 1, 0 },
    { 320, 70, 1, 2, 0 },
    { 128, 200, 1, 3, 0 },
    { 128, 150, 1, 4, 0 },
    { 64, 300, 1, 5, 0 },
    { 128, 33, 5, 1, 1 },
    { 192, 20, 9, 0, 3 },
    { 128, 40, 6, 2, 2 },
    { 64, 8, 17, 0, 4 },
    { 64, 16, 32, 1, 5 },
};

/* A rectangle at (x, y) of each surface's last layer, out of and into it. */
static void test_block_linear(void)
{
    Bench *b = bench_new(false);

    for (size_t i = 0; i < ARRAY_SIZE(surfaces) * 2; i++) {
        const Surface *sf = &surfaces[i / 2];
        uint32_t x0 = i % 3 * 7, y0 = i % 5, layer = sf->depth - 1;
        uint32_t w = sf->width - x0 - i % 4, h = sf->height - y0 - i % 2;
        bool into = i % 2;
        uint32_t x, y, z;

        clear(b);
        surface_methods(b, into, sf, layer, x0, y0);
        rectangle(b, VGSP_CH_VA_RAM + SRC, VGSP_CH_VA_RAM + DST, w + 3, w + 3,
                  w, h);
        launch(b, NON_PIPELINED | MULTI_LINE | (into ? SRC_PITCH : DST_PITCH));
        vgsp_ch_sync(&b->c);
        for (uint32_t o = 0; o < LEN; o++) {
            if (surface_locate(sf, o, &x, &y, &z) && z == layer &&
                x >= x0 && x < x0 + w && y >= y0 && y < y0 + h) {
                uint32_t linear = (y - y0) * (w + 3) + x - x0;

                if (into) {
                    b->want[o] = b->src[linear];
                } else {
                    b->want[linear] = b->src[o];
                }
            }
        }
        compare(b);
    }
    bench_free(b);
}

/* From one surface into another whose blocks are of another shape. */
static void test_block_linear_both(void)
{
    const uint32_t w = 100, h = 18, x0 = 5, y0 = 1, x1 = 17, y1 = 3;
    Bench *b = bench_new(false);

    for (unsigned height = 0; height <= 5; height++) {
        const Surface from = { 128, 24, 3, height, 1 };
        const Surface to = { 192, 40, 2, 5 - height, 0 };
        uint8_t *flat = g_malloc0(w * h);
        uint32_t x, y, z;

        clear(b);
        surface_methods(b, false, &from, 2, x0, y0);
        surface_methods(b, true, &to, 1, x1, y1);
        rectangle(b, VGSP_CH_VA_RAM + SRC, VGSP_CH_VA_RAM + DST, 0, 0, w, h);
        launch(b, NON_PIPELINED | MULTI_LINE);
        vgsp_ch_sync(&b->c);
        for (uint32_t o = 0; o < LEN; o++) {
            if (surface_locate(&from, o, &x, &y, &z) && z == 2 && x >= x0 &&
                x < x0 + w && y >= y0 && y < y0 + h) {
                flat[(y - y0) * w + x - x0] = b->src[o];
            }
        }
        for (uint32_t o = 0; o < LEN; o++) {
            if (surface_locate(&to, o, &x, &y, &z) && z == 1 && x >= x1 &&
                x < x1 + w && y >= y1 && y < y1 + h) {
                b->want[o] = flat[(y - y1) * w + x - x1];
            }
        }
        g_free(flat);
        compare(b);
    }
    bench_free(b);
}

/* With remap, widths and origins count elements. */
static void test_block_linear_remap(void)
{
    static const Surface sf = { 32, 16, 1, 1, 0 };  /* elements of 4 bytes */
    Surface bytes = sf;
    Bench *b = bench_new(false);
    uint32_t x, y, z;

    bytes.width *= 4;
    clear(b);
    surface_methods(b, true, &sf, 0, 3, 2);
    method(b, NVC5B5_SET_REMAP_COMPONENTS, COMPONENTS(0, 1, 2, 3, 1, 4, 4));
    rectangle(b, VGSP_CH_VA_RAM + SRC, VGSP_CH_VA_RAM + DST, 100, 0, 20, 9);
    launch(b, NON_PIPELINED | MULTI_LINE | SRC_PITCH | REMAP);
    vgsp_ch_sync(&b->c);
    for (uint32_t o = 0; o < 0x1000; o++) {
        if (surface_locate(&bytes, o, &x, &y, &z) && z == 0 && x >= 12 &&
            x < 12 + 80 && y >= 2 && y < 11) {
            b->want[o] = b->src[(y - 2) * 100 + x - 12];
        }
    }
    compare(b);
    bench_free(b);
}

/* ---- Semaphores and order ---- */

static void semaphore(Bench *b, uint64_t va, uint32_t payload)
{
    vgsp_ch_header(&b->c, NVC46F_DMA_SEC_OP_INC_METHOD, 4,
                   NVC5B5_SET_SEMAPHORE_A, 3);
    vgsp_ch_word(&b->c, va >> 32);
    vgsp_ch_word(&b->c, va);
    vgsp_ch_word(&b->c, payload);
}

/* More launches than fit the queue, each reading what the last one wrote. */
static void test_order(void)
{
    Bench *b = bench_new(false);

    clear(b);
    qtest_memset(b->q->qts, b->s.ram + SRC, 0, LEN);
    qtest_writel(b->q->qts, b->s.ram + SRC, 0x600d);
    for (uint32_t i = 0; i < 100; i++) {
        rectangle(b, VGSP_CH_VA_RAM + SRC + 0x1000 * i,
                  VGSP_CH_VA_RAM + SRC + 0x1000 * (i + 1), 0, 0, 0x1000, 1);
        launch(b, PITCH_COPY);
    }
    vgsp_ch_sync(&b->c);
    g_assert_cmphex(qtest_readl(b->q->qts, b->s.ram + SRC + 0x1000 * 100), ==,
                    0x600d);
    bench_free(b);
}

/*
 * A copy that takes ages: other channels go on, a release without WFI
 * overtakes it, one with WFI does not, and its channel can be freed.
 */
static void test_endless(void)
{
    Bench *b = bench_new(false);
    VgspCh other;

    vgsp_ch_new(&b->s, &other, 6, NV2080_ENGINE_TYPE_COPY(2), 64, false);
    vgsp_ch_copy_object(&other);
    rectangle(b, VGSP_CH_VA_RAM + SRC, VGSP_CH_VA_RAM + DST, 0, 0, 0, 0);
    method(b, NVC5B5_SET_REMAP_COMPONENTS,
           COMPONENTS(NO_WRITE, 0, 0, 0, 4, 1, 1));
    method(b, NVC5B5_LINE_LENGTH_IN, UINT32_MAX);
    method(b, NVC5B5_LINE_COUNT, UINT32_MAX);
    method(b, NVC5B5_PITCH_IN, INT32_MAX);
    method(b, NVC5B5_PITCH_OUT, INT32_MAX);
    method(b, NVC5B5_LINE_LENGTH_IN, 64);
    launch(b, PITCH_COPY | MULTI_LINE | REMAP);
    vgsp_ch_sem(&b->c, VGSP_CH_VA_RAM, 1,
                NVC46F_SEM_EXECUTE_OPERATION_RELEASE);
    vgsp_ch_sem(&b->c, VGSP_CH_VA_RAM + 4, 1,
                NVC46F_SEM_EXECUTE_OPERATION_RELEASE |
                NVC46F_SEM_EXECUTE_RELEASE_WFI);
    vgsp_ch_kick(&b->c);
    g_assert_true(vgsp_ch_wait(b->q, b->s.ram, 1));
    for (int i = 0; i < 10; i++) {
        vgsp_ch_method(&other, 4, NVC5B5_LAUNCH_DMA,
                       NVC5B5_LAUNCH_DMA_FLUSH_ENABLE);
        vgsp_ch_sync(&other);
    }
    g_assert_cmphex(qtest_readl(b->q->qts, b->s.ram + 4), ==, 0);
    vgsp_ch_free(&other);
    bench_free(b);
}

/* ---- Errors ---- */

/*
 * Kicks, waits for the error, makes a new channel. What ran before the launch
 * is complete, what stands behind it does not run.
 */
static void expect_error(Bench *b, uint32_t except_type)
{
    unsigned events = b->rc.events;
    uint32_t chid = b->c.ch.chid;

    vgsp_ch_sem(&b->c, VGSP_CH_VA_RAM + 8, 1,
                NVC46F_SEM_EXECUTE_OPERATION_RELEASE |
                NVC46F_SEM_EXECUTE_RELEASE_WFI);
    vgsp_ch_kick(&b->c);
    g_assert_true(vgsp_ch_wait_rc(b->q, &b->rc, events + 1));
    g_assert_cmpuint(b->rc.chid, ==, chid);
    g_assert_cmpuint(b->rc.except_type, ==, except_type);
    g_assert_cmphex(qtest_readl(b->q->qts, b->s.ram + 8), ==, 0);
    vgsp_ch_free(&b->c);
    vgsp_ch_new(&b->s, &b->c, chid + 1, NV2080_ENGINE_TYPE_COPY(2), 64, false);
    vgsp_ch_copy_object(&b->c);
}

static void test_errors(void)
{
    static const Surface sf = { 64, 16, 2, 1, 0 };
    /* Tesla's GOB of 4 rows, blocks too high, too deep, two GOBs wide. */
    static const uint32_t block_sizes[] = { 0x0010, 0x1060, 0x1600, 0x1001 };
    Bench *b = bench_new(false);
    uint64_t src = VGSP_CH_VA_RAM + SRC, dst = VGSP_CH_VA_RAM + DST;

    /* Of the class: methods, objects, privilege. */
    method(b, 0x104, 0);
    expect_error(b, ROBUST_CHANNEL_PBDMA_ERROR);
    method(b, NVC46F_SET_OBJECT, TURING_A);
    expect_error(b, ROBUST_CHANNEL_PBDMA_ERROR);
    rectangle(b, src, dst, 0, 0, 16, 1);
    launch(b, PITCH_COPY | NVC5B5_LAUNCH_DMA_SRC_TYPE);
    expect_error(b, ROBUST_CHANNEL_PBDMA_ERROR);
    method(b, NVC5B5_SET_RENDER_ENABLE_C, 7);
    expect_error(b, ROBUST_CHANNEL_PBDMA_ERROR);

    /* Of the launch. */
    rectangle(b, src, dst, 16, 8, 16, 2);
    launch(b, PITCH_COPY | MULTI_LINE);
    expect_error(b, ROBUST_CHANNEL_CE2_ERROR);
    launch(b, PITCH_COPY | 3);
    expect_error(b, ROBUST_CHANNEL_CE2_ERROR);
    semaphore(b, VGSP_CH_VA_RAM + 4, 0);
    launch(b, LAUNCH(SEMAPHORE_TYPE, RELEASE_FOUR_WORD_SEMAPHORE));
    expect_error(b, ROBUST_CHANNEL_CE2_ERROR);
    method(b, NVC5B5_SET_REMAP_COMPONENTS, COMPONENTS(1, 0, 0, 0, 4, 1, 1));
    rectangle(b, src, dst, 0, 0, 16, 1);
    launch(b, PITCH_COPY | REMAP);
    expect_error(b, ROBUST_CHANNEL_CE2_ERROR);
    surface_methods(b, true, &sf, 2, 0, 0);
    rectangle(b, src, dst, 0, 0, 16, 1);
    launch(b, NON_PIPELINED | SRC_PITCH);
    expect_error(b, ROBUST_CHANNEL_CE2_ERROR);
    surface_methods(b, true, &sf, 1, 60, 0);
    rectangle(b, src, dst, 0, 0, 16, 1);
    launch(b, NON_PIPELINED | SRC_PITCH);
    expect_error(b, ROBUST_CHANNEL_CE2_ERROR);
    surface_methods(b, true, &sf, 1, 0, 0);
    rectangle(b, src, dst + 16, 0, 0, 16, 1);
    launch(b, NON_PIPELINED | SRC_PITCH);
    expect_error(b, ROBUST_CHANNEL_CE2_ERROR);

    surface_methods(b, true, &sf, 1, 0, 15);
    rectangle(b, src, dst, 16, 0, 16, 2);
    launch(b, NON_PIPELINED | SRC_PITCH | MULTI_LINE);
    expect_error(b, ROBUST_CHANNEL_CE2_ERROR);
    for (size_t i = 0; i < ARRAY_SIZE(block_sizes); i++) {
        surface_methods(b, true, &sf, 1, 0, 0);
        method(b, NVC5B5_SET_DST_BLOCK_SIZE, block_sizes[i]);
        rectangle(b, src, dst, 0, 0, 16, 1);
        launch(b, NON_PIPELINED | SRC_PITCH);
        expect_error(b, ROBUST_CHANNEL_CE2_ERROR);
    }
    method(b, NVC5B5_SET_REMAP_COMPONENTS, COMPONENTS(7, 0, 0, 0, 4, 1, 1));
    rectangle(b, src, dst, 0, 0, 16, 1);
    launch(b, PITCH_COPY | REMAP);
    expect_error(b, ROBUST_CHANNEL_CE2_ERROR);
    rectangle(b, src, dst, -8, 16, 16, 2);
    launch(b, PITCH_COPY | MULTI_LINE);
    expect_error(b, ROBUST_CHANNEL_CE2_ERROR);

    /* Of the MMU, in the middle of a transfer. */
    rectangle(b, src, VGSP_CH_VA_RAM + VGSP_CH_MEM_SIZE - 16, 0, 0, 32, 1);
    launch(b, PITCH_COPY);
    expect_error(b, ROBUST_CHANNEL_FIFO_ERROR_MMU_ERR_FLT);
    g_assert_cmphex(b->rc.fault_addr, ==, VGSP_CH_VA_RAM + VGSP_CH_MEM_SIZE);
    bench_free(b);
}

/* FALSE drops launches, TRUE performs them again. */
static void test_render_enable(void)
{
    Bench *b = bench_new(false);

    clear(b);
    rectangle(b, VGSP_CH_VA_RAM + SRC, VGSP_CH_VA_RAM + DST, 0, 0, 16, 1);
    method(b, NVC5B5_SET_RENDER_ENABLE_C,
           NVC5B5_SET_RENDER_ENABLE_C_MODE_FALSE);
    launch(b, PITCH_COPY);
    vgsp_ch_sync(&b->c);
    compare(b);
    method(b, NVC5B5_SET_RENDER_ENABLE_C,
           NVC5B5_SET_RENDER_ENABLE_C_MODE_TRUE);
    launch(b, PITCH_COPY);
    vgsp_ch_sync(&b->c);
    memcpy(b->want, b->src, 16);
    compare(b);
    bench_free(b);
}

/* The modes that look at memory: two reports of 16 bytes, values in front. */
static void test_render_condition(void)
{
    static const struct {
        uint32_t mode, value, high, other;
        bool copies;
    } cases[] = {
        { NVC5B5_SET_RENDER_ENABLE_C_MODE_CONDITIONAL, 0, 0, 0, false },
        { NVC5B5_SET_RENDER_ENABLE_C_MODE_CONDITIONAL, 0, 1, 0, true },
        { NVC5B5_SET_RENDER_ENABLE_C_MODE_CONDITIONAL, 5, 0, 5, true },
        { NVC5B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL, 5, 0, 5, true },
        { NVC5B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_EQUAL, 5, 0, 6, false },
        { NVC5B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL, 5, 0, 5,
          false },
        { NVC5B5_SET_RENDER_ENABLE_C_MODE_RENDER_IF_NOT_EQUAL, 5, 1, 5,
          true },
    };
    const uint32_t at = 0x180000;   /* in neither rectangle */
    Bench *b = bench_new(false);

    for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
        QTestState *qts = b->q->qts;

        clear(b);
        qtest_writel(qts, b->s.ram + at, cases[i].value);
        qtest_writel(qts, b->s.ram + at + 4, cases[i].high);
        qtest_writel(qts, b->s.ram + at + 16, cases[i].other);
        qtest_writel(qts, b->s.ram + at + 20, 0);
        rectangle(b, VGSP_CH_VA_RAM + SRC, VGSP_CH_VA_RAM + DST, 0, 0, 16, 1);
        method(b, NVC5B5_SET_RENDER_ENABLE_A, (VGSP_CH_VA_RAM + at) >> 32);
        method(b, NVC5B5_SET_RENDER_ENABLE_B, VGSP_CH_VA_RAM + at);
        method(b, NVC5B5_SET_RENDER_ENABLE_C, cases[i].mode);
        launch(b, PITCH_COPY);
        vgsp_ch_sync(&b->c);
        if (cases[i].copies) {
            memcpy(b->want, b->src, 16);
        }
        compare(b);
    }
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    qtest_add_func("/vgsp/copy/pitch", test_pitch);
    qtest_add_func("/vgsp/copy/single-line", test_single_line);
    qtest_add_func("/vgsp/copy/vram", test_vram);
    qtest_add_func("/vgsp/copy/physical", test_physical);
    qtest_add_func("/vgsp/copy/remap", test_remap);
    qtest_add_func("/vgsp/copy/remap-sizes", test_remap_sizes);
    qtest_add_func("/vgsp/copy/block-linear", test_block_linear);
    qtest_add_func("/vgsp/copy/block-linear-both", test_block_linear_both);
    qtest_add_func("/vgsp/copy/block-linear-remap", test_block_linear_remap);
    qtest_add_func("/vgsp/copy/order", test_order);
    qtest_add_func("/vgsp/copy/endless", test_endless);
    qtest_add_func("/vgsp/copy/errors", test_errors);
    qtest_add_func("/vgsp/copy/render-enable", test_render_enable);
    qtest_add_func("/vgsp/copy/render-condition", test_render_condition);
    return g_test_run();
}
