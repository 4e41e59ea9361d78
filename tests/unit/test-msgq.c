/*
 * The message queue codec, word by word: what a queue's header and an element
 * contain, how the ring wraps, how long messages continue, and which error
 * each kind of malformed memory gives.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>

#include "vgsp/msgq.h"

#define PAGE        0x1000u
#define CMDQ        PAGE
#define ENTRIES     7u
#define QSIZE       ((ENTRIES + 1) * PAGE)
#define MSGQ        (CMDQ + QSIZE)
#define REGION      (MSGQ + QSIZE)
#define ENTRY(n)    (CMDQ + PAGE + (n) * PAGE)
#define BIG_ENTRIES 63u
#define MAX_PAYLOAD 0xffb0u

/* A shared region in plain memory; a page can be made to fail. */
typedef struct Region {
    uint8_t *mem;
    uint64_t size;
    uint64_t fail;
} Region;

static bool region_fails(const Region *r, uint64_t off, uint32_t len)
{
    return r->fail >= off / PAGE && r->fail <= (off + len - 1) / PAGE;
}

static int region_read(void *opaque, uint64_t off, void *buf, uint32_t len)
{
    Region *r = opaque;

    g_assert_true(vgsp_range_ok(off, len, r->size));
    if (region_fails(r, off, len)) {
        return -1;
    }
    memcpy(buf, r->mem + off, len);
    return 0;
}

static int region_write(void *opaque, uint64_t off, const void *buf,
                        uint32_t len)
{
    Region *r = opaque;

    g_assert_true(vgsp_range_ok(off, len, r->size));
    if (region_fails(r, off, len)) {
        return -1;
    }
    memcpy(r->mem + off, buf, len);
    return 0;
}

static const VgspMsgqOps ops = { region_read, region_write };

typedef struct Fixture {
    Region r;
    VgspMsgq tx, rx;         /* both ends of the queue at CMDQ */
    VgspMsgqAssembly a;
    uint8_t buf[0x40000];
    uint8_t data[0x40000];
} Fixture;

static void setup_entries(Fixture *f, uint32_t entries)
{
    uint32_t size = (entries + 1) * PAGE;
    uint32_t msgq = CMDQ + size;

    f->r.size = msgq + size;
    f->r.fail = UINT64_MAX;
    f->r.mem = g_malloc0(f->r.size);
    g_assert_cmpint(vgsp_msgq_format(&ops, &f->r, CMDQ, size), ==, 0);
    g_assert_cmpint(vgsp_msgq_format(&ops, &f->r, msgq, size), ==, 0);
    g_assert_cmpint(vgsp_msgq_open(&f->tx, &ops, &f->r, CMDQ, CMDQ, msgq,
                                   f->r.size), ==, 0);
    g_assert_cmpint(vgsp_msgq_open(&f->rx, &ops, &f->r, CMDQ, msgq, CMDQ,
                                   f->r.size), ==, 0);
    f->a.buf = f->buf;
    f->a.size = sizeof(f->buf);
    for (size_t i = 0; i < sizeof(f->data); i++) {
        f->data[i] = (uint8_t)(i * 7 + (i >> 8));
    }
}

static void setup(Fixture *f, gconstpointer data)
{
    (void)data;
    setup_entries(f, ENTRIES);
}

static void setup_big(Fixture *f, gconstpointer data)
{
    (void)data;
    setup_entries(f, BIG_ENTRIES);
}

static void teardown(Fixture *f, gconstpointer data)
{
    (void)data;
    g_free(f->r.mem);
}

static uint32_t word(Fixture *f, uint64_t off)
{
    return vgsp_le32(f->r.mem + off);
}

static void poke(Fixture *f, uint64_t off, uint32_t v)
{
    vgsp_put_le32(f->r.mem + off, v);
}

/* Set the checksum field so that the element is consistent again. */
static void reseal(Fixture *f, uint64_t elem)
{
    uint32_t len = 0x30 + word(f, elem + 0x38);
    uint32_t sum = 0;

    poke(f, elem + 0x20, 0);
    for (uint32_t i = 0; i < VGSP_ALIGN_UP(len, 8); i += 4) {
        sum ^= word(f, elem + i);
    }
    poke(f, elem + 0x20, sum);
}

