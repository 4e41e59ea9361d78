/*
 * vgsp-replay: runs a recording on an executor and says where the memory
 * afterwards is not what was recorded, or not what the model makes of it.
 * docs/recording.md.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/sm75.h"
#include "replay/bounds.h"
#include "replay/player.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/host.h"
#include "vgsp/nv/method-names.h"
#include "vgsp/pushbuf.h"

#define EXIT_DIFFERS    1
#define EXIT_UNUSABLE   2

#define MEMORY_MAX      (UINT64_C(1) << 36)
/* Where no EXIT ends a program: as many instructions are printed. */
#define DISASM_MAX      16384
#define INSN_SIZE       16
#define QMD_SIZE        256
/* QMDV02_02 and V02_03: PROGRAM_ADDRESS_LOWER, _UPPER. */
#define QMD_PROGRAM_LO  (1536 / 8)
#define QMD_PROGRAM_HI  (1568 / 8)
#define QMD_PROGRAM_HI_MASK VGSP_BITS(16, 0)

static gboolean opt_methods, opt_disasm, opt_dry, opt_quiet;
static gboolean opt_compare;
static gint opt_threads, opt_timeout = 60, opt_max = 16, opt_repeat = 1;
static gint opt_ulp = -1;
static gchar *opt_executor;

static const GOptionEntry options[] = {
    { "executor", 'e', 0, G_OPTION_ARG_STRING, &opt_executor,
      "Run it on this: model (the default), rm:/dev/nvidia0", "NAME" },
    { "compare", 'c', 0, G_OPTION_ARG_NONE, &opt_compare,
      "Run it on the model too, and compare with that", NULL },
    { "ulp", 0, 0, G_OPTION_ARG_INT, &opt_ulp,
      "Words that are floats so many units apart count as close (those that "
      "are stated for the recording, or 0)", "N" },
    { "methods", 'm', 0, G_OPTION_ARG_NONE, &opt_methods,
      "Print the methods of each section", NULL },
    { "disasm", 'd', 0, G_OPTION_ARG_NONE, &opt_disasm,
      "Print the programs that are launched", NULL },
    { "dry-run", 'n', 0, G_OPTION_ARG_NONE, &opt_dry,
      "Run nothing", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &opt_quiet,
      "Print only the summary", NULL },
    { "threads", 't', 0, G_OPTION_ARG_INT, &opt_threads,
      "Threads of the model", "N" },
    { "timeout", 0, 0, G_OPTION_ARG_INT, &opt_timeout,
      "Give a section up after this time (60)", "SECONDS" },
    { "max-differences", 0, 0, G_OPTION_ARG_INT, &opt_max,
      "Print at most this many words a section (16)", "N" },
    { "repeat", 0, 0, G_OPTION_ARG_INT, &opt_repeat,
      "Play the recording so many times", "N" },
    { 0 },
};

typedef struct Totals {
    uint64_t sections, agree, differ, not_compared, differences, close;
    uint64_t recorded_ns, replayed_ns;
    uint32_t printed;           /* differences of this section ... */
    uint64_t section_far;       /* ... which has so many of them */
    uint64_t section_close;     /* ... that were within a bound */
    VgspBounds bounds;          /* where there is no --ulp */
    const char *names[2];       /* of the sides of a difference */
    /* The first word that differs: in that section of this play. */
    uint64_t played, first_section, first_offset;
    uint32_t first_memory;
    VgspPlayer *model;          /* of --compare, and its last section */
    VgspPlayerResult model_last;
    uint32_t cls[8];
    GHashTable *programs;       /* addresses already printed */
} Totals;

/* ---- Sections ---- */

