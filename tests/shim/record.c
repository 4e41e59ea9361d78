/*
 * VGSP_SHIM_RECORD=FILE: what the shim gives the model, recorded.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include "replay/recorder.h"
#include "shim.h"

static VgspRecorder *recorder;

static void record_close(void)
{
    if (!vgsp_recorder_free(recorder)) {
        shim_log("the recording is incomplete");
    }
    recorder = NULL;
}

void shim_record_open(void)
{
    const char *path = getenv("VGSP_SHIM_RECORD");
    g_autoptr(GError) error = NULL;

    if (!path || !*path) {
        return;
    }
    recorder = vgsp_recorder_new(path, shim_executes() ? "model" : "null",
                                 vgsp_chip_tu104.name, &error);
    if (!recorder) {
        shim_log("%s", error->message);
        abort();
    }
    atexit(record_close);
}

bool shim_recording(void)
{
    return recorder;
}

void shim_record_memory(const ShimBo *bo, bool add)
{
    if (!recorder) {
        return;
    }
    if (add) {
        vgsp_recorder_memory_add(recorder, bo->memory, bo->host, bo->size);
    } else {
        vgsp_recorder_memory_del(recorder, bo->memory);
    }
}

void shim_record_space(uint32_t id, bool add)
{
    if (!recorder) {
        return;
    }
    if (add) {
        vgsp_recorder_space_new(recorder, id);
    } else {
        vgsp_recorder_space_del(recorder, id);
    }
}

void shim_record_map(uint32_t space, const struct vgsp_owner_map_op *ops,
                     size_t count)
{
    if (recorder) {
        vgsp_recorder_map(recorder, space, ops, count);
    }
}

void shim_record_context(uint32_t space, uint32_t id, bool add)
{
    if (!recorder) {
        return;
    }
    if (add) {
        vgsp_recorder_context_new(recorder, id, space);
    } else {
        vgsp_recorder_context_del(recorder, id);
    }
}

void shim_record_begin(uint32_t context, bool copy, const uint32_t *words,
                       uint32_t count, uint64_t seq)
{
    (copy ? vgsp_recorder_begin_copy : vgsp_recorder_begin)(
        recorder, context, words, count, seq);
}

void shim_record_wrote(uint32_t space, uint64_t va, const void *data,
                       size_t size)
{
    if (recorder && !shim_executes()) {
        vgsp_recorder_wrote(recorder, space, va, data, size);
    }
}

void shim_record_fault(const struct vgsp_owner_fault *fault)
{
    if (recorder) {
        vgsp_recorder_fault(recorder, fault);
    }
}

void shim_record_end(uint32_t context, uint64_t seq,
                     VgspRecordOutcome outcome)
{
    vgsp_recorder_end(recorder, context, seq, outcome);
}
