/*
 * Groups "compute" and "graphics": recordings are played on the executor.
 * Those of the compute suite were executed by the model when they were made,
 * and all memory after each section is held against that. Those of graphics
 * programs were executed by nothing; the images that they leave are held
 * against lavapipe's.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gfx/image.h"
#include "replay/bounds.h"
#include "replay/player.h"
#include "silicon.h"

#define MEMORY_MAX      (UINT64_C(1) << 36)
#define SHOWN_MAX       6       /* differences, of a recording */
/* Pixels that must be within their bound, of all: 0.999, and with edges. */
#define PIXELS_SHARE    0.999
#define EDGES_SHARE     0.98

typedef struct Play {
    Silicon *s;
    unsigned sections, differ, faults, not_run, copies;
    uint64_t words;             /* that differ */
    uint64_t ns;                /* of all sections */
    unsigned shown;
    VgspBounds bounds;
    uint64_t section_words;
    bool first;                 /* the first fault has been noted */
    GHashTable *images;         /* key -> GfxImage with its texels */
} Play;

/* ---- Images ---- */

static char *image_key(const GfxImage *i)
{
    return g_strdup_printf("%.*s/%u", (int)sizeof(i->name), i->name,
                           i->frame);
}

static uint64_t image_size(const GfxImage *i)
{
    return (uint64_t)i->width * i->height * 4;
}

/* Copies the images that begin in pages of memory. */
static void find_images(GHashTable *images, const uint8_t *mem, uint64_t size)
{
    for (uint64_t at = 0; at + GFX_IMAGE_PAGE <= size; at += GFX_IMAGE_PAGE) {
        const GfxImage *i = (const GfxImage *)(mem + at);

        if (!memcmp(i->magic, GFX_IMAGE_MAGIC, sizeof(i->magic)) &&
            i->width <= 4096 && i->height <= 4096 &&
            image_size(i) <= size - at - GFX_IMAGE_PAGE) {
            g_hash_table_replace(images, image_key(i), g_memdup2(
                i, GFX_IMAGE_PAGE + image_size(i)));
        }
    }
}

typedef struct Match {
    uint64_t pixels, equal, within;
    unsigned worst, frames, missing, black, same;
} Match;

static void compare_pixels(const GfxImage *a, const GfxImage *b, Match *m)
{
    const uint8_t *p = (const uint8_t *)a + GFX_IMAGE_PAGE;
    const uint8_t *q = (const uint8_t *)b + GFX_IMAGE_PAGE;

    for (uint64_t i = 0; i < image_size(a); i += 4) {
        unsigned most = 0;

        for (unsigned c = 0; c < 4; c++) {
            unsigned d = abs(p[i + c] - q[i + c]);

            most = MAX(most, d);
        }
        m->pixels++;
        m->equal += !most;
        m->within += most <= a->bound;
        m->worst = MAX(m->worst, most);
    }
}

static bool compare_words(const GfxImage *a, const GfxImage *b, char **text)
{
    const uint64_t *p = (const uint64_t *)((const uint8_t *)a +
                                           GFX_IMAGE_PAGE);
    const uint64_t *q = (const uint64_t *)((const uint8_t *)b +
                                           GFX_IMAGE_PAGE);
    g_autoptr(GString) t = g_string_new(NULL);
    bool ok = true;

    for (uint64_t i = 0; i < image_size(a) / 8; i++) {
        uint64_t far = MAX(p[i], q[i]) - MIN(p[i], q[i]);

        g_string_append_printf(t, " %" PRIu64, p[i]);
        switch (a->rule) {
        case GFX_RISING:
            ok &= p[i] && (!i || p[i] >= p[i - 1]);
            break;
        case GFX_NEAR:
            ok &= far <= MAX(16, q[i] / 100);
            break;
        default:
            ok &= !far;
        }
        if (far && a->rule != GFX_RISING) {
            g_string_append_printf(t, " (lavapipe: %" PRIu64 ")", q[i]);
        }
    }
    *text = g_string_free(g_steal_pointer(&t), FALSE);
    return ok;
}

