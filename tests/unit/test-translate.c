/*
 * Sections for GH100: methods, launches, local memory, and shadows of
 * programs.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <string.h>
#include "translate/translate-int.h"
#include "vgsp/nv/class.h"
#include "mme-asm.h"

#define PAGES   16
#define BASE    UINT64_C(0x3fff700000)
#define CODE    (BASE + 0x1000)
#define QMD     (BASE + 0x8000)
#define OWN     UINT64_C(0xf000000000)
#define OWN_SIZE (1u << 21)

/* Subchannels. */
enum { S3D = 0, COMPUTE = 1 };

typedef struct Rig {
    uint8_t memory[PAGES * 4096];
    uint8_t *shadow[PAGES];     /* NULL: none */
    unsigned shadows;           /* calls */
    uint8_t *own;
    uint64_t reserved;
    VgspCode *code;
    VgspTranslate *t;
    GArray *out;
    struct vgsp_owner_fault fault;
    const char *why;
    uint32_t pos;
} Rig;

static const void *page(void *opaque, uint64_t va)
{
    Rig *r = opaque;

    return va < BASE || va - BASE >= sizeof(r->memory)
           ? NULL : r->memory + (va - BASE);
}

static int shadow(void *opaque, uint64_t va, const void *bytes)
{
    Rig *r = opaque;
    unsigned n = (unsigned)((va - BASE) / 4096);

    g_assert_cmpuint(n, <, PAGES);
    r->shadows++;
    g_clear_pointer(&r->shadow[n], g_free);
    r->shadow[n] = bytes ? g_memdup2(bytes, 4096) : NULL;
    return 0;
}

static int reserve(void *opaque, uint64_t size, bool cpu, uint64_t *va,
                   void **host)
{
    Rig *r = opaque;

    *va = OWN + r->reserved;
    *host = NULL;
    if (cpu) {
        g_assert_cmpuint(r->reserved + size, <=, OWN_SIZE);
        *host = r->own + r->reserved;
    }
    r->reserved += size;
    return 0;
}

static const VgspTranslateOps ops = { page, shadow, reserve };

static void start_with(Rig *r, const VgspProfile *profile)
{
    VgspTranslateConfig config = {
        .profile = profile, .sm_count = 132, .ops = &ops, .opaque = r,
    };

    memset(r, 0, sizeof(*r));
    r->own = g_malloc0(OWN_SIZE);
    r->code = vgsp_code_new(&config);
    r->t = vgsp_translate_new(r->code);
    r->out = g_array_new(false, false, 4);
}

static void start(Rig *r)
{
    start_with(r, &vgsp_profile_gh100);
}

static void finish(Rig *r)
{
    vgsp_translate_free(r->t);
    vgsp_code_free(r->code);
    g_array_free(r->out, true);
    for (unsigned i = 0; i < PAGES; i++) {
        g_free(r->shadow[i]);
    }
    g_free(r->own);
}

static int again(Rig *r, const uint32_t *words, uint32_t count)
{
    g_array_set_size(r->out, 0);
    return vgsp_translate_section(r->t, words, count, &r->pos, r->out,
                                  &r->fault, &r->why);
}

static int run(Rig *r, const uint32_t *words, uint32_t count)
{
    r->pos = 0;
    return again(r, words, count);
}

#define RUN(r, ...) run(r, (const uint32_t[]) { __VA_ARGS__ }, \
                        G_N_ELEMENTS(((const uint32_t[]) { __VA_ARGS__ })))
/* Headers: INC, ONE_INC and IMMD of dev_ram. */
#define INC(s, method, n)   (0x20000000u | (n) << 16 | (s) << 13 | (method) / 4)
#define ONE(s, method, n)   (0xa0000000u | (n) << 16 | (s) << 13 | (method) / 4)
#define IMMD(s, method, d)  (0x80000000u | (d) << 16 | (s) << 13 | (method) / 4)

