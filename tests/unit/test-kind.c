/*
 * Page kinds, and the order of bytes that a card is asked for (vgsp/kind.h,
 * owner/rm/kinds.c), over a driver and a card that are not there (fake-rm.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <unistd.h>

#include <glib/gstdio.h>

#include "fake-rm.h"
#include "owner/rm/kinds.h"
#include "replay/recorder.h"
#include "replay/shadow.h"

#define GH100       0x180

static void set(VgspKinds *kinds, uint32_t kind,
                unsigned (*place)(unsigned at))
{
    kinds->permuted |= 1u << kind;
    for (unsigned i = 0; i < VGSP_KIND_BLOCK; i++) {
        kinds->order[kind].place[i] = (uint16_t)place(i);
    }
}

static unsigned bit(unsigned at, unsigned n, unsigned weight)
{
    return at >> n & 1 ? weight : 0;
}

/* GH100 silicon: bytes 1, 2, 4, ... of S8 are at these, all others follow. */
static unsigned s8(unsigned at)
{
    return (at & 0x307) ^ bit(at, 3, 0x60) ^ bit(at, 4, 0x8) ^
           bit(at, 5, 0x10) ^ bit(at, 6, 0x80) ^ bit(at, 7, 0x20);
}

/* Stencil in 64 bytes, then the depth of these texels. */
static unsigned z24s8(unsigned at)
{
    unsigned texel = at % 256 / 4, base = at / 256 * 256;

    return base + (at % 4 ? 64 + 3 * texel + at % 4 - 1 : texel);
}

/* 128 texels of 32 bits, then their stencil; the rest is not kept. */
static unsigned zf32_x24s8(unsigned at)
{
    unsigned texel = at / 8;

    return at % 8 < 4 ? 4 * texel + at % 8
           : at % 8 == 4 ? 512 + texel : VGSP_KIND_NOWHERE;
}

static void fill(VgspKinds *kinds)
{
    *kinds = (VgspKinds) { 0 };
    set(kinds, NV_MMU_PTE_KIND_S8, s8);
    set(kinds, NV_MMU_PTE_KIND_Z24S8, z24s8);
    set(kinds, NV_MMU_PTE_KIND_ZF32_X24S8, zf32_x24s8);
}

/* ---- Kinds ---- */

static void test_plain(void)
{
    static const uint8_t plain[] = {
        0, 1, 2, 3, 4, 5, 6, 0xff, 6, 6, 2, 1, 3, 4, 5, 0xff,
    };
    VgspKinds kinds;

    fill(&kinds);
    for (unsigned k = 0; k < 256; k++) {
        uint32_t got = 0xff;
        bool is = k < 16 && plain[k] != 0xff;
        bool ordered = is && (plain[k] == 2 || plain[k] == 4 || plain[k] == 5);

        g_assert_cmpint(vgsp_kind_plain((uint8_t)k, &got), ==, is);
        if (is) {
            g_assert_cmpuint(got, ==, plain[k]);
        }
        g_assert_true(vgsp_kinds_order(&kinds, (uint8_t)k) ==
                      (ordered ? &kinds.order[plain[k]] : NULL));
        g_assert_null(vgsp_kinds_order(NULL, (uint8_t)k));
    }
}

static void test_access(void)
{
    uint8_t memory[4096], bytes[100];
    VgspKinds kinds;
    const VgspKindOrder *order;

    fill(&kinds);
    memset(memory, 0xee, sizeof(memory));
    order = vgsp_kinds_order(&kinds, NV_MMU_PTE_KIND_S8);
    vgsp_kind_write(order, memory, 1024 + 7, "abcd", 4);
    g_assert_cmpint(memory[1024 + 7], ==, 'a');
    g_assert_cmpint(memory[1024 + 0x60], ==, 'b');
    g_assert_cmpint(memory[1024 + 0x61], ==, 'c');
    g_assert_cmpint(memory[1024 + 0x62], ==, 'd');
    vgsp_kind_read(order, memory, 1024 + 6, bytes, 6);
    g_assert_cmpmem(bytes, 6, "\xee" "abcd" "\xee", 6);

    /* Across blocks, and what is not kept. */
    order = vgsp_kinds_order(&kinds, NV_MMU_PTE_KIND_ZF32_X24S8);
    memset(memory, 0xee, sizeof(memory));
    for (unsigned i = 0; i < sizeof(bytes); i++) {
        bytes[i] = (uint8_t)(i + 1);
    }
    vgsp_kind_write(order, memory, 2048 - 48, bytes, sizeof(bytes));
    g_assert_cmpint(memory[1024 + 4 * 122], ==, 1);
    g_assert_cmpint(memory[1024 + 512 + 122], ==, 5);
    g_assert_cmpint(memory[2048], ==, 49);
    g_assert_cmpint(memory[2048 + 512], ==, 53);
    memset(bytes, 0xaa, sizeof(bytes));
    vgsp_kind_read(order, memory, 2048 - 48, bytes, sizeof(bytes));
    for (unsigned i = 0; i < sizeof(bytes); i++) {
        g_assert_cmpint(bytes[i], ==, i % 8 < 5 ? i + 1 : 0);
    }
}

