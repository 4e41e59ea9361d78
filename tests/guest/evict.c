/*
 * Fills buffers in VRAM, suspends the machine, and looks whether the driver
 * brought them back: it evicts them with the copy engine before it sleeps.
 * Runs in a guest (tests/guest/evict). Exit status 0: every word is right.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Linux include/uapi/drm/nouveau_drm.h */
struct drm_nouveau_gem_new {
    uint32_t handle;
    uint32_t domain;
    uint64_t size;
    uint64_t offset;
    uint64_t map_handle;
    uint32_t tile_mode;
    uint32_t tile_flags;
    uint32_t channel_hint;
    uint32_t align;
};
#define NOUVEAU_GEM_DOMAIN_VRAM     (1 << 1)
#define NOUVEAU_GEM_DOMAIN_MAPPABLE (1 << 3)
#define DRM_IOCTL_NOUVEAU_GEM_NEW   _IOWR('d', 0x80, struct drm_nouveau_gem_new)

#define BUFFERS 6
#define SIZE    (3u << 20)

static uint32_t word(unsigned buffer, unsigned i)
{
    return i * 2654435761u + buffer;
}

int main(void)
{
    uint32_t *map[BUFFERS];
    int card = open("/dev/dri/renderD128", O_RDWR);
    int power = open("/sys/power/state", O_WRONLY);

    if (card < 0 || power < 0) {
        perror("open");
        return 1;
    }
    for (unsigned b = 0; b < BUFFERS; b++) {
        struct drm_nouveau_gem_new new = {
            .domain = NOUVEAU_GEM_DOMAIN_VRAM | NOUVEAU_GEM_DOMAIN_MAPPABLE,
            .size = SIZE,
        };

        if (ioctl(card, DRM_IOCTL_NOUVEAU_GEM_NEW, &new)) {
            perror("GEM_NEW");
            return 2;
        }
        map[b] = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, card,
                      (off_t)new.map_handle);
        if (map[b] == MAP_FAILED) {
            perror("mmap");
            return 3;
        }
        for (unsigned i = 0; i < SIZE / 4; i++) {
            map[b][i] = word(b, i);
        }
    }
    if (write(power, "mem", 3) != 3) {
        perror("suspend");
        return 4;
    }
    for (unsigned b = 0; b < BUFFERS; b++) {
        for (unsigned i = 0; i < SIZE / 4; i++) {
            if (map[b][i] != word(b, i)) {
                printf("buffer %u word %u: 0x%08x\n", b, i, map[b][i]);
                return 5;
            }
        }
    }
    puts("INTACT");
    return 0;
}
