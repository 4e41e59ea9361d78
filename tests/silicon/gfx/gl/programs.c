/*
 * The OpenGL programs: a spinning textured ring with something translucent
 * about it, cells of one state each, and several samples.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <math.h>
#include <string.h>

#include "gl.h"

/* ---- The ring ---- */

#define AROUND  24
#define TUBE    12
#define FRAMES  8
#define TEXTURE 32              /* texels of a side; 6 levels */

static const char ring_vert[] =
    "layout(location = 0) in vec3 position;\n"
    "layout(location = 1) in vec2 uv;\n"
    "uniform mat4 turn;\n"
    "out vec2 at;\n"
    "void main() {\n"
    "    gl_Position = turn * vec4(position, 1.0);\n"
    "    at = uv;\n"
    "}\n";
static const char ring_frag[] =
    "uniform sampler2D tex;\n"
    "uniform vec4 tint;\n"
    "in vec2 at;\n"
    "out vec4 color;\n"
    "void main() { color = texture(tex, at) * tint; }\n";

typedef struct Corner {
    float position[3], uv[2];
} Corner;

/*
 * Neighbouring texels are 40 apart: what a chip's weights of eight bits leave
 * of that is less than the bound.
 */
static void texture_new(void)
{
    static uint8_t texels[TEXTURE * TEXTURE][4];
    GLuint t;

    glGenTextures(1, &t);
    glBindTexture(GL_TEXTURE_2D, t);
    for (unsigned i = 0; i < TEXTURE * TEXTURE; i++) {
        unsigned x = i % TEXTURE, y = i / TEXTURE, odd = (x ^ y) & 1;

        texels[i][0] = 20 + 40 * odd + 4 * x;
        texels[i][1] = 230 - 2 * y;
        texels[i][2] = 60 + 40 * odd;
        texels[i][3] = 255;
    }
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, TEXTURE, TEXTURE, 0, GL_RGBA,
                 GL_UNSIGNED_BYTE, texels);
    /* OpenGL leaves much of a level of detail open: no mipmaps. */
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_MIRRORED_REPEAT);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_REPEAT);
}

/* Vertices, then two rectangles that cut the ring. Returns its indices. */
static unsigned ring_buffers(void)
{
    static const Corner sheets[] = {
        { { -1, -1, 0.2f }, { 0, 0 } }, { { 1, -1, 0.2f }, { 1, 0 } },
        { { -1, 1, -0.2f }, { 0, 1 } }, { { 1, 1, -0.2f }, { 1, 1 } },
        { { -0.3f, -1, -1 }, { 0, 0 } }, { { -0.3f, 1, -1 }, { 1, 0 } },
        { { 0.3f, -1, 1 }, { 0, 1 } }, { { 0.3f, 1, 1 }, { 1, 1 } },
    };
    static Corner v[(AROUND + 1) * (TUBE + 1) + ARRAY_SIZE(sheets)];
    static uint16_t index[AROUND * TUBE * 6];
    unsigned n = 0;

    for (unsigned i = 0; i <= AROUND; i++) {
        for (unsigned j = 0; j <= TUBE; j++) {
            float a = i * 6.2831853f / AROUND, b = j * 6.2831853f / TUBE;
            float r = 0.7f + 0.3f * cosf(b);

            v[i * (TUBE + 1) + j] = (Corner) {
                { r * cosf(a), r * sinf(a), 0.3f * sinf(b) },
                { i * 4.f / AROUND, j * 1.f / TUBE },
            };
        }
    }
    memcpy(v + (AROUND + 1) * (TUBE + 1), sheets, sizeof(sheets));
    for (unsigned i = 0; i < AROUND; i++) {
        for (unsigned j = 0; j < TUBE; j++) {
            unsigned a = i * (TUBE + 1) + j, b = a + TUBE + 1;
            const uint16_t six[] = { a, b, a + 1, a + 1, b, b + 1 };

            memcpy(index + n, six, sizeof(six));
            n += ARRAY_SIZE(six);
        }
    }
    buffer_new(GL_ARRAY_BUFFER, v, sizeof(v));
    buffer_new(GL_ELEMENT_ARRAY_BUFFER, index, sizeof(index));
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, sizeof(Corner), NULL);
    glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, sizeof(Corner),
                          (void *)offsetof(Corner, uv));
    return n;
}

/* Column-major: turned about x, then y, and seen from three units away. */
static void turn(float m[16], unsigned frame)
{
    float a = frame * 0.41f + 0.3f, b = frame * 0.23f + 0.5f;
    const float r[3][3] = {
        { cosf(a), 0, sinf(a) },
        { sinf(a) * sinf(b), cosf(b), -cosf(a) * sinf(b) },
        { -sinf(a) * cosf(b), sinf(b), cosf(a) * cosf(b) },
    };

    for (int c = 0; c < 3; c++) {
        m[c * 4 + 0] = 2.2f * r[0][c];
        m[c * 4 + 1] = 2.2f * r[1][c];
        m[c * 4 + 2] = 1.2f * r[2][c];
        m[c * 4 + 3] = r[2][c];
    }
    m[12] = m[13] = 0;
    m[14] = 1.5f;
    m[15] = 3;
}

