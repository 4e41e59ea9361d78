/*
 * The driver side of a falcon: reset, loading by PIO, running a ucode to its
 * halt.  Specified by nouveau's nvkm/falcon/{gm200,gp102,fw}.c and NVIDIA's
 * kernel_falcon_tu102.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "client-priv.h"
#include "vgsp/nv/dev_falcon.h"

#define RESET_HOLD_US       10
#define SCRUB_TIMEOUT_US    10000
#define HALT_TIMEOUT_US     2000000

int gsp_falcon_reset(VgspGspClient *c, uint32_t base)
{
    uint32_t reset = NV_PFALCON_FALCON_ENGINE_RESET;

    gsp_mask(c, base + NV_PFALCON_FALCON_ENGINE, reset, reset);
    c->ops->delay_us(c->opaque, RESET_HOLD_US);
    gsp_mask(c, base + NV_PFALCON_FALCON_ENGINE, reset, 0);
    return gsp_wait(c, base + NV_PFALCON_FALCON_DMACTL,
                    NV_PFALCON_FALCON_DMACTL_DMEM_SCRUBBING |
                    NV_PFALCON_FALCON_DMACTL_IMEM_SCRUBBING, 0,
                    SCRUB_TIMEOUT_US);
}

int gsp_falcon_prepare(VgspGspClient *c, uint32_t base)
{
    uint32_t phys = NV_PFALCON_FBIF_CTL_ALLOW_PHYS_NO_CTX;
    int ret;

    gsp_mask(c, base + NV_PFALCON_FALCON_ITFEN, NV_PFALCON_FALCON_ITFEN_MASK,
             0);
    gsp_wr(c, base + NV_PFALCON_FALCON_IRQMCLR, UINT32_MAX);
    ret = gsp_falcon_reset(c, base);
    if (ret) {
        return ret;
    }
    gsp_wr(c, base + NV_PFALCON_FALCON_RM, c->boot0);
    gsp_mask(c, base + NV_PFALCON_FBIF_CTL, phys, phys);
    gsp_wr(c, base + NV_PFALCON_FALCON_DMACTL, 0);
    return 0;
}

/* The last word of data, zero-extended. */
static uint32_t falcon_word(const uint8_t *data, uint32_t left)
{
    uint8_t word[4] = { 0 };

    if (left >= sizeof(word)) {
        return vgsp_le32(data);
    }
    memcpy(word, data, left);
    return vgsp_le32(word);
}

void gsp_falcon_imem(VgspGspClient *c, uint32_t base, uint32_t imem,
                     const uint8_t *data, uint32_t size, uint32_t tag,
                     bool secure)
{
    if (!size) {
        return;
    }
    gsp_wr(c, base + NV_PFALCON_FALCON_IMEMC(0),
           NV_PFALCON_FALCON_MEMC_AINCW |
           (secure ? NV_PFALCON_FALCON_IMEMC_SECURE : 0) | imem);
    for (uint32_t i = 0; i < VGSP_ALIGN_UP(size, NV_PFALCON_IMEM_BLKSIZE);
         i += 4) {
        if (i % NV_PFALCON_IMEM_BLKSIZE == 0) {
            gsp_wr(c, base + NV_PFALCON_FALCON_IMEMT(0), tag++);
        }
        gsp_wr(c, base + NV_PFALCON_FALCON_IMEMD(0),
               i < size ? falcon_word(data + i, size - i) : 0);
    }
}

void gsp_falcon_dmem(VgspGspClient *c, uint32_t base, uint32_t dmem,
                     const uint8_t *data, uint32_t size)
{
    gsp_wr(c, base + NV_PFALCON_FALCON_DMEMC(0),
           NV_PFALCON_FALCON_MEMC_AINCW | dmem);
    for (uint32_t i = 0; i < size; i += 4) {
        gsp_wr(c, base + NV_PFALCON_FALCON_DMEMD(0),
               falcon_word(data + i, size - i));
    }
}

int gsp_falcon_run(VgspGspClient *c, uint32_t base, uint32_t bootvec,
                   uint32_t mailbox0, uint32_t mailbox1)
{
    uint32_t start = base + NV_PFALCON_FALCON_CPUCTL;
    int ret;

    gsp_wr(c, base + NV_PFALCON_FALCON_MAILBOX0, mailbox0);
    gsp_wr(c, base + NV_PFALCON_FALCON_MAILBOX1, mailbox1);
    gsp_wr(c, base + NV_PFALCON_FALCON_BOOTVEC, bootvec);
    if (gsp_rd(c, start) & NV_PFALCON_FALCON_CPUCTL_ALIAS_EN) {
        start = base + NV_PFALCON_FALCON_CPUCTL_ALIAS;
    }
    gsp_wr(c, start, NV_PFALCON_FALCON_CPUCTL_STARTCPU);
    ret = gsp_wait(c, base + NV_PFALCON_FALCON_CPUCTL,
                   NV_PFALCON_FALCON_CPUCTL_HALTED,
                   NV_PFALCON_FALCON_CPUCTL_HALTED, HALT_TIMEOUT_US);
    c->mailbox[0] = gsp_rd(c, base + NV_PFALCON_FALCON_MAILBOX0);
    c->mailbox[1] = gsp_rd(c, base + NV_PFALCON_FALCON_MAILBOX1);
    if (!ret && c->mailbox[0]) {
        c->ops->log(c->opaque, "falcon ucode failed, MAILBOX0", c->mailbox[0]);
        ret = VGSP_GSP_EIO;
    }
    return ret;
}
