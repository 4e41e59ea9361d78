/*
 * The player: a section of releases by report semaphores, as recorded with the
 * right memory afterwards and with a wrong one; damaged recordings.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <unistd.h>

#include "replay/copy.h"
#include "replay/player.h"
#include "replay/recorder.h"
#include "replay/shadow.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/copy.h"

#define PAGE    VGSP_RECORDING_PAGE
#define VA      0x10000u
#define PAYLOAD 0x12345678u

/* Subchannel 1: INC headers. */
#define INC(method, count) (0x20000000 | (count) << 16 | 1 << 13 | (method) / 4)

/* The same on the copy engine's. */
#define COPY(method, count) \
    (0x20000000 | (count) << 16 | VGSP_COPY_SUBCHANNEL << 13 | (method) / 4)

#define RELEASE_ONE_WORD (1u << 28)
#define RELEASE_FOUR_WORDS 0

typedef struct Seen {
    unsigned sections, faults, differences;
    uint32_t memory, recorded, replayed;
    uint64_t offset;
    VgspPlayerResult last;
    char gone[16];              /* memory at 0x800, when it went */
} Seen;

static void on_section(void *opaque, VgspPlayer *p, uint32_t space,
                       const VgspRecordSection *s, const uint32_t *words)
{
    Seen *seen = opaque;
    uint8_t byte;

    (void)words;
    seen->sections++;
    g_assert_cmpuint(space, ==, 2);
    g_assert_cmpuint(s->context, ==, 3);
    g_assert_cmpuint(vgsp_player_read(p, space, VA + PAGE - 1, &byte, 2), ==,
                     1);
}

static void on_fault(void *opaque, const struct vgsp_owner_fault *fault)
{
    (void)fault;
    ((Seen *)opaque)->faults++;
}

static void on_difference(void *opaque, uint32_t memory, uint64_t offset,
                          uint32_t recorded, uint32_t replayed)
{
    Seen *seen = opaque;

    seen->differences++;
    seen->memory = memory;
    seen->offset = offset;
    seen->recorded = recorded;
    seen->replayed = replayed;
}

static void on_ended(void *opaque, VgspPlayer *p, uint32_t space,
                     const VgspPlayerResult *result)
{
    (void)p;
    g_assert_cmpuint(space, ==, 2);
    ((Seen *)opaque)->last = *result;
}

static void on_gone(void *opaque, uint32_t memory, const uint8_t *host,
                    uint64_t size)
{
    Seen *seen = opaque;

    g_assert_cmpuint(memory, ==, 1);
    g_assert_cmpuint(size, ==, PAGE);
    memcpy(seen->gone, host + 0x800, sizeof(seen->gone));
}

static const VgspPlayerOps ops = {
    .gone = on_gone,
    .section = on_section,
    .fault = on_fault,
    .difference = on_difference,
    .ended = on_ended,
};

/* Records a release at va whose recorded result is after (16 bytes). */
static char *record(uint32_t va, uint32_t release, const uint32_t *after,
                    VgspRecordOutcome outcome)
{
    const uint32_t words[] = {
        INC(0, 1), TURING_COMPUTE_A,
        INC(NVC5C0_SET_REPORT_SEMAPHORE_A, 4), 0, va, PAYLOAD, release,
    };
    const struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_MAP, .va = VA, .size = PAGE, .memory = 1,
    };
    g_autofree uint8_t *host = g_malloc0(PAGE);
    char *path;
    int fd = g_file_open_tmp("test-replay-XXXXXX", &path, NULL);
    VgspRecorder *r;

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    r = vgsp_recorder_new(path, "model", "TU104", NULL);
    g_assert_nonnull(r);
    vgsp_recorder_memory_add(r, 1, host, PAGE);
    vgsp_recorder_space_new(r, 2);
    vgsp_recorder_map(r, 2, &op, 1);
    vgsp_recorder_context_new(r, 3, 2);
    host[100] = 7;
    vgsp_recorder_begin(r, 3, words, G_N_ELEMENTS(words), 1);
    memcpy(host + 0x20, after, 16);
    vgsp_recorder_end(r, 3, 1, outcome);
    g_assert_true(vgsp_recorder_free(r));
    return path;
}

