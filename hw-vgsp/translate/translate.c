/*
 * Sections: class words, methods that GH100 lacks or has for something else,
 * launches, local memory, and the programs that they use. What is not named
 * here goes through as it is: of 601 methods of NVC597, NVCB97 has 600 at the
 * same offset (clc597.h, clcb97.h), and NVCBC0 all of NVC5C0's but those in
 * the table (clc5c0.h, clcbc0.h).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <string.h>
#include "translate/translate-int.h"
#include "vgsp/nv/class.h"
#include "vgsp/nv/compute.h"
#include "vgsp/nv/hopper.h"
#include "vgsp/nv/i2m.h"
#include "vgsp/nv/mme.h"
#include "vgsp/nv/threed.h"

enum { SUBC_3D, SUBC_COMPUTE, SUBC_I2M, SUBC_2D };

#define METHODS         4096    /* of a class, words */
#define QMD_WORDS       64
#define QMD_STRIDE      512u    /* bytes a translated one takes */
#define QMD_SLOTS       256u
#define STAGES          NVC597_SET_PIPELINE__SIZE_1
#define LOCAL_MAX       (UINT64_C(4) << 30)

/*
 * Where windows go that are not aligned as GH100 wants them, upper words: an
 * address in a window is one of memory for LDG and STG as well as ever.
 */
#define SHARED_WINDOW   1u
#define LOCAL_WINDOW    2u

typedef enum Action {
    PASS = 0,
    OBJECT,
    DROP,
    REFUSE,                     /* no method of the other chip does it */
    I2M,
    /* of 3D */
    FALCON,
    MACRO, MACRO_DATA,
    SHADER, PROGRAM_A, PROGRAM_B,
    DRAW,
    LOCAL_3D,
    /* of compute */
    WINDOW_A, WINDOW_B,
    PCAS_A, PCAS,
    INLINE_ADDRESS, INLINE_DATA,
    LOCAL_COMPUTE,
} Action;

typedef struct ActionRow {
    uint16_t method;            /* bytes */
    uint16_t count, stride;
    uint8_t action;
} ActionRow;

static const ActionRow rows_3d[] = {
    { NVC46F_SET_OBJECT, 1, 0, OBJECT },
    { NVA140_LINE_LENGTH_IN, 5, 4, I2M },
    { NVA140_LAUNCH_DMA, 1, 0, I2M },
    { NVC597_DRAW_INDEX_BUFFER_BEGIN_END_B, 1, 0, DRAW },
    { NVC597_DRAW_VERTEX_ARRAY_BEGIN_END_B, 1, 0, DRAW },
    { NVC597_DRAW_ZERO_INDEX, 1, 0, DRAW },
    { NVC597_DRAW_VERTEX_ARRAY, 1, 0, DRAW },
    { NVC597_DRAW_VERTEX_ARRAY_BEGIN_END_INSTANCE_FIRST, 2, 4, DRAW },
    { 0x123c, 1, 0, DRAW },     /* DRAW_AUTO */
    { 0x1304, 1, 0, DRAW },     /* DRAW_INLINE_INDEX4X8 */
    { 0x15e8, 1, 0, DRAW },     /* DRAW_INLINE_INDEX */
    { 0x15f0, 1, 0, DRAW },     /* DRAW_INLINE_INDEX2X16 */
    { 0x17e0, 7, 4, DRAW },     /* DRAW_INDEX_BUFFER and kin */
    { NVC597_SET_SHADER_LOCAL_MEMORY_A, 5, 4, LOCAL_3D },
    { NVC597_SET_PIPELINE_SHADER(0), STAGES, 64, SHADER },
    { NVC597_SET_PIPELINE_PROGRAM_ADDRESS_A(0), STAGES, 64, PROGRAM_A },
    { NVC597_SET_PIPELINE_PROGRAM_ADDRESS_B(0), STAGES, 64, PROGRAM_B },
    { NVC597_SET_FALCON(0), NVC597_SET_FALCON_COUNT, 4, FALCON },
    { NVC0_3D_CSAA_ENABLE, 1, 0, DROP },
    { NVC597_SET_BINDLESS_TEXTURE, 1, 0, DROP },
    { NVC597_CALL_MME_MACRO(0), VGSP_MME_MACROS, 8, MACRO },
    { NVC597_CALL_MME_DATA(0), VGSP_MME_MACROS, 8, MACRO_DATA },
};

