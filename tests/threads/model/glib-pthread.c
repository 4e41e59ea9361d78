/*
 * GLib's locks and threads as pthread's, for a program under ThreadSanitizer:
 * GLib waits with futexes of its own, which the sanitizer does not know. Only
 * what the model uses, and locks must be initialised.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <glib.h>
#include <pthread.h>

void g_mutex_init(GMutex *mutex)
{
    mutex->p = g_new(pthread_mutex_t, 1);
    pthread_mutex_init(mutex->p, NULL);
}

void g_mutex_clear(GMutex *mutex)
{
    pthread_mutex_destroy(mutex->p);
    g_free(mutex->p);
}

void g_mutex_lock(GMutex *mutex)
{
    pthread_mutex_lock(mutex->p);
}

void g_mutex_unlock(GMutex *mutex)
{
    pthread_mutex_unlock(mutex->p);
}

void g_cond_init(GCond *cond)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    cond->p = g_new(pthread_cond_t, 1);
    pthread_cond_init(cond->p, &attr);
    pthread_condattr_destroy(&attr);
}

void g_cond_clear(GCond *cond)
{
    pthread_cond_destroy(cond->p);
    g_free(cond->p);
}

void g_cond_wait(GCond *cond, GMutex *mutex)
{
    pthread_cond_wait(cond->p, mutex->p);
}

gboolean g_cond_wait_until(GCond *cond, GMutex *mutex, gint64 end_time)
{
    struct timespec ts = {
        .tv_sec = end_time / G_USEC_PER_SEC,
        .tv_nsec = end_time % G_USEC_PER_SEC * 1000,
    };

    return pthread_cond_timedwait(cond->p, mutex->p, &ts) == 0;
}

void g_cond_signal(GCond *cond)
{
    pthread_cond_signal(cond->p);
}

void g_cond_broadcast(GCond *cond)
{
    pthread_cond_broadcast(cond->p);
}

typedef struct Thread {
    pthread_t id;
    GThreadFunc func;
    gpointer data;
} Thread;

static void *thread_main(void *opaque)
{
    Thread *thread = opaque;

    return thread->func(thread->data);
}

GThread *g_thread_try_new(const gchar *name G_GNUC_UNUSED, GThreadFunc func,
                          gpointer data, GError **error G_GNUC_UNUSED)
{
    Thread *thread = g_new0(Thread, 1);

    thread->func = func;
    thread->data = data;
    if (pthread_create(&thread->id, NULL, thread_main, thread)) {
        g_free(thread);
        return NULL;
    }
    return (GThread *)thread;
}

GThread *g_thread_new(const gchar *name, GThreadFunc func, gpointer data)
{
    GThread *thread = g_thread_try_new(name, func, data, NULL);

    if (!thread) {
        g_error("no thread");
    }
    return thread;
}

gpointer g_thread_join(GThread *opaque)
{
    Thread *thread = (Thread *)opaque;
    void *result;

    pthread_join(thread->id, &result);
    g_free(thread);
    return result;
}
