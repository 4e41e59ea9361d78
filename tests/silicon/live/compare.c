/*
 * Holds the images that a graphics program left against lavapipe's, by the
 * rules of gfx/image.h: one line of TAP for each name among them. Frames of an
 * animation must also show something, and something else each.
 *
 * usage: compare PROGRAM FILE LAVAPIPES-FILE
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../gfx/image.h"

/* Pixels that must be within their bound, of all: 0.999, and with edges. */
#define PIXELS_SHARE    0.999
#define EDGES_SHARE     0.98

typedef struct File {
    uint8_t *data;
    size_t size;
} File;

typedef struct Match {
    uint64_t pixels, equal, within;
    unsigned worst, frames, black, same, missing;
    bool words_differ;
} Match;

static File read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    File r = { NULL, 0 };
    long size = -1;

    if (f && !fseek(f, 0, SEEK_END)) {
        size = ftell(f);
        rewind(f);
    }
    if (size > 0) {
        r.data = malloc(size);
        r.size = r.data ? fread(r.data, 1, size, f) : 0;
    }
    if (f) {
        fclose(f);
    }
    return r;
}

/* The image at AT, all of it; NULL where none is. */
static const GfxImage *image_at(const File *f, size_t at)
{
    const GfxImage *i = (const GfxImage *)(f->data + at);

    if (at > f->size || f->size - at < GFX_IMAGE_PAGE ||
        memcmp(i->magic, GFX_IMAGE_MAGIC, sizeof(i->magic)) ||
        i->width > 4096 || i->height > 4096 ||
        f->size - at - GFX_IMAGE_PAGE < (size_t)i->width * i->height * 4) {
        return NULL;
    }
    return i;
}

static size_t texels_size(const GfxImage *i)
{
    return (size_t)i->width * i->height * 4;
}

static const uint8_t *texels(const GfxImage *i)
{
    return (const uint8_t *)i + GFX_IMAGE_PAGE;
}

static bool same_place(const GfxImage *a, const GfxImage *b)
{
    return a && !strncmp(a->name, b->name, sizeof(a->name)) &&
           a->frame == b->frame && a->width == b->width &&
           a->height == b->height && a->rule == b->rule;
}

static void compare_pixels(const GfxImage *got, const GfxImage *want,
                           const GfxImage *before, Match *m)
{
    const uint8_t *p = texels(got), *q = texels(want);
    bool plain = true;

    for (size_t i = 0; i < texels_size(want); i += 4) {
        unsigned most = 0;

        for (unsigned c = 0; c < 4; c++) {
            unsigned d = abs(p[i + c] - q[i + c]);

            most = d > most ? d : most;
        }
        m->pixels++;
        m->equal += !most;
        m->within += most <= want->bound;
        m->worst = most > m->worst ? most : m->worst;
        plain &= !memcmp(p + i, p, 4);
    }
    m->black += plain;
    m->same += before && !memcmp(texels(before), p, texels_size(got));
}

static void compare_words(const GfxImage *got, const GfxImage *want, Match *m)
{
    const uint64_t *p = (const uint64_t *)texels(got);
    const uint64_t *q = (const uint64_t *)texels(want);

    for (size_t i = 0; i < texels_size(want) / 8; i++) {
        uint64_t far = p[i] > q[i] ? p[i] - q[i] : q[i] - p[i];
        uint64_t near = q[i] / 100 > 16 ? q[i] / 100 : 16;
        bool good = want->rule == GFX_RISING ?
                    p[i] && (!i || p[i] >= p[i - 1]) :
                    far <= (want->rule == GFX_NEAR ? near : 0);

        m->words_differ |= !good;
    }
}

static bool report(const char *program, const GfxImage *first, const Match *m)
{
    bool edges = first->rule == GFX_EDGES;
    double share = m->pixels ? (double)m->within / m->pixels : 1;
    bool good = !m->missing && !m->black && !m->same && !m->words_differ &&
                share >= (edges ? EDGES_SHARE : PIXELS_SHARE);

    printf("%sok - %s %.48s: %u x %ux%u", good ? "" : "not ", program,
           first->name, m->frames, first->width, first->height);
    if (m->pixels) {
        printf(", %.3f %% within %u of 255, %.3f %% equal, worst %u",
               share * 100, first->bound, 100.0 * m->equal / m->pixels,
               m->worst);
    }
    if (m->words_differ) {
        printf(", words differ");
    }
    if (m->missing) {
        printf(", %u missing", m->missing);
    }
    if (m->black) {
        printf(", %u of one colour", m->black);
    }
    if (m->same) {
        printf(", %u as the frame before", m->same);
    }
    putchar('\n');
    return good;
}

int main(int argc, char **argv)
{
    const GfxImage *first = NULL, *before = NULL;
    Match m = { 0 };
    bool good = true;
    size_t at = 0;
    File got, want;

    if (argc != 4) {
        fputs("usage: compare PROGRAM FILE LAVAPIPES-FILE\n", stderr);
        return 2;
    }
    got = read_file(argv[2]);
    want = read_file(argv[3]);
    for (const GfxImage *w; (w = image_at(&want, at));) {
        const GfxImage *g = image_at(&got, at);

        if (first && strncmp(first->name, w->name, sizeof(w->name))) {
            good &= report(argv[1], first, &m);
            first = before = NULL;
            memset(&m, 0, sizeof(m));
        }
        first = first ? first : w;
        m.frames++;
        if (!same_place(g, w)) {
            m.missing++;
            before = NULL;
        } else if (w->rule == GFX_PIXELS || w->rule == GFX_EDGES) {
            compare_pixels(g, w, w->frame ? before : NULL, &m);
            before = g;
        } else {
            compare_words(g, w, &m);
        }
        at += GFX_IMAGE_PAGE + (texels_size(w) + GFX_IMAGE_PAGE - 1) /
              GFX_IMAGE_PAGE * GFX_IMAGE_PAGE;
    }
    if (!first) {
        printf("not ok - %s: no images in %s\n", argv[1], argv[3]);
        return 1;
    }
    good &= report(argv[1], first, &m);
    return !good;
}