static const ActionRow rows_compute[] = {
    { NVC46F_SET_OBJECT, 1, 0, OBJECT },
    { NVA140_LINE_LENGTH_IN, 5, 4, I2M },
    { NVA140_LAUNCH_DMA, 1, 0, I2M },
    /* Scheduling between graphics and compute: this chip has no such knobs. */
    { NVC5C0_SET_SCG_CONTROL, 1, 0, DROP },
    { NVC5C0_SCG_HYSTERESIS_CONTROL, 1, 0, DROP },
    /* Descriptors are of another version here. */
    { NVC5C0_SET_QMD_VERSION, 1, 0, DROP },
    { NVC5C0_CHECK_QMD_VERSION, 1, 0, DROP },
    { NVC5C0_SET_SHADER_SHARED_MEMORY_WINDOW_A, 1, 0, WINDOW_A },
    { NVC5C0_SET_SHADER_SHARED_MEMORY_WINDOW_B, 1, 0, WINDOW_B },
    { NVC5C0_SET_SHADER_LOCAL_MEMORY_WINDOW_A, 1, 0, WINDOW_A },
    { NVC5C0_SET_SHADER_LOCAL_MEMORY_WINDOW_B, 1, 0, WINDOW_B },
    { NVC5C0_SEND_PCAS_A, 1, 0, PCAS_A },
    { NVC5C0_SEND_PCAS_B, 1, 0, REFUSE },
    { NVC5C0_SEND_SIGNALING_PCAS_B, 1, 0, PCAS },
    { NVC5C0_SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_A, 3, 4, LOCAL_COMPUTE },
    { NVC5C0_SET_SHADER_LOCAL_MEMORY_A, 2, 4, LOCAL_COMPUTE },
    { NVC5C0_SET_INLINE_QMD_ADDRESS_A, 2, 4, INLINE_ADDRESS },
    { NVC5C0_LOAD_INLINE_QMD_DATA(0), NVC5C0_LOAD_INLINE_QMD_DATA__SIZE_1, 4,
      INLINE_DATA },
    /* NVCBC0 has the macro engine's methods where half of these are. */
    { NVC5C0_SET_FALCON(0), NVC5C0_SET_FALCON_COUNT, 4, DROP },
};

static const ActionRow rows_i2m[] = {
    { NVA140_LINE_LENGTH_IN, 5, 4, I2M },
    { NVA140_LAUNCH_DMA, 1, 0, I2M },
};

static uint8_t actions[VGSP_SECTION_SUBCHANNELS][METHODS];

static void build_class(uint8_t *table, const ActionRow *rows, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        for (unsigned n = 0; n < rows[r].count; n++) {
            table[(rows[r].method + n * rows[r].stride) / 4] = rows[r].action;
        }
    }
}

static void build(void)
{
    static gsize once;

    if (g_once_init_enter(&once)) {
        build_class(actions[SUBC_3D], rows_3d, G_N_ELEMENTS(rows_3d));
        build_class(actions[SUBC_COMPUTE], rows_compute,
                    G_N_ELEMENTS(rows_compute));
        build_class(actions[SUBC_I2M], rows_i2m, G_N_ELEMENTS(rows_i2m));
        g_once_init_leave(&once, 1);
    }
}