static void print_program(VgspPlayer *p, Totals *t, uint32_t space,
                          uint64_t qmd)
{
    uint8_t q[QMD_SIZE];
    uint64_t pc;
    g_autoptr(GString) text = g_string_new(NULL);

    if (vgsp_player_read(p, space, qmd, q, sizeof(q)) != sizeof(q)) {
        printf("  launch descriptor 0x%" PRIx64 ": not mapped\n", qmd);
        return;
    }
    pc = vgsp_le32(q + QMD_PROGRAM_LO) |
         (vgsp_le32(q + QMD_PROGRAM_HI) & QMD_PROGRAM_HI_MASK) << 32;
    printf("  launch descriptor 0x%" PRIx64 ": program 0x%" PRIx64 "\n", qmd,
           pc);
    if (!g_hash_table_add(t->programs, g_memdup2(&pc, sizeof(pc)))) {
        return;
    }
    for (unsigned i = 0; i < DISASM_MAX; i++, pc += INSN_SIZE) {
        uint64_t w[2];
        Sm75Insn insn;
        bool known;

        if (vgsp_player_read(p, space, pc, w, sizeof(w)) != sizeof(w) ||
            (!w[0] && !w[1])) {
            break;
        }
        g_string_truncate(text, 0);
        known = sm75_decode(w[0], w[1], &insn);
        if (known) {
            sm75_print(&insn, pc, text);
        }
        printf("    /*%05x*/ %-60s /* %016" PRIx64 " %016" PRIx64 " */\n",
               i * INSN_SIZE, known ? text->str : "???", w[1], w[0]);
    }
}

static void print_method(uint32_t cls, unsigned subchannel, uint32_t method,
                         uint32_t data)
{
    const char *name = method == NVC46F_SET_OBJECT
                           ? "SET_OBJECT" : vgsp_method_name(cls, method);
    int index = method == NVC46F_SET_OBJECT ? -1
                                            : vgsp_method_index(cls, method);

    printf("    %u %04x.%04x %08x  %s", subchannel, cls, method, data,
           name ? name : "?");
    if (index >= 0) {
        printf("(%d)", index);
    }
    putchar('\n');
}

static void print_words(VgspPlayer *p, Totals *t, uint32_t space,
                        const uint32_t *words, size_t count)
{
    uint64_t qmd = 0;
    VgspPushbuf pb;
    VgspPbRun run;
    size_t used;

    vgsp_pb_init(&pb);
    while (vgsp_pb_next(&pb, words, count, &used, &run) == VGSP_PB_METHODS) {
        words += used;
        count -= used;
        for (uint32_t i = 0; i < run.count; i++) {
            uint32_t method = vgsp_pb_run_method(&run, i) * 4;
            uint32_t *cls = &t->cls[run.subchannel % 8];

            if (method == NVC46F_SET_OBJECT) {
                *cls = VGSP_GET(NVC46F_SET_OBJECT_NVCLASS, run.data[i]);
            }
            if (opt_methods) {
                print_method(*cls, run.subchannel, method, run.data[i]);
            }
            if (*cls != TURING_COMPUTE_A || !opt_disasm) {
                continue;
            }
            if (method == NVC5C0_SEND_PCAS_A) {
                qmd = (uint64_t)run.data[i] << 8;
            } else if (method == NVC5C0_SEND_SIGNALING_PCAS_B) {
                print_program(p, t, space, qmd);
            }
        }
        used = vgsp_pb_advance(&pb, run.count);
        words += used;
        count -= used;
    }
}

static void on_section(void *opaque, VgspPlayer *p, uint32_t space,
                       const VgspRecordSection *s, const uint32_t *words)
{
    Totals *t = opaque;

    t->printed = 0;
    t->section_close = t->section_far = 0;
    t->bounds.close = 0;
    t->played++;
    if (opt_quiet) {
        return;
    }
    printf("section %" PRIu64 " of context %u: %u words\n", s->seq,
           s->context, s->count);
    if (opt_methods || opt_disasm) {
        print_words(p, t, space, words, s->count);
    }
}