static void pages_of(unsigned (*place)(unsigned at), uint8_t *low,
                     uint8_t *high)
{
    memset(low, 0xff, VGSP_KIND_PAGE);
    memset(high, 0xff, VGSP_KIND_PAGE);
    for (unsigned i = 0; i < VGSP_KIND_PAGE; i++) {
        unsigned at = place(i % VGSP_KIND_BLOCK);

        if (at != VGSP_KIND_NOWHERE) {
            at += i / VGSP_KIND_BLOCK * VGSP_KIND_BLOCK;
            low[at] = (uint8_t)i;
            high[at] = (uint8_t)(i >> 8);
        }
    }
}

static unsigned as_it_is(unsigned at)
{
    return at;
}

static void test_learn(void)
{
    static unsigned (*const places[])(unsigned) = { s8, z24s8, zf32_x24s8 };
    uint8_t low[VGSP_KIND_PAGE], high[VGSP_KIND_PAGE];
    VgspKinds kinds = { 0 };

    for (unsigned p = 0; p < G_N_ELEMENTS(places); p++) {
        pages_of(places[p], low, high);
        g_assert_true(vgsp_kinds_learn(&kinds, 3, low, high));
        g_assert_cmphex(kinds.permuted, ==, 1u << 3);
        for (unsigned i = 0; i < VGSP_KIND_BLOCK; i++) {
            g_assert_cmphex(kinds.order[3].place[i], ==, places[p](i));
        }
    }
    pages_of(as_it_is, low, high);
    g_assert_true(vgsp_kinds_learn(&kinds, 3, low, high));
    g_assert_cmphex(kinds.permuted, ==, 0);

    /* No order of blocks: beyond one, two at a place, blocks that differ. */
    g_assert_false(vgsp_kinds_learn(&kinds, 0, low, high));
    g_assert_false(vgsp_kinds_learn(&kinds, 6, low, high));
    high[5] = 4;
    g_assert_false(vgsp_kinds_learn(&kinds, 3, low, high));
    pages_of(as_it_is, low, high);
    low[5] = 6;
    g_assert_false(vgsp_kinds_learn(&kinds, 3, low, high));
    pages_of(as_it_is, low, high);
    low[1024] = 1;
    low[1025] = 0;
    g_assert_false(vgsp_kinds_learn(&kinds, 3, low, high));
    pages_of(as_it_is, low, high);
    high[2047] = 0xff;
    g_assert_false(vgsp_kinds_learn(&kinds, 3, low, high));
    /* Writes that went nowhere. */
    memset(low, 0xff, sizeof(low));
    memset(high, 0xff, sizeof(high));
    g_assert_false(vgsp_kinds_learn(&kinds, 3, low, high));
    g_assert_cmphex(kinds.permuted, ==, 0);
}

/* ---- Memory that the player compares (replay/shadow.h) ---- */

#define PAGE    VGSP_RECORDING_PAGE

static void on_page(void *opaque, VgspShadowMemory *m, uint64_t page)
{
    unsigned *calls = opaque;

    /* The engine sees 'b' where the copy has 'a'; they are made equal. */
    g_assert_cmpuint(page, ==, 1);
    g_assert_cmpint(m->host[PAGE + 8], ==, 'b');
    g_assert_cmpint(m->copy[PAGE + 8], ==, 'a');
    memcpy(m->host + PAGE, m->copy + PAGE, PAGE);
    ++*calls;
}