struct VgspTranslate {
    VgspCode *code;
    const VgspProfile *profile;
    VgspPushbuf pb;             /* of the section, as far as it is done */
    /* Of the section that is translated: */
    GArray *out;
    struct vgsp_owner_fault *fault;
    const char *why;
    bool waiting;               /* the last call ended in VGSP_TRANSLATE_WAIT */
    /* Memory that work under way may write: */
    bool macro_wrote;           /* anywhere */
    uint64_t wrote, wrote_end;  /* by uploads */
    uint32_t i2m[SUBC_2D][5];   /* LINE_LENGTH_IN to PITCH_OUT */

    VgspMacros macros;
    uint8_t may_write[VGSP_MME_MACROS]; /* 0: not known, 1: no, 2: yes */
    uint64_t told[VGSP_MME_MACROS];     /* ... when so much was loaded */
    int dropping;               /* data of this macro are dropped */

    struct {
        bool enabled, bound, fresh;
        uint64_t va;
    } stage[STAGES];
    uint64_t code_version;      /* whose instructions may be in caches */
    uint64_t windows[2];        /* upper words, of shared and local memory */
    bool windows_moved;
    uint64_t local_va, local_size; /* the executor's */
    uint32_t local_compute[2];  /* size of a TPC's */

    uint32_t pcas_a;
    uint64_t inline_va;
    uint32_t inline_qmd[QMD_WORDS];
    uint64_t inline_set;        /* which words were loaded */
    uint64_t qmds;              /* va of the slots */
    uint8_t *qmds_host;
    uint32_t qmds_used;         /* since all were free */
};

typedef enum Step {
    STEP_DONE,
    STEP_WAIT,
    STEP_FAIL,
} Step;

VgspTranslate *vgsp_translate_new(VgspCode *code)
{
    VgspTranslate *t = g_new0(VgspTranslate, 1);

    build();
    t->code = code;
    t->profile = vgsp_code_config(code)->profile;
    t->dropping = -1;
    vgsp_pb_init(&t->pb);
    return t;
}

void vgsp_translate_free(VgspTranslate *t)
{
    g_free(t);
}

/* ---- Output ---- */

static void emit_run(VgspTranslate *t, const VgspPbRun *run, uint32_t n)
{
    VgspPbRun rest = *run;

    while (n) {
        guint len = t->out->len;
        VgspSectionWriter w = { .max = MIN(n, 4096u) + 1 };
        uint32_t done;

        g_array_set_size(t->out, len + w.max);
        w.words = &g_array_index(t->out, uint32_t, len);
        done = vgsp_section_append(&w, &rest, n);
        g_array_set_size(t->out, len + w.count);
        n -= done;
        if (n) {
            rest = vgsp_pb_run_rest(&rest, done);
        }
    }
}

static void emit(VgspTranslate *t, unsigned subchannel, uint32_t method,
                 uint32_t data)
{
    VgspPbRun run = {
        .data = &data, .count = 1, .method = (uint16_t)(method / 4),
        .step = 1, .last_step = 1, .subchannel = (uint8_t)subchannel,
    };

    emit_run(t, &run, 1);
}

/* ---- Errors ---- */

static Step fail(VgspTranslate *t, const char *why, unsigned subchannel,
                 uint32_t method, uint32_t data)
{
    t->why = why;
    *t->fault = (struct vgsp_owner_fault) {
        .kind = VGSP_OWNER_FAULT_EXCEPTION,
        .valid = VGSP_OWNER_FAULT_HAS_METHOD,
        .method = subchannel << 16 | method,
        .data = data,
    };
    return STEP_FAIL;
}

static Step fail_code(VgspTranslate *t, const VgspCodeBad *bad,
                      unsigned subchannel, uint32_t method, uint32_t data)
{
    fail(t, bad->why, subchannel, method, data);
    if (bad->pc) {
        t->fault->valid |= VGSP_OWNER_FAULT_HAS_PC;
        t->fault->pc = bad->pc;
        t->fault->insn[0] = bad->lo;
        t->fault->insn[1] = bad->hi;
    }
    return STEP_FAIL;
}