static VgspMsgqError send(Fixture *f, uint32_t fn, uint32_t len)
{
    VgspRpcMessage m = {
        .function = fn, .length = len, .rpc_result = 0xffffffff,
        .rpc_result_private = 0xffffffff, .sequence = 5,
    };

    return vgsp_msgq_send(&f->tx, &m, f->data);
}

static void test_header(Fixture *f, gconstpointer d)
{
    static const uint32_t want[9] = {
        0, QSIZE, PAGE, ENTRIES, 0, 1, 0x20, PAGE, 0
    };

    (void)d;
    for (int i = 0; i < 9; i++) {
        g_assert_cmphex(word(f, CMDQ + 4 * i), ==, want[i]);
    }
    g_assert_cmpint(vgsp_msgq_format(&ops, &f->r, CMDQ, PAGE * 2), ==,
                    VGSP_MSGQ_BAD_HEADER);
    g_assert_cmpint(vgsp_msgq_format(&ops, &f->r, CMDQ, QSIZE + 8), ==,
                    VGSP_MSGQ_BAD_HEADER);
}

static void test_element(Fixture *f, gconstpointer d)
{
    static const uint32_t want[] = {
        [0x24 / 4] = 0,             /* sequence */
        [0x28 / 4] = 1,             /* entries */
        [0x30 / 4] = 0x03000000,    /* header version */
        [0x34 / 4] = 0x43505256,    /* VRPC */
        [0x38 / 4] = 0x20 + 12,     /* length */
        [0x3c / 4] = 76,            /* GSP_RM_CONTROL */
        [0x40 / 4] = 0xffffffff,
        [0x44 / 4] = 0xffffffff,
        [0x48 / 4] = 5,
        [0x4c / 4] = 0,
        [0x50 / 4] = 0x150e0700,    /* payload 00 07 0e 15 ... */
        [0x54 / 4] = 0x312a231c,
        [0x58 / 4] = 0x4d463f38,
        [0x5c / 4] = 0,
    };
    uint32_t sum = 0;

    (void)d;
    memset(f->r.mem + ENTRY(0), 0xaa, PAGE);
    g_assert_cmpint(send(f, 76, 12), ==, VGSP_MSGQ_OK);
    for (size_t i = 0; i < G_N_ELEMENTS(want); i++) {
        if (i != 0x20 / 4) {
            g_assert_cmphex(word(f, ENTRY(0) + 4 * i), ==, want[i]);
        }
        sum ^= want[i];
    }
    g_assert_cmphex(word(f, ENTRY(0) + 0x20), ==, sum);
    /* The padding is zero to the end of the entry. */
    for (uint32_t i = 0x5c; i < PAGE; i += 4) {
        g_assert_cmphex(word(f, ENTRY(0) + i), ==, 0);
    }
    g_assert_cmphex(word(f, CMDQ + 0x10), ==, 1);

    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
    g_assert_cmpuint(f->a.msg.function, ==, 76);
    g_assert_cmpuint(f->a.msg.length, ==, 12);
    g_assert_cmphex(f->a.msg.rpc_result, ==, 0xffffffff);
    g_assert_cmpuint(f->a.msg.sequence, ==, 5);
    g_assert_cmpmem(f->buf, 12, f->data, 12);
    /* Swapped: the reader's pointer lies in the queue that it writes. */
    g_assert_cmphex(word(f, MSGQ + 0x20), ==, 1);
    g_assert_cmphex(word(f, CMDQ + 0x20), ==, 0);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_EMPTY);
}

/* Lengths around the word and entry boundaries survive the trip. */
static void test_lengths(Fixture *f, gconstpointer d)
{
    static const uint32_t lengths[] = {
        0, 1, 7, 8, 9, 255, 256, 257, 0xfaf, 0xfb0, 0xfb1, 0x2000, 0x5fb0
    };

    (void)d;
    for (size_t i = 0; i < G_N_ELEMENTS(lengths); i++) {
        uint32_t before = f->rx.index, n = lengths[i];

        memset(f->buf, 0xee, sizeof(f->buf));
        g_assert_cmpint(send(f, 65, n), ==, VGSP_MSGQ_OK);
        g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
        g_assert_cmpuint(f->a.msg.length, ==, n);
        g_assert_cmpmem(f->buf, n, f->data, n);
        g_assert_cmphex(f->buf[n], ==, 0xee);
        g_assert_cmpuint((f->rx.index + ENTRIES - before) % ENTRIES, ==,
                         (0x50 + n + PAGE - 1) / PAGE);
    }
    g_assert_cmpuint(f->rx.sequence, ==, G_N_ELEMENTS(lengths));
}

