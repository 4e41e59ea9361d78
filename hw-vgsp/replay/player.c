/*
 * Replays recordings on an executor. The shadow's copies hold what was
 * recorded, its memory what the executor makes of it; after each section the
 * two are compared and made equal again, so that one wrong section does not
 * make all that follow wrong.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "replay/copy.h"
#include "replay/player.h"
#include "replay/shadow.h"

/* What a section of the copy engine may cost: copy.h. */
#define COPY_MAX        (UINT64_C(1) << 34)
#define COPIES_A_LOOK   4096    /* accesses, at the time */

typedef struct PlayerContext {
    VgspPlayer *player;
    uint32_t id;                /* the executor's */
    uint32_t space;             /* the recording's */
    VgspCopy copy;
    uint32_t accesses;          /* of the copy engine's section */
    gint64 until;               /* and when its time is over */
    bool dead;
} PlayerContext;

struct VgspPlayer {
    VgspPlayerConfig config;
    VgspShadow shadow;
    const VgspReplayExecutor *ops;
    void *ex;                   /* NULL: nothing runs */
    GHashTable *memory_ids;     /* recorded -> executor's */
    GHashTable *space_ids;
    GHashTable *contexts;       /* recorded -> PlayerContext */
    uint64_t memory_size;
    uint32_t running;           /* recorded context of the section, or 0 */
    VgspPlayerResult result;

    GMutex lock;                /* of what the executor's threads touch: */
    GCond cond;
    uint32_t waiting_for;       /* the executor's context that runs, or 0 */
    bool completed, faulted;
    uint64_t done_ns;
    struct vgsp_owner_fault fault;
};

static uint64_t now_ns(void)
{
    return g_get_monotonic_time() * UINT64_C(1000);
}

/* ---- The executor's events ---- */

static void completed(void *opaque, uint32_t context, uint64_t seq)
{
    VgspPlayer *p = opaque;

    g_mutex_lock(&p->lock);
    if (context == p->waiting_for && seq >= p->result.seq && !p->completed) {
        p->completed = true;
        p->done_ns = now_ns();
    }
    g_cond_broadcast(&p->cond);
    g_mutex_unlock(&p->lock);
}

static void fault(void *opaque, const struct vgsp_owner_fault *f)
{
    VgspPlayer *p = opaque;

    g_mutex_lock(&p->lock);
    if (f->context == p->waiting_for) {
        p->faulted = true;
        p->fault = *f;
        p->done_ns = p->completed ? p->done_ns : now_ns();
    }
    g_cond_broadcast(&p->cond);
    g_mutex_unlock(&p->lock);
}

static const VgspReplayEvents events = { completed, fault };

/* ---- Construction ---- */

static void memory_unmap(VgspPlayer *p, const VgspShadowMemory *m)
{
    if (p->config.ops->gone) {
        p->config.ops->gone(p->config.opaque, m->id, m->host, m->size);
    }
    vgsp_replay_memory_free(m->host, m->size);
}

static void unmap_all(VgspPlayer *p)
{
    GHashTableIter it;
    gpointer m;

    g_hash_table_iter_init(&it, p->shadow.memories);
    while (g_hash_table_iter_next(&it, NULL, &m)) {
        memory_unmap(p, m);
    }
    p->memory_size = 0;
}

/* What the shadow knows of the executor's memory. */
static void shadow_begin(VgspPlayer *p)
{
    p->shadow.kinds = p->ex && p->ops->kinds ? p->ops->kinds(p->ex) : NULL;
    p->shadow.hidden_kinds = p->ops && !p->shadow.kinds ? p->ops->hidden_kinds
                                                        : 0;
    p->shadow.ours = true;
}

VgspPlayer *vgsp_player_new(const VgspPlayerConfig *config, char **error)
{
    VgspPlayer *p = g_new0(VgspPlayer, 1);
    VgspReplayConfig executor = {
        .arg = config->arg,
        .threads = config->threads,
        .events = &events,
        .opaque = p,
    };

    p->config = *config;
    p->ops = config->executor;
    vgsp_shadow_init(&p->shadow);
    shadow_begin(p);
    p->memory_ids = g_hash_table_new(NULL, NULL);
    p->space_ids = g_hash_table_new(NULL, NULL);
    p->contexts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    g_mutex_init(&p->lock);
    g_cond_init(&p->cond);
    if (p->ops) {
        p->ex = p->ops->open(&executor, error);
        if (!p->ex) {
            vgsp_player_free(p);
            return NULL;
        }
        shadow_begin(p);
    }
    return p;
}

