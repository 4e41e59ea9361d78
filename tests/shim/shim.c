/*
 * The ioctls of nouveau's user-space interface (nouveau_drm.h), above those
 * that mesa-drm-shim answers: what is about memory, address spaces, channels
 * and syncobjs. Interposes ioctl(), mmap() and close().
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <drm/drm.h>
#include <drm/nouveau_drm.h>
#include <nvif/ioctl.h>
#include <nvif/cl0080.h>
#include "shim.h"

#define EXPORT      __attribute__((visibility("default")))
#define VRAM_SIZE   (UINT64_C(8) << 30)
#define BAR1_SIZE   (UINT64_C(256) << 20)
/* nouveau: GPCs, and TPCs above them. The RTX 2080 SUPER's. */
#define GRAPH_UNITS (6 | 24 << 8)
#define PUSH_MAX    510
/* The loader, its options, the program: as tests/shim/run calls it. */
#define LOADER_ARGS 6

GMutex shim_lock;
GCond shim_cond;
VgspModel *shim_model;

/* An open file of the device. */
typedef struct ShimFile {
    ShimSpace *space;
    bool own_addresses;         /* VM_INIT: buffers have none of ours */
    GHashTable *channels;       /* id -> ShimChannel */
    GHashTable *handles;        /* of buffers */
} ShimFile;

static GMutex files_lock;       /* of files alone; innermost */
static GHashTable *files;       /* fd -> ShimFile */

void shim_log(const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    fputs("vgsp-shim: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
}

uint64_t shim_clock_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * UINT64_C(1000000000) + ts.tv_nsec;
}

static void model_open(void)
{
    const char *threads = getenv("VGSP_SHIM_THREADS");
    VgspModelConfig config = {
        .chip = &vgsp_chip_tu104,
        .threads = threads ? atoi(threads) : 0,
        .ops = &shim_model_ops,
    };

    shim_model = vgsp_model_new(&config);
    if (!shim_model) {
        shim_log("no model");
        abort();
    }
    shim_record_open();
}

static ShimFile *file_of(int fd)
{
    ShimFile *f;

    if (!shim_model) {
        model_open();
    }
    g_mutex_lock(&files_lock);
    if (!files) {
        files = g_hash_table_new(NULL, NULL);
    }
    f = g_hash_table_lookup(files, GINT_TO_POINTER(fd));
    if (!f) {
        f = g_new0(ShimFile, 1);
        f->channels = g_hash_table_new(NULL, NULL);
        f->handles = g_hash_table_new(NULL, NULL);
        g_hash_table_insert(files, GINT_TO_POINTER(fd), f);
    }
    g_mutex_unlock(&files_lock);
    return f;
}

static ShimSpace *space_of(ShimFile *f)
{
    if (!f->space) {
        f->space = shim_space_new();
    }
    return f->space;
}

/* ---- Ioctls, under shim_lock ---- */

static int getparam(struct drm_nouveau_getparam *a)
{
    switch (a->param) {
    case NOUVEAU_GETPARAM_GRAPH_UNITS:
        a->value = GRAPH_UNITS;
        return 0;
    case NOUVEAU_GETPARAM_PTIMER_TIME:
        a->value = shim_clock_ns();
        return 0;
    case NOUVEAU_GETPARAM_FB_SIZE:
        a->value = VRAM_SIZE;
        return 0;
    case NOUVEAU_GETPARAM_VRAM_BAR_SIZE:
        a->value = BAR1_SIZE;
        return 0;
    case NOUVEAU_GETPARAM_VRAM_USED:
        a->value = SHIM_PAGE;
        return 0;
    case NOUVEAU_GETPARAM_EXEC_PUSH_MAX:
        a->value = PUSH_MAX;
        return 0;
    case NOUVEAU_GETPARAM_HAS_VMA_TILEMODE:
        a->value = 1;
        return 0;
    default:
        return 1;               /* the drm-shim's */
    }
}

static void gem_fill(const ShimBo *bo, struct drm_nouveau_gem_info *info)
{
    *info = (struct drm_nouveau_gem_info) {
        .handle = bo->handle,
        .domain = bo->domain,
        .size = bo->size,
        .offset = bo->va,
        .map_handle = shim_bo_map_handle(bo),
        .tile_mode = bo->tile_mode,
        .tile_flags = bo->tile_flags,
    };
}

static int gem_new(ShimFile *f, struct drm_nouveau_gem_new *a)
{
    ShimSpace *s = space_of(f);
    ShimBo *bo = s ? shim_bo_new(a->info.size) : NULL;
    int r;

    if (!bo) {
        return -ENOMEM;
    }
    bo->domain = a->info.domain;
    bo->tile_mode = a->info.tile_mode;
    bo->tile_flags = a->info.tile_flags;
    r = f->own_addresses ? 0 : shim_legacy_bo(s, bo);
    if (r) {
        shim_bo_close(bo->handle);
        return r;
    }
    gem_fill(bo, &a->info);
    g_hash_table_add(f->handles, GUINT_TO_POINTER(bo->handle));
    return 0;
}

