/*
 * The OpenGL programs' main: a context without a window, and what programs
 * share.
 *
 * usage: gl-suite PROGRAM FILE      writes images
 *        gl-suite --list
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "gl.h"
#include <GLES2/gl2ext.h>

#define IMAGE_SIZE (GFX_IMAGE_PAGE + SIDE * SIDE * 4)
#define OUT_FLAGS (GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | \
                   GL_MAP_PERSISTENT_BIT_EXT | GL_MAP_COHERENT_BIT_EXT)

static GLuint out;              /* images for the CPU */
static uint8_t *out_map;
static unsigned out_images;

void die(const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    fputs("gl-suite: ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

static void check(const char *what)
{
    GLenum e = glGetError();

    if (e) {
        die("%s: GL error 0x%x", what, e);
    }
}

/* ---- Objects; they live as long as the program ---- */

static GLuint shader_new(GLenum stage, const char *text)
{
    const char *const parts[] = {
        "#version 300 es\nprecision highp float;\n", text,
    };
    GLuint s = glCreateShader(stage);
    char log[1024] = "";
    GLint ok;

    glShaderSource(s, ARRAY_SIZE(parts), parts, NULL);
    glCompileShader(s);
    glGetShaderiv(s, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        glGetShaderInfoLog(s, sizeof(log), NULL, log);
        die("shader: %s", log);
    }
    return s;
}

GLuint program_new(const char *vert, const char *frag)
{
    GLuint p = glCreateProgram();
    char log[1024] = "";
    GLint ok;

    glAttachShader(p, shader_new(GL_VERTEX_SHADER, vert));
    glAttachShader(p, shader_new(GL_FRAGMENT_SHADER, frag));
    glLinkProgram(p);
    glGetProgramiv(p, GL_LINK_STATUS, &ok);
    if (!ok) {
        glGetProgramInfoLog(p, sizeof(log), NULL, log);
        die("program: %s", log);
    }
    glUseProgram(p);
    return p;
}

GLuint buffer_new(GLenum target, const void *data, size_t size)
{
    GLuint b;

    glGenBuffers(1, &b);
    glBindBuffer(target, b);
    glBufferData(target, size, data, GL_STATIC_DRAW);
    return b;
}

static GLuint fbo_new(unsigned samples, bool depth)
{
    GLuint fbo, rb[2];

    glGenFramebuffers(1, &fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glGenRenderbuffers(2, rb);
    glBindRenderbuffer(GL_RENDERBUFFER, rb[0]);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_RGBA8, SIDE,
                                     SIDE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0,
                              GL_RENDERBUFFER, rb[0]);
    if (depth) {
        glBindRenderbuffer(GL_RENDERBUFFER, rb[1]);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples,
                                         GL_DEPTH24_STENCIL8, SIDE, SIDE);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT,
                                  GL_RENDERBUFFER, rb[1]);
    }
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
        die("the frame buffer is not complete");
    }
    return fbo;
}

Target target_new(unsigned samples)
{
    return (Target) {
        .resolve = samples ? fbo_new(0, false) : 0,
        .fbo = fbo_new(samples, true),
    };
}

void draw_begin(const Target *t, float r, float g, float b)
{
    glBindFramebuffer(GL_FRAMEBUFFER, t->fbo);
    glViewport(0, 0, SIDE, SIDE);
    glClearColor(r, g, b, 1);
    glClearStencil(0);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

/* ---- Images ---- */

static void open_out(void)
{
    PFNGLBUFFERSTORAGEEXTPROC storage =
        (PFNGLBUFFERSTORAGEEXTPROC)eglGetProcAddress("glBufferStorageEXT");
    const size_t size = IMAGES_MAX * IMAGE_SIZE;

    if (!storage) {
        die("no GL_EXT_buffer_storage");
    }
    glGenBuffers(1, &out);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, out);
    storage(GL_PIXEL_PACK_BUFFER, size, NULL,
            OUT_FLAGS | GL_CLIENT_STORAGE_BIT_EXT);
    out_map = glMapBufferRange(GL_PIXEL_PACK_BUFFER, 0, size, OUT_FLAGS);
    check("the buffer of images");
    if (!out_map || (uintptr_t)out_map % GFX_IMAGE_PAGE) {
        die("the buffer of images does not begin a page");
    }
    memset(out_map, 0, size);
}

void keep(const Target *t, const char *name, unsigned frame, unsigned rule)
{
    size_t at = (size_t)out_images * IMAGE_SIZE;
    GfxImage *h = (GfxImage *)(out_map + at);

    if (out_images++ == IMAGES_MAX) {
        die("too many images");
    }
    memcpy(h->magic, GFX_IMAGE_MAGIC, sizeof(h->magic));
    snprintf(h->name, sizeof(h->name), "%s", name);
    h->frame = frame;
    h->width = h->height = SIDE;
    h->rule = rule;
    h->bound = 2;
    if (t->resolve) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, t->fbo);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, t->resolve);
        glBlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE,
                          GL_COLOR_BUFFER_BIT, GL_NEAREST);
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, t->resolve ?: t->fbo);
    glBindBuffer(GL_PIXEL_PACK_BUFFER, out);
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE,
                 (void *)(at + GFX_IMAGE_PAGE));
    glFlush();
    check(name);
}

/* ---- Main ---- */

static void open_context(void)
{
    static const EGLint attributes[] = {
        EGL_CONTEXT_MAJOR_VERSION, 3, EGL_NONE,
    };
    EGLDisplay dpy = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA,
                                           EGL_DEFAULT_DISPLAY, NULL);
    EGLContext context;

    if (!eglInitialize(dpy, NULL, NULL)) {
        die("no EGL display: 0x%x", eglGetError());
    }
    eglBindAPI(EGL_OPENGL_ES_API);
    context = eglCreateContext(dpy, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT,
                               attributes);
    if (!context || !eglMakeCurrent(dpy, EGL_NO_SURFACE, EGL_NO_SURFACE,
                                    context)) {
        die("no OpenGL ES 3 context: 0x%x", eglGetError());
    }
    fprintf(stderr, "gl-suite: %s\n", glGetString(GL_RENDERER));
}

static const Program *find(const char *name)
{
    for (const Program *p = gl_programs; p->name; p++) {
        if (!strcmp(p->name, name)) {
            return p;
        }
    }
    die("no program %s", name);
}

int main(int argc, char **argv)
{
    FILE *file;

    if (argc == 2 && !strcmp(argv[1], "--list")) {
        for (const Program *p = gl_programs; p->name; p++) {
            puts(p->name);
        }
        return 0;
    }
    if (argc != 3) {
        die("usage: gl-suite PROGRAM FILE");
    }
    open_context();
    open_out();
    find(argv[1])->run();
    glFinish();
    file = fopen(argv[2], "w");
    if (!file || fwrite(out_map, IMAGE_SIZE, out_images, file) != out_images ||
        fclose(file)) {
        die("%s: not written", argv[2]);
    }
    return 0;
}