/* What of the output reaches (subchannel, method), in order; at most max. */
static unsigned sent(Rig *r, unsigned s, uint32_t method, uint32_t *data,
                     unsigned max)
{
    const uint32_t *words = (const uint32_t *)r->out->data;
    uint32_t pos = 0;
    unsigned n = 0;
    VgspPushbuf pb;

    vgsp_pb_init(&pb);
    for (;;) {
        VgspPbRun m;
        size_t used;

        if (vgsp_pb_next(&pb, words + pos, r->out->len - pos, &used, &m) !=
            VGSP_PB_METHODS) {
            g_assert_cmpuint(pos + used, ==, r->out->len);
            return n;
        }
        for (uint32_t i = 0; i < m.count; i++) {
            if (m.subchannel == s && n < max &&
                vgsp_pb_run_method(&m, i) * 4 == method) {
                data[n++] = m.data[i];
            }
        }
        pos += (uint32_t)used;
        pos += (uint32_t)vgsp_pb_advance(&pb, m.count);
    }
}

static void assert_sent(Rig *r, unsigned s, uint32_t method, uint32_t data)
{
    uint32_t got[2];

    g_assert_cmpuint(sent(r, s, method, got, 2), ==, 1);
    g_assert_cmphex(got[0], ==, data);
}

static void assert_not_sent(Rig *r, unsigned s, uint32_t method)
{
    uint32_t got;

    g_assert_cmpuint(sent(r, s, method, &got, 1), ==, 0);
}

static void put_insn(Rig *r, uint64_t va, uint64_t lo, uint64_t hi)
{
    uint64_t words[2] = { lo, hi };

    memcpy(r->memory + (va - BASE), words, 16);
}

static const uint64_t exit_lo = 0x000000000000794d, exit_hi =
    0x000fea0003800000;
static const uint64_t loop_lo = 0xfffffff000007947, loop_hi =
    0x000fc0000383ffff;

static void word(Rig *r, unsigned index, uint32_t value)
{
    memcpy(r->memory + (QMD - BASE) + index * 4, &value, 4);
}

/* A launch of 5x6x7 CTAs of 32x2x1 threads. */
static void put_qmd(Rig *r, uint64_t program)
{
    word(r, 12, 5);
    word(r, 13, 6);
    word(r, 14, 7);
    word(r, 17, 0x100);         /* shared memory: bits 561:544 */
    word(r, 18, 0x22 | 32 << 16); /* version 2.2; threads x at 592 */
    word(r, 19, 2 | 1 << 16);
    word(r, 20, 1 | 24 << 8);   /* buffer 0 valid; 24 registers at 648 */
    word(r, 32, 0x12345640);    /* constant buffer 0, 0x100 bytes */
    word(r, 33, 0x3f | 0x10 << 19);
    word(r, 48, (uint32_t)program);
    word(r, 49, (uint32_t)(program >> 32));
}

#define LAUNCH INC(COMPUTE, 0x2b4, 1), (uint32_t)(QMD >> 8), \
               IMMD(COMPUTE, 0x2bc, 3)

static void test_verbatim(void)
{
    const uint32_t words[] = {
        INC(S3D, 0, 1), TURING_A, IMMD(S3D, 0x2310, 1), LAUNCH,
    };
    Rig r;

    start_with(&r, &vgsp_profile_tu10x);
    g_assert_cmpint(run(&r, words, G_N_ELEMENTS(words)), ==, 0);
    g_assert_cmpmem(r.out->data, r.out->len * 4, words, sizeof(words));
    g_assert_cmpuint(r.pos, ==, G_N_ELEMENTS(words));
    finish(&r);
}

static void test_methods(void)
{
    Rig r;

    start(&r);
    g_assert_cmpint(RUN(&r, INC(S3D, 0, 1), TURING_A,
                        INC(COMPUTE, 0, 1), TURING_COMPUTE_A,
                        INC(2, 0, 1), KEPLER_INLINE_TO_MEMORY_B,
                        INC(3, 0, 1), FERMI_TWOD_A,
                        /* two state words, SET_BINDLESS_TEXTURE between */
                        INC(S3D, 0x2604, 3), 1, 2, 3,
                        INC(S3D, 0x15b4, 2), 0, 1,  /* CSAA_ENABLE, ... */
                        INC(S3D, 0x2310, 1), 0x400000,
                        INC(COMPUTE, 0x550, 1), 9), ==, 0);
    assert_sent(&r, S3D, 0, 0xcb97);
    assert_sent(&r, COMPUTE, 0, 0xcbc0);
    assert_sent(&r, 2, 0, KEPLER_INLINE_TO_MEMORY_B);
    assert_sent(&r, 3, 0, FERMI_TWOD_A);
    assert_sent(&r, S3D, 0x2604, 1);
    assert_not_sent(&r, S3D, 0x2608);
    assert_sent(&r, S3D, 0x260c, 3);
    assert_not_sent(&r, S3D, 0x15b4);
    assert_sent(&r, S3D, 0x15b8, 1);
    /* A firmware method is dropped; what is waited for is given. */
    assert_not_sent(&r, S3D, 0x2310);
    assert_sent(&r, S3D, 0x3400, 1);
    assert_not_sent(&r, COMPUTE, 0x550);
    finish(&r);
}