/* ---- Memory that the guest's own work writes ---- */

static bool written(const VgspTranslate *t, uint64_t va, uint64_t size)
{
    return t->macro_wrote || (t->wrote < va + size && t->wrote_end > va);
}

static void note_write(VgspTranslate *t, uint64_t va, uint64_t size)
{
    uint64_t end = va + size < va ? UINT64_MAX : va + size;

    if (t->wrote >= t->wrote_end) {
        t->wrote = va;
        t->wrote_end = end;
    } else {
        t->wrote = MIN(t->wrote, va);
        t->wrote_end = MAX(t->wrote_end, end);
    }
}

static void note_i2m(VgspTranslate *t, unsigned subchannel, uint32_t method,
                     uint32_t data)
{
    const uint32_t *s = t->i2m[subchannel];
    uint64_t va;

    if (method != NVA140_LAUNCH_DMA) {
        t->i2m[subchannel][(method - NVA140_LINE_LENGTH_IN) / 4] = data;
        return;
    }
    va = (uint64_t)VGSP_GET(NVA140_OFFSET_OUT_UPPER_VALUE, s[2]) << 32 | s[3];
    /* Block-linear: not further than the largest image of one. */
    note_write(t, va, VGSP_GET(NVA140_LAUNCH_DMA_DST_MEMORY_LAYOUT, data)
                      ? (uint64_t)s[4] * (s[1] ? s[1] - 1 : 0) + s[0]
                      : UINT64_C(1) << 34);
}

static bool macro_may_write(VgspTranslate *t, unsigned macro)
{
    if (!t->may_write[macro] || t->told[macro] != t->macros.loads) {
        t->told[macro] = t->macros.loads;
        t->may_write[macro] = vgsp_macro_may_write(
            t->macros.ram, t->macros.start[macro]) ? 2 : 1;
    }
    return t->may_write[macro] == 2;
}

/* ---- Programs ---- */

/*
 * The programs of enabled stages are used. One that was bound by an earlier
 * section may be gone by now without being used again, which only the draw
 * itself (certain) would tell: what a macro does is not known.
 */
static Step use_stages(VgspTranslate *t, bool certain, uint32_t method,
                       uint32_t data)
{
    for (unsigned j = 0; j < STAGES; j++) {
        VgspCodeBad bad;
        uint64_t entry;
        bool generic;

        if (!t->stage[j].enabled || !t->stage[j].bound) {
            continue;
        }
        entry = t->stage[j].va + NVC597_SPH_SIZE;
        if (t->wrote < t->wrote_end &&
            (written(t, entry, PAGE_SIZE) ||
             vgsp_code_overlaps(t->code, t->wrote, t->wrote_end - t->wrote))) {
            return STEP_WAIT;
        }
        switch (vgsp_code_use(t->code, entry, &generic, &bad)) {
        case VGSP_CODE_OK:
            if (generic && t->windows_moved) {
                return fail(t, "a generic access, with windows that this chip "
                            "has elsewhere", SUBC_3D, method, data);
            }
            break;
        case VGSP_CODE_BAD:
            if (!certain && !t->stage[j].fresh) {
                break;
            }
            /* fall through */
        default:
            return fail_code(t, &bad, SUBC_3D, method, data);
        }
    }
    if (t->code_version != vgsp_code_version(t->code)) {
        t->code_version = vgsp_code_version(t->code);
        emit(t, SUBC_3D, NVC597_INVALIDATE_SHADER_CACHES,
             NVC597_INVALIDATE_SHADER_CACHES_INSTRUCTION);
    }
    return STEP_DONE;
}

/* ---- Local memory ---- */