void vgsp_player_free(VgspPlayer *p)
{
    if (p->ex) {
        p->ops->close(p->ex);
    }
    unmap_all(p);
    vgsp_shadow_clear(&p->shadow);
    g_hash_table_destroy(p->memory_ids);
    g_hash_table_destroy(p->space_ids);
    g_hash_table_destroy(p->contexts);
    g_mutex_clear(&p->lock);
    g_cond_clear(&p->cond);
    g_free(p);
}

const char *vgsp_player_chip(VgspPlayer *p)
{
    return p->ex ? p->ops->chip(p->ex) : "nothing";
}

/* ---- Records ---- */

static uint32_t executor_id(GHashTable *ids, uint32_t id)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(ids, GUINT_TO_POINTER(id)));
}

static void set_id(GHashTable *ids, uint32_t id, uint32_t theirs)
{
    g_hash_table_insert(ids, GUINT_TO_POINTER(id), GUINT_TO_POINTER(theirs));
}

static PlayerContext *context_of(VgspPlayer *p, uint32_t id)
{
    return g_hash_table_lookup(p->contexts, GUINT_TO_POINTER(id));
}

static const char *memory_add(VgspPlayer *p, const VgspRecordMemory *r)
{
    uint32_t id = 0;
    void *host;

    if (!vgsp_range_ok(p->memory_size, r->size, p->config.memory_max)) {
        return "more memory than permitted";
    }
    if (!r->size || r->size % VGSP_RECORDING_PAGE ||
        vgsp_shadow_memory(&p->shadow, r->id)) {
        return "a memory object of impossible size, or twice";
    }
    host = vgsp_replay_memory_new(r->size);
    if (!host) {
        return "no memory";
    }
    if (!vgsp_shadow_memory_add(&p->shadow, r->id, host, r->size)) {
        vgsp_replay_memory_free(host, r->size);
        return "no memory";
    }
    p->memory_size += r->size;
    if (p->ex && p->ops->memory_add(p->ex, host, r->size, &id)) {
        return "the executor refuses memory";
    }
    set_id(p->memory_ids, r->id, id);
    return NULL;
}

static const char *memory_del(VgspPlayer *p, uint32_t id)
{
    VgspShadowMemory *m = vgsp_shadow_memory(&p->shadow, id);

    if (!m) {
        return "no such memory object";
    }
    if (p->ex) {
        p->ops->memory_del(p->ex, executor_id(p->memory_ids, id));
    }
    memory_unmap(p, m);
    p->memory_size -= m->size;
    vgsp_shadow_memory_del(&p->shadow, id);
    return NULL;
}

static const char *space_new(VgspPlayer *p, uint32_t id)
{
    uint32_t theirs = 0;

    if (!vgsp_shadow_space_new(&p->shadow, id)) {
        return "a space twice";
    }
    if (p->ex && p->ops->space_new(p->ex, &theirs)) {
        return "the executor refuses a space";
    }
    set_id(p->space_ids, id, theirs);
    return NULL;
}

static const char *space_del(VgspPlayer *p, uint32_t id)
{
    if (p->ex && p->ops->space_del(p->ex,
                                         executor_id(p->space_ids, id))) {
        return "a space that is not there or in use";
    }
    return vgsp_shadow_space_del(&p->shadow, id) ? NULL : "no such space";
}

static const char *map(VgspPlayer *p, const VgspRecord *record)
{
    const VgspRecordMap *r = record->map;
    g_autofree struct vgsp_owner_map_op *ops = NULL;

    if (!vgsp_shadow_map(&p->shadow, r->space, record->ops, r->count)) {
        return "a mapping of what is not there";
    }
    if (!p->ex || !r->count) {
        return NULL;
    }
    ops = g_memdup2(record->ops, r->count * sizeof(*ops));
    for (uint32_t i = 0; i < r->count; i++) {
        if (ops[i].op == VGSP_OWNER_MAP) {
            ops[i].memory = executor_id(p->memory_ids, ops[i].memory);
        }
    }
    return p->ops->map(p->ex, executor_id(p->space_ids, r->space), ops,
                          r->count) ? "the executor refuses a mapping" : NULL;
}