/* Frames of an animation show something, and something else each. */
static void look_at_frame(GHashTable *images, const GfxImage *i, Match *m)
{
    const uint32_t *p = (const uint32_t *)((const uint8_t *)i +
                                           GFX_IMAGE_PAGE);
    GfxImage before = *i;
    g_autofree char *key = NULL;
    const uint8_t *last;
    bool plain = true;

    for (uint64_t n = 1; n < image_size(i) / 4; n++) {
        plain &= p[n] == p[0];
    }
    m->black += plain;
    if (!i->frame) {
        return;
    }
    before.frame--;
    key = image_key(&before);
    last = g_hash_table_lookup(images, key);
    m->same += last && !memcmp(last + GFX_IMAGE_PAGE, p, image_size(i));
}

static void keep_image(Play *p, const GfxImage *i, FILE *file)
{
    static const uint8_t zeros[GFX_IMAGE_PAGE];

    (void)p;
    fwrite(i, GFX_IMAGE_PAGE + image_size(i), 1, file);
    fwrite(zeros, -image_size(i) % GFX_IMAGE_PAGE, 1, file);
}

/* A result for each name among the images of a recording. */
static void judge_images(Play *p, const char *name, GHashTable *want)
{
    g_autoptr(GList) keys = g_list_sort(g_hash_table_get_keys(want),
                                        (GCompareFunc)g_strcmp0);
    g_autofree char *kept = p->s->keep ? g_strdup_printf(
        "%s/%s.img", p->s->keep, name) : NULL;
    FILE *file = kept ? fopen(kept, "w") : NULL;

    for (GList *k = keys; k;) {
        const GfxImage *first = g_hash_table_lookup(want, k->data);
        const char *end = strrchr(k->data, '/');
        size_t n = end - (const char *)k->data + 1;
        const char *prefix = k->data;
        g_autofree char *text = NULL;
        Match m = { 0 };
        bool ok = true;

        for (; k && !strncmp(k->data, prefix, n); k = k->next) {
            const GfxImage *w = g_hash_table_lookup(want, k->data);
            const GfxImage *g = g_hash_table_lookup(p->images, k->data);

            m.frames++;
            if (!g || g->width != w->width || g->height != w->height) {
                m.missing++;
                continue;
            }
            if (file) {
                keep_image(p, g, file);
            }
            if (w->rule == GFX_PIXELS || w->rule == GFX_EDGES) {
                compare_pixels(g, w, &m);
                look_at_frame(p->images, g, &m);
            } else {
                ok &= compare_words(g, w, &text);
            }
        }
        if (m.missing) {
            silicon_result(p->s, false, "graphics %s %s: %u images missing",
                           name, first->name, m.missing);
        } else if (text) {
            silicon_result(p->s, ok, "graphics %s %s:%s", name, first->name,
                           text);
        } else {
            double share = (double)m.within / m.pixels;

            ok = share >= (first->rule == GFX_EDGES ? EDGES_SHARE
                                                    : PIXELS_SHARE) &&
                 !m.black && !m.same;
            silicon_result(p->s, ok, "graphics %s %s: %u x %ux%u, %.3f %% "
                           "within %u of 255, %.3f %% equal, worst %u%s%s",
                           name, first->name, m.frames, first->width,
                           first->height, share * 100, first->bound,
                           100.0 * m.equal / m.pixels, m.worst,
                           m.black ? ", of one colour" : "",
                           m.same ? ", as the frame before" : "");
        }
    }
    if (file) {
        fclose(file);
    }
}

/* ---- Playing ---- */

static void on_section(void *opaque, VgspPlayer *player, uint32_t space,
                       const VgspRecordSection *section,
                       const uint32_t *words)
{
    Play *p = opaque;

    (void)player;
    (void)space;
    (void)section;
    (void)words;
    p->sections++;
    p->section_words = 0;
}