/* At least size bytes of this context's own. */
static int own_local(VgspTranslate *t, uint64_t size)
{
    const VgspTranslateConfig *config = vgsp_code_config(t->code);
    void *host;
    int ret;

    size = (size + 0x1ffff) & ~UINT64_C(0x1ffff);
    if (size <= t->local_size) {
        return 0;
    }
    if (size > LOCAL_MAX) {
        return -ENOMEM;
    }
    ret = config->ops->reserve(config->opaque, size, false, &t->local_va,
                               &host);
    if (!ret) {
        t->local_size = size;
    }
    return ret;
}

static Step fail_local(VgspTranslate *t, unsigned subchannel, uint32_t method,
                       uint32_t data)
{
    return fail(t, "local memory for all SMs of this chip", subchannel, method,
                data);
}

/* A: upper, B: lower, C and D: size, E: of a warp. */
static Step local_3d(VgspTranslate *t, uint32_t method, uint32_t data)
{
    const VgspProfile *p = t->profile;
    uint64_t size;

    if (method != NVC597_SET_SHADER_LOCAL_MEMORY_E) {
        return STEP_DONE;       /* E is always the last */
    }
    size = (uint64_t)data * p->sm_warps * p->tpc_sms * p->tpcs;
    if (own_local(t, size)) {
        return fail_local(t, SUBC_3D, method, data);
    }
    emit(t, SUBC_3D, NVC597_SET_SHADER_LOCAL_MEMORY_A,
         (uint32_t)(t->local_va >> 32));
    emit(t, SUBC_3D, NVC597_SET_SHADER_LOCAL_MEMORY_B, (uint32_t)t->local_va);
    emit(t, SUBC_3D, NVC597_SET_SHADER_LOCAL_MEMORY_C,
         (uint32_t)(t->local_size >> 32));
    emit(t, SUBC_3D, NVC597_SET_SHADER_LOCAL_MEMORY_D,
         (uint32_t)t->local_size);
    emit(t, SUBC_3D, NVC597_SET_SHADER_LOCAL_MEMORY_E, data);
    return STEP_DONE;
}

/* The size is that of a TPC, with 64 warps on Turing. */
static Step local_compute(VgspTranslate *t, uint32_t method, uint32_t data)
{
    const VgspProfile *p = t->profile;
    uint64_t tpc;

    switch (method) {
    case NVC5C0_SET_SHADER_LOCAL_MEMORY_A:
    case NVC5C0_SET_SHADER_LOCAL_MEMORY_B:
        return STEP_DONE;       /* it is elsewhere */
    case NVC5C0_SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_A:
    case NVC5C0_SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_B:
        t->local_compute[(method -
            NVC5C0_SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_A) / 4] = data;
        return STEP_DONE;
    default:
        break;
    }
    tpc = (uint64_t)(t->local_compute[0] & 0xff) << 32 | t->local_compute[1];
    tpc = tpc * p->sm_warps / 32;
    if (own_local(t, tpc > LOCAL_MAX ? LOCAL_MAX + 1 : tpc * p->tpcs)) {
        return fail_local(t, SUBC_COMPUTE, method, data);
    }
    emit(t, SUBC_COMPUTE, NVC5C0_SET_SHADER_LOCAL_MEMORY_A,
         (uint32_t)(t->local_va >> 32));
    emit(t, SUBC_COMPUTE, NVC5C0_SET_SHADER_LOCAL_MEMORY_B,
         (uint32_t)t->local_va);
    emit(t, SUBC_COMPUTE, NVC5C0_SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_A,
         (uint32_t)(tpc >> 32));
    emit(t, SUBC_COMPUTE, NVC5C0_SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_B,
         (uint32_t)tpc);
    emit(t, SUBC_COMPUTE, NVC5C0_SET_SHADER_LOCAL_MEMORY_NON_THROTTLED_C,
         data);
    return STEP_DONE;
}

/* ---- Windows ---- */

