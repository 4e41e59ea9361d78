/*
 * Replays recordings on the functional model. The shadow's copies hold what
 * was recorded, its memory what the model makes of it; after each section the
 * two are compared and made equal again, so that one wrong section does not
 * make all that follow wrong.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <sys/mman.h>

#include "model/model.h"
#include "replay/player.h"
#include "replay/shadow.h"

/* Clock values that one section may have got; later ones are not known. */
#define CLOCKS_MAX 65536

typedef struct PlayerContext {
    uint32_t id;                /* the model's */
    uint32_t space;             /* the recording's */
    bool dead;
} PlayerContext;

struct VgspPlayer {
    VgspPlayerConfig config;
    VgspShadow shadow;
    VgspModel *model;           /* NULL: nothing runs */
    GHashTable *memory_ids;     /* recorded -> model's */
    GHashTable *space_ids;
    GHashTable *contexts;       /* recorded -> PlayerContext */
    uint64_t memory_size;
    uint32_t running;           /* recorded context of the section, or 0 */
    VgspPlayerResult result;

    GMutex lock;                /* of what the model's threads touch: */
    GCond cond;
    bool completed, faulted;
    uint64_t done_ns;
    struct vgsp_owner_fault fault;
    GHashTable *clocks;         /* values that the section got */
};

static uint64_t now_ns(void)
{
    return g_get_monotonic_time() * UINT64_C(1000);
}

/* ---- The model's events ---- */

static uint64_t clock_ns(void *opaque)
{
    VgspPlayer *p = opaque;
    uint64_t ns = now_ns();

    g_mutex_lock(&p->lock);
    if (g_hash_table_size(p->clocks) < CLOCKS_MAX) {
        g_hash_table_add(p->clocks, g_memdup2(&ns, sizeof(ns)));
    }
    g_mutex_unlock(&p->lock);
    return ns;
}

static void completed(void *opaque, uint32_t context, uint64_t seq)
{
    VgspPlayer *p = opaque;

    (void)context;
    g_mutex_lock(&p->lock);
    if (seq >= p->result.seq && !p->completed) {
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
    p->faulted = true;
    p->fault = *f;
    p->done_ns = now_ns();
    g_cond_broadcast(&p->cond);
    g_mutex_unlock(&p->lock);
}

static const VgspModelOps model_ops = {
    .clock_ns = clock_ns,
    .completed = completed,
    .fault = fault,
};

/* ---- Construction ---- */

static void memory_unmap(const VgspShadowMemory *m)
{
    munmap(m->host, m->size);
}

static void unmap_all(VgspPlayer *p)
{
    GHashTableIter it;
    gpointer m;

    g_hash_table_iter_init(&it, p->shadow.memories);
    while (g_hash_table_iter_next(&it, NULL, &m)) {
        memory_unmap(m);
    }
    p->memory_size = 0;
}

VgspPlayer *vgsp_player_new(const VgspPlayerConfig *config)
{
    VgspPlayer *p = g_new0(VgspPlayer, 1);
    VgspModelConfig model = {
        .chip = &vgsp_chip_tu104,
        .threads = config->threads,
        .ops = &model_ops,
        .opaque = p,
    };

    p->config = *config;
    vgsp_shadow_init(&p->shadow);
    p->memory_ids = g_hash_table_new(NULL, NULL);
    p->space_ids = g_hash_table_new(NULL, NULL);
    p->contexts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
    p->clocks = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
                                      NULL);
    g_mutex_init(&p->lock);
    g_cond_init(&p->cond);
    if (config->run) {
        p->model = vgsp_model_new(&model);
        if (!p->model) {
            vgsp_player_free(p);
            return NULL;
        }
    }
    return p;
}

void vgsp_player_free(VgspPlayer *p)
{
    if (p->model) {
        vgsp_model_free(p->model);
    }
    unmap_all(p);
    vgsp_shadow_clear(&p->shadow);
    g_hash_table_destroy(p->memory_ids);
    g_hash_table_destroy(p->space_ids);
    g_hash_table_destroy(p->contexts);
    g_hash_table_destroy(p->clocks);
    g_mutex_clear(&p->lock);
    g_cond_clear(&p->cond);
    g_free(p);
}

/* ---- Records ---- */

static uint32_t model_id(GHashTable *ids, uint32_t id)
{
    return GPOINTER_TO_UINT(g_hash_table_lookup(ids, GUINT_TO_POINTER(id)));
}

static void set_model_id(GHashTable *ids, uint32_t id, uint32_t model)
{
    g_hash_table_insert(ids, GUINT_TO_POINTER(id), GUINT_TO_POINTER(model));
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
    host = mmap(NULL, r->size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host == MAP_FAILED) {
        return "no memory";
    }
    if (!vgsp_shadow_memory_add(&p->shadow, r->id, host, r->size)) {
        munmap(host, r->size);
        return "no memory";
    }
    p->memory_size += r->size;
    if (p->model && vgsp_model_memory_add(p->model, host, r->size, &id)) {
        return "the model refuses memory";
    }
    set_model_id(p->memory_ids, r->id, id);
    return NULL;
}