static Seen play(const char *path, bool run)
{
    Seen seen = { 0 };
    const VgspPlayerConfig config = {
        .executor = run ? &vgsp_replay_model : NULL, .threads = 1, .timeout_s = 30, .memory_max = 1 << 20,
        .ops = &ops, .opaque = &seen,
    };
    VgspRecordingReader *reader;
    VgspPlayer *player;
    VgspRecord rec;
    const char *defect;
    char *data;
    gsize size;

    g_assert_true(g_file_get_contents(path, &data, &size, NULL));
    reader = vgsp_recording_open(data, size, NULL);
    player = vgsp_player_new(&config, NULL);
    while (vgsp_recording_next(reader, &rec)) {
        g_assert_true(vgsp_player_apply(player, reader, &rec, &defect));
    }
    g_assert_null(vgsp_recording_defect(reader));
    vgsp_player_free(player);
    vgsp_recording_free(reader);
    g_free(data);
    return seen;
}

static void test_agrees(void)
{
    const uint32_t after[4] = { PAYLOAD };
    g_autofree char *path = record(VA + 0x20, RELEASE_ONE_WORD, after,
                                   VGSP_OUTCOME_RETIRED);
    Seen seen = play(path, true);

    g_assert_cmpuint(seen.sections, ==, 1);
    g_assert_cmpuint(seen.differences, ==, 0);
    g_assert_true(seen.last.compared);
    g_assert_cmpuint(seen.last.replayed, ==, VGSP_OUTCOME_RETIRED);
    g_assert_cmpuint(seen.last.seq, ==, 1);
    g_unlink(path);
}

static void test_differs(void)
{
    const uint32_t after[4] = { PAYLOAD + 1 };
    g_autofree char *path = record(VA + 0x20, RELEASE_ONE_WORD, after,
                                   VGSP_OUTCOME_RETIRED);
    Seen seen = play(path, true);

    g_assert_cmpuint(seen.differences, ==, 1);
    g_assert_cmpuint(seen.last.differences, ==, 1);
    g_assert_cmpuint(seen.memory, ==, 1);
    g_assert_cmphex(seen.offset, ==, 0x20);
    g_assert_cmphex(seen.recorded, ==, PAYLOAD + 1);
    g_assert_cmphex(seen.replayed, ==, PAYLOAD);
    /* Without a model nothing is compared. */
    seen = play(path, false);
    g_assert_cmpuint(seen.sections, ==, 1);
    g_assert_cmpuint(seen.differences, ==, 0);
    g_assert_false(seen.last.compared);
    g_unlink(path);
}

/* payload, 0, time: the time is another, and is not held against it. */
static void test_timestamp(void)
{
    const uint32_t after[4] = { PAYLOAD, 0, 5, 0 };
    const uint32_t wrong[4] = { PAYLOAD, 1, 5, 0 };
    g_autofree char *path = record(VA + 0x20, RELEASE_FOUR_WORDS, after,
                                   VGSP_OUTCOME_RETIRED);
    g_autofree char *path2 = record(VA + 0x20, RELEASE_FOUR_WORDS, wrong,
                                    VGSP_OUTCOME_RETIRED);
    Seen seen = play(path, true);

    g_assert_cmpuint(seen.differences, ==, 0);
    g_assert_cmpuint(seen.last.timestamps, >=, 1);
    seen = play(path2, true);
    g_assert_cmpuint(seen.differences, ==, 1);
    g_assert_cmphex(seen.offset, ==, 0x24);
    g_unlink(path);
    g_unlink(path2);
}

static void test_fault(void)
{
    const uint32_t after[4] = { 0 };
    g_autofree char *path = record(VA + PAGE, RELEASE_ONE_WORD, after,
                                   VGSP_OUTCOME_FAULT);
    Seen seen = play(path, true);

    g_assert_cmpuint(seen.faults, ==, 1);
    g_assert_cmpuint(seen.last.recorded, ==, VGSP_OUTCOME_FAULT);
    g_assert_cmpuint(seen.last.replayed, ==, VGSP_OUTCOME_FAULT);
    g_unlink(path);
}

/* Recorded where nothing runs: no memory to compare with. */
static void test_not_run(void)
{
    const uint32_t after[4] = { 0 };
    g_autofree char *path = record(VA + 0x20, RELEASE_ONE_WORD, after,
                                   VGSP_OUTCOME_NOT_RUN);
    Seen seen = play(path, true);

    g_assert_cmpuint(seen.last.replayed, ==, VGSP_OUTCOME_RETIRED);
    g_assert_cmpuint(seen.differences, ==, 0);
    g_assert_false(seen.last.compared);
    g_unlink(path);
}

/*
 * Recorded where nothing runs: what the copy engine makes stays, also where
 * the program then writes to the same page.
 */
