/*
 * DRM syncobjs, binary and timeline, as drm_syncobj.c keeps them for a driver
 * whose fences signal in order. Sharing between processes is not offered.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <errno.h>
#include <drm/drm.h>
#include "shim.h"

typedef struct SyncPoint {
    uint64_t value;
    ShimFence *fence;
} SyncPoint;

typedef struct SyncObj {
    ShimFence *fence;           /* of a binary one */
    GArray *points;             /* SyncPoint, ascending */
    uint64_t last;              /* highest point that was dropped as done */
} SyncObj;

static GHashTable *objs;
static uint32_t next_handle = 1;

ShimFence *shim_fence_new(bool done)
{
    ShimFence *f = g_new0(ShimFence, 1);

    f->refs = 1;
    f->done = done;
    return f;
}

ShimFence *shim_fence_ref(ShimFence *f)
{
    f->refs++;
    return f;
}

void shim_fence_unref(ShimFence *f)
{
    if (f && !--f->refs) {
        g_free(f);
    }
}

void shim_fence_signal(ShimFence *f)
{
    f->done = true;
    g_cond_broadcast(&shim_cond);
}

static SyncObj *find(uint32_t handle)
{
    return objs ? g_hash_table_lookup(objs, GUINT_TO_POINTER(handle)) : NULL;
}

static void reset(SyncObj *o)
{
    shim_fence_unref(o->fence);
    o->fence = NULL;
    for (guint i = 0; i < o->points->len; i++) {
        shim_fence_unref(g_array_index(o->points, SyncPoint, i).fence);
    }
    g_array_set_size(o->points, 0);
    o->last = 0;
}

/* Drops points that are done; the fences of a timeline signal in order. */
static void prune(SyncObj *o)
{
    while (o->points->len) {
        SyncPoint *p = &g_array_index(o->points, SyncPoint, 0);

        if (!p->fence->done) {
            break;
        }
        o->last = p->value;
        shim_fence_unref(p->fence);
        g_array_remove_index(o->points, 0);
    }
}

/* Whether the point has a fence, and whether that has signalled. */
static bool state(SyncObj *o, uint64_t point, bool *done)
{
    *done = false;
    if (!point) {
        if (!o->fence && (o->points->len || o->last)) {
            prune(o);
            *done = !o->points->len;
            return true;
        }
        *done = o->fence && o->fence->done;
        return o->fence != NULL;
    }
    prune(o);
    if (point <= o->last) {
        *done = true;
        return true;
    }
    return o->points->len &&
           g_array_index(o->points, SyncPoint, o->points->len - 1).value >=
               point;
}

ShimFence *shim_syncobj_find(uint32_t handle, uint64_t point)
{
    SyncObj *o = find(handle);
    bool done;

    if (!o || !state(o, point, &done)) {
        return NULL;
    }
    if (done) {
        return shim_fence_new(true);
    }
    if (!point && o->fence) {
        return shim_fence_ref(o->fence);
    }
    for (guint i = 0; i < o->points->len; i++) {
        SyncPoint *p = &g_array_index(o->points, SyncPoint, i);

        if (p->value >= point || (!point && i == o->points->len - 1)) {
            return shim_fence_ref(p->fence);
        }
    }
    return NULL;
}

bool shim_syncobj_attach(uint32_t handle, uint64_t point, ShimFence *f)
{
    SyncObj *o = find(handle);

    if (!o) {
        shim_fence_unref(f);
        return false;
    }
    if (point) {
        g_array_append_vals(o->points, &(SyncPoint) { point, f }, 1);
    } else {
        shim_fence_unref(o->fence);
        o->fence = f;
    }
    g_cond_broadcast(&shim_cond);
    return true;
}

static int create(struct drm_syncobj_create *a)
{
    SyncObj *o = g_new0(SyncObj, 1);

    if (!objs) {
        objs = g_hash_table_new(NULL, NULL);
    }
    o->points = g_array_new(FALSE, FALSE, sizeof(SyncPoint));
    if (a->flags & DRM_SYNCOBJ_CREATE_SIGNALED) {
        o->fence = shim_fence_new(true);
    }
    a->handle = next_handle++;
    g_hash_table_insert(objs, GUINT_TO_POINTER(a->handle), o);
    return 0;
}

static int destroy(struct drm_syncobj_destroy *a)
{
    SyncObj *o = find(a->handle);

    if (!o) {
        return -EINVAL;
    }
    reset(o);
    g_array_free(o->points, TRUE);
    g_free(o);
    g_hash_table_remove(objs, GUINT_TO_POINTER(a->handle));
    return 0;
}

