/*
 * Map operations for the executor from page table entries. What design.md
 * section 6 says of a shadow entry: built, not copied; kinds in their
 * uncompressed form; read-only, privilege and atomic-disable kept.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */
#include "qemu/osdep.h"
#include "qemu/atomic.h"
#include "owner/shadow-int.h"
#include "trace.h"
#include "vgsp/kind.h"

void vgsp_maps_flush(VgspMaps *maps)
{
    VgspExecutor *ex = maps->s->executor;

    if (maps->count && !maps->error) {
        maps->error = ex->ops->map(ex, maps->space, maps->ops, maps->count);
        trace_vgsp_owner_map(maps->space, maps->count, maps->error);
        qatomic_add(&maps->s->stats.shadow_ops, maps->count);
        maps->sent += maps->count;
    }
    maps->count = 0;
}

static bool adjoins(const struct vgsp_owner_map_op *last,
                    const struct vgsp_owner_map_op *op)
{
    if (last->op != op->op || last->va + last->size != op->va) {
        return false;
    }
    return op->op != VGSP_OWNER_MAP ||
           (last->memory == op->memory && last->kind == op->kind &&
            last->flags == op->flags &&
            last->offset + last->size == op->offset);
}

static void maps_add(VgspMaps *maps, const struct vgsp_owner_map_op *op)
{
    maps->cost++;
    if (maps->count && adjoins(&maps->ops[maps->count - 1], op)) {
        maps->ops[maps->count - 1].size += op->size;
        return;
    }
    maps->cost += 3;
    if (maps->cost > VGSP_MAPS_COST_MAX && !maps->error) {
        maps->error = -E2BIG;
    }
    if (maps->count == VGSP_MAPS_BATCH) {
        vgsp_maps_flush(maps);
    }
    maps->ops[maps->count++] = *op;
}

void vgsp_maps_unmap(VgspMaps *maps, uint64_t va, uint64_t size)
{
    const struct vgsp_owner_map_op op = {
        .op = VGSP_OWNER_UNMAP,
        .va = va,
        .size = size,
    };

    maps_add(maps, &op);
}

void vgsp_maps_page(VgspMaps *maps, const VgspMapping *m)
{
    struct vgsp_owner_map_op op = { .op = VGSP_OWNER_MAP };
    uint32_t flags = (m->atomic_disable ? VGSP_OWNER_MAP_ATOMIC_DISABLE : 0) |
                     (m->privileged ? VGSP_OWNER_MAP_PRIVILEGED : 0);
    uint64_t done = 0;

    if (m->sparse) {
        op.op = VGSP_OWNER_SPARSE;
        op.va = m->va;
        op.size = m->size;
        maps_add(maps, &op);
        return;
    }
    if (!vgsp_kind_plain(m->kind, &op.kind)) {
        vgsp_maps_unmap(maps, m->va, m->size);
        return;
    }
    while (done < m->size && !maps->error) {
        uint64_t offset, size = 0, rest = m->size - done;
        bool writable;

        op.va = m->va + done;
        if (vgsp_objects_find(maps->objects, m->aperture, m->pa + done,
                              !m->read_only, &op.memory, &offset, &size,
                              &writable)) {
            op.offset = offset;
            op.size = MIN(QEMU_ALIGN_DOWN(size, 4096), rest);
            op.flags = flags | (m->read_only || !writable ?
                                VGSP_OWNER_MAP_READ_ONLY : 0);
            maps_add(maps, &op);
        } else {
            op.size = size < rest ? QEMU_ALIGN_UP(size, 4096) : rest;
            vgsp_maps_unmap(maps, op.va, op.size);
        }
        done += op.size;
    }
}