static void on_fault(void *opaque, const struct vgsp_owner_fault *f)
{
    (void)opaque;
    printf("  fault: kind %u, type 0x%x", f->kind, f->type);
    if (f->valid & VGSP_OWNER_FAULT_HAS_ADDRESS) {
        printf(", address 0x%" PRIx64, (uint64_t)f->address);
    }
    if (f->valid & VGSP_OWNER_FAULT_HAS_METHOD) {
        printf(", method 0x%x of subchannel %u, data 0x%x", f->method & 0xffff,
               f->method >> 16, f->data);
    }
    if (f->valid & VGSP_OWNER_FAULT_HAS_PC) {
        printf(", pc 0x%" PRIx64 ": %016" PRIx64 " %016" PRIx64,
               (uint64_t)f->pc, (uint64_t)f->insn[1], (uint64_t)f->insn[0]);
    }
    putchar('\n');
}

static void on_copy_failed(void *opaque, const char *why)
{
    (void)opaque;
    printf("  copy: %s\n", why);
}

static void on_difference(void *opaque, uint32_t memory, uint64_t offset,
                          uint32_t a, uint32_t b)
{
    Totals *t = opaque;
    uint32_t ulp = vgsp_ulp_distance(a, b);

    if (opt_ulp < 0) {
        unsigned far = vgsp_bounds_word(&t->bounds, memory, offset, a, b);

        if (!far) {
            return;
        }
        t->section_far += far;
    } else if (ulp <= (uint32_t)opt_ulp) {
        t->section_close++;
        return;
    } else {
        t->section_far++;
    }
    if (!t->first_section) {
        t->first_section = t->played;
        t->first_memory = memory;
        t->first_offset = offset;
    }
    if (t->printed++ < (uint32_t)opt_max && !opt_quiet) {
        printf("  memory %u + 0x%" PRIx64 ": %s %08x, %s %08x", memory,
               offset, t->names[0], a, t->names[1], b);
        if (ulp != UINT32_MAX) {
            printf(" (%u ulp)", ulp);
        }
        putchar('\n');
    }
}

static void on_word(void *opaque, uint32_t memory, uint64_t offset,
                    uint32_t played, uint32_t model)
{
    on_difference(opaque, memory, offset, model, played);
}

/* The section has run here; where --compare was given, on the model too. */
static void on_ended(void *opaque, VgspPlayer *p, uint32_t space,
                     const VgspPlayerResult *played)
{
    static const char *const outcomes[] = { "retired", "fault", "not run" };
    Totals *t = opaque;
    VgspPlayerResult result = *played, *r = &result;
    bool agrees;

    if (t->model) {
        const VgspPlayerResult last[2] = { *r, t->model_last };

        r->recorded = t->model_last.replayed;
        r->recorded_ns = t->model_last.replayed_ns;
        r->compared = r->recorded == VGSP_OUTCOME_RETIRED &&
                      r->replayed == VGSP_OUTCOME_RETIRED;
        if (r->compared) {
            vgsp_player_compare(p, t->model, space, last, &r->timestamps,
                                on_word, t);
        }
    }
    if (opt_ulp < 0) {
        t->section_far += vgsp_bounds_end(&t->bounds);
        t->section_close = t->bounds.close;
    }
    r->differences = t->section_far;
    agrees = r->recorded == r->replayed && (!r->compared || !r->differences);

    t->sections++;
    t->recorded_ns += r->recorded_ns;
    t->replayed_ns += r->replayed_ns;
    t->differences += r->compared ? r->differences : 0;
    t->close += t->section_close;
    if (r->recorded == VGSP_OUTCOME_NOT_RUN || opt_dry) {
        t->not_compared++;
    } else if (agrees) {
        t->agree++;
    } else {
        t->differ++;
    }
    if (!opt_quiet) {
        printf("  %s: %s, %.3f ms; %s: %s, %.3f ms; %" PRIu64
               " words differ", t->names[0], outcomes[r->recorded],
               r->recorded_ns / 1e6, t->names[1], outcomes[r->replayed],
               r->replayed_ns / 1e6, r->compared ? r->differences : 0);
        if (t->section_close) {
            printf(", %" PRIu64 " within their bounds", t->section_close);
        }
        if (r->timestamps) {
            printf(", %" PRIu64 " tell another time", r->timestamps);
        }
        putchar('\n');
    }
}

static const VgspPlayerOps player_ops = {
    .section = on_section,
    .fault = on_fault,
    .copy_failed = on_copy_failed,
    .difference = on_difference,
    .ended = on_ended,
};

