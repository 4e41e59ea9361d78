/*
 * A channel from the client's allocation to executed work: semaphore releases,
 * non-stall interrupts, copies, and errors that stay with their channel.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/copy.h"
#include "vgsp/nv/dev_vm.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/rm.h"

/* VRAM of the channels: 64 KiB each, after tables and data. */
#define TABLES      0x400000u
#define TABLES_SIZE 0x100000u
#define CHANNELS    0x600000u
#define DATA        0x800000u

/* GPU addresses. */
#define VA_CHANNEL  0x10000000ull   /* 64 KiB a channel, system memory */
#define VA_DATA     0x20000000ull   /* 1 MiB of VRAM */
#define PUSH_OFFSET 0x2000          /* in a channel's memory; ring at 0 */
#define GP_ENTRIES  64u

#define VF(reg) (NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET + \
                 NV_VIRTUAL_FUNCTION_PRIV_##reg)
#define DOORBELL (NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET + \
                  NV_VIRTUAL_FUNCTION_DOORBELL)

typedef struct Channel {
    VgspQos *q;
    VgspGspChannel ch;
    uint64_t ram;           /* ring and push buffer */
    uint32_t put, words;    /* next GP entry; words pushed so far */
    uint32_t start;         /* first word not submitted */
} Channel;

typedef struct Space {
    VgspQos *q;
    VgspQosVm *vm;
    VgspGspVm rm;
} Space;

static void space_new(VgspQos *q, Space *s, uint32_t id)
{
    s->q = q;
    s->vm = vgsp_vm_new(q, TABLES + id * TABLES_SIZE, TABLES_SIZE);
    for (uint32_t off = 0; off < 0x100000; off += 0x1000) {
        vgsp_vm_map(s->vm, VA_DATA + off, DATA + off, 12, VGSP_PTE_VRAM);
    }
    vgsp_vm_commit(s->vm);
    g_assert_cmpint(vgsp_gsp_vm_new(&q->gsp, id, s->vm->base, &s->rm), ==,
                    VGSP_GSP_OK);
}

static void space_free(Space *s)
{
    g_assert_cmpint(vgsp_gsp_vm_free(&s->q->gsp, &s->rm), ==, VGSP_GSP_OK);
    vgsp_vm_free(s->vm);
}

static void channel_new(Space *s, Channel *c, uint32_t chid, uint32_t engine)
{
    VgspQos *q = s->q;
    uint64_t vram = CHANNELS + chid * 0x10000;

    *c = (Channel) { .q = q, .ram = vgsp_qos_ram(q, 0x10000) };
    for (uint32_t off = 0; off < 0x10000; off += 0x1000) {
        vgsp_vm_map(s->vm, VA_CHANNEL + chid * 0x10000 + off, c->ram + off, 12,
                    VGSP_PTE_SYS);
    }
    vgsp_vm_commit(s->vm);
    vgsp_invalidate(q, s->vm->base);
    c->ch = (VgspGspChannel) {
        .vm = &s->rm,
        .chid = chid,
        .engine_type = engine,
        .gpfifo_va = VA_CHANNEL + chid * 0x10000,
        .gpfifo_entries = GP_ENTRIES,
        .inst = vram,
        .userd = vram + 0x1000,
        .mthdbuf = vgsp_qos_ram(q, 0x10000),
        .mthdbuf_size = 0x1000,
        .privileged = true,
    };
    g_assert_cmpint(vgsp_gsp_channel_new(&q->gsp, &c->ch), ==, VGSP_GSP_OK);
    g_assert_cmphex(VGSP_GET(NV_DOORBELL_VECTOR, c->ch.token), ==, chid);
}

static void push(Channel *c, uint32_t word)
{
    qtest_writel(c->q->qts, c->ram + PUSH_OFFSET + 4 * c->words++, word);
}