static void test_copy(void)
{
    const uint32_t words[] = {
        COPY(0, 1), TURING_DMA_COPY_A,
        COPY(NVC5B5_OFFSET_IN_UPPER, 4), 0, VA, 0, VA + 0x800,
        COPY(NVC5B5_LINE_LENGTH_IN, 1), 8,
        COPY(NVC5B5_LAUNCH_DMA, 1),
        NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED |
        NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT |
        NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT,
    };
    const struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_MAP, .va = VA, .size = PAGE, .memory = 1,
    };
    g_autofree uint8_t *host = g_malloc0(PAGE);
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("test-replay-XXXXXX", &path, NULL);
    VgspRecorder *r;
    Seen seen;

    close(fd);
    r = vgsp_recorder_new(path, "null", "TU104", NULL);
    vgsp_recorder_memory_add(r, 1, host, PAGE);
    vgsp_recorder_space_new(r, 2);
    vgsp_recorder_map(r, 2, &op, 1);
    vgsp_recorder_context_new(r, 3, 2);
    memcpy(host, "copy me", 8);
    vgsp_recorder_begin_copy(r, 3, words, G_N_ELEMENTS(words), 1);
    vgsp_recorder_end(r, 3, 1, VGSP_OUTCOME_NOT_RUN);
    memcpy(host + 0x808, "beside", 7);
    vgsp_recorder_begin_copy(r, 3, words, G_N_ELEMENTS(words), 2);
    memcpy(host + 0x800, "copy me", 8);
    vgsp_recorder_end(r, 3, 2, VGSP_OUTCOME_RETIRED);
    g_assert_true(vgsp_recorder_free(r));
    seen = play(path, true);
    g_assert_true(seen.last.copy);
    g_assert_true(seen.last.compared);
    g_assert_cmpuint(seen.last.replayed, ==, VGSP_OUTCOME_RETIRED);
    g_assert_cmpuint(seen.differences, ==, 0);
    g_assert_cmpstr(seen.gone, ==, "copy me");
    g_assert_cmpstr(seen.gone + 8, ==, "beside");
    g_unlink(path);
}

typedef struct Sides {
    unsigned words;
    uint64_t offset;
    uint32_t a, b;
} Sides;

static void on_word(void *opaque, uint32_t memory, uint64_t offset, uint32_t a,
                    uint32_t b)
{
    Sides *sides = opaque;

    g_assert_cmpuint(memory, ==, 1);
    sides->words++;
    sides->offset = offset;
    sides->a = a;
    sides->b = b;
}

/* The model beside nobody: what it wrote differs, but not its clock. */
static void test_compare(void)
{
    const uint32_t after[4] = { 0 };
    g_autofree char *path = record(VA + 0x20, RELEASE_FOUR_WORDS, after,
                                   VGSP_OUTCOME_NOT_RUN);
    Seen seen = { 0 };
    VgspPlayerConfig config = {
        .executor = &vgsp_replay_model, .keep = true, .threads = 1,
        .timeout_s = 30, .memory_max = 1 << 20, .ops = &ops, .opaque = &seen,
    };
    VgspPlayer *a, *b;
    VgspPlayerResult last[2];
    VgspRecordingReader *reader;
    VgspRecord rec;
    const char *defect;
    uint64_t timestamps = 0;
    Sides sides = { 0 };
    g_autofree char *data = NULL;
    gsize size;

    g_assert_true(g_file_get_contents(path, &data, &size, NULL));
    reader = vgsp_recording_open(data, size, NULL);
    a = vgsp_player_new(&config, NULL);
    config.executor = NULL;
    b = vgsp_player_new(&config, NULL);
    while (vgsp_recording_next(reader, &rec)) {
        g_assert_true(vgsp_player_apply(b, reader, &rec, &defect));
        g_assert_true(vgsp_player_apply(a, reader, &rec, &defect));
    }
    last[0] = last[1] = seen.last;
    vgsp_player_compare(a, b, 2, last, &timestamps, on_word, &sides);
    /* The payload, and both words of a time that b has not told. */
    g_assert_cmpuint(sides.words + timestamps, >=, 2);
    g_assert_cmpuint(timestamps, ==, 0);
    sides = (Sides) { 0 };
    vgsp_player_compare(a, b, 2, last, &timestamps, on_word, &sides);
    g_assert_cmpuint(sides.words, ==, 0);
    vgsp_player_free(a);
    vgsp_player_free(b);
    vgsp_recording_free(reader);
    g_unlink(path);
}

