/*
 * The recorder: compares the memory that a section's space maps with its
 * copies before and after the section, and writes what has changed.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "replay/recorder.h"
#include "replay/shadow.h"

struct VgspRecorder {
    GMutex lock;
    VgspRecordingWriter *writer;
    VgspShadow shadow;
    const VgspKinds *kinds;     /* or NULL */
    GHashTable *contexts;       /* id -> space */
    GArray *refs;               /* VgspRecordPageRef being gathered */
    GHashTable *written;        /* host pages; begin() forgets them */
    gint64 begun_us;
};

VgspRecorder *vgsp_recorder_new(const char *path, const char *executor,
                                const char *chip, GError **error)
{
    VgspRecordingWriter *w = vgsp_recording_create(path, executor, chip,
                                                   error);
    VgspRecorder *r;

    if (!w) {
        return NULL;
    }
    r = g_new0(VgspRecorder, 1);
    g_mutex_init(&r->lock);
    r->writer = w;
    vgsp_shadow_init(&r->shadow);
    r->contexts = g_hash_table_new(NULL, NULL);
    r->written = g_hash_table_new(NULL, NULL);
    r->refs = g_array_new(FALSE, FALSE, sizeof(VgspRecordPageRef));
    return r;
}

void vgsp_recorder_kinds(VgspRecorder *r, const VgspKinds *kinds)
{
    g_mutex_lock(&r->lock);
    r->kinds = kinds;
    g_mutex_unlock(&r->lock);
}

bool vgsp_recorder_free(VgspRecorder *r)
{
    bool ok = vgsp_recording_close(r->writer);

    vgsp_shadow_clear(&r->shadow);
    g_hash_table_destroy(r->contexts);
    g_hash_table_destroy(r->written);
    g_array_free(r->refs, TRUE);
    g_mutex_clear(&r->lock);
    g_free(r);
    return ok;
}

int vgsp_recorder_error(VgspRecorder *r)
{
    int error;

    g_mutex_lock(&r->lock);
    error = vgsp_recording_error(r->writer);
    g_mutex_unlock(&r->lock);
    return error;
}

static void write_id(VgspRecorder *r, VgspRecordType type, uint32_t id)
{
    VgspRecordId record = { .id = id };

    vgsp_recording_write(r->writer, type, &record, sizeof(record), NULL, 0);
}

void vgsp_recorder_memory_add(VgspRecorder *r, uint32_t id, void *host,
                              uint64_t size)
{
    VgspRecordMemory record = { .id = id, .size = size };

    g_mutex_lock(&r->lock);
    if (vgsp_shadow_memory_add(&r->shadow, id, host, size)) {
        vgsp_recording_write(r->writer, VGSP_RECORD_MEMORY_ADD, &record,
                             sizeof(record), NULL, 0);
    }
    g_mutex_unlock(&r->lock);
}

void vgsp_recorder_memory_del(VgspRecorder *r, uint32_t id)
{
    g_mutex_lock(&r->lock);
    if (vgsp_shadow_memory_del(&r->shadow, id)) {
        write_id(r, VGSP_RECORD_MEMORY_DEL, id);
    }
    g_mutex_unlock(&r->lock);
}

void vgsp_recorder_space_new(VgspRecorder *r, uint32_t id)
{
    g_mutex_lock(&r->lock);
    if (vgsp_shadow_space_new(&r->shadow, id)) {
        write_id(r, VGSP_RECORD_SPACE_NEW, id);
    }
    g_mutex_unlock(&r->lock);
}

void vgsp_recorder_space_del(VgspRecorder *r, uint32_t id)
{
    g_mutex_lock(&r->lock);
    if (vgsp_shadow_space_del(&r->shadow, id)) {
        write_id(r, VGSP_RECORD_SPACE_DEL, id);
    }
    g_mutex_unlock(&r->lock);
}