/* An incrementing method header and its data. */
static void push_inc(Channel *c, unsigned subch, uint32_t method,
                     unsigned count)
{
    push(c, VGSP_SET(NVC46F_DMA_SEC_OP, NVC46F_DMA_SEC_OP_INC_METHOD) |
         VGSP_SET(NVC46F_DMA_METHOD_COUNT, count) |
         VGSP_SET(NVC46F_DMA_METHOD_SUBCHANNEL, subch) |
         VGSP_SET(NVC46F_DMA_METHOD_ADDRESS, method >> 2));
}

static void push_release(Channel *c, uint64_t va, uint32_t payload,
                         uint32_t flags)
{
    push_inc(c, 0, NVC46F_SEM_ADDR_LO, 5);
    push(c, va);
    push(c, va >> 32);
    push(c, payload);
    push(c, 0);
    push(c, VGSP_SET(NVC46F_SEM_EXECUTE_OPERATION,
                     NVC46F_SEM_EXECUTE_OPERATION_RELEASE) | flags);
}

static void push_acquire(Channel *c, uint64_t va, uint32_t payload)
{
    push_inc(c, 0, NVC46F_SEM_ADDR_LO, 5);
    push(c, va);
    push(c, va >> 32);
    push(c, payload);
    push(c, 0);
    push(c, VGSP_SET(NVC46F_SEM_EXECUTE_OPERATION,
                     NVC46F_SEM_EXECUTE_OPERATION_ACQ_CIRC_GEQ) |
         NVC46F_SEM_EXECUTE_ACQUIRE_SWITCH_TSG);
}

static void kick(Channel *c)
{
    uint64_t va = c->ch.gpfifo_va + PUSH_OFFSET + 4 * c->start;
    uint64_t entry = c->ram + NVC46F_GP_ENTRY__SIZE * c->put;

    qtest_writel(c->q->qts, entry, va);
    qtest_writel(c->q->qts, entry + 4, (uint32_t)(va >> 32) |
                 VGSP_SET(NVC46F_GP_ENTRY1_LENGTH, c->words - c->start));
    c->put = (c->put + 1) % GP_ENTRIES;
    c->start = c->words;
    vgsp_vram_wr32(c->q, c->ch.userd + NV_RAMUSERD_GP_PUT, c->put);
    vgsp_wr32(c->q, DOORBELL, c->ch.token);
}

static bool wait_vram(VgspQos *q, uint64_t addr, uint32_t want)
{
    for (int i = 0; i < 2000; i++) {
        if (vgsp_vram_rd32(q, addr) == want) {
            return true;
        }
        qtest_clock_step(q->qts, 100000);
        g_usleep(1000);
    }
    return false;
}

/* GP_GET as the chip reports it. */
static bool wait_idle(Channel *c)
{
    return wait_vram(c->q, c->ch.userd + NV_RAMUSERD_GP_GET, c->put);
}

static VgspQos *channel_up(const void *profile)
{
    VgspQos *q = vgsp_qos_new("", "");

    vgsp_gsp_up(q, profile);
    return q;
}

static void channel_end(VgspQos *q)
{
    vgsp_gsp_down(q);
    vgsp_qos_free(q);
}

/* ---- Tests ---- */

static void test_release(const void *profile)
{
    VgspQos *q = channel_up(profile);
    int64_t channels = vgsp_qos_stat(q, "stats-channels");
    Space s;
    Channel c;

    space_new(q, &s, 0);
    channel_new(&s, &c, 8, NV2080_ENGINE_TYPE_COPY(2));
    g_assert_cmpint(vgsp_qos_stat(q, "stats-channels") - channels, ==, 1);
    /* NOPs first, as nouveau does. */
    for (int i = 0; i < 32; i++) {
        push(&c, 0);
    }
    push_release(&c, VA_DATA, 0xcafe0001, NVC46F_SEM_EXECUTE_RELEASE_WFI);
    kick(&c);
    g_assert_true(wait_vram(q, DATA, 0xcafe0001));
    g_assert_true(wait_idle(&c));
    /* With a timestamp: 16 bytes. */
    push_release(&c, VA_DATA + 0x20, 0xcafe0002,
                 NVC46F_SEM_EXECUTE_RELEASE_TIMESTAMP);
    kick(&c);
    g_assert_true(wait_vram(q, DATA + 0x20, 0xcafe0002));
    g_assert_cmphex(vgsp_vram_rd32(q, DATA + 0x28), !=, 0);
    g_assert_cmpint(vgsp_qos_stat(q, "stats-releases"), >=, 2);
    g_assert_cmpint(vgsp_qos_stat(q, "stats-doorbells"), ==, 2);
    g_assert_cmpint(vgsp_gsp_channel_free(&q->gsp, &c.ch), ==, VGSP_GSP_OK);
    space_free(&s);
    channel_end(q);
}