/* Memory of one mapping, at va, is kept in an order or as it is. */
static void access_memory(uint8_t *host, uint8_t *buf, size_t len, bool write,
                          const VgspKindOrder *order, uint64_t va)
{
    uint64_t within = va % VGSP_KIND_BLOCK;

    if (order && write) {
        vgsp_kind_write(order, host - within, within, buf, len);
    } else if (order) {
        vgsp_kind_read(order, host - within, within, buf, len);
    } else {
        memcpy(write ? host : buf, write ? buf : host, len);
    }
}

/* Between memory of the context's space and buf. */
static bool transfer(PlayerContext *c, uint64_t va, uint8_t *buf, size_t size,
                     bool write)
{
    if (++c->accesses % COPIES_A_LOOK == 0 &&
        g_get_monotonic_time() >= c->until) {
        c->copy.budget = 0;
    }
    while (size) {
        uint64_t len;
        uint8_t *host = (uint8_t *)vgsp_shadow_lookup(&c->player->shadow,
                                                      c->space, va, &len);

        if (!host) {
            return false;
        }
        len = MIN(len, size);
        access_memory(host, buf, len, write,
                      vgsp_shadow_order(&c->player->shadow, c->space, va), va);
        va += len;
        buf += len;
        size -= len;
    }
    return true;
}

static bool copy_read(void *opaque, uint64_t va, void *buf, size_t size)
{
    return transfer(opaque, va, buf, size, false);
}

static bool copy_write(void *opaque, uint64_t va, const void *buf, size_t size)
{
    return transfer(opaque, va, (uint8_t *)buf, size, true);
}

static uint64_t copy_clock_ns(void *opaque)
{
    VgspPlayer *p = ((PlayerContext *)opaque)->player;

    return p->ops->clock_ns(p->ex);
}

static const VgspCopyOps copy_ops = { copy_read, copy_write, copy_clock_ns };

static const char *context_new(VgspPlayer *p, const VgspRecordContext *r)
{
    PlayerContext *c;
    uint32_t id = 0;

    if (!r->id || context_of(p, r->id)) {
        return "a context twice";
    }
    if (p->ex && p->ops->context_new(
            p->ex, executor_id(p->space_ids, r->space), &id)) {
        return "the executor refuses a context";
    }
    c = g_new0(PlayerContext, 1);
    c->player = p;
    c->id = id;
    c->space = r->space;
    c->copy.ops = &copy_ops;
    c->copy.opaque = c;
    g_hash_table_insert(p->contexts, GUINT_TO_POINTER(r->id), c);
    return NULL;
}

static const char *context_del(VgspPlayer *p, uint32_t id)
{
    PlayerContext *c = context_of(p, id);

    if (!c) {
        return "no such context";
    }
    if (p->ex) {
        p->ops->context_del(p->ex, c->id);
    }
    g_hash_table_remove(p->contexts, GUINT_TO_POINTER(id));
    return NULL;
}

static const char *revoke(VgspPlayer *p)
{
    if (p->ex) {
        p->ops->revoke(p->ex);
    }
    unmap_all(p);
    vgsp_shadow_clear(&p->shadow);
    vgsp_shadow_init(&p->shadow);
    shadow_begin(p);
    g_hash_table_remove_all(p->memory_ids);
    g_hash_table_remove_all(p->space_ids);
    g_hash_table_remove_all(p->contexts);
    return NULL;
}

/*
 * Of what a page held and now holds, the bytes that changed: the rest is the
 * executor's, which may have made what no executor made there.
 */
static void patch(uint8_t *host, const uint8_t *old, const uint8_t *new,
                  const VgspKindOrder *order)
{
    for (unsigned i = 0; i < VGSP_RECORDING_PAGE; i++) {
        uint64_t at = i;

        if (old[i] != new[i] &&
            (!order || vgsp_kind_place(order, i, &at))) {
            host[at] = new[i];
        }
    }
}