static int gem_info(struct drm_nouveau_gem_info *a)
{
    ShimBo *bo = shim_bo_find(a->handle);

    if (!bo) {
        return -ENOENT;
    }
    gem_fill(bo, a);
    return 0;
}

/* Whether work of the first interface is under way. */
static bool legacy_busy(ShimFile *f)
{
    GHashTableIter it;
    gpointer ch;

    g_hash_table_iter_init(&it, f->channels);
    while (g_hash_table_iter_next(&it, NULL, &ch)) {
        const ShimFence *last = ((ShimChannel *)ch)->last;

        if (last && !last->done) {
            return true;
        }
    }
    return false;
}

/* Of all work, not only of what uses the buffer. */
static int cpu_prep(ShimFile *f, const struct drm_nouveau_gem_cpu_prep *a)
{
    while (legacy_busy(f)) {
        if (a->flags & NOUVEAU_GEM_CPU_PREP_NOWAIT) {
            return -EBUSY;
        }
        g_cond_wait(&shim_cond, &shim_lock);
    }
    return 0;
}

static int gem_close(ShimFile *f, struct drm_gem_close *a)
{
    ShimBo *bo = shim_bo_find(a->handle);

    if (bo && bo->va) {
        while (legacy_busy(f)) {
            g_cond_wait(&shim_cond, &shim_lock);
        }
        shim_space_unmap(f->space, bo->va, bo->size);
    }
    g_hash_table_remove(f->handles, GUINT_TO_POINTER(a->handle));
    return shim_bo_close(a->handle);
}

static int bind_op(ShimSpace *s, const struct drm_nouveau_vm_bind_op *op)
{
    bool sparse = op->flags & DRM_NOUVEAU_VM_BIND_SPARSE;
    ShimBo *bo;

    if ((op->addr | op->range | op->bo_offset) & (SHIM_PAGE - 1)) {
        return -EINVAL;
    }
    switch (op->op) {
    case DRM_NOUVEAU_VM_BIND_OP_MAP:
        if (sparse) {
            return shim_space_sparse(s, op->addr, op->range, true);
        }
        if (!op->handle) {
            return shim_space_unmap(s, op->addr, op->range);
        }
        bo = shim_bo_find(op->handle);
        return bo ? shim_space_map(s, op->addr, op->range, bo, op->bo_offset,
                                   op->flags & 0xff) : -ENOENT;
    case DRM_NOUVEAU_VM_BIND_OP_UNMAP:
        return sparse ? shim_space_sparse(s, op->addr, op->range, false)
                      : shim_space_unmap(s, op->addr, op->range);
    default:
        return -EINVAL;
    }
}

/* Fills list with the fences of syncs. */
static int find_waits(uint64_t ptr, uint32_t count, GPtrArray *list)
{
    const struct drm_nouveau_sync *syncs = (void *)(uintptr_t)ptr;

    for (uint32_t i = 0; i < count; i++) {
        ShimFence *fence = shim_syncobj_find(syncs[i].handle,
                                             syncs[i].timeline_value);

        if (!fence) {
            return -ENOENT;
        }
        g_ptr_array_add(list, fence);
    }
    return 0;
}

static int attach_signals(uint64_t ptr, uint32_t count, GPtrArray *list)
{
    const struct drm_nouveau_sync *syncs = (void *)(uintptr_t)ptr;

    for (uint32_t i = 0; i < count; i++) {
        ShimFence *fence = shim_fence_new(false);

        g_ptr_array_add(list, shim_fence_ref(fence));
        if (!shim_syncobj_attach(syncs[i].handle, syncs[i].timeline_value,
                                 fence)) {
            return -ENOENT;
        }
    }
    return 0;
}

/* Waits here instead of in a queue: binding is rare. */
static int vm_bind(ShimFile *f, struct drm_nouveau_vm_bind *a)
{
    const struct drm_nouveau_vm_bind_op *ops = (void *)(uintptr_t)a->op_ptr;
    ShimSpace *s = space_of(f);
    ShimJob *job = shim_job_new();
    int r = s ? 0 : -ENOMEM;

    if (!r) {
        r = find_waits(a->wait_ptr, a->wait_count, job->waits);
    }
    for (guint i = 0; i < job->waits->len; i++) {
        while (!((ShimFence *)g_ptr_array_index(job->waits, i))->done) {
            g_cond_wait(&shim_cond, &shim_lock);
        }
    }
    for (uint32_t i = 0; !r && i < a->op_count; i++) {
        r = bind_op(s, &ops[i]);
    }
    if (!r) {
        r = attach_signals(a->sig_ptr, a->sig_count, job->signals);
    }
    shim_job_free(job);
    return r;
}

