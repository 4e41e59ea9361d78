/*
 * The recorder: what a user of an executor does, into a recording. It stands
 * beside the executor, for its user calls both; the sections of a session
 * must not overlap in time. Any thread.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_REPLAY_RECORDER_H
#define HW_VGSP_REPLAY_RECORDER_H

#include "replay/recording.h"
#include "vgsp/kind.h"

typedef struct VgspRecorder VgspRecorder;

VgspRecorder *vgsp_recorder_new(const char *path, const char *executor,
                                const char *chip, GError **error);
/*
 * The executor's chip keeps bytes in an order, by page kind; @kinds stays. The
 * recording has pages as the engines see them. NULL: it does not.
 */
void vgsp_recorder_kinds(VgspRecorder *r, const VgspKinds *kinds);
/* False: the file is incomplete. */
bool vgsp_recorder_free(VgspRecorder *r);
/* errno of the first write that failed, or 0; it never reports another. */
int vgsp_recorder_error(VgspRecorder *r);

/* Each after the executor has accepted it; host stays readable until _del. */
void vgsp_recorder_memory_add(VgspRecorder *r, uint32_t id, void *host,
                              uint64_t size);
void vgsp_recorder_memory_del(VgspRecorder *r, uint32_t id);
void vgsp_recorder_space_new(VgspRecorder *r, uint32_t id);
void vgsp_recorder_space_del(VgspRecorder *r, uint32_t id);
void vgsp_recorder_map(VgspRecorder *r, uint32_t space,
                       const struct vgsp_owner_map_op *ops, size_t count);
void vgsp_recorder_context_new(VgspRecorder *r, uint32_t id, uint32_t space);
void vgsp_recorder_context_del(VgspRecorder *r, uint32_t id);
void vgsp_recorder_revoke(VgspRecorder *r);

/* Before the executor gets the section: saves the memory that it may read. */
void vgsp_recorder_begin(VgspRecorder *r, uint32_t context,
                         const uint32_t *words, uint32_t count, uint64_t seq);
/* The same of a section of the channel's copy engine (replay/copy.h). */
void vgsp_recorder_begin_copy(VgspRecorder *r, uint32_t context,
                              const uint32_t *words, uint32_t count,
                              uint64_t seq);
/*
 * Where no executor runs, but the caller copies: what a copy wrote. Of a
 * section that ends NOT_RUN nothing else is saved.
 */
void vgsp_recorder_wrote(VgspRecorder *r, uint32_t space, uint64_t va,
                         const void *data, uint64_t size);
void vgsp_recorder_fault(VgspRecorder *r,
                         const struct vgsp_owner_fault *fault);
/* When it has ended: saves the memory that it wrote, if it did run. */
void vgsp_recorder_end(VgspRecorder *r, uint32_t context, uint64_t seq,
                       VgspRecordOutcome outcome);

#endif
