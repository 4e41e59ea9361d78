/*
 * The programs of an address space. Code has no length in hardware state: it
 * is what control flow reaches from an entry. An instruction is translated
 * where it stands, so a page of shadow is the guest's page with the reached
 * instructions in the other encoding.
 *
 * The guest may write its pages at any time. Each page with instructions is
 * compared with its copy before a section uses it; a program of which an
 * instruction changed is forgotten, and walked again when it is used.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdlib.h>
#include <string.h>
#include "translate/sm90.h"
#include "translate/translate-int.h"

#define SLOT            16u     /* bytes of an instruction */
#define SLOTS           (PAGE_SIZE / SLOT)
#define VA_LIMIT        (UINT64_C(1) << 49)
/* Bounds: of a program, of a space. */
#define PROGRAM_INSNS   (1u << 18)
#define GUARD_INSNS     8u      /* behind where a program ends: 128 bytes */
#define SPACE_PAGES     (1u << 14)
#define SPACE_PROGRAMS  (1u << 15)
#define SPACE_DETOURS   (1u << 12)
#define DETOUR_STRIDE   128u    /* bytes */

typedef struct CodePage {
    uint64_t va;
    uint16_t refs[SLOTS];       /* programs that reach the instruction */
    uint32_t used;              /* instructions that some program reaches */
    bool dirty;                 /* the user has not seen the shadow */
    bool shadowed;              /* the user has seen one */
    /* As it was last read; as aligned as what it is compared with. */
    uint8_t guest[PAGE_SIZE] __attribute__((aligned(64)));
    uint8_t shadow[PAGE_SIZE];
} CodePage;

/* Which instructions of a page a program reaches. */
typedef struct CodePart {
    CodePage *page;
    uint64_t slots[SLOTS / 64];
} CodePart;

typedef struct CodeProgram {
    uint64_t entry;
    bool generic;
    bool open;                  /* it leads to where there was no memory */
    GArray *parts;              /* CodePart */
} CodeProgram;

struct VgspCode {
    VgspTranslateConfig config;
    GHashTable *pages;          /* by va: CodePage */
    GPtrArray *in_order;        /* the same by their addresses; NULL: stale */
    GHashTable *programs;       /* by entry: CodeProgram */
    GHashTable *walk;           /* of a walk: by va: CodePart */
    GArray *todo;               /* of a walk: uint64_t */
    GArray *ends;               /* of a walk: uint64_t, behind an end */
    bool fresh;                 /* the pages are as the guest's */
    bool dirty;                 /* some page is */
    bool open;                  /* of a walk: as a program's */
    bool full;                  /* of a walk: too many pages */
    uint64_t version;
    GHashTable *detours;        /* by address: number, plus 1 */
    uint64_t detours_va;
    uint8_t *detours_host;
    /* Of a walk: uniform registers, and those with descriptors. */
    uint64_t uniform;
    uint8_t sources[SM90_TEMPS];
    unsigned num_sources;
};

const VgspTranslateConfig *vgsp_code_config(const VgspCode *code)
{
    return &code->config;
}

uint64_t vgsp_code_version(const VgspCode *code)
{
    return code->version;
}

static void program_free(void *opaque)
{
    CodeProgram *p = opaque;

    g_array_free(p->parts, true);
    g_free(p);
}

VgspCode *vgsp_code_new(const VgspTranslateConfig *config)
{
    VgspCode *code = g_new0(VgspCode, 1);

    code->config = *config;
    code->pages = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
                                        free);
    code->programs = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
                                           program_free);
    code->walk = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL,
                                       g_free);
    code->todo = g_array_new(false, false, sizeof(uint64_t));
    code->ends = g_array_new(false, false, sizeof(uint64_t));
    code->detours = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                          NULL);
    return code;
}

void vgsp_code_free(VgspCode *code)
{
    g_hash_table_destroy(code->programs);
    g_hash_table_destroy(code->pages);
    g_clear_pointer(&code->in_order, g_ptr_array_unref);
    g_hash_table_destroy(code->walk);
    g_array_free(code->todo, true);
    g_array_free(code->ends, true);
    g_hash_table_destroy(code->detours);
    g_free(code);
}

static bool has_slot(const CodePart *part, unsigned slot)
{
    return part->slots[slot / 64] >> (slot % 64) & 1;
}

static Sm90Insn insn_at(const uint8_t *page, unsigned slot)
{
    uint64_t words[2];

    memcpy(words, page + slot * SLOT, SLOT);
    return (Sm90Insn) { GUINT64_FROM_LE(words[0]), GUINT64_FROM_LE(words[1]) };
}