/* The model beside another executor: its end of the section is kept. */
static void on_model_ended(void *opaque, VgspPlayer *p, uint32_t space,
                           const VgspPlayerResult *r)
{
    (void)p;
    (void)space;
    ((Totals *)opaque)->model_last = *r;
}

static const VgspPlayerOps model_ops = {
    .fault = on_fault,
    .copy_failed = on_copy_failed,
    .ended = on_model_ended,
};

/* ---- The file ---- */

static bool apply(VgspPlayer *player, Totals *t,
                  const VgspRecordingReader *reader, const VgspRecord *record,
                  const char **defect)
{
    /* The model first: the end of the other's section compares. */
    return (!t->model ||
            vgsp_player_apply(t->model, reader, record, defect)) &&
           vgsp_player_apply(player, reader, record, defect);
}

static const char *play_with(VgspPlayer *player, Totals *t,
                             VgspRecordingReader *reader)
{
    const char *defect = NULL;
    VgspRecord record;

    while (vgsp_recording_next(reader, &record)) {
        if (!apply(player, t, reader, &record, &defect)) {
            return defect;
        }
    }
    return vgsp_recording_defect(reader);
}

/* What wrote the first word that differs: the model, told to fault there. */

static void on_store(void *opaque, const struct vgsp_owner_fault *f)
{
    const Totals *t = opaque;
    g_autoptr(GString) text = g_string_new(NULL);
    Sm75Insn insn;

    printf("the first difference is in section %" PRIu64 " of the file, "
           "memory %u + 0x%" PRIx64 "; what the model first writes to this "
           "page is", t->first_section, t->first_memory, t->first_offset);
    if (f->valid & VGSP_OWNER_FAULT_HAS_ADDRESS) {
        printf(" 0x%" PRIx64, (uint64_t)f->address);
    }
    if (f->valid & VGSP_OWNER_FAULT_HAS_PC) {
        if (sm75_decode(f->insn[0], f->insn[1], &insn)) {
            sm75_print(&insn, f->pc, text);
        }
        printf(", by %s at 0x%" PRIx64, text->str, (uint64_t)f->pc);
    }
    if (f->valid & VGSP_OWNER_FAULT_HAS_METHOD) {
        printf(", of method 0x%x of subchannel %u", f->method & 0xffff,
               f->method >> 16);
    }
    putchar('\n');
}

static void locate(const void *data, size_t size, const Totals *t)
{
    static const VgspPlayerOps ops = { .fault = on_store };
    const VgspPlayerConfig config = {
        .executor = &vgsp_replay_model,
        .threads = opt_threads,
        .timeout_s = opt_timeout,
        .memory_max = MEMORY_MAX,
        .ops = &ops,
        .opaque = (void *)t,
    };
    VgspRecordingReader *reader = vgsp_recording_open(data, size, NULL);
    g_autofree char *why = NULL;
    VgspPlayer *player = vgsp_player_new(&config, &why);
    uint64_t sections = 0;
    const char *defect;
    VgspRecord record;

    while (player && sections < t->first_section &&
           vgsp_recording_next(reader, &record)) {
        if ((record.type == VGSP_RECORD_SECTION ||
             record.type == VGSP_RECORD_COPY) &&
            ++sections == t->first_section) {
            vgsp_player_protect(player, record.section->context,
                                t->first_memory, t->first_offset);
        }
        if (!vgsp_player_apply(player, reader, &record, &defect)) {
            break;
        }
    }
    if (player) {
        vgsp_player_free(player);
    }
    vgsp_recording_free(reader);
}

