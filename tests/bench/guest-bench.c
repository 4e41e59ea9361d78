/*
 * Measurements that need a guest: register reads through sysfs, and copies
 * into a buffer object that the driver maps through BAR1. Static, no library.
 *
 *   guest-bench mmio RUNS COUNT       ns a read: vgsp-gpu BAR0, pci-testdev
 *   guest-bench bar1 RUNS MIB         MiB/s of memcpy: into BAR1, into RAM
 *
 * Prints one line a run, the two figures side by side.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <dirent.h>
#include <err.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <libdrm/drm.h>
#include <libdrm/nouveau_drm.h>    /* wants stdint.h before it */

#define PCI_DEVICES "/sys/bus/pci/devices"

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}

static unsigned read_id(const char *dev, const char *file)
{
    char path[512];
    unsigned v = 0;
    FILE *f;

    snprintf(path, sizeof(path), PCI_DEVICES "/%s/%s", dev, file);
    f = fopen(path, "r");
    if (!f || fscanf(f, "%x", &v) != 1) {
        err(1, "%s", path);
    }
    fclose(f);
    return v;
}

/* Maps the first page of BAR 0 of the first such device. */
static volatile uint32_t *map_bar0(unsigned vendor, unsigned device)
{
    DIR *d = opendir(PCI_DEVICES);
    struct dirent *e;
    char path[512];
    void *p;
    int fd;

    while (d && (e = readdir(d))) {
        if (e->d_name[0] == '.' || read_id(e->d_name, "vendor") != vendor ||
            read_id(e->d_name, "device") != device) {
            continue;
        }
        snprintf(path, sizeof(path), PCI_DEVICES "/%s/enable", e->d_name);
        fd = open(path, O_WRONLY);
        if (fd < 0 || write(fd, "1", 1) != 1) {
            err(1, "%s", path);
        }
        close(fd);
        snprintf(path, sizeof(path), PCI_DEVICES "/%s/resource0", e->d_name);
        fd = open(path, O_RDWR | O_SYNC);
        p = fd < 0 ? MAP_FAILED
                   : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                          0);
        if (p == MAP_FAILED) {
            err(1, "%s", path);
        }
        close(fd);
        closedir(d);
        return p;
    }
    errx(1, "no PCI device %04x:%04x", vendor, device);
}

static double read_ns(volatile uint32_t *reg, unsigned long count)
{
    double t = now();

    for (unsigned long i = 0; i < count; i++) {
        (void)*reg;
    }
    return (now() - t) / count * 1e9;
}

static void bench_mmio(int runs, unsigned long count)
{
    volatile uint32_t *gpu = map_bar0(0x10de, 0x1e81);
    volatile uint32_t *testdev = map_bar0(0x1b36, 0x0005);

    read_ns(gpu, count);
    read_ns(testdev, count);
    while (runs--) {
        double a = 0, b = 0;

        /* In turns, so that both see the same machine. */
        for (int i = 0; i < 8; i++) {
            a += read_ns(gpu, count) / 8;
            b += read_ns(testdev, count) / 8;
        }
        printf("mmio %.1f %.1f\n", a, b);
    }
}

static double copy_mib_s(void *to, const void *from, size_t len)
{
    double t = now();

    for (int i = 0; i < 4; i++) {
        memcpy(to, from, len);
        __asm__ __volatile__("" ::: "memory");
    }
    return 4.0 * len / (1 << 20) / (now() - t);
}

static void *map_anon(size_t len)
{
    void *p = mmap(NULL, len, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

    if (p == MAP_FAILED) {
        err(1, "mmap");
    }
    return p;
}

static void bench_bar1(int runs, size_t len)
{
    struct drm_nouveau_gem_new req = {
        .info = { .domain = NOUVEAU_GEM_DOMAIN_VRAM |
                            NOUVEAU_GEM_DOMAIN_MAPPABLE,
                  .size = len },
        .align = 4096,
    };
    int fd = open("/dev/dri/renderD128", O_RDWR);
    void *bar1, *ram = map_anon(len), *src = map_anon(len);

    if (fd < 0) {
        err(1, "/dev/dri/renderD128");
    }
    if (ioctl(fd, DRM_IOWR(DRM_COMMAND_BASE + DRM_NOUVEAU_GEM_NEW,
                           struct drm_nouveau_gem_new), &req)) {
        err(1, "DRM_NOUVEAU_GEM_NEW");
    }
    bar1 = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                req.info.map_handle);
    if (bar1 == MAP_FAILED) {
        err(1, "mmap of the buffer object");
    }
    memset(src, 0x5a, len);
    memset(bar1, 0, len);       /* fault every page in */
    memset(ram, 0, len);
    printf("warm\n");
    fflush(stdout);
    while (runs--) {
        double b = copy_mib_s(bar1, src, len);
        double r = copy_mib_s(ram, src, len);

        printf("bar1 %.1f %.1f\n", b, r);
    }
    if (memcmp(bar1, src, len)) {
        errx(1, "BAR1 does not hold what was written");
    }
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "mmio")) {
        bench_mmio(atoi(argv[2]), strtoul(argv[3], NULL, 0));
    } else if (argc == 4 && !strcmp(argv[1], "bar1")) {
        bench_bar1(atoi(argv[2]), strtoul(argv[3], NULL, 0) << 20);
    } else {
        errx(2, "usage: guest-bench mmio RUNS COUNT | bar1 RUNS MIB");
    }
    return 0;
}