static void test_windows(void)
{
    Rig r;

    start(&r);
    g_assert_cmpint(RUN(&r, INC(COMPUTE, 0x2a0, 2), 0, 0xfe000000,
                        INC(COMPUTE, 0x7b0, 2), 7, 0), ==, 0);
    assert_sent(&r, COMPUTE, 0x2a0, 1);
    assert_sent(&r, COMPUTE, 0x2a4, 0);
    assert_sent(&r, COMPUTE, 0x7b0, 7);
    assert_sent(&r, COMPUTE, 0x7b4, 0);
    /* LD.E R2, [R4] could mean the window that is elsewhere. */
    put_insn(&r, CODE, 0x0000000004027980, 0x001ea400001ee900);
    put_insn(&r, CODE + 16, exit_lo, exit_hi);
    put_qmd(&r, CODE);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, -EIO);
    g_assert_nonnull(strstr(r.why, "generic access"));
    finish(&r);
}

static void test_local(void)
{
    Rig r;

    start(&r);
    /* 0x8000 bytes a TPC of 64 warps: 0x10000 for 128 warps, 72 TPCs. */
    g_assert_cmpint(RUN(&r, INC(COMPUTE, 0x790, 2), 1, 2,
                        INC(COMPUTE, 0x2e4, 3), 0, 0x8000, 0xff), ==, 0);
    assert_sent(&r, COMPUTE, 0x790, (uint32_t)(OWN >> 32));
    assert_sent(&r, COMPUTE, 0x794, (uint32_t)OWN);
    assert_sent(&r, COMPUTE, 0x2e8, 0x10000);
    assert_sent(&r, COMPUTE, 0x2ec, 0xff);
    g_assert_cmpuint(r.reserved, ==, 0x480000);
    /* 0x200 bytes a warp: as much, so the same memory. */
    g_assert_cmpint(RUN(&r, INC(S3D, 0x790, 5), 1, 2, 0, 0x20000, 0x200), ==,
                    0);
    g_assert_cmpuint(r.reserved, ==, 0x480000);
    assert_sent(&r, S3D, 0x794, (uint32_t)OWN);
    assert_sent(&r, S3D, 0x79c, 0x480000);
    assert_sent(&r, S3D, 0x7a0, 0x200);
    finish(&r);
}

static uint32_t own_word(const Rig *r, unsigned index)
{
    uint32_t value;

    memcpy(&value, r->own + index * 4, 4);
    return value;
}

static void test_launch(void)
{
    Rig r;

    start(&r);
    put_insn(&r, CODE, exit_lo, exit_hi);
    put_qmd(&r, CODE);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    assert_sent(&r, COMPUTE, 0x2b4, (uint32_t)(OWN >> 8));
    assert_sent(&r, COMPUTE, 0x2c0, 3);
    assert_not_sent(&r, COMPUTE, 0x2bc);
    g_assert_cmphex(own_word(&r, 0) >> 23 & 7, ==, 2);  /* QMD_TYPE */
    g_assert_cmphex(own_word(&r, 18) & 0xff, ==, 0x40); /* version 4.0 */
    g_assert_cmphex(own_word(&r, 18) >> 8 & 0x3ffff, ==, 0x100);
    g_assert_cmphex(own_word(&r, 32), ==, 5);
    g_assert_cmphex(own_word(&r, 33), ==, 6);
    g_assert_cmphex(own_word(&r, 34), ==, 7);
    g_assert_cmphex(own_word(&r, 36), ==, 32 | 2 << 16);
    g_assert_cmphex(own_word(&r, 37), ==, 1 | 24 << 16);
    g_assert_cmphex(own_word(&r, 38), ==, (uint32_t)CODE);
    g_assert_cmphex(own_word(&r, 39), ==, (uint32_t)(CODE >> 32));
    g_assert_cmphex(own_word(&r, 13), ==, 1);           /* buffer 0 */
    /* 0x3f12345640 >> 6, and the size in units of 16 from bit 1587 on. */
    g_assert_cmphex(own_word(&r, 48), ==, 0xfc48d159);
    g_assert_cmphex(own_word(&r, 49), ==, 0x10 << 19);
    /* One split is as large as 0x100 bytes and what the system takes. */
    g_assert_cmphex(own_word(&r, 19), ==, 3 | 3 << 6 | 3 << 12);
    /* The next one goes behind it. */
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    assert_sent(&r, COMPUTE, 0x2b4, (uint32_t)((OWN + 512) >> 8));
    /* One that cannot be. */
    word(&r, 4, 1 << 13);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, -EIO);
    g_assert_cmpstr(r.why, ==, "a dependent launch");
    g_assert_cmphex(r.fault.method, ==, COMPUTE << 16 | 0x2bc);
    finish(&r);
}

