/*
 * The recorder (hw-vgsp/owner/record.c) between a user and an executor that
 * does what it is told: every fault reaches the user and the file, in order,
 * whenever it comes. And an executor that pins memory (owner/executor.c).
 *
 * usage: record-check; scripts/check-shadow builds it
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/thread.h"
#include "qemu/thread-context.h"
#include "owner/executor.h"
#include "replay/recording.h"

#define PAGE    4096u

static VgspState state;
static const VgspExecutorEvents *inner_events;
static int discard_disabled, discard_refused;
static bool open_refused;

static QemuMutex lock;
static QemuCond cond;
static unsigned submitted;      /* sections that the executor has */
static int submit_returns;
static GString *heard;          /* by the user, a letter an event */

/* ---- What the recorder needs ---- */

/* Of QOM, which is not here; nothing asks for it. */
void thread_context_create_thread(ThreadContext *tc, QemuThread *thread,
                                  const char *name,
                                  void *(*start_routine)(void *), void *arg,
                                  int mode)
{
    abort();
}

int ram_block_discard_disable(bool on)
{
    if (on && discard_refused) {
        return -EBUSY;
    }
    discard_disabled += on ? 1 : -1;
    return 0;
}

static VgspExecutor inner = { .ops = &vgsp_executor_model };

static VgspExecutor *inner_open(VgspState *s, const char *arg,
                                const VgspExecutorEvents *events,
                                VgspChip *chip, Error **errp)
{
    if (open_refused) {
        error_setg(errp, "refused");
        return NULL;
    }
    inner_events = events;
    chip->name = "check";
    return &inner;
}

static void inner_none(VgspExecutor *ex)
{
}

static int inner_memory_add(VgspExecutor *ex, void *host, uint64_t size,
                            uint32_t *id)
{
    *id = 1;
    return 0;
}

static int inner_space_new(VgspExecutor *ex, uint32_t *id)
{
    *id = 1;
    return 0;
}

static int inner_map(VgspExecutor *ex, uint32_t space,
                     const struct vgsp_owner_map_op *ops, size_t count)
{
    return 0;
}

static int inner_context_new(VgspExecutor *ex, uint32_t space,
                             enum vgsp_owner_engine engine,
                             uint32_t timeslice_us, uint32_t *id)
{
    static uint32_t last;

    *id = ++last;
    return 0;
}

static int inner_del(VgspExecutor *ex, uint32_t id)
{
    return 0;
}

static int inner_submit(VgspExecutor *ex, uint32_t context,
                        const uint32_t *words, uint32_t count, uint64_t seq)
{
    const struct vgsp_owner_fault f = {
        .context = context, .kind = VGSP_OWNER_FAULT_TIMEOUT, .seq = seq,
    };

    WITH_QEMU_LOCK_GUARD(&lock) {
        submitted++;
        qemu_cond_broadcast(&cond);
    }
    if (submit_returns == -EIO) {
        inner_events->fault(&state, &f);    /* another thread's, just now */
    }
    return submit_returns;
}

const VgspExecutorOps vgsp_executor_model = {
    .name = "model",
    .pins_memory = true,
    .open = inner_open,
    .close = inner_none,
    .memory_add = inner_memory_add,
    .space_new = inner_space_new,
    .space_del = inner_del,
    .map = inner_map,
    .context_new = inner_context_new,
    .context_del = inner_del,
    .submit = inner_submit,
    .revoke = inner_none,
};
const VgspExecutorOps vgsp_executor_null, vgsp_executor_rm;

/* ---- The user ---- */

static void hear(char what, uint32_t context)
{
    QEMU_LOCK_GUARD(&lock);
    g_string_append_printf(heard, "%c%u ", what, context);
    qemu_cond_broadcast(&cond);
}

static void user_completed(VgspState *s, uint32_t context, uint64_t seq)
{
    hear('c', context);
}

static void user_fault(VgspState *s, const struct vgsp_owner_fault *fault)
{
    hear(fault->kind == VGSP_OWNER_FAULT_LOST ? 'L' : 'f', fault->context);
}

static const VgspExecutorEvents user_events = {
    .completed = user_completed,
    .fault = user_fault,
};

/* Ends the process if the user has not heard exactly that in ten seconds. */
static void expect(const char *what)
{
    QEMU_LOCK_GUARD(&lock);
    while (strcmp(heard->str, what)) {
        if (!qemu_cond_timedwait(&cond, &lock, 10000)) {
            fprintf(stderr, "record-check: '%s', not '%s'\n", heard->str,
                    what);
            abort();
        }
    }
    g_string_truncate(heard, 0);
}

static void submit(uint32_t context, uint64_t seq)
{
    const uint32_t words[] = { 0x20010000, 0 };

    g_assert_cmpint(state.executor->ops->submit(state.executor, context,
                                                words, 2, seq), ==, 0);
}

