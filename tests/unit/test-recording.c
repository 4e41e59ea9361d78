/*
 * Recordings: what the writer writes, byte by byte; what the reader refuses;
 * what the recorder saves of memory.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replay/recorder.h"
#include "replay/shadow.h"

#define PAGE VGSP_RECORDING_PAGE

static char *temp_path(void)
{
    g_autoptr(GError) error = NULL;
    char *path = NULL;
    int fd = g_file_open_tmp("test-recording-XXXXXX", &path, &error);

    g_assert_no_error(error);
    close(fd);
    return path;
}

static char *load(const char *path, gsize *size)
{
    g_autoptr(GError) error = NULL;
    char *data;

    g_file_get_contents(path, &data, size, &error);
    g_assert_no_error(error);
    return data;
}

/* ---- The writer ---- */

static void test_bytes(void)
{
    static const uint8_t want[] = {
        'V', 'G', 'S', 'P', 'R', 'E', 'C', '\n', 1, 0, 0, 0, 80, 0, 0, 0,
        'm', 'o', 'd', 'e', 'l', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        'T', 'U', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        /* SPACE_NEW of 7 */
        4, 0, 0, 0, 8, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0,
        /* SECTION: context 2, 3 words, number 5; padded */
        10, 0, 0, 0, 28, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0,
        5, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0,
        3, 0, 0, 0, 0, 0, 0, 0,
    };
    const uint32_t words[] = { 1, 2, 3 };
    const VgspRecordId id = { .id = 7 };
    const VgspRecordSection section = { .context = 2, .count = 3, .seq = 5 };
    g_autofree char *path = temp_path();
    g_autofree char *data = NULL;
    VgspRecordingWriter *w = vgsp_recording_create(path, "model", "TU", NULL);
    gsize size;

    g_assert_nonnull(w);
    vgsp_recording_write(w, VGSP_RECORD_SPACE_NEW, &id, sizeof(id), NULL, 0);
    vgsp_recording_write(w, VGSP_RECORD_SECTION, &section, sizeof(section),
                         words, sizeof(words));
    g_assert_true(vgsp_recording_close(w));
    data = load(path, &size);
    g_assert_cmpmem(data, size, want, sizeof(want));
    g_unlink(path);
}

/* It holds guest memory: only the owner may read it. */
static void test_mode(void)
{
    g_autofree char *path = temp_path();
    VgspRecordingWriter *w;
    struct stat st;

    g_assert_cmpint(g_chmod(path, 0644), ==, 0);
    w = vgsp_recording_create(path, "model", "TU", NULL);
    g_assert_nonnull(w);
    g_assert_cmpint(stat(path, &st), ==, 0);
    g_assert_cmpint(st.st_mode & 0777, ==, 0600);
    g_assert_true(vgsp_recording_close(w));
    g_unlink(path);
}

static void test_cannot_create(void)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(vgsp_recording_create("/nonexistent/file", "m", "c",
                                        &error));
    g_assert_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT);
}

static void test_disk_full(void)
{
    g_autofree char *path = temp_path();
    VgspRecordingWriter *w = vgsp_recording_create(path, "m", "c", NULL);
    struct rlimit old, low = { .rlim_cur = 16384, .rlim_max = RLIM_INFINITY };
    uint8_t page[PAGE];

    g_assert_cmpint(getrlimit(RLIMIT_FSIZE, &old), ==, 0);
    low.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &low), ==, 0);
    for (unsigned i = 1; i < 64; i++) {
        memset(page, i, sizeof(page));
        vgsp_recording_page(w, page);
    }
    g_assert_cmpint(vgsp_recording_error(w), ==, EFBIG);
    g_assert_false(vgsp_recording_close(w));
    g_assert_cmpint(setrlimit(RLIMIT_FSIZE, &old), ==, 0);
    g_unlink(path);
}

static void test_pages_once(void)
{
    g_autofree char *path = temp_path();
    VgspRecordingWriter *w = vgsp_recording_create(path, "m", "c", NULL);
    uint8_t page[PAGE] = { 0 };
    struct stat st;

    g_assert_cmpuint(vgsp_recording_page(w, page), ==, 0);
    page[100] = 1;
    g_assert_cmpuint(vgsp_recording_page(w, page), ==, 1);
    page[100] = 2;
    g_assert_cmpuint(vgsp_recording_page(w, page), ==, 2);
    page[100] = 1;
    g_assert_cmpuint(vgsp_recording_page(w, page), ==, 1);
    g_assert_true(vgsp_recording_close(w));
    g_assert_cmpint(stat(path, &st), ==, 0);
    g_assert_cmpint(st.st_size, ==, 80 + 2 * (8 + PAGE));
    g_unlink(path);
}

/* ---- The reader ---- */

typedef struct Bytes {
    uint8_t data[65536] __attribute__((aligned(8)));
    size_t size;
} Bytes;

