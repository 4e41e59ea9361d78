/*
 * Part of group "timing": what translation costs on this machine's processor.
 * rm.translate_mb_s, of programs that are new; rm.hash_us, of the check in each
 * section that uses programs that they are still what they were.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "silicon.h"
#include "translate/sm90.h"
#include "translate/translate-int.h"
#include "vector.h"

#define PROGRAM_VA      RIG_VA
#define PROGRAM_SIZE    (1u << 20)
#define INSN_SIZE       16u
#define RUNS            11
#define CHECKS          1000
/* What is wanted. */
#define TRANSLATE_MB_S  50.0
#define HASH_US         2.0
/* Pages of programs: of a common application, and of a large one. */
#define PAGES_FEW       16u
#define PAGES_MANY      256u

static uint8_t *program;

static const void *page(void *opaque, uint64_t va)
{
    (void)opaque;
    return va >= PROGRAM_VA && va - PROGRAM_VA < PROGRAM_SIZE
           ? program + (va - PROGRAM_VA) : NULL;
}

static int shadow(void *opaque, uint64_t va, const void *bytes)
{
    (void)opaque;
    (void)va;
    (void)bytes;
    return 0;
}

static int reserve(void *opaque, uint64_t size, bool cpu, uint64_t *va,
                   void **host)
{
    (void)opaque;
    (void)size;
    (void)cpu;
    (void)va;
    (void)host;
    return -1;
}

static const VgspTranslateOps ops = { page, shadow, reserve };

/* Instructions of the vectors, those that have a translation, in turn. */
static bool fill(Silicon *s)
{
    g_autofree char *path = g_build_filename(s->dir, "vectors.bin", NULL);
    g_autofree char *data = NULL;
    Word *out = (Word *)program;
    unsigned n = 0, end = PROGRAM_SIZE / INSN_SIZE - 1;
    gsize size;

    if (!g_file_get_contents(path, &data, &size, NULL)) {
        return false;
    }
    while (n < end) {
        unsigned before = n;

        for (gsize at = 0; n < end && at + sizeof(Vector) <= size;) {
            const Vector *v = (const Vector *)(data + at);
            Sm90Insn i = { v->lo, v->hi };

            if (v->size < sizeof(*v) || v->size > size - at) {
                break;
            }
            at += v->size;
            if (!sm90_translate(&i) && sm90_descriptor(&i) < 0) {
                out[n++] = (Word) { { v->lo, v->hi } };
            }
        }
        if (n == before) {
            return false;
        }
    }
    out[n] = exit_();
    return true;
}

static VgspCode *learn(Silicon *s, uint64_t entry)
{
    const VgspTranslateConfig config = {
        .profile = &vgsp_profile_gh100, .sm_count = 132, .ops = &ops,
    };
    VgspCode *code = vgsp_code_new(&config);
    VgspCodeBad bad;
    bool generic;

    vgsp_code_begin(code);
    if (vgsp_code_use(code, entry, &generic, &bad) != VGSP_CODE_OK) {
        silicon_result(s, false, "timing translation: %s", bad.why);
        g_clear_pointer(&code, vgsp_code_free);
    }
    return code;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double v[RUNS])
{
    qsort(v, RUNS, sizeof(v[0]), by_value);
    return v[RUNS / 2];
}

/* Microseconds of a check of so many pages; negative: it was said why not. */
static double check(Silicon *s, unsigned pages)
{
    uint64_t entry = PROGRAM_VA + PROGRAM_SIZE - pages * PAGE_SIZE;
    VgspCode *code = learn(s, entry);
    double us[RUNS];
    VgspCodeBad bad;
    bool generic;

    for (unsigned n = 0; code && n < RUNS; n++) {
        gint64 start = g_get_monotonic_time();

        for (unsigned i = 0; i < CHECKS; i++) {
            vgsp_code_begin(code);
            vgsp_code_use(code, entry, &generic, &bad);
        }
        us[n] = (double)(g_get_monotonic_time() - start) / CHECKS;
    }
    if (!code) {
        return -1;
    }
    vgsp_code_free(code);
    return median(us);
}

void silicon_time_translation(Silicon *s)
{
    double mb_s[RUNS], few, many;
    bool ok;

    program = aligned_alloc(PAGE_SIZE, PROGRAM_SIZE);   /* as a guest's */
    ok = program && fill(s);
    if (!ok) {
        silicon_result(s, false, "timing translation: no vectors");
    }
    for (unsigned n = 0; ok && n < RUNS; n++) {
        gint64 start = g_get_monotonic_time();
        VgspCode *code = learn(s, PROGRAM_VA);

        mb_s[n] = PROGRAM_SIZE /
                  (double)(g_get_monotonic_time() - start + 1);
        ok = code;
        g_clear_pointer(&code, vgsp_code_free);
    }
    if (ok) {
        few = median(mb_s);
        silicon_result(s, s->model || few >= TRANSLATE_MB_S,
                       "timing rm.translate_mb_s: %.0f", few);
        few = check(s, PAGES_FEW);
        many = check(s, PAGES_MANY);
        silicon_result(s, few >= 0 && many >= 0 &&
                       (s->model || few <= HASH_US),
                       "timing rm.hash_us: %.2f of %u pages of programs, "
                       "%.2f of %u", few, PAGES_FEW, many, PAGES_MANY);
    }
    free(program);
}
