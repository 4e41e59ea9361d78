/*
 * Programs that are written here, instruction by instruction. The fixed fields
 * of an instruction's upper bits say how long the next one waits: here longer
 * than any result of a fixed latency takes.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SILICON_PROGRAM_H
#define SILICON_PROGRAM_H

#include "../unit/sm75-fixture.h"

#define STALL_MAX       15      /* cycles */
#define NO_BARRIER      7

typedef struct Code {
    Word *words;
    unsigned count;
} Code;

/* write, read: barriers that it sets; wait: a mask of those it waits for. */
static inline void emit(Code *c, Word w, unsigned write, unsigned read,
                        unsigned wait)
{
    c->words[c->count++] = put(w, 105, 21, STALL_MAX | write << 5 | read << 8 |
                               wait << 11);
}

static inline void plain(Code *c, Word w)
{
    emit(c, w, NO_BARRIER, NO_BARRIER, 0);
}

/* r:r+1 = va */
static inline void load_pair(Code *c, unsigned r, uint64_t va)
{
    plain(c, mov(r, (uint32_t)va));
    plain(c, mov(r + 1, va >> 32));
}

#endif