/* GH100 takes a window at a multiple of 4 GiB only. */
static void window(VgspTranslate *t, uint32_t method, uint32_t data)
{
    bool local = method >= NVC5C0_SET_SHADER_LOCAL_MEMORY_WINDOW_A;
    uint32_t a = local ? NVC5C0_SET_SHADER_LOCAL_MEMORY_WINDOW_A
                       : NVC5C0_SET_SHADER_SHARED_MEMORY_WINDOW_A;

    if (method == a) {
        t->windows[local] = data;
        return;
    }
    if (data) {
        t->windows_moved = true;
        t->windows[local] = local ? LOCAL_WINDOW : SHARED_WINDOW;
    }
    emit(t, SUBC_COMPUTE, a, (uint32_t)t->windows[local]);
    emit(t, SUBC_COMPUTE, a + 4, 0);
}

/* ---- Launches ---- */

/* The descriptor at va, as memory and inline words have it. */
static bool read_qmd(VgspTranslate *t, uint64_t va, uint32_t qmd[QMD_WORDS])
{
    const VgspTranslateConfig *config = vgsp_code_config(t->code);
    bool all = t->inline_va == va && t->inline_set == UINT64_MAX;
    const uint8_t *page = NULL;

    if (!all && va < UINT64_C(1) << 49) {
        page = config->ops->page(config->opaque,
                                 va & ~(uint64_t)(PAGE_SIZE - 1));
    }
    if (!all && !page) {
        return false;
    }
    for (unsigned i = 0; i < QMD_WORDS; i++) {
        if (t->inline_va == va && t->inline_set >> i & 1) {
            qmd[i] = t->inline_qmd[i];
        } else {
            memcpy(&qmd[i], page + va % PAGE_SIZE + i * 4, 4);
            qmd[i] = GUINT32_FROM_LE(qmd[i]);
        }
    }
    return true;
}

static Step launch(VgspTranslate *t, uint32_t data)
{
    const VgspTranslateConfig *config = vgsp_code_config(t->code);
    const uint32_t method = NVC5C0_SEND_SIGNALING_PCAS_B;
    uint64_t va = (uint64_t)t->pcas_a << 8, program;
    uint32_t qmd[QMD_WORDS], out[NVCBC0_QMDV04_00_WORDS];
    VgspCodeBad bad = { 0 };
    const char *why;
    bool generic;
    uint64_t slot;

    if (!(data & NVC5C0_SEND_SIGNALING_PCAS_B_SCHEDULE)) {
        return STEP_DONE;       /* a copy of this descriptor is never kept */
    }
    if (written(t, va, sizeof(qmd)) || t->qmds_used == QMD_SLOTS) {
        return STEP_WAIT;
    }
    if (!read_qmd(t, va, qmd)) {
        return fail(t, "a launch descriptor that is not mapped", SUBC_COMPUTE,
                    method, data);
    }
    why = vgsp_qmd_to_v4(qmd, out);
    if (why) {
        return fail(t, why, SUBC_COMPUTE, method, data);
    }
    program = vgsp_qmd_program(qmd);
    if (t->wrote < t->wrote_end &&
        (written(t, program, PAGE_SIZE) ||
         vgsp_code_overlaps(t->code, t->wrote, t->wrote_end - t->wrote))) {
        return STEP_WAIT;
    }
    if (vgsp_code_use(t->code, program, &generic, &bad) != VGSP_CODE_OK) {
        return fail_code(t, &bad, SUBC_COMPUTE, method, data);
    }
    if (generic && t->windows_moved) {
        return fail(t, "a generic access, with windows that this chip has "
                    "elsewhere", SUBC_COMPUTE, method, data);
    }
    if (!t->qmds) {
        void *host = NULL;

        if (config->ops->reserve(config->opaque, QMD_SLOTS * QMD_STRIDE, true,
                                 &t->qmds, &host) ||
            t->qmds + QMD_SLOTS * QMD_STRIDE > UINT64_C(1) << 40) {
            t->qmds = 0;
            return fail(t, "memory for launch descriptors", SUBC_COMPUTE,
                        method, data);
        }
        t->qmds_host = host;
    }
    slot = t->qmds_used++ * QMD_STRIDE;
    for (unsigned i = 0; i < G_N_ELEMENTS(out); i++) {
        out[i] = GUINT32_TO_LE(out[i]);
    }
    memcpy(t->qmds_host + slot, out, sizeof(out));
    emit(t, SUBC_COMPUTE, NVCBC0_SEND_PCAS_A,
         (uint32_t)((t->qmds + slot) >> 8));
    emit(t, SUBC_COMPUTE, NVCBC0_SEND_SIGNALING_PCAS2_B,
         NVCBC0_SEND_SIGNALING_PCAS2_B_PCAS_ACTION_INVALIDATE_COPY_SCHEDULE);
    return STEP_DONE;
}

