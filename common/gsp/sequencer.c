/*
 * RUN_CPU_SEQUENCER: GSP-RM's wish that the CPU write registers, and stop and
 * start its own core, for it cannot while it is stopped. Specified by NVIDIA's
 * rmgspseq.h and kernel_gsp_tu102.c, and nouveau's rm/r535/gsp.c.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "client-priv.h"
#include "vgsp/nv/dev_falcon.h"
#include "vgsp/nv/dev_gc6_island.h"

#define BAR0_SIZE           0x1000000u
#define SAVE_AREA_WORDS     8u
#define POLL_TIMEOUT_US     4000000u
#define DELAY_MAX_US        1000000u
#define HALT_TIMEOUT_US     2000000u
#define HANDOFF_TIMEOUT_US  2000000u

/* Words behind the opcode. */
static const uint8_t payload_words[] = {
    [GSP_SEQ_BUF_OPCODE_REG_WRITE] = 2,
    [GSP_SEQ_BUF_OPCODE_REG_MODIFY] = 3,
    [GSP_SEQ_BUF_OPCODE_REG_POLL] = 5,
    [GSP_SEQ_BUF_OPCODE_DELAY_US] = 1,
    [GSP_SEQ_BUF_OPCODE_REG_STORE] = 2,
    [GSP_SEQ_BUF_OPCODE_CORE_RESET] = 0,
    [GSP_SEQ_BUF_OPCODE_CORE_START] = 0,
    [GSP_SEQ_BUF_OPCODE_CORE_WAIT_FOR_HALT] = 0,
    [GSP_SEQ_BUF_OPCODE_CORE_RESUME] = 0,
};

static void core_start(VgspGspClient *c, uint32_t base)
{
    uint32_t start = base + NV_PFALCON_FALCON_CPUCTL;

    if (gsp_rd(c, start) & NV_PFALCON_FALCON_CPUCTL_ALIAS_EN) {
        start = base + NV_PFALCON_FALCON_CPUCTL_ALIAS;
    }
    gsp_wr(c, start, NV_PFALCON_FALCON_CPUCTL_STARTCPU);
}

static int core_reset(VgspGspClient *c)
{
    uint32_t phys = NV_PFALCON_FBIF_CTL_ALLOW_PHYS_NO_CTX;
    int ret = gsp_falcon_reset(c, NV_PGSP_FALCON_BASE);

    gsp_mask(c, NV_PGSP_FALCON_BASE + NV_PFALCON_FBIF_CTL, phys, phys);
    gsp_wr(c, NV_PGSP_FALCON_BASE + NV_PFALCON_FALCON_DMACTL, 0);
    return ret;
}

/* Back to RISC-V: Booter, which waits on SEC2, starts the core again. */
static int core_resume(VgspGspClient *c)
{
    uint32_t handoff = NV_PGC6_BSI_SECURE_SCRATCH_14_BOOT_STAGE_3_HANDOFF;
    uint32_t base = NV_PGSP_FALCON_BASE;
    int ret = gsp_arm(c);

    if (ret) {
        return ret;
    }
    core_start(c, NV_PSEC_FALCON_BASE);
    ret = gsp_wait(c, NV_PGC6_BSI_SECURE_SCRATCH_14, handoff, handoff,
                   HANDOFF_TIMEOUT_US);
    if (ret) {
        return ret;
    }
    c->mailbox[0] = gsp_rd(c, NV_PSEC_FALCON_BASE +
                           NV_PFALCON_FALCON_MAILBOX0);
    if (c->mailbox[0]) {
        return VGSP_GSP_EIO;
    }
    gsp_wr(c, base + NV_PFALCON_FALCON_OS, c->fw->app_version);
    return gsp_rd(c, base + NV_PRISCV_RISCV_CORE_SWITCH_RISCV_STATUS) &
        NV_PRISCV_RISCV_CORE_SWITCH_RISCV_STATUS_ACTIVE_STAT ? 0
                                                             : VGSP_GSP_EIO;
}

static int sequencer_step(VgspGspClient *c, uint32_t opcode,
                          const uint8_t *payload)
{
    uint32_t w[5] = { 0 };
    uint32_t halted = NV_PFALCON_FALCON_CPUCTL_HALTED;

    for (uint32_t i = 0; i < payload_words[opcode]; i++) {
        w[i] = vgsp_le32(payload + 4 * i);
    }
    switch (opcode) {
    case GSP_SEQ_BUF_OPCODE_REG_WRITE:
    case GSP_SEQ_BUF_OPCODE_REG_MODIFY:
    case GSP_SEQ_BUF_OPCODE_REG_POLL:
    case GSP_SEQ_BUF_OPCODE_REG_STORE:
        if (w[0] >= BAR0_SIZE || w[0] % 4) {
            return VGSP_GSP_EPROTO;
        }
        break;
    }
    switch (opcode) {
    case GSP_SEQ_BUF_OPCODE_REG_WRITE:
        gsp_wr(c, w[0], w[1]);
        return 0;
    case GSP_SEQ_BUF_OPCODE_REG_MODIFY:
        gsp_mask(c, w[0], w[1], w[2]);
        return 0;
    case GSP_SEQ_BUF_OPCODE_REG_POLL:
        return gsp_wait(c, w[0], w[1], w[2],
                        w[3] && w[3] < POLL_TIMEOUT_US ? w[3]
                                                       : POLL_TIMEOUT_US);
    case GSP_SEQ_BUF_OPCODE_DELAY_US:
        c->ops->delay_us(c->opaque, w[0] < DELAY_MAX_US ? w[0]
                                                        : DELAY_MAX_US);
        return 0;
    case GSP_SEQ_BUF_OPCODE_REG_STORE:
        /* Nobody asks for what is stored; the read itself may matter. */
        gsp_rd(c, w[0]);
        return w[1] < SAVE_AREA_WORDS ? 0 : VGSP_GSP_EPROTO;
    case GSP_SEQ_BUF_OPCODE_CORE_RESET:
        return core_reset(c);
    case GSP_SEQ_BUF_OPCODE_CORE_START:
        core_start(c, NV_PGSP_FALCON_BASE);
        return 0;
    case GSP_SEQ_BUF_OPCODE_CORE_WAIT_FOR_HALT:
        return gsp_wait(c, NV_PGSP_FALCON_BASE + NV_PFALCON_FALCON_CPUCTL,
                        halted, halted, HALT_TIMEOUT_US);
    default:
        return core_resume(c);
    }
}

int gsp_sequencer_run(VgspGspClient *c, const uint8_t *payload, uint32_t len)
{
    typedef rpc_run_cpu_sequencer_v17_00 Msg;
    uint32_t words, pos = 0;
    int ret = 0;

    if (len < sizeof(Msg)) {
        return VGSP_GSP_EPROTO;
    }
    words = vgsp_le32(payload + offsetof(Msg, cmdIndex));
    if (words > (len - sizeof(Msg)) / 4) {
        return VGSP_GSP_EPROTO;
    }
    payload += sizeof(Msg);
    while (!ret && pos < words) {
        uint32_t opcode = vgsp_le32(payload + 4 * pos++);

        if (opcode >= VGSP_ARRAY_SIZE(payload_words) ||
            payload_words[opcode] > words - pos) {
            return VGSP_GSP_EPROTO;
        }
        ret = sequencer_step(c, opcode, payload + 4 * pos);
        pos += payload_words[opcode];
    }
    return ret;
}
