/*
 * The client of NVIDIA's resource manager: its device nodes, the release of
 * the driver, the chip behind it, and the few kinds of requests.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE             /* ppoll() */
#endif
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "owner/rm/rm-int.h"

/* ---- The operating system ---- */

static int os_open(void *opaque, const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);

    (void)opaque;
    return fd < 0 ? -errno : fd;
}

static void os_close(void *opaque, int fd)
{
    (void)opaque;
    close(fd);
}

static int os_ioctl(void *opaque, int fd, unsigned nr, void *arg, size_t size)
{
    int ret;

    (void)opaque;
    do {
        ret = ioctl(fd, NV_IOWR(nr, size), arg);
    } while (ret < 0 && (errno == EINTR || errno == EAGAIN));
    return ret < 0 ? -errno : 0;
}

static void *os_mmap(void *opaque, int fd, size_t size)
{
    void *ptr = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    (void)opaque;
    return ptr == MAP_FAILED ? NULL : ptr;
}

static void os_munmap(void *opaque, void *ptr, size_t size)
{
    (void)opaque;
    munmap(ptr, size);
}

static int os_wait(void *opaque, int wake, int fd, int64_t timeout_us)
{
    struct pollfd fds[2] = {
        { .fd = wake, .events = POLLIN }, { .fd = fd, .events = POLLIN },
    };
    const struct timespec timeout = {
        .tv_sec = timeout_us / G_USEC_PER_SEC,
        .tv_nsec = timeout_us % G_USEC_PER_SEC * 1000,
    };
    uint64_t calls;
    int ret;

    (void)opaque;
    if (ppoll(fds, fd < 0 ? 1 : 2, timeout_us < 0 ? NULL : &timeout,
              NULL) < 0) {
        return -errno;
    }
    if (fds[1].revents & (POLLERR | POLLHUP | POLLNVAL)) {
        return -EIO;            /* the GPU is lost */
    }
    ret = fds[1].revents ? RM_WAKE_EVENT : 0;
    if (fds[0].revents && read(wake, &calls, sizeof(calls)) > 0) {
        ret |= RM_WAKE_CALL;
    }
    return ret;
}

static const RmOs os_linux = {
    .open = os_open,
    .close = os_close,
    .ioctl = os_ioctl,
    .mmap = os_mmap,
    .munmap = os_munmap,
    .wait = os_wait,
};

/* ---- Requests ---- */

void rm_log(VgspRm *rm, const char *format, ...)
{
    va_list ap;
    char *line;

    if (!rm->ops || !rm->ops->log) {
        return;
    }
    va_start(ap, format);
    line = g_strdup_vprintf(format, ap);
    va_end(ap);
    rm->ops->log(rm->opaque, line);
    g_free(line);
}

int rm_errno(uint32_t status)
{
    switch (status) {
    case NV_OK:
        return 0;
    case NV_ERR_NO_MEMORY:
    case NV_ERR_INSUFFICIENT_RESOURCES:
    case NV_ERR_INVALID_ADDRESS:
        return -ENOMEM;
    case NV_ERR_INSUFFICIENT_PERMISSIONS:
        return -EPERM;
    case NV_ERR_NOT_SUPPORTED:
        return -EOPNOTSUPP;
    default:
        return -EIO;
    }
}

int rm_ioctl(VgspRm *rm, int fd, unsigned nr, void *arg, size_t size)
{
    return rm->os->ioctl(rm->os_opaque, fd, nr, arg, size);
}

NvHandle rm_new_handle(VgspRm *rm)
{
    return 0x56470000u + (NvHandle)g_atomic_int_add(&rm->handles, 1);
}

