/*
 * The silicon suite: what runs on an executor and is held against what it must
 * be. One program, static, that needs a driver and nothing else; its groups
 * share what is here.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SILICON_H
#define SILICON_H

#include <glib.h>
#include "replay/executor.h"
#include "vgsp/types.h"

typedef struct Silicon {
    const VgspReplayExecutor *executor;
    const char *arg;            /* the executor's */
    bool model;                 /* it is the model: the suite tests itself */
    const char *dir;            /* of the recordings */
    const char *keep;           /* directory for images, or NULL */
    const char *match;          /* pattern of a group's tests, or NULL */
    unsigned timeout_s;         /* of a section */
    bool software_copies;       /* of recordings */
    unsigned count, failed, skipped;
    unsigned faults;            /* contexts that died, of all */
    gint64 until;               /* monotonic us: then no more is begun */
} Silicon;

/* Dead channels after which nothing more is tried: the card is shared. */
#define SILICON_FAULTS_MAX 12

typedef struct SiliconGroup {
    const char *name;
    void (*run)(Silicon *s);
    bool asked;                 /* on silicon only where --only names it */
} SiliconGroup;

extern const SiliconGroup silicon_host, silicon_semaphores, silicon_upload,
    silicon_copy, silicon_macros, silicon_twod, silicon_clears, silicon_depth,
    silicon_compute, silicon_graphics, silicon_vectors, silicon_mufu,
    silicon_timing, silicon_faults, silicon_refused;

/* Of group "timing": what translation costs (translation.c). */
void silicon_time_translation(Silicon *s);

/* One TAP line. */
void silicon_result(Silicon *s, bool ok, const char *fmt, ...)
    G_GNUC_PRINTF(3, 4);
void silicon_skip(Silicon *s, const char *name, const char *fmt, ...)
    G_GNUC_PRINTF(3, 4);
/* A line that explains. */
void silicon_note(const char *fmt, ...) G_GNUC_PRINTF(1, 2);
/* Whether the test is wanted, and the card has not seen too many faults. */
bool silicon_wanted(Silicon *s, const char *name);

/* ---- A rig: memory in a space, and a context (rig.c) ---- */

#define RIG_VA          UINT64_C(0x7000000000)
#define RIG_SIZE        (64u << 20)
/*
 * The first bytes of it again, with each page kind of Turing and later:
 * engines that draw want theirs.
 */
#define RIG_VIEW_SIZE   (2u << 20)
#define RIG_VIEW(kind)  (RIG_VA + (uint64_t)(kind) * (256u << 20))
enum {
    KIND_PITCH, KIND_Z16, KIND_S8, KIND_S8Z24, KIND_ZF32_X24S8, KIND_Z24S8,
    KIND_GENERIC,
};

typedef struct SiliconRig {
    Silicon *s;
    void *ex;
    uint8_t *mem;               /* RIG_SIZE bytes, mapped at RIG_VA */
    uint32_t memory, space, context;
    uint64_t seq;
    uint32_t words[4096];       /* the section being written ... */
    uint32_t count;
    gint64 ns;                  /* the last took so long */

    GMutex lock;                /* of what the executor tells: */
    GCond cond;
    uint64_t completed;
    bool faulted;
    struct vgsp_owner_fault fault;
} SiliconRig;

/* NULL: it was said why. */
SiliconRig *rig_new(Silicon *s);
void rig_free(SiliconRig *r);
/* Another context in place of one that died. */
bool rig_revive(SiliconRig *r);
/* A method of a subchannel: 0 3D, 1 compute, 2 upload, 3 2D. */
void rig_push(SiliconRig *r, unsigned subchannel, uint32_t method,
              uint32_t data);
/* So many data for the one method. */
void rig_push_many(SiliconRig *r, unsigned subchannel, uint32_t method,
                   const uint32_t *data, uint32_t count);
/* Two methods: the upper and the lower word of an address. */
void rig_push_address(SiliconRig *r, unsigned subchannel, uint32_t method,
                      uint64_t va);
/* SET_OBJECT for all four subchannels, and what a channel begins with. */
void rig_begin(SiliconRig *r);
/* The bits hi to lo of a launch descriptor. */
void rig_qmd_field(uint32_t *qmd, unsigned hi, unsigned lo, uint64_t value);
/* One CTA of so many threads. */
void rig_qmd(uint32_t *q, uint64_t program, unsigned threads,
             unsigned registers);
/* As rig_begin(), for launches of programs that are new. */
void rig_begin_compute(SiliconRig *r);
void rig_launch(SiliconRig *r, uint64_t qmd);
/* Submits and waits. False: the context died, or took too long. */
bool rig_run(SiliconRig *r);
/* The same of words for the copy engine, or for Host as they are. */
bool rig_run_copy(SiliconRig *r);
bool rig_run_raw(SiliconRig *r);
/* Why, for a result's line. */
const char *rig_why(SiliconRig *r);
/* A pattern without repetition, the same for the same seed. */
void rig_fill(uint8_t *mem, uint64_t size, uint32_t seed);

/* The executor and, where that is not the model, the model beside it. */
typedef struct SiliconTwin {
    SiliconRig *a, *b;
    bool permuted;              /* the bytes may be in another order */
} SiliconTwin;

bool twin_new(Silicon *s, SiliconTwin *t);
void twin_free(SiliconTwin *t);
/* Memory up to size is a pattern on both sides; a section begins. */
void twin_begin(SiliconTwin *t, uint64_t size);
/*
 * Runs what was written for t->a on both: a result. All memory up to size must
 * be equal afterwards, and not what it was.
 */
void twin_run(SiliconTwin *t, uint64_t size, const char *name);

static inline uint32_t *rig_words(SiliconRig *r, uint64_t offset)
{
    return (uint32_t *)(r->mem + offset);
}

#endif
