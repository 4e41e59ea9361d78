/*
 * What a driver hands over at boot, damaged at random: FWSEC's data, Booter's
 * metadata, page list and signatures, libos arguments, RMARGS, the shared
 * region's page table, queue headers and messages, suspend metadata. Nothing
 * crashes, and the card boots afterwards.
 *
 * VGSP_FUZZ_OPS sets the number of damaged starts times 400 (default
 * 20000), VGSP_FUZZ_SEED the seed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "vgsp-qos.h"
#include "vgsp/boot-codes.h"
#include "vgsp/nv/dev_falcon.h"

#define DEFAULT_OPS 20000
#define MAX_DAMAGE  4

typedef struct Fuzz {
    VgspQos *q;
    GRand *r;
    const VgspProfile *profile;
    /* What was there, for the next try. */
    struct {
        uint64_t addr, old;
    } damage[MAX_DAMAGE];
    unsigned damaged;
} Fuzz;

static uint64_t fuzz_number(const char *name, uint64_t fallback)
{
    const char *s = g_getenv(name);

    return s ? g_ascii_strtoull(s, NULL, 0) : fallback;
}

static uint64_t fuzz_value(Fuzz *f, uint64_t old)
{
    uint64_t word = (uint64_t)g_rand_int(f->r) << 32 | g_rand_int(f->r);

    switch (g_rand_int_range(f->r, 0, 9)) {
    case 0:
        return 0;
    case 1:
        return UINT64_MAX;
    case 2:
        return old ^ 1ull << g_rand_int_range(f->r, 0, 64);
    case 3:
        return old + g_rand_int_range(f->r, -8, 9);
    case 4:
        return old + g_rand_int_range(f->r, -4, 5) * 0x1000ll;
    case 5:
        return f->q->bar0 + (word & 0xfff000);
    case 6:
        return word & 0xffffff;
    case 7:
        return VGSP_QOS_VRAM_SIZE - (word & 0xfffffff);
    default:
        return word;
    }
}

/* A 64-bit word in one of the places that firmware reads. */
static uint64_t fuzz_place(Fuzz *f, bool resume)
{
    VgspGspClient *c = &f->q->gsp;
    const struct {
        const VgspGspMem *mem;
        uint32_t offset, size;
    } boot[] = {
        { &c->wpr_meta, 0, 0x100 }, { &c->wpr_meta, 0, 0x100 },
        { &c->libos, 0, 0x100 }, { &c->rmargs, 0, 0x50 },
        { &c->shared, 0, 129 * 8 }, { &c->shared, 0x1000, 0x28 },
        { &c->shared, 0x2000, 0x60 }, { &c->shared, 0x3000, 0x60 },
        { &c->radix[0], 0, 8 }, { &c->radix[1], 0, 64 },
        { &c->radix[2], 0, 128 }, { &c->signature, 0, 64 },
    }, sr[] = {
        { &c->sr_meta, 0, 0x40 }, { &c->sr_radix[0], 0, 8 },
        { &c->sr_radix[1], 0, 16 }, { &c->sr_radix[2], 0, 64 },
        { &c->rmargs, 0, 0x50 }, { &c->shared, 0, 129 * 8 },
    };
    unsigned i = resume ? g_rand_int_range(f->r, 0, G_N_ELEMENTS(sr))
                        : g_rand_int_range(f->r, 0, G_N_ELEMENTS(boot));
    const VgspGspMem *mem = resume ? sr[i].mem : boot[i].mem;
    uint32_t base = resume ? sr[i].offset : boot[i].offset;
    uint32_t size = resume ? sr[i].size : boot[i].size;

    return qos_dma_addr_of(f->q, mem) + base +
           g_rand_int_range(f->r, 0, size / 8) * 8;
}