int rm_alloc(VgspRm *rm, NvHandle parent, NvHandle *handle, uint32_t cls,
             RmAllocParams *params)
{
    NVOS64_PARAMETERS p = {
        .hRoot = rm->client,
        .hObjectParent = parent,
        .hObjectNew = cls == NV01_ROOT_CLIENT ? 0 : rm_new_handle(rm),
        .hClass = cls,
        .pAllocParms = (uintptr_t)params,
    };
    int ret = rm_ioctl(rm, rm->ctl, NV_ESC_RM_ALLOC, &p, sizeof(p));

    if (ret == 0 && p.status) {
        rm_log(rm, "the driver refuses an object of class 0x%x: status 0x%x",
               cls, p.status);
        ret = rm_errno(p.status);
    }
    *handle = ret == 0 ? p.hObjectNew : 0;
    return ret;
}

void rm_free(VgspRm *rm, NvHandle parent, NvHandle *handle)
{
    NVOS00_PARAMETERS p = {
        .hRoot = rm->client,
        .hObjectParent = parent,
        .hObjectOld = *handle,
    };
    int ret;

    if (!*handle) {
        return;
    }
    *handle = 0;
    ret = rm_ioctl(rm, rm->ctl, NV_ESC_RM_FREE, &p, sizeof(p));
    if (ret < 0 || p.status) {
        rm_log(rm, "the driver does not free object 0x%x: %s, status 0x%x",
               p.hObjectOld, g_strerror(-ret), p.status);
    }
}

int rm_control(VgspRm *rm, NvHandle object, uint32_t cmd, void *params,
               size_t size)
{
    NVOS54_PARAMETERS p = {
        .hClient = rm->client,
        .hObject = object,
        .cmd = cmd,
        .params = (uintptr_t)params,
        .paramsSize = (uint32_t)size,
    };
    int ret = rm_ioctl(rm, rm->ctl, NV_ESC_RM_CONTROL, &p, sizeof(p));

    return ret < 0 ? ret : rm_errno(p.status);
}

int rm_map_cpu(VgspRm *rm, NvHandle parent, NvHandle memory, size_t size,
               uint32_t flags, bool device, RmMapping *mapping)
{
    nv_ioctl_nvos33_parameters_with_fd p = {
        .params = {
            .hClient = rm->client,
            .hDevice = parent,
            .hMemory = memory,
            .length = size,
            .flags = flags,
        },
    };
    int ret;

    p.fd = rm->os->open(rm->os_opaque, device ? rm->dev_path : rm->ctl_path);
    if (p.fd < 0) {
        return p.fd;
    }
    ret = rm_ioctl(rm, rm->ctl, NV_ESC_RM_MAP_MEMORY, &p, sizeof(p));
    if (ret == 0) {
        ret = rm_errno(p.params.status);
    }
    if (ret == 0) {
        *mapping = (RmMapping) {
            .ptr = rm->os->mmap(rm->os_opaque, p.fd, size),
            .size = size,
            .memory = memory,
            .cookie = p.params.pLinearAddress,
        };
        if (!mapping->ptr) {
            rm_unmap_cpu(rm, parent, mapping);
            ret = -ENOMEM;
        }
    }
    /* The mapping keeps what it needs of it. */
    rm->os->close(rm->os_opaque, p.fd);
    return ret;
}

void rm_unmap_cpu(VgspRm *rm, NvHandle parent, RmMapping *mapping)
{
    NVOS34_PARAMETERS p = {
        .hClient = rm->client,
        .hDevice = parent,
        .hMemory = mapping->memory,
        .pLinearAddress = mapping->cookie,
    };

    if (!mapping->memory) {
        return;
    }
    if (mapping->ptr) {
        rm->os->munmap(rm->os_opaque, mapping->ptr, mapping->size);
    }
    rm_ioctl(rm, rm->ctl, NV_ESC_RM_UNMAP_MEMORY, &p, sizeof(p));
    *mapping = (RmMapping) { 0 };
}

/* ---- The driver's release ---- */

static const RmRelease releases[] = {
    { 580, true, true, 3 },
    { 575, false, true, 3 },
    { 550, false, true, 2 },
    { 535, false, false, 2 },
};