static void put(Bytes *b, const void *data, size_t size)
{
    memcpy(b->data + b->size, data, size);
    b->size += size;
}

static void put32(Bytes *b, uint32_t a, uint32_t c)
{
    uint32_t w[] = { a, c };

    put(b, w, sizeof(w));
}

static void start(Bytes *b)
{
    memset(b, 0, sizeof(*b));
    put(b, "VGSPREC\n", 8);
    put32(b, 1, 80);
    b->size = 80;
}

static void check_defect(const Bytes *b, const char *defect)
{
    VgspRecordingReader *r = vgsp_recording_open(b->data, b->size, NULL);
    VgspRecord record;

    g_assert_nonnull(r);
    while (vgsp_recording_next(r, &record)) {
    }
    g_assert_cmpstr(vgsp_recording_defect(r), ==, defect);
    g_assert_false(vgsp_recording_next(r, &record));
    vgsp_recording_free(r);
}

static void test_not_a_recording(void)
{
    g_autofree Bytes *b = g_new(Bytes, 1);

    start(b);
    g_assert_null(vgsp_recording_open(b->data, 79, NULL));
    b->data[8] = 2;                             /* version */
    g_assert_null(vgsp_recording_open(b->data, b->size, NULL));
    start(b);
    b->data[0] = 'v';
    g_assert_null(vgsp_recording_open(b->data, b->size, NULL));
    start(b);
    b->data[12] = 88;                           /* header beyond the file */
    g_assert_null(vgsp_recording_open(b->data, b->size, NULL));
    start(b);
    memset(b->data + 16, 'x', 16);              /* a name without end */
    g_assert_null(vgsp_recording_open(b->data, b->size, NULL));
}

static void test_truncated(void)
{
    g_autofree Bytes *b = g_new(Bytes, 1);

    start(b);
    check_defect(b, NULL);
    put32(b, VGSP_RECORD_SPACE_NEW, 8);
    check_defect(b, "the file ends within a record");
    put32(b, 1, 0);
    check_defect(b, NULL);
    put(b, "\1\0\0\0", 4);
    check_defect(b, "the file ends within a record");
    put(b, "\xff\xff\xff\xff", 4);              /* a size that wraps */
    check_defect(b, "the file ends within a record");
}

static void test_bad_records(void)
{
    g_autofree Bytes *b = g_new(Bytes, 1);

    start(b);
    put32(b, 0, 0);
    check_defect(b, "a record of unknown type");
    start(b);
    put32(b, 16, 0);
    check_defect(b, "a record of unknown type");
    start(b);
    put32(b, VGSP_RECORD_REVOKE, 8);            /* bytes too many */
    put32(b, 0, 0);
    check_defect(b, "a record of wrong size");
    start(b);
    put32(b, VGSP_RECORD_SECTION, 16);          /* a word announced */
    put32(b, 1, 1);
    put32(b, 1, 0);
    check_defect(b, "a record of wrong size");
    start(b);
    put32(b, VGSP_RECORD_MAP, 8);               /* 2^32 - 1 operations */
    put32(b, 1, 0xffffffff);
    check_defect(b, "a record of wrong size");
    start(b);
    put32(b, VGSP_RECORD_BEFORE, 24);           /* page 1 of none */
    put32(b, 1, 0);
    put32(b, 1, 1);
    put32(b, 0, 0);
    check_defect(b, "a page that is not in the file");
}

static void test_records(void)
{
    g_autofree Bytes *b = g_new(Bytes, 1);
    VgspRecordingReader *r;
    VgspRecord record;

    start(b);
    put32(b, VGSP_RECORD_PAGE, PAGE);
    memset(b->data + b->size, 0x5a, PAGE);
    b->size += PAGE;
    put32(b, VGSP_RECORD_BEFORE, 8 + 2 * 16);
    put32(b, 2, 0);
    put32(b, 3, 1);                             /* memory, page */
    put32(b, 9, 0);                             /* index */
    put32(b, 3, 0);
    put32(b, 10, 0);
    r = vgsp_recording_open(b->data, b->size, NULL);
    g_assert_true(vgsp_recording_next(r, &record));
    g_assert_cmpint(record.type, ==, VGSP_RECORD_BEFORE);
    g_assert_cmpuint(record.pages->count, ==, 2);
    g_assert_cmpuint(record.refs[0].memory, ==, 3);
    g_assert_cmpuint(record.refs[0].index, ==, 9);
    g_assert_cmphex(((uint8_t *)vgsp_recording_contents(
                        r, record.refs[0].page))[PAGE - 1], ==, 0x5a);
    g_assert_cmphex(((uint8_t *)vgsp_recording_contents(
                        r, record.refs[1].page))[0], ==, 0);
    g_assert_false(vgsp_recording_next(r, &record));
    g_assert_null(vgsp_recording_defect(r));
    vgsp_recording_free(r);
}