static ShimChannel *channel_of(ShimFile *f, uint32_t id)
{
    return g_hash_table_lookup(f->channels, GUINT_TO_POINTER(id));
}

static int exec(ShimFile *f, struct drm_nouveau_exec *a)
{
    const struct drm_nouveau_exec_push *pushes =
        (void *)(uintptr_t)a->push_ptr;
    ShimChannel *ch = channel_of(f, a->channel);
    ShimJob *job;
    int r;

    if (!ch) {
        return -ENOENT;
    }
    if (ch->dead) {
        return -ENODEV;
    }
    if (a->push_count > PUSH_MAX) {
        return -EINVAL;
    }
    if (!a->push_count && !a->wait_count && !a->sig_count) {
        return 0;
    }
    job = shim_job_new();
    for (uint32_t i = 0; i < a->push_count; i++) {
        ShimPush p = {
            .va = pushes[i].va,
            .words = (pushes[i].va_len & 0x7fffff) / 4,
        };

        g_array_append_val(job->pushes, p);
    }
    r = find_waits(a->wait_ptr, a->wait_count, job->waits);
    if (!r) {
        r = attach_signals(a->sig_ptr, a->sig_count, job->signals);
    }
    if (r) {
        shim_job_free(job);
        return r;
    }
    shim_channel_queue(ch, job);
    return 0;
}

static int pushbuf(ShimFile *f, struct drm_nouveau_gem_pushbuf *a)
{
    ShimChannel *ch = channel_of(f, a->channel);

    return !ch ? -ENOENT : ch->dead ? -ENODEV : shim_legacy_pushbuf(ch, a);
}

static int vm_init(ShimFile *f)
{
    f->own_addresses = true;
    return space_of(f) ? 0 : -ENOMEM;
}

static int channel_alloc(ShimFile *f, struct drm_nouveau_channel_alloc *a)
{
    ShimSpace *s = space_of(f);
    ShimChannel *ch = s ? shim_channel_new(s) : NULL;

    if (!ch) {
        return -ENOSPC;
    }
    ch->legacy = !f->own_addresses;
    a->channel = ch->id;
    a->pushbuf_domains = NOUVEAU_GEM_DOMAIN_VRAM | NOUVEAU_GEM_DOMAIN_GART;
    g_hash_table_insert(f->channels, GUINT_TO_POINTER(ch->id), ch);
    return 0;
}

static int locked(int fd, unsigned long request, void *arg)
{
    ShimFile *f = file_of(fd);

    switch (_IOC_NR(request)) {
    case DRM_COMMAND_BASE + DRM_NOUVEAU_GETPARAM:
        return getparam(arg);
    case DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_NEW:
        return gem_new(f, arg);
    case DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_INFO:
        return gem_info(arg);
    case DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_CPU_PREP:
        return cpu_prep(f, arg);
    case DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_CPU_FINI:
        return 0;
    case DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_PUSHBUF:
        return pushbuf(f, arg);
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE):
        return gem_close(f, arg);
    case DRM_COMMAND_BASE + DRM_NOUVEAU_VM_INIT:
        return vm_init(f);
    case DRM_COMMAND_BASE + DRM_NOUVEAU_VM_BIND:
        return vm_bind(f, arg);
    case DRM_COMMAND_BASE + DRM_NOUVEAU_EXEC:
        return exec(f, arg);
    case DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_ALLOC:
        return channel_alloc(f, arg);
    default:
        return 1;
    }
}

static ShimChannel *take_channel(int fd, uint32_t id)
{
    ShimFile *f;
    ShimChannel *ch;

    g_mutex_lock(&shim_lock);
    f = file_of(fd);
    ch = channel_of(f, id);
    g_hash_table_remove(f->channels, GUINT_TO_POINTER(id));
    g_mutex_unlock(&shim_lock);
    return ch;
}

/* 1: for the drm-shim. */
static int shim_ioctl(int fd, unsigned long request, void *arg)
{
    int r;

    if (_IOC_NR(request) == DRM_COMMAND_BASE + DRM_NOUVEAU_CHANNEL_FREE) {
        ShimChannel *ch = take_channel(
            fd, ((struct drm_nouveau_channel_free *)arg)->channel);

        if (!ch) {
            return -ENOENT;
        }
        shim_channel_free(ch);
        return 0;
    }
    if (_IOC_NR(request) >= _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE) &&
        _IOC_NR(request) <= _IOC_NR(DRM_IOCTL_SYNCOBJ_EVENTFD)) {
        return shim_syncobj_ioctl(request, arg);
    }
    g_mutex_lock(&shim_lock);
    r = locked(fd, request, arg);
    g_mutex_unlock(&shim_lock);
    return r;
}