/* Pages as recorded: into the copy, and before a section into memory too. */
static const char *pages(VgspPlayer *p, const VgspRecordingReader *reader,
                         const VgspRecord *record)
{
    for (uint32_t i = 0; i < record->pages->count; i++) {
        const VgspRecordPageRef *ref = &record->refs[i];
        VgspShadowMemory *m = vgsp_shadow_memory(&p->shadow, ref->memory);
        const void *contents = vgsp_recording_contents(reader, ref->page);
        uint64_t offset = ref->index * VGSP_RECORDING_PAGE;

        if (!m || ref->index >= m->size / VGSP_RECORDING_PAGE) {
            return "a page of memory that is not there";
        }
        if (!p->ex) {
            memcpy(m->host + offset, contents, VGSP_RECORDING_PAGE);
        } else if (record->type == VGSP_RECORD_BEFORE) {
            patch(m->host + offset, m->copy + offset, contents,
                  vgsp_shadow_page_order(&p->shadow, p->shadow.kinds,
                                         ref->memory, offset));
        }
        memcpy(m->copy + offset, contents, VGSP_RECORDING_PAGE);
    }
    return NULL;
}

/* ---- Sections ---- */

/*
 * Until the section is through, or has had its time. It may retire just as it
 * is killed: the context's fault then comes nevertheless.
 */
static void wait_end(VgspPlayer *p, PlayerContext *c)
{
    gint64 until = g_get_monotonic_time() +
                   p->config.timeout_s * G_TIME_SPAN_SECOND;
    bool asked = false, killed = false;

    g_mutex_lock(&p->lock);
    while (!p->faulted && (killed || !p->completed)) {
        if (asked) {
            g_cond_wait(&p->cond, &p->lock);
        } else if (!g_cond_wait_until(&p->cond, &p->lock, until)) {
            asked = true;
            g_mutex_unlock(&p->lock);
            killed = !p->ops->context_kill(p->ex, c->id,
                                           VGSP_OWNER_FAULT_TIMEOUT);
            g_mutex_lock(&p->lock);
        }
    }
    p->result.replayed = p->completed ? VGSP_OUTCOME_RETIRED
                                      : VGSP_OUTCOME_FAULT;
    c->dead = p->faulted;
    g_mutex_unlock(&p->lock);
}

static void copy_in_software(VgspPlayer *p, PlayerContext *c,
                             const VgspRecordSection *s,
                             const uint32_t *words)
{
    c->copy.budget = COPY_MAX;
    c->accesses = 0;
    c->until = g_get_monotonic_time() +
               p->config.timeout_s * G_TIME_SPAN_SECOND;
    if (vgsp_copy_section(&c->copy, words, s->count)) {
        p->result.replayed = VGSP_OUTCOME_RETIRED;
    } else {
        p->result.replayed = VGSP_OUTCOME_FAULT;
        c->dead = true;
        if (p->config.ops->copy_failed) {
            p->config.ops->copy_failed(p->config.opaque, c->copy.error);
        }
    }
    p->done_ns = now_ns();
}

static void run(VgspPlayer *p, PlayerContext *c, const VgspRecordSection *s,
                const uint32_t *words)
{
    int (*submit)(void *, uint32_t, const uint32_t *, uint32_t, uint64_t) =
        !p->result.copy ? p->ops->submit
        : p->config.software_copies ? NULL : p->ops->copy;
    uint64_t start = now_ns();

    if (c->dead) {
        return;
    }
    p->result.begun = p->ops->clock_ns(p->ex);
    if (!submit) {
        copy_in_software(p, c, s, words);
    } else if (submit(p->ex, c->id, words, s->count, s->seq)) {
        c->dead = true;
        return;
    } else {
        wait_end(p, c);
    }
    p->result.done = p->ops->clock_ns(p->ex);
    p->result.replayed_ns = p->done_ns - start;
}

static const char *section(VgspPlayer *p, const VgspRecord *record)
{
    const VgspRecordSection *s = record->section;
    PlayerContext *c = context_of(p, s->context);
    const VgspPlayerOps *ops = p->config.ops;

    if (!c) {
        return "a section of no context";
    }
    if (p->running) {
        return "a section within another";
    }
    p->running = s->context;
    g_mutex_lock(&p->lock);
    p->waiting_for = c->id;
    p->completed = p->faulted = false;
    p->result = (VgspPlayerResult) {
        .context = s->context, .seq = s->seq,
        .replayed = VGSP_OUTCOME_NOT_RUN,
        .copy = record->type == VGSP_RECORD_COPY,
    };
    g_mutex_unlock(&p->lock);
    if (ops->section) {
        ops->section(p->config.opaque, p, c->space, s, record->words);
    }
    if (p->ex) {
        run(p, c, s, record->words);
        if (p->result.replayed == VGSP_OUTCOME_FAULT && p->faulted &&
            ops->fault) {
            ops->fault(p->config.opaque, &p->fault);
        }
    }
    return NULL;
}

