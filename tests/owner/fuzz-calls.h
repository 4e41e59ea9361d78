/*
 * Random calls of the owner's ABI on sessions, by one thread: what fuzz-ioctl.c
 * has many of. It knows the structures; what is around them is wrong now and
 * then (sizes, pointers, ids, the memory below, the ring).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_OWNER_FUZZ_CALLS_H
#define TESTS_OWNER_FUZZ_CALLS_H

#include "owner-rig.h"

#define SHARED_SESSIONS 2
#define OWN_SESSIONS    2
#define SESSIONS        (SHARED_SESSIONS + OWN_SESSIONS)

/* Memory for objects and sections, of which parts come and go. */
#define ARENA           ((char *)0x100000000000)
#define ARENA_SIZE      (16 * MiB)
#define ARENA_PRIVATE   (8 * MiB)       /* the rest is shared by all */
#define KNOWN           4
/* Where it is mapped, as a rule. */
#define VA              GiB

enum { ERRNOS = 134 };

/* What all processes share. */
typedef struct Common {
    uint64_t calls, good, others, forks, goal;
    uint64_t by_cmd[256], good_by_cmd[256], ns_by_cmd[256];
    uint64_t by_errno[ERRNOS];
    uint32_t bad_cmd, bad_errno;        /* one that is not of the ABI */
    struct {
        uint32_t tail;
        uint64_t seq;
    } ring[SHARED_SESSIONS];
} Common;

extern Common *common;

#define ADD(field, n)   __atomic_fetch_add(&common->field, n, __ATOMIC_RELAXED)
#define GET(field)      __atomic_load_n(&common->field, __ATOMIC_RELAXED)

/* ---- Chance, of this thread ---- */

void seed_with(uint64_t seed, uint64_t a, uint64_t b);
uint64_t rnd64(void);
uint32_t rnd(uint32_t below);
/* One in n. */
bool rare(uint32_t n);
uint64_t odd_number(void);

/* ---- Memory that may be gone ---- */

/* Signals are taken as the functions below need it. */
void fuzz_catch_signals(void);
/* Copies from or to what may not be there; whether all of it went. */
bool carefully(volatile void *to, const volatile void *from, size_t size);
void set32(volatile uint32_t *to, uint32_t value);
/* Some of the arena goes, comes again, or becomes another kind of memory. */
void arena_change(void);
/* All of it is there and writable. */
void arena_heal(void);
/* What this thread's calls need; before the first of them. */
void room_new(void);

/* ---- Sessions ---- */

typedef struct Target {
    Session s;
    uint32_t *tail;             /* entries made, of whoever made them */
    uint64_t *seq;
    uint32_t own_tail;
    uint64_t own_seq;
    /* Some of what this process made; it may be gone. */
    uint32_t memory[KNOWN], space[KNOWN], context[KNOWN];
} Target;

/* The first SHARED_SESSIONS are those of all processes. */
extern Target targets[SESSIONS];

/* shared: which of them it is, or -1. */
void target_open(Target *t, int shared);
/* Another one in its place, while other threads use it. */
void target_renew(Target *t);

/* ---- Calls ---- */

typedef struct FuzzCommand {
    uint32_t nr;
    const char *name;
} FuzzCommand;

extern const FuzzCommand fuzz_commands[];
extern const size_t num_fuzz_commands;

/* A call, or a few that belong together; or none. */
void fuzz_one(Target *t);
/* Everything that a VM does, in order, with what came of it. */
void fuzz_story(Target *t);

#endif
