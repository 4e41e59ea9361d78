/*
 * Group "vectors": the instructions that the model's unit tests execute, each
 * in a program of its own that loads what the warp holds, executes it, and
 * stores what it then holds.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <inttypes.h>
#include <string.h>

#include "model/sm75.h"
#include "program.h"
#include "replay/bounds.h"
#include "silicon.h"
#include "translate/sm90.h"
#include "vector.h"
#include "vgsp/nv/qmd.h"

/* One vector's place in the rig's memory. */
#define SLOT_QMD        0x0000
#define SLOT_CODE       0x0400
#define SLOT_BANK       0x2000
#define SLOT_IN         0x3000
#define SLOT_OUT        0x5000
#define SLOT_SIZE       0x8000
#define BATCH           16
#define SLOTS           (RIG_SIZE / SLOT_SIZE)
#define LANES           32
#define ROW             (LANES * 4)

/*
 * Registers of the program, beyond the vector's. The last two of those that a
 * program asks for are not its own (Out Of Range Register).
 */
enum { IN = 32, OUT = 34, LANE = 36, VALUE = 37, PRED = 40, COUNT = 56 };
/* Rows behind those of the registers. */
enum {
    ROW_PRED = VECTOR_REGISTERS,
    ROW_UNIFORM = ROW_PRED + VECTOR_PREDICATES,
    ROWS = ROW_UNIFORM + VECTOR_UNIFORMS,
};

#define WAIT_NOPS       48

/* Of an instruction, and of such a vector. */
#define SHOWN_VECTORS   3
#define SHOWN_LANES     8

static const char *const no_vectors[] = {
    "S2R", "CS2R", "S2UR", "B2R", "BMOV", "NANOSLEEP", "YIELD",
};

static Word mov_u(unsigned d, unsigned ur)
{
    return put(put(put(put(op0(0xc02), 16, 8, d), 32, 6, ur), 72, 4, 0xf), 91,
               1, 1);
}

static void load_address(Code *c, unsigned r, uint64_t va)
{
    load_pair(c, r, va);
    emit(c, imad_wide_i(r, LANE, 4, r), NO_BARRIER, NO_BARRIER, 1);
}

static void store(Code *c, unsigned row, unsigned r)
{
    emit(c, stg(OUT, row * ROW, r, B32), NO_BARRIER, 1, 0);
}

/*
 * As compilers encode it: fields that an instruction does not use hold "none",
 * or a Hopper refuses it (Illegal Instruction Encoding).
 */
static Word canonical(const Vector *v)
{
    Word w = { { v->lo, v->hi } };
    unsigned op = v->lo & 0x1ff;
    bool high = v->hi >> 16 & 1, sign = v->hi >> 9 & 1;

    if (op == 0x24) {                           /* IMAD: no predicate out */
        w = put(w, 81, 3, 7);
    } else if ((op == 0x11 && (!high || sign)) || op == 0x3e) {
        w = put(w, 64, 8, 255);                 /* LEA, F2FP: no operand */
    } else if ((v->lo & 0xfff) == 0x230) {
        w = put(w, 64, 8, 0);                   /* HADD2 has none */
    }
    return w;
}

/* The program of a vector, at the slot's address. */
static unsigned make_program(const Vector *v, uint64_t slot, Word *words)
{
    Code c = { words, 0 };
    Word tested = canonical(v);

    emit(&c, s2r(LANE, SR_TID_X), 0, NO_BARRIER, 0);
    load_address(&c, IN, slot + SLOT_IN);
    load_address(&c, OUT, slot + SLOT_OUT);
    for (unsigned r = 0; r < VECTOR_REGISTERS; r++) {
        emit(&c, ldg(r, IN, r * ROW, B32), 0, NO_BARRIER, 0);
    }
    for (unsigned p = 0; p < VECTOR_PREDICATES; p++) {
        emit(&c, ldg(PRED + p, IN, (ROW_PRED + p) * ROW, B32), 0, NO_BARRIER,
             0);
    }
    for (unsigned p = 0; p < VECTOR_PREDICATES; p++) {
        emit(&c, isetp_i(p, PRED + p, NE, 0), NO_BARRIER, NO_BARRIER, 1);
    }
    for (unsigned u = 0; u < VECTOR_UNIFORMS; u++) {
        /* 0 too: they hold what another program left. */
        plain(&c, umov(u, v->ur_in[u]));
    }
    for (unsigned i = 0; i < 4; i++) {
        plain(&c, op(0x918));
    }
    plain(&c, tested);
    for (unsigned i = 0; i < WAIT_NOPS; i++) {
        plain(&c, op(0x918));
    }
    for (unsigned r = 0; r < VECTOR_REGISTERS; r++) {
        store(&c, r, r);
    }
    for (unsigned p = 0; p < VECTOR_PREDICATES; p++) {
        plain(&c, mov(PRED + p, 0));
        plain(&c, at(p, mov(PRED + p, 1)));
        store(&c, ROW_PRED + p, PRED + p);
    }
    for (unsigned u = 0; u < VECTOR_UNIFORMS; u++) {
        if (v->ur_in[u] != v->ur_out[u]) {
            emit(&c, mov_u(VALUE, u), NO_BARRIER, NO_BARRIER, 2);
            store(&c, ROW_UNIFORM + u, VALUE);
        }
    }
    plain(&c, exit_());
    plain(&c, bra(0));
    return c.count;
}

