/*
 * OpenGL ES programs for recordings: each draws off-screen and leaves images
 * in a buffer that is mapped all the time, as the Vulkan programs beside them
 * do (../gfx.h). Nothing waits for what was drawn.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef SILICON_GL_H
#define SILICON_GL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <GLES3/gl3.h>

#include "../image.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define SIDE 128                /* of all images */
#define IMAGES_MAX 12           /* of a program */

/* Where images are drawn: RGBA8, depth and stencil. */
typedef struct Target {
    GLuint fbo, resolve;        /* resolve: of several samples; else 0 */
} Target;

typedef struct Program {
    const char *name;
    void (*run)(void);
} Program;

extern const Program gl_programs[];

void die(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));

/* A program from sources without their #version line. */
GLuint program_new(const char *vert, const char *frag);
GLuint buffer_new(GLenum target, const void *data, size_t size);
Target target_new(unsigned samples);
/* Binds it, clears all of it, and sets a viewport of the whole. */
void draw_begin(const Target *t, float r, float g, float b);
/* Leaves what was drawn as an image. */
void keep(const Target *t, const char *name, unsigned frame, unsigned rule);

#endif