/* What the drm-shim says of the device, put right. */
static void fix_info(void *arg)
{
    struct {
        struct nvif_ioctl_v0 ioctl;
        struct nvif_ioctl_mthd_v0 mthd;
        struct nv_device_info_v0 info;
    } *a = arg;

    if (a->ioctl.type == NVIF_IOCTL_V0_MTHD &&
        a->mthd.method == NV_DEVICE_V0_INFO) {
        a->info.ram_size = a->info.ram_user = VRAM_SIZE;
        g_strlcpy(a->info.chip, "TU104", sizeof(a->info.chip));
        g_strlcpy(a->info.name, vgsp_chip_tu104.name, sizeof(a->info.name));
    }
}

/* ---- Interposed functions ---- */

#define NEXT(name) \
    ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

EXPORT int ioctl(int fd, unsigned long request, ...)
{
    va_list ap;
    void *arg;
    int r;

    va_start(ap, request);
    arg = va_arg(ap, void *);
    va_end(ap);
    if (_IOC_TYPE(request) == DRM_IOCTL_BASE) {
        r = shim_ioctl(fd, request, arg);
        if (r <= 0) {
            errno = -r;
            return r ? -1 : 0;
        }
    }
    r = NEXT(ioctl)(fd, request, arg);
    if (!r && _IOC_TYPE(request) == DRM_IOCTL_BASE &&
        _IOC_NR(request) == DRM_COMMAND_BASE + DRM_NOUVEAU_NVIF) {
        fix_info(arg);
    }
    return r;
}

EXPORT void *mmap(void *addr, size_t len, int prot, int flags, int fd,
                  off_t offset)
{
    ShimBo *bo = NULL;

    if (shim_bo_is_map_handle(offset)) {
        g_mutex_lock(&shim_lock);
        bo = shim_bo_find_map(offset);
        g_mutex_unlock(&shim_lock);
    }
    if (bo) {
        fd = bo->fd;
        offset = 0;
    }
    return NEXT(mmap)(addr, len, prot, flags, fd, offset);
}

EXPORT void *mmap64(void *addr, size_t len, int prot, int flags, int fd,
                    off64_t offset) __attribute__((alias("mmap")));

static gboolean free_handle(gpointer handle, gpointer value, gpointer opaque)
{
    (void)value;
    (void)opaque;
    shim_bo_close(GPOINTER_TO_UINT(handle));
    return TRUE;
}

static void file_close(ShimFile *f)
{
    GHashTableIter it;
    gpointer ch;

    g_hash_table_iter_init(&it, f->channels);
    while (g_hash_table_iter_next(&it, NULL, &ch)) {
        shim_channel_free(ch);
    }
    g_mutex_lock(&shim_lock);
    if (f->space) {
        shim_space_free(f->space);
    }
    g_hash_table_foreach_remove(f->handles, free_handle, NULL);
    g_mutex_unlock(&shim_lock);
    g_hash_table_destroy(f->channels);
    g_hash_table_destroy(f->handles);
    g_free(f);
}

/*
 * The program runs under a loader that was named (tests/shim/run), and so does
 * one that starts itself again.
 */
EXPORT int posix_spawn(pid_t *pid, const char *path,
                       const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attr, char *const argv[],
                       char *const envp[])
{
    g_autofree char *cmdline = NULL;
    g_autoptr(GPtrArray) args = NULL;
    gsize size;

    if (strcmp(path, "/proc/self/exe") ||
        !g_file_get_contents("/proc/self/cmdline", &cmdline, &size, NULL)) {
        return NEXT(posix_spawn)(pid, path, actions, attr, argv, envp);
    }
    args = g_ptr_array_new();
    for (char *p = cmdline; p < cmdline + size; p += strlen(p) + 1) {
        g_ptr_array_add(args, p);
        if (args->len == LOADER_ARGS) {
            break;
        }
    }
    while (*argv && *++argv) {
        g_ptr_array_add(args, *argv);
    }
    g_ptr_array_add(args, NULL);
    return NEXT(posix_spawn)(pid, path, actions, attr,
                             (char *const *)args->pdata, envp);
}

EXPORT int close(int fd)
{
    ShimFile *f = NULL;

    g_mutex_lock(&files_lock);
    if (files) {
        f = g_hash_table_lookup(files, GINT_TO_POINTER(fd));
        g_hash_table_remove(files, GINT_TO_POINTER(fd));
    }
    g_mutex_unlock(&files_lock);
    if (f) {
        file_close(f);
    }
    return NEXT(close)(fd);
}
