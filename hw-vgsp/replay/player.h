/*
 * The player: a recording's records, one by one, on the functional model, and
 * the memory afterwards compared with what was recorded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_REPLAY_PLAYER_H
#define HW_VGSP_REPLAY_PLAYER_H

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
} VgspPlayerResult;

/* Reports; in the thread that applies records. Each may be NULL. */
typedef struct VgspPlayerOps {
    void (*section)(void *opaque, VgspPlayer *p, uint32_t space,
                    const VgspRecordSection *section, const uint32_t *words);
    void (*fault)(void *opaque, const struct vgsp_owner_fault *fault);
    void (*difference)(void *opaque, uint32_t memory, uint64_t offset,
                       uint32_t recorded, uint32_t replayed);
    void (*ended)(void *opaque, const VgspPlayerResult *result);
} VgspPlayerOps;

typedef struct VgspPlayerConfig {
    bool run;                   /* false: memory alone follows the records */
    unsigned threads;           /* of the model; 0: its choice */
    unsigned timeout_s;         /* for a section */
    uint64_t memory_max;        /* bytes of all memory objects */
    const VgspPlayerOps *ops;
    void *opaque;
} VgspPlayerConfig;

/* NULL: no model. */
VgspPlayer *vgsp_player_new(const VgspPlayerConfig *config);
void vgsp_player_free(VgspPlayer *p);
/*
 * Applies a record that the reader gave. False: it makes no sense after those
 * before it, and *defect says why.
 */
bool vgsp_player_apply(VgspPlayer *p, const VgspRecordingReader *reader,
                       const VgspRecord *record, const char **defect);
/* Copies from memory of a space as it is now; how many bytes there were. */
size_t vgsp_player_read(VgspPlayer *p, uint32_t space, uint64_t va, void *buf,
                        size_t size);

#endif
