/*
 * Channels for qtests: an address space with guest memory and VRAM in it, and
 * push buffers built word by word.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef VGSP_TESTS_QTEST_VGSP_QOS_CHANNEL_H
#define VGSP_TESTS_QTEST_VGSP_QOS_CHANNEL_H

#include "vgsp-qos.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/copy.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/rm.h"

/* GPU addresses, and how much is mapped there. */
#define VGSP_CH_VA_RAM      0x10000000ull   /* guest memory, contiguous */
#define VGSP_CH_VA_VRAM     0x20000000ull
#define VGSP_CH_MEM_SIZE    0x400000u       /* of each */
#define VGSP_CH_VA_NONE     0x7000000000ull /* nothing is mapped here */
/* The upper half of the guest memory is the channels': 64 KiB each. */
#define VGSP_CH_RING        0x200000u
#define VGSP_CH_PUSH        0x1000u         /* in a channel's 64 KiB */
#define VGSP_CH_PUSH_WORDS  0x3800u
#define VGSP_CH_SYNC        0xfff0u         /* its vgsp_ch_sync() word */

typedef struct VgspChSpace {
    VgspQos *q;
    VgspQosVm *vm;
    VgspGspVm rm;
    uint64_t ram, vram;         /* what is mapped: physical addresses */
    unsigned channels;
} VgspChSpace;

typedef struct VgspCh {
    VgspChSpace *s;
    VgspGspChannel ch;
    uint64_t ram;               /* ring and push buffer */
    uint32_t put;               /* next GP entry */
    uint32_t words, start;      /* pushed, and of them submitted */
    uint32_t sync;
} VgspCh;

/* What RC_TRIGGERED said; events counts them. */
typedef struct VgspChRc {
    unsigned events;
    uint32_t chid, except_type, scope;
    uint32_t chids[32];         /* of the first events */
    uint64_t fault_addr;        /* where the release has it */
} VgspChRc;

/* What most tests start with: newest release booted, a space, RC watched. */
typedef struct VgspChBench {
    VgspQos *q;
    VgspChSpace s;
    VgspChRc rc;
} VgspChBench;

VgspChBench *vgsp_ch_bench_new(void);
/* The same, with properties of the device as vgsp_qos_new() has them. */
VgspChBench *vgsp_ch_bench_new_with(const char *device_args);
void vgsp_ch_bench_free(VgspChBench *b);

void vgsp_ch_space_new(VgspQos *q, VgspChSpace *s, uint32_t id);
void vgsp_ch_space_free(VgspChSpace *s);
/* At most 32 in a space; ring of @entries (a power of two, at most 512). */
void vgsp_ch_new(VgspChSpace *s, VgspCh *c, uint32_t chid, uint32_t engine,
                 uint32_t entries, bool privileged);
/* The same in a TSG, handle @tsg. */
void vgsp_ch_new_tsg(VgspChSpace *s, VgspCh *c, uint32_t chid, uint32_t engine,
                     uint32_t entries, uint32_t tsg);
/* In a TSG (0: its own), with an error notifier at guest address @notifier. */
void vgsp_ch_new_notified(VgspChSpace *s, VgspCh *c, uint32_t chid,
                          uint32_t engine, uint32_t tsg, uint64_t notifier);
void vgsp_ch_free(VgspCh *c);
/* An object of the copy class for the engine of the channel. */
void vgsp_ch_copy_object(VgspCh *c);

/* One word; or a header of SEC_OP @op with @count words to come. */
void vgsp_ch_word(VgspCh *c, uint32_t word);
void vgsp_ch_header(VgspCh *c, unsigned op, unsigned subch, uint32_t method,
                    unsigned count);
/* One method. */
void vgsp_ch_method(VgspCh *c, unsigned subch, uint32_t method,
                    uint32_t data);
/* SEM_EXECUTE @execute with all that it needs. */
void vgsp_ch_sem(VgspCh *c, uint64_t va, uint64_t payload, uint32_t execute);

/* Makes a GP entry of the words since the last, without telling the GPU. */
void vgsp_ch_entry(VgspCh *c, uint32_t entry1_flags);
void vgsp_ch_raw_entry(VgspCh *c, uint32_t entry0, uint32_t entry1);
/* GP_PUT and doorbell; vgsp_ch_kick() makes the entry first. */
void vgsp_ch_ring(VgspCh *c);
void vgsp_ch_kick(VgspCh *c);
/* Kicks with a release behind all work, and waits for that. */
void vgsp_ch_sync(VgspCh *c);

uint32_t vgsp_ch_userd(VgspCh *c, uint32_t reg);
/* Waits (bounded) until the word at guest address @addr is @want. */
bool vgsp_ch_wait(VgspQos *q, uint64_t addr, uint32_t want);
/* Collects RC_TRIGGERED into @rc from now on. */
void vgsp_ch_watch(VgspQos *q, VgspChRc *rc);
bool vgsp_ch_wait_rc(VgspQos *q, VgspChRc *rc, unsigned events);

#endif
