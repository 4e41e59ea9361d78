/*
 * See vgsp-qos-channel.h.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos-channel.h"
#include "vgsp/nv/dev_vm.h"

#define TABLES      0x800000u       /* VRAM of the page tables, a space */
#define TABLES_SIZE 0x100000u
#define INSTANCES   0xc00000u       /* VRAM of instance block and USERD */
#define VRAM_DATA   0x1000000u
#define CHANNELS_MAX 32
#define WAIT_US     200
#define WAIT_ROUNDS 25000

#define DOORBELL (NV_VIRTUAL_FUNCTION_FULL_PHYS_OFFSET + \
                  NV_VIRTUAL_FUNCTION_DOORBELL)

void vgsp_ch_space_new(VgspQos *q, VgspChSpace *s, uint32_t id)
{
    *s = (VgspChSpace) {
        .q = q,
        .vm = vgsp_vm_new(q, TABLES + id * TABLES_SIZE, TABLES_SIZE),
        .ram = vgsp_qos_ram(q, VGSP_CH_MEM_SIZE),
        .vram = VRAM_DATA + id * VGSP_CH_MEM_SIZE,
    };
    for (uint32_t off = 0; off < VGSP_CH_MEM_SIZE; off += VGSP_QOS_PAGE) {
        vgsp_vm_map(s->vm, VGSP_CH_VA_RAM + off, s->ram + off, 12,
                    VGSP_PTE_SYS);
        vgsp_vm_map(s->vm, VGSP_CH_VA_VRAM + off, s->vram + off, 12,
                    VGSP_PTE_VRAM);
    }
    vgsp_vm_commit(s->vm);
    g_assert_cmpint(vgsp_gsp_vm_new(&q->gsp, id, s->vm->base, &s->rm), ==,
                    VGSP_GSP_OK);
}

void vgsp_ch_space_free(VgspChSpace *s)
{
    g_assert_cmpint(vgsp_gsp_vm_free(&s->q->gsp, &s->rm), ==, VGSP_GSP_OK);
    vgsp_vm_free(s->vm);
}

static void ch_new(VgspChSpace *s, VgspCh *c, uint32_t chid, uint32_t engine,
                   uint32_t entries, bool privileged, uint32_t tsg,
                   uint64_t notifier)
{
    uint32_t offset = VGSP_CH_RING + s->channels * 0x10000;
    uint64_t inst = INSTANCES + chid * 0x2000;

    g_assert_cmpuint(s->channels++, <, CHANNELS_MAX);
    *c = (VgspCh) {
        .s = s,
        .ram = s->ram + offset,
        .ch = {
            .vm = &s->rm,
            .chid = chid,
            .engine_type = engine,
            .gpfifo_va = VGSP_CH_VA_RAM + offset,
            .gpfifo_entries = entries,
            .inst = inst,
            .userd = inst + 0x1000,
            .mthdbuf = vgsp_qos_ram(s->q, 0x1000),
            .mthdbuf_size = 0x1000,
            .privileged = privileged,
            .tsg = tsg,
            .notifier = notifier,
        },
    };
    g_assert_cmpint(vgsp_gsp_channel_new(&s->q->gsp, &c->ch), ==,
                    VGSP_GSP_OK);
}

void vgsp_ch_new(VgspChSpace *s, VgspCh *c, uint32_t chid, uint32_t engine,
                 uint32_t entries, bool privileged)
{
    ch_new(s, c, chid, engine, entries, privileged, 0, 0);
}

void vgsp_ch_new_tsg(VgspChSpace *s, VgspCh *c, uint32_t chid, uint32_t engine,
                     uint32_t entries, uint32_t tsg)
{
    ch_new(s, c, chid, engine, entries, false, tsg, 0);
}

void vgsp_ch_new_notified(VgspChSpace *s, VgspCh *c, uint32_t chid,
                          uint32_t engine, uint32_t tsg, uint64_t notifier)
{
    ch_new(s, c, chid, engine, 64, false, tsg, notifier);
}

void vgsp_ch_free(VgspCh *c)
{
    g_assert_cmpint(vgsp_gsp_channel_free(&c->s->q->gsp, &c->ch), ==,
                    VGSP_GSP_OK);
}

void vgsp_ch_copy_object(VgspCh *c)
{
    uint8_t params[sizeof(NVB0B5_ALLOCATION_PARAMETERS)] = {
        NVB0B5_ALLOCATION_PARAMETERS_VERSION_1
    };

    vgsp_put_le32(params + offsetof(NVB0B5_ALLOCATION_PARAMETERS, engineType),
                  c->ch.engine_type == NV2080_ENGINE_TYPE_GR0 ?
                  NV2080_ENGINE_TYPE_COPY(0) : c->ch.engine_type);
    g_assert_cmpint(vgsp_gsp_rm_alloc(&c->s->q->gsp, c->s->rm.client,
                                      c->ch.handle, 0x4c5b5 + c->ch.chid,
                                      TURING_DMA_COPY_A, params,
                                      sizeof(params)), ==, VGSP_GSP_OK);
}

void vgsp_ch_word(VgspCh *c, uint32_t word)
{
    g_assert_cmpuint(c->words, <, VGSP_CH_PUSH_WORDS);
    qtest_writel(c->s->q->qts, c->ram + VGSP_CH_PUSH + 4 * c->words++, word);
}

void vgsp_ch_header(VgspCh *c, unsigned op, unsigned subch, uint32_t method,
                    unsigned count)
{
    vgsp_ch_word(c, VGSP_SET(NVC46F_DMA_SEC_OP, op) |
                 VGSP_SET(NVC46F_DMA_METHOD_COUNT, count) |
                 VGSP_SET(NVC46F_DMA_METHOD_SUBCHANNEL, subch) |
                 VGSP_SET(NVC46F_DMA_METHOD_ADDRESS, method >> 2));
}