static void spin(void)
{
    Target t = target_new(0);
    GLuint p = program_new(ring_vert, ring_frag);
    GLint at_turn = glGetUniformLocation(p, "turn");
    GLint at_tint = glGetUniformLocation(p, "tint");
    unsigned n = ring_buffers();
    float m[16];

    texture_new();
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    glEnable(GL_CULL_FACE);
    for (unsigned frame = 0; frame < FRAMES; frame++) {
        turn(m, frame);
        draw_begin(&t, 0.1f, 0.1f, 0.2f);
        glUniformMatrix4fv(at_turn, 1, GL_FALSE, m);
        glUniform4f(at_tint, 1, 1, 1, 1);
        glDrawElements(GL_TRIANGLES, n, GL_UNSIGNED_SHORT, NULL);
        /* Seen from both sides, and hides nothing. */
        glDisable(GL_CULL_FACE);
        glDepthMask(GL_FALSE);
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
        glUniform4f(at_tint, 1, 0.6f, 0.8f, 0.4f);
        glDrawArrays(GL_TRIANGLE_STRIP, (AROUND + 1) * (TUBE + 1), 4);
        glBlendFunc(GL_SRC_ALPHA, GL_ONE);
        glUniform4f(at_tint, 0.6f, 0.8f, 1, 0.3f);
        glDrawArrays(GL_TRIANGLE_STRIP, (AROUND + 1) * (TUBE + 1) + 4, 4);
        glDisable(GL_BLEND);
        glDepthMask(GL_TRUE);
        glEnable(GL_CULL_FACE);
        keep(&t, "gl-spin", frame, GFX_PIXELS);
    }
}

static void samples(void)
{
    Target t = target_new(4);
    GLuint p = program_new(ring_vert, ring_frag);
    unsigned n = ring_buffers();
    float m[16];

    texture_new();
    turn(m, 3);
    glEnable(GL_DEPTH_TEST);
    draw_begin(&t, 0.1f, 0.1f, 0.2f);
    glUniformMatrix4fv(glGetUniformLocation(p, "turn"), 1, GL_FALSE, m);
    glUniform4f(glGetUniformLocation(p, "tint"), 1, 1, 1, 1);
    glDrawElements(GL_TRIANGLES, n, GL_UNSIGNED_SHORT, NULL);
    keep(&t, "gl-samples", 0, GFX_EDGES);
}

/* ---- One state a cell ---- */

static const char cell_vert[] =
    "layout(location = 0) in vec2 position;\n"
    "layout(location = 1) in vec4 shade;\n"
    "uniform float z;\n"
    "flat out vec4 last;\n"
    "out vec4 slope;\n"
    "void main() {\n"
    "    float n = float(gl_InstanceID);\n"
    "    gl_Position = vec4(position * (1.0 - 0.25 * n), z - 0.1 * n, 1.0);\n"
    "    gl_PointSize = 6.0;\n"
    "    slope = last = shade * (1.0 - 0.3 * n);\n"
    "}\n";
static const char cell_frag[] =
    "uniform bool is_flat;\n"
    "layout(std140) uniform Tint { vec4 tint; };\n"
    "flat in vec4 last;\n"
    "in vec4 slope;\n"
    "out vec4 color;\n"
    "void main() { color = (is_flat ? last : slope) * tint; }\n";

typedef struct Vertex {
    float position[2];
    uint8_t shade[4];
} Vertex;

static const Vertex cell_vertices[] = {
    /* the square below */
    { { -0.8f, -0.8f }, { 60, 80, 120, 255 } },
    { { 0.8f, -0.8f }, { 60, 80, 120, 255 } },
    { { -0.8f, 0.8f }, { 60, 80, 120, 255 } },
    { { 0.8f, 0.8f }, { 60, 80, 120, 255 } },
    /* the triangle, anticlockwise */
    { { -0.7f, -0.6f }, { 255, 40, 0, 160 } },
    { { 0.75f, -0.4f }, { 0, 230, 60, 200 } },
    { { 0.1f, 0.7f }, { 40, 0, 250, 120 } },
};

typedef struct State {
    void (*set)(void), (*end)(void);
    GLenum mode;
    unsigned instances;
    bool is_flat;
    float z;                    /* the square's is 0.5 */
} State;

#define SET(name, on, off) \
    static void set_##name(void) { on; } \
    static void end_##name(void) { off; }
#define BLEND(equation, from, to) \
    (glEnable(GL_BLEND), glBlendEquation(equation), glBlendFunc(from, to))
#define NO_BLEND (glDisable(GL_BLEND), glBlendEquation(GL_FUNC_ADD))

SET(nothing, (void)0, (void)0)
SET(cull, (glEnable(GL_CULL_FACE), glCullFace(GL_FRONT)),
    (glDisable(GL_CULL_FACE), glCullFace(GL_BACK)))