static void on_fault(void *opaque, const struct vgsp_owner_fault *f)
{
    Play *p = opaque;

    if (p->faults++) {
        return;
    }
    silicon_note("  section %" PRIu64 ": fault kind %u type 0x%x method "
                 "%u.%04x data 0x%x address 0x%" PRIx64 " pc 0x%" PRIx64
                 ": %016" PRIx64 " %016" PRIx64, (uint64_t)f->seq, f->kind,
                 f->type, f->method >> 16, f->method & 0xffff, f->data,
                 (uint64_t)f->address, (uint64_t)f->pc,
                 (uint64_t)f->insn[1], (uint64_t)f->insn[0]);
}

static void on_copy_failed(void *opaque, const char *why)
{
    (void)opaque;
    silicon_note("  copy: %s", why);
}

static void on_difference(void *opaque, uint32_t memory, uint64_t offset,
                          uint32_t recorded, uint32_t replayed)
{
    Play *p = opaque;
    unsigned far = vgsp_bounds_word(&p->bounds, memory, offset, recorded,
                                    replayed);

    p->section_words += far;
    if (far && p->shown++ < SHOWN_MAX) {
        silicon_note("  section %u: memory %u + 0x%" PRIx64 ": model %08x, "
                     "here %08x", p->sections, memory, offset, recorded,
                     replayed);
    }
}

static void on_ended(void *opaque, VgspPlayer *player, uint32_t space,
                     const VgspPlayerResult *r)
{
    Play *p = opaque;

    (void)player;
    (void)space;
    p->ns += r->replayed_ns;
    p->copies += r->copy;
    p->not_run += r->replayed == VGSP_OUTCOME_NOT_RUN;
    p->section_words += vgsp_bounds_end(&p->bounds);
    p->words += p->section_words;
    p->differ += p->section_words != 0;
}

static void on_gone(void *opaque, uint32_t memory, const uint8_t *host,
                    uint64_t size)
{
    (void)memory;
    find_images(((Play *)opaque)->images, host, size);
}

static const VgspPlayerOps player_ops = {
    .section = on_section,
    .fault = on_fault,
    .copy_failed = on_copy_failed,
    .difference = on_difference,
    .ended = on_ended,
    .gone = on_gone,
};

/* False: the file could not be played; it was said why. */
static bool play(Silicon *s, const char *path, bool keep, Play *p)
{
    VgspPlayerConfig config = {
        .executor = s->executor, .arg = s->arg, .keep = keep,
        .software_copies = s->software_copies,
        .timeout_s = s->timeout_s, .memory_max = MEMORY_MAX,
        .ops = &player_ops, .opaque = p,
    };
    g_autoptr(GError) error = NULL;
    g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, &error);
    g_autofree char *why = NULL;
    const char *defect = NULL;
    VgspRecordingReader *reader;
    VgspPlayer *player;
    VgspRecord record;

    if (!file) {
        silicon_note("  %s", error->message);
        return false;
    }
    reader = vgsp_recording_open(g_mapped_file_get_contents(file),
                                 g_mapped_file_get_length(file), &error);
    if (!reader) {
        silicon_note("  %s: %s", path, error->message);
        return false;
    }
    player = vgsp_player_new(&config, &why);
    if (player) {
        while (!defect && vgsp_recording_next(reader, &record)) {
            vgsp_player_apply(player, reader, &record, &defect);
        }
        if (!defect) {
            defect = vgsp_recording_defect(reader);
        }
        vgsp_player_free(player);
    }
    vgsp_recording_free(reader);
    s->faults += s->model ? 0 : p->faults;
    if (!player || defect) {
        silicon_note("  %s: %s", path, defect ? defect : why);
        return false;
    }
    return true;
}

/* Names of files of a kind, without their suffix, sorted. */
static GList *files(Silicon *s, const char *kind, const char *suffix)
{
    g_autofree char *path = g_build_filename(s->dir, kind, NULL);
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    GList *list = NULL;

    while (dir && (name = g_dir_read_name(dir))) {
        if (g_str_has_suffix(name, suffix)) {
            list = g_list_prepend(list, g_strndup(
                name, strlen(name) - strlen(suffix)));
        }
    }
    return g_list_sort(list, (GCompareFunc)g_strcmp0);
}