/* Until the executor has been given that many sections. */
static void wait_submitted(unsigned n)
{
    QEMU_LOCK_GUARD(&lock);
    while (submitted < n) {
        g_assert_true(qemu_cond_timedwait(&cond, &lock, 10000));
    }
    submitted -= n;
}

static void fault(uint32_t context)
{
    const struct vgsp_owner_fault f = {
        .context = context, .kind = VGSP_OWNER_FAULT_TIMEOUT,
    };

    inner_events->fault(&state, &f);
}

static uint32_t context_new(void)
{
    uint32_t id;

    g_assert_cmpint(state.executor->ops->context_new(
        state.executor, 1, VGSP_OWNER_ENGINE_GR, 0, &id), ==, 0);
    return id;
}

static void context_del(uint32_t id)
{
    state.executor->ops->context_del(state.executor, id);
}

/* What the file says, in the same letters; s and e: a section's ends. */
static void expect_file(const char *path, const char *what)
{
    g_autoptr(GString) s = g_string_new(NULL);
    g_autofree char *data = NULL;
    VgspRecordingReader *r;
    VgspRecord record;
    gsize size;

    g_assert_true(g_file_get_contents(path, &data, &size, NULL));
    r = vgsp_recording_open(data, size, NULL);
    while (vgsp_recording_next(r, &record)) {
        switch (record.type) {
        case VGSP_RECORD_SECTION:
            g_string_append_printf(s, "s%u ", record.section->context);
            break;
        case VGSP_RECORD_END:
            g_string_append_printf(s, "e%u:%u ", record.end->context,
                                   record.end->outcome);
            break;
        case VGSP_RECORD_FAULT:
            g_string_append_printf(s, "f%u ", record.fault->context);
            break;
        case VGSP_RECORD_CONTEXT_DEL:
            g_string_append_printf(s, "d%u ", record.id->id);
            break;
        default:
            break;
        }
    }
    g_assert_null(vgsp_recording_defect(r));
    vgsp_recording_free(r);
    if (strcmp(s->str, what)) {
        fprintf(stderr, "record-check: file '%s', not '%s'\n", s->str, what);
        abort();
    }
}

int main(int argc, char **argv)
{
    g_autofree char *path = g_strdup_printf("%s/vgsp-record-%d",
                                            g_get_tmp_dir(), getpid());
    static uint8_t memory[PAGE] QEMU_ALIGNED(4096);
    Error *err = NULL;
    uint32_t id, a, b;

    qemu_mutex_init(&lock);
    qemu_cond_init(&cond);
    heard = g_string_new(NULL);
    state.record = path;

    /* An executor that pins: nothing may discard while it is open. */
    discard_refused = true;
    g_assert_null(vgsp_executor_open(&state, &user_events, &err));
    error_free_or_abort(&err);
    discard_refused = false;
    open_refused = true;
    g_assert_null(vgsp_executor_open(&state, &user_events, &err));
    error_free_or_abort(&err);
    g_assert_cmpint(discard_disabled, ==, 0);
    open_refused = false;
    state.executor = vgsp_executor_open(&state, &user_events, &error_abort);
    g_assert_cmpint(discard_disabled, ==, 1);

    state.executor->ops->memory_add(state.executor, memory, PAGE, &id);
    state.executor->ops->space_new(state.executor, &id);
    a = context_new();
    b = context_new();
    g_assert_true(a == 1 && b == 2);

    /* Of the section that runs; of another context meanwhile. */
    submit(a, 1);
    wait_submitted(1);
    fault(b);
    expect("f2 ");
    inner_events->completed(&state, a, 1);
    expect("c1 ");

    /* Right behind a completion: while that is being saved. */
    submit(a, 2);
    wait_submitted(1);
    inner_events->completed(&state, a, 2);
    fault(a);
    expect("c1 f1 ");

    /* Between submission and refusal: the context has died of a kill. */
    context_del(b);
    b = context_new();
    submit_returns = -EIO;
    submit(b, 1);
    wait_submitted(1);
    expect("f3 ");

    /* While nothing runs, and before the context goes. */
    submit_returns = 0;
    context_del(a);
    a = context_new();
    fault(a);
    context_del(a);
    expect("f4 ");

    /* Of the section, then of another; and what the executor refuses. */
    a = context_new();
    submit(a, 7);
    wait_submitted(1);
    fault(a);
    fault(b);
    expect("f5 f3 ");
    submit_returns = -EINVAL;
    submit(b, 2);
    wait_submitted(1);
    expect("L3 ");

    vgsp_executor_close(state.executor);
    g_assert_cmpint(discard_disabled, ==, 0);
    expect_file(path, "s1 f2 e1:0 s1 e1:0 f1 d2 s3 e3:2 f3 d1 f4 d4 "
                      "s5 f5 e5:1 f3 s3 f3 e3:1 ");
    unlink(path);
    g_string_free(heard, true);
    qemu_cond_destroy(&cond);
    qemu_mutex_destroy(&lock);
    printf("record-check: ok\n");
    return 0;
}