static void test_wrap(Fixture *f, gconstpointer d)
{
    (void)d;
    for (int i = 0; i < 5; i++) {
        g_assert_cmpint(send(f, 1, 4), ==, VGSP_MSGQ_OK);
        g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
    }
    /* Four entries from 5: 5, 6, 0, 1. */
    g_assert_cmpint(send(f, 65, 0x3000), ==, VGSP_MSGQ_OK);
    g_assert_cmphex(word(f, CMDQ + 0x10), ==, 2);
    g_assert_cmpmem(f->r.mem + ENTRY(0), 16, f->data + 0x2000 - 0x50, 16);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
    g_assert_cmpmem(f->buf, 0x3000, f->data, 0x3000);
    g_assert_cmphex(word(f, MSGQ + 0x20), ==, 2);
}

static void test_full(Fixture *f, gconstpointer d)
{
    uint32_t n;

    (void)d;
    g_assert_cmpint(vgsp_msgq_free(&f->tx, &n), ==, 0);
    g_assert_cmpuint(n, ==, ENTRIES - 1);
    for (uint32_t i = 0; i < ENTRIES - 1; i++) {
        g_assert_cmpint(send(f, 1, 4), ==, VGSP_MSGQ_OK);
    }
    g_assert_cmpint(send(f, 1, 4), ==, VGSP_MSGQ_FULL);
    g_assert_cmphex(word(f, CMDQ + 0x10), ==, ENTRIES - 1);
    g_assert_cmpuint(f->tx.sequence, ==, ENTRIES - 1);
    g_assert_cmpint(vgsp_msgq_pending(&f->rx, &n), ==, 0);
    g_assert_cmpuint(n, ==, ENTRIES - 1);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
    g_assert_cmpint(send(f, 1, 4), ==, VGSP_MSGQ_OK);
    g_assert_cmpint(send(f, 1, 0x6fb1), ==, VGSP_MSGQ_OVERSIZE);
}

static void test_continuation(Fixture *f, gconstpointer d)
{
    uint32_t len = MAX_PAYLOAD * 2 + 100;

    (void)d;
    /* A control says by paramsSize how long it is. */
    vgsp_put_le32(f->data + 16, len - 24);
    g_assert_cmpint(send(f, 76, len), ==, VGSP_MSGQ_OK);
    g_assert_cmphex(word(f, CMDQ + 0x10), ==, 33);
    g_assert_cmphex(word(f, ENTRY(0) + 0x28), ==, 16);
    g_assert_cmphex(word(f, ENTRY(0) + 0x38), ==, 0xffd0);
    g_assert_cmphex(word(f, ENTRY(16) + 0x24), ==, 1);
    g_assert_cmphex(word(f, ENTRY(16) + 0x3c), ==, 71);
    g_assert_cmphex(word(f, ENTRY(32) + 0x24), ==, 2);
    g_assert_cmphex(word(f, ENTRY(32) + 0x38), ==, 0x20 + 100);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
    g_assert_cmpuint(f->a.msg.function, ==, 76);
    g_assert_cmpuint(f->a.msg.length, ==, len);
    g_assert_cmpmem(f->buf, len, f->data, len);
    g_assert_cmpuint(f->rx.sequence, ==, 3);
}

/* Parts may come one at a time; EMPTY keeps what has arrived. */
static void test_continuation_slow(Fixture *f, gconstpointer d)
{
    uint32_t len = MAX_PAYLOAD * 2 + 100, done = 0;
    VgspRpcMessage m = { .function = 103, .length = len };

    (void)d;
    vgsp_put_le32(f->data + 20, len - 32);
    while (done < len) {
        g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_EMPTY);
        g_assert_cmpint(vgsp_msgq_send_part(&f->tx, &m, f->data, &done), ==,
                        VGSP_MSGQ_OK);
    }
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
    g_assert_cmpmem(f->buf, len, f->data, len);
}