static void put_insn(uint8_t *page, unsigned slot, const Sm90Insn *i)
{
    uint64_t words[2] = { GUINT64_TO_LE(i->lo), GUINT64_TO_LE(i->hi) };

    memcpy(page + slot * SLOT, words, SLOT);
}

/* ---- Programs that end ---- */

/* An instruction that no program reaches any more is the guest's own bytes. */
static void program_forget(VgspCode *code, const CodeProgram *p)
{
    code->dirty = true;
    for (guint n = 0; n < p->parts->len; n++) {
        CodePart *part = &g_array_index(p->parts, CodePart, n);

        for (unsigned s = 0; s < SLOTS; s++) {
            if (has_slot(part, s) && !--part->page->refs[s]) {
                memcpy(part->page->shadow + s * SLOT,
                       part->page->guest + s * SLOT, SLOT);
                part->page->dirty = true;
                part->page->used--;
            }
        }
    }
}

static CodePart *program_part(const CodeProgram *p, const CodePage *page)
{
    for (guint n = 0; n < p->parts->len; n++) {
        CodePart *part = &g_array_index(p->parts, CodePart, n);

        if (part->page == page) {
            return part;
        }
    }
    return NULL;
}

/* Forgets the programs that reach one of the slots (all: NULL) of a page. */
static void forget_programs(VgspCode *code, const CodePage *page,
                            const CodePart *slots)
{
    GHashTableIter iter;
    void *value;

    g_hash_table_iter_init(&iter, code->programs);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        CodePart *part = program_part(value, page);
        bool hit = part && !slots;

        for (unsigned n = 0; part && slots && n < SLOTS / 64; n++) {
            hit |= (part->slots[n] & slots->slots[n]) != 0;
        }
        if (hit) {
            program_forget(code, value);
            g_hash_table_iter_remove(&iter);
        }
    }
}

void vgsp_code_changed(VgspCode *code, uint64_t va, uint64_t size)
{
    GHashTableIter iter;
    void *value;

    g_hash_table_iter_init(&iter, code->pages);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        CodePage *page = value;

        if (page->va + PAGE_SIZE > va &&
            (page->va <= va || page->va - va < size)) {
            forget_programs(code, page, NULL);
            g_hash_table_iter_remove(&iter);
            g_clear_pointer(&code->in_order, g_ptr_array_unref);
        }
    }
    code->fresh = false;
    code->version++;
}

/* ---- Pages ---- */

/* Takes what the guest wrote since. */
static void page_update(VgspCode *code, CodePage *page, const uint8_t *bytes)
{
    CodePart changed = { 0 };
    bool reached = false;

    for (unsigned s = 0; s < SLOTS; s++) {
        if (!memcmp(page->guest + s * SLOT, bytes + s * SLOT, SLOT)) {
            continue;
        }
        memcpy(page->guest + s * SLOT, bytes + s * SLOT, SLOT);
        if (page->refs[s]) {
            changed.slots[s / 64] |= UINT64_C(1) << (s % 64);
            reached = true;
        } else {
            memcpy(page->shadow + s * SLOT, bytes + s * SLOT, SLOT);
        }
    }
    page->dirty = code->dirty = true;
    if (reached) {
        forget_programs(code, page, &changed);
    }
}

static const uint8_t *guest_page(const VgspCode *code, uint64_t va)
{
    return va < VA_LIMIT ? code->config.ops->page(code->config.opaque, va)
                         : NULL;
}

/* NULL: unmapped, or too many. */
static CodePage *page_get(VgspCode *code, uint64_t va)
{
    CodePage *page = g_hash_table_lookup(code->pages, &va);
    const uint8_t *bytes;

    if (page) {
        return page;
    }
    bytes = guest_page(code, va);
    if (!bytes) {
        code->open = true;
        return NULL;
    }
    if (g_hash_table_size(code->pages) >= SPACE_PAGES) {
        code->full = true;
        return NULL;
    }
    page = aligned_alloc(G_ALIGNOF(CodePage), sizeof(*page));
    if (!page) {
        code->full = true;
        return NULL;
    }
    memset(page, 0, sizeof(*page));
    page->va = va;
    memcpy(page->guest, bytes, PAGE_SIZE);
    memcpy(page->shadow, page->guest, PAGE_SIZE);
    g_hash_table_insert(code->pages, &page->va, page);
    g_clear_pointer(&code->in_order, g_ptr_array_unref);
    return page;
}