static void inline_address(VgspTranslate *t, uint32_t method, uint32_t data)
{
    uint64_t upper = t->inline_va >> 40, lower = t->inline_va >> 8;

    if (method == NVC5C0_SET_INLINE_QMD_ADDRESS_A) {
        upper = data;
    } else {
        lower = data;
    }
    t->inline_va = upper << 40 | (lower & UINT32_MAX) << 8;
    t->inline_set = 0;
}

/* ---- Methods ---- */

static Step call_macro(VgspTranslate *t, uint32_t method, uint32_t data)
{
    unsigned macro = (method - NVC597_CALL_MME_MACRO(0)) / 8;
    bool first;
    Step step;

    t->dropping = -1;
    if (vgsp_macros_class(&t->macros, macro, &first) == VGSP_MACRO_ALWAYS) {
        /* What it waits for at its end is what whoever looks would see. */
        t->dropping = (int)macro;
        emit(t, SUBC_3D, NVC597_SET_MME_SHADOW_SCRATCH(0), 1);
        return STEP_DONE;
    }
    step = use_stages(t, false, method, data);
    if (step == STEP_DONE) {
        t->macro_wrote |= macro_may_write(t, macro);
        emit(t, SUBC_3D, method, data);
    }
    return step;
}

static Step perform(VgspTranslate *t, unsigned s, uint32_t method,
                    uint32_t data)
{
    unsigned j = (method - NVC597_SET_PIPELINE_SHADER(0)) / 64 % STAGES;
    Step step;

    switch ((Action)actions[s][method / 4]) {
    case OBJECT:
        emit(t, s, method, s == SUBC_3D ? t->profile->threed
                                        : t->profile->compute);
        return STEP_DONE;
    case DROP:
        return STEP_DONE;
    case REFUSE:
        return fail(t, "a method that this chip does not have", s, method,
                    data);
    case I2M:
        note_i2m(t, s, method, data);
        break;
    case FALCON:
        /* Registers of another chip. Drivers wait for the scratch word. */
        emit(t, SUBC_3D, NVC597_SET_MME_SHADOW_SCRATCH(0), 1);
        return STEP_DONE;
    case MACRO:
        return call_macro(t, method, data);
    case MACRO_DATA:
        if (t->dropping == (int)(method - NVC597_CALL_MME_DATA(0)) / 8) {
            return STEP_DONE;
        }
        break;
    case SHADER:
        t->stage[j].enabled = data & NVC597_SET_PIPELINE_SHADER_ENABLE;
        break;
    case PROGRAM_A:
        t->stage[j].va = (uint64_t)(data & 0xff) << 32 |
                         (uint32_t)t->stage[j].va;
        break;
    case PROGRAM_B:
        t->stage[j].va = (t->stage[j].va & ~UINT64_C(0xffffffff)) | data;
        t->stage[j].bound = t->stage[j].fresh = true;
        break;
    case DRAW:
        step = use_stages(t, true, method, data);
        if (step != STEP_DONE) {
            return step;
        }
        break;
    case LOCAL_3D:
        return local_3d(t, method, data);
    case WINDOW_A:
    case WINDOW_B:
        window(t, method, data);
        return STEP_DONE;
    case PCAS_A:
        t->pcas_a = data;
        return STEP_DONE;
    case PCAS:
        return launch(t, data);
    case INLINE_ADDRESS:
        inline_address(t, method, data);
        return STEP_DONE;
    case INLINE_DATA:
        j = (method - NVC5C0_LOAD_INLINE_QMD_DATA(0)) / 4;
        t->inline_qmd[j] = data;
        t->inline_set |= UINT64_C(1) << j;
        return STEP_DONE;
    case LOCAL_COMPUTE:
        return local_compute(t, method, data);
    case PASS:
        break;
    }
    emit(t, s, method, data);
    return STEP_DONE;
}

