/*
 * Translates the sections of recordings for GH100, without any chip: what
 * cannot be translated is said, with the section.
 *
 * usage: translate-recording [-p] [-i BEFORE AFTER] RECORDING...
 *        -p        print the methods of translated sections
 *        -i        append the instructions of all programs to two files
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "replay/player.h"
#include "translate/sm90.h"
#include "translate/translate-int.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/hopper.h"
#include "vgsp/nv/method-names.h"

#define MEMORY_MAX (UINT64_C(1) << 40)

typedef struct Space Space;
typedef struct Run {
    VgspPlayer *player;
    GHashTable *spaces, *contexts; /* by id: Space, VgspTranslate */
    bool print;
    bool copy;                  /* the record is the copy engine's */
    FILE *before, *after;
    unsigned sections, waits, failures, shadows;
} Run;

struct Space {
    Run *run;
    uint32_t id;
    VgspCode *code;
    GArray *reserved;           /* void * */
    uint64_t next;
    uint8_t page[PAGE_SIZE];
};

static const uint32_t classes[VGSP_SECTION_SUBCHANNELS] = {
    TURING_A, TURING_COMPUTE_A, KEPLER_INLINE_TO_MEMORY_B, FERMI_TWOD_A,
};

static const void *read_page(void *opaque, uint64_t va)
{
    Space *s = opaque;

    return vgsp_player_read(s->run->player, s->id, va, s->page, PAGE_SIZE) ==
           PAGE_SIZE ? s->page : NULL;
}

static int shadow(void *opaque, uint64_t va, const void *page)
{
    Space *s = opaque;

    (void)va;
    s->run->shadows += page != NULL;
    return 0;
}

static int reserve(void *opaque, uint64_t size, bool cpu, uint64_t *va,
                   void **host)
{
    Space *s = opaque;

    *va = s->next;
    s->next += size;
    *host = NULL;
    if (cpu) {
        *host = g_malloc0(size);
        g_array_append_val(s->reserved, *host);
    }
    return 0;
}

static const VgspTranslateOps ops = { read_page, shadow, reserve };

static void print_methods(const uint32_t *words, uint32_t count)
{
    VgspPushbuf pb;
    uint32_t pos = 0;

    vgsp_pb_init(&pb);
    for (;;) {
        VgspPbRun run;
        size_t used;

        if (vgsp_pb_next(&pb, words + pos, count - pos, &used, &run) !=
            VGSP_PB_METHODS) {
            return;
        }
        for (uint32_t i = 0; i < run.count; i++) {
            uint32_t m = vgsp_pb_run_method(&run, i) * 4;
            const char *name = vgsp_method_name(classes[run.subchannel], m);

            printf("  %u %04x %08x %s\n", run.subchannel, m, run.data[i],
                   name ? name : "-");
        }
        pos += (uint32_t)used;
        pos += (uint32_t)vgsp_pb_advance(&pb, run.count);
    }
}

static Space *space_of(Run *run, uint32_t id)
{
    Space *s = g_hash_table_lookup(run->spaces, GUINT_TO_POINTER(id));

    if (!s) {
        VgspTranslateConfig config = {
            .profile = &vgsp_profile_gh100, .sm_count = 132, .ops = &ops,
        };

        s = g_new0(Space, 1);
        s->run = run;
        s->id = id;
        s->next = UINT64_C(0xe) << 36;
        s->reserved = g_array_new(false, false, sizeof(void *));
        config.opaque = s;
        s->code = vgsp_code_new(&config);
        g_hash_table_insert(run->spaces, GUINT_TO_POINTER(id), s);
    }
    return s;
}

static void section(void *opaque, VgspPlayer *player, uint32_t space,
                    const VgspRecordSection *sec, const uint32_t *words)
{
    Run *run = opaque;
    Space *s = space_of(run, space);
    VgspTranslate *t = g_hash_table_lookup(run->contexts,
                                           GUINT_TO_POINTER(sec->context));
    GArray *out = g_array_new(false, false, 4);
    struct vgsp_owner_fault fault = { 0 };
    const char *why = NULL;
    uint32_t pos = 0;
    int ret;

    if (run->copy) {
        g_array_free(out, true);
        return;                 /* of another class, and not ours */
    }
    run->player = player;
    if (!t) {
        t = vgsp_translate_new(s->code);
        g_hash_table_insert(run->contexts, GUINT_TO_POINTER(sec->context), t);
    }
    run->sections++;
    do {
        ret = vgsp_translate_section(t, words, sec->count, &pos, out, &fault,
                                     &why);
        run->waits += ret == VGSP_TRANSLATE_WAIT;
        if (run->print && ret == VGSP_TRANSLATE_WAIT) {
            printf("  wait at %u of %u\n", pos, sec->count);
        }
    } while (ret == VGSP_TRANSLATE_WAIT);
    if (run->print) {
        printf("section %" PRIu64 ": %u words, %u translated\n", sec->seq,
               sec->count, out->len);
        print_methods((const uint32_t *)out->data, out->len);
    }
    if (ret) {
        run->failures++;
        printf("section %" PRIu64 ": %s; method %05x data %08x pc %" PRIx64
               " insn %016" PRIx64 "%016" PRIx64 "\n", (uint64_t)sec->seq, why,
               fault.method, fault.data, (uint64_t)fault.pc,
               (uint64_t)fault.insn[1], (uint64_t)fault.insn[0]);
    }
    g_array_free(out, true);
}