static void test_inline_qmd(void)
{
    uint32_t words[4 + 64 + 3] = {
        INC(COMPUTE, 0x318, 2), 0, 0x777,
        INC(COMPUTE, 0x320, 64),
    };
    Rig r;

    start(&r);
    put_insn(&r, CODE, exit_lo, exit_hi);
    put_qmd(&r, CODE);
    memcpy(words + 4, r.memory + (QMD - BASE), 256);
    memset(r.memory + (QMD - BASE), 0, 256);
    words[68] = INC(COMPUTE, 0x2b4, 1);
    words[69] = 0x777;
    words[70] = IMMD(COMPUTE, 0x2bc, 3);
    g_assert_cmpint(run(&r, words, G_N_ELEMENTS(words)), ==, 0);
    assert_sent(&r, COMPUTE, 0x2b4, (uint32_t)(OWN >> 8));
    assert_not_sent(&r, COMPUTE, 0x320);
    g_assert_cmphex(own_word(&r, 32), ==, 5);
    finish(&r);
}

static void test_program(void)
{
    const unsigned n = (CODE - BASE) / 4096;
    uint64_t lo;
    Rig r;

    start(&r);
    memset(r.memory + (CODE - BASE), 0xee, 4096);
    put_insn(&r, CODE, 0x0000000302007223, 0x000fc80000000004); /* FFMA */
    put_insn(&r, CODE + 16, loop_lo, loop_hi);
    put_qmd(&r, CODE);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    g_assert_nonnull(r.shadow[n]);
    memcpy(&lo, r.shadow[n] + 16, 8);
    g_assert_cmphex(lo, ==, 0xfffffffc00fc7947);
    /* All else is the guest's, whose memory is as it was. */
    g_assert_cmpmem(r.shadow[n], 16, r.memory + (CODE - BASE), 16);
    g_assert_cmpmem(r.shadow[n] + 32, 4064, r.memory + (CODE - BASE) + 32,
                    4064);
    memcpy(&lo, r.memory + (CODE - BASE) + 16, 8);
    g_assert_cmphex(lo, ==, loop_lo);
    g_assert_cmpuint(r.shadows, ==, 1);
    /* Nothing changed: nothing is done. Other data of the page follow. */
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    g_assert_cmpuint(r.shadows, ==, 1);
    r.memory[CODE - BASE + 100] = 0x55;
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    g_assert_cmphex(r.shadow[n][100], ==, 0x55);
    /* The code changed. */
    /* MUFU.F16 */
    put_insn(&r, CODE + 16, 0x0000000300027308, 0x000fc20000000200);
    put_insn(&r, CODE + 32, exit_lo, exit_hi);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    memcpy(&lo, r.shadow[n] + 24, 8);
    g_assert_cmphex(lo, ==, 0x000fc20000000100);
    /* It went. */
    vgsp_code_changed(r.code, CODE, 1);
    put_insn(&r, CODE, exit_lo, exit_hi);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    g_assert_cmpuint(r.shadows, ==, 3);
    finish(&r);
}

static uint64_t shadow_lo(const Rig *r, uint64_t va)
{
    uint64_t lo;

    memcpy(&lo, r->shadow[(va - BASE) / 4096] + (va - BASE) % 4096, 8);
    return lo;
}

/*
 * GH100 silicon: the branch to itself behind an EXIT is read ahead. As it was
 * it would lead 4 KiB back, where there may be no memory.
 */
