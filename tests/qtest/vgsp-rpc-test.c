/*
 * The message queues seen from the driver: replies word by word, order, wrap,
 * a full queue, continuation, and every kind of malformed element.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/dev_falcon.h"
#include "vgsp/nv/rm.h"

#define DOORBELL    (NV_PGSP_FALCON_BASE + NV_PFALCON_QUEUE_HEAD(0))
#define CMDQ        0x1000u
#define MSGQ        0x41000u
#define ENTRIES     63u
#define TIMEOUT_US  2000000
#define NOTHING_US  2000

/* Guest address of byte offset in the shared region. */
static uint64_t shm(VgspQos *q, uint32_t offset)
{
    return q->gsp.ops->dma_addr(q, &q->gsp.shared, offset);
}

static uint32_t shm32(VgspQos *q, uint32_t offset)
{
    return qtest_readl(q->qts, shm(q, offset));
}

static void shm_poke(VgspQos *q, uint32_t offset, uint32_t val)
{
    qtest_writel(q->qts, shm(q, offset), val);
}

static uint32_t entry(uint32_t queue, uint32_t index)
{
    return queue + 0x1000 + index % ENTRIES * 0x1000;
}

static VgspQos *rpc_up(const void *profile)
{
    VgspQos *q = vgsp_qos_new("", "");

    vgsp_gsp_up(q, profile);
    return q;
}