/* ---- The shadow ---- */

static void map(VgspShadow *s, uint64_t va, uint64_t pages, uint64_t offset)
{
    struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_MAP, .va = va, .size = pages * PAGE, .memory = 1,
        .offset = offset,
    };

    g_assert_true(vgsp_shadow_map(s, 1, &op, 1));
}

static uint64_t offset_of(VgspShadow *s, const uint8_t *host, uint64_t va,
                          uint64_t *len)
{
    const uint8_t *p = vgsp_shadow_lookup(s, 1, va, len);

    return p ? (uint64_t)(p - host) : UINT64_MAX;
}

static void test_map(void)
{
    g_autofree uint8_t *host = g_malloc0(16 * PAGE);
    struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_UNMAP, .va = 0x13000, .size = PAGE,
    };
    VgspShadow s;
    uint64_t len;

    vgsp_shadow_init(&s);
    g_assert_nonnull(vgsp_shadow_memory_add(&s, 1, host, 16 * PAGE));
    g_assert_null(vgsp_shadow_memory_add(&s, 1, host, PAGE));
    g_assert_true(vgsp_shadow_space_new(&s, 1));
    map(&s, 0x10000, 8, 0);
    g_assert_cmphex(offset_of(&s, host, 0x12340, &len), ==, 0x2340);
    g_assert_cmphex(len, ==, 0x5cc0);
    g_assert_cmphex(offset_of(&s, host, 0xffff, &len), ==, UINT64_MAX);
    g_assert_cmphex(offset_of(&s, host, 0x18000, &len), ==, UINT64_MAX);
    /* Out of the middle, into it, and over both ends. */
    g_assert_true(vgsp_shadow_map(&s, 1, &op, 1));
    g_assert_cmphex(offset_of(&s, host, 0x12fff, &len), ==, 0x2fff);
    g_assert_cmphex(len, ==, 1);
    g_assert_cmphex(offset_of(&s, host, 0x13000, &len), ==, UINT64_MAX);
    g_assert_cmphex(offset_of(&s, host, 0x14000, &len), ==, 0x4000);
    map(&s, 0x15000, 1, 0xf000);
    g_assert_cmphex(offset_of(&s, host, 0x15000, &len), ==, 0xf000);
    g_assert_cmphex(offset_of(&s, host, 0x16000, &len), ==, 0x6000);
    map(&s, 0xf000, 16, 0);
    g_assert_cmphex(offset_of(&s, host, 0x16000, &len), ==, 0x7000);
    g_assert_cmphex(len, ==, 0x9000);
    /* What is refused changes nothing. */
    op = (struct vgsp_owner_map_op) {
        .op = VGSP_OWNER_MAP, .va = 0, .size = 2 * PAGE, .memory = 1,
        .offset = 15 * PAGE,
    };
    g_assert_false(vgsp_shadow_map(&s, 1, &op, 1));
    op.memory = 2;
    g_assert_false(vgsp_shadow_map(&s, 1, &op, 1));
    op.memory = 1;
    op.offset = 0;
    g_assert_false(vgsp_shadow_map(&s, 2, &op, 1));
    op.va = UINT64_C(1) << 49;
    g_assert_false(vgsp_shadow_map(&s, 1, &op, 1));
    g_assert_true(vgsp_shadow_memory_del(&s, 1));
    g_assert_cmphex(offset_of(&s, host, 0x16000, &len), ==, UINT64_MAX);
    vgsp_shadow_clear(&s);
}

/* ---- The recorder ---- */

static void expect(VgspRecordingReader *r, VgspRecord *record,
                   VgspRecordType type)
{
    g_assert_true(vgsp_recording_next(r, record));
    g_assert_cmpint(record->type, ==, type);
}