static void test_continuation_bad(Fixture *f, gconstpointer d)
{
    uint32_t done = 0;
    VgspRpcMessage m = { .function = 76, .length = MAX_PAYLOAD + 100 };

    (void)d;
    /* One without a start. */
    g_assert_cmpint(send(f, 71, 16), ==, VGSP_MSGQ_OK);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==,
                    VGSP_MSGQ_BAD_CONTINUATION);
    /* A start that is followed by another message: that one is served. */
    vgsp_put_le32(f->data + 16, MAX_PAYLOAD + 100 - 24);
    g_assert_cmpint(vgsp_msgq_send_part(&f->tx, &m, f->data, &done), ==, 0);
    g_assert_cmpint(send(f, 10, 16), ==, VGSP_MSGQ_OK);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==,
                    VGSP_MSGQ_BAD_CONTINUATION);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
    g_assert_cmpuint(f->a.msg.function, ==, 10);
    /* A continuation beyond the length announced. */
    done = 0;
    g_assert_cmpint(vgsp_msgq_send_part(&f->tx, &m, f->data, &done), ==, 0);
    g_assert_cmpint(send(f, 71, 101), ==, VGSP_MSGQ_OK);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==,
                    VGSP_MSGQ_BAD_CONTINUATION);
}

static void test_oversize(Fixture *f, gconstpointer d)
{
    uint32_t len = MAX_PAYLOAD * 2;

    (void)d;
    f->a.size = MAX_PAYLOAD + 1;
    vgsp_put_le32(f->data + 16, len - 24);
    g_assert_cmpint(send(f, 76, len), ==, VGSP_MSGQ_OK);
    g_assert_cmpint(send(f, 10, 16), ==, VGSP_MSGQ_OK);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OVERSIZE);
    g_assert_cmpuint(f->a.msg.function, ==, 76);
    /* Its continuation is swallowed; the next message is whole. */
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
    g_assert_cmpuint(f->a.msg.function, ==, 10);
    /* Not even one element fits. */
    f->a.size = 8;
    g_assert_cmpint(send(f, 10, 16), ==, VGSP_MSGQ_OK);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OVERSIZE);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_EMPTY);
}

typedef struct Damage {
    const char *name;
    uint32_t offset, value;
    bool seal;
    VgspMsgqError err;
    uint32_t read_ptr;       /* afterwards; two one-entry elements were sent */
    uint32_t sequence;
} Damage;

static const Damage damages[] = {
    { "checksum", 0x20, 0x12345678, false, VGSP_MSGQ_BAD_CHECKSUM, 1, 1 },
    { "payload-bit", 0x50, 1, false, VGSP_MSGQ_BAD_CHECKSUM, 1, 1 },
    { "sequence-ahead", 0x24, 7, true, VGSP_MSGQ_BAD_SEQUENCE, 1, 8 },
    { "sequence-stale", 0x24, 0xffffffff, true, VGSP_MSGQ_BAD_SEQUENCE, 1, 0 },
    { "count-zero", 0x28, 0, true, VGSP_MSGQ_BAD_COUNT, 2, 0 },
    { "count-17", 0x28, 17, true, VGSP_MSGQ_BAD_COUNT, 2, 0 },
    { "count-huge", 0x28, 0xffffffff, true, VGSP_MSGQ_BAD_COUNT, 2, 0 },
    { "truncated", 0x28, 3, true, VGSP_MSGQ_TRUNCATED, 2, 0 },
    { "length-short", 0x38, 31, false, VGSP_MSGQ_BAD_LENGTH, 1, 1 },
    { "length-zero", 0x38, 0, false, VGSP_MSGQ_BAD_LENGTH, 1, 1 },
    { "length-above-max", 0x38, 0xffd1, false, VGSP_MSGQ_BAD_LENGTH, 1, 1 },
    { "length-huge", 0x38, 0xffffffff, false, VGSP_MSGQ_BAD_LENGTH, 1, 1 },
    { "length-beyond-count", 0x38, 0xfd1, false, VGSP_MSGQ_BAD_COUNT, 2, 0 },
    { "version", 0x30, 0x04000000, true, VGSP_MSGQ_BAD_RPC_HEADER, 1, 1 },
    { "signature", 0x34, 0, true, VGSP_MSGQ_BAD_RPC_HEADER, 1, 1 },
};