static const char *memory_del(VgspPlayer *p, uint32_t id)
{
    VgspShadowMemory *m = vgsp_shadow_memory(&p->shadow, id);

    if (!m) {
        return "no such memory object";
    }
    if (p->model) {
        vgsp_model_memory_del(p->model, model_id(p->memory_ids, id));
    }
    memory_unmap(m);
    p->memory_size -= m->size;
    vgsp_shadow_memory_del(&p->shadow, id);
    return NULL;
}

static const char *space_new(VgspPlayer *p, uint32_t id)
{
    uint32_t model = 0;

    if (!vgsp_shadow_space_new(&p->shadow, id)) {
        return "a space twice";
    }
    if (p->model && vgsp_model_space_new(p->model, &model)) {
        return "the model refuses a space";
    }
    set_model_id(p->space_ids, id, model);
    return NULL;
}

static const char *space_del(VgspPlayer *p, uint32_t id)
{
    if (p->model && vgsp_model_space_del(p->model,
                                         model_id(p->space_ids, id))) {
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
    if (!p->model || !r->count) {
        return NULL;
    }
    ops = g_memdup2(record->ops, r->count * sizeof(*ops));
    for (uint32_t i = 0; i < r->count; i++) {
        if (ops[i].op == VGSP_OWNER_MAP) {
            ops[i].memory = model_id(p->memory_ids, ops[i].memory);
        }
    }
    return vgsp_model_map(p->model, model_id(p->space_ids, r->space), ops,
                          r->count) ? "the model refuses a mapping" : NULL;
}

static const char *context_new(VgspPlayer *p, const VgspRecordContext *r)
{
    PlayerContext *c;
    uint32_t id = 0;

    if (!r->id || context_of(p, r->id)) {
        return "a context twice";
    }
    if (p->model && vgsp_model_context_new(
            p->model, model_id(p->space_ids, r->space), &id)) {
        return "the model refuses a context";
    }
    c = g_new0(PlayerContext, 1);
    c->id = id;
    c->space = r->space;
    g_hash_table_insert(p->contexts, GUINT_TO_POINTER(r->id), c);
    return NULL;
}

static const char *context_del(VgspPlayer *p, uint32_t id)
{
    PlayerContext *c = context_of(p, id);

    if (!c) {
        return "no such context";
    }
    if (p->model) {
        vgsp_model_context_del(p->model, c->id);
    }
    g_hash_table_remove(p->contexts, GUINT_TO_POINTER(id));
    return NULL;
}

static const char *revoke(VgspPlayer *p)
{
    if (p->model) {
        vgsp_model_revoke(p->model);
    }
    unmap_all(p);
    vgsp_shadow_clear(&p->shadow);
    vgsp_shadow_init(&p->shadow);
    g_hash_table_remove_all(p->memory_ids);
    g_hash_table_remove_all(p->space_ids);
    g_hash_table_remove_all(p->contexts);
    return NULL;
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
        memcpy(m->copy + offset, contents, VGSP_RECORDING_PAGE);
        if (record->type == VGSP_RECORD_BEFORE || !p->model) {
            memcpy(m->host + offset, contents, VGSP_RECORDING_PAGE);
        }
    }
    return NULL;
}

/* ---- Sections ---- */

static void run(VgspPlayer *p, PlayerContext *c, const VgspRecordSection *s,
                const uint32_t *words)
{
    gint64 end = g_get_monotonic_time() +
                 p->config.timeout_s * G_TIME_SPAN_SECOND;
    uint64_t start = now_ns();
    bool killed = false;

    if (c->dead || vgsp_model_submit(p->model, c->id, words, s->count,
                                     s->seq)) {
        c->dead = true;
        p->result.replayed = VGSP_OUTCOME_NOT_RUN;
        return;
    }
    g_mutex_lock(&p->lock);
    while (!p->completed && !p->faulted) {
        if (killed) {
            g_cond_wait(&p->cond, &p->lock);
        } else if (!g_cond_wait_until(&p->cond, &p->lock, end)) {
            killed = true;
            g_mutex_unlock(&p->lock);
            vgsp_model_context_kill(p->model, c->id,
                                    VGSP_OWNER_FAULT_TIMEOUT);
            g_mutex_lock(&p->lock);
        }
    }
    p->result.replayed = p->faulted ? VGSP_OUTCOME_FAULT
                                    : VGSP_OUTCOME_RETIRED;
    p->result.replayed_ns = p->done_ns - start;
    c->dead = p->faulted;
    g_mutex_unlock(&p->lock);
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
    p->completed = p->faulted = false;
    g_hash_table_remove_all(p->clocks);
    p->result = (VgspPlayerResult) { .context = s->context, .seq = s->seq };
    if (ops->section) {
        ops->section(p->config.opaque, p, c->space, s, record->words);
    }
    if (p->model) {
        run(p, c, s, record->words);
        if (p->faulted && ops->fault) {
            ops->fault(p->config.opaque, &p->fault);
        }
    }
    return NULL;
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
            if (g_hash_table_contains(p->clocks, &got)) {
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
    if (p->model && r->outcome != VGSP_OUTCOME_NOT_RUN) {
        p->result.compared = r->outcome == VGSP_OUTCOME_RETIRED &&
                             p->result.replayed == VGSP_OUTCOME_RETIRED;
        vgsp_shadow_compare(&p->shadow, c->space, compare_page, p);
    }
    if (p->config.ops->ended) {
        p->config.ops->ended(p->config.opaque, &p->result);
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