/* The ring goes round many times. */
static void test_ring_wrap(const void *profile)
{
    VgspQos *q = channel_up(profile);
    Space s;
    Channel c;

    space_new(q, &s, 0);
    channel_new(&s, &c, 9, NV2080_ENGINE_TYPE_COPY(2));
    for (uint32_t i = 1; i <= 3 * GP_ENTRIES; i++) {
        c.words = c.start = 8 * (i % 32);
        push_release(&c, VA_DATA, i, 0);
        kick(&c);
        g_assert_true(wait_vram(q, DATA, i));
    }
    g_assert_true(wait_idle(&c));
    g_assert_cmpint(vgsp_gsp_channel_free(&q->gsp, &c.ch), ==, VGSP_GSP_OK);
    space_free(&s);
    channel_end(q);
}

/* Vector of an engine from RM's table. */
static uint32_t nonstall_vector(VgspQos *q, uint32_t mc_engine)
{
    typedef NV2080_CTRL_INTERNAL_INTR_GET_KERNEL_TABLE_PARAMS Table;
    g_autofree uint8_t *buf = g_malloc0(sizeof(Table));
    uint32_t n;

    g_assert_cmpint(vgsp_gsp_rm_control(&q->gsp, q->gsp.info.client,
        q->gsp.info.subdevice, NV2080_CTRL_CMD_INTERNAL_INTR_GET_KERNEL_TABLE,
        buf, sizeof(Table)), ==, VGSP_GSP_OK);
    n = vgsp_le32(buf);
    for (uint32_t i = 0; i < n; i++) {
        if (vgsp_le16(buf + 4 + 16 * i) == mc_engine) {
            return vgsp_le32(buf + 4 + 16 * i + 12);
        }
    }
    g_assert_not_reached();
}

static void test_nonstall(const void *data)
{
    const VgspProfile *profile = data;
    VgspQos *q = channel_up(profile);
    uint32_t vector = nonstall_vector(q, profile->mc_engine->ce0 + 2);
    VgspQosMsi msi;
    Space s;
    Channel c;

    g_assert_cmpuint(vector, <, 256);
    space_new(q, &s, 0);
    channel_new(&s, &c, 10, NV2080_ENGINE_TYPE_COPY(2));
    vgsp_qos_msi_enable(q, &msi);
    for (int i = 0; i < 8; i++) {
        vgsp_wr32(q, VF(CPU_INTR_LEAF(i)), 0xffffffff);
    }
    vgsp_wr32(q, VF(CPU_INTR_LEAF_EN_SET(vector / 32)), 1u << (vector % 32));
    vgsp_wr32(q, VF(CPU_INTR_TOP_EN_SET(0)), 0xf);
    g_assert_true(vgsp_qos_msi_quiet(q, &msi));
    push_release(&c, VA_DATA, 1, NVC46F_SEM_EXECUTE_RELEASE_WFI);
    push_inc(&c, 0, NVC46F_NON_STALL_INTERRUPT, 1);
    push(&c, 0);
    kick(&c);
    g_assert_true(vgsp_qos_msi_taken(q, &msi));
    /* The memory was right before the interrupt was. */
    g_assert_cmphex(vgsp_vram_rd32(q, DATA), ==, 1);
    g_assert_cmphex(vgsp_rd32(q, VF(CPU_INTR_LEAF(vector / 32))) &
                    1u << (vector % 32), !=, 0);
    g_assert_cmpint(vgsp_gsp_channel_free(&q->gsp, &c.ch), ==, VGSP_GSP_OK);
    space_free(&s);
    channel_end(q);
}