/* The newest that was looked at: later ones may work, and are told of. */
#define RELEASE_KNOWN   580

static bool parse_release(VgspRm *rm)
{
    unsigned major = (unsigned)g_ascii_strtoull(rm->version, NULL, 10);

    for (unsigned i = 0; i < G_N_ELEMENTS(releases); i++) {
        if (major >= releases[i].major) {
            rm->release = &releases[i];
            if (major > RELEASE_KNOWN) {
                rm_log(rm, "NVIDIA driver %s is newer than %u, the newest "
                       "that is known to work", rm->version, RELEASE_KNOWN);
            }
            return true;
        }
    }
    return false;
}

static int read_version(VgspRm *rm)
{
    nv_ioctl_rm_api_version_t v = { .cmd = NV_RM_API_VERSION_CMD_QUERY };
    int ret = rm_ioctl(rm, rm->ctl, NV_ESC_CHECK_VERSION_STR, &v, sizeof(v));

    if (ret == 0) {
        v.versionString[sizeof(v.versionString) - 1] = '\0';
        g_strlcpy(rm->version, v.versionString, sizeof(rm->version));
    }
    return ret;
}

/* ---- The chip ---- */

#define CLOCK_US            G_USEC_PER_SEC

#define ARCHITECTURE_TU100  0x160
#define ARCHITECTURE_GH100  0x180

static const RmChip chips[] = {
    {
        ARCHITECTURE_TU100, "TU10x", TURING_USERMODE_A, TURING_A,
        TURING_COMPUTE_A, &vgsp_profile_tu10x,
    }, {
        ARCHITECTURE_GH100, "GH100", HOPPER_USERMODE_A, HOPPER_A,
        HOPPER_COMPUTE_A, &vgsp_profile_gh100,
    },
};

static bool has_class(const uint32_t *list, uint32_t count, uint32_t cls)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == cls) {
            return true;
        }
    }
    return false;
}

/* Returns the first class that is missing, or 0. */
static int missing_class(VgspRm *rm, uint32_t *missing)
{
    const uint32_t needed[] = {
        TURING_CHANNEL_GPFIFO_A, rm->chip->usermode, rm->chip->threed,
        rm->chip->compute, FERMI_TWOD_A, KEPLER_INLINE_TO_MEMORY_B,
        KEPLER_CHANNEL_GROUP_A, FERMI_CONTEXT_SHARE_A, FERMI_VASPACE_A,
    };
    uint32_t list[1024];
    NV0080_CTRL_GPU_GET_CLASSLIST_PARAMS p = { 0 };
    int ret = rm_control(rm, rm->device, NV0080_CTRL_CMD_GPU_GET_CLASSLIST,
                         &p, sizeof(p));

    if (ret < 0) {
        return ret;
    }
    if (p.numClasses > G_N_ELEMENTS(list)) {
        return -EOVERFLOW;
    }
    p.classList = (uintptr_t)list;
    ret = rm_control(rm, rm->device, NV0080_CTRL_CMD_GPU_GET_CLASSLIST, &p,
                     sizeof(p));
    *missing = 0;
    for (unsigned i = 0; ret == 0 && i < G_N_ELEMENTS(needed); i++) {
        if (!has_class(list, MIN(p.numClasses, G_N_ELEMENTS(list)),
                       needed[i])) {
            *missing = needed[i];
            break;
        }
    }
    return ret;
}

