/*
 * vgsp-silicon: runs the suite's groups on an executor and prints TAP.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "silicon.h"

/* Seconds until no more is begun, and from then until the process ends. */
#define LIMIT_S     180
#define GRACE_S     30

static const SiliconGroup *const groups[] = {
    &silicon_host, &silicon_semaphores, &silicon_upload, &silicon_copy,
    &silicon_macros, &silicon_twod, &silicon_clears, &silicon_depth,
    &silicon_compute, &silicon_graphics, &silicon_vectors, &silicon_mufu,
    &silicon_timing, &silicon_faults, &silicon_refused,
};

static void line(Silicon *s, const char *what, const char *fmt, va_list ap)
{
    g_autofree char *text = g_strdup_vprintf(fmt, ap);

    printf("%s %u - %s\n", what, ++s->count, text);
    fflush(stdout);
}

void silicon_result(Silicon *s, bool ok, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    line(s, ok ? "ok" : "not ok", fmt, ap);
    va_end(ap);
    s->failed += !ok;
}

void silicon_skip(Silicon *s, const char *name, const char *fmt, ...)
{
    g_autofree char *why = NULL;
    va_list ap;

    va_start(ap, fmt);
    why = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    printf("ok %u - %s # SKIP %s\n", ++s->count, name, why);
    fflush(stdout);
    s->skipped++;
}

void silicon_note(const char *fmt, ...)
{
    va_list ap;

    fputs("# ", stdout);
    va_start(ap, fmt);
    vprintf(fmt, ap);
    va_end(ap);
    putchar('\n');
}

bool silicon_wanted(Silicon *s, const char *name)
{
    if (s->match && !g_pattern_match_simple(s->match, name)) {
        return false;
    }
    if (s->faults >= SILICON_FAULTS_MAX) {
        silicon_skip(s, name, "%u channels have died before", s->faults);
        return false;
    }
    if (g_get_monotonic_time() > s->until) {
        silicon_skip(s, name, "its time is over");
        return false;
    }
    return true;
}

/* "GROUP", or "GROUP/PATTERN" of its tests. */
static bool selects(const char *only, const char *group, const char **match)
{
    size_t n = strlen(group);

    *match = NULL;
    if (!only) {
        return true;
    }
    if (strncmp(only, group, n) || (only[n] && only[n] != '/')) {
        return false;
    }
    if (only[n]) {
        *match = only + n + 1;
    }
    return true;
}

static void run_group(Silicon *s, const SiliconGroup *group,
                      gchar **only)
{
    static gchar *all[] = { NULL, NULL };
    gint64 start = g_get_monotonic_time();
    bool ran = false;

    if (group->asked && !only && !s->model) {
        return;
    }
    for (gchar **o = only ? only : all; o == all || *o; o++) {
        if (selects(*o, group->name, &s->match)) {
            if (!ran) {
                silicon_note("%s", group->name);
            }
            ran = true;
            group->run(s);
        }
        if (o == all) {
            break;
        }
    }
    if (ran) {
        silicon_note("%s: %.1f s", group->name,
                     (g_get_monotonic_time() - start) / 1e6);
    }
}

/* Says what the results are of; false: the executor cannot be opened. */
static bool introduce(Silicon *s)
{
    static const VgspReplayEvents events;
    VgspReplayConfig config = { .arg = s->arg, .events = &events };
    g_autofree char *why = NULL;
    void *ex = s->executor->open(&config, &why);

    if (!ex) {
        printf("Bail out! %s\n", why);
        return false;
    }
    silicon_note("on: %s", s->executor->chip(ex));
    s->executor->close(ex);
    return true;
}

int main(int argc, char **argv)
{
    g_auto(GStrv) only = NULL;
    g_autofree char *name = NULL, *dir = NULL, *keep = NULL;
    gboolean list = FALSE, software = FALSE;
    Silicon s = { .timeout_s = 10 };
    const GOptionEntry options[] = {
        { "executor", 'e', 0, G_OPTION_ARG_STRING, &name,
          "model, or rm:/dev/nvidia0 (the default)", "NAME" },
        { "only", 'o', 0, G_OPTION_ARG_STRING_ARRAY, &only,
          "This group alone, or those of its tests that match; again for "
          "more", "GROUP[/PATTERN]" },
        { "recordings", 'r', 0, G_OPTION_ARG_FILENAME, &dir,
          "Where they are (beside the program)", "DIRECTORY" },
        { "keep", 'k', 0, G_OPTION_ARG_FILENAME, &keep,
          "Write the images that were drawn", "DIRECTORY" },
        { "software-copies", 0, 0, G_OPTION_ARG_NONE, &software,
          "Recordings: copy in software", NULL },
        { "list", 'l', 0, G_OPTION_ARG_NONE, &list, "Name the groups", NULL },
        { 0 },
    };
    g_autoptr(GOptionContext) context =
        g_option_context_new("- hold silicon against what it must compute");
    g_autoptr(GError) error = NULL;
    g_autofree char *self = NULL;

    g_option_context_add_main_entries(context, options, NULL);
    if (!g_option_context_parse(context, &argc, &argv, &error) || argc != 1) {
        fprintf(stderr, "vgsp-silicon: %s\n",
                error ? error->message : "no arguments but options");
        return 2;
    }
    if (list) {
        for (size_t i = 0; i < G_N_ELEMENTS(groups); i++) {
            puts(groups[i]->name);
        }
        return 0;
    }
    s.executor = vgsp_replay_executor(name ? name : "rm", &s.arg);
    if (!s.executor) {
        fprintf(stderr, "vgsp-silicon: no executor %s\n", name);
        return 2;
    }
    s.model = s.executor == &vgsp_replay_model;
    if (!dir) {
        self = g_file_read_link("/proc/self/exe", NULL);
        dir = g_path_get_dirname(self ? self : argv[0]);
    }
    s.dir = dir;
    s.keep = keep;
    s.software_copies = software;
    s.until = g_get_monotonic_time() + LIMIT_S * G_TIME_SPAN_SECOND;
    alarm(LIMIT_S + GRACE_S);
    if (!introduce(&s)) {
        return 1;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(groups); i++) {
        run_group(&s, groups[i], only);
    }
    printf("1..%u\n", s.count);
    silicon_note("%u passed, %u failed, %u skipped",
                 s.count - s.failed - s.skipped, s.failed, s.skipped);
    return s.failed ? 1 : 0;
}