/* A page made read-only: its first store faults and is named. */
static void test_protect(void)
{
    const uint32_t after[4] = { 0 };
    g_autofree char *path = record(VA + 0x20, RELEASE_ONE_WORD, after,
                                   VGSP_OUTCOME_RETIRED);
    Seen seen = { 0 };
    const VgspPlayerConfig config = {
        .executor = &vgsp_replay_model, .threads = 1, .timeout_s = 30,
        .memory_max = 1 << 20, .ops = &ops, .opaque = &seen,
    };
    VgspPlayer *player = vgsp_player_new(&config, NULL);
    VgspRecordingReader *reader;
    VgspRecord rec;
    const char *defect;
    g_autofree char *data = NULL;
    gsize size;

    g_assert_true(g_file_get_contents(path, &data, &size, NULL));
    reader = vgsp_recording_open(data, size, NULL);
    while (vgsp_recording_next(reader, &rec)) {
        if (rec.type == VGSP_RECORD_SECTION) {
            vgsp_player_protect(player, rec.section->context, 1, 0x24);
        }
        g_assert_true(vgsp_player_apply(player, reader, &rec, &defect));
    }
    g_assert_cmpuint(seen.faults, ==, 1);
    g_assert_cmpuint(seen.last.replayed, ==, VGSP_OUTCOME_FAULT);
    vgsp_player_free(player);
    vgsp_recording_free(reader);
    g_unlink(path);
}

/* ---- An executor that is late ---- */

/*
 * Context 1's section retires just as its time is over, so the kill hits an
 * idle context, and its fault comes later; context 2's takes a while.
 */
typedef struct Late {
    VgspReplayConfig config;
    uint32_t contexts;
    GThread *thread;
} Late;

static Late late;

static void *late_open(const VgspReplayConfig *config, char **error)
{
    (void)error;
    late = (Late) { .config = *config };
    return &late;
}

static void late_close(void *ex)
{
    Late *l = ex;

    if (l->thread) {
        g_thread_join(l->thread);
    }
}

static uint64_t late_clock_ns(void *ex)
{
    (void)ex;
    return 1;
}

static int late_new(void *ex, uint32_t *id)
{
    (void)ex;
    *id = 1;
    return 0;
}

static int late_context_new(void *ex, uint32_t space, uint32_t *id)
{
    (void)space;
    *id = ++((Late *)ex)->contexts;
    return 0;
}

static void *late_fault(void *opaque)
{
    Late *l = opaque;
    const struct vgsp_owner_fault fault = {
        .kind = VGSP_OWNER_FAULT_TIMEOUT, .context = 1,
    };

    g_usleep(50000);
    l->config.events->fault(l->config.opaque, &fault);
    return NULL;
}

static int late_kill(void *ex, uint32_t id, uint32_t kind)
{
    Late *l = ex;

    g_assert_cmpuint(id, ==, 1);
    g_assert_cmpuint(kind, ==, VGSP_OWNER_FAULT_TIMEOUT);
    l->config.events->completed(l->config.opaque, 1, 10);
    l->thread = g_thread_new("late", late_fault, l);
    return 0;
}

static int late_submit(void *ex, uint32_t context, const uint32_t *words,
                       uint32_t count, uint64_t seq)
{
    Late *l = ex;
    const struct vgsp_owner_fault fault = { .context = 1 };

    (void)words;
    (void)count;
    if (context == 2) {
        /* What others say is not about it. */
        l->config.events->fault(l->config.opaque, &fault);
        l->config.events->completed(l->config.opaque, 1, 100);
        l->config.events->completed(l->config.opaque, 2, seq);
    } else {
        g_assert_cmpuint(seq, ==, 10);
    }
    return 0;
}

static const VgspReplayExecutor late_executor = {
    .name = "late", .open = late_open, .close = late_close,
    .clock_ns = late_clock_ns, .space_new = late_new,
    .context_new = late_context_new, .context_kill = late_kill,
    .submit = late_submit,
};

static void on_late_ended(void *opaque, VgspPlayer *p, uint32_t space,
                          const VgspPlayerResult *result)
{
    (void)p;
    (void)space;
    *(VgspPlayerResult *)opaque = *result;
}