static int play(const char *path, const void *data, size_t size, Totals *t)
{
    const char *arg = NULL;
    VgspPlayerConfig config = {
        .executor = opt_dry ? NULL : vgsp_replay_executor(opt_executor, &arg),
        .keep = opt_compare,
        .threads = opt_threads,
        .timeout_s = opt_timeout,
        .memory_max = MEMORY_MAX,
        .ops = &player_ops,
        .opaque = t,
    };
    g_autoptr(GError) error = NULL;
    g_autofree char *why = NULL;
    VgspRecordingReader *reader = vgsp_recording_open(data, size, &error);
    VgspPlayer *player;
    const char *defect;

    if (!reader) {
        fprintf(stderr, "vgsp-replay: %s: %s\n", path, error->message);
        return EXIT_UNUSABLE;
    }
    config.arg = arg;
    player = vgsp_player_new(&config, &why);
    if (player && opt_compare) {
        config.executor = &vgsp_replay_model;
        config.arg = NULL;
        config.ops = &model_ops;
        t->model = vgsp_player_new(&config, &why);
    }
    if (!player || (opt_compare && !t->model)) {
        fprintf(stderr, "vgsp-replay: %s\n", why);
        if (player) {
            vgsp_player_free(player);
        }
        vgsp_recording_free(reader);
        return EXIT_UNUSABLE;
    }
    if (!opt_quiet) {
        printf("recorded by %s: %s; replayed by: %s\n",
               vgsp_recording_header(reader)->executor,
               vgsp_recording_header(reader)->chip,
               vgsp_player_chip(player));
    }
    vgsp_bounds_begin(&t->bounds, path);
    defect = play_with(player, t, reader);
    if (defect) {
        fprintf(stderr, "vgsp-replay: %s: %s\n", path, defect);
    }
    vgsp_player_free(player);
    if (t->model) {
        vgsp_player_free(t->model);
        t->model = NULL;
    }
    if (t->first_section && !opt_quiet) {
        locate(data, size, t);
    }
    t->played = t->first_section = 0;
    vgsp_recording_free(reader);
    return defect ? EXIT_UNUSABLE : 0;
}

int main(int argc, char **argv)
{
    g_autoptr(GOptionContext) context =
        g_option_context_new("FILE - replay a recording");
    g_autoptr(GError) error = NULL;
    g_autoptr(GMappedFile) file = NULL;
    Totals t = {
        .programs = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                          NULL),
    };
    const char *arg;
    int status = 0;

    g_option_context_set_summary(
        context, "Exit status: 0 all sections agree, 1 some differ, 2 the "
        "file is unusable.");
    g_option_context_add_main_entries(context, options, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error)) {
        fprintf(stderr, "vgsp-replay: %s\n", error->message);
        return EXIT_UNUSABLE;
    }
    if (!opt_executor) {
        opt_executor = g_strdup("model");
    }
    t.names[0] = opt_compare ? "model" : "recorded";
    t.names[1] = opt_compare ? opt_executor : "replayed";
    if (!vgsp_replay_executor(opt_executor, &arg) ||
        (opt_compare && opt_dry)) {
        fprintf(stderr, "vgsp-replay: no executor %s to run it on\n",
                opt_executor);
        return EXIT_UNUSABLE;
    }
    if (argc != 2) {
        fprintf(stderr, "usage: vgsp-replay [OPTION...] FILE\n");
        return EXIT_UNUSABLE;
    }
    file = g_mapped_file_new(argv[1], FALSE, &error);
    if (!file) {
        fprintf(stderr, "vgsp-replay: %s\n", error->message);
        return EXIT_UNUSABLE;
    }
    for (int i = 0; i < opt_repeat && !status; i++) {
        status = play(argv[1], g_mapped_file_get_contents(file),
                      g_mapped_file_get_length(file), &t);
    }
    printf("%" PRIu64 " sections: %" PRIu64 " agree, %" PRIu64 " differ, %"
           PRIu64 " not compared; %" PRIu64 " words differ; %s %.3f ms,"
           " %s %.3f ms\n", t.sections, t.agree, t.differ, t.not_compared,
           t.differences, t.names[0], t.recorded_ns / 1e6, t.names[1],
           t.replayed_ns / 1e6);
    if (t.close) {
        printf("%" PRIu64 " words within their bounds\n", t.close);
    }
    g_hash_table_destroy(t.programs);
    return status ? status : t.differ ? EXIT_DIFFERS : 0;
}