static void test_guard(void)
{
    const unsigned n = (CODE - BASE) / 4096;
    Rig r;

    start(&r);
    put_insn(&r, CODE, 0x0000000302007223, 0x000fc80000000004);
    put_insn(&r, CODE + 16, exit_lo, exit_hi);
    put_insn(&r, CODE + 32, loop_lo, loop_hi);
    /* What follows has an end before it, and is the guest's. */
    put_insn(&r, CODE + 48, loop_lo, loop_hi);
    put_qmd(&r, CODE);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    g_assert_nonnull(r.shadow[n]);
    g_assert_cmphex(shadow_lo(&r, CODE + 32), ==, 0xfffffffc00fc7947);
    g_assert_cmphex(shadow_lo(&r, CODE + 48), ==, loop_lo);
    /* Its target is no part of the program; nor is what cannot be one. */
    put_insn(&r, CODE + 32, 0x0000100000007947, 0x000fc00003800000);
    memset(r.memory + (CODE - BASE) + 0x1030, 0xee, 16);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    g_assert_cmphex(shadow_lo(&r, CODE + 32), ==, 0x0000001000007947);
    memset(r.memory + (CODE - BASE) + 32, 0xee, 16);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    g_assert_cmphex(shadow_lo(&r, CODE + 32), ==, 0xeeeeeeeeeeeeeeee);
    finish(&r);

    /* Over the end of a page; and where memory ends. */
    start(&r);
    put_insn(&r, CODE + 4080, exit_lo, exit_hi);
    put_insn(&r, CODE + 4096, loop_lo, loop_hi);
    put_qmd(&r, CODE + 4080);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    g_assert_nonnull(r.shadow[n + 1]);
    g_assert_cmphex(shadow_lo(&r, CODE + 4096), ==, 0xfffffffc00fc7947);
    put_insn(&r, BASE + PAGES * 4096 - 16, exit_lo, exit_hi);
    put_qmd(&r, BASE + PAGES * 4096 - 16);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    finish(&r);
}

/* Of a BRA of sm_90 at pc. */
static uint64_t sm90_target(uint64_t pc, const uint64_t insn[2])
{
    uint64_t words = (insn[0] >> 34 | (insn[1] & 0x3ffff) << 30) << 8 |
                     (insn[0] >> 16 & 0xff);

    return pc + 16 + (uint64_t)((int64_t)(words << 8) >> 8) * 4;
}

/* Descriptors of constant buffers are in another format. */
static void test_detour(void)
{
    const unsigned n = (CODE - BASE) / 4096;
    uint64_t insn[2];
    Rig r;

    start(&r);
    /* ULDC UR2, cx[UR4][0x40], after waiting for barriers 0 and 2 */
    put_insn(&r, CODE, 0x0000100004027ab9, 0x005fc40008000800);
    put_insn(&r, CODE + 16, exit_lo, exit_hi);
    put_qmd(&r, CODE);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    g_assert_nonnull(r.shadow[n]);
    /* BRA to the first instruction of the executor's own: 0xf000000000. */
    memcpy(insn, r.shadow[n], 16);
    g_assert_cmphex(insn[0] & 0xffff, ==, 0x7947);
    g_assert_cmphex(sm90_target(CODE, insn), ==, OWN);
    /* USHF.R.U64 UR44, UR4, 2, UR5, which waits for what the ULDC did. */
    memcpy(insn, r.own, 16);
    g_assert_cmphex(insn[0], ==, 0x00000002042c7899);
    g_assert_cmphex(insn[1], ==, 0x005fde0008001205);
    /* UIMAD.U32 UR45, UR46, 64, UR45: no predicates, or it is illegal. */
    memcpy(insn, r.own + 4 * 16, 16);
    g_assert_cmphex(insn[0], ==, 0x000000402e2d78a4);
    g_assert_cmphex(insn[1], ==, 0x000fde000f8e002d);
    /* ULDC UR2, cx[UR44][0x40], and back. */
    memcpy(insn, r.own + 5 * 16, 16);
    g_assert_cmphex(insn[0], ==, 0x000010002c027ab9);
    g_assert_cmphex(insn[1], ==, 0x005fc40008000800);
    memcpy(insn, r.own + 6 * 16, 16);
    g_assert_cmphex(sm90_target(OWN + 6 * 16, insn), ==, CODE + 16);
    finish(&r);

    /* UMOV UR50, UR4: there may be no register for it. */
    start(&r);
    put_insn(&r, CODE, 0x0000100004027ab9, 0x005fc40008000800);
    put_insn(&r, CODE + 16, 0x0000000400327c82, 0x000fc40008000000);
    put_insn(&r, CODE + 32, exit_lo, exit_hi);
    put_qmd(&r, CODE);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, -EIO);
    g_assert_nonnull(strstr(r.why, "without free uniform registers"));
    finish(&r);
}

