/*
 * What the files of the GSP client share.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_COMMON_GSP_CLIENT_PRIV_H
#define VGSP_COMMON_GSP_CLIENT_PRIV_H

#include "vgsp/gsp-client.h"

#define GSP_PAGE 0x1000u

static inline uint32_t gsp_rd(VgspGspClient *c, uint32_t reg)
{
    return c->ops->read32(c->opaque, reg);
}

static inline void gsp_wr(VgspGspClient *c, uint32_t reg, uint32_t val)
{
    c->ops->write32(c->opaque, reg, val);
}

static inline void gsp_mask(VgspGspClient *c, uint32_t reg, uint32_t mask,
                            uint32_t val)
{
    gsp_wr(c, reg, (gsp_rd(c, reg) & ~mask) | val);
}

/*
 * How long to wait after us microseconds: a sleep costs more than it says, so
 * a long time limit is not to be made of very short ones.
 */
#define GSP_POLL_US     10u
#define GSP_POLL_MAX_US 1000u
static inline uint32_t gsp_poll_step(uint32_t us)
{
    uint32_t step = us / 4;

    return step < GSP_POLL_US ? GSP_POLL_US
        : step > GSP_POLL_MAX_US ? GSP_POLL_MAX_US : step;
}

/* Until (register & mask) == val. */
int gsp_wait(VgspGspClient *c, uint32_t reg, uint32_t mask, uint32_t val,
             uint32_t timeout_us);

/*
 * DMA memory, zeroed, or with the contents of blob.  mem must be empty; it is
 * freed with the client's other memory by vgsp_gsp_forget().
 */
int gsp_mem_new(VgspGspClient *c, uint64_t size, bool contiguous,
                VgspGspMem *mem);
int gsp_mem_blob(VgspGspClient *c, const VgspGspBlob *blob, VgspGspMem *mem);
void gsp_mem_free(VgspGspClient *c, VgspGspMem *mem);
uint64_t gsp_mem_addr(VgspGspClient *c, const VgspGspMem *mem);
int gsp_mem_write(VgspGspClient *c, const VgspGspMem *mem, uint64_t offset,
                  const void *buf, uint32_t len);
/* The radix3 page list of mem in rx[0..2]; rx[0]'s address names it. */
int gsp_mem_radix3(VgspGspClient *c, const VgspGspMem *mem, VgspGspMem rx[3]);

/* falcon.c: base is the falcon's in BAR0. */
int gsp_falcon_reset(VgspGspClient *c, uint32_t base);
/* Reset and enable, as before each ucode. */
int gsp_falcon_prepare(VgspGspClient *c, uint32_t base);
void gsp_falcon_imem(VgspGspClient *c, uint32_t base, uint32_t imem,
                     const uint8_t *data, uint32_t size, uint32_t tag,
                     bool secure);
void gsp_falcon_dmem(VgspGspClient *c, uint32_t base, uint32_t dmem,
                     const uint8_t *data, uint32_t size);
/* Start, wait for the halt, read the mailboxes into c->mailbox. */
int gsp_falcon_run(VgspGspClient *c, uint32_t base, uint32_t bootvec,
                   uint32_t mailbox0, uint32_t mailbox1);

/* fwsec.c: the VBIOS into c->rom and FWSEC's image into c->fwsec. */
int gsp_fwsec_init(VgspGspClient *c);

/* boot.c: what is left of a stopped GSP-RM, see there. */
int gsp_stop(VgspGspClient *c, bool suspend, uint32_t mailbox0,
             uint32_t mailbox1);
/* After a failure: stop what runs as well as can be, then forget. */
void gsp_abandon(VgspGspClient *c);
/* The GSP falcon in reset, then with the arguments for libos. */
int gsp_arm(VgspGspClient *c);
int gsp_booter_start(VgspGspClient *c, const VgspGspMem *meta);

/* sequencer.c: what an event GSP_RUN_CPU_SEQUENCER of len bytes asks for. */
int gsp_sequencer_run(VgspGspClient *c, const uint8_t *payload, uint32_t len);

/* queue.c: shared memory, RMARGS, libos arguments, waiting RPCs. */
int gsp_queues_init(VgspGspClient *c);
int gsp_queues_link(VgspGspClient *c);
int gsp_rmargs_write(VgspGspClient *c, bool resume);
int gsp_system_info_send(VgspGspClient *c);
int gsp_registry_send(VgspGspClient *c);

#endif