static void test_late_fault(void)
{
    static const struct {
        uint32_t context;
        VgspRecordOutcome outcome;
    } v[] = {
        { 1, VGSP_OUTCOME_RETIRED }, { 2, VGSP_OUTCOME_RETIRED },
        { 1, VGSP_OUTCOME_NOT_RUN }, { 2, VGSP_OUTCOME_RETIRED },
    };
    static const VgspPlayerOps late_ops = { .ended = on_late_ended };
    VgspPlayerResult result;
    const VgspPlayerConfig config = {
        .executor = &late_executor, .keep = true, .timeout_s = 1,
        .memory_max = 1 << 20, .ops = &late_ops, .opaque = &result,
    };
    VgspPlayer *p = vgsp_player_new(&config, NULL);
    const VgspRecordId space = { .id = 1 };
    VgspRecord r = { .type = VGSP_RECORD_SPACE_NEW, .id = &space };
    const char *defect;

    g_assert_true(vgsp_player_apply(p, NULL, &r, &defect));
    for (uint32_t i = 1; i <= 2; i++) {
        const VgspRecordContext c = { .id = i, .space = 1 };

        r = (VgspRecord) { .type = VGSP_RECORD_CONTEXT_NEW, .context = &c };
        g_assert_true(vgsp_player_apply(p, NULL, &r, &defect));
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        const VgspRecordSection s = { .context = v[i].context, .seq = 10 + i };
        const VgspRecordEnd end = { .context = v[i].context, .seq = 10 + i };

        r = (VgspRecord) { .type = VGSP_RECORD_SECTION, .section = &s };
        g_assert_true(vgsp_player_apply(p, NULL, &r, &defect));
        r = (VgspRecord) { .type = VGSP_RECORD_END, .end = &end };
        g_assert_true(vgsp_player_apply(p, NULL, &r, &defect));
        g_assert_cmpuint(result.replayed, ==, v[i].outcome);
    }
    vgsp_player_free(p);
}

/* ---- Bounds ---- */

static size_t resident_pages(void)
{
    g_autofree char *statm = NULL;
    unsigned long size, resident;

    g_assert_true(g_file_get_contents("/proc/self/statm", &statm, NULL, NULL));
    g_assert_cmpint(sscanf(statm, "%lu %lu", &size, &resident), ==, 2);
    return resident;
}

static void on_page(void *opaque, VgspShadowMemory *m, uint64_t page)
{
    (void)m;
    g_assert_cmpuint(page, ==, 1000);
    ++*(unsigned *)opaque;
}

/* Memory that nobody wrote is compared, and costs nothing. */
static void test_untouched(void)
{
    const uint64_t size = 256 << 20;
    const struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_MAP, .va = 1 << 20, .size = size, .memory = 1,
    };
    void *host = vgsp_replay_memory_new(size);
    VgspShadow shadow;
    unsigned pages = 0;
    size_t before;

    g_assert_nonnull(host);
    vgsp_shadow_init(&shadow);
    shadow.ours = true;
    g_assert_nonnull(vgsp_shadow_memory_add(&shadow, 1, host, size));
    g_assert_true(vgsp_shadow_space_new(&shadow, 2));
    g_assert_true(vgsp_shadow_map(&shadow, 2, &op, 1));
    before = resident_pages();
    ((uint8_t *)host)[1000 * PAGE] = 1;
    vgsp_shadow_compare(&shadow, 2, on_page, &pages);
    g_assert_cmpuint(pages, ==, 1);
    g_assert_cmpuint(resident_pages() - before, <, size / PAGE / 8);
    vgsp_replay_memory_free(host, size);
    vgsp_shadow_clear(&shadow);
}

typedef struct Accesses {
    uint64_t read, written;
} Accesses;

static bool count_read(void *opaque, uint64_t va, void *buf, size_t size)
{
    (void)va;
    memset(buf, 0, size);
    ((Accesses *)opaque)->read++;
    return true;
}

static bool count_write(void *opaque, uint64_t va, const void *buf,
                        size_t size)
{
    (void)va;
    (void)buf;
    (void)size;
    ((Accesses *)opaque)->written++;
    return true;
}