void vgsp_ch_method(VgspCh *c, unsigned subch, uint32_t method, uint32_t data)
{
    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_INC_METHOD, subch, method, 1);
    vgsp_ch_word(c, data);
}

void vgsp_ch_sem(VgspCh *c, uint64_t va, uint64_t payload, uint32_t execute)
{
    vgsp_ch_header(c, NVC46F_DMA_SEC_OP_INC_METHOD, 0, NVC46F_SEM_ADDR_LO, 5);
    vgsp_ch_word(c, va);
    vgsp_ch_word(c, va >> 32);
    vgsp_ch_word(c, payload);
    vgsp_ch_word(c, payload >> 32);
    vgsp_ch_word(c, execute);
}

void vgsp_ch_raw_entry(VgspCh *c, uint32_t entry0, uint32_t entry1)
{
    uint64_t at = c->ram + NVC46F_GP_ENTRY__SIZE * c->put;

    qtest_writel(c->s->q->qts, at, entry0);
    qtest_writel(c->s->q->qts, at + 4, entry1);
    c->put = (c->put + 1) % c->ch.gpfifo_entries;
}

void vgsp_ch_entry(VgspCh *c, uint32_t entry1_flags)
{
    uint64_t va = c->ch.gpfifo_va + VGSP_CH_PUSH + 4 * c->start;

    vgsp_ch_raw_entry(c, va, (uint32_t)(va >> 32) | entry1_flags |
                      VGSP_SET(NVC46F_GP_ENTRY1_LENGTH, c->words - c->start));
    c->start = c->words;
}

void vgsp_ch_ring(VgspCh *c)
{
    vgsp_vram_wr32(c->s->q, c->ch.userd + NV_RAMUSERD_GP_PUT, c->put);
    vgsp_wr32(c->s->q, DOORBELL, c->ch.token);
}

void vgsp_ch_kick(VgspCh *c)
{
    vgsp_ch_entry(c, 0);
    vgsp_ch_ring(c);
}

void vgsp_ch_sync(VgspCh *c)
{
    vgsp_ch_sem(c, c->ch.gpfifo_va + VGSP_CH_SYNC, ++c->sync,
                NVC46F_SEM_EXECUTE_OPERATION_RELEASE |
                NVC46F_SEM_EXECUTE_RELEASE_WFI);
    vgsp_ch_kick(c);
    g_assert_true(vgsp_ch_wait(c->s->q, c->ram + VGSP_CH_SYNC, c->sync));
    /* All of the buffer was consumed. */
    c->words = c->start = 0;
}

uint32_t vgsp_ch_userd(VgspCh *c, uint32_t reg)
{
    return vgsp_vram_rd32(c->s->q, c->ch.userd + reg);
}

bool vgsp_ch_wait(VgspQos *q, uint64_t addr, uint32_t want)
{
    for (int i = 0; i < WAIT_ROUNDS; i++) {
        if (qtest_readl(q->qts, addr) == want) {
            return true;
        }
        g_usleep(WAIT_US);
    }
    return false;
}

static void ch_event(void *opaque, uint32_t event, const uint8_t *payload,
                     uint32_t len)
{
    VgspChRc *rc = opaque;

    if (event == NV_VGPU_MSG_EVENT_RC_TRIGGERED) {
        /* The layout is the newest release's, which these tests run. */
        const VgspRcTriggeredLayout *l = vgsp_profiles[0]->rc_triggered;

        g_assert_cmpuint(len, ==, l->size);
        rc->chid = vgsp_le32(payload + l->chid);
        rc->scope = vgsp_le32(payload + l->scope);
        if (rc->events < ARRAY_SIZE(rc->chids)) {
            rc->chids[rc->events] = rc->chid;
        }
        rc->events++;
        rc->except_type = vgsp_le32(payload + l->except_type);
        rc->fault_addr = (uint64_t)vgsp_le32(payload + l->fault_addr_hi)
                             << 32 |
                         vgsp_le32(payload + l->fault_addr_lo);
    }
}

void vgsp_ch_watch(VgspQos *q, VgspChRc *rc)
{
    *rc = (VgspChRc) { 0 };
    q->gsp.event = ch_event;
    q->gsp.event_opaque = rc;
}

bool vgsp_ch_wait_rc(VgspQos *q, VgspChRc *rc, unsigned events)
{
    for (int i = 0; i < WAIT_ROUNDS; i++) {
        g_assert_cmpint(vgsp_gsp_poll(&q->gsp), ==, VGSP_GSP_OK);
        if (rc->events >= events) {
            return true;
        }
        g_usleep(WAIT_US);
    }
    return false;
}

VgspChBench *vgsp_ch_bench_new(void)
{
    return vgsp_ch_bench_new_with("");
}

VgspChBench *vgsp_ch_bench_new_with(const char *device_args)
{
    VgspChBench *b = g_new0(VgspChBench, 1);

    b->q = vgsp_qos_new(device_args, "");
    vgsp_gsp_up(b->q, vgsp_profiles[0]);
    vgsp_ch_watch(b->q, &b->rc);
    vgsp_ch_space_new(b->q, &b->s, 0);
    return b;
}

void vgsp_ch_bench_free(VgspChBench *b)
{
    vgsp_ch_space_free(&b->s);
    vgsp_gsp_down(b->q);
    vgsp_qos_free(b->q);
    g_free(b);
}