static char *file_of(Silicon *s, const char *kind, const char *name,
                     const char *suffix)
{
    g_autofree char *file = g_strconcat(name, suffix, NULL);

    return g_build_filename(s->dir, kind, file, NULL);
}

/*
 * Results that depend on the order in which threads come: so many words may
 * differ.
 */
static const struct {
    const char *name;
    unsigned words;
} unordered[] = {
    { "atomics32", 4 },         /* what the last exchange left */
    { "atomics64", 8 },
};

static unsigned may_differ(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(unordered); i++) {
        if (!strcmp(name, unordered[i].name)) {
            return unordered[i].words;
        }
    }
    return 0;
}

static void compute_one(Silicon *s, const char *name)
{
    g_autofree char *path = file_of(s, "compute", name, ".vgsp");
    g_autofree char *close = NULL;
    bool played;
    Play p = { .s = s, .images = g_hash_table_new_full(
        g_str_hash, g_str_equal, g_free, g_free) };

    vgsp_bounds_begin(&p.bounds, name);
    played = play(s, path, false, &p);
    if (p.bounds.close) {
        close = g_strdup_printf(", %" PRIu64 " more within their bounds",
                                p.bounds.close);
    }
    silicon_result(s, played && p.words <= may_differ(name) && !p.faults &&
                   !p.not_run,
                   "compute %s: %u sections, %u differ (%" PRIu64 " words%s),"
                   " %u faults, %u not run, %.2f ms", name, p.sections,
                   p.differ, p.words, close ? close : "", p.faults, p.not_run,
                   p.ns / 1e6);
    g_hash_table_destroy(p.images);
}

static void graphics_one(Silicon *s, const char *name)
{
    g_autofree char *path = file_of(s, "graphics", name, ".vgsp");
    g_autofree char *image = file_of(s, "graphics", name, ".img");
    GHashTable *want = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
                                             g_free);
    g_autoptr(GMappedFile) file = g_mapped_file_new(image, FALSE, NULL);
    Play p = { .s = s, .images = g_hash_table_new_full(
        g_str_hash, g_str_equal, g_free, g_free) };

    if (file) {
        find_images(want, (uint8_t *)g_mapped_file_get_contents(file),
                    g_mapped_file_get_length(file));
    }
    if (!play(s, path, true, &p) || !g_hash_table_size(want)) {
        silicon_result(s, false, "graphics %s: not played", name);
    } else if (s->model && p.faults) {
        silicon_skip(s, name, "the model does not draw; %u of %u sections "
                     "ran, %u of them copies", p.sections - p.not_run,
                     p.sections, p.copies);
    } else {
        silicon_result(s, !p.faults && !p.not_run, "graphics %s: %u sections,"
                       " %u faults, %u not run, %.2f ms", name, p.sections,
                       p.faults, p.not_run, p.ns / 1e6);
        judge_images(&p, name, want);
    }
    g_hash_table_destroy(p.images);
    g_hash_table_destroy(want);
}

static void each(Silicon *s, const char *kind,
                 void (*one)(Silicon *s, const char *name))
{
    GList *list = files(s, kind, ".vgsp");

    if (!list) {
        silicon_result(s, false, "%s: no recordings in %s", kind, s->dir);
    }
    for (GList *l = list; l; l = l->next) {
        if (silicon_wanted(s, l->data)) {
            one(s, l->data);
        }
    }
    g_list_free_full(list, g_free);
}

static void run_compute(Silicon *s)
{
    each(s, "compute", compute_one);
}

static void run_graphics(Silicon *s)
{
    each(s, "graphics", graphics_one);
}

const SiliconGroup silicon_compute = { "compute", run_compute, false };
const SiliconGroup silicon_graphics = { "graphics", run_graphics, false };