/* Data of a macro that is not dropped need no look. */
static bool is_special(const VgspTranslate *t, unsigned s, uint32_t method)
{
    uint8_t action = actions[s][method];

    return action && (action != MACRO_DATA || t->dropping >= 0);
}

/* *done: how many methods of the run were translated. */
static Step translate_run(VgspTranslate *t, const VgspPbRun *run,
                          uint32_t *done)
{
    unsigned s = run->subchannel;

    *done = 0;
    if (s == SUBC_3D && vgsp_macros_loads(run)) {
        vgsp_macros_load(&t->macros, run, run->count);
    }
    while (*done < run->count) {
        VgspPbRun rest = vgsp_pb_run_rest(run, *done);
        uint32_t n = 0;
        Step step;

        while (n < rest.count &&
               !is_special(t, s, vgsp_pb_run_method(&rest, n))) {
            /* All behind the second are alike where nothing counts up. */
            n = !rest.last_step && n > 1 ? rest.count : n + 1;
        }
        if (n) {
            emit_run(t, &rest, n);
            *done += n;
            continue;
        }
        step = perform(t, s, rest.method * 4u, rest.data[0]);
        if (step != STEP_DONE) {
            return step;
        }
        *done += 1;
    }
    return STEP_DONE;
}

static void begin(VgspTranslate *t, bool anew)
{
    vgsp_code_begin(t->code);
    if (t->waiting) {
        t->waiting = false;
        t->macro_wrote = false;
        t->wrote = t->wrote_end = 0;
        t->qmds_used = 0;
    }
    if (anew) {
        vgsp_pb_init(&t->pb);
        for (unsigned j = 0; j < STAGES; j++) {
            t->stage[j].fresh = false;
        }
    }
}

int vgsp_translate_section(VgspTranslate *t, const uint32_t *words,
                           uint32_t count, uint32_t *pos, GArray *out,
                           struct vgsp_owner_fault *fault, const char **why)
{
    if (t->profile->verbatim) {
        g_array_append_vals(out, words + *pos, count - *pos);
        *pos = count;
        return VGSP_TRANSLATE_DONE;
    }
    t->out = out;
    t->fault = fault;
    begin(t, !*pos);
    while (*pos < count || vgsp_pb_mid_method(&t->pb)) {
        uint32_t done;
        VgspPbRun run;
        size_t used;
        Step step;

        if (vgsp_pb_next(&t->pb, words + *pos, count - *pos, &used, &run) !=
            VGSP_PB_METHODS || run.subchannel >= VGSP_SECTION_SUBCHANNELS) {
            *pos += (uint32_t)used;
            if (*pos == count && !vgsp_pb_mid_method(&t->pb)) {
                break;
            }
            fail(t, "a malformed section", 0, 0, 0);
            *why = t->why;
            return -EIO;
        }
        *pos += (uint32_t)used;
        step = translate_run(t, &run, &done);
        *pos += (uint32_t)vgsp_pb_advance(&t->pb, done);
        if (step == STEP_WAIT) {
            t->waiting = true;
            return VGSP_TRANSLATE_WAIT;
        }
        if (step == STEP_FAIL) {
            *why = t->why;
            return -EIO;
        }
    }
    return VGSP_TRANSLATE_DONE;
}