static bool told_in(uint64_t ns, const VgspPlayerResult *r)
{
    return r->begun <= ns && ns <= r->done;
}

static void compare_page(void *opaque, VgspShadowMemory *m, uint64_t page)
{
    VgspPlayer *p = opaque;
    uint64_t base = page * VGSP_RECORDING_PAGE;

    for (unsigned i = 0; i < VGSP_RECORDING_PAGE; i += 8) {
        uint64_t offset = base + i, got = vgsp_le64(m->host + offset);

        if (got == vgsp_le64(m->copy + offset)) {
            continue;
        }
        for (unsigned w = 0; w < 8; w += 4) {
            uint32_t recorded = vgsp_le32(m->copy + offset + w);
            uint32_t replayed = vgsp_le32(m->host + offset + w);

            if (recorded == replayed) {
                continue;
            }
            if (told_in(got, &p->result)) {
                p->result.timestamps++;
                continue;
            }
            p->result.differences++;
            if (p->config.ops->difference) {
                p->config.ops->difference(p->config.opaque, m->id, offset + w,
                                          recorded, replayed);
            }
        }
    }
    memcpy(m->host + base, m->copy + base, VGSP_RECORDING_PAGE);
}

static const char *end(VgspPlayer *p, const VgspRecordEnd *r)
{
    PlayerContext *c = context_of(p, r->context);

    if (!c || p->running != r->context || p->result.seq != r->seq ||
        r->outcome > VGSP_OUTCOME_NOT_RUN) {
        return "the end of a section that did not begin";
    }
    p->running = 0;
    p->result.recorded = r->outcome;
    p->result.recorded_ns = r->ns;
    /* Nothing was recorded to compare with where nothing ran. */
    if (p->ex && !p->config.keep && r->outcome != VGSP_OUTCOME_NOT_RUN) {
        p->result.compared = r->outcome == VGSP_OUTCOME_RETIRED &&
                             p->result.replayed == VGSP_OUTCOME_RETIRED;
        vgsp_shadow_compare(&p->shadow, c->space, compare_page, p);
    }
    if (p->config.ops->ended) {
        p->config.ops->ended(p->config.opaque, p, c->space, &p->result);
    }
    return NULL;
}

bool vgsp_player_apply(VgspPlayer *p, const VgspRecordingReader *reader,
                       const VgspRecord *record, const char **defect)
{
    switch (record->type) {
    case VGSP_RECORD_MEMORY_ADD:
        *defect = memory_add(p, record->memory);
        break;
    case VGSP_RECORD_MEMORY_DEL:
        *defect = memory_del(p, record->id->id);
        break;
    case VGSP_RECORD_SPACE_NEW:
        *defect = space_new(p, record->id->id);
        break;
    case VGSP_RECORD_SPACE_DEL:
        *defect = space_del(p, record->id->id);
        break;
    case VGSP_RECORD_MAP:
        *defect = map(p, record);
        break;
    case VGSP_RECORD_CONTEXT_NEW:
        *defect = context_new(p, record->context);
        break;
    case VGSP_RECORD_CONTEXT_DEL:
        *defect = context_del(p, record->id->id);
        break;
    case VGSP_RECORD_BEFORE:
    case VGSP_RECORD_AFTER:
        *defect = pages(p, reader, record);
        break;
    case VGSP_RECORD_SECTION:
    case VGSP_RECORD_COPY:
        *defect = section(p, record);
        break;
    case VGSP_RECORD_END:
        *defect = end(p, record->end);
        break;
    case VGSP_RECORD_REVOKE:
        *defect = revoke(p);
        break;
    default:
        *defect = NULL;
        break;
    }
    return *defect == NULL;
}