static int by_va(const void *a, const void *b)
{
    const CodePage *x = *(CodePage *const *)a, *y = *(CodePage *const *)b;

    return (x->va > y->va) - (x->va < y->va);
}

/* In order, so that a processor that reads ahead has what comes next. */
static GPtrArray *pages_in_order(VgspCode *code)
{
    GHashTableIter iter;
    void *value;

    if (!code->in_order) {
        code->in_order = g_ptr_array_new();
        g_hash_table_iter_init(&iter, code->pages);
        while (g_hash_table_iter_next(&iter, NULL, &value)) {
            g_ptr_array_add(code->in_order, value);
        }
        g_ptr_array_sort(code->in_order, by_va);
    }
    return code->in_order;
}

void vgsp_code_begin(VgspCode *code)
{
    code->fresh = false;
}

/* A negative errno value. */
static int refresh(VgspCode *code)
{
    g_autoptr(GPtrArray) pages = NULL;

    if (code->fresh) {
        return 0;
    }
    code->fresh = true;
    pages = g_ptr_array_ref(pages_in_order(code));
    for (guint n = 0; n < pages->len; n++) {
        CodePage *page = pages->pdata[n];
        const uint8_t *bytes;

        if (!page->used) {
            int ret = page->shadowed
                    ? code->config.ops->shadow(code->config.opaque, page->va,
                                               NULL) : 0;

            if (ret) {
                return ret;
            }
            code->version += page->shadowed;
            g_hash_table_remove(code->pages, &page->va);
            g_clear_pointer(&code->in_order, g_ptr_array_unref);
            continue;
        }
        bytes = guest_page(code, page->va);
        if (bytes && memcmp(bytes, page->guest, PAGE_SIZE)) {
            page_update(code, page, bytes);
        }
    }
    return 0;
}

/* Tells the user of changed pages. A negative errno value. */
static int flush(VgspCode *code)
{
    GHashTableIter iter;
    void *value;

    if (!code->dirty) {
        return 0;
    }
    g_hash_table_iter_init(&iter, code->pages);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        CodePage *page = value;
        int ret;

        if (!page->dirty) {
            continue;
        }
        if (page->shadowed || memcmp(page->guest, page->shadow, PAGE_SIZE)) {
            ret = code->config.ops->shadow(code->config.opaque, page->va,
                                           page->shadow);
            if (ret) {
                return ret;
            }
            page->shadowed = true;
            code->version++;
        }
        page->dirty = false;
    }
    code->dirty = false;
    return 0;
}

bool vgsp_code_overlaps(const VgspCode *code, uint64_t va, uint64_t size)
{
    GHashTableIter iter;
    void *value;

    g_hash_table_iter_init(&iter, code->pages);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const CodePage *page = value;

        if (page->va + PAGE_SIZE > va &&
            (page->va <= va || page->va - va < size)) {
            return true;
        }
    }
    return false;
}

void vgsp_code_each(const VgspCode *code,
                    void (*each)(void *opaque, uint64_t pc,
                                 const uint8_t before[16],
                                 const uint8_t after[16]),
                    void *opaque)
{
    GHashTableIter iter;
    void *value;

    g_hash_table_iter_init(&iter, code->pages);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        const CodePage *page = value;

        for (unsigned s = 0; s < SLOTS; s++) {
            if (page->refs[s]) {
                each(opaque, page->va + s * SLOT, page->guest + s * SLOT,
                     page->shadow + s * SLOT);
            }
        }
    }
}

/* ---- Detours ---- */

static unsigned source_index(const VgspCode *code, int ur)
{
    unsigned n = 0;

    while (n < code->num_sources && code->sources[n] != ur) {
        n++;
    }
    return n;
}

/*
 * Notes what a translated instruction does with uniform registers. A pair with
 * a descriptor has temporary registers of its own: groups of a warp that have
 * diverged share all of them, but see the same descriptor in a pair.
 */
static const char *note_uniform(VgspCode *code, const Sm90Insn *i)
{
    int ur = sm90_descriptor(i);

    code->uniform |= sm90_uniform(i);
    if (ur < 0 || source_index(code, ur) < code->num_sources) {
        return NULL;
    }
    if (code->num_sources == SM90_TEMPS) {
        return "too many descriptors of constant buffers at a time";
    }
    code->sources[code->num_sources++] = (uint8_t)ur;
    return NULL;
}