static void test_bad_program(void)
{
    Rig r;

    start(&r);
    put_insn(&r, CODE, 0x0000000302007223, 0x000fc80000000004);
    put_insn(&r, CODE + 16, 0x0000000002007949, 0x000fc00003800000); /* BRX */
    put_qmd(&r, CODE);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, -EIO);
    g_assert_cmpstr(r.why, ==, "an indirect branch");
    g_assert_cmphex(r.fault.pc, ==, CODE + 16);
    g_assert_cmphex(r.fault.insn[0], ==, 0x0000000002007949);
    g_assert_cmphex(r.fault.insn[1], ==, 0x000fc00003800000);
    g_assert_true(r.fault.valid & VGSP_OWNER_FAULT_HAS_PC);
    put_insn(&r, CODE + 16, 0, 0);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, -EIO);
    g_assert_cmpstr(r.why, ==, "an unknown instruction");
    /* Control flow that leaves memory is the engine's to fault. */
    put_insn(&r, CODE + 16, 0x1000000000007947, 0x000fc00003800000);
    g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    g_assert_cmpuint(r.shadows, ==, 1);
    finish(&r);
}

/* Stage 5 (pixels) at va. */
#define BIND(va) INC(S3D, 0x2000 + 5 * 64, 1), 0x51, \
                 INC(S3D, 0x2014 + 5 * 64, 2), (uint32_t)((va) >> 32), \
                 (uint32_t)(va)

static void test_stages(void)
{
    const unsigned n = (CODE - BASE) / 4096;
    uint64_t lo;
    Rig r;

    start(&r);
    put_insn(&r, CODE + 128, loop_lo, loop_hi);
    g_assert_cmpint(RUN(&r, BIND(CODE), INC(S3D, 0x274, 1), 1), ==, 0);
    assert_sent(&r, S3D, 0x2018 + 5 * 64, (uint32_t)CODE);
    assert_sent(&r, S3D, 0x274, 1);
    g_assert_nonnull(r.shadow[n]);
    memcpy(&lo, r.shadow[n] + 128, 8);
    g_assert_cmphex(lo, ==, 0xfffffffc00fc7947);
    /* Changed by the CPU between sections, without a new binding. */
    put_insn(&r, CODE + 128, 0x0000010000007947, 0x000fc00003800000);
    put_insn(&r, CODE + 128 + 0x110, exit_lo, exit_hi);
    g_assert_cmpint(RUN(&r, INC(S3D, 0x274, 1), 1), ==, 0);
    memcpy(&lo, r.shadow[n] + 128, 8);
    g_assert_cmphex(lo, ==, 0x0000000000407947);
    /* Overwritten: the draw is an error, a macro that may not draw none. */
    put_insn(&r, CODE + 128, 0, 0);
    g_assert_cmpint(RUN(&r, ONE(S3D, 0x3800, 1), 1), ==, 0);
    g_assert_cmpint(RUN(&r, INC(S3D, 0x274, 1), 1), ==, -EIO);
    g_assert_cmphex(r.fault.pc, ==, CODE + 128);
    /* A stage that is off does not matter. */
    g_assert_cmpint(RUN(&r, IMMD(S3D, 0x2000 + 5 * 64, 0x50),
                        INC(S3D, 0x274, 1), 1), ==, 0);
    finish(&r);
}