SET(clockwise, (glEnable(GL_CULL_FACE), glFrontFace(GL_CW)),
    (glDisable(GL_CULL_FACE), glFrontFace(GL_CCW)))
SET(mask, glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE),
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE))
SET(add, BLEND(GL_FUNC_ADD, GL_SRC_ALPHA, GL_ONE), NO_BLEND)
SET(subtract, BLEND(GL_FUNC_SUBTRACT, GL_ONE, GL_DST_COLOR), NO_BLEND)
SET(reverse, BLEND(GL_FUNC_REVERSE_SUBTRACT, GL_SRC_ALPHA, GL_ONE), NO_BLEND)
SET(min, BLEND(GL_MIN, GL_ONE, GL_ONE), NO_BLEND)
SET(constant, (glBlendColor(0.25f, 0.5f, 0.75f, 0.5f),
               BLEND(GL_FUNC_ADD, GL_CONSTANT_COLOR,
                     GL_ONE_MINUS_CONSTANT_ALPHA)), NO_BLEND)
SET(farther, glDepthFunc(GL_GREATER), glDepthFunc(GL_LESS))
SET(offset, (glEnable(GL_POLYGON_OFFSET_FILL), glPolygonOffset(0, -1000)),
    glDisable(GL_POLYGON_OFFSET_FILL))
/* What was not drawn to before. */
SET(stencil, (glEnable(GL_STENCIL_TEST), glStencilFunc(GL_EQUAL, 0, 255),
              glStencilOp(GL_KEEP, GL_KEEP, GL_INCR)),
    glDisable(GL_STENCIL_TEST))

static const State states[] = {
    { set_nothing, end_nothing, GL_TRIANGLES, 1, false, 0.4f },
    { set_nothing, end_nothing, GL_TRIANGLES, 1, true, 0.4f },
    { set_nothing, end_nothing, GL_POINTS, 1, false, 0.4f },
    { set_nothing, end_nothing, GL_LINE_LOOP, 1, false, 0.4f },
    { set_nothing, end_nothing, GL_TRIANGLES, 3, false, 0.4f },
    { set_cull, end_cull, GL_TRIANGLES, 1, false, 0.4f },
    { set_clockwise, end_clockwise, GL_TRIANGLES, 1, false, 0.4f },
    { set_mask, end_mask, GL_TRIANGLES, 1, false, 0.4f },
    { set_add, end_add, GL_TRIANGLES, 1, false, 0.4f },
    { set_subtract, end_subtract, GL_TRIANGLES, 1, false, 0.4f },
    { set_reverse, end_reverse, GL_TRIANGLES, 1, false, 0.4f },
    { set_min, end_min, GL_TRIANGLES, 1, false, 0.4f },
    { set_constant, end_constant, GL_TRIANGLES, 1, false, 0.4f },
    { set_farther, end_farther, GL_TRIANGLES, 2, false, 0.6f },
    { set_offset, end_offset, GL_TRIANGLES, 1, false, 0.5f },
    { set_stencil, end_stencil, GL_TRIANGLES, 3, false, 0.4f },
};

static void run_states(void)
{
    static const uint32_t index[] = { 4, 5, 6 };
    static const float tint[] = { 1, 0.9f, 0.8f, 1 };
    Target t = target_new(0);
    GLuint p = program_new(cell_vert, cell_frag);
    GLint at_flat = glGetUniformLocation(p, "is_flat");
    GLint at_z = glGetUniformLocation(p, "z");
    GLuint block = buffer_new(GL_UNIFORM_BUFFER, tint, sizeof(tint));

    glUniformBlockBinding(p, glGetUniformBlockIndex(p, "Tint"), 0);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, block);
    buffer_new(GL_ARRAY_BUFFER, cell_vertices, sizeof(cell_vertices));
    buffer_new(GL_ELEMENT_ARRAY_BUFFER, index, sizeof(index));
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(Vertex), NULL);
    glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(Vertex),
                          (void *)offsetof(Vertex, shade));
    draw_begin(&t, 0.3f, 0.3f, 0.3f);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LESS);
    glEnable(GL_SCISSOR_TEST);
    for (unsigned i = 0; i < ARRAY_SIZE(states); i++) {
        const State *s = &states[i];
        int x = i % 4 * 32, y = i / 4 * 32;

        glViewport(x, y, 32, 32);
        glScissor(x + 1, y + 1, 30, 28);
        glUniform1i(at_flat, false);
        glUniform1f(at_z, 0.5f);
        glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
        s->set();
        glUniform1i(at_flat, s->is_flat);
        glUniform1f(at_z, s->z);
        glDrawElementsInstanced(s->mode, 3, GL_UNSIGNED_INT, NULL,
                                s->instances);
        s->end();
    }
    glDisable(GL_SCISSOR_TEST);
    keep(&t, "gl-states", 0, GFX_EDGES);
}

const Program gl_programs[] = {
    { "gl-spin", spin },
    { "gl-states", run_states },
    { "gl-samples", samples },
    { 0 },
};