static void test_copy(const void *profile)
{
    VgspQos *q = channel_up(profile);
    uint8_t params[8] = { 1, 0, 0, 0, NV2080_ENGINE_TYPE_COPY(2) };
    g_autofree uint8_t *out = g_malloc(0x3000);
    g_autofree uint8_t *in = g_malloc(0x3000);
    Space s;
    Channel c;

    space_new(q, &s, 0);
    channel_new(&s, &c, 11, NV2080_ENGINE_TYPE_COPY(2));
    g_assert_cmpint(vgsp_gsp_rm_alloc(&q->gsp, s.rm.client, c.ch.handle,
                                      0x0004c5b5, TURING_DMA_COPY_A, params,
                                      sizeof(params)), ==, VGSP_GSP_OK);
    /* Handle 0, twice: a distinct object each time. */
    for (int i = 0; i < 2; i++) {
        g_assert_cmpint(vgsp_gsp_rm_alloc(&q->gsp, s.rm.client, c.ch.handle, 0,
                                          TURING_DMA_COPY_A, params,
                                          sizeof(params)), ==, VGSP_GSP_OK);
    }
    g_assert_cmpint(vgsp_gsp_rm_free(&q->gsp, s.rm.client, 0), ==,
                    VGSP_GSP_OK);
    for (int i = 0; i < 0x3000; i++) {
        out[i] = i * 31 + (i >> 7);
    }
    vgsp_vram_write(q, DATA + 0x10000, out, 0x3000);
    push_inc(&c, 4, NVC46F_SET_OBJECT, 1);
    push(&c, TURING_DMA_COPY_A);
    push_inc(&c, 4, 0x0400, 8);
    push(&c, (VA_DATA + 0x10000) >> 32);
    push(&c, (uint32_t)(VA_DATA + 0x10000));
    push(&c, (VA_DATA + 0x20000) >> 32);
    push(&c, (uint32_t)(VA_DATA + 0x20000));
    push(&c, 0x1000);           /* pitches, line length, lines */
    push(&c, 0x1000);
    push(&c, 0x1000);
    push(&c, 3);
    push_inc(&c, 4, NVC5B5_LAUNCH_DMA, 1);
    push(&c, NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED |
         NVC5B5_LAUNCH_DMA_FLUSH_ENABLE |
         NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT |
         NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT |
         NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE);
    push_release(&c, VA_DATA, 0xc0b1, NVC46F_SEM_EXECUTE_RELEASE_WFI);
    kick(&c);
    g_assert_true(wait_vram(q, DATA, 0xc0b1));
    vgsp_vram_read(q, DATA + 0x20000, in, 0x3000);
    g_assert_cmpmem(in, 0x3000, out, 0x3000);
    g_assert_cmpint(vgsp_gsp_channel_free(&q->gsp, &c.ch), ==, VGSP_GSP_OK);
    space_free(&s);
    channel_end(q);
}