static void test_damage(Fixture *f, gconstpointer data)
{
    const Damage *d = data;

    g_assert_cmpint(send(f, 1, 24), ==, VGSP_MSGQ_OK);
    g_assert_cmpint(send(f, 10, 24), ==, VGSP_MSGQ_OK);
    poke(f, ENTRY(0) + d->offset, d->value);
    if (d->seal) {
        reseal(f, ENTRY(0));
    }
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, d->err);
    g_assert_cmphex(word(f, MSGQ + 0x20), ==, d->read_ptr);
    g_assert_cmpuint(f->rx.sequence, ==, d->sequence);
    g_assert_cmpstr(vgsp_msgq_error_name(d->err), !=, "unknown");
    /* Where the rest was dropped too, what comes next is accepted. */
    if (d->read_ptr == 2) {
        g_assert_cmpint(send(f, 65, 24), ==, VGSP_MSGQ_OK);
        g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
        g_assert_cmpuint(f->a.msg.function, ==, 65);
    }
}

static void test_pointer(Fixture *f, gconstpointer d)
{
    uint32_t n;

    (void)d;
    poke(f, CMDQ + 0x10, ENTRIES);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_BAD_POINTER);
    g_assert_cmpint(vgsp_msgq_pending(&f->rx, &n), ==, VGSP_MSGQ_BAD_POINTER);
    g_assert_cmpuint(n, ==, 0);
    poke(f, CMDQ + 0x10, 0);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_EMPTY);
    poke(f, MSGQ + 0x20, 0xffffffff);
    g_assert_cmpint(send(f, 1, 4), ==, VGSP_MSGQ_BAD_POINTER);
    g_assert_cmphex(word(f, CMDQ + 0x10), ==, 0);
}

static void test_io(Fixture *f, gconstpointer d)
{
    (void)d;
    g_assert_cmpint(send(f, 1, 0x1800), ==, VGSP_MSGQ_OK);
    f->r.fail = ENTRY(1) / PAGE;
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_IO);
    f->r.fail = ENTRY(2) / PAGE;
    g_assert_cmpint(send(f, 1, 4), ==, VGSP_MSGQ_IO);
    f->r.fail = UINT64_MAX;
    g_assert_cmphex(word(f, CMDQ + 0x10), ==, 2);
    /* Nothing was lost. */
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
    g_assert_cmpint(send(f, 1, 4), ==, VGSP_MSGQ_OK);
    g_assert_cmpint(vgsp_msgq_recv(&f->rx, &f->a), ==, VGSP_MSGQ_OK);
}

static const struct {
    uint32_t offset, value;
} bad_headers[] = {
    { 0x00, 1 },                    /* version */
    { 0x04, REGION },               /* size beyond the region */
    { 0x04, 0xfffff000 },
    { 0x08, 0x800 },                /* msgSize */
    { 0x0c, 0 },                    /* msgCount */
    { 0x0c, 1 },
    { 0x0c, ENTRIES + 1 },
    { 0x0c, 0xffffffff },
    { 0x14, 0 },                    /* read pointers not swapped */
    { 0x18, 0x1c },                 /* rxHdrOff inside the header */
    { 0x18, 0x21 },
    { 0x18, PAGE },                 /* ... in the entries */
    { 0x18, 0xfffffffc },
    { 0x1c, 0 },                    /* entryOff */
    { 0x1c, 0x1001 },
    { 0x1c, 0xfffff000 },
};