static void test_wait(void)
{
    /* A macro that writes: its method is an operand. */
    const uint32_t words[] = { ONE(S3D, 0x3800, 2), 1, 2, LAUNCH };
    /* An upload over the code. */
    const uint32_t upload[] = {
        INC(COMPUTE, 0x180, 5), 16, 1, (uint32_t)(CODE >> 32), (uint32_t)CODE,
        16, IMMD(COMPUTE, 0x1b0, 1), INC(COMPUTE, 0x1b4, 4), 1, 2, 3, 4,
        LAUNCH,
    };
    Rig r;

    start(&r);
    put_insn(&r, CODE, exit_lo, exit_hi);
    put_qmd(&r, CODE);
    g_assert_cmpint(run(&r, words, G_N_ELEMENTS(words)), ==,
                    VGSP_TRANSLATE_WAIT);
    assert_sent(&r, S3D, 0x3800, 1);
    assert_not_sent(&r, COMPUTE, 0x2c0);
    word(&r, 12, 99);           /* what the macro wrote */
    g_assert_cmpint(again(&r, words, G_N_ELEMENTS(words)), ==, 0);
    assert_sent(&r, COMPUTE, 0x2c0, 3);
    assert_not_sent(&r, S3D, 0x3800);
    g_assert_cmphex(own_word(&r, 32), ==, 99);

    g_assert_cmpint(run(&r, upload, G_N_ELEMENTS(upload)), ==,
                    VGSP_TRANSLATE_WAIT);
    assert_sent(&r, COMPUTE, 0x1b0, 1);
    g_assert_cmpint(again(&r, upload, G_N_ELEMENTS(upload)), ==, 0);
    assert_sent(&r, COMPUTE, 0x2c0, 3);
    /* Slots of descriptors are free again after a wait only. */
    for (unsigned i = 1; i < 256; i++) {
        g_assert_cmpint(RUN(&r, LAUNCH), ==, 0);
    }
    g_assert_cmpint(RUN(&r, LAUNCH), ==, VGSP_TRANSLATE_WAIT);
    g_assert_cmpint(again(&r, words + 3, 3), ==, 0);
    finish(&r);
}

/* Loads groups as macro 0. */
static void load_macro(Rig *r, const Group *groups, unsigned n)
{
    uint32_t words[64] = {
        INC(S3D, 0x11c, 2), 0, 7, INC(S3D, 0x114, 1), 7, /* the group */
        0x60000000 | (3 * n) << 16 | 0x118 / 4, /* NON_INC */
    };

    for (unsigned i = 0; i < 3 * n; i++) {
        words[6 + i] = groups[i / 3].b[2 - i % 3];
    }
    g_assert_cmpint(run(r, words, 6 + 3 * n), ==, 0);
}

static void test_firmware_macro(void)
{
    /* Selects SET_FALCON04 and emits to it; the other does so to scratch 5. */
    const Group falcon[] = {
        out0(a0(ADD, ZERO, ZERO, ZERO, 0x2310 / 4), OUT_IMM0, OUT_IMM1),
        end_next(nop()), nop(),
    };
    const Group scratch[] = {
        out0(a0(ADD, ZERO, ZERO, ZERO, 0x3414 / 4), OUT_IMM0, OUT_IMM1),
        end_next(nop()), nop(),
    };
    const uint32_t call[] = { ONE(S3D, 0x3800, 3), 1, 2, 3, LAUNCH };
    uint32_t data[4];
    Rig r;

    start(&r);
    put_insn(&r, CODE, exit_lo, exit_hi);
    put_qmd(&r, CODE);
    load_macro(&r, falcon, G_N_ELEMENTS(falcon));
    g_assert_cmpint(run(&r, call, G_N_ELEMENTS(call)), ==, 0);
    assert_not_sent(&r, S3D, 0x3800);
    assert_not_sent(&r, S3D, 0x3804);
    assert_sent(&r, S3D, 0x3400, 1);
    /* A macro that only writes scratch words delays no launch. */
    load_macro(&r, scratch, G_N_ELEMENTS(scratch));
    g_assert_cmpint(run(&r, call, G_N_ELEMENTS(call)), ==, 0);
    assert_sent(&r, S3D, 0x3800, 1);
    g_assert_cmpuint(sent(&r, S3D, 0x3804, data, 4), ==, 2);
    g_assert_cmphex(data[1], ==, 3);
    finish(&r);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/translate/verbatim", test_verbatim);
    g_test_add_func("/translate/methods", test_methods);
    g_test_add_func("/translate/windows", test_windows);
    g_test_add_func("/translate/local-memory", test_local);
    g_test_add_func("/translate/launch", test_launch);
    g_test_add_func("/translate/inline-qmd", test_inline_qmd);
    g_test_add_func("/translate/program", test_program);
    g_test_add_func("/translate/guard", test_guard);
    g_test_add_func("/translate/detour", test_detour);
    g_test_add_func("/translate/bad-program", test_bad_program);
    g_test_add_func("/translate/stages", test_stages);
    g_test_add_func("/translate/wait", test_wait);
    g_test_add_func("/translate/firmware-macro", test_firmware_macro);
    return g_test_run();
}