/* A channel that waits for another, and does not stop a third. */
static void test_acquire(const void *profile)
{
    VgspQos *q = channel_up(profile);
    Channel a, b, other;
    Space s;

    space_new(q, &s, 0);
    channel_new(&s, &a, 16, NV2080_ENGINE_TYPE_COPY(2));
    channel_new(&s, &b, 17, NV2080_ENGINE_TYPE_COPY(3));
    channel_new(&s, &other, 18, NV2080_ENGINE_TYPE_COPY(2));
    push_acquire(&a, VA_DATA + 0x100, 5);
    push_release(&a, VA_DATA + 0x104, 1, 0);
    kick(&a);
    push_release(&other, VA_DATA + 0x108, 2, 0);
    kick(&other);
    g_assert_true(wait_vram(q, DATA + 0x108, 2));
    g_assert_cmphex(vgsp_vram_rd32(q, DATA + 0x104), ==, 0);
    push_release(&b, VA_DATA + 0x100, 4, 0);
    kick(&b);
    g_assert_true(wait_vram(q, DATA + 0x100, 4));
    g_assert_cmphex(vgsp_vram_rd32(q, DATA + 0x104), ==, 0);
    push_release(&b, VA_DATA + 0x100, 5, 0);
    kick(&b);
    g_assert_true(wait_vram(q, DATA + 0x104, 1));
    /* By the CPU, without a doorbell. */
    push_acquire(&a, VA_DATA + 0x100, 9);
    push_release(&a, VA_DATA + 0x104, 3, 0);
    kick(&a);
    vgsp_vram_wr32(q, DATA + 0x100, 9);
    g_assert_true(wait_vram(q, DATA + 0x104, 3));
    g_assert_cmpint(vgsp_gsp_channel_free(&q->gsp, &a.ch), ==, VGSP_GSP_OK);
    g_assert_cmpint(vgsp_gsp_channel_free(&q->gsp, &b.ch), ==, VGSP_GSP_OK);
    g_assert_cmpint(vgsp_gsp_channel_free(&q->gsp, &other.ch), ==,
                    VGSP_GSP_OK);
    space_free(&s);
    channel_end(q);
}

/* A fault kills its channel, by event, and no other. */
static void test_fault(const void *data)
{
    const VgspProfile *profile = data;
    VgspQos *q = channel_up(profile);
    uint32_t chid = 0, size = 0;
    Channel bad, good;
    Space s;

    space_new(q, &s, 0);
    channel_new(&s, &bad, 24, NV2080_ENGINE_TYPE_COPY(2));
    channel_new(&s, &good, 25, NV2080_ENGINE_TYPE_COPY(2));
    push_release(&bad, 0x7000000000ull, 1, 0);
    kick(&bad);
    for (int i = 0; i < 2000 && !chid; i++) {
        g_assert_cmpint(vgsp_gsp_poll(&q->gsp), ==, VGSP_GSP_OK);
        if (q->events && q->event == NV_VGPU_MSG_EVENT_RC_TRIGGERED) {
            chid = vgsp_le32(q->event_data + profile->rc_triggered->chid);
            size = q->event_len;
        }
        qtest_clock_step(q->qts, 100000);
        g_usleep(1000);
    }
    g_assert_cmpuint(chid, ==, 24);
    g_assert_cmpuint(size, ==, profile->rc_triggered->size);
    g_assert_cmpint(vgsp_qos_stat(q, "stats-channel-errors"), ==, 1);
    /* The other one on the runlist goes on; the dead one stays dead. */
    push_release(&good, VA_DATA, 7, 0);
    kick(&good);
    g_assert_true(wait_vram(q, DATA, 7));
    push_release(&bad, VA_DATA, 8, 0);
    kick(&bad);
    push_release(&good, VA_DATA + 4, 9, 0);
    kick(&good);
    g_assert_true(wait_vram(q, DATA + 4, 9));
    g_assert_cmphex(vgsp_vram_rd32(q, DATA), ==, 7);
    g_assert_cmpint(vgsp_gsp_channel_free(&q->gsp, &bad.ch), ==, VGSP_GSP_OK);
    g_assert_cmpint(vgsp_gsp_channel_free(&q->gsp, &good.ch), ==, VGSP_GSP_OK);
    space_free(&s);
    channel_end(q);
}

/* The same chid cannot be taken twice; doorbells of nobody are ignored. */
static void test_chid(const void *profile)
{
    VgspQos *q = channel_up(profile);
    Channel c, again;
    Space s;

    space_new(q, &s, 0);
    channel_new(&s, &c, 30, NV2080_ENGINE_TYPE_COPY(2));
    again = c;
    again.ch.handle = 0;
    g_assert_cmpint(vgsp_gsp_channel_new(&q->gsp, &again.ch), ==,
                    VGSP_GSP_EREMOTEIO);
    vgsp_wr32(q, DOORBELL, c.ch.token + 1);
    vgsp_wr32(q, DOORBELL, 0xffffffff);
    push_release(&c, VA_DATA, 3, 0);
    kick(&c);
    g_assert_true(wait_vram(q, DATA, 3));
    g_assert_cmpint(vgsp_gsp_channel_free(&q->gsp, &c.ch), ==, VGSP_GSP_OK);
    /* Freed: its doorbell is nobody's. */
    vgsp_vram_wr32(q, DATA, 0);
    push_release(&c, VA_DATA, 4, 0);
    kick(&c);
    g_usleep(20000);
    g_assert_cmphex(vgsp_vram_rd32(q, DATA), ==, 0);
    space_free(&s);
    channel_end(q);
}