static void rpc_end(VgspQos *q)
{
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

/* A request that changes nothing: FREE of an object that does not exist. */
static const uint8_t free_payload[16] = { 0x01, 0, 0xd0, 0xc1 };

/* Into the queue, without the doorbell. */
static void rpc_put(VgspQos *q, uint32_t function, const void *payload,
                    uint32_t len)
{
    VgspRpcMessage m = {
        .function = function,
        .rpc_result = 0xffffffff,
        .rpc_result_private = 0xffffffff,
        .sequence = q->gsp.rpc_sequence++,
        .length = len,
    };

    g_assert_cmpint(vgsp_msgq_send(&q->gsp.cmdq, &m, payload), ==,
                    VGSP_MSGQ_OK);
}

static void rpc_put_free(VgspQos *q)
{
    rpc_put(q, NV_VGPU_MSG_FUNCTION_FREE, free_payload, sizeof(free_payload));
}

static void rpc_ring(VgspQos *q)
{
    vgsp_wr32(q, DOORBELL, 0);
}

/* Any answer at all, as transport result. */
static void rpc_expect_reply(VgspQos *q, uint32_t function)
{
    int ret = vgsp_gsp_rpc_recv(&q->gsp, function, TIMEOUT_US, NULL, NULL);

    g_assert_true(ret == 0 || ret == VGSP_GSP_EREMOTEIO);
}

static void rpc_expect_nothing(VgspQos *q)
{
    g_assert_cmpint(vgsp_gsp_rpc_recv(&q->gsp, NV_VGPU_MSG_FUNCTION_FREE,
                                      NOTHING_US, NULL, NULL), ==,
                    VGSP_GSP_ETIMEDOUT);
}

/* ---- What is in the queue after boot, and in a reply ---- */

static void test_header(const void *profile)
{
    static const uint32_t want[8] = {
        0, 0x40000, 0x1000, 63, 0, 1, 0x20, 0x1000
    };
    VgspQos *q = rpc_up(profile);

    for (int i = 0; i < 8; i++) {
        if (i != 4) {
            g_assert_cmphex(shm32(q, MSGQ + 4 * i), ==, want[i]);
        }
    }
    /* INIT_DONE and the static info: nothing answers 72 and 73. */
    g_assert_cmphex(shm32(q, entry(MSGQ, 0) + 0x3c), ==, 0x1001);
    g_assert_cmphex(shm32(q, entry(MSGQ, 0) + 0x40), ==, 0);
    g_assert_cmphex(shm32(q, entry(MSGQ, 1) + 0x3c), ==, 65);
    g_assert_cmphex(shm32(q, MSGQ + 0x10), ==, 2);
    g_assert_cmpuint(q->gsp.msgq.sequence, ==, 2);
    /* Three requests were taken. */
    g_assert_cmphex(shm32(q, MSGQ + 0x20), ==, 3);
    rpc_end(q);
}

static void test_reply_words(const void *profile)
{
    VgspQos *q = rpc_up(profile);
    uint32_t at = entry(MSGQ, q->gsp.msgq.index);
    uint32_t element = q->gsp.msgq.sequence, sum = 0;

    q->gsp.rpc_sequence = 0x1234;
    rpc_put_free(q);
    rpc_ring(q);
    rpc_expect_reply(q, NV_VGPU_MSG_FUNCTION_FREE);
    g_assert_cmphex(shm32(q, at + 0x24), ==, element);
    g_assert_cmphex(shm32(q, at + 0x28), ==, 1);
    g_assert_cmphex(shm32(q, at + 0x30), ==, 0x03000000);
    g_assert_cmphex(shm32(q, at + 0x34), ==, 0x43505256);
    g_assert_cmphex(shm32(q, at + 0x38), ==, 0x20 + 16);
    g_assert_cmphex(shm32(q, at + 0x3c), ==, NV_VGPU_MSG_FUNCTION_FREE);
    g_assert_cmphex(shm32(q, at + 0x48), ==, 0x1234);
    /* The checksum makes the XOR of the whole page zero: padding is zero. */
    for (uint32_t i = 0; i < 0x1000; i += 4) {
        sum ^= shm32(q, at + i);
    }
    g_assert_cmphex(sum, ==, 0);
    g_assert_cmphex(shm32(q, at + 0x60), ==, 0);
    rpc_end(q);
}

/* ---- Order and room ---- */

static void test_wrap(const void *profile)
{
    VgspQos *q = vgsp_qos_new("", "");
    uint8_t params[0x2100];

    q->scatter = true;
    vgsp_gsp_up(q, profile);
    /* Three entries a time: the ring's end falls inside an element. */
    for (int i = 0; i < 50; i++) {
        for (size_t j = 0; j < sizeof(params); j++) {
            params[j] = i + j;
        }
        g_assert_cmpint(vgsp_gsp_rm_control(&q->gsp, q->gsp.info.client,
                                            q->gsp.info.subdevice, 0x2080fff0,
                                            params, sizeof(params)), ==,
                        VGSP_GSP_EREMOTEIO);
        g_assert_cmphex(q->gsp.rm_status, ==, NV_ERR_NOT_SUPPORTED);
        /* The parameters came back whole. */
        for (size_t j = 0; j < sizeof(params); j++) {
            g_assert_cmphex(params[j], ==, (uint8_t)(i + j));
        }
    }
    g_assert_cmphex(q->gsp.cmdq.index, ==, (3 + 50 * 3) % ENTRIES);
    rpc_end(q);
}

static void test_batch(const void *profile)
{
    VgspQos *q = rpc_up(profile);
    uint32_t first = entry(MSGQ, q->gsp.msgq.index);

    for (int i = 0; i < 40; i++) {
        rpc_put_free(q);
    }
    rpc_ring(q);
    for (int i = 0; i < 40; i++) {
        rpc_expect_reply(q, NV_VGPU_MSG_FUNCTION_FREE);
        g_assert_cmphex(shm32(q, first + 0x48 + i * 0x1000) -
                        shm32(q, first + 0x48), ==, i);
    }
    rpc_expect_nothing(q);
    /* A doorbell with nothing behind it. */
    rpc_ring(q);
    rpc_expect_nothing(q);
    rpc_end(q);
}

/* Nobody reads: replies wait, requests wait behind them, nothing is lost. */
static void test_full(const void *profile)
{
    VgspQos *q = rpc_up(profile);
    uint32_t got = 0, sent = 0;

    while (sent < 62) {
        rpc_put_free(q);
        rpc_ring(q);
        sent++;
    }
    g_assert_cmphex((shm32(q, MSGQ + 0x10) + ENTRIES - q->gsp.msgq.index) %
                    ENTRIES, ==, 62);
    while (sent < 100) {
        rpc_put_free(q);
        rpc_ring(q);
        sent++;
    }
    /* The producer never catches up with the reader. */
    g_assert_cmphex((shm32(q, MSGQ + 0x10) + ENTRIES - q->gsp.msgq.index) %
                    ENTRIES, ==, 62);
    while (got < sent) {
        rpc_expect_reply(q, NV_VGPU_MSG_FUNCTION_FREE);
        got++;
    }
    rpc_expect_nothing(q);
    rpc_end(q);
}

/* ---- Continuation ---- */

static uint32_t alloc_memory(VgspQos *q, uint8_t *p, uint32_t pages)
{
    typedef rpc_alloc_memory_v13_01 Msg;
    uint64_t ram = vgsp_qos_ram(q, 0x1000);

    memset(p, 0, sizeof(Msg));
    vgsp_put_le32(p + offsetof(Msg, hClient), q->gsp.info.client);
    vgsp_put_le32(p + offsetof(Msg, hDevice), q->gsp.info.device);
    vgsp_put_le32(p + offsetof(Msg, hMemory), 0xcaf00003);
    vgsp_put_le32(p + offsetof(Msg, hClass), NV01_MEMORY_LIST_SYSTEM);
    vgsp_put_le32(p + offsetof(Msg, flags), 0x40000010);
    vgsp_put_le64(p + offsetof(Msg, length), pages * 0x1000ull);
    vgsp_put_le32(p + offsetof(Msg, pageCount), pages);
    vgsp_put_le32(p + offsetof(Msg, pteDesc), (uint32_t)pages << 16);
    for (uint32_t i = 0; i < pages; i++) {
        vgsp_put_le64(p + sizeof(Msg) + 8 * i, ram >> 12);
    }
    return sizeof(Msg) + 8 * pages;
}

/* A request in three elements, one by one; its answer is one message. */
static void test_continuation_request(const void *profile)
{
    VgspQos *q = rpc_up(profile);
    g_autofree uint8_t *p = g_malloc0(0x40000);
    uint32_t len = alloc_memory(q, p, 20000);
    uint32_t sequence = q->gsp.cmdq.sequence;

    g_assert_cmpint(vgsp_gsp_rpc(&q->gsp, NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY, p,
                                 len, NULL, NULL), ==, VGSP_GSP_OK);
    g_assert_cmpuint(q->gsp.cmdq.sequence - sequence, ==, 3);
    rpc_expect_nothing(q);
    g_assert_cmpint(vgsp_gsp_rm_free(&q->gsp, q->gsp.info.client, 0xcaf00003),
                    ==, VGSP_GSP_OK);
    rpc_end(q);
}

static void test_continuation_reply(const void *profile)
{
    VgspQos *q = rpc_up(profile);
    uint32_t sequence = q->gsp.msgq.sequence, size = 0x18000;
    g_autofree uint8_t *p = g_malloc(size);
    uint32_t first = q->gsp.msgq.index;

    for (uint32_t i = 0; i < size; i++) {
        p[i] = i * 3 + (i >> 8);
    }
    g_assert_cmpint(vgsp_gsp_rm_control(&q->gsp, q->gsp.info.client,
                                        q->gsp.info.subdevice, 0x2080fff0, p,
                                        size), ==, VGSP_GSP_EREMOTEIO);
    g_assert_cmphex(q->gsp.rm_status, ==, NV_ERR_NOT_SUPPORTED);
    for (uint32_t i = 0; i < size; i++) {
        g_assert_cmphex(p[i], ==, (uint8_t)(i * 3 + (i >> 8)));
    }
    g_assert_cmpuint(q->gsp.msgq.sequence - sequence, ==, 2);
    g_assert_cmphex(shm32(q, entry(MSGQ, first) + 0x38), ==, 0xffd0);
    g_assert_cmphex(shm32(q, entry(MSGQ, first) + 0x3c), ==, 76);
    g_assert_cmphex(shm32(q, entry(MSGQ, first + 16) + 0x3c), ==, 71);
    rpc_end(q);
}

static void test_continuation_orphan(const void *profile)
{
    VgspQos *q = rpc_up(profile);

    rpc_put(q, NV_VGPU_MSG_FUNCTION_CONTINUATION_RECORD, free_payload, 16);
    rpc_ring(q);
    rpc_expect_nothing(q);
    rpc_put_free(q);
    rpc_ring(q);
    rpc_expect_reply(q, NV_VGPU_MSG_FUNCTION_FREE);
    rpc_end(q);
}

/* A start without its continuation, then another request. */
static void test_continuation_missing(const void *profile)
{
    VgspQos *q = rpc_up(profile);
    g_autofree uint8_t *p = g_malloc0(0x40000);
    VgspRpcMessage m = {
        .function = NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY,
        .length = alloc_memory(q, p, 20000),
    };
    uint32_t done = 0;

    g_assert_cmpint(vgsp_msgq_send_part(&q->gsp.cmdq, &m, p, &done), ==, 0);
    rpc_ring(q);
    rpc_put_free(q);
    rpc_ring(q);
    rpc_expect_reply(q, NV_VGPU_MSG_FUNCTION_FREE);
    /* The half of a message left nothing behind. */
    g_assert_cmpint(vgsp_gsp_rpc(&q->gsp, NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY, p,
                                 m.length, NULL, NULL), ==, VGSP_GSP_OK);
    g_assert_cmpint(vgsp_gsp_rm_free(&q->gsp, q->gsp.info.client, 0xcaf00003),
                    ==, VGSP_GSP_OK);
    rpc_end(q);
}

static void test_oversize(const void *profile)
{
    VgspQos *q = rpc_up(profile);
    g_autofree uint8_t *p = g_malloc0(0x40000);
    uint32_t len = alloc_memory(q, p, 20000);

    /* 32 GiB of list announced, three elements of it sent. */
    vgsp_put_le32(p + offsetof(rpc_alloc_memory_v13_01, pageCount),
                  0xffffffff);
    rpc_put(q, NV_VGPU_MSG_FUNCTION_ALLOC_MEMORY, p, len);
    rpc_ring(q);
    rpc_expect_nothing(q);
    rpc_put_free(q);
    rpc_ring(q);
    rpc_expect_reply(q, NV_VGPU_MSG_FUNCTION_FREE);
    rpc_end(q);
}

/* ---- Damage ---- */

typedef struct Damage {
    const char *name;
    uint32_t offset, value;
    bool seal;              /* make the checksum right again */
    bool follows;           /* the request queued behind it is served */
} Damage;

static const Damage damages[] = {
    { "checksum", 0x20, 0x12345678, false, true },
    { "payload", 0x50, 0xffffffff, false, true },
    /* The next is then ahead of what is due: the one after it is served. */
    { "sequence-stale", 0x24, 0, true, false },
    { "count-zero", 0x28, 0, true, false },
    { "count-17", 0x28, 17, true, false },
    { "truncated", 0x28, 3, true, false },
    { "length-short", 0x38, 0x1f, false, true },
    { "length-zero", 0x38, 0, false, true },
    { "length-above-max", 0x38, 0xffd1, false, true },
    { "length-huge", 0x38, 0xffffffff, false, true },
    { "length-beyond-count", 0x38, 0xfd1, false, false },
    { "version", 0x30, 0x02000000, true, true },
    { "signature", 0x34, 0x56525043, true, true },
};

static void test_damage(const void *data)
{
    const Damage *d = data;
    VgspQos *q = rpc_up(vgsp_profiles[0]);
    uint32_t at = entry(CMDQ, q->gsp.cmdq.index), sum = 0;

    rpc_put_free(q);
    rpc_put(q, NV_VGPU_MSG_FUNCTION_FREE, free_payload, sizeof(free_payload));
    shm_poke(q, at + d->offset, d->value);
    if (d->seal) {
        shm_poke(q, at + 0x20, 0);
        for (uint32_t i = 0; i < 0x60; i += 4) {
            sum ^= shm32(q, at + i);
        }
        shm_poke(q, at + 0x20, sum);
    }
    rpc_ring(q);
    /* The damaged one is not answered. */
    if (d->follows) {
        rpc_expect_reply(q, NV_VGPU_MSG_FUNCTION_FREE);
    }
    rpc_expect_nothing(q);
    /* All was consumed, and the queue lives. */
    g_assert_cmphex(shm32(q, MSGQ + 0x20), ==, q->gsp.cmdq.index);
    rpc_put_free(q);
    rpc_ring(q);
    rpc_expect_reply(q, NV_VGPU_MSG_FUNCTION_FREE);
    rpc_end(q);
}

static void test_pointer(const void *profile)
{
    VgspQos *q = rpc_up(profile);
    uint32_t good = q->gsp.cmdq.index;

    shm_poke(q, CMDQ + 0x10, 63);
    rpc_ring(q);
    rpc_expect_nothing(q);
    shm_poke(q, CMDQ + 0x10, 0xffffffff);
    rpc_ring(q);
    rpc_expect_nothing(q);
    shm_poke(q, CMDQ + 0x10, good);
    /* The read pointer that tells GSP how much room it has. */
    good = shm32(q, CMDQ + 0x20);
    shm_poke(q, CMDQ + 0x20, 0xffffffff);
    rpc_put_free(q);
    rpc_ring(q);
    rpc_expect_nothing(q);
    shm_poke(q, CMDQ + 0x20, good);
    rpc_ring(q);
    rpc_expect_reply(q, NV_VGPU_MSG_FUNCTION_FREE);
    rpc_end(q);
}

/* Geometry is read once: what a guest writes there later has no effect. */
static void test_header_rewritten(const void *profile)
{
    VgspQos *q = rpc_up(profile);

    for (uint32_t i = 0; i < 8; i++) {
        if (i != 4) {
            shm_poke(q, CMDQ + 4 * i, 0xffffffff);
            shm_poke(q, MSGQ + 4 * i, 0xffffffff);
        }
    }
    rpc_put_free(q);
    rpc_ring(q);
    rpc_expect_reply(q, NV_VGPU_MSG_FUNCTION_FREE);
    rpc_end(q);
}

/* The stalling vector of GSP in RM's table. */
static uint32_t gsp_vector(VgspQos *q)
{
    typedef NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS Table;
    g_autofree uint8_t *buf = g_malloc0(sizeof(Table));

    g_assert_cmpint(vgsp_gsp_rm_control(&q->gsp, q->gsp.info.client,
        q->gsp.info.subdevice, NV2080_CTRL_CMD_INTERNAL_INTR_GET_KERNEL_TABLE,
        buf, sizeof(Table)), ==, VGSP_GSP_OK);
    for (uint32_t i = 0; i < vgsp_le32(buf); i++) {
        if (vgsp_le16(buf + 4 + 16 * i) == q->gsp.profile->mc_engine->gsp) {
            return vgsp_le32(buf + 4 + 16 * i + 8);
        }
    }
    g_assert_not_reached();
}

/* A message raises SWGEN0, that the GSP vector, that an MSI. */
static void test_interrupt(const void *profile)
{
    uint32_t gsp = NV_PGSP_FALCON_BASE;
    VgspQos *q = rpc_up(profile);
    uint32_t vector = gsp_vector(q), leaf = 0xb81000 + vector / 32 * 4;
    uint32_t bit = 1u << (vector % 32);
    VgspQosMsi msi;

    vgsp_qos_msi_enable(q, &msi);
    vgsp_wr32(q, gsp + NV_PFALCON_FALCON_IRQSCLR, 0xffffffff);
    vgsp_wr32(q, leaf, 0xffffffff);
    vgsp_wr32(q, leaf + 0x200, bit);
    vgsp_wr32(q, 0xb81608, 0xf);
    g_assert_true(vgsp_qos_msi_quiet(q, &msi));
    for (int i = 0; i < 3; i++) {
        rpc_put_free(q);
        rpc_ring(q);
        g_assert_true(vgsp_qos_msi_taken(q, &msi));
        /* As a driver's handler goes. */
        vgsp_wr32(q, 0xb81610, 0xf);
        vgsp_wr32(q, 0x088704, 0);
        g_assert_cmphex(vgsp_rd32(q, 0xb81600) & 1u << (vector / 64), !=, 0);
        g_assert_cmphex(vgsp_rd32(q, leaf) & bit, ==, bit);
        vgsp_wr32(q, leaf, bit);
        g_assert_cmphex(vgsp_rd32(q, gsp + NV_PFALCON_FALCON_IRQSTAT) &
                        vgsp_rd32(q, gsp + NV_PRISCV_RISCV_IRQMASK), ==, 0x40);
        vgsp_wr32(q, gsp + NV_PFALCON_FALCON_IRQSCLR, 0x40);
        g_assert_cmphex(vgsp_rd32(q, gsp + NV_PFALCON_FALCON_IRQSTAT) & 0x40,
                        ==, 0);
        vgsp_wr32(q, 0xb81608, 0xf);
        g_assert_true(vgsp_qos_msi_quiet(q, &msi));
        rpc_expect_reply(q, NV_VGPU_MSG_FUNCTION_FREE);
    }
    rpc_end(q);
}

static void test_unknown_function(const void *profile)
{
    VgspQos *q = rpc_up(profile);
    const uint8_t *reply;
    uint32_t len;

    g_assert_cmpint(vgsp_gsp_rpc(&q->gsp, 250, free_payload,
                                 sizeof(free_payload), &reply, &len), ==,
                    VGSP_GSP_EREMOTEIO);
    g_assert_cmphex(q->gsp.rpc_result, ==, NV_ERR_NOT_SUPPORTED);
    rpc_end(q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    vgsp_add_profiles("/vgsp/rpc/header", test_header);
    vgsp_add_profiles("/vgsp/rpc/reply-words", test_reply_words);
    vgsp_add_profiles("/vgsp/rpc/wrap", test_wrap);
    vgsp_add_profiles("/vgsp/rpc/batch", test_batch);
    if (!vgsp_qos_kvm()) {
        /* GSP-RM looks for room by a timer. */
        vgsp_add_profiles("/vgsp/rpc/full", test_full);
    }
    vgsp_add_profiles("/vgsp/rpc/continuation-request",
                      test_continuation_request);
    vgsp_add_profiles("/vgsp/rpc/continuation-reply", test_continuation_reply);
    qtest_add_data_func("/vgsp/rpc/continuation-orphan", vgsp_profiles[0],
                        test_continuation_orphan);
    qtest_add_data_func("/vgsp/rpc/continuation-missing", vgsp_profiles[0],
                        test_continuation_missing);
    qtest_add_data_func("/vgsp/rpc/oversize", vgsp_profiles[0],
                        test_oversize);
    for (size_t i = 0; i < G_N_ELEMENTS(damages); i++) {
        g_autofree char *path = g_strdup_printf("/vgsp/rpc/damage/%s",
                                                damages[i].name);

        qtest_add_data_func(path, &damages[i], test_damage);
    }
    qtest_add_data_func("/vgsp/rpc/pointer", vgsp_profiles[0], test_pointer);
    qtest_add_data_func("/vgsp/rpc/header-rewritten", vgsp_profiles[0],
                        test_header_rewritten);
    vgsp_add_profiles("/vgsp/rpc/interrupt", test_interrupt);
    qtest_add_data_func("/vgsp/rpc/unknown-function", vgsp_profiles[0],
                        test_unknown_function);
    return g_test_run();
}
