/*
 * Reads recordings (docs/recording.md) from memory. Whatever the bytes are,
 * the records that it returns are whole and refer to pages that exist; what
 * the ids in them mean is their user's to check.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "replay/recording.h"

struct VgspRecordingReader {
    const uint8_t *data;
    size_t size, pos;
    GPtrArray *pages;           /* contents; number 0 is NULL */
    const char *defect;
};

/* Bytes of a record's head; what may follow, and the size of one of that. */
typedef struct Layout {
    uint16_t head;
    uint16_t element;           /* 0: nothing follows */
} Layout;

static const Layout layouts[] = {
    [VGSP_RECORD_PAGE] = { VGSP_RECORDING_PAGE, 0 },
    [VGSP_RECORD_MEMORY_ADD] = { sizeof(VgspRecordMemory), 0 },
    [VGSP_RECORD_MEMORY_DEL] = { sizeof(VgspRecordId), 0 },
    [VGSP_RECORD_SPACE_NEW] = { sizeof(VgspRecordId), 0 },
    [VGSP_RECORD_SPACE_DEL] = { sizeof(VgspRecordId), 0 },
    [VGSP_RECORD_MAP] = { sizeof(VgspRecordMap),
                          sizeof(struct vgsp_owner_map_op) },
    [VGSP_RECORD_CONTEXT_NEW] = { sizeof(VgspRecordContext), 0 },
    [VGSP_RECORD_CONTEXT_DEL] = { sizeof(VgspRecordId), 0 },
    [VGSP_RECORD_BEFORE] = { sizeof(VgspRecordPages),
                             sizeof(VgspRecordPageRef) },
    [VGSP_RECORD_SECTION] = { sizeof(VgspRecordSection), sizeof(uint32_t) },
    [VGSP_RECORD_AFTER] = { sizeof(VgspRecordPages),
                            sizeof(VgspRecordPageRef) },
    [VGSP_RECORD_END] = { sizeof(VgspRecordEnd), 0 },
    [VGSP_RECORD_FAULT] = { sizeof(struct vgsp_owner_fault), 0 },
    [VGSP_RECORD_REVOKE] = { 0, 0 },
    [VGSP_RECORD_COPY] = { sizeof(VgspRecordSection), sizeof(uint32_t) },
};

VgspRecordingReader *vgsp_recording_open(const void *data, size_t size,
                                         GError **error)
{
    const VgspRecordingHeader *h = data;
    VgspRecordingReader *r;
    const char *what = NULL;

    if (size < sizeof(*h) ||
        memcmp(h->magic, VGSP_RECORDING_MAGIC, sizeof(h->magic))) {
        what = "not a recording";
    } else if (h->version != VGSP_RECORDING_VERSION) {
        what = "a recording of another version";
    } else if (h->size < sizeof(*h) || h->size > size || h->size % 8) {
        what = "bad header size";
    } else if (h->executor[sizeof(h->executor) - 1] ||
               h->chip[sizeof(h->chip) - 1]) {
        what = "bad header";
    }
    if (what) {
        g_set_error_literal(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, what);
        return NULL;
    }
    r = g_new0(VgspRecordingReader, 1);
    r->data = data;
    r->size = size;
    r->pos = h->size;
    r->pages = g_ptr_array_new();
    g_ptr_array_add(r->pages, NULL);
    return r;
}

const VgspRecordingHeader *vgsp_recording_header(const VgspRecordingReader *r)
{
    return (const VgspRecordingHeader *)r->data;
}

const void *vgsp_recording_contents(const VgspRecordingReader *r,
                                    uint32_t page)
{
    static const uint8_t zeros[VGSP_RECORDING_PAGE];

    return page ? g_ptr_array_index(r->pages, page) : zeros;
}

static bool stop(VgspRecordingReader *r, const char *defect)
{
    r->defect = defect;
    r->pos = r->size;
    return false;
}

/* How many elements the head announces. */
static uint32_t announced(const VgspRecord *record)
{
    switch (record->type) {
    case VGSP_RECORD_MAP:
        return record->map->count;
    case VGSP_RECORD_BEFORE:
    case VGSP_RECORD_AFTER:
        return record->pages->count;
    case VGSP_RECORD_SECTION:
    case VGSP_RECORD_COPY:
        return record->section->count;
    default:
        return 0;
    }
}

static bool refs_ok(const VgspRecordingReader *r, const VgspRecord *record)
{
    for (uint32_t i = 0; i < record->pages->count; i++) {
        if (record->refs[i].page >= r->pages->len) {
            return false;
        }
    }
    return true;
}

bool vgsp_recording_next(VgspRecordingReader *r, VgspRecord *record)
{
    for (;;) {
        const VgspRecordHeader *h = (const void *)(r->data + r->pos);
        size_t left = r->size - r->pos, room;
        const Layout *l;

        if (!left) {
            return false;
        }
        if (left < sizeof(*h)) {
            return stop(r, "the file ends within a record");
        }
        room = VGSP_ALIGN_UP((uint64_t)h->size, 8);
        if (room > left - sizeof(*h)) {
            return stop(r, "the file ends within a record");
        }
        if (h->type >= G_N_ELEMENTS(layouts) || !h->type) {
            return stop(r, "a record of unknown type");
        }
        l = &layouts[h->type];
        record->type = h->type;
        record->id = (const void *)(h + 1);
        record->words = (const void *)((const uint8_t *)(h + 1) + l->head);
        if (h->size < l->head ||
            h->size - l->head != (uint64_t)announced(record) * l->element) {
            return stop(r, "a record of wrong size");
        }
        r->pos += sizeof(*h) + room;
        if (h->type == VGSP_RECORD_PAGE) {
            g_ptr_array_add(r->pages, (gpointer)record->id);
            continue;
        }
        if ((h->type == VGSP_RECORD_BEFORE || h->type == VGSP_RECORD_AFTER) &&
            !refs_ok(r, record)) {
            return stop(r, "a page that is not in the file");
        }
        return true;
    }
}

const char *vgsp_recording_defect(const VgspRecordingReader *r)
{
    return r->defect;
}

void vgsp_recording_free(VgspRecordingReader *r)
{
    g_ptr_array_free(r->pages, TRUE);
    g_free(r);
}