void vgsp_recorder_map(VgspRecorder *r, uint32_t space,
                       const struct vgsp_owner_map_op *ops, size_t count)
{
    VgspRecordMap record = { .space = space, .count = count };

    g_mutex_lock(&r->lock);
    if (vgsp_shadow_map(&r->shadow, space, ops, count)) {
        vgsp_recording_write(r->writer, VGSP_RECORD_MAP, &record,
                             sizeof(record), ops, count * sizeof(*ops));
    }
    g_mutex_unlock(&r->lock);
}

void vgsp_recorder_context_new(VgspRecorder *r, uint32_t id, uint32_t space)
{
    VgspRecordContext record = { .id = id, .space = space };

    g_mutex_lock(&r->lock);
    g_hash_table_insert(r->contexts, GUINT_TO_POINTER(id),
                        GUINT_TO_POINTER(space));
    vgsp_recording_write(r->writer, VGSP_RECORD_CONTEXT_NEW, &record,
                         sizeof(record), NULL, 0);
    g_mutex_unlock(&r->lock);
}

void vgsp_recorder_context_del(VgspRecorder *r, uint32_t id)
{
    g_mutex_lock(&r->lock);
    if (g_hash_table_remove(r->contexts, GUINT_TO_POINTER(id))) {
        write_id(r, VGSP_RECORD_CONTEXT_DEL, id);
    }
    g_mutex_unlock(&r->lock);
}

void vgsp_recorder_revoke(VgspRecorder *r)
{
    g_mutex_lock(&r->lock);
    vgsp_shadow_clear(&r->shadow);
    vgsp_shadow_init(&r->shadow);
    g_hash_table_remove_all(r->contexts);
    vgsp_recording_write(r->writer, VGSP_RECORD_REVOKE, NULL, 0, NULL, 0);
    g_mutex_unlock(&r->lock);
}

/*
 * Memory may change while it is looked at: what is written is the copy, and
 * a later change is seen at the next comparison.
 */
static void save_page(void *opaque, VgspShadowMemory *m, uint64_t page)
{
    VgspRecorder *r = opaque;
    uint8_t *copy = m->copy + page * VGSP_RECORDING_PAGE;
    VgspRecordPageRef ref = { .memory = m->id, .index = page };
    const VgspKindOrder *order = vgsp_shadow_page_order(
        &r->shadow, r->kinds, m->id, page * VGSP_RECORDING_PAGE);
    uint8_t seen[VGSP_RECORDING_PAGE];

    memcpy(copy, m->host + page * VGSP_RECORDING_PAGE, VGSP_RECORDING_PAGE);
    if (order) {
        vgsp_kind_read(order, copy, 0, seen, sizeof(seen));
    }
    ref.page = vgsp_recording_page(r->writer, order ? seen : copy);
    g_array_append_val(r->refs, ref);
}

static void write_refs(VgspRecorder *r, VgspRecordType type)
{
    VgspRecordPages record = { .count = r->refs->len };

    if (record.count) {
        vgsp_recording_write(r->writer, type, &record, sizeof(record),
                             r->refs->data,
                             record.count * sizeof(VgspRecordPageRef));
    }
}

static void save_changes(VgspRecorder *r, uint32_t context,
                         VgspRecordType type)
{
    gpointer space;

    if (!g_hash_table_lookup_extended(r->contexts, GUINT_TO_POINTER(context),
                                      NULL, &space)) {
        return;
    }
    g_array_set_size(r->refs, 0);
    vgsp_shadow_compare(&r->shadow, GPOINTER_TO_UINT(space), save_page, r);
    write_refs(r, type);
}

/* The object that has the byte in its memory; NULL: none. */
static VgspShadowMemory *memory_at(VgspRecorder *r, const uint8_t *host)
{
    GHashTableIter it;
    gpointer value;

    g_hash_table_iter_init(&it, r->shadow.memories);
    while (g_hash_table_iter_next(&it, NULL, &value)) {
        VgspShadowMemory *m = value;

        if ((uintptr_t)host - (uintptr_t)m->host < m->size) {
            return m;
        }
    }
    return NULL;
}