static void test_recorder(void)
{
    g_autofree char *path = temp_path();
    g_autofree char *data = NULL;
    g_autofree uint8_t *host = g_malloc0(4 * PAGE);
    VgspRecorder *rec = vgsp_recorder_new(path, "null", "TU104", NULL);
    const struct vgsp_owner_map_op ops[] = {
        { .op = VGSP_OWNER_MAP, .va = 0x10000, .size = 2 * PAGE, .memory = 5 },
        /* The same page twice. */
        { .op = VGSP_OWNER_MAP, .va = 0x20000, .size = PAGE, .memory = 5 },
    };
    const uint32_t words[] = { 0x11, 0x22 };
    VgspRecordingReader *r;
    VgspRecord record;
    gsize size;

    host[1] = 1;
    host[PAGE] = 2;
    host[3 * PAGE] = 3;                         /* not mapped */
    vgsp_recorder_memory_add(rec, 5, host, 4 * PAGE);
    vgsp_recorder_space_new(rec, 6);
    vgsp_recorder_map(rec, 6, ops, G_N_ELEMENTS(ops));
    vgsp_recorder_context_new(rec, 7, 6);
    vgsp_recorder_begin(rec, 7, words, 2, 1);
    host[PAGE] = 4;
    vgsp_recorder_end(rec, 7, 1, VGSP_OUTCOME_RETIRED);
    vgsp_recorder_begin(rec, 7, words, 1, 2);   /* nothing has changed */
    host[1] = 5;                                /* by the CPU */
    vgsp_recorder_end(rec, 7, 2, VGSP_OUTCOME_NOT_RUN);
    vgsp_recorder_begin_copy(rec, 7, words, 1, 3);
    host[1] = 6;                                /* by the copy */
    vgsp_recorder_wrote(rec, 6, 0x10001, host + 1, 1);
    host[2] = 7;                                /* by the CPU */
    vgsp_recorder_end(rec, 7, 3, VGSP_OUTCOME_NOT_RUN);
    vgsp_recorder_context_del(rec, 7);
    g_assert_cmpint(vgsp_recorder_error(rec), ==, 0);
    g_assert_true(vgsp_recorder_free(rec));

    data = load(path, &size);
    r = vgsp_recording_open(data, size, NULL);
    g_assert_cmpstr(vgsp_recording_header(r)->executor, ==, "null");
    expect(r, &record, VGSP_RECORD_MEMORY_ADD);
    g_assert_cmpuint(record.memory->size, ==, 4 * PAGE);
    expect(r, &record, VGSP_RECORD_SPACE_NEW);
    expect(r, &record, VGSP_RECORD_MAP);
    g_assert_cmpuint(record.map->count, ==, 2);
    g_assert_cmphex(record.ops[1].va, ==, 0x20000);
    expect(r, &record, VGSP_RECORD_CONTEXT_NEW);
    g_assert_cmpuint(record.context->space, ==, 6);
    expect(r, &record, VGSP_RECORD_BEFORE);
    g_assert_cmpuint(record.pages->count, ==, 2);
    g_assert_cmpuint(record.refs[0].index, ==, 0);
    g_assert_cmpuint(record.refs[1].index, ==, 1);
    g_assert_cmphex(((uint8_t *)vgsp_recording_contents(
                        r, record.refs[1].page))[0], ==, 2);
    expect(r, &record, VGSP_RECORD_SECTION);
    g_assert_cmpuint(record.section->count, ==, 2);
    g_assert_cmphex(record.words[1], ==, 0x22);
    expect(r, &record, VGSP_RECORD_AFTER);
    g_assert_cmpuint(record.pages->count, ==, 1);
    g_assert_cmpuint(record.refs[0].index, ==, 1);
    g_assert_cmphex(((uint8_t *)vgsp_recording_contents(
                        r, record.refs[0].page))[0], ==, 4);
    expect(r, &record, VGSP_RECORD_END);
    expect(r, &record, VGSP_RECORD_SECTION);
    expect(r, &record, VGSP_RECORD_END);
    g_assert_cmpuint(record.end->outcome, ==, VGSP_OUTCOME_NOT_RUN);
    expect(r, &record, VGSP_RECORD_BEFORE);
    g_assert_cmphex(((uint8_t *)vgsp_recording_contents(
                        r, record.refs[0].page))[1], ==, 5);
    expect(r, &record, VGSP_RECORD_COPY);
    expect(r, &record, VGSP_RECORD_AFTER);
    g_assert_cmphex(((uint8_t *)vgsp_recording_contents(
                        r, record.refs[0].page))[1], ==, 6);
    g_assert_cmphex(((uint8_t *)vgsp_recording_contents(
                        r, record.refs[0].page))[2], ==, 0);
    expect(r, &record, VGSP_RECORD_END);
    expect(r, &record, VGSP_RECORD_CONTEXT_DEL);
    g_assert_false(vgsp_recording_next(r, &record));
    g_assert_null(vgsp_recording_defect(r));
    vgsp_recording_free(r);
    g_unlink(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/recording/writer/bytes", test_bytes);
    g_test_add_func("/recording/writer/mode", test_mode);
    g_test_add_func("/recording/writer/cannot-create", test_cannot_create);
    g_test_add_func("/recording/writer/disk-full", test_disk_full);
    g_test_add_func("/recording/writer/pages-once", test_pages_once);
    g_test_add_func("/recording/reader/not-a-recording",
                    test_not_a_recording);
    g_test_add_func("/recording/reader/truncated", test_truncated);
    g_test_add_func("/recording/reader/bad-records", test_bad_records);
    g_test_add_func("/recording/reader/records", test_records);
    g_test_add_func("/recording/shadow/map", test_map);
    g_test_add_func("/recording/recorder", test_recorder);
    return g_test_run();
}