/* After a reset nothing of a busy channel reaches guest memory. */
static void test_reset(const void *profile)
{
    VgspQos *q = channel_up(profile);
    Channel c;
    Space s;
    uint64_t ram;

    space_new(q, &s, 0);
    channel_new(&s, &c, 31, NV2080_ENGINE_TYPE_COPY(2));
    ram = vgsp_qos_ram(q, 0x1000);
    vgsp_vm_map(s.vm, VA_DATA, ram, 12, VGSP_PTE_SYS);
    vgsp_vm_commit(s.vm);
    vgsp_invalidate(q, s.vm->base);
    push_acquire(&c, VA_DATA, 1);
    push_release(&c, VA_DATA + 8, 0xdead, 0);
    kick(&c);
    vgsp_qos_flr(q);
    qtest_writel(q->qts, ram, 1);
    qtest_clock_step(q->qts, 100000000);
    g_usleep(50000);
    g_assert_cmphex(qtest_readl(q->qts, ram + 8), ==, 0);
    vgsp_vm_free(s.vm);
    vgsp_gsp_forget(&q->gsp);
    vgsp_gsp_up(q, vgsp_profiles[0]);
    channel_end(q);
}

/* A channel outlives suspend; what it was given meanwhile runs afterwards. */
static void test_suspend(const void *profile)
{
    VgspQos *q = channel_up(profile);
    Space s;
    Channel c;

    space_new(q, &s, 0);
    channel_new(&s, &c, 12, NV2080_ENGINE_TYPE_COPY(2));
    push_release(&c, VA_DATA, 1, 0);
    kick(&c);
    g_assert_true(wait_vram(q, DATA, 1));
    g_assert_true(wait_idle(&c));
    g_assert_cmpint(vgsp_gsp_suspend(&q->gsp), ==, VGSP_GSP_OK);
    push_release(&c, VA_DATA, 2, 0);
    kick(&c);
    g_usleep(20000);
    g_assert_cmphex(vgsp_vram_rd32(q, DATA), ==, 1);
    g_assert_cmpint(vgsp_gsp_resume(&q->gsp), ==, VGSP_GSP_OK);
    vgsp_wr32(q, DOORBELL, c.ch.token);
    g_assert_true(wait_vram(q, DATA, 2));
    g_assert_cmpint(vgsp_gsp_channel_free(&q->gsp, &c.ch), ==, VGSP_GSP_OK);
    space_free(&s);
    channel_end(q);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    if (vgsp_qos_skip_kvm()) {
        return 0;
    }
    vgsp_add_profiles("/vgsp/channel/release", test_release);
    qtest_add_data_func("/vgsp/channel/ring-wrap", vgsp_profiles[0],
                        test_ring_wrap);
    vgsp_add_profiles("/vgsp/channel/non-stall", test_nonstall);
    vgsp_add_profiles("/vgsp/channel/copy", test_copy);
    qtest_add_data_func("/vgsp/channel/acquire", vgsp_profiles[0],
                        test_acquire);
    vgsp_add_profiles("/vgsp/channel/fault", test_fault);
    qtest_add_data_func("/vgsp/channel/chid", vgsp_profiles[0], test_chid);
    vgsp_add_profiles("/vgsp/channel/suspend", test_suspend);
    qtest_add_data_func("/vgsp/channel/reset", vgsp_profiles[0], test_reset);
    return g_test_run();
}