static void make_qmd(uint32_t *q, uint64_t slot, bool bank)
{
    uint64_t va = slot + SLOT_BANK;

    rig_qmd(q, slot + SLOT_CODE, LANES, COUNT);
    if (bank) {
        rig_qmd_field(
            q, NVC5C0_QMDV02_03_CONSTANT_BUFFER_VALID(VECTOR_BANK), 1);
        rig_qmd_field(
            q, NVC5C0_QMDV02_03_CONSTANT_BUFFER_ADDR_LOWER(VECTOR_BANK),
            va & UINT32_MAX);
        rig_qmd_field(
            q, NVC5C0_QMDV02_03_CONSTANT_BUFFER_ADDR_UPPER(VECTOR_BANK),
            va >> 32);
        rig_qmd_field(
            q, NVC5C0_QMDV02_03_CONSTANT_BUFFER_SIZE_SHIFTED4(VECTOR_BANK),
            VECTOR_BANK_SIZE >> 4);
    }
}

/* ---- A vector in its slot ---- */

static const uint32_t *vector_rows(const Vector *v)
{
    return (const uint32_t *)(v + 1);
}

static const uint32_t *vector_bank(const Vector *v)
{
    return vector_rows(v) + LANES * (__builtin_popcount(v->in_mask) +
                                     __builtin_popcount(v->out_mask));
}

/* Rows of registers before (and after, if out is not NULL). */
static void expand(const Vector *v, uint32_t (*in)[LANES],
                   uint32_t (*out)[LANES])
{
    const uint32_t *row = vector_rows(v);

    for (unsigned r = 0; r < VECTOR_REGISTERS; r++) {
        for (unsigned n = 0; n < LANES; n++) {
            in[r][n] = VECTOR_PADDING;
        }
        if (v->in_mask >> r & 1) {
            memcpy(in[r], row, ROW);
            row += LANES;
        }
    }
    for (unsigned r = 0; out && r < VECTOR_REGISTERS; r++) {
        memcpy(out[r], in[r], ROW);
        if (v->out_mask >> r & 1) {
            memcpy(out[r], row, ROW);
            row += LANES;
        }
    }
}

static void fill_slot(SiliconRig *r, unsigned index, const Vector *v)
{
    uint64_t at = (uint64_t)index * SLOT_SIZE, va = RIG_VA + at;
    uint32_t (*in)[LANES] = (void *)(r->mem + at + SLOT_IN);

    memset(r->mem + at, 0, SLOT_SIZE);
    make_program(v, va, (Word *)(r->mem + at + SLOT_CODE));
    make_qmd(rig_words(r, at + SLOT_QMD), va, v->bank_words);
    memcpy(r->mem + at + SLOT_BANK, vector_bank(v), v->bank_words * 4);
    expand(v, in, NULL);
    for (unsigned p = 0; p < VECTOR_PREDICATES; p++) {
        for (unsigned n = 0; n < LANES; n++) {
            in[ROW_PRED + p][n] = v->p_in[p] >> n & 1;
        }
    }
}

/* ---- Results, for each instruction's name ---- */

typedef struct Verdict {
    char name[16];
    unsigned vectors, differ, refused;
    unsigned close;             /* not the same, but within their bounds */
    unsigned untranslated;      /* ... as this says: */
    const char *why;
} Verdict;

static void show_insn(const Vector *v)
{
    g_autoptr(GString) text = g_string_new(NULL);
    Sm75Insn insn;

    if (sm75_decode(v->lo, v->hi, &insn)) {
        sm75_print(&insn, 0, text);
    }
    silicon_note("  %s (%016" PRIx64 " %016" PRIx64 "):", text->str, v->hi,
                 v->lo);
}