/* Makes *i, translated and at pc, a branch to its detour. */
static bool detour(VgspCode *code, uint64_t pc, Sm90Insn *i)
{
    unsigned number = GPOINTER_TO_UINT(g_hash_table_lookup(code->detours,
                                                           &pc));
    unsigned temp = source_index(code, sm90_descriptor(i));
    Sm90Insn out[SM90_DETOUR];
    uint64_t at;

    if (!code->detours_host) {
        void *host = NULL;

        if (code->config.ops->reserve(code->config.opaque,
                                      SPACE_DETOURS * DETOUR_STRIDE, true,
                                      &code->detours_va, &host)) {
            return false;
        }
        code->detours_host = host;
    }
    if (!number) {
        number = g_hash_table_size(code->detours) + 1;
        if (number > SPACE_DETOURS) {
            return false;
        }
        g_hash_table_insert(code->detours, g_memdup2(&pc, sizeof(pc)),
                            GUINT_TO_POINTER(number));
    }
    at = (uint64_t)(number - 1) * DETOUR_STRIDE;
    sm90_detour(i, pc, code->detours_va + at, temp, out);
    for (unsigned n = 0; n < SM90_DETOUR; n++) {
        put_insn(code->detours_host + at, n, &out[n]);
    }
    return true;
}

/* ---- Walks ---- */

static VgspCodeResult bad_at(VgspCodeBad *bad, const char *why, uint64_t pc,
                             const Sm90Insn *i)
{
    *bad = (VgspCodeBad) {
        .why = why, .pc = pc, .lo = i ? i->lo : 0, .hi = i ? i->hi : 0,
    };
    return VGSP_CODE_BAD;
}

/* The part of the walk that has pc; NULL: no memory there. */
static CodePart *walk_part(VgspCode *code, uint64_t pc)
{
    uint64_t va = pc & ~(uint64_t)(PAGE_SIZE - 1);
    CodePart *part = g_hash_table_lookup(code->walk, &va);
    CodePage *page;

    if (!part) {
        page = page_get(code, va);
        if (!page) {
            return NULL;
        }
        part = g_new0(CodePart, 1);
        part->page = page;
        g_hash_table_insert(code->walk, &page->va, part);
    }
    return part;
}

/*
 * Marks what is reached from the addresses in todo. Where there is no memory
 * the engine faults by itself.
 */
static VgspCodeResult walk(VgspCode *code, bool *generic, VgspCodeBad *bad)
{
    unsigned insns = 0;

    while (code->todo->len) {
        uint64_t pc = g_array_index(code->todo, uint64_t, code->todo->len - 1);
        CodePart *part = NULL;
        Sm90Flow f = { .next = true };

        g_array_set_size(code->todo, code->todo->len - 1);
        for (; f.next; pc += SLOT) {
            unsigned slot = pc % PAGE_SIZE / SLOT;
            Sm90Insn i, out;
            const char *why;

            if (!part || !slot) {
                part = walk_part(code, pc);
            }
            if (code->full) {
                return bad_at(bad, "too much code", pc, NULL);
            }
            if (!part || has_slot(part, slot)) {
                break;
            }
            i = out = insn_at(part->page->guest, slot);
            if (++insns > PROGRAM_INSNS) {
                return bad_at(bad, "a program that is too long", pc, &i);
            }
            f = sm90_flow(pc, i.lo, i.hi);
            if (f.indirect) {
                return bad_at(bad, "an indirect branch", pc, &i);
            }
            why = sm90_translate(&out);
            why = why ? why : note_uniform(code, &out);
            if (why) {
                return bad_at(bad, why, pc, &i);
            }
            *generic |= f.generic;
            part->slots[slot / 64] |= UINT64_C(1) << (slot % 64);
            if (f.target) {
                if (f.to % SLOT) {
                    return bad_at(bad, "a branch into an instruction", pc, &i);
                }
                g_array_append_val(code->todo, f.to);
            }
        }
        if (!f.next) {
            g_array_append_val(code->ends, pc);
        }
    }
    return VGSP_CODE_OK;
}

/*
 * Behind an end (an EXIT, say) compilers put a branch to itself, which is
 * never executed: it stops the chip from fetching ahead of the program. In the
 * other encoding it leads elsewhere, where there may be no memory, so that the
 * chip faults. Marks branches there, up to the next end; none is followed.
 */