/* points is NULL for the binary form. */
static int wait_many(const uint32_t *handles, const uint64_t *points,
                     uint32_t count, int64_t timeout_ns, uint32_t flags,
                     uint32_t *first)
{
    gint64 end = timeout_ns / 1000;

    for (;;) {
        uint32_t ready = 0;

        for (uint32_t i = 0; i < count; i++) {
            SyncObj *o = find(handles[i]);
            bool done, there;

            if (!o) {
                return -ENOENT;
            }
            there = state(o, points ? points[i] : 0, &done);
            if (!there && !(flags & (DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT |
                                     DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE))) {
                return -EINVAL;
            }
            if (done || (there &&
                         (flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_AVAILABLE))) {
                *first = i;
                ready++;
            }
        }
        if (ready == count || (ready && !(flags &
                                    DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL))) {
            return 0;
        }
        if (g_get_monotonic_time() >= end ||
            !g_cond_wait_until(&shim_cond, &shim_lock, end)) {
            return -ETIME;
        }
    }
}

static int query(struct drm_syncobj_timeline_array *a)
{
    const uint32_t *handles = (void *)(uintptr_t)a->handles;
    uint64_t *points = (void *)(uintptr_t)a->points;

    for (uint32_t i = 0; i < a->count_handles; i++) {
        SyncObj *o = find(handles[i]);

        if (!o) {
            return -ENOENT;
        }
        prune(o);
        points[i] = o->last;
        if ((a->flags & DRM_SYNCOBJ_QUERY_FLAGS_LAST_SUBMITTED) &&
            o->points->len) {
            points[i] = g_array_index(o->points, SyncPoint,
                                      o->points->len - 1).value;
        }
    }
    return 0;
}

/* SIGNAL and RESET, and TIMELINE_SIGNAL with points. */
static int each(uint64_t handle_array, const uint64_t *points,
                uint32_t count, bool signal)
{
    const uint32_t *handles = (void *)(uintptr_t)handle_array;

    for (uint32_t i = 0; i < count; i++) {
        SyncObj *o = find(handles[i]);

        if (!o) {
            return -ENOENT;
        }
        if (!points) {
            reset(o);
        }
        if (signal) {
            shim_syncobj_attach(handles[i], points ? points[i] : 0,
                                shim_fence_new(true));
        }
    }
    return 0;
}

static int transfer(struct drm_syncobj_transfer *a)
{
    ShimFence *f = shim_syncobj_find(a->src_handle, a->src_point);

    if (!f) {
        return -EINVAL;
    }
    return shim_syncobj_attach(a->dst_handle, a->dst_point, f) ? 0 : -ENOENT;
}

static int locked(unsigned long request, void *arg)
{
    switch (request) {
    case DRM_IOCTL_SYNCOBJ_CREATE:
        return create(arg);
    case DRM_IOCTL_SYNCOBJ_DESTROY:
        return destroy(arg);
    case DRM_IOCTL_SYNCOBJ_WAIT: {
        struct drm_syncobj_wait *a = arg;

        return wait_many((void *)(uintptr_t)a->handles, NULL,
                         a->count_handles, a->timeout_nsec, a->flags,
                         &a->first_signaled);
    }
    case DRM_IOCTL_SYNCOBJ_TIMELINE_WAIT: {
        struct drm_syncobj_timeline_wait *a = arg;

        return wait_many((void *)(uintptr_t)a->handles,
                         (void *)(uintptr_t)a->points, a->count_handles,
                         a->timeout_nsec, a->flags, &a->first_signaled);
    }
    case DRM_IOCTL_SYNCOBJ_QUERY:
        return query(arg);
    case DRM_IOCTL_SYNCOBJ_SIGNAL:
    case DRM_IOCTL_SYNCOBJ_RESET: {
        struct drm_syncobj_array *a = arg;

        return each(a->handles, NULL, a->count_handles,
                    request == DRM_IOCTL_SYNCOBJ_SIGNAL);
    }
    case DRM_IOCTL_SYNCOBJ_TIMELINE_SIGNAL: {
        struct drm_syncobj_timeline_array *a = arg;

        return each(a->handles, (void *)(uintptr_t)a->points,
                    a->count_handles, true);
    }
    case DRM_IOCTL_SYNCOBJ_TRANSFER:
        return transfer(arg);
    default:
        return -EOPNOTSUPP;
    }
}

int shim_syncobj_ioctl(unsigned long request, void *arg)
{
    int r;

    g_mutex_lock(&shim_lock);
    r = locked(request, arg);
    g_mutex_unlock(&shim_lock);
    return r;
}
