/*
 * What the parts of the probe share: the client, the guest's memory and its
 * mapping, sections, and steps.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_SILICON_PROBE_H
#define TESTS_SILICON_PROBE_H

#include "owner/rm/rm-int.h"

#define GIB             (1ull << 30)
#define MIB             (1ull << 20)
#define WAIT_US         (3 * G_USEC_PER_SEC)

/*
 * Where the guest's memory is mapped: above 4 GiB, and above 2^40, where a
 * report's address of 40 bits does not reach.
 */
#define VA              0x1234500000ull
#define VA_OTHER        0x4400000000ull
#define VA_HIGH         0x1765400000000ull

extern VgspRm *rm;
extern uint8_t *host;           /* of memory */
extern uint32_t memory, space, context;
extern uint64_t seq;            /* of the last section */
extern uint64_t completed;      /* atomic: of any context */
extern double completed_at;     /* when that was told; written before it */
extern unsigned faults;         /* atomic */
extern bool silent;             /* the library's lines are not printed */
extern uint32_t words[4096], count;     /* of the section that is made */

double now_us(void);
/* A step is done: prints what it found and how long it took. */
void step(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Something is not as it should be. */
void stop(const char *format, ...) G_GNUC_PRINTF(1, 2) G_GNUC_NORETURN;
void must(int ret, const char *what);

void begin(void);
/* One method of a subchannel. */
void method(unsigned subchannel, uint32_t address, uint32_t datum);
void run(uint32_t id);
/* False: a fault, or nothing for 3 seconds. */
bool wait(uint64_t upto);
void must_complete(const char *what);
void report(uint64_t va, uint32_t payload);
void upload(uint64_t va, uint32_t n, uint32_t first);
void objects(void);
void unmap(uint64_t va, uint64_t size);
uint32_t word(uint64_t offset);

/* submit.c: submissions against a bare ring */
void time_submits(void);
void time_local(void);
/* sleep.c */
void test_hold(void);
void test_sleep(void);
/* timing.c */
void time_maps(void);
/* Where the driver put its own buffers. */
void find_driver(void);
/* kinds.c */
void test_kinds(void);
void test_depth(void);

#endif