static void fuzz_damage(Fuzz *f, bool resume)
{
    unsigned n = g_rand_int_range(f->r, 1, MAX_DAMAGE + 1);

    for (f->damaged = 0; f->damaged < n; f->damaged++) {
        uint64_t addr = fuzz_place(f, resume);
        uint64_t old = qtest_readq(f->q->qts, addr);

        f->damage[f->damaged].addr = addr;
        f->damage[f->damaged].old = old;
        qtest_writeq(f->q->qts, addr, fuzz_value(f, old));
    }
}

static void fuzz_repair(Fuzz *f)
{
    while (f->damaged) {
        f->damaged--;
        qtest_writeq(f->q->qts, f->damage[f->damaged].addr,
                     f->damage[f->damaged].old);
    }
}

static int fuzz_booter(Fuzz *f, uint64_t meta)
{
    VgspGspClient *c = &f->q->gsp;

    return vgsp_gsp_booter(c, &c->fw->booter_load, meta, meta >> 32);
}

/* Back to a card on which FRTS has run and Booter has not. */
static void fuzz_prepare(Fuzz *f)
{
    vgsp_qos_flr(f->q);
    vgsp_qos_enable(f->q);
    vgsp_gsp_forget(&f->q->gsp);
    vgsp_gsp_init(f->q, f->profile);
    g_assert_cmpint(vgsp_gsp_prepare(&f->q->gsp), ==, VGSP_GSP_OK);
}

static void fuzz_start(Fuzz *f)
{
    uint64_t meta = qos_dma_addr_of(f->q, &f->q->gsp.wpr_meta);
    int ret;

    fuzz_damage(f, false);
    ret = fuzz_booter(f, meta);
    if (ret == VGSP_GSP_OK) {
        /* It runs, with whatever it was given. */
        vgsp_wr32(f->q, NV_PGSP_FALCON_BASE + NV_PFALCON_QUEUE_HEAD(0), 0);
        fuzz_prepare(f);
        f->damaged = 0;
    } else {
        g_assert_cmphex(f->q->gsp.mailbox[0], <=, VGSP_BOOTER_ERR_SR_DATA);
        fuzz_repair(f);
    }
}

static void fuzz_resume(Fuzz *f)
{
    VgspGspClient *c = &f->q->gsp;
    uint64_t meta;
    int ret;

    fuzz_prepare(f);
    g_assert_cmpint(vgsp_gsp_start(c), ==, VGSP_GSP_OK);
    g_assert_cmpint(vgsp_gsp_suspend(c), ==, VGSP_GSP_OK);
    meta = qos_dma_addr_of(f->q, &c->sr_meta);
    do {
        fuzz_damage(f, true);
        ret = fuzz_booter(f, meta);
        fuzz_repair(f);
    } while (ret != VGSP_GSP_OK && g_rand_int_range(f->r, 0, 8));
    fuzz_prepare(f);
}

static void test_boot_fuzz(const void *profile)
{
    uint64_t ops = fuzz_number("VGSP_FUZZ_OPS", DEFAULT_OPS) / 400;
    uint32_t seed = fuzz_number("VGSP_FUZZ_SEED", 1);
    Fuzz f = { .profile = profile, .r = g_rand_new_with_seed(seed) };

    g_test_message("seed %u, %" PRIu64 " starts", seed, ops);
    f.q = vgsp_qos_new("", "");
    fuzz_prepare(&f);
    for (uint64_t i = 0; i < ops; i++) {
        if (i % 16 == 15) {
            fuzz_resume(&f);
        } else {
            fuzz_start(&f);
        }
    }
    vgsp_qos_flr(f.q);
    vgsp_qos_enable(f.q);
    vgsp_gsp_forget(&f.q->gsp);
    vgsp_gsp_up(f.q, profile);
    vgsp_gsp_down(f.q);
    vgsp_qos_free(f.q);
    g_rand_free(f.r);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    vgsp_add_profiles("/vgsp/boot-fuzz", test_boot_fuzz);
    return g_test_run();
}