static void test_compare(void)
{
    const struct vgsp_owner_map_op ops[] = {
        { .va = 0x10000, .size = PAGE, .memory = 1 },
        { .va = 0x20000, .size = PAGE, .memory = 1, .offset = PAGE,
          .kind = NV_MMU_PTE_KIND_S8 },
        { .va = 0x30000, .size = PAGE, .memory = 1, .offset = 2 * PAGE,
          .kind = NV_MMU_PTE_KIND_ZF32_X24S8 },
    };
    uint8_t *host = g_malloc0(3 * PAGE);
    VgspShadowMemory *m;
    VgspShadow shadow;
    VgspKinds kinds;
    unsigned calls = 0;

    fill(&kinds);
    vgsp_shadow_init(&shadow);
    shadow.kinds = &kinds;
    m = vgsp_shadow_memory_add(&shadow, 1, host, 3 * PAGE);
    g_assert_nonnull(m);
    g_assert_true(vgsp_shadow_space_new(&shadow, 2));
    g_assert_true(vgsp_shadow_map(&shadow, 2, ops, G_N_ELEMENTS(ops)));
    g_assert_null(vgsp_shadow_order(&shadow, 2, 0x10000));
    g_assert_true(vgsp_shadow_order(&shadow, 2, 0x20fff) ==
                  &kinds.order[NV_MMU_PTE_KIND_S8]);
    g_assert_null(vgsp_shadow_order(&shadow, 2, 0x21000));
    g_assert_null(vgsp_shadow_order(&shadow, 3, 0x20000));
    g_assert_null(vgsp_shadow_page_order(&shadow, &kinds, 1, 0));
    g_assert_null(vgsp_shadow_page_order(&shadow, NULL, 1, PAGE));
    g_assert_true(vgsp_shadow_page_order(&shadow, &kinds, 1, PAGE) ==
                  &kinds.order[NV_MMU_PTE_KIND_S8]);

    /* The same to the engine, in another order. */
    m->copy[PAGE + 8] = 'a';
    host[PAGE + 0x60] = 'a';
    vgsp_shadow_compare(&shadow, 2, on_page, &calls);
    g_assert_cmpuint(calls, ==, 0);
    /* Another byte; then the same in both, which is not the same to it. */
    host[PAGE + 0x60] = 'b';
    vgsp_shadow_compare(&shadow, 2, on_page, &calls);
    g_assert_cmpuint(calls, ==, 1);
    g_assert_cmpint(host[PAGE + 0x60], ==, 'a');
    g_assert_cmpint(host[PAGE + 8], ==, 0);
    host[PAGE + 0x60] = 'b';
    m->copy[PAGE + 16] = 'c';
    host[PAGE + 8] = 'c';
    vgsp_shadow_compare(&shadow, 2, on_page, &calls);
    g_assert_cmpuint(calls, ==, 2);
    g_assert_cmpint(host[PAGE + 8], ==, 'c');

    /* What the kind does not keep is no difference, and nobody's. */
    m->copy[2 * PAGE + 5] = 'x';
    host[2 * PAGE + 1000] = 'y';
    vgsp_shadow_compare(&shadow, 2, on_page, &calls);
    g_assert_cmpuint(calls, ==, 2);
    g_assert_cmpint(host[2 * PAGE + 1000], ==, 'y');
    vgsp_shadow_clear(&shadow);
    g_free(host);
}

/* A recording has pages as the engine sees them. */
static void test_record(void)
{
    const struct vgsp_owner_map_op ops[] = {
        { .va = 0x10000, .size = PAGE, .memory = 1 },
        { .va = 0x20000, .size = PAGE, .memory = 1, .offset = PAGE,
          .kind = NV_MMU_PTE_KIND_S8 },
    };
    g_autofree uint8_t *host = g_malloc0(2 * PAGE);
    g_autofree char *path = NULL, *data = NULL;
    int fd = g_file_open_tmp("test-kind-XXXXXX", &path, NULL);
    VgspRecorder *r = vgsp_recorder_new(path, "rm", "GH100", NULL);
    const uint32_t word = 0;
    VgspRecordingReader *reader;
    VgspRecord record;
    VgspKinds kinds;
    gsize size;

    close(fd);
    fill(&kinds);
    vgsp_recorder_kinds(r, &kinds);
    vgsp_recorder_memory_add(r, 1, host, 2 * PAGE);
    vgsp_recorder_space_new(r, 2);
    vgsp_recorder_map(r, 2, ops, G_N_ELEMENTS(ops));
    vgsp_recorder_context_new(r, 3, 2);
    host[0x60] = 'a';
    host[PAGE + 0x60] = 'b';
    vgsp_recorder_begin(r, 3, &word, 1, 1);
    vgsp_recorder_end(r, 3, 1, VGSP_OUTCOME_RETIRED);
    g_assert_true(vgsp_recorder_free(r));
    g_assert_true(g_file_get_contents(path, &data, &size, NULL));
    g_unlink(path);
    reader = vgsp_recording_open(data, size, NULL);
    do {
        g_assert_true(vgsp_recording_next(reader, &record));
    } while (record.type != VGSP_RECORD_BEFORE);
    g_assert_cmpuint(record.pages->count, ==, 2);
    for (unsigned i = 0; i < 2; i++) {
        const uint8_t *page = vgsp_recording_contents(reader,
                                                      record.refs[i].page);

        g_assert_cmpint(page[0x60], ==, i ? 0 : 'a');
        g_assert_cmpint(page[8], ==, i ? 'b' : 0);
    }
    vgsp_recording_free(reader);
}