static int read_sizes(VgspRm *rm)
{
    NV2080_CTRL_GR_GET_GPC_MASK_PARAMS gpc = { 0 };
    int ret = rm_control(rm, rm->subdevice, NV2080_CTRL_CMD_GR_GET_GPC_MASK,
                         &gpc, sizeof(gpc));

    rm->gpc_mask = gpc.gpcMask;
    for (unsigned i = 0; i < 32 && ret == 0; i++) {
        NV2080_CTRL_GR_GET_TPC_MASK_PARAMS tpc = { .gpcId = i };

        if (rm->gpc_mask & 1u << i) {
            ret = rm_control(rm, rm->subdevice,
                             NV2080_CTRL_CMD_GR_GET_TPC_MASK, &tpc,
                             sizeof(tpc));
            rm->tpc_mask[i] = tpc.tpcMask;
            /* Two SMs in each TPC, of Turing as of Hopper. */
            rm->sm_count += 2 * (uint32_t)__builtin_popcount(tpc.tpcMask);
        }
    }
    return ret == 0 && !rm->sm_count ? -EIO : ret;
}

/* The device instance behind the node's number. */
static int device_instance(VgspRm *rm, uint32_t *instance)
{
    NV0000_CTRL_GPU_GET_ID_INFO_V2_PARAMS id = { 0 };
    const char *digits = rm->dev_path + strlen(rm->dev_path);
    nv_ioctl_card_info_t *cards = g_new0(nv_ioctl_card_info_t, 32);
    uint32_t minor;
    int ret;

    while (digits > rm->dev_path && g_ascii_isdigit(digits[-1])) {
        digits--;
    }
    minor = (uint32_t)g_ascii_strtoull(digits, NULL, 10);
    ret = rm_ioctl(rm, rm->ctl, NV_ESC_CARD_INFO, cards, 32 * sizeof(*cards));
    for (unsigned i = 0; ret == 0 && i < 32; i++) {
        if (cards[i].valid && cards[i].minor_number == minor) {
            id.gpuId = cards[i].gpu_id;
        }
    }
    g_free(cards);
    if (ret < 0) {
        return ret;
    }
    if (!id.gpuId) {
        return -ENODEV;
    }
    ret = rm_control(rm, rm->client, NV0000_CTRL_CMD_GPU_GET_ID_INFO_V2, &id,
                     sizeof(id));
    *instance = id.deviceInstance;
    return ret;
}

static int open_objects(VgspRm *rm, const char **what)
{
    nv_ioctl_register_fd_t reg = { .ctl_fd = rm->ctl };
    NV2080_CTRL_MC_GET_ARCH_INFO_PARAMS arch = { 0 };
    RmAllocParams p;
    int ret;

    *what = "the device node does not accept the control node";
    ret = rm_ioctl(rm, rm->dev, NV_ESC_REGISTER_FD, &reg, sizeof(reg));
    if (ret < 0) {
        return ret;
    }
    *what = "no client of the driver";
    p = (RmAllocParams) { 0 };
    ret = rm_alloc(rm, 0, &rm->client, NV01_ROOT_CLIENT, &p);
    if (ret < 0) {
        return ret;
    }
    *what = "no device behind this node";
    p = (RmAllocParams) { 0 };
    ret = device_instance(rm, &p.device.deviceId);
    if (ret < 0) {
        return ret;
    }
    ret = rm_alloc(rm, rm->client, &rm->device, NV01_DEVICE_0, &p);
    if (ret < 0) {
        return ret;
    }
    p = (RmAllocParams) { 0 };
    ret = rm_alloc(rm, rm->device, &rm->subdevice, NV20_SUBDEVICE_0, &p);
    if (ret < 0) {
        return ret;
    }
    *what = "the driver does not tell what chip it is";
    ret = rm_control(rm, rm->subdevice, NV2080_CTRL_CMD_MC_GET_ARCH_INFO,
                     &arch, sizeof(arch));
    if (ret < 0) {
        return ret;
    }
    *what = "only Turing (TU10x) and Hopper (GH100) can execute";
    for (unsigned i = 0; i < G_N_ELEMENTS(chips); i++) {
        if (chips[i].architecture == arch.architecture) {
            rm->chip = &chips[i];
        }
    }
    rm->implementation = arch.implementation;
    return rm->chip ? 0 : -ENODEV;
}