typedef struct Judgement {
    unsigned wrong;             /* words of this lane */
    unsigned close;             /* words within their bounds, of all lanes */
    GString *text;
} Judgement;

static void hold(Judgement *j, const Vector *v, const char *what, unsigned i,
                 uint32_t want, uint32_t got)
{
    bool mufu = (v->lo & 0x1ff) == 0x108 && what[0] == 'R';

    if (want == got) {
        return;
    }
    if (mufu && vgsp_mufu_close(v->hi, want, got)) {
        j->close++;
        return;
    }
    j->wrong++;
    g_string_append_printf(j->text, " %s%u: model %08x, here %08x;", what, i,
                           want, got);
}

/* What the lane held before, and what of it is not as wanted. */
static void show_lane(const Vector *v, unsigned lane,
                      uint32_t (*in)[LANES], const Judgement *j)
{
    g_autoptr(GString) text = g_string_new(NULL);

    for (unsigned i = 0; i < VECTOR_REGISTERS; i++) {
        if (v->in_mask >> i & 1) {
            g_string_append_printf(text, " R%u %08x", i, in[i][lane]);
        }
    }
    for (unsigned i = 0; i < VECTOR_UNIFORMS; i++) {
        if (v->ur_in[i]) {
            g_string_append_printf(text, " UR%u %08x", i, v->ur_in[i]);
        }
    }
    silicon_note("    lane %u:%s of%s", lane, j->text->str, text->str);
}

static bool judge(SiliconRig *r, unsigned index, const Vector *v, bool quiet,
                  unsigned *close)
{
    uint32_t in[VECTOR_REGISTERS][LANES], want[VECTOR_REGISTERS][LANES];
    uint32_t (*got)[LANES] = (void *)(r->mem + (uint64_t)index * SLOT_SIZE +
                                      SLOT_OUT);
    g_autoptr(GString) text = g_string_new(NULL);
    Judgement j = { .text = text };
    unsigned lanes = 0;

    expand(v, in, want);
    for (unsigned n = 0; n < LANES; n++) {
        j.wrong = 0;
        g_string_truncate(text, 0);
        for (unsigned i = 0; i < VECTOR_REGISTERS; i++) {
            hold(&j, v, "R", i, want[i][n], got[i][n]);
        }
        for (unsigned i = 0; i < VECTOR_PREDICATES; i++) {
            hold(&j, v, "P", i, v->p_out[i] >> n & 1, got[ROW_PRED + i][n]);
        }
        for (unsigned i = 0; i < VECTOR_UNIFORMS; i++) {
            if (v->ur_in[i] != v->ur_out[i]) {
                hold(&j, v, "UR", i, v->ur_out[i], got[ROW_UNIFORM + i][n]);
            }
        }
        if (j.wrong && !quiet && lanes < SHOWN_LANES) {
            if (!lanes) {
                show_insn(v);
            }
            show_lane(v, n, in, &j);
        }
        lanes += j.wrong != 0;
    }
    *close += !lanes && j.close;
    return !lanes;
}

static Verdict *verdict_of(GPtrArray *verdicts, const char *name)
{
    Verdict *d;

    for (guint i = 0; i < verdicts->len; i++) {
        d = g_ptr_array_index(verdicts, i);
        if (!strcmp(d->name, name)) {
            return d;
        }
    }
    d = g_new0(Verdict, 1);
    g_strlcpy(d->name, name, sizeof(d->name));
    g_ptr_array_add(verdicts, d);
    return d;
}

/* Runs vectors in one section; those of one that died again, one by one. */
static bool run_batch(SiliconRig *r, const Vector **batch, unsigned n,
                      unsigned first, GPtrArray *verdicts)
{
    bool ok;

    rig_begin_compute(r);
    for (unsigned i = 0; i < n; i++) {
        fill_slot(r, first + i, batch[i]);
        rig_launch(r, RIG_VA + (uint64_t)(first + i) * SLOT_SIZE + SLOT_QMD);
    }
    ok = rig_run(r);
    if (!ok && n == 1) {
        Verdict *d = verdict_of(verdicts, batch[0]->name);

        d->vectors++;
        d->refused++;
        silicon_note("  %s %016" PRIx64 " %016" PRIx64 ": %s", batch[0]->name,
                     batch[0]->hi, batch[0]->lo, rig_why(r));
    }
    if (!ok) {
        if (r->s->faults >= SILICON_FAULTS_MAX || !rig_revive(r)) {
            return false;
        }
        for (unsigned i = 0; n > 1 && i < n; i++) {
            if (!run_batch(r, &batch[i], 1, first + i, verdicts)) {
                return false;
            }
        }
        return true;
    }
    for (unsigned i = 0; i < n; i++) {
        Verdict *d = verdict_of(verdicts, batch[i]->name);

        d->vectors++;
        d->differ += !judge(r, first + i, batch[i],
                            d->differ >= SHOWN_VECTORS, &d->close);
    }
    return true;
}

