/*
 * The recording format: what was submitted to an executor, with the memory
 * before and after each section. docs/recording.md describes it; here are its
 * structures, the writer and the reader. No QEMU headers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef HW_VGSP_REPLAY_RECORDING_H
#define HW_VGSP_REPLAY_RECORDING_H

#include <glib.h>

#include "vgsp/types.h"
#include "vgsp/uapi/vgsp_owner.h"

G_STATIC_ASSERT(G_BYTE_ORDER == G_LITTLE_ENDIAN);

#define VGSP_RECORDING_MAGIC    "VGSPREC\n"
#define VGSP_RECORDING_VERSION  1
#define VGSP_RECORDING_PAGE     4096

/* A file: this header, then records. All little endian. */
typedef struct VgspRecordingHeader {
    char magic[8];
    uint32_t version;
    uint32_t size;              /* of this header, bytes */
    char executor[16];          /* "model", "null"; ends with zeros */
    char chip[48];              /* marketing name */
} VgspRecordingHeader;

typedef enum VgspRecordType {
    VGSP_RECORD_PAGE = 1,       /* 4096 bytes; numbered from 1 */
    VGSP_RECORD_MEMORY_ADD = 2, /* VgspRecordMemory */
    VGSP_RECORD_MEMORY_DEL = 3, /* VgspRecordId */
    VGSP_RECORD_SPACE_NEW = 4,  /* VgspRecordId */
    VGSP_RECORD_SPACE_DEL = 5,  /* VgspRecordId */
    VGSP_RECORD_MAP = 6,        /* VgspRecordMap, then the operations */
    VGSP_RECORD_CONTEXT_NEW = 7,/* VgspRecordContext */
    VGSP_RECORD_CONTEXT_DEL = 8,/* VgspRecordId */
    VGSP_RECORD_BEFORE = 9,     /* VgspRecordPages, then references */
    VGSP_RECORD_SECTION = 10,   /* VgspRecordSection, then words */
    VGSP_RECORD_AFTER = 11,     /* VgspRecordPages, then references */
    VGSP_RECORD_END = 12,       /* VgspRecordEnd */
    VGSP_RECORD_FAULT = 13,     /* struct vgsp_owner_fault */
    VGSP_RECORD_REVOKE = 14,    /* empty */
    VGSP_RECORD_COPY = 15,      /* as SECTION, of the copy engine */
} VgspRecordType;

/* Each record: this, then size bytes and zeros up to a multiple of 8. */
typedef struct VgspRecordHeader {
    uint32_t type;
    uint32_t size;
} VgspRecordHeader;

typedef struct VgspRecordId {
    uint32_t id;
    uint32_t reserved;
} VgspRecordId;

typedef struct VgspRecordMemory {
    uint32_t id;
    uint32_t reserved;
    uint64_t size;              /* bytes, a multiple of 4096; all zeros */
} VgspRecordMemory;

typedef struct VgspRecordMap {
    uint32_t space;
    uint32_t count;             /* struct vgsp_owner_map_op that follow */
} VgspRecordMap;

typedef struct VgspRecordContext {
    uint32_t id;
    uint32_t space;
} VgspRecordContext;

/* Page index of that memory object now has the contents of page. */
typedef struct VgspRecordPageRef {
    uint32_t memory;
    uint32_t page;              /* number of a PAGE record; 0: zeros */
    uint64_t index;             /* offset / 4096 */
} VgspRecordPageRef;

typedef struct VgspRecordPages {
    uint32_t count;             /* VgspRecordPageRef that follow */
    uint32_t reserved;
} VgspRecordPages;

typedef struct VgspRecordSection {
    uint32_t context;
    uint32_t count;             /* words that follow */
    uint64_t seq;
} VgspRecordSection;

typedef enum VgspRecordOutcome {
    VGSP_OUTCOME_RETIRED = 0,
    VGSP_OUTCOME_FAULT = 1,     /* the context is dead */
    VGSP_OUTCOME_NOT_RUN = 2,   /* by an executor that runs nothing */
} VgspRecordOutcome;

typedef struct VgspRecordEnd {
    uint32_t context;
    uint32_t outcome;           /* VgspRecordOutcome */
    uint64_t seq;
    uint64_t ns;                /* from submission to the end */
} VgspRecordEnd;

/* ---- Writing ---- */

typedef struct VgspRecordingWriter VgspRecordingWriter;

/*
 * Makes or empties the file, which only its owner may read: it holds guest
 * memory. NULL with *error on failure.
 */
VgspRecordingWriter *vgsp_recording_create(const char *path,
                                           const char *executor,
                                           const char *chip, GError **error);
/* One record of up to two parts (a tail may be NULL). */
void vgsp_recording_write(VgspRecordingWriter *w, VgspRecordType type,
                          const void *head, size_t head_size,
                          const void *tail, size_t tail_size);
/* The number of these 4096 bytes, which are written unless they are there. */
uint32_t vgsp_recording_page(VgspRecordingWriter *w, const void *page);
/* errno of the first write that failed, or 0. */
int vgsp_recording_error(const VgspRecordingWriter *w);
/* False: something was not written. */
bool vgsp_recording_close(VgspRecordingWriter *w);

/* ---- Reading ---- */

typedef struct VgspRecordingReader VgspRecordingReader;

/* A record, checked in itself and for the pages that it refers to. */
typedef struct VgspRecord {
    VgspRecordType type;
    union {
        const VgspRecordId *id;
        const VgspRecordMemory *memory;
        const VgspRecordMap *map;
        const VgspRecordContext *context;
        const VgspRecordPages *pages;
        const VgspRecordSection *section;
        const VgspRecordEnd *end;
        const struct vgsp_owner_fault *fault;
    };
    union {                     /* what follows, as many as its head says */
        const struct vgsp_owner_map_op *ops;
        const VgspRecordPageRef *refs;
        const uint32_t *words;
    };
} VgspRecord;

/* The bytes, aligned to 8, stay the caller's. NULL: no recording. */
VgspRecordingReader *vgsp_recording_open(const void *data, size_t size,
                                         GError **error);
const VgspRecordingHeader *vgsp_recording_header(const VgspRecordingReader *r);
/* The next record; PAGE records are passed over. False at the end. */
bool vgsp_recording_next(VgspRecordingReader *r, VgspRecord *record);
/* Contents of a page that a record named. */
const void *vgsp_recording_contents(const VgspRecordingReader *r,
                                    uint32_t page);
/* What is wrong where vgsp_recording_next() stopped; NULL: the file's end. */
const char *vgsp_recording_defect(const VgspRecordingReader *r);
void vgsp_recording_free(VgspRecordingReader *r);

#endif
