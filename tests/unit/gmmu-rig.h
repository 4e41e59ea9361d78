/*
 * Memory in three apertures for the GMMU walker, which counts what is read, and
 * the mappings of a range as a list.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#ifndef TESTS_UNIT_GMMU_RIG_H
#define TESTS_UNIT_GMMU_RIG_H

#include <glib.h>

#include "vgsp/gmmu.h"

#define KiB       UINT64_C(1024)
#define MiB       (KiB * 1024)
#define MEM_SIZE  (4 * MiB)

typedef struct Mem {
    uint8_t *ap[4];
    unsigned int reads;
    unsigned int bytes;
    uint32_t next_page;
} Mem;

static bool mem_read(void *opaque, VgspAperture ap, uint64_t addr, void *buf,
                     size_t len)
{
    Mem *m = opaque;

    g_assert_cmpint(ap, !=, VGSP_APERTURE_PEER);
    g_assert_cmpuint(ap, <, 4);
    g_assert_cmpuint(addr % 8, ==, 0);
    g_assert_cmpuint(len, >, 0);
    g_assert_cmpuint(addr / 4096, ==, (addr + len - 1) / 4096);
    m->reads++;
    m->bytes += len;
    if (!vgsp_range_ok(addr, len, MEM_SIZE)) {
        return false;
    }
    memcpy(buf, m->ap[ap] + addr, len);
    return true;
}

static const VgspGmmuOps ops = { .read = mem_read };

static Mem *mem_new(void)
{
    Mem *m = g_new0(Mem, 1);

    m->ap[VGSP_APERTURE_VIDEO] = g_malloc0(MEM_SIZE);
    m->ap[VGSP_APERTURE_SYS_COHERENT] = g_malloc0(MEM_SIZE);
    m->ap[VGSP_APERTURE_SYS_NONCOHERENT] = g_malloc0(MEM_SIZE);
    m->next_page = 1;
    return m;
}

static void mem_free(Mem *m)
{
    for (int i = 0; i < 4; i++) {
        g_free(m->ap[i]);
    }
    g_free(m);
}

static void put(Mem *m, VgspAperture ap, uint64_t addr, uint64_t q)
{
    g_assert_true(vgsp_range_ok(addr, 8, MEM_SIZE));
    vgsp_put_le64(m->ap[ap] + addr, q);
}

typedef struct Visits {
    GArray *maps;
    unsigned int stop_after;
} Visits;

static bool visit(void *opaque, const VgspMapping *m)
{
    Visits *v = opaque;

    g_array_append_val(v->maps, *m);
    return v->maps->len != v->stop_after;
}

static GArray *walk_range(Mem *m, const VgspPdb *pdb, uint64_t va, uint64_t len)
{
    Visits v = { .maps = g_array_new(false, false, sizeof(VgspMapping)) };

    g_assert_cmpint(vgsp_gmmu_walk_range(&ops, m, pdb, va, len,
                                         VGSP_GMMU_NO_LIMIT, visit, &v),
                    ==, VGSP_GMMU_WALK_DONE);
    return v.maps;
}

#define MAP(a, i) (&g_array_index(a, VgspMapping, i))

#endif
