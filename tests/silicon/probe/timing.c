/*
 * How long maps take, and where the driver has its own buffers.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "probe.h"

/* Where the driver put what it needs for a context: what cannot be taken. */
void find_driver(void)
{
    RmSpace *s = g_hash_table_lookup(rm->spaces, GUINT_TO_POINTER(space));
    const struct {
        uint64_t start, size;
    } parts[] = {
        { s->start, (4ull << 30) - s->start }, { 0x120000000, 2ull << 30 },
        { s->own, 1ull << 30 },
    };
    const uint64_t unit = 2 * MIB;

    printf("  the space begins at 0x%llx, the executor's own at 0x%llx\n",
           (unsigned long long)s->start, (unsigned long long)s->own);
    silent = true;
    for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++) {
        uint64_t first = 0, n = 0, last = 0;

        /* Each refusal is a line in the driver's log: not too many. */
        for (uint64_t at = 0; at + unit <= parts[i].size && n < 40;
             at += unit) {
            NvHandle h;

            if (rm_space_take(s, parts[i].start + at, unit,
                              NVOS32_ALLOC_FLAGS_LAZY, &h) == 0) {
                rm_free(rm, rm->device, &h);
            } else {
                last = parts[i].start + at;
                first = n++ ? first : last;
            }
        }
        printf("  of 0x%llx bytes at 0x%llx: %llu times 2 MiB taken, 0x%llx "
               "to 0x%llx\n", (unsigned long long)parts[i].size,
               (unsigned long long)parts[i].start, (unsigned long long)n,
               (unsigned long long)first, (unsigned long long)last);
    }
    silent = false;
    step("the driver's own buffers");
}

void time_maps(void)
{
    struct vgsp_owner_map_op *many = g_new0(struct vgsp_owner_map_op, 4096);
    uint8_t *big = mmap(NULL, GIB, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct vgsp_owner_map_op op = { .va = VA_HIGH, .size = GIB };
    double t, up, down;
    uint32_t id;

    if (big == MAP_FAILED) {
        stop("no memory");
    }
    memset(big, 1, GIB);
    step("1 GiB made present");
    t = now_us();
    must(vgsp_rm_memory_add(rm, big, GIB, &id), "1 GiB registered");
    op.memory = id;
    must(vgsp_rm_map(rm, space, &op, 1), "1 GiB mapped");
    up = now_us() - t;
    t = now_us();
    op.op = VGSP_OWNER_UNMAP;
    must(vgsp_rm_map(rm, space, &op, 1), "1 GiB unmapped");
    down = now_us() - t;
    t = now_us();
    op.op = VGSP_OWNER_MAP;
    must(vgsp_rm_map(rm, space, &op, 1), "1 GiB mapped again");
    step("rm.map_gib_ms %.1f (unmapped %.1f, mapped again %.1f)", up / 1e3,
         down / 1e3, (now_us() - t) / 1e3);
    op.op = VGSP_OWNER_UNMAP;
    must(vgsp_rm_map(rm, space, &op, 1), "1 GiB unmapped");

    for (unsigned i = 0; i < 4096; i++) {
        many[i] = (struct vgsp_owner_map_op) {
            .va = VA_HIGH + i * 8192ull, .size = 4096, .memory = id,
            .offset = (i * 1027ull % 4096) * 8192,
        };
    }
    t = now_us();
    must(vgsp_rm_map(rm, space, many, 4096), "4096 pages");
    up = now_us() - t;
    op.size = 32 * MIB;
    t = now_us();
    must(vgsp_rm_map(rm, space, &op, 1), "4096 pages unmapped");
    down = now_us() - t;
    t = now_us();
    for (unsigned i = 0; i < 512; i++) {
        must(vgsp_rm_map(rm, space, &many[i], 1), "single pages");
    }
    step("rm.map_scattered_us %.2f in one batch, %.2f one at a time; "
         "unmapped %.2f", up / 4096, (now_us() - t) / 512, down / 4096);
    must(vgsp_rm_memory_del(rm, id), "1 GiB withdrawn");
    munmap(big, GIB);
    g_free(many);
    step("withdrawn with 512 mappings");
}