static void dump(void *opaque, uint64_t pc, const uint8_t before[16],
                 const uint8_t after[16])
{
    Run *run = opaque;
    Sm90Insn i;

    (void)pc;
    memcpy(&i, before, sizeof(i));
    if (sm90_descriptor(&i) >= 0) {
        return;                 /* a branch to several instructions */
    }
    fwrite(before, 16, 1, run->before);
    fwrite(after, 16, 1, run->after);
}

/* Before programs are forgotten. */
static void dump_all(Run *run, Space *s)
{
    if (run->before) {
        vgsp_code_each(s->code, dump, run);
    }
}

static void space_free(Run *run, Space *s)
{
    dump_all(run, s);
    vgsp_code_free(s->code);
    for (guint i = 0; i < s->reserved->len; i++) {
        g_free(g_array_index(s->reserved, void *, i));
    }
    g_array_free(s->reserved, true);
    g_free(s);
}

/* Spaces and contexts are forgotten with those of the recording. */
static void forget(Run *run, const VgspRecord *r)
{
    void *value;

    if (r->type == VGSP_RECORD_CONTEXT_DEL &&
        g_hash_table_steal_extended(run->contexts, GUINT_TO_POINTER(r->id->id),
                                    NULL, &value)) {
        vgsp_translate_free(value);
    }
    if (r->type == VGSP_RECORD_SPACE_DEL &&
        g_hash_table_steal_extended(run->spaces, GUINT_TO_POINTER(r->id->id),
                                    NULL, &value)) {
        space_free(run, value);
    }
}

static void changed(Run *run, const VgspRecord *r)
{
    const VgspRecordMap *map = r->map;
    const struct vgsp_owner_map_op *op = (const void *)(map + 1);
    Space *s = g_hash_table_lookup(run->spaces, GUINT_TO_POINTER(map->space));

    if (s) {
        dump_all(run, s);
    }
    for (uint32_t i = 0; s && i < map->count; i++) {
        vgsp_code_changed(s->code, op[i].va, op[i].size);
    }
}

static bool play(Run *run, const char *path)
{
    static const VgspPlayerOps player_ops = { .section = section };
    VgspPlayerConfig config = {
        .memory_max = MEMORY_MAX, .ops = &player_ops, .opaque = run,
    };
    GError *error = NULL;
    VgspRecordingReader *reader = NULL;
    const char *defect = NULL;
    char *data, *unused;
    gsize size;
    GHashTableIter iter;
    VgspRecord record;
    void *value;

    if (!g_file_get_contents(path, &data, &size, &error)) {
        fprintf(stderr, "%s\n", error->message);
        g_error_free(error);
        return false;
    }
    reader = vgsp_recording_open(data, size, &error);
    if (!reader) {
        fprintf(stderr, "%s: %s\n", path, error->message);
        g_error_free(error);
        g_free(data);
        return false;
    }
    run->player = vgsp_player_new(&config, &unused);
    run->spaces = g_hash_table_new(NULL, NULL);
    run->contexts = g_hash_table_new(NULL, NULL);
    while (!defect && vgsp_recording_next(reader, &record)) {
        run->copy = record.type == VGSP_RECORD_COPY;
        if (!vgsp_player_apply(run->player, reader, &record, &defect)) {
            break;
        }
        forget(run, &record);
        if (record.type == VGSP_RECORD_MAP) {
            changed(run, &record);
        }
    }
    g_hash_table_iter_init(&iter, run->contexts);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        vgsp_translate_free(value);
    }
    g_hash_table_iter_init(&iter, run->spaces);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        space_free(run, value);
    }
    g_hash_table_destroy(run->contexts);
    g_hash_table_destroy(run->spaces);
    vgsp_player_free(run->player);
    defect = defect ? defect : vgsp_recording_defect(reader);
    vgsp_recording_free(reader);
    g_free(data);
    if (defect) {
        fprintf(stderr, "%s: %s\n", path, defect);
    }
    return !defect;
}

int main(int argc, char **argv)
{
    Run run = { 0 };
    bool ok = true;
    int i = 1;

    for (; i < argc && argv[i][0] == '-'; i++) {
        if (argv[i][1] == 'p') {
            run.print = true;
        } else if (argv[i][1] == 'i' && i + 2 < argc) {
            run.before = fopen(argv[++i], "ab");
            run.after = fopen(argv[++i], "ab");
            if (!run.before || !run.after) {
                perror(argv[i]);
                return 2;
            }
        }
    }
    for (; i < argc; i++) {
        unsigned failures = run.failures;

        run.sections = run.waits = run.shadows = 0;
        ok &= play(&run, argv[i]);
        printf("%s: %u sections, %u cannot be translated, %u waits, "
               "%u shadow pages\n", argv[i], run.sections,
               run.failures - failures, run.waits, run.shadows);
    }
    return ok && !run.failures ? 0 : 1;
}