size_t vgsp_player_read(VgspPlayer *p, uint32_t space, uint64_t va, void *buf,
                        size_t size)
{
    size_t done = 0;

    while (done < size) {
        uint64_t len;
        const uint8_t *from = vgsp_shadow_lookup(&p->shadow, space, va + done,
                                                 &len);

        if (!from) {
            break;
        }
        len = MIN(len, size - done);
        memcpy((uint8_t *)buf + done, from, len);
        done += len;
    }
    return done;
}

typedef struct Protection {
    VgspPlayer *player;
    uint32_t space;
    struct vgsp_owner_map_op op;
} Protection;

static void protect(void *opaque, uint64_t va)
{
    Protection *t = opaque;
    VgspPlayer *p = t->player;

    t->op.va = va;
    p->ops->map(p->ex, t->space, &t->op, 1);
}

void vgsp_player_protect(VgspPlayer *p, uint32_t context, uint32_t memory,
                         uint64_t offset)
{
    const PlayerContext *c = context_of(p, context);
    Protection t = {
        .player = p,
        .op = {
            .op = VGSP_OWNER_MAP,
            .flags = VGSP_OWNER_MAP_READ_ONLY,
            .size = VGSP_RECORDING_PAGE,
            .memory = executor_id(p->memory_ids, memory),
            .offset = VGSP_ALIGN_DOWN(offset, VGSP_RECORDING_PAGE),
        },
    };

    if (c && p->ex) {
        t.space = executor_id(p->space_ids, c->space);
        vgsp_shadow_addresses(&p->shadow, c->space, memory, t.op.offset,
                              protect, &t);
    }
}

typedef struct Comparison {
    VgspPlayer *a, *b;
    const VgspPlayerResult *last;
    uint64_t *timestamps;
    void (*differs)(void *opaque, uint32_t memory, uint64_t offset, uint32_t a,
                    uint32_t b);
    void *opaque;
} Comparison;

static void compare_word(Comparison *c, uint32_t memory, const uint8_t *a,
                         const uint8_t *b, uint64_t offset)
{
    uint64_t pair = VGSP_ALIGN_DOWN(offset, 8);

    if (told_in(vgsp_le64(a + pair), &c->last[0]) &&
        told_in(vgsp_le64(b + pair), &c->last[1])) {
        (*c->timestamps)++;
        return;
    }
    c->differs(c->opaque, memory, offset, vgsp_le32(a + offset),
               vgsp_le32(b + offset));
}

static void compare_sides(void *opaque, VgspShadowMemory *m, uint64_t page)
{
    Comparison *c = opaque;
    VgspShadowMemory *n = vgsp_shadow_memory(&c->b->shadow, m->id);
    uint64_t base = page * VGSP_RECORDING_PAGE;

    for (uint64_t at = base; n && at < base + VGSP_RECORDING_PAGE; at += 4) {
        if (vgsp_le32(m->host + at) != vgsp_le32(n->host + at)) {
            compare_word(c, m->id, m->host, n->host, at);
        }
    }
    if (n) {
        memcpy(n->host + base, m->host + base, VGSP_RECORDING_PAGE);
    }
}

static const uint8_t *host_of(void *opaque, const VgspShadowMemory *m)
{
    VgspPlayer *b = opaque;
    VgspShadowMemory *n = vgsp_shadow_memory(&b->shadow, m->id);

    return n ? n->host : m->host;
}

void vgsp_player_compare(VgspPlayer *a, VgspPlayer *b, uint32_t space,
                         const VgspPlayerResult last[2], uint64_t *timestamps,
                         void (*differs)(void *opaque, uint32_t memory,
                                         uint64_t offset, uint32_t a,
                                         uint32_t b),
                         void *opaque)
{
    Comparison c = { a, b, last, timestamps, differs, opaque };

    vgsp_shadow_compare_with(&a->shadow, space, host_of, b, compare_sides, &c);
}

/* Exponents of numbers between 2^-64 and 2^64, biased. */
static bool usual_float(uint32_t v)
{
    uint32_t exponent = v >> 23 & 0xff;

    return exponent >= 127 - 64 && exponent <= 127 + 64;
}

uint32_t vgsp_ulp_distance(uint32_t a, uint32_t b)
{
    if (!usual_float(a) || !usual_float(b) || (a ^ b) >> 31) {
        return UINT32_MAX;
    }
    return a > b ? a - b : b - a;
}