void vgsp_recorder_wrote(VgspRecorder *r, uint32_t space, uint64_t va,
                         const void *data, uint64_t size)
{
    g_mutex_lock(&r->lock);
    while (size) {
        uint64_t len, offset;
        const uint8_t *host = vgsp_shadow_lookup(&r->shadow, space, va, &len);
        VgspShadowMemory *m = host ? memory_at(r, host) : NULL;

        if (!m) {
            break;
        }
        offset = (uint64_t)(host - m->host);
        len = MIN(MIN(len, size),
                  VGSP_RECORDING_PAGE - offset % VGSP_RECORDING_PAGE);
        memcpy(m->copy + offset, data, len);
        g_hash_table_add(r->written, m->host + VGSP_ALIGN_DOWN(
            offset, VGSP_RECORDING_PAGE));
        data = (const uint8_t *)data + len;
        va += len;
        size -= len;
    }
    g_mutex_unlock(&r->lock);
}

static void save_written(VgspRecorder *r)
{
    GHashTableIter it;
    gpointer key;

    g_array_set_size(r->refs, 0);
    g_hash_table_iter_init(&it, r->written);
    while (g_hash_table_iter_next(&it, &key, NULL)) {
        VgspShadowMemory *m = memory_at(r, key);
        VgspRecordPageRef ref = { 0 };
        uint64_t offset;

        if (!m) {
            continue;           /* deleted meanwhile */
        }
        offset = (uint64_t)((uint8_t *)key - m->host);
        ref.memory = m->id;
        ref.index = offset / VGSP_RECORDING_PAGE;
        ref.page = vgsp_recording_page(r->writer, m->copy + offset);
        g_array_append_val(r->refs, ref);
    }
    write_refs(r, VGSP_RECORD_AFTER);
}

static void begin(VgspRecorder *r, VgspRecordType type, uint32_t context,
                  const uint32_t *words, uint32_t count, uint64_t seq)
{
    VgspRecordSection record = {
        .context = context, .count = count, .seq = seq,
    };

    g_mutex_lock(&r->lock);
    save_changes(r, context, VGSP_RECORD_BEFORE);
    g_hash_table_remove_all(r->written);
    vgsp_recording_write(r->writer, type, &record, sizeof(record), words,
                         count * sizeof(*words));
    r->begun_us = g_get_monotonic_time();
    g_mutex_unlock(&r->lock);
}

void vgsp_recorder_begin(VgspRecorder *r, uint32_t context,
                         const uint32_t *words, uint32_t count, uint64_t seq)
{
    begin(r, VGSP_RECORD_SECTION, context, words, count, seq);
}

void vgsp_recorder_begin_copy(VgspRecorder *r, uint32_t context,
                              const uint32_t *words, uint32_t count,
                              uint64_t seq)
{
    begin(r, VGSP_RECORD_COPY, context, words, count, seq);
}

void vgsp_recorder_fault(VgspRecorder *r,
                         const struct vgsp_owner_fault *fault)
{
    g_mutex_lock(&r->lock);
    vgsp_recording_write(r->writer, VGSP_RECORD_FAULT, fault, sizeof(*fault),
                         NULL, 0);
    g_mutex_unlock(&r->lock);
}

void vgsp_recorder_end(VgspRecorder *r, uint32_t context, uint64_t seq,
                       VgspRecordOutcome outcome)
{
    VgspRecordEnd record = {
        .context = context, .outcome = outcome, .seq = seq,
    };

    g_mutex_lock(&r->lock);
    record.ns = (g_get_monotonic_time() - r->begun_us) * 1000;
    if (outcome != VGSP_OUTCOME_NOT_RUN) {
        save_changes(r, context, VGSP_RECORD_AFTER);
    } else {
        /* What else has changed is the CPU's, and is told in time. */
        save_written(r);
    }
    vgsp_recording_write(r->writer, VGSP_RECORD_END, &record, sizeof(record),
                         NULL, 0);
    g_mutex_unlock(&r->lock);
}
