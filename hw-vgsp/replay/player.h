/*
 * The player: a recording's records, one by one, on an executor, and the
 * memory afterwards compared with what was recorded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_REPLAY_PLAYER_H
#define HW_VGSP_REPLAY_PLAYER_H

#include "replay/executor.h"
#include "replay/recording.h"

typedef struct VgspPlayer VgspPlayer;

/* How a section ended here, beside how it ended there. */
typedef struct VgspPlayerResult {
    uint32_t context;
    uint64_t seq;
    VgspRecordOutcome recorded, replayed;
    uint64_t recorded_ns, replayed_ns;
    uint64_t differences;       /* words */
    uint64_t timestamps;        /* words that only tell another time */
    bool compared;              /* differences were looked for */
    bool copy;                  /* a section of the copy engine */
    uint64_t begun, done;       /* by the executor's clock, ns */
} VgspPlayerResult;

/* Reports; in the thread that applies records. Each may be NULL. */
typedef struct VgspPlayerOps {
    void (*section)(void *opaque, VgspPlayer *p, uint32_t space,
                    const VgspRecordSection *section, const uint32_t *words);
    /* A section of the copy engine could not be copied in software. */
    void (*copy_failed)(void *opaque, const char *why);
    void (*fault)(void *opaque, const struct vgsp_owner_fault *fault);
    void (*difference)(void *opaque, uint32_t memory, uint64_t offset,
                       uint32_t recorded, uint32_t replayed);
    /* space: where it ran. */
    void (*ended)(void *opaque, VgspPlayer *p, uint32_t space,
                  const VgspPlayerResult *result);
    /* A memory object, before it goes. */
    void (*gone)(void *opaque, uint32_t memory, const uint8_t *host,
                 uint64_t size);
} VgspPlayerOps;

typedef struct VgspPlayerConfig {
    /* NULL: nothing runs, memory alone follows the records. */
    const VgspReplayExecutor *executor;
    const char *arg;            /* the executor's, or NULL */
    /* Memory stays what the executor made of it: nothing is compared. */
    bool keep;
    bool software_copies;       /* also where the executor could copy */
    unsigned threads;           /* of the model; 0: its choice */
    unsigned timeout_s;         /* for a section */
    uint64_t memory_max;        /* bytes of all memory objects */
    const VgspPlayerOps *ops;
    void *opaque;
} VgspPlayerConfig;

/* NULL: no executor; *error is one line that says why (g_free). */
VgspPlayer *vgsp_player_new(const VgspPlayerConfig *config, char **error);
void vgsp_player_free(VgspPlayer *p);
/* The executor's word for itself. */
const char *vgsp_player_chip(VgspPlayer *p);
/*
 * Applies a record that the reader gave. False: it makes no sense after those
 * before it, and *defect says why.
 */
bool vgsp_player_apply(VgspPlayer *p, const VgspRecordingReader *reader,
                       const VgspRecord *record, const char **defect);
/* Copies from memory of a space as it is now; how many bytes there were. */
size_t vgsp_player_read(VgspPlayer *p, uint32_t space, uint64_t va, void *buf,
                        size_t size);
/*
 * Makes the page of memory that has offset read-only for the executor, where
 * the context's space maps it: the next section that writes there faults, and
 * its fault names the instruction.
 */
void vgsp_player_protect(VgspPlayer *p, uint32_t context, uint32_t memory,
                         uint64_t offset);
/*
 * Compares all memory that the space maps of two players of one recording
 * that keep what was made: differs gets each word that is not the same, then
 * b's is made a's. last: of a and of b; words that both took from their clocks
 * in between are counted in *timestamps.
 */
void vgsp_player_compare(VgspPlayer *a, VgspPlayer *b, uint32_t space,
                         const VgspPlayerResult last[2], uint64_t *timestamps,
                         void (*differs)(void *opaque, uint32_t memory,
                                         uint64_t offset, uint32_t a,
                                         uint32_t b),
                         void *opaque);

/*
 * How many single-precision numbers lie between two words, where both could
 * be such numbers of usual size; UINT32_MAX where not.
 */
uint32_t vgsp_ulp_distance(uint32_t a, uint32_t b);

#endif