/* ---- The card is asked ---- */

static char *ask(FakeRm *fake, VgspKinds *got)
{
    char *error = NULL;
    bool ok = vgsp_rm_kinds_os("/dev/nvidia0", &fake_os, fake, got, &error);

    g_assert_true(ok == !error);
    return error;
}

static void test_ask(void)
{
    static const uint32_t chips[] = { 0x160, GH100 };
    VgspKinds kinds, got;

    fill(&kinds);
    for (unsigned i = 0; i < G_N_ELEMENTS(chips); i++) {
        FakeRm *fake = fake_new("580.159.04", chips[i]);

        fake->kinds = &kinds;
        g_assert_null(ask(fake, &got));
        fake_free(fake);
        g_assert_cmphex(got.permuted, ==, kinds.permuted);
        for (unsigned k = 1; k < NV_MMU_PTE_KIND_GENERIC_MEMORY; k++) {
            for (unsigned at = 0; at < VGSP_KIND_BLOCK; at++) {
                g_assert_cmphex(got.order[k].place[at], ==,
                                kinds.permuted >> k & 1
                                    ? kinds.order[k].place[at] : at);
            }
        }
    }
}

/* A driver that maps no kinds is not asked, and one that lacks more says so. */
static void test_ask_old(void)
{
    VgspKinds kinds, got;
    FakeRm *fake = fake_new("570.144", 0x160);
    char *error;

    fill(&kinds);
    fake->kinds = &kinds;
    g_assert_null(ask(fake, &got));
    fake_free(fake);
    g_assert_cmphex(got.permuted, ==, 0);

    fake = fake_new("470.256.02", 0x160);
    error = ask(fake, &got);
    fake_free(fake);
    g_assert_nonnull(strstr(error, "too old"));
    g_free(error);
}

static void test_ask_errors(void)
{
    VgspKinds kinds, got;
    FakeRm *fake = fake_new("580.159.04", GH100);
    char *error;

    /* A byte of a block lies in another. */
    fill(&kinds);
    fake->kinds = &kinds;
    for (unsigned i = 0; i < VGSP_KIND_BLOCK; i++) {
        kinds.order[NV_MMU_PTE_KIND_S8].place[i] = (uint16_t)(i ^ 0x400);
    }
    error = ask(fake, &got);
    g_assert_cmpstr(error, ==, "page kinds order bytes in a way that is not "
                    "understood");
    g_assert_cmphex(got.permuted, ==, 0);
    g_free(error);

    fake_free(fake);

    fake = fake_new("580.159.04", GH100);
    fake->uploads_fault = true;
    error = ask(fake, &got);
    g_assert_nonnull(strstr(error, "the order of bytes in page kinds: "));
    g_assert_cmphex(got.permuted, ==, 0);
    g_free(error);
    fake_free(fake);
}

/* Each request in turn fails; everything is given back. */
static void test_ask_unwind(void)
{
    for (int n = 1;; n++) {
        FakeRm *fake = fake_new("580.159.04", GH100);
        VgspKinds got;
        int calls;

        fake->fail_at = n;
        fake->fail_status = n % 2 ? NV_ERR_NO_MEMORY : 0;
        g_free(ask(fake, &got));
        calls = fake->calls;
        fake_free(fake);
        if (calls < n) {
            g_assert_cmpint(n, >, 20);
            break;
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/kind/plain", test_plain);
    g_test_add_func("/kind/access", test_access);
    g_test_add_func("/kind/learn", test_learn);
    g_test_add_func("/kind/compare", test_compare);
    g_test_add_func("/kind/record", test_record);
    g_test_add_func("/kind/ask", test_ask);
    g_test_add_func("/kind/ask/old", test_ask_old);
    g_test_add_func("/kind/ask/errors", test_ask_errors);
    g_test_add_func("/kind/ask/unwind", test_ask_unwind);
    return g_test_run();
}