static void walk_guard(VgspCode *code, uint64_t pc)
{
    bool open = code->open;
    Sm90Flow f = { .next = true };

    for (unsigned n = 0; n < GUARD_INSNS && f.next; n++, pc += SLOT) {
        unsigned slot = pc % PAGE_SIZE / SLOT;
        uint64_t va = pc & ~(uint64_t)(PAGE_SIZE - 1);
        CodePart *part = g_hash_table_lookup(code->walk, &va);
        CodePage *page = part ? part->page : page_get(code, va);
        Sm90Insn i;

        if (!page || (part && has_slot(part, slot))) {
            break;
        }
        i = insn_at(page->guest, slot);
        f = sm90_flow(pc, i.lo, i.hi);
        if (f.indirect || sm90_translate(&i) || sm90_descriptor(&i) >= 0) {
            break;
        }
        if (f.target) {
            part = walk_part(code, pc);
            part->slots[slot / 64] |= UINT64_C(1) << (slot % 64);
        }
    }
    code->open = open;
    code->full = false;
}

/* Writes what a walk found into the shadows. False: no memory. */
static bool take(VgspCode *code, CodeProgram *p)
{
    GHashTableIter iter;
    bool ok = true;
    void *value;

    g_hash_table_iter_init(&iter, code->walk);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        CodePart *part = value;
        CodePage *page = part->page;

        for (unsigned s = 0; s < SLOTS; s++) {
            Sm90Insn i;

            if (!has_slot(part, s) || page->refs[s]++) {
                continue;
            }
            i = insn_at(page->guest, s);
            sm90_translate(&i);
            if (sm90_descriptor(&i) >= 0) {
                ok = ok && detour(code, page->va + s * SLOT, &i);
            }
            put_insn(page->shadow, s, &i);
            page->dirty = code->dirty = true;
            page->used++;
        }
        g_array_append_val(p->parts, *part);
    }
    return ok;
}

/* Walks a program that is not known. */
static VgspCodeResult learn(VgspCode *code, uint64_t entry, CodeProgram **out,
                            VgspCodeBad *bad)
{
    bool generic = false;
    VgspCodeResult result;
    CodeProgram *p;

    if (entry % SLOT || entry >= VA_LIMIT) {
        return bad_at(bad, "a program that is not aligned", entry, NULL);
    }
    if (g_hash_table_size(code->programs) >= SPACE_PROGRAMS) {
        return bad_at(bad, "too many programs", entry, NULL);
    }
    code->open = code->full = false;
    code->uniform = 0;
    code->num_sources = 0;
    g_array_set_size(code->todo, 0);
    g_array_append_val(code->todo, entry);
    g_array_set_size(code->ends, 0);
    result = walk(code, &generic, bad);
    for (guint n = 0; result == VGSP_CODE_OK && n < code->ends->len; n++) {
        walk_guard(code, g_array_index(code->ends, uint64_t, n));
    }
    if (result == VGSP_CODE_OK && code->num_sources &&
        code->uniform >> SM90_TEMP_FIRST) {
        result = bad_at(bad, "descriptors of constant buffers, without free "
                        "uniform registers", entry, NULL);
    }
    if (result == VGSP_CODE_OK) {
        p = g_new0(CodeProgram, 1);
        p->entry = entry;
        p->generic = generic;
        p->open = code->open;
        p->parts = g_array_new(false, false, sizeof(CodePart));
        g_hash_table_insert(code->programs, &p->entry, p);
        *out = p;
        if (!take(code, p)) {
            program_forget(code, p);
            g_hash_table_remove(code->programs, &entry);
            result = bad_at(bad, "memory for longer programs", entry, NULL);
        }
    }
    g_hash_table_remove_all(code->walk);
    return result;
}

static VgspCodeResult failed(VgspCodeBad *bad, int ret)
{
    *bad = (VgspCodeBad) {
        .why = "no memory for translated programs", .ret = ret,
    };
    return VGSP_CODE_FAILED;
}

VgspCodeResult vgsp_code_use(VgspCode *code, uint64_t entry, bool *generic,
                             VgspCodeBad *bad)
{
    CodeProgram *p;
    int ret = refresh(code);

    if (ret) {
        return failed(bad, ret);
    }
    p = g_hash_table_lookup(code->programs, &entry);
    if (p && p->open) {
        program_forget(code, p);
        g_hash_table_remove(code->programs, &entry);
        p = NULL;
    }
    if (!p) {
        VgspCodeResult result = learn(code, entry, &p, bad);

        if (result != VGSP_CODE_OK) {
            return result;
        }
    }
    *generic = p->generic;
    ret = flush(code);
    return ret ? failed(bad, ret) : VGSP_CODE_OK;
}