/* What a copy may do is bounded by what it takes, not by bytes alone. */
static void test_copy_budget(void)
{
    static const VgspCopyOps count_ops = { count_read, count_write,
                                           late_clock_ns };
    static const struct {
        uint32_t launch, remap, length, lines;
    } v[] = {
        /* Bytes, block-linear: each one an access. */
        { 0, 0, 1 << 30, 1 },
        /* Elements of which nothing is written: NO_WRITE, read and kept. */
        { NVC5B5_LAUNCH_DMA_REMAP_ENABLE, 0x6666, 1 << 30, 1 },
        /* Lines of a byte. */
        { NVC5B5_LAUNCH_DMA_MULTI_LINE_ENABLE |
          NVC5B5_LAUNCH_DMA_SRC_MEMORY_LAYOUT |
          NVC5B5_LAUNCH_DMA_DST_MEMORY_LAYOUT, 0, 1, UINT32_MAX },
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(v); i++) {
        const uint64_t budget = 1 << 24;
        Accesses n = { 0 };
        VgspCopy ce = { .ops = &count_ops, .opaque = &n, .budget = budget };
        uint32_t words[] = {
            COPY(0, 1), TURING_DMA_COPY_A,
            COPY(NVC5B5_SET_REMAP_COMPONENTS, 1), v[i].remap,
            COPY(NVC5B5_LINE_LENGTH_IN, 2), v[i].length, v[i].lines,
            COPY(NVC5B5_LAUNCH_DMA, 1),
            NVC5B5_LAUNCH_DMA_DATA_TRANSFER_TYPE_NON_PIPELINED | v[i].launch,
        };

        g_assert_false(vgsp_copy_section(&ce, words, G_N_ELEMENTS(words)));
        g_assert_cmpstr(ce.error, ==, "more than permitted");
        g_assert_cmpuint(n.read + n.written, >, 0);
        g_assert_cmpuint(n.read + n.written, <=, budget / 64);
    }
}

static void test_ulp(void)
{
    g_assert_cmpuint(vgsp_ulp_distance(0x3f800000, 0x3f800003), ==, 3);
    g_assert_cmpuint(vgsp_ulp_distance(0xbf800003, 0xbf800000), ==, 3);
    g_assert_cmpuint(vgsp_ulp_distance(0x3f800000, 0xbf800000), ==,
                     UINT32_MAX);
    /* Small integers are no numbers of usual size. */
    g_assert_cmpuint(vgsp_ulp_distance(5, 6), ==, UINT32_MAX);
}

typedef struct Nonsense {
    VgspRecordType type;
    uint32_t words[4] __attribute__((aligned(8)));
    unsigned size;
    const char *defect;
} Nonsense;

static void test_nonsense(void)
{
    static const Nonsense nonsense[] = {
        { VGSP_RECORD_MEMORY_DEL, { 1 }, 8, "no such memory object" },
        { VGSP_RECORD_MEMORY_ADD, { 1, 0, 0, 1 }, 16,
          "more memory than permitted" },
        { VGSP_RECORD_MEMORY_ADD, { 1, 0, 100 }, 16,
          "a memory object of impossible size, or twice" },
        { VGSP_RECORD_SPACE_DEL, { 1 }, 8,
          "a space that is not there or in use" },
        { VGSP_RECORD_CONTEXT_NEW, { 1, 9 }, 8,
          "the executor refuses a context" },
        { VGSP_RECORD_CONTEXT_DEL, { 1 }, 8, "no such context" },
        { VGSP_RECORD_SECTION, { 1, 0, 1 }, 16, "a section of no context" },
    };
    const VgspPlayerConfig config = {
        .executor = &vgsp_replay_model, .threads = 1, .timeout_s = 1, .memory_max = 1 << 20,
        .ops = &ops,
    };

    for (unsigned i = 0; i < G_N_ELEMENTS(nonsense); i++) {
        const Nonsense *n = &nonsense[i];
        VgspPlayer *player = vgsp_player_new(&config, NULL);
        const VgspRecord rec = {
            .type = n->type, .id = (const void *)n->words,
            .words = n->words + n->size / 4,
        };
        const char *defect = NULL;

        g_assert_false(vgsp_player_apply(player, NULL, &rec, &defect));
        g_assert_cmpstr(defect, ==, n->defect);
        vgsp_player_free(player);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/replay/agrees", test_agrees);
    g_test_add_func("/replay/differs", test_differs);
    g_test_add_func("/replay/timestamp", test_timestamp);
    g_test_add_func("/replay/fault", test_fault);
    g_test_add_func("/replay/not-run", test_not_run);
    g_test_add_func("/replay/copy", test_copy);
    g_test_add_func("/replay/compare", test_compare);
    g_test_add_func("/replay/protect", test_protect);
    g_test_add_func("/replay/late-fault", test_late_fault);
    g_test_add_func("/replay/untouched", test_untouched);
    g_test_add_func("/replay/copy-budget", test_copy_budget);
    g_test_add_func("/replay/ulp", test_ulp);
    g_test_add_func("/replay/nonsense", test_nonsense);
    return g_test_run();
}