static void test_open(Fixture *f, gconstpointer d)
{
    VgspMsgq q;

    (void)d;
    for (int side = 0; side < 2; side++) {
        uint64_t queue = side ? MSGQ : CMDQ;

        for (size_t i = 0; i < G_N_ELEMENTS(bad_headers); i++) {
            uint32_t old = word(f, queue + bad_headers[i].offset);

            poke(f, queue + bad_headers[i].offset, bad_headers[i].value);
            g_assert_cmpint(vgsp_msgq_open(&q, &ops, &f->r, CMDQ, MSGQ, CMDQ,
                                           REGION), ==, VGSP_MSGQ_BAD_HEADER);
            poke(f, queue + bad_headers[i].offset, old);
        }
    }
    g_assert_cmpint(vgsp_msgq_open(&q, &ops, &f->r, REGION, MSGQ, REGION,
                                   REGION), ==, VGSP_MSGQ_BAD_HEADER);
    g_assert_cmpint(vgsp_msgq_open(&q, &ops, &f->r, UINT64_MAX - 0xfff, MSGQ,
                                   UINT64_MAX - 0xfff, REGION), ==,
                    VGSP_MSGQ_BAD_HEADER);
    g_assert_cmpint(vgsp_msgq_open(&q, &ops, &f->r, CMDQ + 8, MSGQ, CMDQ + 8,
                                   REGION), ==, VGSP_MSGQ_BAD_HEADER);

    /* A producer may find its peer's queue blank, but not its own bad. */
    for (int i = 0; i < 9; i++) {
        poke(f, CMDQ + 4 * i, 0);
    }
    g_assert_cmpint(vgsp_msgq_open(&q, &ops, &f->r, MSGQ, MSGQ, CMDQ, REGION),
                    ==, VGSP_MSGQ_OK);
    for (size_t i = 0; i < G_N_ELEMENTS(bad_headers); i++) {
        uint32_t old = word(f, MSGQ + bad_headers[i].offset);

        poke(f, MSGQ + bad_headers[i].offset, bad_headers[i].value);
        g_assert_cmpint(vgsp_msgq_open(&q, &ops, &f->r, MSGQ, MSGQ, CMDQ,
                                       REGION), ==, VGSP_MSGQ_BAD_HEADER);
        poke(f, MSGQ + bad_headers[i].offset, old);
    }
    f->r.fail = 1;
    g_assert_cmpint(vgsp_msgq_open(&q, &ops, &f->r, CMDQ, MSGQ, CMDQ, REGION),
                    ==, VGSP_MSGQ_IO);
}

static void test_payload_size(void)
{
    uint8_t p[64] = { 0 };

    vgsp_put_le32(p + 16, 100);
    g_assert_cmpuint(vgsp_rpc_payload_size(76, p, 24), ==, 124);
    g_assert_cmpuint(vgsp_rpc_payload_size(76, p, 23), ==, 23);
    vgsp_put_le32(p + 20, 100);
    g_assert_cmpuint(vgsp_rpc_payload_size(103, p, 32), ==, 132);
    vgsp_put_le32(p + 0x28, 3);
    g_assert_cmpuint(vgsp_rpc_payload_size(4, p, 56), ==, 56 + 24);
    vgsp_put_le32(p + 0x28, 0xffffffff);
    g_assert_cmpuint(vgsp_rpc_payload_size(4, p, 56), ==, UINT32_MAX);
    vgsp_put_le32(p, 999);
    g_assert_cmpuint(vgsp_rpc_payload_size(73, p, 8), ==, 999);
    g_assert_cmpuint(vgsp_rpc_payload_size(65, p, 8), ==, 8);
}

#define ADD(name, fn, set) \
    g_test_add("/msgq/" name, Fixture, NULL, set, fn, teardown)

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    ADD("header", test_header, setup);
    ADD("element", test_element, setup);
    ADD("lengths", test_lengths, setup);
    ADD("wrap", test_wrap, setup);
    ADD("full", test_full, setup);
    ADD("continuation", test_continuation, setup_big);
    ADD("continuation-slow", test_continuation_slow, setup_big);
    ADD("continuation-bad", test_continuation_bad, setup_big);
    ADD("oversize", test_oversize, setup_big);
    ADD("pointer", test_pointer, setup);
    ADD("io", test_io, setup);
    ADD("open", test_open, setup);
    for (size_t i = 0; i < G_N_ELEMENTS(damages); i++) {
        g_autofree char *path = g_strdup_printf("/msgq/damage/%s",
                                                damages[i].name);

        g_test_add(path, Fixture, &damages[i], setup, test_damage, teardown);
    }
    g_test_add_func("/msgq/payload-size", test_payload_size);
    return g_test_run();
}