static int open_doorbell(VgspRm *rm)
{
    RmAllocParams p = { 0 };
    int ret;

    if (rm->chip->usermode == HOPPER_USERMODE_A) {
        p.usermode.bBar1Mapping = 1;
        ret = rm_alloc(rm, rm->subdevice, &rm->usermode, rm->chip->usermode,
                       &p);
    } else {
        /* Volta's and Turing's take no parameters. */
        ret = rm_alloc(rm, rm->subdevice, &rm->usermode, rm->chip->usermode,
                       NULL);
    }
    return ret < 0 ? ret
                   : rm_map_cpu(rm, rm->subdevice, rm->usermode, NVC361_SIZE,
                                NVOS33_FLAGS_ACCESS_WRITE_ONLY, true,
                                &rm->doorbell);
}

static char *open_driver(VgspRm *rm)
{
    const char *what;
    uint32_t missing;
    int ret;

    rm->ctl = rm->os->open(rm->os_opaque, rm->ctl_path);
    if (rm->ctl < 0) {
        return g_strdup_printf("no NVIDIA driver: %s: %s", rm->ctl_path,
                               g_strerror(-rm->ctl));
    }
    rm->dev = rm->os->open(rm->os_opaque, rm->dev_path);
    if (rm->dev < 0) {
        return g_strdup_printf("no NVIDIA driver: %s: %s", rm->dev_path,
                               g_strerror(-rm->dev));
    }
    ret = read_version(rm);
    if (ret < 0) {
        return g_strdup_printf("not NVIDIA's driver, or older than %u: it "
                               "does not tell its version: %s",
                               releases[G_N_ELEMENTS(releases) - 1].major,
                               g_strerror(-ret));
    }
    if (!parse_release(rm)) {
        return g_strdup_printf("NVIDIA driver %s is too old, %u is needed",
                               rm->version,
                               releases[G_N_ELEMENTS(releases) - 1].major);
    }
    ret = open_objects(rm, &what);
    if (ret < 0) {
        return g_strdup_printf("NVIDIA driver %s: %s: %s", rm->version, what,
                               g_strerror(-ret));
    }
    ret = missing_class(rm, &missing);
    if (ret < 0 || missing) {
        return ret < 0 ? g_strdup_printf("NVIDIA driver %s: no list of "
                                         "classes: %s", rm->version,
                                         g_strerror(-ret))
                       : g_strdup_printf("NVIDIA driver %s does not offer "
                                         "class 0x%x", rm->version, missing);
    }
    ret = read_sizes(rm);
    if (ret < 0) {
        return g_strdup_printf("NVIDIA driver %s: number of SMs: %s",
                               rm->version, g_strerror(-ret));
    }
    ret = open_doorbell(rm);
    if (ret < 0) {
        return g_strdup_printf("NVIDIA driver %s: no doorbell: %s",
                               rm->version, g_strerror(-ret));
    }
    rm_event_open(rm);
    return NULL;
}

static void close_driver(VgspRm *rm)
{
    if (rm->subdevice) {
        rm_event_close(rm);
        rm_unmap_cpu(rm, rm->subdevice, &rm->doorbell);
        rm_free(rm, rm->subdevice, &rm->usermode);
    }
    rm_free(rm, rm->device, &rm->subdevice);
    rm_free(rm, rm->client, &rm->device);
    rm_free(rm, rm->client, &rm->client);
    if (rm->dev >= 0) {
        rm->os->close(rm->os_opaque, rm->dev);
    }
    if (rm->ctl >= 0) {
        rm->os->close(rm->os_opaque, rm->ctl);
    }
}

static void client_free(VgspRm *rm)
{
    g_hash_table_destroy(rm->memories);
    g_hash_table_destroy(rm->spaces);
    g_hash_table_destroy(rm->contexts);
    g_ptr_array_free(rm->live, true);
    g_rw_lock_clear(&rm->table);
    g_mutex_clear(&rm->ring_lock);
    g_mutex_clear(&rm->clock_lock);
    g_cond_clear(&rm->delivered);
    g_free(rm->ctl_path);
    g_free(rm->dev_path);
    g_free(rm);
}