static bool wanted(Silicon *s, const Vector *v)
{
    for (size_t i = 0; i < G_N_ELEMENTS(no_vectors); i++) {
        if (!strcmp(v->name, no_vectors[i])) {
            return false;
        }
    }
    return !s->match || g_pattern_match_simple(s->match, v->name);
}

static guint vector_hash(gconstpointer p)
{
    const Vector *v = p;
    const uint32_t *w = p;
    guint h = 0;

    for (uint32_t i = 0; i < v->size / 4; i++) {
        h = h * 31 + w[i];
    }
    return h;
}

static gboolean vector_equal(gconstpointer a, gconstpointer b)
{
    const Vector *v = a, *w = b;

    return v->size == w->size && !memcmp(a, b, v->size);
}

/* Whether the chip has it: Hopper lacks some of Turing's instructions. */
static bool translates(SiliconRig *r, const Vector *v, GPtrArray *verdicts)
{
    Sm90Insn insn = { v->lo, v->hi };
    const char *why = strcmp(r->s->executor->chip(r->ex), "GH100")
                          ? NULL : sm90_translate(&insn);
    Verdict *d;

    if (why) {
        d = verdict_of(verdicts, v->name);
        d->untranslated++;
        d->why = why;
    }
    return !why;
}

static GPtrArray *read_vectors(Silicon *s, const char *data, size_t size)
{
    GHashTable *seen = g_hash_table_new(vector_hash, vector_equal);
    GPtrArray *all = g_ptr_array_new();

    for (size_t at = 0; at + sizeof(Vector) <= size;) {
        const Vector *v = (const Vector *)(data + at);

        if (v->size < sizeof(*v) || v->size % 8 || v->size > size - at) {
            silicon_result(s, false, "vectors: a file that is damaged");
            break;
        }
        at += v->size;
        if (wanted(s, v) && g_hash_table_add(seen, (gpointer)v)) {
            g_ptr_array_add(all, (gpointer)v);
        }
    }
    g_hash_table_destroy(seen);
    return all;
}

static void report(Silicon *s, GPtrArray *verdicts)
{
    for (guint i = 0; i < verdicts->len; i++) {
        const Verdict *d = g_ptr_array_index(verdicts, i);

        g_autofree char *close = d->close ? g_strdup_printf(
            ", %u more within their bounds", d->close) : NULL;

        silicon_result(s, !d->differ && !d->refused, "vectors %s: %u, %u "
                       "differ%s, %u refused", d->name, d->vectors, d->differ,
                       close ? close : "", d->refused);
        if (d->untranslated) {
            silicon_skip(s, d->name, "%u cannot be translated: %s",
                         d->untranslated, d->why);
        }
    }
}

static void run_vectors(Silicon *s)
{
    g_autofree char *path = g_build_filename(s->dir, "vectors.bin", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, &error);
    GPtrArray *verdicts = g_ptr_array_new_with_free_func(g_free), *all;
    SiliconRig *r;

    if (!file) {
        silicon_result(s, false, "vectors: %s", error->message);
        return;
    }
    all = read_vectors(s, g_mapped_file_get_contents(file),
                       g_mapped_file_get_length(file));
    r = rig_new(s);
    for (guint i = all->len; r && i-- > 0;) {
        if (!translates(r, g_ptr_array_index(all, i), verdicts)) {
            g_ptr_array_remove_index(all, i);
        }
    }
    for (guint i = 0; r && i < all->len; i += BATCH) {
        unsigned n = MIN(BATCH, all->len - i);

        if (g_get_monotonic_time() > s->until ||
            !run_batch(r, (const Vector **)all->pdata + i, n,
                       i % (SLOTS / BATCH * BATCH), verdicts)) {
            silicon_result(s, false, "vectors: from %u of %u on not tried",
                           i, all->len);
            break;
        }
    }
    report(s, verdicts);
    if (r) {
        rig_free(r);
    }
    g_ptr_array_free(all, TRUE);
    g_ptr_array_free(verdicts, TRUE);
}

const SiliconGroup silicon_vectors = { "vectors", run_vectors, false };