VgspRm *vgsp_rm_open_os(const VgspRmConfig *config, const RmOs *os,
                        void *os_opaque, char **error)
{
    VgspRm *rm = g_new0(VgspRm, 1);
    char *dir = g_path_get_dirname(config->path);

    rm->os = os;
    rm->os_opaque = os_opaque;
    rm->ops = config->ops;
    rm->opaque = config->opaque;
    rm->ctl = rm->dev = -1;
    rm->dev_path = g_strdup(config->path);
    rm->ctl_path = g_build_filename(dir, "nvidiactl", NULL);
    rm->handles = 1;
    g_free(dir);
    g_rw_lock_init(&rm->table);
    g_mutex_init(&rm->ring_lock);
    g_mutex_init(&rm->clock_lock);
    g_cond_init(&rm->delivered);
    rm->memories = g_hash_table_new(NULL, NULL);
    rm->spaces = g_hash_table_new(NULL, NULL);
    rm->contexts = g_hash_table_new(NULL, NULL);
    rm->live = g_ptr_array_new();
    g_queue_init(&rm->faults);

    *error = open_driver(rm);
    if (!*error && !rm_ring_start(rm)) {
        *error = g_strdup("cannot create a thread");
    }
    if (*error) {
        close_driver(rm);
        client_free(rm);
        return NULL;
    }
    return rm;
}

VgspRm *vgsp_rm_open(const VgspRmConfig *config, char **error)
{
    return vgsp_rm_open_os(config, &os_linux, NULL, error);
}

void vgsp_rm_close(VgspRm *rm)
{
    if (rm) {
        vgsp_rm_revoke(rm);
        rm_ring_stop(rm);
        close_driver(rm);
        client_free(rm);
    }
}

const char *vgsp_rm_chip_name(const VgspRm *rm)
{
    return rm->chip->name;
}

const char *vgsp_rm_version(const VgspRm *rm)
{
    return rm->version;
}

/*
 * The guest's chip stays a TU104: its drivers know no other. What they size by
 * the chip (local memory, by the number of SMs) must suffice for the silicon,
 * where nothing is translated; else translation replaces it.
 */
void vgsp_rm_chip(const VgspRm *rm, VgspChip *chip)
{
    *chip = vgsp_chip_tu104;
    if (rm->chip->profile != &vgsp_profile_tu10x) {
        return;
    }
    chip->gpc_mask = 0;
    memset(chip->tpc_mask, 0, sizeof(chip->tpc_mask));
    for (unsigned i = 0, n = 0; i < 32 && n < VGSP_CHIP_MAX_GPC; i++) {
        if (rm->gpc_mask & 1u << i) {
            chip->gpc_mask |= 1u << n;
            chip->tpc_mask[n++] = rm->tpc_mask[i];
        }
    }
}

/*
 * A request takes microseconds, and the guest reads its timer often: between
 * two of them this machine's clock goes on.
 */
uint64_t vgsp_rm_clock_ns(VgspRm *rm)
{
    NV2080_CTRL_TIMER_GET_TIME_PARAMS p = { 0 };
    int64_t now = g_get_monotonic_time();
    uint64_t time;

    g_mutex_lock(&rm->clock_lock);
    if (!rm->clock_read || now - rm->clock_read > CLOCK_US) {
        if (rm_control(rm, rm->subdevice, NV2080_CTRL_CMD_TIMER_GET_TIME, &p,
                       sizeof(p)) == 0) {
            rm->clock_at = p.time_nsec;
            now = rm->clock_read = g_get_monotonic_time();
        }
    }
    time = rm->clock_at + (uint64_t)(now - rm->clock_read) * 1000;
    rm->clock_last = time = MAX(time, rm->clock_last);
    g_mutex_unlock(&rm->clock_lock);
    return time;
}
